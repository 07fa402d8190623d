"""Chi-square variables and quadratic forms of Gaussian vectors: squared lengths and what deviates from them."""

from typing import Any

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
