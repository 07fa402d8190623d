r"""What private tuning achieves: Lemma K.4 of Wang, Zhu & Wang (2025) and its proof.

K ~ TNB(eta, r) candidates are drawn from Theta, uniformly with replacement; the one with the smallest noisy score
U + xi wins, xi ~ N(0, sigma^2) fresh for every draw. Y is the event that the candidate theta* of the smallest expected
score is drawn; P(Y) = 1 - G(1 - 1/|Theta|), G(x) = E x^K. The lemma *defines* U_out as the noisy minimum, and its proof
and Lemma K.6 use the winner's clean score: both readings are rows. `size` is |Theta|. Scores are independent of the
draws, of K and of the noise. "With probability at least 1 - G(1 - 1/|Theta|), E[U_out] <= ..." is read as the proof
reads it: E[U_out | Y] <= ...
"""

from __future__ import annotations

from math import expm1, log, log1p, sqrt
from typing import Any

from flint import arb

from bounds.exact import best_of_runs as balls
from bounds.exact.numbers import Number
from bounds.exact.tuning_curves import best_at_most
from bounds.theorem import integer, positive, theorem
from bounds.wzw25.gaussian_maxima import count_bound
from bounds.wzw25.run_counts import ETA, UNIT_R, mean

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
    """The expected noisy minimum of a random number of candidates, as the lemma defines U_out.

    Returns what is added to the best expected score. True for a plain reason: given Y the minimum is at most
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
    """The expected clean score of the winner, as the proof and Lemma K.6 read it.

    The bound has E K where the conditional law of K given Y belongs: Y makes K larger. As eta -> -1 E K tends to 1 and
    the bound to 0, while E[K | Y] may be any multiple of it.
    """
    return count_bound(eta=eta, r=r, sigma=sigma)


@winner_mean.corrected(
    says=WINNER + r"+\sigma\sqrt{2\log\mathbb{E}[K\mid Y]}",
    source=", with the law of K given Y",
)
def winner_mean_given_drawn(*, eta: float, r: float, size: int, sigma: float) -> float:
    """The expected clean score of the winner, with the number of runs given that the good candidate is drawn.

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
    """The expected clean score of the winner for geometric numbers of runs: the printed bound, unchanged.

    Derivation. The excess is at most sigma E[M_K | Y], M_K the maximum of K normals (corrected reading of part winner).
    The larger |Theta|, the larger K given Y (likelihood ratio 1 - (1-1/|Theta|)^k), so E[M_K | Y] is at most its limit
    m(r), where K has the size-biased law, mean (2 - r)/r. With a0 = sqrt(2 log(1/r)), m(r) <= a0: (i) r >= 0.55: M_k <=
    (k - 1)/sqrt(pi), so m <= 2 (1-r)/(r sqrt(pi)), and a0 >= sqrt(2 (1-r)); (ii) 0.02 <= r <= 0.55: certificate; (iii)
    r <= 0.034, a0 >= 2.6: E M_k <= a + k (phi(a) - a Phi(-a)) <= a + k phi(a)/(1 + a^2), at a = a0 - 1/a0, where (2/r)
    phi(a) <= 2 e/sqrt(2 pi), and 1 + (a0 - 1/a0)^2 >= (2 e/sqrt(2 pi)) a0.

    >>> round(winner_mean_geometric(r=0.01, size=5, sigma=1.0), 4)
    3.0349
    """
    return sigma * sqrt(2 * log(1 / r))
