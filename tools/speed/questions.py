"""The drawings of the speed page: each answers one question of questions.toml from what asv has measured."""

import math
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lemmata.experiments.engine.ground.grouping import group_by
from lemmata.experiments.figures.style import COLOURS, FAINT, INK, panels, set_logarithmic, svg
from lemmata.tools.speed.measurements import Measurement, in_words, newest

TABLE = Path(__file__).with_name("questions.toml")
SLOWER = 10  # bars of what rose most


def draw_answers(taken: Sequence[Measurement]) -> list[dict[str, Any]]:
    """Every question with its `drawing`, an SVG, or "" where nothing of it was measured."""
    asked = tomllib.loads(TABLE.read_text(encoding="utf-8"))["question"]
    return [question | {"drawing": draw_answer(question, taken)} for question in asked]


def draw_answer(question: dict[str, Any], taken: Sequence[Measurement]) -> str:
    """The drawing of one question."""
    if not question["benchmarks"]:
        rises = list_rises(taken)
        return svg(plot_bars, rises, question["axis"]) if rises else ""
    own = [m for name in question["benchmarks"] for m in taken if m.benchmark == name]
    if not own:
        return ""
    last = max(own, key=lambda m: m.date)
    own = [m for m in own if (m.machine, m.environment) == (last.machine, last.environment)]  # one line, one machine
    if question.get("along") == "commit":
        return svg(plot_history, own, question["axis"])
    latest = newest(own)
    if "along" in question:
        return svg(plot_lines, latest, question["along"], question["lines"], question["axis"])
    return svg(plot_bars, [(", ".join(m.at.values()).replace("'", ""), m.value) for m in latest], question["axis"])


def list_rises(taken: Iterable[Measurement]) -> list[tuple[str, float]]:
    """(benchmark and setting, newest time over oldest) of what rose most, by series of one machine."""
    histories = group_by([m for m in taken if m.unit == "seconds"], lambda m: m.series).values()
    ratios = [(name_series(own[0]), own[-1].value / own[0].value) for own in histories if len(own) > 1]
    return sorted(ratios, key=lambda pair: -pair[1])[:SLOWER]


def name_series(m: Measurement) -> str:
    """What is measured, and at which setting."""
    return ", ".join(filter(None, (in_words(m.benchmark), m.parameters)))


def plot_lines(own: Sequence[Measurement], along: str, lines: str, axis: str) -> Figure:
    """A line for each value of the parameter `lines`, on logarithmic axes, with asv's intervals as bands."""
    fig, ax = panels(size=(5.4, 2.9))
    for colour, (label, line) in zip(COLOURS, group_by(own, lambda m: m.at[lines]).items(), strict=False):
        line = sorted(line, key=lambda m: float(m.at[along]))
        x = [float(m.at[along]) for m in line]
        ax.plot(x, [m.value for m in line], "o-", color=colour, label=label.strip("'"))
        band = np.array([m.interval for m in line])
        if np.isfinite(band).all():
            ax.fill_between(x, *band.T, color=colour, alpha=0.2, lw=0)
    set_logarithmic(ax, "x")
    set_logarithmic(ax, "y", between=True)
    ax.set(xlabel=along, ylabel=axis)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def plot_history(own: Sequence[Measurement], axis: str) -> Figure:
    """A line for each benchmark over the measured commits, in their order."""
    fig, ax = panels(size=(5.4, 2.9))
    commits = list(dict.fromkeys(m.commit for m in sorted(own, key=lambda m: m.date)))
    for colour, (name, line) in zip(COLOURS, group_by(own, lambda m: m.benchmark).items(), strict=False):
        x = [commits.index(m.commit) for m in line]
        ax.plot(x, [m.value for m in line], "o-", color=colour, label=in_words(name).partition(": time of ")[2])
    set_logarithmic(ax, "y", between=True)
    ax.set_xticks(range(len(commits)), commits, rotation=90, fontsize=8)
    ax.set(ylabel=axis)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def plot_bars(bars: Sequence[tuple[str, float]], axis: str) -> Figure:
    """A bar for each (label, number), and a line at 1 where they are ratios of about that."""
    fig, ax = panels(size=(5.4, 0.24 * len(bars) + 0.6))
    names, values = zip(*bars, strict=True)
    ax.barh(range(len(bars)), values, color=COLOURS[0], height=0.7)
    for i, value in enumerate(values):
        ax.text(value, i, f" {value:.3g}", va="center", color=INK, fontsize=8)
    if min(values) < 1 < max(values) or math.isclose(min(values), 1):
        ax.axvline(1, color=FAINT, lw=0.8)
    ax.set_yticks(range(len(bars)), names, fontsize=8)
    ax.invert_yaxis()
    ax.set(xlabel=axis)
    return fig
