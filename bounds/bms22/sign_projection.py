"""Lemma A.3 of Bassily, Mohri & Suresh (2022) and its proof: Johnson-Lindenstrauss embeddings by random signs.

A matrix Phi of k rows with entries +-1/sqrt(k), drawn independently of the data, keeps the norms and the inner products
of any m points up to gamma/3.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import ceil, log
from typing import Any

import numpy as np

from lemmata.bounds.exact import numbers
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.numbers import Array, Real
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, require, theorem

PRESERVED = (
    r"\Pr_\Phi\left[\forall u,v\in T:\ \left|\langle\Phi u,\Phi v\rangle-\langle u,v\rangle\right|"
    r"\le\frac{\gamma}{3}\|u\|_2\|v\|_2\ \wedge\ "
    r"\left|\|\Phi u\|_2^2-\|u\|_2^2\right|\le\frac{\gamma}{3}\|u\|_2^2\right]"
    r"\ge 1-\beta"
)
SETTING = [integer("m"), in_unit_interval("gamma"), in_unit_interval("beta")]


def rows_for(vectors: int, distortion: float, beta: float, sides: int = 2) -> int:
    """Rows k at which `vectors` vectors all keep their squared norm up to `distortion`, except with probability beta.

    Each of the `sides` * `vectors` one-sided events fails with probability at most exp(-k (t^2/4 - t^3/6)), t the
    distortion, in (0, 1] (`sign_projection_tail`).
    """
    return ceil((log(sides * vectors) - log(beta)) / (distortion**2 / 4 - distortion**3 / 6))


@theorem(
    "bms22.lemA.3",
    kind="tail",
    says=r"\exists k=O\left(\frac{\log(m/\beta)}{\gamma^2}\right):\quad " + PRESERVED,
    needs=SETTING,
)
def sign_projection_order(*, m: int, gamma: float, beta: float) -> float:
    """Order of the rows of a sign projection, as printed: log(m/beta) / gamma^2.

    At such a number of rows random signs keep inner products.

    >>> round(sign_projection_order(m=1000, gamma=0.5, beta=0.1), 2)
    36.84
    """
    return (log(m) - log(beta)) / gamma**2


@sign_projection_order.corrected(
    says=r"\exists k=O\left(\frac{\log(2m/\beta)}{\gamma^2}\right):\quad " + PRESERVED, source=", with 2m for m"
)
def sign_projection_order_corrected(*, m: int, gamma: float, beta: float) -> float:
    """Order of the rows of a sign projection, corrected: log(2m/beta) / gamma^2.

    At such a number of rows random signs keep inner products.

    It stays above log(2)/gamma^2; the printed log(m/beta) tends to 0 for one vector as beta -> 1.
    The explicit k is at most 94.1 g: 36 log(2m^2/beta) <= 72 log(2m/beta), 1 - 2 gamma/9 >= 7/9, rounding up <= 1.
    """
    return (log(2 * m) - log(beta)) / gamma**2


@sign_projection_order.explicit(
    says=r"k=\left\lceil\frac{36\log(2m^2/\beta)}{\gamma^2(1-2\gamma/9)}\right\rceil:\quad " + PRESERVED,
    source=", tail bound of Achlioptas 2003",
)
def sign_projection_rows(*, m: int, gamma: float, beta: float) -> int:
    """Number of rows k at which a sign projection keeps any m points (Lemma A.3).

    It keeps norms and inner products.

    The paper writes k = O(log(m/beta)/gamma^2). Our constant: one vector is distorted by more than t with
    probability at most 2 exp(-k (t^2/2 - t^3/3)/2) (`sign_projection_tail`); the proof needs t = gamma/3 for the m^2
    vectors of step s1.

    >>> sign_projection_rows(m=1000, gamma=0.3, beta=0.05)
    7502
    """
    return rows_for(pair_vectors_up_to_sign(m=m), gamma / 3, beta)


def inner_products_preserved(T: Array, projected: Array, gamma: float) -> bool:
    """The event of Lemma A.3. T has shape (m, d), projected has shape (m, k); u = v gives the norms."""
    norms = np.linalg.norm(T, axis=1)
    distortion = np.abs(projected @ projected.T - T @ T.T)
    return bool(np.all(distortion <= gamma / 3 * np.outer(norms, norms)))


def failure_of_rows(*, m: int, gamma: Any, k: int) -> Any:
    """The chance that k rows break Lemma A.3, at most: every u/||u|| +- v/||v|| keeps its norm up to t = gamma/3.

    The vectors of step s1, counted up to sign; then polarisation (s4, s5).

    >>> bool(failure_of_rows(m=10, gamma=0.5, k=sign_projection_rows(m=10, gamma=0.5, beta=0.1)) <= 0.1)
    True
    """
    return pair_vectors_up_to_sign(m=m) * sign_projection_tail(k=k, t=gamma / 3)


def least_distortion(u: Sequence[int], k: int) -> Fraction:
    """The least of | ||Phi u||^2/||u||^2 - 1 | over all k x d sign matrices, exactly, for integers u.

    ||Phi u||^2 = (1/k) * a sum of k squares <s, u>^2, s in {-1, 1}^d: every reachable sum is enumerated.

    >>> least_distortion((1, 1), 1), least_distortion((1, 1), 2)
    (Fraction(1, 1), Fraction(0, 1))
    """
    signs = product((1, -1), repeat=len(u) - 1)
    squares = {sum(a * b for a, b in zip((1, *s), u, strict=True)) ** 2 for s in signs}
    sums = {0}
    for _ in range(k):
        sums = {total + square for total in sums for square in squares}
    norm = sum(a * a for a in u)
    return Fraction(min(abs(total - k * norm) for total in sums), k * norm)


# The proof of Lemma A.3 -----------------------------------------------------------------------------------------------


@theorem(
    "bms22.lemA.3.s1",
    says=r"\left|\left\{\frac{u}{\|u\|_2}\pm\frac{v}{\|v\|_2}:u,v\in T\right\}\setminus\{0\}\right|\le m^2",
    needs=[integer("m")],
)
def pair_vectors(*, m: int) -> int:
    """There are m^2 non-zero sums and differences of normalised pairs, as printed."""
    return m**2


@pair_vectors.corrected(
    says=r"\left|\left\{\pm\left(\frac{u}{\|u\|_2}\pm\frac{v}{\|v\|_2}\right):u,v\in T\right\}"
    r"\setminus\{0\}\right|\le m^2\quad\mathrm{up\ to\ sign}",
    source=", proof, counted up to sign",
)
def pair_vectors_up_to_sign(*, m: int) -> int:
    """There are m^2 non-zero sums and differences of normalised pairs, up to sign.

    Derivation. m doubled vectors, m (m - 1)/2 sums and as many differences. Those come in pairs +-, m (3m - 1)/2
    vectors in all, and a projection distorts both of a pair alike.

    >>> pair_vectors_up_to_sign(m=2)
    4
    """
    return pair_vectors(m=m)


@theorem(
    "bms22.lemA.3.s2",
    reading="explicit",
    says=r"\Pr_\Phi\left[\left|\|\Phi u\|_2^2-\|u\|_2^2\right|>t\|u\|_2^2\right]\le "
    r"2\exp\left(-\frac{k}{2}\left(\frac{t^2}{2}-\frac{t^3}{3}\right)\right)",
    needs=[integer("k"), require("0 < t <= 1", lambda t: 0 < t <= 1)],
    source="the JL lemma that the proof cites, in the form of Achlioptas 2003",
)
def sign_projection_tail(*, k: int, t: Any) -> Any:
    """Tail bound for the distortion of one vector by random signs.

    The distortion exceeds t with probability at most 2 exp(-(k/2)(t^2/2 - t^3/3)).

    Derivation. For a unit vector, Q = <s, u>^2 with random signs s has E e^{hQ} <= (1 - 2h)^{-1/2} (mix over a Gaussian
    multiplier: cosh x <= e^{x^2/2}), E Q = 1 and E Q^2 = 3 - 2 sum u_i^4 <= 3. k independent copies, Chernoff on both
    sides:

      above  [(1 + t) e^{-t}]^{k/2} <= exp(-(k/2)(t^2/2 - t^3/3)), because log(1 + t) <= t - t^2/2 + t^3/3;
      below  [e^{h(1-t)} E e^{-hQ}]^k <= [e^{h(1-t)} (1 - h + 3h^2/2)]^k at h = t/(2(1 + t)), and with
             x = h - 3h^2/2 in [0, 1/6], log(1 - x) <= -x - x^2/2 - x^3/3 leaves a rational function of t
             (`lower_tail_gap`) that is certified to be at most -(t^2/4 - t^3/6) on (0, 1].
    """
    return 2 * numbers.exp(-k * (t**2 / 2 - t**3 / 3) / 2)


def chernoff(k: int, t: Any) -> Any:
    """Both of Chernoff's tails in `sign_projection_tail`, before its logarithms are expanded, in balls."""
    h = t / (2 * (1 + t))
    below = h * (1 - t) + (1 - h + 3 * h**2 / 2).log()
    return (exact(k) / 2 * ((1 + t).log() - t)).exp() + (k * below).exp()


