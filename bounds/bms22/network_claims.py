"""Claims D.2 to D.5 of Bassily, Mohri & Suresh (2022): embedded networks, a cover of them, selection, generalization.

D.2: random signs keep the best network up to rho/2 on the sample. D.3: some member of a gamma-cover of the weights is
as near to the embedded one. D.4: the exponential mechanism finds a member that errs little more. D.5: its risk is near
its errors. Printed and corrected formulas are those of `network`; the steps are in `network_claims_proof`.
"""

from __future__ import annotations

from math import ceil, expm1, log, log1p, sqrt
from typing import Any

from bounds.bms22.matrix_projection import deviations
from bounds.bms22.network_proof import slope_at_zero
from bounds.bms22.pure_learner import class_complexity, selection_error
from bounds.exact.numbers import Real
from bounds.papers import BMS22
from bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

SHAPE = [positive("norm_bound"), positive("radius"), positive("rho"), positive("eta"), integer("layers")]
SAMPLE = [integer("m"), in_unit_interval("beta"), *SHAPE]
WIDE = [*SAMPLE, integer("width")]
NEEDS = [*WIDE, positive("epsilon")]
STEEP = at_least("eta", 0.5)
BELOW = require(
    "rho <= radius (eta norm_bound)^layers / 2",
    lambda rho, radius, eta, norm_bound, layers: 2 * rho <= radius * (eta * norm_bound) ** layers,
)
NOT_NEAR_ONE = require("beta <= 1/2", lambda beta: beta <= 0.5)
REPAIRED = [STEEP, BELOW, NOT_NEAR_ONE]
WHERE = r"\eta\ge\frac12,\ \rho\le\frac{r(\eta\Lambda)^L}2,\ \beta\le\frac12:\quad "


def largest_output(*, norm_bound: Any, radius: Any, eta: Any, layers: int) -> Any:
    """H = r Lambda (eta Lambda/4)^{L-1}, at least |h(x)|: at rho >= H every margin loss is 1."""
    return radius * norm_bound * (slope_at_zero.theorem.formula(eta=eta) * norm_bound) ** (layers - 1)


