"""The utility of boosting: our derivation of abgmu22's theorem on boosting, for generalized linear losses.

All m models are compared on the same chunk, so only the variance of loss differences counts, D = l(w_i) - l(w_j). A
nonnegative H-smooth phi has a sqrt(H/2)-Lipschitz root, so D^2 <= 2 g^2 (Z_i^2 + Z_j^2)(l_i + l_j): it is small where
the losses are, and no term Y^2/sqrt n appears. The printed proof compares each model with its own expectation.

w* minimises L everywhere, and err is over L(w*): t1 needs an excess that is never negative. The printed condition on A
compares with the best w in a ball, which A's models may leave; the two agree if w* is in the ball.

The budget: all m models worse than 2 err, 2^-m <= beta/4; E exp(Z_i^2) > 8m/beta for a model, beta/4; a loss above
Delta on the last chunk, beta/4 by hypothesis; noise, beta/8; Bernstein's inequality for m differences at e^-K, below
beta/8.
"""

from math import inf, log, sqrt

from lemmata.bounds.abgmu22.confidence_boosting import SIZES, boosted_rate, boosted_rate_squared
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, require, theorem

OURS: dict = {"reading": "explicit", "source": "our derivation"}
TURNS = 64  # of an iteration that halves its error at least
MODELS = require("2^-candidates <= beta/4", lambda candidates, beta: 2.0**-candidates <= beta / 4)
CHUNKS = require("n >= candidates + 1", lambda n, candidates: n >= candidates + 1)
DIVIDED = [SIZES[0], SIZES[1], in_unit_interval("beta"), *SIZES[4:], MODELS, CHUNKS]
GLM = (
    r"\ell\ \mathrm{generalized\ linear},\ \mathbb E[L(\hat w_i)-L(w^*)]\le\mathrm{err},\ L(w^*)=\min_{w\in\mathbb R^d}"
    r"L(w),\ \Pr[\max\ell>\Delta]\le\tfrac\beta4,\ 2^{-m}\le\tfrac\beta4:\quad"
)
K_IS = r"K=\log\frac{8mn'}\beta,\ n'=\frac n{m+1},\ \eta=\gamma K\sqrt{\tfrac{\tilde H}{n'}}"


def logarithm(*, n: int, candidates: int, beta: float) -> float:
    """K = log(8 m n'/beta), n' = n/(m + 1) the records of a chunk.

    >>> round(logarithm(n=500, candidates=4, beta=0.05), 4)
    11.0666
    """
    return log(8 * candidates * (n / (candidates + 1)) / beta)


def resolution(*, n: int, candidates: int, beta: float, gamma: float, smoothness: float) -> float:
    """eta = g K / sqrt n', the square root of the loss that a chunk can tell from none."""
    return gamma * logarithm(n=n, candidates=candidates, beta=beta) * sqrt(smoothness * (candidates + 1) / n)


@boosted_rate.explicit(
    kind="tail",
    says=GLM + r"\Pr\left[L(\hat w_{i^*})-L(w^*)\le4\,\mathrm{err}+2su+\frac{4\Delta K}{3n'}"
    r"+(8+8\sqrt2)\,\eta\|Y\|+(24+4\sqrt2)\,\eta^2\right]\ge1-\beta,\quad "
    + K_IS
    + r",\ (m-1)(2+u)e^{-u}=\tfrac\beta2",
    needs=[*DIVIDED, at_least("scale", 0)],
    source=", our derivation, for noise of any scale s and every n",
)
def boosted_excess(
    *,
    n: int,
    candidates: int,
    beta: float,
    gamma: float,
    smoothness: float,
    label_bound: float,
    loss_bound: float,
    err: float,
    scale: float,
) -> float:
    """The excess risk of the model that boosting chooses, with our constants.

    `err` is A's expected excess risk on a chunk of n' records.

    Derivation. A model j has L_j <= L* + 2 err (t1). The chosen i has L^_i <= L^_j + s u (t2 at beta/8). Bernstein's
    inequality from above, which needs an upper bound and a second moment alone (abgmu22.thm.grid.s4, part above), for
    min(-D, Delta), whose second moment is at most E D^2 (t3), turns this into x = L_i - L_j <= s u +
    2 Delta K/(3n') + sqrt(2K E D^2/n'); the root is at most sqrt 8 eta sqrt x + eta (4 sqrt L_j + sqrt 32 Y +
    sqrt 8 eta) (t4), and t5 solves for x. With L_j <= Y^2 + 2 err, 8 eta sqrt(2 err) <= 2 err + 16 eta^2.

    >>> sizes = dict(n=10**6, candidates=7, beta=0.05, gamma=0.1, smoothness=1.0, label_bound=1.0)
    >>> round(boosted_excess(**sizes, loss_bound=1.5, err=0.0, scale=0.0), 4)
    0.1036
    """
    K = logarithm(n=n, candidates=candidates, beta=beta)
    eta = resolution(n=n, candidates=candidates, beta=beta, gamma=gamma, smoothness=smoothness)
    noise = 2 * selection_loss(candidates=candidates, b=beta / 8, scale=scale) + 4 * loss_bound * K * (
        candidates + 1
    ) / (3 * n)
    return 4 * err + noise + (8 + 8 * sqrt(2)) * eta * label_bound + (24 + 4 * sqrt(2)) * eta**2


