"""Claim D.3 of Bassily, Mohri & Suresh (2022): a cover of the weights has a network near the embedded one.

Some member of a gamma-cover of the weights is within rho/2 of the embedded network on the sample. Names, and what is
printed and corrected: `network_embedding`. B_j is the norm of layer j of the nearest member of the cover, Delta_j its
distance from the embedded network's.
"""

from math import exp, log, pi, sqrt
from typing import Any

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.network_embedding import ROOT, SHAPE, SIZES, SOURCE
from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import between, in_unit_interval, integer, positive, require, theorem

# The cover -------------------------------------------------------------------------------------------------


COVER = r"\gamma=\frac\rho{10r(4\eta\Lambda)^{L-1}}:\ "
GOOD = r",\quad\mathcal C\mathrm{\ a\ product\ of\ covers\ of\ the\ layers,\ or\ }N\le36k"


@theorem(
    "bms22.clmD.3",
    kind="tail",
    says=COVER + r"\Pr\left[\hat R_S(\hat h^\Phi)\le\hat R^{0.5\rho}_S(h_*^\Phi)\right]\ge1-\frac\beta4",
    needs=[between("margin_loss", 0, 1)],
)
def loss_of_the_cover(*, margin_loss: Real) -> Real:
    """The least error over the cover is at most the rho/2-margin loss of the embedded network, for every gamma-cover.

    A cover may depend on the embeddings, since the paper draws these first.
    """
    return margin_loss


@loss_of_the_cover.corrected(says=loss_of_the_cover.theorem.says + GOOD)
def loss_of_a_good_cover(*, margin_loss: Real) -> Real:
    """The least error over the cover is at most the embedded network's loss, for layered covers and narrow networks.

    Derivation. Where y h_*^Phi(x) > rho/2, the network h~ of the cover that is within rho/2 (bms22.clmD.3.s5) has y
    h~(x) > 0, so it errs on no more records, and the best of the cover on no more than it.
    """
    return loss_of_the_cover(margin_loss=margin_loss)


