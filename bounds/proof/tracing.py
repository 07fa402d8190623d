"""A formula written for numbers, as a formula of expressions: the same source, with exact numbers and functions.

    expression = follow(formula)(x=variable("x"))

A decimal in the source means that decimal, whole numbers divide to a fraction, and functions of math, numpy, scipy and
of balls become those of expressions. The text of a formula therefore serves floats and proofs.
"""

import ast
import builtins
import functools
import inspect
import math
import operator
import textwrap
import typing
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import scipy.special
from flint import arb

from lemmata.bounds.exact import balls, numbers
from lemmata.bounds.proof import expression as of
from lemmata.bounds.proof.expression import Condition, Equality, Expression, NotGeneric, as_expression

HALF = Fraction(1, 2)
LONGEST = 14  # characters of a float that is a decimal; a longer one is rounded, and is no exact number


def _quotient(a: Any, b: Any) -> Any:
    return Fraction(a) / b if isinstance(a, int) and isinstance(b, int | Fraction) else a / b


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int | Fraction) and isinstance(b, Fraction) and b.denominator != 1:
        return as_expression(a) ** b
    return Fraction(a) ** b if isinstance(a, int) and isinstance(b, int | Fraction) and b < 0 else a**b


def _equal(a: Any, b: Any) -> Any:
    if not (isinstance(a, Expression) or isinstance(b, Expression)):
        return a == b
    if not all(isinstance(side, Expression | int | Fraction) for side in (a, b)):
        return False  # a text, or None
    return Equality(a - b) if isinstance(a, Expression) or isinstance(b, Expression) else a == b


def _normal_cdf(x: Any) -> Expression:
    return of.erfc(-x / of.sqrt(2)) * HALF


def _normal_density(x: Any) -> Expression:
    return of.exp(-(x**2) * HALF) / of.sqrt(2 * of.PI)


def _whole_part(x: Any = 0) -> Any:
    if isinstance(x, Condition | Equality):
        return int(bool(x))
    return (
        of.floor(x) if isinstance(x, Expression) and x.kind != "floor" else x if isinstance(x, Expression) else int(x)
    )


def _rational(x: Any = 0, below: Any = 1) -> Any:
    if isinstance(x, Expression) or isinstance(below, Expression):
        return x / below
    return _exact(x) / below


def _exact(x: Any) -> Any:
    if isinstance(x, Expression | Fraction):
        return x
    if isinstance(x, int):
        return Fraction(x)
    if isinstance(x, float) and math.isfinite(x) and len(text := repr(float(x))) < LONGEST:
        return Fraction(text)
    raise NotGeneric(f"{x!r}")


def _is_instance(value: Any, kinds: Any) -> bool:
    """isinstance, of expressions as of balls; numbers are exact."""
    kinds = kinds if isinstance(kinds, tuple) else typing.get_args(kinds) or (kinds,)
    if isinstance(value, Expression | Fraction):
        return _Arb in kinds
    return isinstance(value, tuple(PLAIN.get(kind, kind) for kind in kinds))


def _maximum(*values: Any, **named: Any) -> Any:
    values = tuple(values[0]) if len(values) == 1 else values
    return of.largest(*values) if any(isinstance(x, Expression) for x in values) else max(values, **named)


def _minimum(*values: Any, **named: Any) -> Any:
    values = tuple(values[0]) if len(values) == 1 else values
    return of.smallest(*values) if any(isinstance(x, Expression) for x in values) else min(values, **named)


def _is_array(x: Any, *_: Any, **__: Any) -> Any:
    return x


