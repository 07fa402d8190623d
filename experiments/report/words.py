"""A row of the ledger in the words, classes and links of the pages."""

import inspect
import re
import sys
import unicodedata
from collections.abc import Iterable
from typing import Any

from lemmata.bounds.library import PaperError, library
from lemmata.bounds.statement.formula import in_symbols, in_unicode
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, REFUTED
from lemmata.bounds.theorem import THEOREMS, Theorem
from lemmata.experiments.engine.front.explanation import EVIDENCE, REASONS, describe_tightness
from lemmata.experiments.engine.ground.evidence import strip_derivation
from lemmata.experiments.engine.ledger.graph import CLASSES, class_of, tally
from lemmata.experiments.engine.ledger.headline import describe_charity, describe_truth_as_printed, part_in_words
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.ledger.sentences import (
    HIDDEN,
    describe_search,
    describe_share,
    describe_witness,
    name_hypotheses,
)
from lemmata.experiments.report.formulas import break_lines, convert_to_mathml

ENOUGH = 45  # characters that say what is wrong, on a card
EDGES = {
    "refuted": "bad",
    "constant": "dubious",
    "slip": "dubious",
    "machine-checked": "good",
    "derived": "good",
    "composed": "good",
    "citing": "good",
    "tested": "good",
    "asserted": "good",
}
ALONE = {"slip": "slip", "constant": "wrong constant"}  # of one row, what counts call slips and wrong constants
ORNAMENTS = "hat widehat tilde bar mathring mathcal mathbf mathbb".split()
BARE = "".join(rf"(?<!\\{name} )" for name in ORNAMENTS)  # what is not before a letter without an ornament
ABBREVIATIONS = {
    "jl": "johnson-lindenstrauss",
    "erm": "empirical risk minimization",
    "gdp": "gaussian differential privacy",
    "svm": "support vector machine",
    "tnb": "truncated negative binomial",
    "vc": "vapnik-chervonenkis",
    "rff": "random fourier features",
    "sgd": "stochastic gradient descent",
}


def count_classes(rows: Iterable[Row]) -> dict[str, int]:
    """{class: how many}, in the order of the classes, without zeros."""
    counts = tally(rows)
    return {name: counts[name] for name in CLASSES if counts[name]}


def make_anchor(key: str) -> str:
    """A key as the id of an element."""
    return re.sub(r"[^A-Za-z0-9.-]", "_", key)


def find_page(id: str) -> str:
    """The page of the statement that `id` is, or is a step of."""
    return f"statements/{make_anchor(library.statement_of(id))}.html"


def name_row(row: dict) -> str:
    """What a row is called below its statement: its step, its part, or our own code; else the paper's label."""
    if row["part"].startswith("impl:"):
        return f"our code: {row['part'].removeprefix('impl:')}"
    step = row["id"].removeprefix(library.statement_of(row["id"])).strip(".")
    reading = row["reading"] if row["reading"] != "printed" else ""
    return " ".join(filter(None, (name_step(step), part_in_words(row["part"]), reading))) or row["label"]


def name_step(step: str) -> str:
    """`step s1` for a number; a step that has a name goes by it: `text` of a footnote."""
    return f"step {step}" if re.search(r"\d", step) else part_in_words(step)


def capitalize(text: str) -> str:
    """With a capital; a formula that comes first, a letter like n or ε, or `log(…)`, keeps its own."""
    return text[:1].upper() + text[1:] if re.match(r"(a|[A-Za-z][A-Za-z’'-]+)([ ,.;:)]|$)", text) else text


def shorten_finding(row: dict, enough: int = ENOUGH) -> str:
    """What is wrong with a printed row: the words of its headline, the beginning of its note, else its title."""
    if row["finding"]:
        return capitalize(in_symbols(row["finding"]))
    said = re.sub(r"^worst part: [^.]*\. ", "", row["note"]) or row["title"]
    clauses = re.split(r"(?<=[^\s.][;:.]) ", said)
    text = clauses.pop(0)
    while clauses and (len(text) < enough or _is_in_brackets(text)):
        text = f"{text} {clauses.pop(0)}"
    return capitalize(text.rstrip(".;:"))


