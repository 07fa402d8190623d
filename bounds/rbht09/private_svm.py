"""Private SVM by output perturbation: Rubinstein et al. 2009, Definition 1 and Theorem 7.

The paper's letters: `beta` is the privacy level (epsilon elsewhere), `lam` the Laplace scale lambda, `C`, `L`, `kappa`
and `F` as printed: k(x, x) = ||phi(x)||_2^2 <= kappa^2, phi(x) in R^F. All privacy here is pure: there is no delta.
Neighbours replace one of n rows.
"""

from math import exp, log, log1p, sqrt, tanh

import numpy as np

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.bounds.rbht09.svm_sensitivity import DATABASE, weight_sensitivity, weight_sensitivity_sharp
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

# Definition 1 ---------------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.def1",
    kind="definition",
    says=r"\log\left(\frac{\Pr(M(D_1)=t)}{\Pr(M(D_2)=t)}\right)\le\beta",
    needs=[positive("beta")],
)
def differential_privacy(*, beta: float) -> float:
    """beta-DP: replacing a row changes no likelihood by more than a factor e^beta.

    The largest likelihood ratio e^beta of a response t between neighbouring databases of n rows; for continuous
    responses a Radon-Nikodym derivative.

    >>> round(differential_privacy(beta=1.0), 4)
    2.7183
    """
    return exp(beta)


@differential_privacy.explicit(
    part="laplace",
    says=r"\sup_t\log\frac{p_1(t)}{p_2(t)}=\frac{\|w_1-w_2\|_1}{\lambda}",
    kind="identity",
    needs=[positive("lam")],
    source=", for the density of Algorithm 2",
)
def laplace_worst_log_ratio(*, first: Array, second: Array, lam: float) -> float:
    """The largest log-ratio of two product Laplace laws: L1 distance over the scale.

    Derivation. log p_1(t) / p_2(t) = (||t - w_2||_1 - ||t - w_1||_1) / lam <= ||w_1 - w_2||_1 / lam by the triangle
    inequality, with equality at t = w_1. `first` and `second` hold F numbers each. So the privacy of output
    perturbation depends on the sensitivity of the centre alone.

    >>> laplace_worst_log_ratio(first=[1, 0], second=[0, 2], lam=3)
    1.0
    """
    return float(np.abs(np.subtract(first, second)).sum() / lam)


@differential_privacy.explicit(
    part="objective",
    says=r"b\ \text{of density}\ \propto e^{-\rho\|b\|_2},\ |\ell'|\le1,\ 0\le\ell''\le c,\ \|z_i\|_2\le1:\quad "
    r"\arg\min_w\frac\lambda2\|w\|_2^2+\frac Cn\Big(\sum_i\ell(\langle w,z_i\rangle)+\langle b,w\rangle\Big)\ "
    r"\text{is}\ \Big(2\rho+\log\Big(1+\frac{cC}{n\lambda}\Big)\Big)\text{-differentially private}",
    needs=[positive("rate"), positive("ridge"), integer("n"), positive("C"), positive("curvature")],
    source=", for objective perturbation; Chaudhuri, Monteleoni & Sarwate 2011, Algorithm 2",
)
def objective_epsilon(*, rate: float, ridge: float, n: int, C: float, curvature: float) -> float:
    """One release of objective perturbation spends 2 rho and one log-determinant.

    Derivation. tau = n lambda / C. (1) w is the minimiser for b(w) = -tau w - sum_i l'(<w, z_i>) z_i alone, so its
    density is that of b(w) times det H(w), H = tau I + sum_i l''(<w, z_i>) z_i z_i^T. (2) A row replaced, z by z',
    moves b(w) by s z - s' z' with |s|, |s'| <= 1, so by at most 2, and the density of b by e^(2 rho) at most. (3) Let A
    be the Hessian without the row: det H / det A = 1 + l'' z^T A^-1 z lies in [1, 1 + c / tau], as A is at least tau I,
    and so does the neighbour's; their quotient is at most 1 + c / tau. Chaudhuri, Monteleoni & Sarwate charge (1 + c /
    tau)^2, for a row that is added and one that is removed.

    >>> round(objective_epsilon(rate=0.5, ridge=1.0, n=10, C=40.0, curvature=1.0), 4)
    2.6094
    """
    return 2 * rate + log1p(curvature * C / (n * ridge))


