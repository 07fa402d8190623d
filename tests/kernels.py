"""The verdicts with the oldest BLAS kernels: `python -m tests.kernels FOLDER [NAME ...]` compares two quick runs.

OpenBLAS adds in another order on another processor, so a last digit may move; a verdict, a reason, a control, a count
may not. `OPENBLAS_CORETYPE` chooses its kernels.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.soak import counted

OLDEST = "Nehalem"
MOVES = ("tightness", "witness", "note", "seconds", "cpu_seconds")  # hold figures, or words with figures in them
CLOSE = 1e-9  # relative


def ledger(folder: Path, names: list[str], kernels: str = "") -> list[dict[str, Any]]:
    """The rows of a quick run of what is named, by default of everything, with these kernels."""
    environment = {**os.environ, **({"OPENBLAS_CORETYPE": kernels} if kernels else {})}
    command = [sys.executable, "-m", "lemmata"]
    ran = subprocess.run([*command, "run", *names, "--out", str(folder)], env=environment, stdout=subprocess.DEVNULL)
    if ran.returncode:
        sys.exit(ran.returncode)
    listed = subprocess.run(
        [*command, "ledger", *names, "--json", "--out", str(folder)],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(listed.stdout)


def moved(here: list[dict[str, Any]], there: list[dict[str, Any]]) -> Iterator[tuple[str, str, Any, Any, bool]]:
    """(key, field, here, there, whether it may) of all that differs."""
    assert [row["key"] for row in here] == [row["key"] for row in there]
    for one, other in zip(here, there, strict=True):
        for name in one:
            if one[name] != other[name]:
                close = name != "tightness" or all(map(near, one[name] or [], other[name] or []))
                yield one["key"], name, one[name], other[name], name in MOVES and close


def near(one: float | None, other: float | None) -> bool:
    """Whether two figures differ in their last digits at most."""
    return one == other or (one is not None and other is not None and abs(one - other) <= CLOSE * abs(one))


if __name__ == "__main__":
    place, names = Path(sys.argv[1]), sys.argv[2:]
    here, there = ledger(place / "here", names), ledger(place / OLDEST, names, OLDEST)
    differing = list(moved(here, there))
    for key, name, one, other, may in differing:
        print(f"{key} {name}: {one} here, {other} with kernels of {OLDEST}{'' if may else ': IT MUST NOT'}")
    print(f"{len(differing)} fields differ with OPENBLAS_CORETYPE={OLDEST}")
    wrong = {key for key, *_, may in differing if not may}
    counted(place, len(here), len(wrong))
    sys.exit(1 if wrong else 0)
