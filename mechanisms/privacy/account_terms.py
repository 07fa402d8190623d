"""What an account has spent and has left, as guarantees in the terms of its budget; shares and reserves.

Sums and caps are exact (`lemmata.mechanisms.privacy.privacy_filter`); here they become floats, what is spent above them
and what is left below.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from lemmata.mechanisms.numerics.arguments import check_integer
from lemmata.mechanisms.numerics.arithmetic import (
    round_down,
    round_up,
    rounded_down_in_range,
    short_repr,
    sqrt_down,
    sqrt_up,
)
from lemmata.mechanisms.privacy.algebra import compose, to_neighbours
from lemmata.mechanisms.privacy.conversions import to_approx
from lemmata.mechanisms.privacy.gaussian_curve import gaussian_epsilon
from lemmata.mechanisms.privacy.guarantees import LARGEST, ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from lemmata.mechanisms.privacy.privacy_filter import Amounts

MOST_PARTS = 10**6
VERSION = 1  # of a file's entries


def spent_as(budget: Guarantee, sums: Amounts) -> Guarantee | None:
    """Return the composed guarantee of all releases, rounded up; None before the first one."""
    epsilon, delta, square, divergences = sums
    if divergences:
        promised = _divergences(budget, [round_up(sum) for sum in divergences])
        if not isinstance(budget, ApproxDP):
            return promised
        implied = to_approx(promised, delta=budget.delta)
        return ApproxDP(min(implied.epsilon, budget.epsilon), budget.delta, budget.neighbours)
    if isinstance(budget, GaussianDP):
        return GaussianDP(sqrt_up(square), budget.neighbours) if square else None
    if square and isinstance(budget, ApproxDP):
        curve = gaussian_epsilon(sqrt_up(square), round_down(Fraction(budget.delta) - delta))
        both = round_up(epsilon + Fraction(curve)) if curve < inf else inf
        # within the budget up to rounding, by the caps; the budget itself is proved
        return ApproxDP(min(both, budget.epsilon), budget.delta, budget.neighbours)
    if delta:
        return ApproxDP(round_up(epsilon), round_up(delta), budget.neighbours)
    return PureDP(round_up(epsilon), budget.neighbours) if epsilon else None


def left_as(budget: Guarantee, caps: Amounts, sums: Amounts, share: Fraction = Fraction(1)) -> Guarantee | None:
    """Return a share of what is left, rounded down, so that all shares together are left; None if nothing is."""
    epsilon, delta, square = (share * (cap - sum) for cap, sum in zip(caps[:3], sums[:3], strict=True))
    if caps.divergences:
        spent = sums.divergences or (Fraction(0),) * len(caps.divergences)
        rest = [round_down(share * (cap - sum)) for cap, sum in zip(caps.divergences, spent, strict=True)]
        return _divergences(budget, rest) if min(rest) > 0 else None
    if square > 0:
        return GaussianDP(sqrt_down(square), budget.neighbours)
    if delta > 0:
        return ApproxDP(round_down(epsilon), round_down(delta), budget.neighbours)
    return PureDP(round_down(epsilon), budget.neighbours) if epsilon > 0 else None


def parts_as(budget: Guarantee, caps: Amounts, sums: Amounts, shares: Any) -> tuple[Guarantee, ...]:
    """Return what is left in shares. ValueError if nothing is."""
    found = [left_as(budget, caps, sums, share) for share in _proportions(shares)]
    if None in found:
        raise ValueError(f"shares must be of an account with something left, got {len(found)} of {budget}")
    return tuple(part for part in found if part is not None)


def _proportions(shares: Any) -> list[Fraction]:
    """Return shares that add up to 1: as many equal ones as an int says, or those in proportion to several numbers."""
    shares = shares.tolist() if isinstance(shares, np.ndarray) else shares
    if not isinstance(shares, Sequence) or isinstance(shares, str | bytes):
        (count,) = check_integer(MOST_PARTS, shares=shares)
        return [Fraction(1, count)] * count
    sizes = [Fraction(rounded_down_in_range("shares", share, 0, LARGEST)) for share in shares]
    if not sizes:
        raise ValueError("shares must contain numbers, got none")
    return [size / sum(sizes) for size in sizes]


def _divergences(budget: Guarantee, sums: list[float]) -> Guarantee:
    """A rho, or an epsilon at each order of a RenyiDP budget, as a guarantee."""
    if isinstance(budget, RenyiDP):
        return replace(budget, epsilon=tuple(sums) if isinstance(budget.order, tuple) else sums[0])
    return ZCDP(sums[0], budget.neighbours)


def as_reserve(reserve: Any, budget: Guarantee, way: str) -> ApproxDP:
    """`reserve` as an ApproxDP for the budget's neighbours, (0, 0) for None."""
    if reserve is None:
        return ApproxDP(0.0, 0.0, budget.neighbours)
    if not isinstance(budget, ApproxDP) or way in ("approximate", "zcdp", "losses"):
        raise ValueError(f"reserve requires an ApproxDP budget with way = 'gaussian', got {short_repr(reserve)}")
    if not isinstance(reserve, PureDP | ApproxDP) or reserve.neighbours != budget.neighbours:
        raise ValueError(f"reserve must be a PureDP or ApproxDP for {budget.neighbours!r}, got {short_repr(reserve)}")
    if reserve.epsilon > budget.epsilon or reserve.delta > budget.delta:
        raise ValueError(f"reserve must be at most the budget {budget}, got {reserve}")
    return ApproxDP(reserve.epsilon, reserve.delta, budget.neighbours)


class Announced(tuple[Any, ...]):
    """A plan from a file: it was within the budget when the account was opened, by the SciPy of that day."""


def as_plan(plan: Any, budget: Any, way: str) -> Counter[Any] | None:
    """Return how often each guarantee may be spent in way "losses", None in others. ValueError beyond the budget."""
    if way != "losses":
        if plan is not None:
            raise ValueError(f"plan requires way = 'losses', got a plan and way = {way!r}")
        return None
    if not isinstance(plan, Sequence) or not 0 < len(plan) <= MOST_PARTS:
        raise ValueError(f"plan must be a sequence of guarantees for way = 'losses', got {short_repr(plan)}")
    # Without the parts that `compose` notes, which equality does not see: a release is charged as it is written.
    planned = Counter(replace(to_neighbours(guarantee, budget.neighbours)) for guarantee in plan)
    if isinstance(plan, Announced):
        return planned
    together = compose(*planned.elements())
    try:
        kept = to_approx(together, epsilon=budget.epsilon).delta <= budget.delta
    except ValueError:
        kept = False
    if not kept:
        raise ValueError(f"plan must be within the budget {budget}, got {len(plan)} guarantees that exceed it together")
    return planned


def planned_as(budget: Any, released: Counter[Any]) -> Guarantee | None:
    """Return what a part of a plan spends, at the budget's delta; None before the first release."""
    if not released:
        return None
    try:
        epsilon = to_approx(compose(*map(replace, released.elements())), delta=budget.delta).epsilon
    except ValueError:
        epsilon = budget.epsilon
    return ApproxDP(min(epsilon, budget.epsilon), budget.delta, budget.neighbours)
