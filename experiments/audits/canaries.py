"""Real datasets with one worst-case record, and the same with its label the other way: learners audited end to end.

The canary has norm 1 and lies where the records say least, along their last singular vector: there the learner has
little but the canary to go by. The attackers see what a release says of the canary, and its length.
`python -m lemmata.experiments.audits.canaries [BUDGET]` writes canaries.csv.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lemmata.experiments import data
from lemmata.experiments.audits.tables import write_lines
from lemmata.experiments.comparison.attacks import sample_releases
from lemmata.experiments.comparison.learners import Learner, find
from lemmata.mechanisms.audit.play.audit_result import Audit
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.audit.subjects.fit_sampler import Fitted
from lemmata.mechanisms.estimators.margin_classifier import MarginClassifier
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_mu

TABLE = Path(__file__).with_name("canaries.csv")
DATASETS = "digits:3-8", "breast_cancer"
PURE, EPSILON, DELTA, BUDGET = 2.0, 4.0, 1e-5, 2_000
SLOW = 600  # releases of what is fitted one by one
FITTED = "MarginClassifier, fitted"  # as whoever calls `fit` has it
LEARNERS = (
    "MarginClassifier", "logistic descent", "perceptron", "objective perturbation", "phased SGD", "boosted DP-ERM",
    "private grid search", "pure output", "Laplace SVM", "majority class", FITTED, "logistic without privacy",
)  # fmt: skip


def make_neighbours(name: str) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The dataset with its last record replaced by a canary labelled +1, the same labelled -1, and the canary."""
    X, y = data.load(name)
    far = np.linalg.svd(X[:-1], full_matrices=True)[2][-1]  # of norm 1, in the direction that the others cover least
    X = np.vstack([X[:-1], far])
    return (X, np.append(y[:-1], 1.0)), (X, np.append(y[:-1], -1.0)), far


def project_releases(far: np.ndarray, sample: Callable) -> Callable:
    """What an attacker looks at who knows the canary: what a release says of it, and its length."""

    def seen(rng: np.random.Generator, size: int) -> np.ndarray:
        drawn = np.asarray(sample(rng, size), dtype=float)
        if drawn.shape[1] < len(far):
            return drawn
        weights = drawn[:, : len(far)]  # without the intercept
        return np.column_stack([weights @ far, np.linalg.norm(weights, axis=1)])

    return seen


def find_promise(learner: Learner, law: Any) -> Any:
    """What is audited: Gaussian noise as such."""
    if isinstance(getattr(law, "privacy", None), GaussianDP):
        return GaussianDP(gaussian_mu(EPSILON, DELTA))
    return PureDP(PURE) if learner.spends == "epsilon" else ApproxDP(EPSILON, DELTA)


def audit_learner(named: str, dataset: str, budget: int) -> Audit:
    """One learner on one dataset, at what it promises."""
    one, other, far = make_neighbours(dataset)
    if named == FITTED:
        estimator = MarginClassifier(epsilon=EPSILON, delta=DELTA, ranges=None)
        samples: list[Callable] = [Fitted(estimator, X, y, singly=True) for X, y in (one, other)]
        claim, budget = GaussianDP(gaussian_mu(EPSILON, DELTA)), min(budget, SLOW)
    else:
        learner = find(named)
        asked = {"epsilon": PURE if learner.spends == "epsilon" else EPSILON, "delta": DELTA}
        laws = [learner.law(X, y, rng=np.random.default_rng(LEDGER_ROOT), **asked) for X, y in (one, other)]
        samples, claim = [sample_releases(law) for law in laws], find_promise(learner, laws[0])
    a, b = (project_releases(far, sample) for sample in samples)
    return audit(a, b, claim, root=LEDGER_ROOT, budget=budget)


def make_line(dataset: str, named: str, budget: int) -> dict:
    """A line of the table."""
    found = audit_learner(named, dataset, budget)
    return {
        "dataset": dataset,
        "learner": named,
        "claim": str(found.claim),
        "verdict": found.verdict,
        "reason": found.reason,
        "reached": f"{found.lower:.3g}",
        "caught_from": f"{found.smallest_caught:.3g}" if found.smallest_caught else "",
        "releases": found.judged + found.trained,
        "event": found.event,
    }


def make_lines(budget: int) -> Iterator[dict]:
    """A line a dataset and learner."""
    return (make_line(dataset, named, budget) for dataset in DATASETS for named in LEARNERS)


if __name__ == "__main__":
    write_lines(TABLE, make_lines(int(sys.argv[1]) if len(sys.argv) > 1 else BUDGET))
