"""How the efficient learner's risk moves with the sample and the dimension: Theorem 3.2 of bms22, surrogates."""

from __future__ import annotations

import numpy as np

from bounds import efficient as bounds
from experiments.claim import Sabotage, rate_claim
from experiments.margin_data import risks

PRIVATE = {"epsilon": 8.0, "delta": 1e-6, "beta": 0.5, "gamma": 0.6, "tested": 100}
DIMENSIONS = (50, 500, 5000, 50_000)


def sizes(smallest, largest):
    """Four geometric sample sizes."""
    return [round(smallest * (largest / smallest) ** (i / 3)) for i in range(4)]


@rate_claim(
    bounds.risk_rate,
    quick=({"smallest": 32, "largest": 320},),
    full=({"smallest": 40, "largest": 4000},),
    control=Sabotage("lifted by projection {} instead of 1 at the last m", (2,)),
    bound=lambda *, smallest, largest: (largest / smallest) ** -0.4,
    high=lambda **_: (1.0, 1.0),
    points=sizes,
    chunk=lambda *, smallest, largest: 15 if largest <= 320 else 100,
    cap=10,
    cost=3.3e-3,
    note="'at most -1/2 + 0.1'; k = m/20; the best vector has no loss, so the excess is the risk",
)
def risk_along_m(rng, size, *, smallest, largest, factor=1):
    """R_D on fresh records at geometric m, each with its own samples and projections."""
    every = sizes(smallest, largest)
    anew = [False] * (len(every) - 1) + [factor != 1]
    return np.column_stack(
        [risks(rng, size, m=m, d=200, k=max(1, m // 20), anew=x, **PRIVATE) for m, x in zip(every, anew, strict=True)]
    )


@rate_claim(
    bounds.dimension_rate,
    quick=({"m": 32, "k": 4},),
    full=({"m": 128, "k": 16},),
    control=Sabotage("lifted by projection {} instead of 1 in the last dimension", (2,), setting={"m": 256, "k": 32}),
    bound=lambda **_: (DIMENSIONS[-1] / DIMENSIONS[0]) ** 0.1,
    high=lambda **_: (1.0, 1.0),
    points=lambda **_: list(DIMENSIONS),
    chunk=lambda *, m, k: 25 if m <= 32 else 60,
    cap=10,
    cost=2e-3,
    note="'at most 0 + 0.1' over d = 50..50,000: |slope| <= 0.1, not 'independent'",
)
def risk_along_d(rng, size, *, m, k, factor=1):
    """R_D on fresh records at the same margin 0.6 in growing dimension."""
    anew = [False] * (len(DIMENSIONS) - 1) + [factor != 1]
    return np.column_stack(
        [risks(rng, size, m=m, d=d, k=k, anew=x, **PRIVATE) for d, x in zip(DIMENSIONS, anew, strict=True)]
    )


if __name__ == "__main__":
    from experiments.run import script

    script("phased_sgd")
