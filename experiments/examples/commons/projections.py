"""Random projections: how many dimensions keep the lengths and the distances of points."""

from math import comb
from typing import Any

import numpy as np
from laws import chi_square_strays
from quadratic_forms import square_moment
from scipy.stats import beta as beta_law, binom

from lemmata.paper import (
    Control,
    OutOfReach,
    exp,
    grid,
    in_unit_interval,
    inequality_claim,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    theorem,
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


@theorem(
    "mrt18.lem15.4",
    kind="construction",
    says=r"\varepsilon<\tfrac12,\ m>4,\ k=\frac{20\log m}{\varepsilon^2}"
    r"\Rightarrow\Pr[\text{all distances are kept}]>0",
    needs=[integer("m", 5), in_unit_interval("epsilon"), require("epsilon < 1/2", lambda epsilon: epsilon < 0.5)],
)
def textbook_rows(*, m: Any, epsilon: Any) -> Any:
    """The dimension that keeps m points, as a textbook has it. Use Theorem 2.1 of Dasgupta & Gupta, which is smaller.

    >>> print(round(textbook_rows(m=8, epsilon=0.25) / log(2), 6))
    960.0
    """
    return 20 * log(m) / epsilon**2


def dimensions(**_: Any) -> dict[str, list]:
    """The dimensions that keep n points at epsilon = 1/4, by three formulas."""
    counts = np.unique(np.geomspace(10, 1e6, 25).astype(int)).tolist()
    return {
        "n": counts,
        "textbook": [float(textbook_rows(m=n, epsilon=0.25)) for n in counts],
        "signs": [float(enough_signs(n=n, epsilon=0.25, beta=1.0)) for n in counts],
        "gaussian": [float(enough_rows(n=n, epsilon=0.25)) for n in counts],
    }


@inequality_claim(
    textbook_rows,
    figure=dimensions,
    cost=0.002,
    oracle="exact",
    quick=grid(m=[5, 1000], epsilon=[0.49, 0.1]),
    control=Control("the rows divided by {}", (4, 8, 16)),
)
def textbook_pairs(*, m, epsilon, factor=1):
    """The chance that one of all pairs strays, by the union bound: below 1, some projection keeps them all."""
    if epsilon < 1e-5:
        raise OutOfReach("more rows than chi-square tails are computed for")
    k = int(np.ceil(textbook_rows(m=m, epsilon=epsilon) / factor))
    yield {"m": m, "epsilon": epsilon}, m * (m - 1) / 2 * chi_square_strays(k, epsilon), 1
