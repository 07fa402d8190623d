"""Maxima, ranges and minima of Gaussian noise: Lemma A.5 to Remark A.8 of Wang, Zhu & Wang (2025), with their proofs.

xi_1, ..., xi_n are independent N(0, sigma^2), M is their maximum, m their minimum. `sigma` is a standard deviation,
`beta` a failure probability, `t` the level that the proof of Corollary A.6 compares the range M - m with; every
logarithm is natural. Arguments may be numbers or balls, so that the certificates are about the very formula written
here; one ball among the arguments makes the result a ball. `lemmata.bounds.exact.gaussian_maxima` holds the exact laws
that these statements bound. Lemma A.5 and Remark A.8 are printed without a proof.
"""

from typing import Any

import numpy as np
from flint import arb

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import exact, power_complement
from lemmata.bounds.exact.gaussian_maxima import max_exceeds, mean_max, min_at_most
from lemmata.bounds.exact.numbers import Number, alike, log, sqrt
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem
from lemmata.bounds.wzw25 import run_counts

SAMPLE = [integer("n"), positive("sigma")]
TAIL = [*SAMPLE, in_unit_interval("beta")]
LEVEL = at_least("t", 0)
COUNT = [require("-1 < eta < inf", lambda eta: -1 < float(eta) < np.inf), in_unit_interval("r")]


# Lemma A.5: the maximum -----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemA.5",
    part="mean",
    kind="mean",
    says=r"\mathbb{E}\left[\max_{i\in[n]}\xi_i\right]\le\sigma\sqrt{2\log n}",
    needs=SAMPLE,
    source=", first item",
)
def max_mean(*, n: Number, sigma: Number) -> Number:
    """The expected maximum of n Gaussians is at most sigma sqrt(2 log n).

    Derivation. For every lambda > 0, Jensen and a sum in place of the maximum give exp(lambda E M) <= E exp(lambda M)
    <= n exp(lambda^2 sigma^2 / 2), so E M <= log(n) / lambda + lambda sigma^2 / 2, and lambda = sqrt(2 log n) / sigma
    makes the right side sigma sqrt(2 log n). At n = 1 both sides are 0.

    >>> round(float(max_mean(n=10, sigma=2.0)), 4)
    4.2919
    """
    n, sigma = alike(n, sigma)
    return sigma * sqrt(2 * log(n))


@theorem(
    "wzw25.lemA.5",
    part="tail",
    kind="tail",
    says=r"\Pr\left[\max_{t\in[n]}\xi_t\ge\sigma\sqrt{2\log(2n)}+\sqrt{2\log(1/\beta)}\right]\le\beta",
    needs=TAIL,
    source=", second item",
)
def max_threshold(*, n: Number, sigma: Number, beta: Number) -> Number:
    """The level that the maximum of n Gaussians exceeds with chance <= beta, printed.

    The second term lacks the factor sigma: right for sigma <= 1 (the printed level is then the larger one), wrong for
    every sigma > 1 once beta is small enough, because P(xi_1 >= sigma a + b) decreases like exp(-b^2 / (2 sigma^2)) and
    beta = exp(-b^2 / 2).
    """
    n, sigma, beta = alike(n, sigma, beta)
    return sigma * sqrt(2 * log(2 * n)) + sqrt(2 * log(1 / beta))


@max_threshold.corrected(
    says=r"\Pr\left[\max_{t\in[n]}\xi_t\ge\sigma\sqrt{2\log(2n)}+\sigma\sqrt{2\log(1/\beta)}\right]\le\beta",
    source=", with sigma in both terms",
)
def max_threshold_scaled(*, n: Number, sigma: Number, beta: Number) -> Number:
    """The level that the maximum of n Gaussians exceeds with chance at most beta.

    Derivation. Write a = sqrt(2 log 2n), b = sqrt(2 log 1/beta), h(x) = exp(x^2/2) Phi(-x), decreasing. By the union
    bound P(M >= sigma (a + b)) <= n Phi(-a-b) = n exp(-a^2/2) exp(-b^2/2) exp(-ab) h(a + b) <= beta h(a) / 2, and a >=
    sqrt(2 log 2) makes that at most Phi(-sqrt(2 log 2)) beta = 0.1195 beta; n = 1, beta -> 1 attains it.

    >>> round(float(max_threshold_scaled(n=10, sigma=2.0, beta=0.05)), 4)
    9.7911
    """
    n, sigma, beta = alike(n, sigma, beta)
    return sigma * max_threshold.theorem.formula(n=n, sigma=1, beta=beta)


