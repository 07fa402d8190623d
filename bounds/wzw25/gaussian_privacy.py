"""Gaussian differential privacy: Definitions 2.1, 2.2, Remark 2.3 and Appendix E of Wang, Zhu & Wang (2025).

A mechanism is mu-GDP if telling two neighbouring datasets apart from its release is at least as hard as
telling N(0, 1) from N(mu, 1). The *curve* of the pair is the smallest delta such that it is
(epsilon, delta)-indistinguishable, as a function of real epsilon. With the Mills ratio m(x) = Phi(-x) / phi(x),

    delta(epsilon; mu) = Phi(-u) - e^epsilon Phi(-u - mu) = phi(u) [m(u) - m(u + mu)],   u = epsilon / mu - mu / 2,

because phi(u + mu) = e^-epsilon phi(u). All of Appendix E follows from the right-hand side, as m is positive and
decreasing.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from lemmata.bounds.exact.privacy_curves import hockey_stick_of_masses, log_gaussian_delta
from lemmata.bounds.theorem import in_unit_interval, integer, positive, require, theorem

# Section 2: definitions -----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.def2.1",
    kind="definition",
    says=r"\Pr[\mathcal{M}(X)\in O]\le e^{\varepsilon}\,\Pr[\mathcal{M}(X')\in O]+\delta",
    needs=[in_unit_interval("epsilon"), in_unit_interval("delta")],
)
def approximate_dp_excess(*, p: ArrayLike, q: ArrayLike, epsilon: float, delta: float) -> Any:
    """By how much a pair of finite laws breaks (epsilon, delta)-differential privacy.

    max_O P(O) - e^epsilon Q(O) - delta, at most 0 if the pair is within the guarantee; the worst event is
    {p > e^epsilon q}. `p`, `q`: probabilities, shape (outputs,). X and X' have n records each and differ in
    one (replacement). The paper prints epsilon in (0, 1) here and uses the definition up to epsilon = 8
    log(1/delta) (Lemma E.3).

    >>> round(float(approximate_dp_excess(p=[0.6, 0.4], q=[0.4, 0.6], epsilon=0.25, delta=0.1)), 4)
    -0.0136
    """
    return hockey_stick_of_masses(p, q, epsilon) - delta


@theorem(
    "wzw25.def2.2",
    kind="definition",
    says=r"H_{e^{\varepsilon}}(\mathcal{M}(X)\,\|\,\mathcal{M}(X'))\le "
    r"H_{e^{\varepsilon}}(\mathcal{N}(0,1)\,\|\,\mathcal{N}(\mu,1)),\quad \forall\varepsilon\in\mathbb{R}",
)
def smallest_gdp(*, p: ArrayLike, q: ArrayLike) -> float:
    """The smallest mu at which a pair of finite laws is mu-GDP.

    The trade-off function of a finite pair is piecewise linear and that of the Gaussian pair convex, so the
    domination for all real epsilon need only be checked at the vertices (alpha_i, beta_i), the errors of
    the likelihood-ratio tests: mu = max_i Phi^-1(1 - alpha_i) - Phi^-1(beta_i). Infinite if an output is
    possible under one law only. `p`, `q`: probabilities, shape (outputs,). The printed definition covers
    both orders of a pair by itself.

    >>> p = [0.9, 0.1]; round(float(smallest_gdp(p=p, q=p[::-1])), 4)
    2.5631
    """
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    if np.any((p > 0) != (q > 0)):
        return np.inf
    p, q = p[p > 0], q[p > 0]
    order = np.argsort(np.log(q) - np.log(p))  # reject "p" first where q / p is largest
    alpha = np.cumsum(p[order][::-1])[:-1]
    beta = np.cumsum(q[order])[:-1][::-1]
    return float(np.max(-ndtri(alpha) - ndtri(beta), initial=0.0))


@smallest_gdp.explicit(
    part="curve",
    says=r"H_{e^{\varepsilon}}(\mathcal{N}(0,1)\,\|\,\mathcal{N}(\mu,1))="
    r"\Phi\left(-\frac{\varepsilon}{\mu}+\frac{\mu}{2}\right)-e^{\varepsilon}\,\Phi\left(-\frac{\varepsilon}{\mu}-\frac{\mu}{2}\right)",
    kind="identity",
    needs=[require("mu >= 0", lambda mu: bool(np.all(np.asarray(mu) >= 0)))],
    source=", by Balle & Wang 2018, Theorem 8",
)
def gaussian_delta(*, epsilon: ArrayLike, mu: ArrayLike) -> Any:
    """The exact privacy curve of two Gaussians that are mu standard deviations apart.

    Derivation. p / q = exp(mu^2 / 2 - mu x) decreases in x, so {p > e^epsilon q} is the half-line x < mu / 2 - epsilon
    / mu = -u, on which P has mass Phi(-u) and Q has mass Phi(-u - mu). Evaluated in log space (`log_gaussian_delta`).

    >>> round(float(gaussian_delta(epsilon=1.0, mu=1.0)), 10)
    0.126936737
    """
    return np.exp(log_gaussian_delta(epsilon, mu))[()]


# Remark 2.3 -----------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.rem2.3",
    part="composition",
    kind="privacy",
    says=r"\mathcal{M}_i\ \mu_i\mathrm{-GDP},\ i\le k\ \Rightarrow\ "
    r"(\mathcal{M}_1,\dots,\mathcal{M}_k)\ \sqrt{\sum_{i=1}^{k}\mu_i^2}\,\mathrm{-GDP}",
    needs=[require("every mu > 0", lambda mu: bool(np.all(np.asarray(mu, dtype=float) > 0)))],
    source=", after Dong, Roth & Su 2022, Corollary 3.3",
)
def composed_gdp(*, mu: ArrayLike) -> float:
    """Gaussian budgets compose: the root of the sum of their squares.

    `mu`: the budgets mu_1, ..., mu_k, fixed in advance; each mechanism may be chosen from what the earlier
    ones released. The paper prints "each mechanism being mu_k-GDP"; the formula has mu_i, which is the only
    reading in which it is defined.

    Derivation, for k = 2 (then by induction). Let (P, Q) be the first release under two neighbours, (P_y,
    Q_y) the second after the first was y, and (A, B), (C, D) the Gaussian pairs that dominate them: H_g(P,
    Q) <= H_g(A, B) and H_g(P_y, Q_y) <= H_g(C, D) for every order g = e^epsilon > 0, which is why
    Definition 2.2 asks for every real epsilon. Then
      1. H_g(joint) = int p(y) H_{g q/p}(P_y, Q_y) dy <= int p(y) H_{g q/p}(C, D) dy = H_g(P x C, Q x D) (Fubini);
      2. H_g(P x C, Q x D) = int c(z) H_{g d/c}(P, Q) dz <= int c(z) H_{g d/c}(A, B) dz = H_g(A x C, B x D);
      3. N(0, I) against N((mu_1, mu_2), I), turned into the direction of the shift, is N(0, 1) against
         N(|(mu_1, mu_2)|, 1).

    >>> composed_gdp(mu=[3.0, 4.0])
    5.0
    """
    return float(np.hypot.reduce(np.asarray(mu, dtype=float)))


@theorem(
    "wzw25.rem2.3",
    part="gaussian",
    kind="privacy",
    says=r"\max_{X\sim X'}\|f(X)-f(X')\|_2\le\Delta\ \Rightarrow\ f(X)+\mathcal{N}(0,\sigma^2 I)\ \mathrm{is}\ "
    r"\frac{\Delta}{\sigma}\mathrm{-GDP}",
    needs=[positive("sensitivity"), positive("sigma")],
    source=", after Dong, Roth & Su 2022, Theorem 2.7",
)
def gaussian_mechanism_gdp(*, sensitivity: float, sigma: float) -> float:
    """The Gaussian mechanism is (Delta / sigma)-GDP for L2 sensitivity Delta.

    Derivation: for one pair of neighbours the releases are N(f, sigma^2 I) and N(f', sigma^2 I); in the
    direction f' - f, scaled by sigma, they are N(0, 1) and N(s, 1) with s = |f - f'| / sigma <= Delta /
    sigma. The curve increases in its shift: d delta / d mu = phi(epsilon / mu - mu / 2) > 0 for every real
    epsilon. "Noise parameter" is the standard deviation: N(0, 1 / mu^2) for sigma = 1 / mu (cf. the proof of
    Lemma E.1).

    >>> gaussian_mechanism_gdp(sensitivity=2.0, sigma=4.0)
    0.5
    """
    return sensitivity / sigma


@theorem(
    "wzw25.rem2.3",
    part="tight",
    kind="identity",
    says=r"\|f(X)-f(X')\|_2=\Delta\ \Rightarrow\ H_{e^{\varepsilon}}(\mathcal{M}(X)\,\|\,\mathcal{M}(X'))="
    r"H_{e^{\varepsilon}}(\mathcal{N}(0,1)\,\|\,\mathcal{N}(\Delta/\sigma,1))\quad\forall\varepsilon\in\mathbb{R}",
    needs=[positive("sensitivity"), positive("sigma")],
    source=", a tight characterization",
)
def gaussian_mechanism_curve(*, epsilon: ArrayLike, sensitivity: float, sigma: float) -> Any:
    """The characterization is tight: two datasets attain the curve at every epsilon.

    Derivation. Divided by sigma and turned into the direction of f(X') - f(X), two values at distance Delta are N(0, 1)
    and N(Delta/sigma, 1) with the same independent noise in all other directions, which tells nothing: the divergence
    is that of this pair at every epsilon, the curve of wzw25.def2.2 at mu = Delta/sigma.

    >>> round(float(gaussian_mechanism_curve(epsilon=1.0, sensitivity=2.0, sigma=2.0)), 6)
    0.126937
    """
    return gaussian_delta(epsilon=epsilon, mu=gaussian_mechanism_gdp(sensitivity=sensitivity, sigma=sigma))


# Appendix E.1 and E.2 -------------------------------------------------------------------------------------------------
# With t = sqrt(2 log(1/delta)) each epsilon below is mu times a linear function of (t, mu), so u = epsilon/mu - mu/2 is
# linear and delta(epsilon; mu) / delta = e^{(t^2 - u^2) / 2} [m(u) - m(u + mu)] / sqrt(2 pi). Where u >= t >= 0 it is
# below m(0) / sqrt(2 pi) = 1/2. The functions named `..._at` work on floats, fractions and balls alike.


def gaussian_quantile_scale(delta: ArrayLike) -> Any:
    """t = sqrt(2 log(1/delta)), the coordinate in which Appendix E is linear."""
    return np.sqrt(2 * np.log(1 / np.asarray(delta, dtype=float)))[()]


def approx_epsilon_at(mu: Any, t: Any) -> Any:
    """mu^2 / 2 + mu t, the epsilon of Lemma E.1."""
    return mu * mu / 2 + mu * t


def approx_epsilon_simple_at(mu: Any, t: Any) -> Any:
    """2 mu t, the epsilon of Corollary E.2."""
    return 2 * mu * t


def budget_each_at(epsilon: Any, t: Any, root_m: Any) -> Any:
    """epsilon / (2 t sqrt(m)), the budget of one of the m mechanisms of Lemma E.3."""
    return epsilon / (2 * t * root_m)


@theorem(
    "wzw25.lemE.1",
    kind="privacy",
    says=r"\mu\mathrm{-GDP}\ \Rightarrow\ (\varepsilon,\delta)\mathrm{-DP},\quad "
    r"\varepsilon\le\frac{\mu^2}{2}+\mu\sqrt{2\log(1/\delta)}",
    needs=[positive("mu"), in_unit_interval("delta")],
    source=", after Koskela et al. 2024, Lemma 5.5",
)
def approx_epsilon(*, mu: float, delta: float) -> float:
    """mu-GDP gives (epsilon, delta)-DP at epsilon = mu^2/2 + mu sqrt(2 log(1/delta)).

    Derivation: here u = t, so delta(epsilon; mu) / delta = [m(t) - m(t + mu)] / sqrt(2 pi) < m(0) / sqrt(2
    pi) = 1/2, for every mu > 0 and delta in (0, 1): the curve leaves half of delta unspent, everywhere.
    (delta in (0, 1) is Definition 2.1.)

    >>> round(float(approx_epsilon(mu=1.0, delta=1e-5)), 4)
    5.2985
    """
    return approx_epsilon_at(mu, gaussian_quantile_scale(delta))


@theorem(
    "wzw25.corE.2",
    kind="privacy",
    says=r"\mu\mathrm{-GDP},\ \mu\le 2\sqrt{2\log(1/\delta)}\ \Rightarrow\ "
    r"\left(2\mu\sqrt{2\log(1/\delta)},\,\delta\right)\mathrm{-DP}",
    needs=[
        positive("mu"),
        in_unit_interval("delta"),
        require(
            "mu <= 2 sqrt(2 log(1/delta))",
            lambda mu, delta: bool(np.all(np.asarray(mu) <= 2 * gaussian_quantile_scale(delta))),
        ),
    ],
)
def approx_epsilon_simple(*, mu: float, delta: float) -> float:
    """For small mu, mu-GDP gives (epsilon, delta)-DP at 2 mu sqrt(2 log(1/delta)).

    Derivation: mu <= 2 t gives mu^2 / 2 <= mu t, so 2 mu t is at least the epsilon of Lemma E.1. The
    hypothesis is the right way round and, as delta -> 0, sharp: beyond mu = 2 t it is u < t. The paper
    prints "any fixed delta > 0"; for delta >= 1 its hypothesis has no positive solution (the root of a
    number <= 0), so nothing is claimed there.

    >>> round(float(approx_epsilon_simple(mu=1.0, delta=1e-5)), 4)
    9.5971
    """
    return approx_epsilon_simple_at(mu, gaussian_quantile_scale(delta))


@theorem(
    "wzw25.lemE.3",
    kind="privacy",
    says=r"\varepsilon\le 8\log(1/\delta),\ \mathcal{M}_i\ \frac{\varepsilon}{2\sqrt{2m\log(1/\delta)}}\mathrm{-GDP}"
    r"\ \Rightarrow\ \mathcal{M}_m\circ\dots\circ\mathcal{M}_1\ (\varepsilon,\delta)\mathrm{-DP}",
    needs=[
        positive("epsilon"),
        in_unit_interval("delta"),
        integer("m"),
        require(
            "epsilon <= 8 log(1/delta)",
            lambda epsilon, delta: bool(np.all(epsilon <= 8 * np.log(1 / np.asarray(delta)))),
        ),
    ],
)
def budget_each(*, epsilon: float, delta: float, m: int) -> float:
    """The Gaussian budget of each of m mechanisms, together (epsilon, delta)-DP.

    Derivation: by Remark 2.3 the m of them are mu-GDP with mu = epsilon / (2 t), whatever m is; epsilon <=
    8 log(1/delta) = 4 t^2 is mu <= 2 t, the hypothesis of Corollary E.2, whose epsilon is 2 mu t = epsilon.

    >>> round(float(budget_each(epsilon=1.0, delta=1e-5, m=1)), 5)
    0.1042
    """
    return budget_each_at(epsilon, gaussian_quantile_scale(delta), np.sqrt(m))


# Algorithm 2: Lemma E.3 -----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemE.3",
    part="iter",
    kind="privacy",
    says=r"\mathcal{M}_{base}\ \mathrm{at}\ \frac{\mu}{\sqrt{2|\Theta|}},\ "
    r"\xi\sim\mathcal{N}\left(0,\frac{2|\Theta|\Delta^2}{\mu^2}\right)\ \Rightarrow\ "
    r"\mathcal{A}_{Iter}(\mathcal{M},\Theta,S,\mu)\ \mathrm{is}\ \mu\mathrm{-GDP}",
    needs=[positive("mu"), integer("candidates")],
    source=", Algorithm 2 and Appendix E.2",
)
def iterated_gdp(*, mu: float, candidates: int) -> float:
    """The mu that Algorithm 2 spends when runs and scores have mu / sqrt(2 |Theta|).

    Remark 2.3, twice: the score is a Gaussian mechanism, and |Theta| runs and scores compose; the result is mu. The
    paper says it in words ("equivalent to analyzing compositions").

    Derivation. (1) Every run is a mechanism with budget mu / sqrt(2 |Theta|), by assumption. (2) Given m_theta, the
    score changes by at most Delta, and its noise has standard deviation sqrt(2 |Theta|) Delta / mu: a Gaussian
    mechanism with the same budget (Remark 2.3), chosen from what was released before. (3) 2 |Theta| budgets compose to
    mu (Remark 2.3). (4) The argmin and its m are functions of all m_theta and u_theta. Line 5 is inside
    the loop, so every theta gets fresh noise; with one noise for all, differences of scores would be exact.

    >>> round(iterated_gdp(mu=0.5, candidates=14), 12)
    0.5
    """
    run = mu / sqrt(2 * candidates)
    score = gaussian_mechanism_gdp(sensitivity=1.0, sigma=sqrt(2 * candidates) / mu)
    return composed_gdp(mu=sqrt(candidates) * np.array([run, score]))


# Remark 2.3 in floating point: not a statement of the paper -----------------------------------------------------------

SOURCE = ", the Gaussian mechanism, executed in float64; Mironov 2012"


@theorem(
    "wzw25.rem2.3.float64",
    reading="explicit",
    kind="privacy",
    says=r"\mathrm{fl}(f(X)+\mathrm{fl}(\sigma\xi))\ \text{is}\ \frac{\Delta}{\sigma}\text{-GDP}",
    needs=[positive("mu")],
    source=SOURCE,
)
def textbook_release(*, mu: float) -> float:
    """The mu of f + rng.normal(scale=sigma) in float64, claimed as over the reals.

    A quarter of all releases identifies one of two neighbours with certainty. Between -3/2 and -1/2 the doubles are
    multiples of 2^-53, and 1 + z is exact for every such z. So from the centre 1 a release |y| < 1/2 is a multiple of
    2^-53; from the centre 0 it is the noise itself, and of normal doubles that small most are no such multiples: a
    quarter of all releases at sigma = 1.
    """
    return mu


@textbook_release.corrected(
    says=r"\mathrm{step}\cdot\left\lfloor\frac{f(X)+\sigma\xi}{\mathrm{step}}\right\rceil\ \text{is}\ "
    r"\frac{\Delta}{\sigma}\text{-GDP},\quad\mathrm{step}=2^j,\ \xi\ \text{exact}",
    needs=[
        positive("sensitivity"),
        positive("sigma"),
        positive("step"),
        require("step a power of two", lambda step: float(step).hex().startswith("0x1.0000000000000p")),
    ],
)
def grid_release(*, sensitivity: float, sigma: float, step: float) -> float:
    """The Gaussian mechanism rounded to a public grid is exactly (Delta / sigma)-GDP.

    Derivation. The release is a function of f(X) + sigma xi, xi standard normal over the reals: rounding to the nearest
    multiple of `step` is post-processing of a (Delta / sigma)-GDP mechanism (Remark 2.3). Clipping f to a public bound
    before moves no two values apart. The event {release >= t}, t on the grid, is {f(X) + sigma xi >= t - step / 2}:
    under two values at distance Delta its normal quantiles differ by exactly Delta / sigma, so no smaller mu is true
    either.

    >>> grid_release(sensitivity=1.0, sigma=2.0, step=0.25)
    0.5
    """
    return gaussian_mechanism_gdp(sensitivity=sensitivity, sigma=sigma)


ROWS_MOST = 2**33  # records whose sums float64 adds without rounding, 20 bits a coordinate


@textbook_release.explicit(
    part="sums",
    says=r"\sum_i c_i\,g\left\lfloor\tfrac{z_i}{g}\right\rfloor_0+h\left\lfloor\tfrac{\sigma\xi}{h}\right\rceil"
    r"\ \text{is}\ \frac{2r}{\sigma}\text{-GDP},\quad\|z_i\|\le r<2^{20}g,\ c_i\in[0,1]\cap 2^{-q}\mathbb{Z},\ "
    r"h=2^{-q}g=2^j,\ 2^q n\le2^{33}",
    needs=[positive("radius"), positive("sigma"), integer("n"), require("n <= 2^33", lambda n: n <= ROWS_MOST)],
    source=SOURCE,
)
def grid_sums(*, radius: float, sigma: float, n: int) -> float:
    """A noisy sum on a public grid is (2 r / sigma)-GDP as float64 computes it.

    Derivation. (1) Every row is rounded towards 0, entry by entry (the floor with index 0): no entry grows, so no row
    is longer than r afterwards, and rounding costs no sensitivity. (2) The coefficient c_i is a function of z_i and of
    what is public or was released; so replacing a record changes one term, whose norm is at most r, by at most 2 r.
    (3) Entries are at most 2^20 steps g and coefficients whole
    multiples of 2^-q: products and all partial sums are whole multiples of h = 2^-q g, at most 2^53 of them, and
    float64 adds them without rounding, in whatever order. (4) A sum S on the grid h plus h round(sigma xi / h), xi
    exact, is S + sigma xi rounded to that grid: post-processing of a Gaussian mechanism (Remark 2.3) of sensitivity
    2 r. Noise on a coarser grid than that of the sums would show them modulo its step. (5) Sums that depend on
    earlier releases compose as Gaussian mechanisms do (Remark 2.3).

    >>> grid_sums(radius=1.0, sigma=8.0, n=1000)
    0.25
    """
    return gaussian_mechanism_gdp(sensitivity=2 * radius, sigma=sigma)
