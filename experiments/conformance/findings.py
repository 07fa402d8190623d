"""What `lemmata check` finds: what is missing before somebody else should believe a paper's rows, in sentences."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lemmata.bounds.library import Paper
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, OPEN
from lemmata.experiments.conformance import accepted, numbers, rows, ties
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.front.decision import decide
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.running import costs
from lemmata.experiments.engine.running.store import Store

CHILD = 0.2  # CPU-seconds of a change that is tried in a process of its own, beside the check itself
TWICE = 2  # a statement is halved, and then doubled
CASES = 50  # of a check that are looked at
RULES = {
    "accepted": "its verdict and its statement are those that were accepted",
    "control": "a sabotaged twin of it is caught",
    "refuted": "what fell says how badly, at what setting and by a program that runs by itself",
    "charity": "every use of what is true but for an edge case lies where it is true",
    "links": "the rows that it rests on are decided",
    "cases": "its cases are about arguments of the statement, and have a finite right side",
    "undecided": "it is decided",
    "oracle": "a left side that is computed in floats says on which side it can err",
    "hash": "its stored results are discarded when its check changes",
    "tie": "it falls when what it states is halved or doubled",
    "root": "its verdict does not move with the random numbers",
    "numbers": "every number of its formula is noticed by some row, or by an example in a docstring",
    "open": "some claim decides it",
}


class Finding(NamedTuple):
    """What one rule has to say about one row."""

    row: str
    rule: str
    sentence: str


def findings(
    paper: Paper,
    store: Store,
    root: int,
    told: Callable[[str], None] = lambda _: None,
    planned: Callable[[str], None] = lambda _: None,
    values: Sequence[numbers.Value] = (),
    agrees: numbers.Agrees = numbers.never,
) -> Iterator[Finding]:
    """Everything that is to be said about the rows of a paper, from a store that holds their results.

    `planned` hears beforehand what there is to do, and `told` which row or number is looked at. What the paper's
    `[expected]` names, as `row` or `row:rule`, is left out; an entry there that nothing answers to is a finding of its
    own. `values` are worked out by hand, and notice numbers as rows do.
    """
    registry.load(registry.modules([paper]))
    lines = accepted.read(paper)
    own = [row for row in ledger(store, root, papers=[paper]) if row["paper"] == paper.id and row["kind"] != "summary"]
    used: set[str] = set()
    found: list[Finding] = []
    written = list(numbers.numbers([paper], values, agrees))
    planned(f"{paper.id}: {len(own)} rows and {len(written)} numbers, about {minutes(own, written)} of one core")
    for row in own:
        told(row["key"])
        found.extend(_of(row, lines, paper, root))
    found.extend(_unnoticed(written, paper, told))
    for finding in found:
        names = {finding.row, f"{finding.row}:{finding.rule}"}
        names |= {name.removeprefix(f"{paper.id}.") for name in names}
        met = names & paper.expected.keys()
        used |= met
        if not met:
            yield finding
    for name in paper.expected.keys() - used:
        yield Finding(name, "expected", "paper.toml expects it to fail, and it does not: take the line out")


def minutes(own: Sequence[Mapping[str, Any]], written: Sequence[numbers.Number]) -> str:
    """How long it will take, in words: a row is decided twice more, and a number is changed until a row moves."""
    held = [CLAIMS[row["key"]] for row in own if row["key"] in CLAIMS and row["verdict"] == HOLDS]
    costs_ = [costs.stated(claim, claim.settings("quick")) for claim in held]
    seconds = sum(costs_) * TWICE + len(held) * CHILD + len(written) * (CHILD + statistics.median(costs_ or [0.0]))
    return f"{math.ceil(seconds / 60)} minutes" if seconds > 60 else "a minute"


def _of(row: dict, lines: dict, paper: Paper, root: int) -> Iterator[Finding]:
    key = row["key"]
    claim = CLAIMS.get(key)
    if claim is None:
        if row["verdict"] == OPEN:
            yield Finding(key, "open", "no claim decides it")
        elif row["verdict"] != NOT_A_CLAIM:
            yield Finding(key, "open", f"it is {row['verdict']} without a claim")
        return
    said = [
        *(("accepted", text) for text in rows.verdict(row, lines.get(key))),
        *(("control", text) for text in rows.control(row)),
        *(("refuted", text) for text in rows.refutation(row)),
        *(("charity", text) for text in outside(claim)),
        *(("links", text) for text in rows.sound(row, paper)),
        *(("undecided", text) for text in undecided(row)),
        *(("cases", text) for text in cases(row, claim)),
        *(("oracle", text) for text in oracle(row, claim)),
        *(("hash", text) for text in blind(claim)),
        *(("tie", text) for text in untied(row, claim, lines.get(key))),
        *(("root", text) for text in moved(row, claim, root)),
    ]
    yield from (Finding(key, rule, text) for rule, text in said)


def outside(claim: Claim) -> list[str]:
    """A place that uses a row outside its corner, or that does not say at what it uses it."""
    found = []
    for place, settings in claim.used.items():
        if claim.corner is None or not settings:
            found.append(f"{place} uses it, and there is no corner, or nothing that the place sets")
            continue
        for setting in settings:
            if missing := set(claim.corner.names) - set(setting):
                found.append(f"{place} does not set {', '.join(sorted(missing))}, which its corner is about")
            elif not claim.corner.admits(setting):
                found.append(f"{place} uses it at {setting}, outside its corner: {claim.corner.range}")
    return found


def undecided(row: Mapping[str, Any]) -> list[str]:
    """What came to no verdict says why, and is not accepted in silence."""
    if row["verdict"] != INCONCLUSIVE or row["reason"] == "AUDIT_ONLY":
        return []
    return [f"it is undecided, {row['reason']}: {row['note']}"]


def cases(row: Mapping[str, Any], claim: Claim) -> list[str]:
    """The first cases are at arguments that the statement has, and their right sides are finite."""
    found, known = {}, set(inspect.signature(claim.theorem.formula).parameters)
    for setting, _, right in _shown(claim):
        if known and setting and not known & set(setting):
            found["names"] = f"its cases are at {', '.join(setting)}, and the statement is about {', '.join(known)}"
        if isinstance(right, float) and math.isinf(right) and row["verdict"] == HOLDS:
            found["finite"] = f"the right side is infinite at {setting}: nothing is compared there"
    return list(found.values())


def oracle(row: dict, claim: Claim) -> list[str]:
    """What is compared in floats may be the truth, or err on one side only; the row must say which."""
    if claim.oracle or claim.style != "exact" or row["verdict"] != HOLDS or not _in_floats(claim):
        return []
    return ['its left side is a float: oracle="exact" if it is the truth up to rounding, else "below" or "above" it']


def _in_floats(claim: Claim) -> bool:
    """Whether the first cases of a check have a float for their left side."""
    return any(isinstance(left, float) for _, left, _ in _shown(claim))


def _shown(claim: Claim) -> list[tuple[dict, Any, Any]]:
    """The first cases of a check at its first setting; none where it yields none, or raises."""
    check = inspect.unwrap(claim.trial)
    setting = next((s for s in claim.quick if not claim.theorem.skipped(s)), None)
    if setting is None or not inspect.isgeneratorfunction(check):
        return []
    with contextlib.suppress(Exception, SystemExit):  # the row says so itself
        return [case[-3:] for case in itertools.islice(check(**setting), CASES) if len(case) >= 3]
    return []


def blind(claim: Claim) -> list[str]:
    """The check of a row is among what its code hash covers."""
    check = inspect.unwrap(claim.trial)
    name = f"{check.__module__}.{check.__qualname__} "
    roots = [root for root in (claim.trial, claim.by) if root]
    if any(text.startswith(name) for text in fingerprint.texts(*roots)):
        return []
    return [f"{check.__qualname__} can change and its stored results stay: its code is not in the hash"]


def untied(row: dict, claim: Claim, line: accepted.Accepted | None) -> list[str]:
    """A row that holds falls when its statement is weakened."""
    if row["verdict"] != HOLDS or claim.law:
        return []
    nearest = ties.find_factor(claim, line.tie if line else "")
    if nearest in ties.FACTORS:
        return []
    loose = f"it falls only when what it states is multiplied by {nearest:g}" if nearest else "nothing makes it fall"
    return [f"{loose}: its cases do not come near the bound, or do not call the statement"]


def moved(row: dict, claim: Claim, root: int) -> list[str]:
    """A sampled row comes to the same at another root."""
    if claim.style == "exact":
        return []
    other = decide(row["key"], root=root + 1)
    if other["verdict"] == row["verdict"]:
        return []
    return [f"it is {row['verdict']} at root {root} and {other['verdict']} at root {root + 1}"]


def _unnoticed(found: Sequence[numbers.Number], paper: Paper, told: Callable[[str], None]) -> Iterator[Finding]:
    """The numbers of the formulas that nothing notices, unless the table beside the paper says why nothing does."""
    table = numbers.read(paper)
    for number in found:
        told(" ".join(number.name))
        by, why = table.get(number.name, ("", ""))
        if not why and not number.noticed_by(by):
            where = f"line {number.line} of {number.function.__qualname__}"
            said = f"neither a row nor an example notices {number.text}, {where}"
            yield Finding(number.claims[0].key, "numbers", said)
