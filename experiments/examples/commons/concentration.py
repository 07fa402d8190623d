"""Sums of independent variables, empirical distribution functions, random projections and random features."""

from functools import cache
from math import comb
from typing import Any

import numpy as np
from laws import chi_square_strays, count_at_least, escapes
from scipy.special import i0e
from scipy.stats import beta as beta_law, binom, chi2, ksone, kstwo

from lemmata.paper import (
    Control,
    Phi,
    Step,
    between,
    exp,
    grid,
    in_unit_interval,
    inequality_claim,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    sqrt,
    theorem,
)

COINS = [integer("n"), integer("k"), in_unit_interval("p"), require("n p <= k <= n", lambda n, k, p: n * p <= k <= n)]
COUNTS = {
    "oracle": "exact",
    "quick": (*grid(n=[1], k=[1], p=[0.9]), *grid(n=[50, 400], k=[50], p=[0.1, 0.02])),
    "caught": (1.2, 2),
}
ALGEBRA = [Step("algebra")]


@theorem("h63.thm1", kind="tail", says=r"\Pr[\bar X-\mu\ge t]\le e^{-2nt^2},\ t=\tfrac kn-p", needs=COINS)
def hoeffding(*, n: Any, k: Any, p: Any) -> Any:
    """The chance of k of n, coins being the worst case. Use this where only the range is known."""
    return exp(-2 * (k - n * p) ** 2 / n)


@theorem(
    "blm13.thm2.9",
    kind="tail",
    says=r"\Pr[S\ge t]\le\exp\left(-\frac{v}{b^2}h\left(\frac{bt}{v}\right)\right)",
    needs=COINS,
)
def bennett(*, n: Any, k: Any, p: Any) -> Any:
    """Bennett's inequality, h(u) = (1 + u) log(1 + u) - u. Use this where the variance v is known."""
    v, b = n * p * (1 - p), 1 - p
    u = b * (k - n * p) / v
    return exp(-v / b**2 * ((1 + u) * log(1 + u) - u))


@theorem("blm13.eq2.10", kind="tail", says=r"\Pr[S\ge t]\le\exp\left(-\frac{t^2}{2(v+bt/3)}\right)", needs=COINS)
def bernstein(*, n: Any, k: Any, p: Any) -> Any:
    """Bernstein's inequality. Use this where a closed inverse is needed.

    >>> print(round(log(bernstein(n=8, k=5, p=0.5)), 6))  # -1/(2 (2 + 1/6))
    -0.230769
    """
    t = k - n * p
    return exp(-(t**2) / (2 * (n * p * (1 - p) + (1 - p) * t / 3)))


@theorem(
    "mu05.thm4.4",
    part="1",
    kind="tail",
    says=r"\Pr[X\ge(1+d)\mu]\le\left(\frac{e^d}{(1+d)^{1+d}}\right)^\mu",
    needs=COINS,
)
def chernoff(*, n: Any, k: Any, p: Any) -> Any:
    """The multiplicative Chernoff bound at (1 + d) n p = k. Use this for rare events."""
    return exp(k - n * p - k * log(k / (n * p)))


@theorem(
    "mu05.thm4.4",
    part="2",
    kind="tail",
    says=r"0<d\le1:\ \Pr[X\ge(1+d)\mu]\le e^{-\mu d^2/3}",
    needs=[positive("mu"), positive("d"), between("d", 0, 1)],
)
def chernoff_third(*, mu: Any, d: Any) -> Any:
    """The same for d at most 1. Use this by hand."""
    return exp(-mu * d**2 / 3)


def tails(**_: Any) -> dict[str, list]:
    """The chance of k of 200 at p = 0.05, and its bounds."""
    counts = list(range(12, 40, 2))
    lines = {"hoeffding": hoeffding, "bennett": bennett, "bernstein": bernstein}
    bounds = {name: [float(f(n=200, k=k, p=0.05)) for k in counts] for name, f in lines.items()}
    return {"k": counts, **bounds, "exact": [count_at_least(200, k, 0.05) for k in counts]}


for _statement in (hoeffding, bennett, bernstein, chernoff):
    oracle_claim(_statement, figure=tails if _statement is bernstein else None, **COUNTS)(count_at_least)
oracle_claim(
    chernoff_third,
    quick=grid(mu=[1.0, 9.0], d=[0.01, 1.0]),
    oracle="above",
    caught=(1.1, 2),
    steps=[Step("(1 + d) log(1 + d) - d ≥ d²/3")],
)(lambda *, mu, d: exp(-mu * ((1 + d) * log(1 + d) - d)))

