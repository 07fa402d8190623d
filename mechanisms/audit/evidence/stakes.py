"""The events that a guarantee allows, and the stakes of bets against them.

A guarantee is a set of *tangents* (epsilon, delta): P(event) <= e^epsilon P'(event) + delta for every event, in either
order of the datasets. A release comes from either dataset equally often; let X = 1 (right guess), -e^epsilon (wrong), 0
(none). Guessing one dataset only, E X <= delta / 2; guessing both, on disjoint events, E X <= delta. Whoever stakes a
fraction of a capital of 1 on X being more than its bound multiplies the capital by 1 + stake (X - bound), in the mean
by at most 1. So if the claim is true, the chance that it ever reaches 1 / level is at most `level`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    PrivacyCurve,
    PureDP,
    RenyiDP,
    gaussian_delta,
    group,
)
from lemmata.mechanisms.privacy.divergences import Bound, implied_curve

STAKES = np.array([0.004, 0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.55, 0.7, 0.85, 0.97])  # of the largest possible
SIDES = (0.5, 0.5, 1.0)  # of delta that guesses of the first, the second, either dataset may use
TRIED = (0.08, 0.16, 0.25, 0.35)  # shares of the releases to guess on, beside the one that did best
CUTS = 1 + len(TRIED)  # pairs of thresholds a tangent
SLOPES = (0.0, 0.5, 1.0, 1.5, 2.5)  # of the tangents to a Gaussian curve, in deviations from the mean loss
CURVE = (0.0, 0.1, 0.3, 0.6, 1.0, 1.5, 2.5, 4.0, 7.0)  # epsilons at which a curve given as a function is asked
RUNGS, ENOUGH = (1.0, 0.9, 0.8, 0.65, 0.5, 0.3, 0.1, 0.01), 0.3  # of the claim; log growth that speaks against it
START = np.log(np.outer([1, 1, 8], STAKES) / (10 * STAKES.sum()))  # log capital of each side and stake at the start
PARAMETERS = np.geomspace(1e-3, 60, 320)  # epsilon or mu of the claims among which the lower limit is found
SCANNED = 20  # claims that are asked about at once


def parameter(claim: Any) -> tuple[str, float]:
    """The parameter of the claim: its mu, rho or epsilon, or the factor on the epsilons of a curve."""
    if isinstance(claim, GaussianDP):
        return "mu", claim.mu
    if isinstance(claim, ZCDP):
        return "rho", claim.rho
    return (
        ("epsilon", claim.epsilon) if isinstance(claim, PureDP | ApproxDP) else ("factor on the curve's epsilon", 1.0)
    )


def with_parameter(claim: Any, value: float) -> Any:
    """The claim with another mu or epsilon, or the curve with every epsilon multiplied."""
    if isinstance(claim, GaussianDP):
        return replace(claim, mu=value)
    if isinstance(claim, ZCDP):
        return replace(claim, rho=value)
    if isinstance(claim, PureDP | ApproxDP):
        return replace(claim, epsilon=value)
    if isinstance(claim, RenyiDP | PrivacyCurve):
        times: Any = value * np.array(claim.epsilon)
        return replace(claim, epsilon=times.tolist())
    return [replace(point, epsilon=point.epsilon * value) for point in claim]


def checked(claim: Any) -> Any:
    """The claim; a curve epsilon -> delta as a list of its points. Raises ValueError for other objects."""
    if isinstance(claim, PureDP | ApproxDP | GaussianDP | ZCDP | RenyiDP | PrivacyCurve):
        return claim
    if isinstance(claim, type):
        raise ValueError(f"claim must be a guarantee with numbers, such as PureDP(1.0), got the class {claim.__name__}")
    if callable(claim):
        return [ApproxDP(epsilon, min(1.0, float(claim(epsilon)))) for epsilon in CURVE]
    if isinstance(claim, Sequence) and claim and all(isinstance(point, PureDP | ApproxDP) for point in claim):
        return list(claim)
    raise ValueError(
        f"claim must be a guarantee, a list of PureDP and ApproxDP, or a function delta(epsilon), got {claim!r}"
    )


def tangents(claim: Any, records: int = 1) -> list[tuple[float, float]]:
    """The (epsilon, delta) that `claim` implies for datasets that differ in `records` records."""
    if isinstance(claim, Sequence):
        return [pair for point in claim for pair in tangents(point, records)]
    claim = group(claim, records) if records > 1 else claim
    if isinstance(claim, PrivacyCurve):
        return [(point.epsilon, point.delta) for point in claim.points]
    if isinstance(claim, ZCDP):
        return implied_curve(Bound(rho=claim.rho), claim.rho)
    if isinstance(claim, RenyiDP):
        return implied_curve(Bound(claim.points), min(epsilon / order for order, epsilon in claim.points))
    if not isinstance(claim, GaussianDP):
        return [(claim.epsilon, claim.delta)]
    return _gaussian(claim.mu)


@lru_cache(maxsize=1000)  # lower limits ask for the same ones in every audit
def _gaussian(mu: float) -> list[tuple[float, float]]:
    epsilons = [0.0, *(mu**2 / 2 + slope * mu for slope in SLOPES)]
    deltas = np.minimum(gaussian_delta(np.array(epsilons), mu) * (1 + 1e-12), 1.0)  # accurate to 1e-14
    return list(zip(epsilons, deltas.tolist(), strict=True))


def gains(epsilon: ArrayLike, bound: ArrayLike) -> np.ndarray:
    """log(1 + stake (X - bound)) for a right guess, a wrong one and none: shape (..., stakes, 3)."""
    less, bound = np.exp(-np.asarray(epsilon, dtype=float))[..., None], np.asarray(bound, dtype=float)[..., None]
    stakes = STAKES * less / (1 + bound * less)  # of 1 / (e^epsilon + bound)
    right, none = np.log1p(stakes * (1 - bound)), np.log1p(-stakes * bound)
    return np.stack([right, np.broadcast_to(np.log1p(-STAKES), right.shape), none], axis=-1)


def ladder(claim: Any, records: int) -> np.ndarray:
    """The gains against the claim and stronger ones, shape (tangents, sides, claims, stakes, 3)."""
    if isinstance(claim, GaussianDP):
        rungs = [tangents(replace(claim, mu=claim.mu * rung), records) for rung in RUNGS]
    else:
        rungs = [[(rung * epsilon, rung * delta) for epsilon, delta in tangents(claim, records)] for rung in RUNGS]
    return np.stack([tables(points) for points in rungs], axis=2)


def tables(points: ArrayLike) -> np.ndarray:
    """The gains at every tangent (epsilon, delta) and side, shape (..., tangents, sides, stakes, 3)."""
    epsilon, delta = np.moveaxis(np.asarray(points, dtype=float), -1, 0)[..., None]
    return gains(epsilon, np.array(SIDES) * delta)


def grown(counts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The log growth of every stake, shape (..., tangents, sides, stakes).

    Counts (..., tangents, sides, 3) of right, wrong and no guesses; gains (..., tangents, sides, stakes, 3).
    """
    return np.einsum("...tsc,...tskc->...tsk", counts, table)


