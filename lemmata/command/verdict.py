"""`lemmata.verdict`: the output of `lemmata explain` as an object for programs and notebooks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lemmata.bounds.statement.formula import in_symbols
from lemmata.bounds.statement.notebook import card
from lemmata.command.console import LEDGER_ROOT, Usage
from lemmata.command.rows import compute_statement, read_statement, recall_statement
from lemmata.mechanisms.numerics.arithmetic import short_repr

if TYPE_CHECKING:
    from lemmata.experiments.engine.ledger.row import Row

START = 11  # columns of the names of facts in the first lines of `explain`


@dataclass(frozen=True)
class Verdict:
    """The verdict on one statement, or on one step of a printed proof.

    Attributes
    ----------
    id, title : str
        `wzw25.lem6.4`, and its label, paper and title.
    verdict : str
        Of the printed statement: HOLDS, SLIP, REFUTED, VACUOUS, INCONCLUSIVE, NOT_A_CLAIM or OPEN.
    facts : dict
        The first lines of `lemmata explain`: "true?", "where", "printed", "cite", "witness", "evidence", "control",
        "parts" and "code", a text each.
    rows : tuple of dict
        Every reading, part and step, as in `lemmata ledger --json`.
    text : str
        All that `lemmata explain` prints; `print(verdict)` shows it.
    """

    id: str
    title: str
    verdict: str
    facts: dict[str, str] = field(repr=False)
    rows: tuple[Row, ...] = field(repr=False)
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return card(self.title, self.facts.items(), mark=self.verdict, below=self.text)


def verdict(name: str, folder: str | Path | None = None, *, root: int = LEDGER_ROOT) -> Verdict:
    """Return whether a statement is true, where, and what to cite instead, as `lemmata explain` does.

    Parameters
    ----------
    name : str
        An id, a key, or a label in words, as on the command line.
    folder : path, optional
        Folder of stored results, by default the folder of `lemmata run`. If nothing was run, the published record
        answers, and a line on stderr says so.
    root : int
        Root seed of the run.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError
        For an unknown name, or one that means several statements.

    Examples
    --------
    >>> found = verdict("wzw25 Lemma 6.4")
    >>> found.id, found.title[:9], sorted(found.facts)[:3]
    ('wzw25.lem6.4', 'Lemma 6.4', ['cite', 'code', 'control'])
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(
            f"name must be the id or label of a statement, such as 'wzw25 Lemma 6.4', got {short_repr(name)}"
        )
    try:
        papers, id, place, state = read_statement([name], None if folder is None else str(folder))
        from lemmata.experiments.engine.front.explanation import explain_in_short, explain_statement

        rows, links = recall_statement(id, root, place, papers, state) or compute_statement(id, root, place, papers)
    except Usage as error:
        raise ValueError(error.message) from None
    mine = tuple(row for row in rows if id in (row["id"], row["parent"]))
    title, *lines = explain_in_short(id, list(mine))
    facts = {line[:START].strip(): line[START:] for line in lines}
    own = [row for row in mine if row["id"] == id]
    main: Any = next((row for row in own if row["reading"] == "printed" and not row["part"]), own[0] if own else None)
    return Verdict(
        id, in_symbols(title), main["verdict"] if main else "OPEN", facts, mine, explain_statement(id, rows, links)
    )
