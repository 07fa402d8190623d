"""How statements about Gaussian maxima are decided: certificates in ball arithmetic over all sizes at once.

A tail statement P(statistic >= level) <= beta is the inequality P / beta <= 1 in two coordinates, u = log n and
c = sqrt(2 log 1/beta); sigma is fixed, and cancels where the level is proportional to it. A statement about a mean is
the inequality mean / bound <= 1 in u. Sizes are relaxed to reals: the laws increase in n, the levels too.
The certificates reach n = 1e300 and beta = 1e-300 (means: n = 1e12). Beyond, a *pattern*, the smallest level for which
the derivation in the docstring works, carries the statement: if the level reaches it, the scope is everywhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from flint import arb

from bounds.exact.balls import enclosure, exact, lower_end, mills, precise, upper_end
from bounds.exact.certify import certify, confirm
from bounds.exact.gaussian_maxima import best_loses, max_exceeds, pair_exceeds, range_exceeds, range_exceeds_at_most
from experiments.engine.claim import Control
from experiments.engine.verdict import holds, inconclusive, refuted

READABLE_BETAS = (0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12, 1e-30, 1e-100, 1e-300)
ABOVE = 1 + arb(2) ** -40
SLACK = arb("1e-25")  # below it two formulas count as the same


# What the claims share: controls, settings, costs in core-seconds, and what is wrong in print.
NOISE = "noise {} times as large"
TAIL_NOISE = Control(NOISE, (1.05, 1.25, 1.5, 2, 4))
RANGE_NOISE = Control(NOISE, (2, 4))
MEAN_NOISE = Control(NOISE, (1.1, 1.5, 2))
CHOICE_NOISE = Control(NOISE, (1.5, 3, 5))
SHIFTED = Control("noise of mean ({} - 1) sigma", (1.1, 2, 4))
PRINTED_MAX = {"quick": ({"sigma": 1.0}, {"sigma": 10.0}), "full": ({"sigma": 0.01}, {"sigma": 1.05}, {"sigma": 1e3})}
PRINTED_RANGE = {"quick": ({"sigma": 1.4}, {"sigma": 10.0}), "full": ({"sigma": 0.01}, {"sigma": 2.0}, {"sigma": 1e3})}
SCALED = {"quick": ({"sigma": 1.0},), "full": ({"sigma": 0.01}, {"sigma": 1e3})}
TAIL_COST, MEAN_COST = 0.2, 0.8
ONLY_TO_ONE = (
    "the second term lacks sigma: the printed level suffices for all n and beta exactly when "
    "sigma <= 1; for every larger sigma it fails once beta is small enough"
)
ONLY_TO_ROOT_TWO = (
    "the second term lacks sigma: the printed level suffices for all sizes and beta exactly when "
    "sigma <= sqrt 2; for every larger sigma it fails once beta is small enough"
)


def formula(statement):
    """The function of a theorem without the check of its hypotheses: the closure of the domain is examined."""
    return statement.theorem.formula


def whole_below(u):
    """A whole number at most exp(u), however exp rounds."""
    return max(1, math.floor(math.exp(u) * (1 - 1e-12)))


def whole_above(u):
    """A whole number at least exp(u), however exp rounds."""
    return math.ceil(math.exp(u) * (1 + 1e-12))


def normal_excess(x):
    """exp(x^2 / 2) Phi(-x), decreasing in x."""
    return mills(x) / (2 * arb.pi()).sqrt()


def root_log(x):
    """sqrt(2 log x) of a ball."""
    return (2 * exact(x).log()).sqrt()


@dataclass(frozen=True)
class TailLaw:
    """A statistic of n Gaussians: bounds of P(statistic >= z sigma), and the derivation that has no box."""

    size: str  # the name of n in the formulas
    n_from: int  # below it the statistic never exceeds a positive level
    at_most: Callable  # (n, z) for real n, increasing in n, decreasing in z
    at_least: Callable  # (n, z) for whole n
    exact: Callable  # (n, z) for whole n: what the figure and the witness show
    code: str  # `exact`, as a witness writes it
    pattern: Callable  # (n, beta): a level, in units of sigma, that suffices by the derivation
    constant: Callable  # () -> C: at the pattern or above, P <= C beta for all n and beta
    n_max: float = 1e300  # the certificate's domain
    beta_min: float = 1e-300


MAXIMUM = TailLaw(
    size="n",
    n_from=1,
    at_most=max_exceeds,
    at_least=max_exceeds,
    exact=max_exceeds,
    code="max_exceeds(n, level / sigma)",
    pattern=lambda n, beta: root_log(2 * n) + root_log(1 / beta),
    constant=lambda: normal_excess(root_log(2)) / 2,  # n Phi(-a-b) <= n exp(-a^2/2) exp(-b^2/2) h(a)
)
TWICE_MAXIMUM = TailLaw(
    size="n",
    n_from=1,
    at_most=lambda n, z: 2 * max_exceeds(n, z),
    at_least=lambda n, z: 2 * max_exceeds(n, z),
    exact=lambda n, z: 2 * max_exceeds(n, z),
    code="2 * max_exceeds(n, level / sigma)",
    pattern=lambda n, beta: root_log(2 * n) + root_log(2 / beta),
    constant=lambda: normal_excess(root_log(2)) / 2,
)
RANGE = TailLaw(
    size="n",
    n_from=2,
    at_most=range_exceeds_at_most,
    at_least=lambda n, z: 2 * pair_exceeds(z),
    exact=range_exceeds,
    code="range_exceeds(n, level / sigma)",
    pattern=lambda n, beta: 2 * root_log(2 * n) + arb(2).sqrt() * root_log(2 / beta),
    # n (n-1) Phi(-sqrt 2 (a + b / sqrt 2)) <= n (n-1) exp(-a^2) exp(-b^2/2) h(sqrt 2 a)
    constant=lambda: normal_excess(2 * exact(4).log().sqrt()) / 8,
)
NOISE_RANGE = replace(RANGE, size="count")
CHOICE = TailLaw(
    size="count",
    n_from=2,
    at_most=lambda n, z: (exact(n) - 1) * pair_exceeds(z),
    # A rival must lie above the level, not at it.
    at_least=lambda n, z: pair_exceeds(z * ABOVE),
    exact=lambda n, z: best_loses(n, z * ABOVE),
    code="best_loses(n, level * (1 + 2**-40) / sigma)",
    pattern=lambda n, beta: 2 * (exact(n) / exact(beta)).log().sqrt(),
    constant=lambda: normal_excess(root_log(2)),  # (n-1) Phi(-sqrt(2 log(n/beta))) <= beta h(sqrt(2 log 2))
)


# Scores that may follow the noise: the excess is at most the range, and a score gap shows at least CHOICE.
CHOICE_ANY = replace(CHOICE, at_most=RANGE.at_most, pattern=RANGE.pattern, constant=RANGE.constant)


def tail_ratio(statement, law, sigma, factor):
    """(upper, value, box) of P / beta with noise `factor` times as large as the statement thinks."""
    level, noise = formula(statement), factor * exact(sigma)

    def units(n, c):
        return level(**{law.size: n}, sigma=exact(sigma), beta=(-(exact(c) ** 2) / 2).exp()) / noise

    def upper(u, c):
        first = exact(max(law.n_from, whole_below(u[0])))
        last = exact(u[1]).exp() * (1 + arb("1e-12"))
        return law.at_most(last, units(first, c[0])) * (exact(c[1]) ** 2 / 2).exp()

    def value(u, c):
        n = exact(max(law.n_from, math.floor(math.exp(u))))
        return law.at_least(n, units(n, c)) * (exact(c) ** 2 / 2).exp()

    box = {"u": (math.log(law.n_from), math.log(law.n_max)), "c": (0.0, math.sqrt(-2 * math.log(law.beta_min)))}
    return upper, value, box


@precise
def follows_pattern(statement, law, sigma, factor):
    """Does the level reach the law's pattern? Both are closed formulas; compared where they could part."""
    level = formula(statement)
    return all(
        lower_end(
            level(**{law.size: exact(n)}, sigma=exact(sigma), beta=exact(beta)) / (factor * exact(sigma))
            - law.pattern(exact(n), exact(beta))
            + SLACK
        )
        > 0
        for n in (law.n_from, law.n_from + 1, 10, 10**6, 10**30, 10**300)
        for beta in (0.999999, *READABLE_BETAS)
    )


