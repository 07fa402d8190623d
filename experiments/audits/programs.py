"""Every learner as the queries it asks of its data: the program that its law runs, spelled out for replay.

A program looks at the data only through `ask` and rebuilds a release from the answers. Beside them, the noise of the
laws' own samplers as numbers that are uniform if it has its law. `replayed` runs them.
"""

from collections.abc import Callable
from itertools import zip_longest
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import log_softmax
from scipy.stats import gamma, laplace

from lemmata.bounds.abgmu22.generalized_exponential import normalised_scores, spent_among
from lemmata.bounds.wzw25.hinge_gradient import replacement_sensitivity
from lemmata.mechanisms.audit.subjects import replay
from lemmata.mechanisms.learners.descent import private_perceptron, projected_gd
from lemmata.mechanisms.learners.erm import dp_erm, phased_sgd
from lemmata.mechanisms.learners.glm import confidence_boosting, glm_gd
from lemmata.mechanisms.learners.statistics import second_moments

DRAWS = 600  # of a sampler of our own

# Programs -------------------------------------------------------------------------------------------------------------


def descent(law: Any, ask: Callable, radius: float = 1.0) -> np.ndarray:
    """Noisy gradient descent: T gradients."""
    W, release = law.start[:, None].astype(float), np.zeros((len(law.start), 1))
    declared = replacement_sensitivity(radius=radius, width=law.width)
    for eta, weight in zip_longest(law.strides.tolist(), law.weights.tolist()):
        release = release + weight * W
        W = W - eta * ask("gradient", law.gradients(W), sensitivity=declared, scale=law.sigma)
    return np.asarray(W if law.output == "last" else release).T


def lifted(law: Any, ask: Callable) -> np.ndarray:
    """Noisy gradient descent after a projection, whose images are clipped."""
    return np.asarray(law.lift(descent(law.descent, ask, 1.0 if law.projection is None else projected_gd.CLIP)))


def chosen_run(law: Any, ask: Callable) -> np.ndarray:
    """Algorithm 3: a descent and a number of errors for every margin."""
    noisy, released = [], []
    for run, penalty in zip(law.candidates, law.penalties, strict=True):
        released.append(descent(run.descent, ask))
        errors = run.errors(released[-1], law.ties) + penalty
        noisy.append(ask("errors", errors, sensitivity=1.0, scale=law.sigma)[0])
    best = int(np.argmin(noisy))
    return np.append(best, law.candidates[best].lift(released[best]))


def one_run(law: Any, ask: Callable) -> np.ndarray:
    """A run of Algorithm 4 on Algorithm 1: a random margin, its descent, its number of errors."""
    tuning, free = law.tuning, {"sensitivity": 0.0, "scale": 1.0}
    j = int(ask("margin", 0.0, draw=lambda rng, _: rng.integers(len(tuning.base), size=1), **free)[0])
    noise = ask("noise", 0.0, draw=lambda rng, _: tuning.noise(rng, 1), **free)
    release = descent(tuning.base[j], ask)
    score = ask("errors", tuning.score(j, release), sensitivity=1.0, scale=tuning.sigma, draw=lambda _, v: v + noise)
    return np.append(release[0], score)


def ball(law: Any, ask: Callable, radius: float = 1.0) -> np.ndarray:
    """Noisy projected descent on the mean of losses with slopes of at most 1; the last of T points is not left."""
    W, total, declared = np.zeros((1, law.data.X.shape[1])), 0.0, 2 * radius / len(law.data.X) * glm_gd.SAFE
    for left in range(law.steps, 0, -1):
        total = total + W / law.steps
        if left == 1:
            break
        noisy = ask("gradient", law.data.mean_gradients(W), sensitivity=declared, scale=law.sigma)
        W = phased_sgd.project(W - law.stride * noisy, law.norm_bound)
    return np.asarray(total)


def projected_ball(law: Any, ask: Callable) -> np.ndarray:
    """The same after a projection, whose images are clipped."""
    return np.asarray(law.projection.transpose(ball(law.descent, ask, projected_gd.CLIP)))


def phases(law: Any, ask: Callable) -> np.ndarray:
    """Phased SGD: the average of every phase, each on records of its own."""
    W = np.zeros((1, law.Z.shape[1]))
    for place, (_, eta, sigma) in enumerate(law.phases):
        starts = [W if i == place else np.zeros_like(W) for i in range(len(law.phases))]
        W = ask("average", law.averages(starts)[place], sensitivity=2 * law.lipschitz * eta, scale=sigma)
    return phased_sgd.project(W, law.norm_bound)


def rounds(law: Any, ask: Callable) -> np.ndarray:
    """DP-ERM's choice among what its rounds released: the mean losses of all."""
    W = ask("rounds", 0.0, sensitivity=0.0, scale=1.0, draw=lambda rng, _: law.candidates(rng, 1))[0]
    losses, moved = dp_erm.hinge_means(W, law.Z, law.rho)[None], 2 * law.sensitivity
    index = ask("losses", losses, sensitivity=moved, scale=moved / law.selection.epsilon, order=replay.SPAN,
                draw=lambda rng, v: law.choose(rng, v))  # fmt: skip
    return np.asarray(W[int(index[0])])


