"""Figures of a claim, where there is a curve: SVG that follows the light or dark scheme, drawn from the store alone."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, NullLocator

from lemmata.bounds.statement.formula import in_symbols
from lemmata.experiments.compact import compact
from lemmata.experiments.engine.ledger.curves import Picture, Rate, choose_pictures, curve_role, thin_out
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.running.cell import Cell

matplotlib.use("svg")

Dashes = str | tuple[int, tuple[int, ...]]
INK, FAINT = "#1d1c1a", "#8a857a"
TRUTH, BREACH, RIGHT = "#2b6cb0", "#a3262a", "#1d8a55"
COLOURS = [TRUTH, "#b8860b", "#7a5cc0", RIGHT, "#c2608f", "#3a9a99", BREACH, FAINT]
LINES: dict[str, tuple[str, Dashes]] = {
    "bound": (FAINT, "--"),
    "allowed": (FAINT, "--"),
    "printed": (BREACH, "-"),
    "corrected": (RIGHT, "-"),
    "exact": (TRUTH, "-"),
}
SIZE = 3.7, 2.5  # inches, without the names of lines: as a whole it is read on a telephone too
LETTERS, HEIGHT = 17, 0.085  # of a name: how many stand on a line, and how much of the axis that takes
SMALL = 1e-3  # ticks below are told by powers of ten
AGAIN: tuple[Dashes, ...] = (":", "-.", (0, (6, 1)))  # further curves of one colour
ON_DARK = {  # a figure lies on the page's own paper, so its colours have a lighter twin
    TRUTH: "#7fb2ea",
    "#b8860b": "#e0bd4f",
    "#7a5cc0": "#b3a7e6",
    RIGHT: "#6cc398",
    "#c2608f": "#e79cc0",
    "#3a9a99": "#7fd0cf",
    BREACH: "#f08a8c",
    FAINT: "#a7a397",
}
SCHEMES = (
    f"<style>svg {{ color: {INK} }} @media (prefers-color-scheme: dark) {{ svg {{ color: #e8e6e1; "
    + " ".join(f"--c{colour[1:]}: {light};" for colour, light in ON_DARK.items())
    + " } }</style>"
)
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "lemmata",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}


def draw(pairs: Iterable[tuple[Row, list[Cell]]], folder: Path, kind: str = "svg") -> list[Path]:
    """Write the figures of [(row, its cells)] that have a curve to `folder`, a file each: "svg", "png" or "pdf".

    Returns the paths.
    """
    written = []
    for row, cells in pairs:
        for place, made in enumerate(drawn(choose_pictures(cells), kind)):
            folder.mkdir(parents=True, exist_ok=True)
            written.append(folder / f"{row['key'].replace('/', '_').replace(':', '_')}-{place}.{kind}")
            written[-1].write_bytes(made)
    return written


def drawn(pictures: Iterable[Picture], kind: str) -> list[bytes]:
    """The figures of one claim as files of a kind."""
    with plt.rc_context(STYLE):
        return [saved(_rate(p.rate, p.axes) if p.rate and not p.series else _curves(p), kind) for p in pictures]


def _wide(values: Any) -> bool:
    """Whether a logarithmic axis shows these values better."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return values.size > 1 and values.min() > 0 and values.max() / values.min() > 50


