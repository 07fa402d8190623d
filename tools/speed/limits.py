"""What a cost may be at most, whatever it was before: a line of limits.csv is a promise that `lemmata bench` keeps.

A line names a benchmark, some of its parameters, side by side, as the page spells them ("" for all of them), and a
number in the benchmark's unit. Ratios and exponents are measured side by side, so they hold on any machine; seconds are
CPU seconds of a machine like the one that `reports/published/asv` names.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from lemmata.tools.speed.measurements import Measurement, in_words, readable

TABLE = Path(__file__).with_name("limits.csv")


class Limit(NamedTuple):
    """What `benchmark` may measure at most, in the settings whose parameters include `parameters`."""

    benchmark: str
    parameters: str
    at_most: float

    def covers(self, m: Measurement) -> bool:
        """Whether a measurement is one of those that it limits."""
        whole = not self.parameters or f", {self.parameters}," in f", {m.parameters},"  # n = 10 is not n = 100
        return m.benchmark == self.benchmark and whole

    def describe_excess(self, m: Measurement) -> str:
        """A measurement above it, in a line."""
        name = ", ".join(filter(None, (in_words(m.benchmark), m.parameters)))
        return f"{name}: at most {readable(self.at_most, m.unit)}, measured {readable(m.value, m.unit)}"


def load_limits(table: Path = TABLE) -> list[Limit]:
    """All promises."""
    with table.open(newline="", encoding="utf-8") as lines:
        return [Limit(line["benchmark"], line["parameters"], float(line["at_most"])) for line in csv.DictReader(lines)]


def with_limits(taken: Iterable[Measurement]) -> list[tuple[Limit, Measurement]]:
    """Every measurement that has a limit, with each of its limits."""
    limits = load_limits()
    return [(limit, m) for m in taken for limit in limits if limit.covers(m)]


def exceeded(taken: Iterable[Measurement]) -> list[tuple[Limit, Measurement]]:
    """The measurements that are above a limit, each with it."""
    return [(limit, m) for limit, m in with_limits(taken) if not m.value <= limit.at_most]
