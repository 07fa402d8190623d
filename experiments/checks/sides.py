"""What is remembered of the sides of a check's cases, and which of them are floats in another dress."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import arb

from lemmata.bounds.exact.balls import exact
from lemmata.experiments.checks import witness
from lemmata.experiments.engine.claims.copies import LONG, is_same_rounding, odd_part

STATED = "stated by its check"  # what a tightness is taken from, where its check says it
NARROW = 2.0**-90  # relative radius of a ball that was computed from numbers without an error of their own
MULTIPLES = 12  # of a side that may be a float
DIGITS = 15  # of a number that people write


@dataclass
class Sides:
    """What is remembered of the sides of all cases of a statement."""

    key: str
    floats: bool = False  # whether a side is one
    same: set[float] = field(default_factory=set)  # the digits of those with the same rounding error
    different: int = 0
    stated: bool = False  # whether the check says itself how tight the bound is
    largest: dict[str, tuple[float, dict]] = field(default_factory=dict)  # of cases, "", and of links, and where

    def measure(self, name: str, setting: dict, share: float) -> None:
        """Remember left / right if it is the largest of this name so far."""
        if share > self.largest.setdefault(name, (0.0, {}))[0]:
            self.largest[name] = share, setting

    def share(self, name: str, constant: float) -> dict[str, Any]:
        """The largest left / right of a name and its setting, for the store; {} without one."""
        share, setting = self.largest.get(name, (0.0, {}))
        return witness.plain({"share": share / constant, "at": setting}) if 0 < share < math.inf else {}

    def shares(self, constant: float, basis: str) -> dict[str, Any]:
        """What cases and our last link reach of their right sides, and what the tightness is taken from."""
        *_, last = ["", *(name for name in self.largest if name)]
        found = {"case": self.share("", constant), "link": self.share(last, 1) if last else {}}
        return found | {"basis": STATED if self.stated else basis}

    def add(self, case: tuple[dict, Any, Any], share: float) -> None:
        """Compare the sides of one case to the last bit, and remember left / right, its share."""
        setting, left, right = case
        self.measure("", setting, share)
        same = is_same_rounding(self.key, left, right, setting)
        self.different += same is False
        if same:
            self.same.add(math.frexp(left)[0])

    def compare(self) -> tuple[int, int]:
        """How many sides have the same rounding error, by different digits, and how many pairs differ."""
        return len(self.same), self.different


def unmask_float(side: Any, setting: Any) -> Any:
    """The float that a ball or a rational was made of: an odd number of 40 to 53 bits times 2^k.

    A number of the setting, times a power of two, is exact: the statement is about that number.
    """
    if type(side) not in (arb, Fraction):
        return side
    exactly = not isinstance(side, arb) or side.is_exact()
    odd = find_odd_part(side) if exactly else 0
    return float(side) if odd.bit_length() >= LONG and odd not in map(find_odd_part, setting.values()) else side


def is_made_of_float(side: Any, setting: Any) -> bool:
    """Whether a ball or a rational has the digits of a float, or is one over a small number.

    Where the setting has a number of many bits a check may compute such numbers itself. Where it has none, they may
    still be the truth, so that nothing is machine-checked by them, and all else stays as it is.
    """
    if type(side) not in (arb, Fraction):
        return False
    given = [
        x for x in setting.values() if isinstance(x, Fraction | arb) or (isinstance(x, float) and math.isfinite(x))
    ]
    if any(isinstance(x, arb) or odd_part(x.as_integer_ratio()[0]).bit_length() >= LONG for x in given):
        return False
    if any(find_odd_part(side * times).bit_length() >= LONG for times in range(1, MULTIPLES + 1)):
        return True
    near = find_inside(side, lambda near: Fraction(repr(near)))
    return (
        near is not None and len(repr(float(near)).partition("e")[0].strip("-0.")) > DIGITS and not find_odd_part(side)
    )


def find_odd_part(side: Any) -> int:
    """The digits of the float that a number is, or that lies in a narrow ball; 0 if it is none, or whole."""
    near = find_inside(side, Fraction) if isinstance(side, float | Fraction | arb) else None
    return odd_part(near.numerator) if near is not None and near.denominator > 1 else 0


def find_inside(side: Any, read: Callable[[float], Fraction]) -> Fraction | None:
    """What the float next to a rational, or to the middle of a narrow ball, stands for, if that is where it is."""
    ball = isinstance(side, arb)
    if ball and not (side.is_finite() and side.rad() <= abs(side.mid()) * NARROW):
        return None
    try:
        found = read(float(side.mid() if ball else side))
    except (OverflowError, ValueError):  # of what is infinite
        return None
    return found if (side.overlaps(exact(found)) if ball else side == found) else None
