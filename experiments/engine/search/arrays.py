"""Vectors, matrices and functions for a search: patterns at which statements about them fail, and changes of these.

An author lists a few arrays and says in a predicate which ones her statement is about. The entries that the predicate
allows are found by filling one of her arrays with one number. All else is left to the predicate, which is asked about
every array that is drawn. Now and then one is turned into a distribution, a unit vector, a sorted one or a symmetric
one, and mostly so if all arrays of the author are. A function is a broken line, which is the array of its rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from lemmata.bounds.statement.functions import BrokenLine, FunctionClass
from lemmata.bounds.statement.hypotheses import Domain, Hypothesis
from lemmata.experiments.engine.search.domains import meet_intervals, probe_domain

LONGEST = 64  # entries of a vector, and rows of a matrix; half of them are much shorter
SCALES = (1.0, 1.0, 1.0, 1e-3, 0.1, 10.0, 1e3)  # of the entries of one array: of several, rounding would decide
KEPT = 8  # arrays of the author that are changed
CHANGES = 4  # of slope, of a broken line, at most
ROUNDED = 1.0  # the width of a change of slope of a smooth function whose bound is another argument
SLOPES = (1.0, 1.0, -1.0, 0.5, 2.0)  # and changes of them, of which the bounds of a class are often one

Vector = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Arrays:
    """The arrays that an argument may be, as far as its author's examples and a domain of their entries show."""

    examples: tuple[Any, ...]
    entries: Domain

    def draw(self, rng: np.random.Generator, size: int, beside: list[Any]) -> Any:
        """An array like one of the author's, or like another argument's, with some entries changed; or a pattern."""
        example = self.examples[int(rng.integers(len(self.examples)))]
        ndim = np.ndim(example)
        alike = [each for each in beside if np.ndim(each) == ndim]
        if alike and rng.random() < 0.6:
            return self.move(alike[int(rng.integers(len(alike)))], rng)
        if rng.random() < 0.2:
            return self.move(example, rng)
        shape = (size,) if ndim == 1 else (size, size if self.square else int(rng.integers(1, 9)))
        array = self.scale(_draw_pattern(shape, rng), rng)
        projections = _list_projections(array)
        if self.kept and rng.random() < 0.8:
            return self.restore(self.project(array, rng))
        if rng.random() < 0.4:
            array = projections[int(rng.integers(len(projections)))](array)
        return self.restore(array)

    @cached_property
    def square(self) -> bool:
        """Whether all examples are square matrices."""
        return {np.shape(each)[-1] == len(each) for each in self.examples if np.ndim(each) == 2} == {True}

    @cached_property
    def kept(self) -> list[Callable[[Vector], Vector]]:
        """The projections that change none of the examples, unless all of these are as simple as zeros and ones."""
        plain = all(set(np.ravel(example).tolist()) <= {0.0, 1.0} for example in self.examples)
        each = [] if plain else _list_projections(np.array(self.examples[0], dtype=float))
        return [project for project in each if all(_is_fixed(project, example) for example in self.examples)]

    def project(self, array: Vector, rng: np.random.Generator) -> Vector:
        """The array with what all examples have in common, or with one thing of that, as far as it can be."""
        chosen = self.kept
        if len(chosen) > 1 and rng.random() < 0.5:
            chosen = [chosen[int(rng.integers(len(chosen)))]]
        for project in chosen:
            if project in _list_projections(array):
                array = project(array)
        return array

    def scale(self, shares: Vector, rng: np.random.Generator) -> Vector:
        """Numbers of [0, 1] as entries."""
        low, high = self.entries.low, self.entries.high
        if np.isfinite(high - low):
            return low + (high - low) * shares
        scale = float(rng.choice(SCALES))
        if np.isfinite(low):
            return low + scale * shares
        return (
            high - scale * shares if np.isfinite(high) else scale * (2 * shares - 1 if rng.random() < 0.5 else shares)
        )

    def restore(self, array: Vector) -> Any:
        """The array as its author writes hers: a list, a tuple, whole numbers as such."""
        array = np.round(array) if self.entries.whole else array
        whole = bool((array == np.round(array)).all()) and (np.abs(array) < 2**53).all()
        example = self.examples[0]
        if isinstance(example, np.ndarray):
            return array.astype(example.dtype) if whole else array
        listed = (array.astype(int) if whole and _has_whole_numbers(example) else array).tolist()
        kind = type(example)
        return kind(kind(row) if isinstance(row, list) else row for row in listed)

    def move(self, array: Any, rng: np.random.Generator) -> Any:
        """The array with an entry replaced, scaled, added or left out, or with all of them scaled."""
        changed = np.array(array, dtype=float)
        place = tuple(int(rng.integers(end)) for end in changed.shape)
        match int(rng.integers(6)):
            case 0:
                changed[place] = self.scale(_draw_pattern((1,), rng), rng)[0]
            case 1:
                changed[place] *= np.exp(rng.normal() * rng.choice([0.01, 0.1, 1.0]))
            case 2:
                changed = np.delete(changed, place[0], 0) if len(changed) > 1 else changed
            case 3:
                changed = np.insert(changed, place[0], changed[int(rng.integers(len(changed)))], 0)
            case 4:
                changed *= float(np.exp(rng.normal()))
        changed = np.clip(changed, self.entries.low, self.entries.high)
        return self.restore(self.project(changed, rng) if rng.random() < 0.5 else changed)

    def jitter(self, array: Any, rng: np.random.Generator) -> Any:
        """The array with entries that differ in their last digits."""
        near = np.array(array, dtype=float)
        return array if self.entries.whole else self.restore(near * (1 + rng.uniform(-1, 1, near.shape) * 1e-12))

    def simpler(self, array: Any) -> Iterator[Any]:
        """The array with an entry left out or made simpler."""
        plain = np.array(array, dtype=float)
        if self.examples and (plain != plain.mean()).any():
            yield self.restore(np.full(plain.shape, plain.mean()))
        for row in range(len(plain) if len(plain) > 1 else 0):
            fewer = np.delete(plain, row, 0)
            yield self.restore(np.delete(fewer, row, 1) if self.square and plain.ndim == 2 else fewer)
        for place in np.ndindex(plain.shape):
            value = plain[place]
            for number in (0.0, 1.0, -1.0, 0.5, *(float(f"{value:.{digits}g}") for digits in (1, 2))):
                if len(f"{number:g}") < len(f"{value:.17g}") or abs(number) < abs(value) == 1:
                    changed = plain.copy()
                    changed[place] = number
                    yield self.restore(changed)