MEANS = [integer("n", 2), in_unit_interval("delta")]


@theorem(
    "mp09.thm4",
    kind="tail",
    says=r"\mu-\bar X\le\sqrt{\frac{2V_n\log(2/\delta)}{n}}+\frac{7\log(2/\delta)}{3(n-1)}",
    needs=MEANS,
)
def empirical_bernstein(*, n: Any, delta: Any, mean: Any = 0.5) -> Any:
    """The radius around the mean of n coins, with their own variance. Use this where the variance is unknown.

    >>> print(round(empirical_bernstein(n=8, delta=2 * exp(-3.0), mean=0.5), 6))  # sqrt(3/14) + 1
    1.46291
    """
    variance = mean * (1 - mean) * n / (n - 1)
    return sqrt(2 * variance * log(2 / delta) / n) + 7 * log(2 / delta) / (3 * (n - 1))


@theorem(
    "ams09.thm1",
    kind="tail",
    says=r"|\mu-\bar X|\le\sqrt{\frac{2V_t\log(3/\delta)}{t}}+\frac{3\log(3/\delta)}{t}",
    needs=MEANS,
)
def empirical_bernstein_both(*, n: Any, delta: Any, mean: Any = 0.5) -> Any:
    """The radius on both sides, with the variance that divides by n. Use this for confidence intervals.

    >>> print(round(empirical_bernstein_both(n=18, delta=3 * exp(-2.0), mean=0.25), 6))  # sqrt(1/24) + 1/3
    0.537457
    """
    return sqrt(2 * mean * (1 - mean) * log(3 / delta) / n) + 3 * log(3 / delta) / n


for _statement, _sides in ((empirical_bernstein, 1), (empirical_bernstein_both, 2)):

    @inequality_claim(
        _statement,
        oracle="exact",
        reach={"n": 300},
        over=[in_unit_interval("p")],
        quick=grid(n=[200, 20], p=[0.02, 0.5], delta=[0.2, 0.01]),
        control=Control("the radius divided by {}", (2, 3, 5, 9)),
    )
    def means_escape(*, n, p, delta, factor=1, statement=_statement, sides=_sides):
        """The chance that the mean of n coins is further away than the radius, summed over all counts."""
        yield (
            {"n": n, "p": p, "delta": delta},
            escapes(lambda mean: statement(n=n, delta=delta, mean=mean) / factor, n, p, sides),
            delta,
        )


@cache
def empty_bins(n: int, bins: int) -> dict[int, float]:
    """The probabilities of the numbers of empty bins after n balls."""
    law = {bins: 1.0}
    for _ in range(n):
        new: dict[int, float] = {}
        for empty, chance in law.items():
            new[empty] = new.get(empty, 0) + chance * (1 - empty / bins)
            new[empty - 1] = new.get(empty - 1, 0) + chance * empty / bins
        law = new
    return law


@theorem(
    "mcd89.lem1.2",
    kind="tail",
    says=r"\Pr[f-Ef\ge t]\le\exp\left(-\frac{2t^2}{\sum_ic_i^2}\right)",
    needs=[integer("n"), positive("t")],
)
def mcdiarmid(*, n: Any, t: Any) -> Any:
    """The bounded differences inequality with all c_i = 1. Use this for suprema.

    >>> print(round(log(mcdiarmid(n=4, t=3.0)), 6))
    -4.5
    """
    return exp(-2 * t**2 / n)


oracle_claim(
    mcdiarmid,
    oracle="exact",
    over=[integer("bins", 2)],
    quick=grid(n=[3, 30], t=[0.05, 2.0], bins=[3, 20]),
    reach={"n": 60, "bins": 60},
    caught=(1.5, 2),
)(lambda *, n, t, bins: sum(p for empty, p in empty_bins(n, bins).items() if empty - bins * (1 - 1 / bins) ** n >= t))

EMPIRICAL = [integer("n"), in_unit_interval("t")]


@theorem("m90.cor1", kind="tail", says=r"\Pr[\sup|F_n-F|>t]\le2e^{-2nt^2}", needs=EMPIRICAL)
def both_sides(*, n: Any, t: Any) -> Any:
    """The inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant. Use this for quantiles."""
    return 2 * exp(-2 * n * t**2)


