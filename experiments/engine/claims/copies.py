"""Whether a check only computes again what its statement computes.

Two signs of it. The left side is the right side to the last bit wherever the check was tried, although both are rounded
(`is_same_rounding`): another way to the same number rounds otherwise now and then. Or the left side has the syntax tree
of the right one, or of the statement's function (`repeats_statement`). Whole numbers and fractions that agree show
nothing of the kind: they agree because they are equal.
"""

import ast
import inspect
import math
import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from lemmata.bounds.statement.theorem import value_in_fractions
from lemmata.experiments.engine.claims.claim import Claim

LONG = 40  # bits of a float that was rounded; the odd part of one that was not is shorter
ENOUGH = 16  # sides of different digits: those of another way of computing differ in the last bit at one of them
CONVERSIONS = ("float", "int", "exact", "arb", "Fraction")  # around a side they change its type only
LONGEST = 2000  # characters of an expression in which names are replaced
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
    """Whether the left side of every case is the right one, or what the statement's function returns, word for word."""
    check, formula = _parse(inspect.unwrap(claim.trial)), _parse(claim.theorem.formula)
    if check is None or formula is None:
        return False
    local, inner, cases = _assigned(check), _assigned(formula), list[Sequence[ast.expr]]()
    for node in ast.walk(check):
        value = getattr(node, "value", None) if isinstance(node, ast.Yield | ast.YieldFrom) else None
        if isinstance(value, ast.Tuple | ast.Call) and not ast.unparse(value).startswith("Link("):
            cases.append(value.elts if isinstance(value, ast.Tuple) else value.args)
    returned = formula.body[-1].value if isinstance(formula.body[-1], ast.Return) else None

    def is_copy(left: ast.expr, right: ast.expr) -> bool:
        sides = [_read(side, local) for side in (left, right)]
        call = right if isinstance(right, ast.Call) else None
        passed = {each.arg: each.value for each in call.keywords if each.arg} if call else {}
        stated = _read(returned, inner | passed, local) if returned is not None and passed else ""
        return sides[0] in (sides[1], stated)

    return bool(cases) and all(len(case) == 3 and is_copy(*case[1:]) for case in cases)


def _parse(function: Any) -> ast.FunctionDef | None:
    """The syntax tree of a function."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    return tree if isinstance(tree, ast.FunctionDef) else None


def _assigned(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """What each local variable stands for that is assigned once, and by itself."""
    stored = [node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    pairs = [(node.targets[0], node.value) for node in assigned if isinstance(node.targets[0], ast.Name)]
    return {name.id: value for name, value in pairs if isinstance(name, ast.Name) and stored.count(name.id) == 1}


def _read(side: ast.expr, *scopes: Mapping[str, ast.expr]) -> str:
    """An expression as text, with what its names stand for, in one scope after the other, and without conversions."""
    for scope in scopes:
        for _ in range(len(scope) + 1):  # a variable may be made of others
            if len(text := ast.unparse(side)) < LONGEST:
                side = _Replaced(scope).visit(ast.parse(text, mode="eval").body)
    return ast.unparse(side)


class _Replaced(ast.NodeTransformer):
    def __init__(self, scope: Mapping[str, ast.expr]) -> None:
        self.scope = scope

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.scope.get(node.id, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords.sort(key=lambda each: each.arg or "")
        converts = ast.unparse(node.func) in CONVERSIONS and len(node.args) == 1
        return node.args[0] if converts else node
