"""The error of Algorithm 3 on its data: Theorem 6.5, Lemmas H.2 and H.3 of Wang, Zhu & Wang (2025).

Algorithm 3 with the number of errors as its score: for every gamma of the grid Algorithm 1 with the budget mu_c =
mu / sqrt(2 |Gamma|), and the candidate with the fewest noisy errors. mu = epsilon / (2 sqrt(2 log(1/delta))), so that
1/mu_c = 4 sqrt(|Gamma| log(1/delta)) / epsilon, beta = 1/n^2 and k_gamma is Lemma 6.2's at beta/|Gamma|. The radius b
is 1 until Appendix L; there the grid is multiplied by b. `gamma` is the margin of S without S_out, `outliers` |S_out|.

Our reading of an O~(.): the hidden logarithms are `mean_logs` and `tail_logs` below, factors of the terms with epsilon.
They contain log(1/delta), as in the printed proofs. Printed is a minimum over all S_out in S with gamma(S without
S_out) > 0; the margin of no record, a minimum over nothing, is +inf, so S_out = S is among them and its term is 0. The
corrected readings leave it out: then 0 < gamma <= b. Lemma 6.4, by which the paper leaves the grid, is true for epsilon
<= 4n; the theorems are true beyond, by `error_off_grid`.
"""

from collections.abc import Sequence
from math import inf, log, sqrt

from lemmata.bounds.theorem import in_unit_interval, integer, positive, require, theorem
from lemmata.bounds.wzw25 import WZW25, algorithms
from lemmata.bounds.wzw25.algorithms import IN_RANGE, RANGE, RATE, descent, margin_grid, outlier_cost
from lemmata.bounds.wzw25.last_iterate import weighted_tail
from lemmata.bounds.wzw25.margin_grid import grid_size
from lemmata.bounds.wzw25.noisy_gd import balanced_steps, printed_steps
from lemmata.bounds.wzw25.one_margin import FEW, WITHIN_RADIUS
from lemmata.bounds.wzw25.projected_margins import stretch
from lemmata.bounds.wzw25.whole_grid_proof import call_budget

SIZES = [integer("n"), positive("radius"), integer("outliers", 0)]
SAMPLE_NEEDS = [*SIZES, positive("gamma"), WITHIN_RADIUS, FEW]
GENERAL = [*SAMPLE_NEEDS, *RANGE]
NOT_ALL = require("outliers < n: S_out is not all of S", lambda outliers, n: outliers < n)
ANY_SET = require(
    "0 < gamma <= radius and outliers < n, or S_out is all of S and gamma = inf",
    lambda gamma, radius, outliers, n: (0 < gamma <= radius and outliers < n) or (gamma, outliers) == (inf, n),
)
RISK = r"\mathbb{E}_{\mathcal{A}}[\tilde{\mathcal R}_S(\bar{\mathbf{w}}_{\mathrm{out}})]"
LAST = r"\tilde{\mathcal R}_S(\mathbf{w}_{\mathrm{out}})"
ON_GRID = r"\min_{\gamma\in\Gamma}\min_{S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\gamma)}"
TERMS_B = r"\frac{b^2}{n\gamma^2\varepsilon}+\frac{b|S_{\mathrm{out}}|}{\gamma n}"
SURE = r"\quad\mathrm{w.p.}\ 1-\frac{3}{n^2}"
UNIT_BALL = require("radius = 1 until Appendix L", lambda radius: radius == 1)
PRINTED = [*SIZES, ANY_SET, *RANGE, UNIT_BALL]
PROPER = [*GENERAL, NOT_ALL, UNIT_BALL]
ON_SETS = r"\min_{S_{\mathrm{out}}\subset S,\,\gamma:=\gamma(S\setminus S_{\mathrm{out}})>0}"
ON_PROPER = ON_SETS.replace(r"\subset S,", r"\subset S,\,S_{\mathrm{out}}\ne S,")
TERMS = r"\frac{1}{\gamma^2n\varepsilon}+\frac{|S_{\mathrm{out}}|}{\gamma n}"
OUTLIERS = r"\frac{|S_{\mathrm{out}}|}{n}\left(1+\frac{3.84\,b}{\gamma'}\right)"
QUANTILE = (  # the error of the last iterate, with the symbols of SYMBOLS
    OUTLIERS + r"+\max(1,D^2)(4+3\log T)\frac{12b}{\tilde{\gamma}n\mu_c}\sqrt{1+k\log(|\Gamma|n^2)}"
    r"+\frac{2\sqrt{\log(|\Gamma|n^2)}}{n\mu_c}"
)
SYMBOLS = (  # as `comparator`, `call_budget`, `printed_steps` and Lemma 6.2 (explicit) compute them
    r",\quad \mu_c=\frac{\varepsilon}{4\sqrt{|\Gamma|\log(1/\delta)}},\ |\Gamma|=\lceil\log_2 n\rceil+1,"
    r"\ T=\lceil n^2\mu_c^2\rceil,\quad k=\left\lceil"
    r"\frac{9+9g+4g^2+9g^3}{2g^2}\log(|\Gamma|(2n+1)n^2)\right\rceil,\ g=\frac{\tilde{\gamma}}{b},"
    r"\quad \gamma\ge\frac{b}{n}:\ \gamma'=\tilde{\gamma}=\max\{x\in b\Gamma:x\le\gamma\},\ D=1,"
    r"\quad \gamma<\frac{b}{n},\ n\ge 4:\ \tilde{\gamma}=\frac{b}{n},\ \gamma'=\frac{3\gamma}{\sqrt{2}},"
    r"\ D=\frac{\sqrt{2}b}{3n\gamma}"
)

