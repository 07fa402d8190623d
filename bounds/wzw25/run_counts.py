r"""The truncated negative binomial law: Definition A.1 to Lemma A.4 of Wang, Zhu & Wang (2025).

The number K of runs of private tuning (Algorithm 4), K ~ TNB(eta, r). With L = log(1/r) and y = eta L, every formula of
Definition A.1 is one for all eta > -1, zero included:

    P(K = k) = (1 - r)^k / k * Gamma(k + eta) / (Gamma(1 + eta) Gamma(k)) * [y / (e^y - 1)] / L
    E K      = (1 - r) / r * [y / (1 - e^-y)] / L

`lemmata.bounds.exact.tnb` has the same law in ball arithmetic, `lemmata.bounds.wzw25.repetitions` what the paper
concludes from it.
"""

from fractions import Fraction
from math import exp, expm1, log, log1p

import numpy as np
from flint import ctx

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.exact.tnb import SPACING, log_generating, log_pmf
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, require, theorem

UNIT_R = in_unit_interval("r")
UNIT_BETA = in_unit_interval("beta")
ETA = require("-1 < eta < inf", lambda eta: bool(np.all(np.asarray(eta) > -1) and np.all(np.isfinite(eta))))
LAW = [ETA, UNIT_R]


@theorem(
    "wzw25.defA.1",
    kind="definition",
    says=r"\Pr[K=k]=\frac{(1-r)^k}{r^{-\eta}-1}\prod_{l=0}^{k-1}\frac{l+\eta}{l+1}\ (\eta\ne 0),\quad"
    r"\Pr[K=k]=\frac{(1-r)^k}{k\log(1/r)}\ (\eta=0),\quad k=1,2,\dots",
    needs=[*LAW, integer("k")],
    source=", after Papernot & Steinke 2022",
)
def pmf(*, eta: float, r: float, k: Array | int) -> Array:
    """The truncated negative binomial law of a number of runs.

    `k` whole numbers of at least 1, any shape.

    >>> float(pmf(eta=1, r=0.25, k=3))
    0.140625
    """
    return np.exp(log_pmf(eta=eta, r=r, k=k))


@theorem("wzw25.defA.1", part="pmf", kind="identity", says=r"\sum_{k\ge 1}\Pr[K=k]=1,\quad \Pr[K=k]\gt 0", needs=LAW)
def total_probability(*, eta: float, r: float) -> float:
    """The weights of the truncated negative binomial law are positive and sum to one.

    Derivation. c_k = prod_{l<k} (l + eta)/(l + 1) satisfies (k + 1) c_{k+1} = (k + eta) c_k, so f(z) = sum_{k>=0} c_k
    z^k has radius 1 and solves (1 - z) f' = eta f, f(0) = 1: f(z) = (1 - z)^-eta. At z = 1 - r the terms k >= 1 sum to
    the printed normaliser, r^-eta - 1. For -1 < eta < 0 the first factor of the product and the normaliser are both
    negative and all other factors positive. At eta = 0 it is the series of -log(1 - z).
    """
    return 1.0


@theorem(
    "wzw25.defA.1",
    part="mean",
    kind="identity",
    says=r"\mathbb{E}[K]=\frac{\eta(1-r)}{r(1-r^{\eta})}\ (\eta\ne 0),\quad"
    r"\mathbb{E}[K]=\frac{1/r-1}{\log(1/r)}\ (\eta=0)",
    needs=LAW,
)
def mean(*, eta: float, r: float) -> float:
    """The expected number of runs under the truncated negative binomial law.

    The derivative of the generating function at 1. Decreasing in r and increasing in eta: the likelihood ratio of two
    such laws is monotone in k.

    >>> mean(eta=1, r=0.25), round(mean(eta=0, r=0.5), 6)
    (4.0, 1.442695)
    """
    L = -log(r)
    y = eta * L
    return (1 - r) / r / L * (1.0 if y == 0 else y / -expm1(-y) if y > -700 else -y * exp(y))


@theorem(
    "wzw25.defA.1",
    part="pgf",
    kind="identity",
    says=r"\mathbb{E}[x^K]=\frac{(1-(1-r)x)^{-\eta}-1}{r^{-\eta}-1}\ (\eta\ne 0),\quad"
    r"\mathbb{E}[x^K]=\frac{\log(1-(1-r)x)}{\log r}\ (\eta=0)",
    needs=[*LAW, between("x", -1, 1)],
)
def pgf(*, eta: float, r: float, x: float) -> float:
    """The probability generating function of the truncated negative binomial law.

    The paper names no domain for x; a generating function is meant on |x| <= 1, where the series converges (it does
    for |x| < 1/(1 - r), and for larger real x the printed power is not even real).

    >>> pgf(eta=1, r=0.25, x=1.0), pgf(eta=-0.5, r=0.25, x=0.0)
    (1.0, 0.0)
    """
    left_out = (1 - r) * x
    return log_generating(eta, log(r), log1p(-left_out) if left_out < 0.5 else log(r + (1 - r) * (1 - x)))


