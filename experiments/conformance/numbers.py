"""Which row notices a number: every number that is written in a formula is doubled, halved and raised by one.

`numbers.csv` beside a paper's `paper.toml` says for each of them the row that moves, or the value worked out by hand
that is not met, or else why nothing does. A number is named by its function and by the expression that it stands in, so
that others may come and go around it.
"""

import doctest
import functools
import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.experiments.conformance import accepted, edit, runner
from lemmata.experiments.conformance.ties import NO_NUMBER, decide_quick
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.ground import files
from lemmata.experiments.engine.running import costs
from lemmata.experiments.engine.running.store import Store

BY_HAND = "by hand: "  # before the name of a formula, where a value notices what no row does
PATIENCE = 4.0  # CPU-seconds for one change of one number, of all rows together
HAND_PATIENCE = 15.0  # the same of all values by hand
Value = tuple[Callable, dict[str, Any], Any]  # a formula, its arguments, what it comes to there
Agrees = Callable[[Any, Any], None]  # raises where two values differ
Name = tuple[str, str]  # a function, and a number with the expression that it stands in


def never(found: Any, value: Any) -> None:
    raise AssertionError("no values by hand were given")


@dataclass
class Number:
    """A number written in a function, and what reads that function."""

    function: types.FunctionType
    place: int  # among the numbers of the function
    text: str  # the number, and the expression that it stands in
    line: int
    value: int | float
    claims: list[Claim]  # that hold first, each kind the cheapest first
    values: list[Value]  # worked out by hand
    agrees: Agrees

    @property
    def name(self) -> Name:
        """As a row of the table begins."""
        return f"{self.function.__module__}.{self.function.__qualname__}", self.text

    @property
    def changes(self) -> Iterator[Callable[[], None]]:
        """Doubled, halved, raised by one."""
        half = self.value // 2 if isinstance(self.value, int) and self.value % 2 == 0 else self.value / 2
        for other in dict.fromkeys(x for x in (2 * self.value, half, self.value + 1) if x != self.value):
            yield functools.partial(edit.set_literal, self.function, self.place, other)

    @functools.cached_property
    def by_hand(self) -> list[runner.Check]:
        """The values worked out by hand; where there are none, the examples in the docstrings of the formulas."""
        given = [_value_check(*value, self.agrees) for value in self.values]
        return given or [_example_check(f) for f in dict.fromkeys(claim.theorem.formula for claim in self.claims)]

    def first_noticer(self, checks: list[runner.Check]) -> str:
        """Return the name of the first of `checks` that notices a change; "" if none does in time."""
        patience = HAND_PATIENCE if checks is self.by_hand else PATIENCE
        for change in self.changes:
            tried = runner.try_change(change, checks, patience, seconds=4 * patience)
            if tried.noticers:
                return tried.noticers[0]
        return ""

    def noticed_by(self, before: str = "") -> str:
        """What notices a change: a row, by its key; else a value by hand, as "by hand: " and its formula; or "".

        A value by hand is one that is given, or an example in the docstring of a formula that calls the number. What
        noticed it `before` is asked first: it will again, and to ask all others may take minutes.
        """
        rows = [row_check(claim) for claim in self.claims]
        turns = [self.by_hand, rows] if before.startswith(BY_HAND) else [rows, self.by_hand]
        if before in CLAIMS:
            turns.insert(0, [row_check(CLAIMS[before])])
        return next(filter(None, map(self.first_noticer, turns)), "")


def _value_check(formula: Callable, arguments: dict[str, Any], value: Any, agrees: Agrees) -> runner.Check:
    def work() -> str:
        try:
            agrees(formula(**arguments), value)
        except (Exception, SystemExit):
            return "another value"
        return runner.PASSED

    return _hand_check(formula, work)


def _example_check(formula: Callable) -> runner.Check:
    return _hand_check(formula, lambda: "another example" if examples_fail(formula) else runner.PASSED)


def _hand_check(formula: Callable, work: Callable[[], str]) -> runner.Check:
    """That values by hand are met without a change is a test of its own: it is not asked again."""
    name = f"{BY_HAND}{getattr(formula, '__name__', '')}"
    return runner.Check(name, work, planned=math.inf, ignores=runner.CRASHED, confirmed=True)


def examples_fail(formula: Callable) -> bool:
    """Whether an example in a docstring gives something else than it says."""
    plain = edit.plain(formula)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder(recurse=False).find(plain, plain.__name__, globs=dict(plain.__globals__)):
        runner.run(test, out=lambda _: None)
    return runner.failures > 0


