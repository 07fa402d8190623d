"""The pages: one a statement, one a paper's errata, the ledger, and what explains them; no network, no build step."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.formula import in_symbols
from lemmata.bounds.statement.verdicts import HOLDS, REFUTED, VACUOUS
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.audits import nulls, read_committed, released_libraries
from lemmata.experiments.audits.corpus import table as corpus
from lemmata.experiments.benchmark import page as benchmark
from lemmata.experiments.comparison import page as comparison
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import SEVERITIES
from lemmata.experiments.engine.ground.grouping import group_by
from lemmata.experiments.engine.ledger import graph, published
from lemmata.experiments.engine.ledger.headline import find_leading, headline, importance
from lemmata.experiments.engine.ledger.row_cache import Pair
from lemmata.experiments.report import citations, nonvacuous, soak_table, words
from lemmata.experiments.report.dependency_graph import describe_dependencies
from lemmata.experiments.report.errata import add_comparison, annotate, collect_errata, render_errata
from lemmata.experiments.report.incremental import SiteFiles
from lemmata.experiments.report.layout import DOCUMENTATION, NAV, OWN, FurtherPages, Nav, read_static_files, render_page
from lemmata.experiments.report.page_figures import draw_missing, draw_study
from lemmata.experiments.report.summary import select_headline, select_slips
from lemmata.experiments.sample_sizes import page as sample_sizes
from lemmata.mechanisms import hardening

RISKS = ("tail", "mean")  # kinds of rows that readers come for, after privacy
SHOWN = 6  # findings on the front page
FIELDS = ("paper", "reading", "kind", "verdict", "severity", "evidence")  # the ledger's filters
QUESTION = "Which theorems on private learning with margins are true as printed?"
CHECK = """$ lemmata explain wzw25.lem7.2
$ python -m lemmata.experiments.wzw25.repetitions
$ lemmata run wzw25.lem7.2"""


def make_pages(
    pairs: Sequence[Pair],
    root: int,
    reports: Path,
    kept: SiteFiles | None = None,
    also: Callable[[], FurtherPages] | None = None,
    papers: Sequence[Paper] = (),
) -> tuple[dict[str, str], list[str]]:
    """{path below `reports`: text} of the site, without the figures that are `kept`; the paths of all figures.

    The site is that of `papers`; by default it is that of this package, with its learners, audits and examples. `also`
    makes pages that it is to have beside its own: a checkout has those of the speed of its cores.
    """
    registry.load(registry.list_modules(papers or None))  # where the rows were kept, nothing has been loaded yet
    kept = kept or SiteFiles(reports)
    rows, new, used = draw_missing(pairs, kept)
    house = not papers
    papers = papers or library.house
    more = also() if also else None
    reached = citations.make_address(citations.find_project_contact()) if house else ""
    page = partial(
        render_page,
        nav=list_navigation(more.nav if more else NAV, reports) if house else name_areas(papers),
        contact=reached,
    )
    written = {library.statement_of(row["id"]) for row in rows}
    replies = annotate(rows, papers)
    shown = [
        describe_statement(id, rows, replies) for id in library.ids if id in written
    ]  # those too that theirs rest on
    link_statements(shown, rows)
    statements = [s for s in shown if s["paper"] in papers]
    made = [page("statement.html.j2", s["url"], s=s, structured=citations.describe_statement(s)) for s in shown]
    errata = collect_errata(rows, papers)
    for paper in papers:
        made += render_errata(page, paper, [s for s in statements if s["paper"] is paper], errata[paper.id], rows)
    listed = [(p, count_statements([s for s in statements if s["paper"] is p]), errata[p.id]) for p in papers]
    made.append(page("errata_index.html.j2", "errata/index.html", papers=listed))
    heading, check = (QUESTION, CHECK) if house else make_heading(papers, statements)
    first = describe_front_page(listed, statements, rows, root) | {"heading": heading, "check": check, "house": house}
    first |= {"docs": has_documentation(reports), "shipped": describe_shipped(reports) if house else []}
    made.append(page("index.html.j2", "index.html", **first))
    single = [row for row in rows if row["kind"] != "summary"]
    fields = {name: sorted({row[name] for row in single} - {""}) for name in FIELDS}
    made.append(page("ledger.html.j2", "ledger.html", rows=single, fields=fields, speed=also is not None, house=house))
    mutants = read_mutation_run(reports) if house else None
    faults = read_injected_faults(reports) if house else None
    soak = soak_table.describe_soak(reports) if house else None
    made.append(page("verdicts.html.j2", "verdicts.html", mutants=mutants, faults=faults, soak=soak, house=house))
    made.append(page("rests.html.j2", "rests.html", **describe_dependencies(statements, single, papers)))
    svgs: dict[str, str] = {}
    if any(paper.sources for paper in papers):
        made.append(page("areas.html.j2", "areas.html", areas=group_by_module(statements)))
    if house:
        svgs, ours = add_own_pages(page, made, single, reports, kept)
        used += ours
        made += more.pages(reports, page) if more else []
    return dict(made) | svgs | dict(new) | read_static_files(), used


def list_navigation(nav: Nav, reports: Path) -> Nav:
    """What the head of each page links to: the documentation too, where it has been built."""
    return (*nav[:-1], DOCUMENTATION, nav[-1]) if has_documentation(reports) else nav


def name_areas(papers: Sequence[Paper]) -> Nav:
    """What the head of each page of somebody's papers links to."""
    return (("Which one do I use?", "areas.html"), *OWN) if any(paper.sources for paper in papers) else OWN