@pmf.explicit(
    part="limit",
    says=r"d_{TV}(TNB_{\eta,r},TNB_{0,r})\le\tfrac12|\eta|\log(1/r)",
    kind="inequality",
    needs=LAW,
    source=", where the two cases meet at eta = 0",
)
def distance_to_logarithmic(*, eta: float, r: float) -> float:
    """The distance of the truncated negative binomial law from its limit at eta = 0.

    Derivation. With y = eta L the likelihood ratio P_eta(k) / P_0(k) is [y / (e^y - 1)] prod_{l=1}^{k-1} (1 + eta/l).
    For eta > 0 it increases in k, so its least value is at k = 1 and TV = E_0 (1 - ratio)_+ <= 1 - y/(e^y - 1) <= y/2.
    For eta < 0 it decreases, so its inverse is least at k = 1 and TV = E_eta (1 - 1/ratio)_+ <= 1 - (1 - e^-|y|)/|y| <=
    |y|/2.

    >>> round(distance_to_logarithmic(eta=-0.001, r=0.01), 6)
    0.002303
    """
    return abs(eta) * -log(r) / 2


@pmf.explicit(
    part="mixture",
    says=r"K=1+N,\quad N\mid p\sim NB(1+\eta,p),\quad p\in(r,1)\ \mathrm{with\ density}\ \propto p^{-1-\eta}",
    kind="identity",
    needs=[*LAW, between("q", 0, 1)],
    source="what the sampler of mechanisms/selection/tnb.py rests on",
)
def mixing_quantile(*, eta: float, r: float, q: Array | float) -> Array:
    r"""A TNB number of runs is one plus a mixture of untruncated negative binomials.

    Derivation. P(N = j | p) = Gamma(j + 1 + eta) / (Gamma(1 + eta) j!) p^(1+eta) (1 - p)^j, so with j = k - 1 the
    powers of p cancel: int_r^1 p^(-1-eta) P(N = k - 1 | p) dp is Gamma(k + eta) / (Gamma(1 + eta) (k - 1)!) int_r^1 (1
    - p)^(k-1) dp, and the last integral is (1 - r)^k / k: this is P(K = k) up to the constant, which is eta / (r^-eta -
    1), or 1 / log(1/r) at eta = 0. No rejection, for all eta > -1; eta = 0 is Kemp's generator (p = r^U). Returns the
    mixing law's quantile of order `q`, between r and 1: p^-eta is uniform between r^-eta and 1.

    >>> [round(float(mixing_quantile(eta=e, r=0.01, q=0.5)), 4) for e in (-0.5, 0.0, 0.5)]
    [0.3025, 0.1, 0.0331]
    """
    q = np.asarray(q, dtype=float)
    L = -log(r)
    if abs(eta) * L < SPACING:  # the limit at 0, where eta L may be a few times the least float, rounded
        return np.exp(-(1 - q) * L)
    with np.errstate(divide="ignore"):  # log 0 at q = 1 or q = 0, where r^|eta| underflows: clipped
        if eta > 0:
            p = np.exp(-L - np.log1p(q * expm1(-eta * L)) / eta)
        else:
            p = np.exp(np.log1p((1 - q) * expm1(eta * L)) / -eta)
    return np.clip(p, r, 1.0)


# Remark A.2 to Lemma A.4 ----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.remA.2",
    part="geometric",
    kind="identity",
    says=r"TNB_{1,r}=\mathrm{Geometric}(r):\ \Pr[K=k]=r(1-r)^{k-1}",
    needs=[UNIT_R, integer("k")],
)
def geometric_pmf(*, r: float, k: Array | int) -> Array:
    """At eta = 1 the truncated negative binomial law is the geometric law on 1, 2, 3, ...

    (1 - r)^k / (1/r - 1) = r (1 - r)^(k-1); every factor of the product is one.

    Derivation. At eta = 1 every factor (l + eta)/(l + 1) of the product is 1, so the weight is (1 - r)^k/(1/r - 1) = r
    (1 - r)^(k-1).
    """
    return r * np.exp((np.asarray(k, dtype=float) - 1) * log1p(-r))


