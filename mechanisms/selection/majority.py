"""The majority class by a noisy count: the baseline of private classifiers.

release  #{i : y_i = +1} - #{i : y_i = -1} + Laplace noise,    predict its sign
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import LaplaceWeightsLaw, check_replacement
from lemmata.mechanisms.noise.laplace import GridLaplace, grid_for
from lemmata.mechanisms.numerics.arguments import quiet, read_labels, read_records
from lemmata.mechanisms.privacy import Guarantee, PureDP, to_pure

SENSITIVITY = 2.0  # of the difference of the two counts, one label replaced


def count_ones(X: ArrayLike) -> np.ndarray:
    """Return the single feature of a predictor that ignores the record, shape (n, 1)."""
    return np.ones((len(read_records(X)), 1))


@dataclass(frozen=True)
class MajorityLaw(LaplaceWeightsLaw):
    """The law of the noisy difference of counts on one dataset; releases have shape (size, 1)."""

    noise: GridLaplace = field(repr=False)
    privacy: PureDP  # neighbours differ in one replaced record
    feature_map = staticmethod(count_ones)


@quiet
def law(X: ArrayLike, y: ArrayLike, *, privacy: Guarantee) -> MajorityLaw:
    """Return the law of the difference of the two counts under discrete Laplace noise.

    Formal guarantee: `privacy`, a PureDP under replacement of one record, for every input, in floating point too.
    Proof: a replaced label moves the difference by 2, a replaced row not at all, and the probabilities of the noise
    fall by at most e^(-epsilon/2) a unit, on a public grid (`lemmata.mechanisms.noise.laplace`). Enforced here: labels
    are -1 or +1, and X is read for its shape only.

    >>> law(np.zeros((3, 2)), [1, 1, -1], privacy=PureDP(2.0)).sample(np.random.default_rng(0), 5).shape
    (5, 1)
    """
    pure = to_pure(check_replacement(privacy))
    signs = read_labels(y, len(read_records(X)))
    return MajorityLaw(GridLaplace(np.array([signs.sum()]), *grid_for(SENSITIVITY, pure.epsilon, 1)), pure)
