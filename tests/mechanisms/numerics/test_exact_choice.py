"""Choices with exact chances, noise over the reals, certified minimisers, and the float64 functions behind them."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import chisquare, gamma, kstest, norm

from lemmata.bounds.exact.balls import exact
from lemmata.mechanisms.learners.erm import objective_perturbation
from lemmata.mechanisms.noise import lazy_reals
from lemmata.mechanisms.numerics import exact_choice, proved_floats
from lemmata.mechanisms.privacy import ApproxDP, PureDP
from lemmata.mechanisms.selection import exponential, generalized_exponential, report_noisy_max
from lemmata.mechanisms.solvers import certified_risk
from lemmata.mechanisms.solvers.perturbed_risk import minimise
from tests.mechanisms.exact_samplers import Words
from tests.streams import streams

rng = streams("exact_choice")


SCORES = np.array([0.0, -0.7, 2.0, 2.0, -20.0, 1.9999999])


def chosen(*drawn):
    scale, top = 1.3, 2.0
    weights = exact_choice.choice_weights(SCORES, scale, top)
    return exact_choice.draw_choices(
        Words(*drawn), weights, 1, lambda: exact_choice.enclosed_weights(SCORES, scale, top)
    )[0]


@pytest.mark.parametrize("i", range(5))
def test_both_sides_of_every_partial_sum_are_told_apart_to_the_last_digit(i):
    """The 63 digits below and above a partial sum, and the one that it lies in, decided by the digits that follow."""
    with ctx.workprec(300):
        balls = exact_choice.enclosed_weights(SCORES, 1.3, 2.0)
        place = sum(balls[: i + 1], arb(0)) / sum(balls, arb(0)) * arb(2) ** 63
        digits, rest = int(place.floor().unique_fmpz()), place - place.floor()
        following = int((rest * arb(2) ** 32).floor().unique_fmpz())
    assert chosen(digits - 1) == i
    assert chosen(digits + 1) == i + 1
    assert chosen(digits, following - 1) == i
    assert chosen(digits, following + 1) == i + 1


def test_one_candidate_takes_no_digit():
    assert exact_choice.draw_choices(Words(), np.ones(1), 1, list)[0] == 0


@pytest.mark.parametrize("block", [2, 6])
def test_releases_follow_the_law_in_floats_and_in_balls(block, monkeypatch):
    """Chi-square at level 1e-6; the second time everything is too near to a partial sum to be decided in floats."""
    scores = SCORES * 0.5
    parts = lambda: [scores[i : i + block] for i in range(0, 6, block)]  # noqa: E731
    law = exponential.streamed_law(parts, privacy=PureDP(2.0), candidates=6, sensitivity=1.0)
    mass = np.exp(law.log_probabilities())
    often = mass > 1e-3
    for size, near in ((20_000, False), (600, True)):
        if near:
            monkeypatch.setattr(exponential, "weight_sum_error", lambda count: 1.0)
            monkeypatch.setattr(exact_choice, "weight_sum_error", lambda count: 1.0)
        counts = np.bincount(law.sample(rng(f"{block}{near}"), size), minlength=6)[often]
        assert chisquare(counts, mass[often] / mass[often].sum() * counts.sum()).pvalue > 1e-6


def test_scores_that_no_float_can_subtract_are_no_error():
    law = exponential.law([1.7e308, -1.7e308, 0.0], privacy=PureDP(1.0), sensitivity=1.0)
    assert (law.sample(rng("huge"), 50) == 0).all()


def test_normalised_scores_are_rational_whatever_cancels():
    q, moves, t = np.array([1e15 + 1, 1e15, 1e15 - 2, 3.0]), np.array([1e-3, 2e-3, 1e-3, 1e6]), 7.25
    exactly = [
        max(
            (Fraction(a) - Fraction(b) + Fraction(t) * (Fraction(g) - Fraction(h))) / (Fraction(g) + Fraction(h))
            for b, h in zip(q, moves, strict=True)
        )
        for a, g in zip(q, moves, strict=True)
    ]
    assert list(generalized_exponential.normalise_scores(q, moves, t)) == exactly


@pytest.mark.parametrize("far", [0.0, 1e300])
def test_a_public_score_stays_in_play_whatever_the_others_are(far):
    """Two neighbours' scores: who is in play depends on the scores alone that no record moves."""
    law = generalized_exponential.law([far, 1.0, 2.0], [1e-300, 0.0, 0.0], privacy=PureDP(1.0), beta=0.1)
    assert law.in_play.tolist() == [0, 1]


