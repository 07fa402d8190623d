"""Functions as arguments: which are members of a class, what is drawn for it, and which statements about them fall."""

import math

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.bounds.theorem import BrokenLine, OutsideHypotheses, function, positive, require
from lemmata.experiments.engine.search.arrays import find_arrays
from tests.engine.search.test_search import expect_a_fall, expect_all_to_hold, look, make

CONVEX = function("f", convex=True)
SPREAD = require("x has an entry", lambda x: len(x) >= 1)
FROM_0 = require("f(0) = 0", lambda f: f(0) == 0)


def jensen(bound):
    global at_means, bound_of_means
    bound_of_means = bound

    def at_means():
        for f in (abs, np.exp, lambda x: x * x):
            for x in ([0.0, 1.0], [-1.0, 0.5, 2.0]):
                yield {"f": "a function", "x": x}, float(f(np.mean(x))), bound_of_means(f=f, x=x)

    return at_means


def increments(bound):
    global at_steps, bound_of_steps
    bound_of_steps = bound

    def at_steps():
        for f in (math.sin, abs):
            for L in (1.0, 2.0):
                for t in (0.5, 1.0):
                    yield (
                        {"f": f.__name__, "L": L, "t": t},
                        abs(float(f(t)) - float(f(0))),
                        bound_of_steps(f=f, L=L, t=t),
                    )

    return at_steps


def at_two_places(bound):
    global at_sums, bound_of_sums
    bound_of_sums = bound

    def at_sums():
        for f in (lambda x: x / 2, lambda x: x * x / 4):
            for s in (0.5, 1.0):
                yield {"f": "a function", "s": s}, float(f(s) + f(2 * s)), bound_of_sums(f=f, s=s)

    return at_sums


LIPSCHITZ = [function("f", lipschitz="L"), positive("L"), positive("t")]
SMOOTH = [function("f", convex=True, smooth=1.0), FROM_0, positive("s")]
FALSE = {
    "half of Jensen": ([CONVEX, SPREAD], lambda *, f, x: float(np.mean(f(np.array(x)))) - 1e-3 * np.ptp(x), jensen),
    "nine tenths of L": (LIPSCHITZ, lambda *, f, L, t: 0.9 * L * t, increments),
    "a convex function at its mean": ([CONVEX, FROM_0, positive("s")], lambda *, f, s: 2 * f(1.5 * s), at_two_places),
    "a smooth one": (SMOOTH, lambda *, f, s: 2 * f(1.5 * s) + 0.2 * s * s, at_two_places),
}
TRUE = {
    "Jensen": ([CONVEX, SPREAD], lambda *, f, x: float(np.mean(f(np.array(x)))), jensen),
    "L": (LIPSCHITZ, lambda *, f, L, t: L * t, increments),
    "convex is superadditive": ([CONVEX, FROM_0, positive("s")], lambda *, f, s: f(3 * s), at_two_places),
    "Karamata": ([CONVEX, FROM_0, positive("s")], lambda *, f, s: f(2.5 * s) + f(s / 2), at_two_places),
    "a smooth one": (SMOOTH, lambda *, f, s: 2 * f(1.5 * s) + 0.25 * s * s, at_two_places),
}


@pytest.mark.parametrize("root", [0, 1, 2])
@pytest.mark.parametrize("case", FALSE.values(), ids=FALSE)
def test_a_false_statement_about_functions_falls(case, root):
    needs, right, check = case
    expect_a_fall(make(needs, right, check=check), root)


@pytest.mark.parametrize("case", TRUE.values(), ids=TRUE)
def test_a_true_statement_about_functions_stands(case):
    needs, right, check = case
    expect_all_to_hold(make(needs, right, check=check))


MEMBERS = [
    (function("f", convex=True), (), abs, True),
    (function("f", convex=True), (), np.sin, False),
    (function("f", convex=True, on=(0, math.inf)), (), lambda x: -math.log(x), True),
    (function("f", convex=True), (), lambda x: -math.log(x), False),  # undefined below 0
    (function("f", nonincreasing=True), (), lambda x: -x, True),
    (function("f", nonincreasing=True, on=(0, 1)), (), lambda x: x * (x - 2), True),
    (function("f", nonincreasing=True, on=(0, 2)), (), lambda x: x * (x - 2), False),
    (function("f", lipschitz=1.0), (), np.sin, True),
    (function("f", lipschitz="L"), (0.9,), np.sin, False),
    (function("f", smooth="b"), (2.0,), lambda x: x * x, True),
    (function("f", smooth="b"), (1.9,), lambda x: x * x, False),
    (function("f", smooth=1000.0), (), abs, False),
    (function("f", lipschitz="L", smooth="b"), (1.0, 1.0), np.sin, True),
    (function("f", lipschitz="L", smooth="b"), (1.0, 0.9), np.sin, False),
]


