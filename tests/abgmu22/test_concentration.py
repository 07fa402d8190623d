"""The concentration lemma: units, a simulation beside the exact laws, and the checks that must be able to fail."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

from lemmata.bounds.abgmu22 import concentration as bounds
from lemmata.experiments.abgmu22 import concentration as claims
from lemmata.mechanisms.numerics.streams import TEST_ROOT

exactly = settings(derandomize=True, deadline=None, max_examples=50)
SIZES = {"n": 400, "beta": 0.05, "gamma": 0.5, "smoothness": 1.0, "label_bound": 1.0}


def in_other_units(sizes, s):
    """The sizes of s l."""
    return sizes | {"label_bound": sizes["label_bound"] * s**0.5, "smoothness": sizes["smoothness"] * s}


@exactly
@given(s=st.floats(0.01, 100), n=st.integers(1, 10**6), gamma=st.floats(0.01, 10))
def test_true_levels_have_the_unit_of_a_loss(s, n, gamma):
    sizes = SIZES | {"n": n, "gamma": gamma}
    for level, losses in (
        (bounds.empirical_level_corrected, {"population": 1.0, "loss_bound": 2.0}),
        (bounds.population_level_corrected, {"empirical": 1.0}),
    ):
        scaled = level(**in_other_units(sizes, s), **{name: s * x for name, x in losses.items()})
        assert scaled == pytest.approx(s * level(**sizes, **losses), rel=1e-9)


def test_printed_levels_have_not():
    """For s l with a large s, the printed level over s falls below the mean: the term with Y alone vanishes."""
    sizes = SIZES | {"gamma": 1e-9}
    ratios = [bounds.empirical_level(**in_other_units(sizes, s), population=s / 2) / s - 0.5 for s in (1, 100, 10**4)]
    assert ratios[0] > 9.9 * ratios[1] > 98 * ratios[2]


@pytest.mark.statistical
def test_random_vectors_and_squares_stay_below_the_true_levels():
    """Gaussian w of the largest variance, l = (w x - y)^2/2, x and y signs: 4,000 pairs (w, S), no level exceeded."""
    rng = np.random.default_rng(TEST_ROOT)
    w = 0.5 * np.sqrt(3 / 8) * rng.normal(size=(4000, 1))
    losses = (w - rng.choice([-1.0, 1.0], size=(4000, 400))) ** 2 / 2
    mean, empirical = (w[:, 0] ** 2 + 1) / 2, losses.mean(axis=1)
    top = float(np.quantile(losses.max(axis=1), 0.99))
    above = [bounds.empirical_level_corrected(**SIZES, population=L, loss_bound=top) for L in mean]
    below = [bounds.population_level_corrected(**SIZES, empirical=L) for L in empirical]
    assert (empirical <= above).all() and (mean <= below).all()


def test_the_worlds_are_what_they_say():
    sizes = {"gamma": 2.0, "smoothness": 9.0, "label_bound": 4.0}
    length = 2 * np.sqrt(np.log(2))  # E exp(w^2/gamma^2) = 2
    assert claims.largest_loss("w fixed", **sizes) == pytest.approx((4 + length * np.sqrt(4.5)) ** 2)
    assert claims.largest_loss("w = 0", **sizes) == 16
    spread = 4 * 3 / 8  # of each of 1000 signs: (1 - 2 * 3/8)^(-1/2) = 2
    assert claims.largest_loss(1000, **sizes) == pytest.approx(4.5 * 1000 * spread)


@pytest.mark.parametrize(("count", "level"), [(3, 0.6), (5, 1.0), (7, 1.4)])
def test_chances_of_counts(count, level):
    """Ten losses 0 or 2: a mean above the level, or equal to it; and an expectation of 1 above slope times the mean."""
    assert float(claims.chance_above(10, 0.3, 2.0, level)) == pytest.approx(binom.sf(count - 1, 10, 0.3))
    assert float(claims.chance_above(10, 0.3, 2.0, level + 0.1)) == pytest.approx(binom.sf(count, 10, 0.3))
    assert float(claims.chance_below(10, 0.5, 2.0, 0.0, 1 / level)) == pytest.approx(binom.cdf(count, 10, 0.5))
    assert float(claims.chance_below(10, 0.5, 2.0, 0.1, 1 / level)) == pytest.approx(binom.cdf(count - 1, 10, 0.5))
