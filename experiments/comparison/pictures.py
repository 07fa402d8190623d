"""Figures of the comparison, from the tidy table alone: SVG that follows the light or dark scheme."""

from __future__ import annotations

from math import inf

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bounds.wzw25 import table_rates
from experiments.comparison import problems
from experiments.report.figures import COLOURS, FAINT, INK, STYLE, saved

PRINTED = {"Theorem 4.1 of wzw25": table_rates.TABLE1_ADAPTIVE, "Theorem 3.2 of bms22": table_rates.TABLE1_HINGE}
AXES = {
    "n": "training records n",
    "d": "dimension d",
    "outliers": "outliers |S_out| among 1,000",
    "flips": "share of labels flipped",
}
MARKS = ("o", "s", "^")


def look(learners: list[str]) -> dict[str, dict]:
    """{learner: how its line looks}, in the order of the table."""
    return {
        name: {"color": COLOURS[i % len(COLOURS)], "marker": MARKS[i // len(COLOURS)], "ms": 3, "lw": 1.3}
        for i, name in enumerate(learners)
    }


def draw(axes: np.ndarray, groups: list[tuple[str, pd.DataFrame]], x: str) -> None:
    """A panel a group: the mean risk of every private learner along `x`; ceilings dotted; names beside the last."""
    everything = pd.concat([group for _, group in groups])
    names = [
        name for name in everything.learner.unique() if (everything[everything.learner == name].epsilon < inf).any()
    ]
    looks = look(names)
    for axis, (title, here) in zip(axes.flat, groups, strict=False):
        for name in names:
            line = here[(here.learner == name) & (here.epsilon < inf)].groupby(x).risk.mean()
            if len(line):
                axis.plot(line.index, line.to_numpy(), label=name, **looks[name])
        axis.set_title(title, loc="left", fontsize=9)
    handles = [plt.Line2D([], [], label=name, **looks[name]) for name in names]
    axes.flat[len(groups) - 1].legend(handles=handles, fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))


def along_epsilon(found: pd.DataFrame) -> str:
    """A panel a dataset: risk against epsilon; dotted the learners without privacy."""
    datasets = [name for name in found.dataset.unique() if not name.startswith("planted:")]
    if not datasets:
        return ""
    with plt.rc_context(STYLE):
        rows = -(-len(datasets) // 2)
        fig, axes = plt.subplots(rows, min(2, len(datasets)), figsize=(7.6, 2.6 * rows), sharex=True, squeeze=False)
        draw(axes, [(name, found[found.dataset == name]) for name in datasets], "epsilon")
        for axis, name in zip(axes.flat, datasets, strict=False):
            plain = found[(found.dataset == name) & (found.epsilon == inf)].groupby("learner").risk.mean()
            for value in plain:
                axis.axhline(value, color=FAINT, ls=":", lw=1)
            axis.set_xscale("log")
        for axis in axes[-1]:
            axis.set_xlabel("ε")
        for axis in axes[:, 0]:
            axis.set_ylabel("risk, held out")
        for spare in axes.flat[len(datasets) :]:
            spare.set_visible(False)
        return saved(fig, "svg").decode()


def swept(found: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """{what is varied: its rows, with the value beside}, of the planted families in the table."""
    names = [name for name in found.dataset.unique() if name.startswith("planted:")]
    values = {name: problems.family(name) for name in names}
    base = found[found.dataset.isin(names)].copy()
    for key in ("n", "d", "outliers", "flips", "margin"):
        base[f"at_{key}"] = base.dataset.map({name: value[key] for name, value in values.items()})
    fixed = {
        "n": (base.at_d == 50) & (base.at_outliers == 0) & (base.at_flips == 0),
        "d": (base.at_margin == 0.5) & (base.at_outliers == 0) & (base.at_flips == 0),
        "outliers": (base.at_d == 20) & (base.at_flips == 0),
        "flips": (base.at_d == 20) & (base.at_outliers == 0),
    }
    groups = {key: base[rows].assign(value=base[f"at_{key}"]) for key, rows in fixed.items()}
    return {key: group for key, group in groups.items() if group.value.nunique() > 1}


def along_families(found: pd.DataFrame) -> str:
    """A panel a family at epsilon 1: risk against n, d, outliers and label noise; dashed what Table 1 prints."""
    groups = swept(found)
    if not groups:
        return ""
    with plt.rc_context(STYLE):
        rows = -(-len(groups) // 2)
        fig, axes = plt.subplots(rows, 2, figsize=(7.6, 2.7 * rows), squeeze=False)
        draw(axes, [(f"against {key}", group) for key, group in groups.items()], "value")
        for axis, (key, group) in zip(axes.flat, groups.items(), strict=False):
            if key != "flips":
                rates(axis, key, group)
            if key in ("n", "d"):
                axis.set_xscale("log")
            axis.set_ylim(-0.02, 0.62)
            axis.set_xlabel(AXES[key])
        for axis in axes[:, 0]:
            axis.set_ylabel("risk, fresh records")
        for spare in axes.flat[len(groups) :]:
            spare.set_visible(False)
        fig.tight_layout()
        return saved(fig, "svg").decode()


def rates(axis: plt.Axes, key: str, group: pd.DataFrame) -> None:
    """The printed rates along what is varied, without constants and logarithms, where they are below the top."""
    one = group.iloc[0]
    at = {"n": float(one.n), "gamma": float(one.at_margin), "s": float(one.at_outliers), "epsilon": 1.0, "R": 0.0}
    x = np.sort(group.value.unique()).astype(float)
    x = np.geomspace(x[0], x[-1], 40) if key != "outliers" else np.linspace(x[0], x[-1], 40)
    name = {"n": "n", "outliers": "s", "d": "d"}[key]
    for rate, shade in zip(PRINTED.values(), (INK, FAINT), strict=True):
        y = np.array([table_rates.value(rate, **at | ({} if name == "d" else {name: v})) for v in x])
        axis.plot(x, np.where(y < 0.62, y, np.nan), "--", color=shade, lw=1)


def seconds(found: pd.DataFrame) -> str:
    """CPU seconds a release: the median over the four real datasets, a dot a learner, and the range."""
    real = found[~found.dataset.str.startswith("planted:")]
    if real.empty:
        return ""
    spent = real.groupby("learner", sort=False).seconds.quantile([0.1, 0.5, 0.9]).unstack().sort_values(0.5)
    with plt.rc_context(STYLE):
        fig, axis = plt.subplots(figsize=(6, 0.24 * len(spent) + 0.7))
        places = np.arange(len(spent))
        axis.hlines(places, spent[0.1], spent[0.9], color=FAINT, lw=1)
        axis.plot(spent[0.5], places, "o", color=COLOURS[0], ms=4)
        axis.set_yticks(places, spent.index)
        axis.set_xscale("log")
        axis.set_xlabel("CPU seconds a release, the fit's share included")
        return saved(fig, "svg").decode()
