"""The examples run and print what pages show of them."""

import re
from pathlib import Path

import pytest

from lemmata.experiments.examples import add_a_paper, digits
from lemmata.experiments.examples.__main__ import plot_table
from lemmata.experiments.figures.style import svg

FOLDER = Path(digits.__file__).parent


def test_a_paper_is_added(capsys):
    add_a_paper.main()
    printed = capsys.readouterr().out
    for words in (
        "printed    REFUTED",
        "corrected  HOLDS",
        "at n = 3, the left side is 6; the text claims at most 5.196.",
    ):
        assert words in printed


def test_digits_are_learned(capsys, monkeypatch):
    monkeypatch.setattr(digits, "EPSILONS", (1.0,))
    monkeypatch.setattr(digits.accuracy, "__defaults__", (1,))
    digits.main()
    printed, shown = capsys.readouterr().out, (FOLDER / "digits.txt").read_text()
    assert all(name in printed and name in shown for name in digits.LEARNERS)


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
