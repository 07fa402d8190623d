"""Lower bounds for every private SVM with the RBF kernel: Rubinstein et al. 2009, Lemma 19 and Theorem 20.

Letters as in `lemmata.bounds.rbht09.lower_bounds`; `sigma` is the kernel's width,
k(x, z) = exp(-||x - z||^2 / (2 sigma^2)).
"""

from math import asin, exp, floor, log, pi, sqrt
from typing import Any

from lemmata.bounds.exact import numbers
from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.rbht09.lower_bounds import LEVEL, MANY, SIZES, log_odds, packing_level
from lemmata.bounds.theorem import Hypothesis, in_unit_interval, integer, positive, require, theorem

WIDEST = sqrt(1 / (2 * log(2)))  # of sigma in Lemma 19
MORE_ROWS = require("n > C", lambda n, C: n > C)
NARROW = require("0 < sigma < sqrt(1 / (2 log 2))", lambda sigma: 0 < sigma < WIDEST)

# Lemma 19: many neighbouring databases, RBF kernel --------------------------------------------------------------------

ON_CIRCLE = r"n>C,\ 0<\epsilon<\frac{C}{4n},\ 0<\sigma<\sqrt{\tfrac{1}{2\log2}}\ \Rightarrow\ "
PACKED = r"D_1\sim\dots\sim D_N:\ \|f_i^\star-f_j^\star\|_\infty>2\epsilon\ (i\ne j),\quad N="
PRINTED_N = r"\left\lfloor\frac{2}{\sigma}\sqrt{\frac{2}{\log2}}\right\rfloor"


@theorem("rbht09.lem19", kind="construction", says=ON_CIRCLE + PACKED + PRINTED_N, needs=[NARROW])
def circle_databases(*, sigma: float) -> int:
    """This many databases on a circle have RBF SVMs pairwise at least C / (2 n) apart.

    n - 1 rows at the origin with label -1 and one with label +1 at the angle 2 pi i / N of the unit circle. With
    n > C the last row's dual variable is C / n, so f_i - f_j at that row is (C / n) (1 - exp(-2 sin^2(pi / N) /
    sigma^2)), and sin(pi / N) >= 2 / N.

    >>> [circle_databases(sigma=s) for s in (0.84, 0.5, 0.1)]
    [4, 6, 33]
    """
    return floor(2 / sigma * sqrt(2 / log(2)))


@circle_databases.explicit(
    says=ON_CIRCLE + PACKED + r"\left\lfloor\frac{\pi}{\arcsin(\sigma\sqrt{\log(2)/2})}\right\rfloor",
    source=", without the estimate of the sine",
)
def circle_databases_sharp(*, sigma: float) -> int:
    """The largest number of databases on a circle whose RBF SVMs are C / (2 n) apart.

    Without sin(pi / N) >= 2 / N: up to pi / 2 times that number.

    >>> [circle_databases_sharp(sigma=s) for s in (0.84, 0.5, 0.1)]
    [6, 10, 53]
    """
    return floor(pi / asin(sigma * sqrt(log(2) / 2)))


DUAL = [*SIZES, in_unit_interval("gamma")]

# Lemma 19: the dual's two variables -----------------------------------------------------------------------------------


@theorem(
    "rbht09.lem19.s1",
    kind="identity",
    says=r"\alpha^\star=\left(\frac{1}{(n-1)(1-\gamma)},\frac{1}{1-\gamma}\right)",
    needs=DUAL,
    source=", proof, the unconstrained program",
)
def interior(*, C: Real, n: int, gamma: Real) -> tuple[Real, Real]:
    """The stationary point (a, b) of the reduced dual without its box (proof, case 1).

    Derivation. The dual (n - 1) a + b - ((n - 1)^2 a^2 - 2 gamma (n - 1) a b + b^2)/2 is stationary where (n - 1) a = 1
    + gamma b and b = 1 + gamma (n - 1) a, which gives (n - 1) a = b = 1/(1 - gamma).
    """
    return 1 / ((n - 1) * (1 - gamma)), 1 / (1 - gamma)


@theorem(
    "rbht09.lem19.s2",
    kind="identity",
    says=r"\alpha^\star\text{ of case 1 is feasible}\iff C\ge\frac{n}{1-\gamma}",
    needs=[integer("n", 2), in_unit_interval("gamma")],
)
def interior_from(*, n: int, gamma: Real) -> Real:
    """The least C with a feasible stationary point of the reduced dual (proof, case 1).

    Derivation. With A = (n - 1) a the two equations of s1 are A = 1 + gamma b and b = 1 + gamma A, so A = b = 1/(1 -
    gamma). The constraint b <= C/n is C >= n/(1 - gamma), and a = A/(n - 1) <= b meets its own.
    """
    return n / (1 - gamma)


