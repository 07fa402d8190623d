"""Findings of `lemmata check`: what is missing before a paper is ready to publish."""

import inspect
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lemmata.bounds.library import Paper
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, OPEN
from lemmata.experiments.conformance import accepted, numbers, rows, stated_formulas, ties
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.front.decision import decide
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.running import costs
from lemmata.experiments.engine.running.store import Store

CHILD = 0.2  # CPU-seconds of a change tried in its own process, in addition to the check
TWICE = 2  # a statement is halved, and then doubled
RULES = {
    "accepted": "its verdict and statement are the accepted ones",
    "says": "its function computes a number of its LaTeX, where that can be read",
    "control": "its control is refuted",
    "refuted": "a refuted row has a severity, a setting and a stand-alone program",
    "charity": "every use of a slip satisfies its restriction",
    "links": "the rows that it depends on have claims",
    "cases": "its cases use arguments of the statement and have a finite right side",
    "undecided": "it has a verdict",
    "oracle": "a left side computed in floats states the direction of its error",
    "hash": "its stored results are discarded when its check changes",
    "tie": "it is refuted when its statement is halved or doubled",
    "root": "its verdict is the same at another root seed",
    "numbers": "a row, or an example in a docstring, notices every number of its formula",
    "open": "it has a claim",
}


class Finding(NamedTuple):
    """One violation of a rule by a row."""

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
) -> Iterator[tuple[Finding, str]]:
    """All findings about the rows of a paper, from a store with their results, each with the paper's reason, or "".

    A reason is in the paper's `[expected]`, as `row` or `row:rule`, or of a number in its numbers.csv; an entry in
    `[expected]` without a finding is itself a finding. `planned` is called with the amount of work, and `told` with
    each row or number. `values` are values computed by hand, which notice numbers as rows do.
    """
    registry.load(registry.list_modules([paper]))
    lines = accepted.read(paper)
    own = [row for row in ledger(store, root, papers=[paper]) if row["paper"] == paper.id and row["kind"] != "summary"]
    used: set[str] = set()
    found: list[tuple[Finding, str]] = []
    written = list(numbers.numbers([paper], values, agrees))
    planned(f"{paper.id}: {len(own)} rows and {len(written)} numbers, about {describe_work(own, written)}")
    planned(stated_formulas.describe_comparisons(paper))
    for row in own:
        told(row["key"])
        found.extend((finding, "") for finding in _of(row, lines, root))
    found.extend(_unnoticed(written, paper, told))
    for finding, why in found:
        names = {finding.row, f"{finding.row}:{finding.rule}"}
        names |= {name.removeprefix(f"{paper.id}.") for name in names}
        met = names & paper.expected.keys()
        used |= met
        yield finding, why or "; ".join(paper.expected[name] for name in sorted(met))
    for name in sorted(paper.expected.keys() - used):
        said = "[expected] in paper.toml has a reason for it, but there is no finding; remove it"
        yield Finding(name, "expected", said), ""


def describe_work(own: Sequence[Mapping[str, Any]], written: Sequence[numbers.Number]) -> str:
    """The planned CPU time: each row is decided twice more, and each number is changed until a row notices."""
    held = [CLAIMS[row["key"]] for row in own if row["key"] in CLAIMS and row["verdict"] == HOLDS]
    costs_ = [costs.stated_seconds(claim, claim.settings("quick")) for claim in held]
    seconds = sum(costs_) * TWICE + len(held) * CHILD + len(written) * (CHILD + statistics.median(costs_ or [0.0]))
    return f"{math.ceil(seconds / 60)} CPU-minutes" if seconds > 60 else f"{math.ceil(seconds)} CPU-seconds"


def _of(row: Row, lines: dict, root: int) -> Iterator[Finding]:
    key = row["key"]
    claim = CLAIMS.get(key)
    if claim is None:
        if row["verdict"] == OPEN:
            yield Finding(key, "open", "it has no claim")
        elif row["verdict"] != NOT_A_CLAIM:
            yield Finding(key, "open", f"it has the verdict {row['verdict']} but no claim")
        return
    said = [
        *(("accepted", text) for text in rows.verdict(row, lines.get(key))),
        *(("says", text) for text in rows.formula(row)),
        *(("control", text) for text in rows.control(row)),
        *(("refuted", text) for text in rows.refutation(row)),
        *(("charity", text) for text in outside(claim)),
        *(("links", text) for text in rows.sound(row)),
        *(("undecided", text) for text in undecided(row)),
        *(("cases", text) for text in cases(row, claim)),
        *(("oracle", text) for text in oracle(row, claim)),
        *(("hash", text) for text in blind(claim)),
        *(("tie", text) for text in untied(row, claim, lines.get(key))),
        *(("root", text) for text in moved(row, claim, root)),
    ]
    yield from (Finding(key, rule, text) for rule, text in said)


