"""What a cost may be at most, whatever it was before: a line of limits.csv a promise, for `lemmata bench` to keep.

A line names a benchmark, some of its parameters, side by side, as the page spells them ("" for all of them),
and a number in the benchmark's unit. Ratios and exponents are measured side by side, so they hold on any machine;
seconds are CPU seconds of a machine like the one that `reports/published/asv` names.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .record import Measurement, in_words, readable

TABLE = Path(__file__).with_name("limits.csv")


@dataclass(frozen=True)
class Limit:
    """What `benchmark` may measure at most, in the settings whose parameters hold `parameters`."""

    benchmark: str
    parameters: str
    at_most: float

    def covers(self, m: Measurement) -> bool:
        """Whether a measurement is one of those that it speaks of."""
        whole = not self.parameters or f", {self.parameters}," in f", {m.parameters},"  # n = 10 is not n = 100
        return m.benchmark == self.benchmark and whole

    def said(self, m: Measurement) -> str:
        """A measurement above it, in a line."""
        name = ", ".join(filter(None, (in_words(m.benchmark), m.parameters)))
        return f"{name}: {readable(m)}, where {self.at_most:g} is the most that is allowed"


def limits(table: Path = TABLE) -> list[Limit]:
    """All promises."""
    with table.open(newline="", encoding="utf-8") as lines:
        return [Limit(line["benchmark"], line["parameters"], float(line["at_most"])) for line in csv.DictReader(lines)]


def exceeded(taken: Iterable[Measurement], promised: list[Limit] | None = None) -> list[tuple[Limit, Measurement]]:
    """The measurements that are above a limit, each with it."""
    promised = limits() if promised is None else promised
    return [(limit, m) for m in taken for limit in promised if limit.covers(m) and not m.value <= limit.at_most]
