"""What asv has measured: running it, reading its files, and comparing two commits.

A number is a regression if it is worse by more than a fifth and by more than three standard deviations. Of a time asv
keeps a 99% interval; of what it keeps no interval, the scatter along the history stands for it.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise, product
from pathlib import Path

from .side_by_side import QUICK  # in the environment of a brief run: dear settings skip themselves

RESULTS = Path("reports/asv/results")
PUBLISHED = Path("reports/published/asv")  # the history that the project measured, a virtualenv per commit
WORSE, SIGMAS = 1.2, 3
SUSPECT = 1.1  # what is so many times worse at first sight is measured again
# A sample is as many calls as take a tenth of a second, far above the tick of any CPU clock.
FULLY = ("sample_time=0.1", "rounds=1", "repeat=(3, 6, 2.0)")
BRIEFLY = ("sample_time=0.1", "rounds=1", "repeat=(1, 5, 0.5)", "warmup_time=0.02")
# A process for each setting, which measures memory as it is, imports for longer than it measures where that is brief:
# there it is the fork of one that has imported the benchmarks.
FORKED = ("--launch-method", "forkserver")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
MEASURED = ("seconds", "bytes")  # units of what is never zero
HALF_99 = 2.576  # half the width of a 99% interval, in standard deviations


@dataclass(frozen=True)
class Measurement:
    """One benchmark at one parameter combination of one commit."""

    benchmark: str
    parameters: str
    commit: str
    date: datetime
    value: float
    unit: str
    sigma: float = 0.0  # of `value`; 0 where asv keeps no interval
    machine: str = ""
    environment: str = ""

    @property
    def series(self) -> tuple[str, ...]:
        """What its history has in common: numbers of two machines or environments are never compared."""
        return self.benchmark, self.parameters, self.machine, self.environment

    @property
    def higher_is_better(self) -> bool:
        """Its direction, which a unit says where it is not the usual one."""
        return "higher is better" in self.unit


@dataclass(frozen=True)
class Change:
    """A number before and after: `factor` above 1 is worse."""

    before: Measurement
    after: Measurement
    sigma: float  # of log(after / before)

    @property
    def factor(self) -> float:
        """How many times worse."""
        ratio = self.after.value / self.before.value
        return 1 / ratio if self.after.higher_is_better else ratio

    @property
    def regressed(self) -> bool:
        """Worse by more than a fifth, and by more than three standard deviations."""
        return self.factor > WORSE and math.log(self.factor) > SIGMAS * self.sigma

    def __str__(self) -> str:
        name = ", ".join(filter(None, (in_words(self.after.benchmark), self.after.parameters)))
        return f"{name}: {readable(self.before)} -> {readable(self.after)}, {self.factor:.2f} times worse"


class NothingMeasured(Exception):
    """A run of asv that has no number to show, or benchmarks that failed; the message is one line."""


def commit_of(name: str) -> str:
    """The full hash of a commit. Raises NothingMeasured for what is none."""
    asked = ["git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]
    answer = subprocess.run(asked, capture_output=True, text=True)
    if answer.returncode:
        raise NothingMeasured(f"{name} is no commit")
    return answer.stdout.strip()


def begin(published: Path = PUBLISHED, results: Path = RESULTS) -> None:
    """Put the published history beside what is measured here, so that asv's dashboards show both."""
    for path in published.glob("**/*.json"):
        place = results / path.relative_to(published)
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def publish(commits: Iterable[str], results: Path = RESULTS, published: Path = PUBLISHED) -> None:
    """Put what was measured of these commits in virtualenvs into the published history, without the machine's name.

    A file of that history which no benchmark of today measured is nobody's, and goes.
    """
    kept, commits = published / "reference", set(commits)
    kept.mkdir(parents=True, exist_ok=True)
    for path in results.glob("*/*-virtualenv-*.json"):
        run = json.loads(path.read_text())
        if run["commit_hash"] in commits:
            run["params"] |= {"machine": kept.name, "os": run["params"]["os"].partition(" ")[0]}
            (kept / path.name).write_text(json.dumps(run) + "\n")
    shutil.copyfile(results / "benchmarks.json", published / "benchmarks.json")
    alive = {m.commit for m in measurements(published)}
    for path in kept.glob("*-*.json"):
        if path.name[:8] not in alive:
            path.unlink()


