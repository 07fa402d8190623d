"""Instances of margin selection whose failure probability is known exactly: what Lemma F.1 is tried on.

Records are points a of [0, 1] with label +1, classifiers x -> w x with |w| <= 1, h_max = 1: the least margin loss is
g_rho(S) = #{i : a_i <= rho} / m (w = 1 is best), the empirical distribution function, and F(rho, t) = cost(rho) +
slope(rho) t. The learner ignores the sample, so it is private for free: at rho_j it releases a fixed classifier of risk
R_j. It keeps its promise R_j <= F(rho_j, g_{rho_j}(S)) surely, or ("uniformity") with probability 1 - beta at every
margin. A fixed classifier may have any risk: let it err on records that carry a mark of their own.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import arb
from scipy.special import bdtri
from scipy.stats import binom

from lemmata.bounds.abgmu22 import generalized_exponential as bounds
from lemmata.bounds.exact.balls import exact, lower_end, precise, upper_end
from lemmata.bounds.exact.binomials import at_most
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.selection.generalized_exponential import law

JUST = 2.0**-30  # "just below", "just above"


@dataclass(frozen=True)
class Family:
    """One sample of m equal records a, so that g_rho = 1{a <= rho}: the choice is all that is random."""

    grid: np.ndarray
    record: float  # a
    cost: Callable  # rho -> F(rho, 0)
    slope: Callable  # rho -> F(rho, 1) - F(rho, 0)
    m: int

    def sensitivity(self, rho):
        """Delta_rho(F): one record moves g_rho by at most 1/m."""
        return self.slope(rho) / self.m

    def bound(self, rho, loss_at):
        """F(rho, g_{loss_at}(S))."""
        return self.cost(rho) + self.slope(rho) * (self.record <= loss_at)

    def choice(self, epsilon, beta):
        """The law of rho* on this sample."""
        scores = [self.bound(rho, rho) for rho in self.grid]
        return law(scores, [self.sensitivity(rho) for rho in self.grid], beta=beta, privacy=PureDP(epsilon))

    def promised(self, penalty):
        """The smallest F(rho/2, g_rho) + penalty(Delta_{rho/2}) over the breakpoints of the interval.

        All functions are steps, so the minimum is just beside a breakpoint.
        """
        breaks = np.concatenate([self.grid, 2 * self.grid, [self.record, 1.0, self.m**-0.5]])
        tried = np.concatenate([breaks, breaks * (1 - JUST), breaks * (1 + JUST)])
        inside = [rho for rho in tried if self.m**-0.5 <= rho <= 1]
        return min(self.bound(rho / 2, rho) + penalty(self.sensitivity(rho / 2)) for rho in inside)

    def failure(self, *, penalty, epsilon, beta):
        """P(R > what is promised) when the learner's risk at rho_j is F(rho_j, g_{rho_j}), exactly."""
        risks = np.array([self.bound(rho, rho) for rho in self.grid])
        chosen = np.exp(self.choice(epsilon, beta).log_probabilities())
        return float(chosen[risks > self.promised(penalty)].sum())


def constant_family(m, grid, loss):
    """Sensitivity 1/m at every margin, F = 0 at the largest margin and a little more than `loss` at all others."""
    beyond = loss * (1 + JUST)
    return Family(grid, 1.0, cost=lambda rho: beyond * (rho <= grid[0] / 2), slope=lambda rho: 1.0, m=m)


def rising_family(m, grid, epsilon, beta):
    """A sensitivity that rises with rho: 1/(2m) from the largest margin on, 0 below.

    F = t/2 from rho_1 on, 1/2 just below it and a little more from rho_2 down, with g_{rho_1} = 1. For rho just below 1
    the printed lemma promises F(rho/2, g_rho) = 1/2 and adds nothing; the choice avoids rho_1, as good, for its
    sensitivity.
    """
    t = bounds.shift(candidates=len(grid), epsilon=epsilon, beta=beta)

    def cost(rho):
        return 0.0 if rho >= grid[0] else 0.5 + t / (4 * m) * (rho <= grid[0] / 2)

    return Family(grid, grid[0] * 0.8, cost=cost, slope=lambda rho: 0.5 * (rho >= grid[0]), m=m)


