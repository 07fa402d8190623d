"""Label privacy: Bassily, Mohri & Suresh (2022), Algorithm 4, Theorem 6.1 and its proof.

The appendix numbers them Algorithm 5 and Theorem E.1. Features are public. Every hypothesis is truncated to
[-rho, rho], a smallest cover of the truncated predictions on the sample at distance rho/2 in the largest norm is
computed from the features alone, and the exponential mechanism picks a member of the cover by its rho/2-margin loss.

    R_D(h_priv) <= min R_S^rho + 2 sqrt(min R_S^rho M/m) + 2M/m + 64 M log(2/beta)/(epsilon m),
    M = 1 + d log2(2 c^2 m) log2(2 c e m / d) + log(2/beta),   c = 17,   d = fat_{rho/32}(H).

Truncation makes ties. If y h(x) > rho then y h_rho(x) = rho exactly, and a member of a closed cover may have the value
rho/2 there: its rho/2-margin loss counts an error. So the smallest loss over a closed cover can be 1 where that of H is
0, and the theorem fails; with distances strictly below rho/2 everything holds.
"""

from math import log, sqrt
from typing import Any

from flint import arb

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.margin_deviation import (
    BARTLETT,
    UP_TO_M,
    margin_complexity,
    margin_deviation_derived,
    square_of_sum,
)
from lemmata.bounds.exact import numbers
from lemmata.bounds.exact.numbers import Number, Real
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive, theorem

SOURCE = f"{BMS22}, Appendix E, proof of Theorem 6.1 (E.1)"
SAMPLE = [integer("m"), integer("d"), in_unit_interval("beta")]
NEEDS = [*SAMPLE, positive("epsilon"), between("margin_loss", 0, 1)]
M = r"M=1+d\log_2(2c^2m)\log_2\frac{2cem}d+\log\frac2\beta,\ c=17,\ d=\mathrm{fat}_{\rho/32}(\mathcal H)"
BOUND = (
    r"\Pr\left[R_{\mathcal D}(h^{\mathrm{priv}})\le\min_h\hat R^\rho_S(h)+2\sqrt{\min_h\hat R^\rho_S(h)}"
    r"\sqrt{\frac Mm}+\frac{2M}m+\frac{64M\log(2/\beta)}{\varepsilon m}\right]\ge1-\beta,\quad " + M
)
OPEN = r",\ \mathrm{distances\ of\ the\ cover\ below}\ \frac\rho2,\ d\le m"

# Theorem 6.1 ----------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm6.1",
    part="privacy",
    kind="privacy",
    says=r"\mathcal A_{\mathrm{LabMarg}}\ \mathrm{is}\ \varepsilon\mathrm{-label\ differentially\ private}",
    needs=[positive("epsilon")],
)
def label_epsilon(*, epsilon: float) -> float:
    """The epsilon that Algorithm 4 spends when one label changes.

    Derivation. The cover is a function of the features, which neighbours share, so fix it. The score of a member is
    minus a mean of m indicators, one a label: changing a label moves it by at most 1/m, and by exactly 1/m where the
    member's margin at that point exceeds rho/2 for one of the two labels. The exponential mechanism with sensitivity
    1/m is epsilon-DP (bms22.thm3.1.em-privacy). No smaller epsilon is enough: two hypotheses that disagree everywhere
    reach a log-ratio that tends to epsilon as m grows. For datasets that differ in a whole record there is no
    guarantee: the cover depends on the features, so it may differ.

    >>> label_epsilon(epsilon=0.5)
    0.5
    """
    return epsilon


def complexity(*, m: Number, d: Number, beta: Number) -> Any:
    """M / m at confidence beta/2: that of Lemma A.2 at the margin rho/2, whose d is fat_{rho/32}."""
    return margin_complexity(m, d, beta / 2)


@theorem("bms22.thm6.1", part="tail", kind="tail", says=BOUND, needs=NEEDS)
def label_bound(*, m: int, d: int, epsilon: float, beta: float, margin_loss: float) -> float:
    """The risk of Algorithm 4's release, as printed for every smallest cover.

    It is printed for every epsilon and every d.

    `margin_loss` is the smallest empirical rho-margin loss over H.

    >>> round(float(label_bound(m=10**6, d=1, epsilon=1.0, beta=0.1, margin_loss=0.0)), 3)
    0.15
    """
    part = complexity(m=m, d=d, beta=beta)
    return square_of_sum(margin_loss, part) + part + 64 * part * log(2 / beta) / epsilon


