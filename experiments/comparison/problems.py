"""What learners are compared on: real records, and families with a planted margin.

    digits:A-B, breast_cancer, randhie, fair, a .npz file      a random quarter is held out
    planted:n=1000,d=50,margin=0.2,outliers=0,flips=0          fresh records at every repeat

Preprocessing is public: constants of codebooks (`lemmata.experiments.data`), and `unit_rows`, which looks at one record
at a time. The split into training and test records is drawn without looking at either, so nothing here has to be paid
for.
"""

from dataclasses import dataclass, field

import numpy as np

from lemmata.experiments.data import load
from lemmata.mechanisms.estimators.margin_classifier import unit_rows

HELD_OUT = 2000  # test records at most
ENTRIES = 2**23  # of a table of test records
GUESS = 0.1  # the margin that a learner is told where nobody knows it
PLANTED = {"n": 1000, "d": 50, "margin": 0.2, "outliers": 0, "flips": 0.0}


@dataclass(frozen=True)
class Problem:
    """One split: records to train on and to test on."""

    X: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    test: np.ndarray = field(repr=False)
    truth: np.ndarray = field(repr=False)
    margin: float  # planted, or a guess


def read_family(name: str) -> dict[str, float]:
    """The parameters of planted:... Raises ValueError in one line."""
    chosen = dict(PLANTED)
    for part in filter(None, name.removeprefix("planted").removeprefix(":").split(",")):
        key, _, value = part.partition("=")
        if key not in PLANTED:
            raise ValueError(f"{name!r}: a parameter must be one of {', '.join(PLANTED)}, got {key!r}")
        try:
            chosen[key] = type(PLANTED[key])(value)
        except ValueError:
            raise ValueError(f"{name!r}: {key} must be a number, got {value!r}") from None
    ranges = {"n": (4, 10**6), "d": (2, 10**6), "margin": (0, 1), "outliers": (0, chosen["n"] // 2), "flips": (0, 0.5)}
    for key, (low, high) in ranges.items():
        if not low <= chosen[key] <= high:
            raise ValueError(f"{name!r}: {key} must be in [{low}, {high}], got {chosen[key]}")
    return chosen


def make_planted(count: int, rng: np.random.Generator, *, n: int, d: int, margin: float, outliers: int, flips: float):
    """`count` unit records of margin `margin` along e_1; outliers/n of them lie at -y e_1; labels flip with `flips`."""
    y = np.where(rng.random(count) < 0.5, 1.0, -1.0)
    Z = rng.normal(size=(count, d - 1))
    Z *= np.sqrt(1 - margin**2) / np.linalg.norm(Z, axis=1, keepdims=True)
    X = np.column_stack([margin * y, Z])
    wrong = rng.permutation(count)[: round(count * outliers / n)]
    X[wrong] = 0.0
    X[wrong, 0] = -y[wrong]
    return X, np.where(rng.random(count) < flips, -y, y)


def split_records(count: int, n: int, most: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of n records to train on and of at most `most` others, in random order."""
    order = rng.permutation(count)
    return order[:n], order[n : n + most]


def count_training(name: str, records: int | None) -> int:
    """How many records a split trains on: what is planted; of real ones three quarters, and at most `records`."""
    if name.startswith("planted"):
        return int(read_family(name)["n"])
    most = len(load(name)[0]) * 3 // 4
    return max(2, most if records is None else min(records, most))


def draw_problem(name: str, records: int | None, rng: np.random.Generator) -> Problem:
    """One split of real records, `training` of them to learn from; or fresh planted ones."""
    if name.startswith("planted"):
        chosen = read_family(name)
        test = max(100, min(HELD_OUT, ENTRIES // chosen["d"]))
        (X, y), (Z, truth) = (make_planted(count, rng, **chosen) for count in (chosen["n"], test))
        return Problem(unit_rows(X), y, unit_rows(Z), truth, chosen["margin"] / np.sqrt(1.25))
    X, y = load(name)
    train, test = split_records(len(X), count_training(name, records), HELD_OUT, rng)
    return Problem(unit_rows(X[train]), y[train], unit_rows(X[test]), y[test], GUESS)
