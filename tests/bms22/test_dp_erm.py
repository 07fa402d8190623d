"""DP-ERM: slow twins, oracles, properties, bad input."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom, kstest, norm

from lemmata.bounds.bms22 import (
    dp_erm as bounds,
    dp_erm_proof,
    efficient_learner as efficient_bounds,
    phased_sgd as sgd_bounds,
)
from lemmata.experiments.bms22 import dp_erm as claims
from lemmata.experiments.instances.pairs import boosted_rounds, flipped_records
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.learners.erm import dp_erm, efficient_learner, phased_sgd
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, gaussian_delta
from tests.bms22.records import HINGE, PRIVATE, problem, rng


def test_accountant_against_every_pair_of_counts():
    m, tau, epsilon = 6, 1.7, 0.4
    copies = binom.pmf(np.arange(m + 1), m, 1 / m)
    twin = sum(
        copies[i] * copies[j] * gaussian_delta(epsilon, sqrt(i * i + j * j) / tau)
        for i in range(m + 1)
        for j in range(m + 1)
    )
    delta = bounds.rounds_delta(m=m, rounds=2, multiplier=tau, epsilon=epsilon)
    assert twin <= delta <= twin * (1 + 2e-9)


def test_tight_noise_is_the_least():
    """And a tiny delta is kept apart from what the accountant leaves out."""
    assert bounds.tight_multiplier(4, 1.0, 1e-40, 1) < 1e3
    tau = bounds.tight_multiplier(1000, 1.0, 1e-5, 3)
    spent = [bounds.rounds_delta(m=1000, rounds=3, multiplier=t, epsilon=0.5) for t in (tau, tau * (1 - 1e-6))]
    assert spent[0] <= 1e-5 < spent[1]
    assert tau < bounds.round_multiplier(1000, 1.0, 1e-5, 3, "printed") / 50


def test_first_useful_sizes():
    """The numbers that the notes of the ledger print."""
    assert claims.first_useful_m("tight") == 4096
    assert claims.first_useful_m("corrected") == 524_288
    parameters = dict(k=1000, epsilon=8.0, beta=0.1, a=1.0)
    assert efficient_bounds.smallest_useful_m(calibration="tight", **parameters) == 65_536


@pytest.mark.parametrize("calibration", dp_erm.CALIBRATIONS)
def test_releases_are_candidates_chosen_by_the_exponential_mechanism(calibration):
    X, y = problem(40)
    law = dp_erm.law(X, y, **HINGE, **PRIVATE, calibration=calibration)
    assert law.privacy.epsilon >= 1.0 and (calibration == "printed") == (law.privacy.epsilon > 1.0)
    W = law.candidates(rng("candidates"), size=1)[0]
    losses = np.array([np.maximum(0.0, 1 - law.Z @ w / law.rho).mean() for w in W])
    twin = np.exp(-0.25 / law.sensitivity * losses)
    np.testing.assert_allclose(np.exp(law.select(W).log_probabilities()), twin / twin.sum(), rtol=1e-9)
    shares = np.bincount(law.choose(rng("choose"), np.tile(losses, (20_000, 1))), minlength=3) / 20_000
    np.testing.assert_allclose(shares, twin / twin.sum(), atol=6 * 0.5 / sqrt(20_000))  # 6 standard errors: 2e-9
    assert np.linalg.norm(law.sample(rng("norms"), 50), axis=1).max() <= 1 + 1e-12
    assert law.gradients == law.rounds * sum(sgd_bounds.phase_lengths(40)) == bounds.gradient_count(m=40, beta=0.1)


def test_laws_abreast_are_laws_one_by_one():
    X, y = problem(30)
    law = dp_erm.law(X, y, **HINGE, **PRIVATE)
    np.testing.assert_array_equal(dp_erm.sample_each([law], rng("each")), law.sample(rng("each"), 1))
    pair = [law, replace(law, Z=-law.Z)]
    assert dp_erm.sample_each(pair, rng("pairs")).shape == (2, 3)
    many = dp_erm.sample_each([pair[1]] * 400, rng("many"))[:, 0]
    assert kstest(many, pair[1].sample(rng("alone"), 400)[:, 0]).pvalue > 1e-6  # false alarm: 1e-6
    with pytest.raises(ValueError, match="laws must have equal sizes and parameters"):
        dp_erm.sample_each([law, replace(law, eta=law.eta / 2)], rng("each"))


def test_sides_against_simulation():
    """P(release = +-Lambda) on two records, from the law itself."""
    law, _ = flipped_records.flipped_laws("printed", **flipped_records.SMALL_RHO | {"beta": 0.3})
    low, high = flipped_records.end_to_end(law, 1.0)
    W = law.sample(rng("sides"), 4000)[:, 0]
    above, below = (W > 1 - 1e-9).mean(), (W < -1 + 1e-9).mean()  # a projection rounds
    slack = 6 * 0.5 / sqrt(4000)
    assert above >= float(low) - slack and below <= float(high) + slack
    inside = 1 - (2 * norm.sf(1 / law.multiplier / 2 / law.radius * law.rho / law.eta * 4)) ** law.rounds
    assert 1 - above - below <= inside + slack


@pytest.mark.parametrize("m, j", [(1, 1), (5, 2), (60, 7)])
def test_copies_against_scipy(m, j):
    assert float(boosted_rounds.at_least(j, m)) == pytest.approx(binom.sf(j - 1, m, 1 / m), rel=1e-12)


def project_and_train(X, y, **parameters):
    return efficient_learner.law(X, y, projection=fast_projection(2, 3, rng=rng("b")), **parameters)


def phase(X, y, *, beta, **parameters):
    return phased_sgd.law(X, y, **parameters)


BAD = [
    (dict(privacy=ApproxDP(1.0, 0.05)), r"delta must be in \(0, 1/m\) = \(0, 0.05\), got 0.05"),
    (dict(privacy=ApproxDP(1.0, 0.0)), r"delta must be in \(0, 1/m\) = \(0, 0.05\), got 0.0"),
    (dict(privacy=ApproxDP(7.0, 1e-3)), r"epsilon must be in \(0, log\(1/delta\)\] = \(0, 6.90776\], got 7.0"),
    (dict(privacy=GaussianDP(1.0)), r"privacy must be an ApproxDP, got GaussianDP"),
    (dict(beta=1.0), r"beta must be in \(0, 1\), got 1.0"),
    (dict(rho=0.0), r"rho must be in \[1e-100, 1e\+100\], got 0.0"),
    (dict(norm_bound=-1.0), r"norm_bound must be in .*, got -1.0"),
    (dict(calibration="best"), "calibration must be one of tight, corrected, printed, got 'best'"),
]


def unknown_projection(*_, **__):
    return efficient_learner.draw_projection(9, 3, epsilon=1.0, delta=1e-3, beta=0.1, kind="dense", rng=rng("b"))


@pytest.mark.parametrize(
    ("build", "changed", "message"),
    [
        *((build, *wrong) for build in (dp_erm.law, project_and_train) for wrong in BAD),
        (unknown_projection, {}, "kind must be one of fast, signs, got 'dense'"),
        (project_and_train, {"rho": 2.0}, r"rho must be in \(0, norm_bound \* radius\] = \(0, 1\], got 2.0"),
        (dp_erm.law, {"X": [[1.0]], "y": [1.0]}, "one record leaves no phase"),
        (dp_erm.law, {"X": np.full((20, 3), None)}, "X must be an array of numbers, got dtype object"),
        (phase, {"X": [[1.0]], "y": [1.0], "privacy": GaussianDP(1.0)}, "one record leaves no phase"),
        (phase, {"privacy": GaussianDP(1.0), "calibration": "printed"}, "which the printed noise needs"),
        (phase, {"privacy": ApproxDP(3.0, 0.1), "calibration": "printed"}, r"epsilon must be in \(0, log"),
    ],
)
def test_bad_input_is_one_line(build, changed, message):
    X, y = problem(20)
    with pytest.raises(ValueError, match=message) as caught:
        build(**({"X": X, "y": y} | HINGE | PRIVATE | changed))
    assert "\n" not in str(caught.value)


def test_numbers_that_the_note_on_the_printed_sum_prints():
    """The sum over its closed form, and the delta at the end of the chain over delta_hat/2."""
    cases = list(boosted_rounds.against_closed_form(dp_erm_proof.printed_sum, 1))
    assert round(max(float(total / closed) for _, total, closed in cases), 2) == 1.44
    copies = [dp_erm_proof.allowed_copies(p["delta"], p["rounds"]) for p, _, _ in cases]
    ends = [p["delta"] / T * float(total) for T, (p, total, _) in zip(copies, cases, strict=True)]
    assert round(max(ends), 2) == 1.44
    assert max(end for end, (p, _, _) in zip(ends, cases, strict=True) if p["m"] > 1) < 1
