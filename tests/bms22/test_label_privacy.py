"""Algorithm 4 of bms22: its law against a softmax, smallest covers by brute force, Theorem 6.1."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import softmax

from lemmata.bounds.bms22 import label_privacy as bounds
from lemmata.experiments.instances.classes import label_classes as small
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.covers.label_learner import law
from lemmata.mechanisms.privacy import ApproxDP, LabelDP, PureDP
from lemmata.mechanisms.solvers import function_covers

ONE = {"privacy": LabelDP(1.0), "rho": 1.0}


def constants(*values):
    return lambda X: np.outer(values, np.ones(len(X)))


# Covers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [True, False])
def test_smallest_covers_are_smallest(closed):
    """The integer program against all subsets; the members cover, and repeated rows do not matter."""
    for values in small.small_classes(2, 6, 60, seed=3):
        chosen = function_covers.smallest_cover(values, radius=2.0, closed=closed)
        near = function_covers.nearness_matrix(values, 2.0, closed=closed)
        assert near[chosen].any(axis=0).all()
        assert not any(
            near[list(fewer)].any(axis=0).all() for fewer in itertools.combinations(range(len(values)), len(chosen) - 1)
        )
        assert len(function_covers.smallest_cover(np.repeat(values, 3, axis=0), radius=2.0, closed=closed)) == len(
            chosen
        )


def test_beyond_300_rows_the_cover_is_greedy(monkeypatch):
    values = np.random.default_rng(0).uniform(-1, 1, size=(301, 2))
    cover = function_covers.smallest_cover(values, radius=0.4)
    assert function_covers.nearness_matrix(values, 0.4, closed=False)[cover].any(axis=0).all()
    monkeypatch.setattr(function_covers, "EXACT", 400)
    smallest = function_covers.smallest_cover(values, radius=0.4)
    assert len(smallest) <= len(cover) <= (1 + math.log(301)) * len(smallest)


def test_the_ball_decides_at_ties():
    """2 rho, rho/2, 0: one closed ball around rho/2 covers all three, open balls need a function each."""
    covers = [law([[0.0]], [1.0], hypotheses=constants(2.0, 0.5, 0.0), balls=b, **ONE) for b in ("closed", "open")]
    assert [one.cover.tolist() for one in covers] == [[1], [0, 1, 2]]
    assert [one.errors.min() for one in covers] == [1, 0]


# The law --------------------------------------------------------------------------------------------------------------


def test_the_law_is_the_exponential_mechanism():
    """A slow twin: every member, every record."""
    X = np.linspace(-1, 1, 9)[:, None]
    y = np.where(X[:, 0] > 0.3, 1.0, -1.0)
    pool = small.slopes(9)
    released = law(X, y, privacy=LabelDP(0.7), rho=0.5, hypotheses=pool, net=0.1)
    w = np.linspace(-1, 1, 9)[released.cover]
    errors = [sum(b * max(-0.5, min(0.5, v * a[0])) <= 0.25 for a, b in zip(X, y, strict=True)) for v in w]
    np.testing.assert_array_equal(released.errors, errors)
    chances = softmax(-0.7 * np.array(errors) / 2)
    np.testing.assert_allclose(np.exp(released.log_density(released.cover)), chances, rtol=1e-12)
    assert np.isneginf(released.log_density(np.setdiff1d(np.arange(9), released.cover))).all()
    assert released.log_density([0.5, 99.0]).tolist() == [-math.inf, -math.inf]
    assert set(released.sample(np.random.default_rng(0), 500)) <= set(released.cover)


@pytest.mark.parametrize("net", [0.0, 0.05, 0.1])
def test_the_net_makes_balls_smaller(net):
    """Pool members within `net` of all functions, distances below rho/2 - net."""
    X, pool = np.linspace(-1, 1, 21)[:, None], small.slopes(81)
    cover = law(X, np.ones(21), privacy=LabelDP(1.0), rho=0.5, hypotheses=pool, net=net).cover
    values = np.clip(pool(X), -0.5, 0.5)
    assert np.abs(values[:, None] - values[cover]).max(axis=2).min(axis=1).max() < 0.25 - net


def test_labels_never_move_the_cover_and_features_do():
    """What label privacy rests on; and why nothing is promised for whole records."""
    X, rng = np.linspace(-1, 1, 5)[:, None], np.random.default_rng(0)
    pool, sizes = small.slopes(17), {"privacy": LabelDP(1.0), "rho": 0.5}
    covers = {tuple(law(X, rng.choice([-1.0, 1.0], 5), hypotheses=pool, **sizes).cover) for _ in range(20)}
    assert len(covers) == 1
    assert tuple(law(X / 4, np.ones(5), hypotheses=pool, **sizes).cover) not in covers


def test_a_release_is_a_predictor():
    X = np.r_[-np.linspace(0.5, 1, 50), np.linspace(0.5, 1, 50)][:, None]
    y = np.sign(X[:, 0])
    made = law(X, y, privacy=LabelDP(2.0), rho=0.4, hypotheses=small.slopes(41), net=0.025)
    model = fit(made, np.random.default_rng(1))
    assert (model.predict(X) == y).all()
    assert np.abs(model.decision_function(X)).max() <= 0.4
    assert model.privacy == LabelDP(2.0)
    assert "0.5" not in repr(model)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rho": 0.0}, r"rho must be in \[1e-100, 1e\+100\], got 0\.0"),
        ({"net": 0.5}, r"net must be in \[0, rho/2\) = \[0, 0\.5\), got 0\.5"),
        ({"balls": "round"}, "balls must be one of open, closed, got 'round'"),
        ({"privacy": PureDP(1.0)}, "is not for neighbours that differ in one label"),
        ({"privacy": ApproxDP(1.0, 0.1, "label")}, r"privacy must imply a PureDP, got ApproxDP\(epsilon=1\.0, delta="),
        ({"hypotheses": 3}, "hypotheses must be a function, got int"),
        ({"hypotheses": lambda X: np.ones(2)}, r"hypotheses has values of shape \(2,\), not \(hypotheses, 2\)"),
        ({"hypotheses": lambda X: np.full((1, 2), np.nan)}, "hypotheses must have finite entries only"),
        ({"calibration": "exact"}, "calibration must be one of printed, got 'exact'"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        law(np.eye(2), [1, -1], **(ONE | {"hypotheses": constants(1.0)} | arguments))


# Theorem 6.1 ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "gap", "d"),
    [
        ([[1.0, 1.0]], 0.1, 0),
        ([[1.0], [0.0]], 0.5, 1),
        ([[1.0], [0.0]], 0.51, 0),
        (list(itertools.product((-1.0, 1.0), repeat=3)), 1.0, 3),
        ([(w, -w) for w in np.linspace(-1, 1, 9)], 0.1, 1),  # a line meets no four quadrants
        (small.TIED, small.RHO / 32, 2),
    ],
)
def test_fat_shattering_dimensions(values, gap, d):
    assert small.fat_dimension(np.array(values), gap) == d


def test_the_bounds_speak_from_these_sizes():
    """The text's regime, recomputed: printed and explicit, d = 1 and 2, epsilon = 1."""
    sizes = {"epsilon": 1.0, "beta": 0.1, "margin_loss": 0.0}
    speaks = [
        bounds.informative_from(f, d=d, **sizes)
        for d in (1, 2)
        for f in (bounds.label_bound, bounds.label_bound_derived)
    ]
    assert speaks == [118_720, 1427, 246_820, 2932]
    for f, m in zip((bounds.label_bound, bounds.label_bound_derived), speaks[:2], strict=True):
        assert f(m=m, d=1, **sizes) < 1 <= f(m=m - 1, d=1, **sizes)
