"""Private tuning of the margin: Lemmas K.5 and K.6 and Theorem 7.1 of Wang, Zhu & Wang (2025).

The explicit bounds are put together from the functions of the lemmas that they rest on. "Loss = O(g)" is decided by
them: explicit <= C g by a chain of inequalities whose constant is computed here, and a search over the whole domain
that must stay below it. End to end the mechanism runs where that is possible: at large epsilon and few records, since
|Gamma| (n^2 - 1) runs are expected.
"""

from itertools import product
from math import log, sqrt

import numpy as np
from flint import ctx

from lemmata.bounds.exact.balls import Phi, exact, phi
from lemmata.bounds.exact.best_of_runs import drawn
from lemmata.bounds.theorem import require
from lemmata.bounds.wzw25 import best_of_runs, tuned_margin as bound, winner
from lemmata.bounds.wzw25.hinge_gradient import hinge_sum, replacement_sensitivity
from lemmata.bounds.wzw25.noisy_gd import averaged_excess, printed_steps
from lemmata.bounds.wzw25.projected_margins import stretch, third_margin_rows
from lemmata.experiments.checks import (
    Control,
    exact_claim,
    identity_claim,
    inconclusive,
    inequality_claim,
    mean_claim,
    order_claim,
    rate_claim,
    refuted,
    run_script,
    search_worst,
    witness,
)
from lemmata.experiments.checks.tuning_account import BITS, Runs, account_cases
from lemmata.experiments.instances.datasets import tuned_data

ORDER = {
    "rounding": 1e-6,
    "tightness": lambda ratios: (min(ratios[-1], 1.0), 1.0),  # the last case is what the search finds
    "control": Control("C divided by {}", (1.001, 1.2)),
}
ONCE = {"epsilon": 1.0, "delta": 1e-3, "n": 100, "size": 8}
BUDGETS = {
    "quick": ({"epsilon": 1.0, "delta": 1e-5, "n": 10, "size": 5}, ONCE),
    "full": (
        {"epsilon": 100.0, "delta": 1e-5, "n": 30, "size": 6},
        {"epsilon": 0.01, "delta": 0.001, "n": 2, "size": 1},
        {"epsilon": 1.0, "delta": 1e-5, "n": 1000, "size": 11},
    ),
    "control": Control("a run's budget {} times as large (about 12: K charged once)", (4, 12), ONCE),
    "cost": 0.12,
    "bits": BITS,
}
IDENTITY = {"projected": False, "stride": "tuned", "delta": 1e-5}
ALONE = IDENTITY | {"gammas": [0.5], "rows": [2]}
END_TO_END = dict(
    law="adaptive_margin_tuned",
    chunk=20,
    cap=8,
    expect=0.1,
    control=Control("the winner negated with chance 1 - 1/{}", (10, 30)),
)
GOOD = "wzw25.lem6.2/explicit"  # with our number of rows every projection of the grid is good, but for a chance of beta


def margin_account(statement, factor, *, epsilon, delta, n, size):
    """Theorem K.3 at r = 1/(|Gamma| (n^2 - 1)): score-only runs with the whole budget, at (epsilon + delta, delta)."""
    r = bound.repetition_r(n, size)
    mu = statement(epsilon=epsilon, delta=delta, n=n, size=size) * factor
    longest = best_of_runs.tuning_budget.theorem.formula(epsilon=epsilon, r=r, delta=delta)
    links = [(mu <= longest * (1 + 1e-12), "the budget exceeds that of Theorem K.3")]
    return account_cases(Runs(mu, r, delta), epsilon + delta, links, f"μ = {mu:.4g}, E K = {1 / r:.6g}")


# Theorem 7.1 ----------------------------------------------------------------------------------------------------------


@inequality_claim(
    bound.tuned_margin_budget,
    given=[bound.margin_budget],
    note="n ≥ 2 and positive margins are implied; ε > δ is not needed",
    **BUDGETS,
)
def theorem_71_keeps_its_promise(*, factor=1, **setting):
    """The exact curve of score-only runs; Lemma K.6."""
    return margin_account(bound.tuned_margin_budget, factor, **setting)


C_71 = 144 * sqrt(2 * (15.5 * (3 + log(2.5) / log(2)) + 2 / log(2))) + 24 * sqrt(2)


