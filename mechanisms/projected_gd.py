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

import numpy as np

from mechanisms import noisy_gd
from mechanisms.law import LinearModel, clip_rows, positive
from mechanisms.noisy_gd import NoisyGDLaw
from mechanisms.privacy import GaussianDP

BAND = 2**16  # entries of the matrix of margins at any one time: they stay in a core's cache
COLUMNS = 256  # runs abreast
CLIP = 2.0  # Algorithm 1 clips projected rows at CLIP times the radius


@dataclass(frozen=True)
class RunsAbreast(NoisyGDLaw):
    """`NoisyGDLaw` for many rows: as many runs abreast as fill a matrix product, rows in bands that fit the cache."""

    def _block(self, rng, size):
        height = min(len(self.Z), max(1, BAND // size))
        bands = [self.Z[start : start + height] for start in range(0, len(self.Z), height)]
        margins, active = np.empty((height, size)), np.empty((height, size), dtype=bool)  # reused: fresh memory is slow
        W = np.repeat(self.start[:, None], size, axis=1)
        total, part, gradient = np.zeros_like(W), np.empty_like(W), np.empty_like(W)
        for eta, weight in zip(self.strides, self.weights, strict=True):
            if self.output == "average":
                total += weight * W
            rng.standard_normal(out=gradient)
            gradient *= self.sigma
            for band in bands:
                inner, mask = margins[: len(band)], active[: len(band)]
                np.matmul(band, W, out=inner)
                np.less(inner, self.width, out=mask)
                inner[...] = mask
                np.matmul(band.T, inner, out=part)
                part /= -self.width
                gradient += part
            gradient *= eta
            W -= gradient
        return (W if self.output == "last" else total).T

    def sample(self, rng, size=1):
        """`size` independent releases, shape (size, k)."""
        parts = [self._block(rng, min(COLUMNS, size - start)) for start in range(0, size, COLUMNS)]
        return np.concatenate(parts)


@dataclass(frozen=True)
class JLGDLaw:
    """The law of Algorithm 1 on one dataset, given its public projection; releases have shape (size, d).

    `descent` is noisy gradient descent on the projected rows. `sample` lifts what it releases back to R^d; who needs
    the weights in R^k takes `descent.sample`, which gives away as much (Phi is public).
    """

    descent: NoisyGDLaw = field(repr=False)
    projection: object | None  # has k, d, apply, transpose (mechanisms.sign_projection); None is the identity

    @property
    def privacy(self) -> GaussianDP:
        """mu-GDP under replacement of one record, given the projection."""
        return self.descent.privacy

    @property
    def expected_cost(self):
        """Core-seconds a release, roughly."""
        return self.descent.expected_cost

    def lift(self, weights):
        """Phi' w for every row w of `weights`: shape (size, k) -> (size, d)."""
        return weights if self.projection is None else self.projection.transpose(weights)  # type: ignore[attr-defined]

    def sample(self, rng, size=1):
        """`size` independent releases that share the projection, shape (size, d)."""
        return self.lift(self.descent.sample(rng, size))

    def errors(self, weights):
        """The summed zero-one risk of every row of `weights` in R^k, shape (size,): how many records have y <w, x> < 0.

        The inequality is strict, as the paper prints it: a tie counts as right, so w = 0 makes no error. Clipping
        shortens a row and never turns it, so projected and lifted weights make the same errors.
        """
        Z, W = self.descent.Z, np.asarray(weights, dtype=float).T
        height = max(1, BAND // W.shape[1])
        return sum((Z[start : start + height] @ W < 0).sum(axis=0) for start in range(0, len(Z), height))


def law(X, y, *, mu, width, projection=None, radius=1.0, **descent):
    """Algorithm 1: project, clip at twice the radius, descend with noise, lift.

    Formal guarantee: mu-GDP under replacement of one record, for every input and every fixed projection. Rows are
    clipped to `radius` before and to 2 `radius` after the projection, so the gradient sum has L2 sensitivity
    2 (2 radius) / width, or 2 radius / width without a projection; nothing but n, k and parameters enters the rest.
    The analysis is over the reals; floating-point noise is not hardened.

    X: (n, d); y: (n,), each -1 or +1. `width` is the confidence margin c, a third of the margin sought in Algorithm 3.
    `descent`: `output`, `steps`, `stride` and so on of `noisy_gd.law`. Raises ValueError for anything out of range.
    """
    positive(mu=mu, width=width, radius=radius)
    X = clip_rows(X, radius)
    if projection is not None:
        if projection.d != X.shape[1]:
            raise ValueError(f"projection has d = {projection.d}, and X has shape {X.shape}")
        X, radius = projection.apply(X), CLIP * radius
    run = noisy_gd.law(X, y, mu=mu, width=width, radius=radius, **descent)
    return JLGDLaw(RunsAbreast(**vars(run)) if type(run) is NoisyGDLaw else run, projection)


def fit(X, y, *, rng, output="average", **parameters):
    """One release, as a predictor x -> sign(<weights, x>) that remembers its privacy; `output` average or last."""
    if output == "iterates":
        raise ValueError("output = 'iterates' is not one of average, last")
    released = law(X, y, output=output, **parameters)
    return LinearModel(released.sample(rng)[0], released.privacy)
