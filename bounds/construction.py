"""Two constructions of Bassily, Mohri & Suresh (2022): Lemma G.1 and the example of Appendix H.

Lemma G.1 shows what the exponential mechanism pays for many hypotheses: all but one are wrong everywhere. The lemma is
true; the construction that its proof prints is not one, so here is another: x = +-e_1 with equal probability, y the
sign of x_1, h* = h_{e_1}, and unit vectors w with w_1 < 0, which err on every point. Appendix H is on the line, and
right.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, exp, log

from bounds.theorem import between, in_unit_interval, integer, positive, require, theorem

G = "Bassily, Mohri & Suresh 2022, Appendix G, Lemma G.1"
H = "Bassily, Mohri & Suresh 2022, Appendix H"
WIDE = [require("d >= 2", lambda d: d >= 2 and d == int(d))]


# ---- Lemma G.1 ---------------------------------------------------------------------------------------------


def family_size(d):
    """ceil(9 e^{d/2}) hypotheses beside h*: enough for c' = 1.

    >>> family_size(2)
    25
    """
    return ceil(9 * exp(d / 2))


def family(d, size=None):
    """Weights of our hypotheses in their first two coordinates (the others are 0), exact unit vectors: h* first.

    The others lie on an arc of 0.25 radians around -e_1.

    >>> family(2, 2)
    [(Fraction(1, 1), Fraction(0, 1)), (Fraction(-1, 1), Fraction(0, 1)), (Fraction(-255, 257), Fraction(32, 257))]
    """
    size = family_size(d) if size is None else size
    others = []
    for j in range(size):
        t = Fraction(j, 8 * size)
        others.append((-(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)))
    return [(Fraction(1), Fraction(0)), *others]


@theorem(
    "bms22.lemG.1",
    part="realizable",
    kind="construction",
    says=r"\exists h^*\in\mathcal H:\ R_{\mathcal D}(h^*)=0",
    needs=WIDE,
    source=G + ", first condition",
)
def best_risk(*, d):
    """One hypothesis is right everywhere: its risk"""
    return 0


@theorem(
    "bms22.lemG.1",
    part="one-good",
    kind="construction",
    says=r"R_{\mathcal D}(h)=1\quad\forall h\in\mathcal H\setminus\{h^*\}",
    needs=WIDE,
    source=G + ", second condition",
)
def other_risk(*, d):
    """All other hypotheses are wrong everywhere: their risk"""
    return 1


@theorem(
    "bms22.lemG.1",
    part="inner-products",
    kind="construction",
    says=r"|\langle w,w'\rangle|\ge\frac18\quad\forall h_w,h_{w'}\in\mathcal H",
    needs=WIDE,
    source=G + ", third condition, a good cover",
)
def least_inner_product(*, d):
    """Any two weights have an inner product of modulus at least 1/8

    Printed in both texts. It says that hypotheses are alike; a good cover would have |<w, w'>| <= 1/8, which is decided
    in the part `separated`. As printed it allows any number of hypotheses in every dimension d >= 2.
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
    source=G + ", fourth condition",
)
def failure_chance(*, d, epsilon, m, rho):
    """From m < c' d/epsilon samples the exponential mechanism selects a wrong hypothesis with probability 9/10

    With N hypotheses of empirical loss 1 beside one of loss 0 it selects the latter with probability
    1/(1 + N e^{-epsilon m/2}), at most 1/10 once N >= 9 e^{epsilon m/2}; here N >= 9 e^{d/2} and c' = 1, c = 2.
    """
    return 0.9


@theorem(
    "bms22.lemG.1",
    part="separated",
    reading="explicit",
    kind="construction",
    says=r"|\langle w,w'\rangle|\le\frac18,\ \|w\|_2=1,\ d\ge1100,\ m<\frac{d}{100\,\varepsilon}:\ "
    r"\Pr\left[R_{\mathcal D}(h_{\mathrm{selected}})=1\right]\ge\frac{9}{10}",
    needs=[require("d >= 1100", lambda d: d >= 1100)],
    source=G + ", with the inequality that a good cover needs",
)
def log_separated_size(*, d):
    """The same with nearly orthogonal weights: log of how many there are

    w = (-1/100, sqrt(1 - 1e-4) v), v in {+-1/sqrt(n)}^n, n = d - 1, pairwise |<v, v'>| <= t = 0.124: then |<w, w'>| <=
    1e-4 + t < 1/8, and |<e_1, w>| = 1/100. Of the 2^n sign vectors at most 2 e^{-n t^2/2} 2^n are closer than t to one
    of them or its opposite (Hoeffding), so a greedy choice finds e^{n t^2/2}/2 of them (Gilbert and Varshamov). That is at
    least 9 e^{c' d/2} with c' = 1/100 for d >= 1100.

    >>> round(log_separated_size(d=1100), 3)
    7.756
    """
    return (d - 1) * 0.124**2 / 2 - log(2)


