"""What one run of private tuning may spend, so that the best of K runs keeps the promise: Appendix K.2 of wzw25.

K ~ TNB(eta, r). The statements are those of `lemmata.bounds.wzw25.best_of_runs`; here they are solved for the budget mu
of one run, and what is handed out satisfies their hypotheses in ball arithmetic.
"""

from fractions import Fraction
from functools import lru_cache
from math import log

import numpy as np
from flint import ctx
from scipy.optimize import brentq

from lemmata.bounds.exact import tnb, winner_profile
from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.bounds.exact.tuning_curves import sharp_growth
from lemmata.bounds.wzw25 import run_counts
from lemmata.bounds.wzw25.best_of_runs import sharp_epsilon, tail_at, tuning_budget
from lemmata.mechanisms.numerics.arguments import check_choice, check_magnitude, check_positive, check_within_unit
from lemmata.mechanisms.numerics.arithmetic import certified_delta, round_down, round_up
from lemmata.mechanisms.privacy import ApproxDP
from lemmata.mechanisms.selection.tnb import TruncatedNegativeBinomial

CALIBRATIONS = ("printed", "sharp")
SPARED = 1e-12  # the share of epsilon that "sharp" leaves to rounding


def budget(
    epsilon: float, delta: float, *, r: float, eta: float = 1.0, calibration: str = "printed"
) -> tuple[float, ApproxDP]:
    """Return (mu of one run, the guarantee of the best of K runs).

    "printed": Theorem K.3, epsilon / (6 sqrt(2 log(1/(r delta)))), for eta = 1 and epsilon <= 24 log(1/(r delta)); it
    promises (epsilon + delta, delta)-DP. "sharp": the largest mu whose
    `lemmata.bounds.wzw25.best_of_runs.worst_epsilon` is at most epsilon, for every eta; it promises (epsilon, delta)-DP
    with two to four times the budget, and runs of which mu alone is known can have no more. Both are found in floats
    and lowered until ball arithmetic shows that they suffice. Raises ValueError for a budget outside its range, r
    outside (0, 1), eta outside (-1, inf), an unknown `calibration`, and eta other than 1 with "printed".

    >>> mu, promised = budget(1.0, 1e-5, r=1 / 495); round(mu, 4), promised.epsilon
    (0.028, 1.00001)
    >>> mu, promised = budget(1.0, 1e-5, r=1 / 495, calibration="sharp"); round(mu, 4), promised.epsilon
    (0.1157, 1.0)
    """
    (delta,) = check_within_unit(delta=delta)
    epsilon, delta = check_magnitude(epsilon=epsilon, delta=delta)
    runs = TruncatedNegativeBinomial(eta, r)
    eta, r = runs.eta, runs.r
    check_choice(CALIBRATIONS, calibration=calibration)
    if calibration == "printed":
        if eta != 1:
            raise ValueError(f"eta must be 1 for the geometric runs of Theorem K.3, got {eta}; use 'sharp'")
        if epsilon > (top := 12 * tail_at(r=r, delta=delta) ** 2):
            raise ValueError(f"epsilon must be in (0, 24 log(1/(r delta))] = (0, {top:.6g}], got {epsilon}")
        mu, promised = tuning_budget(epsilon=epsilon, r=r, delta=delta), round_up(Fraction(epsilon) + Fraction(delta))
    else:
        mu, promised = _largest(epsilon, delta, r, eta), epsilon
    enough, step = _printed_holds if calibration == "printed" else _sharp_holds, 2.0**-53
    while not enough(mu, epsilon, delta, r, eta):
        mu, step = mu * (1 - step), 2 * step
    return mu, ApproxDP(promised, delta)


