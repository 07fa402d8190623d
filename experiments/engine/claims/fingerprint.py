"""The code hash of a claim: what its stored results depend on.

It covers the trial function and everything of ours that it names, transitively, as compiled code: constants, defaults
and tables count; comments, layout and docstrings do not. Of a library it covers the minor version. A bound that only
enters when results are folded is not named by the trial, so editing it folds the old results anew.
"""

import contextlib
import copyreg
import csv
import dis
import functools
import hashlib
import importlib
import importlib.util
import inspect
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb

import lemmata
from lemmata.bounds.library import FOLDERS, library
from lemmata.bounds.statement.closure import closure
from lemmata.bounds.theorem import THEOREMS, Hypothesis, Theorem
from lemmata.experiments.engine.claims.claim import Claim

# The engine shapes no raw result: it hands out generators and folds. The attack game and the streams do shape them.
# Of the record of a theorem only its formula and what this assumes do: a check may leave out what lies outside.
ENGINE = (
    "lemmata.bounds.catalogue.library",
    "lemmata.bounds.statement.hypotheses",
    "lemmata.bounds.statement.theorem",
    *(
        f"lemmata.experiments.engine.{m}"
        for m in (
            "claims.claim claims.fingerprint claims.registry claims.verdict front.explanation ground.profiles "
            "ledger.ledger_rows ledger.row ledger.row_cache ledger.sentences ledger.verdict_steps running.cell "
            "running.costs running.run running.schedule running.store"
        ).split()
    ),
)
CERTIFIER = "lemmata.bounds.exact.certify"
TWINS = "lemmata.mechanisms.numerics.kernels"  # compiled where numba is, equal to what stands in where it is not
IMPORT = dis.opmap["IMPORT_NAME"]
# Where libraries stand: where this interpreter says, and where numpy was found, say a folder on PYTHONPATH.
FOREIGN = (
    *(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    str(Path(np.__file__).parents[1]),
)
OURS = f"{Path(lemmata.__file__).parent}/"
PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), Fraction, arb, range, slice)
UNSETTLED = (np.random.Generator, np.random.RandomState, np.random.BitGenerator)  # they differ from moment to moment
Described = tuple[str, list[Any]]  # a text of a thing's own, and the further things that it names
PYTHON = f"python {sys.version_info.major}.{sys.version_info.minor}"


def hash_claim(claim: Claim) -> str:
    """16 hex digits under which the chunks of `claim` are stored."""
    from lemmata.experiments.engine.claims import attack
    from lemmata.mechanisms.numerics import streams

    roots = [claim.trial, claim.by, streams.generator, *([attack.attacker] if claim.style == "attack" else [])]
    return hash_code(*filter(None, roots))


def calls_statement(claim: Claim) -> bool:
    """Whether the check of a claim, or the bound on its trials, reaches the function of the claim's own statement."""
    roots = filter(None, (claim.trial, claim.by, claim.bound, claim.low, claim.high))
    return any(thing is claim.theorem.formula for thing, _ in find_reached(*roots))


def reaches_certifier(claim: Claim) -> bool:
    """Whether the check of a claim reaches what proves an inequality on a whole box."""
    return any(getattr(thing, "__module__", None) == CERTIFIER for thing, _ in find_reached(claim.trial))


def calls_other_statements(claim: Claim) -> bool:
    """Whether the check of a claim reaches functions of statements that its own statement does not reach."""
    own = {claim.theorem.key, *(thing.key for thing, _ in find_reached(claim.theorem) if isinstance(thing, Theorem))}
    return any(isinstance(thing, Theorem) and thing.key not in own for thing, _ in find_reached(claim.trial))


def find_uncalled_rows(claim: Claim) -> list[str]:
    """The rows that a claim is given and whose functions neither its check nor a step reaches."""
    named = {step.name for step in claim.steps}
    reached = {
        id(thing) for thing, _ in find_reached(inspect.unwrap(claim.trial), *filter(None, (s.to for s in claim.steps)))
    }
    return [
        key
        for key in claim.given
        if key not in named and id(getattr(THEOREMS.get(key), "formula", None)) not in reached
    ]


def runs_steps(claim: Claim) -> bool:
    """Whether a program runs a step of a derivation: one of `steps`, a link of the check, a given row it calls."""
    if claim.steps or len(find_uncalled_rows(claim)) < len(claim.given):
        return True
    return any(getattr(thing, "__name__", "") == "Link" for thing, _ in find_reached(inspect.unwrap(claim.trial)))


def hash_code(*roots: Any) -> str:
    """16 hex digits for what the functions `roots` reach."""
    return hashlib.blake2b("\0".join(texts(*roots)).encode(), digest_size=8).hexdigest()


