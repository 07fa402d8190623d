r"""Maxima of Gaussian noise, and choosing a minimum under noise: Lemmas A.5 to A.8, F.1 and F.2 of Wang, Zhu &
Wang (2025), with the steps of their printed proofs.

xi_1, ..., xi_n are independent N(0, sigma^2), M is their maximum, m their minimum. Noisy selection sees the
scores U_theta + xi_theta of `count` = |Theta| candidates and returns the candidate theta_out of the smallest.
`sigma` is a standard deviation, `beta` a failure probability, every logarithm is natural. Arguments may be
numbers or balls (`bounds.certify`), so that what is certified is the very formula written here; one ball among
the arguments makes the result a ball. `bounds.maxima` holds the exact laws that these statements bound.
"""

from __future__ import annotations

import numpy as np
from flint import arb

from bounds import tnb, tnb_balls
from bounds.certify import exact
from bounds.theorem import in_unit_interval, integer, positive, require, theorem

WZW25 = "Wang, Zhu & Wang 2025"
SAMPLE = [integer("n"), positive("sigma")]
TAIL = [*SAMPLE, in_unit_interval("beta")]
CHOICE = [integer("count"), positive("sigma")]
CHOICE_TAIL = [*CHOICE, in_unit_interval("beta")]
COUNT = [require("-1 < eta < inf", lambda eta: -1 < float(eta) < np.inf), in_unit_interval("r")]


def _alike(*values):
    """The values as they are, or all as balls if one of them is: a float logarithm must not enter a proof."""
    return [exact(x) for x in values] if any(isinstance(x, arb) for x in values) else list(values)


def _log(x):
    return x.log() if isinstance(x, arb) else np.log(x)


def _sqrt(x):
    return x.sqrt() if isinstance(x, arb) else np.sqrt(x)


def printed_range_level(n, sigma, beta):
    """2 sigma sqrt(2 log 2n) + 2 sqrt(2 log 2/beta), for beta = 1 too."""
    n, sigma, beta = _alike(n, sigma, beta)
    return 2 * sigma * _sqrt(2 * _log(2 * n)) + 2 * _sqrt(2 * _log(2 / beta))


def scaled_range_level(n, sigma, beta):
    """2 sigma (sqrt(2 log 2n) + sqrt(2 log 2/beta)), for beta = 1 too."""
    n, sigma, beta = _alike(n, sigma, beta)
    return 2 * sigma * (_sqrt(2 * _log(2 * n)) + _sqrt(2 * _log(2 / beta)))


# Lemma A.5: the maximum -----------------------------------------------------------------------------------


@theorem(
    "wzw25.lemA.5",
    part="mean",
    kind="mean",
    says=r"\mathbb{E}\left[\max_{i\in[n]}\xi_i\right]\le\sigma\sqrt{2\log n}",
    needs=SAMPLE,
    source=f"{WZW25}, Lemma A.5, first item",
)
def max_mean(*, n, sigma):
    """The expected maximum of n Gaussians

    For every lambda > 0, Jensen and a sum in place of the maximum give exp(lambda E M) <= E exp(lambda M)
    <= n exp(lambda^2 sigma^2 / 2), so E M <= log(n) / lambda + lambda sigma^2 / 2, and lambda =
    sqrt(2 log n) / sigma makes the right side sigma sqrt(2 log n). At n = 1 both sides are 0.

    >>> round(float(max_mean(n=10, sigma=2.0)), 4)
    4.2919
    """
    n, sigma = _alike(n, sigma)
    return sigma * _sqrt(2 * _log(n))


@theorem(
    "wzw25.lemA.5",
    part="tail",
    kind="tail",
    says=r"\Pr\left[\max_{t\in[n]}\xi_t\ge\sigma\sqrt{2\log(2n)}+\sqrt{2\log(1/\beta)}\right]\le\beta",
    needs=TAIL,
    source=f"{WZW25}, Lemma A.5, second item",
)
def max_threshold(*, n, sigma, beta):
    """The level that the maximum of n Gaussians exceeds with probability at most beta, as printed

    The second term lacks the factor sigma: right for sigma <= 1 (the printed level is then the larger one),
    wrong for every sigma > 1 once beta is small enough, because P(xi_1 >= sigma a + b) falls like
    exp(-b^2 / (2 sigma^2)) and beta = exp(-b^2 / 2).
    """
    n, sigma, beta = _alike(n, sigma, beta)
    return sigma * _sqrt(2 * _log(2 * n)) + _sqrt(2 * _log(1 / beta))