COUNTERPARTS: tuple[tuple[tuple[Any, ...], Any], ...] = (  # (what a formula names, the same of expressions)
    ((math.exp, np.exp, numbers.exp), of.exp),
    ((math.log, np.log, numbers.log), lambda x, base=None: of.log(x) / of.log(base) if base else of.log(x)),
    ((math.sqrt, np.sqrt, numbers.sqrt), of.sqrt),
    ((math.log1p, np.log1p), lambda x: of.log(1 + x)),
    ((math.expm1, np.expm1), lambda x: of.exp(x) - 1),
    ((math.log2, np.log2), lambda x: of.log(x) / of.log(2)),
    ((math.log10, np.log10), lambda x: of.log(x) / of.log(10)),
    ((math.erfc, balls.erfc, scipy.special.erfc), of.erfc),
    ((math.lgamma, scipy.special.gammaln), of.lgamma),
    ((math.tanh, np.tanh), lambda x: 1 - 2 / (of.exp(2 * x) + 1)),
    ((math.cosh, np.cosh), lambda x: (of.exp(x) + of.exp(-x)) / 2),
    ((math.sinh, np.sinh), lambda x: (of.exp(x) - of.exp(-x)) / 2),
    ((math.floor, np.floor), of.floor),
    ((math.ceil, np.ceil), lambda x: -of.floor(-as_expression(x))),
    ((math.pow, operator.pow, numbers.raised, numbers.power), _power),
    ((math.hypot,), lambda x, y: of.sqrt(x**2 + y**2)),
    ((math.isfinite, np.isfinite), lambda x: True),
    ((math.isinf, math.isnan, np.isinf, np.isnan), lambda x: False),
    ((scipy.special.ndtr, balls.Phi), _normal_cdf),
    ((scipy.special.log_ndtr, balls.log_Phi), lambda x: of.log(_normal_cdf(x))),
    ((balls.phi,), _normal_density),
    ((balls.mills,), lambda x: _normal_cdf(-x) / _normal_density(x)),
    ((balls.exact, float, np.float64, arb), _exact),
    ((np.asarray, np.array), _is_array),
    ((int,), _whole_part),
    ((isinstance,), _is_instance),
    ((Fraction,), _rational),
    ((max, np.maximum), _maximum),
    ((min, np.minimum), _minimum),
    ((abs, np.abs), abs),
)
PLAIN = {_whole_part: int, _exact: float, _rational: Fraction}
METHODS: dict[str, Callable[..., Any]] = {
    "exp": of.exp,
    "log": of.log,
    "sqrt": of.sqrt,
    "erfc": of.erfc,
    "lgamma": of.lgamma,
    "floor": of.floor,
}
METHODS |= {"log1p": lambda x: of.log(1 + x), "expm1": lambda x: of.exp(x) - 1, "is_finite": lambda x: True}
METHODS |= {"ceil": lambda x: -of.floor(-x), "item": lambda x: x}


class _Normal:
    """scipy.stats.norm."""

    cdf = staticmethod(_normal_cdf)
    pdf = staticmethod(_normal_density)
    sf = staticmethod(lambda x: _normal_cdf(-as_expression(x)))
    logcdf = staticmethod(lambda x: of.log(_normal_cdf(x)))
    logsf = staticmethod(lambda x: of.log(_normal_cdf(-as_expression(x))))


class _Arb:
    """flint.arb: a number as it is, and its constants."""

    pi = staticmethod(lambda: of.PI)

    def __new__(cls, x: Any = 0) -> Any:
        return _exact(x)


@functools.cache  # behind which no digest of code looks: where things lie in memory is no part of what they do
def remembered() -> dict[int, tuple[Any, Any]]:
    """{id of what was followed: (itself, so that its id stays its own; what stands for it)}."""
    from scipy.stats import norm  # here, as half a second goes into it, which reading the ledger need not pay

    pairs = ((original, made) for originals, made in COUNTERPARTS for original in originals)
    return {id(original): (original, made) for original, made in (*pairs, (norm, _Normal), (arb, _Arb))}


class _Statement:
    """A statement, and the record of it, as far as it computes."""

    def __init__(self, formula: Callable[..., Any]) -> None:
        self.formula, self.theorem = formula, self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.formula(*args, **kwargs)


class _Module:
    """A module whose members are followed."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return follow(getattr(self._module, name))


def _attribute(value: Any, name: str) -> Any:
    """value.name, of expressions as of balls."""
    if isinstance(value, Expression | Fraction | int) and not isinstance(value, bool) and name in METHODS:
        return functools.partial(METHODS[name], value)
    return getattr(value, name)


class _Exactly(ast.NodeTransformer):
    """Decimals as fractions, and operations that do not round."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, float):
            return _call("_exact_", ast.Constant(repr(node.value))) if math.isfinite(node.value) else node
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = {ast.Div: "_quotient_", ast.Pow: "_power_"}.get(type(node.op))
        return _call(name, node.left, node.right) if name else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            equal = _call("_equal_", node.left, node.comparators[0])
            return equal if isinstance(node.ops[0], ast.Eq) else ast.UnaryOp(ast.Not(), equal)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return _call("_attribute_", node.value, ast.Constant(node.attr)) if isinstance(node.ctx, ast.Load) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node


