"""Noise of every learner halved, reused or left out, sensitivities halved, clipping dropped: what must notice it."""

from __future__ import annotations

from functools import partial
from math import sqrt
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from scipy.special import ndtr
from scipy.stats import binomtest, norm

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.bounds.wzw25.algorithms import split_budget
from lemmata.experiments.instances.classes.label_classes import opposite
from lemmata.experiments.instances.pairs.svm_neighbours import flipped
from lemmata.experiments.instances.pairs.tuned_pairs import silent
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.audit.subjects import replay
from lemmata.mechanisms.estimators import search
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.features.random_features import fourier_map
from lemmata.mechanisms.learners.covers import label_learner, network_learner
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd, private_tuning, sampled_gd
from lemmata.mechanisms.learners.erm import (
    dp_erm,
    efficient_learner,
    kernel_learner,
    kernel_svm,
    phased_sgd,
    private_svm,
)
from lemmata.mechanisms.noise import discrete_gaussian, grid_gaussian, snapping
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, to_gaussian
from lemmata.mechanisms.selection import exponential, tnb
from lemmata.tools.sabotage.planting import Planted, halved, refuted, rewritten, rng, unclipped

SURE = 1e-10
NEAR = PureDP(0.01)  # "the same law", for a sampler against its own exact law


# Sums of what is paid -------------------------------------------------------------------------------------------------


def tuning_is_not_paid() -> bool:
    """A run of Algorithm 4 spends more than its share: its candidate's budget and the noise of its score."""
    law = silent((0.0, 1.0), epsilon=1.0, delta=1e-5, r=0.25)
    return bool(np.hypot(split_budget(law.run.mu, 2), 1 / law.sigma) > law.run.mu * (1 + 1e-9))


def search_is_not_paid() -> bool:
    """A candidate with pure privacy spends more than the Gaussian budget it is given."""
    return any(to_gaussian(search.find_largest_pure(mu)).mu > mu * (1 + 1e-9) for mu in (0.1, 0.5, 2.0))


def counts_move_too_far() -> bool:
    """One record moves the number of errors, the score of the search, by more than 1."""
    Z = np.eye(3)
    count, other = (search.make_error_counter([rows]) for rows in (Z, np.vstack([-Z[:1], Z[1:]])))
    weights = np.ones((1, 3))
    return bool(np.abs(count(0, weights) - other(0, weights)).max() > 1)


def phases_are_not_paid() -> bool:
    """Phased SGD promises more than it was asked for."""
    return phased(GaussianDP(0.5)).privacy.mu > 0.5 * (1 + 1e-9)


# Draws ----------------------------------------------------------------------------------------------------------------


def phased(privacy: Any, output: str = "phases") -> Any:
    """Phased SGD on eight records in three dimensions."""
    sizes: dict[str, Any] = dict(rho=0.5, radius=1.0, norm_bound=1.0, output=output)
    return phased_sgd.law(np.tile(np.eye(3), (3, 1))[:8], np.ones(8), privacy=privacy, **sizes)


def phases_have_other_noise() -> bool:
    """The noise of all phases and coordinates together, what the averages were taken off."""
    law = phased(GaussianDP(1.0))
    W = np.moveaxis(law.sample(rng("phases"), 2000), 1, 0)
    centres = law.averages(np.concatenate([np.zeros_like(W[:1]), W[:-1]]))
    noise = np.concatenate([(after - c) / s for after, c, s in zip(W, centres, law.noise, strict=True)], axis=1)
    return replay.not_the_law(noise, norm.cdf) < SURE


def steps_have_other_noise() -> bool:
    """Every step's noise of gradient descent, jointly."""
    law = noisy_gd.law(np.eye(2), np.ones(2), privacy=GaussianDP(1.0), width=0.5, steps=3, output="iterates")
    W = np.moveaxis(law.sample(rng("steps"), 2000), 1, 0)
    before, noise = np.zeros((2, 2000)), []
    for after, eta in zip(W, law.strides, strict=True):
        noise.append((before - after.T - eta * law.gradients(before)).T / eta)
        before = after.T
    return replay.not_the_law(np.hstack(noise), norm(scale=law.sigma).cdf) < SURE


def boosted(norm_of_rows: float = 1.0, m: int = 20) -> Any:
    """DP-ERM on equal records."""
    X = norm_of_rows * np.tile([[0.6, 0.8]], (m, 1))
    return dp_erm.law(X, np.ones(m), rho=0.5, norm_bound=1.0, radius=1.0, privacy=ApproxDP(1.0, 1e-3), beta=0.1)