@theorem(
    "rbht09.lem19.s3",
    kind="identity",
    says=r"\alpha_1^\star=\frac{C}{n}\ \Rightarrow\ \alpha_2^\star=1+C\gamma\frac{n-1}{n}",
    needs=DUAL,
)
def last_when_first_full(*, C: Real, n: int, gamma: Real) -> Real:
    """The last dual variable when the others are at their bound C / n (proof, case 3).

    Derivation. The dual's derivative in b vanishes at b = 1 + gamma (n - 1) a, at a = C/n that is 1 + C gamma (n -
    1)/n.
    """
    return 1 + C * gamma * (n - 1) / n


@theorem(
    "rbht09.lem19.s4",
    kind="identity",
    says=r"1+C\gamma\frac{n-1}{n}\le\frac{C}{n}\iff n\le\frac{C(1+\gamma)}{1+C\gamma}",
    needs=[positive("C"), in_unit_interval("gamma")],
)
def most_rows_of_case_three(*, C: Real, gamma: Real) -> Real:
    """The largest n with the other dual variables at their bound (proof, case 3)."""
    return C * (1 + gamma) / (1 + C * gamma)


@theorem(
    "rbht09.lem19.s5",
    kind="identity",
    says=r"\alpha_2^\star=\frac{C}{n}\ \Rightarrow\ \alpha_1^\star=\frac{1+\frac{C\gamma}{n}}{(n-1)^2}",
    needs=DUAL,
)
def first_when_last_full(*, C: Real, n: int, gamma: Real) -> Real:
    """The other rows' dual variable when the last is at its bound, as printed (case 4).

    The linear term n - 1 + C gamma (n - 1) / n loses its factor n - 1 in the last display.
    """
    return (1 + C * gamma / n) / (n - 1) ** 2


@first_when_last_full.corrected(
    says=r"\alpha_2^\star=\frac{C}{n}\ \Rightarrow\ \alpha_1^\star=\frac{1+\frac{C\gamma}{n}}{n-1}",
    source=", proof, case 4 with its factor n - 1",
)
def first_when_last_full_corrected(*, C: Real, n: int, gamma: Real) -> Real:
    """The other rows' dual variable when the last is at its bound (proof, case 4).

    The lemma needs the last row's variable only.

    Derivation. The reduced dual's derivative in a, (n - 1) (1 - (n - 1) a + gamma b), vanishes at a = (1 + gamma b)/(n
    - 1), which at b = C/n is (1 + C gamma/n)/(n - 1).
    """
    return (1 + C * gamma / n) / (n - 1)


@theorem(
    "rbht09.lem19.s6",
    says=r"\gamma<\tfrac12,\ n>C\ \Rightarrow\ n>\frac{C}{2}>(1-\gamma)C",
    needs=[positive("C"), require("0 < gamma < 1/2", lambda gamma: 0 < gamma < 0.5)],
)
def case_one_excluded(*, C: Real, gamma: Real) -> Real:
    """C / 2 is said to exceed (1 - gamma) C, which would exclude case 1 of the proof.

    For gamma < 1/2 it lies below. n > (1 - gamma) C is true.
    """
    return C / 2


@case_one_excluded.corrected(
    says=r"n>C\ \Rightarrow\ n>C>(1-\gamma)C", needs=[positive("C"), in_unit_interval("gamma")]
)
def case_one_excluded_corrected(*, C: Real, gamma: Real) -> Real:
    """C lies above (1 - gamma) C for every gamma, which excludes case 1 of the proof.

    The assumption gamma < 1/2 is not needed.

    Derivation. 0 < gamma < 1 gives (1 - gamma) C < C, and n > C is the hypothesis: n > C > (1 - gamma) C.
    """
    return C


@theorem(
    "rbht09.lem19.s7", kind="identity", says=r"n>C\ \Rightarrow\ \alpha_n^\star=\frac{C}{n}", needs=[*DUAL, MORE_ROWS]
)
def last_dual(*, C: Real, n: int, gamma: Real) -> Real:
    """The last row's dual variable is at its bound, wherever the row lies.

    Derivation. The dual's derivative in b is 1 + gamma (n - 1) a - b >= 1 - C / n > 0. No condition on gamma is needed.
    """
    return C / n