@theorem(
    "m90.thm1",
    kind="tail",
    says=r"e^{-2nt^2}\le\tfrac12:\ \Pr[\sup(F_n-F)>t]\le e^{-2nt^2}",
    needs=[*EMPIRICAL, require("exp(-2 n t²) <= 1/2", lambda n, t: 2 * n * t**2 >= log(2))],
)
def one_side(*, n: Any, t: Any) -> Any:
    """The same on one side. Use this for one-sided bands."""
    return exp(-2 * n * t**2)


@both_sides.quoted(by="our reading without a constant", says=r"\Pr[\sup|F_n-F|>t]\le e^{-2nt^2}")
def both_sides_without(*, n: Any, t: Any) -> Any:
    """The same on both sides without the 2. Use the 2.

    >>> print(round(log(both_sides_without(n=9, t=1 / 3)), 6))
    -2.0
    """
    return exp(-2 * n * t**2)


BANDS = {"rounding": 1e-6, "oracle": "exact"}
oracle_claim(both_sides, quick=grid(n=[400, 5], t=[0.05, 0.3]), **BANDS)(lambda *, n, t: float(kstwo.sf(t, n)))
oracle_claim(one_side, quick=grid(n=[400, 5], t=[0.05, 0.4]), caught=(1.1, 2), **BANDS)(
    lambda *, n, t: float(ksone.sf(t, n))
)
oracle_claim(
    both_sides_without,
    quick=grid(n=[1], t=[0.4]),
    severity="constant",
    note="one observation is always further than 0.4 from one of both sides",
    python="""from concentration import both_sides_without
assert 1 > both_sides_without(n=1, t=0.4)  # F_1 jumps from 0 to 1, by at least 1/2 on one side""",
)(lambda *, n, t: float(kstwo.sf(t, n)))


@theorem("f68.lemVII.2", kind="inequality", says=r"1-\Phi(x)\le\frac{\varphi(x)}{x}", needs=[positive("x")])
def mills(*, x: Any) -> Any:
    """The normal tail. Use exp(-x²/2)/2 below x = 0.8."""
    return exp(-(x**2) / 2) / (x * sqrt(2 * np.pi))


oracle_claim(mills, quick=grid(x=[30.0, 0.1, 1.0]), reach={"x": 37}, oracle="exact")(lambda *, x: float(Phi(-x)))

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

SUBSPACE = [integer("k"), integer("d"), require("k < d", lambda k, d: k < d)]
KEPT = r"\le\exp\left(\tfrac k2(1-\beta+\log\beta)\right)"


@theorem(
    "dg03.lem2.2",
    part="below",
    kind="tail",
    says=r"\beta<1:\ \Pr\left[L\le\beta\tfrac kd\right]" + KEPT,
    needs=[*SUBSPACE, in_unit_interval("beta")],
)
def short_projection(*, k: Any, d: Any, beta: Any) -> Any:
    """The chance that k of d coordinates of a random unit vector are short. Use this with orthogonal projections."""
    return exp(k / 2 * (1 - beta + log(beta)))


@theorem(
    "dg03.lem2.2",
    part="above",
    kind="tail",
    says=r"\beta>1:\ \Pr\left[L\ge\beta\tfrac kd\right]" + KEPT,
    needs=[*SUBSPACE, require("beta > 1", lambda beta: beta > 1)],
)
def long_projection(*, k: Any, d: Any, beta: Any) -> Any:
    """The chance that they are long. Use this with orthogonal projections."""
    return exp(k / 2 * (1 - beta + log(beta)))


SIZES = {"oracle": "exact", "caught": (2, 4, 9)}
oracle_claim(short_projection, quick=grid(k=[1, 20], d=[1000], beta=[0.9, 0.2]), **SIZES)(
    lambda *, k, d, beta: float(beta_law.cdf(beta * k / d, k / 2, (d - k) / 2))
)
oracle_claim(long_projection, quick=grid(k=[1, 20], d=[1000], beta=[1.1, 3.0]), **SIZES)(
    lambda *, k, d, beta: float(beta_law.sf(beta * k / d, k / 2, (d - k) / 2))
)

PAIRS = [integer("n", 2), in_unit_interval("epsilon")]


@theorem(
    "dg03.thm2.1",
    kind="construction",
    says=r"k\ge\frac{4\log n}{\varepsilon^2/2-\varepsilon^3/3}\Rightarrow\Pr[\text{all distances are kept}]\ge\tfrac1n",
    needs=PAIRS,
)
def enough_rows(*, n: Any, epsilon: Any) -> Any:
    """The dimension that keeps n points. Use this with Gaussian or orthogonal projections."""
    return 4 * log(n) / (epsilon**2 / 2 - epsilon**3 / 3)


