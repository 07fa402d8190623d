"""Whatever a mechanism releases is an outcome, and whatever tells two datasets apart in it has a column of its own."""

import datetime
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pytest

from lemmata.mechanisms.audit.evidence.outcomes import EXACT, Reader, leaves, plain
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import PureDP

ONE = PureDP(1.0)


@dataclass
class Model:
    coefficient: float
    name: str = "linear"


@pytest.mark.parametrize(
    ("release", "seen"),
    [
        ({"b": 2.0, "a": 1}, ["{", "'a'", 1.0, "'b'", 2.0, "} ['b', 'a']"]),
        ({"a": 1, "b": 2.0}, ["{", "'a'", 1.0, "'b'", 2.0, "}"]),
        ({3, 1, 2}, ["set", 1.0, 2.0, 3.0]),
        (Model(2.5), ["Model", "{", "'coefficient'", 2.5, "'name'", "str 'linear'", "}"]),
        (datetime.timedelta(seconds=3), [3.0, "timedelta"]),
        (datetime.datetime(2000, 1, 1, 0, 1), [60.0, "datetime None"]),
        (datetime.date(2000, 1, 2), [86400.0, "date None"]),
        (np.array((1.0, 2), dtype=[("x", float), ("n", int)]), [1.0, 2.0]),
        (Decimal("0.5"), [0.5]),
        (Decimal("0.1"), ["0.1", 0.1]),
        (np.int64(EXACT), [float(EXACT), 0.0, repr(EXACT)]),
        (object(), ["object"]),
        (3 + 4j, [3.0, 4.0]),
    ],
)
def test_what_stands_in_a_release_is_seen(release, seen):
    assert leaves([release]) == [seen]


def test_huge_numbers_and_circles_end():
    assert [leaves([sign * 10**400])[0][0] for sign in (1, -1)] == [float("inf"), -float("inf")]
    circle = Model(1.0)
    circle.name = circle
    assert len(leaves([circle])[0]) < 100


@pytest.mark.parametrize(
    ("table", "numbers"),
    [
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), [[18262], [np.nan]]),
        (np.array([1 + 2j]), [[1.0, 2.0]]),
        (np.array([5]), [[5.0]]),
    ],
)
def test_tables_of_dates_and_complex_numbers(table, numbers):
    np.testing.assert_array_equal(plain(table), numbers)


def test_tables_of_integers_beyond_floats_are_no_numbers():
    assert plain(np.array([-(2**60)])) is None and plain(np.array([2**60])) is None


def test_a_release_is_read_alone():
    """Whatever else is in its batch: numbers, labels and columns are the same."""
    batch = [1, 2**60, "x1y", None, {"a": 1.5}, (1, 2)]
    read = Reader([batch, batch], bits=False)
    together = read(batch)
    for place, release in enumerate(batch):
        alone = read([release])
        assert np.array_equal(alone.values[0], together.values[place], equal_nan=True)
        assert alone.labels[0] == together.labels[place]
    whole = Reader([np.array([1, 2**60]), [3]], bits=False)
    assert whole(np.array([1, 2])).labels[0] == whole(np.array([1, 2**60])).labels[0]


def kept(make, probability=0.97):
    def side(bit):
        return lambda rng, n: [make(bit if rng.random() < probability else 1 - bit, rng) for _ in range(n)]

    return side(0), side(1)


HIDDEN = {
    "a field of a dict beside noise": kept(lambda b, rng: {"x": b, "noise": rng.normal()}),
    "an attribute beside noise": kept(lambda b, rng: Model(rng.normal(), "ab"[b])),
    "a letter in the middle": kept(lambda b, rng: f"{rng.integers(10**9):09d}{'xy'[b]}{rng.integers(10**9):09d}"),
    "a number in a text": kept(lambda b, rng: f"{{'value': {4 * b + rng.laplace():.6f}}}"),
    "a letter anywhere": kept(lambda b, rng: "".join(rng.permuted(list("aabbccdd" + "ez"[b])))),
    "an element of a set": kept(lambda b, rng: {int(rng.integers(10**9, 10**10)), b}),
    "a moment": kept(lambda b, rng: datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=6 * b + rng.laplace())),
    "a byte among random ones": kept(lambda b, rng: bytes([*rng.integers(97, 123, 5), 65 + b])),
    "large whole numbers": kept(lambda b, rng: 2**80 + int(rng.integers(2**60)) * 2**10 + b * 2**70),
    "the last bit of large whole numbers": tuple(
        (lambda rng, n, b=b: 2 * rng.integers(2**60, size=n) + b) for b in (0, 1)
    ),
    "dates": tuple((lambda rng, n, b=b: np.datetime64("2020-01-01") + 9 * b + rng.integers(9, size=n)) for b in (0, 1)),
}


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_hidden_in_a_release_is_found(name):
    found = audit(*HIDDEN[name], ONE, root=TEST_ROOT, budget=1_500)
    assert found.verdict == "REFUTED", found


def ends_in(bit):
    def sample(rng, n):
        return ((rng.random(n).view(np.uint64) & ~np.uint64(1)) | np.uint64(bit)).view(float)

    return sample


@pytest.mark.statistical
def test_last_bits_are_judged_if_asked_for():
    sides = ends_in(0), ends_in(1)
    assert audit(*sides, ONE, root=TEST_ROOT, budget=400, bits=True).verdict == "REFUTED"
    assert audit(*sides, ONE, root=TEST_ROOT, budget=400).verdict == "INCONCLUSIVE"


FAIR = np.exp(1) / (1 + np.exp(1))
SPARED = {
    "fields in any order": kept(lambda b, rng: dict(rng.permuted([("x", b), ("y", 1)], axis=0).tolist()), FAIR),
    "sets": kept(lambda b, rng: frozenset({"a", "b", "c"} if b else {"b", "c", "d"}), FAIR),
    "objects": kept(lambda b, rng: object(), FAIR),
    "texts": kept(lambda b, rng: f"{rng.integers(10**9)}-{'yes' if b else 'no'}", FAIR),
}


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("name", SPARED)
def test_what_is_allowed_in_a_release_is_spared(name):
    assert audit(*SPARED[name], ONE, root=TEST_ROOT, budget=1_000).verdict == "INCONCLUSIVE"
