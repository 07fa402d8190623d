r"""How far one record moves the bounds: Lemma F.3 of Bassily, Mohri & Suresh (2022).

F(rho, g_rho(S)) depends on the sample through g alone, the least empirical margin loss (F_1, F_4, F_5) or hinge loss
(F_2, F_3); F_1 is Theorem 3.1, F_2 Theorem 3.2, F_3 Theorem 4.2, F_4 Theorem 6.1, F_5 Theorem 5.1. One record moves the
margin loss of every hypothesis, hence the least one, by at most 1/m, from one multiple of 1/m to the next; a concave
function of it, such as sqrt(t), moves most from 0 to 1/m. So sqrt(B/m) sqrt(1/m) = sqrt(B)/m: the printed units are
right. A change of a record may be a change of its label; every explicit bound below is attained by one. `ratio` is
Lambda r/rho. The printed O(.) of F_1 is our `constant` C. All sensitivities are non-increasing in rho, as the proof of
Lemma F.1 needs and its statement denies (lemF.1.s3).
"""

from math import log, sqrt

from lemmata.bounds.bms22.efficient_learner import printed_order
from lemmata.bounds.bms22.margin_deviation import margin_complexity
from lemmata.bounds.bms22.pure_learner import printed_gap
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

HINGE = [integer("m"), positive("ratio")]
FIRST = [*HINGE, in_unit_interval("beta")]
COVER = [integer("m"), at_least("M", 0)]


def _spread(m: int, ratio: float, beta: float) -> float:
    """B = Lambda^2 r^2 log^2(m/beta) / rho^2 + log(1/beta)."""
    return ratio**2 * log(m / beta) ** 2 + log(1 / beta)


# The five bounds beside the loss --------------------------------------------------------------------------------------


def rate_1(*, loss: float, m: int, ratio: float, epsilon: float, beta: float) -> float:
    """F_1 less the loss, without its constant: the gap of Theorem 3.1; `ratio` is Lambda r / rho >= 1."""
    sizes = {"norm_bound": ratio, "radius": 1.0, "rho": 1.0}
    return printed_gap.theorem.formula(m=m, epsilon=epsilon, beta=beta, margin_loss=loss, **sizes)


def rate_2(*, m: int, ratio: float, epsilon: float, beta: float, delta: float) -> float:
    """F_2 and F_3 less the loss, without their constant: the order of Theorem 3.2, for any delta and epsilon."""
    return printed_order.theorem.formula(m=m, epsilon=epsilon, delta=delta, beta=beta, a=ratio)


def fat_term(*, m: int, fat: float, beta: float) -> float:
    """M of Theorem 6.1: 1 + d log2(2 c^2 m) log2(2 c e m / d) + log(2/beta), c = 17, d = `fat`."""
    return m * margin_complexity(m, fat, beta / 2)


def rate_4(*, loss: float, m: int, M: float, epsilon: float, beta: float) -> float:
    """F_4 less the loss, M = `fat_term`."""
    return 2 * sqrt(loss * M / m) + 2 * M / m + 64 * M * log(2 / beta) / (epsilon * m)


def rate_5(*, m: int, ratio: float, layers: int, width: int, eta_norm: float, epsilon: float, beta: float) -> float:
    """F_5 less the loss, without its constant; `ratio` is r/rho, `eta_norm` is eta Lambda."""
    theta = log(layers * m / beta) * log(ratio * eta_norm**layers)
    weight = ratio * (2 * eta_norm) ** layers
    return weight * sqrt(width * theta / m) + weight**2 * width * theta / (epsilon * m)


# Lemma F.3 ------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.lemF.3a",
    says=r"\Delta_\rho(F_1)=O\left(\frac{1}{m}+\frac{1}{m}\sqrt{\frac{\Lambda^2r^2\log^2(m/\beta)}{\rho^2}"
    r"+\log\frac{1}{\beta}}\right)",
    needs=FIRST,
)
def sensitivity_1(*, m: int, ratio: float, beta: float) -> float:
    """Order of the sensitivity of the pure linear learner's bound, as printed.

    >>> round(sensitivity_1(m=100, ratio=1.0, beta=0.5), 6)
    0.063633
    """
    return (1 + sqrt(_spread(m, ratio, beta))) / m


