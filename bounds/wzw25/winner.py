r"""The expected score of private tuning: Lemma K.4 of Wang, Zhu & Wang (2025) and its proof.

K ~ TNB(eta, r) candidates are drawn from Theta, uniformly with replacement; the one with the smallest noisy score
U + xi wins, xi ~ N(0, sigma^2) fresh for every draw. Y is the event that the candidate theta* of the smallest expected
score is drawn; P(Y) = 1 - G(1 - 1/|Theta|), G(x) = E x^K. The lemma *defines* U_out as the noisy minimum, and its proof
and Lemma K.6 use the winner's clean score: both readings are rows. `size` is |Theta|. Scores are independent of the
draws, of K and of the noise. "With probability at least 1 - G(1 - 1/|Theta|), E[U_out] <= ..." is read as the proof
reads it: E[U_out | Y] <= ...
"""

from collections.abc import Sequence
from math import expm1, log, log1p, sqrt
from typing import Any

from flint import arb

from lemmata.bounds.exact import best_of_runs as balls
from lemmata.bounds.exact.gaussian_maxima import mean_max_of_count
from lemmata.bounds.exact.numbers import Number
from lemmata.bounds.exact.tuning_curves import best_at_most
from lemmata.bounds.theorem import integer, positive, theorem
from lemmata.bounds.wzw25.gaussian_maxima import count_bound
from lemmata.bounds.wzw25.run_counts import ETA, UNIT_R, mean

LAW = [ETA, UNIT_R, integer("size"), positive("sigma")]
COUNT = r"\sigma\sqrt{2\log\left(\frac{\eta(1-r)}{r(1-r^{\eta})}\right)}"
BEST = r"\min_{\theta\in\Theta}\mathbb{E}[U_\theta]"
WINNER = r"\mathbb{E}[U_{i_{t_{\mathrm{out}}}}\mid Y]\le" + BEST


def runs_given_drawn(*, eta: Number, r: Number, size: Number) -> Any:
    """E[K | Y], the expected number of runs when the good candidate is among those drawn.

    (E K - (1 - p) G'(1 - p)) / (1 - G(1 - p)) at p = 1/|Theta|; at most E K^2 / E K = 1 + (eta + 1)(1 - r)/r. In floats
    by the mean over [0, p] of the two derivatives, so that nothing cancels; a ball for balls.

    >>> round(runs_given_drawn(eta=1, r=0.25, size=1), 6), round(runs_given_drawn(eta=1, r=0.25, size=10**12), 6)
    (4.0, 7.0)
    """
    if any(isinstance(x, arb) for x in (eta, r, size)):
        return balls.runs_given_drawn(eta, r, size)
    eta, r, share = float(eta), float(r), float(1 / size)
    grown = log1p((1 - r) / r * share)
    # 1 - (1 - p) (r/s)^(eta+1), and 1 - G(1 - p), both of the order of p
    left = share - (1 - share) * expm1(-(eta + 1) * grown)
    return mean(eta=eta, r=r) * left / float(best_at_most(eta, r, share))


# Lemma K.4 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemK.4",
    part="minimum",
    kind="mean",
    says=r"\mathbb{E}\left[\min_{t\in[K]}(U_{i_t}+\xi_{i_t})\mid Y\right]\le" + BEST + "+" + COUNT,
    needs=LAW,
    source=", U_out as defined there",
)
def noisy_minimum_mean(*, eta: float, r: float, size: int, sigma: float) -> float:
    """The expected noisy minimum of a random number of candidates, U_out as defined.

    Derivation. Returns the term that is added to the best expected score. Simple proof: given Y the minimum is at most
    U_{theta*} + xi at the *first* draw of theta*, which is chosen without the noise, so the mean is at most
    E[U_{theta*}]; and E K >= 1 makes the second term at least 0. At eta = 0 the fraction 0/0 stands for its limit E K.
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


@theorem(
    "wzw25.lemK.4",
    part="winner",
    kind="mean",
    says=WINNER + "+" + COUNT,
    needs=LAW,
    source=", U_out as its proof and Lemma K.6 use it",
)
def winner_mean(*, eta: float, r: float, size: int, sigma: float) -> float:
    """The expected true score of the winner, as the proof and Lemma K.6 read it.

    The bound has E K where the conditional law of K given Y belongs: Y makes K larger. As eta -> -1 E K tends to 1 and
    the bound to 0, while E[K | Y] may be any multiple of it.
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


