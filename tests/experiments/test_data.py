"""Datasets in the unit ball: what every loader promises, and one clear line for every bad file."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from lemmata.experiments import data
from lemmata.mechanisms.numerics import arguments

# name, records, columns, share of +1
LOADED = [
    ("digits:3-8", 357, 64, 183 / 357),
    ("digits:0-1", 360, 64, 178 / 360),
    ("breast_cancer", 569, 31, 212 / 569),
    ("randhie", 20190, 10, 0.687568),
    ("fair", 6366, 9, 0.322495),
]


@pytest.mark.parametrize(("name", "records", "columns", "positive"), LOADED)
def test_loaders_keep_their_promises(name, records, columns, positive):
    X, y = data.load(name)
    assert X.shape == (records, columns)
    assert y.shape == (records,)
    assert (y > 0).mean() == pytest.approx(positive, abs=1e-6)
    assert np.linalg.norm(X, axis=1).max() <= 1 + 1e-12
    assert set(y) == {-1.0, 1.0}
    assert not X.flags.writeable and not y.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        X[0, 0] = 0
    again, _ = data.load(name)
    assert np.array_equal(X, again)


def test_every_possible_digit_image_is_in_the_ball():
    """The bound holds by construction, not because the images at hand are pale."""
    images, labels = load_digits(return_X_y=True)
    X, y = data.digits(3, 8)
    chosen = np.isin(labels, (3, 8))
    assert np.array_equal(X, images[chosen] / 128)
    assert np.array_equal(y > 0, labels[chosen] == 3)
    assert np.linalg.norm(np.full(64, 16) / 128) == 1


def test_preprocessing_looks_at_one_record_at_a_time():
    """Rows of a part of the table are the rows of the whole: no mean, range or scale is taken from the data."""
    table = load_breast_cancer().data
    ranges = [(0, upper[kind]) for kind in range(3) for upper in data.NUCLEI.values()]
    whole = data.in_ball(table, ranges)
    assert np.array_equal(data.in_ball(table[100:103], ranges), whole[100:103])
    assert np.array_equal(data.breast_cancer()[0], arguments.clip_rows(whole, 1.0))


def test_a_value_outside_its_range_is_clipped():
    inside, outside = data.in_ball([[0, 5.0]], [(0, 1), (0, 5)]), data.in_ball([[-3, 1e9]], [(0, 1), (0, 5)])
    assert np.array_equal(inside, outside)
    assert np.linalg.norm(inside) == pytest.approx(1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_a_users_file_comes_back_in_the_ball(tmp_path, dtype):
    X, y = np.array([[3, 4], [0, 0], [1, 0]], dtype=dtype), np.array([1, -1, 1])
    np.savez(tmp_path / "mine.npz", X=X, y=y)
    loaded, labels = data.load(str(tmp_path / "mine.npz"))
    assert loaded == pytest.approx(np.array([[0.6, 0.8], [0, 0], [1, 0]]))
    assert labels.tolist() == [1, -1, 1]


X, Y = np.array([[0.1, 0.2], [0.3, 0.4]]), np.array([1, -1])
HOLED = np.array([[0.1, 0.2], [np.nan, 0.4]])
BAD_ARRAYS = [
    ({"X": HOLED, "y": Y}, "X has 1 rows with entries that are not finite, the first at 1"),
    ({"X": np.full((2, 2), np.inf), "y": Y}, "X has 2 rows"),
    ({"X": np.empty((0, 2)), "y": np.empty(0)}, r"X has shape \(0, 2\)"),
    ({"X": np.empty((2, 0)), "y": Y}, r"X has shape \(2, 0\)"),
    ({"X": np.zeros(3), "y": np.zeros(3)}, r"X has shape \(3,\)"),
    ({"X": X, "y": np.array([1, -1, 1])}, r"y has shape \(3,\), not \(2,\)"),
    ({"X": X, "y": np.array([0, 1])}, r"y has entries outside \{-1, \+1\}"),
    ({"X": X, "y": np.array([1, np.nan])}, r"y has entries outside \{-1, \+1\}"),
    ({"X": X, "y": np.array([1, 1])}, r"y has the one class \+1"),
    ({"X": X}, "no array y"),
    ({"Z": X}, "no array X and no y"),
    ({"X": np.array([["a", "b"]]), "y": np.array([1])}, "array X has entries of type <U1"),
    ({"X": np.array([[None]], dtype=object), "y": np.array([1])}, "not an .npz file"),
]


@pytest.mark.parametrize(("arrays", "message"), BAD_ARRAYS)
def test_bad_arrays_get_one_line(tmp_path, arrays, message):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match=message) as caught:
        data.features(tmp_path / "bad.npz")
    assert "\n" not in str(caught.value)
    assert "0.3" not in str(caught.value)  # no entry of the data


@pytest.mark.parametrize("content", [b"", b"not a zip file", b"PK\x03\x04 torn"])
def test_a_broken_file_gets_one_line(tmp_path, content):
    (tmp_path / "broken.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"broken\.npz' is not an \.npz file") as caught:
        data.load(str(tmp_path / "broken.npz"))
    assert "\n" not in str(caught.value)


def test_files_that_are_missing_or_hold_one_array_get_one_line(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere\.npz' does not exist"):
        data.load(str(tmp_path / "nowhere.npz"))
    with pytest.raises(ValueError, match=r"is not an \.npz file"):
        data.features(tmp_path)
    np.save(tmp_path / "single.npy", X)
    with pytest.raises(ValueError, match="single array"):
        data.features(tmp_path / "single.npy")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("digits:3-3", "b = 3 is the same digit"),
        ("digits:3", "name = 'digits:3' is not digits:A-B"),
        ("digits:3-12", "name = 'digits:3-12' is not"),
        ("cifar10", "name = 'cifar10' is not"),
        ("", "name = '' is not"),
    ],
)
def test_unknown_names_get_one_line(name, message):
    with pytest.raises(ValueError, match=message):
        data.load(name)


@pytest.mark.parametrize(("a", "b"), [(10, 1), (1, -1), (2.5, 1)])
def test_digits_outside_their_range(a, b):
    with pytest.raises(ValueError, match=r"is not a digit 0\.\.9"):
        data.digits(a, b)
