"""Lemma G.1 of Bassily, Mohri & Suresh (2022): what the exponential mechanism pays for many hypotheses.

All but one are wrong everywhere, and it needs of order d/epsilon samples to find the right one. The lemma is true, but
the family that its proof prints is not of this kind, so here is another: x = +-e_1 with equal probability, y the sign
of x_1, h* = h_{e_1}, and unit vectors w with w_1 < 0, which err on every point.
"""

from fractions import Fraction
from math import ceil, exp, log

from flint import fmpz

from lemmata.bounds.exact.numbers import Real, power
from lemmata.bounds.theorem import between, integer, positive, require, theorem

LENGTH = Fraction(7, 8)  # of the arc: just so long that any two weights have |<w, w'>| >= 1/8
WIDE = [require("d >= 2", lambda d: d >= 2 and d == int(d))]


# Lemma G.1 ------------------------------------------------------------------------------------------------------------


def family_size(d: int) -> int:
    """ceil(9 e^{d/2}) hypotheses besides h*: enough for c' = 1.

    >>> family_size(2)
    25
    """
    return ceil(9 * exp(d / 2))


def family(d: int, size: int | None = None, length: Fraction = LENGTH) -> list[tuple[Fraction, Fraction]]:
    """Weights of our hypotheses in their first two coordinates (the others are 0), exact unit vectors: h* first.

    The others lie on an arc that begins at -e_1 and has the angle 2 arctan(`length`), for our family 1.44 radians: the
    cosine of any two is at least (1 - LENGTH^2)/(1 + LENGTH^2) = 0.133 in modulus, h* included.

    >>> family(2, 2)
    [(Fraction(1, 1), Fraction(0, 1)), (Fraction(-1, 1), Fraction(0, 1)), (Fraction(-207, 305), Fraction(224, 305))]
    """
    size = family_size(d) if size is None else size
    others = []
    for j in range(size):
        t = length * Fraction(j, size)
        others.append((-(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)))
    return [(Fraction(1), Fraction(0)), *others]


@theorem(
    "bms22.lemG.1",
    part="realizable",
    kind="construction",
    says=r"\exists h^*\in\mathcal H:\ R_{\mathcal D}(h^*)=0",
    needs=WIDE,
    source=", first condition",
)
def best_chance(*, d: int) -> int:
    """One hypothesis h* of the hard distribution is always right.

    Derivation. x is e_1 or -e_1 and y = sgn(x_1), so y <e_1, x> = |x_1| = 1 > 0 at both points: h* = h_{e_1} errs
    nowhere.
    """
    return 1


@theorem(
    "bms22.lemG.1",
    part="one-good",
    kind="construction",
    says=r"R_{\mathcal D}(h)=1\quad\forall h\in\mathcal H\setminus\{h^*\}",
    needs=WIDE,
    source=", second condition",
)
def other_risk(*, d: int) -> int:
    """All other hypotheses of the hard distribution have risk 1.

    They are wrong everywhere.

    Derivation. Every other weight of the family has w_1 < 0, so y <w, x> = w_1 |x_1| = w_1 < 0 at both points, an error
    at each.
    """
    return 1


@theorem(
    "bms22.lemG.1",
    part="inner-products",
    kind="construction",
    says=r"|\langle w,w'\rangle|\ge\frac18\quad\forall h_w,h_{w'}\in\mathcal H",
    needs=WIDE,
    source=", third condition, a good cover",
)
def least_inner_product(*, d: int) -> Fraction:
    """Any two weights of the family have |<w, w'>| >= 1/8, as printed.

    Both texts print this inequality. It bounds how different hypotheses are; a good cover would have |<w, w'>| <= 1/8,
    which is decided in the part `separated`. As printed it allows any number of hypotheses in every dimension d >= 2.

    Derivation. The weights other than e_1 lie on an arc of angle 1.44 < pi/2 that begins at -e_1, so <w, w'> >= cos
    1.44 > 0.13 > 1/8 for two of them, and |<e_1, w>| = cos of the angle between w and -e_1 >= cos 1.44.
    """
    return Fraction(1, 8)