def record(commit: str = "HEAD", *, quick: bool = False, only: str = "", virtualenv: bool = False) -> str:
    """Measure a commit in the running environment, or in a virtualenv made for it; returns its hash.

    Raises CalledProcessError where asv fails, NothingMeasured where it measured nothing or a benchmark failed.
    """
    commit, asv = commit_of(commit), [sys.executable, "-m", "asv"]
    subprocess.run([*asv, "machine", "--yes"], check=True, stdout=subprocess.DEVNULL)
    here = ["--environment", f"existing:{sys.executable}", "--set-commit-hash", commit]
    command = [*asv, "run", *([f"{commit}^!"] if virtualenv else here)]
    command += ["--show-stderr", *(f"--attribute={text}" for text in (BRIEFLY if quick else FULLY))]
    command += FORKED if quick else ()
    if chosen := only or (r"\.(time|track)_" if quick else ""):  # a brief look measures no memory
        command += ["--bench", chosen]
    limits = ONE_THREAD | ({QUICK: "1"} if quick else {})  # two BLAS threads beside a busy process fight over a core
    before = _results_of(commit)
    with _checked_out(commit) as folder:
        # asv exits with 2 where a benchmark failed: what failed is named below
        ended = subprocess.run(command, env=os.environ | limits | {"ASV_PYTHONPATH": str(folder)}).returncode
    after = _results_of(commit)
    new = {place: entry for place, entry in after.items() if before.get(place) != entry}
    values = [value for entry in new.values() for value in entry.get("result") or []]
    if zeros := _without_zeros(commit):
        raise NothingMeasured(f"{len(zeros)} benchmarks came out as zero, and no zero is kept: {', '.join(zeros)}")
    failed = sorted({name for (_, name), entry in new.items() if None in (entry.get("result") or [None])})
    if failed:
        raise NothingMeasured(f"{len(failed)} benchmarks failed: {', '.join(failed)}")
    if not any(map(_finite, values)):
        raise NothingMeasured(f"asv measured nothing of {commit[:8]}{f' that matches {only!r}' if only else ''}")
    if ended:
        raise subprocess.CalledProcessError(ended, command)
    return commit


@contextlib.contextmanager
def _checked_out(commit: str) -> Iterator[Path]:
    """A folder with the files of `commit`: the present one for HEAD."""
    if commit == commit_of("HEAD"):
        yield Path.cwd()
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "commit"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(place), commit], check=True)
        try:
            yield place
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(place)], check=True)


def _entries(results: Path) -> Iterator[tuple[dict, str, dict]]:
    """(run, benchmark, its columns) of every result file."""
    for path in sorted(results.glob("*/*.json")):
        if path.name != "machine.json":
            run = json.loads(path.read_text())
            for name, packed in run["results"].items():
                yield run, name, dict(zip(run["result_columns"], packed, strict=False))


def _results_of(commit: str, results: Path = RESULTS) -> dict[tuple[str, str], dict]:
    """{(environment, benchmark): columns} that stand in asv's files for a commit."""
    return {(run.get("env_name", ""), name): e for run, name, e in _entries(results) if run["commit_hash"] == commit}


def _without_zeros(commit: str, results: Path = RESULTS) -> list[str]:
    """Take times and sizes that are not positive out of the files of a commit; the names of what measured them."""
    index, found = json.loads((results / "benchmarks.json").read_text()), set()
    for path in results.glob("*/*.json"):
        run = json.loads(path.read_text()) if path.name != "machine.json" else {}
        if run.get("commit_hash") != commit:
            continue
        place = run["result_columns"].index("result")
        for name in run["results"].keys() & index.keys():
            packed = run["results"][name]
            if index[name]["unit"] in MEASURED and any(map(_no_time, packed[place] or [])):
                packed[place] = [None if _no_time(value) else value for value in packed[place]]
                found.add(name)
        if found:
            path.write_text(json.dumps(run))
    return sorted(found)


