"""Margin selection: slow twins of the law, exact small samples, every instance's witness, and the sabotage."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from hypothesis.strategies import floats, integers
from scipy.optimize import linprog
from scipy.special import softmax
from scipy.stats import binom, chisquare

from bounds.abgmu22 import generalized_exponential as generalized_exponential_bounds
from bounds.bms22 import bound_sensitivity, margin_selection_proof
from bounds.bms22 import margin_selection as margin_selection_bounds
from bounds.theorem import OutsideHypotheses
from experiments.abgmu22 import generalized_exponential as choice_claims
from experiments.bms22 import bound_sensitivity as sensitivity_claims
from experiments.bms22 import margin_selection as claims
from experiments.engine.audit import audit
from experiments.engine.claim import CLAIMS
from experiments.engine.streams import TEST_ROOT
from experiments.engine.verdict import LOG_REFUTE
from experiments.instances import selection_families
from mechanisms import exponential, generalized_exponential, margin_selection
from mechanisms.privacy import ApproxDP, GaussianDP, LabelDP, PureDP
from mechanisms.solvers import least_loss
from mechanisms.solvers.margin import geometric_margin

exactly = settings(derandomize=True, deadline=None, max_examples=50)
scores = arrays(float, integers(1, 12), elements=floats(-5, 5))


def slow_law(q, gamma, beta, epsilon):
    """Raskhodnikova & Smith, line by line."""
    t = 2 * math.log(len(q) / beta) / epsilon
    s = []
    for i in range(len(q)):
        terms = [0.0]
        for j in range(len(q)):
            if j != i:
                terms.append(((q[i] + t * gamma[i]) - (q[j] + t * gamma[j])) / (gamma[i] + gamma[j]))
        s.append(max(terms))
    return softmax(-epsilon * np.array(s) / 2)


# The generalized exponential mechanism


@exactly
@given(q=scores, seed=integers(0, 10**6), epsilon=floats(0.05, 10), beta=floats(1e-6, 0.9))
def test_the_law_is_that_of_the_slow_twin(q, seed, epsilon, beta):
    gamma = 10 ** np.random.default_rng(seed).uniform(-3, 2, size=len(q))
    found = generalized_exponential.law(q, gamma, beta=beta, privacy=PureDP(epsilon)).log_probabilities()
    np.testing.assert_allclose(np.exp(found), slow_law(q, gamma, beta, epsilon), rtol=1e-9, atol=1e-12)


@exactly
@given(q=scores, scale=floats(0.1, 10))
def test_equal_sensitivities_are_an_exponential_mechanism_at_half_the_budget(q, scale):
    found = generalized_exponential.law(q, np.full(len(q), scale), beta=0.1, privacy=PureDP(1.0)).log_probabilities()
    twin = exponential.law(-q, sensitivity=scale, privacy=PureDP(0.5)).log_probabilities()
    np.testing.assert_allclose(found, twin, atol=1e-10)


@exactly
@given(q=scores, shift=floats(-3, 3), stretch=floats(0.5, 4))
def test_shifts_and_units_of_the_scores_do_not_matter(q, shift, stretch):
    gamma = np.linspace(0.1, 2, len(q))
    before, after = (
        generalized_exponential.law(stretch**k * q + shift * k, stretch**k * gamma, beta=0.1, privacy=PureDP(1.0))
        for k in (0, 1)
    )
    np.testing.assert_allclose(before.log_probabilities(), after.log_probabilities(), atol=1e-8)


def test_blocks_of_the_normalisation_make_no_difference(monkeypatch):
    rng = np.random.default_rng(0)
    known = {"scores": rng.normal(size=50), "sensitivities": rng.uniform(size=50), "t": 3.0}
    whole = generalized_exponential_bounds.normalised_scores(**known)
    monkeypatch.setattr(generalized_exponential_bounds, "BLOCK", 1)
    np.testing.assert_array_equal(generalized_exponential_bounds.normalised_scores(**known), whole)


def test_public_scores_take_part_and_only_the_best_of_them():
    """Sensitivity 0 is the limit of small ones."""
    q, gamma = np.array([1.0, 2.0, 1.0, 0.5]), np.array([0.0, 0.0, 0.0, 0.3])
    found = np.exp(generalized_exponential.law(q, gamma, beta=0.1, privacy=PureDP(1.0)).log_probabilities())
    limit = slow_law(q, np.maximum(gamma, 1e-9), 0.1, 1.0)
    np.testing.assert_allclose(found, limit, atol=1e-6)
    assert found[1] == 0.0 and found[0] == found[2]
    drawn = generalized_exponential.law(q, gamma, beta=0.1, privacy=PureDP(1.0)).sample(np.random.default_rng(0), 1000)
    assert set(drawn.tolist()) == {0, 2, 3}


@pytest.mark.statistical
def test_releases_follow_the_law():
    """Chi-square of 50,000 releases at 1e-9; with a tilted law as the control."""
    q, gamma = np.array([0.0, 1.0, 0.2, 3.0]), np.array([1.0, 0.1, 0.4, 2.0])
    chosen = generalized_exponential.law(q, gamma, beta=0.1, privacy=PureDP(2.0))
    counts = np.bincount(chosen.sample(np.random.default_rng(TEST_ROOT), 50_000), minlength=4)
    assert chisquare(counts, 50_000 * np.exp(chosen.log_probabilities())).pvalue > 1e-9
    assert chisquare(counts, 50_000 * softmax(1.1 * chosen.log_probabilities())).pvalue < 1e-9


def test_densities_of_what_is_no_candidate():
    chosen = generalized_exponential.law([0.0, 1.0], [1.0, 1.0], beta=0.1, privacy=LabelDP(1.0))
    assert chosen.log_density([-1, 2, 0.5]).tolist() == [-math.inf] * 3
    assert chosen.privacy == PureDP(1.0, "label")


def test_extreme_scores_and_one_candidate():
    chosen = generalized_exponential.law([1e9, 0.0, 0.0], [1e-6, 1e6, 1e-6], beta=1e-9, privacy=PureDP(50.0))
    assert np.exp(chosen.log_probabilities()) == pytest.approx([0.0, 1e-9 / 3, 1.0], rel=1e-6, abs=1e-15)
    assert generalized_exponential.law([7.0], [1.0], beta=0.5, privacy=PureDP(1.0)).sample(
        np.random.default_rng(0)
    ).tolist() == [0]


def test_scores_stay_out_of_the_repr():
    assert "777" not in repr(generalized_exponential.law([777.0, 0.0], [1.0, 2.0], beta=0.1, privacy=PureDP(1.0)))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": []}, r"scores has shape \(0,\)"),
        ({"scores": [[1.0, 2.0]]}, r"scores has shape \(1, 2\)"),
        ({"scores": [math.nan, 1.0]}, r"scores has entries that are not finite"),
        ({"sensitivities": [1.0]}, r"sensitivities has shape \(1,\), not \(2,\)"),
        ({"sensitivities": [1.0, -0.1]}, r"sensitivities = \[1\.0, -0\.1\] has entries outside \[0, inf\)"),
        ({"sensitivities": [1.0, math.inf]}, r"outside \[0, inf\)"),
        ({"sensitivities": [1.0, math.nan]}, r"outside \[0, inf\)"),
        ({"beta": 0.0}, r"beta = 0\.0 is outside \(0, 1\)"),
        ({"beta": 1.0}, r"beta = 1\.0 is outside \(0, 1\)"),
        ({"privacy": ApproxDP(1.0, 1e-6)}, r"implies no PureDP"),
    ],
)
def test_bad_input_is_named(changed, message):
    known = {"scores": [0.0, 1.0], "sensitivities": [1.0, 1.0], "beta": 0.1, "privacy": PureDP(1.0)} | changed
    with pytest.raises(ValueError, match=message):
        generalized_exponential.law(known.pop("scores"), known.pop("sensitivities"), **known)


# The law of (margin, model)

LINE = {
    "learner": claims.learner,
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
    found = chosen.sample(np.random.default_rng(TEST_ROOT), 20_000)
    assert (found["margin"] == chosen.margins[found["index"]]).all()
    counts = np.bincount(2 * found["index"] + found["model"], minlength=2 * len(chosen.margins))
    assert chisquare(counts, 20_000 * claims.joint(chosen)).pvalue > 1e-9


def test_the_budget_and_the_confidence_are_those_of_the_lemma():
    seen = []

    def learner(X, y, *, rho, privacy, beta):
        seen.append((rho, privacy, beta))
        return exponential.law([0.0], sensitivity=1.0, privacy=PureDP(1.0))

    chosen = margin_selection.margin_law(*sample_line(), **(LINE | {"learner": learner}))
    assert [s[0] for s in seen] == [0.5, 0.25, 0.125] == chosen.margins.tolist()
    assert {s[2] for s in seen} == {0.1 / 3} and chosen.privacy == PureDP(2.0)
    seen.clear()
    margin_selection.margin_law(*sample_line(), calibration="printed", **(LINE | {"learner": learner}))
    assert [s[0] for s in seen] == [0.5, 0.25] and {s[2] for s in seen} == {0.1}


def test_one_release_is_a_predictor_that_knows_its_margin():
    class Constant:
        privacy = ApproxDP(1.0, 1e-6)

        def sample(self, rng, size=1):
            return np.ones((size, 1))

    others = {name: value for name, value in LINE.items() if name not in ("privacy", "learner")}
    budget = dict(epsilon=2.0, delta=1e-6, learner=lambda X, y, **_: Constant())
    model = margin_selection.fit(*sample_line(), **budget, **others, rng=np.random.default_rng(0))
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
        ({"h_max": 0.0}, r"h_max = 0\.0 is outside \(0, inf\)"),
        ({"beta": 2.0}, r"beta = 2\.0 is outside \(0, 1\)"),
        ({"tolerance": -1.0}, r"tolerance = -1\.0 is outside \[0, inf\)"),
        ({"calibration": "best"}, r"calibration = 'best' is not one of corrected, printed"),
        ({"sensitivity": lambda rho: -1.0}, r"sensitivities = .* outside \[0, inf\)"),
        ({"privacy": GaussianDP(1.0)}, r"privacy = GaussianDP.* has no epsilon"),
    ],
)
def test_bad_parameters_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        margin_selection.margin_law(*sample_line(), **(LINE | changed))


def test_a_learner_whose_guarantee_depends_on_the_margin_is_refused():
    def learner(X, y, *, rho, **_):
        return exponential.law([0.0], sensitivity=1.0, privacy=PureDP(rho))

    with pytest.raises(ValueError, match="learner promises 3 different guarantees"):
        margin_selection.margin_law(*sample_line(), **(LINE | {"learner": learner}))


def test_bad_data_are_named():
    with pytest.raises(ValueError, match="not finite"):
        margin_selection.margin_law([[math.nan]], [1.0], **LINE)
    with pytest.raises(ValueError, match=r"outside \{-1, \+1\}"):
        margin_selection.margin_law([[1.0]], [0.0], **LINE)


# Least losses


@exactly
@given(seed=integers(0, 10**6), m=integers(1, 6), rho=floats(0.05, 3))
def test_the_least_hinge_loss_on_the_line_three_ways(seed, m, rho):
    z = np.random.default_rng(seed).uniform(-1, 1, size=m)
    low, high = least_loss.hinge_loss(z[:, None], np.ones(m), rho=rho, norm_bound=1.0)
    assert high - low < 1e-6
    cost = np.append(0.0, np.full(m, 1 / m))
    rows = np.column_stack([-z / rho, -np.eye(m)])
    program = linprog(cost, A_ub=rows, b_ub=-np.ones(m), bounds=[(-1, 1)] + [(0, None)] * m)
    assert low - 1e-9 <= program.fun <= high + 1e-9
    assert float(sensitivity_claims.least_hinge(z.tolist(), rho, 1)) == pytest.approx(program.fun, abs=1e-9)


@exactly
@given(seed=integers(0, 10**6), m=integers(1, 6), rho=floats(0.05, 0.9))
def test_the_least_margin_loss_of_the_plane_is_the_largest_subset_with_that_margin(seed, m, rho):
    """gamma(T) > rho / Lambda for the records T that are right."""
    X = np.random.default_rng(seed).normal(size=(m, 2))
    low, high = least_loss.margin_loss(X, np.ones(m), rho=rho, norm_bound=1.0)
    right = max(
        (len(T) for k in range(1, m + 1) for T in itertools.combinations(range(m), k) if margin(X[list(T)]) > rho),
        default=0,
    )
    assert low <= 1 - right / m + 1e-12 and 1 - right / m <= high + 1e-12
    assert high - low < 1e-12


def margin(X):
    return geometric_margin(X, np.ones(len(X))).value


def test_the_plane_agrees_with_the_line():
    z = np.array([0.9, 0.5, -0.3, 0.2])
    for rho in (0.1, 0.25, 0.6):
        line = least_loss.margin_loss(z[:, None], np.ones(4), rho=rho, norm_bound=1.0)
        plane = least_loss.margin_loss(np.column_stack([z, 0 * z]), np.ones(4), rho=rho, norm_bound=1.0)
        assert line == plane
        assert line[0] == float(sensitivity_claims.least_margin(z.tolist(), rho, 1))


def test_least_margin_losses_are_for_the_line_and_the_plane():
    with pytest.raises(ValueError, match="X has 3 columns"):
        least_loss.margin_loss(np.ones((2, 3)), [1, 1], rho=0.5, norm_bound=1.0)
    with pytest.raises(ValueError, match=r"rho = 0 is outside \(0, inf\)"):
        least_loss.hinge_loss([[1.0]], [1], rho=0, norm_bound=1.0)


def test_sharp_samples_for_the_hinge_sensitivity():
    """m - 1 records of norm rho/Lambda and one of norm r that is turned; equal records, one turned."""
    for m, ratio in ((5, 3.0), (10, 9.0), (4, 0.5)):
        rho, calm = 1 / ratio, min(1 / ratio, 1.0)
        one, other = ([calm] * (m - 1) + [x] for x in (1.0, -1.0))
        moved = abs(sensitivity_claims.least_hinge(one, rho, 1) - sensitivity_claims.least_hinge(other, rho, 1))
        assert float(moved) == pytest.approx(bound_sensitivity.sensitivity_2_explicit(m=m, ratio=ratio))


# Formulas


@exactly
@given(m=integers(1, 10**9), beta=floats(1e-9, 0.99), epsilon=floats(0.01, 10))
def test_penalties_against_their_twins(m, beta, epsilon):
    J = max(1, next(j for j in range(40) if 4**j >= m))
    assert margin_selection_bounds.grid_size(m) == J
    found = margin_selection_bounds.corrected_penalty(sensitivity=0.5, m=m, epsilon=epsilon, beta=beta)
    assert found == pytest.approx(2 * math.log(J / beta) / epsilon)
    term = margin_selection_bounds.corollary_penalty(m=m, norm_bound=2.0, r=3.0, rho=0.5, epsilon=epsilon, beta=beta)
    assert term == pytest.approx(32 * 12 / (m * epsilon) * math.log(2 * J / beta))


@exactly
@given(m=integers(3, 10**15), beta=floats(1e-12, 1 - 1e-9))
def test_the_corollary_holds_up_to_its_constant_from_three_on(m, beta):
    known = {"m": m, "norm_bound": 1.0, "r": 1.0, "rho": 1.0, "epsilon": 1.0, "beta": beta}
    ratio = margin_selection_bounds.corollary_penalty(**known) / margin_selection_bounds.corollary_order(**known)
    assert ratio <= claims.largest_constant() * (1 + 1e-9)


def test_rates_against_the_theorems():
    """The five bounds, spelled out at one point."""
    L, b = math.log(1000 / 0.1), math.log(10)
    gamma = 4 * L * math.log(20) / (0.5 * 1000) + 4 * L**2 / 1000 + b / 1000
    found = margin_selection_proof.rate_1(loss=0.3, m=1000, ratio=2.0, epsilon=0.5, beta=0.1)
    assert found == pytest.approx(math.sqrt(0.3 * (4 * L**2 / 1000 + b / 1000)) + gamma)
    M = 1 + 7 * math.log2(2 * 289 * 1000) * math.log2(34 * math.e * 1000 / 7) + math.log(20)
    found = margin_selection_proof.rate_4(loss=0.3, m=1000, fat=7, epsilon=0.5, beta=0.1)
    assert found == pytest.approx(2 * math.sqrt(0.3 * M / 1000) + 2 * M / 1000 + 64 * M * math.log(20) / 500)


def test_outside_the_hypotheses():
    with pytest.raises(OutsideHypotheses, match="base = '10'"):
        margin_selection_proof.grid_point(m=10, rho=0.5, base="10", rounding="ceil")
    with pytest.raises(OutsideHypotheses, match="1 <= m rho"):
        margin_selection_proof.grid_point(m=100, rho=0.01)
    with pytest.raises(OutsideHypotheses, match="power = 1"):
        margin_selection_proof.half_sensitivity_corrected(rho_hat=0.5, rho_opt=0.5, power=1)


# Instances, witnesses, sabotage


@pytest.mark.parametrize("size", [2, 3, 4])
def test_failures_of_the_promises_by_simulation_of_their_counts(size):
    """The balls against a float convolution of binomials."""
    found = selection_families.uniformity(size, 0.05)
    alive = np.zeros(found.m + 1)
    alive[0], before = 1.0, 0.0
    for p, k in reversed(list(zip(found.chances, found.counts, strict=True))):
        assert 0.049 < binom.cdf(k - 1, found.m, p) <= 0.05
        step = (p - before) / (1 - before)
        moved = np.zeros_like(alive)
        for g in np.flatnonzero(alive > 1e-15):
            moved[g:] += alive[g] * binom.pmf(np.arange(found.m - g + 1), found.m - g, step)
        moved[:k] = 0
        alive, before = moved, p
    assert found.any()[0] == pytest.approx(1 - alive.sum(), abs=1e-9)


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
        assert all(family.sensitivity(r) == pytest.approx(family.slope(r) / family.m) for r in rhos)


def test_a_breakpoint_minimum_is_the_minimum():
    grid = margin_selection_proof.margins(256)
    family = selection_families.falling_family(256, grid, 20.0)
    fine = np.geomspace(1 / 16, 1, 20_001)
    slow = min(family.bound(r / 2, r) + 3 * family.sensitivity(r / 2) for r in fine)
    assert family.promised(lambda moved: 3 * moved) <= slow * (1 + 1e-12)


@pytest.mark.statistical
def test_a_mechanism_that_forgets_to_normalise_is_refuted_by_attack():
    """Weights exp(-epsilon q / 4 Delta_max) over raw scores are fine; with the smallest Delta they are not."""
    before, after, gamma = choice_claims.rare_choice(20, epsilon=1.0, beta=0.05, rare=3, reference=0.2)
    for scale, caught in ((gamma.max(), False), (gamma.min(), True)):
        pair = [exponential.law(-q, sensitivity=2 * scale, privacy=PureDP(1.0)) for q in (after, before)]
        reached = audit(*pair, PureDP(1.0), root=TEST_ROOT, budget=40_000).log_e()[1] >= LOG_REFUTE
        assert bool(reached) is caught
