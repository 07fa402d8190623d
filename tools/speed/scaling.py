"""How the costs of the cores grow: seconds and peak memory along n, d, k, runs and claims, with fitted exponents.

`python -m lemmata.tools.speed.scaling` measures them anew into scaling.csv, in a few minutes. A cost is fitted as
c x^a through the sizes measured, in logarithms; what it is at other sizes is an extrapolation, and the page says so.
"""

from __future__ import annotations

import csv
import math
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import numpy as np

HOUR, MEMORY = 3600.0, 16 * 2.0**30  # what one core and a workstation have
FIELDS = ("core", "along", "fixed", "size", "seconds", "bytes")
SEED = 1


def data(n, d):
    """n unit rows in R^d with margin 1/2 along e_1, and their labels."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(n, d))
    X[:, 0] = 0
    X *= math.sqrt(0.75) / np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    X[:, 0] = y / 2
    return X, y


def projection(kind):
    """Applying a projection, made beforehand."""

    def cost(n, d, k):
        from lemmata.mechanisms.features.fast_projection import fast_projection
        from lemmata.mechanisms.features.sign_projection import sign_projection

        phi = {"fast": fast_projection, "sign": sign_projection}[kind](k, d, rng=np.random.default_rng(SEED))
        X = data(n, d)[0]
        return lambda: phi.apply(X)

    return cost


def noisy_gd(n, d, runs):
    from lemmata.mechanisms.learners.descent import noisy_gd
    from lemmata.mechanisms.privacy import GaussianDP

    law = noisy_gd.law(*data(n, d), privacy=GaussianDP(1.0), width=0.5, steps=200, stride="tuned")
    return lambda: law.sample(np.random.default_rng(SEED), runs)


def algorithm_3(n, d):
    from lemmata.mechanisms.learners.descent import adaptive_margin
    from lemmata.mechanisms.privacy import ApproxDP

    law = adaptive_margin.law(*data(n, d), privacy=ApproxDP(1.0, 1e-5), calibration="printed")
    return lambda: law.sample(np.random.default_rng(SEED))


def algorithm_3_fit(n, d):
    import lemmata

    X, y = data(n, d)
    return lambda: lemmata.AdaptiveMargin(classes=(-1, 1), random_state=np.random.default_rng(SEED)).fit(X, y)


def private_search(n, d, runs):
    from lemmata.mechanisms.estimators.margin_classifier import NoisyGD
    from lemmata.mechanisms.estimators.search import PrivateSearchCV

    search = PrivateSearchCV(NoisyGD(), {"width": [0.01, 0.1, 1.0]})
    laws = search.law(*data(n, d), np.random.default_rng(SEED)).base
    return lambda: [law.sample(np.random.default_rng(SEED), runs // len(laws)) for law in laws]


def phased_sgd(n, k, runs):
    from lemmata.mechanisms.learners.erm import phased_sgd
    from lemmata.mechanisms.privacy import GaussianDP

    law = phased_sgd.law(*data(n, k), privacy=GaussianDP(1.0), rho=0.5, radius=1.0, norm_bound=1.0)
    return lambda: law.sample(np.random.default_rng(SEED), runs)


def private_svm(n, features):
    from lemmata.mechanisms.learners.erm import private_svm
    from lemmata.mechanisms.privacy import PureDP

    return lambda: private_svm.law(*data(n, features), privacy=PureDP(1.0), C=1.0)


def grid_laplace(features, releases):
    from lemmata.mechanisms.noise.laplace import GridLaplace, grid_for

    law = GridLaplace(np.zeros(features), *grid_for(1.0, 1.0, features))
    return lambda: law.sample(np.random.default_rng(SEED), releases)


def decided(claims):
    """(store, claims): the first so many claims of a module that needs no sampling, and a store that holds them."""
    from lemmata.experiments.engine.claims import registry
    from lemmata.experiments.engine.running import run
    from lemmata.experiments.engine.running.store import Store

    names = ("bms22/long_minimiser", "bms22/many_hypotheses", "bms22/pure_learner", "wzw25/hinge_loss")
    chosen = [claim for group in registry.load(list(names)).values() for claim in group][:claims]
    store = Store()
    run.execute(chosen, store)
    return store, chosen


def ledger(claims):
    from lemmata.experiments.engine.ledger.ledger_rows import claim_row

    store, chosen = decided(claims)
    return lambda: [claim_row(claim, store, SEED) for claim in chosen]


def engine(claims):
    from lemmata.experiments.engine.running import run
    from lemmata.experiments.engine.running.store import Store

    chosen = decided(claims)[1]
    return lambda: run.execute(chosen, Store())


CORES: tuple[tuple[str, Callable, dict, dict], ...] = (  # name, cost, what is fixed, {along: sizes}
    (
        "fast projection",
        projection("fast"),
        {"n": 200, "d": 4096, "k": 256},
        {"n": (100, 200, 400, 800), "d": (1024, 4096, 16384, 65536), "k": (64, 256, 1024)},
    ),
    (
        "sign projection",
        projection("sign"),
        {"n": 200, "d": 4096, "k": 256},
        {"n": (100, 400, 1600), "d": (1024, 4096, 16384), "k": (64, 256, 1024)},
    ),
    (
        "noisy gradient descent, 200 steps",
        noisy_gd,
        {"n": 500, "d": 50, "runs": 64},
        {"n": (250, 500, 1000, 2000), "d": (25, 50, 100, 200), "runs": (16, 64, 256)},
    ),
    ("Algorithm 3", algorithm_3, {"n": 500, "d": 50}, {"n": (250, 500, 1000, 2000)}),
    ("Algorithm 3 as fit runs it", algorithm_3_fit, {"n": 5000, "d": 50}, {"n": (5000, 10_000, 20_000, 40_000)}),
    ("private search", private_search, {"n": 2000, "d": 20, "runs": 57}, {"n": (2000, 4000, 8000)}),
    (
        "phased SGD",
        phased_sgd,
        {"n": 2000, "k": 50, "runs": 1},
        {"n": (1000, 2000, 4000, 8000), "k": (50, 200, 800), "runs": (1, 10, 100)},
    ),
    (
        "private SVM",
        private_svm,
        {"n": 1000, "features": 50},
        {"n": (500, 1000, 2000, 4000), "features": (25, 50, 100)},
    ),
    (
        "grid Laplace",
        grid_laplace,
        {"features": 100, "releases": 1000},
        {"features": (50, 100, 200), "releases": (500, 1000, 2000, 4000)},
    ),
    ("folding the ledger", ledger, {"claims": 8}, {"claims": (4, 8, 16, 32)}),
    ("a run without sampling", engine, {"claims": 8}, {"claims": (4, 8, 16, 32)}),
)


def cost(function: Callable[[], object], rounds: int = 3) -> tuple[float, int]:
    """(least CPU seconds of a few calls, peak bytes of one)."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(taken), peak


