"""Settings and hypotheses as a reader of the paper sees them: its letters, and words, but no name of our code."""

import csv
import inspect
import re
from io import StringIO
from pathlib import Path

import pytest

from lemmata.bounds.statement.formula import in_symbols
from lemmata.experiments.engine.ledger import published, sentences
from tests.claims import CLAIMS

THEOREMS = {claim.theorem.key: claim.theorem for claim in CLAIMS.values()}


@pytest.mark.parametrize("key", THEOREMS)
def test_hypotheses_read_as_sentences(key):
    """An article stays an article where an argument is named a, and no name with an underscore is left."""
    theorem = THEOREMS[key]
    for needed, shown in zip(theorem.needs, sentences.name_hypotheses(theorem), strict=True):
        assert shown.count(" a whole number") == needed.range.count(" a whole number")
        assert not re.search(r"[A-Za-z]{2}_[A-Za-z]{2}| \* |\s-\s*(whole|[<≤])", shown), shown


def test_a_letter_for_the_argument_a_is_not_put_for_the_article():
    letters = {"a": "Λr/ρ", "whole": "-", "gap": "-"}
    said = "m a whole number >= 1; a > 0; rows are whole numbers; gap >= 0; log_size <= sigma_p; S_out is S"
    shown = "m a whole number ≥ 1; Λr/ρ > 0; rows are whole numbers; gap ≥ 0; log size ≤ σ_p; S_out is S"
    assert sentences.write_in_letters(said, letters) == shown


SIGN = r"[^\W\d_]\W*(_\w+)?[′²]*|.*[(|].*"  # a letter, perhaps with an ornament and an index, or an expression


def list_settings(row):
    """Every setting that a sentence about a row writes out."""
    witness = row["witness"] or {}
    yield dict(witness.get("setting") or {}) | dict(witness.get("point") or {})
    yield (row["searched"] or {}).get("at") or {}
    yield from ((row[name] or {}).get("at") or {} for name in ("attained", "slack"))


@pytest.mark.parametrize("paper", ["abgmu22", "bms22", "rbht09", "wzw25"])
def test_evidence_names_no_argument_of_our_code(paper):
    """A name in a setting is a letter, or `letters` of the paper says it in letters or words."""
    rows = [row for row in published.read_rows(PUBLISHED.parents[1]).values() if row["paper"] == paper]
    named = {(row["key"], name, repr(at[name])) for row in rows for at in list_settings(row) for name in at}
    left = set()
    for key, name, value in named:
        letter = sentences.find_letters(key).get(name)
        is_sign = re.fullmatch(SIGN, in_symbols(name))
        if not (letter or is_sign) or (letter != sentences.HIDDEN and value in ("True", "False")):
            left.add((key, name, value))
    assert not left


def test_a_name_without_a_letter_is_found():
    assert [bool(re.fullmatch(SIGN, in_symbols(name))) for name in ("n", "sigma_p", "rho'", "g(S)", "k_hat")] == [
        True
    ] * 5
    assert not [name for name in ("promised", "log_size", "one_above", "S out") if re.fullmatch(SIGN, in_symbols(name))]


def test_a_choice_in_our_code_is_written_in_words():
    said = sentences.format_setting({"loss": "half_squared", "kernel": "cauchy", "w": "F_2"})
    assert said == "loss = half squared, kernel = Cauchy, w = F_2"


FEWEST = 14  # words of a derivation and its note together
PUBLISHED = Path(__file__).parents[3] / "reports/published/ledger.csv"
ASSERTED = {
    row["key"]: row["note"]
    for row in csv.DictReader(StringIO(PUBLISHED.read_text(encoding="utf-8")))
    if (row["verdict"], row["evidence"]) == ("HOLDS", "asserted") and row["key"] in CLAIMS
}


@pytest.mark.parametrize("key", ASSERTED)
def test_a_row_that_is_a_derivation_in_words_has_words(key):
    """A letter calls it "a derivation of ours in words": rows that it is given are named below it, not argued."""
    text = (inspect.getdoc(CLAIMS[key].theorem.formula) or "").partition("\n")[2].partition(">>>")[0]
    assert len(f"{text} {ASSERTED[key]}".split()) >= FEWEST


@pytest.mark.parametrize(
    ("at", "kept"),
    [
        ({"n": 3, "sigma": 0.5, "beta": 0.1}, ""),
        ({"n": 3, "sigma": 0.5}, "; not varied: beta"),
        ({"sigma": 0.5}, "; not varied: n, beta"),
    ],
)
def test_a_search_names_the_arguments_that_it_did_not_vary(at, kept):
    row = {"key": "wzw25.lemA.5/corrected/tail", "searched": {"decided": 1000, "largest": 0.5, "at": at}}
    assert sentences.describe_search(row).partition(" at ")[2].endswith(kept or "beta = 0.1")
    assert ("not varied" in sentences.describe_search(row)) == bool(kept)
