"""What a referee finds in a folder: every row decided anew, and what each of them stands on."""

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.formula import in_symbols
from lemmata.experiments.conformance import findings, ties
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim, Setting
from lemmata.experiments.engine.ground.deadline import deadline
from lemmata.experiments.engine.ground.evidence import extract_derivation
from lemmata.experiments.engine.ground.profiles import EVALUATIONS, TIMES
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.ledger.sentences import (
    HIDDEN,
    describe_search,
    find_letters,
    format_setting,
    format_value,
)
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs
from lemmata.experiments.referee.isolation import hash_files, hash_versions, list_files, list_versions
from lemmata.experiments.report import words

LISTED = 10_000  # cases of a check that are counted
SECONDS = 30.0  # of the processor, for counting them
NAMED = 4  # settings, or values of an argument, that are named one by one
ORACLES = {  # by the sides of a case that move with the statement's value
    "right": "the left side is the check's own code",
    "left": "the left side calls the statement; the right side is the check's own code",
    "left and right": "both sides call the statement",
    "": "no side follows the statement's value",
    None: "the check's own code gives the verdict",
}
CHANCE = {"attack": "attacked by the auditor", "exact": ""}  # by the style of a claim; others are sampled


@dataclass(frozen=True)
class Assessment:
    """A folder as a referee finds it."""

    paper: Paper
    files: list[str]
    code: str  # SHA-256 of the files
    versions: list[str]
    lock: str  # SHA-256 of the versions
    root: int
    profile: str
    rows: list[dict[str, Any]]  # as pages show them, with oracle, listed, tried, prose and what is found of each
    loose: list[tuple[findings.Finding, str]]  # what is found of no row, with the author's reasons
    found: int

    @property
    def authors(self) -> tuple[str, ...]:
        """Who is cited for the page: who wrote the checks, else the authors of the paper."""
        return self.paper.checked_by or self.paper.authors

    @property
    def unnoticed(self) -> list[tuple[dict[str, Any], str, str]]:
        """(row, sentence, the author's reason) of every number or statement whose change no row notices."""
        blind = ("numbers", "tie")
        return [(row, each.sentence, why) for row in self.rows for each, why in row["found"] if each.rule in blind]


def assess(
    folder: Path, *, root: int | None, profile: str, jobs: int, progress: bool, told: Callable[[str], None]
) -> Assessment:
    """Decide all rows of a folder, with a store of its own beside it, and look for what `lemmata check` looks for.

    Without a `root` it is made of the files, so that no author chooses it.
    """
    files, code, versions = list_files(folder), hash_files(folder), list_versions()
    root = int(code[:12], 16) if root is None else root
    paper = library.add(folder)
    registry.load(registry.list_modules([paper]))
    store = Store(folder.with_name("referee.sqlite"))
    claims = registry.closure(key for key in CLAIMS if library.paper(key) is paper)
    done = run.execute(claims, store, root=root, profile=profile, jobs=jobs, progress=progress)
    programs.confirm(done, store, jobs)
    rows = [row for row in ledger(store, root, papers=[paper]) if row["paper"] == paper.id and row["kind"] != "summary"]
    found = list(findings.findings(paper, store, root, told))
    store.close()
    shown = [describe_row(row, found, profile) for row in rows]
    loose = [(each, why) for each, why in found if each.row not in {row["key"] for row in rows}]
    lock = hash_versions(versions)
    return Assessment(paper, files, code, versions, lock, root, profile, shown, loose, len(found))


def describe_row(row: Row, found: Sequence[tuple[findings.Finding, str]], profile: str) -> dict[str, Any]:
    """A row as pages show it, with what it stands on."""
    claim, letters = CLAIMS.get(row["key"]), find_letters(row["key"])
    record = words.find_record(row)
    return words.view_row(row, []) | {
        "oracle": describe_oracle(claim) if claim else "no claim",
        "listed": in_symbols(describe_settings(list_tried(claim), letters)) if claim else "nothing",
        "tried": in_symbols(describe_tried(row, claim, profile)) if claim else "nothing",
        "prose": in_symbols(extract_derivation(record.formula)) if record else "",
        "given": list(claim.given) if claim else [],
        "found": [(each, why) for each, why in found if each.row == row["key"]],
    }


def describe_oracle(claim: Claim) -> str:
    """Whose code computes what the statement is compared with."""
    said = CHANCE.get(claim.style, "sampled by the check's own trial") or ORACLES[ties.find_moved_sides(claim)]
    return said + (f", said to be {claim.oracle}" if claim.oracle else "")


def list_tried(claim: Claim) -> list[Setting]:
    """The settings that an author lists: those of the claim, or those that its check yields."""
    named = [setting for setting in claim.quick + claim.full if setting]
    if named or not inspect.isgeneratorfunction(inspect.unwrap(claim.trial)):
        return named
    with deadline(SECONDS):
        return [setting for setting, *_ in ties.list_cases(claim, LISTED)]


def describe_settings(settings: Sequence[Setting], letters: Mapping[str, str]) -> str:
    """Settings in words: all of a few, and of many what each argument goes through.

    >>> describe_settings([{"n": n, "beta": 0.1} for n in range(1, 9)], {})
    '8 settings: n from 1 to 8, beta = 0.1'
    """
    named = [
        {letters.get(name, name): value for name, value in setting.items() if letters.get(name) != HIDDEN}
        for setting in settings
    ]
    if len(named) < NAMED:
        return "; ".join(map(format_setting, named)) or "none"
    values = {
        name: {repr(s[name]): s[name] for s in named if name in s} for name in dict.fromkeys(itertools.chain(*named))
    }
    said = [f"{name} {_describe_values(list(each.values()))}" for name, each in values.items()]
    return f"{len(named):,}{' or more' * (len(named) == LISTED)} settings: {', '.join(said)}"


def _describe_values(values: list[Any]) -> str:
    if len(values) > NAMED and all(isinstance(value, int | float) for value in values):
        return f"from {format_value(min(values))} to {format_value(max(values))}"
    return "= " + ", ".join([*map(format_value, values[:NAMED]), *(["…"] if len(values) > NAMED else [])])


def describe_tried(row: Row, claim: Claim, profile: str) -> str:
    """What the engine tried of its own choice, or why it tried nothing.

    Where a search ended before its budget, for lack of time, its counts are those of one machine, and are rounded down.
    """
    searched = row["searched"] or {}
    decided, budget = searched.get("decided", 0), TIMES[profile] * EVALUATIONS
    if (row["witness"] or {}).get("asked"):
        return "the counterexample is the engine's own find"
    if not searched:
        why = "its check is not a function of numbers whose domains the hypotheses name"
        why = why if claim.style == "exact" else "the row is sampled"
        return f"nothing: {'a row that is to be refuted' if claim.severity or claim.is_slip else why}"
    if decided < EVALUATIONS:
        return f"too little: fewer than {EVALUATIONS:,} settings could be decided"
    if decided < budget:
        digits = 10 ** (len(str(decided)) - 1)
        fewer: Row = row | {"searched": searched | {"decided": decided // digits * digits}}
        return f"at least {describe_search(fewer)}; it ended before its {budget:,} settings"
    rest = [f"{searched[name]:,} {name}" for name in ("outside", "raised", "undecided") if searched.get(name)]
    return describe_search(row) + (f"; not counted: {', '.join(rest)}" if rest else "")
