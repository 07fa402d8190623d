"""How many geometric repetitions private tuning needs: Lemma 7.2 of Wang, Zhu & Wang (2025).

Algorithm 4 draws K ~ TNB(eta, r) and then K candidates from Theta, uniformly with replacement. It fails to draw the one
good candidate with probability E (1 - 1/|Theta|)^K. How large must E K = 1/r be, at eta = 1, for that to be at most
beta? `size` is |Theta|; `n` and `alpha` stand for beta = n^-alpha. Other eta: `lemmata.bounds.wzw25.repetition_growth`.
"""

from fractions import Fraction
from math import exp, expm1, log
from typing import Any

import numpy as np

from lemmata.bounds.exact.numbers import raised
from lemmata.bounds.exact.tnb import log_generating as generating
from lemmata.bounds.exact.tuning_curves import log_inverse_r
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem
from lemmata.bounds.wzw25.run_counts import ETA, LAW, UNIT_R

Rational = float | Fraction
UNIT_BETA = in_unit_interval("beta")
ABOVE_ONE = require("1 < n < inf", lambda n: bool(np.all((np.asarray(n) > 1) & np.isfinite(n))))
FAILURE = r"\Pr[\theta^*\ \mathrm{not\ selected}]"


# Lemma 7.2 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lem7.2.s1",
    kind="identity",
    says=FAILURE + r"=PGF(1-1/|\Theta|)",
    needs=[*LAW, integer("size")],
    source=", Appendix M.1",
)
def not_selected(*, eta: float, r: float, size: int) -> float:
    """The chance that none of K uniform draws is the one good candidate.

    "Selected" means drawn in line 5 of Algorithm 4, as Appendix M.1 defines it, not returned at the end. Given K the
    draws miss it with probability (1 - 1/|Theta|)^K. At |Theta| = 1 it is drawn always.

    >>> not_selected(eta=1, r=0.5, size=2), not_selected(eta=3, r=0.5, size=1)
    (0.3333333333333333, 0.0)
    """
    return 0.0 if size == 1 else generating(eta, log(r), log(r + (1 - r) / size))


@theorem(
    "wzw25.lem7.2.s2",
    kind="identity",
    says=r"PGF_{TNB_{1,r}}(1-1/|\Theta|)=\frac{r(1-1/|\Theta|)}{1-(1-r)(1-1/|\Theta|)}",
    needs=[UNIT_R, integer("size")],
)
def not_selected_geometric(*, r: Rational, size: Rational) -> Rational:
    """The chance that a geometric number of draws misses the good one, in closed form.

    Derivation. With t = 1/|Theta| and s = 1 - (1 - r)(1 - t): (1/s - 1)/(1/r - 1) = r (1 - s)/(s (1 - r)), and 1 - s is
    (1 - r)(1 - t).
    """
    return r * (1 - 1 / size) / (1 - (1 - r) * (1 - 1 / size))


@theorem(
    "wzw25.lem7.2.s3",
    kind="identity",
    says=r"PGF\le\beta\iff r(1-\beta)(1-1/|\Theta|)\le\beta/|\Theta|",
    needs=[UNIT_R, UNIT_BETA, integer("size")],
)
def cleared_slack(*, r: Rational, beta: Rational, size: Rational) -> Rational:
    """Geometric draws miss the good candidate with chance <= beta if and only if >= 0.

    PGF <= beta multiplied out: beta/|Theta| - r (1 - beta)(1 - 1/|Theta|).

    Derivation. The denominator s = 1 - (1 - r)(1 - t) is positive, and beta s - r (1 - t) =
    beta t - r (1 - beta)(1 - t).
    """
    return beta / size - r * (1 - beta) * (1 - 1 / size)


@theorem(
    "wzw25.lem7.2.s4",
    says=r"PGF\le\beta\ \Rightarrow\ r\le\frac{1}{|\Theta|-1}\cdot\frac{\beta}{1-\beta}",
    needs=[UNIT_BETA, integer("size", 2)],
    source=", proof, last line",
)
def largest_r_geometric(*, beta: Rational, size: Rational) -> Rational:
    """The largest r at which geometric draws find the good one with chance 1 - beta.

    The proof's last line, the reciprocal of what Lemma 7.2 should ask of E[Q] = 1/r.

    Derivation. PGF <= beta says r (1 - beta)(1 - t) <= beta t (the step before), t = 1/|Theta|; for |Theta| >= 2 both
    factors are positive, and dividing by them leaves r <= beta / ((1 - beta)(|Theta| - 1)). The converse, which is what
    the lemma needs, holds as well.
    """
    return beta / (1 - beta) / (size - 1)