@order_claim(
    bound.tuned_margin_order,
    constant=C_71,
    given=[bound.tuned_margin_error],
    nonvacuous_from=lambda: smallest_useful_n(),
    note="O(.) for every finite set of positive margins, though the printed proof covers |Θ| ≤ 4 log₂ n; "
    f"outliers cost {tuned_data.OUTLIER:.3g}/γ each, and the last term is at most 2/n²",
    **ORDER,
)
def theorem_71_has_a_constant():
    """n in [2, 1e12], |Theta| <= 1e12, delta in [1e-300, 1), gamma in [1e-3, 1]; epsilon cancels.

    The chain of the docstring: 144 sqrt(2 (15.5 (3 + log 2.5/log 2) + 2/log 2)) + 12 sqrt(2) * 2; both ends of its
    links are compared on a grid.
    """
    for n, size in product((2, 3, 10, 10**3, 10**9), (1, 2, 10, 10**9)):
        a, spread = log(size * n), log(size * n**2 * (2 * n + 1))
        if spread > (3 + log(2.5) / log(2)) * a * (1 + 1e-12) or log(size * (n**2 - 1)) > 2 * a:
            return inconclusive("FAILED", f"a link of the chain fails at n = {n}, |Theta| = {size}")
    yield from tuned_data.explicit_within(C_71, bound.tuned_margin_error, bound.tuned_margin_order, tuned_data.TUNINGS)
    at = {"n": 10, "epsilon": 200.0, "delta": 0.5}  # what Theorem 7.1 adds to Lemma K.6
    grids = tuned_data.whole_grid(10, 50, 1.0, 0.01, 10**6) | {"outliers": [0] * 50}
    added = bound.tuned_margin_error(**grids | at) - bound.tuned_error_given_drawn(**grids | at)
    order = bound.tuned_margin_order(**at, gammas=grids["gammas"], outliers=grids["outliers"])
    yield at, added * C_71 / 2, order - bound.margin_term(size=50, gamma=1.0, outliers=0, **at)
    return (yield from search_worst(tuned_data.log_ratio_of_tuning(bound.margin_term), tuned_data.TUNING_BOX))


@identity_claim(
    bound.tuned_margin_error,
    evidence="composition",
    given=[bound.tuned_error_given_drawn, bound.missed_probability, GOOD],
    rounding=1e-9,
    nonvacuous_from=lambda: smallest_useful_n(),
    note="with projections; for Φ = I their terms are not needed",
)
def theorem_71_from_lemma_k6():
    """Errors are at most n: the bound of Lemma K.6, the chance that the margin is missed (in balls), and 1/n^2."""
    for place in tuned_data.TUNINGS:
        n, size = place["n"], len(place["gammas"])
        setting = place | {"outliers": [1] * size}
        missed = float(1 - drawn(1, bound.repetition_r(n, size), size)) if size > 1 else 0.0
        bad = size * (1 / n**2 / size)  # each of the projections with chance beta / |Theta|
        yield setting, bound.tuned_error_given_drawn(**setting) + missed + bad, bound.tuned_margin_error(**setting)
    return {"tightness": None}


def smallest_useful_n():
    """The smallest power of 2 at which the bound is below 1: gamma = 1/2 without outliers, k = 2, epsilon = 1."""

    def error(n):
        return bound.tuned_margin_error(n=n, epsilon=1.0, outliers=[0], steps=[n**2], **ALONE)

    return next(2**j for j in range(1, 60) if error(2**j) < 1)


GRID = IDENTITY | {"gammas": [0.1, 0.2, 0.4, 0.8, 1.0], "rows": [2] * 5, "steps": [200] * 5, "epsilon": 420.0}


@mean_claim(
    bound.tuned_margin_error,
    quick=(
        {"n": 10, "epsilon": 400.0, "gammas": [0.5, 1.0], "outliers": [0, 10], "rows": [2, 2], "steps": [200, 200]}
        | IDENTITY,
    ),
    full=(
        GRID | {"n": 10, "outliers": [0, 0, 0, 10, 10]},
        GRID | {"n": 20, "outliers": [1, 1, 1, 10, 10]},
        {"n": 30, "epsilon": 100.0, "gammas": [1 / 30, 2 / 30, 4 / 30, 8 / 30, 16 / 30, 1.0]}
        | {"outliers": [0, 0, 0, 0, 30, 30], "rows": [2] * 6, "steps": [400] * 6}
        | IDENTITY,
    ),
    bound=bound.tuned_margin_error,
    high=1.0,
    given=[bound.tuned_margin_error],
    cost=3e-3,
    note="end to end, identity projections (Algorithm 6's own grid in profile full); at ε = 1 no run is both feasible "
    "and informative, so ε is large; errors are at most 1, so a few negated winners stay within the bound",
    **END_TO_END,
)
def error_of_algorithm_6(rng, size, *, factor=1, **setting):
    """Every run of every tuning is carried out."""
    return tuned_data.errors_of_the_tuned(rng, size, factor, **setting)


