"""Changes of our own code while the interpreter runs: every planted mistake is made here.

A function is changed by replacing its code object, so every caller sees the change (`rewrite`, `scale_return`,
`set_literal`, `replace_code`); `replace_attribute` changes any other object. A change is made in a forked child
(`runner`), so it need not be undone. A claim's control is its own: it changes what is drawn, not our code.
"""

import ast
import dataclasses
import functools
import gc
import inspect
import sys
import textwrap
import types
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from lemmata.experiments.engine.claims import fingerprint

SCALED = "_scaled_by_the_mutant"  # what the code of a mutant calls `scaled`
WHERE, FACTOR = "_where_the_mutant_scales", "_factor_of_the_mutant"  # and where it does so, by how much
PACKAGES = ("lemmata.bounds", "lemmata.mechanisms", "lemmata.experiments")


def plain(function: Any) -> types.FunctionType:
    """The innermost function: without the check of the hypotheses, without a cache, of a property what computes it."""
    if isinstance(function, property):
        function = function.fget
    if hasattr(function, "theorem"):
        function = function.theorem.formula
    return inspect.unwrap(function)


def distances(*roots: Callable, within: tuple[str, ...] = ("lemmata.bounds",)) -> dict[str, int]:
    """module.function of those in the packages `within` that `roots` name, transitively, and at how many removes."""
    return {f"{f.__module__}.{f.__qualname__}": removes for f, removes in _reached(roots, within)}


def reached(*roots: Callable, within: tuple[str, ...] = ("lemmata.bounds",)) -> list[types.FunctionType]:
    """The functions of the packages `within` that `roots` name, transitively, sorted by name."""
    return sorted((f for f, _ in _reached(roots, within)), key=lambda f: (f.__module__, f.__qualname__))


def _reached(roots: tuple, within: tuple[str, ...]) -> Iterator[tuple[types.FunctionType, int]]:
    packages = tuple(f"{name}." for name in within)
    for thing, removes in fingerprint.find_reached(*roots):
        if isinstance(thing, types.FunctionType) and f"{thing.__module__}.".startswith(packages):
            yield thing, removes


def parsed(function: types.FunctionType) -> ast.FunctionDef:
    """The syntax tree of one function, lines counted as in its file."""
    lines, first = inspect.getsourcelines(function)
    (node,) = ast.parse(textwrap.dedent("".join(lines))).body
    assert isinstance(node, ast.FunctionDef)
    ast.increment_lineno(node, first - 1)
    return node


