"""Margin selection: the law of (margin, model), the grid and the penalties, every instance's witness."""

import math
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from lemmata.bounds.bms22 import margin_selection_proof
from lemmata.experiments.bms22 import margin_selection as claims
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.instances.laws import selection_families
from lemmata.experiments.instances.pairs.selection_pairs import joint, learner
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP
from lemmata.mechanisms.selection import exponential, margin_selection
from lemmata.mechanisms.solvers import least_loss

# The law of (margin, model) -------------------------------------------------------------------------------------------

LINE = {
    "learner": learner,
    "bound": lambda rho, t: t + 0.1 / rho,
    "best_loss": lambda X, y, rho: least_loss.margin_loss(X, y, rho=rho, norm_bound=1.0)[1],
    "sensitivity": lambda rho: 1 / 20,
    "h_max": 1.0,
    "privacy": PureDP(1.0),
    "beta": 0.1,
}


def sample_line(m=20):
    rng = np.random.default_rng(1)
    return rng.uniform(0.1, 1.0, size=(m, 1)), rng.choice([-1.0, 1.0], size=m)


@pytest.mark.statistical
def test_margins_and_models_follow_the_joint_law():
    chosen = margin_selection.margin_law(*sample_line(), **LINE)
    releases = chosen.sample(np.random.default_rng(TEST_ROOT), 20_000)
    assert (releases["margin"] == chosen.margins[releases["index"]]).all()
    counts = np.bincount(2 * releases["index"] + releases["model"], minlength=2 * len(chosen.margins))
    assert chisquare(counts, 20_000 * joint(chosen)).pvalue > 1e-9


def test_the_budget_and_the_confidence_are_those_of_the_lemma():
    learner = Mock(return_value=exponential.law([0.0], sensitivity=1.0, privacy=PureDP(1.0)))
    chosen = margin_selection.margin_law(*sample_line(), **(LINE | {"learner": learner}))
    assert [asked.kwargs["rho"] for asked in learner.call_args_list] == [0.5, 0.25, 0.125] == chosen.margins.tolist()
    assert {asked.kwargs["beta"] for asked in learner.call_args_list} == {0.1 / 3} and chosen.privacy == PureDP(2.0)
    learner.reset_mock()
    margin_selection.margin_law(*sample_line(), calibration="printed", **(LINE | {"learner": learner}))
    assert [asked.kwargs["rho"] for asked in learner.call_args_list] == [0.5, 0.25]
    assert {asked.kwargs["beta"] for asked in learner.call_args_list} == {0.1}


def test_one_release_is_a_predictor_that_knows_its_margin():
    constant = SimpleNamespace(privacy=ApproxDP(1.0, 1e-6), sample=lambda rng, size=1: np.ones((size, 1)))
    each = LINE | dict(privacy=ApproxDP(1.0, 1e-6), learner=lambda X, y, **_: constant)
    model = fit(margin_selection.margin_law(*sample_line(), **each), np.random.default_rng(0))
    assert model.privacy == ApproxDP(2.0, 1e-6) and model.margin in (0.5, 0.25, 0.125)
    assert model.predict([[1.0], [-1.0]]).tolist() == [1.0, -1.0]


def test_tolerance_is_added_twice_to_the_sensitivities():
    exact, loose = (margin_selection.margin_law(*sample_line(), tolerance=t, **LINE).choice for t in (0.0, 0.05))
    wide = margin_selection.margin_law(*sample_line(), **(LINE | {"sensitivity": lambda rho: 1 / 20 + 0.1})).choice
    np.testing.assert_allclose(loose.log_probabilities(), wide.log_probabilities())
    assert not np.allclose(exact.log_probabilities(), wide.log_probabilities())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"X": [math.nan], "y": [1.0]}, r"X must have shape \(n, d\) with n, d >= 1, got \(1,\)"),
        ({"X": [[1.0]], "y": [0.0, 1.0]}, r"y must have shape \(1,\), got \(2,\)"),
        (
            {"learner": lambda X, y, *, rho, **_: exponential.law([0.0], sensitivity=1.0, privacy=PureDP(rho))},
            "learner must have one guarantee for all margins, got 3 different ones",
        ),
        ({"h_max": 0.0}, r"h_max must be in \[1e-100, 1e\+100\], got 0\.0"),
        ({"beta": 2.0}, r"beta must be in \(0, 1\), got 2\.0"),
        ({"tolerance": -1.0}, r"tolerance must be in \[0, inf\), got -1\.0"),
        ({"calibration": "best"}, "calibration must be one of corrected, printed, got 'best'"),
        ({"sensitivity": lambda rho: -1.0}, r"sensitivities = .* outside \[0, inf\)"),
        ({"privacy": GaussianDP(1.0)}, r"privacy must be a PureDP or an ApproxDP, got GaussianDP\(mu=1\.0,"),
    ],
)
def test_bad_parameters_are_named(changed, message):
    X, y = sample_line()
    with pytest.raises(ValueError, match=message):
        margin_selection.margin_law(**({"X": X, "y": y} | LINE | changed))


# Instances, witnesses, sabotage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 4])
def test_failures_of_the_promises_by_simulation_of_their_counts(size):
    """The balls against a float convolution of binomials."""
    family = selection_families.uniformity(size, 0.05)
    alive = np.zeros(family.m + 1)
    alive[0], before = 1.0, 0.0
    for p, k in reversed(list(zip(family.chances, family.counts, strict=True))):
        assert 0.049 < binom.cdf(k - 1, family.m, p) <= 0.05
        step = (p - before) / (1 - before)
        moved = np.zeros_like(alive)
        for g in np.flatnonzero(alive > 1e-15):
            moved[g:] += alive[g] * binom.pmf(np.arange(family.m - g + 1), family.m - g, step)
        moved[:k] = 0
        alive, before = moved, p
    assert family.any()[0] == pytest.approx(1 - alive.sum(), abs=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("setting", [*CLAIMS["bms22.lemF.1/printed/tail"].settings("full")], ids=lambda s: s["family"])
def test_every_family_refutes_the_printed_lemma(setting):
    finding = claims.lemma_fails(**setting)
    assert finding.outcome == "REFUTED"
    code = finding.witness["python"]
    assert len(code.strip().splitlines()) <= 15
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_the_families_keep_the_lemmas_hypotheses():
    """F(rho, t) non-increasing in rho, non-decreasing in t; Delta non-decreasing, but where the lemma is corrected."""
    grid, rhos = margin_selection_proof.margins(4096), np.geomspace(1 / 64, 1, 400)
    families = [
        (selection_families.constant_family(4096, grid, 0.01), 1),
        (selection_families.rising_family(4096, grid, 1.0, 0.05), 1),
        (selection_families.coverage_family(4096, grid), 1),
        (selection_families.falling_family(4096, grid, 20.0), -1),
    ]
    for family, direction in families:
        for t in (0.0, 0.5, 1.0):
            assert (np.diff([family.cost(r) + t * family.slope(r) for r in rhos]) <= 1e-15).all()
        assert all(family.slope(r) >= 0 for r in rhos)
        assert (direction * np.diff([family.sensitivity(r) for r in rhos]) >= 0).all()


def test_a_breakpoint_minimum_is_the_minimum():
    family = selection_families.falling_family(256, margin_selection_proof.margins(256), 20.0)
    slow = min(family.bound(r / 2, r) + 3 * family.sensitivity(r / 2) for r in np.geomspace(1 / 16, 1, 20_001))
    assert family.promised(lambda moved: 3 * moved) <= slow * (1 + 1e-12)
