"""Private learning generalises: our proof of Theorem L.2 of Wang, Zhu & Wang (2025), with the empirical score."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import ceil, exp, log, sqrt

import numpy as np
from scipy.stats import norm

from bounds.exact.privacy_curves import closed_form
from bounds.exact.sampled_gaussian import gaussian_curve, step_delta
from bounds.wzw25 import algorithms as numbers
from bounds.wzw25 import main_theorem as bounds
from bounds.wzw25 import main_theorem_proof as steps
from bounds.wzw25 import whole_grid
from experiments.checks import equality, inequality_claim, up_to_one
from experiments.engine.claim import script
from experiments.instances import margin_orders
from experiments.instances.margin_orders import LAST_PROOFS, all_logs_order
from experiments.wzw25.whole_grid import TAIL_LOGS
from experiments.wzw25.whole_grid_proof import useful_from

# Theorem L.2 (corrected, explicit) ------------------------------------------------------------------------------------


def modest(sizes=(2, 3, 100, 1023, 10**6, 10**15)):
    """Settings with epsilon <= 1 and delta <= 1/n, radius 10, margins on, between and below those of the grid."""
    for n, delta, epsilon in product(sizes, (1.0, 1e-5, 1e-200), (1.0, 1e-3)):
        for share, outliers in product((1e-6 / n, 1.999 / n, n**-0.25, 0.5, 0.999, 1.0), (0, 1, n - 1)):
            yield dict(n=n, gamma=10 * share, outliers=outliers, epsilon=epsilon, delta=delta / n, radius=10.0)


def capped(**point):
    """The explicit bound of Theorem L.2; a risk is at most 1."""
    return min(1.0, bounds.scaled_risk(**point))


@all_logs_order(
    bounds.scaled_rate_modest,
    capped,
    extra=lambda n: 0.0,
    constant=7.08 * margin_orders.TAIL_OFF_GRID,
    proofs=LAST_PROOFS,
    given=[bounds.scaled_risk],
    nonvacuous_from=partial(useful_from, partial(bounds.scaled_risk, radius=1.0)),
    cost=0.3,
    note=f"{TAIL_LOGS}, at every term; eᵃ⁺¹ ≤ 7.08, as a ≤ 1/(16 log n) + √3/2. Not by Appendix I, whose argument "
    "needs the penalised score, but because private learning generalises",
)
def privacy_generalises():
    """The explicit bound over the order."""
    return modest()


@inequality_claim(
    bounds.scaled_risk,
    given=[whole_grid.quantile_off_grid, steps.private_gap, "wzw25.lemE.1/printed"],
    nonvacuous_from=partial(useful_from, partial(bounds.scaled_risk, radius=1.0)),
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
        gap = steps.private_gap(n=n, epsilon=spent, delta=n**-3.0, beta=n**-2.0, empirical=min(error, 1.0))
        yield point, gap, bounds.scaled_risk(**point)


@inequality_claim(steps.expected_gap, rounding=1e-12, tightness=equality, note="attained in both terms")
def replacing_a_record():
    """Two algorithms on one record, uniform on N symbols, whose population risk is known.

    Errs on one symbol, on the record's own e^epsilon times less often than on another: risk 1/N. Errs on a random half
    of the symbols, with probability 2 delta on one without the record: risk 1/2, error on the record 1/2 - delta.
    """
    for epsilon, N in product((0.0, 0.5, 3.0), (2, 10, 10**12)):
        seen = 1 / (1 + (N - 1) * exp(epsilon))
        yield {"epsilon": epsilon, "N": N}, 1 / N, steps.expected_gap(epsilon=epsilon, delta=0.0, empirical=seen)
    for delta in (0.01, 0.25, 0.5):
        yield {"delta": delta}, 0.5, steps.expected_gap(epsilon=0.0, delta=delta, empirical=0.5 - delta)


@inequality_claim(
    steps.private_gap, given=[steps.expected_gap], caught=(1.01, 2), rounding=1e-9, tightness=up_to_one, cost=0.1
)
def monitor_of_many_runs():
    """The links of the monitor: what is left for a level t, its factor, and the entropy.

    Left: what E max q can be, c log(k+1) + n k delta; right: the share 1 - (1-beta)^k of n t, if t is passed too often.
    """
    rng = np.random.default_rng(0)
    for n, epsilon, delta, beta in product((1, 50, 10**6), (0.0, 1.0), (0.0, 1e-9), (0.5, 1e-2, 1e-6)):
        setting = {"n": n, "epsilon": epsilon, "delta": delta, "beta": beta}
        k, c = ceil(1 / beta), exp(epsilon + 1)
        t = steps.private_gap(**setting, empirical=0.0)
        top = n * k * steps.expected_gap(epsilon=epsilon + 1, delta=delta, empirical=0.0) + c * log(k + 1)
        yield setting, top, n * t * (1 - (1 - beta) ** k)
        gain = steps.private_gap(**setting, empirical=0.25) - t
        yield setting, steps.expected_gap(epsilon=epsilon + 1, delta=0.0, empirical=0.25), gain
        q = np.append(0.0, rng.uniform(-c * n, n, size=min(k, 1000)))  # largest - mean under exp(q / c) <= c log(k+1)
        share = np.exp((q - q.max()) / c)
        yield setting, float(q.max() - q @ share / share.sum()), c * log(len(q))


# Theorem 4.1 on random batches ----------------------------------------------------------------------------------------

LINE = np.linspace(-14, 14, 601)  # of x, in standard deviations
BETWEEN = np.linspace(-3, 4, 201)  # of epsilon after the first step


def one_step(epsilon, rate, first, second):
    """delta(epsilon) of one step between gradients `first` and `second` in the plane, by a sum to half a per cent."""
    x, y = np.meshgrid(*[np.linspace(-8, 8, 201)] * 2)

    def density(g):
        at = [np.exp(-((x - u) ** 2 + (y - v) ** 2) / 2) / (2 * np.pi) for u, v in ((0, 0), g)]
        return (1 - rate) * at[0] + rate * at[1]

    return float(np.maximum(density(first) - exp(epsilon) * density(second), 0).sum() * (x[0, 1] - x[0, 0]) ** 2)


def half_lines(epsilon, rate, a):
    """sup over k of q Phi(k) - (e^epsilon - 1)(1-q) Phi(k-a) - e^epsilon q Phi(k-2a)."""
    k = LINE + a
    lost = (exp(epsilon) - 1) * (1 - rate) * norm.cdf(k - a) + exp(epsilon) * rate * norm.cdf(k - 2 * a)
    return max(0.0, float((rate * norm.cdf(k) - lost).max()))


def after_a_step(curve, epsilon, rate, a):
    """E_P[curve(epsilon - loss)]: what one more step adds to a curve that is known for every real argument."""
    weights = [np.exp(-((LINE - centre) ** 2) / 2) / sqrt(2 * np.pi) for centre in (0, a, -a)]
    up, down = ((1 - rate) * weights[0] + rate * weight for weight in weights[1:])
    return float((curve(epsilon - np.log(up / down)) * up).sum() * (LINE[1] - LINE[0]))


@inequality_claim(
    steps.batches_privacy,
    given=["wzw25.lemE.1/printed"],
    cites=("Dong, Roth & Su 2022, composition of dominating pairs",),
    rounding=1e-4,
    caught=(1.01, 2),
    cost=0.4,
    note="equality but for the grid of losses, which adds less than a hundredth to a curve that is not far in its tail",
)
def batches_are_dominated_on_the_line():
    """One step: two records in the plane, half-lines, the formula; two steps and a score by integrals; all records."""
    for rate, a, epsilon in product((0.05, 0.3, 1.0), (0.5, 1.0), (0.0, 0.05, 0.3)):
        setting = {"epsilon": epsilon, "rate": rate, "scale": a, "steps": 1, "mu": 1e-6}
        line, formula = half_lines(epsilon, rate, a), step_delta(epsilon, rate, a)
        for angle, length in ((np.pi, 1.0), (np.pi, 0.5), (2.0, 1.0), (0.5, 1.0), (0.5, 0.0)):
            other = (length * a * np.cos(angle), length * a * np.sin(angle))
            yield setting | {"angle": angle}, one_step(epsilon, rate, (a, 0), other) * (1 - 5e-3), line
        yield setting, line, formula
        yield setting, formula, steps.batches_privacy(**setting)
    for rate, a, mu in product((0.05, 0.3, 1.0), (0.3, 1.0), (0.4, 0.8)):
        score = partial(gaussian_curve, mu=mu)
        further = [after_a_step(score, t, rate, a) for t in BETWEEN]
        chords = partial(np.interp, xp=BETWEEN, fp=further)  # above the curve, which is convex, by half a per cent
        for epsilon in (0.1, 1.0):
            setting = {"epsilon": epsilon, "rate": rate, "scale": a, "mu": mu}
            once, twice = (after_a_step(curve, epsilon, rate, a) for curve in (score, chords))
            yield setting | {"steps": 1}, once, steps.batches_privacy(**setting, steps=1)
            yield setting | {"steps": 2}, twice * (1 - 5e-3), steps.batches_privacy(**setting, steps=2)
    for n_steps, a, mu, epsilon in product((1, 100, 10**4), (1e-3, 0.1), (0.2, 2.0), (0.0, 1.0)):
        total = sqrt(n_steps * (2 * a) ** 2 + mu**2)
        setting = {"epsilon": epsilon, "rate": 1.0, "scale": a, "steps": n_steps, "mu": mu}
        yield setting, float(closed_form(epsilon, total)), steps.batches_privacy(**setting)


if __name__ == "__main__":
    script(__spec__.name)
