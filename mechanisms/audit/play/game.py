"""The state of one audit: releases so far, what attackers have learnt from them, and what their guesses have earned.

The first releases train the attackers, and every later chunk is judged by rules learnt from the chunks before it, then
trains the next rules. How much a claim allows, and how guesses become evidence, is in `stakes`.
"""

from collections.abc import Callable
from math import inf, log
from time import perf_counter
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.evidence.divergence_bets import DivergenceBets
from lemmata.mechanisms.audit.evidence.outcomes import Outcomes, Reader, joined, part, rows
from lemmata.mechanisms.audit.evidence.rules import FEW, Rule, learnt, lesson
from lemmata.mechanisms.audit.evidence.stakes import (
    CUTS,
    PARAMETERS,
    STAKES,
    START,
    against,
    average,
    checked,
    grown,
    ladder,
    last_refuted,
    logsumexp,
    parameter,
)
from lemmata.mechanisms.audit.subjects.samplers import FIRST, Exhausted, Raised, Source
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.numerics.threads import limit_to_one_thread
from lemmata.mechanisms.privacy import ZCDP, RenyiDP

LEAST = 128  # releases
REPORT = 1e-3  # chance that the lower limit is above the truth
NAMES = "sample_a", "sample_b"  # what the two are called in messages
MEMORY = 30_000  # releases that rules are learnt from
SPARE = 0.1  # of the capital is bet by everybody as at the start, the rest by what each has earned
RELEARN = 1.3, 2.0  # rules are learnt again when the past, few or many releases, has grown by this factor
DEAR, LEADING = 64, 3.0  # releases before a dear attacker learns; log growth at which it learns as often as others
PRUNED = 6.0  # an attacker whose log capital is this far behind the best is asked no more