def trained(law: Any, ask: Callable) -> np.ndarray:
    """The same after a projection."""
    return np.asarray(law.projection.transpose(rounds(law.trained, ask)[None]))


def choice(law: Any, ask: Callable) -> np.ndarray:
    """The exponential mechanism on numbers of errors over n, of which a record moves each by 1/n at most."""
    return ask("errors", -law.errors.astype(float), sensitivity=2.0, scale=1 / law.selection.scale,
               order=replay.SPAN, draw=lambda rng, _: law.selection.sample(rng, 1))  # fmt: skip


def choices(law: Any, ask: Callable) -> np.ndarray:
    """Quantiles: an exponential mechanism each on numbers of records, of which a record moves each by 1 at most."""
    return np.ravel([ask("ranks", -scores, sensitivity=2.0, scale=1 / one.scale, order=replay.SPAN,
                         draw=lambda rng, _, one=one: one.sample(rng, 1))
                     for scores, one in zip(law.scores, law.selections, strict=True)])  # fmt: skip


def binned(law: Any, ask: Callable) -> np.ndarray:
    """Counts of scores, of which a record moves two for each class, by 1."""
    sensitivity = sqrt(2 * len(law.counts))
    return np.asarray(ask("counts", np.ravel(law.counts), sensitivity=sensitivity, scale=law.sigma))


def moments(law: Any, ask: Callable) -> np.ndarray:
    """Ridge regression: all moments at once, over their standard deviations."""
    size = len(law.moments) - 1
    upper, spread = np.triu_indices(size, 1), np.full((size, size), second_moments.off_diagonal(law.sigma))
    spread[np.diag_indices(size)] = law.sigma
    value = law.moments * 4.0**-law.bits
    apart = [np.diag(value)[:size] / law.sigma, value[:size, size] / law.sigma, (value[:size, :size] / spread)[upper]]
    noisy = ask("moments", np.concatenate(apart), sensitivity=sqrt(4.5) / law.sigma, scale=1.0)
    A = np.diag(noisy[:size] * law.sigma)
    A[upper] = A.T[upper] = noisy[2 * size :] * spread[upper]
    return second_moments.solve_ridge(A, noisy[size : 2 * size] * law.sigma, law.sigma)


def searched(law: Any, ask: Callable) -> np.ndarray:
    """Algorithm 1 of abgmu22: descents on one half, normalised losses on the other.

    The exact account of a choice rests on more than a span of 2: no score moves by more than 1, the best stays at 0. So
    scores are asked for beside their negatives, whose joint span is twice the largest move.
    """
    W = np.stack([np.zeros((1, law.validation.X.shape[1])), *(ball(base, ask) for base in law.bases)], axis=1)
    scores = normalised_scores(scores=law.scores(W), sensitivities=law.sensitivities, t=law.t)
    epsilon = spent_among(theta=law.rate, candidates=scores.shape[1])
    if scores.min() != 0:
        raise ValueError(f"scores has the minimum {scores.min()}, not 0")

    def draw(rng: np.random.Generator, value: np.ndarray) -> np.ndarray:
        logits = log_softmax(-law.rate * value[:, : scores.shape[1]], axis=1)
        return (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)

    asked = np.hstack([scores, -scores])
    index = ask("losses", asked, sensitivity=2.0, scale=2 / epsilon, order=replay.SPAN, draw=draw)
    return np.append(index, W[0, int(index[0])])


def boosted(law: Any, ask: Callable) -> np.ndarray:
    """A minimiser of every chunk, then the mean losses of all on the last one."""
    W = np.stack([minimiser(learner, ask) for learner in law.learners], axis=1)[0]
    moved, draw = confidence_boosting.sensitivity(law.loss_bound, len(law.data.X)), lambda rng, v: (
        v + rng.laplace(scale=law.scale, size=v.shape)
    ).argmax(axis=1)  # fmt: skip
    losses = -law.losses(W)[None]
    index = ask("losses", losses, sensitivity=2 * moved, scale=law.scale, order=replay.SPAN, draw=draw)
    return np.asarray(W[int(index[0])])


def minimiser(law: Any, ask: Callable) -> np.ndarray:
    """A minimiser under Gaussian noise."""
    declared = law.sigma * law.privacy.mu
    return ask("minimiser", law.value[None], sensitivity=declared, scale=law.sigma,
               draw=lambda rng, v: v + law.sigma * rng.normal(size=v.shape))  # fmt: skip


