"""The ledger: a row for every reading of every statement, folded from the store, in the order of the papers.

`verdict_steps` decides a row; this module makes the rows, in the order in which they rest on each other, and adds what
concerns several of them: summaries of parts, controls of corrected twins, headlines.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, REFUTED, SLIP, VACUOUS
from lemmata.bounds.theorem import THEOREMS, Theorem
from lemmata.experiments.engine.claims import fingerprint, places, registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.claims.verdict import Verdict, inconclusive
from lemmata.experiments.engine.ground import process_state
from lemmata.experiments.engine.ground.evidence import find_weakest
from lemmata.experiments.engine.ground.files import replace_file
from lemmata.experiments.engine.ground.grouping import group_by
from lemmata.experiments.engine.ground.profiles import TIMES
from lemmata.experiments.engine.ledger.headline import find_leading, headline
from lemmata.experiments.engine.ledger.row import Row, open_row
from lemmata.experiments.engine.ledger.verdict_steps import Findings, decide_row, limit_by_links
from lemmata.experiments.engine.running.cell import Cell, ControlRun, combine, fold
from lemmata.experiments.engine.running.schedule import Job, open_cells
from lemmata.experiments.engine.running.store import Store

if TYPE_CHECKING:
    import pandas as pd


def evaluate(
    claim: Claim, store: Store, root: int, job: Job | None = None
) -> tuple[Verdict | None, list[Cell], ControlRun, str]:
    """(verdict or None, cells, control, profile) of one claim from its stored chunks, or as a `job` has folded them."""
    code = job.code if job else fingerprint.hash_claim(claim)
    profile = store.profile(claim.key, code, root) or "quick"
    if job and job.profile == profile:
        return combine(job.cells), job.cells, job.control, profile

    def read(cell: Cell) -> Cell:
        if cell.verdict is not None:  # by arithmetic
            return cell
        fold(cell, store.read(claim.key, code, root, cell.where))
        if cell.verdict is None and (message := store.failure(claim.key, code, root, cell.where)):
            cell.verdict = inconclusive("FAILED", message)
        return cell

    cells = [read(cell) for cell in open_cells(claim, profile)]
    control = ControlRun(claim, TIMES[profile])
    while (cell := control.next_cell()) is not None:
        read(cell)
    return combine(cells), cells, control, profile


def claim_row(claim: Claim, store: Store, root: int, job: Job | None = None) -> tuple[Row, list[Cell]]:
    """The row of one claim, before what it rests on is looked at; the second value draws its figure."""
    verdict, cells, control, profile = evaluate(claim, store, root, job)
    left_out = [{"setting": cell.setting, "hypothesis": cell.left_out} for cell in cells if cell.left_out]
    row: Row = open_row(claim.theorem) | {
        "key": claim.key,
        "parent": claim.theorem.parent or (claim.theorem.id if claim.law else ""),
        "part": claim.part,
        "kind": "privacy" if claim.style == "attack" else claim.theorem.kind,
        "skipped": claim.skipped(profile) + left_out,
        "nonvacuous_from": claim.nonvacuous_from() if claim.nonvacuous_from else None,
        "root": root,
        "finding": claim.finding,
        "corrected_by": claim.corrected_by,
        "rests_on": list(claim.rests_on),
        "cites": list(claim.cites),
        "where": places.locate_claim(claim),
    }
    return decide_row(_with_effort(row, cells, control), Findings(claim, verdict, cells, control, store)), cells


def _guarded_row(claim: Claim, store: Store, root: int, job: Job | None) -> tuple[Row, list[Cell]]:
    """The row of a claim, of which a stranger's functions say a part here: FAILED if they change what rows share."""
    if library.paper(claim.key).house:
        return claim_row(claim, store, root, job)
    with process_state.guarding(f"{claim.key}: its claim") as changed:
        row, cells = claim_row(claim, store, root, job)
    if changed:
        note = f"its claim changed {', '.join(changed)}, which all rows share"
        row = row | {"verdict": INCONCLUSIVE, "reason": "FAILED", "note": note}
    return row, cells


def _with_effort(row: Row, cells: Sequence[Cell], control: ControlRun) -> Row:
    """The row with what its claim's cells and control came to, and what they cost."""
    listed = [cell for cell in cells if not cell.evaluations]
    verdicts = [cell.verdict.outcome for cell in listed if cell.verdict]
    computed = [*cells, *control.tried]
    return row | {
        "cells": len(listed),
        "cells_held": verdicts.count(HOLDS),
        "cells_vacuous": verdicts.count(VACUOUS),
        "smallest_caught": control.smallest_detected_factor,
        "control": control.outcome,
        "trials": sum(cell.trials for cell in cells),
        "seconds": round(sum(cell.seconds for cell in computed), 3),
        "cpu_seconds": round(sum(cell.cpu_seconds for cell in computed), 3),
    }


def settle_links(rows: Sequence[Row]) -> list[Row]:
    """The rows after the last step, each after those that it rests on."""
    by_key = {row["key"]: row for row in rows}
    settled: dict[str, Row] = {}

    def settle(row: Row, path: tuple[str, ...] = ()) -> Row:
        key = row["key"]
        if key not in settled and row["verdict"] in (HOLDS, SLIP):
            settled[key] = limit_by_links(row, CLAIMS.get(key), functools.partial(link_to, (*path, key)))
        return settled.get(key, row)

    def link_to(path: tuple[str, ...], key: str) -> Row | str:
        if key in path:  # a circle shows nothing, and would never end here
            return "part of a cycle"
        return settle(by_key[key], path) if key in by_key else "missing"

    return [settle(row) for row in rows]