def outside(claim: Claim) -> list[str]:
    """Uses of a row outside its corner, or without the values at which it is used."""
    found = []
    for place, settings in claim.used.items():
        if claim.corner is None or not settings:
            found.append(f"{place} uses it, but it has no corner, or the use names no values")
            continue
        for setting in settings:
            if missing := set(claim.corner.names) - set(setting):
                found.append(f"{place} does not set {', '.join(sorted(missing))}, which its corner restricts")
            elif not claim.corner.admits(setting):
                found.append(f"{place} uses it at {setting}, outside its corner: {claim.corner.range}")
    return found


def undecided(row: Mapping[str, Any]) -> list[str]:
    """A row without a verdict is a finding, with its reason."""
    if row["verdict"] != INCONCLUSIVE or row["reason"] == "AUDIT_ONLY":
        return []
    return [f"it is undecided ({row['reason']}): {row['note']}"]


def cases(row: Mapping[str, Any], claim: Claim) -> list[str]:
    """The first cases use arguments of the statement, and their right sides are finite."""
    found, known = {}, set(inspect.signature(claim.theorem.formula).parameters)
    for setting, _, right in ties.list_cases(claim):
        if known and setting and not known & set(setting):
            arguments, got = ", ".join(known), ", ".join(setting)
            found["names"] = f"its cases must use arguments of the statement ({arguments}), got {got}"
        if isinstance(right, float) and math.isinf(right) and row["verdict"] == HOLDS:
            found["finite"] = f"its right side is infinite at {setting}, so that nothing is compared"
    return list(found.values())


def oracle(row: Row, claim: Claim) -> list[str]:
    """A left side in floats may be exact up to rounding, or err in one direction; the row must say which."""
    if claim.oracle or claim.style != "exact" or row["verdict"] != HOLDS:
        return []
    if not any(isinstance(left, float) for _, left, _ in ties.list_cases(claim)):
        return []
    return ['its left side is a float; state oracle="exact" if it is exact up to rounding, else "below" or "above"']


def blind(claim: Claim) -> list[str]:
    """The code hash of a row covers its check."""
    check = inspect.unwrap(claim.trial)
    name = f"{check.__module__}.{check.__qualname__} "
    roots = [root for root in (claim.trial, claim.by) if root]
    if any(text.startswith(name) for text in fingerprint.texts(*roots)):
        return []
    return [f"its code hash does not cover {check.__qualname__}: stored results stay when that code changes"]


def untied(row: Row, claim: Claim, line: accepted.Accepted | None) -> list[str]:
    """A row that holds is refuted when its statement is halved or doubled."""
    if row["verdict"] != HOLDS or claim.law:
        return []
    nearest = ties.find_factor(claim, line.tie if line else "")
    if nearest in ties.FACTORS:
        return []
    factor = f"only the factor {nearest:g}" if nearest else "no factor"
    return [f"{factor} on its statement refutes it: its cases are far from the bound, or do not call the statement"]


def moved(row: Row, claim: Claim, root: int) -> list[str]:
    """A sampled row has the same verdict at another root seed."""
    if claim.style == "exact":
        return []
    other = decide(row["key"], root=root + 1)
    if other["verdict"] == row["verdict"]:
        return []
    return [f"its verdict is {row['verdict']} at root seed {root} and {other['verdict']} at {root + 1}"]


def _unnoticed(
    found: Sequence[numbers.Number], paper: Paper, told: Callable[[str], None]
) -> Iterator[tuple[Finding, str]]:
    """The numbers of formulas that neither a row nor an example notices, with what numbers.csv says about each."""
    table = numbers.read(paper)
    for number in found:
        told(" ".join(number.name))
        by, why = table.get(number.name, ("", ""))
        if why or not number.noticed_by(by):
            where = f"line {number.line} of {number.function.__qualname__}"
            said = f"neither a row nor an example notices {number.text}, {where}"
            yield Finding(number.claims[0].key, "numbers", said), why
