"""Base algorithms with known candidates, and the exact law of the selection among them: for abgmu22's grid search."""

import itertools
from math import exp, log, sqrt

import numpy as np
from scipy.special import logsumexp, softmax
from scipy.stats import binom

from lemmata.bounds.abgmu22.generalized_exponential import normalised_scores
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.selection.generalized_exponential import law


def selected(scores, sensitivities, *, label_bound, beta, epsilon):
    """P(j is selected), j = 0..K, by Algorithm 1's call of the generalized exponential mechanism: epsilon/2, beta/4."""
    q, gamma = np.r_[label_bound**2, scores], np.r_[0.0, sensitivities]
    return np.exp(law(q, gamma, privacy=PureDP(epsilon / 2), beta=beta / 4).log_probabilities())


def chance_of_rare_losses(*, share, loss_bound, penalty, sensitivity, label_bound, n, guesses, beta, epsilon):
    """P(a bad candidate is selected), exactly: all but the last of K lose `loss_bound` with probability `share`.

    They are one vector, so S2 shows all of them the same number of losses, a binomial one; the last loses nothing.
    """
    half = n // 2
    counts = np.arange(int(binom.isf(1e-15, half, share)) + 1)
    q = np.full((counts.size, guesses + 1), penalty)
    q[:, 0] = label_bound**2
    q[:, 1:-1] += (counts * loss_bound / half)[:, None]
    t = 2 * log(4 * (guesses + 1) / beta) / (epsilon / 2)
    gamma = np.r_[0.0, np.full(guesses, sensitivity)]
    chosen = softmax(-epsilon / 4 * normalised_scores(scores=q, sensitivities=gamma, t=t), axis=1)
    return float(binom.pmf(counts, half, share) @ chosen[:, 1:-1].sum(axis=1))


# Releases with finitely many candidates -------------------------------------------------------------------------------

GOOD, TURNED, LEAK, WILD = range(4)  # what A may release


def candidates_law(bit, *, epsilon, delta, wild):
    """P(A releases GOOD, TURNED, LEAK, WILD) on S1 with this bit: randomised response, (epsilon, delta)-DP exactly.

    LEAK tells the bit and has probability delta; WILD has losses beyond Delta and probability `wild`.
    """
    keep = 1 / (1 + exp(-epsilon))
    rest = 1 - delta - wild
    answer = (rest * keep, rest * (1 - keep))
    return np.array([*(answer if bit == 0 else answer[::-1]), delta, wild])


def release(bits, *, guesses, epsilon, delta, beta=0.05, loss_bound=1.0, n=2, sensitivity=1.0, divide=1.0):
    """log P(index, candidates) of Algorithm 1 on a dataset that is two bits, one in each half: a dict.

    Each run of A has (epsilon/2K, delta/2K); a bit of S2 moves the mean loss of GOOD and TURNED by 2 Delta/n, and that
    of WILD by 20 Delta. The index is released with the candidate it names; LEAK with the bit of S1. `divide` leaves the
    runs of A with `divide` times their budget.
    """
    K = guesses
    run = candidates_law(bits[0], epsilon=divide * epsilon / (2 * K), delta=delta / (2 * K), wild=delta / (4 * K))
    t = 2 * log(4 * (K + 1) / beta) / (epsilon / 2)
    law_of = {}
    for names in itertools.product(range(4), repeat=K):
        chance = float(np.sum(np.log([max(run[name], 1e-300) for name in names])))
        moved = np.array([20.0 if name == WILD else 2 / n for name in names]) * loss_bound * bits[1]
        q, gamma = np.r_[1e4 * loss_bound, moved], np.r_[0.0, np.full(K, sensitivity)]
        logits = -epsilon / 4 * normalised_scores(scores=q, sensitivities=gamma, t=t)
        logits -= logsumexp(logits)
        for j, logit in enumerate(logits):
            seen = (j, "" if j == 0 else (names[j - 1], bits[0]) if names[j - 1] == LEAK else names[j - 1])
            law_of[seen] = np.logaddexp(law_of.get(seen, -np.inf), chance + logit)
    return law_of


def smallest_delta(one, other, epsilon):
    """The least delta with P <= e^epsilon Q + delta, both ways."""
    both = {}
    for a, b in ((one, other), (other, one)):
        both[a is one] = sum(
            max(0.0, exp(value) - exp(epsilon) * exp(b.get(seen, -np.inf))) for seen, value in a.items()
        )
    return max(both.values())


# Means and choices ----------------------------------------------------------------------------------------------------


def two_point(statement, below, factor):
    """P(deviation >= t/factor) of a mean of n/2 losses 0 and Delta = 1, exactly, against eta."""
    for half, p, chance in itertools.product(
        (1, 5, 50, 2000), (1e-4, 0.01, 0.1, 0.5, 0.9, 1.0), (1e-9, 1e-3, 0.1, 0.9)
    ):
        setting = {"loss_bound": 1.0, "risk": p, "n": 2 * half, "chance": chance}
        t = float(statement(**setting)) / factor * (1 + 1e-12)
        if below:
            far = binom.cdf(np.floor(half * (p - t) + 1e-9), half, p)
        else:
            far = binom.sf(np.ceil(half * (p + t) - 1e-9) - 1, half, p)
        yield setting, float(far), chance


def selection_failure(statement, sensitivity, sizes, divide=1.0):
    """P(score selected > min_j {score_j + loss}), exactly: K - 1 rivals just beyond the loss of the best, w_0 far."""
    allowed = float(statement(**sizes)) / divide
    K, beta, epsilon = sizes["guesses"], sizes["beta"], sizes["epsilon"]
    scores = np.r_[0.0, np.full(K - 1, allowed * (1 + 1e-9))]
    label = sqrt(allowed * (1 + 1e-9))  # w_0's score is public: it loses by just as much
    law = selected(scores, np.full(K, sensitivity), label_bound=label, beta=beta, epsilon=epsilon)
    return float(law[0] + law[2:].sum())


def smallest_index(norm):
    """2^j', j' = min{j >= 1 : norm <= 2^j}."""
    radius = 2
    while radius < norm:
        radius *= 2
    return radius
