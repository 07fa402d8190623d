"""Random batches: their law, a slow twin of a run, the privacy that all steps and scores spend, the linear time."""

import inspect
from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np
import pytest
from dp_accounting import NeighboringRelation
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import binom

from lemmata import AdaptiveMargin, ApproxDP
from lemmata.bounds.exact import sampled_gaussian
from lemmata.bounds.wzw25 import last_iterate
from lemmata.mechanisms.learners.descent import adaptive_margin, sampled_gd
from tests.mechanisms.exact_samplers import fit_pvalue
from tests.streams import streams

BUDGET = ApproxDP(2.0, 1e-5)
rng = streams("sampled_gd")


def problem(n=60, d=3):
    X = rng("data").normal(size=(n, d))
    return X, np.where(X[:, 0] > 0, 1.0, -1.0)


X, Y = problem()


def sampled(X, y, **more):
    settings = dict(privacy=BUDGET, steps="sampled", output="last", stride="decaying", ties="wrong")
    return adaptive_margin.law(X, y, **settings | more)


@pytest.mark.parametrize("rate", [0.03, 0.4, 1.0])
def test_every_record_is_in_every_batch_with_the_rate(rate, monkeypatch):
    """Sizes are binomial, records equally frequent, neighbours and successive batches uncorrelated; few blocks."""
    monkeypatch.setattr(sampled_gd, "DRAWN", 500)
    n, steps = 20, 4000
    member = np.zeros((steps, n))
    for t, batch in enumerate(sampled_gd.draw_batches(rng(f"batches {rate}"), n, rate, steps)):
        assert len(set(batch)) == len(batch) and (np.diff(batch) > 0).all()
        member[t, batch] = 1
    assert t == steps - 1
    if rate == 1:
        assert member.all()
        return
    assert fit_pvalue(member.sum(axis=1), np.arange(n + 1), binom.pmf(np.arange(n + 1), n, rate)) > 1e-6
    assert np.abs(member.mean(axis=0) - rate).max() < 6 * sqrt(rate * (1 - rate) / steps)
    for a, b in ((member[:, :-1], member[:, 1:]), (member[:-1], member[1:]), (member[:-1, -1:], member[1:, :1])):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 6 / sqrt(a.size)


def test_runs_abreast_are_their_slow_twins():
    """One record and one run at a time, with the same batches for all runs; two read the same rows, one its own."""
    phis = [adaptive_margin.sign_projection.sign_projection(2, 3, rng=rng("phi")), *6 * [None]]
    runs = [run.descent for run in sampled(X, Y, projections=phis).candidates[:3]]
    first, n, T = runs[0], len(X), runs[0].steps
    batches = list(sampled_gd.draw_batches(rng("twin"), n, first.rate, T))
    ours = sampled_gd.release_together(runs, rng("twin"))
    source = rng("twin")
    made = sampled_gd.draw_batches(source, n, first.rate, T)
    assert 6 * T <= sampled_gd.DRAWN and np.array_equal(next(made), batches[0])
    sizes = [first.sigma * first.width, runs[1].sigma * runs[1].width]
    noise = [source.normal(scale=size, size=(T, *shape)) for size, shape in zip(sizes, [(2, 1), (3, 2)], strict=True)]
    for j, run in enumerate(runs):
        w = np.zeros(run.Z.shape[1])
        xi = noise[j > 0][:, :, max(0, j - 1)] / run.width
        for t, batch in enumerate(batches):
            gradient = sum((-run.Z[i] / run.width for i in batch if run.Z[i] @ w < run.width), np.zeros(len(w)))
            w = w - run.strides[t] / run.rate * (gradient - xi[t])
        assert ours[j][0] == pytest.approx(w, abs=1e-12)


def test_a_release_is_the_runs_of_one_sequence_of_batches(monkeypatch):
    """Batches are drawn once a release, not once a run: what all runs together are charged for."""
    drawn, made = [], sampled_gd.draw_batches
    monkeypatch.setattr(sampled_gd, "draw_batches", lambda *sizes, **how: drawn.append(sizes) or made(*sizes, **how))
    law = sampled(X, Y)
    released = law.sample(rng("once"), 5)
    assert len(drawn) == 5 and all(sizes[1:] == drawn[0][1:] for sizes in drawn)
    assert released["weights"].shape == (5, 3) and len(law.margins) > 1
    assert law.candidates[0].descent.sample(rng("alone"), 4).shape == (4, 3) and len(drawn) == 9


