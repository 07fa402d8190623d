"""Interval branch and bound over the whole domain, with infinite ends: each box is shown, refuted or halved."""

import heapq
import itertools
from dataclasses import replace
from typing import Any

from flint import ctx

from lemmata.bounds.proof.box import Box
from lemmata.bounds.proof.checker import Goal
from lemmata.bounds.proof.interval import Undefined
from lemmata.bounds.proof.prover import middle, width
from lemmata.experiments.benchmark.inequalities import PRECISION, Inequality

BOXES = 300


def check_inequality(made: Inequality) -> dict[str, Any]:
    """Whether boxes that cover the domain show the statement, or the middle of one refutes it."""
    with ctx.workprec(PRECISION):
        return search(made)


def search(made: Inequality) -> dict[str, Any]:
    """The answer after at most `BOXES` boxes, the widest first."""
    sides = [made.left - made.right] + [made.right - made.left] * (made.relation == "=")
    conditions = tuple(condition.below for condition in made.conditions)
    box = {name: made.box[name] for name in made.names}
    order = itertools.count()
    waiting = [(-1.0, next(order), Goal(below, box, conditions)) for below in sides]
    for _ in range(BOXES):
        if not waiting:
            return {"verdict": "true", "confidence": 1.0}
        _, _, goal = heapq.heappop(waiting)
        try:
            if goal.enclose(goal.below).high <= 0 or any(goal.enclose(c).low > 0 for c in conditions):
                continue
        except Undefined:
            pass
        name = max(goal.box, key=lambda name: width(goal.box[name]))
        at = {each: str(middle(side)) for each, side in goal.box.items()}
        if made.fails_at(at):
            return {"verdict": "false", "confidence": 1.0, "witness": made.program(at)}
        if width(goal.box[name]) == 0:
            break
        for half in halves(goal, name):
            heapq.heappush(waiting, (-max(map(width, half.box.values())), next(order), half))
    return {"verdict": "", "confidence": 0.5}


def halves(goal: Goal, name: str) -> list[Goal]:
    """A goal on both halves of a side."""
    side, at = goal.box[name], middle(goal.box[name])
    left, right = (
        replace(side, high=at, open_high=False),
        replace(side, low=at + 1 if side.whole else at, open_low=False),
    )
    return [replace(goal, box=Box({**goal.box, name: half})) for half in (left, right)]
