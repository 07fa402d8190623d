"""The proof of Lemma F.1 of Bassily, Mohri & Suresh (2022), link by link, and the text around it.

The proof goes from rho* to the best rho_opt of the interval through a grid point rho^ in [rho_opt/2, rho_opt]. A link
about arbitrary functions is written for a family that contains its extremes: Delta_rho = rho^power, F(rho, t) =
rho^-power + slope t. The text around the lemma is about five bounds, whose rates are in
`lemmata.bounds.bms22.bound_sensitivity`.
"""

from math import inf

import numpy as np

from lemmata.bounds.abgmu22.generalized_exponential import selection_penalty
from lemmata.bounds.bms22 import bound_sensitivity as five
from lemmata.bounds.bms22.margin_selection import PENALTY, grid_size, printed_penalty
from lemmata.bounds.exact.numbers import Array, Real
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

INTERVAL = [integer("m"), require("1 <= m rho^2 and rho <= 1", lambda m, rho: m * rho**2 >= 1 and rho <= 1)]
READING = [
    require('base in ("e", "2")', lambda base: base in ("e", "2")),
    require('rounding in ("ceil", "floor")', lambda rounding: rounding in ("ceil", "floor")),
]


def margins(m: int, h_max: float = 1.0, base: str = "2", rounding: str = "ceil") -> Array:
    """The grid rho_j = 2^-j h_max, j = 1, ..., J, descending as printed.

    >>> margins(16).tolist()
    [0.5, 0.25]
    """
    return h_max * 0.5 ** np.arange(1, grid_size(m, base, rounding) + 1)


@theorem(
    "bms22.lemF.1.s1",
    kind="construction",
    says=r"\rho_{opt}\in[h_{\max}/\sqrt{m},h_{\max}]\ \Rightarrow\ "
    r"\exists\hat{\rho}\in\mathcal{V}:\ \hat{\rho}\le\rho_{opt}<2\hat{\rho}",
    needs=[*INTERVAL, *READING],
)
def grid_point(*, m: int, rho: float, base: str = "e", rounding: str = "ceil") -> float | None:
    """The grid of margins has a point in (rho/2, rho], as printed.

    This is stated for every rho of the interval.

    Margins are in units of h_max. rho = 1 has none in any reading (1 is not on the grid, and 1 < 2 (1/2) is false).
    With the natural logarithm the grid ends at m^(-0.347), far above m^(-1/2).

    >>> grid_point(m=100, rho=0.3), grid_point(m=100, rho=1.0)
    (0.25, None)
    """
    return next((float(v) for v in margins(m, 1.0, base, rounding) if v <= rho < 2 * v), None)


@grid_point.corrected(
    says=r"J=\max\{1,\lceil\frac{1}{2}\log_2 m\rceil\},\ \rho_{opt}\in[h_{\max}/\sqrt{m},h_{\max}]\ "
    r"\Rightarrow\ \exists\hat{\rho}\in\mathcal{V}:\ \frac{\rho_{opt}}{2}\le\hat{\rho}\le\rho_{opt}",
    needs=INTERVAL,
    source=", proof, with logarithms to base 2, rounded up, and <=",
)
def grid_point_corrected(*, m: int, rho: float) -> float | None:
    """The grid of margins has a point in [rho/2, rho].

    The grid is that to base 2, rounded up, and rho is any point of the interval.

    Derivation. For rho < 1 it is the printed one: 4^J >= m puts 2^-J at or below m^(-1/2) <= rho, so the largest grid
    point that is at most rho works. For rho = 1 it is 1/2. At m = 1 the interval is {1} and the printed grid empty (J =
    0); one point, 1/2, serves.

    >>> grid_point_corrected(m=100, rho=1.0), grid_point_corrected(m=100, rho=0.1)
    (0.5, 0.0625)
    """
    return grid_point.theorem.formula(m=m, rho=rho, base="2") if rho < 1 else 0.5


BEST = r"F(\rho^*;g_{\rho^*}(S))\le\min_{\rho\in\mathcal{V}}F(\rho;g_\rho(S))"
NEAR = [
    positive("rho_hat"),
    require("rho_opt/2 <= rho_hat <= rho_opt", lambda rho_hat, rho_opt: rho_opt / 2 <= rho_hat <= rho_opt),
]
LOSSES = require("0 <= loss_hat <= loss_opt", lambda loss_hat, loss_opt: 0 <= loss_hat <= loss_opt)


