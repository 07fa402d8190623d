"""The least empirical loss of a ball of linear classifiers at a margin: g_rho(S) of Bassily, Mohri & Suresh (2022).

    hinge:   min over |w| <= Lambda of (1/m) sum_i (1 - y_i <w, x_i> / rho)_+
    margin:  min over |w| <= Lambda of (1/m) #{i : y_i <w, x_i> <= rho}

Each is returned as an enclosure (low, high). Nothing here is private: these are functions of the data, for scores
whose release is somebody else's business.
"""

from __future__ import annotations

import clarabel
import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from lemmata.mechanisms.numerics.arguments import check_magnitude, check_moderate
from lemmata.mechanisms.solvers.margin import signed_records

TOUCH = 1e-9  # arcs that meet within this angle (in radians) may or may not overlap


def hinge_loss(X: ArrayLike, y: ArrayLike, *, rho: float, norm_bound: float) -> tuple[float, float]:
    """The least hinge loss over the ball of radius `norm_bound`: (low, high), a duality gap apart.

    X: (m, d); y: (m,), each -1 or +1. Any w of the ball gives a value from above; any 0 <= a_i <= 1/m gives
    sum_i a_i - (Lambda/rho) |sum_i a_i y_i x_i| from below. A conic solver (clarabel) supplies both, and they are
    evaluated here. Raises ValueError for invalid data and parameters outside (0, inf).

    >>> low, high = hinge_loss([[1.0], [1.0]], [1, -1], rho=0.5, norm_bound=1.0)
    >>> round(low, 6), round(high, 6)
    (1.0, 1.0)
    """
    rho, norm_bound = check_magnitude(rho=rho, norm_bound=norm_bound)
    Z = signed_records(check_moderate("X", X), y) / rho
    m, d = Z.shape
    cost = np.concatenate([np.zeros(d), np.full(m, 1 / m)])  # variables w, slack
    # b - A v in the cone: slack >= 0, slack + Z w - 1 >= 0, (Lambda, w) in the second-order cone.
    slack = -sparse.eye_array(m)
    A = sparse.block_array(
        [[None, slack], [-Z, slack], [sparse.csc_array((1, d)), None], [-sparse.eye_array(d), None]], format="csc"
    )
    b = np.concatenate([np.zeros(m), -np.ones(m), [norm_bound], np.zeros(d)])
    cones = [clarabel.NonnegativeConeT(2 * m), clarabel.SecondOrderConeT(d + 1)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(sparse.csc_matrix((d + m, d + m)), cost, sparse.csc_matrix(A), b, cones, settings)
    solved = solver.solve()
    w = np.array(solved.x[:d])
    w *= min(1.0, norm_bound / max(float(np.linalg.norm(w)), 1e-300))
    high = min(1.0, float(np.maximum(1 - Z @ w, 0).mean()))  # w = 0 costs 1
    a = np.clip(solved.z[m : 2 * m], 0, 1 / m)
    low = max(0.0, float(a.sum() - norm_bound * np.linalg.norm(a @ Z)))
    return min(low, high), high


def margin_loss(X: ArrayLike, y: ArrayLike, *, rho: float, norm_bound: float) -> tuple[float, float]:
    """The least margin loss over the ball of radius `norm_bound` in R^1 or R^2: (low, high).

    For d = 2 every record is classified with a margin above rho by an open arc of directions w, and the most records
    that share a direction are counted over all arcs' ends. `low < high` only where arcs meet within 1e-9 radians. A
    longer w only helps, so |w| = Lambda. Raises ValueError for other dimensions.

    >>> margin_loss([[1.0, 0.0], [0.0, 1.0]], [1, 1], rho=0.7, norm_bound=1.0)
    (0.0, 0.0)
    >>> margin_loss([[1.0, 0.0], [0.0, 1.0]], [1, 1], rho=0.8, norm_bound=1.0)
    (0.5, 0.5)
    """
    rho, norm_bound = check_magnitude(rho=rho, norm_bound=norm_bound)
    Z = signed_records(check_moderate("X", X), y)
    m, d = Z.shape
    if d == 1:
        most = max(int((sign * norm_bound * Z[:, 0] > rho).sum()) for sign in (1, -1))
        return 1 - most / m, 1 - most / m
    if d != 2:
        raise ValueError(f"X has {d} columns: the least margin loss is computed for 1 or 2")
    lengths = norm_bound * np.linalg.norm(Z, axis=1)
    Z, lengths = Z[lengths > rho], lengths[lengths > rho]
    centres, halves = np.arctan2(Z[:, 1], Z[:, 0]), np.arccos(rho / lengths)
    fewest, most = (_depth(centres, halves + slack) for slack in (-TOUCH, TOUCH))
    return 1 - most / m, 1 - fewest / m


def _depth(centres: np.ndarray, halves: np.ndarray) -> int:
    """The most open arcs that share a direction. Just right of the start of an arc the count is as large as it gets."""
    halves, centres = halves[halves > 0], centres[halves > 0]
    if not len(centres):
        return 0
    starts = centres - halves
    offset = np.mod(starts[:, None] - starts, 2 * np.pi)  # how far start i lies behind start j, going round
    return int((offset < 2 * halves).sum(axis=1).max())
