"""Noisy gradient descent in a random subspace, generalised linear losses: the third base algorithm of abgmu22.

    p_i = clip(Phi x_i, 2 radius),    w~ = noisy descent on (p_i, y_i) over the ball of radius 2 norm_bound in R^k

released as Phi^T w~ in R^d. Phi is public. The text at hand names the algorithm and prints none. Phi^T w~ may be much
longer than w~; to evaluate a candidate on projected records take `law.descent.sample`, which releases no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.abgmu22.baselines import STRETCH
from lemmata.mechanisms.law import LinearLaw, Projection
from lemmata.mechanisms.learners.glm import glm_gd
from lemmata.mechanisms.numerics.arguments import check_magnitude, clip_rows, quiet
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP


@dataclass(frozen=True)
class ProjectedLaw(LinearLaw):
    """The law of Phi^T w~ on one dataset, given its public projection; releases have shape (size, d)."""

    descent: glm_gd.BallGDLaw = field(repr=False)  # in R^k
    projection: Projection = field(repr=False)

    @property
    def privacy(self) -> GaussianDP:
        """mu-GDP under replacement of one record, given the projection."""
        return self.descent.privacy

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases that share the projection."""
        return self.projection.transpose(self.descent.sample(rng, size))


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP,
    loss: str,
    norm_bound: float,
    projection: Projection,
    radius: float = 1.0,
    label_bound: float | None = None,
    steps: str | int = "balanced",
    noise: str = "float",
) -> ProjectedLaw:
    """Project, clip at twice the radius, descend over the ball of twice the norm, lift.

    Formal guarantee: mu-GDP under replacement of one record, for every input and every fixed projection, with the mu of
    `privacy`: rows are clipped to `radius` before and to 2 `radius` after the projection. The rest is as in
    `glm_gd.law`. `baselines.projection_rows` is a size for the projection. ValueError for anything out of range.

    >>> from lemmata.mechanisms.features.sign_projection import sign_projection
    >>> phi = sign_projection(2, 5, rng=np.random.default_rng(0))
    >>> parameters = dict(loss="squared", norm_bound=1.0, label_bound=1.0, steps=3)
    >>> released = law(np.eye(5), np.ones(5), privacy=GaussianDP(1.0), projection=phi, **parameters)
    >>> released.sample(np.random.default_rng(1)).shape
    (1, 5)
    """
    radius, norm_bound = check_magnitude(radius=radius, norm_bound=norm_bound)
    X = clip_rows(X, radius)
    if getattr(projection, "d", None) != X.shape[1]:
        raise ValueError(f"projection must project from R^{X.shape[1]}, as X has shape {X.shape}")
    descent = glm_gd.law(
        projection.apply(X),
        y,
        privacy=privacy,
        loss=loss,
        norm_bound=STRETCH * norm_bound,
        radius=STRETCH * radius,
        label_bound=label_bound,
        steps=steps,
        noise=noise,
    )
    return ProjectedLaw(descent, projection)
