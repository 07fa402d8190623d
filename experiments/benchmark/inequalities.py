"""A statement about numbers: left <= right, or left = right, at every point of a box with conditions; and its twins."""

import contextlib
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf
from types import CodeType
from typing import Any

from flint import arb, ctx

from lemmata.bounds.proof.box import Side
from lemmata.bounds.proof.expression import Condition, Expression, number, rebuild, variables_of
from lemmata.experiments.benchmark.formulas import BALLS, LATEX, PLAIN, Writer, negate, over_balls

PRECISION = 200  # bits of a ball
Setting = dict[str, Any]  # whole numbers, and texts of fractions


@dataclass(frozen=True)
class Inequality:
    """left `relation` right for all numbers of the box at which the conditions hold."""

    left: Expression
    right: Expression
    box: Mapping[str, Side]
    conditions: tuple[Condition, ...] = ()
    relation: str = "<="

    @cached_property
    def names(self) -> list[str]:
        """The variables that occur, in the order of the box."""
        sides = (self.left, self.right, *(condition.below for condition in self.conditions))
        used = frozenset().union(*map(variables_of, sides))
        return [name for name in self.box if name in used]

    @cached_property
    def texts(self) -> tuple[str, str]:
        """Both sides in Python."""
        return PLAIN(self.left), PLAIN(self.right)

    @cached_property
    def conditions_text(self) -> list[str]:
        """The conditions in Python."""
        return [write_condition(condition, PLAIN) for condition in self.conditions]

    def hypotheses(self) -> list[dict[str, str]]:
        """[{text, python}] of the box and the conditions."""
        found = []
        for name in self.names:
            side = self.box[name]
            text = write_side(name, side, PLAIN, " < ", " <= ")
            python = f"{text} and {name} == floor({name})" if side.whole else "True" if text == name else text
            text += " is a whole number" if side.whole else " is real" if text == name else ""
            found.append({"text": text, "python": python})
        return found + [{"text": text, "python": text} for text in self.conditions_text]

    def latex(self) -> str:
        """The statement with its quantifier."""
        hypotheses, sign = r",\ ".join(self.latex_hypotheses()), "=" if self.relation == "=" else r"\le "
        return rf"\forall\,{hypotheses}:\quad {LATEX(self.left)}{sign}{LATEX(self.right)}"

    def latex_hypotheses(self) -> list[str]:
        """The box and the conditions in LaTeX."""
        found = []
        for name in self.names:
            side = self.box[name]
            text = write_side(name, side, LATEX, "<", r"\le ")
            found.append(text + (r"\in\mathbb{Z}" if side.whole else r"\in\mathbb{R}" * (text == LATEX.name(name))))
        return found + [write_condition(condition, LATEX, "<", r"\le ") for condition in self.conditions]

    def words(self) -> str:
        """The statement in plain words."""
        domain = " and ".join(each["text"] for each in self.hypotheses())
        left, right = self.texts
        return f"Whenever {domain}: {left} {'equals' if self.relation == '=' else 'is at most'} {right}."

    def admits(self, setting: Setting) -> bool:
        """Whether a setting is in the box and satisfies the conditions, for certain."""
        for name in self.names:
            side, value = self.box[name], Fraction(setting[name])
            inside = side.low <= value <= side.high and not (side.whole and value.denominator > 1)
            if not inside or (side.open_low and value == side.low) or (side.open_high and value == side.high):
                return False
        with ctx.workprec(PRECISION):
            below = [evaluate(condition.below, setting) for condition in self.conditions]
        return all(
            bool(value < 0 if condition.strict else value <= 0)
            for value, condition in zip(below, self.conditions, strict=True)
        )

    def fails_at(self, setting: Setting) -> bool:
        """Whether balls show that the statement is false at a setting that it is about."""
        if not self.admits(setting):
            return False
        with ctx.workprec(PRECISION):
            left, right = evaluate(self.left, setting), evaluate(self.right, setting)
        finite = left.is_finite() and right.is_finite()
        return finite and bool(left > right or (self.relation == "=" and left < right))

    def program(self, setting: Setting) -> str:
        """The program of a counterexample: balls that do not overlap."""
        left, right = map(over_balls, self.texts)
        lines = [*self.preamble(), *self.assign(setting, self.names), f"left = {left}", f"right = {right}"]
        return "\n".join([*lines, f"assert left {'!=' if self.relation == '=' else '>'} right"])

    def preamble(self) -> list[str]:
        """The first lines of a program: what both sides use, over balls."""
        used = [name for name in BALLS if name not in ("arb", "pi") and re.search(rf"\b{name}\(", " ".join(self.texts))]
        lines = ["from flint import arb, ctx", f"ctx.prec = {PRECISION}"]
        lines += [f"{', '.join(used)} = {', '.join(f'arb.{name}' for name in used)}"] * bool(used)
        return lines + ["pi = arb.pi()"] * bool(re.search(r"\bpi\b", " ".join(self.texts)))

    @staticmethod
    def assign(setting: Setting, names: list[str]) -> list[str]:
        """The line of a program that sets variables."""
        return [f"{', '.join(names)} = {', '.join(over_balls(str(setting[name])) for name in names)}"] * bool(names)