def logsumexp(logs: np.ndarray, axis: int | tuple[int, ...] | None = None) -> np.ndarray:
    """log sum exp of a few numbers that are not all -inf; faster than SciPy's for small inputs.

    The largest of them are counted apart, so that the sum of the others keeps its last bits.
    """
    top = logs.max(axis=axis, keepdims=True)
    largest = logs == top
    rest = np.where(largest, 0.0, np.exp(logs - top)).sum(axis=axis, keepdims=True)
    times = largest.sum(axis=axis, keepdims=True)
    return np.squeeze(np.log1p(rest / times) + np.log(times) + top, axis=axis)


def log_capital(counts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """log capital of each process, divided equally among the stakes at the start."""
    return logsumexp(grown(counts, table), axis=-1) - log(len(STAKES))


def average(counts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The log of the evidence for equal initial shares; counts (..., attackers, tangents, sides, 3)."""
    capital = logsumexp(grown(counts, table) + START, axis=(-2, -1))
    return np.asarray(logsumexp(capital, axis=(-2, -1)) - log(capital.shape[-1] * capital.shape[-2]))


def repeated_tables(claim: Any, values: ArrayLike, records: int = 1) -> np.ndarray:
    """The gains against claims with these parameters, shape (values, 1, tangents, sides, stakes, 3).

    Every tangent stands once for each pair of thresholds.
    """
    points = [tangents(with_parameter(claim, value), records) for value in np.asarray(values).tolist()]
    return np.repeat(tables(points), CUTS, axis=1)[:, None]


def against(counts: np.ndarray, claim: Any, values: ArrayLike, records: int = 1) -> np.ndarray:
    """The log of the evidence, for equal initial shares, against claims with these parameters, shape (values,)."""
    return average(counts, repeated_tables(claim, values, records))


def last_refuted(evidence: Callable, values: np.ndarray, threshold: float, reached: float = 0.0) -> float:
    """The last of the increasing `values` that is refuted together with all before it; `reached` if none is.

    `evidence(some)` is the log of the evidence against claims with these parameters; only as many are asked about as
    it takes.
    """
    for some in np.split(values, range(SCANNED, len(values), SCANNED)):
        short = np.flatnonzero(evidence(some) < threshold)
        if len(short):
            return float(some[short[0] - 1]) if short[0] else reached
        reached = float(some[-1])
    return reached


def tally(scores: np.ndarray, truth: np.ndarray, above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Right, wrong and missing guesses of the first, the second and either dataset, shape (tangents, sides, 3).

    The first dataset is guessed from `above` on; else the second where minus the score is `below` or more.
    """
    over, under = [], []  # how many releases of either dataset
    for side in (1, -1):
        ordered = np.sort(scores[truth == side])
        least = np.searchsorted(ordered, above)
        over.append(len(ordered) - least)
        under.append(np.minimum(least, np.searchsorted(ordered, -below, side="right")))
    right = np.column_stack([over[0], under[1], over[0] + under[1]])
    wrong = np.column_stack([over[1], under[0], over[1] + under[0]])
    return np.stack([right, wrong, len(truth) - right - wrong], axis=2)


def thresholds(scores: np.ndarray, right: np.ndarray, rungs: np.ndarray) -> np.ndarray:
    """For every tangent the best threshold and the thresholds for fixed shares of guesses.

    The best is that above which guessing makes the capital grow fastest on past rounds. `rungs` has shape (tangents,
    claims, stakes, 3), the strongest claim last: the first claim that past rounds speak against counts, so that an
    attacker who cannot refute what is claimed still finds out how close he comes. inf if there is none.
    """
    order = np.argsort(scores)
    ordered, among = scores[order], len(scores) - 1
    values = np.unique(ordered[(np.linspace(0, 1, 200) * among).astype(int)])
    place = np.searchsorted(ordered, values)  # guesses are the releases from here on
    above = np.append(np.cumsum(right[order][::-1])[::-1], 0)[place]
    below = len(scores) - place - above + 1  # one wrong guess more than seen: few guesses prove little
    counts = np.column_stack([above, below, place])
    shares = ordered[((1 - np.array(TRIED)) * among).astype(int)]
    return np.concatenate([[best_threshold(values, counts, table), *shares] for table in rungs])


def best_threshold(values: np.ndarray, counts: np.ndarray, table: np.ndarray) -> float:
    """The threshold in `values` with the largest gain; inf if no threshold gains."""
    for claim in table:
        growth = (counts @ claim.T).max(axis=1)
        best = int(np.argmax(growth))
        if growth[best] > ENOUGH:
            return float(values[best])
    return np.inf
