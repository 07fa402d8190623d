"""Lemma D.1 of Bassily, Mohri & Suresh (2022): do random signs keep products with a matrix?"""

from itertools import product
from math import cosh, log, sqrt

import numpy as np
from flint import arb

from lemmata.bounds.bms22 import matrix_projection as bounds
from lemmata.bounds.theorem import require
from lemmata.experiments.checks import (
    Control,
    grid,
    inconclusive,
    inequality_claim,
    order_claim,
    run_script,
    tail_claim,
)
from lemmata.mechanisms.features.sign_projection import sign_projection

# The printed deviation ------------------------------------------------------------------------------------------------

ALL_EQUAL = """
import numpy as np
from lemmata.bounds.bms22.matrix_projection import {name}
# k = N = m = 1, W = z = (1, ..., 1) in R^p: all p signs agree with probability 2^(1-p) > beta = 2^-p.
rows = np.array([[1 - 2 * (i >> j & 1) for j in range(10)] for i in range(2**10)])  # p = 10, all of them
assert np.mean(rows.sum(axis=1) ** 2 == 10**2) == 2.0**-9 > 2.0**-10
# Then the distortion is p - 1, so c > 3.4 at p = 10, c > 37 at p = 1000, and so on.
assert 10 - 1 > 3.4 * {name}(m=1, k=1, beta=2.0**-10)
assert 1000 - 1 > 37 * {name}(m=1, k=1, beta=2.0**-1000)
"""


def all_signs_agree(deviation):
    """W = z = (1, ..., 1) in R^p, k = N = m = 1, beta = 2^{-p}: c >= (p - 1)/sqrt(p log 2), without bound."""
    for p in (10, 100, 1000):
        beta, (chance, distortion) = 2.0**-p, bounds.all_signs_equal(p)
        if chance > beta:
            yield {"m": 1, "k": 1, "p": p, "beta": beta}, distortion, deviation(m=1, k=1, beta=beta)
    axis = [4, 16, 64, 256, 1000]
    distortions = [float(bounds.all_signs_equal(p)[1]) for p in axis]
    allowed = [deviation(m=1, k=1, beta=2.0**-p) for p in axis]
    return {"series": {"p": [float(p) for p in axis], "distortion": distortions, "times c": allowed}}


PARTS = ("norm", "products")
NOTE = (
    "A sub-Gaussian tail is claimed for a sub-exponential quantity, so the bound is false once "
    "log(m/β) is much larger than k. It is true with one c when k ≥ log(m/β) ≥ log 2. Claims D.2 and "
    "D.3 (β ≤ 1/2) use it there: for β/(4L), and with k = 10ĉ² (rΛ(2ηΛ)ᴸ⁻¹/ρ)² log(Lm/β) ≥ 10ĉ² "
    "log(Lm/β) unless ρ > rηᴸ⁻¹Λᴸ, where every margin loss is 1. "
)


# k >= 10 log(L m/beta): what the proofs of Claims D.2 and D.3 set, for a chance of beta/(4 L), beta <= 1/2 as in these
TEN_LOGS = [{"m": m, "k": 10 * log(m / beta), "beta": beta / 4} for m in (1, 10**6) for beta in (1e-9, 0.5)]
PRINTED = {
    "family": "W = z = (1, ..., 1) in R^p, k = N = m = 1, beta = 2^-p < 2^(1-p) = P(all signs agree)",
    "growth": 3,
    "severity": "statement",
    "corner": require("k ≥ log(m/β) ≥ log 2", lambda m, k, beta: k >= log(m / beta) >= log(2)),
    "used": {"bms22.clmD.2": TEN_LOGS, "bms22.clmD.3": TEN_LOGS},
    "corrected_by": "bms22.lemD.1/corrected",
}


@order_claim(
    bounds.norm_deviation,
    python=ALL_EQUAL.format(name="norm_deviation"),
    note=NOTE + ("The statement is right not to contain N, because an average over columns has the tail of one column"),
    **PRINTED,
)
def norm_printed():
    """The first inequality at k = 1."""
    return all_signs_agree(bounds.norm_deviation)


@order_claim(
    bounds.product_deviation,
    python=ALL_EQUAL.format(name="product_deviation"),
    note=NOTE
    + (
        "It is also false for m = 1 as β → 1: with k = 1 and w = z = (1, 1) the error is ‖w‖ ‖z‖ for "
        "certain. The statement is right not to contain N"
    ),
    **PRINTED,
)
def products_printed():
    """The second inequality at k = 1."""
    return all_signs_agree(bounds.product_deviation)


@inequality_claim(
    bounds.repaired_deviations,
    control=Control("the constant 16 divided by {}", (1.25, 1.3, 1.6)),
    given=[bounds.deviations],
    rounding=1e-9,
    note="log(3x) ≤ (log 6/log 2) log x for x = m/β ≥ 2, and log(m/β)/k ≤ 1",
)
def repaired():
    """The explicit pair is at most 16 sqrt(log(m/beta)/k) under the added hypotheses: r = log 6/log 2 in balls."""
    for s in grid(m=[1, 2, 10, 10**6], k=[1, 2, 10, 1000], beta=[1e-12, 1e-3, 0.1, 0.5, 0.999]):
        if s["m"] >= 2 * s["beta"] and s["k"] >= log(s["m"] / s["beta"]):
            for part, left, right in zip(PARTS, bounds.deviations(**s), bounds.repaired_deviations(**s), strict=True):
                yield s | {"of": part}, left, right
    r = arb(6).log() / arb(2).log()
    if not (2 * r.sqrt() + 2 * r <= bounds.REPAIRED and (12 * r).sqrt() + 4 * r <= bounds.REPAIRED):
        return inconclusive("NO_CONSTANT", "the certificate did not close")


