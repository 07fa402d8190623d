"""Private SVMs on real records: error and distance to the exact SVM against the privacy level; Rubinstein et al. 2009.

python -m lemmata.experiments.comparison.private_svms [--full]

Every learner of `LEARNERS`, the baselines of Chaudhuri, Monteleoni & Sarwate (2011) among them, is trained on health-
insurance records (randhie) and answers to a survey (fair) at several levels, and compared with the exact SVM of its own
kernel: the share of held-out records it gets wrong, and the largest |f_hat(x) - f*(x)| over a public lattice of points,
beside the accuracy epsilon that the paper prints for that much noise: of Theorem 8 at probability 95%; where features
are random, of Lemma 10, which leaves half of it to the kernel's error (Corollary 15 asks for far more frequencies than
anybody would take). Writes a tidy table, a row a number, and a figure to reports/private_svms/.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lemmata.bounds.rbht09 import private_svm as bound
from lemmata.bounds.rbht09 import svm_accuracy
from lemmata.experiments.comparison.problems import split_records as split
from lemmata.experiments.data import load
from lemmata.experiments.figures.claims import COLOURS
from lemmata.experiments.figures.style import FAINT, panels, set_logarithmic, svg
from lemmata.mechanisms.features.random_features import fourier_map, profile
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.erm import objective_perturbation, output_perturbation, private_svm
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT, generator
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.solvers.svm import solve_rows

C = 10.0
BANDWIDTH = 1.0  # of the Gaussian kernel, on records in the unit ball
DELTA = 0.05
LEVELS = (0.3, 1.0, 3.0, 10.0, 30.0)
DATASETS = ("randhie", "fair")
FOLDER = Path("reports/private_svms")
Function = Callable[[np.ndarray], np.ndarray]  # rows of points -> values


@dataclass(frozen=True)
class Learner:
    """A line of the table: how to train, which exact SVM it stands for, and the accuracy printed for its noise."""

    fit: Callable[..., Any]  # (X, y, *, epsilon, rng) -> a model with decision_function
    kernel: str  # "linear" or "gaussian"
    printed: Callable[[int, int, float], float] = lambda n, d, epsilon: np.nan  # (n, d, epsilon) -> sup-norm accuracy


def private_svm_random(X, y, *, epsilon, rng, count, C=C):
    """Algorithm 3, PRIVATESVM: `count` public frequencies, then Algorithm 2 in their features."""

    def law(public):
        features = fourier_map("gaussian", X.shape[1], count, bandwidth=BANDWIDTH, rng=public)
        return private_svm.law(X, y, privacy=PureDP(epsilon), C=C, feature_map=features)

    return fit(law, rng)


def linear(X, y, *, epsilon, rng, module=private_svm, **sizes):
    """A release of a learner of linear weights, at the strength C that all of them share."""
    exact = {} if module is private_svm else {"noise": "exact"}
    return fit(module.law(X, y, privacy=PureDP(epsilon), C=C, **sizes, **exact), rng)


def printed_finite(n, d, epsilon):
    """Theorem 8's accuracy for the noise of Theorem 7, |phi(x)_i| <= 1: acc is proportional to the scale."""
    scale = bound.noise_scale(beta=epsilon, n=n, C=C, F=d)
    return scale / svm_accuracy.useful_scale(acc=1.0, delta=DELTA, Phi=1.0, F=d)


def printed_noise(n, d, epsilon, count):
    """Lemma 10's accuracy, noise alone: the least with lambda <= the smaller of its terms."""
    scale = bound.noise_scale(beta=epsilon, n=n, C=C, F=2 * count)
    return scale * max(16 * log(2) * sqrt(count), 8 * log(2 / DELTA) / sqrt(count))


