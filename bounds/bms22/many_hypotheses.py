"""Lemma G.1 of Bassily, Mohri & Suresh (2022): what the exponential mechanism pays for many hypotheses.

All but one are wrong everywhere, and it needs of order d/epsilon samples to find the right one. The lemma is true; what
its proof prints is not such a family, so here is another: x = +-e_1 with equal probability, y the sign of x_1,
h* = h_{e_1}, and unit vectors w with w_1 < 0, which err on every point.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log

from bounds.theorem import between, integer, positive, require, theorem

WIDE = [require("d >= 2", lambda d: d >= 2 and d == int(d))]


# Lemma G.1 ------------------------------------------------------------------------------------------------------------


def family_size(d: int) -> int:
    """ceil(9 e^{d/2}) hypotheses beside h*: enough for c' = 1.

    >>> family_size(2)
    25
    """
    return ceil(9 * exp(d / 2))


def family(d: int, size: int | None = None, length: Fraction = Fraction(1, 8)) -> list[tuple[Fraction, Fraction]]:
    """Weights of our hypotheses in their first two coordinates (the others are 0), exact unit vectors: h* first.

    The others lie on an arc that begins at -e_1 and has the angle 2 arctan(`length`), for our family 0.25 radians.

    >>> family(2, 2)
    [(Fraction(1, 1), Fraction(0, 1)), (Fraction(-1, 1), Fraction(0, 1)), (Fraction(-255, 257), Fraction(32, 257))]
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
def best_risk(*, d: int) -> int:
    """The risk of the one hypothesis that is right everywhere: 0."""
    return 0


@theorem(
    "bms22.lemG.1",
    part="one-good",
    kind="construction",
    says=r"R_{\mathcal D}(h)=1\quad\forall h\in\mathcal H\setminus\{h^*\}",
    needs=WIDE,
    source=", second condition",
)
def other_risk(*, d: int) -> int:
    """The risk of all other hypotheses, which are wrong everywhere: 1."""
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
    """The least modulus of the inner product of any two weights, as printed: 1/8.

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
    source=", fourth condition",
)
def failure_chance(*, d: int, epsilon: float, m: int, rho: float) -> float:
    """How often a wrong hypothesis is selected from m < c' d/epsilon samples, at least: 9/10.

    With N hypotheses of empirical loss 1 beside one of loss 0 the exponential mechanism selects the latter with
    probability 1/(1 + N e^{-epsilon m/2}), at most 1/10 once N >= 9 e^{epsilon m/2}; here N >= 9 e^{d/2} and c' = 1,
    c = 2.
    """
    return 0.9


@best_risk.explicit(
    part="separated",
    says=r"|\langle w,w'\rangle|\le\frac18,\ \|w\|_2=1,\ d\ge1100,\ m<\frac{d}{100\,\varepsilon}:\ "
    r"\Pr\left[R_{\mathcal D}(h_{\mathrm{selected}})=1\right]\ge\frac{9}{10}",
    needs=[require("d >= 1100", lambda d: d >= 1100)],
    source=", with the inequality that a good cover needs",
)
def log_separated_size(*, d: int) -> float:
    """The logarithm of how many nearly orthogonal weights there are, enough for the same conclusion.

    w = (-1/100, sqrt(1 - 1e-4) v), v in {+-1/sqrt(n)}^n, n = d - 1, pairwise |<v, v'>| <= t = 0.124: then |<w, w'>| <=
    1e-4 + t < 1/8, and |<e_1, w>| = 1/100. Of the 2^n sign vectors at most 2 e^{-n t^2/2} 2^n are closer than t to one
    of them or its opposite (Hoeffding), so a greedy choice finds e^{n t^2/2}/2 of them (Gilbert, Varshamov). That is at
    least 9 e^{c' d/2} with c' = 1/100 for d >= 1100.

    >>> round(log_separated_size(d=1100), 3)
    7.756
    """
    return (d - 1) * 0.124**2 / 2 - log(2)
