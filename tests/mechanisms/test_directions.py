"""Each rounding of a mechanism is listed here, matters, and moves noise and promise to the safe side.

A rounding is a call of one of `ROUNDINGS`. In a run of a law or an estimator, one call after another is made a
hundredth stronger: no noise and nothing that is promised may become smaller, and something has to change. So whoever
drops a rounding changes the list, and whoever turns it round changes the direction.
"""

import ast
import importlib
import inspect
import pkgutil
import sys
from collections import Counter, defaultdict
from dataclasses import fields, is_dataclass
from functools import cache

import numpy as np
import pytest

from lemmata import DPERM, ApproxDP, MarginClassifier, PrivateRidge, PrivateSVM, PureDP, mechanisms
from lemmata.experiments.engine.ground.deadline import deadline
from lemmata.mechanisms.learners.descent import adaptive_margin
from lemmata.mechanisms.learners.erm import dp_erm, private_svm
from lemmata.mechanisms.learners.glm import grid_search
from lemmata.mechanisms.learners.statistics import quantile, score_counts
from lemmata.mechanisms.noise import discrete_gaussian
from lemmata.mechanisms.selection import exponential, report_noisy_max, tuning_budget
from tests.mechanisms.valid_calls import COVER, EXACT, LAWS, MATRIX, TABLE, XY, rng

ROUNDINGS = {"round_up": 1.01, "sqrt_up": 1.01, "round_down": 0.99, "sqrt_down": 0.99}
NOISE, PROMISED = ("sigma", "scale", "spread", "sensitivity"), ("epsilon", "delta", "mu", "rho")  # larger is safer
AREAS = ("estimators", "learners", "noise", "selection", "tables")  # those of guarantees: test_roundings
LISTED = {
    ("estimators.margin_classifier", "sqrt_down"): 3,
    ("estimators.private_classifier", "round_down"): 2,
    ("estimators.regression", "sqrt_down"): 2,
    ("learners.descent.noisy_gd", "round_up"): 2,
    ("learners.descent.private_perceptron", "round_up"): 1,
    ("learners.descent.sampled_gd", "round_up"): 3,
    ("learners.descent.sampled_gd", "sqrt_down"): 1,
    ("learners.erm.dp_erm", "round_up"): 3,
    ("learners.erm.dp_erm", "sqrt_up"): 1,
    ("learners.erm.output_perturbation", "round_down"): 1,
    ("learners.erm.output_perturbation", "round_up"): 2,
    ("learners.erm.phased_sgd", "round_up"): 2,
    ("learners.erm.private_svm", "round_up"): 1,
    ("learners.glm.confidence_boosting", "round_up"): 1,
    ("learners.glm.grid_search", "round_down"): 4,
    ("learners.glm.grid_search", "round_up"): 1,
    ("learners.statistics.bounded_mean", "sqrt_up"): 1,
    ("learners.statistics.quantile", "round_down"): 1,
    ("learners.statistics.score_counts", "round_up"): 1,
    ("learners.statistics.score_counts", "sqrt_up"): 1,
    ("learners.statistics.second_moments", "round_up"): 1,
    ("learners.statistics.second_moments", "sqrt_up"): 2,
    ("noise.discrete_gaussian", "round_up"): 4,
    ("noise.discrete_gaussian", "sqrt_up"): 2,
    ("noise.gaussian", "round_up"): 1,
    ("noise.grid_gaussian", "round_up"): 2,
    ("noise.grid_sums", "round_up"): 1,
    ("noise.snapping", "round_up"): 2,
    ("selection.exponential", "round_down"): 1,
    ("selection.report_noisy_max", "round_up"): 2,
    ("selection.tuning_budget", "round_down"): 2,
    ("selection.tuning_budget", "round_up"): 1,
    ("tables.column_ranges", "round_up"): 1,
    ("tables.column_ranges", "sqrt_up"): 2,
}
ELSEWHERE = {  # roundings whose run shows nothing here, and why
    "round_down(Fraction(each) * (1 - Fraction(1, 2 ** 53)))": "only where a square root rounds up",
    "round_down(epsilon / (2 * guesses))": "a share, of which less is safer: the promise of a run falls with it",
    "round_down(delta / (2 * guesses))": "as the share of epsilon",
    "round_down(epsilon / 2)": "as the share of a run",
    "sqrt_up(Fraction(F))": "a hundredth of it is less than a step of the noise: test_hardening_lines",
    "round_down(Fraction(epsilon) * (1 - Fraction(SPARED)) - (Fraction(eta) + 1) * Fraction(growth))": "of a yes or no",
}