LEARNERS = {
    "PrivateSVM-Finite": Learner(linear, "linear", printed_finite),
    "PrivateSVM-Finite, sharp": Learner(partial(linear, calibration="sharp"), "linear"),
    "PrivateSVM, 20 frequencies": Learner(
        partial(private_svm_random, count=20), "gaussian", partial(printed_noise, count=20)
    ),
    "PrivateSVM, 100 frequencies": Learner(
        partial(private_svm_random, count=100), "gaussian", partial(printed_noise, count=100)
    ),
    **{
        f"{baseline} perturbation, {loss}": Learner(partial(linear, module=module, loss=loss), "linear")
        for baseline, module in (("output", output_perturbation), ("objective", objective_perturbation))
        for loss in ("logistic", "huber")
    },
}


def factor(points: np.ndarray, tolerance: float = 1e-5) -> np.ndarray:
    """Rows whose inner products are the Gaussian kernel of the points up to `tolerance`: a pivoted Cholesky factor.

    An error eta of the kernel moves f* by at most C eta + C sqrt(2 eta), 0.045 at C = 10; in practice far less.
    """
    left, columns = np.ones(len(points)), []
    while left.max() > tolerance and len(columns) < len(points):
        pivot = int(np.argmax(left))
        column = profile("gaussian", points - points[pivot], bandwidth=BANDWIDTH)
        for earlier in columns:
            column -= earlier[pivot] * earlier
        columns.append(column / sqrt(left[pivot]))
        left = np.maximum(left - columns[-1] ** 2, 0.0)
    return np.column_stack(columns)


