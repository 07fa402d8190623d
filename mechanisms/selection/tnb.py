"""How many candidates private tuning tries: K ~ TNB(eta, r), for every eta > -1.

The law of Definition A.1 of Wang, Zhu & Wang (2025), after Papernot & Steinke (2022). It takes no data: the number of
runs is independent of the dataset, which the privacy of Algorithm 4 rests on, and it is never released.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.exact import tnb
from lemmata.bounds.wzw25 import run_counts
from lemmata.mechanisms.numerics.arithmetic import as_real_array, check_in_range
from lemmata.mechanisms.numerics.exact_geometric import draw_run_count, draw_waiting_times

LARGEST = 2.0**50  # of (1 + |eta|) / r: so large a K is still counted exactly, and 2^63 is out of reach


@dataclass(frozen=True)
class TruncatedNegativeBinomial:
    """The law of K in {1, 2, ...}: geometric at eta = 1, logarithmic at eta = 0, heavy-tailed up to 1/r below."""

    eta: float
    r: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", check_in_range("eta", self.eta, -1, np.inf))
        object.__setattr__(self, "r", check_in_range("r", self.r, 0, 1))
        if (1 + abs(self.eta)) / self.r > LARGEST:
            raise ValueError(f"r must be in [(1 + |eta|) / 2^50, 1), got {self.r}: K would not fit an integer")

    @property
    def mean(self) -> float:
        """E K."""
        return run_counts.mean(eta=self.eta, r=self.r)

    def exactly(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw as `sample` does, with exact chances: what an exact release takes."""
        if self.eta == 1:
            return draw_waiting_times(rng, self.r, size)
        return np.array([draw_run_count(rng, self.eta, self.r) for _ in range(size)])

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent values of K, shape (size,), whole numbers of at least 1.

        K = 1 + N with N | p negative binomial, 1 + eta successes of probability p, and p in (r, 1) of density
        proportional to p^(-1-eta): `lemmata.bounds.wzw25.run_counts.mixing_quantile`. No table and no rejection, so the
        cost of a draw depends neither on r nor on how close eta is to 0 or -1. The negative binomial is Poisson with a
        gamma mean.
        """
        p = run_counts.mixing_quantile(eta=self.eta, r=self.r, q=rng.random(size))
        rate = rng.standard_gamma(1 + self.eta, size) * (-np.expm1(np.log(p)) / p)
        return 1 + rng.poisson(rate)

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return log P(K = k) for an array of k, same shape."""
        return tnb.log_pmf(eta=self.eta, r=self.r, k=as_real_array("releases", releases))


def law(*, eta: float, r: float) -> TruncatedNegativeBinomial:
    """Return the law of the number of runs. `law(eta=1, r=r)` is the geometric one of Theorem 7.1.

    >>> law(eta=1, r=0.25).mean
    4.0
    """
    return TruncatedNegativeBinomial(eta, r)
