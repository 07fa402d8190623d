"""The sparse vector technique: what its published variants promise, and what they keep."""

from itertools import product
from math import inf
from typing import Any

import numpy as np
from laws import integrate_pieces, laplace_above, laplace_tail

from lemmata.paper import (
    between,
    exact,
    grid,
    integer,
    oracle_claim,
    positive,
    theorem,
)

PURE = [positive("epsilon")]


Block = tuple[float, int, bool]  # a query, how often it is asked, and whether the answers are above


def sparse(blocks: list[Block], threshold: float, noise: float, said: float = inf) -> float:
    """The chance of these answers beside a noisy threshold, with Laplace noise of two scales.

    `said` is a noisy value that is above the threshold too.
    """

    def chance(z: Any) -> Any:
        sides = [laplace_above((z - q) / noise if high else (q - z) / noise) ** times for q, times, high in blocks]
        return laplace_tail(z / threshold) / threshold * np.prod(sides, axis=0) * (z <= said)

    return integrate_pieces(chance, [0.0, *(q for q, *_ in blocks)] + [said] * (said < inf), 40 * threshold)


def sparse_loss(below: Any, many: int, threshold: float, noise: float) -> float:
    """The largest loss of 20 answers below and then `many` above, at 0, where each of both queries moves by one."""
    laws = [[(below + i, 20, False), (j, many, True)] for i, j in [(0, 0), *product((-1, 1), repeat=2)]]
    here, *moved = (np.log(sparse(law, threshold, noise)) for law in laws)
    return float(max(abs(here - other) for other in moved))


VECTOR = {
    "reach": {"epsilon": 4, "a": 9},
    "over": [between("a", -9, 9)],
    "rounding": 1e-6,
}
VECTOR |= {"quick": grid(epsilon=[1.0], a=[0.0, -3.0]), "caught": (1.5, 2, 4)}


@theorem("dr14.thm3.23", kind="privacy", says=r"\text{AboveThreshold is }\varepsilon\text{-DP}", needs=PURE)
def above_threshold(*, epsilon: Any) -> Any:
    """The sparse vector that stops at its first answer above. Use this for a stream of queries."""
    return epsilon


@theorem("lsl17.thm2", kind="privacy", says=r"\text{Algorithm 1 is }\varepsilon\text{-DP}", needs=PURE)
def sparse_vector(*, epsilon: Any) -> Any:
    """The sparse vector with c answers above, one threshold and noise 4c/epsilon. Use this for several answers."""
    return epsilon


oracle_claim(above_threshold, oracle="exact", **VECTOR)(
    lambda *, epsilon, a: sparse_loss(a, 1, 2 / epsilon, 4 / epsilon)
)
oracle_claim(sparse_vector, oracle="exact", **VECTOR)(lambda *, epsilon, a: sparse_loss(a, 2, 2 / epsilon, 8 / epsilon))

QUOTED = {"kind": "privacy", "reading": "quoted", "needs": PURE}


@theorem(
    "r11.svt",
    says=r"\text{Algorithm 3 of Lyu et al. is }\varepsilon\text{-DP}",
    quoted_by="Lyu, Su & Li 2017, Algorithm 3",
    **QUOTED,
)
def sparse_with_values(*, epsilon: Any) -> Any:
    """A sparse vector that releases the noisy value it has compared. Use fresh noise for the value."""
    return epsilon


@theorem(
    "lc14.svt",
    says=r"\text{Algorithm 4 of Lyu et al. is }\varepsilon\text{-DP}",
    quoted_by="Lyu, Su & Li 2017, Algorithm 4",
    **QUOTED,
)
def sparse_without_count(*, epsilon: Any) -> Any:
    """A sparse vector whose noise does not grow with the number c of answers above. Use noise that does."""
    return epsilon


@sparse_without_count.corrected(
    says=r"\text{Algorithm 4 of Lyu et al. is }\tfrac{1+6c}{4}\varepsilon\text{-DP}", needs=[*PURE, integer("c")]
)
def sparse_without_count_true(*, epsilon: Any, c: Any) -> Any:
    """What Algorithm 4 promises for c answers above, after Lyu et al. Use Algorithm 1."""
    return (1 + 6 * c) / 4 * epsilon