def readable_point(statement, law, sigma, factor, fallback):
    """A failing (n, beta) with few digits: the largest readable beta at the smallest n; else the certificate's."""
    noise = factor * exact(sigma)
    points = [(n, beta) for beta in READABLE_BETAS for n in (law.n_from, 10)] + [fallback]
    for n, beta in points:
        found = confirm(
            {"n": n, "beta": beta},
            lambda n, beta: law.at_least(n, formula(statement)(**{law.size: n}, sigma=exact(sigma), beta=beta) / noise),
            lambda n, beta: beta,
        )
        if found.exceeds:
            return found
    return None


def tail_witness(statement, law, sigma, factor, found):
    """The failing point as the ledger's witness."""
    n, beta = found.point["n"], found.point["beta"]
    name = statement.theorem.formula.__name__
    package, _, module = statement.theorem.formula.__module__.rpartition(".")
    python = (
        f"from {package} import {module}\n"
        "from bounds.exact.balls import exact\n"
        f"from bounds.exact.gaussian_maxima import {law.code.split('(')[0].split()[-1]}\n\n"
        f"n, sigma, beta = {n!r}, exact({sigma!r}), exact({beta!r})\n"
        f"level = {module}.{name}({law.size}=n, sigma=sigma, beta=beta){'' if factor == 1 else f' / {factor!r}'}\n"
        f"chance = {law.code}\n"
        "assert chance > beta, (chance, beta)\n"
    )
    with_law = confirm(
        found.point,
        lambda n, beta: law.exact(
            int(found.point["n"]),
            formula(statement)(**{law.size: n}, sigma=exact(sigma), beta=beta) / (factor * exact(sigma)),
        ),
        lambda n, beta: beta,
    )
    return {
        "setting": {"sigma": sigma},
        "claimed": f"probability <= {beta:g}",
        "found": f"probability {with_law.lhs[0]:.3g}, {with_law.lhs[0] / beta:.3g} times what is allowed",
        "point": {law.size: n, "beta": beta, "sigma": sigma},
        "lhs": with_law.lhs,
        "rhs": with_law.rhs,
        "python": python,
    }


