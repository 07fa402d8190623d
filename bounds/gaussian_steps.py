r"""The printed proofs of Corollary A.6, Lemmas A.7, F.1 and F.2 of Wang, Zhu & Wang (2025), step by step.

Lemma A.5 and Remark A.8 are printed without a proof. Notation as in `bounds.gaussian`; `t` is the level that the
proof of Corollary A.6 compares the range M - m with.
"""

from __future__ import annotations

import numpy as np
from flint import arb

from bounds import tnb_balls
from bounds.certify import exact
from bounds.gaussian import CHOICE, COUNT, SAMPLE, TAIL, WZW25, max_mean, printed_range_level, scaled_range_level
from bounds.maxima import max_exceeds, mean_max, mean_min, min_at_most
from bounds.theorem import at_least, integer, positive, require, theorem

LEVEL = at_least("t", 0)
VECTORS = [require("scores and noise finite, equal shape", lambda scores, noise: np.shape(scores) == np.shape(noise))]


# Corollary A.6 --------------------------------------------------------------------------------------------


@theorem(
    "wzw25.corA.6.s1",
    parent="wzw25.corA.6",
    says=r"\Pr[M-m\ge t]\le\Pr\left[\{-\frac{t}{2}<m<M<\frac{t}{2}\}^{c}\right]",
    needs=[LEVEL],
    source=f"{WZW25}, proof of Corollary A.6, (4)",
)
def range_reaches(*, noise, t):
    """A range of at least t leaves the open interval (-t/2, t/2)

    If -t/2 < m and M < t/2 then M - m < t. Returns the two events, left and right, for each row of `noise`,
    shape (..., n). (At n = 1 the printed m < M is impossible, so the right event always happens.)
    """
    high, low = np.max(noise, axis=-1), np.min(noise, axis=-1)
    return high - low >= t, ~((-t / 2 < low) & (low < high) & (high < t / 2))


@theorem(
    "wzw25.corA.6.s2",
    parent="wzw25.corA.6",
    says=r"\Pr\left[\{-\frac{t}{2}<m<M<\frac{t}{2}\}^{c}\right]\le\Pr[M\ge\frac{t}{2}]+\Pr[m\ge-\frac{t}{2}]",
    needs=[*SAMPLE, LEVEL],
    source=f"{WZW25}, proof of Corollary A.6, second line",
)
def two_ends(*, n, sigma, t):
    """The union bound over two ends, as printed

    m >= -t/2 is a slip for m <= -t/2. As it stands the right side is (1 - Phi^n) + Phi^n = 1, Phi at
    t / (2 sigma), because m >= -t/2 has the probability of M <= t/2: true, and empty.
    """
    z = exact(t) / (2 * exact(sigma))
    return max_exceeds(n, z) + 1 - min_at_most(n, -z)


@theorem(
    "wzw25.corA.6.s2",
    reading="corrected",
    parent="wzw25.corA.6",
    says=r"\Pr\left[\{-\frac{t}{2}<m\le M<\frac{t}{2}\}^{c}\right]\le\Pr[M\ge\frac{t}{2}]+\Pr[m\le-\frac{t}{2}]",
    needs=[*SAMPLE, LEVEL],
    source=f"{WZW25}, proof of Corollary A.6, second line, with m <= -t/2 and m <= M",
)
def two_ends_mirrored(*, n, sigma, t):
    """The union bound over two ends

    The left side is 1 - (1 - 2q)^n with q = Phi(-t / (2 sigma)), the right side 2 (1 - (1 - q)^n).
    """
    return 2 * max_exceeds(n, exact(t) / (2 * exact(sigma)))


@theorem(
    "wzw25.corA.6.s3",
    parent="wzw25.corA.6",
    kind="identity",
    says=r"\Pr[M\ge\frac{t}{2}]+\Pr[m\ge-\frac{t}{2}]=2\Pr[M\ge\frac{t}{2}]",
    needs=[*SAMPLE, LEVEL],
    source=f"{WZW25}, proof of Corollary A.6, third line",
)
def both_ends_alike(*, n, sigma, t):
    """The two ends are alike, as printed

    False: the left side is 1 for every t (see the step before). Returns both sides.
    """
    return two_ends(n=n, sigma=sigma, t=t), 2 * max_exceeds(n, exact(t) / (2 * exact(sigma)))