LOGARITHMS = (
    r"\Pr[L(\hat w_{i^*})-L(w^*)\le CK^2(m+1)\,g]\ge1-\beta,\quad g\ \mathrm{as\ printed\ under}\ \tilde O,\ "
    r"K=\log\frac{8mn}{(m+1)\beta}"
)


@boosted_rate.corrected(
    says=GLM + LOGARITHMS + r",\ C=\tfrac58,\ \mathrm{noise\ of\ scale}\ \frac{2(m+1)\Delta}{n\varepsilon}",
    needs=[*SIZES, MODELS, CHUNKS],
    source=", with the least noise that is private, generalized linear losses, every n",
)
def boosted_rate_corrected(
    *,
    n: int,
    candidates: int,
    epsilon: float,
    beta: float,
    gamma: float,
    smoothness: float,
    label_bound: float,
    loss_bound: float,
    err: float,
) -> float:
    """The order of boosting's excess risk, corrected.

    K and m + 1 are the free logarithms.

    It is 5/8 K^2 (m + 1) times the expression that is printed under the O, and m + 1 is a logarithm of 1/beta.

    Term by term from `boosted_excess`; m >= 3, so K >= log 24 > 3. The noise is the most, 2 (m + 1) u. As u - log(2+u)
    <= K - log(4m/(m-1)), u/K^2 is largest at the least K, log(8m): 0.297, 0.292 for m = 3 and 4, and at most 0.302 for
    m >= 5.
    """
    sizes = dict(epsilon=epsilon, gamma=gamma, smoothness=smoothness, label_bound=label_bound)
    rate = boosted_rate.theorem.formula(n=n, candidates=candidates, beta=beta, loss_bound=loss_bound, err=err, **sizes)
    return 5 / 8 * logarithm(n=n, candidates=candidates, beta=beta) ** 2 * (candidates + 1) * rate


@boosted_rate_squared.corrected(
    says=GLM
    + LOGARITHMS
    + r",\ C=\tfrac3{10},\ \mathrm{noise\ of\ scale}\ \tilde\sigma^2,\ \Delta\ge\|Y\|^2+\tilde H\tilde\gamma^2"
    r"\|\mathcal X\|^2",
    needs=[*SIZES, MODELS, CHUNKS],
    source=", with sigma^2 as the scale of the noise, generalized linear losses, Delta a bound of all losses",
)
def boosted_rate_squared_corrected(
    *,
    n: int,
    candidates: int,
    epsilon: float,
    beta: float,
    gamma: float,
    smoothness: float,
    label_bound: float,
    loss_bound: float,
    err: float,
) -> float:
    """The order of boosting's excess risk for noise of scale sigma^2, corrected.

    The free logarithms are named.

    The noise is 4 Delta/(n epsilon) there: 4 u <= 3/10 K^2 (m + 1) for all m >= 3.
    """
    sizes = dict(epsilon=epsilon, gamma=gamma, smoothness=smoothness, label_bound=label_bound)
    rate = boosted_rate_squared.theorem.formula(
        n=n, candidates=candidates, beta=beta, loss_bound=loss_bound, err=err, **sizes
    )
    return 3 / 10 * logarithm(n=n, candidates=candidates, beta=beta) ** 2 * (candidates + 1) * rate


# Steps ----------------------------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.thm.boost.t1",
    kind="tail",
    says=r"L^*=\min_{w\in\mathbb R^d}L(w),\ \mathbb E[L(\hat w_i)-L^*]\le\mathrm{err}\ \Rightarrow\ "
    r"\Pr[\forall i\le m:\ L(\hat w_i)-L^*>2\,\mathrm{err}]\le2^{-m}",
    needs=[integer("candidates")],
    **OURS,
)
def no_good_model(*, candidates: int) -> float:
    """The probability that all m independent models are worse than 2 err.

    err is the learner's mean excess risk.

    Derivation. The excess is at least 0, so Markov's inequality gives P(excess > 2 err) <= 1/2 for each model; the m
    models are independent, so all are worse with probability at most 2^-m.
    """
    return 2.0**-candidates


