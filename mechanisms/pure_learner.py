"""A_PrivMrg, Algorithm 1 of Bassily, Mohri & Suresh (2022): a pure private linear classifier with a margin guarantee.

    w~ in a cover of B^k(2 Lambda), with probability proportional to exp(-epsilon #{i : y_i <w~, Phi x_i> <= 0} / 2)
    release Phi^T w~

The printed k grows like Lambda^2 r^2 log(m/beta)/rho^2, a thousand and more, where no cover can be enumerated: choose
k = 1, ..., 4 yourself. Privacy does not depend on k; the margin guarantee does. Errors are counted once, in blocks, and
thousands of releases cost little more than one. Notation: `norm_bound` Lambda, `radius` r, `rho` rho.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from scipy.spatial import cKDTree

from bounds.bms22 import pure_learner as bounds
from mechanisms import exponential
from mechanisms.law import LinearModel, clip_rows, positive, signs, whole, within_unit
from mechanisms.privacy import PureDP, to_pure
from mechanisms.sign_projection import SignProjection, sign_projection
from mechanisms.solvers.covers import Cover, cover

CALIBRATIONS = ("printed",)  # sensitivity 1/m of the empirical risk: enough, and nothing to save
SCORED = 2**22  # entries <c, Phi x_i> that exist at any one time


def count_errors(candidates: Cover, Z):
    """#{i : <c, z_i> <= 0} for every candidate c, shape (|C|,); z_i = y_i Phi x_i, shape (m, k). Ties are errors."""
    errors = np.empty(candidates.size, dtype=np.int32)
    start = 0
    for block in candidates.blocks(max(1, SCORED // len(Z))):
        errors[start : start + len(block)] = (block @ Z.T <= 0).sum(axis=1)
        start += len(block)
    return errors


def _scores(errors, samples):
    return (errors[i : i + exponential.BLOCK] / -samples for i in range(0, len(errors), exponential.BLOCK))


@dataclass(frozen=True)
class PrivateMarginLaw:
    """The law of one release of A_PrivMrg on one dataset, for one projection."""

    errors: np.ndarray = field(repr=False)  # of every candidate on the projected sample; never in a repr
    samples: int
    candidates: Cover
    projection: SignProjection
    privacy: PureDP  # neighbours differ in one replaced record

    @property
    def selection(self):
        """The exponential mechanism over the numbers of the candidates: scores -errors/m of sensitivity 1/m."""
        return exponential.streamed(
            partial(_scores, self.errors, self.samples),
            candidates=self.candidates.size,
            sensitivity=1 / self.samples,
            privacy=self.privacy,
        )

    def choose(self, rng, size=1):
        """`size` independent selections w~, shape (size, k)."""
        return self.candidates.points(self.selection.sample(rng, size))

    def sample(self, rng, size=1):
        """`size` independent releases Phi^T w~, shape (size, d)."""
        return self.projection.transpose(self.choose(rng, size))

    @cached_property
    def _atoms(self):
        """(tree over Phi Phi^T c, log-probability of each distinct one): Phi is one-to-one on what it can release."""
        points = np.concatenate(list(self.candidates.blocks()))
        seen = np.round(self.projection.apply(self.projection.transpose(points)) / self.candidates.radius, 9)
        atoms, place = np.unique(seen, axis=0, return_inverse=True)
        logs = np.full(len(atoms), -np.inf)
        np.logaddexp.at(logs, place.ravel(), self.selection.log_probabilities())
        return cKDTree(atoms), logs

    def log_density(self, releases):
        """log-probabilities of releases, shape (size, d) -> (size,); -inf for what is never released."""
        tree, logs = self._atoms
        distance, nearest = tree.query(self.projection.apply(releases) / self.candidates.radius)
        # a release on the 2^-20 grid is still recognised; distinct atoms lie farther apart
        return np.where(distance <= 1e-4, logs[nearest], -np.inf)


def law(X, y, *, norm_bound, radius, rho, privacy, public, calibration="printed", lattice="thin"):
    """A private choice among linear classifiers, by their errors on the projected sample.

    Formal guarantee: `privacy.epsilon`-DP for its neighbours, for every value of the projection `public` (a
    `mechanisms.sign_projection` projection R^d -> R^k drawn independently of the data), every dataset and every k. Rows
    of X, shape (m, d), are clipped to `radius`; labels y are -1 or +1. Candidates are a rho/(10 radius)-cover of B^k(2
    norm_bound): public. The sensitivity of the empirical risk, 1/m, is exact ("printed" calibration), in floats too: a
    record's own signs are the only ones that change. Raises ValueError for bad input, rho above norm_bound * radius,
    and covers that are too large to be scored.
    """
    positive(norm_bound=norm_bound, radius=radius, rho=rho)
    if rho > norm_bound * radius:
        raise ValueError(f"rho = {rho} is outside (0, norm_bound * radius] = (0, {norm_bound * radius}]")
    if calibration not in CALIBRATIONS:
        raise ValueError(f"calibration = {calibration!r} is not one of {', '.join(CALIBRATIONS)}")
    X = clip_rows(X, radius)
    y = signs(y, len(X))
    if X.shape[1] != public.d:
        raise ValueError(f"public projects from R^{public.d}, but X has {X.shape[1]} columns")
    candidates = cover(public.k, radius=2 * norm_bound, resolution=rho / (10 * radius), lattice=lattice)
    errors = count_errors(candidates, y[:, None] * public.apply(X))
    return PrivateMarginLaw(errors, len(X), candidates, public, to_pure(privacy))


def fit(X, y, *, rng, norm_bound, radius, rho, privacy, k=None, beta=0.05, public=None, **parameters):
    """One release, as a predictor x -> sign(<Phi^T w~, x>) that remembers its privacy.

    Without `public` a projection to R^k is drawn from `rng`. Without `k` it has the size of the theorem
    (`bounds.bms22.pure_learner.projection_rows` at confidence `beta`), which is honest and far beyond enumeration:
    ValueError.
    """
    if public is None:
        within_unit(beta=beta)
        positive(norm_bound=norm_bound, radius=radius, rho=rho)
        m, d = np.shape(X) if np.ndim(X) == 2 else (0, 0)
        whole(m=m, d=d)
        sizes = {"norm_bound": norm_bound, "radius": radius, "rho": min(rho, norm_bound * radius)}
        public = sign_projection(bounds.projection_rows(m=m, beta=beta, **sizes) if k is None else k, d, rng=rng)
    released = law(X, y, norm_bound=norm_bound, radius=radius, rho=rho, privacy=privacy, public=public, **parameters)
    return LinearModel(released.sample(rng)[0], released.privacy)
