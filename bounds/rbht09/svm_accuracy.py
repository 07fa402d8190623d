"""How far the private SVM is from the exact one: Rubinstein et al. 2009, Theorem 8 and Footnote 5.

Theorem 8: `acc` is the paper's epsilon (sup-norm accuracy), `delta` a confidence parameter, `lam` the Laplace scale
lambda, and |phi(x)_i| <= Phi. Footnote 5 gives density, distribution function and moments of the Erlang law: Erlang_q
with scale `lam` is the sum of q exponentials of mean `lam`. The footnote agrees (expectation q lambda); the sentence of
Section 3 that it supports writes "scale lambda^(-1)" where it means the *rate*.
"""

from math import exp, lgamma, log

import numpy as np
from scipy.special import gammainc, gammainccinv

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

UTILITY = [positive("acc"), in_unit_interval("delta"), positive("Phi"), integer("F")]


# Definition 2 ---------------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.def2",
    kind="definition",
    says=r"\Pr\left(\|f_{\hat M(D)}-f_{M(D)}\|_{\mathcal{F}}\le\epsilon\right)\ge\delta",
    needs=[in_unit_interval("delta")],
)
def usefulness(*, delta: float) -> float:
    """A useful mechanism succeeds with this probability on every database, as printed.

    Every proof reads it with 1 - delta: Theorem 8 (parts `defined` and `used`), Lemma 10, Theorem 14, Section 6.
    """
    return delta


# Theorem 8: usefulness ------------------------------------------------------------------------------------------------

SUP = r"\|f_{\hat M(D)}-f_{M(D)}\|_{\infty;\mathcal{M}}\le\epsilon"
RANGE = r"0<\lambda\le\frac{\epsilon}{2\Phi(F\log 2+\log\frac{1}{\delta})}\ \Rightarrow\ "


@theorem(
    "rbht09.thm8",
    part="defined",
    kind="tail",
    says=RANGE + rf"\Pr\left({SUP}\right)\ge\delta",
    needs=UTILITY,
    source=", with Definition 2 as printed",
)
def useful_scale_defined(*, acc: float, delta: float, Phi: float, F: int) -> float:
    """PRIVATESVM-FINITE is useful as Definition 2 words it, up to this Laplace scale.

    The largest lambda printed, acc / (2 Phi (F ln 2 + ln(1 / delta))). Definition 2 asks for success with
    probability at least delta; the proof shows failure with probability at most delta. The two differ for
    delta > 1/2: there the printed range lets more noise in as delta grows.
    """
    return useful_scale(acc=acc, delta=delta, Phi=Phi, F=F)


@theorem(
    "rbht09.thm8",
    part="used",
    kind="tail",
    says=RANGE + rf"\Pr\left({SUP}\right)\ge 1-\delta",
    needs=UTILITY,
    source=", as its proof, Lemma 10, Theorem 14 and Section 6 use it",
)
def useful_scale(*, acc: float, delta: float, Phi: float, F: int) -> float:
    """PRIVATESVM-FINITE is useful as the proofs use the word, up to this Laplace scale.

    The largest lambda printed, acc / (2 Phi (F ln 2 + ln(1 / delta))). With X = ||mu||_1 an Erlang_F variable of
    scale lambda and z = acc / (Phi lambda), Pr(X > acc / Phi) = e^(-z) sum_{j < F} z^j / j!, and
    z^j / j! = 2^j (z / 2)^j / j! <= 2^(F - 1) (z / 2)^j / j! gives the tail at most 2^(F - 1) e^(-z / 2): half of the
    printed Chernoff bound 2^F e^(-z / 2), which equals delta at the largest lambda. Less noise only helps.

    Even a quarter: the tail over 2^F e^(-z / 2) is twice an average of the density of Erlang_F of scale 2 beyond z, at
    most (F - 1)^(F - 1) e^(1 - F) / (F - 1)! <= 0.23 for F >= 4; for F = 1, 2, 3 it decreases from z = 2 F ln 2 on,
    where it is 0.25, 0.24, 0.22.

    >>> round(useful_scale(acc=0.1, delta=0.05, Phi=1.0, F=2), 6)
    0.01141
    """
    return acc / (2 * Phi * (F * log(2) + log(1 / delta)))


@useful_scale_defined.corrected(
    says=r"0<\lambda\le\frac{\epsilon}{2\Phi(F\log 2+\log\frac{1}{1-\delta})}\ \Rightarrow\ "
    + rf"\Pr\left({SUP}\right)\ge\delta",
    source=", delta replaced by 1 - delta in the range of lambda",
)
def useful_scale_corrected(*, acc: float, delta: float, Phi: float, F: int) -> float:
    """PRIVATESVM-FINITE succeeds with chance at least delta up to this Laplace scale.

    acc / (2 Phi (F ln 2 + ln(1 / (1 - delta)))): the theorem as used, at failure probability 1 - delta.
    """
    return useful_scale_defined.theorem.formula(acc=acc, delta=1 - delta, Phi=Phi, F=F)


