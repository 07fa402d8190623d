"""Algorithm 1 of bms22: covers against brute force, the law against a softmax written out, its bounds."""

import itertools
import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import softmax
from scipy.stats import chisquare

from lemmata.bounds.bms22 import covers as cover_bounds, pure_learner as bounds
from lemmata.experiments.instances.classes.linear_learners import (
    IDENTITY,
    Dense,
    least_loss,
    one_direction,
)
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.covers.pure_learner import law
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, PureDP
from lemmata.mechanisms.solvers.covers import cover, farthest
from tests.bms22.records import fit_of_errors, sample_of

SIZES = {"norm_bound": 1.0, "radius": 1.0, "rho": 1.0}


# Covers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_covering_radius_of_the_thin_lattice(k):
    """Conway & Sloane: k (k + 2)/12 in the scale of `thin_gram`; k/4 for the cubic lattice."""
    assert cover_bounds.covering_radius_squared(cover_bounds.thin_gram(k)) == Fraction(k * (k + 2), 12)
    assert cover_bounds.covering_radius_squared(cover_bounds.cubic_gram(k)) == Fraction(k, 4)


@pytest.mark.parametrize(
    ("k", "lattice", "gram"), [(2, "thin", "thin_gram"), (3, "thin", "thin_gram"), (3, "cubic", "cubic_gram")]
)
def test_all_lattice_points_are_there(k, lattice, gram):
    """Brute force over a box of coefficients; the covering radius of the scaled lattice is the resolution."""
    R, eta = 2.0, 0.45
    gram = getattr(cover_bounds, f"{lattice}_gram")(k)
    basis = (
        np.linalg.cholesky(np.array(gram, dtype=float)) * eta / math.sqrt(cover_bounds.covering_radius_squared(gram))
    )
    box = np.array(list(itertools.product(range(-14, 15), repeat=k))) @ basis
    assert cover(k, radius=R, resolution=eta, lattice=lattice).size == (np.linalg.norm(box, axis=1) <= R + eta).sum()


@given(k=st.integers(1, 3), radius=st.floats(0.1, 50), ratio=st.floats(0.2, 8), seed=st.integers(0, 10**6))
def test_every_point_of_the_ball_is_near(k, radius, ratio, seed):
    made = cover(k, radius=radius, resolution=radius / ratio)
    points = np.random.default_rng(seed).normal(size=(200, k))
    points *= radius / np.linalg.norm(points, axis=1, keepdims=True) * np.linspace(0, 1, 200)[:, None]
    blocks = np.concatenate(list(made.blocks(7)))
    assert len(blocks) == made.size
    assert np.linalg.norm(blocks, axis=1).max() <= radius * (1 + 1e-12)
    np.testing.assert_array_equal(blocks, made.points(np.arange(made.size)))
    distances = np.linalg.norm(points[:, None] - blocks, axis=2).min(axis=1)
    assert distances.max() <= radius / ratio * (1 + 1e-12)
    assert farthest(made, points) == pytest.approx(distances.max(), rel=1e-4, abs=1e-6 * radius)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k must be an integer >= 1, got 0"),
        ({"radius": math.nan}, r"radius must be in \[1e-100, 1e\+100\], got nan"),
        ({"resolution": 0.0}, r"resolution must be in \[1e-100, 1e\+100\], got 0\.0"),
        ({"lattice": "square"}, "lattice must be one of thin, cubic, got 'square'"),
        ({"k": 900}, "k = 900 at radius/resolution = 20 needs more than 50000000 points"),
        ({"k": 4, "resolution": 0.02}, "k = 4 at radius/resolution = 100 needs more than 50000000 points"),
    ],
)
def test_impossible_covers_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        cover(**({"k": 2, "radius": 2.0, "resolution": 0.1} | arguments))


def test_unknown_numbers_are_refused():
    with pytest.raises(ValueError, match=r"numbers has entries outside \[0, 20\)"):
        cover(1, radius=2.0, resolution=0.1).points([20])


