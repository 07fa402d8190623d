"""A search for neighbours on which a mechanism breaks its promise, and the evidence that it does.

*Screening.* Every pair that `neighbours` offers is released a few times on either side with the same seeds. A mechanism
that adds noise to a number then shows the move of that number, noise taken away; pairs are ranked by that move over the
spread of the releases, those that end in another kind of outcome first.

*Halving.* The best are released more often, and ranked by what the game's cheapest attackers would have gained on
releases that they did not learn from; a third of the pairs goes on, with three times as many releases, so that a round
costs as much as the last one. Whoever leads by more than luck plays a short game at once, which may be all that is
needed.

*Evidence.* What is left is played as an ordinary game (`game`), on releases that no choice was made by: the j-th pair
that plays at level / 2^j. Given all that was seen before, the capital of game j on a true claim is a supermartingale
that begins with 1, so that it ever reaches 2^j / level has a chance of at most level / 2^j (Ville); the chances of all
games add up to less than `level`, however many pairs were tried, in which order the games are continued, and whenever
one stops. The lower limit is paid for in the same way. Which game goes on is a bandit's choice: after equal shares the
half that has gained most goes on with four times as many.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf, log
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.adapters import Mechanism, kept, quiet
from lemmata.mechanisms.audit.attackers import attackers
from lemmata.mechanisms.audit.game import LEAST, Game, play
from lemmata.mechanisms.audit.neighbours import Neighbours
from lemmata.mechanisms.audit.outcomes import Reader, joined, part
from lemmata.mechanisms.audit.parts import ordinary
from lemmata.mechanisms.audit.rules import learnt, lesson
from lemmata.mechanisms.audit.samplers import Raised
from lemmata.mechanisms.audit.scores import CHEAP
from lemmata.mechanisms.audit.stakes import CUTS, RUNGS, checked, grown, ladder
from lemmata.mechanisms.audit.tables import dataset_key
from lemmata.mechanisms.streams import generator

SEARCHED = 0.4  # of the budget may be spent before the first release that is judged
COUPLED, BASE = 3, 12  # releases of a pair's second side, and of its first, in the screening
BEST, FIRST, LATER = 24, 24, 3  # pairs that are halved, releases a side of each, and how many times as many each time
LEFT = 3  # pairs at least, while releases tell them apart
FINALISTS, SHARE, MORE = 6, 512, 4  # games, releases of each before half of them stop, factor
ALIKE, SHARED = 6, 2  # pairs of one kind of symptom, and of one dataset, among the best while there are others
DECIDED, MOST = 60.0, 1_000  # the rank of a pair, or releases a side, after which halving ends
TELLING, LUCK = 8.0, 2.0  # the weight of what is gained against the claim, from what chance alone gives on
TINY = 1e-300
RUNG = [RUNGS.index(share) for share in (0.5, 0.8, 1.0)]  # of the claim: where pairs are compared
ENOUGH = 8.0  # gained against less than the claim: more of it tells nothing of what refutes the claim
TIMED = 8  # pairs after which an estimate of time is told: releases may take a tenth of a second each
ATTACK = 1e-3  # seconds a release that attackers take, roughly
FOUND = 1e6  # the rank of what differs in kind


@dataclass(eq=False)
class Candidate:
    """A pair, the releases that it was chosen by, and how it ranks."""

    pair: Neighbours
    one: list
    other: list
    rank: float = 0.0
    symptom: str = ""
    move: str = ""  # by which the releases with equal seeds lie apart

    @property
    def released(self) -> tuple[bytes | str, ...]:
        """Its releases, to seven digits: those of another pair that differs from it in no way that was seen."""
        with quiet():  # a number may be too large for so short a type
            return tuple(
                x.astype(np.float32).tobytes() if isinstance(x, np.ndarray) else repr(x)
                for x in (*self.one, *self.other)
            )


@dataclass
class Search:
    """A search under way: what it may spend, what it has spent, what the mechanism refused."""

    mechanism: Mechanism
    claim: Any
    root: int
    budget: int
    level: float = 1e-10
    say: Callable[[str], None] = lambda line: None
    longest: int = 0  # releases while evidence speaks against the claim; none beyond the budget by default
    spent: int = 0
    tried: int = 0
    seconds: float = 0.0
    refused: dict[str, str] = field(default_factory=dict)
    shapes: dict[bytes, Mechanism] = field(default_factory=dict)
    released: dict[tuple, list] = field(default_factory=dict)

    def like(self, data: tuple) -> Mechanism:
        """The mechanism, where releases of the shape that comes first on this dataset are vectors of numbers."""
        key = dataset_key(data)
        if key not in self.shapes:
            self.shapes[key] = replace(self.mechanism, known=[])
        return self.shapes[key]

    def releases(self, data: tuple, stream: str, start: int, size: int, like: tuple | None = None) -> list:
        """So many releases with seeds that every dataset shares, from the `start`-th seed on.

        Vectors are those of the shape that comes on the dataset `like`, which is the first one of a pair. Pairs share
        datasets, and what was released with the same seeds is not paid for again.
        """
        which = stream, start, size, dataset_key(data), dataset_key(data if like is None else like)
        if which not in self.released:
            self.released[which] = self.fresh(data, stream, start, size, like)
        return self.released[which]

    def fresh(self, data: tuple, stream: str, start: int, size: int, like: tuple | None) -> list:
        """The same, paid for."""
        mechanism = self.like(data if like is None else like)
        seeds = generator(self.root, "audit.hunt", {}, stream, 0).integers(2**31, size=start + size)[start:]
        begun = time.perf_counter()
        with quiet(), kept():
            found = [mechanism.release(data, int(seed)) for seed in seeds]
        self.spent += size
        self.seconds += time.perf_counter() - begun
        return found

    def estimate(self) -> str:
        """How long the rest may take, from what releases have taken so far."""
        each, left = self.seconds / max(self.spent, 1) + ATTACK, self.budget - self.spent
        return f"{self.mechanism.name}: {self.tried} pairs tried; {left:,} releases at most, about {left * each:.0f} s"

    # Screening --------------------------------------------------------------------------------------------------------

    def screened(self, pairs: Iterator[Neighbours]) -> list[Candidate]:
        """All pairs that a share of the budget pays for, ranked, the most telling first."""
        ranked = []
        for pair in pairs:
            if self.spent > SEARCHED / 2 * self.budget:
                break
            if not (self.mechanism.member(pair.data) and self.mechanism.member(pair.neighbour)):
                continue
            one = self.releases(pair.data, "screen", 0, BASE)
            other = self.releases(pair.neighbour, "screen", 0, COUPLED, pair.data)
            self.tried += 1
            if self.tried == TIMED:
                self.say(self.estimate())
            if self.refuses(pair, one, other):
                continue
            rank, symptom = told_apart(one, other)
            ranked.append(Candidate(pair, one, other, rank, symptom, move(one, other)))
        ranked.sort(key=lambda c: -c.rank)
        return ranked

    def refuses(self, pair: Neighbours, one: list, other: list) -> bool:
        """Does the mechanism take one of the datasets for none at all?

        It does if every release on it raised the same, and it holds what is no ordinary number or fewer than three
        records: what it declines before it has read anything lies outside its domain. That is noted, not judged.
        """
        only = [all(isinstance(x, Raised) for x in side) and len(set(side)) == 1 for side in (one, other)]
        for raises, data, side in zip(only, (pair.data, pair.neighbour), (one, other), strict=True):
            if raises and pair.rows and not ordinary(data):
                self.refused.setdefault(repr(side[0]), pair.words)
                return True
        return all(only)

    # Halving ----------------------------------------------------------------------------------------------------------

    def halved(self, ranked: list[Candidate], settled: Callable[[Candidate, int], bool]) -> list[Candidate]:
        """The finalists: where releases tell little, more are drawn for fewer pairs, beside those that they have.

        Evidence may cost less than another round: whether it is `settled` by a game of the leader is asked first, for
        half of what the round would cost.
        """
        best, start, size = varied(ranked), 0, FIRST
        going = len(best)
        while self.spent + 2 * size * going < SEARCHED * self.budget:
            for candidate in best[:going]:
                one, other = candidate.pair.data, candidate.pair.neighbour
                more = self.releases(one, "halve", start, size), self.releases(other, "halve other", start, size, one)
                kept = (candidate.one, candidate.other) if start else ([], [])  # those of the screening are coupled
                candidate.one, candidate.other = (old + new for old, new in zip(kept, more, strict=True))
                candidate.rank = gained(self.claim, candidate.one, candidate.other)
            best[:going] = apart(sorted(best[:going], key=lambda c: -c.rank))
            if best[0].rank > DECIDED or size >= MOST:
                break
            start, size, going = start + size, size * LATER, min(going, max(going // LATER, LEFT))
            if best[0].rank > ENOUGH and settled(best[0], size * going):
                break
        return best[:FINALISTS]


def apart(best: list[Candidate]) -> list[Candidate]:
    """In their order, but the best one of every size first, then of every dataset that moves otherwise, repeats last.

    Few releases tell little of a leak that shows seldom, as in the tail of a noise whose scale depends on the size.
    """
    taken: set = set()
    turns = []
    for candidate in best:
        size, base, same = candidate.pair.size, dataset_key(candidate.pair.data), candidate.released
        new = size not in taken, base not in taken and candidate.move not in taken
        turns.append(3 if same in taken else 0 if new[0] else 1 if new[1] else 2)
        taken |= {size, base, same, candidate.move}
    return [best[at] for at in np.argsort(turns, kind="stable")]


def varied(ranked: list[Candidate]) -> list[Candidate]:
    """The best of what is ranked, few of one symptom, of one dataset or of one move while there are others.

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
    return [candidate for group in groups for candidate in group][:BEST]


