"""Lemma A.3 of Bassily, Mohri & Suresh (2022) and its proof: do random signs keep inner products?"""

from fractions import Fraction
from itertools import combinations, product
from math import comb, log

import numpy as np

from lemmata.bounds.bms22 import sign_projection as bounds
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.certify import HOLDS, at, certify, over
from lemmata.bounds.exact.numbers import inner
from lemmata.bounds.theorem import between, require
from lemmata.experiments.checks import (
    Control,
    Step,
    exact_claim,
    grid,
    inconclusive,
    inequality_claim,
    refuted,
    rows_order,
    run_script,
    tail_claim,
    witness,
)
from lemmata.experiments.instances.datasets.points import corners, points
from lemmata.mechanisms.features.sign_projection import sign_projection

SIZES = [1, 2, 3, 10, 10**6]
TAIL = {"chunk": lambda *, beta, **setting: round(10 / beta), "cap": 8, "cost": 6e-4, "expect": 0.01}


# Lemma A.3 ------------------------------------------------------------------------------------------------------------

STUBBORN = ((1, 1), (5, 6, 7), (1, 11, 12, 13), (2, 15, 16, 17, 21))
ONE_POINT = """
from lemmata.bounds.bms22.sign_projection import least_distortion, sign_projection_order
u, gamma, beta = (1, 11, 12, 13), 0.18, 0.99
g = sign_projection_order(m=1, gamma=gamma, beta=beta)
assert all(least_distortion(u, k) > gamma / 3 for k in (1, 2, 3))   # every matrix fails: probability 1 > beta
assert g < 0.32                                                     # yet k >= 4
"""


@exact_claim(
    bounds.sign_projection_order,
    severity="statement",
    corner=require("m ≥ 2", lambda m: m >= 2),
    used={"bms22.thm3.1": grid(m=[2, 3, 10**9])},  # m + 1 points, w* among them
    note=(
        "false only for m = 1 as β → 1, where log(m/β) → 0. For m ≥ 2 the printed order holds with C = "
        "141, since log(2m²/β) ≤ 3 log(m/β). The proofs that use the lemma have m + 1 ≥ 2 points"
    ),
)
def one_point_needs_more_rows(*, factor=1):
    """One vector u in general position, d = K + 1: no k x d sign matrix with k <= K keeps its norm up to gamma/3.

    ||Phi u||^2 - ||u||^2 = (2/k) sum_{i<j} u_i u_j <column i, column j> vanishes for u in general position only if the
    d columns are orthogonal, so never for k < d. With beta = 1 - gamma^2/4 the printed g stays below 0.3, yet every
    matrix with k <= K rows fails, with probability 1 > beta: k/g >= d/0.3 without bound. Rounding up does not help.
    """
    family = []
    for u in STUBBORN:
        least = min(bounds.least_distortion(u, k) for k in range(1, len(u)))
        gamma = min(0.9, 0.95 * 3 * float(least))
        beta = 1 - gamma**2 / 4
        g = bounds.sign_projection_order(m=1, gamma=gamma, beta=beta)
        if not (least > Fraction(gamma) / 3 and beta < 1 and g < 0.3):
            return inconclusive("NO_CONSTANT", "the family does not outgrow g")
        family.append({"m": 1, "u": u, "gamma": gamma, "beta": beta, "g": g, "k_at_least": len(u)})
    ratios = [point["k_at_least"] / point["g"] for point in family]
    broken = witness.growth(
        {"m": 1},
        family="m = 1, u in general position in R^d, beta = 1 - gamma^2/4, gamma -> 0: k >= d while g < 0.3",
        points=family,
        ratios=ratios,
        claimed="that some k <= C g, g = log(m/beta)/gamma^2, keeps one vector's norm with probability 1 - beta",
        found="k is at least "
        + ", ".join(f"{r:.1f}" for r in ratios)
        + " times g, and at least d/0.3 times in dimension d",
        python=ONE_POINT,
    )
    dimensions = [2.0, 3.0, 4.0, 5.0]
    series = {"d": dimensions, "k at least": dimensions, "g": [point["g"] for point in family]}
    return refuted("enumeration", broken, series=series)


