"""How to cite a paper, a row of ours, and the suite; the same for machines, as JSON-LD; and whom to reply to."""

import contextlib
import functools
import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from lemmata.bounds.catalogue.library import last_first
from lemmata.bounds.library import Paper, Work, library
from lemmata.bounds.statement.verdicts import NOT_A_CLAIM, OPEN

TITLE = "Lemmata: executable theorems on differentially private learning with margin guarantees"
AUTHORS = "The Lemmata authors"
BY_OTHERS = "decided with Lemmata"  # of a verdict whose statement and check are somebody else's work
YEAR = 2026
ROOT = Path(__file__).resolve().parents[2]  # of a checkout


@functools.cache  # a page asks for it at each row, and it is parsed out of the package's metadata
def read_version() -> str:
    """The version of this package."""
    return metadata.version("lemmata")


@functools.cache
def read_edition() -> str:
    """The version, and in a checkout its commit."""
    # HEAD is that of this project and of no folder around it.
    asked = ["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        if (ROOT / ".git").exists():
            commit = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
            return f"{read_version()}, commit {commit}"
    return read_version()


def read_date() -> str:
    """The day on which pages are written, in UTC; that of SOURCE_DATE_EPOCH where a build is to be repeated."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    return (datetime.fromtimestamp(int(seconds), UTC) if seconds else datetime.now(UTC)).date().isoformat()


def find_contact(paper: Paper) -> str:
    """Where an author can reply: `contact` of the paper.toml, of our papers else that of the project; or ""."""
    return paper.contact or (find_project_contact() if paper.house else "")


def find_project_contact() -> str:
    """Where the project can be reached: what LEMMATA_CONTACT says, which a host of the site knows, or `Contact` of the
    package; or "".
    """
    named = dict(line.split(", ", 1) for line in metadata.metadata("lemmata").get_all("Project-URL") or [])
    return os.environ.get("LEMMATA_CONTACT", "") or named.get("Contact", "")


def make_address(contact: str) -> str:
    """A contact as a link: an e-mail address, or a page."""
    return f"mailto:{contact}" if "@" in contact and "://" not in contact else contact


def make_permanent_name(row: Mapping[str, Any], erratum: str = "") -> str:
    """The id of a row that never changes: `lemmata:wzw25:E1` of an erratum, else `lemmata:` and its key."""
    return f"lemmata:{row['paper']}:{erratum}" if erratum else f"lemmata:{row['key']}"


def cite_software() -> str:
    """The suite."""
    return write_bibtex("software", "lemmata", {"author": f"{{{AUTHORS}}}", "title": TITLE})


def write_bibtex(kind: str, key: str, fields: Mapping[str, str]) -> str:
    """One entry of a bibliography, with year and version of the suite."""
    whole = {**fields, "year": str(YEAR), "version": read_version()}
    lines = [f"  {name} = {{{value}}}" for name, value in whole.items() if value]
    return ",\n".join([f"@{kind}{{{key}", *lines]) + "\n}"


def cite_row(row: Mapping[str, Any], erratum: str = "") -> str:
    """How to cite the paper of a row, and the row itself with the version and its permanent id."""
    return f"{library.work(row['id']).bibtex()}\n{cite_verdict(row, erratum)}"


def cite_verdict(row: Mapping[str, Any], erratum: str = "") -> str:
    """How to cite a row alone, on a page that says how to cite its paper."""
    paper, work = library.paper(row["id"]), library.work(row["id"])
    place = f"{row['label']}, {row['reading']}" + (f", {row['part']}" if row["part"] else "")
    author, where = f"{{{AUTHORS}}}", f"in {TITLE}"
    if not paper.house:
        author, where = " and ".join(map(last_first, paper.checked_by)), BY_OTHERS
    fields = {
        "author": author,
        "title": f"{place}: a verdict on {work.cited.replace('&', 'and')}, {where}",
        "note": f"{make_permanent_name(row, erratum)}, {row['verdict']}",
    }
    key = re.sub(r"[^A-Za-z0-9]+", "-", f"lemmata-{row['key']}").strip("-")
    return write_bibtex("misc", key, fields)


# For machines ---------------------------------------------------------------------------------------------------------


def describe_article(work: Work) -> dict[str, Any]:
    """A paper in the words of schema.org."""
    fields = {
        "@type": "ScholarlyArticle",
        "name": work.title,
        "author": list_persons(work.authors),
        "datePublished": str(work.year),
        "isPartOf": work.venue,
        "sameAs": [link for _, link in list_links(work)],
    }
    return {name: value for name, value in fields.items() if value}


def list_persons(names: Iterable[str]) -> list[dict[str, str]]:
    """People in the words of schema.org."""
    return [{"@type": "Person", "name": name} for name in names]


def list_links(work: Work) -> list[tuple[str, str]]:
    """(words, address) of every place where a paper can be read."""
    found = [(f"arXiv:{work.arxiv}", f"https://arxiv.org/abs/{work.arxiv}")] if work.arxiv else []
    found += [(f"doi:{work.doi}", f"https://doi.org/{work.doi}")] if work.doi else []
    return found + ([(work.url.partition("://")[2].strip("/"), work.url)] if work.url else [])


def describe_statement(s: Mapping[str, Any]) -> str:
    """JSON-LD of a statement's page: a review of what the paper claims there; "" of what claims nothing yet."""
    if s["row"]["verdict"] in (NOT_A_CLAIM, OPEN):
        return ""
    paper = library.paper(s["row"]["id"])
    ours = {
        "author": {"@type": "Organization", "name": AUTHORS},
        "isPartOf": {"@type": "SoftwareApplication", "name": "Lemmata", "softwareVersion": read_version()},
    }
    review = {
        "@context": "https://schema.org",
        "@type": "ClaimReview",
        "identifier": make_permanent_name(s["row"]),
        "claimReviewed": s["title"],
        "itemReviewed": {"@type": "Claim", "name": s["label"], "appearance": describe_article(s["work"])},
        "reviewRating": {"@type": "Rating", "alternateName": s["word"]},
        "reviewBody": s["headline"],
    }
    theirs = {"author": list_persons(paper.checked_by)} if paper.checked_by else {}
    return embed_json(review | (ours if paper.house else theirs))


def describe_errata(paper: Paper, errata: Iterable[Mapping[str, Any]]) -> str:
    """JSON-LD of an errata page: the paper, and a correction a row."""
    corrections = [
        {"@type": "CorrectionComment", "identifier": row["permanent"], "text": row["finding"]} for row in errata
    ]
    return embed_json({"@context": "https://schema.org", **describe_article(paper), "correction": corrections})


def embed_json(data: Mapping[str, Any]) -> str:
    """JSON that can stand inside an element of a page, whatever texts it holds."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
