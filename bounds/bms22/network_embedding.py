"""Claim D.2 of Bassily, Mohri & Suresh (2022): the best network, embedded by random signs.

Random signs keep the best network up to rho/2 on the sample; `network_cover` has the cover near it (Claim D.3). Printed
and corrected formulas are those of `network`. In the proof tau bounds the distortion of the embeddings and Gamma_j is
the error of layer j of the embedded network.
"""

from math import ceil, expm1, log, log1p, sqrt
from typing import Any

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.matrix_projection import deviations
from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

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
SOURCE = f"{BMS22}, Appendix D, proof of Claim "
SIZES = [need for need in SHAPE if need.names != ("rho",)]
TAU = require("0 < tau < 1", lambda tau: 0 < tau < 1)
ROOT = sqrt(2)


def slope(eta: Any) -> Any:
    """The Lipschitz constant of tanh(eta a/4), its slope at 0: `bms22.thm5.1.lipschitz/explicit`."""
    return eta / 4


def largest_output(*, norm_bound: Any, radius: Any, eta: Any, layers: int) -> Any:
    """H = r Lambda (eta Lambda/4)^{L-1}, at least |h(x)|: at rho >= H every margin loss is 1."""
    return radius * norm_bound * (slope(eta) * norm_bound) ** (layers - 1)


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
    """Order of the number of rows of the layers' embeddings, as printed.

    It is r^2 (2 eta Lambda)^{2L} log(Lm/beta)/rho^2.

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
    """Order of the number of rows of the layers' embeddings, corrected.

    It holds for eta >= 1/2, rho <= r (eta Lambda)^L/2 and beta <= 1/2.

    The explicit rows are at most 277 times it.

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
    """Rows at which the embeddings keep every output of the best network up to rho/2.

    The rows are those of Lemma D.1 (explicit) at confidence beta/(4L) for each layer, for its weights and 2m vectors.
    The product's deviation sqrt(12 t/k) + 4t/k is at most tau for t/k <= x^2, 4 x^2 + sqrt(12) x = tau.

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
    """Order of the embedded network's distance from the best one, as printed.

    It does not contain the margin rho.
    """
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
    """Order of the embedded network's distance from the best one, corrected.

    It holds for eta >= 1/2, rho <= r (eta Lambda)^L/2 and beta <= 1/2.

    The embeddings have at least the explicit number of rows.

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
    """The embedded network is within H ((1 + tau)^L - 1) of the best one, for every k.

    Gamma_1 <= tau Lambda r and Gamma_j <= tau r (eta/4)^{j-1} Lambda^j + (1 + tau) (eta Lambda/4) Gamma_{j-1}, where
    tau is the deviation of products in Lemma D.1: a geometric sum of ratio 1 + tau.
    """
    _, tau = deviations.theorem.formula(m=2 * m, k=k, beta=beta / (4 * layers))
    H = largest_output(norm_bound=norm_bound, radius=radius, eta=eta, layers=layers)
    return H * expm1(layers * log1p(tau))


# Claim D.2: the steps of its proof ------------------------------------------------------------------------------------


@theorem(
    "bms22.clmD.2.s0",
    reading="explicit",
    kind="tail",
    says=r"\Pr[\mathrm{(19)\ to\ (22)\ for\ all}\ i,j]\ge1-\frac\beta4,\ \hat c\sqrt{\log(Lm/\beta)/k}\ \mathrm{being}"
    r"\ \tau=\sqrt{12t/k}+4t/k,\ t=\log\frac{4L(4m+1)}\beta",
    needs=[integer("m"), integer("k"), integer("layers"), in_unit_interval("beta")],
    source=f"{SOURCE}D.2, equations (19) to (22); our constants",
)
def embedding_failure(*, m: int, k: int, layers: int, beta: float) -> float:
    """Some layer's embedding fails with probability at most beta/4.

    It fails if it is worse than Lemma D.1 (explicit) allows.

    Each layer fails with probability at most beta/(4L).

    A layer has one matrix and 2m vectors, psi(v) of the best network and u = psi(v) - psi(v^Phi): both are determined
    by the data and by the embeddings of the layers before, so each embedding is independent of what it embeds.
    """
    return beta / 4


@theorem(
    "bms22.clmD.2.s1",
    says=r"\|v_{i,L-1}\|_2\le r\eta^{L-2}\Lambda^{L-1}",
    needs=[*SIZES, require("layers >= 2", lambda layers: layers >= 2)],
    source=f"{SOURCE}D.2",
)
def hidden_norm(*, norm_bound: Real, radius: Real, eta: Real, layers: int) -> Real:
    """The largest norm of the last hidden layer, for an eta-Lipschitz activation.

    The norm is that before activation.

    Derivation. ||v_1|| = ||W_1 x|| <= Lambda r, as the Frobenius norm bounds the operator norm, and ||v_j|| = ||W_j
    psi(v_{j-1})|| <= Lambda eta ||v_{j-1}||, as psi is eta-Lipschitz with psi(0) = 0; L - 2 such steps give r eta^(L-2)
    Lambda^(L-1).
    """
    return radius * eta ** (layers - 2) * norm_bound ** (layers - 1)


@theorem(
    "bms22.clmD.2.s2",
    says=r"\Gamma_1\le\tau\Lambda r,\ \Gamma_j\le\tau r\eta^{j-1}\Lambda^j+2\eta\Lambda\Gamma_{j-1}\ \Rightarrow\ "
    r"\Gamma_L\le r(2\eta\Lambda)^{L-1}\Lambda\tau",
    needs=[*SIZES, TAU],
    source=f"{SOURCE}D.2: unraveling this recursion",
)
def unravelled(*, norm_bound: Real, radius: Real, eta: Real, layers: int, tau: Real) -> Real:
    """The layers' recursion summed up, as printed: the last of its L summands.

    It is the distance of the embedded network.
    """
    return radius * (2 * eta * norm_bound) ** (layers - 1) * norm_bound * tau


@unravelled.corrected(
    says=r"\Gamma_1\le\tau\Lambda r,\ \Gamma_j\le\tau r\eta^{j-1}\Lambda^j+2\eta\Lambda\Gamma_{j-1}\ \Rightarrow\ "
    r"\Gamma_L\le(2^L-1)\,\tau r\eta^{L-1}\Lambda^L",
    source=", all summands",
)
def unravelled_whole(*, norm_bound: Real, radius: Real, eta: Real, layers: int, tau: Real) -> Real:
    """The layers' recursion gives 2^L - 1 times tau r eta^{L-1} Lambda^L.

    It is the embedded network's distance.

    Derivation. Write Gamma_j = c_j tau r eta^(j-1) Lambda^j. Then c_1 <= 1 and c_j <= 1 + 2 c_{j-1}, so c_L <= 1 + 2 +
    ... + 2^(L-1) = 2^L - 1.
    """
    return (2**layers - 1) * tau * radius * eta ** (layers - 1) * norm_bound**layers


@theorem(
    "bms22.clmD.2.s3",
    says=r"k=\frac{10\hat c^2r^2(2\eta\Lambda)^{2(L-1)}\Lambda^2\log(Lm/\beta)}{\rho^2}\ \Rightarrow\ "
    r"|h_*(x_i)-h_*^\Phi(x_i)|<\frac\rho2",
    needs=[*SHAPE],
    source=f"{SOURCE}D.2; tau = hat c sqrt(log(Lm/beta)/k) < 1",
)
def distance_at_the_printed_rows(*, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int) -> Real:
    """At the proof's rows the embedded network is less than rho/2 from the best."""
    return rho / 2
