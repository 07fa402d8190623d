"""The programs of witnesses: each runs in a process of its own before anything is called refuted.

What a program has to do there says `witnessed`, which is that process; the answers are kept in the store.
"""

import contextlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from types import FunctionType
from typing import Any

import lemmata
from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.engine.claims import fingerprint
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.running.cell import Cell, combine, find_refuted_cell
from lemmata.experiments.engine.running.schedule import Job
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import program_process

NO_PROGRAM = "it has no program, python=..."
LARGEST = 1e300  # of the sides of a witness that a program is tried with
NOT_RUN = "its program has not run yet; run it again"


def digest_program(claim: Claim, python: str, place: str) -> str:
    """What the answer about a program depends on: its text and all it names, where the claim fell, and its judge."""
    roots = (claim.trial, claim.theorem.formula, *compile_program(claim, python), program_process.judge_program)
    return fingerprint.hash_code(*roots, python, place)


def compile_program(claim: Claim, python: str) -> list[FunctionType]:
    """A program as a function that stands beside the statements of its paper; nothing, where it is no program."""
    with contextlib.suppress(SyntaxError, ValueError):
        return [FunctionType(compile(python, str(library.paper(claim.key).folder / "witness.py"), "exec"), {})]
    return []


def find_refuted(jobs: Iterable[Job]) -> Iterator[tuple[Job, Cell, str]]:
    """Of a run, what fell: the cell with the counterexample that counts, and the program of its witness."""
    for job in jobs:
        verdict, cell = None if job.claim.law else combine(job.cells), find_refuted_cell(job.cells)
        if cell is not None and verdict is not None and verdict.outcome == REFUTED:
            yield job, cell, str((verdict.witness or {}).get("python") or "").strip()


def confirm(jobs: Iterable[Job], store: Store, workers: int = 1, edited: Callable[[], bool] = lambda: False) -> None:
    """Run the programs of what fell in a run, those that have not run, and keep what they came to in the store.

    A program runs in a process that loads our files anew. `edited()` says whether they have changed since this process
    loaded them. Raises `Fault` where they have, as nobody knows then what the programs ran with. A store in memory, of
    which nothing is kept, asks nobody.
    """
    waiting: dict[tuple[str, str], dict[str, Any]] = {}
    for job, cell, python in find_refuted(jobs):
        name = job.claim.key, digest_program(job.claim, python, cell.where[0])
        if python and store.answer(*name) is None:
            waiting[name] = {"python": python, "row": describe_refuted(job, cell)}
    said = run_programs(list(waiting.values()), workers)
    if waiting and edited():
        # The ledger is read without the laboratory's libraries, where nothing runs.
        from lemmata.experiments.engine.running.run import Fault

        raise Fault("source files were edited during this run; finished results are stored, run it again")
    for name, answer in zip(waiting, said, strict=True):
        if answer is not None:  # else it stays UNCONFIRMED, and the next run asks again
            store.keep(*name, answer)


def describe_refuted(job: Job, cell: Cell) -> dict[str, Any]:
    """What a judge has to know of a row that fell: its statement, its check, and the counterexample."""
    claim, paper = job.claim, library.paper(job.claim.key)
    witness = (cell.verdict and cell.verdict.witness) or {}
    shown = cell.setting | dict(witness.get("setting") or {}) | dict(witness.get("point") or {})
    sides = [witness.get("found"), witness.get("claimed")]
    return {
        "key": claim.key,
        "name": inspect.unwrap(claim.theorem.formula).__name__,
        "home": claim.trial.__module__,
        "folder": "" if paper.house else str(paper.folder),
        "package": paper.packages[0],
        "style": claim.style,
        "profile": job.profile,
        "place": cell.where[0],
        "asked": witness.get("asked"),
        "points": [shown, *witness.get("points", [])],
        "sides": [side for side in sides if isinstance(side, int | float) and abs(side) < LARGEST],
    }


@contextlib.contextmanager
def open_judge() -> Iterator[Callable[[dict[str, Any]], str | None]]:
    """A process that judges programs, as a function: "", what is wrong with one, or None once the process has died.

    It answers into a pipe that nothing else writes into.
    """
    roots = [str(Path(lemmata.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, roots))}
    here, there = os.pipe()
    # -P: no file of the working folder in place of a module
    command = [sys.executable, "-P", "-m", program_process.__name__, str(there)]
    with os.fdopen(here) as replies:
        try:
            process = Popen(
                command, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, text=True, env=environment, pass_fds=[there]
            )
        finally:
            os.close(there)

        def ask(question: dict[str, Any]) -> str | None:
            assert process.stdin, "it was asked for"
            with contextlib.suppress(BrokenPipeError):
                print(json.dumps(question), file=process.stdin, flush=True)
            answer = replies.readline()
            return json.loads(answer) if answer else None

        with contextlib.suppress(BrokenPipeError), process:
            yield ask


def run_programs(asked: Sequence[dict[str, Any]], workers: int = 1) -> list[str | None]:
    """For every program "", or what is wrong with it in a sentence; None where no process lived to say it.

    Each of `workers` processes is given a program, and the next one when it has answered.
    """
    said: list[str | None] = [None] * len(asked)
    waiting = iter(range(len(asked)))  # one for all

    def judge() -> None:
        with open_judge() as ask:
            for at in waiting:
                said[at] = ask(asked[at])
                if said[at] is None:
                    return

    with ThreadPoolExecutor(workers) as pool:  # a thread waits for each process
        for future in [pool.submit(judge) for _ in range(min(workers, len(asked)))]:
            future.result()
    return said
