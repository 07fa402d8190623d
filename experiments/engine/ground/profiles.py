"""How much a run does: each profile does what the one before it does, and continues its chunks.

`quick` runs the settings marked so, `full` all that a claim names. `deep` also runs the settings that no budget had
room for, combinations of the values that the named ones take, and gives each cell ten times the trials.
"""

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from lemmata.experiments.engine.ground.grouping import group_by

TIMES = {"quick": 1, "full": 1, "deep": 10}  # of a cell's cap; in ascending order
EVALUATIONS = 1000  # of a check, in a search, and ten times as many in a deep run
CROSSED = 1000  # combinations of values of one claim, beside its settings: of more, about so many are drawn
SETTINGS = 100  # at which a search tries a chunk of trials
PROFILES = tuple(TIMES)


def largest_profile(finished: Iterable[str]) -> str | None:
    """The one of several profiles that contains the others, or None."""
    return max(finished, key=PROFILES.index, default=None)


def cross_settings(settings: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The combinations of values that `settings` of the same arguments take, without these settings themselves.

    All of them, or some `CROSSED`, the same ones each time.

    >>> list(cross_settings([{"n": 1, "d": 2}, {"n": 3, "d": 4}, {"m": 5}]))
    [{'n': 1, 'd': 4}, {'n': 3, 'd': 2}]
    >>> many = list(cross_settings([{name: i for name in "abcd"} for i in range(10)]))
    >>> many == list(cross_settings([{name: i for name in "abcd"} for i in range(10)])), 900 < len(many) <= CROSSED
    (True, True)
    """
    for group in group_by(settings, frozenset).values():
        axes = [list({repr(setting[name]): setting[name] for setting in group}.values()) for name in group[0]]
        points: Iterable[tuple[Any, ...]] = itertools.product(*axes)
        if (total := prod(map(len, axes))) > CROSSED:
            draw = random.Random(total).randrange
            points = (tuple(axis[draw(len(axis))] for axis in axes) for _ in range(CROSSED))
        for setting in {repr(point): dict(zip(group[0], point, strict=True)) for point in points}.values():
            if setting not in group:
                yield setting
