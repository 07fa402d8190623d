"""Every default `fit` with exact noise, to the last bit: what it releases is a function of its noisy sums alone."""

import inspect
import pkgutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from lemmata import mechanisms
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.claims.places import find_mechanism
from lemmata.mechanisms import hardening
from lemmata.mechanisms.estimators import margin_classifier
from lemmata.mechanisms.estimators.margin_classifier import (
    AdaptiveMargin,
    MarginClassifier,
    NoisyGD,
    ProjectedGD,
    TunedMargin,
)
from lemmata.mechanisms.estimators.private_classifier import PrivateClassifier
from lemmata.mechanisms.estimators.search import PrivateSearchCV
from lemmata.mechanisms.law import generator
from lemmata.mechanisms.learners.descent import adaptive_margin, known_margin, noisy_gd, private_tuning, projected_gd
from lemmata.mechanisms.noise import grid_sums
from lemmata.mechanisms.numerics.entropy import SystemGenerator
from lemmata.mechanisms.privacy import GaussianDP
from tests.streams import streams

registry.load()
rng = streams("exact_noise")
X = rng("data").normal(size=(60, 5)) / 3
Y = np.where(X[:, 0] > 0.05, 1.0, -1.0)
BUDGET = {"epsilon": 1.0, "delta": 1e-5}


def estimator(kind, **fixed):
    def release(X, y, noise):
        return kind(**fixed, classes=(-1.0, 1.0), random_state=3, noise=noise).fit(X, y).coef_

    return release


def function(fit, **fixed):
    return lambda X, y, noise: fit(X, y, **BUDGET, **fixed, noise=noise, rng=np.random.default_rng(3)).weights


FITS = {
    "MarginClassifier": estimator(MarginClassifier),
    "NoisyGD": estimator(NoisyGD),
    "ProjectedGD": estimator(ProjectedGD, k=3),
    "AdaptiveMargin": estimator(AdaptiveMargin),
    "TunedMargin": estimator(TunedMargin),
    "PrivateSearchCV": estimator(PrivateSearchCV),
    "PrivateSearchCV(MarginClassifier)": estimator(
        PrivateSearchCV, estimator=MarginClassifier(ranges=None), param_grid={}
    ),
    "noisy_gd": function(noisy_gd.fit, width=0.3),
    "noisy_gd, logistic": function(noisy_gd.fit, width=0.3, loss="logistic"),
    "noisy_gd, average": function(noisy_gd.fit, width=0.3, output="average", steps=4),
    "projected_gd": function(projected_gd.fit, width=0.3),
    "known_margin": function(known_margin.fit, margin=0.3),
    "adaptive_margin": function(adaptive_margin.fit),
    "adaptive_margin, batches": function(adaptive_margin.fit, steps="sampled"),
    "private_tuning": function(private_tuning.fit, beta=0.5),
}


def neighbours():
    """One record replaced: by its opposite, by low bits, by what is huge, tiny or no number; and all of them."""
    for row in (-X[7], np.nextafter(X[7], 9), np.full(5, 1.7e308), np.full(5, 1e-320), np.full(5, np.nan), np.zeros(5)):
        other = X.copy()
        other[7] = row
        yield other, Y
    yield X, np.where(np.arange(60) == 7, -Y, Y)
    yield rng("other").normal(size=X.shape), -Y


class Recorder:
    """Records what passes the one gate from records to releases; told to replay, hands it out whatever comes in."""

    def __init__(self, monkeypatch):
        self.passed, self.again, self.off_grid = [], None, 0
        original = grid_sums.GridNoise.add

        def add(noise, sums):
            self.off_grid += int((sums % noise.grid != 0).sum())
            noisy = original(noise, sums)
            if self.again is not None:
                noisy[...] = next(self.again)
            self.off_grid += int((noisy % noise.grid != 0).sum())
            self.passed.append(noisy.copy())
            return noisy

        monkeypatch.setattr(grid_sums.GridNoise, "add", add)


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_a_release_is_a_function_of_its_noisy_sums(fit, monkeypatch):
    """Given those of one dataset, any other of its shape releases the same bits; all lie on grids that are public.

    A rounded normal has every whole number in its support, so what is possible from one dataset is from every other.
    """
    gate = Recorder(monkeypatch)
    first = fit(X, Y, "exact")
    kept = list(gate.passed)
    assert kept and gate.off_grid == 0
    for records, labels in neighbours():
        gate.again = iter(kept)
        assert fit(records, labels, "exact").tobytes() == first.tobytes()
        assert next(gate.again, None) is None


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_float_noise_passes_no_gate_and_tells(fit, monkeypatch):
    gate = Recorder(monkeypatch)
    assert fit(X, Y, "float").tobytes() != fit(-X, Y, "float").tobytes()
    assert gate.passed == []


