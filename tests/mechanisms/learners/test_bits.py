"""The bit-level audit of a release of every law and estimator: what it releases is a function of what passed its gates.

A gate is where private numbers meet noise: sums, values and minimisers that are rounded to a public grid, and choices
of an index. What comes out has a support that does not depend on the data, every point of a grid or every candidate.
Given what came out on one dataset, a fit on any other of its shape must release the same bits. A law or an estimator
that draws elsewhere fails; those audited are the lines of `hardening.TABLE`.
"""

import numpy as np
import pytest

import lemmata
from lemmata import ApproxDP, PrivateSearchCV
from lemmata.experiments.engine.claims.places import find_mechanism
from lemmata.mechanisms import hardening
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.learners.erm import objective_perturbation, output_perturbation, phased_sgd, private_svm
from lemmata.mechanisms.learners.statistics import bounded_mean, histogram
from lemmata.mechanisms.noise import discrete_gaussian, gaussian, grid_gaussian, grid_sums, laplace, snapping
from lemmata.mechanisms.selection import exponential, report_noisy_max
from tests.mechanisms.estimators.learners import CLASSIFIERS
from tests.mechanisms.test_fuzz import built
from tests.mechanisms.valid_calls import EXACT, LAWS, TABLE, has_two_kinds
from tests.streams import streams

rng = streams("bits")
ROWS = rng("rows").normal(size=(12, 2)) / 2
LABELS = np.where(ROWS[:, 0] > 0.1, 1.0, -1.0)
VALUES = ("value", "values", "scores")  # arguments that are private, where there are no records


def exact_learner(X, y, *, privacy, rho=0.5, beta=0.1):
    return phased_sgd.law(X, y, privacy=privacy, rho=rho, radius=1.0, norm_bound=1.0, noise="exact")


def of_law(law, **changed):
    """A release of a law, as a person asks for it: exactly, unless told."""
    given = built(TABLE[law]) | changed
    given |= {"learner": exact_learner} if "learner" in given else {}
    private = [name for name in VALUES if name in given]

    def release(X, y, noise="exact"):
        if noise == "float" and not has_two_kinds(law):
            raise TypeError(f"{law.__module__} has no other noise")
        records = {private[0]: np.clip(X[0], -9.0, 9.0)} if private else {"X": X, "y": y}
        called = given | {name: one for name, one in records.items() if name in given}
        called |= {"noise": noise} if has_two_kinds(law) else {}
        return fit(law(**called), np.random.default_rng(3), noise=noise)

    return release


def of_estimator(kind, **parameters):
    return lambda X, y, **noise: kind(**parameters, **noise, classes=(-1.0, 1.0), random_state=3).fit(X, y).model_