@theorem(
    "wzw25.lemA.5",
    part="tail",
    reading="corrected",
    kind="tail",
    says=r"\Pr\left[\max_{t\in[n]}\xi_t\ge\sigma\sqrt{2\log(2n)}+\sigma\sqrt{2\log(1/\beta)}\right]\le\beta",
    needs=TAIL,
    source=f"{WZW25}, Lemma A.5, with sigma in both terms",
)
def max_threshold_scaled(*, n, sigma, beta):
    """The level that the maximum of n Gaussians exceeds with probability at most beta, sigma in both terms

    Write a = sqrt(2 log 2n), b = sqrt(2 log 1/beta), h(x) = exp(x^2/2) Phi(-x), decreasing. By the union bound
    P(M >= sigma (a + b)) <= n Phi(-a-b) = n exp(-a^2/2) exp(-b^2/2) exp(-ab) h(a + b) <= beta h(a) / 2, and
    a >= sqrt(2 log 2) makes that at most Phi(-sqrt(2 log 2)) beta = 0.1195 beta for all n, sigma and beta;
    n = 1, beta -> 1 attains it.

    >>> round(float(max_threshold_scaled(n=10, sigma=2.0, beta=0.05)), 4)
    9.7911
    """
    n, sigma, beta = _alike(n, sigma, beta)
    return sigma * (_sqrt(2 * _log(2 * n)) + _sqrt(2 * _log(1 / beta)))


# Corollary A.6: the range ---------------------------------------------------------------------------------


@theorem(
    "wzw25.corA.6",
    kind="tail",
    says=r"\Pr\left[M-m\ge 2\sigma\sqrt{2\log(2n)}+2\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=TAIL,
    source=f"{WZW25}, Corollary A.6",
)
def range_threshold(*, n, sigma, beta):
    """The level that the range of n Gaussians exceeds with probability at most beta, as printed

    The second term lacks the factor sigma. Still right for sigma <= sqrt 2: with a = sqrt(2 log 2n) and
    b = sqrt(2 log 2/beta) the union bound over pairs gives n (n-1) Phi(-sqrt 2 (a + b/sigma))
    <= (n^2 / 2) exp(-a^2) exp(-b^2 / sigma^2) <= beta / 16. Wrong for n >= 2 and every sigma > sqrt 2 once beta
    is small enough: P(|xi_1 - xi_2| >= 2 sigma a + 2 b) falls like exp(-b^2 / sigma^2), beta = 2 exp(-b^2 / 2).
    """
    return printed_range_level(n, sigma, beta)


@theorem(
    "wzw25.corA.6",
    reading="corrected",
    kind="tail",
    says=r"\Pr\left[M-m\ge 2\sigma\sqrt{2\log(2n)}+2\sigma\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=TAIL,
    source=f"{WZW25}, Corollary A.6, with sigma in both terms",
)
def range_threshold_scaled(*, n, sigma, beta):
    """The level that the range of n Gaussians exceeds with probability at most beta, sigma in both terms

    With a = sqrt(2 log 2n), b = sqrt(2 log 2/beta), x = sqrt 2 (a + b), h(x) = exp(x^2/2) Phi(-x): the union
    bound over pairs gives n (n-1) Phi(-x) = n (n-1) exp(-a^2) exp(-b^2) exp(-2ab) h(x) <= (beta^2 / 16) h(sqrt 2 a),
    at most beta h(2 sqrt(log 4)) / 16 for n >= 2. For n = 1 the range is 0.
    """
    return scaled_range_level(n, sigma, beta)


# Lemma A.7, Remark A.8: a random number of Gaussians ------------------------------------------------------


