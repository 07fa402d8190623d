"""The hinge sum and its gradient: Lemmas A.9 and A.10 of Wang, Zhu & Wang (2025).

    L(w; S) = sum_i max(0, 1 - <z_i, w> / c),    z = y x,

with confidence margin `width` (the paper's c) and rows x of norm at most `radius` (b). It is convex, its gradient moves
by 2 b / c when one record is replaced, and the noise of noisy gradient descent is calibrated to that.
"""

from fractions import Fraction

import numpy as np

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.theorem import at_least, positive, theorem

Real = float | Fraction


def hinge_sum(w: Array, Z: Array, width: float) -> Array:
    """L(w) = sum_i max(0, 1 - <z_i, w> / width). w has shape (d,) or (d, columns); Z has shape (n, d)."""
    return np.maximum(0.0, 1 - np.asarray(Z) @ w / width).sum(axis=0)


@theorem(
    "wzw25.lemA.9",
    says=r"f(\mathbf{y})-f(\mathbf{x})\ge\langle\mathbf{g},\mathbf{y}-\mathbf{x}\rangle,"
    r"\quad\mathbf{g}\in\partial f(\mathbf{x})",
)
def tangent_value(*, f_x: Real, slope: Real) -> Real:
    """A convex function lies above its tangents: f(y) is at least f(x) + <g, y - x>.

    Derivation. `slope` is <g, y - x> for a subgradient g at x. For a differentiable convex f convexity gives
    (f(x + t (y - x)) - f(x)) / t <= f(y) - f(x) for 0 < t <= 1, and the left side tends to <grad f(x), y - x>.
    For a subgradient it is the definition. The paper prints "differentiable" and uses it on the hinge loss, which is
    not: there g = -sum a_i z_i / c with a_i = 1 below the kink, 0 above, anything in [0, 1] on it, and the
    inequality splits into n inequalities in the scalars u = <z, x>/c, v = <z, y>/c:
    (1 - v)_+ - (1 - u)_+ + a (v - u) >= 0, true on each side of each kink.

    >>> tangent_value(f_x=1.0, slope=-1.0)
    0.0
    """
    return f_x + slope


@theorem(
    "wzw25.lemA.10",
    part="add-remove",
    says=r"\max_{S\sim S'}\|\nabla\hat L_c(\mathbf{w};S)-\nabla\hat L_c(\mathbf{w};S')\|"
    r"=\max_{\mathbf{x}\in\mathcal{X}}\frac{\|\mathbf{x}\|}{c}",
    needs=[positive("radius"), positive("width")],
    source=", (a)",
)
def add_remove_sensitivity(*, radius: Real, width: Real) -> Real:
    """The summed hinge gradient moves by at most radius / width, add or remove one.

    Derivation. A record's subgradient is -a z / c with a in [0, 1], so its norm is at most ||x|| / c; attained at w =
    0, where every record is active.

    >>> add_remove_sensitivity(radius=1.0, width=0.5)
    2.0
    """
    return radius / width


@theorem(
    "wzw25.lemA.10",
    part="replacement",
    says=r"\max_{S\sim S'}\|\nabla\hat L_c(\mathbf{w};S)-\nabla\hat L_c(\mathbf{w};S')\|"
    r"=2\max_{\mathbf{x}\in\mathcal{X}}\frac{\|\mathbf{x}\|}{c}",
    needs=[positive("radius"), positive("width")],
    source=", (b)",
)
def replacement_sensitivity(*, radius: Real, width: Real) -> Real:
    """The summed hinge gradient moves by at most 2 radius / width, replacing one.

    Derivation. The triangle inequality over part (a). Attained at w = 0 by (x, +1) against (x, -1) with ||x|| = radius,
    whatever the other records are, so the maximum over w in R^d is exactly this (for one fixed w it may be smaller).

    >>> replacement_sensitivity(radius=1.0, width=0.5)
    4.0
    """
    return 2 * radius / width


@theorem(
    "wzw25.lemA.10.s1",
    says=r"|\ell_c(\mathbf{w};(\mathbf{x},y))-\ell_c(\mathbf{v};(\mathbf{x},y))|"
    r"\le\frac{\|\mathbf{x}\|}{c}\|\mathbf{w}-\mathbf{v}\|",
    needs=[positive("width"), at_least("norm", 0)],
)
def lipschitz_constant(*, norm: Real, width: Real) -> Real:
    """The hinge loss of one record at margin c is (||x|| / c)-Lipschitz in the weights.

    Derivation. The loss is max{0, 1 - y <w, x>/c}, 1-Lipschitz in its second argument, and |y <w, x> - y <v, x>|/c <=
    ||x|| ||w - v||/c by the Cauchy-Schwarz inequality.

    >>> lipschitz_constant(norm=1.0, width=0.25)
    4.0
    """
    return norm / width
