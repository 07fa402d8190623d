"""The efficient private learner A_EffPrivMrg, Algorithm 2 of bms22: project, clip, train by DP-ERM, lift.

    x -> Phi x in R^k, clipped to norm 2 radius;   w = DP-ERM on the ball of radius 2 norm_bound;   release Phi^T w

Phi is public randomness, drawn by the caller before and independently of the data (`draw_projection`). The printed k is
of the order epsilon m; any other number of rows is as private.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import Any

from bounds.bms22 import efficient_learner as bounds
from mechanisms import dp_erm, phased_sgd
from mechanisms.fast_projection import fast_projection
from mechanisms.law import LinearModel, positive, rows, within_unit
from mechanisms.privacy import ApproxDP
from mechanisms.sign_projection import sign_projection

PROJECTIONS = {"fast": fast_projection, "signs": sign_projection}


def rows_for(m, epsilon, delta, beta):
    """k of step 1, rounded up.

    >>> rows_for(10**4, 1.0, 1e-5, 0.1)
    1280
    """
    dp_erm.check_setting(m, epsilon, delta, beta)
    return max(1, ceil(bounds.printed_rows(m=m, epsilon=epsilon, delta=delta, beta=beta)))


def draw_projection(m, d, *, rng, epsilon, delta, beta, k=None, kind="fast"):
    """The public Phi of step 2, R^d -> R^k: `kind` "fast" (Lemma A.4) or "signs" (Lemma A.3); k as printed if None."""
    phased_sgd.one_of(tuple(PROJECTIONS), kind=kind)
    return PROJECTIONS[kind](rows_for(m, epsilon, delta, beta) if k is None else k, d, rng=rng)


@dataclass(frozen=True)
class EfficientLaw:
    """The law of w^Priv on one dataset, at a fixed projection; releases have shape (size, d)."""

    projection: Any = field(repr=False)
    trained: dp_erm.BoostedLaw  # the law of the vector in R^k
    privacy: ApproxDP

    @property
    def expected_cost(self):
        """Core-seconds a release, roughly."""
        return self.trained.expected_cost

    def sample(self, rng, size=1):
        """`size` independent releases."""
        return self.projection.transpose(self.trained.sample(rng, size))


def law(X, y, *, projection, rho, radius, norm_bound, epsilon, delta, beta, calibration="tight"):
    """Learn a linear classifier with margin rho against vectors of norm `norm_bound`.

    Formal guarantee: that of `boosting.law` with the same `calibration`, under replacement of one record, for every
    input and every fixed `projection` that was drawn independently of the data. Nothing is assumed about the norms of
    the rows: Phi x is clipped to 2 radius.

    X: (m, d); y: (m,), each -1 or +1. The training is given beta/3 of the failure probability. Raises ValueError for
    anything out of range, rho outside (0, norm_bound * radius] included.
    """
    positive(rho=rho, radius=radius, norm_bound=norm_bound)
    within_unit(beta=beta)
    if rho > (top := norm_bound * radius):
        raise ValueError(f"rho = {rho} is outside (0, norm_bound * radius] = (0, {top:.6g}]")
    X = rows(X)
    known = dict(rho=rho, radius=2 * radius, norm_bound=2 * norm_bound, calibration=calibration)
    trained = dp_erm.law(projection.apply(X), y, epsilon=epsilon, delta=delta, beta=beta / 3, **known)
    return EfficientLaw(projection, trained, trained.privacy)


def fit(X, y, *, rng, projection=None, k=None, kind="fast", **parameters):
    """One release, as a predictor x -> sign(<weights, x>) that remembers its privacy.

    Without `projection` one is drawn from `rng`, with k rows (as printed by default).
    """
    if projection is None:
        m, d = rows(X).shape
        budget = {name: parameters[name] for name in ("epsilon", "delta", "beta")}
        projection = draw_projection(m, d, rng=rng, k=k, kind=kind, **budget)
    released = law(X, y, projection=projection, **parameters)
    return LinearModel(released.sample(rng)[0], released.privacy)
