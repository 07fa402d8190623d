"""The snapping mechanism: its exact law, its sampler against it, its privacy pair by pair, and planted mistakes."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, log, nextafter

import numpy as np
import pytest

from lemmata.experiments.instances.pairs.reachable_floats import watched
from lemmata.mechanisms.noise import snapping
from lemmata.mechanisms.noise.laplace import FloatLaplace
from lemmata.mechanisms.privacy import PureDP
from tests.mechanisms.exact_samplers import fit_pvalue
from tests.streams import streams

SNAPS = [snapping.Snapping(*sizes) for sizes in ((1.0, 4.0), (1.3, 5.0), (0.7, 0.7), (2.0**-30, 2.0**-26))]
rng = streams("snapping")


def test_the_numbers_between_0_and_1_are_in_order_and_their_gaps_add_up():
    assert [snapping.uniform_number(-k) for k in range(4)] == [1 - Fraction(k, 2**53) for k in range(4)]
    assert snapping.uniform_number(-(2**52)) - snapping.uniform_number(-(2**52) - 1) == Fraction(1, 2**54)
    assert snapping.uniform_number(-5000 * 2**52) == Fraction(1, 2**5000)


@pytest.mark.parametrize("index", [-1, -2, -(2**51), -(2**52), -(2**52) - 1, -123456789123456789, -1100 * 2**52 + 7])
def test_the_logarithm_is_the_nearest_double(index):
    """Against Python's decimal logarithm at 80 digits: no neighbouring double is nearer."""
    with localcontext(prec=80):
        u = snapping.uniform_number(index)
        true = (Decimal(u.numerator) / Decimal(u.denominator)).ln()
        computed = snapping.rounded_logarithm(index)
        near = [abs(Decimal(x) - true) for x in (computed, nextafter(computed, 0), nextafter(computed, -np.inf))]
    assert near[0] == min(near)


@pytest.mark.parametrize("snap", SNAPS)
def test_the_law_is_a_probability_in_rationals_close_to_the_rounded_laplace_law(snap):
    for centre in (0.0, 0.3 * snap.scale, -snap.bound, snap.bound / 3):
        mass = [snap.mass(centre, place) for place in snap.places()]
        assert sum(mass) == 1
        assert min(mass) > 0
        ends = (snap.places()[:-1] + snap.places()[1:]) / 2
        inner = np.arange(-int(snap.bound / snap.step), int(snap.bound / snap.step) + 1) * snap.step
        if np.array_equal(inner, snap.places()):  # the bound is a place of the grid
            below = [0.5 * exp(-abs(end - centre) / snap.scale) for end in ends]
            steps = [b if end <= centre else 1 - b for b, end in zip(below, ends, strict=True)]
            assert np.allclose(np.cumsum([float(m) for m in mass])[:-1], steps, rtol=1e-12)
    assert snap.mass(0.0, snap.step / 2) == 0


@pytest.mark.parametrize("snap", [*SNAPS, snapping.Snapping(1.0, 2.0**36)])
def test_many_numbers_at_once_are_what_one_at_a_time_is(snap):
    """From centres that put the noise on a tie or beside it, where float64 alone cannot know, and for tiny U."""
    draw = rng(f"many {snap}")
    indices = np.append(snapping.draw_many(draw, 400), [-1, -2, -(2**52), -80 * 2**52 - 3, -1100 * 2**52 + 7])
    signs = draw.choice([-1, 1], indices.size)
    noise = np.array(
        [s * snap.scale * snapping.rounded_logarithm(i) for s, i in zip(signs, indices.tolist(), strict=True)]
    )
    cells = np.rint(draw.uniform(-snap.bound, snap.bound, indices.size) / snap.step) + 0.5
    tie = np.clip(cells * snap.step - noise, -snap.bound, snap.bound)
    for centres in (tie, np.nextafter(tie, np.inf), np.nextafter(tie, -np.inf), draw.uniform(-1, 1, tie.size)):
        arguments = zip(centres.tolist(), signs.tolist(), indices.tolist(), strict=True)
        one_by_one = [snap.release(*each) for each in arguments]
        assert snap.releases(centres, signs, indices).tolist() == one_by_one


def test_many_draws_are_what_as_many_single_ones_are():
    single, many = rng("draws"), rng("draws")
    assert snapping.draw_many(many, 300).tolist() == [snapping.draw_one(single) for _ in range(300)]


def test_a_number_that_begins_with_62_zeros_is_drawn_further():
    class Zeros:
        """Begins with a word of zeros."""

        def integers(self, low, high=None, size=None, dtype=None):
            return np.full(size, low, dtype) if size else high or low // 2 + 1

    zeros = Zeros()
    assert snapping.draw_many(zeros, 1).tolist() == [snapping.draw_one(zeros) - 62 * 2**52]


