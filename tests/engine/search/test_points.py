"""Settings out of domains: all of them inside, ends and neighbours of powers among them."""

import math

import numpy as np
import pytest

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
def test_what_is_drawn_moved_and_simplified_is_a_number_of_the_domain(domain):
    rng = np.random.default_rng(0)
    for _ in range(2000):
        setting = points.draw_setting({"x": domain}, rng)
        assert within(domain, setting["x"])
        moved = points.move(setting, {"x": domain}, rng)["x"]
        assert math.isfinite(moved) and (not domain.whole or domain.low <= moved <= domain.high)


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_a_draw_comes_near_every_end_and_far_from_it(domain):
    rng = np.random.default_rng(1)
    values = np.array([points.draw_number(domain, rng) for _ in range(2000)])
    for end, sign in ((domain.low, 1), (domain.high, -1)):
        if math.isfinite(end):
            away = sign * (values - end)
            assert away.min() <= (1 if domain.whole else 1e-6)
            assert away.max() > min(1e3, domain.high - domain.low) * 0.5


def test_whole_numbers_beside_powers_are_drawn():
    rng = np.random.default_rng(2)
    drawn = {points.draw_number(DOMAINS["whole"], rng) for _ in range(3000)}
    assert {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 99, 100, 101, 255, 256, 257, 500} <= drawn


def test_domains_meet_in_what_both_allow():
    low, high = Domain(0, 5, open_low=True), Domain(0, 5, open_high=True, whole=True)
    assert low.meet(high) == high.meet(low) == Domain(0, 5, open_low=True, open_high=True, whole=True)


def test_neighbours_of_a_large_whole_number_are_tried():
    near = list(
        points.neighbours(
            {"n": 5000, "x": 0.5}, {"n": DOMAINS["whole"], "x": DOMAINS["open"]}, np.random.default_rng(0)
        )
    )
    assert {point["n"] for point in near} == {4998, 4999, 5000, 5001, 5002}
    assert len({point["x"] for point in near}) > 5 and all(abs(point["x"] - 0.5) < 1e-11 for point in near)
