"""The ledger: every statement of the four papers, with its verdict, folded from the store."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lemmata.bounds.catalogue.literature import literature
from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, OPEN, REFUTED, SLIP, VACUOUS
from lemmata.bounds.theorem import THEOREMS, Theorem
from lemmata.experiments.engine.claims import fingerprint, places, registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.claims.verdict import Verdict, inconclusive
from lemmata.experiments.engine.ground.evidence import MACHINE, PROSE, extract_derivation, find_missing_steps, find_weakest
from lemmata.experiments.engine.ground.profiles import TIMES
from lemmata.experiments.engine.ledger.graph import Row
from lemmata.experiments.engine.ledger.headline import headline, find_leading
from lemmata.experiments.engine.ledger.sentences import orient_sides
from lemmata.experiments.engine.running.cell import Cell, Sabotaged, combine, fold
from lemmata.experiments.engine.running.schedule import Job
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs

if TYPE_CHECKING:
    import pandas as pd


def evaluate(
    claim: Claim, store: Store, root: int, job: Job | None = None
) -> tuple[Verdict | None, list[Cell], Sabotaged, str]:
    """(verdict or None, cells, control, profile) of one claim from its stored chunks, or as a `job` has folded them."""
    code = job.code if job else fingerprint.hash_claim(claim)
    profile = store.profile(claim.key, code, root) or "quick"
    if job and job.profile == profile:
        return combine(job.cells), job.cells, job.control, profile
    settings = [s for s in claim.settings(profile) if not claim.theorem.skipped(s)]

    def read(cell: Cell) -> Cell:
        if cell.verdict is not None:  # by arithmetic
            return cell
        fold(cell, store.read(claim.key, code, root, cell.where))
        if cell.verdict is None and (message := store.failure(claim.key, code, root, cell.where)):
            cell.verdict = inconclusive("FAILED", message)
        return cell

    cells = [read(Cell(claim, setting, times=TIMES[profile])) for setting in settings]
    control = Sabotaged(claim, TIMES[profile])
    while (cell := control.next_cell()) is not None:
        read(cell)
    return combine(cells), cells, control, profile


RECORDED = "id key parent paper label title part kind reading reconstructed".split()  # by the theorem


def _row(theorem: Theorem, **fields: Any) -> Row:
    """One row, every field of the machine interface present: those of the theorem, and nothing decided."""
    return {name: getattr(theorem, name) for name in RECORDED} | {
        "verdict": OPEN,
        "reason": "",
        "scope": "",
        "evidence": "",
        "cells": 0,
        "cells_held": 0,
        "cells_vacuous": 0,
        "skipped": [],
        "tightness": None,
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
        **fields,
    }


def _finite(pair: tuple[float, float] | None) -> list[float | None] | None:
    return None if pair is None else [x if math.isfinite(x) else None for x in map(float, pair)]


def _with_teeth(claim: Claim, verdict: Verdict, control: Sabotaged) -> tuple[Verdict, list[str]]:
    """(verdict, notes): a positive verdict counts only if the claim's control came out REFUTED."""
    said = claim.theorem.quoted_by and f"so quoted by {claim.theorem.quoted_by}"
    notes = [said, claim.note, verdict.note]
    verdict = _earned(claim, _one_sided(claim, verdict))
    if verdict.outcome == HOLDS and verdict.evidence in PROSE and not claim.given:
        notes.append(extract_derivation(claim.theorem.formula))  # all that it stands on, for who reads the table alone
    positive = verdict.outcome == HOLDS or verdict.reason == "AUDIT_ONLY"
    if positive and (why := _toothless(claim, control)):
        verdict = inconclusive("NO_TEETH", why, evidence=verdict.evidence)
        notes.append(verdict.note)
    if verdict.reason == "AUDIT_ONLY":
        notes.append(f"would have caught: {control.smallest_detected_factor}")
    return verdict, notes


def _toothless(claim: Claim, control: Sabotaged) -> str:
    """Why nobody knows that the check of a claim can fail, or ""."""
    if claim.control is None:
        return "it has no control, a copy broken on purpose that its check refuses: control=Control(...)"
    if control.outcome != REFUTED:
        last = control.tried[-1].verdict if control.tried else None
        why = f" ({last.note})" if last and last.note else ""
        return f"its control came out {control.outcome or 'not run'}, not REFUTED{why}"
    if not claim.law and not fingerprint.calls_statement(claim):
        return f"its check does not call {claim.theorem.formula.__name__}: whatever the statement said, it would hold"
    return ""


