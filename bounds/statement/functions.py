"""Functions as arguments of a statement: what it assumes of them, and the broken lines that a search draws for them.

    function("f", convex=True, lipschitz="L")

A function that an author lists is judged at points of its domain; a broken line is judged exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.bounds.statement.hypotheses import Hypothesis

POINTS = 65  # at which a function of an author is judged
NEAREST, FURTHEST = 1e-3, 10.0  # of these points, from a finite end of the domain or from 0
ROUNDING = 1e-9  # relatively, what a slope may be off
EPSILON = 2.0**-52
CURVED = 1e4  # times as much, a curvature may be: a quotient by steps of `NEAREST` or more

Real = Callable[[Any], Any]


@dataclass(frozen=True)
class BrokenLine:
    """f(x) = a + b x + sum_i s_i (g_i(x) - g_i(0)), whose slope changes by s_i at p_i.

    g_i(x) is max(x - p_i, 0), or, with a width w_i > 0, the function whose slope rises from 0 to 1 at a constant rate
    between p_i - w_i / 2 and p_i + w_i / 2.

    Parameters
    ----------
    rows : tuple of tuples of three floats
        (a, b, 0), then (p_i, s_i, w_i) for every change of slope.

    Examples
    --------
    >>> f = BrokenLine(((0.0, -1.0, 0.0), (0.0, 2.0, 0.0)))
    >>> f(-3), f.__name__
    (3.0, '-x + 2 max(x, 0)')
    """

    rows: tuple[tuple[float, float, float], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple((float(a), float(b), float(c)) for a, b, c in self.rows))

    def __call__(self, x: Any) -> Any:
        (start, slope, _), *kinks = self.rows
        x = np.asarray(x, dtype=float)
        made = start + slope * x
        for place, jump, width in kinks:
            made = made + jump * (_ramp(x - place, width) - _ramp(-place, width))
        return made if np.ndim(made) else float(made)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The rows, which a search changes."""
        return np.array(self.rows, dtype=dtype)

    @property
    def __name__(self) -> str:
        """The formula, as settings show it."""
        (start, slope, _), *kinks = self.rows
        terms = [(start, ""), (slope, "x"), *((jump, _spell_kink(place, width)) for place, jump, width in kinks)]
        start -= sum(jump * float(_ramp(-place, width)) for place, jump, width in kinks)
        terms[0] = (start, "")
        said = [_spell_term(*term) for term in terms if term[0]] or ["0"]
        return " + ".join(said).replace("+ -", "- ")

    def slopes(self) -> np.ndarray:
        """The slopes at all ends of its pieces, from the left and from the right."""
        (_, slope, _), *kinks = self.rows
        ends = np.array([place + side * width / 2 for place, _, width in kinks for side in (-1, 1)])
        made = np.full((2, len(ends) + 1), slope)
        for place, jump, width in kinks:
            for row, at_jump in enumerate((0.0, 1.0)):
                rise = np.clip((ends - place) / width + 0.5, 0, 1) if width else np.heaviside(ends - place, at_jump)
                made[row, 1:] += jump * rise
        return made

    def curvature(self) -> float:
        """The largest rate at which its slope changes."""
        kinks = self.rows[1:]
        if any(jump and not width for _, jump, width in kinks):
            return np.inf
        ends = np.sort([place + side * width / 2 for place, _, width in kinks for side in (-1, 1)])
        between = (ends[1:] + ends[:-1]) / 2
        rates = sum(
            (jump / width * (np.abs(between - place) < width / 2) for place, jump, width in kinks if width), 0.0
        )
        return float(np.abs(rates).max(initial=0))


def _ramp(x: Any, width: float) -> Any:
    if not width:
        return np.maximum(x, 0)
    return np.where(np.abs(x) < width / 2, (x + width / 2) ** 2 / (2 * width), np.maximum(x, 0))


def _spell_term(factor: float, of: str) -> str:
    if not of:
        return f"{factor:.4g}"
    said = f"{factor:.4g}"
    return {"1": of, "-1": f"-{of}"}.get(said, f"{said} {of}")


def _spell_kink(place: float, width: float) -> str:
    shifted = f"x - {place:.4g}".replace("- -", "+ ") if place else "x"
    return f"max({shifted}, 0)" + (f" rounded over {width:.4g}" if width else "")