@lru_cache(maxsize=64)
def _largest(epsilon: float, delta: float, r: float, eta: float) -> float:
    """The root of worst_delta(epsilon; mu) = delta, in floats; that of sharp_epsilon(mu) = epsilon if it is larger."""
    mean = run_counts.mean(eta=eta, r=r)

    def sharp_excess(log_mu: float) -> float:
        return sharp_epsilon(mu=float(np.exp(log_mu)), r=r, delta=delta, eta=eta) - epsilon

    def excess(log_mu: float) -> float:
        mu = float(np.exp(log_mu))
        chain = winner_profile.chords(mu=mu, r=r, eta=eta, growth=sharp_growth(mu, r))
        if epsilon <= winner_profile.least_epsilon(chain):
            return 1.0
        spent = winner_profile.worst_delta(chain, mean, lambda e: float(np.exp(log_gaussian_delta(e, mu))), epsilon)
        return log(max(spent, 1e-320)) - log(delta)

    low = high = log(epsilon / (6 * tail_at(r=r, delta=delta)))
    while sharp_excess(low) > 0:
        low -= 1.0
    while sharp_excess(high) <= 0:
        high += 1.0
    low = high = float(brentq(sharp_excess, low, high, xtol=1e-12))
    if excess(low) >= 0:
        return float(np.exp(low))
    while excess(high) < 0:
        low, high = high, high + 0.05
    return float(np.exp(brentq(excess, low, high, xtol=1e-9) - 2e-9))


def _printed_holds(mu: float, epsilon: float, delta: float, r: float, _: float) -> bool:
    """Corollary K.2: 6 mu t <= epsilon and mu <= 2 t, with t = sqrt(2 log(1/(r delta))), in balls."""
    with ctx.workprec(128):
        t = (-2 * (exact(r) * exact(delta)).log()).sqrt()
        return bool(6 * exact(mu) * t <= exact(epsilon)) and bool(exact(mu) <= 2 * t)


@lru_cache(maxsize=1024)
def _sharp_holds(mu: float, epsilon: float, delta: float, r: float, eta: float) -> bool:
    """Lemma K.1 (explicit, worst or sharp) in balls, for an e^ that is shown to bound the growth.

    (1 - r) delta_M(e^) <= r (exp(e^) - 1), where floats propose e^. Then the chords of `winner_profile`, or E K
    delta_M(epsilon_1) <= delta with epsilon_1 + (eta + 1) e^ <= epsilon; delta_M is rounded up.
    """
    growth = sharp_growth(mu, r) * (1 + SPARED)
    first = round_down(Fraction(epsilon) * (1 - Fraction(SPARED)) - (Fraction(eta) + 1) * Fraction(growth))
    if first < 0:
        return False
    with ctx.workprec(tnb.FINE):
        if not (1 - exact(r)) * certified_delta(growth, mu) <= exact(r) * exact(growth).expm1():
            return False
        mean = tnb.mean(eta, r)
        if bool(mean * certified_delta(first, mu) <= exact(delta)):
            return True
    chain = winner_profile.chords(mu=mu, r=r, eta=eta, growth=growth, tails=winner_profile.ball_tails)
    if epsilon <= winner_profile.least_epsilon(chain) * (1 + SPARED):
        return False
    spent = winner_profile.worst_delta(chain, upper_end(mean), lambda e: certified_delta(max(e, 0.0), mu), epsilon)
    return bool(spent <= delta)


def theorem_epsilon(epsilon: float, delta: float, calibration: str) -> float:
    """Return the epsilon of Theorem K.3 whose guarantee, (epsilon + delta, delta), is at most the one asked for.

    >>> theorem_epsilon(1.0, 0.25, "printed"), theorem_epsilon(1.0, 0.25, "sharp")
    (0.75, 1.0)
    """
    check_choice(CALIBRATIONS, calibration=calibration)
    (epsilon,) = check_positive(epsilon=epsilon)
    (delta,) = check_within_unit(delta=delta)
    if calibration == "sharp":
        return epsilon
    if epsilon <= delta:
        raise ValueError(f"epsilon must be in (delta, inf), got {epsilon}: Theorem K.3 adds delta = {delta} to it")
    return round_down(Fraction(epsilon) - Fraction(delta))
