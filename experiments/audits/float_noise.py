"""Laws with `noise="float"` under an audit that reads the bits of a release: which fall, after how many releases.

The guarantee of such a law is over the real numbers. `python -m lemmata.experiments.audits.float_noise` writes
float_noise.csv: for every law the pair of `PAIRS` that falls first, or that none did within `BUDGET` releases each.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.audits.tables import write_lines
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.learners.descent import noisy_gd, private_perceptron
from lemmata.mechanisms.learners.erm import objective_perturbation, output_perturbation, phased_sgd
from lemmata.mechanisms.learners.glm import glm_gd, glm_output
from lemmata.mechanisms.learners.statistics import second_moments
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from lemmata.mechanisms.privacy import GaussianDP, PureDP

TABLE = Path(__file__).with_name("float_noise.csv")
BUDGET, LEVEL = 64_000, 1e-6
GAUSSIAN, PURE = GaussianDP(0.1), PureDP(0.1)
# A column of two records, of which the first is replaced: from 0, from a number with few bits, and across 0.
PAIRS = ((0.0, 1 / 3), (0.7, 0.001), (0.5, -1.0), (1.0, 0.9))
SECOND = 0.3


def add_noise(X: np.ndarray, y: np.ndarray, **how: Any) -> Any:
    """Float64 Gaussian noise on a sum of numbers of [-1, 1]."""
    return gaussian.law([float(X.sum())], sensitivity=2.0, **how)


LAWS: dict[str, tuple[Any, Callable[..., Any]]] = {
    "gaussian": (GAUSSIAN, add_noise),
    "noisy_gd, 1 step": (GAUSSIAN, partial(noisy_gd.law, width=1.0, steps=1, output="last")),
    "noisy_gd, 8 steps": (GAUSSIAN, partial(noisy_gd.law, width=1.0, steps=8, output="last")),
    "noisy_gd, average of 8": (GAUSSIAN, partial(noisy_gd.law, width=1.0, steps=8, output="average")),
    "phased_sgd": (GAUSSIAN, partial(phased_sgd.law, rho=1.0, radius=1.0, norm_bound=1.0)),
    "private_perceptron": (GAUSSIAN, private_perceptron.law),
    "second_moments": (GAUSSIAN, second_moments.law),
    "glm_gd": (GAUSSIAN, partial(glm_gd.law, loss="logistic", norm_bound=1.0, steps=4)),
    "glm_output": (GAUSSIAN, partial(glm_output.law, loss="logistic", norm_bound=1.0)),
    "output_perturbation": (PURE, partial(output_perturbation.law, C=1.0)),
    "objective_perturbation": (PURE, partial(objective_perturbation.law, C=1.0)),
}


def audit_law(name: str, pair: tuple[float, float], budget: int = BUDGET) -> Any:
    """One law under audit on one pair of datasets."""
    claim, make = LAWS[name]
    one, other = (make(np.array([[x], [SECOND]]), np.array([1.0, -1.0]), privacy=claim, noise="float") for x in pair)
    return audit(one, other, claim, root=LEDGER_ROOT, budget=budget, level=LEVEL, bits=True)


def audit_every_law() -> Iterator[dict[str, Any]]:
    """A line of the table for each law."""
    for name, (claim, _) in LAWS.items():
        found = {pair: audit_law(name, pair) for pair in PAIRS}
        fallen = {pair: one.judged + one.trained for pair, one in found.items() if one.verdict == REFUTED}
        pair = min(fallen, key=fallen.__getitem__, default=None)
        yield {
            "law": name,
            "claim": str(claim),
            "verdict": REFUTED if pair else "not refuted",
            "releases": fallen.get(pair, ""),  # type: ignore[arg-type]
            "pair": f"{pair[0]:.3g}, {pair[1]:.3g}" if pair else "",
        }


if __name__ == "__main__":
    write_lines(TABLE, audit_every_law())
