"""Tables as they are loaded: how often `MarginClassifier` is right on fresh records, beside what is not private.

    python -m lemmata.tools.raw_tables            # writes raw_tables.csv beside this file

Ten tables, none of them scaled, centred or encoded by hand: seven that ship with scikit-learn and statsmodels, three
that are planted with columns on scales from 10^-4 to 10^4, with offsets of 10^6, with heavy tails. Of each, 20 splits,
three quarters of the records for training; delta = 1e-5. "one label" says the commonest label of the training records,
"SVM" is scikit-learn's, with a StandardScaler; neither is private. `MarginClassifier` is told nothing but epsilon and
the labels. `NoisyGD` and `PrivateSVM`, as they are, stand behind a `PrivateScaler(unit_ball=True)` that has three
tenths of epsilon; an eleventh table is for them, of whose records a twentieth are of the second class. Standard errors
are those of the mean over the splits, which share records.
"""

import warnings
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.estimators.margin_classifier import MarginClassifier, NoisyGD, PrivateSVM
from lemmata.mechanisms.estimators.scaling import PrivateScaler
from lemmata.mechanisms.privacy.disclosure import PrivacyLeakWarning

TABLE = Path(__file__).with_name("raw_tables.csv")
SPLITS = 20
EPSILONS = (1.0, 3.0)
DELTA = 1e-5
FIELDS = ("table", "n", "d", "learner", "epsilon", "accuracy", "standard error")
Data = tuple[np.ndarray, np.ndarray]


def digits(chosen: Callable[[np.ndarray], np.ndarray], positive: Callable[[np.ndarray], np.ndarray]) -> Data:
    """Images of the digits that are `chosen`."""
    X, y = load_digits(return_X_y=True)
    return X[chosen(y)], positive(y[chosen(y)]).astype(int)


def wine() -> Data:
    """The second cultivar, the commonest, against the two others."""
    X, y = load_wine(return_X_y=True)
    return X, (y == 1).astype(int)


def survey(name: str, answer: str) -> Data:
    """A table of statsmodels: is the answer above 0?"""
    import statsmodels.datasets

    frame = getattr(statsmodels.datasets, name).load_pandas().data
    return frame.drop(columns=answer).to_numpy(float), (frame[answer] > 0).to_numpy().astype(int)


def planted(seed: int) -> Data:
    """4,000 records of 12 columns, half of them informative."""
    return make_classification(4000, 12, n_informative=6, class_sep=1.5, random_state=seed)


def scales() -> Data:
    """Columns on scales from 10^-4 to 10^4, a third of them with an offset of 10^5."""
    X, y = planted(3)
    return X * 10.0 ** np.linspace(-4, 4, 12) + np.where(np.arange(12) % 3 == 0, 1e5, 0.0), y


def offsets() -> Data:
    """Every second column has an offset of 10^6, a million times its spread."""
    X, y = planted(4)
    return X + np.where(np.arange(12) % 2 == 0, 1e6, -3.0), y


def tails() -> Data:
    """Hyperbolic sines of the columns, one entry in a hundred a million times larger, on scales from 10^-3 to 10^3."""
    X, y = planted(5)
    rng = np.random.default_rng(5)
    return np.sinh(2 * X) * np.where(rng.random(X.shape) < 0.01, 1e6, 1.0) * 10.0 ** rng.integers(-3, 4, 12), y


def small_class() -> Data:
    """6,000 records, of which a twentieth lie aside in six columns."""
    rng = np.random.default_rng(6)
    y = (rng.random(6000) < 0.05).astype(int)
    return (rng.normal(size=(6000, 6)) + 3.0 * y[:, None]) * [1.0, 2.0, 3.0, 40.0, 50.0, 0.1] + 1000.0, y


TABLES: dict[str, Callable[[], Data]] = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits, 3 or 8": lambda: digits(lambda y: (y == 3) | (y == 8), lambda y: y == 3),
    "digits, odd or even": lambda: digits(lambda y: y >= 0, lambda y: y % 2 == 1),
    "wine": wine,
    "Fair's survey": lambda: survey("fair", "affairs"),
    "RAND health": lambda: survey("randhie", "mdvis"),
    "ANES 1996": lambda: survey("anes96", "vote"),
    "planted, scales": scales,
    "planted, offsets": offsets,
    "planted, tails": tails,
    "planted, 5 %": small_class,
}


def learners() -> Iterator[tuple[str, float, Callable[[int], Any]]]:
    """(name, epsilon, what makes one for a split)."""
    yield "one label", 0.0, lambda split: None
    yield "SVM", 0.0, lambda split: make_pipeline(StandardScaler(), LinearSVC(C=0.1, max_iter=20_000))
    for epsilon in EPSILONS:
        given: Any = {"delta": DELTA, "classes": (0, 1)}
        yield (
            "MarginClassifier",
            epsilon,
            lambda split, epsilon=epsilon, given=given: MarginClassifier(epsilon=epsilon, random_state=split, **given),
        )
    for kind in (NoisyGD, PrivateSVM):
        for epsilon in EPSILONS:
            yield (
                kind.__name__,
                epsilon,
                lambda split, kind=kind, epsilon=epsilon: behind_a_scaler(kind, epsilon, split),
            )


def behind_a_scaler(kind: Any, epsilon: float, split: int) -> Any:
    """A learner without ranges of its own, with seven tenths of epsilon and, if it takes one, of delta."""
    draws = np.random.default_rng(split).spawn(2)
    scaler = PrivateScaler(epsilon=0.3 * epsilon, delta=0.3 * DELTA, unit_ball=True, random_state=draws[0])
    learner = kind(epsilon=0.7 * epsilon, classes=(0, 1), random_state=draws[1])
    return make_pipeline(scaler, learner.set_params(delta=0.7 * DELTA) if hasattr(learner, "delta") else learner)


def accuracy(model: Any, train: Data, test: Data) -> float:
    """Of one fit on fresh records."""
    if model is None:
        return float((test[1] == np.bincount(train[1]).argmax()).mean())
    return float((model.fit(*train).predict(test[0]) == test[1]).mean())


def main() -> None:
    """Every table and learner; the same splits for all."""
    rows = []
    for name, load in TABLES.items():
        X, y = load()
        cut = 3 * len(y) // 4
        orders = [np.random.default_rng(split).permutation(len(y)) for split in range(SPLITS)]
        parts = [((X[p[:cut]], y[p[:cut]]), (X[p[cut:]], y[p[cut:]])) for p in orders]
        for learner, epsilon, make in learners():
            found = [accuracy(make(split), *part) for split, part in enumerate(parts)]
            spread = np.std(found, ddof=1) / sqrt(SPLITS)
            rows.append((name, cut, X.shape[1], learner, epsilon or "", f"{np.mean(found):.4f}", f"{spread:.4f}"))
            print(*rows[-1], sep="\t", flush=True)
    write_table(TABLE, FIELDS, rows)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # the splits are public, and so are the seeds
        main()
