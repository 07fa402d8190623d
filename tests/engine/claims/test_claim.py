"""What a claim takes: a constant wherever it takes a function of the setting."""

import contextlib
from unittest import mock

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.bounds.theorem import THEOREMS, require, theorem
from lemmata.experiments.engine.claims import claim as c
from lemmata.experiments.engine.claims.verdict import refuted
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.cell import combine
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.numerics.streams import TEST_ROOT

PROGRAM = "assert 1 > small()"


def one_is_too_much(*, beta, factor=1):
    return refuted("tested", {"setting": {"beta": beta}, "claimed": beta, "found": 1})


KINDS = {
    "tail": (c.tail_claim, lambda rng, size, *, beta, factor=1: rng.random(size) < 0.9, {}),
    "mean": (c.mean_claim, lambda rng, size, *, beta, factor=1: rng.random(size), {"bound": 0.1, "high": 1}),
    "rate": (
        c.rate_claim,
        lambda rng, size, *, beta, factor=1: np.column_stack([rng.random(size) / 9, np.ones(size)]),
        {"bound": 0.1, "high": 1},
    ),
    "exact": (c.exact_claim, one_is_too_much, {}),
    "attack": (
        c.attack_claim,
        lambda *, beta, factor=1: [lambda rng, size, x=x: rng.normal(x, size=(size, 1)) for x in (0, 9)],
        {"bound": 0.1, "law": "far", "attack": "pure"},
    ),
}


@pytest.mark.parametrize("python", [PROGRAM, lambda **setting: PROGRAM], ids=["text", "function"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_program_is_a_text_or_a_function_of_the_setting(kind, python):
    """And a bound is a number or such a function."""
    claims, trial, fields = KINDS[kind]
    with mock.patch.dict(THEOREMS, clear=True), mock.patch.dict(c.CLAIMS, clear=True):

        @theorem("abgmu22.asm1", part="small", says="p")
        def small(*, beta):
            """At most beta."""
            return beta

        claims(small, quick=c.grid(beta=[0.1]), python=python, **fields)(trial)
        (job,) = run.execute(c.CLAIMS.values(), Store(), root=TEST_ROOT)
        verdict = combine(job.cells)
    assert verdict.outcome == REFUTED and verdict.witness["python"] == PROGRAM, verdict.note


@pytest.mark.parametrize("place", ["asm1", "abgmu22.asm1", "asm1.s2", "asm1/printed/other", "asm10"])
@pytest.mark.parametrize("name", ["used", "restated"])
def test_a_statement_is_no_use_of_itself(name, place):
    """Nor is a part or a step of it; asm10 is another statement."""
    with mock.patch.dict(THEOREMS, clear=True), mock.patch.dict(c.CLAIMS, clear=True):

        @theorem("abgmu22.asm1", part="small", says="p")
        def small(*, beta):
            """At most beta."""

        said = {"corner": require("beta < 1", lambda beta: beta < 1), name: {place: c.grid(beta=[0.5])}}
        refused = pytest.raises(ValueError, match=f"must name other statements, got {place}$")
        with contextlib.nullcontext() if place == "asm10" else refused:
            c.exact_claim(small, **said)(one_is_too_much)