@label_bound.corrected(
    says=BOUND + OPEN,
    needs=[*NEEDS, UP_TO_M],
    source=f", with open balls and the hypothesis of the covering number bound ({BARTLETT})",
)
def label_bound_open(*, m: int, d: int, epsilon: float, beta: float, margin_loss: float) -> float:
    """The risk of Algorithm 4's release, corrected: for open covers.

    Distances are strictly below rho/2, and d <= m.

    Derivation. With probability at least 1 - beta/2 each, the selection loses at most Delta = 32 M log(2/beta)/(epsilon
    m) on the rho-margin loss R* (bms22.thm6.1.s4), and bms22.lemA.2/corrected at margin rho/2 gives R <= r + 2 sqrt(r
    M/m) + M/m at r = R* + Delta, which is at most R* + 2 sqrt(R* M/m) + 2M/m + 2 Delta (bms22.thm6.1.s5).
    """
    return label_bound(m=m, d=d, epsilon=epsilon, beta=beta, margin_loss=margin_loss)


@label_bound.explicit(
    says=r"\Pr\left[R_{\mathcal D}(h^{\mathrm{priv}})\le r+2\sqrt{rQ}+Q\right]\ge1-\beta,\quad "
    r"r=\min_h\hat R^\rho_S(h)+\frac{2(\log N+\log(2/\beta))}{\varepsilon m},\ \log N=\log2\left(1+d\log_2(2c^2m)"
    r"\log_2\frac{2cem}d\right),\ Q=\frac{\log N+\log(6m^3/\beta)}m" + OPEN,
    needs=[*NEEDS, UP_TO_M],
    source=f"{SOURCE}; our constants, derived from {BARTLETT}",
)
def label_bound_derived(*, m: int, d: int, epsilon: float, beta: float, margin_loss: float) -> float:
    """The risk of Algorithm 4's release by the usual arguments, for every epsilon.

    Derivation. With probability at least 1 - beta/2 the selection loses at most `selection_loss_derived`
    (bms22.thm3.1.em-accuracy), and with probability at least 1 - beta/2 the deviation at margin rho/2 is that of
    bms22.lemA.2/explicit, for all members of H_rho at once. A member of an open cover near h_rho, h the best
    hypothesis, has rho/2-margin loss at most R_S^rho(h) (bms22.thm6.1.s2).

    >>> round(float(label_bound_derived(m=10**4, d=1, epsilon=1.0, beta=0.1, margin_loss=0.0)), 3)
    0.189
    """
    empirical = margin_loss + selection_loss_derived(m=m, d=d, epsilon=epsilon, beta=beta)
    return margin_deviation_derived.theorem.formula(m=m, d=d, beta=beta / 2, empirical=empirical)


def informative_from(bound: Any, **setting: Any) -> int:
    """The smallest m at which `bound` is below 1; beyond it the bound stays below 1.

    >>> informative_from(label_bound_derived, d=1, epsilon=1.0, beta=0.1, margin_loss=0.0)
    1427
    """
    return numbers.least_integer(lambda m: bound(m=m, **setting) < 1, 2 * setting["d"])


# The proof of Theorem 6.1 ---------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm6.1.s0",
    says=r"m<\frac{64M\log(2/\beta)}\varepsilon\ \Rightarrow\ \mathrm{the\ bound\ follows\ trivially}",
    needs=[*SAMPLE, positive("epsilon")],
    source=SOURCE + ", second paragraph",
)
def small_sample(*, m: int, d: int, epsilon: float, beta: float) -> float:
    """The sample size below which the label-private bound is trivial.

    The bound is at least 1 there.

    Derivation. The last term of the bound is 64 M log(2/beta)/(epsilon m), and m < 64 M log(2/beta)/epsilon says that
    it is more than 1, which no risk exceeds; the other terms are not negative.
    """
    return 64 * m * complexity(m=m, d=d, beta=beta) * log(2 / beta) / epsilon


@theorem(
    "bms22.thm6.1.s1",
    part="near",
    says=r"\forall h\in\mathcal H\ \exists g\in\hat{\mathcal H}_\rho\ \forall x\in x_1^m:\ |g(x)-h(x)|\le\frac\rho2",
    needs=[positive("rho")],
    source=SOURCE,
)
def distance_to_the_cover(*, rho: Real) -> Real:
    """A hypothesis is within rho/2 of its nearest member of the cover, as printed."""
    return rho / 2


