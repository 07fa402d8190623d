"""The attack game: a coin picks one of two neighbouring datasets, the mechanism releases, an attacker guesses which.

Scores are exact log-likelihood ratios wherever the law knows its density, else a logistic regression trained on a
stream of its own: the rule of evaluation chunk k is trained on blocks 0..floor(log2(k + 1)) of stream `train`, so
order and resumption do not matter and evaluation releases never train. Releases are rounded first, to 2^-20 of their
spread in training, which is post-processing: this judges the theorem, not the low bits of a float64 sampler. NaN,
infinities, strings and values that come again and again are outcomes like any other.
"""

import functools
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lemmata.experiments.engine.claims.verdict import TANGENTS
from lemmata.mechanisms.numerics.streams import canonical_json, generator

Score = Callable[[Any], np.ndarray]  # of releases, shape (size,): high where the first dataset is likelier
Streams = Callable[[int], np.random.Generator]  # the generator of a training block

FINENESS = 2.0**-20  # of the spread
TRAIN_BLOCK = 1000  # releases of each dataset in one training block
ATOMS = 4  # values of one column, shared by a hundredth of the training releases, that get a column of their own


class Sampled(Protocol):
    """A mechanism on one dataset, as an attack sees it: a law, or a `Sampler`."""

    @property
    def sample(self) -> Callable[..., Any]: ...


@dataclass(frozen=True)
class Sampler:
    """Any mechanism on one dataset: `sample(rng, size)` -> (size, features)."""

    sample: Callable


def sampled(side: Any) -> Sampled:
    """One side of a pair: a law as it is, a function (rng, size) as one. Raises ValueError for anything else."""
    if hasattr(side, "sample"):
        return side
    if callable(side):
        return Sampler(side)
    raise ValueError(f"a side is a {type(side).__name__}, neither a law with `sample` nor a function (rng, size)")


def as_array(releases: Any) -> np.ndarray:
    """Releases as one float matrix, fields of a dict side by side in name order."""
    if isinstance(releases, dict):
        return np.column_stack([as_array(values) for _, values in sorted(releases.items())])
    flat = np.asarray(releases).reshape(len(releases), -1)
    return flat.astype(float) if flat.dtype.kind in "biuf" else np.vectorize(_as_number, otypes=[float])(flat)


def _as_number(value: Any) -> float:
    """A number for any output: itself, NaN for a missing one, a checksum for a word."""
    if value is None:
        return np.nan
    return float(value) if isinstance(value, int | float) else float(zlib.crc32(repr(value).encode()))


def spread(column: np.ndarray) -> float:
    """How far the middle nine tenths of the finite values reach; their size where they are one value."""
    finite = column[np.isfinite(column)]
    if not finite.size:
        return 1.0
    low, middle, high = np.quantile(finite, [0.05, 0.5, 0.95], method="nearest")
    return float(high / 2 - low / 2) * 2 or float(abs(middle)) or 1.0


def log_ratio(a: Any, b: Any) -> Score | None:
    """The exact score log p_a - log p_b, or None if one of the laws knows no density."""
    if hasattr(a, "log_density") and hasattr(b, "log_density"):
        return lambda releases: a.log_density(releases) - b.log_density(releases)
    return None


def _train(a: Sampled, b: Sampled, train: Streams, blocks: int, grids: Any) -> Score:
    """A logistic score fitted on `blocks` training blocks: positive means "it was a"."""
    from sklearn.linear_model import LogisticRegression  # a third of a second, which reading the ledger need not pay

    X = [
        as_array(rounded(law.sample(train(2 * i + j), TRAIN_BLOCK), grids))
        for i in range(blocks)
        for j, law in enumerate((a, b))
    ]
    y = np.tile(np.repeat([1, 0], TRAIN_BLOCK), blocks)
    seen = _features(np.concatenate(X))
    model = LogisticRegression(max_iter=200).fit(seen(np.concatenate(X)), y)
    return lambda releases: model.decision_function(seen(as_array(releases)))


def _features(X: np.ndarray) -> Score:
    """What the regression sees of releases, learned from the training ones: finite numbers, their atoms, the rest."""
    centre = [float(np.median(c[np.isfinite(c)])) if np.isfinite(c).any() else 0.0 for c in X.T]
    scale = [spread(c) / 3.3 for c in X.T]  # a standard deviation, where the law is normal
    atoms: list[tuple[int, float]] = []
    for j, column in enumerate(X.T):
        values, counts = np.unique(column[np.isfinite(column)], return_counts=True)
        common = np.argsort(-counts, kind="stable")[:ATOMS]
        atoms += [(j, values[i]) for i in common if len(X) / 100 <= counts[i] < len(X)]

    def seen(X: np.ndarray) -> np.ndarray:
        finite = np.clip((np.where(np.isfinite(X), X, centre) - centre) / scale, -30, 30)
        kinds = [np.isnan(X).any(1), np.isposinf(X).any(1), np.isneginf(X).any(1)]
        return np.column_stack([finite, *kinds, *(X[:, j] == value for j, value in atoms)])

    return seen