@theorem(
    "wzw25.lemA.7",
    part="min",
    kind="mean",
    says=r"\mathbb{E}\left[\min_{t\in[K]}\xi_t\right]\le\sigma\sqrt{2\log\frac{\eta(1-r)}{r(1-r^{\eta})}}",
    needs=[*COUNT, positive("sigma")],
    source=f"{WZW25}, Lemma A.7, the display",
)
def count_min_mean(*, eta, r, sigma):
    """The expected minimum of K Gaussians, K ~ TNB(eta, r): what is displayed

    The title says maximum, the display minimum. The display is true for a plain reason: the minimum is at most
    xi_1, so its mean is at most 0, and E K >= 1 makes the right side at least 0. At eta = 0 the fraction is
    0/0; its limit is E K of Definition A.1, and is meant.
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


@theorem(
    "wzw25.lemA.7",
    part="max",
    kind="mean",
    says=r"\mathbb{E}\left[\max_{t\in[K]}\xi_t\right]\le\sigma\sqrt{2\log\frac{\eta(1-r)}{r(1-r^{\eta})}}",
    needs=[*COUNT, positive("sigma")],
    source=f"{WZW25}, Lemma A.7, the title; so used in Lemma K.4",
)
def count_max_mean(*, eta, r, sigma):
    """The expected maximum of K Gaussians, K ~ TNB(eta, r): what the title says and Lemma K.4 uses

    Given K, Lemma A.5 bounds the mean by sigma sqrt(2 log K); the square root and the logarithm are concave,
    so E sqrt(2 log K) <= sqrt(2 E log K) <= sqrt(2 log E K). K is independent of the noise.

    >>> round(float(count_max_mean(eta=1, r=0.01, sigma=1.0)), 4)
    3.0349
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


def count_bound(*, eta, r, sigma):
    """sigma sqrt(2 log E K), the right side of Lemma A.7; 0 where rounding would put E K below 1."""
    eta, r, sigma = _alike(eta, r, sigma)
    if isinstance(r, arb):
        return sigma * (2 * tnb_balls.mean(eta, r).log()).sqrt()
    return sigma * np.sqrt(2 * np.log(max(1.0, tnb.mean(eta=eta, r=r))))


@theorem(
    "wzw25.remA.8",
    part="min",
    kind="mean",
    says=r"\mathbb{E}\left[\min_{t\in[K]}\xi_t\right]\le\sigma\sqrt{2\log(1/r)}",
    needs=[in_unit_interval("r"), positive("sigma")],
    source=f"{WZW25}, Remark A.8",
)
def geometric_min_mean(*, r, sigma):
    """The expected minimum of a geometric number of Gaussians: what is displayed

    Lemma A.7 at eta = 1, where E K = 1/r; true for the same plain reason.
    """
    return geometric_max_mean(r=r, sigma=sigma)


@theorem(
    "wzw25.remA.8",
    part="max",
    kind="mean",
    says=r"\mathbb{E}\left[\max_{t\in[K]}\xi_t\right]\le\sigma\sqrt{2\log(1/r)}",
    needs=[in_unit_interval("r"), positive("sigma")],
    source=f"{WZW25}, Remark A.8, read as Lemma A.7's title",
)
def geometric_max_mean(*, r, sigma):
    """The expected maximum of a geometric number of Gaussians: as the title of Lemma A.7 says

    >>> round(float(geometric_max_mean(r=0.01, sigma=1.0)), 4)
    3.0349
    """
    r, sigma = _alike(r, sigma)
    return sigma * _sqrt(2 * _log(1 / r))


# Lemmas F.1 and F.2: the candidate chosen -----------------------------------------------------------------


