"""The proof of Theorem 3.2 of Bassily, Mohri & Suresh (2022), step by step. As the proof does, Lambda = 1.

Its displays are (13)-(17) in the paper (000), (12)-(16) in the appendix (002), with the same content. gamma is the
distortion of the projection: for w* and the x_i of the sample, norms and inner products change by at most gamma/3.
"""

from __future__ import annotations

from math import log, sqrt

from bounds.bms22.dp_erm_proof import WHOLE_SETTING
from bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

MARGINS = [in_unit_interval("gamma"), positive("radius"), positive("rho")]
SIZES = [hypothesis for hypothesis in WHOLE_SETTING if hypothesis.names != ("k",)]


@theorem(
    "bms22.thm3.2.s1",
    part="norms",
    says=r"\|x_\Phi\|_2^2\le\left(1+\frac{\gamma}{3}\right)\|x\|_2^2,\quad x_\Phi\in\mathbb{B}^k(2r)",
    needs=[in_unit_interval("gamma")],
    source=", Appendix B.3, proof",
)
def projected_norm(*, gamma):
    """No feature of the sample is clipped

    1 + gamma/3, the factor of ||x||^2. It is part (i) of Lemma A.4's event; sqrt(1 + gamma/3) < 2 for gamma < 1.
    """
    return 1 + gamma / 3


@theorem(
    "bms22.thm3.2.s1",
    part="gamma",
    kind="identity",
    says=r"\sqrt{\frac{\log(m/\beta)}{k}}=\sqrt{\frac{\log(1/\beta)}{\varepsilon m}}\log^{3/4}(1/\delta)",
    needs=SIZES,
    source=", Appendix B.3, proof",
)
def printed_distortion(*, m, epsilon, delta, beta):
    """The distortion at the printed k

    The right-hand side; k before rounding, which can only help.
    """
    return sqrt(-log(beta) / (epsilon * m)) * (-log(delta)) ** 0.75


@theorem(
    "bms22.thm3.2.s2",
    says=r"1-\frac{y\langle w^*_\Phi,x_\Phi\rangle}{\rho}\le 1-\frac{y\langle w^*,x\rangle}{\rho}+\frac{r\gamma}{\rho}",
    needs=MARGINS,
    source=", Appendix B.3, proof",
)
def margin_loss(*, gamma, radius, rho):
    """The projection costs the best vector little margin

    r gamma / rho. Part (ii) of Lemma A.4's event gives a third of it.
    """
    return radius * gamma / rho


DEVIATION = (
    r"R_{\mathcal{D}_\Phi}(w)\le\widehat{L}^{\rho}_{S_\Phi}(w)+\frac{4r}{\rho\sqrt{m}}+2\sqrt{\frac{\log(6/\beta)}{m}}"
)


@theorem(
    "bms22.thm3.2.s3",
    part="uniform",
    kind="tail",
    says=r"\Pr\left[\forall w\in\mathbb{B}^k:\ " + DEVIATION + r"\right]\ge 1-\frac{\beta}{3}",
    needs=[integer("m"), positive("radius"), positive("rho"), in_unit_interval("beta")],
    source=", Appendix B.3, proof",
)
def printed_deviation(*, m, beta, radius, rho):
    """The hinge loss of the sample bounds the risk of all vectors of norm 1

    4r/(rho sqrt(m)) + 2 sqrt(log(6/beta)/m). Derivation: clipping scales a feature by a positive number, so it changes
    no sign and R is the risk of the clipped distribution, whose features have norm at most 2r. The margin bound of
    Mohri, Rostamizadeh & Talwalkar (2018), Theorem 5.8, at beta/3 and with the class's Rademacher complexity 2r/sqrt(m)
    gives 2 * 2r/(rho sqrt(m)) + sqrt(log(3/beta)/(2m)), and log(3/beta)/2 <= 4 log(6/beta).
    """
    return 4 * radius / (rho * sqrt(m)) + 2 * sqrt(log(6 / beta) / m)


@theorem(
    "bms22.thm3.2.s3",
    part="released",
    kind="tail",
    says=r"\Pr\left[" + DEVIATION.replace("(w)", r"(\tilde{w})") + r"\right]\ge 1-\frac{\beta}{3}",
    needs=[integer("m"), positive("radius"), positive("rho"), in_unit_interval("beta")],
    source=", Appendix B.3, proof",
)
def printed_released_deviation(*, m, beta, radius, rho):
    """The hinge loss of the sample bounds the risk of what is released

    The same number, and "it follows" does not: step 4 releases a vector of norm up to 2, not 1.
    """
    return printed_deviation(m=m, beta=beta, radius=radius, rho=rho)


@printed_released_deviation.corrected(
    says=r"\Pr\left[\forall w\in\mathbb{B}^k(2):\ R_{\mathcal{D}_\Phi}(w)\le\widehat{L}^{\rho}_{S_\Phi}(w)"
    r"+\frac{8r}{\rho\sqrt{m}}+\sqrt{\frac{\log(3/\beta)}{2m}}\right]\ge 1-\frac{\beta}{3}",
    source=", Appendix B.3, proof",
)
def released_deviation(*, m, beta, radius, rho):
    """The hinge loss of the sample bounds the risk of all vectors of norm 2

    The class has Rademacher complexity 2 * 2r/sqrt(m); the rest as in `printed_deviation`.
    """
    return 8 * radius / (rho * sqrt(m)) + sqrt(log(3 / beta) / (2 * m))


@theorem(
    "bms22.thm3.2.s4",
    kind="identity",
    says=r"R_{\mathcal{D}}(\Phi^\top\tilde{w})=R_{\mathcal{D}_\Phi}(\tilde{w})",
    source=", Appendix B.3, proof",
)
def lifted_score(*, w, projected):
    """The lifted vector has the risk of the projected one

    <Phi^T w, x> = <w, Phi x>: the right-hand side. `w`: shape (k,); `projected`: Phi x for every row x, shape (n, k).
    """
    return projected @ w


