"""How "loss = O(g)" of Appendices D, H and L is decided for Algorithms 1 and 3.

Either the bound with our constants is at most C g, with a C certified on a box and compared at the corners of the
hypotheses; or along a family of datasets the loss of every weight vector outgrows g. The control changes g so that a
family outgrows it.
"""

from functools import partial, wraps
from itertools import product
from math import log

import numpy as np
from flint import arb

from lemmata.bounds.exact.certify import HOLDS, at, certify, over
from lemmata.bounds.wzw25 import one_margin, whole_grid
from lemmata.bounds.wzw25.noisy_gd import printed_steps
from lemmata.bounds.wzw25.projected_margins import stretch
from lemmata.experiments.checks import is_growing, witness
from lemmata.experiments.engine.claims.claim import Control, exact_claim
from lemmata.experiments.engine.claims.verdict import holds, inconclusive, refuted
from lemmata.experiments.instances.datasets.corners import PROPER
from lemmata.experiments.instances.datasets.planted import least_loss

ONE_MARGIN = "everywhere: k of Lemma 6.2 (explicit), T = n²μ² rounded up, printed step size"
GRID = "everywhere: k of Lemma 6.2 (explicit) at 1/(n² |Γ|), T = n²μ² rounded up, printed step sizes"


def outgrown(points, truth, order):
    """The witness that `truth`, whose docstring describes the family, outgrows the order along `points`, or None."""
    ratios = [float(truth(point)) / order(**point) for point in points]
    family = {"family": truth.__doc__, "points": points, "ratios": ratios}
    return witness.growth(points[-1], **family) if is_growing(ratios, 9) else None


def certified(
    statement, explicit, *, order, family, constant, proofs, printed=None, scope=ONE_MARGIN, series=dict, **fields
):
    """A claim that explicit <= C `order`; its check, which several may share, gives the points of comparison.

    C = `constant` is certified by `proofs`, (function, box, its largest value). REFUTED if a truth outgrows the order:
    `family` is (points, truth, factor -> the order as the control at `factor` changes it, itself at 1). A `printed`
    statement that is looser than this one is at least as large at all points.
    """
    points, truth, changed = family

    def decorate(compared):
        @wraps(compared)
        def trial(*, factor=1):
            if counterexample := outgrown(points, truth, changed(factor)):
                return refuted("derivation", counterexample)
            if not all(certify(over(f), at(f), box, top).outcome == HOLDS for f, box, top in proofs):
                return inconclusive("NO_CONSTANT", "the certificate did not close")
            ratios = [explicit(**point) / order(**point) for point in compared()]
            if not ratios or not all(ratio <= constant * (1 + 1e-12) for ratio in ratios):  # a NaN is not
                return inconclusive("FAILED", f"explicit / g is up to {np.max(ratios, initial=0)}, C = {constant}")
            if printed and not all(statement(**point) <= printed(**point) for point in compared()):
                return inconclusive("FAILED", "the printed expression is smaller")
            note = f"C = {constant:g}, certified; the largest explicit / g tried is {max(ratios):.1f}"
            return holds("derivation", scope, note=note, series=series())

        exact_claim(statement, by=certified, **fields)(trial)
        return compared

    return decorate


# What the certificates bound ------------------------------------------------------------------------------------------


def noise_ratio(share, g, x):
    """The averaged iterate's noise over the printed first term, at most: share = n^2 mu^2/T, x = 1/L.

    Increasing in all. 12 (b/(gamma n)) sqrt(n^2/T + k/mu^2) over b^2 sqrt(L)/(n gamma^2 mu), with
    k <= (9 + 9g + 4g^2 + 9g^3) L/(2 g^2) + 1. And the same for the last iterate without 4 + 3 log T, sqrt(1 + k l)
    over sqrt(l L), at share = 1/l.
    """
    return 12 * ((share + 1) * g**2 * x + (9 + 9 * g + 4 * g**2 + 9 * g**3) / 2) ** 0.5


def outlier_ratio(g):
    """The cost of an outlier over b/gamma."""
    return g + 3 * stretch(g)


