r"""The private SVM of a translation-invariant kernel: Rubinstein et al. 2009, Section 4 and Lemma 22, Remark 3.

f* is the SVM with kernel k (Algorithm 1), f~ the SVM with the random features' kernel k_hat, f^ its release, f~ plus
Laplace noise in each of 2 d_hat weights (Algorithm 3). The paper's letters, and ours where they would be read as
something else:

    paper   here        what it is
    beta    `beta`      the level of pure privacy (epsilon elsewhere)
    eps     `acc`       accuracy, in the sup-norm over M
    delta   `delta`     the chance that accuracy fails; there is no approximate privacy here
    lambda  `lam`       Laplace scale of every weight
    d_hat   `count`     number of random frequencies; 2 `count` weights are released
    Lambda  `Lambda`    bound on the L1-norm of the dual variables: f = sum_i alpha_i y_i k(x_i, .)
    -       `eta`       ||k - k_hat||, sup-norm over M x M
    theta   theta       the squared kernel accuracy that the number of features is chosen for
    sigma_p `sigma_p`   square root of E ||omega||^2; `diam` the diameter of M
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import Any

from bounds.rbht09.kernel_svm_proof import CONFIDENCE, NORMALISED, NUMBER, PROBLEM
from bounds.theorem import at_least, integer, positive, require, theorem

# Definition 5, Remark 3 -----------------------------------------------------------------------------------------------


@theorem("rbht09.def5", kind="definition", says=r"k(x,y)=g(x-y)")
def translation_invariant(*, g: Callable, x: Any, y: Any) -> Any:
    """A translation-invariant kernel.

    >>> translation_invariant(g=abs, x=3, y=5)
    2
    """
    return g(x - y)


RISKS = r"\left|\mathbb{E}(1-y\hat f(x))_+-\mathbb{E}(1-yf(x))_+\right|\le\epsilon"


@theorem(
    "rbht09.rem3",
    says=r"\|\hat f-f\|_{\infty;\mathcal{M}}\le\epsilon\ \Rightarrow\ " + RISKS,
    needs=[positive("acc")],
)
def risk_distance(*, acc: Any) -> Any:
    """Classifiers that are close in the sup-norm over M, a set that contains the data, have close hinge risks."""
    return acc


@risk_distance.corrected(
    says=r"x\in\mathcal{M},\ \|\hat f-f\|_{\infty;\mathcal{M}}\le\epsilon\ \Rightarrow\ " + RISKS,
    source=", for records of which M contains all, not only those of the database",
)
def risk_distance_within(*, acc: Any) -> Any:
    """Risks over records of M differ by at most the sup-norm over M: z -> (1 - y z)_+ is 1-Lipschitz for y = +-1."""
    return risk_distance.theorem.formula(acc=acc)


# Corollary 9: privacy -------------------------------------------------------------------------------------------------

RUN = [positive("beta"), integer("n", 2), positive("C"), integer("count"), positive("L")]


@theorem(
    "rbht09.cor9",
    kind="privacy",
    says=r"\lambda\ge\frac{2^{2.5}LC\sqrt{\hat d}}{\beta n}\ \Rightarrow\ \beta\text{-differential privacy}",
    needs=RUN,
)
def features_noise_scale(*, beta: float, n: int, C: float, count: int, L: float = 1.0) -> float:
    """Privacy of PRIVATESVM.

    Theorem 7 with F = 2 d_hat and kappa = 1: k_hat(x, x) = 1 for every x and every draw of the frequencies, which are
    drawn without a look at the data.

    >>> round(features_noise_scale(beta=1.0, n=1000, C=1.0, count=8), 6)
    0.016
    """
    return 2**2.5 * L * C * sqrt(count) / (beta * n)


@features_noise_scale.explicit(
    says=r"\lambda\ge\frac{2^{1.5}LC\sqrt{\hat d}}{\beta n}\ \Rightarrow\ \beta\text{-differential privacy}",
    source=", calibrated to the sharp sensitivity",
)
def features_noise_scale_sharp(*, beta: float, n: int, C: float, count: int, L: float = 1.0) -> float:
    """Privacy of PRIVATESVM with half the noise.

    The sharp half of Theorem 7. It is attained at frequencies that agree, rho_j = 1, by the flipped label of x = pi/4,
    where all cosines and sines are equal: no smaller scale serves every draw of the frequencies.
    """
    return 2**1.5 * L * C * sqrt(count) / (beta * n)


# Lemma 10: the noise --------------------------------------------------------------------------------------------------

CLOSE = r"\Pr\left(\|\hat f^\star-\tilde f\|_\infty\le\frac{\epsilon}{2}\right)\ge 1-\frac{\delta}{2}"


@theorem(
    "rbht09.lem10",
    kind="tail",
    says=r"0<\lambda\le\min\left\{\frac{\epsilon}{2^4\log_e 2\,\sqrt{\hat d}},\ \frac{\epsilon\sqrt{\hat d}}{8\log_e"
    r"\frac{2}{\delta}}\right\}\ \Rightarrow\ " + CLOSE,
    needs=[*CONFIDENCE, integer("count")],
    source=", the logarithm is that of 2, as in its proof",
)
def noise_range(*, acc: float, delta: float, count: int) -> float:
    """The largest Laplace scale under which noise moves the classifier by at most acc / 2 anywhere.

    min {acc / (16 ln 2 sqrt(d_hat)), acc sqrt(d_hat) / (8 ln(2 / delta))}. The text prints log_e 2 sqrt(d_hat) without
    a bracket. The proof needs d_hat ln 4 <= acc sqrt(d_hat) / (8 lambda): (ln 2) sqrt(d_hat).

    >>> round(noise_range(acc=1.0, delta=0.1, count=100), 6)
    0.009017
    """
    return min(acc / (16 * log(2) * sqrt(count)), acc * sqrt(count) / (8 * log(2 / delta)))


@theorem(
    "rbht09.lem10",
    part="logarithm",
    kind="tail",
    says=r"0<\lambda\le\min\left\{\frac{\epsilon}{2^4\log_e(2\sqrt{\hat d})},\ \frac{\epsilon\sqrt{\hat d}}{8\log_e"
    r"\frac{2}{\delta}}\right\}\ \Rightarrow\ " + CLOSE,
    needs=[*CONFIDENCE, integer("count")],
    source=", the logarithm as the proof of Theorem 16 reads it",
)
def noise_range_logarithm(*, acc: float, delta: float, count: int) -> float:
    """The same range with log_e(2 sqrt(d_hat)), as the proof of Theorem 16 brackets it."""
    return min(acc / (16 * log(2 * sqrt(count))), acc * sqrt(count) / (8 * log(2 / delta)))


@noise_range.explicit(
    says=r"0<\lambda\le\frac{\epsilon\sqrt{\hat d}}{4((2\hat d-1)\log 2+\log\frac{2}{\delta})}\ \Rightarrow\ " + CLOSE,
    source=", in one line",
)
def noise_range_sharp(*, acc: float, delta: float, count: int) -> float:
    """Half of Chernoff's bound in one line: Theorem 8's with F = 2 d_hat, Phi = d_hat^(-1/2), acc / 2 and delta / 2.

    Its reciprocal is less than the mean of the two whose maximum Lemma 10 prints, so it is never the smaller scale.
    """
    return acc * sqrt(count) / (4 * ((2 * count - 1) * log(2) + log(2 / delta)))


COMPACT = [*CONFIDENCE, integer("count", 2), integer("d"), at_least("sigma_p", 0), at_least("diam", 0)]


@noise_range.explicit(
    part="compact",
    says=r"0<\lambda\le\frac{\epsilon}{4(\log\frac{32}{\delta}+d\log(1+5\sqrt{\hat d}\,\sigma_p\,\mathrm{diam}"
    r"(\mathcal{M})/\delta))}\ \Rightarrow\ \Pr\left(\|\hat f^\star-\tilde f\|_{\infty;\mathcal{M}}\le"
    r"\frac{\epsilon}{2}\right)\ge 1-\frac{\delta}{2}",
    needs=COMPACT,
    source="derived here: the sup-norm over the compact set that Theorem 14 asks for",
)
def noise_range_compact(*, acc: float, delta: float, count: float, d: int, sigma_p: float, diam: float) -> float:
    """A scale that shrinks like 1 / log(d_hat), not like 1 / sqrt(d_hat): the noise over a compact set M alone.

    Let Z(x) = <mu, phi_hat(x)>, d_hat >= 2, and N = (1 + 2 diam / r)^d points an r-net of M (`net_points`).

    At a point: E exp(Z / lambda) = prod_i 1 / (1 - phi_i^2) with sum_i phi_i^2 = 1 and phi_i^2 <= 1 / d_hat. The
    logarithm is convex in the phi_i^2, so it is largest where d_hat of them are 1 / d_hat: (1 - 1 / d_hat)^(-d_hat) <=
    4. Hence Pr(|Z(x)| > acc / 4) <= 8 exp(-acc / (4 lambda)) (`point_tail`).
    Between points: a pair (cos a, sin a) moves by at most |a - a'|, so Z moves by at most r d_hat^(-1/2) sum_j
    ||rho_j|| hypot(mu_2j-1, mu_2j), whose mean is at most 2 r sqrt(d_hat) sigma_p lambda; by Markov's inequality it
    exceeds acc / 4 with probability at most 8 r sqrt(d_hat) sigma_p lambda / acc (`drift_tail`).
    With r such that the second is delta / 4, the first is at most delta / 4 if acc / (4 lambda) >= log(32 N / delta);
    and N <= (1 + 5 sqrt(d_hat) sigma_p diam / delta)^d because lambda <= acc / (4 log 32).

    >>> round(noise_range_compact(acc=1.0, delta=0.05, count=10**6, d=1, sigma_p=1.0, diam=2.0), 6)
    0.013392
    """
    spread = 1 + 5 * sqrt(count) * sigma_p * diam / delta
    return acc / (4 * (log(32 / delta) + d * log(spread)))


# Lemma 11: an excess risk is a distance -------------------------------------------------------------------------------


@theorem(
    "rbht09.lem11",
    says=r"R[f]\ge R[f^\star]+\frac a2\|f-f^\star\|^2,\ R[f]\le R[f^\star]+\epsilon\ \Rightarrow\ "
    r"\|f-f^\star\|\le\sqrt{2\epsilon/a}",
    needs=[at_least("excess", 0), positive("a")],
)
def distance_of_excess(*, excess: float, a: float = 1.0) -> float:
    """How far from the minimiser a function with a small excess risk can be: sqrt(2 excess / a).

    >>> distance_of_excess(excess=2.0)
    2.0
    """
    return sqrt(2 * excess / a)


# Lemmas 12 and 22: another kernel, nearly the same classifier ---------------------------------------------------------

KERNELS_CLOSE = (
    r"\|k-\hat k\|_{\infty;\mathcal{M}}\le\min\left\{1,\frac{\epsilon^2}{2^2(\Lambda+2\sqrt{(CL+\Lambda/2)\Lambda})^2}"
    r"\right\}\ \Rightarrow\ \|f^\star-g^\star\|_{\infty;\mathcal{M}}\le\frac{\epsilon}{2}"
)
OURS_CLOSE = (
    r"\eta\Lambda+\sqrt{(CL+\Lambda)\Lambda\eta}\le\frac{\epsilon}{2},\ \|k-\hat k\|_{\infty;\mathcal{M}}\le\eta\ "
    r"\Rightarrow\ \|f^\star-g^\star\|_{\infty;\mathcal{M}}\le\frac{\epsilon}{2}"
)


@theorem("rbht09.lem22", says=KERNELS_CLOSE, needs=PROBLEM, source=", any convex loss")
def closeness(*, acc: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """How close the kernels must be for the two SVMs to be within acc / 2 of each other on M.

    With eta = ||k - k_hat|| the proof shows ||f* - g*|| <= eta Lambda + 2 sqrt((C L + Lambda / 2) Lambda eta), which is
    at most sqrt(eta) (Lambda + 2 sqrt(...)) for eta <= 1.

    >>> closeness(acc=0.5, C=1.0, Lambda=1.0) < 0.006
    True
    """
    return min(1.0, acc**2 / (2**2 * (Lambda + 2 * sqrt((C * L + Lambda / 2) * Lambda)) ** 2))


@theorem("rbht09.lem12", says=KERNELS_CLOSE, needs=PROBLEM, source=", differentiable loss")
def closeness_smooth(*, acc: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """The same for a differentiable loss, where each minimiser has one gradient, which vanishes."""
    return closeness(acc=acc, C=C, Lambda=Lambda, L=L)


@closeness.explicit(says=OURS_CLOSE, source=", through the duality gap; Lambda of f* alone")
def closeness_by_gap(*, acc: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """Kernels may be farther apart, and only one of the two optimisations needs a bound on its dual variables.

    Let alpha be the dual variables of f*, g_alpha the same combination of k_hat. Primal and dual of g* are both
    1-strongly convex, so ||g_alpha - g*||^2 is at most the duality gap of alpha under k_hat. The gap under k is 0, and
    from k to k_hat the losses move it by at most C L eta Lambda and the two quadratic terms by Lambda^2 eta together:
    ||g_alpha - g*||^2 <= (C L + Lambda) Lambda eta. Add |f* - g_alpha| <= eta Lambda on M, and solve for eta.
    """
    slope = sqrt((C * L + Lambda) * Lambda)
    return (acc / (sqrt(slope**2 + 2 * Lambda * acc) + slope)) ** 2


@closeness_smooth.explicit(says=OURS_CLOSE, source=", through the duality gap; Lambda of f* alone")
def closeness_smooth_by_gap(*, acc: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """The same for a differentiable loss."""
    return closeness_by_gap(acc=acc, C=C, Lambda=Lambda, L=L)


# Theorem 14: utility --------------------------------------------------------------------------------------------------

NOISE = (
    r"\lambda\le\min\left\{\frac{\epsilon}{2^4\log_e2\,\sqrt{\hat d}},"
    r"\frac{\epsilon\sqrt{%s}}{8\log_e\frac{2}{%s}}\right\}"
)
SUP = r"\|f_{\hat M(D)}-f_{M(D)}\|_{\infty;\mathcal{M}}\le\epsilon"
RELEASE = [*CONFIDENCE, integer("count"), integer("d")]


@theorem(
    "rbht09.thm14",
    part="used",
    kind="tail",
    says=NUMBER + r",\ " + NOISE % ("d", r"\delta") + rf"\ \Rightarrow\ \Pr\left({SUP}\right)\ge 1-\delta",
    needs=RELEASE,
    source=", as its proof uses it",
)
def useful_noise(*, acc: float, delta: float, count: int, d: int) -> float:
    """Usefulness of PRIVATESVM: the largest Laplace scale printed, beside a sufficient number of features.

    The second term is printed with the dimension d under its root, where Lemma 10 and Corollary 15 have d_hat.
    """
    return min(acc / (2**4 * log(2) * sqrt(count)), acc * sqrt(d) / (8 * log(2 / delta)))


@theorem(
    "rbht09.thm14",
    part="defined",
    kind="tail",
    says=NUMBER + r",\ " + NOISE % ("d", r"\delta") + rf"\ \Rightarrow\ \Pr\left({SUP}\right)\ge\delta",
    needs=RELEASE,
    source=", with Definition 2 as printed",
)
def useful_noise_defined(*, acc: float, delta: float, count: int, d: int) -> float:
    """The same range where success is asked for with probability delta, as Definition 2 words it."""
    return useful_noise(acc=acc, delta=delta, count=count, d=d)


@useful_noise.corrected(
    says=r"g(0)=1,\ " + NUMBER + r",\ " + NOISE % (r"\hat d", r"\delta") + rf"\ \Rightarrow\ \Pr\left({SUP}\right)"
    r"\ge 1-\delta",
    needs=[*CONFIDENCE, integer("count"), NORMALISED],
    source=", for kernels with g(0) = 1, with the root of d_hat",
)
def useful_noise_corrected(*, acc: float, delta: float, count: int, g0: float = 1) -> float:
    """Usefulness of PRIVATESVM with Lemma 10's range.

    Lemma 13 makes the kernels close enough except with probability delta / 2 (`features_for`), then Lemma 22 puts f~
    within acc / 2 of f* on M, and Lemma 10 puts f^ within acc / 2 of f~ except with probability delta / 2.
    """
    return min(acc / (2**4 * log(2) * sqrt(count)), acc * sqrt(count) / (8 * log(2 / delta)))


@useful_noise_defined.corrected(
    says=r"g(0)=1,\ "
    + NUMBER.replace(r"\delta", r"(1-\delta)")
    + r",\ "
    + NOISE % (r"\hat d", r"1-\delta")
    + rf"\ \Rightarrow\ \Pr\left({SUP}\right)\ge\delta",
    needs=[*CONFIDENCE, integer("count"), NORMALISED],
    source=", with 1 - delta in place of delta",
)
def useful_noise_defined_corrected(*, acc: float, delta: float, count: int, g0: float = 1) -> float:
    """Usefulness as defined: the corrected theorem at the chance of failure 1 - delta."""
    return useful_noise_corrected(acc=acc, delta=1 - delta, count=count)


# Section 4: what it costs ---------------------------------------------------------------------------------------------


@theorem(
    "rbht09.complexity",
    part="gram",
    kind="rate",
    says=r"\text{multiplications for the matrix of all }\hat k(x_i,x_j)=O(\hat d\,n^2)",
    needs=[integer("n", 2), integer("d"), integer("count")],
    source=", O(d_hat) for each entry",
)
def gram_order(*, n: int, d: int, count: int) -> float:
    """The order printed for the Gram matrix of the random features."""
    return count * n**2


@gram_order.corrected(
    says=r"\text{multiplications for the matrix of all }\hat k(x_i,x_j)=O(\hat d\,n(n+d))",
    source=", with the <rho_j, x_i> counted",
)
def gram_order_corrected(*, n: int, d: int, count: int) -> float:
    """The printed order and that of the products <rho_j, x_i>, d_hat n d multiplications."""
    return gram_order.theorem.formula(n=n, d=d, count=count) + count * n * d


@theorem(
    "rbht09.complexity",
    part="features",
    kind="rate",
    says=r"\hat d=O\left(\frac{d}{\epsilon^4}\left(\log\frac1\delta+\log\frac1\epsilon\right)\right)\text{ suffices "
    r"(cf. Corollary 15)}",
    needs=[*CONFIDENCE, integer("d")],
)
def features_order(*, acc: float, delta: float, d: int) -> float:
    """The order printed for the number of frequencies, C and sigma_p diam(M) fixed or not."""
    return d / acc**4 * (log(1 / delta) + log(1 / acc))


@features_order.corrected(
    says=r"C=1,\ \sigma_p\,\mathrm{diam}(\mathcal{M})\le 2,\ \epsilon,\delta\le\frac12\ \Rightarrow\ \hat d=O\left("
    r"\frac{d}{\epsilon^4}\left(\log\frac1\delta+\log\frac1\epsilon\right)\right)",
    needs=[*CONFIDENCE, integer("d"), require("acc, delta <= 1/2", lambda acc, delta: max(acc, delta) <= 0.5)],
    source=", with what is fixed named",
)
def features_order_corrected(*, acc: float, delta: float, d: int) -> float:
    """The same order with C and sigma_p diam(M) fixed, here at 1 and 2, and eps and delta at most 1/2."""
    return features_order.theorem.formula(acc=acc, delta=delta, d=d)
