"""Equation 2's split of the loss, and the cost of a hinge minimiser: Wang, Zhu & Wang (2025), Question 8.1.

All of it in fractions: records with whole or rational coordinates, inliers whose separator is e_1 by symmetry, and
hinge minima that a linear programme finds and both sides of its duality prove. Question 8.1 is open; what is shown is
that it is not a question about the proof: every minimiser of a hinge loss needs the margin in its outlier term.
"""

from fractions import Fraction
from itertools import islice, product

import numpy as np
from scipy.optimize import linprog

from lemmata.bounds.exact.numbers import inner
from lemmata.bounds.theorem import at_least, between, integer
from lemmata.bounds.wzw25 import hinge_loss, inliers_and_outliers as bound
from lemmata.experiments.checks import (
    Control,
    Step,
    exact_claim,
    holds,
    identity_claim,
    inequality_claim,
    order_claim,
    refuted,
    run_script,
    withheld,
    witness,
)
from lemmata.mechanisms.solvers.margin import min_outliers


def hinge_sum(w, Z, width):
    """The hinge sum in fractions."""
    return sum((hinge_loss.hinge_loss(margin=inner(z, w), width=width) for z in Z), Fraction(0))


def rational(vector):
    """The simplest fractions that a vertex of a small linear programme can have."""
    return [Fraction(float(x)).limit_denominator(10**6) for x in vector]


def smallest_hinge(Z, width):
    """(minimiser, dual weights) of the hinge sum over R^d, proved: the two values agree in fractions.

    Raises ArithmeticError should the rounded vertices not be the exact ones.
    """
    A = np.array([[float(x) for x in z] for z in Z])
    solution = linprog(-np.ones(len(Z)), A_eq=A.T, b_eq=np.zeros(A.shape[1]), bounds=(0, 1), method="highs")
    weights = rational(solution.x)
    w = [-x * width for x in rational(solution.eqlin.marginals)]
    balance = [inner(weights, column) for column in zip(*Z, strict=True)]
    proved = all(0 <= a <= 1 for a in weights) and not any(balance)
    if not proved or hinge_sum(w, Z, width) != sum(weights):
        raise ArithmeticError(f"n = {len(Z)}: the vertices of the linear programme are not small fractions")
    return w, weights


WEIGHTS = [tuple(map(Fraction, w)) for w in product((-3, 0, Fraction(1, 7), 2), repeat=2)]


# Equation 2 -----------------------------------------------------------------------------------------------------------

OUTLIERS = {  # where the outliers lie, for records of norm at most b and a separator e_1 of margin gamma
    "opposite": lambda b, gamma: (-b, Fraction(0)),
    "across": lambda b, gamma: (Fraction(0), b),
    "zero": lambda b, gamma: (Fraction(0), Fraction(0)),
    "short": lambda b, gamma: (gamma / 2, Fraction(0)),
    "slanted": lambda b, gamma: (-b * Fraction(3, 5), b * Fraction(4, 5)),
}


def planted(kind, inliers, outliers, gamma, b):
    """(S_in, S_out): inliers (gamma, +-h) in pairs, so that e_1 separates best, with margin gamma exactly."""
    h = (b - gamma) / 2  # gamma^2 + h^2 <= b^2
    pairs = [(gamma, (-1) ** i * h) for i in range(inliers - inliers % 2)]
    return pairs + [(gamma, Fraction(0))] * (inliers % 2), [OUTLIERS[kind](b, gamma)] * outliers


def splits(b=Fraction(1)):
    """(setting, S_in, S_out, width): every kind of outlier, few and many, c = gamma and below."""
    shares = [(6, 0), (6, 1), (5, 3), (1, 4), (1, 1)]
    margins = [Fraction(1), Fraction(1, 50)]
    for kind, (inliers, outliers), share, down in product(OUTLIERS, shares, margins, (1, 3, 100)):
        gamma = share * b
        setting = {"kind": kind, "inliers": inliers, "outliers": outliers, "gamma": float(gamma), "b": float(b)}
        yield setting | {"width": float(gamma / down)}, *planted(kind, inliers, outliers, gamma, b), gamma / down