def texts(*roots: Any) -> list[str]:
    """What the functions `roots` reach, sorted: a text for each function, class and value."""
    return sorted({PYTHON, *(_described(thing)[0] for thing, _ in find_reached(*roots))})


def find_reached(*roots: Any) -> Iterator[tuple[Any, int]]:
    """Every function, class and value that `roots` name, themselves first, and at how many removes."""
    return closure(roots, lambda thing: _described(thing)[1], key=id)


_KEPT: dict[int, tuple[Any, Described]] = {}  # by id, with the thing itself, so that its id stays its own


def _described(thing: Any) -> Described:
    """(a text of its own, the further things that it names); cached."""
    if id(thing) not in _KEPT:
        _KEPT[id(thing)] = thing, _describe(thing)
    return _KEPT[id(thing)][1]


def _describe(thing: Any) -> Described:
    if isinstance(thing, Claim):  # what the ledger knows of a row, not what its trial computes
        return "", []
    if isinstance(thing, Theorem):
        return "", [thing.formula, *thing.needs]
    if isinstance(thing, Hypothesis):
        return f"{thing.names} {thing.range} {bool(thing.domain and thing.domain.whole)}", [thing.holds]
    if isinstance(thing, PLAIN):
        return repr(thing), []
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype} {thing.shape} {hashlib.blake2b(np.asarray(thing).tobytes()).hexdigest()}", []
    if isinstance(thing, list | tuple):
        return _named(type(thing).__name__, enumerate(thing))
    if isinstance(thing, dict):
        plain = {key: _plain(key) for key in thing}  # another key may be called after where it lies in memory
        keys = ((f"key {i}", key) for i, key in enumerate(thing) if not plain[key])
        values = ((repr(key) if plain[key] else i, value) for i, (key, value) in enumerate(thing.items()))
        return _named("dict", [*keys, *values])
    if isinstance(thing, set | frozenset):
        return _named("set", ((repr(each) if _plain(each) else "", each) for each in thing))
    if hasattr(thing, "theorem") and isinstance(thing.theorem, Theorem):
        return "", [thing.theorem]
    if isinstance(thing, types.FunctionType):
        return _function(thing)
    if isinstance(thing, functools.partial):
        return "partial", [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, types.MethodType):
        return "", [thing.__func__, thing.__self__]
    if isinstance(thing, functools.cached_property):
        return "", [thing.func]
    if isinstance(thing, property):
        return "", [x for x in (thing.fget, thing.fset) if x]
    if hasattr(thing, "__wrapped__"):  # a static method or one of a class, too
        return "", [thing.__wrapped__]
    if isinstance(thing, types.ModuleType):
        return _library(thing.__name__), []
    if isinstance(thing, type):
        return _class(thing)
    return _instance(thing)


def _plain(thing: Any) -> bool:
    """Whether `repr` says all of a thing."""
    return isinstance(thing, PLAIN) or (isinstance(thing, tuple) and all(map(_plain, thing)))


def _named(what: str, pairs: Iterable[tuple[object, Any]]) -> Described:
    """A text that says which name has which plain value, and the things that are not plain."""
    pairs = list(pairs)
    text = sorted(f"{name}: {value!r}" if isinstance(value, PLAIN) else f"{name}" for name, value in pairs)
    return f"{what} {text}", [value for _, value in pairs if not isinstance(value, PLAIN)]