def _is_in_brackets(text: str) -> bool:
    """Whether a text ends inside brackets; `[0, 1)` is closed, and the `)` of `1)` closes nothing."""
    depth = 0
    for letter in text:
        depth = max(depth + (letter in "([{") - (letter in ")]}"), 0)
    return depth > 0


def find_record(row: Row) -> Theorem | None:
    """The theorem of a row, of the statement attacked for a row on our own code; None where nobody has written one."""
    return THEOREMS.get(row["key"]) or THEOREMS.get(row["key"].rpartition("/impl:")[0])


def convert_statement(theorem: Theorem) -> str:
    """What a record says as MathML. Raises `PaperError` for LaTeX that cannot be shown."""
    try:
        return break_lines(convert_to_mathml(theorem.says))
    except ValueError as error:
        raise PaperError(f"{theorem.key}: {error}") from None


def view_row(of: Row, figures: list[dict]) -> dict:
    """A row with everything that a template shows of it."""
    row: Any = of
    theorem = find_record(row) if row["kind"] != "summary" else None
    if theorem:
        row = row | {"note": strip_derivation(row["note"], theorem.formula)}
    row = row | {
        name: write_prose(row[name] or "") for name in ("title", "note", "corner", "misprint", "smallest_caught")
    }
    made = row | {
        "class": class_of(row),
        "word": "survived" if row["reason"] == "AUDIT_ONLY" else ALONE.get(class_of(row), CLASSES[class_of(row)]),
        "anchor": make_anchor(row["key"]),
        "url": f"{find_page(row['id'])}#{make_anchor(row['key'])}",
        "name": name_row(row),
        "called": part_in_words(row["part"]),
        "where": {kind: shorten_place(place) for kind, place in row["where"].items()},
        "formula": convert_statement(theorem) if theorem else "",
        "latex": theorem.says if theorem else "",
        "hypotheses": name_hypotheses(theorem) if theorem else [],
        "source": in_symbols(theorem.source) if theorem else "",
        "text": in_symbols((inspect.getdoc(theorem.formula) or "").partition("\n")[2].strip()) if theorem else "",
        "figures": figures,
        "evidence_words": EVIDENCE.get(row["evidence"], "") if row["verdict"] == HOLDS else "",
        "reason_words": REASONS.get(row["reason"], row["reason"]),
        "reach": describe_tightness(row),
        "attained_words": in_symbols(describe_share(row, "attained")),
        "slack_words": in_symbols(describe_share(row, "slack")),
        "search_words": in_symbols(describe_search(row)),
        "sentence": capitalize(in_symbols(describe_witness(row))) if row["witness"] else "",
        "python": (row["witness"] or {}).get("python", "").strip(),
        "note": capitalize(row["note"].rstrip(".")),
        "charity": write_prose(describe_charity(row)),
        "as_printed": describe_truth_as_printed(row),
        "edge": EDGES.get(class_of(row), ""),
    }
    words = (made["key"], made["paper"], library.papers[row["paper"]].cited, row["label"], row["title"], row["note"])
    place = f"arxiv:{number.replace('.', '-')}" if (number := library.work(row["id"]).arxiv) else ""
    made["searched"] = normalize_search(" ".join([*words, place, in_unicode(made["latex"]), *list_topics(theorem)]))
    return made


def define_symbols(id: str, formulas: Iterable[str], hypotheses: Iterable[str] = ()) -> list[tuple[str, str]]:
    """The symbols that some of a statement's formulas or hypotheses have, as MathML, with what each of them is there.

    Hypotheses are as `name_hypotheses` writes them. A symbol inside a longer one is not found there.
    """
    meant = library.paper(id).words_for("symbols", id)
    _, used = take_out_symbols(spell_alike(" ; ".join(formulas)), meant)
    needed, shown = " ; ".join(hypotheses), {in_unicode(name) for name in used}
    for name in sorted(meant, key=len, reverse=True):
        needed, count = re.subn(rf"(?<!\w){re.escape(in_unicode(name))}(?![\w*′\u0302\u0303])", " ", needed)
        used |= {name} if count and in_unicode(name) not in shown else set()
        shown |= {in_unicode(name)} if count else set()
    return [
        (convert_to_mathml(name).replace(' display="block"', ""), in_symbols(what))
        for name, what in meant.items()
        if name in used and what != HIDDEN
    ]


