"""The examples run, print what their first lines promise, and what the gallery shows of them."""

import importlib
import re
from pathlib import Path

import pytest

from lemmata.experiments import examples
from lemmata.experiments.examples.__main__ import plot_table
from lemmata.experiments.figures.style import svg

FOLDER = Path(examples.__file__).parent

PROMISED = {
    "check_a_lemma": ["wzw25.lemA.5/printed/tail        REFUTED", "assert chance > beta", "corrected/tail      HOLDS"],
    "audit_your_mechanism": ["sensitivity 1: PureDP(epsilon=1.0, neighbours='replace'): REFUTED", "sensitivity 2"],
    "choose_k": ["johnson_lindenstrauss_min_dim", "0 of 40 projections fail"],
    "digits": ["MarginClassifier", "PrivateSVM"],
    "add_a_paper": [
        "printed    REFUTED",
        "corrected  HOLDS",
        "at n = 3, the left side is 6; the text claims at most 5.196.",
    ],
}


@pytest.mark.parametrize("name", PROMISED)
def test_it_runs(name, capsys, monkeypatch):
    module = importlib.import_module(f"lemmata.experiments.examples.{name}")
    if name == "digits":
        monkeypatch.setattr(module, "EPSILONS", (1.0,))
        monkeypatch.setattr(module.accuracy, "__defaults__", (1,))
    module.main()
    printed = capsys.readouterr().out
    shown = (FOLDER / f"{name}.txt").read_text()
    for words in PROMISED[name]:
        assert words in printed and words in shown
    if name != "digits":  # of which a test runs a part
        (words, numbers), (shown_words, shown_numbers) = split_numbers(printed), split_numbers(shown)
        assert words == shown_words
        assert numbers == pytest.approx(shown_numbers, rel=1e-3)  # another processor may round last digits differently


def split_numbers(text):
    """A text with its numbers left out, and these numbers."""
    number = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
    return re.sub(number, "#", text), [float(found) for found in re.findall(number, text)]


def test_the_gallery_has_them_all():
    assert set(PROMISED) == set(examples.GALLERY) == {path.stem for path in FOLDER.glob("*.txt")}


def test_the_picture_of_the_digits_is_of_the_table_beside_it():
    """Fonts differ by a point; the curves do not."""
    drawn = svg(plot_table, (FOLDER / "digits.txt").read_text())
    kept = (FOLDER / "digits.svg").read_text()
    names, curves = r">([^<>]+)</text>", r'd="(M[^"]*)"[^>]*clip-path'
    assert re.findall(names, kept) == re.findall(names, drawn) and "MarginClassifier" in re.findall(names, kept)
    ours, theirs = (
        [float(x) for x in re.findall(r"[0-9.]+", " ".join(re.findall(curves, svg)))] for svg in (kept, drawn)
    )
    assert ours == pytest.approx(theirs, abs=3) and len(ours) == 2 * 5 * 5