def falling_family(m, grid, loss):
    """A sensitivity that falls, 1/(m rho), as Lemma F.3's do.

    Best is a margin in the middle, smaller ones are worse by `loss` of its sensitivities, larger ones have every record
    against them.
    """
    best = grid[len(grid) // 2]
    beyond = loss / (m * best) * (1 + JUST)
    return Family(grid, best * 1.5, cost=lambda rho: beyond * (rho <= best / 2), slope=lambda rho: 1 / rho, m=m)


def coverage_family(m, grid):
    """Records between m^(-1/2) and the smallest grid point, if there is room; else at the grid's lower end."""
    low = m**-0.5
    record = low + (grid[-1] - low) / 2 if grid[-1] > low * (1 + JUST) else low * (1 + JUST)
    return Family(grid, record, cost=lambda rho: 0.0, slope=lambda rho: 1.0, m=m)


# Disjoint failures ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Uniformity:
    """Records on levels below the grid points: G_j = #{a_i <= rho_j} ~ Bin(m, chance_j), nested.

    R = R_0 >= k_1/m at all margins, F(rho, t) = R_0 + t - k_j/m on (rho_{j+1}, rho_j], so the promise at rho_j fails
    iff G_j < k_j, with probability at most `each`, and then by at least 1/m. Just above rho_j the interval has
    F(rho/2, g_rho) = F(rho_j, g_{rho_j}). So the printed bound fails iff any promise does, whatever rho* is chosen, if
    what it adds is below 1/m.
    """

    m: int
    chances: tuple[float, ...]  # descending, as the grid
    counts: tuple[int, ...]  # k_j

    @precise
    def each(self):
        """The largest P(G_j < k_j), a ball's upper end."""
        return max(upper_end(at_most(self.m, exact(p), k - 1)) for p, k in zip(self.chances, self.counts, strict=True))

    @precise
    def any(self):
        """[low, high] around P(some G_j < k_j): G_J first, then G_{j-1} given G_j, in balls."""
        state = [arb(0)] * (self.m + 1)
        state[0], before = arb(1), arb(0)
        for p, k in reversed(list(zip(self.chances, self.counts, strict=True))):
            step = (exact(p) - before) / (1 - before)  # of a record above the last level to lie below this one
            moved = [arb(0)] * (self.m + 1)
            for g, weight in enumerate(state):
                if weight > arb("1e-30"):
                    for extra, chance in enumerate(binomial(self.m - g, step)):
                        moved[g + extra] += weight * chance
            state = [weight if g >= k else arb(0) for g, weight in enumerate(moved)]
            before = exact(p)
        # weights below 1e-30 are left out: fewer than 1e6 of them
        kept = sum(state, arb(0))
        return lower_end(1 - kept) - 1e-24, upper_end(1 - kept) + 1e-24


def binomial(n, p):
    """The probabilities of Bin(n, p), in balls."""
    chances = [(1 - p) ** n]
    for i in range(n):
        chances.append(chances[-1] * (n - i) / (i + 1) * p / (1 - p))
    return chances


def uniformity(size, each):
    """The instance on 4^size records with `size` margins, each promise failing with probability just below `each`."""
    m = 4**size
    counts = [max(1, int(binom.ppf(each, m, target))) for target in 0.95 * 0.3 ** np.arange(size)]
    chances = [bdtri(k - 1, m, each) for k in counts]  # P(G < k) = each there, and less beyond
    return Uniformity(m, tuple(float(np.floor(p * 2.0**40) + 1) / 2.0**40 for p in chances), tuple(counts))