def lower_tail_gap(t: Any) -> Any:
    """[h(1-t) - x - x^2/2 - x^3/3 + t^2/4 - t^3/6] (1+t)^6 / t^3 as a polynomial in t, for balls and numbers alike.

    h = t/(2(1+t)), x = h - 3h^2/2. It is at most 0 on [0, 1] exactly where the lower tail of `sign_projection_tail` is
    proved; the factor t^3 is divided out by hand, so nothing cancels near 0.
    """
    c = 1 + t
    # h = t/(2c) and x = h - 3h^2/2; the terms in t^2 cancel: h^2 - h t + t^2/4 = t^4 / (4 c^2).
    from_squares = t * c**4 / 4  # t^4 / (4 c^2), times c^6 / t^3
    cubes = 3 * c**3 / 16 - 9 * t * c**2 / 128  # 3h^3/2 - 9h^4/8
    y = 1 - 3 * t / (4 * c)  # x = h y
    return from_squares + cubes - c**3 * y**3 / 24 - c**6 / 6


@theorem("bms22.lemA.3.s3", says=r"\log(m^2/\beta)=O(\log(m/\beta))", needs=[integer("m"), in_unit_interval("beta")])
def doubled_logarithm(*, m: int, beta: float) -> float:
    """The logarithm log(m^2/beta) is at most 2 log(m/beta).

    log(m^2/beta) = 2 log m + log(1/beta) <= 2 log(m/beta).

    Derivation. log(m^2/beta) = 2 log m + log(1/beta) <= 2 log m + 2 log(1/beta) = 2 log(m/beta), since log(1/beta) > 0,
    so C = 2.
    """
    return (2 * log(m) - log(beta)) / (log(m) - log(beta))


