"""The errata of a paper: its list, its page, a letter to its authors, and what they replied."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lemmata.bounds.catalogue.paper_file import read_errata
from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, OPEN, REFUTED, SLIP
from lemmata.experiments.engine.ledger.ledger_rows import jsonable
from lemmata.experiments.engine.ledger.sentences import grows
from lemmata.experiments.report import citations, words
from lemmata.experiments.report.formulas import break_lines, mark_differences
from lemmata.experiments.report.replies import read_replies
from lemmata.experiments.report.summary import is_main, select_slips

BAD = (REFUTED, SLIP)  # what a page shows first
SEVERITY_WORDS = {
    "privacy": "Privacy errors: an implementation of the sentence that is quoted leaks more than it claims",
    "statement": "False as printed, by more than a constant",
    "factor": "A factor is missing that grows: no constant repairs it",
    "constant": "Wrong constants and factors: true once they are replaced as shown",
}
CLASS_WORDS = {  # behind a number of statements
    "machine-checked": "hold by a machine-checked proof",
    "derived": "hold by a derivation",
    "composed": "hold by a derivation whose check repeats the formula",
    "citing": "hold up to a result of others",
    "tested": "held wherever we tried them",
    "asserted": "hold by a derivation of ours in words, no step of which a program checked",
    "refuted": "are false as printed",
    "constant": "have a wrong constant",
    "slip": "are true but for an edge case or a misprint",
    "vacuous": "are vacuous at the sizes that we tried",
    "inconclusive": "are undecided",
    "not-a-claim": "claim nothing",
    "open": "are not decided yet",
}
IN_STATEMENTS = "In statements"
IN_PROOFS = (
    "In proofs and remarks (a wrong step does not refute its statement; the numbers s1, s2, … of steps are ours)"
)
SINGULAR = {"hold": "holds", "held": "held", "are": "is", "have": "has", "say": "says", "claim": "claims"}


def count_in_words(counts: Mapping[str, int]) -> list[str]:
    """What a letter says of counts of classes: `22 hold by a derivation`, `1 has a wrong constant`."""
    said = []
    for name, n in counts.items():
        verb, _, rest = CLASS_WORDS[name].partition(" ")
        said.append(f"{n} {SINGULAR[verb] if n == 1 else verb} {rest}")
    return said


def describe_main(statement: Mapping[str, Any]) -> str:
    """What a letter says of a main result: whether it holds, which parts do as printed, and whether it is mended."""
    said, pairs = statement["headline"], statement["pairs"]
    if statement["class"] in ("slip", "inconclusive"):
        said = f"{said}. {statement['sub'].removesuffix(' We list no use of it.')}"
        return said.replace(". A misprint:", ":").rstrip()
    if statement["class"] == "asserted":  # its headline says only that it was tried
        said = f"{statement['label']} {count_in_words({'asserted': 1})[0].removeprefix('1 ')}"
        ours = [row["called"] or "statement" for row, _ in pairs if row["reconstructed"]]
        return f"{said}; its {' and '.join(ours)} as we read or reconstruct it." if ours else f"{said}."
    if statement["class"] not in ("refuted", "constant"):
        return f"{said}."
    held = [f"“{row['called']}”" for row, _ in pairs if row["verdict"] == HOLDS and row["called"]]
    false = [(row, others) for row, others in pairs if row["verdict"] in BAD]
    if held:
        said += f". As printed, the part{'s' * (len(held) > 1)} {' and '.join(held)} hold{'s' * (len(held) == 1)}"
    right = [[other for other in others if other["key"] == row["corrected_by"]] for row, others in false]
    if all(row["corrected_by"] for row, _ in false) and all(
        other["verdict"] == HOLDS for each in right for other in each
    ):
        said += f". Corrected as shown below, {'the rest' if held else 'it'} holds"
    return f"{said}."


def add_comparison(row: dict, others: list[dict]) -> tuple[dict, list[dict]]:
    """A printed row and its other readings; where one corrects it, what differs is marked in both formulas."""
    right = next((other for other in others if other["key"] == row["corrected_by"]), None)
    if row["verdict"] not in BAD or right is None or not (row["latex"] and right["latex"]):
        return row, others
    printed, corrected = map(break_lines, mark_differences(row["latex"], right["latex"]))
    return row | {"formula": printed}, [o | {"formula": corrected} if o is right else o for o in others]


def add_correction(row: dict, by_key: Mapping[str, dict]) -> dict:
    """A false row as its authors need it: words quoted at its place, what to read instead, and the smallest edit."""
    paper = library.papers[row["paper"]]
    row, instead = add_comparison(row, [by_key[row["corrected_by"]]] if row["corrected_by"] in by_key else [])
    hypothesis = f"add the hypothesis: {row['corner']}" if row["corner"] else ""
    number = row["erratum"] if row["status"] != "withdrawn" else ""
    edit = paper.edits.get(row["key"], row["misprint"] or hypothesis)
    _, _, uses = row["charity"].removesuffix(" We list no use of it.").partition(f"{row['corner']}.")
    heading = "Read instead" if instead and instead[0]["id"] == row["id"] else "A related statement that holds"
    return row | {
        "permanent": citations.make_permanent_name(row, number),
        "finding": words.shorten_finding(row),
        "quote": paper.quotes.get(row["key"], ""),
        "edit": words.capitalize(words.write_prose(edit)),
        "instead_row": instead[0] if instead else None,
        "instead_heading": "What we can show" if row["corner"] else heading,
        "uses": uses,
    }


def number_errata(papers: Sequence[Paper]) -> dict[str, tuple[str, str]]:
    """{key: (number, status)} of every erratum, from the list beside each `paper.toml`: no number is given twice."""
    lines = [line for paper in papers for line in read_errata(paper.folder)]
    return {line["key"]: (line["number"], line["status"]) for line in lines}


def annotate(rows: list[dict], papers: Sequence[Paper]) -> dict[str, list[dict]]:
    """Give each row its erratum's number ("" without one), its permanent id and what authors replied about it.

    Returns {row key or statement id: replies}.
    """
    known, said = number_errata(papers), dict[str, list[dict]]()
    for paper in papers:
        own = {row["key"] for row in rows if row["paper"] == paper.id}
        said |= read_replies(paper, {known[key][0]: key for key in own & known.keys()}, own | set(paper.contents))
    for row in rows:
        row["erratum"], row["status"] = known.get(row["key"], ("", "found"))
        if row["erratum"]:  # found by E20, wzw25:E20 and the permanent id
            row["searched"] += f" {citations.make_permanent_name(row, row['erratum']).lower()}"
        row["replies"] = said.get(row["key"], [])
        row["bibtex"] = citations.cite_verdict(row, row["erratum"])
    return said


def collect_errata(rows: list[dict], papers: Sequence[Paper]) -> dict[str, list[dict]]:
    """{paper: its errata}, worst first: the printed rows that are refuted, parts and steps included.

    An erratum that follows from another one has that one's key as `cause`, and stands below it as one of its
    `consequences`.
    """
    by_key = {row["key"]: row for row in rows}
    found: dict[str, list[dict]] = {paper.id: [] for paper in papers}
    for row in rows:
        wrong = row["verdict"] == REFUTED and row["reading"] == "printed" and row["kind"] != "summary"
        if wrong and row["severity"] and row["paper"] in found:
            unlike = "equal up to a constant" in str((row["witness"] or {}).get("claimed"))  # two orders that are not
            group = "factor" if row["severity"] == "constant" and (unlike or grows(row)) else row["severity"]
            line = {"erratum": row["erratum"] or "new", "group": group}
            found[row["paper"]].append(add_correction(row | line, by_key))
    for paper in papers:
        errata = found[paper.id]
        errata.sort(key=lambda row: list(SEVERITY_WORDS).index(row["group"]))
        keys = {row["key"] for row in errata}
        causes = {key: cause for key, cause in paper.causes.items() if {key, f"{paper.id}.{cause}"} <= keys}
        for row in errata:
            row["cause"] = f"{paper.id}.{causes[row['key']]}" if row["key"] in causes else ""
        for row in errata:
            row["consequences"] = [other for other in errata if other["cause"] == row["key"]]
    return found


def shorten(errata: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[str, str, str, str]]]:
    """{heading: [(places, what is wrong there, severity, what else it makes false)]} for the first page of a letter."""
    found: dict[str, dict[tuple[str, str], tuple[list[str], list[str]]]] = {IN_STATEMENTS: {}, IN_PROOFS: {}}
    for row in errata:
        if not row["cause"]:
            heading = IN_PROOFS if row["id"] != library.statement_of(row["id"]) else IN_STATEMENTS
            places, also = found[heading].setdefault((row["finding"], row["severity"]), ([], []))
            places.append(name_place(row))
            also += map(name_place, row["consequences"])
    return {
        heading: [("; ".join(dict.fromkeys(p)), *said, "; ".join(dict.fromkeys(a))) for said, (p, a) in lines.items()]
        for heading, lines in found.items()
    }


def name_place(row: Mapping[str, Any]) -> str:
    """`Lemma A.5, high-probability bound`."""
    return row["label"] + (f", {row['name']}" if row["name"] != row["label"] else "")


def render_errata(page: Callable, paper: Paper, statements: list, errata: list, rows: list) -> list[tuple[str, str]]:
    """The errata of one paper: a page, one to print and send to its authors, and JSON."""
    by_key = {row["key"]: row for row in rows}
    slips = [add_correction(dict(row), by_key) for row in select_slips(rows) if row["paper"] == paper.id]
    undecided = [
        add_correction(row, by_key)
        for row in rows
        if row["paper"] == paper.id and row["verdict"] == INCONCLUSIVE and row["reading"] == "printed"
        if row["kind"] != "summary" and not row["part"].startswith("impl:")
    ]
    waiting = [r for r in rows if r["paper"] == paper.id and (r["verdict"] == OPEN or r["reason"] == "UNCONFIRMED")]
    counts = words.count_classes([s["row"] for s in statements])
    roots = [row for row in errata if not row["cause"]]
    plain = ("permanent", "status", "key", "label", "severity", "cause", "finding", "quote", "edit", "latex", "witness")
    entries = [
        {name: row[name] for name in (*plain, "corrected_by", "note", "replies")}
        | {"instead": row["instead_row"]["latex"] if row["instead_row"] else None}
        for row in errata
    ]
    shown = {
        "paper": paper,
        "links": citations.list_links(paper),
        "contact": citations.find_contact(paper),
        "address": citations.make_address(citations.find_contact(paper)),
        "statements": statements,
        "counts": counts,
        "main": [s for s in statements if is_main(s["label"])],
        "survival": [describe_main(s) for s in statements if is_main(s["label"])],
        "errata": errata,
        "ours": [row for row in roots if row["reconstructed"]],
        "roots": [row for row in roots if not row["reconstructed"]],
        "severities": SEVERITY_WORDS,
        "counted": count_in_words(counts),
        "followed": [row for row in errata if row["cause"]],
        "slips": slips,
        "undecided": undecided,
        "waiting": waiting,
        "short": shorten(errata),
        "bibtex": f"{paper.bibtex()}\n{citations.cite_software()}",
        "structured": citations.describe_errata(paper, errata),
        "version": citations.read_version(),
        "date": citations.read_date(),
    }
    text = json.dumps({"paper": paper.cited, "title": paper.title, "errata": jsonable(entries)}, ensure_ascii=False)
    return [
        page("errata.html.j2", f"errata/{paper.id}.html", **shown),
        page("letter.html.j2", f"errata/{paper.id}-letter.html", **shown),
        (f"errata/{paper.id}.json", text),
    ]
