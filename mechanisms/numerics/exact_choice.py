"""Draw an index i with probability w_i / (w_0 + ... + w_{N-1}), exactly; all selections use it.

    i is the first with U (w_0 + ... + w_{N-1}) < w_0 + ... + w_i,    U uniform on (0, 1)

Of U 63 binary digits are drawn, and the partial sums are taken in float64 with their error bounded. Where U is too near
to one of them to prove i, further digits are drawn, and the sums are enclosed in ball arithmetic, until it is proved.
The weights are real numbers, exp of rational numbers; what is chosen is one of N public numbers and has no low bits.
Not hardened: the time that a draw takes.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, ctx

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.wzw25.gaussian_privacy_proof import partial_sum_error
from lemmata.mechanisms.numerics.entropy import draw_words
from lemmata.mechanisms.numerics.proved_floats import exp_below_700

Enclosed = Callable[[], Iterable[arb]]  # the weights in balls, at flint's precision when it is called


def choice_weights(scores: np.ndarray, scale: float, top: float) -> np.ndarray:
    """Return exp(scale (score - top)) in float64, each within `slack(0)` of the truth.

    Scores are at most `top`, scale > 0.

    >>> choice_weights(np.array([0.0, -1.0]), 2.0, 0.0).round(9).tolist()
    [1.0, 0.135335283]
    """
    with np.errstate(over="ignore"):
        below = np.subtract(scores, top)
        below *= scale
        return exp_below_700(below)


@lru_cache(maxsize=4096)
def weight_sum_error(count: int) -> float:
    """Return the error of a partial sum of `count` weights of `choice_weights`, one of them 1, relative to the sum.

    Derived, and compared with balls, in `wzw25.rem2.3.float64/explicit/choice`.

    >>> weight_sum_error(1000) < 2**-39
    True
    """
    return partial_sum_error(candidates=count)


def enclosed_weights(scores: np.ndarray, scale: float, top: float) -> list[arb]:
    """Return the weights of `choice_weights`, enclosed at flint's precision."""
    values, places = np.unique(scores, return_inverse=True)
    factor, height = Fraction(scale), Fraction(top)
    balls = [exact(factor * (Fraction(value) - height)).exp() for value in values.tolist()]
    return [balls[place] for place in places.reshape(-1).tolist()]


def draw_choices(
    rng: np.random.Generator, weights: np.ndarray, size: int, enclosed: Enclosed, off: float | None = None
) -> np.ndarray:
    """Draw `size` independent numbers below len(weights), shape (size,), with chances in proportion to the weights.

    No partial sum of the floats `weights`, shape (N,), is off by more than `off` (by default `slack(N)`) times all.

    >>> held = choice_weights(np.zeros(3), 1.0, 0.0)
    >>> draw_choices(np.random.default_rng(0), held, 4, lambda: enclosed_weights(np.zeros(3), 1.0, 0.0)).tolist()
    [0, 1, 0, 0]
    """
    last = len(weights) - 1
    if last == 0:
        return np.zeros(size, dtype=np.int64)
    rising = np.cumsum(weights)
    digits = draw_words(rng, size) & (2**63 - 1)
    places = digits.astype(float) * (2.0**-63 * rising[-1])
    chosen = np.minimum(np.searchsorted(rising, places, side="right"), last)
    near = (weight_sum_error(last + 1) if off is None else off) * rising[-1] + 2.0**-50 * rising[-1]
    above = (rising[chosen] - places <= near) & (chosen < last)
    below = (places - rising[chosen - 1] <= near) & (chosen > 0)
    for i in np.flatnonzero(above | below):
        chosen[i] = decide_choice(rng, int(digits[i]), enclosed)
    return chosen


def decide_choice(rng: np.random.Generator, digits: int, enclosed: Enclosed) -> int:
    """Return the number that a U chooses which begins with 63 binary `digits`; more are drawn until it is proved."""
    drawn = 63
    while True:
        with ctx.workprec(2 * drawn + 64):
            sums = [arb(0)]
            for ball in enclosed():
                sums.append(sums[-1] + ball)
            low, high = (exact(Fraction(end, 2**drawn)) * sums[-1] for end in (digits, digits + 1))
            last = len(sums) - 2
            for i in range(last + 1):
                if i == last or bool(high <= sums[i + 1]):
                    if i == 0 or bool(sums[i] <= low):
                        return i
                    break
        digits, drawn = digits * 2**32 + int(rng.integers(2**32)), drawn + 32
