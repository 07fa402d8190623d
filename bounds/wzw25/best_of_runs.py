"""Private tuning with a random number of runs: Algorithm 4 of Wang, Zhu & Wang (2025), its privacy (Appendix K.2).

    K ~ TNB(1, r);  for t <= K:  theta_t uniform in Theta,  m_t = M(theta_t; S, mu / sqrt 2),
                                 u_t = U(m_t; S) + N(0, 2 Delta^2 / mu^2);
    release m_t, theta_t of the smallest u_t.

One run (theta_t, m_t, u_t) is mu-GDP. The best of K independent runs is released, and K is not released. Four accounts
of it: Lemma K.1 with Corollary K.2 as printed; a bound from the curve of one run alone (`sharp_epsilon`, and its
simpler form `profile_epsilon`); the least that follows from mu (`worst_epsilon`); and the exact curve of runs that
release a Gaussian score and nothing else. No valid account is below that curve, since such runs are mu-GDP. Here it is
computed in floats, enclosed in `lemmata.bounds.exact.best_of_runs`. Neighbours differ in one replaced record. Utility
is in `lemmata.bounds.wzw25.winner`, Lemma 7.2 in `lemmata.bounds.wzw25.repetitions`.
"""

from typing import Any

import numpy as np
from flint import arb
from scipy.optimize import brentq

from lemmata.bounds.exact import winner_profile
from lemmata.bounds.exact.numbers import Real, log, sqrt
from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.bounds.exact.tuning_curves import first_below, profile_growth, score_delta, sharp_growth
from lemmata.bounds.theorem import at_least, in_unit_interval, positive, require, theorem
from lemmata.bounds.wzw25 import run_counts
from lemmata.bounds.wzw25.gaussian_privacy import composed_gdp
from lemmata.bounds.wzw25.run_counts import ETA, UNIT_R

UNIT_DELTA = in_unit_interval("delta")
KOSKELA = "Koskela, Redberg & Wang 2024"
RUN = r"M\ \mu\mathrm{-GDP},\ K\sim TNB_{1,r}\ \Rightarrow\ "
RUNS = r"M\ \mu\mathrm{-GDP},\ K\sim TNB_{\eta,r}\ \Rightarrow\ "


def tail_at(*, r: Any, delta: Any) -> Any:
    """t = sqrt(2 log(1 / (r delta))), the coordinate in which Appendix K is linear.

    >>> round(tail_at(r=0.01, delta=1e-6), 4)
    6.0697
    """
    t = sqrt(2 * (log(1 / r) + log(1 / delta)))
    return t if isinstance(t, arb) else float(t)


def epsilon_at(mu: Any, t: Any, delta: Any) -> Any:
    """Equation 23 in t: 3/2 mu^2 + 3 mu t + delta; numbers, Fractions or balls."""
    return 3 * mu * mu / 2 + 3 * mu * t + delta


def epsilon_simple_at(mu: Any, t: Any, delta: Any) -> Any:
    """Corollary K.2 in t: 6 mu t + delta."""
    return 6 * mu * t + delta


def budget_at(epsilon: Any, t: Any) -> Any:
    """Theorem K.3 in t: epsilon / (6 t)."""
    return epsilon / (6 * t)


# Lemma K.1 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemK.1",
    kind="privacy",
    says=RUN + r"(\varepsilon,\delta)\mathrm{-DP},\ "
    r"\varepsilon=\frac32\mu^2+3\mu\sqrt{2\log\left(\frac{1}{r\delta}\right)}+\delta",
    needs=[positive("mu"), UNIT_R, UNIT_DELTA],
    source=", Equation 23; Koskela, Redberg & Wang 2024, Corollary 5.5",
)
def selection_epsilon(*, mu: Any, r: Any, delta: Any) -> Any:
    """The best of K mu-GDP runs, K geometric, is (epsilon, delta)-DP: its epsilon.

    3/2 mu^2 + 3 mu t + delta with t = sqrt(2 log(1/(r delta))). Derivation, from the explicit reading (profile) at
    eta = 1 and epsilon_1 = epsilon^ = e := mu^2/2 + mu t: by Lemma E.1, where half of delta is never spent, one run has
    delta(e) <= r delta / 2. So E K delta(e) <= delta / 2, and 2 log(exp(e) + (1-r)/r delta(e)) <= 2 e + (1 - r) delta;
    together 3 e + (1 - r) delta < 3 e + delta. Without that half the last term would be 2 delta. "Fixed delta > 0" is
    read as Definition 2.1 reads delta, in (0, 1); for delta >= 1 nothing is claimed that could fail.

    >>> [round(selection_epsilon(mu=m, r=r, delta=d), 2) for m, r, d in [(0.1, 1 / 495, 1e-5), (1, 0.1, 1e-6)]]
    [1.8, 18.53]
    """
    return epsilon_at(mu, tail_at(r=r, delta=delta), delta)