# Theorem 7: privacy ---------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.thm7",
    kind="privacy",
    says=r"\lambda\ge\frac{4LC\kappa\sqrt{F}}{\beta n}\ \Rightarrow\ \beta\text{-differential privacy}",
    needs=[positive("beta"), *DATABASE],
)
def noise_scale(*, beta: float, n: int, C: float, F: int, L: float = 1.0, kappa: float = 1.0) -> float:
    """PRIVATESVM-FINITE is beta-private from this Laplace scale on.

    The smallest lambda printed, 4 L C kappa sqrt(F) / (beta n). Derivation: a release is w(D) + Laplace(lambda)^F; for
    neighbours the log-ratio is at most ||w(D) - w(D')||_1 / lambda (`laplace_worst_log_ratio`), and the distance is at
    most 2 L C kappa sqrt(F) / n (`weight_sensitivity_sharp`), which makes beta / 2 of it: twice the noise needed.

    >>> noise_scale(beta=1.0, n=1000, C=1.0, F=1)
    0.004
    """
    return weight_sensitivity(n=n, C=C, F=F, L=L, kappa=kappa) / beta


@noise_scale.explicit(
    says=r"\lambda\ge\frac{2LC\kappa\sqrt{F}}{\beta n}\ \Rightarrow\ \beta\text{-differential privacy}",
    source=", calibrated to the attained sensitivity",
)
def noise_scale_sharp(*, beta: float, n: int, C: float, F: int, L: float = 1.0, kappa: float = 1.0) -> float:
    """PRIVATESVM-FINITE is beta-private from exactly half the printed Laplace scale.

    2 L C kappa sqrt(F) / (beta n). The chain of `noise_scale`; the flipped label of `weight_sensitivity_sharp` attains
    log-ratio beta exactly, so no smaller lambda is beta-DP for all databases when C kappa^2 <= 1.
    """
    return weight_sensitivity_sharp(n=n, C=C, F=F, L=L, kappa=kappa) / beta


# Theorem 7 in floating point ------------------------------------------------------------------------------------------
# Not statements of the paper, whose Algorithm 2 adds real noise: what its privacy becomes when steps (3) and (4) run on
# a computer, with the textbook sampler and with the one we ship (`lemmata.mechanisms.noise.laplace`).

FLOAT64 = ", Algorithm 2, steps (3) and (4), executed in float64; Mironov 2012"


@theorem(
    "rbht09.thm7.float64",
    reading="explicit",
    kind="privacy",
    says=r"\mathrm{fl}(w(D)+\mathrm{fl}(\mu))\ \text{is}\ \beta\text{-differentially private}",
    needs=[positive("beta")],
    source=FLOAT64,
)
def textbook_release(*, beta: float) -> float:
    """The epsilon of w + rng.laplace(scale) in float64, claimed as over the reals.

    Claimed: beta. In truth no beta holds, as some releases have one centre only. A double y is possible for the centre
    w only if fl(w + z) = y for one of at most 2^53 noise values z; for centres 0 and 1, |y| < 1/2 is reached from 1
    only at multiples of 2^-53 (there 1 + z is exact), and from 0 at other doubles too.
    """
    return beta


@textbook_release.corrected(
    says=r"\lambda\ge\frac{S+Fg}{\beta}\ \Rightarrow\ "
    r"g\,(\lfloor w(D)/g\rceil+K)\ \text{is}\ \beta\text{-differentially private}",
    needs=[positive("sensitivity"), positive("grid"), integer("F"), positive("beta")],
    source=FLOAT64,
)
def grid_scale(*, sensitivity: float, grid: float, F: int, beta: float) -> float:
    """Discrete Laplace noise on a grid of step g is beta-DP at scale (S + F g) / beta.

    Derivation. Each of the F coordinates, rounded to the nearest grid step, moves by at most g / 2, so two rounded
    centres differ by at most S + F g in L1, a whole number of steps. K is discrete Laplace, Pr(K = k) proportional to
    exp(-|k| g / lambda), sampled exactly: |log Pr(K = k - a) - log Pr(K = k - b)| <= |a - b| g / lambda for whole a, b.

    >>> grid_scale(sensitivity=1.0, grid=0.25, F=4, beta=2.0)
    1.0
    """
    return (sensitivity + F * grid) / beta


