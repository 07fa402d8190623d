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
    ({"X": HOLED, "y": Y}, r"bad\.npz: X must be finite, got 1 rows that are not, the first at 1"),
    ({"X": np.full((2, 2), np.inf), "y": Y}, r"bad\.npz: X must be finite, got 2 rows that are not, the first at 0"),
    ({"X": np.empty((0, 2)), "y": np.empty(0)}, r"bad\.npz: X must have shape \(n, d\) with n, d >= 1, got \(0, 2\)"),
    ({"X": np.empty((2, 0)), "y": Y}, r"bad\.npz: X must have shape \(n, d\) with n, d >= 1, got \(2, 0\)"),
    ({"X": np.zeros(3), "y": np.zeros(3)}, r"bad\.npz: X must have shape \(n, d\) with n, d >= 1, got \(3,\)"),
    ({"X": X, "y": np.array([1, -1, 1])}, r"bad\.npz: y must have shape \(2,\), got \(3,\)"),
    ({"X": X, "y": np.array([0, 1])}, r"bad\.npz: y must have entries in \{-1, \+1\} only"),
    ({"X": X, "y": np.array([1, np.nan])}, r"bad\.npz: y must have entries in \{-1, \+1\} only"),
    ({"X": X, "y": np.array([1, 1])}, r"bad\.npz: y must have two classes, got only \+1"),
    ({"X": X}, "no array y"),
    ({"Z": X}, "no array X and no y"),
    ({"X": np.array([["a", "b"]]), "y": np.array([1])}, r"path must be an.*, got '.*' \(its array X has type <U1\)"),
    ({"X": np.array([[None]], dtype=object), "y": np.array([1])}, r"path must be an \.npz file with.*, got '.*'"),
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
    with pytest.raises(ValueError, match=r"path must be an \.npz file with arrays X and y, got '.*") as caught:
        data.load(str(tmp_path / "broken.npz"))
    assert "\n" not in str(caught.value)


def test_a_folder_and_a_single_array_get_one_line(tmp_path):
    with pytest.raises(ValueError, match=r"path must be an \.npz file with arrays X and y, got '.*' \(\[Errno"):
        data.features(tmp_path)
    np.save(tmp_path / "single.npy", X)
    with pytest.raises(ValueError, match="single array"):
        data.features(tmp_path / "single.npy")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: data.load("nowhere.npz"), r"nowhere\.npz' does not exist"),
        (lambda: data.digits(10, 1), r"must be a digit 0\.\.9, got"),
        (lambda: data.digits(1, -1), r"must be a digit 0\.\.9, got"),
        (lambda: data.digits(2.5, 1), r"must be a digit 0\.\.9, got"),
        (lambda: data.load("digits:3-3"), "b must differ from a, got 3 for both"),
        (
            lambda: data.load("digits:3"),
            "name must be digits:A-B, breast_cancer, randhie, fair, or the path of an.*, got 'digits:3'",
        ),
        (
            lambda: data.load("digits:3-12"),
            "name must be digits:A-B, breast_cancer, randhie, fair, or the path.*, got 'digits:3-12'",
        ),
        (
            lambda: data.load("cifar10"),
            "name must be digits:A-B, breast_cancer, randhie, fair, or the path of an.*, got 'cifar10'",
        ),
        (
            lambda: data.load(""),
            r"name must be digits:A-B, breast_cancer, randhie, fair, or the path of an \.npz file, got ''",
        ),
    ],
)
def test_unknown_names_get_one_line(call, message):
    with pytest.raises(ValueError, match=message):
        call()
