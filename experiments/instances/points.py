"""What the projection claims share: points to project, and the check of "k = O(g)" on a whole domain."""

from __future__ import annotations

from math import sqrt

import numpy as np
from flint import arb

from bounds.bms22.sign_projection import order_bound
from bounds.exact.certify import HOLDS, at, certify, over
from experiments.engine.claim import grid
from experiments.engine.verdict import holds, inconclusive, refuted


def points(rng, m, d):
    """m points in R^d: half dense directions, half with two large coordinates; lengths between 0.01 and 100."""
    T = rng.normal(size=(m, d))
    for row in T[: m // 2]:
        row[rng.permutation(d)[2:]] = 0.0
    return T / np.linalg.norm(T, axis=1, keepdims=True) * 10 ** rng.uniform(-2, 2, size=(m, 1))


def failed(evidence, point, left, right, python="", **more):
    """REFUTED: the two sides of the inequality at `point`, in the order in which the statement displays them."""
    left, right = float(left), float(right)
    sides = {"lhs": [left, left], "rhs": [right, right]}
    return refuted(
        evidence, {"setting": point, "point": point, "claimed": right, "found": left, "python": python, **sides}, **more
    )


def rows_order(explicit, g, constant, *, samples, logs, least_log, factor=1, note="", **shape):
    """Is `explicit` <= constant * `g` for all parameters? Both are bounds functions of the same arguments.

    By hand: explicit <= (scale R log / (x^2 (1 - curvature x)) + 1) with R = `logs` and log >= log(`least_log`)
    (`bounds.bms22.sign_projection.order_bound`); by certificate: the supremum of that over x in [0, 1] is at most
    `constant`. The samples check the part done by hand, and are where a constant too small (constant / factor) is
    refuted.
    """
    worst, point = max((explicit(**s) / g(**s), i) for i, s in enumerate(samples))
    if worst > constant / factor * (1 + 1e-9):
        return failed("certificate", samples[point], worst, constant / factor)

    def ratio(x):
        return order_bound(x, logs, arb(least_log).log(), **shape)

    if certify(over(ratio), at(ratio), {"x": (0.0, 1.0)}, constant / factor).outcome != HOLDS:
        return inconclusive("NO_CONSTANT", "the certificate did not close")
    axis = [0.05 * i for i in range(21)]
    return holds(
        "derivation",
        "everywhere",
        note=f"explicit <= C g with C = {constant:g}, certified; samples reach {worst:.1f}. {note}".strip(),
        series={"distortion parameter": axis, "explicit / g": [float(ratio(arb(x))) for x in axis]},
    )


def corners(size, size_name, parameter, values=(1e-3, 0.3, 0.999), betas=(1e-12, 0.1, 0.5, 1 - 1e-9)):
    """Samples at the corners of the hypotheses: sizes, distortion parameters and failure probabilities at both ends."""
    return grid(**{size_name: size, parameter: list(values), "beta": list(betas)})


def sharp_records(rng, n, d, gamma, b):
    """n signed records of norm b with margin gamma in direction e_1: gamma e_1 +- sqrt(b^2 - gamma^2) v, in pairs."""
    V = rng.normal(size=(-(-n // 2), d - 1))
    V *= sqrt(b**2 - gamma**2) / np.linalg.norm(V, axis=1, keepdims=True)
    Z = np.vstack([V, -V])[:n]
    return np.column_stack([np.full(n, gamma), Z])


def above(function, level):
    """Proved: function(x) > level for all x in [0, 1]."""

    def deficit(x):
        return level + 1e-9 - function(x)

    return certify(over(deficit), at(deficit), {"x": (0.0, 1.0)}, 0.0).outcome == HOLDS
