"""The checker of proofs: that an expression is at most 0 on a box, by pieces that cover it, each with its reason.

    check(Goal(below, box, conditions), proof)

raises WrongProof where a piece is missing or does not follow. `lemmata.bounds.proof.prover` finds proofs and is not
trusted: a statement counts as proved once this file has read the proof. A proof is a piece, plain data:

    {"by": "interval"}                      interval arithmetic shows it on the whole box
    {"by": "outside", "condition": i}       condition i is false on the whole box
    {"by": "zero"}                          the normal form is 0
    {"by": "normal", "proof": proof}        so is its normal form
    {"by": "sum", "parts": [[numbers of terms, proof], ...]}   so is each of the sums that the terms are grouped into
    {"by": "factors", "parts": [...]}       the sign of each factor of the normal form, with a proof of it
    {"by": "boundary", "condition": i, "name": x, "slope": proof, "face": proof}   as monotone, up to condition i
    {"by": "combine", "condition": i, "proof": proof}   it is at most 0 even with condition i, which is so, subtracted
    {"by": "scale", "name": x, "powers": {...}, "proof": proof}   the same in units of a product of positive variables
    {"by": "cases", "parts": [...]}         either part of a maximum in it is the larger one; what bounds a variable
                                            by a number narrows its side
    {"by": "fraction", "proof": proof}      a rounded number is that number less a fraction in [0, 1)
    {"by": "logs", "proof": proof}          it is a difference of two positive terms, and so is that of their logarithms
    {"by": "squares", "proof": proof}       so is the difference of the squares of its terms above and below 0
    {"by": "limit", "name": x, "end": "low" or "high", "slope": proof}   as monotone, towards infinity
    {"by": "split", "name": x, "at": c, "parts": [left, right]}
    {"by": "monotone", "name": x, "end": "low" or "high", "slope": proof, "face": proof}
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import ctx

from lemmata.bounds.exact.balls import PRECISION
from lemmata.bounds.proof.box import Box, Side
from lemmata.bounds.proof.expression import (
    Expression,
    NotGeneric,
    as_expression,
    derivative,
    find,
    list_parts,
    log,
    number,
    replace_part,
    substitute,
    variable,
    variables_of,
)
from lemmata.bounds.proof.interval import INF, Interval, Undefined, enclose
from lemmata.bounds.proof.normal_form import factors, quotient, simplify, to_expression

Proof = dict[str, Any]
KINKS = ("max", "floor", "lgamma")  # what has no derivative here


class WrongProof(ValueError):
    """A proof of which a piece is missing, or does not follow."""


@dataclass(frozen=True)
class Goal:
    """below <= 0 wherever in the box all conditions are <= 0, and < 0 if they are strict."""

    below: Expression
    box: Any  # a `Box`, which a mapping of sides becomes
    conditions: tuple[Expression, ...] = ()
    strict: frozenset[Expression] = frozenset()

    def __post_init__(self) -> None:
        if not isinstance(self.box, Box):
            object.__setattr__(self, "box", Box(self.box))

    @property
    def forms(self) -> dict[int, Any]:
        """Normal forms that are known, which depend on the signs of expressions on the box."""
        return self.box.forms

    def enclose(self, expression: Expression) -> Interval:
        """An interval around an expression on the box. Raises Undefined."""
        return enclose(expression, self.box.intervals, self.box.enclosed)

    def new_name(self, kind: str) -> str:
        """The name of a variable that is no other's."""
        return next(name for i in itertools.count() if (name := f"{kind} {i}") not in self.box)

    def is_positive(self, part: Expression) -> bool:
        """Whether a part is shown to be above 0 on the box, but for ends that are not members."""
        known = self.box.positive
        if part not in known:
            known[part] = self._is_positive(part)
        return known[part]

    def _is_positive(self, part: Expression) -> bool:
        if part.kind == "variable":
            side = self.box[part.parts[0]]
            return side.low > 0 or (side.low == 0 and side.open_low)
        if part.kind in ("exp", "pi"):
            return True
        if part.kind in ("*", "/", "^") and all(self.is_positive(p) for p in part.parts if isinstance(p, Expression)):
            return True
        if part.kind == "+" and any(
            self.is_positive(a) and self.is_at_least_0(b) for a, b in (part.parts, part.parts[::-1])
        ):
            return True
        try:
            return bool(self.enclose(part).low > 0)
        except Undefined:
            return False

    def is_at_least_0(self, part: Expression) -> bool:
        """Whether a part is shown to be at least 0 on the box."""
        try:
            return bool(self.enclose(part).low >= 0)
        except Undefined:
            return False

    def is_false(self, i: int) -> bool:
        """Whether a condition is shown to fail on the box."""
        condition = self.conditions[i]
        plain = simplify(condition, self)
        fails = condition in self.strict and (self.is_at_least_0(condition) or self.is_at_least_0(plain))
        return fails or self.is_positive(condition) or self.is_positive(plain)

    def narrowed(self) -> Goal:
        """The goal with the conditions that bound one variable by a number as ends of its side."""
        box, others = dict(self.box), []
        for condition in self.conditions:
            end = None
            with suppress(NotGeneric, ArithmeticError, ValueError):
                (name,) = variables_of(condition)
                slope, end = self.solve(condition, name)
            if end is None or not (end.is_number and slope.is_number):
                others.append(condition)
                continue
            side, value, is_open = box[name], end.parts[0], condition in self.strict
            if slope.parts[0] > 0 and side.low < value <= side.high:
                box[name] = replace(side, high=value, open_high=is_open or (side.open_high and value == side.high))
            elif slope.parts[0] < 0 and side.low <= value < side.high:
                box[name] = replace(side, low=value, open_low=is_open or (side.open_low and value == side.low))
            elif value <= side.low if slope.parts[0] > 0 else value >= side.high:
                others.append(condition)
        return replace(self, box=box, conditions=tuple(others))

    def face(self, name: str, end: str) -> Goal:
        """The goal at an end of a side, without conditions."""
        value = getattr(self.box[name], end)
        if isinstance(value, float):
            raise NotGeneric("the face at infinity")
        return self.at(name, value)

    def at(self, name: str, value: Fraction) -> Goal:
        return Goal(substitute(self.below, {name: number(value)}), self.box.without(name))

    def slope(self, name: str, end: str) -> Goal:
        """That the expression does not fall towards an end, under the conditions that hold further on that way too."""
        slope, sign = derivative(self.below, name), 1 if end == "low" else -1
        towards = [(c, derivative(c, name)) for c in self.conditions if not any(p.kind in KINKS for p in list_parts(c))]
        kept = tuple(c for c, rate in towards if rate.is_number and rate.parts[0] * sign >= 0)
        return Goal(slope * sign, self.box, kept)

    def halves(self, name: str, at: Fraction) -> list[Goal]:
        """The goal on both sides of a number; of whole numbers the right half begins with the next."""
        side = self.box[name]
        if not side.low < at < side.high and not (side.whole and side.low <= at < side.high):
            raise WrongProof(f"{at} is not inside {name}")
        if side.whole and at.denominator > 1:
            raise WrongProof(f"{at} is no whole number, and the next one after it would be left out")
        left = replace(side, high=at, open_high=False)
        right = replace(side, low=at + 1 if side.whole else at, open_low=False)
        return [replace(self, box={**self.box, name: half}) for half in (left, right)]

    def signed_factors(self) -> tuple[Fraction, list[Expression]]:
        """(content, factors) of the normal form: what has the sign of the expression wherever it is defined.

        Of the factors those to an odd or fractional power, above and below.
        """
        above, under = factors(self.below, self)
        odd = [part for part, e in (*above.powers, *under.powers) if Fraction(e).denominator > 1 or e % 2]
        return above.content / under.content, odd

    def solve(self, expression: Expression, name: str) -> tuple[Expression, Expression]:
        """(a, x) of an expression that is a (variable - x), with a free of the variable."""
        slope = derivative(expression, name)
        if name in variables_of(slope) or slope is number(0):
            raise NotGeneric(f"not linear in {name}")
        return slope, -substitute(expression, {name: number(0)}) / slope

    def boundary(self, i: int, name: str) -> tuple[str, Goal]:
        """(the end towards which the expression must not fall, the goal where a condition is an equality)."""
        slope, value = self.solve(self.conditions[i], name)
        end, low, high = (
            ("high", self.box[name].low, value) if self.is_positive(slope) else ("low", value, self.box[name].high)
        )
        if end == "low" and not self.is_positive(-slope):
            raise WrongProof("the sign of a condition is not shown")
        inside = Goal(value, self.box.without(name))
        around, side = inside.enclose(value), self.box[name].interval()
        if not (around.low >= side.low and around.high <= side.high):
            raise WrongProof(f"the boundary may lie outside {name}")
        kept = [c for c in self.conditions if name not in variables_of(c)]
        kept += [as_expression(low) - high] if not (isinstance(low, float) or isinstance(high, float)) else []
        return end, Goal(substitute(self.below, {name: value}), inside.box, tuple(kept))

    def combine(self, i: int) -> Goal:
        """The goal less a condition, which is at most 0, so that it is no smaller."""
        rest = (*self.conditions[:i], *self.conditions[i + 1 :])
        return Goal(simplify(self.below - self.conditions[i], self), self.box, rest)

    def normal(self) -> Goal:
        """The goal with the normal form, which is the same wherever the expression is defined."""
        return replace(self, below=simplify(self.below, self))

    def scaled(self, name: str, powers: Mapping[str, str]) -> Goal:
        """The normal form with x times powers of positive variables for a variable x without a finite end but 0."""
        side, new = self.box[name], self.new_name("scale")
        if (
            {side.low, side.high} - {0, INF, -INF}
            or name in powers
            or not all(self.is_positive(variable(other)) for other in powers)
        ):
            raise WrongProof("not a half line, or units that may be 0")
        unit = math.prod((variable(other) ** Fraction(power) for other, power in powers.items()), start=number(1))
        moved = {name: variable(new) * unit}
        box = self.box.without(name, **{new: replace(side, whole=False)})
        return Goal(substitute(self.below, moved), box, tuple(substitute(c, moved) for c in self.conditions)).normal()

    def terms(self) -> list[Expression]:
        """The terms of the normal form."""
        over, under = quotient(self.below, self, self.forms)
        return [to_expression({monomial: c}) / to_expression(under) for monomial, c in sorted(over.items(), key=repr)]

    def cases(self) -> list[Goal]:
        """The goal with either part of its first maximum, where it is the larger one."""
        plain = functools.cache(lambda part: simplify(part, self))
        found = find(self.below, lambda node: node.kind == "max")
        both = set(map(plain, found.parts))
        same = [node for node in list_parts(self.below) if node.kind == "max" and both == set(map(plain, node.parts))]
        goals = []
        for one, other in (found.parts, found.parts[::-1]):
            below = functools.reduce(lambda left, node: replace_part(left, node, one), same, self.below)
            goals.append(replace(self, below=below, conditions=(*self.conditions, other - one)).narrowed())
        return goals

    def fraction(self) -> Goal:
        """The goal with x - u in place of its first rounded x, for any fraction u."""
        found = find(self.below, lambda node: node.kind == "floor")
        name = self.new_name("fraction")
        below = replace_part(self.below, found, found.parts[0] - variable(name))
        return replace(self, below=below, box={**self.box, name: Side(Fraction(0), Fraction(1), open_high=True)})

    def logs(self) -> Goal:
        """That the logarithm of one of two positive terms, of which this is the difference, is at most the other's."""
        over, under = quotient(self.below, self, self.forms)
        if len(over) != 2 or not self.is_positive(to_expression(under)):
            raise NotGeneric("not a difference of two terms")
        terms = sorted(over.items(), key=lambda term: term[1])
        minus, plus = (to_expression({monomial: abs(c)}) for monomial, c in terms)
        if not terms[0][1] < 0 < terms[1][1] or not (self.is_positive(minus) and self.is_positive(plus)):
            raise NotGeneric("not a difference of positive terms")
        return replace(self, below=simplify(log(plus) - log(minus), self))

    def squares(self) -> Goal:
        """That the square of the positive terms is at most that of the negative ones, both of which are at least 0."""
        over, under = quotient(self.below, self, self.forms)
        plus, minus = (to_expression({m: abs(c) for m, c in over.items() if c * sign > 0}) for sign in (1, -1))
        if not all(map(self.is_at_least_0, (plus, minus))) or not self.is_positive(to_expression(under)):
            raise NotGeneric("terms without a sign")
        return replace(self, below=plus**2 - minus**2)

    def limit(self, name: str, end: str) -> Interval:
        """What the expression tends to where a variable tends to infinity."""
        value = getattr(self.box[name], end)
        if not isinstance(value, float):
            raise NotGeneric("an end that is finite")
        return enclose(self.below, {**self.box.intervals, name: Interval(value, value)})

    def of_factor(self, part: Expression, sign: int) -> Goal:
        """That a factor has a sign."""
        return replace(self, below=-part if sign > 0 else part)


