"""Numbers rounded towards weaker privacy: exact rationals first, then one float.

A guarantee must never be better on paper than in truth. What is spent is computed in fractions, which know no
rounding, and turned into the nearest float *above*; what may be spent is turned into the nearest float *below*.
"""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import exp, inf, isinf, isqrt, log, nextafter, sqrt
from typing import Any

import numpy as np
from flint import arb, ctx
from scipy.special import erfcx

from lemmata.bounds.exact.balls import Phi, exact, lower_end, mills, phi, upper_end
from lemmata.bounds.exact.privacy_curves import log_gaussian_delta

LONGEST_TEXT = 400  # digits, and powers of ten: enough for any float
REALS = (int, float, Fraction, np.integer, np.floating)
NO_REALS = (bool, np.timedelta64)  # which Python and numpy count among their integers


def as_real(name: str, value: Any) -> float:
    """Return `value` as a float.

    Raises ValueError unless it is one real number (int, float or Fraction; a truth value is none) or a 0-d array.

    A whole number or a fraction too large for a float becomes inf, which no range below admits.

    >>> as_real("rho", np.int64(2)), as_real("rho", np.array(1))
    (2.0, 1.0)
    """
    if isinstance(value, np.ndarray) and value.ndim == 0 and not np.ma.isMaskedArray(value):
        value = value[()]
    if not isinstance(value, REALS) or isinstance(value, NO_REALS):
        raise ValueError(f"{name} must be a real number, got {short_repr(value)}")
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def check_in_range(name: str, value: Any, low: float, high: float, *, closed: bool = False) -> float:
    """Return `value` as a float. ValueError unless low < value < high, or low <= value <= high with `closed` ends.

    >>> check_in_range("delta", 1, 0, 1, closed=True)
    1.0
    """
    number = as_real(name, value)
    low, high = as_real("low", low), as_real("high", high)
    if not (low <= number <= high if closed else low < number < high):  # NaN is in no range
        ends = "[]" if closed else "()"
        raise ValueError(f"{name} must be in {ends[0]}{_short(low)}, {_short(high)}{ends[1]}, got {short_repr(value)}")
    return number


class RoundedUp(float):
    """A float just above a number that no float equals; `below` is the largest float below that number.

    A promise counts as the float itself, a budget as `below` (`lemmata.mechanisms.privacy.as_budget`).
    """

    below: float

    def __reduce__(self) -> tuple[Any, ...]:
        return _rounded_up, (float(self), self.below)


def _rounded_up(above: float, below: float) -> RoundedUp:
    number = RoundedUp(above)
    number.below = below
    return number


def rounded_up_in_range(name: str, value: Any, low: float, high: float, *, closed: bool = False) -> float:
    """Return `value` as `check_in_range` does, rounded up where no float equals it (a Fraction, a large int).

    Text ("1/3", "0.1") and Decimal count as the fractions that they are; a truth value raises ValueError.

    >>> third = rounded_up_in_range("epsilon", Fraction(1, 3), 0, 1)
    >>> third, third > Fraction(1, 3), third.below < Fraction(1, 3)
    (0.3333333333333334, True, True)
    """
    value = _as_number(name, value)
    number = check_in_range(name, value, low, high, closed=closed)
    if isinstance(value, float):
        return value if type(value) is RoundedUp else number  # a derived one may say anything
    given = _rational(value)
    if given is None or given == number:
        return number
    return _rounded_up(check_in_range(name, round_up(given), low, high, closed=closed), round_down(given))


def rounded_down_in_range(name: str, value: Any, low: float, high: float, *, closed: bool = False) -> float:
    """Return `value` as `check_in_range` does, rounded down where no float equals it.

    >>> rounded_down_in_range("delta", Fraction(2, 3), 0, 1) < Fraction(2, 3)
    True
    """
    value = _as_number(name, value)
    number = check_in_range(name, value, low, high, closed=closed)
    if isinstance(value, float):
        return getattr(value, "below", number)
    given = _rational(value)
    return number if given is None else check_in_range(name, round_down(given), low, high, closed=closed)


