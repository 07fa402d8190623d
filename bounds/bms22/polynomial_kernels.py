"""Polynomial kernels, a remark in Section 4 of Bassily, Mohri & Suresh (2022): features and utility.

kappa_p(x, x') = (<x, x'> + c)^p with c > 0 on the ball of radius r. Its features are the monomials of degree at most p,
finitely many, so Algorithm 2 (`efficient_learner`) runs on them as they are, at Lambda and beta.
"""

from math import comb, exp, sqrt

from lemmata.bounds.bms22 import efficient_learner
from lemmata.bounds.bms22.dp_erm_proof import HINGE, SETTING
from lemmata.bounds.bms22.kernel_learner import LEARNT
from lemmata.bounds.theorem import integer, positive, theorem

DEGREE = [integer("degree"), positive("constant")]
POLYNOMIAL = [*DEGREE, *HINGE]


@theorem(
    "bms22.rem.poly",
    part="features",
    kind="identity",
    says=r"\langle\psi_p(x),\psi_p(x')\rangle=\kappa_p(x,x')=(\langle x,x'\rangle+c)^p",
    needs=DEGREE,
)
def polynomial_kernel(*, inner: float, degree: int, constant: float) -> float:
    """Weighted monomials are features of the polynomial kernel (<x, x'> + c)^p.

    The inner product of two vectors of weighted monomials is the kernel.

    Derivation. "The vector of all monomials of a p-th degree polynomial": x^a with the weight sqrt(p!/(a_0! ... a_d!)
    c^{a_0}) by the multinomial theorem, a_0 = p - |a|. The text leaves the weights out.
    """
    return (inner + constant) ** degree


@theorem(
    "bms22.rem.poly",
    part="dimension",
    kind="rate",
    says=r"\bar{d}=\binom{d+p}{p}=O(d^p)",
    needs=[integer("d"), integer("degree")],
)
def printed_dimension(*, d: int, degree: int) -> float:
    """Order of the number of monomials of degree at most p, as printed: d^p."""
    return d**degree


@printed_dimension.corrected(says=r"\bar{d}=\binom{d+p}{p}\le(d+1)^p", kind="inequality")
def corrected_dimension(*, d: int, degree: int) -> int:
    """Order of the number of monomials of degree at most p, corrected: (d + 1)^p.

    A monomial is a sorted word.

    The order counts words of p letters among d variables and the constant.
    """
    return (d + 1) ** degree


@printed_dimension.explicit(says=r"\bar{d}=\binom{d+p}{p}", kind="identity", source="our count")
def dimension(*, d: int, degree: int) -> int:
    """There are C(d + p, p) monomials of degree at most p in d variables.

    Derivation. A monomial of degree at most p in d variables is a multiset of p letters out of d + 1, the last of which
    is the constant 1; there are C(d + p, p) = (d + p)!/(d! p!) of them.

    >>> dimension(d=30, degree=3)
    5456
    """
    return comb(d + degree, degree)


@theorem(
    "bms22.rem.poly", part="norm", says=r"\max_{\|x\|\le r}\kappa_p(x,x)\ge r^p", needs=[*DEGREE, positive("radius")]
)
def printed_largest(*, degree: int, constant: float, radius: float) -> float:
    """The polynomial kernel kappa_p(x, x) can be as large as r^p, as printed.

    "kappa_p(x, x) can be" so large, which makes "that dependence on r^p inherent".
    """
    return radius**degree


@printed_largest.corrected(says=r"\max_{\|x\|\le r}\kappa_p(x,x)=(r^2+c)^p", kind="identity")
def corrected_largest(*, degree: int, constant: float, radius: float) -> float:
    """The polynomial kernel κ(x, x) is (r² + c)ᵖ at every x of norm r."""
    return (radius**2 + constant) ** degree


@theorem(
    "bms22.rem.poly",
    part="utility",
    kind="tail",
    says=LEARNT + r"O(\ldots)\right]\mathrm{\ as\ in\ Theorem\ 4.2,\ with\ }r^p\mathrm{\ for\ }r",
    needs=[*SETTING, *POLYNOMIAL],
)
def printed_polynomial_order(
    *,
    m: int,
    epsilon: float,
    delta: float,
    beta: float,
    degree: int,
    constant: float,
    radius: float,
    norm_bound: float,
    rho: float,
) -> float:
    """The order of the excess risk with a polynomial kernel, as printed.

    It is the kernel learner's at Lambda r^p / rho.

    The bracket is that of the kernel learner (cf. Theorem 4.2).
    """
    a = norm_bound * radius**degree / rho
    return efficient_learner.printed_order.theorem.formula(m=m, epsilon=epsilon, delta=delta, beta=beta, a=a)


@printed_polynomial_order.corrected(
    says=LEARNT + r"O(\ldots)\right]\mathrm{\ as\ in\ Theorem\ 3.2,\ corrected,\ with\ }(r^2+c)^{p/2}\mathrm{\ for\ }r"
)
def corrected_polynomial_order(
    *,
    m: int,
    epsilon: float,
    delta: float,
    beta: float,
    degree: int,
    constant: float,
    radius: float,
    norm_bound: float,
    rho: float,
) -> float:
    """The order of the excess risk with a polynomial kernel, corrected.

    The margin is Lambda (r^2 + c)^{p/2} / rho.

    The bracket of Theorem 3.2, corrected, at Lambda R / rho, R = (r^2 + c)^{p/2}, for rho <= Lambda R.

    Algorithm 2 runs on the monomials themselves, records of norm at most R with the kernel's inner products: the
    functions of RKHS norm at most Lambda are the vectors of norm at most Lambda, up to what no record sees.
    """
    a = norm_bound * sqrt(corrected_largest.theorem.formula(degree=degree, constant=constant, radius=radius)) / rho
    return efficient_learner.corrected_order.theorem.formula(m=m, epsilon=epsilon, delta=delta, beta=beta, a=a)


def unlearnt_share(*, m: int, k: int, epsilon: float, delta: float) -> float:
    """The share of k hidden signs that every (epsilon, delta)-DP learner gets wrong on average, at least.

    x is one of k points with probability 1/k each, and its label the hidden sign of that point, a fair coin. Flipping a
    sign flips the N labels at that point, so by group privacy P(right | +) <= e^{N epsilon} P(wrong | -) + N e^{N
    epsilon} delta, and both ways: the average of P(wrong) over the coin is at least (1 - N e^{N epsilon} delta)/(1 +
    e^{N epsilon}) >= 1/(1 + e^{N epsilon}) - N delta. The first is convex in N >= 0 and E N = m/k (Jensen). A risk of
    at least t then has, for some signs, probability at least (share - t)/(1 - t).

    >>> round(unlearnt_share(m=1000, k=10, epsilon=0.01, delta=1e-6), 3)
    0.269
    """
    return 1 / (1 + exp(epsilon * m / k)) - delta * m / k
