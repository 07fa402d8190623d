"""The SVM of `solvers.svm` to an accuracy that is proved: what is released is near the minimiser whatever the rows.

The float solver's point is taken if its certificate is good enough; the box is rounded there, by 3/2 EPS of each u_i,
which moves the minimiser by as much of C kappa at most. Else, with the hinge loss, the dual

    minimise  1/2 ||sum_i x_i z_i||^2 - sum_i x_i  over  x, s >= 0,  x + s = u = C counts / n

is solved in ball arithmetic by long-step path following (Wright 1997, chapter 5), with multipliers l and m of x and s,

    g(x) - l + m = 0,   g(x)_i = <z_i, sum_j x_j z_j> - 1,   tau = (<x, l> + <s, m>) / N,   N = 2 n,

which hold at the start and after every step, as they are linear. All x_i l_i and s_i m_i stay above GAMMA tau. A Newton
step towards SIGMA tau changes a product xl of the N ones to xl - t (xl - SIGMA tau) + t^2 p, where the p add up to
dx^T Z Z^T dx >= 0, and by the arithmetic and geometric mean no |p| is above 2^(-3/2) (1 + 1/GAMMA) N tau and their
sum not above (1 + 1/GAMMA) N tau / 4. So for t <= t0 = SIGMA (1 - GAMMA) / ((1 + 1/GAMMA) (N/2 + 1)) the products stay
above GAMMA tau, and tau falls by a factor 1 - t (1 - SIGMA)/2 at least: after a number of steps in proportion to
n log(1/within^2), whatever the rows hold, N tau, which is the duality gap, is small enough. Longer steps are tried
first. That holds over the real numbers; where balls of a precision do not show it, they are made finer.
"""

from fractions import Fraction
from math import inf

import numpy as np
from flint import arb, arb_mat, ctx

from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.mechanisms.numerics.sparse_rows import Rows, dense_rows
from lemmata.mechanisms.solvers.certified_risk import Problem
from lemmata.mechanisms.solvers.svm import EPS, solve_rows

GAMMA, SIGMA = Fraction(1, 100), Fraction(1, 10)
Vector = list[arb]


def solve_certified(
    V: Rows, y: np.ndarray, *, C: float, kappa: float, loss: str, counts: np.ndarray, within: float
) -> np.ndarray:
    """Weights within `within` of the minimiser, shape (F,), for rows of length at most kappa and labels -1 or +1.

    >>> found = solve_certified(np.eye(1), np.ones(1), C=4.0, kappa=1.0, loss="hinge", counts=np.ones(1), within=1e-9)
    >>> round(float(found[0]), 6)
    1.0
    """
    try:
        solved = solve_rows(V, y, C=C, loss=loss, counts=counts)
        w, error = solved.weights, float(solved.error)
    except np.linalg.LinAlgError:
        w, error = np.zeros(V.shape[1]), inf
    if loss == "hinge" and error + 2 * EPS * C * kappa <= within:  # not so where it is no number
        return w
    n = int(counts.sum())
    Z = y[:, None] * dense_rows(V)
    if loss == "logistic":
        return Problem(Z, ridge=1.0, share=Fraction(C) / n, loss=loss, counts=counts, radius=kappa).near(w, within)
    box, bits = [Fraction(C) * int(count) / n for count in counts.tolist()], 128
    while True:
        with ctx.workprec(bits):
            point, error = HingeDual(Z, box).followed(within)
            w = np.array([float(one) for one in point])
            if error + float(np.spacing(np.abs(w)).sum()) <= within:
                return w
        bits *= 2


