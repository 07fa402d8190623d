"""The proof of Theorem 3.2 of Bassily, Mohri & Suresh (2022), step by step. As the proof does, Lambda = 1.

Its displays are (13)-(17) in the paper (000), (12)-(16) in the appendix (002), with the same content. gamma is the
distortion of the projection: for w* and the x_i of the sample, norms and inner products change by at most gamma/3.
"""

from math import log, sqrt

from lemmata.bounds.bms22.dp_erm_proof import SETTING
from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

PROOF = ", Appendix B.3, proof"
THIRD = r"\right]\ge 1-\frac{\beta}{3}"
DEVIATES = [integer("m"), positive("radius"), positive("rho"), in_unit_interval("beta")]


@theorem(
    "bms22.thm3.2.s1",
    part="norms",
    says=r"\|x_\Phi\|_2^2\le\left(1+\frac{\gamma}{3}\right)\|x\|_2^2,\quad x_\Phi\in\mathbb{B}^k(2r)",
    needs=[in_unit_interval("gamma")],
    source=PROOF,
)
def projected_norm(*, gamma: float) -> float:
    """The projection lengthens ||x||^2 by a factor of at most 1 + gamma/3.

    So no record of the sample is clipped.

    It is part (i) of Lemma A.4's event; sqrt(1 + gamma/3) < 2 for gamma < 1.
    """
    return 1 + gamma / 3


@theorem(
    "bms22.thm3.2.s1",
    part="rows",
    says=r"\gamma=O\left(\sqrt{\frac{\log(m/\beta)}{k}}\right)",
    needs=[*SETTING, integer("k")],
    source=PROOF,
)
def printed_distortion_of_rows(*, m: int, epsilon: float, delta: float, beta: float, k: int) -> float:
    """Order of the distortion of a fast projection, by Lemma A.4 as printed.

    It is gamma at k rows.
    """
    return sqrt((log(m) - log(beta)) / k)


@printed_distortion_of_rows.corrected(
    says=r"\gamma=O\left(\sqrt{\frac{\log(2m/\beta)}{k}}\right)\ \mathrm{for\ independent\ signs}",
    needs=[*SETTING, integer("k"), require("k >= 56 log(2m/beta)", lambda m, beta, k: k >= 56 * log(2 * m / beta))],
)
def distortion_of_rows(*, m: int, epsilon: float, delta: float, beta: float, k: int) -> float:
    """Order of the distortion of a sign projection with k rows (Lemma A.3).

    It has 2m for m, so it is not 0 as beta -> 1.

    gamma = 3t, t = `sign_distortion`: t^2 - 2 t^3/3 >= t^2/3 for t <= 1, so t <= sqrt(12 log(6 (3m + 1)/beta)/k), and
    log(6 (3m + 1)/beta) <= log(24 m/beta) <= (1 + log(12)/log(2)) log(2m/beta): C = 3 * 7.43.
    """
    return sqrt(log(2 * m / beta) / k)


@theorem(
    "bms22.thm3.2.s1",
    part="gamma",
    kind="identity",
    says=r"\sqrt{\frac{\log(m/\beta)}{k}}=\sqrt{\frac{\log(1/\beta)}{\varepsilon m}}\log^{3/4}(1/\delta)",
    needs=SETTING,
    source=PROOF,
)
def printed_distortion(*, m: int, epsilon: float, delta: float, beta: float) -> float:
    """The order of the distortion gamma at the printed number of rows.

    Derivation. The printed k is epsilon m log(m/beta)/(log^{3/2}(1/delta) log(1/beta)), so log(m/beta)/k =
    log^{3/2}(1/delta) log(1/beta)/(epsilon m), and its root is the right side. A larger k, rounded up, makes the left
    side smaller.
    """
    return sqrt(-log(beta) / (epsilon * m)) * (-log(delta)) ** 0.75


@theorem(
    "bms22.thm3.2.s2",
    says=r"1-\frac{y\langle w^*_\Phi,x_\Phi\rangle}{\rho}\le 1-\frac{y\langle w^*,x\rangle}{\rho}+\frac{r\gamma}{\rho}",
    needs=[in_unit_interval("gamma"), positive("radius"), positive("rho")],
    source=PROOF,
)
def margin_loss(*, gamma: float, radius: float, rho: float) -> float:
    """The projection costs the best vector at most r gamma / rho in hinge loss.

    Part (ii) of Lemma A.4's event gives a third of it.
    """
    return radius * gamma / rho


DEVIATION = (
    r"R_{\mathcal{D}_\Phi}(w)\le\widehat{L}^{\rho}_{S_\Phi}(w)+\frac{4r}{\rho\sqrt{m}}+2\sqrt{\frac{\log(6/\beta)}{m}}"
)


