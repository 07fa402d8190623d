"""Numbers and balls, functions of the normal law, and integrals, all enclosed by ball arithmetic.

A ball (`flint.arb`) encloses a real number; whatever is computed from balls encloses the true result, rounding errors
included. `lemmata.bounds.exact.certify` proves inequalities on whole boxes with them.
"""

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import acb, arb, ctx, fmpq

PRECISION = 128  # bits of the balls' midpoints; floats have 53


# Numbers and balls ----------------------------------------------------------------------------------------------------


def exact(x: Any) -> arb:
    """The ball that holds `x` alone: an int, a float, a Fraction (enclosed), or a ball as it is."""
    if isinstance(x, arb):
        return x
    if isinstance(x, (bool, np.bool_)):
        raise TypeError(f"x = {x} is a truth value, not a number")
    if isinstance(x, Fraction):
        return arb(fmpq(x.numerator, x.denominator))
    if isinstance(x, (int, np.integer)):
        return arb(int(x))
    return arb(float(x))


def hull(side: tuple[Any, Any]) -> arb:
    """The smallest ball around the interval `side` = (low, high).

    A ball's radius has 30 bits, so the hull sticks out of the interval by about 1e-9 of its width.
    """
    start, end = side
    return exact(start) if start == end else exact(start).union(exact(end))


def upper_end(x: Any) -> float:
    """The smallest float that is at least every number in `x`; +inf where the ball is NaN.

    >>> upper_end(arb(1) / 3) * 3 >= 1, upper_end(arb("nan"))
    (True, inf)
    """
    if not isinstance(x, arb):
        return math.inf if math.isnan(x) else float(x)
    if x.is_nan():
        return math.inf
    end = x.upper()
    near = float(end)
    return near if arb(near) >= end else math.nextafter(near, math.inf)


def lower_end(x: Any) -> float:
    """The largest float that is at most every number in `x`; -inf where the ball is NaN."""
    return -upper_end(-x)


def enclosure(x: Any) -> list[float]:
    """[low, high] of a ball as floats rounded outward: what a witness records."""
    return [lower_end(x), upper_end(x)]


def precise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run `function` with balls of at least `PRECISION` bits, whatever the caller's setting."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with ctx.workprec(max(ctx.prec, PRECISION)):
            return function(*args, **kwargs)

    return run


# Functions of the normal law ------------------------------------------------------------------------------------------


def _monotone(function: Callable[[arb], arb], x: Any, increasing: bool) -> arb:
    """A monotone function of a ball, from its values at the ball's two ends: wide balls stay sharp."""
    x = exact(x)
    if x.is_exact():
        return function(x)
    first, last = function(x.lower()), function(x.upper())
    if not increasing:
        first, last = last, first
    return first.lower().union(last.upper())


def erfc(x: Any) -> arb:
    """2/sqrt(pi) * integral of exp(-t^2) over t > x, decreasing in x."""
    return _monotone(lambda t: t.erfc(), x, increasing=False)


def Phi(x: Any) -> arb:
    """The standard normal distribution function, as a ball.

    Parameters
    ----------
    x : number or ball
        Where it is evaluated.

    Returns
    -------
    flint.arb
    """
    return _monotone(lambda t: (-t / arb(2).sqrt()).erfc() / 2, x, increasing=True)


def phi(x: Any) -> arb:
    """The standard normal density."""
    x = exact(x)
    return (-(x**2) / 2).exp() / (2 * arb.pi()).sqrt()


def complex_Phi(z: acb) -> acb:
    """The same distribution function of a complex ball, for `integral`."""
    return (-z / arb(2).sqrt()).erfc() / 2


def complex_phi(z: acb) -> acb:
    """The same density of a complex ball, for `integral`."""
    return (-z * z / 2).exp() / (2 * arb.pi()).sqrt()


def log_Phi(x: Any) -> arb:
    """log Phi(x), accurate in both tails."""

    def logarithm(t: arb) -> arb:
        if t > 0:
            return (-(t / arb(2).sqrt()).erfc() / 2).log1p()
        return mills(-t).log() - t**2 / 2 - (2 * arb.pi()).log() / 2

    return _monotone(logarithm, x, increasing=True)


def mills(x: Any) -> arb:
    """Mills' ratio Phi(-x) / phi(x) = sqrt(pi/2) exp(x^2/2) erfc(x/sqrt 2), decreasing in x.

    Far out it is U(1/2, 1/2, x^2/2) / sqrt 2, Tricomi's function, where erfc would underflow.

    >>> abs(float(mills(0)) - math.sqrt(math.pi / 2)) < 1e-15
    True
    """

    def ratio(t: arb) -> arb:
        if t > 10:
            return (t**2 / 2).hypgeom_u(arb(0.5), arb(0.5)) / arb(2).sqrt()
        return (arb.pi() / 2).sqrt() * (t**2 / 2).exp() * (t / arb(2).sqrt()).erfc()

    return _monotone(ratio, x, increasing=False)


def power_complement(log_base: Any, n: Any) -> arb:
    """1 - exp(n log_base), the chance that not all of n independent events happen; `log_base` <= 0."""
    return -(exact(n) * exact(log_base)).expm1()


def integral(function: Callable[[acb, bool], acb], start: Any, end: Any, accuracy: float = 1e-15) -> arb:
    """A ball around the integral of a real function over [start, end], both finite.

    `function(z, analytic)` gets complex balls around pieces of the path. While `analytic` is True it must return a
    ball that is not finite wherever it is not analytic: pass the flag on to `z.log(analytic)`, `z.sqrt(analytic)`
    and the like; sums, products, whole powers, exp and erfc need no care.
    """
    return acb.integral(function, exact(start), exact(end), abs_tol=arb(accuracy)).real
