"""A nonlinear solver: scipy's differential evolution maximises the relative excess of the left side."""

from typing import Any

import numpy as np
from scipy.optimize import differential_evolution

from lemmata.experiments.benchmark.deciding import Sampler, find_failure
from lemmata.experiments.benchmark.inequalities import Inequality

ROUNDS, MEMBERS = 40, 12  # of the evolution, and members for each variable


def check_inequality(made: Inequality) -> dict[str, Any]:
    """Whether the largest excess that the solver finds is a counterexample in balls."""
    sampler, count = Sampler(made), len(made.names)

    def loss(latent: np.ndarray) -> np.ndarray:
        gap = np.nan_to_num(sampler.excess(sampler.settings(latent.reshape(2, count, -1))), nan=-np.inf)
        return -np.clip(gap, -2, 2)

    found = differential_evolution(
        loss,
        [(0, 1)] * (2 * count),
        rng=3,
        maxiter=ROUNDS,
        popsize=MEMBERS,
        vectorized=True,
        updating="deferred",
        polish=False,
    )
    settings = sampler.settings(found.x.reshape(2, count, 1))
    setting = find_failure(made, sampler, settings, np.nan_to_num(sampler.excess(settings), nan=-np.inf))
    if setting is None:
        return {"verdict": "true", "confidence": 0.85}
    return {"verdict": "false", "confidence": 1.0, "witness": made.program(setting)}
