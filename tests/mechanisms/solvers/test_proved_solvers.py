"""What is released is as near to the minimiser as is charged for: proved, whatever the records and the float solver.

The float solvers are made to fail outright, to hand back what is no number, and to lie about their certificate's size;
the records are ill-conditioned, tied, duplicated, vanishing and far apart. The truth is another solver's: fractions for
the hinge loss, gradient steps in balls for the smooth ones.
"""

from fractions import Fraction
from math import inf, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from flint import ctx

from lemmata.bounds.exact.balls import upper_end
from lemmata.mechanisms.learners.erm import output_perturbation, private_svm
from lemmata.mechanisms.learners.glm import glm_output
from lemmata.mechanisms.numerics.arguments import clip_rows
from lemmata.mechanisms.privacy import GaussianDP, PureDP
from lemmata.mechanisms.solvers import ball_risk, certified_risk, certified_svm, svm

SIGNS = np.resize([1.0, 1.0, -1.0], 40)


def tables(n, d):
    """Rows that ask much of a solver, of length at most 1."""
    random, ones = np.random.default_rng(n).normal(size=(n, d)), np.ones((n, d))
    scaled = random * 10.0 ** -np.arange(0, 4 * d, 4)
    rows = {
        "random": random,
        "equal": ones,
        "opposite": np.resize([1.0, -1.0], n)[:, None] * ones,
        "nearly equal": ones + 1e-12 * random,
        "duplicates": np.repeat(random[: n // 2], 2, axis=0),
        "ill-conditioned": scaled,
        "small": 1e-9 * random,
        "subnormal": 1e-320 * random,
        "zero": 0 * random,
        "one far": np.vstack([1e120 * ones[:1], 1e-5 * random[1:]]),
    }
    return {name: clip_rows(table, 1.0) for name, table in rows.items()}


TABLES = tables(40, 3)


def raising(*_, **__):
    raise np.linalg.LinAlgError("SVD did not converge")


# What a solver does at its worst.
FAULTS = [lambda V, *_, **__: SimpleNamespace(error=np.nan, weights=np.full(V.shape[1], np.nan)), raising]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("loss", svm.LOSSES)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3, 1e6])
def test_an_svm_is_found_where_the_float_solver_fails(fault, loss, C, monkeypatch):
    within = svm.solution_tolerance(C=C, F=3, kappa=1.0)
    sizes = dict(C=C, kappa=1.0, loss=loss, counts=np.ones(40), within=within)
    for name, V in TABLES.items():
        plain = certified_svm.solve_certified(V, SIGNS, **sizes)
        with monkeypatch.context() as broken:
            broken.setattr(certified_svm, "solve_rows", fault)
            found = certified_svm.solve_certified(V, SIGNS, **sizes)
        assert np.linalg.norm(found - plain) <= 2 * within, name


def solved_dual(Z, box, within):
    """(dual point as fractions, weights, distance) of the path, at the first precision that gets there."""
    held, bits = [], 128
    while True:
        with ctx.workprec(bits):
            dual = certified_svm.HingeDual(Z, box)
            dual.distance = lambda x, plain=dual.distance: held.append(x) or plain(x)
            w, error = dual.followed(within)
            if error <= within:
                return [_fraction(one) for one in held[-1]], w, error
        bits *= 2
        assert bits < 2000


@pytest.mark.parametrize("C", [1.0, 1e6])
def test_a_hinge_point_is_within_its_distance_by_fractions(C):
    """Primal less dual in fractions, at the dual point of the path: half of D^2 each."""
    for name, V in TABLES.items():
        Z, box = SIGNS[:, None] * V, [Fraction(C) / 40] * 40
        x, w, error = solved_dual(Z, box, 1e-6 * sqrt(C))
        rows = [[Fraction(v) for v in row] for row in Z.tolist()]
        exactly = [sum(a * row[j] for a, row in zip(x, rows, strict=True)) for j in range(3)]
        square = sum(one * one for one in exactly)
        losses = [max(Fraction(0), 1 - sum(a * b for a, b in zip(exactly, row, strict=True))) for row in rows]
        gap = square + sum(u * one for u, one in zip(box, losses, strict=True)) - sum(x)
        assert all(0 <= a <= u for a, u in zip(x, box, strict=True)), name
        assert 0 <= gap <= Fraction(error) ** 2, name
        assert all(abs(Fraction(upper_end(a)) - b) < Fraction(1, 10**9) for a, b in zip(w, exactly, strict=True)), name


def _fraction(ball):
    mantissa, power = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(power)


def test_a_path_that_is_not_followed_far_enough_is_not_accepted(monkeypatch):
    """The negative control of the loop: half-way points are refused, at every precision."""
    tried = []

    def half_way(self, within):
        tried.append(ctx.prec)
        x = [(u / 2).mid() for u in self.u]
        return (self.weights(x), self.distance(x)) if len(tried) < 3 else ([*map(type(x[0]), (0.0,) * 3)], 0.0)

    monkeypatch.setattr(certified_svm, "solve_rows", raising)
    monkeypatch.setattr(certified_svm.HingeDual, "followed", half_way)
    sizes = dict(C=1.0, kappa=1.0, loss="hinge", counts=np.ones(40), within=1e-6)
    assert not certified_svm.solve_certified(TABLES["random"], SIGNS, **sizes).any()
    assert tried == [128, 256, 512]


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3])
def test_a_smooth_minimiser_is_found_from_anywhere(loss, C):
    """From zero, from far away and from no number; the certificate is that of balls."""
    for name, V in TABLES.items():
        problem = certified_risk.Problem(SIGNS[:, None] * V, ridge=1.0, share=Fraction(C) / 40, loss=loss)
        within = output_perturbation.tolerance(C, 40, 3)
        found = [problem.near(w, within) for w in (np.zeros(3), np.full(3, C), np.full(3, np.nan))]
        assert max(np.linalg.norm(one - found[0]) for one in found) <= 2 * within, name
        with ctx.workprec(256):
            *_, (_, distance) = problem.nearer(found[0], [certified_risk.arb(0)] * 3)
        assert distance < 1e-40 * max(1.0, C), name


