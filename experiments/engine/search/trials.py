"""Trials at settings of the engine's own choice: all are looked at on one stream, and the worst is judged on another.

Who looks at many settings and stops at the worst has chosen it, so the trials that chose it are no evidence. A fresh
stream at one setting costs no share of the error.
"""

import inspect
import textwrap

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
REJECTED = 30  # times as many settings may be drawn outside the hypotheses
ENDS = 10.0  # CPU seconds of the fresh trials at most


def find_coordinates(claim: Claim) -> dict[str, Domain]:
    """The arguments of trials that the hypotheses name, with the numbers that are tried for them."""
    known = find_domains(claim.theorem.needs)
    found: dict[str, Domain] = {}
    for name in claim.quick[0].keys() & known.keys():
        values = [setting[name] for setting in claim.quick + claim.full]
        if all(map(is_number, values)):
            end = claim.reach.get(name, FURTHER * max(values) if known[name].whole else np.inf)
            found[name] = known[name].meet(Domain(high=end))
    return dict(sorted(found.items()))


def run_trials(claim: Claim, setting: Setting, rng: np.random.Generator, decider: Decider) -> None:
    """Fold one chunk of trials."""
    outcomes = claim.trial(rng, claim.chunk(**setting), **claim.arguments(setting, 1))
    decider.add(decider.pack(outcomes))


def search_trials(claim: Claim, rng: np.random.Generator, settings: int) -> Verdict:
    """Trials at so many settings: REFUTED at the worst of them, or HOLDS with their number in `searched`.

    How many of them are given up depends on the machine, and is not said.
    """
    draw, look, judge = rng.spawn(3)
    domains = find_coordinates(claim)
    named = [setting for setting in claim.quick if not claim.theorem.skipped(setting)]
    worst, chosen, tried = 0.0, Setting(), 0
    for _ in range(REJECTED * settings if domains and named else 0):
        setting = named[int(draw.integers(len(named)))] | points.draw_setting(domains, draw)
        if tried == settings or claim.theorem.skipped(setting):
            continue
        tried += 1
        try:
            decider = claim.decider(setting)
            assert decider is not None, f"{claim.key} is decided by trials"
            if not claim.why_vacuous(setting):
                with points.guard_evaluation():
                    run_trials(claim, setting, look.spawn(1)[0], decider)
            worst, chosen = max((worst, chosen), (decider.log_e()[1], setting), key=lambda seen: seen[0])
        except (Exception, SystemExit):  # of trials that were written for their author's settings
            continue
    said = {"tried": tried}
    return (chosen and judge_setting(claim, chosen, judge)) or holds("sampled", "settings", searched=said)


def judge_setting(claim: Claim, setting: Setting, rng: np.random.Generator) -> Verdict | None:
    """REFUTED by fresh trials at one setting, as many as a run gives it; None if they do not refute."""
    decider, began = claim.decider(setting), cpu_seconds()
    assert decider is not None, f"{claim.key} is decided by trials"
    for _ in range(claim.cap):
        run_trials(claim, setting, rng, decider)
        if conclude(*decider.log_e()) == REFUTED:
            bound = claim.bound(**setting)
            python = write_program(claim, setting, decider)
            shown = {"setting": setting, "claimed": bound, "found": decider.found(), "python": python}
            return refuted("sampled", shown, tightness=decider.tightness())
        if cpu_seconds() - began > ENDS:
            break
    return None


def write_program(claim: Claim, setting: Setting, decider: Decider) -> str:
    """The program of a counterexample: as many trials again, of which more fail than halfway from the bound."""
    if claim.python:
        return claim.python(**setting)
    check, size = inspect.unwrap(claim.trial), claim.chunk(**setting)
    bound, ratio = float(claim.bound(**setting)), decider.tightness() or (1, 1)
    level = bound * (1 + (sum(ratio) / 2 - 1) / 2)
    return textwrap.dedent(f"""\
        import numpy as np
        from {points.bare_module(claim, check)} import {check.__name__}
        from {points.bare_module(claim, inspect.unwrap(claim.theorem.formula))} import {claim.theorem.formula.__name__}
        seeds = range({max(1, decider.trials // size)})
        outcomes = [{check.__name__}(np.random.default_rng(seed), {size}, **{setting!r}) for seed in seeds]
        assert np.mean(outcomes) > {level:.6g}
        """)
