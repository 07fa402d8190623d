"""Which figures a page has, where they stand, and those of them that have to be drawn.

The name of a figure tells its data and style, so one that stands there is up to date. matplotlib is loaded where there
is something to draw, and nowhere else.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata, resources
from types import ModuleType

import joblib
import numpy as np

from lemmata.bounds.library import library
from lemmata.experiments.engine.ledger.curves import Picture, is_informative
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.ledger.row_cache import Pair
from lemmata.experiments.report import words
from lemmata.experiments.report.captions import Caption, captioned, captions_of, told
from lemmata.experiments.report.drawn import Drawn


def figures(pictures: Sequence[Picture]) -> list[str]:
    """The SVGs of one row, in whatever process: matplotlib is loaded where there is something to draw."""
    from lemmata.experiments.drawing import drawn

    return [made.decode() for made in drawn(pictures, "svg")]


def drawn(pairs: Sequence[Pair], kept: Drawn) -> tuple[list[dict], Iterator[tuple[str, str]], list[str]]:
    """The rows of [(row, its curves)] as the templates want them, (path, SVG) of new figures, and all their paths.

    Other processes draw; who asks for the figures last has the time of the pages for nothing.
    """
    said = captions_of(library.papers.values())
    curves = chosen(pairs, said)
    named = [figure_paths(row, pictures) for (row, _), pictures in zip(pairs, curves, strict=True)]
    new = [i for i, paths in enumerate(named) if not all(map(kept.intact, paths))]
    pool = joblib.Parallel(n_jobs=-1, batch_size=8, return_as="generator")
    made = pool(joblib.delayed(figures)(curves[i]) for i in new) if new else ()
    files = (pair for i, svgs in zip(new, made, strict=True) for pair in zip(named[i], svgs, strict=True))
    rows = []
    for (row, _), pictures, paths in zip(pairs, curves, named, strict=True):
        places = (path.removeprefix("statements/") for path in paths)
        shown = [{"path": at, "caption": told(p, said[row["key"]])} for at, p in zip(places, pictures, strict=True)]
        rows.append(words.view(row, shown))
    return rows, files, [path for paths in named for path in paths]


def chosen(pairs: Sequence[Pair], said: Mapping[str, Caption]) -> list[list[Picture]]:
    """The figures of [(row, its curves)] on its page: one of a row whose caption is `said`, of others none.

    `lemmata figure ID` draws all of them.
    """
    curves = []
    for row, pictures in pairs:
        caption = said.get(row["key"])
        made = [captioned(each, caption) for each in pictures if is_informative(each)] if caption else []
        curves.append([each for each in made if each][:1])
    return curves


@cache
def drawing() -> str:
    """What draws a figure: our code and the libraries. A changed style draws every figure anew."""
    room = resources.files("lemmata.experiments")
    code = [(room / name).read_text(encoding="utf-8") for name in ("drawing.py", "compact.py")]
    return "".join(code) + "".join(map(metadata.version, ("matplotlib", "statsmodels")))


def figure_paths(row: Row, pictures: list) -> list[str]:
    """Where the figures of a row stand. A name tells the data and the style, so a file that exists is up to date."""
    data = [(p.setting, p.series, p.axes, p.rate and [np.asarray(part).tolist() for part in p.rate]) for p in pictures]
    mark = hashlib.blake2b(repr((data, drawing())).encode(), digest_size=6).hexdigest()
    return [f"statements/figures/{words.anchor(row['key'])}-{mark}-{i}.svg" for i in range(len(pictures))]


def standing(
    study: str, data: str, kept: Drawn, draw: Callable[[ModuleType], dict[str, str]]
) -> tuple[dict[str, str], dict[str, str]]:
    """({name: path} of the figures of a study, {path: SVG} of those that do not stand there already).

    A path tells the data and the style, as those of statements do; `draw` is given the study's module of pictures.
    """
    room = f"lemmata.experiments.{study}"
    code = (resources.files(room) / "pictures.py").read_text(encoding="utf-8")
    start = f"site/{study}-{hashlib.blake2b((data + code + drawing()).encode(), digest_size=6).hexdigest()}-"
    paths = [path for path in kept.files if path.startswith(start)]
    if paths and all(map(kept.intact, paths)):
        return {path.removeprefix(start).removesuffix(".svg"): path for path in paths}, {}
    svgs = draw(importlib.import_module(f"{room}.pictures"))
    return {name: f"{start}{name}.svg" for name in svgs}, {f"{start}{name}.svg": svg for name, svg in svgs.items()}
