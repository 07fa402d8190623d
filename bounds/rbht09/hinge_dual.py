r"""The hinge loss, and the cost of privacy at a given accuracy: Rubinstein et al. 2009, Section 5.

The dual (5.1), Corollary 15 (privacy and utility of PRIVATESVM with the hinge loss: L = 1, Lambda = C) and Theorem 16,
the upper bound on the optimal privacy level of Definition 4. Letters as in `lemmata.bounds.rbht09.kernel_svm`.
"""

from collections.abc import Sequence
from math import ceil, log, sqrt
from typing import Any

from lemmata.bounds.rbht09.kernel_accuracy import CONFIDENCE, NORMALISED, SUP, noise_range_compact
from lemmata.bounds.theorem import integer, positive, require, theorem

# Equation (5.1) -------------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.eq5_1",
    kind="identity",
    says=r"\min_w\frac12\|w\|^2+\frac Cn\sum_i(1-y_if_w(x_i))_+=\max_{0\le\alpha_i\le C/n}\sum_i\alpha_i-\frac12"
    r"\sum_{i,j}\alpha_i\alpha_jy_iy_jk(x_i,x_j)",
)
def dual_objective(*, alpha: Sequence, labels: Sequence, gram: Sequence[Sequence]) -> Any:
    """The dual objective of the SVM with hinge loss and without an intercept.

    Derivation. (1 - z)_+ = max over a in [0, 1] of a (1 - z). With alpha_i = (C/n) a_i, minimum and maximum may be
    exchanged (the objective is convex in w, linear in alpha, the box compact), and the minimiser is w = sum_i alpha_i
    y_i phi(x_i).

    >>> dual_objective(alpha=[1.0, 1.0], labels=[1, -1], gram=[[1.0, 0.5], [0.5, 1.0]])
    1.5
    """
    signed = [a * y for a, y in zip(alpha, labels, strict=True)]
    quadratic = sum(s * t * k for s, row in zip(signed, gram, strict=True) for t, k in zip(signed, row, strict=True))
    return sum(alpha) - quadratic / 2


# Corollary 15 ---------------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.cor15",
    part="privacy",
    kind="privacy",
    says=r"\lambda\ge\frac{2^{2.5}C\sqrt{\hat d}}{\beta n}\ \Rightarrow\ \beta\text{-differential privacy}",
    needs=[positive("beta"), integer("n", 2), positive("C"), integer("count")],
)
def hinge_noise_scale(*, beta: float, n: int, C: float, count: int) -> float:
    """PRIVATESVM with hinge loss is beta-private from this Laplace scale on.

    Corollary 9 at L = 1.
    """
    return 2**2.5 * C * sqrt(count) / (beta * n)


THETA = r"\theta=\min\left\{1,\frac{\epsilon^4}{2^{12}C^4}\right\}"
NUMBER = (
    r"\hat d\ge\frac{4(d+2)}{\theta}\log_e\frac{2^9(\sigma_p\,\mathrm{diam}(\mathcal{M}))^2}{\delta\theta},\ " + THETA
)
NOISE = (
    r"\lambda\le\min\left\{\frac{\epsilon}{2^4\log_e2\,\sqrt{\hat d}},"
    r"\frac{\epsilon\sqrt{\hat d}}{8\log_e\frac{2}{\delta}}\right\}"
)
CHANCE = rf"\Pr\left({SUP}\right)\ge "


@theorem(
    "rbht09.cor15",
    part="used",
    kind="tail",
    says=rf"{NUMBER},\ {NOISE}\ \Rightarrow\ {CHANCE}1-\delta",
    needs=[*CONFIDENCE, integer("count")],
    source=", as its proof uses it",
)
def hinge_noise(*, acc: float, delta: float, count: int) -> float:
    """PRIVATESVM with hinge loss is useful up to this scale, given enough frequencies.

    That number is `hinge_features`.
    """
    return min(acc / (2**4 * log(2) * sqrt(count)), acc * sqrt(count) / (8 * log(2 / delta)))


@theorem(
    "rbht09.cor15",
    part="defined",
    kind="tail",
    says=rf"{NUMBER},\ {NOISE}\ \Rightarrow\ {CHANCE}\delta",
    needs=[*CONFIDENCE, integer("count")],
    source=", with Definition 2 as printed",
)
def hinge_noise_defined(*, acc: float, delta: float, count: int) -> float:
    """PRIVATESVM with hinge loss is useful by Definition 2 up to this Laplace scale."""
    return hinge_noise(acc=acc, delta=delta, count=count)


