"""When bounds speak: the smallest n at which each main theorem promises anything, over ε and the margin.

Printed orders are taken with the hidden constant 1: less than what any proof gives. Explicit bounds are ours. Beside
them stands what the learner does: the smallest n at which its mean error on the hardest data we know, of that margin,
is below the level. `python -m experiments.atlas` computes it all and writes report/atlas.csv.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import resources
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bounds.theorem import THEOREMS

TABLE = Path(__file__).parent / "report" / "atlas.csv"
EPSILONS = 0.25, 0.5, 1.0, 2.0, 4.0, 8.0
MARGINS = 1.0, 0.5, 0.2, 0.1, 0.05
LEVELS = 1.0, 0.1
DELTA, BETA = 1e-5, 0.1
LARGEST = 2**60  # more records than anybody has
RUNS, MOST_RECORDS, DIMENSION = 8, 4096, 50


class Family(NamedTuple):
    """One theorem: which rows state it, as an order and with constants, and what they take."""

    statement: str
    of_what: str
    rows: dict[str, str]  # {"printed" | "corrected" | "explicit": key}
    arguments: Callable[[int, float, float], dict]
    learner: str = ""


def adaptive(n: int, epsilon: float, margin: float) -> dict:
    """Algorithm 3 on records of norm 1 without outliers."""
    return {"n": n, "epsilon": epsilon, "gamma": margin, "outliers": 0, "delta": DELTA}


def pure(m: int, epsilon: float, margin: float) -> dict:
    """Algorithm 1 of bms22, on records and comparators of norm 1 without margin loss."""
    return {"m": m, "epsilon": epsilon, "rho": margin, "beta": BETA, "norm_bound": 1, "radius": 1, "margin_loss": 0}


FAMILIES = (
    Family(
        "wzw25.thm4.1",
        "error on the data, with probability 1 − 3/n²",
        {"corrected": "wzw25.thm4.1/corrected/empirical", "explicit": "wzw25.thm4.1/explicit/empirical"},
        adaptive,
        "adaptive_margin",
    ),
    Family(
        "wzw25.thm6.5",
        "expected error on the data",
        {"corrected": "wzw25.thm6.5/corrected/expectation", "explicit": "wzw25.thm6.5/explicit/off-grid"},
        adaptive,
        "adaptive_margin",
    ),
    Family(
        "wzw25.thm6.7",
        "population risk, with high probability",
        {"corrected": "wzw25.thm6.7/corrected/population", "explicit": "wzw25.thm6.7/explicit/population"},
        adaptive,
    ),
    Family(
        "bms22.thm3.1",
        "population risk under pure privacy, with probability 0.9",
        {name: f"bms22.thm3.1/{name}/tail" for name in ("printed", "corrected", "explicit")},
        pure,
    ),
)


def speaks_from(value: Callable[[int], float], level: float) -> int | None:
    """From which n on value(n) < level, up to 2%; None where it is not so below `LARGEST`.

    Bounds that round the margin down to a grid jump up just above the powers of two: n counts as the first only when
    the bound stays below the level over the three octaves that follow, at 40 sizes of each and at every 2^j + 1.

    >>> speaks_from(lambda n: 100 / n, 0.5)
    201
    """
    first, start = None, next((j for j in range(2, LARGEST.bit_length()) if value(2**j) < level), LARGEST.bit_length())
    for n in (n for n in ladder() if n > 2 ** (start - 1)):
        if not value(n) < level:
            first = None
        elif first is None:
            first = n
        elif n > 8 * first:
            return first
    return None


@cache
def ladder() -> list[int]:
    """Sizes from 2 to `LARGEST`: 40 an octave, and the numbers next above the powers of two."""
    octaves = LARGEST.bit_length()
    steps = {round(2 ** (j / 40)) for j in range(40, 40 * octaves)}
    return sorted(steps | {2**j + 1 for j in range(1, octaves)})


@cache
def learnt_from(learner: str, epsilon: float, margin: float, level: float) -> int | None:
    """The smallest power of two n at which its mean error on planted data over `RUNS` runs is below `level`."""
    from experiments.instances.planted import planted
    from mechanisms import adaptive_margin

    fit = {"adaptive_margin": adaptive_margin.fit}[learner]
    for n in (2**j for j in range(2, MOST_RECORDS.bit_length())):
        Z = planted(n, DIMENSION, margin, 0)
        models = (fit(Z, np.ones(n), epsilon=epsilon, delta=DELTA, rng=np.random.default_rng(i)) for i in range(RUNS))
        if np.mean([(Z @ model.weights <= 0).mean() for model in models]) < level:
            return n
    return None


def bound_at(family: Family, reading: str, epsilon: float, margin: float, level: float) -> int | None:
    """From which n a reading of a theorem is below `level`; the statement's own function, under its hypotheses."""
    theorem = THEOREMS[family.rows[reading]]

    def value(n: int) -> float:
        given = family.arguments(n, epsilon, margin)
        return float("inf") if theorem.skipped(given) else float(theorem.formula(**given))

    return speaks_from(value, level)


