"""Chi-square variables and quadratic forms of Gaussian vectors: squared lengths and what deviates from them."""

from typing import Any

import numpy as np
from laws import chi_square_strays
from scipy.stats import chi2

from lemmata.paper import (
    Step,
    between,
    exp,
    grid,
    in_unit_interval,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    sqrt,
    theorem,
)

SQUARES = [integer("k"), in_unit_interval("delta")]


@theorem(
    "lm00.lem1",
    part="upper",
    kind="tail",
    says=r"\Pr[U\ge k+2\sqrt{kx}+2x]\le e^{-x},\ x=\log(1/\delta)",
    needs=SQUARES,
)
def square_above(*, k: Any, delta: Any) -> Any:
    """The level that a chi-square variable of k degrees rarely exceeds. Use this for norms of Gaussian vectors.

    >>> print(round(square_above(k=4, delta=exp(-9.0)), 6))
    34.0
    """
    return k + 2 * sqrt(k * log(1 / delta)) + 2 * log(1 / delta)


@theorem(
    "lm00.lem1", part="lower", kind="tail", says=r"\Pr[U\le k-2\sqrt{kx}]\le e^{-x},\ x=\log(1/\delta)", needs=SQUARES
)
def square_below(*, k: Any, delta: Any) -> Any:
    """The level that it rarely falls below. Use this for lower bounds on norms.

    >>> print(round(square_below(k=4, delta=exp(-0.25)), 6))
    2.0
    """
    return k - 2 * sqrt(k * log(1 / delta))


@theorem(
    "lm00.lem1.s1", says=r"-\tfrac12\log(1-2u)-u\le\frac{u^2}{1-2u}", needs=[positive("u"), between("u", 0, 0.499)]
)
def square_moment(*, u: Any) -> Any:
    """The moment of a chi-square variable, the first step of the proof. Use this for weighted sums too."""
    return u**2 / (1 - 2 * u)


DEGREES = {"against": "delta", "oracle": "exact", "quick": grid(k=[2, 100], delta=[0.1, 1e-6])}
oracle_claim(square_above, caught=(1.5, 3), **DEGREES)(lambda level, *, k, delta: float(chi2.sf(level, k)))
oracle_claim(square_below, caught=(0.2, 0.5), **DEGREES | {"quick": grid(k=[100, 2], delta=[0.1, 1e-6])})(
    lambda level, *, k, delta: float(chi2.cdf(level, k))
)
oracle_claim(
    square_moment,
    oracle="exact",
    quick=grid(u=[0.01, 0.4]),
    caught=(1.1, 2),
    steps=[Step("the series of the logarithm")],
)(lambda *, u: -log(1 - 2 * u) / 2 - u)


@theorem(
    "rv13.thm1.1",
    reading="explicit",
    kind="tail",
    says=r"\Pr[|X^TAX-EX^TAX|>t]\le2\exp\left(-\min\left(\frac{t^2}{16\|A\|_F^2},\frac{t}{4\|A\|}\right)\right)",
    needs=[integer("k"), positive("t")],
)
def quadratic_form(*, k: Any, t: Any) -> Any:
    """Hanson-Wright with constants for Gaussian X, by Laurent & Massart; tried at A = I. Use this for X^T A X.

    >>> print(round(log(quadratic_form(k=1, t=2.0) / 2), 6), round(log(quadratic_form(k=1, t=12.0) / 2), 6))
    -0.25 -3.0
    """
    return 2 * exp(-min(t**2 / (16 * k), t / 4))


def pair_tail(s: float, b: float) -> float:
    """P(Y_1² + Y_2² + b (Y_3² + Y_4²) > s) for normal Y and -1 <= b <= 1: two exponential variables."""
    if s <= 0 <= b:
        return 1.0
    if b <= 0:
        return float(np.exp(-s / 2) / (1 - b) if s >= 0 else 1 + b / (1 - b) * np.exp(-s / (2 * b)))
    u = s * (1 - b) / (2 * b)
    return float(np.exp(-s / 2) * (np.exp(-u) + (-np.expm1(-u) / (1 - b) if b < 1 else s / 2)))


