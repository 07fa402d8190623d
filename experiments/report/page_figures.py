"""Which figures a page has, where they stand, and those of them that have to be drawn.

The name of a figure tells its data and style, so one that stands there is up to date. matplotlib is loaded where there
is something to draw, and nowhere else.
"""

import hashlib
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata, resources
from types import ModuleType

import joblib
import numpy as np

from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import OPEN
from lemmata.experiments.engine.ledger.curves import Picture, is_informative
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.ledger.row_cache import Pair
from lemmata.experiments.figures.captions import Caption, apply_caption, read_captions, write_caption
from lemmata.experiments.report import words
from lemmata.experiments.report.incremental import SiteFiles


def render_pictures(pictures: Sequence[Picture]) -> list[str]:
    """The SVGs of one row, in whatever process: matplotlib is loaded where there is something to draw."""
    from lemmata.experiments.figures.claims import plot_picture
    from lemmata.experiments.figures.style import svg

    return [svg(plot_picture, picture) for picture in pictures]


def draw_missing(pairs: Sequence[Pair], kept: SiteFiles) -> tuple[list[dict], Iterator[tuple[str, str]], list[str]]:
    """The rows of [(row, its curves)] as the templates want them, (path, SVG) of new figures, and all their paths.

    Other processes draw; who asks for the figures last has the time of the pages for nothing.
    """
    said = read_captions(library.papers.values())
    curves = choose_pictures(pairs, said)
    named = [name_figures(row, pictures) for (row, _), pictures in zip(pairs, curves, strict=True)]
    new = [i for i, paths in enumerate(named) if not all(map(kept.is_intact, paths))]
    pool = joblib.Parallel(n_jobs=-1, batch_size=8, return_as="generator")
    made = pool(joblib.delayed(render_pictures)(curves[i]) for i in new) if new else ()
    files = (pair for i, svgs in zip(new, made, strict=True) for pair in zip(named[i], svgs, strict=True))
    rows = []
    for (row, _), pictures, paths in zip(pairs, curves, named, strict=True):
        shown = [
            {"path": path.removeprefix("statements/"), "caption": write_caption(picture, said[row["key"]])}
            for path, picture in zip(paths, pictures, strict=True)
        ]
        rows.append(words.view_row(row, shown))
    return rows, files, [path for paths in named for path in paths]


def choose_pictures(pairs: Sequence[Pair], said: Mapping[str, Caption]) -> list[list[Picture]]:
    """The figures of [(row, its curves)] on its page: one of a row whose caption is `said`, of others none.

    `lemmata figure ID` draws all of them.
    """
    curves = []
    for row, pictures in pairs:
        caption = said.get(row["key"])
        made = [apply_caption(each, caption) for each in pictures if is_informative(each)] if caption else []
        curves.append([each for each in made if each][:1])
    return curves


def explain_idle_captions(pairs: Sequence[Pair], said: Mapping[str, Caption]) -> list[str]:
    """A line for each caption that shows no figure of a decided row, with what its row lacks."""
    known, lines = {pair[0]["key"]: pair for pair in pairs}, []
    for key in said:
        if key not in known:
            why = "no row has this key"
        elif known[key][0]["verdict"] == OPEN or choose_pictures([known[key]], said)[0]:
            continue
        elif not (pictures := known[key][1]):
            why = "its verdict has no curves; its claim needs figure=..., a function that returns them"
        elif not any(map(is_informative, pictures)):
            why = "a figure needs two curves whose ratio is not constant"
        else:
            why = f"lines must name curves by how they begin, got curves {', '.join(list(pictures[0].series)[1:])}"
        lines.append(f"captions.toml: {key} shows no figure: {why}")
    return lines


@cache
def read_drawing_code() -> str:
    """What draws a figure: our code and the libraries. A changed style draws every figure anew."""
    package = resources.files("lemmata.experiments.figures")
    code = [(package / name).read_text(encoding="utf-8") for name in ("style.py", "claims.py")]
    return "".join(code) + "".join(map(metadata.version, ("matplotlib", "statsmodels")))


def name_figures(row: Row, pictures: list) -> list[str]:
    """Where the figures of a row stand. A name tells the data and the style, so a file that exists is up to date."""
    data = [(p.setting, p.series, p.axes, p.rate and [np.asarray(part).tolist() for part in p.rate]) for p in pictures]
    mark = hashlib.blake2b(repr((data, read_drawing_code())).encode(), digest_size=6).hexdigest()
    return [f"statements/figures/{words.make_anchor(row['key'])}-{mark}-{i}.svg" for i in range(len(pictures))]


def draw_study(
    study: str, data: str, kept: SiteFiles, draw: Callable[[ModuleType], dict[str, str]]
) -> tuple[dict[str, str], dict[str, str]]:
    """({name: path} of the figures of a study, {path: SVG} of those that do not stand there already).

    A path tells the data and the style, as those of statements do; `draw` is given the study's module of figures.
    """
    package = f"lemmata.experiments.{study}"
    code = (resources.files(package) / "figures.py").read_text(encoding="utf-8")
    start = f"site/{study}-{hashlib.blake2b((data + code + read_drawing_code()).encode(), digest_size=6).hexdigest()}-"
    paths = [path for path in kept.files if path.startswith(start)]
    if paths and all(map(kept.is_intact, paths)):
        return {path.removeprefix(start).removesuffix(".svg"): path for path in paths}, {}
    svgs = draw(importlib.import_module(f"{package}.figures"))
    return {name: f"{start}{name}.svg" for name in svgs}, {f"{start}{name}.svg": svg for name, svg in svgs.items()}
