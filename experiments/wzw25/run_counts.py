"""The truncated negative binomial law of the number of runs: Definition A.1 to Lemma A.4 of Wang, Zhu & Wang (2025).

Identities are checked by series against closed forms, in balls, from eta = -0.999 to 200 and r = 1 - 1e-9 to 1e-300;
the general statement is the derivation in the docstring of `bounds.wzw25.run_counts`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from flint import ctx

from bounds.exact import tnb
from bounds.exact.balls import exact, integral
from bounds.wzw25 import run_counts
from experiments.checks import identity_claim, inequality_claim, spread, witness
from experiments.engine.claim import Control, exact_claim, grid, script
from experiments.engine.verdict import holds, refuted

ETAS = [0.5, -0.999, -0.5, -1e-9, 0.0, 1e-9, 1.0, 3.0, 20.0, 200.0]
SMALL = {"eta": ETAS, "r": [0.25, 0.999999999, 0.015625]}  # r where the series itself is summed
TINY = {"eta": ETAS, "r": [0.25, 0.999999999, 1e-12, 1e-300]}  # r where coefficients are compared
LONG = {"eta": [-0.9, 0.0, 0.3, 7.0], "r": [1e-3, 3e-4]}


# Definition A.1 -------------------------------------------------------------------------------------------------------


@identity_claim(
    run_counts.total_probability,
    quick=[SMALL],
    full=[LONG],
    control=Control("(1 - r)^k with {} r for r", (1.0001, 1.001)),
    cost=0.15,
    digits=15,
    bits=256,
)
def weights_sum_to_one(*, factor=1, **setting):
    """Sum the printed weights with a bound on the tail; the first 300 of them are positive."""
    for point in grid(**setting):
        eta, r = point["eta"], exact(point["r"])
        yield point, tnb.series(eta, r, x=(1 - factor * r) / (1 - r))[0], 1
        for k, weight in enumerate(tnb.weights(eta, r, 300), 1):
            if not weight > 0:
                return refuted("certificate", witness.inequality(point | {"k": k}, 0, weight))


@identity_claim(
    run_counts.mean,
    quick=[SMALL],
    full=[LONG],
    control=Control("the mean with {} r for r", (1.0001, 1.1, 2)),
    cost=0.15,
    digits=15,
    bits=256,
)
def mean_is_the_first_moment(*, factor=1, eta, r):
    """Against the sum of k P(K = k), against the derivative of the generating function at 1 (r = 1e-300 too)."""
    for point in grid(eta=eta, r=[*r, 1e-12, 1e-300]):
        with ctx.workprec(tnb.FINE):
            slope = tnb.pgf_coefficients(**point, around=1, count=2)[1]
            yield point, slope, tnb.mean(point["eta"], factor * exact(point["r"]))
    for point in grid(eta=eta, r=r):
        yield point, tnb.series(**point, power=1)[0], tnb.mean(point["eta"], factor * exact(point["r"]))
    rs = np.geomspace(1e-6, 0.9, 40)
    curves = {f"E K, eta = {e:g}": [run_counts.mean(eta=e, r=x) for x in rs] for e in (-0.5, 0.0, 1.0, 3.0)}
    return {"series": {"r": rs.tolist(), **curves}}


@identity_claim(
    run_counts.pgf,
    quick=[TINY | {"x": [1.0, -1.0, 0.5, 0.0]}],
    control=Control("1 - (1 - {} r) x for 1 - (1 - r) x", (1.0001, 1.1, 2)),
    cost=0.15,
    digits=15,
    bits=1200,  # at x = -1 and η = 200 the terms cancel to 1e-120
    note="read on |x| ≤ 1; the paper names no domain, and beyond 1/(1 - r) the printed power is not real",
)
def generating_function_generates(*, factor=1, x, eta, r):
    """Its Taylor coefficients at 0 are the printed weights, its value at 1 is 1; it agrees with the series at x."""
    for point in grid(eta=eta, r=r):
        with ctx.workprec(tnb.FINE):
            shrink = (1 - factor * exact(point["r"])) / (1 - exact(point["r"]))  # the control turns x into shrink x
            coefficients = tnb.pgf_coefficients(**point, around=0, count=25)
            for k, weight in enumerate(tnb.weights(**point, count=24), 1):
                yield point | {"k": k}, weight, coefficients[k] * shrink**k
            yield point | {"x": 1}, 1, tnb.pgf(**point, x=shrink)
    for point in grid(eta=eta, r=[s for s in r if s > 1e-3], x=x):
        shrink = (1 - factor * exact(point["r"])) / (1 - exact(point["r"]))
        yield point, tnb.series(**point)[0], tnb.pgf(point["eta"], point["r"], shrink * exact(point["x"]))


@inequality_claim(
    run_counts.distance_to_logarithmic,
    quick=[{"eta": [0.01, -0.01, 1e-6, -0.9, 0.5, 5.0], "r": [0.015625, 0.999, 1e-4]}],
    control=Control("the bound divided by {}", (2, 5, 10)),
    cost=0.15,
    rounding=1e-12,
    tightness=spread,
)
def law_is_continuous_at_zero(**setting):
    """The total variation distance: the likelihood ratio crosses one once, where the difference of the cdfs peaks."""
    for point in grid(**setting):
        eta, r = exact(point["eta"]), exact(point["r"])
        p, q = abs(eta * (1 - r) / (-eta * r.log()).expm1()), (1 - r) / -r.log()  # P(K = 1) at eta and at 0
        difference, k, sign = exact(0), 1, p < q
        while (p < q) == sign:
            difference += q - p
            p, q, k = p * (1 - r) * (k + eta) / (k + 1), q * (1 - r) * k / (k + 1), k + 1
        yield point, abs(difference), run_counts.distance_to_logarithmic(**point)
    etas = np.geomspace(1e-4, 1, 20).tolist()
    bound = [run_counts.distance_to_logarithmic(eta=e, r=0.01) for e in etas]
    return {"series": {"eta": etas, "bound": bound}}


@identity_claim(
    run_counts.mixing_quantile,
    quick=[{"eta": [0.5, -0.999, -0.5, 0.0, 1.0, 20.0], "r": [0.25, 0.999, 0.015625, 1e-6], "q": [0, 0.25, 0.9, 1]}],
    control=Control("1 + {} eta successes", (1.001, 1.1, 2)),
    cost=0.15,
    digits=12,
    bits=160,
)
def mixture_is_the_law(*, factor=1, q, **setting):
    """Integrate the mixture over p numerically, in balls, for k <= 4; the quantile inverts the mixing law."""
    for point in grid(**setting):
        eta, r = exact(point["eta"]), exact(point["r"])
        scale = 1 / -r.log() if eta == 0 else eta / (-eta * r.log()).expm1()
        successes = 1 + factor * eta
        for k, weight in enumerate(tnb.weights(eta, r, 4), 1):
            choose = (successes + k - 1).gamma() / successes.gamma() / exact(k).gamma()

            def joint(log_p, analytic, k=k, successes=successes, eta=eta):
                return ((successes - eta) * log_p).exp() * (1 - log_p.exp()) ** (k - 1)

            # d p = p d log p: the integrand is p^(-1-eta) p^successes (1 - p)^(k-1) p
            yield point | {"k": k}, scale * choose * integral(joint, r.log(), 0, accuracy=1e-30), weight
        for order in q:
            p = exact(float(run_counts.mixing_quantile(**point, q=order)))
            if eta == 0:
                back = 1 - p.log() / r.log()
            else:
                back = ((-eta * r.log()).exp() - (-eta * p.log()).exp()) / (-eta * r.log()).expm1()
            if not abs(back - order) < 1e-11:
                return refuted("certificate", witness.inequality(point | {"q": order}, back, order))


# Remark A.2 -----------------------------------------------------------------------------------------------------------

WEIGHTS = {"r": [0.25, 0.5, 0.9990234375, 1e-12], "k": [1, 2, 3, 17, 64]}


def printed_weight(r, k, eta):
    """P(K = k) as Definition A.1 prints it, in rational numbers, at a whole eta >= 1."""
    return (1 - r) ** k / (r**-eta - 1) * prod(Fraction(l + eta, l + 1) for l in range(k))


@identity_claim(
    run_counts.geometric_pmf,
    quick=[WEIGHTS],
    control=Control("r (1 - r)^(k-1) with {} r for r", (1.0001, 1.1)),
    note="the geometric law on 1, 2, 3, ...; the other convention, on 0, 1, 2, ..., is not meant",
)
def geometric_at_one(*, factor=1, **setting):
    """In rational numbers, as printed on both sides."""
    for point in grid(**setting):
        r, k = Fraction(point["r"]), point["k"]
        success = Fraction(factor) * r
        yield point, printed_weight(r, k, 1), success * (1 - success) ** (k - 1)


@identity_claim(
    run_counts.logarithmic_pmf, quick=[WEIGHTS], control=Control("p = 1 - {} r", (1.0001, 1.1)), digits=15, bits=512
)
def logarithmic_at_zero(*, factor=1, **setting):
    """The log-series weights against the limit eta -> 0 of the printed ones, at eta = 1e-40."""
    for point in grid(**setting):
        r, k = point["r"], point["k"]
        p = 1 - exact(r) * factor
        printed = -1 / (1 - p).log() * p**k / k
        yield point, tnb.weights(0, r, k)[-1], printed
        near = tnb.weights(exact(Fraction(1, 10**40)), r, k)[-1]
        yield point, near + exact(0).union(printed * exact(1e-35)) - printed * exact(5e-36), printed


# Fact A.3 -------------------------------------------------------------------------------------------------------------

CDF = {"r": [0.75, 0.5, 1e-6, 0.9990234375]}
IN_BALLS = {"digits": 15, "bits": 512}


def cumulative(r, t):
    """P(K <= t) at eta = 1, the cumulative sum of the printed weights."""
    return sum(tnb.weights(1, r, int(t)), exact(0))


@identity_claim(
    run_counts.geometric_cdf,
    quick=[CDF | {"t": [1, 2, 3, 40]}],
    control=Control("(1 - {} r)^t", (1.0001, 1.1)),
    **IN_BALLS,
)
def cdf_at_whole_t(*, factor=1, **setting):
    """Cumulative sums; the induction step 1 - y + r y = 1 - (1 - r) y is bilinear, so a 2 x 2 grid proves it."""
    for r, y in product((Fraction(1, 3), Fraction(2, 3)), repeat=2):
        yield {"r": r, "y": y}, 1 - y + factor * r * y, 1 - (1 - r) * y
    for point in grid(**setting):
        yield point, cumulative(**point), 1 - (1 - factor * exact(point["r"])) ** point["t"]


def flat_between(point, left, right):
    """A program: the printed formula differs from the distribution function at a t that is not whole."""
    r, t = point["r"], point["t"]
    return f"""
