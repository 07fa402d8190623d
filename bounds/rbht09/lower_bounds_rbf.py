"""What no private SVM with the RBF kernel can do: Rubinstein et al. 2009, Lemma 19 and Theorem 20.

Letters as in `bounds.rbht09.lower_bounds`; `sigma` is the kernel's width, k(x, z) = exp(-||x - z||^2 / (2 sigma^2)).
Steps of the proofs: `bounds.rbht09.lower_bounds_rbf_proof`.
"""

from __future__ import annotations

from math import asin, exp, floor, log, pi, sqrt

from bounds.rbht09.lower_bounds import LEVEL, MANY, SIZES, log_odds, packing_level
from bounds.theorem import Hypothesis, in_unit_interval, positive, require, theorem

WIDEST = sqrt(1 / (2 * log(2)))  # of sigma in Lemma 19
MORE_ROWS = require("n > C", lambda n, C: n > C)
NARROW = require("0 < sigma < sqrt(1 / (2 log 2))", lambda sigma: 0 < sigma < WIDEST)

# Lemma 19: many neighbouring databases, RBF kernel --------------------------------------------------------------------

ON_CIRCLE = r"n>C,\ 0<\epsilon<\frac{C}{4n},\ 0<\sigma<\sqrt{\tfrac{1}{2\log2}}\ \Rightarrow\ "
PACKED = r"D_1\sim\dots\sim D_N:\ \|f_i^\star-f_j^\star\|_\infty>2\epsilon\ (i\ne j),\quad N="
PRINTED_N = r"\left\lfloor\frac{2}{\sigma}\sqrt{\frac{2}{\log2}}\right\rfloor"


@theorem("rbht09.lem19", kind="construction", says=ON_CIRCLE + PACKED + PRINTED_N, needs=[NARROW])
def circle_databases(*, sigma: float) -> int:
    """How many neighbouring databases have RBF SVMs that are pairwise at least C / (2 n) apart.

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
    """The same without sin(pi / N) >= 2 / N: the largest N for which this circle gives C / (2 n), up to pi / 2 times.

    >>> [circle_databases_sharp(sigma=s) for s in (0.84, 0.5, 0.1)]
    [6, 10, 53]
    """
    return floor(pi / asin(sigma * sqrt(log(2) / 2)))


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
    """The strong lower bound, RBF kernel, with its range of accuracies as printed, epsilon < n / (4 C).

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
    """The strong lower bound for epsilon < C / (4 n): Lemma 19's packing, and `packing_level`.

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
    """The bound for every sigma: it grows with the diameter of the data's domain, and over all of R it is infinite.

    n - 1 rows at 0 with label -1, the last one at a multiple of `packing_step` with label +1. For n > C its dual
    variable is C / n wherever it stands (`lower_bounds_rbf_proof.last_dual`), so f_i - f_j at row i's own point is
    (C / n) (1 - k) > 2 acc. Below two databases the bound is 0.

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
    """The sigma below which no beta-private mechanism is (epsilon, delta)-useful, with the printed range of epsilon.

    'Any sigma' is read as every sigma: for one fixed sigma PRIVATESVM is useful at a finite level.
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
    """For every level beta there is a sigma below which no beta-private mechanism is (epsilon, delta)-useful.

    N > 1 + delta e^beta / (1 - delta) databases are too many, and Lemma 19 has N of them when
    sigma <= (2 / N) sqrt(2 / log 2); N is at least 4 over its whole range.

    >>> round(impossible_sigma(beta=5.0, delta=0.05, acc=0.002, C=1.0, n=100), 4)
    0.3775
    """
    too_many = floor(1 + delta * exp(beta) / (1 - delta)) + 1
    return 2 / max(4, too_many) * sqrt(2 / log(2))
