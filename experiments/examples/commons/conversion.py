"""From one account of privacy to another: Rényi, concentrated and Gaussian privacy, and (epsilon, delta)."""

from math import comb
from typing import Any

import numpy as np
from laws import gaussian_curve
from scipy import integrate
from scipy.optimize import brentq

from lemmata.paper import (
    Step,
    exp,
    grid,
    identity_claim,
    in_unit_interval,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    sqrt,
    theorem,
)

ORDER = require("alpha > 1", lambda alpha: alpha > 1)
EXCESS = [positive("excess"), positive("divergence"), in_unit_interval("delta")]  # excess = alpha - 1
RENYI = r"D_{1+s}\le\rho\Rightarrow(\varepsilon,\delta)\text{-DP},\quad\varepsilon=\rho+"
ALGEBRA = [Step("algebra")]


@theorem("m17.prop3", kind="privacy", says=RENYI + r"\frac{\log(1/\delta)}{s},\ s=\alpha-1", needs=EXCESS)
def renyi_to_dp(*, excess: Any, divergence: Any, delta: Any) -> Any:
    """The epsilon of Rényi privacy of order 1 + excess. Use Proposition 12 of Canonne et al., which is smaller."""
    return divergence + log(1 / delta) / excess


@theorem(
    "cks20.prop12",
    kind="privacy",
    says=RENYI + r"\frac{\log(1/\delta)+s\log\frac{s}{1+s}-\log(1+s)}{s},\ s=\alpha-1",
    needs=EXCESS,
)
def renyi_to_dp_sharp(*, excess: Any, divergence: Any, delta: Any) -> Any:
    """The same, as accountants compute it: sharp for one event. Use this at the best order."""
    return divergence + (log(1 / delta) - log(1 + excess)) / excess + log(excess / (1 + excess))


@theorem(
    "bbghs20.thm21",
    kind="privacy",
    says=RENYI + r"\log\frac{s}{1+s}-\frac{\log\delta+\log(1+s)}{s},\ s=\alpha-1",
    needs=EXCESS,
)
def renyi_by_tests(*, excess: Any, divergence: Any, delta: Any) -> Any:
    """The same conversion by hypothesis testing. Use either."""
    return divergence + log(excess / (1 + excess)) - (log(delta) + log(1 + excess)) / excess


def worst_event(epsilon: Any, *, excess: Any, divergence: Any, delta: Any, p: Any) -> Any:
    """P(A) - e^epsilon Q(A) for P(A) = p and the least Q(A) that P(A)^alpha Q(A)^(1-alpha) <= e^(excess rho) allows."""
    return p - exp(epsilon - divergence + log(p) * (1 + excess) / excess)


EVENTS = {"quick": grid(excess=[1.0, 9.0], divergence=[0.5], delta=[0.1, 1e-5], p=[0.2, 1e-5, 1.0]), "oracle": "above"}
oracle_claim(renyi_to_dp, against="delta", over=[in_unit_interval("p")], caught=(1.5, 2, 4), **EVENTS)(worst_event)


def conversions(**_: Any) -> dict[str, list]:
    """The epsilon of a Gaussian release at its best order, and the exact one, delta = 1e-5."""
    rhos, orders = np.geomspace(1e-3, 3, 20).tolist(), np.geomspace(0.05, 1000, 400)
    best = lambda f, rho: float(np.min(f(excess=orders, divergence=rho * (1 + orders), delta=1e-5)))  # noqa: E731
    exact = [brentq(lambda e, r=r: float(gaussian_curve(e, np.sqrt(2 * r))) - 1e-5, 1e-9, 40) for r in rhos]
    lines = {"printed": [best(renyi_to_dp, r) for r in rhos], "sharp": [best(renyi_to_dp_sharp, r) for r in rhos]}
    return {"rho": rhos, **lines, "exact": exact}


oracle_claim(renyi_to_dp_sharp, figure=conversions, against="delta", over=[in_unit_interval("p")], **EVENTS)(
    worst_event
)
oracle_claim(
    renyi_by_tests,
    oracle="exact",
    claim=identity_claim,
    given=[renyi_to_dp_sharp],
    steps=ALGEBRA,
    quick=grid(excess=[1.0, 9.0], divergence=[0.5], delta=[0.1]),
)(lambda *, excess, divergence, delta: renyi_to_dp_sharp(excess=excess, divergence=divergence, delta=delta))


