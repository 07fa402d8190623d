"""Why a curve lies where it lies: the same learner with one thing changed, on the same splits.

`python -m lemmata.experiments.comparison.reasons` writes reasons.csv beside this file, at epsilon 1 and delta 1e-5, on
digits 3-8 and breast cancer. The page quotes its lines in place of reasons that nobody tried.
"""

from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lemmata.experiments.comparison import learners, problems
from lemmata.experiments.comparison.table import DELTA
from lemmata.mechanisms.estimators.margin_classifier import make_classifier_law
from lemmata.mechanisms.learners.descent import adaptive_margin
from lemmata.mechanisms.learners.erm import objective_perturbation, output_perturbation, private_svm
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.privacy import GaussianDP, PureDP, gaussian_mu

TABLE = Path(__file__).with_name("reasons.csv")
DATASETS, EPSILON, SPLITS, RELEASES, ROOT = ("digits:3-8", "breast_cancer"), 1.0, 20, 5, 20251125
LOUD = 1e6  # an epsilon at which noise is nothing
Rows = np.ndarray


def silent_svm(X: Rows, y: Rows, C: float) -> Rows:
    """The minimiser that the Laplace SVM hides, at its C."""
    return private_svm.solve(X, y, C=C).weights


def silent_output(X: Rows, y: Rows, C: float) -> Rows:
    """The minimiser that output perturbation hides."""
    return output_perturbation.law(X, y, privacy=PureDP(LOUD), C=C).weights


def silent_objective(X: Rows, y: Rows, C: float) -> Rows:
    """What both objective perturbations would release without noise."""
    return objective_perturbation.law(X, y, privacy=PureDP(LOUD), C=C).sample(np.random.default_rng(0), 1)[0]


def gaussian_about(weights: Rows, n: int, C: float, rng: np.random.Generator) -> Rows:
    """`RELEASES` of a minimiser of sensitivity 2 C / n under the Gaussian noise of (epsilon, delta)."""
    return weights + rng.normal(scale=2 * C / n / gaussian_mu(EPSILON, DELTA), size=(RELEASES, len(weights)))


def train_changed(learner: str, problem: problems.Problem, rng: np.random.Generator) -> dict[str, Rows]:
    """{what is changed: weights of releases} for a learner that is explained here."""
    X, y = problem.X, problem.y
    n, d = X.shape
    mu = gaussian_mu(EPSILON, DELTA)
    if learner == "adaptive margin":
        margins = len(adaptive_margin.draw_projections(n, d, rng=rng))
        share = make_classifier_law(X, y, privacy=GaussianDP(mu / sqrt(2 * margins)))
        return {"MarginClassifier with the share of one run": share.sample(rng, RELEASES)}
    if learner == "logistic descent":
        return {"the hinge": make_classifier_law(X, y, privacy=GaussianDP(mu)).sample(rng, RELEASES)}
    made: dict[str, tuple[Callable[[Rows, Rows, float], Rows], float]] = {
        "Laplace SVM": (silent_svm, EPSILON),
        "pure output": (silent_output, EPSILON),
        "pure objective": (silent_objective, EPSILON),
        "objective perturbation": (silent_objective, mu),
    }
    silent, spent = made[learner]
    given: Any = learners.find(learner).law.__kwdefaults__
    C = learners.strength(given["scale"], spent, n, d, given["power"])
    weights = silent(X, y, C)
    found = {"no noise": weights[None]}
    if learner in ("Laplace SVM", "pure output"):
        found["Gaussian noise, with the δ"] = gaussian_about(weights, n, C, rng)
    return found


EXPLAINED = (
    "logistic descent",
    "adaptive margin",
    "objective perturbation",
    "pure objective",
    "pure output",
    "Laplace SVM",
)


def make_table() -> pd.DataFrame:
    """A row a learner, dataset and change: the mean risk as it is, and changed."""
    rows = []
    for dataset in DATASETS:
        found: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for split in range(SPLITS):
            rng = generator(ROOT, "compare.reasons", {"dataset": dataset}, "split", split)
            problem = problems.draw_problem(dataset, None, rng)
            for learner in EXPLAINED:
                public, private, other = rng.spawn(3)
                law = learners.find(learner).law(problem.X, problem.y, epsilon=EPSILON, delta=DELTA, rng=public)
                as_it_is = count_missed(learners.scores(law, law.sample(private, RELEASES), problem.test), problem)
                for change, weights in train_changed(learner, problem, other).items():
                    there = count_missed(problem.test @ weights.T, problem)
                    found.setdefault((learner, change), []).append((as_it_is, there))
        for (learner, change), pairs in found.items():
            mean, there = np.mean(pairs, axis=0)
            rows.append((learner, dataset, change, round(float(mean), 4), round(float(there), 4)))
    return pd.DataFrame(rows, columns=["learner", "dataset", "change", "risk", "changed"])


def count_missed(scores: Rows, problem: problems.Problem) -> float:
    """The share of test records that are said wrongly; a tie is +1."""
    return float((np.where(scores >= 0, 1.0, -1.0) != problem.truth[:, None]).mean())


def write_sentences(found: pd.DataFrame) -> dict[str, str]:
    """{learner: what the lines about it show}."""
    said = {}
    for learner, lines in found.groupby("learner", sort=False):
        parts = []
        for change, here in lines.groupby("change", sort=False):
            shown = ", ".join(
                f"{row.changed:.3f} instead of {row.risk:.3f} on {row.dataset.replace('_', ' ').replace(':', ' ')}"
                for row in here.itertuples()
            )
            parts.append(f"with {change}: {shown}")
        said[str(learner)] = "; ".join(parts) + "."
    return said


if __name__ == "__main__":
    make_table().to_csv(TABLE, index=False)
