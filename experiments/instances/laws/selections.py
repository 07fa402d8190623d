"""The exponential mechanism decided exactly: every output, every neighbouring pair, the worst scores."""

import itertools
from math import log

import numpy as np

from lemmata.bounds.bms22 import pure_learner
from lemmata.bounds.bms22.exponential_mechanism import replace_pairs
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.certify import at, supremum
from lemmata.experiments.engine.claims.verdict import holds, inconclusive
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.selection import exponential

FLOAT_ERROR = 1e-12  # relative error allowed to floats where an identity is compared
UNIVERSE = [(x, y) for x in (0, 1) for y in (-1, 1)]  # records of the enumerated datasets
CLASSIFIERS = list(itertools.product((-1, 1), repeat=2))  # all sign functions of x in {0, 1}


def law(scores, sensitivity, epsilon):
    """The mechanism under test."""
    return exponential.law(scores, sensitivity=sensitivity, privacy=PureDP(epsilon))


def laws(rows, sensitivity, epsilon):
    """Its probabilities for every row of scores."""
    return np.exp([law(scores, sensitivity, epsilon).log_probabilities() for scores in rows])


# Neighbouring scores --------------------------------------------------------------------------------------------------


def empirical_risks(m):
    """The scores -R of all classifiers on all datasets of m records, and the neighbouring pairs: sensitivity 1/m."""
    datasets, pairs = replace_pairs(UNIVERSE, m)
    wrong = np.array([[h[x] != y for h in CLASSIFIERS] for x, y in UNIVERSE], dtype=float)
    return np.array([-wrong[list(data)].mean(axis=0) for data in datasets]), np.array(pairs)


def score_grid(candidates, levels):
    """All score vectors on {0, ..., levels} and all pairs at most 1 apart in every coordinate: sensitivity 1."""
    scores = np.array(list(itertools.product(range(levels + 1), repeat=candidates)), dtype=float)
    apart = np.abs(scores[:, None, :] - scores[None, :, :]).max(axis=2)
    return scores, np.argwhere(np.triu(apart <= 1, k=1))


def rare_candidate(candidates):
    """The worst neighbours: one score rises by Dq = 1, all others fall by 1."""
    return np.array([[0.0] + [1.0] * (candidates - 1), [1.0] + [0.0] * (candidates - 1)])


def rare_logs(sizes, epsilon):
    """(before, after): the log-probability of the rare candidate at each number of candidates."""
    laws_of = ((law(q, 1.0, epsilon) for q in rare_candidate(k)) for k in sizes)
    return np.array([[one.log_density([0])[0] for one in pair] for pair in laws_of]).T


# Accuracy -------------------------------------------------------------------------------------------------------------


def worst_failure(candidates, excess, sensitivity, epsilon):
    """The supremum over all scores of P(the selected one is more than `excess` below the best).

    All others are at the threshold, in the limit from below.
    """
    scores = np.array([0.0] + [-excess] * (candidates - 1))
    return float(np.exp(law(scores, sensitivity, epsilon).log_probabilities()[1:]).sum())


def random_failures(candidates, excess, sensitivity, epsilon):
    """The same probability at random scores: ties, levels just beyond the threshold, far ones."""
    rng = np.random.default_rng(candidates)
    for _ in range(40):
        size, p = min(candidates, 30), [0.1] * 3 + [0.4] + [0.1] * 3
        levels = rng.choice([0.0, 0.5, 1.0, 1.0 + 1e-9, 1.01, 2.0, 10.0], size=size, p=p)
        scores = -excess * levels
        logs = law(scores, sensitivity, epsilon).log_probabilities()
        yield float(np.exp(logs[scores < scores.max() - excess]).sum())


def largest_share(power, top):
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


def failures(setting, excess, sensitivity, allowed, top):
    """Cases of "P(failure) <= allowed": the worst scores of the setting, and random scores against the worst of theirs.

    Returns the verdict: for every K and every allowed < top if exp(-epsilon excess / (2 Dq)) is a whole power of
    allowed / K, else for the setting.
    """
    candidates, epsilon = setting["candidates"], setting["epsilon"]
    failure = worst_failure(candidates, excess, sensitivity, epsilon)
    yield setting, failure, allowed
    limit = worst_failure(min(candidates, 30), excess, sensitivity, epsilon)
    for chance in random_failures(candidates, excess, sensitivity, epsilon):
        yield setting | {"scores": "random"}, chance, limit
    power = epsilon * excess / (2 * sensitivity) / log(candidates / allowed)
    if abs(power - round(power)) > 1e-9 or round(power) < 1:
        return holds("enumeration", "settings", tightness=(failure / allowed,) * 2)
    share = largest_share(round(power), top)
    if share.bound > 1:
        return inconclusive("BUDGET", f"failure / allowed is at most {share.bound}")
    sizes = [2, 5, 10, 100, 10**3, 10**4, 10**5, 10**6]
    unit = 2 * sensitivity / epsilon * power
    per_size = [worst_failure(k, unit * log(k / allowed), sensitivity, epsilon) for k in sizes]
    return holds(
        "certificate",
        "everywhere",
        tightness=(share.reached, share.bound),
        note=f"failure / allowed is at most {share.bound:.3f} for all |C| and β at once",
        series={"candidates": sizes, "bound": [allowed] * len(sizes), "exact": per_size},
    )


def never_exceeded(**setting):
    """Why the printed excess says nothing, or None: an empirical risk is at most 1."""
    alpha = pure_learner.printed_excess(**setting)
    return f"alpha = {alpha:.3g} is at least 1, the largest excess risk" if alpha >= 1 else None