def printed_resolution(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """gamma of Appendix D: rho/(10 r (4 eta Lambda)^{L-1}), for all weights together.

    >>> printed_resolution(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=2)
    0.0125
    """
    return rho / (10 * radius * (4 * eta * norm_bound) ** (layers - 1))


@theorem(
    "bms22.clmD.3.s5",
    kind="tail",
    says=COVER + r"\Pr\left[\exists\tilde h\ \forall i:\ |\tilde h(x_i)-h_*^\Phi(x_i)|<\frac\rho2\right]"
    r"\ge1-\frac\beta4",
    needs=SHAPE,
    source=f"{SOURCE}D.3",
)
def distance_to_the_cover(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """The nearest network of the cover is at most rho/2 from the embedded one, for every gamma-cover, as printed."""
    return rho / 2


@distance_to_the_cover.corrected(says=distance_to_the_cover.theorem.says + GOOD)
def distance_to_a_good_cover(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """The nearest network is at most rho/2 from the embedded one, for layered covers and narrow networks.

    Derivation. For a product of covers: steps s1 (layers) to s4. For N <= 36k let kappa = 7.5 bound the operator norms
    of all embeddings but the first (step s6). The layers' distances gamma_j have squares of sum gamma^2, and by the
    slope eta/4 of the activation Delta_1 <= sqrt(2) r gamma_1, Delta_j <= (kappa eta Lambda/2)^{j-1} sqrt(2) r gamma_j
    + (kappa eta Lambda/2) Delta_{j-1}, so Delta_L <= sqrt(2L) r gamma (kappa eta Lambda/2)^{L-1} = sqrt(2L) (15/16)^
    {L-1} rho/10, at most 0.26 rho.
    """
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    return distance_to_the_cover.theorem.formula(**shape)


@distance_to_the_cover.explicit(
    says=r"\gamma=\frac\rho{\sqrt{6L}\,r(\eta\Lambda/2)^{L-1}}:\ "
    r"\Pr\left[\forall i:\ |\tilde h(x_i)-h_*^\Phi(x_i)|\le\frac\rho2\right]\ge1-\frac\beta4"
    r"\ \mathrm{at\ the\ explicit}\ k",
    source=f"{BMS22}, Claim D.3; our constants, a product of covers of the layers at gamma/sqrt(L)",
)
def cover_resolution(*, norm_bound: float, radius: float, rho: float, eta: float, layers: int) -> float:
    """The resolution at which the cover has a network within rho/2 of the embedded one.

    Layer j is within gamma_j = gamma/sqrt(L). With norms of vectors enlarged by at most kappa, Delta_L <= kappa^L r
    (eta Lambda/2)^{L-1} (gamma_1 + ... + gamma_L), and kappa^L <= (1 + tau)^{L/2} <= sqrt(3/2).

    >>> round(cover_resolution(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=2), 4)
    0.2887
    """
    return rho / (sqrt(6 * layers) * radius * (eta * norm_bound / 2) ** (layers - 1))


# The steps of its proof ------------------------------------------------------------------------------------


@theorem(
    "bms22.clmD.3.s0",
    kind="construction",
    says=r"\forall W,W'\in\mathcal C:\ \sqrt{\sum_j\|W_j-W'_j\|_F^2}\le\gamma",
    needs=[positive("resolution")],
    source=f"{BMS22}, Appendix D, before the proof of Claim D.2",
)
def distance_within_the_cover(*, resolution: Real) -> Real:
    """Two members of a gamma-cover of networks are within gamma, as printed."""
    return resolution


@distance_within_the_cover.corrected(
    says=r"\forall W\in\mathbb B^{kN}(2\Lambda)\times\dots\times\mathbb B^k(2\Lambda)\ \exists W'\in\mathcal C:\ "
    r"\sqrt{\sum_j\|W_j-W'_j\|_F^2}\le\gamma",
    source=", for every W of the space and its nearest member; a product of covers of the layers at gamma/sqrt(L)",
)
def distance_from_the_cover(*, resolution: Real) -> Real:
    """Every point of the product of balls is within gamma of the cover.

    This holds if each layer's distance is at most gamma/sqrt(L).

    Derivation. The cover is the product of covers of the L balls, each within gamma/sqrt(L), and the nearest point is
    taken layer by layer: sum_j ||W_j - W'_j||_F^2 <= L gamma^2/L = gamma^2.
    """
    return distance_within_the_cover.theorem.formula(resolution=resolution)


MOVED = r"\psi(\tilde v_{i,j-1})-\psi(v^\Phi_{i,j-1})"
KEPT = rf"\|\Phi_{{j-1}}({MOVED})\|_2^2\le2\,\|{MOVED}\|_2^2"


@theorem(
    "bms22.clmD.3.s1",
    says=KEPT,
    needs=[integer("k"), integer("width")],
    source=f"{SOURCE}D.3, equation (24) with the next sentence, as a corollary of Lemma D.1, for every gamma-cover",
)
def enlargement(*, k: int, width: int) -> float:
    """An embedding enlarges squared distances by at most 1 + tau < 2, as printed.

    They are the squared distances of two layers.

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
    """Some embedding enlarges one of 2m vectors with probability at most beta/8.

    To enlarge means by more than Lemma D.1 (explicit) allows.

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
    """The largest norm of the last hidden layer of the nearest cover member."""
    return radius * eta ** (layers - 2) * (2 * ROOT * norm_bound) ** (layers - 1)


@theorem(
    "bms22.clmD.3.s3",
    says=r"\Delta_1\le\sqrt2\gamma r,\ \Delta_j\le\sqrt2\gamma\eta B_{j-1}+2\sqrt2\eta\Lambda\Delta_{j-1}\ \Rightarrow"
    r"\ \Delta_L\le\sqrt2\gamma rL(2\sqrt2\eta\Lambda)^{L-1}",
    needs=[*SIZES, positive("resolution")],
    source=f"{SOURCE}D.3: unraveling this recurrence",
)
def covered_distance(*, norm_bound: float, radius: float, eta: float, layers: int, resolution: float) -> float:
    """The layers' recursion gives L equal summands for the distance from the cover."""
    return ROOT * resolution * radius * layers * (2 * ROOT * eta * norm_bound) ** (layers - 1)


@theorem(
    "bms22.clmD.3.s4",
    says=r"\sqrt2\gamma rL(2\sqrt2\eta\Lambda)^{L-1}\le2\sqrt2\gamma r(4\eta\Lambda)^{L-1}",
    needs=[*SIZES, positive("resolution")],
    source=f"{SOURCE}D.3",
)
def covered_distance_bound(*, norm_bound: float, radius: float, eta: float, layers: int, resolution: float) -> float:
    """The distance from the cover without its factor L, as L <= 2 sqrt(2)^{L-1}.

    The two sides are closest at L = 3.
    """
    return 2 * ROOT * resolution * radius * (4 * eta * norm_bound) ** (layers - 1)


@theorem(
    "bms22.clmD.3.s6",
    reading="explicit",
    kind="tail",
    says=r"\Phi\in\{\pm\tfrac1{\sqrt k}\}^{k\times36k}:\quad\Pr\left[\|\Phi\|>\tfrac{15}2\right]\le "
    r"k\left(\frac{14}{15}\right)^{4k}\left(1+\frac{4\sqrt{2\pi k}}7e^{8k/49}\right)",
    needs=[integer("k")],
    source="derived here from Davidson & Szarek 2001, Theorem II.13",
)
def wide_norm_failure(*, k: int) -> float:
    """The operator norm of k x N signs over sqrt(k), N <= 36k, is above 7.5 with at most this probability.

    Derivation. E tr (A A')^p of a matrix A of signs is at most that of a Gaussian matrix G, term by term, as all
    moments of a sign are. ||G|| <= sqrt(N) + sqrt(k) + Z <= 7 sqrt(k) + Z with P(Z > s) <= exp(-s^2/2), so by Markov's
    inequality at p = 2k the probability is at most k E(1 + Z/(7 sqrt(k)))^{4k} (14/15)^{4k}. With 1 + x <= e^x and a =
    4 sqrt(k)/7 that mean is at most 1 + a int_0^inf exp(a s - s^2/2) ds.
    """
    least = 4 * k * log(14 / 15)
    return k * (exp(least) + 4 * sqrt(2 * pi * k) / 7 * exp(least + 8 * k / 49))