def _no_time(value: object) -> bool:
    return isinstance(value, int | float) and value <= 0


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def measurements(results: Path = RESULTS) -> list[Measurement]:
    """Every finite number in asv's result files, oldest first, of the benchmarks as their text is today.

    A benchmark that measures something else since is another one: asv counts its text as its version, and neither its
    dashboards nor this keep what an earlier version measured.
    """
    index = results / "benchmarks.json"
    if not index.exists():
        return []
    benchmarks = {name: b for name, b in json.loads(index.read_text()).items() if isinstance(b, dict)}
    taken = []
    for run, name, entry in _entries(results):
        if name not in benchmarks or entry.get("version") != benchmarks[name]["version"]:
            continue
        names, unit = benchmarks[name].get("param_names", []), benchmarks[name]["unit"]
        values = entry["result"] or []
        lows, highs = (entry.get(f"stats_ci_99_{end}") or [None] * len(values) for end in "ab")
        combinations = product(*(entry.get("params") or []))
        for parameters, value, low, high in zip(combinations, values, lows, highs, strict=False):
            if not _finite(value) or (unit in MEASURED and value <= 0):  # a clock that did not tick measured nothing
                continue
            spelled = ", ".join(f"{n} = {p}" for n, p in zip(names, parameters, strict=False))
            sigma = (high - low) / 2 / HALF_99 if _finite(low) and _finite(high) else 0.0
            date = datetime.fromtimestamp(run["date"] / 1000, UTC)
            machine = run.get("params", {}).get("machine", "")
            place = (run["commit_hash"][:8], date, value, unit, sigma, machine, run.get("env_name", ""))
            taken.append(Measurement(name, spelled, *place))
    return sorted(taken, key=lambda m: (m.benchmark, m.parameters, m.date))


def histories(taken: list[Measurement]) -> dict[tuple[str, ...], list[Measurement]]:
    """Measurements by series."""
    apart: dict[tuple[str, ...], list[Measurement]] = {}
    for m in taken:
        apart.setdefault(m.series, []).append(m)
    return apart


def scatter(history: list[Measurement]) -> float:
    """The standard deviation of log(value) from commit to commit, robustly: a single step does not count."""
    logs = [math.log(m.value) for m in history if m.value > 0]
    steps = [abs(b - a) for a, b in pairwise(logs)]
    return 1.4826 * statistics.median(steps) / math.sqrt(2) if len(steps) > 2 else 0.0


def change(history: list[Measurement], before: Measurement, after: Measurement) -> Change | None:
    """The change between two measurements of one history; None where a value is not positive."""
    if min(before.value, after.value) <= 0:
        return None
    own = math.hypot(before.sigma / before.value, after.sigma / after.value)
    earlier = [m for m in history if m.date < after.date]
    return Change(before, after, own or math.sqrt(2) * scatter(earlier))


def best(history: list[Measurement]) -> Measurement:
    """The best number of a history, its latest if there are several: what a slow drift is measured from."""
    sign = -1 if history[0].higher_is_better else 1
    return min(reversed(history), key=lambda m: sign * m.value)


KINDS = {"time": "time of", "peakmem": "peak memory of", "track": ""}


def in_words(benchmark: str) -> str:
    """A benchmark's name for people.

    >>> in_words("bench_adaptive_margin.RandomBatches.peakmem_fit")
    'adaptive margin, random batches: peak memory of fit'
    """
    module, *_, group, function = benchmark.split(".")
    kind, _, what = function.partition("_")
    said = f"{KINDS.get(kind, kind)} {what.replace('_', ' ')}".strip()
    about, group = module.removeprefix("bench_").replace("_", " "), re.sub(r"(?<=[a-z])(?=[A-Z])", " ", group).lower()
    return f"{group if about in group else about if group in about else f'{about}, {group}'}: {said}"


