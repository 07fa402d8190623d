"""The proof of Theorem 4.2 of Bassily, Mohri & Suresh (2022), Appendix C, step by step, and Fact C.1.

h_mu minimises L_S(h) + mu |h|^2 over the ball of radius Lambda of the RKHS, h_mu = sum_i alpha_i psi(x_i) with the
kernel's own features, and w = sum_i alpha_i psi^(x_i) is the same combination of random Fourier features. The displays
are (18) and (19) in the paper (000), (17) and (18) in the appendix (002).
"""

from __future__ import annotations

from math import log, sqrt

from bounds.bms22.dp_erm_proof import HINGE
from bounds.bms22.random_features import inner_product_error, inner_product_error_sharp
from bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

PROOF = ", Appendix C, proof"
SAMPLE = [integer("m"), in_unit_interval("beta")]
COEFFICIENTS = [positive("mu"), positive("rho")]


def printed_frequencies(*, m: int, beta: float) -> float:
    """D of step 2, a real number: m^2 log(2m/beta).

    >>> round(printed_frequencies(m=100, beta=0.1), 1)
    76009.0
    """
    return m**2 * log(2 * m / beta)


def regularisation(*, m: int, radius: float, norm_bound: float, rho: float) -> float:
    """mu = r / (Lambda rho sqrt(m))."""
    return radius / (norm_bound * rho * sqrt(m))


# Fact C.1 -------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.factC.1",
    says=r"h_\mu=\sum_{i=1}^m\alpha_i\psi(x_i),\quad 0\le y_i\alpha_i\le\frac{1}{2m\mu\rho}",
    needs=[integer("m"), *COEFFICIENTS],
)
def largest_coefficient(*, m: int, mu: float, rho: float) -> float:
    """1/(2 m mu rho), the largest y_i alpha_i; the least is 0.

    Derivation. With a multiplier nu >= 0 of the ball's constraint, h_mu minimises L_S(h) + (mu + nu) |h|^2 over the
    whole space, and 0 is a subgradient there: 2 (mu + nu) h = (1/(m rho)) sum_i s_i y_i psi(x_i) with s_i in [0, 1], 1
    where the margin is below rho and 0 where it is above. So y_i alpha_i = s_i/(2 m (mu + nu) rho).
    """
    return 1 / (2 * m * mu * rho)


@theorem(
    "bms22.factC.1.s1",
    says=r"\|\alpha\|_1\le\frac{1}{2\mu\rho}",
    needs=[integer("m"), *COEFFICIENTS],
    source=", the sentence after it",
)
def coefficient_sum(*, m: int, mu: float, rho: float) -> float:
    """1/(2 mu rho), the sum of |alpha_i| at most: m times the largest."""
    return 1 / (2 * mu * rho)


# s1: the loss of w ----------------------------------------------------------------------------------------------------

TRANSFER = r"\widehat{L}^{\rho}_{S_{\hat\psi}}(\hat{w})-\widehat{L}^{\rho}_S(h_\mu)\le"
HALF = r"\right]\ge 1-\frac{\beta}{2}"


@theorem(
    "bms22.thm4.2.s1",
    part="features",
    kind="tail",
    says=r"\Pr\left[" + TRANSFER + r"\frac{2r^2}{\rho}\sqrt{\frac{\log(2m/\beta)}{D}}\|\alpha\|_1" + HALF,
    needs=[*SAMPLE, positive("count"), positive("radius"), positive("rho"), at_least("total", 0)],
    source=PROOF,
)
def transferred_loss(*, m: int, beta: float, count: float, radius: float, rho: float, total: float) -> float:
    """By how much the loss of w on the features exceeds that of h_mu at most; `total` is |alpha|_1, `count` is D.

    Derivation. The losses are 1/rho-Lipschitz in the scores, and score i differs by at most
    sum_j |alpha_j| |<psi^(x_i), psi^(x_j)> - K(x_i, x_j)|; Theorem 4.1 at beta/2, the terms i = j vanish.
    """
    return 2 * radius**2 / rho * sqrt(log(2 * m / beta) / count) * total


@theorem(
    "bms22.thm4.2.s1",
    part="dual",
    kind="tail",
    says=r"\Pr\left[" + TRANSFER + r"\frac{r^2}{\rho^2\mu}\sqrt{\frac{\log(2m/\beta)}{D}}" + HALF,
    needs=[*SAMPLE, positive("count"), positive("radius"), *COEFFICIENTS],
    source=PROOF,
)
def transferred_loss_by_dual(*, m: int, beta: float, count: float, radius: float, rho: float, mu: float) -> float:
    """The same at the largest |alpha|_1 of Fact C.1."""
    return radius**2 / (rho**2 * mu) * sqrt(log(2 * m / beta) / count)


