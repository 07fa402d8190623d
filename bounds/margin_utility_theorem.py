r"""What Algorithm 3 achieves on its data: Theorems 6.5, 4.1 and L.1 of Wang, Zhu & Wang (2025).

Names and free logarithms as in `bounds.margin_utility_selection`. S_out is not all of S, so 0 < gamma <= b. (The margin
of no record would be +inf, and the right side 1/n^2 for every dataset; cf. `bounds.margin_grid`.) Lemma 6.4, by which
the paper leaves the grid, is true for epsilon <= 4n; the theorems are true beyond, by `error_off_grid`.
"""

from __future__ import annotations

from math import log, sqrt

from bounds.adaptive_margin import margin_grid, projection_rows
from bounds.margin_grid import grid_size
from bounds.margin_utility import WZW25, slow_factor
from bounds.margin_utility_selection import GENERAL, LAST, RISK, SIZES, SURE, TERMS_B, mean_order_on_grid, terms
from bounds.margin_utility_steps import call_budget
from bounds.noisy_gd import printed_steps
from bounds.theorem import in_unit_interval, positive, require, theorem

PRINTED = [*GENERAL, require("radius = 1 until Appendix L", lambda radius: radius == 1)]
SCALED = [*SIZES, in_unit_interval("delta")]
ON_SETS = r"\min_{S_{\mathrm{out}}\subset S,\,\gamma:=\gamma(S\setminus S_{\mathrm{out}})>0}"
TERMS = r"\frac{1}{\gamma^2n\varepsilon}+\frac{|S_{\mathrm{out}}|}{\gamma n}"


def nearest_below(n, gamma, radius):
    """The largest margin of the grid that is at most gamma, or None."""
    return max((float(level) for level in margin_grid(n, radius) if level <= gamma * (1 + 1e-12)), default=None)


def squared_comparator(n, gamma, radius):
    """||w_ref||^2 for a margin below the grid: 2 (c/gamma)^2 with c = b/(3n).

    Phi keeps every direction of the span of the records up to a factor sqrt(1/2): a 1/4-net of its sphere has at most
    9^n points, and 2 9^n exp(-k (1/64 - 1/384)) <= 1/n^2 at k = k_{b/n} >= 16 n^2 log(|Gamma| (3n+1) n^2) for n >= 4.
    So Phi S_in has margin gamma/sqrt 2 at least.
    """
    return 2 * (radius / (3 * n * gamma)) ** 2