def test_noisy_max_on_a_grid_has_the_law_of_its_float_twin():
    scores = [0.0, 0.5, 1.5]
    law = report_noisy_max.law(scores, privacy=PureDP(1.0), sensitivity=0.5, noise="exact")
    mass = np.exp(report_noisy_max.law(scores, privacy=PureDP(1.0), sensitivity=0.5).log_probabilities())
    assert law.scale == pytest.approx(1.0, rel=1e-5)
    assert chisquare(np.bincount(law.sample(rng("max"), 20_000)), mass * 20_000).pvalue > 1e-6


@pytest.mark.parametrize("name", ["quantile", "log", "exp"])
def test_tables_err_less_than_the_samplers_rely_on(name):
    assert proved_floats.certify_error(name) + exact(2.0**-49) < exact(2.0**-46)


def test_a_table_with_one_wrong_entry_is_noticed(monkeypatch):
    spoilt = proved_floats._logs().copy()
    spoilt[0, 1234] += 2.0**-44
    monkeypatch.setattr(proved_floats, "_logs", lambda: spoilt)
    assert proved_floats.certify_error("log") > exact(2.0**-46)


@pytest.mark.parametrize(("kind", "law"), [("normal", norm(0, 2)), ("radial", None)])
def test_vectors_over_the_reals_follow_their_law(kind, law):
    """Kolmogorov and Smirnov at level 1e-6: a coordinate of a normal vector, the length of a radial one."""
    drawn = np.array([lazy_reals.draw_rounded(rng(f"{kind}{i}"), np.zeros(3), 2.0, 2.0**-20, kind) for i in range(800)])
    found = drawn[:, 1] if law else np.linalg.norm(drawn, axis=1)
    assert kstest(found, (law or gamma(3, scale=2.0)).cdf).pvalue > 1e-6
    assert (drawn % 2.0**-20 == 0).all()


def test_more_digits_are_drawn_until_a_cell_is_proved():
    """A first digit string of zeros leaves -log U without an end."""

    class Zeros(np.random.Generator):
        asked = 0

        def bytes(self, length):
            Zeros.asked += 1
            return b"\0" * length if Zeros.asked <= 2 else super().bytes(length)

    released = lazy_reals.draw_rounded(Zeros(np.random.PCG64(1)), np.zeros(3), 1.0, 0.25, "normal")
    assert np.isfinite(released).all() and Zeros.asked == 3


@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_the_distance_in_float64_is_never_below_the_truth(loss):
    Z = rng(f"Z{loss}").normal(size=(40, 3)) / 4
    problem = certified_risk.Problem(Z, ridge=0.5, share=Fraction(1, 20), loss=loss)
    b = [arb(float(x)) for x in rng("b").normal(size=3)]
    tilt = np.array([[float(x) for x in b]])
    near = minimise(Z, linear=tilt, ridge=0.5, share=0.05, loss=loss)[0][0]
    with ctx.workprec(200):
        *_, (point, distance) = problem.nearer(near, b)
        assert distance < 1e-40
        for far in (0.0, 1e-13, 1e-3):
            w = near + far
            off = sum(((arb(a) - c) ** 2 for a, c in zip(w.tolist(), point, strict=True)), arb(0)).sqrt()
            assert off <= exact(problem.distance(w, b))


@pytest.mark.parametrize("privacy", [PureDP(2.0), ApproxDP(2.0, 1e-3)])
def test_an_exact_minimiser_is_the_rounded_one_of_the_same_noise(privacy, monkeypatch):
    """Whether the first decision falls in float64 or in balls, and beside a solver that starts elsewhere."""
    X, y = rng("X").normal(size=(30, 2)), np.ones(30)
    law = objective_perturbation.law(X, y, privacy=privacy, C=2.0, noise="exact")
    first = law.sample(np.random.default_rng(5), 4)
    assert (first % law.grid == 0).all()
    monkeypatch.setattr(certified_risk.Problem, "distance", lambda *_: float("inf"))
    np.testing.assert_array_equal(law.sample(np.random.default_rng(5), 4), first)
    monkeypatch.setattr(objective_perturbation.ObjectiveLaw, "_solved", lambda self, b: np.zeros(2))
    np.testing.assert_array_equal(law.sample(np.random.default_rng(5), 4), first)
