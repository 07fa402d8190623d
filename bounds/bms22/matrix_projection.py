"""Lemma D.1 of Bassily, Mohri & Suresh (2022): random signs and products of matrices.

||Phi W||_F and W^T Phi^T Phi z for a matrix W with N columns. The printed deviation sqrt(log(m/beta)/k) contains no N,
and need not; but it is a sub-Gaussian tail for a sub-exponential quantity, so it fails once log(m/beta) far exceeds k.
"""

from collections.abc import Iterable
from math import exp, log, sqrt
from typing import Any

import numpy as np

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.theorem import in_unit_interval, integer, require, theorem

NEEDS = [integer("m"), integer("k"), in_unit_interval("beta")]
NORM = r"\|\Phi W\|_F^2\le\|W\|_F^2\left(1+"
PRODUCTS = r"\forall i:\ \|W^\top\Phi^\top\Phi z_i-W^\top z_i\|_2\le\|W\|_F\|z_i\|_2"
REPAIRED = 16  # c of the corrected reading


@theorem(
    "bms22.lemD.1",
    part="norm",
    kind="tail",
    says=r"\exists c:\ \Pr_\Phi\left[" + NORM + r"c\sqrt{\frac{\log(m/\beta)}{k}}\right)\right]\ge 1-\beta",
    needs=NEEDS,
    source=", first inequality",
)
def norm_deviation(*, m: int, k: float, beta: float) -> float:
    """How much a sign projection enlarges a matrix's Frobenius norm, as an order.

    The order is sqrt(log(m/beta)/k).

    c is printed as one constant, for all p, N, m, k, W and beta.
    """
    return sqrt((log(m) - log(beta)) / k)


@theorem(
    "bms22.lemD.1",
    part="products",
    kind="tail",
    says=r"\exists c:\ \Pr_\Phi\left[" + PRODUCTS + r"\,c\sqrt{\frac{\log(m/\beta)}{k}}\right]\ge 1-\beta",
    needs=NEEDS,
    source=", second inequality",
)
def product_deviation(*, m: int, k: float, beta: float) -> float:
    """A sign projection's error in products with a matrix, as an order.

    The order is sqrt(log(m/beta)/k).

    The number N of columns does not appear.
    """
    return norm_deviation(m=m, k=k, beta=beta)


@norm_deviation.corrected(
    part="",
    says=r"k\ge\log\frac{m}{\beta}\ge\log 2:\quad\Pr_\Phi\left["
    + NORM
    + r"16\sqrt{\frac{\log(m/\beta)}{k}}\right)\ \wedge\ "
    + PRODUCTS
    + r"\,16\sqrt{\frac{\log(m/\beta)}{k}}\right]\ge 1-\beta",
    needs=[
        *NEEDS,
        require("m/beta >= 2", lambda m, beta: m >= 2 * beta),
        require("k >= log(m/beta)", lambda k, m, beta: k >= log(m) - log(beta)),
    ],
    source=", with two hypotheses added",
)
def repaired_deviations(*, m: int, k: float, beta: float) -> tuple[float, float]:
    """A sign projection's error in matrix norms and products, with c = 16.

    It holds for k >= log(m/beta).

    m/beta >= 2; both deviations are as printed.

    (2m+1)/beta <= 3m/beta, so t <= r log(m/beta) with r = log 6/log 2, and t/k <= r sqrt(log(m/beta)/k): the explicit
    pair is at most (2 sqrt r + 2r, sqrt(12 r) + 4r) = (8.4, 15.92) times sqrt(log(m/beta)/k).
    """
    return REPAIRED * norm_deviation(m=m, k=k, beta=beta), REPAIRED * product_deviation(m=m, k=k, beta=beta)


@norm_deviation.explicit(
    part="",
    says=r"t=\log\frac{2m+1}{\beta}:\ \Pr_\Phi\left["
    + NORM
    + r"2\sqrt{\frac{t}{k}}+\frac{2t}{k}\right)\ \wedge\ "
    + PRODUCTS
    + r"\left(\sqrt{\frac{12t}{k}}+\frac{4t}{k}\right)\right]\ge 1-\beta",
)
def deviations(*, m: int, k: float, beta: float) -> tuple[float, float]:
    """A sign projection's error in matrix norms and products, with our constants.

    It holds for every k and beta, and does not depend on N.

    The pair (2 sqrt(t/k) + 2t/k, sqrt(12 t/k) + 4t/k), t = log((2m+1)/beta): of 2m + 1 events each has probability at
    most e^{-t}. Norm: ||Phi W||_F^2/||W||_F^2 is an average over columns, so its mgf is at most the worst column's,
    (1 - 2h/k)^{-k/2}, the chi-square's. Products: `column_average` and `product_mgf` give sub-gamma tails with variance
    6/k and scale 4/k.

    >>> [round(x, 3) for x in deviations(m=1, k=100, beta=0.05)]
    [0.487, 0.865]
    """
    t = log(2 * m + 1) - log(beta)
    return 2 * sqrt(t / k) + 2 * t / k, sqrt(12 * t / k) + 4 * t / k


