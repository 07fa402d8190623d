"""Do random signs keep margins? Lemmas 5.1, 6.2, B.1 and B.2 of Wang, Zhu & Wang (2025)."""

from __future__ import annotations

import functools
from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
from flint import arb

from bounds.exact.balls import exact
from bounds.wzw25 import projected_margins as bound
from experiments.bms22.sign_projection import breaks
from experiments.checks import identity_claim, inequality_claim, rows_order, witness
from experiments.data import load
from experiments.engine.claim import Control, exact_claim, grid, script, tail_claim
from experiments.engine.verdict import inconclusive, refuted
from experiments.instances.points import above, corners
from experiments.instances.sign_images import margin_below, projected_margin_reaches, sign_gram
from experiments.wzw25.removal_margin import removal_margin_curve

DRAWS = {"chunk": lambda *, beta, **setting: round(10 / beta), "cap": 8, "cost": 4e-4, "expect": 0.01}
UNION = ("bms22.lemA.3.s2/explicit", "bms22.lemA.3.s4/printed", bound.projected_minimum_corrected)


# Lemma 5.1 ------------------------------------------------------------------------------------------------------------

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
    severity="statement",
    corner="records in the unit ball, as Section 3 assumes",
    used=("wzw25.lem6.2", "wzw25.lem6.3"),
    note="The lemma takes S in ℝᵈ without a radius, and 1/γ² is not scale-free. Section 3 assumes the unit ball, and "
    "the formal Lemma B.2 prints the radius b: with (b/γ)² it is true. Lemma B.2's own bound γ/2 - e b/6 never exceeds "
    "γ/2; its proof gives 0.577 γ.",
)
def informal(*, factor=1):
    """n = 2N long records with gamma(S) = 1 need k >= N - 1 = n/2 - 1 rows, where O~(1/gamma^2) has polylog n."""
    sizes = (10, 100, 1000)
    orders = [bound.informal_order(gamma=1.0) * log(2 * N) ** 2 for N in sizes]
    chances = [bound.spanning_chance(N, N - 2) for N in sizes]  # k = N - 2 rows fail so often, fewer more often
    ratios = [(N - 1) / g for N, g in zip(sizes, orders, strict=True)]
    if min(chances) < Fraction(3, 4) or not ratios[0] * 4 < ratios[1] * 2 < ratios[2]:
        return inconclusive("NO_CONSTANT", "the family does not outgrow the order")
    growth = witness.growth(
        {"gamma": 1.0},
        family="e_0 +- s e_j, j = 1..n/2, labels +1, s large: γ(S) = 1, and n/2 sign columns span R^k",
        points=[{"n": 2 * N, "gamma": 1.0, "k_at_least": N - 1} for N in sizes],
        ratios=ratios,
        claimed="k = O~(1/γ(S)²) rows keep half the margin, whatever the length of the records",
        found="with γ(S) = 1 the margin is 0 with probability ≥ 3/4 for every k ≤ n/2 - 2",
        python=LONG_RECORDS,
    )
    series = {"n": [20.0, 200.0, 2000.0], "k at least": [9.0, 99.0, 999.0], "log^2 n": orders}
    return refuted("derivation", growth, series=series)


@exact_claim(
    bound.half_margin_order,
    control=Control("the constant 94.1 divided by {}", (1.5, 2, 4)),
    given=(*UNION, bound.projected_norm, bound.ratio_step_corrected),
)
def half_order(*, factor=1):
    """explicit <= 94.1 (b/gamma)^2 log((n+1)/beta), and (1 - g/3)/sqrt(1 + g/3) > 1/2 for g = gamma/b <= 1."""
    if not above(lambda x: (1 - x / 3) / (1 + x / 3).sqrt(), 0.5):
        return inconclusive("BUDGET", "the chain does not close")
    samples = corners([1, 2, 10, 10**6], "n", "gamma", values=(1e-3, 0.3, 1.0))
    shape = {"logs": 2, "least_log": 2}
    return rows_order(bound.half_margin_rows, bound.half_margin_order, 94.1, samples=samples, factor=factor, **shape)