@theorem(
    "wzw25.corA.6.s3",
    reading="corrected",
    parent="wzw25.corA.6",
    kind="identity",
    says=r"\Pr[M\ge\frac{t}{2}]+\Pr[m\le-\frac{t}{2}]=2\Pr[M\ge\frac{t}{2}]",
    needs=[*SAMPLE, LEVEL],
    source=f"{WZW25}, proof of Corollary A.6, third line, with m <= -t/2",
)
def both_ends_mirrored(*, n, sigma, t):
    """The two ends are alike

    -xi has the law of xi, so m has the law of -M: P(m <= -t/2) = 1 - P(all xi > -t/2). Returns both sides.
    """
    z = exact(t) / (2 * exact(sigma))
    return max_exceeds(n, z) + min_at_most(n, -z), 2 * max_exceeds(n, z)


@theorem(
    "wzw25.corA.6.s4",
    parent="wzw25.corA.6",
    kind="tail",
    says=r"2\Pr\left[M\ge\sigma\sqrt{2\log(2n)}+\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=TAIL,
    source=f"{WZW25}, proof of Corollary A.6, last line: Lemma A.5 at beta / 2",
)
def half_range_threshold(*, n, sigma, beta):
    """Lemma A.5 at half of beta, as printed

    Without sigma in the second term: right for sigma <= 1, wrong for every sigma > 1 and beta small enough.
    """
    return printed_range_level(n, sigma, beta) / 2


@theorem(
    "wzw25.corA.6.s4",
    reading="corrected",
    parent="wzw25.corA.6",
    kind="tail",
    says=r"2\Pr\left[M\ge\sigma\sqrt{2\log(2n)}+\sigma\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=TAIL,
    source=f"{WZW25}, proof of Corollary A.6, last line, with sigma in both terms",
)
def half_range_threshold_scaled(*, n, sigma, beta):
    """Lemma A.5 at half of beta, sigma in both terms"""
    return scaled_range_level(n, sigma, beta) / 2


# Lemma A.7 ------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemA.7.s1",
    parent="wzw25.lemA.7",
    kind="identity",
    says=r"\mathbb{E}\left[\min_{t\in[K]}\xi_t\right]"
    r"=\sum_{j=1}^{\infty}\mathbb{E}\left[\min_{t\in[j]}\xi_t\right]\Pr[K=j]",
    needs=COUNT,
    source=f"{WZW25}, proof of Lemma A.7, (5)",
)
def total_expectation(*, eta, r, terms):
    """The mean over K, one sample size at a time

    For sigma = 1. Returns (partial sum over j <= terms, a bound of the rest): |E min of j| <= sqrt(2 log j) <= j,
    so the rest is at most E[K; K > terms].
    """
    weights = tnb_balls.weights(eta, r, terms)
    partial = -sum((p * mean_max(j) for j, p in enumerate(weights, 1)), arb(0))
    rest = tnb_balls.mean(eta, r) - sum((j * p for j, p in enumerate(weights, 1)), arb(0))
    return partial, rest


@theorem(
    "wzw25.lemA.7.s2",
    parent="wzw25.lemA.7",
    kind="mean",
    says=r"\mathbb{E}\left[\min_{t\in[j]}\xi_t\right]\le\sigma\sqrt{2\log j}",
    needs=[integer("j"), positive("sigma")],
    source=f"{WZW25}, proof of Lemma A.7, second line: Lemma A.5",
)
def min_mean(*, j, sigma):
    """Lemma A.5 for the minimum of j Gaussians

    E min of j = -E max of j <= 0: true with room to spare. For the maximum it is Lemma A.5 itself.
    """
    return max_mean(n=j, sigma=sigma)