def told_apart(one: Sequence, other: Sequence) -> tuple[float, str]:
    """How far the releases with equal seeds lie apart, in spreads; and the symptom, where they differ in kind."""
    kinds = {kind(release) for release in one}
    odd = [release for release in other if kind(release) not in kinds]
    if odd:
        return FOUND * len(odd) / len(other), kind(odd[0])
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if kind(a) == kind(b) and isinstance(a, np.ndarray)]
    if not pairs or not len(pairs[0][0]):
        return float(np.mean([repr(a) != repr(b) for a, b in zip(one, other, strict=False)])), ""
    wide = len(pairs[0][0])
    whole = sized(np.array([a for a in one if isinstance(a, np.ndarray) and len(a) == wide]))
    with quiet():  # a column may hold no number at all
        first, second = (sized(np.array([pair[side] for pair in pairs])) for side in (0, 1))
        centre, spread = np.nanmedian(whole, axis=0), spreads(whole)
        apart = np.abs(np.arcsinh((second - centre) / spread) - np.arcsinh((first - centre) / spread)).mean(axis=0)
        apart = shifted(first, second, apart, spread)
        moves = np.where(spread > 0, np.nan_to_num(apart, nan=0.0, posinf=FOUND / 2), FOUND / 2)
        moves = np.where((first == second).all(axis=0), 0.0, moves)
    return float(np.sqrt(np.sum(moves**2))), ""


