"""What a formula says: the structure of its definition and of everything of its paper and of bounds/ that it names.

Texts are made from syntax trees, so decorators, annotations, docstrings, comments and layout do not count, nor do the
folder, the order of imports, the module in which a helper stands and what it is called: a helper is referred to by its
place in the order in which helpers are first mentioned. A changed number in any helper counts.
"""

import ast
import functools
import importlib.util
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

from lemmata.bounds.catalogue.library import library
from lemmata.bounds.statement.closure import closure

FORM = 2  # of these texts: one that is made otherwise gives every statement another digest
OWN = "lemmata.bounds."
MACHINERY = (
    "lemmata.bounds.theorem",
    "lemmata.bounds.statement.theorem",
    "lemmata.bounds.statement.hypotheses",
    "lemmata.bounds.library",
    "lemmata.bounds.catalogue.library",
)  # they record what is stated


class Place(NamedTuple):
    """A definition: the path of its file and its name there."""

    path: str
    name: str


class File(NamedTuple):
    """The statements of a file at its top level, its functions by name and first line, and its imports."""

    defined: dict[str, list[ast.stmt]]
    functions: dict[tuple[str, int], ast.AST]
    imports: dict[str, tuple[str, str, int]]  # name here -> module, name there ("": the module itself), level


class Written(NamedTuple):
    """A definition with `_0_`, `_1_`, ... for the definitions that it names, and these, in that order."""

    text: str
    names: tuple[Place, ...]


@functools.cache
def _file(path: str) -> File:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    read = File({}, {}, {})
    for statement in tree.body:
        for name in _defines(statement):
            read.defined.setdefault(name, []).append(statement)
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            read.functions.setdefault(("<lambda>", node.lineno), node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
                read.functions[node.name, first] = node
            _bare(node)
        elif isinstance(node, ast.ImportFrom):
            read.imports.update({a.asname or a.name: (node.module or "", a.name, node.level) for a in node.names})
        elif isinstance(node, ast.Import):
            read.imports.update({a.asname or a.name: (a.name, "", 0) for a in node.names})
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
def _home(path: str, module: str, level: int = 0) -> str:
    """The file of a module of ours that the file at `path` imports; "" for any other, and for what only records."""
    above = Path(path).parents[level - 1] if level else Path(path).parent
    if module and (level or not path.startswith(_own())):
        beside = above.joinpath(*module.split(".")).with_suffix(".py")
        if beside.is_file() and library.holds(str(beside)):
            return str(beside)
        if level:
            return ""
    try:
        spec = None if module in MACHINERY else importlib.util.find_spec(module)
    except (ModuleNotFoundError, ValueError):  # it is not there, or a name of Python's own
        spec = None
    origin = spec.origin if spec and spec.has_location and spec.origin else ""  # not "built-in", which no file is
    return origin if f"{module}.".startswith(OWN) or library.holds(origin) else ""


@functools.cache
def _own() -> str:
    return f"{Path(__file__).parents[1]}/"


def _defined(path: str, name: str) -> Place | None:
    """Where what is called `name` in a file is defined; None for what is not ours."""
    file = _file(path)
    if name in file.defined:
        return Place(path, name)
    module, original, level = file.imports.get(name, ("", "", 0))
    home = _home(path, module, level) if original and (module or level) else ""
    return _defined(home, original) if home else None


def _module(path: str, name: str) -> str:
    """The file of the module of ours that is called `name` in a file; "" if that is none."""
    module, original, level = _file(path).imports.get(name, ("", "", 0))
    dotted = f"{module}.{original}".strip(".")
    return _home(path, dotted, level) if dotted else ""


class _Placed(ast.NodeTransformer):
    """Puts `_0_`, `_1_`, ... for the definitions of ours that are named, by name or as attributes of a module."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.places: dict[Place, int] = {}

    def _at(self, place: Place) -> ast.Name:
        return ast.Name(f"_{self.places.setdefault(place, len(self.places))}_")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        place = _defined(self.path, node.id)
        return self._at(place) if place else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name):
            home = _module(self.path, node.value.id)
            if home and (place := _defined(home, node.attr)):
                return self._at(place)
        return self.generic_visit(node)


def _written(path: str, nodes: list[ast.AST]) -> Written:
    placed = _Placed(path)
    texts = []
    for node in nodes:
        made = placed.visit(pickle.loads(pickle.dumps(node)))  # a copy, in a third of the time of `copy.deepcopy`
        if isinstance(made, ast.FunctionDef | ast.ClassDef):
            made.name = "_"
        texts.append(ast.unparse(made))
    return Written("\n".join(texts), tuple(placed.places))


@functools.cache
def _definition(place: Place) -> Written:
    return _written(place.path, list(_file(place.path).defined[place.name]))


@functools.cache
def _text(path: str, name: str, line: int) -> str:
    """The text of the function that begins in `line`, and after it every definition that it reaches."""
    own = _written(path, [_file(path).functions[name, line]])
    places = [place for place, _ in closure(own.names, lambda place: _definition(place).names)]
    order = {place: number for number, place in enumerate(places)}
    written = [own, *map(_definition, places)]
    return "\n".join(f"{each.text}  # {' '.join(str(order[place]) for place in each.names)}" for each in written)


def mentioned(function: Callable) -> list[str]:
    """The names in a function's text, in their order there, those of lambdas and comprehensions among them.

    Where its file has no such function, those of its code, which has a comprehension's from Python 3.12 on only.
    """
    code = function.__code__
    read = _file(code.co_filename).functions if Path(code.co_filename).is_file() else {}
    text = read.get((code.co_name, code.co_firstlineno))
    if text is None:
        return list(code.co_names)
    return [
        name for *_, name in sorted((n.lineno, n.col_offset, n.id) for n in ast.walk(text) if isinstance(n, ast.Name))
    ]


def source(function: Callable) -> str:
    """The text of `function` and of everything of ours that it names; "" if it stands in no file of Python."""
    function = inspect.unwrap(function)
    code = function.__code__
    if not (code.co_filename.endswith(".py") and Path(code.co_filename).exists()):
        return ""
    closed = [cell.cell_contents for cell in function.__closure__ or ()]
    inner = [source(thing) for thing in closed if isinstance(thing, FunctionType)]
    return "\n".join([_text(code.co_filename, code.co_name, code.co_firstlineno), *inner])
