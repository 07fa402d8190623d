"""What a run says against the published ledger: a verdict that is another one now, is lost, or has lost its row.

The published ledger comes from a full run. A smaller run tries fewer settings, so it may miss the one that refuted a
statement, or find nothing but vacuous ones; an interrupted one has fewer trials. What a smaller run alone explains is
no contradiction.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, OPEN, REFUTED, SLIP, VACUOUS
from lemmata.experiments.engine.ledger.row import Row

SIDES = {HOLDS: 1, VACUOUS: 1, SLIP: -1, REFUTED: -1}  # for a statement or against it; the other verdicts are neither
FEW_TRIALS = ("BUDGET", "TIGHT")  # reasons that more trials may remove
REFUTED_HERE = ("UNCONFIRMED", "CORNER")  # reasons of a row that has a counterexample in this run


def contradictions(
    rows: Iterable[Row], before: Mapping[str, Row], is_asked: Callable[[Row], bool] = lambda row: False
) -> list[str]:
    """A line for each row of a run that contradicts `before`, the published rows by key.

    `is_asked` says which published rows the run was about: of these none may be missing. Summaries are left out, as
    each part has its own line.
    """
    now = {row["key"]: row for row in rows if row.get("kind") != "summary"}
    lost = {key for key, row in now.items() if key in before and _is_lost(before[key], row)}
    excused = {key for key in lost if _is_smaller_run(before[key], now[key])}
    while further := {key for key in lost - excused if _rests_on_excused(now[key], excused)}:
        excused |= further  # at most once around for each row
    found = [
        f"{key} was {before[key]['verdict']}, is {row['verdict']}"
        + (f" ({row['reason']})" if row.get("reason") else "")
        for key, row in now.items()
        if key in before and (_is_opposite(before[key], row) or key in lost - excused)
    ]
    missing = [row for key, row in before.items() if key not in now and row["verdict"] in SIDES and is_asked(row)]
    return found + [f"{row['key']} was {row['verdict']}, is gone" for row in missing if row["kind"] != "summary"]


def _is_opposite(before: Row, now: Row) -> bool:
    return SIDES.get(before["verdict"], 0) * SIDES.get(now["verdict"], 0) < 0


def _is_lost(before: Row, now: Row) -> bool:
    """Whether a row was decided and is not, or held and is only vacuous now."""
    if before["verdict"] not in SIDES:
        return False
    return now["verdict"] in (INCONCLUSIVE, OPEN) or (before["verdict"], now["verdict"]) == (HOLDS, VACUOUS)


def _is_smaller_run(before: Row, now: Row) -> bool:
    """Whether fewer settings or fewer trials than before can be the whole reason that a verdict is lost."""
    fewer_settings, fewer_trials = (_count(now, what) < _count(before, what) for what in ("cells", "trials"))
    if now["verdict"] == OPEN:  # a claim that waits for its trials, or has no setting in this profile, has its place
        return bool(now["where"])
    if now["reason"] in FEW_TRIALS and fewer_trials:
        return True
    may_be_untried = before["verdict"] in (SLIP, REFUTED) and now["reason"] not in REFUTED_HERE
    return fewer_settings and (now["verdict"] == VACUOUS or may_be_untried)


def _rests_on_excused(row: Row, excused: set[str]) -> bool:
    """Whether a row is undecided only because it rests on one that a smaller run leaves undecided."""
    return row["reason"] in ("UNSUPPORTED", "CORNER") and not excused.isdisjoint(
        {*row["rests_on"], row["corrected_by"]}
    )


def _count(row: Mapping[str, Any], name: str) -> int:
    return row.get(name) or 0  # an older table may lack the column
