"""The main theorem, and records of any norm: Theorems 4.1, L.1 and L.2 of Wang, Zhu & Wang (2025).

Theorem 4.1 puts Theorems 6.5 and 6.7 together and names one M*: Algorithm 3 with the penalised score does both.
Theorems L.1 and L.2 repeat them for records in a ball of radius b, where grid and widths are multiplied by b. Names and
hidden logarithms as in `lemmata.bounds.wzw25.whole_grid` and `lemmata.bounds.wzw25.population_risk`; as there, the
corrected readings leave out S_out = S, whose complement has no margin.
"""

from collections.abc import Sequence
from math import exp, expm1, log, log1p
from typing import Any

from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem
from lemmata.bounds.wzw25 import WZW25, whole_grid as grid
from lemmata.bounds.wzw25.algorithms import IN_RANGE, PRIVATE, RANGE, projection_rows, spent_delta, unlimited_budget
from lemmata.bounds.wzw25.gaussian_privacy import approx_epsilon, gaussian_delta
from lemmata.bounds.wzw25.whole_grid import comparator, mean_order_on_grid, quantile_off_grid, tail_order_on_grid, terms

ANY = [in_unit_interval("delta"), positive("epsilon")]
ON_ALL = r"\le%s\tilde O\left(" + grid.TERMS_B
BALL = [*ANY, *grid.SIZES, grid.ANY_SET]
PROPER_BALL = [*ANY, *grid.SAMPLE_NEEDS, grid.NOT_ALL]

# Theorem 4.1 ----------------------------------------------------------------------------------------------------------


@theorem("wzw25.thm4.1", part="privacy", kind="privacy", says=IN_RANGE, needs=RANGE, source=f"{WZW25}, Theorem 4.1 (1)")
def main_privacy(*, epsilon: float, delta: float) -> float:
    """DP Adaptive Margin spends at most delta / 2 at epsilon.

    That of its Gaussian budget mu = epsilon / (2 sqrt(2 log(1/delta))).
    With either score: Theorems 6.5 and 6.7. Definition 2.1 prints epsilon < 1; the theorem goes up to 8 log(1/delta).

    >>> main_privacy(epsilon=1.0, delta=1e-5) < 0.5e-5
    True
    """
    return spent_delta(epsilon, delta)


FORM = (
    r"%s(\mathcal{M}^*(S,\varepsilon,\delta))\le\tilde O\left(\frac{1}{n\gamma^2\min\{\varepsilon,1\}}"
    r"+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)\wedge 1\quad\forall S_{\mathrm{out}}\in 2^S,%s"
    r"\ \gamma:=\gamma(S\setminus S_{\mathrm{out}})\gt 0,\ \mathrm{w.h.p.}"
)
LEFT_OUT = r"\ S_{\mathrm{out}}\ne S,"
EMPIRICAL, POPULATION = r"\tilde{\mathcal R}_S", r"\mathcal R_D"


@theorem(
    "wzw25.thm4.1",
    part="empirical",
    kind="tail",
    says=FORM % (EMPIRICAL, ""),
    needs=grid.PRINTED,
    source=f"{WZW25}, Theorem 4.1 (2), first display; Appendix J",
)
def main_order(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0) -> float:
    """The order of DP Adaptive Margin's errors on its data, for every outlier set.

    At S_out = S, gamma = inf, it is 0.

    For Algorithm 3 with the penalised score, last iterates; with high probability is 1 - 3/n^2. min(epsilon, 1) is
    there for the price of the dimension.
    """
    return 1 / (n * gamma**2 * min(epsilon, 1)) + outliers / (gamma * n)


main_order_proper = main_order.corrected(
    says=FORM % (EMPIRICAL, LEFT_OUT), needs=grid.PROPER, source=", for one algorithm"
)(main_order.theorem.formula)


