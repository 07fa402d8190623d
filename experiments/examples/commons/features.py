"""Random Fourier features: how far a kernel is from its estimate, at one pair and at all pairs of a set."""

from typing import Any

import numpy as np
from scipy.special import i0e

from lemmata.paper import (
    Step,
    exp,
    grid,
    integer,
    log,
    oracle_claim,
    positive,
    theorem,
)


@theorem(
    "rr07.hoeffding",
    kind="tail",
    says=r"\Pr[|z(x)^Tz(y)-k(x,y)|\ge\varepsilon]\le2e^{-D\varepsilon^2/4}",
    needs=[integer("D"), positive("epsilon")],
)
def random_features(*, D: Any, epsilon: Any) -> Any:
    """One pair under D random Fourier features. Use this: it holds, though not by Hoeffding's inequality alone."""
    return 2 * exp(-D * epsilon**2 / 4)


@theorem(
    "rr07.hoeffding.s1",
    kind="mean",
    reading="explicit",
    says=r"e^{-t}I_0(t)\le e^{t^2/4-t}",
    needs=[positive("t")],
)
def cosine_moment(*, t: Any) -> Any:
    """The moment of a cosine of a uniform phase, of half the variance that its range allows. Use this for phases."""
    return exp(t**2 / 4 - t)


oracle_claim(
    cosine_moment, oracle="exact", quick=grid(t=[0.1, 1.0, 5.0]), reach={"t": 50}, note="both sides times e^-t"
)(lambda *, t: float(i0e(t)))


def feature_tail(*, D: Any, epsilon: Any) -> Any:
    """Markov's inequality at t = 2 epsilon/3: a cosine in [-1, 1] has moment e^(t²/2), its phase `cosine_moment`."""
    t = 2 * epsilon / 3
    return 2 * exp(D * (t**2 / 2 + t + log(cosine_moment(t=t)) - t * epsilon))


oracle_claim(
    random_features,
    oracle="above",
    given=[cosine_moment],
    quick=grid(D=[1, 50], epsilon=[0.1, 1.0]),
    caught=(1.1, 2, 4),
    reach={"epsilon": 30},
    steps=[Step("1/4 ≤ 1/3")],
)(feature_tail)

SPREAD = [integer("D"), integer("d"), positive("epsilon"), positive("spread")]
UNIFORM = r"\Pr\left[\sup_{x,y\in M}|z(x)^Tz(y)-k(x,y)|\ge\varepsilon\right]\le"


@theorem(
    "rr07.claim1",
    reading="quoted",
    quoted_by="lecture notes and posts, for features with a phase and every diameter",
    kind="tail",
    says=r"z_j=\sqrt{2/D}\cos(\omega_j^Tx+b_j):\ "
    + UNIFORM
    + r"2^8\left(\frac{\sigma_p\operatorname{diam}M}{\varepsilon}\right)^2e^{-D\varepsilon^2/(4(d+2))}",
    needs=SPREAD,
)
def uniform_features(*, D: Any, d: Any, epsilon: Any, spread: Any) -> Any:
    """All pairs of a set, spread = sigma_p diam(M). Use cosines and sines, whose error at x = y is 0.

    >>> print(round(uniform_features(D=16, d=2, epsilon=0.5, spread=0.25) * exp(0.25), 6))
    64.0
    """
    return 2**8 * (spread / epsilon) ** 2 * exp(-D * epsilon**2 / (4 * (d + 2)))


@uniform_features.explicit(
    says=r"z=D^{-1/2}(\cos\omega_j^Tx,\sin\omega_j^Tx)_j:\ "
    + UNIFORM
    + r"2^{1+\frac{2}{d+2}}\left(\frac{16\,\sigma_p\operatorname{diam}M}{\varepsilon}\right)^{\frac{2d}{d+2}}"
    r"e^{-D\varepsilon^2/(4(d+2))}"
)
def uniform_pairs(*, D: Any, d: Any, epsilon: Any, spread: Any) -> Any:
    """All pairs of a set under D frequencies, a cosine and a sine of each. Use this.

    Derivation. The error f depends on x - y alone, which is in a ball of radius diam(M), and f(0) = 0. Its Lipschitz
    constant L is at most the mean of ||w_j|| and E||w|| together, so that E L² <= 4 sigma_p². Where the error is at
    most epsilon/2 at all centres of balls of radius r that cover the ball, and L < epsilon/(2 r), it is below epsilon.
    There are (4 diam(M)/r)^d such balls for r <= 2 diam(M), and 0 alone does for larger r. Hoeffding's inequality at
    each centre and Markov's for L² give `covered`, whose two terms are equal at the best r.

    >>> print(round(uniform_pairs(D=16, d=2, epsilon=0.5, spread=0.125) * exp(0.25), 6))  # sqrt(8) (16/4)
    11.313708
    """
    return 2 ** (1 + 2 / (d + 2)) * (16 * spread / epsilon) ** (2 * d / (d + 2)) * exp(-D * epsilon**2 / (4 * (d + 2)))


def covered(*, D: Any, d: Any, epsilon: Any, spread: Any) -> Any:
    """The failures at the centres and of the Lipschitz constant, with r in units of the diameter."""
    failed = log(2) + d * log(4) - D * epsilon**2 / 8  # the logarithm at r = 1
    r = (failed - 2 * log(4 * spread / epsilon)) / (d + 2)  # its logarithm
    return exp(failed - d * r) + exp(2 * (r + log(4 * spread / epsilon)))


oracle_claim(
    uniform_features,
    severity="statement",
    corrected_by=uniform_pairs,
    quick=grid(D=[1], d=[1], epsilon=[0.5], spread=[0.01]),
    note="with a phase the error at x = y is a mean of cosines, which no small diameter helps",
    python="""from math import acos, pi
from features import uniform_features
error_at_a_point = 2 / pi * acos(0.5)  # the chance that |cos(2 w x + 2 b)| is at least 1/2, b uniform
assert error_at_a_point > uniform_features(D=1, d=1, epsilon=0.5, spread=0.01)""",
)(lambda *, D, d, epsilon, spread: 2 * float(np.arccos(min(epsilon, 1)) / np.pi) ** D)  # all of one sign and large


def errors_of_features(**_: Any) -> dict[str, list]:
    """The chance of an error of 1/4 with D features in five dimensions, at one pair and at all pairs, capped at 1."""
    counts = np.unique(np.geomspace(100, 30_000, 30).astype(int)).tolist()
    pairs = [float(uniform_pairs(D=D, d=5, epsilon=0.25, spread=1.0)) for D in counts]
    return {
        "D": counts,
        "all": [min(1.0, chance) for chance in pairs],
        "one": [min(1.0, float(random_features(D=D, epsilon=0.25))) for D in counts],
    }


oracle_claim(
    uniform_pairs,
    figure=errors_of_features,
    oracle="above",
    quick=grid(D=[1, 400], d=[1, 5], epsilon=[0.5, 1.5], spread=[0.01, 3.0]),
    reach={"D": 10_000, "d": 50},
    rounding=1e-9,
    steps=[Step("the two terms are equal")],
)(covered)
