"""How accuracy grows with the number of records: `MarginClassifier` beside logistic regression, which is not private.

    python -m lemmata.experiments.comparison.growth            # writes growth.csv beside this file

Planted tables of ten kinds, from 100 records to a million, at epsilon .1, 1 and 8, delta = n^-1.5. Both learners are
told the labels; logistic regression stands behind a StandardScaler. Accuracy on 20,000 fresh records, the mean over the
seeds, which both learners share. "one label" says the commonest label. The committed table was measured when ranges
were looked for in 64 octaves on either side of 1; today there are 104, for the same budget.
"""

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.privacy.disclosure import PrivacyLeakWarning

TABLE = Path(__file__).with_name("growth.csv")
SIZES, COLUMNS, EPSILONS, SEEDS, FRESH = (10**2, 10**3, 10**4, 10**5, 10**6), (5, 20, 50), (0.1, 1.0, 8.0), 3, 20_000
MOST = 10**7  # entries of a table; a larger one is tried with one seed
FIELDS = ("kind", "n", "d", "epsilon", "accuracy", "logistic regression", "one label")
KINDS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {  # columns of standard normal ones
    "normal": lambda draw, Z: Z,
    "uniform": lambda draw, Z: 5 + 3 * draw.random(Z.shape),
    "lognormal": lambda draw, Z: np.exp(Z),
    "heavy tails": lambda draw, Z: draw.standard_t(2, size=Z.shape),
    "sparse counts": lambda draw, Z: draw.poisson(0.3, size=Z.shape).astype(float),
    "mixed scales": lambda draw, Z: Z * 10.0 ** np.linspace(-4, 4, Z.shape[1]),
    "correlated": lambda draw, Z: Z + 2 * draw.normal(size=(len(Z), 1)),
}
LABELS = {"separable": (0.5, 0.0), "15 % flipped": (0.5, 0.15), "5 % positive": (0.05, 0.0)}  # share, flips


def plant(kind: str, labels: str, n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A table whose label is the side of a hyperplane through its columns, each over its spread."""
    draw, (share, flips) = np.random.default_rng(seed), LABELS[labels]
    X = KINDS[kind](draw, draw.normal(size=(n, d)))
    score = (X / X.std(axis=0)) @ draw.normal(size=d)
    return X, ((score > np.quantile(score, 1 - share)) ^ (draw.random(n) < flips)).astype(int)


def accuracies(X: np.ndarray, y: np.ndarray, n: int, seed: int) -> list[float]:
    """Of one label, of logistic regression, and of ours at each epsilon: trained on n records, tried on the others."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from lemmata.mechanisms.estimators.margin_classifier import MarginClassifier

    train, test = (X[:n], y[:n]), (X[n:], y[n:])
    peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    found = [max(np.mean(test[1]), 1 - np.mean(test[1]))]
    found.append(peer.fit(*train).score(*test) if len(set(train[1])) > 1 else found[0])
    asked: Any = {"delta": n**-1.5, "classes": (0, 1), "noise": "float", "random_state": seed}
    return found + [MarginClassifier(epsilon=epsilon, **asked).fit(*train).score(*test) for epsilon in EPSILONS]


def main() -> None:
    """A line a table and epsilon: every kind of columns with separable labels, and every kind of labels."""
    rows = []
    chosen = [*itertools.product(KINDS, ["separable"]), *itertools.product(["normal"], [*LABELS][1:])]
    chosen.append(("lognormal", "15 % flipped"))
    for (kind, labels), d, n in itertools.product(chosen, COLUMNS, SIZES):
        seeds = SEEDS if n * d <= MOST else 1
        found = [accuracies(*plant(kind, labels, n + FRESH, d, seed), n, seed) for seed in range(seeds)]
        label, peer, *ours = np.mean(found, axis=0)
        for epsilon, mean in zip(EPSILONS, ours, strict=True):
            rows.append((f"{kind}, {labels}", n, d, epsilon, *(f"{one:.4f}" for one in (mean, peer, label))))
            print(*rows[-1], sep="\t", flush=True)
    write_table(TABLE, FIELDS, rows)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # the tables are planted, and so are the seeds
        main()