@main_order.explicit(
    says=r"\tilde{\mathcal R}_S(\mathcal{M}^*)\le"
    + grid.QUANTILE
    + r"+\frac{5k\log(2n)}{2n}"
    + grid.SURE
    + grid.SYMBOLS,
    needs=grid.GENERAL,
    source="derived here: one algorithm, Equation 3 as its score",
)
def penalised_error(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0) -> float:
    """The errors of Algorithm 3 on its data, penalised score, with our constants.

    errors(out) = score(out) - penalty(out) <= min_gamma (errors(gamma) + penalty(gamma)) + excess of the choice -
    penalty(out), and penalties differ by 5/2 (k_gamma - k_out) log(2n) < 5/2 k_gamma log(2n).

    >>> round(penalised_error(n=2**30, gamma=0.5, outliers=0, epsilon=1.0, delta=1e-5), 3)
    0.053
    """
    rows = projection_rows(n, comparator(n, gamma, radius)[0], radius)
    error = quantile_off_grid(n=n, gamma=gamma, outliers=outliers, epsilon=epsilon, delta=delta, radius=radius)
    return error + 2.5 * rows * log(2 * n) / n


@theorem(
    "wzw25.thm4.1",
    part="population",
    kind="tail",
    says=FORM % (POPULATION, ""),
    needs=grid.PRINTED,
    source=f"{WZW25}, Section 4, Theorem 4.1 (2)",
)
def main_population_rate(
    *, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0
) -> float:
    """The order of the population risk of DP Adaptive Margin, at most 1.

    That of Theorem 6.7.
    """
    return min(1.0, 1 / (n * gamma**2 * min(epsilon, 1.0)) + outliers / (gamma * n))


main_population_rate_proper = main_population_rate.corrected(
    says=FORM % (POPULATION, LEFT_OUT), needs=grid.PROPER, source=", for the same algorithm"
)(main_population_rate.theorem.formula)


@main_privacy.explicit(
    part="simultaneous",
    says=r"\left\{\forall S_{\mathrm{out}}:\ \tilde{\mathcal R}_S\le C\,f(|S_{\mathrm{out}}|,"
    r"\gamma(S\setminus S_{\mathrm{out}}))\right\}=\left\{\tilde{\mathcal R}_S\le C\min_{q}f(q,M_q)\right\},"
    r"\quad M_q=\max_{|S_{\mathrm{out}}|=q}\gamma(S\setminus S_{\mathrm{out}})",
    kind="identity",
    needs=(),
    source=", 'simultaneously'",
)
def least_order(*, profile: Sequence[float], n: int, epsilon: float) -> float:
    """The smallest bound over all outlier sets: "simultaneously" is one event, not 2^n.

    The right side is a number for every S_out, so all of them hold exactly when the smallest does; f decreases in
    gamma, so that is min over q of f(q, M_q), `profile` = (M_0, ..., M_{n-1}), and no union bound is needed.

    >>> least_order(profile=[0.1, 0.5], n=2, epsilon=1.0)
    3.0
    """
    kept = [(q, margin) for q, margin in enumerate(profile) if margin > 0]
    return min(1 / (n * margin**2 * min(epsilon, 1)) + q / (margin * n) for q, margin in kept)


# Theorem L.1 ----------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.thmL.1",
    part="privacy",
    kind="privacy",
    says=r"\|\mathbf{x}\|\le b\ \Rightarrow\ " + PRIVATE,
    needs=[*ANY, positive("radius")],
)
def ball_privacy(*, epsilon: float, delta: float, radius: float) -> float:
    """DP Adaptive Margin on records of any norm spends at most this delta at epsilon.

    That of the Gaussian budget that Algorithm 3 spends. The theorem prints no range for epsilon, nor does Algorithm 3;
    this delta exceeds the promised delta for large epsilon. Up to epsilon = 8 log(1/delta) the derivation of
    `empirical_privacy` holds: the radius b multiplies records, grid and widths, so Delta = 12 b / gamma and everything
    that is compared with it stay as they are.
    """
    return float(gaussian_delta(epsilon=epsilon, mu=unlimited_budget(epsilon, delta)))


SMALL_EPSILON: dict[str, Any] = {
    "says": r"\|\mathbf{x}\|\le b,\ " + IN_RANGE,
    "needs": [*RANGE, positive("radius")],
    "source": ", in the range of Theorem 6.5",
}
ball_privacy_in_range = ball_privacy.corrected(**SMALL_EPSILON)(ball_privacy.theorem.formula)


