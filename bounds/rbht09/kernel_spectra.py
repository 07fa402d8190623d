r"""Translation-invariant kernels and their spectral laws: Rubinstein et al. 2009, Table 1 and Algorithm 3.

A continuous positive definite k(x, y) = g(x - y) with g(0) = 1 is the characteristic function of a probability law p,

    g(Delta) = int e^{j <omega, Delta>} p(omega) d omega,     p(omega) = (2 pi)^-d int e^{-j <omega, x>} g(x) dx,

from which random features draw their frequencies. Profiles g and densities p take a point as the sequence of its d
coordinates: floats, arrays, or balls of `flint` for a rigorous value.
"""

import math
from collections.abc import Sequence
from typing import Any

from flint import acb, arb

from lemmata.bounds.exact.numbers import BALLS, exp, sqrt
from lemmata.bounds.theorem import integer, positive, theorem


def _magnitude(x: Any) -> Any:
    """|x|; a complex ball stands for the continuation of the positive half-line, where |x| = x."""
    return x if isinstance(x, acb) else abs(x)


def pi_of(point: Sequence) -> Any:
    """pi, to the precision of the point's coordinates."""
    return arb.pi() if any(isinstance(x, BALLS) for x in point) else math.pi


# Table 1: a profile g and a law p, row by row -------------------------------------------------------------------------

PAIR = r"g(\Delta)=\int e^{j\langle\omega,\Delta\rangle}\,p(\omega)\,d\omega"


def rbf_profile(*, point: Sequence, sigma: Any) -> Any:
    """g of the first row of Table 1: exp(-||Delta||_2^2 / (2 sigma^2))."""
    return exp(-sum(x * x for x in point) / (2 * sigma * sigma))


def laplacian_profile(*, point: Sequence) -> Any:
    """g of the second row: exp(-||Delta||_1)."""
    return exp(-sum(_magnitude(x) for x in point))


def cauchy_profile(*, point: Sequence) -> Any:
    """g of the third row as printed: prod_i 2 / (1 + Delta_i^2). Its value at 0 is 2^d."""
    value = 1
    for x in point:
        value = value * (2 / (1 + x * x))
    return value


def cauchy_profile_normalised(*, point: Sequence) -> Any:
    """g of the third row divided by g(0): prod_i 1 / (1 + Delta_i^2)."""
    return cauchy_profile(point=point) / 2 ** len(point)


@theorem(
    "rbht09.tab1",
    part="rbf",
    kind="identity",
    says=PAIR + r",\quad g(\Delta)=e^{-\|\Delta\|_2^2/(2\sigma^2)},\ p(\omega)=(2\pi)^{-d/2}e^{-\|\omega\|_2^2/2}",
    needs=[positive("sigma")],
)
def rbf_density(*, point: Sequence, sigma: Any) -> Any:
    """The law whose characteristic function is the RBF kernel, as printed.

    The printed p does not depend on sigma, g does: they are a pair for sigma = 1 only.

    >>> round(float(rbf_density(point=[0.0], sigma=2.0)), 4)
    0.3989
    """
    return exp(-sum(x * x for x in point) / 2) / sqrt(2 * pi_of(point)) ** len(point)


@rbf_density.corrected(
    says=PAIR + r",\quad g(\Delta)=e^{-\|\Delta\|_2^2/(2\sigma^2)},\ "
    r"p(\omega)=\left(\frac{\sigma^2}{2\pi}\right)^{d/2}e^{-\sigma^2\|\omega\|_2^2/2}",
    source=", sigma put back",
)
def rbf_density_scaled(*, point: Sequence, sigma: Any) -> Any:
    """The frequencies of the RBF kernel are normal with standard deviation 1 / sigma.

    E cos(omega z) = exp(-z^2 / (2 sigma^2)) for omega ~ N(0, sigma^-2), in each coordinate.

    Derivation. In each coordinate E cos(omega z) = exp(-z^2/(2 sigma^2)) for omega ~ N(0, sigma^-2), the characteristic
    function of a normal law; the coordinates are independent, and the product over them is exp(-|z|^2/(2 sigma^2)).

    >>> round(float(rbf_density_scaled(point=[0.0], sigma=2.0)), 4)
    0.7979
    """
    scale = (sigma / sqrt(2 * pi_of(point))) ** len(point)
    return scale * exp(-sigma * sigma * sum(x * x for x in point) / 2)


@theorem(
    "rbht09.tab1",
    part="laplacian",
    kind="identity",
    says=PAIR + r",\quad g(\Delta)=e^{-\|\Delta\|_1},\ p(\omega)=\prod_{i=1}^d\frac{1}{\pi(1+\omega_i^2)}",
)
def laplacian_density(*, point: Sequence) -> Any:
    """The frequencies of the Laplacian kernel are Cauchy, coordinate by coordinate.

    The residue of e^{i omega z} / (pi (1 + omega^2)) at omega = i gives e^{-|z|}. The law has no second moment.

    Derivation. In each coordinate the residue of e^{i omega z}/(pi (1 + omega^2)) at omega = i gives the integral
    e^{-|z|}, and the product over the coordinates is e^{-|z|_1}.
    """
    value = 1
    for x in point:
        value = value / (pi_of(point) * (1 + x * x))
    return value


@theorem(
    "rbht09.tab1",
    part="cauchy",
    kind="identity",
    says=PAIR + r",\quad g(\Delta)=\prod_{i=1}^d\frac{2}{1+\Delta_i^2},\ p(\omega)=e^{-\|\omega\|_1}",
    source=", the printed column has exp(-||Delta||_1), read as a function of omega",
)
def cauchy_measure(*, point: Sequence) -> Any:
    """The Cauchy kernel and the printed p are a transform pair, though p has mass 2^d.

    2 int_0^inf e^{-x} cos(zx) dx = 2 / (1 + z^2), in each coordinate.

    Derivation. In each coordinate 2 int_0^inf e^{-x} cos(z x) dx = 2/(1 + z^2), and both columns are products over the
    coordinates.
    """
    return exp(-sum(_magnitude(x) for x in point))


