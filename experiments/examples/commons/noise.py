"""What is added: Gaussian noise in three calibrations, Laplace, geometric, discrete Gaussian and staircase noise."""

from math import pi
from typing import Any

import numpy as np
from laws import gaussian_curve, integrate_pieces
from scipy.optimize import brentq

from lemmata.paper import (
    Step,
    between,
    exact,
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

ANY = [positive("epsilon"), in_unit_interval("delta")]
PRIVATE = r"\Rightarrow(\varepsilon,\delta)\text{-DP}"
CLASSICAL = r"\sigma\ge\frac{\Delta\sqrt{2\log(1.25/\delta)}}{\varepsilon}" + PRIVATE
BITS = [between("truth", 0, 1), between("other", 0, 1), integer("truth", 0), integer("other", 0)]
ALGEBRA = [Step("algebra")]


@theorem("dr14.thm3.22", kind="privacy", says=CLASSICAL, needs=[in_unit_interval("epsilon"), in_unit_interval("delta")])
def classical_gaussian(*, epsilon: Any, delta: Any) -> Any:
    """The noise multiplier of the classical Gaussian mechanism, for epsilon < 1. Use this for a bound by hand."""
    return sqrt(2 * log(1.25 / delta)) / epsilon


@classical_gaussian.quoted(by="the works that Zhao et al. 2019 (arXiv:1911.12060) list", says=CLASSICAL, needs=ANY)
def classical_for_all(*, epsilon: Any, delta: Any) -> Any:
    """The same multiplier for every epsilon. Use Theorem 8 of Balle & Wang 2018 instead."""
    return classical_gaussian.theorem.formula(epsilon=epsilon, delta=delta)


@classical_gaussian.quoted(
    by="Abadi et al. 2016, Section 2.1",
    part="four fifths",
    says=r"\delta\ge\tfrac45\exp(-(\sigma\varepsilon)^2/2)" + PRIVATE,
    needs=[in_unit_interval("epsilon"), positive("sigma")],
)
def four_fifths(*, epsilon: Any, sigma: Any) -> Any:
    """The delta of a noise multiplier sigma, with 4/5 in place of 5/4. Use 5/4, the original.

    >>> print(round(four_fifths(epsilon=0.5, sigma=4.0) * exp(2.0), 6))
    0.8
    """
    return 0.8 * exp(-((sigma * epsilon) ** 2) / 2)


oracle_claim(
    classical_gaussian,
    against="delta",
    oracle="exact",
    quick=grid(epsilon=[0.01, 0.5, 0.999], delta=[1e-9, 1e-5, 0.1, 0.9]),
)(lambda scale, *, epsilon, delta: gaussian_curve(epsilon, 1 / scale))
oracle_claim(
    classical_for_all,
    against="delta",
    quick=grid(epsilon=[10.0], delta=[1e-5]),
    severity="privacy",
    corrected_by="commons.bw18.thm8/printed",
    note="the classical noise is too small for ε = 10",
    python="""from laws import gaussian_curve
from noise import classical_for_all
assert gaussian_curve(10, 1 / classical_for_all(epsilon=10.0, delta=1e-5)) > 1e-5""",
)(lambda scale, *, epsilon, delta: gaussian_curve(epsilon, 1 / scale))
oracle_claim(
    four_fifths,
    quick=grid(epsilon=[0.9], sigma=[0.1]),
    severity="constant",
    corrected_by=classical_gaussian,
    note="4/5 for 5/4: false for little noise",
    python="""from laws import gaussian_curve
from noise import four_fifths
assert gaussian_curve(0.9, 10) > four_fifths(epsilon=0.9, sigma=0.1)""",
)(lambda *, epsilon, sigma: gaussian_curve(epsilon, 1 / sigma))


@theorem(
    "v20.abstract",
    kind="privacy",
    says=r"\sigma\ge\frac{\Delta}{\varepsilon\sqrt2}(\sqrt{az+\varepsilon}+s\sqrt{az})"
    + PRIVATE
    + r",\ z=-\log(4\delta(1-\delta)),\ (a,s)=(1,1)\text{ if }\delta\le\tfrac12,\text{ else }(\tfrac{\pi}{4},-1)",
    needs=ANY,
)
def closed_form_gaussian(*, epsilon: Any, delta: Any) -> Any:
    """A noise multiplier in closed form for every epsilon. Use this where no root can be computed."""
    a, s = (1, 1) if delta <= 0.5 else (pi / 4, -1)
    z = -log(4 * delta * (1 - delta))
    return (sqrt(a * z + epsilon) + s * sqrt(a * z)) / (epsilon * sqrt(2))


def calibrations(**_: Any) -> dict[str, list]:
    """The noise multipliers of the classical and of the closed formula, and the least one, at delta = 1e-5."""
    epsilons = np.geomspace(0.1, 20, 25).tolist()
    least = [brentq(lambda m, e=e: float(gaussian_curve(e, m)) - 1e-5, 1e-3, 12.0) for e in epsilons]
    formulas = {"classical": classical_for_all, "closed": closed_form_gaussian}
    lines = {name: [float(f(epsilon=e, delta=1e-5)) for e in epsilons] for name, f in formulas.items()}
    return {"epsilon": epsilons, **lines, "least": [1 / mu for mu in least]}


oracle_claim(
    closed_form_gaussian,
    figure=calibrations,
    against="delta",
    oracle="exact",
    quick=grid(epsilon=[0.01, 1.0, 20.0], delta=[1e-9, 1e-5, 0.1, 0.5, 0.9]),
    reach={"epsilon": 300},
)(lambda scale, *, epsilon, delta: gaussian_curve(epsilon, 1 / scale))


@theorem(
    "bw18.thm8",
    kind="privacy",
    says=r"(\varepsilon,\delta)\text{-DP}\iff\Phi(\tfrac{\Delta}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta})"
    r"-e^\varepsilon\Phi(-\tfrac{\Delta}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta})\le\delta",
    needs=[positive("epsilon"), positive("sigma")],
)
def analytic_gaussian(*, epsilon: Any, sigma: Any) -> Any:
    """The least delta of the Gaussian mechanism of multiplier sigma. Use this: no other noise is smaller."""
    return float(gaussian_curve(epsilon, 1 / exact(sigma)))


def integrated(epsilon: float, sigma: float) -> float:
    """The integral of (p - e^epsilon q)_+ of N(0, sigma²) and N(1, sigma²), whose only zero is `end`."""
    end = 0.5 - epsilon * sigma**2

    def gain(x: Any) -> Any:
        p, q = np.exp(-((x / sigma) ** 2) / 2), np.exp(epsilon - (((x - 1) / sigma) ** 2) / 2)
        return (p - q) * (x <= end) / (sigma * np.sqrt(2 * pi))

    return integrate_pieces(gain, [0.0, -6 * sigma, 6 * sigma, end], 40 * sigma)


oracle_claim(
    analytic_gaussian,
    claim=identity_claim,
    rounding=1e-6,
    oracle="exact",
    quick=grid(epsilon=[0.1, 1.0, 4.0], sigma=[0.3, 1.0, 5.0]),
    reach={"epsilon": 5, "sigma": 5},
)(integrated)


@theorem("dr14.thm3.6", kind="privacy", says=r"\log\frac{p_x(z)}{p_y(z)}\le\varepsilon", needs=[positive("epsilon")])
def laplace(*, epsilon: Any) -> Any:
    """The largest privacy loss of Laplace noise of scale 1/epsilon. Use this for pure privacy of one number."""
    return epsilon


oracle_claim(
    laplace,
    oracle="exact",
    quick=grid(epsilon=[0.1, 2.0], z=[-1.0, 0.5], x=[1.0, 0.2]),
    over=[between("z", -1e9, 1e9), between("x", -1, 1)],
    steps=[Step("the triangle inequality")],
)(lambda *, epsilon, z, x: epsilon * (abs(z - x) - abs(z)))


@theorem(
    "dr14.thm3.8",
    kind="tail",
    says=r"\Pr\left[\|f(x)-y\|_\infty\ge\log(k/\delta)\frac{\Delta f}{\varepsilon}\right]\le\delta",
    needs=[integer("k"), *ANY],
)
def laplace_error(*, k: Any, epsilon: Any, delta: Any) -> Any:
    """The largest of k Laplace errors, with probability 1 - delta. Use this to size a histogram."""
    return log(k / delta) / epsilon


oracle_claim(
    laplace_error,
    oracle="exact",
    against="delta",
    quick=grid(k=[1, 10, 1000], epsilon=[0.5], delta=[1e-6, 0.1, 0.9]),
    steps=[Step("Bernoulli's inequality")],
)(lambda level, *, k, epsilon, delta: -np.expm1(k * np.log1p(-exp(-epsilon * level))))


@theorem("dr14.claim3.5", kind="privacy", says=r"\varepsilon=\log3", needs=BITS)
def two_coins(*, truth: Any, other: Any) -> Any:
    """Randomized response with two fair coins. Use this to explain privacy."""
    return log(3)


oracle_claim(
    two_coins,
    oracle="exact",
    quick=grid(truth=[1, 0], other=[0, 1]),
)(lambda *, truth, other: max(log((1 + 2 * (y == truth)) / (1 + 2 * (y == other))) for y in (0, 1)))


@theorem(
    "grs09.geometric",
    kind="privacy",
    says=r"\Pr[Z=z]=\frac{1-\alpha}{1+\alpha}\alpha^{|z|}\Rightarrow\frac{\Pr[Z=z-1]}{\Pr[Z=z]}\le\frac1\alpha",
    needs=[in_unit_interval("alpha")],
)
def geometric(*, alpha: Any) -> Any:
    """The largest likelihood ratio of the geometric mechanism, e^epsilon. Use this for counts: no rounding leaks."""
    return 1 / alpha


oracle_claim(
    geometric,
    oracle="exact",
    quick=grid(alpha=[0.1, 0.9], z=[7, 0]),
    over=[integer("z", -(10**9))],
    steps=[Step("the triangle inequality")],
)(lambda *, alpha, z: exp(log(alpha) * (abs(z - 1) - abs(z))))


def discrete_gaussian(sigma: float, shift: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Integers, and the logarithms of their probabilities under a discrete Gaussian."""
    z = np.arange(-int(40 * sigma) - 60, int(40 * sigma) + 61)
    logs = -(((z - shift) / sigma) ** 2) / 2
    return z, logs - np.logaddexp.reduce(logs)


def discrete_loss(*, alpha: float, sigma: float) -> float:
    """The Rényi divergence of order alpha between discrete Gaussians around 0 and 1."""
    (_, p), (_, q) = discrete_gaussian(sigma), discrete_gaussian(sigma, 1)
    return np.logaddexp.reduce(alpha * p + (1 - alpha) * q) / (alpha - 1)


def discrete_variance(*, sigma: float) -> float:
    """The variance of a discrete Gaussian."""
    z, logs = discrete_gaussian(sigma)
    return float(np.sum(z**2 * np.exp(logs)))


SMALL = {"alpha": 20, "sigma": 50}  # where sums of 80 sigma terms hold all of the mass


@theorem(
    "cks20.thm4",
    kind="privacy",
    says=r"D_\alpha(\mathcal N_{\mathbb Z}(0,\sigma^2)\|\mathcal N_{\mathbb Z}(1,\sigma^2))\le\frac{\alpha}{2\sigma^2}",
    needs=[require("alpha > 1", lambda alpha: alpha > 1), positive("sigma")],
)
def discrete_concentrated(*, alpha: Any, sigma: Any) -> Any:
    """The concentrated privacy of discrete Gaussian noise. Use this for integers: it costs no more than real noise."""
    return alpha / (2 * sigma**2)


@theorem(
    "cks20.cor9",
    kind="mean",
    says=r"\operatorname{Var}\mathcal N_{\mathbb Z}(0,\sigma^2)\le\sigma^2",
    needs=[positive("sigma")],
)
def discrete_spread(*, sigma: Any) -> Any:
    """The variance of discrete Gaussian noise is at most sigma². Use this: rounding costs no accuracy."""
    return sigma**2


oracle_claim(
    discrete_concentrated,
    oracle="exact",
    rounding=1e-9,
    reach=SMALL,
    quick=grid(alpha=[1.5, 2.0, 10.0], sigma=[0.3, 1.0, 9.0]),
)(discrete_loss)
oracle_claim(discrete_spread, oracle="exact", rounding=1e-9, reach=SMALL, quick=grid(sigma=[9.0, 0.2, 0.5]))(
    discrete_variance
)


@theorem(
    "gv14.cost",
    kind="identity",
    says=r"\min_\gamma E|X|=\frac{e^{\varepsilon/2}}{e^\varepsilon-1}",
    needs=[positive("epsilon")],
)
def staircase(*, epsilon: Any) -> Any:
    """The mean size of staircase noise, the least of all pure noise. Use this for large epsilon."""
    return exp(epsilon / 2) / (exp(epsilon) - 1)


def staircase_size(*, epsilon: Any) -> Any:
    """E|X| for the best width, gamma = 1/(1 + e^(epsilon/2)), with the geometric series summed."""
    b, g = exp(-epsilon), 1 / (1 + exp(epsilon / 2))
    flat = g**2 / 2 / (1 - b) + g * b / (1 - b) ** 2  # of the upper halves of all stairs, and below of the lower ones
    lower = (1 - g**2) / 2 / (1 - b) + (1 - g) * b / (1 - b) ** 2
    return (1 - b) / (g + b * (1 - g)) * (flat + b * lower)


@theorem(
    "gv14.density",
    kind="privacy",
    says=r"p(x)\propto e^{-\varepsilon\left(\lfloor|x|\rfloor+[|x|-\lfloor|x|\rfloor\ge\gamma]\right)},"
    r"\ \Delta=1\Rightarrow\varepsilon\text{-DP}",
    needs=[positive("epsilon"), between("gamma", 0, 1)],
)
def staircase_privacy(*, epsilon: Any, gamma: Any) -> Any:
    """The largest privacy loss of staircase noise of any width. Use gamma = 1/(1 + e^(epsilon/2))."""
    return epsilon


def stair(x: Any, gamma: Any) -> int:
    """The number of the stair on which x is."""
    whole = int(abs(x) // 1)
    return whole + int(abs(x) - whole >= gamma)


oracle_claim(
    staircase_privacy,
    oracle="exact",
    quick=grid(epsilon=[0.1, 2.0], gamma=[0.5, 0.1], z=[0.0, 3.25], x=[1.0, -0.5]),
    over=[between("z", -1e6, 1e6), between("x", -1, 1)],
    steps=[Step("stairs have length 1, and |x| changes by at most 1")],
)(lambda *, epsilon, gamma, z, x: epsilon * (stair(z - x, gamma) - stair(z, gamma)))
oracle_claim(
    staircase, oracle="exact", claim=identity_claim, rounding=1e-6, quick=grid(epsilon=[0.1, 1.0, 10.0]), steps=ALGEBRA
)(staircase_size)
