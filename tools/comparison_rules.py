"""Public numbers for the learners of `lemmata compare`, chosen on tables that it does not compare.

    python -m lemmata.tools.comparison_rules [LEARNER ...]       # writes comparison_rules.csv beside this file

Every learner with a number that no theorem gives is tried with several of them, at every epsilon, on eleven tables:
three other pairs of digits, wine, iris, the ANES survey, and five that are planted by scikit-learn. The columns are
standardised with the tables' own means, since nothing here is private, and rows prepared as in the comparison. What
`lemmata.experiments.comparison.learners` takes is the largest number whose mean risk is within `CLOSE` of a learner's
least: a smaller C only brings the minimiser nearer to the average of y x. `MarginClassifier`'s width was chosen before,
on other tables; its factor 1 is on trial.
"""

import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris, load_wine, make_classification

from lemmata.experiments.comparison import learners, problems
from lemmata.experiments.comparison.table import DELTA, EPSILONS
from lemmata.experiments.data import load
from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.estimators.margin_classifier import choose_steps, choose_width
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.privacy import ApproxDP, gaussian_mu

TABLE = Path(__file__).with_name("comparison_rules.csv")
SPLITS, RELEASES, ROOT = 4, 3, 20251125
SCALES, POWERS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0), (0.5, 1.0)
PERTURBATIONS = {  # and their scales
    "objective perturbation": SCALES[2:],
    "pure objective": SCALES[2:],
    "pure output": SCALES[:-2],
    "Laplace SVM": SCALES[:-2],
    "diffprivlib": SCALES[2:],
}
WIDTHS = ("phased SGD", "boosted DP-ERM", "projected DP-ERM")
CLOSE = 0.0005  # of mean risks, which say no more
FIELDS = ("learner", "setting", "risk", "chosen")
PLANTED = (
    (300, 10, 1.0, 0.0),
    (1000, 50, 1.0, 0.05),
    (3000, 20, 0.5, 0.05),
    (500, 200, 2.0, 0.0),
    (2000, 100, 0.7, 0.1),
)  # records, columns, class_sep, flip_y


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(name, X, y) with labels -1 and +1; columns standardised but for pixels."""
    for pair in ("4-9", "1-7", "0-6"):
        yield f"digits:{pair}", *load(f"digits:{pair}")
    X, y = load_wine(return_X_y=True)
    yield "wine", standardised(X), np.where(y == 1, 1.0, -1.0)
    X, y = load_iris(return_X_y=True)
    yield "iris", standardised(X[y > 0]), np.where(y[y > 0] == 1, 1.0, -1.0)
    import statsmodels.datasets

    frame = statsmodels.datasets.anes96.load_pandas().data
    yield "anes96", standardised(frame.drop(columns="vote").to_numpy(float)), np.where(frame["vote"] > 0, 1.0, -1.0)
    for n, d, apart, flips in PLANTED:
        kinds: dict[str, Any] = {"n_informative": d // 2, "class_sep": apart, "flip_y": flips, "random_state": n + d}
        X, y = make_classification(n * 4 // 3, d, **kinds)
        yield f"planted {n} x {d}", standardised(X), 2.0 * y - 1


def standardised(X: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and standard deviation 1."""
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def descent(X: np.ndarray, y: np.ndarray, *, epsilon: float, delta: float, rng: Any, factor: float) -> Any:
    """What `MarginClassifier` runs, on a hinge that is `factor` times as wide."""
    (n, d), mu = X.shape, gaussian_mu(epsilon, delta)
    asked: Any = {"width": factor * choose_width(n, d, mu), "steps": choose_steps(n, d, mu)}
    return noisy_gd.law(X, y, privacy=ApproxDP(epsilon, delta), stride="decaying", output="last", **asked)


def tried(name: str) -> tuple[Any, list[dict[str, float]]]:
    """(the law, its settings) of a learner."""
    if name == "MarginClassifier":
        return descent, [{"factor": factor} for factor in (0.25, 0.5, 1.0, 2.0, 4.0)]
    if name in WIDTHS:
        return learners.find(name).law, [{"rho": rho} for rho in (0.03, 0.1, 0.3, 1.0)]
    settings = [{"scale": scale, "power": power} for power, scale in product(POWERS, PERTURBATIONS[name])]
    return learners.find(name).law, settings


def risk(law: Any, setting: dict[str, float], X: np.ndarray, y: np.ndarray, name: str) -> float:
    """Mean over splits, releases and epsilons, on records that were held out."""
    found = []
    for split, epsilon in product(range(SPLITS), EPSILONS):
        rng = generator(ROOT, "compare.rules", {"table": name}, "split", split)
        train, test = problems.split_records(len(X), len(X) * 3 // 4, problems.HELD_OUT, rng)
        public, private = rng.spawn(2)
        made = law(X[train], y[train], epsilon=epsilon, delta=DELTA, rng=public, **setting)
        said = np.where(learners.scores(made, made.sample(private, RELEASES), X[test]) >= 0, 1.0, -1.0)
        found.append((said != y[test][:, None]).mean())
    return float(np.mean(found))


def chosen(settings: list[dict[str, float]], means: list[float]) -> int:
    """Which setting is taken: the largest first number of those close to the least; of several the best."""
    close = [i for i, mean in enumerate(means) if mean < min(means) + CLOSE]
    return max(close, key=lambda i: (next(iter(settings[i].values())), -means[i]))


def main(named: list[str]) -> None:
    """A line a learner and setting, the mean over the tables; the least of a learner is marked."""
    prepared = [(name, problems.unit_rows(X), y) for name, X, y in tables()]
    kept = []
    if named and TABLE.exists():
        with TABLE.open(newline="") as file:
            kept = [tuple(row.values()) for row in csv.DictReader(file) if row["learner"] not in named]
    for name in named or ["MarginClassifier", *WIDTHS, *PERTURBATIONS]:
        law, settings = tried(name)
        means = [float(np.mean([risk(law, one, X, y, table) for table, X, y in prepared])) for one in settings]
        taken = chosen(settings, means)
        for i, (setting, mean) in enumerate(zip(settings, means, strict=True)):
            text = " ".join(f"{key}={value:g}" for key, value in setting.items())
            kept.append((name, text, f"{mean:.4f}", "yes" * (i == taken)))
            print(*kept[-1], sep="\t", flush=True)
    write_table(TABLE, FIELDS, kept)


if __name__ == "__main__":
    main(sys.argv[1:])
