"""Private tuning on neighbouring datasets: the laws of Algorithms 4 and 6 that are attacked, and their sabotage.

The noise of a sabotaged law is smaller by `factor`, in the candidates' releases and in their scores alike.
"""

from dataclasses import dataclass, field, replace
from math import log

import numpy as np

from lemmata.mechanisms import gaussian, private_tuning
from lemmata.mechanisms.privacy import GaussianDP
from lemmata.mechanisms.private_tuning import PrivateTuningLaw


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


class Reused(PrivateTuningLaw):
    """Algorithm 4 sabotaged: one noise for the scores of all runs."""

    def noise(self, rng, count):
        return np.full(count, rng.normal(scale=self.sigma))


def shifted(centre, scores, factor, **setting):
    """Algorithm 4 with two candidates that release N(centre, sigma^2) and are scored by a statistic of the data."""

    def base(mu):
        one = gaussian.law([centre], sensitivity=1.0, privacy=GaussianDP(mu))
        return [replace(one, sigma=one.sigma / factor)] * 2

    made = private_tuning.law(base, score=fixed_scores(scores), sensitivity=1.0, **setting)
    return replace(made, sigma=made.sigma / factor)


@dataclass(frozen=True)
class OneRun:
    """One run of Algorithm 4, seen completely: candidate, release and noisy score; with its exact density."""

    tuning: PrivateTuningLaw = field(repr=False)

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
    """Algorithm 6 with 4 gradient steps a run."""
    made = private_tuning.margin_law(X, labels, **setting, steps=4)
    tuning = made.tuning
    base = tuple(replace(run, sigma=run.sigma / factor) for run in tuning.base)
    return replace(made, tuning=replace(tuning, base=base, sigma=tuning.sigma / factor))