def rounds_share_noise() -> bool:
    """The vectors of all rounds have a combination without noise."""
    law = boosted(m=2)
    drawn = law.candidates(rng("rounds"), 500).reshape(500, -1)
    return bool(np.linalg.matrix_rank(drawn - drawn.mean(axis=0), tol=1e-9) < drawn.shape[1])


def losses_move_too_far(build: Any = boosted) -> bool:
    """A record of norm 10 moves a score of DP-ERM by more than its sensitivity."""
    law = build(10.0)
    w = np.eye(law.Z.shape[1])[:1] * law.norm_bound
    directions = np.vstack([w, -w, law.Z[:1] / np.linalg.norm(law.Z[0]) * law.norm_bound])
    one, other = law.Z.copy(), law.Z.copy()
    other[0] = -one[0]
    moved = dp_erm.hinge_means(directions, one, law.rho) - dp_erm.hinge_means(directions, other, law.rho)
    return bool(np.abs(moved).max() > law.sensitivity * (1 + 1e-9))


def lifted(norm_of_rows: float) -> Any:
    """A_EffPrivMrg's training after a projection, on records of any norm."""
    X = norm_of_rows * np.tile(np.eye(4)[:1], (20, 1))
    phi = sign_projection.sign_projection(2, 4, rng=np.random.default_rng(0))
    sizes: dict[str, Any] = dict(rho=0.5, norm_bound=1.0, radius=1.0, beta=0.1)
    return efficient_learner.law(X, np.ones(20), privacy=ApproxDP(1.0, 1e-3), projection=phi, **sizes).trained


def kernelised(norm_of_rows: float) -> Any:
    """A_PrivKerMrg's training, on records of any norm."""
    phi = kernel_learner.kernel_projection("gaussian", 2, count=50, k=2, rng=np.random.default_rng(0))
    X = norm_of_rows * np.tile(np.eye(2)[:1], (20, 1))
    return kernel_learner.law(
        X, np.ones(20), privacy=ApproxDP(1.0, 1e-3), rho=0.5, norm_bound=1.0, beta=0.1, projection=phi
    ).trained


def sampled_draws() -> tuple[Any, replay.Counted, np.ndarray]:
    """One descent on random batches, what it drew, and its release."""
    Z, T = np.tile(np.eye(2), (20, 1)), 6
    law = sampled_gd.SampledGDLaw(
        Z, 1.0, np.zeros(2), 3.0, np.full(T, 0.1), np.full(T, 1 / T), "last", ApproxDP(1.0, 1e-5), rate=0.3
    )
    return law, (counted := replay.Counted(1)), law.sample(counted, 1)


def batches_have_other_noise() -> bool:
    """Too few numbers, another scale, or a last draw that moves the release by other than its stride."""
    law, counted, release = sampled_draws()
    drawn = [(i, d) for i, d in enumerate(counted.draws) if d.kind == "normal"]
    if sum(d.value.size for _, d in drawn) != law.steps * law.Z.shape[1]:
        return True
    place, last = drawn[-1]
    moved = law.sample(replay.Counted(1, (place, last.value.size - 1), 1e-4), 1) - release
    honest = np.isclose(moved[0, -1], 1e-4 * law.strides[-1] / law.rate / law.width, rtol=1e-6)
    noise = np.concatenate([
        d.value.ravel() for s in range(400) for d in law_draws(law, s) if d.kind == "normal"
    ])  # fmt: skip
    return bool(not honest or replay.not_the_law(noise[:, None], norm(scale=law.sigma).cdf) < SURE)


def law_draws(law: Any, seed: int) -> list[replay.Draw]:
    """What one release draws."""
    counted = replay.Counted(seed)
    law.sample(counted, 1)
    return counted.draws


def batches_are_too_large() -> bool:
    """Records are in a batch more often than the rate that is charged."""
    sizes = [len(b) for b in sampled_gd.draw_batches(rng("batches"), 50, 0.1, 400)]
    return binomtest(sum(sizes), 50 * 400, 0.1).pvalue < SURE


# Selections -----------------------------------------------------------------------------------------------------------