@sensitivity_1.explicit(
    says=r"\Delta_\rho(F_1)\le\frac{1}{m}+\frac{C}{m}\sqrt{\frac{\Lambda^2r^2\log^2(m/\beta)}{\rho^2}"
    r"+\log\frac{1}{\beta}}",
    needs=[*FIRST, positive("constant")],
)
def sensitivity_1_explicit(*, m: int, ratio: float, beta: float, constant: float) -> float:
    """The sensitivity of the pure linear learner's bound, with its constant.

    Derivation. F_1 = G(min_w R(w)) with G(t) = t + C sqrt(t B/m) + C Gamma, increasing and concave: the largest step is
    from 0 to 1/m, and it is taken (lemF.3a has equality) by m records x with |x| = r, y = 1 and their neighbour with
    one label changed, for rho < Lambda r and m >= 2. Reading the root as covering R only, as the appendix prints
    it (cf. Theorem 3.1), would give C B/m^1.5.

    >>> round(sensitivity_1_explicit(m=100, ratio=1.0, beta=0.5, constant=2.0), 6)
    0.117267
    """
    return (1 + constant * sqrt(_spread(m, ratio, beta))) / m


@theorem("bms22.lemF.3b", says=r"\Delta_\rho(F_2)=O\left(\frac{\Lambda r}{m\rho}\right)", needs=HINGE)
def sensitivity_2(*, m: int, ratio: float) -> float:
    """Order of the sensitivity of the efficient linear learner's bound, as printed.

    The printed proof shows the constant 2.

    >>> sensitivity_2(m=100, ratio=2.0)
    0.02
    """
    return ratio / m


@sensitivity_2.explicit(
    says=r"\Delta_\rho(F_2)\le\frac{1}{m}\min\left\{1+\frac{\Lambda r}{\rho},\frac{2\Lambda r}{\rho},m\right\}"
)
def sensitivity_2_explicit(*, m: int, ratio: float) -> float:
    """The sensitivity of the least hinge loss over a ball.

    The efficient learner's bound needs it.

    Derivation. The hinge loss of one record lies in [(1 - x)_+, 1 + x] for x = Lambda r/rho, a range of min(1 + x, 2x),
    and the least mean lies in [0, 1]. The bound is attained for m >= 2: for x <= 1 by m equal records of norm r, one of
    them turned; for 1 <= x <= m - 1 by m - 1 records of norm rho/Lambda, and one of norm r that is turned.

    >>> sensitivity_2_explicit(m=100, ratio=2.0), sensitivity_2_explicit(m=100, ratio=0.5)
    (0.03, 0.01)
    """
    return min(1 + ratio, 2 * ratio, m) / m


@theorem(
    "bms22.lemF.3b.s1",
    says=r"\hat{L}^\rho_{S'}(w')-\hat{L}^\rho_{S''}(w'')\le\hat{L}^\rho_{S'}(w'')-\hat{L}^\rho_{S''}(w'')",
    source=", proof, which writes F_1 for one of the two F_2",
)
def other_minimiser() -> int:
    """The neighbour's minimiser does at least as well on S' as w'.

    So the difference is at most 0.

    The right-hand side less the left-hand side is L_S'(w'') - L_S'(w') >= 0.

    Derivation. The right-hand side less the left-hand side is L_S'(w'') - L_S'(w') >= 0, because w' minimises L_S' over
    the ball, in which w'' lies.
    """
    return 0


@theorem(
    "bms22.lemF.3b.s2",
    says=r"\hat{L}^\rho_{S'}(w)-\hat{L}^\rho_{S''}(w)\le\frac{2}{m\rho}\max_{\|w\|\le\Lambda,\|x\|\le r}|w\cdot x|"
    r"\le\frac{2\Lambda r}{m\rho}",
    needs=HINGE,
)
def lipschitz_step(*, m: int, ratio: float) -> float:
    """Replacing a record moves a vector's hinge loss by at most 2 Lambda r/(m rho).

    The vector w is fixed.

    The hinge loss is 1/rho-Lipschitz in u = y <w, x>, and u moves by at most 2 Lambda r.

    Derivation. The hinge loss is 1/rho-Lipschitz in u = y <w, x>, and u moves by at most 2 Lambda r where a record is
    replaced, so the mean over m records moves by at most 2 Lambda r/(m rho).

    >>> lipschitz_step(m=100, ratio=2.0)
    0.04
    """
    return 2 * ratio / m