@theorem(
    "abgmu22.thm.boost.t2",
    kind="tail",
    says=r"q\mathrm{\ independent\ of\ the\ noise}:\quad\Pr\left[q_{i^*}<\max_iq_i-su\right]\le b,"
    r"\quad(m-1)(2+u)e^{-u}=4b\ \mathrm{or}\ u=0",
    needs=[integer("candidates"), in_unit_interval("b"), at_least("scale", 0)],
    **OURS,
)
def selection_loss(*, candidates: int, b: float, scale: float) -> float:
    """The loss of report noisy max with Laplace noise of scale s.

    It loses more with probability at most b, for scores that do not depend on the noise. Exact for two candidates.

    Derivation. A candidate that is chosen although its score is below the best one by more than s u has a noise that
    exceeds the best one's by more than s u. The difference of two Laplace noises of scale s exceeds s u >= 0 with
    probability (2 + u) e^(-u)/4, and there are m - 1 rivals. Where that is at most b at u = 0, u is 0. Since (2 + u)
    e^(-u/2) <= 2, u <= 2 log((m-1)/(2b)) otherwise.

    >>> round(selection_loss(candidates=2, b=0.05, scale=1.0), 3), selection_loss(candidates=2, b=0.5, scale=1.0)
    (3.272, 0.0)
    """
    level = log((candidates - 1) / (4 * b)) if candidates > 1 else -inf  # u - log(2 + u) at the root
    if level <= -log(2):
        return 0.0
    u = level  # below the root; a step divides the distance by 2 + u
    for _ in range(TURNS):
        u = level + log(2 + u)
    return scale * u


@theorem(
    "abgmu22.thm.boost.t3",
    says=r"\mathbb Ee^{Z_i^2},\mathbb Ee^{Z_j^2}\le\frac{8m}\beta\ \Rightarrow\ \mathbb E[(\ell_i-\ell_j)^2]\le4g^2K"
    r"(L_i+L_j)+\frac{8g^2K}{n'}(2\|Y\|^2+g^2K)",
    needs=[integer("n"), integer("candidates"), *SIZES[3:7], CHUNKS, at_least("both", 0)],
    **OURS,
)
def squared_difference(
    *, n: int, candidates: int, beta: float, gamma: float, smoothness: float, label_bound: float, both: float
) -> float:
    """The second moment of the difference of two models' losses.

    This is E D^2, and `both` is L_i + L_j.

    Let M = Z_i^2 + Z_j^2. |sqrt l_i - sqrt l_j| <= (g/sqrt 2)(|Z_i| + |Z_j|), so D^2 <= 2 g^2 M (l_i + l_j), at most
    4 g^2 K (l_i + l_j) where M <= 2K. Beyond, l_i + l_j <= 4Y^2 + g^2 M, E e^(M/2) <= 8m/beta, and M e^(-M/2) and
    M^2 e^(-M/2) decrease beyond 2K > 4; e^-K 8m/beta = 1/n'.
    """
    K, energy = logarithm(n=n, candidates=candidates, beta=beta), gamma**2 * smoothness
    rare = 8 * energy * K * (2 * label_bound**2 + energy * K) * (candidates + 1) / n
    return 4 * energy * K * both + rare


@theorem(
    "abgmu22.thm.boost.t4",
    says=r"\sqrt{\tfrac{2K}{n'}\left(4g^2K(x+2L_j)+\tfrac{8g^2K}{n'}(2\|Y\|^2+g^2K)\right)}\le\sqrt8\,\eta\sqrt x"
    r"+\eta\left(4\sqrt{L_j}+\sqrt{32}\,\|Y\|+\sqrt8\,\eta\right)",
    needs=[at_least("x", 0), at_least("reference", 0), at_least("eta", 0), at_least("label_bound", 0)],
    **OURS,
)
def split_difference(*, x: float, reference: float, eta: float, label_bound: float) -> float:
    """The deviation of an empirical loss difference is at most a sum of two roots.

    The roots are those of x and of L_j.

    Roots of sums are at most sums of roots, n' >= 1 and K >= 2.
    """
    return sqrt(8) * eta * sqrt(x) + eta * (4 * sqrt(reference) + sqrt(32) * label_bound + sqrt(8) * eta)


@theorem(
    "abgmu22.thm.boost.t5",
    says=r"x\le a+\sqrt8\,\eta\sqrt x\ \Rightarrow\ x\le2a+8\eta^2",
    needs=[at_least("a", 0), at_least("eta", 0)],
    **OURS,
)
def solved_difference(*, a: float, eta: float) -> float:
    """A deviation linear in the root of x is at most half of x and a constant.

    Derivation. sqrt 8 eta sqrt x = 2 sqrt(x/2 * 4 eta^2) <= x/2 + 4 eta^2, so x <= a + x/2 + 4 eta^2, which is x <= 2a
    + 8 eta^2.
    """
    return 2 * a + 8 * eta**2
