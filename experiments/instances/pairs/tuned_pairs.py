"""Private tuning on neighbouring datasets: the laws of Algorithms 4 and 6 that are attacked, and their sabotage.

The noise of a sabotaged law is smaller by `factor`, in the candidates' releases and in their scores alike.
"""

from dataclasses import dataclass, field, replace
from math import log, sqrt, tanh

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri

from lemmata.bounds.wzw25.best_of_runs import sharp_epsilon
from lemmata.mechanisms.learners.descent import private_tuning
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.privacy import GaussianDP


def fixed_scores(scores):
    """The score function of candidates whose score does not depend on what they release."""
    return lambda j, released: np.full(len(released), scores[j])


class Silent:
    """A candidate that releases nothing about the data."""

    privacy = None

    def sample(self, rng, size=1):
        return np.zeros((size, 1))


def silent(scores, **setting):
    """Algorithm 4 with a silent candidate for each score."""
    candidates = [Silent() for _ in scores]
    return private_tuning.law(lambda _: candidates, score=fixed_scores(scores), **{"sensitivity": 1.0} | setting)


class Reused(private_tuning.PrivateTuningLaw):
    """Algorithm 4 sabotaged: one noise for the scores of all runs."""

    def noise(self, rng, count):
        return np.full(count, rng.normal(scale=self.sigma))


def shifted(centre, score, factor, **setting):
    """Algorithm 4 with two candidates that release N(centre, sigma^2) and have this score."""

    def base(mu):
        one = gaussian.law([centre], sensitivity=1.0, privacy=GaussianDP(mu))
        return [replace(one, sigma=one.sigma / factor)] * 2

    made = private_tuning.law(base, score=score, sensitivity=1.0, **setting)
    return replace(made, sigma=made.sigma / factor)


def revealing(centre, factor, **setting):
    """`shifted` to 0 or 1, each scored so that the tuning prefers what the other dataset seldom releases.

    A release is worse by one on the far side of 1/2, which is another side for either dataset: for every release the
    scores differ by their sensitivity, and the winner lies further apart than a run does.
    """
    return shifted(centre, lambda j, released: (released[:, 0] > 0.5) != (centre > 0.5), factor, **setting)


@dataclass(frozen=True)
class OneRun:
    """One run of Algorithm 4, seen completely: candidate, release and noisy score; with its exact density."""

    tuning: private_tuning.PrivateTuningLaw = field(repr=False)

    def sample(self, rng, size=1):
        drawn, noisy, released = self.tuning.run_alone(rng, size)
        return {"index": drawn, "release": released, "score": noisy}

    def log_density(self, releases):
        total = np.zeros(len(releases["index"]))
        for j, candidate in enumerate(self.tuning.base):
            here = releases["index"] == j
            released = releases["release"][here]
            clean = self.tuning.score(j, released)
            standard = (releases["score"][here] - clean) / self.tuning.sigma
            total[here] = candidate.log_density(released) - standard**2 / 2 - log(self.tuning.sigma)
        return total


def tuned_margins(X, labels, factor, **setting):
    """Algorithm 6 with one gradient step a run, whose iterate is released."""
    made = private_tuning.margin_law(X, labels, **setting, steps=1, output="last")
    tuning = made.tuning
    base = tuple(replace(run, sigma=run.sigma / factor) for run in tuning.base)
    return replace(made, tuning=replace(tuning, base=base, sigma=tuning.sigma / factor))


# How far these pairs, and any other, can be told apart ----------------------------------------------------------------


def reached(mu, r, near=None):
    """The mu of the total variation of the best of K ~ TNB(1, r) runs of budget mu on a pair above.

    A run is on the near side with probability `near`, scored 0 there and 1 elsewhere, and guessed by its side. That is
    the index where candidates are drawn with equal chances, 1/2; for `revealing`, by default, Phi(mu / (2 sqrt 2)). The
    winner's noisy score has density E K (r / s)^2 times a run's, s = r + (1 - r) F, at scores in units of their noise.
    """
    half = mu / sqrt(2)
    near = float(ndtr(half / 2)) if near is None else near

    def won(u):
        below = near * ndtr(u) + (1 - near) * ndtr(u - half)
        return near * r / (r + (1 - r) * below) ** 2 * np.exp(-u * u / 2) / np.sqrt(2 * np.pi)

    return 2 * float(ndtri(quad(won, -12, 12 + half, limit=500, epsabs=1e-12)[0]))


def within_reach(mu, r):
    """The mu of the largest total variation that the best of K runs of budget mu can have on any pair.

    Lemma K.1 in its sharp form gives an epsilon for every delta, and (epsilon, delta) allows delta + (1 - delta)
    tanh(epsilon / 2); the smallest of these is taken.
    """

    def variation(log_delta):
        delta = float(np.exp(log_delta))
        return delta + (1 - delta) * tanh(max(sharp_epsilon(mu=mu, r=r, delta=delta), 0.0) / 2)

    least = min(minimize_scalar(variation, bounds=(low, low + 3), method="bounded").fun for low in range(-24, 0, 2))
    return 2 * float(ndtri((1 + least) / 2))