@theorem(
    "bms22.lemG.1",
    part="selection",
    kind="construction",
    says=r"m<\frac{c'd}{\varepsilon}\ \Rightarrow\ "
    r"\Pr\left[R_{\mathcal D}(h_{\mathrm{selected}})=1\right]\ge\frac{9}{10}",
    needs=[
        *WIDE,
        positive("epsilon"),
        between("rho", 0, 1),
        integer("m"),
        require("m < d/epsilon (c' = 1)", lambda m, d, epsilon: m * epsilon < d),
    ],
    source=", fourth condition",
)
def failure_chance(*, d: int, epsilon: float, m: int, rho: float) -> float:
    """The probability of a wrong selection from m < c' d/epsilon samples.

    The learner is private, and the probability is at least 9/10.

    Derivation. With N hypotheses of empirical loss 1 and one of loss 0 the exponential mechanism selects the latter
    with probability 1/(1 + N e^{-epsilon m/2}), at most 1/10 once N >= 9 e^{epsilon m/2}; here N >= 9 e^{d/2} and c' =
    1, c = 2.
    """
    return 0.9


@best_chance.explicit(
    part="separated",
    says=r"|\langle w,w'\rangle|\le\frac18,\ \|w\|_2=1,\ d\ge1100,\ m<\frac{d}{100\,\varepsilon}:\ "
    r"\Pr\left[R_{\mathcal D}(h_{\mathrm{selected}})=1\right]\ge\frac{9}{10}",
    needs=[require("d >= 1100", lambda d: d >= 1100)],
    source=", with the inequality that a good cover needs",
)
def log_separated_size(*, d: int) -> float:
    """The logarithm of the number of nearly orthogonal weights.

    They are enough for the same conclusion.

    Derivation. w = (-1/100, sqrt(1 - 1e-4) v), v in {+-1/sqrt(n)}^n, n = d - 1, pairwise |<v, v'>| <= t = 0.124: then
    |<w, w'>| <= 1e-4 + t < 1/8, and |<e_1, w>| = 1/100. Of the 2^n sign vectors at most 2 e^{-n t^2/2} 2^n are closer
    than t to one of them or its opposite (Hoeffding), so a greedy choice finds e^{n t^2/2}/2 of them (Gilbert,
    Varshamov). That is at least 9 e^{c' d/2} with c' = 1/100 for d >= 1100.

    >>> round(log_separated_size(d=1100), 3)
    7.756
    """
    return (d - 1) * 0.124**2 / 2 - log(2)


# The construction that the proof prints -------------------------------------------------------------------------------

CUBE = [integer("d")]


@theorem(
    "bms22.lemG.1.s1",
    kind="construction",
    says=r"x\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ y=1_{x_1>0}\in\{0,1\},\ h^*=1_{x_1>0}:\ R_{\mathcal D}(h^*)=0",
    needs=CUBE,
)
def printed_best_chance(*, d: int) -> int:
    """The printed h* is right with probability 1, as printed.

    Here R(h) = P(y h(x) <= 0).
    """
    return 1


@printed_best_chance.corrected(
    says=r"x\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ y=\mathrm{sgn}(x_1)\in\{\pm1\},\ h^*=h_{e_1}:\ "
    r"R_{\mathcal D}(h^*)=0",
    source=", proof, with labels +-1",
)
def best_chance_with_signs(*, d: int) -> int:
    """The linear h* is right with probability 1 if labels are -1 and +1.

    Derivation. y = sgn(x_1) and h_{e_1}(x) = x_1, so y h(x) = |x_1| = 1/sqrt(d) > 0 at every point of the cube: there
    is no error.
    """
    return printed_best_chance(d=d)


@theorem(
    "bms22.lemG.1.s2",
    kind="construction",
    says=r"w\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ w_1=-\frac{1}{\sqrt d}:\ R_{\mathcal D}(h_w)=1",
    needs=CUBE,
    source=", proof: note that",
)
def printed_other_risk(*, d: int) -> int:
    """The risk of each other hypothesis of the printed family is 1, as printed."""
    return 1