def _log_moment(eta, r, power, terms):
    """A ball around E (log K)^power: a partial sum and the rest, at most E[K; K > terms] as log k < k."""
    weights = tnb_balls.weights(eta, r, terms)
    partial = sum((p * exact(k).log() ** power for k, p in enumerate(weights[1:], 2)), arb(0))
    rest = tnb_balls.mean(eta, r) - sum((k * p for k, p in enumerate(weights, 1)), arb(0))
    return partial.union(partial + rest)


@theorem(
    "wzw25.lemA.7.s3",
    parent="wzw25.lemA.7",
    says=r"\mathbb{E}\left[\sqrt{\log K}\right]\le\sqrt{\mathbb{E}[\log K]}",
    needs=COUNT,
    source=f"{WZW25}, proof of Lemma A.7, fourth line: Jensen's inequality, first time",
)
def root_outside(*, eta, r, power=0.5, terms=250):
    """Jensen's inequality for the square root

    log K >= 0 as K >= 1, and the square root is concave on [0, inf). Returns balls around both sides; `power`
    1/2 is the statement, which fails above 1.
    """
    return _log_moment(eta, r, exact(power), terms), _log_moment(eta, r, 1, terms) ** exact(power)


@theorem(
    "wzw25.lemA.7.s4",
    parent="wzw25.lemA.7",
    says=r"\mathbb{E}[\log K]\le\log\mathbb{E}[K]",
    needs=COUNT,
    source=f"{WZW25}, proof of Lemma A.7, fourth line: Jensen's inequality, second time",
)
def logarithm_outside(*, eta, r, power=1, terms=250):
    """Jensen's inequality for the logarithm

    The logarithm is concave on [1, inf). Returns balls around both sides of E (log K)^power <= (log E K)^power;
    `power` 1 is the statement.
    """
    return _log_moment(eta, r, exact(power), terms), tnb_balls.mean(eta, r).log() ** exact(power)


@theorem(
    "wzw25.lemA.7.s4",
    part="once",
    reading="explicit",
    parent="wzw25.lemA.7",
    says=r"\frac{d^2}{dx^2}\sqrt{\log x}=-\frac{2\log x+1}{4x^2(\log x)^{3/2}}<0\quad(x>1)",
    needs=[require("x > 1", lambda x: float(x) > 1)],
    source="derived here",
)
def root_log_curvature(*, x, power=0.5):
    """One application of Jensen's inequality would do

    The second derivative of (log x)^p is p (log x)^(p-2) (p - 1 - log x) / x^2: negative for every x > 1 if
    p <= 1. Returns its sign-carrying factor p - 1 - log x.
    """
    return exact(power) - 1 - exact(x).log()


@theorem(
    "wzw25.lemA.7.s5",
    parent="wzw25.lemA.7",
    kind="identity",
    says=r"\sqrt{2}\sigma\sqrt{\log\mathbb{E}[K]}=\sigma\sqrt{2\log\frac{\eta(1-r)}{r(1-r^{\eta})}}",
    needs=COUNT,
    source=f"{WZW25}, proof of Lemma A.7, last line: Definition A.1",
)
def mean_inserted(*, eta, r):
    """The mean of K put in

    Returns (E K summed from the printed probabilities with a rigorous remainder, the printed fraction).
    """
    return tnb_balls.series(eta, r, power=1)[0], tnb_balls.mean(eta, r)


# Lemma F.1 ------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemF.1.s1",
    parent="wzw25.lemF.1",
    says=r"U_{\theta_{\mathrm{out}}}\le\min_{\theta}\{U_{\theta}+\xi_{\theta}\}-\min_{\theta}\xi_{\theta}",
    needs=VECTORS,
    source=f"{WZW25}, proof of Lemma F.1, (9)",
)
def chosen_against_noisy_minimum(*, scores, noise):
    """The chosen score, from the noisy minimum

    min(U + xi) = U_out + xi_out >= U_out + min xi. Shapes (..., count); returns shape (...).
    """
    return np.min(scores + noise, axis=-1) - np.min(noise, axis=-1)