class Scored:
    """A run of Algorithm 3 whose number of errors is given and whose weights say nothing."""

    projection = None

    def __init__(self, errors: float) -> None:
        self.count = errors
        self.descent = SimpleNamespace(sample=lambda rng, size: np.zeros((size, 1)), Z=np.zeros((1, 1)))

    def errors(self, weights: np.ndarray, ties: str) -> np.ndarray:
        """The same for all weights."""
        return np.full(len(weights), self.count)

    def lift(self, weights: np.ndarray) -> np.ndarray:
        """As they are."""
        return weights


def scores_have_other_noise() -> bool:
    """How often Algorithm 3 chooses the run with one error fewer, against what fresh noise of its sigma makes of it."""
    sigma, runs = 1.0, cast(Any, (Scored(0.0), Scored(1.0)))
    spent = GaussianDP(1.0), ApproxDP(1.0, 1e-5)
    law = adaptive_margin.AdaptiveMarginLaw(runs, np.array([0.5, 1.0]), np.zeros(2), sigma, *spent)
    first = int((law.sample(rng("scores of Algorithm 3"), 20_000)["index"] == 0).sum())
    return binomtest(first, 20_000, float(ndtr(1 / (sqrt(2) * sigma)))).pvalue < SURE


def scores_are_not_paid() -> bool:
    """Algorithm 3's score noise, against a share of 1 / (2 m) of the square of its budget."""
    law = adaptive_margin.law([[0.6], [-0.6]], [1, -1], privacy=ApproxDP(1.0, 1e-5), steps=3)
    return bool(1 / law.sigma > law.gdp.mu / sqrt(2 * len(law.margins)) * (1 + 1e-9))


def labels_leak() -> bool:
    """Exact: the largest log-ratio of the label learner on its worst neighbours."""
    a, b = opposite(4, 1.0)
    return bool(np.abs(a.log_density(a.cover) - b.log_density(a.cover)).max() > 1 + 1e-9)


def networks() -> tuple:
    """The network learner on one record and on its opposite: every network's error moves by 1."""
    phi = [sign_projection.sign_projection(1, 1, rng=np.random.default_rng(0))]
    sizes: dict[str, Any] = dict(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, public=phi, privacy=PureDP(1.0))
    return tuple(network_learner.law([[1.0]], [label], **sizes) for label in (1, -1))


def networks_leak() -> bool:
    """Exact: how far a score moves, against the sensitivity that the selection is made for."""
    a, b = networks()
    return bool(np.abs(a.errors - b.errors).max() > a.selection.sensitivity)


def sampled_otherwise() -> bool:
    """The exponential mechanism's sampler against its own probabilities."""
    law = exponential.law([0.0, 1.0, 3.0], privacy=PureDP(2.0), sensitivity=1.0)
    chances = np.exp(law.log_probabilities())
    return refuted(lambda: (law.sample, lambda rng, size: rng.choice(3, size=size, p=chances)), NEAR)()


# Noise on a grid ------------------------------------------------------------------------------------------------------


def against_its_law(law: Any, places: np.ndarray) -> bool:
    """A discrete sampler against its own exact probabilities at all its places."""
    chances = np.exp(law.log_density(places[:, None]))
    own = rng("places").choice(places, size=3000, p=chances / chances.sum())
    drawn = law.sample(rng("drawn"), 3000)[:, 0]
    return audit(drawn, own, NEAR, root=LEDGER_ROOT, budget=6000).verdict == REFUTED


def snapped_otherwise() -> bool:
    """The snapping mechanism's releases."""
    law = snapping.law([0.3], sensitivity=1.0, bound=8.0, privacy=PureDP(1.0))
    return against_its_law(law, law.snap.places())


def lattice_otherwise() -> bool:
    """The discrete Gaussian's releases."""
    law = discrete_gaussian.law([0.3], sensitivity=1.0, bound=4.0, privacy=ApproxDP(1.0, 1e-3), steps=4)
    return against_its_law(law, (law.point[0] + np.arange(-60, 61)) * law.grid)


def grid_otherwise() -> bool:
    """The hardened Gaussian's releases."""
    law = grid_gaussian.law([0.0], sensitivity=1.0, bound=1.0, sigma=2.0)
    return replay.not_the_law(law.sample(rng("grid"), 1000), norm(scale=2.0).cdf) < SURE


