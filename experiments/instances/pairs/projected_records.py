"""A distribution with margin gamma in any dimension, projected without being stored.

z = y x = gamma e_1 + s sqrt(1 - gamma^2) e_j with a fair sign s and j uniform in 2..d: unit vectors, and e_1 has margin
gamma. A record has two entries, so its projection is two columns of Phi, whatever d is.
"""

from math import ceil, exp, log, log1p, sqrt
from typing import Any

import numpy as np
from flint import arb

from lemmata.bounds.bms22.efficient_learner import printed_rows
from lemmata.bounds.exact.numbers import Array
from lemmata.experiments.instances.pairs.flipped_records import with_privacy
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.learners.erm import dp_erm


def columns(phi: Any, chosen: Any) -> Array:
    """Columns of a fast projection, shape (len(chosen), k): entry (row, c) is s_c (-1)^popcount(row & c) / sqrt(k)."""
    chosen = np.asarray(chosen)
    parity = np.bitwise_count(phi.coordinates & chosen[:, None]) & 1
    return (1.0 - 2.0 * parity) * (phi.signs[chosen] / sqrt(phi.k))[:, None]


def projected(rng: np.random.Generator, phi: Any, count: int, gamma: float) -> Array:
    """Phi z for `count` fresh records, shape (count, k)."""
    others = rng.integers(1, phi.d, size=count)
    signs = 1.0 - 2.0 * rng.integers(0, 2, size=count)
    return gamma * columns(phi, [0]) + sqrt(1 - gamma**2) * signs[:, None] * columns(phi, others)


def risks(
    rng: Any, size: int, *, m: int, d: int, k: int, gamma: float, tested: int, kept: float = 1.0, **budget: float
) -> Array:
    """R_D of `size` releases of Algorithm 2 at norm bound 1, radius 1, rho = gamma: shape (size,); ties are errors.

    Each has a fresh sample and a fresh projection, and is estimated without bias on `tested` fresh records. `budget` is
    epsilon, delta and beta. With `kept` < 1, a sabotage, only the first records, a share of `kept`, have the right
    label.
    """
    projections = [fast_projection(k, d, rng=rng) for _ in range(size)]
    sizes = with_privacy(rho=gamma, radius=2.0, norm_bound=2.0, **budget) | {"beta": budget["beta"] / 3}
    y = np.where(np.arange(m) < kept * m, 1.0, -1.0)
    W = dp_erm.sample_each([dp_erm.law(projected(rng, phi, m, gamma), y, **sizes) for phi in projections], rng)
    fresh = [projected(rng, phi, tested, gamma) for phi in projections]
    return np.array([(Z @ w <= 0).mean() for Z, w in zip(fresh, W, strict=True)])


# Records that a projection loses or lengthens -------------------------------------------------------------------------


def log_chance_of_loss(d: int, k: int) -> float:
    """log P(Phi x = 0) at least, for x = (1, ..., 1)/sqrt(d) in R^d, d a power of two, and the fast projection to R^k.

    The transform sends x to one coordinate iff the signs are a row of it or its negative, 2d of 2^d patterns; k draws
    of a coordinate then miss that one with probability (1 - 1/d)^k.
    """
    return log(2 * d) - d * log(2) + k * log1p(-1 / d)


def lost_points() -> list[dict]:
    """Settings of Theorem 3.2 at which k, as printed, is d^2/2, and Phi x = 0 with probability above beta/3."""
    points = []
    for d in (8, 64, 512):
        k, m = d**2 // 2, d**4
        beta, delta = 2.9 * exp(log_chance_of_loss(d, k)), 1 / (2 * m)
        epsilon = (k - 0.5) / printed_rows(m=m, epsilon=1.0, delta=delta, beta=beta)
        point = {"m": m, "epsilon": epsilon, "delta": delta, "beta": beta}
        if ceil(printed_rows(**point)) != k or beta > 1 / 2:
            raise ArithmeticError(f"k is not {k} at {point}")
        points.append(point | {"k": k})
    return points


def lost_program(points: list[dict], square: str) -> str:
    """The witness that truth / g grows along `points`; `square` is its square in terms of the point p."""
    return f"""from math import ceil, log, log1p
from lemmata.bounds.bms22.efficient_learner import printed_rows
from lemmata.bounds.bms22.efficient_learner_proof import printed_distortion_of_rows, printed_projected_loss
squares = []
for d, p in zip((8, 64, 512), {points!r}):
    setting = dict((name, p[name]) for name in ("m", "epsilon", "delta", "beta"))
    k = ceil(printed_rows(**setting))
    lost = log(2 * d) - d * log(2) + k * log1p(-1 / d)  # of P(Phi x = 0), x = (1, ..., 1)/sqrt(d)
    assert k == d**2 // 2 and lost > log(p["beta"] / 3)
    squares.append({square})
assert squares[2] > 2.5**2 * squares[1] > 2.5**4 * squares[0]"""


def best_and_own(radius: float) -> tuple[arb, arb]:
    """(loss of the best in the ball, loss of Phi w*), in balls, at x = e_1, e_2, w* = (e_1 + e_2)/sqrt 2, rho = r = 1.

    Phi has the columns c_1 = (1, ..., 1)/sqrt(8) and c_2, the same with three signs changed: <c_1, c_2> = 1/4. So
    |c_1 + c_2|^2 = 5/2 and |Phi w*|^2 = 5/4, which is the event at gamma = 3/4.
    """
    phi = np.ones((8, 2)) / sqrt(8)
    phi[:3, 1] *= -1
    if abs(float(phi[:, 0] @ phi[:, 1]) - 0.25) > 1e-12:
        raise ValueError("Phi is not the matrix of the example")
    # the mean margin is <w, c_1 + c_2>/2: at most radius |c_1 + c_2|/2, and both margins are alike there
    best = 1 - min(arb(radius) * (arb(5) / 2).sqrt() / 2, arb(1))
    return best, 1 - min(arb(5) / 4 / arb(2).sqrt(), arb(1))
