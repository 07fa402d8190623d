"""What one run of private tuning may spend, so that the best of K runs keeps the promise: Appendix K.2 of wzw25.

K ~ TNB(eta, r). The statements are those of `lemmata.bounds.wzw25.best_of_runs`; here they are solved for the budget mu
of one run, and what is handed out satisfies their hypotheses in ball arithmetic.
"""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
from flint import ctx
from scipy.optimize import brentq

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.tuning_curves import sharp_growth
from lemmata.bounds.wzw25.best_of_runs import sharp_epsilon, tail_at, tuning_budget
from lemmata.mechanisms.arithmetic import certified_delta, down, up
from lemmata.mechanisms.law import one_of, positive, sized, within_unit
from lemmata.mechanisms.privacy import ApproxDP
from lemmata.mechanisms.tnb import TruncatedNegativeBinomial

CALIBRATIONS = ("printed", "sharp")
SPARED = 1e-12  # the share of epsilon that "sharp" leaves to rounding


def budget(
    epsilon: float, delta: float, *, r: float, eta: float = 1.0, calibration: str = "printed"
) -> tuple[float, ApproxDP]:
    """(mu of one run, the guarantee of the best of K runs).

    "printed": Theorem K.3, epsilon / (6 sqrt(2 log(1/(r delta)))), for eta = 1 and epsilon <= 24 log(1/(r delta)); it
    promises (epsilon + delta, delta)-DP. "sharp": the largest mu whose
    `lemmata.bounds.wzw25.best_of_runs.sharp_epsilon` is at most epsilon, for every eta; it promises (epsilon, delta)-DP
    with two to four times the budget. Both are found in floats and lowered until balls show them to be enough. Raises
    ValueError.

    >>> mu, promised = budget(1.0, 1e-5, r=1 / 495); round(mu, 4), promised.epsilon
    (0.028, 1.00001)
    >>> mu, promised = budget(1.0, 1e-5, r=1 / 495, calibration="sharp"); round(mu, 4), promised.epsilon
    (0.1079, 1.0)
    """
    (delta,) = within_unit(delta=delta)
    epsilon, delta = sized(epsilon=epsilon, delta=delta)
    runs = TruncatedNegativeBinomial(eta, r)
    eta, r = runs.eta, runs.r
    one_of(CALIBRATIONS, calibration=calibration)
    if calibration == "printed":
        if eta != 1:
            raise ValueError(f"eta = {eta} is not 1, and Theorem K.3 is about geometric numbers of runs: use 'sharp'")
        if epsilon > (top := 12 * tail_at(r=r, delta=delta) ** 2):
            raise ValueError(f"epsilon = {epsilon} is outside (0, 24 log(1/(r delta))] = (0, {top:.6g}]")
        mu, promised = tuning_budget(epsilon=epsilon, r=r, delta=delta), up(Fraction(epsilon) + Fraction(delta))
    else:
        mu, promised = _largest(epsilon, delta, r, eta), epsilon
    enough, step = _printed_holds if calibration == "printed" else _sharp_holds, 2.0**-53
    while not enough(mu, epsilon, delta, r, eta):
        mu, step = mu * (1 - step), 2 * step
    return mu, ApproxDP(promised, delta)


def _largest(epsilon: float, delta: float, r: float, eta: float) -> float:
    """The root of sharp_epsilon(mu) = epsilon, in floats."""

    def excess(log_mu: float) -> float:
        return sharp_epsilon(mu=float(np.exp(log_mu)), r=r, delta=delta, eta=eta) - epsilon

    low = high = log(epsilon / (6 * tail_at(r=r, delta=delta)))
    while excess(low) > 0:
        low -= 1.0
    while excess(high) <= 0:
        high += 1.0
    return float(np.exp(brentq(excess, low, high, xtol=1e-12)))


def _printed_holds(mu: float, epsilon: float, delta: float, r: float, _: float) -> bool:
    """Corollary K.2: 6 mu t <= epsilon and mu <= 2 t, with t = sqrt(2 log(1/(r delta))), in balls."""
    with ctx.workprec(128):
        t = (-2 * (exact(r) * exact(delta)).log()).sqrt()
        return bool(6 * exact(mu) * t <= exact(epsilon)) and bool(exact(mu) <= 2 * t)


def _sharp_holds(mu: float, epsilon: float, delta: float, r: float, eta: float) -> bool:
    """Lemma K.1 (explicit, sharp) in balls, for an e^ and an epsilon_1 with epsilon_1 + (eta + 1) e^ <= epsilon.

    E K delta_M(epsilon_1) <= delta and (1 - r) delta_M(e^) <= r (exp(e^) - 1); floats propose e^, and delta_M is
    rounded up.
    """
    growth = sharp_growth(mu, r) * (1 + SPARED)
    first = down(Fraction(epsilon) * (1 - Fraction(SPARED)) - (Fraction(eta) + 1) * Fraction(growth))
    if first < 0:
        return False
    with ctx.workprec(tnb.FINE):
        grown = (1 - exact(r)) * certified_delta(growth, mu) <= exact(r) * exact(growth).expm1()
        return bool(grown) and bool(tnb.mean(eta, r) * certified_delta(first, mu) <= exact(delta))


def theorem_epsilon(epsilon: float, delta: float, calibration: str) -> float:
    """The epsilon of Theorem K.3 whose guarantee, (epsilon + delta, delta), is at most the one asked for.

    >>> theorem_epsilon(1.0, 0.25, "printed"), theorem_epsilon(1.0, 0.25, "sharp")
    (0.75, 1.0)
    """
    one_of(CALIBRATIONS, calibration=calibration)
    (epsilon,) = positive(epsilon=epsilon)
    (delta,) = within_unit(delta=delta)
    if calibration == "sharp":
        return epsilon
    if epsilon <= delta:
        raise ValueError(f"epsilon = {epsilon} is outside (delta, inf): Theorem K.3 adds delta = {delta} to it")
    return down(Fraction(epsilon) - Fraction(delta))