def tail_series(statement, law, sigma, n=10):
    """Allowed and exact probability along beta, for the figure."""
    betas = [10.0**-k for k in range(1, 9)]
    level = formula(statement)
    levels = [level(**{law.size: exact(n)}, sigma=exact(sigma), beta=exact(b)) / exact(sigma) for b in betas]
    chances = [float(law.exact(n, z)) for z in levels]
    return {"beta": betas, "allowed": betas, f"exact, n = {n}, sigma = {sigma:g}": chances}


def decide_tail(statement, law, *, sigma, factor=1, note=""):
    """The finding on a tail statement at one sigma: over all n up to 1e300, all beta down to 1e-300, and beyond."""
    upper, value, box = tail_ratio(statement, law, sigma, factor)
    found = certify(upper, value, box, 1, max_boxes=3000)
    series = tail_series(statement, law, sigma) if factor == 1 else {}
    if found.outcome == "REFUTED":
        u, c = found.point["u"], found.point["c"]
        fallback = (max(law.n_from, math.floor(math.exp(u))), math.exp(-c * c / 2))
        point = readable_point(statement, law, sigma, factor, fallback)
        if point is not None:
            witness = tail_witness(statement, law, sigma, factor, point)
            ratio = witness["lhs"][0] / witness["rhs"][1]
            return refuted("certificate", witness, tightness=(ratio, ratio), note=note, series=series)
    if found.outcome != "HOLDS":
        return inconclusive("BUDGET", f"the certificate stopped at {found.bound:.3g} after {found.boxes} boxes")
    domain = f"n <= {law.n_max:g}, beta >= {law.beta_min:g}"
    corner = lower_end(precise(value)(u=box["u"][0], c=0.0))
    reached = max(found.reached, corner)
    if follows_pattern(statement, law, sigma, factor):
        constant = min(1.0, upper_end(precise(law.constant)()))
        more = (
            f"P <= {constant:.4g} beta for all n and beta (derivation); certificate for {domain}: {found.boxes} boxes"
        )
        tightness = (reached, max(reached, constant))
        return holds(
            "derivation", "everywhere", tightness=tightness, note="; ".join(filter(None, (note, more))), series=series
        )
    return holds(
        "certificate",
        f"domain: {domain}",
        tightness=(reached, found.bound),
        note=note,
        series=series,
    )


