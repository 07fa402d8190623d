"""Figures of the comparison, from its means alone: SVG that follows the light or dark scheme."""

from math import inf

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from lemmata.bounds.wzw25 import table_rates
from lemmata.experiments.comparison import growth, problems
from lemmata.experiments.comparison.table import CALLED, DEFAULT, ONE_LABEL, is_uninformative
from lemmata.experiments.figures.style import COLOURS, FAINT, INK, panels, set_logarithmic, svg

PRINTED = {"Theorem 4.1 of wzw25": table_rates.TABLE1_ADAPTIVE, "Theorem 3.2 of bms22": table_rates.TABLE1_HINGE}
VARIED = {
    "n": "training records n",
    "d": "dimension d",
    "outliers": "outliers |S_out|",
    "flips": "share of labels flipped",
}
LETTERS = {"n": "n", "outliers": "s"}  # of the printed rates, which know no d and no label noise
TOP = 0.62  # of the risks that are shown
GROUPS = {
    "descents": ("logistic descent", "known margin", "perceptron"),
    "margins tried: wzw25": (
        "adaptive margin",
        "private tuning",
        "printed adaptive margin",
        "printed private tuning",
    ),
    "perturbations": ("objective perturbation", "pure objective", "pure output", "Laplace SVM", "diffprivlib"),
    "bms22 and abgmu22": ("phased SGD", "boosted DP-ERM", "projected DP-ERM", "private grid search"),
}


def draw_figures(means: pd.DataFrame) -> dict[str, str]:
    """{name: SVG} of what the table has points for, and how accuracy grows."""
    several = means[means.epsilon < inf].groupby("dataset", sort=False).epsilon.nunique()
    asked = {
        "along_epsilon": (plot_along_epsilon, means, list(several.index[several > 1])),
        "along_families": (plot_along_families, group_families(means)),
        "seconds": (plot_seconds, means[~means.dataset.str.startswith("planted")]),
    }
    drawn = {name: svg(*given) for name, given in asked.items() if len(given[-1])}
    return drawn | {"along_n": svg(plot_growth, pd.read_csv(growth.TABLE))}


