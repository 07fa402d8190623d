"""The costs of private tuning and of trying all candidates: the text of Section 7 of Wang, Zhu & Wang (2025)."""

from itertools import product
from math import log, sqrt

from flint import ctx

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.wzw25 import best_of_runs, run_counts, tuned_margin, tuning_costs as bound
from lemmata.bounds.wzw25.algorithms import printed_budget, split_budget
from lemmata.bounds.wzw25.margin_grid import grid_size
from lemmata.bounds.wzw25.whole_grid_proof import term_a, term_b
from lemmata.experiments.checks import Control, inequality_claim, order_claim, run_script, up_to_one
from lemmata.experiments.instances.datasets import tuned_data

COUNTS = [2, 5, 10, 20, 50, 100, 10**3, 10**4, 10**6, 10**9, 10**12]
SECTION_7 = {
    "quick": ({"n": 100, "epsilon": 1.0, "delta": 1e-5, "gamma": 0.5},),
    "full": ({"n": 10**6, "epsilon": 1.0, "delta": 1e-5, "gamma": 0.01},),
    "control": Control("|Theta|^(1 - 1/{}) times as much", (1.01, 1.1, 2)),
    "tightness": up_to_one,
}


def growth(statement, shape, allowed, factor, setting):
    """The case: bound / `shape`(|Theta|) moves by a factor of at most `allowed` over |Theta| from 2 to 10¹².

    The control multiplies the bound by |Theta|^(1 - 1/factor).
    """
    ratios = [statement(size=c, **setting) * c ** (1 - 1 / factor) / shape(c) for c in COUNTS]
    moves = max(ratios) / min(ratios)
    yield setting, moves, allowed
    series = {"|Theta|": [float(c) for c in COUNTS]}
    for name, other in (("Iter", bound.iterating_bound_with_logarithm), ("PrivTune", bound.tuning_bound)):
        series[name] = [other(size=c, **setting) for c in COUNTS]
    return {"note": f"bound / shape moves by a factor {moves:.3g} over |Θ| from 2 to 10¹²", "series": series}


ROOT = """from math import sqrt
from lemmata.bounds.wzw25.tuning_costs import iterating_bound
place = dict(n=100, epsilon=1.0, delta=1e-5, gamma=0.5)
ratios = [iterating_bound(size=size, **place) / sqrt(size) for size in (2, 10**30, 10**300)]
assert ratios[2] > 2 * ratios[1] > 4 * ratios[0]  # as sqrt(log |Theta|), without end"""


@order_claim(
    bound.iterating_bound,
    family="|Θ| → ∞ at n = 100, ε = 1, δ = 1e-5, γ = 1/2",
    growth=2,
    severity="constant",
    finding="one growth rate leaves out √log |Θ|",
    python=ROOT,
    note="Equation 17, to which the text refers, has √(|Θ| log |Θ|); the second factor is omitted",
)
def a_root_is_not_enough():
    """The bound against sqrt(|Theta|): the ratio grows as sqrt(log |Theta|)."""
    for size in (2, 10**30, 10**300):
        point = {"size": size, "n": 100, "epsilon": 1.0, "delta": 1e-5, "gamma": 0.5}
        yield point, bound.iterating_bound(**point), sqrt(size)


@inequality_claim(
    bound.iterating_bound_with_logarithm,
    given=("wzw25.lemH.2.s2/printed", "wzw25.lemH.2.s3/printed"),
    **SECTION_7,
)
def iterating_grows_as_a_root(*, factor=1, **setting):
    """The bound over sqrt(|Theta| log(|Theta| n^4)): between two constants, since both of its logarithms are.

    At |Theta| = 4 log2 n, the proof's bound on |Gamma|, it is the sum of Equations 16 and 17.
    """
    n, epsilon, delta, gamma = (setting[name] for name in ("n", "epsilon", "delta", "gamma"))
    printed = term_a(n=n, epsilon=epsilon, delta=delta, gamma=gamma, beta=n**-2) + term_b(
        n=n, epsilon=epsilon, delta=delta
    )
    ours = bound.iterating_bound.theorem.formula(size=tuned_margin.most_margins(n=n), **setting)
    yield setting | {"|Theta|": "4 log2 n"}, printed, ours * (1 + 1e-12)
    yield setting | {"|Theta|": "4 log2 n"}, ours, printed * (1 + 1e-12)
    return (
        yield from growth(
            bound.iterating_bound_with_logarithm, lambda c: sqrt(c * log(c * setting["n"] ** 4)), 3, factor, setting
        )
    )


