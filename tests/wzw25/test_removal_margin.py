"""The removal-margin curve of a user's file: interrupted anywhere, it continues to the same curve."""

import numpy as np
import pytest

from experiments.wzw25 import removal_margin
from experiments.wzw25.removal_margin import data_digest, removal_margin_curve, saved_steps, show


@pytest.fixture
def features(tmp_path):
    """A file as a user would make it: two overlapping clusters."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, -1], 20)
    X = 0.3 * rng.normal(size=(40, 3)) + 0.25 * y[:, None]
    path = tmp_path / "features.npz"
    np.savez(path, X=X / np.linalg.norm(X, axis=1).max(), y=y)
    return path


class Interrupted(Exception):
    pass


def test_a_curve_that_is_cut_short_goes_on(features, tmp_path, monkeypatch, capsys):
    show(str(features), 0.3, tmp_path)
    whole = capsys.readouterr().out
    save = removal_margin.save_steps

    def stopping(path, steps, X, y):
        save(path, steps, X, y)
        if len(steps) == 4:
            raise Interrupted

    monkeypatch.setattr(removal_margin, "save_steps", stopping)
    with pytest.raises(Interrupted):
        show(str(features), 0.3, tmp_path)
    monkeypatch.setattr(removal_margin, "save_steps", save)
    assert len(list(tmp_path.glob("removal_margin-*.npz"))) == 1
    capsys.readouterr()
    show(str(features), 0.3, tmp_path)
    assert capsys.readouterr().out == whole
    assert not list(tmp_path.glob("removal_margin-*.npz"))


def test_steps_survive_the_checkpoint(tmp_path):
    rng = np.random.default_rng(6)
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