def check(goal: Goal, proof: Proof) -> int:
    """The number of pieces of a proof; raises WrongProof."""
    with ctx.workprec(max(ctx.prec, PRECISION)):
        try:
            return _check(replace(goal, box=dict(goal.box)), proof)  # nothing is known that a search has found
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise WrongProof(f"{type(error).__name__}: {error}") from None


def _require(shown: bool, what: str) -> None:
    if not shown:
        raise WrongProof(what)


def _check(goal: Goal, proof: Proof) -> int:
    match proof["by"]:
        case "interval":
            _require(bool(goal.enclose(goal.below).high <= 0), f"{goal.below} is not shown to be at most 0")
        case "outside":
            _require(goal.is_false(proof["condition"]), "the condition is not shown to fail")
        case "zero":
            _require(factors(goal.below, goal)[0].content == 0, f"{goal.below} is not shown to be 0")
        case "split":
            parts = goal.halves(proof["name"], Fraction(proof["at"]))
            _require(len(proof["parts"]) == 2, "a half is missing")
            return sum(_check(half, part) for half, part in zip(parts, proof["parts"], strict=True))
        case "monotone":
            name, end = proof["name"], proof["end"]
            _require(end in ("low", "high"), "an end is low or high")
            goal.enclose(goal.below)  # defined, so continuous, on the whole box
            return _check(goal.slope(name, end), proof["slope"]) + _check(goal.face(name, end), proof["face"])
        case "normal" | "logs" | "squares" | "fraction" as by:
            return _check(getattr(goal, by)(), proof["proof"])
        case "sum":
            terms = goal.terms()
            _require(sorted(i for used, _ in proof["parts"] for i in used) == [*range(len(terms))], "a term is missing")
            sums = [(sum((terms[i] for i in used), number(0)), part) for used, part in proof["parts"]]
            return sum(_check(replace(goal, below=below), part) for below, part in sums)
        case "scale":
            return _check(goal.scaled(proof["name"], proof["powers"]), proof["proof"])
        case "limit":
            name, end = proof["name"], proof["end"]
            goal.enclose(goal.below)
            _require(bool(goal.limit(name, end).high <= 0), "the limit is not shown to be at most 0")
            return _check(goal.slope(name, end), proof["slope"])
        case "boundary":
            goal.enclose(goal.below)
            end, face = goal.boundary(proof["condition"], proof["name"])
            return _check(goal.slope(proof["name"], end), proof["slope"]) + _check(face, proof["face"])
        case "combine":
            return _check(goal.combine(proof["condition"]), proof["proof"])
        case "cases":
            return sum(_check(case, part) for case, part in zip(goal.cases(), proof["parts"], strict=True))
        case "factors":
            return _check_factors(goal, proof["parts"])
        case other:
            raise WrongProof(f"unknown reason {other}")
    return 1


def _check_factors(goal: Goal, parts: list[Proof]) -> int:
    """The pieces of a proof by the signs of factors."""
    sign, found = goal.signed_factors()
    _require(len(found) == len(parts), "a factor is missing")
    for part in parts:
        _require(part["sign"] in (1, -1), "a sign is 1 or -1")
        sign *= part["sign"]
    _require(sign <= 0, "the signs do not multiply to at most 0")
    return sum(_check(goal.of_factor(f, part["sign"]), part["proof"]) for f, part in zip(found, parts, strict=True))
