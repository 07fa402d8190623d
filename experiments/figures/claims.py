"""The figures of a claim, where there is a curve, drawn from the store alone."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lemmata.bounds.statement.formula import in_symbols
from lemmata.experiments.engine.ledger.curves import Picture, Rate, choose_pictures, curve_role, thin_out
from lemmata.experiments.engine.ledger.graph import Row
from lemmata.experiments.engine.running.cell import Cell
from lemmata.experiments.figures.style import (
    BREACH,
    COLOURS,
    FAINT,
    INK,
    RIGHT,
    TRUTH,
    panels,
    render,
    set_logarithmic,
)

Dashes = str | tuple[int, tuple[int, ...]]
LINES: dict[str, tuple[str, Dashes]] = {
    "bound": (FAINT, "--"),
    "allowed": (FAINT, "--"),
    "printed": (BREACH, "-"),
    "corrected": (RIGHT, "-"),
    "exact": (TRUTH, "-"),
}
SIZE = 3.7, 2.5  # inches, without the names of lines: as a whole it is read on a telephone too
LETTERS, HEIGHT = 17, 0.085  # of a name: how many stand on a line, and how much of the axis that takes
SMALL = 1e-3  # of a linear axis: below it matplotlib writes a factor above the axis, and we powers of ten at the ticks
AGAIN: tuple[Dashes, ...] = (":", "-.", (0, (6, 1)))  # further curves of one colour


def write_figures(pairs: Iterable[tuple[Row, list[Cell]]], folder: Path, kind: str = "svg") -> list[Path]:
    """Write the figures of [(row, its cells)] that have a curve to `folder`, a file each: "svg", "png" or "pdf".

    Returns the paths.
    """
    written = []
    for row, cells in pairs:
        for place, picture in enumerate(choose_pictures(cells)):
            folder.mkdir(parents=True, exist_ok=True)
            written.append(folder / f"{row['key'].replace('/', '_').replace(':', '_')}-{place}.{kind}")
            written[-1].write_bytes(render(plot_picture, picture, kind=kind))
    return written


def plot_picture(picture: Picture) -> Figure:
    """The rate of a picture, or its curves."""
    return _plot_rate(picture.rate, picture.axes) if picture.rate and not picture.series else plot_curves(picture)


def plot_curves(picture: Picture) -> Figure:
    """Every further list against the first one, named at its end."""
    (x_name, x), *others = ((name, thin_out(values)) for name, values in picture.series.items())
    curves = [(name, np.asarray(values, dtype=float)) for name, values in others]
    fig, ax = panels(size=SIZE)
    colours = iter(COLOURS * 3)
    drawn_so: Counter[str] = Counter()
    for name, y in curves:
        colour, dashes = LINES.get(curve_role(name)) or (next(colours), "-")
        drawn_so[colour] += 1
        dashes = AGAIN[drawn_so[colour] - 2] if 1 < drawn_so[colour] <= len(AGAIN) + 1 else dashes
        label = "\n".join(wrap(in_symbols(name), LETTERS, break_long_words=False))
        ax.plot(x, y, ls=dashes, color=colour, lw=1.5, marker="o" if len(x) <= 24 else None, label=label)
    _scale_axis(ax, "x", x)
    _scale_axis(ax, "y", np.concatenate([y for _, y in curves]))
    ax.set_xlabel(in_symbols(x_name))
    ax.set_ylabel(picture.axes[1] or (in_symbols(curves[0][0]) if len(curves) == 1 else ""))
    if not picture.axes[0]:  # a caption says it
        fixed = {name: value for name, value in picture.setting.items() if name != x_name}
        ax.set_title(_describe(fixed), fontsize=8, color=FAINT)
    if len(curves) > 4:
        ax.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1, 1.05), handlelength=1)
    elif len(curves) > 1:
        _name_at_the_ends(ax)
    return fig


def _scale_axis(ax: Axes, name: Any, values: Any) -> None:
    """A logarithmic axis where it shows these values better; else a linear one, with powers of ten at tiny ticks."""
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    if finite.size > 1 and finite.min() > 0 and finite.max() / finite.min() > 50:
        set_logarithmic(ax, name)
    elif max(map(abs, getattr(ax, f"get_{name}lim")())) < SMALL:
        getattr(ax, f"{name}axis").set_major_formatter(lambda value, _: in_symbols(f"{value:.2g}"))


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


def _plot_rate(rate: Rate, axes: tuple[str, str]) -> Figure:
    """Means along the parameter, the HC3 fit with its 95% interval, and the registered slope through the first mean."""
    from statsmodels.regression.linear_model import OLS  # half a second, which figures without a fit need not pay
    from statsmodels.tools.tools import add_constant

    x, means = rate.x, rate.means
    fig, ax = panels(size=(4.6, 2.8))
    set_logarithmic(ax, "x", between=True)
    set_logarithmic(ax, "y", between=True)
    ax.plot(x, means, "o", color=TRUTH, ms=4, label="mean of the trials")
    if len(x) > 2 and (means > 0).all():
        design = add_constant(np.log(x))
        fit = OLS(np.log(means), design).fit(cov_type="HC3", use_t=True)
        low, high = fit.conf_int()[1]
        band = np.exp(fit.get_prediction(design).conf_int())
        ax.fill_between(x, band[:, 0], band[:, 1], color=TRUTH, alpha=0.15, lw=0)
        slope = f"slope {fit.params[1]:.2f} [{low:.2f}, {high:.2f}]"
        ax.plot(x, np.exp(fit.fittedvalues), color=TRUTH, lw=1.2, label=slope)
    registered = means[0] * (x / x[0]) ** rate.slope
    ax.plot(x, registered, color=INK, ls=":", lw=1, label=f"registered: at most {rate.slope:.2f}")
    ax.set(xlabel=axes[0] or in_symbols(rate.name), ylabel=axes[1])
    ax.legend()
    return fig


def _describe(setting: dict[str, Any]) -> str:
    return in_symbols(", ".join(f"{k} = {v:g}" if isinstance(v, float) else f"{k} = {v}" for k, v in setting.items()))