# Corollary A.6: the range ---------------------------------------------------------------------------------------------


@theorem(
    "wzw25.corA.6",
    kind="tail",
    says=r"\Pr\left[M-m\ge 2\sigma\sqrt{2\log(2n)}+2\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=TAIL,
)
def range_threshold(*, n: Number, sigma: Number, beta: Number) -> Number:
    """The level that the range of n Gaussians exceeds with chance <= beta, as printed.

    The second term lacks the factor sigma. Still right for sigma <= sqrt 2: with a = sqrt(2 log 2n) and b = sqrt(2 log
    2/beta) the union bound over pairs gives n (n-1) Phi(-sqrt 2 (a + b/sigma)) <= (n^2 / 2) exp(-a^2) exp(-b^2 /
    sigma^2) <= beta / 16. Wrong for n >= 2 and every sigma > sqrt 2 once beta is small enough: P(|xi_1 - xi_2| >= 2
    sigma a + 2 b) decreases like exp(-b^2 / sigma^2), beta = 2 exp(-b^2 / 2).
    """
    n, sigma, beta = alike(n, sigma, beta)
    return 2 * sigma * sqrt(2 * log(2 * n)) + 2 * sqrt(2 * log(2 / beta))


@range_threshold.corrected(
    says=r"\Pr\left[M-m\ge 2\sigma\sqrt{2\log(2n)}+2\sigma\sqrt{2\log(2/\beta)}\right]\le\beta",
    source=", with sigma in both terms",
)
def range_threshold_scaled(*, n: Number, sigma: Number, beta: Number) -> Number:
    """The level that the range of n Gaussians exceeds with chance at most beta.

    With a = sqrt(2 log 2n), b = sqrt(2 log 2/beta), x = sqrt 2 (a + b), h(x) = exp(x^2/2) Phi(-x): the union bound over
    pairs gives n (n-1) Phi(-x) = n (n-1) exp(-a^2) exp(-b^2) exp(-2ab) h(x) <= (beta^2 / 16) h(sqrt 2 a), at most beta
    h(2 sqrt(log 4)) / 16 for n >= 2. For n = 1 the range is 0.
    """
    n, sigma, beta = alike(n, sigma, beta)
    return sigma * range_threshold.theorem.formula(n=n, sigma=1, beta=beta)


@theorem(
    "wzw25.corA.6.s1",
    says=r"\Pr[M-m\ge t]\le\Pr\left[\{-\frac{t}{2}<m<M<\frac{t}{2}\}^{c}\right]",
    needs=[*SAMPLE, LEVEL],
    source=", proof, (4)",
)
def interval_is_left(*, n: int, sigma: Number, t: Number) -> arb:
    """Noise of range t or more has its minimum or maximum outside (-t/2, t/2).

    Derivation. If -t/2 < m and M < t/2 then M - m < t. The right side: 1 - (1 - 2 Phi(-t / (2 sigma)))^n for n >= 2,
    and 1 for n = 1, where the printed m < M is impossible.
    """
    outside = 2 * max_exceeds(1, exact(t) / (2 * exact(sigma)))
    return power_complement((-outside).log1p(), n) if n > 1 and outside < 1 else arb(1)


@theorem(
    "wzw25.corA.6.s2",
    says=r"\Pr\left[\{-\frac{t}{2}<m<M<\frac{t}{2}\}^{c}\right]\le\Pr[M\ge\frac{t}{2}]+\Pr[m\ge-\frac{t}{2}]",
    needs=[*SAMPLE, LEVEL],
    source=", proof, second line",
)
def two_ends(*, n: int, sigma: Number, t: Number) -> arb:
    """The union bound over the two ends of the interval (-t/2, t/2), as printed.

    Derivation. m >= -t/2 is printed for m <= -t/2. As printed the right side is (1 - Phi^n) + Phi^n = 1, Phi at t / (2
    sigma), because m >= -t/2 has the probability of M <= t/2; so the inequality holds and is vacuous.
    """
    z = exact(t) / (2 * exact(sigma))
    return max_exceeds(n, z) + 1 - min_at_most(n, -z)


