r"""What Algorithm 3 achieves on the grid: Lemmas H.2 and H.3 of Wang, Zhu & Wang (2025), printed and explicit.

Algorithm 3 with the number of errors as its score: for every gamma of the grid Algorithm 1 with the budget mu_c =
mu / sqrt(2 |Gamma|), and the candidate with the fewest noisy errors. mu = epsilon / (2 sqrt(2 log(1/delta))), so that
1/mu_c = 4 sqrt(|Gamma| log(1/delta)) / epsilon, beta = 1/n^2 and k_gamma is Lemma 6.2's at beta/|Gamma|. The radius b
is 1 until Appendix L; there the grid is multiplied by b. `gamma` is the margin of S without S_out, `outliers` |S_out|.

An O~(.) is read so: the free logarithms are `mean_logs` and `tail_logs` below, factors of the terms with epsilon. They
contain log(1/delta), as in the printed proofs.
"""

from __future__ import annotations

from math import log, sqrt

from bounds.adaptive_margin import failure_probability, margin_grid, projection_rows
from bounds.last_iterate import weighted_tail
from bounds.margin_grid import grid_size
from bounds.margin_utility import WITHIN_RADIUS, WZW25, descent, outlier_cost, slow_factor
from bounds.margin_utility_steps import call_budget
from bounds.noisy_gd import balanced_steps
from bounds.private_tuning_rates import summed_loss
from bounds.theorem import in_unit_interval, integer, positive, require, theorem

SIZES = [
    integer("n"),
    positive("gamma"),
    positive("radius"),
    WITHIN_RADIUS,
    integer("outliers", 0),
    require("outliers < n: S_out is not all of S", lambda outliers, n: outliers < n),
    positive("epsilon"),
]
RANGE = [
    in_unit_interval("delta"),
    require("epsilon < 8 log(1/delta)", lambda epsilon, delta: epsilon < -8 * log(delta)),
]
GENERAL = [*SIZES, *RANGE]
RISK = r"\mathbb{E}_{\mathcal{A}}[\tilde{\mathcal R}_S(\bar{\mathbf{w}}_{\mathrm{out}})]"
LAST = r"\tilde{\mathcal R}_S(\mathbf{w}_{\mathrm{out}})"
ON_GRID = r"\min_{\gamma\in\Gamma}\min_{S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\gamma)}"
TERMS_B = r"\frac{b^2}{n\gamma^2\varepsilon}+\frac{b|S_{\mathrm{out}}|}{\gamma n}"
SURE = r"\quad\mathrm{w.p.}\ 1-\frac{3}{n^2}"


def spread(n):
    """log(|Gamma| (n+1) (n+2) n^2): the logarithm of k_gamma at beta = 1/n^2.

    >>> round(spread(2), 4) == round(log(96), 4)
    True
    """
    return log(grid_size(n=n) * (n + 1) * (n + 2) * n**2)


def mean_logs(n, delta):
    """The free logarithms of Lemma H.2: sqrt(|Gamma| log(1/delta) log(|Gamma| (n+1) (n+2) n^2)).

    >>> round(mean_logs(1000, 1e-5), 1)
    61.7
    """
    return sqrt(grid_size(n=n) * -log(delta) * spread(n))


def tail_logs(n, epsilon, delta):
    """Those of Lemma H.3: also sqrt(log(|Gamma| n^2)) and 4 + 3 log T, T = n^2 mu_c^2 <= 1 + 4 n^2 log(1/delta)."""
    last = sqrt(log(grid_size(n=n) * n**2)) * slow_factor(n, call_budget(n=n, epsilon=epsilon, delta=delta))
    return mean_logs(n, delta) * last


def terms(n, gamma, outliers, epsilon, radius):
    """b^2/(n gamma^2 epsilon) and b |S_out|/(gamma n)."""
    return radius**2 / (n * gamma**2 * epsilon), radius * outliers / (gamma * n)


# The explicit reading, H.2.x ------------------------------------------------------------------------------------------


def candidate(n, d, gamma, each, radius, steps):
    """(k, T, projected) of one call of Algorithm 1; the identity where k >= d, as `mechanisms.adaptive_margin` does."""
    k = projection_rows(n, gamma, radius)
    rows = min(k, d)
    return rows, balanced_steps(n, each, rows) if steps == "balanced" else int(steps), k < d


def grid_error(n, d, gamma, outliers, each, radius=1.0, steps="balanced"):
    """The expected hinge loss of one candidate, and 1/n^2 if it is projected: Lemma D.1 (explicit)."""
    rows, T, projected = candidate(n, d, gamma, each, radius, steps)
    known = {"gamma": gamma / radius, "outliers": outliers, "mu": each, "rows": rows, "steps": T}
    return summed_loss(n=n, projected=projected, **known) / n + projected * failure_probability(n)


LEDGER = [
    integer("n"),
    integer("d"),
    positive("mu"),
    positive("radius"),
    require("outliers: one number in 0..n a margin of the grid", lambda outliers, n: _ledger_fits(outliers, n)),
]


def _ledger_fits(outliers, n):
    return len(outliers) == grid_size(n=n) and all(0 <= m <= n for m in outliers)