@theorem(
    "bms22.lemF.1.s2",
    kind="tail",
    says=rf"\Pr\left[{BEST}+\frac{{\Delta_\rho(F)}}{{\varepsilon}}\log\frac{{\log m}}{{\beta}}\right]\ge 1-\beta",
    needs=PENALTY,
    source=", proof, citing Raskhodnikova & Smith 2016, Theorem I.4",
)
def printed_choice(*, sensitivity: float, m: int, epsilon: float, beta: float) -> float:
    """The private choice of a margin loses this much in the bound, as printed.

    The loss is (Delta / epsilon) log(log(m) / beta).

    >>> round(float(printed_choice(sensitivity=0.01, m=100, epsilon=1.0, beta=0.1)), 6)
    0.038298
    """
    return printed_penalty(sensitivity=sensitivity, m=m, epsilon=epsilon, beta=beta)


@printed_choice.corrected(
    says=rf"\Pr\left[{BEST}+\frac{{4\Delta_\rho(F)}}{{\varepsilon}}\log\frac{{J}}{{\beta}}\right]\ge 1-\beta",
    source=", proof, with the constant of abgmu22.thm.gem",
)
def corrected_choice(*, sensitivity: float, m: int, epsilon: float, beta: float) -> float:
    """The private choice of a margin loses this much in the bound, corrected.

    The loss is 4 (Delta / epsilon) log(J / beta).

    The minimum takes both terms: min over the grid of F + 4 Delta log(J/beta) / epsilon.

    >>> round(float(corrected_choice(sensitivity=0.01, m=100, epsilon=1.0, beta=0.1)), 6)
    0.147555
    """
    return selection_penalty(sensitivity=sensitivity, candidates=grid_size(m), epsilon=epsilon, beta=beta)


@theorem(
    "bms22.lemF.1.s3",
    says=r"\Delta_\rho\ \mathrm{non-decreasing},\ \hat{\rho}>\frac{\rho_{opt}}{2}\ \Rightarrow\ "
    r"\Delta_{\hat{\rho}}(F)\le\Delta_{\rho_{opt}/2}(F)",
    needs=[*NEAR, at_least("power", 0)],
)
def half_sensitivity(*, rho_hat: float, rho_opt: float, power: float) -> float:
    """The sensitivity at half the best margin bounds that at the grid point.

    So the proof says.

    Here Delta_rho = rho^power.

    The inequality is true for a non-increasing Delta_rho, and false for a non-decreasing one.

    Derivation. rho^ >= rho_opt/2 and Delta_rho does not increase with rho, so Delta_rho^ <= Delta_{rho_opt/2}, which is
    what non-increasing means; rho^power with power <= 0 is such a function.

    >>> half_sensitivity(rho_hat=0.25, rho_opt=0.25, power=1)
    0.125
    """
    return (rho_opt / 2) ** power


half_sensitivity_corrected = half_sensitivity.corrected(
    says=r"\Delta_\rho\ \mathrm{non-increasing},\ \hat{\rho}\ge\frac{\rho_{opt}}{2}\ \Rightarrow\ "
    r"\Delta_{\hat{\rho}}(F)\le\Delta_{\rho_{opt}/2}(F)",
    needs=[*NEAR, between("power", -inf, 0)],
    source=", proof, with the direction that Lemma F.3's sensitivities have",
)(half_sensitivity.theorem.formula)


@theorem(
    "bms22.lemF.1.s4",
    says=r"F(\hat{\rho};g_{\hat{\rho}}(S))\le F(\hat{\rho};g_{\rho_{opt}}(S))",
    needs=[LOSSES, positive("rho"), at_least("power", 0), between("slope", -inf, inf)],
)
def raised_loss(*, rho: float, loss_hat: float, loss_opt: float, power: float, slope: float) -> float:
    """The bound at a margin does not fall as the empirical loss grows.

    Here F(rho, t) = rho^-power + slope t with any slope.

    The lemma assumes that F(rho, t) is non-increasing in rho for every t. It assumes no monotonicity in t, but F_1 to
    F_5 do not fall as t grows.

    Derivation. g_rho^(S) <= g_rho_opt(S) because rho^ <= rho_opt (bms22.lemF.1.t4), and F(rho, t) does not decrease in
    t, so F(rho^, g_rho^) <= F(rho^, g_rho_opt).

    >>> raised_loss(rho=0.5, loss_hat=0.1, loss_opt=0.2, power=1, slope=1)
    2.2
    """
    return rho**-power + slope * loss_opt