# Theorem 6.5 = H.1: privacy -------------------------------------------------------------------------------------------


@theorem(
    "wzw25.thm6.5",
    part="privacy",
    kind="privacy",
    says=IN_RANGE + r"\quad\mathrm{with\ score}\ \tilde{\mathcal R}_S",
    needs=RANGE,
    source=f"{WZW25}, Theorem 6.5; Appendix H, Theorem H.1",
)
def empirical_privacy(*, epsilon: float, delta: float) -> float:
    """DP Adaptive Margin with the empirical error as score: the least delta at epsilon.

    That of its Gaussian budget mu = epsilon / (2 sqrt(2 log(1/delta))): at most delta / 2.

    Derivation. (1) The grid, k_gamma, Phi_gamma, T, sigma, eta depend on n, d, epsilon, delta, beta only. (2) Each run
    of Algorithm 1 at mu_c = mu / sqrt(2 |Gamma|) = epsilon / (4 sqrt(|Gamma| log(1/delta))) is mu_c-GDP (Lemma 6.3),
    for any gamma in Gamma, gamma = 1 included. (3) The averaged error of a fixed classifier changes by at most 1/n, and
    its noise has standard deviation 1 / (n mu_c): mu_c-GDP; the summed error with Delta = 1 is the same. (4) Algorithm
    2 spends mu (Lemma E.3, part iter). (5) epsilon < 8 log(1/delta) is mu < 2 sqrt(2 log(1/delta)), so mu-GDP implies
    (2 mu sqrt(2 log(1/delta)), delta) = (epsilon, delta)-DP (Corollary E.2). T = n^2 mu_c^2 is rarely a whole number:
    sigma must be Delta sqrt(T) / mu_c for the T that is run (Lemma C.1), as our code does.

    >>> empirical_privacy(epsilon=92.0, delta=1e-5) < 0.5e-5
    True
    """
    return algorithms.spent_delta(epsilon, delta)


def mean_logs(n: int, delta: float) -> float:
    """The logarithms that Lemma H.2 hides: sqrt(|Gamma| log(1/delta) log(|Gamma| (n+1) (n+2) n^2)).

    The last of them is the logarithm of k_gamma at beta = 1/n^2.

    >>> round(mean_logs(1000, 1e-5), 1)
    61.7
    """
    size = grid_size(n=n)
    return sqrt(size * -log(delta) * log(size * (n + 1) * (n + 2) * n**2))