UNIT = (0.0, 1.0)
FEWEST = float(1 / arb(6).log())  # 1 / L at n = 1, beta = 1
AVERAGE, LAST = 49.0, 48.8
OUTLIER_PROOF = (outlier_ratio, {"g": UNIT}, 4.85)
AVERAGE_PROOFS = [(noise_ratio, {"share": UNIT, "g": UNIT, "x": (0.0, FEWEST * (1 + 1e-12))}, AVERAGE), OUTLIER_PROOF]
LAST_BOX = {"share": (0.0, 1 / log(2) + 1e-12), "g": UNIT, "x": (0.0, 1 / log(12) + 1e-12)}
LAST_PROOFS = [(noise_ratio, LAST_BOX, LAST), OUTLIER_PROOF]

# 1/mu_c = 4 sqrt(|Gamma| log(1/delta)) / epsilon; n >= 2, so the printed logarithm is at least log 96. The choice adds
# at most 4. A margin between two of the grid: four times as much; below the grid: (1 + 2/9)/2 times as much. An outlier
# costs at most 8.68 b/gamma.
CORNER = {"share": UNIT, "g": UNIT, "x": (0.0, 1 / log(96) + 1e-12)}
ON_GRID, OFF_GRID = 196.0, 771.0
TAIL_ON_GRID, TAIL_OFF_GRID = 4 * LAST + 1, 16 * LAST + 1
OF_TAILS = dict(logs=whole_grid.tail_logs, proofs=LAST_PROOFS)
MEAN_PROOFS = [*AVERAGE_PROOFS, (noise_ratio, CORNER, (ON_GRID - 4) / 4), (noise_ratio, CORNER, (OFF_GRID - 4) / 16)]
OF_MEANS = dict(logs=lambda n, epsilon, delta: whole_grid.mean_logs(n, delta), proofs=MEAN_PROOFS)


# One margin: Appendix D -----------------------------------------------------------------------------------------------

SCALES = [dict(n=4, gamma=s, outliers=1, mu=s**2, beta=0.1, radius=s) for s in (1e3, 1e6, 1e9)]
WITHOUT_B = Control("the term of the outliers times b^(1 - {}), as Lemma D.1 prints it at 2", (1.25, 1.5, 2))


def half(_point):
    """four records s e_1, one labelled -1, gamma = b = s, mu = s^2: every w has loss at least 1/2"""
    return least_loss(4, 1)


def without_radius(order, factor):
    """`order` with the outliers' term multiplied by b^(1 - factor)."""

    def mutated(*, gamma, outliers, n, radius, **rest):
        full = order(gamma=gamma, outliers=outliers, n=n, radius=radius, **rest)
        return full - radius * outliers / (gamma * n) * (1 - radius ** (1 - factor))

    return mutated


OUTWEIGHED = [
    dict(n=n, gamma=gamma, outliers=int(gamma * n), mu=1e18, beta=0.1)
    for n, gamma in ((10**6, 1e-3), (10**10, 1e-6), (10**14, 1e-9))
]


def ratio_series(explicit, order, **point):
    """explicit / g along gamma / b, for the figure."""
    shares = [0.05 * i for i in range(1, 21)]
    return {"gamma / b": shares, "explicit / g": [explicit(**point, gamma=g) / order(**point, gamma=g) for g in shares]}


def averaged_loss(**point):
    """`expected_loss` at the printed T."""
    return one_margin.expected_loss(**point, steps=printed_steps(point["n"], point["mu"]))


def average_order(order, **fields):
    """The claim of Lemma D.1 (corrected) and Corollary D.2: `expected_loss` = O(order)."""
    figure = dict(n=1000, outliers=0, mu=1.0, beta=0.05, radius=1.0)
    return certified(
        order,
        averaged_loss,
        order=order,
        family=(SCALES, half, partial(without_radius, order)),
        control=WITHOUT_B,
        constant=AVERAGE,
        proofs=AVERAGE_PROOFS,
        series=partial(ratio_series, averaged_loss, order, **figure),
        cost=0.1,
        **fields,
    )


def samples(betas=(1e-12, 0.1, 1 - 1e-9), radii=(1e-3, 1.0, 1e3)):
    """Settings at the corners of the hypotheses of Appendix D."""
    for n, share, radius, mu, beta in product((1, 2, 10, 10**6), (1e-3, 0.5, 1.0), radii, (1e-6, 0.1, 1e3), betas):
        for outliers in (0, 1, n):
            yield dict(n=n, gamma=share * radius, outliers=outliers, mu=mu, beta=beta, radius=radius)


