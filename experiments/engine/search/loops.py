"""A check as a function of what its loops run over.

    def small():                              def small(*, n):
        for n in range(1, 25):        ->          for n in (n,):
            yield {"n": n}, factorial(n), bound(n=n)      yield {"n": n}, factorial(n), bound(n=n)

A loop may run over numbers, dicts of numbers, or tuples of these. Those numbers are replaced that its author varies.
What she holds fixed may be a premise, and stays. Values that are tied to each other stay tied. So a loop is left alone

- if a number that it varies has no name that is wanted, its own or the one that settings give it;
- if what it runs over depends on another loop, or on a coordinate that the check is called with;
- if a variable of it is read outside the loop, whose last value the rest depends on;
- if it gives texts that are read for more than settings, each of which comes with one value of what is varied;
- if a turn carries on what an earlier one has left, such as a running sum or a list that grows.

The factors of a `product` are replaced one by one, and what `enumerate` counts if the count is not read. Generators of
the same package that a check yields from are opened as well. So are assignments: after `x = rng.random(n)` the check
goes on with the `x` that is given, unless it reads `n` for anything else. Besides numbers, vectors, matrices and
functions are replaced; of a function that a hypothesis is about, one example is enough. All else of a check, its `if`s
too, stays as it is.
"""

import ast
import functools
import inspect
import itertools
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from itertools import chain
from types import FunctionType
from typing import Any

import numpy as np

from lemmata.experiments.engine.search.variables import (
    carries_on,
    find_labels,
    find_read_outside,
    is_chain,
    list_assignments,
    list_bound,
    list_indexed,
)

TEXT = "a text: "  # before the name of one
OPENING = "_opening_"  # the argument of an opened function
RANDOM = ("default_rng", "Random", "RandomState")  # what makes a generator, which is no value that others depend on
SEEN = 50  # items of a loop, which show what its author varies
Names = str | tuple[Any, ...]  # the target of a loop


def is_number(value: Any) -> bool:
    """Whether a value can be a coordinate of a setting."""
    return isinstance(value, int | float | Fraction | np.integer) and not isinstance(value, bool)


def is_array(value: Any) -> bool:
    """Whether a value is a vector or a matrix of numbers.

    >>> is_array([[1, 2], [3, 4]]), is_array((0.5, 1)), is_array([[1], [2, 3]]), is_array([])
    (True, True, False, False)
    """
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iuf" and value.ndim in (1, 2) and value.size > 0
    if not isinstance(value, list | tuple) or not value:
        return False
    widths = {len(row) if isinstance(row, list | tuple) else -1 for row in value}
    flat = value if widths == {-1} else [each for row in value if isinstance(row, list | tuple) for each in row]
    return len(widths) == 1 and bool(flat) and all(map(is_number, flat))


def is_equal(one: Any, other: Any) -> bool:
    """Whether two values of a setting are the same, also if they are arrays."""
    return is_array(other) and np.array_equal(one, other) if is_array(one) else bool(one == other)


