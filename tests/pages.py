"""Does what a page says: its blocks become files, programs and commands, in their order, in one folder.

A block with a title is that file; with the word `more` it is added to its end. A `diff` block names a file after `---`,
removes each line that begins with -, and adds each line that begins with + below the line above it. A `console` block
has commands after `$ `, and below them what they print: every such line has to be among what they did print, of one
that ends in ... the beginning. The word `fails` says that the last command ends with status 1, `slow` that it is for
`make soak`. Any other block of Python is a program; blocks of other languages are only shown.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One block of a page: its language, title and further words, its text, and its line."""

    language: str
    title: str
    words: tuple[str, ...]
    text: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page in Markdown."""
    for found in BLOCK.finditer(page):
        title = re.search(r'title="([^"]*)"', found[2])
        words = re.sub(r'title="[^"]*"', "", found[2]).split()
        yield Block(found[1], title[1] if title else "", tuple(words), found[3], page.count("\n", 0, found.start()) + 1)


def commands(path: Path, environment: Mapping[str, str], *flags: str) -> dict[str, str]:
    """`environment` with `python`, `lemmata` and `pytest` first on its path; `flags` are the interpreter's."""
    path.mkdir(parents=True, exist_ok=True)
    python = " ".join([sys.executable, *flags])
    for name, does in {"python": "", "lemmata": "-m lemmata", "pytest": "-m pytest -p no:cacheprovider"}.items():
        (path / name).write_text(f'#!/bin/sh\nexec {python} {does} "$@"\n')
        (path / name).chmod(0o755)
    return {**environment, "PATH": f"{path}{os.pathsep}{environment['PATH']}", "COLUMNS": "120"}


def follow(block: Block, folder: Path, environment: Mapping[str, str]) -> Path:
    """Do what one block says in `folder`; returns the folder in which the page goes on."""
    if block.title:
        path = folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if "more" in block.words else "w", encoding="utf-8") as file:
            file.write("\n\n" * ("more" in block.words) + block.text)
    elif block.language == "diff":
        patch(block.text, folder)
    elif block.language == "python":
        ran(["python", "-c", block.text], folder, environment, block)
    elif block.language == "console":
        return converse(block, folder, environment)
    return folder


def patch(text: str, folder: Path) -> None:
    """Add lines to a file and remove lines from it, each below the first line that is the one above it."""
    first, *lines = text.splitlines()
    path = folder / first.removeprefix("--- ")
    kept, place = path.read_text(encoding="utf-8").splitlines(), 0
    for line in lines:
        if line.startswith("+"):
            kept.insert(place := place + 1, line[1:])
        else:
            place = kept.index(line[1:])
            if line.startswith("-"):
                del kept[place]
                place -= 1
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")


def converse(block: Block, folder: Path, environment: Mapping[str, str]) -> Path:
    """Run the commands of a block, and look for what they are said to print; `cd` goes to another folder for good."""
    for number, part in enumerate(parts := re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:], 1):
        command, *wanted = part.splitlines()
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        status = int("fails" in block.words and number == len(parts))
        printed = ran(["sh", "-c", command], folder, environment, block, status)
        shown = [" ".join(line.split()) for line in printed.splitlines()]
        for line in (" ".join(line.split()) for line in wanted):
            begins = line.removesuffix("...").rstrip()
            met = any(each.startswith(begins) if line.endswith("...") else each == line for each in shown)
            assert met, f"line {block.line}: $ {command}\nprints no line\n{line}\nbut\n{printed}"
    return folder


def ran(command: list[str], folder: Path, environment: Mapping[str, str], block: Block, status: int = 0) -> str:
    """What a command prints; it has to end with `status`."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    told = f"line {block.line}: {command[-1]}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.returncode == status, told
    return done.stdout + done.stderr
