"""A theorem: a plain keyword-only function that carries the record the ledger prints.

The decorated function computes the number that the statement promises. `.theorem` is its record. Calling
it outside the hypotheses raises `OutsideHypotheses`, which names the argument, its value and its range; nothing
here knows whether the statement is right.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np

from lemmata.bounds.catalogue.library import library
from lemmata.bounds.statement.hypotheses import (
    Hypothesis,
    OutsideHypotheses,
    in_words,
    short,
)
from lemmata.bounds.statement.source import source
from lemmata.bounds.statement.verdicts import READINGS

KINDS = ("definition", "tail", "mean", "inequality", "privacy", "rate", "construction", "identity")


P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R", covariant=True)
S = TypeVar("S")


class OutOfReach(OutsideHypotheses):
    """A setting whose number cannot be computed: it overflows, needs too much memory, or a part of it says nothing."""


BEYOND = (ArithmeticError, MemoryError, RuntimeError, SystemError, ValueError)


@dataclass(frozen=True)
class Theorem:
    """The record of one reading of one part of one statement.

    Attributes
    ----------
    id, part : str
        `bms22.lemA.3`; "" or what distinguishes it from its siblings: "privacy", "norms", "s4".
    reading, kind : str
        printed, quoted, explicit, corrected or rate[...]; tail, mean, inequality, privacy, ....
    says : str
        The statement in LaTeX.
    needs : tuple of Hypothesis
        What it assumes, as predicates.
    source : str
        Where it is printed.
    reconstructed : bool
        Whether it is our wording of a statement that the available text does not contain.
    formula : function
        What computes the number that it promises, without the check of its hypotheses.
    quoted_by : str
        Of a quoted reading: who cites the statement in this form.
    """

    id: str
    part: str
    reading: str
    kind: str
    says: str
    needs: tuple[Hypothesis, ...]
    source: str
    reconstructed: bool
    formula: Callable
    quoted_by: str = ""

    @property
    def key(self) -> str:
        """`id/reading/part`, the name of this row everywhere."""
        return "/".join(filter(None, (self.id, self.reading, self.part)))

    @property
    def statement(self) -> str:
        """The id of the numbered statement: this one's own, or its parent's for a step of a printed proof."""
        return library.statement_of(self.id)

    @property
    def parent(self) -> str:
        """The id of the statement whose printed proof this is a step of, or ""."""
        return "" if self.statement == self.id else self.statement

    @property
    def paper(self) -> str:
        """The paper's short name, `bms22`."""
        return self.id.split(".", 1)[0]

    @property
    def label(self) -> str:
        """The label the paper prints, `Lemma A.3`."""
        return library.label(self.id)

    @functools.cached_property
    def digest(self) -> str:
        """16 hex digits for what is stated: id, part, reading, LaTeX, hypotheses, and formula with what it calls."""
        hypotheses = [f"{h.range}: {source(h.holds)}" for h in self.needs]
        stated = [self.id, self.part, self.reading, self.says, *hypotheses, source(self.formula)]
        return hashlib.blake2b("\0".join(stated).encode(), digest_size=8).hexdigest()

    @property
    def title(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.formula) or self.formula.__name__).splitlines()[0].rstrip(".")

    def _facts(self) -> list[tuple[str, str]]:
        """What is stated, for people."""
        from lemmata.bounds.statement.formula import in_symbols, in_unicode

        needs = in_symbols("; ".join(hypothesis.range for hypothesis in self.needs)) or "nothing"
        return [("says", in_unicode(self.says)), ("needs", needs), ("kind", self.kind), ("source", self.source)]

    def __str__(self) -> str:
        lines = [f"{self.label}, {self.reading}: {self.title}"]
        return "\n".join([*lines, *(f"  {name:8} {text}" for name, text in [("key", self.key), *self._facts()])])

    def _repr_html_(self) -> str:
        from lemmata.bounds.statement.notebook import card

        return card(f"{self.label}, {self.reading}: {self.title}", [("key", self.key), *self._facts()])

    def skipped(self, setting: Mapping[str, Any]) -> str | None:
        """None if `setting` satisfies the hypotheses, else the sentence that says why not."""
        try:
            self._check(setting)
        except OutsideHypotheses as reason:
            return str(reason)
        except BEYOND as error:
            return f"{in_words(setting)} exceeds the range of floats ({_line(error)})"
        return None

    def _check(self, values: Mapping[str, Any]) -> None:
        for hypothesis in self.needs:
            if values.keys() >= hypothesis.named:
                hypothesis.check(values)