def parse_exactly(text: str) -> Any:
    """The code of a formula in Python, which computes with decimals and quotients as fractions."""
    return compile(ast.fix_missing_locations(_Exactly().visit(ast.parse(text, mode="eval"))), "<formula>", "eval")


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


OPERATIONS = {
    "_quotient_": _quotient,
    "_power_": _power,
    "_equal_": _equal,
    "_attribute_": _attribute,
    "_exact_": Fraction,
}


def follow(thing: Any) -> Any:
    """What stands for a value that a formula names: a function of expressions, an exact number, or the value itself."""
    known = remembered()
    if id(thing) in known:
        return known[id(thing)][1]
    if isinstance(thing, bool | int | str | Expression | Fraction | type(None)):
        return thing
    if isinstance(thing, float):
        named = {math.pi: of.PI, math.e: of.exp(1), math.sqrt(2): of.sqrt(2)}
        return named[thing] if thing in named else _exact(thing) if math.isfinite(thing) else thing
    if isinstance(thing, tuple | list):
        return type(thing)(map(follow, thing)) if type(thing) in (tuple, list) else thing
    if isinstance(thing, dict):
        return {name: follow(value) for name, value in thing.items()}
    known[id(thing)] = thing, _follow(thing)
    return known[id(thing)][1]


def _follow(thing: Any) -> Any:
    if isinstance(thing, ModuleType):
        return _Module(thing)
    if hasattr(thing, "theorem"):
        return _Statement(follow(thing.theorem.formula))
    if isinstance(thing, functools.partial):
        return functools.partial(follow(thing.func), *follow(list(thing.args)), **follow(thing.keywords))
    thing = inspect.unwrap(thing) if callable(thing) and not isinstance(thing, type) else thing
    if isinstance(thing, FunctionType) and thing.__module__.split(".")[0] not in ("numpy", "scipy", "math", "flint"):
        return _lazily(thing)
    return thing


def _lazily(function: FunctionType) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        return compiled(function)(*args, **kwargs)

    return run


@functools.cache
def compiled(function: FunctionType) -> Callable[..., Any]:
    """A function of ours, compiled again from its source."""
    return compile_tree(parse_function(function), function)


def parse_function(function: FunctionType) -> Any:
    """The syntax tree of a function or a lambda. Raises NotGeneric where its text cannot be read."""
    try:
        if function.__name__ == "<lambda>":
            return find_lambda(function)
        return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError, TypeError, ValueError) as error:
        raise NotGeneric(f"{function!r} has no source ({error})") from error


def find_lambda(function: FunctionType) -> ast.Lambda:
    """The syntax tree of a lambda: the one in its file at its line with its arguments."""
    code = function.__code__
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    (found,) = (
        node
        for node in ast.walk(ast.parse("".join(inspect.findsource(function)[0])))
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and tuple(a.arg for a in (*node.args.args, *node.args.kwonlyargs)) == arguments
    )
    return found


def compile_tree(
    tree: Any,
    function: FunctionType,
    rewrite: ast.NodeTransformer | None = None,
    operations: Mapping[str, Any] = OPERATIONS,
    replace: Callable[[Any], Any] = follow,
) -> Callable[..., Any]:
    """A syntax tree of a function in the namespace of that function, by default with exact numbers.

    `rewrite` changes the tree so that it calls `operations`; `replace` is called for what the function names.
    """
    if isinstance(tree, ast.Lambda):
        body, arguments = ast.Return(tree.body), tree.args
        tree = ast.parse("def made(): pass").body[0]
        tree.args, tree.body = arguments, [body]
    if not isinstance(tree, ast.FunctionDef):
        raise NotGeneric(f"{function!r} is not a function")
    tree = (rewrite or _Exactly()).visit(tree)
    tree.decorator_list = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    space: dict[str, Any] = {"__name__": function.__module__, **operations}
    named = {**vars(builtins), **function.__globals__, **inspect.getclosurevars(function).nonlocals}
    space |= {name: replace(named[name]) for name in names & named.keys()}
    module = ast.fix_missing_locations(ast.Module([tree], []))
    exec(compile(module, function.__code__.co_filename, "exec"), space)
    return space[tree.name]
