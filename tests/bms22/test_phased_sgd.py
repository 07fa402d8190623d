"""Phased SGD: slow twins, oracles, properties."""

from math import log

import dp_accounting
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import multivariate_normal

from lemmata.bounds.bms22 import dp_erm_proof, phased_sgd as bounds
from lemmata.experiments.instances.pairs.boosted_rounds import farthest
from lemmata.mechanisms.learners.erm import phased_sgd
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, gaussian_delta
from tests.bms22.records import HINGE, problem, rng


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
    parameters = dict(rho=law.rho, lipschitz=law.lipschitz, norm_bound=1.0, eta=law.eta, multiplier=law.multiplier)
    runs = phased_sgd.bootstrap_runs(rng("bootstrap"), law.Z, 3, 13, **parameters)
    random, drawn, noises = rng("bootstrap"), [], []
    for length, sigma in zip(bounds.phase_lengths(13), law.noise, strict=True):
        drawn.append(random.integers(0, 13, size=(length, 3)))
        noises.append(sigma * random.normal(size=(3, 3)))
    drawn = np.concatenate([*drawn, np.zeros((13 - sum(map(len, drawn)), 3), dtype=int)])
    for run in range(3):
        w = obvious_phases(law.Z[drawn[:, run]], law.rho, law.eta, 1.0, [noise[run] for noise in noises])[-1]
        np.testing.assert_allclose(runs[run], w / max(1.0, np.linalg.norm(w)), rtol=1e-12)


def test_density_is_a_product_of_gaussians():
    X, y = problem(9)
    law = phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(1.0), output="phases")
    releases = law.sample(rng("density"), size=3)
    for release, computed in zip(releases, law.log_density(releases), strict=True):
        centres = law.averages(np.concatenate([np.zeros((1, 3)), release[:-1]])[:, None])[:, 0]
        twin = sum(
            multivariate_normal(centre, sigma**2 * np.eye(3)).logpdf(w)
            for centre, sigma, w in zip(centres, law.noise, release, strict=True)
        )
        assert computed == pytest.approx(twin, rel=1e-12)


def test_averages_move_by_no_more_than_the_sensitivity():
    assert 1 - 1e-9 < farthest(16) * 8 / 7 <= 1 + 1e-9  # (n_1 - 1)/n_1 is attained


@given(n=st.integers(2, 10**6))
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
def test_explicit_excess_is_minimised_and_scales(m, k, multiplier, scale):
    distance, slope = bounds.excess_coefficients(m, k, multiplier)
    h = bounds.base_step(n=m, k=k, multiplier=multiplier, lipschitz=scale, norm_bound=2.0) * scale / 2
    excess = dp_erm_proof.round_excess(m=m, k=k, multiplier=multiplier, a=1.0)
    assert excess == pytest.approx(distance / h + slope * h) and excess <= distance / (2 * h) + slope * 2 * h
    assert dp_erm_proof.round_excess(m=m, k=k, multiplier=multiplier, a=scale) == pytest.approx(scale * excess)


def test_steps_are_what_is_counted(monkeypatch):
    X, y = problem(21)
    counted = []
    law = phased_sgd.law(X, y, **HINGE, privacy=GaussianDP(1.0))
    original = phased_sgd.PhasedSGDLaw._records

    def counting(self, start, length):
        for pair in original(self, start, length):
            counted.append(start)
            yield pair

    monkeypatch.setattr(phased_sgd.PhasedSGDLaw, "_records", counting)
    law.sample(rng("count"), 5)
    assert len(counted) == law.gradients == sum(bounds.phase_lengths(21))
