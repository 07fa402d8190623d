"""How an O(.) of Appendices D and H is decided: constants that are certified, and truths that no weights escape.

Runs of Algorithms 1 and 3 against their bounds with our constants: planted margins and outliers, and real records.

Planted data: n - q inliers of norm b with margin exactly gamma in direction e_1, in opposite pairs, and q outliers
-b e_1. For 0 < level <= gamma, m(level) = q: a pair has gamma e_1 in its hull, an outlier -b e_1, so a pair and an
outlier together have margin 0, and q disjoint such triples (q <= (n - q)/2) each lose a record. Above gamma every pair
loses one; the ledger says n there.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import log

import numpy as np
from flint import arb

from bounds.exact.certify import HOLDS, at, certify, over
from experiments.engine.verdict import holds, inconclusive
from experiments.instances.points import sharp_records

SCOPE = "everywhere: k of Lemma 6.2 (explicit), T = n^2 mu^2 rounded up, printed step size"


def least_loss(n, outliers, weight=Fraction(1)):
    """The least averaged hinge loss of any w in any dimension, in fractions: records s e_1 of which `outliers` are -1.

    Width gamma/3 with gamma = s / `weight`: for p = 3 <w, Phi x>/gamma the loss is ((n - q)(1 - p)_+ + q (1 + p)_+)/n
    (`weight` 1), convex in p with its kinks at +-1.
    """
    q = Fraction(outliers)
    return min(((n - q) * max(0, 1 - p * weight) + q * max(0, 1 + p * weight)) / n for p in (-1 / weight, 1 / weight))


def overtakes(ratios):
    """Three ratios that grow tenfold and more at each of two steps."""
    return ratios[2] > 9 * ratios[1] > 81 * ratios[0] > 0


def scaled_family(order):
    """truth / g for four records s e_1, one of them an outlier, gamma = b = s and mu = s^2: s = 10, 100, 1000."""
    points = [dict(n=4, gamma=s, outliers=1, mu=s**2, beta=0.1, radius=s) for s in (10.0, 100.0, 1000.0)]
    return points, [float(least_loss(4, 1)) / order(**point) for point in points]


def without_radius(order, factor):
    """`order` with the outliers' term multiplied by b^(1 - factor): what the control of these claims checks."""

    def mutated(*, gamma, outliers, n, radius, **rest):
        full = order(gamma=gamma, outliers=outliers, n=n, radius=radius, **rest)
        return full - radius * outliers / (gamma * n) * (1 - radius ** (1 - factor))

    return mutated


def growing(points, ratios, python=""):
    """The witness of an O(.) that a family overtakes."""
    return {
        "setting": points[0],
        "claimed": "the loss is O(g)",
        "found": f"loss / g >= {ratios[-1]:.4g} at b = {points[-1]['radius']:g}, growing in proportion to b",
        "family": "four records s e_1, one labelled -1, gamma = b = s, mu = s^2: every w has loss >= 1/2",
        "points": points,
        "ratios": ratios,
        "python": python,
    }


def noise_ratio(share, g, x):
    """The averaged iterate's noise over the printed first term, at most: share = n^2 mu^2/T, x = 1/L.

    Increasing in all. 12 (b/(gamma n)) sqrt(n^2/T + k/mu^2) over b^2 sqrt(L)/(n gamma^2 mu), with
    k <= 16 L/(g^2 (1 - g/3)) + 1.
    """
    return 12 * ((share + 1) * g**2 * x + 16 / (1 - g / 3)) ** 0.5


def last_ratio(y, g, x):
    """The same for the last iterate, without 4 + 3 log T: sqrt(1 + k l) over sqrt(l L), y = 1/l, x = 1/L."""
    return 12 * ((y + 1) * g**2 * x + 16 / (1 - g / 3)) ** 0.5


def outlier_ratio(g):
    """The cost of an outlier over b/gamma."""
    return g + 3 * (1 + g / 2) ** 0.5


def certified(function, box, constant):
    """Is function <= constant on the box, in balls?"""
    return certify(over(function), at(function), box, constant).outcome == HOLDS


FEWEST = float(1 / arb(6).log())  # 1 / L at n = 1, beta = 1
AVERAGE_BOX = {"share": (0.0, 1.0), "g": (0.0, 1.0), "x": (0.0, FEWEST * (1 + 1e-12))}
LAST_BOX = {"y": (0.0, 1 / log(2) + 1e-12), "g": (0.0, 1.0), "x": (0.0, 1 / log(12) + 1e-12)}
UNIT_BOX = {"g": (0.0, 1.0)}
AVERAGE, LAST, PER_OUTLIER = 60.2, 60.1, 4.68


def samples(betas=(1e-12, 0.1, 1 - 1e-9), radii=(1e-3, 1.0, 1e3)):
    """Settings at the corners of the hypotheses."""
    for n, share, radius, mu, beta in product((1, 2, 10, 10**6), (1e-3, 0.5, 1.0), radii, (1e-6, 0.1, 1e3), betas):
        for outliers in (0, 1, n):
            yield dict(n=n, gamma=share * radius, outliers=outliers, mu=mu, beta=beta, radius=radius)


def decide_order(explicit, order, constant, proofs, points, *, note="", series=None, scope=SCOPE):
    """explicit <= constant * order: certified by `proofs` (function, box, constant), compared at `points`."""
    if not all(certified(*proof) for proof in proofs):
        return inconclusive("NO_CONSTANT", "the certificate did not close")
    worst = max(explicit(**point) / order(**point) for point in points)
    if not worst <= constant * (1 + 1e-12):
        return inconclusive("FAILED", f"explicit / g reaches {worst} > C = {constant}")
    note = "; ".join(filter(None, (f"C = {constant:g}, certified; explicit / g reaches {worst:.1f}", note)))
    return holds("derivation", scope, note=note, series=series or {})


AVERAGE_PROOFS = [(noise_ratio, AVERAGE_BOX, AVERAGE), (outlier_ratio, UNIT_BOX, PER_OUTLIER)]
LAST_PROOFS = [(last_ratio, LAST_BOX, LAST), (outlier_ratio, UNIT_BOX, PER_OUTLIER)]
NOISE = "noise {} times as large"


# Data with a ledger ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def planted(n, d, gamma, outliers, radius=1.0):
    """Signed records, shape (n, d): see above. The same for all trials: the bounds hold for every dataset."""
    if 2 * outliers > n - outliers:
        raise ValueError(f"outliers = {outliers} is outside [0, {n // 3}]: every one needs a pair of inliers")
    Z = sharp_records(np.random.default_rng(7), n - outliers, d, gamma, radius)
    return np.vstack([Z, -radius * np.eye(1, d).repeat(outliers, axis=0)])


# Algorithm 1 ----------------------------------------------------------------------------------------------------------


def louder(law, factor):
    """The same descent with `factor` times its noise."""
    return replace(law, descent=replace(law.descent, sigma=law.descent.sigma * factor))
