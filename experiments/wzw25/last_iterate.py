"""The last iterate of noisy gradient descent: Lemma C.2 of Wang, Zhu & Wang (2025), and its provable forms."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, exp, log, sqrt

import numpy as np
from flint import arb
from scipy.stats import norm

from lemmata.bounds.exact.balls import Phi
from lemmata.bounds.exact.privacy_curves import closed_form
from lemmata.bounds.exact.sampled_gaussian import gaussian_curve, step_delta
from lemmata.bounds.wzw25 import last_iterate as bounds
from lemmata.bounds.wzw25.hinge_gradient import hinge_sum, tangent_value
from lemmata.bounds.wzw25.noisy_gd import noise_std, printed_steps, stride
from lemmata.experiments.checks import (
    Control,
    Link,
    equality,
    exact_claim,
    grid,
    inconclusive,
    inequality_claim,
    mean_claim,
    run_script,
    tail_claim,
    up_to_one,
)
from lemmata.experiments.instances.datasets.noisy_descent import ceiling, separable
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.privacy import GaussianDP

# Lemma C.2 as printed -------------------------------------------------------------------------------------------------


def share_of_truth(d, s):
    """A certified lower bound of truth / g at beta = 1 - s: records +-e_j, w_ref = 0, w_0 = e_1, T = 1; or None.

    L(w) - L(0) = sum_j (|w_j| / c - 1)_+, and w_1 is normal with covariance (eta sigma)^2 I. By Anderson's inequality
    P(all |w_j| <= a eta sigma) <= (2 Phi(a) - 1)^d. Where a ball proves that this is below s = 1 - beta, the excess
    is above a eta sigma / c - 1 with probability more than beta: no bound that holds with 1 - beta lies lower.
    """
    n, c = 2 * d, arb(s).sqrt()
    loss = -(-arb(s)).log1p()  # log(1 / beta)
    sigma = 2 * n / c
    eta = 1 / (sigma * (1 + d * loss).sqrt())
    a = arb(0.999 * float(norm.ppf((1 + s ** (1 / d)) / 2)))
    if not (2 * Phi(a) - 1) ** d < arb(s):
        return None
    g = n * (2 / c) * (d * loss).sqrt()
    printed = bounds.last_iterate_rate(d=d, mu=1 / n, sensitivity=2 / sqrt(s), distance=1.0, beta=1 - s)
    if abs(g / printed - 1) > 1e-3:  # 1 - s is rounded
        return None
    return (a * eta * sigma / c - 1) / g


@exact_claim(
    bounds.last_iterate_rate,
    quick=({"d": 10},),
    full=({"d": 3}, {"d": 100}),
    note="for β ≤ 1/2 true with the constant 15 where log T ≤ d log(1/β): our theorem, where the logarithm multiplies "
    "the gradients and not the dimension (explicit/free-energy, explicit/dimension). Open for β ≤ 1/2 and log T > d "
    "log(1/β): there a further factor 4.5 (1 + H_T) is enough (corrected), and none is known to be needed "
    "(cf. the open problem of Koren & Segal 2020 on constant dimensions). As β → 1 no constant is enough, since "
    "log(1/β) tends to 0 and the excess does not",
)
def bound_vanishes_near_one(*, d, factor=1):
    """truth / g along beta -> 1, where g = O(sqrt(1 - beta)) but the mass of a ball is O(r^d): in balls."""
    exponents = [3, 4, 5, 6, 8, 10, 12]
    ratios = {k: share_of_truth(d, 10.0**-k) for k in exponents}
    if None in ratios.values():
        return inconclusive("NO_CONSTANT", "a ball did not decide")
    series = {"-log10(1 - beta)": list(map(float, exponents)), "truth / g, at least": list(map(float, ratios.values()))}
    lowest = ", ".join(f"{float(ratios[k]):.2g} at 1 - 1e-{k}" for k in (4, 8, 12))
    note = f"for d = {d} the excess over the printed order is at least {lowest}"
    return inconclusive("NO_CONSTANT", note, series=series)


# What is proved of it: the moving comparator --------------------------------------------------------------------------


def moved(k, v):
    """(largest error of (C), weight of D^2): the remainder in a_s for the comparator with weights k_t, v_t, t =
    0..T."""
    later = np.cumsum(k[::-1])[::-1]  # K_s
    before = np.concatenate([[v[-1] / later[0]], v[:-1]])  # v_{s-1}
    left = k * v - (v - before) * later
    left[-1] -= v[-1]
    return float(np.abs(left).max() / v[-1]), k[0] * before[0] ** 2 / v[0]


def summed(k, v, *, eta, gradient_norm, distance, **_):
    """The noiseless part of the chain, divided by 2 eta v: squared distance and squared gradients."""
    error, start = moved(k, v)
    if error > 1e-9:
        raise ArithmeticError(f"(C) fails by {error}")
    return (start * distance**2 + (eta * gradient_norm) ** 2 * float(k @ v)) / (2 * eta * v[-1])


def step_weights(T):
    """k_t = 1 and v_t = 1 / (T - t), v_T = v_{T-1} = 1: the comparator of the bounds in expectation."""
    return np.ones(T + 1), 1 / np.append(np.arange(T, 0, -1), 1)


PROBLEMS = grid(d=[1, 20], steps=[1, 7, 1000], gradient_norm=[3.0], sigma=[0.5, 40.0], distance=[2.0], eta=[0.05])
DERIVED = {"given": [tangent_value], "rounding": 1e-9, "tightness": up_to_one}


@inequality_claim(bounds.last_iterate_mean, **DERIVED)
def moving_comparator_in_expectation():
    """The chain with k_t = 1, in which (v_{-1} / v_0)^2 v_0 <= v_{-1}; the noise adds d sigma^2 to every square."""
    for problem in PROBLEMS:
        (k, v), D, eta = step_weights(problem["steps"]), problem["distance"], problem["eta"]
        square = problem["gradient_norm"] ** 2 + problem["d"] * problem["sigma"] ** 2
        telescoped = (v[-1] / k.sum() * D**2 + eta**2 * square * v.sum()) / (
            2 * eta * v[-1]
        )  # (v_{-1} / v_0)^2 v_0 <= v_{-1}
        yield problem, summed(k, v, **problem | {"gradient_norm": sqrt(square)}), telescoped
        yield problem, telescoped, bounds.last_iterate_mean(**problem)


@inequality_claim(bounds.decaying_mean, **DERIVED)
def moving_comparator_with_decaying_steps():
    """The chain multiplied by v_t^2, with eta_t v_t = h: it telescopes from D^2, and every gradient adds h^2 G^2."""
    for problem in PROBLEMS:
        sizes = {name: value for name, value in problem.items() if name != "eta"}
        T, D = problem["steps"], problem["distance"]
        k, v = step_weights(T)
        etas = bounds.decaying_strides(**sizes) * v[:-1]  # h, at every step
        h, square = etas[0], problem["gradient_norm"] ** 2 + problem["d"] * problem["sigma"] ** 2
        if np.ptp(etas) > 1e-12 * h or moved(k, v)[0] > 1e-12:
            raise ArithmeticError(f"T = {T}: the steps do not match the comparator")
        start = (v[-1] / (T + 1)) ** 2 * D**2  # v_{-1}^2 D^2
        yield sizes, (start + (T + 1) * h**2 * square) / (2 * h * v[-1]), bounds.decaying_mean(**sizes)


@inequality_claim(bounds.batches_mean, given=[bounds.decaying_mean], tightness=equality, rounding=1e-9)
def batches_are_unbiased_gradients():
    """E || sum over the batch / q ||^2 over all batches of six equal vectors, and the decaying steps with it."""
    n = 6
    for rate, a, d, T in product((Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)), (0.4, 2.0), (1, 20), (1, 1000)):
        squares = sum(comb(n, m) * rate**m * (1 - rate) ** (n - m) * (m / rate) ** 2 for m in range(n + 1))
        sizes = {"d": d, "steps": T, "distance": 2.0}
        chain = bounds.decaying_mean(gradient_norm=3 * sqrt(squares), sigma=3 / a / float(rate), **sizes)
        setting = sizes | {"n": n, "rate": float(rate), "scale": a, "lipschitz": 3.0}
        yield setting, chain, bounds.batches_mean(**setting)


@inequality_claim(bounds.last_iterate_tail, **DERIVED)
def moving_comparator_in_an_exponential():
    """The links of the supermartingale, summed, at the best of the scales v: its weights obey the chi-square link."""
    for problem in PROBLEMS:
        T, eta, noise = problem["steps"], problem["eta"], (problem["eta"] * problem["sigma"]) ** 2
        ends = []
        for v in bounds.SCALES / (4 * noise * bounds.harmonic(T)):
            if (weights := bounds.comparator_weights(T, v, noise)) is None:
                break
            k, v_t = weights
            if np.abs(1 - 2 * k[1:] * v_t[:-1] * noise - k[1:] / k[:-1]).max() > 1e-9:  # 1 - 2 b s^2 = b / a
                raise ArithmeticError(f"T = {T}: the weights do not obey the chi-square link")
            paid = problem["d"] / 2 * float(np.log(k[:-1] / k[1:]).sum()) + log(1 / 0.01)
            ends.append(summed(k, v_t, **problem) + paid / (2 * eta * v))
        yield problem, min(ends), bounds.last_iterate_tail(**problem, beta=0.01)


@inequality_claim(bounds.weighted_tail, **DERIVED)
def weights_in_an_exponential():
    """The links of the supermartingale at the weights that our law uses, summed; they obey the chi-square link."""
    for problem in PROBLEMS:
        eta, noise = problem["eta"], (problem["eta"] * problem["sigma"]) ** 2
        used = bounds.iterate_weights(**problem, beta=0.01)
        weights = np.append(used, 1 / (1 / used[-1] + 2 * noise))
        if np.abs(1 - 2 * weights[1:] * noise - weights[1:] / weights[:-1]).max() > 1e-9:
            raise ArithmeticError("the weights do not obey the chi-square link")
        paid = problem["d"] / 2 * float(np.log(weights[:-1] / weights[1:]).sum()) + log(1 / 0.01)
        start, squares = weights[0] * problem["distance"] ** 2, (eta * problem["gradient_norm"]) ** 2 * used.sum()
        yield problem, (start + squares + paid) / (2 * eta * used.sum()), bounds.weighted_tail(**problem, beta=0.01)


def one_step_quantile(beta, sensitivity, distance):
    """A lower bound of the (1 - beta)-quantile of the excess: records +1, -1, w_0 = distance, w_ref = 0, T = 1.

    n = 2, mu = 1/2, c = 2 / Delta: the excess is (|w| / c - 1)_+, and w_1 is normal with standard deviation eta sigma =
    D / sqrt(1 + log(e / beta)); |w_1| is stochastically smallest if its mean is 0.
    """
    deviation = distance / sqrt(2 + log(1 / beta))
    return max(0.0, deviation * float(norm.isf(beta / 2)) * sensitivity / 2 - 1)


@inequality_claim(
    bounds.last_iterate_corrected,
    quick=({"n": 2, "d": 1, "mu": 0.5, "beta": 0.05}, {"n": 100, "d": 1, "mu": 1.0, "beta": 1 - 1e-9}),
    full=grid(n=[100], d=[1, 20], mu=[0.01, 0.3], beta=[1e-9, 0.1, 1 - 1e-9]),
    given=[bounds.last_iterate_tail],
    rounding=1e-7,  # beta = 1 - 1e-9 stands for 1, where the last link is an equality
    tightness=up_to_one,
    scope="everywhere: convex, per-record gradients of norm at most Δ",
    note="T = n²μ² rounded up; attained by the last link of the derivation at d = 1, β → 1",
)
def closed_form_is_above_the_derivation(*, n, d, mu, beta):
    """The explicit bound at v = 1 / (4 eta^2 sigma^2 H_T), and every link from there to the closed form."""
    setting = dict(n=n, d=d, mu=mu, sensitivity=1.0, distance=1e4, beta=beta)
    closed = bounds.last_iterate_corrected(**setting)
    if (n, d, mu) == (2, 1, 0.5):
        yield setting | {"of": "the truth at T = 1"}, one_step_quantile(beta, 1.0, 1e4), closed
    T, G, D, logs = printed_steps(n, mu), n * 1.0, 1e4, log(1 / beta)
    H, sigma = bounds.harmonic(T), noise_std(T, 1.0, mu)
    eta = stride(steps=T, gradient_norm=G, sigma=sigma, d=d, distance=D, log_factor=1 + logs)
    v, A = 1 / (4 * (eta * sigma) ** 2 * H), G**2 + d * sigma**2 * (1 + logs)
    k, v_t = bounds.comparator_weights(T, v, (eta * sigma) ** 2)
    first = summed(k, v_t, eta=eta, gradient_norm=G, distance=D) + (d / 2 * log(k[0]) + logs) / (2 * eta * v)
    second = D**2 / (eta * (T + 2)) + eta * (G**2 * (H + 1 / 2) + sigma**2 * H * (d * log(2) + 2 * logs))
    third = D * sqrt(A / T) + eta * A * (2 * H + 1)
    yield Link("1 ≤ k_t ≤ 2", setting, first, second)
    yield Link("η A, A / T", setting, second, third)
    yield Link("1 ≤ d log(e/β), T ≥ n²μ²", setting, third, closed)


# Our code against it, sampled -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """A small problem with D = 1: the law of the descent on its data, and w_ref."""

    law: noisy_gd.NoisyGDLaw
    reference: np.ndarray

    def excess(self, rng, size):
        """L(release) - L(w_ref) for `size` releases."""
        Z, width = self.law.Z, self.law.width
        return hinge_sum(self.law.sample(rng, size).T, Z, width) - hinge_sum(self.reference, Z, width)

    def sizes(self):
        """The arguments that all bounds take."""
        law = self.law
        gradient_norm = len(law.Z) / law.width
        return dict(d=len(law.start), steps=law.steps, gradient_norm=gradient_norm, sigma=law.sigma, distance=1.0)

    def ceiling(self):
        """(M, tau): E (excess - M)_+ <= tau for the last iterate."""
        return ceiling(self.law, self.sizes()["gradient_norm"], 1.0, self.law.strides)


def problem(*, kind, d, steps, mu, output="last", stride="tuned", average=None):
    """The problem of one kind.

    separable: 20 unit vectors of margin 1/2 around e_1, width 1/2, w_0 = 0, w_ref = e_1, where the loss is 0.
    opposed: records +-e_j and a narrow hinge, w_0 = e_1, w_ref = 0: nearly the 1-norm, sharp at its minimum.
    """
    if kind == "separable":
        Z, width, start, reference = separable(20, d, 0.5), 0.5, np.zeros(d), np.eye(d)[0]
    else:
        Z, width, start, reference = np.concatenate([np.eye(d), -np.eye(d)]), 0.01, np.eye(d)[0], np.zeros(d)
    run = dict(width=width, steps=steps, start=start, output=output, stride=stride, average=average)
    return Problem(noisy_gd.law(Z, np.ones(len(Z)), privacy=GaussianDP(mu), **run), reference)


def bounded_excess(rng, size, stride, setting):
    """min(excess, M) + tau of `size` last iterates, in [0, M + tau]."""
    sampled = problem(**setting, stride=stride)
    M, tau = sampled.ceiling()
    return np.minimum(sampled.excess(rng, size), M) + tau


KINDS = grid(kind=["separable", "opposed"], d=[3], steps=[50], mu=[1.0])
MORE = grid(kind=["separable", "opposed"], d=[1, 8], steps=[1, 7, 300], mu=[0.5])
ONE_STEP = {"kind": "opposed", "d": 1, "steps": 1, "mu": 0.5}  # where the truth is the largest share of the bounds
TOO_SMALL = "a bound {} times too small"
MEAN = dict(
    quick=KINDS,
    full=(*MORE, ONE_STEP | {"steps": 50, "mu": 1.0}),
    chunk=500,
    cap=40,
    expect=0.3,
    note="the sampled variable is X = min(excess, M) + τ in [0, M + τ], whose mean is at least that of the excess",
)


def constant_mean(**setting):
    """The bound for the constant step size."""
    tried = problem(**setting)
    return bounds.last_iterate_mean(**tried.sizes(), eta=float(tried.law.strides[0]))


@mean_claim(
    bounds.last_iterate_mean,
    law="last_iterate",
    bound=constant_mean,
    high=lambda **setting: sum(problem(**setting).ceiling()),
    control=Control(TOO_SMALL, (7, 8), setting=ONE_STEP, of="bound"),
    **MEAN,
)
def constant_steps(rng, size, *, factor=1, **setting):
    """The excess of the last iterate, constant step size."""
    return bounded_excess(rng, size, "tuned", setting)


@mean_claim(
    bounds.decaying_mean,
    law="decaying_steps",
    bound=lambda **setting: bounds.decaying_mean(**problem(**setting, stride="decaying").sizes()),
    high=lambda **setting: sum(problem(**setting, stride="decaying").ceiling()),
    control=Control(TOO_SMALL, (3, 4, 6), setting=ONE_STEP | {"steps": 50, "mu": 1.0}, of="bound"),
    **MEAN,
)
def decaying_steps(rng, size, *, factor=1, **setting):
    """The excess of the last iterate, linearly decaying steps."""
    return bounded_excess(rng, size, "decaying", setting)


TAIL = dict(
    quick=tuple(s | {"beta": 0.1} for s in KINDS),
    full=(*(s | {"beta": 0.05} for s in MORE), ONE_STEP | {"beta": 0.1}),
    chunk=500,
    cap=10,
)


@tail_claim(bounds.weighted_tail, law="weighted_average", control=Control(TOO_SMALL, (1.8, 2, 4)), **TAIL)
def weighted_average_exceeds(rng, size, *, beta, factor=1, **setting):
    """Is the excess of the weighted average above its bound / factor?"""
    tried = problem(**setting)
    sizes = tried.sizes() | {"eta": float(tried.law.strides[0]), "beta": beta}
    averaged = problem(**setting, output="average", average=bounds.iterate_weights(**sizes))
    return averaged.excess(rng, size) > bounds.weighted_tail(**sizes) / factor


@tail_claim(
    bounds.last_iterate_tail,
    law="last_iterate_tail",
    control=Control(TOO_SMALL, (9, 10, 12), setting=ONE_STEP | {"beta": 0.1}),
    note="no milder control is detected: even at T = 1 the bound covers w_0, the step and the tail separately",
    **TAIL,
)
def last_iterate_exceeds(rng, size, *, beta, factor=1, **setting):
    """Is the excess of the last iterate above its bound / factor?"""
    tried = problem(**setting)
    sizes = tried.sizes() | {"eta": float(tried.law.strides[0]), "beta": beta}
    return tried.excess(rng, size) > bounds.last_iterate_tail(**sizes) / factor


# Lemma C.2 on random batches: privacy ---------------------------------------------------------------------------------

LINE = np.linspace(-14, 14, 601)  # of x, in standard deviations
BETWEEN = np.linspace(-3, 4, 201)  # of epsilon after the first step


def one_step(epsilon, rate, first, second):
    """delta(epsilon) of one step between gradients `first` and `second` in the plane, by a sum to half a per cent."""
    x, y = np.meshgrid(*[np.linspace(-8, 8, 201)] * 2)

    def density(g):
        at = [np.exp(-((x - u) ** 2 + (y - v) ** 2) / 2) / (2 * np.pi) for u, v in ((0, 0), g)]
        return (1 - rate) * at[0] + rate * at[1]

    return float(np.maximum(density(first) - exp(epsilon) * density(second), 0).sum() * (x[0, 1] - x[0, 0]) ** 2)


def half_lines(epsilon, rate, a):
    """sup over k of q Phi(k) - (e^epsilon - 1)(1-q) Phi(k-a) - e^epsilon q Phi(k-2a)."""
    k = LINE + a
    lost = (exp(epsilon) - 1) * (1 - rate) * norm.cdf(k - a) + exp(epsilon) * rate * norm.cdf(k - 2 * a)
    return max(0.0, float((rate * norm.cdf(k) - lost).max()))


def after_a_step(curve, epsilon, rate, a):
    """E_P[curve(epsilon - loss)]: one more step, composed with a curve that is known for every real argument."""
    weights = [np.exp(-((LINE - centre) ** 2) / 2) / sqrt(2 * np.pi) for centre in (0, a, -a)]
    up, down = ((1 - rate) * weights[0] + rate * weight for weight in weights[1:])
    return float((curve(epsilon - np.log(up / down)) * up).sum() * (LINE[1] - LINE[0]))


@inequality_claim(
    bounds.batches_privacy,
    given=["wzw25.lemE.1/printed"],
    cites=("Dong, Roth & Su 2022, composition of dominating pairs",),
    rounding=1e-4,
    cost=0.4,
    note="an equality up to the grid of losses, which adds less than a hundredth to a curve outside its far tail",
)
def batches_are_dominated_on_the_line():
    """One step: two records in the plane, half-lines, the formula; two steps and a score by integrals; all records."""
    for rate, a, epsilon in product((0.05, 0.3, 1.0), (0.5, 1.0), (0.0, 0.05, 0.3)):
        setting = {"epsilon": epsilon, "rate": rate, "scale": a, "steps": 1, "mu": 1e-6}
        line, formula = half_lines(epsilon, rate, a), step_delta(epsilon, rate, a)
        for angle, length in ((np.pi, 1.0), (np.pi, 0.5), (2.0, 1.0), (0.5, 1.0), (0.5, 0.0)):
            other = (length * a * np.cos(angle), length * a * np.sin(angle))
            yield setting | {"angle": angle}, one_step(epsilon, rate, (a, 0), other) * (1 - 5e-3), line
        yield setting, line, formula
        yield setting, formula, bounds.batches_privacy(**setting)
    for rate, a, mu in product((0.05, 0.3, 1.0), (0.3, 1.0), (0.4, 0.8)):
        score = partial(gaussian_curve, mu=mu)
        further = [after_a_step(score, t, rate, a) for t in BETWEEN]
        chords = partial(np.interp, xp=BETWEEN, fp=further)  # above the curve, which is convex, by half a per cent
        for epsilon in (0.1, 1.0):
            setting = {"epsilon": epsilon, "rate": rate, "scale": a, "mu": mu}
            once, twice = (after_a_step(curve, epsilon, rate, a) for curve in (score, chords))
            yield setting | {"steps": 1}, once, bounds.batches_privacy(**setting, steps=1)
            yield setting | {"steps": 2}, twice * (1 - 5e-3), bounds.batches_privacy(**setting, steps=2)
    for n_steps, a, mu, epsilon in product((1, 100, 10**4), (1e-3, 0.1), (0.2, 2.0), (0.0, 1.0)):
        total = sqrt(n_steps * (2 * a) ** 2 + mu**2)
        setting = {"epsilon": epsilon, "rate": 1.0, "scale": a, "steps": n_steps, "mu": mu}
        yield setting, float(closed_form(epsilon, total)), bounds.batches_privacy(**setting)


if __name__ == "__main__":
    run_script(__file__)
