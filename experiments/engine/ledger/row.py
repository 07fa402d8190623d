"""One row of the ledger, field by field: what `lemmata ledger --json` prints, in this order.

A row is never changed: a step of `verdict_steps`, or the ledger, makes a new one from it.
"""

from typing import Any, TypedDict, cast

from lemmata.bounds.catalogue.literature import literature
from lemmata.bounds.statement.verdicts import OPEN
from lemmata.bounds.theorem import Theorem


class Row(TypedDict):
    """What is known about one reading of a statement, of a part of it or of a step of its proof."""

    id: str  # of the statement or step: "wzw25.lem6.4.s1"
    key: str  # id/reading/part, the name of the row everywhere
    parent: str  # id of the statement that a part, a step or a law of ours belongs to; "" for a headline row
    paper: str
    label: str  # "Lemma 6.4"
    title: str
    part: str  # "" for the statement itself, "impl:<law>" for an implementation of ours
    kind: str  # definition | tail | mean | inequality | privacy | rate | construction | identity | summary
    reading: str  # printed | corrected | explicit | quoted | rate[parameter]
    reconstructed: bool  # whether the text at hand leaves a symbol undefined
    verdict: str  # HOLDS | SLIP | REFUTED | VACUOUS | INCONCLUSIVE | NOT_A_CLAIM | OPEN
    reason: str  # why it is INCONCLUSIVE, one of `verdict.REASONS`; else ""
    scope: str  # of a row that holds: everywhere | domain: ... | settings
    evidence: str  # the weakest of what it stands on, as `ground.evidence` orders them
    cells: int  # settings that were tried
    cells_held: int
    cells_vacuous: int
    searched: dict[str, Any]  # settings of the engine's own choice: counts, the largest left/right, and where it is
    skipped: list[dict[str, Any]]  # settings outside the hypotheses, each with the hypothesis
    tightness: list[float | None] | None  # truth / bound, at least and at most; None for an end that is infinite
    basis: str  # what the tightness is taken from, in words: "largest of the cases", "1, by derivation"
    attained: dict[str, Any]  # the largest share of the bound that the truth was seen to have: share, at, by; or {}
    slack: dict[str, Any]  # the largest share of the bound that our own chain has: share, at; or {}
    nonvacuous_from: int | None  # the smallest n at which the bound says anything
    smallest_caught: str | None  # the least sabotage that the control refutes, in words
    control: str  # the outcome of the control, which has to be REFUTED; "" where none has run
    trials: int
    seconds: float  # by the clock
    cpu_seconds: float
    root: int | None  # of all random numbers
    witness: dict[str, Any] | None  # the counterexample: setting, claimed, found, python and the fields of its kind
    severity: str  # of a printed row that is refuted: privacy | statement | constant
    corner: str  # of a slip: the restriction under which it is true
    used: list[str]  # of a slip: the places that use it, all of them inside the corner
    restated: list[str]  # of a slip: the places that repeat the flaw, and on which nothing depends
    misprint: str  # of a slip: "read <= for ="
    undecided: str  # of a row that is false in a corner: what is not known outside it
    finding: str  # what is wrong, in a few words
    headline: str  # one sentence about the statement, on its printed row
    corrected_by: str  # key of the row that is true where this one is not
    rests_on: list[str]  # keys of the rows that have to hold for this one to hold
    cites: list[str]  # results that are used without a proof of ours
    where: dict[str, str]  # file and line of the bound, the claim, the law and the test
    digest: str  # of what the statement says
    literature: list[dict[str, Any]]
    note: str


FROM_THEOREM = ("id", "key", "parent", "paper", "label", "title", "part", "kind", "reading", "reconstructed")


def open_row(theorem: Theorem) -> Row:
    """The row of a record before anything is decided: every field is there, and the verdict is OPEN."""
    recorded: dict[str, Any] = {name: getattr(theorem, name) for name in FROM_THEOREM}
    undecided: dict[str, Any] = {
        "verdict": OPEN,
        "reason": "",
        "scope": "",
        "evidence": "",
        "cells": 0,
        "cells_held": 0,
        "cells_vacuous": 0,
        "searched": {},
        "skipped": [],
        "tightness": None,
        "basis": "",
        "attained": {},
        "slack": {},
        "nonvacuous_from": None,
        "smallest_caught": None,
        "control": "",
        "trials": 0,
        "seconds": 0.0,
        "cpu_seconds": 0.0,
        "root": None,
        "witness": None,
        "severity": "",
        "corner": "",
        "used": [],
        "restated": [],
        "misprint": "",
        "undecided": "",
        "finding": "",
        "headline": "",
        "corrected_by": "",
        "rests_on": [],
        "cites": [],
        "where": {},
        "digest": theorem.digest,
        "literature": [entry._asdict() for entry in literature(theorem.id)],
        "note": "",
    }
    return cast(Row, recorded | undecided)


def with_note(row: Row, *texts: str) -> Row:
    """The row with more sentences in its note; a sentence that is there already is not repeated."""
    note = row["note"]
    for text in filter(None, texts):
        if f"; {text}; " not in f"; {note}; ":
            note = f"{note}; {text}" if note else text
    return row | {"note": note}
