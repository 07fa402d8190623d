"""Power against the size of a leak, beside the best attack: `python -m lemmata.experiments.audits.power [AUDITS]`.

An audit of 1,000 releases at level 1e-6, for leaks of one to three times the claim. The oracle knows the mechanism: it
bets from the first release on, what grows fastest in the mean, on the event that is best. `said` is what audits of the
honest mechanism would have caught, as they say.
"""

import sys
from collections.abc import Iterator
from math import log
from pathlib import Path
from statistics import median

import numpy as np

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.audits import operating_curves
from lemmata.experiments.audits.figures import NAMES
from lemmata.experiments.audits.tables import write_lines
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.numerics.streams import generator

TABLE = Path(__file__).with_name("power.csv")
LEAKS = 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0
BUDGET, LEVEL, AUDITS, GAMES = 1_000, 1e-6, 5, 4_000


def measure_auditor(name: str, leak: float, audits: int) -> float:
    """The share of audits that refute the claim 1 of a mechanism that leaks so many times as much."""
    a, b, claim = operating_curves.make_leaking_pair(name, leak)
    found = (audit(a, b, claim, root=root, level=LEVEL, budget=BUDGET).verdict for root in range(audits))
    return sum(verdict == REFUTED for verdict in found) / audits


def measure_oracle(name: str, leak: float) -> float:
    """The share of games that the best bet on the best event wins."""
    _, gains, chances = operating_curves.find_best_bet(name, leak)
    rng = generator(0, f"power.{name}", {"leak": leak}, "main", 0)
    outcomes = rng.choice(3, size=(GAMES, BUDGET), p=chances)
    return float((np.cumsum(gains[outcomes], axis=1).max(axis=1) >= -log(LEVEL)).mean())


def measure_caught(name: str, audits: int) -> float:
    """The smallest leak that audits of the honest mechanism say they would have caught: their median."""
    a, b, claim = operating_curves.make_leaking_pair(name, 1.0)
    results = [audit(a, b, claim, root=1000 + root, level=LEVEL, budget=BUDGET) for root in range(audits)]
    return median(result.smallest_caught or float("inf") for result in results)


def make_lines(audits: int) -> Iterator[dict]:
    """A line a mechanism and leak; the leak that is said to be caught is one of them."""
    for name in NAMES:
        caught = round(measure_caught(name, audits), 3)
        for leak in sorted({*LEAKS, caught}):
            what = "said" if leak == caught else ""
            share = measure_auditor(name, leak, audits)
            best = round(measure_oracle(name, leak), 3)
            line = {"mechanism": name, "leak": leak, "ours": round(share, 3), "oracle": best}
            yield line | {"audits": audits, "what": what}


if __name__ == "__main__":
    write_lines(TABLE, make_lines(int(sys.argv[1]) if len(sys.argv) > 1 else AUDITS))
