"""Do random signs keep inner products? Lemma A.3 of Bassily, Mohri & Suresh (2022)."""

from __future__ import annotations

import numpy as np

from bounds import jl
from experiments.claim import Sabotage, grid, tail_claim
from mechanisms.jl import sign_projection


def points(rng, m, d):
    """m points in R^d: half dense directions, half with two large coordinates; lengths between 0.01 and 100."""
    T = rng.normal(size=(m, d))
    for row in T[: m // 2]:
        row[rng.permutation(d)[2:]] = 0.0
    return T / np.linalg.norm(T, axis=1, keepdims=True) * 10 ** rng.uniform(-2, 2, size=(m, 1))


@tail_claim(
    jl.sign_projection_rows,
    quick=grid(m=[10], d=[64], gamma=[0.9], beta=[0.1]),
    full=grid(m=[2, 30], d=[64, 512], gamma=[0.5, 0.99], beta=[0.05]),
    control=Sabotage("only 1/{} of the rows", (3, 4, 6)),
    chunk=lambda **setting: 200,
    cap=30,
    cost=4e-4,
    expect=0.01,
)
def inner_products_break(rng, size, *, m, d, gamma, beta, factor=1):
    """Draw points and Phi afresh `size` times: did the event of Lemma A.3 fail? Shape (size,), bool."""
    k = max(1, jl.sign_projection_rows(m=m, gamma=gamma, beta=beta) // factor)
    broken = np.empty(size, dtype=bool)
    for trial in range(size):
        T = points(rng, m, d)
        broken[trial] = not jl.inner_products_preserved(T, sign_projection(k, d, rng=rng).apply(T), gamma)
    return broken


if __name__ == "__main__":
    from experiments.run import script

    script("jl")
