"""Whether a check only computes again what its statement computes.

Two signs of it. The left side is the right side to the last bit wherever the check was tried, although both are rounded
(`is_same_rounding`): another way to the same number rounds otherwise now and then. Or both sides have the same syntax
tree, once names stand for what they were given and functions for their bodies (`repeats_statement`). Whole numbers and
fractions that agree show nothing of the kind: they agree because they are equal.
"""

import ast
import functools
import hashlib
import inspect
import math
import textwrap
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import arb

from lemmata.bounds.statement.theorem import value_in_fractions
from lemmata.experiments.engine.claims import fingerprint
from lemmata.experiments.engine.claims.claim import Claim

LONG = 40  # bits of a float that was rounded; the odd part of one that was not is shorter
ENOUGH = 16  # sides of different digits: those of another way of computing differ in the last bit at one of them
DEEPEST = 8  # functions that call each other
LONGEST = 2000  # characters of a text
CONVERSIONS = ("float", "int", "exact", "arb", "Fraction")  # around a side they change its type only
SCALARS = (int, float, str, Fraction, arb)


def odd_part(number: int) -> int:
    """A whole number without its factors of two."""
    return abs(number) >> ((number & -number).bit_length() - 1) if number else 0


def is_same_rounding(key: str, left: Any, right: Any, setting: Mapping[str, Any]) -> bool | None:
    """Whether two sides of a statement are the same to the last bit after rounding; None where that would show nothing.

    It shows nothing where nothing was rounded, where the exact value of the formula was rounded once, as any way to it
    would have been, and of a dataset, of which a check may compute the very numbers that go into the statement.
    """
    if isinstance(left, arb) and isinstance(right, arb):
        alike = bool(left.mid() == right.mid() and left.rad() == right.rad())
        return alike and (None if left.is_exact() else True)
    try:
        if float(left) != float(right):
            return False
    except OverflowError:
        return None if left == right else False
    if not (isinstance(left, float) and isinstance(right, float)) or not math.isfinite(left):
        return None
    if odd_part(float(left).as_integer_ratio()[0]).bit_length() < LONG:
        return None
    if not all(isinstance(value, SCALARS) for value in setting.values()):
        return None
    exact = value_in_fractions(key, setting)
    return None if exact is not None and float(exact) == right else True


def repeats_statement(claim: Claim) -> bool:
    """Whether every case of a check has two sides of the same syntax tree."""
    check = inspect.unwrap(claim.trial)
    function = _parse(check)
    if function is None:
        return False
    reader = _Reader(check.__globals__, _assigned(function))
    cases = [case for node in ast.walk(function) if (case := _case(node)) is not None]
    return bool(cases) and all(len(case) == 3 and reader.read(case[1]) == reader.read(case[2]) for case in cases)


def _case(node: ast.AST) -> Sequence[ast.expr] | None:
    """The parts of a case that a check yields; of what it hands on nothing is known. A link is none."""
    if isinstance(node, ast.YieldFrom):
        return ()
    value = node.value if isinstance(node, ast.Yield) else None
    if isinstance(value, ast.Call):
        return None if ast.unparse(value.func).endswith("Link") else value.args
    return value.elts if isinstance(value, ast.Tuple) else None


