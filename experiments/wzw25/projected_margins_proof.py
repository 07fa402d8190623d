"""Which links of the proof that random signs keep margins hold? Lemma B.2 of Wang, Zhu & Wang (2025), line by line."""

from fractions import Fraction
from itertools import product

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import require
from lemmata.bounds.wzw25 import projected_margins as bound
from lemmata.experiments.checks import Control, Step, inconclusive, inequality_claim, run_script

# The smallest example of the wrong links: w = e_1, records (11/61) e_1 +- (60/61) e_2, five rows of signs.
GAMMA, SPREAD, ROWS = Fraction(11, 61), Fraction(60, 61), ((1, 1), (1, 1), (1, 1), (1, -1), (1, -1))
E = 3 * SPREAD / 5  # distortion 3 |<Phi e_1, Phi e_2>| sqrt(1 - gamma^2), the largest that occurs
LONG_MARGIN = require("γ ≥ e b/3", lambda gamma, e, b: gamma >= e * b / 3)
OF_LEMMA_B2 = {  # beyond, the bound of Lemma B.2 is not positive; the others take e = gamma / b
    "wzw25.lemB.2": [{"gamma": 1 / 3, "e": 1.0, "b": 1.0}, {"gamma": 1e-9, "e": 1e-9, "b": 3.0}],
    **{
        place: [{"gamma": share * b, "e": share, "b": b} for share in (1e-9, 1.0) for b in (0.1, 10.0)]
        for place in ("wzw25.lem6.2", "wzw25.lemD.1", "wzw25.lem6.3")
    },
}
WRONG_WAY = """
from fractions import Fraction
from lemmata.bounds.wzw25.projected_margins import ratio_step
gamma, s, rows = Fraction(11, 61), Fraction(60, 61), [(1, 1), (1, 1), (1, 1), (1, -1), (1, -1)]
e = 3 * s / 5                                     # Phi keeps w = (1, 0) and x = (gamma, +-s) up to e/3
inner = sum(a * b for a, b in rows) / Fraction(5)  # <Phi e_1, Phi e_2>; both columns keep norm 1
products = [gamma + t * s * inner for t in (1, -1)]
assert all(abs(p - gamma) <= e / 3 for p in products) and abs(2 * gamma * s * inner) <= e / 3
assert min(products) < ratio_step(gamma=float(gamma), e=float(e), b=1.0)
""".strip()
NOT_SEPARABLE = """
from lemmata.bounds.wzw25.projected_margins import projected_minimum
from lemmata.mechanisms.solvers.margin import geometric_margin
assert geometric_margin([[1.0], [1.0]], [1, -1]).value == 0  # so gamma = 0 is allowed; w = 1 or -1
assert all(min(y * w for y in (1, -1)) < projected_minimum(gamma=0.0, e=0.5, b=1.0) for w in (1, -1))
""".strip()


@inequality_claim(
    bound.projected_minimum,
    severity="statement",
    corner=require("separable S′", lambda gamma: gamma > 0),
    used=OF_LEMMA_B2,
    note="false only for γ = 0 and a set that is not separable, where Lemma B.2 is vacuous",
    python=NOT_SEPARABLE,
)
def minimum_printed():
    """gamma = 0, S' = {(1, +), (1, -)} in R: every unit w has clipped margin 0, and the smallest product is -1."""
    point = {"gamma": 0.0, "e": 0.5, "b": 1.0}
    yield point, bound.projected_minimum(**point), min(1, -1)  # Phi is an isometry of R
    return inconclusive("BUDGET", "the example does not apply")


def inner_products():
    """The values of <Phi e_1, Phi e_2> over all 5 x 2 sign matrices, exactly."""
    return {Fraction(sum(signs), 5) for signs in product((1, -1), repeat=5)}  # of the five products of entries