def plot_growth(found: pd.DataFrame) -> Figure:
    """Accuracy against n: a panel a kind of table, a line an epsilon, dashed what is not private, grey the peers."""
    found = found[found.d == growth.DRAWN]
    kinds = list(found.kind.unique())
    rows = -(-len(kinds) // 4)
    fig, axes = panels(rows, 4, size=(9.2, 2.0 * rows), squeeze=False, sharex=True, sharey=True)
    for axis, kind in zip(axes.flat, kinds, strict=False):
        here = found[found.kind == kind]
        for colour, (epsilon, line) in zip(COLOURS, here.groupby("epsilon"), strict=False):
            axis.plot(line.n, line.accuracy, "o-", color=colour, ms=3, label=f"ε = {epsilon:g}")
        for name, dashes, shade in (("logistic regression", "--", INK), ("one label", ":", FAINT)):
            axis.plot(line.n, line[name], dashes, color=shade, lw=1, label=name)
        for name, mark in zip(growth.PEERS, ("x-", "s-"), strict=True):
            beside = here[here.epsilon == 1]
            axis.plot(beside.n, beside[name], mark, color=FAINT, ms=3, lw=0.8, label=f"{name}, ε = 1")
        set_logarithmic(axis, "x")
        axis.set_title(kind.replace(", ", ",\n"), fontsize=8)
    for spare in axes.flat[len(kinds) :]:
        spare.set_visible(False)
    lines, names = axes[0, 0].get_legend_handles_labels()
    fig.legend(lines, names, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=len(names), fontsize=8)
    for axis in axes[-1]:
        axis.set_xlabel("records n")
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy", fontsize=8)
    fig.tight_layout()
    return fig


def choose_looks(learners: list[str]) -> dict[str, dict]:
    """{learner: how its line looks}: a colour each within what is drawn together; the default thick, one label grey."""
    colours = [colour for colour in COLOURS if colour not in (FAINT, COLOURS[0])]
    looks = {}
    for i, name in enumerate(one for one in learners if one not in (DEFAULT, ONE_LABEL)):
        marker, dashes = ("o", "-") if i < len(colours) else ("s", "--")
        looks[name] = {"color": colours[i % len(colours)], "marker": marker, "ls": dashes}
    return looks | {
        DEFAULT: {"color": COLOURS[0], "lw": 2.2, "zorder": 3},
        ONE_LABEL: {"color": FAINT, "lw": 1.0, "zorder": 1},
    }


def group_learners(learners: list[str]) -> dict[str, list[str]]:
    """{kind: its learners}, of those that are private; what is in no group of ours has one of its own."""
    found = {kind: [name for name in names if name in learners] for kind, names in GROUPS.items()}
    known = {DEFAULT, ONE_LABEL, *(name for names in GROUPS.values() for name in names)}
    found["others"] = [name for name in learners if name not in known]
    return {kind: names for kind, names in found.items() if names} or {"": []}


def plot_risks(axis: Axes, here: pd.DataFrame, along: str, looks: dict[str, dict], ticks: float) -> None:
    """The mean risk of private learners along a column, each with its look."""
    for name, look in looks.items():
        line = here[(here.learner == name) & (here.epsilon < inf)].groupby(along).risk.mean()
        if len(line):
            axis.plot(line.index, line.to_numpy(), **look)
    axis.set_ylim(-0.02, TOP)
    axis.yaxis.set_major_locator(MultipleLocator(ticks))


def name_learners(axis: Axes, names: list[str], looks: dict[str, dict], place: tuple[float, float]) -> None:
    """A legend with its upper left corner at a place of the axes."""
    handles = [Line2D([], [], label=name, **looks[name]) for name in names]
    axis.legend(handles=handles, fontsize=7, loc="upper left", bbox_to_anchor=place)


def plot_along_epsilon(means: pd.DataFrame, datasets: list[str]) -> Figure:
    """Risk against epsilon: a row a dataset, a column a kind of learner, and in every panel the default, one label, and
    dotted the best that is not private.
    """
    private = list(means[means.epsilon < inf].learner.unique())
    kinds = group_learners(private)
    size = (2.3 * len(kinds) + 0.6, 1.9 * len(datasets) + 0.9)
    fig, axes = panels(len(datasets), len(kinds), size=size, squeeze=False, sharex=True, sharey="row")
    for column, (kind, names) in enumerate(kinds.items()):
        looks = choose_looks(names)
        for axis, dataset in zip(axes[:, column], datasets, strict=True):
            here = means[means.dataset == dataset]
            plot_risks(axis, here, "epsilon", looks, 0.2)
            set_logarithmic(axis, "x")
            if (here.epsilon == inf).any():
                axis.axhline(here[here.epsilon == inf].risk.min(), color=FAINT, ls=":", lw=1)
        axes[0, column].set_title(kind)
        axes[-1, column].set_xlabel("privacy level ε")
        shown = [name for name in (*names, DEFAULT, ONE_LABEL) if name in private]
        name_learners(axes[-1, column], shown, looks, (-0.05, -0.32))
    for axis, dataset in zip(axes[:, 0], datasets, strict=True):
        little = "\n(no learner beats one label)" if is_uninformative(means[means.dataset == dataset]) else ""
        axis.set_ylabel(f"{CALLED.get(dataset, dataset)}{little}\nrisk", fontsize=8)
    fig.tight_layout()
    return fig


def group_families(means: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """{what is varied: its rows, with the value beside}: for each parameter the planted family with most values."""
    names = [name for name in means.dataset.unique() if name.startswith("planted")]
    chosen = {name: problems.read_family(name) for name in names}
    found = {}
    for key in VARIED:
        alike: dict[tuple, list[str]] = {}
        for name, parameters in chosen.items():
            alike.setdefault(tuple(value for other, value in parameters.items() if other != key), []).append(name)
        most = max(alike.values(), key=len, default=[])
        if len(most) > 1:
            rows = means[means.dataset.isin(most)]
            found[key] = rows.assign(value=rows.dataset.map({name: chosen[name][key] for name in most}))
    return found


def plot_along_families(groups: dict[str, pd.DataFrame]) -> Figure:
    """A panel a family: risk against n, d, outliers and label noise; dashed what Table 1 of wzw25 prints."""
    rows = -(-len(groups) // 2)
    fig, axes = panels(rows, 2, size=(7.6, 2.7 * rows), squeeze=False)
    everything = pd.concat(list(groups.values()))
    names = list(everything[everything.epsilon < inf].learner.unique())
    looks = choose_looks(names)
    for axis, (key, group) in zip(axes.flat, groups.items(), strict=False):
        plot_risks(axis, group, "value", looks, 0.1)
        if key == "flips":
            axis.xaxis.set_major_locator(MultipleLocator(0.1))
        else:
            plot_printed_rates(axis, key, group)
        if key in ("n", "d"):
            set_logarithmic(axis, "x")
        axis.set(title=f"along {key}", xlabel=VARIED[key])
    for axis in axes[:, 0]:
        axis.set_ylabel("risk, fresh records")
    for spare in axes.flat[len(groups) :]:
        spare.set_visible(False)
    name_learners(axes[0, min(1, len(groups) - 1)], names, looks, (1.02, 1))
    fig.tight_layout()
    return fig


def plot_printed_rates(axis: Axes, key: str, group: pd.DataFrame) -> None:
    """The printed rates along what is varied, without constants and logarithms, where they are below the top."""
    fixed = problems.read_family(group.dataset.iloc[0])
    epsilon = float(group.epsilon[group.epsilon < inf].iloc[0])
    at = {"n": fixed["n"], "gamma": fixed["margin"], "s": fixed["outliers"], "epsilon": epsilon, "R": 0}
    first, last = float(group.value.min()), float(group.value.max())
    x = np.linspace(first, last, 40) if key == "outliers" else np.geomspace(first, last, 40)
    for rate, shade in zip(PRINTED.values(), (INK, FAINT), strict=True):
        letters = [{name: float(value) for name, value in at.items()} | {LETTERS.get(key, "R"): v} for v in x]
        y = np.array([table_rates.value(rate, **(one | ({} if key in LETTERS else {"R": 0.0}))) for one in letters])
        axis.plot(x, np.where(y < TOP, y, np.nan), ls=(0, (4, 3)), color=shade, lw=1)


def plot_seconds(real: pd.DataFrame) -> Figure:
    """CPU seconds a release on real records: the median over datasets and epsilons, and the range."""
    spent = real.groupby("learner", sort=False).seconds.quantile([0, 0.5, 1]).unstack().sort_values(0.5)
    fig, axis = panels(size=(6, 0.24 * len(spent) + 0.7))
    places = np.arange(len(spent))
    axis.hlines(places, spent[0.0], spent[1.0], color=FAINT, lw=1)
    axis.plot(spent[0.5], places, "o", color=COLOURS[0], ms=4)
    axis.set_yticks(places, spent.index)
    set_logarithmic(axis, "x")
    axis.set_xlabel("CPU seconds a release, the fit's share included")
    return fig
