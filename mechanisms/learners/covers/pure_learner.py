"""A_PrivMrg, Algorithm 1 of Bassily, Mohri & Suresh (2022): a pure private linear classifier with a margin guarantee.

    w~ in a cover of B^k(2 Lambda), with probability proportional to exp(-epsilon #{i : y_i <w~, Phi x_i> <= 0} / 2)
    release Phi^T w~

The printed k grows like Lambda^2 r^2 log(m/beta)/rho^2, a thousand and more, where no cover can be enumerated: choose
k = 1, ..., 4 yourself. Privacy does not depend on k; the margin guarantee does. Errors are counted once, in blocks, and
thousands of releases cost little more than one. Notation: `norm_bound` Lambda, `radius` r, `rho` rho.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from lemmata.mechanisms.law import LinearLaw, Projection, check_replacement
from lemmata.mechanisms.numerics.arguments import check_choice, check_magnitude, clip_rows, quiet, read_labels
from lemmata.mechanisms.privacy import Guarantee, PureDP, to_pure
from lemmata.mechanisms.selection import exponential
from lemmata.mechanisms.solvers.covers import Cover, cover

CALIBRATIONS = ("printed",)  # sensitivity 1/m of the empirical risk: enough, and nothing to save
SCORED = 2**20  # entries <c, Phi x_i> that exist at any one time


def count_errors(candidates: Cover, Z: np.ndarray) -> np.ndarray:
    """Return #{i : <c, z_i> <= 0} for every candidate c, shape (|C|,); z_i = y_i Phi x_i, shape (m, k).

    Ties are errors.
    """
    errors = np.empty(candidates.size, dtype=np.int32)
    start = 0
    for block in candidates.blocks(max(1, SCORED // len(Z))):
        errors[start : start + len(block)] = (block @ Z.T <= 0).sum(axis=1)
        start += len(block)
    return errors


def _scores(errors: np.ndarray) -> Iterator[np.ndarray]:
    return (-errors[i : i + exponential.BLOCK].astype(float) for i in range(0, len(errors), exponential.BLOCK))


@dataclass(frozen=True)
class PrivateMarginLaw(LinearLaw):
    """The law of one release of A_PrivMrg on one dataset, for one projection."""

    errors: np.ndarray = field(repr=False)  # of every candidate on the projected sample; never in a repr
    samples: int
    candidates: Cover
    projection: Projection
    privacy: PureDP  # neighbours differ in one replaced record

    @property
    def selection(self) -> exponential.ExponentialLaw:
        """The exponential mechanism over the numbers of the candidates: scores -errors, of sensitivity 1."""
        return exponential.streamed_law(
            partial(_scores, self.errors),
            candidates=self.candidates.size,
            sensitivity=1.0,
            privacy=self.privacy,
        )

    def choose(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent selections w~, shape (size, k)."""
        return self.candidates.points(self.selection.sample(rng, size))

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases Phi^T w~, shape (size, d)."""
        return self.projection.transpose(self.choose(rng, size))

    @cached_property
    def _atoms(self) -> tuple[cKDTree, np.ndarray]:
        """(tree over Phi Phi^T c, log-probability of each distinct one): Phi is one-to-one on what it can release."""
        points = np.concatenate(list(self.candidates.blocks()))
        seen = np.round(self.projection.apply(self.projection.transpose(points)) / self.candidates.radius, 9)
        atoms, place = np.unique(seen, axis=0, return_inverse=True)
        logs = np.full(len(atoms), -np.inf)
        np.logaddexp.at(logs, place.ravel(), self.selection.log_probabilities())
        return cKDTree(atoms), logs

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probabilities of releases, shape (size, d) -> (size,); -inf for what is never released."""
        tree, logs = self._atoms
        distance, nearest = tree.query(self.projection.apply(releases) / self.candidates.radius)
        # a release on the 2^-20 grid is still recognised; distinct atoms lie farther apart
        return np.where(distance <= 1e-4, logs[nearest], -np.inf)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: Guarantee,
    norm_bound: float,
    radius: float,
    rho: float,
    calibration: str = "printed",
    lattice: str = "thin",
    public: Projection,
) -> PrivateMarginLaw:
    """Return the law of A_PrivMrg of bms22: a private choice among linear classifiers, by their errors when projected.

    Formal guarantee: `privacy.epsilon`-DP for its neighbours, for every value of the projection `public` (a
    `lemmata.mechanisms.features.sign_projection` projection R^d -> R^k drawn independently of the data), every dataset
    and every k. Rows of X, shape (m, d), are clipped to `radius`; labels y are -1 or +1. Candidates are a rho/(10
    radius)-cover of B^k(2 norm_bound): public. The sensitivity of the empirical risk, 1/m, is exact ("printed"
    calibration), in floats too: a record's own signs are the only ones that change. Raises ValueError for bad input,
    rho above norm_bound * radius, and covers that are too large to be scored.

    >>> from lemmata.mechanisms.features.sign_projection import sign_projection
    >>> phi = sign_projection(1, 2, rng=np.random.default_rng(0))
    >>> sizes = dict(norm_bound=1.0, radius=1.0, rho=0.5, public=phi)
    >>> law(np.eye(2), [1, 1], privacy=PureDP(1.0), **sizes).sample(np.random.default_rng(1)).shape
    (1, 2)
    """
    norm_bound, radius, rho = check_magnitude(norm_bound=norm_bound, radius=radius, rho=rho)
    if rho > norm_bound * radius:
        raise ValueError(f"rho must be in (0, norm_bound * radius] = (0, {norm_bound * radius}], got {rho}")
    check_choice(CALIBRATIONS, calibration=calibration)
    X = clip_rows(X, radius, keep_sparse=True)
    y = read_labels(y, X.shape[0])
    if getattr(public, "d", None) != X.shape[1]:
        raise ValueError(f"public projects from R^{getattr(public, 'd', None)}, but X has {X.shape[1]} columns")
    candidates = cover(public.k, radius=2 * norm_bound, resolution=rho / (10 * radius), lattice=lattice)
    errors = count_errors(candidates, y[:, None] * public.apply(X))
    return PrivateMarginLaw(errors, X.shape[0], candidates, public, to_pure(check_replacement(privacy)))
