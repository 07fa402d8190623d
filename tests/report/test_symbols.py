"""Whoever reads the page of one statement finds each symbol of its formulas defined there."""

import re
from pathlib import Path

import pytest

from lemmata.bounds.library import library
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.ground.grouping import group_by
from lemmata.experiments.engine.ledger import published
from lemmata.experiments.engine.ledger.sentences import HIDDEN, name_hypotheses
from lemmata.experiments.report import site, words

GREEK = "alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|varphi|psi"
GREEK += "|omega|Gamma|Delta|Theta|Lambda|Xi|Phi|Psi|Omega|ell"
ORNAMENT = rf"(?:\\(?:{'|'.join(words.ORNAMENTS)}) )?"
LETTER = rf"(?:{ORNAMENT}(?:\\(?:{GREEK})(?![A-Za-z])|(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])))"
QUANTIFIER = r"\\(?:forall|exists|inf|sup|sum|prod|max|min)(?:_\{|_|\\,| )?\s*\(?"
BOUND = rf"{QUANTIFIER}({LETTER})(?:,\s*({LETTER}))?"
MEANT = rf"(?:[,;:]|\\ |\\quad)\s*({LETTER}'?(?:_(?:[a-zA-Z0-9]|\{{[^{{}}]*\}}))?)\s*:?="
KNOWN = {"e", "O", r"\mathcal O", "E", r"\mathbb R", r"\mathbb E"}
PROSE = set("and arg argmin at bound by convex fixed if is needs nondecreasing repetitions unknown".split())
FUNCTIONS = set("DP GDP Lap Var poly polylog".split())


def find_undefined(id, formulas):
    """The symbols of formulas that no line of `[symbols]` defines at a statement, and that no formula says."""
    text = words.spell_alike(" ; ".join(re.sub(r"\\text\{[^{}]*\}", " ", latex) for latex in formulas))
    known = {*KNOWN, *(letter for found in re.findall(BOUND, text) for letter in found)}
    symbols = library.paper(id).words_for("symbols", id)
    defined = [symbol for symbol, what in symbols.items() if what != HIDDEN]
    text, _ = words.take_out_symbols(text, [*defined, *re.findall(MEANT, text)])
    text = text.replace(r"\|_F", r"\|")
    names = {name for name in re.findall(r"\\mathrm\{([A-Za-z]+)\}", text)} - PROSE - FUNCTIONS
    text = re.sub(r"\\mathrm\{[^{}]*\}", " ", text)
    return ({found for found in re.findall(LETTER, text)} - known) | names


registry.load(registry.list_modules(None))
ROWS = [row for row in published.read_rows(Path(__file__).parents[2] / "reports").values() if row["key"] in THEOREMS]
OWN = group_by([row for row in ROWS if row["id"] in library.ids], lambda row: row["id"])


def list_shown(id):
    """The records whose formulas the page of a statement has above its symbols."""
    printed = [row for row in OWN[id] if row["reading"] == "printed"]
    shown = [row for row in OWN[id] if row in printed or any(site.is_twin(row, other) for other in printed)]
    return [THEOREMS[row["key"]] for row in shown or OWN[id]]


def define(id, theorems):
    """{LaTeX of a symbol: what it is} on a page."""
    needed = [said for theorem in theorems for said in name_hypotheses(theorem)]
    return words.define_symbols(id, [theorem.says for theorem in theorems], needed)


@pytest.mark.parametrize("id", OWN)
def test_a_headline_has_no_symbol_without_a_definition(id):
    assert not find_undefined(id, [theorem.says for theorem in list_shown(id)])


@pytest.mark.parametrize(
    ("id", "latex", "left"),
    [
        ("wzw25.thm4.1", r"\zeta\le\mu_c,\ z=n", {r"\zeta"}),
        ("wzw25.thm4.1", r"\hat\mu_v\le\mathrm{slack}", {r"\hat \mu", "v", "slack"}),
        ("wzw25.thm4.1", r"\forall z:\ nz\ge2kq\quad\mathrm{w.h.p.}", {"q"}),
        ("abgmu22.thm.boost", r"K\le n,\ m=\log n", {"K"}),
        ("abgmu22.thm.boost", r"n\ge2,\ K=\log n", set()),
        ("abgmu22.thm.grid", r"K\le n", set()),
        ("bms22.lemD.1", r"\|\Phi W\|_F\le\|W\|", set()),
    ],
)
def test_undefined_symbols_are_found(id, latex, left):
    """A letter is known if a table defines it at this statement, a quantifier binds it, or the formula says it."""
    assert find_undefined(id, [latex]) == left


def test_a_page_defines_the_symbols_of_its_formulas_and_no_others():
    said = dict(words.define_symbols("wzw25.thm4.1", [r"\tilde{\mathcal{R}}_S\le\mu_c", r"\varepsilon_q"]))
    symbols = library.papers["wzw25"].symbols
    assert list(said.values()) == [symbols[name] for name in (r"\tilde{\mathcal R}_S", r"\mu_c", r"\varepsilon")]
    assert all(shown.startswith("<math") and "block" not in shown for shown in said)
    assert words.define_symbols("wzw25.thm4.1", [r"\varepsilonic", r"\Gammas", r"\mathrm{n.b.\ x}"]) == []


def test_a_letter_means_what_its_statement_says():
    meaning = {id: dict(words.define_symbols(id, [r"\gamma_j\le K"])) for id in ("abgmu22.thm.grid", "abgmu22.thm.gem")}
    assert len(meaning["abgmu22.thm.grid"]) == 2 and all(len(each) >= 1 for each in meaning.values())
    paper = library.papers["bms22"]
    assert paper.words_for("symbols", "bms22.lemA.3")["T"] == "a set of m vectors"
    assert "T" not in paper.words_for("symbols", "bms22.thm3.1") and "lemA.3.T" in paper.symbols
    assert (
        paper.words_for("letters", "bms22.lem3.1")["radius"]
        == "r̃"
        != paper.words_for("letters", "bms22.thm3.1")["radius"]
    )


def test_a_hypothesis_is_read_for_symbols_too():
    assert [what for _, what in words.define_symbols("bms22.thm4.1", [], ["0 < r < ∞"])] == ["the root of K(x, x)"]
    assert words.define_symbols("rbht09.cor9", [], ["d̂ is even"]) == words.define_symbols("rbht09.cor9", [r"\hat d"])


@pytest.mark.parametrize("paper", ["abgmu22", "bms22", "rbht09", "wzw25"])
def test_every_entry_is_shown_somewhere(paper):
    ids = [id for id in OWN if library.paper(id).id == paper]
    shown = {entry for id in ids for entry in define(id, list_shown(id))}
    written = {
        (words.convert_to_mathml(name).replace(' display="block"', ""), words.in_symbols(what))
        for id in ids
        for name, what in library.papers[paper].words_for("symbols", id).items()
        if what != HIDDEN
    }
    assert not written - shown
