r"""Margins, and the records to remove for a margin: Wang, Zhu & Wang (2025), Equation 1 and Definition 6.1.

The paper defines, we derive: a definition makes no claim, its consequences do, and later lemmas rest on them.
Two conventions are needed and not printed. The minimum over no record is +inf, so the empty subset has margin +inf and
is an inlier set at every level; a display that takes gamma := gamma(S minus S_out) is then 0 at S_out = S for every
dataset, and its corrected reading leaves S_out = S out. A record x = 0 has margin 0 under every w.
"""

import numpy as np

from lemmata.bounds.exact.numbers import Array, power
from lemmata.bounds.theorem import at_least, between, theorem


def signed_records(X: Array, y: Array) -> Array:
    """The rows z_i = y_i x_i, shape (n, d)."""
    return np.asarray(X, dtype=float) * np.asarray(y, dtype=float)[:, None]


@theorem(
    "wzw25.eq1",
    kind="definition",
    says=r"\gamma(S)=\max_{w\in\mathbb{R}^d}\mathrm{Margin}(w;S),\quad "
    r"\mathrm{Margin}(w;S)=\max\left\{\min_{(x,y)\in S}\frac{y\langle w,x\rangle}{\|w\|},0\right\}",
)
def margin(*, w: Array, X: Array, y: Array) -> float:
    """The margin of a direction on the data, and the geometric margin as its maximum.

    Margin(w; S) = max(min_i y_i <w, x_i> / ||w||, 0) with X of shape (n, d), y in {-1, +1}^n, w != 0 of shape
    (d,). The classifier has no intercept. The maximum is attained, because the quotient is continuous on the
    unit sphere; w = 0, which the printed range includes, has no margin. gamma(S) is `hull_distance` at its
    minimum.

    >>> margin(w=np.array([2.0, 0.0]), X=[[3.0, 4.0], [3.0, -4.0]], y=[1, 1])
    3.0
    """
    return max(float((signed_records(X, y) @ w).min() / np.linalg.norm(w)), 0.0)


@margin.explicit(
    part="distance",
    says=r"\gamma(S)=\min\left\{\left\|\sum_i a_i y_i x_i\right\|:\ a_i\ge 0,\ \sum_i a_i=1\right\}",
    kind="identity",
    source=", a consequence",
)
def hull_distance(*, weights: Array, X: Array, y: Array) -> float:
    """The geometric margin is the distance of 0 from the hull of the signed records.

    Derivation. ||sum_i a_i z_i|| for convex weights a, shape (n,), z_i = y_i x_i: an upper bound on gamma(S) for every
    a, and equal to it at the smallest. Because: (1) max(t, 0) = max over 0 <= s <= 1 of s t, so gamma(S) is the maximum
    over ||w|| <= 1 of min_i <w, z_i> = min_a <w, sum_i a_i z_i>; (2) both sets are compact and convex and the form is
    bilinear, so the maximum and the minimum change places (von Neumann); (3) max over ||w|| <= 1 of <w, v> = ||v||.

    >>> hull_distance(weights=np.array([0.5, 0.5]), X=[[3.0, 4.0], [3.0, -4.0]], y=[1, 1])
    3.0
    """
    return float(np.linalg.norm(np.asarray(weights) @ signed_records(X, y)))


@margin.explicit(
    part="svm",
    says=r"\gamma(S)=\frac{1}{\|w^*\|},\quad \|w^*\|=\min\left\{\|w\|:y\langle w,x\rangle\ge 1\ "
    r"\forall (x,y)\in S\right\}",
    kind="identity",
    source=", a consequence",
)
def svm_margin(*, w: Array) -> float:
    """The geometric margin of separable data is 1 over the norm of their SVM.

    Derivation. 1 / ||w||. Because: if v is a unit vector of margin gamma(S) > 0, then v / gamma(S) is feasible, so
    ||w*|| <= 1 / gamma(S); and w* / ||w*|| has margin at least 1 / ||w*||. Data that are not separable have no feasible
    w.

    >>> svm_margin(w=np.array([0.6, 0.8]) / 4)
    4.0
    """
    return float(1 / np.linalg.norm(w))


# Definition 6.1: the subsets that reach a margin, and what they leave out ---------------------------------------------


