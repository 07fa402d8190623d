"""Private tuning of the margin: Lemmas K.5 and K.6 and Theorem 7.1 of Wang, Zhu & Wang (2025).

Algorithm 6 is Algorithm 3 with Algorithm 4 for its selection: K ~ TNB(1, r) runs, r = 1/(|Theta| (n^2 - 1)), of which
each draws a margin gamma uniformly from Theta, runs Algorithm 1 at width gamma/3 with budget mu/sqrt 2, and counts its
errors with noise N(0, 2/mu^2). Rows have norm at most 1.

Arguments: `gammas` the margins of Theta, `outliers` for each the smallest |S_out| with S_out in S_out(gamma), `size`
|Theta|, `rows` for each the dimension k of its projection and `steps` its number T of gradient steps. n >= 2: at n = 1
r is infinite. gamma > 0: at gamma = 0 Algorithm 1 has no loss function, and the bounds are infinite.
"""

from collections.abc import Sequence
from functools import partial
from math import log, log2, sqrt
from typing import Any

from lemmata.bounds.theorem import at_least, integer, positive, require, theorem
from lemmata.bounds.wzw25.best_of_runs import UNIT_DELTA, tail_at, tuning_budget
from lemmata.bounds.wzw25.margin_grid import grid_size
from lemmata.bounds.wzw25.one_margin import summed_loss
from lemmata.bounds.wzw25.run_counts import UNIT_BETA
from lemmata.bounds.wzw25.winner import drawn_probability, runs_given_drawn

Margins = Sequence[float]
Counts = Sequence[int]  # a number for each margin
MARGINS = [
    require("0 < gamma <= 1 for every gamma", lambda gammas: len(gammas) > 0 and all(0 < g <= 1 for g in gammas)),
    require(
        "0 <= outliers <= n, one number a gamma",
        lambda gammas, outliers, n: len(outliers) == len(gammas) and all(0 <= m <= n for m in outliers),
    ),
]
BUDGET = [integer("n", 2), integer("size"), UNIT_DELTA, positive("epsilon")]
RANGE = require(
    "epsilon <= 24 log(|Theta| (n^2 - 1) / delta)",
    lambda epsilon, delta, size, n: epsilon <= 12 * tail_at(r=repetition_r(n, size), delta=delta) ** 2 * (1 + 1e-15),
)
TUNED = [integer("n", 2), UNIT_DELTA, positive("epsilon"), *MARGINS]
OVER = r"\min_{\gamma\in\Theta,\,S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\gamma)}"
ERROR = r"\mathbb{E}[\tilde{\mathcal R}_S(\bar w_{\mathrm{out}})]\le"
OVER_GRID = OVER.replace("Theta", "Gamma")
OUT = r"\frac{|S_{\mathrm{out}}|}{\gamma n}"
GRID_LOSS = (
    r"\Pr_\Phi\left[\min_{\gamma\in\Gamma}\mathbb{E}[\tilde L_{\gamma/3}(\bar{w}_\gamma;\Phi_\gamma S)]\le"
    + OVER_GRID
    + r"O\left(\frac{\log^{1/2}(|\Gamma|(n+2)(n+1)/\beta)}{\gamma^2n\mu}+"
    + OUT
)
EXPLICIT_SAYS = (
    r"\min_{\gamma}\left\{\frac{|S_{\mathrm{out}}|}{n}\left(1+\frac3\gamma s\right)+\frac{\Delta_\gamma}{n}"
    r"\sqrt{\frac{n^2}{T}+\frac{2k_\gamma}{\mu^2}}\right\}+\frac{\sqrt2}{\mu n}\sqrt{2\log\mathbb{E}[K\mid Y]}"
)


def repetition_r(n: int, size: int) -> float:
    """r = 1 / (|Theta| (n^2 - 1)), so that E K = |Theta| (n^2 - 1); n >= 2.

    >>> round(1 / repetition_r(10, 5), 6)
    495.0
    """
    return 1 / (size * (n**2 - 1))


# Theorem 7.1 ----------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.thm7.1",
    part="privacy",
    kind="privacy",
    says=r"\mu=\frac{\varepsilon}{6\sqrt{2\log(|\Theta|(n^2-1)/\delta)}}\ \Rightarrow\ "
    r"(\varepsilon+\delta,\delta)\mathrm{-DP},\quad\varepsilon\in(\delta,24\log(|\Theta|(n^2-1)/\delta))",
    needs=[*BUDGET, RANGE, require("epsilon > delta", lambda epsilon, delta: epsilon > delta)],
)
def tuned_margin_budget(*, epsilon: float, delta: float, n: int, size: int) -> float:
    """The Gaussian budget of one run of Algorithm 3 with private tuning.

    Lemma K.6, privacy, for any finite Theta in (0, 1]. epsilon > delta is not needed.

    >>> round(tuned_margin_budget(epsilon=1.0, delta=1e-5, n=1000, size=11) / sqrt(2), 4)
    0.0158
    """
    return tuning_budget(epsilon=epsilon, r=repetition_r(n, size), delta=delta)