ROUGH = {  # where the valid call asks for what exact noise does not have, or for a choice among too many
    "noisy_gd": {"loss": "hinge"},
    "report_noisy_max": EXACT[report_noisy_max.law],
    "margin_selection": {"privacy": ApproxDP(1.0, 1e-3)},
}
FITS = {
    name: of_law(getattr(module, "margin_law", None) or module.law, **ROUGH.get(name, {}))
    for name, module in ((name, find_mechanism(name)) for line in hardening.TABLE for name in line.laws)
}
ALONE = [kind for kind in CLASSIFIERS if kind is not PrivateSearchCV]
# What these hold is exact, whatever noise is asked of them: learners without another noise.
EXACT_INSIDE = {"confidence_boosting"}
EXACT_INSIDE |= {f"PrivateSearchCV({kind.__name__})" for kind in ALONE if "noise" not in kind().get_params()}
FITS |= {kind.__name__: of_estimator(kind) for kind in ALONE}
FITS |= {
    f"PrivateSearchCV({kind.__name__})": of_estimator(PrivateSearchCV, estimator=kind(), param_grid={})
    for kind in ALONE
    if kind.release_kind and kind is not lemmata.ProjectedGD and kind is not lemmata.MarginClassifier
}
FITS["PrivateScaler"] = lambda X, y, **noise: np.concatenate(
    [getattr(lemmata.PrivateScaler(random_state=3, **noise).fit(X), name) for name in ("center_", "scale_")]
)
FITS["MarginClassifier, balanced"] = of_estimator(lemmata.MarginClassifier, class_weight="balanced", probability=True)
FITS["PrivateRidge"] = lambda X, y: lemmata.PrivateRidge(random_state=3).fit(X, y).model_
FITS["bounded_mean, Gaussian"] = of_law(bounded_mean.law, privacy=ApproxDP(1.0, 1e-3))
FITS["histogram, Gaussian"] = of_law(histogram.law, privacy=ApproxDP(1.0, 1e-3))
FITS["ProjectedGD, projected"] = of_estimator(lemmata.ProjectedGD, k=1)
FITS["EfficientMargin, k = 2"] = of_estimator(lemmata.EfficientMargin, k=2)
FITS["objective_perturbation, approximate"] = of_law(objective_perturbation.law, privacy=ApproxDP(1.0, 1e-3))
FITS["noisy_gd, logistic"] = of_law(noisy_gd.law)
FITS["noisy_gd, last"] = of_law(noisy_gd.law, loss="hinge", output="last", steps=4)
FITS["AdaptiveMargin, batches"] = of_estimator(lemmata.AdaptiveMargin, steps="sampled")
FITS["PrivateSearchCV, widths"] = of_estimator(PrivateSearchCV)
FITS["PrivateSearchCV(MarginClassifier)"] = of_estimator(
    PrivateSearchCV, estimator=lemmata.MarginClassifier(ranges=None), param_grid={}
)
FITS["gaussian, wide"] = of_law(gaussian.law, bound=None)
FITS["private_svm, hinge"] = of_law(private_svm.law, loss="hinge")
# (owner, its gate, the public grid of what comes out: of the owner and the arguments)
GATES = (
    (grid_sums.GridNoise, "add", lambda noise, sums: noise.grid),
    (grid_gaussian.GridGaussianLaw, "sample", lambda law, *_: law.step),
    (grid_gaussian, "draw_on_grid", None),
    (laplace.GridLaplace, "sample", lambda law, *_: law.grid),
    (discrete_gaussian.DiscreteGaussianLaw, "sample", lambda law, *_: law.grid),
    (snapping.SnappingLaw, "sample", None),
    (exponential.ExponentialLaw, "sample", lambda *_: 1),
    (report_noisy_max.GridNoisyMaxLaw, "sample", lambda *_: 1),
    (output_perturbation, "draw_rounded", lambda rng, centre, spread, grid, kind: grid),
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
            if isinstance(given[0], grid_sums.GridNoise):  # what goes in: sums of rows, on the grid of the noise
                self.off_grid += int((given[1] % given[0].grid != 0).sum())
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


@pytest.fixture
def gates(monkeypatch):
    return Gates(monkeypatch)


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
@pytest.mark.parametrize("release", FITS.values(), ids=FITS)
def test_a_release_is_a_function_of_what_passed_the_gates(release, gates):
    first = bits(release(ROWS, LABELS))
    kept = list(gates.passed)
    assert kept and gates.off_grid == 0
    for X, y in neighbours():
        gates.again = iter(kept)
        assert bits(release(X, y)) == first
        assert next(gates.again, None) is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FITS)
def test_float_noise_passes_no_gate(name, gates):
    """Where "float" can be asked for, the audit above would fail: nothing that is private meets noise at a gate."""
    try:
        FITS[name](ROWS, LABELS, noise="float")
    except TypeError as error:
        assert "noise" in str(error)
        return
    assert bool(gates.passed) == (name in EXACT_INSIDE)


def test_noise_on_a_coarser_grid_than_the_sums_is_caught(monkeypatch, gates):
    """The planted mistake: coefficients of a smooth loss off the grid of the noise."""
    monkeypatch.setattr(noisy_gd, "count_coefficient_bits", lambda n: 0)
    FITS["noisy_gd, logistic"](ROWS, LABELS)
    assert gates.off_grid > 0


def test_every_line_is_audited():
    named = {name for line in hardening.TABLE for name in line.names}
    assert named <= {name.partition(",")[0].partition("(")[0] for name in FITS}
    assert {line.noise for line in hardening.TABLE} == {"exact"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("law", LAWS)
def test_a_release_refuses_a_law_in_float64_unless_told(law):
    """Whatever draws in float64 says so: `fit` would hand its low bits to whoever does not ask."""
    with pytest.raises(ValueError, match="law has noise in float64"):
        fit(law(**built(TABLE[law])), np.random.default_rng(3))


@pytest.mark.parametrize(
    ("owner", "name", "leaky"),
    [
        (
            phased_sgd.grid_gaussian,
            "draw_on_grid",
            lambda rng, value, sigma, bound: value + rng.normal(size=value.shape),
        ),
        (grid_sums.GridNoise, "add", lambda noise, sums: sums + noise.rng.normal(size=sums.shape)),
        (laplace.GridLaplace, "sample", lambda law, rng, size=1: law.centre + rng.laplace(size=(size, 2))),
    ],
)
def test_float_noise_at_a_gate_is_caught(owner, name, leaky, monkeypatch):
    """The planted mistake: a gate that lets low bits of what comes in go out again."""
    monkeypatch.setattr(owner, name, leaky)
    gates = Gates(monkeypatch)
    for name in ("phased_sgd", "noisy_gd", "private_svm"):
        FITS[name](ROWS, LABELS)
    own = [out for out in gates.passed if out.size == 2]
    assert any((np.asarray(out, dtype=float) % 2.0**-45 != 0).any() for out in own)