def _argument(parameter: inspect.Parameter, value: Any, whole: bool) -> Any:
    """The value of an argument: numpy's scalars as Python's, whole numbers as int. Raises ValueError for no number."""
    if type(value) in (int, float) and value == value:  # as nearly all are, and nothing below is about them
        return int(value) if whole and isinstance(value, float) and value.is_integer() else value
    masked = np.ma.isMaskedArray(value)
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0 and not masked):
        dated = value.dtype.kind in "mM"  # whose items are whole numbers, or dates
        value = value if dated else float(value) if value.dtype.char == "g" else value.item()
    kind, default = str(parameter.annotation), parameter.default
    wrong = (
        (value is None and default is not None and "None" not in kind)
        or (isinstance(value, str | bytes) and not isinstance(default, str) and "str" not in kind)
        or (isinstance(value, bool) and not isinstance(default, bool) and "bool" not in kind)
        or isinstance(value, complex | Decimal | date | timedelta | np.generic)
        or masked
        or (isinstance(value, float) and value != value)
        or (isinstance(value, np.ndarray) and (value.dtype.kind not in "biufO" or _has_nan(value)))
        or (callable(value) and not callable(default) and not any(word in kind for word in ("Any", "Callable")))
    )
    if wrong:
        raise ValueError(f"{parameter.name} must be a number, got {short(value)}")
    return int(value) if whole and isinstance(value, float) and value.is_integer() else value


def _has_nan(values: Any) -> bool:
    if type(values) is float:
        return values != values
    if isinstance(values, tuple | list):
        return any(map(_has_nan, values))
    if isinstance(values, np.ndarray | np.floating):
        if values.dtype.kind == "O":  # balls and fractions; what is no number at all counts as none
            return any(one is None or isinstance(one, str | bytes | complex) or _has_nan(one) for one in values.flat)
        return values.dtype.kind == "f" and bool(np.isnan(values).any())
    return isinstance(values, float) and values != values


def _strange(value: Any) -> bool:
    """Whether a formula of one number may raise anything: arrays, sequences, dates, what numpy takes for objects."""
    if isinstance(value, int):
        return abs(value) >= 2**63
    return not (value is None or isinstance(value, float | str) or callable(value))


def _line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:199]}…"


THEOREMS: dict[str, Theorem] = {}
ADMITTED: Counter[str] = Counter()  # calls of every statement whose arguments satisfied its hypotheses


class Statement(Protocol[P, R]):
    """A theorem's function: it checks the hypotheses, carries the record, and makes its other readings."""

    theorem: Theorem

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def corrected(self, **changes: Any) -> Callable[[Callable[Q, S]], Statement[Q, S]]:
        """What is true where the printed reading is not."""

    def explicit(self, **changes: Any) -> Callable[[Callable[Q, S]], Statement[Q, S]]:
        """The same with our constants for O(.)."""

    def quoted(self, *, by: str, **changes: Any) -> Callable[[Callable[Q, S]], Statement[Q, S]]:
        """The form in which it is commonly cited, where that differs from the print, and who cites it so."""

    def rate(self, along: str, **changes: Any) -> Callable[[Callable[Q, S]], Statement[Q, S]]:
        """A registered surrogate of an O(.) along one parameter."""