PRINTED_EXCESS = (
    r"\frac{\Lambda r}{\rho}\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{\log(m/\beta)\log(1/\beta)}\log^{3/4}(1/\delta)}{\sqrt{\varepsilon m}}\right)"
)


@theorem(
    "bms22.thm3.2.s5",
    kind="tail",
    says=r"\Pr\left[\widehat{L}^{\rho}_{S_\Phi}(\tilde{w})\le\widehat{L}^{\rho}_{S_\Phi}(\hat{w})+"
    + PRINTED_EXCESS
    + r"\right]\ge 1-\frac{\beta}{3}",
    needs=[*SIZES, at_least("a", 1)],
    source=", Appendix B.3, proof",
)
def printed_training(*, m, epsilon, delta, beta, a):
    """What the training loses, at the printed k

    Printed without O(.), so with the constant 1.
    """
    logs = (log(m) - log(beta)) * -log(beta)
    return a * (1 / sqrt(m) + sqrt(logs) * (-log(delta)) ** 0.75 / sqrt(epsilon * m))


@printed_training.corrected(
    says=r"\Pr\left[\widehat{L}^{\rho}_{S_\Phi}(\tilde{w})\le\widehat{L}^{\rho}_{S_\Phi}(\hat{w})"
    r"+\frac{\Lambda r}{\rho}O\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{\log(2m/\beta)\log(2/\beta)}\log^{3/4}(1/\delta)}{\sqrt{\varepsilon m}}\right)"
    r"\right]\ge 1-\frac{\beta}{3}",
    source=", Appendix B.3, proof",
)
def corrected_training(*, m, epsilon, delta, beta, a):
    """What the training loses, with O(.) and at the corrected k

    What the O(.) multiplies. Where `corrected_rows` is at least 1, k is at most twice that, and Lemma 3.1, corrected,
    at 4a and beta/3 gives 4 * 2.59 * sqrt(2) = 14.7 times its constant. Where it is below 1, the noise term is
    a y/sqrt(rows) > a y with y = log(2m/beta) > log 2, and no excess is above 8a.
    """
    logs = log(2 * m / beta) * log(2 / beta)
    return a * (1 / sqrt(m) + sqrt(logs) * (-log(delta)) ** 0.75 / sqrt(epsilon * m))


@theorem(
    "bms22.thm3.2.s6",
    part="projected",
    kind="tail",
    says=r"\widehat{L}^{\rho}_{S_\Phi}(w^*_\Phi)\le\widehat{L}^{\rho}_S(w^*)"
    r"+\frac{r}{\rho}O\left(\sqrt{\frac{\log(1/\beta)}{\varepsilon m}}\log^{3/4}(1/\delta)\right)",
    needs=[*SIZES, at_least("a", 1)],
    source=", Appendix B.3, proof",
)
def printed_projected_loss(*, m, epsilon, delta, beta, a):
    """The projected best vector loses little, at the printed k

    What the O(.) multiplies, with probability at least 1 - beta/3.
    """
    return a * printed_distortion(m=m, epsilon=epsilon, delta=delta, beta=beta)


@printed_projected_loss.corrected(
    says=r"\widehat{L}^{\rho}_{S_\Phi}(w^*_\Phi)\le\widehat{L}^{\rho}_S(w^*)"
    r"+\frac{r}{\rho}O\left(\sqrt{\frac{\log(2/\beta)}{\varepsilon m}}\log^{3/4}(1/\delta)\right)",
    needs=[
        *SIZES,
        at_least("a", 1),
        require("k >= 56 log(2m/beta)", lambda m, beta, rows: rows >= 56 * log(2 * m / beta)),
    ],
    source=", Appendix B.3, proof",
)
def projected_loss(*, m, epsilon, delta, beta, a, rows):
    """The projected best vector loses little, at the corrected k and with independent signs

    What the O(.) multiplies; `rows` = `corrected_rows`. By the Lipschitz constant 1/rho the loss grows by at most a t,
    t = `sign_distortion` <= sqrt(12 * 4.59 log(2m/beta)/k) = 7.43 sqrt(log(2/beta)/(epsilon m)) log^{3/4}(1/delta):
    C = 7.43 (`efficient.utility_constant`).
    """
    return a * sqrt(log(2 / beta) / (epsilon * m)) * (-log(delta)) ** 0.75


@theorem(
    "bms22.thm3.2.s6",
    part="minimiser",
    says=r"\min_{w\in\mathbb{B}^k}\widehat{L}^{\rho}_{S_\Phi}(w)\le\widehat{L}^{\rho}_{S_\Phi}(w^*_\Phi)",
    needs=[in_unit_interval("gamma")],
    source=", Appendix B.3, proof",
)
def minimiser_radius(*, gamma):
    """The minimiser is at least as good as the projected best vector

    The radius 1 of the ball over which the printed minimiser is taken; the norm of w*_Phi goes up to sqrt(1 + gamma/3).
    """
    return 1.0


@minimiser_radius.corrected(
    says=r"\min_{w\in\mathbb{B}^k(2)}\widehat{L}^{\rho}_{S_\Phi}(w)\le\widehat{L}^{\rho}_{S_\Phi}(w^*_\Phi)",
    source=", Appendix B.3, proof",
)
def corrected_minimiser_radius(*, gamma):
    """The minimiser over the ball that is trained on is at least as good as the projected best vector

    The radius 2 of Algorithm 2's ball, and sqrt(1 + gamma/3) <= 2.
    """
    return 2.0
