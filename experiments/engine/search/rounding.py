"""Floats that are rounded otherwise: a failure that is a rounding error is none there, or a smaller or larger one.

The processor rounds down, up and towards 0 (`rounded`), and every operation that the author wrote is off by some units
in the last place (`Disturbed`), as in Monte Carlo arithmetic. The modes also reach what libraries compute. The
disturbances also reach what modes leave alone: a constant, a value of libm, and whole numbers that are divided.
"""

import ast
import contextlib
import ctypes
import functools
import inspect
import math
import platform
import random
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from lemmata.bounds.proof.expression import NotGeneric
from lemmata.bounds.proof.tracing import LONGEST, compile_tree, parse_function
from lemmata.experiments.engine.search.loops import OPENING, Opening, find_package, parse_opened

X86, ARM = (0x400, 0x800, 0xC00), (0x800000, 0x400000, 0xC00000)
MODES = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}.get(platform.machine(), ())  # down, up, towards 0
SPREAD = 2.0**-49  # of a disturbed float, relatively: several times what rounding does, so that a chance is no proof
FEW_BITS = 30  # of a float that is exact as it is: 0.75, or n / 10 where it is whole
EXACTLY = ("abs", "float", "max", "min")  # functions that do not round
try:
    _set_mode, _get_mode = ctypes.CDLL(None).fesetround, ctypes.CDLL(None).fegetround
except (AttributeError, OSError, TypeError):  # a C library that does not show them
    MODES = ()


@contextlib.contextmanager
def rounded(mode: int) -> Iterator[None]:
    """Round in one of `MODES` in this thread, and in threads that it starts: the arithmetic of Python and numpy.

    Some functions of libraries come to the same in every mode.

    >>> for mode in MODES[:2]:
    ...     with rounded(mode):
    ...         print(f"{1 / float(3):.17f}")
    0.33333333333333331
    0.33333333333333337
    """
    before = _get_mode()
    try:
        _set_mode(mode)
        yield
    finally:
        _set_mode(before)


class _Disturbing(ast.NodeTransformer):
    """Operations, calls and constants of many digits are disturbed; settings, and what does not round, are not."""

    def visit_BinOp(self, node: ast.BinOp | ast.Call | ast.Constant) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("_disturb_", ast.Load()), [node], [])

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_rounded = isinstance(node.value, float) and len(repr(node.value)) > LONGEST
        return self.visit_BinOp(node) if is_rounded else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_exact = isinstance(node.func, ast.Name) and node.func.id in EXACTLY
        is_ours = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == OPENING
        return self.generic_visit(node) if is_exact or is_ours else self.visit_BinOp(node)

    def visit_Dict(self, node: ast.Dict | ast.JoinedStr) -> ast.AST:
        return node

    visit_JoinedStr = visit_Dict


class Disturbance:
    """Functions of an author whose operations are disturbed, each by a random error of its own at every call."""

    def __init__(self) -> None:
        self.random = random.Random(0)
        self.known: dict[FunctionType, Callable[..., Any]] = {}

    def make_cases(self, check: Callable[..., Any], arguments: dict[str, Any], looped: dict[str, Any]) -> Any:
        """The cases of a check as `cases_at` makes them; raises NotGeneric where its text cannot be read."""
        opening = Opening(looped, looped, arrays=looped, functions=looped, compile_opened=self._open)
        opened = self._open(inspect.unwrap(check), True)
        if opened is None:
            raise NotGeneric(f"{check!r} has no text")
        return opened(**arguments, **{OPENING: opening})

    def _open(self, function: Any, outermost: bool) -> Callable[..., Any] | None:
        tree = parse_opened(function, outermost)
        return self._compile(tree, function) if tree else None

    def _compile(self, tree: ast.AST, function: FunctionType) -> Callable[..., Any]:
        if function not in self.known:
            replace = functools.partial(self._replace, find_package(function))
            self.known[function] = compile_tree(tree, function, _Disturbing(), {"_disturb_": self._disturb}, replace)
        return self.known[function]

    def _replace(self, home: str, thing: Any) -> Any:
        """What stands for a value that is named in the package `home`: for its functions, and for every statement."""
        formula = inspect.unwrap(thing.theorem.formula) if hasattr(thing, "theorem") else thing
        own = formula is not thing or (isinstance(thing, FunctionType) and find_package(thing) == home)
        if not own or not isinstance(formula, FunctionType) or hasattr(formula, "__wrapped__"):
            return thing

        @functools.wraps(formula)
        def run(*values: Any, **named: Any) -> Any:
            if formula is not thing:  # whose hypotheses are checked
                thing(*values, **named)
            try:
                disturbed = self._compile(parse_function(formula), formula)
            except NotGeneric:
                return formula(*values, **named)
            return disturbed(*values, **named)

        return run

    def _disturb(self, value: Any) -> Any:
        """A float, or an array of floats, with a random relative error; few bits are left as they are."""
        if isinstance(value, float):
            is_exact = math.frexp(value)[0] * 2**FEW_BITS % 1 == 0
            return value if is_exact else value * (1 + SPREAD * self.random.uniform(-1, 1))
        if type(value) is not np.ndarray or value.dtype.kind != "f":
            return value
        exact = np.frexp(value)[0] * 2**FEW_BITS % 1 == 0
        errors = np.reshape([self.random.uniform(-1, 1) for _ in range(value.size)], value.shape)
        return value if exact.all() else np.where(exact, value, value * (1 + SPREAD * errors))
