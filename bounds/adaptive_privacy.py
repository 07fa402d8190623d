"""Adapting to the margin, privately: what Wang, Zhu & Wang (2025) say about the privacy of Algorithms 1, 2 and 3.

Lemma 6.3, Appendix E.2, Equation 3 and the privacy parts of Theorems 4.1, 6.5, 6.7, L.1 and L.2. The algorithms and
their numbers are in `bounds.adaptive_margin`; neighbours differ in one replaced record; `mu` is a Gaussian budget.
"""

from __future__ import annotations

from math import ceil, log, sqrt

import numpy as np

from bounds.adaptive_margin import printed_budget, unlimited_budget
from bounds.gdp import gaussian_delta
from bounds.hinge_gradient import replacement_sensitivity
from bounds.theorem import in_unit_interval, integer, positive, require, theorem

WZW25 = "Wang, Zhu & Wang 2025"


# Algorithm 1: Lemma 6.3 ---------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lem6.3",
    part="privacy",
    kind="privacy",
    says=r"\mathcal{A}_{JLGD}(\Phi,\gamma/3,S,\mu)\ \mathrm{is}\ \mu\mathrm{-GDP}",
    needs=[integer("n"), integer("steps"), positive("gamma"), positive("radius")],
    source=f"{WZW25}, Lemma 6.3, and Algorithm 1",
)
def projected_gdp(*, n, steps, gamma, radius=1.0):
    """Gradient descent on projected, clipped records is mu-GDP

    What it spends, sqrt(T) Delta / sigma with sigma = n Delta, for mu = sqrt(T) / n, so that T = n^2 mu^2 is whole.

    Derivation, for every fixed Phi, whatever its size and law. (1) Line 2 clips Phi x at 2 v: no row is longer than
    2 v, whatever x is, also where ||Phi x|| > 2 ||x||, which no Phi with k < d excludes. (2) So the gradient sum
    changes by at most Delta = 2 (2 v) / c = 12 v / gamma when one record is replaced (Lemma A.10 b); clipping is record
    by record. (3) Descent with sigma = Delta sqrt(T) / mu is mu-GDP (Lemma C.1). (4) Phi' w is a function of w and of
    Phi, which is drawn without the data. Neither gamma < 1 nor Lemma 6.2's k is needed.

    >>> projected_gdp(n=4, steps=4, gamma=0.5)
    0.5
    """
    sensitivity = replacement_sensitivity(radius=2 * radius, width=gamma / 3)
    return sqrt(steps) * sensitivity / (n * sensitivity)


# Algorithm 2: Lemma E.3 ---------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemE.3",
    part="iter",
    kind="privacy",
    says=r"\mathcal{M}_{base}\ \mathrm{at}\ \frac{\mu}{\sqrt{2|\Theta|}},\ "
    r"\xi\sim\mathcal{N}\left(0,\frac{2|\Theta|\Delta^2}{\mu^2}\right)\ \Rightarrow\ "
    r"\mathcal{A}_{Iter}(\mathcal{M},\Theta,S,\mu)\ \mathrm{is}\ \mu\mathrm{-GDP}",
    needs=[positive("mu"), integer("candidates")],
    source=f"{WZW25}, Algorithm 2 and Appendix E.2",
)
def iterated_gdp(*, mu, candidates):
    """Trying all candidates, every run and every score at mu over the root of twice their number, spends mu

    sqrt(2 |Theta| (mu / sqrt(2 |Theta|))^2) = mu. The paper says it in words ("equivalent to analyzing compositions").

    Derivation. (1) Every run is a mechanism with budget mu / sqrt(2 |Theta|), by assumption. (2) Given m_theta, the
    score changes by at most Delta, and its noise has standard deviation sqrt(2 |Theta|) Delta / mu: a Gaussian
    mechanism with the same budget (Remark 2.3), chosen from what was released before. (3) 2 |Theta| budgets compose to
    mu (Remark 2.3). (4) The argmin and its m are functions of all m_theta and u_theta. Line 5 draws a noise of its own
    for every theta: it stands inside the loop, and with one noise for all, differences of scores would be exact.

    >>> round(iterated_gdp(mu=0.5, candidates=14), 12)
    0.5
    """
    calls = 2 * candidates
    return sqrt(calls) * (mu / sqrt(calls))


