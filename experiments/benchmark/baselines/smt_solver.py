"""An SMT solver: z3 on the negated statement, where both sides are algebraic. It needs the package z3-solver."""

import math
import operator
from fractions import Fraction
from typing import Any

import z3

from lemmata.bounds.proof.expression import Expression, walk
from lemmata.experiments.benchmark.inequalities import Inequality

MILLISECONDS, HIGHEST = 3000, 8
SIMPLE = {
    "+": operator.add,
    "*": operator.mul,
    "/": operator.truediv,
    "max": lambda a, b: z3.If(a >= b, a, b),
    "floor": lambda a: z3.ToReal(z3.ToInt(a)),
}


def translate(x: Expression, variables: dict[str, Any], solver: Any, seen: dict[int, Any]) -> Any:
    """A term of z3, a root being a new variable. Raises KeyError for what real arithmetic does not have."""

    def node(x: Expression, parts: list[Any]) -> Any:
        if x.kind == "number":
            return z3.Q(*x.parts[0].as_integer_ratio())
        if x.kind == "variable":
            return variables[x.parts[0]]
        if x.kind == "/":
            solver.add(parts[1] != 0)
        if x.kind != "^" or max(map(abs, x.parts[1].as_integer_ratio())) > HIGHEST:
            return SIMPLE[x.kind](*parts)
        above, below = x.parts[1].as_integer_ratio()
        root = z3.FreshReal()
        solver.add(math.prod([root] * below) == parts[0], *[root >= 0] * (below > 1), *[root != 0] * (above < 0))
        power = math.prod([root] * abs(above))
        return power if above > 0 else 1 / power

    return walk(x, node, seen)


def check_inequality(made: Inequality) -> dict[str, Any]:
    """Whether z3 finds the negation satisfiable, or not."""
    unsure = {"verdict": "", "confidence": 0.5}
    solver, seen = z3.Solver(), dict[int, Any]()
    solver.set("timeout", MILLISECONDS)
    names = {name: z3.Int(name) if made.box[name].whole else z3.Real(name) for name in made.names}
    reals = {name: z3.ToReal(value) if value.is_int() else value for name, value in names.items()}
    try:
        left, right = (translate(side, reals, solver, seen) for side in (made.left, made.right))
        conditions = [(translate(each.below, reals, solver, seen), each.strict) for each in made.conditions]
    except KeyError:
        return unsure
    for name, value in reals.items():
        side = made.box[name]
        if math.isfinite(side.low):
            conditions.append((z3.Q(*Fraction(side.low).as_integer_ratio()) - value, side.open_low))
        if math.isfinite(side.high):
            conditions.append((value - z3.Q(*Fraction(side.high).as_integer_ratio()), side.open_high))
    solver.add(*(below < 0 if strict else below <= 0 for below, strict in conditions))
    solver.add(left != right if made.relation == "=" else left > right)
    answer = solver.check()
    if answer == z3.unsat:
        return {"verdict": "true", "confidence": 1.0}
    if answer == z3.unknown:
        return unsure
    values = {name: solver.model().eval(value, model_completion=True) for name, value in names.items()}
    exact = {name: value.approx(20) if z3.is_algebraic_value(value) else value for name, value in values.items()}
    texts = {name: str(value.as_fraction() if value.is_real() else value) for name, value in exact.items()}
    return {"verdict": "false", "confidence": 1.0, "witness": made.program(texts)}
