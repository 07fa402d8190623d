"""From Gaussian to approximate privacy, for all parameters at once: linear rules in the coordinates of Appendix E.

With t = sqrt(2 log(1/delta)) a rule epsilon(mu, t) is decided by exact arithmetic on two rays, and where that fails by
branch and bound on its ratio delta(epsilon; mu) / delta.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx

from lemmata.bounds.exact.balls import enclosure, exact, hull, mills, upper_end
from lemmata.bounds.exact.certify import REFUTED, Box, Certificate, Side, at, certify, supremum
from lemmata.bounds.exact.privacy_curves import closed_form
from lemmata.experiments.checks import witness
from lemmata.experiments.engine.claims.verdict import Verdict, holds, inconclusive, refuted

PRECISION = 192  # bits


@dataclass(frozen=True)
class Conversion:
    """A rule epsilon(mu, t) with u = epsilon / mu - mu / 2 = a t + b mu, on mu <= slope t.

    `slope` None: every mu > 0. The ratio delta(epsilon; mu) / delta is e^{(t - u)(t + u) / 2} [m(u) - m(u +
    mu)] / sqrt(2 pi).
    """

    a: Fraction
    b: Fraction
    slope: Fraction | None

    @classmethod
    def of(cls, epsilon_at: Callable[[Any, Any], Any], slope: Fraction | None) -> "Conversion":
        """Read a and b off an exactly evaluated rule; a 4 x 4 grid pins down a polynomial of low degree."""

        def u(mu: int, t: int) -> Fraction:
            return Fraction(epsilon_at(Fraction(mu), Fraction(t))) / mu - Fraction(mu, 2)

        a = u(1, 2) - u(1, 1)
        b = u(1, 1) - a
        if any(u(mu, t) != a * t + b * mu for mu in range(1, 5) for t in range(1, 5)):
            raise ValueError("epsilon_at is not mu times a linear function of (t, mu)")
        return cls(a, b, slope)

    def mu(self, t: arb, s: arb) -> arb:
        """mu at the coordinate s: itself, or the share s in [0, 1] of the largest mu allowed."""
        return s if self.slope is None else exact(self.slope) * s * t

    def ratio(self, t: arb, s: arb) -> arb:
        """delta(epsilon; mu) / delta in balls."""
        mu = self.mu(t, s)
        u = exact(self.a) * t + exact(self.b) * mu
        gap = exact(1 - self.a) * t - exact(self.b) * mu  # t - u, exactly 0 where it vanishes identically
        return (gap * (t + u) / 2).exp() * (mills(u) - mills(u + mu)) / (2 * arb.pi()).sqrt()

    def upper(self, t: Side, s: Side) -> arb:
        """A bound of the ratio over a box."""
        return self.ratio(hull(t), hull(s))

    def spends_at_most_half(self) -> bool:
        """u >= t for every admissible (t, mu), a cone whose two extreme rays decide? Then ratio < m(0) / sqrt(2 pi)."""
        along = self.b if self.slope is None else self.a - 1 + self.b * self.slope
        return self.a >= 1 and along >= 0

    def box(self) -> Box:
        return {"t": (0.0, 40.0), "s": (0.0, 1000.0 if self.slope is None else 1.0)}

    def near(self) -> Box:
        """A box around the usual parameters, for the sharp constant."""
        return {"t": (0.0, 8.0), "s": (0.01, 10.0) if self.slope is None else (0.0, 1.0)}


@functools.cache
def sharpest(rule: Conversion) -> Certificate:
    """The supremum of the ratio on `near`, the same at every setting."""
    return supremum(rule.upper, at(rule.ratio), rule.near(), gap=2e-3, max_boxes=3000)


def decide_conversion(rule: Conversion, setting: dict, epsilon: Any, mu: Any, delta: float) -> Verdict:
    """One setting in balls; then all parameters at once, or a point where the rule fails."""
    with ctx.workprec(PRECISION):
        spent, allowed = closed_form(epsilon, mu), exact(delta)
    if spent > allowed:
        return exceeded(setting, {"mu": mu, "delta": delta}, spent, allowed)
    if not spent <= allowed:
        return inconclusive(
            "FAILED", f"epsilon = {epsilon} is not a number, or the ball of the spent delta straddles delta"
        )
    if not rule.spends_at_most_half():
        return look_for_excess(rule, setting)
    half = upper_end(mills(0) / (2 * arb.pi()).sqrt())
    sharp = sharpest(rule)
    ts = np.linspace(0, 8, 33)
    curve = [float(rule.ratio(exact(t), exact(rule.near()["s"][1]))) for t in ts]
    return holds(
        "certificate",
        "everywhere",
        tightness=(sharp.reached, half),
        note=f"δ(ε; μ) is at most {half:.3g} δ for all ε and μ of the rule",
        series={"t": ts.tolist(), "bound": [1.0] * len(ts), "exact": curve},
    )


def look_for_excess(rule: Conversion, setting: dict) -> Verdict:
    """REFUTED at a point of the rule's box where it spends more than delta; the rule has u < t somewhere."""
    proof = certify(rule.upper, at(rule.ratio), rule.box(), 1.0, max_boxes=2000)
    if proof.outcome != REFUTED:
        return inconclusive("BUDGET", f"u < t somewhere, yet no violation found in {proof.boxes} boxes")
    with ctx.workprec(PRECISION):
        t, s = (exact(proof.point[name]) for name in ("t", "s"))
        spent, allowed = rule.ratio(t, s) * (-t * t / 2).exp(), (-t * t / 2).exp()
        return exceeded(setting, {"mu": float(rule.mu(t, s)), "t": float(t)}, spent, allowed)


def exceeded(setting: dict, point: dict[str, float], spent: arb, allowed: arb) -> Verdict:
    """REFUTED: N(0, 1) and N(mu, 1) need more than the delta allowed."""
    pair: dict[str, Any] = dict(a="N(0, 1)", b="N(mu, 1)", event="density ratio above e^epsilon", p_a=enclosure(spent))
    return refuted("certificate", witness.inequality(setting, spent, allowed, point=point, **pair))
