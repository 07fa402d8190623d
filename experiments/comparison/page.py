"""What the page of the comparison shows: the tables below reports/, or those committed beside this file.

`python -m lemmata.experiments.comparison.page FOLDER` commits the tables of a run: means, differences and attacks.
"""

import shutil
import sys
from math import inf
from pathlib import Path

import pandas as pd

from lemmata.bounds.statement.formula import in_symbols
from lemmata.experiments.comparison import growth, reasons, statistics
from lemmata.experiments.comparison.learners import LEARNERS, LISTED, NOT_INSTALLED, OPTIONAL, Learner
from lemmata.experiments.comparison.table import CALLED, DATASETS, DEFAULT, DELTA, is_uninformative

TABLES = ("means", "differences", "attacks")
DECIDED = 3.0  # log10 of the evidence: wrong with a chance of 1/1000
LEVEL = 1.0  # the epsilon of the table
WHY = {
    "MarginClassifier": "One descent gets the whole budget, on a hinge as wide as the noise resolves, √d/(nμ), and "
    "at most 1/16.",
    "logistic descent": "The same budget and steps on the logistic loss.",
    "known margin": "The whole budget too. What it is told of the margin is right on planted data, a guess elsewhere.",
    "adaptive margin": "A run and a score for every margin of the grid Γ share the budget: each has 1/√(2|Γ|) of μ.",
    "private tuning": "It pays for the best of a random number of runs instead of for all, and finds the width itself; "
    "it takes a hundred times as long, and its duration must stay unseen.",
    "printed adaptive margin": "The printed calibration leaves two fifths of μ. Where the budget allows one step, "
    "the average of the iterates is w = 0, in whom the strict loss finds no error: it wins.",
    "printed private tuning": "The same, and the printed account of the best of K runs leaves a quarter of μ.",
    "objective perturbation": "All of the budget in one draw; it solves d × d systems.",
    "perceptron": "It averages what is still wrong. Records that no halfspace gets right keep it moving: without a "
    "margin more budget makes it worse.",
    "private grid search": "Half of the records train, half choose, each of five norms has 1/√5 of μ.",
    "phased SGD": "One pass over the records, each seen once.",
    "boosted DP-ERM": "Several phased runs on shares of the budget, with the printed constants.",
    "projected DP-ERM": "The same on rows projected to 25 dimensions.",
    "pure objective": "No δ.",
    "pure output": "No δ.",
    "Laplace SVM": "No δ.",
    "diffprivlib": "No δ; IBM's words are taken for its guarantee.",
    "majority class": "It costs next to nothing: a single noisy count.",
}


def describe_growth() -> dict:
    """Where our default has half a point less than logistic regression, of the settings of `growth` that resolve it.

    And where a peer that is told the ranges does better than our default by a point, of those that are drawn.
    """
    found = pd.read_csv(growth.TABLE)
    records = found.n * found.epsilon
    large = found[(records >= 10**5) & (found.d <= records / 1000)]
    gap = large["logistic regression"] - large.accuracy
    drawn = found[found.d == growth.DRAWN]
    ahead = {name: int((drawn[name] - drawn.accuracy > 0.01).sum()) for name in growth.PEERS}
    near = {"settings": len(gap), "near": int((gap <= 0.005).sum()), "worst": f"{gap.max():.3f}"}
    return near | {"drawn": len(drawn), "ahead": ahead}


def list_statistics() -> list[dict]:
    """A line a question, kind of records and n at epsilon 1: the error of each library and its spread."""
    found = pd.read_csv(statistics.TABLE)
    found["shown"] = found.error.map("{:.3g}".format) + " ± " + found.spread.map("{:.1g}".format)
    keys = ["question", "records", "n"]
    lines = found[found.epsilon == LEVEL].pivot_table("shown", keys, "library", aggfunc="first", sort=False)
    return lines.reindex(columns=statistics.LIBRARIES).fillna("–").reset_index().to_dict("records")


def describe_rule(learner: Learner | None) -> str:
    """How C follows from n, d and the budget, for a learner that has such a rule."""
    given = getattr(learner and learner.law, "__kwdefaults__", None) or {}
    if learner is None or "scale" not in given:
        return ""
    spent = "ε" if learner.spends == "epsilon" else "μ"
    return f"C = {given['scale']:g} n{spent}/{'√d' if given['power'] == 0.5 else 'd'}, chosen elsewhere."