def rate_points(*, first, last, **_):
    """Eight sizes n, geometric."""
    return [round(n) for n in np.geomspace(first, last, 8)]


@rate_claim(
    bound.selection_rate,
    quick=({"first": 10, "last": 1000, "epsilon": 30.0, "delta": 1e-5},),
    bound=bound.selection_rate,
    high=lambda first, last, epsilon, delta: tuple(
        tuned_data.hardest_choice(n, epsilon, delta)[1] / n for n in (first, last)
    ),
    points=rate_points,
    control=Control("a bound {} times too small", (4, 5), of="bound"),
    chunk=500,
    cap=8,
    cost=1e-4,
    expect=0.7,
    note="only the selection step, with the law of a simulation run by run; at each n the gap between the scores "
    "is the costliest one; a rate: a factor of the tenth root of last/first is allowed, so that the excess at the "
    "last n is a third of what is allowed",
)
def excess_over_n(rng, size, *, first, last, epsilon, delta, factor=1):
    """The winner's excess over the best score divided by n, at eight n."""
    columns = []
    for n in rate_points(first=first, last=last):
        law, gap = tuned_data.hardest_choice(n, epsilon, delta)
        columns.append(gap / n * (law.sample(rng, size) > 0))
    return np.column_stack(columns)


# Lemma K.5 ------------------------------------------------------------------------------------------------------------


def excess_after_two_steps(n, mu, gamma, k):
    """E L - 1 for the records (e_1, +1), (e_1, -1) and T = 2, as a ball: s phi(1/s) - Phi(-1/s).

    Both records are active while |<w, Phi x>| < c, so the first step is noise alone: w_1 = -eta xi, and the average
    (w_0 + w_1)/2 has a margin a = N(0, s^2) in units of c, s = ||Phi e_1|| eta sigma/(2 c), ||Phi e_1|| = 1, eta sigma
    = 1/sqrt(n^2 mu^2 + 2 k). The loss is max(1, (1 + |a|)/2).
    """
    s = 3 / (2 * exact(gamma) * (exact(n) ** 2 * exact(mu) ** 2 + 2 * exact(k)).sqrt())
    return s * phi(1 / s) - Phi(-1 / s)


def loss_exceeds_one(point):
    """A program: the expected loss after two steps exceeds 1."""
    return f"""
from flint import ctx
from lemmata.bounds.exact.balls import Phi, exact, phi
from lemmata.bounds.wzw25.tuned_margin import grid_loss_order_capped
ctx.prec = 300
n, mu, gamma, k = {point["n"]}, {point["mu"]}, {point["gammas"][0]}, {point["k"]}  # any k will do
s = 3 / (2 * exact(gamma) * (exact(n) ** 2 * exact(mu) ** 2 + 2 * exact(k)).sqrt())
claimed = grid_loss_order_capped(n=n, mu=mu, beta={point["beta"]}, gammas=[gamma], outliers={point["outliers"]})
assert 1 + s * phi(1 / s) - Phi(-1 / s) > exact(claimed)"""


@exact_claim(
    bound.grid_loss_order_capped,
    quick=({"n": 2, "mu": 0.7, "beta": 0.1, "gammas": [1.0], "outliers": [1]},),
    full=({"n": 2, "mu": 0.7, "beta": 0.001, "gammas": [0.5], "outliers": [1]},),
    severity="statement",
    corner=require(
        "an order below 1, so that the minimum with 1 changes nothing",
        lambda n, mu, beta, gammas, outliers: (
            bound.grid_loss_order_capped(n=n, mu=mu, beta=beta, gammas=gammas, outliers=outliers) < 1
        ),
    ),
    restated=("wzw25.lemK.6", "wzw25.thm7.1"),
    note="the minimum with 1 belongs to the zero-one risk and not to the hinge loss; it matters only where the "
    "bound is vacuous",
)
def hinge_loss_exceeds_one(**setting):
    """Two records that cancel, two steps: the loss is 1 at w = 0, and convex. From both sides 1 is subtracted."""
    n, mu, beta, (gamma,) = (setting[name] for name in ("n", "mu", "beta", "gammas"))
    if printed_steps(n, mu) != 2:
        return inconclusive("FAILED", f"T = {printed_steps(n, mu)}")
    k, claimed = third_margin_rows(n=n, gamma=gamma, beta=beta), bound.grid_loss_order_capped(**setting) - 1
    with ctx.workprec(300):
        excess, most = (excess_after_two_steps(n, mu, gamma, rows) for rows in (k, 1))
        if not excess > claimed:
            return inconclusive("BUDGET", "the cap is above the loss")
        shown = witness.inequality(setting | {"k": k}, excess, claimed, python=loss_exceeds_one(setting | {"k": k}))
    note = f"larger than 1 by {float(excess):.2g} at our k = {k}, by {float(most):.2g} were k = 1"
    return refuted("certificate", shown, note=note)


