r"""Random Fourier features that approximate a kernel uniformly on a compact set: Rubinstein et al. 2009, Lemma 13.

A kernel K(x, x') = r^2 K_bar(x - x') is approximated by the inner products of

    psi(x) = r / sqrt(D) (cos <omega_1, x>, sin <omega_1, x>, ..., cos <omega_D, x>, sin <omega_D, x>),

omega_1..omega_D independent with law P, K_bar(z) = E cos <omega, z>. On m points they are compared in Theorem 4.1 of
Bassily, Mohri & Suresh 2022. The kernels and their spectral laws are in `lemmata.bounds.rbht09.kernel_spectra`.
"""

import math
from typing import Any

import numpy as np

from lemmata.bounds.exact.numbers import log
from lemmata.bounds.rbht09.kernel_spectra import pi_of
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

UNIFORM = (
    r"\hat{d}\ge\frac{4(d+2)}{\epsilon^2}\log\frac{2^8(\sigma_p\,\mathrm{diam}(\mathcal{M}))^2}{\delta\epsilon^2}"
    r"\ \Rightarrow\ \Pr\left[\|\hat{k}-k\|_\infty<\epsilon\right]\ge 1-\delta"
)
UNIFORM_NEEDS = [integer("d"), positive("eps"), in_unit_interval("delta"), at_least("sigma_p", 0), at_least("diam", 0)]


@theorem("rbht09.lem13", kind="tail", says=UNIFORM, needs=UNIFORM_NEEDS, source=", (Rahimi & Recht 2008, Claim 1)")
def uniform_features(*, d: int, eps: Any, delta: Any, sigma_p: Any, diam: Any) -> Any:
    """This number of frequencies approximates a translation-invariant kernel on M.

    4 (d+2) / eps^2 * log(2^8 (sigma_p diam)^2 / (delta eps^2)), possibly negative; `sigma_p`^2 = E ||omega||^2,
    `diam` the Euclidean diameter of M, `eps` in units of the kernel. Printed for any translation-invariant
    kernel: g(0) = 1 is not asked for, but k_hat(x, x) = 1.

    >>> math.ceil(uniform_features(d=1, eps=0.5, delta=0.1, sigma_p=1.0, diam=2.0))
    510
    """
    if sigma_p * diam == 0:
        return -math.inf
    return 4 * (d + 2) / eps**2 * log(2**8 * (sigma_p * diam) ** 2 / (delta * eps**2))


@uniform_features.corrected(
    says=r"g(0)=1,\ \sigma_p<\infty,\ " + UNIFORM,
    needs=[*UNIFORM_NEEDS, require("g(0) = 1", lambda g0: g0 == 1)],
    source=", for kernels with g(0) = 1",
)
def uniform_features_normalised(*, d: int, eps: Any, delta: Any, sigma_p: Any, diam: Any, g0: float = 1) -> Any:
    """This number of frequencies approximates a kernel with g(0) = 1 uniformly on M.

    sigma_p is finite.

    It suffices for all d >= 1, eps > 0, delta in (0, 1), M, and any number d_hat >= 1 the formula allows, even where
    its logarithm is negative. With q = sigma_p diam / eps, by `uniform_failure`: eps > 2: |k_hat - k| <= 2. Else, if
    q^2 <= delta: at most q^2 eps / 2 <= delta by Markov. Else d_hat >= 4 (d+2)/eps^2 log(2^8 q^2/delta); if q^2 <= 1/4
    the Chernoff bound is at most delta; if q^2 >= 1/4 the net bound with y = 3.75 / sqrt(delta) is at most delta / 19.
    """
    return uniform_features(d=d, eps=eps, delta=delta, sigma_p=sigma_p, diam=diam)


@theorem(
    "rbht09.lem13.moment",
    reading="explicit",
    says=r"\sigma_p^2\le2d\quad\mathrm{for\ the\ RBF\ kernel\ with}\ \sigma=1\ \mathrm{and\ Cauchy's\ with}\ g(0)=1",
    needs=[integer("d")],
    source=", 'the second moment of the Fourier transform p', for two of the three rows of Table 1",
)
def second_moment(*, d: int) -> float:
    """The frequencies' second moment is d for the RBF and 2d for the Cauchy kernel.

    Derivation. Coordinates are independent, with E omega_i^2 = 1 for N(0, 1) and int x^2 e^{-|x|}/2 dx = 2 for
    Laplace's law, so that the sums over d coordinates are d and 2d: the larger one is 2d.
    """
    return 2.0 * d


