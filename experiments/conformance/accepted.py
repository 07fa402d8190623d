"""What a paper's rows came to when somebody last looked: `accepted.csv` beside its `paper.toml`.

A line a row: its verdict and reason, the digest of what it states, and its tie, the factor nearest to 1 by which the
statement is multiplied where the row falls ("" for 1/2 or 2, "none" where none to 10,000 does it). `lemmata accept`
renews the lines of what changed, and no other.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.library import Paper, PaperError, library
from lemmata.bounds.statement.source import FORM
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.conformance import ties
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.claims.verdict import current_reason
from lemmata.experiments.engine.ground import files
from lemmata.experiments.engine.running.store import Store

GONE = "gone"
HISTORY = "history.md"  # beside paper.toml: a printed statement changes with a line there only


@dataclass(frozen=True)
class Accepted:
    """One line of the table."""

    key: str
    verdict: str = ""  # "" of a record that no claim decides
    reason: str = ""
    digest: str = ""
    tie: str = ""
    form: int = FORM


HEAD = tuple(field.name for field in fields(Accepted))


def file(paper: Paper) -> Path:
    """Where the table of a paper stands."""
    return paper.folder / "accepted.csv"


def read(paper: Paper) -> dict[str, Accepted]:
    """{key: its line}; nothing where nothing was accepted yet."""
    lines: list[dict[str, Any]] = read_table(file(paper), HEAD)
    for line in lines:
        if not line["form"].isdecimal():
            raise PaperError(f"{file(paper)}: form of {line['key']} must be a number, got {line['form']!r}")
        line |= {"form": int(line["form"]), "reason": current_reason(line["reason"])}
    return {line["key"]: Accepted(**line) for line in lines}


def everything() -> dict[str, Accepted]:
    """The lines of all papers of this package."""
    return {key: line for paper in library.house for key, line in read(paper).items()}


def write(paper: Paper, lines: Mapping[str, Accepted]) -> None:
    """Write the table, sorted by key."""
    files.write_table(file(paper), HEAD, (astuple(lines[key]) for key in sorted(lines)))


def records(paper: Paper) -> dict[str, str]:
    """{key: the digest of what is stated} of every record and every claim of a paper."""
    registry.load(registry.list_modules([paper]))
    kept = {key: theorem.digest for key, theorem in THEOREMS.items() if theorem.paper == paper.id}
    return kept | {key: claim.theorem.digest for key, claim in CLAIMS.items() if claim.theorem.paper == paper.id}


def renew(paper: Paper, rows: Iterable[Mapping], told: Callable[[str], None], store: Store) -> dict[str, Accepted]:
    """The table after a run that came to the ledger rows `rows`; `told` hears what changed, a sentence each.

    A tie is looked for again where the row is new, where its verdict or its statement changed, and where its check is
    another than the one that `store` remembers: a check that comes nearer to the bound, or less near, has another tie.
    """
    before, now = read(paper), {}
    verdicts = {row["key"]: (row["verdict"], row["reason"]) for row in rows if row["kind"] != "summary"}
    for key, digest in records(paper).items():
        verdict, reason = verdicts.get(key, ("", "")) if key in CLAIMS else ("", "")
        line = Accepted(key, verdict, reason, digest)
        old = before.get(key)
        now[key] = replace(line, tie=tie_of(CLAIMS[key], old.tie if old else "", store) if verdict == HOLDS else "")
        if now[key] != old:
            told(f"{key}: {said(old)} -> {said(now[key])}")
    for key in before.keys() - now.keys():
        told(f"{key}: {said(before[key])} -> {GONE}")
    return now


def tie_of(claim: Claim, before: str, store: Store) -> str:
    """The tie of a row that holds, as `store` remembers it for this check and this statement, or as it is found now."""
    made = fingerprint.hash_code(claim.theorem.formula, claim.trial, *filter(None, [claim.by]))
    return store.recall(claim.key, f"tie {made}", lambda: ties.find_tie(claim, before))


def said(line: Accepted | None) -> str:
    """A line in words."""
    if line is None:
        return "new"
    tie = f", tie {line.tie}" if line.tie else ""
    return f"{line.verdict or 'recorded'}{f' ({line.reason})' if line.reason else ''}, digest {line.digest[:8]}{tie}"


# The history of a paper, which says why a printed statement changed ---------------------------------------------------


def announced(key: str, digest: str, lines: Iterable[str]) -> bool:
    """Whether a line names the key and the digits as words of their own: `- bms22.lemA.2/printed 0123abcd: why`."""
    words = [[word.strip("`:,.") for word in line.split()] for line in lines]
    return any((key, digest[:8]) in itertools.pairwise(each) for each in words)


def unannounced(before: Mapping[str, str], now: Mapping[str, str], history: str) -> dict[str, str]:
    """{key: its digits} of every statement whose digest changed or went without its line."""
    changed = {key: now.get(key, GONE) for key, digest in before.items() if now.get(key) != digest}
    lines = history.splitlines()
    return {key: digest[:8] for key, digest in changed.items() if not announced(key, digest, lines)}


def printed(lines: Mapping[str, Accepted]) -> dict[str, str]:
    """{key: digest} of what is printed, among the lines of a table."""
    return {key: line.digest for key, line in lines.items() if key.split("/")[1] == "printed" and "impl:" not in key}


def history_of(paper: Paper) -> str | None:
    """The text of a paper's history; None where it keeps none."""
    path = paper.folder / HISTORY
    return path.read_text(encoding="utf-8") if path.is_file() else None
