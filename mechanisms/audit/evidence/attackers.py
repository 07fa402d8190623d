"""Attackers: each learns, from past releases on two datasets, a score that is high where the first is likelier.

Past rounds of the game train the rule of the next ones, so no release is spent on training alone but the first few.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache, lru_cache
from io import StringIO
from math import fsum
from typing import Any, Protocol

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from lemmata.mechanisms.audit.evidence.outcomes import Outcomes, leaves, plain, quantiles, rows, spreads
from lemmata.mechanisms.numerics.threads import limit_to_one_thread

ATOMS = 16  # values of one column that are counted as atoms
PAIRED = 12  # columns up to which differences and products of pairs are features
MOST, TINY = 400, 1e-300  # columns that are fitted together; below every variance but 0
WIDE = 80  # columns up to which covariances are compared
DIGITS, ENOUGH = 8, 1000  # so many columns at most have their last digits read, once there are enough releases
RARE = 0.004  # a value repeated by a smaller share of the training releases is no atom
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'")
CHANCE = 1.5  # standard deviations of a difference of counts that chance explains: three to none is more
ZERO = 3000  # the place of the lowest set bit of 0, above that of any other float
WIDTH = 2**14  # between the lowest bits of neighbouring columns as keys: more than any two are apart
RIDGE, NARROW, STEPS = 1 / 0.3, 32, 30  # of logistic scores; so many columns are solved by so many Newton steps at most


class HasDensity(Protocol):
    """A law with the density of its releases."""

    def log_density(self, releases: Any) -> np.ndarray: ...


def dear(learn: Callable) -> Callable:
    """Mark an attacker whose learning and scoring dominate an audit: it is used less often, and only if it can pay."""
    learn.dear = True  # type: ignore[attr-defined]
    return learn


@contextmanager
def unconverged() -> Iterator[None]:
    """Suppress convergence warnings: an attacker that stops early only wins a little less."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def by_label(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """The log-ratio of the frequencies of each whole release on the two datasets: atoms, categories and ties."""
    names = data.labels.tolist()
    first = Counter(name for name, t in zip(names, truth, strict=True) if t > 0)
    second = Counter(name for name, t in zip(names, truth, strict=True) if t < 0)
    repeated = {name for name in {*first, *second} if first[name] + second[name] > 1}
    if not repeated:
        return None
    share = np.log((truth < 0).sum() + 1) - np.log((truth > 0).sum() + 1)
    score = {name: np.log(first[name] + 0.5) - np.log(second[name] + 0.5) + share for name in repeated}
    return lambda fresh: np.array([score.get(name, 0.0) for name in fresh.labels.tolist()])


class Features:
    """Features of releases for learning: scaled values, flags for non-numbers, atoms, squares and pairs."""

    @classmethod
    def of(cls, data: Outcomes) -> Features:
        """The features of the training releases, computed once for all attackers."""
        if cls not in data.known:
            data.known[cls] = cls(data)
        return data.known[cls]

    def __init__(self, data: Outcomes) -> None:
        values = data.values
        self.centre = np.nan_to_num(2 * quantiles(values / 2, (0.5,))[0])
        self.spread = spreads(values)
        with np.errstate(invalid="ignore"):
            tied = (np.diff(np.sort(values, axis=0), axis=0) == 0).any(axis=0)
        self.atoms = {place: found for place in np.flatnonzero(tied) if len(found := self._repeated(values[:, place]))}
        self.odd = np.flatnonzero(~np.isfinite(values).all(axis=0))
        self.digits = values.shape[1] <= DIGITS and len(values) > ENOUGH
        self.pairs = np.triu_indices(values.shape[1] if values.shape[1] <= PAIRED else 0, 1)

    @staticmethod
    def _repeated(column: np.ndarray) -> np.ndarray:
        values, counts = np.unique(column[np.isfinite(column)], return_counts=True)
        often = np.argsort(-counts)[:ATOMS]
        often = often[counts[often] > max(1, RARE * len(column))]
        return values[often] if len(often) < len(values) or len(values) <= ATOMS else values[:0]

    def __call__(self, data: Outcomes) -> np.ndarray:
        """The features of any releases, shape (size, features)."""
        if self not in data.known:
            data.known[self] = self._made(data.values)
        return data.known[self]

    def _made(self, values: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = np.arcsinh(np.nan_to_num((values - self.centre) / self.spread, nan=0.0, posinf=1e9, neginf=-1e9))
            plain = np.clip(np.nan_to_num((values - self.centre) / self.spread, nan=0.0), -30, 30)
        flags = [test(values[:, self.odd]) for test in (np.isnan, np.isposinf, np.isneginf)]
        atoms = [values[:, [place]] == found for place, found in self.atoms.items()]
        left, right = self.pairs
        pairs = [plain[:, left] - plain[:, right], plain[:, left] * plain[:, right]] if len(left) else []
        squares = [np.minimum(plain**2, 100)]
        with np.errstate(invalid="ignore"):  # what is even, odd, or between whole numbers
            last = [np.nan_to_num(np.mod(values, 2), nan=-1.0)] if self.digits else []
        return np.column_stack([scaled, plain, *squares, *pairs, *flags, *atoms, *last]).astype(float)


def logistic(X: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """argmin over (w, b) of sum_i log(1 + e^{-t_i (<w, x_i> + b)}) + |w|^2 RIDGE / 2, shape (columns + 1,).

    Newton's steps, halved until they descend, where there are few columns; else those of scikit-learn.
    """
    if X.shape[1] > NARROW:
        from sklearn.linear_model import LogisticRegression

        with unconverged():
            model = LogisticRegression(max_iter=100, C=1 / RIDGE).fit(X, truth)
        return np.append(model.coef_[0], model.intercept_)
    X = np.column_stack([X, np.ones(len(X))])
    ridge, w = np.append(np.full(X.shape[1] - 1, RIDGE), 0.0), np.zeros(X.shape[1])

    def loss(w: np.ndarray) -> float:
        return float(np.logaddexp(0, -truth * (X @ w)).sum() + ridge @ w**2 / 2)

    now = loss(w)
    for _ in range(STEPS):
        wrong = expit(-truth * (X @ w))
        slope = ridge * w - X.T @ (truth * wrong)
        step = np.linalg.solve((X * (wrong * (1 - wrong))[:, None]).T @ X + np.diag(ridge + 1e-9), slope)
        while (then := loss(w - step)) > now and np.abs(step).max() > 1e-9:
            step = step / 2
        if not then < now - 1e-9 * now:
            break
        w, now = w - step, then
    return w


def furthest(X: np.ndarray, truth: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Of these columns, in their order, the MOST whose means lie furthest apart between the sides, in deviations."""
    if len(places) <= MOST:
        return places
    one, other = (X[truth == side][:, places] for side in (1, -1))
    apart = np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.sqrt(one.var(axis=0) + other.var(axis=0) + TINY)
    return np.sort(places[np.argsort(-apart, kind="stable")[:MOST]])