@inequality_claim(
    bound.projected_minimum_corrected,
    given=[bound.angles_rows],
    control=Control("the loss e b/3 divided by {}", (1.01, 2)),
)
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
    bound.projected_norm,
    given=[bound.angles_rows],
    control=Control("e divided by {}", (1.01, 2)),
    note="Lemma B.1 (a) for w",
)
def norm_step(*, factor=1):
    """||Phi w||^2 <= 1 + e/3 is the event of Lemma B.1 for ||w|| = 1; attained by w = (1, 1)/sqrt(2), exactly."""
    for inner in inner_products():
        e = 3 * abs(inner)  # ||Phi w||^2 = 1 + inner
        if 0 < e < 1:
            yield {"e": e}, 1 + inner, bound.projected_norm(e=float(e) / factor) ** 2


def divided(statement, gamma):
    """The case that the bound at gamma and E is at most gamma - E/3, which ||Phi w|| = 1 leaves; in balls."""
    point = {"gamma": float(gamma), "e": float(E), "b": 1.0}
    yield point, statement.theorem.formula(gamma=exact(gamma), e=exact(E), b=1), exact(gamma) - exact(E) / 3


@inequality_claim(
    bound.ratio_step,
    severity="statement",
    corner=LONG_MARGIN,
    used=OF_LEMMA_B2,
    note="false for γ < e b/3, where Lemma B.2 is vacuous. The printed minimum also runs over S where S' is meant",
    python=WRONG_WAY,
)
def ratio_printed():
    """gamma - e b/3 < 0 over ||Phi w|| = 1 is below the same over sqrt(1 + e/3) > 1."""
    yield from divided(bound.ratio_step, GAMMA)
    return inconclusive("BUDGET", "the example does not apply")


@inequality_claim(
    bound.ratio_step_corrected, given=(bound.projected_minimum_corrected, bound.projected_norm), caught=(1.05, 1.1, 1.5)
)
def ratio_corrected():
    """A nonnegative numerator over a smaller norm: the same example at twice the margin."""
    yield from divided(bound.ratio_step_corrected, 2 * GAMMA)
    return {"tightness": None, "note": "a ≥ c ≥ 0 and 0 < n ≤ N give a/n ≥ c/N"}


STEPS = [(g, e, b) for g, e, b in product((0.0, 0.01, 0.2, 1.0), (0.01, 0.5, 0.99), (0.1, 1.0, 100.0)) if g <= b]


def halves(statement, points):
    """Cases: the statement's value is at most the result of the step before, in balls."""
    for point in (dict(zip(("gamma", "e", "b"), values, strict=True)) for values in points):
        balls = {name: exact(value) for name, value in point.items()}
        yield point, statement.theorem.formula(**balls), bound.ratio_step.theorem.formula(**balls)


@inequality_claim(
    bound.half_step,
    severity="statement",
    corner=LONG_MARGIN,
    used=OF_LEMMA_B2,
    note="for γ < e b/3 both sides are negative, and the larger factor makes the left one smaller. Lemma B.2 is "
    "vacuous there",
    python=lambda point, *sides: (
        f"from lemmata.bounds.wzw25.projected_margins import half_step, ratio_step\n"
        f"assert half_step(**{point}) > ratio_step(**{point})"
    ),
)
def half_printed():
    """Both sides at STEPS, where gamma - e b/3 has both signs."""
    yield from halves(bound.half_step, STEPS)
    return inconclusive("BUDGET", "no change of sign at STEPS")


@inequality_claim(
    bound.half_step_corrected,
    caught=(1.8, 2.5),
    steps=[Step("√(1 + e/3) ≤ 2")],
    note="1/√(1 + e/3) ≥ 0.866, so 0.577 γ is kept",
)
def half_corrected():
    """Both sides where gamma - e b/3 is not negative."""
    for gamma, e, b in product((0.35, 1.0), (0.01, 0.99), (0.1, 1.0)):
        point = {"gamma": gamma, "e": e, "b": b}
        yield point, bound.half_step_corrected(**point), bound.ratio_step(**point)


if __name__ == "__main__":
    run_script(__file__)
