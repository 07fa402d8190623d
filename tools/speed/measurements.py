"""What asv has measured, read from its files: without asv, which is not installed everywhere that the site is drawn."""

import itertools
import json
import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

RESULTS = Path("reports/asv/results")
PUBLISHED = Path("reports/published/asv")  # the history that the project measured, a virtualenv per commit
NEVER_ZERO = ("seconds", "bytes")  # units: a clock that did not tick measured nothing
KINDS = {"time": "time of", "peakmem": "peak memory of", "track": ""}
SECONDS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


class Measurement(NamedTuple):
    """One benchmark at one setting of one commit."""

    benchmark: str
    at: dict[str, str]  # its parameters, as asv spells them
    commit: str
    date: datetime
    value: float
    unit: str
    machine: str
    environment: str
    interval: tuple[float, float]  # of its samples, as asv computes it; NaN for a number that is tracked

    @property
    def parameters(self) -> str:
        """Its parameters in words."""
        return ", ".join(f"{name} = {value}" for name, value in self.at.items())

    @property
    def series(self) -> tuple[str, ...]:
        """What its history has in common: numbers of two machines or environments are never compared."""
        return self.benchmark, self.parameters, self.machine, self.environment


def is_finite(value: object) -> bool:
    """Whether asv stored a number: None is a failure, and NaN a setting that was skipped."""
    return isinstance(value, int | float) and math.isfinite(value)


def benchmark_index(results: Path) -> dict[str, dict]:
    """{name: what asv knows of a benchmark}, as its text is today."""
    path = results / "benchmarks.json"
    stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: benchmark for name, benchmark in stored.items() if name != "version"}  # that of the format


def measurements(results: Path | None = None) -> list[Measurement]:
    """Every number in asv's result files, by default here, oldest first.

    asv counts the text of a benchmark as its version: what an earlier text measured is another benchmark, and left out.
    """
    results = results or RESULTS
    index, taken = benchmark_index(results), []
    for path in results.glob("*/*-*.json"):  # not machine.json
        run = json.loads(path.read_text(encoding="utf-8"))
        place = run["params"].get("machine", ""), run["env_name"]
        when = run["commit_hash"][:8], datetime.fromtimestamp(run["date"] / 1000, UTC)
        for name, packed in run["results"].items():
            entry = dict(zip(run["result_columns"], packed, strict=False))
            if name not in index or entry["version"] != index[name]["version"]:
                continue
            names, unit = index[name]["param_names"], index[name]["unit"]
            ends = zip(*(entry.get(f"stats_ci_99_{end}") or itertools.repeat(None) for end in "ab"), strict=False)
            settings = itertools.product(*entry["params"])
            for setting, value, interval in zip(settings, entry["result"] or [], ends, strict=False):
                if is_finite(value) and (value > 0 or unit not in NEVER_ZERO):
                    known = tuple(end if is_finite(end) else math.nan for end in interval)
                    at = dict(zip(names, setting, strict=True))
                    taken.append(Measurement(name, at, *when, value, unit, *place, known))
    return sorted(taken, key=lambda m: (m.benchmark, m.parameters, m.date))


def newest(taken: Iterable[Measurement]) -> list[Measurement]:
    """The last number of each series."""
    return list({m.series: m for m in taken}.values())


def in_words(benchmark: str) -> str:
    """A benchmark's name for people.

    >>> in_words("bench_learners.RandomFeatures.peakmem_map")
    'learners, random features: peak memory of map'
    """
    module, *_, group, function = benchmark.split(".")
    kind, _, what = function.partition("_")
    words = f"{KINDS.get(kind, kind)} {what.replace('_', ' ')}".strip()
    about, group = module.removeprefix("bench_").replace("_", " "), re.sub(r"(?<=[a-z])(?=[A-Z])", " ", group).lower()
    return f"{group if about in group else about if group in about else f'{about}, {group}'}: {words}"


def readable(value: float, unit: str) -> str:
    """A number with its unit, scaled.

    >>> readable(0.0015, "seconds"), readable(2**21, "bytes"), readable(0.5, "epsilon, higher is better")
    ('1.5 ms', '2 MiB', '0.5 epsilon')
    """
    if unit == "seconds":
        scale, name = next((scale, name) for scale, name in SECONDS if value >= scale or scale == 1e-9)
        return f"{value / scale:.3g} {name}"
    if unit == "bytes":
        return f"{value / 2**20:.3g} MiB"
    number = f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
    return f"{number} {unit.partition(',')[0] if unit != 'unit' else ''}".strip()
