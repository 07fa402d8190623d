"""Deterministic checks: queries of a mechanism replayed on a neighbour, and a count of its draws.

No sampling error: a violation is a fact. They see what an attack cannot (one uncharged step in a thousand), and an
attack sees what they cannot (a wrong declaration that no query of this pair exceeds).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt
from typing import Any

import numpy as np
from scipy.stats import kstest, norm

SPAN = inf  # the order of a choice

# Sensitivity replay ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Query:
    """One noisy answer: the query, its declared sensitivity and norm, and the scale of its noise."""

    name: str
    shape: tuple[int, ...]
    sensitivity: float
    scale: float
    order: float  # of the norm: 1 for Laplace, 2 for Gaussian noise; SPAN for a choice: largest minus smallest move
    pure: bool  # sensitivity / scale is an epsilon, not a mu
    value: np.ndarray
    answer: np.ndarray

    @property
    def asked(self) -> tuple:
        """The fields that do not depend on the data."""
        return self.name, self.shape, self.sensitivity, self.scale, self.order, self.pure

    def moved(self, other: "Query") -> float:
        """The distance between the values of two queries."""
        apart = np.ravel(self.value - other.value)
        return float(np.ptp(apart)) if self.order == SPAN else float(np.linalg.norm(apart, self.order))


class Curator:
    """Answers queries with noise and records them; with a transcript it repeats the recorded answers.

    A program `program(data, ask)` may look at its data only through `ask(name, value, sensitivity=, scale=, order=)`.
    Noise that is neither Laplace's nor Gaussian is drawn by `draw(rng, value)`; with `pure` it is charged in epsilon.
    A value that depends on what is answered is a function of the answer.
    """

    def __init__(self, rng: np.random.Generator, transcript: Iterable[Query] = ()) -> None:
        self.rng, self.given = rng, list(transcript)
        self.queries: list[Query] = []

    def __call__(
        self,
        name: str,
        value: Any,
        *,
        sensitivity: float,
        scale: float,
        order: float = 2,
        draw: Callable | None = None,
        pure: bool | None = None,
    ) -> np.ndarray:
        place, fixed = len(self.queries), None if callable(value) else np.asarray(value, dtype=float)
        if place < len(self.given) and (fixed is None or self.given[place].shape == fixed.shape):
            answer = self.given[place].answer
        elif draw:
            answer = draw(self.rng, fixed)
        elif fixed is None:
            raise TypeError(f"the value of {name} depends on its answer, so its noise must be drawn with `draw`")
        else:
            answer = fixed + (self.rng.laplace if order == 1 else self.rng.normal)(scale=scale, size=fixed.shape)
        fixed = np.asarray(value(answer), dtype=float) if fixed is None else fixed
        pure = order != 2 if pure is None else pure
        self.queries.append(Query(name, fixed.shape, sensitivity, scale, order, pure, fixed, answer))
        return answer


def transcripts(
    program: Callable, data: Any, neighbour: Any, rng: np.random.Generator
) -> tuple[list[Query], list[Query], bool]:
    """The queries on both datasets, the second with the answers of the first, and whether the releases agree."""
    first = Curator(rng)
    released = program(data, first)
    second = Curator(rng, first.queries)
    again = program(neighbour, second)
    return first.queries, second.queries, np.array_equal(np.asarray(released), np.asarray(again))


def kappa(program: Callable, data: Any, neighbour: Any, rng: np.random.Generator) -> float:
    """The largest move of a query divided by its declared sensitivity."""
    first, second, _ = transcripts(program, data, neighbour, rng)
    pairs = zip(first, second, strict=False)
    return max((a.moved(b) / a.sensitivity for a, b in pairs if a.sensitivity > 0), default=0.0)


def replayed(program: Callable, data: Any, neighbour: Any, rng: np.random.Generator) -> list[str]:
    """Violations when the program sees the neighbour with the same answers; empty if there are none."""
    first, second, same = transcripts(program, data, neighbour, rng)
    wrong: list[str] = []
    for place, (before, after) in enumerate(zip(first, second, strict=False)):
        if before.asked != after.asked:
            return [*wrong, f"query {place} is {before.asked} on one dataset and {after.asked} on the other"]
        moved = before.moved(after)
        if moved > before.sensitivity * (1 + 1e-9):
            wrong.append(f"query {place}, {before.name}: moved by {moved:.6g}, declared {before.sensitivity:.6g}")
    if len(first) != len(second):
        wrong.append(f"{len(first)} queries on one dataset, {len(second)} on the other")
    if not wrong and not same:
        wrong.append("the same answers led to another release: something else was read from the data")
    return wrong


def spent(queries: Iterable[Query]) -> tuple[float, float]:
    """The total cost of the answers: epsilon of pure ones, mu of Gaussian ones."""
    queries = list(queries)
    pure = sum(q.sensitivity / q.scale if q.scale else inf for q in queries if q.pure)
    gaussian = sqrt(sum((q.sensitivity / q.scale) ** 2 if q.scale else inf for q in queries if not q.pure))
    return pure, gaussian


# Noise draws ----------------------------------------------------------------------------------------------------------


@dataclass
class Draw:
    """One call of a generator: its kind and its result."""

    kind: str
    value: np.ndarray


class Counted(np.random.Generator):
    """A generator that records its draws."""

    def __init__(self, seed: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self.draws: list[Draw] = []

    def __getattribute__(self, kind: str) -> Any:
        found = super().__getattribute__(kind)
        if kind.startswith("_") or kind in ("draws", "bit_generator", "spawn"):
            return found

        def draw(*arguments: Any, **options: Any) -> Any:
            value = found(*arguments, **options)
            self.draws.append(Draw(kind, np.array(value)))
            return value

        return draw


def drawn(sample: Callable, kind: str, seed: int = 0) -> int:
    """The number of draws of one kind ("normal", "laplace", ...) in a release."""
    rng = Counted(seed)
    sample(rng, 1)
    return sum(draw.value.size for draw in rng.draws if draw.kind == kind)


def not_the_law(draws: np.ndarray, cdf: Callable) -> float:
    """A p-value for "the entries of draws, shape (size, d), are independent and have this cdf".

    Marginals, all entries together, and every pair of coordinates: signs, sizes, and equal values. Bonferroni.
    """
    draws = np.reshape(draws, (len(draws), -1))
    d = draws.shape[1]
    uniform = np.clip(cdf(draws), 1e-300, 1 - 1e-16)
    p = [kstest(column, "uniform").pvalue for column in uniform.T] + [kstest(uniform.ravel(), "uniform").pvalue]
    scores = norm.ppf(uniform)
    for i, j in combinations(range(d), 2):
        if (draws[:, i] == draws[:, j]).mean() > 0.5:
            return 0.0
        for one, other in ((scores[:, i], scores[:, j]), (scores[:, i] ** 2, scores[:, j] ** 2)):
            p.append(_uncorrelated(one, other))
    p.append(_uncorrelated(scores[:-1].ravel(), scores[1:].ravel()))
    return float(min(1.0, len(p) * min(p)))


def _uncorrelated(one: np.ndarray, other: np.ndarray) -> float:
    """A p-value for independence, by Fisher's z; 0 if one of them is constant."""
    if not (one.std() > 0 and other.std() > 0):
        return 0.0
    r = np.clip(np.corrcoef(one, other)[0, 1], -1 + 1e-12, 1 - 1e-12)
    return float(2 * norm.sf(abs(np.arctanh(r)) * sqrt(len(one) - 3)))
