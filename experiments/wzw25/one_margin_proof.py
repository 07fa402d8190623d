"""The printed proof of Lemma D.1 step by step: Wang, Zhu & Wang (2025), Appendix D."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
from flint import arb

from bounds.exact.balls import exact
from bounds.exact.certify import HOLDS, at, certify, over
from bounds.wzw25 import noisy_gd, one_margin, projected_margins
from bounds.wzw25 import one_margin_proof as bounds
from bounds.wzw25.hinge_gradient import replacement_sensitivity
from experiments.checks import inequality_claim, order_claim, up_to_one, witness
from experiments.engine.claim import Control, exact_claim, script
from experiments.engine.verdict import REFUTED, holds, inconclusive, refuted
from experiments.instances.planted import least_loss
from mechanisms.solvers.margin import geometric_margin

# Lemma D.1 ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.noise_part,
    given=[noisy_gd.averaged_excess],
    caught=(2.9,),
    tightness=up_to_one,
    note="Lemma C.1, whose proof ends in this constant; T = n² μ² rounded up. √(1 + 1/k)/4 ≤ 0.354",
)
def four_is_enough():
    """The explicit reading of Lemma C.1 at the printed T against 4 Delta sqrt(k)/mu."""
    for n, rows, mu in product((1, 7, 1000), (1, 50, 10**4), (1e-3, 0.3, 1.0, 40.0)):
        steps = noisy_gd.printed_steps(n, mu)
        excess = noisy_gd.averaged_excess(n=n, steps=steps, distance=1.0, d=rows, mu=mu, sensitivity=2.0)
        yield {"n": n, "rows": rows, "mu": mu}, excess, bounds.noise_part(rows=rows, mu=mu, sensitivity=2.0)


@inequality_claim(bounds.inlier_loss, control=Control("the width gamma/3 times {}", (1.001, 2)))
def inliers_are_free(*, factor=1):
    """Separators of margin gamma/3 exactly, computed by us: the loss of the worst inlier, rounding aside."""
    for seed in range(10):
        Z = np.random.default_rng(seed).normal(size=(8, 4)) + np.array([2.5, 0, 0, 0])
        margin = geometric_margin(Z, np.ones(8))
        least = float((Z @ margin.direction).min())
        yield {"seed": seed}, bounds.inlier_loss(margin=least, gamma=3 * margin.value * factor), 1e-9
    return {"tightness": (1.0, 1.0), "note": "y ⟨w, Φx⟩ ≥ γ/3 for every inlier"}


NARROW = """from math import sqrt
import numpy as np
from bounds.wzw25.projected_margins import third_margin_rows
from bounds.wzw25.one_margin_proof import outlier_loss
from mechanisms.solvers.margin import geometric_margin
k = third_margin_rows(n=2, gamma=1.0, beta=0.1)
phi = np.ones((k, 2)) / sqrt(k)              # a matrix of the law: both columns are equal
inlier, outlier = np.eye(2)[:1] @ phi.T, np.array([[1.0, 1.0]]) / sqrt(2) @ phi.T
found = geometric_margin(inlier, np.ones(1))
assert found.value > 1 / 3                   # E1: more than a third of gamma = 1 is left
assert np.linalg.norm(outlier) < 2           # not clipped
loss = 1 + 3 * float(outlier[0] @ found.direction)   # labelled -1, width 1/3
assert loss > 5.2 > 4.6 > outlier_loss(share=1.0)"""


@inequality_claim(
    bounds.outlier_loss,
    severity="statement",
    corner="the event of Lemma B.1, which keeps the norms of all records, in place of E₁",
    used=("wzw25.lemD.1", "wzw25.lem6.3"),
    scope="settings",
    python=lambda *_: NARROW,
    note="E1 is named as the event γ(ΦS_in) ≥ γ/3, which says nothing about outliers; the event of Lemma B.1, which "
    "does, has the same probability, and then the step is right. On E1 alone clipping leaves 1 + 6b/γ",
)
def event_says_nothing_of_outliers():
    """Equal columns: Phi e_1 = Phi e_2, so the margin of S_in = {e_1} stays 1, and x = (e_1 + e_2)/sqrt 2 grows.

    Exactly: ||Phi x|| = sqrt 2 < 2, gamma = b = 1, and w_in = Phi e_1 gives the outlier, labelled -1, 1 + 3 sqrt 2.
    """
    yield {"gamma": 1.0, "b": 1.0, "d": 2}, 1 + 3 * arb(2).sqrt(), bounds.outlier_loss(share=1.0)
    return inconclusive("FAILED", "the example costs no more than the step says")


@inequality_claim(
    bounds.outlier_loss_corrected,
    given=("wzw25.lemB.1/explicit",),
    caught=(1.1,),
    tightness=up_to_one,
    note="attained by Φx = −√(1 + γ/(3b)) b w",
)
def cauchy_schwarz_is_attained():
    """An outlier of the largest norm allowed, opposite to w: the loss in balls against the formula."""
    for share in (1e-3, 0.1, 0.5, 1.0):
        loss = (1 + 3 / exact(share) * (1 + exact(share) / 3).sqrt()) * (1 - exact(2) ** -40)
        yield {"gamma / b": share}, loss, bounds.outlier_loss_corrected(share=share)


@exact_claim(bounds.twenty_three_fifths, control=Control("23/5 divided by {}", (1.031,)))
def cost_of_an_outlier(*, factor=1):
    """share (1 + (3/share) sqrt(1 + share/3)) <= 23/(5 factor) on [0, 1], in balls."""

    def cost(share):
        return share + 3 * (1 + share / 3).sqrt()

    constant = float(Fraction(23, 5) / Fraction(factor))
    proof = certify(over(cost), at(cost), {"share": (0.0, 1.0)}, constant)
    if proof.outcome == REFUTED:
        point = {"share": proof.point["share"]}
        return refuted("certificate", witness.inequality(point, cost(exact(point["share"])), constant))
    if proof.outcome != HOLDS:
        return inconclusive("FAILED", f"the certificate stopped at {proof.bound}")
    share = [0.05 * i for i in range(1, 21)]
    series = {
        "gamma / b": share,
        "cost times gamma / b": [s * bounds.outlier_loss_corrected(share=s) for s in share],
        "printed 23 / 5": [s * bounds.twenty_three_fifths(share=s) for s in share],
    }
    note = "largest at γ = b: 1 + 2√3 = 4.4641; beyond γ = 1.09 b, which no margin exceeds, it would fail"
    top = float((1 + 2 * arb(3).sqrt()) / constant)
    return holds("certificate", "domain: 0 < gamma <= b", tightness=(top, top), note=note, series=series)


@inequality_claim(
    bounds.projected_sensitivity,
    given=[replacement_sensitivity],
    caught=(1.001, 2),
    tightness=up_to_one,
    note="an equality; the text speaks of the sensitivity of the loss, and it is that of its gradient",
)
def sensitivity_of_clipped_records():
    """2 (2b)/(gamma/3) in fractions of floats."""
    for gamma, radius in product((2.0**-20, 0.375, 1.0), (0.5, 1.0, 96.0)):
        ours = Fraction(4) * Fraction(radius) / (Fraction(gamma) / 3)
        if replacement_sensitivity(radius=2 * radius, width=gamma / 3) > float(ours) * (1 + 1e-15):
            return inconclusive("FAILED", "the formula of Lemma A.10 differs")
        yield {"gamma": gamma, "radius": radius}, ours, bounds.projected_sensitivity(gamma=gamma, radius=radius)


SUMMED = """from bounds.wzw25.one_margin_proof import last_display_as_printed as g
# n records e_1, a quarter labelled -1: for p = 3 <w, Phi x> the averaged hinge loss of any w is
# (3 max(0, 1 - p) + max(0, 1 + p)) / 4, smallest at its kink p = 1: the summed loss is at least n / 2.
assert min((3 * max(0, 1 - p) + max(0, 1 + p)) / 4 for p in (-1, 1)) == 1 / 2
ratios = [n / 2 / g(n=n, gamma=1.0, outliers=n // 4, mu=float(n), beta=0.1) for n in (40, 400, 4000)]
assert ratios[1] > 9 * ratios[0] and ratios[2] > 9 * ratios[1]"""


@order_claim(
    bounds.last_display_as_printed,
    family="n records e_1, a quarter labelled -1, mu = n",
    severity="statement",
    corner="the averaged loss L̃ in place of the sum L̂",
    used=("wzw25.lemD.1",),
    corrected_by=one_margin.expected_order,
    python=lambda *_: SUMMED,
    note="a hat for a tilde: the display is announced as the averaged loss, and its right side is that of the average",
)
def summed_loss_is_no_average():
    """n equal records, a quarter of them outliers: the summed loss of any w is at least n/2, the right side is O(1)."""
    for n in (40, 400, 4000):
        point = dict(n=n, gamma=1.0, outliers=n // 4, mu=1.0 * n, beta=0.1, radius=1.0)
        yield point, n * least_loss(4, 1), bounds.last_display_as_printed(**point)


# Lemma 6.3 ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.last_noise_part,
    given=[bounds.projected_sensitivity, projected_margins.third_order],
    caught=(2, 4),
    tightness=up_to_one,
    note="12 √24.6 = 59.5",
)
def substitution_of_sizes():
    """Delta sqrt(k log(1/beta))/mu at the explicit k of Lemma 6.2, over all scales, against the display."""
    for n, share, beta in product((1, 2, 100, 10**6), (1e-4, 0.3, 1.0), (1 - 1e-9, 0.5, 1e-12)):
        point = {"n": n, "gamma": 7 * share, "beta": beta}
        k = projected_margins.third_margin_rows(b=7.0, **point)
        left = bounds.projected_sensitivity(gamma=7 * share, radius=7.0) * sqrt(k * -log(beta)) / 0.3
        yield point, left, bounds.last_noise_part(mu=0.3, radius=7.0, **point)


@exact_claim(
    bounds.lifted_margin,
    quick=({"k": 2, "d": 2},),
    full=({"k": 3, "d": 3},),
    control=Control(lambda factor: f"margins less {factor - 1:g} after clipping", (2,)),
)
def lifting_changes_no_sign(*, k, d, factor=1):
    """All sign matrices, whole records and weights: margins before and after clipping, in fractions of 1/sqrt(k)."""
    lengthened = shortened = 0
    for entries in product((1, -1), repeat=k * d):
        phi = np.reshape(entries, (k, d))
        for x in product((-1, 0, 2), repeat=d):
            seen = phi @ x
            length, radius = sqrt(int(seen @ seen) / k), float(np.linalg.norm(x)) / 2.1
            for w in product((-1, 0, 1), repeat=k):
                lifted, projected = int((phi.T @ w) @ x), int(np.array(w) @ seen)
                clipped = bounds.lifted_margin(margin=projected, length=max(length, 1e-9), radius=max(radius, 1e-9))
                clipped -= factor - 1
                whole = length <= 2 * radius
                if lifted != projected or np.sign(clipped) != np.sign(lifted) or (whole and clipped != lifted):
                    object = f"Phi = {phi.tolist()}, x = {x}, w = {w}"
                    lacks = {"property": "equal signs", "value": clipped, "claimed": lifted}
                    return refuted("enumeration", witness.construction({"k": k, "d": d}, object=object, **lacks))
                lengthened += not whole and clipped < lifted  # smaller margin, larger hinge loss
                shortened += not whole and clipped > lifted
    note = f"clipping raised the hinge loss in {lengthened} cases and lowered it in {shortened}: the two losses differ"
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note=note)


if __name__ == "__main__":
    script(__spec__.name)
