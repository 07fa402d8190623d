"""One-line mutants: every small mistake of this field that could be made in the project, and a seeded choice of them.

A site is a place in the body of one function and a wrong thing to write there. Messages of errors, docstrings and
annotations are no sites.
"""

import ast
import copy
import hashlib
import importlib
import pkgutil
import types
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lemmata.experiments.conformance import edit
from lemmata.experiments.engine.ground.grouping import group_by
from lemmata.mechanisms.numerics import arithmetic

AREAS = ("lemmata.mechanisms", "lemmata.bounds", "lemmata.experiments.engine")
CALLS = {
    "log": "log2", "log2": "log", "log1p": "log", "exp": "expm1", "expm1": "exp",
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin",
    "ceil": "floor", "floor": "ceil", "round_up": "round_down", "round_down": "round_up",
    "sqrt_up": "sqrt_down", "sqrt_down": "sqrt_up", "upper_end": "lower_end", "lower_end": "upper_end",
    "sum_up": "sum", "any": "all", "all": "any", "cdf": "sf", "sf": "cdf", "sum": "max",
}  # fmt: skip
ARGUMENT_ALONE = ("sqrt", "abs", "clip_rows", "clip", "project_columns", "rounded", "nextafter")
ROUNDED = ("round_up", "round_down", "sqrt_up", "sqrt_down", "upper_end", "lower_end")
# What a promise of privacy rests on, line by line: directions, clips, projections, and whether a draw is exact.
HARDENING = (
    *ROUNDED, "sum_up", "nextafter", "ceil", "floor", "trunc", "rint", "clip_rows", "clip", "project_columns",
    "rounded",
)  # fmt: skip
WORDS = {"replace": "add/remove", "add/remove": "replace", "right": "left", "left": "right"}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
COMPARISONS = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip


def broadcast_draw(draw, size):
    """What a sampler gives that draws once and uses that draw for every entry of `size`."""
    one = np.asarray(draw())
    return np.array(np.broadcast_to(one if one.ndim <= len(np.atleast_1d(size)) else one.flat[0], size))


@dataclass(frozen=True)
class Mutant:
    """One change: the `node`-th node of a function's body, in the order of `ast.walk`, and its `variant`-th change."""

    module: str
    function: str
    line: int
    node: int
    variant: int
    change: str

    @property
    def name(self) -> str:
        """The function, as the tables spell it."""
        return f"{self.module}.{self.function}"

    @property
    def hardens(self) -> bool:
        """Whether the line that it changes is one on which a promise of privacy rests."""
        before = self.change.partition(" -> ")[0]
        called = before.partition("(")[0].rpartition(".")[2]
        switched = " if " in before and "exact" in before.partition(" if ")[2].partition(" else ")[0]
        return self.module.startswith("lemmata.mechanisms.") and (called in HARDENING or switched)

    def apply(self) -> None:
        """Make the change, in this process."""
        function = functions(self.module)[self.function]
        tree = edit.parsed(function)
        place = list(_nodes(tree))[self.node]
        _Swap(place, list(variants(place))[self.variant]).visit(tree)
        function.__globals__.setdefault("_broadcast_draw", broadcast_draw)
        for name in ROUNDED:
            function.__globals__.setdefault(name, getattr(arithmetic, name))
        edit.replace_code(function, tree)


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().generic_visit(node)


def modules() -> list[str]:
    """Every module that is mutated."""
    names = []
    for area in AREAS:
        package = importlib.import_module(area)
        names += [m.name for m in pkgutil.walk_packages(package.__path__, f"{area}.") if not m.ispkg]
    return sorted(names)


def functions(module: str) -> dict[str, types.FunctionType]:
    """The functions and methods that stand in a module, by qualified name."""
    home = importlib.import_module(module)
    functions: dict[str, types.FunctionType] = {}
    queue = list(vars(home).values())
    while queue:
        thing = queue.pop()
        if isinstance(thing, type) and thing.__module__ == module:
            queue += vars(thing).values()
            continue
        thing = thing.fget if isinstance(thing, property) else getattr(thing, "func", thing)
        thing = thing.__func__ if isinstance(thing, staticmethod | classmethod) else thing
        thing = edit.plain(thing) if callable(thing) and not isinstance(thing, type) else thing
        if isinstance(thing, types.FunctionType) and thing.__code__.co_filename == home.__file__:
            functions[thing.__qualname__] = thing
    return {name: functions[name] for name in sorted(functions) if "<lambda>" not in name}


