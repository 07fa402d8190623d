r"""The loss, split into inliers and outliers, and its price: Wang, Zhu & Wang (2025), Equation 2 and Question 8.1.

    L_c(w; S) <= L_c(w*; S) + EER
              <= L_c(w_in; S_in) + L_c(w_in; S_out) + EER      (a) zero if c <= gamma   (b) <= ||x|| |S_out| / c
              <= O(|S_out| / c) + EER

Notation: L_c(w; S) = sum_i max(0, 1 - <z_i, w> / c) with z_i = y_i x_i and `width` c; S_in in S_in(gamma) of Definition
6.1, S_out its complement of `outliers` records; w_in the unit vector of largest margin on S_in; `radius` the largest
norm of a record; w* a minimiser over all of R^d.
"""

from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

WIDTH_BELOW_MARGIN = require("0 < width <= gamma <= 1", lambda width, gamma: 0 < width <= gamma <= 1)


# Equation 2, link by link ---------------------------------------------------------------------------------------------


@theorem("wzw25.eq2", part="1-excess", says=r"\hat L_c(w;S)\le\hat L_c(w^*;S)+\mathrm{EER}")
def loss_through_excess(*, smallest: Real, excess: Real) -> Real:
    """The hinge loss of the released weights is the smallest loss plus their excess.

    smallest + excess, an equality by Definition A.11 with w* a minimiser over R^d, which exists (defA.11, minimum).

    Derivation. The excess EER is defined as the loss less the smallest loss (wzw25.defA.11, whose part minimum shows
    that it is attained), so loss = smallest + excess, an equality.

    >>> loss_through_excess(smallest=2.5, excess=0.5)
    3.0
    """
    return smallest + excess


@theorem(
    "wzw25.eq2",
    part="2-separator",
    says=r"\hat L_c(w^*;S)\le\hat L_c(\mathring{w}_{\mathrm{in}};S_{\mathrm{in}})"
    r"+\hat L_c(\mathring{w}_{\mathrm{in}};S_{\mathrm{out}})",
)
def separator_loss(*, inlier_loss: Real, outlier_loss: Real) -> Real:
    """The smallest hinge loss is at most that of the inliers' separator.

    inlier_loss + outlier_loss, the hinge sum of w_in over S split into its two parts; w_in is one of the w that w*
    minimises over.

    >>> separator_loss(inlier_loss=0.0, outlier_loss=3.0)
    3.0
    """
    return inlier_loss + outlier_loss


@theorem(
    "wzw25.eq2",
    part="3-inliers",
    says=r"c\le\gamma\ \Rightarrow\ \hat L_c(\mathring{w}_{\mathrm{in}};S_{\mathrm{in}}(\gamma))=0",
    needs=[require("0 < gamma <= 1", lambda gamma: 0 < gamma <= 1)],
    source=", bracket (a)",
)
def lossless_width(*, gamma: Real) -> Real:
    """The inliers' separator has no hinge loss on them up to confidence margin gamma.

    Derivation. y <w_in, x> >= gamma(S_in) >= gamma >= c for every record of S_in, because w_in has norm 1.

    >>> lossless_width(gamma=0.3)
    0.3
    """
    return gamma


@theorem(
    "wzw25.eq2",
    part="4-outliers",
    says=r"\hat L_c(\mathring{w}_{\mathrm{in}};S_{\mathrm{out}})\le\frac{\|x\||S_{\mathrm{out}}|}{c}",
    needs=[positive("width"), at_least("radius", 0), integer("outliers", 0)],
    source=", bracket (b)",
)
def outlier_loss_printed(*, radius: Real, outliers: int, width: Real) -> Real:
    """The hinge loss of an outlier is at most its norm over the margin c, as printed.

    radius outliers / width. The hinge of a record at margin -||x|| is 1 + ||x|| / c, not ||x|| / c: the 1 is missing.

    >>> outlier_loss_printed(radius=1.0, outliers=2, width=0.5)
    4.0
    """
    return radius * outliers / width


@outlier_loss_printed.corrected(
    says=r"\hat L_c(\mathring{w}_{\mathrm{in}};S_{\mathrm{out}})\le\left(1+\frac{\|x\|}{c}\right)|S_{\mathrm{out}}|",
    source=", bracket (b); the proof of Lemma D.1 has this form",
)
def outlier_loss(*, radius: Real, outliers: int, width: Real) -> Real:
    """The hinge loss of an outlier is at most 1 plus its norm over the margin c.

    Derivation. (1 + radius / width) outliers: y <w_in, x> >= -||x|| because w_in has norm 1. Attained by records
    -radius w_in. At most twice the printed bound where c <= radius.

    >>> outlier_loss(radius=1.0, outliers=2, width=0.5)
    6.0
    """
    return (1 + radius / width) * outliers