@theorem(
    "wzw25.thm7.1",
    part="utility",
    kind="mean",
    says=ERROR + OVER + r"O\left(\frac{\log(|\Theta|n/\delta)}{\gamma^2n\varepsilon}+" + OUT + r"+\frac{1}{n^2}\right)",
    needs=TUNED,
    source=", which prints a subset sign for S_out in S_out(gamma)",
)
def tuned_margin_order(*, n: int, epsilon: float, delta: float, gammas: Margins, outliers: Counts) -> float:
    """The order of the expected error of Algorithm 3 with private tuning.

    The printed proof covers |Theta| <= 4 log2 n only and ends in O~; the statement is about any finite Theta, and true:
    put a = log(|Theta| n), D = log(1/delta), A = |Theta|(n^2-1). In the explicit reading 1/mu_b = 12 sqrt(log(A/delta))
    /epsilon, log(A/delta) <= 2 (a + D), k + 1 <= (15.5 log(|Theta| n^2 (2n+1)) + 2)/gamma^2 with log(...) at
    most (3 + log 2.5/log 2) a, so noise and selection are at most C times the first term, an outlier costs at most
    4.84/gamma, and P(not Y) + beta <= 2/n^2.
    """
    common: dict[str, Any] = {"n": n, "size": len(gammas), "epsilon": epsilon, "delta": delta}
    return min(margin_term(gamma=g, outliers=m, **common) for g, m in zip(gammas, outliers, strict=True)) + 1 / n**2


def margin_term(*, n: int, size: int, epsilon: float, delta: float, gamma: float, outliers: int) -> float:
    """The expression inside the O(.) of Theorem 7.1 at one margin, without 1/n^2."""
    return (log(size * n) - log(delta)) / (gamma**2 * n * epsilon) + outliers / (gamma * n)


@tuned_margin_order.explicit(
    says=ERROR + EXPLICIT_SAYS + r"+\Pr[Y^c]+\beta", source="Lemma K.6 (explicit), and errors are at most n"
)
def tuned_margin_error(
    *,
    n: int,
    epsilon: float,
    delta: float,
    gammas: Margins,
    outliers: Counts,
    rows: Counts,
    steps: Counts,
    **variant: Any,
) -> float:
    """The expected error of Algorithm 3 with private tuning, with our constants.

    `tuned_error_given_drawn` + (1 - t)/(n^2 - t) + 1/n^2, t = 1/|Theta|; the last term only with projections.

    >>> margin = dict(gammas=[0.5], outliers=[0], rows=[2], projected=False, stride="tuned")
    >>> round(tuned_margin_error(n=30, epsilon=100.0, delta=1e-5, steps=[1555], **margin), 2)
    0.39
    """
    margins: dict[str, Any] = {"gammas": gammas, "outliers": outliers, "rows": rows, "steps": steps}
    given = tuned_error_given_drawn(n=n, epsilon=epsilon, delta=delta, **margins, **variant)
    missed = 1 - drawn_probability(eta=1, r=repetition_r(n, len(gammas)), size=len(gammas))
    return given + missed + (1 / n**2 if variant.get("projected", True) else 0.0)


@tuned_margin_budget.rate(
    "n",
    part="selection",
    says=r"\mathrm{selection\ excess}\propto n^{-1}\log n",
    kind="rate",
    needs=[at_least("first", 2), at_least("last", 2)],
    source="registered surrogate: the winner's excess over the best of known scores, divided by n",
)
def selection_rate(*, first: int, last: int, epsilon: float, delta: float) -> float:
    """Private tuning's selection costs 1/n up to logarithms, for the hardest scores.

    (last/first)^(-1 + 0.1) times the ratio of sqrt(log(A/delta) log A), A = |Gamma| (n^2 - 1), at both ends.
    """

    def spread(n: int) -> float:
        a = log(grid_size(n=n) * (n**2 - 1))
        return sqrt(a * (a - log(delta)))

    return (last / first) ** -0.9 * spread(last) / spread(first)


# Theorem 7.1: the steps of its proof; Equation 29 goes from the grid to every S_out by Lemma 6.4 ----------------------


