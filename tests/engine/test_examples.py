"""The examples run, and print what their first lines promise."""

import importlib

import pytest

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
    for words in PROMISED[name]:
        assert words in printed
