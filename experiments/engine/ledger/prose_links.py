"""What the prose of a row names: each statement is a link of the graph, or a remark.

A remark says `cf.` before the name: "twice what is needed (cf. Lemma 21)". Every other statement that the docstrings or
the note of a row name is one that the row rests on, directly or in turn, that rests on it, or that uses it by what the
row says of its uses. So is every step ("s4") and every part ("part `profile`") of its own statement that its derivation
names. What states nothing, a definition or an assumption, can be named freely; a row that does not hold stands by its
witness, and links nothing.
"""

import functools
import inspect
import re
from collections.abc import Iterator

from lemmata.bounds.library import library
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.ground.evidence import extract_derivation
from lemmata.experiments.engine.ledger import graph

NUMBER = r"[A-Z]\.\d+[a-z]?|\d+(?:\.\d+)?[a-z]?"
KINDS = r"Lemma|Theorem|Corollary|Claim|Fact|Remark|Definition|Assumption|Equation|Table|Question|Footnote|Appendix"
NAMED = re.compile(rf"\b({KINDS})(?:s|ta)? \(?((?:{NUMBER})\)?(?:(?:, (?:and )?| and | to )(?:{NUMBER})\b)*)")
ALIAS = re.compile(rf"({KINDS}) (?:{NUMBER}) \(({NUMBER})\)")  # the appendix numbers it anew
REMARK = re.compile(r"\bcf\. .*?(?=[;)]|\. |\.?$)")  # to the end of the bracket, the clause or the sentence
STEP = re.compile(r"(?<![\w.])((?:\w+\.)*)([st]\d+)(?![\w(])")  # "s4", "thm6.7.s4"
PART = re.compile(r"\b[Pp]art `?([a-z][a-z-]+)")
YEAR = re.compile(r"\d{4}\)?,? $")  # somebody else's lemma: "Bartlett (1998), Theorem 2"


@functools.cache
def label_statements(paper: str) -> dict[str, str]:
    """What the statements of a paper are called, by both numbers where they have two.

    >>> [label_statements("wzw25")[label] for label in ("Lemma 6.2", "Lemma B.3")]
    ['wzw25.lem6.2', 'wzw25.lem6.2']
    """
    called = {}
    for id, label in library.papers[paper].contents.items():
        if match := NAMED.match(label):
            called[f"{match[1]} {match[2].rstrip(')')}"] = id
        if match := ALIAS.match(label):
            called[f"{match[1]} {match[2]}"] = id
    return called


def find_statements(text: str, paper: str) -> Iterator[str]:
    """The statements that a text about `paper` names, remarks left out.

    >>> list(find_statements("Lemma B.2 at e = gamma, twice what Theorems 4.1 and L.1 need (cf. Lemma 6.4).", "wzw25"))
    ['wzw25.lemB.2', 'wzw25.thm4.1', 'wzw25.thmL.1']
    >>> list(find_statements("Lemma A.3 of bms22, and Bartlett 1998, Theorem 4.1.", "wzw25"))
    ['bms22.lemA.3']
    """
    text = REMARK.sub("", " ".join(text.split()))
    others = "|".join(library.papers)
    for match in NAMED.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if YEAR.search(before):
            continue
        other = re.match(rf" of ({others})\b", after) or re.search(rf"\b({others})(?:'s|,)? $", before)
        called = label_statements(other[1] if other else paper)
        names = (f"{match[1]} {number}" for number in re.findall(NUMBER, match[2]))
        yield from (called[name] for name in names if name in called)
    for match in re.finditer(rf"(?<![\w./-])(?:{others})\.\w[\w.-]*\w", text):
        yield library.statement_of(match[0])


def collect_prose(claim: Claim) -> list[str]:
    """The texts of a row: docstrings of statement and check, the note. A row about a law leaves out its statement's."""
    own = [inspect.getdoc(inspect.unwrap(claim.trial)) or "", claim.note, claim.finding]
    return own if claim.law else [inspect.getdoc(claim.theorem.formula) or "", *own]


def states_nothing(id: str) -> bool:
    """Whether what is printed under an id is a definition, an assumption or a table."""
    printed = [theorem.kind for theorem in THEOREMS.values() if theorem.id == id and theorem.reading == "printed"]
    return "definition" in printed


def find_unlinked(claim: Claim, links: graph.Graph, turned: graph.Graph) -> list[str]:
    """The statements that the prose of a row names though no link joins them; `turned` is the graph `links` upwards."""
    joined = {claim.key, *graph.find_reachable([claim.key], links), *graph.find_reachable([claim.key], turned)}
    ids = {key.partition("/")[0] for key in (*joined, *claim.used, *claim.restated)}
    known = {library.statement_of(id) for id in ids}
    named = (id for text in collect_prose(claim) for id in find_statements(text, claim.theorem.paper))
    outside = [id for id in dict.fromkeys(named) if id not in known and not states_nothing(id)]
    return outside + [name for name, keys in find_own_parts(claim) if not joined & keys]


def find_own_parts(claim: Claim) -> Iterator[tuple[str, set[str]]]:
    """The steps and parts of its own statement that the derivation of a row names, each with the keys it may mean."""
    if claim.law:
        return
    text = REMARK.sub("", " ".join(extract_derivation(claim.theorem.formula).split()))
    statement = library.statement_of(claim.theorem.id)
    own = [theorem for theorem in THEOREMS.values() if theorem.id.startswith(statement)]
    steps = [step for prefix, step in STEP.findall(text) if f"{statement}.".endswith(prefix)]
    for name in dict.fromkeys(f"{statement}.{step}" for step in steps):
        if keys := {theorem.key for theorem in own if theorem.id == name}:
            yield name, keys
    for part in dict.fromkeys(match[1] for match in PART.finditer(text)):
        if keys := {theorem.key for theorem in own if theorem.part == part}:
            yield f"part {part}", keys
