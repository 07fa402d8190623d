"""The pages: one a statement, one a paper's errata, the ledger, and what explains them; no network, no build step."""

from __future__ import annotations

import ast
import base64
import csv
import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2

from lemmata.bounds.library import Paper, Work, library
from lemmata.bounds.verdicts import HOLDS, REFUTED, SLIP, VACUOUS
from lemmata.experiments.audits import committed
from lemmata.experiments.comparison import page as comparison
from lemmata.experiments.engine import graph, registry
from lemmata.experiments.engine.claim import SEVERITIES
from lemmata.experiments.engine.formula import in_symbols
from lemmata.experiments.engine.headline import headline, leading
from lemmata.experiments.engine.ledger import jsonable
from lemmata.experiments.engine.remembered import Pair
from lemmata.experiments.examples import GALLERY
from lemmata.experiments.report import atlas, words
from lemmata.experiments.report.drawn import Drawn
from lemmata.experiments.report.figures import drawn, standing
from lemmata.experiments.report.formulas import compared
from lemmata.mechanisms import hardening

BAD = (REFUTED, SLIP)  # what a page shows first
SHOWN = 6  # findings on the front page
FIELDS = ("paper", "reading", "kind", "verdict", "severity", "evidence")  # the ledger's filters
Nav = tuple[tuple[str, str], ...]  # what the head of every page links to: words, page
OWN: Nav = (("Errata", "errata/index.html"), ("Ledger", "ledger.html"), ("How verdicts are made", "verdicts.html"))
NAV: Nav = (
    *OWN[:2],
    ("When bounds speak", "bounds.html"),
    ("Audits", "audits.html"),
    ("Learners", "comparison.html"),
    ("Examples", "gallery.html"),
    ("Not hardened", "hardened.html"),
    OWN[2],
)
QUESTION = "Which theorems on private learning with margins are true as printed?"
Also = Callable[[Path], list[tuple[str, str]]]  # the reports folder -> [(path below it, text)]
CHECK = """$ lemmata explain wzw25.lem7.2
$ python -m lemmata.experiments.wzw25.repetitions
$ lemmata run wzw25.lem7.2"""


