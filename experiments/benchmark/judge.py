"""Whether a program is a counterexample of a record: run apart, tried with other right sides, and judged by us.

Of a statement about numbers the program sets its variables, assigns `right`, and ends in an assertion. It has to pass,
and to fail by an assertion once `right` is infinite, and once it is beyond the left side by a factor of 2. Then balls
decide at the setting that it leaves behind. Of any other row, the row's own check decides at that setting.
"""

import functools
from typing import Any

import numpy as np

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.benchmark.records import Record, read_inequality
from lemmata.experiments.benchmark.sandbox import change_right, find_setting, run_program
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.search.points import open_check
from lemmata.experiments.engine.search.search import Search, is_searchable

LONGEST = 20_000  # characters of a program that is read
PAST = {"<=": ("float('inf')", "right + 2*abs(left - right)"), "=": ("left",)}  # right sides that are not exceeded


def find_fault(record: Record, program: Any) -> str:
    """What is wrong with a program as a counterexample of a record; "" if it is one."""
    if not isinstance(program, str) or not 0 < len(program) <= LONGEST:
        return f"a witness must be a program of at most {LONGEST:,} characters"
    if record["truth"] not in ("false", "edge"):
        return "the statement is true"
    if record["inequality"] is None:
        return find_fault_of_row(record, program)
    made = read_inequality(record)
    ran, setting = find_setting(program, made.names)
    if ran.status != 0:
        return f"it ends with status {ran.status}: {ran.error}"
    for change in PAST[made.relation]:
        changed = change_right(program, change)
        if changed is None:
            return "it must assign the right side of the statement to `right`"
        if not (ran := run_program(changed)).asserted:
            return f"it must fail by an assertion if right is {change}, but ends with {ran.error or 'status 0'}"
    if setting is None:
        return f"it must leave its setting in {', '.join(made.names)}"
    return "" if made.fails_at(setting) else "the statement is not false at its setting, or is not about it"


def find_fault_of_row(record: Record, program: str) -> str:
    """The same of a row that is not a statement about numbers alone: its own check is asked at the setting."""
    search = open_search(record["row"])
    if search is None:
        return "no check of this row takes a setting; its witnesses are not judged"
    ran, found = find_setting(program, sorted(search.domains))
    if ran.status != 0:
        return f"it ends with status {ran.status}: {ran.error}"
    if found is None:
        return f"it must leave its setting in {', '.join(sorted(search.domains))}"
    numbers = {name: int(text) if "/" not in text else _float(text) for name, text in found.items()}
    setting = search.oracle.named[0] | numbers
    if not search.admits(setting):
        return "its setting is outside the hypotheses"
    verdict, ratio = search.judge(setting)
    fails = verdict is not None and verdict.outcome == REFUTED and search.is_failure(setting, verdict, ratio)
    return "" if fails else "the row's own check does not refute the statement at its setting"


def _float(text: str) -> float:
    above, _, below = text.partition("/")
    return int(above) / int(below)


@functools.cache
def open_search(key: str) -> Search | None:
    """The check of a row as a function of settings; None where it is not one."""
    try:
        claim = registry.find(key)
    except ValueError:  # of records that somebody else has made
        return None
    if claim is None or not is_searchable(claim):
        return None
    search = Search(claim, np.random.default_rng(0), open_check(claim))
    return search if search.domains else None