def _function(function: types.FunctionType) -> Described:
    if function.__module__ in ENGINE:
        return "", []
    if is_foreign(function.__code__.co_filename):  # a library's, or what a library's decorator made of ours
        return _library(function.__module__), [*_wrapped(function)]
    names = list(_names(function.__code__))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    named: list[tuple[object, Any]] = [(name, cell.cell_contents) for name, cell in cells if _filled(cell)]
    named += [*enumerate(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()]
    for name, thing in [*((name, function.__globals__.get(name)) for name in names), *_imported(function.__code__)]:
        if isinstance(thing, types.ModuleType) and not is_foreign(getattr(thing, "__file__", None)):
            parts = [(f"{name}.{inner}", getattr(thing, inner)) for inner in names if hasattr(thing, inner)]
            named += [part for part in parts if not isinstance(part[1], types.ModuleType)]  # loaded by now, or not yet
        elif thing is not None:
            named.append((name, thing))
    text = _code(function.__code__, function.__doc__)
    return _named(f"{function.__module__}.{function.__qualname__} {text}", named)


def _wrapped(function: types.FunctionType) -> Iterator[Any]:
    """What a library's decorator holds: the function that it wraps, and those that `singledispatch` chooses from."""
    if hasattr(function, "__wrapped__"):
        yield function.__wrapped__
    if hasattr(function, "registry"):
        yield dict(function.registry)


def _filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _names(code: types.CodeType) -> Iterator[str]:
    """Every global and attribute that the code names, inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _imported(code: types.CodeType) -> list[tuple[str, types.ModuleType]]:
    """The modules that the code itself imports, by name; a method may be called `copy`, and that is no module."""
    found: list[tuple[str, types.ModuleType | None]] = []
    module = None
    for step in dis.get_instructions(code) if IMPORT in code.co_code[::2] else ():
        if step.opname == "IMPORT_NAME":
            module = _met(step.argval, code.co_filename)
            found.append((step.argval, module))
        elif step.opname == "IMPORT_FROM" and module is not None and hasattr(module, "__path__"):  # it may be a module
            found.append((step.argval, _met(f"{module.__name__}.{step.argval}", code.co_filename)))
    inner = (_imported(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return [*((name, met) for name, met in found if met is not None), *(each for one in inner for each in one)]


def _met(name: str, path: str) -> types.ModuleType | None:
    """A module that the file at `path` imports: ours is loaded for it, of a library the name is enough."""
    with library.beside(path), contextlib.suppress(Exception, SystemExit):  # whoever runs it meets the error
        top = name.partition(".")[0]
        spec = importlib.util.find_spec(top)
        if spec is None or name == TWINS:
            return None
        ours = top == FOLDERS or not is_foreign(spec.origin)
        return importlib.import_module(name) if ours else types.ModuleType(name)
    return None


def _code(code: types.CodeType, doc: str | None = None) -> str:
    """What the code does, in text: no line numbers, no docstring."""
    constants = [_constant(x) for x in code.co_consts if x is not doc or doc is None]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {constants}"


def _constant(value: object) -> str | list[str]:
    if isinstance(value, types.CodeType):
        return _code(value)
    return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)


def _class(made: type) -> Described:
    if made.__module__ in ENGINE:
        return "", []
    if _elsewhere(made.__module__):
        return _library(made.__module__), []
    parts = {name: part for name, part in vars(made).items() if not name.startswith("__") or name == "__init__"}
    text, things = _named(f"class {made.__module__}.{made.__qualname__}", parts.items())
    return text, [*things, *made.__bases__]


def _instance(thing: object) -> Described:
    """Its kind and what it is made of: of ours its attributes, of a library's what a copy would be made from."""
    kind = type(thing)
    if not _elsewhere(kind.__module__):
        state = object.__getstate__(thing)  # attributes, or these and what stands in slots
        own, slots = state if isinstance(state, tuple) else (state, {})
        text, things = _named(f"a {kind.__qualname__}", {**(own or {}), **slots}.items())
        return text, [kind, *things]
    text = f"{_library(kind.__module__)} {kind.__qualname__} {getattr(thing, '__name__', '')}"
    parts = [] if isinstance(thing, UNSETTLED) else _parts(thing)
    made, things = _named("", enumerate(part for part in parts if part is not kind))
    return text + made, things


def _parts(thing: object) -> list[Any]:
    """What a copy of a thing of a library is made from; nothing where it cannot be copied."""
    if isinstance(thing, types.MappingProxyType):
        return [dict(thing)]
    reduce = copyreg.dispatch_table.get(type(thing), lambda one: one.__reduce_ex__(4))
    try:
        made = reduce(thing)
    except Exception:  # a lock, a file, a module: whatever it holds, no copy would have it
        return []
    return [made] if isinstance(made, str) else [list(part) if isinstance(part, Iterator) else part for part in made]


def is_foreign(path: str | None) -> bool:
    """Whether a file is a library's: neither ours nor of a paper, wherever these are installed."""
    if path is None or path.startswith("<"):
        return True
    return path.startswith(FOREIGN) and not (path.startswith(OURS) or library.holds(path))


def _elsewhere(module: str) -> bool:
    """The same of what a module holds; one that a paper imported by its bare name is not kept (`Library.load`)."""
    return module in sys.modules and is_foreign(getattr(sys.modules[module], "__file__", None))


@functools.cache
def _library(module: str | None) -> str:
    """A library's name and minor version, `numpy 2.4`; nothing for Python's own."""
    top = (module or "").partition(".")[0]
    owner = _owners().get(top)
    return f"{top} {'.'.join(owner.version.split('.')[:2])}" if owner else ""


@functools.cache
def _owners() -> Mapping[str, metadata.Distribution]:
    """{top-level package: the distribution that installed it}.

    `metadata.packages_distributions` says the same in a third of a second, as it parses every file's name.
    """
    owners: dict[str, metadata.Distribution] = {}
    for distribution in metadata.distributions():
        declared = distribution.read_text("top_level.txt")
        listed = csv.reader((distribution.read_text("RECORD") or "").splitlines())
        for name in (declared or "").split() or {line[0].partition("/")[0].removesuffix(".py") for line in listed}:
            owners.setdefault(name, distribution)
    return owners