# ---- the construction that the proof prints ----------------------------------------------------------------

STEP = {"parent": "bms22.lemG.1"}
CUBE = [integer("d")]


@theorem(
    "bms22.lemG.1.s1",
    **STEP,
    kind="construction",
    says=r"x\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ y=1_{x_1>0}\in\{0,1\},\ h^*=1_{x_1>0}:\ R_{\mathcal D}(h^*)=0",
    needs=CUBE,
    source=G + ", proof",
)
def printed_best_risk(*, d):
    """The printed h* has risk 0: R(h) = P(y h(x) <= 0)"""
    return 0


@theorem(
    "bms22.lemG.1.s1",
    **STEP,
    reading="corrected",
    kind="construction",
    says=r"x\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ y=\mathrm{sgn}(x_1)\in\{\pm1\},\ h^*=h_{e_1}:\ "
    r"R_{\mathcal D}(h^*)=0",
    needs=CUBE,
    source=G + ", proof, with labels +-1",
)
def best_risk_with_signs(*, d):
    """With labels -1 and +1 and h* = h_{e_1}, which is linear, the risk is 0"""
    return 0


@theorem(
    "bms22.lemG.1.s2",
    **STEP,
    kind="construction",
    says=r"w\in\left\{\pm\frac{1}{\sqrt d}\right\}^d,\ w_1=-\frac{1}{\sqrt d}:\ R_{\mathcal D}(h_w)=1",
    needs=CUBE,
    source=G + ", proof: note that",
)
def printed_other_risk(*, d):
    """The printed w are wrong everywhere"""
    return 1


