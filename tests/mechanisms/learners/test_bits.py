"""The bit-level audit of every default `fit` and estimator: what it releases is a function of what passed its gates.

A gate is where private numbers meet noise: sums, values and minimisers that are rounded to a public grid, and choices
of an index. What comes out has a support that does not depend on the data, every point of a grid or every candidate.
Given what came out on one dataset, a fit on any other of its shape must release the same bits. A fit that is in no line
below, or draws elsewhere, fails.
"""

import inspect
import pkgutil
from functools import partial

import numpy as np
import pytest

from lemmata import mechanisms
from lemmata.experiments.engine.claims.places import find_mechanism
from lemmata.mechanisms import hardening
from lemmata.mechanisms.estimators import margin_classifier, scaling, search
from lemmata.mechanisms.learners.erm import objective_perturbation, output_perturbation, phased_sgd
from lemmata.mechanisms.noise import discrete_gaussian, grid_gaussian, grid_sums, laplace, snapping
from lemmata.mechanisms.privacy import GaussianDP, PureDP
from lemmata.mechanisms.selection import exponential, report_noisy_max
from tests.mechanisms.test_fuzz import built
from tests.mechanisms.valid_calls import TABLE
from tests.streams import streams

rng = streams("bits")
ROWS = rng("rows").normal(size=(12, 2)) / 2
LABELS = np.where(ROWS[:, 0] > 0.1, 1.0, -1.0)
VALUES = ("value", "scores")  # arguments that are private, where there are no records


def exact_learner(X, y, *, privacy, rho=0.5, beta=0.1):
    return phased_sgd.law(X, y, privacy=privacy, rho=rho, radius=1.0, norm_bound=1.0, noise="exact")


def of_function(fit):
    given = built(TABLE[fit])
    changed = {"learner": exact_learner} if "learner" in given else {}
    changed |= {"candidates": 2} if "candidates" in given else {}
    private = [name for name in VALUES if name in given]

    def release(X, y, **noise):
        fresh = built(TABLE[fit]) | changed | noise | {"rng": np.random.default_rng(3)}
        if private:
            return fit(**fresh | {private[0]: np.clip(X[0], -9.0, 9.0)})
        return fit(**fresh | {name: one for name, one in (("X", X), ("y", y)) if name in fresh})

    return release


def of_estimator(kind, **parameters):
    return lambda X, y, **noise: kind(**parameters, **noise, classes=(-1.0, 1.0), random_state=3).fit(X, y).model_


ESTIMATORS = {name for line in hardening.TABLE for name in line.names if name[0].isupper()}
FITS = {}
for entry in pkgutil.iter_modules(mechanisms.__path__):
    module = find_mechanism(entry.name)
    if inspect.isfunction(getattr(module, "fit", None)):
        FITS[entry.name] = of_function(module.fit)
for name in sorted(ESTIMATORS - {"PrivateSearchCV", "PrivateScaler"}):
    FITS[name] = of_estimator(getattr(margin_classifier, name))
for kind in (
    margin_classifier.NoisyGD,
    margin_classifier.PhasedSGD,
    margin_classifier.PrivateSVM,
    margin_classifier.PureMargin,
):
    FITS[f"PrivateSearchCV({kind.__name__})"] = of_estimator(search.PrivateSearchCV, estimator=kind(), param_grid={})
FITS["PrivateScaler"] = lambda X, y, **noise: np.concatenate(
    [getattr(scaling.PrivateScaler(random_state=3, **noise).fit(X), name) for name in ("center_", "scale_")]
)
FITS["ProjectedGD, projected"] = of_estimator(margin_classifier.ProjectedGD, k=1)
FITS["EfficientMargin, k = 2"] = of_estimator(margin_classifier.EfficientMargin, k=2)
FITS["objective_perturbation, pure"] = partial(
    lambda X, y, **noise: objective_perturbation.fit(X, y, epsilon=1.0, C=1.0, rng=np.random.default_rng(3), **noise)
)
FITS["gaussian, wide"] = lambda X, y, **noise: mechanisms.gaussian.fit(
    X[0].clip(-9, 9), sensitivity=1.0, privacy=GaussianDP(1.0), rng=np.random.default_rng(3), **noise
)
FITS["report_noisy_max, many"] = lambda X, y, **noise: report_noisy_max.fit(
    X.ravel().clip(-9, 9), sensitivity=1.0, privacy=PureDP(1.0), rng=np.random.default_rng(3), **noise
)
# (owner, its gate, the public grid of what comes out: of the owner and the arguments)
GATES = (
    (grid_sums.GridNoise, "add", lambda noise, sums: noise.grid),
    (grid_gaussian.GridGaussianLaw, "sample", lambda law, *_: law.step),
    (grid_gaussian, "on_grid", None),
    (laplace.GridLaplace, "sample", lambda law, *_: law.grid),
    (discrete_gaussian.DiscreteGaussianLaw, "sample", lambda law, *_: law.grid),
    (snapping.SnappingLaw, "sample", None),
    (exponential.ExponentialLaw, "sample", lambda *_: 1),
    (report_noisy_max.GridNoisyMaxLaw, "sample", lambda *_: 1),
    (output_perturbation, "rounded", lambda rng, centre, spread, grid, kind: grid),
    (objective_perturbation.ObjectiveLaw, "_exactly", lambda law, *_: law.grid),
)


