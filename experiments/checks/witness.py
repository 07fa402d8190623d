"""One builder for each kind of witness of a refuted row, with the fields that the ledger promises for that kind.

Every witness has `setting`, `claimed`, `found` and `python`, a program of at most 15 lines that ends in an assert.
"""

import math
import sys
from fractions import Fraction
from typing import Any

from flint import arb

from lemmata.bounds.exact.balls import enclosure, exact

Number = int | float | Fraction | arb
LARGEST = int(sys.float_info.max)


def inequality(
    setting: dict,
    left: Number,
    right: Number,
    *,
    point: dict | None = None,
    claimed: Any = None,
    found: Any = None,
    python: str = "",
    **more: Any,
) -> dict:
    """left <= right fails at `point`, by default the setting; both sides as enclosures."""
    return plain(
        {
            "setting": setting,
            "claimed": number(right) if claimed is None else claimed,
            "found": number(left) if found is None else found,
            "point": setting if point is None else point,
            "lhs": enclosure(exact(left)),
            "rhs": enclosure(exact(right)),
            "python": python.strip(),
            **more,
        }
    )


def growth(
    setting: dict,
    *,
    family: str,
    points: list[dict],
    ratios: list[float],
    claimed: Any = "truth <= C g with one C for all",
    found: Any = None,
    python: str = "",
    **more: Any,
) -> dict:
    """Along `family` the ratio of the truth to g grows without bound: three points or more."""
    if found is None:
        found = "a family along which truth / g reaches " + ", ".join(f"{r:.3g}" for r in ratios)
    fields = {"family": family, "points": points, "ratios": ratios, "python": python.strip()}
    return plain({"setting": setting, "claimed": claimed, "found": found, **fields, **more})


def construction(
    setting: dict,
    *,
    object: str,
    property: str,
    value: Any,
    claimed: Any,
    found: Any = None,
    python: str = "",
    **more: Any,
) -> dict:
    """An `object` that the statement promises lacks its `property` and has the `value` instead."""
    common = {"setting": setting, "claimed": claimed, "found": value if found is None else found}
    return plain(common | {"object": object, "property": property, "value": value, "python": python.strip()} | more)


def privacy(
    setting: dict, *, epsilon: float, log_ratio: float, a: Any, b: Any, output: Any, python: str = "", **more: Any
) -> dict:
    """Neighbouring datasets `a` and `b` (inline, or how to make them): the laws at `output`."""
    common = {"setting": setting, "claimed": epsilon, "found": log_ratio, "a": a, "b": b, "output": output}
    return plain(common | {"log_ratio": log_ratio, "python": python.strip()} | more)


def number(value: Number) -> float | str:
    """A number as a float, or as text if it is beyond the range of floats: `1.23456789e+400`."""
    try:
        near = float(value)
    except OverflowError:
        near = math.inf
    return exact(value).str(9, radius=False) if math.isinf(near) and exact(value).is_finite() else near


def plain(value: Any) -> Any:
    """JSON's own types: fractions and balls become floats, arrays and tuples lists, functions their names."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, Fraction | arb) or (isinstance(value, int) and abs(value) > LARGEST):
        return number(value)
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    return plain(value.tolist()) if hasattr(value, "tolist") else value
