"""Binomial tails in ball arithmetic, and the chance that an empirical distribution function crosses a boundary.

Laws of the number of errors of one hypothesis, and of all thresholds at once, on a sample of m records.
"""

from collections.abc import Sequence

from flint import arb

from lemmata.bounds.exact.balls import exact, precise
from lemmata.bounds.exact.numbers import Number


@precise
def at_most(m: int, p: Number, k: int) -> arb:
    """P(Binomial(m, p) <= k), accurate in both tails.

    >>> at_most(2, arb("0.5"), 0).overlaps(arb("0.25")), at_most(2, arb("0.5"), 1).overlaps(arb("0.75"))
    (True, True)
    """
    p = exact(p)
    if k < 0:
        return arb(0)
    if k >= m or p <= 0:
        return arb(1)
    if p >= 1:
        return arb(0)
    return (1 - p).beta_lower(m - k, k + 1, True)


def at_least(m: int, p: Number, k: int) -> arb:
    """P(Binomial(m, p) >= k)."""
    return at_most(m, 1 - exact(p), m - k)


@precise
def crosses(m: int, levels: Sequence[arb]) -> arb:
    """P(some t has t > levels[m F_m(t)]) for the empirical distribution function F_m of m uniform draws on [0, 1].

    `levels`: m + 1 balls, ascending. Crossing at count i is U_(i+1) > levels[i]; so nothing crosses iff the number of
    draws in [0, levels[i]] is at least i + 1 for every i with levels[i] < 1. These numbers are a Markov chain of
    binomial steps. A level below 0 is crossed at t = 0.

    >>> crosses(1, [arb("0.9"), arb(1)]).overlaps(arb("0.1"))
    True
    """
    if levels[0] < 0:
        return arb(1)
    law, before = {0: arb(1)}, arb(0)
    for i, level in enumerate(levels):
        if not level < 1:
            break
        step = (level - before) / (1 - before)
        after: dict[int, arb] = {}
        for count, chance in law.items():
            weight, odds = chance * (1 - step) ** (m - count), step / (1 - step)
            for new in range(count, m + 1):
                if new > i:
                    after[new] = after.get(new, arb(0)) + weight
                weight = weight * odds * (m - new) / (new - count + 1)
        law, before = after, level
    return 1 - sum(law.values(), arb(0))
