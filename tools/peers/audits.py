"""What other libraries promise, audited: `python -m lemmata.tools.peers.audits [BUDGET]` writes audits/peers.csv.

Every mechanism is given two neighbouring inputs as far apart as its sensitivity allows; a fitted model two datasets
that differ in one record. A library that is not installed is a line of its own, never a silent gap.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from lemmata.experiments import audits
from lemmata.experiments.audits.tables import write_lines
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.privacy import ApproxDP, PureDP

TABLE = Path(audits.__file__).with_name("peers.csv")
COLUMNS = "library", "version", "mechanism", "claim", "verdict", "reason", "reached", "caught_from", "event", "releases"
ONE, BUDGET, ROOT = PureDP(1.0), 20_000, 20251120
Pair = tuple[str, Any, Any, Any, int]  # name, either side, the claim, the budget


def one_by_one(release: Callable[[], Any]) -> Callable:
    """A sampler (rng, size) of a mechanism that releases one value at a time, from randomness of its own."""
    return lambda rng, size: [release() for _ in range(size)]


def diffprivlib(budget: int) -> Iterator[Pair]:
    """Mechanisms and models of IBM's library."""
    m, models = import_module("diffprivlib.mechanisms"), import_module("diffprivlib.models")
    both: dict[str, Any] = {"epsilon": 1.0, "sensitivity": 1}
    simple = {
        "Laplace": m.Laplace(**both, delta=0.0),
        "LaplaceTruncated": m.LaplaceTruncated(**both, lower=0, upper=2),
        "LaplaceFolded": m.LaplaceFolded(**both, lower=0, upper=2),
        "LaplaceBoundedDomain": m.LaplaceBoundedDomain(**both, lower=0, upper=2),
        "Geometric": m.Geometric(**both),
        "GeometricTruncated": m.GeometricTruncated(**both, lower=0, upper=3),
        "Staircase": m.Staircase(**both),
        "Snapping": m.Snapping(**both, lower=-10, upper=10),
        "Gaussian": m.Gaussian(epsilon=1.0, delta=1e-3, sensitivity=1),
        "GaussianAnalytic": m.GaussianAnalytic(epsilon=1.0, delta=1e-3, sensitivity=1),
        "GaussianDiscrete": m.GaussianDiscrete(epsilon=1.0, delta=1e-3, sensitivity=1),
        "Uniform": m.Uniform(delta=0.1, sensitivity=1),
    }
    for name, mechanism in simple.items():
        delta = float(getattr(mechanism, "delta", 0.0) or 0.0)
        epsilon = 0.0 if name == "Uniform" else 1.0
        claim = ApproxDP(epsilon, delta) if delta else ONE
        sides = [one_by_one(lambda x=x, run=mechanism.randomise: run(x)) for x in (0, 1)]
        yield name, *sides, claim, budget
    for name in ("Exponential", "PermuteAndFlip"):
        kind = getattr(m, name)
        made = [kind(epsilon=1.0, sensitivity=1, utility=u) for u in ([0.0, 1.0, 1.0], [1.0, 0.0, 0.0])]
        yield name, *(one_by_one(one.randomise) for one in made), ONE, budget
    binary = m.Binary(epsilon=1.0, value0="no", value1="yes")
    yield "Binary", *(one_by_one(lambda x=x: binary.randomise(x)) for x in ("no", "yes")), ONE, budget
    X, y = np.random.default_rng(0).uniform(-1, 1, (20, 2)) / 2, np.arange(20) % 2
    Z = X.copy()
    Z[0], z = [0.7, 0.7], y.copy()
    z[0] = 1 - y[0]
    X[0] = [-0.7, -0.7]
    bounds = ([-1.0, -1.0], [1.0, 1.0])

    def fitted(build: Callable, attributes: tuple[str, ...], *data: Any) -> Callable:
        def one() -> tuple:
            model = build().fit(*data)
            return tuple(float(v) for name in attributes for v in np.ravel(getattr(model, name)))

        return one_by_one(one)

    few = min(budget, 600)
    learners: dict[str, tuple] = {
        "LogisticRegression": (
            lambda: models.LogisticRegression(epsilon=1.0, data_norm=1.0), ("coef_", "intercept_"), True),
        "LinearRegression": (
            lambda: models.LinearRegression(epsilon=1.0, bounds_X=bounds, bounds_y=(0, 1)), ("coef_",), True),
        "GaussianNB": (lambda: models.GaussianNB(epsilon=1.0, bounds=bounds), ("theta_", "var_", "class_prior_"), True),
        "StandardScaler": (lambda: models.StandardScaler(epsilon=1.0, bounds=bounds), ("mean_", "var_"), False),
        "PCA": (
            lambda: models.PCA(1, epsilon=1.0, bounds=bounds, data_norm=1.0), ("mean_", "components_"), False),
    }  # fmt: skip
    for name, (build, attributes, labelled) in learners.items():
        data = [(X, y), (Z, z)] if labelled else [(X,), (Z,)]
        yield f"models.{name}", *(fitted(build, attributes, *one) for one in data), ONE, few