# The law --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2])
def test_the_law_is_the_exponential_mechanism(k):
    """A slow twin: every candidate, every record."""
    X, y = sample_of(7, 3)
    public = sign_projection(k, 3, rng=np.random.default_rng(1))
    released = law(X, y, privacy=PureDP(0.7), public=public, **SIZES)
    candidates = np.concatenate(list(cover(k, radius=2.0, resolution=0.1).blocks()))
    errors = [sum(b * (w @ public.apply(a)) <= 0 for a, b in zip(X, y, strict=True)) for w in candidates]
    np.testing.assert_array_equal(released.errors, errors)
    np.testing.assert_allclose(
        np.exp(released.selection.log_probabilities()), softmax(-0.7 * np.array(errors) / 2), rtol=1e-9
    )


@pytest.mark.statistical
def test_releases_are_lifted_selections():
    """Chi-square of the errors of 20,000 releases at 1e-9; a release is recognised, also on the grid of the audit."""
    X, y = sample_of(6, 3)
    public = sign_projection(2, 3, rng=np.random.default_rng(3))
    released = law(X, y, privacy=PureDP(2.0), public=public, **SIZES)
    draws = released.sample(np.random.default_rng(TEST_ROOT), 20_000)
    assert draws.shape == (20_000, 3)
    errors = (y * (draws @ X.T) <= 0).sum(axis=1)
    assert fit_of_errors(released, errors) > 1e-9
    logs = released.log_density(draws[:50])
    np.testing.assert_allclose(released.log_density(np.round(draws[:50] * 2**20) / 2**20), logs)
    assert released.log_density(np.full((1, 3), 9.0)) == -math.inf


def test_singular_projections_release_sums():
    """k = d = 2 with equal rows: candidates that look alike are one atom, and all atoms add up to one."""
    released = law(*sample_of(4, 2), privacy=PureDP(1.0), public=Dense(np.ones((2, 2)) / math.sqrt(2)), **SIZES)
    lifted = released.projection.transpose(released.candidates.points(np.arange(released.candidates.size)))
    atoms = np.unique(np.round(lifted, 9), axis=0)
    assert len(atoms) < released.candidates.size
    assert np.exp(released.log_density(atoms)).sum() == pytest.approx(1.0)


def test_a_million_candidates_in_blocks():
    """996,000 candidates, 300 records: the matrix of all margins would be 2.4 GB; less than 200 MB are ever held."""
    X, y = sample_of(300, 5)
    public = sign_projection(3, 5, rng=np.random.default_rng(0))
    tracemalloc.start()
    released = law(X, y, norm_bound=1.0, radius=1.0, rho=0.23, privacy=PureDP(1.0), public=public)
    draws = released.sample(np.random.default_rng(0), 2000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert released.candidates.size > 990_000
    assert draws.shape == (2000, 5)
    assert peak < 200e6


OF_THE_THEOREM = sign_projection(bounds.projection_rows(m=50, beta=0.05, **SIZES), 4, rng=np.random.default_rng(0))


def test_fit_remembers_its_privacy():
    X, y = sample_of(30, 4)
    made = law(X, y, privacy=PureDP(1.0), public=sign_projection(2, 4, rng=np.random.default_rng(1)), **SIZES)
    model = fit(made, np.random.default_rng(0))
    assert model.privacy == PureDP(1.0)
    assert set(model.predict(X)) <= {-1.0, 1.0}
    np.testing.assert_array_equal(model.weights, fit(made, np.random.default_rng(0)).weights)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rho": 1.5}, r"rho must be in \(0, norm_bound \* radius\] = \(0, 1\.0\], got 1\.5"),
        ({"rho": 0.0}, r"rho must be in \[1e-100, 1e\+100\], got 0\.0"),
        ({"radius": math.inf}, r"radius must be in \[1e-100, 1e\+100\], got inf"),
        ({"X": np.array([[None, 0.0]])}, "X must be an array of numbers, got dtype object"),
        ({"X": np.zeros((0, 2))}, r"X must have shape \(n, d\) with n, d >= 1, got \(0, 2\)"),
        ({"y": np.array(["1"])}, "y must be an array of numbers, got dtype <U1"),
        ({"y": [1.0, 1.0]}, r"y must have shape \(1,\), got \(2,\)"),
        ({"privacy": ApproxDP(1.0, 1e-6)}, r"privacy must imply a PureDP, got ApproxDP\(epsilon=1\.0,"),
        ({"public": Dense(np.ones((1, 3)))}, r"public projects from R\^3, but X has 2 columns"),
        (
            {"X": np.eye(4), "y": np.ones(4), "public": OF_THE_THEOREM},
            "k = 468 at radius/resolution = 20 needs more than",
        ),
        ({"calibration": "corrected"}, "calibration must be one of printed, got 'corrected'"),
    ],
)
def test_bad_input_is_named(changed, message):
    good = {"X": [[0.5, 0.5]], "y": [1.0], "privacy": PureDP(1.0), "public": Dense(np.ones((1, 2)))}
    with pytest.raises(ValueError, match=message):
        law(**(good | SIZES | changed))


