"""Where a verdict comes from: `STEPS`, applied from the top to the row of one claim.

Before the first step every cell, that is the claim at one setting, has a verdict of its own: what an exact check
returned, or what the e-values of its trials came to (`running.cell.Cell`). A step never makes a row stronger: it
leaves it as it is, weakens it, or names what a false statement lacks.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED, SLIP
from lemmata.experiments.engine.claims import copies, fingerprint
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.claims.stated_bound import find_unstated_bound
from lemmata.experiments.engine.claims.verdict import REASONS, Verdict
from lemmata.experiments.engine.ground.evidence import (
    EVIDENCE,
    MACHINE,
    PROSE,
    extract_derivation,
    find_missing_steps,
    find_weakest,
)
from lemmata.experiments.engine.ledger.row import Row, with_note
from lemmata.experiments.engine.ledger.sentences import orient_sides
from lemmata.experiments.engine.running.cell import Cell, ControlRun, find_refuted_cell
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs


@dataclass(frozen=True)
class Findings:
    """What a run found about one claim: all that its verdict depends on, but for the rows that it rests on."""

    claim: Claim
    verdict: Verdict | None  # of the cells together (`running.cell.combine`); None while one of them is undecided
    cells: Sequence[Cell]
    control: ControlRun
    store: Store  # where the answers of witness programs are


def _undecided(row: Row, reason: str, why: str, evidence: str = "") -> Row:
    """The row as INCONCLUSIVE, without what only a decided row has."""
    assert reason in REASONS, reason
    decided: Row = row | {"verdict": INCONCLUSIVE, "reason": reason, "evidence": evidence}
    return with_note(decided | {"scope": "", "tightness": None, "witness": None}, why)


def take_outcome(row: Row, found: Findings) -> Row:
    """The verdict of the cells together; OPEN where one is still undecided, or no setting is admissible."""
    claim, verdict = found.claim, found.verdict
    quoted = claim.theorem.quoted_by and f"quoted in this form by {claim.theorem.quoted_by}"
    if verdict is None:
        waiting = "not finished; run it again" if any(cell.folded for cell in found.cells) else "not run yet"
        return with_note(row, quoted, claim.note, waiting if found.cells else "no admissible setting")
    ends = verdict.tightness and [x if math.isfinite(x) else None for x in map(float, verdict.tightness)]
    decided: Row = row | {
        "verdict": verdict.outcome,
        "reason": verdict.reason,
        "scope": verdict.scope if verdict.outcome == HOLDS else "",
        "evidence": verdict.evidence,
        "tightness": ends,
        "witness": orient_sides(claim.key, verdict.witness),
        "searched": verdict.searched,
    }
    return with_note(decided, quoted, claim.note, verdict.note)


def limit_by_oracle(row: Row, found: Findings) -> Row:
    """A left side that is computed from below cannot show that a row holds, one from above cannot refute it."""
    if found.claim.oracle == "below" and row["verdict"] == HOLDS:
        return _undecided(row, "ONE_SIDED_ORACLE", "its left side is only a lower bound of the true value")
    if found.claim.oracle == "above" and row["verdict"] == REFUTED:
        return _undecided(row, "ONE_SIDED_ORACLE", "its left side is only an upper bound of the true value")
    return row


def limit_by_evidence(row: Row, found: Findings) -> Row:
    """A row that holds by a derivation, or everywhere, has to name its steps; otherwise it holds where it was tried.

    Cases that a shared check has compared exactly need no derivation. A verdict that a check writes itself is
    machine-checked if the certifier is among what it calls; otherwise it rests on the steps that it names.
    """
    claim, evidence = found.claim, row["evidence"]
    if row["verdict"] != HOLDS or (claim.by is not None and evidence in MACHINE):
        return row
    by_hand = evidence == "certificate" or (evidence == "enumeration" and row["scope"] != "settings")
    if by_hand and not fingerprint.reaches_certifier(claim):
        evidence = "derivation"
        row = row | {"evidence": evidence}
    if find_missing_steps(evidence, row["scope"], claim.theorem, claim.given or claim.steps):
        return row | {"evidence": find_weakest((evidence, "tested")), "scope": "settings"}
    if evidence == "derivation" and not fingerprint.runs_steps(claim):
        row = row | {"evidence": "asserted"}
    if evidence in PROSE and not claim.given:  # the table alone has to show what the row stands on
        return with_note(row, extract_derivation(claim.theorem.formula))
    return row


def require_calls(row: Row, found: Findings) -> Row:
    """A row that a claim is given has to be called by its check or a step; otherwise nothing shows that it is used.

    The papers of this package have older claims, which a test counts.
    """
    uncalled = [] if library.paper(found.claim.key).house else fingerprint.find_uncalled_rows(found.claim)
    if row["verdict"] != HOLDS or not uncalled:
        return row
    return _undecided(row, "FAILED", f"neither its check nor a step calls {', '.join(uncalled)}, which it is given")


def detect_copies(row: Row, found: Findings) -> Row:
    """A check that computes again what its statement computes is a composition, whatever it says of itself."""
    same, different = found.verdict.copied if found.verdict else (0, 0)
    if row["verdict"] != HOLDS or different:
        return row
    if same >= copies.ENOUGH:
        said = f"its sides agree to the last bit at all {same} numbers"
    elif copies.repeats_statement(found.claim):
        said = "its left side repeats the formula of the statement"
    else:
        return row
    is_weaker = EVIDENCE.index(row["evidence"]) < EVIDENCE.index("tested")  # as prose is of which no step was checked
    return with_note(row if is_weaker else row | {"evidence": "composition"}, said)


def separate_shares(row: Row, found: Findings) -> Row:
    """What the truth attains of a bound, and what our own chain does: the left side of a check is one or the other.

    It is our chain where it is computed from other statements, from the same formula, or from above.
    """
    verdict, claim = found.verdict, found.claim
    if row["verdict"] != HOLDS or verdict is None:
        return row
    case, link = ({"by": "cases"} | each if (each := verdict.shares.get(n)) else {} for n in ("case", "link"))
    if row["searched"].get("largest", 0.0) > case.get("share", 0.0):
        case = {"by": "search", "share": row["searched"]["largest"], "at": row["searched"]["at"]}
    if row["evidence"] == "sampled" and row["tightness"]:
        cell = max(found.cells, key=lambda one: ((one.verdict and one.verdict.tightness) or (0.0,))[0])
        case = {"by": "trials", "share": row["tightness"][0], "at": cell.setting}
    row = row | {"basis": verdict.shares.get("basis", "99.9 % confidence" if case.get("by") == "trials" else "")}
    if not verdict.shares.get("case") and row["evidence"] != "sampled":  # an identity, or a check of another kind
        return row
    chained = row["evidence"] == "composition" or claim.oracle == "above" or fingerprint.calls_other_statements(claim)
    return row | {"attained": {} if chained else case, "slack": case if chained else link}


def require_control(row: Row, found: Findings) -> Row:
    """A row holds, or survives an attack, only if the same check refutes a sabotaged copy and reads the statement.

    A number that a claim on trials decides has to be one that the statement prints.
    """
    survived = row["reason"] == "AUDIT_ONLY"
    if row["verdict"] != HOLDS and not survived:
        return row
    if why := _control_failure(found.claim, found.control):
        return _undecided(row, "CONTROL_FAILED", why, row["evidence"])
    return with_note(row, f"would have detected: {found.control.smallest_detected_factor}") if survived else row


def _control_failure(claim: Claim, control: ControlRun) -> str:
    """Why it is unknown whether the check of a claim can fail, or ""."""
    if claim.control is None:
        return "it needs a control, control=Control(...): a deliberately broken copy that its check refutes"
    if control.outcome != REFUTED:
        last = control.tried[-1].verdict if control.tried else None
        why = f" ({last.note})" if last and last.note else ""
        return f"its control must be REFUTED, got {control.outcome or 'no run'}{why}"
    if not claim.law and not fingerprint.calls_statement(claim):
        return f"its check must call {claim.theorem.formula.__name__}; now it would hold whatever the statement says"
    return find_unstated_bound(claim)


def require_program(row: Row, found: Findings) -> Row:
    """A row is refuted only once a program that calls its statement has shown it in a process of its own.

    An attack on an implementation of ours needs no program: it is not about what a paper says.
    """
    if row["verdict"] != REFUTED or found.claim.law:
        return row
    python = str((row["witness"] or {}).get("python") or "").strip()
    said = programs.NOT_RUN if python else programs.NO_PROGRAM
    if python and (cell := find_refuted_cell(found.cells)):
        answer = found.store.answer(found.claim.key, programs.digest_program(found.claim, python, cell.where[0]))
        said = said if answer is None else answer
    if not said:
        return row
    return with_note(row | {"verdict": INCONCLUSIVE, "reason": "UNCONFIRMED"}, f"its check refutes it, but {said}")


def apply_charity(row: Row, found: Findings) -> Row:
    """A printed statement that lacks one restriction or has one wrong symbol is a slip; other refuted ones are severe.

    Where it is not known whether the restriction is enough, the row is undecided.
    """
    claim = found.claim
    if row["verdict"] != REFUTED or claim.theorem.reading != "printed":
        return row
    corner = claim.corner.range if claim.corner else ""
    if claim.undecided:
        return row | {"verdict": INCONCLUSIVE, "reason": "CORNER", "corner": corner, "undecided": claim.undecided}
    if not claim.is_slip:
        return row | {"severity": claim.severity}
    places: Row = row | {"used": list(claim.used), "restated": list(claim.restated)}
    return places | {"verdict": SLIP, "corner": corner, "misprint": claim.misprint}


def limit_by_links(row: Row, claim: Claim | None, link_to: Callable[[str], Row | str]) -> Row:
    """A row holds only if the rows that it rests on hold: never on a wider scope, better evidence or fewer citations.

    `link_to` gives the row of a key, itself limited by its own links before, or says in words why there is none. The
    first link that does not hold decides.
    """
    slip = row["verdict"] == SLIP
    for key in row["rests_on"]:
        link = link_to(key)
        if isinstance(link, str) or link["verdict"] != HOLDS:
            return _without_link(row, claim, key, link if isinstance(link, str) else link["verdict"])
        if link["scope"] == "settings" and (row["scope"] or (slip and key == row["corrected_by"])):
            row = row | {"scope": "settings"}  # of a slip: where it is true, it was only tried
        cites = sorted({*row["cites"], *link["cites"]})
        row = row | {"evidence": find_weakest((row["evidence"], link["evidence"])), "cites": cites}
    return row


def _without_link(row: Row, claim: Claim | None, key: str, state: str) -> Row:
    """A row whose link does not hold: it is undecided.

    A slip is refuted where the row that was to hold in its corner is refuted; where that one is undecided, the slip is
    false outside its corner and undecided inside.
    """
    why = f"depends on {key}, which is {state}"
    if row["verdict"] != SLIP or claim is None:
        return row | {"verdict": INCONCLUSIVE, "reason": "UNSUPPORTED", "scope": "", "note": why}
    false: Row = row | {"used": [], "restated": [], "misprint": "", "scope": "", "rests_on": list(claim.given)}
    if state == REFUTED or not claim.corner:
        return false | {"verdict": REFUTED, "severity": claim.severity, "corner": ""}
    return false | {"verdict": INCONCLUSIVE, "reason": "CORNER", "undecided": why}


class Step(NamedTuple):
    """One line of the table: which evidence is looked at, by which function, and why."""

    evidence: str
    apply: Callable[..., Row]
    why: str


STEPS = (
    Step("outcome", take_outcome, "one refuted cell refutes a claim; it holds only if every other cell holds"),
    Step("oracle", limit_by_oracle, "a left side computed from below cannot show HOLDS, one from above cannot refute"),
    Step("evidence", limit_by_evidence, "a derivation, or a scope beyond what was tried, has to name its steps"),
    Step("calls", require_calls, "a row that is given and that nothing calls is no step"),
    Step("copies", detect_copies, "a check whose sides are one formula has shown nothing of its own"),
    Step("shares", separate_shares, "what the truth attains of a bound is one number, the slack of our proof another"),
    Step("control", require_control, "a check that has not refuted a sabotaged copy proves nothing"),
    Step("program", require_program, "a counterexample counts once a separate process has confirmed it"),
    Step("charity", apply_charity, "a statement that lacks one restriction or has one wrong symbol is a slip"),
    Step("links", limit_by_links, "a row is true only as far as the rows it rests on, each after all these steps"),
)


def decide_row(row: Row, found: Findings) -> Row:
    """The row after all steps but the last, which needs the rows of other claims (`ledger_rows.settle_links`)."""
    for step in STEPS[:-1]:
        row = step.apply(row, found)
    return row
