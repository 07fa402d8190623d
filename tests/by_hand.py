"""Values worked out by hand: the tables of tests/<paper>/test_*_values.py, and how `test_by_hand` compares them.

A row of a table is a formula, its arguments and its value there. The value comes from what is printed, with numbers in
place of letters, never from our code; the arguments are such that every term, constant and exponent counts.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
Row = tuple[Callable, dict[str, Any], Any]


def rows() -> list[Row]:
    """Every row of every table."""
    names = sorted(path.relative_to(HERE).with_suffix("").parts for path in HERE.glob("*/test_*_values.py"))
    return [row for name in names for row in importlib.import_module(".".join(("tests", *name))).TABLE]


def name(thing: Any) -> str:
    """The formula's name for the id of a test; arguments and values have none."""
    return getattr(thing, "__name__", "")


def agrees(found: Any, value: Any) -> None:
    """Assert that numbers, balls, truth values, and lists of them are the same up to rounding; None is None."""
    found, value = (np.asarray(x, dtype=float) for x in (found, value))
    np.testing.assert_allclose(found, value, rtol=1e-9, strict=True)
