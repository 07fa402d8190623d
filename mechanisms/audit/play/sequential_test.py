"""The sequential test: an attacker guesses which of two neighbouring datasets a release came from, or abstains.

`game` keeps the state and judges each chunk; here a test is begun, played to its end and concluded.
"""

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import inf, log
from numbers import Integral
from typing import Any

from lemmata.bounds.statement.verdicts import INCONCLUSIVE, REFUTED
from lemmata.mechanisms.audit.evidence.attackers import attackers
from lemmata.mechanisms.audit.play.audit_result import Audit
from lemmata.mechanisms.audit.play.findings import event, limits, smallest_caught
from lemmata.mechanisms.audit.play.game import LEAST, MEMORY, NAMES, REPORT, Game
from lemmata.mechanisms.audit.subjects.samplers import FIRST, Exhausted, chunk, copy_state
from lemmata.mechanisms.numerics.arithmetic import as_real, check_in_range, short_repr
from lemmata.mechanisms.privacy import PureDP

SAME = PureDP(1e-3)  # nearly nothing may be told of a side and its copy


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
    tuples, None, NaN, infinities; what it raises is an outcome too. `claim` is any guarantee, whatever its
    neighbours, a list of PureDP and ApproxDP that are all claimed (points of a curve), or a function
    delta(epsilon); against ZCDP and RenyiDP half of the capital bets on the divergences themselves
    (`divergence_bets`). The two datasets differ in `records` records. Without a `root` one is drawn, and shown.
    `budget` is the number of releases to draw at most. REFUTED is wrong with a chance of at most `level`. It rests
    on independent releases: a side that can be told from a fresh copy of itself is NOT_AUDITED.
    `features(releases)` -> (size, columns) adds an attacker of the user's own. Releases are rounded to 2^-20 of
    their spread, which judges the mechanism over the reals; `bits` keeps every bit of them. `progress(releases,
    log10_e)` is called after every chunk.

    Raises ValueError for a side or claim of another kind, a budget below 128, a level outside (0, 1), or a callable
    that does not return as many releases as it was asked for.
    """
    enough("budget", budget, LEAST)
    check_in_range("level", level, 0, 1)
    if not (isinstance(records, Integral) and records > 0):
        raise ValueError(f"records must be an integer >= 1, got {short_repr(records)}")
    if not (features is None or callable(features)):
        raise ValueError(f"features must be a function of releases, got {short_repr(features)}")
    start, root = time.process_time(), secrets.randbits(32) if root is None else root
    copies = copy_state(sample_a), copy_state(sample_b)

    def begin(a: Any, b: Any, against: Any, seed: int) -> Game:
        return Game(a, b, against, root=seed, named=list(attackers(a, b, features, bits)), bits=bits, records=records)

    game = begin(sample_a, sample_b, claim, root)
    course = play(game, budget, level, progress)
    found = concluded(game, level, course, time.process_time() - start)
    why = game.unaudited()
    if found.verdict == REFUTED:
        for name, side, copy in zip(NAMES, (sample_a, sample_b), copies, strict=True):
            if not why and copy is not None:
                why = told_from_itself(name, begin(side, copy, SAME, root + 1), game)
    if why:
        return replace(found, verdict=INCONCLUSIVE, reason="NOT_AUDITED", event=why, lower=0.0, lower_at_level=0.0)
    return replace(found, reason="INTERRUPTED") if game.interrupted and found.verdict != REFUTED else found


def told_from_itself(name: str, null: Game, game: Game) -> str:
    """Why the releases of a side are not independent, as evidence takes them to be; "" if nothing shows that.

    The side plays against a copy of itself, from before it was played, for as many releases as the `game` has had. One
    dataset is on both sides, so that whoever wins has learnt what the side remembers from one release to the next.
    """
    with suppress(ValueError):  # a side that has no more releases
        play(null, max(game.drawn, LEAST), game.level)
    broken = any(null.raised) and not any(game.raised)  # a copy that cannot be drawn from says nothing of the side
    same = broken or null.log_e() < -log(game.level)
    return "" if same else f"{name} is told from a fresh copy of itself: its releases are not independent"


def enough(name: str, value: Any, least: int, why: str = "") -> None:
    """Raise ValueError unless the value is a finite number of at least the minimum."""
    if not least <= as_real(name, value) < inf:
        raise ValueError(f"{name} must be in [{least}, inf), got {short_repr(value)}{why}")


def play(
    game: Game, budget: int, level: float, progress: Callable[[int, float], None] | None = None
) -> tuple[tuple[int, float], ...]:
    """Draw chunks until the claim is refuted at `level` or the releases are used up; returns the course of the test.

    A game may be played on later, with a larger budget. An interrupt ends it with what was found.
    """
    game.budget, game.level = budget, level
    course: list[tuple[int, float]] = []
    try:
        while game.drawn < budget - 1 and (affordable := game.affordable()) >= 2:
            size = chunk(game.drawn, level) if game.rounds else FIRST
            fresh, truth, allowed = game.draw(game.rounds, int(min(size, budget - game.drawn, affordable)))
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
    """The result of a test; its lower limit fails with probability at most `chance`."""
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