def shifted(first: np.ndarray, second: np.ndarray, apart: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """What only moves, by as much at every seed, lies that many spreads apart; where it lies then tells nothing more.

    The columns are numbers, and then the logarithms of their sizes.
    """
    by, wide = second - first, first.shape[1] // 2
    only = np.isfinite(by).all(axis=0) & (np.ptp(by, axis=0) <= 1e-9 * np.abs(by).max(axis=0)) & (len(by) > 1)
    numbers = only[:wide]
    found = np.where(only, np.minimum(np.abs(by[0]) / spread, FOUND / 2), apart)
    found[wide:] = np.where(numbers, 0.0, found[wide:])
    return np.asarray(found)


def move(one: Sequence, other: Sequence) -> str:
    """By how much the numbers of releases with equal seeds differ, as a text: what only adds noise moves as its sum."""
    with quiet():
        told = [a - b if _numbers(a, b) else (repr(a), repr(b)) for a, b in zip(one, other, strict=False)]
        return repr([np.round(x, 6).tolist() if isinstance(x, np.ndarray) else x for x in told])


def _numbers(a: Any, b: Any) -> bool:
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape


def sized(values: np.ndarray) -> np.ndarray:
    """The numbers released, and the logarithms of their sizes: of a noise that is wider the centre may not move."""
    with np.errstate(all="ignore"):
        return np.hstack([values, np.log(np.abs(values) + TINY)])


def spreads(values: np.ndarray) -> np.ndarray:
    """Of every column from quartile to quartile, as a deviation: a heavy tail leaves it alone. Else the deviation."""
    low, high = np.nanquantile(values, (0.25, 0.75), axis=0)
    return np.where(high > low, (high - low) / 1.349, np.nanstd(values, axis=0))


def kind(release: Any) -> str:
    """What kind of outcome a release is: what it raised, or what it is made of and where it holds no finite number."""
    if isinstance(release, Raised):
        return f"raises {release!r}"
    if isinstance(release, tuple):
        return f"is made of {release[0]}"
    odd = {word: np.flatnonzero(test(release)) for word, test in (("NaN", np.isnan), ("infinite", np.isinf))}
    return "; ".join(f"{word} at {places[:3].tolist()}" for word, places in odd.items() if len(places))


def gained(claim: Any, one: list, other: list) -> float:
    """How a pair ranks by what the cheapest attackers would have gained on releases that they did not learn from."""
    rungs = np.repeat(ladder(checked(claim), 1), CUTS, axis=0)
    reader = Reader([stacked(one), stacked(other)], False)
    data = joined([reader(stacked(one)), reader(stacked(other))])
    truth = np.repeat([1, -1], [len(one), len(other)])
    order = np.random.default_rng(0).permutation(len(truth))
    taught = lesson(part(data, order), truth[order])
    gains = []
    for place in RUNG:
        found = [learnt(learn, taught, rungs[:, :, place:]) for _, learn in CHEAP]
        gains.append(max((float(rule.growth.max()) for rule in found if rule is not None), default=-inf))
    return weighed(*gains)


def weighed(half: float, most: float, whole: float) -> float:
    """How a pair ranks that has gained so much against half the claim, against most of it and against the claim.

    A pair that leaks as much as is claimed gains most against half of it, and nothing that refutes the claim; one that
    leaks more, but seldom, less. Where nobody gains against the claim, less of it tells pairs apart, up to a point.
    """
    return min(half, ENOUGH) + min(max(most, 0.0), ENOUGH) + TELLING * max(whole - LUCK, 0.0)


def stacked(releases: list) -> Any:
    """Vectors of one length as a table."""
    if all(isinstance(one, np.ndarray) and one.shape == releases[0].shape for one in releases):
        return np.array(releases)
    return releases


# Evidence -------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Trial:
    """A game of one pair, at a level of its own."""

    pair: Neighbours
    game: Game
    level: float
    rank: float = 0.0  # of the pair in the search: it says which game goes on, and is no evidence
    course: tuple = ()

    @property
    def won(self) -> bool:
        """Is the claim refuted?"""
        return self.game.log_e() >= -log(self.level)

    def promises(self, releases: int) -> bool:
        """Would so many releases more win it, if they told as much as those so far?"""
        return self.game.log_e() * (1 + releases / max(self.game.drawn, 1)) >= -log(self.level)

    @property
    def standing(self) -> float:
        """By how much the game speaks for its pair, whether the claim is true or not."""
        gains = (float(grown(self.game.counts, self.game.rungs[:, :, at]).max()) for at in RUNG)
        return max(self.rank, 0.0) + weighed(*gains)


def played(trials: list[Trial], budget: int, progress: Callable[[int, float], None] | None = None) -> None:
    """The games, continued until one is won or the releases are used up: equal shares, then the better half of them."""
    going, share, spent = trials, max(min(SHARE, budget // (2 * len(trials))), LEAST), 0
    while going and spent < budget:
        for trial in going:
            before = trial.game.drawn
            trial.course += play(trial.game, min(before + share, before + budget - spent), trial.level, progress)
            spent += trial.game.drawn - before
            if trial.won or trial.game.interrupted or trial.game.drawn == before:
                return
        going = sorted(going, key=lambda t: -t.standing)[: max(1, len(going) // 2)]
        share = share * MORE if len(going) > 1 else budget


@dataclass(eq=False)
class Games:
    """The games of a search, in the order in which they began: the j-th one has level / 2^j."""

    search: Search
    progress: Callable[[int, float], None] | None = None
    trials: list[Trial] = field(default_factory=list)

    @property
    def drawn(self) -> int:
        """Releases that were judged, or that rules learnt from."""
        return sum(trial.game.drawn for trial in self.trials)

    @property
    def over(self) -> bool:
        """Is one won, or interrupted?"""
        return any(trial.won or trial.game.interrupted for trial in self.trials)

    @property
    def best(self) -> Trial:
        """The one that is won, else the one that stands best."""
        return max(self.trials, key=lambda t: (t.won, t.standing))

    def begun(self, pair: Neighbours, rank: float = 0, dear: bool = False) -> Trial:
        """A new game of the pair, at its share of the level, on a stream of its own.

        The attackers of `scores`, who learn in no time, play every game; those of `attackers` the one that is `dear`.
        """
        search, place = self.search, len(self.trials)
        first, second = (search.like(pair.data).sampler(data) for data in (pair.data, pair.neighbour))
        root = int(generator(search.root, "audit.hunt", {}, "evidence", place).integers(2**63))
        named = list(attackers(first, second, None)) if dear else CHEAP
        game = Game(first, second, search.claim, root=root, named=named)
        self.trials.append(Trial(pair, game, search.level / 2 ** (place + 1), rank))
        return self.trials[-1]

    def of(self, candidate: Candidate) -> Trial:
        """The game of a candidate, begun if it has none."""
        known = next((trial for trial in self.trials if trial.pair is candidate.pair), None)
        trial = known or self.begun(candidate.pair)
        trial.rank = candidate.rank
        return trial

    def settled(self, leader: Candidate, releases: int) -> bool:
        """Is it over after so many releases of a game of the leader?"""
        self.play([self.of(leader)], max(releases, LEAST))
        return self.over

    def play(self, trials: list[Trial], budget: int) -> None:
        """Go on with these."""

        def tell(_: int, log10_e: float) -> None:
            if self.progress:
                self.progress(self.search.spent + self.drawn, log10_e)

        played(trials, budget, tell)
