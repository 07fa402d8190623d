"""Complete docstrings: classes inherit entries from their bases, functions from another function.

Sections are numpydoc's. A class describes the parameters and attributes that it adds; `inherit_docs` puts those of its
bases beside them, and `share_docs` does so for functions, so that `help` and the reference show every one of them, and
each is written once.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable)
ENTRIES = ("Parameters", "Attributes")


def split_sections(text: str) -> dict[str, list[str]]:
    """{title: its lines} of a docstring without indentation, in its order; "" is what stands above the first title.

    >>> split_sections("A.\\n\\nParameters\\n----------\\nn : int\\n    Rows.")
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


def split_entries(lines: Iterable[str]) -> dict[tuple[str, ...], list[str]]:
    """{the names of an entry: its lines} of a section such as Parameters.

    >>> split_entries(["a, b : float", " Numbers.", "", "*more : int"])
    {('a', 'b'): ['a, b : float', ' Numbers.'], ('more',): ['*more : int']}
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


def inherit_docs(cls: type[T]) -> type[T]:
    """`cls`, with the parameters and attributes of its bases in its docstring; parameters in the signature's order."""
    kinds = [cls, *(kind for kind in cls.__mro__ if kind is not cls)]
    own, *bases = (split_sections(inspect.cleandoc(vars(kind).get("__doc__") or "")) for kind in kinds)
    if own[""][0]:  # else docstrings are left out
        cls.__doc__ = _completed(own, bases, list(inspect.signature(cls).parameters))
    return cls


def share_docs(other: Callable) -> Callable[[F], F]:
    """A decorator: what a function's docstring does not say of its parameters and its result, that of `other` says.

    >>> def area(r): "Of a disc.\\n\\nParameters\\n----------\\nr : float"
    >>> @share_docs(area)
    ... def length(r): "Of its edge."
    >>> length.__doc__
    'Of its edge.\\n\\nParameters\\n----------\\nr : float\\n'
    """

    def decorate(function: F) -> F:
        own, given = (split_sections(inspect.getdoc(one) or "") for one in (function, other))
        if own[""][0]:
            returned = {title: lines for title, lines in given.items() if title == "Returns"}
            own = {"": own[""]} | returned | own
            function.__doc__ = _completed(own, [given], list(inspect.signature(function).parameters))
        return function

    return decorate


def _completed(own: dict[str, list[str]], more: Iterable[dict[str, list[str]]], order: list[str]) -> str:
    """A docstring with the entries of others beside its own, of parameters those in `order`, and its other sections."""
    made = {}
    for title in ENTRIES:
        found: dict[tuple[str, ...], list[str]] = {}
        for text in (own, *more):
            described = {name for names in found for name in names}
            here = split_entries(text.get(title, []))
            found |= {names: lines for names, lines in here.items() if not described & set(names)}
        kept = [names for names in found if title != "Parameters" or names[0] in order]
        kept.sort(key=lambda names: order.index(names[0]) if title == "Parameters" else 0)
        made[title] = [line for names in kept for line in found[names]]
    whole = ["\n".join(own[""]).rstrip(), ""]
    rest = {title: lines for title, lines in own.items() if title and title not in ENTRIES}
    for title, lines in ({name: [*text, ""] for name, text in made.items() if text} | rest).items():
        whole += [title, "-" * len(title), *lines]
    return "\n".join(whole).rstrip() + "\n"
