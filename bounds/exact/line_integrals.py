r"""Fourier integrals of even functions on the line, enclosed in balls.

    fast(f, z, ...), slow(f, z, ...) enclose the integral of f(x) cos(z x) over the whole line,

for f even and given on x >= 0, where it must have an analytic continuation that accepts complex balls. Two ways to
get rid of the infinite range, each with a bound on what it leaves out:

    fast   f decays exponentially: stop at `cut`; the rest is at most `rest`.
    slow   f decays like 1/x^2: turn the path upwards at `start`, so that e^{izx} itself decays.
"""

from collections.abc import Callable

from flint import acb, arb

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.numbers import Number

LENGTH = 100  # beyond which e^-t leaves nothing to speak of


def _between(f: Callable, start: Number, end: Number) -> acb:
    """The integral of an analytic f; balls that f makes infinite mark the places where it is not."""
    return acb.integral(lambda x, analytic: f(x), exact(start), exact(end))


def _around_zero(radius: Number) -> arb:
    """The ball [-radius, radius]."""
    return exact(radius) * arb(0, 1)


def fast(f: Callable, z: Number, *, cut: Number, rest: Number) -> arb:
    """2 * integral of f(x) cos(zx) over [0, cut], and whatever lies beyond.

    `rest` bounds the integral of |f| over x > cut.

    >>> found = fast(lambda x: (-x).exp(), 1, cut=80, rest=arb(-80).exp())
    >>> found.overlaps(arb(1)), float(found.rad()) < 1e-12
    (True, True)
    """
    z = exact(z)
    return 2 * (_between(lambda x: f(x) * (z * x).cos(), 0, cut).real + _around_zero(rest))


def slow(f: Callable, z: Number, *, bound: Number, start: Number = 2) -> arb:
    """2 * (integral of f(x) cos(zx) over [0, start], and the integral beyond), z >= 0.

    Requires f analytic with |f(x)| <= bound / |x|^2 where Re x >= start > 0. For z > 0 the path beyond is turned to
    start + i t / z; by Cauchy's theorem

        int_start^inf f(x) e^{izx} dx = (i / z) e^{iz start} int_0^inf f(start + i t / z) e^{-t} dt.

    For z = 0 it is walked in the logarithm of x. Raises ValueError for z < 0.

    >>> found = slow(lambda x: 1 / (1 + x * x), 1, bound=2)
    >>> found.overlaps(arb.pi() * arb(-1).exp()), float(found.rad()) < 1e-12
    (True, True)
    """
    if not exact(z) >= 0:
        raise ValueError(f"z = {z} is outside [0, inf)")
    z, start, bound = exact(z), exact(start), exact(bound)
    near = _between(lambda x: f(x) * (z * x).cos(), 0, start).real
    leftover = _around_zero(bound / start**2 * arb(-LENGTH).exp())
    if z == 0:
        walked = _between(lambda s: f(s.exp()) * s.exp(), start.log(), start.log() + LENGTH).real
        return 2 * (near + walked + leftover * start)
    i = acb(0, 1)
    turned = _between(lambda t: f(start + i * t / z) * (-t).exp(), 0, LENGTH)
    far = i / z * (i * z * start).exp() * (turned + acb(leftover, leftover))
    return 2 * (near + far.real)