class Opening:
    """What the loops of a check run over: given values where these may stand, else what the author wrote.

    Without given values, the names of `wanted` and of `arrays` that could be given are collected in `found`, and
    `examples` has the arrays.
    """

    def __init__(
        self,
        wanted: Iterable[str],
        given: Mapping[str, Any] | None,
        called: Collection[str] = (),
        fixed_too: bool = False,  # whether what the author holds fixed is replaced as well, in a proof
        arrays: Iterable[str] = (),
        functions: Iterable[str] = (),  # those of `arrays` that are functions
        compile_opened: Callable[..., Any] | None = None,  # (function, outermost): what `_compile` returns, or the like
    ) -> None:
        self.compile_opened = compile_opened or _compile
        self.wanted, self.given, self.called = frozenset(wanted), given, frozenset(called)
        self.arrays, self.functions, self.fixed_too = frozenset(arrays), frozenset(functions), fixed_too
        self.found: set[str] = set()
        self.tied: set[str] = set()
        self.examples: dict[str, list[Any]] = {}
        self.assigned: dict[str, Any] = {}  # the first value of an assignment

    def open_items(
        self, names: Names, items: Iterable[Any], arguments: dict[str, Any], labels: Collection[str] = ()
    ) -> Iterable[Any]:
        """The items of a loop, or the one item that is given in their place.

        Texts of `labels` are read for settings only. Any other one may be what the values beside it belong to.
        """
        keywords = {name for each in arguments.values() if isinstance(each, dict) for name in each}
        is_tied = not self.called.isdisjoint({*arguments, *keywords})
        rest = iter(items)
        first = list(itertools.islice(rest, SEEN))
        leaves: list[dict[str, Any]] = []
        try:
            for item in first:
                leaves.append({})
                self._read(names, item, leaves[-1])
        except TypeError:
            return itertools.chain(first, rest)
        varied = {
            name
            for each in leaves
            for name, value in each.items()
            if self.fixed_too or name in self.functions or not is_equal(value, leaves[0].get(name))
        }
        texts = {name for name in varied if name.startswith(TEXT)}
        varied -= texts
        owned = any(_owns(leaves, text, name) for text in texts - {TEXT + name for name in labels} for name in varied)
        if owned or not varied or not varied <= self.wanted | self.arrays:
            return itertools.chain(first, rest)
        found = self.tied if is_tied else self.found
        found |= varied
        for name in varied:
            self._remember(name, [each[name] for each in leaves if name in each])
        if self.given is None:
            return itertools.chain(first, rest)
        return [_replace(names, first[0], {name: self.given[name] for name in varied})]

    def open_value(self, name: str, value: Any, partners: Collection[str]) -> Any:
        """The value of an assignment, or the one that is given in its place.

        `partners` are other variables that depend on the same ones.
        """
        wanted = self.arrays if is_array(value) else self.wanted if is_number(value) else frozenset()
        names = [_find_name(each, self.wanted | self.arrays) for each in (name, *partners)]
        if names[0] not in wanted or not self.wanted | self.arrays >= {*names}:
            return value
        if self.given is not None:
            return self.given.get(names[0], value)
        if not is_equal(value, self.assigned.setdefault(names[0], value)):
            self.found.add(names[0])
        self._remember(names[0], [value])
        return value

    def open_source(self, names: Collection[str], items: Iterable[Any]) -> Iterable[Any]:
        """The items of a loop on which nothing but assignments depends: one, if the value of one of these is given."""
        if self.given is not None and any(_find_name(each, self.given) in self.given for each in names):
            return itertools.islice(items, 1)
        return items

    def _remember(self, name: str, values: Iterable[Any]) -> None:
        """Keep values as examples; `find_coordinates` takes them where all are arrays."""
        kept = self.examples.setdefault(name, [])
        kept += values

    def _read(self, names: Names, item: Any, leaves: dict[str, Any]) -> None:
        """Collect the numbers, arrays and texts of an item by name; raises TypeError if it holds anything else."""
        if isinstance(names, tuple):
            if not isinstance(item, tuple | list) or len(item) != len(names):
                raise TypeError
            for pair in zip(names, item, strict=True):
                self._read(*pair, leaves)
        elif isinstance(item, dict):
            for pair in item.items():
                self._read(*pair, leaves)
        elif is_number(item):
            leaves[_find_name(names, self.wanted)] = item
        elif is_array(item) and _find_name(names, self.arrays) in self.arrays:
            leaves[_find_name(names, self.arrays)] = item
        elif callable(item) and _find_name(names, self.functions) in self.functions:
            leaves[_find_name(names, self.functions)] = item
        elif isinstance(item, str):
            leaves[TEXT + names] = item
        else:
            raise TypeError

    def open_call(self, function: Callable[..., Any], home: str, is_fixed: bool) -> Callable[..., Any]:
        """A function of the same package with its own loops opened, any other one as it is.

        `is_fixed`: whether it is called with the same arguments at every setting.
        """
        plain = inspect.unwrap(function) if isinstance(function, FunctionType) else None
        is_plain = plain is function or self.compile_opened is not _compile  # which others have wrapped
        opened = self.compile_opened(plain, is_fixed) if plain and is_plain and find_package(plain) == home else None
        return functools.partial(opened, **{OPENING: self}) if opened else function


