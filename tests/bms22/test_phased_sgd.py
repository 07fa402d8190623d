"""Phased SGD, DP-ERM and the efficient learner: slow twins, oracles, properties, bad input, sabotage."""

from dataclasses import replace
from math import exp, log, sqrt

import dp_accounting
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import binom, kstest, multivariate_normal, norm
from sklearn.metrics import hinge_loss

from bounds.bms22 import dp_erm as boosting_bounds
from bounds.bms22 import dp_erm_proof, efficient_learner_proof
from bounds.bms22 import efficient_learner as efficient_bounds
from bounds.bms22 import phased_sgd as bounds
from experiments.bms22 import dp_erm as boosting_claims
from experiments.bms22 import dp_erm_proof as step_claims
from experiments.bms22 import efficient_learner_proof as proof_claims
from experiments.engine.claim import CLAIMS
from experiments.engine.streams import TEST_ROOT, generator
from experiments.instances import projected_records
from mechanisms import dp_erm, efficient_learner, phased_sgd
from mechanisms.fast_projection import fast_projection
from mechanisms.privacy import ApproxDP, GaussianDP, gaussian_delta

PRIVATE = dict(privacy=ApproxDP(1.0, 1e-3), beta=0.1)
HINGE = dict(rho=0.5, radius=1.0, norm_bound=1.0)


def rng(name):
    return generator(TEST_ROOT, f"tests.phased_sgd.{name}", {}, "main", 0)