class HingeDual:
    """The dual problem in balls, at flint's precision when it is made; what is kept are their midpoints."""

    def __init__(self, Z: np.ndarray, box: list[Fraction]) -> None:
        self.rows, self.columns = arb_mat(Z.tolist()), arb_mat(Z.T.tolist())
        self.u = [exact(one) for one in box]
        self.n, self.F = Z.shape
        self.gamma, self.sigma = exact(GAMMA), exact(SIGMA)

    def weights(self, x: Vector) -> Vector:
        """sum_i x_i z_i, enclosed."""
        return list((self.columns * _column(x)).entries())

    def margins(self, w: Vector) -> Vector:
        """<w, z_i>, enclosed."""
        return list((self.rows * _column(w)).entries())

    def distance(self, x: Vector) -> float:
        """A bound on the distance of w(x) from the minimiser: the root of the gap; infinite for x outside the box."""
        gap, zero = arb(0), arb(0)
        for one, u, margin in zip(x, self.u, self.margins(self.weights(x)), strict=True):
            if not (one >= 0 and one <= u):
                return inf
            gap += (u - one) * (1 - margin).max(zero) + one * (margin - 1).max(zero)
        return upper_end(gap.upper().sqrt())

    def followed(self, within: float) -> tuple[Vector, float]:
        """(weights, certified distance to the minimiser) as far as the path can be followed at this precision."""
        x = [(u / 2).mid() for u in self.u]
        g = self._gradient(x)
        height = max([u * abs(one) for u, one in zip(self.u, g, strict=True)], key=float) + 1
        state: tuple[Vector, ...] = (
            x,
            list(x),
            [(height / u + one.max(arb(0))).mid() for u, one in zip(self.u, g, strict=True)],
            [(height / u + (-one).max(arb(0))).mid() for u, one in zip(self.u, g, strict=True)],
        )
        target, tau = exact(within) ** 2 / (16 * self.n), self._tau(state)
        while tau > target and (moved := self._moved(state, tau)) is not None:
            state, tau = moved
        return self.weights(state[0]), self.distance(state[0])

    def _gradient(self, x: Vector) -> Vector:
        return [margin - 1 for margin in self.margins(self.weights(x))]

    def _tau(self, state: tuple[Vector, ...]) -> arb:
        x, s, l, m = state
        return ((_dot(x, l) + _dot(s, m)) / (2 * self.n)).mid()

    def _moved(self, state: tuple[Vector, ...], tau: arb) -> tuple[tuple[Vector, ...], arb] | None:
        """The state after the longest step that keeps what is proved of the shortest; None where none is seen to."""
        try:
            steps = self._steps(state, self.sigma * tau)
        except ZeroDivisionError:  # a system that is singular at this precision
            return None
        length, shortest = arb(1), self.sigma * (1 - self.gamma) / ((1 + 1 / self.gamma) * (self.n + 1))
        while True:
            moved = tuple(
                [(one + length * step).mid() for one, step in zip(*pair, strict=True)]
                for pair in zip(state, steps, strict=True)
            )
            now = self._tau(moved)
            if now <= tau * (1 - length * (1 - self.sigma) / 2) and self._central(moved, now):
                return moved, now
            if length < shortest:
                return None
            length = (length * exact(Fraction(4, 5))).mid()

    def _central(self, state: tuple[Vector, ...], tau: arb) -> bool:
        x, s, l, m = state
        least = self.gamma * tau
        return all(
            bool(a > 0 and b > 0 and a * b >= least) for pair in ((x, l), (s, m)) for a, b in zip(*pair, strict=True)
        )

    def _steps(self, state: tuple[Vector, ...], target: arb) -> tuple[Vector, ...]:
        """Newton's steps of (x, s, l, m) towards products of `target`: (D + Z Z^T) dx = r, by a system of F rows."""
        x, s, l, m = state
        inverse = [1 / (c / a + d / b) for a, b, c, d in zip(x, s, l, m, strict=True)]
        right = [target / a - target / b - one for a, b, one in zip(x, s, self._gradient(x), strict=True)]
        scaled = arb_mat([[inverse[i] * self.rows[i, j] for j in range(self.F)] for i in range(self.n)])
        system = self.columns * scaled
        for j in range(self.F):
            system[j, j] = system[j, j] + 1
        lifted = [a * b for a, b in zip(inverse, right, strict=True)]
        solved = list(system.solve(_column(self.weights(lifted))).entries())
        dx = [a * (b - c) for a, b, c in zip(inverse, right, self.margins(solved), strict=True)]
        dl = [target / a - c - c / a * d for a, c, d in zip(x, l, dx, strict=True)]
        dm = [target / b - c + c / b * d for b, c, d in zip(s, m, dx, strict=True)]
        return dx, [-d for d in dx], dl, dm


def _column(entries: Vector) -> arb_mat:
    return arb_mat(len(entries), 1, entries)


def _dot(a: Vector, b: Vector) -> arb:
    return sum((one * other for one, other in zip(a, b, strict=True)), arb(0))
