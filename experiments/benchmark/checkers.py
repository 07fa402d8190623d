"""Checkers: a command that reads a question and writes an answer, a Python function, or a file of answers.

An answer is a JSON object: `verdict` is "true" or "false", `confidence` from 0 to 1 is the chance that the verdict is
right, and `witness` may be a program that shows a false statement to be false.
"""

import contextlib
import importlib
import json
import shlex
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lemmata.bounds.catalogue.paper_file import PaperError
from lemmata.experiments.benchmark.records import Record, question, read_inequality
from lemmata.experiments.engine.ground.deadline import deadline

BASELINES = (
    "always_true",
    "random_settings",
    "engine_search",
    "property_testing",
    "nonlinear_solver",
    "smt_solver",
    "interval_branch_and_bound",
    "symbolic_simplification",
)
LATE = 60  # seconds for one record
UNSURE = {"verdict": "", "confidence": 0.5}
Answer = dict[str, Any]
Checker = Callable[[Record], Answer]


def load_baseline(name: str) -> Checker:
    """A baseline by its name, unsure of what is not about numbers. ImportError where it needs another package."""
    home = f"{__name__.rpartition('.')[0]}.baselines.{name.replace('-', '_')}"
    module = importlib.import_module(home)
    if hasattr(module, "check"):
        return module.check
    return lambda asked: module.check_inequality(read_inequality(asked)) if asked["inequality"] else dict(UNSURE)


def of_command(command: str) -> Checker:
    """A command as a checker: a question on its standard input, an answer on its standard output."""
    words = shlex.split(command)

    def check(asked: Record) -> Answer:
        done = subprocess.run(words, input=json.dumps(asked), capture_output=True, text=True, timeout=LATE)
        if done.returncode:
            raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()[-200:]}")
        return json.loads(done.stdout)

    return check


def ask(checker: Checker, record: Record) -> Answer:
    """The answer of a checker to a record, with the seconds that it took; `error` where there is none."""
    began, answer = time.perf_counter(), Answer()
    try:
        with deadline(LATE):
            answer = check_answer(checker(question(record)))
    except Exception as error:  # of somebody else's checker
        answer = {**UNSURE, "error": f"{type(error).__name__}: {error}"[:200]}
    return {"id": record["id"], **answer, "seconds": round(time.perf_counter() - began, 3)}


def check_answer(answer: Any) -> Answer:
    """An answer with its three fields. Raises ValueError."""
    if not isinstance(answer, dict) or answer.get("verdict") not in ("true", "false", ""):
        raise ValueError('an answer must be an object with verdict "true", "false" or ""')
    confidence = float(answer.get("confidence", 0.5))
    if not 0 <= confidence <= 1:
        raise ValueError(f"confidence must be from 0 to 1, got {confidence}")
    return {"verdict": answer["verdict"], "confidence": confidence, "witness": answer.get("witness")}


_inherited: list[tuple[Checker, list[Record]]] = []


def _ask_one(index: int) -> Answer:
    checker, records = _inherited[0]
    return ask(checker, records[index])


def ask_all(checker: Checker, records: list[Record], jobs: int) -> Iterator[Answer]:
    """The answers to all records, in their order."""
    _inherited[:] = [(checker, records)]
    if jobs == 1:
        yield from map(_ask_one, range(len(records)))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        yield from pool.map(_ask_one, range(len(records)), chunksize=4)


def read_answers(path: Path, records: Iterable[Record]) -> list[Answer]:
    """The answers in a file, one a line, to these records; none to a record without a line. Raises `PaperError`."""
    given: dict[str, Answer] = {}
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            read = json.loads(line)
            seconds = 0.0
            with contextlib.suppress(TypeError, ValueError):
                seconds = float(read.get("seconds", 0))
            given[str(read["id"])] = {"id": str(read["id"]), **check_answer(read), "seconds": seconds}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PaperError(f"{path}: cannot be read as answers ({error})") from None
    return [given.get(record["id"], {"id": record["id"], **UNSURE, "seconds": 0.0}) for record in records]
