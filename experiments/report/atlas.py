"""When bounds speak: what the page shows of the committed table, which `python -m experiments.atlas` computes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from importlib import resources
from itertools import product
from typing import NamedTuple

import numpy as np

EPSILONS = 0.25, 0.5, 1.0, 2.0, 4.0, 8.0
MARGINS = 1.0, 0.5, 0.2, 0.1, 0.05
LEVELS = 1.0, 0.1
DELTA, BETA = 1e-5, 0.1


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
                (m, [{w: rough(at(w, m, e)) for w in ("explicit", order, "learner", "any learner")} for e in EPSILONS])
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
                    "room": typical(
                        at("learner", *c) and at("any learner", *c) and at("learner", *c) / at("any learner", *c)
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
