r"""Private tuning of the margin: Theorem 7.1 of Wang, Zhu & Wang (2025), the end of its proof, and Section 7's text.

Arguments and conventions are those of `bounds.private_tuning_rates`. The last line of the proof, Equation 29, goes from
the grid to every S_out by Lemma 6.4.
"""

from __future__ import annotations

from math import log, sqrt

from bounds.margin_grid import grid_size
from bounds.private_tuning import tuning_budget
from bounds.private_tuning_rates import (
    BUDGET,
    EXPLICIT,
    EXPLICIT_SAYS,
    OUT,
    OVER,
    RANGE,
    UNIT_DELTA,
    repetition_r,
    tuned_error_given_drawn,
)
from bounds.private_tuning_utility import drawn_probability
from bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem
from bounds.tnb import WZW25

ABOVE_DELTA = require("epsilon > delta", lambda epsilon, delta: epsilon > delta)
TEXT = f"{WZW25}, Section 7"


# Theorem 7.1 --------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.thm7.1",
    part="privacy",
    kind="privacy",
    says=r"\mu=\frac{\varepsilon}{6\sqrt{2\log(|\Theta|(n^2-1)/\delta)}}\ \Rightarrow\ "
    r"(\varepsilon+\delta,\delta)\mathrm{-DP},\quad\varepsilon\in(\delta,24\log(|\Theta|(n^2-1)/\delta))",
    needs=[*BUDGET, RANGE, ABOVE_DELTA],
    source=f"{WZW25}, Theorem 7.1",
)
def tuned_margin_budget(*, epsilon, delta, n, size):
    """The Gaussian budget of one run with which Algorithm 3 with private tuning is (epsilon + delta, delta)-DP

    Lemma K.6, privacy, for any finite Theta in (0, 1]. epsilon > delta is not needed.

    >>> round(tuned_margin_budget(epsilon=1.0, delta=1e-5, n=1000, size=11) / sqrt(2), 4)
    0.0158
    """
    return tuning_budget(epsilon=epsilon, r=repetition_r(n, size), delta=delta)


@theorem(
    "wzw25.thm7.1",
    part="utility",
    kind="mean",
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\bar w_{\mathrm{out}})]\le"
    + OVER
    + r"O\left(\frac{\log(|\Theta|n/\delta)}{\gamma^2n\varepsilon}+"
    + OUT
    + r"+\frac{1}{n^2}\right)",
    needs=EXPLICIT,
    source=f"{WZW25}, Theorem 7.1 (which prints a subset sign for S_out in S_out(gamma))",
)
def tuned_margin_order(*, n, epsilon, delta, gammas, outliers):
    """The expected error of Algorithm 3 with private tuning, the expression inside O(.)

    The printed proof covers |Theta| <= 4 log2 n only and ends in O~; the statement is about any finite Theta, and true:
    put a = log(|Theta| n), D = log(1/delta), A = |Theta|(n^2-1). In the explicit reading 1/mu_b = 12 sqrt(log(A/delta))
    /epsilon, log(A/delta) <= 2 (a + D), k + 1 <= (24 log(|Theta| n^2 (3n+1)) + 2)/gamma^2 with log(...) at most
    (3 + log 3.5/log 2) a, so noise and selection are at most C times the first term, an outlier costs at most
    (1 + 3 sqrt 1.5)/gamma, and P(not Y) + beta <= 2/n^2.
    """
    known = {"n": n, "size": len(gammas), "epsilon": epsilon, "delta": delta}
    return min(margin_term(gamma=g, outliers=m, **known) for g, m in zip(gammas, outliers, strict=True)) + 1 / n**2


def margin_term(*, n, size, epsilon, delta, gamma, outliers):
    """What Theorem 7.1 has inside O(.) at one margin, without 1/n^2."""
    return (log(size * n) - log(delta)) / (gamma**2 * n * epsilon) + outliers / (gamma * n)