@theorem(
    "wzw25.thm6.5",
    part="off-grid",
    reading="explicit",
    kind="mean",
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\mathrm{out})]\le\frac{|S_{\mathrm{out}}|}{n}"
    r"\left(1+\frac{3b\sqrt{3/2}}{\gamma'}\right)+\frac{1+D^2}{2}\,\frac{12b}{\tilde{\gamma}n}"
    r"\sqrt{\frac{n^2}{T}+\frac{k}{\mu_c^2}}+\frac{\sqrt{2\log|\Gamma|}}{n\mu_c}+\frac{1}{n^2}",
    needs=GENERAL,
    source="Lemma H.2 (explicit), for margins off the grid and below it",
)
def error_off_grid(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The expected error of Algorithm 3 for any S_out, on the grid, between its margins or below them all

    T = n^2 mu_c^2 rounded up, every candidate projected. gamma >= b/n: the nearest grid margin below, more than
    gamma/2, needs no more outliers; D = 1, gamma' = that margin. gamma < b/n: the smallest grid margin b/n and a
    comparator of norm D = sqrt 2 (b/(3n))/gamma (`squared_comparator`), which has no loss on the projected inliers and
    1 + 3nD ||Phi x||/b on an outlier, ||Phi x|| <= sqrt(3/2) b: gamma' = gamma/sqrt 2. The descent does not know D: its
    regret D^2/(2 eta T) + eta G^2/2 is (1 + D^2)/2 times that for D = 1. For n <= 3, where the net argument fails,
    below the grid: 1.
    """
    level = nearest_below(n, gamma, radius)
    if level is None and n < 4:
        return 1.0
    each = call_budget(n=n, epsilon=epsilon, delta=delta)
    low = level or radius / n
    kept = level or gamma / sqrt(2)
    rows = projection_rows(n, low, radius)
    T = printed_steps(n, each)
    square = 1.0 if level else squared_comparator(n, gamma, radius)
    noise = (1 + square) / 2 * 12 * radius / low * sqrt(n**2 / T + rows / each**2)
    loss = outliers * (1 + 3 * radius * sqrt(1.5) / kept) + noise + sqrt(2 * log(grid_size(n=n))) / each
    return loss / n + 1 / n**2


@theorem(
    "wzw25.thm6.5",
    part="expectation",
    kind="mean",
    says=RISK + r"\le" + ON_SETS + r"\tilde O\left(" + TERMS + r"+\frac{1}{n^2}\right)\wedge 1",
    needs=PRINTED,
    source=f"{WZW25}, Theorem 6.5 (1) = H.1 (1)",
)
def mean_order(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The expected error of Algorithm 3, averaged iterates: the expression inside O~(.)

    1/(n epsilon) <= 1/(gamma^2 n epsilon) as gamma <= 1. Between grid margins the first term grows by at most 4 and
    the second by 2 (Lemma G.1). Below 1/n, where Lemma 6.4 helps for epsilon <= 4n only, `error_off_grid` does.
    """
    first, second = terms(n, gamma, outliers, epsilon, radius)
    return first + second + 1 / n**2


@theorem(
    "wzw25.thm6.5",
    part="tail",
    kind="tail",
    says=LAST + r"\le" + ON_SETS + r"\tilde O\left(" + TERMS + r"+\frac{1}{n}\right)\wedge 1" + SURE,
    needs=PRINTED,
    source=f"{WZW25}, Theorem 6.5 (2) = H.1 (2)",
)
def tail_order(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The error of Algorithm 3, last iterates, with probability 1 - 3/n^2: the expression inside O~(.)"""
    first, second = terms(n, gamma, outliers, epsilon, radius)
    return first + second + 1 / n


@theorem(
    "wzw25.thm6.5",
    part="tail-off-grid",
    reading="explicit",
    kind="tail",
    says=r"\tilde{\mathcal R}_S(\mathbf{w}_{\mathrm{out}})\le\frac{|S_{\mathrm{out}}|}{n}"
    r"\left(1+\frac{3b\sqrt{3/2}}{\gamma'}\right)+\max(1,D^2)(4+3\log T)\frac{12b}{\tilde{\gamma}n\mu_c}"
    r"\sqrt{1+k\log(|\Gamma|n^2)}+\frac{2\sqrt{\log(|\Gamma|n^2)}}{n\mu_c}" + SURE,
    needs=GENERAL,
    source="Lemma 6.3 (part closed), Lemma F.2 (explicit), margins off the grid as in part off-grid",
)
def quantile_off_grid(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The error of Algorithm 3 for any S_out with probability 1 - 3/n^2, last iterates

    Step sizes with log(|Gamma| n^2) for log(1/beta), T = n^2 mu_c^2 rounded up. The derivation of `last_loss` with
    w_ref of norm D has D^2/(eta (T+2)) <= D^2 sqrt(A/T) for its first term: (D^2 + 3 H_T) sqrt(A/T). For n <= 3 below
    the grid: 1.
    """
    level = nearest_below(n, gamma, radius)
    if n == 1 or (level is None and n < 4):
        return 1.0
    each = call_budget(n=n, epsilon=epsilon, delta=delta)
    low = level or radius / n
    kept = level or gamma / sqrt(2)
    rows, logs = projection_rows(n, low, radius), log(grid_size(n=n) * n**2)
    square = 1.0 if level else squared_comparator(n, gamma, radius)
    slow = max(1.0, square) * slow_factor(n, each)
    noise = slow * 12 * radius / (low * each) * sqrt(1 + rows * logs)
    return (outliers * (1 + 3 * radius * sqrt(1.5) / kept) + noise + 2 * sqrt(logs) / each) / n


@theorem(
    "wzw25.thm4.1",
    part="empirical",
    kind="tail",
    says=r"\tilde{\mathcal R}_S(\mathcal{M}^*(S,\varepsilon,\delta))\le\tilde O\left("
    r"\frac{1}{n\gamma^2\min\{\varepsilon,1\}}+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)\wedge 1"
    r"\quad\forall S_{\mathrm{out}}\in 2^S,\ \gamma:=\gamma(S\setminus S_{\mathrm{out}})\gt 0,\ \mathrm{w.h.p.}",
    needs=PRINTED,
    source=f"{WZW25}, Theorem 4.1 (2), first display; Appendix J",
)
def main_order(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The main theorem on the data: the expression inside O~(.)

    With high probability is 1 - 3/n^2, last iterates. 1/n <= 1/(n gamma^2 min(epsilon, 1)): the summand 1/n of
    Theorem 6.5 (2) needs no place of its own.
    """
    return 1 / (n * gamma**2 * min(epsilon, 1)) + outliers / (gamma * n)


@theorem(
    "wzw25.thm4.1",
    part="simultaneous",
    reading="explicit",
    kind="identity",
    says=r"\left\{\forall S_{\mathrm{out}}:\ \tilde{\mathcal R}_S\le C\,f(|S_{\mathrm{out}}|,"
    r"\gamma(S\setminus S_{\mathrm{out}}))\right\}=\left\{\tilde{\mathcal R}_S\le C\min_{q}f(q,M_q)\right\},"
    r"\quad M_q=\max_{|S_{\mathrm{out}}|=q}\gamma(S\setminus S_{\mathrm{out}})",
    source=f"{WZW25}, Theorem 4.1, 'simultaneously'",
)
def least_order(*, profile, n, epsilon):
    """For all outlier sets simultaneously: one event, not 2^n of them

    The right side is a number for every S_out, so all of them hold exactly when the smallest does; f falls in gamma, so
    that is min over q of f(q, M_q), `profile` = (M_0, ..., M_{n-1}), and no union bound is paid.

    >>> least_order(profile=[0.1, 0.5], n=2, epsilon=1.0)
    3.0
    """
    found = [(q, margin) for q, margin in enumerate(profile) if margin > 0]
    return min(1 / (n * margin**2 * min(epsilon, 1)) + q / (margin * n) for q, margin in found)


@theorem(
    "wzw25.thmL.1",
    part="expectation",
    kind="mean",
    says=RISK + r"\le" + ON_SETS + r"\tilde O\left(" + TERMS_B + r"+\frac{1}{\varepsilon}+\frac{1}{n^2}\right)\wedge 1",
    needs=SCALED,
    source=f"{WZW25}, Theorem L.1 (1)",
)
def scaled_mean_order(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The expected error of Algorithm 3 on records of norm at most b, as printed: the expression inside O~(.)

    The third term is printed 1/epsilon, where Lemma H.2 and part (2) have 1/(n epsilon): true all the same, since it
    only makes the bound larger, but then the bound does not fall below 1/epsilon however many records there are.
    """
    first, second = terms(n, gamma, outliers, epsilon, radius)
    return first + second + 1 / epsilon + 1 / n**2


@theorem(
    "wzw25.thmL.1",
    part="expectation",
    reading="corrected",
    kind="mean",
    says=RISK
    + r"\le"
    + ON_SETS
    + r"\tilde O\left("
    + TERMS_B
    + r"+\frac{1}{n\varepsilon}+\frac{1}{n^2}\right)\wedge 1",
    needs=SCALED,
    source=f"{WZW25}, Theorem L.1 (1), with 1/(n epsilon) as in Lemma H.2",
)
def scaled_mean_order_sharp(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The expected error of Algorithm 3 on records of norm at most b, with 1/(n epsilon)

    1/(n epsilon) <= b^2/(n gamma^2 epsilon): the third term could be left out.
    """
    return mean_order_on_grid.theorem.function(
        n=n, gamma=gamma, outliers=outliers, epsilon=epsilon, delta=delta, radius=radius
    )


@theorem(
    "wzw25.thmL.1",
    part="tail",
    kind="tail",
    says=LAST
    + r"\le"
    + ON_SETS
    + r"\tilde O\left("
    + TERMS_B
    + r"+\frac{1}{n\varepsilon}+\frac{1}{n}\right)\wedge 1"
    + SURE,
    needs=SCALED,
    source=f"{WZW25}, Theorem L.1 (2)",
)
def scaled_tail_order(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The error of Algorithm 3 on records of norm at most b with probability 1 - 3/n^2: the expression inside O~(.)"""
    first, second = terms(n, gamma, outliers, epsilon, radius)
    return first + second + 1 / (n * epsilon) + 1 / n


@theorem(
    "wzw25.thmL.1",
    part="scale",
    reading="explicit",
    kind="identity",
    says=r"(\mathbf{x}_i,b,\Gamma)\to(s\mathbf{x}_i,sb,s\Gamma):\quad"
    r"\mathbf{w}_{\mathrm{out}}\ \mathrm{keeps\ its\ law}",
    needs=[positive("radius"), positive("scale")],
    source=f"consequence of {WZW25}, Appendix L",
)
def scaled_radius(*, radius, scale):
    """Multiplying records, radius and grid by one factor changes nothing

    The hinge loss of width gamma/3 sees <w, x>/gamma only, Delta = 12 b/gamma and k see gamma/b only, and clipping
    commutes with the factor: gradients, noise and step sizes stay. Returns the new radius.
    """
    return radius * scale
