"""A newcomer's learner, complete: the average of y x under Gaussian noise."""

from lemmata.experiments.comparison.learners import Learner
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.numerics.arguments import clip_rows
from lemmata.mechanisms.privacy import ApproxDP


def law(X, y, *, epsilon, delta, rng):
    """(epsilon, delta)-DP under replacement of one record, which moves the average by at most 2/n."""
    mean = (y[:, None] * clip_rows(X, 1.0)).mean(axis=0)
    return gaussian.law(mean, sensitivity=2 / len(X), privacy=ApproxDP(epsilon, delta))


def leaking(X, y, *, epsilon, delta, rng):
    """The same with a quarter of the noise: what an attack has to find."""
    mean = (y[:, None] * clip_rows(X, 1.0)).mean(axis=0)
    return gaussian.law(mean, sensitivity=0.5 / len(X), privacy=ApproxDP(epsilon, delta))


LEARNER = Learner("noisy mean", law, "the average of y x under Gaussian noise")
LEAKING = Learner("a quarter of the noise", leaking, "calibrated to a quarter of its sensitivity")
