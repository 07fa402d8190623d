"""The API reference: every public module, class and function with its signature and docstring, read from the code.

`lemmata` and `lemmata.paper` come first; then the algorithms, the auditor and the solvers, a module a page; of `bounds`
the record of a theorem and the exact arithmetic. The statements of the papers have pages of their own.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

GROUPS = (  # heading, and the packages or modules below it
    ("What `import lemmata` gives", ("lemmata",)),
    ("For papers of your own", ("lemmata.paper",)),
    ("Algorithms, budgets and sizes", ("lemmata.mechanisms",)),
    ("The auditor", ("lemmata.mechanisms.audit",)),
    ("Solvers", ("lemmata.mechanisms.solvers",)),
    ("Statements as functions", ("lemmata.bounds.theorem", "lemmata.bounds.library", "lemmata.bounds.exact")),
)
ADDRESS = re.compile(r"<([\w.]+)(?:[^<>]|<\w+>)* at 0x[0-9a-f]+>")  # differs from run to run
ANNOTATION = re.compile(r"(: |-> )'([^']*)'")  # modules keep their annotations as texts
CODE = re.compile(r"^(>>>| {4})")  # how an example begins, or what a docstring sets apart


def modules() -> list[tuple[str, list[ModuleType]]]:
    """The public modules below each heading."""
    return [(heading, [m for name in names for m in _modules(name)]) for heading, names in GROUPS]


def _modules(name: str) -> Iterator[ModuleType]:
    """A module; of a package (but the package of everything) also the modules that stand in it, not those below."""
    package = importlib.import_module(name)
    yield package
    if name != "lemmata" and hasattr(package, "__path__"):
        for info in pkgutil.iter_modules(package.__path__):
            if not info.ispkg and not info.name.startswith("_"):
                yield importlib.import_module(f"{name}.{info.name}")


def public(module: ModuleType) -> list[tuple[str, Any]]:
    """(name, class or function) that a module hands out: those of `__all__`, else those that it defines."""
    named = getattr(module, "__all__", None)
    if named is None:
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        named = [name for name in own if not name.startswith("_")]
    found = [(name, getattr(module, name)) for name in named]
    return [(name, value) for name, value in found if inspect.isclass(value) or inspect.isroutine(value)]


def entry(name: str, value: Any) -> dict[str, Any]:
    """A class or function as the template shows it; of a class also its public methods and properties."""
    members = []
    if inspect.isclass(value):
        members = [
            {"name": f"{name}.{attribute}", "signature": signature(member), "blocks": blocks(inspect.getdoc(member))}
            for attribute, member in vars(value).items()
            if not attribute.startswith("_") and inspect.getdoc(member) and _documented(member)
        ]
    shown = {"name": name, "signature": signature(value), "blocks": blocks(inspect.getdoc(value))}
    return shown | {"members": members, "kind": "class" if inspect.isclass(value) else "function"}


def _documented(member: Any) -> bool:
    return inspect.isroutine(member) or isinstance(member, property | classmethod | staticmethod)


def signature(value: Any) -> str:
    """`(X, y, *, epsilon: float = 1.0) -> Model`, without what differs from run to run; "" where there is none."""
    try:
        return ANNOTATION.sub(r"\1\2", ADDRESS.sub(r"<\1>", str(inspect.signature(value))))
    except (TypeError, ValueError):
        return ""


def blocks(doc: str | None) -> list[tuple[str, str]]:
    """A docstring as [("prose" or "code", text)]; examples, and what is set in by four spaces, are code."""
    made: list[tuple[str, str]] = []
    for paragraph in re.split(r"\n[ \t]*\n", (doc or "").strip("\n")):
        kind = "code" if CODE.match(paragraph) else "prose"
        if made and made[-1][0] == kind:
            made[-1] = kind, f"{made[-1][1]}\n\n{paragraph}"
        elif paragraph.strip():
            made.append((kind, paragraph))
    return [(kind, textwrap.dedent(text) if kind == "code" else text) for kind, text in made]


def title(module: ModuleType) -> str:
    """The first sentence or line of what a module says of itself."""
    return (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ")


def api_pages(page: Callable[..., tuple[str, str]]) -> list[tuple[str, str]]:
    """The contents page and a page a module; `page` renders (template, path, **values)."""
    made, groups = [], []
    for heading, found in modules():
        groups.append((heading, [(m.__name__, title(m), [name for name, _ in public(m)]) for m in found]))
        for module in found:
            doc = blocks(inspect.getdoc(module))
            entries = [entry(name, value) for name, value in public(module)]
            where = f"api/{module.__name__}.html"
            made.append(page("api_module.html.j2", where, name=module.__name__, blocks=doc, entries=entries))
    return [page("api_index.html.j2", "api/index.html", groups=groups), *made]
