"""The game: a coin picks one of two neighbouring datasets, the mechanism releases, an attacker guesses or abstains.

A guarantee is a set of *tangents* (epsilon, delta): P(event) <= e^epsilon P'(event) + delta for every event. So a round
of the game has E X <= delta for X = 1 (right), -e^epsilon (wrong), 0 (no guess). An attacker who stakes a fraction of a
capital of 1 on X > delta multiplies it by 1 + stake (X - delta). If the claim is true, the chance that the capital ever
reaches 1/level is at most `level`, however the rule of a round was learnt from the rounds before. Pure and approximate
privacy have one tangent, mu-Gaussian privacy has a curve of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import exp, inf, log
from typing import Any

import numpy as np
from scipy.special import log_expit, logsumexp

from experiments.audits.attackers import attackers
from experiments.audits.outcomes import Outcomes, joined, outcomes, part, rows, spreads
from experiments.audits.samplers import Exhausted, as_sampler, sampled
from experiments.engine.streams import generator
from experiments.engine.verdict import INCONCLUSIVE, REFUTED
from mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_delta

STAKES = np.array([0.004, 0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.55, 0.7, 0.85, 0.97])  # of the largest possible
SLOPES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)  # of the tangents to a Gaussian curve, epsilon as multiples of mu
FIRST, GROWTH, LARGEST = 64, 1.3, 25_000  # releases of a chunk
MEMORY = 30_000  # releases that rules are learnt from
REPORT = 1e-3  # chance that the lower limit is above the truth
PRUNED = 6.0  # an attacker whose log capital is this far behind the best is asked no more


@dataclass(frozen=True)
class Audit:
    """What an attack found.

    verdict         REFUTED, or INCONCLUSIVE with a reason: AUDIT_ONLY (survived, and a leak `smallest_caught` times the
                    claim would have been caught), NO_POWER (no attacker told the datasets apart: nothing is known),
                    BUDGET (not even a mechanism without any noise could have been refuted by so few releases)
    lower           what epsilon or mu exceeds, but for a chance of 1e-3; `lower_at_level`: but for one of `level`
    event           the attacker that gained most, where it guessed, and how often it was right
    smallest_caught factor on epsilon or mu that would have been refuted with probability about 0.99; None if none
    trained, judged releases that only trained, and that were judged
    """

    claim: Any
    verdict: str
    reason: str
    lower: float
    lower_at_level: float
    event: str
    smallest_caught: float | None
    log10_e: float
    trained: int
    judged: int
    seconds: float = field(compare=False)

    def __str__(self) -> str:
        name = "mu" if isinstance(self.claim, GaussianDP) else "epsilon"
        saw = f"{name} > {self.lower:.3g} (99.9 %)" if self.lower else "no attacker told the datasets apart"
        told = f"{self.claim}: {self.verdict}" + (f" ({self.reason})" if self.reason else "")
        caught = f"; would have caught {name} × {self.smallest_caught:.3g}" if self.smallest_caught else ""
        return f"{told}; {saw}, by {self.event}; {self.judged} releases judged, {self.trained} for training{caught}"


# Guarantees as tangents -----------------------------------------------------------------------------------------------


def tangents(claim: Any, times: float = 1.0) -> list[tuple[float, float]]:
    """The (epsilon, delta) that `claim` implies, its parameter multiplied by `times`."""
    if isinstance(claim, GaussianDP):
        mu = claim.mu * times
        return [(s * mu, float(gaussian_delta(s * mu, mu))) for s in SLOPES]
    if isinstance(claim, PureDP | ApproxDP):
        return [(claim.epsilon * times, claim.delta)]
    if isinstance(claim, Sequence) and claim and all(isinstance(point, PureDP | ApproxDP) for point in claim):
        return [(point.epsilon * times, point.delta) for point in claim]
    raise ValueError(f"claim = {claim!r} is not PureDP, ApproxDP, GaussianDP or a list of points of a trade-off curve")


def gains(epsilon: float, delta: float) -> np.ndarray:
    """log(1 + stake (X - delta)) for a right guess, a wrong one and none: shape (stakes, 3)."""
    largest = exp(-epsilon) / (1 + delta * exp(-epsilon)) if epsilon < 700 else 0.0  # 1 / (e^epsilon + delta)
    stakes = STAKES[:, None] * largest
    wrong = np.log1p(-STAKES)[:, None]
    return np.hstack([np.log1p(stakes * (1 - delta)), wrong, np.log1p(-stakes * delta)])


def log_capital(counts: np.ndarray, points: Sequence[tuple[float, float]]) -> np.ndarray:
    """log capital of each process; counts (attackers, tangents, sides, 3) of right, wrong and no guesses."""
    tables = np.stack([gains(*point) for point in points])  # (tangents, stakes, 3)
    return logsumexp(np.einsum("atsc,tkc->atsk", counts, tables), axis=-1) - log(len(STAKES))


# Rules ----------------------------------------------------------------------------------------------------------------


def best_threshold(scores: np.ndarray, right: np.ndarray, table: np.ndarray) -> float:
    """The threshold above which guessing makes the capital grow fastest on past rounds; inf if none does."""
    values = np.unique(np.quantile(scores, np.linspace(0, 1, 200), method="lower"))
    order = np.argsort(scores)
    place = np.searchsorted(scores[order], values)  # guesses are the releases from here on
    above = np.append(np.cumsum(right[order][::-1])[::-1], 0)[place]
    below = len(scores) - place - above + 1  # one wrong guess more than seen: few guesses prove little
    counts = np.column_stack([above, below, place])
    growth = (counts @ table.T).max(axis=1)
    best = int(np.argmax(growth))
    return float(values[best]) if growth[best] > 0 else inf


@dataclass
class Rule:
    """A learnt score with two thresholds a tangent; guess the first dataset above, the second below."""

    score: Callable
    above: list[float]
    below: list[float]

    @property
    def silent(self) -> bool:
        return all(t == inf for t in [*self.above, *self.below])

    def guesses(self, scores: np.ndarray) -> np.ndarray:
        """+1, -1 or 0 for each tangent and release, shape (tangents, size)."""
        over = scores >= np.array(self.above)[:, None]
        under = -scores >= np.array(self.below)[:, None]
        return np.where(over, 1, 0) - np.where(under & ~over, 1, 0)


def learnt(learn: Callable, data: Outcomes, truth: np.ndarray, points: Sequence) -> Rule | None:
    """A rule whose score is learnt on every second past release and whose thresholds are chosen on the others."""
    fit, select = slice(0, None, 2), slice(1, None, 2)
    if len(set(truth[fit].tolist())) < 2:
        return None
    score = learn(part(data, fit), truth[fit])
    if score is None:
        return None
    scores = tidy(score(part(data, select)))
    tables = [gains(*point) for point in points]
    above = [best_threshold(scores, truth[select] > 0, table) for table in tables]
    below = [best_threshold(-scores, truth[select] < 0, table) for table in tables]
    return Rule(score, above, below)


def tidy(scores: np.ndarray) -> np.ndarray:
    """Scores without the last bits, so that ties stay ties, and without NaN."""
    return np.clip(np.round(np.nan_to_num(scores, nan=0.0, posinf=1e9, neginf=-1e9), 9), -1e9, 1e9)


# The audit ------------------------------------------------------------------------------------------------------------


class Game:
    """One audit under way."""

    def __init__(self, a: Any, b: Any, claim: Any, root: int, features: Callable | None, bits: bool) -> None:
        self.samplers = as_sampler("sample_a", a), as_sampler("sample_b", b)
        self.claim, self.root, self.bits = claim, root, bits
        self.points = tangents(claim)
        self.named = list(attackers(a, b, features))
        self.rules: list[Rule | None] = [None] * len(self.named)
        self.counts = np.zeros((len(self.named), len(self.points), 3, 3), dtype=int)
        self.spread: np.ndarray | None = None
        self.past: list[tuple[Outcomes, np.ndarray]] = []
        self.drawn = self.learnt_at = self.judged = 0

    def draw(self, index: int, size: int) -> tuple[Outcomes, np.ndarray]:
        """`size` rounds: the releases and which dataset each came from (+1 the first, -1 the second)."""
        rng = generator(self.root, "audit", {}, "main", index)
        ones = int(rng.binomial(size, 0.5))
        raw = [sampled(s, rng, n) for s, n in zip(self.samplers, (ones, size - ones), strict=True) if n]
        if self.spread is None and not self.bits:
            self.spread = spreads(joined([outcomes(r, None) for r in raw]).values)
        width = None if self.spread is None else len(self.spread)
        sides = [outcomes(r, self._spread_for(r, width)) for r in raw]
        self.drawn += size
        return joined(sides), np.repeat([1, -1], [ones, size - ones])

    def _spread_for(self, raw, width):
        return None if self.spread is None else np.resize(self.spread, outcomes(raw, None).values.shape[1])

    def learn(self) -> None:
        """New rules from the past rounds, once these have grown by half, while memory lasts."""
        if self.drawn < 1.5 * self.learnt_at or self.learnt_at >= MEMORY:
            return
        self.learnt_at = self.drawn
        data = joined([outcome for outcome, _ in self.past])
        truth = np.concatenate([t for _, t in self.past])
        order = generator(self.root, "audit", {}, "train", self.drawn).permutation(len(truth))
        data, truth = part(data, order), truth[order]
        capital = log_capital(self.counts, self.points).max(axis=(1, 2))
        for place, (_, learn) in enumerate(self.named):
            if self.judged < MEMORY / 4 or capital[place] > capital.max() - PRUNED:
                self.rules[place] = learnt(learn, data, truth, self.points)

    def judge(self, fresh: Outcomes, truth: np.ndarray) -> None:
        """Play one chunk with the rules of the past."""
        capital = log_capital(self.counts, self.points).max(axis=(1, 2))
        self.judged += len(truth)
        for place, rule in enumerate(self.rules):
            behind = self.judged > MEMORY / 4 and capital[place] < capital.max() - PRUNED
            if rule is None or rule.silent or behind:
                self.counts[place, :, :, 2] += len(truth)
                continue
            guesses = rule.guesses(tidy(rule.score(fresh)))
            for side, chosen in enumerate((guesses > 0, guesses < 0, guesses != 0)):
                right = (chosen & (guesses == truth)).sum(axis=1)
                made = chosen.sum(axis=1)
                self.counts[place, :, side] += np.column_stack([right, made - right, len(truth) - made])

    def log_e(self, points: Sequence[tuple[float, float]] | None = None) -> float:
        """The log of the average capital: the evidence against the claim, or against other tangents."""
        capital = log_capital(self.counts, points or self.points)
        return float(logsumexp(capital) - log(capital.size))

    def lower(self, chance: float) -> float:
        """The largest multiple of the claim that is refuted together with all smaller ones."""
        multiples = np.geomspace(1e-3, 30, 250)
        refuted = [self.log_e(tangents(self.claim, times)) >= -log(chance) for times in multiples]
        count = refuted.index(False) if False in refuted else len(refuted)
        return float(multiples[count - 1]) if count else 0.0


def audit(
    sample_a: Any,
    sample_b: Any,
    claim: Any,
    *,
    root: int,
    budget: int = 100_000,
    level: float = 1e-10,
    features: Callable | None = None,
    bits: bool = False,
) -> Audit:
    """Attack a mechanism on two neighbouring datasets.

    Each side is a law, a callable `(rng, size)`, an array of releases or a .npy file. A callable returns an array or a
    sequence of anything: vectors, integers, strings, tuples, None, NaN, infinities; what it raises is an outcome too.
    `claim` is PureDP, ApproxDP or GaussianDP, whatever its neighbours, or a list of PureDP and ApproxDP that are all
    claimed (points of a trade-off curve). `budget` is the number of releases to draw at most. REFUTED is wrong with a
    chance of at most `level`. `features(releases)` -> (size, columns) adds an attacker of the user's own. Releases are
    rounded to 2^-20 of their spread, which judges the mechanism over the reals; `bits` keeps every bit of them.

    Raises ValueError for a side or claim of another kind, a budget below 64 or a level outside (0, 1).
    """
    if not budget >= FIRST:
        raise ValueError(f"budget = {budget} is outside [{FIRST}, inf)")
    if not 0 < level < 1:
        raise ValueError(f"level = {level} is outside (0, 1)")
    start = time.process_time()
    game = Game(sample_a, sample_b, claim, root, features, bits)
    size, index = FIRST, 0
    while game.drawn < budget:
        try:
            fresh, truth = game.draw(index, min(size, budget - game.drawn))
        except Exhausted:
            break
        if index:
            game.judge(fresh, truth)
            if game.log_e() >= -log(level):
                break
        if game.drawn <= 2 * MEMORY:
            game.past.append((fresh, truth))
        game.learn()
        index, size = index + 1, min(LARGEST, int(size * GROWTH) if index else size)
    return concluded(game, level, budget, time.process_time() - start)


def concluded(game: Game, level: float, budget: int, seconds: float) -> Audit:
    """What the game has found."""
    evidence, lower = game.log_e(), game.lower(REPORT)
    parameter = getattr(game.claim, "mu", None) or getattr(game.claim, "epsilon", 1.0)
    caught = None if evidence >= -log(level) else smallest_caught(game, level)
    if evidence >= -log(level):
        verdict, reason = REFUTED, ""
    elif game.judged * gains(*game.points[0])[:, 0].max() < -log(level):
        verdict, reason = INCONCLUSIVE, "BUDGET"
    else:
        verdict, reason = INCONCLUSIVE, "AUDIT_ONLY" if caught else "NO_POWER"
    return Audit(
        claim=game.claim,
        verdict=verdict,
        reason=reason,
        lower=lower * parameter,
        lower_at_level=game.lower(level) * parameter,
        event=told(game),
        smallest_caught=caught,
        log10_e=evidence / log(10),
        trained=game.drawn - game.judged,
        judged=game.judged,
        seconds=seconds,
    )


def smallest_caught(game: Game, level: float) -> float | None:
    """The factor on every log-odds of the best guesses at which they would refute the claim, 99 times of 100.

    A mechanism whose noise is m times too small multiplies the log-odds of a guess by m. None where no attacker was
    right significantly more often than wrong: then no factor on nothing would be seen.
    """
    if game.lower(REPORT) == 0.0 or not game.judged:
        return None
    needed = -log(level) + log(game.counts[..., 0].size * len(STAKES))
    tables = [gains(*point) for point in game.points]
    smallest = inf
    for (_, tangent, _), counts in _each(game.counts):
        right, wrong, rest = counts
        if right <= wrong:
            continue
        odds = log((right + 0.5) / (wrong + 0.5)) * np.geomspace(0.05, 1e3, 400)
        hit = np.exp(log_expit(odds)) * (right + wrong) / game.judged
        shares = np.stack([hit, (right + wrong) / game.judged - hit, np.full_like(hit, rest / game.judged)], axis=1)
        mean = shares @ tables[tangent].T
        sd = np.sqrt(np.maximum(shares @ (tables[tangent] ** 2).T - mean**2, 0))
        enough = (game.judged * mean - 2.33 * np.sqrt(game.judged) * sd).max(axis=1) >= needed
        if enough.any():
            smallest = min(smallest, float(np.geomspace(0.05, 1e3, 400)[int(np.argmax(enough))]))
    return smallest if smallest < inf else None


def _each(counts: np.ndarray):
    for place in np.ndindex(counts.shape[:-1]):
        yield place, counts[place]


def told(game: Game) -> str:
    """The attacker that gained most, where it guesses, and a few of the releases it guesses on."""
    capital = log_capital(game.counts, [(0.0, 0.0)] * len(game.points))
    place, tangent, side = np.unravel_index(int(np.argmax(capital)), capital.shape)
    name, rule = game.named[place][0], game.rules[place]
    if rule is None or not capital.max() > 0:
        return "no event"
    which = ("the first dataset", "the second dataset", "either dataset")[side]
    outcome, _ = game.past[-1]
    guesses = rule.guesses(tidy(rule.score(outcome)))[tangent]
    chosen = np.flatnonzero(guesses == (1, -1, guesses)[side]) if side < 2 else np.flatnonzero(guesses)
    listed = list(rows(outcome.raw))
    examples = list(dict.fromkeys(_short(listed[i]) for i in chosen[:200]))[:3]
    right, wrong, rest = game.counts[place, tangent, side]
    return (
        f"{name}, guessing {which} on releases such as {', '.join(examples) or 'none of the last chunk'}: "
        f"{right} right, {wrong} wrong, {rest} abstained"
    )


def _short(release: object) -> str:
    if isinstance(release, np.ndarray | tuple | list) and np.size(release) > 4:
        return f"a vector of {np.size(release)}"
    if isinstance(release, np.ndarray):
        return "(" + ", ".join(f"{x:.4g}" for x in release.ravel().tolist()) + ")"
    release = release.item() if isinstance(release, np.generic) else release
    return f"{release:.4g}" if isinstance(release, float) else repr(release)[:40]
