"""Running asv: measure a commit, compare two, and publish the project's history.

asv stores the numbers, compares them and draws them. This module adds what asv does not do: any commit is measured in
the running environment, a run without a number is an error, and no time of zero is kept.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from asv.machine import Machine
from asv.results import Results, iter_results

from lemmata.tools.speed.benchmarks.side_by_side import QUICK
from lemmata.tools.speed.measurements import NEVER_ZERO, PUBLISHED, RESULTS, benchmark_index, is_finite

ASV = (sys.executable, "-m", "asv")
HERE = f"existing:{sys.executable}"  # asv's name for the running environment
FACTOR = 1.2  # a change is significant for asv, and at least so many times
VERDICTS = SAME, BETTER, WORSE = "as before", "better", "worse"
ROUNDS = 3  # in which both commits are measured again, in turns, before a regression is reported
# A sample is as many calls as take a tenth of a second, far above the tick of any CPU clock.
FULLY = ("sample_time=0.1", "rounds=1", "repeat=(3, 6, 2.0)")
BRIEFLY = ("sample_time=0.1", "rounds=1", "repeat=(1, 5, 0.5)", "warmup_time=0.02")
# A process for each setting, which measures memory as it is, imports for longer than it measures where that is brief:
# there it is the fork of one that has imported the benchmarks.
FORKED = ("--launch-method", "forkserver")
# Two BLAS threads next to a busy process fight over a core.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
COMPARED = re.compile(r"^\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\| *([\w.]+)(\(.*\))? *\|$", re.MULTILINE)  # a row


class NothingMeasured(Exception):
    """A run of asv that has no number to show, or benchmarks that failed; the message is one line."""


# Commits --------------------------------------------------------------------------------------------------------------


def full_hash(name: str) -> str:
    """The full hash of a commit. Raises NothingMeasured for an unknown name."""
    asked = ["git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]
    answer = subprocess.run(asked, capture_output=True, text=True)
    if answer.returncode:
        raise NothingMeasured(f"{name} is no commit")
    return answer.stdout.strip()


def spaced_commits(count: int, since: str | None = None) -> list[str]:
    """`count` commits before HEAD and after `since`, oldest first, evenly spaced along its first parents."""
    if not count:
        return []
    span = f"{full_hash(since)}..HEAD" if since else "HEAD"
    listed = subprocess.run(["git", "rev-list", "--first-parent", span], check=True, capture_output=True, text=True)
    commits = listed.stdout.split()[1:]
    step = max(len(commits) // count, 1)
    return commits[: step * count : step][::-1]


@contextlib.contextmanager
def checkout_of(commit: str) -> Iterator[Path]:
    """A folder with the files of `commit`: the present one for HEAD."""
    if commit == full_hash("HEAD"):
        yield Path.cwd()
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "commit"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(place), commit], check=True)
        try:
            yield place
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(place)], check=True)


# Measuring ------------------------------------------------------------------------------------------------------------


def measure(
    commit: str = "HEAD", *, quick: bool = False, only: str = "", virtualenv: bool = False, samples: bool = False
) -> str:
    """Measure a commit in the running environment, or in a virtualenv made for it; returns its hash.

    With `samples`, the samples are kept and added to those of earlier runs, as `asv compare` needs them. Raises
    CalledProcessError where asv fails, NothingMeasured where it measured nothing or a benchmark failed.
    """
    commit = full_hash(commit)
    subprocess.run([*ASV, "machine", "--yes"], check=True, stdout=subprocess.DEVNULL)
    command = [*ASV, "run", *([f"{commit}^!"] if virtualenv else ["-E", HERE, "--set-commit-hash", commit])]
    command += [f"--attribute={text}" for text in (BRIEFLY if quick else FULLY)]
    # asv says of each setting why it was skipped, and a brief run skips most of the dear ones.
    command += (*(FORKED if quick else ("--show-stderr",)), *(["--append-samples"] if samples else ()))
    if chosen := only or (r"\.(time|track)_" if quick else ""):  # a brief look measures no memory
        command += ["--bench", chosen]
    environment = os.environ | ONE_THREAD | ({QUICK: "1"} if quick else {})
    start = time.time()
    with checkout_of(commit) as folder:
        # asv exits with 2 where a benchmark failed; `check_run` names the benchmarks
        status = subprocess.run(command, env=environment | {"ASV_PYTHONPATH": str(folder)}).returncode
    check_run(commit, start, f" that matches {only!r}" if only else "")
    if status:
        raise subprocess.CalledProcessError(status, command)
    return commit


def check_run(commit: str, start: float, chosen: str = "") -> None:
    """Raise NothingMeasured unless every benchmark measured since `start` has numbers; a time of zero is discarded."""
    index, numbers, zeros, failed = benchmark_index(RESULTS), 0, set(), set()
    for run in iter_results(str(RESULTS)):
        fresh = run.get_result_keys(index) if run.commit_hash == commit else ()
        for name in (name for name in fresh if run.started_at[name] >= 1000 * start):
            values = run.get_result_value(name, index[name]["params"])
            failed |= {name} if None in values else set()
            numbers += sum(map(is_finite, values))
            if index[name]["unit"] in NEVER_ZERO and any(is_finite(value) and value <= 0 for value in values):
                zeros.add(name)
                run.remove_result(name)
                run.save(str(RESULTS))
    if zeros:
        raise NothingMeasured(f"{len(zeros)} benchmarks came out as zero, not kept: {', '.join(sorted(zeros))}")
    if failed:
        raise NothingMeasured(f"{len(failed)} benchmarks failed: {', '.join(sorted(failed))}")
    if not numbers:
        raise NothingMeasured(f"asv measured nothing of {commit[:8]}{chosen}")


def only_these(benchmarks: Iterable[str]) -> str:
    """What `measure` takes for `only`: these benchmarks, in all their settings."""
    return rf"^({'|'.join(map(re.escape, sorted(set(benchmarks))))})\b"


class Change(NamedTuple):
    """A benchmark at one setting, before and after, with the ends that asv gives; the ratio is after over before."""

    verdict: str
    before: str
    after: str
    ratio: str
    benchmark: str
    setting: str


def confirm_changes(base: str, only: str = "") -> list[Change]:
    """All that was measured at `base` and at HEAD.

    What is worse is measured again, in turns, so that a busy machine slows both commits alike; each round adds samples.
    """
    changes = compare_with_head(base, only)
    for _ in range(ROUNDS):
        if not (suspects := {change.benchmark for change in changes if change.verdict == WORSE}):
            break
        for commit in (base, "HEAD"):
            measure(commit, quick=True, only=only_these(suspects), samples=True)
        changes = compare_with_head(base, only)
    return changes


def compare_with_head(base: str, only: str = "") -> list[Change]:
    """What `asv compare` says of every benchmark that matches `only`, at `base` and at HEAD."""
    command = [*ASV, "compare", base, "HEAD", "--factor", str(FACTOR), "--no-only-changed", "-E", HERE]
    command += ["--machine", Machine.get_unique_machine_name()]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    index, found = benchmark_index(RESULTS), []
    for mark, before, after, ratio, name, setting in COMPARED.findall(printed):
        higher = "higher is better" in index.get(name, {}).get("unit", "")  # asv takes every rise for a loss
        verdicts = {"!": WORSE, "+": BETTER if higher else WORSE, "-": WORSE if higher else BETTER}
        if name in index and re.search(only, name + setting):
            verdict = verdicts.get(mark.strip(), SAME)
            found.append(Change(verdict, before.strip(), after.strip(), ratio.strip(), name, setting))
    return found


def is_measured_here(commit: str) -> bool:
    """Whether this commit was measured in the running environment."""
    here = f"existing-py{sys.executable.replace('/', '_')}"
    return any(run.commit_hash == commit and run.env_name == here for run in iter_results(str(RESULTS)))


# The published history ------------------------------------------------------------------------------------------------


def restore_history(published: Path = PUBLISHED, results: Path = RESULTS) -> None:
    """Put the published history next to what is measured here, so that asv's dashboards show both."""
    for path in published.glob("**/*.json"):
        place = results / path.relative_to(published)
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def publish_history(commits: Iterable[str], results: Path = RESULTS, published: Path = PUBLISHED) -> None:
    """Put what was measured of these commits in virtualenvs into the published history, by the processor's name.

    A file of that history without a benchmark of today is removed.
    """
    commits = set(commits)
    for path in results.glob("*/*-virtualenv-*.json"):
        run = json.loads(path.read_text())
        if run["commit_hash"] in commits:
            history = published / name_machine(run["params"].get("cpu", ""))
            history.mkdir(parents=True, exist_ok=True)
            run["params"] |= {"machine": history.name, "os": run["params"]["os"].partition(" ")[0]}
            (history / path.name).write_text(json.dumps(run) + "\n")
            (history / "machine.json").write_text(json.dumps(run["params"] | {"version": 1}) + "\n")
    shutil.copyfile(results / "benchmarks.json", published / "benchmarks.json")
    index = benchmark_index(published)
    for path in published.glob("*/*-*.json"):
        if not Results.load(str(path)).get_result_keys(index):
            path.unlink()


def name_machine(processor: str) -> str:
    """What a published history is called, so that numbers of two kinds of processors are in no one line.

    >>> name_machine("AMD EPYC"), name_machine("Intel(R) Xeon(R) Processor @ 2.1GHz"), name_machine("")
    ('amd-epyc', 'intel-xeon', 'unknown')
    """
    words = re.findall(r"[a-z]+", re.sub(r"\(R\)|\(TM\)|CPU|Processor|@.*", "", processor).lower())
    return "-".join(words) or "unknown"
