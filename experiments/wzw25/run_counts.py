"""The truncated negative binomial law of run counts: what Definition A.1 to Lemma A.4 of wzw25 say about it.

Identities are checked by series against closed forms, in balls, from eta = -0.999 to 200 and r = 1 - 1e-9 to 1e-300;
the general statement is the derivation in the docstring of `bounds.wzw25.run_counts`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from flint import ctx

from bounds.exact import tnb
from bounds.exact.balls import enclosure, exact, integral, upper_end
from bounds.wzw25 import run_counts
from experiments.engine.claim import Control, exact_claim
from experiments.engine.verdict import holds, inconclusive, refuted

ETAS = [0.5, -0.999, -0.5, -1e-9, 0.0, 1e-9, 1.0, 3.0, 20.0, 200.0]
SMALL = {"eta": ETAS, "r": [0.25, 0.999999999, 0.015625]}  # r where the series itself is summed
TINY = {"eta": ETAS, "r": [0.25, 0.999999999, 1e-12, 1e-300]}  # r where coefficients are compared
LONG = {"eta": [-0.9, 0.0, 0.3, 7.0], "r": [1e-3, 3e-4]}


def gap(setting, point, claimed, found, python=""):
    """The witness of an identity or inequality that fails at `point`, both sides as balls."""
    lhs, rhs = enclosure(exact(found)), enclosure(exact(claimed))
    told = {"claimed": float(exact(claimed)), "found": float(exact(found))}
    return {"setting": setting, **told, "point": point, "lhs": lhs, "rhs": rhs, "python": python}


def compared(triples, setting, scope, *, note="", python=lambda **point: "", digits=15, **more):
    """HOLDS if every (point, claimed, found) agrees to `digits` digits, as balls; REFUTED where they are disjoint."""
    for point, claimed, found in triples:
        if not claimed.overlaps(found):
            return refuted("certificate", gap(setting, point, claimed, found, python(**point)), note=note)
        if not abs(claimed - found) < abs(found) * 10.0**-digits + 1e-300:
            return inconclusive("BUDGET", f"balls of {ctx.prec} bits are too wide at {point}")
    return holds("derivation", scope, tightness=(1.0, 1.0), note=note, **more)


def points(**axes):
    """The points of a grid as dicts."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


# Definition A.1 -----------------------------------------------------------------------------------------------------


@exact_claim(
    run_counts.total_probability,
    quick=[SMALL],
    full=[LONG],
    control=Control("(1 - r)^k with {} r for r", (1.0001, 1.001)),
    cost=0.15,
)
def weights_sum_to_one(*, factor=1, **setting):
    """Sum the printed weights with a bound on the tail; the first 300 of them are positive."""
    with ctx.workprec(256):
        triples = []
        for point in points(**setting):
            r = exact(point["r"])
            scaled = (1 - factor * r) / (1 - r) if factor != 1 else 1
            triples.append((point, exact(1), tnb.series(point["eta"], r, x=scaled)[0]))
            for k, weight in enumerate(tnb.weights(point["eta"], r, 300), 1):
                if not weight > 0:
                    return refuted("certificate", gap(setting, point | {"k": k}, 0, weight))
        return compared(triples, setting, "everywhere")


@exact_claim(
    run_counts.mean,
    quick=[SMALL],
    full=[LONG],
    control=Control("the mean with {} r for r", (1.0001, 1.1, 2)),
    cost=0.15,
)
def mean_is_the_first_moment(*, factor=1, **setting):
    """Against the sum of k P(K = k), against the derivative of the generating function at 1 (r = 1e-300 too)."""
    with ctx.workprec(tnb.FINE):
        triples = []
        for point in [*points(**setting), *points(eta=setting["eta"], r=[1e-12, 1e-300])]:
            found = tnb.pgf_coefficients(point["eta"], point["r"], 1, 2)[1]
            triples.append((point, tnb.mean(point["eta"], factor * exact(point["r"])), found))
    with ctx.workprec(256):
        for point in points(**setting):
            found, _ = tnb.series(point["eta"], point["r"], power=1)
            triples.append((point, tnb.mean(point["eta"], factor * exact(point["r"])), found))
        r = np.geomspace(1e-6, 0.9, 40)
        curves = {"r": r.tolist()} | {
            f"E K, eta = {eta:g}": [run_counts.mean(eta=eta, r=x) for x in r] for eta in (-0.5, 0.0, 1.0, 3.0)
        }
        return compared(triples, setting, "everywhere", series=curves)