@theorem(
    "wzw25.lemH.2",
    reading="explicit",
    kind="mean",
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\mathrm{out})]\le\min_{\gamma\in\Gamma}\left\{\frac{m(\gamma)}{n}"
    r"\left(1+\frac{3b}{\gamma}s\right)+\frac{\Delta_\gamma}{n}\sqrt{\frac{n^2}{T_\gamma}+\frac{k_\gamma}{\mu_c^2}}"
    r"\right\}+\frac{\sqrt{2\log|\Gamma|}}{n\mu_c}+\frac{1}{n^2}",
    needs=LEDGER,
    source="Lemma D.1 (explicit), Lemma F.1 (explicit)",
)
def adaptive_error(*, n, d, mu, outliers, radius=1.0, steps="balanced"):
    """The expected error of Algorithm 3, averaged iterates, with our constants (H.2.x)

    `outliers`: m(gamma) for every margin of the grid, ascending, or any larger number that some S_out in S_out(gamma)
    has. `mu` is the whole Gaussian budget. U_out <= U_theta* + xi_theta* - xi_out for the candidate theta* that makes
    the bracket smallest, which depends on no noise: so E U_out <= E U_theta* + E max xi, and E max xi <=
    sqrt(2 log|Gamma|)/mu_c (Lemma F.1, explicit). Its projection fails with probability at most 1/(n^2 |Gamma|), and
    then its error is at most 1; without projection 1/n^2 is not paid. s = sqrt(1 + gamma/(2b)), Delta = 12 b/gamma with
    projection, s = 1, Delta = 6 b/gamma without.

    >>> round(adaptive_error(n=30, d=2, mu=6.25, outliers=[0, 0, 0, 0, 0, 30]), 2)
    0.45
    """
    each = mu / sqrt(2 * grid_size(n=n))
    levels = zip(margin_grid(n, radius), outliers, strict=True)
    best = min(grid_error(n, d, float(gamma), m, each, radius, steps) for gamma, m in levels)
    return best + sqrt(2 * log(grid_size(n=n))) / (n * each)


@theorem(
    "wzw25.lemH.3",
    reading="explicit",
    kind="tail",
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
def adaptive_quantile(*, n, d, mu, outliers, beta, radius=1.0, steps="balanced"):
    """The error of Algorithm 3 with probability 1 - 3 beta, weighted averages of the iterates

    B_lambda is `weighted_tail` at beta, for the one candidate that makes the bracket smallest: it is fixed, so no union
    over the grid. Its projection fails with probability at most 1/(n^2 |Gamma|) <= beta, its descent with beta, the
    choice with beta. Weighted averages, because our bound for the last iterate pays a factor 4 + 3 log T.

    >>> adaptive_quantile(n=30, d=2, mu=12.0, outliers=[0, 0, 0, 0, 0, 30], beta=0.1) < 1
    True
    """
    each = mu / sqrt(2 * grid_size(n=n))
    found = []
    for gamma, m in zip(margin_grid(n, radius), outliers, strict=True):
        gamma = float(gamma)
        rows, T, projected = candidate(n, d, gamma, each, radius, steps)
        run = descent(n=n, gamma=gamma, mu=each, steps=T, rows=rows, projected=projected, radius=radius)
        found.append(m * outlier_cost(gamma=gamma / radius, projected=projected) + weighted_tail(**run, beta=beta))
    return (min(found) + 2 * sqrt(log(grid_size(n=n) / beta)) / each) / n


# Lemmas H.2 and H.3 as printed ----------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemH.2",
    kind="mean",
    says=RISK + "=" + ON_GRID + r"\tilde O\left(" + TERMS_B + r"+\frac{1}{n\varepsilon}+\frac{1}{n^2}\right)",
    needs=GENERAL,
    source=f"{WZW25}, Lemma H.2",
)
def mean_order_on_grid(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The expected error of Algorithm 3 against the best margin of its grid: the expression inside O~(.)

    "=" is read as "at most". With 1/mu_c = 4 sqrt(|Gamma| log(1/delta))/epsilon, k_gamma <= 24 (b/gamma)^2 spread + 1
    and T >= n^2 mu_c^2 the explicit reading's noise is at most 48 sqrt(24 + 2/log 96) `mean_logs` times the first term
    (n >= 2), its choice at most 4 sqrt 2 `mean_logs` times the third, and an outlier costs at most 4.674 b/gamma.
    At n = 1 the last term is 1.
    """
    first, second = terms(n, gamma, outliers, epsilon, radius)
    return first + second + 1 / (n * epsilon) + 1 / n**2


@theorem(
    "wzw25.lemH.3",
    kind="tail",
    says=LAST + r"\le" + ON_GRID + r"\tilde O\left(" + TERMS_B + r"+\frac{1}{n\varepsilon}+\frac{1}{n}\right)" + SURE,
    needs=GENERAL,
    source=f"{WZW25}, Lemma H.3",
)
def tail_order_on_grid(*, n, gamma, outliers, epsilon, delta, radius=1.0):
    """The error of Algorithm 3, last iterates, with probability 1 - 3/n^2: the expression inside O~(.)

    The proof's term (c) lacks 1/mu (step s1). With it the choice costs O~(1/(n epsilon)), which is printed; so the
    lemma stands, and the printed 1/n, the trace of the wrong term (c), is not needed. At n = 1 nothing is claimed.
    """
    first, second = terms(n, gamma, outliers, epsilon, radius)
    return first + second + 1 / (n * epsilon) + 1 / n
