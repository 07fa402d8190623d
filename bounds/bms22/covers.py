"""Covers of a ball by small balls: how many are needed, and lattices that need few.

An eta-cover of B^k(R) is a finite set with a point within eta of every point of the ball. Bassily, Mohri & Suresh
(2022) run the exponential mechanism over one with R = 2 Lambda, eta = rho/(10 r), so R/eta = 20 Lambda r/rho. Volumes
give (R/eta)^k <= |C| for every cover, and |C| <= (1 + 2R/eta)^k for the smallest.
"""

from fractions import Fraction
from itertools import permutations
from math import ceil, gamma, inf, pi, sqrt

from flint import fmpq, fmpq_mat

from lemmata.bounds.theorem import require

Gram = list[list[int]]  # inner products of a basis

MARGIN = require("0 < rho <= norm_bound * radius", lambda rho, norm_bound, radius: 0 < rho <= norm_bound * radius < inf)


def smallest_on_a_line(ratio: float) -> int:
    """The least |C| for k = 1: ceil(R/eta), since intervals of length 2 eta cover one of length 2R without waste."""
    return ceil(ratio)


def smallest_in_the_plane(ratio: float) -> int:
    """A lower bound of |C| for k = 2: 2 pi/sqrt(27) (R/eta)^2, the density of disks that cover (Fejes Toth).

    2 pi/sqrt(27) = 1.209: no disk is used better than its inscribed hexagon. For k >= 2 and R > eta there is also a
    direct proof that (R/eta)^k points never suffice: their balls would have no volume to waste, hence lie inside B(R),
    where each meets the sphere of radius R in one point at most; but the sphere, which they cover, is infinite.

    >>> smallest_in_the_plane(20)
    484
    """
    return ceil(2 * pi / sqrt(27) * ratio**2)


# Lattices -------------------------------------------------------------------------------------------------------------


def cubic_gram(k: int) -> Gram:
    """Inner products of a basis of Z^k."""
    return [[int(i == j) for j in range(k)] for i in range(k)]


def thin_gram(k: int) -> Gram:
    """Inner products of a basis of A_k^*, the thinnest lattice covering known for k <= 5.

    k = 2 is the hexagonal lattice, k = 3 the body-centred cubic one.
    """
    return [[k if i == j else -1 for j in range(k)] for i in range(k)]


def covering_radius_squared(gram: Gram) -> Fraction:
    """A proved upper bound of the squared covering radius of a lattice, a Fraction; exact for Z^k and A_k^*.

    The simplices 0, v_1, v_1 + v_2, ... over all orders of the basis tile a period. A point z of a simplex with
    circumcentre c and circumradius t is a mean sum l_i v_i of its vertices, and sum l_i |z - v_i|^2 = t^2 - |z - c|^2,
    so some vertex is within t. The largest t over all k! simplices is the bound.

    >>> [covering_radius_squared(thin_gram(k)) for k in (1, 2, 3)], covering_radius_squared(cubic_gram(3))
    ([Fraction(1, 4), Fraction(2, 3), Fraction(5, 4)], Fraction(3, 4))
    """
    k = len(gram)
    G = fmpq_mat(k, k, [fmpq(x) for row in gram for x in row])
    farthest = fmpq(0)
    for order in permutations(range(k)):
        P = fmpq_mat(k, k, [fmpq(int(i in order[: n + 1])) for n in range(k) for i in range(k)])
        PG = P * G
        lengths = PG * P.transpose()
        squares = fmpq_mat(k, 1, [lengths[n, n] / 2 for n in range(k)])
        centre = PG.solve(squares)  # <vertex, centre> = |vertex|^2 / 2
        farthest = max(farthest, (centre.transpose() * G * centre)[0, 0])
    return Fraction(int(farthest.p), int(farthest.q))


def covering_density(gram: Gram) -> float:
    """How many times a lattice of balls of the covering radius covers space.

    >>> [round(covering_density(thin_gram(k)), 4) for k in (1, 2, 3, 4)]
    [1.0, 1.2092, 1.4635, 1.7655]
    """
    k = len(gram)
    det = fmpq_mat(k, k, [fmpq(x) for row in gram for x in row]).det()
    return unit_ball_volume(k) * float(covering_radius_squared(gram)) ** (k / 2) / sqrt(int(det.p) / int(det.q))


def unit_ball_volume(k: int) -> float:
    """pi^{k/2} / Gamma(k/2 + 1)."""
    return pi ** (k / 2) / gamma(k / 2 + 1)