# The explicit deviations ----------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.deviations,
    quick=grid(beta=[1e-12, 0.1, 0.999]),
    control=Control("deviations of {} times as many rows", (1.01, 2)),
    given=[bounds.column_average, bounds.product_mgf],
    rounding=1e-9,
    note="Chernoff's bound is exp(−t) for a sub-gamma variable at √(2vt) + ct, and at most exp(−t) for the chi-square",
)
def deviations_are_enough(*, beta, factor=1):
    """Chernoff's bounds at the explicit deviations add up to at most beta."""
    for m, k in product([1, 5, 10**6], [1, 10, 1000, 10**9]):
        norm, error = bounds.deviations.theorem.formula(m=m, k=k * factor, beta=beta)
        yield {"m": m, "k": k, "beta": beta}, bounds.failure_of_deviations(m=m, k=k, norm=norm, product=error), beta


@tail_claim(
    bounds.deviations,
    law="sign_projection",
    quick=({"m": 3, "k": 200, "p": 256, "columns": 5, "beta": 0.1},),
    full=(
        {"m": 1, "k": 1, "p": 2, "columns": 1, "beta": 0.1},
        {"m": 1, "k": 3, "p": 64, "columns": 1, "beta": 0.01},
        {"m": 10, "k": 50, "p": 200, "columns": 100, "beta": 0.05},
    ),
    control=Control("only 1/{} of the rows", (20, 25)),
    chunk=lambda *, beta, **setting: round(10 / beta),
    cap=12,
    cost=2e-4,
    expect=0.01,
    note=(
        "the check detects no factor below 20: the bound has 12t + 4t√(t/k) for a variance of at most 2, "
        "and its union bound adds up events that seldom occur alone"
    ),
)
def products_break(rng, size, *, m, k, p, columns, beta, factor=1):
    """Draw W, the z_i and Phi afresh: did Lemma D.1 fail? Half the W have parallel columns; z_1 is a column of W."""
    norm, error = bounds.deviations(m=m, k=k, beta=beta)
    broken = np.empty(size, dtype=bool)
    for trial in range(size):
        W = rng.normal(size=(p, columns))
        if trial % 2:
            W = W[:, :1] * rng.normal(size=columns)
        Z = rng.normal(size=(m, p))
        Z[0] = W[:, 0]
        phi = sign_projection(max(1, int(k / factor)), p, rng=rng)
        both = phi.apply(np.vstack([W.T, Z]))
        broken[trial] = not bounds.products_preserved(W, Z, both[:columns].T, both[columns:], norm, error)
    return broken


# Why N does not appear, and the mgf of one product --------------------------------------------------------------------


def signs(p):
    """All sign vectors of length p, shape (2^p, p)."""
    return np.array(list(product((1.0, -1.0), repeat=p)))


@inequality_claim(
    bounds.column_average,
    quick=grid(rate=[0.1, 1.0]),
    control=Control("the right-hand side divided by {}", (1.001, 1.5), setting={"rate": 1.0}),
    note="Jensen's inequality for x ↦ cosh(λ √x), whose Taylor coefficients are positive, with equality for one column",
)
def columns_average(*, rate):
    """One row of signs in R^4, all 16 of them: E cosh(rate sqrt(V)) for several weights, at most the worst column's."""
    columns = np.array([[1, 0, 0, 0], [0.6, 0.8, 0, 0], [0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]])
    z = columns[2]
    errors = (signs(4) @ columns.T) * (signs(4) @ z)[:, None] - columns @ z  # (16, 4)
    alone = np.cosh(rate * errors).mean(0)
    for weights in ((0.25,) * 4, (1, 0, 0, 0), (0, 0, 1, 0), (0, 0.5, 0, 0.5), (0.1, 0.2, 0.7, 0)):
        together = np.mean([cosh(rate * sqrt(v)) for v in errors**2 @ np.array(weights)])
        claimed = bounds.column_average(weights=weights, column_values=alone)
        yield {"rate": rate, "weights": weights}, together, claimed


@inequality_claim(
    bounds.product_mgf,
    quick=grid(rate=[0.01, 0.2]),
    full=grid(rate=[1e-6, 0.1, 0.249]),
    control=Control("the right-hand side divided by {}", (1.05, 2), setting={"rate": 0.01}),
    note="by Cauchy–Schwarz and two moment generating functions, see the derivation",
)
def one_product(*, rate, factor=1):
    """The split mgf at |a|^2 in [0, 4]; log E exp(rate (<s,w><s,z> - <w,z>)) over all signs in R^10, never above."""
    for small, i in product((rate, 1e-9), range(65)):
        yield {"rate": small, "|a|²": i / 16}, bounds.split_mgf(small, i / 16), bounds.product_mgf(rate=small) / factor
    s, spread, other = signs(10), np.ones(10) / sqrt(10), np.repeat([1.0, -1.0], 5) / sqrt(10)
    few, decay = np.array([1.0, 1.0] + [0.0] * 8) / sqrt(2), 0.7 ** np.arange(10)
    vectors = [spread, other, few, decay / np.linalg.norm(decay), np.eye(10)[0]]
    for w, z in product(vectors, [*vectors, *(-v for v in vectors)]):
        log_mean = np.log(np.mean(np.exp(rate * ((s @ w) * (s @ z) - w @ z))))
        square = np.sum((w + z) ** 2)
        yield {"rate": rate, "w": w, "z": z}, log_mean, bounds.split_mgf(rate, square) * (1 + 1e-9) / factor


if __name__ == "__main__":
    run_script(__file__)