@hinge_noise.corrected(
    says=rf"g(0)=1,\ {NUMBER},\ {NOISE}\ \Rightarrow\ {CHANCE}1-\delta",
    needs=[*CONFIDENCE, integer("count"), NORMALISED],
    source=", for kernels with g(0) = 1",
)
def hinge_noise_normalised(*, acc: float, delta: float, count: int, g0: float = 1) -> float:
    """PRIVATESVM with hinge loss and g(0) = 1 is useful up to this Laplace scale.

    Derivation. Theorem 14 (part `used`) at L = 1 and Lambda = C, since the n dual variables of the hinge loss lie in
    [0, C/n]. There Lambda + 2 sqrt((C L + Lambda/2) Lambda) = (1 + sqrt 6) C, and (1 + sqrt 6)^4 2^4 = 2265.4 < 2^12,
    so the theta that is stated is at most that of Theorem 14, and its d_hat is enough (s1, s2).
    """
    return hinge_noise(acc=acc, delta=delta, count=count)


@hinge_noise_defined.corrected(
    says=rf"g(0)=1,\ {NUMBER},\ {NOISE}\ \Rightarrow\ {CHANCE}\delta".replace(r"\delta", r"(1-\delta)", 1).replace(
        r"\frac{2}{\delta}", r"\frac{2}{1-\delta}"
    ),
    needs=[*CONFIDENCE, integer("count"), NORMALISED],
    source=", with 1 - delta in place of delta",
)
def hinge_noise_defined_corrected(*, acc: float, delta: float, count: int, g0: float = 1) -> float:
    """PRIVATESVM with hinge loss fails with chance at most 1 - delta up to this scale.

    Derivation. Success with probability at least delta is failure with probability at most 1 - delta: the part `used`
    at 1 - delta, in the number d_hat of features and in the range of lambda.
    """
    return hinge_noise_normalised(acc=acc, delta=1 - delta, count=count)


SPACE = [*CONFIDENCE, positive("C"), integer("d"), positive("sigma_p"), positive("diam")]


@theorem(
    "rbht09.cor15.s1",
    says=r"\min\left\{1,\frac{\epsilon^4}{2^4C^4(1+\sqrt6)^4}\right\}\le" + THETA.removeprefix(r"\theta="),
    needs=[positive("acc"), positive("C")],
    source=', last sentence of the proof ("this is bounded by the stated theta")',
)
def theta_stated(*, acc: float, C: float) -> float:
    """The theta of Corollary 15 is at least the general one (cf. Theorem 14).

    At L = 1 and Lambda = C.
    """
    return min(1.0, acc**4 / (2**12 * C**4))


@theta_stated.corrected(
    says=THETA.removeprefix(r"\theta=") + r"\le\min\left\{1,\frac{\epsilon^4}{2^4C^4(1+\sqrt6)^4}\right\}",
    source=", the other way round",
)
def theta_exact(*, acc: float, C: float) -> float:
    """The general theta (cf. Theorem 14) exceeds the stated one for the hinge loss.

    At L = 1 and Lambda = C.

    It is this direction that the corollary needs: a smaller theta asks for more features.
    """
    return min(1.0, acc**4 / (2**4 * C**4 * (1 + sqrt(6)) ** 4))


@theorem(
    "rbht09.cor15.s2",
    kind="tail",
    says=rf"g(0)=1,\ {NUMBER}\ \Rightarrow\ \Pr(A)\ge 1-\frac\delta2",
    needs=[*SPACE, NORMALISED],
    source=", for kernels with g(0) = 1",
)
def hinge_features(
    *, acc: float, delta: float, d: int, sigma_p: float, diam: float, C: float = 1.0, g0: float = 1
) -> float:
    """The number of frequencies that is enough for the hinge loss, possibly negative.

    A as in Theorem 14.

    >>> round(hinge_features(acc=1.0, delta=0.05, d=1, sigma_p=1.0, diam=2.0) / 1e5, 2)
    9.31
    """
    theta = theta_stated(acc=acc, C=C)
    return 4 * (d + 2) / theta * log(2**9 * (sigma_p * diam) ** 2 / (delta * theta))


# Theorem 16 -----------------------------------------------------------------------------------------------------------

RATE = (
    r"\frac{1}{\epsilon^3n}\sqrt{\log\frac1{\delta\epsilon}}"
    r"\left(\log\frac1\epsilon+\log^2\frac1{\delta\epsilon}\right)"
)
SMALL = require("acc, delta <= 1/2", lambda acc, delta: max(acc, delta) <= 0.5)
LEVEL = [*CONFIDENCE, integer("n", 2)]


@theorem(
    "rbht09.thm16", kind="rate", says=r"\beta(\epsilon,\delta,C,n,\ell,k)=O\left(" + RATE + r"\right)", needs=LEVEL
)
def privacy_order(*, acc: float, delta: float, n: int = 2) -> float:
    """The order of the hinge-loss SVM's optimal privacy, translation-invariant kernel."""
    both = log(1 / (delta * acc))
    return sqrt(both) * (log(1 / acc) + both**2) / (acc**3 * n)