raised_loss_corrected = raised_loss.corrected(
    says=r"F(\rho,t)\ \mathrm{non-decreasing\ in}\ t\ \Rightarrow\ "
    r"F(\hat{\rho};g_{\hat{\rho}}(S))\le F(\hat{\rho};g_{\rho_{opt}}(S))",
    needs=[LOSSES, positive("rho"), at_least("power", 0), at_least("slope", 0)],
    source=", proof, with the missing hypothesis",
)(raised_loss.theorem.formula)


@theorem(
    "bms22.lemF.1.s5",
    says=r"F(\hat{\rho};g_{\rho_{opt}}(S))\le F(\rho_{opt}/2;g_{\rho_{opt}}(S))",
    needs=[*NEAR, at_least("power", 0)],
)
def halved_margin(*, rho_hat: float, rho_opt: float, power: float) -> float:
    """The cost of half the margin in the bound, for one inverse power of it.

    It is the bound at half the margin less the loss.

    Here F(rho, t) = rho^-power + t at one t.

    Needs rho_hat >= rho_opt/2 and that F is non-increasing in rho.

    Derivation. rho^ >= rho_opt/2 and F(rho, t) does not increase in rho, so F(rho^, t) <= F(rho_opt/2, t) at the one t
    = g_rho_opt(S).

    >>> halved_margin(rho_hat=0.5, rho_opt=0.5, power=1)
    4.0
    """
    return (rho_opt / 2) ** -power


@theorem(
    "bms22.lemF.1.s6",
    kind="tail",
    says=r"\Pr\left[R_D(w)\le F(\rho^*;g_{\rho^*}(S))\right]\ge 1-\beta",
    needs=[integer("m"), in_unit_interval("beta")],
    source=", proof, (31)",
)
def printed_confidence(*, m: int, beta: float) -> float:
    """The learner's confidence at each margin is beta, as printed.

    Its promise is then used at the chosen margin.

    But rho* is a function of the sample, and the choice prefers margins whose bound is too small.

    >>> printed_confidence(m=100, beta=0.1)
    0.1
    """
    return beta


@printed_confidence.corrected(
    says=r"\mathcal{A}\ \mathrm{at\ confidence}\ \frac{\beta}{J}\ \Rightarrow\ "
    r"\Pr\left[R_D(w)\le F(\rho^*;g_{\rho^*}(S))\right]\ge 1-\beta",
    source=", proof, with a union bound over the grid",
)
def corrected_confidence(*, m: int, beta: float) -> float:
    """The learner's confidence at each of J margins has to be beta/J.

    Then its promise can be used at the chosen margin.

    Some grid point fails with probability at most J beta/J.

    Derivation. At each rho of the grid the promise fails with probability at most beta/J, so by the union bound over
    its J points it fails at one of them with probability at most J beta/J = beta, and the chosen point is one of them.

    >>> corrected_confidence(m=100, beta=0.1)
    0.025
    """
    return beta / grid_size(m)


LARGE = [positive("h_max"), positive("rho")]


@theorem(
    "bms22.lemF.1.t1",
    kind="rate",
    says=r"h_{\max}>\rho\ \Rightarrow\ F(\rho;g_\rho(S))=\Omega(1)",
    needs=[*LARGE, require("h_max > rho", lambda h_max, rho: h_max > rho), integer("m"), positive("epsilon")],
    source=", first paragraph of Appendix F",
)
def trivial_below(*, h_max: float, rho: float, loss: float, m: int, epsilon: float, beta: float, delta: float) -> float:
    """The efficient learner's bound at short margins, as a function of the loss.

    The text says that it is trivial there.

    It is F_2(rho, t) with 1 for the constant of Theorem 3.2.

    `loss` is t.

    The text calls it trivial for margins below h_max; we read it as a slip for margins above.

    >>> round(trivial_below(h_max=1.0, rho=0.5, loss=0.0, m=10**12, epsilon=1.0, beta=0.1, delta=1e-13), 4)
    0.0002
    """
    return loss + five.rate_2(m=m, ratio=h_max / rho, epsilon=epsilon, beta=beta, delta=delta)