C_K5 = 12 * sqrt(15.5 + 2 / log(6))


@order_claim(
    bound.grid_loss_order,
    constant=C_K5,
    given=[bound.grid_loss],
    note="O(.) with the constant C for the noise, and 4.84 for the outliers; the chain is in the docstring",
    **ORDER,
)
def grid_order_has_a_constant():
    """n in [1, 1e12], |Gamma| <= 1e12, beta >= 1e-277, gamma in [1e-3, 1], mu in [1e-6, 1e3]."""

    grids = [(1, 1, 1.0, 0.999), (2, 3, 0.5, 0.1), (100, 8, 0.01, 1e-4)]
    places = [tuned_data.whole_grid(*at, steps=10**6) | {"mu": 0.5, "beta": at[-1]} for at in grids]
    yield from tuned_data.explicit_within(C_K5, bound.grid_loss, bound.grid_loss_order, places)
    point = {"n": 10**6, "mu": 0.5, "gammas": [1.0], "outliers": [5]}  # where the minimum with 1 is not felt
    explicit = bound.grid_loss(**point, rows=[third_margin_rows(n=10**6, gamma=1.0, beta=0.1)], steps=[10**12])
    yield point, explicit, bound.grid_loss_order_capped(**point, beta=0.1)
    box = {"log_n": (0, 27), "log_size": (0, 27), "log_beta": (-640, -1e-12), "gamma": (1e-3, 1), "log_mu": (-14, 7)}
    return (yield from search_worst(tuned_data.log_ratio_of_the_grid, box))


@identity_claim(
    bound.grid_loss,
    given=("wzw25.lemC.1/explicit/utility", "wzw25.lemA.10/printed/replacement", GOOD),
    note="the printed step size; k_γ rows at β/|Γ| fail with chance β at most for all margins together",
)
def grid_loss_from_lemma_c1():
    """Lemma C.1 against the projected separator of the inliers, in the best of several margins.

    The separator has length 1 and no loss on the inliers. An outlier of length ||Phi x|| = `stretch`,
    that points the other way has the largest hinge loss of width gamma/3; records are clipped at 2.
    """
    for n, mu, margins, outliers in [(30, 2.0, (1.0, 0.5), (3, 0)), (1000, 0.1, (0.8, 0.2, 0.05), (40, 7, 0))]:
        rows = [third_margin_rows(n=n, gamma=g, beta=0.01 / len(margins)) for g in margins]
        steps = [100 * (j + 1) for j in range(len(margins))]
        losses = []
        for g, m, k, T in zip(margins, outliers, rows, steps, strict=True):
            opposite = hinge_sum(np.array([1.0]), [[-stretch(g)]], g / 3)
            moved = replacement_sensitivity(radius=2.0, width=g / 3)
            losses.append(m * opposite + averaged_excess(n=n, d=k, steps=T, mu=mu, sensitivity=moved, distance=1.0))
        setting = {"n": n, "mu": mu, "gammas": margins, "outliers": outliers, "rows": rows, "steps": steps}
        yield setting, min(losses) / n, bound.grid_loss(**setting)
    return {"tightness": None}


EMPIRICAL = {"n": 20, "mu": 4.0, "gammas": [0.5, 1.0], "rows": [2, 2], "projected": False, "stride": "printed"}


