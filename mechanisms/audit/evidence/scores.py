"""Scores that are cheap to learn, by which a search ranks its pairs and runs its tests.

Each is learnt as an attacker's is: from past releases and the truth, +1 or -1, a score that is high where the first
dataset is likelier. Most mechanisms add independent noise to every number that they release; the likelihood ratio is
then a sum over the columns, and for Laplace noise each term of it is bounded, which no linear score is.
"""

from collections.abc import Callable

import numpy as np

from lemmata.mechanisms.audit.evidence.attackers import BITS, Features, by_covariance, by_label, by_names
from lemmata.mechanisms.audit.evidence.outcomes import Outcomes, quantiles

BINS, PRIOR = 16, 2.0  # of a column, between quantiles of both sides; releases that each bin holds before any came
FLAT = 1e-9  # of the spread: no law is narrower


def by_means(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """A linear score of the values and their sizes: difference of means over variance, column by column."""
    features = Features.of(data)
    centre, spread = features.centre, features.spread

    def seen(outcomes: Outcomes) -> np.ndarray:
        with np.errstate(all="ignore"):
            scaled = np.arcsinh(np.nan_to_num((outcomes.values - centre) / spread, nan=-99.0, posinf=1e9, neginf=-1e9))
        return np.hstack([scaled, np.abs(scaled)])

    X = seen(data)
    apart = X[truth > 0].mean(axis=0) - X[truth < 0].mean(axis=0)
    weights = apart / (X[truth > 0].var(axis=0) + X[truth < 0].var(axis=0) + 1e-9)
    return (lambda fresh: seen(fresh) @ weights) if weights.any() else None


def by_laplace(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """The log-likelihood ratio of Laplace laws per column: sum_j |y_j - m'_j| / b'_j - |y_j - m_j| / b_j.

    m are the medians of either side and b the mean deviations from them, plus log(b' / b) for their densities.
    """
    features = Features.of(data)

    def seen(outcomes: Outcomes) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.nan_to_num(
                (outcomes.values - features.centre) / features.spread, nan=0.0, posinf=1e9, neginf=-1e9
            )

    X, laws = np.clip(seen(data), -1e9, 1e9), []
    for side in (1, -1):
        middle = np.median(X[truth == side], axis=0)
        laws.append((middle, np.abs(X[truth == side] - middle).mean(axis=0) + FLAT))
    (near, narrow), (far, wide) = laws
    if np.array_equal(near, far) and np.array_equal(narrow, wide):
        return None

    def score(fresh: Outcomes) -> np.ndarray:
        X = seen(fresh)
        terms = np.abs(X - far) / wide - np.abs(X - near) / narrow + np.log(wide / narrow)
        return np.asarray(terms.sum(axis=1))

    return score


def by_bins(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """The log-ratio of the frequencies of bins between quantiles of both sides, summed over columns."""
    cuts = quantiles(data.values, np.linspace(0, 1, BINS + 1)[1:-1])
    cuts = np.where(np.insert(np.diff(cuts, axis=0) > 0, 0, True, axis=0), cuts, np.nan)  # of equal ones the first
    columns = np.arange(cuts.shape[1])

    def bins_of(values: np.ndarray) -> np.ndarray:
        """In which bin each number lies, NaN in the last, shape (d, n)."""
        bins = np.zeros(values.shape, dtype=int)
        for cut in cuts:  # none is at or above NaN
            bins += values >= cut
        bins[np.isnan(values)] = BINS
        return bins.T

    places = bins_of(data.values) + (BINS + 1) * columns[:, None]
    used = np.append(np.arange(BINS) <= (~np.isnan(cuts)).sum(axis=0)[:, None], columns[:, None] >= 0, axis=1)
    size = len(columns) * (BINS + 1)
    one, other = (
        np.bincount(places[:, truth == side].ravel(), minlength=size).reshape(used.shape) + PRIOR * used
        for side in (1, -1)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.log(one / one.sum(axis=1, keepdims=True)) - np.log(other / other.sum(axis=1, keepdims=True))
    table[~used] = 0.0
    return (lambda fresh: table[columns[:, None], bins_of(fresh.values)].sum(axis=0)) if table.any() else None


CHEAP: list[tuple[str, Callable]] = [
    ("how often each outcome occurred", by_label),
    ("means of the numbers released and of their sizes", by_means),
    ("Laplace laws of the numbers released", by_laplace),
    ("how often each number fell where", by_bins),
    ("variances and correlations of the release", by_covariance),
    ("names and texts in the release", by_names),
]


def cheap(bits: bool) -> list[tuple[str, Callable]]:
    """The scores of a search, with or without that of the bits of floats."""
    return [*CHEAP, BITS] if bits else CHEAP
