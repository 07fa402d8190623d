"""The printed proof of Lemma D.1 step by step: Wang, Zhu & Wang (2025), Appendix D."""

from itertools import product
from math import log, sqrt

import numpy as np
from flint import arb

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import between
from lemmata.bounds.wzw25 import (
    last_iterate,
    noisy_gd,
    one_margin as margin,
    one_margin_proof as bounds,
    projected_margins,
)
from lemmata.bounds.wzw25.hinge_gradient import hinge_sum, replacement_sensitivity
from lemmata.experiments.checks import (
    Control,
    Step,
    exact_claim,
    holds,
    inconclusive,
    inequality_claim,
    order_claim,
    refuted,
    run_script,
    up_to_one,
    witness,
)
from lemmata.experiments.instances.datasets import margin_orders
from lemmata.experiments.instances.datasets.planted import least_loss
from lemmata.mechanisms.numerics.arguments import clip_rows
from lemmata.mechanisms.solvers.margin import geometric_margin

# Lemma D.1 ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.noise_part,
    given=[noisy_gd.last_line],
    steps=[Step("‖w_in‖ = 1")],
    note="the last line of the proof of Lemma C.1",
)
def four_is_enough():
    """The last line of the proof of Lemma C.1 at distance 1."""
    for rows, mu, sensitivity in product((1, 50, 10**4), (0.3, 1.0), (0.5, 2.0)):
        last = noisy_gd.last_line(d=rows, mu=mu, sensitivity=sensitivity, distance=1)
        point = {"rows": rows, "mu": mu, "sensitivity": sensitivity}
        yield point, last, bounds.noise_part(**point)


@inequality_claim(bounds.inlier_loss, control=Control("the margin times {}", (1.001, 2)))
def inliers_are_free(*, factor=1):
    """Separators of margin gamma/3, gamma/4 and gamma/6, computed by us: the hinge loss of the worst inlier."""
    for seed, share in product(range(10), (3, 4, 6)):
        Z = np.random.default_rng(seed).normal(size=(8, 4)) + np.array([2.5, 0, 0, 0])
        margin = geometric_margin(Z, np.ones(8))
        z, gamma = Z[np.argmin(Z @ margin.direction)], share * margin.value
        loss = hinge_sum(margin.direction, z[None], gamma / 3)
        allowed = bounds.inlier_loss(margin=margin.value * factor, gamma=gamma)
        yield {"seed": seed, "gamma / margin": share}, float(loss), allowed + 1e-7
        yield {"seed": seed, "gamma / margin": share, "of": "no more is allowed"}, allowed, float(loss) + 1e-7
    return {"tightness": (1.0, 1.0), "note": "y ⟨w, Φx⟩ ≥ γ/3 for every inlier"}


NARROW = """from math import sqrt
import numpy as np
from lemmata.bounds.wzw25.projected_margins import third_margin_rows
from lemmata.bounds.wzw25.one_margin_proof import outlier_loss
from lemmata.mechanisms.solvers.margin import geometric_margin
k = third_margin_rows(n=2, gamma=1.0, beta=0.1)
phi = np.ones((k, 2)) / sqrt(k)              # a matrix of the law: both columns are equal
inlier, outlier = np.eye(2)[:1] @ phi.T, np.array([[1.0, 1.0]]) / sqrt(2) @ phi.T
best = geometric_margin(inlier, np.ones(1))
assert best.value > 1 / 3                   # E1: more than a third of gamma = 1 is left
assert np.linalg.norm(outlier) < 2           # not clipped
loss = 1 + 3 * float(outlier[0] @ best.direction)   # labelled -1, width 1/3
assert loss > 5.2 > 4.6 > outlier_loss(share=1.0)"""


