"""Trials at settings of the engine's own choice: all are looked at on one stream, and the worst is judged on another.

Who looks at many settings and stops at the worst has chosen it, so the trials that chose it are no evidence. A fresh
stream at one setting costs no share of the error.
"""

import inspect
import math
import textwrap
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from lemmata.bounds.statement.hypotheses import Domain
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.engine.claims.claim import Claim, Decider, Setting
from lemmata.experiments.engine.claims.verdict import Verdict, conclude, holds, refuted
from lemmata.experiments.engine.ground.deadline import cpu_seconds
from lemmata.experiments.engine.search import points
from lemmata.experiments.engine.search.domains import find_domains
from lemmata.experiments.engine.search.loops import is_number

FURTHER = 4  # times the largest of its author's whole numbers is as far as a search goes, since trials take long there
REJECTED = 30  # times as many settings may be drawn outside the hypotheses, or where the bound is vacuous
CLIMBS, WORST = 0.3, 3  # share of the settings that are moved from one of so many of the worst
PATIENCE = 4  # chunks that take too long or raise, after which a search is given up
ENDS = 10.0  # CPU seconds of the looks, and of the fresh trials, at most


def find_coordinates(claim: Claim) -> Mapping[str, Domain]:
    """The numbers that are tried for each argument of trials; nothing unless the hypotheses name all of them."""
    known = find_domains(claim.theorem.needs)
    found = {}
    for name in sorted(claim.quick[0]):
        values = [setting[name] for setting in claim.quick + claim.full]
        if name not in known or not all(map(is_number, values)):
            return {}
        end = claim.reach.get(name, FURTHER * max(values) if known[name].whole else math.inf)
        found[name] = known[name].meet(Domain(high=end))
    return found


def is_searchable(claim: Claim) -> bool:
    """Whether trials may be tried elsewhere: what the hypotheses do not name holds with its author's choice only."""
    return claim.style in ("tail", "mean") and not claim.law and bool(claim.quick[0] and find_coordinates(claim))


def run_trials(claim: Claim, setting: Setting, rng: np.random.Generator, decider: Decider) -> None:
    """Fold one chunk of trials."""
    with points.guard_evaluation():
        decider.add(decider.pack(claim.trial(rng, claim.chunk(**setting), **claim.arguments(setting, 1))))


def search_trials(claim: Claim, rng: np.random.Generator, settings: int) -> Verdict:
    """Trials at so many settings: REFUTED at the worst of them, or HOLDS with what was tried in `searched`."""
    look, judge = rng.spawn(2)
    domains, began, drawn, counts = find_coordinates(claim), cpu_seconds(), 0, Counter(raised=0)
    seen: list[tuple[float, Setting, Decider]] = []
    while len(seen) < settings and drawn < REJECTED * settings and counts["raised"] < PATIENCE:
        drawn += 1
        climbs = len(seen) > (1 - CLIMBS) * settings
        start = seen[int(look.integers(WORST))][1] if climbs else None
        setting = points.move(start, domains, {}, look) if start else points.draw_setting(domains, {}, look)
        setting = {name: setting[name] for name in claim.quick[0]}  # whose order is kept: values go by it
        try:
            if claim.theorem.skipped(setting) or claim.why_vacuous(setting) or not (decider := claim.decider(setting)):
                continue
            run_trials(claim, setting, look, decider)
            seen.append((decider.log_e()[1], setting, decider))
            seen.sort(key=lambda one: -one[0])
        except (Exception, SystemExit):  # of trials that were written for their author's settings
            counts["raised"] += 1
        if cpu_seconds() - began > ENDS:
            break
    said: dict[str, Any] = {"decided": len(seen), **counts, "trials": sum(one.trials for *_, one in seen)}
    if not seen:
        return holds("sampled", "settings", searched=said)
    evidence, setting, decider = seen[0]
    return (evidence > 0 and judge_setting(claim, setting, judge)) or holds("sampled", "settings", searched=said)


def judge_setting(claim: Claim, setting: Setting, rng: np.random.Generator) -> Verdict | None:
    """REFUTED by fresh trials at one setting, as many as a run gives it; None if they do not refute."""
    decider, began = claim.decider(setting), cpu_seconds()
    assert decider is not None, f"{claim.key} is decided by trials"
    for _ in range(claim.cap):
        run_trials(claim, setting, rng, decider)
        if conclude(*decider.log_e()) == REFUTED:
            shown = {"setting": setting, "claimed": claim.bound(**setting), "found": decider.found()}
            return refuted("sampled", shown | {"python": write_program(claim, setting, decider)})
        if cpu_seconds() - began > ENDS:
            break
    return None


def write_program(claim: Claim, setting: Setting, decider: Decider) -> str:
    """The program of a counterexample: as many trials again, whose mean is more than halfway beyond the bound."""
    if claim.python:
        return claim.python(**setting)
    check, formula = inspect.unwrap(claim.trial), inspect.unwrap(claim.theorem.formula)
    ratio = decider.tightness() or (1, 1)
    return textwrap.dedent(f"""\
        import numpy as np
        from {points.bare_module(claim, check)} import {check.__name__}
        from {points.bare_module(claim, formula)} import {formula.__name__}
        from lemmata.experiments.engine.claims.claim import CLAIMS
        setting, seeds = {setting!r}, range({max(1, decider.trials // claim.chunk(**setting))})
        size, bound = {claim.chunk(**setting)}, CLAIMS[{claim.key!r}].bound(**setting)
        outcomes = [{check.__name__}(np.random.default_rng(seed), size, **setting) for seed in seeds]
        assert np.mean(outcomes) > {(1 + (sum(ratio) / 2 - 1) / 2):.6g} * bound
        """)