def has_documentation(reports: Path) -> bool:
    """Whether `make docs` has been there."""
    return (reports / DOCUMENTATION[1]).is_file()


def make_heading(papers: Sequence[Paper], statements: list) -> tuple[str, str]:
    """(the title of the site of somebody's papers, how to repeat one of its verdicts)."""
    first = next((s["id"] for s in statements), "")
    return " · ".join(paper.title for paper in papers), f"$ lemmata explain {first}\n$ lemmata run {first}"


def add_own_pages(
    page: Callable, made: list[tuple[str, str]], single: list[dict], reports: Path, kept: SiteFiles
) -> tuple[dict[str, str], list[str]]:
    """Add the pages that only this package has; returns {path: SVG} of their new figures, and the paths of all."""
    speaking = [row for row in single if row["nonvacuous_from"] is not None]
    silent = [row for row in single if row["verdict"] == VACUOUS]
    tables = dict[str, Any](
        picture=nonvacuous.place_statements(single),
        atlas=sample_sizes.describe_families(),
        epsilons=sample_sizes.EPSILONS,
        delta=in_symbols(f"{sample_sizes.DELTA:g}"),
    )
    made.append(page("bounds.html.j2", "bounds.html", rows=speaking, vacuous=silent, **tables))
    attacked = [row for row in single if row["part"].startswith("impl:") and row["kind"] == "privacy"]
    tables = {name: read_committed(name) for name in ("replayed", "canaries", "planted", "operating")}
    tables["nulls"] = nulls.describe_lines(read_committed("nulls"))
    tables["corpus"] = corpus.describe_rows(corpus.read_rows(reports))
    lines = read_committed("power")
    theirs = released_libraries.read_rows(reports)
    audits, new = draw_study(
        "audits",
        repr((lines, theirs)),
        kept,
        lambda figures: figures.draw_figures(lines, theirs),
    )
    made.append(page("audits.html.j2", "audits.html", rows=attacked, figures=audits, **tables))
    shown = released_libraries.describe_rows(theirs, released_libraries.read_auditorium(reports))
    made.append(page("wild.html.j2", "wild.html", figure=audits.get("wild", ""), **shown))
    side_by_side = comparison.describe_comparison(reports)
    means = comparison.read_tables(reports)["means"]
    learners, more = draw_study("comparison", means.to_csv(), kept, lambda figures: figures.draw_figures(means))
    made.append(page("comparison.html.j2", "comparison.html", figures=learners, **side_by_side))
    hardened = {"lines": hardening.TABLE, "generators": hardening.GENERATORS, "floats": read_committed("float_noise")}
    made.append(page("hardened.html.j2", "hardened.html", **hardened))
    scored = benchmark.read_benchmark(reports)
    board = scored["lines"]
    grades, last = draw_study("benchmark", repr(board), kept, lambda figures: figures.draw_figures(board))
    docs = has_documentation(reports)
    made.append(page("benchmark.html.j2", "benchmark.html", figures=grades, docs=docs, **scored))
    return new | more | last, [*audits.values(), *learners.values(), *grades.values()]