def printed_scale(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """r (2 eta Lambda)^L/rho."""
    return radius * (2 * eta * norm_bound) ** layers / rho


def printed_logarithm(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """log(r (eta Lambda)^L/rho), negative for rho beyond r (eta Lambda)^L."""
    return log(radius) - log(rho) + layers * (log(eta) + log(norm_bound))


def sample_logarithm(*, m: int, beta: float, layers: int) -> float:
    """log(Lm/beta)."""
    return log(layers) + log(m) - log(beta)


# Claim D.2: the embedded network --------------------------------------------------------------------------------------


@theorem(
    "bms22.clmD.2",
    part="rows",
    kind="construction",
    says=r"\exists k=O\left(\frac{r^2(2\eta\Lambda)^{2L}\log(Lm/\beta)}{\rho^2}\right):\ "
    r"\Pr\left[h_*^\Phi\in\mathcal H^\Phi_{\mathrm{NN}^{2\Lambda}},\ "
    r"\hat R^{0.5\rho}_S(h_*^\Phi)\le\hat R^\rho_S(h_*)\right]\ge1-\frac\beta4",
    needs=SAMPLE,
)
def printed_rows(
    *, m: int, beta: float, norm_bound: float, radius: float, rho: float, eta: float, layers: int
) -> float:
    """What stands inside k = O(.): r^2 (2 eta Lambda)^{2L} log(Lm/beta)/rho^2.

    >>> round(printed_rows(m=100, beta=0.1, norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=2), 1)
    486.5
    """
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    return printed_scale(**shape) ** 2 * sample_logarithm(m=m, beta=beta, layers=layers)


ROWS = 277.0  # C of the corrected reading


@printed_rows.corrected(
    says=WHERE + r"k=\left\lceil\,277\,\frac{r^2(2\eta\Lambda)^{2L}\log(Lm/\beta)}{\rho^2}\right\rceil"
    r"\ \mathrm{is\ enough}",
    needs=[*SAMPLE, *REPAIRED],
    source=", with three hypotheses",
)
def rows_below_the_end(
    *, m: int, beta: float, norm_bound: float, radius: float, rho: float, eta: float, layers: int
) -> float:
    """The same number for eta >= 1/2, rho <= r (eta Lambda)^L/2 and beta <= 1/2: explicit rows <= 277 times it.

    Write Q = r (eta Lambda)^L/rho >= 2, y = Lm/beta >= 2, t the logarithm of the explicit rows: t <= log(20 y) <= 5.33
    log y. One layer: tau = eta/(2Q) (or 1/2, if that is less) and k <= t (sqrt(12 + 16 tau) + sqrt 12)^2/(4 tau^2) + 1,
    in units of 4 Q^2 log y at most 276.4, attained at eta = 1/2, Q = 2, y = 2. L layers: at most 565 L^2 64^{1-L}, or
    140 L^2 4^{-L} where rho >= H: below 36.
    """
    sizes: dict[str, Any] = dict(m=m, beta=beta, norm_bound=norm_bound, radius=radius)
    return printed_rows(**sizes, rho=rho, eta=eta, layers=layers)


def distortion_allowed(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """tau with (1 + tau)^L - 1 = min(1, rho/H)/2, at most 1/2."""
    H = largest_output(norm_bound=norm_bound, radius=radius, eta=eta, layers=layers)
    return expm1(log1p(min(1.0, rho / H) / 2) / layers)


@printed_rows.explicit(
    says=r"k=\left\lceil t\left(\frac{\sqrt{12+16\tau}+\sqrt{12}}{2\tau}\right)^2\right\rceil,\ "
    r"t=\log\frac{4L(4m+1)}\beta,\ (1+\tau)^L=1+\frac12\min\left(1,\frac\rho H\right):\ "
    r"\Pr\left[h_*^\Phi\in\mathcal H^\Phi_{\mathrm{NN}^{2\Lambda}},\ |h_*-h_*^\Phi|\le\frac\rho2\right]"
    r"\ge1-\frac\beta4\ (\rho<H)",
    source=f"{BMS22}, Claim D.2; our constants",
)
def embedding_rows(
    *, m: int, beta: float, norm_bound: float, radius: float, rho: float, eta: float, layers: int
) -> int:
    """Rows k at which the embeddings keep every output of the best network up to rho/2.

    Lemma D.1 (explicit) at confidence beta/(4L) for each layer: its weights, and 2m vectors. The product's deviation
    sqrt(12 t/k) + 4t/k is at most tau for t/k <= x^2, 4 x^2 + sqrt(12) x = tau.

    >>> embedding_rows(m=10**6, beta=0.1, norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=1)
    4210
    """
    tau = distortion_allowed(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    t = log(4 * layers) + log(4 * m + 1) - log(beta)
    return ceil(t * ((sqrt(12 + 16 * tau) + sqrt(12)) / (2 * tau)) ** 2)


@theorem(
    "bms22.clmD.2",
    part="distance",
    kind="tail",
    says=r"\Pr\left[\forall i:\ |h_*(x_i)-h_*^\Phi(x_i)|=O\left(r(2\eta\Lambda)^L\sqrt{\frac{\log(Lm/\beta)}k}\right)"
    r"\right]\ge1-\frac\beta4",
    needs=[*SAMPLE, positive("k")],
)
def printed_distance(
    *, m: int, beta: float, norm_bound: float, radius: float, rho: float, eta: float, layers: int, k: float
) -> float:
    """How far the embedded network is from the best one: what stands inside O(.). The margin rho does not appear."""
    scale = printed_scale(norm_bound=norm_bound, radius=radius, rho=1.0, eta=eta, layers=layers)
    return scale * sqrt(sample_logarithm(m=m, beta=beta, layers=layers) / k)


DISTANCE = 8.32  # C of the corrected reading


@printed_distance.corrected(
    says=WHERE + r"\Pr\left[\forall i:\ |h_*(x_i)-h_*^\Phi(x_i)|\le8.32\,r(2\eta\Lambda)^L\sqrt{\frac{\log(Lm/\beta)}k}"
    r"\right]\ge1-\frac\beta4\ \mathrm{at\ the\ explicit}\ k\ \mathrm{and\ beyond}",
    needs=[*SAMPLE, positive("k"), *REPAIRED],
    source=", with three hypotheses",
)
def distance_below_the_end(
    *, m: int, beta: float, norm_bound: float, radius: float, rho: float, eta: float, layers: int, k: float
) -> float:
    """The same distance for eta >= 1/2, rho <= r (eta Lambda)^L/2, beta <= 1/2 and at least the explicit rows.

    With t <= 5.33 log(Lm/beta) and tau/sqrt(t/k) = sqrt(12) + 4 sqrt(t/k) <= (sqrt(12) + sqrt(12 + 16 tau))/2 at those
    rows: for one layer H tau is at most (sqrt(12) + sqrt(12 + 4 eta)) 2.31/(4 eta) <= 8.32 times r 2 eta Lambda
    sqrt(log(Lm/beta)/k), and for L, with (1 + tau)^L - 1 <= (3/2) L tau
    and H = r (2 eta Lambda)^L 8^{1-L}/(2 eta), less.
    """
    sizes: dict[str, Any] = dict(m=m, beta=beta, norm_bound=norm_bound, radius=radius)
    return DISTANCE * printed_distance(**sizes, rho=rho, eta=eta, layers=layers, k=k)


@printed_distance.explicit(
    says=r"\Pr\left[\forall i:\ |h_*(x_i)-h_*^\Phi(x_i)|\le H\left((1+\tau)^L-1\right)\right]\ge1-\frac\beta4,\ "
    r"\tau=\sqrt{\frac{12t}k}+\frac{4t}k,\ t=\log\frac{4L(4m+1)}\beta",
    needs=[*[need for need in SAMPLE if need.names != ("rho",)], positive("k")],
    source=f"{BMS22}, Claim D.2; our constants",
)
def embedding_distance(
    *, m: int, beta: float, norm_bound: float, radius: float, eta: float, layers: int, k: float
) -> float:
    """How far the embedded network is from the best one: H ((1 + tau)^L - 1), for every k.

    Gamma_1 <= tau Lambda r and Gamma_j <= tau r (eta/4)^{j-1} Lambda^j + (1 + tau) (eta Lambda/4) Gamma_{j-1}, where
    tau is the deviation of products in Lemma D.1: a geometric sum of ratio 1 + tau.
    """
    _, tau = deviations.theorem.formula(m=2 * m, k=k, beta=beta / (4 * layers))
    H = largest_output(norm_bound=norm_bound, radius=radius, eta=eta, layers=layers)
    return H * expm1(layers * log1p(tau))


# Claim D.3: the cover -------------------------------------------------------------------------------------------------


@theorem(
    "bms22.clmD.3",
    kind="tail",
    says=r"\gamma=\frac\rho{10r(4\eta\Lambda)^{L-1}}:\ \Pr\left[\forall i:\ |\tilde h(x_i)-h_*^\Phi(x_i)|<\frac\rho2"
    r"\right]\ge1-\frac\beta4,\ \mathrm{so}\ \hat R_S(\hat h^\Phi)\le\hat R^{0.5\rho}_S(h_*^\Phi)",
    needs=SHAPE,
)
def distance_to_the_cover(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """How far the nearest network of the cover is from the embedded one at most: rho/2."""
    return rho / 2


def printed_resolution(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """gamma of Appendix D: rho/(10 r (4 eta Lambda)^{L-1}), for all weights together.

    >>> printed_resolution(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=2)
    0.0125
    """
    return rho / (10 * radius * (4 * eta * norm_bound) ** (layers - 1))


@distance_to_the_cover.explicit(
    says=r"\gamma=\frac\rho{\sqrt{6L}\,r(\eta\Lambda/2)^{L-1}}:\ "
    r"\Pr\left[\forall i:\ |\tilde h(x_i)-h_*^\Phi(x_i)|\le\frac\rho2\right]\ge1-\frac\beta4"
    r"\ \mathrm{at\ the\ explicit}\ k",
    source=f"{BMS22}, Claim D.3; our constants, a product of covers of the layers at gamma/sqrt(L)",
)
def cover_resolution(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """gamma at which a network of the cover is within rho/2 of the embedded one.

    Layer j is within gamma_j = gamma/sqrt(L). With norms of vectors enlarged by at most kappa, Delta_L <= kappa^L r
    (eta Lambda/2)^{L-1} (gamma_1 + ... + gamma_L), and kappa^L <= (1 + tau)^{L/2} <= sqrt(3/2).

    >>> round(cover_resolution(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=2), 4)
    0.2887
    """
    return rho / (sqrt(6 * layers) * radius * (eta * norm_bound / 2) ** (layers - 1))


# Claims D.4 and D.5: selection and generalization ---------------------------------------------------------------------


@theorem(
    "bms22.clmD.4",
    kind="tail",
    says=r"\Pr\left[\hat R_S(h^{\mathrm{Priv}})\le\hat R_S(\hat h^\Phi)+O\left(\frac{r^2(2\eta\Lambda)^{2L}N"
    r"\log(Lm/\beta)\log(r(4\eta\Lambda)^L/\rho)}{\rho^2\varepsilon m}\right)\right]\ge1-\frac\beta4",
    needs=NEEDS,
)
def printed_selection(
    *, m: int, epsilon: Real, beta: Real, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int, width: int
) -> float:
    """What the selection loses: what stands inside O(.). It vanishes at rho = r (4 eta Lambda)^L."""
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    logs = printed_logarithm(**shape) + layers * log(4)
    return printed_rows.theorem.formula(m=m, beta=beta, **shape) * width * logs / (epsilon * m)


SELECTION = 986.0  # C of the corrected reading


@printed_selection.corrected(
    says=WHERE + r"\Pr\left[\hat R_S(h^{\mathrm{Priv}})\le\hat R_S(\hat h^\Phi)+986\,\frac{r^2(2\eta\Lambda)^{2L}N"
    r"\log(Lm/\beta)\log(r(4\eta\Lambda)^L/\rho)}{\rho^2\varepsilon m}\right]\ge1-\frac\beta4",
    needs=[*NEEDS, *REPAIRED],
    source=", with three hypotheses, our k and our cover",
)
def selection_below_the_end(
    *, m: int, epsilon: Real, beta: Real, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int, width: int
) -> float:
    """The same loss for eta >= 1/2, rho <= r (eta Lambda)^L/2 and beta <= 1/2, with C = 986."""
    sizes: dict[str, Any] = dict(m=m, epsilon=epsilon, beta=beta, norm_bound=norm_bound, radius=radius)
    return SELECTION * printed_selection(**sizes, rho=rho, eta=eta, layers=layers, width=width)


@printed_selection.explicit(
    says=r"\Pr\left[\hat R_S(h^{\mathrm{Priv}})\le\hat R_S(\hat h^\Phi)+\frac{2(\log|\mathcal C|+\log(4/\beta))}"
    r"{\varepsilon m}\right]\ge1-\frac\beta4",
    needs=[integer("m"), positive("epsilon"), in_unit_interval("beta"), at_least("log_size", 0)],
    source=f"{BMS22}, Claim D.4; our constants, for any finite cover",
)
def selection_loss(*, m: int, epsilon: float, beta: float, log_size: float) -> float:
    """What the selection from a finite cover loses: `log_size` is log|C|."""
    return selection_error(m=m, epsilon=epsilon, beta=beta, log_size=log_size)


@theorem(
    "bms22.clmD.5",
    kind="tail",
    says=r"\Pr\left[R_{\mathcal D}(h^{\mathrm{Priv}})\le\hat R_S(h^{\mathrm{Priv}})+O\left(\frac{r(2\eta\Lambda)^L"
    r"\sqrt{N\log(Lm/\beta)\log(r(\eta\Lambda)^L/\rho)}}{\rho\sqrt m}\right)\right]\ge1-\frac\beta4",
    needs=WIDE,
)
def printed_deviation(
    *, m: int, beta: Real, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int, width: int
) -> float:
    """How far the risk of the release is above its errors: what stands inside O(.)."""
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    logs = printed_logarithm(**shape)
    return sqrt(printed_rows.theorem.formula(m=m, beta=beta, **shape) * width * logs / m)


DEVIATION = 27.2  # C of the corrected reading


@printed_deviation.corrected(
    says=WHERE + r"\Pr\left[R_{\mathcal D}(h^{\mathrm{Priv}})\le\hat R_S(h^{\mathrm{Priv}})+27.2\,\frac{r(2\eta\Lambda)"
    r"^L\sqrt{N\log(Lm/\beta)\log(r(\eta\Lambda)^L/\rho)}}{\rho\sqrt m}\right]\ge1-\frac\beta4",
    needs=[*WIDE, *REPAIRED],
    source=", with three hypotheses, our k and our cover",
)
def deviation_below_the_end(
    *, m: int, beta: Real, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int, width: int
) -> float:
    """The same deviation for eta >= 1/2, rho <= r (eta Lambda)^L/2 and beta <= 1/2, with C = 27.2."""
    sizes: dict[str, Any] = dict(m=m, beta=beta, norm_bound=norm_bound, radius=radius)
    return DEVIATION * printed_deviation(**sizes, rho=rho, eta=eta, layers=layers, width=width)


@printed_deviation.explicit(
    says=r"\Pr\left[\exists h\in\hat{\mathcal H}:\ R_{\mathcal D}(h)>\hat R_S(h)"
    r"+\sqrt{\frac{\log|\mathcal C|+\log(4/\beta)}{2m}}\right]\le\frac\beta4",
    needs=[integer("m"), in_unit_interval("beta"), at_least("log_size", 0)],
    source=f"{BMS22}, Claim D.5; Hoeffding and a union over a finite cover",
)
def uniform_deviation(*, m: int, beta: float, log_size: float) -> float:
    """How far the risk of any member of a finite cover is above its errors: `log_size` is log|C|.

    >>> round(uniform_deviation(m=1000, beta=0.1, log_size=10.0), 4)
    0.0827
    """
    return sqrt(class_complexity(m=m, beta=beta, log_size=log_size) / 2)


def dimension(*, k: int, layers: int, width: int) -> int:
    """k (N (L-1) + 1): how many weights an embedded network has."""
    return k * (width * (layers - 1) + 1)


@theorem(
    "bms22.clmD.5.s2",
    part="product",
    reading="explicit",
    says=r"\log|\mathcal C|\le k(N(L-1)+1)\log\left(1+\frac{4\Lambda\sqrt L}\gamma\right)",
    needs=[integer("k"), integer("layers"), integer("width"), positive("norm_bound"), positive("resolution")],
    source=f"{BMS22}, Appendix D, before the proof of Claim D.2; a product of smallest covers of the layers",
)
def log_cover_size(*, k: int, layers: int, width: int, norm_bound: float, resolution: float) -> float:
    """log|C| of a product of smallest covers of the layers, each at distance gamma/sqrt(L), at most.

    A smallest eta-cover of B^n(R) has at most (1 + 2R/eta)^n points (bms22.thm3.1.s1), R = 2 Lambda.
    """
    return dimension(k=k, layers=layers, width=width) * log1p(4 * norm_bound * sqrt(layers) / resolution)