def guess(scores: np.ndarray, threshold: float) -> np.ndarray:
    """+1 (it was a), -1 (it was b) or 0 (abstain): guess where the log ratio is at least `threshold` in size."""
    scores = np.nan_to_num(scores, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return np.where(np.abs(scores) >= threshold, np.where(scores >= 0, 1, -1), 0)


def grid_of(releases: Any) -> Any:
    """The grid of releases, 2^-20 of the spread of each column; a power of two, so that rounding is exact."""
    if isinstance(releases, dict):
        return {name: grid_of(values) for name, values in releases.items()}
    releases = np.asarray(releases)
    if releases.dtype.kind != "f":
        return None
    columns = releases.reshape(len(releases), -1).T
    grids = [2.0 ** np.floor(np.log2(spread(column))) * FINENESS for column in columns]
    return np.reshape(grids, releases.shape[1:])


def rounded(releases: Any, grids: Any) -> Any:
    """Releases on their grid, which is post-processing and hides a sampler's low bits."""
    if isinstance(releases, dict):
        return {name: rounded(values, grids[name]) for name, values in releases.items()}
    return releases if grids is None else np.round(np.asarray(releases) / grids) * grids


@dataclass(frozen=True)
class Rule:
    """How the attacker guesses: the score of a rounded release, and from which sizes of it on."""

    score: Score
    grids: Any  # as the releases are: an array, a dict of them, None where nothing is rounded
    thresholds: tuple[float, ...]

    def counts(self, releases: Any, truth: int) -> np.ndarray:
        """(right, wrong, abstain) at each threshold, where `truth` is 1 or -1."""
        scores = np.asarray(self.score(rounded(releases, self.grids)), dtype=float)
        guesses = [guess(scores, threshold) for threshold in self.thresholds]
        return np.array([[(g == truth).sum(), (g == -truth).sum(), (g == 0).sum()] for g in guesses])


def play(a: Sampled, b: Sampled, rule: Rule, rng: np.random.Generator, size: int) -> np.ndarray:
    """One evaluation chunk: (right, wrong, abstain) over `size` rounds of the game, at each threshold."""
    ones = int(rng.binomial(size, 0.5))
    sides = [(law, truth, count) for law, truth, count in ((a, 1, ones), (b, -1, size - ones)) if count]
    none = np.zeros((len(rule.thresholds), 3), dtype=int)
    return sum((rule.counts(law.sample(rng, count), truth) for law, truth, count in sides), start=none)


def trained(a: Sampled, b: Sampled, attack: str, level: float, train: Streams, blocks: int) -> Rule:
    """The attacker's rule. Pure DP is attacked where the score saturates: at the claimed level, or at its own top."""
    first = [law.sample(train(10_000 + j), TRAIN_BLOCK) for j, law in enumerate((a, b))]
    grids = grid_of(joined(*first))
    score = log_ratio(a, b) or _train(a, b, train, blocks, grids)
    if attack == "gdp":
        return Rule(score, grids, TANGENTS)
    if attack == "pure":
        top = np.nan_to_num(np.abs(np.concatenate([score(rounded(x, grids)) for x in first])), nan=0.0, posinf=np.inf)
        level = min(level * (1 - 1e-6), float(np.quantile(top, 0.9, method="nearest")))
    return Rule(score, grids, (max(level, 1e-300),))  # a score of 0 says nothing: abstain


def joined(one: Any, other: Any) -> Any:
    """Releases of two laws one after the other."""
    if isinstance(one, dict):
        return {name: joined(one[name], other[name]) for name in one}
    return np.concatenate([one, other])


def attacker(pair: Callable, attack: str, bound: Callable) -> Callable:
    """The trial of an `impl` row: plays one chunk against `pair(**setting)`."""

    @functools.lru_cache(maxsize=8)
    def built(spelled: str, factor: float) -> tuple[Sampled, Sampled]:
        a, b = pair(factor=factor, **json.loads(spelled))
        return sampled(a), sampled(b)

    @functools.lru_cache(maxsize=32)
    def rule(spelled: str, factor: float, blocks: int, root: int, key: str, stream: str) -> Rule:
        a, b = built(spelled, factor)
        setting = json.loads(spelled)

        def train(block: int) -> np.random.Generator:
            return generator(root, key, setting, f"train:{stream}", block)

        return trained(a, b, attack, bound(**setting), train, blocks)

    @functools.wraps(pair)
    def trial(
        rng: np.random.Generator,
        size: int,
        *,
        root: int,
        key: str,
        stream: str,
        index: int,
        factor: float = 1,
        **setting: Any,
    ) -> np.ndarray:
        spelled, blocks = canonical_json(setting), 1 + int(np.log2(index + 1))
        a, b = built(spelled, factor)
        return play(a, b, rule(spelled, factor, blocks, root, key, stream), rng, size)

    return trial
