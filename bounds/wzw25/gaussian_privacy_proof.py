"""Remark 2.3 of Wang, Zhu & Wang (2025) in floating point: what is released is a float64, not a real number.

Not statements of the paper: its Gaussian mechanism adds real noise. These are what its privacy becomes with the
textbook sampler, and with the one that this project ships for single releases (`mechanisms.grid_gaussian`).
"""

from __future__ import annotations

from bounds.theorem import positive, require, theorem
from bounds.wzw25.gaussian_privacy import gaussian_mechanism_gdp

SOURCE = ", the Gaussian mechanism, executed in float64; Mironov 2012"


@theorem(
    "wzw25.rem2.3.float64",
    reading="explicit",
    kind="privacy",
    says=r"\mathrm{fl}(f(X)+\mathrm{fl}(\sigma\xi))\ \text{is}\ \frac{\Delta}{\sigma}\text{-GDP}",
    needs=[positive("mu")],
    source=SOURCE,
)
def textbook_release(*, mu: float) -> float:
    """Privacy of f + rng.normal(scale=sigma) in float64, calibrated over the reals: as claimed.

    Found: no level at all. Between -3/2 and -1/2 the doubles are multiples of 2^-53, and 1 + z is exact for every such
    z. So from the centre 1 a release |y| < 1/2 is a multiple of 2^-53; from the centre 0 it is the noise itself, and
    of normal doubles that small most are no such multiples: a quarter of all releases at sigma = 1.
    """
    return mu


@textbook_release.corrected(
    says=r"\mathrm{step}\cdot\left\lfloor\frac{f(X)+\sigma\xi}{\mathrm{step}}\right\rceil\ \text{is}\ "
    r"\frac{\Delta}{\sigma}\text{-GDP},\quad\mathrm{step}=2^j,\ \xi\ \text{exact}",
    needs=[
        positive("sensitivity"),
        positive("sigma"),
        positive("step"),
        require("step a power of two", lambda step: float(step).hex().startswith("0x1.0000000000000p")),
    ],
)
def grid_release(*, sensitivity: float, sigma: float, step: float) -> float:
    """Privacy of the Gaussian mechanism rounded to a public grid and drawn exactly: Delta / sigma, nothing is lost.

    The release is a function of f(X) + sigma xi, xi standard normal over the reals: rounding to the nearest multiple
    of `step` is post-processing of a (Delta / sigma)-GDP mechanism (Remark 2.3). Clipping f to a public bound before
    moves no two values apart. The event {release >= t}, t on the grid, is {f(X) + sigma xi >= t - step / 2}: under two
    values at distance Delta its normal quantiles differ by exactly Delta / sigma, so no smaller mu is true either.

    >>> grid_release(sensitivity=1.0, sigma=2.0, step=0.25)
    0.5
    """
    return gaussian_mechanism_gdp(sensitivity=sensitivity, sigma=sigma)
