"""The population risk of Algorithm 3: Equation 3, Theorems 6.7 and L.2, the population part of Theorem 4.1 of wzw25.

Algorithm 3 runs Algorithm 1 for every margin of the grid Gamma and releases the run of smallest noisy penalised score

    u_gamma = R^_S(w_gamma) + 5/2 (k_gamma log(2n) + log(4 |Gamma| / beta)) + sigma xi_gamma,   sigma = 1/mu,

R^_S a number of errors, mu the budget of one call: 1/mu = 4 sqrt(|Gamma| log(1/delta)) / epsilon. Lemma 6.6 (corrected)
at beta/|Gamma| for every margin says R_D(w_gamma) <= (2/n) (u_gamma - sigma xi_gamma), so what is released satisfies

    R_D(w_out) <= min_gamma (2 R~_S(w_gamma) + (5/n)(k_gamma log(2n) + log(4 |Gamma|/beta)))
                  + (2/n) (excess of the chosen score),

the last by Lemma F.2. The paper's Equation 18 loses a factor 2 in the second part and 1/mu in half of it. Arguments:
`mu` is the budget of one call; `calls` is |Gamma|; `radius` b, 1 unless stated; beta = 1/n^2 where none is named.
"""

from __future__ import annotations

from math import inf, log, sqrt

from bounds import adaptive_margin
from bounds.deviation import WZW25, complexity
from bounds.margin_utility import last_loss
from bounds.population_steps import selected_risk_sharp
from bounds.theorem import in_unit_interval, integer, positive, require, theorem

EPSILON = require("0 < epsilon < 8 log(1/delta)", lambda epsilon, delta: 0 < epsilon < 8 * log(1 / delta))
RUN = [
    integer("n", 3),
    integer("outliers", 0),
    require("outliers <= n", lambda outliers, n: outliers <= n),
    positive("gamma"),
    positive("epsilon"),
    in_unit_interval("delta"),
    EPSILON,
]
UNIT = require("gamma <= 1: some record of the unit ball is an inlier", lambda gamma: gamma <= 1)
BALL = [positive("radius"), require("gamma <= radius", lambda gamma, radius: gamma <= radius)]
OVER = r"\min_{S_{\mathrm{out}}\subset S,\ \gamma:=\gamma(S\setminus S_{\mathrm{out}})>0}"
RATE = r"\tilde O\left(\frac1{\gamma^2n\min\{1,\varepsilon\}}+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)"


# Equation 3: the score ----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.eq3",
    kind="definition",
    says=r"\hat{\mathcal{R}}_S(\mathbf{w}_{\mathrm{out}})+\frac52\left(\mathrm{VC}(\mathcal{H}_k)\log(2n)+\log(\beta/4)"
    r"\right)",
    needs=[integer("n"), integer("k"), in_unit_interval("beta"), integer("errors", 0)],
    source=f"{WZW25}, Section 6.3, Equation 3",
)
def penalised_score(*, errors, n, k, beta):
    """The penalised score: errors on the sample and a price for the dimension

    n/2 times the bound of Lemma 6.6, with log(beta/4) where its proof has log(4/beta). As beta is the same for all
    candidates the slip changes neither the choice nor the privacy.

    >>> round(penalised_score(errors=7, n=100, k=2, beta=0.04), 3)
    21.979
    """
    return errors + adaptive_margin.penalty(n, k, beta)


# Theorem 6.7 and what follows from it -------------------------------------------------------------------------------


@theorem(
    "wzw25.thm6.7",
    part="population",
    kind="tail",
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le" + OVER + RATE + r"\right]\ge1-\frac4{n^2}",
    needs=[*RUN, UNIT],
    source=f"{WZW25}, Section 6.3, Theorem 6.7; Theorem I.1",
)
def population_rate(*, n, gamma, outliers, epsilon, delta):
    """The population risk of Algorithm 3 with the penalised score: the expression inside O~(.)

    1/(gamma^2 n min(1, epsilon)) + |S_out|/(gamma n); the logarithms left out are those of `free_logs`. "With high
    probability" is 1 - 4/n^2 (Theorem I.1), which is nothing for n <= 2.

    >>> population_rate(n=100, gamma=0.5, outliers=5, epsilon=0.5, delta=1e-5)
    0.18
    """
    return 1 / (gamma**2 * n * min(1.0, epsilon)) + outliers / (gamma * n)


def free_logs(n, delta):
    """What O~ leaves out: log(n)^2 + log(n)^{3/2} sqrt(log(1/delta)) (log n + log(1 + log(1/delta))).

    >>> round(free_logs(1000, 1e-5), 1)
    628.9
    """
    u, budget = log(n), log(1 / delta)
    return u**2 + u**1.5 * sqrt(budget) * (u + log(1 + budget))


def uncapped(n, gamma, outliers, epsilon, delta, radius):
    """The explicit bound before it is capped at 1; infinite where gamma lies below the grid."""
    grid = adaptive_margin.margin_grid(n, radius)
    reached = grid[grid <= gamma * (1 + 1e-12)]
    if not reached.size:
        return inf
    calls, level, beta = len(grid), float(min(reached[-1], gamma)), 1 / n**2
    mu = adaptive_margin.printed_budget(epsilon, delta) / sqrt(2 * calls)
    run = {"n": n, "gamma": level, "outliers": outliers, "mu": mu, "beta": beta / calls, "radius": radius}
    rows = adaptive_margin.projection_rows(n, level, radius, beta)
    best = 2 * last_loss(**run) + 5 * complexity(n, rows, beta / calls)
    return float(selected_risk_sharp(n=n, calls=calls, mu=mu, beta=beta, best=best))


