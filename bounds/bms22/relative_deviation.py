"""Relative deviation: how far the risk of any hypothesis can exceed its empirical risk when that is small.

Bassily, Mohri & Suresh (2022), Lemma A.1, cited as Lemma I.2 by Wang, Zhu & Wang (2025), who deduce their Lemma 6.6:

    R_D(h) <= R_S(h) + 2 sqrt(R_S(h) Q) + 4 Q,    Q = (V log(2m) + log(4/beta)) / m,    for all h of H at once,

with probability at least 1 - beta over a sample S of m records. Losses lie in {0, 1}: y h(x) <= 0 in the first paper, y
h(x) < 0 in the second; V is the VC dimension of the sets of errors {(x, y): h errs on (x, y)}. For classifiers, and for
linear functions with any convention at 0, that is the VC dimension of H (step s0 has a class where it is not).

*Derivation* of Lemma A.1, for all m >= 1, V >= 0, beta in (0, 1), all distributions and all (permissible) classes. The
paper gives none: it cites Cortes, Greenberg & Mohri (2019, Corollary 7) "and VC-dimension bounds".
  s5  Let p be what the lemma allows at R_S(h) = r. A risk above p deviates by more than e sqrt(R), e^2 = `deviation` =
      (p - r)^2 / p >= 4 Q, with equality at r = 0.
  s1  Then m R(h) > m e^2 >= 4 log 4 > 1, so a ghost sample S' of m records has R_S'(h) >= R(h) with probability above
      1/4.
  s2  Then R_S'(h) - R_S(h) > e sqrt((R_S(h) + R_S'(h)) / 2).
  s3  Swap the i-th records of S and S' by fair coins. Of a pattern of errors on the 2m records with a errors in all
      and s <= min(a, m) pairs that differ, that happens with probability at most that of a = s = m: with
      L = m e^2 / 4, exp(-L - L^2 / (3m)).
  s4  There are at most Phi_V(2m) = sum_{i <= V} C(2m, i) patterns (Sauer's lemma), and `deviation_probability`,
      4 Phi_V(2m) exp(-L - L^2 / (3m)), is at most beta. Phi_V(2m) <= (2m)^V would be enough, but is
      false for V = 1, where the second-order term of s3 pays for the missing pattern.

The rows `thresholds`, `halfspaces`, `mixture` and `stumps` are the lemma on classes whose suprema are computed exactly.
"""

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from flint import arb

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.numbers import Number, Real, log, sqrt
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, require, theorem

CGM19 = "Cortes, Greenberg & Mohri 2019, Corollary 7"
SAMPLE = [integer("m"), integer("V", 0), in_unit_interval("beta")]
EMPIRICAL = between("empirical", 0, 1)


def complexity(m: Number, V: int, beta: Number) -> Any:
    """Q = (V log(2m) + log(4/beta)) / m; balls in, ball out.

    >>> round(float(complexity(100, 1, 0.1)), 6)
    0.089872
    """
    return (V * log(2 * m) + log(4 / beta)) / m


def relative(risk: Any, Q: Any) -> Any:
    """R_S + 2 sqrt(R_S Q) + 4 Q at the empirical risk R_S = `risk`."""
    return risk + 2 * sqrt(risk * Q) + 4 * Q


def deviation(r: Any, p: Any) -> Any:
    """(p - r)^2 / p, the e^2 of a risk p that exceeds the empirical risk r by e sqrt(p)."""
    return (p - r) ** 2 / p


def deviation_probability(m: int, patterns: Any, square: Any) -> arb:
    """Steps s1 to s4: P(R - R_S > e sqrt(R) for some h), at most, if m records and m others have that many `patterns`.

    e^2 = `square`, at least 1/m. All 2m records err at most m times in pairs that differ: a = s = m in step s3.
    """
    return exact(patterns) / exact(ghost_reaches(m=m)) * swapping_tail(s=m, u=m * (exact(square) / 2).sqrt())


# Lemma A.1 of bms22, Lemma I.2 of wzw25 -------------------------------------------------------------------------------

DISPLAY = (
    r"\Pr_{S\sim\mathcal{D}^m}\left[\forall h:\ R_{\mathcal{D}}(h)\le\hat R_S(h)+2\sqrt{\hat R_S(h)\,Q}+4Q\right]"
    r"\ge1-\beta,\quad Q=\frac{V\log(2m)+\log(4/\beta)}m"
)