@two_ends.corrected(
    says=r"\Pr\left[\{-\frac{t}{2}<m\le M<\frac{t}{2}\}^{c}\right]\le\Pr[M\ge\frac{t}{2}]+\Pr[m\le-\frac{t}{2}]",
    source=", proof, second line, with m <= -t/2 and m <= M",
)
def two_ends_mirrored(*, n: int, sigma: Number, t: Number) -> arb:
    """The union bound over the two ends of the interval (-t/2, t/2), with m <= -t/2.

    Derivation. The interval is left only if M >= t/2 or m <= -t/2, so by the union bound its chance is at most the sum
    of theirs; for n = 1, m = M, and for t > 0 the two events exclude each other, with equality.
    """
    z = exact(t) / (2 * exact(sigma))
    return max_exceeds(n, z) + min_at_most(n, -z)


@theorem(
    "wzw25.corA.6.s3",
    kind="identity",
    says=r"\Pr[M\ge\frac{t}{2}]+\Pr[m\ge-\frac{t}{2}]=2\Pr[M\ge\frac{t}{2}]",
    needs=[*SAMPLE, LEVEL],
    source=", proof, third line",
)
def both_ends_alike(*, n: int, sigma: Number, t: Number) -> arb:
    """By symmetry the two ends of (-t/2, t/2) have twice the chance of one.

    As printed the left side is 1 for every t (see the step before); with m <= -t/2 in it, m has the law of -M.

    Derivation. -xi_1, ..., -xi_n have the law of xi_1, ..., xi_n, so m = -max(-xi) has the law of -M, and Pr[m <= -t/2]
    = Pr[M >= t/2].
    """
    return 2 * max_exceeds(n, exact(t) / (2 * exact(sigma)))


both_ends_mirrored = both_ends_alike.corrected(
    says=r"\Pr[M\ge\frac{t}{2}]+\Pr[m\le-\frac{t}{2}]=2\Pr[M\ge\frac{t}{2}]",
    source=", proof, third line, with m <= -t/2",
)(both_ends_alike.theorem.formula)


@theorem(
    "wzw25.corA.6.s4",
    kind="tail",
    says=r"2\Pr\left[M\ge\sigma\sqrt{2\log(2n)}+\sqrt{2\log(2/\beta)}\right]\le\beta",
    needs=TAIL,
    source=", proof, last line: Lemma A.5 at beta / 2",
)
def half_range_threshold(*, n: Number, sigma: Number, beta: Number) -> Number:
    """The level that the maximum exceeds with chance at most beta/2, as printed.

    Without sigma in the second term: right for sigma <= 1, wrong for every sigma > 1 and beta small enough.
    """
    n, sigma, beta = alike(n, sigma, beta)
    return sigma * sqrt(2 * log(2 * n)) + sqrt(2 * log(2 / beta))


@half_range_threshold.corrected(
    says=r"2\Pr\left[M\ge\sigma\sqrt{2\log(2n)}+\sigma\sqrt{2\log(2/\beta)}\right]\le\beta",
    source=", proof, last line, with sigma in both terms",
)
def half_range_threshold_scaled(*, n: Number, sigma: Number, beta: Number) -> Number:
    """The level that the maximum of n Gaussians exceeds with chance at most beta/2."""
    n, sigma, beta = alike(n, sigma, beta)
    return sigma * half_range_threshold.theorem.formula(n=n, sigma=1, beta=beta)


# Lemma A.7: a random number of Gaussians ------------------------------------------------------------------------------


def count_bound(*, eta: Any, r: Any, sigma: Any) -> Any:
    """sigma sqrt(2 log E K), the right side of Lemma A.7; 0 where rounding would put E K below 1."""
    eta, r, sigma = alike(eta, r, sigma)
    mean = tnb.mean(eta, r) if isinstance(r, arb) else max(1.0, run_counts.mean(eta=eta, r=r))
    return sigma * sqrt(2 * log(mean))


