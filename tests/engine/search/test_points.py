"""Settings out of domains: all of them inside, ends and neighbours of powers among them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from lemmata.bounds.library import library
from lemmata.bounds.statement.hypotheses import Domain
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive
from lemmata.experiments.engine.search import points

DOMAINS = {
    "open": in_unit_interval("x").domain,
    "half-line": positive("x").domain,
    "from one": at_least("x", 1).domain,
    "closed": between("x", -2, 0.5).domain,
    "whole": integer("x", 2).domain._replace(high=500, open_high=False),
    "negative": Domain(high=-1.0),
    "line": Domain(),
}


def within(domain, value):
    above = value > domain.low if domain.open_low else value >= domain.low
    below = value < domain.high if domain.open_high else value <= domain.high
    return above and below and (not domain.whole or value == int(value))


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_what_is_drawn_moved_and_simplified_is_a_number_of_the_domain(domain, rng):
    for _ in range(2000):
        setting = points.draw_setting({"x": domain}, {}, rng)
        assert within(domain, setting["x"])
        moved = points.move(setting, {"x": domain}, {}, rng)["x"]
        assert math.isfinite(moved) and (not domain.whole or domain.low <= moved <= domain.high)


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_a_draw_comes_near_every_end_and_far_from_it(domain, rng):
    values = np.array([points.draw_number(domain, rng) for _ in range(2000)])
    for end, sign in ((domain.low, 1), (domain.high, -1)):
        if math.isfinite(end):
            away = sign * (values - end)
            assert away.min() <= (1 if domain.whole else 1e-6)
            assert away.max() > min(1e3, domain.high - domain.low) * 0.5


def test_whole_numbers_beside_powers_are_drawn(rng):
    drawn = {points.draw_number(DOMAINS["whole"], rng) for _ in range(3000)}
    assert {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 99, 100, 101, 255, 256, 257, 500} <= drawn


def test_domains_meet_in_what_both_allow():
    low, high = Domain(0, 5, open_low=True), Domain(0, 5, open_high=True, whole=True)
    assert low.meet(high) == high.meet(low) == Domain(0, 5, open_low=True, open_high=True, whole=True)


def test_neighbours_of_a_large_whole_number_are_tried():
    near = list(
        points.neighbours(
            {"n": 5000, "x": 0.5}, {"n": DOMAINS["whole"], "x": DOMAINS["open"]}, {}, np.random.default_rng(0)
        )
    )
    assert {point["n"] for point in near} == {4880, 4940, 5000, 5060, 5120}
    assert len({point["x"] for point in near}) > 5 and all(abs(point["x"] - 0.5) < 1e-11 for point in near)


@pytest.mark.parametrize(("house", "named"), [(True, "theirs.module"), (False, "module")])
def test_a_module_of_a_stranger_goes_by_its_bare_name(house, named, monkeypatch):
    monkeypatch.setattr(library, "paper", lambda key: SimpleNamespace(house=house, packages=("theirs",)))
    function = SimpleNamespace(__module__="theirs.module")
    assert points.bare_module(SimpleNamespace(key="theirs.thm1"), function) == named


def test_corners_are_ends_and_powers_of_ten_beside_them():
    beside = [1e-9, 1e-6, 0.001, 0.1, 0.5, 1.0, 10.0, 1000.0, 1e6]
    assert points.list_corners(DOMAINS["half-line"]) == beside
    assert points.list_corners(DOMAINS["line"]) == [0.0, *beside, *(-step for step in beside)]
    assert points.list_corners(Domain(0, 0.2)) == [0, 0.2, 1e-9, 1e-6, 0.001, 0.1, *(0.2 - step for step in beside[:4])]


@pytest.mark.parametrize(
    ("value", "ends"),
    [
        (0.13, [(0.1, 0.169)]),
        (0.87, [(0.831, 0.9)]),
        (0.5, [(0.5 / 1.3, 0.65)]),  # of two ends that are equally near, the lower
        (0.8 / 1e3, [(0.8 / 1300, 0.00104), (0.0002, 0.0032)]),
    ],
)
def test_a_window_is_a_row_of_distances_from_the_nearer_end(value, ends):
    rows = points.windows({"n": 3, "x": value}, {"n": DOMAINS["whole"], "x": Domain(0, 1)}, 0.5)
    found = [sorted(point["x"] for point in row) for row, stepped in rows if not stepped]
    assert [(row[0], row[-1]) for row in found] == [pytest.approx(pair) for pair in ends]


@pytest.mark.parametrize(
    ("n", "left", "rows"),
    [
        (999, 0.1, []),
        (4000, 0.1, [(True, True)]),
        (4000, 3.0, [(True, True)]),
        (4000, 2.0**-16, [(True, False)]),  # of so few bits that it is a difference of floats that are nearly equal
        (4000, math.inf, [(True, False)]),
    ],
)
def test_a_window_of_large_whole_numbers_keeps_their_remainder(n, left, rows):
    found = list(points.windows({"n": n}, {"n": integer("n").domain}, left))
    assert [(bool(far), bool(near)) for far, near in found] == rows
    for far, near in found:
        numbers = [point["n"] for point in far]
        assert {number % 60 for number in numbers} == {n % 60} and numbers[0] < 0.8 * n < 1.2 * n < numbers[-1]
        assert [point["n"] for point in near] in ([], [*range(n - 6, n + 7)])