@distance_to_the_cover.corrected(
    says=r"\forall h\in\mathcal H\ \exists g\in\hat{\mathcal H}_\rho\ \forall x\in x_1^m:\ "
    r"|g(x)-h_\rho(x)|<\frac\rho2",
    source=", for the truncated hypothesis and open balls",
)
def distance_to_an_open_cover(*, rho: Real) -> Real:
    """A truncated hypothesis is strictly within rho/2 of a member of the cover.

    It is truncated at rho, and the member is the nearest one.

    Covers of H_rho are near truncated hypotheses, and h may be far beyond rho.

    Derivation. This is what a cover of H_rho by open balls of radius rho/2 in the largest distance on x_1, ..., x_m is:
    every h_rho has a member g with max_i |g(x_i) - h_rho(x_i)| < rho/2.
    """
    return rho / 2


@theorem(
    "bms22.thm6.1.s1",
    part="implied",
    says=r"|g(x)-h(x)|\le\frac\rho2\ \Rightarrow\ 1_{yg(x)\le\rho/2}\le1_{yh(x)\le\rho}",
    needs=[positive("rho")],
    source=SOURCE,
)
def implied_loss(*, margin: Real, rho: Real) -> int:
    """The rho-margin loss of h is at least the rho/2-margin loss of a near g.

    g is within rho/2 of h.

    `margin` is y h(x).

    If y h(x) > rho then y g(x) > rho/2. The step is true; its premise fails for |h(x)| > rho.

    Derivation. If the right side is 0, then y h(x) > rho, and |g(x) - h(x)| <= rho/2 gives y g(x) >= y h(x) - rho/2 >
    rho/2, so the left side is 0 too; where the right side is 1 there is nothing to show.
    """
    return int(margin <= rho)


@implied_loss.corrected(
    says=r"|g(x)-h_\rho(x)|<\frac\rho2\ \Rightarrow\ 1_{yg(x)\le\rho/2}\le1_{yh(x)\le\rho}",
    source=", for the truncated hypothesis and open balls",
)
def implied_loss_open(*, margin: Real, rho: Real) -> int:
    """The rho-margin loss of h is at least the rho/2-margin loss near h truncated.

    This is the loss of every g strictly within rho/2 of h truncated.

    From the premise that covers give: if y h(x) > rho then y h_rho(x) = rho, and y g(x) > rho - rho/2.
    """
    return int(margin <= rho)


@theorem(
    "bms22.thm6.1.s2",
    says=r"\min_{h\in\hat{\mathcal H}_\rho}\hat R^{\rho/2}_S(h)\le\hat R^\rho_S(h^*_S)",
    needs=[between("margin_loss", 0, 1)],
    source=SOURCE + ", equation (27)",
)
def least_loss_of_the_cover(*, margin_loss: Real) -> Real:
    """The least rho/2-margin loss over a cover is at most the loss of h, as printed.

    The cover is a smallest one, and the loss of h is at margin rho, for every h.
    """
    return margin_loss


@least_loss_of_the_cover.corrected(
    says=r"\min_{h\in\hat{\mathcal H}_\rho}\hat R^{\rho/2}_S(h)\le\hat R^\rho_S(h^*_S)"
    r"\quad(\mathrm{distances\ of\ the\ cover\ below\ }\rho/2)",
    source=", equation (27), for open balls",
)
def least_loss_of_an_open_cover(*, margin_loss: Real) -> Real:
    """The loss over an open cover at rho/2 is at most the loss over H at rho.

    These are the smallest margin losses, at the margins rho/2 and rho.
    """
    return margin_loss


@theorem(
    "bms22.thm6.1.s3",
    says=r"\log\max_{x_1^m}\mathcal N_\infty\left(\mathcal H_\rho,\frac\rho2,x_1^m\right)\le"
    r"1+d'\log_2(2c^2m)\log_2\frac{2cem}{d'},\quad d'=\mathrm{fat}_{\rho/32}(\mathcal H_\rho),\ c=17",
    needs=[integer("m"), integer("d")],
    source=SOURCE + ", cited from Bartlett 1998",
)
def log_cover_size(*, m: Number, d: Number) -> Any:
    """The logarithm of the size of a smallest cover, as printed for every d.

    >>> round(float(log_cover_size(m=1000, d=1)), 1)
    316.7
    """
    return m * margin_complexity(m, d, 1)