class Game:
    """One sequential test in progress.

    `named` are the attackers: what each goes by and how it learns a score from past releases (`attackers`).
    `counts` are the guesses of every attacker, shape (attackers, tangents, sides, 3), every tangent once for each pair
    of thresholds; `won` is the log capital of who divides it before each chunk as everybody has earned.
    """

    def __init__(
        self,
        a: Any,
        b: Any,
        claim: Any,
        *,
        root: int,
        named: list[tuple[str, Callable]],
        bits: bool = False,
        records: int = 1,
        names: tuple[str, str] = NAMES,
    ) -> None:
        self.sources = Source(names[0], a), Source(names[1], b)
        self.claim, self.root, self.bits, self.records = checked(claim), root, bits, records
        self.rungs = np.repeat(ladder(self.claim, records), CUTS, axis=0)
        self.table = self.rungs[:, :, 0]
        self.named = named
        self.dear = np.array([getattr(learn, "dear", False) for _, learn in named])
        self.rules: list[Rule | None] = [None] * len(self.named)
        self.counts = np.zeros((len(self.named), len(self.table), 3, 3), dtype=int)
        self.won = 0.0
        divergence = isinstance(self.claim, ZCDP | RenyiDP)
        self.bets = DivergenceBets(self.claim, len(named), records) if divergence else None
        self.reader: Reader | None = None
        self.past: list[tuple[Outcomes, np.ndarray]] = []
        self.rounds = self.drawn = self.judged = 0
        self.outcomes: set = set()  # labels of all releases, until there are two
        self.raised: list[Raised | None] = [None, None]  # what each side raised first
        self.released = [False, False]  # has a side ever released anything?
        self.interrupted = False
        self.learnt_at = np.zeros(len(named), dtype=int)  # releases of the past that each rule was learnt from
        self.budget, self.level = inf, 1e-10  # of whoever plays
        self.begun, self.until = 0.0, inf  # when it was first played, and when it ends, by the clock of `perf_counter`

    def draw(self, index: int, most: int) -> tuple[Outcomes, np.ndarray, bool]:
        """Equal numbers of releases from both datasets, their origin (+1 or -1), and whether they may be judged.

        Half and half is as good as a fair coin: a product of means is at most a power of their average.
        """
        half = int(min(most // 2, *(source.left for source in self.sources)))
        if not half:
            raise Exhausted
        rng = generator(self.root, "audit", {}, "main", index)
        (first, whole), (second, complete) = (source.draw(rng, half) for source in self.sources)
        if self.reader is None:
            if all(isinstance(release, Raised) for side in (first, second) for release in rows(side)):
                kinds = sorted({repr(release) for side in (first, second) for release in side})
                both = " and ".join(source.name for source in self.sources)
                raise ValueError(f"{both} raised at every release: {' or '.join(kinds)}")
            self.reader = Reader([first, second], self.bits)
        self.drawn += 2 * half
        outcomes = joined([self.reader(first), self.reader(second)])
        self._seen(first, second, outcomes)
        return outcomes, np.repeat([1, -1], half), whole and complete

    def _seen(self, first: Any, second: Any, outcomes: Outcomes) -> None:
        """Remember whether there was more than one outcome, and whether a side did anything but raise."""
        if len(self.outcomes) < 2:
            self.outcomes |= set(outcomes.labels.tolist())
        for place, side in enumerate((first, second)):
            if not self.released[place]:
                raising = [release for release in rows(side) if isinstance(release, Raised)]
                self.raised[place] = self.raised[place] or (raising[0] if raising else None)
                self.released[place] = len(raising) < len(outcomes) // 2

    def unaudited(self) -> str:
        """The reason why nothing was audited: a side that only raises, or one constant outcome; "" otherwise."""
        for source, raised, released in zip(self.sources, self.raised, self.released, strict=True):
            if raised and not released:
                return f"{source.name} raised at every release, first {raised!r}"
        if len(self.outcomes) == 1:
            return f"every release on either side was {short_release(next(iter(rows(self.past[-1][0].raw))))}"
        return ""

    def due(self) -> np.ndarray:
        """The attackers that learn again: enough new releases, enough memory, and still in use.

        Dear ones learn where the past has doubled; as often as others if they know most of what refutes the claim.
        """
        grow = np.where(self.learnt_at > FEW, RELEARN[1], RELEARN[0])
        known = self.standing().max(axis=(1, 2, 3))
        grow[self.dear & ~((known == known.max()) & (known > LEADING))] = RELEARN[1]
        least = np.where(self.dear, DEAR, 0)
        return (self.drawn >= np.maximum(grow * self.learnt_at, least)) & (self.learnt_at < MEMORY) & self.asked()

    def affordable(self) -> float:
        """The number of releases that there is time for, at the pace so far."""
        now = perf_counter()
        self.begun = self.begun or now
        left = self.until - now
        return inf if left == inf else max(left, 0.0) * max(self.drawn, FIRST) / max(now - self.begun, 1e-3)

    def learn(self) -> None:
        """Learn new rules from past rounds, for the attackers that are due."""
        due = self.due()
        if not due.any():
            return
        self.learnt_at[due] = self.drawn
        data = joined([outcome for outcome, _ in self.past])
        truth = np.concatenate([t for _, t in self.past])
        order = generator(self.root, "audit", {}, "train", self.drawn).permutation(len(truth))
        taught = lesson(part(data, order), truth[order])
        for place in np.flatnonzero(due):
            if perf_counter() > self.until:  # no release comes that the rule could judge
                return
            self.rules[place] = learnt(self.named[place][1], taught, self.rungs)
            if self.bets:
                self.bets.learn(int(place), self.named[place][1], taught.data, taught.truth)

    def asked(self) -> np.ndarray:
        """The attackers still in use: not far behind the best and, if expensive, only while it can matter.

        Once all is learnt, a dear attacker can matter if, growing as before, it would by the end of the budget speak
        against the claim, or a smaller one, that no cheap attacker would by then have refuted.
        """
        if self.judged <= MEMORY / 4:
            return np.ones(len(self.named), dtype=bool)
        best = logsumexp(np.einsum("atsc,tsrkc->atsrk", self.counts, self.rungs), axis=-1).max(axis=(1, 2))
        asked = best[:, 0] >= best[:, 0].max() - PRUNED
        if self.judged > 2 * MEMORY and self.dear.any() and not self.dear.all():
            grown = (best - log(self.counts[..., 0].size * len(STAKES))) * self.budget / self.judged
            settled = grown[~self.dear].max(axis=0) >= -log(self.level)
            asked &= ~self.dear | ((grown >= -log(max(self.level, REPORT))) & ~settled).any(axis=1)
        return asked

    def standing(self) -> np.ndarray:
        """The log growth of each attacker, tangent, side and stake on past releases.

        That counts the releases by which its thresholds were chosen.
        """
        standing = grown(self.counts, self.table)
        for place, rule in enumerate(self.rules):
            standing[place] += -inf if rule is None or rule.silent else rule.growth
        return standing

    def earned(self) -> np.ndarray | None:
        """The log share that each attacker, tangent, side and stake bets; None if all abstain."""
        standing = self.standing() + START
        return None if standing.max() == -inf else standing - logsumexp(standing)

    def judge(self, fresh: Outcomes, truth: np.ndarray, allowed: bool) -> None:
        """Bet on one chunk with the rules learned before; if it is not `allowed`, all attackers abstain."""
        shares, asked = self.earned(), self.asked()
        self.judged += len(truth)
        played = np.zeros_like(self.counts)
        played[..., 2] = len(truth)
        for place, rule in enumerate(self.rules):
            if rule is not None and not rule.silent and asked[place] and allowed:
                played[place] = rule.counts(fresh, truth)
        fresh.known.clear()
        self.counts += played
        if shares is not None:
            self.won += float(logsumexp(shares + grown(played, self.table)))
        if self.bets and allowed:
            self.bets.judge(fresh, truth)

    def log_e(self) -> float:
        """The log of the evidence against the claim."""
        events = np.logaddexp(float(average(self.counts, self.table)) + log(SPARE), self.won + log(1 - SPARE))
        return float(np.logaddexp(events, self.bets.log_e()) - log(2) if self.bets else events)

    def lower(self, chance: float) -> float:
        """The largest parameter such that the claims with it and all smaller ones are refuted.

        It is above the truth with a chance of at most `chance`: some claim that is true, the first of those asked for
        that is not below the truth, would have to be refuted, and every claim is refuted by one e-process. Above the
        claim under audit that is what everybody bets as at the start. A smaller claim implies the one under audit, so
        up to it half is staked on what refutes that one and half on what everybody bets.
        """
        claimed, own = parameter(self.claim)[1], self.log_e() - log(2)
        reached = claimed if own >= -log(chance) else 0.0
        values = np.union1d(PARAMETERS, claimed)

        def evidence(some: np.ndarray) -> np.ndarray:
            found = self.against(some)
            found[some <= claimed] = np.logaddexp(found[some <= claimed] - log(2), own)
            return found

        return last_refuted(evidence, values[values > reached], -log(chance), reached)

    def against(self, values: np.ndarray) -> np.ndarray:
        """The log of the evidence, for equal initial shares, against claims with these parameters."""
        if not self.bets:
            return against(self.counts, self.claim, values, self.records)
        # One at a time: claims of zCDP and of Renyi DP imply different numbers of tangents.
        events = [against(self.counts, self.claim, [value], self.records)[0] for value in values.tolist()]
        bets = [self.bets.against(value / parameter(self.claim)[1]) for value in values.tolist()]
        return np.logaddexp(events, bets) - log(2)


@limit_to_one_thread()
def short_release(release: object) -> str:
    """A release in a few letters."""
    if isinstance(release, np.ndarray | tuple | list) and np.size(np.array(release, dtype=object)) > 4:
        return f"a vector of {len(release)}"
    if isinstance(release, np.ndarray):
        return "(" + ", ".join(f"{x:.4g}" for x in release.ravel().tolist()) + ")"
    release = release.item() if isinstance(release, np.generic) else release
    return f"{release:.4g}" if isinstance(release, float) else repr(release)[:40]
