"""The prover: it looks for a proof that an expression is at most 0 on a box; `lemmata.bounds.proof.checker` reads it.

Tried in this order: interval arithmetic; the cases of a maximum; the normal form, for a difference that is 0 and for
factors with a sign, in units of a variable if need be; conditions; its terms one by one; logarithms or squares of both
sides; the face where a monotone expression is largest, which is how equality at a corner is met (its slope is a
goal of its own, so that as many derivatives are taken as vanish there); and halves. A budget of steps ends the search.
"""

from __future__ import annotations

import itertools
import math
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import ctx

from lemmata.bounds.exact.balls import PRECISION
from lemmata.bounds.proof.box import Box, Side
from lemmata.bounds.proof.checker import Goal, Proof, WrongProof
from lemmata.bounds.proof.expression import Expression, NotGeneric, list_parts, variable, variables_of
from lemmata.bounds.proof.interval import Undefined
from lemmata.bounds.proof.normal_form import powers_of, quotient

FAILURES = (WrongProof, ArithmeticError, NotGeneric)
STEPS = 1500  # of a search
HALVINGS = 40
SLOPES = 4  # derivatives of derivatives
PLAIN = 8  # steps of what is plain to see
SAMPLES = (Fraction(1, 7), Fraction(1, 2), Fraction(11, 13))


class NotProved(WrongProof):
    """The search ended without a proof; `point` is one where the statement is shown to be false, if there is one."""

    def __init__(self, goal: Goal, point: dict[str, Fraction] | None = None) -> None:
        super().__init__(goal, point)
        self.goal, self.point = goal, point

    def __str__(self) -> str:
        return f"{self.goal.below} <= 0" + (f" fails at {self.point}" if self.point else "")