@log_cover_size.corrected(
    says=r"\log_2\max_{x_1^m}\mathcal N_\infty\left(\mathcal H_\rho,\frac\rho2,x_1^m\right)\le"
    r"1+d\log_2(2c^2m)\log_2\frac{2cem}d,\quad d=\mathrm{fat}_{\rho/32}(\mathcal H)\le m",
    needs=[integer("m"), integer("d"), UP_TO_M],
    source=f", from {BARTLETT}",
)
def log_cover_size_derived(*, m: Number, d: Number) -> Any:
    """The natural logarithm of the size of a smallest cover, for d <= m.

    It is log 2 times the printed number.

    Derivation. Cut [-rho, rho] into 17 levels, rho/8 apart. Alon et al. (1997) give, on n points and b levels, covers
    of at most 2 (n b^2)^(d log2(e n b/d)) functions at distance two levels, rho/4 and less than rho/2. Printed are n =
    2m points (cf. Lemma A.2, which needs them); on the m points of the sample a little less is enough.
    """
    return (arb(2).log() if isinstance(m, arb) else log(2)) * log_cover_size(m=m, d=d)


@theorem(
    "bms22.thm6.1.s4",
    part="selection",
    kind="tail",
    says=r"\Pr\left[\hat R^{\rho/2}_S(h^{\mathrm{priv}})\le\min_{h\in\hat{\mathcal H}_\rho}\hat R^\rho_S(h)"
    r"+\frac{32M\log(2/\beta)}{\varepsilon m}\right]\ge1-\frac\beta2",
    needs=[*SAMPLE, positive("epsilon")],
    source=SOURCE + ", equation (28), first line",
)
def selection_loss(*, m: int, d: int, epsilon: float, beta: float) -> float:
    """The loss of the private selection from the cover, as printed for every d.

    It is 32 M log(2/beta)/(epsilon m).

    This is at least 11 times the necessary loss. But M is negative beyond d = 92.4 m, and no selection is better than
    the best member.

    >>> round(float(selection_loss(m=10**6, d=1, epsilon=1.0, beta=0.1)), 4)
    0.0742
    """
    return 32 * complexity(m=m, d=d, beta=beta) * log(2 / beta) / epsilon


selection_loss_up_to_m = selection_loss.corrected(
    says=r"\Pr\left[\hat{R}^{\rho/2}_S(h^{\mathrm{priv}})\le\min_{h\in\hat{\mathcal H}_\rho}\hat{R}^{\rho/2}_S(h)"
    r"+\frac{32M\log(2/\beta)}{\varepsilon m}\right]\ge1-\frac\beta2,\quad d\le m",
    needs=[*SAMPLE, positive("epsilon"), UP_TO_M],
    source=SOURCE + ", equation (28), first line, for d <= m and with the loss that the mechanism scores",
)(selection_loss.theorem.formula)


@selection_loss.explicit(
    says=r"\Pr\left[\hat R^{\rho/2}_S(h^{\mathrm{priv}})\le\min_{h\in\hat{\mathcal H}_\rho}\hat R^{\rho/2}_S(h)"
    r"+\frac{2(\log N+\log(2/\beta))}{\varepsilon m}\right]\ge1-\frac\beta2",
    needs=[*SAMPLE, positive("epsilon"), UP_TO_M],
    source=SOURCE + ", equation (28), first line; our constants",
)
def selection_loss_derived(*, m: int, d: int, epsilon: float, beta: float) -> float:
    """Selection from N members loses at most 2 (log N + log(2/beta))/(epsilon m).

    Derivation. Scores are means of m indicators and have sensitivity 1/m, so the exponential mechanism on N members
    loses at most 2 (log N + log(2/beta))/(epsilon m) with probability 1 - beta/2 (bms22.thm3.1.em-accuracy, explicit);
    N is at most the size of the cover (s3, corrected).

    >>> round(float(selection_loss_derived(m=10**4, d=1, epsilon=1.0, beta=0.1)), 4)
    0.0625
    """
    return 2 * (log_cover_size_derived.theorem.formula(m=m, d=d) + log(2) - log(beta)) / (epsilon * m)


@theorem(
    "bms22.thm6.1.s4",
    part="second",
    says=r"\min_{h\in\hat{\mathcal H}_\rho}\hat R^\rho_S(h)\le\hat R^\rho_S(h^*_S)",
    needs=[between("margin_loss", 0, 1)],
    source=SOURCE + ", equation (28), second line",
)
def least_margin_loss_of_the_cover(*, margin_loss: Real) -> Real:
    """The smallest rho-margin loss over the cover is at most that over H, as printed.

    Truncated functions have loss 1.
    """
    return margin_loss


