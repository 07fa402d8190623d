"""Where a statement stands, a module on its own, a claim and its twin, and the settings at which a store is read."""

import types
from dataclasses import replace

import pytest

from lemmata.experiments.engine.claims import claim as claims_module, fingerprint, places, registry
from lemmata.experiments.engine.front import decision
from lemmata.experiments.engine.ledger import ledger_rows as ledger_module
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import TEST_ROOT


def test_where_things_stand():
    home = "tests/wzw25/test_one_margin.py:1"
    assert places.find_test("wzw25/one_margin_proof") == places.find_test("wzw25/one_margin") == home
    assert places.find_test("wzw25/nowhere") == ""
    assert list(places.locate_statement("bms22.lem3.1")) == ["bound", "claim", "law", "test"]


@pytest.mark.parametrize(
    ("key", "law"),
    [
        ("abgmu22.thm.grid.s1/printed", "mechanisms/learners/glm/grid_search.py"),  # named like the claim's module
        (
            "abgmu22.lem.stab-sgd/printed",
            "mechanisms/learners/glm/glm_gd.py",
        ),  # a module that the trial names, with its law
        ("abgmu22.base.noisy-gd/explicit/slope", "mechanisms/learners/glm/glm_losses.py"),  # a function that it names
        ("abgmu22.base.outpert/explicit/sensitivity", "mechanisms/learners/glm/glm_losses.py"),  # in a comprehension
        ("wzw25.rem2.3/printed/impl:gaussian", "mechanisms/noise/gaussian.py"),  # in a lambda
        ("wzw25.lemA.7.s4/printed", None),
    ],
)
def test_the_law_that_a_claim_is_about(key, law):
    registry.load()
    place = places.locate_law(claims_module.CLAIMS[key])
    assert (place and place.partition(":")[0]) == law


def test_a_module_decided_on_its_own():
    rows, cells, text = decision.decide_module("bms22/definitions")
    keys = {claim.key for claim in registry.load(["bms22/definitions"])["bms22/definitions"]}
    assert {row["key"] for row in rows} == keys and len(rows) == len(keys)
    assert len(cells) == len(rows) and all(cell.verdict is not None for each in cells for cell in each)
    assert all(row["key"] in text and row["verdict"] in text for row in rows)


def test_a_look_at_a_claim_takes_one_setting_without_its_control(claims):
    look = decision._first(claims["abgmu22.asm1/printed/coin"])
    assert (look.quick, look.full, look.control, look.cap) == (({"beta": 0.2},), (), None, 1)


def test_a_claim_is_registered_once_and_its_script_is_its_twin():
    """A module run as a script is imported a second time under its own name."""

    def one():
        """In this module."""

    def other():
        """In this module too."""

    twin = types.FunctionType(one.__code__, {}, "one")
    twin.__qualname__, twin.__module__ = one.__qualname__, "__main__"
    stranger = types.FunctionType(one.__code__, {}, "one")
    stranger.__qualname__, stranger.__module__ = one.__qualname__, "elsewhere"
    assert claims_module._same(one, one) and claims_module._same(one, twin) and claims_module._same(twin, one)
    assert not claims_module._same(one, other) and not claims_module._same(one, stranger)


def test_a_store_that_knows_no_profile_is_read_at_the_quick_settings(claims):
    """A run that was killed before it finished has chunks and no profile; a full run is read at the full settings."""
    key, store = "abgmu22.asm1/printed/coin", Store()
    claims[key] = replace(claims[key], quick=({"beta": 0.1},), full=({"beta": 0.2},))
    run.Job(claims[key], TEST_ROOT, "quick", store)

    def list_settings():
        return [
            cell.setting for cell in ledger_module.evaluate(claims[key], store, TEST_ROOT)[1] if not cell.evaluations
        ]

    assert list_settings() == [{"beta": 0.1}]
    store.mark_done(key, fingerprint.hash_claim(claims[key]), TEST_ROOT, "full")
    assert list_settings() == [{"beta": 0.1}, {"beta": 0.2}]
