"""Intervals of real numbers, whose ends may be infinite, and what expressions are on them.

An interval encloses all values. Ends are balls without radius, or an infinite float; what is computed is rounded
outward. A function that is not defined on the whole interval raises Undefined.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, fmpq

from lemmata.bounds.proof.expression import Expression, walk

INF = math.inf
End = Any  # arb of radius 0, or an infinite float


class Undefined(ArithmeticError):
    """A function of an interval on which it is not defined, or not bounded."""


class Interval(NamedTuple):
    """All real numbers from `low` to `high`."""

    low: End
    high: End


def is_infinite(end: End) -> bool:
    return isinstance(end, float)


def point(value: Any) -> Interval:
    """An interval around one rational number."""
    ball = arb(fmpq(value.numerator, value.denominator)) if isinstance(value, Fraction) else arb(value)
    return around(ball)


def around(ball: arb) -> Interval:
    if not ball.is_finite():
        raise Undefined("beyond the range of balls")
    return Interval(ball.lower(), ball.upper())


def _sum(a: End, b: End) -> End:
    if is_infinite(a) and is_infinite(b) and a != b:
        raise Undefined("infinity - infinity")
    return a if is_infinite(a) else b if is_infinite(b) else a + b


def _product(a: End, b: End) -> End:
    if is_infinite(a) or is_infinite(b):
        sign = _sign(a) * _sign(b)
        return sign * INF if sign else arb(0)
    return a * b


def _sign(end: End) -> int:
    return (end > 0) - (end < 0)


def _down(end: End) -> End:
    return end if is_infinite(end) else _finite(end).lower()


def _up(end: End) -> End:
    return end if is_infinite(end) else _finite(end).upper()


def _finite(end: arb) -> arb:
    if not end.is_finite():
        raise Undefined("beyond the range of balls")
    return end


def _least(ends: list[End]) -> End:
    best = ends[0]
    for end in ends[1:]:
        best = end if end < best else best
    return best


def add(a: Interval, b: Interval) -> Interval:
    return Interval(_down(_sum(a.low, b.low)), _up(_sum(a.high, b.high)))


def negate(a: Interval) -> Interval:
    return Interval(-a.high, -a.low)


def is_limit(a: Interval) -> bool:
    """Whether it is infinity alone, what a variable tends to."""
    return is_infinite(a.low) and a.low == a.high


def multiply(a: Interval, b: Interval) -> Interval:
    if (is_limit(a) and b.low <= 0 <= b.high) or (is_limit(b) and a.low <= 0 <= a.high):
        raise Undefined("0 times infinity")
    ends = [_product(x, y) for x in a for y in b]
    return Interval(_least([_down(end) for end in ends]), -_least([-_up(end) for end in ends]))


def invert(a: Interval) -> Interval:
    if is_limit(a):
        return Interval(arb(0), arb(0))
    if a.low < 0 < a.high or (a.low == 0 and a.high == 0):
        raise Undefined("division by 0")
    low, high = (arb(0) if is_infinite(end) else end for end in a)
    if a.high > 0:
        return Interval(arb(0) if is_infinite(a.high) else (1 / high).lower(), INF if a.low == 0 else (1 / low).upper())
    return Interval(-INF if a.high == 0 else (1 / high).lower(), arb(0) if is_infinite(a.low) else (1 / low).upper())


def monotone(function: Callable[[arb], arb], low: End, high: End) -> Callable[[Interval], Interval]:
    """An increasing function of intervals, with its limits at both infinite ends."""

    def of_end(end: End, up: bool) -> End:
        if is_infinite(end):
            return high if end > 0 else low
        value = function(end)
        return _up(value) if up else _down(value)

    return lambda a: Interval(of_end(a.low, False), of_end(a.high, True))


exp = monotone(lambda x: x.exp(), arb(0), INF)
floor = monotone(lambda x: x.floor(), -INF, INF)
negated_erfc = monotone(lambda x: -x.erfc(), arb(-2), arb(0))


def log(a: Interval) -> Interval:
    if a.low < 0 or a.high <= 0:
        raise Undefined("the logarithm of a number below 0")
    if is_limit(a):
        return a
    return Interval(-INF if a.low == 0 else _down(a.low.log()), a.high if is_infinite(a.high) else _up(a.high.log()))


def lgamma(a: Interval) -> Interval:
    if not a.low > 0:
        raise Undefined("log gamma below 0")
    ends = [INF if is_infinite(end) else _finite(end.lgamma()) for end in a]
    high = -_least([-_up(end) for end in ends])
    if a.low > arb("1.4617"):
        return Interval(_down(ends[0]), high)
    return Interval(_down(ends[1]) if a.high < arb("1.4616") else arb("-0.1215").lower(), high)


def power(a: Interval, exponent: Fraction) -> Interval:
    if exponent < 0:
        return invert(power(a, -exponent))
    whole = exponent.denominator == 1

    def of_end(end: End) -> End:
        if is_infinite(end):
            return INF if end > 0 or exponent.numerator % 2 == 0 else -INF
        if whole:
            return end ** int(exponent)
        return (
            arb(0)
            if end == 0
            else (end.log() * arb(fmpq(exponent.numerator, exponent.denominator))).exp()
            if exponent != Fraction(1, 2)
            else end.sqrt()
        )

    if not whole and a.low < 0:
        raise Undefined("a root of a number below 0")
    ends = [of_end(end) for end in a]
    low, high = _least([_down(end) for end in ends]), -_least([-_up(end) for end in ends])
    return Interval(arb(0) if exponent.numerator % 2 == 0 and a.low <= 0 <= a.high else low, high)


def greater(a: Interval, b: Interval) -> Interval:
    return Interval(-_least([-a.low, -b.low]), -_least([-a.high, -b.high]))


FUNCTIONS: dict[str, Callable[..., Interval]] = {
    "+": add, "*": multiply, "/": lambda a, b: multiply(a, invert(b)), "exp": exp, "log": log,
    "erfc": lambda a: negate(negated_erfc(a)), "lgamma": lgamma, "floor": floor, "max": greater,
    "pi": lambda: around(arb.pi()),
}  # fmt: skip


def enclose(expression: Expression, box: Mapping[str, Interval], seen: dict[int, Interval] | None = None) -> Interval:
    """An interval that holds every value of an expression on a box. Raises Undefined."""

    def value(node: Expression, parts: list[Interval]) -> Interval:
        if node.kind == "number":
            return point(node.parts[0])
        if node.kind == "variable":
            return box[node.parts[0]]
        if node.kind == "^":
            return power(parts[0], node.parts[1])
        if node.kind == "*" and node.parts[0] is node.parts[1]:
            return power(parts[0], Fraction(2))
        return FUNCTIONS[node.kind](*parts)

    return walk(expression, value, {} if seen is None else seen)