@exact_claim(
    run_counts.pgf,
    quick=[TINY | {"x": [1.0, -1.0, 0.5, 0.0]}],
    control=Control("1 - (1 - {} r) x for 1 - (1 - r) x", (1.0001, 1.1, 2)),
    cost=0.15,
    note="read on |x| <= 1; the paper names no domain, and beyond 1/(1 - r) the printed power is not real",
)
def generating_function_generates(*, factor=1, x, **setting):
    """Its Taylor coefficients at 0 are the printed weights, its value at 1 is 1; it agrees with the series at x."""
    with ctx.workprec(tnb.FINE):
        triples = []
        for point in points(**setting):
            eta, r = point["eta"], exact(point["r"])
            coefficients = tnb.pgf_coefficients(eta, r, 0, 25)
            shrink = (1 - factor * r) / (1 - r)  # the mutation: every x becomes shrink * x
            claimed = [c * shrink**k for k, c in enumerate(coefficients)]
            found = [exact(0), *tnb.weights(eta, r, 24)]
            triples += [(point | {"k": k}, claimed[k], found[k]) for k in range(1, 25)]
            triples.append((point | {"x": 1}, tnb.pgf(eta, r, shrink), exact(1)))
    with ctx.workprec(1200):  # at x = -1 and eta = 200 the terms cancel to 1e-120
        for point in points(eta=setting["eta"], r=[r for r in setting["r"] if r > 1e-3], x=x):
            found, _ = tnb.series(point["eta"], point["r"], x=point["x"])
            shrink = (1 - factor * exact(point["r"])) / (1 - exact(point["r"]))
            triples.append((point, tnb.pgf(point["eta"], point["r"], shrink * exact(point["x"])), found))
        return compared(triples, setting | {"x": x}, "everywhere")


@exact_claim(
    run_counts.distance_to_logarithmic,
    quick=[{"eta": [0.01, -0.01, 1e-6, -0.9, 0.5, 5.0], "r": [0.015625, 0.999, 1e-4]}],
    control=Control("the bound divided by {}", (2, 5, 10)),
    cost=0.15,
)
def law_is_continuous_at_zero(*, factor=1, **setting):
    """The total variation distance: the likelihood ratio crosses one once, where the difference of the cdfs peaks."""
    worst, low = 0.0, 1.0
    with ctx.workprec(128):
        for point in points(**setting):
            eta, r = exact(point["eta"]), exact(point["r"])
            p, q = -eta * (1 - r) / -(-eta * r.log()).expm1() if eta != 0 else None, (1 - r) / -r.log()
            p, difference, k, sign = abs(p), exact(0), 1, p < q
            while (p < q) == sign:
                difference += q - p
                p, q, k = p * (1 - r) * (k + eta) / (k + 1), q * (1 - r) * k / (k + 1), k + 1
            allowed = run_counts.distance_to_logarithmic(**point) / factor
            if abs(difference) > exact(allowed) * (1 + 1e-12):
                return refuted("certificate", gap(setting, point, allowed, abs(difference)))
            ratio = upper_end(abs(difference) / allowed)
            worst, low = max(worst, ratio), min(low, ratio)
    eta = np.geomspace(1e-4, 1, 20).tolist()
    curve = {"eta": eta, "bound": [run_counts.distance_to_logarithmic(eta=e, r=0.01) for e in eta]}
    return holds("derivation", "everywhere", tightness=(low, worst), series=curve)