def computed(measure: bool = True) -> Iterator[dict]:
    """The lines of the table."""
    from experiments.engine import registry

    registry.load()
    for family in FAMILIES:
        for level in LEVELS:
            for margin in MARGINS:
                for epsilon in EPSILONS:
                    place = {"statement": family.statement, "level": level, "margin": margin, "epsilon": epsilon}
                    for reading in family.rows:
                        yield place | {"what": reading, "n": bound_at(family, reading, epsilon, margin, level)}
                    if measure and family.learner and level < 1:
                        found = learnt_from(family.learner, epsilon, margin, level)
                        yield place | {"what": "learner", "n": found}


def committed() -> list[dict]:
    """The lines of the committed table, numbers as numbers."""
    text = (resources.files("experiments.report") / "atlas.csv").read_text(encoding="utf-8")
    lines = csv.DictReader(text.splitlines())
    numbers = ("level", "margin", "epsilon")
    return [
        line | {name: float(line[name]) for name in numbers} | {"n": int(line["n"]) if line["n"] else None}
        for line in lines
    ]


def shown() -> list[dict]:
    """What the page shows: a family at a level is a table, and what its proof leaves open."""
    table = {(r["statement"], r["level"], r["margin"], r["epsilon"], r["what"]): r["n"] for r in committed()}
    views = []
    for family in FAMILIES:
        order = "printed" if "printed" in family.rows else "corrected"
        for level in LEVELS:

            def at(what, margin, epsilon, place=(family.statement, level)):
                return table.get((*place, margin, epsilon, what))

            cells = list(product(MARGINS, EPSILONS))
            rows = [
                (m, [{w: rough(at(w, m, e)) for w in ("explicit", order, "learner")} for e in EPSILONS])
                for m in MARGINS
            ]
            views.append(
                {
                    "statement": family.statement,
                    "of_what": family.of_what,
                    "level": level,
                    "order": order,
                    "learns": bool(family.learner) and level < 1,
                    "rows": rows,
                    "constants": typical(
                        at("explicit", *c) and at(order, *c) and at("explicit", *c) / at(order, *c) for c in cells
                    ),
                    "proof": typical(
                        at("explicit", *c) and at("learner", *c) and at("explicit", *c) / at("learner", *c)
                        for c in cells
                    ),
                }
            )
    return views


def typical(ratios: Iterable[float | None]) -> str:
    """The median of the ratios that there are, roughly."""
    known = [ratio for ratio in ratios if ratio]
    return rough(round(float(np.median(known)))) if known else ""


def rough(n: int | None) -> str:
    """A number as a person reads it: `512`, `3.4 · 10⁷`; a dash where the bound never speaks, or was not looked for.

    >>> rough(9999), rough(34_000_000), rough(None)
    ('9,999', '3.4 · 10⁷', '–')
    """
    if n is None:
        return "–"
    if n < 10_000:
        return f"{n:,}"
    digits, power = f"{n:.1e}".split("e+")
    return f"{digits} · 10{str(int(power)).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


if __name__ == "__main__":
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ["statement", "level", "margin", "epsilon", "what", "n"], lineterminator="\n")
        table.writeheader()
        for line in computed():
            table.writerow(line)
            file.flush()
