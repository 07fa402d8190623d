"""Captions: `captions.toml` beside a `paper.toml`. A figure stands on a page only with words of a person about it.

["wzw25.lemA.5/printed/mean"]             # the key of a row
sees = "The bound is close everywhere ..." # what to see, in whole sentences
x = "number of Gaussians n"                # the axes, in words
y = "expected maximum / σ"
lines = { "bound / sigma" = "bound", "exact / sigma" = "exact" }   # the curves that are drawn, and what they are called
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from lemmata.bounds.library import Paper, PaperError
from lemmata.bounds.statement.formula import GREEK, in_symbols
from lemmata.experiments.engine.ground.files import check_fields, read_toml
from lemmata.experiments.engine.ledger.curves import Picture

FIELDS = {"sees": str, "x": str, "y": str, "lines": dict}


class Caption(NamedTuple):
    """What a figure shows: a sentence or two, the axes in words, and what each curve is called; of a rate no curves."""

    sees: str
    x: str
    y: str
    lines: dict[str, str]


def read_captions(papers: Iterable[Paper]) -> dict[str, Caption]:
    """{row key: its caption}. Raises `PaperError`, in one line, for a field that is missing, unknown or no text."""
    found: dict[str, Caption] = {}
    for paper in papers:
        path = paper.folder / "captions.toml"
        found |= {key: _check_caption(entry, f"{path}: {key}: ") for key, entry in read_toml(path).items()}
    return found


def _check_caption(entry: Any, place: str) -> Caption:
    check_fields(entry, FIELDS, place)
    entry = {"lines": {}, **entry}
    for name, kind in FIELDS.items():
        if type(entry.get(name)) is not kind or (kind is str and not entry[name].strip()):
            raise PaperError(f"{place}{name} must be a {'string' if kind is str else 'table'}, got {entry.get(name)!r}")
    return Caption(**entry)


def apply_caption(picture: Picture, caption: Caption) -> Picture | None:
    """A picture with its axes and curves called what the caption calls them; None where it has none of the curves.

    A curve is named by how it begins, since some say their parameters; one that the caption does not name is left out.
    """
    name = picture.rate.name if picture.rate and not picture.series else next(iter(picture.series))
    fixed = {one: value for one, value in picture.setting.items() if not re.search(rf"\b{re.escape(one)}\b", name)}
    picture = picture._replace(setting=fixed, axes=(caption.x, caption.y))
    if picture.rate and not picture.series:
        return picture
    (_, along), *others = picture.series.items()
    lines = {name: words for name, words in caption.lines.items() if any(own.startswith(name) for own, _ in others)}
    series = {words: next(y for own, y in others if own.startswith(name)) for name, words in lines.items()}
    return picture._replace(series={caption.x: along} | series) if series else None


def write_caption(picture: Picture, caption: Caption) -> str:
    """The caption of a figure, and at which parameters with a letter of their own it was drawn."""
    letters = {name: value for name, value in picture.setting.items() if name in GREEK or len(name) == 1}
    shown = [f"{name} = {value:.4g}" for name, value in letters.items() if isinstance(value, (int, float))]
    return f"{caption.sees} Drawn at {in_symbols(', '.join(shown))}." if shown else caption.sees
