"""The attack game: a coin picks one of two neighbouring datasets, the mechanism releases, an attacker guesses which.

Scores are exact log-likelihood ratios wherever the law knows its density, else a logistic regression trained
on a stream of its own : the rule of evaluation chunk k is trained on blocks 0..floor(log2(k +
1)) of stream `train`, so order and resumption do not matter and evaluation releases never train. Releases are
rounded to a grid first, which is post-processing: this judges the theorem, not the low bits of a float64 sampler.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from experiments.engine.streams import canonical_json, generator

GRID = 2.0**-20
TRAIN_BLOCK = 1000  # releases of each dataset in one training block


@dataclass(frozen=True)
class Sampler:
    """Any mechanism on one dataset: `sample(rng, size)` -> (size, features)."""

    sample: Callable


def as_array(releases):
    """Releases as one float matrix, fields of a dict side by side in name order."""
    if isinstance(releases, dict):
        return np.column_stack([np.reshape(v, (len(v), -1)) for _, v in sorted(releases.items())]).astype(float)
    return np.reshape(releases, (len(releases), -1)).astype(float)


def log_ratio(a, b):
    """The exact score log p_a - log p_b, or None if one of the laws knows no density."""
    if hasattr(a, "log_density") and hasattr(b, "log_density"):
        return lambda releases: a.log_density(releases) - b.log_density(releases)
    return None


def _train(a, b, train, blocks):
    """A logistic score fitted on `blocks` training blocks: positive means "it was a"."""
    from sklearn.linear_model import LogisticRegression  # a third of a second, which reading the ledger need not pay

    X = [
        as_array(rounded(law.sample(train(2 * i + j), TRAIN_BLOCK)))
        for i in range(blocks)
        for j, law in enumerate((a, b))
    ]
    y = np.tile(np.repeat([1, 0], TRAIN_BLOCK), blocks)
    X = np.concatenate(X)
    centre, scale = np.median(X, axis=0), X.std(axis=0) + 1e-300
    model = LogisticRegression(max_iter=200).fit((X - centre) / scale, y)
    return lambda releases: model.decision_function((as_array(releases) - centre) / scale)


def guess(scores, attack, level):
    """+1 (it was a), -1 (it was b) or 0 (abstain). Pure and approximate DP are attacked where the score saturates."""
    if attack == "gdp":
        return np.where(scores >= 0, 1, -1)
    top = level * (1 - 1e-6) if attack == "pure" else level
    return np.sign(scores) * (np.abs(scores) >= top)


def rounded(releases):
    """Releases on the 2^-20 grid, which is post-processing and hides a sampler's low bits."""
    if isinstance(releases, dict):
        return {name: rounded(values) for name, values in releases.items()}
    releases = np.asarray(releases)
    return np.round(releases / GRID) * GRID if releases.dtype.kind == "f" else releases


def play(a, b, score, rng, size, attack, level):
    """One evaluation chunk: (right, wrong, abstain) over `size` rounds of the game."""
    ones = int(rng.binomial(size, 0.5))
    outcome = np.zeros(3, dtype=int)
    for law, truth, count in ((a, 1, ones), (b, -1, size - ones)):
        if not count:
            continue
        guesses = guess(np.asarray(score(rounded(law.sample(rng, count))), dtype=float), attack, level)
        outcome += [(guesses == truth).sum(), (guesses == -truth).sum(), (guesses == 0).sum()]
    return outcome


def saturation(a, b, score, attack, level, train):
    """Where a pure-DP attacker starts to guess: at the claimed level, or at the score's own top if that lies below."""
    if attack != "pure":
        return level
    seen = [np.abs(score(rounded(law.sample(train(10_000 + j), TRAIN_BLOCK)))) for j, law in enumerate((a, b))]
    return float(min(level, np.quantile(np.concatenate(seen), 0.9)))


def scored(a, b, attack, level, train, blocks):
    """The attacker's score and the level at which it guesses."""
    score = log_ratio(a, b) or _train(a, b, train, blocks)
    return score, saturation(a, b, score, attack, level, train)


def attacker(pair, attack, bound):
    """The trial of an `impl` row: plays one chunk against `pair(**setting)`."""

    @functools.lru_cache(maxsize=8)
    def built(spelled, factor):
        return pair(factor=factor, **json.loads(spelled))

    @functools.lru_cache(maxsize=32)
    def rule(spelled, factor, blocks, root, key, stream):
        a, b = built(spelled, factor)
        setting = json.loads(spelled)

        def train(block):
            return generator(root, key, setting, f"train:{stream}", block)

        return scored(a, b, attack, bound(**setting), train, blocks)

    @functools.wraps(pair)
    def trial(rng, size, *, root, key, stream, index, factor=1, **setting):
        spelled, blocks = canonical_json(setting), 1 + int(np.log2(index + 1))
        a, b = built(spelled, factor)
        score, level = rule(spelled, factor, blocks, root, key, stream)
        return play(a, b, score, rng, size, attack, level)

    return trial