def _owns(leaves: list[dict[str, Any]], text: str, name: str) -> bool:
    """Whether each of several texts comes with one value of a name only, as if it were its own."""
    pairs = [(each[text], each[name]) for each in leaves if text in each and name in each]
    owned = dict(reversed(pairs))
    return len(owned) > 1 and all(is_equal(value, owned[key]) for key, value in pairs)


def _find_name(names: str, wanted: Collection[str]) -> str:
    """The one of the names of a variable, `K|guesses`, that is wanted, or the first."""
    several = names.split("|")
    return next((name for name in several if name in wanted), several[0])


def _replace(names: Names, item: Any, given: Mapping[str, Any]) -> Any:
    """The item with the numbers that are given in place of its own."""
    if isinstance(names, tuple):
        return tuple(_replace(*pair, given) for pair in zip(names, item, strict=True))
    if isinstance(item, dict):
        return {name: _replace(name, value, given) for name, value in item.items()}
    name = _find_name(names, given)
    if name not in given or isinstance(item, str):
        return item
    return Fraction(given[name]) if isinstance(item, Fraction) and is_number(given[name]) else given[name]


def find_package(function: Any) -> str:
    """The package of the module in which a function is defined."""
    return function.__module__.rpartition(".")[0]


class _Transformer(ast.NodeTransformer):
    """Every loop of a function runs over `open_items` of what it ran over, unless that depends on other loops."""

    def __init__(self, function: ast.FunctionDef, check: FunctionType, outermost: bool) -> None:
        self.locals = frozenset(check.__code__.co_varnames + check.__code__.co_cellvars)
        signature = inspect.signature(check)
        self.fixed: dict[str, frozenset[str]] = {}  # locals that no loop changes: the arguments that each depends on
        if outermost:
            self.fixed = {name: frozenset({name}) for name in signature.parameters}
        stored = [
            node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        for target, value in chain.from_iterable(map(list_assignments, function.body)):
            depends = self._arguments(value)
            if depends is not None and stored.count(target.id) == 1:
                self.fixed[target.id] = depends
        named = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
        self.loaded = {each.id for each in named if isinstance(each.ctx, ast.Load)}
        self.read_outside = find_read_outside(function)
        self.sources: set[str] = set()  # variables that nothing but opened assignments read
        self.partners = self._pair_assignments(function, stored)
        self.labels = find_labels(function)
        self.home = find_package(check)
        self.names: dict[str, list[str]] = {}  # of a variable: those under which a setting may hold it
        for each in ast.walk(function):
            for key, value in zip(each.keys, each.values, strict=True) if isinstance(each, ast.Dict) else ():
                if isinstance(value, ast.Name) and isinstance(key, ast.Constant):
                    self.names.setdefault(value.id, []).append(str(key.value))

    def _pair_assignments(self, function: ast.FunctionDef, stored: list[str]) -> dict[str, list[str]]:
        """The variables of assignments that may be opened, with others that depend on the same variables.

        Whatever such an assignment depends on is read by these assignments only.
        """
        found = [pair for node in ast.walk(function) for pair in list_assignments(node)]
        plain = [(target.id, value) for target, value in found]
        makers = {
            name for name, value in plain if isinstance(value, ast.Call) and ast.unparse(value.func).endswith(RANDOM)
        }
        reads: dict[str, set[str]] = {}
        for name in {name for name, _ in plain}:
            values = [value for other, value in plain if other == name]
            if stored.count(name) == len(values) and is_chain(function, name, values):
                listed = {one for value in values for one in list_indexed(value) if self.fixed.get(one) == frozenset()}
                reads[name] = {*chain.from_iterable(map(self._reads, values))} - makers - {name} - listed
        self.last = {target.id: target for target, _ in sorted(found, key=lambda pair: pair[0].lineno)}
        counts = Counter(name for each in plain for name in self._reads(each[1], every=True))
        every = Counter(self._reads(function, every=True))
        inner = {name for name in every if every[name] == counts[name]} & (self.locals - set(self.fixed))
        while True:  # what is read by an assignment that stays as it is, is read elsewhere
            opened = {name: read for name, read in reads.items() if name not in makers and read <= inner}
            stays = {name for name, _ in plain if name not in opened}
            stays |= {read for name, value in plain if name in stays for read in self._reads(value)}
            if not inner & stays:
                break
            inner -= stays
        self.sources = inner | {name for name in stored if name not in every}
        return {
            name: sorted({other for other in opened if other != name and opened[other] & read})
            for name, read in opened.items()
        }

    def _reads(self, expression: ast.AST, every: bool = False) -> Any:
        """The local variables that an expression reads, as a set, or `every` time."""
        names = [
            each.id for each in ast.walk(expression) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
        ]
        return [name for name in names if name in self.locals] if every else {*names} & self.locals

    def _arguments(self, expression: ast.expr) -> frozenset[str] | None:
        """The arguments that an expression depends on; None if it depends on a loop."""
        own = {name for node in ast.walk(expression) for name in list_bound(node)}
        named = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)} - own
        named &= self.locals
        return frozenset().union(*map(self.fixed.get, named)) if named <= self.fixed.keys() else None  # type: ignore[arg-type]

    def visit_For(self, node: ast.For) -> ast.AST:
        own = {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
        inside = {target.id for each in ast.walk(node) for target, _ in list_assignments(each)} & self.partners.keys()
        if not carries_on(node, self.locals) and self.read_outside.isdisjoint(own):
            node.iter = self._open(node.target, node.iter)
        if inside and own <= self.sources:
            named = [self._spell(name) for name in sorted(inside)]
            node.iter = self._method("open_source", _literal(named), node.iter)
        self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        opened = [self._open_assignment(*pair) for pair in list_assignments(node)]
        if opened:
            node.value = ast.Tuple(opened, ast.Load()) if isinstance(node.targets[0], ast.Tuple) else opened[0]
        return node

    def _open_assignment(self, target: ast.Name, value: ast.expr) -> ast.expr:
        if target.id not in self.partners or target is not self.last[target.id]:
            return value
        partners = [self._spell(each) for each in self.partners[target.id]]
        return self._method("open_value", _literal(self._spell(target.id)), value, _literal(partners))

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        node.value = self._open_source(node.value)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None:
            node.value = self._open_source(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # functions inside a check are its own

    visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    def _open_source(self, value: ast.expr) -> ast.expr:
        """Where cases come from: a call of another generator, a generator expression, or a list."""
        if isinstance(value, ast.Call):
            passed = (*value.args, *(each.value for each in value.keywords))
            is_fixed = all(self._arguments(each) == frozenset() for each in passed)
            value.func = self._method("open_call", value.func, _literal(self.home), _literal(is_fixed))
        elif isinstance(value, ast.GeneratorExp | ast.ListComp):
            first, *inner = value.generators
            rest = [*(each.iter for each in inner), *(test for each in value.generators for test in each.ifs)]
            turn: list[ast.stmt] = [ast.Expr(ast.Yield(ast.Tuple([*rest, value.elt], ast.Load())))]
            if not carries_on(ast.For(first.target, first.iter, turn, []), {*self.locals, *self.loaded}):
                first.iter = self._open(first.target, first.iter)
        return value

    def _spell(self, name: str) -> str:
        """What a variable is called, `K|guesses`."""
        own = self.names.get(name, [])
        return name if name in own else "|".join([name, *dict.fromkeys(own)])

    def _names(self, target: ast.AST) -> Names | None:
        """What a variable is called, or a tuple of these; None for any other target."""
        if isinstance(target, ast.Name):
            return self._spell(target.id)
        if isinstance(target, ast.Tuple):
            names = tuple(map(self._names, target.elts))
            return None if None in names else names
        return None

    def _open(self, target: ast.expr, over: ast.expr) -> ast.expr:
        names = self._names(target)
        if names is None:
            return over
        is_product = isinstance(over, ast.Call) and ast.unparse(over.func).rpartition(".")[2] == "product"
        if is_product and not over.keywords and isinstance(names, tuple) and len(names) == len(over.args):  # type: ignore[attr-defined]
            over.args = [self._open(*pair) for pair in zip(target.elts, over.args, strict=True)]  # type: ignore[attr-defined]
            return over
        match target, over:
            case ast.Tuple([ast.Name(counter), item]), ast.Call(ast.Name("enumerate"), [first, *_]):
                if counter not in self.loaded:
                    over.args[0] = self._open(item, first)
                return over
        arguments = self._arguments(over)
        if arguments is None:
            return over
        passed = ast.Dict(
            [ast.Constant(name) for name in sorted(arguments)], [_load(name) for name in sorted(arguments)]
        )
        own = sorted({each.id for each in ast.walk(target) if isinstance(each, ast.Name)} & self.labels)
        return self._method("open_items", _literal(names), over, passed, _literal([self._spell(name) for name in own]))

    def _method(self, name: str, *arguments: ast.expr) -> ast.expr:
        return ast.Call(ast.Attribute(_load(OPENING), name, ast.Load()), list(arguments), [])


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _literal(value: object) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def parse_opened(check: FunctionType, outermost: bool = True) -> ast.FunctionDef | None:
    """The syntax tree of a function with opened loops, which takes an `Opening`; None if its text cannot be read."""
    try:
        (function,) = ast.parse(textwrap.dedent(inspect.getsource(check))).body
    except (OSError, SyntaxError, TypeError):
        return None
    if not isinstance(function, ast.FunctionDef):
        return None
    transformer = _Transformer(function, check, outermost)
    transformer.generic_visit(ast.Module(function.body, []))
    function.decorator_list = []
    function.args.kwonlyargs.append(ast.arg(OPENING))
    function.args.kw_defaults.append(None)
    return function


@functools.cache
def _compile(check: FunctionType, outermost: bool) -> FunctionType | None:
    """The function that `parse_opened` describes; None for a closure."""
    function = None if check.__code__.co_freevars else parse_opened(check, outermost)
    if function is None:
        return None
    made: dict[str, Any] = {}
    tree = ast.fix_missing_locations(ast.Module([function], []))
    exec(compile(tree, check.__code__.co_filename, "exec"), check.__globals__, made)
    return made[function.name]


def find_coordinates(
    check: Callable[..., Any],
    known: Collection[str],
    arguments: dict[str, Any],
    cases: int,
    arrays: Collection[str] = (),
    functions: Collection[str] = (),
) -> dict[str, list[Any]]:
    """The names of `known` over which the loops of a check run, as far as so many `cases` show.

    Those of `arrays` come with their arrays, or with their functions.
    """
    opened = _compile(inspect.unwrap(check), True)
    if opened is None:
        return {}
    called = {name for name, value in arguments.items() if name in known and is_number(value)}
    opening = Opening(frozenset(known) - called, None, called, arrays=arrays, functions=functions)
    made = opened(**arguments, **{OPENING: opening})
    if isinstance(made, Iterable):
        for _ in itertools.islice(made, cases):
            pass
    kinds = {name: callable if name in functions else is_array for name in opening.examples}
    examples = {name: values for name, values in opening.examples.items() if all(map(kinds[name], values))}
    return {name: examples.get(name, []) for name in opening.found - opening.tied}


def cases_at(check: Callable[..., Any], arguments: dict[str, Any], fixed_too: bool = False, /, **looped: Any) -> Any:
    """The cases of a check that is called with its arguments, at given values of what its loops run over.

    The program of a counterexample calls this. `fixed_too`: also at values that its author does not vary.
    """
    plain = inspect.unwrap(check)
    opened = _compile(plain, True)
    opening = Opening(looped, looped, fixed_too=fixed_too, arrays=looped, functions=looped)
    return opened(**arguments, **{OPENING: opening}) if opened else plain(**arguments)