@inequality_claim(
    bounds.outlier_loss,
    severity="statement",
    misprint="read the event of Lemma B.1, which keeps the norms of all records, for E₁",
    python=NARROW,
    note="E₁ is named as the event γ(ΦS_in) ≥ γ/3, which does not involve the outliers. That of all norms does "
    "and has the same probability (cf. Lemma B.1), and with it the step is right. On E₁ alone clipping leaves 1 + 6b/γ",
)
def event_says_nothing_of_outliers():
    """Equal columns: Phi e_1 = Phi e_2, so the margin of S_in = {e_1} stays 1, and x = (e_1 + e_2)/sqrt 2 grows.

    Exactly: ||Phi x|| = sqrt 2 < 2, gamma = b = 1, and w_in = Phi e_1 gives the outlier, labelled -1, 1 + 3 sqrt 2.
    """
    yield {"gamma": 1.0, "b": 1.0, "d": 2}, 1 + 3 * arb(2).sqrt(), bounds.outlier_loss(share=1.0)
    return inconclusive("FAILED", "the example costs no more than the step says")


def longest_outliers():
    """An outlier of the largest norm allowed, opposite to w, at b = 1."""
    for share in (1e-3, 0.1, 0.5, 1.0):
        loss = hinge_sum(np.array([1.0]), [[-sqrt(1 + share / 3)]], share / 3)
        yield {"share": share, "cosine": -1.0, "length": 1.0}, float(loss)


@inequality_claim(
    bounds.outlier_loss_corrected,
    measured=longest_outliers,
    over=[between("cosine", -1, 1), between("length", 0, 1)],
    caught=(1.001, 1.1),
    steps=[Step("y ⟨w, Φx⟩ ≥ -‖Φx‖ ≥ -√(1 + γ/(3b)) b")],
    tightness=up_to_one,
    note="attained by Φx = −√(1 + γ/(3b)) b w",
)
def cauchy_schwarz_is_attained():
    """The hinge loss of width gamma/3 at b = 1 of an outlier that is no longer than the event says."""
    for share, cosine, length in product((1e-3, 0.5, 1.0), (-1.0, 0.5), (0.5, 1.0)):
        loss = max(0, 1 - cosine * length * (1 + share / 3) ** 0.5 / (share / 3))
        setting = {"share": share, "cosine": cosine, "length": length}
        yield setting, loss, bounds.outlier_loss_corrected(share=share)


def cost_curve():
    share = [0.05 * i for i in range(1, 21)]
    return {
        "gamma / b": share,
        "cost times gamma / b": [s * bounds.outlier_loss_corrected(share=s) for s in share],
        "printed 23 / 5": [s * bounds.twenty_three_fifths(share=s) for s in share],
    }


@inequality_claim(
    bounds.twenty_three_fifths,
    caught=(1.031,),
    figure=cost_curve,
    steps=[Step("1 + 2√3 ≤ 23/5 at γ = b")],
    note="largest at γ = b: 1 + 2√3 = 4.4641; beyond γ = 1.09 b, which no margin exceeds, it would fail",
)
def cost_of_an_outlier():
    for share in (0.01, 0.5, 1.0):
        yield {"share": share}, bounds.outlier_loss_corrected(share=share), bounds.twenty_three_fifths(share=share)


@inequality_claim(
    bounds.projected_sensitivity,
    given=[replacement_sensitivity],
    caught=(1.001, 2),
    steps=[Step("records of norm 2b, width γ/3")],
    note="an equality; the text speaks of the sensitivity of the loss, and it is that of its gradient",
)
def sensitivity_of_clipped_records():
    """2 (2b)/(gamma/3)."""
    for gamma, radius in product((2.0**-20, 0.375, 1.0), (0.5, 1.0, 96.0)):
        ours = replacement_sensitivity(radius=2 * radius, width=gamma / 3)
        yield {"gamma": gamma, "radius": radius}, ours, bounds.projected_sensitivity(gamma=gamma, radius=radius)