def size_of(masks: Array) -> Array:
    """How many records each bit mask holds."""
    return np.bitwise_count(np.asarray(masks, dtype=np.int64)).astype(int)


@theorem(
    "wzw25.def6.1",
    kind="definition",
    says=r"\mathcal{S}_{\mathrm{in}}(\gamma)=\{S'\subset S\mid\gamma(S')\ge\gamma\},\quad "
    r"\mathcal{S}_{\mathrm{out}}(\gamma)=\{S\setminus S'\mid S'\in\mathcal{S}_{\mathrm{in}}(\gamma)\}",
    needs=[between("level", 0, 1)],
)
def inlier_sets(*, subset_margins: Array, level: float) -> Array:
    """Inlier sets at a margin are the subsets that reach it; outliers are the rest.

    The bit masks of S_in(level), given gamma(S') for every subset S' of S, shape (2^n,), indexed by mask (bit
    i: record i is in S'). S_out(level) holds their complements. The paper does not say what gamma of the
    empty subset is; as a minimum over nothing it is +inf, so entry 0 is inf.

    >>> inlier_sets(subset_margins=np.array([np.inf, 0.2, 0.7, 0.1]), level=0.5).tolist()
    [0, 2]
    """
    return np.flatnonzero(np.asarray(subset_margins) >= level)


@inlier_sets.explicit(
    part="nested",
    says=r"\gamma\le\gamma'\ \Rightarrow\ \mathcal{S}_{\mathrm{out}}(\gamma')\subset\mathcal{S}_{\mathrm{out}}(\gamma),"
    r"\ m(\gamma)\le m(\gamma'),\quad m(\gamma)=\min_{S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\gamma)}"
    r"|S_{\mathrm{out}}|",
    kind="inequality",
    needs=[at_least("level", 0)],
    source=", a consequence",
)
def fewest_outliers(*, subset_margins: Array, level: float) -> int:
    """A larger margin has fewer outlier sets, and the smallest of them is no smaller.

    Derivation. m(level) = n - max{|S'| : gamma(S') >= level}. Because gamma(S') >= gamma' >= gamma, S_in(gamma') is
    contained in S_in(gamma), their complements likewise, and a minimum over fewer sets is no smaller. Moreover
    S_in(gamma) contains every subset of its members: fewer records, larger minimum in Equation 1.

    >>> fewest_outliers(subset_margins=np.array([np.inf, 0.2, 0.7, 0.1]), level=0.5)
    1
    """
    n = int(np.log2(len(subset_margins)))
    return int(n - size_of(np.flatnonzero(np.asarray(subset_margins) >= level)).max())


@inlier_sets.explicit(
    part="never-empty",
    says=r"S\in\mathcal{S}_{\mathrm{out}}(\gamma)\quad\forall\gamma\in[0,1]",
    kind="construction",
    source=", a consequence with gamma of the empty subset +inf",
)
def outlier_count(*, subset_margins: Array, level: float) -> int:
    """Every margin has an outlier set, the whole dataset if no other.

    Derivation. |S_out(level)| >= 1, because the empty subset is an inlier set: its margin is a minimum over
    nothing. The minima over S_out(gamma) need this (cf. Lemma 6.3, Corollary D.2 and Lemma 6.4). Without the empty
    subset S_out(gamma) is empty as soon as every record is shorter than gamma, for one record alone has margin ||x||.

    >>> outlier_count(subset_margins=np.array([np.inf, 0.2]), level=0.9)
    1
    """
    return len(inlier_sets(subset_margins=subset_margins, level=level))


@inlier_sets.explicit(
    part="level-0",
    says=r"\mathcal{S}_{\mathrm{out}}(0)=2^S,\quad m(0)=0",
    kind="construction",
    needs=(),
    source=", a consequence",
)
def outlier_count_at_zero(*, n: int) -> int:
    """At margin 0 every subset is an outlier set, for separable data or not.

    Derivation. |S_out(0)| = 2^n: the margin of Equation 1 is clipped at 0, so gamma(S') >= 0 for every S', and level 0
    does not mean separable. A bound that divides by gamma is vacuous there (cf. Lemma 6.2: infinitely many rows).

    >>> outlier_count_at_zero(n=3)
    8
    """
    return power(2, n)
