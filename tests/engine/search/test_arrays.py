"""Vectors, matrices and datasets as arguments: what is drawn for them, and which statements about them fall."""

import numpy as np
import pytest

from lemmata.bounds.statement.hypotheses import Domain
from lemmata.bounds.theorem import require
from lemmata.experiments.engine.claims.claim import grid
from lemmata.experiments.engine.search import arrays, points
from tests.engine.search.test_search import expect_a_fall, expect_all_to_hold, look, make

SOME = require("x has an entry", lambda x: len(x) >= 1)
SHARES = require("x has entries in [0, 1]", lambda x: len(x) >= 1 and min(x) >= 0 and max(x) <= 1)
DISTRIBUTION = require("x is a distribution", lambda x: min(x) >= 0 and abs(sum(x) - 1) < 1e-9)
ONE_REPLACED = require(
    "z has one other entry, in [0, 1]",
    lambda x, z: len(x) == len(z) and min(z) >= 0 and max(z) <= 1 and np.not_equal(x, z).sum() <= 1,
)
SYMMETRIC = require("x is symmetric", lambda x: np.ndim(x) == 2 and np.array_equal(x, np.transpose(x)))
SQUARE = require("x is square", lambda x: np.ndim(x) == 2 and np.shape(x)[0] == np.shape(x)[1])


def entropy(p):
    return -sum(share * np.log(share) for share in p if share > 0)


def one(left, examples):
    """A check of one array."""

    def check_of(bound):
        def check(*, x):
            yield {"x": x}, float(left(x)), bound(x=x)

        return check

    return {"check": check_of, "quick": grid(x=examples)}


def two(pairs):
    """A check of two datasets that its loop gives together."""

    def check_of(bound):
        global both, bound_of_both, PAIRS
        bound_of_both, PAIRS = bound, pairs

        def both():
            for x, z in PAIRS:
                yield {"x": x, "z": z}, float(abs(np.mean(x) - np.mean(z))), bound_of_both(x=x, z=z)

        return both

    return {"check": check_of}


GAP = one(lambda x: abs(np.mean(x) - np.median(x)), [[1.0, 2.0, 4.0]])
NORM = one(lambda x: np.linalg.norm(x, 2), [[[1, 2], [2, 1]], [[3, -1], [-1, 2]]])
OUTLIER = one(lambda x: max(x) - np.mean(x), [np.array([1.0, 2.0])])
CANCELS = one(lambda x: np.mean(np.square(x)) - np.mean(x) ** 2, [np.array([1.0, 2.0])])
MEANS = two([([0.0, 0.5, 1.0], [0.0, 0.5, 0.5]), ([1.0, 1.0, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0])])
ENTROPY = one(entropy, [[0.2, 0.3, 0.5], [0.1, 0.4, 0.2, 0.3]])


def sum_columns(*, x):
    return float(np.abs(x).sum(axis=0).max())


FALSE = {
    "mean and median": ([SOME], lambda *, x: 0.6 * float(np.std(x)), GAP),
    "entropy of four": ([DISTRIBUTION], lambda *, x: float(np.log(4)), ENTROPY),
    "row sums": ([SQUARE], sum_columns, NORM),
    "largest minus mean": ([SOME], lambda *, x: 1.5 * float(np.std(x)), OUTLIER),
    "neighbours": ([SHARES, ONE_REPLACED], lambda *, x, z: 0.9 / len(x), MEANS),
}
TRUE = {
    "mean and median": ([SOME], lambda *, x: float(np.std(x)), GAP),
    "entropy": ([DISTRIBUTION], lambda *, x: float(np.log(len(x))), ENTROPY),
    "row sums": ([SYMMETRIC], sum_columns, NORM),
    "a variance that cancels": ([SOME], lambda *, x: float(np.ptp(x)) ** 2 / 4, CANCELS),
    "neighbours": ([SHARES, ONE_REPLACED], lambda *, x, z: 1 / len(x), MEANS),
}


@pytest.mark.parametrize("root", [0, 1])
@pytest.mark.parametrize("case", FALSE.values(), ids=FALSE)
def test_a_false_statement_about_arrays_falls(case, root):
    needs, right, given = case
    expect_a_fall(make(needs, right, **given), root)


@pytest.mark.parametrize("case", TRUE.values(), ids=TRUE)
def test_a_true_statement_about_arrays_stands(case):
    needs, right, given = case
    expect_all_to_hold(make(needs, right, **given))


def test_a_counterexample_is_short():
    needs, right, given = FALSE["largest minus mean"]
    assert len(look(make(needs, right, **given)).witness["asked"]["x"]) == 4  # the shortest: 1.5 < sqrt(n - 1)


@pytest.mark.parametrize(
    ("examples", "needed", "share"),
    [
        ([[0.2, 0.3, 0.5], [0.5, 0.5]], DISTRIBUTION, 0.5),
        ([np.array([[2.0, 1.0], [1.0, 2.0]])], SYMMETRIC, 0.5),
        ([[0.25, 1.0]], SHARES, 0.9),
    ],
)
def test_most_arrays_have_what_those_of_their_author_have(examples, needed, share, rng):
    known = arrays.find_arrays([needed], {"x": examples})
    drawn = [arrays.draw_arrays(known, rng)["x"] for _ in range(300)]
    assert sum(needed.holds(x) for x in drawn) > share * 300
    assert len({np.shape(x) for x in drawn}) > 5


def test_entries_are_those_that_a_predicate_allows_one_by_one(rng):
    binary = require("x has entries -1 and 1", lambda x: set(np.ravel(x)) <= {-1, 1})
    centred = require("x sums to 0", lambda x: abs(sum(x)) < 1e-9)
    assert arrays.find_arrays([SHARES], {"x": [[0.5]]})["x"].entries[:2] == (0, 1)
    assert arrays.find_arrays([binary], {"x": [[1, -1]]})["x"].entries.whole
    assert arrays.find_arrays([centred], {"x": [[1.0, -1.0]]})["x"].entries == Domain()


@pytest.mark.parametrize("example", [[1, 2], (0.5, 1.0), np.array([1.5]), np.array([1, 2]), [[1, 2], [3, 4]]])
def test_an_array_is_written_as_its_author_writes_hers(example, rng):
    known = arrays.Arrays((example,), Domain())
    for made in (known.draw(rng, 3, []), known.move(example, rng), known.jitter(example, rng)):
        assert type(made) is type(example) and np.ndim(made) == np.ndim(example)
    assert type(next(known.simpler(example)))


def test_arrays_draw_nothing_where_there_are_none():
    one, other = np.random.default_rng(0), np.random.default_rng(0)
    points.draw_setting({}, {}, one)
    assert one.random() == other.random()