def tail_logs(n: int, epsilon: float, delta: float) -> float:
    """The logarithms that Lemma H.3 hides: also sqrt(log(|Gamma| n^2)) and 4 + 3 log T, T = n^2 mu_c^2 rounded up.

    T <= 1 + 4 n^2 log(1/delta).
    """
    last = sqrt(log(grid_size(n=n) * n**2)) * algorithms.slow_factor(n, call_budget(n=n, epsilon=epsilon, delta=delta))
    return mean_logs(n, delta) * last


def terms(n: int, gamma: float, outliers: int, epsilon: float, radius: float) -> tuple[float, float]:
    """b^2/(n gamma^2 epsilon) and b |S_out|/(gamma n)."""
    return radius**2 / (n * gamma**2 * epsilon), radius * outliers / (gamma * n)


# Theorem 6.5 = H.1: the error on the sample ---------------------------------------------------------------------------


@theorem(
    "wzw25.thm6.5",
    part="expectation",
    kind="mean",
    says=RISK + r"\le" + ON_SETS + r"\tilde O\left(" + TERMS + r"+\frac{1}{n^2}\right)\wedge 1",
    needs=PRINTED,
    source=f"{WZW25}, Theorem 6.5 (1) = H.1 (1)",
)
def mean_order(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0) -> float:
    """The order of Algorithm 3's expected error for any outlier set, averaged iterates.

    At S_out = S, gamma = inf, it is 1/n^2 for every dataset. Where some record is left: 1/(n epsilon) <= 1/(gamma^2 n
    epsilon) as gamma <= 1. Between grid margins the first term grows by at most 4 and the second by 2 (Lemma G.1).
    Below 1/n `error_off_grid` helps (cf. Lemma 6.4, which does for epsilon <= 4n only).

    >>> mean_order(n=10, gamma=inf, outliers=10, epsilon=1.0, delta=1e-5)
    0.01
    """
    return sum(terms(n, gamma, outliers, epsilon, radius)) + 1 / n**2


mean_order_proper = mean_order.corrected(
    says=RISK + r"\le" + ON_PROPER + r"\tilde O\left(" + TERMS + r"+\frac{1}{n^2}\right)\wedge 1", needs=PROPER
)(mean_order.theorem.formula)


@theorem(
    "wzw25.thm6.5",
    part="tail",
    kind="tail",
    says=LAST + r"\le" + ON_SETS + r"\tilde O\left(" + TERMS + r"+\frac{1}{n}\right)\wedge 1" + SURE,
    needs=PRINTED,
    source=f"{WZW25}, Theorem 6.5 (2) = H.1 (2)",
)
def tail_order(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0) -> float:
    """The order of Algorithm 3's error for any outlier set, last iterates."""
    return sum(terms(n, gamma, outliers, epsilon, radius)) + 1 / n


tail_order_proper = tail_order.corrected(
    says=LAST + r"\le" + ON_PROPER + r"\tilde O\left(" + TERMS + r"+\frac{1}{n}\right)\wedge 1" + SURE, needs=PROPER
)(tail_order.theorem.formula)


def nearest_below(n: int, gamma: float, radius: float) -> float | None:
    """The largest margin of the grid that is at most gamma, or None."""
    return max((float(level) for level in margin_grid(n, radius) if level <= gamma * (1 + 1e-12)), default=None)


def squared_comparator(n: int, gamma: float, radius: float) -> float:
    """||w_ref||^2 for a margin below the grid: 2 (c/gamma)^2 with c = b/(3n).

    Phi keeps every direction of the span of the records up to a factor sqrt(1/2): a 1/10-net of its sphere has at most
    21^n points, whose squared norms change by at most 2/5, so that those of the sphere change by 1/2, and 2 21^n
    exp(-k (1/25 - 4/375)) <= 1/n^2 at k = k_{b/n}: for n = 4 as k = 566, for n >= 5 as k >= 4.5 n^2 log(|Gamma| (2n+1)
    n^2). So Phi S_in has margin gamma/sqrt 2 at least.
    """
    return 2 * (radius / (3 * n * gamma)) ** 2