WEIGHTS = [in_unit_interval("b"), in_unit_interval("delta")]


@theorem(
    "lm00.lem1",
    part="weighted",
    kind="tail",
    says=r"Z=\sum_ia_i(Y_i^2-1),\ a_i\ge0:\ \Pr[Z\ge2|a|_2\sqrt x+2|a|_\infty x]\le e^{-x},\ a=(1,1,b,b)",
    needs=WEIGHTS,
)
def weighted_above(*, b: Any, delta: Any) -> Any:
    """The level that a weighted sum rarely exceeds, at weights 1, 1, b, b. Use this for quadratic forms.

    >>> print(round(weighted_above(b=1.0, delta=exp(-4.0)), 6))  # 2 2 2 + 2 4
    16.0
    """
    return 2 * sqrt(2 + 2 * b**2) * sqrt(log(1 / delta)) + 2 * log(1 / delta)


@theorem(
    "lm00.lem1",
    part="weighted below",
    kind="tail",
    says=r"\Pr[Z\le-2|a|_2\sqrt x]\le e^{-x},\ a=(1,1,b,b)",
    needs=WEIGHTS,
)
def weighted_below(*, b: Any, delta: Any) -> Any:
    """How far it rarely falls below its mean. Use this for lower bounds.

    >>> print(round(weighted_below(b=1.0, delta=exp(-4.0)), 6))
    8.0
    """
    return 2 * sqrt(2 + 2 * b**2) * sqrt(log(1 / delta))


WEIGHTED = {"against": "delta", "oracle": "exact", "quick": grid(b=[0.1, 0.9], delta=[1e-6, 0.1])}
oracle_claim(weighted_above, caught=(1.5, 3), **WEIGHTED)(
    lambda level, *, b, delta: pair_tail(float(level) + 2 + 2 * b, b)
)
oracle_claim(weighted_below, caught=(3, 9), **WEIGHTED | {"quick": grid(b=[0.1, 0.9], delta=[0.5, 0.9])})(
    lambda level, *, b, delta: 1 - pair_tail(2 + 2 * b - float(level), b)
)


@quadratic_form.explicit(
    part="indefinite",
    says=r"\Pr[|X^TAX-EX^TAX|>t]\le2\exp\left(-\min\left(\frac{t^2}{16\|A\|_F^2},\frac{t}{4\|A\|}\right)\right),"
    r"\ A\text{ symmetric with eigenvalues }1,1,b,b",
    needs=[between("b", -1, 1), positive("t")],
)
def indefinite_form(*, b: Any, t: Any) -> Any:
    """The same for A that is not a multiple of the identity, of both signs too. Use this for X^T A X.

    Derivation. In the basis of eigenvectors the form is a sum of a_i (Y_i² - 1) with independent normal Y_i. Its moment
    at s < 1/(2 ||A||) is at most exp(s² ||A||_F²/(1 - 2 s ||A||)), by `square_moment` for positive a_i and by
    -log(1 + 2 u)/2 + u <= u² for negative ones. As in Lemma 1 of Laurent & Massart it exceeds 2 ||A||_F sqrt(x) +
    2 ||A|| x with probability at most e^-x, and so does its negative. At x the minimum in the exponent both terms are
    at most t/2.

    >>> print(round(log(indefinite_form(b=-1.0, t=8.0) / 2), 6), round(log(indefinite_form(b=1.0, t=32.0) / 2), 6))
    -1.0 -8.0
    """
    return 2 * exp(-min(t**2 / (16 * (2 + 2 * b**2)), t / 4))