def read_tables(reports: Path) -> dict[str, pd.DataFrame]:
    """{name: table}: of the last run below `reports`, else the committed one."""
    found = {}
    for name in TABLES:
        run = reports / "comparison" / f"{name}.csv"
        found[name] = pd.read_csv(run if run.exists() else Path(__file__).with_name(run.name))
    return found


def compare_learners(means: pd.DataFrame, differences: pd.DataFrame) -> list[dict]:
    """A line a learner: its risks at epsilon 1, how often it is better or worse than our default, seconds."""
    real = [name for name in DATASETS if (means.dataset == name).any()]
    known = {one.name: one for one in [*LISTED, OPTIONAL]} | LEARNERS
    shown = reasons.write_sentences(pd.read_csv(reasons.TABLE))
    lines = []
    for name in means.learner.unique():
        mine, against = means[means.learner == name], differences[differences.learner == name]
        private = bool((mine.epsilon < inf).any())
        at = mine[mine.epsilon == (LEVEL if private else inf)].set_index("dataset").risk
        gaps = against[against.epsilon == LEVEL].set_index("dataset")
        cells = [
            {
                "risk": f"{at[dataset]:.3f}" if dataset in at else "–",
                "gap": f"{gaps.difference[dataset]:+.3f}, {gaps.wins[dataset]} : {gaps.losses[dataset]}"
                if dataset in gaps.index
                else "",
            }
            for dataset in real
        ]
        learner = known.get(name)
        lines.append(
            {
                "name": name,
                "about": learner.about if learner else "",
                "spends": learner.spends.replace("epsilon", "ε").replace("delta", "δ") if learner else "",
                "why": WHY.get(name, ""),
                "rule": describe_rule(learner),
                "shown": shown.get(name, ""),
                "private": private,
                "cells": cells,
                "settings": len(against),
                "better": int((against.worse > DECIDED).sum()),
                "worse": int((against.better > DECIDED).sum()),
                "seconds": in_symbols(f"{mine[mine.dataset.isin(real)].seconds.median():.2g}"),
            }
        )
    return lines


def share_right(means: pd.DataFrame, dataset: str = DATASETS[0]) -> dict[str, str]:
    """{private learner: its share of right answers at epsilon 1 on a dataset}, best first."""
    here = means[(means.dataset == dataset) & (means.epsilon == LEVEL)].sort_values("risk")
    return {name: f"{1 - risk:.3f}" for name, risk in zip(here.learner, here.risk, strict=True)}


def group_by_defeat(lines: list[dict]) -> dict[str, list[str]]:
    """Which private learners our default is never decidedly worse than, and which it does not dominate."""
    private = [line for line in lines if line["private"] and line["name"] != DEFAULT]
    return {
        "below": [line["name"] for line in private if line["worse"] and not line["better"]],
        "above": [line["name"] for line in private if line["better"] and not line["worse"]],
        "mixed": [line["name"] for line in private if line["better"] and line["worse"]],
        "open": [line["name"] for line in private if not line["better"] and not line["worse"]],
    }


def describe_comparison(reports: Path) -> dict:
    """What the template takes."""
    found = read_tables(reports)
    lines = compare_learners(found["means"], found["differences"])
    return {
        "datasets": [CALLED[name] for name in DATASETS if (found["means"].dataset == name).any()],
        "lines": lines,
        "order": group_by_defeat(lines),
        "growth": describe_growth(),
        "statistics": list_statistics(),
        "libraries": statistics.LIBRARIES,
        "digits": share_right(found["means"]),
        "attacks": found["attacks"].astype(object).where(found["attacks"].notna(), "").to_dict("records"),
        "repeats": int(found["means"].repeats.max()),
        "default": DEFAULT,
        "delta": in_symbols(f"{DELTA:g}"),
        "level": f"{LEVEL:g}",
        "missing": NOT_INSTALLED,
        "little": [
            CALLED[name] for name in DATASETS if is_uninformative(found["means"][found["means"].dataset == name])
        ],
        "records": {
            CALLED[name]: int(here.n.iloc[0])
            for name in DATASETS
            if len(here := found["means"][found["means"].dataset == name])
        },
    }


if __name__ == "__main__":
    for table in TABLES:
        run = Path(sys.argv[1]) / f"{table}.csv"
        if run.exists():
            shutil.copy(run, Path(__file__).with_name(run.name))
