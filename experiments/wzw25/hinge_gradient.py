"""The hinge sum's gradient: Lemmas A.9 and A.10 of Wang, Zhu & Wang (2025)."""

import itertools
from fractions import Fraction

import numpy as np

from lemmata.bounds.wzw25 import hinge_gradient as bounds
from lemmata.bounds.wzw25.noisy_gd import value_sensitivity
from lemmata.experiments.checks import inequality_claim
from lemmata.experiments.engine.claims.claim import Control, grid
from lemmata.experiments.engine.claims.verdict import inconclusive

HINGE = "domain: hinge losses"


# Lemma A.9 ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.tangent_value,
    quick=({"steps": 8},),
    control=Control("subgradients {} times too long", (1.001, 1.5, 3)),
    note="printed for differentiable f and used on the hinge; for subgradients the inequality is their definition",
)
def subgradients_lie_below(*, steps, factor=1):
    """One record of the hinge, every order of u, v and the kink at 1, every subgradient; and x^4, all in fractions."""
    lattice = [Fraction(k, steps) for k in range(-2 * steps, 4 * steps + 1)]
    for u, v in itertools.product(lattice, repeat=2):
        slopes = [Fraction(k, 4) for k in range(5)] if u == 1 else [Fraction(int(u < 1))]
        hinge = [(max(0, 1 - u), max(0, 1 - v), -a * (v - u)) for a in slopes]
        for f_x, f_y, slope in [*hinge, (u**4, v**4, 4 * u**3 * (v - u))]:
            yield {"steps": steps, "u": u, "v": v}, bounds.tangent_value(f_x=f_x, slope=Fraction(factor) * slope), f_y
    line = [float(u) for u in lattice]
    series = {"v": line, "hinge": [max(0.0, 1 - v) for v in line], "tangent at 1/2": [1 - v for v in line]}
    return {"tightness": None, "series": series}


# Lemma A.10 -----------------------------------------------------------------------------------------------------------


def record_gradients(radius, width):
    """Every subgradient a record of norm `radius` or less can have, on a lattice of fractions, as pairs."""
    r, c = Fraction(radius), Fraction(width)
    directions = [(1, 0), (Fraction(3, 5), Fraction(4, 5)), (0, 1), (Fraction(-5, 13), Fraction(12, 13))]
    for (x, y), sign, length, a in itertools.product(directions, (1, -1), (1, Fraction(1, 2)), (0, Fraction(1, 3), 1)):
        yield tuple(-a * sign * length * r / c * coordinate for coordinate in (x, y))


def searched_sensitivity(radius, width, pairs=400):
    """The largest gradient difference found by brute force: random data, weights, canaries; n from 1 to 5."""
    rng, best = np.random.default_rng(0), 0.0
    for _ in range(pairs):
        n, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        X = rng.normal(size=(n + 1, d))
        X *= radius * rng.choice([0.2, 1.0], size=(n + 1, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
        w = rng.normal(size=(d, 1)) * 10 ** rng.uniform(-3, 1) * width / radius
        X[n] = -X[0] if rng.random() < 0.5 else X[n]
        gradients = X.T * (X @ w < width).T / -width
        best = max(best, float(np.linalg.norm(gradients[:, 0] - gradients[:, n])))
    return best


def largest_square(differences):
    """The largest squared norm among pairs of fractions."""
    return max(x * x + y * y for x, y in differences)


@inequality_claim(
    bounds.add_remove_sensitivity,
    quick=grid(radius=[1.0], width=[0.125]),
    full=grid(radius=[0.001, 1.0, 1000.0], width=[0.001, 4.0]),
    caught=(1.01,),
    scope=HINGE,
    note="attained by any record with ‖x‖ = b, at w = 0",
)
def add_remove_is_attained(*, radius, width):
    """The squared norm of one record's subgradient against the square of the printed maximum, which it reaches."""
    claimed = bounds.add_remove_sensitivity(radius=Fraction(radius), width=Fraction(width))
    largest = largest_square(record_gradients(radius, width))
    yield {"radius": radius, "width": width}, largest, claimed**2
    if largest < claimed**2:
        return inconclusive("BUDGET", "the claimed maximum was not attained")


@inequality_claim(
    bounds.replacement_sensitivity,
    quick=grid(radius=[1.0], width=[0.125]),
    full=grid(radius=[0.001, 1.0, 1000.0], width=[0.001, 4.0]),
    caught=(1.01,),
    scope=HINGE,
    note="attained by (x, +1) against (x, -1) with ‖x‖ = b, at w = 0; a blind search never exceeds it",
)
def replacement_is_attained(*, radius, width):
    """The squared norm of the difference of two records' subgradients against that of the printed maximum."""
    claimed = bounds.replacement_sensitivity(radius=Fraction(radius), width=Fraction(width))
    gradients = list(record_gradients(radius, width))
    largest = largest_square((a - p, b - q) for (a, b), (p, q) in itertools.product(gradients, repeat=2))
    yield {"radius": radius, "width": width}, largest, claimed**2
    if largest < claimed**2:
        return inconclusive("BUDGET", "the claimed maximum was not attained")
    for norm in (Fraction(width) / Fraction(radius) * scale for scale in (Fraction(1, 2), 1, 3)):
        change = value_sensitivity(norm=norm, radius=Fraction(radius), width=Fraction(width))
        yield {"norm": norm, "radius": radius, "width": width}, change, norm * claimed  # from 0, where all losses are 1
    if searched_sensitivity(radius, width) > float(claimed) * (1 + 1e-12):
        return inconclusive("FAILED", "the search exceeds the closed form")


@inequality_claim(
    bounds.lipschitz_constant,
    quick=({"norm": 1.0, "width": 0.25},),
    full=({"norm": 0.0, "width": 1.0}, {"norm": 100.0, "width": 0.001}),
    caught=(1.01,),
    note="attained by the slope below the kink",
)
def hinge_is_lipschitz(*, norm, width):
    """|l(w) - l(v)| <= L |w - v| along the record itself, for every order of w, v and the kink, in fractions."""
    claimed = bounds.lipschitz_constant(norm=Fraction(norm), width=Fraction(width))
    for k, l in itertools.combinations(range(-12, 25), 2):
        w, v = Fraction(k, 8), Fraction(l, 8)
        losses = [max(0, 1 - x * Fraction(norm) / Fraction(width)) for x in (w, v)]
        yield {"norm": norm, "width": width, "w": w, "v": v}, abs(losses[0] - losses[1]), claimed * (v - w)


if __name__ == "__main__":
    import lemmata

    lemmata.script(__file__)