def margin_bound(*, m: int, confidence: float, complexity: float, rho: float) -> float:
    """(2/rho) complexity + sqrt(log(1/confidence)/(2m)), for a class with that Rademacher complexity on m records.

    The largest excess of the risk over the rho-hinge loss, uniformly, with probability 1 - `confidence` (Mohri,
    Rostamizadeh & Talwalkar 2018, Theorem 5.8).
    """
    return 2 / rho * complexity + sqrt(log(1 / confidence) / (2 * m))


def linear_complexity(*, m: int, norm_bound: float, radius: float) -> float:
    """norm_bound radius / sqrt(m), the Rademacher complexity of linear functions at most (ibid., Theorem 5.10)."""
    return norm_bound * radius / sqrt(m)


@theorem(
    "bms22.thm3.2.s3",
    part="uniform",
    kind="tail",
    says=r"\Pr\left[\forall w\in\mathbb{B}^k:\ " + DEVIATION + THIRD,
    needs=DEVIATES,
    source=PROOF,
)
def printed_deviation(*, m: int, beta: float, radius: float, rho: float) -> float:
    """How far the risk of a vector of norm 1 exceeds its hinge loss, as printed.

    The bound is 4r/(rho sqrt(m)) + 2 sqrt(log(6/beta)/m), for norms of at most 1.

    Derivation: clipping scales a feature by a positive number, so it changes no sign and R is the risk of the clipped
    distribution, whose features have norm at most 2r. `margin_bound` at beta/3 and the class's complexity 2r/sqrt(m)
    gives 4r/(rho sqrt(m)) + sqrt(log(3/beta)/(2m)), and log(3/beta)/2 <= 4 log(6/beta).
    """
    return 4 * radius / (rho * sqrt(m)) + 2 * sqrt(log(6 / beta) / m)


@theorem(
    "bms22.thm3.2.s3",
    part="released",
    kind="tail",
    says=r"\Pr\left[" + DEVIATION.replace("(w)", r"(\tilde{w})") + THIRD,
    needs=DEVIATES,
    source=PROOF,
)
def printed_released_deviation(*, m: int, beta: float, radius: float, rho: float) -> float:
    """How far the risk of the released vector exceeds its hinge loss, as printed.

    The bound is that for norm 1, but the norm is up to 2.

    Step 4 releases a norm of up to 2, so the number does not follow.
    """
    return printed_deviation(m=m, beta=beta, radius=radius, rho=rho)


@printed_released_deviation.corrected(
    says=r"\Pr\left[\forall w\in\mathbb{B}^k(2):\ R_{\mathcal{D}_\Phi}(w)\le\widehat{L}^{\rho}_{S_\Phi}(w)"
    r"+\frac{8r}{\rho\sqrt{m}}+\sqrt{\frac{\log(3/\beta)}{2m}}" + THIRD
)
def released_deviation(*, m: int, beta: float, radius: float, rho: float) -> float:
    """How far the risk of a vector of norm 2 exceeds its hinge loss.

    The bound is 8r/(rho sqrt(m)) + sqrt(log(3/beta)/(2m)).

    The class has complexity 2 * 2r/sqrt(m); the rest as in `printed_deviation`.

    Derivation. The functions x -> <w, x> with |w| <= 2 and |x| <= 2r have a Rademacher complexity of at most 2 *
    2r/sqrt(m), and the hinge is 1/rho-Lipschitz, so the margin bound, cited, adds 2 * 4r/(rho sqrt(m)) = 8r/(rho
    sqrt(m)) and sqrt(log(3/beta)/(2m)).
    """
    return 8 * radius / (rho * sqrt(m)) + sqrt(log(3 / beta) / (2 * m))


@theorem(
    "bms22.thm3.2.s4",
    kind="identity",
    says=r"R_{\mathcal{D}}(\Phi^\top\tilde{w})=R_{\mathcal{D}_\Phi}(\tilde{w})",
    source=PROOF,
)
def lifted_score(*, w: Array, projected: Array) -> Array:
    """The lifted and the projected vector have equal scores, hence equal risks.

    Each scores its own version of the record.

    `w`: shape (k,); `projected`: Phi x for every row x, shape (n, k).

    Derivation. <Phi^T w, x> = <w, Phi x> for every x and every matrix Phi, so both classifiers have the same score on
    every record, and with it the same risk.
    """
    return projected @ w


TRAINED = (
    r"\Pr\left[\widehat{L}^{\rho}_{S_\Phi}(\tilde{w})\le\widehat{L}^{\rho}_{S_\Phi}(\hat{w})+\frac{\Lambda r}{\rho}"
)


