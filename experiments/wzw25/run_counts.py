"""The truncated negative binomial law of the number of runs: Definition A.1 to Lemma A.4 of Wang, Zhu & Wang (2025).

The float functions of `lemmata.bounds.wzw25.run_counts` are compared with series, and these with the printed closed
forms, in balls, from eta = -0.999 to 200 and r = 1 - 1e-9 to 1e-300; the general statement is the derivation in their
docstrings.
"""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from flint import ctx

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import exact, integral
from lemmata.bounds.theorem import require
from lemmata.bounds.wzw25 import run_counts
from lemmata.experiments.checks import (
    Control,
    exact_claim,
    grid,
    holds,
    identity_claim,
    inequality_claim,
    refuted,
    run_script,
    spread,
    witness,
)

ETAS = [0.5, -0.999, -0.5, -1e-9, 0.0, 1e-9, 1.0, 3.0, 20.0, 200.0]
SMALL = {"eta": ETAS, "r": [0.25, 0.999999999, 0.015625]}  # r where the series itself is summed
TINY = {"eta": ETAS, "r": [0.25, 0.999999999, 1e-12, 1e-300]}  # r where coefficients are compared
LONG = {"eta": [-0.9, 0.0, 0.3, 7.0], "r": [1e-3, 3e-4]}
FLOATS = {"rounding": 1e-11, "bits": 256, "caught": (1.0001, 1.1)}
TINIEST = 1e-290  # what floats hold with all their digits


# Definition A.1 -------------------------------------------------------------------------------------------------------


@identity_claim(run_counts.total_probability, quick=[SMALL], full=[LONG], cost=0.3, **FLOATS)
def weights_sum_to_one(**setting):
    """Sum the printed weights with a bound on the tail; 300 of them are positive, and those of the float function."""
    k = np.arange(1, 301)
    for point in grid(**setting):
        yield point, tnb.series(**point)[0], run_counts.total_probability(**point)
        weights = tnb.weights(**point, count=len(k))
        for place, weight, ours in zip(k.tolist(), weights, run_counts.pmf(**point, k=k), strict=True):
            if weight > TINIEST:
                yield point | {"k": place}, weight, ours
            if not weight > 0:
                return refuted("certificate", witness.inequality(point | {"k": place}, 0, weight))


@identity_claim(
    run_counts.mean,
    quick=[SMALL],
    full=[LONG],
    given=[run_counts.total_probability, run_counts.pgf],
    cost=0.3,
    **FLOATS,
)
def mean_is_the_first_moment(*, eta, r):
    """Against the sum of k P(K = k), against the derivative of the generating function at 1 (r = 1e-300 too)."""
    for point in grid(eta=eta, r=[*r, 1e-12, 1e-300]):
        with ctx.workprec(tnb.FINE):
            slope = tnb.pgf_coefficients(**point, around=1, count=2)[1]
        yield point, slope, run_counts.mean(**point)
        yield point, slope, tnb.mean(**point)
    for point in grid(eta=eta, r=r):
        yield point, tnb.series(**point, power=1)[0], run_counts.mean(**point)
    rs = np.geomspace(1e-6, 0.9, 40)
    curves = {f"E K, eta = {e:g}": [run_counts.mean(eta=e, r=x) for x in rs] for e in (-0.5, 0.0, 1.0, 3.0)}
    return {"series": {"r": rs.tolist(), **curves}}


@identity_claim(
    run_counts.pgf,
    quick=[TINY | {"x": [1.0, -1.0, 0.5, 0.0]}],
    given=[run_counts.total_probability],
    cost=0.1,
    note="read on |x| ≤ 1; the paper names no domain, and beyond 1/(1 - r) the printed power is not real",
    **FLOATS | {"bits": 1200},  # at x = -1 and η = 200 the terms cancel to 1e-120
)
def generating_function_generates(*, x, eta, r):
    """Its Taylor coefficients at 0 are the printed weights, its value at 1 is 1; it agrees with the series at x."""
    for point in grid(eta=eta, r=r):
        with ctx.workprec(tnb.FINE):
            coefficients = tnb.pgf_coefficients(**point, around=0, count=25)
            for k, weight in enumerate(tnb.weights(**point, count=24), 1):
                yield point | {"k": k}, weight, coefficients[k]
            for place in x:
                truth = tnb.pgf(**point, x=place)
                if not 0 < abs(truth) < TINIEST:
                    yield point | {"x": place}, truth, run_counts.pgf(**point, x=place)
    for point in grid(eta=eta, r=[s for s in r if s > 1e-3], x=x):
        yield point, tnb.series(**point)[0], run_counts.pgf(**point)