@theorem(
    "bms22.lemA.3.s4",
    says=r"\left|\langle\bar u,\bar v\rangle-\langle\Phi\bar u,\Phi\bar v\rangle\right|\le"
    r"\frac{\gamma}{12}\left(\|\bar u+\bar v\|_2^2+\|\bar u-\bar v\|_2^2\right)",
    needs=[at_least("gamma", 0), at_least("plus", 0), at_least("minus", 0)],
    source=", proof, second inequality of the chain",
)
def polarisation(*, gamma: Real, plus: Real, minus: Real) -> Real:
    """Polarisation bounds the error of <u, v> if ||u + v|| and ||u - v|| are kept.

    `plus` and `minus` are ||u + v||^2 and ||u - v||^2 of unit vectors, each kept up to gamma/3 ((3) and (4)).

    Derivation. <u, v> = (||u + v||^2 - ||u - v||^2)/4, for u and v as for Phi u and Phi v, and each of the two squares
    moves by at most gamma/3 of itself, so their difference over 4 moves by at most (gamma/12) (||u + v||^2 + ||u -
    v||^2).
    """
    return gamma / 12 * (plus + minus)


@theorem(
    "bms22.lemA.3.s5",
    says=r"\frac{\gamma}{12}\left(\|\bar u+\bar v\|_2^2+\|\bar u-\bar v\|_2^2\right)\le\frac{\gamma}{3}",
    needs=[at_least("gamma", 0)],
    source=", proof, third inequality of the chain",
)
def parallelogram(*, gamma: Real) -> Real:
    """The parallelogram law bounds the error of <u, v> by gamma/3.

    It applies where ||u + v|| and ||u - v|| are kept.

    The two squared norms are summed.

    Printed reason: the triangle inequality, which gives only 4 + 4 = 8 and 2 gamma/3. The parallelogram identity
    ||u + v||^2 + ||u - v||^2 = 2 ||u||^2 + 2 ||v||^2 = 4 gives gamma/3, with equality.

    Derivation. ||u + v||^2 + ||u - v||^2 = 2 ||u||^2 + 2 ||v||^2 = 4 for unit vectors, the parallelogram identity, and
    gamma/12 times 4 is gamma/3.
    """
    return gamma / 3


def order_bound(gamma: Any, logs: float, least_log: Any, scale: float = 36, curvature: float = 2 / 9) -> Any:
    """A bound of `explicit / g` at one gamma, for explicit = ceil(scale log / (gamma^2 (1 - curvature gamma))).

    g = log' / gamma^2, where `logs` bounds log / log' and `least_log` is a lower bound of log'; the summand is the
    price of rounding up. Increasing in gamma.

    >>> round(order_bound(1, 2, log(2)), 2)
    94.01
    """
    return scale * logs / (1 - curvature * gamma) + gamma**2 / least_log