@theorem("bms22.lemF.3c", says=r"\Delta_\rho(F_3)=O\left(\frac{\Lambda r}{m\rho}\right)", needs=HINGE)
def sensitivity_3(*, m: int, ratio: float) -> float:
    """Order of the sensitivity of the kernel learner's bound, as printed.

    The kernel has K(x, x) = r^2.

    >>> sensitivity_3(m=100, ratio=2.0)
    0.02
    """
    return ratio / m


@sensitivity_3.explicit(
    says=r"\Delta_\rho(F_3)\le\frac{1}{m}\min\left\{1+\frac{\Lambda r}{\rho},\frac{2\Lambda r}{\rho},m\right\}"
)
def sensitivity_3_explicit(*, m: int, ratio: float) -> float:
    """The sensitivity of the least hinge loss over a ball of an RKHS.

    The kernel learner's bound needs it.

    The bound is that of R^d, with <h, psi(x)> for <w, x> and |psi(x)| = r. It is attained for Lambda r <= rho and m >=
    2 by m equal points, one label changed.

    Derivation. h(x) = <h, psi(x)> with |psi(x)| = r, so the hinge loss of a record lies in [(1 - x)_+, 1 + x], x =
    Lambda r/rho, and the least mean in [0, 1], as in bms22.lemF.3b: one record moves it by at most min(1 + x, 2x, m)/m.

    >>> sensitivity_3_explicit(m=100, ratio=2.0)
    0.03
    """
    return sensitivity_2_explicit(m=m, ratio=ratio)


@theorem("bms22.lemF.3d", says=r"\Delta_\rho(F_4)=O\left(\frac{1+\sqrt{M}}{m}\right)", needs=COVER)
def sensitivity_4(*, m: int, M: float) -> float:
    """Order of the sensitivity of the bound for label privacy, as printed.

    M depends on m, beta and the class, not on the sample.

    >>> sensitivity_4(m=100, M=4.0)
    0.03
    """
    return (1 + sqrt(M)) / m


@sensitivity_4.explicit(says=r"\Delta_\rho(F_4)\le\frac{1+2\sqrt{M}}{m}")
def sensitivity_4_explicit(*, m: int, M: float) -> float:
    """The sensitivity of the bound for label privacy, with its constant.

    Derivation. F_4 = t + 2 sqrt(t M/m) + terms free of S, at most 1/m + 2 sqrt(M)/m from t = 0 to 1/m, and concave in
    t. This is attained where some x and h have |h(x)| > rho. The appendix prints the first minimum over H_NN, the paper
    over H; H is meant.

    >>> sensitivity_4_explicit(m=100, M=4.0)
    0.05
    """
    return (1 + 2 * sqrt(M)) / m


@theorem("bms22.lemF.3e", says=r"\Delta_\rho(F_5)=O\left(\frac{1}{m}\right)", needs=[integer("m")])
def sensitivity_5(*, m: int) -> float:
    """Order of the sensitivity of the bound for networks, as printed.

    F_5 contains no square root of the loss, because its rate is additive.

    >>> sensitivity_5(m=100)
    0.01
    """
    return 1 / m


@sensitivity_5.explicit(says=r"\Delta_\rho(F_5)\le\frac{1}{m}")
def sensitivity_5_explicit(*, m: int) -> float:
    """The sensitivity of the least margin loss, which the bound for networks needs.

    It is 1/m for any class. It is attained where some x and h have |h(x)| > rho, and m >= 2.

    Derivation. The margin loss of one record is 0 or 1, so replacing it moves the loss of every h by at most 1/m; and
    the minima of two functions that differ by at most 1/m differ by at most 1/m.

    >>> sensitivity_5_explicit(m=100)
    0.01
    """
    return 1 / m
