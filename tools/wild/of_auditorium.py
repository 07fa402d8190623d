"""The mechanisms on which DP-Auditorium shows itself, written after its sources: private ones, and others."""

import numpy as np

from lemmata import PureDP
from lemmata.tools.wild.targets import honest, known

SOURCE = "https://github.com/google/differential-privacy/blob/main/python/dp_auditorium/dp_auditorium/mechanisms/"
x = np.linspace(0.1, 0.9, 20)
votes = np.arange(20) % 3


def mean(x, rng, counted=False):
    """The mean of records clipped to [0, 1], over the true count or a noisy one; the true count in the scale."""
    share = 0.5 if counted else 1.0
    count = len(x) + rng.laplace(scale=1 / share) if counted else len(x)
    return np.clip(np.nan_to_num(x), 0, 1).sum() / count + rng.laplace(scale=1 / share / len(x))


@known(
    SOURCE + "mean.py", "the true count, in the quotient and in the scale", line="of_auditorium.py:17", budget=100_000
)
def mean_with_the_true_count():
    return mean, x, PureDP(1.0, "add/remove")


@known(SOURCE + "mean.py", "the true count in the scale", line="of_auditorium.py:17", budget=100_000)
def mean_with_the_true_count_in_the_scale():
    return lambda x, rng: mean(x, rng, counted=True), x, PureDP(1.0, "add/remove")


@honest("a record replaced: the count is public", budget=100_000)
def mean_of_replaced_records():
    return mean, x, PureDP(1.0)


@honest(budget=100_000)
def noisy_max():
    def most(votes, rng):
        return np.argmax([np.sum(votes == option) + rng.gumbel(scale=2.0) for option in range(3)])

    return most, votes, PureDP(1.0, "add/remove")