@theorem(
    "wzw25.lemF.1",
    kind="mean",
    says=r"\mathbb{E}_{\xi}\left[U_{\theta_{\mathrm{out}}}\right]\le\min_{\theta\in\Theta}U_{\theta}"
    r"+2\sigma\sqrt{2\log|\Theta|}",
    needs=CHOICE,
    source=f"{WZW25}, Lemma F.1",
)
def choice_mean(*, count, sigma):
    """The expected excess of the chosen score over the best score

    The scores may be random but not depend on the noise; given them, the explicit reading shows that half the
    bound suffices. Where the scores may follow the noise, min U goes inside the expectation and the factor 2 is
    needed: U = -xi with ties broken for the worst has excess M - m.
    """
    count, sigma = _alike(count, sigma)
    return 2 * sigma * _sqrt(2 * _log(count))


@theorem(
    "wzw25.lemF.1",
    reading="explicit",
    kind="mean",
    says=r"\mathbb{E}_{\xi}\left[U_{\theta_{\mathrm{out}}}\right]\le\min_{\theta\in\Theta}U_{\theta}"
    r"+\sigma\sqrt{2\log|\Theta|}",
    needs=CHOICE,
    source="derived here; the factor 1 is sharp as the number of candidates grows",
)
def choice_mean_sharp(*, count, sigma):
    """The expected excess of the chosen score over the best score, without the factor 2

    Let theta* have the smallest score. It could have been chosen, so U_out + xi_out <= U_* + xi_*, that is
    U_out - U_* <= xi_* - xi_out <= xi_* - m. As theta* does not depend on the noise, E xi_* = 0, and
    E[-m] = E M <= sigma sqrt(2 log count) by Lemma A.5.
    """
    count, sigma = _alike(count, sigma)
    return sigma * _sqrt(2 * _log(count))


@theorem(
    "wzw25.lemF.2",
    kind="tail",
    says=r"\Pr\left[U_{\theta_{\mathrm{out}}}>\min_{\theta\in\Theta}U_{\theta}+2\sigma\sqrt{2\log(2|\Theta|)}"
    r"+2\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=CHOICE_TAIL,
    source=f"{WZW25}, Lemma F.2",
)
def choice_threshold(*, count, sigma, beta):
    """The excess of the chosen score that is passed with probability at most beta, as printed

    Inherits the missing sigma of Corollary A.6: right for sigma <= sqrt 2, wrong for two candidates and every
    sigma > sqrt 2 once beta is small enough. Appendix H uses it with sigma = 1 / mu, and its term (c) lacks 1 / mu.
    """
    return printed_range_level(count, sigma, beta)


@theorem(
    "wzw25.lemF.2",
    reading="corrected",
    kind="tail",
    says=r"\Pr\left[U_{\theta_{\mathrm{out}}}>\min_{\theta\in\Theta}U_{\theta}+2\sigma\sqrt{2\log(2|\Theta|)}"
    r"+2\sigma\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=CHOICE_TAIL,
    source=f"{WZW25}, Lemma F.2, with sigma in both terms",
)
def choice_threshold_scaled(*, count, sigma, beta):
    """The excess of the chosen score that is passed with probability at most beta, sigma in both terms

    U_out - min U <= M - m for every outcome, whatever the scores (proof of Lemma F.1); then Corollary A.6 with
    sigma in both terms.
    """
    return scaled_range_level(count, sigma, beta)


@theorem(
    "wzw25.lemF.2",
    reading="explicit",
    kind="tail",
    says=r"\Pr\left[U_{\theta_{\mathrm{out}}}>\min_{\theta\in\Theta}U_{\theta}"
    r"+2\sigma\sqrt{\log(|\Theta|/\beta)}\right]\le\beta",
    needs=CHOICE_TAIL,
    source="derived here; between 0.5 and 0.71 times the corrected level",
)
def choice_threshold_sharp(*, count, sigma, beta):
    """The excess of the chosen score that is passed with probability at most beta, without the detour by the range

    For scores that do not depend on the noise: passing t needs a rival theta with U_theta > min U + t and
    xi_* - xi_theta > t, so the chance is at most (count - 1) Phi(-t / (sigma sqrt 2)); t = 2 sigma
    sqrt(log(count / beta)) makes it at most (count - 1) exp(-log(count / beta)) / 2 < beta / 2.
    """
    count, sigma, beta = _alike(count, sigma, beta)
    return 2 * sigma * _sqrt(_log(count / beta))