@exact_claim(
    run_counts.mixing_quantile,
    quick=[{"eta": [0.5, -0.999, -0.5, 0.0, 1.0, 20.0], "r": [0.25, 0.999, 0.015625, 1e-6], "q": [0, 0.25, 0.9, 1]}],
    control=Control("1 + {} eta successes", (1.001, 1.1, 2)),
    cost=0.15,
)
def mixture_is_the_law(*, factor=1, q, **setting):
    """Integrate the mixture over p numerically, in balls, for k <= 4; the quantile inverts the mixing law."""
    triples = []
    with ctx.workprec(160):
        for point in points(**setting):
            eta, r = exact(point["eta"]), exact(point["r"])
            scale = 1 / -r.log() if eta == 0 else eta / (-eta * r.log()).expm1()
            weights = tnb.weights(eta, r, 4)
            for k in range(1, 5):
                successes = 1 + factor * eta
                choose = (successes + k - 1).gamma() / successes.gamma() / exact(k).gamma()

                def joint(log_p, analytic, k=k, successes=successes, eta=eta):
                    return ((successes - eta) * log_p).exp() * (1 - log_p.exp()) ** (k - 1)

                # d p = p d log p: the integrand is p^(-1-eta) p^successes (1 - p)^(k-1) p
                found = scale * choose * integral(joint, r.log(), 0, accuracy=1e-30)
                triples.append((point | {"k": k}, weights[k - 1], found))
            for order in q:
                p = exact(float(run_counts.mixing_quantile(eta=point["eta"], r=point["r"], q=order)))
                if eta == 0:
                    back = 1 - p.log() / r.log()
                else:
                    back = ((-eta * r.log()).exp() - (-eta * p.log()).exp()) / (-eta * r.log()).expm1()
                if not abs(back - order) < 1e-11:
                    return refuted("certificate", gap(setting, point | {"q": order}, order, back))
        return compared(triples, setting | {"q": q}, "everywhere", digits=12)


# Remark A.2 to Lemma A.4 --------------------------------------------------------------------------------------------


def fractions(r, k, eta):
    """P(K = k) at a whole eta >= 1, exactly, factor by factor as printed."""
    weight = (1 - r) ** k / (r**-eta - 1)
    for l in range(k):
        weight *= Fraction(l + eta, l + 1)
    return weight


@exact_claim(
    run_counts.geometric_pmf,
    quick=[{"r": [0.25, 0.5, 0.9990234375, 1e-12], "k": [1, 2, 3, 17, 64]}],
    control=Control("r (1 - r)^(k-1) with {} r for r", (1.0001, 1.1)),
    cost=0.01,
    note="the geometric law on 1, 2, 3, ...; the other convention, on 0, 1, 2, ..., is not meant",
)
def geometric_at_one(*, factor=1, **setting):
    """In rational numbers, as printed on both sides."""
    for point in points(**setting):
        r, k = Fraction(point["r"]), point["k"]
        claimed = (wrong := Fraction(factor) * r) * (1 - wrong) ** (k - 1)
        if claimed != (found := fractions(r, k, 1)):
            return refuted("enumeration", gap(setting, point, claimed, found))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(
    run_counts.logarithmic_pmf,
    quick=[{"r": [0.25, 0.5, 0.9990234375, 1e-12], "k": [1, 2, 3, 17, 64]}],
    control=Control("p = 1 - {} r", (1.0001, 1.1)),
    cost=0.01,
)
def logarithmic_at_zero(*, factor=1, **setting):
    """The log-series weights against the limit eta -> 0 of the printed ones, at eta = 1e-40."""
    triples = []
    with ctx.workprec(512):
        for point in points(**setting):
            p = 1 - exact(point["r"]) * factor
            claimed = -1 / (1 - p).log() * p ** point["k"] / point["k"]
            triples.append((point, claimed, tnb.weights(0, point["r"], point["k"])[-1]))
            near = tnb.weights(exact(Fraction(1, 10**40)), point["r"], point["k"])[-1]
            triples.append((point, claimed, near + exact(0).union(claimed * exact(1e-35)) - claimed * exact(5e-36)))
        return compared(triples, setting, "everywhere")


CDF = {"r": [0.75, 0.5, 1e-6, 0.9990234375]}


def real_cdf(setting, claimed, python=lambda **point: ""):
    """The cumulative sum of the printed weights against `claimed(r, t)`."""
    with ctx.workprec(512):
        triples = []
        for point in points(**setting):
            found = sum(tnb.weights(1, point["r"], int(point["t"])), exact(0))
            triples.append((point, claimed(exact(point["r"]), point["t"]), found))
        return compared(triples, setting, "everywhere", python=python)


@exact_claim(
    run_counts.geometric_cdf,
    quick=[CDF | {"t": [1, 2, 3, 40]}],
    control=Control("(1 - {} r)^t", (1.0001, 1.1)),
    cost=0.01,
)
def cdf_at_whole_t(*, factor=1, **setting):
    """Cumulative sums; the induction step 1 - y + r y = 1 - (1 - r) y is bilinear, so a 2 x 2 grid proves it."""
    for r, y in product((Fraction(1, 3), Fraction(2, 3)), repeat=2):
        if 1 - y + factor * r * y != 1 - (1 - r) * y:
            return refuted("enumeration", gap(setting, {"r": float(r), "y": float(y)}, 1 - (1 - r) * y, 1 - y + r * y))
    return real_cdf(setting, lambda r, t: 1 - (1 - factor * r) ** t)