class _Powers(LogFormatter):
    """Ticks of a logarithmic axis in Unicode: matplotlib's own pass its parser of TeX, half of a figure's time."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = f"{x:g}" if 0.01 <= x <= 100 else f"{x:.0e}"
        return in_symbols(text) if super().__call__(x, pos) else ""


def _logarithmic(ax: Axes, name: Literal["x", "y"], *, between: bool = False) -> None:
    """A logarithmic axis, ticked at powers of ten, and `between` them where it may span no more than one."""
    ax.set(**{f"{name}scale": "log"})
    axis = ax.xaxis if name == "x" else ax.yaxis
    axis.set_major_formatter(_Powers())
    if between:
        axis.set_minor_formatter(_Powers(minor_thresholds=(1, 0.4)))
    else:
        axis.set_minor_locator(NullLocator())


def _curves(picture: Picture) -> Figure:
    """Every further list against the first one, named at its end."""
    (x_name, x), *others = ((name, thin_out(values)) for name, values in picture.series.items())
    fig, ax = plt.subplots(figsize=SIZE)
    colours = iter(COLOURS * 3)
    drawn_so: Counter[str] = Counter()
    for name, y in others:
        colour, dashes = LINES.get(curve_role(name)) or (next(colours), "-")
        drawn_so[colour] += 1
        dashes = AGAIN[drawn_so[colour] - 2] if 1 < drawn_so[colour] <= len(AGAIN) + 1 else dashes
        ax.plot(
            x,
            np.asarray(y, dtype=float),
            ls=dashes,
            color=colour,
            lw=1.5,
            marker="o" if len(x) <= 24 else None,
            ms=3,
            label="\n".join(wrap(in_symbols(name), LETTERS, break_long_words=False)),
        )
    if _wide(x):
        _logarithmic(ax, "x")
    if _wide(np.concatenate([np.asarray(y, dtype=float) for _, y in others])):
        _logarithmic(ax, "y")
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y")):
        if getattr(ax, f"get_{name}scale")() == "linear" and max(map(abs, getattr(ax, f"get_{name}lim")())) < SMALL:
            axis.set_major_formatter(lambda value, _: in_symbols(f"{value:.2g}"))  # instead of a factor above the axis
    ax.set_xlabel(in_symbols(x_name))
    ax.set_ylabel(picture.axes[1] or (in_symbols(others[0][0]) if len(others) == 1 else ""))
    fixed = {name: value for name, value in picture.setting.items() if name != x_name}
    if not picture.axes[0]:  # a caption says it
        ax.set_title(_label(fixed), fontsize=8, color=FAINT, loc="left")
    if len(others) > 4:
        ax.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1, 1.05), handlelength=1)
    elif len(others) > 1:
        _name_at_the_ends(ax)
    return fig


def figure_of_table(printed: str, y_name: str) -> str:
    """The SVG of a printed table: a first line with the values of ε, then a name and as many values a line."""
    lines = re.findall(r"^(.*?)((?:[ ]+[0-9.]+)+)$", printed, re.MULTILINE)
    x, *others = [(name, [float(value) for value in values.split()]) for name, values in lines]
    series = dict([x, *((name, y) for name, y in others if len(y) == len(x[1]))])
    with plt.rc_context(STYLE):
        fig = _curves(Picture({}, series, None))
        (ax,) = fig.axes
        ax.set_xscale("log", base=2)
        ax.set_xticks(x[1], [f"{value:g}" for value in x[1]])
        ax.set_ylabel(y_name)
        return saved(fig, "svg").decode()


def _name_at_the_ends(ax: Axes) -> None:
    """The name of each line beside its last point, moved apart where lines end together."""
    _ = ax.get_xlim(), ax.get_ylim()  # settles both: until then `transData` is that of empty axes
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = []
    for line in ax.lines:
        x, y = (np.asarray(values) for values in line.get_data())
        last = np.flatnonzero(np.isfinite(y))
        height = to_axes.transform((x[last[-1]], y[last[-1]]))[1] if last.size else 0.5
        ends.append((height if np.isfinite(height) else 0.5, line))
    least, below = -1.0, 0.0
    for height, line in sorted(ends, key=lambda end: end[0]):
        name = str(line.get_label())
        half = HEIGHT * (name.count("\n") + 1) / 2
        least, below = max(height, least + below + half), half
        ax.text(1.02, least, name, transform=ax.transAxes, color=line.get_color(), fontsize=9, va="center")


def _rate(rate: Rate, axes: tuple[str, str] = ("", "")) -> Figure:
    """Means along the parameter, the HC3 fit with its 95% interval, and the registered slope through the first mean."""
    from statsmodels.regression.linear_model import OLS  # half a second, which figures without a fit need not pay
    from statsmodels.tools.tools import add_constant

    x, means = rate.x, rate.means
    fig, ax = plt.subplots(figsize=(4.6, 2.8))
    _logarithmic(ax, "x", between=True)
    _logarithmic(ax, "y", between=True)
    ax.plot(x, means, "o", color=TRUTH, ms=4, label="mean of the trials")
    if len(x) > 2 and (means > 0).all():
        design = add_constant(np.log(x))
        fit = OLS(np.log(means), design).fit(cov_type="HC3", use_t=True)
        low, high = fit.conf_int()[1]
        band = fit.get_prediction(design).conf_int()
        ax.fill_between(x, np.exp(band[:, 0]), np.exp(band[:, 1]), color=TRUTH, alpha=0.15, lw=0)
        ax.plot(
            x,
            np.exp(fit.fittedvalues),
            color=TRUTH,
            lw=1.2,
            label=f"slope {fit.params[1]:.2f} [{low:.2f}, {high:.2f}]",
        )
    registered = rate.slope
    ax.plot(
        x, means[0] * (x / x[0]) ** registered, color=INK, ls=":", lw=1, label=f"registered: at most {registered:.2f}"
    )
    ax.set_xlabel(axes[0] or in_symbols(rate.name))
    ax.set_ylabel(axes[1])
    ax.legend(fontsize=8)
    return fig


def _label(setting: dict[str, Any]) -> str:
    return in_symbols(", ".join(f"{k} = {v:g}" if isinstance(v, float) else f"{k} = {v}" for k, v in setting.items()))


def saved(fig: Figure, kind: str) -> bytes:
    """The figure as the bytes of a file; an SVG as an element whose ids cannot clash with another's."""
    out = io.BytesIO()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    fig.savefig(out, format=kind, bbox_inches="tight", metadata=metadata, dpi=200, transparent=kind == "svg")
    plt.close(fig)
    if kind != "svg":
        return out.getvalue()
    text = out.getvalue().decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
    text = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(?<!opacity: )(\d\.\d)\d+", r"\1", tag[0]), text)  # of a pixel
    text = text.replace(INK, "currentColor").replace("#000000", "currentColor")
    for colour in ON_DARK:
        text = text.replace(colour, f"var(--c{colour[1:]}, {colour})")
    text = re.sub(r"(<svg[^>]*>)", rf"\1{SCHEMES}", text, count=1)
    text = re.sub(r"font-family: '.*?sans-serif", "font-family: sans-serif", text)  # not the list of a dozen names
    return compact(text).encode()