@theorem(
    "bms22.thm3.2.s5",
    kind="tail",
    says=TRAINED + r"\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{\log(m/\beta)\log(1/\beta)}\log^{3/4}(1/\delta)}{\sqrt{\varepsilon m}}\right)" + THIRD,
    needs=[*SETTING, at_least("a", 1)],
    source=PROOF,
)
def printed_training(*, m: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """The excess loss of training at the printed number of rows.

    The constant is 1, because the statement has no O(.).
    """
    logs = (log(m) - log(beta)) * -log(beta)
    return a * (1 / sqrt(m) + sqrt(logs) * (-log(delta)) ** 0.75 / sqrt(epsilon * m))


@printed_training.corrected(
    says=TRAINED + r"O\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{\log(2m/\beta)\log(2/\beta)}\log^{3/4}(1/\delta)}{\sqrt{\varepsilon m}}\right)" + THIRD
)
def corrected_training(*, m: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """The order of the excess loss of training at the corrected number of rows.

    Where `corrected_rows` is at least 1, k is at most twice that, and Lemma 3.1, corrected, at 4a and beta/3 gives
    4 * 2.59 * sqrt(2) = 14.7 times its constant. Where it is below 1, the noise term is a y/sqrt(rows) > a y with
    y = log(2m/beta) > log 2, and no excess is above 8a.
    """
    logs = log(2 * m / beta) * log(2 / beta)
    return a * (1 / sqrt(m) + sqrt(logs) * (-log(delta)) ** 0.75 / sqrt(epsilon * m))


@theorem(
    "bms22.thm3.2.s6",
    part="projected",
    kind="tail",
    says=r"\widehat{L}^{\rho}_{S_\Phi}(w^*_\Phi)\le\widehat{L}^{\rho}_S(w^*)"
    r"+\frac{r}{\rho}O\left(\sqrt{\frac{\log(1/\beta)}{\varepsilon m}}\log^{3/4}(1/\delta)\right)",
    needs=[*SETTING, at_least("a", 1)],
    source=PROOF,
)
def printed_projected_loss(*, m: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """Order of the hinge loss added by the projection, at the printed rows.

    It is added to the loss of the best vector.

    This holds with probability 1 - beta/3.
    """
    return a * printed_distortion(m=m, epsilon=epsilon, delta=delta, beta=beta)


@printed_projected_loss.corrected(
    says=r"\widehat{L}^{\rho}_{S_\Phi}(w^*_\Phi)\le\widehat{L}^{\rho}_S(w^*)"
    r"+\frac{r}{\rho}O\left(\sqrt{\frac{\log(2/\beta)}{\varepsilon m}}\log^{3/4}(1/\delta)\right)",
    needs=[
        *SETTING,
        at_least("a", 1),
        require("k >= 56 log(2m/beta)", lambda m, beta, rows: rows >= 56 * log(2 * m / beta)),
    ],
)
def projected_loss(*, m: int, epsilon: float, delta: float, beta: float, a: float, rows: float) -> float:
    """Order of the hinge loss added by random signs, at the corrected rows.

    It is added to the loss of the best vector.

    `rows` = `corrected_rows`. By the Lipschitz constant 1/rho the loss grows by at most a t, t = `sign_distortion` <=
    7.43 sqrt(log(2m/beta)/k) (s1), and log(2m/beta)/rows is log(2/beta) log^{3/2}(1/delta)/(epsilon m): C = 7.43.
    """
    return a * sqrt(log(2 / beta) / (epsilon * m)) * (-log(delta)) ** 0.75


@theorem(
    "bms22.thm3.2.s6",
    part="minimiser",
    says=r"\min_{w\in\mathbb{B}^k}\widehat{L}^{\rho}_{S_\Phi}(w)\le\widehat{L}^{\rho}_{S_\Phi}(w^*_\Phi)",
    needs=[in_unit_interval("gamma")],
    source=PROOF,
)
def minimiser_radius(*, gamma: float) -> float:
    """The printed minimiser is taken over the ball of radius 1.

    But the projected best vector may be longer.

    Its norm ||w*_Phi|| may be up to sqrt(1 + gamma/3).
    """
    return 1.0


@minimiser_radius.corrected(
    says=r"\min_{w\in\mathbb{B}^k(2)}\widehat{L}^{\rho}_{S_\Phi}(w)\le\widehat{L}^{\rho}_{S_\Phi}(w^*_\Phi)"
)
def corrected_minimiser_radius(*, gamma: float) -> float:
    """Algorithm 2 trains on a ball of radius 2, which holds the projected best vector.

    The reason is sqrt(1 + gamma/3) <= 2.

    Derivation. In the event of Lemma A.3 ||Phi w*||^2 <= 1 + gamma/3 < 4 for gamma < 1, so Phi w* is one of the vectors
    of norm at most 2, and the minimum over them is at most its loss.
    """
    return 2 * minimiser_radius(gamma=gamma)
