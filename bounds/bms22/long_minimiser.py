"""Appendix H of Bassily, Mohri & Suresh (2022): a hinge loss on the line whose minimiser is long.

Functions are plain arithmetic: fractions in, fractions out.
"""

from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import between, in_unit_interval, integer, positive, require, theorem

LINE = [between("alpha", 0, 1), positive("radius"), require("0 < gamma < r", lambda gamma, radius: 0 < gamma < radius)]
SHORT = [in_unit_interval("gamma")]


@theorem(
    "bms22.exH",
    part="loss",
    kind="identity",
    says=r"\ell^{\mathrm{hinge}}(w)=\alpha\max\{0,1+wr\}+(1-\alpha)\max\{0,1-w\gamma\}",
    needs=LINE,
    source=", first display",
)
def hinge_loss(*, w: Real, alpha: Real, gamma: Real, radius: Real) -> Real:
    """The expected hinge loss of w in the example on the line.

    Mass alpha/2 each at (+r, -1) and (-r, +1), (1 - alpha)/2 each at (+gamma, +1) and (-gamma, -1).

    Derivation. At +r with label -1 and -r with label +1, of mass alpha, y w x = -w r; at +gamma with +1 and -gamma with
    -1, of mass 1 - alpha, y w x = w gamma. The hinge loss at u = y w x is max{0, 1 - u}.

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
    source=", second display",
)
def hinge_pieces(*, w: Real, alpha: Real, gamma: Real, radius: Real) -> Real:
    """The expected hinge loss of w in the example on the line, piece by piece.

    Derivation. Of the two terms of the loss, 1 + w r >= 0 from w = -1/r on and 1 - w gamma >= 0 up to w = 1/gamma.
    Between them both terms are positive and add up to w (alpha r - (1 - alpha) gamma) + 1. Beyond either point one term
    is left.
    """
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
    source=", third paragraph",
)
def middle_slope(*, gamma: Real) -> Real:
    """The slope of the expected hinge loss on its middle piece.

    It is alpha (-1 + 2 alpha), so the loss falls there.

    Derivation. At r = 1 and gamma = 2 alpha the slope is alpha - (1 - alpha) 2 alpha = alpha (-1 + 2 alpha), which is
    negative because alpha = gamma/2 < 1/2.
    """
    return gamma / 2 * (-1 + gamma)


@theorem(
    "bms22.exH",
    part="minimiser",
    kind="construction",
    says=r"r=1,\ \alpha=\frac\gamma2:\ w^*=\frac1\gamma,\ \ell^{\mathrm{hinge}}(w^*)=\frac{1+\gamma}{2}",
    needs=SHORT,
    source=", third paragraph; the paper's alpha (1 + r/gamma); the appendix circulated apart has gamma/gamma",
)
def hinge_minimum(*, gamma: Real) -> tuple[Real, Real]:
    """The expected hinge loss is least at w = 1/gamma, where it is (1 + gamma)/2.

    The other cases reach 1 at w = 0 and (1 - alpha)(1 + gamma/r) > 1 at w = -1/r. alpha (1 + gamma/gamma), as the
    appendix's text shows it, would be gamma, which is not (1 + gamma)/2.

    Derivation. The loss is convex and linear in pieces. It falls up to w = 1/gamma, where the slopes are -(1 - alpha)
    gamma and alpha (-1 + 2 alpha), and rises beyond with alpha r, so it is least there, and its value is alpha (1 +
    1/gamma) = (gamma/2) (1 + 1/gamma) = (1 + gamma)/2.

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
    source=", third and fourth paragraph",
)
def zero_one_loss(*, gamma: Real) -> Real:
    """The zero-one loss of the hinge minimiser, and of every w > 0, is gamma/2.

    Derivation. For w > 0 the points at +-r are errors, y w x = -w r < 0, and those at +-gamma are not, y w x = w gamma
    > 0; the former have mass alpha = gamma/2.
    """
    return gamma / 2


@theorem(
    "bms22.exH",
    part="norm",
    says=r"\gamma<\frac1m\ \Rightarrow\ \|w^*\|>m",
    needs=[integer("m"), *SHORT, require("gamma < 1/m", lambda gamma, m: gamma * m < 1)],
    source=", fourth paragraph",
)
def minimiser_norm(*, gamma: Real, m: int) -> Real:
    """The norm of the hinge minimiser is 1/gamma, which exceeds the sample size.

    Derivation. The minimiser is w* = 1/gamma, as the part `minimiser` shows, so its norm exceeds m where 1/gamma > m,
    which is gamma < 1/m.
    """
    return 1 / gamma


@theorem(
    "bms22.exH",
    part="empirical",
    says=r"\gamma<\frac1m\ \Rightarrow\ \min\left\{|w|:w\in\mathrm{arg}\min\hat\ell^{\mathrm{hinge}}_S\right\}>m",
    needs=[integer("m"), *SHORT, require("gamma < 1/m", lambda gamma, m: gamma * m < 1), integer("wrong", 0)],
    source=", last sentence: a similar result holds for the empirical hinge loss",
)
def empirical_norm(*, gamma: Real, m: int, wrong: int) -> Real:
    """An empirical hinge minimiser has a norm above the sample size, as printed.

    It is printed for every sample.

    `wrong` points of the sample are at +-r.
    """
    return m


empirical_norm_without_outliers = empirical_norm.corrected(
    says=r"\gamma<\frac1m,\ \mathrm{no\ point\ at\ }\pm r\ \Rightarrow\ "
    r"\min\left\{|w|:w\in\mathrm{arg}\min\hat\ell^{\mathrm{hinge}}_S\right\}>m",
    needs=[*empirical_norm.theorem.needs[:-1], require("wrong = 0", lambda wrong: wrong == 0)],
)(empirical_norm.theorem.formula)


@minimiser_norm.explicit(
    part="empirical",
    kind="construction",
    says=r"\gamma<\frac1m:\ \Pr\left[\min\left\{|w|:w\in\mathrm{arg}\min\hat\ell^{\mathrm{hinge}}_S\right\}>m\right]"
    r"=\left(1-\frac\gamma2\right)^m\ge\frac12",
    source=", last sentence: a similar result holds for the empirical hinge loss; the probability is ours",
)
def empirical_chance(*, m: int, gamma: Real) -> Real:
    """The probability that all empirical hinge minimisers are longer than m.

    It is (1 - gamma/2)^m.

    Derivation. It is the probability of a sample without a point at +-r; then the loss vanishes from w = 1/gamma on and
    nowhere else. With one such point, 1 - (m - 1) gamma > 0, and the least minimiser is -1: short, and wrong on all the
    others. (1 - gamma/2)^m > (1 - 1/(2m))^m >= 1/2, and tends to 1 as m gamma -> 0.

    >>> empirical_chance(m=2, gamma=0.25)
    0.765625
    """
    return (1 - gamma / 2) ** m
