"""Private tuning of the margin: Lemmas K.5 and K.6, Theorem 7.1 and the text of Section 7 of Wang, Zhu & Wang (2025).

"Loss = O(g)" is decided by our constants: explicit <= C g by a chain of inequalities whose constant is computed here,
and a search over the whole domain that must stay below it. End to end the mechanism runs where that is possible: at
large epsilon and few records, since |Gamma| (n^2 - 1) runs are expected.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from flint import ctx

from bounds.exact.balls import Phi, exact, phi
from bounds.wzw25 import best_of_runs, run_counts, tuned_margin_proof
from bounds.wzw25 import tuned_margin as bound
from bounds.wzw25.algorithms import printed_budget, split_budget
from bounds.wzw25.hinge_gradient import hinge_sum
from bounds.wzw25.margin_grid import grid_size
from bounds.wzw25.noisy_gd import printed_steps
from bounds.wzw25.tuned_margin import repetition_r
from experiments.checks import inequality_claim, order_claim, searched, up_to_one, witness
from experiments.checks.tuning_account import BITS, Runs, account
from experiments.engine.claim import Control, exact_claim, mean_claim, rate_claim, script
from experiments.engine.verdict import inconclusive, refuted
from experiments.instances import tuned_data

OUTLIER = 1 + 3 * sqrt(1.5)  # an outlier costs at most OUTLIER / gamma
ORDER = {"rounding": 1e-6, "tightness": up_to_one, "control": Control("C divided by {}", (2,))}
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
END_TO_END = dict(chunk=10, cap=7, expect=0.1, control=Control("the winner negated with chance 1 - 1/{}", (100,)))


def margin_account(statement, factor, *, epsilon, delta, n, size):
    """Theorem K.3 at r = 1/(|Gamma| (n^2 - 1)): score-only runs with the whole budget, at (epsilon + delta, delta)."""
    r = repetition_r(n, size)
    mu = statement(epsilon=epsilon, delta=delta, n=n, size=size) * factor
    longest = epsilon / (6 * sqrt(2 * (log(1 / r) + log(1 / delta))))
    links = [(mu <= longest * (1 + 1e-12), "the budget exceeds that of Theorem K.3")]
    return account(Runs(mu, r, delta), epsilon + delta, links, f"μ = {mu:.4g}, E K = {1 / r:.6g}")


# Section 7, text ------------------------------------------------------------------------------------------------------

COUNTS = [2, 5, 10, 20, 50, 100, 10**3, 10**4, 10**6, 10**9, 10**12]
SECTION_7 = {
    "quick": ({"n": 100, "epsilon": 1.0, "delta": 1e-5, "gamma": 0.5},),
    "full": ({"n": 10**6, "epsilon": 1.0, "delta": 1e-5, "gamma": 0.01},),
    "control": Control("|Theta|^(1 - 1/{}) times as much", (2,)),
    "tightness": up_to_one,
}


def growth(statement, shape, allowed, factor, setting):
    """The case: bound / `shape`(|Theta|) moves by a factor of at most `allowed` over |Theta| from 2 to 10^12.

    The control multiplies the bound by |Theta|^(1 - 1/factor).
    """
    ratios = [statement(size=c, **setting) * c ** (1 - 1 / factor) / shape(c) for c in COUNTS]
    moves = max(ratios) / min(ratios)
    yield setting, moves, allowed
    series = {"|Theta|": [float(c) for c in COUNTS]}
    for name, other in (("Iter", bound.iterating_bound), ("PrivTune", bound.tuning_bound)):
        series[name] = [other(size=c, **setting) for c in COUNTS]
    return {"note": f"bound / shape moves by a factor {moves:.3g} over |Θ| from 2 to 10^12", "series": series}


@inequality_claim(bound.iterating_bound, note="as |Θ|^½ log^½ |Θ|: the text leaves the second factor out", **SECTION_7)
def iterating_grows_as_a_root(*, factor=1, **setting):
    """The bound over sqrt(|Theta| log(|Theta| n^4)): between two constants, since both of its logarithms are."""
    return growth(bound.iterating_bound, lambda c: sqrt(c * log(c * setting["n"] ** 4)), 3, factor, setting)


def more_for_each_run(size, *, n, epsilon, delta, **_):
    """Is the budget of a run, mu / sqrt 2, larger with PrivTune than with Iter, mu / sqrt(2 |Theta|)?"""
    tune = best_of_runs.tuning_budget(epsilon=epsilon, r=repetition_r(n, size), delta=delta)
    return tune > split_budget(printed_budget(epsilon, delta), size)


@inequality_claim(bound.tuning_bound, given=[bound.tuned_margin_order], **SECTION_7)
def tuning_grows_as_a_logarithm(*, factor=1, **setting):
    """The bound is affine in log |Theta|; the note says from which |Theta| on PrivTune has the larger budget a run."""
    n_over_delta = log(setting["n"]) - log(setting["delta"])
    result = yield from growth(bound.tuning_bound, lambda c: log(c) + n_over_delta, 1 + 1e-9, factor, setting)
    first = next(c for c in range(1, 10**6) if more_for_each_run(c, **setting))
    budgets = f"at the printed calibrations a run has a larger budget than with Iter from |Θ| = {first} on"
    return result | {"note": f"{budgets}; {result['note']}"}


@inequality_claim(
    bound.grids_bound,
    quick=({"m": 10, "K": 3},),
    full=({"m": 2, "K": 1}, {"m": 10**6, "K": 100}),
    control=Control("log(m^K) with m^K to the power {}", (5,), {"m": 2, "K": 1}),
    tightness=up_to_one,
    note="looks too large, and is: K log m instead of K m holds too; O(K m) is an upper bound, so it is not wrong",
)
def grids_cost_little(*, m, K):
    """log(m^K) = K log m <= K m, for all m >= 1 (log m <= m - 1); and (m^K)^{1/2} = m^{K/2}."""
    yield {"m": m, "K": K}, K * log(m), bound.grids_bound(m=m, K=K)


def repetitions_over(order, count, constant):
    """The cases count(n) <= constant * order(n) for n >= 2: all n up to 4096, and around powers of 2 up to 2^59."""
    for n in tuned_data.SIZES:
        yield {"n": n}, count(n), constant * order(n=n)
    far = [2**j for j in range(1, 40)]
    series = {"n": far, "repetitions": [count(n) for n in far], "bound": [constant * order(n=n) for n in far]}
    return {"note": f"C = {constant:.4g}", "series": series}


RUNNING_TIME = {"rounding": 1e-12, "tightness": up_to_one}


@inequality_claim(
    bound.iterations_order,
    caught=(1.1, 2),
    given=("wzw25.lem6.4/printed/size",),
    note="|Γ|, attained at n = 2",
    **RUNNING_TIME,
)
def iterating_is_quick():
    """|Gamma| <= log2 n + 2, and (log2 n + 2)/log n falls."""
    return repetitions_over(bound.iterations_order, lambda n: grid_size(n=n), 2 / log(2))


@inequality_claim(
    bound.repetitions_order,
    caught=(1.1, 2),
    given=("wzw25.lem6.4/printed/size", run_counts.mean),
    note="E K, attained at n = 3",
    **RUNNING_TIME,
)
def tuning_is_slow():
    """E K = 1/r = |Gamma| (n^2 - 1); the largest share of n^2 log n is at n = 3."""
    with ctx.workprec(128):
        constant = float(exact(3) * 8 / (9 * exact(3).log()))
    return repetitions_over(bound.repetitions_order, lambda n: grid_size(n=n) * (n**2 - 1), constant)


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


@order_claim(
    bound.tuned_margin_order,
    constant=144 * sqrt(2 * (24 * (3 + log(3.5) / log(2)) + 2 / log(2))) + 24 * sqrt(2),
    given=[bound.tuned_margin_error],
    note="O(.) for every finite set of positive margins, though the printed proof covers |Θ| ≤ 4 log₂ n; "
    f"outliers cost {OUTLIER:.3g}/γ each",
    **ORDER,
)
def theorem_71_has_a_constant():
    """n in [2, 1e12], |Theta| <= 1e12, delta in [1e-300, 1), gamma in [1e-3, 1]; epsilon cancels.

    The chain of the docstring: 144 sqrt(2 (24 (3 + log 3.5/log 2) + 2/log 2)) + 12 sqrt(2) * 2; both ends of its links
    are compared on a grid.
    """
    for n in (2, 3, 10, 10**3, 10**9):
        for size in (1, 2, 10, 10**9):
            a, spread = log(size * n), log(size * n**2 * (3 * n + 1))
            if spread > (3 + log(3.5) / log(2)) * a * (1 + 1e-12) or log(size * (n**2 - 1)) > 2 * a:
                return inconclusive("FAILED", f"a link of the chain fails at n = {n}, |Theta| = {size}")
    return (yield from searched(tuned_data.log_ratio_of_tuning(bound.margin_term), tuned_data.TUNING_BOX))


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
    given=[bound.tuned_error_given_drawn, tuned_margin_proof.drawn_slack],
    cost=5e-3,
    nonvacuous_from=smallest_useful_n,
    note="end to end, identity projections (Algorithm 6's own grid in profile full); at ε = 1 no run is both feasible "
    "and informative, so ε is large",
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
    control=Control("a bound {} times too small", (10,), of="bound"),
    chunk=500,
    cap=16,
    cost=2.5e-5,
    expect=0.7,
    note="the selection layer alone, run by run in law; scores as far apart as costs most at each n",
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
from bounds.exact.balls import Phi, exact, phi
ctx.prec = 300
n, mu, gamma, k = {point["n"]}, {point["mu"]}, {point["gammas"][0]}, {point["k"]}  # any k will do
s = 3 / (2 * exact(gamma) * (exact(n) ** 2 * exact(mu) ** 2 + 2 * exact(k)).sqrt())
assert s * phi(1 / s) - Phi(-1 / s) > 0"""