@theorem(
    "wzw25.lemF.1.s2",
    parent="wzw25.lemF.1",
    says=r"\min_{\theta}\{U_{\theta}+\xi_{\theta}\}\le\min_{\theta}U_{\theta}+\max_{\theta}\xi_{\theta}",
    needs=VECTORS,
    source=f"{WZW25}, proof of Lemma F.1, the display after (9)",
)
def noisy_minimum(*, scores, noise):
    """The noisy minimum, from the minimum

    At the best score the noise is at most max xi. Shapes (..., count); returns shape (...).
    """
    return np.min(scores, axis=-1) + np.max(noise, axis=-1)


@theorem(
    "wzw25.lemF.1.s3",
    parent="wzw25.lemF.1",
    says=r"U_{\theta_{\mathrm{out}}}\le\min_{\theta}U_{\theta}+\max_{\theta}\xi_{\theta}-\min_{\theta}\xi_{\theta}",
    needs=VECTORS,
    source=f"{WZW25}, proof of Lemma F.1, `Putting things together'",
)
def chosen_against_range(*, scores, noise):
    """The chosen score, from the range of the noise

    The two steps before, added; for every outcome, however the scores depend on the noise. Shapes
    (..., count); returns shape (...).
    """
    return np.min(scores, axis=-1) + np.max(noise, axis=-1) - np.min(noise, axis=-1)


@theorem(
    "wzw25.lemF.1.s4",
    parent="wzw25.lemF.1",
    kind="identity",
    says=r"\mathbb{E}\left[\min_{\theta}\xi_{\theta}\right]=-\mathbb{E}\left[\max_{\theta}\xi_{\theta}\right]",
    needs=[integer("count")],
    source=f"{WZW25}, proof of Lemma F.1, `By xi is symmetric'",
)
def min_is_minus_max(*, count, shift=0):
    """The expected minimum is minus the expected maximum

    For sigma = 1 and noise of mean `shift` (0 in the paper), both sides from integrals of their own: E min has
    the density n phi (1 - Phi)^(n-1). Returns both sides.
    """
    return mean_min(count) + exact(shift), -(mean_max(count) + exact(shift))


@theorem(
    "wzw25.lemF.1.s5",
    parent="wzw25.lemF.1",
    kind="mean",
    says=r"2\,\mathbb{E}\left[\max_{\theta}\xi_{\theta}\right]\le 2\sigma\sqrt{2\log|\Theta|}",
    needs=CHOICE,
    source=f"{WZW25}, proof of Lemma F.1, last line: Lemma A.5",
)
def twice_max_mean(*, count, sigma):
    """Lemma A.5, doubled"""
    return 2 * max_mean(n=count, sigma=sigma)


# Lemma F.2 ------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemF.2.s1",
    parent="wzw25.lemF.2",
    kind="tail",
    says=r"\Pr\left[\max_{\theta}\xi_{\theta}-\min_{\theta}\xi_{\theta}>2\sigma\sqrt{2\log(2|\Theta|)}"
    r"+2\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=[*CHOICE, TAIL[-1]],
    source=f"{WZW25}, proof of Lemma F.2: Corollary A.6",
)
def noise_range_threshold(*, count, sigma, beta):
    """Corollary A.6 for the noise of the candidates, as printed"""
    return printed_range_level(count, sigma, beta)


@theorem(
    "wzw25.lemF.2.s1",
    reading="corrected",
    parent="wzw25.lemF.2",
    kind="tail",
    says=r"\Pr\left[\max_{\theta}\xi_{\theta}-\min_{\theta}\xi_{\theta}>2\sigma\sqrt{2\log(2|\Theta|)}"
    r"+2\sigma\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=[*CHOICE, TAIL[-1]],
    source=f"{WZW25}, proof of Lemma F.2, with sigma in both terms",
)
def noise_range_threshold_scaled(*, count, sigma, beta):
    """Corollary A.6 for the noise of the candidates, sigma in both terms"""
    return scaled_range_level(count, sigma, beta)