@theorem(
    "bs16.prop1.3",
    kind="privacy",
    says=r"\rho\text{-zCDP}\Rightarrow(\rho+2\sqrt{\rho\log(1/\delta)},\delta)\text{-DP}",
    needs=[positive("rho"), in_unit_interval("delta")],
)
def concentrated_to_dp(*, rho: Any, delta: Any) -> Any:
    """The epsilon of rho-concentrated privacy. Use this for a bound by hand."""
    return rho + 2 * sqrt(rho) * sqrt(log(1 / delta))


def best_order(*, rho: Any, delta: Any) -> Any:
    """The conversion of Mironov at s = sqrt(log(1/delta)/rho), where the divergence is rho (1 + s)."""
    s = sqrt(log(1 / delta)) / sqrt(rho)
    return renyi_to_dp(excess=s, divergence=rho * (1 + s), delta=delta)


oracle_claim(
    concentrated_to_dp,
    oracle="exact",
    given=[renyi_to_dp],
    steps=ALGEBRA,
    quick=grid(rho=[0.1, 2.0], delta=[1e-5, 0.5]),
)(best_order)


@theorem(
    "bs16.prop1.4",
    kind="privacy",
    says=r"\varepsilon\text{-DP}\Rightarrow D_\alpha\le\tfrac12\varepsilon^2\alpha",
    needs=[positive("epsilon"), ORDER],
)
def pure_to_concentrated(*, epsilon: Any, alpha: Any) -> Any:
    """The Rényi divergence of a pure guarantee. Use this to put pure releases on a Gaussian account."""
    return epsilon**2 * alpha / 2


oracle_claim(
    pure_to_concentrated,
    cites=["Kairouz, Oh & Viswanath 2015: every private pair is a function of randomized response"],
    oracle="exact",
    quick=grid(epsilon=[0.01, 1.0, 5.0], alpha=[1.1, 2.0, 50.0]),
    rounding=1e-6,
)(
    lambda *, epsilon, alpha: (
        (np.logaddexp(alpha * epsilon, (1 - alpha) * epsilon) - np.logaddexp(0, epsilon)) / (alpha - 1)
    )
)


@theorem("drv10.lemIII.2", kind="privacy", says=r"D(Y\|Z)\le\varepsilon(e^\varepsilon-1)", needs=[positive("epsilon")])
def mean_loss(*, epsilon: Any) -> Any:
    """The mean privacy loss of a pure guarantee. Use epsilon²/2 instead, from Proposition 1.4 of Bun & Steinke."""
    return epsilon * (exp(epsilon) - 1)


oracle_claim(
    mean_loss,
    oracle="exact",
    cites=["Kairouz, Oh & Viswanath 2015: every private pair is a function of randomized response"],
    reach={"epsilon": 300},
    caught=(3, 9),
    quick=grid(epsilon=[0.01, 1.0, 3.0]),
    steps=[Step("e^ε + 1 ≥ 1")],
)(lambda *, epsilon: epsilon * (1 - 2 / (exp(epsilon) + 1)))


@theorem(
    "drs22.cor2.13",
    kind="privacy",
    says=r"\mu\text{-GDP}\iff\delta(\varepsilon)=\Phi(-\tfrac{\varepsilon}{\mu}+\tfrac{\mu}{2})"
    r"-e^\varepsilon\Phi(-\tfrac{\varepsilon}{\mu}-\tfrac{\mu}{2})",
    needs=[positive("mu"), positive("epsilon")],
)
def gaussian_privacy(*, mu: Any, epsilon: Any) -> Any:
    """The delta of mu-Gaussian privacy. Use this for any number of Gaussian releases: mu² adds up."""
    return float(gaussian_curve(epsilon, mu))


def largest_gap(*, mu: float, epsilon: float) -> float:
    """The largest 1 - beta - e^epsilon alpha on the trade-off curve beta = Phi(Phi^-1(1 - alpha) - mu)."""
    from scipy.special import ndtr

    at = np.linspace(-epsilon / mu + mu / 2 - 0.01, -epsilon / mu + mu / 2 + 0.01, 2001)
    return float(np.max(ndtr(at) - np.exp(epsilon) * ndtr(at - mu)))


oracle_claim(
    gaussian_privacy,
    claim=identity_claim,
    rounding=1e-6,
    oracle="exact",
    quick=grid(mu=[0.5, 2.0], epsilon=[0.1, 1.0]),
    reach={"mu": 3, "epsilon": 3},
)(largest_gap)


