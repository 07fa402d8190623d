"""Remark 2.3 of Wang, Zhu & Wang (2025), executed: what is released exactly where no sum over records is. Ours.

Averages of iterates and minimisers are no sums of whole numbers, so they are computed with an error. Either the error
is bounded beforehand by public numbers and charged (`averages`), or the release is a rounding of a mechanism over the
real numbers that is proved draw by draw (`minimiser`). Both rest on float64 functions with proved errors (`tables`).
"""

from __future__ import annotations

from lemmata.bounds.theorem import integer, positive, require
from lemmata.bounds.wzw25.gaussian_privacy import SOURCE, gaussian_mechanism_gdp, textbook_release

UNIT = 2.0**-52


@textbook_release.explicit(
    part="averages",
    says=r"\left\|\mathrm{fl}\left(\tfrac1n\sum_{t\le n}v_t\right)-\tfrac1n\sum_{t\le n}v_t\right\|_2\le "
    r"2n(k+16)2^{-52}(\Lambda+a),\quad v_{t+1}=\Pi_\Lambda\left(v_t+s_tz_t\right),\ "
    r"s_t=\min\left(\tfrac{p(\rho-\langle v_t,z_t\rangle)_+}{\|z_t\|^2},c\right),\ c\|z_t\|\le a,\ p\le\tfrac12",
    needs=[integer("length"), integer("k"), positive("longest"), positive("norm_bound")],
    source=SOURCE,
)
def average_error(*, length: int, k: int, longest: float, norm_bound: float) -> float:
    """How far float64 is from the average over the reals of a phase of phased SGD, of `length` steps in R^k.

    Derivation. Let u = 2^-52 (k + 16) and a = `longest`, the longest step. (1) <v, z> is off by k 2^-52 |v| |z| at
    most, in any order and with fused products or without; so the number that is cut at c is off by a relative u/2 of
    c and by p k 2^-52 |v| / |z|, and its product with z by u/2 (a + |v|). (2) Sum and projection add (k/2 + 8) 2^-53
    (|v| + a). One step is off by at most 3 u (Lambda + a). (3) A step over the reals, a proximal one, moves no two
    points apart as p <= 2: after t steps the points are at most t times that apart, their average (n - 1)/2 times, and
    summing n points adds n 2^-53 of the longest. (4) So replacing a record moves the float average by at most the
    sensitivity over the reals and twice this error; the average plus a Gaussian over the reals, rounded to a public
    grid, is post-processing of a Gaussian mechanism with that sensitivity (`corrected`).

    >>> average_error(length=500, k=84, longest=0.0, norm_bound=1.0) == 500 * 200 * 2.0**-52
    True
    """
    return 2 * length * (k + 16) * UNIT * (norm_bound + longest)


@textbook_release.explicit(
    part="averages-privacy",
    says=r"g\left\lfloor\tfrac{\mathrm{fl}(\bar v)+\sigma\xi}{g}\right\rceil\ \text{is}\ "
    r"\tfrac{2(a+e)}{\sigma}\text{-GDP},\quad\|\mathrm{fl}(\bar v)-\bar v\|_2\le e,\ \xi\ \text{exact}",
    needs=[positive("longest"), positive("error"), positive("sigma")],
    source=SOURCE,
)
def average_gdp(*, longest: float, error: float, sigma: float) -> float:
    """Privacy of a phase's average in float64 under a rounded Gaussian: 2 (a + e) / sigma.

    Derivation. Over the reals a replaced record moves the average by at most 2 a, twice the longest step; in float64 by
    2 a + 2 e (`average_error`, step 4). Clipping, projecting and whatever else is done with the release is
    post-processing, and phases compose (Remark 2.3).

    >>> average_gdp(longest=0.5, error=2.0**-20, sigma=4.0) - 0.25 < 1e-6
    True
    """
    return gaussian_mechanism_gdp(sensitivity=2 * (longest + error), sigma=sigma)


@textbook_release.explicit(
    part="tables",
    says=r"|\hat t(x)-t(x)|\le2^{-46},\ 2\Phi(-t(x))=x;\quad|\hat\ell(x)+\log x|\le2^{-46}\quad"
    r"\left(2^{-16}\le x\le1\right);\quad|\hat e(x)e^{-x}-1|\le2^{-46}\quad(-700\le x\le0)",
    kind="inequality",
    needs=[],
    source=", float64 functions of our own, on which the exact samplers rest",
)
def table_error() -> float:
    """The error of the quantile, the logarithm and the exponential of `lemmata.mechanisms.proved_floats`: 2^-46.

    Derivation: Taylor polynomials of degree 4 around the middles of segments; the remainders and the tables are
    enclosed in balls over all segments, and the roundings of sums and products, which IEEE 754 bounds, add less than
    2^-49 (top of that file).

    >>> table_error() == 2.0**-46
    True
    """
    return 2.0**-46


@textbook_release.explicit(
    part="choice",
    says=r"\left|\mathrm{fl}\Big(\sum_{j\le i}w_j\Big)-\sum_{j\le i}w_j\right|\le\left(2^{-45}+8(N+1)2^{-53}\right)"
    r"\sum_jw_j,\quad w_j=e^{\theta(q_j-\max_iq_i)}",
    kind="inequality",
    needs=[integer("candidates")],
    source=", the exponential mechanism, executed in float64",
)
def partial_sum_error(*, candidates: int) -> float:
    """How far float64's partial sums of the exponential mechanism's weights are off, relative to the whole sum.

    Derivation. A difference and a product are rounded, so an exponent x is off by at most 3 |x| 2^-53 and its weight by
    3 |x| e^x 2^-53 < 2^-52; e^x has a relative error of 2^-46 (`table_error`), or counts as 0 below e^-700; each of N
    additions adds 2^-53 of the sum. The sum is at least 1. A uniform number whose first 63 digits lie farther than that
    from all partial sums chooses the same candidate as over the reals, one nearer is decided in balls with as many
    digits as it takes: the chances are exact, and epsilon is that of the mechanism over the reals, for floats as
    scores.

    >>> partial_sum_error(candidates=1000) == 2.0**-45 + 8008 * 2.0**-53
    True
    """
    return 2 * table_error() + 8 * (candidates + 1) * 2.0**-53


@textbook_release.explicit(
    part="minimiser",
    says=r"\|w-\arg\min J\|_2\le\tfrac1\lambda\|\nabla J(w)\|_2,\quad J\ \lambda\text{-strongly convex}\ \Rightarrow\ "
    r"g\left\lfloor\tfrac{\arg\min J}{g}\right\rceil\ \text{decided}",
    kind="inequality",
    needs=[positive("gradient"), positive("ridge"), require("gradient < inf", lambda gradient: gradient < 1e300)],
    source=", objective perturbation, released without a solver's error",
)
def minimiser_distance(*, gradient: float, ridge: float) -> float:
    """How far a point is from the minimiser of a ridge-strongly convex function: its gradient's length over ridge.

    Derivation. <grad J(w) - grad J(w*), w - w*> >= ridge |w - w*|^2 and grad J(w*) = 0; Cauchy-Schwarz. So where w, its
    gradient and the noise b are enclosed in balls, so is the minimiser, and if all of the ball rounds to one point of a
    public grid that is the rounding of the mechanism over the real numbers, whose guarantee it has (post-processing:
    for objective perturbation the density of b at b(w) times a determinant, which no float enters). Else digits of b,
    or Newton steps, are added; a tie has probability 0.

    >>> minimiser_distance(gradient=0.5, ridge=2.0)
    0.25
    """
    return gradient / ridge