def replace_code(function: types.FunctionType, node: ast.FunctionDef) -> None:
    """Let `function` do what `node` says; caches of the project are emptied, as they may remember what it did."""
    node.decorator_list = []
    names = function.__code__.co_freevars
    outer = ast.parse(f"def _outer({', '.join(names)}):\n    pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    itself = [] if node.name in names else [ast.Global([node.name])]  # where it calls itself, it is a global still
    outer.body = [*itself, node, ast.Return(ast.Name(node.name, ast.Load()))]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    scope: dict[str, Any] = {}
    exec(compile(module, function.__code__.co_filename, "exec"), function.__globals__ | {SCALED: scaled}, scope)
    made = scope["_outer"](*(None for _ in names))
    function.__globals__.setdefault(SCALED, scaled)
    function.__code__ = made.__code__
    _interpret(function)
    forget()


def _interpret(function: types.FunctionType) -> None:
    """Let a module run as it is written where `function` was compiled: what numba made does not see a change."""
    names = vars(sys.modules[function.__module__])
    compiled = {name: thing.py_func for name, thing in names.items() if hasattr(thing, "py_func")}
    if function in compiled.values():
        names.update(compiled)


def rewrite(function: Any, before: str, after: str) -> None:
    """Let a function or a property do what its text says with `before`, which stands there once, replaced."""
    function = plain(function)
    text = textwrap.dedent(inspect.getsource(function))
    (node,) = ast.parse(text).body
    text = "\n".join(text.splitlines()[node.lineno - 1 :])  # below its decorators
    if text.count(before) != 1:
        raise ValueError(f"{before!r} stands {text.count(before)} times in {function.__qualname__}, not once")
    (node,) = ast.parse(text.replace(before, after)).body
    assert isinstance(node, ast.FunctionDef)
    replace_code(function, node)


def replace_attribute(target: Any, name: str, mutated: Callable[[Any], Any]) -> None:
    """Let what a class or module calls `name` be what `mutated` makes of it."""
    setattr(target, name, mutated(inspect.getattr_static(target, name)))
    forget()


def forget() -> None:
    """Empty every cache of the project's own functions."""
    for cached in find_caches():
        cached.cache_clear()


def find_caches() -> list[functools._lru_cache_wrapper]:
    """Return all that the project's modules loaded so far keep with `functools.cache`."""
    return _caches(len(sys.modules))


@functools.cache
def _caches(modules: int) -> list[functools._lru_cache_wrapper]:
    """The caches of the modules loaded so far, by their number, wherever they are wrapped.

    A child inherits what its parent found: asking for all objects anew costs half a second in a large process, as it
    touches every page that the two share.
    """
    kept = (thing for thing in gc.get_objects() if isinstance(thing, functools._lru_cache_wrapper))
    ours = [thing for thing in kept if (thing.__module__ or "").startswith(PACKAGES)]
    return [thing for thing in ours if thing.__module__ not in (__name__, fingerprint.__name__)]


def scaled(value: Any, by: float) -> Any:
    """`value` with every number in it multiplied; truth values, strings and the like stay."""
    if isinstance(value, bool | np.bool_ | str | None):
        return value
    if isinstance(value, int | Fraction):
        product = value * Fraction(by)
        return int(product) if isinstance(value, int) and product.denominator == 1 else product
    if isinstance(value, dict):
        return {key: scaled(inner, by) for key, inner in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(scaled(inner, by) for inner in value))
    if isinstance(value, list | tuple):
        return type(value)(scaled(inner, by) for inner in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **{n: scaled(v, by) for n, v in fields.items() if isinstance(v, float | int)})
    if isinstance(value, np.ndarray) and value.dtype == bool:
        return value
    return value * by


class ScaledReturn(ast.NodeTransformer):
    """Every value returned, multiplied by what `by` says."""

    def __init__(self, by: ast.expr) -> None:
        self.by = by

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is not None:
            node.value = ast.Call(ast.Name(SCALED, ast.Load()), [node.value, self.by], [])
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node


def scale_return(
    function: types.FunctionType, by: float, where: Callable[[dict[str, Any]], bool] | None = None
) -> None:
    """Multiply what `function` returns; with `where` at the arguments only of which that is true."""
    node = parsed(function)
    factor: ast.expr = ast.Constant(by)
    first: list[ast.stmt] = []
    if where is not None:  # the arguments as they were handed over: the body may bind their names anew
        function.__globals__[WHERE] = lambda arguments: by if np.all(where(arguments)) else 1
        first = ast.parse(f"{FACTOR} = {WHERE}(dict(locals()))").body
        factor = ast.Name(FACTOR, ast.Load())
    node.body = [*first, *(ScaledReturn(factor).visit(line) for line in node.body)]
    replace_code(function, node)


def literals(function: types.FunctionType) -> Iterator[tuple[int, str, int, int | float]]:
    """(place, text, line, value) of every number written in the body of `function`; -1 and exponents of ten included.

    The text is the number and the expression that it stands in, `2 in 2 * log(n)`, counted where there are several.
    """
    node, seen = parsed(function), Counter[str]()
    above = {id(inner): outer for outer in ast.walk(node) for inner in ast.iter_child_nodes(outer)}
    for place, (constant, value) in enumerate(_numbers(node)):
        around: ast.AST = above[id(constant)]
        while isinstance(around, ast.UnaryOp | ast.keyword):
            around = above[id(around)]
        text = f"{value} in {ast.unparse(around).splitlines()[0]}"
        seen[text] += 1
        yield place, text if seen[text] == 1 else f"{text} ({seen[text]})", constant.lineno, value


def _numbers(node: ast.FunctionDef) -> list[tuple[ast.Constant, int | float]]:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    constants = (inner for line in body for inner in ast.walk(line) if isinstance(inner, ast.Constant))
    return [(c, c.value) for c in constants if isinstance(c.value, int | float) and not isinstance(c.value, bool)]


def set_literal(function: types.FunctionType, place: int, value: int | float) -> None:
    """Write another number at one place of the body of `function`."""
    node = parsed(function)
    constant, _ = _numbers(node)[place]
    constant.value = value
    replace_code(function, node)
