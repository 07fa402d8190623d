"""The best of a random number of runs, as balls: K ~ TNB(eta, r) scores, the smallest is released.

A run's score u has distribution function F; the best score is at most u with probability 1 - G(1 - F(u)), where
G(x) = E x^K. With s = r + (1 - r) F(u) that is [1 - (r/s)^eta] / (1 - r^eta), and at eta = 0 log(s/r) / log(1/r); its
density is F'(u) E K (r/s)^(eta+1). Every function takes numbers or balls and returns a ball. Floats of the same
quantities: `lemmata.bounds.wzw25.best_of_runs`, `lemmata.bounds.wzw25.winner`.
"""

import functools

from flint import acb, arb, ctx

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import Phi, complex_Phi, complex_phi, exact, hull, integral, phi, precise
from lemmata.bounds.exact.numbers import Number

Interval = tuple[float, float]
REACH = 40  # standard deviations: what lies further out weighs less than E K phi(40) < 1e-300
FINEST = 2.0**-44  # cells of the line that are not halved any more


@precise
def best_at_most(eta: Number, r: Number, F: Number) -> arb:
    """P(best of K <= u) where one score is at most u with probability F; increasing in F.

    >>> round(float(best_at_most(1, 0.5, 0.5)), 6)  # r = 1/2: 1 - 1/3
    0.666667
    """
    eta, r, F = exact(eta), exact(r), exact(F)
    grown = ((1 - r) * F / r).log1p()  # log(s / r)
    if eta.is_zero():
        return grown / -r.log()
    return -(-eta * grown).expm1() / -(eta * r.log()).expm1()


# Two datasets whose scores are N(0, 1) and N(shift, 1): nothing but the best score is released ------------------------


def _log_ratio(eta: arb, r: arb, shift: arb, u: arb, moved: arb) -> arb:
    """log of the two densities' ratio at u, over a ball of u too; `moved` is Phi(u) - Phi(u - shift)."""
    lost = (1 - r) * moved / (r + (1 - r) * Phi(u))
    return shift * (shift / 2 - u) + (eta + 1) * (-lost).log1p()


def _surplus(eta: arb, r: arb, shift: arb, epsilon: arb, left: float, right: float) -> arb:
    """The log ratio minus epsilon over a cell, its sign certain if that can be had in one of two ways.

    Small shifts: Phi(u) - Phi(u - shift) = shift phi(between). Narrow cells: the value in the middle and the slope.
    """
    u = hull((left, right))
    wide = _log_ratio(eta, r, shift, u, shift * phi(u.union(u - shift))) - epsilon
    if wide > 0 or wide < 0:
        return wide
    middle = exact((left + right) / 2)
    there = _log_ratio(eta, r, shift, middle, Phi(middle) - Phi(middle - shift)) - epsilon
    hazards = phi(u - shift) / (r + (1 - r) * Phi(u - shift)) - phi(u) / (r + (1 - r) * Phi(u))
    return there + (u - middle) * ((eta + 1) * (1 - r) * hazards - shift)


@precise
def gains(
    eta: Number, r: Number, shift: Number, epsilon: Number, finest: float = FINEST
) -> tuple[list[Interval], list[Interval]]:
    """Where the best score's log ratio exceeds epsilon: (intervals surely inside, intervals undecided).

    Cells of [-REACH, REACH] are halved until the sign of the log ratio minus epsilon is certain, or they are `finest`.
    """
    eta, r, shift, epsilon = map(exact, (eta, r, shift, epsilon))
    inside: list = []
    unsure: list = []
    cells = [(float(k), float(k + 1)) for k in reversed(range(-REACH, REACH))]
    while cells:
        left, right = cells.pop()
        surplus = _surplus(eta, r, shift, epsilon, left, right)
        if surplus < 0:
            continue
        if surplus > 0 or right - left <= finest:
            merged = inside if surplus > 0 else unsure
            if merged and merged[-1][1] == left:
                merged[-1] = (merged[-1][0], right)
            else:
                merged.append((left, right))
            continue
        middle = (left + right) / 2
        cells += [(middle, right), (left, middle)]
    return inside, unsure


@precise
def best_score_delta(eta: Number, r: Number, shift: Number, epsilon: Number, finest: float = FINEST) -> arb:
    """H_{e^epsilon}(best of K from N(0, 1), best of K from N(shift, 1)), by distribution functions, no quadrature.

    `shift` < 0 is the other order of the pair. The mass of undecided cells and of both tails widens the ball.

    >>> round(float(best_score_delta(1, 0.01, 0.5, 2.7076)) * 1e6, 3)
    1.0
    """
    eta, r, shift, epsilon = map(exact, (eta, r, shift, epsilon))
    inside, unsure = gains(eta, r, shift, epsilon, finest)

    def mass(interval: Interval, centre: int | arb) -> arb:
        low, high = (best_at_most(eta, r, Phi(exact(end) - centre)) for end in interval)
        return high - low

    total = sum((mass(i, 0) - epsilon.exp() * mass(i, shift) for i in inside), arb(0))
    slack = sum((mass(i, 0) for i in unsure), 2 * tnb.mean(eta, r) * phi(REACH))
    return total + slack.union(arb(0))