@pytest.mark.parametrize(("scale", "bound", "centre"), [(1.0, 4.0, 0.3), (1.3, 5.0, -5.0), (0.7, 0.9, 0.2)])
def test_the_sampler_has_the_exact_law(scale, bound, centre):
    """Chi-square at level 1e-6."""
    law = snapping.law([centre], sensitivity=1.0, bound=bound, scale=scale)
    drawn, places = law.sample(rng(f"{scale}"), 3000)[:, 0], law.snap.places()
    mass = np.array([float(law.snap.mass(centre, place)) for place in places])
    assert np.isin(drawn, places).all() and fit_pvalue(drawn, places, mass) > 1e-6
    assert np.allclose(law.log_density(places[:, None]), np.log(mass), atol=1e-12)


def worst_loss(snap, first, second):
    """The largest log-ratio of any release, exactly, as a float."""
    pairs = ((snap.mass(first, p), snap.mass(second, p)) for p in snap.places())
    return max(abs(log(a.numerator * b.denominator) - log(a.denominator * b.numerator)) for a, b in pairs)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_no_pair_exceeds_the_privacy_claimed_and_a_far_one_spends_it(epsilon):
    losses = []
    for first in (-4.0, -3.99, -0.5, 0.0, 0.25, 2.9999999999999996):
        laws = [snapping.law([w], sensitivity=1.0, bound=4.0, privacy=PureDP(epsilon)) for w in (first, first + 1)]
        losses.append(worst_loss(laws[0].snap, *(law.centre[0] for law in laws)))
        assert losses[-1] <= epsilon * (1 + 1e-13)
    assert max(losses) > 0.999 * epsilon


@pytest.mark.parametrize("bound", [8.0, 2.0**22])
def test_the_budget_covers_the_slack_of_every_coordinate(bound):
    law = snapping.law([0.0] * 30, sensitivity=1.0, bound=bound, privacy=PureDP(0.5))
    slack = Fraction(20) * Fraction(21639, 10**4) / 2**53 * 30 * Fraction(bound)  # coth(1/2) > 2.1639
    assert (1 + slack) / Fraction(law.scale) <= Fraction(0.5)
    given = snapping.law([0.0] * 30, sensitivity=1.0, bound=bound, scale=law.scale)
    assert given.privacy.epsilon <= 0.5 * (1 + 1e-15)


def impossible(laws, centres, name, size=600):
    """How many releases of either law no double could have made from the other's centre."""
    first, second = watched(laws, centres)
    counts = first.sample(rng(name), size), second.sample(rng(name + "'"), size)
    return int((counts[0][:, 1] > counts[0][:, 0]).sum() + (counts[1][:, 0] > counts[1][:, 1]).sum())


def test_low_bits_tell_the_textbook_sampler_s_database_and_not_ours():
    centres = np.array([0.0]), np.array([1.0])
    ours = [snapping.law(w, sensitivity=1.0, bound=16.0, privacy=PureDP(0.5)) for w in centres]
    textbook = [FloatLaplace(law.centre, law.scale) for law in ours]
    assert impossible(ours, centres, "ours") == 0
    assert impossible(textbook, centres, "textbook") > 60


def test_a_wide_bound_costs_nothing_where_the_releases_are():
    law = snapping.law([3e9], sensitivity=1.0, bound=1e10, privacy=PureDP(1.0))
    drawn = law.sample(rng("wide"), 20)
    assert np.isfinite(law.log_density(drawn)).all()
    assert np.abs(drawn - 3e9).max() < 100
    for place in (law.snap.bound, -law.snap.bound):
        assert law.snap.following(int(np.sign(place)), place) == place


@pytest.mark.parametrize(("scale", "step"), [(1.0, 1.0), (1.3, 2.0), (2.0**-30, 2.0**-30), (0.7, 1.0), (4.0001, 8.0)])
def test_the_step_is_the_least_power_of_two_that_is_no_less_than_the_scale(scale, step):
    snap = snapping.Snapping(scale, 100 * scale)
    assert snap.step == step
    assert snap.following(1, 0.0) == step == -snap.following(-1, 0.0)


def test_ties_round_up_and_the_ends_are_the_bound():
    """The noise of the U next to 1 is 2^-53: it moves 0.5 and is lost in 2.5."""
    snap = snapping.Snapping(1.0, 3.5)
    assert [snap.release(centre, sign, -1) for centre, sign in ((0.5, 1), (0.5, -1), (2.5, 1))] == [0.0, 1.0, 3.0]
    assert [snap.release(3.5, sign, -(2**52) * 50) for sign in (1, -1)] == [-3.5, 3.5]
