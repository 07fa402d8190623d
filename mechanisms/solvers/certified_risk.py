"""Minimisers of `solvers.perturbed_risk` to any accuracy, certified in ball arithmetic.

    J(w) = ridge/2 ||w||^2 + share (sum_i loss(<w, z_i>) + <b, w>)

J is `ridge`-strongly convex, so w is within ||grad J(w)|| / ridge of the minimiser; the gradient is enclosed with b,
whose entries may be balls, first in float64 with its error bounded, then in ball arithmetic. From one w to the next
goes a Newton step with a Hessian in float64, as long as makes the gradient shorter, or, where none does, a step along
the gradient, which always does: a step of 1/L makes it shorter by a factor 1 - ridge/L, L = ridge + share curvature
sum_i counts_i ||z_i||^2. So every accuracy is reached, from any point and whatever the rows.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, arb_mat, ctx

from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.mechanisms.numerics.proved_floats import exp_below_700
from lemmata.mechanisms.solvers.perturbed_risk import HUBER, MARGIN_LOSSES

HALVINGS = 12  # of a Newton step


def slope(loss: str, margin: arb) -> arb:
    """The derivative of the loss in a ball.

    >>> slope("huber", arb(1)), slope("logistic", arb(0))
    (-0.500000000000000, -0.500000000000000)
    """
    if loss == "logistic":
        return -1 / (1 + margin.exp())
    return -((1 + exact(HUBER) - margin) / exact(2 * HUBER)).max(arb(0)).min(arb(1))


def float_slopes(loss: str, margins: np.ndarray) -> np.ndarray:
    """The same in float64, each within 2^-44: what is proved of `exp_below_700` is relative; five operations follow.

    >>> float_slopes("logistic", np.array([0.0, -800.0])).tolist()
    [-0.5, -1.0]
    """
    if loss == "logistic":
        small = exp_below_700(-np.abs(margins))
        return -np.where(margins > 0, small, 1.0) / (1 + small)
    return -np.clip((1 + HUBER - margins) / (2 * HUBER), 0.0, 1.0)


class Problem:
    """One objective without its b; rows z_i of length at most `radius`, each of which counts `counts`_i times."""

    def __init__(
        self,
        Z: np.ndarray,
        *,
        ridge: float,
        share: Fraction,
        loss: str,
        counts: np.ndarray | None = None,
        radius: float = 1.0,
    ) -> None:
        self.Z, self.ridge, self.share, self.loss, self.radius = Z, ridge, share, loss, radius
        self.counts = np.ones(len(Z)) if counts is None else counts

    @cached_property
    def rows(self) -> arb_mat:
        """Z in balls."""
        return arb_mat(self.Z.tolist())

    @cached_property
    def columns(self) -> arb_mat:
        """Its transpose."""
        return arb_mat(self.Z.T.tolist())

    def distance(self, w: np.ndarray, b: list[arb]) -> float:
        """A bound on the distance of w from the minimiser, by float64.

        With u = 2^-53 and n the sum of the counts, a margin is off by (F + 2) u radius ||w||, a slope by that times the
        curvature and 2^-44, and a sum of slopes times rows by n radius times a slope's error and (rows + 3) u n radius;
        the sum with the other terms and the length add 8 u of all that is summed. All bounds are taken twice, for their
        own rounding and their second order.
        """
        (rows, F), unit, share, reach = (
            self.Z.shape,
            2.0**-53,
            float(self.share),
            self.radius * float(self.counts.sum()),
        )
        tilt = np.array([float(one.mid()) for one in b])
        pulls = (float_slopes(self.loss, self.Z @ w) * self.counts) @ self.Z
        length, summed = float(np.linalg.norm(w)), share * (reach + float(np.linalg.norm(tilt)))
        margin = (F + 2) * unit * self.radius * length
        off = share * reach * (MARGIN_LOSSES[self.loss].curvature * margin + 2.0**-44 + (rows + 3) * unit)
        off += (F + 8) * unit * (self.ridge * length + summed) + share * sum(float(one.rad()) for one in b)
        found = float(np.linalg.norm(self.ridge * w + share * (pulls + tilt)))
        return (found * (1 + 2.0**-40) + 2 * off) / self.ridge

    def gradient(self, w: list[arb], b: list[arb]) -> list[arb]:
        """grad J(w), enclosed at flint's precision."""
        margins = (self.rows * arb_mat(len(w), 1, w)).entries()
        slopes = [count * slope(self.loss, margin) for count, margin in zip(self.counts.tolist(), margins, strict=True)]
        pulls = (self.columns * arb_mat(len(slopes), 1, slopes)).entries()
        ridge, share = exact(self.ridge), exact(self.share)
        return [ridge * one + share * (pull + push) for one, pull, push in zip(w, pulls, b, strict=True)]

    def nearer(self, w: np.ndarray, b: list[arb]) -> Iterator[tuple[list[arb], float]]:
        """Points from w on, each with a certified distance to the minimiser, as long as they come nearer.

        It ends where the width of b, or flint's precision, leaves no more to be gained.
        """
        point = [arb(one) for one in w.tolist()]
        yield point, self.distance(w, b)
        g = self.gradient(point, b)
        while True:
            length = _length(g)
            yield point, upper_end(length / exact(self.ridge))
            middle = np.array([float(one.mid()) for one in g])
            if not sum(float(one.rad()) for one in g) < 2.0**-20 * float(np.linalg.norm(middle)):
                return
            for share, step in self._steps(point, middle):
                tried = [(one + exact(d)).mid() for one, d in zip(point, step.tolist(), strict=True)]
                g = self.gradient(tried, b)
                if not share or bool(_length(g) <= (1 - exact(share) / 4) * length):
                    break
            point = tried

    def _steps(self, point: list[arb], gradient: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
        """(how much of a Newton step it is, the step), shorter and shorter, and at last one along the gradient."""
        second = MARGIN_LOSSES[self.loss].second(self.Z @ np.array([float(one.mid()) for one in point])) * self.counts
        hessian = self.ridge * np.eye(len(gradient)) + float(self.share) * (self.Z.T * second) @ self.Z
        try:
            newton = -np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:
            newton = np.full(len(gradient), np.nan)
        if np.isfinite(newton).all():
            yield from ((share, share * newton) for share in 2.0 ** -np.arange(HALVINGS))
        steepest = float(self.share) * MARGIN_LOSSES[self.loss].curvature * float(self.counts @ (self.Z**2).sum(axis=1))
        yield 0.0, -gradient / (self.ridge + steepest)

    def near(self, w: np.ndarray, within: float) -> np.ndarray:
        """A float point within `within` of the minimiser with b = 0: `w`, if that can be proved, else a nearer one.

        >>> problem = Problem(np.array([[1.0]]), ridge=1.0, share=Fraction(1), loss="logistic")
        >>> problem.near(np.array([0.4]), 1e-9).round(6).tolist()
        [0.401058]
        """
        zero, bits = [arb(0)] * self.Z.shape[1], 96
        near = w = w if np.isfinite(w).all() else np.zeros(self.Z.shape[1])
        while True:
            with ctx.workprec(bits):
                for point, distance in self.nearer(w, zero):
                    near = np.array([float(one) for one in point])
                    rounding = float(np.spacing(np.abs(near)).sum())
                    if distance + rounding <= within:
                        return near
                w, bits = near, 2 * bits


def _length(g: list[arb]) -> arb:
    return sum((one * one for one in g), arb(0)).upper().sqrt()