@dataclass(frozen=True)
class Functions(Arrays):
    """The functions that an argument may be: broken lines of a class, each as the array of its rows."""

    asked: FunctionClass

    def draw(self, rng: np.random.Generator, size: int, beside: list[Any]) -> Any:
        """A function whose slope changes at `CHANGES` places or fewer: ends of its domain, the middle, or anywhere."""
        alike = [each for each in beside if isinstance(each, BrokenLine)]
        if alike and rng.random() < 0.6:
            return self.move(np.array(alike[int(rng.integers(len(alike)))]), rng)
        rows = rng.choice(SLOPES, (1 + int(rng.integers(CHANGES + 1)), 3))
        low, high = self.asked.on
        width = min(high - low, 2.0)
        low = low if np.isfinite(low) else high - width if np.isfinite(high) else -1.0
        places = rng.choice([rng.uniform(0, width), 0.0, width, width / 2], len(rows)) + low
        places *= 1.0 if np.isfinite(self.asked.on).any() else float(rng.choice(SCALES))
        rows[:, 0] = places
        rows[0, :2] = rng.choice([0.0, 0.0, 1.0, -1.0, float(rng.normal())], 2)
        rows[1:, 1] *= float(rng.choice(SCALES))
        rows[:, 2] = ROUNDED * float(rng.choice(SCALES))
        return self.restore(rows)

    def restore(self, array: Vector) -> Any:
        """The member of the class that is nearest to what an array of rows says."""
        asked, rows = self.asked, np.array(array, dtype=float).reshape(-1, 3)
        rows = np.vstack([[*rows[0, :2], 0.0], rows[1:][np.unique(rows[1:, 0], return_index=True)[1]]])
        kinks = rows[1:]
        kinks[:, 1] = np.abs(kinks[:, 1]) if asked.convex else kinks[:, 1]
        kinks[:, 2] = 0.0 if asked.smooth is None else np.maximum(np.abs(kinks[:, 2]), 1e-9)
        if isinstance(asked.smooth, Real):
            kinks[:, 2] = np.maximum(kinks[:, 2], len(kinks) * np.abs(kinks[:, 1]) / asked.smooth)
        slopes = BrokenLine(tuple(map(tuple, rows.tolist()))).slopes()
        rows[0, 1] -= max(slopes.max(), 0.0) if asked.nonincreasing else 0.0
        steepest = float(np.abs(slopes - max(slopes.max(), 0.0) if asked.nonincreasing else slopes).max())
        if isinstance(asked.lipschitz, Real) and steepest > asked.lipschitz:
            rows[:, 1] *= asked.lipschitz / steepest
        return BrokenLine(tuple(map(tuple, rows.tolist())))


