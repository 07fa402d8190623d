"""Boxes: the numbers that variables take, and what was found out about expressions on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lemmata.bounds.proof import interval
from lemmata.bounds.proof.expression import Expression
from lemmata.bounds.proof.interval import Interval


@dataclass(frozen=True)
class Side:
    """The numbers that a variable takes: an interval, of which an open end is no member, or its whole numbers."""

    low: Fraction | float  # or -inf
    high: Fraction | float  # or inf
    open_low: bool = False
    open_high: bool = False
    whole: bool = False

    def interval(self) -> Interval:
        """The interval, with its ends."""
        return Interval(
            self.low if isinstance(self.low, float) else interval.point(self.low).low,
            self.high if isinstance(self.high, float) else interval.point(self.high).high,
        )


class Box(dict[str, Side]):
    """The sides of variables, which do not change, and what is known of expressions on them."""

    def __init__(self, sides: Mapping[str, Side]) -> None:
        super().__init__(sides)
        self.intervals = {name: side.interval() for name, side in sides.items()}
        self.enclosed: dict[int, Interval] = {}  # by the ids of expressions, which stay
        self.forms: dict[int, Any] = {}  # normal forms, which depend on signs
        self.positive: dict[Expression, bool] = {}
        self.others: dict[Any, Box] = {}
        self.samples: list[Box] = []  # points in it

    def without(self, name: str, **added: Side) -> Box:
        """The box with other variables in place of one."""
        key = name, *added.items()
        if key not in self.others:
            self.others[key] = Box({other: side for other, side in self.items() if other != name} | added)
        return self.others[key]
