"""bms22's proof of Theorem 3.1, the steps about numbers: the condition on m (s0, s2), the last line (s7), and s8."""

from __future__ import annotations

from itertools import product
from math import log, sqrt

import numpy as np
from scipy.stats import binom

from bounds import linear, linear_steps
from bounds.certify import HOLDS, at, certify, exact, over
from experiments.claim import Sabotage, exact_claim, grid, holds, inconclusive, refuted
from experiments.gaussian_checks import formula
from experiments.jl_common import failed
from experiments.linear import NARROW, Dense, learner

AT_ONE = "fails where beta -> 1 and rho -> Lambda r only; it holds for beta <= 1/2"
EDGES = grid(m=[1, 2, 10, 10**6, 10**12], beta=[1e-12, 0.1, 0.5], norm_bound=[1.0, 1.5, 1e4], radius=[1.0], rho=[1.0])


# ---- s0, s2: the condition on m ----------------------------------------------------------------------------

SMALL_SAMPLE = """
from math import log
from bounds.linear import printed_gap
# epsilon so small that m is below the threshold for every c >= 1e-4, beta -> 1: yet the bound is far below 1
m, epsilon, beta = 10**6, 1e-9, 1 - 1e-16
sizes = dict(norm_bound=1.0, radius=1.0, rho=1.0)
assert m < 1e-4 * log(m / beta) * log(20 / beta) / epsilon
assert printed_gap(m=m, epsilon=epsilon, beta=beta, margin_loss=0.0, **sizes) < 1e-3
"""


@exact_claim(
    linear_steps.trivial_share,
    severity="cosmetic",
    corrected_by="bms22.thm3.1.s0/corrected",
    note=AT_ONE,
    cost=1e-3,
)
def nothing_is_trivial_near_one(*, factor=1):
    """rho = Lambda r, beta = 1 - eta^2, epsilon = eta, m below the threshold: Gamma tends to 0, not to a constant."""
    found = []
    for eta in (1e-2, 1e-4, 1e-7):
        m, epsilon, beta = round(1 / eta), eta, 1 - eta**2
        threshold = log(m / beta) * log(20 / beta) / epsilon
        gap = linear.printed_gap(m=m, epsilon=epsilon, beta=beta, margin_loss=0.0, **NARROW)
        share = linear_steps.trivial_share(m=m, beta=beta, **NARROW)
        found.append({"eta": eta, "m": m, "threshold / c": threshold, "Gamma": gap, "share": share})
    ratios = [1 / p["Gamma"] for p in found]
    if not (all(p["m"] < p["threshold / c"] for p in found) and ratios[0] < ratios[1] < ratios[2] and ratios[2] > 1e4):
        return inconclusive("NO_CONSTANT", "the family does not leave every constant behind")
    return refuted(
        "enumeration",
        {
            "setting": NARROW,
            "claimed": "C Gamma >= 1 for some C whenever m is below the threshold",
            "found": "1/Gamma = " + ", ".join(f"{r:.3g}" for r in ratios),
            "family": "m = 1/eta, epsilon = eta, beta = 1 - eta^2, rho = Lambda r, eta -> 0",
            "points": found,
            "ratios": ratios,
            "python": SMALL_SAMPLE.strip(),
        },
    )


def decreasing_logs(x):
    """log(20a/beta)/log(a/beta) with log(a/beta) = log 2/x, x in (0, 1]: 1 + x log 20/log 2."""
    return 1 + x * exact(20).log() / exact(2).log()


@exact_claim(
    linear_steps.trivial_share_corrected,
    control=Sabotage("1/6 multiplied by {}", (1.2, 2)),
    cost=0.01,
)
def small_samples_are_trivial(*, factor=1):
    """log(20a/beta) <= 6 log(a/beta) for a >= 1 and beta <= 1/2, by certificate in log 2/log(a/beta)."""
    share = formula(linear_steps.trivial_share_corrected)
    for point in EDGES:
        found, needed = linear_steps.trivial_share(**point), share(**point) * factor
        if found < needed:
            return failed("certificate", point, found, needed)
    if certify(over(decreasing_logs), at(decreasing_logs), {"x": (0.0, 1.0)}, 6.0).verdict != HOLDS:
        return inconclusive("NO_CONSTANT", "the certificate did not close")
    top = log(40) / log(2) / 6
    return holds("certificate", "everywhere", tightness=(top, top), note="Gamma's first term is that share over c")


