"""How accuracy grows with the number of records: `MarginClassifier` beside others, private and not.

    LEMMATA_DIFFPRIVLIB=/a/python python -m lemmata.experiments.comparison.growth    # writes growth.csv here

Planted tables of ten kinds, from 100 records to a million, at epsilon .1, 1 and 8, delta = n^-1.5. All are told the
labels. Logistic regression, which is not private, stands behind a StandardScaler. Objective perturbation and
diffprivlib (the other Python has it) are told the true centre and spread of every column as well, as if these were
public, and are asked on the tables of 20 columns that the page draws. Accuracy on 20,000 fresh records, the mean over
the seeds, which all share. "one label" says the commonest label.
"""

import itertools
import warnings
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from lemmata.experiments.comparison import learners
from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.estimators import scaling
from lemmata.mechanisms.privacy.disclosure import PrivacyLeakWarning

TABLE = Path(__file__).with_name("growth.csv")
SIZES, COLUMNS = (10**2, 10**3, 10**4, 10**5, 10**6), (5, 20, 50, 200)
EPSILONS, SEEDS, FRESH = (0.1, 1.0, 8.0), 3, 20_000
MOST, LARGEST = 10**7, 5 * 10**7  # entries of a table; one of more than `MOST` is tried with one seed
DRAWN = 20  # columns of the tables that the page draws
PEERS = {"objective perturbation": learners.objective, "diffprivlib": learners.diffprivlib_logistic}
FIELDS = ("kind", "n", "d", "epsilon", "accuracy", "logistic regression", "one label", *PEERS)
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


def peer_accuracies(X: np.ndarray, y: np.ndarray, n: int, seed: int) -> list[list[float]]:
    """Of each peer, a list by epsilon, on rows that `PrivateScaler` would make with the table's own ranges."""
    rows = scaling.clip_to_ball((X - X[:n].mean(axis=0)) / X[:n].std(axis=0), sqrt(X.shape[1] / 2))
    signs, found = 2.0 * y - 1, []
    for law in PEERS.values():
        asked: Any = {"delta": n**-1.5, "rng": np.random.default_rng(seed)}
        fits = [law(rows[:n], signs[:n], epsilon=epsilon, **asked).sample(asked["rng"])[0] for epsilon in EPSILONS]
        found.append([float(np.mean(signs[n:] * (rows[n:] @ weights) > 0)) for weights in fits])
    return found


def main() -> None:
    """A line a table and epsilon: every kind of columns with separable labels, and every kind of labels."""
    rows = []
    chosen = [*itertools.product(KINDS, ["separable"]), *itertools.product(["normal"], [*LABELS][1:])]
    chosen.append(("lognormal", "15 % flipped"))
    for (kind, labels), d, n in itertools.product(chosen, COLUMNS, SIZES):
        if n * d > LARGEST:
            continue
        seeds = SEEDS if n * d <= MOST else 1
        tables = [(*plant(kind, labels, n + FRESH, d, seed), n, seed) for seed in range(seeds)]
        label, plain, *ours = np.mean([accuracies(*table) for table in tables], axis=0)
        peers = np.mean([peer_accuracies(*table) for table in tables], axis=0).T if d == DRAWN else [()] * len(ours)
        for epsilon, mean, others in zip(EPSILONS, ours, peers, strict=True):
            numbers = [f"{one:.4f}" for one in (mean, plain, label, *others)]
            rows.append((f"{kind}, {labels}", n, d, epsilon, *numbers, *[""] * (len(PEERS) - len(others))))
            print(*rows[-1], sep="\t", flush=True)
    write_table(TABLE, FIELDS, rows)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # the tables are planted, and so are the seeds
        main()