@cache
def environment() -> jinja2.Environment:
    """The templates."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("lemmata.experiments.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["page"] = lambda id: words.page_of(id).removeprefix("statements/")
    made.filters["page_from_root"] = words.page_of
    made.filters["capitalized"] = words.sentence
    made.filters["cited"] = lambda id: f"{library.label(id)} of {library.work(id).cited}"
    return made


def rendered(template: str, path: str, *, nav: Nav = NAV, **values: object) -> tuple[str, str]:
    """(path below reports/, the page)."""
    up = "../" * path.count("/")
    made = environment().get_template(template).render(root_path=up, classes=graph.CLASSES, nav=nav, **values)
    return path, made


def static() -> dict[str, str]:
    """The stylesheet, with the font inside, and the script."""
    folder = resources.files("lemmata.experiments.report") / "static"
    font = base64.b64encode((folder / "stix-two-math.woff2").read_bytes()).decode()
    style = (folder / "style.css").read_text(encoding="utf-8")
    return {
        "site/style.css": style.replace("FONT", f"data:font/woff2;base64,{font}"),
        "site/script.js": (folder / "script.js").read_text(encoding="utf-8"),
    }


def pages(
    pairs: Sequence[Pair],
    root: int,
    reports: Path,
    kept: Drawn | None = None,
    also: Also | None = None,
    papers: Sequence[Paper] = (),
) -> tuple[dict[str, str], list[str]]:
    """{path below `reports`: text} of the site, without the figures that are `kept`; the paths of all figures.

    The site is that of `papers`; by default it is that of this package, with its learners, audits and examples. `also`
    makes pages that it is to have beside its own: a checkout has those of the speed of its cores.
    """
    registry.load(registry.modules(papers or None))  # where the rows were kept, nothing has been loaded yet
    kept = kept or Drawn(reports)
    rows, svgs, used = drawn(pairs, kept)
    house = not papers
    papers = papers or library.house
    page = partial(rendered, nav=NAV if house else OWN)
    written = {library.statement_of(row["id"]) for row in rows}
    shown = [statement(id, rows) for id in library.ids if id in written]  # those too that theirs rest on
    link(shown, rows)
    statements = [s for s in shown if s["paper"] in papers]
    made = [page("statement.html.j2", s["url"], s=s) for s in shown]
    errata = errata_of(rows, papers)
    for paper in papers:
        made += errata_pages(page, paper, [s for s in statements if s["paper"] is paper], errata[paper.id], rows)
    listed = [(p, counts([s for s in statements if s["paper"] is p]), errata[p.id]) for p in papers]
    made.append(page("errata_index.html.j2", "errata/index.html", papers=listed))
    heading, check = (QUESTION, CHECK) if house else own_heading(papers, statements)
    first = front(listed, statements, rows, root)
    made.append(page("index.html.j2", "index.html", heading=heading, check=check, house=house, **first))
    single = [row for row in rows if row["kind"] != "summary"]
    fields = {name: sorted({row[name] for row in single} - {""}) for name in FIELDS}
    made.append(page("ledger.html.j2", "ledger.html", rows=single, fields=fields, speed=also is not None))
    mutants = mutation_run(reports) if house else None
    made.append(page("verdicts.html.j2", "verdicts.html", mutants=mutants, house=house))
    if house:
        new, ours = our_figures(made, single, reports, kept)
        svgs, used = svgs | new, used + ours
        made += also(reports) if also else []
    return dict(made) | svgs | static(), used


def own_heading(papers: Sequence[Paper], statements: list) -> tuple[str, str]:
    """(the title of the site of somebody's papers, how to repeat one of its verdicts)."""
    first = next((s["id"] for s in statements), "")
    return " · ".join(paper.title for paper in papers), f"$ lemmata explain {first}\n$ lemmata run {first}"


def our_figures(
    made: list[tuple[str, str]], single: list[dict], reports: Path, kept: Drawn
) -> tuple[dict[str, str], list[str]]:
    """Add the pages that only this package has; returns {path: SVG} of their new figures, and the paths of all."""
    speaking = [row for row in single if row["nonvacuous_from"] is not None]
    silent = [row for row in single if row["verdict"] == VACUOUS]
    tables = dict[str, Any](atlas=atlas.shown(), epsilons=atlas.EPSILONS, delta=in_symbols(f"{atlas.DELTA:g}"))
    made.append(rendered("bounds.html.j2", "bounds.html", rows=speaking, vacuous=silent, **tables))
    attacked = [row for row in single if row["part"].startswith("impl:") and row["kind"] == "privacy"]
    tables = {name: committed(name) for name in ("replayed", "canaries", "planted", "operating", "peers")}
    lines = committed("power")
    audits, new = standing("audits", repr(lines), kept, lambda pictures: {"power": pictures.power(lines)})
    made.append(rendered("audits.html.j2", "audits.html", rows=attacked, figures=audits, **tables))
    side_by_side = comparison.shown(reports)
    means = comparison.tables(reports)["means"]
    learners, more = standing("comparison", means.to_csv(), kept, lambda pictures: pictures.figures(means))
    made.append(rendered("comparison.html.j2", "comparison.html", figures=learners, **side_by_side))
    made.append(rendered("hardened.html.j2", "hardened.html", lines=hardening.TABLE, generators=hardening.GENERATORS))
    made.append(rendered("gallery.html.j2", "gallery.html", examples=gallery()))
    return new | more, [*audits.values(), *learners.values()]


def mutation_run(reports: Path) -> dict | None:
    """The committed record of the last mutation run: how many of which outcome, and the survivors."""
    table = reports / "published" / "mutants.csv"
    if not table.exists():
        return None
    with table.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    count = Counter(row["outcome"] for row in rows)
    real = count["killed"] + count["SURVIVED"]
    survivors = [row for row in rows if row["outcome"] == "SURVIVED"]
    return {"tried": len(rows), "count": count, "score": 100 * count["killed"] / max(real, 1), "survivors": survivors}


def gallery() -> list[dict]:
    """The examples as they are in the code, with what each printed under `python -m lemmata.experiments.examples`."""
    folder, shown = resources.files("lemmata.experiments.examples"), []
    for name in GALLERY:
        program = (folder / f"{name}.py").read_text(encoding="utf-8")
        title = (ast.get_docstring(ast.parse(program)) or "").splitlines()[0]
        printed = (folder / f"{name}.txt").read_text(encoding="utf-8")
        figure = folder / f"{name}.svg"
        picture = figure.read_text(encoding="utf-8") if figure.is_file() else ""
        shown.append({"name": name, "title": title, "program": program, "printed": printed, "figure": picture})
    return shown


def counts(statements: list[dict]) -> dict[str, int]:
    """The classes of statements, counted."""
    return words.counted([s["row"] for s in statements])


def front(listed: list, statements: list, rows: list, root: int) -> dict[str, Any]:
    """What the front page shows of [(paper, its counts, its errata)]."""
    found = [row for _, _, errata in listed for row in errata]
    worst = sorted(found, key=lambda row: SEVERITIES.index(row["severity"]))
    seen: dict[str, dict] = {}
    for row in worst:  # one finding a statement: its worst
        seen.setdefault(library.statement_of(row["id"]), row)
    findings = [
        row
        | {
            "cited": library.work(row["id"]).cited,
            "place": place(row),
            "instead": instead["title"][:1].lower() + instead["title"][1:]
            if (instead := row["instead_row"])
            else "nothing yet",
            "instead_url": instead["url"] if instead else row["url"],
        }
        for row in list(seen.values())[:SHOWN]
    ]
    held = [row for row in rows if row["verdict"] == HOLDS and row["kind"] != "summary"]
    checked = sum(row["class"] == "machine-checked" for row in held)
    return {
        "statements": statements,
        "counts": counts(statements),
        "findings": findings,
        "refuted": len(worst),
        "slips": sum(row["verdict"] == SLIP and row["kind"] != "summary" for row in rows),
        "papers": [(paper, count) for paper, count, _ in listed],
        "root": root,
        "machine_share": f"Of {len(held)} rows that hold, proof steps included, {checked} are machine-checked.",
    }


def place(row: dict) -> str:
    """`Lemma 7.2`, or `proof of Lemma 3.1, step s3`."""
    step = row["id"].removeprefix(library.statement_of(row["id"])).strip(".")
    where = f"proof of {row['label']}, step {step}" if step else row["label"]
    return f"{where}, {row['part']}" if row["part"] else where


# Statements -----------------------------------------------------------------------------------------------------------


def statement(id: str, rows: list[dict]) -> dict:
    """Everything on the page of one numbered statement."""
    mine = [row for row in rows if library.statement_of(row["id"]) == id]
    own = [row for row in mine if row["id"] == id and row["kind"] != "summary"]
    attacked = [row for row in own if row["part"].startswith("impl:")]
    printed = [row for row in own if row["reading"] == "printed" and row not in attacked]
    heads = [row for row in mine if row["id"] == id and not row["parent"]]
    main = next((row for row in heads if row["reading"] == "printed"), (heads or mine)[0])
    first = leading(printed) if printed else main
    printed.sort(key=lambda row: BAD.index(row["verdict"]) if row["verdict"] in BAD else len(BAD))
    twins = [beside(row, [r for r in own if _twin(r, row)]) for row in printed]
    paired = {r["key"] for row, others in twins for r in (row, *others)}
    return {
        "id": id,
        "label": library.label(id),
        "paper": library.paper(id),
        "work": library.work(id),
        "row": main,
        "class": main["class"],
        "word": main["word"],
        "severity": main["severity"],
        "title": main["title"],
        "headline": in_symbols(headline(own or mine)),
        "sub": words.subtitle(first),
        "url": words.page_of(id),
        "pairs": twins,
        "others": [row for row in own if row["key"] not in paired and row not in attacked],
        "steps": [row for row in mine if row["id"] != id and row["kind"] != "summary"],
        "attacked": attacked,
        "speaks": next((r["nonvacuous_from"] for r in own if r["nonvacuous_from"] is not None), None),
        "literature": list({entry["reference"]: entry for row in mine for entry in row["literature"]}.values()),
        "cites": sorted({text for row in mine for text in row["cites"]}),
        "bibtex": bibtex(library.work(id), library.paper(id).id),
        "keys": {row["key"] for row in mine},
    }


def _twin(other: dict, row: dict) -> bool:
    """Is `other` another reading of the printed `row`, or the row that corrects it?"""
    if other["reading"].startswith("rate") or other["reading"] == "printed" or other["part"].startswith("impl:"):
        return False
    return other["part"] == row["part"] or other["key"] == row["corrected_by"]


def beside(row: dict, others: list[dict]) -> tuple[dict, list[dict]]:
    """A printed row and its other readings; where one corrects it, what differs is marked in both formulas."""
    right = next((other for other in others if other["key"] == row["corrected_by"]), None)
    if row["verdict"] not in BAD or right is None or not (row["latex"] and right["latex"]):
        return row, others
    printed, corrected = compared(row["latex"], right["latex"])
    return row | {"formula": printed}, [o | {"formula": corrected} if o is right else o for o in others]


def link(statements: list[dict], rows: list[dict]) -> None:
    """Add to each statement the rows of others that it rests on, those that rest on it, and all that fall with it."""
    by_key = {row["key"]: row for row in rows if row["kind"] != "summary"}
    down = {key: [link for link in row["rests_on"] if link in by_key] for key, row in by_key.items()}
    up = graph.upwards({key: links for key, links in down.items() if by_key[key]["verdict"] != REFUTED})
    for s in statements:
        own = [key for key in by_key if key in s["keys"]]
        below = dict.fromkeys(key for mine in own for key in down[mine] if key not in s["keys"])
        above = dict.fromkeys(key for mine in own for key in up.get(mine, ()) if key not in s["keys"])
        fallen = [key for key in graph.reached(own, up) if key not in above]
        s["rests_on"] = [by_key[key] for key in below]
        s["rested"] = [by_key[key] for key in above]
        s["further"] = graph.by_statement(key for key in graph.reached(own, down) if key not in below)
        s["fallen"] = graph.by_statement(fallen)


# Errata ---------------------------------------------------------------------------------------------------------------


def numbered(papers: Sequence[Paper]) -> dict[str, tuple[str, str]]:
    """{key: (number, status)} of every erratum, from the list beside each `paper.toml`: no number is given twice."""
    lists = [paper.folder / "errata.csv" for paper in papers]
    lines = [
        line
        for path in lists
        if path.exists()
        for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    ]
    return {line["key"]: (line["number"], line["status"]) for line in lines}


def errata_of(rows: list[dict], papers: Sequence[Paper]) -> dict[str, list[dict]]:
    """{paper: its errata}, worst first: the printed rows that are refuted, parts and steps included."""
    known, by_key = numbered(papers), {row["key"]: row for row in rows}
    found: dict[str, list[dict]] = {paper.id: [] for paper in papers}
    for row in rows:
        wrong = row["verdict"] == REFUTED and row["reading"] == "printed" and row["kind"] != "summary"
        if wrong and row["severity"] and row["paper"] in found:
            number, status = known.get(row["key"], ("new", "found"))
            row, instead = beside(row, [by_key[row["corrected_by"]]] if row["corrected_by"] in by_key else [])
            found[row["paper"]].append(
                row
                | {
                    "erratum": number,
                    "status": status,
                    "permanent": f"lemmata:{row['paper']}:{number}",
                    "finding": words.finding(row),
                    "instead_row": instead[0] if instead else None,
                }
            )
    for errata in found.values():
        errata.sort(key=lambda row: SEVERITIES.index(row["severity"]))
    return found


def errata_pages(page: Callable, paper: Paper, statements: list, errata: list, rows: list) -> list[tuple[str, str]]:
    """The errata of one paper, as a page and as JSON."""
    slips = [row for row in rows if row["paper"] == paper.id and row["verdict"] == SLIP and row["kind"] != "summary"]
    main = [s for s in statements if s["label"].startswith(("Theorem", "Algorithm", "Corollary"))]
    plain = ("permanent", "status", "key", "label", "severity", "finding", "latex", "witness", "corrected_by", "note")
    entries = [
        {name: row[name] for name in plain} | {"instead": row["instead_row"]["latex"] if row["instead_row"] else None}
        for row in errata
    ]
    made = page(
        "errata.html.j2",
        f"errata/{paper.id}.html",
        paper=paper,
        statements=statements,
        counts=counts(statements),
        main=main,
        errata=errata,
        slips=slips,
        bibtex=bibtex(paper, paper.id),
    )
    text = json.dumps({"paper": paper.cited, "title": paper.title, "errata": jsonable(entries)}, indent=1)
    return [made, (f"errata/{paper.id}.json", text)]


def bibtex(work: Work, key: str) -> str:
    """How to cite what prints a statement, and this suite beside it."""
    return f"""{work.bibtex(key)}
@software{{lemmata,
  author = {{The Lemmata authors}},
  title = {{Lemmata: executable theorems on differentially private learning with margin guarantees}},
  year = {{2026}}
}}"""
