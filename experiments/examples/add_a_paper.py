"""Add a paper: the folder of an invented paper with a false lemma, and its verdicts by `lemmata`.

    python -m lemmata.experiments.examples.add_a_paper

A paper is a folder with a `paper.toml`, anywhere; `lemmata new-paper NAME` creates one, and docs/your-own-theorem.md
continues from there. This script writes it into a temporary folder, which is deleted at the end.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PAGE = """
id = "new26"
authors = ["Ada Nobody"]
title = "On Products"
year = 2026

[contents]
"lem1" = "Lemma 1"
"""

MODULE = '''
"""Lemma 1 of an invented paper, which is false, and what is true."""

import math

from lemmata.paper import inequality_claim, integer, theorem

WITNESS = """from products import factorial_bound
assert 3 * 2 * 1 > factorial_bound(n=3)"""


@theorem("lem1", says=r"n! \\le n^{n/2}", needs=[integer("n")])
def factorial_bound(*, n: int) -> float:
    """The bound on n! as printed, Lemma 1."""
    return n ** (n / 2)


@factorial_bound.corrected(says=r"n! \\le ((n+1)/2)^n")
def factorial_bound_corrected(*, n: int) -> float:
    """The same by the mean of 1, ..., n, which is at least their geometric mean."""
    return ((n + 1) / 2) ** n


@inequality_claim(factorial_bound, severity="constant", python=WITNESS, note="3! is 6")
def it_fails():
    """Small n."""
    for n in range(1, 6):
        yield {"n": n}, math.factorial(n), factorial_bound(n=n)


@inequality_claim(factorial_bound_corrected, scope="settings")
def it_holds():
    """n up to 20."""
    for n in range(1, 21):
        yield {"n": n}, math.factorial(n), factorial_bound_corrected(n=n)
'''


def lemmata(*arguments: str, folder: Path) -> list[str]:
    """The lines that `lemmata *arguments` prints in `folder`."""
    command = [sys.executable, "-m", "lemmata", *arguments]
    settings = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "100"}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main() -> None:
    """Two verdicts, and what to cite in place of the false one."""
    with TemporaryDirectory() as box:
        folder = Path(box)
        (folder / "paper.toml").write_text(PAGE.lstrip(), encoding="utf-8")
        (folder / "products.py").write_text(MODULE.lstrip(), encoding="utf-8")
        print("$ lemmata run")
        print("\n".join(line for line in lemmata("run", "--jobs", "1", folder=folder) if "new26" in line))
        print("$ lemmata explain lem1")
        print("\n".join(lemmata("explain", "lem1", folder=folder)[:6]))
        print("in reports/:", ", ".join(sorted(path.name for path in (folder / "reports").iterdir())))


if __name__ == "__main__":
    main()