@theorem(
    "wzw25.lemA.7",
    part="min",
    kind="mean",
    says=r"\mathbb{E}\left[\min_{t\in[K]}\xi_t\right]\le\sigma\sqrt{2\log\frac{\eta(1-r)}{r(1-r^{\eta})}}",
    needs=[*COUNT, positive("sigma")],
    source=", the display",
)
def count_min_mean(*, eta: Number, r: Number, sigma: Number) -> Number:
    """The expected minimum of K Gaussians, K ~ TNB(eta, r), as the display has it.

    The title says maximum, the display minimum. The display is true for a plain reason: the minimum is at most xi_1, so
    its mean is at most 0, and E K >= 1 makes the right side at least 0. At eta = 0 the printed fraction is 0/0; we read
    it as its limit, E K of Definition A.1.
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


@theorem(
    "wzw25.lemA.7",
    part="max",
    reading="corrected",
    kind="mean",
    says=r"\mathbb{E}\left[\max_{t\in[K]}\xi_t\right]\le\sigma\sqrt{2\log\frac{\eta(1-r)}{r(1-r^{\eta})}}",
    needs=[*COUNT, positive("sigma")],
    source=", the title; so used in Lemma K.4",
)
def count_max_mean(*, eta: Number, r: Number, sigma: Number) -> Number:
    """The expected maximum of K ~ TNB Gaussians, as the title of Lemma A.7 has it.

    Given K, Lemma A.5 bounds the mean by sigma sqrt(2 log K); the square root and the logarithm are concave, so E
    sqrt(2 log K) <= sqrt(2 E log K) <= sqrt(2 log E K). K is independent of the noise.

    >>> round(float(count_max_mean(eta=1, r=0.01, sigma=1.0)), 4)
    3.0349
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


@theorem(
    "wzw25.lemA.7.s1",
    kind="identity",
    says=r"\mathbb{E}\left[\min_{t\in[K]}\xi_t\right]"
    r"=\sum_{j=1}^{\infty}\mathbb{E}\left[\min_{t\in[j]}\xi_t\right]\Pr[K=j]",
    needs=COUNT,
    source=", proof, (5)",
)
def total_expectation(*, eta: Number, r: Number, terms: int) -> tuple[arb, arb]:
    """The expected minimum of K Gaussians is a mean over K of expected minima.

    For sigma = 1. Returns (partial sum over j <= terms, a bound of the rest): |E min of j| <= sqrt(2 log j) <= j, so
    the rest is at most E[K; K > terms].

    Derivation. E[min] = sum_j E[min | K = j] Pr[K = j], the law of total expectation, and K is independent of the
    noise, so E[min | K = j] is the mean of the minimum of j.
    """
    weights = tnb.weights(eta, r, terms)
    partial = -sum((p * mean_max(j) for j, p in enumerate(weights, 1)), arb(0))
    rest = tnb.mean(eta, r) - sum((j * p for j, p in enumerate(weights, 1)), arb(0))
    return partial, rest


@theorem(
    "wzw25.lemA.7.s2",
    kind="mean",
    says=r"\mathbb{E}\left[\min_{t\in[j]}\xi_t\right]\le\sigma\sqrt{2\log j}",
    needs=[integer("j"), positive("sigma")],
    source=", proof, second line: Lemma A.5",
)
def min_mean(*, j: Number, sigma: Number) -> Number:
    """The expected minimum of j Gaussians is at most 0 and at most sigma sqrt(2 log j).

    Lemma A.5, with room to spare: the expected minimum of j is minus the expected maximum.
    """
    j, sigma = alike(j, sigma)
    return sigma * sqrt(2 * log(j))


def log_moment(eta: Number, r: Number, power: Number, terms: int = 250) -> arb:
    """A ball around E (log K)^power: a partial sum and the rest, at most E[K; K > terms] as log k < k."""
    weights = tnb.weights(eta, r, terms)
    partial = sum((p * exact(k).log() ** exact(power) for k, p in enumerate(weights[1:], 2)), arb(0))
    rest = tnb.mean(eta, r) - sum((k * p for k, p in enumerate(weights, 1)), arb(0))
    return partial.union(partial + rest)


