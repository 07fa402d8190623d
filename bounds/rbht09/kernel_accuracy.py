"""How accurate the private SVM of a kernel is: Rubinstein et al. 2009, Lemmas 10, 11, 12, 22 and Theorem 14.

The noise moves f~ little (Lemma 10), f~ is near f* if the kernels are near (Lemmas 12 and 22, by Lemma 11), and they
are near if there are enough frequencies (Lemma 13): Theorem 14. Letters as in `lemmata.bounds.rbht09.kernel_svm`.
"""

from math import exp, log, sqrt
from typing import Any

from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

CONFIDENCE = [positive("acc"), in_unit_interval("delta")]
PROBLEM = [positive("acc"), positive("C"), positive("Lambda"), positive("L")]
NORMALISED = require("g(0) = 1", lambda g0: g0 == 1)
SPACE = [*PROBLEM, in_unit_interval("delta"), integer("d"), positive("sigma_p"), positive("diam")]
NUMBER = (
    r"\hat d\ge\frac{4(d+2)}{\theta}\log_e\frac{2^9(\sigma_p\,\mathrm{diam}(\mathcal{M}))^2}{\delta\theta},\ \theta="
    r"\min\left\{1,\frac{\epsilon^4}{2^4(\Lambda+2\sqrt{(CL+\Lambda/2)\Lambda})^4}\right\}"
)

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
    """The largest Laplace scale under which noise moves the classifier by acc / 2.

    min {acc / (16 ln 2 sqrt(d_hat)), acc sqrt(d_hat) / (8 ln(2 / delta))}. The text prints log_e 2 sqrt(d_hat) without
    a bracket. The proof needs d_hat ln 4 <= acc sqrt(d_hat) / (8 lambda): (ln 2) sqrt(d_hat).

    >>> round(noise_range(acc=1.0, delta=0.1, count=100), 6)
    0.009017
    """
    return min(acc / (16 * log(2) * sqrt(count)), acc * sqrt(count) / (8 * log(2 / delta)))


def noise_range_logarithm(*, acc: float, delta: float, count: int) -> float:
    """The same range with log_e(2 sqrt(d_hat)), as the proof of Theorem 16 has it, not that of Lemma 10."""
    return min(acc / (16 * log(2 * sqrt(count))), acc * sqrt(count) / (8 * log(2 / delta)))


@noise_range.explicit(
    says=r"0<\lambda\le\frac{\epsilon\sqrt{\hat d}}{4((2\hat d-1)\log 2+\log\frac{2}{\delta})}\ \Rightarrow\ " + CLOSE,
    source=", in one line",
)
def noise_range_sharp(*, acc: float, delta: float, count: int) -> float:
    """A Laplace scale at least as large under which noise moves by at most acc / 2.

    Theorem 8's bound with F = 2 d_hat, Phi = d_hat^(-1/2), acc / 2 and delta / 2, in one line.

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
    """The largest Laplace scale that moves the classifier by acc / 2 on a compact M.

    A scale that shrinks like 1 / log(d_hat), not like 1 / sqrt(d_hat).

    Derivation. Let Z(x) = <mu, phi_hat(x)>, d_hat >= 2, and N = (1 + 2 diam / r)^d points an r-net of M (`net_points`).

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


def point_tail(*, acc: float, lam: float, count: int) -> float:
    """2 (1 - 1 / d_hat)^(-d_hat) exp(-acc / (4 lambda)), d_hat >= 2: see `noise_range_compact`."""
    return 2 * (1 - 1 / count) ** -count * exp(-acc / (4 * lam))


def drift_tail(*, acc: float, lam: float, count: int, sigma_p: float, r: float) -> float:
    """8 r sqrt(d_hat) sigma_p lambda / acc: see `noise_range_compact`."""
    return 8 * r * sqrt(count) * sigma_p * lam / acc


def net_points(*, d: int, diam: float, r: float) -> float:
    """(1 + 2 diam / r)^d points come within r of every point of a set of diameter diam in R^d."""
    return (1 + 2 * diam / r) ** d


@theorem(
    "rbht09.lem10.s1",
    kind="tail",
    says=r"\Pr\left(\|\hat f^\star-\tilde f\|_\infty>\frac{\epsilon}{2}\right)\le 2^{2\hat d}e^{-\epsilon\sqrt{\hat d}/"
    r"(4\lambda)}",
    needs=[positive("acc"), positive("lam"), integer("count")],
)
def noise_tail(*, acc: float, lam: float, count: int) -> float:
    """Chernoff's bound on the chance that noise moves the classifier by over acc / 2.

    Theorem 8 at t = 1 / (2 lambda), for 2 d_hat weights of features at most d_hat^(-1/2).

    >>> round(noise_tail(acc=1.0, lam=0.1, count=4), 6)
    1.724914
    """
    return exp(2 * count * log(2) - acc * sqrt(count) / (4 * lam))