def features_too_long() -> bool:
    """Fourier features longer than the norm 1 that the kernel SVM's noise is made for."""
    phi = kernel_svm.BoundedMap(fourier_map("gaussian", 1, 8, rng=np.random.default_rng(0)))
    return bool(np.linalg.norm(phi([[0.3], [1e30]]), axis=1).max() > 1 + 1e-9)


def kernel_pair() -> tuple:
    """The kernel SVM, one record's label flipped."""
    phi = fourier_map("gaussian", 1, 1, rng=np.random.default_rng(0))
    X, y, z = flipped(1, 10, others=1.0)
    return tuple(
        kernel_svm.law(X, t, privacy=PureDP(1.0), C=1.0, calibration="sharp", public=phi).sample for t in (y, z)
    )


def runs_depend() -> bool:
    """Numbers of runs drawn together, in pairs, against independent ones."""
    law = tnb.law(eta=1, r=0.25)
    return refuted(
        lambda: (
            lambda rng, size: law.sample(rng, 2 * size).reshape(size, 2),
            lambda rng, size: np.column_stack([law.sample(rng.spawn(1)[0], size) for _ in range(2)]),
        ),
        NEAR,
    )()


def projections_repeat() -> bool:
    """Two margins with one projection."""
    drawn = adaptive_margin.draw_projections(3, 3000, beta=0.5, rng=rng("projections"))
    images = [phi.apply(np.eye(3000)[:5])[:, :20] for phi in drawn if phi is not None]
    signs = [tuple(np.sign(image).ravel()) for image in images]
    return len(set(signs)) < len(signs)


def one_projection(draw: Any) -> Any:
    """The same seed for every margin."""

    def drawn(n: int, d: int, **options: Any) -> Any:
        with_seed = partial(draw, n, d)
        first = sign_projection.sign_projection
        adaptive_margin.sign_projection.sign_projection = lambda k, d, rng: first(k, d, rng=np.random.default_rng(5))
        try:
            return with_seed(**options)
        finally:
            adaptive_margin.sign_projection.sign_projection = first

    return drawn