def read_mutation_run(reports: Path) -> dict | None:
    """The committed record of the last mutation run: how many of which outcome, and the survivors."""
    rows = read_table(reports / "published" / "mutants.csv")
    if not rows:
        return None
    count = Counter(row["outcome"] for row in rows)
    real = count["killed"] + count["SURVIVED"]
    survivors = [row for row in rows if row["outcome"] == "SURVIVED"]
    return {"tried": len(rows), "count": count, "score": 100 * count["killed"] / max(real, 1), "survivors": survivors}


def read_injected_faults(reports: Path) -> dict | None:
    """The committed record of the last run in which every operation failed once, with its sums."""
    rows = read_table(reports / "published" / "faults.csv")
    sums = {name: sum(int(row[name]) for row in rows) for name in ("tried", "killed", "lost")}
    return {"rows": rows} | sums if rows else None


def group_by_module(statements: Sequence[dict]) -> list[tuple[str, list[dict]]]:
    """(what a module is about, its statements): a folder of many sources is ordered by what its statements are for."""
    areas: dict[str, list[dict]] = {}
    for s in statements:
        record = next(THEOREMS[key] for key in sorted(s["keys"]) if key in THEOREMS)  # of a summary there is none
        module = sys.modules[record.formula.__module__]
        rows = [row for pair in s["pairs"] for row in (pair[0], *pair[1])] + s["others"]
        areas.setdefault((module.__doc__ or module.__name__).splitlines()[0].rstrip("."), []).append(
            s | {"drawn": [row for row in rows if row["figures"]]}
        )
    return list(areas.items())


def describe_shipped(reports: Path) -> list[tuple[Paper, list[tuple[str, str]], str]]:
    """(a folder that this package brings by entry point, class and words of each statement, its own pages if drawn).

    As they were accepted: what stands in a record costs a report of our papers nothing.
    """
    library.installed()
    rows = [row for row in published.read_rows(reports).values() if row["kind"] != "summary"]
    found = []
    for paper in library.papers.values():
        if paper.is_installed and paper.packages[0].startswith("lemmata."):
            mine = group_by(
                [row for row in rows if row["paper"] == paper.id], lambda row: library.statement_of(row["id"])
            )
            squares = [
                (graph.class_of(each[0]), f"{library.work(id).cited}, {library.label(id)}") for id, each in mine.items()
            ]
            home = f"{paper.id}/index.html"
            found.append((paper, squares, home if (reports / home).is_file() else ""))
    return found


def count_statements(statements: list[dict]) -> dict[str, int]:
    """The classes of statements, counted."""
    return words.count_classes([s["row"] for s in statements])


def describe_front_page(listed: list, statements: list, rows: list, root: int) -> dict[str, Any]:
    """What the front page shows of [(paper, its counts, its errata)]."""
    found = [row for _, _, errata in listed for row in errata]
    worst = sorted(found, key=lambda row: SEVERITIES.index(row["severity"]))
    by_statement = group_by(worst, lambda row: library.statement_of(row["id"]))  # one finding of each: its worst
    findings = [
        row
        | {
            "cited": library.work(row["id"]).cited,
            "place": describe_place(row),
            "instead": instead["title"][:1].lower() + instead["title"][1:]
            if (instead := row["instead_row"])
            else "nothing yet",
            "instead_url": instead["url"] if instead else row["url"],
        }
        for row, *_ in list(by_statement.values())[:SHOWN]
    ]
    held = [row for row in rows if row["verdict"] == HOLDS and row["kind"] != "summary"]
    checked = sum(row["class"] == "machine-checked" for row in held)
    return {
        "statements": statements,
        "numbered": sum(s["row"]["reading"] == "printed" for s in statements),
        "counts": count_statements(statements),
        "findings": findings,
        "refuted": len(worst),
        "slips": len(select_slips(rows)),
        "papers": [(paper, count) for paper, count, _ in listed],
        "root": root,
        "machine_share": f"Of {len(held)} rows that hold, proof steps included, {checked} are machine-checked.",
    }