@cache
def sites():
    """{(module, line, name): the texts of these calls}."""
    found = defaultdict(list)
    for area in AREAS:
        package = importlib.import_module(f"{mechanisms.__name__}.{area}")
        for name in (one.name for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")):
            for node in ast.walk(ast.parse(inspect.getsource(importlib.import_module(name)))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ROUNDINGS:
                    found[name, node.lineno, node.func.id].append(ast.unparse(node))
    return found


def call(function, given):
    """A call of `valid_calls.TABLE`, whose arguments may be made anew for each."""
    made = (rng, COVER, MATRIX)
    return function(**{name: value() if any(value is one for one in made) else value for name, value in given.items()})


def fitted(estimator):
    """What a fit spends on each of its parts, of which less is safer, and what it releases."""
    return {name: -part.mu for name, part in estimator.fit(XY["X"], XY["y"]).budget_.items()}, estimator.coef_


def share(estimator):
    """What one of three classes may spend, of which less is safer."""
    one = estimator._copy_with_share(3)
    return {name: -value for name, value in one.get_params().items() if name in ("epsilon", "delta")}


def scenes():
    """{name: a run, whose result is a law, a guarantee, a release, or amounts}."""
    found = {
        "a fit with ranges": lambda: fitted(MarginClassifier(classes=(-1, 1), random_state=0)),
        "a fit with probabilities": lambda: fitted(
            MarginClassifier(classes=(-1, 1), probability=True, class_weight="balanced", random_state=0)
        ),
        "counts of scores": lambda: {"sigma": score_counts.noise_deviation(1, 0.3)},
        "a regression": lambda: fitted(PrivateRidge(random_state=0)),
        "shares of two quantiles": lambda: {
            "scale": 1 / call(quantile.law, TABLE[quantile.law] | {"privacy": PureDP(0.3)}).selections[0].scale
        },
        "a share of a pure budget": lambda: share(PrivateSVM(epsilon=1.0)),
        "a share of epsilon and delta": lambda: share(DPERM(epsilon=1.0, delta=1e-5)),
        "random batches": lambda: adaptive_margin.law(
            **XY, privacy=ApproxDP(1.0, 1e-3), radius=1.0, score="empirical", output="last", steps="sampled"
        ),
        "a promise for a scale": lambda: private_svm.law(**XY, scale=1.0, C=1.0, kappa=1.0, loss="logistic"),
        "random batches, released": lambda: adaptive_margin.law(
            **XY,
            privacy=ApproxDP(1.0, 1e-3),
            radius=1.0,
            score="empirical",
            output="last",
            steps="sampled",
            noise="exact",
        ).sample(rng(), 1),
        "a choice in floats": lambda: report_noisy_max.law(
            [0.0, 1.0], sensitivity=1.0, privacy=PureDP(1.0), noise="float"
        ),
        "a choice at a scale": lambda: report_noisy_max.law([0.0, 1.0], sensitivity=1.0, scale=2.0),
        "a choice of weights": lambda: call(dp_erm.law, TABLE[dp_erm.law] | {"noise": "exact"}).select(
            np.zeros((2, 2))
        ),
        "a choice of radii": lambda: (
            call(grid_search.law, TABLE[grid_search.law] | {"noise": "exact"})
            .select(np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]]))
            .log_probabilities()
        ),
        "a choice of scores": lambda: {
            "scale": 1 / exponential.law([0.0, 1.0], sensitivity=0.3, privacy=PureDP(1.0)).scale
        },
        "a discrete Gaussian": lambda: {"delta": discrete_gaussian.spent_delta(1.0, 2.0**16, 5 * 2**16, 7)},
        "a tuning": lambda: tuning_budget.budget(1.0, 1e-5, r=0.01, calibration="sharp"),
    }
    for function, given in TABLE.items():
        if given is not None and function.__module__.split(".")[2] in AREAS:
            name = f"{function.__module__}.{function.__name__}"
            found[name] = lambda function=function, given=given: call(function, given)
            if function in LAWS:
                exact = given | EXACT.get(function, {}) | {"noise": "exact"}
                found[f"{name}, exact"] = lambda function=function, exact=exact: call(function, exact)
    return found


