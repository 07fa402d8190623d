"""Figures of a claim, where there is a curve: SVG that follows the light or dark scheme, drawn from the store alone."""

from __future__ import annotations

import io
import re
from typing import NamedTuple

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

matplotlib.use("svg")


INK, FAINT = "#1d1c1a", "#8a857a"
COLOURS = ["#2b6cb0", "#a3262a", "#1d8a55", "#b8860b", "#7a5cc0", "#c2608f", "#3a9a99", FAINT]
ACCENT = COLOURS[0]
DARK = "<style>svg { color: #1d1c1a } @media (prefers-color-scheme: dark) { svg { color: #e8e6e1 } }</style>"
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "marginalia",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}
MOST_FIGURES = 2
MOST_POINTS = 300


class Rate(NamedTuple):
    """Means along a parameter, and the slope that is registered."""

    name: str
    x: np.ndarray
    means: np.ndarray
    slope: float


class Picture(NamedTuple):
    """What a figure shows of one cell: plain data, so that any process can draw it."""

    setting: dict
    series: dict
    rate: Rate | None


def picture(cell):
    """The picture of a decided cell."""
    rate = None
    if cell.claim.style == "rate" and cell.trials:
        x = np.asarray(cell.claim.points(**cell.setting), dtype=float)
        name = cell.claim.theorem.reading.partition("[")[2].rstrip("]") or "parameter"
        means = np.concatenate(cell.decider.curves).mean(axis=0)
        rate = Rate(name, x, means, np.log(cell.decider.ratio) / np.log(x[-1] / x[0]))
    return Picture(cell.setting, cell.verdict.series, rate)


def draw(pairs, folder):
    """Write the figures of [(row, its cells)] that have a curve to `folder`, an SVG each; returns how many."""
    written = 0
    for row, cells in pairs:
        pictures = [p for p in map(picture, (cell for cell in cells if cell.verdict)) if p.series or p.rate]
        for place, svg in enumerate(figures(pictures)):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{row['key'].replace('/', '_').replace(':', '_')}-{place}.svg").write_text(svg, encoding="utf-8")
            written += 1
    return written


def figures(pictures):
    """The SVGs of one claim: its curves, or its rates."""
    with plt.rc_context(STYLE):
        curves = [p for p in pictures if p.series][:MOST_FIGURES]
        if curves:
            return [_svg(_curves(p.series, _label(p.setting, p.setting))) for p in curves]
        return [_svg(_rate(p.rate)) for p in pictures if p.rate][:MOST_FIGURES]


def _wide(values):
    """Whether a logarithmic axis shows these values better."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return values.size > 1 and values.min() > 0 and values.max() / values.min() > 50


def _curves(series, title):
    """Every further list against the first one."""
    (x_name, x), *others = ((name, thinned(values)) for name, values in series.items())
    fig, ax = plt.subplots(figsize=(5.2, 2.7))
    for (name, y), colour in zip(others, COLOURS * 3, strict=False):
        y = np.asarray(y, dtype=float)
        ax.plot(x, y, color=colour, lw=1.5, marker="o" if len(x) <= 24 else None, ms=3, label=name)
    if _wide(x):
        ax.set_xscale("log")
    if _wide(np.concatenate([np.asarray(y, dtype=float) for _, y in others])):
        ax.set_yscale("log")
    ax.set_xlabel(x_name)
    ax.set_title(title, fontsize=8, color=FAINT, loc="left")
    crowded = len(others) > 4
    ax.legend(fontsize=8, loc="upper left" if crowded else "best", bbox_to_anchor=(1, 1) if crowded else None)
    return fig


def thinned(values):
    """At most `MOST_POINTS` of the values, ends included."""
    return (
        values
        if len(values) <= MOST_POINTS
        else [values[i] for i in np.linspace(0, len(values) - 1, MOST_POINTS, dtype=int)]
    )


def _rate(rate):
    """Means along the parameter, the HC3 fit with its 95% interval, and the registered slope through the first mean."""
    import statsmodels.api as sm  # a second, which figures without a fit need not pay

    x, means = rate.x, rate.means
    fig, ax = plt.subplots(figsize=(5.2, 2.7))
    ax.loglog(x, means, "o", color=ACCENT, ms=4, label="mean of the trials")
    if len(x) > 2 and (means > 0).all():
        design = sm.add_constant(np.log(x))
        fit = sm.OLS(np.log(means), design).fit(cov_type="HC3", use_t=True)
        low, high = fit.conf_int()[1]
        band = fit.get_prediction(design).conf_int()
        ax.fill_between(x, np.exp(band[:, 0]), np.exp(band[:, 1]), color=ACCENT, alpha=0.15, lw=0)
        ax.plot(
            x,
            np.exp(fit.fittedvalues),
            color=ACCENT,
            lw=1.2,
            label=f"slope {fit.params[1]:.2f} [{low:.2f}, {high:.2f}]",
        )
    registered = rate.slope
    ax.plot(
        x, means[0] * (x / x[0]) ** registered, color=INK, ls=":", lw=1, label=f"registered: at most {registered:.2f}"
    )
    ax.set_xlabel(rate.name)
    ax.legend(fontsize=8)
    return fig


def _label(setting, varying):
    return ", ".join(f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in setting.items() if k in varying)


def _svg(fig):
    """The figure as an <svg> element whose ids cannot clash with another's."""
    out = io.StringIO()
    fig.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(fig)
    text = out.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
    text = re.sub(r"(\d\.\d)\d+", r"\1", text)  # tenths of a pixel are enough
    text = text.replace(INK, "currentColor").replace("#000000", "currentColor")
    text = re.sub(r"(<svg[^>]*>)", rf"\1{DARK}", text, count=1)
    text = re.sub(r"font-family: '.*?sans-serif", "font-family: sans-serif", text)  # not the list of a dozen names
    return re.sub(r"\s*\n\s*", "\n", text)
