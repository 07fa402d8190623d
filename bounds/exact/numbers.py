"""Functions of a number, an array or a ball: with them one formula serves floats, fractions and proofs."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import acb, arb

from lemmata.bounds.exact.balls import exact

Number = int | float | Fraction | arb  # what a formula accepts: balls in, ball out
Real = int | float | Fraction  # a formula that is evaluated in rationals or floats, never in balls
Array = np.ndarray

BALLS = (arb, acb)


DIGITS = 2**24  # binary digits that an integer may have, and steps of a recursion


def power(base: int, exponent: int) -> int:
    """base^exponent, an integer. Raises OverflowError for one of more than 2^24 binary digits.

    >>> power(2, 10)
    1024
    """
    if exponent * base.bit_length() > DIGITS:
        raise OverflowError("a whole number of more than 2^24 binary digits")
    return base**exponent


def raised(base: Any, exponent: Any) -> Any:
    """base^exponent of any numbers; of whole ones as `power`.

    >>> raised(2, 10), raised(2.0, 0.5) == 2.0**0.5
    (1024, True)
    """
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent > 0
    return power(base, exponent) if whole else base**exponent


def steps(count: int) -> range:
    """range(count), for a recursion. Raises OverflowError for more than 2^24 steps, which would take too long.

    >>> len(steps(10))
    10
    """
    if count > DIGITS:
        raise OverflowError("a recursion of more than 2^24 steps")
    return range(count)


def least_integer(enough: Callable[[int], bool], start: int = 1) -> int:
    """The least integer above half of `start` that is enough, where every larger one then is.

    >>> least_integer(lambda n: n**2 >= 50)
    8
    """
    high = start
    while not enough(high):
        high *= 2
    return high // 2 + 1 + bisect_left(range(high // 2 + 1, high), True, key=enough)


def halved(crosses: Callable[[Any], bool], low: Any, high: Any, rounds: int = 60) -> tuple[Any, Any]:
    """The ends around the place in [low, high] from which on `crosses` is true; 60 rounds exhaust a float's 53 bits.

    >>> halved(lambda x: x * x >= 2, 0.0, 2.0, rounds=3)
    (1.25, 1.5)
    """
    for _ in range(rounds):
        middle = (low + high) / 2
        low, high = (low, middle) if crosses(middle) else (middle, high)
    return low, high


def exp(x: Any) -> Any:
    """e^x of a number, an array or a ball.

    Parameters
    ----------
    x : number, array or ball
        Where it is evaluated.

    Returns
    -------
    number, array or ball
    """
    return x.exp() if isinstance(x, BALLS) else np.exp(x)


def log(x: Any) -> Any:
    """The natural logarithm of a number, an array or a ball.

    Parameters
    ----------
    x : number, array or ball
        Where it is evaluated.

    Returns
    -------
    number, array or ball
    """
    if isinstance(x, int) and abs(x) >= 2**63:  # numpy has no logarithm of such numbers
        return math.log(x)
    return x.log() if isinstance(x, BALLS) else np.log(x)


def sqrt(x: Any) -> Any:
    """The square root of a number, an array or a ball.

    Parameters
    ----------
    x : number, array or ball
        Where it is evaluated.

    Returns
    -------
    number, array or ball
    """
    return x.sqrt() if isinstance(x, BALLS) else np.sqrt(x)


def inner(a: Iterable, b: Iterable) -> Any:
    """<a, b> of two vectors of fractions, or of other numbers."""
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def alike(*values: Any) -> list[Any]:
    """The values as they are, or all as balls if one of them is: a float logarithm must not enter a proof."""
    return [exact(x) for x in values] if any(isinstance(x, arb) for x in values) else list(values)