LEARNERS = (
    Planted(12, "score noise of Algorithm 4 calibrated to half", "budget added up", private_tuning, "score_noise",
            halved, tuning_is_not_paid),
    Planted(13, "PrivateSearchCV gives a pure candidate twice the budget", "budget converted back", search,
            "find_largest_pure", lambda f: lambda mu: f(2 * mu), search_is_not_paid),
    Planted(14, "PrivateSearchCV counts every error twice", "sensitivity search", search, "make_error_counter",
            lambda f: lambda parts: lambda j, W: 2 * f(parts)(j, W), counts_move_too_far),
    Planted(12, "score noise of Algorithm 3 halved where it is drawn", "chosen as often as its noise says",
            adaptive_margin.AdaptiveMarginLaw, "sample",
            rewritten("rng.normal(scale=self.sigma, size=size)", "rng.normal(scale=self.sigma / 2, size=size)"),
            scores_have_other_noise),
    Planted(18, "one score noise for all runs of Algorithm 3", "chosen as often as its noise says",
            adaptive_margin.AdaptiveMarginLaw, "sample",
            rewritten("rng.normal(scale=self.sigma, size=size)",
                      "np.random.default_rng(3).normal(scale=self.sigma, size=size)"), scores_have_other_noise),
    Planted(12, "score noise of Algorithm 3 calibrated to half", "budget added up", adaptive_margin.bounds,
            "score_noise", halved, scores_are_not_paid),
    Planted(18, "one projection for all margins of Algorithm 3", "projections compared", adaptive_margin,
            "draw_projections", one_projection, projections_repeat),
    Planted(18, "numbers of runs drawn with one uniform number", "attack on pairs", tnb.TruncatedNegativeBinomial,
            "sample", rewritten("q=rng.random(size)", "q=rng.random(1).repeat(size)"), runs_depend),
    Planted(12, "noise of phased SGD halved where it is added", "joint test of the draws", phased_sgd, "run_phases",
            rewritten("sigma * rng.normal", "sigma / 2 * rng.normal"), phases_have_other_noise),
    Planted(18, "phased SGD: one draw for all coordinates", "joint test of the draws", phased_sgd, "run_phases",
            rewritten("rng.normal(size=mean.shape)", "rng.normal(size=(len(mean), 1))"), phases_have_other_noise),
    Planted(12, "noise multiplier of phased SGD halved", "what is promised", phased_sgd, "multiplier_for",
            halved, phases_are_not_paid),
    Planted(12, "noise of gradient descent halved where it is drawn", "joint test of the draws",
            noisy_gd.NoisyGDLaw, "noise",
            rewritten("rng.normal(scale=self.sigma, size=shape)", "rng.normal(scale=self.sigma / 2, size=shape)"),
            steps_have_other_noise),
    Planted(18, "one noise for all rounds of DP-ERM", "rank of the releases", dp_erm.BoostedLaw, "candidates",
            rewritten("size * self.rounds, len(self.Z))", "size, len(self.Z)).repeat(self.rounds, axis=0)"),
            rounds_share_noise),
    Planted(17, "rows of DP-ERM not clipped", "sensitivity replay on a record of norm 10", dp_erm, "clip_rows",
            unclipped, losses_move_too_far),
    Planted(17, "projected rows of A_EffPrivMrg not clipped", "sensitivity replay on a record of norm 10", dp_erm,
            "clip_rows", unclipped, partial(losses_move_too_far, lifted)),
    Planted(17, "images of A_PrivKerMrg ten times too long and not clipped", "sensitivity replay", dp_erm, "clip_rows",
            lambda f: lambda X, radius: 10 * np.asarray(X, dtype=float), partial(losses_move_too_far, kernelised)),
    Planted(15, "sensitivity of DP-ERM's scores halved", "sensitivity replay", dp_erm, "sensitivity_for",
            halved, losses_move_too_far),
    Planted(12, "noise of descents on random batches halved", "joint test of the draws",
            sampled_gd, "make_row_noise", rewritten("scale=sigma", "scale=sigma / 2"),
            batches_have_other_noise),
    Planted(12, "noise of descents on random batches halved after it is drawn", "one draw moved",
            sampled_gd, "make_row_noise", rewritten("sums += next(drawn)", "sums += next(drawn) / 2"),
            batches_have_other_noise),
    Planted(18, "descents on random batches reuse one step's noise", "draws counted", sampled_gd, "make_row_noise",
            rewritten("size=(min(ahead, times - start), *shape))",
                      "size=(1, *shape)).repeat(min(ahead, times - start), axis=0)"), batches_have_other_noise),
    Planted(25, "batches with twice the rate that is charged", "records counted", sampled_gd, "draw_batches",
            lambda f: lambda rng, n, rate, steps: f(rng, n, 2 * rate, steps), batches_are_too_large),
    Planted(14, "label learner with half the sensitivity", "exact divergence", label_learner.LabelLaw, "selection",
            rewritten("sensitivity=1.0", "sensitivity=0.5"), labels_leak),
    Planted(14, "network learner with half the sensitivity", "sensitivity replay", network_learner.NetworkLaw,
            "selection", rewritten("sensitivity=1.0", "sensitivity=0.5"), networks_leak),
    Planted(14, "exponential mechanism sampled with half its exponent", "attack on its own probabilities",
            exponential.ExponentialLaw, "sample",
            rewritten("generator(rng), self.scale", "generator(rng), self.scale / 2"),
            sampled_otherwise),
    Planted(11, "snapping with half its noise", "attack on its own probabilities", snapping, "draw_many",
            lambda f: lambda rng, size: f(rng, size) // 2, snapped_otherwise),
    Planted(12, "discrete Gaussian with half its noise", "attack on its own probabilities", discrete_gaussian,
            "discrete_gaussian", lambda f: lambda rng, steps, size: f(rng, steps // 2, size), lattice_otherwise),
    Planted(19, "the most probable candidate for a random one", "attack on its own probabilities",
            exponential.ExponentialLaw, "sample",
            lambda f: lambda law, rng, size=1: np.full(size, law.log_probabilities().argmax()), sampled_otherwise),
    Planted(12, "hardened Gaussian with half its noise", "test of the draws", grid_gaussian, "rounded_normal",
            lambda f: lambda rng, sigma, *more: f(rng, sigma / 2, *more), grid_otherwise),
    Planted(17, "Fourier features of the kernel SVM twice too long", "norms of images", kernel_svm.BoundedMap,
            "__call__", lambda f: lambda self, X: 2 * f(self, X), features_too_long),
    Planted(11, "noise of the kernel SVM calibrated to a quarter", "attack", private_svm, "grid_for",
            lambda f: lambda sensitivity, epsilon, F: f(sensitivity / 4, epsilon, F),
            refuted(kernel_pair, PureDP(1.0))),
)  # fmt: skip