@theorem(
    "m17.prop7",
    kind="identity",
    says=r"D_\alpha(\mathcal N(0,\sigma^2)\|\mathcal N(1,\sigma^2))=\frac{\alpha}{2\sigma^2}",
    needs=[ORDER, positive("sigma")],
)
def gaussian_renyi(*, alpha: Any, sigma: Any) -> Any:
    """The Rényi divergence of the Gaussian mechanism. Use this in every Rényi account."""
    return alpha / (2 * sigma**2)


@theorem(
    "m17.prop6",
    kind="identity",
    says=r"D_\alpha=\frac{1}{\alpha-1}\log\left(\frac{\alpha}{2\alpha-1}e^{(\alpha-1)/\lambda}+\frac{\alpha-1}{2\alpha-1}e^{-\alpha/\lambda}\right)",
    needs=[ORDER, positive("scale")],
)
def laplace_renyi(*, alpha: Any, scale: Any) -> Any:
    """The Rényi divergence of the Laplace mechanism. Use this to compose Laplace noise."""
    above = alpha / (2 * alpha - 1) * exp((alpha - 1) / scale)
    return log(above + (alpha - 1) / (2 * alpha - 1) * exp(-alpha / scale)) / (alpha - 1)


def renyi(log_p: Any, log_q: Any, alpha: float, reach: float, points: list[float]) -> float:
    """The Rényi divergence of order alpha of two densities on the line, by quadrature."""
    moment = lambda x: np.exp(alpha * log_p(x) + (1 - alpha) * log_q(x))  # noqa: E731
    return np.log(integrate.quad(moment, -reach, reach, points=points, limit=400)[0]) / (alpha - 1)


def integrated_gaussian(*, alpha: float, sigma: float) -> float:
    """By quadrature around the largest value of the integrand, at 1 - alpha."""
    normal = lambda at: lambda x: -(((x - at) / sigma) ** 2) / 2 - np.log(sigma * np.sqrt(2 * np.pi))  # noqa: E731
    return renyi(normal(0), normal(1), alpha, alpha + 40 * sigma, [1 - alpha])


def integrated_laplace(*, alpha: float, scale: float) -> float:
    """By quadrature between the kinks at 0 and 1."""
    density = lambda at: lambda x: -abs(x - at) / scale - np.log(2 * scale)  # noqa: E731
    return renyi(density(0), density(1), alpha, 1 + 40 * scale, [0, 1])


ORDERS = {"claim": identity_claim, "rounding": 1e-6, "oracle": "exact"}
oracle_claim(gaussian_renyi, quick=grid(alpha=[1.5, 3.0], sigma=[1.0, 4.0]), reach={"alpha": 4, "sigma": 5}, **ORDERS)(
    integrated_gaussian
)
oracle_claim(laplace_renyi, quick=grid(alpha=[1.5, 3.0], scale=[1.0, 4.0]), reach={"alpha": 8, "scale": 5}, **ORDERS)(
    integrated_laplace
)


@theorem(
    "mtz19.sec3.3",
    kind="identity",
    says=r"E\left(\frac{(1-q)p_0+qp_1}{p_0}\right)^\alpha="
    r"\sum_{k=0}^\alpha\binom{\alpha}{k}(1-q)^{\alpha-k}q^k e^{(k^2-k)/(2\sigma^2)}",
    needs=[integer("alpha", 2), in_unit_interval("q"), positive("sigma")],
)
def sampled_moment(*, alpha: int, q: float, sigma: float) -> float:
    """The moment of a sampled Gaussian step at a whole order. Use this for noisy SGD."""
    return sum(
        comb(alpha, k) * (1 - q) ** (alpha - k) * q**k * np.exp((k * k - k) / (2 * sigma**2)) for k in range(alpha + 1)
    )


def integrated_moment(*, alpha: int, q: float, sigma: float) -> float:
    """By quadrature; the integrand is largest between 0 and alpha."""
    ratio = lambda x: (1 - q + q * np.exp((2 * x - 1) / (2 * sigma**2))) ** alpha  # noqa: E731
    density = lambda x: np.exp(-((x / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))  # noqa: E731
    return integrate.quad(
        lambda x: ratio(x) * density(x), -40 * sigma, alpha + 40 * sigma, points=[0, alpha], limit=400
    )[0]


oracle_claim(
    sampled_moment, quick=grid(alpha=[2, 8], q=[0.01, 0.5], sigma=[1.0, 3.0]), reach={"alpha": 8, "sigma": 5}, **ORDERS
)(integrated_moment)
