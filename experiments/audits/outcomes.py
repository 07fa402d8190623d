"""Whatever a mechanism releases, as numbers and as labels.

A release may be a number, a vector, a string, None, a tuple of these, an exception, NaN or infinite: nothing is an
error, everything is an outcome. A `Reader` is made from the first releases, which are never judged. From then on what
it makes of a release depends on that release alone, never on the batch in which it came: else the batch would tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any
from zlib import crc32

import numpy as np

GRID = 2.0**-20  # of the spread: what lies closer together is one outcome
EXACT = 2**53  # integers from here on are not all floats
PLACES = 2_000  # numbers of one release that attackers look at; its label holds all of them


@dataclass(frozen=True)
class Outcomes:
    """`size` releases: values of shape (size, columns), labels of shape (size,), raw as they came."""

    values: np.ndarray
    labels: np.ndarray
    raw: Any

    def __len__(self):
        return len(self.labels)


class Reader:
    """Reads releases, whichever side drew them and however: a table of numbers and a label for each.

    `values` has a column for every place of a release, NaN where it holds no number; if the first releases are not all
    arrays of numbers, then also columns for the text in every place (a code, its length, its first and last letter)
    and one for the number of places. `labels` names
    each release as a whole, rounded to 2^-20 of the spread of the first releases, which is post-processing; `bits`
    keeps every bit.
    """

    def __init__(self, first: Sequence, bits: bool) -> None:
        parts = [plain(releases) for releases in first]
        self.numeric = all(part is not None for part in parts)
        self.width, self.step = 0, np.ones(0)
        tables = [part if part is not None else self._table(leaves(r)) for part, r in zip(parts, first, strict=True)]
        self.width = min(PLACES, max(max(table.shape[1] for table in tables), 1))
        self.step = np.zeros(self.width) if bits else GRID * spreads(np.concatenate(list(map(self._padded, tables))))

    def __call__(self, releases: Any) -> Outcomes:
        """The releases as outcomes."""
        table = plain(releases)
        if table is not None:
            rounded = self._rounded(table)
            values = self._padded(rounded)
            if not self.numeric:
                extra = np.zeros((len(table), 4 * self.width + 1))
                extra[:, -1] = table.shape[1]
                values = np.hstack([values, extra])
            return Outcomes(values, _names(rounded), releases)
        rows = leaves(releases)
        values = self._rounded(self._padded(self._table(rows)))
        labels = np.empty(len(rows), dtype=object)
        labels[:] = [self._label(row) for row in rows]
        if not self.numeric:
            codes = np.zeros((len(rows), 4 * self.width + 1))
            for row, into in zip(rows, codes, strict=True):
                seen = [number for leaf in row[: self.width] for number in _codes(leaf)]
                into[: len(seen)] = seen
                into[-1] = len(row)
            values = np.hstack([values, codes])
        return Outcomes(values, labels, releases)

    def _table(self, rows: list[list]) -> np.ndarray:
        width = self.width or min(PLACES, max(map(len, rows), default=0))
        table = np.full((len(rows), width), np.nan)
        for row, into in zip(rows, table, strict=True):
            into[: min(len(row), width)] = [leaf if isinstance(leaf, float) else np.nan for leaf in row[:width]]
        return table

    def _padded(self, table: np.ndarray) -> np.ndarray:
        missing = max(0, self.width - table.shape[1])
        return np.pad(table, ((0, 0), (0, missing)), constant_values=np.nan)[:, : self.width]

    def _rounded(self, table: np.ndarray) -> np.ndarray:
        """The numbers on the grid; places that the first releases did not have keep their bits."""
        step = np.zeros(table.shape[1])
        step[: len(self.step)] = self.step[: len(step)]
        if not step.any():
            return table
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            rounded = np.round(table / step) * step
        return np.where(np.isfinite(rounded), rounded, table) + 0.0  # -0.0 and 0.0 are one number

    def _label(self, row: list) -> object:
        if all(isinstance(leaf, float) for leaf in row):
            return _names(self._rounded(np.array([row])))[0]
        step = {place: float(s) for place, s in enumerate(self.step) if s}
        return tuple(self._grid(leaf, step.get(i)) if isinstance(leaf, float) else leaf for i, leaf in enumerate(row))

    @staticmethod
    def _grid(number: float, step: float | None) -> object:
        if not np.isfinite(number):
            return repr(number)
        return round(number / step) if step and abs(number / step) < 1e300 else number


def plain(releases: Any) -> np.ndarray | None:
    """The releases as a table, if they are arrays of ordinary numbers; None otherwise."""
    if isinstance(releases, dict):
        parts = [plain(field) for _, field in sorted(releases.items())]
        return None if any(part is None for part in parts) else np.column_stack(parts)
    if not isinstance(releases, np.ndarray) or releases.dtype.kind not in "biuf" or not releases.ndim:
        return None
    if releases.dtype.kind in "iu" and releases.size and int(releases.max()) >= EXACT > -int(releases.min()):
        return None
    return releases.reshape(len(releases), -1).astype(float)


def leaves(releases: Any) -> list[list]:
    """The parts of every release in order, each a float or a text."""
    return [list(_leaves(release, 0)) for release in rows(releases)]


def _leaves(part: Any, depth: int) -> Iterable:
    if isinstance(part, np.ndarray):
        part = part.tolist()
    if isinstance(part, complex):
        yield from (part.real, part.imag)
    elif isinstance(part, Real | np.bool_) and not (isinstance(part, int) and abs(part) >= EXACT):
        try:
            yield float(part)
        except OverflowError:
            yield repr(part)
    elif isinstance(part, list | tuple):
        yield from ["("] * (depth > 0)
        for inner in part:
            yield from _leaves(inner, depth + 1)
        yield from [")"] * (depth > 0)
    else:  # where an object lies in memory is no part of it
        named = type(part).__repr__ is not object.__repr__
        yield f"{type(part).__name__} {part!r}" if named else type(part).__name__


def _codes(leaf: float | str) -> tuple[float, ...]:
    """A number for the text as a whole, its length, its first and its last letter; zeros for a number."""
    if isinstance(leaf, float):
        return 0.0, 0.0, 0.0, 0.0
    word = leaf.removeprefix("str '").removesuffix("'")
    ends = (float(ord(word[0])), float(ord(word[-1]))) if word else (0.0, 0.0)
    return float(crc32(leaf.encode(errors="replace")) % 2**20 + 1), float(len(word)), *ends


def rows(releases: Any) -> Iterable:
    """The releases one by one."""
    if isinstance(releases, dict):
        return zip(*(releases[name] for name in sorted(releases)), strict=True)
    return releases


def count(releases: Any) -> int:
    """How many releases there are."""
    return len(next(iter(releases.values()))) if isinstance(releases, dict) and releases else len(releases)


def spreads(values: np.ndarray) -> np.ndarray:
    """How far apart the finite numbers of each column lie: interquartile range, else standard deviation, else 1."""
    found = np.ones(values.shape[1])
    for place, column in enumerate(values.T):
        finite = column[np.isfinite(column)]
        for measure in (lambda x: np.subtract(*np.percentile(x, [75, 25])), np.std):
            with np.errstate(over="ignore", invalid="ignore"):
                width = float(measure(finite)) if len(finite) else 0.0
            if 0 < width < np.inf:
                found[place] = width
                break
    return found


def _names(values: np.ndarray) -> np.ndarray:
    """The bytes of each row of numbers, equal for equal rows, NaN included."""
    if not values.shape[1]:
        return np.full(len(values), b"", dtype=object)
    width = values.dtype.itemsize * values.shape[1]
    names = np.empty(len(values), dtype=object)
    names[:] = np.ascontiguousarray(values).view(np.dtype((np.void, width))).ravel().tolist()
    return names


def part(data: Outcomes, which: Any) -> Outcomes:
    """Some of the releases."""
    raw = data.raw
    if isinstance(raw, dict):
        raw = {name: np.asarray(values)[which] for name, values in raw.items()}
    elif isinstance(raw, np.ndarray):
        raw = raw[which]
    else:
        raw = [raw[i] for i in np.arange(len(raw))[which]]
    return Outcomes(data.values[which], data.labels[which], raw)


def joined(parts: Sequence[Outcomes]) -> Outcomes:
    """Several batches of releases as one."""
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(p.raw, dict) and p.raw.keys() == parts[0].raw.keys() for p in parts):
        raw: Any = {name: np.concatenate([p.raw[name] for p in parts]) for name in parts[0].raw}
    elif all(isinstance(p.raw, np.ndarray) and p.raw.shape[1:] == parts[0].raw.shape[1:] for p in parts):
        raw = np.concatenate([p.raw for p in parts])
    else:
        raw = [release for p in parts for release in rows(p.raw)]
    return Outcomes(np.concatenate([p.values for p in parts]), np.concatenate([p.labels for p in parts]), raw)
