"""The attack game: releases from two neighbouring datasets, half and half, and attackers that guess which.

Attackers, thresholds and stakes are the auditor's (`mechanisms.audit.evidence`): the exact likelihood ratio where both
laws know their density, else every attacker that is cheap to learn. The auditor's own game learns from the releases
that it has judged. Here chunks may be played in any order, by many processes and days apart, so rules learn from a
stream of their own: those of evaluation chunk k from blocks 0..floor(log2(k + 1)) of stream `train`, and no release
that trains is ever judged.
"""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lemmata.mechanisms.audit.evidence.attackers import attackers
from lemmata.mechanisms.audit.evidence.outcomes import Outcomes, Reader, joined, part
from lemmata.mechanisms.audit.evidence.rules import Rule, learnt, lesson
from lemmata.mechanisms.audit.evidence.stakes import CUTS, ladder
from lemmata.mechanisms.numerics.streams import canonical_json, generator
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP

Streams = Callable[[int], np.random.Generator]  # the generator of a training block
Guarantee = PureDP | ApproxDP | GaussianDP

TRAIN_BLOCK = 1000  # releases of each dataset in one training block
READ, SHUFFLE = 10_000, 20_000  # the blocks from which a reader learns its grid, and the order of training releases


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
    raise ValueError(f"a side must be a law with `sample` or a function (rng, size), got {type(side).__name__}")


def guarantee(attack: str, level: float, delta: float = 0.0) -> Guarantee:
    """What an attack on "pure", "approx" or "gdp" tries to refute, as the auditor takes it."""
    if attack == "gdp":
        return GaussianDP(level)
    return ApproxDP(level, delta) if attack == "approx" else PureDP(level)


def name_attackers(a: Sampled, b: Sampled) -> list[tuple[str, Callable]]:
    """(name, learner) of those that play: the likelihood ratio alone where it is known, as no score is better."""
    cheap = [(name, learn) for name, learn in attackers(a, b, None) if not getattr(learn, "dear", False)]
    exact = [(name, learn) for name, learn in cheap if name == "the exact likelihood ratio"]
    return exact or cheap


@dataclass(frozen=True)
class Player:
    """The attackers after training: how a release is read, and a rule for each that found one."""

    reader: Reader
    rules: list[Rule | None]
    tangents: int  # pairs of thresholds of each rule

    def counts(self, outcomes: Outcomes, truth: np.ndarray) -> np.ndarray:
        """Right, wrong and missing guesses, shape (attackers, tangents, sides, 3)."""
        played = np.zeros((len(self.rules), self.tangents, 3, 3), dtype=int)
        played[..., 2] = len(truth)
        for place, rule in enumerate(self.rules):
            if rule is not None and not rule.silent:
                played[place] = rule.counts(outcomes, truth)
        return played


def trained(a: Sampled, b: Sampled, claim: Guarantee, train: Streams, blocks: int) -> Player:
    """The attackers' rules against `claim`, learnt from so many blocks of training releases."""
    reader = Reader([law.sample(train(READ + j), TRAIN_BLOCK) for j, law in enumerate((a, b))], bits=False)
    releases = [
        reader(law.sample(train(2 * i + j), TRAIN_BLOCK)) for i in range(blocks) for j, law in enumerate((a, b))
    ]
    truth = np.tile(np.repeat([1, -1], TRAIN_BLOCK), blocks)
    order = train(SHUFFLE).permutation(len(truth))
    taught, rungs = lesson(part(joined(releases), order), truth[order]), np.repeat(ladder(claim, 1), CUTS, axis=0)
    return Player(reader, [learnt(learn, taught, rungs) for _, learn in name_attackers(a, b)], len(rungs))


def play(a: Sampled, b: Sampled, player: Player, rng: np.random.Generator, size: int) -> np.ndarray:
    """One evaluation chunk: the counts of `Player` over `size` releases, half of them from each side."""
    half = size // 2
    outcomes = joined([player.reader(law.sample(rng, half)) for law in (a, b)])
    return player.counts(outcomes, np.repeat([1, -1], half))


def attacker(pair: Callable, attack: str, bound: Callable) -> Callable:
    """The trial of an `impl` row: plays one chunk against `pair(**setting)`."""

    @functools.lru_cache(maxsize=8)
    def built(spelled: str, factor: float) -> tuple[Sampled, Sampled]:
        a, b = pair(factor=factor, **json.loads(spelled))
        return sampled(a), sampled(b)

    @functools.lru_cache(maxsize=32)
    def player(spelled: str, factor: float, blocks: int, root: int, key: str, stream: str) -> Player:
        a, b = built(spelled, factor)
        setting = json.loads(spelled)

        def train(block: int) -> np.random.Generator:
            return generator(root, key, setting, f"train:{stream}", block)

        return trained(a, b, guarantee(attack, bound(**setting), setting.get("delta", 0.0)), train, blocks)

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
        return play(a, b, player(spelled, factor, blocks, root, key, stream), rng, size)

    return trial
