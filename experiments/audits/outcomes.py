"""Whatever a mechanism releases, as numbers and as labels.

A release may be a number, a vector, a string, None, a tuple of these, an exception, NaN or infinite: nothing is an
error, everything is an outcome. `values` has a column for every numeric place and NaN where a release has no number
there; `labels` names each release as a whole, so that categories, atoms and ties can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

GRID = 2.0**-20  # of the spread: what lies closer together is one outcome


@dataclass(frozen=True)
class Outcomes:
    """`size` releases: values of shape (size, columns), labels of shape (size,), raw as they came."""

    values: np.ndarray
    labels: np.ndarray
    raw: object

    def __len__(self):
        return len(self.labels)


def numbers(releases: object) -> np.ndarray:
    """The numeric places of the releases, shape (size, columns); NaN where a release has no number."""
    if isinstance(releases, dict):
        return np.column_stack([numbers(field) for _, field in sorted(releases.items())])
    if isinstance(releases, np.ndarray) and releases.dtype.kind in "biuf":
        return releases.reshape(len(releases), -1).astype(float)
    rows = [_row(release) for release in releases]
    width = max(map(len, rows), default=0)
    table = np.full((len(rows), max(width, 1)), np.nan)
    for row, into in zip(rows, table, strict=True):
        into[: len(row)] = row
    return table


def _row(release) -> list[float]:
    """The numbers of one release in order, NaN standing for what is no number."""
    if isinstance(release, bool | np.bool_ | int | float | np.number):
        return [complex(release).real]
    if isinstance(release, np.ndarray):
        release = release.ravel().tolist()
    if isinstance(release, list | tuple):
        return [number for part in release for number in _row(part)]
    return [np.nan]


def rows(releases: object) -> Iterable:
    """The releases one by one."""
    if isinstance(releases, dict):
        return zip(*(releases[name] for name in sorted(releases)), strict=True)
    return releases


def spreads(values: np.ndarray) -> np.ndarray:
    """How far apart the finite numbers of each column lie: interquartile range, else standard deviation, else 1."""
    found = np.ones(values.shape[1])
    for column, place in zip(values.T, range(len(found)), strict=True):
        finite = column[np.isfinite(column)]
        for measure in (lambda x: np.subtract(*np.percentile(x, [75, 25])), np.std):
            if len(finite) and 0 < (width := float(measure(finite))) < np.inf:
                found[place] = width
                break
    return found


def outcomes(releases: object, spread: np.ndarray | None) -> Outcomes:
    """The releases on the grid of `spread`, which is post-processing; None keeps every bit."""
    values = numbers(releases)
    if spread is not None:
        step = GRID * spread
        with np.errstate(invalid="ignore", over="ignore"):
            rounded = np.round(values / step) * step
        values = np.where(np.isfinite(rounded), rounded, values)
    values = values + 0.0  # -0.0 and 0.0 are one number
    if isinstance(releases, dict) or (isinstance(releases, np.ndarray) and releases.dtype.kind in "biuf"):
        return Outcomes(values, _names(values), releases)
    labels = [_label(release, row) for release, row in zip(releases, values, strict=True)]
    return Outcomes(values, np.array(labels, dtype=object), releases)


def _names(values: np.ndarray) -> np.ndarray:
    """A name for each row of numbers, equal for equal rows, NaN included."""
    return np.ascontiguousarray(values).view(np.dtype((np.void, values.dtype.itemsize * values.shape[1]))).ravel()


def _label(release, row) -> object:
    """What a release is called: its numbers on the grid, or its text and type."""
    if np.isnan(row).all():
        return f"{type(release).__name__} {release!r}"
    return row.tobytes()


def part(data: Outcomes, which: Any) -> Outcomes:
    """Some of the releases."""
    raw = data.raw
    if isinstance(raw, dict):
        raw = {name: values[which] for name, values in raw.items()}
    elif isinstance(raw, np.ndarray):
        raw = raw[which]
    else:
        raw = [raw[i] for i in np.arange(len(raw))[which]]
    return Outcomes(data.values[which], data.labels[which], raw)


def joined(parts: Sequence[Outcomes]) -> Outcomes:
    """Several batches of releases as one."""
    if all(isinstance(p.raw, dict) for p in parts):
        raw: Any = {name: np.concatenate([p.raw[name] for p in parts]) for name in parts[0].raw}
    elif all(isinstance(p.raw, np.ndarray) for p in parts):
        raw = np.concatenate([p.raw for p in parts])
    else:
        raw = [release for p in parts for release in rows(p.raw)]
    width = max(p.values.shape[1] for p in parts)
    values = [np.pad(p.values, ((0, 0), (0, width - p.values.shape[1])), constant_values=np.nan) for p in parts]
    return Outcomes(np.concatenate(values), np.concatenate([p.labels for p in parts]), raw)