@theorem(
    "rbht09.lem13.moment",
    part="laplacian",
    reading="explicit",
    says=r"\mathrm{Laplacian\ kernel,}\ d=1:\quad\frac{2R}\pi-1\le\int_{-R}^R\omega^2p(\omega)\,d\omega,\quad"
    r"\sigma_p=\infty",
    needs=[positive("R")],
    source=", for the third row of Table 1, which has no second moment",
)
def truncated_moment(*, R: Any) -> Any:
    """The Laplacian kernel's frequencies have no second moment: up to R it is at least 2R/pi - 1.

    So what names sigma_p (cf. Lemma 13, Theorem 16) says nothing about this kernel.

    Derivation. p(w) = 1/(pi (1 + w^2)), so the integral is 2 (R - arctan R)/pi, and arctan R < pi/2.
    """
    return 2 * R / pi_of([R]) - 1


def markov_failure(*, eps: float, q: float) -> float:
    """q^2 eps / 2: see `uniform_failure`."""
    return q**2 * eps / 2


def chernoff_failure(*, count: int, eps: float, q: float) -> float:
    """exp(-D kl(eps/2, q^2 eps^2/4)), kl the divergence of two coins, for q^2 eps < 2: see `uniform_failure`."""
    p, mean = eps / 2, q**2 * eps**2 / 4
    if mean == 0:
        return 0.0
    rest = (1 - p) * math.log((1 - p) / (1 - mean)) if p < 1 else 0.0
    return math.exp(-count * (p * math.log(p / mean) + rest))


def net_failure(*, count: int, d: int, eps: float, q: float, y: float) -> float:
    """2 (1 + 4 q y)^d exp(-D eps^2/8) + 1 / (1 + D (y-2)^2), for y > 2: see `uniform_failure`."""
    points = math.log(2) + d * math.log1p(4 * q * y) - count * eps**2 / 8
    return math.exp(min(points, 0.0)) + 1 / (1 + count * (y - 2) ** 2)


@uniform_features.explicit(
    says=r"g(0)=1,\ q=\frac{\sigma_p\,\mathrm{diam}(\mathcal{M})}{\epsilon}\ \Rightarrow\ "
    r"\Pr\left[\|\hat{k}-k\|_\infty\ge\epsilon\right]\le\min\left\{\frac{q^2\epsilon}{2},\ "
    r"e^{-\hat{d}\,\mathrm{kl}(\epsilon/2,\,q^2\epsilon^2/4)},\ \inf_{y>2}\ 2(1+4qy)^de^{-\hat{d}\epsilon^2/8}"
    r"+\frac{1}{1+\hat{d}(y-2)^2}\right\}",
    needs=[integer("count"), integer("d"), positive("eps"), at_least("sigma_p", 0), at_least("diam", 0)],
    source="derived here",
)
def uniform_failure(*, count: int, d: int, eps: float, sigma_p: float, diam: float) -> float:
    """Random features miss a kernel by eps somewhere on M with at most this chance.

    Derivation. With f = k_hat - k, a function of Delta in the ball of radius R = diam(M), and D = `count`:

    Near 0, if q^2 eps < 2: both 1 - g and 1 - k_hat are >= 0, and 1 - g <= sigma_p^2 R^2 / 2 < eps, so f <= -eps
    is the only way to fail. Then the mean of Y_l = min(2, ||omega_l||^2 R^2 / 2) reaches eps, because
    1 - cos a <= min(2, a^2/2), for all Delta at once. Y has range [0, 2] and mean at most q^2 eps^2 / 2: Markov, and
    Chernoff's bound exp(-D kl(eps/2, q^2 eps^2/4)).

    Anywhere: an r-net of the ball has at most (1 + 2R/r)^d points; at one of them |f| >= eps/2 with probability at
    most 2 exp(-D eps^2/8) (Hoeffding: the logarithm of a cosine's moments E e^{s cos} has a variance on [-1, 1] for its
    second derivative, at most 1). Between them f moves by at most r (A + E||omega||), A the mean of the ||omega_l||.
    With r = eps / (2 y sigma_p), failing needs A - E A >= sigma_p (y - 2) = t, which has probability at most
    1 / (1 + D (y-2)^2) (Cantelli: (V + u^2) / (t + u)^2 at u = V / t; V = Var A <= sigma_p^2 / D).

    >>> uniform_failure(count=510, d=1, eps=0.5, sigma_p=1.0, diam=2.0) < 0.1
    True
    """
    if eps > 2:
        return 0.0
    q = sigma_p * diam / eps
    farthest = math.exp(min(max(10.0, count * eps**2 / 8), 300.0))
    bounds = [net_failure(count=count, d=d, eps=eps, q=q, y=float(y)) for y in np.geomspace(2.1, farthest, 100)]
    if q**2 * eps < 2:
        bounds += [markov_failure(eps=eps, q=q), chernoff_failure(count=count, eps=eps, q=q)]
    return min(1.0, *bounds)
