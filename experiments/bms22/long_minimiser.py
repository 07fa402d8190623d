"""Appendix H of Bassily, Mohri & Suresh (2022): a hinge loss on the line whose minimiser is long. Exact fractions."""

from fractions import Fraction
from itertools import product
from math import comb

from lemmata.bounds.bms22 import long_minimiser as bounds
from lemmata.bounds.theorem import between, positive, require
from lemmata.experiments.checks import (
    Control,
    Step,
    grid,
    identity_claim,
    inconclusive,
    inequality_claim,
    refuted,
    run_script,
    up_to_one,
    witness,
)


def atoms(alpha, gamma, radius):
    """[(probability, x, y)] of the example."""
    points = [(alpha / 2, radius, -1), (alpha / 2, -radius, 1)]
    return [*points, ((1 - alpha) / 2, gamma, 1), ((1 - alpha) / 2, -gamma, -1)]


SHARES = (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(1))  # alpha
MARGINS, RADII = (Fraction(1, 1000), Fraction(1, 3), Fraction(99, 100)), (Fraction(1), Fraction(5, 2))
BREAKS = (*(-1 / r for r in RADII), Fraction(0), *(1 / g for g in MARGINS))  # of the hinge losses
WEIGHTS = [e + s for e in BREAKS for s in (-1, Fraction(-1, 50), 0, Fraction(1, 50), 1)] + [
    Fraction(-(10**5)),
    Fraction(10**5),
]


def loss_against(statement, factor, **point):
    """A case: the expected hinge loss against a formula."""
    w, atom = point["w"], atoms(point["alpha"], point["gamma"], point["radius"])
    expected = sum(p * max(0, 1 - y * w * x) for p, x, y in atom)
    return point, expected, statement.theorem.formula(**(point | {"gamma": point["gamma"] * factor}))


@identity_claim(bounds.hinge_loss, control=Control("gamma multiplied by {}", (1.001, 2)), steps=[Step("algebra")])
def two_terms(*, factor=1):
    """The four atoms come in two pairs with equal losses."""
    for w, alpha, gamma, radius in product(WEIGHTS, SHARES, MARGINS, RADII):
        yield loss_against(bounds.hinge_loss, factor, w=w, alpha=alpha, gamma=gamma, radius=radius)


@identity_claim(
    bounds.hinge_pieces,
    control=Control("gamma multiplied by {}", (1.001, 2)),
    note="the two middle cases of the paper have the same formula",
)
def four_pieces(*, factor=1):
    """Every piece and both breakpoints."""
    for w, alpha, gamma, radius in product(WEIGHTS, SHARES, MARGINS, RADII):
        yield loss_against(bounds.hinge_pieces, factor, w=w, alpha=alpha, gamma=gamma, radius=radius)


@identity_claim(
    bounds.middle_slope,
    caught=(1.01,),
    steps=[Step("α = γ/2, γ < 1")],
    note="negative for every γ < 1, not only for γ ≪ 1",
)
def middle_piece_falls():
    """alpha r - (1 - alpha) gamma at r = 1, alpha = gamma/2; and its sign."""
    for gamma in (1e-6, 0.5, 0.999):
        slope = bounds.middle_slope(gamma=gamma)
        yield {"gamma": gamma}, gamma / 2 - (1 - gamma / 2) * gamma, slope
        yield {"gamma": gamma, "of": "the sign"}, -abs(slope), slope


def minimisers(weights):
    """(least value, shortest minimiser) of sum p max(0, 1 - z w) over [(p, z)], p > 0: a breakpoint, or 0."""
    points = [Fraction(0), *(1 / z for _, z in weights)]
    value = {w: sum(p * max(Fraction(0), 1 - z * w) for p, z in weights) for w in points}
    least = min(value.values())
    return least, min((w for w in points if value[w] == least), key=abs)


