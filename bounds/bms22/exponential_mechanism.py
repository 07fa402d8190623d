"""The exponential mechanism: datasets to enumerate it on, and its extreme probabilities in closed form.

From finitely many candidates c with scores q(S, c), each of which moves by at most Dq between neighbouring datasets,
release c with probability proportional to exp(epsilon q(S, c) / (2 Dq)). The proofs use two facts of it without stating
them: it is epsilon-DP, and its score is within (2 Dq / epsilon) log(|C| / b) of the best with probability at least
1 - b (`pure_learner`: selection_epsilon, selection_excess).
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

Neighbours = tuple[list[tuple[int, ...]], list[tuple[int, int]]]


def replace_pairs(universe: Sequence, m: int) -> Neighbours:
    """All datasets of m records from a finite universe, and the pairs that differ in one record.

    `universe`: a list of records. Returns (datasets, pairs): a list of tuples of positions in `universe`, and positions
    of neighbours in that list, each unordered pair once.

    >>> [len(x) for x in replace_pairs("abc", 2)]
    [9, 18]
    """
    datasets = list(itertools.product(range(len(universe)), repeat=m))
    pairs = [
        (i, j)
        for (i, a), (j, b) in itertools.combinations(enumerate(datasets), 2)
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
    ]
    return datasets, pairs


def label_pairs(universe: Sequence, m: int) -> Neighbours:
    """As `replace_pairs`, for records (x, y): only the pairs whose one differing record keeps its x."""
    datasets, pairs = replace_pairs(universe, m)

    def same_features(pair: tuple[int, int]) -> bool:
        a, b = datasets[pair[0]], datasets[pair[1]]
        return all(universe[i][0] == universe[j][0] for i, j in zip(a, b, strict=True))

    return datasets, [pair for pair in pairs if same_features(pair)]


def worst_log_ratio(weight: Any, epsilon: float) -> Any:
    """The largest log-ratio at a candidate of probability `weight` whose score rises by Dq while all others fall.

    log p'(c) - log p(c) = epsilon / 2 - log(w e^{epsilon / 2} + (1 - w) e^{-epsilon / 2}), decreasing in w,
    from epsilon to 0.

    >>> round(float(worst_log_ratio(0.5, 1.0)), 6)
    0.379885
    """
    return epsilon / 2 - np.logaddexp(np.log(weight) + epsilon / 2, np.log1p(-weight) - epsilon / 2)


def two_level_failure(candidates: int, excess: Any, epsilon: float, sensitivity: float) -> Any:
    """P(more than `excess` below the best) if one candidate is best and all others lie just below the threshold.

    >>> round(float(two_level_failure(2, 0.0, 1.0, 1.0)), 6)
    0.5
    """
    x = (candidates - 1) * np.exp(-epsilon * np.asarray(excess) / (2 * sensitivity))
    return x / (1 + x)
