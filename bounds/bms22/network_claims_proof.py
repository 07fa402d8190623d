"""The proofs of Claims D.2, D.3 and D.5 of Bassily, Mohri & Suresh (2022), step by step.

Notation: tau bounds the distortion of the embeddings, Gamma_j is the error of layer j of the embedded network, B_j the
norm of a layer of the nearest member of the cover, Delta_j its distance from the embedded network's.
"""

from __future__ import annotations

from math import lgamma, log, pi, sqrt

from bounds.bms22.network_claims import SHAPE, dimension, printed_logarithm
from bounds.exact.numbers import Real
from bounds.papers import BMS22
from bounds.theorem import in_unit_interval, integer, positive, require, theorem

SOURCE = f"{BMS22}, Appendix D, proof of Claim "
SIZES = [need for need in SHAPE if need.names != ("rho",)]
TAU = require("0 < tau < 1", lambda tau: 0 < tau < 1)
PRODUCT = [integer("k"), integer("layers"), integer("width"), positive("norm_bound"), positive("resolution")]

ROOT = sqrt(2)

# Claim D.2 ------------------------------------------------------------------------------------------------------------


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
    """The probability that some layer's embedding is worse than Lemma D.1 (explicit) at beta/(4L): at most beta/4.

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
    """The norm of the last hidden layer before activation, at most, for an eta-Lipschitz activation."""
    return radius * eta ** (layers - 2) * norm_bound ** (layers - 1)


@theorem(
    "bms22.clmD.2.s2",
    says=r"\Gamma_1\le\tau\Lambda r,\ \Gamma_j\le\tau r\eta^{j-1}\Lambda^j+2\eta\Lambda\Gamma_{j-1}\ \Rightarrow\ "
    r"\Gamma_L\le r(2\eta\Lambda)^{L-1}\Lambda\tau",
    needs=[*SIZES, TAU],
    source=f"{SOURCE}D.2: unraveling this recursion",
)
def unravelled(*, norm_bound: Real, radius: Real, eta: Real, layers: int, tau: Real) -> Real:
    """What the recursion of the proof gives, as printed: the last of its L summands."""
    return radius * (2 * eta * norm_bound) ** (layers - 1) * norm_bound * tau


@unravelled.corrected(
    says=r"\Gamma_1\le\tau\Lambda r,\ \Gamma_j\le\tau r\eta^{j-1}\Lambda^j+2\eta\Lambda\Gamma_{j-1}\ \Rightarrow\ "
    r"\Gamma_L\le(2^L-1)\,\tau r\eta^{L-1}\Lambda^L",
    source=", all summands",
)
def unravelled_whole(*, norm_bound: Real, radius: Real, eta: Real, layers: int, tau: Real) -> Real:
    """What the recursion gives: 1 + 2 + ... + 2^{L-1} = 2^L - 1 times tau r eta^{L-1} Lambda^L."""
    return (2**layers - 1) * tau * radius * eta ** (layers - 1) * norm_bound**layers


@theorem(
    "bms22.clmD.2.s3",
    says=r"k=\frac{10\hat c^2r^2(2\eta\Lambda)^{2(L-1)}\Lambda^2\log(Lm/\beta)}{\rho^2}\ \Rightarrow\ "
    r"|h_*(x_i)-h_*^\Phi(x_i)|<\frac\rho2",
    needs=[*SHAPE],
    source=f"{SOURCE}D.2; tau = hat c sqrt(log(Lm/beta)/k) < 1",
)
def distance_at_the_printed_rows(*, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int) -> Real:
    """How far the embedded network is from the best one at the k of the proof: less than rho/2."""
    return rho / 2


# Claim D.3 ------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.clmD.3.s0",
    kind="construction",
    says=r"\forall W,W'\in\mathcal C:\ \sqrt{\sum_j\|W_j-W'_j\|_F^2}\le\gamma",
    needs=[positive("resolution")],
    source=f"{BMS22}, Appendix D, before the proof of Claim D.2",
)
def distance_within_the_cover(*, resolution: Real) -> Real:
    """How far any two members of a gamma-cover are from each other, as printed: gamma."""
    return resolution


@distance_within_the_cover.corrected(
    says=r"\forall W\in\mathbb B^{kN}(2\Lambda)\times\dots\times\mathbb B^k(2\Lambda)\ \exists W'\in\mathcal C:\ "
    r"\sqrt{\sum_j\|W_j-W'_j\|_F^2}\le\gamma",
    source=", for every W of the space and its nearest member; a product of covers of the layers at gamma/sqrt(L)",
)
def distance_from_the_cover(*, resolution: Real) -> Real:
    """How far any point of the product of balls is from the nearest member: gamma, if each layer's is gamma/sqrt(L)."""
    return distance_within_the_cover.theorem.formula(resolution=resolution)


