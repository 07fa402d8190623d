"""What privacy itself says of the population risk: steps of our proof of Theorem L.2 of Wang, Zhu & Wang (2025).

Last, the privacy of Algorithm 3 on random batches (Theorem 4.1), which takes linear time.

h = M(S) is what an (epsilon, delta)-DP algorithm returns on n independent records, neighbours differ in one replaced
record, and every h errs or not on a record: R_D(h) is the chance of an error on a fresh one, R_S(h) the share of errors
on S. M draws its projections itself.
"""

from __future__ import annotations

from math import ceil, e, exp, log

from bounds.exact.sampled_gaussian import batches_delta
from bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

PRIVATE = [at_least("epsilon", 0), at_least("delta", 0), between("empirical", 0, 1)]


@theorem(
    "wzw25.thmL.2.s1",
    reading="explicit",
    kind="mean",
    says=r"\mathcal{M}\ (\varepsilon,\delta)\mathrm{-DP}\ \Rightarrow\ \mathbb{E}\,\mathcal{R}_D(\mathcal{M}(S))"
    r"\le e^{\varepsilon}\,\mathbb{E}\,\tilde{\mathcal{R}}_S(\mathcal{M}(S))+\delta",
    needs=PRIVATE,
    source="derived here; well known",
)
def expected_gap(*, epsilon: float, delta: float, empirical: float) -> float:
    """The expected population risk of a private algorithm whose expected error on the data is `empirical`.

    E R_D(M(S)) = E[M(S) errs on z'], z' fresh. Replace z_i by z': at most e^epsilon E[M(S^i) errs on z'] + delta, and
    (S^i, z') has the law of (S, z_i). Average over i. Both terms are sharp.

    >>> expected_gap(epsilon=0.0, delta=0.125, empirical=0.25)
    0.375
    """
    return exp(epsilon) * empirical + delta


@theorem(
    "wzw25.thmL.2.s2",
    reading="explicit",
    kind="tail",
    says=r"\mathcal{M}\ (\varepsilon,\delta)\mathrm{-DP}\ \Rightarrow\ \Pr\left[\mathcal{R}_D\le e^{\varepsilon+1}"
    r"\tilde{\mathcal{R}}_S+\frac{e}{e-1}\left(k\delta+\frac{e^{\varepsilon+1}\log(k+1)}n\right)\right]\ge1-\beta,"
    r"\quad k=\lceil1/\beta\rceil",
    needs=[*PRIVATE, integer("n"), in_unit_interval("beta")],
    source="derived here, after the monitor of Bassily, Nissim, Smith, Steinke, Stemmer & Ullman 2016",
)
def private_gap(*, n: int, epsilon: float, delta: float, beta: float, empirical: float) -> float:
    """The population risk of a private algorithm with probability 1 - beta, multiplicative in its error on the data.

    Run M on k independent datasets; let c = e^{epsilon+1} and q_j = n (R_D(h_j) - c R_S(h_j)), q_0 = 0. Choose j with
    probability proportional to exp(q_j / c): one record moves one q_j by at most c, so the choice is 1-DP given the
    h's, and (h_j, is j chosen) is (epsilon + 1, delta)-DP in its record. (1) Replacing records as in s1, for every j:
    E q_chosen <= n k delta. (2) E max q_j <= E q_chosen + c log(k+1) (entropy). (3) If q_1 > n t has probability above
    beta, some q_j does with probability above 1 - (1-beta)^k >= 1 - 1/e, and E max q_j > (1 - 1/e) n t.

    >>> private_gap(n=10**6, epsilon=0.0, delta=0.0, beta=0.01, empirical=0.0) < 3e-5
    True
    """
    runs, factor = ceil(1 / beta), exp(epsilon + 1)
    return factor * empirical + e / (e - 1) * (runs * delta + factor * log(runs + 1) / n)


@theorem(
    "wzw25.thm4.1",
    part="batches",
    reading="explicit",
    kind="privacy",
    says=r"\delta_{\mathcal M^*}(\varepsilon)\le H_{e^{\varepsilon}}\left(P_+^{\otimes N}\otimes\mathcal N(\mu,1)\,\|\,"
    r"P_-^{\otimes N}\otimes\mathcal N(0,1)\right),\quad P_\pm=(1-q)\,\mathcal N(0,1)+q\,\mathcal N(\pm a,1)",
    needs=[
        at_least("epsilon", 0),
        require("0 < rate <= 1", lambda rate: bool(0 < rate <= 1)),
        positive("scale"),
        integer("steps"),
        positive("mu"),
    ],
    source="derived here; dominating pairs: Dong, Roth & Su 2022, Zhu, Dong & Wang 2022",
)
def batches_privacy(*, epsilon: float, rate: float, scale: float, steps: int, mu: float) -> float:
    """delta(epsilon) of Algorithm 3 on random batches, rounded up: `mechanisms.sampled_gd`.

    All runs together take N = `steps` steps; a step has every record with probability q = `rate` and noise of standard
    deviation L / a, a = `scale`, for gradients of norm at most L; all scores together are mu-GDP. Why the two laws of
    one step are dominated by P_+ and P_- is derived in `bounds.exact.sampled_gaussian`: half-lines are the best events.

    >>> round(batches_privacy(epsilon=1.0, rate=0.01, scale=0.8, steps=1000, mu=0.1), 5)
    0.0098
    """
    return batches_delta(epsilon=epsilon, rate=rate, a=scale, steps=steps, mu=mu)