@theorem(
    "wzw25.thm7.1",
    part="utility",
    reading="explicit",
    kind="mean",
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\bar w_{\mathrm{out}})]\le" + EXPLICIT_SAYS + r"+\Pr[Y^c]+\beta",
    needs=EXPLICIT,
    source="Lemma K.6 (explicit), and errors are at most n",
)
def tuned_margin_error(*, n, epsilon, delta, gammas, outliers, rows, steps, projected=True, stride="printed"):
    """The expected error of Algorithm 3 with private tuning, with our constants

    `tuned_error_given_drawn` + (1 - t)/(n^2 - t) + 1/n^2, t = 1/|Theta|; the last term only with projections.

    >>> known = dict(gammas=[0.5], outliers=[0], rows=[2], projected=False, stride="tuned")
    >>> round(tuned_margin_error(n=30, epsilon=100.0, delta=1e-5, steps=[1555], **known), 2)
    0.39
    """
    size = len(gammas)
    known = {"gammas": gammas, "outliers": outliers, "rows": rows, "steps": steps}
    given = tuned_error_given_drawn(n=n, epsilon=epsilon, delta=delta, projected=projected, stride=stride, **known)
    missed = 1 - drawn_probability(eta=1, r=repetition_r(n, size), size=size)
    return given + missed + (1 / n**2 if projected else 0.0)


@theorem(
    "wzw25.thm7.1.s1",
    parent="wzw25.thm7.1",
    says=r"|\Gamma|\le 4\log_2n\quad(n\gt 2)",
    needs=[integer("n", 2)],
    source=f"{WZW25}, proof of Theorem 7.1",
)
def grid_size_slack(*, n):
    """The grid of Algorithm 3 has at most 4 log2(n) margins: right side minus left side

    |Gamma| = ceil(log2 n) + 1 (Lemma 6.4, part size), so it holds at n = 2 too.

    >>> grid_size_slack(n=2), grid_size_slack(n=4)
    (2.0, 5.0)
    """
    return 4 * log(n) / log(2) - grid_size(n=n)


@theorem(
    "wzw25.thm7.1.s2",
    parent="wzw25.thm7.1",
    says=r"\frac{12\log(n^2|\Gamma|/\delta)}{n\varepsilon}\le\frac{12\log(n^2\log_2(n)/\delta)}{n\varepsilon}",
    needs=[integer("n", 2), UNIT_DELTA, positive("epsilon")],
    source=f"{WZW25}, proof of Theorem 7.1, Equation 27",
)
def inserted_slack_as_printed(*, n, delta, epsilon):
    """The size of the grid inserted into Lemma K.6, as printed: right side minus left side

    12/(n epsilon) log(log2(n) / |Gamma|), always negative: |Gamma| > log2 n. The 4 of |Gamma| <= 4 log2 n is lost.
    """
    return 12 / (n * epsilon) * (log(log(n) / log(2)) - log(grid_size(n=n)))


@theorem(
    "wzw25.thm7.1.s2",
    parent="wzw25.thm7.1",
    reading="corrected",
    says=r"\frac{12\log(n^2|\Gamma|/\delta)}{n\varepsilon}\le\frac{12\log(4n^2\log_2(n)/\delta)}{n\varepsilon}",
    needs=[integer("n", 2), UNIT_DELTA, positive("epsilon")],
    source=f"{WZW25}, proof of Theorem 7.1, Equation 27, with the 4",
)
def inserted_slack(*, n, delta, epsilon):
    """The size of the grid inserted into Lemma K.6: right side minus left side

    12/(n epsilon) log(4 log2(n) / |Gamma|).
    """
    return 12 / (n * epsilon) * (log(4 * log(n) / log(2)) - log(grid_size(n=n)))


