"""How statements about Gaussian maxima are decided: certificates in ball arithmetic over all sizes at once.

A tail statement P(statistic >= level) <= beta is the inequality P / beta <= 1 in two coordinates, u = log n and
c = sqrt(2 log 1/beta); sigma is fixed, and cancels where the level is proportional to it. A statement about a mean is
the inequality mean / bound <= 1 in u. Sizes are relaxed to reals: the laws increase in n, the levels too.
The certificates reach n = 1e300 and beta = 1e-300 (means: n = 1e12). Beyond, the derivation carries the statement: the
level must reach the law's *pattern*, the smallest for which the derivation in the docstring works, and the level that
the step before it ends with.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from flint import arb

from lemmata.bounds.exact.balls import exact, lower_end, mills, precise, upper_end
from lemmata.bounds.exact.certify import Box, Side, certify, confirm
from lemmata.bounds.exact.gaussian_maxima import (
    best_loses,
    max_exceeds,
    pair_exceeds,
    range_exceeds,
    range_exceeds_at_most,
)
from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks import witness
from lemmata.experiments.engine.claims.claim import Control, exact_claim
from lemmata.experiments.engine.claims.verdict import Verdict, holds, inconclusive, refuted

READABLE_BETAS = (0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12, 1e-30, 1e-100, 1e-300)
NEAR_ONE_AND_FAR = (1 - 1e-9, 0.999, *READABLE_BETAS)
ABOVE = 1 + arb(2) ** -40
SLACK = arb("1e-25")  # below it two formulas count as the same


def whole_below(u: float) -> int:
    """A whole number at most exp(u), however exp rounds."""
    return max(1, math.floor(math.exp(u) * (1 - 1e-12)))


def whole_above(u: float) -> int:
    """A whole number at least exp(u), however exp rounds."""
    return math.ceil(math.exp(u) * (1 + 1e-12))


def normal_excess(x: arb) -> arb:
    """exp(x^2 / 2) Phi(-x), decreasing in x."""
    return mills(x) / (2 * arb.pi()).sqrt()


def root_log(x: Any) -> arb:
    """sqrt(2 log x) of a ball."""
    return (2 * exact(x).log()).sqrt()


# The laws -------------------------------------------------------------------------------------------------------------


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


def twice_max_exceeds(n: Any, z: arb) -> arb:
    """2 P(M >= z)."""
    return 2 * max_exceeds(n, z)


MAXIMUM = TailLaw(
    size="n",
    n_from=1,
    at_most=max_exceeds,
    at_least=max_exceeds,
    exact=max_exceeds,
    code="max_exceeds(n, level / noise)",
    pattern=lambda n, beta: root_log(2 * n / beta),
    constant=lambda: normal_excess(root_log(2)) / 2,  # n Phi(-x) = n exp(-x^2/2) h(x) = beta h(x) / 2 at the pattern x
)
TWICE_MAXIMUM = replace(
    MAXIMUM,
    at_most=twice_max_exceeds,
    at_least=twice_max_exceeds,
    exact=twice_max_exceeds,
    code="2 * max_exceeds(n, level / noise)",
    pattern=lambda n, beta: root_log(4 * n / beta),
)
RANGE = TailLaw(
    size="n",
    n_from=2,
    at_most=range_exceeds_at_most,
    at_least=lambda n, z: 2 * pair_exceeds(z),
    exact=range_exceeds,
    code="range_exceeds(n, level / noise)",
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
    code="best_loses(n, level * (1 + 2**-40) / noise)",
    pattern=lambda n, beta: 2 * (exact(n) / exact(beta)).log().sqrt(),
    constant=lambda: normal_excess(root_log(2)),  # (n-1) Phi(-sqrt(2 log(n/beta))) <= beta h(sqrt(2 log 2))
)
# Scores that may follow the noise: the excess is at most the range, and a score gap shows at least CHOICE.
CHOICE_ANY = replace(CHOICE, at_most=RANGE.at_most, pattern=RANGE.pattern, constant=RANGE.constant)


# The decision ---------------------------------------------------------------------------------------------------------


def level_claim(
    statement: Statement[..., Any],
    *,
    caught: tuple[float, ...] = (),
    cost: float = 0.12,
    chain: Callable | None = None,
    **fields: Any,
) -> Callable:
    """A claim that P(statistic >= level) <= beta, tried at every `sigma` of the settings.

    The check returns the `TailLaw` of the statistic, and may be claimed of several statements at once. `chain(n, sigma,
    beta)` is the level that the step before ends with; the statement's own must reach it. A setting with a `size` and a
    `beta` is shown at these if it fails there. The control multiplies the standard deviation of the noise by the
    factors `caught`; the level is still evaluated at sigma. The other fields are those of `exact_claim`.
    """
    control = Control("noise {} times as large", caught) if caught else None

    def decorate(check: Callable) -> Callable:
        @functools.wraps(check)
        def trial(*, sigma: float, size: int = 0, beta: float = 0.0, factor: float = 1) -> Verdict:
            shown = ((size, beta),) if size else ()
            return decide_level(Level(statement, check(), sigma, factor * sigma, chain, shown))

        exact_claim(statement, control=control, cost=cost, by=decide_level, **fields)(trial)
        return check

    return decorate


@dataclass(frozen=True)
class Level:
    """The level of a statement at one `sigma`, tried against a noise of standard deviation `noise`."""

    statement: Statement[..., Any]
    law: TailLaw
    sigma: float
    noise: float
    chain: Callable | None = None  # (n, sigma, beta): the level of the step before
    shown: tuple[tuple[int, float], ...] = ()  # where a failure is shown if it fails there: (n, beta)

    def units(self, n: Any, beta: Any) -> arb:
        """The level in standard deviations of the noise, as a ball; the closure of the hypotheses is examined."""
        size = {self.law.size: exact(n)}
        return self.statement.theorem.formula(**size, sigma=exact(self.sigma), beta=exact(beta)) / exact(self.noise)

    def needed(self, n: Any, beta: Any) -> Iterator[arb]:
        """The levels that the derivation asks for, in the same units."""
        yield self.law.pattern(exact(n), exact(beta))
        if self.chain:
            yield self.chain(exact(n), exact(self.sigma), exact(beta)) / exact(self.noise)


def decide_level(level: Level) -> Verdict:
    """The verdict on a tail statement: over all n up to 1e300, all beta down to 1e-300, and beyond."""
    law = level.law
    upper, value, box = tail_ratio(level)
    proof = certify(upper, value, box, 1, max_boxes=3000)
    if proof.outcome == "REFUTED":
        u, c = proof.point["u"], proof.point["c"]
        point = readable_point(level, (max(law.n_from, math.floor(math.exp(u))), math.exp(-c * c / 2)))
        if point is not None:
            shown = tail_witness(level, *point)
            ratio = shown["lhs"][0] / shown["rhs"][1]
            return refuted("certificate", shown, tightness=(ratio, ratio), series=tail_series(level))
    if proof.outcome != "HOLDS":
        return inconclusive("BUDGET", f"the certificate stopped at {proof.bound:.3g} after {proof.boxes} boxes")
    domain = f"n ≤ {law.n_max:g}, β ≥ {law.beta_min:g}"
    if not follows(level):
        return inconclusive("BUDGET", f"true for {domain} by certificate; beyond, the derivation misses the level")
    attained = max(proof.reached, lower_end(precise(value)(u=box["u"][0], c=0.0)))
    constant = min(1.0, upper_end(precise(law.constant)()))
    note = f"P ≤ {constant:.4g} β for all n and β (derivation); certificate for {domain}: {proof.boxes} boxes"
    ends = (attained, max(attained, constant))
    return holds("derivation", "everywhere", tightness=ends, note=note, series=tail_series(level))


def tail_ratio(level: Level) -> tuple[Callable, Callable, Box]:
    """(upper, value, box) of P / beta in the coordinates u = log n, c = sqrt(2 log 1/beta)."""
    law = level.law

    def units(n: Any, c: float) -> arb:
        return level.units(n, (-(exact(c) ** 2) / 2).exp())

    def upper(u: Side, c: Side) -> arb:
        first = exact(max(law.n_from, whole_below(u[0])))
        last = exact(u[1]).exp() * (1 + arb("1e-12"))
        return law.at_most(last, units(first, c[0])) * (exact(c[1]) ** 2 / 2).exp()

    def value(u: float, c: float) -> arb:
        n = exact(max(law.n_from, math.floor(math.exp(u))))
        return law.at_least(n, units(n, c)) * (exact(c) ** 2 / 2).exp()

    box = {"u": (math.log(law.n_from), math.log(law.n_max)), "c": (0.0, math.sqrt(-2 * math.log(law.beta_min)))}
    return upper, value, box


@precise
def follows(level: Level) -> bool:
    """Does the level reach what the derivation asks for? All are closed formulas; compared where they could part."""
    points = itertools.product((level.law.n_from, level.law.n_from + 1, 10, 10**6, 10**30, 10**300), NEAR_ONE_AND_FAR)
    return all(
        lower_end(level.units(n, beta) - needed + SLACK) > 0 for n, beta in points for needed in level.needed(n, beta)
    )


def readable_point(level: Level, fallback: tuple[int, float]) -> tuple[int, float] | None:
    """A failing (n, beta) with few digits: where it is to be shown, or the largest readable beta at the smallest n."""
    readable = ((n, beta) for beta in READABLE_BETAS for n in (level.law.n_from, 10))
    for n, beta in (*level.shown, *readable, fallback):
        sides = confirm(
            {"n": n, "beta": beta}, lambda n, beta: level.law.at_least(n, level.units(n, beta)), lambda n, beta: beta
        )
        if sides.exceeds:
            return n, beta
    return None


@precise
def tail_witness(level: Level, n: int, beta: float) -> dict:
    """The failing point as the ledger's witness."""
    law, formula = level.law, level.statement.theorem.formula
    chance = law.exact(n, level.units(n, beta))
    package, _, module = formula.__module__.rpartition(".")
    python = (
        f"from {package} import {module}\n"
        "from lemmata.bounds.exact.balls import exact\n"
        f"from lemmata.bounds.exact.gaussian_maxima import {law.code.split('(')[0].split()[-1]}\n\n"
        f"n, sigma, beta, noise = {n!r}, exact({level.sigma!r}), exact({beta!r}), exact({level.noise!r})\n"
        f"level = {module}.{formula.__name__}({law.size}=n, sigma=sigma, beta=beta)\n"
        f"chance = {law.code}\n"
        "assert chance > beta, (chance, beta)\n"
    )
    return witness.inequality(
        {"sigma": level.sigma},
        chance,
        exact(beta),
        point={law.size: n, "beta": beta, "sigma": level.sigma},
        claimed=f"probability <= {beta:g}",
        found=f"it is {float(chance):.3g}, {float(chance) / beta:.3g} times what is allowed",
        python=python,
    )


def tail_series(level: Level, n: int = 10) -> dict[str, list[float]]:
    """Allowed and exact probability along beta, for the figure."""
    betas = [10.0**-k for k in range(1, 9)]
    chances = [float(level.law.exact(n, level.units(n, beta))) for beta in betas]
    return {"beta": betas, "allowed": betas, f"exact, n = {n}, sigma = {level.sigma:g}": chances}
