"""The construction that the proof of Lemma G.1 of Bassily, Mohri & Suresh (2022) prints, step by step.

Points and weights on the cube {+-1/sqrt(d)}^d, the weights with w_1 < 0. It is no family as the lemma asks; the lemma
holds by the construction in `bounds.bms22.many_hypotheses`.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, log

from bounds.exact.numbers import Real, power
from bounds.theorem import integer, positive, require, theorem

# The construction that the proof prints -------------------------------------------------------------------------------

CUBE = [integer("d")]


@theorem(
    "bms22.lemG.1.s1",
    kind="construction",
    says=r"x\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ y=1_{x_1>0}\in\{0,1\},\ h^*=1_{x_1>0}:\ R_{\mathcal D}(h^*)=0",
    needs=CUBE,
)
def printed_best_risk(*, d: int) -> int:
    """The risk of the printed h*, R(h) = P(y h(x) <= 0), as printed: 0."""
    return 0


@printed_best_risk.corrected(
    says=r"x\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ y=\mathrm{sgn}(x_1)\in\{\pm1\},\ h^*=h_{e_1}:\ "
    r"R_{\mathcal D}(h^*)=0",
    source=", proof, with labels +-1",
)
def best_risk_with_signs(*, d: int) -> int:
    """The risk of h* = h_{e_1}, which is linear, with labels -1 and +1: 0."""
    return 0


@theorem(
    "bms22.lemG.1.s2",
    kind="construction",
    says=r"w\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ w_1=-\frac{1}{\sqrt d}:\ R_{\mathcal D}(h_w)=1",
    needs=CUBE,
    source=", proof: note that",
)
def printed_other_risk(*, d: int) -> int:
    """The risk of the printed w, as printed: 1."""
    return 1


@printed_other_risk.corrected(
    says=r"R_{\mathcal D}(h_w)=\Pr\left[\mathrm{Bin}\left(d-1,\frac12\right)\le\frac d2\right]\ge\frac12",
    kind="identity",
    source=", proof, counted",
)
def cube_risk(*, d: int) -> Fraction:
    """The risk of the printed w, counted: P(Bin(d-1, 1/2) <= d/2), which tends to 1/2.

    y <w, x> = (S - 1)/d with S a sum of d - 1 fair signs: the first coordinate alone is always wrong. Labels +-1.

    >>> [cube_risk(d=d) for d in (1, 2, 3, 5)]
    [Fraction(1, 1), Fraction(1, 1), Fraction(3, 4), Fraction(11, 16)]
    """
    everything = power(2, d - 1)
    return Fraction(sum(comb(d - 1, j) for j in range(d // 2 + 1)), everything)


@theorem(
    "bms22.lemG.1.s3",
    kind="construction",
    says=r"\max\left\{|\mathcal W|:\ w_1=-\frac{1}{\sqrt d},\ |\langle w,w'\rangle|\ge\frac18\right\}\ge 2^{cd}",
    needs=[require("d >= 3", lambda d: d >= 3 and d == int(d))],
    source=", proof: by the Gilbert-Varshamov bound",
)
def log2_cube_family(*, d: int) -> float:
    """The logarithm to base 2 of how many printed w there are, at least: d/4.

    All that agree in their first ceil(9d/16) coordinates: <w, w'> >= 1/8, and 2^{floor(7d/16)} of them. The bound of
    Gilbert and Varshamov is about |<w, w'>| <= 1/8, for which c = 0.01 does (d large).
    """
    return d / 4


@theorem(
    "bms22.lemG.1.s4",
    kind="construction",
    says=r"|\langle e_1,w\rangle|=\frac{1}{\sqrt d}\ge\frac18",
    needs=CUBE,
    source=", third condition, for h* and a printed w",
)
def printed_inner_product(*, d: int) -> Fraction:
    """The least modulus of <e_1, w> for the printed w, as printed: 1/8."""
    return Fraction(1, 8)


@theorem(
    "bms22.lemG.1.s5",
    says=r"\Pr[h^*]\le\frac{1}{\sum_{w\in\mathcal W}\exp(-\hat R^\rho_S(h_w)\,\varepsilon m/2)}"
    r"\le\frac{1}{|\mathcal W|\,e^{-\varepsilon m/2}}",
    needs=[positive("epsilon"), integer("m"), positive("size")],
    source=", proof, display; printed with the exponent R epsilon/2m",
)
def log_printed_chance(*, epsilon: float, m: int, size: float) -> float:
    """The logarithm of the bound e^{epsilon m/2}/|W| of the chance of h*.

    R <= 1. The exponent is printed as epsilon/2m; it is (epsilon/2) m, as in the next expression. With |W| = 2^{cd} and
    c' = c log 2 this is epsilon m/2 - c' d.
    """
    return epsilon * m / 2 - log(size)


@theorem(
    "bms22.lemG.1.s6",
    says=r"m<\frac{c'd}{\varepsilon}\ \Rightarrow\ e^{\varepsilon m/2-c'd}\le e^{-c'd/2}",
    needs=[positive("c"), integer("d"), positive("epsilon"), positive("m")],
    source=", proof, last line; printed as m < c'/d epsilon",
)
def log_halved(*, c: Real, d: int, epsilon: Real, m: Real) -> Real:
    """The logarithm of the bound e^{-c' d/2} of that chance, from fewer than c' d/epsilon samples.

    The condition is printed as m < c'/d epsilon, which with d >= 1 is only narrower; the lemma says c' d/epsilon.
    """
    return -c * d / 2


ADMISSIBLE = require("0 < c' <= log 2, since |W| = e^{c' d} <= 2^d", lambda c: 0 < c <= log(2))


@theorem(
    "bms22.lemG.1.s7",
    says=r"d\ge\frac{2}{c'}+3\ \Rightarrow\ e^{-c'd/2}\le\frac{1}{10}",
    needs=[ADMISSIBLE],
    source=", proof, last line",
)
def printed_dimension(*, c: float) -> float:
    """The dimension from which on the chance is said to be at most 1/10: 2/c' + 3."""
    return 2 / c + 3


@printed_dimension.corrected(
    says=r"d\ge\frac{2\log 10}{c'}\ \Rightarrow\ e^{-c'd/2}\le\frac{1}{10}", source=", proof, last line, solved for d"
)
def dimension(*, c: float) -> float:
    """The dimension from which on, and from no smaller one, the chance is at most 1/10: 2 log(10)/c'.

    >>> round(dimension(c=0.5), 3)
    9.21
    """
    return 2 * log(10) / c