# Lemma 19: the circle -------------------------------------------------------------------------------------------------


@theorem("rbht09.lem19.s8", kind="identity", says=r"|f_i(x_{i,n})-f_j(x_{i,n})|=\alpha_n^\star(1-k(x_{i,n},x_{j,n}))")
def own_point_distance(*, dual: Any, kernel: Any) -> Any:
    """Two RBF SVMs are this far apart at the last row of one of their databases.

    `dual` and `kernel` may be numbers or balls.
    """
    return dual * (1 - kernel)


@theorem(
    "rbht09.lem19.s9",
    kind="identity",
    says=r"\max_{q\ne i}k(x_{i,n},x_{q,n})=\exp\left(-\frac{2}{\sigma^2}\sin^2\frac{\pi}{N}\right)"
    r"=\gamma^4\exp\left(\sin^2\frac{\pi}{N}\right)",
    needs=[require("sine, sigma > 0", lambda sine, sigma: bool(sine > 0) and sigma > 0)],
)
def nearest_kernel_printed(*, sine: Any, sigma: Any) -> Any:
    """The RBF kernel of two neighbours on the circle: a product is printed for a power.

    exp(-2 / sigma^2 + sin^2).
    """
    return gamma_of(sigma) ** 4 * numbers.exp(sine**2)


@nearest_kernel_printed.corrected(
    says=r"\max_{q\ne i}k(x_{i,n},x_{q,n})=\exp\left(-\frac{2}{\sigma^2}\sin^2\frac{\pi}{N}\right)"
    r"=\gamma^{4\sin^2\frac{\pi}{N}}",
    source=", proof, a power for the product",
)
def nearest_kernel(*, sine: Any, sigma: Any) -> Any:
    """The RBF kernel of two points of the unit circle at the angle 2 pi / N.

    `sine` = sin(pi / N).

    Derivation. Two points of the unit circle at the angle 2 pi/N are 2 sin(pi/N) apart, so their kernel is exp(-4
    sin^2(pi/N)/(2 sigma^2)), and gamma = exp(-1/(2 sigma^2)) is that of the centre and a point at distance 1.
    """
    return numbers.exp(4 * sine**2 * numbers.log(gamma_of(sigma)))


def gamma_of(sigma: Any) -> Any:
    """exp(-1 / (2 sigma^2)), the kernel between the centre and the circle; number in, number out, ball in, ball out."""
    return numbers.exp(-1 / (2 * sigma**2))


@theorem(
    "rbht09.lem19.s10",
    says=r"\sigma\le\sqrt{\tfrac{2}{\log2}}\sin\tfrac{\pi}{N}\ \Rightarrow\ "
    r"\left(1-\exp\left(-\tfrac{2}{\sigma^2}\sin^2\tfrac{\pi}{N}\right)\right)\frac{C}{n}\ge\frac{C}{2n}",
    needs=SIZES,
)
def separation(*, C: Real, n: int) -> Real:
    """The RBF SVMs of every two databases on the circle are at least this far apart.

    Twice the accuracy of Lemma 19.
    """
    return C / (2 * n)


@theorem("rbht09.lem19.s11", says=r"N\ge2\ \Rightarrow\ \sin\frac{\pi}{N}\ge\frac2N", needs=[integer("N", 2)])
def sine_estimate(*, N: int) -> float:
    """The sine on [0, pi / 2] lies above its chord.

    Derivation. The sine is concave on [0, pi/2], so it is above its chord there: sin(pi/N) >= (2/pi) pi/N = 2/N.
    """
    return 2 / N


@theorem(
    "rbht09.lem19.s12",
    says=r"\sigma\le\frac2N\sqrt{\tfrac{2}{\log2}}\ \Rightarrow\ \gamma\le\exp\left(-\frac{N^2\log2}{2^4}\right)",
    needs=[integer("N", 1)],
)
def largest_gamma(*, N: Any) -> Any:
    """The kernel between the centre and the circle is at most 1/2 for N >= 4.

    Derivation. gamma rises with sigma, and at sigma^2 = 8/(N^2 log 2) its exponent -1/(2 sigma^2) is -N^2 log(2)/16.
    """
    return numbers.exp(-(N**2) * numbers.log(2) / 2**4)


# Theorem 20 -----------------------------------------------------------------------------------------------------------

PRINTED_ACC = require("0 < acc < n / (4 C)", lambda acc, C, n: 0 < acc < n / (4 * C))
RBF: list[Hypothesis] = [in_unit_interval("delta"), *SIZES, MORE_ROWS, NARROW]