def with_logs(*, n, gamma, outliers, mu, beta, radius=1.0):
    """The expression of Lemma 6.3 with its free logarithms on the first term."""
    order = one_margin.last_order_without_logs(n=n, gamma=gamma, outliers=outliers, mu=mu)
    rest = outliers / (gamma * n)
    return (order - rest) * one_margin.last_logs(n=n, mu=mu, beta=beta) + rest


def without_margin(factor):
    """`with_logs` with the outliers' term multiplied by gamma^(factor - 1)."""

    def mutated(*, n, gamma, outliers, **rest):
        whole = with_logs(n=n, gamma=gamma, outliers=outliers, **rest)
        return whole - outliers / (gamma * n) * (1 - gamma ** (factor - 1))

    return mutated


def share_of_inliers(point):
    """records gamma e_1 and as many opposite outliers e_1 as outweigh them, gamma -> 0, in the unit ball"""
    # Width gamma/3: inliers cost (1 - 3 w_1)_+, outliers (1 + 3 w_1/gamma)_+, and q >= gamma (n - q) outliers hold w_1
    # down: any w has averaged loss at least (n - q)/n.
    return (point["n"] - point["outliers"]) / point["n"]


# S_out = S ------------------------------------------------------------------------------------------------------------

ALL_LEFT_OUT = """from math import inf
from lemmata.bounds.wzw25.{module} import {name}
# n records e_1, half of them labelled -1: every w with w_1 != 0 errs on n/2 of them. S_out = S leaves no record, whose
# margin is a minimum over nothing: +inf. The right side, without constants and logarithms, is
g = [{name}(**{setting} | dict(n=n, outliers=n)) for n in {sizes}]
assert all(n**0.4 * x < 1 / 2 for n, x in zip({sizes}, g))"""


def nothing_left(statement, *, note="", corner=PROPER, **fields):
    """A printed claim for all S_out with gamma(S without S_out) > 0, refuted at S_out = S; the check gives the setting.

    Its truth is 1/2: the iterates of runs with T >= 2 have a density, so with probability 1 they are not orthogonal.
    """

    def decorate(setting_at):
        @wraps(setting_at)
        def trial(*, factor=1):
            sizes = (10**6, 10**12, 10**18)
            points = [setting_at(n) for n in sizes]
            g = [statement(**at) * whole_grid.tail_logs(at["n"], 1.0, 1e-5) * factor for at in points]
            ratios = [0.5 / x if x else np.inf for x in g]
            if not is_growing(ratios):
                return inconclusive("NO_CONSTANT", f"truth / g = {ratios}")
            formula = statement.theorem.formula
            module = formula.__module__.rpartition(".")[2]
            shown = {k: v for k, v in points[0].items() if k not in ("n", "outliers")}
            text = "dict(" + ", ".join(f"{k}={v!r}" for k, v in shown.items()) + ")"
            python = ALL_LEFT_OUT.format(module=module, name=formula.__name__, setting=text, sizes=sizes)
            family = "n records e_1, half of them labelled -1, and S_out = S, whose complement has the margin +inf"
            return refuted(
                "derivation", witness.growth(points[-1], family=family, points=points, ratios=ratios, python=python)
            )

        said = (
            "false only at S_out = S, if the margin of the empty set is read as +∞, a minimum over nothing: then all "
            "terms with γ are 0"
        )
        exact_claim(
            statement,
            by=nothing_left,
            severity="statement",
            corner=corner,
            note="; ".join(filter(None, (said, note))),
            **fields,
        )(trial)
        return setting_at

    return decorate


# The grid: Appendices H and L -----------------------------------------------------------------------------------------

STEEPER = Control("the term of the outliers to the power {}", (1.25, 1.5, 2))


def terms_with_logs(order, logs, power=1):
    """`order` with `logs` on its terms with epsilon and the term of the outliers raised to `power`.

    The order is evaluated without outliers and at infinite epsilon to tell its terms apart.
    """
    formula = order.theorem.formula

    def whole(*, outliers, epsilon, n, delta, **rest):
        fixed = formula(outliers=0, epsilon=np.inf, n=n, delta=delta, **rest)
        noise = formula(outliers=0, epsilon=epsilon, n=n, delta=delta, **rest) - fixed
        out = formula(outliers=outliers, epsilon=np.inf, n=n, delta=delta, **rest) - fixed
        return noise * logs(n, epsilon, delta) + out**power + fixed

    return whole