# Section 7, text ----------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.sec7.text",
    part="iter",
    kind="rate",
    says=r"\mathcal{A}_{Iter}:\ \mathrm{bound}\propto|\Theta|^{1/2}\ \mathrm{(Equation\ 17)}",
    needs=[integer("size", 2), integer("n", 2), positive("epsilon"), UNIT_DELTA, in_unit_interval("gamma")],
    source=TEXT,
)
def iterating_bound(*, size, n, epsilon, delta, gamma):
    """Trying all candidates: the utility bound grows as the square root of their number

    Second lines of Equations 16 and 17 at beta = 1/n^2, without outliers: (|Theta| log(1/delta))^{1/2}/(n epsilon)
    times 4 log^{1/2}(|Theta| (n+2)(n+1) n^2)/gamma^2 + 8 sqrt 2 log^{1/2}|Theta|.
    The sentence leaves out a factor log^{1/2}|Theta|, which we name.
    """
    spread = sqrt(size * -log(delta)) / (n * epsilon)
    return spread * (4 * sqrt(log(size * (n + 2) * (n + 1) * n**2)) / gamma**2 + 8 * sqrt(2 * log(size)))


@theorem(
    "wzw25.sec7.text",
    part="tune",
    kind="rate",
    says=r"\mathcal{A}_{PrivTune}:\ \mathrm{bound}\propto\log|\Theta|",
    needs=[integer("size"), integer("n", 2), positive("epsilon"), UNIT_DELTA, in_unit_interval("gamma")],
    source=TEXT,
)
def tuning_bound(*, size, n, epsilon, delta, gamma):
    """Private tuning: the utility bound grows with the logarithm of the number of candidates

    Theorem 7.1 without outliers and 1/n^2: log(|Theta| n/delta)/(gamma^2 n epsilon), linear in log |Theta|.
    """
    return margin_term(size=size, n=n, epsilon=epsilon, delta=delta, gamma=gamma, outliers=0)


@theorem(
    "wzw25.sec7.text",
    part="grids",
    kind="rate",
    says=r"|\Theta|=m^K:\quad\mathcal{A}_{Iter}:\ m^{O(K)},\quad\mathcal{A}_{PrivTune}:\ O(Km)",
    needs=[integer("m", 2), integer("K")],
    source=TEXT,
)
def grids_bound(*, m, K):
    """K hyperparameters with m values each: exponential against linear

    K m, what stands inside the second O(.). log(m^K) = K log m is smaller: O(K log m) holds too and says more. The
    first is (m^K)^{1/2} up to a logarithm.

    >>> grids_bound(m=10, K=3)
    30
    """
    return K * m


@theorem(
    "wzw25.sec7.text",
    part="runtime-iter",
    kind="rate",
    says=r"\mathcal{A}_{Iter}\ \mathrm{needs}\ O(\log n)\ \mathrm{repetitions}",
    needs=[integer("n", 2)],
    source=f"{TEXT}.1",
)
def iterations_order(*, n):
    """Trying the margins of the grid takes O(log n) repetitions

    log n, for n >= 2; |Gamma| = ceil(log2 n) + 1 is at most 2/log 2 times it, at n = 2.
    """
    return log(n)


@theorem(
    "wzw25.sec7.text",
    part="runtime-tune",
    kind="rate",
    says=r"\mathcal{A}_{PrivTune}\ \mathrm{needs}\ O(n^2\log n)\ \mathrm{repetitions\ in\ expectation}",
    needs=[integer("n", 2)],
    source=f"{TEXT}.1",
)
def repetitions_order(*, n):
    """Private tuning of the margin takes O(n^2 log n) repetitions in expectation

    n^2 log n, for n >= 2; E K = |Gamma| (n^2 - 1).
    """
    return n**2 * log(n)


@theorem(
    "wzw25.thm7.1",
    part="selection",
    reading="rate[n]",
    kind="rate",
    says=r"\mathrm{selection\ excess}\propto n^{-1}\log n",
    needs=[at_least("first", 2), at_least("last", 2)],
    source="registered surrogate: the winner's excess over the best of known scores, divided by n",
)
def selection_rate(*, first, last, epsilon, delta):
    """The selection of Theorem 7.1 costs 1/n up to logarithms, with scores that are as hard as can be

    (last/first)^(-1 + 0.1) times the ratio of sqrt(log(A/delta) log A), A = |Gamma| (n^2 - 1), at both ends.
    """

    def spread(n):
        a = log(grid_size(n=n) * (n**2 - 1))
        return sqrt(a * (a - log(delta)))

    return (last / first) ** -0.9 * spread(last) / spread(first)