@tail_claim(
    bound.half_margin_rows,
    quick=grid(n=[20], d=[30], gamma=[0.5], b=[1.0], beta=[0.1]),
    full=grid(n=[2, 100], d=[400], gamma=[0.5], b=[1.0], beta=[0.05]),
    control=Control("only 1/{} of the rows", (50, 100, 200)),
    **DRAWS,
)
def half_lost(rng, size, *, n, d, gamma, b, beta, factor=1):
    """Lemma 5.1 at the explicit number of rows; equality counts as lost."""
    k = max(1, bound.half_margin_rows(n=n, gamma=gamma, beta=beta, b=b) // factor)
    return margin_below(rng, size, k, np.nextafter(gamma / 2, np.inf), n=n, d=d, gamma=gamma, b=b)


# Lemma 6.2 ------------------------------------------------------------------------------------------------------------


@exact_claim(
    bound.third_order,
    control=Control("the constant 24.6 divided by {}", (1.1, 1.5, 3)),
    given=UNION,
    note="γ = 0: no k is printed (division by 0), but any will do, as no margin is negative. γ = 1, outside the (0, 1) "
    "of Lemma B.2, holds too. The proof speaks of the largest inliers only; Lemma B.2 covers every fixed set.",
)
def third_printed(*, factor=1):
    """explicit <= 24.6 log((n+1)(n+2)/beta)/gamma^2, and (1/2)/sqrt(1 + g/2) > 1/3 for g <= 1."""
    if not above(lambda x: 1 / (2 * (1 + x / 2).sqrt()), 1 / 3):
        return inconclusive("BUDGET", "the chain does not close")
    samples = corners([1, 2, 10, 10**6], "n", "gamma", values=(1e-3, 0.3, 1.0))
    shape = {"logs": 1, "least_log": 6, "scale": 16, "curvature": arb(1) / 3}
    return rows_order(bound.third_margin_rows, bound.third_order, 24.6, samples=samples, factor=factor, **shape)


@tail_claim(
    bound.third_margin_rows,
    quick=grid(n=[20], d=[30], gamma=[0.5], b=[1.0], beta=[0.1]),
    full=(
        *grid(n=[2, 100], d=[400], gamma=[0.5], b=[1.0], beta=[0.05]),
        {"n": 20, "d": 30, "gamma": 45.0, "b": 50.0, "beta": 0.1},
        {"n": 20, "d": 30, "gamma": 0.009, "b": 0.01, "beta": 0.1},
    ),
    control=Control("only 1/{} of the rows", (50, 100, 200)),
    **DRAWS,
)
def third_lost(rng, size, *, n, d, gamma, b, beta, factor=1):
    """Lemma 6.2 at the explicit number of rows."""
    k = max(1, bound.third_margin_rows(n=n, gamma=gamma, beta=beta, b=b) // factor)
    return margin_below(rng, size, k, gamma / 3, n=n, d=d, gamma=gamma, b=b)


@identity_claim(
    bound.third_step,
    control=Control("the left side computed with e = {} gamma", (1.01, 2)),
    note="an identity, linear in γ: two points decide it",
)
def third_identity(*, factor=1):
    """gamma/2 - gamma/6 = gamma/3, in exact arithmetic, at three points."""
    for gamma in (Fraction(0), Fraction(1), Fraction(1, 7)):
        kept = bound.margin_kept(gamma=gamma, e=gamma * Fraction(factor), b=1)
        yield {"gamma": gamma}, kept, bound.third_step(gamma=gamma)


# Lemma B.1 ------------------------------------------------------------------------------------------------------------


@exact_claim(
    bound.angles_order,
    control=Control("the constant 94.1 divided by {}", (1.1, 2, 4)),
    given=("bms22.lemA.3/explicit", "bms22.lemA.3.s2/explicit", "bms22.lemA.3.s4/printed"),
    note="Unlike bms22's Lemma A.3, which it cites, this one survives n = 1, β → 1: log(n(n+1)/β) ≥ log 2. e = 1 is "
    "allowed and holds.",
)
def angles_printed(*, factor=1):
    """explicit <= 94.1 log(n(n+1)/beta)/e^2."""
    samples = corners([1, 2, 3, 10, 10**6], "n", "e", values=(1e-3, 0.3, 1.0))
    return rows_order(bound.angles_rows, bound.angles_order, 94.1, samples=samples, logs=2, least_log=2, factor=factor)


@tail_claim(
    bound.angles_rows,
    quick=grid(n=[10], d=[64], e=[1.0], beta=[0.1]),
    full=grid(n=[1, 30], d=[2, 512], e=[0.5, 1.0], beta=[0.05]),
    control=Control("only 1/{} of the rows", (4, 6, 8)),
    **DRAWS,
)
def angles_break(rng, size, *, n, d, e, beta, factor=1):
    """Lemma B.1 of wzw25 at the explicit number of rows."""
    k = max(1, bound.angles_rows(n=n, e=e, beta=beta) // factor)
    return breaks(rng, size, k, m=n, d=d, gamma=e)


# Lemma B.2 ------------------------------------------------------------------------------------------------------------


@exact_claim(
    bound.margin_order,
    control=Control("the constant 46.9 divided by {}", (1.1, 1.5, 3)),
    given=(*UNION, bound.projected_norm, bound.ratio_step_corrected, bound.half_step_corrected),
    note="The printed chain has two links the wrong way where γ < e b/3; the conclusion holds there because "
    "γ/2 - e b/6 < 0 ≤ γ(Φ S'). S' is fixed before Φ is drawn: nothing is said of all subsets at once.",
)
def margin_printed(*, factor=1):
    """explicit <= 46.9 log((n+1)(n+2)/beta)/e^2, since 2n + 1 <= (n+1)(n+2)."""
    samples = corners([1, 2, 10, 10**6], "n", "e")
    return rows_order(bound.margin_rows, bound.margin_order, 46.9, samples=samples, logs=1, least_log=6, factor=factor)


@tail_claim(
    bound.margin_rows,
    quick=grid(n=[20], d=[30], gamma=[0.9], b=[1.0], e=[0.9], beta=[0.1]),
    full=grid(n=[2, 100], d=[400], gamma=[0.3], b=[1.0], e=[0.5], beta=[0.05]),
    control=Control("only 1/{} of the rows", (20, 60, 120)),
    **DRAWS,
)
def margin_lost(rng, size, *, n, d, gamma, b, e, beta, factor=1):
    """Lemma B.2 at the explicit number of rows, with the sharper margin that its proof shows."""
    k = max(1, bound.margin_rows(n=n, e=e, beta=beta) // factor)
    kept = bound.margin_of_the_proof(gamma=gamma, e=e, b=b)
    return margin_below(rng, size, k, kept, n=n, d=d, gamma=gamma, b=b)


# The smallest example of the wrong links: w = e_1, records (11/61) e_1 +- (60/61) e_2, five rows of signs.
GAMMA, SPREAD, ROWS = Fraction(11, 61), Fraction(60, 61), ((1, 1), (1, 1), (1, 1), (1, -1), (1, -1))
E = 3 * SPREAD / 5  # distortion 3 |<Phi e_1, Phi e_2>| sqrt(1 - gamma^2), the largest that occurs
WRONG_WAY = """
from fractions import Fraction
from bounds.wzw25.projected_margins import ratio_step
gamma, s, rows = Fraction(11, 61), Fraction(60, 61), [(1, 1), (1, 1), (1, 1), (1, -1), (1, -1)]
e = 3 * s / 5                                     # Phi keeps w = (1, 0) and x = (gamma, +-s) up to e/3
inner = sum(a * b for a, b in rows) / Fraction(5)  # <Phi e_1, Phi e_2>; both columns keep norm 1
products = [gamma + t * s * inner for t in (1, -1)]
assert all(abs(p - gamma) <= e / 3 for p in products) and abs(2 * gamma * s * inner) <= e / 3
assert min(products) < ratio_step(gamma=float(gamma), e=float(e), b=1.0)
""".strip()
NOT_SEPARABLE = """
from bounds.wzw25.projected_margins import projected_minimum
from mechanisms.solvers.margin import geometric_margin
assert geometric_margin([[1.0], [1.0]], [1, -1]).value == 0  # so gamma = 0 is allowed; w = 1 or -1
assert all(min(y * w for y in (1, -1)) < projected_minimum(gamma=0.0, e=0.5, b=1.0) for w in (1, -1))
""".strip()


@inequality_claim(
    bound.projected_minimum,
    severity="statement",
    corner="separable S′, with ≥ in place of = where γ(S′) > γ",
    used=("wzw25.lemB.2", "wzw25.lem6.2", "wzw25.lemD.1", "wzw25.lem6.3"),
    note="False only for γ = 0 and a set that is not separable, of which Lemma B.2 says nothing.",
    python=lambda *case: NOT_SEPARABLE,
)
def minimum_printed():
    """gamma = 0, S' = {(1, +), (1, -)} in R: every unit w has clipped margin 0, and the smallest product is -1."""
    point = {"gamma": 0.0, "e": 0.5, "b": 1.0}
    yield point, bound.projected_minimum(**point), min(1, -1)  # Phi is an isometry of R
    return inconclusive("BUDGET", "the example does not apply")


def inner_products():
    """The values of <Phi e_1, Phi e_2> over all 5 x 2 sign matrices, exactly."""
    return {Fraction(sum(signs), 5) for signs in product((1, -1), repeat=5)}  # of the five products of entries


@inequality_claim(bound.projected_minimum_corrected, control=Control("the loss e b/3 divided by {}", (1.01, 2)))
def minimum_corrected(*, factor=1):
    """All 5 x 2 sign matrices against records gamma e_1 +- s e_2, exactly, at the distortion they attain.

    Both sides are losses: gamma less the smallest product, and gamma less the bound on it.
    """
    for inner in inner_products():
        for b, gamma, spread in ((1, GAMMA, SPREAD), (61, 61 * GAMMA, 61 * SPREAD), (5, Fraction(3), Fraction(4))):
            e = 3 * abs(spread * inner) / b
            if 0 < e < 1:
                allowed = gamma - bound.projected_minimum_corrected(gamma=gamma, e=e, b=b)
                yield {"gamma": gamma, "e": e, "b": b}, abs(spread * inner), allowed / Fraction(factor)
    return {"note": "|⟨Φw, Φx⟩ - ⟨w, x⟩| ≤ (e/3) ‖w‖ ‖x‖ ≤ e b/3 for each record; attained"}


@inequality_claim(
    bound.projected_norm, control=Control("e divided by {}", (1.01, 2)), rounding=1e-12, note="Lemma B.1 (a) for w"
)
def norm_step(*, factor=1):
    """||Phi w||^2 <= 1 + e/3 is the event of Lemma B.1 for ||w|| = 1; attained by w = (1, 1)/sqrt(2), exactly."""
    for inner in inner_products():
        e = 3 * abs(inner)  # ||Phi w||^2 = 1 + inner
        if 0 < e < 1:
            yield {"e": e}, 1 + inner, bound.projected_norm(e=float(e) / factor) ** 2


def divided(formula, gamma):
    """The case (gamma - E/3)/sqrt(1 + E/3) <= gamma - E/3, in balls; the formula is the left side."""
    point, smallest = {"gamma": float(gamma), "e": float(E), "b": 1.0}, exact(gamma) - exact(E) / 3
    quotient = smallest / (1 + exact(E) / 3).sqrt()
    if abs(float(quotient) - formula(**point)) > 1e-12:
        return inconclusive("FAILED", "the formula is not the one examined")
    yield point, quotient, smallest
    return None


@inequality_claim(
    bound.ratio_step,
    severity="statement",
    corner="γ ≥ e b/3, with S′ for S under the minimum",
    used=("wzw25.lemB.2", "wzw25.lem6.2", "wzw25.lemD.1", "wzw25.lem6.3"),
    note="False for γ < e b/3, where Lemma B.2 says nothing. The printed minimum also runs over S where S' is meant.",
    python=lambda *case: WRONG_WAY,
)
def ratio_printed():
    """gamma - e b/3 < 0 over ||Phi w|| = 1 is below the same over sqrt(1 + e/3) > 1."""
    return (yield from divided(bound.ratio_step, GAMMA)) or inconclusive("BUDGET", "the example does not apply")


@inequality_claim(
    bound.ratio_step_corrected, given=(bound.projected_minimum_corrected, bound.projected_norm), caught=(1.05, 1.1, 1.5)
)
def ratio_corrected():
    """A nonnegative numerator over a smaller norm: the same example at twice the margin."""
    if wrong := (yield from divided(bound.ratio_step_corrected, 2 * GAMMA)):
        return wrong
    return {"tightness": None, "note": "a ≥ c ≥ 0 and 0 < n ≤ N give a/n ≥ c/N"}


STEPS = [(g, e, b) for g, e, b in product((0.0, 0.01, 0.2, 1.0), (0.01, 0.5, 0.99), (0.1, 1.0, 100.0)) if g <= b]


def halves(formula, points):
    """Cases of half of gamma - e b/3 <= all of it over sqrt(1 + e/3), in balls; the formula is the difference."""
    for gamma, e, b in points:
        point, numerator = {"gamma": gamma, "e": e, "b": b}, exact(gamma) - exact(e) * exact(b) / 3
        half, quotient = numerator / 2, numerator / (1 + exact(e) / 3).sqrt()
        if abs(float(quotient - half) - formula(**point)) > 1e-9 * (1 + b):
            return inconclusive("FAILED", "the formula is not the one examined")
        yield point, half, quotient
    return None


@inequality_claim(
    bound.half_step,
    severity="statement",
    corner="γ ≥ e b/3",
    used=("wzw25.lemB.2", "wzw25.lem6.2", "wzw25.lemD.1", "wzw25.lem6.3"),
    note="For γ < e b/3 both sides are negative and the larger factor makes the left one smaller. Lemma B.2 says "
    "nothing there.",
    python=lambda point, *sides: (
        f"from bounds.wzw25.projected_margins import half_step\nassert half_step(**{point}) < 0"
    ),
)
def half_printed():
    """(gamma - e b/3)(1/sqrt(1 + e/3) - 1/2) at STEPS, where gamma - e b/3 has both signs."""
    return (yield from halves(bound.half_step, STEPS)) or inconclusive("BUDGET", "no sign change found")


@inequality_claim(bound.half_step_corrected, caught=(1.8, 2.5), evidence="certificate")
def half_corrected():
    """1/sqrt(1 + e/3) >= 1/2 on [0, 1], certified; times a nonnegative number."""
    points = [(g, e, b) for g, e, b in STEPS if g >= e * b / 3]
    if wrong := (yield from halves(bound.half_step_corrected, points)):
        return wrong
    if not above(lambda e: 1 / (1 + e / 3).sqrt(), 0.5):
        return inconclusive("BUDGET", "the certificate did not close")
    return {"tightness": (1 / 2, 1 / sqrt(3)), "note": "0.866 ≥ 1/2, so 0.577 γ is kept"}


# Lemma 6.2 on real data -----------------------------------------------------------------------------------------------


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
    grams = (sign_gram(k, X.shape[1], rng=rng) for _ in range(size))
    third = margin.value / 3
    return np.array([not projected_margin_reaches(third, X, y, margin.direction, gram) for gram in grams])


if __name__ == "__main__":
    script(__spec__.name)