@theorem(
    "wzw25.thm6.7",
    part="population",
    reading="explicit",
    kind="tail",
    says=r"\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le2\,\tilde L_{\mathrm{last}}(\tilde\gamma)"
    r"+\frac5n\left(k_{\tilde\gamma}\log(2n)+\log\frac{4|\Gamma|}\beta\right)"
    r"+\frac4{\mu n}\sqrt{\log\frac{|\Gamma|}\beta}\quad\mathrm{w.p.}\ 1-4\beta,\ \beta=n^{-2},"
    r"\ \tilde\gamma=\max\{g\in\Gamma:g\le\gamma\}",
    needs=[*RUN, UNIT],
    source="derived here",
)
def population_risk(*, n, gamma, outliers, epsilon, delta):
    """The population risk of Algorithm 3 with the penalised score and the last iterate, with our constants

    For every S_out with gamma(S without S_out) >= gamma at once, with probability at least 1 - 4/n^2 (n >= 3). L_last
    is Lemma 6.3 (explicit, part closed) at the grid's margin and beta/|Gamma|; zero-one errors are at most hinge
    losses; then Equation 18 (explicit, `selected_risk_sharp`). Failures: projection and descent 2 beta in all, uniform
    convergence beta, noise beta. 1 where the bound is larger.

    >>> round(population_risk(n=10**10, gamma=0.5, outliers=0, epsilon=1.0, delta=1e-5), 3)
    0.032
    """
    return min(1.0, uncapped(n, gamma, outliers, epsilon, delta, 1.0))


@theorem(
    "wzw25.thm4.1",
    part="population",
    kind="tail",
    says=r"\mathcal{R}_D(\mathcal{M}^*(S,\varepsilon,\delta))\le\tilde O\left(\frac1{n\gamma^2\min\{\varepsilon,1\}}"
    r"+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)\wedge1\quad\mathrm{w.h.p.\ for\ all}\ S_{\mathrm{out}}",
    needs=[*RUN, UNIT],
    source=f"{WZW25}, Section 4, Theorem 4.1 (2)",
)
def main_population_rate(*, n, gamma, outliers, epsilon, delta):
    """The population risk of the main algorithm, for all sets of outliers at once: the expression inside O~(.)

    Theorem 6.7 capped at 1; M* is Algorithm 3 with the penalised score here, with the empirical one in the other part.
    """
    return min(1.0, 1 / (n * gamma**2 * min(epsilon, 1.0)) + outliers / (gamma * n))


@theorem(
    "wzw25.thmL.2",
    part="population",
    kind="tail",
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le" + OVER + r"\tilde O\left(\frac{b^2}{n\gamma^2}"
    r"\left(1+\frac1\varepsilon\right)+\frac{b|S_{\mathrm{out}}|}{n\gamma}+\frac1{n\varepsilon}+\frac1n\right)\wedge1"
    r"\right]\ge1-\frac4{n^2}",
    needs=[*RUN[:-1], *BALL],
    source=f"{WZW25}, Appendix L, Theorem L.2, Equation 30",
)
def scaled_rate(*, n, gamma, outliers, epsilon, delta, radius):
    """The population risk for records in a ball of radius b: the expression inside O~(.)

    "Running M* with R~_S": with the empirical score. The argument it refers to (Appendix I) needs the penalised one.

    >>> scaled_rate(n=100, gamma=4.0, outliers=0, epsilon=1.0, delta=1e-5, radius=4.0)
    0.04
    """
    return _scaled(n, gamma, outliers, epsilon, radius)


def _scaled(n, gamma, outliers, epsilon, radius):
    ratio = radius / gamma
    return min(1.0, ratio**2 / n * (1 + 1 / epsilon) + ratio * outliers / n + 1 / (n * epsilon) + 1 / n)


@theorem(
    "wzw25.thmL.2",
    part="scale",
    kind="identity",
    says=r"(b,\gamma)\to(sb,s\gamma)\ \mathrm{changes\ nothing}",
    needs=[*RUN[:-1], *BALL],
    source=f"{WZW25}, Appendix L, Theorem L.2",
)
def scaled_twin(*, n, gamma, outliers, epsilon, delta, radius):
    """The bound does not change when records, radius and margins are multiplied by the same number

    Nor does the algorithm with the grid of Corollary G.2, {b/n, 2b/n, ..., b}: projections do not see scale, the
    gradient's noise and step size scale with the gradient (Theorem L.1). With the grid of Algorithm 3 it would.
    """
    return _scaled(n, gamma / radius, outliers, epsilon, 1.0)


@theorem(
    "wzw25.thmL.2",
    part="population",
    reading="explicit",
    kind="tail",
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le(\mathrm{explicit\ Theorem\ 6.7\ at}\ \gamma/b)\right]"
    r"\ge1-\frac4{n^2}",
    needs=[*RUN, *BALL],
    source="derived here: penalised score, grid of Corollary G.2",
)
def scaled_risk(*, n, gamma, outliers, epsilon, delta, radius):
    """The population risk for records in a ball of radius b, penalised score, with our constants

    Theorem 6.7 (explicit) with the grid multiplied by b: every quantity depends on gamma/b alone.
    """
    return min(1.0, uncapped(n, gamma, outliers, epsilon, delta, radius))