@textbook_release.explicit(
    part="snapping",
    says=r"\mathrm{clamp}_B\lfloor\mathrm{clamp}_B(w)\oplus S\otimes\lambda\otimes\mathrm{LN}(U)\rceil_\Lambda"
    r"\ \text{is}\ \left(\frac{S_1}{\lambda}+20\coth(\tfrac12)\,2^{-53}\cdot1.001\,\frac{FB}{\lambda}\right)"
    r"\text{-differentially private},\quad\lambda\le B\le2^{36}\lambda",
    needs=[
        positive("sensitivity"),
        positive("scale"),
        integer("F"),
        require("scale <= bound <= 2^36 scale", lambda scale, bound: scale <= bound <= 2.0**36 * scale),
    ],
    source=FLOAT64 + ", Theorem 1, every rounding counted anew",
)
def snapping_epsilon(*, sensitivity: float, scale: float, bound: float, F: int) -> float:
    """The float64 snapping mechanism spends S / lambda and F times a rounding slack.

    Derivation. One coordinate, eta = 2^-53, B the bound. A release lies in a cell [b, b') of the grid according to
    thresholds on U. Over the reals the threshold at b is v = exp(-|w - b| / lambda). In float64 the sum is off by eta
    |b|, the product and the logarithm by 2 eta |w - b|, and U has gaps of 2 eta U: so |ln u - ln v| <= eta E with E =
    (|b| + 2 |w - b|) / lambda + 2, at most 10 B / lambda, because |w| <= B and |b| <= B + Lambda / 2 <= 2 B. A cell
    next to that of w has probability (u' - u) / 2 with v' / v = exp(Lambda / lambda) >= e: its relative error is at
    most eta E (e + 1) / (e - 1) = eta E coth(1/2); the cell around w and the two ends have less. Two centres double it.
    The factor 1.001 is for second orders, since eta E < 2^-13. Between the ideal laws the ratio is exp(|w - w'| /
    lambda), rounding being post-processing. Mironov 2012, Theorem 1, has 2^-49 B / lambda in place of our 43.3 * 2^-53.

    >>> snapping_epsilon(sensitivity=1.0, scale=2.0, bound=8.0, F=1) - 0.5 < 2e-14
    True
    """
    slack = 20 / tanh(0.5) * 2.0**-53 * 1.001
    return (sensitivity + F * slack * bound) / scale


@textbook_release.explicit(
    part="renyi",
    says=r"g(\lfloor w(D)/g\rceil+K),\ \Pr(K=k)\propto e^{-k^2g^2/(2\sigma^2)}:\quad "
    r"D_\alpha\le\alpha\rho,\ \rho=\frac{(S_2+g\sqrt{F})^2}{2\sigma^2}",
    needs=[positive("sensitivity"), positive("sigma"), positive("grid"), integer("F")],
    source=", with discrete Gaussian noise; Canonne, Kamath & Steinke 2020",
)
def concentration(*, sensitivity: float, sigma: float, grid: float, F: int) -> float:
    """The discrete Gaussian on a grid is rho-zCDP: Rényi divergence at most alpha rho.

    Derivation. In grid steps, s = sigma / g: for whole points at distance d, sum_k p(k)^alpha q(k)^(1 - alpha) is
    exp(alpha (alpha - 1) d^2 / (2 s^2)) times theta(alpha d) / theta(0), theta(t) = sum_k exp(-(k - t)^2 / (2 s^2)),
    and theta is largest at whole t (Poisson summation: its Fourier coefficients are positive). Equality where alpha d
    is whole. Coordinates add up to the squared L2 distance, which rounding makes S / g + sqrt(F) at most.

    >>> concentration(sensitivity=1.0, sigma=2.0, grid=0.25, F=4)
    0.28125
    """
    return (sensitivity + grid * F**0.5) ** 2 / (2 * sigma**2)


@textbook_release.explicit(
    part="gaussian",
    says=r"\rho\text{-zCDP}\ \Rightarrow\ \left(\rho+2\sqrt{\rho\log\tfrac1\delta},\,\delta\right)"
    r"\text{-differential privacy}",
    needs=[positive("rho"), in_unit_interval("delta")],
    source=", with discrete Gaussian noise; Bun & Steinke 2016, Proposition 1.3",
)
def concentration_epsilon(*, rho: float, delta: float) -> float:
    """The discrete Gaussian on a grid is (epsilon, delta)-DP with this epsilon.

    For the loss Z, P(O) - e^epsilon Q(O) <= P(Z > epsilon) <= E exp((alpha - 1) (Z - epsilon)), at most
    exp((alpha - 1) (alpha rho - epsilon)), and alpha = (epsilon + rho) / (2 rho) makes that
    exp(-(epsilon - rho)^2 / (4 rho)).

    >>> round(concentration_epsilon(rho=0.5, delta=1e-6), 4)
    5.7565
    """
    return rho + 2 * (rho * log(1 / delta)) ** 0.5


