"""Whoever reads the page of one statement finds each symbol of its formulas defined there."""

import re

from lemmata.bounds.library import library
from lemmata.experiments.engine.ledger.sentences import HIDDEN
from lemmata.experiments.report import words

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
