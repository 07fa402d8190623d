"""The efficient private learner A_EffPrivMrg, Algorithm 2 of bms22: project, clip, train by DP-ERM, lift.

    x -> Phi x in R^k, clipped to norm 2 radius;   w = DP-ERM on the ball of radius 2 norm_bound;   release Phi^T w

Phi is public randomness, drawn by the caller before and independently of the data (`draw_projection`). The printed k is
of the order epsilon m; any other number of rows is as private. Where k >= d a projection gains nothing and holds m k
numbers: without one (`projection=None`) DP-ERM runs on the rows themselves, clipped to `radius`, over the ball of
radius `norm_bound`. The proof of Theorem 3.2 bounds what the projection loses, which is then nothing, and what DP-ERM
loses in R^k, which grows with k and with the doubled lengths: so its bound on the risk holds for the smaller d too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.bms22 import efficient_learner as bounds
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.law import LinearLaw, Projection
from lemmata.mechanisms.learners.erm import dp_erm
from lemmata.mechanisms.numerics.arguments import check_choice, check_magnitude, check_within_unit, clip_entries, quiet
from lemmata.mechanisms.numerics.sparse_rows import RowsOnDemand
from lemmata.mechanisms.privacy import ApproxDP

PROJECTIONS = ("fast", "signs")


def rows_for(m: int, epsilon: float, delta: float, beta: float) -> int:
    """Return the number of rows k of step 1, rounded up.

    >>> rows_for(10**4, 1.0, 1e-5, 0.1)
    1280
    """
    dp_erm.check_setting(m, epsilon, delta, beta)
    return max(1, ceil(bounds.printed_rows(m=m, epsilon=epsilon, delta=delta, beta=beta)))


def draw_projection(
    m: int,
    d: int,
    *,
    epsilon: float,
    delta: float,
    beta: float,
    k: int | None = None,
    kind: str = "fast",
    rng: np.random.Generator,
) -> Projection:
    """Return the public Phi of step 2, R^d -> R^k: `kind` "fast" (Lemma A.4) or "signs" (Lemma A.3).

    k as printed if None, which may be more than d.
    """
    check_choice(PROJECTIONS, kind=kind)
    k = rows_for(m, epsilon, delta, beta) if k is None else k
    return fast_projection(k, d, rng=rng) if kind == "fast" else sign_projection(k, d, rng=rng)


@dataclass(frozen=True)
class EfficientLaw(LinearLaw):
    """The law of w^Priv on one dataset, at a fixed projection; releases have shape (size, d)."""

    projection: Projection | None = field(repr=False)  # None is the identity
    trained: dp_erm.BoostedLaw  # the law of the vector in R^k
    privacy: ApproxDP

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly."""
        return self.trained.expected_cost

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases."""
        weights = self.trained.sample(rng, size)
        return weights if self.projection is None else self.projection.transpose(weights)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: ApproxDP,
    rho: float,
    radius: float,
    norm_bound: float,
    beta: float,
    calibration: str = "tight",
    projection: Projection | None,
    noise: str = "float",
) -> EfficientLaw:
    """Return the law of A_EffPrivMrg of bms22.

    It learns a linear classifier with margin rho against vectors of norm `norm_bound`.

    Formal guarantee: that of `dp_erm.law` with the same `calibration`, under replacement of one record, for every
    input and every fixed `projection` that was drawn independently of the data. Nothing is assumed about the norms of
    the rows: entries beyond 1e100 are moved there, and Phi x is clipped to 2 radius. None projects nothing.

    X: (m, d); y: (m,), each -1 or +1. The training is given beta/3 of the failure probability. Raises ValueError for
    anything out of range, rho outside (0, norm_bound * radius] included.

    >>> phi = fast_projection(2, 9, rng=np.random.default_rng(0))
    >>> sizes = dict(rho=0.5, radius=1.0, norm_bound=1.0, beta=0.1)
    >>> released = law(np.eye(9), np.ones(9), privacy=ApproxDP(1.0, 1e-5), **sizes, projection=phi)
    >>> released.sample(np.random.default_rng(1)).shape
    (1, 9)
    """
    rho, radius, norm_bound = check_magnitude(rho=rho, radius=radius, norm_bound=norm_bound)
    (beta,) = check_within_unit(beta=beta)
    if rho > (top := norm_bound * radius):
        raise ValueError(f"rho must be in (0, norm_bound * radius] = (0, {top:.6g}], got {rho}")
    longer = 1
    if projection is not None:
        rows = clip_entries(X, keep_sparse=True)  # a product with Phi is a float then, and Phi x is clipped after that
        if getattr(projection, "d", None) != rows.shape[1]:
            raise ValueError(f"projection must project from R^{rows.shape[1]}, as X has shape {rows.shape}")
        made: Any = RowsOnDemand(rows, projection.apply, projection.k)
        X, longer = made, 2
    trained = dp_erm.law(
        X,
        y,
        privacy=privacy,
        rho=rho,
        radius=longer * radius,
        norm_bound=longer * norm_bound,
        beta=beta / 3,
        calibration=calibration,
        noise=noise,
    )
    return EfficientLaw(projection, trained, trained.privacy)