# The scores: Equation 3 and the proof of Theorem 6.7 -----------------------------------------------------------------


@theorem(
    "wzw25.eq3",
    part="sensitivity",
    kind="identity",
    says=r"\max_{S\sim S',\,\mathbf{w}}\left|U(\mathbf{w};S)-U(\mathbf{w};S')\right|=1,\quad "
    r"U=\hat{\mathcal R}_S(\mathbf{w})+\frac52\left(\mathrm{VC}(\mathcal H_k)\log(2n)+\log(\beta/4)\right)",
    needs=[integer("n"), integer("k"), in_unit_interval("beta")],
    source=f"{WZW25}, Equation 3; the sensitivity is printed in Appendix I.2",
)
def penalised_sensitivity(*, n, k, beta):
    """Replacing a record changes the penalised number of errors by at most 1, and sometimes by 1

    The penalty depends on n, k and beta, which neighbours share; one record is right or wrong.

    >>> penalised_sensitivity(n=10, k=3, beta=0.01)
    1.0
    """
    return 1.0


SCORE = (
    r"\mathrm{score}(\gamma)=\tilde{\mathcal R}_S+\frac{5\mathrm{VC}(\mathcal H_{k_\gamma})\log(2n)+\log(\beta/4)}{n}"
)


@theorem(
    "wzw25.thm6.7.sensitivity",
    parent="wzw25.thm6.7",
    kind="identity",
    says=SCORE + r"\ \Rightarrow\ \Delta(\mathrm{score}(\gamma))=1",
    needs=[integer("n")],
    source=f"{WZW25}, Appendix I.2",
)
def averaged_sensitivity(*, n):
    """The proof's averaged score is said to change by 1

    The proof of Theorem 6.7 averages the errors and yet says 1 "under the replacement neighboring relationship".
    As a bound that is true and wastes a factor n: noise sqrt(2 |Gamma|) / mu on numbers that differ by at most 1. Its
    Equation 18 counts the noise divided by n, as if the sensitivity were 1/n.
    """
    return 1.0


@theorem(
    "wzw25.thm6.7.sensitivity",
    parent="wzw25.thm6.7",
    reading="corrected",
    kind="identity",
    says=SCORE + r"\ \Rightarrow\ \Delta(\mathrm{score}(\gamma))=\frac1n",
    needs=[integer("n")],
    source=f"{WZW25}, Appendix I.2",
)
def averaged_sensitivity_corrected(*, n):
    """The proof's averaged score changes by at most 1/n, and sometimes by 1/n

    One record of n is right or wrong. Equation 3 is the same rule only up to the weight of the penalty: times n the
    proof's score is errors + 5 VC log(2n) + ..., Equation 3 is errors + 5/2 VC log(2n) + ... Both are private.

    >>> averaged_sensitivity_corrected(n=10)
    0.1
    """
    return 1 / n


# Algorithm 3: Theorems 4.1, 6.5, 6.7, L.1, L.2 -----------------------------------------------------------------------

RANGE = [
    in_unit_interval("delta"),
    positive("epsilon"),
    require("epsilon < 8 log(1/delta)", lambda epsilon, delta: bool(epsilon < 8 * np.log(1 / delta))),
]
EVERY = [in_unit_interval("delta"), positive("epsilon"), positive("radius")]
PRIVATE = r"\mathcal{M}^*\ \mathrm{is}\ (\varepsilon,\delta)\mathrm{-DP}"
IN_RANGE = r"\delta\in(0,1),\ \varepsilon\in(0,8\log(1/\delta))\ \Rightarrow\ " + PRIVATE