@order_claim(
    bounds.last_display_as_printed,
    family="n records e_1, a quarter labelled -1, mu = n",
    severity="statement",
    misprint="read the averaged loss L̃, as announced, for the sum L̂",
    python="""from lemmata.bounds.wzw25.one_margin_proof import last_display_as_printed as g
# n records e_1, a quarter labelled -1: for p = 3 <w, Phi x> the averaged hinge loss of any w is
# (3 max(0, 1 - p) + max(0, 1 + p)) / 4, smallest at its kink p = 1: the summed loss is at least n / 2.
assert min((3 * max(0, 1 - p) + max(0, 1 + p)) / 4 for p in (-1, 1)) == 1 / 2
ratios = [n / 2 / g(n=n, gamma=1.0, outliers=n // 4, mu=float(n), beta=0.1) for n in (40, 400, 4000)]
assert ratios[1] > 9 * ratios[0] and ratios[2] > 9 * ratios[1]""",
    note="a hat is printed for a tilde: the display is announced as the averaged loss, and its right side is that "
    "of the average",
)
def summed_loss_is_no_average():
    """n equal records, a quarter of them outliers: the summed loss of any w is at least n/2, the right side is O(1)."""
    for n in (40, 400, 4000):
        point = dict(n=n, gamma=1.0, outliers=n // 4, mu=1.0 * n, beta=0.1, radius=1.0)
        yield point, n * least_loss(4, 1), bounds.last_display_as_printed(**point)


@margin_orders.average_order(bounds.last_display, given=[margin.expected_loss, margin.expected_order])
def averaged_loss_is_meant():
    """The explicit bound of Lemma D.1 over the display."""
    return margin_orders.samples()


# Lemma 6.3 ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.last_noise_part,
    given=[bounds.projected_sensitivity, projected_margins.third_order],
    caught=(1.03, 2, 4),
    tightness=up_to_one,
    note="12 √16.1 = 48.15",
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
    control=Control(lambda factor: f"margins less {factor - 1:g} after clipping", (1.001, 2)),
)
def lifting_changes_no_sign(*, k, d, factor=1):
    """All sign matrices, whole records and weights: margins, of clipped rows too, in units of 1/sqrt(k)."""
    lengthened = shortened = 0
    weights = np.array(list(product((-1, 0, 1), repeat=k)))
    for entries, x in product(product((1, -1), repeat=k * d), product((-1, 0, 2), repeat=d)):
        phi = np.reshape(entries, (k, d))
        seen = phi @ x
        length, radius = sqrt(int(seen @ seen) / k), max(float(np.linalg.norm(x)) / 1.9, 1e-9)
        row = clip_rows(seen[None] / sqrt(k), 2 * radius)[0] * sqrt(k)
        whole = length <= 2 * radius
        margins = ((weights @ phi) @ x).tolist(), (weights @ seen).tolist(), (weights @ row).tolist()
        for w, lifted, projected, shown in zip(weights, *margins, strict=True):
            clipped = bounds.lifted_margin(margin=projected, length=max(length, 1e-9), radius=radius)
            clipped -= factor - 1
            same = (clipped > 0) - (clipped < 0) == (lifted > 0) - (lifted < 0) and abs(clipped - shown) < 1e-9
            if lifted != projected or not same or (whole and clipped != lifted):
                object = f"Phi = {phi.tolist()}, x = {x}, w = {w.tolist()}"
                lacks = {"property": "equal signs", "value": clipped, "claimed": lifted}
                return refuted("enumeration", witness.construction({"k": k, "d": d}, object=object, **lacks))
            lengthened += not whole and clipped < lifted  # smaller margin, larger hinge loss
            shortened += not whole and clipped > lifted
    note = f"clipping raised the hinge loss in {lengthened} cases and lowered it in {shortened}: the two losses differ"
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note=note)


