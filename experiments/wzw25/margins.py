"""Is the margin what we compute, and do its inlier sets behave? Wang, Zhu & Wang (2025), Equation 1, Definition 6.1.

The definitions claim nothing. Their consequences are derived in `bounds/wzw25/margins.py`; here the derivations meet
the code, on data chosen to be awkward: ties, opposite records, zero records, margins near 0.
"""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse

from bounds.wzw25 import margins as bound
from experiments.engine.claim import Control, exact_claim
from experiments.engine.verdict import holds, refuted
from mechanisms.solvers.margin import geometric_margin, min_outliers, signed_records, subset_margins

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


def witness(setting, claimed, found, X, y, python):
    """The data inline, at most 20 rows of them."""
    data = f"X = np.array({np.asarray(X)[:20].tolist()})\ny = np.array({np.asarray(y)[:20].tolist()})"
    return {
        "setting": setting,
        "claimed": claimed,
        "found": found,
        "python": f"import numpy as np\nfrom mechanisms.solvers.margin import *\n{data}\n{python}",
    }


@exact_claim(
    bound.hull_distance,
    quick=({"n": 12},),
    full=({"n": 1}, {"n": 2}, {"n": 150}),
    control=Control("weights that sum to {}", (1.001, 2)),
    cost=0.1,
)
def distance_is_margin(*, n, factor=1):
    """The nearest point's norm against every direction of the plane that can be best, for each awkward family."""
    worst, ratios = 0.0, [1.0]
    for family in FAMILIES:
        X, y = labelled(family, n)
        Z = signed_records(X, y)
        nearest = geometric_margin(X, y)
        scale = np.abs(Z).max() or 1.0
        brute = scale * best_direction(Z / scale)
        distance = bound.hull_distance(weights=factor * nearest.weights, X=X, y=y)
        error = abs(distance - brute) / scale
        if not error <= 1e-9 or not nearest.value - 1e-9 * scale <= brute <= nearest.upper + 1e-9 * scale:
            python = f"assert not np.isclose(geometric_margin(X, y).upper, {brute!r}, rtol=0, atol={1e-9 * scale!r})"
            setting = {"n": n, "family": family}
            return refuted("enumeration", witness(setting, f"{brute:.9g}", f"{distance:.9g}", X, y, python))
        worst = max(worst, error)
        if brute > 1e-6 * scale:
            ratios.append(brute / distance)
    X, y = labelled("separable", n)
    angles = np.linspace(-np.pi / 2, np.pi / 2, 61)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    series = {
        "angle of w": angles.tolist(),
        "Margin(w; S)": [bound.margin(w=w, X=X, y=y) for w in directions],
        "distance of the hull": [geometric_margin(X, y).upper] * len(angles),
    }
    note = f"{len(FAMILIES)} families in the plane agree with a listing of directions, to {worst:.0e} of the records"
    return holds("derivation", "everywhere", tightness=(min(ratios), max(ratios)), note=note, series=series)


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


@exact_claim(
    bound.svm_margin,
    quick=({"n": 30, "d": 5},),
    full=({"n": 1, "d": 1}, {"n": 20, "d": 60}, {"n": 400, "d": 20}),
    control=Control("constraints y <w, x> >= {}", (1.001, 2)),
    cost=0.05,
)
def margin_is_svm(*, n, d, factor=1):
    """1 over the norm of the hard-margin SVM against the certified enclosure of gamma(S)."""
    rng = np.random.default_rng(n)
    y = rng.choice([-1.0, 1.0], n)
    X = (rng.normal(size=(n, d)) / np.sqrt(d) + 3 * np.eye(d)[0]) * y[:, None]
    found = geometric_margin(X, y)
    inverse = bound.svm_margin(w=hard_margin_svm(signed_records(X, y), at_least=factor))
    if not found.value * (1 - 1e-6) <= inverse <= found.upper * (1 + 1e-6):
        python = f"m = geometric_margin(X, y)\nassert not m.value <= {inverse!r} <= m.upper"
        setting = {"n": n, "d": d}
        return refuted("certificate", witness(setting, f"{found.value:.9g}", f"{inverse:.9g}", X, y, python))
    ratio = inverse / found.upper
    return holds("derivation", "everywhere", tightness=(ratio, ratio), note="an interior-point SVM agrees to 1e-6")


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