@theorem(
    "wzw25.thmL.1",
    part="expectation",
    kind="mean",
    says=grid.RISK + ON_ALL % grid.ON_SETS + r"+\frac{1}{\varepsilon}+\frac{1}{n^2}\right)\wedge 1",
    needs=BALL,
    source=f"{WZW25}, Theorem L.1 (1)",
)
def scaled_mean_order(
    *, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0
) -> float:
    """The order of Algorithm 3's expected error in a ball of radius b, as printed.

    The third term is printed 1/epsilon, where part (2) has 1/(n epsilon) (cf. Lemma H.2): that only makes the bound
    larger, but then it does not drop below 1/epsilon for any number of records.
    """
    return sum(terms(n, gamma, outliers, epsilon, radius)) + 1 / epsilon + 1 / n**2


@scaled_mean_order.corrected(
    says=grid.RISK + ON_ALL % grid.ON_PROPER + r"+\frac{1}{n\varepsilon}+\frac{1}{n^2}\right)\wedge 1",
    needs=PROPER_BALL,
    source=f"{WZW25}, Theorem L.1 (1), with 1/(n epsilon) as in Lemma H.2",
)
def scaled_mean_order_sharp(
    *, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0
) -> float:
    """The order of Algorithm 3's expected error in a ball, with 1/(n epsilon).

    1/(n epsilon) <= b^2/(n gamma^2 epsilon): the third term could be left out.
    """
    return mean_order_on_grid.theorem.formula(
        n=n, gamma=gamma, outliers=outliers, epsilon=epsilon, delta=delta, radius=radius
    )


TAIL_BALL = r"+\frac{1}{n\varepsilon}+\frac{1}{n}\right)\wedge 1" + grid.SURE


@theorem(
    "wzw25.thmL.1",
    part="tail",
    kind="tail",
    says=grid.LAST + ON_ALL % grid.ON_SETS + TAIL_BALL,
    needs=BALL,
    source=f"{WZW25}, Theorem L.1 (2)",
)
def scaled_tail_order(
    *, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float = 1.0
) -> float:
    """The order of Algorithm 3's error in a ball of radius b, probability 1 - 3/n^2."""
    return tail_order_on_grid.theorem.formula(
        n=n, gamma=gamma, outliers=outliers, epsilon=epsilon, delta=delta, radius=radius
    )


scaled_tail_order_proper = scaled_tail_order.corrected(
    says=grid.LAST + ON_ALL % grid.ON_PROPER + TAIL_BALL, needs=PROPER_BALL
)(scaled_tail_order.theorem.formula)


@ball_privacy.explicit(
    part="scale",
    says=r"(\mathbf{x}_i,b,\Gamma)\to(s\mathbf{x}_i,sb,s\Gamma):\quad"
    r"\mathbf{w}_{\mathrm{out}}\ \mathrm{keeps\ its\ law}",
    kind="identity",
    needs=[positive("radius"), positive("scale")],
    source=f"consequence of {WZW25}, Appendix L",
)
def scaled_radius(*, radius: float, scale: float) -> float:
    """One factor on records, radius and grid changes no release: the new radius.

    Derivation. The hinge loss of width gamma/3 sees <w, x>/gamma only, Delta = 12 b/gamma and k see gamma/b only, and
    clipping commutes with the factor: gradients, noise and step sizes stay.
    """
    return radius * scale


# Theorem L.2 ----------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.thmL.2",
    part="privacy",
    kind="privacy",
    says=r"\|\mathbf{x}\|\le b\ \Rightarrow\ " + PRIVATE,
    needs=[*ANY, positive("radius")],
)
def ball_population_privacy(*, epsilon: float, delta: float, radius: float) -> float:
    """DP Adaptive Margin's delta at epsilon, as the population bound states it.

    The sentence of Theorem L.1, with the empirical error as the score; with the score of Equation 3, too (Theorem 6.7).
    """
    return ball_privacy.theorem.formula(epsilon=epsilon, delta=delta, radius=radius)


ball_population_privacy_in_range = ball_population_privacy.corrected(**SMALL_EPSILON)(
    ball_population_privacy.theorem.formula
)