@theorem(
    "bms22.lemA.1",
    kind="tail",
    says=DISPLAY,
    needs=[*SAMPLE, EMPIRICAL],
    source=f"{BMS22}, Appendix A, Lemma A.1; {CGM19}",
)
def relative_deviation(*, m: Number, V: int, beta: Number, empirical: Number) -> Number:
    """The largest risk that the relative deviation bound allows.

    `empirical` is the empirical risk.

    Derivation: docstring of this module. At empirical risk 0 it is nonvacuous for 4 Q < 1. On the edition: the paper's
    own text has the square root over the product, as here; in the text of the separate appendix it ends before Q, R <=
    R_S + 2 sqrt(R_S) Q + 4 Q. One hypothesis at m = 1e5, V = 1, beta = 0.1 would break that with probability 0.296. The
    second paper cites the lemma as here.

    >>> round(float(relative_deviation(m=1000, V=1, beta=0.1, empirical=0.0)), 4)
    0.0452
    """
    return relative(empirical, complexity(m, V, beta))


SUPREMUM = r"\Pr\left[\sup_h\left(R_{\mathcal{D}}(h)-\hat R_S(h)-2\sqrt{\hat R_S(h)\,Q}-4Q\right)>0\right]\le\beta,"
CLASS: dict = dict(kind="tail", needs=[SAMPLE[0], SAMPLE[2], EMPIRICAL], source=f"{BMS22}, Appendix A, Lemma A.1")


@theorem("bms22.lemA.1", part="thresholds", says=SUPREMUM + r"\quad V=1", **CLASS)
def thresholds(*, m: Number, beta: Number, empirical: Number) -> Number:
    """The relative deviation bound for thresholds on the line, V = 1.

    >>> round(float(thresholds(m=1000, beta=0.1, empirical=0.0)), 4)
    0.0452
    """
    return relative(empirical, complexity(m, 1, beta))


@theorem("bms22.lemA.1", part="halfspaces", says=SUPREMUM + r"\quad V=2", **CLASS)
def halfspaces(*, m: Number, beta: Number, empirical: Number) -> Number:
    """The relative deviation bound for halfspaces, records on the circle.

    The halfspaces of the plane are homogeneous, so V = 2.
    """
    return relative(empirical, complexity(m, 2, beta))


@theorem("bms22.lemA.1", part="mixture", says=SUPREMUM + r"\quad V=2", **CLASS)
def mixture(*, m: Number, beta: Number, empirical: Number) -> Number:
    """The relative deviation bound for halfspaces, two Gaussians.

    The halfspaces of the plane are homogeneous, so V = 2.
    """
    return relative(empirical, complexity(m, 2, beta))


@theorem("bms22.lemA.1", part="stumps", says=SUPREMUM + r"\quad V=3", **CLASS)
def stumps(*, m: Number, beta: Number, empirical: Number) -> Number:
    """The relative deviation bound for decision stumps on two features, V = 3."""
    return relative(empirical, complexity(m, 3, beta))


@theorem(
    "bms22.lemA.1.s0",
    reading="explicit",
    says=r"h:\mathcal X\to\{\pm1\}\ \mathrm{or\ linear}:\quad"
    r"\mathrm{VC}\{(x,y):\,y\,h(x)\le0\}\le\mathrm{VC}\{\mathrm{sign}\circ h\}",
    kind="construction",
    source="what turns the VC dimension of H into that of the sets of errors, for functions that never vanish and for "
    "linear ones",
)
def vc_of_classifiers(*, patterns: Any) -> int:
    """The VC dimension of a finite class, from its values on finitely many points.

    `patterns` are booleans of shape (hypotheses, points).

    The step: the sets of errors have no larger one than the classifiers sign(h). Where functions vanish and ties count
    as errors, they may have.

    Derivation. A shattered set of records has no x twice. Without ties an error is a sign other than the label: flip
    the columns whose label is +1. For linear h it is <w, y x> <= 0, and the sets {z: <w, z> <= 0} shatter as many
    points as the sets {x: <w, x> >= 0}, which they are at z = -x.

    >>> vc_of_classifiers(patterns=[[0, 0], [0, 1], [1, 1]])
    1
    """
    return vc_dimension(patterns)


