"""The sequential tests of a search, at levels that add up to the level of the search.

Each is an ordinary game (`game`), on releases that no choice was made by: the j-th pair that plays does so at level /
2^j. Given all that was seen before, the capital of game j on a true claim is a supermartingale that begins with 1, so
that it ever reaches 2^j / level has a chance of at most level / 2^j (Ville); the chances of all games add up to less
than `level`, however many pairs were tried, in which order the games are continued, and whenever one stops. The lower
limit is paid for in the same way. Which game goes on is a bandit's choice: after equal shares the half that has gained
most goes on with four times as many. One whose events are rare has gained nothing by then, and is among the last few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

from lemmata.mechanisms.audit.evidence.attackers import attackers
from lemmata.mechanisms.audit.evidence.scores import cheap
from lemmata.mechanisms.audit.evidence.stakes import grown
from lemmata.mechanisms.audit.neighbours.changes import Neighbours
from lemmata.mechanisms.audit.play.game import LEAST, Game
from lemmata.mechanisms.audit.play.pair_ranking import RUNG, weighed
from lemmata.mechanisms.audit.play.sequential_test import play
from lemmata.mechanisms.numerics.streams import generator

if TYPE_CHECKING:
    from lemmata.mechanisms.audit.play.neighbour_search import Candidate, Search

NAMES = "target on the data", "target on the neighbour"  # what the two are called in messages
SHARE, MORE = 512, 4  # releases of each game before half of them stop, factor


@dataclass(eq=False)
class Trial:
    """A sequential test of one pair, at its own level."""

    pair: Neighbours
    game: Game
    level: float
    rank: float = 0.0  # of the pair in the search: it says which game goes on, and is no evidence
    seldom: bool = False  # does a value appear on the pair, which may be seen as seldom as a delta allows?
    course: tuple = ()

    @property
    def won(self) -> bool:
        """Whether the claim is refuted."""
        return self.game.log_e() >= -log(self.level)

    def promises(self, releases: int) -> bool:
        """Whether that many more releases would refute the claim, at the rate of evidence so far."""
        return self.game.log_e() * (1 + releases / max(self.game.drawn, 1)) >= -log(self.level)

    @property
    def standing(self) -> float:
        """The evidence for the pair, used for ranking only."""
        gains = (float(grown(self.game.counts, self.game.rungs[:, :, at]).max()) for at in RUNG)
        return max(self.rank, 0.0) + weighed(*gains)


def played(trials: list[Trial], budget: int, progress: Callable[[int, float], None] | None = None) -> None:
    """Continue the tests until one refutes or the releases are used up: equal shares, then the better half."""
    going, share, spent = trials, max(min(SHARE, budget // (2 * len(trials))), LEAST), 0
    while going and spent < budget:
        for trial in going:
            before = trial.game.drawn
            trial.course += play(trial.game, min(before + share, before + budget - spent), trial.level, progress)
            spent += trial.game.drawn - before
            if trial.won or trial.game.interrupted or trial.game.drawn == before:
                return
        rare = [trial for trial in going if trial.seldom][:1]
        going = sorted(going, key=lambda t: -t.standing)[: max(1, len(going) // 2)]
        going = [*going[:-1], *rare] if len(going) > 1 and rare and rare[0] not in going else going
        share = share * MORE if len(going) > 1 else budget


@dataclass(eq=False)
class Games:
    """The tests of a search, in the order in which they began: the j-th one has level / 2^j."""

    search: Search
    progress: Callable[[int, float], None] | None = None
    trials: list[Trial] = field(default_factory=list)

    @property
    def drawn(self) -> int:
        """The number of releases that were judged or learned from."""
        return sum(trial.game.drawn for trial in self.trials)

    @property
    def over(self) -> bool:
        """Whether a test has refuted the claim, or was interrupted."""
        return self.search.interrupted or any(trial.won or trial.game.interrupted for trial in self.trials)

    @property
    def best(self) -> Trial:
        """The test that refuted the claim, otherwise the one with most evidence."""
        return max(self.trials, key=lambda t: (t.won, t.standing))

    def begun(self, pair: Neighbours, rank: float = 0, dear: bool = False) -> Trial:
        """A new test of the pair, at its share of the level, on its own random stream.

        The attackers of `scores`, who learn in no time, play every game; those of `attackers` the one that is `dear`.
        """
        search, place = self.search, len(self.trials)
        first, second = (search.like(pair.data).sampler(data) for data in (pair.data, pair.neighbour))
        root = int(generator(search.root, "audit.hunt", {}, "evidence", place).integers(2**63))
        bits = search.reads_bits(pair)
        named = list(attackers(first, second, None, bits)) if dear else cheap(bits)
        game = Game(first, second, search.claim, root=root, named=named, names=NAMES)
        game.until = search.until
        self.trials.append(Trial(pair, game, search.level / 2 ** (place + 1), rank))
        return self.trials[-1]

    def of(self, candidate: Candidate) -> Trial:
        """The test of a candidate, started if it has none."""
        known = next((trial for trial in self.trials if trial.pair is candidate.pair), None)
        trial = known or self.begun(candidate.pair)
        trial.rank, trial.seldom = candidate.rank, candidate.appears
        return trial

    def settled(self, leader: Candidate, releases: int) -> bool:
        """Whether a test is decided after that many releases of the leader's, or some more while its evidence grows."""
        trial = self.of(leader)
        for _ in range(MORE):
            self.play([trial], max(releases, LEAST))
            if self.over or trial.game.log_e() <= 0 or self.search.spent + self.drawn > self.search.budget // 2:
                break
        return self.over

    def play(self, trials: list[Trial], budget: int) -> None:
        """Continue these tests."""

        def tell(_: int, log10_e: float) -> None:
            if self.progress:
                self.progress(self.search.spent + self.drawn, log10_e)

        played(trials, budget, tell)