KEPT = (
    r"\|\Phi_{j-1}(\psi(\tilde v_{i,j-1})-\psi(v^\Phi_{i,j-1}))\|_2^2\le2\,\|\psi(\tilde v_{i,j-1})"
    r"-\psi(v^\Phi_{i,j-1})\|_2^2"
)


@theorem(
    "bms22.clmD.3.s1",
    says=KEPT,
    needs=[integer("k"), integer("width")],
    source=f"{SOURCE}D.3, equation (24) with the next sentence, as a corollary of Lemma D.1, for every gamma-cover",
)
def enlargement(*, k: int, width: int) -> float:
    """How much an embedding may enlarge the squared distance of two layers, as printed: 1 + tau < 2.

    The first layer's member of the cover may be any point within gamma, so the distance may have any direction, that of
    the embedding's largest singular value included, which is at least sqrt(N/k).
    """
    return 2.0


@enlargement.corrected(
    part="layers",
    says=r"\Pr[\mathrm{(23)\ to\ (25)\ for\ all}\ i,j]\ge1-\frac\beta8\quad(\tilde W_j\ \mathrm{nearest\ in\ a\ cover}"
    r"\mathrm{\ of\ layer}\ j\ \mathrm{alone})",
    kind="tail",
    needs=[integer("m"), integer("k"), integer("layers"), in_unit_interval("beta")],
    source=", for a product of covers, the nearest point taken layer by layer",
)
def cover_failure(*, m: int, k: int, layers: int, beta: float) -> float:
    """The probability that some embedding enlarges one of 2m vectors beyond Lemma D.1 (explicit): at most beta/8.

    W~_j depends on Phi_{j-1} and on what came before, so psi(v~_{j-1}) does not depend on Phi_{j-1}. Of the 4m + 1
    tails that Lemma D.1 pays for, 2m are needed.
    """
    return beta / 8


@theorem(
    "bms22.clmD.3.s2",
    says=r"B_1\le2\sqrt2\Lambda r,\ B_j\le2\sqrt2\eta\Lambda B_{j-1}\ \Rightarrow\ "
    r"B_{L-1}\le r\eta^{L-2}(2\sqrt2\Lambda)^{L-1}",
    needs=[*SIZES, require("layers >= 2", lambda layers: layers >= 2)],
    source=f"{SOURCE}D.3",
)
def covered_norm(*, norm_bound: float, radius: float, eta: float, layers: int) -> float:
    """The norm of the last hidden layer of the member of the cover."""
    return radius * eta ** (layers - 2) * (2 * ROOT * norm_bound) ** (layers - 1)