FLIPPED = """
import numpy as np
from bounds.linear_steps import printed_alpha
from mechanisms.linear import law
from mechanisms.privacy import PureDP
class Phi: k, d, apply = 1, 1, staticmethod(lambda X: X)
sizes = dict(norm_bound=1.0, radius=1.0, rho=1.0)
released = law(np.ones((1, 1)), [1.0], privacy=PureDP(0.1), public=Phi, **sizes)
wrong = np.exp(released.selection.log_probabilities())[released.errors == 1].sum()
beta = 1 - 1e-9  # one record, one error: the excess is 1, and alpha < 1 for every c up to 1e7
assert wrong > beta / 4 and 1e7 * printed_alpha(m=1, epsilon=0.1, beta=beta, **sizes) < 1
"""


@exact_claim(
    linear_steps.printed_alpha,
    severity="cosmetic",
    corrected_by="bms22.thm3.1.s2/corrected",
    note="fails for m = 1 and beta -> 1 only: alpha tends to 0 with log(m/beta); it holds for beta <= 1/2, c = 1140",
    cost=0.01,
)
def alpha_vanishes(*, factor=1):
    """m = 1, beta -> 1: alpha -> 0, but the selection errs on the one record with probability near 1/2 > beta/4."""
    released = learner([[1.0]], [1.0], 0.1, Dense(np.ones((1, 1))))
    wrong = float(np.exp(released.selection.log_probabilities())[released.errors == 1].sum())
    found = []
    for eta in (1e-3, 1e-6, 1e-9):
        alpha = linear_steps.printed_alpha(m=1, epsilon=0.1, beta=1 - eta, **NARROW)
        needed = 4 * log(4 / (1 - eta)) / 0.1  # even for a single candidate
        found.append(
            {"beta": 1 - eta, "alpha / c": alpha, "4 log(4|C|/beta)/(epsilon m) >=": needed, "c >=": needed / alpha}
        )
    ratios = [p["c >="] for p in found]
    if not (ratios[0] < ratios[1] < ratios[2] and ratios[2] > 1e6 and wrong > 0.25):
        return inconclusive("NO_CONSTANT", "some c suffices")
    return refuted(
        "enumeration",
        {
            "setting": {"m": 1, "epsilon": 0.1} | NARROW,
            "claimed": "m >= 4 log(4|C|/beta)/(epsilon alpha) for some constant c, so P(excess > alpha) <= beta/4",
            "found": f"c > {ratios[0]:.2g}, {ratios[1]:.2g}, {ratios[2]:.2g} is needed; P(excess = 1) = {wrong:.3f}",
            "family": "m = 1, rho = Lambda r, beta -> 1",
            "points": found,
            "ratios": ratios,
            "python": FLIPPED.strip(),
        },
    )


@exact_claim(
    linear_steps.alpha_for_small_beta,
    control=Sabotage("c = 1140 divided by {}", (3, 6)),
    given=("bms22.thm3.1.s1/corrected",),
    cost=0.01,
)
def alpha_is_enough(*, factor=1):
    """alpha against 4 (k log(1 + 40a) + log(4/beta))/(epsilon m) at the corners, k the explicit number of rows."""
    worst = 0.0
    for point in EDGES:
        k = linear.projection_rows(**point)
        sizes = {name: point[name] for name in ("norm_bound", "radius", "rho")}
        log_size = linear.log_candidates(k=k, **sizes)
        for epsilon in (1e-3, 10.0):
            needed = 4 * (log_size + log(4) - log(point["beta"])) / (epsilon * point["m"])
            alpha = linear_steps.alpha_for_small_beta(epsilon=epsilon, **point) / factor
            worst = max(worst, needed / alpha)
            if needed > alpha:
                return failed("certificate", point | {"epsilon": epsilon}, needed, alpha)
    return holds("derivation", "everywhere", tightness=(worst, 1.0), note="corners reach the tightness shown")