@pytest.mark.parametrize("noise", ["exact", "float"])
def test_rows_are_made_in_bands(noise, monkeypatch):
    """A band at a time as all at once; on a grid float32 holds them without rounding."""
    X, y = 5 * problem(n=500, d=4)[0], problem(n=500, d=4)[1]
    phi = adaptive_margin.sign_projection.sign_projection(3, 4, rng=rng("bands"))
    sizes = dict(radius=2.0, noise=noise, precision="double", width=0.1)
    for projection in (None, phi):
        whole, grid = sampled_gd.prepare_signed_rows(X, y, projection=projection, **sizes)
        monkeypatch.setattr(sampled_gd, "HEIGHT", 7)
        monkeypatch.setattr(sampled_gd, "BAND", 28)
        bands, same = sampled_gd.prepare_signed_rows(X, y, projection=projection, **sizes)
        monkeypatch.undo()
        assert same == grid and np.abs(whole - bands).max() <= (grid or 1e-14)
        assert whole.dtype == (np.float32 if noise == "exact" else float) and (noise == "float" or grid > 0)
        if grid:
            longest, steps = 2.0 if projection is None else 4.0, whole.astype(float) / grid
            assert (steps == np.trunc(steps)).all() and np.abs(steps).max() < 2**20
            assert np.linalg.norm(whole.astype(float), axis=1).max() <= longest


def test_sigma_is_that_of_the_plan_for_every_margin_and_projection(rng):
    """sigma = L / a for the largest gradient of a record, width gamma / 3; strides are those of the bound."""
    X, y = 5 * problem(d=4)[0], problem(d=4)[1]
    phis = [adaptive_margin.sign_projection.sign_projection(3, 4, rng=rng) if j % 2 else None for j in range(7)]
    law = sampled(X, y, projections=phis)
    scale = []
    for run, gamma, phi in zip(law.candidates, law.margins, phis, strict=True):
        longest, radius = np.linalg.norm(run.descent.Z, axis=1).max(), 1.0 if phi is None else 2.0
        assert run.descent.width == gamma / 3 and longest <= radius * (1 + 1e-12)
        scale.append(radius / run.descent.width / run.descent.sigma)
        k, T, q = run.descent.Z.shape[1], run.descent.steps, run.descent.rate
        bound = last_iterate.batches_mean(
            n=60, d=k, steps=T, rate=q, scale=scale[-1], lipschitz=radius / run.descent.width, distance=1.0
        )
        assert run.descent.strides[0] == pytest.approx(T / (T + 1) / (bound / 1.0) * (1 / (T + 1)), rel=1e-9)
    assert scale == pytest.approx([scale[0]] * len(scale), rel=1e-12)
    mu, joint = sqrt(len(law.margins)) / law.sigma, sqrt(len(scale)) * scale[0]
    spent = sampled_gaussian.batches_delta(epsilon=2.0, rate=law.candidates[0].descent.rate, a=joint, steps=T, mu=mu)
    assert 0.9 * BUDGET.delta < spent <= BUDGET.delta and law.privacy == BUDGET and law.gdp is None


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0])
@pytest.mark.parametrize(("rate", "a", "steps"), [(0.01, 0.8, 1000), (0.1, 0.5, 50), (0.5, 0.2, 30)])
def test_the_curve_against_dp_accounting(rate, a, steps, epsilon):
    theirs = privacy_loss_distribution.from_gaussian_mechanism(
        1 / a, 1.0, sampling_prob=rate, neighboring_relation=NeighboringRelation.REPLACE_ONE
    ).self_compose(steps)
    ours = sampled_gaussian.batches_delta(epsilon=epsilon, rate=rate, a=a, steps=steps, mu=1e-6)
    assert theirs.get_delta_for_epsilon(epsilon) * 0.99 < ours < theirs.get_delta_for_epsilon(epsilon) * 1.05 + 1e-9