def find_arrays(needs: Iterable[Hypothesis], examples: Mapping[str, list[Any]]) -> dict[str, Arrays]:
    """The arrays, or functions, that the hypotheses allow those arguments of which an author has given examples."""
    needs = tuple(needs)
    known: dict[str, Arrays] = {}
    named = meet_intervals(needs)
    classes = {hypothesis.names[0]: hypothesis.functions for hypothesis in needs if hypothesis.functions}
    for name, values in examples.items():
        if name in classes:
            known[name] = Functions((), Domain(), classes[name])
            continue
        entries = named.get(name, Domain())
        for hypothesis in needs:
            if hypothesis.names == (name,) and hypothesis.domain is None:
                found = probe_domain(Hypothesis((name,), "", _fill(hypothesis.holds, values[0])), name)
                narrower = entries.meet(found) if found is not None else entries
                entries = narrower if all(_has_entries_in(narrower, value) for value in values) else entries
        known[name] = Arrays(tuple(values[:KEPT]), entries)
    return known


def draw_arrays(known: Mapping[str, Arrays], rng: np.random.Generator) -> dict[str, Any]:
    """An array for every argument: most of one length, and many the one before with an entry changed."""
    drawn: dict[str, Any] = {}
    size = int(np.exp(rng.uniform(0, np.log(LONGEST + 1)))) if known else 0  # no draw that other searches would feel
    for name in map(str, rng.permutation(sorted(known))):
        drawn[name] = known[name].draw(rng, size, list(drawn.values()))
    return drawn


def _has_entries_in(domain: Domain, array: Any) -> bool:
    """Whether a domain has all entries of an array: a predicate such as "sums to 1" is about none of them alone."""
    entries = np.ravel(array)
    return bool(
        ((domain.low <= entries) & (entries <= domain.high)).all() and not (domain.whole and (entries % 1).any())
    )


def _fill(holds: Callable[[Any], bool], example: Any) -> Callable[[float], bool]:
    """A predicate of arrays as one of the number that an array is filled with."""
    kind = np.array if isinstance(example, np.ndarray) else type(example)
    return lambda value: holds(kind(np.full(np.shape(example), value).tolist()))


def _draw_pattern(shape: tuple[int, ...], rng: np.random.Generator) -> Vector:
    """Numbers of [0, 1]: all the same, one or some apart, evenly spread, or of several orders of magnitude."""
    size = int(np.prod(shape))
    match int(rng.integers(6)):
        case 0:
            flat = np.full(size, float(rng.choice([0, 0.5, 1, rng.random()])))
        case 1:
            flat = np.where(np.arange(size) == rng.integers(size), 1.0, float(rng.choice([0, 0.5, rng.random()])))
        case 2:
            flat = (rng.random(size) < rng.random()).astype(float)
        case 3:
            flat = np.linspace(0, 1, size)
        case 4:
            flat = rng.random(size)
        case _:
            flat = np.exp(rng.uniform(-6, 0, size))
    return flat.reshape(shape)


def _divide(array: Vector, by: Any) -> Vector:
    """The quotient, or the array itself where it is 0."""
    return np.divide(array, by, out=array.copy(), where=np.broadcast_to(by, array.shape) > 0)


def _project_on_cone(array: Vector) -> Vector:
    """The nearest positive semidefinite matrix."""
    values, vectors = np.linalg.eigh((array + array.T) / 2)
    made = (vectors * np.maximum(values, 0)) @ vectors.T
    return (made + made.T) / 2


def _project_on_rotations(array: Vector) -> Vector:
    """The nearest orthogonal matrix."""
    left, _, right = np.linalg.svd(array)
    return left @ right


VECTORS: tuple[Callable[[Vector], Vector], ...] = (  # arrays that predicates are about: each maps to the nearest, say
    lambda array: _divide(np.abs(array), np.abs(array).sum()),
    lambda array: _divide(array, np.sqrt((array**2).sum())),
    lambda array: array - array.mean(axis=0),
    lambda array: np.sort(array, axis=0),
    lambda array: -np.sort(-array, axis=0),
)
ROWS: tuple[Callable[[Vector], Vector], ...] = (
    lambda array: _divide(np.abs(array), np.abs(array).sum(axis=1, keepdims=True)),
    lambda array: _divide(array, np.sqrt((array**2).sum(axis=1, keepdims=True))),
)
SQUARES: tuple[Callable[[Vector], Vector], ...] = (
    lambda array: (array + array.T) / 2,
    _project_on_cone,
    lambda array: np.diag(np.diag(array)),
    _project_on_rotations,
)


def _list_projections(array: Vector) -> tuple[Callable[[Vector], Vector], ...]:
    """Those for an array of its shape."""
    square = array.ndim == 2 and len(array) == array.shape[1]
    return VECTORS + (ROWS if array.ndim == 2 else ()) + (SQUARES if square else ())


def _is_fixed(project: Callable[[Vector], Vector], example: Any) -> bool:
    array = np.array(example, dtype=float)
    return project in _list_projections(array) and np.allclose(project(array), array, rtol=1e-9, atol=1e-12)


def _has_whole_numbers(example: Any) -> bool:
    first = example[0]
    return isinstance(first[0] if isinstance(first, list | tuple) else first, int)
