"""What exact noise rests on: sums in any order, grids, the system's entropy, and the table of what is exact."""

import inspect
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from lemmata import GaussianDP, MarginClassifier
from lemmata.mechanisms import hardening
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.noise import grid_sums
from lemmata.mechanisms.numerics.arguments import resolve_generator
from lemmata.mechanisms.numerics.entropy import SystemGenerator
from tests.claims import CLAIMS
from tests.mechanisms.estimators.learners import KINDS
from tests.streams import streams

rng = streams("exact_noise")
X = rng("data").normal(size=(60, 5)) / 3
Y = np.where(X[:, 0] > 0.05, 1.0, -1.0)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_sums_do_not_depend_on_the_order_of_the_records(loss):
    records = rng("sums").normal(size=(3000, 7))
    law = noisy_gd.law(records, np.ones(3000), privacy=GaussianDP(1.0), width=0.2, steps=1, loss=loss, noise="exact")
    w = rng("w").normal(size=(7, 3))
    weights = law.coefficients(w)
    order = rng("order").permutation(3000)
    np.testing.assert_array_equal(law.Z.T @ weights, law.Z[order].T @ weights[order])
    exactly = sum(Fraction(c) * Fraction(z) for c, z in zip(weights[:, 0], law.Z[:, 0], strict=True))
    assert Fraction(float((law.Z.T @ weights)[0, 0])) == exactly


@pytest.mark.parametrize("n", [10, 1000, 2**30])
def test_coefficients_are_rounded_down_to_few_places(n):
    given = rng("coefficients").random(500)
    found, step = grid_sums.round_towards_zero(given.copy(), n), 2.0 ** -grid_sums.count_coefficient_bits(n)
    assert (found <= given).all() and (given < found + step).all() and (found / step == np.round(found / step)).all()


@pytest.mark.parametrize("store", [np.array, csr_array])
@pytest.mark.parametrize("noise", ["exact", "float"])
def test_sparse_rows_are_clipped_as_dense_ones(noise, store):
    rows, _ = grid_sums.clip_and_round_rows(store([[3.0, 4.0], [0.0, 0.25]]), 1.0, noise)
    dense = rows.toarray() if store is csr_array else rows
    np.testing.assert_allclose(dense, [[0.6, 0.8], [0.0, 0.25]], atol=1e-5)


def test_exact_sums_have_a_largest_number_of_records(monkeypatch):
    monkeypatch.setattr(grid_sums, "EXACT", grid_sums.BITS + 2)
    rows = np.full((5, 1), 0.5)
    with pytest.raises(ValueError, match=r"X has 5 rows, more than 2\^2"):
        grid_sums.clip_and_round_rows(rows, 1.0, "exact")
    assert grid_sums.clip_and_round_rows(rows, 1.0, "float")[0].shape == (5, 1)


@pytest.mark.parametrize("radius", [0.3, 1.0, 7.0, 1e-90, 1e90])
def test_rows_on_the_grid_are_never_longer_than_the_radius(radius):
    step = grid_sums.grid_for(radius)
    records = rng("rows").normal(size=(200, 9))
    clipped = records * (radius / np.linalg.norm(records, axis=1, keepdims=True))
    whole = (grid_sums.round_rows(clipped, radius) / step).astype(int)
    most = (Fraction(radius) / Fraction(step)) ** 2
    assert (np.abs(whole) < 2**20).all() and all(sum(int(a) ** 2 for a in row) <= most for row in whole)
    nearest = np.rint(clipped / step).astype(int)
    assert any(sum(int(a) ** 2 for a in row) > most for row in nearest)  # what rounding up would add


def exact_descent(mu, **options):
    return noisy_gd.law(X, Y, privacy=GaussianDP(mu), width=0.3, noise="exact", **options)


@pytest.mark.parametrize(
    "asked, message",
    [
        (lambda: grid_sums.count_coefficient_bits(2**33 + 1), r"X has 8589934593 rows"),
        (lambda: exact_descent(1.0, precision="single"), "requires noise = 'float'"),
        (lambda: MarginClassifier(noise="fast").fit(X, Y), "noise must be one of exact, float, got 'fast'"),
        (lambda: exact_descent(1e-9).sample(rng("small")), "the budget is too small for exact noise"),
    ],
)
def test_too_many_rows_and_too_small_budgets_are_named(asked, message):
    with pytest.raises(ValueError, match=message):
        asked()


def test_without_a_seed_every_bit_is_the_system_s():
    source = resolve_generator(None)
    assert isinstance(source, SystemGenerator) and all(isinstance(one, SystemGenerator) for one in source.spawn(2))
    assert abs(source.random(20_000).mean() - 0.5) < 6 * np.sqrt(1 / 12 / 20_000)
    assert len(np.unique(np.concatenate([SystemGenerator().integers(2**62, size=100) for _ in range(3)]))) == 300
    assert abs(source.normal(size=20_000).std() - 1) < 0.05


@pytest.mark.record
def test_the_table_says_what_the_defaults_are():
    """Every line has a row; "exact" is what every estimator takes, and what a release of a law asks for."""
    for line in hardening.TABLE:
        assert line.row in CLAIMS and line.noise == "exact", line.row
        for one in line.estimators:
            assert KINDS[one.name]().get_params().get("noise", "exact") == hardening.find_line(one.name).noise, one.name
    assert inspect.signature(fit).parameters["noise"].default == "exact"


def test_the_readme_says_what_the_table_says():
    text = (Path(__file__).parents[3] / "README.md").read_text()
    section = text.partition("## What is hardened")[2].partition("\n## ")[0]
    assert "Every `fit` and every estimator releases exactly by default" in section
    named = set(re.findall(r"`([A-Z]\w+)`", section))
    assert named and named <= {one.name for one in hardening.ESTIMATORS}
