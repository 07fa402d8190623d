"""The game: a mechanism releases on one of two neighbouring datasets, an attacker guesses which or abstains.

The first releases train the attackers, and every later chunk is judged by rules learnt from the chunks before it, then
trains the next rules. How much a claim allows, and how guesses become evidence, is in `stakes`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from math import inf, log
from numbers import Integral
from typing import Any

import numpy as np

from lemmata.bounds.statement.verdicts import INCONCLUSIVE, REFUTED
from lemmata.mechanisms.audit.evidence.attackers import attackers
from lemmata.mechanisms.audit.evidence.divergence_bets import DivergenceBets
from lemmata.mechanisms.audit.evidence.outcomes import Outcomes, Reader, joined, part, rows
from lemmata.mechanisms.audit.evidence.rules import FEW, Rule, learnt, lesson
from lemmata.mechanisms.audit.evidence.stakes import (
    CUTS,
    PARAMETERS,
    STAKES,
    START,
    average,
    checked,
    grown,
    ladder,
    logsumexp,
    parameter,
    tables,
    tangents,
    with_parameter,
)
from lemmata.mechanisms.audit.play.audit_result import Audit
from lemmata.mechanisms.audit.play.findings import REPORT, event, limits, short, smallest_caught
from lemmata.mechanisms.audit.subjects.samplers import FIRST, Exhausted, Raised, Source, chunk
from lemmata.mechanisms.numerics.arithmetic import as_real, check_in_range, short_repr
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.numerics.threads import limit_to_one_thread
from lemmata.mechanisms.privacy import ZCDP, RenyiDP

LEAST = 128  # releases
NAMES = "sample_a", "sample_b"  # what the two are called in messages
MEMORY = 30_000  # releases that rules are learnt from
SPARE = 0.1  # of the capital is bet by everybody as at the start, the rest by what each has earned
RELEARN = 1.3, 2.0  # rules are learnt again when the past, few or many releases, has grown by this factor
DEAR, LEADING = 64, 3.0  # releases before a dear attacker learns; log growth at which it learns as often as others
SCANNED = 20  # claims that are asked about at once
PRUNED = 6.0  # an attacker whose log capital is this far behind the best is asked no more


class Game:
    """One audit under way.

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

    def draw(self, index: int, most: int) -> tuple[Outcomes, np.ndarray, bool]:
        """As many releases from either dataset, which each came from (+1 the first, -1 the second), may they be judged.

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
                raise ValueError(f"{both} raise at every release: {' or '.join(kinds)}")
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
        """Why nothing was audited, if nothing was: a side that only raises, or one and the same outcome throughout."""
        for source, raised, released in zip(self.sources, self.raised, self.released, strict=True):
            if raised and not released:
                return f"{source.name} raised at every release, first {raised!r}"
        if len(self.outcomes) == 1:
            return f"every release on either side was {short(next(iter(rows(self.past[-1][0].raw))))}"
        return ""

    def due(self) -> np.ndarray:
        """Which attackers learn anew: the past has grown enough since, memory lasts, and they are asked at all.

        Dear ones learn where the past has doubled; as often as others if they know most of what refutes the claim.
        """
        grow = np.where(self.learnt_at > FEW, RELEARN[1], RELEARN[0])
        known = self.standing().max(axis=(1, 2, 3))
        grow[self.dear & ~((known == known.max()) & (known > LEADING))] = RELEARN[1]
        least = np.where(self.dear, DEAR, 0)
        return (self.drawn >= np.maximum(grow * self.learnt_at, least)) & (self.learnt_at < MEMORY) & self.asked()

    def learn(self) -> None:
        """New rules from the past rounds, for whom they are due."""
        due = self.due()
        if not due.any():
            return
        self.learnt_at[due] = self.drawn
        data = joined([outcome for outcome, _ in self.past])
        truth = np.concatenate([t for _, t in self.past])
        order = generator(self.root, "audit", {}, "train", self.drawn).permutation(len(truth))
        taught = lesson(part(data, order), truth[order])
        for place in np.flatnonzero(due):
            self.rules[place] = learnt(self.named[place][1], taught, self.rungs)
            if self.bets:
                self.bets.learn(int(place), self.named[place][1], taught.data, taught.truth)

    def asked(self) -> np.ndarray:
        """Which attackers are still asked: not far behind the best, and if dear, while what they know can matter.

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
        """By what each attacker, tangent, side and stake would have grown in the past, in logarithms.

        That counts the releases by which its thresholds were chosen.
        """
        standing = grown(self.counts, self.table)
        for place, rule in enumerate(self.rules):
            standing[place] += -inf if rule is None or rule.silent else rule.growth
        return standing

    def earned(self) -> np.ndarray | None:
        """The log share that each attacker, tangent, side and stake bets; None if everybody is silent."""
        standing = self.standing() + START
        return None if standing.max() == -inf else standing - logsumexp(standing)

    def judge(self, fresh: Outcomes, truth: np.ndarray, allowed: bool) -> None:
        """Play one chunk with the rules of the past; where it is not `allowed`, everybody abstains."""
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
        values = values[values > reached]
        for some in np.split(values, range(SCANNED, len(values), SCANNED)):
            against = self.against(some)
            against[some <= claimed] = np.logaddexp(against[some <= claimed] - log(2), own)
            short = np.flatnonzero(against < -log(chance))
            reached = float(some[short[0] - 1 if len(short) else -1]) if not len(short) or short[0] else reached
            if len(short):
                break
        return reached

    def against(self, values: np.ndarray) -> np.ndarray:
        """The log of the evidence, from what everybody bets as at the start, against claims with these parameters."""
        points = [tangents(with_parameter(self.claim, value), self.records) for value in values.tolist()]
        if not self.bets:
            return average(self.counts, np.repeat(tables(points), CUTS, axis=1)[:, None])
        events = [average(self.counts, np.repeat(tables(some), CUTS, axis=0)) for some in points]
        bets = [self.bets.against(value / parameter(self.claim)[1]) for value in values.tolist()]
        return np.logaddexp(events, bets) - log(2)