@functools.cache
def _parse(function: Any) -> ast.FunctionDef | None:
    """The syntax tree of a function, without its docstring."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    if isinstance(tree, ast.FunctionDef) and ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:]
    return tree if isinstance(tree, ast.FunctionDef) else None


def _assigned(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """What each local variable stands for that is assigned once, and not in a loop over it."""
    targets = [name.id for node in ast.walk(function) for name in _names(node)]
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs += zip(target.elts, value.elts, strict=False)
            else:
                pairs.append((target, value))
    return {name.id: value for name, value in pairs if isinstance(name, ast.Name) and targets.count(name.id) == 1}


def _names(node: ast.AST) -> list[ast.Name]:
    """The names that a statement, or a loop, assigns."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", ast.Pass())]
    return [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


@dataclass
class _Reader:
    """Expressions as text: names stand for what they were given, functions of ours for their bodies."""

    module: Mapping[str, Any]
    local: Mapping[str, ast.expr | str]  # texts are what the caller of a function has passed
    depth: int = 0
    known: dict[Any, str] = field(default_factory=dict)  # bodies that were read

    def read(self, node: Any) -> str:
        """The text of an expression, or of a statement; a digest where it is long."""
        text = self._read(node)
        return text if len(text) <= LONGEST else hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _read(self, node: Any) -> str:
        if isinstance(node, ast.Name) and (given := self.local.get(node.id)) is not None:
            inner = {name: value for name, value in self.local.items() if name != node.id}
            return given if isinstance(given, str) else _Reader(self.module, inner, self.depth, self.known).read(given)
        if isinstance(node, ast.Name | ast.Attribute) and (meant := self.find(node)) is not None:
            return repr(meant) if isinstance(meant, int | float) else f"{meant.__module__}.{meant.__qualname__}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):  # either order
            return f"({type(node.op).__name__} {' '.join(sorted((self.read(node.left), self.read(node.right))))})"
        if isinstance(node, ast.Call):
            return self._read_call(node)
        if isinstance(node, list):
            return " ".join(map(self.read, node))
        if not isinstance(node, ast.AST):
            return repr(node)
        return f"({type(node).__name__} {' '.join(self.read(value) for _, value in ast.iter_fields(node))})"

    def _read_call(self, node: ast.Call) -> str:
        if ast.unparse(node.func).rpartition(".")[2] in CONVERSIONS and len(node.args) == 1 and not node.keywords:
            return self.read(node.args[0])
        called: Any = inspect.unwrap(self.find(node.func)) if callable(self.find(node.func)) else None
        passed = {keyword.arg or "": self.read(keyword.value) for keyword in self._keywords(node)}
        plain = isinstance(called, types.FunctionType) and not fingerprint.is_foreign(called.__code__.co_filename)
        function = _parse(called) if plain and self.depth < DEEPEST else None
        if function is None or "" in passed or any(isinstance(each, ast.Starred) for each in node.args):
            return f"({self.read(node.func)} {self.read(node.args)} {sorted(passed.items(), key=str)})"
        try:
            bound = inspect.signature(called).bind(*map(self.read, node.args), **passed)
        except TypeError:
            return ast.unparse(node)
        bound.apply_defaults()
        given = {name: value if isinstance(value, str) else repr(value) for name, value in bound.arguments.items()}
        if (read := (called, *given.values())) not in self.known:
            local = _assigned(function)
            inner = _Reader(called.__globals__, {**local, **given}, self.depth + 1, self.known)
            *rest, last = (line for line in function.body if not {name.id for name in _names(line)} & local.keys())
            returned = last.value if isinstance(last, ast.Return) and not rest else None
            self.known[read] = inner.read(returned if returned is not None else function.body)
        return self.known[read]

    def _keywords(self, node: ast.Call) -> Iterator[ast.keyword]:
        """The keywords of a call, those of a dict that is unpacked, too."""
        for keyword in node.keywords:
            value: Any = keyword.value
            if keyword.arg is None and isinstance(value, ast.Name):
                value = self.local.get(value.id, value)
            if keyword.arg is None and isinstance(value, ast.Dict):
                pairs = zip(value.keys, value.values, strict=True)
                yield from (ast.keyword(ast.literal_eval(name), given) for name, given in pairs if name)
            elif keyword.arg is None and isinstance(value, ast.Call) and ast.unparse(value.func) == "dict":
                yield from value.keywords
            else:
                yield keyword

    def find(self, node: ast.AST) -> Any:
        """What a name, or an attribute of a module, means where it was written: a number or a function."""
        found = None
        if isinstance(node, ast.Name) and node.id not in self.local:
            found = self.module.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self.module.get(node.value.id)
            found = getattr(owner, node.attr, None) if isinstance(owner, types.ModuleType) else None
        return found if isinstance(found, int | float) or hasattr(found, "__qualname__") else None
