"""Records and parameters at which the excess of DP-ERM and of the efficient learner is compared with its order."""

from collections.abc import Callable, Iterable, Iterator
from math import ceil, e, exp, expm1, log, sqrt

import numpy as np

from lemmata.bounds.exact.numbers import Array
from lemmata.experiments.checks.inequality import Link

SAMPLE_AND_BUDGET = ("m", "epsilon", "delta", "beta")


def random_settings(count: int, log_m: float, **decades: tuple[float, float]) -> Iterator[dict]:
    """Admissible parameters over many decades: 2 <= m <= 2^log_m, delta between m^-8 and 1/m, and those named.

    Each is given the exponents of 10 between which it lies: k, a, -log(beta) and epsilon / log(1/delta).
    """
    rng = np.random.default_rng(0)
    for _ in range(count):
        m = int(2 ** rng.uniform(1, log_m))
        delta = m ** -rng.uniform(1.001, 8)
        drawn = {name: 10 ** rng.uniform(*ends) for name, ends in decades.items()}
        values = {"epsilon": lambda u, d=delta: -log(d) * u, "beta": lambda u: exp(-u), "k": int, "a": float}
        yield {"m": m, "delta": delta} | {name: values[name](u) for name, u in drawn.items()}


def learner_settings(count: int) -> Iterator[dict]:
    """The random settings of Theorem 3.2, a >= 1."""
    return random_settings(count, 50, epsilon=(-8, 0), beta=(-6, 2), a=(0, 3))


def between_orders(printed: Callable, corrected: Callable, points: Iterable[dict]) -> Iterator[tuple]:
    """Cases of printed <= corrected, and of corrected <= 2 printed for beta <= 1/2: that is where a slip is true."""
    for p in points:
        yield Link("printed", p, printed.theorem.formula(**p), corrected.theorem.formula(**p))
        p = p | {"beta": min(p["beta"], 0.5)}
        yield Link("beta <= 1/2", p, corrected.theorem.formula(**p), 2 * printed.theorem.formula(**p))


def small_balls(**fixed: float) -> list[tuple[dict, float]]:
    """(point, excess) at one record and a = Lambda r/rho -> 0: no phase reads it, 0 is released, the excess is a."""
    return [({"m": 1, "k": 1, "epsilon": 0.1, "a": a} | fixed, a) for a in (1.0, 1e-4, 1e-8)]


def one_record() -> list[tuple[dict, float]]:
    """(point, risk) at one record and epsilon = log(1/delta) -> inf: the release is 0 and errs everywhere."""
    return [({"m": 1, "epsilon": l, "delta": exp(-l), "beta": 0.1, "a": 1.0}, 1.0) for l in (5.0, 50.0, 500.0)]


def noisy_line(m: int, k: int) -> Array:
    """m records +-e_1 in R^k, one in four with the wrong sign: the mean hinge depends on w_1 alone. Shape (m, k)."""
    Z = np.zeros((m, k))
    Z[:, 0] = np.where(np.arange(m) % 4, 1.0, -1.0)
    return Z


def line_excess(W: Array, m: int, a: float) -> Array:
    """The exact excess on those records over the unit ball, in units where radius = norm_bound = 1, rho = 1/a."""
    wrong = -(-m // 4) / m
    u = a * np.append(W[:, 0], [min(1.0, 1 / a)])  # a convex function of w_1 with kinks at +-1/a, falling until 1/a
    losses = (1 - wrong) * np.maximum(0.0, 1 - u) + wrong * np.maximum(0.0, 1 + u)
    return losses[:-1] - losses[-1]


def unlearnable(m: int, k: int, x: float) -> tuple[dict, float, float]:
    """An instance that no (epsilon, delta)-DP algorithm learns, k signs s hidden: epsilon = 1/m, beta = e^-x.

    By group privacy P_s(O) <= e P_0(O) + m (e - 1) delta for any s and a fixed s_0. Averaged over s, a release has at
    most a quarter of the signs wrong with probability at most e^{-k/8} under s_0 (Hoeffding), so for some s with
    probability at most e^{1 - k/8} + m (e - 1) delta. Returns the point, that probability, and 1 - beta above it.
    """
    delta = float(m) ** -4
    point = {"m": m, "epsilon": 1 / m, "delta": delta, "beta": exp(-x), "a": sqrt(k)}
    return point, exp(1 - k / 8) + m * (e - 1) * delta, -expm1(-x)


def scattered(m: int) -> tuple[dict, float, float]:
    """At least m records r e_j, j = 1..k in turn, with labels s in {-1, 1}^k: w = Lambda s/sqrt(k) has loss 0.

    With more than a quarter of the signs wrong the excess is at least 1/4 floor(m/k) k/m >= 1/4 (m a multiple of k).
    """
    k = ceil(8 * (1 + 3 * log(m)))
    m = k * ceil(m / k)
    point, *chances = unlearnable(m, k, 1 / (sqrt(k * m) * (4 * log(m)) ** 1.5))
    return point | {"k": k}, *chances


def hidden_signs(m: int, beta: float | None = None) -> tuple[dict, float, float]:
    """m draws of x = r e_j with j uniform in 1..d, y = s_j: w = Lambda s/sqrt(d) has no loss on any sample.

    Given the drawn j's the argument of `unlearnable` holds, and with more than a quarter of the signs wrong the risk is
    at least 1/4. beta is near 1 by default.
    """
    d = ceil(8 * (1 + 3 * log(m)))
    return unlearnable(m, d, 1 / (m * log(2 * m) * (4 * log(m)) ** 1.5) if beta is None else -log(beta))


def unlearnt(instances: list[tuple[dict, float, float]]) -> list[tuple[dict, float]]:
    """(point, 1/4): what every private learner loses at each instance with probability above beta."""
    if not all(learnt < needed for _, learnt, needed in instances):
        raise ArithmeticError("group privacy allows one of these instances to be learnt")
    return [(point, 0.25) for point, _, _ in instances]


def unlearnable_program(module: str, event: str, dimension: str) -> Callable[[list[dict], list[float]], str]:
    """The witness that 1/(4 printed_order) grows: `event` is what privacy makes unlikely, `dimension` in terms of p."""
    return lambda points, ratios: (
        f"""from math import exp, expm1, log
from lemmata.bounds.bms22.{module} import printed_order
points = {points!r}
for p in points:  # {event} is at most this, for some labels, and should be at least 1 - beta
    learnt = exp(1 - {dimension} / 8) + p['m'] * (exp(1) - 1) * p['delta']
    assert learnt < -expm1(log(p['beta']))
ratios = [0.25 / printed_order(**p) for p in points]
assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]"""
    )
