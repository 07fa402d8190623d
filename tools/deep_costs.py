"""What the cells of a deep run take, compared with their caps: `python -m lemmata.tools.deep_costs DRAWS`.

A cap prices a cell by its trials at the cost of a trial at the quick settings. Most cells end long before; many are
vacuous by their bound alone; those of the largest sizes take many times as much. So the plan of a deep run is
corrected by measured ratios. A claim with two hundredths of all planned seconds or more has its own ratio, the others
of its kind share one. DRAWS cells of each such group are computed to their verdicts. They are drawn with replacement,
with a probability in proportion to their planned seconds, from the cells that have to be computed. The share of those
cells, times the mean of (CPU seconds taken) / (seconds planned), is an unbiased estimate of the ratio of both sums.
Imports and compilers, which a process pays once, are paid before; a cell is stopped after LIMIT seconds and recorded as
stopped.

Draws are kept in tools/deep_costs.csv as they are made, so the command may be stopped and continues. The ratios are
written to experiments/engine/running/deep.csv.
"""

import functools
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim, Setting
from lemmata.experiments.engine.ground.files import write_table
from lemmata.experiments.engine.ground.profiles import TIMES
from lemmata.experiments.engine.running import costs
from lemmata.experiments.engine.running.cell import Cell
from lemmata.experiments.engine.running.run import compute_chunk
from lemmata.experiments.engine.running.store import Chunk
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT, TEST_ROOT

LIMIT = 300  # CPU seconds
OWN = 0.02  # of all planned seconds, from which on a claim has a ratio of its own
DRAWS = Path(__file__).with_name("deep_costs.csv")
HEAD = ("group", "key", "planned", "seconds", "ended")


class Planned(NamedTuple):
    """A cell of a deep run, or one factor of a control."""

    claim: Claim
    setting: Setting
    factor: float
    seconds: float  # at its cap

    def opened(self) -> Cell:
        return Cell(self.claim, self.setting, self.factor, TIMES["deep"])


class Group(NamedTuple):
    """Cells that share a ratio: those that have to be computed, and what part of the planned seconds they are."""

    name: str
    kind: str
    cells: list[Planned]
    live: float
    seconds: float  # planned for all of them

    def drawn(self) -> Iterator[Planned]:
        """Cells without end, drawn in proportion to their planned seconds."""
        rng = np.random.default_rng([TEST_ROOT, *self.name.encode()])
        weights = np.array([cell.seconds for cell in self.cells])
        while self.cells:
            yield self.cells[rng.choice(len(self.cells), p=weights / weights.sum())]


def cells(claim: Claim) -> Iterator[Planned]:
    """All that the plan of a deep run counts."""
    own = sum(not claim.theorem.skipped(setting) for setting in claim.settings("deep"))
    for number, setting in enumerate(costs.planned_settings(claim, "deep")):
        factor = claim.control.factors[number - own] if claim.control and number >= own else 1.0
        yield Planned(claim, setting, factor, costs.plan_cell(claim, setting, TIMES["deep"]))


def groups(claims: Iterable[Claim]) -> list[Group]:
    """Every cell of a deep run in its group."""
    found = {claim.key: list(cells(claim)) for claim in claims}
    each = {key: sum(cell.seconds for cell in own) for key, own in found.items()}
    named: dict[tuple[str, str], list[Planned]] = {}
    for key, own in found.items():
        kind = CLAIMS[key].style
        alone = each[key] >= OWN * sum(each.values())
        named.setdefault((key if alone else kind, kind), []).extend(own)
    made = []
    for (name, kind), own in named.items():
        live = [cell for cell in own if cell.opened().verdict is None]
        seconds = sum(cell.seconds for cell in own)
        made.append(Group(name, kind, live, sum(cell.seconds for cell in live) / seconds, seconds))
    return made


def chunk(cell: Cell) -> Chunk | str:
    """The next one of a cell."""
    return compute_chunk(cell.claim.key, cell.setting, cell.stream, cell.folded, LEDGER_ROOT, cell.factor, cell.size)


@functools.cache
def warmed(key: str) -> None:
    """One chunk of a claim, at the first of its settings."""
    claim = CLAIMS[key]
    chunk(Cell(claim, next(s for s in claim.quick + claim.full if not claim.theorem.skipped(s)), 1.0))


def taken(planned: Planned) -> tuple[float, str]:
    """CPU seconds of a cell, its opening included, and how it ended."""
    warmed(planned.claim.key)
    begun = time.process_time()
    cell = planned.opened()
    while cell.verdict is None and time.process_time() - begun < LIMIT:
        result = chunk(cell)
        cell.add(result) if isinstance(result, Chunk) else cell.fail(result, final=True)
    how = f"{cell.verdict.outcome} {cell.verdict.reason}".strip() if cell.verdict else "stopped"
    return time.process_time() - begun, how


class Ratio(NamedTuple):
    """Of a group: seconds taken over seconds at the caps, as the draws say, and the standard error of that."""

    group: Group
    draws: int
    ratio: float
    error: float


def ratios(found: Iterable[Group], draws: int) -> Iterator[Ratio]:
    """Compute that many cells of every group, the groups in turn, but those that were kept."""
    kept = [tuple(line.values()) for line in read_table(DRAWS, HEAD)]
    waiting = {group.name: (group, group.drawn()) for group in found if group.cells}
    for turn in range(draws):
        for group, drawn in waiting.values():
            cell = next(drawn)
            if sum(line[0] == group.name for line in kept) > turn:
                continue
            spent, how = taken(cell)
            kept.append((group.name, cell.claim.key, f"{cell.seconds:.4g}", f"{spent:.4g}", how))
            print(*kept[-1], sep="  ", flush=True)
            write_table(DRAWS, HEAD, kept)
    for group in found:
        each = [float(line[3]) / float(line[2]) for line in kept if line[0] == group.name][:draws]
        off = np.std(each, ddof=1) / len(each) ** 0.5 if len(each) > 1 else 0.0
        yield Ratio(group, len(each), group.live * float(np.mean(each or [0.0])), group.live * off)


def main(draws: int) -> None:
    """Write the table of ratios, and print what a deep run takes of each kind of claims."""
    registry.load()
    measured = list(ratios(groups(CLAIMS.values()), draws))
    lines = [(r.group.name, f"{r.group.live:.3g}", r.draws, f"{r.ratio:.3g}", f"{r.error:.2g}") for r in measured]
    write_table(costs.DEEP, costs.DEEP_HEAD, sorted(lines))
    for kind in dict.fromkeys(r.group.kind for r in measured):
        mine = [r for r in measured if r.group.kind == kind]
        took = sum(r.group.seconds * r.ratio for r in mine)
        off = sum((r.group.seconds * r.error) ** 2 for r in mine) ** 0.5
        print(f"{kind}: {took:,.0f} ± {off:,.0f} s taken; {sum(r.draws for r in mine)} draws")


if __name__ == "__main__":
    main(int(sys.argv[1]))