def by_logistic(data: Outcomes, truth: np.ndarray, plain: bool = False) -> Callable | None:
    """A linear score of the features, or of the values alone, which needs fewer releases."""
    features = Features.of(data)
    X = features(data)[:, : 2 * data.values.shape[1] if plain else None]
    centre, scale = X.mean(axis=0), X.std(axis=0)
    kept = furthest(X, truth, np.flatnonzero(scale > 0))
    if not len(kept):
        return None
    centre, scale = centre[kept], scale[kept]
    w = logistic((X[:, kept] - centre) / scale, truth)
    return lambda fresh: ((features(fresh)[:, kept] - centre) / scale) @ w[:-1] + w[-1]


def by_values(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """A linear score of the values."""
    return by_logistic(data, truth, plain=True)


def by_covariance(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """The log-likelihood ratio of two normal laws of the values and their sizes, for noise shared between numbers."""
    width = data.values.shape[1]
    if not 1 < width <= WIDE or len(data) < 4 * width:
        return None
    features = Features.of(data)

    def seen(fresh: Outcomes) -> np.ndarray:
        plain = features(fresh)[:, width : 2 * width]
        return np.hstack([plain, np.abs(plain)])

    X = seen(data)
    laws = []
    for side in (1, -1):
        own = X[truth == side]
        spread = np.cov(own.T) + 1e-6 * np.diag(X.var(axis=0) + 1e-9)
        spread += len(X.T) / len(own) * 0.05 * np.diag(np.diag(spread))
        laws.append((own.mean(axis=0), np.linalg.inv(spread), np.linalg.slogdet(spread)[1]))

    def score(fresh: Outcomes) -> np.ndarray:
        X = seen(fresh)
        near, far = (np.einsum("ni,ij,nj->n", X - mean, inverse, X - mean) + size for mean, inverse, size in laws)
        return np.asarray(far - near) / 2

    return score


@cache
def count_cores_quietly() -> None:
    """Let scikit-learn count the processor's cores once, without its warning and traceback.

    Trees ask for the number of physical cores. Where it cannot be found, as on a minimal Debian without `lscpu`, the
    first question prints a warning and a traceback. The answer is kept, and an audit uses one thread anyway.
    """
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    with warnings.catch_warnings(), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")
        _openmp_effective_n_threads()


@dear
def by_boosting(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """Gradient-boosted trees on the features, without features that order the releases as another one does."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    features = Features.of(data)
    X = features(data)
    ranks = rankdata(X, "dense", axis=0).T
    first = {column.tobytes(): place for place, column in reversed([*enumerate(ranks)])}
    kept = np.array(sorted(first.values()), dtype=int)
    kept = furthest(X, truth, kept[np.ptp(X[:, kept], axis=0) > 0])
    if not len(kept):
        return None
    leaf, trees = int(np.clip(len(data) // 50, 5, 100)), int(np.clip(len(data) // 25, 12, 40))
    model = HistGradientBoostingClassifier(
        learning_rate=min(4 / trees, 0.3),
        max_iter=trees,
        max_leaf_nodes=8,
        min_samples_leaf=leaf,
        early_stopping=False,
        random_state=0,
    )
    count_cores_quietly()
    with limit_to_one_thread():  # of the library that was loaded just now, too
        model.fit(X[:, kept], truth)
    return lambda fresh: model.decision_function(features(fresh)[:, kept])


def by_density(a: HasDensity, b: HasDensity) -> Callable:
    """The exact log-likelihood ratio of two laws with known densities."""

    def learn(data: Outcomes, truth: np.ndarray) -> Callable:
        return lambda fresh: np.asarray(a.log_density(fresh.raw) - b.log_density(fresh.raw), dtype=float)

    return learn


def by_features(chosen: Callable) -> Callable:
    """Gradient-boosted trees on the user's own features of the raw releases."""

    @dear
    def learn(data: Outcomes, truth: np.ndarray) -> Callable | None:
        def own(outcomes: Outcomes) -> Outcomes:
            table = np.reshape(np.asarray(chosen(outcomes.raw), dtype=float), (len(outcomes), -1))
            return Outcomes(table, outcomes.labels, outcomes.raw)

        score = by_boosting(own(data), truth)
        return score and (lambda fresh: score(own(fresh)))

    return learn


def by_names(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """The log-ratios of the frequencies of names and texts in a release: keys, groups and shapes that appear.

    Only those count that occurred on one side alone, or more often there than chance explains.
    """
    if plain(data.raw) is not None:
        return None
    counts: Counter = Counter()
    for names, side in zip(map(_names_in, rows(data.raw)), truth.tolist(), strict=True):
        counts.update((name, side) for name in names)
    weights = {}
    for name in {name for name, _ in counts}:
        here, there = counts[name, 1], counts[name, -1]
        if not here * there or abs(here - there) > 2 * (here + there) ** 0.5:
            weights[name] = np.log(here + 0.5) - np.log(there + 0.5)
    if not weights:
        return None
    # exact sums: the order of a set of texts changes from process to process
    return lambda fresh: np.array([fsum(weights.get(name, 0.0) for name in _names_in(one)) for one in rows(fresh.raw)])


def _names_in(release: Any) -> frozenset[str]:
    return frozenset[str]().union(*(quoted(leaf) for leaf in leaves([release])[0] if isinstance(leaf, str)))


@lru_cache(maxsize=10_000)
def quoted(text: str) -> frozenset[str]:
    """A text and what stands in quotation marks in it, as the names of the parts of a release do.

    >>> sorted(quoted("(('a', ()), ('b', ()))"))
    ["'a'", "'b'", "(('a', ()), ('b', ()))"]
    """
    return frozenset([text, *QUOTED.findall(text)])


def by_bits(data: Outcomes, truth: np.ndarray) -> Callable | None:
    """The log-ratios of how often the lowest set bit of a number lies as low as this, or as high, summed over columns.

    A sum in float64 has no bit below the last place of its larger summand, so that noise on a 0 tells itself from noise
    on a 1 (Mironov 2012, Haney et al. 2022). A zero and a negative zero lie above all other numbers. As for names, only
    those places count that chance does not explain: columns without a leak would hide the one that leaks.
    """
    table = plain(data.raw)
    if table is None or not table.size:
        return None
    columns = np.arange(table.shape[1])

    def keys(table: np.ndarray) -> np.ndarray:
        """Whole numbers in the order of columns, and of places in a column, shape (d, n)."""
        return lowest_bits(table).T.astype(np.int64) + WIDTH * columns[:, None]

    places, which = np.unique(keys(table), return_inverse=True)
    which = which.reshape(len(columns), -1)
    ends = np.searchsorted(places, WIDTH * (columns + 0.5))  # of a column's places
    starts, own = np.append(0, ends[:-1]), np.repeat(columns, np.diff(ends, prepend=0))
    upto, above = [], []
    size: list[int] = []
    for side in (truth > 0, truth < 0):
        count = np.bincount(which[:, side].ravel(), minlength=len(places))
        sums, size = np.append(0, np.cumsum(count)), [*size, int(side.sum())]
        upto.append(sums[1:] - sums[starts][own])
        above.append(sums[ends][own] - sums[:-1])
    low, high = (
        np.where(
            np.abs(one - other) > CHANCE * (one + other) ** 0.5,
            np.log(one + 0.5) - np.log(other + 0.5) - np.log((size[0] + 1) / (size[1] + 1)),
            0.0,
        )
        for one, other in (upto, above)
    )
    law = np.where(np.abs(low) > np.abs(high), low, high)
    if not law.any():
        return None

    def score(fresh: Outcomes) -> np.ndarray:
        seen = plain(fresh.raw)
        if seen is None or seen.shape[1] != len(columns):
            return np.zeros(len(fresh))
        at = np.searchsorted(places, keys(seen)).clip(starts[:, None], ends[:, None] - 1)
        return np.asarray(law[at].sum(axis=0))

    return score


def lowest_bits(table: np.ndarray) -> np.ndarray:
    """The exponent of the lowest set bit of every float; of zero, of its negative, and of what is no number, others.

    >>> lowest_bits(np.array([1.0, 0.75, 6.0, 0.0])).tolist()
    [0, -2, 1, 3000]
    """
    with np.errstate(invalid="ignore"):
        mantissa, exponent = np.frexp(table)
        whole = np.where(np.isfinite(table), np.abs(mantissa) * 2.0**53, 0).astype(np.int64)
    trailing = np.frexp((whole & -whole).astype(float))[1] - 1
    found = exponent - 53 + trailing
    found = np.where(table == 0, np.where(np.signbit(table), ZERO + 1, ZERO), found)
    return np.where(np.isfinite(table), found, ZERO + 2)


BITS = "the lowest set bits of the numbers released", by_bits


def attackers(a: Any, b: Any, features: Callable | None, bits: bool = False) -> Iterator[tuple[str, Callable]]:
    """(name, learner) of every attacker for the pair."""
    yield "how often each outcome occurred", by_label
    yield "a linear score of the release", by_values
    yield "a logistic score of the release and its squares and products", by_logistic
    yield "boosted trees on the release", by_boosting
    yield "variances and correlations of the release", by_covariance
    yield "names and texts in the release", by_names
    if bits:
        yield BITS
    if hasattr(a, "log_density") and hasattr(b, "log_density"):
        yield "the exact likelihood ratio", by_density(a, b)
    if features is not None:
        yield "boosted trees on the features given", by_features(features)
