"""Do random signs keep margins? Lemmas 5.1, B.2 and 6.2 of Wang, Zhu & Wang (2025)."""

from __future__ import annotations

import functools
from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
from flint import arb

from bounds.exact.balls import exact
from bounds.wzw25 import projected_margins as bound
from experiments.bms22.sign_projection import SIZES, TAIL, breaks
from experiments.data import load
from experiments.engine.claim import Control, exact_claim, grid, tail_claim
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.instances.points import above, corners, failed, rows_order, sharp_records
from experiments.wzw25.removal_margin import removal_margin_curve
from mechanisms.sign_projection import sign_projection
from mechanisms.solvers.margin import geometric_margin, signed_records


@tail_claim(
    bound.angles_rows,
    quick=grid(n=[10], d=[64], e=[1.0], beta=[0.1]),
    full=grid(n=[1, 30], d=[2, 512], e=[0.5, 1.0], beta=[0.05]),
    control=Control("only 1/{} of the rows", (4, 6, 8)),
    **TAIL,
)
def angles_break(rng, size, *, n, d, e, beta, factor=1):
    """Lemma B.1 of wzw25 at the explicit number of rows."""
    k = max(1, bound.angles_rows(n=n, e=e, beta=beta) // factor)
    return breaks(rng, size, k, m=n, d=d, gamma=e)


@exact_claim(
    bound.angles_order,
    control=Control("the constant 94.1 divided by {}", (1.1, 2, 4)),
    given=("bms22.lemA.3/explicit/union", "bms22.lemA.3.s2/explicit", "bms22.lemA.3.s4/printed"),
    note="Unlike bms22's Lemma A.3, which it cites, this one survives n = 1, beta -> 1: log(n(n+1)/beta) >= log 2. "
    "e = 1 is allowed and holds.",
    cost=0.02,
)
def angles_printed(*, factor=1):
    """explicit <= 94.1 log(n(n+1)/beta)/e^2."""
    return rows_order(
        bound.angles_rows,
        bound.angles_order,
        94.1,
        samples=corners(SIZES, "n", "e", values=(1e-3, 0.3, 1.0)),
        logs=2,
        least_log=2,
        factor=factor,
    )


DERIVATION = ("bms22.lemA.3.s2/explicit", "bms22.lemA.3.s4/printed", "wzw25.lemB.2.s1/corrected")
MARGIN_SIZES = [1, 2, 10, 10**6]


# ---- end to end --------------------------------------------------------------------------------------------


def margin_below(rng, size, k, threshold, *, n, d, gamma, b):
    """Draw records and Phi afresh `size` times: is gamma(Phi S) below `threshold`? Shape (size,), bool.

    Phi e_1 usually shows that it is not; only where it does not is the margin computed, and then a lower bound is used.
    """
    below = np.zeros(size, dtype=bool)
    for trial in range(size):
        Z = sharp_records(rng, n, d, gamma, b)
        both = sign_projection(k, d, rng=rng).apply(np.vstack([np.eye(1, d), Z]))
        shown = (both[1:] @ both[0]).min() / np.linalg.norm(both[0])
        below[trial] = shown < threshold and geometric_margin(both[1:], np.ones(n)).value < threshold
    return below


TAIL = {"chunk": lambda *, beta, **setting: round(10 / beta), "cap": 8, "cost": 4e-4, "expect": 0.01}


@tail_claim(
    bound.third_margin_rows,
    quick=grid(n=[20], d=[30], gamma=[0.5], b=[1.0], beta=[0.1]),
    full=(
        *grid(n=[2, 100], d=[400], gamma=[0.5], b=[1.0], beta=[0.05]),
        {"n": 20, "d": 30, "gamma": 45.0, "b": 50.0, "beta": 0.1},
        {"n": 20, "d": 30, "gamma": 0.009, "b": 0.01, "beta": 0.1},
    ),
    control=Control("only 1/{} of the rows", (50, 100, 200)),
    **TAIL,
)
def third_lost(rng, size, *, n, d, gamma, b, beta, factor=1):
    """Lemma 6.2 at the explicit number of rows."""
    k = max(1, bound.third_margin_rows(n=n, gamma=gamma, beta=beta, b=b) // factor)
    return margin_below(rng, size, k, gamma / 3, n=n, d=d, gamma=gamma, b=b)


@tail_claim(
    bound.half_margin_rows,
    quick=grid(n=[20], d=[30], gamma=[0.5], b=[1.0], beta=[0.1]),
    full=grid(n=[2, 100], d=[400], gamma=[0.5], b=[1.0], beta=[0.05]),
    control=Control("only 1/{} of the rows", (50, 100, 200)),
    **TAIL,
)
def half_lost(rng, size, *, n, d, gamma, b, beta, factor=1):
    """Lemma 5.1 at the explicit number of rows; equality counts as lost."""
    k = max(1, bound.half_margin_rows(n=n, gamma=gamma, beta=beta, b=b) // factor)
    return margin_below(rng, size, k, np.nextafter(gamma / 2, np.inf), n=n, d=d, gamma=gamma, b=b)


@tail_claim(
    bound.margin_rows,
    quick=grid(n=[20], d=[30], gamma=[0.9], b=[1.0], e=[0.9], beta=[0.1]),
    full=grid(n=[2, 100], d=[400], gamma=[0.3], b=[1.0], e=[0.5], beta=[0.05]),
    control=Control("only 1/{} of the rows", (20, 60, 120)),
    **TAIL,
)
def margin_lost(rng, size, *, n, d, gamma, b, e, beta, factor=1):
    """Lemma B.2 at the explicit number of rows, with the sharper margin that its proof shows."""
    k = max(1, bound.margin_rows(n=n, e=e, beta=beta) // factor)
    kept = bound.margin_of_the_proof(gamma=gamma, e=e, b=b)
    return margin_below(rng, size, k, kept, n=n, d=d, gamma=gamma, b=b)


# ---- Lemma 5.1 ---------------------------------------------------------------------------------------------

LONG_RECORDS = """
import itertools, numpy as np
from bounds.wzw25.projected_margins import informal_order
from mechanisms.solvers.margin import geometric_margin
N = 4  # records e_0 +- 4 e_j, j = 1..N, all labelled +1: gamma(S) = 1, but some are long
X = np.array([[1.0] + [sign * 4.0 * (i == j) for i in range(N)] for j in range(N) for sign in (1, -1)])
assert geometric_margin(X, np.ones(2 * N)).value > 1 - 1e-9 and informal_order(gamma=1.0) == 1
def projected(columns):  # two rows of signs; flipping a row changes no margin, so Phi e_0 = (1, 1)/sqrt(2)
    phi = np.column_stack([[1, 1], np.reshape(columns, (2, N))]) / np.sqrt(2)
    return geometric_margin(X @ phi.T, np.ones(2 * N)).upper
lost = [projected(columns) <= 1 / 2 for columns in itertools.product((1.0, -1.0), repeat=2 * N)]
assert np.mean(lost) == 15 / 16  # all but those with every Phi e_j parallel to (1, -1)
""".strip()


@exact_claim(
    bound.informal_order,
    severity="cosmetic",
    note="The lemma takes S in R^d without a radius, and 1/gamma^2 is not scale-free. Section 3 assumes the unit ball, "
    "and the formal Lemma B.2 prints the radius b: with (b/gamma)^2 it is true. Lemma B.2's own bound gamma/2 - e b/6 "
    "never exceeds gamma/2; its proof gives 0.577 gamma.",
    cost=0.05,
)
def informal(*, factor=1):
    """n = 2N long records with gamma(S) = 1 need k >= N - 1 = n/2 - 1 rows, where O~(1/gamma^2) has polylog n."""
    points, ratios = [], []
    for N in (10, 100, 1000):
        fails = bound.spanning_chance(N, N - 2)  # for k = N - 2; fewer rows fail more often
        g = bound.informal_order(gamma=1.0) * log(2 * N) ** 2
        points.append({"n": 2 * N, "gamma": 1.0, "k_at_least": N - 1, "fails_below_with": float(fails), "g log^2 n": g})
        ratios.append((N - 1) / g)
        if fails < Fraction(3, 4):
            return inconclusive("NO_CONSTANT", "the records do not fail often enough")
    if not ratios[0] * 4 < ratios[1] * 2 < ratios[2]:
        return inconclusive("NO_CONSTANT", "the family does not outgrow the order")
    return refuted(
        "derivation",
        {
            "setting": {"gamma": 1.0},
            "claimed": "k = O~(1/gamma(S)^2) rows keep half the margin, whatever the length of the records",
            "found": "with gamma(S) = 1 the margin is 0 with probability >= 3/4 for every k <= n/2 - 2",
            "python": LONG_RECORDS,
            "family": "e_0 +- s e_j, j = 1..n/2, labels +1, s large: gamma(S) = 1, and n/2 sign columns span R^k",
            "points": points,
            "ratios": ratios,
        },
        series={
            "n": [20.0, 200.0, 2000.0],
            "k at least": [9.0, 99.0, 999.0],
            "log^2 n": [p["g log^2 n"] for p in points],
        },
    )


@exact_claim(
    bound.half_margin_order,
    control=Control("the constant 94.1 divided by {}", (1.5, 2, 4)),
    given=(*DERIVATION, "wzw25.lemB.2.s2/printed", "wzw25.lemB.2.s3/corrected"),
    cost=0.02,
)
def half_order(*, factor=1):
    """explicit <= 94.1 (b/gamma)^2 log((n+1)/beta), and (1 - g/3)/sqrt(1 + g/3) > 1/2 for g = gamma/b <= 1."""
    if not above(lambda x: (1 - x / 3) / (1 + x / 3).sqrt(), 0.5):
        return inconclusive("BUDGET", "the chain does not close")
    return rows_order(
        bound.half_margin_rows,
        bound.half_margin_order,
        94.1,
        samples=corners(MARGIN_SIZES, "n", "gamma", values=(1e-3, 0.3, 1.0)),
        logs=2,
        least_log=2,
        factor=factor,
    )


# ---- Lemma B.2 ---------------------------------------------------------------------------------------------


@exact_claim(
    bound.margin_order,
    control=Control("the constant 46.9 divided by {}", (1.1, 1.5, 3)),
    given=(*DERIVATION, "wzw25.lemB.2.s2/printed", "wzw25.lemB.2.s3/corrected", "wzw25.lemB.2.s4/corrected"),
    note="The printed chain has two links the wrong way where gamma < e b/3; the conclusion holds there because "
    "gamma/2 - e b/6 < 0 <= gamma(Phi S'). S' is fixed before Phi is drawn: nothing is said of all subsets at once.",
    cost=0.02,
)
def margin_printed(*, factor=1):
    """explicit <= 46.9 log((n+1)(n+2)/beta)/e^2, since 2n + 1 <= (n+1)(n+2)."""
    return rows_order(
        bound.margin_rows,
        bound.margin_order,
        46.9,
        samples=corners(MARGIN_SIZES, "n", "e"),
        logs=1,
        least_log=6,
        factor=factor,
    )


# The smallest example of the wrong links: w = e_1, records (11/61) e_1 +- (60/61) e_2, five rows of signs.
GAMMA, SPREAD, ROWS = Fraction(11, 61), Fraction(60, 61), ((1, 1), (1, 1), (1, 1), (1, -1), (1, -1))
E = 3 * SPREAD / 5  # distortion 3 |<Phi e_1, Phi e_2>| sqrt(1 - gamma^2), the largest that occurs
WRONG_WAY = """
from fractions import Fraction
from bounds.wzw25.projected_margins import {name}
gamma, s, rows = Fraction(11, 61), Fraction(60, 61), [(1, 1), (1, 1), (1, 1), (1, -1), (1, -1)]
e = 3 * s / 5                                     # Phi keeps w = (1, 0) and x = (gamma, +-s) up to e/3
inner = sum(a * b for a, b in rows) / Fraction(5)  # <Phi e_1, Phi e_2>; both columns keep norm 1
products = [gamma + t * s * inner for t in (1, -1)]
assert all(abs(p - gamma) <= e / 3 for p in products) and abs(2 * gamma * s * inner) <= e / 3
assert {claim}
""".strip()
NOT_SEPARABLE = """
from bounds.wzw25.projected_margins import projected_minimum
from mechanisms.solvers.margin import geometric_margin
assert geometric_margin([[1.0], [1.0]], [1, -1]).value == 0  # so gamma = 0 is allowed; w = 1 or -1
assert all(min(y * w for y in (1, -1)) < projected_minimum(gamma=0.0, e=0.5, b=1.0) for w in (1, -1))
""".strip()


@exact_claim(
    bound.projected_minimum,
    severity="cosmetic",
    note="Only for gamma = 0 and a set that is not separable, for which Lemma B.2 says nothing.",
    cost=1e-3,
)
def minimum_printed(*, factor=1):
    """gamma = 0, S' = {(1, +), (1, -)} in R: every unit w has clipped margin 0, and the smallest product is -1."""
    point = {"gamma": 0.0, "e": 0.5, "b": 1.0}
    smallest, claimed = min(1, -1), bound.projected_minimum(**point)  # Phi is an isometry of R
    if not smallest < claimed:
        return inconclusive("BUDGET", "the example does not apply")
    return failed("enumeration", point, smallest, claimed, NOT_SEPARABLE)


@exact_claim(
    bound.projected_minimum_corrected,
    control=Control("the loss e b/3 divided by {}", (1.01, 2)),
    cost=0.05,
)
def minimum_corrected(*, factor=1):
    """All 5 x 2 sign matrices against records gamma e_1 +- s e_2, exactly, at the distortion they attain."""
    tightest = Fraction(0)
    for inner in _inner_products():
        for b, gamma, spread in ((1, GAMMA, SPREAD), (61, 61 * GAMMA, 61 * SPREAD), (5, Fraction(3), Fraction(4))):
            e = 3 * abs(spread * inner) / b
            if not 0 < e < 1:
                continue
            smallest = gamma - abs(spread * inner)
            claimed = gamma - (gamma - bound.projected_minimum_corrected(gamma=gamma, e=e, b=b)) / Fraction(factor)
            if smallest < claimed:
                point = {"gamma": float(gamma), "e": float(e), "b": float(b)}
                return failed("enumeration", point, smallest, claimed)
            tightest = max(tightest, (gamma - smallest) / (gamma - claimed))
    note = "|<Phi w, Phi x> - <w, x>| <= (e/3) ||w|| ||x|| <= e b/3 for each record; attained"
    return holds("derivation", "everywhere", tightness=(float(tightest),) * 2, note=note)


def _inner_products():
    """The values of <Phi e_1, Phi e_2> over all 5 x 2 sign matrices, exactly."""
    return {Fraction(sum(signs), 5) for signs in product((1, -1), repeat=5)}  # of the five products of entries


@exact_claim(bound.projected_norm, control=Control("e divided by {}", (1.01, 2)), cost=1e-3)
def norm_step(*, factor=1):
    """||Phi w||^2 <= 1 + e/3 is the event of Lemma B.1 for ||w|| = 1; attained by w = (1, 1)/sqrt(2), exactly."""
    tightest = 0.0
    for inner in _inner_products():
        e = 3 * abs(inner)  # ||Phi w||^2 = 1 + inner
        if not 0 < e < 1:
            continue
        claimed = bound.projected_norm(e=float(e) / factor) ** 2
        if 1 + inner > claimed * (1 + 1e-12):
            return failed("enumeration", {"e": float(e)}, sqrt(1 + inner), sqrt(claimed))
        tightest = max(tightest, float(1 + inner) / claimed)
    return holds("derivation", "everywhere", tightness=(tightest, tightest), note="Lemma B.1 (a) for w")


def _ratio(formula, name, *, factor=1, only_positive=False):
    """Is gamma - |s <Phi e_1, Phi e_2>| over ||Phi e_1|| = 1 at least the formula? Exact signs, balls for the root."""
    if only_positive and GAMMA * 2 < E / 3:
        return inconclusive("BUDGET", "the example lies outside the hypothesis")
    gamma = 2 * GAMMA if only_positive else GAMMA
    found = exact(gamma) - exact(E) / 3
    claimed = found / (1 + exact(E) / 3).sqrt() * exact(factor)
    if abs(formula(gamma=float(gamma), e=float(E), b=1.0) * factor - float(claimed)) > 1e-12:
        return inconclusive("FAILED", "the formula is not the one examined")
    if not found < claimed:
        return None
    point = {"gamma": float(gamma), "e": float(E), "b": 1.0}
    python = WRONG_WAY.format(name=name, claim=f"min(products) < {name}(gamma=float(gamma), e=float(e), b=1.0)")
    return failed("enumeration", point, found, claimed, python)


@exact_claim(
    bound.ratio_step,
    severity="cosmetic",
    note="For gamma < e b/3. The printed minimum also runs over S where S' is meant.",
    cost=1e-3,
)
def ratio_printed(*, factor=1):
    """gamma - e b/3 < 0 over ||Phi w|| = 1 is below the same over sqrt(1 + e/3) > 1."""
    return _ratio(bound.ratio_step, "ratio_step") or inconclusive("BUDGET", "the example does not apply")


@exact_claim(
    bound.ratio_step_corrected,
    control=Control("the right-hand side multiplied by {}", (1.05, 1.5)),
    given=("wzw25.lemB.2.s1/corrected", "wzw25.lemB.2.s2/printed"),
    cost=1e-3,
)
def ratio_corrected(*, factor=1):
    """A nonnegative numerator over a smaller norm."""
    wrong = _ratio(bound.ratio_step_corrected, "ratio_step_corrected", factor=factor, only_positive=True)
    return wrong or holds("derivation", "everywhere", note="a >= c >= 0 and 0 < n <= N give a/n >= c/N")


STEPS = [(g, e, b) for g, e, b in product((0.0, 0.01, 0.2, 1.0), (0.01, 0.5, 0.99), (0.1, 1.0, 100.0)) if g <= b]


def _half(formula, points, name, factor=1):
    for gamma, e, b in points:
        found = exact(gamma) - exact(e) * exact(b) / 3
        gap = found / (1 + exact(e) / 3).sqrt() - found / 2 * exact(factor)
        if factor == 1 and abs(float(gap) - formula(gamma=gamma, e=e, b=b)) > 1e-9 * (1 + b):
            return inconclusive("FAILED", "the formula is not the one examined")
        if gap < 0:
            python = (
                f"from bounds.wzw25.projected_margins import {name}\nassert {name}(gamma={gamma}, e={e}, b={b}) < 0"
            )
            left = found / (1 + exact(e) / 3).sqrt()
            return failed("certificate", {"gamma": gamma, "e": e, "b": b}, left, found / 2 * exact(factor), python)
    return None


@exact_claim(
    bound.half_step,
    severity="cosmetic",
    note="For gamma < e b/3 both sides are negative and the larger factor makes the left one smaller.",
    cost=1e-3,
)
def half_printed(*, factor=1):
    """(gamma - e b/3)(1/sqrt(1 + e/3) - 1/2) at STEPS, where gamma - e b/3 has both signs."""
    return _half(bound.half_step, STEPS, "half_step") or inconclusive("BUDGET", "no sign change found")


@exact_claim(
    bound.half_step_corrected,
    control=Control("the right-hand side multiplied by {}", (1.8, 2.5)),
    cost=5e-3,
)
def half_corrected(*, factor=1):
    """1/sqrt(1 + e/3) >= 1/2 on [0, 1], certified; times a nonnegative number."""
    points = [(g, e, b) for g, e, b in STEPS if g >= e * b / 3]
    if wrong := _half(bound.half_step_corrected, points, "half_step_corrected", factor):
        return wrong
    if not above(lambda e: 1 / (1 + e / 3).sqrt(), 0.5 * factor):
        return inconclusive("BUDGET", "the certificate did not close")
    return holds(
        "certificate", "everywhere", tightness=(1 / 2, 1 / sqrt(3)), note="0.866 >= 1/2, so 0.577 gamma is kept"
    )


# ---- Lemma 6.2 ---------------------------------------------------------------------------------------------


@exact_claim(
    bound.third_order,
    control=Control("the constant 24.6 divided by {}", (1.1, 1.5, 3)),
    given=DERIVATION,
    note="gamma = 0: no k is printed (division by 0), but any will do, as no margin is negative. gamma = 1, outside "
    "Lemma B.2's (0, 1), holds too. The proof speaks of the largest inliers only; Lemma B.2 covers every fixed set.",
    cost=0.02,
)
def third_printed(*, factor=1):
    """explicit <= 24.6 log((n+1)(n+2)/beta)/gamma^2, and (1/2)/sqrt(1 + g/2) > 1/3 for g <= 1."""
    if not above(lambda x: 1 / (2 * (1 + x / 2).sqrt()), 1 / 3):
        return inconclusive("BUDGET", "the chain does not close")
    return rows_order(
        bound.third_margin_rows,
        bound.third_order,
        24.6,
        samples=corners(MARGIN_SIZES, "n", "gamma", values=(1e-3, 0.3, 1.0)),
        logs=1,
        least_log=6,
        factor=factor,
        scale=16,
        curvature=arb(1) / 3,
    )


@exact_claim(bound.third_step, control=Control("the left side computed with e = {} gamma", (1.01, 2)), cost=1e-3)
def third_identity(*, factor=1):
    """gamma/2 - gamma/6 = gamma/3, in exact arithmetic, linear in gamma: two points decide it."""
    for gamma in (Fraction(0), Fraction(1), Fraction(1, 7)):
        left = bound.margin_kept(gamma=gamma, e=gamma * Fraction(factor), b=1)
        right = bound.third_step(gamma=gamma)
        if left != right:
            return failed("enumeration", {"gamma": float(gamma)}, left, right)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="an identity")


def sign_gram(k, d, *, rng):
    """Phi^T Phi of a k x d matrix of independent entries +-1/sqrt(k), shape (d, d), without the matrix.

    A column is k bits in 64-bit words; two columns have the inner product 1 - 2 (number of bits that differ) / k.
    """
    columns = rng.integers(0, 2**64, size=(d, -(-k // 64)), dtype=np.uint64)
    if k % 64:
        columns[:, -1] &= np.uint64(2 ** (k % 64) - 1)
    gram = np.eye(d)
    for i in range(d - 1):
        differ = np.bitwise_count(columns[i] ^ columns[i + 1 :]).sum(axis=1, dtype=np.int64)
        gram[i, i + 1 :] = gram[i + 1 :, i] = 1 - 2 * differ / k
    return gram


def projected_margin_reaches(level, X, y, direction, gram):
    """Is gamma(Phi S) >= level, certainly? Lengths and angles of Phi S are those of Phi^T Phi = `gram`.

    First the image of the old direction is tried; only if that is not good enough, the margin is computed.
    """
    image = gram @ direction
    length = np.sqrt(max(direction @ image, 0.0))
    if length > 0 and (signed_records(X, y) @ image).min() >= level * length * (1 + 1e-12):
        return True
    values, vectors = np.linalg.eigh(gram)
    return geometric_margin(X @ (vectors * np.sqrt(np.maximum(values, 0))), y).value >= level


@functools.cache
def inlier_set(data, removed):
    """(n, X, y, margin) after the removal of Appendix N: records in the unit ball with a certified margin."""
    X, y = load(data)
    curve = removal_margin_curve(X, y, removed=removed)
    return len(X), X[curve.left], y[curve.left], curve.margin


@tail_claim(
    bound.projected_margin_rows,
    quick=(
        {"data": "digits:3-8", "removed": 0.25, "beta": 0.1},
        {"data": "breast_cancer", "removed": 0.25, "beta": 0.1},
    ),
    full=(
        {"data": "digits:0-1", "removed": 0.0, "beta": 0.05},
        {"data": "digits:3-8", "removed": 0.1, "beta": 0.05},
        {"data": "breast_cancer", "removed": 0.1, "beta": 0.1},
    ),
    control=Control("only 1/{} of the rows", (5000, 10000)),
    chunk=lambda **setting: round(4 / setting["beta"]),
    cap=5,
    cost=2.4e-3,
    expect=1e-6,
    note="rows outnumber columns here (d = 64 and 31), which the lemma allows; far fewer would do on these data",
)
def projection_loses_the_margin(rng, size, *, data, removed, beta, factor=1):
    """Draw Phi afresh `size` times: is gamma(Phi S_in) below gamma/3? Shape (size,), bool."""
    n, X, y, margin = inlier_set(data, removed)
    k = max(1, int(bound.projected_margin_rows(n=n, gamma=margin.value, beta=beta) / factor))
    return np.array(
        [
            not projected_margin_reaches(margin.value / 3, X, y, margin.direction, sign_gram(k, X.shape[1], rng=rng))
            for _ in range(size)
        ]
    )


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
