"""The headline of a statement: one sentence for its page, `explain`, the ledger and the README.

The most important part comes first: privacy before utility, utility before constants, constants before running time.
A part with only a wrong constant or running time never heads a statement with a worse error in privacy or utility. A
headline has at most `LONGEST` characters, label included, and is never cut.
"""

import re
from collections.abc import Iterable, Mapping

from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, OPEN, REFUTED, SLIP, VACUOUS
from lemmata.experiments.engine.ledger.row import Row

LONGEST = 70
TIMES = ("time", "complexity", "runtime")  # how names of parts about running time begin
WORST = (  # verdict and severity, the most important first
    (REFUTED, "privacy"),
    (REFUTED, "statement"),
    (REFUTED, ""),
    (INCONCLUSIVE, ""),
    (OPEN, ""),
    (REFUTED, "constant"),
    (SLIP, ""),
    (VACUOUS, ""),
    (HOLDS, ""),
    (NOT_A_CLAIM, ""),
)
SPACED = r"(?<=[a-z])-(?=[a-z])"  # a hyphen for a space; that of `level-0` stays
TRIED = ("asserted", "sampled", "tested")
AS_PRINTED = "is true as printed"
PARTS = {  # names of parts that need more words
    "defined": "δ as in Definition 2",
    "used": "δ as in the proofs",
    "tail": "high-probability bound",
    "real-t": "non-integer t",
    "whole-t": "integer t",
    "cdf": "distribution function",
    "pmf": "probabilities",
    "pgf": "generating function",
    "iter": "trying all candidates",
    "tune": "private tuning",
    "runtime-iter": "running time of trying all",
    "runtime-tune": "running time of private tuning",
    "inverse-r": "bound on 1/r",
    "rate-uniform": "rate for every η at once",
    "privacy-squared": "privacy, σ̃² read as the scale",
    "utility-squared": "utility, σ̃² read as the scale",
    "utility-average": "utility, with the sensitivity of a mean",
    "units": "read with ‖Y‖⁴",
    "unseen": "records outside S₂",
    "hence": "the inference",
    "near": "distance from the cover",
    "gram": "Gram matrix",
    "words": "in words",
    "set": "as set in the text",
    "algorithm": "in Algorithm 1",
    "stated": "as the theorem states it",
    "above": "from above",
    "below": "from below",
    "region": "over a bounded set",
    "table": "against Table 1",
    "telescoped": "the telescoped sum",
    "winner": "score of the winner",
    "1-excess": "line 1",
    "2-separator": "line 2",
    "3-inliers": "bracket (a)",
    "4-outliers": "bracket (b)",
    "5-total": "the last line",
    "cauchy-density": "mass of the Cauchy row",
}
PROPER = {"cauchy": "Cauchy", "gaussian": "Gaussian", "laplace": "Laplace", "laplacian": "Laplacian", "rbf": "RBF"}
PROPER |= {"lipschitz": "Lipschitz", "renyi": "Rényi", "svm": "SVM", "eta": "η", "gamma": "γ"}
NO_CLAIMS = {  # first word of a label without a claim, and its phrase
    "Assumption": "states a condition, not a claim",
    "Question": "is an open question",
    "Remark": "is an explanation, not a claim",
    "Table": "summarizes results, which are checked below",
}
FALLEN = {
    "privacy": "an implementation of the text is not private",
    "statement": "false as printed",
    "constant": "only a constant is wrong",
    "": "false as printed",
}


def headline(rows: Iterable[Row]) -> str:
    """The sentence for one statement or step, from its printed ledger rows, or from all rows if none is printed."""
    own = [row for row in rows if row["kind"] != "summary" and not row["part"].startswith("impl:")]
    parts = sorted([row for row in own if row["reading"] == "printed"] or own, key=importance)
    first = find_leading(parts)
    label = statement_name(first["id"])
    if first["verdict"] == REFUTED:
        note = first["note"].rstrip(".")  # without a finding, use a note that is short enough
        short = note if 0 < len(note) <= LONGEST - len(label) - 2 else FALLEN[first["severity"]]
        return f"{label}: {first['finding'] or short}"
    parts = [row for row in parts if row["verdict"] != NOT_A_CLAIM]
    said = list(dict.fromkeys(map(describe_verdict, parts)))
    if len(said) < 2 or not first["part"]:
        return f"{label} {describe_verdict(first)}"
    groups = {
        text: [part_in_words(row["part"]) or "statement" for row in parts if describe_verdict(row) == text]
        for text in said
    }
    rest = {text: names for text, names in groups.items() if names != ["privacy"]}
    counted = {text: names if len(names) == 1 else [f"{len(names)} parts"] for text, names in groups.items()}
    largest = max(rest, key=lambda text: len(rest[text]), default="")
    aside = groups
    if len(rest) == 1 or len(rest.get(largest, [])) > 1:
        aside = {text: names for text, names in groups.items() if text != largest} | {largest: ["rest"]}
    bad = {text: names for text, names in groups.items() if text != AS_PRINTED or "privacy" in names}
    tried = [f"{label}: {join_clauses(each)}" for each in (groups, aside, counted, bad)]
    return next((text for text in tried if len(text) <= LONGEST), f"{label} {describe_verdict(first)}")


