"""Restrictions that several printed statements lack in the same way, each as words and as a predicate."""

from math import inf, log

from lemmata.bounds.theorem import Hypothesis, require

HALF = require("β ≤ 1/2", lambda beta: beta <= 1 / 2)
POLYNOMIAL = require(
    "m ≥ 2 and m⁻¹⁰ ≤ β ≤ 1/2, or any other power of m", lambda m, beta: m >= 2 and float(m) ** -10 <= beta <= 1 / 2
)
POWERS_OF_TWO = require(
    "ρ_opt below h_max, and J to base 2, rounded up",
    lambda rho, base, rounding: rho < 1 and (base, rounding) == ("2", "ceil"),
)
PRIVACY_RANGE = require("ε ≤ log(1/δ) and δ < 1/m", lambda epsilon, delta, m: epsilon <= -log(delta) and delta < 1 / m)
NETWORK = require(
    "η ≥ 1/2, ρ ≤ r(ηΛ)ᴸ/2 and β ≤ 1/2",
    lambda eta, rho, radius, norm_bound, layers, beta: (
        eta >= 1 / 2 and rho <= radius * (eta * norm_bound) ** layers / 2 and beta <= 1 / 2
    ),
)
PROPER = require("every S_out other than S itself", lambda gamma: gamma < inf)
GDP_RANGE = require(
    "ε < 8 log(1/δ), the range of Theorems 4.1 and 6.5", lambda epsilon, delta: epsilon < -8 * log(delta)
)


def both(one: Hypothesis, other: Hypothesis) -> Hypothesis:
    """Both restrictions, as one."""
    names = tuple(dict.fromkeys((*one.names, *other.names)))

    def holds(*values: float) -> bool:
        named = dict(zip(names, values, strict=True))
        return one.admits(named) and other.admits(named)

    return Hypothesis(names, f"{one.range}, {other.range}", holds)