@selection_epsilon.explicit(
    part="profile",
    says=RUNS + r"\delta_A\left(\varepsilon_1+(\eta+1)\log\left(e^{\hat\varepsilon}+\frac{1-r}{r}\delta_M(\hat"
    r"\varepsilon)\right)\right)\le\mathbb{E}[K]\,\delta_M(\varepsilon_1),\quad \varepsilon_1,\hat\varepsilon\ge 0",
    needs=[positive("mu"), ETA, UNIT_R, UNIT_DELTA],
    source=f"derived here; after {KOSKELA}",
)
def profile_epsilon(*, mu: float, r: float, delta: float, eta: float = 1.0) -> float:
    """The epsilon of the best of K TNB runs, from the privacy curve of one run.

    Derivation. Runs are independent, ties have probability 0 (a uniform tie-breaker costs nothing). If q(y) is the
    chance that a run is no better than y, the release has density G'(q(y)) with respect to one run's law, and G'(x) =
    E K (r / (1 - (1-r) x))^(eta+1). Under the neighbour 1 - q' <= exp(e^) (1 - q) + delta_M(e^), as "better than y" is
    an event. So G'(q) / G'(q') = ((r + (1-r)(1-q')) / (r + (1-r)(1-q)))^(eta+1) <= B^(eta+1), B = exp(e^) + (1-r)/r
    delta_M(e^), and H_{e^eps}(A, A') <= integral of G'(q) (p - e^{epsilon_1} p')_+ <= G'(1) delta_M(epsilon_1) with
    epsilon = epsilon_1 + (eta + 1) log B, and G'(1) = E K. Here E K delta_M(epsilon_1) = delta, and e^ is the best.

    >>> [round(profile_epsilon(mu=m, r=r, delta=d), 3) for m, r, d in [(0.1, 1 / 495, 1e-5), (0.3, 1e-3, 1e-3)]]
    [1.103, 3.228]
    """
    return first_epsilon(mu, r, delta, eta) + (eta + 1) * profile_growth(mu, r)


@selection_epsilon.explicit(
    part="sharp",
    says=RUNS + r"\delta_A(\varepsilon_1+(\eta+1)\hat\varepsilon)\le\mathbb{E}[K]\,\delta_M(\varepsilon_1)\quad"
    r"\mathrm{if}\quad(1-r)\,\delta_M(\hat\varepsilon)\le r\,(e^{\hat\varepsilon}-1)",
    needs=[positive("mu"), ETA, UNIT_R, UNIT_DELTA],
    source="derived here; the best use of the profile bound's argument",
)
def sharp_epsilon(*, mu: float, r: float, delta: float, eta: float = 1.0) -> float:
    """The epsilon of the best of K runs, from one run's curve and exact tail ratios.

    Derivation. In the derivation of part profile the ratio (r + (1-r)(1-q')) / (r + (1-r)(1-q)) is at most exp(e^) for
    every q as soon as (1 - r) delta_M(e^) <= r (exp(e^) - 1): put x = 1 - q and 1 - q' <= exp(e^) x + delta_M(e^). At
    equality the bound of the ratio does not depend on x, and no other e^ gives a smaller one: it is tangent to the
    largest ratio. Never larger than part profile. Holds for any base mechanism with its own curve; here mu-GDP.

    >>> [round(sharp_epsilon(mu=m, r=r, delta=d), 3) for m, r, d in [(0.1, 1 / 495, 1e-5), (0.3, 1e-3, 1e-3)]]
    [0.925, 2.748]
    """
    return first_epsilon(mu, r, delta, eta) + (eta + 1) * sharp_growth(mu, r)