def describe_place(row: dict) -> str:
    """`Lemma 7.2`, or `proof of Lemma 3.1, step s3`."""
    step = row["id"].removeprefix(library.statement_of(row["id"])).strip(".")
    where = f"proof of {row['label']}, {words.name_step(step)}" if step else row["label"]
    return f"{where}, {row['part']}" if row["part"] else where


# Statements -----------------------------------------------------------------------------------------------------------


def describe_statement(id: str, rows: list[Any], replies: Mapping[str, list[dict]] = MappingProxyType({})) -> dict:
    """Everything on the page of one numbered statement."""
    mine = [row for row in rows if library.statement_of(row["id"]) == id]
    own = [row for row in mine if row["id"] == id and row["kind"] != "summary"]
    attacked = [row for row in own if row["part"].startswith("impl:")]
    printed = [row for row in own if row["reading"] == "printed" and row not in attacked]
    heads = select_headline(row for row in mine if row["id"] == id)
    main: Any = next((row for row in heads if row["reading"] == "printed"), (heads or mine)[0])
    first: Any = find_leading(printed) if printed else main
    printed.sort(key=lambda row: (importance(row), row["kind"] not in RISKS))
    twins = [add_comparison(row, [r for r in own if is_twin(r, row)]) for row in printed]
    shown = [r for row, others in twins for r in (row, *others)]
    paired = {r["key"] for r in shown}
    return {
        "id": id,
        "label": library.label(id),
        "paper": library.paper(id),
        "work": library.work(id),
        "row": main,
        "class": main["class"],
        "word": main["word"],
        "severity": main["severity"],
        "title": in_symbols(library.titles.get(id, "")) or main["title"],
        "headline": in_symbols(headline(own or mine)),
        "sub": words.write_subtitle(first),
        "url": words.find_page(id),
        "pairs": twins,
        "variants": {
            row["part"]
            for row in printed
            for other in printed
            if other["part"] and row["part"].startswith(f"{other['part']}-")
        },  # other readings of a part, which a printed side only names
        "symbols": words.define_symbols(
            id, (r["latex"] for r in shown or own), (needed for r in shown or own for needed in r["hypotheses"])
        ),
        "others": [row for row in own if row["key"] not in paired and row not in attacked],
        "steps": [row for row in mine if row["id"] != id and row["kind"] != "summary"],
        "attacked": attacked,
        "speaks": next((r["nonvacuous_from"] for r in own if r["nonvacuous_from"] is not None), None),
        "literature": list({entry["reference"]: entry for row in mine for entry in row["literature"]}.values()),
        "cites": sorted({text for row in mine for text in row["cites"]}),
        "links": citations.list_links(library.work(id)),
        "cite": citations.cite_row(first, first.get("erratum", "")),
        "replies": replies.get(id, []),
        "keys": {row["key"] for row in mine},
    }


def is_twin(other: dict, row: dict) -> bool:
    """Is `other` another reading of the printed `row`, or the row that corrects it?"""
    if other["reading"].startswith("rate") or other["reading"] == "printed" or other["part"].startswith("impl:"):
        return False
    return other["part"] == row["part"] or other["key"] == row["corrected_by"]


def link_statements(statements: list[dict], rows: list[dict]) -> None:
    """Add to each statement the rows of others that it rests on, those that rest on it, and all that fall with it."""
    by_key = {row["key"]: row for row in rows if row["kind"] != "summary"}
    down = {key: [link for link in row["rests_on"] if link in by_key] for key, row in by_key.items()}
    up = graph.reverse_graph({key: links for key, links in down.items() if by_key[key]["verdict"] != REFUTED})
    for s in statements:
        own = [key for key in by_key if key in s["keys"]]
        below = dict.fromkeys(key for mine in own for key in down[mine] if key not in s["keys"])
        above = dict.fromkeys(key for mine in own for key in up.get(mine, ()) if key not in s["keys"])
        fallen = [key for key in graph.find_reachable(own, up) if key not in above]
        s["rests_on"] = [by_key[key] for key in below]
        s["rested"] = [by_key[key] for key in above]
        s["further"] = graph.group_by_statement(key for key in graph.find_reachable(own, down) if key not in below)
        s["fallen"] = graph.group_by_statement(fallen)
