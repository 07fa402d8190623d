"""The exponential mechanism decided exactly: every output, every neighbouring pair, the worst scores."""

from __future__ import annotations

import itertools
from math import log

import numpy as np

from bounds.bms22 import pure_learner
from bounds.exact.balls import exact
from bounds.exact.certify import at, supremum
from experiments.engine.verdict import holds, inconclusive, refuted
from mechanisms.exponential import law as exponential_law
from mechanisms.privacy import PureDP

FLOAT_ERROR = 1e-12  # relative error allowed to floats where an identity is compared
UNIVERSE = [(x, y) for x in (0, 1) for y in (-1, 1)]  # records of the enumerated datasets
CLASSIFIERS = list(itertools.product((-1, 1), repeat=2))  # all sign functions of x in {0, 1}


def _share(p, event):
    return sum(p[o] for o in event)


def empirical_risk_laws(m, epsilon, pairs_of):
    """Scores, laws and neighbouring pairs: the exponential mechanism on -R over all classifiers, all datasets."""
    datasets, pairs = pairs_of(UNIVERSE, m)
    wrong = np.array([[h[x] != y for h in CLASSIFIERS] for x, y in UNIVERSE], dtype=float)
    scores = np.array([-wrong[list(data)].mean(axis=0) for data in datasets])
    return scores, _laws(scores, 1 / m, epsilon), np.array(pairs)


def _laws(scores, sensitivity, epsilon):
    """Probabilities of the mechanism under test for every row of scores."""
    return np.exp(
        [exponential_law(q, sensitivity=sensitivity, privacy=PureDP(epsilon)).log_probabilities() for q in scores]
    )


# Privacy --------------------------------------------------------------------------------------------------


def _privacy_witness(epsilon, sensitivity, a, b, log_ratio):
    """The witness on score vectors a, b with one candidate apart from all others, which are alike."""
    rows = [f"[{x[0]}] + [{x[1]}] * {len(x) - 1}" for x in (a, b)]
    code = [
        "from mechanisms.exponential import law",
        "from mechanisms.privacy import PureDP",
        f"parameters = dict(sensitivity={sensitivity!r}, privacy=PureDP({epsilon!r}))",
        f"p, q = (law(s, **parameters).log_density([0])[0] for s in ({rows[0]}, {rows[1]}))",
        f"assert p - q > {epsilon!r}",
    ]
    return {
        "setting": {"epsilon": epsilon, "candidates": len(a)},
        "claimed": epsilon,
        "found": log_ratio,
        "a": a.tolist() if len(a) <= 20 else rows[0],
        "b": b.tolist() if len(b) <= 20 else rows[1],
        "output": 0,
        "log_ratio": log_ratio,
        "python": "\n".join(code),
    }


def score_grid(candidates, levels):
    """All score vectors on {0, ..., levels} and all pairs at most 1 apart in every coordinate: sensitivity 1."""
    scores = np.array(list(itertools.product(range(levels + 1), repeat=candidates)), dtype=float)
    apart = np.abs(scores[:, None, :] - scores[None, :, :]).max(axis=2)
    return scores, np.argwhere(np.triu(apart <= 1, k=1))


def rare_candidate(candidates):
    """The worst neighbours: one score rises by Dq = 1, all others fall by 1."""
    return np.array([[0.0] + [1.0] * (candidates - 1), [1.0] + [0.0] * (candidates - 1)])


# Accuracy -------------------------------------------------------------------------------------------------


def _failure(scores, excess, sensitivity, epsilon):
    """P(the selected score is more than `excess` below the best), exactly."""
    scores = np.asarray(scores, dtype=float)
    logs = exponential_law(scores, sensitivity=sensitivity, privacy=PureDP(epsilon)).log_probabilities()
    return float(np.exp(logs[scores < scores.max() - excess]).sum())


def _worst_failure(candidates, excess, sensitivity, epsilon):
    """The supremum of that over all scores: all others at the threshold, in the limit from below."""
    scores = np.full(candidates, -excess)
    scores[0] = 0.0
    logs = exponential_law(scores, sensitivity=sensitivity, privacy=PureDP(epsilon)).log_probabilities()
    return float(np.exp(logs[1:]).sum())


