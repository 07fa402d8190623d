"""Choosing a minimum under Gaussian noise: Lemmas F.1 and F.2 of Wang, Zhu & Wang (2025), with their printed proofs.

Noisy selection sees the scores U_theta + xi_theta of `count` = |Theta| candidates, with independent noise xi_theta from
N(0, sigma^2), and returns the candidate theta_out of the smallest. Notation and arguments as in
`lemmata.bounds.wzw25.gaussian_maxima`: M and m are the largest and the smallest noise.
"""

import numpy as np
from flint import arb
from scipy.special import erfcinv

from lemmata.bounds.exact.gaussian_maxima import mean_max
from lemmata.bounds.exact.numbers import Array, Number, alike, log, sqrt
from lemmata.bounds.theorem import in_unit_interval, integer, positive, require, theorem
from lemmata.bounds.wzw25.gaussian_maxima import range_threshold, range_threshold_scaled

CHOICE = [integer("count"), positive("sigma")]
CHOICE_TAIL = [*CHOICE, in_unit_interval("beta")]
VECTORS = [require("scores and noise finite, equal shape", lambda scores, noise: np.shape(scores) == np.shape(noise))]


# Lemma F.1: the expected score of the candidate chosen ----------------------------------------------------------------


@theorem(
    "wzw25.lemF.1",
    kind="mean",
    says=r"\mathbb{E}_{\xi}\left[U_{\theta_{\mathrm{out}}}\right]\le\min_{\theta\in\Theta}U_{\theta}"
    r"+2\sigma\sqrt{2\log|\Theta|}",
    needs=CHOICE,
)
def choice_mean(*, count: Number, sigma: Number) -> Number:
    """The expected excess of the score chosen by a noisy minimum over the best score.

    The scores may be random. Where they follow the noise min U goes inside the expectation; the printed proof bounds
    the excess by M - m for every outcome, and needs the factor 2 there: U = -xi with ties broken for the worst has
    excess M - m. For scores that do not depend on the noise half the bound suffices (explicit).
    """
    count, sigma = alike(count, sigma)
    return 2 * sigma * sqrt(2 * log(count))


@choice_mean.explicit(
    says=r"\mathbb{E}_{\xi}\left[U_{\theta_{\mathrm{out}}}\right]\le\min_{\theta\in\Theta}U_{\theta}"
    r"+\sigma\sqrt{2\log|\Theta|}",
    source="derived here; the factor 1 is sharp as the number of candidates grows",
)
def choice_mean_sharp(*, count: Number, sigma: Number) -> Number:
    """The expected excess of a noisy choice over the best score, without the factor 2.

    Let theta* have the smallest score. It could have been chosen, so U_out + xi_out <= U_* + xi_*, that is U_out - U_*
    <= xi_* - xi_out <= xi_* - m. As theta* does not depend on the noise, E xi_* = 0, and E[-m] = E M <= sigma sqrt(2
    log count) by Lemma A.5.
    """
    count, sigma = alike(count, sigma)
    return sigma * sqrt(2 * log(count))


@theorem(
    "wzw25.lemF.1.s1",
    says=r"U_{\theta_{\mathrm{out}}}\le\min_{\theta}\{U_{\theta}+\xi_{\theta}\}-\min_{\theta}\xi_{\theta}",
    needs=VECTORS,
    source=", proof, (9)",
)
def chosen_against_noisy_minimum(*, scores: Array, noise: Array) -> Array:
    """The score chosen by a noisy minimum is at most it minus the smallest noise.

    Derivation. min(U + xi) = U_out + xi_out >= U_out + min xi. Shapes (..., count); returns shape (...).
    """
    return np.min(scores + noise, axis=-1) - np.min(noise, axis=-1)


@theorem(
    "wzw25.lemF.1.s2",
    says=r"\min_{\theta}\{U_{\theta}+\xi_{\theta}\}\le\min_{\theta}U_{\theta}+\max_{\theta}\xi_{\theta}",
    needs=VECTORS,
    source=", proof, the display after (9)",
)
def noisy_minimum(*, scores: Array, noise: Array) -> Array:
    """The noisy minimum is at most the best score and the largest noise.

    At the best score the noise is at most max xi. Shapes (..., count); returns shape (...).

    Derivation. Let theta* have the smallest U. Then min(U + xi) <= U_theta* + xi_theta* <= min U + max xi, because the
    minimum is at most any one of its terms.
    """
    return np.min(scores, axis=-1) + np.max(noise, axis=-1)


@theorem(
    "wzw25.lemF.1.s3",
    says=r"U_{\theta_{\mathrm{out}}}\le\min_{\theta}U_{\theta}+\max_{\theta}\xi_{\theta}-\min_{\theta}\xi_{\theta}",
    needs=VECTORS,
    source=", proof, `Putting things together'",
)
def chosen_against_range(*, scores: Array, noise: Array) -> Array:
    """The chosen score is at most the best score and the range of the noise.

    The two steps before, added; for every outcome, however the scores depend on the noise. Shapes (..., count); returns
    shape (...).
    """
    return np.min(scores, axis=-1) + np.max(noise, axis=-1) - np.min(noise, axis=-1)


@theorem(
    "wzw25.lemF.1.s4",
    kind="identity",
    says=r"\mathbb{E}\left[\min_{\theta}\xi_{\theta}\right]=-\mathbb{E}\left[\max_{\theta}\xi_{\theta}\right]",
    needs=[integer("count")],
    source=", proof, `By xi is symmetric'",
)
def min_is_minus_max(*, count: int) -> arb:
    """By symmetry the expected minimum of Gaussians is minus their expected maximum.

    Here for sigma = 1.

    Derivation. min xi = -max(-xi), and (-xi_theta) has the law of (xi_theta), as normal noise of mean 0 is symmetric,
    so E min xi = -E max xi.
    """
    return -mean_max(count)