@theorem(
    "wzw25.eq2",
    part="5-total",
    says=r"\hat L_c(w;S)\le\mathcal{O}\left(\frac{|S_{\mathrm{out}}|}{c}\right)+\mathrm{EER}",
    needs=[WIDTH_BELOW_MARGIN, integer("outliers", 0), at_least("excess", 0)],
)
def total_order(*, outliers: int, width: Real, gamma: Real, excess: Real) -> Real:
    """The order of the hinge loss: outliers over the confidence margin, plus excess.

    What the printed O(.) contains, and the excess: outliers / width + excess, for records in the unit ball, 0 < c <=
    gamma (bracket (a) asks for it) and any w.

    >>> total_order(outliers=2, width=0.5, gamma=0.5, excess=1.0)
    5.0
    """
    return outliers / width + excess


@total_order.explicit(
    says=r"\hat L_c(w;S)\le\left(1+\frac{b}{c}\right)|S_{\mathrm{out}}|+\mathrm{EER}",
    needs=[
        require("0 < width <= gamma <= radius", lambda width, gamma, radius: 0 < width <= gamma <= radius),
        integer("outliers", 0),
        at_least("excess", 0),
    ],
    source=", our constants",
)
def total_loss(*, outliers: int, width: Real, gamma: Real, radius: Real, excess: Real) -> Real:
    """The hinge loss is at most 1 + b/c for every outlier, and the excess.

    (1 + radius / width) outliers + excess, for records of norm at most `radius`: parts 1 to 4 in a row. In the unit
    ball 1 + 1/c <= 2/c because c <= 1, so the printed O(|S_out| / c) has the constant 2.

    >>> total_loss(outliers=2, width=0.5, gamma=0.5, radius=1.0, excess=1.0)
    7.0
    """
    return separator_loss(
        inlier_loss=0, outlier_loss=outlier_loss(radius=radius, outliers=outliers, width=width)
    ) + loss_through_excess(smallest=0, excess=excess)


@theorem(
    "wzw25.eq2.s1",
    says=r"\min_{\gamma(S\setminus S_{\mathrm{out}})>0}|S_{\mathrm{out}}|\le n-2",
    needs=[integer("n", 2)],
    source=", text below it",
)
def most_removed(*, n: int) -> int:
    """Removing n - 2 points always leaves data that a hyperplane separates.

    Derivation. n - 2 are removed where 2 remain with a margin > 0, "for any non-degenerate binary classification
    problem". Two records z, z' have a margin unless one is a nonpositive multiple of the other, so what is needed
    is one pair that is not. Without an intercept the pair must not be opposite: (1, +1) and (2, -1) on a line are.
    Among three nonzero records there is always such a pair: if z_2 and z_3 are both opposite to z_1, they are not
    to each other.

    >>> most_removed(n=10)
    8
    """
    return n - 2


# Question 8.1 ---------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.q8.1",
    kind="definition",
    says=r"\mathcal{R}_D(\mathcal{A}(S))\le\min_{S_{\mathrm{out}}\subset S,\,\gamma:=\gamma(S\setminus "
    r"S_{\mathrm{out}})>0}\tilde{\mathcal{O}}\left(\frac{1}{\mathrm{poly}(n,\varepsilon,\gamma)}+\frac{|S_{\mathrm{out}}|}{n}\right)?",
)
def outlier_share(*, n: int, s: int) -> Real:
    """Is there an efficient private learner with an outlier term free of the margin?

    s / n, in place of s / (gamma n). The question is open; the paper expects no without assumptions on the noise,
    since proper agnostic learning of halfspaces is NP-hard even without privacy.

    >>> outlier_share(n=100, s=3)
    0.03
    """
    return s / n


@outlier_share.explicit(
    part="hinge",
    says=r"|S_{\mathrm{out}}|>\gamma(n-|S_{\mathrm{out}}|)\ \Rightarrow\ \tilde{\mathcal{R}}_S(w^*)"
    r"=1-\frac{|S_{\mathrm{out}}|}{n},\quad w^*\in\mathrm{argmin}_w\hat L_c(w;S)\quad\forall c>0",
    kind="construction",
    needs=[
        integer("n", 2),
        integer("s"),
        in_unit_interval("gamma"),
        require("gamma (n - s) < s < n", lambda n, s, gamma: gamma * (n - s) < s < n),
    ],
    source=", our example",
)
def hinge_risk(*, n: int, s: int, gamma: Real) -> Real:
    """A hinge-loss minimiser cannot avoid the margin in the outlier term of its risk.

    Derivation. 1 - s/n, the empirical zero-one risk of every minimiser, for every c: n - s records z = gamma e_1, which
    leave the margin gamma, and s outliers z = -e_1. On -c < t < c / gamma the hinge sum of t e_1 has slope (s - gamma
    (n - s)) / c > 0, so it is least at t = -c only, and every inlier is an error. With s just above gamma (n - s) the
    outliers are a share s/n of about gamma, the risk is about 1, and s / (gamma n) is about 1 as well: the printed
    outlier term is the right one for hinge minimisers, private or not. An algorithm that answers the question with yes
    must minimise something else.

    >>> round(hinge_risk(n=101, s=10, gamma=0.1), 3)
    0.901
    """
    return 1 - s / n