def _one_sided(claim: Claim, verdict: Verdict) -> Verdict:
    """A left side that stands below the truth can refute and never hold; one above it can hold and never refute."""
    blind = {"below": HOLDS, "above": REFUTED}.get(claim.oracle)
    if verdict.outcome != blind:
        return verdict
    if blind == HOLDS:
        return inconclusive("ONE_SIDED_ORACLE", "its left side is a lower bound of the truth: nothing larger was found")
    return inconclusive("ONE_SIDED_ORACLE", "its left side is an upper bound of the truth, which may be less")


def _earned(claim: Claim, verdict: Verdict) -> Verdict:
    """A verdict that says derived, or everywhere, and names no step is worth what was tried.

    Where cases were compared a machine has seen them. What a check says itself has been a certificate if the check
    reaches balls.
    """
    compared = claim.by is not None and verdict.evidence in MACHINE
    if verdict.outcome != HOLDS or compared:
        return verdict
    certified = verdict.evidence != "certificate" or fingerprint.uses_balls(claim)
    if certified and not find_missing_steps(verdict.evidence, verdict.scope, claim.theorem, claim.given):
        return verdict
    return replace(verdict, evidence=find_weakest((verdict.evidence, "tested")), scope="settings")


def _confirmed(claim: Claim, verdict: Verdict, store: Store) -> Verdict:
    """What fell is undecided until a program that calls the row's own function has shown it in a process of its own.

    A law of ours under attack is not what a paper says: a row about it is red at once.
    """
    if verdict.outcome != REFUTED or claim.law:
        return verdict
    python = str((verdict.witness or {}).get("python") or "").strip()
    said = programs.NOT_RUN if python else programs.NO_PROGRAM
    if python and (answer := store.answer(claim.key, programs.digest_program(claim, python))) is not None:
        said = answer
    if not said:
        return verdict
    return replace(verdict, outcome=INCONCLUSIVE, reason="UNCONFIRMED", note=f"it falls, and {said}")


def claim_row(claim: Claim, store: Store, root: int, job: Job | None = None) -> tuple[Row, list[Cell]]:
    """The row of one claim, before what it rests on is looked at; the second value draws its figure."""
    verdict, cells, control, profile = evaluate(claim, store, root, job)
    if verdict is None:
        waiting = "not finished: run it again" if any(c.folded for c in cells) else "not run yet"
        verdict = Verdict(OPEN, note=waiting if cells else "no admissible setting")
    verdict, notes = _with_teeth(claim, verdict, control)
    verdict = _confirmed(claim, verdict, store)
    notes.append(verdict.note)
    refuted = verdict.outcome == REFUTED and claim.theorem.reading == "printed"
    slip, aside = refuted and claim.is_slip, refuted and bool(claim.undecided)
    if aside:
        verdict = replace(verdict, outcome=INCONCLUSIVE, reason="CORNER")
    row = _row(
        claim.theorem,
        key=claim.key,
        part=claim.part,
        kind="privacy" if claim.style == "attack" else claim.theorem.kind,
        parent=claim.theorem.parent or (claim.theorem.id if claim.law else ""),
        verdict=SLIP if slip else verdict.outcome,
        reason=verdict.reason,
        scope=verdict.scope if verdict.outcome == HOLDS else "",
        evidence=verdict.evidence,
        skipped=claim.skipped(profile)
        + [{"setting": c.setting, "hypothesis": c.left_out} for c in cells if c.left_out],
        tightness=_finite(verdict.tightness),
        nonvacuous_from=claim.nonvacuous_from() if claim.nonvacuous_from else None,
        root=root,
        witness=orient_sides(claim.key, verdict.witness),
        severity=claim.severity if refuted and not (slip or aside) else "",
        corner=claim.corner.range if claim.corner and (slip or aside) else "",
        used=list(claim.used) if slip else [],
        restated=list(claim.restated) if slip else [],
        misprint=claim.misprint if slip else "",
        undecided=claim.undecided if aside else "",
        finding=claim.finding,
        corrected_by=claim.corrected_by,
        rests_on=list(claim.rests_on),
        cites=list(claim.cites),
        where=places.locate_claim(claim),
        note="; ".join(dict.fromkeys(filter(None, notes))),
        **_effort(cells, control),
    )
    return row, cells