@selection_epsilon.explicit(
    part="worst",
    says=RUNS + r"\delta_A(\varepsilon)\le\mathbb{E}[K]\;\mathbb{E}_{x\sim N(0,1)}\sup_{0\le a\le1}\left(v(a)-"
    r"e^{\varepsilon+\mu x-\mu^2/2}\,v(G_\mu(a))\right)_+,\quad v(a)=\left(\frac r{r+(1-r)a}\right)^{\eta+1},\ "
    r"G_\mu(a)=\Phi(\Phi^{-1}(a)+\mu)",
    needs=[positive("mu"), ETA, UNIT_R, UNIT_DELTA],
    source="derived here; attained in the limit, so no account from mu alone is better",
)
def worst_epsilon(*, mu: float, r: float, delta: float, eta: float = 1.0) -> float:
    """The epsilon of the best of K mu-GDP runs, for the worst run and order of outputs.

    Derivation. Let P, P' be the laws of one run y, a(y) the chance under P of a run that is better than y, and a'(y)
    that under P'. (1) The release has density E K v(a(y)) with respect to P, and E K v(a'(y)) with respect to P', as in
    part profile. (2) "Better than y" is an event, so a' <= G(a) by mu-GDP, and v decreases: v(a') >= v(G(a)). (3) Hence
    the hockey stick at epsilon is at most E K times the mean under P of h(e^epsilon dP'/dP), where h(c) = sup over a of
    (v(a) - c v(G(a)))_+ is convex. (4) Such a mean is a divergence; P, P' come from N(0, 1), N(mu, 1) by a common map
    (Blackwell), which only lowers it. The other order of the neighbours is the same. Attained: a run shows x, those of
    the largest likelihood ratio come first until a fraction a of P is used up, then those x at which a is the best;
    they are so rare that they barely change a. Computed from above, within about a thousandth, by
    `lemmata.bounds.exact.winner_profile`. Never larger than part sharp, which has 1 in place of v(a).

    >>> [round(worst_epsilon(mu=m, r=r, delta=d), 3) for m, r, d in [(0.1, 1 / 495, 1e-5), (0.3, 1e-3, 1e-3)]]
    [0.86, 2.548]
    """
    sharp = sharp_epsilon(mu=mu, r=r, delta=delta, eta=eta)
    chain, mean = winner_profile.chords(mu=mu, r=r, eta=eta, growth=sharp_growth(mu, r)), run_counts.mean(eta=eta, r=r)

    def excess(epsilon: float) -> float:
        spent = winner_profile.worst_delta(chain, mean, lambda e: float(np.exp(log_gaussian_delta(e, mu))), epsilon)
        return log(max(spent, 1e-320)) - log(delta)

    least = winner_profile.least_epsilon(chain)
    if sharp <= least or excess(sharp) > 0:
        return sharp
    if excess(least) <= 0:
        return least
    return least + first_below(lambda more: excess(least + more), sharp - least)


def first_epsilon(mu: float, r: float, delta: float, eta: float) -> float:
    """The smallest epsilon_1 >= 0 with E K delta_M(epsilon_1) <= delta."""
    target = log(delta) - log(max(1.0, run_counts.mean(eta=eta, r=r)))
    if log_gaussian_delta(0.0, mu) <= target:
        return 0.0
    return first_below(lambda e: log_gaussian_delta(e, mu) - target, mu * (mu / 2 + sqrt(-2 * target)))


@selection_epsilon.explicit(
    part="score-only",
    says=r"u\sim N(0,1)\ \mathrm{or}\ N(\pm\mu,1):\quad f_{\min_{t\le K}u_t}(u)="
    r"\frac{f(u)\,\mathbb{E}[K]\,r^{\eta+1}}{\left(1-(1-r)\Pr[U>u]\right)^{\eta+1}},\quad "
    r"\delta_A(\varepsilon)=\int\left(f_{\min}-e^{\varepsilon}f'_{\min}\right)_+",
    kind="identity",
    needs=[at_least("epsilon", 0), positive("mu"), ETA, UNIT_R],
    source="derived here from Definition A.1",
)
def score_only_delta(*, epsilon: float, mu: float, r: float, eta: float = 1.0) -> float:
    """The exact privacy curve of the best score, for runs that release only scores.

    Derivation. The larger of both orders of the pair. The best of K scores is at most u with probability 1 - G(P(U >
    u)), so the hockey-stick divergence is a sum of differences of distribution functions over the intervals where the
    log ratio of the densities exceeds epsilon. The ratio is monotone for r near 1 only; for small r there may be two
    intervals. Changes of sign are searched for on a grid of u, spaced about 0.006, and refined.

    >>> round(score_only_delta(epsilon=0.4791, mu=0.1, r=1 / 495) * 1e5, 2)
    1.0
    """
    return float(max(score_delta(epsilon, shift, r, eta) for shift in (mu, -mu)))