def failure_of_deviations(*, m: int, k: float, norm: float, product: float) -> float:
    """Chernoff's bounds of the 2m + 1 events of Lemma D.1: the chi-square's for the norm, the sub-gamma's for products.

    >>> failure_of_deviations(m=5, k=10, norm=3.0, product=6.0) < 0.1
    True
    """
    above = -k / 2 * (norm - log(1 + norm))  # chi-square with k degrees of freedom
    rate = (1 - 1 / sqrt(1 + 4 * product / 3)) / 4  # best for a variance of 6 and a scale of 4, both over k
    error = k * (product_mgf(rate=rate) - rate * product)
    return exp(above) + 2 * m * exp(error)


def products_preserved(W: Array, Z: Array, projected_W: Array, projected_Z: Array, norm: float, product: float) -> bool:
    """The event of Lemma D.1. W has shape (p, N), Z (m, p), projected_W (k, N), projected_Z (m, k)."""
    size = np.linalg.norm(W)
    enlarged = np.linalg.norm(projected_W) ** 2 <= size**2 * (1 + norm)
    errors = np.linalg.norm(projected_Z @ projected_W - Z @ W, axis=1)
    return bool(enlarged and np.all(errors <= product * size * np.linalg.norm(Z, axis=1)))


def all_signs_equal(p: int) -> tuple[float, int]:
    """k = 1, N = m = 1, W = z = (1, ..., 1) in R^p: with probability 2^{1-p} all signs agree.

    Then ||Phi W||^2 = p ||W||^2 and |W^T Phi^T Phi z - W^T z| = (p - 1) ||W|| ||z||. Returns (probability, distortion).

    >>> all_signs_equal(3)
    (0.25, 2)
    """
    return 2.0 ** (1 - p), p - 1


# What the explicit reading rests on -----------------------------------------------------------------------------------


@theorem(
    "bms22.lemD.1.s1",
    reading="explicit",
    says=r"E\cosh\left(\lambda\sqrt{\sum_j a_j\xi_j^2}\right)\le\max_j E\cosh(\lambda\xi_j),\ a_j\ge 0,\ \sum_j a_j=1",
    source="ours: why N does not appear",
)
def column_average(*, weights: Iterable[float], column_values: Iterable[float]) -> float:
    """The average over columns is at most the worst column, at no cost in N.

    So N columns cost no logarithm.

    Derivation. x -> cosh(lambda sqrt x) is convex (its Taylor coefficients are positive), so Jensen moves the average
    outside. With P(sqrt V >= s) <= E cosh(lambda sqrt V)/cosh(lambda s) <= 2 e^{-lambda s} max_j E e^{+-lambda xi_j},
    the N columns together have the two-sided tail of one. Here a_j = ||w_j||^2/||W||_F^2 and xi_j is column j's
    normalised error. Returns the right-hand side: the largest of `column_values`, E cosh(lambda xi_j), that has a
    positive weight.
    """
    return max(value for weight, value in zip(weights, column_values, strict=True) if weight > 0)


@theorem(
    "bms22.lemD.1.s2",
    reading="explicit",
    says=r"\log E\exp\left(\lambda(\langle s,w\rangle\langle s,z\rangle-\langle w,z\rangle)\right)\le"
    r"\frac{3\lambda^2}{1-4\lambda},\quad \|w\|_2=\|z\|_2=1,\ s\in\{\pm1\}^p",
    needs=[require("0 <= rate < 1/4", lambda rate: 0 <= rate < 0.25)],
    source="ours: one row of Phi",
)
def product_mgf(*, rate: float) -> float:
    """The product of two random signed sums is sub-gamma.

    Its log-mgf is at most 3 lambda^2/(1 - 4 lambda).

    Derivation. With a = w + z and b = w - z, |a|^2 + |b|^2 = 4, the product is (<s,a>^2 - <s,b>^2)/4; Cauchy-Schwarz
    splits its mgf (`split_mgf`), which is convex in |a|^2, hence largest at |a|^2 = 4: 2 lambda^2/(1 - 4 lambda), or at
    |b|^2 = 4: 3 lambda^2. k rows: k times this at lambda/k.

    >>> round(product_mgf(rate=0.1), 3)
    0.05
    """
    return 3 * rate**2 / (1 - 4 * rate)


def split_mgf(rate: Any, square: Any) -> Any:
    """Half the sum of two log-mgfs that bounds `product_mgf`'s, at |a|^2 = `square` in [0, 4] and h = rate/2.

    Above: log E exp(h (<s,a>^2 - |a|^2)) <= -u - log(1 - 2u)/2 <= u^2/(1 - 2u), u = h |a|^2. Below:
    e^{-x} <= 1 - x + x^2/2 and E <s,b>^4 <= 3 |b|^4 give 3 v^2/2, v = h |b|^2.
    """
    u, v = rate / 2 * square, rate / 2 * (4 - square)
    return (u**2 / (1 - 2 * u) + 3 * v**2 / 2) / 2