@inequality_claim(
    bounds.sign_projection_order_corrected,
    control=Control("the constant 94.1 divided by {}", (1.1, 2)),
    given=[bounds.sign_projection_rows],
)
def corrected_order(*, factor=1):
    """explicit <= 94.1 log(2m/beta)/gamma^2; where the printed order is true, m >= 2, explicit <= 141 printed."""
    rows, g = bounds.sign_projection_rows, bounds.sign_projection_order_corrected
    samples = corners([*SIZES, 10**100], "m", "gamma")
    for s in samples:
        if s["m"] >= 2:
            yield s, rows(**s), 141 * bounds.sign_projection_order(**s)
    return rows_order(rows, g, 94.1, samples=samples, logs=2, least_log=2, factor=factor)


def breaks(rng, size, k, *, m, d, gamma, projection=sign_projection):
    """Draw points and Phi afresh `size` times: did the event of Lemma A.3 fail? Shape (size,), bool."""
    broken = np.empty(size, dtype=bool)
    for trial in range(size):
        T = points(rng, m, d)
        broken[trial] = not bounds.inner_products_preserved(T, projection(k, d, rng=rng).apply(T), gamma)
    return broken


@inequality_claim(
    bounds.sign_projection_rows,
    quick=grid(beta=[1e-12, 0.1, 0.999]),
    control=Control("only 1/{} of the rows", (1.01, 2)),
    given=[bounds.pair_vectors_up_to_sign, bounds.sign_projection_tail, bounds.polarisation, bounds.parallelogram],
    note="k solves the inequality by definition",
)
def rows_are_enough(*, beta, factor=1):
    """The union bound over the m^2 two-sided events in balls, at the k that the float formula returns."""
    for m, gamma in product([1, 2, 10, 10**6], [1e-3, 0.1, 0.5, 1 - 1e-6]):
        k = int(bounds.sign_projection_rows(m=m, gamma=gamma, beta=beta) / factor)
        yield {"m": m, "gamma": gamma, "beta": beta}, bounds.failure_of_rows(m=m, gamma=exact(gamma), k=k), beta


@tail_claim(
    bounds.sign_projection_rows,
    law="sign_projection",
    quick=grid(m=[10], d=[512], gamma=[0.9], beta=[0.1]),
    full=grid(m=[2, 30], d=[64, 2048], gamma=[0.5, 0.99], beta=[0.05]),
    control=Control("only 1/{} of the rows", (3, 4, 6)),
    **TAIL,
)
def inner_products_break(rng, size, *, m, d, gamma, beta, factor=1):
    """Lemma A.3 at the explicit number of rows, for dimensions below and above it."""
    k = max(1, int(bounds.sign_projection_rows(m=m, gamma=gamma, beta=beta) / factor))
    return breaks(rng, size, k, m=m, d=d, gamma=gamma)


# The proof of Lemma A.3 -----------------------------------------------------------------------------------------------


def count_pairs(m, up_to_sign=False):
    """The non-zero vectors u +- v, u and v in the standard basis of R^m, counted: exact."""
    basis = [tuple(int(i == j) for j in range(m)) for i in range(m)]
    both = product(basis, basis, (1, -1))
    pairs = {tuple(a + s * b for a, b in zip(u, v, strict=True)) for u, v, s in both} - {(0,) * m}
    return len({max(z, tuple(-x for x in z)) for z in pairs} if up_to_sign else pairs)


def counts(m):
    """The figure of a count: the printed number, and what an orthonormal basis has."""
    sizes = [1, 2, 3, 4, 5]
    printed, counted = ([float(count(m=i)) for i in sizes] for count in (bounds.pair_vectors, count_pairs))
    return {"m": sizes, "bound": printed, "counted": counted}


PAIRS = {"quick": ({"m": 2}, {"m": 1}), "full": ({"m": 6},), "evidence": "enumeration", "figure": counts}