SCALED = (
    r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le%s\tilde O\left(\frac{b^2}{n\gamma^2}"
    r"\left(1+\frac1\varepsilon\right)+\frac{b|S_{\mathrm{out}}|}{n\gamma}+\frac1{n\varepsilon}+\frac1n\right)\wedge1"
    r"\right]\ge1-\frac4{n^2}"
)


@theorem(
    "wzw25.thmL.2",
    part="population",
    kind="tail",
    says=SCALED % grid.ON_SETS,
    needs=BALL,
    source=f"{WZW25}, Appendix L, Theorem L.2, Equation 30",
)
def scaled_rate(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float) -> float:
    """The order of the population risk of DP Adaptive Margin in a ball of radius b.

    "Running M* with R~_S": with the empirical score. The argument it refers to (Appendix I) needs the penalised one;
    privacy itself (`scaled_risk`) gives it where some record is left, epsilon is bounded and delta <= 1/n.

    >>> scaled_rate(n=100, gamma=4.0, outliers=0, epsilon=1.0, delta=1e-5, radius=4.0)
    0.04
    """
    ratio = radius / gamma
    return min(1.0, ratio**2 / n * (1 + 1 / epsilon) + ratio * outliers / n + 1 / (n * epsilon) + 1 / n)


MODEST = [
    require("epsilon <= 8", lambda epsilon: epsilon <= 8),
    require("delta <= 1/n, n >= 2", lambda delta, n: n >= 2 and delta * n <= 1),
]


scaled_rate_modest = scaled_rate.corrected(
    says=r"\varepsilon\le8,\ \delta\le\frac1n:\quad" + SCALED % grid.ON_PROPER,
    needs=[*PROPER_BALL, *MODEST],
    source=", for bounded epsilon and delta <= 1/n",
)(scaled_rate.theorem.formula)


@theorem(
    "wzw25.thmL.2",
    part="scale",
    kind="identity",
    says=r"(b,\gamma)\to(sb,s\gamma)\ \mathrm{changes\ nothing}",
    needs=[*ANY, *grid.SAMPLE_NEEDS],
)
def scaled_twin(*, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float) -> float:
    """The order of the population risk at gamma/b and b = 1: scaling changes nothing.

    Nor does the algorithm with the grid {b/n, 2b/n, ..., b} (cf. Corollary G.2): projections do not see scale, the
    gradient's noise and step size scale with the gradient (Theorem L.1). With the grid of Algorithm 3 it would.

    Derivation. Every term of the rate depends on gamma and b through gamma/b alone, and (s gamma)/(s b) = gamma/b for
    every s > 0.
    """
    return scaled_rate.theorem.formula(
        n=n, gamma=gamma / radius, outliers=outliers, epsilon=epsilon, delta=delta, radius=1.0
    )


# What privacy itself says of the population risk: the steps of our proof of Theorem L.2. h = M(S) is what an (epsilon,
# delta)-DP algorithm returns on n independent records, neighbours differ in one replaced record, and every h errs or
# not on a record: R_D(h) is the chance of an error on a fresh one, R_S(h) the share of errors on S. M draws its
# projections itself.

ANY_PRIVATE = [at_least("epsilon", 0), at_least("delta", 0), between("empirical", 0, 1)]


@theorem(
    "wzw25.thmL.2.s1",
    reading="explicit",
    kind="mean",
    says=r"\mathcal{M}\ (\varepsilon,\delta)\mathrm{-DP}\ \Rightarrow\ \mathbb{E}\,\mathcal{R}_D(\mathcal{M}(S))"
    r"\le e^{\varepsilon}\,\mathbb{E}\,\tilde{\mathcal{R}}_S(\mathcal{M}(S))+\delta",
    needs=ANY_PRIVATE,
    source="derived here; well known",
)
def expected_gap(*, epsilon: float, delta: float, empirical: float) -> float:
    """The expected population risk of a private algorithm, from its empirical error.

    Derivation. E R_D(M(S)) = E[M(S) errs on z'], z' fresh. Replace z_i by z': at most e^epsilon E[M(S^i) errs on z'] +
    delta, and (S^i, z') has the law of (S, z_i). Average over i. Both terms are sharp.

    >>> expected_gap(epsilon=0.0, delta=0.125, empirical=0.25)
    0.375
    """
    return exp(epsilon) * empirical + delta


@theorem(
    "wzw25.thmL.2.s2",
    reading="explicit",
    kind="tail",
    says=r"\mathcal{M}\ (\varepsilon,\delta)\mathrm{-DP}\ \Rightarrow\ \Pr\left[\mathcal{R}_D\le "
    r"e^{\varepsilon+\lambda}\tilde{\mathcal{R}}_S+\frac{1}{1-(1-\beta)^k}\left(k\delta+\frac{e^{\varepsilon+\lambda}\log(k+1)}"
    r"{\lambda n}\right)\right]\ge1-\beta,\quad\lambda>0,\ k\in\mathbb{N}",
    needs=[*ANY_PRIVATE, integer("n"), in_unit_interval("beta"), positive("rate"), integer("runs")],
    source="derived here, after the monitor of Bassily, Nissim, Smith, Steinke, Stemmer & Ullman 2016",
)
def private_gap(
    *, n: int, epsilon: float, delta: float, beta: float, empirical: float, rate: float, runs: int
) -> float:
    """The population risk of a private algorithm, a multiple of its empirical error.

    `rate` is lambda, `runs` k; both are chosen before the data.

    Run M on k independent datasets; let c = e^{epsilon+lambda} and q_j = n (R_D(h_j) - c R_S(h_j)), q_0 = 0. Choose j
    with probability proportional to exp(lambda q_j / c): one record moves one q_j by at most c, so the choice is
    lambda-DP given the h's, and (h_j, is j chosen) is (epsilon + lambda, delta)-DP in its record. (1) Replacing records
    as in s1, for every j: E q_chosen <= n k delta. (2) E max q_j <= E q_chosen + (c/lambda) log(k+1) (entropy). (3) If
    q_1 > n t has probability above beta, some q_j does with probability above p = 1 - (1-beta)^k, and E max q_j > p n
    t.

    >>> private_gap(n=10**6, epsilon=0.0, delta=0.0, beta=0.01, empirical=0.0, rate=1.0, runs=300) < 1.7e-5
    True
    """
    factor, some = exp(epsilon + rate), -expm1(runs * log1p(-beta))
    return factor * empirical + (runs * delta + factor * log(runs + 1) / (rate * n)) / some


@scaled_rate.explicit(
    says=r"\Pr\left[\mathcal{R}_D(\mathbf{w}_{\mathrm{out}})\le e^{a+\lambda}\left(Q+\frac{\log(n^2+1)}"
    r"{p\lambda n}\right)+\frac{1}{pn}\right]\ge1-\frac4{n^2},\quad\lambda>0,\ a=\frac{\mu^2}2+\mu\sqrt{6\log n},"
    r"\ p=1-\left(1-n^{-2}\right)^{n^2}",
    needs=[*grid.GENERAL, integer("n", 2), positive("rate")],
    source="derived here: the empirical score, and what privacy itself gives",
)
def scaled_risk(
    *, n: int, gamma: float, outliers: int, epsilon: float, delta: float, radius: float, rate: float
) -> float:
    """The population risk of Algorithm 3 in a ball, empirical score, our constants.

    Q is Theorem 6.5 (explicit, part tail-off-grid), which fails with 3/n^2. M* spends mu, so it is (a, n^-3)-DP (Lemma
    E.1), and by step s2 at beta = 1/n^2 and n^2 runs its risk is at most e^{a+lambda} times its error on the data, and
    a little more. `rate` is lambda. It is chosen before the data, whose margin and outliers Q depends on, so that the
    lambda with the smallest bound is not allowed.

    >>> scaled_risk(n=2**32, gamma=0.5, outliers=0, epsilon=1.0, delta=1e-10, radius=1.0, rate=1.0) < 1
    True
    """
    a = approx_epsilon(mu=unlimited_budget(epsilon, delta), delta=float(n) ** -3)
    error = quantile_off_grid(n=n, gamma=gamma, outliers=outliers, epsilon=epsilon, delta=delta, radius=radius)
    run: dict[str, Any] = dict(n=n, beta=1 / n**2, empirical=min(error, 1.0), runs=n**2)
    return private_gap(epsilon=a, delta=float(n) ** -3, rate=rate, **run)
