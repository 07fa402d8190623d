"""Noisy gradient descent on randomly projected data: Algorithm 1 of Wang, Zhu & Wang (2025).

    Phi S = {(Proj_{B^k(2 v)}(Phi x_i), y_i)},    w~ = noisy gradient descent on Phi S (Algorithm 5),    out: Phi' w~.

Phi is public, shape (k, d), and v = `radius` bounds the rows. Random signs make few rows longer than 2 v, but some they
do, and the noise is calibrated to rows of length 2 v: the clipping is what privacy rests on. Where k >= d there is
nothing to gain from a projection; without one (`projection=None`) rows keep their length, at most v, and the same
privacy costs half the noise.

(The paper's input line says Phi in R^{d x k}; its line 2 uses Phi x for x in R^d, so Phi is k x d, as in Section 5.1.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import LinearLaw, Projection
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.numerics.arguments import check_choice, check_magnitude, clip_rows, quiet, read_records
from lemmata.mechanisms.numerics.sparse_rows import RowsOnDemand, is_on_demand, is_sparse
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, Guarantee

BAND = 2**16  # entries of the matrix of margins at any one time: they stay in a core's cache
CLIP = 2.0  # Algorithm 1 clips projected rows at CLIP times the radius
TIES = ("wrong", "right")  # what a record with y <w, x> = 0 counts as


@dataclass(frozen=True)
class JLGDLaw(LinearLaw):
    """The law of Algorithm 1 on one dataset, given its public projection; releases have shape (size, d).

    `descent` is noisy gradient descent on the projected rows. `sample` lifts what it releases back to R^d; for the
    weights in R^k call `descent.sample`; since Phi is public this releases no more.
    """

    descent: noisy_gd.NoisyGDLaw = field(repr=False)
    projection: Projection | None  # None is the identity

    @property
    def privacy(self) -> Guarantee:
        """mu-GDP under replacement of one record, given the projection."""
        return self.descent.privacy

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly."""
        return self.descent.expected_cost

    def lift(self, weights: np.ndarray) -> np.ndarray:
        """Return Phi' w for every row w of `weights`: shape (size, k) -> (size, d)."""
        return weights if self.projection is None else self.projection.transpose(weights)

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases that share the projection, shape (size, d)."""
        return self.lift(self.descent.sample(rng, size))

    def errors(self, weights: ArrayLike, ties: str = "right") -> np.ndarray:
        """Return how many records have y <w, x> < 0, for every row of `weights` in R^k, shape (size,).

        The inequality is strict, as the paper prints it, so w = 0 makes no error; with `ties` "wrong" a record with
        y <w, x> = 0 is an error too. Clipping shortens a row and never turns it, so projected and lifted weights make
        the same errors.
        """
        check_choice(TIES, ties=ties)
        wrong = np.less if ties == "right" else np.less_equal
        Z, W = self.descent.Z, np.asarray(weights, dtype=float).T
        height = max(1, BAND // (W.shape[1] if Z.dtype == W.dtype else max(W.shape)))  # rows in float32 are converted
        if is_on_demand(Z):
            height = Z.height
        counts = [wrong(Z[start : start + height] @ W, 0).sum(axis=0) for start in range(0, Z.shape[0], height)]
        return np.sum(counts, axis=0)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: GaussianDP | ApproxDP,
    width: float,
    radius: float = 1.0,
    projection: Projection | None = None,
    **descent: Unpack[noisy_gd.Descent],
) -> JLGDLaw:
    """Return the law of Algorithm 1 of wzw25: project, clip at twice the radius, descend with noise, lift.

    Formal guarantee: mu-GDP under replacement of one record, for every input and every fixed projection, with the mu of
    `privacy`. Rows are clipped to `radius` before and to 2 `radius` after the projection, so the gradient sum has L2
    sensitivity 2 (2 radius) / width, or 2 radius / width without a projection; nothing but n, k and parameters enters
    the rest. For the bits released or over the reals, as `noise` says (`lemmata.mechanisms.learners.descent.noisy_gd`).

    X: (n, d); y: (n,), each -1 or +1. `width` is the confidence margin c, a third of the margin sought in Algorithm 3.
    `descent`: `output`, `steps`, `stride` and so on of `noisy_gd.law`. Raises ValueError for anything out of range.

    >>> from lemmata.mechanisms.features.sign_projection import sign_projection
    >>> phi = sign_projection(2, 5, rng=np.random.default_rng(0))
    >>> released = law(np.eye(5), np.ones(5), privacy=GaussianDP(1.0), width=0.5, projection=phi, steps=3)
    >>> released.sample(np.random.default_rng(1)).shape
    (1, 5)
    """
    width, radius = check_magnitude(width=width, radius=radius)
    if projection is not None:  # without one, the descent clips
        rows, public, longest = read_records(X, keep_sparse=True), projection, radius
        if getattr(projection, "d", None) != rows.shape[1]:
            raise ValueError(f"projection must project from R^{rows.shape[1]}, as X has shape {rows.shape}")
        project: Any = lambda band: public.apply(clip_rows(band, longest, keep_sparse=True))  # noqa: E731
        made: Any = RowsOnDemand(rows, project, projection.k)
        X, radius = made if is_sparse(rows) else made.hold(), CLIP * radius
    return JLGDLaw(noisy_gd.law(X, y, privacy=privacy, width=width, radius=radius, **descent), projection)