def forget():
    """Empty every cache of the mechanisms."""
    for name, module in list(sys.modules.items()):
        if name.startswith(mechanisms.__name__):
            for thing in list(vars(module).values()):
                getattr(thing, "cache_clear", lambda: None)()


def amounts(result, path=""):
    """{where it stands: each number of a result}, private fields included."""
    if isinstance(result, dict):
        parts = list(result.items())
    elif is_dataclass(result):
        parts = [(field.name, getattr(result, field.name)) for field in fields(result) if hasattr(result, field.name)]
    elif isinstance(result, list | tuple) or (isinstance(result, np.ndarray) and result.ndim):
        parts = list(enumerate(result))
    else:
        is_number = isinstance(result, int | float | np.number | np.ndarray)
        return {path: float(result)} if is_number else {}
    return {key: value for name, part in parts for key, value in amounts(part, f"{path}.{name}").items()}


class Turned:
    """While it is entered, roundings are noted, and the one at `place` is a hundredth stronger."""

    def __init__(self, monkeypatch, place=None):
        self.place, self.met = place, set()
        for module, name in {(module, name) for module, _, name in sites()}:
            original = getattr(sys.modules[module], name)
            monkeypatch.setattr(sys.modules[module], name, self.wrapped(module, name, original))

    def wrapped(self, module, name, original):
        def rounded(*given):
            here = module, sys._getframe(1).f_lineno, name
            self.met.add(here)
            return original(*given) * (ROUNDINGS[name] if here == self.place else 1)

        return rounded


def run(scene, place=None):
    """(the amounts of a scene, the roundings that it met)."""
    forget()
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        turned = Turned(patch, place)
        return amounts(scene()), turned.met


def is_safe(before, after):
    """Whether something differs, and no noise and no promise is smaller."""
    kept = [key for key in before if key in after and key.rpartition(".")[2] in (*NOISE, *PROMISED)]
    return before != after and all(after[key] >= before[key] for key in kept)


def test_every_rounding_is_listed():
    found = Counter()
    for (module, _, name), texts in sites().items():
        found[module.removeprefix(f"{mechanisms.__name__}."), name] += len(texts)
    assert found == LISTED


def test_every_rounding_matters_and_is_towards_the_safe_side():
    """A law that a stronger rounding refuses, or looks for without end, promises nothing."""
    every, runs, met = scenes(), {}, {}
    for name, scene in every.items():
        runs[name], seen = run(scene)
        for place in seen:
            met.setdefault(place, []).append(name)
    unsafe = []
    for place, (text, *_) in sites().items():
        if text in ELSEWHERE:
            continue
        for name in met.get(place, ()):
            try:
                with deadline(2.0):
                    after, _ = run(every[name], place)
            except (ValueError, TimeoutError):
                break
            if is_safe(runs[name], after):
                break
        else:
            unsafe.append(f"{place}: {text}")
    assert not unsafe, "\n".join(unsafe)
