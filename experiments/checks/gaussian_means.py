"""How statements about the mean of a Gaussian maximum are decided: a certificate over all sizes, then a chain.

"mean / bound <= 1" is certified for whole n up to 1e12, "mean - bound <= 0" on a box of laws of K. Laws and bounds are
monotone, so the ends of a box bound them. Beyond, the chain of inequalities in the docstring carries the statement;
its last line is compared with the statement, far outside the box too.
"""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb
from scipy.special import log_ndtr

from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.bounds.exact.certify import Box, Side, certify
from lemmata.bounds.exact.gaussian_maxima import best_loses, mean_max, mean_max_of_count
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks.gaussian_tails import root_log, whole_above, whole_below
from lemmata.experiments.checks.inequality import Cases
from lemmata.experiments.engine.claims.verdict import inconclusive

N_MAX = 10**12
OfSize = Callable[[Any], arb]  # of a size n
FAR = (2, 3, 10, 10**6, 10**30, 10**300)


# One size n -----------------------------------------------------------------------------------------------------------


def at_one(statement: Statement[..., Any], size: str) -> OfSize:
    """The bound as a function of the size alone, at sigma = 1."""
    return lambda n: statement.theorem.formula(**{size: exact(n)}, sigma=arb(1))


def chernoff_cases(statement: Statement[..., Any], size: str, times: float = 1) -> Cases:
    """`times` (log(n) / lambda + lambda sigma^2 / 2), lambda = sqrt(2 log n) / sigma, against the bound: Lemma A.5."""
    for n, sigma in itertools.product(FAR, (1.0, 1e-9, 7.0, 1e9)):
        rate, s = root_log(n) / exact(sigma), exact(sigma)
        chain = times * (exact(n).log() / rate + rate * s**2 / 2)
        yield {size: n, "sigma": sigma}, chain, statement.theorem.formula(**{size: exact(n)}, sigma=s)


def mean_ratio(bound: OfSize, above: OfSize, below: OfSize) -> tuple[Callable, Callable, Box]:
    """(upper, value, box) of mean / bound over whole n in [2, 1e12], u = log n; all three increase in n."""

    def upper(u: Side) -> arb:
        return above(min(N_MAX, whole_above(u[1]))) / bound(max(2, whole_below(u[0])))

    def value(u: float) -> arb:
        n = max(2, min(N_MAX, math.floor(math.exp(u))))
        return below(n) / bound(n)

    return upper, value, {"u": (math.log(2), math.log(N_MAX))}


def max_mean_cases(statement: Statement[..., Any], size: str, times: float = 1) -> Cases:
    """The cases of "`times` E max of n <= the bound for every n": n = 1 and the certificate's worst size."""
    bound = at_one(statement, size)

    def mean(n: int) -> arb:
        return times * mean_max(n)

    proof = certify(*mean_ratio(bound, mean, mean), 1)
    for n in (1, max(2, math.floor(math.exp(proof.point["u"])))):
        yield {size: n}, mean(n), bound(n)
    yield from chernoff_cases(statement, size, times)
    if proof.outcome != "HOLDS":
        return inconclusive("BUDGET", f"mean / bound <= {proof.bound:.3g} is certified up to 1e12")
    sizes = [10**k for k in range(13)]
    series = {"n": sizes, "bound / sigma": [float(bound(n)) for n in sizes]}
    return {
        "tightness": (proof.reached, 1.0),
        "note": f"equality at n = 1 (0 = 0) and in the limit; certificate for 2 ≤ n ≤ 1e12: {proof.boxes} boxes",
        "series": series | {"exact / sigma": [float(mean(n)) for n in sizes]},
    }


def hardest_gap(count: int) -> float:
    """The gap that makes scores (0, gap, ..., gap) lose most on average, by floats: a candidate."""
    z = np.linspace(-9, 9, 1801)
    weight = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    gaps = np.linspace(0.05, math.sqrt(2 * math.log(count)) + 2, 120)
    loses = -np.expm1((count - 1) * log_ndtr(gaps[:, None] - z)) @ weight
    return float(gaps[np.argmax(gaps * loses)])


