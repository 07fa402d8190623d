"""The result of an audit as a record, with its text."""

import json
from dataclasses import asdict, dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from lemmata.bounds.statement.notebook import card
from lemmata.mechanisms.audit.evidence.stakes import parameter
from lemmata.mechanisms.audit.neighbours.changes import Neighbours
from lemmata.mechanisms.audit.neighbours.record_tables import stored
from lemmata.mechanisms.numerics.inherited_docs import inherit_docs


@dataclass(frozen=True)
class Audit:
    """The result of an attack; `print` shows it in one line.

    Attributes
    ----------
    claim : Guarantee, list or function
        What was attacked.
    verdict, reason : str
        REFUTED, or INCONCLUSIVE with a reason: AUDIT_ONLY (survived, and what would have been caught is
        `smallest_caught`), NO_POWER (no attacker told the datasets apart: nothing is known), BUDGET (not even a
        mechanism without any noise could have been refuted by so few releases), NOT_AUDITED (a side raised at every
        release, there was one and the same outcome throughout, or a side was told from a copy of itself: `event` says
        which), INTERRUPTED.
    lower, lower_at_level : float
        What epsilon or mu exceeds, but for a chance of 1e-3; but for one of `level`.
    event : str
        The attacker that gained most, where it guessed, and how often it was right.
    smallest_caught : float or None
        The same mechanism, with every log-odds this many times as large (its noise so many times too small; or, against
        a delta, with its events so many times as likely), would have been refuted with probability about 0.99.
    log10_e : float
        The evidence against the claim: a true one reaches x with a chance of at most 10^-x.
    trained, judged : int
        Releases that only trained, and that were judged.
    seconds : float
        CPU seconds.
    course : tuple of (int, float)
        (releases, log10 of the evidence) after every chunk.
    root : int
        With which the same audit is made again.
    """

    claim: Any
    verdict: str
    reason: str
    lower: float
    lower_at_level: float
    event: str
    smallest_caught: float | None
    log10_e: float
    trained: int
    judged: int
    seconds: float = field(compare=False)
    course: tuple[tuple[int, float], ...] = field(default=(), repr=False)
    root: int | None = None

    def as_json(self) -> dict:
        """The record as plain data; the claim as its repr."""
        return asdict(replace(self, claim=None)) | {"claim": repr(self.claim)}

    def _repr_html_(self) -> str:
        facts = [("reason", self.reason or "–"), ("found", self.event or self.unseen)]
        facts += [("exceeds, but for a chance of 1e-3", f"{self.lower:.3g}")] if self.lower else []
        facts += [("a leak so many times as large is caught", f"{self.smallest_caught or inf:.3g}")]
        facts += [("releases", f"{self.judged} judged, {self.trained} for training, {self.seconds:.1f} seconds")]
        return card(f"Audit of {self.claim}", facts, mark=self.verdict)

    @property
    def unseen(self) -> str:
        """The text when no attacker distinguishes the datasets."""
        return "the datasets look alike" if self.judged else "nothing was judged"

    def __str__(self) -> str:
        if self.reason == "NOT_AUDITED":
            return f"{self.claim}: {self.verdict} ({self.reason}): nothing was audited, because {self.event}"
        name, _ = parameter(self.claim)
        saw = f"{name} > {self.lower:.3g} (99.9 %), by {self.event}" if self.lower else self.unseen
        came = f"{self.claim}: {self.verdict}" + (f" ({self.reason})" if self.reason else "")
        survived = "; survived" if self.reason == "AUDIT_ONLY" else ""
        caught = (
            f": {self.smallest_caught:.3g} times its leak on these datasets would have been caught"
            if self.smallest_caught
            else ""
        )
        spent = f"{self.judged} releases judged, {self.trained} for training; root {self.root}"
        return f"{came}{survived}{caught}; {saw}; {spent}"


@inherit_docs
@dataclass(frozen=True)
class Found(Audit):
    """The result of an audit that searched for neighbours: an `Audit` of the pair with most evidence.

    Attributes
    ----------
    target : str
        What was audited.
    pair : Neighbours or None
        The two datasets, and in words how they differ.
    pairs : int
        How many were tried.
    searched : int
        Releases of the search, which judge nothing.
    needed : int
        Releases of any kind until a claim was refuted, or in all: those that make the pair smaller come afterwards.
    refused : tuple of (str, str)
        What the mechanism declined before it had read anything: what it raised, and for which data.
    changes : str
        The kinds of change that were tried, and those that were not.
    place : tuple of str
        Where `trace` sees the two datasets part: leads, the most telling first. Of a claim that is not refuted too:
        then they say where to look, and no more.
    reproducer : str
        A program of at most 20 lines that shows it without this package.
    """

    target: str = ""
    pair: Neighbours | None = field(default=None, repr=False, compare=False)
    pairs: int = 0
    searched: int = 0
    needed: int = 0
    refused: tuple[tuple[str, str], ...] = ()
    changes: str = ""
    place: tuple[str, ...] = ()
    reproducer: str = field(default="", repr=False)

    def as_json(self) -> dict:
        """The record as plain data, without the datasets."""
        plain = asdict(replace(self, claim=None, pair=None)) | {"claim": repr(self.claim)}
        return plain | {"pair": self.pair.words if self.pair else None}

    def __str__(self) -> str:
        lines = [f"{self.target}: {super().__str__()}"]
        lines.append(f"  {self.pairs} pairs tried with {self.searched} releases" + (":" if self.pair else ""))
        if self.pair:
            lines.append(f"  {self.pair.words}")
        lines += [f"  {self.changes}"] * bool(self.changes)
        lines += [f"  {lead}" for lead in self.place]
        lines += [f"  it refused data, which is not judged: {what} ({words})" for what, words in self.refused]
        return "\n".join(lines)

    def save(self, path: str | Path) -> None:
        """Save the pair as PATH.npz and the result as PATH.json."""
        path = Path(path)
        if self.pair is None:
            raise ValueError("there is nothing to save, because no pair was found")
        sides = {"data": self.pair.data, "neighbour": self.pair.neighbour}
        arrays = {f"{side}_{name}": array for side, parts in sides.items() for name, array in stored(parts)}
        np.savez(path.with_suffix(".npz"), **arrays)  # type: ignore[arg-type]
        path.with_suffix(".json").write_text(json.dumps(self.as_json(), indent=1) + "\n", encoding="utf-8")