SEPARATOR = (Fraction(1), Fraction(0))
HAIR = Fraction(1, 10**9)
SPLIT = {"quick": ({"b": 1},), "full": ({"b": 1000}, {"b": 0.125})}


@inequality_claim(
    bound.loss_through_excess,
    given=["wzw25.defA.11/explicit/minimum"],
    control=Control("only 1/{} of the excess", (1.01, 2)),
    note="an equality, by Definition A.11",
    cost=0.4,
    **SPLIT,
)
def loss_is_minimum_and_excess(*, b, factor=1):
    """The loss of several w against the minimum of the linear programme and the excess above it."""
    for setting, inliers, outliers, width in splits(Fraction(b)):
        Z = inliers + outliers
        _, weights = smallest_hinge(Z, width)
        for w in (SEPARATOR, *WEIGHTS[:4]):
            loss = hinge_sum(w, Z, width)
            excess = hinge_loss.hinge_excess(loss=loss, weights=weights) / Fraction(factor)
            yield setting, loss, bound.loss_through_excess(smallest=sum(weights), excess=excess)


@inequality_claim(bound.separator_loss, given=[bound.loss_through_excess], cost=0.4, **SPLIT)
def separator_is_a_candidate(*, b):
    """The exact minimum against the loss of e_1, the separator of the inliers."""
    for setting, inliers, outliers, width in splits(Fraction(b)):
        _, weights = smallest_hinge(inliers + outliers, width)
        losses = {"inlier_loss": inliers, "outlier_loss": outliers}
        losses = {name: hinge_sum(SEPARATOR, Z, width) for name, Z in losses.items()}
        yield setting, sum(weights), bound.separator_loss(**losses)


@identity_claim(bound.lossless_width, **SPLIT)
def separator_has_no_loss(*, b):
    """The largest width without a loss, at any scale of the records: their smallest margin, read off two losses."""
    for setting, inliers, _, _ in splits(Fraction(b)):
        Z = [(x / Fraction(b), y / Fraction(b)) for x, y in inliers]
        least = min(inner(z, SEPARATOR) for z in Z)
        if hinge_sum(SEPARATOR, Z, least) or not hinge_sum(SEPARATOR, Z, least * (1 + HAIR)):
            raise ArithmeticError(f"{setting}: the loss does not begin at the smallest margin")
        yield setting | {"gamma": float(Z[0][0])}, least, bound.lossless_width(gamma=Z[0][0])


def outlier_losses(statement, b):
    """Cases of loss of w_in on S_out <= bound; the bound is per record of the largest norm b."""
    for setting, _, outliers, width in splits(b):
        if outliers:
            loss = hinge_sum(SEPARATOR, outliers, width)
            yield setting, loss, statement(radius=b, outliers=len(outliers), width=width)


ONE_OUTLIER = """from fractions import Fraction as F
from lemmata.bounds.wzw25.hinge_loss import hinge_loss
from lemmata.bounds.wzw25.inliers_and_outliers import outlier_loss_printed
# S_in = {(e_1, +1)} with margin 1, so w_in = e_1; S_out = {(e_1, -1)}, of norm 1, the largest
gamma = radius = F(1)
width = gamma                                            # c <= gamma
loss = hinge_loss(margin=-radius, width=width)           # 1 + radius / width
assert loss > outlier_loss_printed(radius=radius, outliers=1, width=width)"""


