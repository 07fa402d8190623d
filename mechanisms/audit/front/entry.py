"""The public entry point: attack a mechanism on a given pair of datasets, or on one that a search finds."""

import inspect
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import chain
from math import floor, log2
from numbers import Integral, Number
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.evidence.stakes import checked
from lemmata.mechanisms.audit.neighbours.changes import Neighbours, alone, neighbouring
from lemmata.mechanisms.audit.neighbours.queries import stepped
from lemmata.mechanisms.audit.neighbours.record_parts import described
from lemmata.mechanisms.audit.neighbours.several_records import of_one_user, reordered
from lemmata.mechanisms.audit.play import sequential_test
from lemmata.mechanisms.audit.play.audit_result import Audit
from lemmata.mechanisms.audit.play.game import LEAST
from lemmata.mechanisms.audit.play.neighbour_search import ATTACK, Search
from lemmata.mechanisms.audit.play.search_result import hunted
from lemmata.mechanisms.audit.subjects.adapters import (
    Mechanism,
    is_estimator,
    is_law,
    is_measurement,
    is_randomiser,
    mechanism,
    parameters,
    promised,
    quiet,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range, short_repr
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.numerics.threads import limit_to_one_thread
from lemmata.mechanisms.privacy import change_of

SINGLE = Number, str, bytes, date, timedelta, np.generic, np.ndarray  # what may be a dataset of one record
TICK = 0.5  # seconds between two lines of progress
TIMELY = 0.75  # of the seconds are for releases; the rest is for what is said of them
TIMED, FEWEST = 5, 8 * LEAST  # releases by which the price of one is told; the smallest budget of a search
BUDGET, GIVEN = 30_000, 100_000  # releases of a search and its evidence, and of an audit of two datasets given
LONGEST = 120_000  # releases of a search whose evidence goes on speaking against the claim


def audit(
    target: Any,
    *data: Any,
    claim: Any = None,
    root: int | None = None,
    budget: int | None = None,
    level: float = 1e-10,
    released: Any = None,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
    unit: str | None = None,
    bits: bool | None = None,
    **options: Any,
) -> Audit:
    """Attack a mechanism on two given datasets, or on neighbours that a search finds.

        audit(sample_a, sample_b, claim)                # releases on either dataset, see `game.audit`
        audit(GaussianNB(bounds=(0, 1)), X, y, PureDP(1))   # an estimator of any library, and a dataset to begin with
        audit(f, x, PureDP(1))                          # f(x, random_state=...), or rng=, or seed=, or none of them

    Neighbours are looked for from the data on (`neighbours`, `hunt`). A terminal or a notebook is told how long it may
    take; an interrupt leaves what was found. An attack can refute a claim and never prove it.

    Parameters
    ----------
    target : object
        An unfitted estimator, a function of the data, an OpenDP measurement or a noise mechanism (`adapters` says what
        is called, how the seed goes in and what is released); or, beside a second side, a sampler: a law, a callable
        `(rng, size)`, an `(estimator, X, y)`, an array of releases or a .npy file.
    *data : array, frame or sampler
        The dataset to begin with, part by part, a record a row; or the second side. A claim may follow. A mechanism
        is tried with other numbers of records too, and not judged on those that it refuses.
    claim : Guarantee, list or function
        What is attacked; the last positional argument where it is left out. A measurement's may be left out: it is what
        its `map` says.
    root : int, optional
        Of all random numbers. Without one it is drawn, and shown; the same root and budget give the same answer, where
        the mechanism takes a seed.
    budget : int, optional
        Releases in all, at most. By default 30,000, and up to 120,000 as long as evidence speaks against the claim; or
        100,000 where both sides are given.
    level : float
        The chance, in (0, 1), with which REFUTED is wrong at most, whatever was tried.
    released : str, sequence of str or function, optional
        The attributes that are released, or a function of the fitted object.
    seconds : float, optional
        Of a search, in place of a budget: the time from call to return, and little more than that where a first pair
        of datasets takes longer. The number of releases that it is worth at most is printed. What is released by then
        hangs on the machine; `lemmata.assert_private` has a number of releases instead.
    progress : function, optional
        Called as `progress(releases, log10_e)` after every chunk.
    unit : str, optional
        A column of the frame that has the user of each record: neighbours differ in all records of one user. Without
        it a claim for "replace up to 5" is tried by changes of one to five records.
    bits : bool, optional
        Whether the bits of floats are evidence, such as the lowest set bit. By default they are only where the dataset
        given, or its neighbour, holds nothing but zeros, whatever its targets are, and not on datasets that the search
        moves it to: noise in float64 is told by them wherever a sum is near 0. Between two sides they are not.
    **options
        For two sides: `features` and `records`, see `lemmata.mechanisms.audit.play.sequential_test.audit`.

    Returns
    -------
    Audit
        A `Found` where neighbours were looked for.

    Raises
    ------
    ValueError
        In one line, for a target, a dataset or a claim that is none, and if every release raises.

    Examples
    --------
    >>> from lemmata.mechanisms.privacy import PureDP
    >>> def count(x, rng): return np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace(scale=0.2)
    >>> audit(count, np.zeros(5), PureDP(1.0), root=1, budget=4096).verdict
    'REFUTED'
    """
    begun = time.perf_counter()
    if claim is None and is_measurement(target) and len(data) == 1:
        claim = promised(target)
    elif claim is None and data:
        *data, claim = data  # type: ignore[assignment]
    given = len(data) == 1 and not _is_mechanism(target, data[0])
    if seconds is not None and (given or budget is not None):
        raise ValueError(f"seconds and budget exclude each other, got seconds = {short_repr(seconds)}")
    if seconds is not None:
        budget = afforded(target, tuple(data), seconds, released)
        print(f"audit: {seconds:g} s are budget={budget}", file=sys.stderr)
    longest = LONGEST if budget is None else budget
    budget = (GIVEN if given else BUDGET) if budget is None else budget
    shown = is_shown(sys.stderr)
    if not (root is None or (isinstance(root, Integral) and root >= 0)):
        raise ValueError(f"root must be an integer >= 0, got {short_repr(root)}")
    progress = ticker(budget) if progress is None and shown else progress
    if given:
        if unit is not None:
            raise ValueError(f"unit requires one mechanism and its data, got two sides and unit = {short_repr(unit)}")
        for name, side in (("sample_a", target), ("sample_b", data[0])):
            check_sampler(name, side)
        return sequential_test.audit(
            target, data[0], claim, root=root, budget=budget, level=level, progress=progress, bits=bool(bits), **options
        )
    if options:
        raise TypeError(f"audit() got an unexpected keyword argument {next(iter(options))!r}")
    sequential_test.enough("budget", budget, FEWEST, ", what a search for neighbours needs")
    check_in_range("level", level, 0, 1)
    root = secrets.randbits(32) if root is None else root
    say = (lambda line: print(line, file=sys.stderr)) if shown else (lambda line: None)
    found = mechanism(target, released)
    search = Search(found, claimed(claim), root, budget, level, say, longest, given=tuple(data), bits=bits)
    if seconds is not None:
        search.until = begun + TIMELY * seconds
    with limit_to_one_thread():
        return hunted(search, offered(search, data, unit), progress)


def afforded(target: Any, parts: tuple, seconds: float, released: Any) -> int:
    """The number of releases for a time limit: a power of two, enough for a search, at most 16 default audits."""
    sequential_test.enough("seconds", seconds, 0)
    found, begun = mechanism(target, released), time.perf_counter()
    data = parts if is_single(parts) else dataset(parts)
    with quiet():
        for seed in range(TIMED):
            found.release(data, seed)
    each = (time.perf_counter() - begun) / TIMED + ATTACK
    return int(min(max(2 ** floor(log2(max(seconds / each, 1))), FEWEST), 16 * BUDGET))


def claimed(claim: Any) -> Any:
    """The claim, checked. A missing claim leaves data in its place, which no message shows."""
    if hasattr(claim, "__array__"):
        raise ValueError(f"claim must be a guarantee, got {type(claim).__name__}")
    return checked(claim)


def is_shown(stream: Any) -> bool:
    """Return whether a stream is displayed while it is written: on a terminal or in a notebook."""
    return bool(stream is not None and stream.isatty()) or type(stream).__module__.startswith("ipykernel")


def check_sampler(name: str, side: Any) -> None:
    """Raise ValueError for a function that cannot be called as (rng, size)."""
    if not callable(side) or hasattr(side, "sample"):
        return
    try:
        called = inspect.signature(side)
    except (TypeError, ValueError):  # a built-in that tells nothing
        return
    try:
        called.bind(None, 1)
    except TypeError:
        raise ValueError(f"{name} must take (rng, size) and return `size` releases, but takes {called}") from None


def ticker(budget: int) -> Callable[[int, float], None]:
    """A progress line on stderr, twice a second: releases, evidence and remaining time."""
    begun = last = time.monotonic()

    def tell(releases: int, log10_e: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > TICK:
            last, left = now, (now - begun) * max(budget - releases, 0) / releases
            line = f"{releases:,} of at most {budget:,} releases, log10 e = {log10_e:.1f}, {left:.0f} s left at most"
            print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)

    return tell


def _is_mechanism(target: Any, beside: Any) -> bool:
    """Is it a mechanism to which a dataset goes, and no sampler beside which there is another one?"""
    if isinstance(target, Mechanism) or is_measurement(target) or is_randomiser(target):
        return True
    if isinstance(target, tuple | list | np.ndarray) or hasattr(target, "sample") or _is_file(target):
        return False
    if is_estimator(target) or not callable(target):  # `mechanism` says what it is not
        return True
    first = next(iter(parameters(target)), "")
    return not _is_side(beside) and first != "rng"


def _is_side(beside: Any) -> bool:
    """Is it where releases come from, and no dataset: a sampler, an (estimator, X, y), the path of a .npy file?"""
    if isinstance(beside, str):
        return _is_file(beside)
    if isinstance(beside, tuple):
        return len(beside) == 3 and is_estimator(beside[0])
    return callable(beside) or is_law(beside)


def _is_file(side: Any) -> bool:
    return isinstance(side, str) and side.endswith(".npy")


def is_single(parts: Any) -> bool:
    """Whether the dataset is one record: a number, a date or a string. Raises ValueError for other objects."""
    if len(parts) != 1 or np.ndim(parts[0]):
        return False
    if not isinstance(parts[0], SINGLE):
        raise ValueError(f"data must be an array or a frame with one row per record, got {type(parts[0]).__name__}")
    return True


def dataset(parts: Any) -> tuple:
    """The parts of a dataset, arrays or frames with one row per record. Raises ValueError for other objects."""
    if not parts:
        raise ValueError("data is missing; pass the dataset, or its parts, between the mechanism and the claim")
    found = tuple(part if hasattr(part, "iloc") else np.asarray(part) for part in parts)
    sizes = [len(part) if np.ndim(part) else 0 for part in found]
    if len(set(sizes)) > 1 or not all(sizes):
        raise ValueError(f"data must have parts with equal numbers of records, got {' and '.join(map(str, sizes))}")
    for place, part in enumerate(found):
        if isinstance(part, np.ndarray) and part.ndim > 1 and part.dtype.kind not in "biuf":
            raise ValueError(
                f"data[{place}] must be numeric, got a {part.ndim}-D array of {part.dtype}; "
                "a frame can have a type for each column"
            )
    return found


def offered(search: Search, data: Any, unit: str | None = None) -> Iterator[Neighbours]:
    """The pairs to try: neighbouring queries for mechanisms that only add noise, otherwise changed records."""
    source, relation = search.mechanism.source, getattr(search.claim, "neighbours", "replace")
    kind, count = change_of(relation)
    if unit is not None and not (data and unit in getattr(data[0], "columns", ())):
        raise ValueError(f"unit must be a column of the first part of the data, a frame, got {short_repr(unit)}")
    metric = str(getattr(source, "input_metric", ""))
    if is_randomiser(source):
        return stepped(data[0], float(source.sensitivity), "")
    if any(word in metric for word in ("Absolute", "L1D", "L2D", "LInf")):
        return stepped(data[0], 1.0, metric)
    if is_single(data):
        return alone(data[0], search.mechanism.options)
    parts = dataset(data)
    narrow = is_estimator(source) or widens(search, parts)
    told, rng = described(parts, search.mechanism.options), generator(search.root, "audit.hunt", {}, "places", 0)
    found = neighbouring(parts, told, kind, narrow=narrow, rng=rng)
    search.onward = unit is None
    if count == 1 and unit is None:
        return found
    exchanged = reordered(parts, told, kind, rng) if count > 1 and unit is None else iter(())
    return chain(exchanged, of_one_user(found, count, unit))


def widens(search: Search, data: tuple) -> bool:
    """Whether a function releases fewer numbers for one column than for several.

    One that releases as many may have their number written down, and numpy repeats the one column without a word.
    """
    if not (isinstance(data[0], np.ndarray) and data[0].ndim == 2):
        return False
    one, several = (search.releases((X, *data[1:]), "width", 0, 1)[0] for X in (data[0][:, :1], data[0]))
    return isinstance(one, np.ndarray) and isinstance(several, np.ndarray) and len(one) < len(several)
