"""Do random signs keep inner products? Lemma A.3 of Bassily, Mohri & Suresh (2022), its proof, and Lemma B.1 of
Wang, Zhu & Wang (2025)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import log

import numpy as np

from bounds.bms22 import sign_projection as sign_projection_bounds
from bounds.exact.balls import exact, upper_end
from bounds.exact.certify import HOLDS, at, certify, over
from experiments.engine.claim import Control, exact_claim, grid, tail_claim
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.instances.points import corners, failed, points, rows_order
from mechanisms.sign_projection import sign_projection

SIZES = [1, 2, 3, 10, 10**6]
TAIL = {"chunk": lambda *, beta, **setting: round(10 / beta), "cap": 8, "cost": 4e-4, "expect": 0.01}


# ---- end to end --------------------------------------------------------------------------------------------


def breaks(rng, size, k, *, m, d, gamma):
    """Draw points and Phi afresh `size` times: did the event of Lemma A.3 fail? Shape (size,), bool."""
    broken = np.empty(size, dtype=bool)
    for trial in range(size):
        T = points(rng, m, d)
        broken[trial] = not sign_projection_bounds.inner_products_preserved(
            T, sign_projection(k, d, rng=rng).apply(T), gamma
        )
    return broken


@tail_claim(
    sign_projection_bounds.sign_projection_rows,
    quick=grid(m=[10], d=[64], gamma=[0.9], beta=[0.1]),
    full=grid(m=[2, 30], d=[64, 512], gamma=[0.5, 0.99], beta=[0.05]),
    control=Control("only 1/{} of the rows", (4, 6, 8)),
    **TAIL,
)
def inner_products_break(rng, size, *, m, d, gamma, beta, factor=1):
    """Lemma A.3 at the explicit number of rows."""
    k = max(1, sign_projection_bounds.sign_projection_rows(m=m, gamma=gamma, beta=beta) // factor)
    return breaks(rng, size, k, m=m, d=d, gamma=gamma)


# ---- the orders --------------------------------------------------------------------------------------------

STUBBORN = ((1, 1), (5, 6, 7), (1, 11, 12, 13), (2, 15, 16, 17, 21))
ONE_POINT = """
from bounds.bms22.sign_projection import least_distortion, sign_projection_order
u, gamma, beta = (1, 11, 12, 13), 0.18, 0.99
g = sign_projection_order(m=1, gamma=gamma, beta=beta)
assert all(least_distortion(u, k) > gamma / 3 for k in (1, 2, 3))   # every matrix fails: probability 1 > beta
assert g < 0.32                                                     # yet k >= 4
""".strip()


@exact_claim(
    sign_projection_bounds.sign_projection_order,
    cost=0.02,
    severity="cosmetic",
    note="False only for m = 1 as beta -> 1, where log(m/beta) -> 0: for m >= 2 the printed order holds with C = 141 "
    "(log(2m^2/beta) <= 3 log(m/beta)). The proofs that use the lemma have m + 1 >= 2 points.",
)
def one_point_needs_more_rows(*, factor=1):
    """One vector u in general position, d = K + 1: no k x d sign matrix with k <= K keeps its norm up to gamma/3.

    ||Phi u||^2 - ||u||^2 = (2/k) sum_{i<j} u_i u_j <column i, column j> vanishes for u in general position only if the
    d columns are orthogonal, so never for k < d. With beta = 1 - gamma^2/4 the printed g stays below 0.3, yet every
    matrix with k <= K rows fails, with probability 1 > beta: k/g >= d/0.3 without bound. Rounding up does not help.
    """
    found = []
    for u in STUBBORN:
        rows = len(u) - 1
        least = min(sign_projection_bounds.least_distortion(u, k) for k in range(1, rows + 1))
        gamma = min(0.9, 0.95 * 3 * float(least))
        beta = 1 - gamma**2 / 4
        g = sign_projection_bounds.sign_projection_order(m=1, gamma=gamma, beta=beta)
        fails = least > Fraction(gamma) / 3  # for certain, whatever Phi
        needed = rows + 1 if fails and beta < 1 else 1
        found.append({"m": 1, "u": list(u), "gamma": gamma, "beta": beta, "g": g, "k_at_least": needed})
    ratios = [point["k_at_least"] / point["g"] for point in found]
    if not all(point["k_at_least"] == len(point["u"]) and point["g"] < 0.3 for point in found):
        return inconclusive("NO_CONSTANT", "the family does not outgrow g")
    return refuted(
        "enumeration",
        {
            "setting": {"m": 1},
            "claimed": "some k <= C log(m/beta)/gamma^2 keeps one vector's norm with probability 1 - beta",
            "found": "k/g is at least " + ", ".join(f"{r:.1f}" for r in ratios) + ", and at least d/0.3 for every d",
            "python": ONE_POINT,
            "family": "m = 1, u in general position in R^d, beta = 1 - gamma^2/4, gamma -> 0: k >= d while g < 0.3",
            "points": found,
            "ratios": ratios,
        },
        series={"d": [2.0, 3.0, 4.0, 5.0], "k at least": [2.0, 3.0, 4.0, 5.0], "g": [p["g"] for p in found]},
    )


@exact_claim(
    sign_projection_bounds.sign_projection_order_corrected,
    control=Control("the constant 94.1 divided by {}", (1.1, 2)),
    given=("bms22.lemA.3/explicit/union", "bms22.lemA.3.s2/explicit", "bms22.lemA.3.s4/printed"),
    cost=0.02,
)
def corrected_order(*, factor=1):
    """explicit <= 94.1 log(2m/beta)/gamma^2."""
    return rows_order(
        sign_projection_bounds.sign_projection_rows,
        sign_projection_bounds.sign_projection_order_corrected,
        94.1,
        samples=corners([*SIZES, 10**100], "m", "gamma"),
        logs=2,
        least_log=2,
        factor=factor,
    )


@exact_claim(
    sign_projection_bounds.sign_projection_union,
    quick=grid(beta=[1e-12, 0.1, 0.999]),
    control=Control("only 1/{} of the rows", (1.01, 1.1, 2)),
    given=("bms22.lemA.3.s2/explicit",),
    cost=0.01,
)
def union_bound(*, beta, factor=1):
    """2 m^2 exp(-(k/2)(t^2/2 - t^3/3)) <= beta in balls, at the k that the float formula returns."""
    worst = 0.0
    for m, gamma in product([1, 2, 10, 10**6], [1e-3, 0.1, 0.5, 1 - 1e-6]):
        k = int(sign_projection_bounds.sign_projection_rows(m=m, gamma=gamma, beta=beta) / factor)
        t = exact(gamma) / 3
        total = 2 * exact(m) ** 2 * (-exact(k) / 2 * (t**2 / 2 - t**3 / 3)).exp() / exact(beta)
        worst = max(worst, upper_end(total))
        if total > 1:
            point = {"m": m, "gamma": gamma, "beta": beta}
            return failed("certificate", point, float(total) * beta, beta)
    if worst > 1:
        return inconclusive("BUDGET", "a ball straddles beta")
    return holds("derivation", "everywhere", tightness=(worst, worst), note="k solves the inequality by its definition")


# ---- the proof of Lemma A.3 --------------------------------------------------------------------------------


def count_pairs(m):
    """The non-zero vectors u +- v, u and v in the standard basis of R^m, counted: exact."""
    basis = [tuple(int(i == j) for j in range(m)) for i in range(m)]
    both = product(basis, basis, (1, -1))
    return len({tuple(a + s * b for a, b in zip(u, v, strict=True)) for u, v, s in both} - {(0,) * m})


FIVE_VECTORS = """
from bounds.bms22.sign_projection import pair_vectors
T = [(1, 0), (0, 1)]
pairs = {(u[0] + s * v[0], u[1] + s * v[1]) for u in T for v in T for s in (1, -1)} - {(0, 0)}
assert len(pairs) == 5 > pair_vectors(m=2)
""".strip()


def _count(formula, m, factor=1):
    found, claimed = count_pairs(m), formula(m=m) / factor
    series = {"m": [1, 2, 3, 4, 5], "bound": [formula(m=i) for i in range(1, 6)]}
    series["counted"] = [count_pairs(i) for i in range(1, 6)]
    if found > claimed:
        witness = {"setting": {"m": m}, "claimed": claimed, "found": found, "python": FIVE_VECTORS}
        witness |= {"object": "the standard basis of R^m", "property": "non-zero sums and differences", "value": found}
        return refuted("enumeration", witness, series=series)
    text = "generic unit vectors have no other coincidences than u + v = v + u; 2m vectors are doubles and zeros"
    return holds("enumeration", "everywhere", tightness=(found / claimed,) * 2, note=text, series=series)


@exact_claim(
    sign_projection_bounds.pair_vectors,
    quick=({"m": 2}, {"m": 1}),
    full=({"m": 6},),
    severity="cosmetic",
    note="Up to sign there are m^2, and a projection distorts z and -z alike, so the union bound is unharmed.",
    cost=1e-3,
)
def pairs_printed(*, m, factor=1):
    """Two orthogonal vectors have five: 2u, 2v, u + v, u - v, v - u."""
    return _count(sign_projection_bounds.pair_vectors, m, factor)


@exact_claim(
    sign_projection_bounds.pair_vectors_counted,
    quick=({"m": 2}, {"m": 1}),
    full=({"m": 6},),
    control=Control("the count divided by {}", (1.01, 2)),
    cost=1e-3,
)
def pairs_counted(*, m, factor=1):
    """m (3m - 1)/2, attained by an orthonormal basis."""
    return _count(sign_projection_bounds.pair_vectors_counted, m, factor)


def spread_tail(n, k, t):
    """P(| ||Phi u||^2 - 1 | > t) for u = (1, ..., 1)/sqrt(n), n even: exact convolution of positive terms."""
    ones = np.arange(n + 1)
    chance = np.exp([log_choose(n, int(j)) - n * log(2) for j in ones])
    law = np.zeros((n // 2) ** 2 + 1)
    np.add.at(law, (ones - n // 2) ** 2, chance)  # <s, u>^2 = 4 i^2 / n
    total = np.ones(1)
    for _ in range(k):
        total = np.convolve(total, law)
    squares = Fraction(4, n * k)
    outside = [abs(squares * i - 1) > Fraction(t) for i in range(len(total))]
    return float(total[outside].sum())


def log_choose(n, j):
    """log of n choose j."""
    return log(_choose(n, j))


def _choose(n, j):
    return 1 if j in (0, n) else _choose(n - 1, j - 1) * n // j


@exact_claim(
    sign_projection_bounds.sign_projection_tail,
    quick=({"n": 8, "k": 200, "t": 0.3}, {"n": 2, "k": 25, "t": 1.0}),
    full=grid(n=[2, 4, 16], k=[1, 10, 100], t=[0.05, 0.3, 1.0]),
    control=Control("the exponent multiplied by {}", (1.5, 2, 3)),
    cost=0.1,
)
def one_vector(*, n, k, t, factor=1):
    """The Chernoff exponents by certificate, on (0, 1]; the exact law of a spread vector never above them."""
    bound = 2 * (sign_projection_bounds.sign_projection_tail(k=k, t=t) / 2) ** factor
    chance = spread_tail(n, k, t)
    if chance > bound * (1 + 1e-9):
        return failed("enumeration", {"n": n, "k": k, "t": t}, chance, bound)
    below = certify(
        over(sign_projection_bounds.lower_tail_gap), at(sign_projection_bounds.lower_tail_gap), {"t": (0.0, 1.0)}, 0.0
    )
    if below.outcome != HOLDS:
        return inconclusive("BUDGET", "the lower tail's certificate did not close")
    axis = [0.05 * i for i in range(1, 21)]
    series = {"t": axis, "bound": [], "exact": []}
    series["bound"] = [min(1.0, sign_projection_bounds.sign_projection_tail(k=25, t=x)) for x in axis]
    series["exact"] = [spread_tail(4, 25, x) for x in axis]
    return holds(
        "certificate",
        "everywhere",
        tightness=(chance / bound,) * 2,
        note="mgf above by a Gaussian mixture, below by E Q^2 <= 3; the exponents certified on 0 < t <= 1 in "
        f"{below.boxes} boxes; exact laws of (1, ..., 1)/sqrt(n) never above (figure: n = 4, k = 25)",
        series=series,
    )


@exact_claim(
    sign_projection_bounds.doubled_logarithm,
    quick=grid(beta=[1e-9, 0.5, 1 - 1e-9]),
    control=Control("the factor 2 divided by {}", (1.1, 1.5)),
    cost=1e-3,
)
def squares_in_the_logarithm(*, beta, factor=1):
    """log(m^2/beta) <= 2 log(m/beta): the ratio is 1 + s with s = log m / log(m/beta) in [0, 1]."""
    worst = max((sign_projection_bounds.doubled_logarithm(m=m, beta=beta), m) for m in SIZES)
    if worst[0] > 2 / factor * (1 + 1e-12):
        return failed("certificate", {"m": worst[1], "beta": beta}, worst[0], 2 / factor)
    return holds("derivation", "everywhere", tightness=(worst[0] / 2,) * 2, note="C = 2, as m grows; also at m = 1")


UNIT = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
UNIT += [(Fraction(a, c), Fraction(s * b, c)) for a, b, c in ((3, 4, 5), (5, 12, 13), (8, 15, 17)) for s in (1, -1)]


def _inner(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


@exact_claim(
    sign_projection_bounds.polarisation,
    quick=({"k": 1}, {"k": 2}),
    control=Control("the right-hand side divided by {}", (1.01, 2)),
    note="ubar = u/||u|| is undefined for a zero vector of T, for which the lemma is trivial.",
    cost=0.05,
)
def polarisation_step(*, k, factor=1):
    """All k x 2 sign matrices and pairs of rational unit vectors, exactly, at the distortion they attain."""
    tightest = Fraction(0)
    for entries in product((1, -1), repeat=2 * k):
        phi = [entries[2 * r : 2 * r + 2] for r in range(k)]

        def project(a, phi=phi):
            return [_inner(row, a) for row in phi]  # sqrt(k) Phi a

        for u, v in combinations(UNIT, 2):
            plus, minus = [a + b for a, b in zip(u, v, strict=True)], [a - b for a, b in zip(u, v, strict=True)]
            kept = [abs(_inner(project(a), project(a)) / Fraction(k) / _inner(a, a) - 1) for a in (plus, minus)]
            bound = sign_projection_bounds.polarisation(
                gamma=3 * max(kept), plus=_inner(plus, plus), minus=_inner(minus, minus)
            )
            error = abs(_inner(u, v) - _inner(project(u), project(v)) / Fraction(k))
            if error > bound / Fraction(factor):
                point = {"rows": phi, "u": [str(x) for x in u], "v": [str(x) for x in v]}
                return failed("enumeration", point, error, bound / Fraction(factor))
            tightest = max(tightest, error / bound if bound else Fraction(0))
    text = "<u, v> = (||u + v||^2 - ||u - v||^2)/4 for every linear Phi; attained by orthogonal unit vectors"
    return holds("derivation", "everywhere", tightness=(float(tightest),) * 2, note=text)


@exact_claim(
    sign_projection_bounds.parallelogram,
    control=Control("the right-hand side divided by {}", (1.01, 2)),
    note="Printed reason: the triangle inequality; it gives 8, hence 2 gamma/3 only. The parallelogram law gives 4.",
    cost=1e-3,
)
def parallelogram_step(*, factor=1):
    """||u + v||^2 + ||u - v||^2 = 4 for rational unit vectors, exactly."""
    gamma = Fraction(1, 2)
    for u, v in combinations(UNIT, 2):
        plus, minus = [a + b for a, b in zip(u, v, strict=True)], [a - b for a, b in zip(u, v, strict=True)]
        left = sign_projection_bounds.polarisation(gamma=gamma, plus=_inner(plus, plus), minus=_inner(minus, minus))
        right = sign_projection_bounds.parallelogram(gamma=gamma) / Fraction(factor)
        if left > right:
            return failed("enumeration", {"u": [str(x) for x in u], "v": [str(x) for x in v]}, left, right)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="an identity")


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