def forms(**_: Any) -> dict[str, list]:
    """The chance that forms with eigenvalues 1, 1, b, b stray by t, and the bound at b = 1, which has the largest."""
    ts = np.linspace(1, 40, 40).tolist()
    strays = lambda b: [pair_tail(2 + 2 * b + t, b) + 1 - pair_tail(2 + 2 * b - t, b) for t in ts]  # noqa: E731
    bound = [min(1.0, float(indefinite_form(b=1.0, t=t))) for t in ts]
    return {"t": ts, "bound": bound, "equal": strays(1.0), "opposite": strays(-1.0)}


oracle_claim(
    indefinite_form,
    figure=forms,
    oracle="exact",
    quick=grid(b=[-1.0, -0.3, 0.5], t=[0.5, 30.0]),
    caught=(4, 9),
)(lambda *, b, t: pair_tail(2 + 2 * b + t, b) + 1 - pair_tail(2 + 2 * b - t, b))
oracle_claim(quadratic_form, oracle="exact", quick=grid(k=[1, 50], t=[0.5, 30.0]), caught=(4, 9))(
    lambda *, k, t: chi_square_strays(k, t / k)
)

LARGE = r"\Pr[Z\ge(1+\varepsilon)k]\le e^{-\varepsilon^2k/6}"


@theorem(
    "ssbd14.lemB.12",
    part="upper",
    kind="tail",
    says=r"\varepsilon\in(0,3):\ " + LARGE,
    needs=[integer("k"), positive("epsilon"), require("epsilon < 3", lambda epsilon: epsilon < 3)],
)
def chi_square_upper(*, k: Any, epsilon: Any) -> Any:
    """The upper tail of a chi-square variable, as printed for epsilon below 3. Use Lemma 1 of Laurent & Massart."""
    return exp(-(epsilon**2) * k / 6)


@chi_square_upper.corrected(
    says=r"\varepsilon\in(0,\tfrac12]:\ " + LARGE, needs=[integer("k"), positive("epsilon"), between("epsilon", 0, 0.5)]
)
def chi_square_upper_small(*, k: Any, epsilon: Any) -> Any:
    """The same for epsilon at most 1/2. Use this for small deviations."""
    return exp(-(epsilon**2) * k / 6)


@theorem(
    "ssbd14.lemB.12",
    part="lower",
    kind="tail",
    says=r"\Pr[Z\le(1-\varepsilon)k]\le e^{-\varepsilon^2k/6}",
    needs=[integer("k"), positive("epsilon"), require("epsilon < 1", lambda epsilon: epsilon < 1)],
)
def chi_square_lower(*, k: Any, epsilon: Any) -> Any:
    """The lower tail. Use exp(-epsilon² k/4), which holds too."""
    return exp(-(epsilon**2) * k / 6)


oracle_claim(
    chi_square_upper,
    quick=grid(k=[50], epsilon=[2.0]),
    severity="statement",
    note="for large ε the tail is that of an exponential variable, not of a normal one",
    python="""from quadratic_forms import chi_square_upper
from scipy.stats import chi2
assert chi2.sf(150, 50) > chi_square_upper(k=50, epsilon=2.0)""",
)(lambda *, k, epsilon: float(chi2.sf((1 + epsilon) * k, k)))
oracle_claim(
    chi_square_upper_small,
    oracle="above",
    quick=grid(k=[1, 100], epsilon=[0.01, 0.5]),
    caught=(1.1, 2),
    steps=[Step("Markov's inequality at 1 - 1/(1 + ε), and ε - log(1 + ε) ≥ ε²/3")],
)(lambda *, k, epsilon: exp(-(epsilon - log(1 + epsilon)) * k / 2))
oracle_claim(
    chi_square_lower,
    oracle="above",
    quick=grid(k=[1, 100], epsilon=[0.01, 0.5]),
    caught=(1.1, 2),
    steps=[Step("Markov's inequality, and -ε - log(1 - ε) ≥ ε²/3")],
)(lambda *, k, epsilon: exp(-(-epsilon - log(1 - epsilon)) * k / 2))
