"""Which loops of a check are opened, and what stays as its author wrote it."""

import itertools
from itertools import product

import pytest

from lemmata.experiments.engine.search.loops import cases_at, open_loops

SIZES = (1, 2, 3)


def plain():
    for n in range(1, 25):
        yield {"n": n}, n, 24


def crossed():
    for n, x in product(SIZES, (0.1, 0.5)):
        if n > 1:
            yield {"n": n, "x": x}, n * x, 2


def nested():
    for n in SIZES:
        for k in range(1, n + 1):
            yield {"n": n, "k": k}, k, n


def tied():
    for n, value in ((1, 1.0), (2, 0.5)):
        yield {"n": n}, value, 1


def through_a_module():
    for n, x in itertools.product(SIZES, [0.1]):
        yield {"n": n, "x": x}, n, x


def with_argument(*, x):
    for n in SIZES:
        yield {"n": n, "x": x}, n * x, 2


@pytest.mark.parametrize(
    ("check", "setting", "cases"),
    [
        (plain, {"n": 25}, [({"n": 25}, 25, 24)]),
        (crossed, {"n": 7, "x": 0.25}, [({"n": 7, "x": 0.25}, 1.75, 2)]),
        (crossed, {"n": 1, "x": 0.25}, []),  # its own `if` keeps its word
        (nested, {"n": 2}, [({"n": 2, "k": 1}, 1, 2), ({"n": 2, "k": 2}, 2, 2)]),
        (through_a_module, {"n": 9, "x": 4}, [({"n": 9, "x": 4}, 9, 4)]),
        (with_argument, {"n": 9, "x": 4}, [({"n": 9, "x": 4}, 36, 2)]),
    ],
)
def test_a_loop_runs_over_the_value_that_is_given(check, setting, cases):
    assert cases_at(check, **setting) == cases


@pytest.mark.parametrize(
    ("check", "wanted", "opened"),
    [
        (plain, {"n", "x"}, {"n"}),
        (nested, {"n", "k"}, {"n"}),  # k is tied to n
        (tied, {"n", "value"}, set()),
        (with_argument, {"n", "x"}, {"n"}),
        (crossed, {"x"}, {"x"}),
    ],
)
def test_values_that_are_tied_stay_tied(check, wanted, opened):
    assert open_loops(check, frozenset(wanted))[1] == opened


def test_a_closure_is_left_as_it_is():
    scale = 2

    def check():
        for n in SIZES:
            yield {"n": n}, n, scale

    assert open_loops(check, frozenset({"n"})) == (check, frozenset())
