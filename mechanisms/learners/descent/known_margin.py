"""A private halfspace of known margin: project, then learn. The recipe of Nguyen, Ullman & Zakynthinou (2020).

    k = O(log(n / beta) / margin^2),    Phi a k x d random sign matrix, public,
    release Phi^T w, w a private learner's halfspace of margin about `margin` on (Phi x_i, y_i)

Their pure version puts the exponential mechanism on a net of R^k: that is
`lemmata.mechanisms.learners.covers.pure_learner`, for k <= 4. This is their efficient version with a delta: noisy
gradient descent on the hinge loss of a third of the margin, all records in every step, which is a call of Algorithm 1
of wzw25 (`lemmata.mechanisms.learners.descent.projected_gd`). What it assumes, and
`lemmata.mechanisms.learners.descent.adaptive_margin` does not, is the margin. We know their paper by its abstract: the
constants are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.wzw25.projected_margins import third_margin_rows
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.law import Projection
from lemmata.mechanisms.learners.descent import projected_gd
from lemmata.mechanisms.numerics.arguments import check_integer, check_magnitude, check_within_unit, quiet
from lemmata.mechanisms.numerics.arithmetic import check_in_range
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP

BETA = 0.1  # a projection loses the margin with at most this probability


def draw_projection(
    n: int, d: int, *, margin: float, beta: float = BETA, radius: float = 1.0, rng: np.random.Generator
) -> Projection | None:
    """Return the public randomness: k rows of random signs that keep a third of the margin; None where k >= d.

    >>> draw_projection(1000, 10**5, margin=0.5, rng=np.random.default_rng(0)).k
    310
    """
    n, d = check_integer(n=n, d=d)
    margin, radius = check_magnitude(margin=margin, radius=radius)
    (beta,) = check_within_unit(beta=beta)
    check_in_range("margin", margin, 0, radius, closed=True)
    k = third_margin_rows(n=n, gamma=margin, beta=beta, b=radius)
    return sign_projection(k, d, rng=rng) if k < d else None


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP,
    margin: float,
    projection: Projection | None = None,
    radius: float = 1.0,
    steps: str | int = "balanced",
    noise: str = "float",
) -> projected_gd.JLGDLaw:
    """Return the law of noisy descent on projected records, the hinge a third of the known margin wide.

    Formal guarantee: that of `projected_gd.law`, mu-GDP under replacement of one record, for every input and every
    fixed projection; the margin is a public parameter, and privacy does not rest on it. Last iterate, decaying steps.

    >>> law([[0.9], [-0.9]], [1, -1], privacy=GaussianDP(1.0), margin=0.9).sample(np.random.default_rng(0)).shape
    (1, 1)
    """
    margin, radius = check_magnitude(margin=margin, radius=radius)
    asked: Any = {"width": margin / 3, "radius": radius, "projection": projection, "noise": noise}
    return projected_gd.law(X, y, privacy=privacy, steps=steps, stride="decaying", output="last", **asked)
