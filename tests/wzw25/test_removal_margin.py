"""The removal-margin curve: every step from the definitions, and of a user's file, interrupted anywhere."""

from dataclasses import replace
from unittest.mock import DEFAULT, Mock, patch

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from lemmata.experiments.wzw25 import removal_margin
from lemmata.experiments.wzw25.removal_margin import (
    BANDWIDTH,
    broken_property,
    data_digest,
    main,
    records,
    removal_margin_curve,
    saved_steps,
    show,
    soft_margin_svm,
)
from tests.wzw25.records import cloud


@pytest.fixture
def features(tmp_path):
    """A file as a user would make it: two overlapping clusters."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, -1], 20)
    X = 0.3 * rng.normal(size=(40, 3)) + 0.25 * y[:, None]
    path = tmp_path / "features.npz"
    np.savez(path, X=X / np.linalg.norm(X, axis=1).max(), y=y)
    return path


def test_a_curve_that_is_cut_short_goes_on(features, tmp_path, capsys):
    show(str(features), 0.3, tmp_path)
    whole = capsys.readouterr().out
    save = Mock(wraps=removal_margin.save_steps, side_effect=[*[DEFAULT] * 4, KeyboardInterrupt])
    with patch.object(removal_margin, "save_steps", save), pytest.raises(KeyboardInterrupt):
        show(str(features), 0.3, tmp_path)
    assert len(list(tmp_path.glob("removal_margin-*.npz"))) == 1
    capsys.readouterr()
    show(str(features), 0.3, tmp_path)
    assert capsys.readouterr().out == whole
    assert not list(tmp_path.glob("removal_margin-*.npz"))


def test_steps_survive_the_checkpoint(tmp_path, rng):
    X, y = rng.normal(size=(12, 2)), rng.choice([-1.0, 1.0], size=12)
    kept = []
    removal_margin_curve(X, y, removed=0.5, batch=2, on_step=lambda steps: kept.__setitem__(slice(None), steps))
    path = tmp_path / "steps.npz"
    removal_margin.save_steps(path, kept, X, y)
    again = saved_steps(path, X, y)
    assert [list(step.removed) for step in again] == [list(step.removed) for step in kept]
    resumed = removal_margin_curve(X, y, removed=0.5, batch=2, steps=again[:1])
    assert np.array_equal(resumed.left, removal_margin_curve(X, y, removed=0.5, batch=2).left)


def test_a_checkpoint_of_other_data_is_refused(tmp_path):
    X, y = np.eye(3), np.ones(3)
    kept = []
    removal_margin_curve(X, y, removed=0.5, on_step=kept.append)
    removal_margin.save_steps(tmp_path / "s.npz", kept[-1], X, y)
    assert data_digest(X, y) != data_digest(2 * X, y)
    with pytest.raises(ValueError, match="belongs to other data"):
        saved_steps(tmp_path / "s.npz", 2 * X, y)


@pytest.mark.parametrize(("data", "count"), [("digits:3-8", 0), ("digits:3-8", 10), ("breast_cancer", 10)])
def test_the_curve_is_that_of_the_definitions(data, count):
    X, y = records(data, count)
    curve = removal_margin_curve(X, y, removed=0.05)
    assert broken_property(curve, X, y) is None
    assert len(curve.fraction) == 1 + int(0.05 * len(X)) and curve.fraction[0] == 0
    assert len(curve.left) == len(X) - len(curve.fraction) + 1
    assert np.isin(curve.removed[:-1], curve.left).sum() == 0 and curve.removed[-1] == -1


def test_the_curve_starts_at_zero_if_nothing_separates():
    X, y = records("digits:3-8", 10)
    curve = removal_margin_curve(X, y, removed=0.1)
    assert curve.recorded[0] == 0 and curve.best_low[0] == 0 and curve.best_high[0] < 1e-12
    assert curve.recorded[-1] > 0 and curve.margin.separable


@pytest.mark.parametrize("change", ["recorded", "best_high", "best_low", "removed", "left"])
def test_a_tampered_curve_is_noticed(change):
    """Negative control, field by field."""
    X, y = records("digits:3-8", 0)
    curve = removal_margin_curve(X, y, removed=0.02)
    values = getattr(curve, change).copy()
    if change == "removed":
        values[:2] = values[1::-1]
    elif change == "left":
        values = values[1:]
    else:
        values[2] = {"recorded": values[2] * 1.001, "best_high": 0.0, "best_low": 1.0}[change]
    assert broken_property(replace(curve, **{change: values}), X, y) is not None


def test_removing_all_of_a_symmetric_set_ends():
    """Opposite records with w = 0, and a single one left: no endless loop, no division by zero."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]), np.ones(3)
    curve = removal_margin_curve(X, y, removed=0.9)
    assert len(curve.left) == 1 and (curve.recorded >= 0).all()


def test_a_users_features_get_their_curve(tmp_path, capsys):
    X, y = cloud(2, 40, 3, shift=1.0)
    np.savez(tmp_path / "mine.npz", X=X / 10, y=y)
    main(["--features", str(tmp_path / "mine.npz")])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6 and lines[1].split()[0] == "0.00"


@pytest.mark.parametrize(
    ("arguments", "message"), [(["--features", "nowhere.npz"], "does not exist"), (["--features"], "usage")]
)
def test_a_bad_request_gets_one_line(arguments, message, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    output = capsys.readouterr()
    assert stopped.value.code == 2 and message in output.err and output.err.count("\n") == 1 and not output.out


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_soft_margin_against_liblinear(C):
    X, y = cloud(1, 80, 5, shift=0.5)
    other = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-10, max_iter=10**6, random_state=0).fit(X, y)

    def objective(w):
        return w @ w / 2 + C * np.maximum(0, 1 - y * (X @ w)).sum()

    assert objective(soft_margin_svm(X, y, C)) == pytest.approx(objective(other.coef_[0]), rel=1e-6)


def test_random_features_are_public():
    """Same number, same frequencies, whatever the data; all images have norm 1."""
    X, y = records("digits:3-8", 10)
    assert X.shape == (357, 20) and np.linalg.norm(X, axis=1) == pytest.approx(1)
    assert BANDWIDTH == 0.5 and np.array_equal(y, records("digits:3-8", 0)[1])