@theorem(
    "wzw25.thm4.1",
    part="privacy",
    kind="privacy",
    says=IN_RANGE,
    needs=RANGE,
    source=f"{WZW25}, Theorem 4.1 (1)",
)
def main_privacy(*, epsilon, delta):
    """DP Adaptive Margin is (epsilon, delta)-DP

    The smallest delta at epsilon of its Gaussian budget mu = epsilon / (2 sqrt(2 log(1/delta))): at most delta / 2.
    With either score: Theorems 6.5 and 6.7. Definition 2.1 prints epsilon < 1; the theorem goes up to 8 log(1/delta).

    >>> main_privacy(epsilon=1.0, delta=1e-5) < 0.5e-5
    True
    """
    return float(gaussian_delta(epsilon=epsilon, mu=printed_budget(epsilon, delta)))


@theorem(
    "wzw25.thm6.5",
    part="privacy",
    kind="privacy",
    says=IN_RANGE + r"\quad\mathrm{with\ score}\ \tilde{\mathcal R}_S",
    needs=RANGE,
    source=f"{WZW25}, Theorem 6.5; Appendix H, Theorem H.1",
)
def empirical_privacy(*, epsilon, delta):
    """DP Adaptive Margin with the empirical error as its score is (epsilon, delta)-DP

    The smallest delta at epsilon of mu = epsilon / (2 sqrt(2 log(1/delta))): at most delta / 2.

    Derivation. (1) The grid, k_gamma, Phi_gamma, T, sigma, eta depend on n, d, epsilon, delta, beta only. (2) Each run
    of Algorithm 1 at mu_c = mu / sqrt(2 |Gamma|) = epsilon / (4 sqrt(|Gamma| log(1/delta))) is mu_c-GDP (Lemma 6.3),
    for any gamma in Gamma, gamma = 1 included. (3) The averaged error of a fixed classifier changes by at most 1/n, and
    its noise has standard deviation 1 / (n mu_c): mu_c-GDP; the summed error with Delta = 1 is the same. (4) Algorithm
    2 spends mu (Lemma E.3, part iter). (5) epsilon < 8 log(1/delta) is mu < 2 sqrt(2 log(1/delta)), so mu-GDP implies
    (2 mu sqrt(2 log(1/delta)), delta) = (epsilon, delta)-DP (Corollary E.2). T = n^2 mu_c^2 is hardly ever whole: sigma
    must be Delta sqrt(T) / mu_c for the T that is run (Lemma C.1), which is what our code does.

    >>> empirical_privacy(epsilon=92.0, delta=1e-5) < 0.5e-5
    True
    """
    return main_privacy(epsilon=epsilon, delta=delta)


@theorem(
    "wzw25.thm6.7",
    part="privacy",
    kind="privacy",
    says=IN_RANGE + r"\quad\mathrm{with\ the\ score\ of\ Equation\ 3}",
    needs=RANGE,
    source=f"{WZW25}, Theorem 6.7; Appendix I, Theorem I.1",
)
def penalised_privacy(*, epsilon, delta):
    """DP Adaptive Margin with the penalised error as its score is (epsilon, delta)-DP

    The derivation of `empirical_privacy` with the sensitivity 1 of Equation 3 (part sensitivity). The proof's averaged
    score with its "Delta = 1" has n times the noise that it needs: private as well.
    """
    return main_privacy(epsilon=epsilon, delta=delta)


def _ball_privacy(epsilon, delta):
    """The smallest delta at epsilon of the printed budget, any epsilon; a radius scales records, margins and noise."""
    return float(gaussian_delta(epsilon=epsilon, mu=unlimited_budget(epsilon, delta)))