@trivial_below.corrected(
    says=r"\rho\ge h_{\max}\ \Rightarrow\ \min_h\hat{R}^\rho_S(h)=1,\ "
    r"\min_h\hat{L}^\rho_S(h)\ge 1-\frac{h_{\max}}{\rho}",
    kind="inequality",
    needs=[*LARGE, require("rho >= h_max", lambda h_max, rho: rho >= h_max)],
    source=", first paragraph of Appendix F, with the inequality turned round",
)
def trivial_above(*, h_max: Real, rho: Real) -> Real:
    """At margins above h_max the least hinge loss is at least 1 - h_max/rho.

    It bounds F_2 there.

    y h(x) <= h_max <= rho for every record, so the margin loss is 1. The hinge loss is trivial from 2 h_max on, 1/2;
    between h_max and 2 h_max the rest of F, proportional to 1/rho, falls by a factor of at most 2, so only a factor 2
    is lost.

    Derivation. y h(x) <= h_max <= rho for every record and every h, so every margin loss is 1 and every hinge loss at
    least 1 - h_max/rho; so are their means, and the least of these over h.

    >>> trivial_above(h_max=1.0, rho=2.0)
    0.5
    """
    return 1 - h_max / rho


SAMPLE = [integer("m"), positive("epsilon"), in_unit_interval("beta")]


def _along(
    fats: list[float], *, m: int, epsilon: float, beta: float, loss: float, ratios: list[float]
) -> tuple[list[float], ...]:
    """F_1, F_2, F_4, F_5 less the loss, for each Lambda r/rho (r/rho) in `ratios` and each fat_{rho/32} in `fats`."""
    terms = [five.fat_term(m=m, fat=fat, beta=beta) for fat in fats]
    return (
        [five.rate_1(loss=loss, ratio=x, m=m, epsilon=epsilon, beta=beta) for x in ratios],
        [five.rate_2(ratio=x, delta=1 / (2 * m), m=m, epsilon=epsilon, beta=beta) for x in ratios],
        [five.rate_4(loss=loss, M=M, m=m, epsilon=epsilon, beta=beta) for M in terms],
        [five.rate_5(ratio=x, layers=2, width=3, eta_norm=2.0, m=m, epsilon=epsilon, beta=beta) for x in ratios],
    )


@theorem(
    "bms22.lemF.1.t3",
    says=r"F_i(\rho,t)\ \mathrm{is\ non-increasing\ in}\ \rho,\ i=1,\ldots,5",
    needs=SAMPLE,
    source=", first paragraph of Appendix F",
)
def bounds_along(*, m: int, epsilon: float, beta: float, loss: float, ratios: list[float]) -> tuple[list[float], ...]:
    """The bounds F_1, F_2, F_4, F_5 along margins, said to fall as margins grow.

    Constants of O(.) count as 1, delta = 1/(2m), two layers of width 3 with eta Lambda = 2. F_4 is that of linear
    functions in high dimension, fat_{rho/32} = (32 Lambda r/rho)^2: as many orthogonal points are shattered, and no
    more points x_i of norm r are, as signs b_i with |sum b_i x_i| <= r sqrt(n) ask for n rho/32 <= Lambda r sqrt(n).
    Raises ValueError for t > 0 where its M is negative, from 92.4 m on.

    >>> [round(x, 3) for x in bounds_along(m=10**6, epsilon=1.0, beta=0.1, loss=0.1, ratios=[2.0])[1]]
    [0.094]
    """
    return _along([(32 * x) ** 2 for x in ratios], m=m, epsilon=epsilon, beta=beta, loss=loss, ratios=ratios)


