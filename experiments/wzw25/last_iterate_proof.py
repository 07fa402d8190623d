"""The last iterate of noisy gradient descent with no logarithm on the dimension: our theorem on Lemma C.2, checked."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, e, exp, log, log2, pi, sqrt

import numpy as np
from scipy.stats import norm

from lemmata.bounds.theorem import at_least, positive
from lemmata.bounds.wzw25 import last_iterate_proof as bounds
from lemmata.bounds.wzw25.hinge_gradient import tangent_value
from lemmata.bounds.wzw25.noisy_gd import noise_std, printed_steps, stride
from lemmata.experiments.checks import Link, grid, inequality_claim, run_script, up_to_one

CHECK = {
    "tightness": up_to_one,
    "rounding": 1e-9,
    "cost": 0.002,
}  # core-seconds a setting: sums over thousands of steps

# The exact law of descent on |x| --------------------------------------------------------------------------------------


def exact_law(*, steps, gradient_norm, sigma, eta, start):
    """(Points of a grid, probabilities) of w_T for f(x) = G0 |x| on the line.

    The noise is convolved by a Fourier transform. A step of the gradient divides the mass of a point between two
    neighbours, which keeps the mean and adds less than the square of the spacing, eta sigma / 40, to the variance.
    """
    spacing, slope = eta * sigma / 40, eta * gradient_norm
    points = 2 ** ceil(log2(2 * (start + slope) / spacing + 720 * sqrt(steps)))  # 9 standard deviations to each side
    x = (np.arange(points) - points // 2) * spacing
    after = np.interp(x - slope * np.sign(x), x, np.arange(points))
    low, share = after.astype(int), after % 1
    decay = np.exp(-((eta * sigma * np.fft.rfftfreq(points, spacing) * 2 * pi) ** 2) / 2)
    mass = norm.pdf(x, start - slope, eta * sigma)
    for _ in range(steps - 1):
        moved = np.bincount(low, mass * (1 - share), points) + np.bincount(low + 1, mass * share, points + 1)[:-1]
        mass = np.maximum(np.fft.irfft(np.fft.rfft(moved) * decay, points), 0)
    return x, mass / mass.sum()


KINKS = [
    {"d": 1, "steps": T, "gradient_norm": 3.0, "sigma": sigma, "eta": 0.05}
    for T, sigma in ((1, 0.9), (10, 0.9), (100, 0.9), (1, 9.0), (100, 9.0))
]


@cache
def exact_runs():
    """[(Run, start, points of a grid, probabilities)] of f(x) = G0 |x|: starts within one step of 0, and far out."""
    runs = []
    for run, far in product(KINKS, (0.01, 10)):
        start = far * run["eta"] * run["gradient_norm"]
        law = exact_law(**{name: value for name, value in run.items() if name != "d"}, start=start)
        runs.append((run, start, *law))
    return runs


# The steps ------------------------------------------------------------------------------------------------------------


@inequality_claim(bounds.entropy_drop, cites=("Ambrosio, Gigli & Savaré 2008, Theorem 11.1.4",), **CHECK)
def laws_with_known_transport():
    """Normal laws X and Y, and z a normal law in R^d, or uniform on an interval of length b on the line.

    W^2 of N(m, s^2) and that interval is m^2 + s^2 + b^2/12 - b s/sqrt(pi), since E u Phi^-1(u) = 1/(2 sqrt pi).
    """
    for d, noise, spread, times in product((1, 20), (1e-3, 1.0, 100.0), (0.0, 1.0, 30.0), (1.001, 3.6, 50.0)):
        wide = sqrt(spread**2 + noise)  # the standard deviation of X; that of Y is `spread`
        b, cases = times * wide, {}
        cases[f"d = {d}, normal"] = d * log(times), [9.0 + d * (s - b) ** 2 for s in (spread, wide)]
        if times > 2:  # else X and Y are wider than the interval, and the right side is negative
            squares = [s**2 + b**2 / 12 - b * s / sqrt(pi) for s in (spread, wide)]
            cases["uniform"] = log(times / sqrt(2 * pi * e)), squares
        for name, (gained, (before, after)) in cases.items():
            setting = {"before": before, "after": after, "noise": noise, "of": name}
            yield setting, gained, bounds.entropy_drop(before=before, after=after, noise=noise)


@inequality_claim(bounds.without_entropy, over=[positive("spread")], **CHECK)
def laws_with_known_entropy():
    """Laplace laws and the norm sum |x_i|, where it is attained; normal laws and a squared norm, Q a squared norm."""
    for d, tau, kappa, spread in product((1, 20), (0.1, 5.0), (1 / 36, 1 / 24, 2.0), (0.03, 1.0, 125.0)):
        gaps = {}  # (mean, E Q): gap
        for scale in (spread, tau * (1 + 1 / kappa)):
            gaps[d * scale, 0.0] = d * (scale - tau * (1 + log(scale / tau)))
        for curvature, weight in product((0.1, 9.0), (0.01, 3.0)):  # of f, and of Q = weight ||x||^2 / 2
            mean, pull = (c * d * spread**2 / 2 for c in (curvature, weight))
            gaps[mean, pull] = mean + tau * d / 2 * (log(tau / ((curvature + weight) * spread**2)) - 1)
        for (mean, pull), gap in gaps.items():
            setting = {"d": d, "tau": tau, "kappa": kappa, "least": 0.0, "pull": pull, "remainder": gap}
            yield setting | {"spread": spread}, mean, bounds.without_entropy(**setting)


@inequality_claim(
    bounds.drift_energy,
    cites=("Talagrand 1996, Theorem 1.1",),
    caught=(1.05, 1.2),
    note="tried at one step on the line; the chain rule makes one step of many",
    **CHECK,
)
def conditioned_normals():
    """N(0, sigma^2) given a half-line, and given two: squared Wasserstein distances by quantiles."""
    u = (np.arange(4000) + 0.5) / 4000
    for sigma, log_chance in product((0.5, 3.0), (1e-3, 0.1, 1.0, 30.0, 600.0)):
        setting, chance = {"sigma": sigma, "log_chance": log_chance}, exp(-log_chance)
        above, below = -norm.ppf(chance * (1 - u)), norm.ppf(chance * u)
        for quantiles in (above, np.where(u < 0.5, below, above)):
            left = sigma**2 * float(np.mean((quantiles - norm.ppf(u)) ** 2))
            yield setting, left, bounds.drift_energy(**setting)


RUNS = grid(d=[1, 20], steps=[1, 7, 100], gradient_norm=[3.0], sigma=[0.5, 40.0], eta=[0.05])
CHANCES = (0.0, 0.1, 9.0)


@inequality_claim(
    bounds.travelled, given=[tangent_value, bounds.drift_energy], oracle="above", reach={"steps": 3000}, **CHECK
)
def squares_of_every_step():
    """The recursion with the same drift in every step, then the quadratic inequality of the derivation."""
    for run, prox, log_chance in product(RUNS, (0.0, 0.3, 20.0), CHANCES):
        T, eta, setting = run["steps"], run["eta"], run | {"prox": prox, "log_chance": log_chance}
        energy = bounds.drift_energy(sigma=run["sigma"], log_chance=log_chance)
        squares, away = eta**2 * (run["gradient_norm"] ** 2 + run["d"] * run["sigma"] ** 2), prox
        for _ in range(T):
            reached = sqrt(away**2 + 2 * prox / (T + 1) * away + squares)
            away = reached + eta * sqrt(energy / T)
        drift = eta * sqrt(T * energy)
        B, K = prox + drift, prox**2 + T * squares + drift**2 / T
        largest = (prox + B + sqrt(B**2 + K)) ** 2
        yield Link("b² ≤ K + 2 b B", setting, (prox + reached) ** 2, largest)
        yield setting, largest, bounds.travelled(**setting)


def summed(T):
    """In units of v: the sum of the weights, the largest weight of e_t^2, and the squared weights of G0 e_t, summed.

    In fractions. Raises ArithmeticError unless all brackets of f and Ent vanish, and the drift takes what is left.
    """
    v = [Fraction(1, T - t) for t in range(T)] + [Fraction(1)]
    before = [Fraction(1, T + 1), *v[:-1]]
    losses = [v[s] - (v[s] - before[s]) * (T - s + 1) for s in range(T)]
    entropies = [before[s] - (v[s] - before[s]) * (T - s) for s in range(1, T)]
    stretched = [(1 + v[t]) * v[t] * (before[t] / v[t]) ** 2 - before[t] for t in range(1, T)]  # c_t = v_t = 1/(T - t)
    if any(losses + entropies + stretched) or v[0] * (before[0] / v[0]) ** 2 > before[0]:
        raise ArithmeticError(f"T = {T}: a bracket does not vanish")
    return sum(v), max([v[t] * (1 + T - t) for t in range(1, T)], default=0), sum(x**2 for x in v[1:])


def exact_free_energies():
    """E f + tau Ent + tau log Z on the line, with no event: sums over a grid, whose spacing cancels."""
    for run, start, x, mass in exact_runs():
        tau, loss = run["eta"] * run["sigma"] ** 2 / 2, run["gradient_norm"] * np.abs(x)
        energy = loss + (x - start) ** 2 / (2 * run["eta"] * (run["steps"] + 1))
        entropy = float(mass @ np.log(np.maximum(mass, 1e-300))) + log(float(np.exp(-energy / tau).sum()))
        yield run | {"log_chance": 0.0}, float(mass @ loss) + tau * entropy


@inequality_claim(
    bounds.free_energy_gap,
    measured=exact_free_energies,
    given=[bounds.entropy_drop, tangent_value, bounds.drift_energy],
    oracle="above",
    reach={"steps": 300},
    **CHECK,
)
def moving_comparator_of_laws():
    """The weights of both links in fractions, where their brackets vanish; then the sums, at the worst e_t."""
    for run, log_chance in product((*RUNS, *KINKS), CHANCES):
        T, G, setting = run["steps"], run["gradient_norm"], run | {"log_chance": log_chance}
        energy = bounds.drift_energy(sigma=run["sigma"], log_chance=log_chance)
        weights, squares, mixed = map(float, summed(T))
        links = weights * G**2 + squares * energy + 2 * G * sqrt(mixed * energy)
        left = run["eta"] / 2 * (links + run["d"] * run["sigma"] ** 2 * log((T + 1) / T))
        yield setting, left, bounds.free_energy_gap(**setting)


# The theorem ----------------------------------------------------------------------------------------------------------

PROBLEMS = [run | {"distance": D, "moved": h} for run, D, h in product((*RUNS, *KINKS), (0.0525, 1.5), (0.0, 1.0))]
THEOREM = {
    "over": [at_least("moved", 0)],
    "given": [bounds.without_entropy, bounds.travelled, bounds.free_energy_gap],
    "oracle": "above",
}


def conditional_excess(*, kappa, distance, moved, log_chance, **run):
    """The mean excess given an event of probability e^-l: step 2 with steps 4 and 5, `moved` = ||u - x_*||."""
    S, tau = run["eta"] * (run["steps"] + 1), run["eta"] * run["sigma"] ** 2 / 2
    least = (distance**2 - moved**2) / (2 * S)
    pull = bounds.travelled(**run, prox=distance + moved, log_chance=log_chance) / (2 * S)
    gap = bounds.free_energy_gap(**run, log_chance=log_chance)
    return bounds.without_entropy(d=run["d"], tau=tau, kappa=kappa, least=least, pull=pull, remainder=gap)


def exact_means():
    """E f(w_T) on the line."""
    for run, start, x, mass in exact_runs():
        yield run | {"distance": start, "moved": 0.0}, run["gradient_norm"] * float(mass @ np.abs(x))


@inequality_claim(bounds.free_energy_mean, measured=exact_means, **THEOREM, **CHECK)
def mean_from_the_free_energy():
    """The steps at kappa = 1/24 with no event, wherever the proximal point is."""
    for problem in PROBLEMS:
        setting = {name: value for name, value in problem.items() if name != "moved"}
        left = conditional_excess(kappa=1 / 24, log_chance=0.0, **problem)
        yield problem, left, bounds.free_energy_mean(**setting)


def exact_quantiles():
    """The (1 - beta)-quantile of f(w_T) on the line."""
    for (run, start, x, mass), beta in product(exact_runs(), (0.5, 1e-6)):
        order = np.argsort(np.abs(x))
        level = np.abs(x)[order][np.searchsorted(np.cumsum(mass[order]), 1 - beta) - 1]
        yield run | {"distance": start, "moved": 0.0, "beta": beta}, run["gradient_norm"] * float(level)


@inequality_claim(bounds.free_energy_tail, measured=exact_quantiles, **THEOREM, **CHECK)
def quantile_from_the_free_energy():
    """The steps at kappa = 1/36 given an event of probability beta, wherever the proximal point is."""
    for problem, beta in product(PROBLEMS, (0.5, 1e-6)):
        setting = {name: value for name, value in problem.items() if name != "moved"} | {"beta": beta}
        left = conditional_excess(kappa=1 / 36, log_chance=-log(beta), **problem)
        yield problem | {"beta": beta}, left, bounds.free_energy_tail(**setting)


@inequality_claim(
    bounds.dimension_pays,
    given=[bounds.free_energy_tail],
    scope="domain: β ≤ 1/2; convex, per-record gradients of norm at most Δ",
    oracle="above",
    note="15 times the printed rate wherever log T ≤ d log(1/β)",
    **CHECK,
)
def printed_step_size():
    """The theorem at the printed step size, then d sigma^2 <= A/l, sigma^2 l <= A, G^2 (1 + dl) <= A."""
    for n, d, mu, beta in product((1, 100), (1, 20), (0.01, 0.3, 30.0), (0.5, 0.1, 1e-9)):
        sizes = {"sensitivity": 2.0, "distance": 3.0}
        setting, T, logs = dict(n=n, d=d, mu=mu, beta=beta) | sizes, printed_steps(n, mu), -log(beta)
        run = dict(d=d, steps=T, gradient_norm=2.0 * n, sigma=noise_std(T, 2.0, mu), distance=3.0)
        closed = 19 / 4 + 9 / (4 * log(2)) + (2.1 + 0.52 * log(T)) / (1 + d * logs)
        closed *= 3.0 * 2.0 / mu * sqrt(1 + d * logs)
        truth = bounds.free_energy_tail(**run, eta=stride(**run, log_factor=logs), beta=beta)
        yield Link("d σ² ≤ A/l, σ² l ≤ A, T ≥ n²μ²", setting, truth, closed)
        yield setting, closed, bounds.dimension_pays(**setting)


if __name__ == "__main__":
    run_script(__file__)
