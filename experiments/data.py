"""Real datasets, as (X, y) with rows in the unit ball and labels -1 or +1. No network.

Preprocessing is public: it treats every record by itself, with constants that stand in this file and do not
come from the records loaded. So replacing one record changes one row, and a guarantee for (X, y) is one for
the raw data. Tables get a constant last column, because the classifiers of the papers have no intercept.
Arrays are read-only.
"""

import functools
import importlib.util
import re
import zipfile
from pathlib import Path

import numpy as np

from lemmata.mechanisms.numerics.arguments import clip_rows

# Ranges are those of the published codebooks; where a codebook gives no limit, a round number above what it reports.
# Values outside are clipped, so the constants affect how well a classifier does and never its privacy.

# Wisconsin diagnostic breast cancer (Street, Wolberg & Mangasarian 1993): ten measurements of cell nuclei, of each the
# mean, the standard error and the mean of the three largest. Lengths are in pixels; the last six are pure numbers.
NUCLEI = {  # upper ends for mean, error, worst; every lower end is 0
    "radius": (30, 3, 40),
    "texture": (40, 5, 50),
    "perimeter": (200, 25, 250),
    "area": (2500, 500, 4000),
    "smoothness": (0.2, 0.04, 0.25),
    "compactness": (0.4, 0.2, 1.0),
    "concavity": (0.5, 0.4, 1.25),
    "concave points": (0.25, 0.05, 0.3),
    "symmetry": (0.4, 0.1, 0.7),
    "fractal dimension": (0.1, 0.03, 0.2),
}


# RAND health-insurance experiment. ln(coinsurance + 1) has coinsurance <= 100; the largest fmde is
# ln(1000 dollars / 0.25), the family's maximum over the lowest positive coinsurance.
RANDHIE = {
    "lncoins": (0, np.log(101)),
    "idp": (0, 1),
    "lpi": (0, 7.5),
    "fmde": (0, np.log(4000)),
    "physlm": (0, 1),
    "disea": (0, 60),
    "hlthg": (0, 1),
    "hlthf": (0, 1),
    "hlthp": (0, 1),
}


# Fair (1978): the codes of the questionnaire.
FAIR = {
    "rate_marriage": (1, 5),
    "age": (17.5, 42),
    "yrs_married": (0.5, 23),
    "children": (0, 5.5),
    "religious": (1, 4),
    "educ": (9, 20),
    "occupation": (1, 6),
    "occupation_husb": (1, 6),
}


def checked(X, y, name):
    """(X, y) as read-only float arrays, or one line that says what is wrong with the data called `name`."""
    X, y = np.array(X, dtype=float), np.array(y, dtype=float)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"{name}: X must have shape (n, d) with n, d >= 1, got {X.shape}")
    if y.shape != (len(X),):
        raise ValueError(f"{name}: y must have shape ({len(X)},), got {y.shape}")
    broken = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if broken.size:
        raise ValueError(f"{name}: X must be finite, got {broken.size} rows that are not, the first at {broken[0]}")
    if not np.isin(y, (-1, 1)).all():
        raise ValueError(f"{name}: y must have entries in {{-1, +1}} only")
    if len(np.unique(y)) == 1:
        raise ValueError(f"{name}: y must have two classes, got only {y[0]:+g}")
    X = clip_rows(X, 1.0)
    X.flags.writeable = y.flags.writeable = False
    return X, y


def in_ball(columns, ranges):
    """Columns clipped to their ranges and mapped to [-1, 1], a constant 1 appended; all over sqrt(columns)."""
    low, high = np.array(ranges, dtype=float).T
    columns = 2 * (np.clip(np.asarray(columns, dtype=float), low, high) - low) / (high - low) - 1
    return np.column_stack([columns, np.ones(len(columns))]) / np.sqrt(len(low) + 1)