@theorem(
    "a03.thm1.1",
    kind="construction",
    says=r"k\ge\frac{4+2\beta}{\varepsilon^2/2-\varepsilon^3/3}\log n\Rightarrow\Pr[\ldots]\ge1-n^{-\beta}",
    needs=[*PAIRS, positive("beta")],
)
def enough_signs(*, n: Any, epsilon: Any, beta: Any) -> Any:
    """The same for signs, and for entries of which two thirds are 0. Use this: it needs no Gaussians.

    >>> print(round(enough_signs(n=2, epsilon=0.5, beta=2.0) / log(2), 6))  # 8/(1/8 - 1/24)
    96.0
    """
    return (4 + 2 * beta) * log(n) / (epsilon**2 / 2 - epsilon**3 / 3)


def coins_stray(k: int, epsilon: float, share: float) -> float:
    """P(|Bin(k, share)/(k share) - 1| > epsilon): the square of a projected vector of one or two coordinates."""
    high, low = k * share * (1 + epsilon), k * share * (1 - epsilon)
    return float(binom.sf(np.floor(high), k, share) + binom.cdf(np.ceil(low) - 1, k, share))


@inequality_claim(
    enough_rows,
    cost=0.002,
    oracle="exact",
    quick=grid(n=[100, 2], epsilon=[0.5, 0.1, 0.9]),
    control=Control("the rows divided by {}", (1.5, 2, 4)),
)
def gaussian_rows(*, n, epsilon, factor=1):
    """Any of all pairs strays, by the union bound and exact chi-square tails, the limit of large dimensions."""
    k = int(np.ceil(enough_rows(n=n, epsilon=epsilon) / factor))
    yield {"n": n, "epsilon": epsilon}, comb(n, 2) * chi_square_strays(k, epsilon), 1 - 1 / n


@inequality_claim(
    enough_signs,
    cost=0.002,
    oracle="exact",
    quick=grid(n=[100, 2], epsilon=[0.5, 0.9], beta=[0.5]),
    control=Control("the rows divided by {}", (1.5, 2, 4)),
    reach={"beta": 20},
)
def sign_rows(*, n, epsilon, beta, factor=1):
    """The same for (1, 1)/sqrt(2) under signs, and for a unit vector under the sparse entries: exact binomials."""
    k = int(np.ceil(enough_signs(n=n, epsilon=epsilon, beta=beta) / factor))
    setting = {"n": n, "epsilon": epsilon, "beta": beta}
    yield setting | {"entries": "signs"}, comb(n, 2) * coins_stray(k, epsilon, 1 / 2), n**-beta
    yield setting | {"entries": "sparse"}, comb(n, 2) * coins_stray(k, epsilon, 1 / 3), n**-beta


@theorem(
    "kn14.main",
    reading="explicit",
    kind="construction",
    says=r"L=\log\tfrac2\delta,\ s\ge\frac{4\pi L}{\varepsilon},\ k\ge\frac{22L}{\varepsilon^2},\ s\mid k"
    r"\Rightarrow\Pr\left[|\|Sx\|^2-1|>\varepsilon\right]\le\delta",
    needs=[in_unit_interval("epsilon"), in_unit_interval("delta")],
)
def sparse_rows(*, epsilon: Any, delta: Any) -> Any:
    """The rows k of the block construction of Kane & Nelson, with our constants. Use this for sparse data.

    Derivation. The columns have one random sign in each of s blocks of k/s rows, so that ||Sx||² - 1 is the mean of s
    independent forms: the sums of x_i x_j times two signs, over pairs i != j that share a row. For normal g the mean of
    |g_i g_j| is 2/pi, so that by convexity the moment of a form at t is at most that of the same form of normal
    variables at u = pi t/2. Its matrix has trace 0, norm at most 1 and squared Frobenius norm Q, so that this moment is
    at most e^(v Q), v = u²/(1 - 2u), see `square_moment`. Q is in [0, 1] with mean at most s/k, so that
    E e^(v Q) <= exp(s/k (e^v - 1)). Markov's inequality at t = 2L/(s epsilon) <= 1/(2 pi), on both sides, gives
    `sparse_tail`.

    >>> print(round(sparse_rows(epsilon=0.5, delta=2 * exp(-3.0)), 6))
    264.0
    """
    return 22 * log(2 / delta) / epsilon**2


