"""The privacy-utility curves on real records: the table, its reference solutions, and learners that are wrong."""

from math import log, sqrt

import numpy as np
import pytest

from lemmata.experiments.comparison import private_svms
from lemmata.experiments.figures.style import svg
from lemmata.mechanisms.features.random_features import profile
from lemmata.mechanisms.law import LinearModel
from lemmata.mechanisms.learners.erm import private_svm
from lemmata.mechanisms.privacy import PureDP


def exact(X, y, *, epsilon, rng):
    """Not private: the SVM itself."""
    return LinearModel(private_svm.solve(X, y, C=private_svms.C).weights, PureDP(epsilon))


def swapped(X, y, *, epsilon, rng):
    """Planted: every label the wrong way round."""
    return exact(X, -y, epsilon=epsilon, rng=rng)


def test_the_exact_svm_is_at_distance_zero_and_a_wrong_one_is_not():
    learners = {"exact": private_svms.Learner(exact, "linear"), "swapped": private_svms.Learner(swapped, "linear")}
    table = private_svms.measure("fair", n=200, repeats=2, levels=(1.0,), learners=learners, grid=50)
    values = table.set_index(["learner", "quantity", "repeat"])["value"]
    for repeat in range(2):
        assert values["exact", "distance", repeat] < 1e-6
        assert values["swapped", "distance", repeat] > 0.5
        assert values["exact", "error", repeat] == values["SVM, linear", "error", repeat]
        assert values["one answer", "error", repeat] < 0.5


def test_the_table_is_tidy_repeatable_and_shows_privacy_s_price(tmp_path):
    line = {"private": private_svms.LEARNERS["PrivateSVM-Finite"]}
    table = private_svms.measure("randhie", n=300, repeats=3, levels=(0.1, 100.0), learners=line, grid=50)
    assert list(table.columns) == ["dataset", "learner", "n", "epsilon", "repeat", "quantity", "value"]
    assert table.equals(private_svms.measure("randhie", n=300, repeats=3, levels=(0.1, 100.0), learners=line, grid=50))
    mean = table.groupby(["quantity", "epsilon"])["value"].mean()
    assert mean["distance", 0.1] > 20 * mean["distance", 100.0]
    assert (mean["distance"] < mean["printed"]).all()
    assert "randhie, n = 300" in svg(private_svms.plot_curves, table)


def test_random_features_are_compared_with_the_kernel_s_own_svm():
    line = {"random": private_svms.LEARNERS["PrivateSVM, 100 frequencies"]}
    table = private_svms.measure("fair", n=150, repeats=1, levels=(1e6,), learners=line, grid=50, held_out=100)
    distance = table.loc[table["quantity"] == "distance", "value"].item()
    assert 1e-3 < distance < 0.8  # no noise to speak of: what is left is the kernel's error


def test_the_factor_is_one_of_the_kernel():
    points = private_svms.lattice(5, 60, np.random.default_rng(0))
    V = private_svms.factor(points)
    gram = profile("gaussian", points[:, None] - points[None], bandwidth=private_svms.BANDWIDTH)
    assert np.abs(V @ V.T - gram).max() < 2e-5


def test_printed_accuracies_at_a_point():
    """4 C sqrt(F) / (beta n) times 2 (F ln 2 + ln 20), and 2^2.5 C sqrt(D) / (beta n) times 16 ln 2 sqrt(D)."""
    C = private_svms.C
    assert private_svms.printed_finite(500, 9, 2.0) == pytest.approx(4 * C * 3 / 1000 * 2 * (9 * log(2) + log(20)))
    noise = 2**2.5 * C * 10 / 1000
    assert private_svms.printed_noise(500, 4, 2.0, 100) == pytest.approx(noise * 16 * log(2) * sqrt(100))


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match=r"n must be in \[2, 6366\), got 7000"):
        private_svms.measure("fair", n=7000, repeats=1)