@theorem(
    "rbht09.thm20",
    kind="privacy",
    says=r"n>C,\ 0<\epsilon<\frac{n}{4C}\ \Rightarrow\ " + LEVEL + MANY + r",\quad N=" + PRINTED_N,
    needs=[*RBF, PRINTED_ACC],
)
def circle_level_printed(*, delta: float, sigma: float, acc: float, C: float, n: int) -> float:
    """No useful RBF SVM mechanism is more private than this, for epsilon < n / (4 C).

    Lemma 19, which the proof calls, has epsilon < C / (4 n). As printed the range contains accuracies above
    min(C, sqrt(C)), which the zero function reaches on every database: no SVM is larger.
    """
    return circle_level.theorem.formula(delta=delta, sigma=sigma, acc=acc, C=C, n=n)


@circle_level_printed.corrected(
    says=r"n>C,\ 0<\epsilon<\frac{C}{4n}\ \Rightarrow\ " + LEVEL + MANY + r",\quad N=" + PRINTED_N,
    needs=[*RBF, require("0 < acc < C / (4 n)", lambda acc, C, n: 0 < acc < C / (4 * n))],
    source=", with the range of Lemma 19",
)
def circle_level(*, delta: float, sigma: float, acc: float, C: float, n: int) -> float:
    """No useful RBF SVM mechanism is more private than this, for epsilon < C / (4 n).

    Derivation. For epsilon < C/(4n) Lemma 19 has N pairwise neighbouring databases whose SVMs are pairwise more than 2
    epsilon apart, so the N balls of radius epsilon around them are disjoint. On D_1 a useful mechanism hits the other
    N - 1 balls with probability at most delta together, hence one of them, say j, with at most delta/(N - 1) (s3); on
    D_j it hits ball j with probability at least 1 - delta. So beta >= log((1 - delta) (N - 1)/delta) (s4).

    >>> round(circle_level(delta=0.05, sigma=0.1, acc=0.002, C=1.0, n=100), 2)
    6.41
    """
    return log_odds(delta, N=circle_databases.theorem.formula(sigma=sigma))


@circle_level_printed.explicit(
    part="diameter",
    says=r"n>C,\ 0<\epsilon<\frac{C}{2n},\ \mathcal{M}=[0,D]\subset\mathbb{R}\ \Rightarrow\ "
    + LEVEL
    + rf"\max\{{0,{MANY}\}},"
    + r"\quad N=1+\left\lfloor\frac{D}{s}\right\rfloor,\ s>\sigma\sqrt{2\log\frac{C}{C-2n\epsilon}}",
    needs=[
        in_unit_interval("delta"),
        *SIZES,
        MORE_ROWS,
        positive("sigma"),
        positive("diameter"),
        require("0 < acc < C / (2 n)", lambda acc, C, n: 0 < acc < C / (2 * n)),
    ],
    source=", with the last row anywhere on a line",
)
def diameter_level(*, delta: float, sigma: float, acc: float, C: float, n: int, diameter: float) -> float:
    """A lower bound on the RBF SVM's privacy level that grows with the diameter.

    n - 1 rows at 0 with label -1, the last one at a multiple of `packing_step` with label +1. For n > C its dual
    variable is C / n wherever it lies (`last_dual`), so f_i - f_j at row i's own point is (C / n) (1 - k) > 2 acc.
    Below two databases the bound is 0.

    >>> [round(diameter_level(delta=0.05, sigma=1.0, acc=0.002, C=1.0, n=100, diameter=D), 2) for D in (0.1, 10, 1e6)]
    [0.0, 5.14, 16.75]
    """
    N = 1 + floor(diameter / packing_step(sigma=sigma, acc=acc, C=C, n=n))
    return packing_level(delta=delta, N=N) if N > 1 else 0.0


def packing_step(*, sigma: float, acc: float, C: float, n: int) -> float:
    """A distance from which on (C / n) (1 - exp(-s^2 / (2 sigma^2))) > 2 acc: the least one, and a millionth."""
    return sigma * sqrt(2 * log(C / (C - 2 * n * acc))) * (1 + 1e-6)


EVERY_SIGMA = r"\text{useful for every }\sigma\ \Rightarrow\ \text{not }\beta\text{-private for any }\beta"


