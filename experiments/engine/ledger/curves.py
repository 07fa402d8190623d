"""The curves of a cell: plain numbers that any process can draw."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lemmata.experiments.engine.claims.verdict import RateDecider
from lemmata.experiments.engine.running.cell import Cell

ROLES = ("bound", "allowed", "printed", "corrected", "exact")  # what a curve stands for, as a word of its name
MOST_FIGURES = 2
MOST_POINTS = 300
SAME = 0.01  # of a ratio: what nobody sees on a page
BEYOND = 1e300  # for a ratio to zero


class Rate(NamedTuple):
    """Means along a parameter, and the slope that is registered."""

    name: str
    x: np.ndarray
    means: np.ndarray
    slope: float


class Picture(NamedTuple):
    """What a figure shows of one cell: plain data, so that any process can draw it."""

    setting: dict[str, Any]
    series: dict[str, Any]
    rate: Rate | None
    axes: tuple[str, str] = ("", "")  # in words, where a person wrote them


def make_picture(cell: Cell) -> Picture:
    """The picture of a decided cell."""
    rate = None
    if isinstance(cell.decider, RateDecider) and cell.trials and cell.claim.points:
        x = np.asarray(cell.claim.points(**cell.setting), dtype=float)
        name = cell.claim.theorem.reading.partition("[")[2].rstrip("]") or "parameter"
        means = np.concatenate(cell.decider.curves).mean(axis=0)
        rate = Rate(name, x, means, np.log(cell.decider.ratio) / np.log(x[-1] / x[0]))
    return Picture(cell.setting, cell.verdict.series if cell.verdict else {}, rate)


def choose_pictures(cells: Iterable[Cell]) -> list[Picture]:
    """What is drawn of a claim's cells: curves, or else rates, and not many."""
    pictures = [make_picture(cell) for cell in cells if cell.verdict]
    return ([p for p in pictures if p.series] or [p for p in pictures if p.rate])[:MOST_FIGURES]


def pictures_to_json(pictures: Iterable[Picture]) -> list[dict[str, Any]]:
    """Pictures as JSON has them; `pictures_from_json` is the inverse."""
    made = []
    for each in pictures:
        series = {name: [float(x) for x in thin_out(values)] for name, values in each.series.items()}
        rate = each.rate and [each.rate.name, each.rate.x.tolist(), each.rate.means.tolist(), float(each.rate.slope)]
        made.append({"setting": each.setting, "series": series, "rate": rate})
    return made


def pictures_from_json(kept: Iterable[dict[str, Any]]) -> list[Picture]:
    """The pictures that `pictures_to_json` made JSON of."""
    made = []
    for each in kept:
        name, x, means, slope = each["rate"] or ("", (), (), 0.0)
        rate = Rate(name, np.asarray(x), np.asarray(means), slope) if each["rate"] else None
        made.append(Picture(each["setting"], each["series"], rate))
    return made


def thin_out(values: Sequence[float]) -> Sequence[float]:
    """At most `MOST_POINTS` of the values, ends included."""
    return (
        values
        if len(values) <= MOST_POINTS
        else [values[i] for i in np.linspace(0, len(values) - 1, MOST_POINTS, dtype=int)]
    )


def curve_role(name: str) -> str:
    """What a curve stands for, by its name."""
    return next((role for role in ROLES if re.search(rf"\b{role}\b", name)), "")


def is_informative(picture: Picture) -> bool:
    """Whether a page is better for it: two curves of no constant ratio, or three means; else a sentence says it all."""
    if picture.rate and not picture.series:
        return len(picture.rate.x) > 2
    others = [np.asarray(y, dtype=float) for _, y in list(picture.series.items())[1:]]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [np.nan_to_num(y / others[0], nan=np.nan, posinf=BEYOND, neginf=-BEYOND) for y in others[1:]]
    seen = [ratio[~np.isnan(ratio)] for ratio in ratios]
    return any(ratio.size > 2 and not np.ptp(ratio) <= SAME * np.abs(ratio).max() for ratio in seen)