def test_counts_are_records():
    Z = SIGNS[:5, None] * TABLES["random"][:5]
    counts = np.array([1.0, 3.0, 2.0, 1.0, 4.0])
    grouped = certified_risk.Problem(Z, ridge=1.0, share=Fraction(1), loss="logistic", counts=counts)
    plain = certified_risk.Problem(
        np.repeat(Z, counts.astype(int), axis=0), ridge=1.0, share=Fraction(1), loss="logistic"
    )
    np.testing.assert_allclose(grouped.near(np.zeros(3), 1e-12), plain.near(np.zeros(3), 1e-12), atol=2e-12)


@pytest.mark.parametrize("loss", ["logistic", "squared", "squared_hinge", "huber", "half_squared"])
@pytest.mark.parametrize(("ridge", "norm_bound"), [(1e-2, 2.0), (0.3, 0.5), (1.0, 50.0), (1e3, 1e-3)])
def test_a_descent_ends_where_it_was_proved_to(loss, ridge, norm_bound, monkeypatch):
    """Newton's steps fail: the descent's end is within what is charged of theirs; its steps and charge are public."""
    charged, steps = set(), set()
    plain = ball_risk.run_descent
    monkeypatch.setattr(glm_output, "run_descent", lambda *a, **k: steps.add(k["steps"]) or plain(*a, **k))
    for name, X in TABLES.items():
        for y in (SIGNS, -SIGNS, np.ones(40)):
            data = glm_output.records(X, y, loss=loss, label_bound=1.0)
            sizes = dict(ridge=ridge, norm_bound=norm_bound)
            gradient = max(data.radius * data.slope_bound(norm_bound), data.radius)
            missed = glm_output.accuracy(40, 3, gradient=gradient, smooth=data.link.smoothness, **sizes)
            newton = glm_output.solve_within(data, missed=missed, **sizes)
            with monkeypatch.context() as broken:
                broken.setattr(ball_risk, "_minimised", raising)
                descent = glm_output.solve_within(data, missed=missed, **sizes)
            charged.add(missed)
            assert np.linalg.norm(descent - newton) <= 2 * missed and np.linalg.norm(descent) <= norm_bound * (
                1 + 1e-15
            ), name
    assert len(charged) == len(steps) == 1


def test_fewer_steps_do_not_reach_it():
    """The negative control: a quarter of the steps end farther from the minimiser than is charged."""
    data = glm_output.records(np.ones((4, 1)), [1.0, -1.0, 1.0, 1.0], loss="squared", label_bound=1.0)
    sizes = dict(smooth=2.0, ridge=0.01, norm_bound=1.0)
    steps, slope = ball_risk.count_steps(smooth=2.0, ridge=0.01, accuracy=1e-6), data.link.slope
    ends = [
        ball_risk.run_descent(data.X, data.y, slope=slope, steps=k, **sizes) for k in (steps // 4, steps, 4 * steps)
    ]
    assert abs(ends[1] - ends[2]) < 1e-6 < 10 * abs(ends[0] - ends[2]) or abs(ends[0] - ends[2]) < 1e-6


@pytest.mark.parametrize("loss", ["logistic", "huber", "hinge"])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3, 1e6])
def test_float_solvers_reach_by_themselves_what_is_charged(loss, C):
    """So that the ball arithmetic, which is slow, is not needed on these tables."""
    for V in TABLES.values():
        for y in (SIGNS, np.ones(40)):
            if loss != "huber":
                assert svm.solve_rows(V, y, C=C, loss=loss).error <= svm.solution_tolerance(C=C, F=3, kappa=1.0)
            if loss != "hinge":
                problem = certified_risk.Problem(y[:, None] * V, ridge=1.0, share=Fraction(C) / 40, loss=loss)
                options = dict(linear=np.zeros((1, 3)), ridge=1.0, loss=loss)
                w = output_perturbation.minimise(problem.Z, share=C / 40, **options)[0][0]
                assert problem.distance(w, [certified_risk.arb(0)] * 3) <= output_perturbation.tolerance(C, 40, 3)


@pytest.mark.parametrize("law", [
    lambda X, y: private_svm.law(X, y, privacy=PureDP(1.0), C=1e3),
    lambda X, y: private_svm.law(X, y, privacy=PureDP(1.0), C=1e3, loss="logistic"),
    lambda X, y: output_perturbation.law(X, y, privacy=PureDP(1.0), C=1e3),
    lambda X, y: glm_output.law(X, y, privacy=GaussianDP(1.0), loss="logistic", norm_bound=2.0, ridge=0.1),
])  # fmt: skip
def test_what_a_law_shows_is_the_same_for_all_records(law):
    assert len({repr(law(X, y)) for X in TABLES.values() for y in (SIGNS, -SIGNS)}) == 1


def test_where_the_diameter_is_charged_nothing_is_asked_of_the_solver():
    data = glm_output.records(np.ones((4, 1)), np.ones(4), loss="squared", label_bound=1.0)
    assert np.linalg.norm(glm_output.solve_within(data, ridge=1e-30, norm_bound=2.0, missed=inf)) <= 2.0