@useful_scale.explicit(
    says=r"0<\lambda\le\frac{\epsilon}{2\Phi((F-1)\log 2+\log\frac{1}{\delta})}\ \Rightarrow\ "
    + rf"\Pr\left({SUP}\right)\ge 1-\delta",
    source=", with the half that Chernoff loses",
)
def useful_scale_half(*, acc: float, delta: float, Phi: float, F: int) -> float:
    """PRIVATESVM-FINITE is useful up to this Laplace scale, with F - 1 in place of F.

    acc / (2 Phi ((F - 1) ln 2 + ln(1 / delta))): the tail bound 2^(F - 1) e^(-z / 2) derived in `useful_scale`.
    """
    return acc / (2 * Phi * ((F - 1) * log(2) + log(1 / delta)))


@useful_scale_defined.explicit(
    part="exact",
    says=r"\lambda=\frac{\epsilon}{\Phi\,Q_F^{-1}(\delta)}\ \Rightarrow\ \Pr(\Phi\|\mu\|_1>\epsilon)=\delta",
    source=", with the Erlang tail itself",
)
def useful_scale_exact(*, acc: float, delta: float, Phi: float, F: int) -> float:
    """The largest Laplace scale with PRIVATESVM-FINITE useful for every feature map.

    acc / (Phi q), q the (1 - delta)-quantile of Erlang_F with scale 1. Necessary too when phi(M) contains
    Phi times every sign vector, because then the sup-norm is Phi ||mu||_1.

    Derivation. ||mu||_1 is lambda times an Erlang_F variable of scale 1, so Pr(Phi ||mu||_1 > acc) = Pr(Erlang_F >
    acc/(Phi lambda)), which is delta exactly where acc/(Phi lambda) is the (1 - delta)-quantile.
    """
    return float(acc / (Phi * gammainccinv(F, delta)))


@theorem(
    "rbht09.thm8.s1",
    says=r"|\langle\mu,\phi(x)\rangle|\le\Phi\|\mu\|_1",
    needs=[positive("Phi")],
    source=", proof, first display",
)
def sup_distance(*, mu: Array, Phi: float) -> float:
    """The private classifier is within Phi ||noise||_1 of the SVM in the sup-norm.

    Phi ||mu||_1 by Hölder; attained where phi(x) = Phi sign(mu).

    Derivation. By Hölder's inequality |<mu, phi(x)>| <= ||mu||_1 max_i |phi_i(x)| <= Phi ||mu||_1, with equality where
    phi(x) = Phi sign(mu).
    """
    return Phi * float(np.abs(mu).sum())


@theorem(
    "rbht09.thm8.s2",
    kind="identity",
    says=r"\mathbb{E}e^{tX}=(1-\lambda t)^{-F},\quad t<\lambda^{-1}",
    needs=[integer("F"), positive("lam")],
    source=", proof, below (3.4)",
)
def erlang_mgf(*, F: int, lam: float, t: float) -> float:
    """The moment generating function of the sum of F exponentials of mean lambda.

    (1 - lambda t)^(-F) for t < 1 / lambda. It fits footnote 5's scale lambda, not the sentence's lambda^(-1).

    Derivation. With y = x/lambda, E e^{tX} is the integral of y^(F-1) e^{-(1 - lambda t) y}/(F-1)! over y > 0;
    substituting (1 - lambda t) y takes out the factor (1 - lambda t)^(-F) and leaves the integral of a density.

    >>> erlang_mgf(F=2, lam=1.0, t=0.5)
    4.0
    """
    if not t * lam < 1:
        raise ValueError(f"t = {t} is outside (-inf, 1 / lam) = (-inf, {1 / lam})")
    return (1 - lam * t) ** -F


@theorem(
    "rbht09.thm8.s3",
    kind="tail",
    says=r"\Pr(\|f_{\hat M(D)}-f_{M(D)}\|_{\infty;\mathcal{M}}>\epsilon)\le 2^F e^{-\epsilon/(2\lambda\Phi)}",
    needs=[positive("acc"), positive("lam"), positive("Phi"), integer("F")],
    source=", proof, last display",
)
def chernoff_tail(*, acc: float, lam: float, Phi: float, F: int) -> float:
    """Chernoff's bound on the noise's L1 norm at t = 1 / (2 lambda).

    2^F exp(-acc / (2 lambda Phi)); at the largest printed lambda it equals delta.

    >>> round(chernoff_tail(acc=1.0, lam=0.1, Phi=1, F=2), 6)
    0.026952
    """
    return exp(F * log(2) - acc / (2 * lam * Phi))


