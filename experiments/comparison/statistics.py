"""Means, histograms, quantiles and regressions beside diffprivlib's and OpenDP's, at equal public knowledge.

    LEMMATA_DIFFPRIVLIB=/a/python python -m lemmata.experiments.comparison.statistics   # writes statistics.csv

The other Python has diffprivlib and OpenDP. All are told n, the same bounds, edges and grid, and promise epsilon for
one replaced record: OpenDP by its own map at two changed records, diffprivlib's histogram by half of epsilon, because a
replaced record moves two counts by 1 (`docs/audit-others.md`). Every promise is taken at its word. What differs:
diffprivlib's quantiles lie between records, those of the others on our default grid. Our ridge has a delta of n^-1.5
and clips fresh records to the bounds, beyond which some lognormal ones lie, diffprivlib's does neither. OpenDP has no
regression in several columns, and no seed: its lines differ from run to run.

"error" is the mean over 200 releases, "spread" its standard error. Of a mean it is absolute, over the width of the
bounds; of a histogram absolute, in records a count, where what is below 0 counts as 0, as diffprivlib returns it; of a
median, the records between it and the true one. Of a regression it is the median over 20 fits of the mean squared error
on 10,000 fresh records, over the variance of the target, and half of what lies between the quartiles; "none" is least
squares without privacy.
"""

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lemmata.experiments.comparison import peer
from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.estimators.regression import PrivateRidge
from lemmata.mechanisms.estimators.statistics import private_histogram, private_mean, private_quantile

TABLE = Path(__file__).with_name("statistics.csv")
SIZES, LARGE, EPSILONS = (100, 1000, 10_000), (1000, 10_000, 100_000), (0.1, 1.0)
RELEASES, FITS, COLUMNS, FRESH = 200, 20, 5, 10_000
CELLS, BINS = 2**16, 10
LIBRARIES = ("lemmata", "diffprivlib", "OpenDP", "none")
FIELDS = ("question", "records", "n", "epsilon", "library", "error", "spread")
RECORDS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {  # a column, its upper bound
    "uniform": (lambda draw, n: draw.random(n), 1.0),
    "lognormal": (lambda draw, n: np.exp(draw.normal(size=n)), 20.0),
}
PROGRAM = """import warnings
import numpy as np
import opendp.prelude as dp
from diffprivlib import tools
from diffprivlib.models import LinearRegression
warnings.simplefilter("ignore")  # after the imports, which show them again: they would fill the pipe
dp.enable_features("contrib")
def measured(x, build, epsilon):
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=len(x)), dp.symmetric_distance()
    made = dp.binary_search_chain(lambda scale: build(space, scale), d_in=2, d_out=epsilon, T=float)
    return lambda: made(x)
def answer(data):
    x, epsilon, high = data["x"], float(data["epsilon"]), float(data["high"])
    question, library, edges = str(data["question"]), str(data["library"]), data["edges"]
    grid = np.linspace(0, high, int(data["cells"]) + 1).tolist()
    if question == "ridge":
        low, top = data["target"].tolist()
        asked = dict(epsilon=epsilon, bounds_X=(0.0, high), bounds_y=(low, top))
        fits = [LinearRegression(random_state=int(seed), **asked).fit(x, data["y"]) for seed in data["seeds"]]
        return [fit.predict(data["fresh"]).tolist() for fit in fits]
    if library == "diffprivlib":
        calls = {
            "mean": lambda seed: tools.mean(x, epsilon=epsilon, bounds=(0, high), random_state=seed),
            "histogram": lambda seed: tools.histogram(
                x, epsilon=epsilon / 2, bins=edges, range=(0, high), random_state=seed)[0],
            "median": lambda seed: tools.quantile(x, 0.5, epsilon=epsilon, bounds=(0, high), random_state=seed),
        }
        return [np.asarray(calls[question](int(seed))).tolist() for seed in data["seeds"]]
    t, m, bins = dp.t, dp.m, list(range(len(edges) + 1))
    builds = {
        "mean": lambda space, scale: space >> t.then_clamp((0.0, high)) >> t.then_mean() >> m.then_laplace(scale),
        "histogram": lambda space, scale: space >> t.then_find_bin(edges.tolist())
        >> t.then_count_by_categories(bins, null_category=False, TOA=int) >> m.then_laplace(scale),
        "median": lambda space, scale: space >> t.then_quantile_score_candidates(grid, alpha=0.5)
        >> m.then_noisy_max(dp.max_divergence(), scale=scale, negate=True),
    }
    draw = measured(x.tolist(), builds[question], epsilon)
    found = [draw() for _ in data["seeds"]]
    if question == "median":
        return [grid[one] for one in found]
    return [one[1:-1] for one in found] if question == "histogram" else found
"""


