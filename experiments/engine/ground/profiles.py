"""How much a run does: each profile does what the one before it does, and continues its chunks.

`quick` runs the settings marked so, `full` all that a claim names. `deep` also runs the settings that no budget had
room for, every combination of the values that the named ones take, and gives each cell ten times the trials.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lemmata.experiments.engine.ground.grouping import group_by

TIMES = {"quick": 1, "full": 1, "deep": 10}  # of a cell's cap; in ascending order
EVALUATIONS = 1000  # of a check, in a search, and ten times as many in a deep run
SETTINGS = 100  # at which a search tries a chunk of trials
PROFILES = tuple(TIMES)


def largest_profile(finished: Iterable[str]) -> str | None:
    """The one of several profiles that contains the others, or None."""
    return max(finished, key=PROFILES.index, default=None)


def cross_settings(settings: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The combinations of values that `settings` of the same arguments take, without these settings themselves.

    >>> list(cross_settings([{"n": 1, "d": 2}, {"n": 3, "d": 4}, {"m": 5}]))
    [{'n': 1, 'd': 4}, {'n': 3, 'd': 2}]
    """
    for group in group_by(settings, frozenset).values():
        axes = [list({repr(setting[name]): setting[name] for setting in group}.values()) for name in group[0]]
        for point in itertools.product(*axes):
            setting = dict(zip(group[0], point, strict=True))
            if setting not in group:
                yield setting
