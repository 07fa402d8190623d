"""What exact noise costs in accuracy and time, beside float64 noise: python -m tools.exact_cost [EPSILON [NAME ...]].

A pair of fits has the same records and the same noise: `Coupled` draws float64's normal numbers from the words that the
rounded ones are drawn from, so that what is left is the rounding of records, averages and noise. Where a choice is
made, by numbers that are drawn in another way, the pair has its own. Percent right of held-out records of the
comparison's tables (`lemmata compare`), at most 500 train, at least 100 splits, more until the standard error is below
a tenth of a point, or below a fifth and half a minute is over. Seconds are medians of 30 fits in turns, with NumPy's
own normal numbers for float64, one thread. What was found stands in reports/published/exact_cost.csv, of which the
rows of the learners named are renewed.
"""

import csv
import sys
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

import lemmata
from lemmata.experiments.comparison.problems import draw_problem
from lemmata.mechanisms import hardening
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.descent import private_perceptron
from lemmata.mechanisms.learners.erm import objective_perturbation, output_perturbation
from lemmata.mechanisms.learners.glm import glm_gd, glm_output
from lemmata.mechanisms.numerics.entropy import draw_words
from lemmata.mechanisms.numerics.proved_floats import normal_quantile
from lemmata.mechanisms.privacy import ApproxDP, PureDP

PUBLISHED = Path(__file__).parents[1] / "reports" / "published" / "exact_cost.csv"
TABLES = ("digits:3-8", "breast_cancer", "randhie", "fair")
LEAST, MOST, SECONDS, ENOUGH, NEEDED = 100, 40_000, 30.0, 0.1, 0.2
FITS = 30
DELTA = 1e-5
FLIPPED = {name for line in hardening.TABLE for name in line.names if line.why.startswith(hardening.SUMS)}


class Coupled(np.random.Generator):
    """A generator whose normal numbers are the quantiles that `grid_gaussian.rounded_normal` rounds.

    Tables of them get a minus where `flipped`: exact descents add noise to sums that are divided by minus the width.
    """

    flipped = False

    def spawn(self, n_children):
        """Children of the same kind."""
        children = super().spawn(n_children)
        for child in children:
            child.flipped = self.flipped
        return children

    def normal(self, loc=0.0, scale=1.0, size=None):
        """As NumPy's, from one word each."""
        drawn = draw_words(self, int(np.prod(size)) if size is not None else 1)
        sizes = normal_quantile(np.maximum((drawn & (2**63 - 1)).astype(float) * 2.0**-63, 2.0**-16))
        minus = self.flipped and isinstance(size, tuple) and len(size) == 2
        found = loc + scale * np.where((drawn < 0) != minus, -sizes, sizes)
        return found[0] if size is None else found.reshape(size)


def estimated(kind, epsilon, noise, rng, X, y, **parameters):
    """A fitted estimator."""
    budget = {"epsilon": epsilon} | ({"delta": DELTA} if "delta" in kind().get_params() else {})
    return kind(**budget, **parameters, noise=noise, random_state=rng, classes=(-1.0, 1.0)).fit(X, y)


def released(law, privacy, epsilon, noise, rng, X, y, **parameters):
    """A model of one release of a module's `law`."""
    return fit(law(X, y, privacy=privacy(epsilon), noise=noise, **parameters), rng, noise=noise)


def approximate(epsilon):
    """The guarantee of those that take a delta."""
    return ApproxDP(epsilon, DELTA)


GLM = {"loss": "logistic", "norm_bound": 10.0}
KINDS = {one.name: getattr(lemmata, one.name) for one in hardening.ESTIMATORS}
PROJECTED = {"ProjectedGD": {"k": 8}, "EfficientMargin": {"k": 8}}  # so few columns as these tables have
LEARNERS = {
    name: partial(estimated, kind, **PROJECTED.get(name, {}))
    for name, kind in KINDS.items()
    if {"noise", "classes"} <= kind().get_params().keys()  # a classifier whose noise has both kinds
} | {
    "glm_gd": partial(released, glm_gd.law, approximate, **GLM, steps=30),
    "glm_output": partial(released, glm_output.law, approximate, **GLM),
    "output_perturbation": partial(released, output_perturbation.law, PureDP, C=10.0),
    "objective_perturbation": partial(released, objective_perturbation.law, PureDP, C=10.0),
    "private_perceptron": partial(released, private_perceptron.law, approximate),
}


def pair(learner, table, epsilon, seed, flipped):
    """(percent right with float noise, with exact noise) on one split."""
    problem, found = draw_problem(table, 500, np.random.default_rng(seed)), []
    for noise in ("float", "exact"):
        rng = Coupled(np.random.PCG64DXSM(seed))
        rng.flipped = flipped
        model = learner(epsilon, noise, rng, problem.X, problem.y)
        found.append(100 * np.mean(model.predict(problem.test) == problem.truth))
    return found


def seconds(learner, table, epsilon):
    """(median seconds of a fit with float noise, with exact noise)."""
    problem, taken = draw_problem(table, 500, np.random.default_rng(0)), []
    for seed in range(FITS + 1):
        turns = []
        for noise in ("float", "exact"):
            start = perf_counter()
            learner(epsilon, noise, np.random.default_rng(seed), problem.X, problem.y)
            turns.append(perf_counter() - start)
        taken.append(turns)
    return np.median(taken[1:], axis=0)


def compared(learner, table, epsilon, flipped=False):
    """(percent right with float noise, with exact noise, their difference, its standard error, splits)."""
    found, start = [], perf_counter()
    while len(found) < MOST:
        found.append(pair(learner, table, epsilon, len(found), flipped))
        right = np.array(found)
        error = float(np.std(right[:, 1] - right[:, 0]) / np.sqrt(len(found)))
        enough = NEEDED if perf_counter() - start > SECONDS else ENOUGH
        if len(found) >= LEAST and error < enough:
            break
    plain, exact = right.mean(axis=0)
    return plain, exact, exact - plain, error, len(found)


def measured(name, table, epsilon):
    """One row of the table, as texts."""
    slow, fast = seconds(LEARNERS[name], table, epsilon)
    *rates, splits = compared(LEARNERS[name], table, epsilon, name in FLIPPED)
    return [name, table, f"{epsilon:g}", *(f"{rate:.3f}" for rate in rates), splits, f"{slow:.5f}", f"{fast:.5f}"]


def main(epsilon=1.0, *names):
    """Renew the rows of `names`, or all."""
    kept = {(row[0], row[1]): row for row in csv.reader(PUBLISHED.open(newline=""))}
    for name in names or LEARNERS:
        for table in TABLES:
            kept[name, table] = measured(name, table, float(epsilon))
            print(*kept[name, table], flush=True)
            with PUBLISHED.open("w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(kept.values())


if __name__ == "__main__":
    main(*sys.argv[1:])