def part_in_words(part: str) -> str:
    """A part in words: `high-probability bound` for `tail`, `inner products` for `inner-products`."""
    return PARTS.get(part) or " ".join(PROPER.get(word, word) for word in re.sub(SPACED, " ", part).split(" "))


def join_clauses(groups: Mapping[str, list[str]]) -> str:
    """{phrase: its parts} as `private; time, utility true but for an edge case`."""
    clauses = []
    for text, names in groups.items():
        short = text.removeprefix("is ").removeprefix("false in an edge case, ").removesuffix(" elsewhere")
        clauses.append(f"{', '.join(names)} {short.removesuffix(' as printed')}")
    return "; ".join("private" if clause == "privacy true" else clause for clause in clauses)


def find_leading(rows: Iterable[Row]) -> Row:
    """The row that heads a statement: the worst one, and among equals the most important."""
    return min(rows, key=lambda row: (badness(row), importance(row)))


def badness(row: Row) -> int:
    """The rank of a verdict on a page: 0 for a privacy error."""
    return WORST.index((row["verdict"], row["severity"]))


def importance(row: Row) -> int:
    """0 for the statement itself and for privacy, 1 for other parts, 2 for constants, 3 for running time."""
    if row["part"].startswith(TIMES):
        return 3
    return 2 if row["severity"] == "constant" else int(row["kind"] != "privacy" and bool(row["part"]))


def statement_name(id: str) -> str:
    """`Lemma 3.1`, or `Lemma 3.1, s2` for a step of its proof."""
    step = id.removeprefix(library.statement_of(id)).strip(".")
    return library.label(id) + (f", {step}" if step else "")


def describe_verdict(row: Row) -> str:
    """The verdict as a phrase after the name of a statement or part."""
    if row["verdict"] == SLIP:
        if row.get("scope") == "settings":  # the corrected statement is only tested
            edge = "is false in an edge case, held where tried elsewhere"
            return "is misprinted, held where tried as corrected" if row.get("misprint") else edge
        return "is true but for a misprint" if row.get("misprint") else "is true but for an edge case"
    if row["verdict"] == REFUTED:
        return FALLEN[row["severity"]]
    if row["verdict"] == INCONCLUSIVE and row["reason"] == "CORNER":
        return "is false in an edge case, undecided elsewhere"
    if row["verdict"] == HOLDS and row["reading"] != "printed":
        return "is ours, and held where tried" if is_only_tried(row) else "is ours, and true"
    if row["verdict"] == NOT_A_CLAIM:
        return NO_CLAIMS.get(library.label(row["id"]).split()[0], "is a definition, not a claim")
    return {
        HOLDS: "held wherever we tried it" if is_only_tried(row) else AS_PRINTED,
        VACUOUS: "is vacuous at the sizes we tried",
        INCONCLUSIVE: "is undecided",
        OPEN: "is not decided yet",
    }[row["verdict"]]


def is_only_tried(row: Row) -> bool:
    """Whether a row that holds is only tested, or asserted."""
    return row["evidence"] in TRIED or row.get("scope") == "settings"


def describe_charity(row: Row) -> str:
    """Where a slip is true and whether the paper uses only that case; "" for other rows."""
    as_printed = describe_truth_as_printed(row)
    if not (row["corner"] or row["misprint"]):
        return as_printed
    if row["misprint"]:
        true = "held where we tried it" if row.get("scope") == "settings" else "holds"
        text = f"A misprint: {row['misprint']}. So corrected ({row['corrected_by']}) it {true}."
        return f"{text} {as_printed}".rstrip()
    if row["verdict"] == INCONCLUSIVE:
        return f"False in general; undecided for {row['corner']}: {row['undecided']}."
    used, restated = (", ".join(dict.fromkeys(map(_label, places or ()))) for places in (row["used"], row["restated"]))
    tried = row.get("scope") == "settings"
    true = "True where" if re.match(r"\w+ (has|is) ", row["corner"]) else "True for"  # a clause, or a noun
    text = f"Held wherever we tried it with {row['corner']}." if tried else f"{true} {row['corner']}."
    text += f" The paper uses it with this restriction only, in {used}." if used else ""
    text += f" The same flaw is in {restated}; no result depends on the false case." if restated else ""
    return text + ("" if used or restated else " We list no use of it.")


def describe_truth_as_printed(row: Row) -> str:
    """Where a misprint or an open statement is true word for word, as `paper.toml` says; "" where it does not."""
    paper = library.papers.get(row.get("paper", ""))
    if not paper or not (where := paper.true_where.get(row["key"])) or row["reason"] == "UNCONFIRMED":
        return ""
    return f"True for {where}. Otherwise open." if row["verdict"] == INCONCLUSIVE else f"As printed it is true {where}."


def _label(id: str) -> str:
    """`Lemma 3.1` for the id of a statement, or `Lemma 3.1, s2`; other texts unchanged."""
    try:
        return statement_name(id)
    except ValueError:
        return id
