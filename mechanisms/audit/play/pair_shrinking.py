"""Shrinks a pair of datasets, as Hypothesis shrinks an example, and writes a stand-alone program.

Each step makes both datasets simpler and keeps them neighbours: fewer of the records that they share, all of these
alike or at zero, fewer columns. It stands if releases with equal seeds still lie as far apart. Nothing here is
evidence: the smaller pair is played afresh.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from os.path import relpath
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.evidence.attackers import ZERO, lowest_bits
from lemmata.mechanisms.audit.evidence.stakes import tangents
from lemmata.mechanisms.audit.neighbours.changes import Neighbours, number
from lemmata.mechanisms.audit.neighbours.record_tables import MISSING, plain, put, take
from lemmata.mechanisms.audit.play.neighbour_search import BASE, Search
from lemmata.mechanisms.audit.play.pair_ranking import told_apart
from lemmata.mechanisms.audit.subjects.adapters import Mechanism, is_estimator, parameters
from lemmata.mechanisms.audit.subjects.release_values import DATE, LABELS, ORDER, SPAN
from lemmata.mechanisms.audit.subjects.samplers import Raised

STEPS, SHARE = 60, 0.1  # at most, and of the budget
KEPT = 0.9  # of how far the releases lay apart
WARNED = [
    "        with warnings.catch_warnings(record=True) as warned:",
    "            warnings.simplefilter('always')",
]
RUNS, INLINE, LOOKED = 1000, 400, 200  # of the reproducer; numbers that it writes out; releases that choose its event
GUESSED = ("int64", "float64", "bool", "str")  # types of columns that pandas makes of lists of their entries
TEXTS = 20  # of which one may be that event
SETTLED = 7.0  # `told_apart`: beyond this, some 500 spreads, further apart is no better


def shrunk(search: Search, pair: Neighbours) -> Neighbours:
    """The smallest pair found with releases at least as far apart, or with the same unusual outcome."""
    standard, most = _apart(search, pair), search.spent + search.budget * SHARE
    for _ in range(STEPS):
        for smaller in simpler(pair):
            if search.spent > most or search.late:
                return pair
            if min(len(smaller.data[0]), len(smaller.neighbour[0])) and _apart(search, smaller) >= KEPT * min(
                standard, SETTLED
            ):
                pair = smaller
                break
        else:
            return pair
    return pair


def _apart(search: Search, pair: Neighbours) -> float:
    if not (search.mechanism.member(pair.data) and search.mechanism.member(pair.neighbour)):
        return -inf
    one = search.releases(pair.data, "shrink", 0, BASE)
    other = search.releases(pair.neighbour, "shrink", 0, BASE, pair.data)
    return -inf if search.refuses(pair, one, other) else told_apart(one, other)[0]


def simpler(pair: Neighbours) -> Iterator[Neighbours]:
    """Simpler versions of a pair. The record that differs stays, between the others that it was between."""
    if not (pair.rows and np.ndim(pair.data[0])):
        return
    sizes = len(pair.data[0]), len(pair.neighbour[0])
    shared, extra = min(sizes) - (sizes[0] == sizes[1]), max(1, abs(sizes[0] - sizes[1]))
    place = shared if pair.place is None else pair.place

    def rows(size: int, kept: list[int]) -> list[int]:
        """The places of some of the shared records on a side, and of the one that differs where the side has it."""
        mine = [at + extra * (size > shared and at >= place) for at in kept]
        before = sum(at < place for at in kept)
        return [*mine[:before], *(range(place, place + extra) if size > shared else []), *mine[before:]]

    for kept in _fewer(shared):
        sides = [
            tuple(take(part, rows(size, kept)) for part in side)
            for size, side in zip(sizes, (pair.data, pair.neighbour), strict=True)
        ]
        words = _again(pair.words, number(len(sides[0][0]), "record"))
        yield Neighbours(sides[0], sides[1], words, place=sum(at < place for at in kept))
    first = pair.data[0]
    if isinstance(first, np.ndarray) and first.dtype.kind in "iuf" and shared:
        some = int(place == 0 and sizes[0] > shared)  # a record that both have
        others = [row for at, row in enumerate(first) if at != place or sizes[0] == shared]
        for value in (np.zeros(first.shape[1:]), first[some]):
            if not all(np.array_equal(row, value) for row in others):
                sides = [
                    (_alike(side[0], place if size > shared else size, value), *side[1:])
                    for size, side in zip(sizes, (pair.data, pair.neighbour), strict=True)
                ]
                yield Neighbours(sides[0], sides[1], _again(pair.words, "the others alike"), place=place)
    if isinstance(first, np.ndarray) and first.ndim == 2 and first.shape[1] > 1:
        for column in range(first.shape[1]):
            sides = [(np.delete(side[0], column, axis=1), *side[1:]) for side in (pair.data, pair.neighbour)]
            yield Neighbours(sides[0], sides[1], _again(pair.words, number(first.shape[1] - 1, "column")), place=place)


def _fewer(shared: int) -> Iterator[list[int]]:
    """Which of the records that both have are kept: half of them, or all but one."""
    if shared > 3:
        yield list(range(shared // 2))
        yield list(range(shared // 2, shared))
    for gone in range(min(shared, 8)):
        yield [row for row in range(shared) if row != gone]


def _alike(part: Any, place: int, value: Any) -> Any:
    """The part with all records equal but the one at a place, if there is one."""
    some = int(place == 0)
    return take(put(part, some, value), [at if at == place else some for at in range(len(part))])


def _again(words: str, now: str) -> str:
    """What was done to the pair, each kind of step said once."""
    told, _, steps = words.partition("; made smaller: ")
    last = [step for step in steps.split(", ") if step and step.split()[-1].rstrip("s") != now.split()[-1].rstrip("s")]
    return f"{told}; made smaller: {', '.join([*last, now])}"


# A program that runs without us ---------------------------------------------------------------------------------------


def reproducer(search: Search, pair: Neighbours) -> str:
    """At most 20 lines that count one event on both datasets; "" for a mechanism that cannot be imported."""
    called = _called(search.mechanism.source)
    if called is None:
        return ""
    imports, call = called
    event, shown = _event(search, pair)
    frames = any(hasattr(part, "iloc") for part in pair.data)
    needed = [*["import pandas as pd"] * frames, *["import warnings"] * (shown == "warns")]
    lines = ["import numpy as np", *needed, imports, "nan, inf = np.nan, np.inf"]
    for name, side in (("data", pair.data), ("neighbour", pair.neighbour)):
        if sum(np.size(part) for part in side) > INLINE:
            loaded = ", ".join(written(part, f"{name}_{at}") for at, part in enumerate(side))
            lines += [f'saved = np.load("pair.npz"); {name} = ({loaded},)  # audit(...).save("pair")']
        else:
            lines.append(f"{name} = ({', '.join(written(part, '') for part in side)},)")
    lines += [
        "def happens(data, seed):",
        "    np.random.seed(seed)",
        "    try:",
        *(WARNED if shown == "warns" else []),
        f"        {'    ' * (shown == 'warns')}released = {call}",
        "    except (Exception, SystemExit) as error:",
        f"        return {event if shown == 'raises' else False}",
        f"    return {False if shown == 'raises' else event}",
        'for name, side in (("data", data), ("neighbour", neighbour)):',
        f'    print(name, sum(bool(happens(side, seed)) for seed in range({RUNS})), "of {RUNS}")',
    ]
    return "\n".join(lines)


def written(part: Any, saved: str) -> str:
    """A part of a dataset as Python code of its type: loaded from its file, otherwise as a literal."""
    if not hasattr(part, "iloc"):
        kind = f", dtype={str(part.dtype)!r}" * (part.dtype.kind in "mM")
        listed = _listed(np.atleast_1d(part))  # a single number is a record, too
        shown = listed if np.ndim(part) else listed[0]
        return f'saved["{saved}"]' if saved else f"np.array({shown!r}{kind})"
    if np.ndim(part) == 1:
        column = _column(part, saved)
        return column if column.startswith("pd.Series") else f"pd.Series({column})"
    told = [(name, _column(part.iloc[:, at], saved and f"{saved}_{at}")) for at, name in enumerate(part.columns)]
    return f"pd.DataFrame({{{', '.join(f'{name!r}: {column}' for name, column in told)}}})"


def _column(column: Any, saved: str) -> str:
    """A column as Python: a list or an array that was saved, and its type if pandas does not guess it."""
    kind, entries = column.dtype, plain(column)
    values = f'saved["{saved}"]' if saved else repr(_listed(column))
    if hasattr(kind, "categories"):
        dtype = f"pd.CategoricalDtype({kind.categories.tolist()!r}, ordered={kind.ordered})"
        return f"pd.Categorical.from_codes({values}, dtype={dtype})"
    lost = bool(saved) and entries.dtype.kind == "U" and MISSING in entries
    cast = str(kind) not in GUESSED and not str(kind).startswith("interval")
    if not (lost or cast):
        return values
    return f"pd.Series({values}){f'.replace({MISSING!r}, None)' * lost}{f'.astype({str(kind)!r})' * cast}"


def _listed(column: Any) -> list:
    """The entries as Python writes them: a date as a text, a span as a whole number, None for a text that is missing.

    >>> _listed(np.array(["2020-02-29"], dtype="M8[D]"))
    ['2020-02-29']
    """
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufOU":
        return list(column.tolist())
    entries = plain(column)
    if entries.dtype.kind in "mM":
        return list(entries.astype(str if entries.dtype.kind == "M" else np.int64).tolist())
    return [None if entry == MISSING else entry for entry in entries.tolist()]


def _called(source: Any) -> tuple[str, str] | None:
    """How the mechanism is imported, and called on `data` with `seed`."""
    if is_estimator(source):
        cls = type(source)
        given = source.get_params(deep=False) if hasattr(source, "get_params") else {}
        defaults = {name: p.default for name, p in parameters(cls).items()}
        told = [f"{k}={v!r}" for k, v in given.items() if k != "random_state" and repr(v) != repr(defaults.get(k))]
        told += ["random_state=seed"] if "random_state" in given else []
        return _imported(cls.__module__, cls.__name__), f"{cls.__name__}({', '.join(told)}).fit(*data)"
    function, given = getattr(source, "func", source), getattr(source, "keywords", {})
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        return None
    told = [f"{k}={v!r}" for k, v in given.items()]
    seeds = {"random_state": "seed", "seed": "seed", "rng": "np.random.default_rng(seed)"}
    told += [f"{k}={v}" for k, v in seeds.items() if k in parameters(source)]
    return _imported(function.__module__, name), f"{name}({', '.join(['*data', *told])})"


def _imported(module: str, name: str) -> str:
    """The line that imports a name: of a module, or of a file that was run or loaded by its path."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or (module != "__main__" and all(part.isidentifier() for part in module.split("."))):
        return f"from {module} import {name}"
    return f"import runpy; {name} = runpy.run_path({relpath(file)!r})[{name!r}]"


