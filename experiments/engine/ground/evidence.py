"""Kinds of evidence of a row that HOLDS, weakest first, and the requirements of each.

A claim without stated evidence is *tested*, at the settings that ran. A *derivation* names its steps, and a program
runs at least one of them: `steps` of the claim, a `Link` that its check yields, or a row that it is `given` and calls.
A section "Derivation" in the docstring of the record, which the pages and `explain` show, is prose: alone it makes a
row *asserted*. A check that only combines the same parts as the statement's own function is a *composition*: it shows
that the parts exist and cannot see an error that both sides share.
"""

import inspect
import re
from collections.abc import Callable, Collection

from lemmata.bounds.theorem import Theorem

EVIDENCE = (
    "asserted",
    "sampled",
    "tested",
    "composition",
    "derivation",
    "enumeration",
    "certificate",
    "",
)  # weakest first
PROSE = ("composition", "derivation")  # to be judged by a reader
MACHINE = ("enumeration", "certificate")
FEWEST = 12  # words of a derivation
FRESH = 3  # words of its own, if it has no chain of relations
RELATION = re.compile(r"<=|>=|[=<>≤≥≈⇒]")
FILLERS = frozenset(
    """
    a above an and any are as at be because below bound by can claim claimed clear derivation each equals
    every exactly follows for form formula from given hence here holds if in is it its left line most of on
    one or right said same says shown side since so stated statement text that the their then there therefore
    this thus to trivially true value we what where which with
    """.split()
)
NAMED = re.compile(r"[=<>≤≥≈⇒^/]|\b[a-z]+\d+\.\w+")  # a formula, or a row


def find_weakest(kinds: Collection[str]) -> str:
    """The weakest of these kinds of evidence."""
    return min(kinds, key=EVIDENCE.index)


def extract_derivation(formula: Callable) -> str:
    """The section "Derivation" of a record's docstring, up to the examples; "" if there is none."""
    found = re.search(r"(?:^|\n\n)(Derivation\b.*?)(?=\n*>>>|\Z)", inspect.getdoc(formula) or "", re.DOTALL)
    return found[1].strip() if found else ""


def strip_derivation(note: str, formula: Callable) -> str:
    """The note of a row without the derivation at its end, for a page that also shows the docstring."""
    return note.removesuffix(extract_derivation(formula)).removesuffix("; ")


def has_derivation(formula: Callable, says: str = "") -> bool:
    """Whether a record has a derivation: at least `FEWEST` words, one of them a formula or a row.

    Repeating what the statement `says` is not a step. A derivation needs words that neither the statement nor the rest
    of its docstring has, or a chain of two relations, a = b <= c. A reader has to judge whether the steps are right.

    >>> def rows(): "Derivation. Trivial."
    >>> has_derivation(rows)
    False
    """
    text = extract_derivation(formula)
    return (
        len(text.split()) >= FEWEST
        and bool(NAMED.search(text))
        and (_is_chain(text) or _has_own_words(text, formula, says))
    )


def _is_chain(text: str) -> bool:
    """Whether one sentence relates three terms or more."""
    return any(len(RELATION.findall(sentence)) >= 2 for sentence in re.split(r"[.;]\s", text))


def _has_own_words(text: str, formula: Callable, says: str) -> bool:
    """Whether a derivation adds at least `FRESH` words to the docstring and the statement."""
    rest = (inspect.getdoc(formula) or "").replace(text, "")
    return len(_words(text) - _words(rest) - _words(says) - FILLERS) >= FRESH


def _words(text: str) -> set[str]:
    """The words and terms of a text, those of LaTeX as in a docstring."""
    plain = re.sub(r"[\\{}$]", "", text.replace("**", "^")).lower()
    return {word.strip(".,;:'\"()") for word in plain.split()}


def find_missing_steps(evidence: str, scope: str, theorem: Theorem, given: Collection) -> str:
    """What a row with this `evidence` and `scope` lacks; "" if it meets the requirements."""
    if evidence not in EVIDENCE:
        return f"evidence must be one of {', '.join(EVIDENCE[:-1])}, got {evidence!r}"
    if given or has_derivation(theorem.formula, theorem.says):
        return ""
    needs = f'given=[rows], or a section "Derivation" of at least {FEWEST} words in the docstring of '
    needs += f"{theorem.formula.__name__}, with a formula and a step that the statement does not say itself"
    if evidence == "derivation":
        return f"evidence = 'derivation' requires {needs}"
    if scope == "everywhere":
        return f"evidence {evidence or 'tested'!r} everywhere requires {needs}; without these write scope='settings'"
    return ""