@theorem(
    "scm14.svt",
    says=r"\text{Algorithm 5 of Lyu et al. is }\varepsilon\text{-DP}",
    quoted_by="Lyu, Su & Li 2017, Algorithm 5",
    **QUOTED,
)
def sparse_without_noise(*, epsilon: Any) -> Any:
    """A sparse vector with noise on the threshold only, and no limit of answers. Use Algorithm 1."""
    return epsilon


@theorem(
    "cxzx15.svt",
    says=r"\text{Algorithm 6 of Lyu et al. is }\varepsilon\text{-DP}",
    quoted_by="Lyu, Su & Li 2017, Algorithm 6",
    **QUOTED,
)
def sparse_without_end(*, epsilon: Any) -> Any:
    """A sparse vector without a limit of answers above. Use Algorithm 1."""
    return epsilon


def step_loss(*, below: int, above: int, threshold: float, noise: float, said: float = inf) -> float:
    """The loss of `below` answers below, then `above` above, on queries 0 and 1 that become 1 and 0."""
    laws = ([(s, below, False), (1 - s, above, True)] for s in (0, 1))
    here, there = (np.log(sparse(law, threshold, noise, said)) for law in laws)
    return float(here - there)


def loss_without_noise(*, epsilon: float) -> float:
    """The loss of 0 below and 1 above the noisy threshold z, 0 < z <= 1, on queries that become 1 < z <= 0."""
    here, there = (max(np.exp(-low * epsilon / 2) - np.exp(-high * epsilon / 2), 0) for low, high in ((0, 1), (1, 0)))
    return float(np.log(here / there)) if there else inf


BROKEN = {"severity": "privacy", "corrected_by": sparse_vector, "quick": grid(epsilon=[1.0]), "oracle": "exact"}
PROGRAM = """from sparse_vector import {name}, step_loss
assert step_loss({setting}) > {name}(epsilon=1.0)"""
oracle_claim(
    sparse_with_values,
    note="the value tells where the threshold is: the loss grows with the answers below",
    python=PROGRAM.format(name="sparse_with_values", setting="below=20, above=0, threshold=2, noise=2, said=0"),
    **BROKEN,
)(lambda *, epsilon: step_loss(below=20, above=0, threshold=2 / epsilon, noise=2 / epsilon, said=0))
oracle_claim(
    sparse_without_count,
    note="the noise of a query is that of one answer: the loss is up to (1 + 6c)/4 times ε",
    python=PROGRAM.format(name="sparse_without_count", setting="below=10, above=5, threshold=4, noise=4 / 3"),
    **BROKEN | {"corrected_by": sparse_without_count_true},
)(lambda *, epsilon: step_loss(below=10, above=5, threshold=4 / epsilon, noise=4 / (3 * epsilon)))


def answers(**_: Any) -> dict[str, list]:
    """The loss at epsilon = 1 of Algorithms 4 and 6 on one pair of inputs, and what is promised."""
    counts = list(range(1, 13))
    losses = {
        "without count": [step_loss(below=10, above=c, threshold=4, noise=4 / 3) for c in counts],
        "without end": [step_loss(below=10, above=c, threshold=2, noise=2) for c in counts],
    }
    return {"c": counts, "promised": [1.0] * len(counts), **losses}


oracle_claim(
    sparse_without_count_true,
    figure=answers,
    oracle="exact",
    quick=grid(epsilon=[1.0, 0.3], c=[5, 1]),
    reach={"epsilon": 2, "c": 6},
    caught=(1.5, 2, 4),
)(lambda *, epsilon, c: step_loss(below=10, above=c, threshold=4 / epsilon, noise=4 / (3 * epsilon)))
oracle_claim(
    sparse_without_noise,
    note="a query that is no longer below tells the threshold: the loss has no bound",
    python="""from sparse_vector import loss_without_noise, sparse_without_noise
assert loss_without_noise(epsilon=1.0) > sparse_without_noise(epsilon=1.0)""",
    **BROKEN,
)(lambda *, epsilon: exact(loss_without_noise(epsilon=epsilon)))
oracle_claim(
    sparse_without_end,
    note="the loss grows with the number of answers",
    python=PROGRAM.format(name="sparse_without_end", setting="below=10, above=10, threshold=2, noise=2"),
    **BROKEN,
)(lambda *, epsilon: step_loss(below=10, above=10, threshold=2 / epsilon, noise=2 / epsilon))