def settled(values: list[float], unit: str) -> tuple[float, float]:
    """(what repeated measurements come to, the standard deviation of its logarithm).

    Whatever else a machine does can only add to a time: the least of the times stands, and the gap to the second least
    tells how far it may still be off. Other numbers are averaged, in logarithms.
    """
    logs = sorted(map(math.log, values))
    if unit == "seconds":
        return math.exp(logs[0]), logs[1] - logs[0]
    return math.exp(statistics.fmean(logs)), statistics.stdev(logs) / math.sqrt(len(logs))


def only_these(benchmarks: Iterable[str]) -> str:
    """What `record` takes for `only`: these, in all their settings."""
    return rf"^({'|'.join(map(re.escape, sorted(set(benchmarks))))})\b"


def confirmed(suspects: list[Change], base: str, new: str = "HEAD", rounds: int = 5) -> list[Change]:
    """The suspects that stay regressions when both commits are measured again, in turns, so that a busy machine slows
    both alike. asv's files are put back as they were."""
    only = only_these(c.after.benchmark for c in suspects)
    files = {path: path.read_bytes() for path in RESULTS.glob("*/*.json")}
    wanted = {c.after.series: c for c in suspects}
    values = {series: ([c.before.value], [c.after.value]) for series, c in wanted.items()}
    try:
        for _ in range(rounds):
            for side, commit in enumerate((base, new)):
                commit = record(commit, quick=True, only=only)
                for m in measurements():
                    if m.series in values and m.commit == commit[:8] and m.value > 0:
                        values[m.series][side].append(m.value)
    finally:
        for path, data in files.items():
            path.write_bytes(data)
    found = []
    for series, sides in values.items():
        old = wanted[series]
        (before, loose), (after, looser) = (settled(side, old.after.unit) for side in sides)
        again = replace(old.before, value=before), replace(old.after, value=after)
        found.append(Change(*again, math.hypot(loose, looser)))
    return sorted((c for c in found if c.regressed), key=lambda c: -c.factor)


def spaced(count: int, since: str | None = None) -> list[str]:
    """`count` commits before HEAD and after `since`, oldest first, evenly spaced along its first parents."""
    if not count:
        return []
    span = f"{commit_of(since)}..HEAD" if since else "HEAD"
    listed = subprocess.run(["git", "rev-list", "--first-parent", span], check=True, capture_output=True, text=True)
    commits = listed.stdout.split()[1:]
    step = max(len(commits) // count, 1)
    return commits[: step * count : step][::-1]


def measured_here(results: Path = RESULTS) -> set[str]:
    """The commits that were measured in the running environment."""
    runs = [json.loads(path.read_text()) for path in results.glob("*/*.json") if path.name != "machine.json"]
    here = f"existing-py{sys.executable.replace('/', '_')}"
    return {run["commit_hash"] for run in runs if run["env_name"] == here}


def compared(base: str, new: str = "HEAD", results: Path = RESULTS) -> list[Change]:
    """The changes from one commit to another, worst first; both must have been measured in one environment."""
    base, new = commit_of(base)[:8], commit_of(new)[:8]
    changes = []
    for history in histories(measurements(results)).values():
        at = {m.commit: m for m in history}
        if base in at and new in at and (each := change(history, at[base], at[new])):
            changes.append(each)
    return sorted(changes, key=lambda c: -c.factor)


def readable(m: Measurement) -> str:
    """A number with its unit, scaled."""
    if m.unit == "seconds":
        scales = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"))
        scale, name = next(((s, n) for s, n in scales if m.value >= s), (1e-9, "ns"))
        return f"{m.value / scale:.3g} {name}"
    if m.unit == "bytes":
        return f"{m.value / 2**20:.3g} MiB"
    number = f"{m.value:,.0f}" if m.value >= 1000 else f"{m.value:.4g}"
    return f"{number} {m.unit.partition(',')[0] if m.unit != 'unit' else ''}".strip()