def _as_number(name: str, value: Any) -> Any:
    """Text and Decimal as a Fraction, other numbers as they are. ValueError for a truth value and for other text."""
    if isinstance(value, bool) or getattr(value, "dtype", None) == np.bool_:
        raise ValueError(f"{name} must be a real number, got {short_repr(value)}")
    if not isinstance(value, str | Decimal):
        return value
    try:
        digits, _, exponent = str(value).upper().partition("E")
        if len(digits) > LONGEST_TEXT or abs(int(exponent or 0)) > LONGEST_TEXT:  # "1E999999999" takes for ever
            raise ValueError
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{name} must be a real number, got {short_repr(value)}") from None


def _rational(value: Any) -> Fraction | None:
    """A real number that is finite, exactly; None for an infinite one."""
    if isinstance(value, np.ndarray):
        value = value[()]
    if isinstance(value, np.floating):
        return Fraction(*map(int, value.as_integer_ratio())) if np.isfinite(value) else None
    return Fraction(int(value) if isinstance(value, np.integer | np.bool_) else value)


def as_real_array(name: str, value: Any) -> np.ndarray:
    """Return real numbers as an array of floats. ValueError, without an entry, for anything else: masked, complex,
    text, objects, ragged lists."""
    if np.ma.isMaskedArray(value):
        raise ValueError(f"{name} must be an array without a mask, got a masked array; fill its masked entries first")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, MemoryError):
        raise ValueError(f"{name} must be an array of numbers") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be an array of numbers, got dtype {array.dtype}")
    with np.errstate(over="ignore"):  # of a longdouble
        return array.astype(float, copy=False)


