"""Programs of counterexamples that need this package, written again for numpy, scipy and python-flint alone.

What a program imports from us is written into it: a number as it is, a formula as one expression or as its source. A
program that cannot be written so in `LONGEST` lines is given up.
"""

import ast
import builtins
import contextlib
import importlib
import inspect
import math
import textwrap
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import scipy.special

from lemmata.bounds.exact import numbers
from lemmata.bounds.library import library
from lemmata.bounds.proof.expression import NotGeneric, explore, variable
from lemmata.bounds.proof.tracing import follow
from lemmata.experiments.benchmark.formulas import PLAIN

LONGEST, WIDEST = 10, 116  # lines of a program, and characters of a line
THEIRS = ("math", "numpy", "scipy", "flint", "fractions", "itertools", "functools", "random", "cmath", "statistics")
OF_FLOATS: dict[Any, Any] = {numbers.exp: math.exp, numbers.log: math.log, numbers.sqrt: math.sqrt}


class NotStandalone(ValueError):
    """A program that needs more of this package than can be written into it."""


class _Plain(ast.NodeTransformer):
    """Source without annotations and decorators, and without the way from a statement to its formula."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        inner = node.value
        formula = node.attr == "formula" and isinstance(inner, ast.Attribute) and inner.attr == "theorem"
        return inner.value if formula and isinstance(inner, ast.Attribute) else node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return ast.Assign([node.target], self.visit(node.value)) if node.value else ast.Pass()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.decorator_list, node.returns = [], None
        node.body = node.body[ast.get_docstring(node) is not None :]
        return node


class _Writing:
    """The lines that a program needs before its own, in order."""

    def __init__(self, traced: bool) -> None:
        self.traced = traced  # whether a formula becomes one expression where it can
        self.known: dict[str, Any] = {}
        self.imports: dict[str, list[str]] = {}
        self.lines: list[str] = []

    def add(self, name: str, thing: Any) -> None:
        """Define a name as what it is in our code. Raises NotStandalone."""
        thing = OF_FLOATS.get(thing, thing) if isinstance(thing, FunctionType) else thing
        if self.known.setdefault(name, thing) is not thing:
            raise NotStandalone(f"two things are called {name}")
        home = "scipy.special" if hasattr(scipy.special, getattr(thing, "__name__", "")) else "numpy"
        home = home if isinstance(thing, np.ufunc) else str(getattr(thing, "__module__", None) or "")
        if isinstance(thing, ModuleType) and thing.__name__.split(".")[0] in THEIRS:
            self.lines.append(f"import {thing.__name__} as {name}")
        elif isinstance(thing, int | float | str) or (
            isinstance(thing, tuple) and {int, float} >= set(map(type, thing))
        ):
            self.lines.append(f"{name} = {thing!r}")
        elif home.split(".")[0] in THEIRS:
            self.imports.setdefault(home, []).append(f"{thing.__name__} as {name}" if thing.__name__ != name else name)
        elif callable(thing) and not isinstance(thing, type):
            self.define(name, inspect.unwrap(thing.theorem.formula if hasattr(thing, "theorem") else thing))
        else:
            raise NotStandalone(f"{name} is a {type(thing).__name__}")

    def define(self, name: str, function: Any) -> None:
        """A function of ours as one expression, or by its source after what that names."""
        if self.traced and (text := trace(function)):
            for used in (
                each for each in ("exp", "log", "sqrt", "erfc", "lgamma", "floor", "ceil", "pi") if each in text
            ):
                if self.known.setdefault(used, value := getattr(math, used)) is value:
                    self.imports.setdefault("math", []).append(used)
            self.lines.append(f"{name} = {text}")
            return
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise NotStandalone(f"{name} is not defined by def")
        made = _Plain().visit(tree)
        made.name = name
        scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
        used = {node.id for node in ast.walk(made) if isinstance(node, ast.Name)} & scope.keys()
        for each in sorted(used - {name}):
            if scope[each] is not getattr(builtins, each, None):
                self.add(each, scope[each])
        ast.fix_missing_locations(made)
        if isinstance(made.body[0], ast.Return) and made.body[0].value:
            self.lines.append(f"{name} = {ast.unparse(ast.Lambda(made.args, made.body[0].value))}")
        else:
            self.lines += ast.unparse(made).splitlines()


def trace(function: Any) -> str:
    """A formula of numbers as the text of a lambda; "" where it has cases, or is none."""
    parameters = inspect.signature(function).parameters
    with contextlib.suppress(NotGeneric, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        given = {name: variable(name) for name in parameters}
        ((taken, value),) = explore(lambda: follow(function)(**given), lambda condition: None)
        named = "*, " * all(one.kind is one.KEYWORD_ONLY for one in parameters.values())
        text = f"lambda {named}{', '.join(parameters)}: {PLAIN(value)}"
        return text if not taken and len(text) < 3 * WIDEST else ""
    return ""


def join_lines(lines: list[str]) -> list[str]:
    """Simple statements side by side, as far as they fit into a line."""
    made, words = [""], ("for ", "if ", "def ", "with ", "while ", "else", "elif ", "try", "except", "class ", " ", "@")
    for line in lines:
        if (
            made[-1]
            and len(made[-1] + line) + 2 <= WIDEST
            and not (line.startswith(words) or made[-1].startswith(words))
        ):
            made[-1] += f"; {line}"
        else:
            made.append(line)
    return made[1:]


def write_program(python: str, key: str, *, traced: bool) -> str:
    """The program of a row without this package; "" where that cannot be. The row's paper may be a stranger's."""
    paper, writing, own = library.paper(key), _Writing(traced), []
    try:
        for node in ast.parse(python).body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                own.append(node)
                continue
            for alias in node.names:
                home = str(node.module) if isinstance(node, ast.ImportFrom) else alias.name
                beside = not paper.house and (paper.folder / f"{home}.py").exists()
                module = library.load(f"{paper.packages[0]}.{home}") if beside else importlib.import_module(home)
                thing = getattr(module, alias.name) if isinstance(node, ast.ImportFrom) else module
                writing.add(alias.asname or alias.name, thing)
    except (NotStandalone, ImportError, AttributeError, OSError, RecursionError, SyntaxError, TypeError):
        return ""
    imports = [f"from {home} import {', '.join(dict.fromkeys(names))}" for home, names in writing.imports.items()]
    rest = [line for node in own for line in ast.unparse(_Plain().visit(node)).splitlines()]
    lines = join_lines([*imports, *writing.lines, *rest])
    return "\n".join(lines) if len(lines) <= LONGEST and "lemmata" not in "".join(lines) else ""
