"""The table of the corpus: both forms of every pair under audit, no neighbours given, and what was found by kind.

`python -m lemmata.experiments.audits.corpus.table [ROOT BUDGET]` writes reports/published/corpus.csv, a row a pair as
it comes. A row that these searches, pairs, root and budget have made is not made again, so that a run which was stopped
goes on where it was. With another root or budget the whole table is of that one.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import lemmata
from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.audits.corpus import choices, keys, learning, numbers
from lemmata.experiments.audits.corpus.registry import KINDS, Pair
from lemmata.experiments.audits.released_libraries import describe_source, digest_search
from lemmata.experiments.engine.claims.fingerprint import hash_code
from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.audit.play.search_result import Found

ROOT, BUDGET = 20261129, 64_000
PAIRS = [
    pair for module in (numbers, keys, choices, learning) for pair in vars(module).values() if isinstance(pair, Pair)
]
FOUND, LED, MISSED = "found", "lead only", "missed"  # a broken form: refuted, suspected by a lead, or neither
KEPT, ACCUSED = "kept", "accused"  # a mended form: neither refuted nor suspected, or suspected
COLUMNS = (
    *("source", "pair", "kind", "broken", "needed", "neighbours", "mended", "accusation"),
    *("root", "budget", "seconds", "search", "written"),
)


def audit_form(pair: Pair, mended: bool, root: int, budget: int) -> Found:
    """One form of a pair under audit; the bits of floats are evidence on all datasets where they are the mistake."""
    bits = True if pair.kind == "bits" else None
    found = lemmata.audit(pair.form(mended), *pair.data, claim=pair.claim, root=root, budget=budget, bits=bits)
    assert isinstance(found, Found)
    return found


def identify(pair: Pair, root: int, budget: int) -> dict[str, str]:
    """Which row it is, and what the row depends on."""
    written = hash_code(pair.mechanism, repr(pair.claim), repr(pair.data))
    own = {"source": pair.source, "pair": pair.name, "kind": pair.kind}
    return own | {"root": str(root), "budget": str(budget), "search": digest_search(), "written": written}


def make_row(pair: Pair, root: int, budget: int, audit: Callable[..., Any] = audit_form) -> dict[str, str]:
    """The row of one pair."""
    begun = time.process_time()
    broken, mended = (audit(pair, form, root, budget) for form in (False, True))
    refuted = broken.verdict == REFUTED
    lead = mended.place[0].rpartition(" at ")[0] if mended.place else ""  # without the file, which stands elsewhere
    return identify(pair, root, budget) | {
        "broken": FOUND if refuted else LED if broken.place else MISSED,
        "needed": str(broken.needed) if refuted else "",
        "neighbours": broken.pair.words if refuted else "",
        "mended": REFUTED if mended.verdict == REFUTED else ACCUSED if lead else KEPT,
        "accusation": lead,
        "seconds": f"{time.process_time() - begun:.1f}",
    }


def make_rows(
    table: Path, pairs: Sequence[Pair] = PAIRS, root: int = ROOT, budget: int = BUDGET, audit: Callable = audit_form
) -> Iterator[dict[str, str]]:
    """Write the table, row by row, and yield those that are new."""
    kept = {row["pair"]: row for row in read_table(table)}
    for pair in pairs:
        now = identify(pair, root, budget)
        if now.items() <= kept.get(pair.name, {}).items():
            continue
        kept[pair.name] = row = make_row(pair, root, budget, audit)
        rows = (kept[each.name] for each in pairs if each.name in kept)
        write_table(table, COLUMNS, ([line[name] for name in COLUMNS] for line in rows))
        yield row


def read_rows(reports: Path) -> list[dict[str, str]]:
    """The rows of the committed table; none where it is not at hand."""
    return read_table(reports / "published" / "corpus.csv")


def describe_rows(rows: list[dict[str, str]]) -> dict[str, Any]:
    """What a page says: a line for each kind and one for all, and the rows with what stands in the pairs."""
    today, pairs = digest_search(), {pair.name: pair for pair in PAIRS}
    lines = [count_outcomes(kind, [row for row in rows if row["kind"] == kind]) for kind in KINDS]
    told = [
        row
        | {"address": find_address(row["source"]), "cited": describe_source(row["source"])}
        | {"claim": repr(pairs[row["pair"]].claim), "says": pairs[row["pair"]].says}
        for row in rows
    ]
    return {
        "lines": [*lines, count_outcomes("all", rows)],
        "rows": told,
        "sources": len({row["source"] for row in rows}),
        "old": sum(row["search"] != today for row in rows),
        "root": rows[0]["root"] if rows else "",
        "budget": int(rows[0]["budget"]) if rows else 0,
    }


def count_outcomes(kind: str, rows: list[dict[str, str]]) -> dict[str, Any]:
    """A line of the confusion matrix: how many pairs, and which of them came out as they should not."""

    def named(form: str, outcome: str) -> list[str]:
        return [row["pair"] for row in rows if row[form] == outcome]

    wrong = {"led": named("broken", LED), "missed": named("broken", MISSED)}
    wrong |= {"refuted": named("mended", REFUTED), "accused": named("mended", ACCUSED)}
    return {"kind": kind, "pairs": len(rows), "found": len(named("broken", FOUND)), **wrong}


def find_address(source: str) -> str:
    """Where a source is: GitHub sends the address of an issue on to the pull request of that number."""
    for form, address in (("arXiv ", "https://arxiv.org/abs/"), ("doi ", "https://doi.org/"), ("https://", "https://")):
        if source.startswith(form):
            return address + source.removeprefix(form)
    return f"https://github.com/{source.replace('#', '/issues/')}"


if __name__ == "__main__":
    published = Path(__file__).resolve().parents[3] / "reports/published/corpus.csv"
    chosen = map(int, sys.argv[1:3]) if sys.argv[1:] else (ROOT, BUDGET)
    for made in make_rows(published, PAIRS, *chosen):
        print(*(made[name] for name in ("kind", "pair", "broken", "needed", "mended", "accusation")), sep="  ")