# Bounds ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "epsilon", "claimed"),
    [(1, 0.5, 2.4e4), (1, 1, 1.6e4), (1, 10, 7.0e3), (2, 0.5, 1.1e5), (2, 1, 7.1e4), (4, 1, 3.4e5), (4, 10, 1.5e5)],
)
def test_where_the_bound_begins_to_speak(a, epsilon, claimed):
    """Computed apart when the statement was first studied, to two digits."""
    least = bounds.informative_from(epsilon=epsilon, beta=0.1, norm_bound=a, radius=1.0, rho=1.0, margin_loss=0.0)
    assert least == pytest.approx(claimed, rel=0.05)


def test_one_direction_against_the_law_itself():
    """The closed form at k = d = 1 is the law over a cover without 0: exact probabilities of a wrong sign."""
    for flips in range(6):
        y = np.array([-1.0] * flips + [1.0] * (5 - flips))
        released = law(np.ones((5, 1)), y, privacy=PureDP(0.8), public=IDENTITY, **SIZES)
        weights = released.candidates.points(np.arange(released.candidates.size))[:, 0]
        wrong = np.exp(released.selection.log_probabilities())[weights <= 0].sum()
        assert wrong == pytest.approx(1 / (1 + math.exp(0.8 * (5 - 2 * flips) / 2)))
    chance, excess = one_direction(10**4, 1.0, 0.1, 0.1, norm_bound=1.0, radius=1.0, rho=0.9)
    assert chance < 1e-6
    assert 0.003 < excess < 0.005  # 1.28 standard deviations of a mean of 10^4 coins of chance 0.1


@given(seed=st.integers(0, 10**6), m=st.integers(1, 8), rho=st.floats(0.05, 1.0))
def test_margin_loss_in_the_plane(seed, m, rho):
    X, y = sample_of(m, 2, seed)
    X *= np.random.default_rng(seed).uniform(0.1, 1, size=(m, 1))
    angles = np.linspace(0, 2 * np.pi, 5000)
    coarse = ((y * (np.column_stack([np.cos(angles), np.sin(angles)]) @ X.T)) <= rho).mean(axis=1).min()
    assert least_loss(X, y, rho, 1.0) <= coarse + 1e-12
    assert least_loss(X, y, rho / 3, 3.0) <= least_loss(X, y, rho, 1.0)


def test_the_log_density_of_the_pure_learner_is_that_of_what_it_releases():
    """By frequencies: the releases of a small law, each with its probability, and nothing else."""
    X, y = np.array([[0.6, 0.0, 0.3], [-0.5, 0.4, 0.0]]), np.array([1, -1])
    phi = sign_projection(2, 3, rng=np.random.default_rng(5))
    learner = law(X, y, privacy=PureDP(2.0), **SIZES, public=phi)
    drawn = learner.sample(np.random.default_rng(6), 20_000)
    kinds, counts = np.unique(np.round(drawn, 9), axis=0, return_counts=True)
    probabilities = np.exp(learner.log_density(kinds))
    assert 1 - 1e-3 < probabilities.sum() <= 1 + 1e-9 and len(kinds) > 1
    assert chisquare(counts, probabilities / probabilities.sum() * counts.sum()).pvalue > 1e-6
    assert learner.log_density(kinds[:1] + 0.01) == -np.inf