@winner_mean.corrected(says=WINNER + r"+\sigma\sqrt{2\log\mathbb{E}[K\mid Y]}", source=", with the law of K given Y")
def winner_mean_given_drawn(*, eta: float, r: float, size: int, sigma: float) -> float:
    """The winner's expected true score, with E K given that the good one is drawn.

    Derivation. Let tau be the first draw of theta*. It could have won: U_out + xi_out <= U_{theta*} + xi_tau, so
    U_out - U_{theta*} <= xi_tau - xi_out <= xi_tau + max_t(-xi_t). tau and K depend on the draws only, so
    E[xi_tau | Y] = 0, and E[max_t(-xi_t) | Y] <= sigma E[sqrt(2 log K) | Y] <= sigma sqrt(2 log E[K | Y]) by Lemma A.5
    and Jensen. The factor 2 that the printed proof loses is not needed.

    >>> round(winner_mean_given_drawn(eta=1, r=0.25, size=10**12, sigma=1.0), 4)
    1.9728
    """
    return sigma * sqrt(2 * log(max(1.0, runs_given_drawn(eta=eta, r=r, size=size))))


@noisy_minimum_mean.corrected(
    part="winner-geometric",
    says=r"\eta=1:\quad" + WINNER + r"+\sigma\sqrt{2\log(1/r)}",
    needs=[UNIT_R, integer("size"), positive("sigma")],
    source=", at the only eta the paper uses",
)
def winner_mean_geometric(*, r: float, size: int, sigma: float) -> float:
    """The winner's expected true score for geometric K: the printed bound holds.

    Derivation. The excess is at most sigma E[M_K | Y], M_K the maximum of K normals (corrected reading of part winner).
    The larger |Theta|, the larger K given Y (likelihood ratio 1 - (1-1/|Theta|)^k), so E[M_K | Y] is at most its limit
    m(r), where K has the size-biased law, mean (2 - r)/r. With a0 = sqrt(2 log(1/r)), m(r) <= a0: (i) r >= 0.55: M_k <=
    (k - 1)/sqrt(pi), so m <= 2 (1-r)/(r sqrt(pi)), and a0 >= sqrt(2 (1-r)); (ii) 0.02 <= r <= 0.55: certificate; (iii)
    r <= 0.034, a0 >= 2.6: E M_k <= a + k (phi(a) - a Phi(-a)) <= a + k phi(a)/(1 + a^2), at a = a0 - 1/a0, where (2/r)
    phi(a) <= 2 e/sqrt(2 pi), and 1 + (a0 - 1/a0)^2 >= (2 e/sqrt(2 pi)) a0.

    >>> float(round(winner_mean_geometric(r=0.01, size=5, sigma=1.0), 4))
    3.0349
    """
    return winner_mean.theorem.formula(eta=1.0, r=r, size=size, sigma=sigma)


# The steps of the proof -----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemK.4.s1",
    says=r"U_{\mathrm{out}}\le\min_{t\in[K]}\{U_{i_t}+\xi_{i_t}\}-\min_{t\in[K]}\xi_{i_t}",
    source=", proof, Equation 24, first line",
)
def winner_below(*, scores: Sequence[float], noise: Sequence[float]) -> float:
    """The winner's score is at most the noisy minimum minus the smallest noise.

    Derivation. Pathwise: the noisy minimum is U_out + xi_out, and xi_out, one of the noises, is >= min xi. (Here
    U_out is the clean score.)

    >>> winner_below(scores=[0, 1], noise=[2, -1])
    1
    """
    return min(u + x for u, x in zip(scores, noise, strict=True)) - min(noise)


@theorem(
    "wzw25.lemK.4.s2",
    says=r"U_{\mathrm{out}}\le\min_{t\in[K]}\{U_{i_t}+\xi_{i_t}\}+\max_{t\in[K]}\xi_{i_t}",
    source=", proof, Equation 24, second line",
)
def winner_below_as_printed(*, scores: Sequence[float], noise: Sequence[float]) -> float:
    """The winner's score is at most the noisy minimum plus the largest noise, printed.

    "xi =d -xi" is equality in law, not of the numbers: with one draw and xi < 0 it says U <= U + 2 xi.

    >>> winner_below_as_printed(scores=[0], noise=[-1])
    -2
    """
    return min(u + x for u, x in zip(scores, noise, strict=True)) + max(noise)


@winner_below_as_printed.corrected(
    says=r"\mathbb{E}\left[-\min_{t\in[K]}\xi_{i_t}\mid Y\right]=\mathbb{E}\left[\max_{t\in[K]}\xi_{i_t}\mid Y\right]",
    kind="identity",
    source=", proof, Equation 24, in expectation",
)
def reflected_maximum(*, noise: Sequence[float]) -> float:
    """Given that the good one is drawn, minus the least noise has the largest's law.

    Derivation. -min xi = max(-xi); K and Y are functions of the draws, and (xi_t) has the law of (-xi_t) given them.

    >>> reflected_maximum(noise=[2, -1])
    1
    """
    return max(-x for x in noise)


@theorem(
    "wzw25.lemK.4.s3",
    says=r"\min_{t\in[K]}\{U_{i_t}+\xi_{i_t}\}\le\min_{t\in[K]}\{U_{i_t}\}+\max_{t\in[K]}\{\xi_{i_t}\}",
)
def minimum_splits(*, scores: Sequence[float], noise: Sequence[float]) -> float:
    """The noisy minimum is at most the smallest true score plus the largest noise.

    The draw of the smallest clean score is one of those the noisy minimum is taken over.

    Derivation. Let t* be a draw of the smallest clean score. Then min(U + xi) <= U_{t*} + xi_{t*} <= min U + max xi,
    because the minimum is at most any one of its terms.

    >>> minimum_splits(scores=[0, 1], noise=[2, -1])
    2
    """
    return min(scores) + max(noise)