@limit_to_one_thread()
def audit(
    sample_a: Any,
    sample_b: Any,
    claim: Any,
    *,
    root: int | None = None,
    budget: int = 100_000,
    level: float = 1e-10,
    features: Callable | None = None,
    records: int = 1,
    bits: bool = False,
    progress: Callable[[int, float], None] | None = None,
) -> Audit:
    """Attack a mechanism on two neighbouring datasets.

    Each side is a law, a callable `(rng, size)`, an `(estimator, X, y)`, an array of releases or a .npy file. A
    callable returns `size` independent releases, as an array or a sequence of anything: vectors, integers, strings,
    tuples, None, NaN, infinities; what it raises is an outcome too. `claim` is any guarantee, whatever its neighbours,
    a list of PureDP and ApproxDP that are all claimed (points of a curve), or a function delta(epsilon); against ZCDP
    and RenyiDP half of the capital bets on the divergences themselves (`divergence_bets`). The two datasets differ in
    `records` records. Without a `root` one is drawn, and shown. `budget` is the number of releases to draw at most.
    REFUTED is wrong with a chance of at most `level`. `features(releases)` -> (size, columns) adds an attacker of the
    user's own. Releases are rounded to 2^-20 of their spread, which judges the mechanism over the reals; `bits` keeps
    every bit of them. `progress(releases, log10_e)` is called after every chunk.

    Raises ValueError for a side or claim of another kind, a budget below 128, a level outside (0, 1), or a callable
    that does not return as many releases as it was asked for.
    """
    enough("budget", budget, LEAST)
    check_in_range("level", level, 0, 1)
    if not (isinstance(records, Integral) and records > 0):
        raise ValueError(f"records = {short_repr(records)} is not a whole number, 1 or more")
    if not (features is None or callable(features)):
        raise ValueError(f"features = {short_repr(features)} is no function of releases")
    start, root = time.process_time(), secrets.randbits(32) if root is None else root
    game = Game(
        sample_a,
        sample_b,
        claim,
        root=root,
        named=list(attackers(sample_a, sample_b, features)),
        bits=bits,
        records=records,
    )
    course = play(game, budget, level, progress)
    found = concluded(game, level, course, time.process_time() - start)
    if why := game.unaudited():
        return replace(found, verdict=INCONCLUSIVE, reason="NOT_AUDITED", event=why, lower=0.0, lower_at_level=0.0)
    return replace(found, reason="INTERRUPTED") if game.interrupted and found.verdict != REFUTED else found


def enough(name: str, value: Any, least: int, why: str = "") -> None:
    """Raise ValueError unless the value is a number, finite and not below the least."""
    if not least <= as_real(name, value) < inf:
        raise ValueError(f"{name} = {short_repr(value)} is outside [{least}, inf){why}")


def play(
    game: Game, budget: int, level: float, progress: Callable[[int, float], None] | None = None
) -> tuple[tuple[int, float], ...]:
    """Chunk after chunk until the claim is refuted at `level` or the releases are used up; the course of the audit.

    A game may be played on later, with a larger budget. An interrupt ends it with what was found.
    """
    game.budget, game.level = budget, level
    course: list[tuple[int, float]] = []
    try:
        while game.drawn < budget - 1:
            size = chunk(game.drawn, level) if game.rounds else FIRST
            fresh, truth, allowed = game.draw(game.rounds, min(size, budget - game.drawn))
            game.rounds += 1
            if game.rounds > 1:
                game.judge(fresh, truth, allowed)
                course.append((game.drawn, game.log_e() / log(10)))
                if progress:
                    progress(*course[-1])
                if game.log_e() >= -log(level):
                    break
            if game.drawn <= 2 * MEMORY:
                game.past.append((fresh, truth))
            game.learn()
    except Exhausted:
        pass
    except KeyboardInterrupt:
        game.interrupted = True
    return tuple(course)


def concluded(game: Game, level: float, course: tuple, seconds: float, chance: float = REPORT) -> Audit:
    """What the game has found; its lower limit fails with `chance` at most."""
    evidence = game.log_e()
    caught = None if evidence >= -log(level) else smallest_caught(game, level)
    lower, surely = limits(game, chance, level)
    if evidence >= -log(level):
        verdict, reason = REFUTED, ""
    elif caught and game.judged * game.table[..., 0].max() >= -log(level):
        verdict, reason = INCONCLUSIVE, "AUDIT_ONLY"
    else:  # told apart, but too few releases for any leak
        few = lower > 0 or game.judged * game.table[..., 0].max() < -log(level)
        verdict, reason = INCONCLUSIVE, "BUDGET" if few else "NO_POWER"
    return Audit(
        claim=game.claim,
        verdict=verdict,
        reason=reason,
        lower=lower,
        lower_at_level=surely,
        event=event(game),
        smallest_caught=caught,
        log10_e=evidence / log(10),
        trained=game.drawn - game.judged,
        judged=game.judged,
        seconds=seconds,
        course=course,
        root=game.root,
    )