def _guarded(made: Theorem, formula: Callable[P, R]) -> Callable[P, R]:
    """`formula` behind the hypotheses of `made`; what it cannot compute raises `OutOfReach`."""
    computed: Callable[..., R] = formula
    signature = inspect.signature(formula)
    parameters = signature.parameters
    whole = {h.names[0] for h in made.needs if h.domain is not None and h.domain.whole}
    keyed = {name: parameter for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY}
    needed = {name for name, parameter in parameters.items() if parameter.default is parameter.empty}

    @functools.wraps(formula)
    def checked(*none: P.args, **arguments: P.kwargs) -> R:
        bound = None
        if none or not needed <= arguments.keys() <= keyed.keys():  # hardly a call: `bind` is slow
            bound = signature.bind(*none, **arguments)
            bound.apply_defaults()
        given = bound.arguments if bound else arguments
        values = {
            name: _argument(parameter, given[name], name in whole) if name in given else parameter.default
            for name, parameter in parameters.items()
        }
        beyond: type[Exception] | tuple[type[Exception], ...] = BEYOND
        others = [value for value in values.values() if type(value) is not float]
        if any(map(_strange, others)):
            beyond = Exception  # what takes one number raises whatever it comes upon
        elif any(map(callable, others)):
            beyond = (*BEYOND, TypeError)  # a function where a number is meant
        try:
            made._check(values)
        except OutsideHypotheses:
            raise
        except beyond as error:
            raise OutOfReach(f"{in_words(values)} exceeds the range of floats ({_line(error)})") from None
        ADMITTED[made.key] += 1
        try:
            if bound:
                bound.arguments.update(values)
            value = computed(*bound.args, **bound.kwargs) if bound else computed(**values)
            if _has_nan(value):
                raise ArithmeticError("the result is not a number")
            return value
        except beyond as error:
            raise OutOfReach(f"{made.key} cannot be computed at {in_words(values)} ({_line(error)})") from None

    return checked


