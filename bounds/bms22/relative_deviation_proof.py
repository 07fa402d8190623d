"""The steps from which Lemma A.1 of Bassily, Mohri & Suresh (2022) follows: see the derivation in `relative_deviation`.

Q = (V log(2m) + log(4/beta)) / m is the complexity, L = m Q, and Phi_V(2m) Sauer's number of patterns of errors.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from flint import arb

from bounds.bms22.relative_deviation import CGM19, SAMPLE, complexity
from bounds.exact.balls import exact
from bounds.exact.numbers import Number, Real, power
from bounds.theorem import at_least, integer, require, theorem


@theorem(
    "bms22.lemA.1.s0",
    says=r"\mathrm{VC}\{(x,y):\,y\,h(x)\le0\}\le\mathrm{VC}\{\mathrm{sign}\circ h\}",
    kind="construction",
    source="what turns the VC dimension of H into that of the sets of errors",
    reconstructed=True,
)
def vc_of_signs(*, patterns: Any) -> int:
    """The VC dimension of a finite class given by its `patterns`, shape (hypotheses, points), booleans.

    The step: the sets of errors have no larger one than the classifiers sign(h), if ties count as errors. The lemma is
    stated for functions to R; for functions that never vanish, and for linear ones, both dimensions agree.

    >>> vc_of_signs(patterns=[[0, 0], [0, 1], [1, 1]])
    1
    """
    patterns = np.unique(np.asarray(patterns, dtype=bool), axis=0)
    shattered: list[tuple[int, ...]] = [()]
    for size in range(patterns.shape[1]):
        larger = {
            (*chosen, new)
            for chosen in shattered
            for new in range(chosen[-1] + 1 if chosen else 0, patterns.shape[1])
            if len(np.unique(patterns[:, [*chosen, new]], axis=0)) == 2 ** (size + 1)
        }
        if not larger:
            return size
        shattered = sorted(larger)
    return patterns.shape[1]


@theorem(
    "bms22.lemA.1.s1",
    says=r"p>\frac1m\ \Rightarrow\ \Pr[\mathrm{Bin}(m,p)\ge mp]>\frac14",
    needs=[integer("m", 2)],
    source="Greenberg & Mohri 2014, Theorem 1",
    reconstructed=True,
)
def ghost_reaches(*, m: int) -> Fraction:
    """The probability that a ghost sample has at least the expected number of errors: above 1/4.

    On (j/m, (j+1)/m] the event is B >= j + 1 and its probability increases in p, so the infimum over p is that of
    P(Bin(m, j/m) >= j + 1) over j = 1, ..., m - 1. It is attained at m = 2 (1/4 itself, approached and not reached by
    p > 1/2) and tends to 1 - 2/e = 0.264 for j = 1 and large m.
    """
    return Fraction(1, 4)


@theorem(
    "bms22.lemA.1.s2",
    says=r"0\le r\le p\le r'\ \Rightarrow\ \frac{r'-r}{\sqrt{(r+r')/2}}\ge\frac{p-r}{\sqrt p}",
    needs=[require("0 <= r <= p <= ghost, 0 < p", lambda r, p, ghost: 0 <= r <= p <= ghost and p > 0)],
    source=CGM19,
    reconstructed=True,
)
def deviation_of_risk(*, r: Real, p: Real, ghost: Real) -> Real:
    """The square of the deviation from the risk, (p - r)^2 / p: at most that from the ghost sample.

    The left-hand side increases in r' (its square is 2 (x - r)^2/(x + r)) and at r' = p is (p - r) / sqrt((p + r)/2) >=
    (p - r) / sqrt(p) because r <= p.
    """
    return (p - r) ** 2 / p


@theorem(
    "bms22.lemA.1.s3",
    says=r"\Pr_\sigma\left[\sum_{i\le s}\sigma_i\ge u\right]\le\exp\left(-\frac{u^2}{2s}-\frac{u^4}{12s^3}\right)",
    kind="tail",
    needs=[integer("s"), at_least("u", 0)],
    source=f"{CGM19} has exp(-u^2/(2s)), Hoeffding's bound; the second term is ours",
    reconstructed=True,
)
def swapping_tail(*, s: int, u: Number) -> arb:
    """A bound of the tail of a sum of s fair signs: swapping records makes such a sum.

    Chernoff's bound exp(-s D) with D = ((1+x) log(1+x) + (1-x) log(1-x)) / 2 >= x^2/2 + x^4/12 at x = u/s. In the proof
    u = e sqrt(m a / 2) with s <= min(a, m), so u^2/(2s) >= L and u^4/(12 s^3) >= L^2/(3m).
    """
    u = exact(u)
    return (-(u**2) / (2 * s) - u**4 / (12 * exact(s) ** 3)).exp()


def patterns_of_errors(m: int, V: int) -> int:
    """Phi_V(2m) = sum_{i <= V} C(2m, i): Sauer's bound on the number of patterns of errors on 2m records.

    >>> patterns_of_errors(3, 1), patterns_of_errors(1, 2)
    (7, 4)
    """
    return sum(comb(2 * m, i) for i in range(min(V, 2 * m) + 1))


@theorem(
    "bms22.lemA.1.s4",
    says=r"\Pi_{\mathcal{H}}(2m)\le(2m)^{V}",
    needs=[integer("m"), integer("V", 0)],
    source='what "and VC-dimension bounds" must mean to arrive at V log(2m)',
    reconstructed=True,
)
def growth(*, m: int, V: int) -> int:
    """The bound (2m)^V of the growth function at 2m.

    True for V = 0 and V >= 2: nonempty sets of at most V points are images of sequences of V points, and {a, b} is the
    image of two of them, which leaves one for the empty set. False for V = 1: thresholds make 2m + 1 patterns.
    """
    return power(2 * m, V)


@growth.corrected(
    says=r"4\sum_{i\le V}\binom{2m}i\,e^{-L-L^2/(3m)}\le\beta,\quad L=V\log(2m)+\log\frac4\beta",
    needs=SAMPLE,
    source="derived here",
)
def union_over_patterns(*, m: int, V: int, beta: Number) -> arb:
    """What the union over all patterns of errors costs: at most beta, V = 1 included.

    For V = 0 and V >= 2 by Phi_V(2m) <= (2m)^V alone; for V = 1 by (2m + 1)/(2m) <= exp(1/(2m)) and L^2/(3m) >= 1/(2m),
    since L >= log 2 + log 4 > sqrt(3/2).
    """
    L = m * complexity(exact(m), V, exact(beta))
    return 4 * patterns_of_errors(m, V) * (-L - L**2 / (3 * m)).exp()


@theorem(
    "bms22.lemA.1.s5",
    says=r"R-r\le2\sqrt{QR}\ \Rightarrow\ R\le r+2\sqrt{Qr}+4Q",
    needs=[at_least("root_r", 0), at_least("root_Q", 0)],
    source=CGM19,
    reconstructed=True,
)
def solved(*, root_r: Real, root_Q: Real) -> Real:
    """The largest risk p that the deviation allows, in terms of a = sqrt(r) and b = sqrt(Q).

    p = r + 2 sqrt(Q r) + 4 Q. R - 2 sqrt(Q R) increases for R >= Q, so it is enough that p - r >= 2 sqrt(Q p): the
    squares differ by (2ab + 4b^2)^2 - 4 b^2 p = 8 a b^3 >= 0.
    """
    return root_r**2 + 2 * root_r * root_Q + 4 * root_Q**2