from bounds.wzw25.run_counts import geometric_cdf_at_real, geometric_pmf
r, t = {r}, {t}  # K <= t means K <= {int(t)}
truth = sum(geometric_pmf(r=r, k=k) for k in range(1, {int(t) + 1}))
assert abs(geometric_cdf_at_real(r=r, t=t) - truth) > 0.01"""


@identity_claim(
    run_counts.geometric_cdf_at_real,
    quick=[CDF | {"t": [1.5, 1, 2.25]}],
    python=flat_between,
    severity="statement",
    corner="whole t",
    used=("wzw25.lemA.4",),
    note="between whole numbers the printed formula exceeds the distribution function; the paper uses whole t only",
    **IN_BALLS,
)
def cdf_at_real_t(*, factor=1, **setting):
    """The same at t between whole numbers, where a distribution function is flat and the formula is not."""
    for point in grid(**setting):
        yield point, cumulative(**point), 1 - (1 - factor * exact(point["r"])) ** exact(point["t"])


@identity_claim(
    run_counts.geometric_cdf_floored,
    quick=[CDF | {"t": [1.5, 1, 1.999999, 2.25, 40.5]}],
    control=Control("(1 - {} r)^floor(t)", (1.0001, 1.1)),
    **IN_BALLS,
)
def cdf_at_real_t_floored(*, factor=1, **setting):
    """With the floor it holds at every t >= 1."""
    for point in grid(**setting):
        yield point, cumulative(**point), 1 - (1 - factor * exact(point["r"])) ** int(point["t"])


# Lemma A.4 ------------------------------------------------------------------------------------------------------------

QUANTILES = {
    "r": [0.5, 0.25, 0.01, 1e-12, 1e-300, 0.9990234375, 0.9999999999999998],
    "beta": [0.125, 1e-6, 0.5, 0.0009765625, 0.9999999999999999, 1e-300, 0.9],
}


def survival(r, t, rational=False):
    """P(K > t) = (1 - r)^t at eta = 1, r a float: as a ball, or as a fraction if t is small enough."""
    return (1 - Fraction(r)) ** t if rational else (t * (-exact(r)).log1p()).exp()


@inequality_claim(
    run_counts.geometric_quantile,
    quick=[QUANTILES],
    control=Control("the number of runs divided by {}", (1.01, 1.1, 2)),
    bits=tnb.FINE,
    tightness=spread,
)
def quantile_is_exceeded_rarely(*, factor=1, **setting):
    """(1 - r)^t <= beta at the printed t; equality occurs (r = 1/2, beta = 1/8)."""
    for point in grid(**setting):
        t = int(run_counts.geometric_quantile(**point) / Fraction(factor))
        yield point, survival(point["r"], t, t <= 2000), point["beta"]
    beta = np.geomspace(1e-6, 0.9, 40).tolist()
    tails = [float(survival(0.3, run_counts.geometric_quantile(r=0.3, beta=b))) for b in beta]
    note = "P(K > t) is between β (1 - r) and β, and equal to β at r = 1/2, β = 1/8"
    return {"note": note, "series": {"beta": beta, "bound": beta, "P(K > t), r = 0.3": tails}}


@exact_claim(
    run_counts.smallest_t,
    quick=[QUANTILES],
    control=Control("the number of runs times {}, rounded down", (1.01, 1.1, 2)),
)
def one_run_less_fails(*, factor=1, **setting):
    """(1 - r)^t <= beta < (1 - r)^(t - 1) at the printed t, so the two conditions have the same smallest whole t."""
    with ctx.workprec(tnb.FINE):
        for point in grid(**setting):
            t = int(run_counts.geometric_quantile(**point) * Fraction(factor))
            allowed = Fraction(point["beta"]) if t <= 2000 else exact(point["beta"])
            after, before = (survival(point["r"], s, t <= 2000) for s in (t, t - 1))
            if not after <= allowed < before:
                return refuted("enumeration", witness.inequality(point | {"t": t}, allowed, before))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


if __name__ == "__main__":
    script(__spec__.name)