def carry_controls(rows: Sequence[Row]) -> list[Row]:
    """The rows; a printed reading without a control of its own shows that of its corrected twin."""
    made = {row["key"]: row for row in rows}
    for key, row in made.items():
        twin = made.get(row["corrected_by"])
        if twin and not row["control"]:
            made[key] = row | {"control": twin["control"], "smallest_caught": twin["smallest_caught"]}
    return [made[row["key"]] for row in rows]


def add_summaries(rows: Sequence[Row]) -> list[Row]:
    """The rows, those of parts with a parent, and one more for every reading of a statement that has several parts."""
    inner = (row for row in rows if row["part"] and not row["part"].startswith("impl:") and not row["parent"])
    groups = group_by(inner, lambda row: (row["id"], row["reading"]))
    taken, made, parents = {row["key"] for row in rows}, list[Row](), dict[str, str]()
    for (id, reading), parts in groups.items():
        headed = f"{id}/{reading}" in taken  # a definition and its consequences: the definition is the head
        if len(parts) >= 2 or headed:
            parents |= {part["key"]: id for part in parts}
        if len(parts) >= 2 and not headed:
            made.append(_summary(f"{id}/{reading}", parts))
    return [row | {"parent": parents.get(row["key"], row["parent"])} for row in rows] + made


def _summary(key: str, parts: Sequence[Row]) -> Row:
    """The worst of the parts, with what they have together."""
    worst = find_leading(parts)
    true = worst["verdict"] in (HOLDS, SLIP)  # on all parts; else what one of them shows is enough
    scopes = {part["scope"] for part in parts}
    claimed = [part for part in parts if part["verdict"] != NOT_A_CLAIM]
    return worst | {
        "key": key,
        "part": "",
        "parent": "",
        "kind": "summary",
        "title": library.titles.get(worst["id"]) or f"{worst['label']}, {len(parts)} parts",
        "scope": "" if worst["verdict"] != HOLDS else "settings" if "settings" in scopes else worst["scope"],
        "cells": sum(part["cells"] for part in parts),
        "cells_held": sum(part["cells_held"] for part in parts),
        "cells_vacuous": sum(part["cells_vacuous"] for part in parts),
        "skipped": [setting for part in parts for setting in part["skipped"]],
        "control": REFUTED if all(part["control"] == REFUTED for part in claimed) else "",
        "trials": sum(part["trials"] for part in parts),
        "seconds": round(sum(part["seconds"] for part in parts), 3),
        "cpu_seconds": round(sum(part["cpu_seconds"] for part in parts), 3),
        "evidence": find_weakest([part["evidence"] for part in (parts if true else [worst])]),
        "rests_on": [part["key"] for part in parts],
        "cites": sorted({text for part in parts for text in part["cites"]}),
        "note": f"worst part: {worst['part']}. {worst['note']}".strip(),
    }


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
    pairs = [_guarded_row(claim, store, root, done.get(claim.key)) for claim in chosen]
    cells = {row["key"]: drawn for row, drawn in pairs}
    rows = [row for row, _ in pairs]
    statements = {claim.theorem.statement for claim in chosen}
    if asked is None:
        statements |= {id for paper in papers for id in paper.contents}
    rows += [
        _undecided_row(each, root)
        for each in list(THEOREMS.values())
        if each.key not in CLAIMS and each.statement in statements
    ]
    # Links come before controls are carried over, as a carried control has proved nothing about this row; summaries
    # come last, as they add up what the parts have come to.
    rows = add_summaries(carry_controls(settle_links(rows)))
    written = {library.statement_of(row["id"]) for row in rows}
    rows += [_undecided_row(_unwritten(id), root) for id in statements if id not in written]
    return [(row, cells.get(row["key"], [])) for row in add_headlines(sorted(rows, key=place_in_papers()))]


READINGS = {"printed": 0, "quoted": 1, "corrected": 2, "explicit": 3}  # the order of a statement's rows; rates follow


def place_in_papers() -> Callable[[Row], tuple[int, bool, str, int, bool, str]]:
    """The key of sorting: statements as the papers have them, each before its steps, and a whole before its parts."""
    order = {id: place for place, id in enumerate(library.ids)}

    def place(row: Row) -> tuple[int, bool, str, int, bool, str]:
        home = library.statement_of(row["id"])
        reading = READINGS.get(row["reading"], len(READINGS))
        return (order[home], home != row["id"], row["id"], reading, bool(row["part"]), row["part"])

    return place


def add_headlines(rows: Sequence[Row]) -> list[Row]:
    """The rows; a printed one at the head of its statement has a sentence about all rows of the statement."""
    by_id = group_by(rows, lambda row: row["id"])
    heads = {row["key"] for row in rows if row["reading"] == "printed" and not row["parent"]}
    return [row | {"headline": headline(by_id[row["id"]])} if row["key"] in heads else row for row in rows]


def _undecided_row(theorem: Theorem, root: int) -> Row:
    """The row of a record that no claim decides; a definition needs none."""
    row: Row = open_row(theorem) | {"root": root}
    return row | ({"verdict": NOT_A_CLAIM} if theorem.kind == "definition" else {"note": "no claim yet"})


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


def as_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The ledger as a table of scalars: nested fields as JSON."""
    import pandas as pd

    flat = [{k: json.dumps(jsonable(v)) if isinstance(v, dict | list) else v for k, v in row.items()} for row in rows]
    return pd.DataFrame(flat)


def write_record(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the rows as a table to publish, without what differs from run to run."""
    replace_file(path, as_frame(rows).drop(columns=["seconds", "cpu_seconds"]).to_csv(index=False))
