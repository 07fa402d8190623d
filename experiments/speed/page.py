"""Run asv in this environment, and draw an offline page of its history.

`asv publish` makes pages that load scripts from elsewhere; this one opens from disk. Results stay in asv's own files.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from experiments.report.figures import history
from experiments.report.site import rendered

RESULTS = Path("reports/asv/results")


@dataclass(frozen=True)
class Measurement:
    """One benchmark at one parameter combination of one commit."""

    benchmark: str
    parameters: str
    commit: str
    date: datetime
    value: float
    unit: str


def record(*, quick=False):
    """`asv run` in the running environment, for the commit that is checked out. Raises CalledProcessError."""
    asv = [sys.executable, "-m", "asv"]
    commit = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run([*asv, "machine", "--yes"], check=True, stdout=subprocess.DEVNULL)
    command = [*asv, "run", "--environment", f"existing:{sys.executable}", "--set-commit-hash", commit]
    subprocess.run([*command, "--show-stderr", *(["--quick"] if quick else [])], check=True)


def measurements(results=RESULTS):
    """Every finite number in asv's result files, oldest first."""
    index = results / "benchmarks.json"
    if not index.exists():
        return []
    benchmarks = {name: b for name, b in json.loads(index.read_text()).items() if isinstance(b, dict)}
    taken = []
    for path in results.glob("*/*.json"):
        if path.name == "machine.json":
            continue
        run = json.loads(path.read_text())
        columns = run["result_columns"]
        date = datetime.fromtimestamp(run["date"] / 1000, UTC)
        for name, packed in run["results"].items():
            entry = dict(zip(columns, packed, strict=False))
            combinations = product(*(entry.get("params") or [[]]))
            for parameters, value in zip(combinations, entry["result"] or [], strict=False):
                if value is not None and math.isfinite(value) and name in benchmarks:
                    names = benchmarks[name].get("param_names", [])
                    spelled = ", ".join(f"{n} = {p}" for n, p in zip(names, parameters, strict=False))
                    unit = benchmarks[name]["unit"]
                    taken.append(Measurement(name, spelled, run["commit_hash"][:8], date, value, unit))
    return sorted(taken, key=lambda m: (m.benchmark, m.parameters, m.date))


def readable(value, unit):
    """A number with its unit, scaled."""
    if unit == "seconds":
        scale, name = next(((s, n) for s, n in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")) if value >= s), (1e-9, "ns"))
        return f"{value / scale:.3g} {name}"
    if unit == "bytes":
        return f"{value / 2**20:.3g} MiB"
    return f"{value:.4g} {unit if unit != 'unit' else ''}".strip()


def write_page(reports, results=RESULTS):
    """Write `reports`/speed.html; returns its path."""
    series: dict = {}
    for m in measurements(results):
        series.setdefault(m.benchmark, {}).setdefault(m.parameters, []).append(m)
    drawn = []
    for name, by_parameters in series.items():
        points = {p: [(m.date, m.value) for m in ms] for p, ms in by_parameters.items()}
        several = any(len(ms) > 1 for ms in points.values())
        drawn.append((name, by_parameters, history(points) if several else ""))
    page = Path(reports) / "speed.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    _, text = rendered("speed.html.j2", "speed.html", series=drawn, readable=readable)
    page.write_text(text, encoding="utf-8")
    return page
