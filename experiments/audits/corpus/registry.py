"""What a pair is, and what the mechanisms share.

    @published("OWNER/NAME#1", "sensitivity", PureDP(1.0), RECORDS)
    def a_sum(x, rng, mended):
        "What is wrong, in a sentence. Mended: what is done instead, and why the claim then holds."

The code is ours and says what a report says, not what a library does. Real numbers are released as multiples of 2^-36:
the low bits of a float tell its centre, which is a mistake of its own (kind "bits"), and none of the others shall be
found by it. A mended form keeps its claim but for events of numpy's own generators, less likely than 2^-30.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lemmata.mechanisms.privacy import GaussianDP, PureDP

Rng = np.random.Generator
KINDS = (
    *("bits", "composition", "keys", "noise", "position", "raw value", "sampling", "seed", "selection", "sensitivity"),
    "shape or error",
)
SOURCE = re.compile(r"[\w.-]+/[\w.-]+#\d+|arXiv \d{4}\.\d{4,5}|doi \S+|https://\S+")
GRID = 2.0**36

ONE, ADDED, MU = PureDP(1.0), PureDP(1.0, "add/remove"), GaussianDP(1.0, "add/remove")
RECORDS = np.linspace(0.0, 1.0, 9)
ROWS = np.array([[0.2, 0.9], [0.5, 0.1], [0.7, 0.6], [0.9, 0.3], [0.1, 0.5]])


@dataclass(frozen=True)
class Pair:
    """A published mistake: `mechanism(*data, rng, mended)` is broken or mended, and claims the same in either form."""

    mechanism: Callable
    source: str
    kind: str
    claim: Any
    data: tuple

    @property
    def name(self) -> str:
        """`a sum` of a_sum."""
        return str(self.mechanism.__name__).replace("_", " ")

    @property
    def says(self) -> str:
        """What is wrong; the part on the mended form is for readers of the code."""
        return " ".join(str(self.mechanism.__doc__).partition(" Mended: ")[0].split())

    def form(self, mended: bool) -> Callable:
        """What is audited."""
        return partial(self.mechanism, mended=mended)


def published(source: str, kind: str, claim: Any, *data: Any) -> Callable[[Callable], Pair]:
    """Mark a mechanism as a published mistake. Raises ValueError for a source or a kind that is none."""
    if not SOURCE.fullmatch(source) or kind not in KINDS:
        raise ValueError(f"source must be OWNER/NAME#1, arXiv, doi or a URL, and kind known, got {source}, {kind}")
    return lambda mechanism: Pair(mechanism, source, kind, claim, data)


def tidy(x: Any, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Records within their bounds; what is no number is 0."""
    return np.clip(np.nan_to_num(np.asarray(x, dtype=float)), low, high)


def clipped(rows: Any, norm: float = 1.0) -> np.ndarray:
    """Rows of at most this norm."""
    rows = tidy(rows, -1e9, 1e9)
    return np.asarray(rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True) / norm))


def rounded(numbers: Any) -> np.ndarray:
    """Multiples of 2^-36."""
    return np.asarray(np.round(np.asarray(numbers) * GRID) / GRID)


def two_sided(rng: Rng, epsilon: float, size: int | None = None) -> Any:
    """Two-sided geometric noise: P(k) is proportional to e^{-epsilon |k|}."""
    share = -np.expm1(-epsilon)
    return rng.geometric(share, size) - rng.geometric(share, size)