@theorem(
    "rbht09.lem10.s2",
    kind="tail",
    says=r"\lambda\le\frac{\epsilon}{2^4\log_e 2\,\sqrt{\hat d}}\ \Rightarrow\ 2^{2\hat d}e^{-\epsilon\sqrt{\hat d}/"
    r"(4\lambda)}\le e^{-\epsilon\sqrt{\hat d}/(8\lambda)}",
    needs=[positive("acc"), positive("lam"), integer("count")],
)
def noise_tail_halved(*, acc: float, lam: float, count: int) -> float:
    """A simpler bound on the chance that noise moves the classifier by over acc / 2.

    Half of the exponent absorbs 2^(2 d_hat).
    """
    return exp(-acc * sqrt(count) / (8 * lam))


# Lemma 11: an excess risk is a distance -------------------------------------------------------------------------------


@theorem(
    "rbht09.lem11",
    says=r"R[f]\ge R[f^\star]+\frac a2\|f-f^\star\|^2,\ R[f]\le R[f^\star]+\epsilon\ \Rightarrow\ "
    r"\|f-f^\star\|\le\sqrt{2\epsilon/a}",
    needs=[at_least("excess", 0), positive("a")],
)
def distance_of_excess(*, excess: float, a: float = 1.0) -> float:
    """A function of small excess risk is within sqrt(2 excess / a) of the minimiser.

    Derivation. (a/2) ||f - f*||^2 <= R[f] - R[f*] <= excess by the two hypotheses; divided by a/2, the root is ||f -
    f*|| <= sqrt(2 excess/a).

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
    """Kernels this close have SVMs within acc / 2 of each other, any convex loss.

    With eta = ||k - k_hat|| the proof shows ||f* - g*|| <= eta Lambda + 2 sqrt((C L + Lambda / 2) Lambda eta), which is
    at most sqrt(eta) (Lambda + 2 sqrt(...)) for eta <= 1.

    >>> closeness(acc=0.5, C=1.0, Lambda=1.0) < 0.006
    True
    """
    return min(1.0, acc**2 / (2**2 * (Lambda + 2 * sqrt((C * L + Lambda / 2) * Lambda)) ** 2))


@theorem("rbht09.lem12", says=KERNELS_CLOSE, needs=PROBLEM, source=", differentiable loss")
def closeness_smooth(*, acc: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """Kernels this close have SVMs within acc / 2 of each other, differentiable loss.

    Each minimiser has one gradient, which vanishes.
    """
    return closeness(acc=acc, C=C, Lambda=Lambda, L=L)


@closeness.explicit(says=OURS_CLOSE, source=", through the duality gap; Lambda of f* alone")
def closeness_by_gap(*, acc: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """Kernels farther apart than printed still have close SVMs, any convex loss.

    Only one of the two optimisations needs a bound on its dual variables.

    Let alpha be the dual variables of f*, g_alpha the same combination of k_hat. Primal and dual of g* are both
    1-strongly convex, so ||g_alpha - g*||^2 is at most the duality gap of alpha under k_hat. The gap under k is 0, and
    from k to k_hat the losses move it by at most C L eta Lambda and the two quadratic terms by Lambda^2 eta together:
    ||g_alpha - g*||^2 <= (C L + Lambda) Lambda eta. Add |f* - g_alpha| <= eta Lambda on M, and solve for eta.
    """
    slope = sqrt((C * L + Lambda) * Lambda)
    return (acc / (sqrt(slope**2 + 2 * Lambda * acc) + slope)) ** 2


@closeness_smooth.explicit(says=OURS_CLOSE, source=", through the duality gap; Lambda of f* alone")
def closeness_smooth_by_gap(*, acc: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """Kernels farther apart than printed still have close SVMs, differentiable loss.

    Derivation. A differentiable convex loss is convex, which is all that is used. The dual variables of f* have a
    duality gap of at most (C L + Lambda) Lambda eta under k_hat, which bounds ||g_alpha - g*||^2, and |f* - g_alpha| <=
    eta Lambda on M (s1). The two together are at most epsilon/2 up to the eta that is stated.
    """
    return closeness_by_gap(acc=acc, C=C, Lambda=Lambda, L=L)


@theorem(
    "rbht09.lem12.s1",
    says=r"|f^\star(x)-g_{\alpha^\star}(x)|\le\eta\Lambda",
    needs=[at_least("eta", 0), positive("Lambda")],
    source=", Equation (4.3)",
)
def same_dual_distance(*, eta: Any, Lambda: Any) -> Any:
    """A combination of kernels differs by at most sum_i |alpha_i| |k - k_hat|(x_i, x).

    Derivation. Both functions have the same dual variables, so |f*(x) - g(x)| = |sum_i alpha_i y_i (k(x_i, x) - k^(x_i,
    x))| <= eta sum_i |alpha_i| <= eta Lambda, eta the largest distance of the two kernels.
    """
    return eta * Lambda


@theorem(
    "rbht09.lem12.s2",
    says=r"\left|R^{\mathcal H}_{reg}[f^\star]-R^{\hat{\mathcal H}}_{reg}[g_{\alpha^\star}]\right|\le\left(CL+"
    r"\frac\Lambda2\right)\Lambda\eta",
    needs=[at_least("eta", 0), positive("C"), positive("Lambda"), positive("L")],
    source=", proof, display below (4.3)",
)
def risk_change(*, eta: Any, C: Any, Lambda: Any, L: Any = 1) -> Any:
    """The regularised risk of a combination changes by at most this between kernels.

    Derivation. The functions differ by at most eta ||alpha||_1 <= eta Lambda on the records (s1), so the losses move by
    at most C L eta Lambda, and the quadratic term alpha' K alpha/2 by at most eta ||alpha||_1^2/2 <= eta Lambda^2/2.
    """
    return (C * L + Lambda / 2) * Lambda * eta


@theorem(
    "rbht09.lem12.s3",
    says=r"\|g_{\alpha^\star}-g^\star\|_{\hat{\mathcal H}}\le 2\sqrt{(CL+\Lambda/2)\Lambda\eta}",
    needs=[at_least("eta", 0), positive("C"), positive("Lambda"), positive("L")],
    source=", Equation (4.4)",
)
def solution_distance(*, eta: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """The best combination for one kernel is this near to the other's minimiser.

    Lemma 11 at twice the change of the risk: g_alpha* is nearly optimal among the functions of k_hat.
    """
    return 2 * sqrt((C * L + Lambda / 2) * Lambda * eta)


CHAIN = (
    r"R^{\mathcal H}_{reg}[f_{\beta^\star}]+\left(CL+\frac\Lambda2\right)\Lambda\eta\le "
    r"R^{\hat{\mathcal H}}_{reg}[f_{\beta^\star}]+%s\left(CL+\frac\Lambda2\right)\Lambda\eta"
)


@theorem(
    "rbht09.lem12.s4",
    says=CHAIN % "",
    needs=[at_least("eta", 0), positive("C"), positive("Lambda"), positive("L")],
    source=", proof, last links of the chain above (4.4); f_beta in the space of k_hat is read as its image, g*",
)
def end_of_the_chain(*, eta: Any, C: Any, Lambda: Any, L: Any = 1) -> Any:
    """The chain of risks ends in one change of the risk, as printed.

    The first link already includes one change of the risk; the link from f_beta in H to g* needs a second one.
    """
    return risk_change(eta=eta, C=C, Lambda=Lambda, L=L)


@end_of_the_chain.corrected(says=CHAIN % "2", source=", proof, the change of the risk twice, as (4.4) takes its root")
def end_of_the_whole_chain(*, eta: Any, C: Any, Lambda: Any, L: Any = 1) -> Any:
    """The chain of risks ends in two changes of the risk, "by the same argument".

    Once from f* to g_alpha, and once from f_beta to g*.

    Derivation. With the same dual variables the risk changes by at most (C L + Lambda/2) Lambda eta from k to k_hat
    (s2). The chain uses this for the variables of f* and again for those of g*, and the two changes add up.
    """
    return 2 * end_of_the_chain.theorem.formula(eta=eta, C=C, Lambda=Lambda, L=L)


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
    """PRIVATESVM is useful up to the printed Laplace scale, given enough features.

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
    """PRIVATESVM is useful as Definition 2 words it, up to this Laplace scale."""
    return useful_noise(acc=acc, delta=delta, count=count, d=d)


