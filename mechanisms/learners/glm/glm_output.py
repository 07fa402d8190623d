"""Output perturbation of constrained regularised risk minimisation, generalised linear losses, Gaussian noise.

    release argmin_{||w|| <= norm_bound} (1/n) sum_i phi_{y_i}(<w, x_i>) + ridge/2 ||w||^2  +  N(0, sigma^2 I)

The second base algorithm of abgmu22, which prints none in the text at hand. The minimiser moves by at most 2 G/(ridge
n), G the longest gradient of a record on the ball: no smoothness enters privacy. `output_perturbation` is the pure
private relative without a ball, for 1-Lipschitz margin losses.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.abgmu22 import baselines
from lemmata.mechanisms.law import LinearLaw, check_replacement
from lemmata.mechanisms.learners.glm.glm_gd import SAFE
from lemmata.mechanisms.learners.glm.glm_losses import Records, records
from lemmata.mechanisms.noise import gaussian, grid_gaussian
from lemmata.mechanisms.noise.grid_sums import check_noise
from lemmata.mechanisms.numerics.arguments import check_magnitude, quiet
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, to_gaussian_budget
from lemmata.mechanisms.solvers.ball_risk import count_steps, descent_floor, minimise, run_descent
from lemmata.mechanisms.solvers.certified_risk import float_slopes

ACCURACY = 1e-6  # of norm_bound: the distance from the exact minimiser that is charged for at least
EPS = float(np.finfo(float).eps)


def accuracy(n: int, d: int, *, gradient: float, smooth: float, ridge: float, norm_bound: float) -> float:
    """Return how far a solution may be from the exact minimiser.

    It is public, and reached whatever the records hold (`solve_within`).

    `ACCURACY` of norm_bound or, if more, twice what float64 leaves of a descent (`descent_floor`) and the root of
    9 (d + 1) roundings of norm_bound^2, which the certificate of a solution on the sphere needs.

    >>> accuracy(1000, 10, gradient=1.0, smooth=0.25, ridge=0.1, norm_bound=2.0)
    2e-06
    """
    sizes = {"smooth": smooth, "ridge": ridge, "norm_bound": norm_bound}
    floor = descent_floor(n, d, gradient=gradient, **sizes)
    return max(ACCURACY * norm_bound, 2 * floor + sqrt(9 * EPS * (d + 1)) * norm_bound)


def solve_within(data: Records, *, ridge: float, norm_bound: float, missed: float) -> np.ndarray:
    """Return a point of the ball within `missed` of the minimiser, an `accuracy` or infinity, whatever records hold.

    Newton's, if its certificate says so. Else the end of a descent whose number of steps is public: it contracts to
    within ACCURACY/2 of norm_bound, and what float64 adds is at most half of the rest.
    """
    link, smooth = data.link, data.link.smoothness * data.radius**2
    sizes: Any = {"ridge": ridge, "norm_bound": norm_bound}

    def slope(t: np.ndarray, y: np.ndarray) -> np.ndarray:
        return y * float_slopes("logistic", y * t) if data.loss == "logistic" else link.slope(t, y)

    derivatives: Any = {"value": link.value, "slope": slope, "second": link.second, "smoothness": link.smoothness}
    w, error = minimise(data.X, data.y, **derivatives, **sizes)
    if error <= missed:
        return w
    steps = count_steps(smooth=smooth, ridge=ridge, accuracy=ACCURACY / 2)
    return run_descent(data.X, data.y, slope=slope, smooth=smooth, steps=steps, **sizes)


class FloatOutputLaw(LinearLaw, gaussian.GaussianLaw):
    """The law of the minimiser under float64's noise."""


class GridOutputLaw(LinearLaw, grid_gaussian.GridGaussianLaw):
    """The law of the minimiser under noise on a public grid."""


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP,
    loss: str,
    norm_bound: float,
    radius: float = 1.0,
    label_bound: float | None = None,
    ridge: float | None = None,
    noise: str = "float",
) -> FloatOutputLaw | GridOutputLaw:
    """Solve once, release the constrained minimiser under Gaussian noise: a `GaussianLaw`, with its density.

    Formal guarantee: mu-GDP under replacement of one record, for every input, with the mu of `privacy` (for an ApproxDP
    the largest that implies it): the L2 sensitivity is 2 G/(ridge n) plus what the solver may miss on two datasets
    (`accuracy`, of public numbers), or the diameter 2 norm_bound if that is less. Enforced here: rows are clipped to
    `radius` and labels to what `label_bound` allows. What is released is proved to be as near (`solve_within`) or,
    where the diameter is charged, in the ball: no error tells neighbours apart. With `noise` "exact" the release is
    rounded to a public grid, a `GridGaussianLaw`, and the guarantee holds for its bits; with "float" it is one over the
    reals.

    `ridge` by default balances regularisation and noise (`baselines.balanced_ridge`), from public numbers. Raises
    ValueError for bad input and for a loss that is not smooth.

    >>> released = law([[0.6], [-0.6]], [1, -1], privacy=GaussianDP(1.0), loss="logistic", norm_bound=2.0, ridge=1.0)
    >>> round(released.sigma, 4), released.sample(np.random.default_rng(0)).shape
    (1.0, (1, 1))
    """
    (norm_bound,) = check_magnitude(norm_bound=norm_bound)
    check_noise(noise)
    mu = to_gaussian_budget(check_replacement(privacy)).mu
    data = records(X, y, loss=loss, radius=radius, label_bound=label_bound)
    link, n = data.link, len(data.X)
    if link.smoothness == np.inf:
        raise ValueError(f"loss must be smooth, got {loss!r}; use noisy descent for others")
    gradient = data.radius * data.slope_bound(norm_bound)
    if ridge is None:
        ridge = baselines.balanced_ridge(
            n=n,
            gradient_norm=gradient,
            mu=mu,
            smoothness=link.smoothness,
            radius=data.radius,
            norm_bound=norm_bound,
        )
    (ridge,) = check_magnitude(ridge=ridge)
    sizes: Any = {"ridge": ridge, "norm_bound": norm_bound}
    smooth = link.smoothness * data.radius**2
    missed = accuracy(n, data.X.shape[1], gradient=max(gradient, data.radius), smooth=smooth, **sizes)
    moved = baselines.output_sensitivity(n=n, gradient_norm=gradient, ridge=ridge) + 2 * missed
    diameter = 2 * norm_bound + 2 * ACCURACY * norm_bound
    weights = solve_within(data, missed=missed if moved < diameter else np.inf, **sizes)
    sensitivity = min(moved, diameter)
    spent: Any = {"privacy": GaussianDP(mu, privacy.neighbours), "sensitivity": sensitivity * SAFE}
    if noise == "float":
        return FloatOutputLaw(**vars(gaussian.law(weights, **spent)))
    return GridOutputLaw(**vars(grid_gaussian.law(weights, bound=norm_bound * (1 + ACCURACY), **spent)))