def choice_mean_cases(statement: Statement[..., Any]) -> Cases:
    """The cases of "the expected excess is at most the bound", for scores (0, gap, ..., gap); then all scores.

    For scores that do not follow the noise E[-min xi] = E max xi bounds it (docstring of the explicit reading).
    """
    bound = at_one(statement, "count")
    excess: dict[int, arb] = {}
    for count in (2, 10, 1000, 10**6, 10**9, 10**12):
        gap = hardest_gap(count)
        excess[count] = exact(gap) * best_loses(count, gap)
        yield {"count": count, "gap": gap}, excess[count], bound(count)
    proof = certify(*mean_ratio(bound, mean_max, lambda n: arb(0)), 1, max_boxes=60)
    yield {"count": 1}, mean_max(1), bound(1)
    yield from chernoff_cases(statement, "count")
    if proof.outcome != "HOLDS":
        return inconclusive("BUDGET", f"E max / bound <= {proof.bound:.3g} is certified up to 1e12")
    attained = max(float(excess[n] / bound(n)) for n in excess)
    series = {"|Theta|": list(excess), "bound / sigma": [float(bound(n)) for n in excess]}
    return {
        "tightness": (attained, upper_end(root_log(FAR[-1]) / bound(FAR[-1]))),
        "note": f"E excess ≤ E max of the noise; certificate for |Θ| ≤ 1e12: {proof.boxes} boxes; scores "
        f"(0, gap, ..., gap) reach {attained:.3f} of the bound",
        "series": series | {"worst scores found / sigma": [float(x) for x in excess.values()]},
    }


# A random number K of Gaussians ---------------------------------------------------------------------------------------


FAR_COUNTS = tuple(itertools.product((-1 + 1e-9, -0.5, 0.0, 1e-9, 1.0, 1e3), (1e-300, 1e-9, 0.5, 1 - 1e-9)))


def count_mean_cases(
    bound: Callable[[arb, arb], arb],
    chain: Callable[[arb, arb], arb],
    box: Box,
    *,
    factor: float = 1,
    shift: float = 0.0,
    minimum: bool = False,
) -> Cases:
    """The cases of "E max (or E min) of K <= bound(eta, r)": the certificate's worst point of `box` = (eta, w = log r).

    Beyond the box the chain of inequalities carries the statement: `chain(eta, r)`, its end, is compared with the
    bound. The noise is `factor` times as large and has the mean `shift`. E max of K and the bound fall in r and rise in
    eta, as the laws of K are ordered by likelihood ratio; so one corner of a box bounds each.
    """
    sign = -1 if minimum else 1

    def mean(eta: Any, r: Any) -> arb:
        return sign * exact(factor) * mean_max_of_count(eta, r) + exact(shift)

    @functools.cache  # boxes meet at corners
    def corner(eta: float, w: float) -> arb:
        return mean(eta, exact(w).exp())

    def upper(eta: Side, w: Side) -> arb:
        extreme = (eta[0], w[1]) if minimum else (eta[1], w[0])
        return corner(*extreme) - bound(exact(eta[0]), exact(w[1]).exp())

    def value(eta: float, w: float) -> arb:
        return corner(eta, w) - bound(exact(eta), exact(w).exp())

    proof = certify(upper, value, box, 0, max_boxes=1000)
    eta, r = proof.point["eta"], math.exp(proof.point["w"])
    yield {"eta": eta, "r": r}, mean(eta, r), bound(exact(eta), exact(r))
    low, high = box["eta"]
    for eta, r in FAR_COUNTS:
        if low < high or eta == low:
            yield {"eta": eta, "r": r}, chain(exact(eta), exact(r)), bound(exact(eta), exact(r))
    if proof.outcome != "HOLDS":
        return inconclusive("BUDGET", f"mean - bound <= {proof.bound:.3g} after {proof.boxes} boxes")
    first, last = (math.exp(w) for w in box["w"])
    domain = f"η in [{low:g}, {high:g}], r in [{first:.2g}, {last:.2g}]"
    rates = [10.0**-k for k in range(1, 7)]
    bounds = [float(bound(arb(1), exact(r))) for r in rates]
    means = [float(sign * mean_max_of_count(1.0, r)) for r in rates]
    return {
        "tightness": None if minimum else (max(m / b for m, b in zip(means, bounds, strict=True)), 1.0),
        "note": f"certificate for {domain}: {proof.boxes} boxes",
        "series": {"r": rates, "bound / sigma": bounds, "exact / sigma": means},
    }