def write_side(name: str, side: Side, writer: Writer, less: str, at_most: str) -> str:
    """The interval of a variable."""
    low = f"{writer(number(side.low))}{less if side.open_low else at_most}" if side.low > -inf else ""
    high = f"{less if side.open_high else at_most}{writer(number(side.high))}" if side.high < inf else ""
    return f"{low}{writer.name(name)}{high}"


def list_terms(x: Expression) -> Iterator[Expression]:
    """The terms of a sum, also of one with a minus before it."""
    inner = negate(x)
    if x.kind == "+":
        yield from itertools.chain(*map(list_terms, x.parts))
    elif inner is not None and inner.kind in "+*" and (inner.kind == "+" or negate(inner) is not None):
        yield from (-1 * term if (plain := negate(term)) is None else plain for term in list_terms(inner))
    else:
        yield x


def write_condition(condition: Condition, writer: Writer, less_than: str = " < ", at_most: str = " <= ") -> str:
    """A condition with what is subtracted on its right side."""
    terms = list(list_terms(condition.below))
    less = [(term, negate(term)) for term in terms]
    left = sum((term for term, inner in less if inner is None), number(0))
    right = sum((inner for _, inner in less if inner is not None), number(0))
    return f"{writer(left)}{less_than if condition.strict else at_most}{writer(right)}"


@lru_cache(maxsize=256)  # equal expressions are the same object; a search evaluates few of them many times
def _compile(expression: Expression) -> CodeType:
    return compile(over_balls(PLAIN(expression)), "<formula>", "eval")


def evaluate(expression: Expression, setting: Setting) -> arb:
    """The value in balls, by the text that programs have."""
    exact = {name: Fraction(value) for name, value in setting.items()}
    at = {name: arb(value.numerator) / value.denominator for name, value in exact.items()}
    return arb(eval(_compile(expression), {**BALLS, "pi": arb.pi(), **at}))


# Perturbations --------------------------------------------------------------------------------------------------------

FACTORS = tuple(map(Fraction, ("1/2", "9/10", "99/100", "101/100", "11/10", "2")))
SHIFTS = tuple(map(Fraction, ("-1", "-1/2", "1/2", "1")))
Variant = tuple[str, str, Expression]  # kind, words, expression


def vary(x: Expression) -> Iterator[Variant]:
    """An expression with one constant or exponent changed, or one term dropped, at one place."""
    if x.is_number and x.parts[0] not in (0, -1):
        for factor in FACTORS:
            yield "constant", f"the constant {x.parts[0]} multiplied by {factor}", number(x.parts[0] * factor)
        return
    if x.kind in ("+", "max") and not any(part.is_number and part.parts[0] in (0, -1) for part in x.parts):
        for kept, dropped in itertools.permutations(x.parts):
            yield "dropped term", f"the term {PLAIN(dropped)} dropped", kept
    if x.kind == "^":
        for shift in SHIFTS:
            if (exponent := x.parts[1] + shift) not in (0, x.parts[1]):
                words = f"the exponent {x.parts[1]} of {PLAIN(x.parts[0])} replaced by {exponent}"
                yield "exponent", words, x.parts[0] ** exponent
    if x.kind == "variable":
        yield "exponent", f"{x.parts[0]} replaced by its square root", x ** Fraction(1, 2)
        yield "exponent", f"{x.parts[0]} replaced by its square", x**2
    for place, part in enumerate(x.parts):
        if isinstance(part, Expression):
            for kind, words, other in vary(part):
                with contextlib.suppress(ArithmeticError):  # a denominator of 0
                    yield kind, words, _rebuilt(x, place, other)


def _rebuilt(x: Expression, place: int, part: Expression) -> Expression:
    parts = enumerate(x.parts)
    return rebuild(x, [part if i == place else other for i, other in parts if isinstance(other, Expression)])


def perturb(made: Inequality) -> Iterator[tuple[str, str, Inequality]]:
    """(kind, words, statement) of all twins of a statement."""
    for name in ("left", "right"):
        for kind, words, other in vary(getattr(made, name)):
            yield kind, f"{words}, on the {name}", replace(made, **{name: other})
    if made.relation == "<=":
        yield "direction", "the direction reversed", replace(made, left=made.right, right=made.left)
    for place, text in enumerate(made.conditions_text):
        fewer = made.conditions[:place] + made.conditions[place + 1 :]
        words = f"the hypothesis {text} left out"
        yield "missing hypothesis", words, replace(made, conditions=fewer)
    for name in made.names:
        for changed in widen(made.box[name]):
            box = {**made.box, name: changed}
            yield "missing hypothesis", f"the hypothesis on {name} weakened", replace(made, box=box)


def widen(side: Side) -> Iterator[Side]:
    """Sides with one end further off."""
    if side.high < inf:
        yield replace(side, high=inf, open_high=True)
    if side.low > 0:
        yield replace(side, low=side.low - 1 if side.whole else Fraction(0), open_low=not side.whole)
    elif side.low == 0 and side.whole is False and side.open_low is False:
        yield replace(side, low=Fraction(-1))