@bounds_along.corrected(
    says=r"F_i(\rho,t)\ \mathrm{is\ non-increasing\ in}\ \rho\le\mathrm{h}_{\max}\ \mathrm{and\ non-decreasing\ in}"
    r"\ t,\ i=1,\ldots,5,\quad d=\min\{\mathrm{fat}_{\rho/32}(\mathcal H),34m\}\ \mathrm{in}\ M,"
    r"\ \rho\le r(\eta\Lambda)^L\ \mathrm{in}\ F_5",
    needs=[*SAMPLE, require("rho <= h_max", lambda ratios: min(ratios) >= 1)],
    source=", first paragraph of Appendix F, with at most 34 m for the dimension, and where theta is not negative",
)
def bounds_along_capped(
    *, m: int, epsilon: float, beta: float, loss: float, ratios: list[float]
) -> tuple[list[float], ...]:
    """The learners' bounds fall as the margin grows, with the dimension capped.

    The dimension in F_4 is at most 34 m.

    From a dimension of m to one of 92.3 m F_4 is above 1 anyway.

    Derivation. With x = Lambda r/rho >= 1: x^2 log(x/beta) has derivative x (2 log(x/beta) + 1) > 0; F_2 and F_3 are
    linear in x; fat_{rho/32} does not increase in rho, M rises with d up to d = 34 m, as d log(2 c e m/d) has
    derivative log(2 c m/d), and F_4 rises with M >= 0; F_5 is a product of rising factors while theta >= 0, that is for
    rho <= r (eta Lambda)^L (beyond, sqrt(theta) is undefined: cf. Theorem 5.1). None falls as t grows.
    """
    fats = [min((32 * x) ** 2, 34 * m) for x in ratios]
    return _along(fats, m=m, epsilon=epsilon, beta=beta, loss=loss, ratios=ratios)


@theorem(
    "bms22.lemF.1.t4",
    says=r"\rho\le\rho'\ \Rightarrow\ g_\rho(S)\le g_{\rho'}(S)",
    needs=[positive("rho"), at_least("factor_rho", 1)],
    source=", first paragraph of Appendix F",
)
def larger_margin(*, rho: Real, factor_rho: Real) -> Real:
    """The least margin loss and hinge loss do not fall as the margin grows.

    The minimum is taken over a ball.

    Derivation. Margin loss: 1{u <= rho} is non-decreasing for every h, so the minimum is, over any class. Hinge loss:
    for a misclassified record (1 - u/rho)_+ falls with rho, so no fixed w will do; but L^rho(w) = L^1(w/rho), and w/rho
    ranges over the ball of radius Lambda/rho, which shrinks. That uses a class closed under shrinking: balls in R^d and
    in a RKHS are.

    >>> larger_margin(rho=0.5, factor_rho=2)
    1.0
    """
    return rho * factor_rho


FIVE = [integer("m"), in_unit_interval("beta"), positive("ratio"), require("M >= 0", lambda M: M >= 0)]


@theorem(
    "bms22.lemF.1.t5",
    says=r"\rho\le\rho'\ \Rightarrow\ \Delta_\rho(F_i)\le\Delta_{\rho'}(F_i)",
    needs=FIVE,
    source=", where Delta_rho(F) is a non-decreasing function of rho",
)
def rising_sensitivities(*, m: int, ratio: float, beta: float, M: float) -> tuple[float, ...]:
    """The sensitivities of the five learners' bounds at a given margin.

    They are those of Lemma F.3, with M = M(rho).

    `ratio` is Lambda r/rho.

    They are said to rise with the margin, and fall: F_1 to F_3 rise with Lambda r/rho, F_4 with M, which rises as
    fat_{rho/32} does up to 34 m and falls beyond; F_5 is constant.

    >>> rising_sensitivities(m=100, ratio=2.0, beta=0.5, M=4.0)[1]
    0.03
    """
    return (
        five.sensitivity_1_explicit(m=m, ratio=ratio, beta=beta, constant=1.0),
        five.sensitivity_2_explicit(m=m, ratio=ratio),
        five.sensitivity_3_explicit(m=m, ratio=ratio),
        five.sensitivity_4_explicit(m=m, M=M),
        five.sensitivity_5_explicit(m=m),
    )


falling_sensitivities = rising_sensitivities.corrected(
    says=r"\rho\le\rho'\ \Rightarrow\ \Delta_\rho(F_i)\ge\Delta_{\rho'}(F_i)\quad"
    r"(d=\min\{\mathrm{fat}_{\rho/32}(\mathcal H),34m\}\ \mathrm{in}\ M)",
    source=", with the direction its proof uses, and at most 34 m for the dimension",
)(rising_sensitivities.theorem.formula)
