"""The cases of a check: settings with two sides, links of a derivation, and what was measured."""

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple

from lemmata.experiments.engine.claims.verdict import Verdict, holds, inconclusive
from lemmata.experiments.engine.ground.deadline import cpu_seconds
from lemmata.experiments.engine.search.loops import cases_at

REST = 1.0  # CPU seconds in which the cases after a counterexample are read, for the curves that come after them


class Case(NamedTuple):
    """left <= right at one setting is what the statement says: if it fails there, the statement is refuted.

    A check may yield it as a plain tuple.
    """

    setting: dict[str, Any]
    left: Any
    right: Any


class Link(NamedTuple):
    """left <= right is a step of our own derivation: if it fails, the statement is neither shown nor refuted."""

    name: str
    setting: dict[str, Any]
    left: Any
    right: Any


Cases = Generator[tuple, None, Any]  # yields `Case` and `Link`, returns a Verdict, a dict of its fields, or None


def add_measured(
    cases: Any, check: Callable, measured: Callable, arguments: dict[str, Any], links: bool = True
) -> Cases:
    """The cases of a check, then what was `measured` instead of computed from the formula that a proof is about.

    A measured (setting, value) is a link: at most the left side of the check at that setting, the one that is proved,
    or equal to it. It takes the place of that side in a case of its own, as does a measured (setting, left, right).
    """
    returned = yield from cases
    for setting, value, *right in measured():
        called = {name: setting.get(name, given) for name, given in arguments.items()}
        for case in () if right else cases_at(check, called, True, **setting):
            if case[:-2] == (setting,):
                right = case[-1:]
                if links:
                    yield Link("measured", setting, value, case[-2])
        if not right:
            raise ValueError(f"a measured setting must be one of the check's, got {setting}")
        yield Case(setting | {"of": "measured"}, value, *right)
    return returned


def name_case(case: Any) -> str:
    """The setting of a case, and the name of a link."""
    return f"the link {case.name!r} at {case.setting}" if isinstance(case, Link) else f"{case[-3]}"


class CaseReader:
    """The cases and links of a check, the first one left undecided, and the value that the check returns at the end."""

    def __init__(self, cases: Iterable[tuple]) -> None:
        self.cases = cases
        self.returned: Any = None
        self.undecided: Verdict | None = None

    def __iter__(self) -> Iterator[Any]:
        cases = iter(self.cases)
        while True:
            try:
                case = next(cases)
            except StopIteration as end:
                self.returned = end.value
                return
            yield Case(*case) if type(case) is tuple and len(case) == 3 else case  # other tuples are for other deciders

    def leave(self, reason: str, note: str) -> None:
        """Record that a case is undecided; the first one is reported."""
        self.undecided = self.undecided or inconclusive(reason, note)

    def verdict(self, checked: int, evidence: str, scope: str, **fields: Any) -> Verdict:
        """HOLDS, unless something is undecided, the check returned a verdict of its own, or compared nothing."""
        if self.undecided or isinstance(self.returned, Verdict):
            return self.undecided or self.returned
        if not checked:
            return inconclusive("FAILED", "the check yields no case with finite sides")
        return holds(evidence, scope, **fields | (self.returned or {}))


def keep_returned(cases: Any, kept: list[Any]) -> Cases:
    """The same cases; what the check returns at its end is kept."""
    kept.append((yield from cases))
    return kept[0]


def read_curves(cases: Cases, kept: list[Any]) -> dict[str, Any]:
    """The curves that a check returns at its end, once a case has decided; none if that takes longer than `REST`."""
    began = cpu_seconds()
    with contextlib.suppress(Exception, SystemExit):  # the end; beyond its counterexample a check may also go wrong
        while not kept and cpu_seconds() - began < REST:
            next(cases)
    return kept[0].get("series", {}) if kept and isinstance(kept[0], dict) else {}
