"""The referee's page, one file that can be printed and sent, and its summary for a terminal."""

import textwrap
from typing import Any

from lemmata.experiments.conformance.rows import came
from lemmata.experiments.engine.ledger.graph import CLASSES
from lemmata.experiments.referee.assessment import Assessment
from lemmata.experiments.report import citations, words
from lemmata.experiments.report.layout import read_static_files, render_page

WIDTH = 110


def cite_page(made: Assessment) -> str:
    """How to cite the page: its authors are those of the folder, its name is what it is signed by."""
    fields = {
        "author": " and ".join(map(citations.last_first, made.authors)),
        "title": f"Statements and checks of “{made.paper.title}”, as refereed with Lemmata",
        "note": f"code sha256:{made.code}, versions sha256:{made.lock}",
    }
    return citations.write_bibtex("misc", f"{made.paper.id}-referee-{made.code[:8]}", fields)


def describe_page(made: Assessment) -> str:
    """The same for machines, as JSON-LD."""
    return citations.embed_json(
        {
            "@context": "https://schema.org",
            "@type": "SoftwareSourceCode",
            "name": f"Statements and checks of “{made.paper.title}”",
            "identifier": [f"sha256:{made.code}", f"sha256:{made.lock}"],
            "author": citations.list_persons(made.authors),
            "about": citations.describe_article(made.paper),
        }
    )


def write_page(made: Assessment) -> str:
    """The page, with its style inside."""
    values = {
        "made": made,
        "counts": words.count_classes(made.rows),  # type: ignore[arg-type]
        "style": read_static_files()["site/style.css"],
        "bibtex": cite_page(made),
        "structured": describe_page(made),
    }
    return render_page("referee.html.j2", f"referee-{made.paper.id}.html", nav=(), **values)[1]


def summarize(made: Assessment) -> str:
    """The page in a terminal: what is signed, what each row stands on, the prose in full, and what no row notices."""
    lines = [
        f"{made.paper.id}: {made.paper.title}, by {', '.join(made.authors)}",
        f"code      sha256:{made.code} ({len(made.files)} files)",
        f"versions  sha256:{made.lock} (Python and {len(made.versions) - 1} distributions)",
        f"seed      {made.root}, profile {made.profile}",
        f"rows      {', '.join(f'{n} {CLASSES[name]}' for name, n in words.count_classes(made.rows).items())}",  # type: ignore[arg-type]
    ]
    for row in made.rows:
        lines += ["", f"{row['key']}  {came(row['verdict'], row['reason'])}, {row['word']}"]
        lines += [line for name, text in list_facts(row) if text for line in wrap_fact(name, text)]
    lines += ["", *(f"no row: {each.sentence} ({each.row})" for each, _ in made.loose)]
    lines.append(f"{made.found} findings, {len(made.unnoticed)} of them changes that no row notices")
    return "\n".join(lines)


def list_facts(row: dict[str, Any]) -> list[tuple[str, str]]:
    """What a row stands on: (name, text)."""
    return [
        ("evidence", row["evidence_words"]),
        ("note", row["note"] if row["reason"] else ""),
        ("oracle", row["oracle"]),
        ("author listed", row["listed"]),
        ("engine tried", row["tried"]),
        ("given", ", ".join(row["given"])),
        ("prose", row["prose"] if row["verdict"] == "HOLDS" else ""),
        ("counterexample", row["sentence"]),
        *(("explained" if why else "finding", f"{each.sentence} [{each.rule}] {why}") for each, why in row["found"]),
    ]


def wrap_fact(name: str, text: str) -> list[str]:
    """A fact below its row."""
    start = f"  {name:15} "
    return textwrap.wrap(" ".join(text.split()), WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