def price_near_one(g):
    """k (gamma/b)^2 / log(...) where the grid's margin is g b <= gamma <= b, at most."""
    return 16 / (g**2 * (1 - g / 3))


def price_below_half(g):
    """The same where gamma < 2 g b."""
    return 64 / (1 - g / 3)


PRICE = 76.81  # k <= 1 + PRICE (b/gamma)^2 log(|Gamma| (n+1) (n+2) n^2)
PRICES = [(price_near_one, {"g": (0.5, 1.0)}, PRICE), (price_below_half, {"g": (0.0, 0.5)}, PRICE)]


def with_all_logs(statement, extra, power=1):
    """The expression of a theorem whose every term but that of the outliers has logarithms: `tail_logs` + extra(n).

    The term of the outliers is raised to `power`; it is what the expression has more than without outliers.
    """
    formula = statement.theorem.formula

    def whole(*, outliers, n, epsilon, delta, **rest):
        fixed = formula(outliers=0, n=n, epsilon=epsilon, delta=delta, **rest)
        out = formula(outliers=outliers, n=n, epsilon=epsilon, delta=delta, **rest) - fixed
        return fixed * (whole_grid.tail_logs(n, epsilon, delta) + extra(n)) + out**power

    return whole


def all_logs_order(statement, explicit, *, extra, **fields):
    """The claim that explicit <= C * (the order with all its logarithms)."""
    return certified(
        statement,
        explicit,
        order=with_all_logs(statement, extra),
        family=(contradictory(1.0, 1e-5), share_of_outliers, partial(with_all_logs, statement, extra)),
        control=STEEPER,
        scope=GRID,
        **fields,
    )


def corners(below_grid, radii=(1.0,)):
    """Settings at the corners: delta near 0 and 1, epsilon near 0 and at its ceiling, gamma on, off, below the grid."""
    for delta, size, radius in product((1e-300, 1e-5, 1 - 1e-9), (1e-6, 0.5, 0.999), radii):
        epsilon = float(-8 * log(delta) * size)
        for n in (2, 3, 4, 5, 100, 1023, 10**6):
            shares = [1 / n, 1.999 / n, 0.5, 0.999, 1.0] + ([1e-6 / n, 0.999 / n] if below_grid else [])
            for share, outliers in product(shares, (0, 1, n - 1)):
                yield dict(n=n, gamma=share * radius, outliers=outliers, epsilon=epsilon, delta=delta, radius=radius)


def contradictory(epsilon, delta):
    """Points with gamma(S_in) = 1 and q/n = 10^-3, 10^-6, 10^-9, n so large that the outliers' term counts."""
    return [
        dict(n=10 ** (5 * i + 7), gamma=1.0, outliers=10 ** (2 * i + 7), epsilon=epsilon, delta=delta, radius=1.0)
        for i in (1, 2, 3)
    ]


def share_of_outliers(point):
    """n - q records e_1 labelled +1 and q labelled -1: every w that is not orthogonal to Phi e_1 errs on q of them"""
    return point["outliers"] / point["n"]  # the iterates have a density (T >= 2), so with probability 1


def along_n(explicit, order):
    """explicit / g along n, for the figure."""
    counts, point = [2.0**j for j in range(2, 24, 3)], dict(gamma=0.3, outliers=1, epsilon=1.0, delta=1e-5, radius=1.0)
    return {"n": counts, "explicit / g": [explicit(**point, n=int(n)) / order(**point, n=int(n)) for n in counts]}


def grid_order(statement, explicit, *, logs, epsilon=5000.0, drawn=None, **fields):
    """The claim that explicit <= C * (the order with its logarithms); `drawn` / g along n is the figure."""
    order, points = terms_with_logs(statement, logs), contradictory(epsilon, 1e-300)
    return certified(
        statement,
        explicit,
        order=order,
        family=(points, share_of_outliers, partial(terms_with_logs, statement, logs)),
        control=STEEPER,
        scope=GRID,
        series=partial(along_n, drawn, order) if drawn else dict,
        **fields,
    )
