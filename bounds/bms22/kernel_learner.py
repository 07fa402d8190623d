"""The private kernel learner of Bassily, Mohri & Suresh (2022): Theorem 4.2.

Algorithm 3 maps x to D random Fourier features psi(x) (`random_features`) and runs Algorithm 2 (`efficient_learner`) on
them, with norm bound 2 Lambda and beta/2. a = Lambda r / rho >= 1/2, since Algorithm 3 takes rho in (0, 2 Lambda r].
The paper prints the precise bound alone; its appendix as circulated apart has a form with Õ before it. Fact C.1 and the
steps of the proof come before the theorem that calls them.
"""

from math import exp, log, sqrt

from scipy.special import log_ndtr

from lemmata.bounds.bms22 import efficient_learner
from lemmata.bounds.bms22.dp_erm import CERTAIN, ROUNDS
from lemmata.bounds.bms22.dp_erm_proof import BUDGET, HINGE, SETTING, printed_multiplier
from lemmata.bounds.bms22.phased_sgd import base_step, one_round, phase_lengths, rounds_for
from lemmata.bounds.bms22.random_features import inner_product_error, inner_product_error_sharp
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

ANY = [integer("m"), *BUDGET, in_unit_interval("beta")]  # what Theorem 4.2 asks of sample and budget
HALF = at_least("a", 0.5)
LEARNT = r"\Pr\left[R_{\mathcal{D}}(h_{w^{Priv}})\le\min_{\|h\|_{\mathbb{H}}\le\Lambda}\widehat{L}^{\rho}_S(h)+"
VALID = (
    r"\mathrm{Algorithm\ 3\ is\ }(\varepsilon,\delta)\mathrm{-DP\ for\ every\ }"
    r"\Delta\ge\max_{w}|\widehat{L}_{S_\Phi}(w)-\widehat{L}_{S'_\Phi}(w)|,\ "
)
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
    """The dual coefficients of the kernel minimiser lie in [0, 1/(2 m mu rho)].

    They are y_i alpha_i, of the regularised minimiser.

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
    """The dual coefficients of the kernel minimiser sum to at most 1/(2 mu rho).

    The sum is |alpha|_1, of the regularised minimiser.

    It is m times the largest coefficient.
    """
    return 1 / (2 * mu * rho)


# s1: the loss of w ----------------------------------------------------------------------------------------------------

TRANSFER = r"\widehat{L}^{\rho}_{S_{\hat\psi}}(\hat{w})-\widehat{L}^{\rho}_S(h_\mu)\le"
SURE = r"\right]\ge 1-\frac{\beta}{2}"


@theorem(
    "bms22.thm4.2.s1",
    part="features",
    kind="tail",
    says=r"\Pr\left[" + TRANSFER + r"\frac{2r^2}{\rho}\sqrt{\frac{\log(2m/\beta)}{D}}\|\alpha\|_1" + SURE,
    needs=[*SAMPLE, positive("count"), positive("radius"), positive("rho"), at_least("total", 0)],
    source=PROOF,
)
def transferred_loss(*, m: int, beta: float, count: float, radius: float, rho: float, total: float) -> float:
    """How much hinge loss the random features add to that of h_mu.

    h_mu is the kernel's minimiser, and the loss is that of the features' vector.

    `total` is |alpha|_1, `count` is D.

    Derivation. The losses are 1/rho-Lipschitz in the scores, and score i differs by at most
    sum_j |alpha_j| |<psi^(x_i), psi^(x_j)> - K(x_i, x_j)|; Theorem 4.1 at beta/2, the terms i = j vanish.
    """
    return 2 * radius**2 / rho * sqrt(log(2 * m / beta) / count) * total


@theorem(
    "bms22.thm4.2.s1",
    part="dual",
    kind="tail",
    says=r"\Pr\left[" + TRANSFER + r"\frac{r^2}{\rho^2\mu}\sqrt{\frac{\log(2m/\beta)}{D}}" + SURE,
    needs=[*SAMPLE, positive("count"), positive("radius"), *COEFFICIENTS],
    source=PROOF,
)
def transferred_loss_by_dual(*, m: int, beta: float, count: float, radius: float, rho: float, mu: float) -> float:
    """The hinge loss that the features add, at the largest |alpha|_1.

    It is added to that of the kernel's minimiser.

    The largest |alpha|_1 is that of Fact C.1.
    """
    return radius**2 / (rho**2 * mu) * sqrt(log(2 * m / beta) / count)


@theorem(
    "bms22.thm4.2.s1",
    part="size",
    kind="tail",
    says=r"\Pr\left[" + TRANSFER + r"\frac{\Lambda r}{\rho\sqrt{m}}" + SURE,
    needs=[*SAMPLE, *HINGE],
    source=PROOF,
)
def transferred_loss_at_size(*, m: int, beta: float, radius: float, norm_bound: float, rho: float) -> float:
    """The hinge loss that the features add, at the chosen mu and D.

    There are at least m^2 log(2m/beta) features.

    The step takes mu = r/(Lambda rho sqrt(m)) and D = m^2 log(2m/beta), or more.
    """
    return norm_bound * radius / (rho * sqrt(m))


# s2: the norm of w ----------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm4.2.s2",
    part="square",
    kind="tail",
    says=r"\Pr\left[\|\hat{w}\|_2^2\le\|h_\mu\|_{\mathbb{H}}^2+2r^2\sqrt{\frac{\log(2m/\beta)}{D}}\|\alpha\|_1^2"
    r"\le\|h_\mu\|_{\mathbb{H}}^2+\frac{\Lambda^2}{2}\le\frac{3}{2}\Lambda^2" + SURE,
    needs=[*SAMPLE, positive("norm_bound")],
    source=PROOF,
)
def square_of_weights(*, m: int, beta: float, norm_bound: float) -> float:
    """The features' vector has |w|^2 of at most 3 Lambda^2/2.

    The kernel's |h_mu|^2 <= Lambda^2, and the error of D features in between.

    On the event of s1: |w|^2 - |h_mu|^2 = sum_ij alpha_i alpha_j (<psi^(x_i), psi^(x_j)> - K(x_i, x_j)).
    """
    return 3 / 2 * norm_bound**2


@theorem(
    "bms22.thm4.2.s2",
    part="ball",
    kind="tail",
    says=r"\Pr\left[\hat{w}\in\mathbb{B}^{2D}(2\Lambda)" + SURE,
    needs=[*SAMPLE, positive("norm_bound")],
    source=PROOF,
)
def norm_of_weights(*, m: int, beta: float, norm_bound: float) -> float:
    """Algorithm 2's ball of radius 2 Lambda holds the features' vector.

    |w| is at most sqrt(3/2) Lambda.
    """
    return 2 * norm_bound


# s3: the least loss of the features -----------------------------------------------------------------------------------

LEAST = (
    r"\Pr\left[\min_{w\in\mathbb{B}^{2D}(2\Lambda)}\widehat{L}^{\rho}_{S_{\hat\psi}}(w)"
    r"\le\min_{\|h\|_{\mathbb{H}}\le\Lambda}\widehat{L}^{\rho}_S(h)+"
)


@theorem(
    "bms22.thm4.2.s3",
    kind="tail",
    says=LEAST + r"\frac{2\Lambda r}{\rho\sqrt{m}}" + SURE,
    needs=[*SAMPLE, at_least("a", 0.5)],
    source=f"{PROOF}, (19)",
)
def printed_penalty(*, m: int, beta: float, a: float) -> float:
    """Random features cost at most 2 Lambda r / (rho sqrt(m)) in hinge loss.

    They are compared with the best kernel predictor.

    The sum has step s1, and mu Lambda^2 for h_mu in place of the best predictor.
    """
    return 2 * a / sqrt(m)


@printed_penalty.explicit(
    says=LEAST + r"\frac{\Lambda r}{\rho}\sqrt{2t}" + SURE,
    needs=[*SAMPLE, integer("count"), at_least("a", 0.5)],
    source="the same proof for every number of frequencies",
)
def features_penalty(*, m: int, beta: float, count: int, a: float) -> float:
    """Any number of random frequencies costs at most a sqrt(2t) in hinge loss.

    r^2 t bounds the error of all inner products, `count` is the number of frequencies.

    Derivation. As s1 to s3 with error r^2 t at beta/2 (Theorem 4.1, explicit; printed for m = 1), and mu =
    r sqrt(t/2)/(rho Lambda), which makes the two losses r^2 t/(2 mu rho^2) and mu Lambda^2 equal: each is a sqrt(t/2).
    And |w|^2 <= Lambda^2 + r^2 t/(2 mu rho)^2 = 3 Lambda^2/2 again, whatever t is. At the printed D it is at most the
    printed cost.

    >>> round(features_penalty(m=100, beta=0.1, count=76010, a=1.0), 4), printed_penalty(m=100, beta=0.1, a=1.0)
    (0.1893, 0.2)
    """
    return a * sqrt(2 * features_error(m=m, beta=beta, count=count))


def features_error(*, m: int, beta: float, count: int) -> float:
    """t, at r = 1: the error of D features in any inner product of the sample, with probability 1 - beta/2."""
    statement = inner_product_error_sharp if m > 1 else inner_product_error
    return float(statement(m=m, beta=beta / 2, count=count))


# Privacy --------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm4.2", part="privacy", kind="privacy", says=VALID + r"\varepsilon>0,\ \delta\in(0,1)", needs=[*ANY, *HINGE]
)
def printed_privacy(
    *, m: int, epsilon: float, delta: float, beta: float, radius: float, norm_bound: float, rho: float
) -> float:
    """The kernel learner is (epsilon, delta)-DP for all epsilon, delta, as printed.

    The scores may have any valid sensitivity.
    """
    return epsilon


@printed_privacy.corrected(
    says=VALID + r"\varepsilon\le\log(1/\delta),\ \delta<1/m",
    needs=[*SETTING, *HINGE],
    source=", with Theorem 3.2's range",
)
def privacy_in_range(
    *, m: int, epsilon: float, delta: float, beta: float, radius: float, norm_bound: float, rho: float
) -> float:
    """The kernel learner is private in Theorem 3.2's range of epsilon and delta.

    This holds for every fixed draw of its randomness.

    Derivation. psi and D do not depend on the data, and psi(x) has norm r for every x (Theorem 4.1): a replaced record
    is a replaced (psi(x), y) with norm r, and the release is Algorithm 2's on those, at 2 Lambda and beta/2.
    """
    return epsilon


def far_tail(*, m: int, k: int, epsilon: float, delta: float, beta: float) -> tuple[float, float]:
    """(p, log q) for epsilon beyond log(1/delta): P_S(h(x) < 0) >= p and P_S'(h(x) < 0) <= q, r = rho = 2 Lambda = 1.

    All m = 4 records sit at one x; in S' all labels are +1, in S one is -1. Given |Phi psi(x)| = 1. The first phase
    averages v_1 = 0 and v_2, a full step of length eta_1 along +-Phi psi(x), the label of the record drawn first; the
    second starts from that average plus noise of sigma_1, not clipped but for a chance of a chi-square tail, and adds
    noise of sigma_1/4. So a candidate errs on x, that is, has the other side of 0 than the label drawn, at most with
    the chance e of those two tails. With chance 4^-M all M rounds of S draw the label -1 first, and then the release is
    negative unless a candidate errs; a release of S' is negative only if one does.
    """
    rounds = rounds_for(beta / 6)  # Algorithm 3 halves beta, the proof of Theorem 3.2 takes a third of it
    first, second = one_round(epsilon, delta, rounds)
    tau = printed_multiplier.theorem.formula(epsilon=first, delta=second)
    lipschitz, ball = 2.0, 2.0  # 2r/rho; 2 (2 Lambda)
    eta = base_step(n=m, k=k, multiplier=tau, lipschitz=lipschitz, norm_bound=ball) / 4
    sigma, step = 2 * lipschitz * eta * tau, min(0.5, eta)  # pull (rho/|z|^2) = 1/2 of the way, at most eta_1/rho
    if phase_lengths(m) != [2, 1]:
        raise ValueError(f"m = {m} has other phases than two records and one")
    wrong = log_ndtr(-step / 2 / (sigma * sqrt(1 + 1 / 16)))
    y = (ball - step / 2) ** 2 / (k * sigma**2)
    clipped = -k / 2 * (y - 1 - log(y)) if y > 1 else 0.0  # Chernoff
    errs = max(wrong, clipped) + log(2)
    return 4.0**-rounds * (1 - min(1.0, rounds * exp(errs))), log(rounds) + errs


# Utility --------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm4.2",
    part="utility",
    kind="tail",
    says=LEARNT + r"O\left(\sqrt{\frac{\log(1/\beta)}{m}}+\frac{\Lambda r}{\rho}\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{\log(m/\beta)\log(1/\beta)}\log^{3/4}(1/\delta)}{\sqrt{\varepsilon m}}\right)\right)" + CERTAIN,
    needs=[*ANY, HALF],
)
def printed_order(*, m: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """The order of the kernel learner's excess risk, as printed.

    It is Theorem 3.2's order, at the kernel's margin Lambda r / rho.
    """
    return efficient_learner.printed_order.theorem.formula(m=m, epsilon=epsilon, delta=delta, beta=beta, a=a)


@printed_order.corrected(
    says=LEARNT + r"O\left(\sqrt{\frac{\log(2/\beta)}{m}}+\frac{\Lambda r}{\rho}\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{\log(2m/\beta)\log(2/\beta)}\log^{3/4}(1/\delta)}{\sqrt{\varepsilon m}}\right)\right)" + CERTAIN,
    needs=[*SETTING, HALF],
)
def corrected_order(*, m: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """The order of the kernel learner's excess risk, corrected, for every beta.

    It holds in the corrected range of epsilon and delta.

    It is the corrected order of Theorem 3.2, with its k at beta/2.

    The constant is derived in `utility_constant`.
    """
    return efficient_learner.corrected_order.theorem.formula(m=m, epsilon=epsilon, delta=delta, beta=beta, a=a)


def utility_constant(efficient: float) -> float:
    """C of the corrected order, given Theorem 3.2's.

    Algorithm 2 is run at 2a and beta/2: log(4/beta) <= 2 log(2/beta) and log(4m/beta) <= 2 log(2m/beta), as 2/beta >=
    2, so each term of its order is at most 4 times ours (twice for 2a, twice for the logarithms). The features lose
    2a/sqrt(m) (s3), twice the second term.
    """
    return 4 * efficient + 2


@printed_order.explicit(
    says=LEARNT
    + r"a\sqrt{2s}+2a\left(t+\frac{8}{\sqrt{m}}\right)+16ea\sqrt{AB}+\frac{4(1+8a)\log(12M/\beta)}{\varepsilon m}"
    r"+\sqrt{\frac{\log(6/\beta)}{2m}}"
    + CERTAIN
    + r",\quad a=\frac{\Lambda r}{\rho},\ M=\lceil\log(12/\beta)\rceil,"
    + ROUNDS
    + r",\quad s=\sqrt{\frac{2\log(2m(m-1)/\beta)}{D}},\ t\le 1,\ t^2-\frac{2t^3}{3}=\frac{4\log(12(3m+1)/\beta)}{k}",
    needs=[*SETTING, HALF, integer("k"), integer("count")],
    source="our constants",
)
def kernel_excess(
    *, m: int, k: int, count: int, epsilon: float, delta: float, beta: float, a: float, calibration: str = "corrected"
) -> float:
    """The kernel learner's excess risk, with our constants.

    The bound holds with probability 1 - beta.

    E is `efficient_learner.learner_excess` at 2a and beta/2, s the error of `count` = D frequencies, any number of them
    (`features_penalty`). Derivation: with probability at least 1 - beta/2 over the frequencies the least loss of the
    features in the ball of radius 2 Lambda is at most that of the kernel plus a sqrt(2t); and for every draw of them
    Algorithm 2 at 2 Lambda and beta/2 exceeds the least loss of the features by E with probability at most beta/2.

    >>> sizes = dict(m=2**19, k=1000, epsilon=8.0, delta=1e-7, beta=0.1, a=1.0, calibration="tight")
    >>> round(kernel_excess(count=2**20, **sizes), 2)
    0.94
    """
    penalty = features_penalty(m=m, beta=beta, count=count, a=a)
    return penalty + efficient_learner.learner_excess(
        m=m, k=k, epsilon=epsilon, delta=delta, beta=beta / 2, a=2 * a, calibration=calibration
    )


def smallest_useful_m(*, k: int, count: int, epsilon: float, beta: float, a: float) -> int:
    """The smallest power of two m at which the explicit bound is below 1: delta = 1/(10m), tight calibration.

    >>> smallest_useful_m(k=1000, count=2**20, epsilon=8.0, beta=0.1, a=1.0)
    524288
    """
    m = 4096
    while True:
        delta = 1 / (10 * m)
        if kernel_excess(m=m, k=k, count=count, epsilon=epsilon, delta=delta, beta=beta, a=a, calibration="tight") < 1:
            return m
        m *= 2
