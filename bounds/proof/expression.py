"""Expressions in real and whole numbers: what a formula computes, as a tree that can be bounded and differentiated.

A formula that is called with variables in place of numbers returns an expression (`lemmata.bounds.proof.tracing`).
Numbers in it are rational: nothing is rounded.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, reduce
from math import inf
from typing import Any


class NotGeneric(TypeError):
    """A formula that cannot be followed: it rounds, counts with a variable, or calls what has no expression."""


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """A number, a variable, or a function of other expressions. Equal expressions are the same object."""

    kind: str  # number | variable | + | * | / | ^ | exp | log | erfc | lgamma | floor | max | pi
    parts: tuple[Any, ...]  # expressions; of a number its value, of a variable its name, of a power also the exponent

    def __add__(self, other: Any) -> Expression:
        return _folded("+", operator.add, self, other)

    def __radd__(self, other: Any) -> Expression:
        return _folded("+", operator.add, other, self)

    def __neg__(self) -> Expression:
        return -1 * self

    def __sub__(self, other: Any) -> Expression:
        return self + -1 * as_expression(other)

    def __rsub__(self, other: Any) -> Expression:
        return other + -1 * self

    def __mul__(self, other: Any) -> Expression:
        return _folded("*", operator.mul, self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _folded("*", operator.mul, other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _folded("/", operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _folded("/", operator.truediv, other, self)

    def __pow__(self, exponent: Any) -> Expression:
        exponent = as_expression(exponent)
        if not exponent.is_number:
            return exp(exponent * log(self))
        power = exponent.parts[0]
        if self.is_number and power.denominator == 1 and abs(power) < 1000:
            return number(self.parts[0] ** int(power))
        if self.kind == "^" and self.parts[1] % 2:  # (x^2)^(1/2) is |x|, and stays as it is
            return self.parts[0] ** (self.parts[1] * power)
        return self if power == 1 else number(1) if power == 0 else _make("^", self, power)

    def __rpow__(self, base: Any) -> Expression:
        return exp(self * log(as_expression(base)))

    def __abs__(self) -> Expression:
        return largest(self, -self)

    def __le__(self, other: Any) -> Condition:
        return Condition(_less(self, other))

    def __lt__(self, other: Any) -> Condition:
        return Condition(_less(self, other), strict=True)

    def __ge__(self, other: Any) -> Condition:
        return Condition(-_less(self, other))

    def __gt__(self, other: Any) -> Condition:
        return Condition(-_less(self, other), strict=True)

    def __floor__(self) -> Expression:
        return floor(self)

    def __ceil__(self) -> Expression:
        return -floor(-self)

    def __float__(self) -> float:
        raise NotGeneric("a float of a variable")

    __int__ = __index__ = __float__

    def __bool__(self) -> bool:
        return not bool(Equality(self))

    @property
    def is_number(self) -> bool:
        """Whether it is one rational number."""
        return self.kind == "number"

    def __repr__(self) -> str:
        if self.kind in ("number", "variable"):
            return f"{self.parts[0]}"
        if self.kind in "+*/^":
            return (
                f"({f' {self.kind} '.join(map(repr, self.parts))})"
                if self.kind != "^"
                else "{!r}^({})".format(*self.parts)
            )
        return f"{self.kind}({', '.join(map(repr, self.parts))})"


@cache
def _table() -> dict[tuple, Expression]:
    """All expressions that there are: behind a function, whose code a digest covers, and not what it has returned."""
    return {}


def _make(kind: str, *parts: Any) -> Expression:
    return _table().setdefault((kind, *parts), Expression(kind, parts))


def number(value: Any) -> Expression:
    """A rational number."""
    return _make("number", Fraction(value))


def variable(name: str) -> Expression:
    """A variable."""
    return _make("variable", name)


def as_expression(value: Any) -> Expression:
    """An expression as it is, or that of a whole or rational number."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, int | Fraction):
        return number(value)
    raise NotGeneric(f"{type(value).__name__} {value!r}")