@inequality_claim(
    bounds.three_terms, given=["wzw25.lemC.2/corrected"], rounding=1e-9, note="sharp at T = 1 without the first term"
)
def last_iterate_in_closed_form():
    """The expression of `last_iterate_tail` at v = 1/(4 eta^2 sigma^2 H_T), and what 1 <= k_t <= 2 allows it to be."""
    for steps, d, beta, distance in product((1, 2, 30, 3000), (1, 100), (1e-9, 0.5, 0.999), (1e-6, 1.0, 1e4)):
        run = dict(d=d, steps=steps, gradient_norm=2.0, sigma=3.0, distance=distance, eta=0.1)
        noise, H = (run["eta"] * run["sigma"]) ** 2, last_iterate.harmonic(steps)
        v = 1 / (4 * noise * H)
        k, weights = last_iterate.comparator_weights(steps, v, noise)
        total = float(k.sum())
        seen = k[0] * (total - k[0]) / total**2, float(k @ weights) / v, log(k[0])
        allowed = 2 * steps / (steps + 2) ** 2, 2 * H + 1, log(2)  # k_0 = 2 and all others 1, or k_0 = 2
        tops = []
        for start, squares, logarithm in (seen, allowed):
            top = start * v * distance**2 + (run["eta"] * run["gradient_norm"]) ** 2 * squares * v
            tops.append((top + d / 2 * logarithm - log(beta)) / (2 * run["eta"] * v))
        yield {**run, "beta": beta}, *tops
        yield {**run, "beta": beta}, tops[1], bounds.three_terms(**run, beta=beta)


# The derivations: each link is the step before, and the last one is compared with the statement -----------------------


def comparator(*, n, gamma, outliers, radius, projected=True, **_):
    """(Hinge sum of the inliers' separator, sensitivity of the gradient sum) on the event of Lemma 6.2 (explicit)."""
    stretched = 2 * radius if projected else radius  # what rows are clipped at
    longest = radius * (projected_margins.stretch(gamma / radius) if projected else 1.0)
    return outliers * (1 + longest / (gamma / 3)), replacement_sensitivity(radius=stretched, width=gamma / 3)


def dimension(*, n, gamma, beta, radius, d=None, **_):
    """(Dimension that the descent runs in, is it projected?)."""
    rows = projected_margins.third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)
    return (rows, True) if d is None or d > rows else (d, False)


def run_of(setting, log_factor=1.0):
    """The arguments of the bounds in `last_iterate` for the descent of a setting."""
    n, (rows, projected) = setting["n"], dimension(**setting)
    _, sensitivity = comparator(**setting, projected=projected)
    run = {"steps": setting["steps"], "mu": setting["mu"], "distance": 1.0, "log_factor": log_factor}
    return last_iterate.problem_of(n=n, d=rows, sensitivity=sensitivity, gradient_norm=n * sensitivity / 2, **run)


CORNERS = [
    dict(n=n, gamma=share * radius, outliers=q, mu=mu, beta=beta, radius=radius)
    for n, share, radius in product((1, 4, 1000), (1e-2, 0.5, 1.0), (1.0, 50.0))
    for mu, beta, q in product((1e-3, 0.25, 3.0), (1e-9, 0.1, 0.5), (0, 1))
]
CHAIN = dict(rounding=1e-9, tightness=lambda _: None)
EVENT = (projected_margins.third_margin_rows, replacement_sensitivity)


@inequality_claim(
    margin.last_loss,
    given=(*EVENT, bounds.three_terms),
    scope="domain: β ≤ 1/2, T = n²μ² rounded up, printed step size",
    note="its last link is attained at nμ = 1; the three terms are up to 3 times smaller than their bounds",
    **CHAIN,
)
def closed_form_from_three_terms():
    """Lemma 6.3.s2 at the printed step size, then (1 + 3 H_T) sqrt(A/T), then 4 + 3 log T and T >= n^2 mu^2."""
    for point in CORNERS:
        if (steps := noisy_gd.printed_steps(point["n"], point["mu"])) > 10**6:
            continue
        logs, (cost, sensitivity) = -log(point["beta"]), comparator(**point)
        run = run_of(point | {"steps": steps}, logs) | {"gradient_norm": point["n"] * sensitivity}
        root = sqrt(((point["n"] * sensitivity) ** 2 + run["d"] * run["sigma"] ** 2 * logs) / steps)
        link = (1 + 3 * last_iterate.harmonic(steps)) * root
        yield point, bounds.three_terms(**run, beta=point["beta"]), link
        yield point, (cost + link) / point["n"], margin.last_loss(**point)