@theorem("wzw25.thm7.1.s1", says=r"|\Gamma|\le 4\log_2n\quad(n\gt 2)", needs=[integer("n", 2)])
def most_margins(*, n: int) -> float:
    """The grid of Algorithm 3 has at most 4 log2(n) margins.

    The list has floor(log2 n) + 2 <= log2 n + 2 entries (cf. Lemma 6.4, part size), so it holds at n = 2 too; 3 log2 n
    would do.

    >>> most_margins(n=2), most_margins(n=4)
    (4.0, 8.0)
    """
    return 4 * log2(n)


@theorem(
    "wzw25.thm7.1.s2",
    says=r"\frac{12\log(n^2|\Gamma|/\delta)}{n\varepsilon}\le\frac{12\log(n^2\log_2(n)/\delta)}{n\varepsilon}",
    needs=[integer("n", 2), UNIT_DELTA, positive("epsilon")],
    source=", proof, Equation 27",
)
def inserted_as_printed(*, n: int, delta: float, epsilon: float) -> float:
    """The cost of private selection with the size of the grid put in, as printed.

    Always less than the left side: |Gamma| > log2 n. The 4 of |Gamma| <= 4 log2 n is lost.
    """
    return 12 * (log(n**2 * log2(n)) - log(delta)) / (n * epsilon)


@inserted_as_printed.corrected(
    says=r"\frac{12\log(n^2|\Gamma|/\delta)}{n\varepsilon}\le\frac{12\log(4n^2\log_2(n)/\delta)}{n\varepsilon}",
    source=", proof, Equation 27, with the 4",
)
def inserted(*, n: int, delta: float, epsilon: float) -> float:
    """The cost of private selection with 4 log2(n) margins put in.

    At m = 4 log2 n (step s1).
    """
    return 12 * (log(n**2 * most_margins(n=n)) - log(delta)) / (n * epsilon)


# Lemma K.5 ------------------------------------------------------------------------------------------------------------


def grid_term(*, n: int, size: int, mu: float, beta: float, gamma: float, outliers: int) -> float:
    """Inside the O(.) of Lemma K.5 at one margin: log^{1/2}(|Gamma| (n+2)(n+1)/beta)/(gamma^2 n mu) + m/(gamma n)."""
    spread = sqrt(log(size) + log((n + 2) * (n + 1)) - log(beta))
    return spread / (gamma**2 * n * mu) + outliers / (gamma * n)


@theorem(
    "wzw25.lemK.5",
    kind="mean",
    says=GRID_LOSS + r"\right)\wedge 1\right]\ge 1-\beta",
    needs=[integer("n"), positive("mu"), UNIT_BETA, *MARGINS],
    source=", Equation 25",
)
def grid_loss_order_capped(*, n: int, mu: float, beta: float, gammas: Margins, outliers: Counts) -> float:
    """The order of the best expected hinge loss over the grid, at most 1, as printed.

    The averaged hinge loss is not bounded by 1: it is 1 at w = 0, and convex. (Phi in R^{d x k} is a misprint for
    k x d.)
    """
    return min(1.0, grid_loss_order.theorem.formula(n=n, mu=mu, beta=beta, gammas=gammas, outliers=outliers))


@grid_loss_order_capped.corrected(says=GRID_LOSS + r"\right)\right]\ge 1-\beta", source=", without the minimum with 1")
def grid_loss_order(*, n: int, mu: float, beta: float, gammas: Margins, outliers: Counts) -> float:
    """The order of the best expected hinge loss over the grid of margins.

    The constant is that of the explicit reading: with k <= 15.5 log(|Gamma| (2n+1)/beta)/gamma^2 + 1, T >= n^2 mu^2 and
    2n + 1 <= (n+1)(n+2) the noise is at most 12 sqrt(k + 1)/(gamma n mu) <= 12 sqrt(15.5 + 2/log 6) times the first
    term, and an outlier costs at most 4.84/gamma.
    """
    common: dict[str, Any] = {"n": n, "size": len(gammas), "mu": mu, "beta": beta}
    return min(grid_term(gamma=g, outliers=m, **common) for g, m in zip(gammas, outliers, strict=True))


