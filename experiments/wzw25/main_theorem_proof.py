"""Private learning generalises: our proof of Theorem L.2 of Wang, Zhu & Wang (2025), with the empirical score."""

from functools import partial
from itertools import product
from math import ceil, log, sqrt

import numpy as np

from lemmata.bounds.exact.numbers import exp
from lemmata.bounds.exact.privacy_curves import closed_form
from lemmata.bounds.wzw25 import algorithms as numbers, main_theorem as bounds, whole_grid
from lemmata.experiments.checks import equality, inequality_claim, run_script, up_to_one
from lemmata.experiments.instances.datasets import margin_orders
from lemmata.experiments.wzw25.whole_grid import TAIL_LOGS
from lemmata.experiments.wzw25.whole_grid_proof import useful_from

# Theorem L.2 (corrected, explicit) ------------------------------------------------------------------------------------


def modest(sizes=(2, 3, 100, 1023, 10**6, 2**50 - 1)):
    """Settings with epsilon <= 8 and delta <= 1/n, radius 10, margins on, between and below those of the grid."""
    for n, delta, epsilon in product(sizes, (1.0, 1e-5, 1e-200), (8.0, 1.0, 1e-3)):
        if epsilon >= -8 * log(delta / n):  # outside the range of the privacy
            continue
        for share, outliers in product((1e-6 / n, 1.999 / n, n**-0.25, 0.4999, 0.999, 1.0), (0, 1, n - 1)):
            yield dict(n=n, gamma=10 * share, outliers=outliers, epsilon=epsilon, delta=delta / n, radius=10.0)


PRICE = 425.0  # e^(a + 1) / (1 + epsilon), at most, for n >= 4e5; for smaller n the order is above 1/C


def capped(**point):
    """The explicit bound of Theorem L.2 at lambda = 1, for every S_out at once; a risk is at most 1."""
    return min(1.0, bounds.scaled_risk(**point, rate=1.0))


def price_of_generalising(epsilon, y):
    """e^(a + 1) / (1 + epsilon), at most: a <= epsilon^2 y/16 + epsilon sqrt(3)/2 with y = 1/log n, delta <= 1/n.

    The explicit bound has Q e^(a + 1), and Q's noise is O(b^2/(n gamma^2 epsilon)) where the order has that times
    1 + epsilon.
    """
    return exp(1 + epsilon**2 * y / 16 + epsilon * sqrt(0.75)) / (1 + epsilon)


@margin_orders.all_logs_order(
    bounds.scaled_rate_modest,
    capped,
    extra=lambda n: 0.0,
    constant=PRICE * margin_orders.TAIL_OFF_GRID,
    proofs=[
        *margin_orders.LAST_PROOFS,
        (price_of_generalising, {"epsilon": (0.0, 8.0), "y": (0.0, 1 / log(4e5))}, PRICE),
    ],
    given=[bounds.scaled_risk],
    nonvacuous_from=partial(useful_from, partial(bounds.scaled_risk, radius=1.0, rate=1.0)),
    cost=0.3,
    note=f"{TAIL_LOGS}, at every term; eᵃ⁺¹ ≤ {PRICE:g} (1 + ε), as a ≤ ε²/(16 log n) + ε √3/2 and n ≥ 4·10⁵; "
    "for smaller n, C/n > 1. Not by Appendix I, whose argument needs the penalised score, but because private "
    "learning generalises",
)
def privacy_generalises():
    """The explicit bound over the order."""
    return modest()


@inequality_claim(
    bounds.scaled_risk,
    evidence="composition",
    given=[whole_grid.quantile_off_grid, bounds.private_gap, "wzw25.lemE.1/printed"],
    nonvacuous_from=partial(useful_from, partial(bounds.scaled_risk, radius=1.0, rate=1.0)),
    rounding=1e-9,
    tightness=up_to_one,
    note="3/n² for the error on the data, 1/n² for the gap",
)
def empirical_score_generalises():
    """Step s2 with beta = 1/n^2 at an epsilon where the budget of M* leaves n^-3, by Lemma E.1 and its exact curve."""
    for point in modest((2, 100, 10**6)):
        n, mu = point["n"], numbers.unlimited_budget(point["epsilon"], point["delta"])
        spent = mu**2 / 2 + mu * sqrt(6 * log(n))
        yield point, float(closed_form(spent, mu)), n**-3.0
        error = whole_grid.quantile_off_grid(**point)
        run = dict(n=n, epsilon=spent, delta=n**-3.0, beta=n**-2.0, empirical=min(error, 1.0), runs=n**2)
        for rate in (0.1, 1.0, 3.0):
            point["rate"] = rate
            yield dict(point), bounds.private_gap(**run, rate=rate), bounds.scaled_risk(**point)


@inequality_claim(bounds.expected_gap, tightness=equality, note="attained in both terms")
def replacing_a_record():
    """Two algorithms on one record, uniform on N symbols, whose population risk is known.

    Errs on one symbol, on the record's own e^epsilon times less often than on another: risk 1/N. Errs on a random half
    of the symbols, with probability 2 delta on one without the record: risk 1/2, error on the record 1/2 - delta.
    """
    for epsilon, N in product((0.0, 0.5, 3.0), (2, 10, 10**12)):
        seen = 1 / (1 + (N - 1) * exp(epsilon))
        yield {"epsilon": epsilon, "N": N}, 1 / N, bounds.expected_gap(epsilon=epsilon, delta=0.0, empirical=seen)
    for delta in (0.01, 0.25, 0.5):
        yield {"delta": delta}, 0.5, bounds.expected_gap(epsilon=0.0, delta=delta, empirical=0.5 - delta)


@inequality_claim(bounds.private_gap, given=[bounds.expected_gap], rounding=1e-9, tightness=up_to_one, cost=0.02)
def monitor_of_many_runs():
    """The links of the monitor: the remainder for a level t, its factor, and the entropy.

    Left: what E max q can be, (c/lambda) log(k+1) + n k delta; right: 1 - (1-beta)^k times n t, if t is passed too
    often.
    """
    rng = np.random.default_rng(0)
    sizes = product((1, 50, 10**6), (0.0, 1.0), (0.0, 1e-9), (0.5, 1e-2, 1e-6), (0.1, 1.0, 3.0), (1, 3))
    for n, epsilon, delta, beta, rate, times in sizes:
        k, c = ceil(times / beta), exp(epsilon + rate)
        setting = {"n": n, "epsilon": epsilon, "delta": delta, "beta": beta, "rate": rate, "runs": k}
        t = bounds.private_gap(**setting, empirical=0.0)
        top = n * k * bounds.expected_gap(epsilon=epsilon + rate, delta=delta, empirical=0.0) + c * log(k + 1) / rate
        yield setting, top, n * t * (1 - (1 - beta) ** k)
        gain = bounds.private_gap(**setting, empirical=0.25) - t
        yield setting, bounds.expected_gap(epsilon=epsilon + rate, delta=0.0, empirical=0.25), gain
        q = np.append(0.0, rng.uniform(-c * n, n, size=min(k, 1000)))  # largest - mean <= (c / rate) log(k+1)
        share = np.exp((q - q.max()) * rate / c)
        yield setting, float(q.max() - q @ share / share.sum()), c * log(len(q)) / rate


if __name__ == "__main__":
    run_script(__file__)