def ask_ours(question: str, x: np.ndarray, high: float, edges: np.ndarray, epsilon: float, seed: int) -> Any:
    """One release of `lemmata`."""
    rng = np.random.default_rng(seed)
    if question == "mean":
        return private_mean(x, bounds=(0.0, high), epsilon=epsilon, rng=rng)
    if question == "histogram":
        return private_histogram(x, edges=edges, epsilon=epsilon, rng=rng)
    return private_quantile(x, 0.5, bounds=(0.0, high), epsilon=epsilon, cells=CELLS, rng=rng)


def find_errors(question: str, x: np.ndarray, high: float, edges: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The error of every release, shape (releases,)."""
    if question == "mean":
        return np.abs(found - np.clip(x, 0, high).mean()) / high
    if question == "histogram":
        return np.abs(np.maximum(found, 0) - np.histogram(x, edges)[0]).mean(axis=1)
    ranks = np.sort(np.clip(x, 0, high))
    below, upto = (np.searchsorted(ranks, found, side) for side in ("left", "right"))
    return np.maximum(0, np.maximum(below - len(x) / 2, len(x) / 2 - upto))


def compare_statistics(seed: int = 0) -> list[tuple[Any, ...]]:
    """Lines of means, histograms and medians."""
    rows: list[tuple[Any, ...]] = []
    for place, case in enumerate(itertools.product(("mean", "histogram", "median"), RECORDS, SIZES, EPSILONS)):
        question, kind, n, epsilon = case
        draw, (column, high) = np.random.default_rng([seed, place]), RECORDS[kind]
        x, edges = column(draw, n), np.linspace(0, high, BINS + 1)
        seeds, asked = draw.integers(2**31, size=RELEASES), {"x": x, "high": high, "edges": edges, "epsilon": epsilon}
        ours = np.array([ask_ours(question, seed=int(one), **asked) for one in seeds])
        found = {"lemmata": ours} | {
            library: peer.ask_peer(PROGRAM, question=question, library=library, cells=CELLS, seeds=seeds, **asked)
            for library in LIBRARIES[1:3]
        }
        for library, releases in found.items():
            errors = find_errors(question, x, high, edges, releases)
            spread = errors.std(ddof=1) / len(errors) ** 0.5
            rows.append((question, kind, n, epsilon, library, f"{errors.mean():.4g}", f"{spread:.2g}"))
    return rows


def compare_regressions(seed: int = 0) -> list[tuple[Any, ...]]:
    """Lines of regressions in five columns, uniform or lognormal, with a fifth of noise."""
    rows: list[tuple[Any, ...]] = []
    for kind, n, epsilon in itertools.product(RECORDS, LARGE, EPSILONS):
        column, high = RECORDS[kind]
        draw = np.random.default_rng([seed, n])
        X = column(draw, (n + FRESH) * COLUMNS).reshape(-1, COLUMNS)
        y = X @ np.linspace(-1, 1, COLUMNS)
        y += draw.normal(scale=y.std() / 5, size=len(y))
        target, fresh, seeds = np.array([-2.0, 2.0]) * high, X[n:], np.arange(FITS)
        given: Any = {"ranges": None, "bounds": (0.0, high), "target_bounds": tuple(target), "delta": n**-1.5}
        ours = [PrivateRidge(epsilon=epsilon, random_state=int(one), **given).fit(X[:n], y[:n]) for one in seeds]
        rest = {"x": X[:n], "y": y[:n], "fresh": fresh, "high": high, "target": target, "edges": 0, "cells": 1}
        plain = np.linalg.lstsq(np.column_stack([X[:n], np.ones(n)]), y[:n], rcond=None)[0]
        found = {
            "lemmata": np.array([one.predict(fresh) for one in ours]),
            "diffprivlib": peer.ask_peer(PROGRAM, question="ridge", library="", epsilon=epsilon, seeds=seeds, **rest),
            "none": np.tile(fresh @ plain[:-1] + plain[-1], (2, 1)),
        }
        for library, predicted in found.items():
            errors = ((predicted - y[n:]) ** 2).mean(axis=1) / y[n:].var()
            low, middle, top = np.quantile(errors, [0.25, 0.5, 0.75])
            rows.append(("ridge", kind, n, epsilon, library, f"{middle:.4g}", f"{(top - low) / 2:.2g}"))
    return rows


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tables are planted, and so are the seeds
        write_table(TABLE, FIELDS, [*compare_statistics(), *compare_regressions()])