@theorem(
    "bms22.clmD.3.s3",
    says=r"\Delta_1\le\sqrt2\gamma r,\ \Delta_j\le\sqrt2\gamma\eta B_{j-1}+2\sqrt2\eta\Lambda\Delta_{j-1}\ \Rightarrow"
    r"\ \Delta_L\le\sqrt2\gamma rL(2\sqrt2\eta\Lambda)^{L-1}",
    needs=[*SIZES, positive("resolution")],
    source=f"{SOURCE}D.3: unraveling this recurrence",
)
def covered_distance(*, norm_bound: float, radius: float, eta: float, layers: int, resolution: float) -> float:
    """What the recursion gives for the distance from the cover: L equal summands."""
    return ROOT * resolution * radius * layers * (2 * ROOT * eta * norm_bound) ** (layers - 1)


@theorem(
    "bms22.clmD.3.s4",
    says=r"\sqrt2\gamma rL(2\sqrt2\eta\Lambda)^{L-1}\le2\sqrt2\gamma r(4\eta\Lambda)^{L-1}",
    needs=[*SIZES, positive("resolution")],
    source=f"{SOURCE}D.3",
)
def covered_distance_bound(*, norm_bound: float, radius: float, eta: float, layers: int, resolution: float) -> float:
    """The same without the factor L: L <= 2 sqrt(2)^{L-1}, closest at L = 3."""
    return 2 * ROOT * resolution * radius * (4 * eta * norm_bound) ** (layers - 1)


# The size of the cover ------------------------------------------------------------------------------------------------


@theorem(
    "bms22.clmD.5.s1",
    kind="construction",
    says=r"|\mathcal C|=O\left(\left(\frac{\sqrt L\Lambda}\gamma\right)^{k\times N}\right)",
    needs=PRODUCT,
    source=f"{BMS22}, Appendix D, before the proof of Claim D.2",
)
def printed_size(*, k: int, layers: int, width: int, norm_bound: float, resolution: float) -> float:
    """What stands inside O(.) of the cover's size: its exponent is that of one hidden layer.

    >>> printed_size(k=1, layers=4, width=2, norm_bound=1.0, resolution=0.5)
    16.0
    """
    return (sqrt(layers) * norm_bound / resolution) ** (k * width)


@theorem(
    "bms22.clmD.5.s2",
    says=r"\log|\mathcal C|=O\left(kN\log\frac{r(\eta\Lambda)^L}\rho\right)",
    needs=[*SHAPE, integer("k"), integer("width")],
    source=f"{BMS22}, Appendix D, before the proof of Claim D.2; gamma = rho/(10 r (4 eta Lambda)^{{L-1}})",
)
def printed_log_size(
    *, norm_bound: float, radius: float, rho: float, eta: float, layers: int, k: int, width: int
) -> float:
    """What stands inside O(.) of the logarithm of the cover's size: no factor for L - 1 hidden layers.

    >>> round(printed_log_size(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=3, k=2, width=3), 4)
    4.1589
    """
    logs = printed_logarithm(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    return k * width * logs


@printed_log_size.explicit(
    part="volume",
    says=r"\log|\mathcal C|\ge\log\frac{\mathrm{vol}(\mathbb B^{kN}(2\Lambda))^{L-1}"
    r"\,\mathrm{vol}(\mathbb B^k(2\Lambda))}{\mathrm{vol}(\mathbb B^{k(N(L-1)+1)}(\gamma))}",
    needs=PRODUCT,
    source="volumes",
)
def log_volume_bound(*, k: int, layers: int, width: int, norm_bound: float, resolution: float) -> float:
    """A lower bound of log|C| for every gamma-cover of the product of balls: the quotient of their volumes.

    >>> round(log_volume_bound(k=1, layers=1, width=1, norm_bound=1.0, resolution=0.1), 4)
    2.9957
    """
    whole = dimension(k=k, layers=layers, width=width)
    balls = (layers - 1) * log_unit_volume(k * width) + log_unit_volume(k)
    return balls - log_unit_volume(whole) + whole * log(2 * norm_bound / resolution)


def log_unit_volume(n: int) -> float:
    """log(pi^{n/2}/Gamma(n/2 + 1))."""
    return n / 2 * log(pi) - lgamma(n / 2 + 1)
