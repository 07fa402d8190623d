"""The support vector machine and its output perturbation: Rubinstein et al. 2009, Algorithms 1 and 2.

    w(D) = argmin_w  1/2 ||w||_2^2 + (C / n) sum_i loss(y_i, <w, phi(x_i)>)          (2.1)

without an intercept, ||phi(x)||_2 <= kappa, released as w(D) + iid Laplace(0, scale). `solve` is Algorithm 1, `law`
is Algorithm 2 (PRIVATESVM-FINITE). Notation: `C` the paper's C, `F` the number of features, `kappa` its
kappa, `scale` its lambda; the paper's privacy level beta is the epsilon of `PureDP` here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.rbht09 import svm_sensitivity
from lemmata.mechanisms.law import LaplaceWeightsLaw
from lemmata.mechanisms.noise.laplace import FloatLaplace, GridLaplace, grid_for
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_finite,
    check_integer,
    check_magnitude,
    clip_entries,
    clip_rows,
    quiet,
    read_labels,
)
from lemmata.mechanisms.numerics.arithmetic import round_up, short_repr
from lemmata.mechanisms.numerics.sparse_rows import Rows
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.solvers.certified_svm import solve_certified
from lemmata.mechanisms.solvers.svm import LOSSES, Solution, solution_tolerance, solve_rows

CALIBRATIONS = {"printed": svm_sensitivity.weight_sensitivity, "sharp": svm_sensitivity.weight_sensitivity_sharp}
SAMPLERS = ("grid", "float64")
SLACK = Fraction(1, 10**12)  # for the rounding of a given scale to grid steps
LARGEST = 1e6  # of C kappa^2
FeatureMap = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ClippedMap:
    """x -> phi(x), scaled down to norm kappa where it is longer: what training and prediction both use.

    A feature map sees entries of at most 1e100: larger ones are moved there.
    """

    feature_map: FeatureMap | None = field(repr=False)
    kappa: float

    def __call__(self, X: ArrayLike) -> Rows:
        """Return the features of the rows of X, shape (n, F)."""
        features = X if self.feature_map is None else self.feature_map(clip_entries(X, keep_sparse=True))
        return clip_rows(features, self.kappa, keep_sparse=True)


def _counts(counts: ArrayLike | None, n: int) -> np.ndarray:
    """Multiplicities of the rows as whole numbers >= 1, shape (n,). The message names no entry."""
    counts = np.ones(n) if counts is None else check_finite("counts", counts)
    if counts.shape != (n,):
        raise ValueError(f"counts must have shape ({n},), got {counts.shape}")
    if not (np.all(counts >= 1) and np.all(counts == np.floor(counts))):
        raise ValueError("counts must have integer entries >= 1")
    return counts


def _prepared(
    X: ArrayLike,
    y: ArrayLike,
    C: float,
    feature_map: FeatureMap | None,
    kappa: float,
    loss: str,
    counts: ArrayLike | None,
) -> tuple[ClippedMap, Rows, np.ndarray, np.ndarray]:
    """(features clipped to kappa, labels, multiplicities), everything checked."""
    C, kappa = check_magnitude(C=C, kappa=kappa)
    if C * kappa**2 > LARGEST:
        raise ValueError(f"C kappa^2 must be in (0, {LARGEST:g}], got C = {C}, kappa = {kappa}")
    check_choice(LOSSES, loss=loss)
    if not (feature_map is None or callable(feature_map)):
        raise ValueError(f"feature_map must be a function or None, got {type(feature_map).__name__}")
    phi = ClippedMap(feature_map, kappa)
    V = phi(X)
    return phi, V, read_labels(y, V.shape[0]), _counts(counts, V.shape[0])


def solve(
    X: ArrayLike,
    y: ArrayLike,
    *,
    C: float,
    feature_map: FeatureMap | None = None,
    kappa: float = 1.0,
    loss: str = "hinge",
    counts: ArrayLike | None = None,
) -> Solution:
    """Solve Algorithm 1: the SVM without an intercept, with a certified distance to the exact minimiser. Not private.

    X has shape (n, d), y holds -1 and +1. `counts` are multiplicities of the rows, so n = 10^8 people in a hundred
    groups cost what a hundred rows cost. Loss "hinge" (1 - y f)_+ or "logistic" log(1 + exp(-y f)); both are
    1-Lipschitz. Returns `Solution(weights, dual, gap, error)`, for whoever holds the data. Raises ValueError for
    bad input.

    >>> solve([[1.0], [-1.0]], [1, -1], C=10.0).weights.round(6).tolist()
    [1.0]
    """
    _, V, y, counts = _prepared(X, y, C, feature_map, kappa, loss, counts)
    return solve_rows(V, y, C=C, loss=loss, counts=counts)


@dataclass(frozen=True)
class SVMLaw(LaplaceWeightsLaw):
    """The law of one release of PRIVATESVM-FINITE on one dataset: the minimiser plus product Laplace noise."""

    noise: GridLaplace | FloatLaplace  # its centre never shows in a repr
    sensitivity: float  # L1, one row replaced, solver error included: public
    privacy: PureDP
    feature_map: ClippedMap = field(repr=False)

    @property
    def scale(self) -> float:
        """The Laplace scale of every coordinate."""
        return self.noise.scale

    @property
    def exact(self) -> bool:
        """Whether the guarantee holds for the bits of a release."""
        return isinstance(self.noise, GridLaplace)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: PureDP | None = None,
    C: float,
    scale: float | None = None,
    feature_map: FeatureMap | None = None,
    kappa: float = 1.0,
    loss: str = "hinge",
    calibration: str = "printed",
    sampler: str = "grid",
    counts: ArrayLike | None = None,
) -> SVMLaw:
    """Return the law of Algorithm 2 of rbht09 (PRIVATESVM-FINITE): solve once, release the weights under Laplace noise.

    Formal guarantee: `privacy`, a PureDP under replacement of one row, for every input. The L1 sensitivity S is that
    of Lemma 21 (`calibration="printed"`, 4 C kappa sqrt(F) / n) or its sharp half ("sharp", 2 C kappa sqrt(F) / n,
    attained), and scale = S / epsilon. Enforced here: rows of phi(x) are clipped to norm kappa; S is never less
    than the sharp sensitivity plus what the solver may miss on two datasets, a number that depends on C, kappa, F and n
    alone (at C = kappa = 1 less than a hundredth up to n = 10^4, the larger part beyond n = 10^6). Assumed:
    `feature_map`, kappa, C and n are public (neighbours have the same n).

    `sampler="grid"`, the default, rounds the minimiser to a public grid and draws whole grid steps of noise exactly;
    S then grows by F grid steps, about a millionth. It holds in floating point. `sampler="float64"` adds
    `rng.laplace`: the law of the theorem over the reals, whose low bits leak in floating point; for study only.

    Give `privacy` or `scale`; with a `scale` the law computes the privacy it has. The centre is proved to be within
    `solution_tolerance` of the minimiser, which is charged: by the solver's certificate, or, where that is not good
    enough, in ball arithmetic, which gets there on all rows (`lemmata.mechanisms.solvers.certified_svm`). Raises
    ValueError for bad input.

    >>> released = law([[1.0], [-1.0]], [1, -1], privacy=PureDP(2.0), C=1.0)
    >>> round(released.scale, 5), released.sample(np.random.default_rng(0)).shape
    (1.0, (1, 1))
    """
    phi, V, y, counts = _prepared(X, y, C, feature_map, kappa, loss, counts)
    check_choice(tuple(CALIBRATIONS), calibration=calibration)
    check_choice(SAMPLERS, sampler=sampler)
    n, F = int(counts.sum()), V.shape[1]

    sensitivity = l1_sensitivity(n=n, C=C, F=F, kappa=kappa, calibration=calibration)
    privacy, epsilon = _budget(sensitivity, privacy, scale)
    grid, steps = grid_for(sensitivity, epsilon, F)
    within = solution_tolerance(C=C, F=F, kappa=kappa)
    weights = solve_certified(V, y, C=float(C), kappa=float(kappa), loss=loss, counts=counts, within=within)
    noise: GridLaplace | FloatLaplace
    if sampler == "float64":
        noise = FloatLaplace(weights, sensitivity / epsilon)
    else:
        noise = GridLaplace(weights, grid, steps)
    return SVMLaw(noise, sensitivity, privacy, phi)


def _budget(sensitivity: float, privacy: PureDP | None, scale: float | None) -> tuple[PureDP, float]:
    """(privacy, sensitivity / scale) of Laplace noise of which one of `privacy` and `scale` is given."""
    if (privacy is None) == (scale is None):
        raise ValueError(
            f"exactly one of privacy and scale is required, got {short_repr(privacy)} and {short_repr(scale)}"
        )
    if privacy is None:
        (scale,) = check_magnitude(scale=scale)
        return PureDP(round_up(Fraction(sensitivity) / Fraction(scale) * (1 + SLACK))), sensitivity / scale
    if not (isinstance(privacy, PureDP) and privacy.neighbours in ("replace", "label")):
        raise ValueError(f"privacy must be a PureDP for replaced rows or labels, got {short_repr(privacy)}")
    return privacy, privacy.epsilon


def l1_sensitivity(*, n: int, C: float, F: int, kappa: float = 1.0, calibration: str = "printed") -> float:
    """Return the L1 sensitivity that `law` calibrates to.

    Lemma 21's, or the sharp one plus twice the solver's tolerance.

    >>> l1_sensitivity(n=100, C=1.0, F=4)
    0.08
    """
    n, F = check_integer(n=n, F=F)
    C, kappa = check_magnitude(C=C, kappa=kappa)
    check_choice(tuple(CALIBRATIONS), calibration=calibration)
    slack = 2 * sqrt(F) * solution_tolerance(C=C, F=F, kappa=kappa)
    safe = svm_sensitivity.weight_sensitivity_sharp(n=n, C=C, F=F, kappa=kappa) + slack
    return max(CALIBRATIONS[calibration](n=n, C=C, F=F, kappa=kappa), safe)