def exact_values(kernel: str, X: np.ndarray, y: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The exact SVM's values at `points`, from a certified solution on (X, y)."""
    both = np.vstack([X, points])
    V = both if kernel == "linear" else factor(both)
    return V[len(X) :] @ solve_rows(V[: len(X)], y, C=C).weights


def lattice(d: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Public points: `size` of the codebook's box at levels -1, -1/3, 1/3, 1, its corners among them."""
    levels = rng.choice([-1.0, -1 / 3, 1 / 3, 1.0], (size, d - 1))
    levels[: size // 4] = np.sign(levels[: size // 4])
    return np.column_stack([levels, np.ones(size)]) / sqrt(d)


def measure(
    dataset: str,
    *,
    n: int,
    repeats: int,
    levels: tuple = LEVELS,
    learners: dict | None = None,
    grid: int = 200,
    held_out: int = 2000,
) -> pd.DataFrame:
    """A tidy table: dataset, learner, n, epsilon, repeat, quantity, value. The same numbers at every call.

    Quantities are "error" (share of held-out records on the wrong side), "distance" (the sup over the lattice) and
    "printed" (the accuracy of the paper for this noise). Not private, epsilon inf: the exact "SVM, linear" and "SVM,
    gaussian", and "one answer", the more frequent one.
    """
    learners = LEARNERS if learners is None else learners
    X, y = load(dataset)
    if not 2 <= n < len(X):
        raise ValueError(f"n must be in [2, {len(X)}), got {n}: {dataset} has {len(X)} records, and some are held out")
    found = []
    for repeat in range(repeats):
        setting = {"dataset": dataset, "n": n, "repeat": repeat}
        train, test = split(len(X), n, held_out, generator(LEDGER_ROOT, "private_svms.split", setting, "main", 0))
        points = lattice(X.shape[1], grid, generator(LEDGER_ROOT, "private_svms.lattice", {}, "main", 0))
        exact, constant = {}, min(np.mean(y[test] > 0), np.mean(y[test] < 0))
        found.append(setting | {"learner": "one answer", "epsilon": np.inf, "quantity": "error", "value": constant})
        for kernel in dict.fromkeys(learner.kernel for learner in learners.values()):
            values = exact_values(kernel, X[train], y[train], np.vstack([X[test], points]))
            exact[kernel] = values[len(test) :]
            name, wrong = f"SVM, {kernel}", float(np.mean(np.where(values[: len(test)] >= 0, 1, -1) != y[test]))
            found.append(setting | {"learner": name, "epsilon": np.inf, "quantity": "error", "value": wrong})
        for name, learner in learners.items():
            for epsilon in levels:
                rng = generator(LEDGER_ROOT, f"private_svms.{name}", setting | {"epsilon": epsilon}, "main", 0)
                model = learner.fit(X[train], y[train], epsilon=epsilon, rng=rng)
                row = setting | {"learner": name, "epsilon": epsilon}
                numbers = {
                    "error": np.mean(np.where(model.decision_function(X[test]) >= 0, 1, -1) != y[test]),
                    "distance": np.abs(model.decision_function(points) - exact[learner.kernel]).max(),
                    "printed": learner.printed(n, X.shape[1], epsilon),
                }
                found += [row | {"quantity": key, "value": float(value)} for key, value in numbers.items()]
    columns = ["dataset", "learner", "n", "epsilon", "repeat", "quantity", "value"]
    return pd.DataFrame(found)[columns].dropna(ignore_index=True)


def plot_curves(table: pd.DataFrame) -> Figure:
    """Error and distance against epsilon, a column a dataset; dashed: the exact SVM, or the accuracy printed."""
    datasets = list(dict.fromkeys(table["dataset"]))
    fig, axes = panels(2, len(datasets), size=(4 * len(datasets), 6), sharex=True, squeeze=False)
    mean = table.groupby(["dataset", "quantity", "learner", "epsilon"])["value"].mean()
    private = list(dict.fromkeys(table.loc[np.isfinite(table["epsilon"]), "learner"]))
    for column, dataset in enumerate(datasets):
        for quantity, axis in zip(("error", "distance"), axes[:, column], strict=True):
            for name, colour in zip(private, COLOURS, strict=False):
                curve = mean[dataset, quantity, name]
                axis.plot(curve.index, curve.values, "o-", color=colour, label=name)
                if quantity == "distance" and (dataset, "printed", name) in mean.index.droplevel(-1):
                    printed = mean[dataset, "printed", name]
                    axis.plot(printed.index, printed.values, "--", lw=0.8, color=colour)
            set_logarithmic(axis, "x")
        exact = mean.xs(np.inf, level="epsilon")[dataset, "error"]
        for style, (name, value) in zip(("-.", "--", ":"), exact.items(), strict=False):
            axes[0, column].axhline(value, ls=style, lw=0.8, color=FAINT, label=name)
        n = table.loc[table["dataset"] == dataset, "n"].iloc[0]
        axes[0, column].set_title(f"{dataset}, n = {n}")
        set_logarithmic(axes[1, column], "y")
        axes[1, column].set_xlabel("privacy level ε (the paper's β)")
    axes[0, 0].set_ylabel("held-out records wrong")
    axes[1, 0].set_ylabel("largest |f̂ − f*| (dashed: printed)")
    axes[0, -1].legend()
    fig.tight_layout()
    return fig


def main(arguments: list[str]) -> None:
    """A small setting in seconds; with --full all records but 1,000, three repeats, minutes."""
    if arguments not in ([], ["--full"]):
        print(f"arguments = {arguments!r}: --full is the only one", file=sys.stderr)
        sys.exit(2)
    full = bool(arguments)
    sizes = {name: len(load(name)[0]) - 1000 if full else 1000 for name in DATASETS}
    table = pd.concat([measure(name, n=n, repeats=3 if full else 2) for name, n in sizes.items()], ignore_index=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    table.to_csv(FOLDER / "curves.csv", index=False)
    (FOLDER / "curves.svg").write_text(svg(plot_curves, table), encoding="utf-8")
    shown = table.groupby(["dataset", "quantity", "learner", "epsilon"], sort=False)["value"].mean()
    print(shown.unstack("epsilon").round(3).to_string())
    print(f"{FOLDER / 'curves.csv'}, {FOLDER / 'curves.svg'}")


if __name__ == "__main__":
    main(sys.argv[1:])