@theorem(
    "wzw25.thmL.1",
    part="privacy",
    kind="privacy",
    says=r"\|\mathbf{x}\|\le b\ \Rightarrow\ " + PRIVATE,
    needs=EVERY,
    source=f"{WZW25}, Theorem L.1",
)
def ball_privacy(*, epsilon, delta, radius):
    """DP Adaptive Margin on records of any norm is (epsilon, delta)-DP

    The theorem prints no range for epsilon, nor does Algorithm 3. The number is the smallest delta at epsilon of the
    Gaussian budget that Algorithm 3 spends; it exceeds delta for large epsilon.
    """
    return _ball_privacy(epsilon, delta)


@theorem(
    "wzw25.thmL.1",
    part="privacy",
    reading="corrected",
    kind="privacy",
    says=r"\|\mathbf{x}\|\le b,\ " + IN_RANGE,
    needs=[*RANGE, positive("radius")],
    source=f"{WZW25}, Theorem L.1, in the range of Theorem 6.5",
)
def ball_privacy_in_range(*, epsilon, delta, radius):
    """DP Adaptive Margin on records of any norm is (epsilon, delta)-DP up to epsilon = 8 log(1/delta)

    The derivation of `empirical_privacy`; the radius b multiplies records, grid and widths, so Delta = 12 b / gamma and
    everything that is compared with it stay as they are.
    """
    return _ball_privacy(epsilon, delta)


@theorem(
    "wzw25.thmL.2",
    part="privacy",
    kind="privacy",
    says=r"\|\mathbf{x}\|\le b\ \Rightarrow\ " + PRIVATE,
    needs=EVERY,
    source=f"{WZW25}, Theorem L.2",
)
def ball_population_privacy(*, epsilon, delta, radius):
    """DP Adaptive Margin on records of any norm is (epsilon, delta)-DP, said again for the population risk

    The sentence of Theorem L.1, with the empirical error as the score.
    """
    return _ball_privacy(epsilon, delta)


@theorem(
    "wzw25.thmL.2",
    part="privacy",
    reading="corrected",
    kind="privacy",
    says=r"\|\mathbf{x}\|\le b,\ " + IN_RANGE,
    needs=[*RANGE, positive("radius")],
    source=f"{WZW25}, Theorem L.2, in the range of Theorem 6.5",
)
def ball_population_privacy_in_range(*, epsilon, delta, radius):
    """The same up to epsilon = 8 log(1/delta)

    As Theorem L.1 in that range; with the score of Equation 3, too (Theorem 6.7).
    """
    return _ball_privacy(epsilon, delta)


# Beyond the range: what M* gives away for certain --------------------------------------------------------------------


def single_record_gap(mu, rows):
    """M* on one record: how far apart two labels are in its last iterate, and log of the chance that this is wrong.

    n = 1: Gamma = {b}, nothing is selected, and the run has mu_c = mu / sqrt(2). Let Delta = 12 be the sensitivity (b =
    1), T any whole number, sigma = Delta sqrt(T) / mu_c, and x a record with ||Phi x|| >= 2 b. It exists for every Phi
    with d >= 4 k, k = `rows`, because ||Phi||^2 >= tr(Phi Phi') / k = d / k. With u = Phi x / ||Phi x|| and s = <w, u>:
    while |s| < 1/6, <w, z> is below c = b / 3 for both labels, both are active, and a step adds eta (+-Delta / 2 - xi),
    xi ~ N(0, sigma^2). So s_T is N(+-mu_c / 2, 1) in units of eta sigma sqrt(T) <= 1 / sqrt(k): the labels are mu_c
    apart, as long as no s_t leaves the range. In these units every s_t has mean at most mu_c / 2 and variance at most
    1, so one leaves with probability at most 2 T Phi(-room) <= T e^(-room^2 / 2), room = sqrt(k) / 6 - mu_c / 2.

    >>> apart, log_chance = single_record_gap(12.0, 10**6); round(apart, 3), log_chance < -10**4
    (8.485, True)
    """
    apart = mu / sqrt(2)
    steps = max(1, ceil(apart**2))
    room = sqrt(rows) / 6 - apart / 2
    return apart, log(steps) - room**2 / 2 if room > 0 else 0.0