# Footnote 5 -----------------------------------------------------------------------------------------------------------

ERLANG = [integer("q"), positive("lam")]


@theorem(
    "rbht09.fn5",
    part="density",
    kind="identity",
    says=r"f(x)=\frac{x^{q-1}e^{-x/\lambda}}{\lambda^q(q-1)!}",
    needs=[*ERLANG, at_least("x", 0)],
)
def erlang_density(*, x: float, q: int, lam: float) -> float:
    """The density of the sum of q independent exponentials of mean lambda.

    Derivation. x^(q-1) e^(-x/lambda) / (lambda^q (q-1)!), by induction: convolving with one more exponential integrates
    y^(q-1) / (q-1)! to y^q / q!.

    >>> round(erlang_density(x=2.0, q=3, lam=1.0), 6)
    0.270671
    """
    if x == 0:
        return 1 / lam if q == 1 else 0.0
    return exp((q - 1) * log(x / lam) - x / lam - lgamma(q) - log(lam))


@theorem(
    "rbht09.fn5",
    part="cdf",
    kind="identity",
    says=r"F(x)=1-e^{-x/\lambda}\sum_{j=0}^{q-1}\frac{(x/\lambda)^j}{j!}",
    needs=[*ERLANG, at_least("x", 0)],
)
def erlang_cdf(*, x: float, q: int, lam: float) -> float:
    """The distribution function of a sum of q independent exponentials of mean lambda.

    The law is called Erlang_q.

    Derivation. 1 - e^(-y) sum_{j < q} y^j / j!, y = x / lambda: its derivative telescopes to the density, and it
    vanishes at 0. Evaluated as a regularised incomplete gamma function, which does not cancel near x = 0.

    >>> round(erlang_cdf(x=2.0, q=3, lam=1.0), 6)
    0.323324
    """
    return float(gammainc(q, x / lam))


@theorem("rbht09.fn5", part="mean", kind="identity", says=r"\mathbb{E}X=q\lambda", needs=ERLANG)
def erlang_mean(*, q: int, lam: float) -> float:
    """The expectation of the sum of q independent exponentials of mean lambda.

    q lambda = lambda q! / (q-1)!.

    Derivation. With y = x/lambda, E X is lambda times the integral of y^q e^{-y}/(q-1)! over y > 0, which is lambda
    q!/(q-1)! = q lambda.
    """
    return q * lam


@theorem("rbht09.fn5", part="variance", kind="identity", says=r"\mathrm{Var}X=q\lambda^2", needs=ERLANG)
def erlang_variance(*, q: int, lam: float) -> float:
    """The variance of the sum of q independent exponentials of mean lambda.

    q lambda^2 = lambda^2 ((q+1)! / (q-1)! - q^2).

    Derivation. As for the mean, E X^2 = lambda^2 (q+1)!/(q-1)! = lambda^2 q (q + 1), and less (q lambda)^2 that is q
    lambda^2.
    """
    return q * lam**2


@theorem(
    "rbht09.fn5.text",
    kind="identity",
    says=r"\Pr(|Z|>x)=e^{-x/s},\quad Z\sim Laplace(0,\lambda),\quad s=\lambda^{-1}",
    needs=[positive("lam")],
    source=", the sentences of the proof of Theorem 8 that it belongs to",
)
def magnitude_scale(*, lam: float) -> float:
    """The scale of the law of |Laplace(0, lambda)|, as the main text prints it.

    "The absolute value of a zero mean Laplace random variable with scale parameter lambda is exponentially
    distributed with scale lambda^(-1)", and its sums are Erlang "with the same scale parameter". Read as the scale,
    the word printed and the parameter of footnote 5, this is 1 / lambda, right for lambda = 1 only; read as the rate
    it is right. The proof goes on with the right one (its moment generating function has scale lambda).
    """
    return 1 / lam


@magnitude_scale.corrected(
    says=r"\Pr(|Z|>x)=e^{-x/s},\quad Z\sim Laplace(0,\lambda),\quad s=\lambda",
    source=", with scale lambda (rate 1 / lambda)",
)
def magnitude_scale_corrected(*, lam: float) -> float:
    """The scale of |Laplace(0, lambda)| is lambda; the printed number is its rate.

    Pr(|Z| > x) = 2 int_x^inf e^(-z/lambda) / (2 lambda) dz = e^(-x/lambda).

    Derivation. Pr(|Z| > x) = 2 int_x^inf e^(-z/lambda)/(2 lambda) dz = e^(-x/lambda), the tail of an exponential law of
    scale lambda.
    """
    return 1 / magnitude_scale(lam=lam)