def _searched_failure(candidates, excess, sensitivity, epsilon):
    """The largest failure over random scores: ties, levels just beyond the threshold, far ones."""
    rng = np.random.default_rng(candidates)
    k = min(candidates, 30)
    found = 0.0
    for _ in range(40):
        levels = rng.choice([0.0, 0.5, 1.0, 1.0 + 1e-9, 1.01, 2.0, 10.0], size=k, p=[0.1] * 3 + [0.4] + [0.1] * 3)
        found = max(found, _failure(-excess * levels, excess, sensitivity, epsilon))
    return found, _worst_failure(k, excess, sensitivity, epsilon)


def _largest_share(power, top):
    """An enclosure of the supremum of failure / y over every K >= 1 and y in (0, top).

    The worst failure is (K - 1) x / ((K - 1) x + 1) at x = (y / K)^power. Branch and bound in k = 1 / K in
    [0, 1]: limits included.
    """

    def value(k, y):
        rare = (1 - k) * (k * y) ** (power - 1)
        return rare / (1 + y * rare)

    def upper(k, y):
        most = exact(1 - k[0]) * (exact(k[1]) * exact(y[1])) ** (power - 1)
        least = exact(1 - k[1]) * (exact(k[0]) * exact(y[0])) ** (power - 1)
        return most / (1 + exact(y[0]) * least)

    return supremum(upper, at(value), {"k": (0.0, 1.0), "y": (0.0, top)}, gap=0.01)


def _accuracy(setting, excess, sensitivity, epsilon, candidates, allowed, top):
    """Decide P(failure) <= allowed here, and for every K and every allowed < top.

    The latter if exp(-epsilon excess / (2 Dq)) is a whole power of allowed / K.
    """
    exactly = _worst_failure(candidates, excess, sensitivity, epsilon)
    if exactly > allowed * (1 + 1e-9):
        code = [
            "import numpy as np",
            "from mechanisms.exponential import law",
            "from mechanisms.privacy import PureDP",
            f"scores = np.array([0.0] + [{-excess * (1 + 1e-12)!r}] * {candidates - 1})  # all others just too low",
            f"chosen = law(scores, sensitivity={sensitivity!r}, privacy=PureDP({epsilon!r})).log_probabilities()",
            f"assert np.exp(chosen[1:]).sum() > {allowed!r}",
        ]
        witness = {"setting": setting, "claimed": allowed, "found": exactly, "python": "\n".join(code)}
        return refuted("enumeration", witness)
    searched, limit = _searched_failure(candidates, excess, sensitivity, epsilon)
    if searched > limit * (1 + 1e-9):
        return inconclusive("FAILED", "a random score vector fails more often than the two-level one")
    power = epsilon * excess / (2 * sensitivity) / log(candidates / allowed)
    ratio = exactly / allowed
    if abs(power - round(power)) > 1e-9 or round(power) < 1:
        return holds("enumeration", "settings", tightness=(ratio, ratio))
    share = _largest_share(round(power), top)
    if share.bound > 1:
        return inconclusive("BUDGET", f"failure / allowed is at most {share.bound}")
    sizes = [2, 5, 10, 100, 10**3, 10**4, 10**5, 10**6]
    unit = 2 * sensitivity / epsilon * power
    per_size = [_worst_failure(k, unit * log(k / allowed), sensitivity, epsilon) for k in sizes]
    return holds(
        "certificate",
        "everywhere",
        tightness=(share.reached, share.bound),
        note=f"failure / allowed is at most {share.bound:.3f} for all |C| and beta at once",
        series={"candidates": sizes, "bound": [allowed] * len(sizes), "exact": per_size},
    )


def _never_exceeded(*, candidates, epsilon, m, beta):
    """Why the printed excess says nothing, or None: an empirical risk is at most 1."""
    alpha = pure_learner.printed_excess(candidates=candidates, epsilon=epsilon, m=m, beta=beta)
    return f"alpha = {alpha:.3g} is at least 1, the largest excess risk" if alpha >= 1 else None


def _first_m(**others):
    """The smallest m at which the printed excess is below 1; it decreases in m."""
    return next(m for m in itertools.count(1) if not _never_exceeded(m=m, **others))