def _less(left: Expression, right: Any) -> Expression:
    """left - right, or a number of its sign where the right side is infinite."""
    return number(-1 if right > 0 else 1) if isinstance(right, float) and abs(right) == inf else left - right


NEUTRAL = {"+": 0, "*": 1, "/": 1}


def _folded(kind: str, function: Callable, left: Any, right: Any) -> Expression:
    """left kind right, computed where both are numbers."""
    left, right = as_expression(left), as_expression(right)
    if left.is_number and right.is_number:
        return number(function(left.parts[0], right.parts[0]))
    neutral = number(NEUTRAL[kind])
    if right is neutral:
        return left
    return right if left is neutral and kind != "/" else _make(kind, left, right)


def exp(x: Any) -> Expression:
    """e^x."""
    x = as_expression(x)
    return number(1) if x is number(0) else x.parts[0] if x.kind == "log" else _make("exp", x)


def log(x: Any) -> Expression:
    """The natural logarithm."""
    x = as_expression(x)
    return number(0) if x is number(1) else x.parts[0] if x.kind == "exp" else _make("log", x)


def sqrt(x: Any) -> Expression:
    """The square root."""
    x = as_expression(x)
    if x.is_number:
        from math import isqrt

        above, below = x.parts[0].as_integer_ratio()
        if above >= 0 and isqrt(above) ** 2 == above and isqrt(below) ** 2 == below:
            return number(Fraction(isqrt(above), isqrt(below)))
    return x ** Fraction(1, 2)


def erfc(x: Any) -> Expression:
    """2/sqrt(pi) times the integral of exp(-t^2) over t > x."""
    return _make("erfc", as_expression(x))


def lgamma(x: Any) -> Expression:
    """The logarithm of the gamma function."""
    return _make("lgamma", as_expression(x))