@exact_claim(
    run_counts.geometric_cdf_at_real,
    quick=[CDF | {"t": [1.5, 1, 2.25]}],
    cost=0.01,
    severity="cosmetic",
    note="between whole numbers the printed formula exceeds the distribution function; the paper uses whole t only",
)
def cdf_at_real_t(*, factor=1, **setting):
    """The same at t between whole numbers, where a distribution function is flat and the formula is not."""

    def python(r, t):
        return "\n".join(
            (
                "from bounds.wzw25.run_counts import geometric_cdf_at_real, geometric_pmf",
                f"r, t = {r}, {t}  # K <= t means K <= {int(t)}",
                f"truth = sum(geometric_pmf(r=r, k=k) for k in range(1, {int(t) + 1}))",
                "assert abs(geometric_cdf_at_real(r=r, t=t) - truth) > 0.01",
            )
        )

    return real_cdf(setting, lambda r, t: 1 - (1 - factor * r) ** exact(t), python)


@exact_claim(
    run_counts.geometric_cdf_floored,
    quick=[CDF | {"t": [1.5, 1, 1.999999, 2.25, 40.5]}],
    control=Control("(1 - {} r)^floor(t)", (1.0001, 1.1)),
    cost=0.01,
)
def cdf_at_real_t_floored(*, factor=1, **setting):
    """With the floor it holds at every t >= 1."""
    return real_cdf(setting, lambda r, t: 1 - (1 - factor * r) ** int(t))


QUANTILES = {
    "r": [0.5, 0.25, 0.01, 1e-12, 1e-300, 0.9990234375, 0.9999999999999998],
    "beta": [0.125, 1e-6, 0.5, 0.0009765625, 0.9999999999999999, 1e-300, 0.9],
}


def survival(r, t):
    """P(K > t) = (1 - r)^t as a ball, r a float."""
    return (t * (-exact(r)).log1p()).exp()


@exact_claim(
    run_counts.geometric_quantile,
    quick=[QUANTILES],
    control=Control("the number of runs divided by {}", (1.01, 1.1, 2)),
    cost=0.02,
)
def quantile_is_exceeded_rarely(*, factor=1, **setting):
    """(1 - r)^t <= beta, in rationals where t is small (equality occurs: r = 1/2, beta = 1/8), in balls elsewhere."""
    ratios = []
    with ctx.workprec(tnb.FINE):
        for point in points(**setting):
            r, beta = point["r"], point["beta"]
            t = int(run_counts.geometric_quantile(r=r, beta=beta) / Fraction(factor))
            tail = survival(r, t)
            small = t <= 2000
            fails = (1 - Fraction(r)) ** t > Fraction(beta) if small else not tail <= exact(beta)
            if fails:
                return refuted("enumeration" if small else "certificate", gap(setting, point, beta, tail))
            ratios.append(float(tail / beta))
    beta = np.geomspace(1e-6, 0.9, 40).tolist()
    tails = [float(survival(0.3, run_counts.geometric_quantile(r=0.3, beta=b))) for b in beta]
    curve = {"beta": beta, "bound": beta, "P(K > t), r = 0.3": tails}
    note = "sharp: between beta (1 - r) and beta, with equality at r = 1/2, beta = 1/8"
    return holds("derivation", "everywhere", tightness=(min(ratios), max(ratios)), note=note, series=curve)


@exact_claim(
    run_counts.smallest_t,
    quick=[QUANTILES],
    control=Control("the number of runs times {}, rounded down", (1.01, 1.1, 2)),
    cost=0.02,
)
def one_run_less_fails(*, factor=1, **setting):
    """(1 - r)^t <= beta < (1 - r)^(t - 1) at the printed t, so the two conditions have the same smallest whole t."""
    with ctx.workprec(tnb.FINE):
        for point in points(**setting):
            r, beta = point["r"], point["beta"]
            t = int(run_counts.geometric_quantile(r=r, beta=beta) * Fraction(factor))
            if t <= 2000:
                fits = (1 - Fraction(r)) ** t <= Fraction(beta) < (1 - Fraction(r)) ** (t - 1)
            else:
                fits = survival(r, t) <= exact(beta) < survival(r, t - 1)
            if not fits:
                return refuted("enumeration", gap(setting, point | {"t": t}, beta, survival(r, t - 1)))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
