"""When bounds speak: the smallest n at which each main theorem promises anything, over ε and the margin.

Printed orders are taken with the hidden constant 1: less than what any proof gives. Explicit bounds are ours. Beside
them stands what is proved of a learner that is told the margin, what the learner does, the smallest n at which its mean
error on the hardest data we know, of that margin, is below the level, and from which n on any private learner could do
it (`wzw25.tab1/explicit/any-learner`).
`python -m lemmata.experiments.sample_sizes.table` computes it all and writes table.csv.
"""

import csv
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import count
from math import floor
from pathlib import Path

import numpy as np

from lemmata.bounds.theorem import THEOREMS
from lemmata.bounds.wzw25.tables import any_learner
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.instances.datasets.planted import planted
from lemmata.experiments.sample_sizes.page import DELTA, EPSILONS, FAMILIES, LEVELS, MARGINS, Family
from lemmata.mechanisms.estimators.gd_estimators import AdaptiveMargin

TABLE = Path(__file__).with_name("table.csv")
LARGEST = 2**60  # more records than anybody has
RUNS, MOST_RECORDS, DIMENSION = 8, 4096, 50


def find_first_size(value: Callable[[int], float], level: float) -> int | None:
    """From which n on value(n) < level, up to 2%; None where it is not so below `LARGEST`.

    Bounds that round the margin down to a grid jump up just above the powers of two: n counts as the first only when
    the bound stays below the level over the three octaves that follow, at 40 sizes of each and at every 2^j + 1.

    >>> find_first_size(lambda n: 100 / n, 0.5)
    201
    """
    first, start = None, next((j for j in range(2, LARGEST.bit_length()) if value(2**j) < level), LARGEST.bit_length())
    for n in (n for n in list_sizes() if n > 2 ** (start - 1)):
        if not value(n) < level:
            first = None
        elif first is None:
            first = n
        elif n > 8 * first:
            return first
    return None


@cache
def list_sizes() -> list[int]:
    """Sizes from 2 to `LARGEST`: 40 an octave, and the numbers next above the powers of two."""
    octaves = LARGEST.bit_length()
    steps = {round(2 ** (j / 40)) for j in range(40, 40 * octaves)}
    return sorted(steps | {2**j + 1 for j in range(1, octaves)})


@cache
def measure_learner(learner: str, epsilon: float, margin: float, level: float) -> int | None:
    """The smallest power of two n at which its mean error on planted data over `RUNS` runs is below `level`."""
    kind = {"adaptive_margin": AdaptiveMargin}[learner]
    for n in (2**j for j in range(2, MOST_RECORDS.bit_length())):
        Z = planted(n, DIMENSION, margin, 0)
        draws = map(np.random.default_rng, range(RUNS))
        asked = partial(kind, epsilon=epsilon, delta=DELTA, classes=(-1, 1))
        fits = (asked(random_state=draw).fit(Z, np.ones(n)) for draw in draws)
        if np.mean([(Z @ fit.coef_[0] <= 0).mean() for fit in fits]) < level:
            return n
    return None


def bound_any_learner(level: float, margin: float, epsilon: float) -> int:
    """The smallest n with which the mean error of some (epsilon, DELTA)-private learner can be below `level`.

    With at most floor(1 / margin^2) (m - 1) records no point need have m of them, where m is the smallest number of
    records a point that makes the least error of any learner smaller than `level`.

    >>> bound_any_learner(0.1, 0.1, 1.0)
    201
    """
    m = next(m for m in count(1) if any_learner(m=m, epsilon=epsilon, delta=DELTA) < level)
    return floor(Fraction(str(margin)) ** -2) * (m - 1) + 1


def evaluate_bound(family: Family, reading: str, epsilon: float, margin: float, level: float) -> int | None:
    """From which n a reading of a theorem is below `level`; the statement's own function, under its hypotheses."""
    key, arguments = family.rows[reading]
    theorem = THEOREMS[key]

    def value(n: int) -> float:
        given = arguments(n, epsilon, margin)
        return float("inf") if theorem.skipped(given) else float(theorem.formula(**given))

    return find_first_size(value, level)


def compute_lines(measure: bool = True) -> Iterator[dict]:
    """The lines of the table."""
    registry.load()
    for family in FAMILIES:
        for level in LEVELS:
            for margin in MARGINS:
                for epsilon in EPSILONS:
                    place = {"statement": family.statement, "level": level, "margin": margin, "epsilon": epsilon}
                    for reading in family.rows:
                        yield place | {"what": reading, "n": evaluate_bound(family, reading, epsilon, margin, level)}
                    if measure and family.learner and level < 1:
                        found = measure_learner(family.learner, epsilon, margin, level)
                        yield place | {"what": "learner", "n": found}
                        yield place | {"what": "any learner", "n": bound_any_learner(level, margin, epsilon)}


if __name__ == "__main__":
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ["statement", "level", "margin", "epsilon", "what", "n"], lineterminator="\n")
        table.writeheader()
        for line in compute_lines():
            table.writerow(line)
            file.flush()
