"""Choices and local reports: noisy maxima, the sparse vector technique, quantiles, randomised response."""

from math import exp, log
from typing import Any

import numpy as np

from lemmata.experiments.audits.corpus.registry import (
    ONE,
    RECORDS,
    ROWS,
    Rng,
    published,
    rounded,
    tidy,
    two_sided,
)
from lemmata.mechanisms.privacy import ZCDP, PureDP

BITS, VOTES = np.arange(20) % 2 * 1.0, np.arange(9) % 3 / 2
SVT = "arXiv 1603.01699"


# Maxima ---------------------------------------------------------------------------------------------------------------


def votes_for_three(x: Any) -> np.ndarray:
    """How many records are nearest to 0, 1/2 and 1; a replaced one moves two counts by 1, in opposite directions."""
    return np.bincount(np.round(2 * tidy(x)).astype(int), minlength=3)


@published("arXiv 1805.10559", "selection", ONE, VOTES)
def noisy_maximum_with_half_its_noise(x: Any, rng: Rng, mended: bool) -> Any:
    """Counts that move against each other have noise of scale 1 / epsilon. Mended: 2 / epsilon."""
    return int(np.argmax(votes_for_three(x) + rng.laplace(scale=2.0 if mended else 1.0, size=3)))


@published("arXiv 1805.10559", "selection", PureDP(0.5), RECORDS)
def the_largest_score_itself(x: Any, rng: Rng, mended: bool) -> Any:
    """The largest of eight noisy scores is released, not its index. Mended: the index."""
    noisy = (tidy(x)[:, None] > np.arange(8) / 8).sum(axis=0) + rng.laplace(scale=4.0, size=8)
    return int(noisy.argmax()) if mended else float(rounded(noisy.max()))


@published("opendp/opendp#2911", "selection", ZCDP(0.5), BITS)
def permute_and_flip(x: Any, rng: Rng, mended: bool) -> Any:
    """It promises epsilon^2 / 8, which bounded range gives. Mended: the exponential mechanism at epsilon = 2 has it.

    Permute-and-flip is the noisy maximum of exponential noise, and the exponential mechanism that of Gumbel noise.
    """
    ones = int((tidy(x) > 0.5).sum())
    return int(np.argmax(np.array([len(x) - ones, ones]) + (rng.gumbel if mended else rng.exponential)(size=2)))


@published("ryan112358/mbi#65", "selection", ONE, BITS)
def scores_that_are_differences(x: Any, rng: Rng, mended: bool) -> Any:
    """Both terms of a score move by 1, and its sensitivity is taken for 1. Mended: it is 2."""
    difference = 2 * (tidy(x) > 0.5).sum() - len(x)
    return int(np.argmax(np.array([difference, -difference]) + rng.gumbel(scale=4.0 if mended else 2.0, size=2)))


@published("arXiv 2110.03620", "selection", ONE, RECORDS)
def best_of_three_runs(x: Any, rng: Rng, mended: bool) -> Any:
    """The best of three private runs is sold at the price of one. Mended: each run has a third of epsilon."""
    return float(rounded(tidy(x).sum() + rng.laplace(scale=3.0 if mended else 1.0, size=3)).max())


@published("ryan112358/mbi#11", "composition", ONE, ROWS)
def selection_and_marginal(X: Any, rng: Rng, mended: bool) -> Any:
    """Half of epsilon chooses a column, and all of it measures that. Mended: the other half."""
    counts = (tidy(X) > 0.5).sum(axis=0)
    chosen = int(np.argmax(counts + rng.gumbel(scale=4.0, size=len(counts))))
    return chosen, int(counts[chosen] + two_sided(rng, 0.5 if mended else 1.0))


# The sparse vector technique, as Lyu, Su and Li number its variants ---------------------------------------------------


