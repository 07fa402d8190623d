"""What a trial of every claim of this package costs, as measured: what the plan of a run rests on.

`python -m lemmata.experiments.engine.running.costs STORE [TIMES]` renews the table from the chunks of one undisturbed
run of the quick profile, on a machine that takes so many TIMES as long as the one that the table speaks of. A claim
that is not in the table costs what it says itself (`cost=`), and all factors of its control.
"""

import functools
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.experiments.engine.claims import copies
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim, Setting
from lemmata.experiments.engine.ground.files import write_table
from lemmata.experiments.engine.ground.profiles import EVALUATIONS, SETTINGS, TIMES
from lemmata.experiments.engine.running.cell import SEARCH, ControlRun
from lemmata.experiments.engine.search import search

SEARCH_SECONDS = {"quick": 0.4, "full": 3.0, "deep": 3.0}  # that these of a row of our papers may take, by its price
BESIDE_PROOF = 2 * copies.ENOUGH  # settings of a row that is not searched: they tell whether its sides are one formula
CHEAP = 0.05  # core-seconds of a check of which its author says nothing else
TABLE, DEEP = (Path(__file__).with_name(name) for name in ("costs.csv", "deep.csv"))
DEEP_HEAD = ("group", "computed", "draws", "ratio", "error")  # written by `tools.deep_costs`


class Cost(NamedTuple):
    """CPU seconds a trial, an exact check being one; how many factors of the control were tried; and what `EVALUATIONS`
    of the check took in a search, 0 where none was measured."""

    trial: float
    factors: int
    search: float = 0.0


HEAD = ("key", *Cost._fields)


@functools.cache
def read_costs() -> dict[str, Cost]:
    """{key: its cost}."""
    table = read_table(TABLE, HEAD)
    return {line["key"]: Cost(float(line["trial"]), int(line["factors"]), float(line["search"])) for line in table}


@functools.cache
def read_deep_ratios() -> dict[str, float]:
    """{a claim, or a kind of claims: what its cells of a deep run take, beside what their caps allow}, as measured."""
    return {line["group"]: float(line["ratio"]) for line in read_table(DEEP, DEEP_HEAD)}


def deep_share(claim: Claim, profile: str) -> float:
    """The part of what its caps allow that a claim takes in a profile: all, but of a deep run as it was measured."""
    known = read_deep_ratios() if profile == "deep" and claim.key in read_costs() else {}
    return known.get(claim.key, known.get(claim.style, 1.0))


def search_evaluations(claim: Claim, profile: str) -> int:
    """Settings that a search of a claim tries; 0 for a claim that is no oracle, that is to fall, or that costs much."""
    if claim.severity or claim.is_slip or not search.is_searchable(claim):
        return 0
    known = read_costs().get(claim.key)
    if claim.style != "exact":
        spent = known.trial * claim.chunk(**claim.quick[0]) * SETTINGS if known else 0.0
        return 0 if spent > SEARCH_SECONDS[profile] else TIMES[profile] * SETTINGS
    if known is not None and (known.search or known.trial * EVALUATIONS) > SEARCH_SECONDS[profile]:
        beside = int(SEARCH_SECONDS[profile] / known.trial)  # a proof, which is no search of its own
        return max(1, min(BESIDE_PROOF, beside)) if claim.steps else 0
    if known is None and claim.cost < CHEAP:  # its author has said so, and a search takes no longer than that
        return max(1, min(TIMES[profile] * EVALUATIONS, int(SEARCH_SECONDS[profile] / claim.cost)))
    return TIMES[profile] * EVALUATIONS


def plan_cell(claim: Claim, setting: Setting, times: int = 1) -> float:
    """Planned core-seconds of one cell at its cap, or at so many `times` its cap."""
    trial = read_costs()[claim.key].trial if claim.key in read_costs() else claim.cost
    if claim.style == "exact":
        return trial
    return times * claim.cap * claim.chunk(**setting or claim.quick[0]) * trial  # a search of trials has no setting


def planned_settings(claim: Claim, profile: str) -> list[Setting]:
    """The settings that a profile runs at most, and the control's, once for each factor that is tried."""
    every = all_settings(claim, profile)
    admissible = len(every) - len(_controls(claim))
    return every[: admissible + read_costs()[claim.key].factors] if claim.key in read_costs() else every


def all_settings(claim: Claim, profile: str) -> list[Setting]:
    """The same with every factor of the control."""
    return [s for s in claim.settings(profile) if not claim.theorem.skipped(s)] + _controls(claim)


def _controls(claim: Claim) -> list[Setting]:
    setting = ControlRun(claim).setting
    return [setting] * len(claim.control.factors) if claim.control is not None and setting is not None else []


def stated_seconds(claim: Claim, found: Iterable[Setting]) -> float:
    """Core-seconds at these settings as the claim itself says, whatever was measured: an order that stays as it is."""
    return sum(claim.cost if claim.style == "exact" else claim.cap * claim.chunk(**s) * claim.cost for s in found)


def measure_costs(store: str, times: float = 1.0) -> Iterator[tuple[str, str, int, str]]:
    """A line of every claim that has chunks in a store of one run; what was not searched there keeps its price."""
    from lemmata.experiments.engine.claims import registry
    from lemmata.experiments.engine.running.store import Store

    registry.load()
    for key, own in Store(store, reading=True).chunks().groupby("key"):
        if (claim := CLAIMS.get(str(key))) is None:
            continue
        searched = own["stream"] == SEARCH
        checked, tried = own[~searched], own["stream"][~searched & (own["stream"] != "main")].nunique()
        trials = len(checked) if claim.style == "exact" else int(checked["size"].sum())
        tries = own[searched & (own["size"] > BESIDE_PROOF)]  # else it is a proof and little more
        search = tries["cpu_seconds"].sum() * EVALUATIONS / max(tries["size"].sum(), 1) / times
        search = search or read_costs().get(claim.key, Cost(0, 0)).search
        yield claim.key, f"{checked['cpu_seconds'].sum() / trials / times:.3g}", tried, f"{search:.3g}"


if __name__ == "__main__":
    write_table(TABLE, HEAD, sorted(measure_costs(sys.argv[1], *map(float, sys.argv[2:]))))