def _event(search: Search, pair: Neighbours) -> tuple[str, str]:
    """What breaks the claim most on a few releases, as an expression of `released` or `error`, and what that shows."""
    one = search.releases(pair.data, "event", 0, LOOKED)
    everything = [*one, *search.releases(pair.neighbour, "event other", 0, LOOKED, pair.data)]
    like, points = search.like(pair.data), tangents(search.claim)
    found = [(-inf, "np.size(released) > 0", "shape")]

    def add(happened: Any, event: str, shown: str) -> None:
        p, q = (float(np.mean(side)) for side in np.split(np.asarray(happened, dtype=bool), [LOOKED]))
        either = ((p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p))
        broken = max(one - np.exp(epsilon) * other - delta for one, other in either for epsilon, delta in points)
        found.append((broken, event, shown))

    for what in dict.fromkeys(x.kind for x in everything if isinstance(x, Raised)):
        raises = [isinstance(x, Raised) and x.kind == what for x in everything]
        add(raises, f"type(error).__name__ == {what!r}", "raises")
    told = [_texts(x[1:]) if isinstance(x, tuple) else [] for x in everything]
    for text, _ in Counter(text for texts in told for text in dict.fromkeys(texts)).most_common(TEXTS):
        event, shown = f"{text!r} in repr(released)", "text"
        if text.startswith("warning "):
            words = text.partition(": ")[2] or text.removeprefix("warning ")
            event, shown = f"any({words!r} in str(one.message) for one in warned)", "warns"
        add([text in texts for texts in told], event, shown)
    first = like.known[0][1] if like.known else ()
    called = [
        _labels(x[1:] if isinstance(x, tuple) else first if isinstance(x, np.ndarray) else ()) for x in everything
    ]
    for label, _ in Counter(label for each in called for label in each).most_common(TEXTS):
        add([label in each for each in called], label, "text")
    vectors = [isinstance(x, np.ndarray) for x in everything]
    if not all(vectors) or len({x.shape for x in everything}) > 1:
        made, known = like.known[0] if like.known else ((), ())
        (name, shape), *_ = made or (("", ()),)
        if said := _texts(known):  # those of the first release, which no other shape has
            add(vectors, f"{said[0]!r} in repr(released)", "text")
        elif made:
            there = f"{name!r} in (released if isinstance(released, dict) else vars(released)) and "
            add(vectors, f"{there if name.isidentifier() else ''}np.shape({_part(name)}) == {shape}", "shape")
    else:
        for column, values in enumerate(np.array(everything).T):
            finite = np.isfinite(values)
            if not finite.all():
                add(finite, f"np.isfinite({_number(like, column)})", "not finite")
            for cut in _cuts(values[finite]) if finite.any() else ():
                add(values > float(cut), f"{_number(like, column)} > {cut}", "cut")
            for place in _places_of_bits(values[finite]) if search.reads_bits(pair) else ():
                with np.errstate(invalid="ignore"):  # of what is no number
                    add(values % 2.0**place == 0, f"{_number(like, column)} % 2.0**{place} == 0", "bits")
    _, event, shown = max(found, key=lambda each: each[0])
    return event, shown