@useful_noise.corrected(
    says=r"g(0)=1,\ " + NUMBER + r",\ " + NOISE % (r"\hat d", r"\delta") + rf"\ \Rightarrow\ \Pr\left({SUP}\right)"
    r"\ge 1-\delta",
    needs=[*CONFIDENCE, integer("count"), NORMALISED],
    source=", for kernels with g(0) = 1, with the root of d_hat",
)
def useful_noise_corrected(*, acc: float, delta: float, count: int, g0: float = 1) -> float:
    """PRIVATESVM is useful up to this Laplace scale, with the range of Lemma 10.

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
    """PRIVATESVM fails with probability at most 1 - delta up to this Laplace scale.

    Derivation. Definition 2 as printed asks for success with probability at least delta, so failure has probability
    at most 1 - delta: the part `used` at 1 - delta, in the number d_hat of features and in the range of lambda.
    """
    return useful_noise_corrected(acc=acc, delta=1 - delta, count=count)


@theorem(
    "rbht09.thm14.s1",
    kind="tail",
    says=r"g(0)=1,\ " + NUMBER + r"\ \Rightarrow\ \Pr(A)\ge 1-\frac\delta2",
    needs=[*SPACE, NORMALISED],
    source=", proof, last lines, for kernels with g(0) = 1",
)
def features_for(
    *,
    acc: float,
    delta: float,
    d: int,
    sigma_p: float,
    diam: float,
    C: float,
    Lambda: float,
    L: float = 1.0,
    g0: float = 1,
) -> float:
    """This number of frequencies gives accuracy acc / 2 with probability 1 - delta / 2.

    A is the event that the kernels are as close as Lemma 12 asks, sqrt(theta); it is Lemma 13's at accuracy sqrt(theta)
    and confidence delta / 2, which holds for kernels with g(0) = 1.
    """
    theta = min(1.0, acc**4 / (2**4 * (Lambda + 2 * sqrt((C * L + Lambda / 2) * Lambda)) ** 4))
    return 4 * (d + 2) / theta * log(2**9 * (sigma_p * diam) ** 2 / (delta * theta))