def test_losses_keep_the_mass_of_both_laws():
    for rate, a in product((1e-4, 0.3, 1.0), (0.1, 1.0)):
        masses, lost = sampled_gaussian.step_losses(rate, a, 0.01, 2000)
        assert masses.sum() + lost == pytest.approx(1) and (masses >= 0).all()
        losses = 0.01 * np.arange(-2000, 2001)
        assert (masses * np.exp(-losses)).sum() == pytest.approx(1, abs=1e-9)
        for epsilon in (0.0, 0.1, 0.5):
            on_grid = np.maximum(1 - np.exp(epsilon - losses), 0) @ masses + lost
            assert -1e-12 <= on_grid - sampled_gaussian.step_delta(epsilon, rate, a) < 1e-4


@pytest.mark.parametrize("deviations", [0.1, 1.0, 4.0])
def test_what_leaves_the_grid_is_paid_for(monkeypatch, deviations):
    """A grid that ends too early never makes the curve smaller."""
    honest = sampled_gaussian.batches_delta(epsilon=1.0, rate=0.1, a=0.5, steps=50, mu=0.2)
    monkeypatch.setattr(sampled_gaussian, "DEVIATIONS", deviations)
    assert sampled_gaussian.batches_delta(epsilon=1.0, rate=0.1, a=0.5, steps=50, mu=0.2) >= honest * (1 - 1e-6)


@pytest.mark.slow
def test_no_noise_is_too_much_to_ask():
    assert sampled_gaussian.batches_scale(epsilon=0.01, delta=1e-8, rate=0.5, steps=10**6, mu=5.0) == 0
    assert sampled_gaussian.gaussian_curve(np.array([-50.0]), 1.0)[0] == pytest.approx(1)


def test_fit_takes_batches_where_full_descents_take_too_long(monkeypatch):
    full = AdaptiveMargin(epsilon=2.0, classes=(-1, 1), random_state=rng("fit")).fit(X, Y).model_
    monkeypatch.setattr(adaptive_margin, "PATIENCE", 1e-9)
    fast = AdaptiveMargin(epsilon=2.0, classes=(-1, 1), random_state=rng("fit")).fit(X, Y).model_
    assert not np.array_equal(full.weights, fast.weights) and fast.privacy == full.privacy == BUDGET
    with pytest.raises(ValueError, match="steps = 'sampled' requires output = 'last', score = 'empirical' and"):
        sampled(X, Y, output="average")
    with pytest.raises(ValueError, match="projections must be a sequence of length 7, one per margin of the grid"):
        sampled(X, Y, projections=[None])


def test_the_law_and_the_estimator_have_one_default():
    """So a fit takes random batches where full descents would take minutes, as its benchmark does."""
    default = inspect.signature(adaptive_margin.law).parameters["steps"].default
    assert AdaptiveMargin().steps == default == "auto"
    law = AdaptiveMargin()._make_law(np.zeros((20_000, 3)), np.ones(20_000), ApproxDP(1.0, 1e-5), rng("default"))
    assert law.expected_cost < 1 and all(isinstance(run.descent, sampled_gd.SampledGDLaw) for run in law.candidates)


def test_the_cost_of_a_descent_grows_with_columns_and_batches():
    """By hand, in nanoseconds a step: 4,000, 20 a column, and 0.3 of every entry of a batch."""
    law = sampled(*problem()).candidates[0].descent
    law = replace(law, Z=np.zeros((500, 100)), start=np.zeros(100), strides=np.zeros(7))
    costs = [replace(law, rate=rate).expected_cost for rate in (0.0, 0.4)]
    assert costs == pytest.approx([7 * 6000e-9, 7 * 12000e-9])


@pytest.mark.slow
def test_batches_learn_what_full_descents_learn():
    """Errors on planted data of 100 releases each: means less than 4 standard errors and half a per cent apart."""
    X, y = problem(n=400, d=5)
    errors = {}
    for steps in ("sampled", "balanced"):
        weights = sampled(X, y, steps=steps, privacy=ApproxDP(8.0, 1e-5)).sample(rng("learn"), 100)["weights"]
        errors[steps] = (weights @ (X * y[:, None]).T <= 0).mean(axis=1)
    (a, b), spread = [errors[s].mean() for s in errors], sum(e.var() / 100 for e in errors.values())
    assert a < b + 4 * sqrt(spread) + 0.005