@mean_claim(
    bound.grid_loss,
    quick=(EMPIRICAL | {"outliers": [4, 20], "steps": [100, 100]},),
    full=(EMPIRICAL | {"outliers": [0, 20], "steps": [400, 400]},),
    bound=bound.grid_loss,
    law="jl_gd_average",
    high=tuned_data.largest_mean,
    control=Control("a bound {} times too small", (6, 7), of="bound"),
    given=[bound.grid_loss],
    chunk=500,
    cap=16,
    cost=2e-5,
    expect=0.3,
    note="identity projection; sampled is X = (min(loss, M) + τ)/n, and the part of the loss above M contributes "
    "less than τ; the loss is a sixth of the bound, which holds for every dataset",
)
def hinge_loss_at_the_best_margin(rng, size, *, n, factor=1, **setting):
    """The averaged hinge loss of Algorithm 1 at gamma = 1/2 on data of that margin: the minimum over gamma is at most
    that."""
    law, Z, width, top, tau = tuned_data.descent_at_the_best_margin(n, **setting)
    return (np.minimum(hinge_sum(law.sample(rng, size).T, Z, width), top) + tau) / n


# Lemma K.6 ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bound.margin_budget,
    given=[best_of_runs.tuning_budget],
    note="n ≥ 2: at n = 1 r is infinite; margins must be positive",
    **BUDGETS,
)
def algorithm_6_keeps_its_promise(*, factor=1, **setting):
    """The exact curve of score-only runs; Theorem K.3."""
    return margin_account(bound.margin_budget, factor, **setting)


C_K6 = 144 * sqrt(15.5 + 2 / log(48)) + 12 * sqrt(2)


@order_claim(
    bound.tuned_order,
    constant=C_K6,
    given=[bound.tuned_error_given_drawn],
    nonvacuous_from=lambda: smallest_useful_n(),
    note="the printed last term 12 log(n² |Γ|/δ)/(n ε) is not needed: the first covers the selection; "
    f"outliers cost {tuned_data.OUTLIER:.3g}/γ each",
    **ORDER,
)
def tuned_order_has_a_constant():
    """n in [2, 1e12], |Gamma| <= 1e12, delta in [1e-300, 1), gamma in [1e-3, 1]; epsilon cancels.

    As in Lemma K.5 with 1/mu_b = 12 sqrt(log(A/delta))/epsilon: noise <= 144 sqrt(15.5 + 2/log 48) g (the smallest
    first logarithm is log(4 * 3 * 4)), and E[K | Y] <= n^2 |Gamma|, so the selection is at most 12 sqrt 2 g.
    """
    yield from tuned_data.explicit_within(C_K6, bound.tuned_error_given_drawn, bound.tuned_order, tuned_data.TUNINGS)
    return (yield from search_worst(tuned_data.log_ratio_of_tuning(bound.tuned_term), tuned_data.TUNING_BOX))


@identity_claim(
    bound.tuned_error_given_drawn,
    given=[winner.winner_mean_given_drawn, bound.grid_loss, bound.margin_budget, best_of_runs.score_gdp],
    rounding=1e-9,
    note="√(2 log E[K|Y]) for the largest of K normals, not E[M_K|Y] itself",
)
def lemma_k6_from_its_parts():
    """Lemma K.5 at the budget that line 7 of Algorithm 4 leaves to a run, and Lemma K.4 with its noise, Delta = 1."""
    for place in tuned_data.TUNINGS:
        n, size = place["n"], len(place["gammas"])
        setting = place | {"outliers": [1] * size}
        mu = bound.margin_budget(n=n, size=size, epsilon=place["epsilon"], delta=place["delta"])
        half = best_of_runs.score_gdp(mu=mu, sensitivity=1.0)
        grid = {name: setting[name] for name in ("n", "gammas", "outliers", "rows", "steps")}
        best = bound.grid_loss(**grid, mu=half)
        law = {"eta": 1.0, "r": bound.repetition_r(n, size), "size": size}
        chosen = winner.winner_mean_given_drawn.theorem.formula(**law, sigma=1 / half) / n
        yield setting, best + chosen, bound.tuned_error_given_drawn(**setting)
    return {"tightness": None}


@mean_claim(
    bound.tuned_error_given_drawn,
    quick=(ALONE | {"n": 10, "epsilon": 380.0, "outliers": [0], "steps": [200]},),
    full=(ALONE | {"n": 30, "epsilon": 400.0, "outliers": [1], "steps": [400]},),
    bound=bound.tuned_error_given_drawn,
    high=1.0,
    given=[bound.tuned_error_given_drawn],
    cost=2e-3,
    note="one margin, so that Y is certain; identity projection; errors are at most 1, so a few negated winners stay "
    "within the bound",
    **END_TO_END,
)
def error_given_drawn(rng, size, *, factor=1, **setting):
    """End to end: every run of every tuning is carried out."""
    return tuned_data.errors_of_the_tuned(rng, size, factor, **setting)


if __name__ == "__main__":
    run_script(__file__)