@theorem(
    "wzw25.lemF.1.s5",
    kind="mean",
    says=r"2\,\mathbb{E}\left[\max_{\theta}\xi_{\theta}\right]\le 2\sigma\sqrt{2\log|\Theta|}",
    needs=CHOICE,
    source=", proof, last line: Lemma A.5",
)
def twice_max_mean(*, count: Number, sigma: Number) -> Number:
    """Twice the expected maximum of Gaussians is at most 2 sigma sqrt(2 log n).

    Lemma A.5, doubled.
    """
    count, sigma = alike(count, sigma)
    return 2 * sigma * sqrt(2 * log(count))


# Lemma F.2: its score with high probability ---------------------------------------------------------------------------


@theorem(
    "wzw25.lemF.2",
    kind="tail",
    says=r"\Pr\left[U_{\theta_{\mathrm{out}}}>\min_{\theta\in\Theta}U_{\theta}+2\sigma\sqrt{2\log(2|\Theta|)}"
    r"+2\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=CHOICE_TAIL,
)
def choice_threshold(*, count: Number, sigma: Number, beta: Number) -> Number:
    """The level that a noisy choice's excess passes with chance <= beta, as printed.

    Inherits the missing sigma of Corollary A.6: right for sigma <= sqrt 2, wrong for two candidates and every sigma >
    sqrt 2 once beta is small enough. Appendix H uses it with sigma = 1 / mu, and its term (c) lacks 1 / mu.
    """
    return range_threshold.theorem.formula(n=count, sigma=sigma, beta=beta)


@choice_threshold.corrected(
    says=r"\Pr\left[U_{\theta_{\mathrm{out}}}>\min_{\theta\in\Theta}U_{\theta}+2\sigma\sqrt{2\log(2|\Theta|)}"
    r"+2\sigma\sqrt{2\log(2/\beta)}\right]\le\beta",
    source=", with sigma in both terms",
)
def choice_threshold_scaled(*, count: Number, sigma: Number, beta: Number) -> Number:
    """The level that the excess of a noisy choice passes with chance at most beta.

    U_out - min U <= M - m for every outcome, whatever the scores (proof of Lemma F.1); then Corollary A.6 with sigma in
    both terms.
    """
    return range_threshold_scaled.theorem.formula(n=count, sigma=sigma, beta=beta)


@choice_threshold.explicit(
    says=r"U\mathrm{\ independent\ of\ }\xi:\quad\Pr\left[U_{\theta_{\mathrm{out}}}>\min_{\theta\in\Theta}U_{\theta}"
    r"+2\sigma\,\mathrm{erfc}^{-1}\left(\min\left\{1,\frac{2\beta}{|\Theta|-1}\right\}\right)\right]\le\beta",
    source="derived here; at most 0.71 times the corrected level",
)
def choice_threshold_sharp(*, count: Number, sigma: Number, beta: Number) -> Number:
    """The level that a noisy choice's excess passes with chance <= beta, two noises; 0 for one candidate.

    Exact for two candidates and beta <= 1/2, and at most 2 sigma sqrt(log(count/(2 beta))) if that is defined.

    Derivation. Passing t >= 0 needs a rival theta with U_theta > min U + t and xi_* - xi_theta > t, so the chance is at
    most (count - 1) P(N(0, 2 sigma^2) > t) = (count - 1) erfc(t/(2 sigma))/2. Where that is at most beta at t = 0, the
    level is 0. The closed form is erfc(x) <= e^(-x^2). Scores that follow the noise pass with up to twice the chance:
    either of two candidates may be the best.

    >>> round(choice_threshold_sharp(count=3, sigma=1.0, beta=0.05), 3)
    2.772
    """
    size, deviation, allowed = alike(count, sigma, beta)
    if 2 * allowed >= size - 1:
        return 0 * deviation
    share = 2 * allowed / (size - 1)
    return 2 * deviation * (share.erfcinv() if isinstance(share, arb) else float(erfcinv(share)))


@theorem(
    "wzw25.lemF.2.s1",
    kind="tail",
    says=r"\Pr\left[\max_{\theta}\xi_{\theta}-\min_{\theta}\xi_{\theta}>2\sigma\sqrt{2\log(2|\Theta|)}"
    r"+2\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=CHOICE_TAIL,
    source=", proof: Corollary A.6",
)
def noise_range_threshold(*, count: Number, sigma: Number, beta: Number) -> Number:
    """The level that the noise's range exceeds with chance at most beta, as printed.

    Corollary A.6 for the noise of the candidates.
    """
    return range_threshold.theorem.formula(n=count, sigma=sigma, beta=beta)


@noise_range_threshold.corrected(
    says=r"\Pr\left[\max_{\theta}\xi_{\theta}-\min_{\theta}\xi_{\theta}>2\sigma\sqrt{2\log(2|\Theta|)}"
    r"+2\sigma\sqrt{2\log(2/\beta)}\right]\le\beta",
    source=", proof, with sigma in both terms",
)
def noise_range_threshold_scaled(*, count: Number, sigma: Number, beta: Number) -> Number:
    """The level that the range of the noise exceeds with chance at most beta.

    Corollary A.6, corrected, for the noise of the candidates.
    """
    return range_threshold_scaled.theorem.formula(n=count, sigma=sigma, beta=beta)
