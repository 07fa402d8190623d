"""The numbers that hypotheses allow an argument: as they name them, or as their predicates let them through."""

import functools
import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np

from lemmata.bounds.statement.hypotheses import Domain, Hypothesis

SMALL = (1e-9, 1e-3, 0.1, 0.25, 0.4, 0.6, 0.75, 0.9, 0.999, 1.5, 2.5)
PROBES = tuple(sorted({*SMALL, *(-x for x in SMALL), *range(-3, 11), -100, 15.5, 100, 1000, 10**6, 1e6 + 0.5}))
TOGETHER = 3000  # settings of a predicate of several arguments that are tried
HALVINGS = 60


def meet_intervals(needs: Iterable[Hypothesis]) -> dict[str, Domain]:
    """The domain of every argument that some hypothesis names as an interval."""
    known: dict[str, Domain] = {}
    for hypothesis in needs:
        if hypothesis.domain is not None:
            (name,) = hypothesis.names
            known[name] = known.get(name, Domain()).meet(hypothesis.domain)
    return known


def find_domains(needs: Iterable[Hypothesis]) -> dict[str, Domain]:
    """The domain of every argument that some hypothesis names as an interval, or lets through at one of `PROBES`."""
    needs = tuple(needs)
    known = meet_intervals(needs)
    for hypothesis in needs:
        for name in hypothesis.names if hypothesis.domain is None else ():
            if name not in known or len(hypothesis.names) == 1:
                found = probe_domain(hypothesis, name)
                if found is not None:
                    known[name] = known.get(name, Domain()).meet(found)
    return known


def probe_domain(hypothesis: Hypothesis, name: str) -> Domain | None:
    """The interval of the numbers that a predicate allows one of its arguments, with some values of the others.

    >>> from lemmata.bounds.statement.hypotheses import require
    >>> probe_domain(require("n >= 2, whole", lambda n: n >= 2 and n == int(n)), "n")
    Domain(low=2, high=inf, open_low=False, open_high=True, whole=True)
    >>> probe_domain(require("0 < p <= q", lambda p, q: 0 < p <= q <= 1), "p").high
    1
    """
    others = [other for other in hypothesis.names if other != name]
    values = itertools.islice(itertools.product(PROBES, repeat=len(others)), TOGETHER)
    beside = [dict(zip(others, each, strict=True)) for each in values]

    @functools.cache
    def allows(value: float) -> bool:
        return any(_admits(hypothesis, {name: value, **each}) for each in beside)

    allowed = [value for value in PROBES if allows(value)]
    if not allowed:
        return None
    whole = all(value == int(value) for value in allowed)
    first, last = PROBES.index(allowed[0]), PROBES.index(allowed[-1])
    low, open_low = (-math.inf, True) if first == 0 else _find_end(allows, allowed[0], PROBES[first - 1], whole)
    high, open_high = (
        (math.inf, True) if last >= len(PROBES) - 2 else _find_end(allows, allowed[-1], PROBES[last + 1], whole)
    )
    return Domain(low, high, open_low, open_high, whole)


def _find_end(allows: Callable[[float], bool], inside: float, outside: float, whole: bool) -> tuple[float, bool]:
    """Where a predicate begins to hold between two numbers, and whether it does not hold there yet."""
    if whole:
        return inside, False
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if allows(middle) else (inside, middle)
    near = round(inside, 12)
    return (int(near) if near == int(near) else near), not allows(near)


def _admits(hypothesis: Hypothesis, values: dict[str, float]) -> bool:
    """Whether the predicate is true; one of arrays, or of names that are no numbers, may raise anything."""
    try:
        with np.errstate(all="ignore"):
            return bool(hypothesis.admits(values))
    except Exception:
        return False
