"""Are two rates equal up to a constant? Sums of monomials compared on a cone of logarithms, in fractions.

With u = the logarithms of the parameters, a domain such as n >= 1, gamma <= 1 is a cone {G u <= 0}, and a monomial is
a linear function of u. A monomial a is at most a constant times the sum of the monomials b_j on the cone if and only if
some weights l_j >= 0, sum l_j = 1, and v >= 0 have a = sum l_j b_j + v G (Farkas); then the constant is 1. Otherwise a
direction u of the cone has <a - b_j, u> > 0 for all j, and along it the ratio grows without bound. A linear programme
finds either; both are rounded to small fractions and proved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from scipy.optimize import linprog

from lemmata.bounds.exact.numbers import inner

Monomial = Mapping[str, int | Fraction]  # name: power
Row = list[Fraction]

# Each row <= 0. R and s may tend to 0, so that what is proved holds at R = 0 and s = 0 as well.
CONES: dict[str, tuple[Monomial, ...]] = {
    "unit": ({"n": -1}, {"gamma": 1}, {"epsilon": 1}, {"R": 1}, {"s": 1, "n": -1}),
    "ball": ({"n": -1}, {"a": -1}, {"epsilon": 1}, {"R": 1}, {"s": 1, "n": -1}),
}


def simplest_fraction(x: float, most: int = 60) -> Fraction:
    """The simplest fraction near x."""
    return Fraction(float(x)).limit_denominator(most)


def exponent_rows(monomials: Sequence[Monomial], names: Sequence[str]) -> list[Row]:
    """Exponents as a matrix of fractions, one row a monomial."""
    return [[Fraction(one.get(name, 0)) for name in names] for one in monomials]


def is_dominated(a: Row, others: list[Row], cone: list[Row]) -> bool:
    """Is <a, u> <= max_j <b_j, u> on the cone {G u <= 0}, proved? All arguments are rows of fractions."""
    m, g = len(others), len(cone)
    columns = np.array([*others, *cone], dtype=float).T
    A = np.vstack([columns, [1.0] * m + [0.0] * g])
    solution = linprog(np.zeros(m + g), A_eq=A, b_eq=np.append(np.array(a, dtype=float), 1.0), method="highs")
    if solution.x is None:
        return False
    weights = [simplest_fraction(x) for x in solution.x]
    combined = [inner(weights, column) for column in zip(*others, *cone, strict=True)]
    return min(weights) >= 0 and sum(weights[:m]) == 1 and combined == list(a)


def find_escape(a: Row, others: list[Row], cone: list[Row]) -> list[int] | None:
    """A direction of whole numbers in the cone along which a exceeds every other monomial, proved; or None."""
    d = len(a)
    steeper = np.array([[float(b - x) for x, b in zip(a, other, strict=True)] + [1.0] for other in others])
    inside = np.array([[float(x) for x in row] + [0.0] for row in cone])
    A = np.vstack([steeper, inside])
    sides = [(-1, 1)] * d + [(0, 1)]
    solution = linprog(np.append(np.zeros(d), -1.0), A_ub=A, b_ub=np.zeros(len(A)), bounds=sides, method="highs")
    if solution.x is None or solution.x[-1] <= 1e-9:
        return None
    u = [simplest_fraction(x, 12) for x in solution.x[:-1]]
    proved = all(inner(a, u) > inner(b, u) for b in others) and all(inner(row, u) <= 0 for row in cone)
    scale = lcm(*(x.denominator for x in u))
    return [int(x * scale) for x in u] if proved else None


@dataclass(frozen=True)
class Comparison:
    """What was proved of one rate against another."""

    constant: int | None  # one <= constant * other on the whole domain, or None
    family: dict[str, int] | None  # name: power of t along which one / other grows without bound, or None
    informative: bool = False  # on that family both rates tend to 0


def compare_rates(one: Sequence[Monomial], other: Sequence[Monomial], cone: str) -> Comparison:
    """One rate against another on a named cone: a constant, or a family that has none."""
    names = sorted({name for monomial in [*one, *other] for name in monomial})
    a, b = exponent_rows(one, names), exponent_rows(other, names)
    inside = exponent_rows([row for row in CONES[cone] if set(row) <= set(names)], names)
    if all(is_dominated(row, b, inside) for row in a):
        return Comparison(len(a), None)
    for tending in (True, False):  # prefer a family along which both rates tend to 0
        limits = inside + [[*row] for row in a + b] if tending else inside
        for row in a:
            if (u := find_escape(row, b, limits)) is not None:
                return Comparison(None, dict(zip(names, u, strict=True)), tending)
    return Comparison(None, None)


def point_of_family(family: Mapping[str, int], t: Any) -> dict[str, Any]:
    """The point of a family at t."""
    return {name: t**power if power >= 0 else 1 / t**-power for name, power in family.items()}