@functools.cache
def digits(a=3, b=8):
    """scikit-learn's 8 x 8 images of the digits `a` (+1) and `b` (-1): X (about 360, 64).

    Pixels are whole numbers 0..16; over 16, and over 8 = sqrt(64), which puts every possible image in the
    unit ball. Raises ValueError unless a and b are two different digits.
    """
    for name, digit in (("a", a), ("b", b)):
        if digit not in range(10):
            raise ValueError(f"{name} must be a digit 0..9, got {digit!r}")
    if a == b:
        raise ValueError(f"b must differ from a, got {b} for both")
    table = _sklearn("digits.csv.gz")
    images, labels = table[:, :-1], table[:, -1]
    chosen = (labels == a) | (labels == b)
    return checked(images[chosen] / 16 / 8, np.where(labels[chosen] == a, 1, -1), "digits")


@functools.cache
def breast_cancer():
    """Wisconsin diagnostic breast cancer: malignant (+1) or benign (-1), X (569, 31)."""
    table = _sklearn("breast_cancer.csv", skiprows=1)
    ranges = [(0, upper[kind]) for kind in range(3) for upper in NUCLEI.values()]
    return checked(in_ball(table[:, :-1], ranges), np.where(table[:, -1] == 0, 1, -1), "breast_cancer")


@functools.cache
def randhie():
    """RAND health insurance: did the person see a doctor in the year (mdvis > 0: +1) or not (-1)? X (20190, 10)."""
    return _survey("randhie", RANDHIE, "mdvis")


@functools.cache
def fair():
    """Fair's survey: any time spent in extramarital affairs (affairs > 0: +1) or none (-1)? X (6366, 9)."""
    return _survey("fair", FAIR, "affairs")


def _sklearn(name, **layout):
    """A table of numbers that scikit-learn ships, read without the package: importing it takes a second."""
    home = Path(importlib.util.find_spec("sklearn").origin).parent
    return np.loadtxt(home / "datasets" / "data" / name, delimiter=",", **layout)


def _survey(name, ranges, event):
    """Columns of a table that statsmodels ships: was the number of an event above 0 (+1) or not (-1)?"""
    import statsmodels.datasets  # it takes a second that most claims need not spend

    table = getattr(statsmodels.datasets, name).load_pandas().data
    return checked(in_ball(table[list(ranges)], list(ranges.values())), np.where(table[event] > 0, 1, -1), name)


def features(path):
    """The arrays X (n, d) and y (n,), labels -1 or +1, of a user's .npz file; rows longer than 1 are scaled to norm 1.

    Raises ValueError, in one line, for a file that cannot be read or data that cannot be used.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            X, y = _numbers(np.load(file, allow_pickle=False))
    except FileNotFoundError:
        raise ValueError(f"path must be an .npz file with arrays X and y, but {str(path)!r} does not exist") from None
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"path must be an .npz file with arrays X and y, got {str(path)!r} ({reason})") from None
    return checked(X, y, path.name)


def _numbers(stored):
    """The arrays X and y of an opened .npz file."""
    if not isinstance(stored, np.lib.npyio.NpzFile):
        raise ValueError("it has a single array")
    with stored:
        missing = [key for key in ("X", "y") if key not in stored.files]
        if missing:
            raise ValueError(f"it has no array {' and no '.join(missing)}")
        for key in ("X", "y"):
            if stored[key].dtype.kind not in "fiub":
                raise ValueError(f"its array {key} has type {stored[key].dtype}")
        return stored["X"], stored["y"]


NAMES = "digits:A-B, breast_cancer, randhie, fair, or the path of an .npz file"


def load(name):
    """The dataset a string names.

    >>> X, y = load("digits:3-8")
    >>> X.shape, sorted(set(y.tolist()))
    ((357, 64), [-1.0, 1.0])
    """
    if found := re.fullmatch(r"digits:(\d)-(\d)", name):
        return digits(*map(int, found.groups()))
    if name in ("breast_cancer", "randhie", "fair"):
        return {"breast_cancer": breast_cancer, "randhie": randhie, "fair": fair}[name]()
    if name.endswith(".npz"):
        return features(name)
    raise ValueError(f"name must be {NAMES}, got {name!r}")
