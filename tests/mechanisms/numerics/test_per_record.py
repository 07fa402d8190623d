"""How an entry is read never depends on another one: `lemmata.mechanisms.numerics.per_record`."""

import array
import warnings
from collections import UserList, deque

import numpy as np
import pandas as pd
import pytest

from lemmata import MarginClassifier, NoisyGD, PrivateRidge, PrivateScaler, private_histogram, private_mean
from lemmata.mechanisms.learners.glm import glm_losses
from lemmata.mechanisms.numerics import arguments
from lemmata.mechanisms.numerics.per_record import entries_to_floats
from lemmata.mechanisms.tables.inputs import as_label_column, as_table, objects_to_floats
from tests.mechanisms.nasty import objects

N = 6
Y = np.resize([0, 1], N)


class Loud:
    """A number that warns whenever it is read."""

    def __float__(self):
        warnings.warn("read", stacklevel=1)
        return 1.0


SEQUENCES = {
    "Series": lambda value, size: pd.Series([value] * size),
    "Index": lambda value, size: pd.Index([value] * size),
    "nullable": lambda value, size: pd.array([value] * size),
    "array.array": lambda value, size: array.array("d", [value] * size),
    "range": lambda value, size: range(int(value), int(value) + size),
    "deque": lambda value, size: deque([value] * size),
    "memoryview": lambda value, size: memoryview(bytes([int(value)] * size)),
    "matrix": lambda value, size: np.ones((1, size)).view(np.matrix),
    "array": lambda value, size: np.array([value] * size),
    "list": lambda value, size: [value] * size,
    "frame": lambda value, size: pd.DataFrame({"a": [value] * size}),
    "set": lambda value, size: {value},
    "a warning": lambda value, size: Loud(),
    "complex": lambda value, size: np.complex128(value),
    "complex of no axis": lambda value, size: np.array(value + 1j),
}
OTHERS = [7.0, None, "text", [1.0, 2.0], 10**400, np.complex128(1j), pd.NA, np.ma.masked, object(), Loud()]


COLUMNS = {
    "list": lambda entries: [[entry] for entry in entries],
    "deque": lambda entries: deque([entry] for entry in entries),
    "frame": lambda entries: pd.DataFrame({"a": pd.Series(list(entries), dtype=object)}),
    "array": lambda entries: objects([[entry] for entry in entries]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("name", SEQUENCES)
def test_an_entry_is_read_alike_whatever_another_one_is(name, size, kind):
    """One number among sequences of one changed how all others are read; sequences of two ended in numpy's error."""
    usual = [SEQUENCES[name](1.0 + i, size) for i in range(N)]
    alone = np.asarray(as_table(COLUMNS[kind](usual[:1])))
    assert alone.shape == (1, 1) and np.isnan(alone) == (name != "a warning")
    for other in [usual[-1], *OTHERS]:
        read = np.asarray(as_table(COLUMNS[kind]([*usual[:-1], other])))
        assert read.shape == (N, 1)
        np.testing.assert_array_equal(read[:-1], np.tile(alone, (N - 1, 1)))


@pytest.mark.parametrize("usual", [pd.Series([1.0]), pd.Series([1.0, 2.0]), 3.0, np.complex128(1j)])
@pytest.mark.parametrize("learner", [PrivateScaler(), MarginClassifier(classes=(0, 1)), NoisyGD(classes=(0, 1))])
@pytest.mark.parametrize("other", OTHERS, ids=lambda one: type(one).__name__)
def test_no_fit_fails_or_warns_for_what_one_entry_holds(learner, other, usual):
    frame = pd.DataFrame({"a": np.arange(float(N)), "b": pd.Series([*[usual] * (N - 1), other], dtype=object)})
    fitted = learner.fit(frame, Y)
    seen = fitted.transform(frame) if hasattr(fitted, "transform") else fitted.predict(frame)
    assert len(seen) == N


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("other", [[1], (1,), np.array([1])])
def test_a_label_in_a_list_of_one_is_that_label_wherever_it_stands(place, other):
    """In the first place it ended in numpy's own words, and elsewhere not."""
    labels = [1, 0, 1, 0]
    labels[place] = other
    assert as_label_column(labels).tolist() == [1 if j == place else one for j, one in enumerate([1, 0, 1, 0])]
    NoisyGD(classes=(0, 1)).fit(np.zeros((4, 2)), labels)
    assert arguments.read_labels(labels).shape == (4,)


def test_labels_that_are_longer_lists_are_no_labels():
    assert arguments.read_labels([[1, 2], 1, [1], "1", [[1]]]).tolist() == [-1.0, 1.0, 1.0, 1.0, -1.0]
    kept = glm_losses.records(np.zeros((3, 1)), [2.0, [1.0, 2.0], None], loss="squared", radius=1.0, label_bound=4.0)
    assert kept.y.tolist() == [2.0, 0.0, 0.0]
    NoisyGD(classes=(0, 1)).fit(np.zeros((3, 2)), [[0, 1], 0, 1])


def test_lists_of_rows_are_read_by_entry():
    given = [[1, "2"], (3.0, [4]), np.array([5, 6]), pd.Series([7, 8]), range(9, 11), deque([11, None])]
    np.testing.assert_array_equal(
        arguments.as_float_array("X", given), [[1, 2], [3, np.nan], [5, 6], [7, 8], [9, 10], [11, np.nan]]
    )
    with pytest.raises(ValueError, match="X must have rows of equal length, got a list of unequal rows"):
        arguments.as_float_array("X", [[1, 2], [3]])


@pytest.mark.parametrize("value", [True, 3, 0.1, np.float32(0.1), np.int64(2**62 + 1), 2**64 + 1, np.bool_(True), -0.0])
def test_plain_numbers_are_read_alike_alone_and_beside_others(value):
    assert entries_to_floats([value])[0] == entries_to_floats([value, "x"])[0] == float(value)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("other", OTHERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("kind", [list, tuple, deque, UserList])
def test_every_sequence_without_a_type_is_read_as_a_list(kind, other):
    """numpy looked through a deque: one text or one list in it ended in an error, some of which quoted the records."""
    column, labels = kind([1.0, other, 0.0]), kind([1, other, 0])
    assert as_label_column(labels).tolist()[::2] == [1, 0] and len(arguments.read_labels(labels)) == 3
    assert np.ndim(private_mean(column, bounds=(0, 9), epsilon=1.0)) == 0
    assert private_mean(kind([(1, 2), (other, 3), other]), bounds=([0, 0], [9, 9]), epsilon=1.0).shape == (2,)
    assert len(private_histogram(column, categories=("a", "b"), epsilon=1.0)) == 2
    NoisyGD(classes=(0, 1)).fit(kind([(1, 2), (other, 3), (0, other)]), labels)
    PrivateRidge().fit(kind([(1, 2), (other, 3), (0, other)]), column)


def test_shapes_are_kept():
    assert objects_to_floats(np.empty((0, 3), dtype=object)).shape == (0, 3)
    assert objects_to_floats(np.full((2, 3), None, dtype=object)).shape == (2, 3)
    assert arguments.as_float_array("X", []).shape == (0,) and arguments.as_float_array("X", [[], []]).shape == (2, 0)