@grid_loss_order_capped.explicit(
    says=r"\min_{\gamma\in\Gamma}\mathbb{E}[\tilde L_{\gamma/3}(\bar{w}_\gamma;\Phi_\gamma S)]\le\min_{\gamma\in\Gamma}"
    r"\left\{\frac{|S_{\mathrm{out}}|}{n}\left(1+\frac3\gamma s\right)+\frac{\Delta_\gamma}{n}"
    r"\sqrt{\frac{n^2}{T}+\frac{k_\gamma}{\mu^2}}\right\}",
    source="Lemma C.1 (explicit) and Lemma 6.2 (explicit) at beta / |Gamma|",
)
def grid_loss(
    *, n: int, mu: float, gammas: Margins, outliers: Counts, rows: Counts, steps: Counts, **variant: Any
) -> float:
    """The best expected hinge loss over the grid of margins, with our constants.

    `summed_loss` / n at the best margin; `variant` is its `projected` and `stride`. With `rows` = `third_margin_rows`
    at beta / |Gamma| each projection fails with probability at most beta / |Gamma|, all together with at most beta; min
    over gamma of E is at most E at any gamma.

    >>> round(grid_loss(n=10**6, mu=1.0, gammas=[1.0, 0.5], outliers=[50, 0], rows=[502, 1605], steps=[10**12] * 2), 6)
    0.0005
    """
    each = zip(gammas, outliers, rows, steps, strict=True)
    return min(summed_loss(n=n, mu=mu, gamma=g, outliers=m, rows=k, steps=t, **variant) for g, m, k, t in each) / n


# Lemma K.6 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemK.6",
    part="privacy",
    kind="privacy",
    says=r"Q=TNB_{1,\frac{1}{|\Gamma|(n^2-1)}},\ \mu=\frac{\varepsilon}{6\sqrt{2\log(|\Gamma|(n^2-1)/\delta)}}\ "
    r"\Rightarrow\ \mathcal{M}'\ (\varepsilon+\delta,\delta)\mathrm{-DP},"
    r"\quad\varepsilon\le24\log(|\Gamma|(n^2-1)/\delta)",
    needs=[*BUDGET, RANGE],
)
def margin_budget(*, epsilon: float, delta: float, n: int, size: int) -> float:
    """The Gaussian budget of one run of Algorithm 6, private tuning of the margin.

    Theorem K.3 at r = 1/(|Gamma| (n^2 - 1)). Grid, projections, T and the law of K depend on n and d only; scores
    count errors and change by at most 1; n >= 2 (at n = 1 r is infinite).

    >>> [round(margin_budget(epsilon=1.0, delta=1e-5, n=n, size=s) / sqrt(2), 4) for n, s in [(10, 5), (100, 8)]]
    [0.0198, 0.0175]
    """
    return tuning_budget(epsilon=epsilon, r=repetition_r(n, size), delta=delta)


@theorem(
    "wzw25.lemK.6",
    part="utility",
    kind="mean",
    says=ERROR
    + OVER_GRID
    + r"O\left(\frac{\log^{1/2}(|\Gamma|(n+2)(n+1)/\beta)\,\log^{1/2}(|\Gamma|(n^2-1)/\delta)}{\gamma^2\varepsilon n}+"
    + OUT
    + r"\right)+\frac{12\log(n^2|\Gamma|/\delta)}{n\varepsilon},\quad\beta=n^{-2}",
    needs=TUNED,
    source=", Equation 26",
)
def tuned_order(*, n: int, epsilon: float, delta: float, gammas: Margins, outliers: Counts) -> float:
    """The order of Algorithm 6's error given the best margin and good projections.

    Without the last term, which has a printed constant and comes from a step that loses sqrt 2 (s2): the first term
    covers it. "With probability at least 1 - 2 beta" is the event Y and the event of Lemma 6.2.
    """
    term = partial(tuned_term, n=n, size=len(gammas), epsilon=epsilon, delta=delta)
    return min(term(gamma=g, outliers=m) for g, m in zip(gammas, outliers, strict=True))


def tuned_term(*, n: int, size: int, epsilon: float, delta: float, gamma: float, outliers: int) -> float:
    """The expression inside the O(.) of Lemma K.6 at one margin, beta = 1/n^2."""
    spread = sqrt(log(size * (n + 2) * (n + 1) * n**2) * (log(size * (n**2 - 1)) - log(delta)))
    return spread / (gamma**2 * epsilon * n) + outliers / (gamma * n)