def theorem(
    id: str,
    *,
    says: str,
    part: str = "",
    reading: str = "printed",
    kind: str = "inequality",
    needs: Collection[Hypothesis] = (),
    source: str = "",
    reconstructed: bool = False,
    quoted_by: str = "",
) -> Callable[[Callable[P, R]], Statement[P, R]]:
    """Record the decorated function as one reading of the statement `id`.

    `id` stands in the contents of its paper, or is a step of one that does (`wzw25.lemB.2.s1`); in a file beside a
    `paper.toml` the paper's own name may be left out. `source` is by default "authors year, label", of a step "authors
    year, label, proof"; a text that begins with a comma follows the label. Another reading of the same statement is
    made from its twin, whose id, part, kind and hypotheses it inherits:

        @printed_level.corrected(says=..., needs=...)
        def corrected_level(*, n, beta): ...

    Raises ValueError for an unknown id, kind or reading, and for a row that exists already.

    Parameters
    ----------
    id : str
        In the contents of the paper, or a step of one that is.
    says : str
        The statement, in LaTeX.
    part : str
        Of a statement with several: "privacy", "tail", "time".
    reading : str
        "printed"; other readings are made by `.corrected`, `.explicit`, `.rate` and `.quoted` of what is returned.
    kind : str
        definition, tail, mean, inequality, privacy, rate, construction or identity.
    needs : sequence of Hypothesis
        What the arguments have to satisfy.
    source : str
        Where it stands, where that does not follow from `id`.
    reconstructed : bool
        Whether `says` has symbols that the text does not define, and that it names.
    quoted_by : str
        Who cites it so.

    Returns
    -------
    function
        A decorator: function -> Statement.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if reading not in READINGS and not reading.startswith("rate["):
        raise ValueError(f"reading must be one of {', '.join(READINGS)} or rate[...], got {reading!r}")
    if (reading == "quoted") != bool(quoted_by):
        raise ValueError(f"quoted_by is required for a quoted reading and for no other, got {quoted_by!r} for {id!r}")

    def record(formula: Callable[P, R]) -> Statement[P, R]:
        full = library.named(id, formula)
        said = source
        if not said or said.startswith(","):
            proof = ", proof" * (full != library.statement_of(full))
            said = f"{library.work(full).cited}, {library.label(full)}{said or proof}"
        made = Theorem(full, part, reading, kind, says, tuple(needs), said, reconstructed, formula, quoted_by)
        asked = {name for each in made.needs if each.functions for name in each.names}
        if missing := sorted(asked - inspect.signature(formula).parameters.keys()):
            raise ValueError(f"needs must name arguments of {formula.__name__}, got {', '.join(missing)}")
        if THEOREMS.get(made.key, made).formula.__qualname__ != formula.__qualname__:
            raise ValueError(f"id {made.key!r} is recorded twice")
        THEOREMS[made.key] = made

        def twin(reading: str, **changes: Any) -> Any:
            inherited: dict[str, Any] = dict(part=part, kind=kind, needs=needs, reconstructed=reconstructed)
            return theorem(full, reading=reading, **inherited | changes)

        checked = _guarded(made, formula)
        checked.__dict__.update(
            theorem=made,
            corrected=functools.partial(twin, "corrected"),
            explicit=functools.partial(twin, "explicit"),
            quoted=lambda *, by, **changes: twin("quoted", quoted_by=by, **changes),
            rate=lambda along, **changes: twin(f"rate[{along}]", **changes),
        )
        return cast(Statement[P, R], checked)

    return record


def check_setting(key: str, setting: Any) -> None:
    """Raise OutsideHypotheses if a setting is outside the hypotheses of a row; texts in the setting are labels."""
    if not isinstance(setting, dict) or key not in THEOREMS:
        return
    if any(isinstance(value, str) for value in setting.values()):
        setting = {name: value for name, value in setting.items() if not isinstance(value, str)}
    if outside := THEOREMS[key].skipped(setting):
        raise OutsideHypotheses(outside)


def value_in_fractions(key: str, setting: Mapping[str, Any]) -> Fraction | None:
    """The number of a statement without rounding; None where it is none of fractions."""
    exact = {name: Fraction(value) if isinstance(value, int | float) else value for name, value in setting.items()}
    try:
        value = THEOREMS[key].formula(**exact)
    except Exception:  # of a formula that is about floats, or of other names
        return None
    return value if isinstance(value, Fraction) else None


def theorems(name: str = "") -> list[Theorem]:
    """The records of all statements, or of those that `name` means, in the order of the papers.

    A record never says whether the statement is right: that is `lemmata.verdict`'s business.

    Parameters
    ----------
    name : str
        What the command line takes: an id or its beginning, a key, a label in words, a module, a paper.

    Returns
    -------
    list of Theorem

    Raises
    ------
    ValueError
        In one line, with what is near, for a name that is nobody's.

    Examples
    --------
    >>> [(t.label, t.reading) for t in theorems("rbht09 Lemma 13") if t.id == "rbht09.lem13"]
    [('Lemma 13', 'printed'), ('Lemma 13', 'corrected'), ('Lemma 13', 'explicit')]
    """
    from lemmata.bounds.catalogue.names import resolve

    asked = name.partition(".")[0]
    for paper in [library.papers[asked]] if asked in library.papers else library.house:
        for stem in paper.stems():
            for module in library.with_proof(stem, 0):
                library.load(module)
    order = {id: place for place, id in enumerate(library.ids)}
    chosen = [t for t in THEOREMS.values() if t.id == name or t.id.startswith(f"{name}." if name else "")]
    if not chosen:
        kind, meant = resolve(name)
        homes = library.with_proof(meant, 0) if kind == "module" else []
        begins = (f"{meant}.", f"{meant}/")  # of the key: a step of the statement, or one of its rows
        chosen = [t for t in THEOREMS.values() if t.formula.__module__ in homes or f"{t.key}/".startswith(begins)]
    return sorted(chosen, key=lambda t: order[t.statement])
