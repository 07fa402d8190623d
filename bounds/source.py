"""What a formula says: the text of its definition and of everything in bounds/ that it names, transitively.

Texts are made from syntax trees, so decorators, annotations, docstrings, comments and layout do not count, nor do the
folder, the order of imports and the module in which a helper stands. A changed number in any helper does.
"""

import ast
import functools
import importlib.util
import inspect
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

MACHINERY = ("lemmata.bounds.theorem", "lemmata.bounds.papers")  # they record what is stated


class Place(NamedTuple):
    """A definition: the path of its file and its name there."""

    path: str
    name: str


class File(NamedTuple):
    """The statements of a file at its top level, its functions by name and first line, and its imports of ours."""

    defined: dict[str, list[ast.stmt]]
    functions: dict[tuple[str, int], list[ast.AST]]
    imports: dict[str, tuple[str, str]]  # name here -> module, name there


@functools.cache
def _file(path: str) -> File:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    read = File({}, {}, {})
    for statement in tree.body:
        for name in _defines(statement):
            read.defined.setdefault(name, []).append(statement)
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            read.functions.setdefault(("<lambda>", node.lineno), []).append(node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
                read.functions[node.name, first] = [node]
            _bare(node)
        elif isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("lemmata.bounds."):
            read.imports.update({a.asname or a.name: (node.module or "", a.name) for a in node.names})
    return read


def _defines(statement: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    return [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _bare(node: ast.FunctionDef | ast.ClassDef) -> None:
    """Take decorators, annotations and docstring from a definition."""
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    node.decorator_list = []
    if isinstance(node, ast.FunctionDef):
        node.returns = None
        named = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for argument in filter(None, (*named, node.args.vararg, node.args.kwarg)):
            argument.annotation = None


@functools.cache
def _path(module: str) -> str:
    """The file of a module of ours; "" for what is no module, or only records what is stated."""
    try:
        spec = None if module in MACHINERY else importlib.util.find_spec(module)
    except ModuleNotFoundError:
        spec = None
    return (spec and spec.origin) or ""


def _defined(path: str, name: str) -> Place | None:
    """Where what is called `name` in a file is defined; None for what is not ours."""
    file = _file(path)
    if name in file.defined:
        return Place(path, name)
    module, original = file.imports.get(name, ("", ""))
    home = module and _path(module)
    return _defined(home, original) if home else None


def _named(path: str, node: ast.AST) -> set[Place]:
    """The definitions of ours that a node of a file names, by name or as attributes of a module."""
    places = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            places.add(_defined(path, inner.id))
        elif isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
            module, name = _file(path).imports.get(inner.value.id, ("", ""))
            if home := module and _path(f"{module}.{name}"):
                places.add(_defined(home, inner.attr))
    return {place for place in places if place}


@functools.cache
def _definition(place: Place) -> tuple[str, set[Place]]:
    """The text of a definition, and the definitions that it names."""
    nodes = _file(place.path).defined[place.name]
    return "\n".join(map(ast.unparse, nodes)), set().union(*(_named(place.path, node) for node in nodes))


@functools.cache
def _text(path: str, name: str, line: int) -> str:
    """The text of the function that begins in `line`, and after it every definition that it reaches."""
    nodes = _file(path).functions[name, line]
    reached: dict[Place, str] = {}
    queue = set().union(*(_named(path, node) for node in nodes))
    while queue:
        place = queue.pop()
        if place not in reached:
            reached[place], further = _definition(place)
            queue |= further
    return "\n".join([*map(ast.unparse, nodes), *sorted(set(reached.values()))])


def source(function: Callable) -> str:
    """The text of `function` and of everything in bounds/ that it names; "" if it stands in no file of Python."""
    function = inspect.unwrap(function)
    code = function.__code__
    if not (code.co_filename.endswith(".py") and Path(code.co_filename).exists()):
        return ""
    closed = [cell.cell_contents for cell in function.__closure__ or ()]
    inner = [source(thing) for thing in closed if isinstance(thing, FunctionType)]
    return "\n".join([_text(code.co_filename, code.co_name, code.co_firstlineno), *inner])