@privacy_order.corrected(
    says=r"\mathcal{M}\text{ compact},\ \sigma_p<\infty,\ g(0)=1,\ \epsilon,\delta\le\frac12\ \Rightarrow\ "
    r"\beta(\epsilon,\delta,C,n,\ell,k)=O\left(" + RATE + r"\right)",
    needs=[*LEVEL, SMALL],
    source=", the constant depends on C, d, sigma_p and diam(M)",
)
def privacy_order_compact(*, acc: float, delta: float, n: int = 2) -> float:
    """The order of the optimal privacy of the hinge-loss SVM over one compact set.

    True, though not by the proof that is printed.

    Corollary 15's range for lambda gives eps^-5 only (step s2). The noise over M alone (`noise_range_compact`) may be
    larger by sqrt(d_hat) / log d_hat, and `privacy_level` is O(eps^-3 log^1.5(1/(delta eps)) / n): less than printed.
    """
    return privacy_order(acc=acc, delta=delta, n=n)


@privacy_order.explicit(
    says=r"\beta\le\frac{2^{2.5}C\sqrt{\hat d}}{\lambda n},\ " + NUMBER + r",\ \lambda=\frac{\epsilon}{4(\log\frac{32}"
    r"\delta+d\log(1+5\sqrt{\hat d}\,\sigma_p\,\mathrm{diam}(\mathcal{M})/\delta))}",
    needs=[*LEVEL, *SPACE, NORMALISED],
    source=", with Corollary 15's features and the noise over M alone",
)
def privacy_level(
    *, acc: float, delta: float, d: int, sigma_p: float, diam: float, C: float = 1.0, n: int = 2, g0: float = 1
) -> float:
    """A level of privacy that PRIVATESVM with hinge loss reaches while it is useful.

    Corollary 15, privacy, at the largest lambda.

    >>> round(privacy_level(acc=0.5, delta=0.05, d=1, sigma_p=1.0, diam=2.0, n=10**7), 3)
    0.376
    """
    count = max(2, ceil(hinge_features(acc=acc, delta=delta, d=d, sigma_p=sigma_p, diam=diam, C=C)))
    lam = noise_range_compact(acc=acc, delta=delta, count=count, d=d, sigma_p=sigma_p, diam=diam)
    return 2**2.5 * C * sqrt(count) / (lam * n)


@theorem(
    "rbht09.thm16.s1",
    says=r"\frac{\epsilon}{2^4\log_e(2\sqrt{\hat d})}\le\frac{\epsilon}{2^4\log_e2\,\sqrt{\hat d}}",
    needs=[positive("acc"), integer("count")],
    source=", proof, the first case's lambda against the range of Corollary 15",
)
def first_case_noise(*, acc: float, count: int) -> float:
    """The largest Laplace scale in the first case of Corollary 15."""
    return acc / (2**4 * log(2) * sqrt(count))


@theorem(
    "rbht09.thm16.s2",
    kind="rate",
    says=r"\lambda=\frac{\epsilon}{2^4\log_e2\,\sqrt{\hat d}},\ \hat d=\frac{4(d+2)}\theta\log_e\frac{2^9(\sigma_p\,"
    r"\mathrm{diam}(\mathcal{M}))^2}{\delta\theta}\ \Rightarrow\ \frac{2^{2.5}C\sqrt{\hat d}}{\lambda n}=O\left("
    + RATE
    + r"\right)",
    needs=[*LEVEL, SMALL],
    source=", proof, the first case with the lambda of Corollary 15",
)
def first_case_order(*, acc: float, delta: float, n: int = 2) -> float:
    """The order of the privacy level that the proof takes from Corollary 15, case one."""
    return privacy_order(acc=acc, delta=delta, n=n)


@theorem(
    "rbht09.thm16.s3",
    kind="rate",
    says=r"\hat d=O\left(\frac1{\epsilon^4}\log_e\frac1{\delta\epsilon^4}\right)\ \Rightarrow\ \frac{\sqrt{\hat d}"
    r"\log_e\sqrt{\hat d}}{\epsilon n}=O\left(" + RATE + r"\right)",
    needs=[*LEVEL, SMALL],
    source=", proof, the first case with lambda = eps / (2^4 log(2 sqrt(d_hat)))",
)
def logarithm_order(*, acc: float, delta: float, n: int = 2) -> float:
    """The order of sqrt(d_hat) log sqrt(d_hat) / (eps n) at the proof's d_hat.

    d_hat = eps^-4 log(1 / (delta eps^4)).
    """
    return privacy_order(acc=acc, delta=delta, n=n)


@theorem(
    "rbht09.thm16.s4",
    kind="rate",
    says=r"\lambda=\frac{\epsilon\sqrt{\hat d}}{8\log_e\frac2\delta}\ \Rightarrow\ \frac{2^{2.5}C\sqrt{\hat d}}"
    r"{\lambda n}=O\left(\frac1{\epsilon n}\log\frac1\delta\right)",
    needs=[*LEVEL, require("delta <= 1/2", lambda delta: delta <= 0.5)],
    source=", proof, the second case",
)
def second_case_order(*, acc: float, delta: float, n: int = 2) -> float:
    """The order of the privacy level in the second case of Corollary 15."""
    return log(1 / delta) / (acc * n)