def more_for_each_run(size, *, n, epsilon, delta, **_):
    """Is the budget of a run, mu / sqrt 2, larger with PrivTune than with Iter, mu / sqrt(2 |Theta|)?"""
    tune = best_of_runs.tuning_budget(epsilon=epsilon, r=tuned_margin.repetition_r(n, size), delta=delta)
    return tune > split_budget(printed_budget(epsilon, delta), size)


@inequality_claim(bound.tuning_bound, given=[tuned_margin.tuned_margin_order], **SECTION_7)
def tuning_grows_as_a_logarithm(*, factor=1, **setting):
    """The bound is affine in log |Theta|; the note says from which |Theta| on PrivTune has the larger budget a run."""
    n_over_delta = log(setting["n"]) - log(setting["delta"])
    for size in (1, 2, 100):
        grids = {"gammas": [setting["gamma"]] * size, "outliers": [0] * size}
        theorem = {name: setting[name] for name in ("n", "epsilon", "delta")} | grids
        printed = tuned_margin.tuned_margin_order(**theorem) - 1 / setting["n"] ** 2
        ours = bound.tuning_bound(size=size, **setting)
        yield setting | {"size": size}, printed, ours * (1 + 1e-9)
        yield setting | {"size": size}, ours, printed * (1 + 1e-9)
    result = yield from growth(bound.tuning_bound, lambda c: log(c) + n_over_delta, 1 + 1e-9, factor, setting)
    first = next(c for c in range(1, 10**6) if more_for_each_run(c, **setting))
    budgets = f"at the printed calibrations a run has a larger budget than with Iter from |Θ| = {first} on"
    return result | {"note": f"{budgets}; {result['note']}"}


@order_claim(
    bound.grids_bound,
    constant=log(3) / 3,
    control=Control("C divided by {}", (1.05, 2)),
    note="larger than needed: K log m in place of K m holds too. O(K m) is an upper bound, so it is not wrong",
)
def grids_cost_little():
    """log(m^K) = K log m, and log m / m increases up to m = e and decreases from there: the largest value at a whole m
    is at m = 3."""
    for m, K in product((2, 3, 4, 10, 10**6), (1, 3, 100)):
        yield {"m": m, "K": K}, K * log(m), bound.grids_bound(m=m, K=K)


def repetitions_over(order, count, constant):
    """The cases count(n) <= constant * order(n) for n >= 2: all n up to 4096, and around powers of 2 up to 2^59."""
    for n in tuned_data.SIZES:
        yield {"n": n}, count(n), constant * order(n=n)
    far = [2**j for j in range(1, 40)]
    series = {"n": far, "repetitions": [count(n) for n in far], "bound": [constant * order(n=n) for n in far]}
    return {"note": f"C = {constant:.4g}", "series": series}


RUNNING_TIME = {"tightness": up_to_one}


@inequality_claim(
    bound.iterations_order,
    caught=(1.1, 2),
    given=("wzw25.lem6.4/printed/size",),
    note="|Γ|, attained at n = 2",
    **RUNNING_TIME,
)
def iterating_is_quick():
    """|Gamma| <= log2 n + 2, and (log2 n + 2)/log n decreases."""
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


@order_claim(
    bound.projection_factor,
    family="n → ∞ at the power 0.1; for every other power > 0 likewise, later",
    severity="constant",
    misprint="read polylog(n) for poly(n): k has the logarithm of n, and Õ hides polylog(n) only",
    python="""from lemmata.bounds.wzw25.tuning_costs import projection_factor, projection_logarithm
ratios = [projection_factor(n=n, power=0.1) / projection_logarithm(n=n) for n in (10**50, 10**100, 10**150)]
assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]  # n^0.1 over the factor that projection has; so for every power""",
    note="the number of rows k has the factor log((n+1)(n+2)/β), which is smaller than every power of n (cf. Lemma "
    "6.2)",
)
def projection_has_no_power():
    """n^0.1 over the factor that random projection has."""
    for n in (10**50, 10**100, 10**150):
        yield {"n": n, "power": 0.1}, bound.projection_factor(n=n, power=0.1), bound.projection_logarithm(n=n)


@order_claim(
    bound.projection_logarithm,
    constant=0.48,
    given=("wzw25.lem6.4/printed/size",),
    tightness=up_to_one,
    note="the two are of the same order: |Γ| is dominated up to a constant",
)
def grids_are_small_beside_it():
    """|Gamma| over the logarithm: all n up to 4096, and around powers of 2."""
    for n in tuned_data.SIZES:
        yield {"n": n}, grid_size(n=n), bound.projection_logarithm(n=n)


if __name__ == "__main__":
    run_script(__file__)
