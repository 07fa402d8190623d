"""A search for neighbouring datasets on which a mechanism violates its claim.

*Screening.* Every pair that `neighbours` offers is released a few times on either side with the same seeds. A mechanism
that adds noise to a number then shows the move of that number, noise taken away; pairs are ranked by that move over the
spread of the releases, those that end in another kind of outcome first. At places other than the last one release is
enough to see a move that was seen before, and such a pair is left. A pair that runs through lines of the program for
the first time is changed further.

*Wider noise.* A noise whose scale depends on a record shows by three releases with equal seeds, which lie on a line.
The pair on which it is widest plays a short game first.

*Halving.* The best are released more often, and ranked by what the game's cheapest attackers would have gained on
releases that they did not learn from; a third of the pairs goes on, with three times as many releases, so that a round
costs as much as the last one. Whoever leads by more than luck plays a short game at once, which may be all that is
needed. Under a claim with a delta a pair on which a value appears, as a new key does, always goes on: what it shows is
as seldom as delta.

*Evidence.* What is left is played (`games`), on releases that no choice was made by.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from math import inf
from operator import attrgetter
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.neighbours.changes import Neighbours, again
from lemmata.mechanisms.audit.neighbours.kinds import appears, has_zeros, is_same, kinds
from lemmata.mechanisms.audit.neighbours.record_parts import ordinary
from lemmata.mechanisms.audit.neighbours.record_tables import dataset_key
from lemmata.mechanisms.audit.play.pair_ranking import ENOUGH, gained, move, told_apart, wider, written_out
from lemmata.mechanisms.audit.subjects.adapters import Mechanism, kept, quiet, sharing
from lemmata.mechanisms.audit.subjects.coverage import Coverage
from lemmata.mechanisms.audit.subjects.samplers import Raised
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.privacy import ApproxDP

SEARCHED = 0.4  # of the budget may be spent before the first release that is judged
COUPLED, BASE = 3, 12  # releases of a pair's second side, and of its first, in the screening
BEST, FIRST, LATER = 24, 24, 3  # pairs that are halved, releases a side of each, and how many times as many each time
LEFT = 3  # pairs of which more are drawn at least, however many rounds there were
FINALISTS = 6  # games
ALIKE, SHARED = 6, 2  # pairs of one kind of symptom, and of one dataset, among the best while there are others
APPEARING = 1  # pairs on which a value appears that go on from every round
RESERVED = 4  # of the best: pairs on which a value appears, and those that reached new lines
BITWISE = 768  # releases of a first game on a pair whose bits are read: a rule of half as many is often wrong
FURTHER = 8  # places of a pair that reached new lines where its change is made again
WIDE = 0.1  # the logarithm of a ratio of scales from which a noise counts as wider
DECIDED, MOST = 60.0, 1_000  # the rank of a pair, or releases a side, after which halving ends
TIMED = 8  # pairs after which an estimate of time is told: releases may take a tenth of a second each
ATTACK = 1e-3  # seconds a release that attackers take, roughly


@dataclass(eq=False)
class Candidate:
    """A pair, the releases by which it was chosen, and its rank."""

    pair: Neighbours
    one: list
    other: list
    rank: float = 0.0
    symptom: str = ""
    move: str = ""  # by which the releases with equal seeds lie apart
    wider: float = 0.0  # how much wider a noise is on one side, as a logarithm
    reached: bool = False  # did it run through new lines?
    appears: bool = False  # does a value appear, and may that be seen as seldom as a delta allows?

    @property
    def released(self) -> tuple[bytes | str, ...]:
        """Its releases to seven digits, to recognise pairs without a visible difference."""
        with quiet():  # a number may be too large for so short a type
            return tuple(
                x.astype(np.float32).tobytes() if isinstance(x, np.ndarray) else repr(x)
                for x in (*self.one, *self.other)
            )


@dataclass
class Search:
    """A search in progress: its budget, its cost so far, and the datasets that the mechanism rejected."""

    mechanism: Mechanism
    claim: Any
    root: int
    budget: int
    level: float = 1e-10
    say: Callable[[str], None] = lambda line: None
    longest: int = 0  # releases while evidence speaks against the claim; none beyond the budget by default
    onward: bool = True  # may a record change after another one? Not where all those of a user change together
    given: tuple = ()  # the dataset that the search begins with
    bits: bool | None = None  # are the bits of floats evidence? None: on the dataset given
    until: float = inf  # when it ends, by the clock of `time.perf_counter`, after a first pair at least
    spent: int = 0
    tried: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    refused: dict[str, str] = field(default_factory=dict)
    raised: set[str] = field(default_factory=set)  # on all of a dataset's releases, alike
    shapes: dict[bytes, Mechanism] = field(default_factory=dict)
    released: dict[tuple, list] = field(default_factory=dict)
    moves: set[str] = field(default_factory=set)  # between releases with equal seeds
    kinds: set[str] = field(default_factory=set)  # of change that were tried
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() > self.until

    def reads_bits(self, pair: Neighbours) -> bool:
        """Whether attackers see the bits of floats released on this pair.

        Every float noise tells a zero, to which it is added with all its bits, and often a sum near zero. By default
        that is evidence only where the user gives zeros, or a dataset that has zeros as a neighbour.
        """
        if self.bits is None:
            return is_same(pair.data, self.given) and (has_zeros(pair.data) or has_zeros(pair.neighbour))
        return self.bits

    def like(self, data: tuple) -> Mechanism:
        """The mechanism with releases as vectors if they have the shape of the first release on this dataset."""
        key = dataset_key(data)
        if key not in self.shapes:
            self.shapes[key] = replace(self.mechanism, known=[], shared={})
        return self.shapes[key]

    def releases(self, data: tuple, stream: str, start: int, size: int, like: tuple | None = None) -> list:
        """That many releases with seeds shared by all datasets, from the `start`-th seed on.

        Vectors are those of the shape that comes on the dataset `like`, which is the first one of a pair. Pairs share
        datasets, and what was released with the same seeds is not paid for again.
        """
        base = data if like is None else like
        which, mechanism = (stream, start, dataset_key(data), dataset_key(base)), self.like(base)
        known = self.released.setdefault((*which, bool(mechanism.shared)), [])
        if len(known) < size:
            shared = bool(mechanism.shared)
            more = self.fresh(data, stream, start + len(known), size - len(known), like)
            if shared != bool(mechanism.shared):  # found just now
                known = self.released[*which, True] = [mechanism.parted(one) for one in known]
            known += more
        return known if len(known) == size else known[:size]

    def fresh(self, data: tuple, stream: str, start: int, size: int, like: tuple | None) -> list:
        """The same, charged to the budget."""
        mechanism = self.like(data if like is None else like)
        seeds = generator(self.root, "audit.hunt", {}, stream, 0).integers(2**31, size=start + size)[start:]
        begun = time.perf_counter()
        with quiet(), kept():
            first = self.coverage.following() if stream == "screen" and not start else nullcontext()
            with first:
                found = [mechanism.release(data, int(seed)) for seed in seeds[:1]]
            found += [mechanism.release(data, int(seed)) for seed in seeds[1:]]
        self.spent += size
        self.seconds += time.perf_counter() - begun
        if stream == "screen" and like is None and not mechanism.shared:
            mechanism.shared.update(sharing(found))
            found = [mechanism.parted(one) for one in found]
        return found

    def estimate(self) -> str:
        """The estimated remaining time, from the time of past releases."""
        each, left = self.seconds / max(self.spent, 1) + ATTACK, self.budget - self.spent
        return f"{self.mechanism.name}: {self.tried} pairs tried; {left:,} releases at most, about {left * each:.0f} s"

    # Screening --------------------------------------------------------------------------------------------------------

    def screened(self, pairs: Iterator[Neighbours], settled: Callable[[Candidate, int], bool]) -> list[Candidate]:
        """All pairs within a share of the budget, ranked, the most informative first.

        The first pair whose bits are read plays at once: they tell more than any other pair may.
        """
        ranked: list[Candidate] = []
        read = False
        waiting = deque([pairs])
        try:
            while waiting and self.spent <= SEARCHED / 2 * self.budget and not (ranked and self.late):
                if (pair := next(waiting[0], None)) is None:
                    waiting.popleft()
                    continue
                if pair.inner is not None:
                    waiting.extendleft([pair.inner()] * self.moves_anew(pair))
                    continue
                ranked += (found := self.looked_at(pair))
                if found and found[0].rank and not read and self.reads_bits(pair):
                    read = True
                    if settled(found[0], BITWISE):
                        break
                if found and found[0].reached and self.onward:
                    waiting.appendleft(
                        again(pair, FURTHER, generator(self.root, "audit.hunt", {}, "again", self.tried))
                    )
        except KeyboardInterrupt:
            if not ranked:
                raise
            self.interrupted = True
        ranked.sort(key=lambda c: -c.rank)
        return ranked

    def looked_at(self, pair: Neighbours) -> list[Candidate]:
        """The pair with its rank; nothing if the mechanism rejects it, or if it moves as another one did."""
        if not (self.mechanism.member(pair.data) and self.mechanism.member(pair.neighbour)):
            return []
        self.tried += 1
        self.kinds.update(kinds(pair, self.given))
        if self.tried == TIMED:
            self.say(self.estimate())
        glance = 1 if pair.place is not None and self.moves else BASE
        step, reached = self.stepped(pair, glance)
        if pair.place is not None and not reached and step in self.moves:
            return []
        one = self.releases(pair.data, "screen", 0, BASE)
        other = self.releases(pair.neighbour, "screen", 0, 1, pair.data)
        self.moves |= {step} if len(set(map(written_out, one))) == len(one) else set()  # few outcomes hide what differs
        more = COUPLED - 1
        start = 1 if pair.place is None else 1 + more * (self.tried % ((BASE - 1) // more))  # what one seed hides ...
        one = [one[0], *one[start : start + more], *one[1:start], *one[start + more :]]  # ... another one shows
        other = other + self.releases(pair.neighbour, "screen", start, more, pair.data)
        if self.refuses(pair, one, other):
            return []
        rank, symptom = told_apart(one, other)
        shows = self.delta and appears(pair)
        return [Candidate(pair, one, other, rank, symptom, move(one, other), wider(one, other), reached, shows)]

    def stepped(self, pair: Neighbours, size: int = 1) -> tuple[str, bool]:
        """The move between a release of either side with equal seeds, and whether the second one reached new lines."""
        one, known = self.releases(pair.data, "screen", 0, size), len(self.coverage.seen)
        step = move(one, self.releases(pair.neighbour, "screen", 0, 1, pair.data))
        return step, len(self.coverage.seen) > known

    def moves_anew(self, pair: Neighbours) -> bool:
        """Whether one release of either side, with equal seeds, moves as none did before."""
        if not self.mechanism.member(pair.neighbour):
            return False
        step, _ = self.stepped(pair)
        new = step not in self.moves
        self.moves.add(step)
        return new

    @property
    def delta(self) -> bool:
        """Whether the claim leaves events of small probability free."""
        points = self.claim if isinstance(self.claim, list) else [self.claim]
        return any(isinstance(point, ApproxDP) and point.delta > 0 for point in points)

    def refuses(self, pair: Neighbours, one: list, other: list) -> bool:
        """Whether the mechanism rejects one of the datasets as outside its domain.

        It does if every release on it raised the same, and it holds what is no ordinary number or fewer than three
        records: what it declines before it has read anything lies outside its domain. That is noted, not judged.
        """
        only = [all(isinstance(x, Raised) for x in side) and len(set(side)) == 1 for side in (one, other)]
        for raises, data, side in zip(only, (pair.data, pair.neighbour), (one, other), strict=True):
            self.raised |= {repr(side[0])} if raises else set()
            if raises and pair.rows and not ordinary(data):
                self.refused.setdefault(repr(side[0]), pair.words)
                return True
        return all(only)

    # Halving ----------------------------------------------------------------------------------------------------------

    def halved(self, ranked: list[Candidate], settled: Callable[[Candidate, int], bool]) -> list[Candidate]:
        """The finalists by successive halving: more releases for fewer pairs, added to the ones they have.

        Evidence may cost less than another round: whether it is `settled` by a game of the leader is asked first, for
        half of what the round would cost; before the first round by a game of the widest noise, for all of that.
        """
        best, start, size = varied(ranked), 0, FIRST
        going = len(best)
        try:
            widest = max(best, key=lambda candidate: candidate.wider, default=None)
            over = widest is not None and widest.wider > WIDE and settled(widest, 2 * size * going)
            while not over and self.spent + 2 * size * going < SEARCHED * self.budget and not self.late:
                for candidate in best[:going]:
                    if self.late:
                        break
                    one, other = candidate.pair.data, candidate.pair.neighbour
                    more = (
                        self.releases(one, "halve", start, size),
                        self.releases(other, "halve other", start, size, one),
                    )
                    kept = (candidate.one, candidate.other) if start else ([], [])  # those of the screening are coupled
                    candidate.one, candidate.other = (old + new for old, new in zip(kept, more, strict=True))
                    bits = self.reads_bits(candidate.pair)
                    candidate.rank = gained(self.claim, candidate.one, candidate.other, bits)
                best[:going] = apart(sorted(best[:going], key=lambda c: -c.rank))
                if not start and ranked[0] in best[2:going]:  # few releases are mostly luck, and equal seeds are none
                    best.remove(ranked[0])
                    best.insert(1, ranked[0])
                if best[0].rank > DECIDED or size >= MOST:
                    break
                start, size, going = start + size, size * LATER, min(going, max(going // LATER, LEFT))
                if best[0].rank > ENOUGH and settled(best[0], size * going):
                    break
        except KeyboardInterrupt:
            self.interrupted = True
        return best[:FINALISTS]


def apart(best: list[Candidate]) -> list[Candidate]:
    """The candidates in order, but the best of every size first, then of every changed dataset; repeats last.

    Few releases tell little of a leak that shows seldom, as in the tail of a noise whose scale depends on the size, or
    of a value that appears: the best of those lead.
    """
    taken: set = set()
    turns = []
    shown = [candidate for candidate in best if candidate.appears][:APPEARING]
    for candidate in best:
        size, base, same = candidate.pair.size, dataset_key(candidate.pair.data), candidate.released
        new = size not in taken, base not in taken and candidate.move not in taken
        turns.append(-1 if candidate in shown else 3 if same in taken else 0 if new[0] else 1 if new[1] else 2)
        taken |= {size, base, same, candidate.move}
    return [best[at] for at in np.argsort(turns, kind="stable")]


def varied(ranked: list[Candidate]) -> list[Candidate]:
    """The best candidates, with few of one symptom, dataset or move while there are others.

    Pairs whose releases were those of another pair, or the same on either side, come last.
    """
    taken: Counter = Counter()
    groups: list[list[Candidate]] = [[], [], []]
    for candidate in ranked:
        base = dataset_key(candidate.pair.data)
        same, alike = candidate.released, candidate.symptom or base
        if taken[same] or not candidate.rank:
            groups[2].append(candidate)
            continue
        few = taken[alike] < (ALIKE if candidate.symptom else SHARED)
        few = few and (bool(candidate.symptom) or taken[candidate.move] < SHARED)
        taken.update((same, alike, candidate.move))
        groups[0 if few else 1].append(candidate)
    special = [c for at, c in enumerate(filter(attrgetter("appears"), ranked)) if at < RESERVED]
    special += [c for at, c in enumerate(filter(attrgetter("reached"), ranked)) if at < RESERVED]
    return list(dict.fromkeys([*special, *(candidate for group in groups for candidate in group)]))[:BEST]
