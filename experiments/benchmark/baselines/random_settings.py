"""Random settings: both sides in floats at log-uniform settings; false where one of them shows it in balls."""

from typing import Any

import numpy as np

from lemmata.experiments.benchmark.deciding import Sampler, find_failure
from lemmata.experiments.benchmark.inequalities import Inequality

DRAWN = 1000


def check_inequality(made: Inequality) -> dict[str, Any]:
    """Whether one of `DRAWN` settings is a counterexample."""
    sampler = Sampler(made)
    settings = sampler.settings(sampler.draw(np.random.default_rng(1), DRAWN))
    gap = np.nan_to_num(sampler.excess(settings), nan=-np.inf)
    setting = find_failure(made, sampler, settings, gap)
    if setting is None:
        return {"verdict": "true", "confidence": 0.8}
    return {"verdict": "false", "confidence": 1.0, "witness": made.program(setting)}
