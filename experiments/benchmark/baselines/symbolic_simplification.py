"""Symbolic simplification: the normal form of the difference of both sides, and the signs of what is left."""

from contextlib import suppress
from typing import Any

from lemmata.bounds.proof.checker import Goal
from lemmata.bounds.proof.expression import number
from lemmata.bounds.proof.normal_form import simplify
from lemmata.experiments.benchmark.inequalities import Inequality


def check_inequality(made: Inequality) -> dict[str, Any]:
    """True or false where the normal form of the difference has a sign on the whole domain."""
    unsure = {"verdict": "", "confidence": 0.5}
    goal = Goal(made.left - made.right, made.box, tuple(condition.below for condition in made.conditions))
    with suppress(ArithmeticError, TypeError, ValueError, RecursionError):
        plain = simplify(goal.below, goal)
        if plain is number(0) or (made.relation == "<=" and goal.is_at_least_0(-plain)):
            return {"verdict": "true", "confidence": 1.0}
        if goal.is_positive(plain) or (made.relation == "=" and goal.is_positive(-plain)):
            return {"verdict": "false", "confidence": 1.0}
    return unsure
