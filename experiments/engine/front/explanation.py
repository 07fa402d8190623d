"""`lemmata explain ID`: one statement in the terminal, the answer first.

Ten lines say whether it is true, where, what to cite instead, with its witness and evidence. Then comes every reading
and step in the paper's order: formula, hypotheses, derivation, verdict, control, witness. Its dependencies come last.
"""

import inspect
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence

from lemmata.bounds.library import library
from lemmata.bounds.statement.formula import in_symbols, in_unicode
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, REFUTED, SLIP
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims.places import locate_statement
from lemmata.experiments.engine.ground.evidence import strip_derivation
from lemmata.experiments.engine.ledger import graph
from lemmata.experiments.engine.ledger.headline import (
    FALLEN,
    describe_charity,
    describe_truth_as_printed,
    find_leading,
    headline,
    part_in_words,
)
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.ledger.sentences import (
    describe_place,
    describe_search,
    describe_share,
    describe_witness,
    format_value,
    name_hypotheses,
)

WIDTH = 110
LABELLED = re.compile(r"[a-z]+\??  +|  [a-z ]{16} |    \| |(?=[A-Z].* of [^=(]+ \d{4}: )")  # how a line of ours begins
REASONS = {
    "BUDGET": "the budget of trials, or of the certificate, ran out",
    "TIGHT": "the true value is too close to the bound for sampling to decide",
    "AUDIT_ONLY": "attacked and not refuted; an attack can refute privacy, never prove it",
    "NO_POWER": "the attack has no power to detect any leak",
    "CONTROL_FAILED": "the check did not refute a deliberately broken copy, so it proves nothing",
    "UNCONFIRMED": "no stand-alone program that calls the statement shows the counterexample",
    "UNSUPPORTED": "it depends on a row that does not hold",
    "NO_PROOF": "neither a proof nor a counterexample is known",
    "CORNER": "false in an edge case, undecided elsewhere",
    "NO_CONSTANT": "open: no constant in its O(·) is known to work, and none is excluded",
    "ASYMPTOTIC": "only an asymptotic argument is known",
    "FAILED": "a step of our own derivation failed, or the check did not finish",
    "ONE_SIDED_ORACLE": "the check computes a one-sided estimate, and this side does not decide",
}
FIELDS = {  # of a row, in words
    "scope": "scope",
    "evidence": "evidence",
    "corrected_by": "corrected by",
    "searched": "searched",
    "attained": "truth over bound",
    "slack": "chain over bound",
    "tightness": "stated share",
    "nonvacuous_from": "nonvacuous from",
    "smallest_caught": "control fails at",
    "trials": "trials",
}
EVIDENCE = {
    "certificate": "machine-checked by ball arithmetic over the stated domain",
    "enumeration": "machine-checked by enumeration",
    "derivation": "a proof of which a program runs steps; it found no counterexample",
    "composition": "the check only computes again what the statement computes",
    "asserted": "asserted by the author of this row; no step was checked",
    "tested": "computed at the settings tried",
    "sampled": "tested at the settings tried, with odds of at least a million to one",
    "": "",
}


def explain_statement(id: str, rows: Sequence[Row], links: graph.Graph) -> str:
    """The whole text for the statement or step `id`, from ledger rows that include its own, and the dependencies."""
    mine = [row for row in rows if id in (row["id"], row["parent"])]
    lines = explain_in_short(id, mine)
    for row in mine:
        if row["kind"] != "summary":
            lines += ["", *explain_row(row)]
    return "\n".join(
        [*lines, "", *describe_literature(mine), *describe_links(mine, rows), "", *describe_dependents(mine, links)]
    )


