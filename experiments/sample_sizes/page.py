"""When bounds speak: what the page shows of the table that `python -m lemmata.experiments.sample_sizes.table` makes."""

import csv
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from itertools import product
from typing import NamedTuple

import numpy as np

from lemmata.bounds.wzw25.noisy_gd import printed_steps
from lemmata.mechanisms.privacy import gaussian_mu

EPSILONS = 0.25, 0.5, 1.0, 2.0, 4.0, 8.0
MARGINS = 1.0, 0.5, 0.2, 0.1, 0.05
LEVELS = 1.0, 0.1
DELTA, BETA = 1e-5, 0.1


class Family(NamedTuple):
    """One theorem: which rows state it, as an order and with constants, what they take, and what others have."""

    statement: str
    of_what: str
    rows: dict[str, tuple[str, Callable[[int, float, float], dict]]]  # {reading or KNOWN: (key, its arguments)}
    literature: str  # of the smallest bound that we know for the same promise
    learner: str = ""


KNOWN = "known margin"  # the line for a learner that is told the margin


def fill_adaptive(n: int, epsilon: float, margin: float) -> dict:
    """Algorithm 3 on records of norm 1 without outliers."""
    return {"n": n, "epsilon": epsilon, "gamma": margin, "outliers": 0, "delta": DELTA}


def fill_pure(m: int, epsilon: float, margin: float) -> dict:
    """Algorithm 1 of bms22, on records and comparators of norm 1 without margin loss."""
    return {"m": m, "epsilon": epsilon, "rho": margin, "beta": BETA, "norm_bound": 1, "radius": 1, "margin_loss": 0}


def fill_known_margin(beta: Callable[[int], float]) -> Callable[[int, float, float], dict]:
    """Algorithm 1 on the same records, told their margin: all of the budget in one run, which fails with beta(n)."""

    def arguments(n: int, epsilon: float, margin: float) -> dict:
        return {"n": n, "mu": gaussian_mu(epsilon, DELTA), "gamma": margin, "outliers": 0, "beta": beta(n)}

    return arguments


def fill_one_run(n: int, epsilon: float, margin: float) -> dict:
    """The same, with the printed number of steps."""
    given = fill_known_margin(lambda n: 1 / n)(n, epsilon, margin)
    return given | {"steps": printed_steps(n, given["mu"])}


NGUYEN = (
    "A learner that knows the margin, as in Nguyen, Ullman & Zakynthinou (2020), projects and descends once. Their "
    "abstract has an order without constants; the constants here are ours, from "
)
FAMILIES = (
    Family(
        "wzw25.thm4.1",
        "error on the data, with probability 1 − 3/n²",
        {
            "corrected": ("wzw25.thm4.1/corrected/empirical", fill_adaptive),
            "explicit": ("wzw25.thm4.1/explicit/empirical", fill_adaptive),
            KNOWN: ("wzw25.lem6.3/explicit/closed", fill_known_margin(lambda n: 1.5 / n**2)),
        },
        NGUYEN + "Lemma 6.3 with the same failure probability.",
        "adaptive_margin",
    ),
    Family(
        "wzw25.thm6.5",
        "expected error on the data",
        {
            "corrected": ("wzw25.thm6.5/corrected/expectation", fill_adaptive),
            "explicit": ("wzw25.thm6.5/explicit/off-grid", fill_adaptive),
            KNOWN: ("wzw25.lemD.1/explicit/error", fill_one_run),
        },
        NGUYEN + "Lemma D.1 with β = 1/n.",
        "adaptive_margin",
    ),
    Family(
        "wzw25.thm6.7",
        "population risk, with high probability",
        {name: (f"wzw25.thm6.7/{name}/population", fill_adaptive) for name in ("corrected", "explicit")},
        "Larsen & Schalburg (2025) have a smaller margin bound for the step from the data to the population, which "
        "matches the order of the lower bound. We read only its abstract, which gives no constant, so the table has no "
        "line for it.",
    ),
    Family(
        "bms22.thm3.1",
        "population risk under pure privacy, with probability 0.9",
        {name: (f"bms22.thm3.1/{name}/tail", fill_pure) for name in ("printed", "corrected", "explicit")},
        "This learner knows the margin. Nguyen, Ullman & Zakynthinou (2020) have the same order for separable "
        "records. We read only their abstract, which gives no constants.",
    ),
)


def read_table() -> list[dict]:
    """The lines of the committed table, numbers as numbers."""
    text = (resources.files(__package__) / "table.csv").read_text(encoding="utf-8")
    lines = csv.DictReader(text.splitlines())
    numbers = ("level", "margin", "epsilon")
    return [
        line | {name: float(line[name]) for name in numbers} | {"n": int(line["n"]) if line["n"] else None}
        for line in lines
    ]


def describe_families() -> list[dict]:
    """What the page shows: a family at a level is a table, and what its proof leaves open."""
    table = {(r["statement"], r["level"], r["what"], r["margin"], r["epsilon"]): r["n"] for r in read_table()}
    views = []
    for family in FAMILIES:
        order = "printed" if "printed" in family.rows else "corrected"
        for level in LEVELS:
            at = {place[2:]: n for place, n in table.items() if place[:2] == (family.statement, level)}
            learns = bool(family.learner) and level < 1
            lines = [("proved", "explicit")]
            lines += [("known", KNOWN)] if KNOWN in family.rows else []
            lines += [("order", order)] + ([("found", "learner"), ("lower", "any learner")] if learns else [])
            rows = [
                (m, [{what: round_size(at.get((what, m, e))) for _, what in lines} for e in EPSILONS]) for m in MARGINS
            ]
            views.append(
                {
                    "statement": family.statement,
                    "of_what": family.of_what,
                    "level": level,
                    "order": order,
                    "lines": lines,
                    "learns": learns,
                    "known": family.rows.get(KNOWN, ("",))[0].partition("/")[0],
                    "literature": family.literature,
                    "price": compare_sizes(at, "explicit", KNOWN),
                    "rows": rows,
                    "constants": compare_sizes(at, "explicit", order),
                    "proof": compare_sizes(at, "explicit", "learner"),
                    "room": compare_sizes(at, "learner", "any learner"),
                }
            )
    return views


def compare_sizes(at: Mapping[tuple[str, float, float], int | None], more: str, fewer: str) -> str:
    """How many times as many records `more` needs as `fewer`, typically, where both numbers are there."""
    pairs = ((at.get((more, *place)), at.get((fewer, *place))) for place in product(MARGINS, EPSILONS))
    return round_median(a / b for a, b in pairs if a and b)


def round_median(ratios: Iterable[float | None]) -> str:
    """The median of the ratios that there are, roughly."""
    known = [ratio for ratio in ratios if ratio]
    return round_size(round(float(np.median(known)))) if known else ""


def round_size(n: int | None) -> str:
    """A number as a person reads it: `512`, `3.4 · 10⁷`; a dash where the bound never speaks, or was not looked for.

    >>> round_size(9999), round_size(34_000_000), round_size(None)
    ('9,999', '3.4 · 10⁷', '–')
    """
    if n is None:
        return "–"
    if n < 10_000:
        return f"{n:,}"
    digits, power = f"{n:.1e}".split("e+")
    return f"{digits} · 10{str(int(power)).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