def breakpoints():
    """A convex piecewise linear function is least at a breakpoint; all three, and the values of the other cases."""
    for g in (Fraction(1, 2), Fraction(1, 100), Fraction(999, 1000), Fraction(1, 10**6)):
        found, alpha = minimisers([(g / 2, Fraction(-1)), (1 - g / 2, g)]), g / 2
        others = [bounds.hinge_loss(w=w, alpha=alpha, gamma=g, radius=Fraction(1)) for w in (0, -1)]
        for value, claimed in zip(
            (*found[::-1], *others), (*bounds.hinge_minimum(gamma=g), 1, (1 - alpha) * (1 + g)), strict=True
        ):
            yield {"gamma": g}, abs(value - claimed), 0


@inequality_claim(
    bounds.hinge_minimum,
    measured=breakpoints,
    over=[require("w real", lambda w: True)],
    steps=[Step("a slope of at least γ (1 - γ)/2 on both sides")],
    note="the separately circulating appendix has α (1 + γ/γ), which would be γ",
)
def minimum_of_the_hinge():
    """The loss grows with the distance from the claimed minimiser, where it is the claimed minimum."""
    for gamma, w in product((1e-6, 0.01, 0.5, 0.999), (-3.0, -1.0, 0.0, 2.0, 300.0)):
        where, least = bounds.hinge_minimum(gamma=gamma)
        loss, there = (bounds.hinge_loss(w=x, alpha=gamma / 2, gamma=gamma, radius=1) for x in (w, where))
        yield {"gamma": gamma, "w": w}, least + gamma * (1 - gamma) / 2 * abs(w - where), loss
        yield {"gamma": gamma, "w": w, "of": "attained"}, there, least


@identity_claim(
    bounds.zero_one_loss, over=[positive("w")], caught=(1.01, 1.5, 2), steps=[Step("the points at ±r are the errors")]
)
def equal_zero_one_losses():
    """P(y w x <= 0) for w > 0."""
    for gamma, w in product((1e-6, 0.01, 0.5, 0.999), (1e-9, 1.0, 1e9)):
        errors = sum(p for p, x, y in atoms(gamma / 2, gamma, 1) if y * w * x <= 0)
        yield {"gamma": gamma, "w": w}, errors, bounds.zero_one_loss(gamma=gamma)


def norms_of_minimisers():
    for m, g in ((1, Fraction(9, 10**4)), (1000, Fraction(9, 10**4)), (9, Fraction(111, 1000))):
        _, where = minimisers([(g / 2, Fraction(-1)), (1 - g / 2, g)])
        yield {"m": m, "gamma": g}, abs(abs(where) - bounds.minimiser_norm(m=m, gamma=g)), 0


@inequality_claim(
    bounds.minimiser_norm, given=[bounds.hinge_minimum], measured=norms_of_minimisers, steps=[Step("γ < 1/m")]
)
def longer_than_the_sample():
    """1/gamma exceeds m, by m (1 - m gamma) at least, and is the norm of the minimiser."""
    for m, gamma in product((1, 9), (0.0009, 0.111)):
        norm = bounds.minimiser_norm(m=m, gamma=gamma)
        yield {"m": m, "gamma": gamma}, m + m * (1 - m * gamma), norm
        yield {"m": m, "gamma": gamma, "of": "the minimiser"}, abs(bounds.hinge_minimum(gamma=gamma)[0]), norm


def shortest_minimiser(m, wrong, gamma):
    """The shortest minimiser of the empirical hinge loss of m points, `wrong` of them at +-r = +-1."""
    weights = [(Fraction(n, m), z) for n, z in ((wrong, Fraction(-1)), (m - wrong, Fraction(gamma))) if n]
    return abs(minimisers(weights)[1])