def _nodes(tree: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a body where a mistake would count."""
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    queue: list[ast.AST] = list(body)
    while queue:
        node = queue.pop(0)
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        children = list(ast.iter_child_nodes(node))
        silent = [getattr(node, name, None) for name in ("returns", "annotation", "type")]
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            silent += node.args[1:]
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            silent += [other for other in node.comparators if isinstance(other, ast.Tuple)]  # in no order
        queue += [child for child in children if child not in silent]


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """What else could have been written for one node."""
    if isinstance(node, ast.BinOp):
        yield from _arithmetic(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        if not isinstance(node.operand, ast.Constant):
            yield node.operand
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        yield ast.Compare(node.left, [COMPARISONS[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str) and node.value in WORDS:
            yield ast.Constant(WORDS[node.value])
        elif isinstance(node.value, int | float) and not isinstance(node.value, bool):
            yield ast.Constant(node.value + 1 if isinstance(node.value, int) else 2 * node.value)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.ctx, ast.Load):
        yield ast.Tuple([node.elts[1], node.elts[0]], ast.Load())


def _arithmetic(node: ast.BinOp) -> Iterator[ast.AST]:
    if isinstance(node.op, ast.Mult | ast.Add):
        yield node.left
        yield node.right
    if isinstance(node.op, ast.Div | ast.Sub | ast.Pow):
        yield node.left
    if isinstance(node.op, ast.Sub):
        yield ast.BinOp(node.right, ast.Sub(), node.left)
    if type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in CALLS:
        other = copy.deepcopy(node)
        if isinstance(other.func, ast.Attribute):
            other.func.attr = CALLS[name]
        else:
            other.func.id = CALLS[name]  # type: ignore[attr-defined]
        yield other
    if name in ROUNDED[:2]:  # to the nearest float
        yield ast.Call(ast.Name("float", ast.Load()), node.args, [])
    if name in ARGUMENT_ALONE and node.args:
        yield node.args[0]
    if name in ARGUMENT_ALONE and not node.args and isinstance(node.func, ast.Attribute):
        yield node.func.value
    if name == "range":
        yield ast.Call(node.func, [*node.args[:-1], ast.BinOp(node.args[-1], ast.Sub(), ast.Constant(1))], [])
    sizes = [k for k in node.keywords if k.arg == "size"]
    if sizes and isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "rng":
        once = ast.Call(node.func, node.args, [k for k in node.keywords if k.arg != "size"])
        draw = ast.Lambda(ast.arguments([], [], None, [], [], None, []), once)
        yield ast.Call(ast.Name("_broadcast_draw", ast.Load()), [draw, sizes[0].value], [])


def mutants(module: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its functions' names."""
    for name, function in functions(module).items():
        try:
            tree = edit.parsed(function)
        except (OSError, TypeError, AssertionError, SyntaxError):
            continue  # made by a decorator: it has no text of its own
        for index, node in enumerate(_nodes(tree)):
            for variant, other in enumerate(variants(node)):
                before, after = (ast.unparse(ast.fix_missing_locations(copy.deepcopy(n))) for n in (node, other))
                line = getattr(node, "lineno", tree.lineno)
                if before != after:  # twice 0 is 0
                    yield Mutant(module, name, line, index, variant, f"{before} -> {after}")


def chosen(count: int, seed: int, among: tuple[str, ...] = ()) -> list[Mutant]:
    """`count` mutants in a random order that depends on the seed alone, no function twice before all came once.

    `among` names modules; all of them by default.
    """

    def draw(*parts) -> str:
        return hashlib.blake2b(repr((seed, *parts)).encode(), digest_size=8).hexdigest()

    queues = group_by((m for module in among or modules() for m in mutants(module)), lambda m: m.name)
    turns = [
        (turn, draw(name), mutant)
        for name, queue in queues.items()
        for turn, mutant in enumerate(sorted(queue, key=lambda m: draw(m.name, m.node, m.variant, m.change)))
    ]
    return [mutant for _, _, mutant in sorted(turns, key=lambda t: t[:2])][:count]