def under_laplace(law: Any, ask: Callable) -> np.ndarray:
    """A minimiser, or a count, under discrete Laplace noise: whole steps of a grid, so many of them for an epsilon."""
    noise, epsilon = law.noise, law.privacy.epsilon
    return ask("centre", noise.point, sensitivity=epsilon * noise.steps, scale=noise.steps, order=1,
               draw=lambda rng, _: noise.sample(rng, 1))  # fmt: skip


def under_radial(law: Any, ask: Callable) -> np.ndarray:
    """A minimiser under noise whose log-density falls with its length."""
    return ask("minimiser", law.weights, sensitivity=law.privacy.epsilon / law.rate, scale=1 / law.rate, pure=True,
               draw=lambda rng, _: law.sample(rng, 1))  # fmt: skip


def tilt(law: Any, ask: Callable) -> np.ndarray:
    """The linear term whose minimiser is what was released: a record moves it by 2 at most."""
    return ask("tilt", law.perturbation, sensitivity=2.0, scale=1 / law.noise.rate, pure=True,
               draw=lambda rng, _: law.sample(rng, 1))  # fmt: skip


def counts(law: Any, ask: Callable) -> np.ndarray:
    """The perceptron: in every round the sum of what is wrong, and how much that is."""
    W = np.zeros((law.Z.shape[1], 1))
    least = max(1.0, law.sigma * max(1.0, private_perceptron.FEW * sqrt(len(W))))
    heavy = private_perceptron.COUNT

    def draw(rng: np.random.Generator, value: np.ndarray) -> np.ndarray:
        sums = rng.normal(scale=law.sigma, size=W.shape)
        return value + np.append(sums, heavy * rng.normal(scale=law.sigma / heavy, size=1))[:, None]

    for t in range(law.rounds):
        wrong = (law.Z @ W <= 0).astype(float)
        asked = np.vstack([law.Z.T @ wrong, heavy * wrong.sum(axis=0)])
        noisy = ask("sum and count", asked, sensitivity=2.0, scale=law.sigma, draw=draw)
        total, count = noisy[:-1], noisy[-1:] / heavy
        W = W + np.where((count >= least) | (t == 0), total / np.maximum(count, least), 0.0)
    return W.T


def looks(law: Any, ask: Callable) -> np.ndarray:
    """Ranges of columns: counts of octaves of all of them, then of cells of some; a record moves two counts of each."""

    def asked(counts: np.ndarray, sigma: float) -> np.ndarray:
        return np.asarray(ask("counts", counts, sensitivity=sqrt(2 * len(counts)), scale=sigma))

    return everything(law, asked)


def everything(law: Any, ask: Callable) -> np.ndarray:
    """What a search for ranges shows: every noisy count, and the ranges."""
    answers: list[np.ndarray] = []

    def kept(counts: np.ndarray, sigma: float) -> np.ndarray:
        answers.append(np.ravel(noisy := ask(counts, sigma)))
        return noisy

    found = law.search(kept)
    return np.concatenate([found["centre"], found["spread"], *answers])


# Noise of samplers of our own, as numbers that are uniform if it has its law ------------------------------------------


def spread_evenly(numbers: np.ndarray, chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Outcomes 0, 1, ... with these probabilities as uniform numbers."""
    below = np.concatenate([[0.0], np.cumsum(chances)])[numbers]
    return below + rng.random(len(numbers)) * chances[numbers]


def of_grid(law: Any, rng: np.random.Generator) -> np.ndarray:
    """Discrete Laplace noise, spread over its steps."""
    steps = law.noise.sample(rng, DRAWS) / law.noise.grid - law.noise.point
    return laplace.cdf(steps + rng.random(steps.shape) - 0.5, scale=law.noise.steps)


def of_ball(noise: np.ndarray, rate: float) -> np.ndarray:
    """Radial noise in the plane: its length and its angle."""
    length = gamma.cdf(np.linalg.norm(noise, axis=1), 2, scale=1 / rate)
    return np.column_stack([length, np.arctan2(*noise.T) / (2 * np.pi) + 0.5])


def of_minimiser(law: Any, rng: np.random.Generator) -> np.ndarray:
    """Radial noise beside the minimiser."""
    return of_ball(law.sample(rng, DRAWS) - law.weights, law.rate)


def of_tilt(law: Any, rng: np.random.Generator) -> np.ndarray:
    """Radial noise of the linear term."""
    return of_ball(law.perturbation(law.sample(rng, DRAWS)), law.noise.rate)


def of_choices(law: Any, rng: np.random.Generator) -> np.ndarray:
    """Several selections."""
    logs = [(one.sample(rng, DRAWS), np.exp(one.log_probabilities())) for one in law.selections]
    return np.column_stack([spread_evenly(numbers, chances, rng) for numbers, chances in logs])


def of_choice(law: Any, rng: np.random.Generator) -> np.ndarray:
    """A selection."""
    numbers = law.selection.sample(rng, DRAWS)
    return spread_evenly(numbers, np.exp(law.selection.log_probabilities()), rng)[:, None]
