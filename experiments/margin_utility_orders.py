"""How an O(.) of Appendices D and H is decided: constants that are certified, and truths that no weights escape."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log

from flint import arb

from bounds.certify import HOLDS, at, certify, over
from experiments.claim import holds, inconclusive

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
    return certify(over(function), at(function), box, constant).verdict == HOLDS


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
