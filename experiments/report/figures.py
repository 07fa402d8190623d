"""One figure a statement, as inline SVG, drawn from what the store holds and nothing else."""

from __future__ import annotations

import io
import re
from typing import NamedTuple

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from experiments.engine.verdict import HOLDS, REFUTED

matplotlib.use("svg")


INK, ACCENT, FAINT, GOOD, BAD = "#1f2933", "#2f6f9f", "#9aa5b1", "#2e7d4f", "#b3372f"
COLOURS = [ACCENT, BAD, GOOD, "#8a6d1d", "#6b4c9a", "#c2608f", "#4aa3a2", FAINT]
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
MOST_CELLS = 24
MOST_FIGURES = 4


class Rate(NamedTuple):
    """Means along a parameter, and the slope that is registered."""

    name: str
    x: np.ndarray
    means: np.ndarray
    slope: float


class Picture(NamedTuple):
    """What a figure shows of one cell: plain data, so that any process can draw it."""

    setting: dict
    verdict: str
    series: dict
    tightness: tuple | None
    rate: Rate | None


def picture(cell):
    """The picture of a decided cell."""
    rate = None
    if cell.claim.style == "rate" and cell.trials:
        x = np.asarray(cell.claim.points(**cell.setting), dtype=float)
        name = cell.claim.theorem.reading.partition("[")[2].rstrip("]") or "parameter"
        means = np.concatenate(cell.decider.curves).mean(axis=0)
        rate = Rate(name, x, means, np.log(cell.decider.ratio) / np.log(x[-1] / x[0]))
    verdict = cell.verdict
    return Picture(cell.setting, verdict.outcome, verdict.series, verdict.tightness, rate)


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
    """The SVGs of one claim: its curves, its rates, or truth / bound at every setting."""
    with plt.rc_context(STYLE):
        curves = [p for p in pictures if p.series][:MOST_FIGURES]
        if curves:
            return [_svg(_curves(p.series, _label(p.setting, p.setting))) for p in curves]
        rates = [p.rate for p in pictures if p.rate][:MOST_FIGURES]
        if rates:
            return [_svg(_rate(rate)) for rate in rates]
        drawn = [p for p in pictures if p.tightness]
        return [_svg(_intervals(drawn[:MOST_CELLS]))] if drawn else []


def _wide(values):
    """Whether a logarithmic axis shows these values better."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return values.size > 1 and values.min() > 0 and values.max() / values.min() > 50


def _curves(series, title):
    """Every further list against the first one."""
    (x_name, x), *others = series.items()
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


def _rate(rate):
    """Means along the parameter, the HC3 fit with its 95% interval, and the registered slope through the first mean."""
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


def _intervals(pictures):
    """Truth / bound at each setting, with its 99.9% confidence sequence; the bound is the line at 1."""
    names = {k for p in pictures for k in p.setting}
    varying = {k for k in names if len({str(p.setting.get(k)) for p in pictures}) > 1} or names
    fig, ax = plt.subplots(figsize=(5.2, 0.7 + 0.26 * len(pictures)))
    ends = [t for p in pictures for t in p.tightness if np.isfinite(t) and t > 0]
    floor = min([*ends, 1.0]) / 3
    for place, p in enumerate(reversed(pictures)):
        low, high = p.tightness
        colour = {HOLDS: GOOD, REFUTED: BAD}.get(p.verdict, ACCENT)
        if not np.isfinite(high):
            ax.plot([max(low, floor)], [place], marker=">", color=colour, ms=5)
        else:
            ax.plot([max(low, floor), max(high, floor)], [place, place], color=colour, lw=4, solid_capstyle="round")
    ax.axvline(1, color=INK, lw=0.8, ls=":")
    ax.set_yticks(range(len(pictures)), [_label(p.setting, varying) for p in reversed(pictures)], fontsize=8)
    ax.set_xlim(left=floor / 1.5)
    if _wide([*ends, 1.0]):
        ax.set_xscale("log")
    ax.set_xlabel("truth / bound")
    return fig


def _svg(fig):
    """The figure as an <svg> element whose ids cannot clash with another's."""
    out = io.StringIO()
    fig.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(fig)
    text = out.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)  # hundredths of a pixel are enough
    text = re.sub(r"font-family: '.*?sans-serif", "font-family: sans-serif", text)  # not the list of a dozen names
    return re.sub(r"\s*\n\s*", "\n", text)


def history(series):
    """The SVG of {name: [(date, value), ...]} over time, for the speed page."""
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(5.2, 1.8))
        for (name, points), colour in zip(series.items(), COLOURS * 5, strict=False):
            dates, values = zip(*points, strict=True)
            ax.plot(dates, values, color=colour, marker="o", ms=4, lw=1.2, label=name)
        if _wide([value for points in series.values() for _, value in points]):
            ax.set_yscale("log")
        ax.tick_params(axis="x", labelrotation=20, labelsize=7)
        if len(series) > 1:
            ax.legend(fontsize=7, bbox_to_anchor=(1, 1))
        return _svg(fig)