@theorem(
    "rbht09.thm20",
    part="words",
    kind="privacy",
    says=r"0<\epsilon<\frac{n}{4C}:\ " + EVERY_SIGMA,
    needs=[positive("beta"), in_unit_interval("delta"), *SIZES, MORE_ROWS, PRINTED_ACC],
    source=", 'that is'",
)
def impossible_sigma_printed(*, beta: float, delta: float, acc: float, C: float, n: int) -> float:
    """The sigma below which no beta-private mechanism is useful, as printed.

    "Any sigma" is read as every sigma: for one fixed sigma PRIVATESVM is useful at a finite level.
    """
    return impossible_sigma.theorem.formula(beta=beta, delta=delta, acc=acc, C=C, n=n)


@impossible_sigma_printed.corrected(
    says=r"0<\epsilon<\frac{C}{4n}:\ " + EVERY_SIGMA,
    needs=[
        positive("beta"),
        in_unit_interval("delta"),
        *SIZES,
        MORE_ROWS,
        require("0 < acc < C / (4 n)", lambda acc, C, n: 0 < acc < C / (4 * n)),
    ],
    source=", 'that is', with the range of Lemma 19",
)
def impossible_sigma(*, beta: float, delta: float, acc: float, C: float, n: int) -> float:
    """For every beta there is a sigma below which no beta-private mechanism is useful.

    N > 1 + delta e^beta / (1 - delta) databases are too many, and Lemma 19 has N of them when
    sigma <= (2 / N) sqrt(2 / log 2); N is at least 4 over its whole range.

    >>> round(impossible_sigma(beta=5.0, delta=0.05, acc=0.002, C=1.0, n=100), 4)
    0.3775
    """
    too_many = floor(1 + delta * exp(beta) / (1 - delta)) + 1
    return 2 / max(4, too_many) * sqrt(2 / log(2))


# Theorem 20: the steps of its proof -----------------------------------------------------------------------------------

FOUR_AT_LEAST = r"\sigma<\sqrt{\tfrac{1}{2\log2}}\ \Rightarrow\ N=\lfloor\frac{2}{\sigma}\sqrt{\frac{2}{\log2}}\rfloor"


@theorem("rbht09.thm20.s1", says=FOUR_AT_LEAST + ">4")
def least_databases_printed() -> int:
    """The packing of the circle has more than 4 databases, as printed.

    5 at least. For sigma in (0.6795, 0.8493) it is 4.
    """
    return 5


@least_databases_printed.corrected(says=FOUR_AT_LEAST + r"\ge4", source=", proof, at least 4")
def least_databases() -> int:
    """The packing of the circle has at least 4 databases.

    Nothing needs N > 4.

    Derivation. sigma < sqrt(1/(2 log 2)) gives (2/sigma) sqrt(2/log 2) > 2 sqrt(2 log 2) sqrt(2/log 2) = 4.
    """
    return 4


@theorem(
    "rbht09.thm20.s3",
    says=r"\exists j\ne1:\ \Pr(\hat f_1\in\mathcal{B}_\epsilon(f_j^\star))<\frac{\delta}{N-1}",
    needs=[in_unit_interval("delta"), integer("N", 2)],
    source=", proof, (6.3) and (6.4)",
)
def thinnest_ball_strict(*, delta: Real, N: int) -> Real:
    """The thinnest ball around the other SVMs has chance < delta / (N - 1), as printed."""
    return delta / (N - 1)


@thinnest_ball_strict.corrected(
    says=r"\exists j\ne1:\ \Pr(\hat f_1\in\mathcal{B}_\epsilon(f_j^\star))\le\frac{\delta}{N-1}",
    source=", proof, (6.3) and (6.4), not strict",
)
def thinnest_ball(*, delta: Real, N: int) -> Real:
    """The thinnest ball around the other SVMs has chance at most delta / (N - 1).

    The N - 1 balls are disjoint and share at most delta.
    """
    return thinnest_ball_strict.theorem.formula(delta=delta, N=N)


@theorem(
    "rbht09.thm20.s4",
    says=r"\mathbb{E}_{T\sim\mathcal{P}_j}\left[\frac{d\mathcal{P}_1(T)}{d\mathcal{P}_j(T)}\,\middle|\,"
    r"T\in\mathcal{B}_\epsilon(f_j^\star)\right]\le\frac{\delta}{(1-\delta)(N-1)}",
    needs=[in_unit_interval("delta"), integer("N", 2)],
)
def mean_ratio_of_many(*, delta: Real, N: int) -> Real:
    """The mean likelihood ratio on the thinnest ball around the other databases' SVMs."""
    return delta / ((1 - delta) * (N - 1))