@theorem(
    "wzw25.lemK.4.s4",
    says=r"\mathbb{E}\left[\min_{t\in[K]}U_{i_t}\mid Y\right]\le\min_{\theta\in\Theta}\mathbb{E}[U_\theta]",
    source=", proof, (1) 'Jensen's inequality'",
)
def best_expected_score(*, means: Sequence[float]) -> float:
    """The expected smallest score drawn is at most the smallest expected score.

    Given Y theta* is among those drawn, and scores do not depend on the draws, so the minimum is at most U_{theta*}.

    Derivation. theta* is among those drawn given Y, so min_t U_{i_t} <= U_{theta*} on every path; scores do not depend
    on the draws, so the mean given Y of the right side is E[U_{theta*}] = min_theta E[U_theta].

    >>> best_expected_score(means=[2, 1])
    1
    """
    return min(means)


@theorem(
    "wzw25.lemK.4.s5",
    kind="mean",
    says=r"\mathbb{E}\left[\max_{t\in[K]}\xi_{i_t}\mid Y\right]\le\mathbb{E}\left[\max_{t\in[K]}\xi_t\right]",
    needs=LAW,
    source=", proof, (2) 'xi_t and event Y are independent'",
)
def maximum_without_condition(*, eta: float, r: float, size: int, sigma: float) -> float:
    """The expected largest noise given that the good one is drawn, as printed.

    Each xi_t is independent of Y, their number is not: given Y it is larger (likelihood ratio 1 - (1 - 1/|Theta|)^k,
    increasing), so the inequality points the wrong way for every |Theta| >= 2.
    """
    return sigma * float(mean_max_of_count(eta, r))


@maximum_without_condition.corrected(
    says=r"\mathbb{E}\left[\max_{t\in[K]}\xi_{i_t}\mid Y\right]\le\sigma\sqrt{2\log\mathbb{E}[K\mid Y]},\quad "
    r"\Pr[K=k\mid Y]\propto\Pr[K=k]\left(1-(1-1/|\Theta|)^k\right)",
    source=", proof, (2), with the law of K given Y",
)
def maximum_given_drawn(*, eta: float, r: float, size: int, sigma: float) -> float:
    """The expected largest noise given that the good one is drawn.

    Lemma A.5 for fixed K, then Jensen; the draws do not look at the noise.
    """
    return winner_mean_given_drawn.theorem.formula(eta=eta, r=r, size=size, sigma=sigma)


@theorem(
    "wzw25.lemK.4.s6",
    kind="mean",
    says=r"2\,\mathbb{E}\left[\max_{t\in[K]}\xi_t\right]\le" + COUNT,
    needs=[ETA, UNIT_R, positive("sigma")],
    source=", proof, last line, 'Lemma A.7'",
)
def twice_maximum_as_printed(*, eta: float, r: float, sigma: float) -> float:
    """Twice the expected largest noise of K runs, as printed: the factor 2 is lost.

    Derivation. Lemma A.7 for the maximum bounds E[max] by sigma sqrt(2 log E K), with E K = eta (1 - r)/(r (1 -
    r^eta)). The right side is twice that.
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


@twice_maximum_as_printed.corrected(
    says=r"2\,\mathbb{E}\left[\max_{t\in[K]}\xi_t\right]\le2" + COUNT, source=", proof, last line, with the factor 2"
)
def twice_maximum(*, eta: float, r: float, sigma: float) -> float:
    """Twice the expected largest noise of K runs.

    Derivation. Lemma A.7 for the maximum bounds E[max] by sigma sqrt(2 log E K), with E K = eta (1 - r)/(r (1 -
    r^eta)). The right side is twice that.
    """
    return 2 * twice_maximum_as_printed.theorem.formula(eta=eta, r=r, sigma=sigma)


@theorem(
    "wzw25.lemK.4.s7",
    kind="identity",
    says=r"\Pr[Y]\ge 1-PGF_K(1-1/|\Theta|)",
    needs=[ETA, UNIT_R, integer("size")],
    source=", proof, last sentence",
)
def drawn_probability(*, eta: float, r: float, size: int) -> float:
    """The good candidate is drawn with probability 1 - G(1 - 1/|Theta|).

    Given K the draws miss it with probability (1 - 1/|Theta|)^K. With several best candidates Y may mean any of them,
    which is likelier still.

    >>> round(drawn_probability(eta=1, r=0.5, size=2), 6), drawn_probability(eta=1, r=0.5, size=1)
    (0.666667, 1.0)
    """
    return float(best_at_most(eta, r, 1 / size))