@theorem(
    "rbht09.tab1",
    part="rbf-density",
    kind="identity",
    says=r"\int(2\pi)^{-d/2}e^{-\|\omega\|_2^2/2}\,d\omega=1",
    needs=[positive("sigma")],
    source=", Algorithm 3, step 1 draws from p",
)
def rbf_mass(*, d: int, sigma: Any) -> int:
    """The printed p of the RBF kernel is a probability density.

    Derivation. The printed p is the density of N(0, I): (2 pi)^(-d/2) times the product of d integrals of e^{-x^2/2},
    each sqrt(2 pi), is 1.
    """
    return 1


@theorem(
    "rbht09.tab1",
    part="laplacian-density",
    kind="identity",
    says=r"\int\prod_{i=1}^d\frac{1}{\pi(1+\omega_i^2)}\,d\omega=1",
    source=", Algorithm 3, step 1 draws from p",
)
def laplacian_mass(*, d: int) -> int:
    """The printed p of the Laplacian kernel is a probability density.

    Derivation. Each factor integrates to (arctan(inf) - arctan(-inf))/pi = 1 over the line, and the product of d such
    integrals is 1.
    """
    return 1


@theorem(
    "rbht09.tab1",
    part="cauchy-density",
    kind="identity",
    says=r"\int e^{-\|\omega\|_1}\,d\omega=1",
    needs=[integer("d")],
    source=", Algorithm 3, step 1 draws from p",
)
def cauchy_mass(*, d: int) -> int:
    """The p of the Cauchy kernel must have mass 1 for Algorithm 3 to draw from it.

    It is 2^d, and g(0) = 2^d, whereas the random features have k_hat(x, x) = 1.
    """
    return 1


@cauchy_mass.corrected(
    says=r"g(\Delta)=\prod_{i=1}^d\frac{1}{1+\Delta_i^2},\quad p(\omega)=2^{-d}e^{-\|\omega\|_1},"
    r"\quad\int p(\omega)\,d\omega=1",
    needs=(),
    source=", both columns divided by 2^d",
)
def cauchy_density(*, point: Sequence) -> Any:
    """The frequencies of the Cauchy kernel with g(0) = 1 are Laplace.

    Derivation. The printed pair is divided by 2^d on both sides: e^{-|x|} integrates to 2 in each coordinate, so 2^-d
    e^{-|omega|_1} is a density, and the kernel is 1 at 0.

    >>> float(cauchy_density(point=[0.0, 0.0]))
    0.25
    """
    return cauchy_measure(point=point) / 2 ** len(point)


# Algorithm 3: the displayed transform ---------------------------------------------------------------------------------


@theorem(
    "rbht09.fourier",
    part="inversion",
    kind="identity",
    says=r"p(\omega)=2^{-1}\int e^{-j\langle\omega,x\rangle}g(x)\,dx\ \Rightarrow\ " + PAIR,
    needs=[integer("d")],
)
def transform_constant(*, d: int, pi: Any = math.pi) -> Any:
    """The prefactor of the transform p of g on R^d is 1/2, as printed.

    Drawing from p, and E cos <omega, Delta> = g(Delta), need the constant that the inverse transform without
    prefactor has, (2 pi)^-d. With 1/2 the mass of p is (2 pi)^d g(0) / 2.
    """
    return 0.5


@transform_constant.corrected(
    says=r"p(\omega)=(2\pi)^{-d}\int e^{-j\langle\omega,x\rangle}g(x)\,dx\ \Rightarrow\ " + PAIR,
    source=", pi and the dimension put back",
)
def transform_constant_inverse(*, d: int, pi: Any = math.pi) -> Any:
    """The prefactor under which p and g are a pair of transforms is (2 pi)^-d.

    Derivation, for continuous integrable g. As g is positive definite, its transform is nonnegative and integrable
    (Bochner's theorem), and then Fourier's inversion returns g from the transform with the prefactor (2 pi)^-d. The
    kernels of Table 1 are the check. Pass a ball for `pi` to get a rigorous value.

    >>> round(transform_constant_inverse(d=1), 4)
    0.1592
    """
    return 1 / (2 * pi) ** d


@theorem(
    "rbht09.fourier",
    part="table",
    kind="identity",
    says=r"2^{-1}\int e^{-j\langle\omega,x\rangle}g(x)\,dx=p(\omega)\quad\text{for the rows of Table 1}",
    needs=[integer("d")],
    source=", against Table 1, at sigma = 1",
)
def table_constant(*, d: int, pi: Any = math.pi) -> Any:
    """The prefactor of the transforms in Table 1 is 1/2, as Algorithm 3 prints it."""
    return transform_constant(d=d)


@table_constant.corrected(
    says=r"(2\pi)^{-d}\int e^{-j\langle\omega,x\rangle}g(x)\,dx=p(\omega)\quad\text{for the rows of Table 1}",
    source=", against Table 1, at sigma = 1",
)
def table_constant_inverse(*, d: int, pi: Any = math.pi) -> Any:
    """The tabulated transforms (cf. Table 1) have the prefactor (2 pi)^-d in all rows.

    Derivation. In every row g is the transform int e^{i<omega, x>} p(omega) d omega of a density, and g is integrable,
    so Fourier's inversion gives (2 pi)^-d int e^{-i<omega, x>} g(x) dx = p(omega).
    """
    return transform_constant_inverse(d=d, pi=pi)