def numbers(papers: Iterable[Paper], values: Sequence[Value] = (), agrees: Agrees = never) -> Iterator[Number]:
    """The numbers written in what the statements of `papers` call, each in a module of theirs."""
    chosen = {paper.id: paper for paper in papers}
    packages = tuple(paper.packages[0] for paper in chosen.values())
    registry.load(registry.list_modules(chosen.values()))
    read: dict[types.FunctionType, tuple[list, list]] = {}

    def note(thing: object, which: int, *roots: Callable) -> None:
        for function in dict.fromkeys(map(edit.plain, edit.reached(*map(edit.plain, roots), within=packages))):
            read.setdefault(function, ([], []))[which].append(thing)

    def cost(claim: Claim) -> tuple[bool, float]:
        planned = costs.stated_seconds(claim, costs.all_settings(claim, "quick"))
        return row_check(claim).expected != HOLDS, planned

    for claim in sorted(CLAIMS.values(), key=cost):
        if claim.style != "attack":
            # where checks stand with statements, their own numbers are settings and state nothing
            apart = len(library.paper(claim.theorem.id).packages) > 1
            note(claim, 0, claim.theorem.formula, *([claim.trial] if apart else []))
    for row in values:
        note(row, 1, row[0])
    for function, (readers, hands) in sorted(read.items(), key=lambda item: (item[0].__module__, item[0].__qualname__)):
        # a dataclass made it, or it stands in the middle of a line: it has no text of its own
        generated = function.__code__.co_filename == "<string>" or function.__name__ == "<lambda>"
        if readers and not generated:
            for place, text, line, value in edit.literals(function):
                yield Number(function, place, text, line, value, readers, hands, agrees)


_ROW_CHECKS: dict[str, runner.Check] = {}  # not a functools cache: `edit.forget` empties those


def row_check(claim: Claim) -> runner.Check:
    """The check that a row comes out with its accepted verdict; what it comes to here once that was asked."""
    if claim.key not in _ROW_CHECKS:
        lines = {key: line for paper in library.papers.values() for key, line in accepted.read(paper).items()}
        for key in CLAIMS:
            verdict = lines[key].verdict if key in lines else HOLDS
            work = functools.partial(_verdict_of, key)
            _ROW_CHECKS.setdefault(key, runner.Check(key, work, verdict, math.inf, (NO_NUMBER, *runner.CRASHED)))
    return _ROW_CHECKS[claim.key]


def _verdict_of(key: str) -> str:
    return decide_quick(CLAIMS[key])


HEAD = ("function", "number", "noticed by", "why not")


def file(paper: Paper) -> Path:
    """Where the table of a paper stands."""
    return paper.folder / "numbers.csv"


def read(paper: Paper) -> dict[Name, tuple[str, str]]:
    """{number: (what notices a change, or else why nothing does)}"""
    lines = (tuple(line.values()) for line in read_table(file(paper), HEAD))
    return {(function, text): (by, why) for function, text, by, why in lines}


def write(paper: Paper, table: Mapping[Name, tuple[str, str]]) -> None:
    """Write the table, sorted."""
    files.write_table(file(paper), HEAD, ((*name, *table[name]) for name in sorted(table)))


def renew(
    paper: Paper, told: Callable[[str], None], store: Store, values: Sequence[Value] = (), agrees: Agrees = never
) -> dict[Name, tuple[str, str]]:
    """The table without what is gone, and with what notices each number that is new or that its row does not notice.

    `store` remembers each answer, so that one who was stopped goes on where he was.
    """
    before, now = read(paper), {}
    for number in numbers([paper], values, agrees):
        if any(before.get(number.name, ())) and not _blunted(number, before[number.name][0]):
            now[number.name] = before[number.name]
            continue
        now[number.name] = _recall_noticer(number, store), ""
        by = now[number.name][0].replace(BY_HAND, "the value computed by hand for ") or "NOTHING"
        told(f"{' '.join(number.name)}, line {number.line}: noticed by {by}")
    return now


def _recall_noticer(number: Number, store: Store) -> str:
    """What notices a number, as `store` remembers it for this function, these checks and values, or found now."""
    checks = [(claim.theorem.formula, claim.theorem.formula.__doc__, claim.trial) for claim in number.claims]
    made = fingerprint.hash_code(number.function, *checks, *number.values)
    return store.recall(" ".join(number.name), f"number {made}", number.noticed_by)


def _blunted(number: Number, by: str) -> bool:
    """Whether the row that noticed a number has fallen since, and stays where it is whatever the number."""
    if by not in CLAIMS or (row := row_check(CLAIMS[by])).expected == HOLDS:
        return False
    return not number.first_noticer([row])