@theorem(
    "wzw25.lem7.2",
    says=r"\mathbb{E}[Q]=\frac1r\ge\frac{\beta}{(1-\beta)(|\Theta|-1)}\ \Rightarrow\ " + FAILURE + r"\le\beta",
    needs=[UNIT_BETA, integer("size", 2)],
)
def repetitions_as_printed(*, beta: Rational, size: Rational) -> Rational:
    """The expected number of repetitions that Lemma 7.2 asks for, as printed.

    It decreases in |Theta| and in 1/beta. Undefined at |Theta| = 1.
    """
    return beta / ((1 - beta) * (size - 1))


@repetitions_as_printed.corrected(
    says=FAILURE + r"\le\beta\iff\mathbb{E}[Q]=\frac1r\ge\frac{(1-\beta)(|\Theta|-1)}{\beta}",
    needs=[UNIT_BETA, integer("size")],
    source=", and the last line of its proof",
)
def repetitions(*, beta: Rational, size: Rational) -> Rational:
    """The expected number of geometric draws that find the good candidate.

    Derivation. The failure is r (1 - t)/s with t = 1/|Theta|, s = r + t - r t > 0, and
    beta s - r (1 - t) = beta t - r (1 - beta)(1 - t). So it is at most beta exactly where r (1 - beta)(1 - t) <=
    beta t, that is 1/r >= (1 - beta)(|Theta| - 1)/beta.

    >>> repetitions(beta=0.5, size=3), repetitions(beta=0.5, size=1)
    (2.0, 0.0)
    """
    return (1 - beta) / beta * (size - 1)


@repetitions_as_printed.corrected(
    part="drawing",
    says=r"\frac1r\ge\frac{(1-\beta)(|\Theta|-1)}{\beta}\ \Rightarrow\ " + FAILURE + r"\le\beta",
    kind="tail",
    needs=[UNIT_BETA, integer("candidates", 2), at_least("slack", 1)],
    source=", end to end; lines 3 to 5 of Algorithm 4",
)
def sufficient_r(*, beta: float, candidates: int, slack: float) -> float:
    """An r at which K geometric draws find the good candidate, with both sampled.

    r = 1 / (slack * repetitions), where slack = 1 meets the failure probability exactly.
    """
    return 1 / max(slack * repetitions(beta=beta, size=candidates), 1 + 1e-9)


@theorem(
    "wzw25.lem7.2",
    part="text",
    says=r"\beta=n^{-\alpha}:\ \mathbb{E}[Q]\ge(|\Theta|-1)(n^{\alpha}-1)\ \mathrm{is\ necessary}",
    needs=[positive("alpha"), ABOVE_ONE, integer("size")],
    source=", text of Section 7.1 after it",
)
def repetitions_polynomial(*, n: Any, alpha: Any, size: Any) -> Any:
    """A lower bound on the expected repetitions at beta = n^-alpha, from the text.

    Derivation. (1 - beta)/beta = n^alpha - 1, so it is the corrected lemma. At equality the failure probability is
    beta, so "at least", not "larger than". Read with a constant, beta = c n^-alpha, it is (|Theta| - 1)(n^alpha/c - 1):
    the part `text` of the explicit reading.

    >>> repetitions_polynomial(n=8, alpha=1, size=3)
    14
    """
    return (size - 1) * (raised(n, alpha) - 1)


@repetitions_polynomial.explicit(
    says=r"\beta\le c\,n^{-\alpha}:\ \mathbb{E}[Q]\ge(|\Theta|-1)(n^{\alpha}/c-1)\ \mathrm{is\ necessary}",
    needs=[positive("alpha"), positive("c"), ABOVE_ONE, integer("size")],
    source=", text of Section 7.1 after it",
)
def repetitions_polynomial_with_constant(*, n: Any, alpha: Any, size: Any, c: Any) -> Any:
    """A lower bound on the expected repetitions at beta = O(n^-alpha), explicit.

    Derivation. (1 - beta)/beta = 1/beta - 1 decreases in beta, and beta <= c n^-alpha. Polynomial in n whatever c is.
    """
    return (size - 1) * (raised(n, alpha) / c - 1)


SMALL_R = r"r\le\frac{\beta^{1/\eta}}{|\Theta|+\beta^{1/\eta}-|\Theta|\beta^{1/\eta}}"


# Lemma M.1 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemM.1.s1",
    says=r"PGF(1-t)\le\frac{(r+t-rt)^{-\eta}}{r^{-\eta}},\quad t=1/|\Theta|",
    needs=[positive("eta"), UNIT_R, integer("size")],
)
def relaxation(*, eta: Any, r: Any, size: Any) -> Any:
    """The generating function of a TNB number of runs, relaxed by dropping both ones.

    (a - 1)/(b - 1) <= a/b for 1 <= a <= b and b > 1, because a (b - 1) - b (a - 1) = b - a >= 0. Here a = s^-eta and
    b = r^-eta with r <= s = r + t - r t <= 1.
    """
    return (r / (r + (1 - r) / size)) ** eta


