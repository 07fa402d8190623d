"""What the cells of a deep run take beside what was planned: `python -m lemmata.tools.speed.planned [CELLS]`.

Of each kind of claim cells are drawn with replacement, a cell with a probability proportional to its planned seconds,
so that the mean of (CPU seconds taken) / (seconds planned) is an unbiased estimate of the kind's sum of the one over
its sum of the other. The kinds' means, weighted by their planned seconds, make that of all. What a process pays once,
imports and compilers, is paid before by one chunk of the claim; a cell is stopped after LIMIT seconds, and said to be.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lemmata.experiments.engine import costs, registry
from lemmata.experiments.engine.cell import Cell
from lemmata.experiments.engine.claim import CLAIMS, Claim, Setting
from lemmata.experiments.engine.profiles import TIMES
from lemmata.experiments.engine.run import compute
from lemmata.experiments.engine.store import Chunk
from lemmata.mechanisms.streams import LEDGER_ROOT, TEST_ROOT

LIMIT = 300  # CPU seconds


class Planned(NamedTuple):
    """A cell of a deep run, or one factor of a control."""

    claim: Claim
    setting: Setting
    factor: float
    seconds: float


def cells(claim: Claim) -> Iterator[Planned]:
    """All that the plan of a deep run counts."""
    own = sum(not claim.theorem.skipped(setting) for setting in claim.settings("deep"))
    for number, setting in enumerate(costs.planned(claim, "deep")):
        factor = claim.control.factors[number - own] if claim.control and number >= own else 1.0
        yield Planned(claim, setting, factor, costs.of_cell(claim, setting, TIMES["deep"]))


def chunk(cell: Cell) -> Chunk | str:
    """The next one of a cell."""
    return compute(cell.claim.key, cell.setting, cell.stream, cell.folded, LEDGER_ROOT, cell.factor, cell.size)


def taken(planned: Planned) -> tuple[float, str]:
    """CPU seconds of a cell, its opening included, and how it ended."""
    claim, setting, factor, _ = planned
    chunk(Cell(claim, next(s for s in claim.quick + claim.full if not claim.theorem.skipped(s)), 1.0))
    begun = time.process_time()
    cell = Cell(claim, setting, factor, TIMES["deep"])
    while cell.verdict is None and time.process_time() - begun < LIMIT:
        result = chunk(cell)
        cell.add(result) if isinstance(result, Chunk) else cell.fail(result, final=True)
    how = f"{cell.verdict.outcome} {cell.verdict.reason}" if cell.verdict else "stopped"
    return time.process_time() - begun, how


def main(count: int) -> None:
    """Print a line a cell, then one a kind, then the ratio of all with its standard error."""
    registry.load()
    rng, kinds = np.random.default_rng(TEST_ROOT), dict[str, list[Planned]]()
    for claim in CLAIMS.values():
        kinds.setdefault(claim.style, []).extend(cells(claim))
    total = sum(cell.seconds for found in kinds.values() for cell in found)
    whole, error = 0.0, 0.0
    for kind, found in kinds.items():
        seconds = np.array([cell.seconds for cell in found])
        share = seconds.sum() / total
        ratios = []
        for place in rng.choice(len(found), round(count * (1 / len(kinds) + share) / 2), p=seconds / seconds.sum()):
            spent, how = taken(found[place])
            ratios.append(spent / seconds[place])
            print(f"{spent:9.3f} of {seconds[place]:8.3f} s  {found[place].claim.key}  {how}", flush=True)
        off = np.std(ratios, ddof=1) / len(ratios) ** 0.5
        print(f"{kind}: {np.mean(ratios):.2f} ± {off:.2f} of {seconds.sum():.0f} s, {len(ratios)} cells", flush=True)
        whole, error = whole + share * np.mean(ratios), np.hypot(error, share * off)
    print(f"all: {whole:.2f} ± {error:.2f} of {total:.0f} s")


if __name__ == "__main__":
    main(int(*sys.argv[1:]) if sys.argv[1:] else 60)
