"""The proof of Lemma K.4 of Wang, Zhu & Wang (2025): what the winner among noisy candidates costs, step by step.

Law, candidates, noise and the event Y are those of `bounds.wzw25.winner`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bounds.exact.gaussian_maxima import mean_max_of_count
from bounds.exact.tuning_curves import best_at_most
from bounds.theorem import integer, positive, theorem
from bounds.wzw25.gaussian_maxima import count_bound
from bounds.wzw25.run_counts import ETA, UNIT_R
from bounds.wzw25.winner import COUNT, LAW, winner_mean_given_drawn

# The steps of the proof -----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemK.4.s1",
    says=r"U_{\mathrm{out}}\le\min_{t\in[K]}\{U_{i_t}+\xi_{i_t}\}-\min_{t\in[K]}\xi_{i_t}",
    source=", proof, Equation 24, first line",
)
def winner_below(*, scores: Sequence[float], noise: Sequence[float]) -> float:
    """The winner's clean score is at most the noisy minimum minus the smallest noise.

    Pathwise: the noisy minimum is U_out + xi_out, and xi_out is one of the noises. (Here U_out is the clean score.)

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
    """The same with the largest noise for minus the smallest, as printed, pathwise.

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
    """Minus the smallest noise and the largest have one law, also given Y.

    max(-xi): K and Y are functions of the draws, and (xi_t) has the law of (-xi_t) given them.

    >>> reflected_maximum(noise=[2, -1])
    1
    """
    return max(-x for x in noise)


@theorem(
    "wzw25.lemK.4.s3",
    says=r"\min_{t\in[K]}\{U_{i_t}+\xi_{i_t}\}\le\min_{t\in[K]}\{U_{i_t}\}+\max_{t\in[K]}\{\xi_{i_t}\}",
)
def minimum_splits(*, scores: Sequence[float], noise: Sequence[float]) -> float:
    """The noisy minimum is at most the clean minimum plus the largest noise.

    The draw of the smallest clean score is one of those the noisy minimum is taken over.

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
    """The expected clean minimum is at most the smallest expected score.

    Given Y theta* is among those drawn, and scores do not depend on the draws, so the minimum is at most U_{theta*}.

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
    """The condition on Y is dropped from the largest noise, as printed.

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
    """The largest noise given Y, with the law of K given Y.

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
    """Lemma A.7 for twice the largest noise, as printed: the factor 2 is lost."""
    return count_bound(eta=eta, r=r, sigma=sigma)


@twice_maximum_as_printed.corrected(
    says=r"2\,\mathbb{E}\left[\max_{t\in[K]}\xi_t\right]\le2" + COUNT,
    source=", proof, last line, with the factor 2",
)
def twice_maximum(*, eta: float, r: float, sigma: float) -> float:
    """Lemma A.7 for twice the largest noise."""
    return 2 * count_bound(eta=eta, r=r, sigma=sigma)


@theorem(
    "wzw25.lemK.4.s7",
    kind="identity",
    says=r"\Pr[Y]\ge 1-PGF_K(1-1/|\Theta|)",
    needs=[ETA, UNIT_R, integer("size")],
    source=", proof, last sentence",
)
def drawn_probability(*, eta: float, r: float, size: int) -> float:
    """The good candidate is drawn with probability 1 - G(1 - 1/|Theta|), an equality for one best candidate.

    Given K the draws miss it with probability (1 - 1/|Theta|)^K. With several best candidates Y may mean any of them,
    which is likelier still.

    >>> round(drawn_probability(eta=1, r=0.5, size=2), 6), drawn_probability(eta=1, r=0.5, size=1)
    (0.666667, 1.0)
    """
    return float(best_at_most(eta, r, 1 / size))