def score_only_epsilon(*, mu: float, r: float, delta: float, eta: float = 1.0) -> float:
    """The epsilon at which the exact curve of score-only runs meets delta: a lower bound on every general account.

    >>> round(score_only_epsilon(mu=0.3, r=1e-3, delta=1e-3), 3)
    1.28
    """
    top = sharp_epsilon(mu=mu, r=r, delta=delta, eta=eta) * (1 + 1e-6) + 1e-9  # they meet as r -> 1

    def above(e: float) -> float:
        return log(max(score_only_delta(epsilon=e, mu=mu, r=r, eta=eta), 1e-320)) - log(delta)

    return 0.0 if above(0.0) <= 0 else float(brentq(above, 0.0, top, xtol=1e-12))


# Corollary K.2 --------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.corK.2",
    kind="privacy",
    says=r"\mu\le 2\sqrt{2\log\left(\frac{1}{r\delta}\right)}\ \Rightarrow\ "
    r"\left(6\mu\sqrt{2\log\left(\frac{1}{r\delta}\right)}+\delta,\ \delta\right)\mathrm{-DP}",
    needs=[
        positive("mu"),
        UNIT_R,
        UNIT_DELTA,
        require(
            "mu <= 2 sqrt(2 log(1/(r delta)))", lambda mu, r, delta: mu <= 2 * tail_at(r=r, delta=delta) * (1 + 1e-15)
        ),
    ],
)
def selection_epsilon_simple(*, mu: float, r: float, delta: float) -> float:
    """The best of K mu-GDP runs is (epsilon, delta)-DP, simpler form for small mu.

    6 mu t + delta, which is Lemma K.1 with 3/2 mu^2 <= 3 mu t, that is mu <= 2 t. Between one and two times its bound.

    >>> round(selection_epsilon_simple(mu=0.1, r=1 / 495, delta=1e-5), 3)
    3.572
    """
    return relaxed_epsilon.theorem.formula(mu=mu, t=tail_at(r=r, delta=delta), delta=delta)


@theorem(
    "wzw25.corK.2.s1",
    says=r"\mu\le 2t\ \Rightarrow\ \frac32\mu^2+3\mu t+\delta\le 6\mu t+\delta,\quad t=\sqrt{2\log(1/(r\delta))}",
    needs=[positive("mu"), positive("t"), positive("delta"), require("mu <= 2 t", lambda mu, t: mu <= 2 * t)],
)
def relaxed_epsilon(*, mu: Real, t: Real, delta: Real) -> Real:
    """For small mu, 6 mu sqrt(2 log(1/(r delta))) + delta bounds the best of K runs.

    6 mu t + delta, larger than the left side by 3/2 mu (2 t - mu): equal at the end of the range.

    Derivation. 6 mu t + delta - (3/2 mu^2 + 3 mu t + delta) = 3 mu t - 3/2 mu^2 = 3/2 mu (2 t - mu), which is at least
    0 for mu <= 2 t.

    >>> relaxed_epsilon(mu=2.0, t=1.0, delta=0.5)
    12.5
    """
    return epsilon_simple_at(mu, t, delta)


# Theorem K.3 ----------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.thmK.3",
    kind="privacy",
    says=r"\mu=\frac{\varepsilon}{6\sqrt{2\log(1/(r\delta))}},\ \varepsilon\le 24\log\left(\frac{1}{r\delta}\right)"
    r"\ \Rightarrow\ \mathcal{A}_{PrivTune}\ (\varepsilon+\delta,\delta)\mathrm{-DP}",
    needs=[
        positive("epsilon"),
        UNIT_R,
        UNIT_DELTA,
        require(
            "epsilon <= 24 log(1/(r delta))",
            lambda epsilon, r, delta: epsilon <= 12 * tail_at(r=r, delta=delta) ** 2 * (1 + 1e-15),
        ),
    ],
)
def tuning_budget(*, epsilon: float, r: float, delta: float) -> float:
    """The Gaussian budget of one run of Algorithm 4, private tuning.

    epsilon / (6 t). Derivation: (theta_t, m_t) is (mu / sqrt 2)-GDP for uniform theta_t that takes no data; u_t given
    m_t is a Gaussian mechanism with sensitivity Delta and standard deviation sqrt(2) Delta / mu (line 7 of Algorithm 4,
    not the proof's sigma: step s1), so (mu / sqrt 2)-GDP; together mu (Remark 2.3). The winner's (m_t, theta_t) is a
    function of the best of K such runs, and 6 mu t = epsilon, mu <= 2 t: Corollary K.2.

    >>> round(tuning_budget(epsilon=1.0, r=1 / 495, delta=1e-5), 4)
    0.028
    """
    return budget_at(epsilon, tail_at(r=r, delta=delta))