@exact_claim(
    bound.grid_loss_order_capped,
    quick=({"n": 2, "mu": 0.7, "beta": 0.1, "gammas": [1.0], "outliers": [1]},),
    full=({"n": 2, "mu": 0.7, "beta": 0.001, "gammas": [0.5], "outliers": [1]},),
    severity="statement",
    corner="the bound without its minimum with 1",
    used=("wzw25.lemK.6", "wzw25.thm7.1"),
    note="the minimum with 1 belongs to the zero-one risk; it fails only where the bound is void",
)
def hinge_loss_exceeds_one(**setting):
    """Two records that cancel, two steps: the loss is 1 at w = 0, and convex. From both sides 1 is subtracted."""
    n, mu, beta, (gamma,) = (setting[name] for name in ("n", "mu", "beta", "gammas"))
    if printed_steps(n, mu) != 2:
        return inconclusive("FAILED", f"T = {printed_steps(n, mu)}")
    k, claimed = bound.projection_rows(n, 1, gamma, beta), bound.grid_loss_order_capped(**setting) - 1
    with ctx.workprec(300):
        excess, most = (excess_after_two_steps(n, mu, gamma, rows) for rows in (k, 1))
        if not excess > claimed:
            return inconclusive("BUDGET", "the cap is above the loss")
        shown = witness.inequality(setting | {"k": k}, excess, claimed, python=loss_exceeds_one(setting | {"k": k}))
    note = f"larger than 1 by {float(excess):.2g} at our k = {k}, by {float(most):.2g} were k = 1"
    return refuted("certificate", shown, note=note)