def problem(n=20, k=3, seed=0):
    """n rows of norm up to 1.5, one of them 0, random labels."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, k))
    X *= random.uniform(0.1, 1.5, size=(n, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    X[n // 2] = 0.0
    return X, random.choice([-1.0, 1.0], n)


# ---- phased SGD ----------------------------------------------------------------------------------------------


def obvious_phases(Z, rho, eta, norm_bound, noises):
    """A_GLL as it is printed, one run and one record at a time: w_1, ..., w_K."""

    def ball(v):
        return v / max(1.0, np.linalg.norm(v) / norm_bound)

    n, b, w, used, released = len(Z), 2 / eta, np.zeros(Z.shape[1]), 0, []
    for i in range(1, int(np.log2(n)) + 1):
        v, iterates = ball(w), []
        for z in Z[used : used + n // 2**i]:
            iterates.append(v)
            s = 0.0 if not z.any() else min(max(0.0, rho - v @ z) / (z @ z), 1 / (b * rho))
            gradient = b * (v - (v + s * z))
            v = ball(v - eta / 4**i * gradient)
        used += n // 2**i
        w = np.mean(iterates, axis=0) + noises[i - 1]
        released.append(w)
    return np.array(released)


@pytest.mark.parametrize("n", [2, 3, 16, 21])
def test_phases_agree_with_the_printed_algorithm(n):
    X, y = problem(n)
    law = phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(2.0), output="phases")
    seen = law.sample(rng("phases"), size=4)
    random, sigmas = rng("phases"), law.noise
    noises = [sigma * random.normal(size=(4, 3)) for sigma in sigmas]
    for run in range(4):
        twin = obvious_phases(law.Z, law.rho, law.eta, law.norm_bound, [noise[run] for noise in noises])
        np.testing.assert_allclose(seen[run], twin, rtol=1e-12, atol=1e-13)
    last = phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(2.0)).sample(rng("phases"), size=4)
    np.testing.assert_allclose(last, [w / max(1.0, np.linalg.norm(w)) for w in seen[:, -1]], rtol=1e-12)


def test_bootstrap_runs_agree_with_the_printed_algorithm():
    X, y = problem(13)
    law = phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(2.0))
    known = dict(rho=law.rho, lipschitz=law.lipschitz, norm_bound=1.0, eta=law.eta, multiplier=law.multiplier)
    found = phased_sgd.bootstrap_runs(rng("bootstrap"), law.Z, 3, 13, **known)
    random, drawn, noises = rng("bootstrap"), [], []
    for length, sigma in zip(bounds.phase_lengths(13), law.noise, strict=True):
        drawn.append(random.integers(0, 13, size=(length, 3)))
        noises.append(sigma * random.normal(size=(3, 3)))
    drawn = np.concatenate([*drawn, np.zeros((13 - sum(map(len, drawn)), 3), dtype=int)])
    for run in range(3):
        w = obvious_phases(law.Z[drawn[:, run]], law.rho, law.eta, 1.0, [noise[run] for noise in noises])[-1]
        np.testing.assert_allclose(found[run], w / max(1.0, np.linalg.norm(w)), rtol=1e-12)


@pytest.mark.parametrize(("margin", "b"), [(0.3, 2.0), (0.49, 2.0), (0.9, 2.0), (-3.0, 50.0)])
def test_step_is_the_proximal_step(margin, b):
    """The closed form against a numerical minimiser of f(v) + (b/2) |v - w|^2."""
    rho, z = 0.5, np.array([0.6, -0.3])
    w = margin * z / (z @ z) + np.array([0.3, 0.6])  # the second part is orthogonal to z
    s = min(max(0.0, rho - w @ z) / (z @ z), 1 / (b * rho))
    objective = lambda v: max(0.0, 1 - v @ z / rho) + b / 2 * ((v - w) ** 2).sum()  # noqa: E731
    found = minimize(objective, w, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 5000})
    np.testing.assert_allclose(w + s * z, found.x, atol=1e-5)


def test_density_is_a_product_of_gaussians():
    X, y = problem(9)
    law = phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(1.0), output="phases")
    releases = law.sample(rng("density"), size=3)
    for release, found in zip(releases, law.log_density(releases), strict=True):
        centres = law.averages(np.concatenate([np.zeros((1, 3)), release[:-1]])[:, None])[:, 0]
        twin = sum(
            multivariate_normal(centre, sigma**2 * np.eye(3)).logpdf(w)
            for centre, sigma, w in zip(centres, law.noise, release, strict=True)
        )
        assert found == pytest.approx(twin, rel=1e-12)


def test_averages_move_by_no_more_than_the_sensitivity():
    assert 1 - 1e-9 < step_claims.farthest(16) * 8 / 7 <= 1 + 1e-9  # (n_1 - 1)/n_1 is attained


@given(n=st.integers(2, 10**6))
@settings(derandomize=True, deadline=None)
def test_phases_are_disjoint(n):
    lengths = bounds.phase_lengths(n)
    assert sum(lengths) <= n - 1 and len(lengths) == int(np.floor(np.log2(n))) and lengths[-1] == 1


@given(epsilon=st.floats(0.01, 2.0), delta=st.floats(1e-12, 0.1))
@settings(derandomize=True, deadline=None, max_examples=20)
def test_multipliers_against_dp_accounting(epsilon, delta):
    least = phased_sgd.multiplier_for(ApproxDP(epsilon, delta))
    assert least == pytest.approx(dp_accounting.get_sigma_gaussian(epsilon, delta), rel=1e-9)
    if epsilon <= -log(delta):
        printed = phased_sgd.multiplier_for(ApproxDP(epsilon, delta), "printed")
        assert printed >= least and gaussian_delta(epsilon, 1 / printed) <= delta


@given(m=st.integers(2, 10**5), k=st.integers(1, 1000), multiplier=st.floats(1e-3, 1e4), scale=st.floats(0.1, 10))
@settings(derandomize=True, deadline=None)
def test_explicit_excess_is_minimised_and_scales(m, k, multiplier, scale):
    distance, slope = bounds.excess_coefficients(m, k, multiplier)
    h = bounds.base_step(n=m, k=k, multiplier=multiplier, lipschitz=scale, norm_bound=2.0) * scale / 2
    excess = dp_erm_proof.round_excess(m=m, k=k, multiplier=multiplier, a=1.0)
    assert excess == pytest.approx(distance / h + slope * h) and excess <= distance / (2 * h) + slope * 2 * h
    assert dp_erm_proof.round_excess(m=m, k=k, multiplier=multiplier, a=scale) == pytest.approx(scale * excess)


# ---- DP-ERM --------------------------------------------------------------------------------------------------


def test_accountant_against_every_pair_of_counts():
    m, tau, epsilon = 6, 1.7, 0.4
    copies = binom.pmf(np.arange(m + 1), m, 1 / m)
    twin = sum(
        copies[i] * copies[j] * gaussian_delta(epsilon, sqrt(i * i + j * j) / tau)
        for i in range(m + 1)
        for j in range(m + 1)
    )
    found = boosting_bounds.rounds_delta(m=m, rounds=2, multiplier=tau, epsilon=epsilon)
    assert twin <= found <= twin * (1 + 2e-9)


def test_tight_noise_is_the_least():
    tau = boosting_bounds.tight_multiplier(1000, 1.0, 1e-5, 3)
    spent = [boosting_bounds.rounds_delta(m=1000, rounds=3, multiplier=t, epsilon=0.5) for t in (tau, tau * (1 - 1e-6))]
    assert spent[0] <= 1e-5 < spent[1]
    assert tau < boosting_bounds.round_multiplier(1000, 1.0, 1e-5, 3, "printed") / 50


def test_first_useful_sizes():
    """The numbers that the notes of the ledger print."""
    assert boosting_claims.first_useful_m("tight") == 4096
    assert boosting_claims.first_useful_m("corrected") == 524_288
    known = dict(k=1000, epsilon=8.0, beta=0.1, a=1.0)
    assert efficient_bounds.smallest_useful_m(calibration="tight", **known) == 65_536


def test_losses_against_scikit_learn():
    X, y = problem(30)
    W = np.random.default_rng(1).normal(size=(4, 3))
    twin = [hinge_loss(y, X @ w) for w in W]
    np.testing.assert_allclose(dp_erm.hinge_means(W, y[:, None] * X, 1.0), twin, rtol=1e-12)


@pytest.mark.parametrize("calibration", dp_erm.CALIBRATIONS)
def test_releases_are_candidates_chosen_by_the_exponential_mechanism(calibration):
    X, y = problem(40)
    law = dp_erm.law(X, y, **HINGE, **PRIVATE, calibration=calibration)
    assert law.privacy.epsilon >= 1.0 and (calibration == "printed") == (law.privacy.epsilon > 1.0)
    W = law.candidates(rng("candidates"), size=1)[0]
    losses = np.array([np.maximum(0.0, 1 - law.Z @ w / law.rho).mean() for w in W])
    twin = np.exp(-0.25 / law.sensitivity * losses)
    np.testing.assert_allclose(np.exp(law.select(W).log_probabilities()), twin / twin.sum(), rtol=1e-9)
    chosen = law.choose(rng("choose"), np.tile(losses, (20_000, 1)))
    shares = np.bincount(chosen, minlength=3) / 20_000
    np.testing.assert_allclose(shares, twin / twin.sum(), atol=6 * 0.5 / sqrt(20_000))  # 6 standard errors: 2e-9
    assert np.linalg.norm(law.sample(rng("norms"), 50), axis=1).max() <= 1 + 1e-12
    assert law.gradients == law.rounds * sum(bounds.phase_lengths(40)) == boosting_bounds.gradient_count(m=40, beta=0.1)


def test_steps_are_what_is_counted():
    X, y = problem(21)
    counted = []
    law = phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(1.0))
    original = phased_sgd.PhasedSGDLaw._records

    class Counting(phased_sgd.PhasedSGDLaw):
        def _records(self, start, length):
            for pair in original(self, start, length):
                counted.append(start)
                yield pair

    fields = {name: getattr(law, name) for name in law.__dataclass_fields__}
    Counting(**fields).sample(rng("count"), 5)
    assert len(counted) == law.gradients == sum(bounds.phase_lengths(21))


def test_laws_abreast_are_laws_one_by_one():
    X, y = problem(30)
    law = dp_erm.law(X, y, **HINGE, **PRIVATE)
    np.testing.assert_array_equal(dp_erm.sample_each([law], rng("each")), law.sample(rng("each"), 1))
    pair = [law, replace(law, Z=-law.Z)]
    seen = np.array([dp_erm.sample_each(pair, rng("pairs"))[1] for _ in range(1)])
    assert seen.shape == (1, 3)
    many = dp_erm.sample_each([pair[1]] * 400, rng("many"))[:, 0]
    assert kstest(many, pair[1].sample(rng("alone"), 400)[:, 0]).pvalue > 1e-6  # false alarm: 1e-6
    with pytest.raises(ValueError, match="laws have different sizes"):
        dp_erm.sample_each([law, replace(law, eta=law.eta / 2)], rng("each"))


def test_sides_against_simulation():
    """P(release = +-Lambda) on two records, from the law itself."""
    setting = boosting_claims.SMALL_RHO | {"beta": 0.3}
    law, _ = boosting_claims.two_records(setting, "printed")
    low, high = boosting_claims.end_to_end(law, 1.0)
    W = law.sample(rng("sides"), 4000)[:, 0]
    above, below = (W > 1 - 1e-9).mean(), (W < -1 + 1e-9).mean()  # a projection rounds
    slack = 6 * 0.5 / sqrt(4000)
    assert above >= float(low) - slack and below <= float(high) + slack
    inside = 1 - (2 * norm.sf(1 / law.multiplier / 2 / law.radius * law.rho / law.eta * 4)) ** law.rounds
    assert 1 - above - below <= inside + slack


@given(m=st.integers(1, 1000), rho=st.floats(0.01, 100), radius=st.floats(0.1, 10), scale=st.floats(0.1, 10))
@settings(derandomize=True, deadline=None)
def test_true_sensitivity_is_free_of_units(m, rho, radius, scale):
    one = dp_erm_proof.score_sensitivity(m=m, radius=radius, norm_bound=1.0, rho=rho)
    assert dp_erm_proof.score_sensitivity(m=m, radius=scale * radius, norm_bound=1.0, rho=scale * rho) == pytest.approx(
        one
    )
    worst = max(abs(max(0, 1 - u / rho) - max(0, 1 + u / rho)) for u in (radius, radius / 2)) / m
    assert worst <= one * (1 + 1e-12)


def test_copies_against_scipy():
    for m, j in ((1, 1), (5, 2), (60, 7)):
        assert float(step_claims.at_least(j, m)) == pytest.approx(binom.sf(j - 1, m, 1 / m), rel=1e-12)


# ---- the efficient learner -----------------------------------------------------------------------------------


def test_learner_projects_clips_trains_and_lifts():
    X, y = problem(30, k=12)
    phi = fast_projection(4, 12, rng=rng("phi"))
    law = efficient_learner.law(5 * X, y, projection=phi, **HINGE, **PRIVATE)
    twin = 5 * X @ np.array([phi.apply(e) for e in np.eye(12)])
    twin = twin / np.maximum(1, np.linalg.norm(twin, axis=1, keepdims=True) / 2)
    np.testing.assert_allclose(law.trained.Z, y[:, None] * twin, atol=1e-12)
    assert (law.trained.norm_bound, law.trained.radius, law.trained.rounds) == (2.0, 2.0, bounds.rounds_for(0.1 / 3))
    released = law.sample(rng("release"), 5)
    np.testing.assert_allclose(released, phi.transpose(law.trained.sample(rng("release"), 5)))
    assert law.privacy == ApproxDP(1.0, 1e-3)


def test_learner_learns_a_margin():
    random = rng("learn")
    X = random.normal(size=(400, 300))
    X[:, 0] = 0
    y = random.choice([-1.0, 1.0], 400)
    X = np.column_stack([0.8 * y, 0.6 * (X / np.linalg.norm(X, axis=1, keepdims=True))[:, 1:]])
    known = dict(rho=0.8, radius=1.0, norm_bound=1.0, epsilon=6.0, delta=1e-4, beta=0.1, k=50)
    for kind in efficient_learner.PROJECTIONS:
        model = efficient_learner.fit(X, y, rng=rng(f"fit {kind}"), kind=kind, **known)
        assert (model.predict(X) != y).mean() < 0.15 and model.privacy == ApproxDP(6.0, 1e-4)


def test_columns_of_the_fast_projection():
    for k, d in ((7, 13), (1, 1), (20, 64)):
        phi = fast_projection(k, d, rng=rng("columns"))
        np.testing.assert_allclose(projected_records.columns(phi, np.arange(d)), phi.apply(np.eye(d)), atol=1e-15)


@given(m=st.integers(2, 10**6), k=st.integers(1, 5000), beta=st.floats(1e-6, 0.99))
@settings(derandomize=True, deadline=None)
def test_distortion_solves_its_equation(m, k, beta):
    t, needed = efficient_bounds.sign_distortion(m, k, beta), 4 * log(6 * (3 * m + 1) / beta) / k
    assert t == np.inf if needed > 1 / 3 else t**2 - 2 * t**3 / 3 == pytest.approx(needed, rel=1e-6)


@given(m=st.integers(2, 10**9), share=st.floats(1e-6, 1.0), power=st.floats(1.01, 9), beta=st.floats(1e-9, 1 - 1e-9))
@settings(derandomize=True, deadline=None)
def test_orders_are_ordered(m, share, power, beta):
    """The corrected orders are at least the printed ones, and at most twice them for beta <= 1/2."""
    delta = float(m) ** -power
    known = dict(m=m, epsilon=share * -log(delta), delta=delta, beta=beta, a=2.0)
    for module, more in ((boosting_bounds, {"k": 5}), (efficient_bounds, {})):
        low, high = module.printed_order(**known, **more), module.corrected_order(**known, **more)
        assert low <= high * (1 + 1e-12)
        assert beta > 0.5 or high <= 2 * low * (1 + 1e-12)


# ---- bad input -----------------------------------------------------------------------------------------------

BAD = [
    (dict(privacy=ApproxDP(1.0, 0.05)), r"delta = 0.05 is outside \(0, 1/m\) = \(0, 0.05\)"),
    (dict(privacy=ApproxDP(1.0, 0.0)), r"delta = 0.0 is outside \(0, 1/m\)"),
    (dict(privacy=ApproxDP(7.0, 1e-3)), r"epsilon = 7.0 is outside \(0, log\(1/delta\)\] = \(0, 6.90776\]"),
    (dict(privacy=GaussianDP(1.0)), r"privacy is a GaussianDP, not ApproxDP"),
    (dict(beta=1.0), r"beta = 1.0 is outside \(0, 1\)"),
    (dict(rho=0.0), r"rho = 0.0 is outside \(0, inf\)"),
    (dict(norm_bound=-1.0), r"norm_bound = -1.0 is outside"),
    (dict(calibration="best"), "calibration = 'best' is not one of tight, corrected, printed"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input_is_one_line(change, message):
    X, y = problem(20)
    for build in (
        dp_erm.law,
        lambda X, y, **p: efficient_learner.law(X, y, projection=fast_projection(2, 3, rng=rng("b")), **p),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            build(X, y, **(HINGE | PRIVATE | change))
        assert "\n" not in str(caught.value)


def test_other_bad_input():
    X, y = problem(20)
    with pytest.raises(ValueError, match=r"rho = 2.0 is outside \(0, norm_bound \* radius\] = \(0, 1\]"):
        efficient_learner.law(X, y, projection=fast_projection(2, 3, rng=rng("b")), **(HINGE | {"rho": 2.0}), **PRIVATE)
    with pytest.raises(ValueError, match="one record leaves no phase"):
        phased_sgd.law(X[:1], y[:1], **HINGE, privacy=GaussianDP(1.0))
    with pytest.raises(ValueError, match="one record leaves no phase"):
        dp_erm.law(X[:1], y[:1], **HINGE, **PRIVATE)
    with pytest.raises(ValueError, match="entries that are not finite"):
        dp_erm.law(np.full((20, 3), np.nan), y, **HINGE, **PRIVATE)
    with pytest.raises(ValueError, match="which the printed noise needs"):
        phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(1.0), calibration="printed")
    with pytest.raises(ValueError, match=r"epsilon = 3.0 is outside \(0, log"):
        phased_sgd.law(X, y, **HINGE, privacy=ApproxDP(3.0, 0.1), calibration="printed")
    with pytest.raises(ValueError, match="kind = 'dense' is not one of fast, signs"):
        efficient_learner.fit(X, y, epsilon=1.0, delta=1e-3, beta=0.1, **HINGE, kind="dense", rng=rng("b"))


def test_no_data_in_a_repr():
    X, y = problem(20)
    phi = fast_projection(2, 3, rng=rng("b"))
    for law in (
        phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(1.0)),
        dp_erm.law(X, y, **HINGE, **PRIVATE),
        efficient_learner.law(X, y, projection=phi, **HINGE, **PRIVATE),
    ):
        assert "array" not in repr(law) and str(X[0, 0])[:6] not in repr(law)


# ---- the checks can fail -------------------------------------------------------------------------------------


def test_witness_of_the_training():
    code = proof_claims.failing_runs(m=64, epsilon=4.0, delta=0.015, beta=0.5, a=1.0)
    assert len(code.splitlines()) <= 15
    exec(compile(code, "s5", "exec"), {})


def test_valid_sensitivity_is_not_refuted():
    """No false alarm: where the printed sensitivity is large enough, the step's check says so."""
    found = step_claims.margins_unit(m=2, rho=4.0)
    assert found.outcome == "HOLDS" and found.tightness[0] < 1


def test_every_step_has_a_row():
    for parent, steps in (("bms22.lem3.1", 4), ("bms22.thm3.2", 6)):
        for number in range(1, steps + 1):
            assert any(key.startswith(f"{parent}.s{number}/printed") for key in CLAIMS)


def test_margin_loss_of_the_proof():
    assert efficient_learner_proof.margin_loss(gamma=0.5, radius=2.0, rho=0.5) == 2.0
    assert exp(boosting_bounds.advantage(m=2, epsilon=4.0, rho=0.5, sensitivity=1.5)) == pytest.approx(exp(1.0))