def _cuts(values: np.ndarray) -> list[str]:
    """Where to cut numbers, as they are written: at quantiles, and in the widest gap."""
    known = np.unique(values)
    gap = int(np.argmax(np.diff(known))) if len(known) > 1 else 0
    middle = (known[gap] + known[min(gap + 1, len(known) - 1)]) / 2
    return [f"{cut:.6g}" for cut in (*np.quantile(values, np.linspace(0.02, 0.98, 25)), middle)]


def _places_of_bits(values: np.ndarray) -> list[int]:
    """Powers of two of which some of the numbers are multiples: quantiles of their lowest set bits."""
    places = lowest_bits(values)
    places = places[places < ZERO]
    at = np.linspace(0.02, 0.98, 25)
    return sorted(map(int, set(np.quantile(places, at, method="nearest")))) if len(places) else []


def _texts(release: Sequence) -> list[str]:
    """The texts in a release, and its warnings; not where they stand, nor what names the types of its parts."""
    said = [x for x in release if isinstance(x, str)]
    bodies = [x if x.startswith("warning ") else x.partition(" ")[2] for x in said]
    return [body for body in bodies if body.startswith(("'", '"', "warning "))]


def _labels(release: Sequence) -> list[str]:
    """Expressions that are true of a release whose rows, columns and keys are called so, in their order."""
    found = []
    for said in (text for text in release if isinstance(text, str)):
        for what, names in ((LABELS, "[axis.tolist() for axis in {}.axes]"), (ORDER, "list({})")):
            name, stands, told = said.partition(f"{what} [")
            if stands and (not name or name.endswith(".")):
                found.append(f"{names.format(_part(name[:-1]))} == [{told}")
    return found


def _part(name: str) -> str:
    """The expression for a part of a release: an entry of a dictionary, or an attribute."""
    if not name.isidentifier():
        return "released"
    return f"(released[{name!r}] if isinstance(released, dict) else released.{name})"


def _number(mechanism: Mechanism, column: int) -> str:
    """The expression for one number of a release, or for how far it lies from the one whose noise it shares."""
    beside = mechanism.shared.get(column)
    return _entry(mechanism, column) + ("" if beside is None else f" - {_entry(mechanism, beside)}")


def _entry(mechanism: Mechanism, column: int) -> str:
    for name, shape in mechanism.known[0][0] if mechanism.known else ():
        size = int(np.prod(shape))
        if column < size:
            kind = {f"{name} {SPAN}": "m"} | {
                text: "M" for text in mechanism.known[0][1] if text.startswith(f"{name} {DATE} ")
            }
            found = next((k for text, k in kind.items() if text in mechanism.known[0][1]), "")
            seconds = f"np.asarray({_part(name)}, dtype='{found}8[us]').astype(float) / 1e6"
            return f"np.ravel({seconds if found else _part(name)})[{column}]"
        column -= size
    return f"np.ravel(released)[{column}]"