@exact_claim(
    bound.outlier_loss_printed,
    finding="an outlier costs 1 more than its fourth line says",
    severity="constant",
    note="the hinge loss of a record at margin −‖x‖ is 1 + ‖x‖/c, and the 1 is missing: an outlier opposite to "
    "w_in always exceeds the printed bound, whether ‖x‖ is the norm of the record or the largest norm. Where c ≤ "
    "‖x‖, as under (a), it does so by a factor of 2 at most, so the last line of Equation 2 holds; where ‖x‖ < c "
    "(an outlier near 0), by any factor",
    **SPLIT,
)
def outlier_costs_its_norm(*, b, factor=1):
    """Outliers of every kind against ||x|| |S_out| / c, ||x|| read as the largest norm of a record: the worst."""
    cases = outlier_losses(bound.outlier_loss_printed, Fraction(b))
    setting, loss, claimed = max(cases, key=lambda case: case[1] / case[2])
    ratio = float(loss / claimed)
    if ratio <= 1:
        return holds("enumeration", "settings", tightness=(ratio, ratio))
    widths = [0.02 * 1.22**j for j in range(20)]
    series = {"c": widths, "printed": [1 / c for c in widths], "loss of one outlier -w_in": [1 + 1 / c for c in widths]}
    words = {"claimed": f"a loss of at most ‖x‖ |S_out| / c = {float(claimed):g}", "found": f"it is {float(loss):g}"}
    counterexample = witness.inequality(setting, loss, claimed, python=ONE_OUTLIER, **words)
    return refuted("enumeration", counterexample, tightness=(ratio, ratio), series=series)


def losses_of_outliers():
    """Outliers of every kind, each of which w_in sees at the same share of the largest norm."""
    for (*_, outliers, width), b in product(splits(), (Fraction(1), Fraction(1000), Fraction(1, 8))):
        if outliers:
            sizes = {"radius": b, "outliers": len(outliers), "width": width * b}
            scaled = [(x * b, y * b) for x, y in outliers]
            yield sizes | {"share": outliers[0][0]}, hinge_sum(SEPARATOR, scaled, width * b)


@inequality_claim(
    bound.outlier_loss,
    caught=(1.001, 2),
    measured=losses_of_outliers,
    over=[between("share", -1, 1)],
    steps=[Step("y ⟨w_in, x⟩ ≥ -‖x‖")],
)
def outlier_costs_one_more():
    """Outliers that w_in sees at a share of their norm."""
    for radius, outliers, width, share in product((1, 5), (1, 3), (0.25, 1.0), (-1.0, 0.5)):
        setting = {"radius": radius, "outliers": outliers, "width": width}
        loss = outliers * hinge_loss.hinge_loss(margin=share * radius, width=width)
        yield setting | {"share": share}, loss, bound.outlier_loss(**setting)


def losses_on_splits():
    """The loss of several w against (1 + b/c) |S_out| + EER, on most splits, at one of three scales in turn."""
    for i, b in enumerate((Fraction(1), Fraction(1000), Fraction(1, 8))):
        for setting, inliers, outliers, width in islice(splits(b), i, None, 4):
            Z, gamma = inliers + outliers, inliers[0][0]
            _, weights = smallest_hinge(Z, width)
            for w in (SEPARATOR, *WEIGHTS[:4]):
                loss = hinge_sum(w, Z, width)
                excess = hinge_loss.hinge_excess(loss=loss, weights=weights)
                split = {"outliers": len(outliers), "width": width, "gamma": gamma, "radius": b, "excess": excess}
                yield setting, loss, bound.total_loss(**split)


@inequality_claim(
    bound.total_loss,
    measured=losses_on_splits,
    cost=0.4,
    over=[integer("inliers", 0), at_least("more", 0), between("share", 0, 2), at_least("saved", 0)],
    steps=[Step("y ⟨w_in, x⟩ ≥ γ ≥ c on S_in, ≥ -b on S_out")],
)
def loss_is_outliers_and_excess():
    """The least loss, at most that of w_in, which sees inliers at gamma (1 + more), and the excess above it."""
    for inliers, outliers, share, more, saved, excess in product((6,), (1, 3), (0, 1.5), (0, 1), (0, 1), (0, 2)):
        for width, gamma, radius in ((0.25, 0.5, 1.0), (1.0, 1.0, 5.0)):
            setting = {"outliers": outliers, "width": width, "gamma": gamma, "radius": radius, "excess": excess}
            candidate = inliers * hinge_loss.hinge_loss(margin=gamma * (1 + more), width=width)
            candidate += outliers * hinge_loss.hinge_loss(margin=(share - 1) * radius, width=width)
            rest = {"inliers": inliers, "share": share, "more": more, "saved": saved}
            yield setting | rest, candidate - saved + excess, bound.total_loss(**setting)