def comparator(n: int, gamma: float, radius: float) -> tuple[float, float, float]:
    """(Margin of the grid, margin that the outliers' cost is counted at, squared norm of w_ref) for a margin gamma."""
    if level := nearest_below(n, gamma, radius):
        return level, level, 1.0
    return radius / n, 3 * gamma / sqrt(2), squared_comparator(n, gamma, radius)


@empirical_privacy.explicit(
    part="off-grid",
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\mathrm{out})]\le"
    + OUTLIERS
    + r"+\frac{1+D^2}{2}\,\frac{12b}{\tilde{\gamma}n}"
    r"\sqrt{\frac{n^2}{T}+\frac{k}{\mu_c^2}}+\frac{\sqrt{2\log|\Gamma|}}{n\mu_c}+\frac{1}{n^2}" + SYMBOLS,
    kind="mean",
    needs=GENERAL,
    source="Lemma H.2 (explicit), for margins off the grid and below it",
)
def error_off_grid(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0) -> float:
    """The expected error of Algorithm 3 for any outlier set, margins off the grid too.

    T = n^2 mu_c^2 rounded up, every candidate projected. gamma >= b/n: the nearest grid margin below, more than
    gamma/2, needs no more outliers; D = 1, gamma' = that margin. gamma < b/n: the smallest grid margin b/n and a
    comparator of norm D = sqrt 2 (b/(3n))/gamma (`squared_comparator`), which has no loss on the projected inliers and
    1 + 3nD ||Phi x||/b on an outlier, ||Phi x|| <= 1.28 b: gamma' = 3 gamma/sqrt 2. The descent does not know
    D: its regret D^2/(2 eta T) + eta G^2/2 is (1 + D^2)/2 times that for D = 1. For n <= 3, where the net argument
    fails, below the grid: 1.
    """
    if n < 4 and nearest_below(n, gamma, radius) is None:
        return 1.0
    each = call_budget(n=n, epsilon=epsilon, delta=delta)
    low, kept, square = comparator(n, gamma, radius)
    variance = n**2 / printed_steps(n, each) + algorithms.projection_rows(n, low, radius) / each**2
    noise = (1 + square) / 2 * 12 * radius / low * sqrt(variance)
    loss = outliers * (1 + 3 * radius * stretch(1.0) / kept) + noise + sqrt(2 * log(grid_size(n=n))) / each
    return loss / n + 1 / n**2


@empirical_privacy.explicit(
    part="tail-off-grid",
    says=LAST + r"\le" + QUANTILE + SURE + SYMBOLS,
    kind="tail",
    needs=GENERAL,
    source="Lemma 6.3 (part closed), Lemma F.2 (explicit), margins off the grid as in part off-grid",
)
def quantile_off_grid(
    *, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0
) -> float:
    """The error of Algorithm 3 for any outlier set, last iterates, with our constants.

    Step sizes with log(|Gamma| n^2) for log(1/beta), T = n^2 mu_c^2 rounded up. The derivation of `last_loss` with
    w_ref of norm D has D^2/(eta (T+2)) <= D^2 sqrt(A/T) for its first term: (D^2 + 3 H_T) sqrt(A/T). For n <= 3 below
    the grid: 1.
    """
    if n == 1 or (n < 4 and nearest_below(n, gamma, radius) is None):
        return 1.0
    each, logs = call_budget(n=n, epsilon=epsilon, delta=delta), log(grid_size(n=n) * n**2)
    low, kept, square = comparator(n, gamma, radius)
    slow = max(1.0, square) * algorithms.slow_factor(n, each)
    noise = slow * 12 * radius / (low * each) * sqrt(1 + algorithms.projection_rows(n, low, radius) * logs)
    return (outliers * (1 + 3 * radius * stretch(1.0) / kept) + noise + 2 * sqrt(logs) / each) / n


