"""Evidence: what a row that HOLDS stands on, weakest first, and what it takes to earn it.

A claim that says nothing is *tested*, at the settings that ran. A *derivation* names its steps: rows that the claim
is `given`, or a section "Derivation" in the docstring of the record, which the pages and `explain` show. A check that
only puts together what the statement's own body puts together is a *composition*: it shows that the parts are there,
and cannot see an error that both sides share.
"""

import inspect
import re
from collections.abc import Callable, Collection

EVIDENCE = ("sampled", "tested", "composition", "derivation", "enumeration", "certificate", "")  # weakest first
PROSE = ("composition", "derivation")  # what a person has to check
MACHINE = ("enumeration", "certificate")
FEWEST = 12  # words of a derivation that says something
NAMED = re.compile(r"[=<>≤≥≈⇒^/]|\b[a-z]+\d+\.\w+")  # a formula, or a row


def weakest(kinds: Collection[str]) -> str:
    """The weakest link."""
    return min(kinds, key=EVIDENCE.index)


def derivation(formula: Callable) -> str:
    """The section of a record's docstring that begins with "Derivation", up to the examples; "" where there is none."""
    found = re.search(r"(?:^|\n\n)(Derivation\b.*?)(?=\n*>>>|\Z)", inspect.getdoc(formula) or "", re.DOTALL)
    return found[1].strip() if found else ""


def without_derivation(note: str, formula: Callable) -> str:
    """The note of a row less the derivation that closes it, for a page that shows the docstring too."""
    return note.removesuffix(derivation(formula)).removesuffix("; ")


def derived(formula: Callable) -> bool:
    """Whether the record of a statement derives it: in at least `FEWEST` words, of which one is a formula or a row.

    >>> def rows(): "Derivation. Trivial."
    >>> derived(rows)
    False
    """
    text = derivation(formula)
    return len(text.split()) >= FEWEST and bool(NAMED.search(text))


def missing(evidence: str, scope: str, formula: Callable, given: Collection) -> str:
    """What a row lacks that says `evidence` and `scope` of itself; "" where it has earned them."""
    if evidence not in EVIDENCE:
        return f"evidence = {evidence!r} is not one of {', '.join(EVIDENCE[:-1])}"
    if given or derived(formula):
        return ""
    needs = f'given=[rows], or a section "Derivation" of at least {FEWEST} words with a formula in the docstring'
    if evidence == "derivation":
        return f"evidence = 'derivation' names no step: {needs} of {formula.__name__}"
    if scope == "everywhere":
        return f"scope = 'everywhere' is more than {evidence or 'nothing'} covers: {needs} of {formula.__name__}"
    return ""