@theorem(
    "wzw25.thmK.3.s1",
    kind="privacy",
    says=r"\sigma=\frac{\Delta^2}{(\mu/\sqrt2)^2}\ \Rightarrow\ U+N(0,\sigma^2)\ \mathrm{is}\ "
    r"\frac{\mu}{\sqrt2}\mathrm{-GDP}",
    needs=[positive("mu"), positive("sensitivity")],
    source=", proof, mechanism (2)",
)
def score_gdp_as_printed(*, mu: float, sensitivity: float) -> float:
    """The Gaussian budget of the noisy score, the proof's sigma as standard deviation.

    Delta / sigma = mu^2 / (2 Delta), at most mu / sqrt 2 exactly where mu <= sqrt(2) Delta. For an averaged score
    Delta = 1/n, and n mu > sqrt 2 is the usual case. The fraction is the *variance*: line 7 of Algorithm 4.

    >>> score_gdp_as_printed(mu=0.5, sensitivity=0.01)
    12.5
    """
    return mu**2 / (2 * sensitivity)


@score_gdp_as_printed.corrected(
    says=r"\sigma^2=\frac{\Delta^2}{(\mu/\sqrt2)^2}\ \Rightarrow\ U+N(0,\sigma^2)\ \mathrm{is}\ "
    r"\frac{\mu}{\sqrt2}\mathrm{-GDP}",
    source=", with line 7 of Algorithm 4",
)
def score_gdp(*, mu: float, sensitivity: float) -> float:
    """The Gaussian budget of the noisy score, with the variance of Algorithm 4, line 7.

    Delta / sigma = mu / sqrt 2, whatever Delta is.

    >>> round(score_gdp(mu=2**0.5, sensitivity=0.01), 12)
    1.0
    """
    return float(sensitivity / sqrt(2 * sensitivity**2 / mu**2))


@theorem(
    "wzw25.thmK.3.s2",
    kind="privacy",
    says=r"\frac{\mu}{\sqrt2}\mathrm{-GDP}\ \mathrm{and}\ \frac{\mu}{\sqrt2}\mathrm{-GDP}\ \Rightarrow\ "
    r"\mathcal{A}_{\theta}\ \mu\mathrm{-GDP}",
    needs=[positive("mu")],
)
def run_gdp(*, mu: float) -> float:
    """The Gaussian budget of one run, its candidate and its noisy score together.

    sqrt(mu^2/2 + mu^2/2), adaptively: the score looks at the candidate. Remark 2.3.

    >>> round(run_gdp(mu=0.5), 12)
    0.5
    """
    half = mu / sqrt(2)
    return float(composed_gdp(mu=np.array([half, half])))


@theorem(
    "wzw25.thmK.3.s3",
    kind="identity",
    says=r"\mu=\frac{\varepsilon}{6t}\ \Rightarrow\ 6\mu t=\varepsilon,\quad \mu\le 2t\iff\varepsilon\le 12t^2="
    r"24\log\frac{1}{r\delta}",
    needs=[positive("epsilon"), positive("t")],
    source=", proof, 'follows Corollary K.2'",
)
def budget_spent(*, epsilon: Real, t: Real) -> tuple[Real, Real]:
    """The budget of a run inverts the epsilon of K runs: exactly epsilon + delta.

    (6 mu t, mu / (2 t)) at mu = epsilon / (6 t).

    Derivation. 6 mu t = epsilon at mu = epsilon/(6 t), and mu <= 2 t says epsilon <= 12 t^2, which is 24 log(1/(r
    delta)) because t^2 = 2 log(1/(r delta)).

    >>> budget_spent(epsilon=12.0, t=1.0)
    (12.0, 1.0)
    """
    mu = budget_at(epsilon, t)
    return epsilon_simple_at(mu, t, 0), mu / (2 * t)
