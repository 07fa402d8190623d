"""Domains that hypotheses name or let through: ends found by asking the predicates, and none for what is no number."""

import math

import numpy as np
import pytest

from lemmata.bounds.statement.hypotheses import Domain
from lemmata.bounds.theorem import in_unit_interval, integer, positive, require
from lemmata.experiments.engine.search.domains import find_domains


@pytest.mark.parametrize(
    ("predicate", "domain"),
    [
        (lambda x: x >= 0.3, Domain(0.3, math.inf, open_low=False, open_high=True)),
        (lambda x: 0.3 < x < 0.7, Domain(0.3, 0.7, open_low=True, open_high=True)),
        (lambda x: x < 2, Domain(-math.inf, 2, open_low=True, open_high=True)),
        (lambda x: x <= 0.5, Domain(-math.inf, 0.5, open_low=True, open_high=False)),
        (lambda x: x >= 5 and x == int(x), Domain(5, math.inf, open_low=False, open_high=True, whole=True)),
        (lambda x: bool(np.all(np.log(x) > 1)), Domain(round(math.e, 12), math.inf, open_low=True, open_high=True)),
        (lambda x: True, Domain(open_low=True, open_high=True)),
    ],
)
def test_a_predicate_is_asked_for_its_ends(predicate, domain):
    found = find_domains([require("x is allowed", predicate)])["x"]
    assert found[2:] == domain[2:] and found[:2] == pytest.approx(domain[:2], abs=1e-9)


def test_what_takes_no_number_has_no_domain():
    assert find_domains([require("a function", lambda f: f(1) > 0), require("a vector", lambda v: len(v) > 2)]) == {}


def test_the_strictest_hypothesis_counts():
    needs = [integer("n"), require("n >= 7", lambda n: n >= 7), positive("x"), in_unit_interval("x")]
    assert find_domains(needs) == {
        "n": Domain(7, math.inf, open_low=False, open_high=True, whole=True),
        "x": Domain(0, 1, open_low=True, open_high=True),
    }


def test_a_relation_bounds_only_what_nothing_else_names():
    needs = [integer("n"), require("0 < k <= n <= 5", lambda k, n: 0 < k <= n <= 5)]
    found = find_domains(needs)
    assert found["n"] == integer("n").domain  # draws outside the relation are rejected
    assert (found["k"].low, found["k"].high, found["k"].open_low) == (0, 5, True)