def fit_lines(text: str, width: int) -> str:
    """Wrap long lines below their value. Lines of a program stay whole, so that they can be pasted."""
    lines = []
    for line in text.splitlines():
        label = LABELLED.match(line)
        if label and len(line) > width:
            below = "    | " if line.startswith("    |") else " " * label.end()
            line = textwrap.fill(line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
        lines.append(line)
    return "\n".join(lines)


def explain_in_short(id: str, rows: list[Row]) -> list[str]:
    """Ten lines: whether it is true, where, what to cite instead, witness, evidence, control, parts and code."""
    own = [row for row in rows if row["id"] == id]
    main = next((r for r in own if r["reading"] == "printed" and not r["part"]), own[0] if own else None)
    if main is None:
        return [f"{library.label(id)} of {library.work(id).cited}", "OPEN: it has no claim yet."]
    shown = select_shown(id, rows)
    printed = any(row["reading"] == "printed" for row in shown)
    first = find_leading(shown)
    theorem = THEOREMS.get(first["key"])
    where = locate_statement(id)
    true = [row["part"] for row in shown if row["part"] and row["verdict"] == HOLDS]
    return [
        f"{describe_origin(id, ours=not printed)}: {in_symbols(library.titles.get(id) or main['title'])}",
        f"true?      {headline(shown)}.",
        f"where      {describe_scope(first)}",
        f"{'printed' if printed else 'ours':10} {in_unicode(theorem.says) if theorem else '–'}",
        f"cite       {describe_citation(first, find_citable(first, rows), true)}",
        f"witness    {describe_counterexample(first, shown)}",
        f"evidence   {describe_evidence(first)}",
        f"control    {describe_control(main)}",
        f"parts      {', '.join(list_verdicts(own))}",
        "code       " + ("; ".join(f"{kind} {place}" for kind, place in where.items()) or "–"),
    ]


def select_shown(id: str, rows: Sequence[Row]) -> list[Row]:
    """The rows that say what a statement says: of its printed reading if it has one, without our code's own rows."""
    own = [r for r in rows if r["id"] == id and r["kind"] != "summary" and not r["part"].startswith("impl:")]
    return [r for r in own if r["reading"] == "printed"] or own


def select_cited(id: str, rows: Sequence[Row]) -> list[Row]:
    """The row that heads a statement, the one to cite instead, and the one with all constants, where there are such."""
    first = find_leading(select_shown(id, rows))
    instead = find_citable(first, rows)
    part = (instead or first)["part"]
    held = [row for row in rows if row["verdict"] == HOLDS and row["kind"] != "summary"]  # a summary has no formula
    own = [row for row in held if row["id"] == id and row["reading"] == "explicit"]
    constants = next((row for row in own if row["part"] == part and row["scope"] not in ("settings", "")), None)
    return list({row["key"]: row for row in (first, instead, constants) if row}.values())


def write_latex(rows: Iterable[Row]) -> list[str]:
    """Each row as a displayed formula, below its key, verdict and hypotheses."""
    lines = []
    for row in rows:
        record = THEOREMS[row["key"]]
        lines += [f"% {row['key']}: {row['verdict']}", *(f"% needs {needed}" for needed in name_hypotheses(record))]
        lines.append(rf"\[ {record.says} \]")
    return lines


def write_review(id: str, rows: Sequence[Row], width: int) -> str:
    """A paragraph for a referee: whether a statement is true, what is wrong, and what is true instead."""
    first, *instead = select_cited(id, rows)
    said = [f"{describe_origin(id, ours=first['reading'] != 'printed')}: {headline([first])}", describe_charity(first)]
    said += [f"Counterexample: {describe_witness(first)}" if first["witness"] else ""]
    said += [f"Evidence: {describe_evidence(first)}" if first["verdict"] == HOLDS else ""]
    for row in instead:
        true = "True instead is" if row["key"] == first["corrected_by"] else "With all constants:"
        from_n = f", nonvacuous from n = {row['nonvacuous_from']:,} at the latest" if row["nonvacuous_from"] else ""
        said.append(f"{true} {row['key']}{from_n}: {in_unicode(THEOREMS[row['key']].says)}")
    said = [text.rstrip(".") + "." for text in said if text]
    return textwrap.fill(in_symbols(" ".join(said)), width, break_long_words=False, break_on_hyphens=False)


def describe_origin(id: str, *, ours: bool) -> str:
    """Whose statement it is: the paper's, a step of its proof, or one of ours that it does not print."""
    statement = library.statement_of(id)
    step, label, cited = id.removeprefix(statement).strip("."), library.label(id), library.work(id).cited
    if ours:
        return f"{label}, our step {step} towards {cited}" if step else f"{label}, our own statement next to {cited}"
    return f"{label}, step {step} of the proof of {cited}" if step else f"{label} of {cited}"


def find_citable(row: Row, rows: Iterable[Row]) -> Row | None:
    """The row to cite for one that does not hold: its correction, or what holds explicitly, of the same part if any.

    A row that held only where it was tried is not to be cited.
    """
    if row["verdict"] in (HOLDS, NOT_A_CLAIM):
        return None
    true = [r for r in rows if r["verdict"] == HOLDS and r["scope"] not in ("settings", "") and r["kind"] != "summary"]
    corrected = [r for r in true if r["key"] == row["corrected_by"]]
    explicit = [r for r in true if r["id"] == row["id"] and r["reading"] == "explicit"]
    same = [r for r in explicit if r["part"] == row["part"]]
    return next(iter([*corrected, *same, *explicit]), None)


def describe_scope(row: Row) -> str:
    """The scope of a row that holds, the case where a slip is true, or the setting of the counterexample."""
    if said := describe_charity(row):
        return in_symbols(said)
    if row["verdict"] == REFUTED:
        return in_symbols(f"false at {describe_place(row) or 'its only setting'}")
    if row["verdict"] == INCONCLUSIVE:
        return f"undecided: {REASONS.get(row['reason'], row['reason'])}"
    return row["scope"] or "–"


def describe_counterexample(first: Row, printed: Iterable[Row]) -> str:
    """The counterexample to the row that heads a statement, otherwise to another part, which is named."""
    row = next((r for r in (first, *printed) if r["witness"]), None)
    if row is None:
        return "none: no part was refuted"
    named = f"{part_in_words(row['part'])}: " if row is not first and row["part"] else ""
    return in_symbols(f"{named}{describe_witness(row)}")


def list_verdicts(own: Iterable[Row], most: int = 12) -> list[str]:
    """The verdicts of the first readings and parts, and how many more there are."""
    shown = [f"{r['reading']}{'/' * bool(r['part'])}{r['part']} {r['verdict']}" for r in own]
    return shown if len(shown) <= most else [*shown[: most - 1], f"and {len(shown) - most + 1} more below"]


def describe_citation(row: Row, instead: Row | None, true: Collection[str]) -> str:
    """What to cite: the statement itself, or its `true` parts, and of the rest what holds `instead`."""
    if row["verdict"] == HOLDS:
        return "the statement as printed" if row["reading"] == "printed" else row["key"]
    if row["verdict"] == NOT_A_CLAIM:
        return "it claims nothing that could be proved"
    parts = f"{', '.join(map(part_in_words, true))}: as printed; the rest: " if true else ""
    if instead is None:
        false = row["verdict"] in (REFUTED, SLIP)
        none = "no corrected reading is known" if false else "no version of this statement is proved yet"
        tried = f"; {row['corrected_by']} held only where we tried it" if row["corrected_by"] else ""
        return parts + none + tried
    if row["verdict"] == INCONCLUSIVE and (where := describe_truth_as_printed(row)):
        parts += f"{where.removeprefix('True ').removesuffix(' Otherwise open.').rstrip('.')}; otherwise: "
    record = THEOREMS.get(instead["key"])
    return f"{parts}{instead['key']} ({instead['verdict']}): {in_unicode(record.says) if record else ''}"


def describe_evidence(row: Row) -> str:
    """The evidence of a row in words, with the results that it cites without a proof."""
    if row["verdict"] == HOLDS and graph.class_of(row) == "tested" and row["evidence"] != "sampled":
        return EVIDENCE["tested"]
    if row["verdict"] != HOLDS:
        fell = row["verdict"] in (REFUTED, SLIP) or row["reason"] == "CORNER"
        if fell and row["evidence"] == "sampled":
            return "random trials with failures that a true statement shows with probability at most 1e-10"
        return "a counterexample, computed by a stand-alone program" if fell else "–"
    cited = f"; up to the results it cites: {'; '.join(row['cites'])}" if row["cites"] else ""
    return (EVIDENCE[row["evidence"]] or "–") + cited


def describe_tightness(row: Row) -> str:
    """The tightness of a row with what it is taken from: `0.84 (largest of the cases)`."""
    if not row["tightness"]:
        return ""
    low, high = row["tightness"]
    ends = f"≥ {low:.3g}" if high is None else f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
    return f"{ends} ({row['basis']})" if row["basis"] else ends


def describe_control(row: Row) -> str:
    """The control of a row in words: how we know that the check can fail."""
    if row["smallest_caught"]:
        return f"the check fails, as it should, with {in_symbols(row['smallest_caught'])}"
    return f"came out {row['control']}" if row["control"] else "–"


def explain_row(row: Row) -> list[str]:
    """Everything about one row."""
    theorem = THEOREMS.get(row["key"]) or THEOREMS.get(row["key"].rpartition("/impl:")[0])
    verdict = f"{row['verdict']} ({row['reason']})" if row["reason"] else row["verdict"]
    kind = (
        graph.CLASSES[graph.class_of(row)] if row["verdict"] == HOLDS else row["severity"] and FALLEN[row["severity"]]
    )
    kind = REASONS.get(row["reason"], kind) if row["verdict"] == INCONCLUSIVE else kind
    lines = [f"{row['key']}   {verdict}" + (f", {kind}" if kind else "")]
    if theorem:
        lines += wrap_paragraph("formula", in_unicode(theorem.says))
        lines += wrap_paragraph("needs", "; ".join(name_hypotheses(theorem)))
        lines.append(textwrap.indent(in_symbols(inspect.getdoc(theorem.formula) or ""), "    | "))
    lines += wrap_paragraph("where true", in_symbols(describe_charity(row)))
    shown = {**row, "evidence": describe_evidence(row).strip("–"), "searched": describe_search(row)}
    shown |= {name: describe_share(row, name) for name in ("attained", "slack")}
    shown["tightness"] = describe_tightness(row)
    for field, words in FIELDS.items():
        said = shown[field]
        lines += wrap_paragraph(words, format_value(said) if said else "")
    note = strip_derivation(row["note"], theorem.formula) if theorem else row["note"]
    lines += wrap_paragraph("note", in_symbols(note))
    witness = row["witness"] or {}
    lines += wrap_paragraph("counterexample", in_symbols(describe_witness(row)) if witness else "")
    for field in ("family", "a", "b", "event", "output", "object"):
        lines += wrap_paragraph(field, format_value(witness[field]) if witness.get(field) else "")
    python = witness.get("python", "")
    return [*lines, *(["", python.strip(), ""] if python else [])]  # no indent, no prompt: it can be pasted


def wrap_paragraph(name: str, text: str) -> list[str]:
    """A labelled paragraph; none for an empty text."""
    if not text:
        return []
    start = f"  {name:16} "
    return textwrap.fill(str(text), WIDTH, initial_indent=start, subsequent_indent=" " * len(start)).splitlines()


def describe_literature(rows: list[Row]) -> list[str]:
    """What else is known of the statement."""
    entries = [f"{e['reference']} ({e['relation']}): {e['says']}" for e in (rows[0]["literature"] if rows else [])]
    return [line for entry in entries for line in wrap_paragraph("elsewhere", entry)] + [""] * bool(entries)


def describe_links(mine: list[Row], rows: Sequence[Row]) -> list[str]:
    """The rows that these depend on, with verdict and class; cited results; further dependencies by statement."""
    by_key = {row["key"]: row for row in rows}
    own = {row["key"] for row in mine}
    whole = {row["key"]: row["rests_on"] for row in rows if row["kind"] != "summary"}
    direct = dict.fromkeys(link for key in own for link in whole.get(key, ()) if link not in own)
    further = [link for link in graph.find_reachable(own, whole) if link not in direct and link not in own]
    lines = [f"  {link}   {describe_standing(by_key.get(link))}" for link in sorted(direct)]
    lines += [
        f"  {text}   cited, not proved here" for text in dict.fromkeys(text for row in mine for text in row["cites"])
    ]
    if further:
        lines += wrap_paragraph("and through these", group_keys(further))
    return ["depends on", *lines] if lines else ["depends on no other row"]


def describe_standing(row: Row | None) -> str:
    """`HOLDS, derived`."""
    if row is None:
        return "not in this ledger"
    return ", ".join([row["verdict"], *([graph.CLASSES[graph.class_of(row)]] if row["verdict"] == HOLDS else [])])


def describe_dependents(mine: list[Row], links: graph.Graph) -> list[str]:
    """Every row that depends on these, directly or indirectly, by statement."""
    own = {row["key"] for row in mine}
    cone = [key for key in graph.find_reachable(own, graph.reverse_graph(links)) if key not in own]
    return wrap_paragraph("dependents", group_keys(cone)) if cone else ["no other row depends on it"]


def group_keys(keys: Iterable[str]) -> str:
    """Keys by statement: `wzw25 Lemma 6.4 (3 rows), wzw25 Theorem K.3`."""
    groups = graph.group_by_statement(keys)
    return ", ".join(name + (f" ({len(keys)} rows)" if len(keys) > 1 else "") for name, keys in groups.items())


def format_rows(rows: Iterable[Row], width: int = 160) -> str:
    """Rows as aligned text, a line each, cut at `width` columns."""
    lines = []
    for row in rows:
        shares = {"attained": row["attained"], "chain": row["slack"]}
        reach = ", ".join(f"{name} {each['share']:.3g}" for name, each in shares.items() if each)
        verdict = f"{row['verdict']} ({row['reason']})" if row["reason"] else row["verdict"]
        control = row["control"] and f"control {row['control']}"
        lines.append((row["key"], verdict, row["scope"] or row["evidence"], reach, control, row["note"]))
    widths = [max((len(line[i]) for line in lines), default=0) for i in range(5)]
    texts = (
        "  ".join(c[:w].ljust(w) for c, w in zip(line, [*[min(w, 44) for w in widths], 999], strict=True))
        for line in lines
    )
    return "\n".join(text.rstrip() if len(text.rstrip()) <= width else text[: width - 1] + "…" for text in texts)