@theorem(
    "wzw25.remA.2",
    part="logarithmic",
    kind="identity",
    says=r"TNB_{0,r}=\mathrm{Logarithmic}(1-r):\ \Pr[K=k]=\frac{-1}{\log(1-p)}\frac{p^k}{k},\ p=1-r",
    needs=[UNIT_R, integer("k")],
)
def logarithmic_pmf(*, r: float, k: Array | int) -> Array:
    """At eta = 0 the truncated negative binomial law is the log-series law.

    Derivation. At eta = 0 the product of l/(l + 1), l = 1, ..., k - 1, telescopes to 1/k, so the weight is (1 - r)^k/(k
    log(1/r)), and with p = 1 - r that is (-1/log(1 - p)) p^k/k.
    """
    k = np.asarray(k, dtype=float)
    return np.exp(k * log1p(-r)) / (k * -log(r))


@theorem(
    "wzw25.factA.3",
    part="whole-t",
    kind="identity",
    says=r"\Pr[TNB_{1,r}\le t]=1-(1-r)^t,\quad t=1,2,\dots",
    needs=[UNIT_R, integer("t")],
)
def geometric_cdf(*, r: float, t: Array | int) -> Array:
    """The distribution function of the geometric law at whole t.

    By induction: r at t = 1, and 1 - y + r y = 1 - (1 - r) y for y = (1 - r)^t.
    """
    return -np.expm1(np.asarray(t, dtype=float) * log1p(-r))


@theorem(
    "wzw25.factA.3",
    part="real-t",
    kind="identity",
    says=r"\Pr[TNB_{1,r}\le t]=1-(1-r)^t,\quad t\ge 1",
    needs=[UNIT_R, at_least("t", 1)],
)
def geometric_cdf_at_real(*, r: float, t: Array | float) -> Array:
    """The distribution function of the geometric law at every real t >= 1, as printed."""
    return geometric_cdf.theorem.formula(r=r, t=t)


@geometric_cdf_at_real.corrected(says=r"\Pr[TNB_{1,r}\le t]=1-(1-r)^{\lfloor t\rfloor},\quad t\ge 1")
def geometric_cdf_floored(*, r: float, t: Array | float) -> Array:
    """The distribution function of the geometric law is constant between whole numbers.

    Derivation. The number of runs is whole, so TNB <= t says TNB <= floor(t), and the printed formula is right at the
    whole number floor(t) (part `whole-t`).

    >>> float(geometric_cdf_floored(r=0.75, t=1.5))
    0.75
    """
    return geometric_cdf_at_real.theorem.formula(r=r, t=np.floor(t))


@theorem(
    "wzw25.lemA.4",
    kind="tail",
    says=r"\Pr\left[TNB_{1,r}\gt\left\lceil\frac{\log\beta}{\log(1-r)}\right\rceil\right]\le\beta",
    needs=[UNIT_R, UNIT_BETA],
)
def geometric_quantile(*, r: float, beta: float) -> int:
    """A number of runs that the geometric law exceeds with probability at most beta.

    Derivation. t = ceil(log beta / log(1 - r)) >= 1, and P(K > t) = (1 - r)^t <= (1 - r)^(log beta / log(1 - r)) =
    beta. The ceiling is decided exactly, in rationals or, above 10^4, in balls: there (1 - r)^t = beta has no solution
    in floats (an odd numerator above 1 to the power t has more than 53 bits; 1 - r = 2^-j gives t <= 1074).

    >>> geometric_quantile(r=0.5, beta=0.125), geometric_quantile(r=1e-12, beta=0.5)
    (3, 693147180560)
    """
    estimate = log(beta) / log1p(-r)
    if estimate < 1e4:
        base, allowed = 1 - Fraction(r), Fraction(beta)
        t = max(1, round(estimate))
        while base**t > allowed:
            t += 1
        while t > 1 and base ** (t - 1) <= allowed:
            t -= 1
        return t
    bits = 256
    while True:
        with ctx.workprec(bits):
            ceiling = (exact(beta).log() / (-exact(r)).log1p()).ceil().unique_fmpz()
        if ceiling is not None:
            return int(ceiling)
        bits *= 2


@theorem(
    "wzw25.lemA.4.s1",
    kind="identity",
    says=r"(1-r)^t\le\beta\iff t\ge\left\lceil\frac{\log\beta}{\log(1-r)}\right\rceil,\quad t=1,2,\dots",
    needs=[UNIT_R, UNIT_BETA],
)
def smallest_t(*, r: float, beta: float) -> int:
    """The ceiling of the quantile is the smallest sufficient whole number of runs.

    log(1 - r) < 0 turns the inequality round. It needs whole t (cf. Fact A.3: real t give t >= the quotient only).

    Derivation. (1 - r)^t <= beta says t log(1 - r) <= log beta, that is t >= log(beta)/log(1 - r), as log(1 - r) < 0
    turns the inequality round; and a whole t is at least a number if and only if it is at least its ceiling.
    """
    return geometric_quantile(r=r, beta=beta)
