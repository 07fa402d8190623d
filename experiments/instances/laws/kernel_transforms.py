"""The rows of Table 1 in ball arithmetic: line transforms of their densities and profiles, coordinate by coordinate.

Every density and profile of the table is even in each coordinate and a product over coordinates. `line` integrates one
coordinate against cos(zx); `is_product` checks the product on balls; together they give the transform on R^d.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

from flint import arb

from lemmata.bounds.exact.balls import enclosure, exact, precise
from lemmata.bounds.exact.line_integrals import fast, slow
from lemmata.bounds.rbht09 import kernel_spectra

DIFFERENCES = (0.0, 0.001, 0.1, 0.5, 1.0, 3.0, 10.0)  # coordinates at which transforms are compared
POINTS = {1: [(z,) for z in DIFFERENCES], 2: [(0.0, 0.5), (1.0, 3.0)], 3: [(0.0, 0.0, 0.0), (0.1, 1.0, 10.0)]}
SHARP = 1e-20  # radius, in units of the function's value at 0, above which a ball proves no identity


@dataclass(frozen=True)
class Function:
    """A function of a point on R^d, and how its one-dimensional version decays.

    `decay` is "gaussian" (like exp(-x^2 / (2 width^2))), "exponential" (like exp(-x)) or "quadratic"
    (|f(x)| <= |4 f(1) / x^2| for Re x >= 2).
    """

    of: Callable  # of(point=[...])
    decay: str
    width: float = 1.0

    def __call__(self, point):
        return self.of(point=list(point))


def density(kernel, reading, sigma=1.0):
    """The column p of Table 1 as a `Function`; "corrected" has sigma and g(0) = 1 in place."""
    if kernel == "rbf" and reading == "printed":
        return Function(functools.partial(kernel_spectra.rbf_density, sigma=sigma), "gaussian")
    if kernel == "rbf":
        return Function(functools.partial(kernel_spectra.rbf_density_scaled, sigma=exact(sigma)), "gaussian", 1 / sigma)
    if kernel == "laplacian":
        return Function(kernel_spectra.laplacian_density, "quadratic")
    p = kernel_spectra.cauchy_measure if reading == "printed" else kernel_spectra.cauchy_density
    return Function(p, "exponential")


def profile(kernel, reading, sigma=1.0):
    """The column g of Table 1 as a `Function`."""
    if kernel == "rbf":
        return Function(functools.partial(kernel_spectra.rbf_profile, sigma=exact(sigma)), "gaussian", sigma)
    if kernel == "laplacian":
        return Function(kernel_spectra.laplacian_profile, "exponential")
    g = kernel_spectra.cauchy_profile if reading == "printed" else kernel_spectra.cauchy_profile_normalised
    return Function(g, "quadratic")


def line(function, z):
    """The integral of function([x]) cos(zx) over the line, as a ball."""

    def f(x):
        return function([x])

    if function.decay == "quadratic":
        return slow(f, z, bound=4 * abs(f(arb(1))))
    cut = 80.0 if function.decay == "exponential" else 16 * function.width
    # exp(-x): the rest is f(cut). exp(-x^2 / (2 w^2)): it is at most f(cut) w^2 / cut.
    rest = f(exact(cut)) * (1 if function.decay == "exponential" else function.width)
    return fast(f, z, cut=cut, rest=rest)


def transform(function, point):
    """The integral of function(x) cos<point, x> over R^d, a product of line integrals."""
    return math.prod((line(function, exact(z)) for z in point), start=arb(1))


def is_product(function, d):
    """Is function(x) the product of function([x_i]) at a point of R^d?"""
    point = [arb(1) / (i + 2) for i in range(d)]
    product = math.prod((function([x]) for x in point), start=arb(1))
    return same(function(point), product, scale=product)


def same(a, b, *, scale):
    """Do the balls overlap, and are they sharp enough for that to mean anything?"""
    gap = a - b
    return bool(gap.contains(0)) and bool(gap.rad() <= SHARP * abs(scale))


@dataclass(frozen=True)
class Comparison:
    """Two sides of an identity at one point, with what was proved of them."""

    point: tuple
    left: list  # enclosures
    right: list
    equal: bool  # overlapping sharp balls
    apart: bool  # disjoint balls: the identity fails here


def _compare(point, left, right, scale):
    equal = same(left, right, scale=scale)
    return Comparison(tuple(point), enclosure(left), enclosure(right), equal, not left.overlaps(right))


def _balls(point, stretch=1):
    return [exact(z) * exact(stretch) for z in point]


@precise
def compare_pair(p, g, d, stretch=1):
    """g(Delta) against int e^{j<omega,Delta>} p(omega) d omega at every point; `stretch` multiplies the frequencies."""
    if not (is_product(p, d) and is_product(g, d)):
        raise ArithmeticError(f"d = {d}: a row of the table is no product over coordinates")
    scale = g([arb(0)] * d)
    return [_compare(at, g(_balls(at)), transform(p, _balls(at, stretch)), scale) for at in POINTS[d]]


@precise
def compare_mass(p, d, mass, stretch=1):
    """The integral of p over R^d against `mass`."""
    return _compare([0.0] * d, transform(p, [0.0] * d) * exact(stretch), exact(mass), arb(1))


@precise
def compare_transform(constant, g, p, d, stretch=1):
    """constant * int e^{-j<omega,x>} g(x) dx against p(omega) at every point of R^d."""
    factor = exact(constant(d=d, pi=arb.pi())) * exact(stretch)
    scale = p([arb(0)] * d)
    return [_compare(at, factor * transform(g, at), p(_balls(at)), scale) for at in POINTS[d]]