@theorem(
    "bms22.thm4.2.s1",
    part="size",
    kind="tail",
    says=r"\Pr\left[" + TRANSFER + r"\frac{\Lambda r}{\rho\sqrt{m}}" + HALF,
    needs=[*SAMPLE, *HINGE],
    source=PROOF,
)
def transferred_loss_at_size(*, m: int, beta: float, radius: float, norm_bound: float, rho: float) -> float:
    """The same at mu = r/(Lambda rho sqrt(m)) and D = m^2 log(2m/beta), or more."""
    return norm_bound * radius / (rho * sqrt(m))


# s2: the norm of w ----------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm4.2.s2",
    part="square",
    kind="tail",
    says=r"\Pr\left[\|\hat{w}\|_2^2\le\|h_\mu\|_{\mathbb{H}}^2+2r^2\sqrt{\frac{\log(2m/\beta)}{D}}\|\alpha\|_1^2"
    r"\le\|h_\mu\|_{\mathbb{H}}^2+\frac{\Lambda^2}{2}\le\frac{3}{2}\Lambda^2" + HALF,
    needs=[*SAMPLE, positive("norm_bound")],
    source=PROOF,
)
def square_of_weights(*, m: int, beta: float, norm_bound: float) -> float:
    """3 Lambda^2/2, the largest |w|^2: the kernel's |h_mu|^2 <= Lambda^2, and the error of D features in between.

    On the event of s1: |w|^2 - |h_mu|^2 = sum_ij alpha_i alpha_j (<psi^(x_i), psi^(x_j)> - K(x_i, x_j)).
    """
    return 3 / 2 * norm_bound**2


@theorem(
    "bms22.thm4.2.s2",
    part="ball",
    kind="tail",
    says=r"\Pr\left[\hat{w}\in\mathbb{B}^{2D}(2\Lambda)" + HALF,
    needs=[*SAMPLE, positive("norm_bound")],
    source=PROOF,
)
def norm_of_weights(*, m: int, beta: float, norm_bound: float) -> float:
    """2 Lambda, the radius of the ball that Algorithm 2 is run with; |w| is at most sqrt(3/2) Lambda."""
    return 2 * norm_bound


# s3: the least loss of the features -----------------------------------------------------------------------------------

LEAST = r"\Pr\left[\min_{w\in\mathbb{B}^{2D}(2\Lambda)}\widehat{L}^{\rho}_{S_{\hat\psi}}(w)"
LEAST += r"\le\min_{\|h\|_{\mathbb{H}}\le\Lambda}\widehat{L}^{\rho}_S(h)+"


@theorem(
    "bms22.thm4.2.s3",
    kind="tail",
    says=LEAST + r"\frac{2\Lambda r}{\rho\sqrt{m}}" + HALF,
    needs=[*SAMPLE, at_least("a", 0.5)],
    source=f"{PROOF}, (19)",
)
def printed_penalty(*, m: int, beta: float, a: float) -> float:
    """2 Lambda r / (rho sqrt(m)), what the features cost: s1, and mu Lambda^2 for h_mu in place of the best."""
    return 2 * a / sqrt(m)


@printed_penalty.explicit(
    says=LEAST + r"\frac{\Lambda r}{\rho}\sqrt{2t}" + HALF,
    needs=[*SAMPLE, integer("count"), at_least("a", 0.5)],
    source="the same proof for every number of frequencies",
)
def features_penalty(*, m: int, beta: float, count: int, a: float) -> float:
    """a sqrt(2t), what any number `count` of frequencies costs; r^2 t bounds the error of all inner products.

    Derivation. As s1 to s3 with error r^2 t at beta/2 (Theorem 4.1, explicit; printed for m = 1), and mu =
    r sqrt(t/2)/(rho Lambda), which makes the two losses r^2 t/(2 mu rho^2) and mu Lambda^2 equal: each is a sqrt(t/2).
    And |w|^2 <= Lambda^2 + r^2 t/(2 mu rho)^2 = 3 Lambda^2/2 again, whatever t is. At the printed D it is at most the
    printed cost.

    >>> round(features_penalty(m=100, beta=0.1, count=76010, a=1.0), 4), printed_penalty(m=100, beta=0.1, a=1.0)
    (0.1893, 0.2)
    """
    return a * sqrt(2 * features_error(m=m, beta=beta, count=count))


def features_error(*, m: int, beta: float, count: int) -> float:
    """t, at r = 1: by how much D features miss an inner product of the sample, but for a probability of beta/2."""
    statement = inner_product_error_sharp if m > 1 else inner_product_error
    return float(statement(m=m, beta=beta / 2, count=count))