@textbook_release.explicit(
    part="profile",
    says=r"K,\ \Pr(K=k)\propto e^{-\|k\|^2/(2s^2)},\ k\in\mathbb{Z}^F,\ v\in\mathbb{Z}^F,\ \|v\|_2\le D:\quad "
    r"H_{e^\varepsilon}(v+K\,\|\,K)\le "
    r"e^{F/(24s^2)}\,\delta\left(\varepsilon-\tfrac{\sqrt{F}D}{2s^2};\tfrac{D}{s}\right)",
    needs=[positive("epsilon"), positive("shift"), positive("steps"), integer("F")],
    source=", with discrete Gaussian noise; delta(.; mu) is the curve of the Gaussian mechanism",
)
def discrete_gaussian_delta(*, epsilon: float, shift: float, steps: float, F: int) -> float:
    """The discrete Gaussian's privacy curve in F dimensions, bounded by the Gaussian's.

    Derivation. g(x) = exp(-|x|^2 / (2 s^2)), X = N(0, s^2 I), k + [-1/2, 1/2]^F the cell of k, u uniform on the cell of
    0. (1) By Jensen the integral of g over the cell of k is g(k) E exp(-(2 <k, u> + |u|^2) / (2 s^2)) >= g(k)
    exp(-F / (24 s^2)), as E u = 0 and E |u|^2 = F / 12. (2) The sum of exp(-j^2 / (2 s^2)) over whole j is at least
    sqrt(2 pi) s: the other terms of Poisson's formula are positive. So Pr(K = k) <= exp(F / (24 s^2)) Pr(round(X) = k).
    (3) For a whole shift v the privacy loss at k is (|v|^2 - 2 <k, v>) / (2 s^2), with no constant, as both laws have
    the same sum; at round(X) it exceeds the one at X by |v|_1 / (2 s^2) <= sqrt(F) D / (2 s^2) at most. (4) H is
    E (1 - e^(epsilon - loss))_+ under K, which rises with the loss; under X it is the Gaussian curve at |v| / s, which
    rises with |v|. The other order is the mirror image.

    >>> round(discrete_gaussian_delta(epsilon=1.0, shift=2.0**16, steps=4.22480 * 2**16, F=1) * 1e6, 3)
    1.0
    """
    rounding = F**0.5 * shift / (2 * steps**2)
    return exp(F / (24 * steps**2) + float(log_gaussian_delta(epsilon - rounding, shift / steps)))


# Errors of private statistics, ours: how far a release is off, next to the rows of its privacy ------------------------

STATISTIC = ", for the exact statistics of `lemmata.mechanisms.learners.statistics`"
ANY_NOISE = [
    integer("d"),
    in_unit_interval("beta"),
    at_least("epsilon", 0),
    at_least("mu", 0),
    require("exactly one of epsilon and mu is 0", lambda epsilon, mu: (epsilon > 0) != (mu > 0)),
]


def noise_level(*, sums: int, moved: int, n: int, beta: float, epsilon: float, mu: float) -> float:
    """A level that exact noise on any of `sums` sums of unit entries exceeds with chance beta at most.

    Laplace noise for an `epsilon`, whose scale moved / epsilon is rounded up to whole steps 2^-20: with r = exp(-1 / s)
    for a scale of s steps, Pr(|K| >= k) = 2 r^k / (1 + r) <= r^(k - 1/2), so half a step is added. A Gaussian for a
    `mu`, of deviation sqrt(moved) / mu, on a grid no coarser than 2^-20 of that or n 2^-45. Both: a union bound.

    >>> round(noise_level(sums=1, moved=1, n=100, beta=0.05, epsilon=1.0, mu=0.0), 3)
    2.996
    """
    if mu:
        return sqrt(moved) / mu * (sqrt(2 * log(sums / beta)) + 2.0**-20) + n * 2.0**-45
    return (moved / epsilon + 2.0**-20) * log(sums / beta) + 2.0**-21