@order_claim(
    bound.total_order,
    constant=2,
    given=[bound.total_loss],
    note="For records in the unit ball and c ≤ γ, which bracket (a) needs; for c > γ it fails, since one outlier may "
    "cost 1 + 1/γ.",
)
def order_has_a_constant():
    """sup of (1 + 1/c) / (1/c) = 1 + c over 0 < c <= gamma <= 1, at its end c = 1, and on the way there."""
    widths, ratios = [Fraction(k, 100) for k in range(1, 101)], []
    for c in widths:
        explicit = bound.total_loss(outliers=1, width=c, gamma=c, radius=Fraction(1), excess=0)
        g = bound.total_order(outliers=1, width=c, gamma=c, excess=0)
        yield {"width": c}, explicit, g
        ratios.append(explicit / g)
    series = {"c": [float(c) for c in widths], "explicit / g": [float(ratio) for ratio in ratios]}
    note = "explicit ≤ C g with C = 2: 1 + 1/c ≤ 2/c for c ≤ 1; reached at c = γ = 1"
    return {"tightness": None, "note": note, "series": series}


# The remark below it --------------------------------------------------------------------------------------------------


@inequality_claim(
    bound.most_removed,
    quick=({"records": 3},),
    full=({"records": 4},),
    control=Control(lambda factor: f"only n - {factor + 1:g} points removed", (2,)),
    note="Read: no record is zero, and some two records are not opposite (for n ≥ 3 the first implies the second); "
    "without an intercept (1, +1) and (2, -1) on a line are opposite, and one record is all that can be kept.",
    tightness=withheld,
)
def two_remain(*, records, factor=1):
    """Every set of n = 2 and `records` nonzero records of a 3 x 3 lattice with a pair that is not opposite."""
    lattice = [z for z in product((-1, 0, 1), repeat=2) if any(z)]
    for n in (2, records):
        allowed = max(bound.most_removed(n=n) + 1 - factor, 0)
        for Z in product(lattice, repeat=n):
            opposite = all(a == (-b[0], -b[1]) for i, a in enumerate(Z) for b in Z[:i])
            if not opposite and Z[0] == min(Z):
                removed = min_outliers(np.array(Z, dtype=float), np.ones(n), 1e-6)
                yield {"n": n, "records": list(Z)}, removed.high, allowed


# Question 8.1 ---------------------------------------------------------------------------------------------------------


@identity_claim(
    bound.hinge_risk,
    quick=({"inliers": 40},),
    full=({"inliers": 200},),
    control=Control("1/{} of the outliers", (2, 4)),
    cost=0.2,
    note="This does not answer the question, which is open. It shows that the factor 1/γ is not an artefact of the "
    "proof as long as a hinge loss of any width is minimised.",
)
def hinge_needs_the_margin(*, inliers, factor=1):
    """The exact minimiser for every gamma and c: its errors on all records, and that no other minimiser exists."""
    curve = []
    for gamma in (Fraction(j, 20) for j in range(1, 20)):
        s = int(gamma * inliers) + 1
        Z = [(gamma,)] * inliers + [(Fraction(-1),)] * max(1, s // factor)
        claimed = bound.hinge_risk(n=inliers + s, s=s, gamma=gamma) * (inliers + s)
        for width in (gamma / 100, gamma, Fraction(3)):
            w, _ = smallest_hinge(Z, width)
            alone = hinge_sum(w, Z, width) < min(hinge_sum((w[0] + step,), Z, width) for step in (-HAIR, HAIR))
            errors = sum(inner(z, w) < 0 for z in Z) if alone else -1  # -1: w is not the only minimiser
            yield {"inliers": inliers, "gamma": gamma, "width": width}, errors, claimed
        curve.append((float(gamma), inliers / (inliers + s), s / (inliers + s), min(1.0, s / (inliers + s) / gamma)))
    names = ("gamma", "risk of the hinge minimiser", "|S_out| / n", "|S_out| / (gamma n)")
    series = {name: [float(x) for x in column] for name, column in zip(names, zip(*curve, strict=True), strict=True)}
    return {"series": series}


if __name__ == "__main__":
    run_script(__file__)