def take_out_symbols(latex: str, symbols: Iterable[str]) -> tuple[str, set[str]]:
    """(what is left of LaTeX that is spelt alike without these symbols, those that it has), the longest first."""
    latex, used = re.sub(r"\\mathrm\{[^{}]*[.\\][^{}]*\}", " ", latex), set()
    for symbol in sorted(symbols, key=len, reverse=True):
        name = spell_alike(symbol)
        bare = BARE + ("" if name.startswith("\\") else r"(?<![A-Za-z\\])")
        ends = "(?![A-Za-z])" if name[-1].isalpha() else ""
        latex, count = re.subn(f"{bare}{re.escape(name)}{ends}", " ", latex)
        used |= {symbol} if count else set()
    return latex, used


def spell_alike(latex: str) -> str:
    r"""LaTeX in which letters side by side, a product, are apart, and an ornament has one spelling.

    >>> spell_alike(r"\hat{d} \mathcal{M} \tilde\gamma 2LC\mathrm{err}")
    '\\hat d \\mathcal M \\tilde \\gamma 2L C\\mathrm{err}'
    """
    words = r"\\(?:mathrm|text)\{[^{}]*\}|\\(?:[A-Za-z]+|.)|[A-Za-z]{2,}"
    latex = re.sub(words, lambda found: found[0] if found[0].startswith("\\") else " ".join(found[0]), latex)
    ornament = rf"(\\(?:{'|'.join(ORNAMENTS)}))\s*(?:\{{(\\?[A-Za-z]+)\}}|(\\[A-Za-z]+|[A-Za-z]))"
    return re.sub(r"_\{(\\?[A-Za-z]+)\}", r"_\1 ", re.sub(ornament, r"\1 \2\3", latex)).strip()


def shorten_place(place: str) -> str:
    """A place in the code without the folder in which a machine has this package.

    >>> shorten_place("/home/ada/lib/python3.12/site-packages/lemmata/mechanisms/law.py:7"), shorten_place("a.py:1")
    ('lemmata/mechanisms/law.py:7', 'a.py:1')
    """
    return re.sub(r"^/.*/(?=lemmata/)", "", place)


def normalize_search(text: str) -> str:
    """Text as the search compares it, word by word: small letters, one kind of dash, no accents, what is abbreviated
    written out, and each word once.

    >>> normalize_search("JL rows, by Pólya – by once")
    'jl (johnson-lindenstrauss) rows, by polya - once'
    """
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not "\u0300" <= c <= "\u036f")
    plain = re.sub(r"[‐‑–—−]", "-", plain).lower()
    for short, whole in ABBREVIATIONS.items():
        if whole not in plain:
            plain = re.sub(rf"(?<![a-z-]){short}(?![a-z-])", f"{short} ({whole})", plain, count=1)
    return " ".join(dict.fromkeys(plain.split()))


def list_topics(theorem: Theorem | None) -> list[str]:
    """What the module of a statement says it is about, in one line."""
    doc = sys.modules[theorem.formula.__module__].__doc__ if theorem else ""
    return (doc or "").strip().splitlines()[:1]


def write_prose(text: str) -> str:
    """Symbols for ASCII mathematics, and quotation marks around the names that our docstrings have in backquotes.

    >>> write_prose("part `tail` of O(.) at epsilon")
    'part “tail” of O(·) at ε'
    """
    return re.sub(r"`([^`]+)`", r"“\1”", in_symbols(text))


def write_subtitle(row: Any) -> str:
    """The sentence below the title: where it is true, or what is wrong."""
    if said := describe_charity(row):
        return said
    if row["verdict"] == REFUTED:
        return capitalize(in_symbols(describe_witness(row))) if row["witness"] else ""
    if row["verdict"] == HOLDS:
        where = "" if row["scope"] in ("", "settings") else f"{capitalize(row['scope'])}. "
        if row["scope"] == "everywhere" and row.get("hypotheses"):
            where = f"True for {'; '.join(row['hypotheses'])}. "
        return f"{where}{capitalize(EVIDENCE[row['evidence']])}."
    if row["verdict"] == INCONCLUSIVE:
        return f"{capitalize(REASONS.get(row['reason'], row['reason']))}."
    return "" if row["verdict"] == NOT_A_CLAIM else "It has no claim yet."
