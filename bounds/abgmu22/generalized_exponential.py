"""The generalized exponential mechanism, as Arora, Bassily, Guzmán, Menart & Ullah (2022) use it in Appendix D.1.

The mechanism (Raskhodnikova & Smith 2016, Algorithm 1) chooses among q_1, ..., q_N, to be minimised, whose
sensitivities gamma_j differ. With t = 2 log(N/beta) / epsilon it normalises

    s_i = max_j ((q_i + t gamma_i) - (q_j + t gamma_j)) / (gamma_i + gamma_j)

and releases i with probability proportional to exp(-epsilon s_i / 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log, log1p

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.exact.numbers import Array, Real
from lemmata.bounds.theorem import at_least, integer, positive, require, theorem

RS16 = "Raskhodnikova & Smith 2016, Algorithm 1"
BLOCK = 4_000_000  # entries of the table of differences held at a time
CHOICE = [integer("candidates"), positive("epsilon"), positive("beta")]


# The generalized exponential mechanism --------------------------------------------------------------------------------


def shift(*, candidates: int, epsilon: float, beta: float) -> float:
    """t = 2 log(N/beta) / epsilon, the multiple of its sensitivity by which every score is raised.

    >>> round(shift(candidates=10, epsilon=1.0, beta=0.1), 4)
    9.2103
    """
    return 2 * log(candidates / beta) / epsilon


def normalised_scores(*, scores: ArrayLike, sensitivities: ArrayLike, t: float) -> Array:
    """s_i = max_j ((q_i + t gamma_i) - (q_j + t gamma_j)) / (gamma_i + gamma_j), shape (..., N); never negative.

    `scores` has shape (N,), or (..., N) for many choices with the same sensitivities, shape (N,). 0/0 counts as 0 and
    x/0 as +-inf, the limits of small sensitivities: of several candidates that no record moves only the best stay in
    play, on every dataset alike.

    >>> normalised_scores(scores=[0.0, 3.0], sensitivities=[1.0, 0.5], t=2.0).tolist()
    [0.0, 1.3333333333333333]
    """
    q, gamma = np.asarray(scores, dtype=float), np.asarray(sensitivities, dtype=float)
    raised = q + t * gamma
    normalised = np.empty(q.shape)
    rows = max(1, BLOCK // q.size)
    for start in range(0, len(gamma), rows):
        here = slice(start, start + rows)
        apart, width = raised[..., here, None] - raised[..., None, :], gamma[here, None] + gamma
        limit = np.where(apart > 0, np.inf, np.where(apart < 0, -np.inf, 0.0))
        normalised[..., here] = np.where(width > 0, apart / np.where(width > 0, width, 1.0), limit).max(axis=-1)
    return normalised


@theorem(
    "abgmu22.thm.gem",
    part="accuracy",
    kind="tail",
    says=r"\Pr\left[q_{\hat{j}}(S)\le\min_{j\in[N]}\left\{q_j(S)+\frac{4\gamma_j\log(N/\beta)}{\varepsilon}\right\}"
    r"\right]\ge 1-\beta",
    needs=[*CHOICE, at_least("sensitivity", 0)],
    source=", Appendix D.1; Raskhodnikova & Smith 2016, Theorem I.4",
)
def selection_penalty(*, sensitivity: float, candidates: int, epsilon: float, beta: float) -> float:
    """The mechanism loses at most 4 gamma_j log(N/beta)/epsilon against candidate j.

    Derivation. The scores -s_i have sensitivity 1 (s1) and the best of them is 0 (s2), so by the accuracy of the
    exponential mechanism s <= (2/epsilon) log(N/beta) = t with probability at least 1 - beta; and s_i <= t says
    q_i <= q_j + 2 t gamma_j for every j (s3). With equal sensitivities s_i = (q_i - q_min) / (2 gamma): one best
    candidate and N - 1 just beyond the bound fail with probability (N - 1) x / ((N - 1) x + 1), x = beta/N, which
    comes near to beta / (1 + beta) for large N. A constant below 4 is false for this mechanism.

    >>> round(selection_penalty(sensitivity=0.01, candidates=10, epsilon=1.0, beta=0.1), 6)
    0.184207
    """
    return 4 * sensitivity * log(candidates / beta) / epsilon


@theorem(
    "abgmu22.thm.gem",
    part="privacy",
    kind="privacy",
    says=r"|q_j(S)-q_j(S')|\le\gamma_j\ \forall j\ \Rightarrow\ \varepsilon\mathrm{-DP}",
    needs=[positive("epsilon")],
    source=f", Appendix D.1; Appendix D.2 uses 'the privacy guarantees of GEM'; {RS16}",
    reconstructed=True,
)
def generalized_epsilon(*, epsilon: float) -> float:
    """The generalized exponential mechanism is epsilon-DP.

    Derivation. gamma_j and t do not depend on the data; a replaced record moves s_i by at most 1 (s1); releasing i with
    probability proportional to exp(-epsilon s_i / 2) is the exponential mechanism with scores -s_i of sensitivity 1.
    With equal sensitivities the scores move against each other by at most 1 and epsilon/2 is spent; with sensitivities
    that differ and many candidates no smaller epsilon is enough: a rare one may rise while all the weight falls
    (`spent_among` is the exact account for N). The theorem takes a privacy parameter but does not state a guarantee:
    this is our wording.

    >>> generalized_epsilon(epsilon=0.5)
    0.5
    """
    return epsilon


@generalized_epsilon.explicit(
    part="privacy-candidates",
    says=r"\Pr[\hat\jmath=i]\propto e^{-\theta s_i}\ \text{among}\ N\ge2:\quad "
    r"\varepsilon=\theta+\log\frac{N-1}{1+(N-2)e^{-\theta}}",
    needs=[positive("theta"), integer("candidates"), require("N >= 2", lambda candidates: candidates >= 2)],
    source="derived here; attained for sensitivities that differ enough",
)
def spent_among(*, theta: float, candidates: int) -> float:
    """The epsilon spent among N candidates with weights exp(-theta s_i).

    Derivation. Weights g_i = exp(-theta s_i) before and g'_i after move by factors in [e^-theta, e^theta] (s1), and the
    best candidate m before has g_m = 1 >= g'_m (s2). For i other than m write g'_i = e^-d g_i; the N - 2 others have
    g_j >= e^-theta g'_j. So log Pr[i] - log Pr'[i] = d + log(sum g' / sum g) is at most

        log (g_i + e^d (1 + x)) - log (g_i + 1 + e^-theta x),    x = the sum of g'_j over the others, x <= N - 2,

    which rises in x and in d <= theta and falls in g_i: theta + log((N - 1) / (1 + (N - 2) e^-theta)). For i = m it is
    log((1 + (N - 1) e^theta) / (1 + (N - 1) e^-theta)) at most, which is not larger. Attained as s_i grows: a reference
    that no record moves, N - 2 candidates that fall from 1 to 0, and one far behind that rises by 1. Between theta (N =
    2) and 2 theta (N without end), which is the printed account.

    >>> [round(spent_among(theta=0.5, candidates=N), 3) for N in (2, 6, 10**6)]
    [0.5, 0.878, 1.0]
    """
    return theta - log1p((candidates - 2) / (candidates - 1) * expm1(-theta))


@theorem(
    "abgmu22.thm.gem.s1",
    reading="explicit",
    says=r"|q_j-q'_j|\le\gamma_j\ \forall j\ \Rightarrow\ |s_i-s'_i|\le 1\ \forall i",
    source=RS16,
)
def normalised_sensitivity() -> int:
    """One record moves a normalised score by at most 1.

    Every term of the maximum moves by at most (gamma_i + gamma_j) / (gamma_i + gamma_j).

    Derivation. s_i is the maximum over j of (q_i + t gamma_i - q_j - t gamma_j)/(gamma_i + gamma_j). Where every q
    moves by at most its gamma, the numerator moves by at most gamma_i + gamma_j, so every term moves by at most 1, and
    so does the maximum.
    """
    return 1


@theorem("abgmu22.thm.gem.s2", reading="explicit", kind="identity", says=r"\min_i s_i=0", source=RS16)
def best_normalised() -> int:
    """The smallest normalised score is 0.

    The term j = i is 0, and for i with the smallest q_i + t gamma_i no term is positive.

    Derivation. The term j = i of the maximum is 0, so s_i >= 0 for every i; and for the i with the smallest q_i + t
    gamma_i no term is positive, so its s_i = 0.
    """
    return 0


@theorem(
    "abgmu22.thm.gem.s3", reading="explicit", says=r"s_i\le t\ \Rightarrow\ q_i\le\min_j\{q_j+2t\gamma_j\}", source=RS16
)
def score_threshold(*, scores: Sequence[Real], sensitivities: Sequence[Real], t: Real) -> Real:
    """A normalised score of at most t bounds the score by min_j q_j + 2 t gamma_j.

    q_i + t gamma_i - q_j - t gamma_j <= t (gamma_i + gamma_j).

    Derivation. s_i <= t says q_i + t gamma_i - q_j - t gamma_j <= t (gamma_i + gamma_j) for every j, which is q_i <=
    q_j + 2 t gamma_j.
    """
    return min(q + 2 * t * gamma for q, gamma in zip(scores, sensitivities, strict=True))