@order_claim(
    bound.grid_loss_order,
    constant=12 * sqrt(24 + 2 / log(6)),
    given=[bound.grid_loss],
    note="O(.) with the constant C for the noise, and 1 + 3 √1.5 ≤ 4.7 for the outliers; the chain is in the docstring",
    **ORDER,
)
def grid_order_has_a_constant():
    """n in [1, 1e12], |Gamma| <= 1e12, beta >= 1e-277, gamma in [1e-3, 1], mu in [1e-6, 1e3]."""
    box = {"log_n": (0, 27), "log_size": (0, 27), "log_beta": (-640, -1e-12), "gamma": (1e-3, 1), "log_mu": (-14, 7)}
    return searched(tuned_data.log_ratio_of_the_grid, box)


EMPIRICAL = {"n": 20, "mu": 4.0, "gammas": [0.5, 1.0], "rows": [2, 2], "projected": False, "stride": "printed"}


@mean_claim(
    bound.grid_loss,
    quick=(EMPIRICAL | {"outliers": [4, 20], "steps": [100, 100]},),
    full=(EMPIRICAL | {"outliers": [0, 20], "steps": [400, 400]},),
    bound=bound.grid_loss,
    high=tuned_data.largest_mean,
    control=Control("a bound {} times too small", (10,), of="bound"),
    given=("wzw25.lemC.1/explicit/utility", "wzw25.lem6.2/explicit"),
    chunk=500,
    cap=16,
    cost=2e-5,
    expect=0.3,
    note="identity projection; X = (min(loss, M) + τ)/n, and what exceeds M is worth less than τ",
)
def hinge_loss_at_the_best_margin(rng, size, *, n, factor=1, **setting):
    """The averaged hinge loss of Algorithm 1 at gamma = 1/2 on data of that margin: min over gamma is no larger."""
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


@order_claim(
    bound.tuned_order,
    constant=144 * sqrt(24 + 2 / log(48)) + 12 * sqrt(2),
    given=[bound.tuned_error_given_drawn],
    note="the printed last term 12 log(n² |Γ|/δ)/(n ε) is not needed: the first covers the selection; "
    f"outliers cost {OUTLIER:.3g}/γ each",
    **ORDER,
)
def tuned_order_has_a_constant():
    """n in [2, 1e12], |Gamma| <= 1e12, delta in [1e-300, 1), gamma in [1e-3, 1]; epsilon cancels.

    As in Lemma K.5 with 1/mu_b = 12 sqrt(log(A/delta))/epsilon: noise <= 144 sqrt(24 + 2/log 48) g (the smallest first
    logarithm is log(4 * 3 * 4)), and E[K | Y] <= n^2 |Gamma|, so the selection is at most 12 sqrt 2 g.
    """
    return searched(tuned_data.log_ratio_of_tuning(bound.tuned_term), tuned_data.TUNING_BOX)


@mean_claim(
    bound.tuned_error_given_drawn,
    quick=(ALONE | {"n": 10, "epsilon": 380.0, "outliers": [0], "steps": [200]},),
    full=(ALONE | {"n": 30, "epsilon": 400.0, "outliers": [1], "steps": [400]},),
    bound=bound.tuned_error_given_drawn,
    given=("wzw25.lemK.4/corrected/winner", "wzw25.lemC.1/explicit/hinge", "wzw25.lem6.2/explicit"),
    cost=2.5e-3,
    note="one margin, so that Y is certain; identity projection",
    **END_TO_END,
)
def error_given_drawn(rng, size, *, factor=1, **setting):
    """End to end: every run of every tuning is carried out."""
    return tuned_data.errors_of_the_tuned(rng, size, factor, **setting)


if __name__ == "__main__":
    script(__spec__.name)
