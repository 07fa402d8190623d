"""What a statement assumes: conditions on named arguments, as predicates with the range that they allow in words."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from lemmata.bounds.statement.functions import FunctionClass

NUMBERS = (float, int, Fraction, np.integer)  # of which a test needs no array; those of numpy's that are floats too


class OutsideHypotheses(ValueError):
    """A setting that the statement does not speak about."""


class Domain(NamedTuple):
    """The numbers that a hypothesis on one argument allows: an interval, of which an end that is `open` is no member.

    A search draws its settings from it (`lemmata.experiments.engine.search`).
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    whole: bool = False

    def meet(self, other: Domain) -> Domain:
        """The numbers that both allow.

        >>> Domain(0, 1, open_low=True).meet(Domain(0, 0.5))
        Domain(low=0, high=0.5, open_low=True, open_high=False, whole=False)
        """
        low, open_low = max((self.low, self.open_low), (other.low, other.open_low))
        high, closed = min((self.high, not self.open_high), (other.high, not other.open_high))
        return Domain(low, high, open_low, not closed, self.whole or other.whole)


@dataclass(frozen=True)
class Hypothesis:
    """One condition on named arguments, with the range it allows in words."""

    names: tuple[str, ...]
    range: str
    holds: Callable[..., bool]
    domain: Domain | None = None  # of the one argument, where it is an interval
    of_float: Callable[[float], bool] | None = None  # the same of one float, without an array: nearly every argument
    functions: FunctionClass | None = None  # of the first argument, where it is a function

    @functools.cached_property
    def named(self) -> frozenset[str]:
        """The names, as a set."""
        return frozenset(self.names)

    def admits(self, values: Mapping[str, Any]) -> bool:
        """Whether the named entries of `values` satisfy the condition."""
        if self.of_float is not None and isinstance(value := values[self.names[0]], NUMBERS):
            return self.of_float(float(value))
        return self.holds(*(values[name] for name in self.names))

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise `OutsideHypotheses` unless the named entries of `values` satisfy the condition."""
        if not self.admits(values):
            named = {name: values[name] for name in self.names}
            raise OutsideHypotheses(f"{in_words(named)} is outside the hypothesis: {self.range}")


def require(range: str, holds: Callable[..., bool]) -> Hypothesis:
    """A hypothesis on the arguments that the predicate `holds` names.

    Parameters
    ----------
    range : str
        The hypothesis in words or symbols, as messages and pages show it.
    holds : function
        The predicate. Its parameters have the names of the statement's arguments.

    Returns
    -------
    Hypothesis

    Examples
    --------
    >>> require("n >= 1", lambda n: n >= 1).check({"n": 0})
    Traceback (most recent call last):
    lemmata.bounds.statement.hypotheses.OutsideHypotheses: n = 0 is outside the hypothesis: n >= 1
    """
    return Hypothesis(tuple(inspect.signature(holds).parameters), range, holds)


def _everywhere(test: Callable[[Any], Any]) -> Callable[[Any], bool]:
    """The predicate on scalars or arrays: all entries pass, and NaN never does."""
    return lambda value: bool(np.all(test(np.asarray(value, dtype=float))))


def _of_each(
    name: str, range: str, test: Callable[[Any], Any], of_float: Callable[[float], bool], domain: Domain
) -> Hypothesis:
    """What a test says of an argument that is an array of numbers, or one: numpy takes ten times as long for that."""
    return Hypothesis((name,), range, _everywhere(test), domain, of_float)


def in_unit_interval(name: str) -> Hypothesis:
    """0 < value < 1.

    Parameters
    ----------
    name : str
        Of the argument of the statement's function.

    Returns
    -------
    Hypothesis

    Examples
    --------
    >>> in_unit_interval("beta").range
    '0 < beta < 1'
    """
    domain = Domain(0, 1, open_low=True, open_high=True)
    return _of_each(name, f"0 < {name} < 1", lambda v: (v > 0) & (v < 1), lambda v: 0 < v < 1, domain)


def positive(name: str) -> Hypothesis:
    """0 < value < infinity.

    Parameters
    ----------
    name : str
        Of the argument of the statement's function.

    Returns
    -------
    Hypothesis

    Examples
    --------
    >>> positive("gamma").range
    '0 < gamma < inf'
    """
    domain = Domain(0, open_low=True, open_high=True)
    return _of_each(name, f"0 < {name} < inf", lambda v: (v > 0) & np.isfinite(v), lambda v: 0 < v < math.inf, domain)


def at_least(name: str, low: float) -> Hypothesis:
    """low <= value < infinity.

    Parameters
    ----------
    name : str
        Of the argument of the statement's function.
    low : float
        The least value allowed.

    Returns
    -------
    Hypothesis

    Examples
    --------
    >>> at_least("gamma", 0.5).range
    '0.5 <= gamma < inf'
    """
    domain = Domain(low, open_high=True)
    return _of_each(
        name, f"{low} <= {name} < inf", lambda v: (v >= low) & np.isfinite(v), lambda v: low <= v < math.inf, domain
    )


def between(name: str, low: float, high: float) -> Hypothesis:
    """low <= value <= high.

    Parameters
    ----------
    name : str
        Of the argument of the statement's function.
    low, high : float
        The ends, both allowed.

    Returns
    -------
    Hypothesis

    Examples
    --------
    >>> between("rho", 0, 0.5).range
    '0 <= rho <= 0.5'
    """
    domain = Domain(low, high)
    return _of_each(
        name, f"{low} <= {name} <= {high}", lambda v: (v >= low) & (v <= high), lambda v: low <= v <= high, domain
    )


def integer(name: str, low: int = 1) -> Hypothesis:
    """A whole number of at least `low`.

    Parameters
    ----------
    name : str
        Of the argument of the statement's function.
    low : int
        The least value allowed.

    Returns
    -------
    Hypothesis

    Examples
    --------
    >>> integer("n").range
    'n a whole number >= 1'
    """
    return _of_each(
        name,
        f"{name} a whole number >= {low}",
        lambda v: (v >= low) & np.isfinite(v) & (v == np.floor(v)),
        lambda v: v >= low and v.is_integer(),  # which neither an infinity nor NaN is
        Domain(low, open_high=True, whole=True),
    )


def in_words(arguments: Mapping[str, Any]) -> str:
    """Arguments for a message: `n = 1, gamma = 0.5`."""
    return ", ".join(f"{name} = {short(value)}" for name, value in arguments.items())


def short(value: Any) -> str:
    """A value for a message, on one line, cut where it is long."""
    if isinstance(value, int) and abs(value) > 10**60:
        return f"a number of {value.bit_length()} bits"
    text = " ".join(repr(value).split()) if isinstance(value, np.ndarray | list | tuple) else repr(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
