"""The margin as we compute it, and properties of its inlier sets: Wang, Zhu & Wang (2025), Equation 1, Definition 6.1.

The definitions claim nothing. Their consequences are derived in `bounds/wzw25/margins.py`; here the code is checked
against the derivations on degenerate data: ties, opposite records, zero records, margins near 0.
"""

import clarabel
import numpy as np
from scipy import sparse

from lemmata.bounds.wzw25 import margins as bound
from lemmata.experiments.checks import Control, identity_claim, inequality_claim, run_script
from lemmata.mechanisms.solvers.margin import geometric_margin, min_outliers, signed_records, subset_margins

# Equation 1 -----------------------------------------------------------------------------------------------------------

FAMILIES = {  # n records in the plane, from awkward corners of Equation 1
    "random": lambda rng, n: rng.normal(size=(n, 2)),
    "separable": lambda rng, n: rng.normal(size=(n, 2)) * [0.3, 1] + [2, 0],
    "almost touching": lambda rng, n: np.column_stack([np.full(n, 1e-6), np.linspace(-1, 1, n)]),
    "on a line": lambda rng, n: np.outer(rng.uniform(1, 2, n), [0.6, 0.8]),
    "opposite": lambda rng, n: np.outer((-1.0) ** np.arange(n), [0.6, 0.8]),
    "one of them zero": lambda rng, n: np.vstack([np.zeros(2), rng.normal(size=(n - 1, 2)) + 3]),
    "one repeated": lambda rng, n: np.tile(rng.normal(size=2), (n, 1)),
    "ties": lambda rng, n: np.column_stack([np.ones(n), rng.choice([-1.0, 0.0, 1.0], n)]),
    "large": lambda rng, n: 1e150 * (np.array([3, 0]) + rng.normal(size=(n, 2))),
    "small": lambda rng, n: 1e-150 * (np.array([3, 0]) + rng.normal(size=(n, 2))),
}


def labelled(family, n, seed=0):
    """(X, y): a family's signed records, spread over both labels."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], n)
    return FAMILIES[family](rng, n) * y[:, None], y


def best_direction(Z):
    """gamma(S) in the plane by listing directions: each record's own, and those where two records are equally far.

    The minimum of finitely many sinusoids is largest at the top of one of them or where two cross.
    """
    differences = (Z[:, None] - Z[None]).reshape(-1, 2)
    across = np.column_stack([-differences[:, 1], differences[:, 0]])
    candidates = np.vstack([Z, across, -across])
    lengths = np.linalg.norm(candidates, axis=1)
    directions = candidates[lengths > 0] / lengths[lengths > 0, None]
    return max((directions @ Z.T).min(axis=1).max(initial=0.0), 0.0)


@inequality_claim(
    bound.hull_distance,
    quick=({"n": 12},),
    full=({"n": 1}, {"n": 2}, {"n": 150}),
    control=Control("weights that sum to {}", (1.001, 2)),
)
def distance_is_margin(*, n, factor=1):
    """The nearest point's norm against every direction of the plane that can be best, for each awkward family."""
    errors, ratios = [], [1.0]
    for family in FAMILIES:
        X, y = labelled(family, n)
        Z = signed_records(X, y)
        nearest = geometric_margin(X, y)
        scale = np.abs(Z).max() or 1.0
        best = scale * best_direction(Z / scale)
        distance = bound.hull_distance(weights=factor * nearest.weights, X=X, y=y)
        setting = {"n": n, "family": family}
        yield setting, abs(distance - best), 1e-9 * scale
        yield setting, nearest.value - 1e-9 * scale, best
        yield setting, best, nearest.upper + 1e-9 * scale
        errors.append(abs(distance - best) / scale)
        if best > 1e-6 * scale:
            ratios.append(best / distance)
    X, y = labelled("separable", n)
    angles = np.linspace(-np.pi / 2, np.pi / 2, 61)
    listed = f"{len(FAMILIES)} families in the plane agree with a listing of directions"
    return {
        "tightness": (min(ratios), max(ratios)),
        "note": f"{listed}, to {max(errors):.0e} of the records",
        "series": {
            "angle of w": angles.tolist(),
            "Margin(w; S)": [bound.margin(w=np.array([np.cos(a), np.sin(a)]), X=X, y=y) for a in angles],
            "distance of the hull": [geometric_margin(X, y).upper] * len(angles),
        },
    }


def hard_margin_svm(Z, at_least=1.0):
    """argmin ||w||^2 / 2 subject to Z w >= at_least, by an interior-point solver that knows nothing of hulls."""
    n, d = Z.shape
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.eye(d, format="csc"),
        np.zeros(d),
        sparse.csc_matrix(-Z),
        np.full(n, -at_least),
        [clarabel.NonnegativeConeT(n)],
        settings,
    )
    return np.array(solver.solve().x)


@inequality_claim(
    bound.svm_margin,
    quick=({"n": 30, "d": 5},),
    full=({"n": 1, "d": 1}, {"n": 20, "d": 60}, {"n": 400, "d": 20}),
    control=Control("constraints y <w, x> >= {}", (1.001, 2)),
    rounding=1e-6,
)
def margin_is_svm(*, n, d, factor=1):
    """1 over the norm of the hard-margin SVM against the certified enclosure of gamma(S)."""
    rng = np.random.default_rng(n)
    y = rng.choice([-1.0, 1.0], n)
    X = (rng.normal(size=(n, d)) / np.sqrt(d) + 3 * np.eye(d)[0]) * y[:, None]
    margin = geometric_margin(X, y)
    inverse = bound.svm_margin(w=hard_margin_svm(signed_records(X, y), at_least=factor))
    yield {"n": n, "d": d}, margin.value, inverse
    yield {"n": n, "d": d}, inverse, margin.upper
    return {"tightness": (inverse / margin.upper,) * 2, "note": "an interior-point SVM agrees to 1e-6"}