@empirical_privacy.rate(
    "n",
    part="expectation",
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\bar{\mathbf{w}}_{\mathrm{out}})]\propto n^{-1}\ \mathrm{or\ faster}",
    **RATE,
    source=f"{WZW25}, Theorem 6.5 (1)",
)
def error_along_n(*, first: float, last: float) -> float:
    """The allowed ratio of two errors of Algorithm 3 if they decrease like 1/n."""
    return algorithms.power(first, last, -1)


# Lemmas H.2 and H.3 as printed ----------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemH.2",
    kind="mean",
    says=RISK + "=" + ON_GRID + r"\tilde O\left(" + TERMS_B + r"+\frac{1}{n\varepsilon}+\frac{1}{n^2}\right)",
    needs=GENERAL,
)
def mean_order_on_grid(
    *, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0
) -> float:
    """The order of Algorithm 3's expected error against the best margin of its grid.

    "=" is read as "at most". With 1/mu_c = 4 sqrt(|Gamma| log(1/delta))/epsilon, T >= n^2 mu_c^2 and k_gamma <= 1 +
    15.5 (b/gamma)^2 log(|Gamma| (n+1) (n+2) n^2) the explicit reading's noise is at most 48 sqrt(15.5 + 2/log 96)
    `mean_logs` times the first term (n >= 2), its choice at most 4 sqrt 2 `mean_logs` times the third, and an outlier
    costs at most 4.84 b/gamma.
    At n = 1 the last term is 1.
    """
    return sum(terms(n, gamma, outliers, epsilon, radius)) + 1 / (n * epsilon) + 1 / n**2


@theorem(
    "wzw25.lemH.3",
    kind="tail",
    says=LAST + r"\le" + ON_GRID + r"\tilde O\left(" + TERMS_B + r"+\frac{1}{n\varepsilon}+\frac{1}{n}\right)" + SURE,
    needs=GENERAL,
)
def tail_order_on_grid(
    *, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0
) -> float:
    """The order of Algorithm 3's error against the best grid margin, last iterates.

    The proof's term (c) lacks 1/mu (step s1). With it the choice costs O~(1/(n epsilon)), which is printed; so the
    lemma holds, and the printed 1/n, which comes from the wrong term (c), is not needed. At n = 1 the bound is vacuous.
    """
    return sum(terms(n, gamma, outliers, epsilon, radius)) + 1 / (n * epsilon) + 1 / n


# Lemmas H.2 and H.3: our constants ------------------------------------------------------------------------------------


def candidate(n: int, d: int, gamma: float, each: float, radius: float, steps: int | str) -> tuple[int, int, bool]:
    """(k, T, projected) of one call of Algorithm 1; the identity where k >= d, as in `adaptive_margin.law`."""
    k = algorithms.projection_rows(n, gamma, radius)
    rows = min(k, d)
    return rows, balanced_steps(n, each, rows) if steps == "balanced" else int(steps), k < d


def grid_error(
    n: int, d: int, gamma: float, outliers: int, each: float, radius: float = 1.0, steps: int | str = "balanced"
) -> float:
    """The expected hinge loss of one candidate, and 1/n^2 if it is projected: Lemma D.1 (explicit)."""
    rows, T, projected = candidate(n, d, gamma, each, radius, steps)
    share, failing = gamma / radius, algorithms.failure_probability(n) if projected else 0.0
    loss = algorithms.summed_loss(n=n, gamma=share, outliers=outliers, mu=each, rows=rows, steps=T, projected=projected)
    return loss / n + failing


LEDGER = [
    integer("n"),
    integer("d"),
    positive("mu"),
    positive("radius"),
    require("outliers: one number in 0..n a margin of the grid", lambda outliers, n: _ledger_fits(outliers, n)),
]


def _ledger_fits(outliers: Sequence[int], n: int) -> bool:
    return len(outliers) == grid_size(n=n) and all(0 <= m <= n for m in outliers)