@inequality_claim(
    bounds.empirical_norm,
    severity="statement",
    corner=require("samples without a point at ±r", lambda wrong: wrong == 0),
    python="""
from fractions import Fraction
from lemmata.bounds.bms22.long_minimiser import empirical_norm
m, gamma = 4, Fraction(1, 8)  # y x = -1 for one point at -r, gamma for three
loss = lambda w: (max(0, 1 + w) + 3 * max(0, 1 - w * gamma)) / m
assert all(loss(-1) < loss(Fraction(i, 8)) for i in range(-100, 200) if i != -8)  # the minimiser is -1
assert 1 < empirical_norm(m=m, gamma=gamma, wrong=1)
""",
    note=(
        "if one record of the sample is at ±r, the minimiser is −1, which is short and wrong on all other "
        "records. That happens with probability 1/2 at most (explicit)"
    ),
)
def one_point_at_r():
    """m = 4, gamma = 1/8, one point at +-r."""
    point = {"m": 4, "gamma": Fraction(1, 8), "wrong": 1}
    yield point, bounds.empirical_norm(**point), shortest_minimiser(**point)


def samples_without_outliers():
    """All points at +-gamma, gamma up to 1/m."""
    for m, share in product((1, 2, 4, 100), (Fraction(1, 10), Fraction(99, 100))):
        point = {"m": m, "gamma": share / m, "wrong": 0}
        yield point, bounds.empirical_norm_without_outliers(**point), shortest_minimiser(**point)


@inequality_claim(
    bounds.empirical_norm_without_outliers,
    measured=samples_without_outliers,
    tightness=up_to_one,
    over=[between("share", -1, 1)],
    steps=[Step("a loss below 1/γ > m, and none there")],
)
def no_point_at_r():
    """All points at gamma: every w up to m loses at least 1 - m gamma > 0, and 1/gamma loses nothing."""
    for m, gamma, wrong, share in product((1, 9), (0.0009, 0.111), (0,), (-1.0, 1.0)):
        point = {"m": m, "gamma": gamma, "wrong": wrong}
        norm = bounds.empirical_norm_without_outliers(**point)
        yield point | {"share": share}, 1 - gamma * m, max(0, 1 - share * norm * gamma)
        yield point | {"share": share, "of": "no loss"}, max(0, 1 - 1 / gamma * gamma), 0


@identity_claim(
    bounds.empirical_chance,
    quick=grid(m=[1, 20], gamma=[0.04]),
    full=grid(m=[3], gamma=[0.33, 1e-6]) + grid(m=[200], gamma=[0.00499]),
    reach={"m": 60},
    control=Control("gamma multiplied by {}", (1.001, 1.5, 3), setting={"m": 20, "gamma": 0.04}),
    note=(
        "the paper says 'a similar result' and gives no probability. With one or more points at ±r the "
        "empirical minimiser is -1, which is short and wrong"
    ),
)
def empirical_minimisers(*, m, gamma, factor=1):
    """The loss depends on the sample through the number of points at +-r only: all m + 1 numbers, exact minimisers."""
    g, long = Fraction(gamma), Fraction(0)
    for wrong in range(m + 1):
        shortest = shortest_minimiser(m, wrong, g)
        if shortest > m:
            long += comb(m, wrong) * (g / 2) ** wrong * (1 - g / 2) ** (m - wrong)
        if wrong > 0 and shortest != 1:
            return inconclusive("FAILED", f"with {wrong} points at ±r the minimiser is {shortest}")
    yield {"m": m, "gamma": gamma}, long, bounds.empirical_chance.theorem.formula(m=m, gamma=g * Fraction(factor))
    if long < Fraction(1, 2):
        return refuted("enumeration", witness.inequality({"m": m, "gamma": gamma}, 0.5, long))
    shares = [0.1, 0.3, 0.5, 0.7, 0.9, 0.99]
    series = {"m gamma": shares, "probability": [(1 - s / m / 2) ** m for s in shares], "at least": [0.5] * 6}
    return {"tightness": (0.5 / float(long), 1.0), "series": series}


if __name__ == "__main__":
    run_script(__file__)