def vc_dimension(patterns: Any) -> int:
    """The size of the largest set of columns on which the rows of `patterns`, booleans, show every pattern."""
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
    reading="explicit",
    says=r"p>\frac1m\ \Rightarrow\ \Pr[\mathrm{Bin}(m,p)\ge mp]>\frac14",
    needs=[integer("m")],
    source="Greenberg & Mohri 2014, Theorem 1",
)
def ghost_reaches(*, m: int) -> Fraction:
    """A ghost sample reaches the expected errors with probability above 1/4.

    Derivation. On (j/m, (j+1)/m] the event is B >= j + 1 and its probability increases in p, so the infimum over p is
    that of P(Bin(m, j/m) >= j + 1) over j = 1, ..., m - 1. It is attained at m = 2 (1/4 itself, approached and not
    reached by p > 1/2) and tends to 1 - 2/e = 0.264 for j = 1 and large m. For m = 1 there is no such p.
    """
    return Fraction(1, 4)


@theorem(
    "bms22.lemA.1.s2",
    reading="explicit",
    says=r"0\le r\le p\le r'\ \Rightarrow\ \frac{r'-r}{\sqrt{(r+r')/2}}\ge\frac{p-r}{\sqrt p}",
    needs=[require("0 <= r <= p <= ghost, 0 < p", lambda r, p, ghost: 0 <= r <= p <= ghost and p > 0)],
    source=CGM19,
)
def deviation_of_risk(*, r: Real, p: Real, ghost: Real) -> Real:
    """The deviation from the risk is at most that from the ghost sample.

    Both are squared relative deviations, (p - r)^2 / p.

    Derivation. The left-hand side increases in r' (its square is 2 (x - r)^2/(x + r)) and at r' = p is (p - r) /
    sqrt((p + r)/2) >= (p - r) / sqrt(p) because r <= p.
    """
    return deviation(r, p)


@theorem(
    "bms22.lemA.1.s3",
    reading="explicit",
    says=r"\Pr_\sigma\left[\sum_{i\le s}\sigma_i\ge u\right]\le\exp\left(-\frac{u^2}{2s}-\frac{u^4}{12s^3}\right)",
    kind="tail",
    needs=[integer("s"), at_least("u", 0)],
    source=f"{CGM19} has exp(-u^2/(2s)), Hoeffding's bound; the second term is ours",
)
def swapping_tail(*, s: int, u: Number) -> arb:
    """The tail of the sum of fair signs that swaps between the samples make.

    Derivation. Chernoff's bound exp(-s D) with D = ((1+x) log(1+x) + (1-x) log(1-x)) / 2 = sum x^(2i) / (2i (2i-1)),
    whose first two terms are x^2/2 + x^4/12, at x = u/s. In the proof u = e sqrt(m a / 2) with s <= min(a, m), which is
    worst at a = s = m.
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
    reading="explicit",
    says=r"4\sum_{i\le V}\binom{2m}i\,e^{-L-L^2/(3m)}\le\beta,\quad L=V\log(2m)+\log\frac4\beta",
    needs=SAMPLE,
    source='what "and VC-dimension bounds" must mean to arrive at V log(2m)',
)
def union_over_patterns(*, m: int, V: int, beta: Number) -> arb:
    """The union over all patterns of errors costs at most beta, also for V = 1.

    The deviation is that of the lemma at empirical risk 0, the least. For V = 0 and V >= 2 by Phi_V(2m) <= (2m)^V
    alone: nonempty sets of at most V points are images of sequences of V points, and {a, b} is the image of two of
    them, which leaves one for the empty set. For V = 1, where thresholds make 2m + 1 patterns, by (2m + 1)/(2m) <=
    exp(1/(2m)) and L^2/(3m) >= 1/(2m), since L >= log 2 + log 4 > sqrt(3/2).
    """
    allowed = relative(exact(0), complexity(exact(m), V, exact(beta)))
    return deviation_probability(m, patterns_of_errors(m, V), deviation(0, allowed))


@theorem(
    "bms22.lemA.1.s5",
    reading="explicit",
    says=r"R-r\le2\sqrt{QR}\ \Rightarrow\ R\le r+2\sqrt{Qr}+4Q",
    needs=[at_least("r", 0), at_least("Q", 0)],
    source=CGM19,
)
def solved(*, r: Number, Q: Number) -> Any:
    """A relative deviation of 2 sqrt(Q p) allows a risk of r + 2 sqrt(Q r) + 4 Q.

    Both are upper bounds.

    Derivation. R - 2 sqrt(Q R) increases for R >= Q, so it is enough that p - r >= 2 sqrt(Q p): in terms of a = sqrt(r)
    and b = sqrt(Q) the squares differ by (2ab + 4b^2)^2 - 4 b^2 p = 8 a b^3 >= 0.
    """
    return relative(r, Q)