def test_noise_on_a_coarser_grid_than_the_sums_is_caught(monkeypatch):
    """The planted mistake: coefficients of a smooth loss off the grid of the noise."""
    monkeypatch.setattr(noisy_gd, "coefficient_bits", lambda n: 0)
    gate = Recorder(monkeypatch)
    FITS["noisy_gd, logistic"](X, Y, "exact")
    assert gate.off_grid > 0


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


def test_rows_on_the_grid_are_never_longer_than_the_radius():
    for radius in (0.3, 1.0, 7.0, 1e-90, 1e90):
        step = grid_sums.grid_for(radius)
        records = rng("rows").normal(size=(200, 9))
        clipped = records * (radius / np.linalg.norm(records, axis=1, keepdims=True))
        whole = (grid_sums.grid_rows(clipped, radius) / step).astype(int)
        most = (Fraction(radius) / Fraction(step)) ** 2
        assert (np.abs(whole) < 2**20).all() and all(sum(int(a) ** 2 for a in row) <= most for row in whole)
        nearest = np.rint(clipped / step).astype(int)
        assert any(sum(int(a) ** 2 for a in row) > most for row in nearest)  # what rounding up would add


def test_too_many_rows_and_too_small_budgets_are_named():
    with pytest.raises(ValueError, match=r"X has 8589934593 rows"):
        grid_sums.coefficient_bits(2**33 + 1)
    with pytest.raises(ValueError, match="needs noise = 'float'"):
        noisy_gd.fit(X, Y, **BUDGET, width=0.3, precision="single")
    with pytest.raises(ValueError, match="noise = 'fast' is not one of exact, float"):
        MarginClassifier(noise="fast").fit(X, Y)
    law = noisy_gd.law(X, Y, privacy=GaussianDP(1e-9), width=0.3, noise="exact")
    with pytest.raises(ValueError, match="the budget is too small for exact noise"):
        law.sample(rng("small"))


def test_without_a_seed_every_bit_is_the_system_s():
    source = generator(None)
    assert isinstance(source, SystemGenerator) and all(isinstance(one, SystemGenerator) for one in source.spawn(2))
    drawn = source.random(20_000)
    assert abs(drawn.mean() - 0.5) < 6 * np.sqrt(1 / 12 / 20_000)
    assert len(np.unique(np.concatenate([SystemGenerator().integers(2**62, size=100) for _ in range(3)]))) == 300
    assert abs(source.normal(size=20_000).std() - 1) < 0.05


def test_the_table_says_what_the_defaults_are():
    """Every learner of the package has a line; "exact" is what its `fit` takes, or all that it has."""
    learners = {kind.__name__: kind for kind in vars(margin_classifier).values() if isinstance(kind, type)}
    learners = {name: kind for name, kind in learners.items() if issubclass(kind, PrivateClassifier)}
    bases = {"PrivateClassifier", "ApproximateClassifier", "ExactClassifier"}
    for name, kind in (learners | {"PrivateSearchCV": PrivateSearchCV}).items():
        if name not in bases:
            assert hardening.answer(name).noise == kind().get_params().get("noise", "exact") == "exact", name
    for line in hardening.TABLE:
        assert line.row in CLAIMS, line.row
        for name in line.names:
            if name in learners or name in ("PrivateSearchCV", "PrivateScaler"):
                continue
            module = find_mechanism(name)
            noise = inspect.signature(module.fit).parameters.get("noise") if hasattr(module, "fit") else None
            assert noise is None or noise.default == line.noise == "exact", name


def test_the_table_knows_every_module_with_a_fit():
    named = {name for line in hardening.TABLE for name in line.names}
    for entry in pkgutil.iter_modules(mechanisms.__path__):
        module = find_mechanism(entry.name)
        assert not inspect.isfunction(getattr(module, "fit", None)) or entry.name in named, entry.name


def test_the_readme_says_what_the_table_says():
    text = (Path(__file__).parents[3] / "README.md").read_text()
    section = text.partition("## What is hardened")[2].partition("\n## ")[0]
    assert "Every `fit` and every estimator releases exactly by default" in section
    assert all(line.noise == "exact" for line in hardening.TABLE)
    for name in {each for line in hardening.TABLE for each in line.names if each[0].isupper()}:
        assert f"`{name}`" in section, name
