"""Minimisers of `solvers.perturbed_risk` to any accuracy, certified in ball arithmetic.

    J(w) = ridge/2 ||w||^2 + share (sum_i loss(<w, z_i>) + <b, w>)

J is `ridge`-strongly convex, so w is within ||grad J(w)|| / ridge of the minimiser; the gradient is enclosed with b,
whose entries may be balls, first in float64 with its error bounded, then in ball arithmetic. From one w to the next
goes a Newton step with a Hessian in float64, or, where that does not make the gradient shorter, a step along the
gradient, which always does.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, arb_mat, ctx

from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.mechanisms.proved_floats import exp_of
from lemmata.mechanisms.solvers.perturbed_risk import HUBER, MARGIN_LOSSES


def slope(loss: str, margin: arb) -> arb:
    """The derivative of the loss in a ball.

    >>> slope("huber", arb(1)), slope("logistic", arb(0))
    (-0.500000000000000, -0.500000000000000)
    """
    if loss == "logistic":
        return -1 / (1 + margin.exp())
    return -((1 + exact(HUBER) - margin) / exact(2 * HUBER)).max(arb(0)).min(arb(1))


def float_slopes(loss: str, margins: np.ndarray) -> np.ndarray:
    """The same in float64, each within 2^-44: what is proved of `exp_of` is relative, and five operations follow.

    >>> float_slopes("logistic", np.array([0.0, -800.0])).tolist()
    [-0.5, -1.0]
    """
    if loss == "logistic":
        small = exp_of(-np.abs(margins))
        return -np.where(margins > 0, small, 1.0) / (1 + small)
    return -np.clip((1 + HUBER - margins) / (2 * HUBER), 0.0, 1.0)


class Problem:
    """One objective without its b; rows z_i of length at most 1."""

    def __init__(self, Z: np.ndarray, *, ridge: float, share: Fraction, loss: str) -> None:
        self.Z, self.ridge, self.share, self.loss = Z, ridge, share, loss

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

        With u = 2^-53 a margin is off by (F + 2) u ||w||, a slope by that times the curvature and 2^-44, and a sum of n
        slopes times rows by n times a slope's error and (n + 2) u n; the sum with the other terms and the length add 8
        u of all that is summed. All bounds are taken twice, for their own rounding and their second order.
        """
        (n, F), unit, share = self.Z.shape, 2.0**-53, float(self.share)
        tilt = np.array([float(one.mid()) for one in b])
        pulls = float_slopes(self.loss, self.Z @ w) @ self.Z
        length, summed = float(np.linalg.norm(w)), share * (n + float(np.linalg.norm(tilt)))
        margin = (F + 2) * unit * length
        off = share * n * (MARGIN_LOSSES[self.loss].curvature * margin + 2.0**-44 + (n + 2) * unit)
        off += (F + 8) * unit * (self.ridge * length + summed) + share * sum(float(one.rad()) for one in b)
        found = float(np.linalg.norm(self.ridge * w + share * (pulls + tilt)))
        return (found * (1 + 2.0**-40) + 2 * off) / self.ridge

    def gradient(self, w: list[arb], b: list[arb]) -> list[arb]:
        """grad J(w), enclosed at flint's precision."""
        margins = (self.rows * arb_mat(len(w), 1, w)).entries()
        slopes = [slope(self.loss, margin) for margin in margins]
        pulls = (self.columns * arb_mat(len(slopes), 1, slopes)).entries()
        ridge, share = exact(self.ridge), exact(self.share)
        return [ridge * one + share * (pull + push) for one, pull, push in zip(w, pulls, b, strict=True)]

    def nearer(self, w: np.ndarray, b: list[arb]) -> Iterator[tuple[list[arb], float]]:
        """Points from w on, each with a certified distance to the minimiser, as long as they come nearer.

        It ends where the width of b, or flint's precision, leaves no more to be gained.
        """
        point, last = [arb(one) for one in w.tolist()], float("inf")
        yield point, self.distance(w, b)
        while True:
            g = self.gradient(point, b)
            length = sum((one * one for one in g), arb(0)).upper().sqrt()
            yield point, upper_end(length / exact(self.ridge))
            middle = np.array([float(one.mid()) for one in g])
            if not sum(float(one.rad()) for one in g) < 2.0**-20 * float(np.linalg.norm(middle)):
                return
            step = self._newton(point, middle) if upper_end(length) <= last / 2 else self._along(middle)
            last = upper_end(length)
            point = [one + exact(d) for one, d in zip(point, step.tolist(), strict=True)]
            point = [one.mid() for one in point]

    def _newton(self, point: list[arb], gradient: np.ndarray) -> np.ndarray:
        second = MARGIN_LOSSES[self.loss].second(self.Z @ np.array([float(one.mid()) for one in point]))
        hessian = self.ridge * np.eye(len(gradient)) + float(self.share) * (self.Z.T * second) @ self.Z
        return -np.linalg.solve(hessian, gradient)

    def _along(self, gradient: np.ndarray) -> np.ndarray:
        steepest = float(self.share) * MARGIN_LOSSES[self.loss].curvature * float((self.Z**2).sum())
        return -gradient / (self.ridge + steepest)


def certified(Z: np.ndarray, w: np.ndarray, *, ridge: float, share: Fraction, loss: str, within: float) -> np.ndarray:
    """A float point within `within` of the minimiser with b = 0: `w`, if that can be proved, else a nearer one.

    >>> Z = np.array([[1.0]])
    >>> certified(Z, np.array([0.4]), ridge=1.0, share=Fraction(1), loss="logistic", within=1e-9).round(6).tolist()
    [0.401058]
    """
    problem, zero, bits = Problem(Z, ridge=ridge, share=share, loss=loss), [arb(0)] * Z.shape[1], 96
    while True:
        with ctx.workprec(bits):
            for point, distance in problem.nearer(w, zero):
                near = np.array([float(one) for one in point])
                rounding = float(np.spacing(np.abs(near)).sum())
                if distance + rounding <= within:
                    return near
            w, bits = near, 2 * bits