def tail_from_its_parts(statement, tail, logarithm):
    """Cases: (the outliers' cost + the tail of the descent) / n against the statement, projected and not."""
    for point, steps, d in product(CORNERS[::5], (1, 50), (None, 3)):
        setting = point | {"steps": steps, "d": d}
        cost, _ = comparator(**setting, projected=dimension(**setting)[1])
        excess = tail(**run_of(setting, -log(point["beta"]) if logarithm else 1.0), beta=point["beta"])
        yield setting, (cost + excess) / point["n"], statement(**setting)


@inequality_claim(
    margin.last_tail, evidence="composition", given=(*EVENT, last_iterate.last_iterate_tail), cost=0.3, **CHAIN
)
def last_iterate_from_its_parts():
    """The separator of the projected inliers as the comparator of the last iterate."""
    yield from tail_from_its_parts(margin.last_tail, last_iterate.last_iterate_tail, True)


@inequality_claim(
    margin.weighted_average_tail, evidence="composition", given=(*EVENT, last_iterate.weighted_tail), cost=0.3, **CHAIN
)
def weighted_average_from_its_parts():
    """The same for the weighted average, with its step size."""
    yield from tail_from_its_parts(margin.weighted_average_tail, last_iterate.weighted_tail, False)


def smallest_useful_n():
    """The smallest n at which the bound is below 1: gamma = b/2, mu = 1, d = 5 without projection, T = n^2 mu^2 / 5."""
    point = dict(gamma=0.5, outliers=0, mu=1.0, beta=0.05, d=5)
    return next(n for n in range(5, 10**5) if margin.expected_error(n=n, steps=-(-(n**2) // 5), **point) < 1)


AVERAGES = [
    *(point | {"steps": 10**6} for point in CORNERS),
    {"n": 10, "gamma": 1.0, "outliers": 0, "mu": 0.1, "beta": 0.1, "steps": 1, "radius": 1.0},
    {"n": 4, "gamma": 1.0, "outliers": 1, "mu": 1e6, "beta": 0.1, "steps": 10**14, "radius": 1.0},
]


def average_from_its_parts(setting):
    """(The outliers' cost + Lemma C.1 (explicit)) / n."""
    n, (rows, projected) = setting["n"], dimension(**setting)
    cost, sensitivity = comparator(**setting, projected=projected)
    run = {"steps": setting["steps"], "mu": setting["mu"], "distance": 1.0}
    return (cost + noisy_gd.averaged_excess(n=n, d=rows, sensitivity=sensitivity, **run)) / n


@inequality_claim(
    margin.expected_loss,
    given=(*EVENT, noisy_gd.averaged_excess),
    scope="everywhere: 0 < γ ≤ b, S_in with margin γ, any whole T, printed step size",
    rounding=1e-9,
)
def loss_from_its_parts():
    """The separator as the comparator of Lemma C.1 (explicit); and losses that no run escapes."""
    for setting in AVERAGES:
        yield setting, average_from_its_parts(setting), margin.expected_loss(**setting)
    # At T = 1 the average is w_0 = 0, whose loss is 1; outliers opposite equal records cost at least `least_loss`.
    truths = 1.0, float(least_loss(4, 1))
    ratios = [loss / margin.expected_loss(**at) for loss, at in zip(truths, AVERAGES[-2:], strict=True)]
    return {
        "tightness": (max(ratios), 1.0),
        "note": f"{max(ratios):.2f} of the bound is attained by losses that every run incurs",
    }


@inequality_claim(
    margin.expected_error, given=(*EVENT, margin.expected_loss), nonvacuous_from=smallest_useful_n, **CHAIN
)
def error_from_its_parts():
    """The hinge loss, and 1 where the projection is bad; without projection Lemma C.1 with rows of norm b."""
    for setting, d in product([*AVERAGES, AVERAGES[-1] | {"outliers": 0}], (None, 5)):
        setting = setting | {"d": d}
        rows, projected = dimension(**setting)
        g = exact(setting["gamma"]) / exact(setting["radius"])
        bad = float(projected_margins.bad_projection(n=setting["n"], g=g, k=rows)) if projected else 0.0
        yield setting, average_from_its_parts(setting) + bad, margin.expected_error(**setting)


if __name__ == "__main__":
    run_script(__file__)