def floor(x: Any) -> Expression:
    """The largest whole number that is at most x."""
    x = as_expression(x)
    return number(x.parts[0] // 1) if x.is_number else x if _is_whole(x) else _make("floor", x)


def _is_whole(x: Expression) -> bool:
    """Whether an expression is a whole number by its form."""
    if x.is_number:
        return bool(x.parts[0].denominator == 1)
    return x.kind == "floor" or (x.kind in ("+", "*") and all(map(_is_whole, x.parts)))


def largest(*values: Any) -> Expression:
    """The largest of some expressions."""

    def pair(a: Expression, b: Expression) -> Expression:
        return (
            number(max(a.parts[0], b.parts[0])) if a.is_number and b.is_number else a if a is b else _make("max", a, b)
        )

    return reduce(pair, map(as_expression, values))


def smallest(*values: Any) -> Expression:
    """The smallest of some expressions."""
    return -largest(*(-as_expression(value) for value in values))


PI = _make("pi")


def walk(expression: Expression, function: Callable[[Expression, list[Any]], Any], seen: dict[int, Any]) -> Any:
    """`function(node, values of its parts)` from the leaves up, each node once; `seen` keeps the values."""
    if id(expression) not in seen:
        inner = [walk(part, function, seen) for part in expression.parts if isinstance(part, Expression)]
        seen[id(expression)] = function(expression, inner)
    return seen[id(expression)]


def substitute(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with others in place of variables."""
    return walk(
        expression,
        lambda node, parts: values.get(node.parts[0], node) if node.kind == "variable" else rebuild(node, parts),
        {},
    )


def replace_part(expression: Expression, part: Expression, other: Expression) -> Expression:
    """The expression with another one in place of a part."""
    return walk(expression, lambda node, parts: other if node is part else rebuild(node, parts), {})


@cache
def list_parts(expression: Expression) -> list[Expression]:
    """All parts of an expression, the innermost first."""
    order: dict[int, Expression] = {}
    walk(expression, lambda node, parts: order.setdefault(id(node), node), {})
    return list(order.values())


def find(expression: Expression, wanted: Callable[[Expression], bool]) -> Expression:
    """The first of the innermost parts that are wanted. Raises NotGeneric where there is none."""
    for node in list_parts(expression):
        if wanted(node):
            return node
    raise NotGeneric("no such part")


BUILD: dict[str, Callable[..., Expression]] = {
    "+": operator.add, "*": operator.mul, "/": operator.truediv, "exp": exp, "log": log, "erfc": erfc,
    "lgamma": lgamma, "floor": floor, "max": largest,
}  # fmt: skip


def rebuild(node: Expression, parts: list[Expression]) -> Expression:
    """A node with other parts."""
    if node.kind == "^":
        return parts[0] ** node.parts[1]
    return BUILD[node.kind](*parts) if parts else node


@cache
def variables_of(expression: Expression) -> frozenset[str]:
    """The names of the variables of an expression."""
    return walk(
        expression,
        lambda node, parts: frozenset(node.parts) if node.kind == "variable" else frozenset().union(*parts),
        {},
    )


@cache
def derivative(expression: Expression, name: str) -> Expression:
    """d/d name. Raises NotGeneric at a kink or a jump."""
    zero = number(0)

    def rule(node: Expression, inner: list[Expression]) -> Expression:
        if node.kind == "variable":
            return number(int(node.parts[0] == name))
        if all(part is zero for part in inner):
            return zero
        a, b = (*node.parts, None)[:2]
        match node.kind:
            case "+":
                return inner[0] + inner[1]
            case "*":
                return (zero if inner[0] is zero else inner[0] * b) + (zero if inner[1] is zero else a * inner[1])
            case "/":
                first = zero if inner[0] is zero else inner[0] / b
                return first if inner[1] is zero else first - a * inner[1] / b**2
            case "^":
                return b * a ** (b - 1) * inner[0]
            case "exp":
                return node * inner[0]
            case "log":
                return inner[0] / a
            case "erfc":
                return -2 / sqrt(PI) * exp(-(a**2)) * inner[0]
        raise NotGeneric(f"no derivative of {node.kind}")

    return walk(expression, rule, {})


# Conditions -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """below <= 0, or < 0; its truth is what the path that is followed takes it for."""

    below: Expression
    strict: bool = False

    def __bool__(self) -> bool:
        if self.below.is_number:
            value = self.below.parts[0]
            return bool(value < 0 if self.strict else value <= 0)
        return _path.get().decide(self)

    def negated(self) -> Condition:
        """The opposite."""
        return Condition(-self.below, not self.strict)


@dataclass(frozen=True)
class Equality:
    """difference = 0."""

    difference: Expression

    def __bool__(self) -> bool:
        return bool(Condition(self.difference)) and bool(Condition(-self.difference))


@dataclass
class Path:
    """The conditions that one way through a formula takes as true; new ones first as `decides` says, else both ways."""

    decides: Callable[[Condition], bool | None]
    plan: list[bool] = field(default_factory=list)
    taken: list[Condition] = field(default_factory=list)

    def decide(self, condition: Condition) -> bool:
        known = self.decides(condition)
        if known is not None:
            return known
        for earlier in self.taken:
            if earlier.below is condition.below and (earlier.strict or not condition.strict):
                return True
            if earlier.below is (-condition.below) and (earlier.strict or condition.strict):
                return False
        if len(self.taken) == len(self.plan):
            self.plan.append(True)
        true = self.plan[len(self.taken)]
        self.taken.append(condition if true else condition.negated())
        return true


_path: ContextVar[Path] = ContextVar("path")
MOST = 64  # ways through a formula


@contextmanager
def following(path: Path) -> Iterator[None]:
    token = _path.set(path)
    try:
        yield
    finally:
        _path.reset(token)


def explore(
    run: Callable[[], Any], decides: Callable[[Condition], bool | None]
) -> Iterator[tuple[list[Condition], Any]]:
    """(conditions, result) of every way through a formula."""
    plan: list[bool] = []
    for _ in range(MOST):
        path = Path(decides, plan)
        with following(path):
            result = run()
        yield path.taken, result
        plan = path.plan
        while plan and not plan[-1]:
            plan.pop()
        if not plan:
            return
        plan = [*plan[:-1], False]
    raise NotGeneric("too many ways through the formula")