@printed_other_risk.corrected(
    says=r"R_{\mathcal D}(h_w)=\Pr\left[\mathrm{Bin}\left(d-1,\frac12\right)\le\frac d2\right]\ge\frac12",
    kind="identity",
    source=", proof, counted",
)
def cube_risk(*, d: int) -> Fraction:
    """The exact risk of each other hypothesis of the printed family.

    It tends to 1/2.

    The risk is P(Bin(d-1, 1/2) <= d/2).

    Derivation. y <w, x> = (S - 1)/d with S a sum of d - 1 fair signs: the first coordinate alone is always wrong.
    Labels +-1. Of the N = d - 1 other signs half the outcomes are below N/2, or N/2 for half of the middle one, and one
    more binomial coefficient counts: C(N, N/2)/2 for even N, C(N, (N + 1)/2) for odd N.

    >>> [cube_risk(d=d) for d in (1, 2, 3, 5)]
    [Fraction(1, 1), Fraction(1, 1), Fraction(3, 4), Fraction(11, 16)]
    """
    everything, middle = power(2, d - 1), int(fmpz.bin_uiui(d - 1, d // 2))
    return Fraction(1, 2) + Fraction(middle, everything * (1 + d % 2))


@theorem(
    "bms22.lemG.1.s3",
    kind="construction",
    says=r"\max\left\{|\mathcal W|:\ w_1=-\frac{1}{\sqrt d},\ |\langle w,w'\rangle|\ge\frac18\right\}\ge 2^{cd}",
    needs=[require("d >= 3", lambda d: d >= 3 and d == int(d))],
    source=", proof: by the Gilbert-Varshamov bound",
)
def log2_cube_family(*, d: int) -> float:
    """The printed family has at least 2^(d/4) members.

    Derivation. All that agree in their first ceil(9d/16) coordinates: <w, w'> >= 1/8, and 2^{floor(7d/16)} of them. The
    bound of Gilbert and Varshamov is about |<w, w'>| <= 1/8, for which c = 0.01 does (d large).
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
    """The vector e_1 and a printed weight have |<e_1, w>| >= 1/8, as printed."""
    return Fraction(1, 8)


@printed_inner_product.corrected(
    says=r"|\langle e_1,w\rangle|=\frac{1}{\sqrt d}\le\frac18,\quad d\ge 64",
    needs=[integer("d", 64)],
    source=", third condition, with the direction of the Gilbert-Varshamov bound that its proof names",
)
def largest_inner_product(*, d: int) -> Fraction:
    """The vector e_1 and a printed weight have |<e_1, w>| <= 1/8 for d >= 64.

    Derivation. |<e_1, w>| = 1/sqrt(d) for every printed w, and 1/sqrt(d) <= 1/8 says d >= 64, with equality at d = 64.

    >>> largest_inner_product(d=64)
    Fraction(1, 8)
    """
    return Fraction(1, 8)


@theorem(
    "bms22.lemG.1.s5",
    says=r"\Pr[h^*]\le\frac{1}{\sum_{w\in\mathcal W}\exp(-\hat R^\rho_S(h_w)\,\varepsilon m/2)}"
    r"\le\frac{1}{|\mathcal W|\,e^{-\varepsilon m/2}}",
    needs=[positive("epsilon"), integer("m"), positive("size")],
    source=", proof, display; printed with the exponent R epsilon/2m",
)
def log_printed_chance(*, epsilon: float, m: int, size: float) -> float:
    """The chance of picking h* is at most e^{epsilon m/2}/|W|, as a logarithm.

    The learner is private.

    Here R <= 1. The exponent is printed as epsilon/2m; it is (epsilon/2) m, as in the next expression. With |W| =
    2^{cd} and c' = c log 2 this is epsilon m/2 - c' d.

    Derivation. With a_w = exp(-R^(h_w) epsilon m/2) the mechanism gives h* the probability a_*/(a_* + sum_w a_w), a_*
    its own weight; a_* <= 1, so that is at most 1/sum_w a_w, and R^ <= 1 makes every a_w at least e^{-epsilon m/2}.
    """
    return epsilon * m / 2 - log(size)


@theorem(
    "bms22.lemG.1.s6",
    says=r"m<\frac{c'd}{\varepsilon}\ \Rightarrow\ e^{\varepsilon m/2-c'd}\le e^{-c'd/2}",
    needs=[positive("c"), integer("d"), positive("epsilon"), positive("m")],
    source=", proof, last line; printed as m < c'/d epsilon",
)
def log_halved(*, c: Real, d: int, epsilon: Real, m: Real) -> Real:
    """The chance of picking h* is at most e^{-c' d/2}, as a logarithm.

    There are fewer than c' d/epsilon samples.

    The condition is printed as m < c'/d epsilon, which with d >= 1 is only narrower; the lemma says c' d/epsilon.

    Derivation. epsilon m < c' d gives epsilon m/2 - c' d < c' d/2 - c' d = -c' d/2, and the exponential function
    increases.
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
    """The chance of picking h* is at most 1/10 from d = 2/c' + 3 on, as printed."""
    return 2 / c + 3


@printed_dimension.corrected(
    says=r"d\ge\frac{2\log 10}{c'}\ \Rightarrow\ e^{-c'd/2}\le\frac{1}{10}", source=", proof, last line, solved for d"
)
def dimension(*, c: float) -> float:
    """The chance of picking h* is at most 1/10 from d = 2 log(10)/c' on.

    No smaller dimension is enough.

    Derivation. e^{-c' d/2} <= 1/10 says c' d/2 >= log 10, that is d >= 2 log(10)/c', and both steps can be taken back.

    >>> round(dimension(c=0.5), 3)
    9.21
    """
    return 2 * log(10) / c
