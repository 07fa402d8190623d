"""How long the rows of `MarginClassifier` may be, tried on tables that are not in its docstring.

    python -m lemmata.tools.row_lengths            # writes row_lengths.csv beside this file

A standardised row of more than `length` times sqrt(D / 2) is scaled down, with its constant
(`lemmata.mechanisms.estimators.scaling.choose_row_length`). Where sqrt(d) / (n mu), "noise" in the table, is not small,
a long row drowns in it.
Nine planted tables with a class of 5 to 20 % on one side, three pairs of digits, six of scikit-learn's planted ones,
and four that ship with it and with statsmodels; four splits each, three quarters of the records for training, delta =
1e-5. Where the noise is under 0.01, `scaling.RESOLVED`, lengths up to 1.4 are within a point of each other, and 2 and
2.8 are worse by more on three tables; above it the shorter rows do better. Between 0.7 and 1
`experiments.comparison.growth` decides.
"""

import warnings
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn.datasets import load_diabetes, load_digits, make_classification

from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.estimators import scaling
from lemmata.mechanisms.estimators.margin_classifier import MarginClassifier
from lemmata.mechanisms.privacy import gaussian_mu
from lemmata.mechanisms.privacy.disclosure import PrivacyLeakWarning

TABLE = Path(__file__).with_name("row_lengths.csv")
LENGTHS = (0.7, 1.0, 1.4, 2.0, 2.8)  # times sqrt(size / 2)
EPSILONS, DELTA, SPLITS = (1.0, 3.0), 1e-5, 4
FIELDS = ("table", "n", "d", "epsilon", "noise", *(f"length {length:g}" for length in LENGTHS))
PLANTED = (
    (300, 10, 1.0, 0.0),
    (1000, 50, 1.0, 0.05),
    (3000, 20, 0.5, 0.05),
    (500, 200, 2.0, 0.0),
    (2000, 100, 0.7, 0.1),
    (20_000, 20, 1.0, 0.05),
)  # records, columns, class_sep, flip_y
Data = tuple[np.ndarray, np.ndarray]


def aside(n: int, shift: float, share: float) -> Data:
    """Five normal columns; a share of the records is another class, `shift` standard deviations away in the first."""
    rng = np.random.default_rng(6)
    y = (rng.random(n) < share).astype(int)
    X = rng.normal(size=(n, 5))
    X[:, 0] += shift * y
    return X, y


def survey(name: str, answer: str) -> Data:
    """A table of statsmodels: is the answer above its median, or above 0 where that is 0?"""
    import statsmodels.datasets

    frame = getattr(statsmodels.datasets, name).load_pandas().data
    return frame.drop(columns=answer).to_numpy(float), (frame[answer] > frame[answer].median()).to_numpy().astype(int)


def tables() -> Iterator[tuple[str, Data]]:
    """(name, table) of each."""
    for n in (1000, 3000, 20_000):
        for shift, share in ((4.0, 0.2), (8.0, 0.1), (8.0, 0.05)):
            yield f"{share:.0%} aside by {shift:g}", aside(n * 4 // 3, shift, share)
    X, y = load_digits(return_X_y=True)
    for one, other in ((4, 9), (1, 7), (0, 6)):
        here = (y == one) | (y == other)
        yield f"digits, {one} or {other}", (X[here], (y[here] == one).astype(int))
    for n, d, apart, flips in PLANTED:
        kinds: dict[str, Any] = {"n_informative": d // 2, "class_sep": apart, "flip_y": flips, "random_state": n + d}
        yield "planted", make_classification(n * 4 // 3, d, **kinds)
    X, y = load_diabetes(return_X_y=True, scaled=False)
    yield "diabetes", (X, (y > 140).astype(int))
    for name, answer in (("star98", "NABOVE"), ("modechoice", "choice"), ("cancer", "cancer")):
        yield name, survey(name, answer)


def accuracy(data: Data, epsilon: float, length: float) -> float:
    """On held-out records, the mean over the splits."""
    X, y = data
    found = []
    for split in range(SPLITS):
        order = np.random.default_rng(split).permutation(len(y))
        train, test = order[: 3 * len(y) // 4], order[3 * len(y) // 4 :]
        asked: Any = {"epsilon": epsilon, "delta": DELTA, "classes": (0, 1), "noise": "float", "random_state": split}
        clipped: Callable[..., float] = lambda n, d, size, mu: length * sqrt(size / 2)  # noqa: E731
        with mock.patch.object(scaling, "choose_row_length", clipped):
            found.append(MarginClassifier(**asked).fit(X[train], y[train]).score(X[test], y[test]))
    return float(np.mean(found))


def main() -> None:
    """A line a table and epsilon."""
    rows = []
    for name, data in tables():
        n, d = 3 * len(data[1]) // 4, data[0].shape[1]
        for epsilon in EPSILONS:
            noise = sqrt(d) / (n * gaussian_mu(epsilon, DELTA))
            found = [accuracy(data, epsilon, length) for length in LENGTHS]
            rows.append((name, n, d, epsilon, f"{noise:.4f}", *(f"{one:.3f}" for one in found)))
            print(*rows[-1], sep="\t", flush=True)
    write_table(TABLE, FIELDS, rows)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # the splits are public, and so are the seeds
        main()