@exact_claim(
    bound.fewest_outliers,
    quick=({"n": 7, "d": 2},),
    full=({"n": 1, "d": 1}, {"n": 9, "d": 3}, {"n": 8, "d": 10}),
    control=Control("inlier sets with a margin within 1/{} of the level, not at least it", (4, 20)),
    cost=0.3,
)
def inlier_sets_shrink(*, n, d, factor=1):
    """Every subset of small data: nested families, monotone m, subsets of inlier sets inliers; m found twice."""
    series = {}
    for kind in KINDS:
        X, y, lower, upper = subsets(kind, n, d)
        masks = np.arange(2**n)
        values = np.unique(np.round(lower[1:], 12))
        levels = np.concatenate([[0.0], (values[1:] + values[:-1]) / 2, [1.0]])

        def family(level, margins=upper):
            chosen = margins >= level if factor == 1 else np.abs(margins - level) <= 1 / factor
            return set(np.flatnonzero(chosen).tolist())

        setting = {"n": n, "d": d, "kind": kind}
        smaller = [family(level) for level in levels]
        fewest = [n - max((int(mask).bit_count() for mask in found), default=-1) for found in smaller]
        for k in range(len(levels) - 1):
            if not smaller[k + 1] <= smaller[k] or fewest[k + 1] < fewest[k]:
                claimed, found = "S_in(gamma') within S_in(gamma)", f"not from {levels[k]:.4g} to {levels[k + 1]:.4g}"
                python = f"assert not set(inliers(X, y, {levels[k + 1]!r})) <= set(inliers(X, y, {levels[k]!r}))"
                return refuted("enumeration", witness(setting, claimed, found, X, y, python))
        for i in range(n):
            less = masks & ~(1 << i)
            if (upper[less] < lower[masks]).any():
                python = "lower, upper = subset_margins(X, y)\nmasks = np.arange(len(lower))\n"
                python += f"assert (upper[masks & ~{1 << i}] < lower).any()"
                found = f"removing record {i} lowered a margin"
                return refuted("enumeration", witness(setting, "closed under subsets", found, X, y, python))
        for level, count in zip(levels, fewest, strict=True):
            searched = min_outliers(X, y, level)
            if not searched.low == searched.high == count == bound.fewest_outliers(subset_margins=upper, level=level):
                python = f"m = min_outliers(X, y, {level!r})\nassert not m.low == m.high == {count}"
                return refuted("enumeration", witness(setting, f"m = {count}", f"m = {searched.high}", X, y, python))
        series = series or {"gamma": levels.tolist(), "m(gamma)": [float(count) for count in fewest]}
    note = "gamma of the empty subset is +inf, a minimum over nothing; listed over every subset and searched for apart"
    return holds("derivation", "everywhere", note=note, series=series)


@exact_claim(
    bound.outlier_count,
    quick=({"n": 6, "d": 2},),
    full=({"n": 1, "d": 1}, {"n": 8, "d": 4}),
    control=Control("the empty subset left out (strictness {})", (2,)),
    cost=0.1,
    note="not printed: gamma of the empty subset is +inf, so S itself is always an outlier set; without that "
    "S_out(gamma) is empty for every gamma above the longest record, and the minima over it in Lemma 6.3, "
    "Corollary D.2 and Lemma 6.4 are undefined",
)
def some_outlier_set(*, n, d, factor=1):
    """|S_out(gamma)| at levels up to 1, on data whose records may all be shorter than that."""
    levels = np.linspace(0, 1, 21)
    counts = []
    for kind in KINDS:
        X, y, _, upper = subsets(kind, n, d)
        reached = upper if factor == 1 else np.where(np.arange(2**n) == 0, -np.inf, upper)
        counts = [bound.outlier_count(subset_margins=reached, level=level) for level in levels]
        if min(counts) < 1:
            level = float(levels[np.argmin(counts)])
            python = f"assert len(outliers(X, y, {level!r})) == 0"
            setting = {"n": n, "d": d, "kind": kind, "level": level}
            return refuted("enumeration", witness(setting, "at least 1 outlier set", "none", X, y, python))
    series = {"gamma": levels.tolist(), "outlier sets of short records": [float(count) for count in counts]}
    return holds("derivation", "everywhere", series=series)


@exact_claim(
    bound.outlier_count_at_zero,
    quick=({"n": 6, "d": 2},),
    full=({"n": 1, "d": 1}, {"n": 8, "d": 1}),
    control=Control("gamma(S') > gamma in place of >= (strictness {})", (2,)),
    cost=0.1,
    note="a set that is not separable has gamma(S) = 0, which reaches level 0: m(0) = 0 for any data",
)
def everything_reaches_zero(*, n, d, factor=1):
    """All 2^n subsets at level 0, opposite records and zero records included."""
    for kind in KINDS:
        X, y, lower, _ = subsets(kind, n, d)
        X = np.vstack([X, -X[:1]])[-n:] if n > 1 else 0 * X  # the first record is opposite to the last, or zero
        y = np.append(y, y[0])[-n:]
        lower, _ = subset_margins(X, y)
        count = len(bound.inlier_sets(subset_margins=lower, level=0)) if factor == 1 else int((lower > 0).sum())
        fewest = min_outliers(X, y, 0.0).high
        if count != bound.outlier_count_at_zero(n=n) or fewest != 0:
            python = f"assert len(outliers(X, y, 0.0)) != {2**n}"
            setting = {"n": n, "d": d, "kind": kind}
            return refuted("enumeration", witness(setting, f"{2**n} outlier sets", str(count), X, y, python))
    return holds("derivation", "everywhere")


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