def _effort(cells: Sequence[Cell], control: Sabotaged) -> Row:
    """What a claim's cells and its control came to, and what they cost."""
    verdicts = [c.verdict.outcome for c in cells if c.verdict]
    return {
        "cells": len(cells),
        "cells_held": verdicts.count(HOLDS),
        "cells_vacuous": verdicts.count(VACUOUS),
        "smallest_caught": control.smallest_detected_factor,
        "control": control.outcome,
        "trials": sum(c.trials for c in cells),
        "seconds": round(sum(c.seconds for c in [*cells, *control.tried]), 3),
        "cpu_seconds": round(sum(c.cpu_seconds for c in [*cells, *control.tried]), 3),
    }


def _rest_on(rows: Sequence[Row]) -> None:
    """A row stands only as far as the rows it rests on: never on a wider scope, better evidence or fewer citations."""
    by_key = {row["key"]: row for row in rows}
    settled: set[str] = set()

    def settle(row: Row, path: tuple[str, ...] = ()) -> None:
        if row["key"] in settled or row["verdict"] not in (HOLDS, SLIP):
            return
        settled.add(row["key"])
        path = (*path, row["key"])
        slip = row["verdict"] == SLIP
        for key in row["rests_on"]:
            link = by_key.get(key)
            if link and key not in path:
                settle(link, path)
            state = "resting on it in turn" if key in path else link["verdict"] if link else "missing"
            if link is None or state != HOLDS:
                row |= _fallen(row, key, state)
                return
            if link["scope"] == "settings" and (row["scope"] or (slip and key == row["corrected_by"])):
                row["scope"] = "settings"  # of a slip: where it is true, it was only tried
            row["evidence"] = find_weakest((row["evidence"], link["evidence"]))
            row["cites"] = sorted({*row["cites"], *link["cites"]})

    for row in rows:
        settle(row)
    for row in rows:  # a printed reading without a control of its own carries that of its corrected twin
        twin = by_key.get(row["corrected_by"])
        if twin and not row["control"]:
            row |= {"control": twin["control"], "smallest_caught": twin["smallest_caught"]}


def _fallen(row: Row, key: str, state: str) -> Row:
    """What becomes of a row when `key`, which it rests on, does not hold.

    A slip is refuted where the row that was to hold in its corner is refuted; where that one is undecided, the slip is
    false outside its corner and undecided inside. The rest is undecided.
    """
    why = f"rests on {key}, which is {state}"
    if row["verdict"] == SLIP:
        claim = CLAIMS[row["key"]]
        now = {"used": [], "restated": [], "misprint": "", "scope": "", "rests_on": list(claim.given)}
        if state == REFUTED or not claim.corner:
            return now | {"verdict": REFUTED, "severity": claim.severity, "corner": ""}
        return now | {"verdict": INCONCLUSIVE, "reason": "CORNER", "undecided": why}
    return {"verdict": INCONCLUSIVE, "reason": "UNSUPPORTED", "scope": "", "note": why}