def sparse_tail(s: int, k: int, epsilon: float, delta: float) -> float:
    """The bound of the derivation for s entries a column and k rows."""
    u = np.pi * np.log(2 / delta) / (s * epsilon)
    return 2 * float(np.exp(-2 * np.log(2 / delta) + s**2 / k * np.expm1(square_moment(u=u))))


@inequality_claim(
    sparse_rows,
    cost=0.002,
    oracle="above",
    given=[square_moment],
    quick=grid(epsilon=[0.9, 0.01], delta=[0.5, 1e-6]),
    control=Control("the rows divided by {}", (1.1, 1.5, 2)),
)
def sparse_columns(*, epsilon, delta, factor=1):
    """Any unit vector by the derivation, and (1, 1)/sqrt(2) exactly: its form is 1, 0 or -1 in each block."""
    s = int(np.ceil(4 * np.pi * np.log(2 / delta) / epsilon))
    bins = int(np.ceil(sparse_rows(epsilon=epsilon, delta=delta) / factor / s))
    setting = {"epsilon": epsilon, "delta": delta}
    yield setting | {"vector": "any"}, sparse_tail(s, s * bins, epsilon, delta), delta
    last = min(s, int(40 * np.log(2 / delta)) + 100)  # more than five times the mean
    shared = np.arange(last + 1)  # blocks where both coordinates share a row
    strays = 2 * binom.cdf(np.ceil((shared - s * epsilon) / 2) - 1, shared, 0.5)
    most = float(strays @ binom.pmf(shared, s, 1 / bins) + binom.sf(last, s, 1 / bins))
    yield setting | {"vector": "two"}, most, delta


ROWS = [integer("k"), in_unit_interval("epsilon")]
STRAYS = r"\Pr\left[\left|\tfrac{\|\Phi x\|^2}{\|x\|^2}-1\right|>\varepsilon\right]\le2"


@theorem(
    "mrt18.lem15.3",
    kind="tail",
    says=r"\varepsilon<\tfrac12:\ " + STRAYS + r"e^{-(\varepsilon^2-\varepsilon^3)k/4}",
    needs=[*ROWS, require("epsilon < 1/2", lambda epsilon: epsilon < 0.5)],
)
def projected_length(*, k: Any, epsilon: Any) -> Any:
    """One vector under k Gaussian rows, as Arriaga & Vempala have it too. Use this for epsilon below 1/2.

    >>> print(round(log(projected_length(k=64, epsilon=0.25) / 2), 6))  # -16 (1/16 - 1/64)
    -0.75
    """
    return 2 * exp(-(epsilon**2 - epsilon**3) * k / 4)


@theorem("w19.ex2.11", kind="tail", says=STRAYS + r"e^{-k\varepsilon^2/8}", needs=ROWS)
def wainwright(*, k: Any, epsilon: Any) -> Any:
    """The same with one term. Use this by hand.

    >>> print(round(log(wainwright(k=64, epsilon=0.5) / 2), 6))
    -2.0
    """
    return 2 * exp(-k * epsilon**2 / 8)


STRAYING = {"oracle": "exact", "quick": grid(k=[1, 60], epsilon=[0.01, 0.49, 0.9]), "caught": (2.5, 4)}
oracle_claim(projected_length, **STRAYING | {"quick": grid(k=[1, 60], epsilon=[0.01, 0.2, 0.49])})(chi_square_strays)
oracle_claim(wainwright, **STRAYING)(chi_square_strays)

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
    python="""from concentration import chi_square_upper
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
from concentration import uniform_features
error_at_a_point = 2 / pi * acos(0.5)  # the chance that |cos(2 w x + 2 b)| is at least 1/2, b uniform
assert error_at_a_point > uniform_features(D=1, d=1, epsilon=0.5, spread=0.01)""",
)(lambda *, D, d, epsilon, spread: 2 * float(np.arccos(min(epsilon, 1)) / np.pi) ** D)  # all of one sign and large
oracle_claim(
    uniform_pairs,
    oracle="above",
    quick=grid(D=[1, 400], d=[1, 5], epsilon=[0.5, 1.5], spread=[0.01, 3.0]),
    reach={"D": 10_000, "d": 50},
    rounding=1e-9,
    steps=[Step("the two terms are equal")],
)(covered)
