"""The graph of the ledger: what a row rests on, what falls if it falls, and what that makes it worth.

A row that HOLDS is *machine-checked* (a certificate or an enumeration covers the stated domain), *derived* (a proof of
which a program runs steps), *composed* (its check only computes again what the statement computes), *citing* (any of
these up to a result that is cited without a proof of ours), *tested* (at the settings that were tried), or *asserted*
(a proof in prose of which no step was checked). A chance of error of 0 is claimed for the first class only.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from lemmata.bounds.library import library
from lemmata.bounds.statement.closure import closure
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, OPEN, REFUTED, SLIP, VACUOUS
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.ground.evidence import MACHINE, PROSE
from lemmata.experiments.engine.ground.grouping import group_by
from lemmata.experiments.engine.ledger.row import Row

CLASSES = {
    "machine-checked": "machine-checked",
    "derived": "derived",
    "composed": "composed",
    "citing": "citing",
    "tested": "tested",
    "asserted": "asserted",
    "refuted": "refuted",
    "constant": "wrong constants",
    "slip": "slips",
    "vacuous": "vacuous",
    "inconclusive": "inconclusive",
    "not-a-claim": "not a claim",
    "open": "open",
}
Graph = Mapping[str, Iterable[str]]  # key -> the keys that it rests on


def class_of(row: Row) -> str:
    """The class that a row is counted and coloured under."""
    if row["verdict"] != HOLDS:
        return {
            REFUTED: "constant" if row["severity"] == "constant" else "refuted",
            SLIP: "slip",
            VACUOUS: "vacuous",
            INCONCLUSIVE: "inconclusive",
            NOT_A_CLAIM: "not-a-claim",
            OPEN: "open",
        }[row["verdict"]]
    if row["evidence"] == "asserted":
        return "asserted"
    if row["evidence"] == "composition" and not row["cites"]:
        return "composed"
    if row["evidence"] not in (*MACHINE, *PROSE) or row["scope"] in ("settings", ""):
        return "tested"
    if row["cites"]:
        return "citing"
    return "derived" if row["evidence"] == "derivation" else "machine-checked"


def tally(rows: Iterable[Row]) -> Counter[str]:
    """How many rows are in each class."""
    return Counter(map(class_of, rows))


def format_tally(tallied: Counter[str]) -> str:
    """A tally as `31 machine-checked, 357 derived, 2 refuted`."""
    return ", ".join(f"{tallied[name]} {text}" for name, text in CLASSES.items() if tallied[name])


def graph_of_claims() -> Graph:
    """The graph of all claims that are registered: complete once every module is imported."""
    return {key: claim.rests_on for key, claim in CLAIMS.items()}


def reverse_graph(graph: Graph) -> Graph:
    """The graph with its links turned round: key -> the keys that rest on it."""
    pairs = group_by(((link, key) for key, links in graph.items() for link in links), lambda pair: pair[0])
    return {link: [key for _, key in each] for link, each in pairs.items()}


def find_reachable(keys: Iterable[str], graph: Graph) -> list[str]:
    """Everything that `keys` lead to, themselves apart, nearest first."""
    return [key for key, removes in closure(keys, lambda key: graph.get(key, ())) if removes]


def group_by_statement(keys: Iterable[str]) -> dict[str, list[str]]:
    """Keys by the statement they belong to, {"wzw25 Lemma 6.4": keys}, in the order of the papers."""
    order = {id: place for place, id in enumerate(library.ids)}
    groups = group_by(keys, lambda key: library.statement_of(key.partition("/")[0]))
    return {f"{id.partition('.')[0]} {library.label(id)}": groups[id] for id in sorted(groups, key=order.__getitem__)}
