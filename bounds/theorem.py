"""A theorem: a plain keyword-only function that carries the record the ledger prints.

The decorated function computes the number that the statement promises. `.theorem` is its record. Calling
it outside the hypotheses raises `OutsideHypotheses`, which names the argument, its value and its range; nothing
here knows whether the statement is right.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bounds import papers

KINDS = (
    "definition",
    "tail",
    "mean",
    "inequality",
    "privacy",
    "rate",
    "construction",
    "identity",
)
READINGS = ("printed", "explicit", "corrected")


class OutsideHypotheses(ValueError):
    """A setting that the statement does not speak about."""


@dataclass(frozen=True)
class Hypothesis:
    """One condition on named arguments, with the range it allows in words."""

    names: tuple[str, ...]
    range: str
    holds: Callable[..., bool]

    def check(self, values):
        """Raise `OutsideHypotheses` unless the named entries of `values` satisfy the condition."""
        chosen = [values[name] for name in self.names]
        if not self.holds(*chosen):
            found = ", ".join(f"{n} = {v!r}" for n, v in zip(self.names, chosen, strict=True))
            raise OutsideHypotheses(f"{found} is outside the hypothesis: {self.range}")


def require(range, holds):
    """A hypothesis whose arguments are those of the predicate.

    >>> require("n >= 1", lambda n: n >= 1).check({"n": 0})
    Traceback (most recent call last):
    bounds.theorem.OutsideHypotheses: n = 0 is outside the hypothesis: n >= 1
    """
    return Hypothesis(tuple(inspect.signature(holds).parameters), range, holds)


def _everywhere(test):
    """The predicate on scalars or arrays: all entries pass, and NaN never does."""
    return lambda value: bool(np.all(test(np.asarray(value, dtype=float))))


def in_unit_interval(name):
    """0 < value < 1."""
    return Hypothesis((name,), f"0 < {name} < 1", _everywhere(lambda v: (v > 0) & (v < 1)))


def positive(name):
    """0 < value < infinity."""
    return Hypothesis((name,), f"0 < {name} < inf", _everywhere(lambda v: (v > 0) & np.isfinite(v)))


def at_least(name, low):
    """low <= value < infinity."""
    return Hypothesis((name,), f"{low} <= {name} < inf", _everywhere(lambda v: (v >= low) & np.isfinite(v)))


def between(name, low, high):
    """low <= value <= high."""
    return Hypothesis((name,), f"{low} <= {name} <= {high}", _everywhere(lambda v: (v >= low) & (v <= high)))


def integer(name, low=1):
    """A whole number of at least `low`."""
    return Hypothesis(
        (name,),
        f"{name} a whole number >= {low}",
        _everywhere(lambda v: (v >= low) & np.isfinite(v) & (v == np.floor(v))),
    )


@dataclass(frozen=True)
class Theorem:
    """What the ledger knows of one reading of one part of one statement."""

    id: str  # "bms22.lemA.3"
    part: str  # "" or what distinguishes it from its siblings: "privacy", "norms", "s4"
    reading: str  # printed | explicit | corrected | rate[...]
    kind: str
    says: str  # LaTeX
    needs: tuple[Hypothesis, ...]
    source: str
    reconstructed: bool  # our wording of a statement the available text does not contain
    formula: Callable  # the function without the check of its hypotheses

    @property
    def key(self):
        """`id/reading/part`, the name of this row everywhere."""
        return "/".join(filter(None, (self.id, self.reading, self.part)))

    @property
    def statement(self):
        """The id of the numbered statement: this one's own, or its parent's for a step of a printed proof."""
        return papers.statement_of(self.id)

    @property
    def parent(self):
        """The id of the statement whose printed proof this is a step of, or ""."""
        return "" if self.statement == self.id else self.statement

    @property
    def paper(self):
        """The paper's short name, `bms22`."""
        return self.id.split(".", 1)[0]

    @property
    def label(self):
        """The label the paper prints, `Lemma A.3`."""
        return papers.label(self.id)

    @property
    def title(self):
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.formula) or self.formula.__name__).splitlines()[0].rstrip(".")

    def skipped(self, setting):
        """None if `setting` satisfies the hypotheses, else the sentence that says why not."""
        try:
            self._check(setting)
        except OutsideHypotheses as reason:
            return str(reason)
        return None

    def _check(self, values):
        for hypothesis in self.needs:
            if all(name in values for name in hypothesis.names):
                hypothesis.check(values)


THEOREMS: dict[str, Theorem] = {}


def theorem(
    id,
    *,
    says,
    part="",
    reading="printed",
    kind="inequality",
    needs=(),
    source="",
    reconstructed=False,
):
    """Record the decorated function as one reading of the statement `id`.

    `id` stands on the contents page of its paper, or is a step of one that does (`wzw25.lemB.2.s1`). `source` is by
    default "authors year, label"; a text that begins with a comma is appended to that. Another reading of the same
    statement is made from its twin, whose id, part, kind and hypotheses it inherits:

        @printed_level.corrected(says=..., needs=...)
        def corrected_level(*, n, beta): ...

    Raises ValueError for an unknown id, kind or reading, and for a row that exists already.
    """
    paper = papers.PAPERS[papers.statement_of(id).split(".", 1)[0]]
    if kind not in KINDS:
        raise ValueError(f"kind = {kind!r} is not one of {', '.join(KINDS)}")
    if reading not in READINGS and not reading.startswith("rate["):
        raise ValueError(f"reading = {reading!r} is not one of {', '.join(READINGS)}, rate[...]")
    if not source or source.startswith(","):
        source = f"{paper.cited}, {papers.label(id)}{source}"

    def record(formula):
        signature = inspect.signature(formula)
        made = Theorem(id, part, reading, kind, says, tuple(needs), source, reconstructed, formula)
        if THEOREMS.get(made.key, made).formula.__qualname__ != formula.__qualname__:
            raise ValueError(f"id = {made.key!r} is recorded twice")
        THEOREMS[made.key] = made

        @functools.wraps(formula)
        def checked(**arguments):
            bound = signature.bind(**arguments)
            bound.apply_defaults()
            made._check(bound.arguments)
            return formula(**arguments)

        inherited = {"part": part, "kind": kind, "needs": needs, "reconstructed": reconstructed}

        def twin(reading, **changes):
            return theorem(id, reading=reading, **inherited | changes)

        checked.theorem = made
        checked.corrected = functools.partial(twin, "corrected")
        checked.explicit = functools.partial(twin, "explicit")
        checked.rate = lambda along, **changes: twin(f"rate[{along}]", **changes)
        return checked

    return record
