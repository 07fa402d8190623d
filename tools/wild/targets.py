"""What is audited: a function that returns (mechanism, dataset, ..., claim), marked as honest or as a known bug.

    @known("https://github.com/OWNER/NAME/issues/1", line="module.py:12")
    def its_mean():
        return partial(tools.mean, epsilon=1.0, bounds=(0, 1)), x, PureDP(1.0)

A bug is known if somebody has published it: nothing else stands here. `line` is where the publication, or the source
read by us, says that it is; `mended` the first version without it, whose own audit must refute nothing.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

HONEST, KNOWN, MENDED = "honest", "known bug", "mended"


@dataclass(frozen=True)
class Target:
    """One thing to audit.

    make    () -> (mechanism, parts of a dataset..., claim)
    issue   where the bug was published; empty for what is thought honest
    says    the bug in a few words
    line    places, as `file:line` without the folder, at which a lead names this bug and no other
    mended  the first version without the bug
    budget  of releases; empty: the auditor's own
    unfound  why an audit does not find it, where that is known
    code    the body of the function, as an outside engineer would write it
    """

    make: Callable[[], tuple]
    issue: str = ""
    says: str = ""
    line: tuple[str, ...] = ()
    mended: str = ""
    budget: int | None = None
    unfound: str = ""
    code: str = ""

    @property
    def name(self) -> str:
        """`its mean`."""
        return in_words(self.make.__name__)

    def kind(self, version: str) -> str:
        """Honest, known bug, or mended in this version."""
        if not self.issue:
            return HONEST
        return MENDED if self.mended and numbered(version) >= numbered(self.mended) else KNOWN

    def named(self, place: str) -> bool:
        """Does the place that was found name the published line?"""
        return any(re.search(re.escape(line) + r"\b", place) for line in self.line)


def in_words(function: str) -> str:
    """`its mean` of its_mean."""
    return function.replace("_", " ").strip()


def numbered(version: str) -> tuple[int, ...]:
    """(0, 15, 1) of "0.15.1"."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def known(
    issue: str, says: str = "", *, line: str = "", mended: str = "", budget: int | None = None, unfound: str = ""
) -> Callable:
    """Mark a target as a bug that somebody has published; `line` is one place or several, apart by spaces."""
    if not re.match(r"https://|arXiv ", issue):
        raise ValueError(f"issue = {issue!r} is no address and no paper: a bug that nobody has published stays out")
    return _mark(issue=issue, says=says, line=tuple(line.split()), mended=mended, budget=budget, unfound=unfound)


def honest(says: str = "", *, budget: int | None = None) -> Callable:
    """Mark a target that is thought to keep its claim."""
    return _mark(says=says, budget=budget)


def _mark(**facts: Any) -> Callable:
    def marked(make: Callable[[], tuple]) -> Target:
        return Target(make, **facts, code=body(make))  # read now: whoever edits the file meanwhile changes no row

    return marked


def body(make: Callable) -> str:
    """What stands in a function, without its head."""
    lines = inspect.getsource(make).splitlines()
    head = next(number for number, text in enumerate(lines) if text.lstrip().startswith("def "))
    return inspect.cleandoc("\n".join(lines[head + 1 :]))


def targets_of(module: ModuleType) -> list[Target]:
    """The targets of a module, in its order."""
    return [thing for thing in vars(module).values() if isinstance(thing, Target)]


def listed(source: str) -> dict[str, str]:
    """The targets that a file declares, read without importing what it audits: {name: the file without the others}."""
    marks = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.decorator_list]
    called = [(node, getattr(d, "func", None)) for node in marks for d in node.decorator_list]
    targets = [node for node, mark in called if getattr(mark, "id", "") in ("known", "honest")]
    lines = source.splitlines()
    spans = [range(node.decorator_list[0].lineno - 1, node.end_lineno or 0) for node in targets]
    shared = set(range(len(lines))).difference(*spans)
    return {
        node.name: "\n".join(lines[at] for at in sorted(shared.union(span)))
        for node, span in zip(targets, spans, strict=True)
    }
