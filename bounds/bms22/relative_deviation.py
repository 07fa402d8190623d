"""Relative deviation: how far the risk of any hypothesis can exceed its empirical risk when that is small.

Bassily, Mohri & Suresh (2022), Lemma A.1, cited as Lemma I.2 by Wang, Zhu & Wang (2025), who deduce their Lemma 6.6:

    R_D(h) <= R_S(h) + 2 sqrt(R_S(h) Q) + 4 Q,    Q = (V log(2m) + log(4/beta)) / m,    for all h of H at once,

with probability at least 1 - beta over a sample S of m records. Losses lie in {0, 1}: y h(x) <= 0 in the first paper,
y h(x) < 0 in the second; V is the VC dimension of the sets of errors {(x, y): h errs on (x, y)}. For classifiers, and
for linear functions whatever happens at 0, that is the VC dimension of H (step s0 shows a class where it is not).

*Derivation* of Lemma A.1, for all m >= 1, V >= 0, beta in (0, 1), all distributions and all (permissible) classes. The
paper gives none: it cites Cortes, Greenberg & Mohri (2019, Corollary 7) "and VC-dimension bounds". Let e^2 = 4 Q and
L = m Q = m e^2 / 4 >= log 4.
  s1  If R(h) - R_S(h) > e sqrt(R(h)) then m R(h) > m e^2 >= 4 log 4 > 1, so a ghost sample S' of m records has
      R_S'(h) >= R(h) with probability above 1/4.
  s2  Then R_S'(h) - R_S(h) > e sqrt((R_S(h) + R_S'(h)) / 2).
  s3  Swap the i-th records of S and S' by fair coins. Of a pattern of errors on the 2m records with a errors in all
      and s <= min(a, m) pairs that differ, that happens with probability at most exp(-L - L^2 / (3m)) <= exp(-L).
  s4  There are at most Phi_V(2m) = sum_{i <= V} C(2m, i) patterns (Sauer's lemma), and
      4 Phi_V(2m) exp(-L - L^2 / (3m)) <= beta. Phi_V(2m) <= (2m)^V would do, but is false for V = 1, where the
      second-order term of s3 pays for the missing pattern.
  s5  R - R_S <= 2 sqrt(Q R) gives R <= R_S + 2 sqrt(Q R_S) + 4 Q.

The rows `thresholds`, `halfspaces`, `mixture` and `stumps` are the lemma on classes whose suprema are computed exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bounds.exact.numbers import Number, log, sqrt
from bounds.papers import BMS22
from bounds.theorem import in_unit_interval, integer, theorem

CGM19 = "Cortes, Greenberg & Mohri 2019, Corollary 7"
SAMPLE = [integer("m"), integer("V", 0), in_unit_interval("beta")]


def complexity(m: Number, V: int, beta: Number) -> Any:
    """Q = (V log(2m) + log(4/beta)) / m; balls in, ball out.

    >>> round(float(complexity(100, 1, 0.1)), 6)
    0.089872
    """
    return (V * log(2 * m) + log(4 / beta)) / m


def relative(risk: Any, Q: Any) -> Any:
    """R_S + 2 sqrt(R_S Q) + 4 Q at the empirical risk R_S = `risk`."""
    return risk + 2 * sqrt(risk * Q) + 4 * Q


# Lemma A.1 of bms22, Lemma I.2 of wzw25 -------------------------------------------------------------------------------

DISPLAY = (
    r"\Pr_{S\sim\mathcal{D}^m}\left[\forall h:\ R_{\mathcal{D}}(h)\le\hat R_S(h)+2\sqrt{\hat R_S(h)\,Q}+4Q\right]"
    r"\ge1-\beta,\quad Q=\frac{V\log(2m)+\log(4/\beta)}m"
)


@theorem("bms22.lemA.1", kind="tail", says=DISPLAY, needs=SAMPLE, source=f"{BMS22}, Appendix A, Lemma A.1; {CGM19}")
def relative_deviation(*, m: Number, V: int, beta: Number, empirical: Number) -> Number:
    """The largest risk that Lemma A.1 allows a hypothesis of empirical risk `empirical`.

    Derivation: docstring of this module. At empirical risk 0 it says something from 4 Q < 1 on. On the edition:
    the paper's own text has the square root over the product, as here; in the text of the separate appendix it ends
    before Q, R <= R_S + 2 sqrt(R_S) Q + 4 Q. One hypothesis at m = 1e5, V = 1, beta = 0.1 would break that with
    probability 0.296. The second paper cites the lemma as here.

    >>> round(float(relative_deviation(m=1000, V=1, beta=0.1, empirical=0.0)), 4)
    0.0452
    """
    return relative(empirical, complexity(m, V, beta))


def _row(part: str, vc: int) -> Callable:
    return theorem(
        "bms22.lemA.1",
        part=part,
        kind="tail",
        says=r"\Pr\left[\sup_h\left(R_{\mathcal{D}}(h)-\hat R_S(h)-2\sqrt{\hat R_S(h)\,Q}-4Q\right)>0\right]\le\beta,"
        rf"\quad V={vc}",
        needs=[SAMPLE[0], SAMPLE[2]],
        source=f"{BMS22}, Appendix A, Lemma A.1",
    )


@_row("thresholds", 1)
def thresholds(*, m: Number, beta: Number, empirical: Number) -> Number:
    """Lemma A.1 for thresholds on the line, V = 1.

    >>> round(float(thresholds(m=1000, beta=0.1, empirical=0.0)), 4)
    0.0452
    """
    return relative(empirical, complexity(m, 1, beta))


@_row("halfspaces", 2)
def halfspaces(*, m: Number, beta: Number, empirical: Number) -> Number:
    """Lemma A.1 for homogeneous halfspaces of the plane, V = 2, records on the circle."""
    return relative(empirical, complexity(m, 2, beta))


@_row("mixture", 2)
def mixture(*, m: Number, beta: Number, empirical: Number) -> Number:
    """Lemma A.1 for homogeneous halfspaces of the plane, V = 2, two Gaussians."""
    return relative(empirical, complexity(m, 2, beta))


@_row("stumps", 3)
def stumps(*, m: Number, beta: Number, empirical: Number) -> Number:
    """Lemma A.1 for decision stumps on two features, V = 3."""
    return relative(empirical, complexity(m, 3, beta))
