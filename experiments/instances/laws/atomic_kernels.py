r"""Exact laws of random features: kernels whose spectral law has few atoms.

Their features are functions of coins, so the failure probability of a bound is a binomial tail. They are
shift-invariant, continuous and positive definite with K_bar(0) = 1, as the statements ask.

signs: K_bar(Delta) = prod_k (1 + cos(pi Delta_k / z)) / 2 on R^{m-1}, frequencies 0 or pi/z in each coordinate with
probability 1/2. On the points 0, z e_1, ..., z e_{m-1} the feature products of the pairs are means of D fair signs
around K_bar = 0, and for different pairs they are pairwise independent (products of different sets of signs).

coin: K_bar(Delta) = 1 - p + p cos(pi Delta) on R. With B ~ Bin(D, p) frequencies at pi,
k_hat - k = (B/D - p) (cos(pi Delta) - 1), so its largest modulus on |Delta| <= diam <= 1 is
|B/D - p| (1 - cos(pi diam)).

A tail that ends in `_ball` is a proved lower bound: an atom counts only if a ball proves that it belongs.
"""

import itertools
import math

import numpy as np
from flint import arb
from scipy.stats import binom

from lemmata.bounds.exact.balls import exact, precise

TERMS = 400  # atoms summed on each side; leaving out the others keeps a lower bound


def signs_tail(count, t):
    """P(|mean of `count` fair signs| > t), as a float array; a candidate for `signs_tail_ball`."""
    count, t = np.broadcast_arrays(np.asarray(count), np.asarray(t, dtype=float))
    # The mean is 1 - 2 k / count with k ~ Bin(count, 1/2): strictly above t means k < count (1 - t) / 2.
    below = np.ceil(count * (1 - t) / 2 - 1e-9) - 1
    return np.minimum(1.0, 2 * binom.cdf(below, count, 0.5) * (below >= 0))


@precise
def signs_tail_ball(count, t):
    """A proved lower bound of the same probability; `t` may be a ball."""
    below = itertools.takewhile(lambda k: 1 - arb(2 * k) / int(count) > exact(t), range((int(count) + 1) // 2))
    return arb(2 * sum(math.comb(int(count), k) for k in below)) / arb(2) ** int(count)


def some_pair(m, one):
    """P(some of the m (m-1)/2 pairs fails) >= N p / (1 + (N - 1) p), pairs independent by twos (Chung and Erdos)."""
    pairs = m * (m - 1) / 2
    return pairs * one / (1 + (pairs - 1) * one)


def coin_tail(count, p, gap):
    """P(|B/count - p| >= gap) for B ~ Bin(count, p), float arrays; atoms within rounding of `gap` are left out."""
    gap = np.asarray(gap) * (1 + 1e-12)
    low = np.floor(count * (p - gap))
    high = np.ceil(count * (p + gap))
    left = np.where(low >= 0, binom.cdf(low, count, p), 0.0)
    return left + np.where(high <= count, binom.sf(high - 1, count, p), 0.0)


@precise
def coin_tail_ball(count, p, diam, eps):
    """A proved lower bound of P(sup |k_hat - k| >= eps) for the coin kernel with `count` frequencies."""
    count, p, total = int(count), exact(p), arb(0)
    gap = exact(eps) / (1 - (arb.pi() * exact(diam)).cos())
    low, high = math.floor(float(count * (p - gap))), math.ceil(float(count * (p + gap)))
    for k in (*range(max(0, low - TERMS + 1), low + 1), *range(max(0, high), min(count + 1, high + TERMS))):
        if k <= count and abs(arb(k) / count - p) >= gap:
            total += arb.bin_uiui(count, k) * p**k * (1 - p) ** (count - k)
    return total