@inequality_claim(
    bounds.pair_vectors,
    severity="constant",
    corner=require("vectors counted up to sign", lambda up_to_sign: up_to_sign),
    used={"bms22.lemA.3": [{"up_to_sign": True}]},  # a projection distorts z and -z alike
    python="""
from lemmata.bounds.bms22.sign_projection import pair_vectors
T = [(1, 0), (0, 1)]
pairs = {(u[0] + s * v[0], u[1] + s * v[1]) for u in T for v in T for s in (1, -1)} - {(0, 0)}
assert len(pairs) == 5 > pair_vectors(m=2)
""",
    note="up to sign there are m² vectors. A projection distorts z and −z alike, so the union bound is not affected",
    **PAIRS,
)
def pairs_printed(*, m):
    """Two orthogonal vectors have five: 2u, 2v, u + v, u - v, v - u."""
    yield {"m": m}, count_pairs(m), bounds.pair_vectors(m=m)


@inequality_claim(
    bounds.pair_vectors_up_to_sign,
    reach={"m": 25},
    note="among generic unit vectors only u + v and v + u coincide. The 2m vectors with u = v are doubles or zeros",
    **PAIRS,
)
def pairs_counted_up_to_sign(*, m):
    """m^2, attained by an orthonormal basis."""
    yield {"m": m}, count_pairs(m, up_to_sign=True), bounds.pair_vectors_up_to_sign(m=m)