def opendp(budget: int) -> Iterator[Pair]:
    """Measurements of the OpenDP library, at the epsilon that their own map says."""
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    reals, wholes = dp.atom_domain(T=float, nan=False), dp.atom_domain(T=int)
    near = dp.absolute_distance(T=float), dp.absolute_distance(T=int)
    scalars = {
        "make_laplace, float": (dp.m.make_laplace(reals, near[0], scale=1.0), 0.0, 1.0),
        "make_laplace, int": (dp.m.make_laplace(wholes, near[1], scale=1.0), 0, 1),
        "make_geometric": (dp.m.make_geometric(wholes, near[1], scale=1.0), 0, 1),
    }
    for name, (measurement, one, other) in scalars.items():
        sides = [one_by_one(lambda x=x, run=measurement: run(x)) for x in (one, other)]
        yield name, *sides, PureDP(float(measurement.map(other - one))), budget
    response = dp.m.make_randomized_response_bool(prob=0.75)
    sides = [one_by_one(lambda x=x: response(x)) for x in (False, True)]
    yield "make_randomized_response_bool", *sides, PureDP(float(response.map(1))), budget


LIBRARIES = {"diffprivlib": diffprivlib, "opendp": opendp}


def audited(budget: int) -> Iterator[dict]:
    """A line for every mechanism; one that says so for every library that is missing or refuses."""
    for library, listed in LIBRARIES.items():
        try:
            import_module(library)
            installed = version(library)
        except ImportError as error:
            said = "NOT INSTALLED" if isinstance(error, ModuleNotFoundError) else f"IMPORT FAILED: {error}"
            print(f"{library}: {said}", file=sys.stderr)
            yield dict.fromkeys(COLUMNS, "") | {"library": library, "verdict": said}
            continue
        for name, a, b, claim, most in listed(budget):
            try:
                result = audit(a, b, claim, root=ROOT, budget=most)
            except Exception as error:  # what another library does is no fault of this program
                problem = f"{type(error).__name__}: {error}".splitlines()[0]
                yield dict.fromkeys(COLUMNS, "") | {"library": library, "mechanism": name, "verdict": problem}
                continue
            caught = f"{result.smallest_caught:.3g}" if result.smallest_caught else ""
            said = f"({claim.epsilon:g}, {claim.delta:g})-DP" if claim.delta else f"{claim.epsilon:.4g}-DP"
            found = said, result.verdict, result.reason, f"{result.lower:.3g}", caught, result.event
            yield dict(zip(COLUMNS, (library, installed, name, *found, result.judged + result.trained), strict=True))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write_lines(TABLE, audited(int(sys.argv[1]) if len(sys.argv) > 1 else BUDGET))