@dataclass(frozen=True)
class FunctionClass:
    """The real functions that a statement is about; a bound that is a text is another argument's value."""

    convex: bool
    nonincreasing: bool
    lipschitz: float | str | None
    smooth: float | str | None
    on: tuple[float, float]

    @property
    def bounds(self) -> tuple[str, ...]:
        """The arguments that bound the slope or the curvature."""
        return tuple(each for each in (self.lipschitz, self.smooth) if isinstance(each, str))

    def has(self, f: Real, *bounds: float) -> bool:
        """Whether a function is a member, given the values of `bounds`."""
        named: dict[Any, float] = dict(zip(self.bounds, bounds, strict=True)) | {None: np.inf}
        steepest, curved = (float(named.get(each, each)) for each in (self.lipschitz, self.smooth))  # type: ignore[arg-type]
        if isinstance(f, BrokenLine):
            slopes, curvature, off = f.slopes(), f.curvature(), 0.0
            rising = min((jump for _, jump, _ in f.rows[1:]), default=0.0)
        else:
            try:
                slopes, curvature, rising, off = self._measure(f)
            except (ArithmeticError, ValueError):  # it is not defined there
                return False
        off += ROUNDING * (1 + float(np.abs(slopes).max()))
        return bool(
            np.isfinite(slopes).all()
            and (not self.convex or rising >= -off)
            and (not self.nonincreasing or slopes.max() <= off)
            and np.abs(slopes).max() <= steepest + off
            and curvature <= curved * (1 + 1e-6) + off * CURVED
        )

    def _measure(self, f: Real) -> tuple[np.ndarray, float, float, float]:
        """Slopes between points of the domain, largest curvature, least rise of a slope, and what rounding adds."""
        x = list_points(*self.on)
        with np.errstate(all="ignore"):
            values = np.array([float(f(float(each))) for each in x])
        steps = np.diff(x)
        slopes = np.diff(values) / steps
        rises = np.diff(slopes)
        off = 4 * EPSILON * float(np.abs(values).max() / steps.min())
        return slopes, float(np.abs(rises / (x[2:] - x[:-2]) * 2).max()), float(rises.min()), off


def list_points(low: float, high: float) -> np.ndarray:
    """Points between two ends, either of which may be infinite, more of them near a finite one, or near 0."""
    if np.isfinite(low) and np.isfinite(high):
        return low + (high - low) * (1 - np.cos(np.linspace(0.03, np.pi - 0.03, POINTS))) / 2
    far = np.geomspace(NEAREST, FURTHEST, POINTS // 2)
    if np.isfinite(low):
        return low + far
    return -(far[::-1] - high) if np.isfinite(high) else np.concatenate([-far[::-1], [0.0], far])


def function(
    name: str,
    *,
    convex: bool = False,
    nonincreasing: bool = False,
    lipschitz: float | str | None = None,
    smooth: float | str | None = None,
    on: tuple[float, float] = (-np.inf, np.inf),
) -> Hypothesis:
    """A real function of one real number.

    Parameters
    ----------
    name : str
        Of the argument of the statement's function.
    convex, nonincreasing : bool
        Whether its slope, or its value, never falls, or never rises.
    lipschitz, smooth : float or str, optional
        A bound on |f(x) - f(y)| / |x - y|, and on the same of its slope: a number, or the name of another argument.
    on : tuple of two floats
        The interval on which this is assumed. Broken lines, which a search draws, are so everywhere.

    Returns
    -------
    Hypothesis

    Examples
    --------
    >>> function("f", convex=True, lipschitz="L").range
    'f convex, L-Lipschitz'
    >>> decreasing = function("f", nonincreasing=True, on=(0, 1))
    >>> decreasing.range, decreasing.admits({"f": abs})
    ('f nonincreasing on [0, 1]', False)
    """
    asked = FunctionClass(convex, nonincreasing, lipschitz, smooth, on)
    words = ["convex"] * convex + ["nonincreasing"] * nonincreasing
    words += [f"{lipschitz}-Lipschitz"] * (lipschitz is not None) + [f"{smooth}-smooth"] * (smooth is not None)
    where = "" if on == (-np.inf, np.inf) else f" on [{on[0]:g}, {on[1]:g}]"
    said = f"{name} {', '.join(words) or 'a real function'}{where}"
    return Hypothesis((name, *asked.bounds), said, asked.has, functions=asked)