@pytest.mark.parametrize(("asked", "bounds", "f", "is_member"), MEMBERS)
def test_a_function_of_an_author_is_judged_at_points(asked, bounds, f, is_member):
    named = dict(zip(asked.names, (f, *bounds), strict=True))
    assert asked.admits(named) == is_member
    if not is_member:
        with pytest.raises(OutsideHypotheses, match=r"outside the hypothesis: f "):
            asked.check(named)


def test_a_bound_that_is_no_argument_is_refused():
    with pytest.raises(ValueError, match=r"needs must name arguments of <lambda>, got M"):
        make([function("f", lipschitz="M"), positive("L")], lambda *, f, L: L, check=lambda made: None)


@pytest.mark.parametrize(
    ("asked", "f"),
    [
        (function("f", smooth=2.0, on=(1e3, 1e3 + 1)), lambda x: x * x),
        (function("f", convex=True), lambda x: abs(x) + 1e4 + 0.1),
        (function("f", lipschitz=1.0), lambda x: abs(x) + 1e5 + 0.1),
    ],
)
def test_rounding_makes_no_function_another_one(asked, f):
    assert asked.admits({"f": f})


def test_functions_on_an_interval_change_their_slope_there():
    known, rng = find_arrays([function("f", convex=True, on=(5.0, 10.0))], {"f": [abs]})["f"], np.random.default_rng(0)
    places = np.array([place for _ in range(100) for place, *_ in known.draw(rng, 1, []).rows[1:]])
    assert ((places >= 5) & (places <= 10)).all() and len(np.unique(places)) > 20


def test_a_name_beside_a_function_stays():
    global named, bound_of_named

    def named():
        for name, f in (("abs", abs), ("square", np.square)):
            yield {"f": name}, 1.02 * f(3.0), bound_of_named(f=f)

    def check(bound):
        global bound_of_named
        bound_of_named = bound
        return named

    assert look(make([CONVEX], lambda *, f: (f(2.0) + f(4.0)) / 2, check=check)).outcome == REFUTED


CLASSES = [
    {"convex": True},
    {"nonincreasing": True},
    {"lipschitz": 0.5},
    {"smooth": 3.0},
    {"convex": True, "lipschitz": 2.0, "smooth": 1.0},
    {"nonincreasing": True, "convex": True, "lipschitz": 1.0},
]


@pytest.mark.parametrize("asked", CLASSES)
def test_what_is_drawn_and_moved_is_a_member_by_its_values(asked):
    """By divided differences of its values, which know nothing of its rows."""
    need, x = function("f", **asked), np.linspace(-30, 30, 1201)
    known, rng = find_arrays([need], {"f": [abs]})["f"], np.random.default_rng(3)
    changes = 0
    for _ in range(200):
        f = known.draw(rng, 1, [])
        f = known.move(f, rng) if rng.random() < 0.5 else f
        assert need.admits({"f": f})
        slopes = np.diff(f(x)) / np.diff(x)
        off = 1e-9 * np.abs(f.rows).sum() ** 2
        assert not asked.get("convex") or np.diff(slopes).min() >= -off
        assert not asked.get("nonincreasing") or slopes.max() <= off
        assert np.abs(slopes).max() <= asked.get("lipschitz", np.inf) + off
        assert np.abs(np.diff(slopes)).max() <= 0.05 * asked.get("smooth", np.inf) + off
        changes += len(f.rows) - 1
    assert changes > 100


def test_the_slope_and_the_curvature_are_those_of_the_values():
    rng, x = np.random.default_rng(1), np.linspace(-30, 30, 60_001)
    for _ in range(20):
        rows = np.column_stack([rng.normal(size=4), rng.normal(size=4), rng.uniform(0.5, 2, 4)])
        f = BrokenLine(tuple(map(tuple, rows.tolist())))
        slopes = np.diff(f(x)) / np.diff(x)
        assert f.slopes().max() == pytest.approx(slopes.max(), abs=2e-3)
        assert f.slopes().min() == pytest.approx(slopes.min(), abs=2e-3)
        assert f.curvature() == pytest.approx(np.abs(np.diff(slopes) / 1e-3).max(), rel=0.02)
        assert f(0) == pytest.approx(rows[0, 0])


def test_a_broken_line_is_written_as_a_formula():
    f = BrokenLine(((1.0, -1.0, 0.0), (0.5, 2.0, 0.0), (-1.0, 0.5, 0.1)))
    x = np.linspace(-4, 4, 33)
    assert f.__name__ == "0.5 - x + 2 max(x - 0.5, 0) + 0.5 max(x + 1, 0) rounded over 0.1"
    plain = 0.5 - x + 2 * np.maximum(x - 0.5, 0) + 0.5 * np.maximum(x + 1, 0)
    assert f(x) == pytest.approx(plain, abs=0.01)
    assert BrokenLine(((0.0, 0.0, 0.0),)).__name__ == "0"
    assert BrokenLine(((0.0, 1 + 1e-9, 0.0), (2.0, -1 - 1e-9, 0.0))).__name__ == "x - max(x - 2, 0)"