@textbook_release.explicit(
    part="mean-error",
    kind="tail",
    says=r"\Pr\Big[\max_{j\le d}\Big|m_j-\tfrac1n\sum_i\mathrm{clip}(x_{ij})\Big|>(b-a)\Big(2^{-21}+\tfrac{t}{n}\Big)"
    r"+2^{-48}\max(|a|,|b|)\Big]\le\beta,\quad t=\Big(\tfrac d\varepsilon+2^{-20}\Big)\log\tfrac d\beta+2^{-21}\ "
    r"\text{or}\ \tfrac{\sqrt d}\mu\Big(\sqrt{2\log\tfrac d\beta}+2^{-20}\Big)+2^{-45}n",
    needs=[*ANY_NOISE, integer("n"), require("low < high", lambda low, high: low < high)],
    source=STATISTIC,
)
def mean_error(*, n: int, d: int, low: float, high: float, beta: float, epsilon: float = 0.0, mu: float = 0.0) -> float:
    """How far any of d private means is off the mean of the clipped entries, with probability 1 - beta.

    `lemmata.private_mean` is so: Laplace noise for an `epsilon`, a Gaussian for a `mu`.

    Derivation. (1) An entry between its bounds is rounded to the nearest of 2^20 steps, which moves it, and so a mean,
    by at most 2^-21 of b - a. (2) Noise on a sum of n unit entries, one of d, exceeds t with chance beta at most
    (`noise_level`), and a sum over n times b - a is a mean. (3) Centre, spread and quotient of float64 are off by at
    most 2^-50 max(|a|, |b|), a mean that is released by 2^-52 of itself: together within the last term, where noise
    does not lead far beyond the bounds.

    >>> round(mean_error(n=1000, d=1, low=0.0, high=100.0, beta=0.05, epsilon=1.0), 4)
    0.2996
    """
    t = noise_level(sums=d, moved=d, n=n, beta=beta, epsilon=epsilon, mu=mu)
    return (high - low) * (2.0**-21 + t / n) + 2.0**-48 * max(abs(low), abs(high))


@textbook_release.explicit(
    part="histogram-error",
    kind="tail",
    says=r"\Pr\Big[\max_{j\le d,\,k\le B}|c_{jk}-\#\{i:x_{ij}\in I_k\}|>t+\tfrac12\Big]\le\beta,\quad "
    r"t=\Big(\tfrac{2d}\varepsilon+2^{-20}\Big)\log\tfrac{dB}\beta+2^{-21}\ \text{or}\ "
    r"\tfrac{\sqrt{2d}}\mu\Big(\sqrt{2\log\tfrac{dB}\beta}+2^{-20}\Big)+2^{-45}n",
    needs=[*ANY_NOISE, integer("n"), integer("bins")],
    source=STATISTIC,
)
def histogram_error(*, n: int, d: int, bins: int, beta: float, epsilon: float = 0.0, mu: float = 0.0) -> float:
    """How far any count of d private histograms is off, with probability 1 - beta.

    `lemmata.private_histogram` is so: Laplace noise for an `epsilon`, a Gaussian for a `mu`.

    Derivation. (1) A replaced record takes 1 from one count of each column and adds 1 to another, 2 d in the L1 norm
    and sqrt(2 d) in the L2 norm; noise on any of d B counts exceeds t with chance beta at most (`noise_level`). (2) A
    noisy count is rounded to a whole number, by at most 1/2.

    >>> round(histogram_error(n=1000, d=1, bins=10, beta=0.05, epsilon=1.0), 2)
    11.1
    """
    return noise_level(sums=d * bins, moved=2 * d, n=n, beta=beta, epsilon=epsilon, mu=mu) + 0.5


@textbook_release.explicit(
    part="quantile-error",
    kind="tail",
    says=r"\Pr\Big[\exists j:\ \max\big(\#\{i:x_i<c_j\}-t_j,\ t_j-\#\{i:x_i\le c_j\}\big)>"
    r"\tfrac{2K}{\varepsilon}\log\tfrac{NK}\beta\Big]\le\beta,\quad t_j=\lfloor q_jn\rceil,\ x_i\ \text{rounded to}\ "
    r"N+1\ \text{points}",
    needs=[integer("quantiles"), integer("cells"), in_unit_interval("beta"), positive("epsilon")],
    source=STATISTIC,
)
def quantile_error(*, quantiles: int, cells: int, beta: float, epsilon: float) -> float:
    """How many records may lie between any of K private quantiles and the true one, with probability 1 - beta.

    `lemmata.private_quantile` is so, of records rounded to N + 1 points, by at most half a cell.

    Derivation. (1) As c goes through the points, the intervals from #{x_i < c} to #{x_i <= c} cover [0, n]: one of them
    has t, and that point the score 0. (2) A point further than m records from t has a weight below exp(-e m / 2), e =
    epsilon / K up to the last bit, which is left aside, and there are N of them at most; all weights together are above
    1. (3) With m as stated that is beta / K, and a union bound over K choices.

    >>> round(quantile_error(quantiles=1, cells=2**14, beta=0.05, epsilon=1.0), 1)
    25.4
    """
    return 2 * quantiles / epsilon * log(cells * quantiles / beta)