def spread_tail(n, k, t):
    """P(| ||Phi u||^2 - 1 | > t) for u = (1, ..., 1)/sqrt(n), n even: exact convolution of positive terms."""
    ones = np.arange(n + 1)
    chance = np.exp([log(comb(n, j)) - n * log(2) for j in range(n + 1)])
    law = np.zeros((n // 2) ** 2 + 1)
    np.add.at(law, (ones - n // 2) ** 2, chance)  # <s, u>^2 = 4 i^2 / n
    total = np.ones(1)
    for _ in range(k):
        total = np.convolve(total, law)
    squares = Fraction(4, n * k)
    outside = [abs(squares * i - 1) > Fraction(t) for i in range(len(total))]
    return float(total[outside].sum())


@inequality_claim(
    bounds.sign_projection_tail,
    quick=({"n": 8, "k": 200, "t": 0.3}, {"n": 2, "k": 25, "t": 1.0}),
    full=grid(n=[2, 4, 16], k=[1, 10, 100], t=[0.05, 0.3, 1.0]),
    control=Control("the exponent multiplied by {}", (1.01, 2)),
    rounding=1e-9,
)
def one_vector(*, n, k, t, factor=1):
    """The Chernoff exponents by certificate, on (0, 1]; the exact law of a spread vector never above them."""
    grid_of_levels = product((1, 10**3, 10**6, 10**10), map(exact, (1e-5, 0.01, 0.5, 1)))
    cases = [(k, t, spread_tail(n, k, t)), *((rows, x, bounds.chernoff(rows, x)) for rows, x in grid_of_levels)]
    for rows, level, truth in cases:
        yield {"k": rows, "t": level}, truth, 2 * (bounds.sign_projection_tail(k=rows, t=level) / 2) ** exact(factor)
    below = certify(over(bounds.lower_tail_gap), at(bounds.lower_tail_gap), {"t": (0.0, 1.0)}, 0.0)
    if below.outcome != HOLDS:
        return inconclusive("BUDGET", "the lower tail's certificate did not close")
    axis = [0.05 * i for i in range(1, 21)]
    bound = [min(1.0, bounds.sign_projection_tail(k=25, t=x)) for x in axis]
    return {
        "note": "mgf above by a Gaussian mixture, below by E Q² ≤ 3; the exponents certified on 0 < t ≤ 1 in "
        f"{below.boxes} boxes; exact laws of (1, ..., 1)/√n never above (figure: n = 4, k = 25)",
        "series": {"t": axis, "bound": bound, "exact": [spread_tail(4, 25, x) for x in axis]},
    }


@inequality_claim(
    bounds.doubled_logarithm,
    quick=grid(beta=[1e-9, 0.5, 1 - 1e-9]),
    control=Control("the factor 2 divided by {}", (1.01, 1.5), setting={"beta": 1 - 1e-9}),
    steps=[Step("log β < 0")],
    note="C = 2 is attained as m grows. The claim also holds at m = 1",
)
def squares_in_the_logarithm(*, beta):
    """log(m^2/beta) <= 2 log(m/beta): the ratio is 1 + s with s = log m / log(m/beta) in [0, 1]."""
    for m in SIZES:
        yield {"m": m, "beta": beta}, bounds.doubled_logarithm(m=m, beta=beta), 2


UNIT = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
UNIT += [(Fraction(a, c), Fraction(s * b, c)) for a, b, c in ((3, 4, 5), (5, 12, 13), (8, 15, 17)) for s in (1, -1)]


def unit_pairs():
    """Rational unit vectors u and v, u + v and u - v."""
    for u, v in combinations(UNIT, 2):
        yield u, v, [a + b for a, b in zip(u, v, strict=True)], [a - b for a, b in zip(u, v, strict=True)]


def sign_matrices():
    """All k x 2 sign matrices and pairs of rational unit vectors, exactly, at the distortion they attain."""
    for phi in (*product(product((1, -1), repeat=2), repeat=1), *product(product((1, -1), repeat=2), repeat=2)):

        def projected(a, b, phi=phi):
            return sum((inner(row, a) * inner(row, b) for row in phi), Fraction(0)) / len(phi)  # <Phi a, Phi b>

        for u, v, plus, minus in unit_pairs():
            moved = [projected(a, a) / inner(a, a) - 1 for a in (plus, minus)]
            kept = max(map(abs, moved))
            sizes = {"gamma": 3 * kept, "plus": inner(plus, plus), "minus": inner(minus, minus)}
            a, b = (x / kept if kept else 0 for x in moved)
            yield sizes | {"a": a, "b": b}, abs(inner(u, v) - projected(u, v))


@inequality_claim(
    bounds.polarisation,
    measured=sign_matrices,
    over=[between("a", -1, 1), between("b", -1, 1)],
    steps=[Step("the triangle inequality")],
    note=(
        "u/‖u‖ is undefined for a zero vector of T, for which the lemma is trivial. ⟨u, v⟩ = (‖u + v‖² − "
        "‖u − v‖²)/4 for every linear Φ. The bound is attained by orthogonal unit vectors"
    ),
)
def polarisation_step():
    """Phi multiplies the squares of u + v and u - v by 1 + a gamma/3 and 1 + b gamma/3."""
    for gamma, plus, minus, a, b in product((0.1, 1.0), (0.0, 2.0), (0.5, 2.0), (-1.0, 1.0), (-1.0, 1.0)):
        setting = {"gamma": gamma, "plus": plus, "minus": minus}
        moved = (1 + a * gamma / 3) * plus - (1 + b * gamma / 3) * minus - (plus - minus)
        yield setting | {"a": a, "b": b}, abs(moved) / 4, bounds.polarisation(**setting)


def squares_of_units():
    """||u + v||^2 + ||u - v||^2 = 4 for rational unit vectors, exactly."""
    gamma = Fraction(1, 2)
    for _, _, plus, minus in unit_pairs():
        squares = {"plus": inner(plus, plus), "minus": inner(minus, minus)}
        yield {"gamma": gamma, "plus": squares["plus"]}, bounds.polarisation(gamma=gamma, **squares)


@inequality_claim(
    bounds.parallelogram,
    measured=squares_of_units,
    over=[between("plus", 0, 4)],
    steps=[Step("the parallelogram law, ‖u + v‖² + ‖u − v‖² = 4")],
    note=(
        "an identity. The printed reason, the triangle inequality, gives 8 and so only 2γ/3. The "
        "parallelogram law gives 4"
    ),
)
def parallelogram_step():
    """||u + v||^2 of unit vectors from 0 to 4."""
    for gamma, plus in product((0.5, 1.0), (0.0, 2.0, 4.0)):
        chained = bounds.polarisation(gamma=gamma, plus=plus, minus=4 - plus)
        yield {"gamma": gamma, "plus": plus}, chained, bounds.parallelogram(gamma=gamma)


if __name__ == "__main__":
    run_script(__file__)