@least_margin_loss_of_the_cover.corrected(
    says=r"\min_{h\in\hat{\mathcal H}_\rho}\hat R^{\rho/2}_S(h)\le\hat R^\rho_S(h^*_S)",
    source=", equation (28), second line, with rho/2 for rho on the left and open balls",
)
def least_half_margin_loss(*, margin_loss: Real) -> Real:
    """The loss over the cover at rho/2 is at most the loss over H at rho.

    These are the smallest margin losses, and the mechanism scores the former.

    This is equation (27) again.
    """
    return least_margin_loss_of_the_cover.theorem.formula(margin_loss=margin_loss)


@theorem(
    "bms22.thm6.1.s5",
    part="final",
    says=r"R\le r+2\sqrt{r\mu}+\mu,\ r\le R^*+\Delta\ \Rightarrow\ R\le R^*+2\sqrt{R^*\mu}+2\mu+2\Delta",
    needs=[between("margin_loss", 0, 1), at_least("loss", 0), at_least("part", 0)],
    source=SOURCE + ", (28) and (29) combined; mu = M/m",
)
def final_line(*, margin_loss: float, loss: float, part: float) -> float:
    """The last line of the proof: a risk of R* + 2 sqrt(R* mu) + 2 mu + 2 Delta.

    `loss` is Delta, `part` is mu.

    sqrt(R* + Delta) <= sqrt(R*) + sqrt(Delta), and 2 sqrt(Delta mu) <= Delta + mu, with equality at Delta = mu and
    R* = 0.

    >>> round(float(final_line(margin_loss=0.0, loss=0.1, part=0.1)), 3)
    0.4
    """
    return margin_loss + 2 * numbers.sqrt(margin_loss * part) + 2 * part + 2 * loss


@theorem(
    "bms22.thm6.1.s5",
    part="argmin",
    kind="identity",
    says=r"\mathrm{arg}\min_h\hat R^\rho_S(h)=\mathrm{arg}\min_h\left\{\hat R^\rho_S(h)"
    r"+2\sqrt{\hat R^\rho_S(h)}\,\frac Mm\right\}",
    needs=[at_least("loss", 0), at_least("part", 0)],
    source=SOURCE + ", last sentence",
)
def objective(*, loss: float, part: float) -> float:
    """The bound t + 2 sqrt(t) M/m is strictly increasing in the margin loss t.

    h* minimises it.

    The root of M/m is lost in print, to no effect.

    Derivation. t + 2 sqrt(t) c is strictly increasing in t >= 0 for every c >= 0, so it is least exactly where t = R^
    is least, and both sides have the same minimisers.
    """
    return loss + 2 * numbers.sqrt(loss) * part


# The sentence after the theorem ---------------------------------------------------------------------------------------


@theorem(
    "bms22.thm6.1.free",
    kind="rate",
    says=r"\varepsilon>1:\quad\frac{2M}m+\frac{64M\log(2/\beta)}{\varepsilon m}=O\left(\frac{2M}m\right)",
    needs=[*SAMPLE, between("margin_loss", 0, 1)],
    source=f"{BMS22}, Section 6, after Theorem 6.1: up to constants privacy for epsilon > 1 is always for free",
)
def bound_without_privacy(*, m: int, d: int, beta: float, margin_loss: float) -> float:
    """The printed bound without its private term.

    The paper says that the private term is as large up to a constant.

    >>> round(float(bound_without_privacy(m=10**6, d=1, beta=0.1, margin_loss=0.0)), 5)
    0.00155
    """
    part = complexity(m=m, d=d, beta=beta)
    return square_of_sum(margin_loss, part) + part


@bound_without_privacy.corrected(
    says=r"\varepsilon\ge1:\quad r+2\sqrt{rQ}+Q\le(1+\sqrt2)^2\left(\hat R+2\sqrt{\hat RQ}+Q\right)",
    needs=[*SAMPLE, between("margin_loss", 0, 1), UP_TO_M],
    source=f"{BMS22}, Section 6, after Theorem 6.1, for the explicit bound",
)
def derived_without_privacy(*, m: int, d: int, beta: float, margin_loss: float) -> float:
    """Privacy at epsilon >= 1 costs at most a factor of (1 + sqrt 2)^2.

    The comparison is with a selection that costs nothing.

    Derivation: r <= R + 2 Q/epsilon, since Q m >= log N + log(2/beta); the root sqrt(r) + sqrt(Q) at r = R + 2 Q over
    the same at R is largest at R = 0, where it is sqrt(2) + 1.
    """
    free = margin_deviation_derived.theorem.formula(m=m, d=d, beta=beta / 2, empirical=margin_loss)
    return (1 + sqrt(2)) ** 2 * free
