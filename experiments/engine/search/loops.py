"""A check as a function of what its loops run over.

    def small():                              def small(*, n):
        for n in range(1, 25):        ->          for n in (n,):
            yield {"n": n}, factorial(n), bound(n=n)      yield {"n": n}, factorial(n), bound(n=n)

A loop is opened if it is over one name, or over a `product` of names, and what it runs over names no local variable:
values that are tied to each other stay tied. All else of a check, its `if`s too, stays as it is.
"""

import ast
import functools
import inspect
import math
import textwrap
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

GIVEN = "_given_"  # the argument of an opened check: {name: value}


class _Opened(ast.NodeTransformer):
    """The loops over names of `wanted`, each over the one value that is given."""

    def __init__(self, local: frozenset[str], wanted: frozenset[str], grids: Mapping[str, Any]) -> None:
        self.local, self.wanted, self.grids = local, wanted, grids
        self.found: set[str] = set()

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        over = node.iter
        if isinstance(over, ast.Name) and (names := axes_of(self.grids.get(over.id))) and names <= self.wanted:
            node.iter = ast.parse(f"({{{', '.join(f'{n!r}: {GIVEN}[{n!r}]' for n in names)}}},)", mode="eval").body
            self.found |= names
        elif isinstance(node.target, ast.Name):
            node.iter = self._given(node.target, over)
        elif (
            isinstance(node.target, ast.Tuple)
            and isinstance(over, ast.Call)
            and ast.unparse(over.func).rpartition(".")[2] == "product"
            and len(over.args) == len(node.target.elts)
            and not over.keywords
        ):
            over.args = [self._given(name, each) for name, each in zip(node.target.elts, over.args, strict=True)]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self.grids and ast.unparse(node.func) == "grid":
            for keyword in node.keywords:
                if keyword.arg:
                    keyword.value = self._given(ast.Name(keyword.arg), keyword.value)
        return node

    def _given(self, target: ast.AST, over: ast.expr) -> ast.expr:
        """(the given value,) in place of what a loop runs over, where it may stand there."""
        named = {node.id for node in ast.walk(over) if isinstance(node, ast.Name)}
        if not isinstance(target, ast.Name) or target.id not in self.wanted or named & self.local:
            return over
        self.found.add(target.id)
        return ast.parse(f"({GIVEN}[{target.id!r}],)", mode="eval").body


def axes_of(values: Any) -> set[str]:
    """The names of the axes of a grid, none of another value."""
    if not (isinstance(values, tuple | list) and values and all(isinstance(value, dict) for value in values)):
        return set()
    axes = {name: {repr(value.get(name)) for value in values} for name in values[0]}
    return set(axes) if len(values) == math.prod(map(len, axes.values())) > 1 else set()


def parse_opened(
    check: Callable[..., Any], wanted: frozenset[str], grids: bool = False
) -> tuple[ast.FunctionDef | None, frozenset[str]]:
    """(syntax tree of the check with its loops over `wanted` opened, their names); no tree if none can be opened.

    With `grids` also loops over a grid.
    """
    arguments = frozenset(inspect.signature(check).parameters)
    try:
        (function,) = ast.parse(textwrap.dedent(inspect.getsource(check))).body
    except (OSError, SyntaxError, TypeError):
        return None, frozenset()
    if not isinstance(function, ast.FunctionDef) or (check.__code__.co_freevars and not grids):
        return None, frozenset()
    opened = _Opened(frozenset(check.__code__.co_varnames), wanted - arguments, check.__globals__ if grids else {})
    function = opened.visit(function)
    function.decorator_list = []
    function.args.kwonlyargs.append(ast.arg(GIVEN))
    function.args.kw_defaults.append(None)
    return function if opened.found else None, frozenset(opened.found)


@functools.cache
def open_loops(check: Callable[..., Any], wanted: frozenset[str]) -> tuple[Callable[..., Any], frozenset[str]]:
    """(check, names): the check as a function of its own arguments and of the names that its opened loops run over."""
    function, opened = parse_opened(check, wanted)
    return (_compile(function, check), opened) if function else (check, opened)


def _compile(function: ast.FunctionDef, check: Callable[..., Any]) -> Callable[..., Any]:
    arguments = frozenset(inspect.signature(check).parameters)
    made: dict[str, Any] = {}
    tree = ast.fix_missing_locations(ast.Module([function], []))
    exec(compile(tree, check.__code__.co_filename, "exec"), check.__globals__, made)
    inner: FunctionType = made[function.name]

    def run(**setting: Any) -> Any:
        own = {name: value for name, value in setting.items() if name in arguments}
        return inner(**own, **{GIVEN: setting})

    return run


def cases_at(check: Callable[..., Any], **setting: Any) -> list[Any]:
    """The cases of a check at one setting: what the program of a counterexample calls."""
    plain = inspect.unwrap(check)
    return list(open_loops(plain, frozenset(setting))[0](**setting))
