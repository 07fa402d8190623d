"""Theorem 7 of Rubinstein et al. 2009 in floating point: what is released is a float64, not a real number.

Not statements of the paper: its Algorithm 2 adds real noise. These are what its privacy becomes when steps (3) and (4)
run on a computer, with the textbook sampler and with the one we ship (`mechanisms.laplace`).
"""

from __future__ import annotations

from bounds.theorem import integer, positive, theorem

SOURCE = "Rubinstein et al. 2009, Algorithm 2, steps (3) and (4), executed in float64; Mironov 2012"


@theorem(
    "rbht09.thm7.float64",
    reading="explicit",
    parent="rbht09.thm7",
    kind="privacy",
    says=r"\mathrm{fl}(w(D)+\mathrm{fl}(\mu))\ \text{is}\ \beta\text{-differentially private}",
    needs=[positive("beta")],
    source=SOURCE,
)
def textbook_release(*, beta):
    """Privacy of w + rng.laplace(scale) in float64, calibrated over the reals

    Claimed: beta. Found: no level at all. A double y is possible for the centre w only if fl(w + z) = y for one of at
    most 2^53 noise values z; for centres 0 and 1, |y| < 1/2 is reached from 1 only at multiples of 2^-53 (there 1 + z
    is exact), and from 0 at other doubles too.
    """
    return beta


@theorem(
    "rbht09.thm7.float64",
    reading="corrected",
    parent="rbht09.thm7",
    kind="privacy",
    says=r"\lambda\ge\frac{S+Fg}{\beta}\ \Rightarrow\ "
    r"g\,(\lfloor w(D)/g\rceil+K)\ \text{is}\ \beta\text{-differentially private}",
    needs=[positive("sensitivity"), positive("grid"), integer("F"), positive("beta")],
    source=SOURCE,
)
def grid_scale(*, sensitivity, grid, F, beta):
    """Privacy of discrete Laplace noise on a grid of step g: scale (S + F g) / beta

    Each of the F coordinates, rounded to the nearest grid step, moves by at most g / 2, so two rounded centres differ
    by at most S + F g in L1, a whole number of steps. K is discrete Laplace, Pr(K = k) proportional to
    exp(-|k| g / lambda), sampled exactly: |log Pr(K = k - a) - log Pr(K = k - b)| <= |a - b| g / lambda for whole a, b.

    >>> grid_scale(sensitivity=1.0, grid=0.25, F=4, beta=2.0)
    1.0
    """
    return (sensitivity + F * grid) / beta