# ---- s7, s8: from the sample to the distribution -----------------------------------------------------------


@exact_claim(
    linear_steps.final_line,
    control=Sabotage("2 alpha + 8B divided by {}", (1.7, 2.5)),
    cost=0.05,
    note="5B for 8B would do; Lemma A.1 needs the VC dimension of the cover's classifiers, which is at most k",
)
def last_line(*, factor=1):
    """The difference of the two sides is (sqrt alpha - sqrt B)^2 + 3B or more; exact squares on a grid."""
    tightest = 0.0
    squares = [0.0, 1e-12, 1e-4, 0.01, 0.04, 0.25, 1.0, 4.0]
    for loss, alpha, B in product([0.0, 1e-8, 0.01, 0.25, 1.0], squares, squares):
        left = loss + alpha + 2 * sqrt((loss + alpha) * B) + 4 * B
        main = loss + 2 * sqrt(loss * B)
        right = main + (linear_steps.final_line(loss=loss, alpha=alpha, complexity=B) - main) / factor
        if left > right * (1 + 1e-12):
            return failed("certificate", {"loss": loss, "alpha": alpha, "complexity": B}, left, right)
        gap = right - left - (sqrt(alpha) - sqrt(B)) ** 2 - 3 * B
        if factor == 1 and gap < -1e-12:
            return inconclusive("FAILED", "the difference is smaller than the derivation says")
        tightest = max(tightest, left / right if right else 0.0)
    return holds("derivation", "everywhere", tightness=(tightest, tightest))


@exact_claim(
    linear_steps.objective,
    quick=({"complexity": 0.01},),
    full=({"complexity": 0.0}, {"complexity": 5.0}),
    control=Sabotage("the root subtracted, {} times", (2, 3)),
    cost=0.01,
)
def same_minimisers(*, complexity, factor=1):
    """Losses i/m in order: the bound is strictly increasing along them, so the sets of minimisers are equal."""
    losses = [i / 1000 for i in range(1001)]
    root = [linear_steps.objective(loss=t, complexity=complexity) - t for t in losses]
    values = [t + (r if factor == 1 else -factor * r) for t, r in zip(losses, root, strict=True)]
    for i in range(1000):
        if values[i + 1] <= values[i]:
            return failed("enumeration", {"loss": losses[i], "complexity": complexity}, values[i], values[i + 1])
    return holds("derivation", "everywhere", note="t + 2 sqrt(t B) is a sum of an increasing function and t")


@exact_claim(
    linear_steps.one_classifier,
    quick=({"m": 50, "complexity": 0.05},),
    full=({"m": 1, "complexity": 0.5}, {"m": 1000, "complexity": 0.02}),
    control=Sabotage("the deviation divided by {}", (2, 4)),
    cost=0.1,
)
def chernoff(*, m, complexity, factor=1):
    """Exact binomial tails over a fine grid of risks, never above e^{-mA}; the derivation is in the docstring."""
    allowed = linear_steps.one_classifier(m=m, complexity=complexity)
    counts = np.arange(m + 1) / m
    deviation = (np.sqrt(2 * counts * complexity) + 2 * complexity) / factor
    risks = np.unique(np.concatenate([np.linspace(0, 1, 401), np.minimum(1, counts + deviation + 1e-9)]))
    # the event {R > R^ + ...} is {errors <= some number}: deviation + loss increases in the loss
    top = np.array([(risk > counts + deviation + 1e-12).sum() - 1 for risk in risks])
    chances = np.where(top >= 0, binom.cdf(top, m, risks), 0.0)
    worst = int(chances.argmax())
    if chances[worst] > allowed * (1 + 1e-9):
        return failed(
            "enumeration", {"m": m, "complexity": complexity, "risk": float(risks[worst])}, chances[worst], allowed
        )
    series = {"risk": risks[::8].tolist(), "bound": [allowed] * len(risks[::8]), "exact": chances[::8].tolist()}
    share = float(chances[worst] / allowed)
    return holds("derivation", "everywhere", tightness=(share, 1.0), series=series)


if __name__ == "__main__":
    from experiments.run import script

    script("linear")
