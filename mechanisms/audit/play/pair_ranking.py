"""Distances between the releases of two datasets: with equal seeds, and by attackers that need no training.

None of it is evidence. A rank says which pair is looked at next.
"""

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.evidence.outcomes import Reader, joined, part, quantiles
from lemmata.mechanisms.audit.evidence.rules import learnt, lesson
from lemmata.mechanisms.audit.evidence.scores import cheap
from lemmata.mechanisms.audit.evidence.stakes import CUTS, RUNGS, checked, ladder
from lemmata.mechanisms.audit.subjects.adapters import quiet
from lemmata.mechanisms.audit.subjects.samplers import Raised

TELLING, LUCK = 8.0, 2.0  # the weight of what is gained against the claim, from what chance alone gives on
TINY = 1e-300
RUNG = [RUNGS.index(share) for share in (0.5, 0.8, 1.0)]  # of the claim: where pairs are compared
ENOUGH = 8.0  # gained against less than the claim: more of it tells nothing of what refutes the claim
FOUND = 1e6  # the rank of what differs in kind


def told_apart(one: Sequence, other: Sequence) -> tuple[float, str]:
    """The distance of releases with equal seeds, in spreads; and the symptom, if they differ in kind."""
    kinds = {kind(release) for release in one}
    odd = [release for release in other if kind(release) not in kinds]
    if odd:
        return FOUND * len(odd) / len(other), kind(odd[0])
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if kind(a) == kind(b) and isinstance(a, np.ndarray)]
    if not pairs or not len(pairs[0][0]):
        return float(np.mean([written_out(a) != written_out(b) for a, b in zip(one, other, strict=False)])), ""
    wide = len(pairs[0][0])
    whole = sized(np.array([a for a in one if isinstance(a, np.ndarray) and len(a) == wide]))
    with quiet():  # a column may hold no number at all
        first, second = (sized(np.array([pair[side] for pair in pairs])) for side in (0, 1))
        low, centre, high = quantiles(whole, (0.25, 0.5, 0.75))
        spread = np.where(high > low, (high - low) / 1.349, np.nanstd(whole, axis=0))  # of normal noise, as a deviation
        apart = np.abs(np.arcsinh((second - centre) / spread) - np.arcsinh((first - centre) / spread)).mean(axis=0)
        apart = shifted(first, second, apart, spread)
        moves = np.where(spread > 0, np.nan_to_num(apart, nan=0.0, posinf=FOUND / 2), FOUND / 2)
        moves = np.where((first == second).all(axis=0), 0.0, moves)
    return float(np.sqrt(np.sum(moves**2))), ""


def shifted(first: np.ndarray, second: np.ndarray, apart: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """The distance in spreads of releases that only shift by a constant; their position has no further information.

    The columns are numbers, and then the logarithms of their sizes.
    """
    by, wide = second - first, first.shape[1] // 2
    only = np.isfinite(by).all(axis=0) & (np.ptp(by, axis=0) <= 1e-9 * np.abs(by).max(axis=0)) & (len(by) > 1)
    numbers = only[:wide]
    found = np.where(only, np.minimum(np.abs(by[0]) / spread, FOUND / 2), apart)
    found[wide:] = np.where(numbers, 0.0, found[wide:])
    return np.asarray(found)


def wider(one: Sequence, other: Sequence) -> float:
    """The log-ratio of the spreads of noise on the two sides; for several numbers the largest.

    With equal seeds such a number lies on a line whose slope is the ratio of the scales. It is 0 where nothing does.
    """
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if _numbers(a, b)]
    if len(pairs) < 3 or any(a.shape != pairs[0][0].shape or not a.size for a, _ in pairs):
        return 0.0
    with quiet():
        first, second = (np.diff([pair[side] for pair in pairs], axis=0) for side in (0, 1))
        slopes = np.abs(second / first)
        line = np.isfinite(slopes).all(axis=0) & (slopes.min(axis=0) > 0)
        line &= np.ptp(slopes, axis=0) <= 1e-6 * slopes.max(axis=0)
        return round(float(np.where(line, np.abs(np.log(slopes[0])), 0.0).max()), 6)


def move(one: Sequence, other: Sequence) -> str:
    """The difference of the numbers of releases with equal seeds, as a string."""
    with quiet():
        told = [a - b if _numbers(a, b) else (repr(a), repr(b)) for a, b in zip(one, other, strict=False)]
        return repr([np.round(x, 6).tolist() if isinstance(x, np.ndarray) else x for x in told])


def written_out(release: Any) -> bytes | str:
    """What is equal for equal releases: the bytes of numbers, of which a text would leave some out."""
    return release.tobytes() if isinstance(release, np.ndarray) else repr(release)


def _numbers(a: Any, b: Any) -> bool:
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape


def sized(values: np.ndarray) -> np.ndarray:
    """The released numbers, and the logarithms of their sizes, for noise whose scale changes."""
    with np.errstate(all="ignore"):
        return np.hstack([values, np.log(np.abs(values) + TINY)])


def kind(release: Any) -> str:
    """The kind of a release: its exception, or its parts and the places without a finite number."""
    if isinstance(release, Raised):
        return f"raises {release!r}"
    if isinstance(release, tuple):
        return f"is made of {release[0]}"
    odd = {word: np.flatnonzero(test(release)) for word, test in (("NaN", np.isnan), ("infinite", np.isinf))}
    return "; ".join(f"{word} at {places[:3].tolist()}" for word, places in odd.items() if len(places))


def gained(claim: Any, one: list, other: list, bits: bool = False) -> float:
    """The rank of a pair by the gain of the cheapest attackers on releases from which they did not learn."""
    rungs = np.repeat(ladder(checked(claim), 1), CUTS, axis=0)
    reader = Reader([stacked(one), stacked(other)], False)
    data = joined([reader(stacked(one)), reader(stacked(other))])
    truth = np.repeat([1, -1], [len(one), len(other)])
    order = np.random.default_rng(0).permutation(len(truth))
    taught = lesson(part(data, order), truth[order])
    gains = []
    for place in RUNG:
        found = [learnt(learn, taught, rungs[:, :, place:]) for _, learn in cheap(bits)]
        gains.append(max((float(rule.growth.max()) for rule in found if rule is not None), default=-inf))
    return weighed(*gains)


def weighed(half: float, most: float, whole: float) -> float:
    """The rank of a pair from its gains against half the claim, most of it and all of it.

    A pair that leaks as much as is claimed gains most against half of it, and nothing that refutes the claim; one that
    leaks more, but seldom, less. Where nobody gains against the claim, less of it tells pairs apart, up to a point.
    """
    return min(half, ENOUGH) + min(max(most, 0.0), ENOUGH) + TELLING * max(whole - LUCK, 0.0)


def stacked(releases: list) -> Any:
    """Vectors of one length as a table."""
    if all(isinstance(one, np.ndarray) and one.shape == releases[0].shape for one in releases):
        return np.array(releases)
    return releases
