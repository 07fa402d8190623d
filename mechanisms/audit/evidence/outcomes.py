"""Converts any release to numbers and labels.

A release may be a number, a vector, a string, None, a tuple of these, an exception, NaN or infinite: nothing is an
error, everything is an outcome. A `Reader` is made from the first releases, which are never judged. From then on what
it makes of a release depends on that release alone, never on the batch in which it came: else the batch would tell.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any
from zlib import crc32

import numpy as np

GRID = 2.0**-20  # of the spread: what lies closer together is one outcome
EXACT = 2**53  # integers from here on are not all floats
PLACES = 2_000  # numbers of one release that attackers look at; its label holds all of them
TEXTS = 12  # places of a release whose texts are looked into
HEAD, TAIL, BAG, NUMBERS = 24, 8, 32, 3  # first and last letters, heaps that all are counted in, numbers in a text
CODES = 2 + HEAD + TAIL + BAG + NUMBERS
NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
LOW = 4  # last bits of a number
DEEP = 8  # parts of parts of an object
BRACKETS = ("(", ")", "{", "}")


@dataclass(frozen=True)
class Outcomes:
    """`size` releases: values of shape (size, columns), labels of shape (size,), and the raw releases.

    `known` is what attackers have computed of them: several look at the same numbers.
    """

    values: np.ndarray
    labels: np.ndarray
    raw: Any
    known: dict = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.labels)


class Reader:
    """Reads releases of both sides in the same way: a table of numbers, and a label for each release.

    `values` has a column for every place of a release, NaN where it holds no number; if the first releases are not all
    arrays of numbers, then also columns for the texts (see `_codes`) in places where the first releases have some, and
    one for the number of places. `labels` names each release as a whole, rounded to 2^-20 of the spread of the first
    releases, which is post-processing; `bits` keeps every bit, and adds columns for the last ones.
    """

    def __init__(self, first: Sequence, bits: bool) -> None:
        parts = [plain(releases) for releases in first]
        self.numeric = all(part is not None for part in parts)
        self.width, self.step = 0, np.ones(0)
        lists = [leaves(r) if part is None else [] for part, r in zip(parts, first, strict=True)]
        found = ((place, leaf) for rows in lists for row in rows for place, leaf in enumerate(row))
        told = {place for place, leaf in found if isinstance(leaf, str) and leaf not in BRACKETS}
        self.bits, self.texts = bits, sorted(told)[:TEXTS]
        self.varied = np.ones(CODES * len(self.texts) + 1, dtype=bool)
        codes = [self._coded(rows, len(rows), 0) for rows in lists if rows]
        self.varied = np.ptp(np.concatenate(codes), axis=0) > 0 if codes else self.varied
        self.varied[-1] = True
        tables = [self._table(row) if part is None else part for part, row in zip(parts, lists, strict=True)]
        self.width = min(PLACES, max(max(table.shape[1] for table in tables), 1))
        self.step = np.zeros(self.width) if bits else GRID * spreads(np.concatenate(list(map(self._padded, tables))))

    def __call__(self, releases: Any) -> Outcomes:
        """The releases as outcomes."""
        table = plain(releases)
        if table is not None:
            rounded = self._rounded(table)
            return Outcomes(self._seen(self._padded(rounded), [], table.shape[1]), _names(rounded), releases)
        rows = leaves(releases)
        values = self._rounded(self._padded(self._table(rows)))
        labels = np.empty(len(rows), dtype=object)
        labels[:] = [self._label(row) for row in rows]
        return Outcomes(self._seen(values, rows, 0), labels, releases)

    def _seen(self, values: np.ndarray, rows: list[list], places: int) -> np.ndarray:
        """The numbers, their last bits, what the texts are made of, and how many places there are."""
        columns = [values, _last_bits(values)] if self.bits else [values]
        return np.hstack([*columns, self._coded(rows, len(values), places)] if not self.numeric else columns)

    def _coded(self, rows: list[list], size: int, places: int) -> np.ndarray:
        """What the texts are made of, where that differed among the first releases, and how many places there are."""
        codes = np.zeros((size, CODES * len(self.texts) + 1))
        codes[:, -1] = places
        for row, into in zip(rows, codes, strict=False):
            for at, place in enumerate(self.texts):
                if place < len(row) and isinstance(row[place], str):
                    into[at * CODES : (at + 1) * CODES] = _codes(row[place])
            into[-1] = len(row)
        return codes[:, self.varied]

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
    """The releases as a table if they are arrays of ordinary numbers; None otherwise."""
    if isinstance(releases, dict):
        parts = [part for _, field in sorted(releases.items()) if (part := plain(field)) is not None]
        return np.column_stack(parts) if len(parts) == len(releases) else None
    if not isinstance(releases, np.ndarray) or releases.dtype.kind not in "biufcmM" or not releases.ndim:
        return None
    if releases.dtype.kind in "mM":
        whole = releases.reshape(len(releases), -1).view(np.int64)
        return np.where(np.isnat(releases).reshape(whole.shape), np.nan, whole.astype(float))
    if releases.dtype.kind == "c":
        flat = releases.reshape(len(releases), -1)
        return np.hstack([flat.real, flat.imag]).astype(float)
    if releases.dtype.kind in "iu" and releases.size and max(int(releases.max()), -int(releases.min())) >= EXACT:
        return None
    return releases.reshape(len(releases), -1).astype(float)


def leaves(releases: Any) -> list[list]:
    """The parts of every release in order, each a float or a string."""
    return [list(_leaves(release, 0)) for release in rows(releases)]


def _leaves(part: Any, depth: int) -> Iterable:
    if isinstance(part, np.void) or (hasattr(part, "__array__") and not isinstance(part, np.generic)):
        part = part.tolist() if isinstance(part, np.void) else np.asarray(part).tolist()
    if isinstance(part, complex):
        yield from (part.real, part.imag)
    elif isinstance(part, Real | np.bool_ | Decimal):
        yield from _number(part)
    elif isinstance(part, timedelta):
        yield from (part.total_seconds(), "timedelta")
    elif isinstance(part, date):
        moment = datetime(part.year, part.month, part.day) if not isinstance(part, datetime) else part
        yield (moment - datetime(2000, 1, 1, tzinfo=moment.tzinfo)).total_seconds()
        yield f"{type(part).__name__} {moment.tzinfo}"
    elif isinstance(part, list | tuple):
        yield from ["("] * (depth > 0)
        for inner in part:
            yield from _leaves(inner, depth + 1)
        yield from [")"] * (depth > 0)
    elif isinstance(part, Mapping):
        order = sorted(part, key=repr)
        yield "{"
        for key in order:
            yield repr(key)
            yield from _leaves(part[key], depth + 1)
        yield "}" if order == list(part) else f"}} {list(part)!r}"  # in which order they were put there is seen, too
    elif isinstance(part, set | frozenset):
        yield type(part).__name__
        for one in sorted(part, key=repr):
            yield from _leaves(one, depth + 1)
    elif depth < DEEP and not isinstance(part, type) and getattr(part, "__dict__", None):  # a model, a record
        yield type(part).__name__
        yield from _leaves(vars(part), depth + 1)
    else:  # where an object lies in memory is no part of it
        named = type(part).__repr__ is not object.__repr__
        yield f"{type(part).__name__} {part!r}" if named else type(part).__name__


def _number(part: Any) -> Iterable:
    """A number as a float; if that is not all of it, also its last places and the whole as a text."""
    part = int(part) if isinstance(part, Integral) else part
    if not isinstance(part, int) or abs(part) < EXACT:
        if isinstance(part, Decimal) and not (part.is_nan() or Decimal(float(part)) == part):
            yield str(part)
        yield float(part)
        return
    try:
        yield float(part)
    except OverflowError:
        yield float("inf") if part > 0 else -float("inf")
        yield float(part.bit_length())
    yield float(part % 2**20)
    yield repr(part)


def _codes(leaf: str) -> list[float]:
    """What a text is made of: a code for the whole, its length, its first and last letters, how many letters of each
    of 32 kinds, its first numbers; so that what tells may stand anywhere in it."""
    word = leaf.removeprefix("str '").removesuffix("'")
    letters = [min(ord(letter), EXACT) for letter in word]
    head, tail = letters[:HEAD], letters[-TAIL:]
    heaps = np.bincount(np.array(letters, dtype=int) % BAG, minlength=BAG)
    numbers = [min(max(float(number), -1e300), 1e300) for number in NUMBER.findall(word[:1000])[:NUMBERS]]
    code = float(crc32(leaf.encode(errors="replace")) % 2**20 + 1)
    return [
        *(code, float(len(word))),
        *(float(letter) for letter in head + [0] * (HEAD - len(head)) + tail + [0] * (TAIL - len(tail))),
        *heaps.tolist(),
        *numbers + [0.0] * (NUMBERS - len(numbers)),
    ]


def _last_bits(values: np.ndarray) -> np.ndarray:
    """The last bits of every float, and how many zeros it ends in."""
    whole = np.ascontiguousarray(values).view(np.int64)
    low = [(whole >> place) & 1 for place in range(LOW)]
    return np.hstack([*low, np.log2((whole & -whole).astype(float).clip(1))])


def rows(releases: Any) -> Iterable:
    """The releases, one at a time."""
    if isinstance(releases, dict):
        return zip(*(releases[name] for name in sorted(releases)), strict=True)
    return releases


def count(releases: Any) -> int:
    """The number of releases."""
    return len(next(iter(releases.values()))) if isinstance(releases, dict) and releases else len(releases)


def spreads(values: np.ndarray) -> np.ndarray:
    """The spread of the finite numbers of each column: interquartile range, else standard deviation, else 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.subtract(*quantiles(values, (0.75, 0.25)))
        for place in np.flatnonzero(~((found > 0) & (found < np.inf))):
            finite = values[np.isfinite(values[:, place]), place]
            width = float(np.std(finite)) if len(finite) else 0.0
            found[place] = width if 0 < width < np.inf else 1.0
    return found


def quantiles(values: np.ndarray, shares: Sequence[float] | np.ndarray) -> np.ndarray:
    """Quantiles of the finite numbers of each column, shape (shares, columns); NaN where a column has none."""
    found = np.full((len(shares), values.shape[1]), np.nan)
    finite = np.isfinite(values)
    whole = finite.all(axis=0) & (len(values) > 0)
    with np.errstate(over="ignore", invalid="ignore"):
        found[:, whole] = np.quantile(values[:, whole], shares, axis=0)
        for place in np.flatnonzero(finite.any(axis=0) & ~whole):
            found[:, place] = np.quantile(values[finite[:, place], place], shares)
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
    """A subset of the releases."""
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