def counting(x: Any, queries: int) -> np.ndarray:
    """The records above 1/2, beyond half of them, asked of them and then of the others; each moves by at most 1."""
    above = np.sum(np.asarray(x) > 0.5) - len(x) / 2
    return np.repeat([above, -above], queries // 2)


def svt(answers: Any, rng: Rng, threshold: float, query: float, cut: float = np.inf, numeric: bool = False) -> Any:
    """Is each answer above 0? `threshold` and `query` are scales of noise; after `cut` that are, it is silent."""
    rho, noisy = rng.laplace(scale=threshold), answers + rng.laplace(scale=query, size=len(answers))
    above = noisy >= rho
    told = np.where(above, noisy if numeric else 1.0, -99.0)
    return rounded(np.where(np.cumsum(above) - above < cut, told, 99.0))


@published(SVT, "selection", ONE, BITS)
def sparse_vector_3(x: Any, rng: Rng, mended: bool) -> Any:
    """Roth 2011: the answer that was compared is released. Mended: Algorithm 1, which says "above"."""
    return svt(counting(x, 40), rng, 2.0, 4.0, cut=1) if mended else svt(counting(x, 40), rng, 2.0, 2.0, 1, True)


@published(SVT, "selection", ONE, BITS)
def sparse_vector_4(x: Any, rng: Rng, mended: bool) -> Any:
    """Lee and Clifton 2014: noise that does not grow with the cut-off. Mended: Algorithm 1 with a cut-off of 2."""
    return svt(counting(x, 40), rng, 2.0, 8.0, cut=2) if mended else svt(counting(x, 40), rng, 4.0, 4 / 3, cut=20)


@published(SVT, "selection", ONE, BITS)
def sparse_vector_5(x: Any, rng: Rng, mended: bool) -> Any:
    """Stoddard et al. 2014: no noise on the answers, and no cut-off. Mended: Algorithm 1."""
    return svt(counting(x, 12), rng, 2.0, *((4.0, 1) if mended else (0.0,)))


@published(SVT, "selection", ONE, BITS)
def sparse_vector_6(x: Any, rng: Rng, mended: bool) -> Any:
    """Chen et al. 2015: no cut-off. Mended: Algorithm 1."""
    return svt(counting(x, 40), rng, 2.0, *((4.0, 1) if mended else (2.0,)))


@published("NVIDIA/NVFlare#343", "raw value", ONE, RECORDS)
def weights_below_the_threshold(x: Any, rng: Rng, mended: bool) -> Any:
    """Weights that are not selected stay as they are. Mended: they are 0.

    A record is one weight: comparing it costs a half of epsilon, and so does releasing it.
    """
    x = tidy(x)
    above = x + rng.laplace(scale=2.0, size=len(x)) >= 0.5 + rng.laplace(scale=2.0)
    return rounded(np.where(above, x + rng.laplace(scale=2.0, size=len(x)), 0.0 if mended else x))


# Quantiles ------------------------------------------------------------------------------------------------------------


def median(x: Any, rng: Rng, kind: Any = float, epsilon: float = 1.0) -> float:
    """The exponential mechanism on the places between records; at any point the rank moves by at most 1."""
    edges = np.concatenate([[0.0], np.sort(tidy(x)), [1.0]])
    far = (epsilon / 2 * np.abs(np.arange(len(edges) - 1) - len(x) / 2)).astype(kind)
    shares = np.diff(edges) * np.exp(-far)
    place = rng.choice(len(shares), p=np.asarray(shares / shares.sum(), dtype=float))
    return float(edges[place] + (edges[place + 1] - edges[place]) * rng.random())


@published("opendp/smartnoise-sdk#572", "shape or error", PureDP(2.0), np.append(np.zeros(35), 1.0))
def median_that_underflows(x: Any, rng: Rng, mended: bool) -> Any:
    """All weights that are not 0 underflow at some sizes, and then it raises. Mended: as double precision is enough."""
    return rounded(median(x, rng, float if mended else np.float16, 2.0))


@published("arXiv 2207.13793", "bits", ONE, RECORDS)
def median_in_floats(x: Any, rng: Rng, mended: bool) -> Any:
    """Which floats lie between two records can be told from their bits. Mended: multiples of a coarse public step."""
    chosen = median(x, rng)
    return rounded(chosen) if mended else chosen


# Local reports --------------------------------------------------------------------------------------------------------


@published("opendp/opendp#480", "noise", PureDP(log(7 / 3)), np.array([1]))
def response_that_may_be_true_twice(x: Any, rng: Rng, mended: bool) -> Any:
    """A lie is drawn from both values. Mended: from the other one, so that the odds are .7 to .3."""
    truth = int(np.ravel(tidy(x))[0] > 0.5)
    if rng.random() < 0.7:
        return truth
    return 1 - truth if mended else int(rng.random() < 0.5)


@published("Samuel-Maddock/pure-LDP#11", "noise", ONE, np.array([1]))
def unary_encoding(x: Any, rng: Rng, mended: bool) -> Any:
    """The own bit is kept too often. Mended: two bits differ, each by a half of epsilon."""
    own = np.arange(4) == int(np.ravel(tidy(x, 0.0, 3.0))[0])
    odds = exp(0.5), exp(0.5 if mended else 1.0)
    return (rng.random(4) < np.where(own, odds[1] / (1 + odds[1]), 1 / (1 + odds[0]))).astype(int)
