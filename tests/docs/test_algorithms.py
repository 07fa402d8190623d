"""The page of the papers' algorithms: each one is a function with a documented name, and no learner is left out."""

import csv
import importlib
import inspect
from pathlib import Path

import pytest

import lemmata
from lemmata.bounds.library import library
from lemmata.mechanisms import hardening
from lemmata.mechanisms.law import fit

FILE = Path(__file__).parents[2] / "docs" / "algorithms.csv"
with FILE.open(newline="", encoding="utf-8") as file:
    LISTED = list(csv.DictReader(file))


@pytest.mark.parametrize("one", LISTED, ids=lambda one: f"{one['paper']} {one['algorithm']}")
def test_an_algorithm_is_a_documented_function_of_a_known_statement(one):
    home, name = f"lemmata.mechanisms.{one['function']}".rsplit(".", 1)
    function = getattr(importlib.import_module(home), name)
    assert inspect.getdoc(function) and function.__module__ == home
    assert f"{one['paper']}.{one['statement']}" in library.ids
    assert not one["estimator"] or inspect.getdoc(getattr(lemmata, one["estimator"]))


def test_what_is_released_is_in_the_table_of_what_is_exact():
    """But for the solver of a support vector machine and the features of a kernel, which release nothing."""
    listed = {
        one["function"].split(".")[-2] for one in LISTED if not one["function"].endswith((".solve", ".projected"))
    }
    assert listed <= {law for line in hardening.TABLE for law in line.laws}
    assert {one["estimator"] for one in LISTED} - {""} <= {one.name for one in hardening.ESTIMATORS}
    assert len(LISTED) == 24


def test_every_numbered_algorithm_is_listed_once():
    """As many as the papers number: 6, 6, 3 and 1."""
    numbers = {"wzw25": 6, "bms22": 6, "rbht09": 3, "abgmu22": 1}
    assert numbers.keys() == {paper.id for paper in library.house}
    for paper, last in numbers.items():
        found = [one["algorithm"].split(" (")[0] for one in LISTED if one["paper"] == paper]
        numbered = [name for name in found if name.startswith("Algorithm ")]
        assert numbered == [f"Algorithm {number}" for number in range(1, last + 1)]


def test_the_page_names_all_of_them(monkeypatch):
    monkeypatch.syspath_prepend(str(FILE.parent))
    page = importlib.import_module("generated_pages").algorithms()
    assert all(f"`{one['function']}`" in page for one in LISTED) and "lemmata.mechanisms.law.fit" in page
    assert callable(fit)