def short_repr(value: Any) -> str:
    """Return a parameter as an error message may show it: numbers, short words and None; only the type of others."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    text = repr(value) if isinstance(value, str) else str(value)
    if value is None or (isinstance(value, (str, complex, np.bool_, *REALS)) and len(text) <= 60):
        return text
    return text if type(value).__name__.endswith("DP") else f"a {type(value).__name__}"  # guarantees are public


def _short(end: float) -> str:
    if end == float(np.finfo(float).max):
        return "the largest float"
    return str(int(end)) if abs(end) < 1e6 and end == int(end) else str(end)


def round_up(x: Fraction) -> float:
    """Return the smallest float that is at least `x`; inf beyond the largest.

    >>> round_up(Fraction(1, 10)) >= Fraction(1, 10), round_up(Fraction(1, 10**400))
    (True, 5e-324)
    """
    try:
        near = float(x)
    except OverflowError:
        return inf if x > 0 else -nextafter(inf, 0)
    return near if near >= x else nextafter(near, inf)


def round_down(x: Fraction) -> float:
    """Return the largest float that is at most `x`.

    >>> round_down(Fraction(1, 10)) <= Fraction(1, 10), round_down(Fraction(1, 10**400)), round_down(Fraction(0))
    (True, 0.0, 0.0)
    """
    return 0.0 - round_up(-x)  # and no negative zero


def sqrt_up(x: Fraction) -> float:
    """Return the smallest float whose square is at least `x` >= 0.

    >>> sqrt_up(Fraction(25)), Fraction(sqrt_up(Fraction(2))) ** 2 > 2
    (5.0, True)
    """
    below = Fraction(isqrt(x.numerator * x.denominator << 256), x.denominator << 128)
    near = round_up(below)
    return near if isinf(near) or Fraction(near) ** 2 >= x else nextafter(near, inf)


def sqrt_down(x: Fraction) -> float:
    """Return the largest float whose square is at most `x` >= 0.

    >>> sqrt_down(Fraction(25)), Fraction(sqrt_down(Fraction(2))) ** 2 < 2
    (5.0, True)
    """
    above = sqrt_up(x)
    return above if not isinf(above) and Fraction(above) ** 2 <= x else nextafter(above, 0)


def sum_up(values: Iterable[float]) -> float:
    """Return the smallest float that is at least the exact sum of finite floats.

    >>> sum_up([0.1] * 10) > 1, 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1  # each rounds on its way
    (True, 0.9999999999999999)
    """
    return round_up(sum((Fraction(value) for value in values), Fraction(0)))


# The Gaussian curve in balls ------------------------------------------------------------------------------------------

SMALLEST = nextafter(0.0, 1.0)  # the least positive float: what a probability that underflows is rounded up to
FAR = 60.0  # standard deviations; the tail beyond has a mass below e^-1800


def certified_delta(epsilon: float, mu: float) -> float:
    """Return an upper bound on delta(epsilon; mu), nearly tight and never 0; 0 <= epsilon < inf, 0 < mu < inf.

    With u = epsilon / mu - mu / 2 and Mills' ratio m it is phi(u) (m(u) - m(u + mu)), or Phi(-u) - phi(u) m(u + mu)
    where u < -1; evaluated in balls, with as many bits as it takes.

    >>> certified_delta(60.0, 1.0), certified_delta(0.0, 1.0) >= 0.38292492254802624
    (5e-324, True)
    """
    u = Fraction(epsilon) / Fraction(mu) - Fraction(mu) / 2
    if abs(u) > FAR:
        return SMALLEST if u > 0 else 1.0
    for bits in (128, 512, 2048, 4096):
        with ctx.workprec(bits):
            e, m = exact(epsilon), exact(mu)
            z = e / m - m / 2
            near = phi(z) * (mills(z) - mills(z + m)) if u > -1 else Phi(-z) - phi(z) * mills(z + m)
            if near.rel_accuracy_bits() > 80:
                break
    return max(SMALLEST, min(1.0, upper_end(near)))


def lemma_epsilon(mu: float, delta: float) -> float:
    """Return mu^2 / 2 + mu sqrt(2 log(1/delta)) of wzw25 Lemma E.1, rounded up.

    An epsilon that mu-GDP always implies.
    """
    with ctx.workprec(128):
        m = exact(mu)
        return upper_end(m * m / 2 + m * (-2 * exact(delta).log()).sqrt())


def newton_epsilon(start: float, mu: float, delta: float) -> float:
    """Return an approximate root of delta(epsilon; mu) = delta, by Newton steps in log delta from above.

    The logarithm is concave in epsilon, so the steps come down to the root, quadratically. Its slope is
    -e^epsilon Phi(-u - mu) / delta(epsilon; mu) with e^epsilon Phi(-u - mu) = phi(u) m(u + mu), u = epsilon / mu -
    mu / 2; far out it is about -u / mu. The curve is `certified_delta`, from above, to the last bit, where it is not
    so small that floats end.
    """
    epsilon = start
    for _ in range(60):
        found, u = certified_delta(epsilon, mu), epsilon / mu - mu / 2
        log_found = log(found) if found > 1e-290 else float(log_gaussian_delta(epsilon, mu))
        slope = -u / mu if u > 35 else -exp(-u * u / 2 - log_found) * float(erfcx((u + mu) / sqrt(2))) / 2
        step = (log_found - log(delta)) / slope
        if not (slope < 0 and abs(step) > 2e-16 * epsilon):
            break
        epsilon = max(0.0, epsilon - step)
    return epsilon


def lemma_mu(epsilon: float, delta: float) -> float:
    """Return a mu that implies (epsilon, delta)-DP, rounded down.

    Lemma E.1 solved for mu, or sqrt(2 pi) delta if larger.

    At epsilon = 0 delta(0; mu) = erf(mu / sqrt 8) <= mu / sqrt(2 pi), and it decreases in epsilon.
    """
    with ctx.workprec(128):
        e, t = exact(epsilon), (-2 * exact(delta).log()).sqrt()
        from_lemma = lower_end(2 * e / ((t * t + 2 * e).sqrt() + t)) if epsilon > 0 else 0.0
        return max(from_lemma, lower_end((2 * arb.pi()).sqrt() * exact(delta)))


def is_pure_gaussian(epsilon: float, mu: float) -> bool:
    """Return whether epsilon-DP provably implies mu-GDP: Phi(-mu / 2) <= 1 / (1 + e^epsilon)."""
    with ctx.workprec(128):
        e, half = exact(epsilon), exact(mu) / 2
        if epsilon < 1:  # both sides are near 1/2: compare what is missing
            return bool((half / arb(2).sqrt()).erf() >= (e / 2).tanh())
        tail = mills(half).log() - half**2 / 2 - (2 * arb.pi()).log() / 2
        return bool(tail <= -e - (-e).exp().log1p())


def group_delta(epsilon: float, delta: float, k: int) -> float:
    """Return delta (e^{k epsilon} - 1) / (e^epsilon - 1), or k delta at epsilon = 0, rounded up; at most 1."""
    if delta == 0:
        return 0.0
    if epsilon == 0:
        return min(1.0, round_up(k * Fraction(delta)))
    if (k - 1) * Fraction(epsilon) > 1000:  # above delta e^1000
        return 1.0
    with ctx.workprec(128):
        e = exact(epsilon)
        return min(1.0, upper_end(exact(delta) * (k * e).expm1() / e.expm1()))