def decide_identity(sides, points, *, says, tolerance=1e-9, more=""):
    """The finding on an identity: two balls at each point, which must overlap and be sharp.

    `sides(**point)` returns both sides. Balls that do not meet refute it.
    """
    widest = 0.0
    for point in points:
        left, right = map(exact, precise(sides)(**point))
        gap = enclosure(left - right)
        if gap[0] > 0 or gap[1] < 0:
            return refuted(
                "certificate",
                {
                    "setting": point,
                    "claimed": f"{says}: both sides equal",
                    "found": f"{float(left):.9g} and {float(right):.9g}",
                    "point": point,
                    "lhs": enclosure(left),
                    "rhs": enclosure(right),
                    "python": "",
                },
                note=more,
            )
        widest = max(widest, gap[1] - gap[0])
    if widest > tolerance:
        return inconclusive("BUDGET", f"the enclosures are {widest:.2g} wide")
    note = f"both sides agree to {widest:.1g} at {len(points)} points in ball arithmetic"
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="; ".join(filter(None, (more, note))))


def construction(point, says, value):
    """The witness of a deterministic statement."""
    return {
        "setting": point,
        "claimed": says,
        "found": str(value),
        "object": point,
        "property": says,
        "value": value,
        "python": "",
    }


ENDS = [{"n": n, "sigma": 1.0, "t": t} for n in (2, 3, 10, 10**6, 10**12) for t in (6.0, 0.0, 0.01, 1.0, 14.0, 30.0)]


@precise
def decide_two_ends(statement, factor, more):
    """P(leaving the interval) against the printed sum over the two ends divided by `factor`."""
    for point in ENDS:
        outside = 2 * max_exceeds(1, exact(point["t"]) / 2)  # P(|xi_1| >= t/2) at sigma = 1
        left, right = 1 - (1 - outside) ** point["n"], formula(statement)(**point) / factor
        if lower_end(left - right) > 0:
            witness = construction(point, "P(leaving) <= sum over the ends", f"{float(left):.6g} > {float(right):.6g}")
            return refuted("certificate", witness | {"lhs": enclosure(left), "rhs": enclosure(right)})
        if upper_end(left - right) > 1e-20:
            return inconclusive("BUDGET", f"undecided at {point}")
    return holds("derivation", "everywhere", note=f"{more}; {len(ENDS)} points agree in ball arithmetic")


def lattice(values, n):
    """All vectors of length n over `values`, shape (len(values)**n, n): ties and boundary cases included."""
    return np.array(list(itertools.product(values, repeat=n)), dtype=float)


def decide_pathwise(step, left, factor, more):
    """A step that holds for every outcome: all scores and noises on a lattice, ties broken for the worst.

    The candidate is chosen under `factor` times the noise that the step is told of.
    """
    checked = 0
    for count in (1, 2, 3):
        scores, noise = lattice(range(5), count), lattice((-1, 0, 1), count)
        U = np.repeat(scores, len(noise), axis=0)
        xi = np.tile(noise, (len(scores), 1))
        right = formula(step)(scores=U, noise=xi)
        bad = np.flatnonzero(left(U, factor * xi) > right)
        checked += len(U)
        if bad.size:
            point = {"scores": U[bad[0]].tolist(), "noise": xi[bad[0]].tolist()}
            return refuted("enumeration", construction(point, "left <= right", f"right = {right[bad[0]]:g}"))
    return holds("derivation", "everywhere", note=f"{more}; {checked} lattice points agree, ties broken for the worst")


def worst_chosen(U, xi):
    """The largest score among the minimisers of U + xi."""
    noisy = U + xi
    return np.where(noisy == noisy.min(axis=-1, keepdims=True), U, -np.inf).max(axis=-1)
