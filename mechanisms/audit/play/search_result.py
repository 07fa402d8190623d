"""From a search to its result: tests of the finalists, a shrunk pair, and the text."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any

import numpy as np

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.mechanisms.audit.neighbours.changes import Neighbours
from lemmata.mechanisms.audit.neighbours.kinds import BITS, summary
from lemmata.mechanisms.audit.play.audit_result import Audit, Found
from lemmata.mechanisms.audit.play.findings import REPORT
from lemmata.mechanisms.audit.play.game import LEAST, Game
from lemmata.mechanisms.audit.play.neighbour_search import Search
from lemmata.mechanisms.audit.play.pair_shrinking import reproducer, shrunk
from lemmata.mechanisms.audit.play.repeated_tests import Games, Trial
from lemmata.mechanisms.audit.play.sequential_test import concluded
from lemmata.mechanisms.audit.subjects.tracing import trace

DEARLY = 4_096  # releases that dear attackers may see at least
FURTHER, HOPE = 15_000, 0.0  # releases more, while the log evidence against the claim is at least so much


def hunted(search: Search, pairs: Iterator[Neighbours], progress: Callable[[int, float], None] | None = None) -> Found:
    """Search for neighbours, test the finalists, and shrink the pair with most evidence."""
    start = time.process_time()
    games = Games(search, progress)
    ranked = search.screened(pairs, games.settled)
    if not ranked:
        why = "; ".join(sorted(search.raised)) or "it takes none of them"
        raise ValueError(f"{search.mechanism.name} raised on every pair of datasets: {why}")
    finalists = [] if games.over else search.halved(ranked, games.settled)
    if search.interrupted and not games.trials:
        games.begun(ranked[0].pair)  # of which nothing is drawn
    search.say(search.estimate())
    rest = search.budget - search.spent
    if not games.over:
        few = finalists[: max(1, rest // (4 * LEAST))]  # few releases are for few games
        games.play([games.of(each) for each in few], max(rest // 2 - games.drawn, LEAST))
    best, needed = games.best, search.spent + games.drawn
    if best.won:
        smaller = best.pair
        with suppress(KeyboardInterrupt):  # what is refuted stays so
            smaller = shrunk(search, best.pair)
        if smaller is not best.pair:
            again = games.begun(smaller)
            games.play([again], 2 * best.game.drawn)
            best = again if again.won else best
    elif not games.over:
        if not best.promises(rest - games.drawn):
            dearly = min(max(DEARLY, rest // 4), rest // 2)
            games.play([games.begun(best.pair, best.rank, dear=True)], dearly)
            best = games.best
        if not games.over:  # what shows seldom has to be released often
            rare = [trial for trial in games.trials if trial.seldom and best.game.log_e() <= 0]
            games.play([max(rare, key=lambda t: t.game.drawn, default=best)], rest - games.drawn)
            best = prolonged(search, games, best)
        needed = search.spent + games.drawn
    return outcome(search, games.trials, best, needed, time.process_time() - start)


def prolonged(search: Search, games: Games, best: Trial) -> Trial:
    """The test with most evidence, continued while evidence grows; otherwise the best one unchanged.

    One may stop whenever one likes; against a true claim most games have lost by then what their bets began with.
    """
    leading = max(games.trials, key=lambda t: t.game.log_e())
    spent = search.spent + games.drawn
    while spent < search.longest and leading.game.log_e() >= HOPE and not (leading.won or leading.game.interrupted):
        before = leading.game.drawn
        games.play([leading], min(FURTHER, search.longest - spent))
        spent += leading.game.drawn - before
        if leading.game.drawn == before:
            break
    return leading if leading.won else best


def outcome(search: Search, trials: list[Trial], best: Trial, needed: int, seconds: float) -> Found:
    """The result of the test with most evidence."""
    found = concluded(best.game, best.level, best.course, seconds, chance=REPORT * best.level / search.level)
    same = {outcome for trial in trials for outcome in trial.game.outcomes}
    why = found.reason
    if found.verdict != REFUTED:
        stopped = search.interrupted or any(trial.game.interrupted for trial in trials)
        why = "NOT_AUDITED" if len(same) == 1 else "INTERRUPTED" if stopped else why
    told: dict[str, Any] = {"reason": why, "root": search.root}
    if why == "NOT_AUDITED":
        told["event"] = best.game.unaudited()
    else:
        with suppress(KeyboardInterrupt):  # which leaves the rest of it unexplained
            pair, seed = best.pair, search.root % 2**31
            traced = trace(search.mechanism, pair.data, pair.neighbour, search.claim, seed=seed)
            leads = [*traced.leads, *(traced.hints if found.verdict == REFUTED else ())]
            told |= {"place": (*map(str, leads[:3]),)}
            if found.verdict == REFUTED:
                labels = describe_labels(search.mechanism.options, pair.data, pair.neighbour)
                place = *labels, *_constant(search, best.game), *told["place"]
                told |= {"place": place, "reproducer": reproducer(search, pair)}
    told |= {"target": search.mechanism.name, "pair": best.pair, "pairs": search.tried, "needed": needed}
    read = {BITS for trial in trials if search.reads_bits(trial.pair)}
    told |= {"changes": summary(search.kinds | read)}
    told |= {"searched": search.spent + sum(t.game.drawn for t in trials) - best.game.drawn}
    return Found(
        **{f.name: getattr(found, f.name) for f in fields(Audit)} | told, refused=tuple(search.refused.items())
    )


def describe_labels(options: Mapping[str, Any], data: tuple, neighbour: tuple) -> list[str]:
    """The remedy, for an estimator without declared classes whose labels are others on the neighbouring dataset."""
    labels = [set(map(str, np.ravel(np.asarray(part[-1], dtype=object)))) for part in (data, neighbour)]
    if options.get("classes", ...) is not None or labels[0] == labels[1]:
        return []
    return ["classes was left out, so labels are taken as public; pass classes=(...)"]


def _constant(search: Search, played: Game) -> list[str]:
    """Were all releases on every dataset the same, whatever the seed? Then none of its noise is random."""
    seen = [found for (stream, *_), found in search.released.items() if stream == "screen"]
    sides = (data.labels[truth == side].tolist() for data, truth in played.past for side in (1, -1))
    if any(len({*labels}) > 1 for labels in sides) or any(len({repr(one) for one in found}) > 1 for found in seen):
        return []
    return ["every release is the same, whatever the seed: nothing is drawn, or a generator always begins alike"]
