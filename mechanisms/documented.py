"""Docstrings that say all: what a class inherits is taken from the docstrings of its bases.

Sections are numpydoc's. A class describes the parameters and attributes that it adds; `documented` puts those of its
bases beside them, so that `help` and the reference show every one of them, and each is written once.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")
ENTRIES = ("Parameters", "Attributes")


def sections(text: str) -> dict[str, list[str]]:
    """{title: its lines} of a docstring without indentation, in its order; "" is what stands above the first title.

    >>> sections("A.\\n\\nParameters\\n----------\\nn : int\\n    Rows.")
    {'': ['A.', ''], 'Parameters': ['n : int', '    Rows.']}
    """
    found: dict[str, list[str]] = {"": []}
    title, lines = "", text.split("\n")
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and re.fullmatch(r"-{3,}", below) and len(line) == len(below):
            title = line
            found[title] = []
        elif not (re.fullmatch(r"-{3,}", line) and title and not found[title]):
            found[title].append(line)
    return found


def entries(lines: Iterable[str]) -> dict[tuple[str, ...], list[str]]:
    """{the names of an entry: its lines} of a section such as Parameters.

    >>> entries(["a, b : float", "    Numbers.", "", "*more : int"])
    {('a', 'b'): ['a, b : float', '    Numbers.'], ('more',): ['*more : int']}
    """
    found: dict[tuple[str, ...], list[str]] = {}
    names: tuple[str, ...] = ()
    for line in lines:
        if line[:1].strip():
            names = tuple(name.strip(" *`") for name in line.partition(" : ")[0].split(","))
            found[names] = [line]
        elif line.strip():
            found[names].append(line)
    return found


def documented(cls: type[T]) -> type[T]:
    """`cls`, with the parameters and attributes of its bases in its docstring; parameters in the signature's order."""
    own = sections(inspect.cleandoc(cls.__doc__ or ""))
    if not own[""][0]:  # docstrings are left out
        return cls
    head = own.pop("")
    made = {}
    for title in ENTRIES:
        found: dict[tuple[str, ...], list[str]] = {}
        for kind in cls.__mro__:
            described = {name for names in found for name in names}
            text = own if kind is cls else sections(inspect.cleandoc(vars(kind).get("__doc__") or ""))
            here = entries(text.get(title, []))
            found |= {names: lines for names, lines in here.items() if not described & set(names)}
        order = list(inspect.signature(cls).parameters)
        kept = [names for names in found if title != "Parameters" or names[0] in order]
        kept.sort(key=lambda names: order.index(names[0]) if title == "Parameters" else 0)
        made[title] = [line for names in kept for line in found[names]]
    whole = [*head]
    for title, lines in ({name: [*text, ""] for name, text in made.items() if text} | others(own)).items():
        whole += [title, "-" * len(title), *lines]
    cls.__doc__ = "\n".join(whole).rstrip() + "\n"
    return cls


def others(own: dict[str, list[str]]) -> dict[str, list[str]]:
    """The sections that are taken as they are."""
    return {title: lines for title, lines in own.items() if title not in ENTRIES}