@mean_order_on_grid.explicit(
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\mathrm{out})]\le\min_{\gamma\in\Gamma}\left\{\frac{m(\gamma)}{n}"
    r"\left(1+\frac{3b}{\gamma}s\right)+\frac{\Delta_\gamma}{n}\sqrt{\frac{n^2}{T_\gamma}+\frac{k_\gamma}{\mu_c^2}}"
    r"\right\}+\frac{\sqrt{2\log|\Gamma|}}{n\mu_c}+\frac{1}{n^2}",
    needs=LEDGER,
    source="Lemma D.1 (explicit), Lemma F.1 (explicit)",
)
def adaptive_error(
    *, n: int, d: int, mu: float, outliers: Sequence[int], radius: float = 1.0, steps: int | str = "balanced"
) -> float:
    """The expected error of Algorithm 3 against the best grid margin, our constants.

    `outliers`: m(gamma) for every margin of the grid, ascending, or any larger number that some S_out in S_out(gamma)
    has. `mu` is the whole Gaussian budget. U_out <= U_theta* + xi_theta* - xi_out for the candidate theta* that makes
    the bracket smallest, which depends on no noise: so E U_out <= E U_theta* + E max xi, and E max xi <= sqrt(2
    log|Gamma|)/mu_c (Lemma F.1, explicit). Its projection fails with probability at most 1/(n^2 |Gamma|), and then its
    error is at most 1; without projection the term 1/n^2 is not needed. s = sqrt(1 + gamma/(2b)), Delta = 12 b/gamma
    with projection, s = 1, Delta = 6 b/gamma without.

    >>> round(adaptive_error(n=30, d=2, mu=6.25, outliers=[0, 0, 0, 0, 0, 30]), 2)
    0.45
    """
    each = mu / sqrt(2 * grid_size(n=n))
    levels = zip(margin_grid(n, radius), outliers, strict=True)
    best = min(grid_error(n, d, float(gamma), m, each, radius, steps) for gamma, m in levels)
    return best + sqrt(2 * log(grid_size(n=n))) / (n * each)


@tail_order_on_grid.explicit(
    says=r"\tilde{\mathcal R}_S(\mathrm{out})\le\min_{\gamma\in\Gamma}\left\{\frac{m(\gamma)}{n}"
    r"\left(1+\frac{3b}{\gamma}s\right)+\frac{B_\lambda(\beta)}{n}\right\}"
    r"+\frac{2\sqrt{\log(|\Gamma|/\beta)}}{n\mu_c}\quad\mathrm{w.p.}\ 1-3\beta",
    needs=[
        *LEDGER,
        in_unit_interval("beta"),
        require("beta >= 1 / (n^2 |Gamma|)", lambda beta, n: beta * n**2 * grid_size(n=n) >= 1),
    ],
    source="Lemma 6.3 (part weighted), Lemma F.2 (explicit)",
)
def adaptive_quantile(
    *,
    n: int,
    d: int,
    mu: float,
    outliers: Sequence[int],
    beta: float,
    radius: float = 1.0,
    steps: int | str = "balanced",
) -> float:
    """The error of Algorithm 3 with probability 1 - 3 beta, weighted averages.

    B_lambda is `weighted_tail` at beta, for the one candidate that makes the bracket smallest: it is fixed, so no union
    over the grid. Its projection fails with probability at most 1/(n^2 |Gamma|) <= beta, its descent with beta, the
    choice with beta. Weighted averages, because our bound for the last iterate has a further factor 4 + 3 log T.

    >>> adaptive_quantile(n=30, d=2, mu=12.0, outliers=[0, 0, 0, 0, 0, 30], beta=0.1) < 1
    True
    """
    each = mu / sqrt(2 * grid_size(n=n))
    sums = []
    for gamma, m in zip(margin_grid(n, radius), outliers, strict=True):
        gamma = float(gamma)
        rows, T, projected = candidate(n, d, gamma, each, radius, steps)
        run = descent(n=n, gamma=gamma, mu=each, steps=T, rows=rows, projected=projected, radius=radius)
        sums.append(m * outlier_cost(gamma=gamma / radius, projected=projected) + weighted_tail(**run, beta=beta))
    return (min(sums) + 2 * sqrt(log(grid_size(n=n) / beta)) / each) / n