@inequality_claim(
    run_counts.distance_to_logarithmic,
    quick=[{"eta": [0.01, -0.01, 1e-6, -0.9, 0.5, 5.0], "r": [0.015625, 0.999, 1e-4]}],
    control=Control("the bound divided by {}", (1.001, 2, 5, 10)),
    cost=0.04,
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
    return {"series": {"eta": etas, "bound": [run_counts.distance_to_logarithmic(eta=e, r=0.01) for e in etas]}}


@identity_claim(
    run_counts.mixing_quantile,
    quick=[{"eta": [0.5, -0.999, -0.5, 0.0, 1.0, 20.0], "r": [0.25, 0.999, 0.015625, 1e-6], "q": [0, 0.25, 0.9, 1]}],
    control=Control("1 + {} eta successes", (1.001, 1.1, 2)),
    cost=0.07,
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
    note="the geometric law on 1, 2, 3, ...; the other convention, on 0, 1, 2, ..., is not meant",
    **FLOATS,
)
def geometric_at_one(**setting):
    """The weights as Definition A.1 prints them, in rational numbers."""
    for point in grid(**setting):
        yield point, exact(printed_weight(Fraction(point["r"]), point["k"], 1)), run_counts.geometric_pmf(**point)


@identity_claim(run_counts.logarithmic_pmf, quick=[WEIGHTS], **FLOATS | {"bits": 512})
def logarithmic_at_zero(**setting):
    """The printed weights at eta = 0, and their limit eta -> 0, at eta = 1e-40."""
    for point, eta in product(grid(**setting), (0, Fraction(1, 10**40))):
        weight = tnb.weights(exact(eta), point["r"], point["k"])[-1]
        yield point | {"eta": eta}, weight, run_counts.logarithmic_pmf(**point)


# Fact A.3 -------------------------------------------------------------------------------------------------------------

CDF = {"r": [0.75, 0.5, 1e-6, 0.9990234375]}


def cumulative(r, t):
    """P(K <= t) at eta = 1, the cumulative sum of the printed weights."""
    return sum(tnb.weights(1, r, int(t)), exact(0))


@identity_claim(
    run_counts.geometric_cdf, quick=[CDF | {"t": [1, 2, 3, 40, 10**6]}], given=[run_counts.geometric_pmf], **FLOATS
)
def cdf_at_whole_t(**setting):
    """Cumulative sums up to t = 40; one more weight of Remark A.2 at every t, the step of the induction."""
    for point in grid(**setting):
        after = {"r": point["r"], "t": point["t"] + 1}
        if point["t"] <= 40:
            yield point, cumulative(**point), run_counts.geometric_cdf(**point)
        grown = run_counts.geometric_cdf(**point) + run_counts.geometric_pmf(r=point["r"], k=after["t"])
        yield after, exact(grown), run_counts.geometric_cdf(**after)


def flat_between(point, left, right):
    """A program: the printed formula differs from the distribution function at a t that is not whole."""
    r, t = point["r"], point["t"]
    return f"""
from lemmata.bounds.wzw25.run_counts import geometric_cdf_at_real, geometric_pmf
r, t = {r}, {t}  # K <= t means K <= {int(t)}
truth = sum(geometric_pmf(r=r, k=k) for k in range(1, {int(t) + 1}))
assert geometric_cdf_at_real(r=r, t=t) > truth + 0.01"""


def distribution(statement, setting):
    """The cases P(K <= t) = `statement` at real t, by cumulative sums."""
    for point in grid(**setting):
        yield point, cumulative(**point), statement(**point)


@identity_claim(
    run_counts.geometric_cdf_at_real,
    quick=[CDF | {"t": [1.5, 1, 2.25]}],
    python=flat_between,
    severity="statement",
    corner=require("whole t", lambda t: np.all(t == np.floor(t))),
    used={"wzw25.lemA.4": grid(t=[1.0, 2.0, 1e6])},
    note="between whole numbers the printed formula exceeds the distribution function, which is constant there; the "
    "paper uses whole t only",
    rounding=1e-11,
)
def cdf_at_real_t(**setting):
    """The same at t between whole numbers, where a distribution function is flat and the formula is not."""
    return distribution(run_counts.geometric_cdf_at_real, setting)


@identity_claim(
    run_counts.geometric_cdf_floored,
    quick=[CDF | {"t": [1.5, 1, 1.999999, 2.25, 40.5]}],
    given=[run_counts.geometric_cdf],
    **FLOATS,
)
def cdf_at_real_t_floored(**setting):
    """With the floor it holds at every t >= 1."""
    return distribution(run_counts.geometric_cdf_floored, setting)


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
            t = int(run_counts.smallest_t(**point) * Fraction(factor))
            allowed = Fraction(point["beta"]) if t <= 2000 else exact(point["beta"])
            after, before = (survival(point["r"], s, t <= 2000) for s in (t, t - 1))
            if not after <= allowed < before:
                return refuted("enumeration", witness.inequality(point | {"t": t}, allowed, before))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


if __name__ == "__main__":
    run_script(__file__)
