r"""Steps of Rubinstein et al. 2009, Section 4: the proofs of Lemmas 10 and 12, of Theorem 14, and of our noise bound.

Letters as in `bounds.rbht09.kernel_svm`.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Any

from bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

CONFIDENCE = [positive("acc"), in_unit_interval("delta")]
PROBLEM = [positive("acc"), positive("C"), positive("Lambda"), positive("L")]
NORMALISED = require("g(0) = 1", lambda g0: g0 == 1)
SPACE = [*PROBLEM, in_unit_interval("delta"), integer("d"), positive("sigma_p"), positive("diam")]

# Lemma 10 ------------------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.lem10.s1",
    kind="tail",
    says=r"\Pr\left(\|\hat f^\star-\tilde f\|_\infty>\frac{\epsilon}{2}\right)\le 2^{2\hat d}e^{-\epsilon\sqrt{\hat d}/"
    r"(4\lambda)}",
    needs=[positive("acc"), positive("lam"), integer("count")],
)
def noise_tail(*, acc: float, lam: float, count: int) -> float:
    """Chernoff's bound of Theorem 8 at t = 1 / (2 lambda), for 2 d_hat weights of features at most d_hat^(-1/2).

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
    """The same bound without its factor: half of the exponent pays for 2^(2 d_hat)."""
    return exp(-acc * sqrt(count) / (8 * lam))


# The noise over a compact set -----------------------------------------------------------------------------------------


def point_tail(*, acc: float, lam: float, count: int) -> float:
    """2 (1 - 1 / d_hat)^(-d_hat) exp(-acc / (4 lambda)), d_hat >= 2: see `noise_range_compact`."""
    return 2 * (1 - 1 / count) ** -count * exp(-acc / (4 * lam))


def drift_tail(*, acc: float, lam: float, count: int, sigma_p: float, r: float) -> float:
    """8 r sqrt(d_hat) sigma_p lambda / acc: see `noise_range_compact`."""
    return 8 * r * sqrt(count) * sigma_p * lam / acc


def net_points(*, d: int, diam: float, r: float) -> float:
    """(1 + 2 diam / r)^d points come within r of every point of a set of diameter diam in R^d."""
    return (1 + 2 * diam / r) ** d


# Lemma 12 ------------------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.lem12.s1",
    says=r"|f^\star(x)-g_{\alpha^\star}(x)|\le\eta\Lambda",
    needs=[at_least("eta", 0), positive("Lambda")],
    source=", Equation (4.3)",
)
def same_dual_distance(*, eta: Any, Lambda: Any) -> Any:
    """One combination of two kernels: sum_i |alpha_i| |k(x_i, x) - k_hat(x_i, x)|."""
    return eta * Lambda


@theorem(
    "rbht09.lem12.s2",
    says=r"\left|R^{\mathcal H}_{reg}[f^\star]-R^{\hat{\mathcal H}}_{reg}[g_{\alpha^\star}]\right|\le\left(CL+"
    r"\frac\Lambda2\right)\Lambda\eta",
    needs=[at_least("eta", 0), positive("C"), positive("Lambda"), positive("L")],
    source=", proof, display below (4.3)",
)
def risk_change(*, eta: Any, C: Any, Lambda: Any, L: Any = 1) -> Any:
    """The regularised risk of one combination under two kernels: losses move by C L eta Lambda, norms by the rest."""
    return (C * L + Lambda / 2) * Lambda * eta


@theorem(
    "rbht09.lem12.s3",
    says=r"\|g_{\alpha^\star}-g^\star\|_{\hat{\mathcal H}}\le 2\sqrt{(CL+\Lambda/2)\Lambda\eta}",
    needs=[at_least("eta", 0), positive("C"), positive("Lambda"), positive("L")],
    source=", Equation (4.4)",
)
def solution_distance(*, eta: float, C: float, Lambda: float, L: float = 1.0) -> float:
    """Lemma 11 at twice the change of the risk: g_alpha* is nearly optimal among the functions of k_hat."""
    return 2 * sqrt((C * L + Lambda / 2) * Lambda * eta)


# Theorem 14 ----------------------------------------------------------------------------------------------------------

NUMBER = (
    r"\hat d\ge\frac{4(d+2)}{\theta}\log_e\frac{2^9(\sigma_p\,\mathrm{diam}(\mathcal{M}))^2}{\delta\theta},\ \theta="
    r"\min\left\{1,\frac{\epsilon^4}{2^4(\Lambda+2\sqrt{(CL+\Lambda/2)\Lambda})^4}\right\}"
)


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
    """How many frequencies make f~ accurate to acc / 2 with probability 1 - delta / 2; possibly negative.

    A is the event that the kernels are as close as Lemma 12 asks, sqrt(theta); it is Lemma 13's at accuracy sqrt(theta)
    and confidence delta / 2, which holds for kernels with g(0) = 1.
    """
    theta = min(1.0, acc**4 / (2**4 * (Lambda + 2 * sqrt((C * L + Lambda / 2) * Lambda)) ** 4))
    return 4 * (d + 2) / theta * log(2**9 * (sigma_p * diam) ** 2 / (delta * theta))