@tuned_order.explicit(
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\bar w_{\mathrm{out}})\mid Y,\Phi]\le" + EXPLICIT_SAYS,
    source="Lemma K.4 (corrected), Lemma C.1 (explicit) and Lemma 6.2 (explicit)",
)
def tuned_error_given_drawn(
    *,
    n: int,
    epsilon: float,
    delta: float,
    gammas: Margins,
    outliers: Counts,
    rows: Counts,
    steps: Counts,
    **variant: Any,
) -> float:
    """The error of Algorithm 6 given the best margin and a good projection.

    The winner's errors are at most those of the first run at the best margin plus sigma sqrt(2 log E[K | Y]), sigma =
    sqrt(2)/mu (line 7 of Algorithm 4 with Delta = 1 for a count), and errors are at most the hinge loss of
    `summed_loss` at budget mu / sqrt 2. All divided by n.
    """
    run = partial(tuned_error_at, n=n, size=len(gammas), epsilon=epsilon, delta=delta, **variant)
    each = zip(gammas, outliers, rows, steps, strict=True)
    return min(run(gamma=g, outliers=m, rows=k, steps=t) for g, m, k, t in each)


def tuned_error_at(*, n: int, size: int, epsilon: float, delta: float, **margin: Any) -> float:
    """The bound of `tuned_error_given_drawn` at one `margin` (gamma, outliers, rows, steps) of |Gamma| = `size`."""
    r = repetition_r(n, size)
    mu = tuning_budget(epsilon=epsilon, r=r, delta=delta)
    loss = summed_loss(n=n, mu=mu / sqrt(2), **margin)
    return (loss + sqrt(2) / mu * sqrt(2 * log(runs_given_drawn(eta=1, r=r, size=size)))) / n


# Lemma K.6: the steps of its proof ------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemK.6.s1",
    says=r"\Pr[Y]\ge 1-\beta,\quad\beta=n^{-2},\ r=\frac{1}{|\Gamma|(n^2-1)}",
    needs=[integer("n", 2), integer("size")],
)
def missed_probability(*, n: int, size: int) -> float:
    """Private tuning misses the best margin with probability at most 1/n^2.

    1 - P(Y) = (1 - t)/(n^2 - t) with t = 1/|Gamma|.
    """
    return 1 / n**2


@theorem(
    "wzw25.lemK.6.s2",
    kind="mean",
    says=r"\mathbb{E}[\hat{\mathcal R}_S(\bar w_{\mathrm{out}})\mid Y]\le\min_{\gamma}\mathbb{E}[\hat L_{\gamma/3}]+"
    r"\frac{\sqrt2}{\mu}\sqrt{\log(|\Gamma|(n^2-1))}",
    needs=[integer("n", 2), integer("size"), positive("mu")],
    source=", proof, 'Lemma K.4'",
)
def selection_term_as_printed(*, n: int, size: int, mu: float) -> float:
    """The errors that private tuning's selection adds in expectation, as printed.

    Lemma K.4 has sigma sqrt(2 log E K), and Algorithm 4's line 7 sigma = sqrt 2 / mu: the product is sqrt 2 times this.
    The inequality itself, for scores that Lemma K.4 allows, fails only for enormous |Gamma|.
    """
    return sqrt(2) / mu * sqrt(log(size * (n**2 - 1)))


@selection_term_as_printed.corrected(
    says=r"\mathbb{E}[\hat{\mathcal R}_S(\bar w_{\mathrm{out}})\mid Y]\le\min_{\gamma}\mathbb{E}[\hat L_{\gamma/3}]+"
    r"\frac{2}{\mu}\sqrt{\log(|\Gamma|(n^2-1))}",
    source=", proof, with the deviation of Algorithm 4's line 7",
)
def selection_term(*, n: int, size: int, mu: float) -> float:
    """Private tuning's selection adds sigma sqrt(2 log E K) to the expected errors.

    With sigma = sqrt 2 / mu (Lemma K.4).

    >>> round(selection_term(n=10, size=5, mu=1.0), 4)
    4.9818
    """
    return sqrt(2) * selection_term_as_printed.theorem.formula(n=n, size=size, mu=mu)


@theorem(
    "wzw25.lemK.6.s3",
    says=r"\frac{\sqrt2}{\mu}\log^{1/2}A=\frac{12\log^{1/2}A\,\log^{1/2}(A/\delta)}{\varepsilon}"
    r"\le\frac{12\log(n^2|\Gamma|/\delta)}{\varepsilon},\quad A=|\Gamma|(n^2-1)",
    needs=BUDGET,
)
def selection_in_epsilon(*, n: int, size: int, epsilon: float, delta: float) -> float:
    """The errors that the selection adds: 12 log(n^2 |Gamma|/delta)/epsilon.

    Derivation. mu = epsilon/(6 sqrt(2 log(A/delta))), so sqrt(2)/mu = 12 sqrt(log(A/delta))/epsilon. A <= n^2 |Gamma|
    and delta < 1, so both log A and log(A/delta) are at most log(n^2 |Gamma|/delta).
    """
    return 12 * (log(n**2 * size) - log(delta)) / epsilon