@theorem(
    "wzw25.lemA.7.s3",
    says=r"\mathbb{E}\left[\sqrt{\log K}\right]\le\sqrt{\mathbb{E}[\log K]}",
    needs=COUNT,
    source=", proof, fourth line: Jensen's inequality, first time",
)
def root_outside(*, eta: Number, r: Number) -> arb:
    """By Jensen's inequality E sqrt(log K) is at most sqrt(E log K).

    Derivation. log K >= 0 as K >= 1, and the square root is concave: E sqrt(log K) <= sqrt(E log K), by Jensen.
    """
    return log_moment(eta, r, 1).sqrt()


@theorem(
    "wzw25.lemA.7.s4",
    says=r"\mathbb{E}[\log K]\le\log\mathbb{E}[K]",
    needs=COUNT,
    source=", proof, fourth line: Jensen's inequality, second time",
)
def logarithm_outside(*, eta: Number, r: Number) -> arb:
    """By Jensen's inequality E log K is at most log E K.

    Derivation. The logarithm is concave on [1, inf), where K lies, so E log K <= log E K by Jensen's inequality.
    """
    return tnb.mean(eta, r).log()


@logarithm_outside.explicit(
    part="once",
    kind="identity",
    says=r"\frac{d^2}{dx^2}\sqrt{\log x}=-\frac{2\log x+1}{4x^2(\log x)^{3/2}}<0\quad(x>1)",
    needs=[require("x > 1", lambda x: float(x) > 1)],
    source="derived here",
)
def root_log_curvature(*, x: Number) -> arb:
    """sqrt(log x) is concave for x > 1, so one use of Jensen's inequality would do.

    Derivation. The first derivative is 1/(2 x sqrt(log x)), and its derivative -(1/(2 x^2)) (log x)^(-1/2) - (1/(4
    x^2)) (log x)^(-3/2) = -(2 log x + 1)/(4 x^2 (log x)^(3/2)), negative for x > 1.
    """
    log_x = exact(x).log()
    return -(2 * log_x + 1) / (4 * exact(x) ** 2 * log_x ** exact(1.5))


@theorem(
    "wzw25.lemA.7.s5",
    kind="identity",
    says=r"\sqrt{2}\sigma\sqrt{\log\mathbb{E}[K]}=\sigma\sqrt{2\log\frac{\eta(1-r)}{r(1-r^{\eta})}}",
    needs=[*COUNT, positive("sigma")],
    source=", proof, last line: Definition A.1",
)
def mean_inserted(*, eta: Number, r: Number, sigma: Number) -> Number:
    """The bound sqrt(2 log E K), with the printed mean of the TNB law for E K.

    Derivation. Definition A.1: E K = eta (1 - r)/(r (1 - r^eta)); and sqrt(2) sigma sqrt(x) = sigma sqrt(2 x).
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


# Remark A.8 -----------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.remA.8",
    part="min",
    kind="mean",
    says=r"\mathbb{E}\left[\min_{t\in[K]}\xi_t\right]\le\sigma\sqrt{2\log(1/r)}",
    needs=[in_unit_interval("r"), positive("sigma")],
)
def geometric_min_mean(*, r: Number, sigma: Number) -> Number:
    """The expected minimum of a geometric number of Gaussians, as displayed.

    Lemma A.7 at eta = 1.
    """
    return geometric_max_mean(r=r, sigma=sigma)


@theorem(
    "wzw25.remA.8",
    part="max",
    reading="corrected",
    kind="mean",
    says=r"\mathbb{E}\left[\max_{t\in[K]}\xi_t\right]\le\sigma\sqrt{2\log(1/r)}",
    needs=[in_unit_interval("r"), positive("sigma")],
    source=", read as Lemma A.7's title",
)
def geometric_max_mean(*, r: Number, sigma: Number) -> Number:
    """The expected maximum of a geometric number of Gaussians, with E K = 1/r.

    >>> round(float(geometric_max_mean(r=0.01, sigma=1.0)), 4)
    3.0349
    """
    r, sigma = alike(r, sigma)
    return sigma * sqrt(2 * log(1 / r))