class Gates:
    """Records what comes out of the gates; told to replay, hands it out again whatever goes in."""

    def __init__(self, monkeypatch):
        self.passed, self.again, self.off_grid, self.inside = [], None, 0, 0
        for owner, name, grid in GATES:
            monkeypatch.setattr(owner, name, self.watched(getattr(owner, name), grid))

    def watched(self, original, grid):
        def gate(*given):
            self.inside += 1
            out = original(*given)
            self.inside -= 1
            if self.inside:  # a gate within a gate
                return out
            if self.again is not None:
                out[...] = next(self.again)
            self.passed.append(out.copy())
            if grid is not None:
                self.off_grid += int((np.asarray(out, dtype=float) % grid(*given) != 0).sum())
            return out

        return gate


def bits(released):
    """What is released, to the last bit."""
    parts = [
        getattr(released, name)
        for name in ("weights", "number", "margin", "coef_", "centre", "spread")
        if hasattr(released, name)
    ]
    found = parts or [released]
    return [np.asarray(one).tobytes() for part in found for one in (part if isinstance(part, tuple) else (part,))]


def neighbours():
    """One record replaced: by its opposite, by low bits, by what is huge, tiny or no number; a label; everything."""
    for row in (-ROWS[0], np.nextafter(ROWS[0], 9), [1.7e308, 1.7e308], [1e-320, 0.0], [np.nan, 1.0], [0.0, -0.0]):
        other = ROWS.copy()
        other[0] = row
        yield (np.nan_to_num(other) if np.isnan(row).any() else other), LABELS
    yield ROWS, np.where(np.arange(12) == 7, -LABELS, LABELS)
    yield rng("other").normal(size=ROWS.shape), -LABELS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_a_release_is_a_function_of_what_passed_the_gates(fit, monkeypatch):
    gates = Gates(monkeypatch)
    first = bits(fit(ROWS, LABELS))
    kept = list(gates.passed)
    assert kept and gates.off_grid == 0
    for X, y in neighbours():
        gates.again = iter(kept)
        assert bits(fit(X, y)) == first
        assert next(gates.again, None) is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FITS)
def test_float_noise_passes_no_gate(name, monkeypatch):
    """Where "float" can be asked for, the audit above would fail: nothing that is private meets noise at a gate."""
    gates = Gates(monkeypatch)
    try:
        FITS[name](ROWS, LABELS, noise="float")
    except TypeError as error:
        assert "noise" in str(error)
        assert "noise" not in inspect.signature(getattr(module_of(name), "fit", lambda: None)).parameters
        return
    others = name == "confidence_boosting" or name.startswith("PrivateSearchCV(P")  # what they hold is exact
    assert others or not gates.passed


def module_of(name):
    found = name.partition(",")[0]
    return find_mechanism(found) if found.islower() else margin_classifier


def test_every_fit_and_every_line_is_audited():
    named = {name for line in hardening.TABLE for name in line.names}
    audited = {name.partition(",")[0].partition("(")[0] for name in FITS}
    with_fit = {name for name in named if name in FITS or name in ESTIMATORS}
    assert with_fit <= audited
    assert {line.noise for line in hardening.TABLE} == {"exact"}


@pytest.mark.parametrize(
    ("owner", "name", "leaky"),
    [
        (phased_sgd.grid_gaussian, "on_grid", lambda rng, value, sigma, bound: value + rng.normal(size=value.shape)),
        (grid_sums.GridNoise, "add", lambda noise, sums: sums + noise.rng.normal(size=sums.shape)),
        (laplace.GridLaplace, "sample", lambda law, rng, size=1: law.centre + rng.laplace(size=(size, 2))),
    ],
)
def test_float_noise_at_a_gate_is_caught(owner, name, leaky, monkeypatch):
    """The planted mistake: a gate that lets low bits of what comes in go out again."""
    monkeypatch.setattr(owner, name, leaky)
    gates = Gates(monkeypatch)
    for fit in ("phased_sgd", "noisy_gd", "private_svm"):
        FITS[fit](ROWS, LABELS)
    own = [out for out in gates.passed if out.size == 2]
    assert any((np.asarray(out, dtype=float) % 2.0**-45 != 0).any() for out in own)