@precise
def best_score_delta_by_quadrature(
    eta: Number, r: Number, shift: Number, epsilon: Number, accuracy: float = 1e-25
) -> arb:
    """`best_score_delta` from below, by integrating the densities over the cells that are surely inside."""
    eta, r, shift, epsilon = map(exact, (eta, r, shift, epsilon))

    def density(u: acb, centre: int | arb, analytic: bool) -> acb:
        s = r + (1 - r) * complex_Phi(u - centre)
        return complex_phi(u - centre) * (-(eta + 1) * s.log(analytic)).exp()

    def gain(u: acb, analytic: bool) -> acb:
        return density(u, 0, analytic) - epsilon.exp() * density(u, shift, analytic)

    inside, _ = gains(eta, r, shift, epsilon)
    scale = tnb.mean(eta, r) * ((eta + 1) * r.log()).exp()
    pieces = (integral(gain, low, high, accuracy / float(scale)) for low, high in inside)
    return scale * sum(pieces, arb(0))


# One candidate of |Theta| = `size` scores 0, all others score `gap`; noise N(0, 1); Y: the good one is drawn ----------


@precise
def _drawn_per_share(eta: Number, r: Number, size: Number) -> arb:
    """P(Y) |Theta|, not small however large |Theta| is."""
    size = exact(size)
    return best_at_most(eta, r, 1 / size) * size


@precise
def drawn(eta: Number, r: Number, size: Number) -> arb:
    """P(Y) = 1 - E (1 - 1/|Theta|)^K."""
    return best_at_most(eta, r, 1 / exact(size))


@precise
def wins_given_drawn(eta: Number, r: Number, size: Number, gap: Number) -> arb:
    """P(the good candidate wins | Y): the integral of phi(u) E K (r/s)^(eta+1) / (|Theta| P(Y)).

    Each of the K draws is good with probability 1/|Theta|, so F = Phi(u)/|Theta| + (1 - 1/|Theta|) Phi(u - gap).
    """
    eta, r, share, gap = exact(eta), exact(r), 1 / exact(size), exact(gap)

    def density(u: acb, analytic: bool) -> acb:
        F = share * complex_Phi(u) + (1 - share) * complex_Phi(u - gap)
        return complex_phi(u) * (-(eta + 1) * ((1 - r) * F / r + 1).log(analytic)).exp()

    mean = tnb.mean(eta, r)
    inner = integral(density, -REACH, REACH, accuracy=1e-20 / float(mean)) + (2 * phi(REACH)).union(arb(0))
    return mean * inner / _drawn_per_share(eta, r, size)


@precise
def winner_excess(eta: Number, r: Number, size: Number, gap: Number) -> arb:
    """E[clean score of the winner | Y] - 0 = gap P(another one wins | Y), in units of the noise's deviation.

    >>> round(float(winner_excess(-0.95, 1e-12, 10**10, 4.0)), 3)
    1.878
    """
    return exact(gap) * (1 - wins_given_drawn(eta, r, size, gap))


@precise
def runs_given_drawn(eta: Number, r: Number, size: Number) -> arb:
    """E[K | Y] = (E K - x G'(x)) / (1 - G(x)) at x = 1 - 1/|Theta|, G'(x) = E K (r/s)^(eta+1).

    >>> round(float(runs_given_drawn(1, 0.25, 10**12)), 6)  # |Theta| without end: E K^2 / E K = (2 - r) / r
    7.0
    """
    with ctx.workprec(3 * ctx.prec):  # the difference cancels as many bits as |Theta| has
        eta, r, share = exact(eta), exact(r), 1 / exact(size)
        grown = ((1 - r) * share / r).log1p()
        left = 1 - (1 - share) * (-(eta + 1) * grown).exp()
        return tnb.mean(eta, r) * left / best_at_most(eta, r, share)


@functools.cache
@precise
def max_given_drawn(eta: Number, r: Number, size: Number | None = None) -> arb:
    """E[max of K standard normals | Y], the noise independent of K and of the draws. `size` None: |Theta| -> infinity.

    With E[x^K | Y] = (G(x) - G(x (1 - 1/|Theta|))) / P(Y), in the limit x G'(x) / E K, it is the integral over z > 0 of
    1 - E[Phi(z)^K | Y] - E[Phi(-z)^K | Y].
    """
    eta, r = exact(eta), exact(r)
    share = arb(0) if size is None else 1 / exact(size)
    chance = arb(1) if size is None else best_at_most(eta, r, share)
    runs = 1 + (eta + 1) * (1 - r) / r if size is None else runs_given_drawn(eta, r, size)

    def at_most(F: acb, analytic: bool) -> acb:
        grown = ((1 - r) * F / r + 1).log(analytic)
        if eta.is_zero():
            return grown / -r.log()
        return (1 - (-eta * grown).exp()) / -(eta * r.log()).expm1()

    def power(x: acb, analytic: bool) -> acb:
        if size is None:
            return x * (-(eta + 1) * ((1 - r) * (1 - x) / r + 1).log(analytic)).exp()
        return at_most(1 - x * (1 - share), analytic) - at_most(1 - x, analytic)

    def tail(z: acb, analytic: bool) -> acb:
        return chance - power(complex_Phi(z), analytic) - power(complex_Phi(-z), analytic)

    with ctx.workprec(2 * ctx.prec):
        inner = integral(tail, 0, REACH, accuracy=1e-16 * float(chance)) / chance
    return inner + (runs * phi(REACH)).union(arb(0))