@dataclass
class Search:
    """A search and what is left of its budget."""

    steps: int = STEPS
    parent: Search | None = None

    def part(self, share: int) -> Search:
        """A search with a share of the budget, which it takes from this one."""
        return Search(self.steps // share, self)

    def prove(
        self, goal: Goal, slopes: int = SLOPES, halvings: int = HALVINGS, factored: bool = False, half: bool = False
    ) -> Proof:
        """A proof, or NotProved; `factored`: the goal is a factor already, `half`: it is part of a box."""
        search: Search | None = self
        while search is not None:
            search.steps -= 1
            if search.steps < 0:
                raise NotProved(goal)
            search = search.parent
        with suppress(Undefined):
            if goal.enclose(goal.below).high <= 0:
                return {"by": "interval"}
        if not half and (proof := self.by_normal(goal, slopes, halvings, factored)):
            return proof
        for i, condition in enumerate(goal.conditions):
            with suppress(ArithmeticError, NotGeneric):
                if goal.is_false(i) if not half else goal.enclose(condition).low > 0:
                    return {"by": "outside", "condition": i}
        self.refute(goal)
        proof = self.by_parts(goal) or (None if factored else self.by_factors(goal, slopes, halvings))
        proof = proof or (None if half else self.by_slope(goal, min(slopes, 1), 0))
        proof = proof or (None if half else self.by_terms(goal) or self.by_logs(goal, slopes, halvings))
        proof = proof or (self.by_boundary(goal, slopes) if slopes and not half else None)
        proof = proof or self.by_slope(goal, slopes, halvings)
        return proof or self.by_halves(goal, slopes, halvings, factored)

    def by_parts(self, goal: Goal) -> Proof | None:
        """The cases of a maximum, and fractions in place of rounded numbers."""
        with suppress(NotGeneric):
            return {"by": "cases", "parts": [self.prove(case) for case in goal.cases()]}
        with suppress(NotGeneric):
            return {"by": "fraction", "proof": self.prove(goal.fraction())}
        return None

    def by_normal(self, goal: Goal, slopes: int, halvings: int, factored: bool) -> Proof | None:
        """The normal form is at most 0 by interval arithmetic, or has fewer variables, maybe in units of some."""
        try:
            normal = goal.normal()
            if normal.enclose(normal.below).high <= 0:
                return {"by": "normal", "proof": {"by": "interval"}}
        except FAILURES:
            return None
        left = variables_of(normal.below)
        if left < variables_of(goal.below):
            return {"by": "normal", "proof": self.prove(normal, slopes, halvings, factored)}
        for name, powers in list_units(normal) if not goal.conditions else ():
            with suppress(WrongProof):
                scaled = goal.scaled(name, powers)
                if len(variables_of(scaled.below)) < len(left):
                    how = {"by": "scale", "name": name, "powers": powers}
                    return how | {"proof": self.prove(scaled, slopes, halvings, factored)}
        return None

    def by_terms(self, goal: Goal) -> Proof | None:
        """Each positive term of the normal form is at most a negative one, or several of them."""
        with suppress(*FAILURES):
            terms = goal.terms()
            signs = [self.sign_of(goal, term) for term in terms]
            free, parts = [i for i, sign in enumerate(signs) if sign < 0], []
            if len(free) < 2 or 0 in signs:
                return None
            for i in (i for i, sign in enumerate(signs) if sign > 0):
                mate, proof = self.find_mate(goal, terms, i, free)
                parts.append([[i, mate], proof])
                free.remove(mate)
            return {"by": "sum", "parts": [*parts, *([[i], self.prove(replace(goal, below=terms[i]))] for i in free)]}
        return None

    def find_mate(self, goal: Goal, terms: list[Expression], i: int, free: list[int]) -> tuple[int, Proof]:
        """A negative term that outweighs a positive one, with a proof of that."""
        for mate in free:
            with suppress(*FAILURES):
                return mate, self.part(8).prove(replace(goal, below=terms[i] + terms[mate]), 1, 2)
        raise NotProved(goal)

    def by_logs(self, goal: Goal, slopes: int, halvings: int) -> Proof | None:
        """A difference of two terms, one of which is an exponential, by their logarithms; of roots, by squares."""
        parts = list_parts(goal.below)
        if any(part.kind == "exp" for part in parts):
            with suppress(*FAILURES):
                return {"by": "logs", "proof": self.part(4).prove(goal.logs(), slopes, halvings)}
        roots = any(part.kind == "^" and part.parts[1].denominator == 2 and variables_of(part) for part in parts)
        if roots and not any(part.kind in ("exp", "log", "erfc", "lgamma") for part in parts):
            with suppress(*FAILURES):
                return {"by": "squares", "proof": self.part(8).prove(goal.squares(), 1, 2)}
        return None

    def by_boundary(self, goal: Goal, slopes: int) -> Proof | None:
        """The expression is at most 0 less a condition, or largest where one is an equality."""
        for i in range(len(goal.conditions)):
            with suppress(*FAILURES):
                return {"by": "combine", "condition": i, "proof": self.part(8).prove(goal.combine(i), 1, 2)}
        for i, name in itertools.product(range(len(goal.conditions)), goal.box):
            with suppress(*FAILURES):
                goal.enclose(goal.below)
                end, face = goal.boundary(i, name)
                search = self.part(4)
                slope = search.prove(goal.slope(name, end), 1, 4)
                return {
                    "by": "boundary",
                    "condition": i,
                    "name": name,
                    "slope": slope,
                    "face": search.prove(face, slopes),
                }
        return None

    def refute(self, goal: Goal) -> None:
        """Raise NotProved where the goal is shown to be false at a sample point."""
        for there in list_points(goal):
            try:
                if there.enclose(goal.below).low > 0 and all(there.enclose(c).high <= 0 for c in goal.conditions):
                    raise NotProved(goal, {name: side.low for name, side in there.box.items()})
            except (Undefined, NotGeneric):
                continue

    def by_factors(self, goal: Goal, slopes: int, halvings: int) -> Proof | None:
        """The normal form is 0, or its factors have signs that multiply to -1."""
        try:
            sign, found = goal.signed_factors()
        except (ArithmeticError, NotGeneric):
            return None
        if sign == 0:
            return {"by": "zero"}
        parts: list[Proof] = []
        for part in found:
            last = part is found[-1]
            guess = (-1 if sign > 0 else 1) if last else self.sign_of(goal, part)
            if not guess:
                return None
            sign *= guess
            search = self if last else self.part(4)
            try:
                parts.append(
                    {"sign": guess, "proof": search.prove(goal.of_factor(part, guess), slopes, halvings, True)}
                )
            except NotProved:
                return None
        return {"by": "factors", "parts": parts} if sign <= 0 else None

    def sign_of(self, goal: Goal, part: Any) -> int:
        """The sign of an expression at sample points where the conditions hold, or 0."""
        signs = set()
        for there in list_points(goal):
            try:
                if any(there.enclose(c).low > 0 for c in goal.conditions):
                    continue
                value = there.enclose(part)
            except (Undefined, NotGeneric):
                return 0
            signs.add(1 if value.low > 0 else -1 if value.high < 0 else 0)
        signs -= {0}
        if not signs and goal.conditions:
            return self.sign_of(Goal(goal.below, goal.box), part)
        return signs.pop() if len(signs) == 1 else 0

    def by_slope(self, goal: Goal, slopes: int, halvings: int) -> Proof | None:
        """Where the expression is monotone in a variable, its largest value is on a face.

        Without halvings, only if that is plain to see.
        """
        if not slopes:
            return None
        for name, side in goal.box.items():
            try:
                goal.enclose(goal.below)
                sign = self.sign_of(Goal(goal.below, goal.box), goal.slope(name, "low").below)
                end = "high" if sign > 0 else "low"
                if not sign:
                    continue
                limit = isinstance(getattr(side, end), float)
                if limit and not goal.limit(name, end).high <= 0:
                    continue
                outer, inner = (self, self.part(8)) if halvings else (Search(PLAIN), Search(PLAIN))
                face = None if limit else outer.prove(goal.face(name, end), slopes if halvings else 0, halvings)
                slope = inner.prove(goal.slope(name, end), slopes - 1, min(halvings, 8))
                if limit:
                    return {"by": "limit", "name": name, "end": end, "slope": slope}
                return {"by": "monotone", "name": name, "end": end, "slope": slope, "face": face}
            except FAILURES:
                continue
        return None

    def by_halves(self, goal: Goal, slopes: int, halvings: int, factored: bool) -> Proof:
        """Two halves along the side that is widest."""
        used = variables_of(goal.below).union(*map(variables_of, goal.conditions))
        widths = {name: width(side) for name, side in goal.box.items() if name in used}
        name = max(widths, key=widths.__getitem__, default=None)
        if not halvings or name is None or widths[name] < 1e-6:
            raise NotProved(goal)
        at = middle(goal.box[name])
        parts = [self.prove(part, slopes, halvings - 1, factored, half=True) for part in goal.halves(name, at)]
        return {"by": "split", "name": name, "at": str(at), "parts": parts}


def list_points(goal: Goal) -> list[Goal]:
    """The goal at sample points."""
    samples = goal.box.samples
    for share in SAMPLES[len(samples) :]:
        samples.append(Box({name: Side(x := pick(side, share), x) for name, side in goal.box.items()}))
    return [replace(goal, box=point) for point in samples]


def list_units(goal: Goal) -> list[tuple[str, dict[str, str]]]:
    """Each variable of a product in a normal form, with the powers of the others that make the product one variable.

    Where another variable may then be left out: to the same power in every term, as far as that is no part of an atom.
    """
    terms = [dict(monomial) for side in quotient(goal.below, goal, goal.forms) for monomial in side]
    found = {}
    for part in list_parts(goal.below):
        units = {a.parts[0]: e for a, e in powers_of(part)[1] if a.kind == "variable"} if part.kind == "*" else {}
        for name in units:
            powers = {other: -e / units[name] for other, e in units.items() if other != name}
            found[name, *powers.items()] = name, powers
    return [
        (name, {other: str(e) for other, e in powers.items()})
        for name, powers in found.values()
        if any(len({degree(term, name, other, e) for term in terms} - {None}) <= 1 for other, e in powers.items())
    ]


def degree(term: dict[Expression, Fraction], name: str, other: str, power: Fraction) -> Fraction | None:
    """The power of another variable in a term, `name` in units of a power of it; None if an atom holds one of them."""
    if any(atom.kind != "variable" and variables_of(atom) & {name, other} for atom in term):
        return None
    return term.get(variable(other), Fraction(0)) + power * term.get(variable(name), Fraction(0))


def pick(side: Side, share: Fraction) -> Fraction:
    """A number of a side, so far along it; 40 stands for infinity."""
    low = side.low if isinstance(side.low, Fraction) else Fraction(-40)
    high: Fraction = side.high if isinstance(side.high, Fraction) else max(low, Fraction(0)) + Fraction(40)
    low = low if isinstance(side.low, Fraction) else min(high, Fraction(0)) - Fraction(40)
    x = low + (high - low) * (share if isinstance(side.high, Fraction) else share * share * share * share)
    return Fraction(-(-x // 1)) if side.whole else x


def width(side: Side) -> float:
    """How wide a side is, on a scale on which the whole line has the width 2."""
    ends = float(side.low), float(side.high)
    low, high = (end / (1 + abs(end)) if math.isfinite(end) else math.copysign(1, end) for end in ends)
    return 0.0 if side.whole and side.high - side.low < 1 else high - low


def middle(side: Side) -> Fraction:
    """Where a side is halved: near 0 where it is infinite, else further out by a factor."""
    low, high = side.low, side.high
    if isinstance(low, Fraction) and isinstance(high, Fraction):
        at = (low + high) / 2
    elif isinstance(low, Fraction):
        at = 2 * max(low, Fraction(1)) if low >= 0 else Fraction(0)
    else:
        at = 2 * min(high, Fraction(-1)) if isinstance(high, Fraction) and high <= 0 else Fraction(0)
    return Fraction(at // 1) if side.whole else at


def prove(goal: Goal, steps: int = STEPS) -> Proof:
    """A proof of a goal, for the checker. Raises NotProved."""
    with ctx.workprec(max(ctx.prec, PRECISION)):
        return Search(steps).prove(goal)
