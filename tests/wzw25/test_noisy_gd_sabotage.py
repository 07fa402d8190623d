"""Noisy gradient descent sabotaged: rows 17, 18, 19, 22 and 24 of STATISTICS.md's matrix must all be caught."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.bounds.wzw25 import hinge_gradient
from lemmata.bounds.wzw25 import noisy_gd as bounds
from lemmata.experiments.wzw25 import noisy_gd as claims
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import GaussianDP
from tests.streams import streams

rng = streams("noisy_gd_sabotage")


def attacked(sample_a, sample_b, mu, budget=20_000):
    """Is a claim of mu-GDP refuted?"""
    return audit(sample_a, sample_b, GaussianDP(mu), root=TEST_ROOT, budget=budget).verdict == REFUTED


def neighbours(d=2, n=3, steps=9, output="last", width=200.0, mu=1.0, z=None):
    """Two laws whose record 0 is z or -z."""
    X = np.tile(np.eye(d)[0] if z is None else z, (n, 1))
    return claims.flipped(X, np.ones(n), mu=mu, width=width, steps=steps, output=output)


@pytest.mark.slow
def test_the_honest_law_survives():
    assert not attacked(*neighbours(), mu=1.0) and not attacked(*neighbours(output="iterates"), mu=1.0)


def test_row_17_clipping_removed_is_refuted():
    a, b = neighbours(z=np.array([10.0, 0.0]))
    assert np.linalg.norm(a.Z, axis=1).max() <= 1 + 1e-12
    unclipped = [replace(law, Z=10 * law.Z) for law in (a, b)]
    assert attacked(*unclipped, mu=1.0)


def test_row_17_clipping_each_coordinate_is_refuted():
    z = np.ones(16)
    per_coordinate = [replace(law, Z=law.Z * 4) for law in neighbours(d=16, z=z)]  # each coordinate within [-1, 1]
    assert np.abs(per_coordinate[0].Z).max() == pytest.approx(1.0)
    assert attacked(*per_coordinate, mu=1.0)


class BroadcastNoise:
    """rng whose normal draws are the same in every coordinate."""

    def __init__(self, random):
        self.random = random

    def normal(self, scale, size):
        return np.repeat(self.random.normal(scale=scale, size=(1, size[1])), size[0], axis=0)


class OneDraw:
    """rng that draws once and hands the same noise to every step."""

    def __init__(self, random):
        self.random, self.noise = random, None

    def normal(self, scale, size):
        if self.noise is None:
            self.noise = self.random.normal(size=size)
        return scale * self.noise


def test_row_18_noise_broadcast_over_coordinates_is_refuted():
    def difference(law):
        return lambda random, size: law.sample(BroadcastNoise(random), size) @ np.array([[1.0], [-1.0]])

    assert attacked(*map(difference, neighbours(steps=1)), mu=1.0, budget=2000)
    noise = noisy_gd.law([[0.0, 0.0]], [1], privacy=GaussianDP(1.0), width=1.0, steps=1, output="last").sample(
        rng("rank"), 500
    )
    assert np.linalg.matrix_rank(noise) == 2


def test_row_18_one_draw_for_two_steps_is_refuted():
    """y_0 - y_1 = g(w_0) - g(w_1) is free of noise: with a narrow hinge it tells the record's sign."""
    pair = neighbours(d=1, n=1, steps=2, output="iterates", width=1e-4)

    def attack(law):
        def sample(random, size):
            w = law.sample(OneDraw(random), size)[:, :, 0]
            y = -np.diff(np.column_stack([np.zeros(size), w]), axis=1) / law.strides
            return np.round(2 * law.width * (y[:, :1] - y[:, 1:])) + np.sign(w[:, :1])

        return sample

    assert attacked(*map(attack, pair), mu=1.0, budget=2000)


def test_row_19_reseeding_inside_is_refuted():
    def reseeded(law):
        return lambda random, size: np.repeat(law.sample(np.random.default_rng(0), 1), size, axis=0)

    a, b = map(reseeded, neighbours())
    assert np.array_equal(a(rng("one"), 2), a(rng("two"), 2))
    assert attacked(a, b, mu=1.0, budget=2000)
    honest = neighbours()[0]
    assert not np.array_equal(honest.sample(rng("one"), 2), honest.sample(rng("two"), 2))


def test_row_19_the_mode_for_a_sample_is_refuted():
    noiseless = [replace(law, sigma=0.0) for law in neighbours()]
    assert attacked(*noiseless, mu=1.0, budget=2000)


def test_row_22_a_data_dependent_step_count_is_refuted():
    """Stop when no record is active any more, and say after how many steps."""

    def stopping(law):
        def sample(random, size):
            steps = law.steps if (law.Z[:, 0] > 0).all() else law.steps - 1
            stopped = replace(law, strides=law.strides[:steps])
            return {"weights": stopped.sample(random, size), "steps": np.full(size, steps)}

        return sample

    assert attacked(*map(stopping, neighbours()), mu=1.0, budget=2000)
    for law in neighbours(n=5, steps="printed", mu=0.5):
        assert law.steps == bounds.printed_steps(5, 0.5)  # ours depends on n and mu alone


class CountingNoise:
    """rng that counts how often noise is drawn."""

    def __init__(self, random):
        self.random, self.draws = random, 0

    def normal(self, **arguments):
        self.draws += 1
        return self.random.normal(**arguments)


@pytest.mark.parametrize("output", noisy_gd.OUTPUTS)
@pytest.mark.parametrize(("charged", "kept"), [(0, True), (-1, False)])
def test_row_24_every_step_is_charged(output, charged, kept):
    """The accountant against a draw counter; sigma for T - 1 of T steps is noticed."""
    law = noisy_gd.law([[1.0, 0.0], [0.0, 1.0]], [1, -1], privacy=GaussianDP(0.7), width=0.5, steps=12, output=output)
    sensitivity = hinge_gradient.replacement_sensitivity(radius=1.0, width=0.5)
    law = replace(law, sigma=noisy_gd.noise_for(12 + charged, sensitivity, 0.7))
    counter = CountingNoise(rng("counter"))
    law.sample(counter)
    spent = counter.draws * Fraction(sensitivity) ** 2 / Fraction(law.sigma) ** 2
    assert (spent <= Fraction(law.privacy.mu) ** 2) == kept
