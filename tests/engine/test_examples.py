"""The examples run, print what their first lines promise, and what the gallery shows of them."""

import importlib
import re
from pathlib import Path

import pytest

from experiments import examples
from experiments.report.site import gallery

FOLDER = Path(examples.__file__).parent

PROMISED = {
    "check_a_lemma": ["wzw25.lemA.5/printed/tail        REFUTED", "assert chance > beta", "corrected/tail      HOLDS"],
    "audit_your_mechanism": ["sensitivity 1: PureDP(epsilon=1.0, neighbours='replace'): REFUTED", "sensitivity 2"],
    "choose_k": ["johnson_lindenstrauss_min_dim", "0 of 40 projections fail"],
    "digits": ["MarginClassifier", "PrivateSVM"],
    "add_a_paper": ["as printed  REFUTED at {'n': 3}", "sabotaged twin is REFUTED"],
}


@pytest.mark.parametrize("name", PROMISED)
def test_it_runs(name, capsys, monkeypatch):
    module = importlib.import_module(f"experiments.examples.{name}")
    if name == "digits":
        monkeypatch.setattr(module, "EPSILONS", (1.0,))
        monkeypatch.setattr(module.accuracy, "__defaults__", (1,))
    module.main()
    printed = capsys.readouterr().out
    shown = (FOLDER / f"{name}.txt").read_text()
    for words in PROMISED[name]:
        assert words in printed and words in shown
    assert name == "digits" or without_numbers(printed) == without_numbers(shown)


def without_numbers(text):
    """Another processor may round the last digits differently."""
    return re.sub(r"-?\d[\d.,e-]*", "#", text)


def test_the_gallery_has_them_all():
    assert set(PROMISED) == set(examples.GALLERY) == {path.stem for path in FOLDER.glob("*.txt")}


def test_the_picture_of_the_digits_is_of_the_table_beside_it():
    shown = {example["name"]: example for example in gallery()}["digits"]
    for name in ("MarginClassifier", "TunedMargin", "AdaptiveMargin", "NoisyGD(width=0.03)", "PrivateSVM"):
        assert f">{name}</text>" in shown["figure"] and name in shown["printed"]
    assert ">0.25</text>" in shown["figure"], "coordinates are rounded, numbers in words are not"
    assert ">always one digit<" not in shown["figure"] and not shown["printed"].startswith("always")