# Definition 6.1 -------------------------------------------------------------------------------------------------------


def subsets(kind, n, d):
    """Records in the unit ball whose 2^n subsets are listed: (X, y, lower, upper), the margins by bit mask."""
    rng = np.random.default_rng(n + 10 * d)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True) / rng.uniform(0.3, 1, (n, 1))
    if kind == "ties":  # halves of whole numbers: repeated, opposite and zero records
        X = np.round(2 * X) / 2 / np.sqrt(d)
    if kind == "short":
        X *= 0.4
    y = rng.choice([-1.0, 1.0], n)
    return X, y, *subset_margins(X, y)


KINDS = ("general", "ties", "short")


@inequality_claim(
    bound.fewest_outliers,
    quick=({"n": 7, "d": 2},),
    full=({"n": 1, "d": 1}, {"n": 9, "d": 3}, {"n": 8, "d": 10}),
    control=Control(
        lambda factor: f"inlier sets with a margin at most {4 / factor**2:g} above the level", (1.5, 4, 20)
    ),
    cost=0.3,
)
def inlier_sets_shrink(*, n, d, factor=1):
    """Every subset of small data: nested families, monotone m, subsets of inlier sets inliers; m found twice."""
    series, masks = {}, np.arange(2**n)
    for kind in KINDS:
        setting = {"n": n, "d": d, "kind": kind}
        X, y, lower, upper = subsets(kind, n, d)
        values = np.unique(np.round(lower[1:], 12))
        levels = np.concatenate([[0.0], (values[1:] + values[:-1]) / 2, [1.0]])
        chosen = [(upper >= level) & (np.minimum(upper, 2) - level <= 4 / factor**2) for level in levels]
        families = [set(np.flatnonzero(family).tolist()) for family in chosen]
        fewest = [n - max((mask.bit_count() for mask in family), default=-1) for family in families]
        for k in range(len(levels) - 1):
            between = setting | {"from": levels[k], "to": levels[k + 1]}
            yield between | {"claim": "nested"}, len(families[k + 1] - families[k]), 0
            yield between | {"claim": "m is monotone"}, fewest[k], fewest[k + 1]
        for i in range(n):
            lowered = upper[masks & ~(1 << i)] < lower
            yield setting | {"claim": f"removing record {i} lowers no margin"}, int(lowered.sum()), 0
        for level, count in zip(levels, fewest, strict=True):
            searched = min_outliers(X, y, level)
            counts = (searched.low, searched.high, count, bound.fewest_outliers(subset_margins=upper, level=level))
            yield setting | {"level": level, "claim": "m(level)"}, max(counts), min(counts)
        series = series or {"gamma": levels.tolist(), "m(gamma)": [float(count) for count in fewest]}
    note = (
        "the margin of the empty subset is +∞, a minimum over nothing; checked over all subsets and by a separate "
        "search"
    )
    return {"tightness": None, "note": note, "series": series}


@inequality_claim(
    bound.outlier_count,
    quick=({"n": 6, "d": 2},),
    full=({"n": 1, "d": 1}, {"n": 8, "d": 4}),
    control=Control(lambda factor: "the empty subset left out", (2,)),
    note="Not printed: γ of the empty subset is +∞, so S itself is always an outlier set; without that S_out(γ) is "
    "empty for every γ above the longest record, and the minima over it are undefined "
    "(cf. Lemma 6.3, Corollary D.2 and Lemma 6.4).",
)
def some_outlier_set(*, n, d, factor=1):
    """|S_out(gamma)| at levels up to 1, on data whose records may all be shorter than that."""
    levels, counts = np.linspace(0, 1, 21), []
    for kind in KINDS:
        _, _, _, upper = subsets(kind, n, d)
        margins = np.where(np.arange(2**n) < factor - 1, -np.inf, upper)
        counts = [bound.outlier_count(subset_margins=margins, level=level) for level in levels]
        for level, count in zip(levels, counts, strict=True):
            yield {"n": n, "d": d, "kind": kind, "level": level}, 1, count
    series = {"gamma": levels.tolist(), "outlier sets of short records": [float(count) for count in counts]}
    return {"tightness": None, "series": series}


@identity_claim(
    bound.outlier_count_at_zero,
    quick=({"n": 6, "d": 2},),
    full=({"n": 1, "d": 1}, {"n": 8, "d": 1}),
    control=Control(lambda factor: "gamma(S') > gamma in place of >=", (2,)),
    note="a set that is not separable has γ(S) = 0, which reaches level 0: m(0) = 0 for any data",
)
def everything_reaches_zero(*, n, d, factor=1):
    """All 2^n subsets at level 0, opposite records and zero records included."""
    for kind in KINDS:
        X, y, _, _ = subsets(kind, n, d)
        X = np.vstack([X, -X[:1]])[-n:] if n > 1 else 0 * X  # the first record is opposite to the last, or zero
        y = np.append(y, y[0])[-n:]
        lower, _ = subset_margins(X, y)
        count = len(bound.inlier_sets(subset_margins=lower, level=(factor - 1) * 1e-300))
        yield {"n": n, "d": d, "kind": kind}, count, bound.outlier_count_at_zero(n=n)
        yield {"n": n, "d": d, "kind": kind, "level": 0}, min_outliers(X, y, 0.0).high, 0
    return {"tightness": None}


if __name__ == "__main__":
    run_script(__file__)