@theorem(
    "wzw25.lemM.1.s2",
    kind="identity",
    says=r"\frac{(r+t-rt)^{-\eta}}{r^{-\eta}}\le\beta\ \Rightarrow\ " + SMALL_R,
    needs=[positive("eta"), UNIT_BETA, integer("size")],
    source=", proof, Equation 31 and below",
)
def largest_r_relaxed(*, eta: Any, beta: Any, size: Any) -> Any:
    """Equation 31 solved for r, which is an equivalence.

    With b = beta^(1/eta) in (0, 1): r <= b (r + t - r t) iff r (1 - b + b t) <= b t iff r (m + b - m b) <= b, m = 1/t.
    What it bounds is the relaxation, not the failure probability: it gives "sufficient", never "necessary".
    """
    return relaxed_r(eta, beta, size)


def relaxed_r(eta: Any, beta: Any, size: Any) -> Any:
    """b / (|Theta| + b - |Theta| b), b = beta^(1/eta), |Theta| any number of at least 1."""
    b = beta ** (1 / eta)
    return b / (size + b - size * b)


@theorem(
    "wzw25.lemM.1",
    says=FAILURE + r"\le\beta\ \Rightarrow\ " + SMALL_R,
    needs=[positive("eta"), UNIT_BETA, integer("size")],
    source=", with eta > 0 by the title of Appendix M.2",
)
def largest_r_as_printed(*, eta: Any, beta: Any, size: Any) -> Any:
    """The printed implication of a failure probability beta for r, K ~ TNB(eta, r).

    1/r >= |Theta| beta^(-1/eta) + 1 - |Theta|. The proof shows that such a small r suffices: Equation 31 holds (step 2
    is an equivalence), and the failure probability is below its left side (step 1).

    >>> round(largest_r_as_printed(eta=1, beta=0.5, size=2), 12)
    0.333333333333
    """
    return relaxed_r(eta, beta, size)


sufficiently_small_r = largest_r_as_printed.corrected(
    part="sufficient", says=SMALL_R + r"\ \Rightarrow\ " + FAILURE + r"\le\beta", source=", proof, read backwards"
)(largest_r_as_printed.theorem.formula)


@largest_r_as_printed.corrected(
    says=FAILURE + r"\le\beta\iff r\le r^*,\quad"
    r"\left(1+\tfrac{u-1}{|\Theta|}\right)^{-\eta}=\beta+(1-\beta)u^{-\eta}\ \mathrm{at}\ u=1/r^*",
    needs=[ETA, UNIT_BETA, integer("size")],
)
def largest_r(*, eta: float, beta: float, size: int) -> float:
    """The largest r at which TNB(eta, r) draws miss the good one with chance <= beta.

    At eta = 0 the equation is log(1 + (u-1)/|Theta|) = (1 - beta) log u.

    Derivation. The likelihood ratio of TNB(eta, r) against TNB(eta, r'), r > r', is proportional to ((1 - r)/(1 -
    r'))^k and decreases in k, so E x^K increases in r for x in (0, 1): the admissible r form an interval (0, r*].
    Divide s^-eta - 1 <= beta (r^-eta - 1) by r^-eta, s/r = 1 + (u - 1)/|Theta|, to get the equation. r* = 1 if beta >=
    1 - 1/|Theta| (one draw does it), and 0 if -1 < eta < 0 and beta <= 1 - |Theta|^eta (no r does it).

    >>> round(largest_r(eta=1, beta=0.2, size=5), 12), largest_r(eta=1, beta=0.5, size=2)
    (0.0625, 1.0)
    """
    return exp(-log_inverse_r(eta, beta, size))


@largest_r_as_printed.explicit(
    part="negative-eta",
    says=r"-1\lt\eta\lt 0:\ " + FAILURE + r"\gt 1-|\Theta|^{\eta}\ \mathrm{for\ every}\ r",
    needs=[
        require("-1 < eta < 0", lambda eta: bool(np.all((np.asarray(eta) > -1) & (np.asarray(eta) < 0)))),
        UNIT_R,
        integer("size", 2),
    ],
    source=", which stops at eta > 0",
)
def unavoidable_failure(*, eta: float, r: float, size: int) -> float:
    """The failure probability that no r of a TNB law with eta < 0 goes below.

    It increases in r, and its limit at r = 0 is 1 - |Theta|^eta, never attained. So the printed formula has no reading
    there: with beta^(1/eta) > 1 its right-hand side can even be negative.

    >>> round(unavoidable_failure(eta=-0.5, r=0.01, size=4), 12)
    0.5
    """
    return -expm1(eta * log(size))