def measured() -> list[dict]:
    """Every cost, a row a size."""
    rows = []
    for name, core, fixed, axes in CORES:
        for along, sizes in axes.items():
            rest = ", ".join(f"{axis} = {value}" for axis, value in fixed.items() if axis != along)
            for size in sizes:
                seconds, peak = cost(core(**fixed | {along: size}))
                rows.append(dict(zip(FIELDS, (name, along, rest, size, f"{seconds:.4g}", peak), strict=True)))
                print(*rows[-1].values(), file=sys.stderr)
    return rows


def exponent(sizes: list[float], costs: list[float]) -> tuple[float, float]:
    """(a, c) of cost = c size^a, by least squares in logarithms.

    >>> exponent([1.0, 2.0, 4.0], [3.0, 12.0, 48.0])
    (2.0, 3.0)
    """
    a, log_c = np.polyfit(np.log(sizes), np.log(costs), 1)
    return round(float(a), 9), round(float(np.exp(log_c)), 9)


def reach(sizes: list[float], costs: list[float], limit: float) -> float:
    """The size at which a fitted cost reaches `limit`; inf where it does not grow."""
    a, _ = exponent(sizes, costs)
    last = math.log(costs[-1])
    return sizes[-1] * math.exp((math.log(limit) - last) / a) if a > 0.05 else math.inf


def table() -> list[dict]:
    """A line for every core and axis: what was measured, the exponents, and the size at which a resource runs out."""
    text = (resources.files("lemmata.tools.speed") / "scaling.csv").read_text(encoding="utf-8")
    groups: dict[tuple[str, str, str], list[dict]] = {}
    for row in csv.DictReader(text.splitlines()):
        groups.setdefault((row["core"], row["along"], row["fixed"]), []).append(row)
    lines = []
    for (core, along, fixed), rows in groups.items():
        sizes = [float(row["size"]) for row in rows]
        seconds = [max(float(row["seconds"]), 1e-6) for row in rows]
        peaks = [max(float(row["bytes"]), 1.0) for row in rows]
        ends = {"an hour of one core": reach(sizes, seconds, HOUR), "16 GiB": reach(sizes, peaks, MEMORY)}
        first = min(ends, key=ends.__getitem__)
        lines.append(
            {
                "core": core,
                "along": along,
                "fixed": fixed,
                "from": f"{sizes[0]:,.0f}",
                "to": f"{sizes[-1]:,.0f}",
                "seconds": f"{seconds[0]:.3g} to {seconds[-1]:.3g}",
                "memory": f"{peaks[0] / 2**20:.3g} to {peaks[-1] / 2**20:.3g} MiB",
                "time_exponent": f"{exponent(sizes, seconds)[0]:.2f}",
                "memory_exponent": f"{exponent(sizes, peaks)[0]:.2f}",
                "end": f"{first} at {along} ≈ {ends[first]:.1e}" if ends[first] < math.inf else "neither grows",
            }
        )
    return lines


if __name__ == "__main__":
    with (Path(__file__).parent / "scaling.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(measured())
