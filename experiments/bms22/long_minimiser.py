"""Appendix H of Bassily, Mohri & Suresh (2022): a hinge loss on the line whose minimiser is long. Exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

from bounds.bms22 import long_minimiser
from experiments.bms22.many_hypotheses import object_witness
from experiments.engine.claim import Control, exact_claim, grid
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.instances.points import failed

GAMMAS = [0.999, 0.5, 0.1, 0.01, 1e-6]


def atoms(alpha, gamma, radius):
    """[(probability, x, y)] of the example."""
    return [
        (alpha / 2, radius, -1),
        (alpha / 2, -radius, 1),
        ((1 - alpha) / 2, gamma, 1),
        ((1 - alpha) / 2, -gamma, -1),
    ]


def expected_hinge(w, points):
    """E max(0, 1 - y w x) over [(probability, x, y)], exactly."""
    return sum(p * max(Fraction(0), 1 - y * w * x) for p, x, y in points)


def corners():
    """(alpha, gamma, radius) at the ends of the hypotheses and inside, and w around every breakpoint."""
    for alpha, gamma, radius in product(
        (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(1)),
        (Fraction(1, 1000), Fraction(1, 3), Fraction(99, 100)),
        (Fraction(1), Fraction(5, 2)),
    ):
        ends = [-1 / radius, Fraction(0), 1 / gamma]
        around = [e + s for e in ends for s in (-1, Fraction(-1, 50), 0, Fraction(1, 50), 1)]
        for w in [*around, -20 / gamma, 20 / gamma]:
            yield {"w": w, "alpha": alpha, "gamma": gamma, "radius": radius}


def identity(statement, factor, mutate):
    """Both sides of a formula for the loss at every corner, in fractions."""
    checked = 0
    for point in corners():
        expected = expected_hinge(point["w"], atoms(point["alpha"], point["gamma"], point["radius"]))
        claimed = statement(**point) if factor == 1 else mutate(point)
        checked += 1
        if claimed != expected:
            return failed("enumeration", {name: float(x) for name, x in point.items()}, expected, claimed)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note=f"{checked} points agree in fractions")


@exact_claim(long_minimiser.hinge_loss, control=Control("gamma multiplied by {}", (2,)), cost=0.02)
def two_terms(*, factor=1):
    """The four atoms come in two pairs with equal losses."""

    def mutate(point):
        return long_minimiser.hinge_loss.theorem.formula(**(point | {"gamma": point["gamma"] * factor}))

    return identity(long_minimiser.hinge_loss, factor, mutate)


@exact_claim(
    long_minimiser.hinge_pieces,
    control=Control("gamma multiplied by {}", (2,)),
    cost=0.02,
    note="the two middle cases of the paper are one formula",
)
def four_pieces(*, factor=1):
    """Every piece and both breakpoints."""

    def mutate(point):
        return long_minimiser.hinge_pieces.theorem.formula(**(point | {"gamma": point["gamma"] * factor}))

    return identity(long_minimiser.hinge_pieces, factor, mutate)


@exact_claim(
    long_minimiser.middle_slope,
    quick=grid(gamma=[0.5, 0.999]),
    full=grid(gamma=[1e-6]),
    control=Control("slope divided by {}", (1.01,)),
    note="negative for every gamma < 1, not only gamma << 1",
    cost=1e-3,
)
def middle_piece_falls(*, gamma, factor=1):
    """alpha r - (1 - alpha) gamma at r = 1, alpha = gamma/2."""
    g = Fraction(gamma)
    found, claimed = g / 2 - (1 - g / 2) * g, long_minimiser.middle_slope(gamma=g) / Fraction(factor)
    if found != claimed or claimed >= 0:
        return failed("enumeration", {"gamma": gamma}, found, claimed)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


def minimisers(weights):
    """(least value, shortest minimiser) of sum p max(0, 1 - z w) over [(p, z)], p > 0: a breakpoint, or 0."""
    points = [Fraction(0), *(1 / z for _, z in weights)]
    value = {w: sum(p * max(Fraction(0), 1 - z * w) for p, z in weights) for w in points}
    least = min(value.values())
    return least, min((w for w in points if value[w] == least), key=abs)


@exact_claim(
    long_minimiser.hinge_minimum,
    quick=grid(gamma=[0.5, 0.01]),
    full=grid(gamma=[0.999, 1e-6]),
    control=Control("gamma multiplied by {}", (1.1, 1.5)),
    note="alpha (1 + gamma/gamma), as the appendix's text (002) has it, would be gamma",
    cost=1e-3,
)
def minimum_of_the_hinge(*, gamma, factor=1):
    """A convex piecewise linear function is least at a breakpoint; all three, and the values of the other cases."""
    g, r = Fraction(gamma), Fraction(1)
    alpha = g / 2
    least, where = minimisers([(alpha, -r), (1 - alpha, g)])
    claimed_where, claimed_least = long_minimiser.hinge_minimum.theorem.formula(gamma=g * Fraction(factor))
    others = [long_minimiser.hinge_loss(w=w, alpha=alpha, gamma=g, radius=r) for w in (Fraction(0), -1 / r)]
    if others != [1, (1 - alpha) * (1 + g / r)] or min(others) <= least:
        return inconclusive("FAILED", "the other cases are not what the text says")
    if (where, least) != (claimed_where, claimed_least):
        return refuted("enumeration", object_witness({"gamma": gamma}, "w*", float(claimed_where), float(where)))
    points = [-2.0, -1.0, 0.0, 1.0, 1 / gamma, 1.5 / gamma]
    curve = [float(long_minimiser.hinge_loss(w=w, alpha=gamma / 2, gamma=gamma, radius=1.0)) for w in points]
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), series={"w": points, "exact": curve})


@exact_claim(
    long_minimiser.zero_one_loss,
    quick=grid(gamma=[0.5, 0.01]),
    full=grid(gamma=[0.999, 1e-6]),
    control=Control("gamma/2 multiplied by {}", (1.5, 2)),
    cost=1e-3,
)
def equal_zero_one_losses(*, gamma, factor=1):
    """P(y w x <= 0) for w between 1e-9 and 1e9, w* among them."""
    g = Fraction(gamma)
    for w in (Fraction(1, 10**9), Fraction(1), 1 / g, Fraction(10**9)):
        found = sum(p for p, x, y in atoms(g / 2, g, Fraction(1)) if y * w * x <= 0)
        claimed = long_minimiser.zero_one_loss(gamma=g) * Fraction(factor)
        if found != claimed:
            return failed("enumeration", {"gamma": gamma, "w": float(w)}, found, claimed)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(
    long_minimiser.minimiser_norm,
    quick=grid(m=[1, 1000], gamma=[0.0009]),
    full=grid(m=[9], gamma=[0.111]),
    control=Control("norm divided by {}", (1.2, 2), setting={"m": 1000, "gamma": 0.0009}),
    cost=1e-3,
)
def longer_than_the_sample(*, m, gamma, factor=1):
    """1/gamma > m iff gamma < 1/m."""
    _, where = minimisers([(Fraction(gamma) / 2, Fraction(-1)), (1 - Fraction(gamma) / 2, Fraction(gamma))])
    norm = abs(where) / Fraction(factor)
    if abs(float(where) - long_minimiser.minimiser_norm(gamma=gamma, m=m)) > 1e-9 * float(where):
        return failed("enumeration", {"m": m, "gamma": gamma}, where, long_minimiser.minimiser_norm(gamma=gamma, m=m))
    if norm <= m:
        return failed("enumeration", {"m": m, "gamma": gamma}, norm, m)
    return holds("derivation", "everywhere", tightness=(m / float(norm),) * 2)


@exact_claim(
    long_minimiser.empirical_chance,
    quick=grid(m=[1, 20], gamma=[0.04]),
    full=grid(m=[3], gamma=[0.33, 1e-6]) + grid(m=[200], gamma=[0.00499]),
    control=Control("gamma multiplied by {}", (1.5, 3), setting={"m": 20, "gamma": 0.04}),
    note="printed without a probability; with one or more points at +-r the empirical minimiser is -1, short and wrong",
    cost=0.02,
)
def empirical_minimisers(*, m, gamma, factor=1):
    """The loss depends on the sample through the number of points at +-r only: all m + 1 numbers, exact minimisers."""
    g = Fraction(gamma)
    long = Fraction(0)
    for wrong in range(m + 1):
        weights = [(Fraction(n, m), z) for n, z in ((wrong, Fraction(-1)), (m - wrong, g)) if n]
        _, shortest = minimisers(weights)
        chance = comb(m, wrong) * (g / 2) ** wrong * (1 - g / 2) ** (m - wrong)
        if abs(shortest) > m:
            long += chance
        if wrong > 0 and shortest != -1:
            return inconclusive("FAILED", f"with {wrong} points at +-r the minimiser is {shortest}")
    claimed = long_minimiser.empirical_chance.theorem.formula(m=m, gamma=g * Fraction(factor))
    if long != claimed or long < Fraction(1, 2):
        return failed("enumeration", {"m": m, "gamma": gamma}, long, claimed)
    shares = [0.1, 0.3, 0.5, 0.7, 0.9, 0.99]
    series = {"m gamma": shares, "probability": [(1 - s / m / 2) ** m for s in shares], "at least": [0.5] * 6}
    return holds("derivation", "everywhere", tightness=(0.5 / float(long), 1.0), series=series)


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