def _summaries(rows: Iterable[Row]) -> list[Row]:
    """One row for every reading of a statement that has several parts; the parts get a parent."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["part"] and not row["part"].startswith("impl:") and not row["parent"]:
            groups.setdefault((row["id"], row["reading"]), []).append(row)
    taken, made = {row["key"] for row in rows}, []
    for (id, reading), parts in groups.items():
        headed = f"{id}/{reading}" in taken  # a definition and its consequences: the definition is the head
        if len(parts) < 2 and not headed:
            continue
        for part in parts:
            part["parent"] = id
        if not headed:
            made.append(_summary(f"{id}/{reading}", parts))
    return made


def _summary(key: str, parts: Sequence[Row]) -> Row:
    """The worst of the parts, with what they have together."""
    worst = find_leading(parts)
    true = worst["verdict"] in (HOLDS, SLIP)  # on all parts; else what one of them shows is enough
    scopes = {part["scope"] for part in parts}
    claimed = [part for part in parts if part["verdict"] != NOT_A_CLAIM]
    sums = ("cells", "cells_held", "cells_vacuous", "trials", "seconds", "cpu_seconds")
    return (
        worst
        | {name: round(sum(part[name] for part in parts), 3) for name in sums}
        | {
            "key": key,
            "part": "",
            "parent": "",
            "kind": "summary",
            "title": library.titles.get(worst["id"]) or f"{worst['label']}, {len(parts)} parts",
            "scope": "" if worst["verdict"] != HOLDS else "settings" if "settings" in scopes else worst["scope"],
            "skipped": [s for p in parts for s in p["skipped"]],
            "control": REFUTED if all(p["control"] == REFUTED for p in claimed) else "",
            "evidence": find_weakest([p["evidence"] for p in (parts if true else [worst])]),
            "rests_on": [p["key"] for p in parts],
            "cites": sorted({text for p in parts for text in p["cites"]}),
            "note": f"worst part: {worst['part']}. {worst['note']}".strip(),
        }
    )


def ledger(store: Store, root: int, claims: Iterable[Claim] | None = None, papers: Sequence[Paper] = ()) -> list[Row]:
    """The rows of `claims` and of what they rest on, in paper order.

    By default every row of `papers`, and these by default are the papers of this package; of other papers what theirs
    rest on. Parts, proof steps and impl rows have a `parent`; the others are the headline.
    """
    return [row for row, _ in ledger_with_cells(store, root, claims, papers)]


def ledger_with_cells(
    store: Store,
    root: int,
    claims: Iterable[Claim] | None = None,
    papers: Sequence[Paper] = (),
    jobs: Iterable[Job] = (),
) -> list[tuple[Row, list[Cell]]]:
    """[(row, its cells)]: what the report draws from. What the `jobs` of a run have folded is not folded again."""
    papers = papers or library.house
    asked = claims
    if claims is None:
        registry.load(registry.list_modules(papers))
        claims = [claim for claim in CLAIMS.values() if library.paper(claim.theorem.id) in papers]
    chosen = registry.closure(claim.key for claim in claims)
    done = {job.claim.key: job for job in jobs}
    pairs = [claim_row(claim, store, root, done.get(claim.key)) for claim in chosen]
    cells = {row["key"]: drawn for row, drawn in pairs}
    rows = [row for row, _ in pairs]
    statements = {claim.theorem.statement for claim in chosen}
    if asked is None:
        statements |= {id for paper in papers for id in paper.contents}
    for theorem in list(THEOREMS.values()):
        if theorem.key not in CLAIMS and theorem.statement in statements:
            verdict = NOT_A_CLAIM if theorem.kind == "definition" else OPEN
            rows.append(
                _row(theorem, verdict=verdict, root=root, note="" if verdict == NOT_A_CLAIM else "no claim yet")
            )
    _rest_on(rows)
    rows += _summaries(rows)
    written = {library.statement_of(row["id"]) for row in rows}
    rows += [_row(_unwritten(id), root=root, note="no claim yet") for id in statements if id not in written]
    order = {id: place for place, id in enumerate(library.ids)}
    readings = {"printed": 0, "quoted": 1, "corrected": 2, "explicit": 3}

    def place(row: Row) -> tuple[int, bool, str, int, bool, str]:
        home = library.statement_of(row["id"])
        step = home != row["id"]
        return (order[home], step, row["id"], readings.get(row["reading"], 4), bool(row["part"]), row["part"])

    rows.sort(key=place)
    for row in rows:
        if row["reading"] == "printed" and not row["parent"]:
            row["headline"] = headline([other for other in rows if other["id"] == row["id"]])
    return [(row, cells.get(row["key"], [])) for row in rows]


def _unwritten(id: str) -> Theorem:
    """A record for a statement that nobody has written down yet."""

    def statement() -> None:
        pass

    statement.__doc__ = library.label(id)
    return Theorem(id, "", "printed", "", "", (), "", False, statement)


def jsonable(value: Any, *, finite: bool = True) -> Any:
    """JSON's own types; numbers that are not finite become their names, unless they need not be `finite`."""
    if isinstance(value, dict):
        return {str(k): jsonable(v, finite=finite) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(v, finite=finite) for v in value]
    if finite and isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.item() if hasattr(value, "item") else value


def as_frame(rows: Iterable[Row]) -> pd.DataFrame:
    """The ledger as a table of scalars: nested fields as JSON."""
    import pandas as pd

    flat = [{k: json.dumps(jsonable(v)) if isinstance(v, dict | list) else v for k, v in row.items()} for row in rows]
    return pd.DataFrame(flat)
