"""The hinge loss and its excess empirical risk: Wang, Zhu & Wang (2025), Remark 3.1 and Definition A.11.

L_c(w; S) = sum_i max(0, 1 - <z_i, w> / c) with z_i = y_i x_i; `width` is c.
"""

from collections.abc import Sequence

from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import positive, theorem


@theorem(
    "wzw25.rem3.1",
    kind="definition",
    says=r"\ell_c(w;(x,y))=\max\left\{0,1-\frac{y\langle w,x\rangle}{c}\right\}",
    needs=[positive("width")],
)
def hinge_loss(*, margin: Real, width: Real) -> Real:
    """The hinge loss at a confidence margin, which is a parameter and not the data's.

    max(0, 1 - margin / width) at margin = y <w, x>. The remark fixes how a letter is used: c is chosen, the margin
    gamma(S) and the inlier sets of Definition 6.1 belong to the data. Later lemmas choose c = gamma / 3 for a *level*
    gamma, which is a parameter as well.

    >>> hinge_loss(margin=0.25, width=0.5)
    0.5
    """
    return max(0, 1 - margin / width)


@hinge_loss.explicit(
    part="scale",
    says=r"\ell_{c'}\left(\frac{c'}{c}w;(x,y)\right)=\ell_c(w;(x,y)),\quad"
    r"\min_{w\in\mathbb{R}^d}\hat L_c(w;S)=\min_{w\in\mathbb{R}^d}\hat L_{c'}(w;S)",
    kind="identity",
    needs=[positive("width"), positive("other")],
    source=", a consequence of the loss above it",
)
def rescaled_weights(*, w: Real, width: Real, other: Real) -> Real:
    """Over all of R^d the smallest hinge loss does not depend on the confidence margin.

    Derivation. w other / width: its loss with confidence margin `other` is the loss of w with `width`, record by
    record, because the margin enters as y <w, x> / c only. So w -> w c'/c carries minimisers to minimisers. On a ball
    of fixed radius the two minima differ; the paper's w ranges over R^d.

    >>> rescaled_weights(w=2.0, width=0.5, other=0.25)
    1.0
    """
    return w * other / width


@theorem(
    "wzw25.defA.11",
    kind="definition",
    says=r"\mathrm{EER}(w)=L(w;S)-\min_{w'\in\mathcal{W}}L(w';S)",
    source=", Equation 6",
)
def excess_empirical_risk(*, loss: Real, smallest: Real) -> Real:
    """The excess empirical risk: the loss of a vector above the smallest loss.

    loss - smallest. The minimum need not be attained for every loss (the logistic loss on separable data tends to 0);
    for the hinge sum over R^d it is, see part minimum.

    >>> excess_empirical_risk(loss=3.0, smallest=2.5)
    0.5
    """
    return loss - smallest


@excess_empirical_risk.explicit(
    part="minimum",
    says=r"\min_{w\in\mathbb{R}^d}\hat L_c(w;S)=\max\left\{\sum_i a_i:\ 0\le a_i\le 1,\ \sum_i a_i y_i x_i=0\right\}",
    kind="identity",
    source=", a consequence",
)
def smallest_hinge(*, weights: Sequence[Real]) -> Real:
    """The smallest hinge loss over R^d is attained: the value of a linear programme.

    Derivation. sum_i a_i for weights a of shape (n,) with 0 <= a_i <= 1 and sum_i a_i z_i = 0: at most the smallest
    hinge sum for every such a, and equal to it at the best. Because max(0, 1 - <z, w>/c) >= a (1 - <z, w>/c) for 0 <= a
    <= 1, so L_c(w; S) >= sum_i a_i - <sum_i a_i z_i, w>/c = sum_i a_i for every w; minimising sum_i s_i subject to s_i
    >= 0, s_i >= 1 - <z_i, w>/c is a feasible linear programme bounded from below, so its minimum is attained and equals
    that of its dual, which is the display (w/c is one variable). So EER exists for the hinge sum, and is at least 0.

    >>> smallest_hinge(weights=[1, 0.5, 0.5])
    2.0
    """
    return sum(weights)


@excess_empirical_risk.explicit(
    part="nonnegative", says=r"\mathrm{EER}(w)\ge 0", kind="inequality", source=", a consequence"
)
def hinge_excess(*, loss: Real, weights: Sequence[Real]) -> Real:
    """The excess empirical risk is never negative.

    loss - sum_i a_i with the dual weights a of part minimum: the excess of the hinge sum without a search over w.

    Derivation. EER(w) = L(w) - min L over R^d, which is at least 0 for every w because the minimum is attained; by the
    part minimum it is loss - sum_i a_i.

    >>> hinge_excess(loss=3.0, weights=[1, 0.5, 0.5])
    1.0
    """
    return excess_empirical_risk(loss=loss, smallest=sum(weights))