@theorem(
    "bms22.lemG.1.s2",
    **STEP,
    reading="corrected",
    kind="identity",
    says=r"R_{\mathcal D}(h_w)=\Pr\left[\mathrm{Bin}\left(d-1,\frac12\right)\le\frac d2\right]\ge\frac12",
    needs=CUBE,
    source=G + ", proof, counted",
)
def cube_risk(*, d):
    """The printed w are wrong with probability P(Bin(d-1, 1/2) <= d/2), which tends to 1/2

    y <w, x> = (S - 1)/d with S a sum of d - 1 fair signs: the first coordinate alone is always wrong. Labels +-1.

    >>> [cube_risk(d=d) for d in (1, 2, 3, 5)]
    [Fraction(1, 1), Fraction(1, 1), Fraction(3, 4), Fraction(11, 16)]
    """
    return Fraction(sum(comb(d - 1, j) for j in range(d // 2 + 1)), 2 ** (d - 1))


@theorem(
    "bms22.lemG.1.s3",
    **STEP,
    kind="construction",
    says=r"\max\left\{|\mathcal W|:\ w_1=-\frac{1}{\sqrt d},\ |\langle w,w'\rangle|\ge\frac18\right\}\ge 2^{cd}",
    needs=[require("d >= 3", lambda d: d >= 3 and d == int(d))],
    source=G + ", proof: by the Gilbert-Varshamov bound",
)
def log2_cube_family(*, d):
    """There are 2^{cd} printed w: at least 2^{d/4}

    All that agree in their first ceil(9d/16) coordinates: <w, w'> >= 1/8, and 2^{floor(7d/16)} of them. The bound of
    Gilbert and Varshamov is about |<w, w'>| <= 1/8, for which c = 0.01 does (d large).
    """
    return d / 4


@theorem(
    "bms22.lemG.1.s4",
    **STEP,
    kind="construction",
    says=r"|\langle e_1,w\rangle|=\frac{1}{\sqrt d}\ge\frac18",
    needs=CUBE,
    source=G + ", third condition, for h* and a printed w",
)
def printed_inner_product(*, d):
    """The printed h* and w satisfy the third condition too, if h* is represented by e_1"""
    return Fraction(1, 8)


@theorem(
    "bms22.lemG.1.s5",
    **STEP,
    kind="inequality",
    says=r"\Pr[h^*]\le\frac{1}{\sum_{w\in\mathcal W}\exp(-\hat R^\rho_S(h_w)\,\varepsilon m/2)}"
    r"\le\frac{1}{|\mathcal W|\,e^{-\varepsilon m/2}}",
    needs=[positive("epsilon"), integer("m"), positive("size")],
    source=G + ", proof, display; printed with the exponent R epsilon/2m",
)
def log_printed_chance(*, epsilon, m, size):
    """The chance of h* is at most e^{epsilon m/2}/|W|: its logarithm

    R <= 1. The exponent is printed as epsilon/2m; it is (epsilon/2) m, as in the next expression. With |W| = 2^{cd} and
    c' = c log 2 this is epsilon m/2 - c' d.
    """
    return epsilon * m / 2 - log(size)


@theorem(
    "bms22.lemG.1.s6",
    **STEP,
    kind="inequality",
    says=r"m<\frac{c'd}{\varepsilon}\ \Rightarrow\ e^{\varepsilon m/2-c'd}\le e^{-c'd/2}",
    needs=[positive("c"), integer("d"), positive("epsilon"), positive("m")],
    source=G + ", proof, last line; printed as m < c'/d epsilon",
)
def log_halved(*, c, d, epsilon, m):
    """From fewer than c' d/epsilon samples, the chance is at most e^{-c' d/2}: its logarithm

    The condition is printed as m < c'/d epsilon, which with d >= 1 is only narrower; the lemma says c' d/epsilon.
    """
    return -c * d / 2


ADMISSIBLE = require("0 < c' <= log 2, since |W| = e^{c' d} <= 2^d", lambda c: 0 < c <= log(2))


@theorem(
    "bms22.lemG.1.s7",
    **STEP,
    kind="inequality",
    says=r"d\ge\frac{2}{c'}+3\ \Rightarrow\ e^{-c'd/2}\le\frac{1}{10}",
    needs=[ADMISSIBLE],
    source=G + ", proof, last line",
)
def printed_dimension(*, c):
    """The chance is at most 1/10 for d >= 2/c' + 3"""
    return 2 / c + 3


@theorem(
    "bms22.lemG.1.s7",
    **STEP,
    reading="corrected",
    kind="inequality",
    says=r"d\ge\frac{2\log 10}{c'}\ \Rightarrow\ e^{-c'd/2}\le\frac{1}{10}",
    needs=[ADMISSIBLE],
    source=G + ", proof, last line, solved for d",
)
def dimension(*, c):
    """The chance is at most 1/10 for d >= 2 log(10)/c', and for no smaller d

    >>> round(dimension(c=0.5), 3)
    9.21
    """
    return 2 * log(10) / c


# ---- Appendix H --------------------------------------------------------------------------------------------

LINE = [between("alpha", 0, 1), positive("radius"), require("0 < gamma < r", lambda gamma, radius: 0 < gamma < radius)]
SHORT = [in_unit_interval("gamma")]


@theorem(
    "bms22.exH",
    part="loss",
    kind="identity",
    says=r"\ell^{\mathrm{hinge}}(w)=\alpha\max\{0,1+wr\}+(1-\alpha)\max\{0,1-w\gamma\}",
    needs=LINE,
    source=H + ", first display",
)
def hinge_loss(*, w, alpha, gamma, radius):
    """Expected hinge loss of w on the line

    Mass alpha/2 each at (+r, -1) and (-r, +1), (1 - alpha)/2 each at (+gamma, +1) and (-gamma, -1).

    >>> hinge_loss(w=1.0, alpha=0.5, gamma=0.5, radius=1.0)
    1.25
    """
    return alpha * max(0, 1 + w * radius) + (1 - alpha) * max(0, 1 - w * gamma)


@theorem(
    "bms22.exH",
    part="pieces",
    kind="identity",
    says=r"\ell^{\mathrm{hinge}}(w)=w(\alpha r-(1-\alpha)\gamma)+1\ (-\frac1r\le w\le\frac1\gamma),\ "
    r"\alpha(1+wr)\ (w\ge\frac1\gamma),\ (1-\alpha)(1-w\gamma)\ (w\le-\frac1r)",
    needs=LINE,
    source=H + ", second display",
)
def hinge_pieces(*, w, alpha, gamma, radius):
    """Expected hinge loss of w, piece by piece"""
    if w * gamma >= 1:
        return alpha * (1 + w * radius)
    if w * radius <= -1:
        return (1 - alpha) * (1 - w * gamma)
    return w * (alpha * radius - (1 - alpha) * gamma) + 1


@theorem(
    "bms22.exH",
    part="slope",
    kind="identity",
    says=r"r=1,\ \alpha=\frac\gamma2:\ \alpha r-(1-\alpha)\gamma=\alpha(-1+2\alpha)<0",
    needs=SHORT,
    source=H + ", third paragraph",
)
def middle_slope(*, gamma):
    """The middle piece falls: alpha (-1 + 2 alpha) at r = 1 and alpha = gamma/2"""
    return gamma / 2 * (-1 + gamma)


@theorem(
    "bms22.exH",
    part="minimiser",
    kind="construction",
    says=r"r=1,\ \alpha=\frac\gamma2:\ w^*=\frac1\gamma,\ \ell^{\mathrm{hinge}}(w^*)=\frac{1+\gamma}{2}",
    needs=SHORT,
    source=H
    + ", third paragraph; the paper's alpha (1 + r/gamma), which the appendix's text (002) shows as gamma/gamma",
)
def hinge_minimum(*, gamma):
    """The hinge loss is least at w* = 1/gamma, where it is (1 + gamma)/2: the pair

    The other cases reach 1 at w = 0 and (1 - alpha)(1 + gamma/r) > 1 at w = -1/r. alpha (1 + gamma/gamma), as the
    appendix's text shows it, would be gamma, which is not (1 + gamma)/2.

    >>> hinge_minimum(gamma=0.5)
    (2.0, 0.75)
    """
    return 1 / gamma, (1 + gamma) / 2


@theorem(
    "bms22.exH",
    part="zero-one",
    kind="identity",
    says=r"r=1,\ \alpha=\frac\gamma2:\ R_{\mathcal D}(w)=\frac\gamma2\quad\forall w>0",
    needs=SHORT,
    source=H + ", third and fourth paragraph",
)
def zero_one_loss(*, gamma):
    """Every w > 0 has the zero-one loss of w*: gamma/2"""
    return gamma / 2


@theorem(
    "bms22.exH",
    part="norm",
    kind="inequality",
    says=r"\gamma<\frac1m\ \Rightarrow\ \|w^*\|>m",
    needs=[integer("m"), *SHORT, require("gamma < 1/m", lambda gamma, m: gamma * m < 1)],
    source=H + ", fourth paragraph",
)
def minimiser_norm(*, gamma, m):
    """The minimiser is longer than the sample size: 1/gamma"""
    return 1 / gamma


@theorem(
    "bms22.exH",
    part="empirical",
    kind="construction",
    says=r"\gamma<\frac1m:\ \Pr\left[\min\left\{|w|:w\in\arg\min\hat\ell^{\mathrm{hinge}}_S\right\}>m\right]"
    r"=\left(1-\frac\gamma2\right)^m\ge\frac12",
    needs=[integer("m"), *SHORT, require("gamma < 1/m", lambda gamma, m: gamma * m < 1)],
    source=H + ", last sentence: a similar result holds for the empirical hinge loss; the probability is ours",
)
def empirical_chance(*, m, gamma):
    """A similar result for the empirical hinge loss: with probability (1 - gamma/2)^m its minimisers are longer than m

    That is the probability of a sample without a point at +-r; then the loss vanishes from w = 1/gamma on and nowhere
    else. With one such point, 1 - (m - 1) gamma > 0, and the least minimiser is -1: short, and wrong on all the others.
    (1 - gamma/2)^m > (1 - 1/(2m))^m >= 1/2, and tends to 1 as m gamma -> 0.

    >>> empirical_chance(m=2, gamma=0.25)
    0.765625
    """
    return (1 - gamma / 2) ** m
