"""Controls have power, computed: the chance that a sabotage, or a false claim, is not REFUTED at its cap, summed.

A control is missed only if its last factor is. The truth at a factor is not known: a pilot on a stream of its own
tells it, for tails by its 99.9% lower limit, else by its outcomes as they are; Chernoff's bound does the rest.
Controls of which that bound says more than 1e-8 stand in weak_controls.csv, which `python -m tests.engine.test_power`
prints: they need a larger cap or factor, or a word why not.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import beta as beta_law

from experiments.engine import registry, verdict
from experiments.engine.cell import Sabotaged
from experiments.engine.claim import CLAIMS
from experiments.engine.streams import TEST_ROOT, generator
from experiments.engine.verdict import LOG_REFUTE, REFUTED, STAKES, TANGENTS, log_hit_rates, miss_tail

registry.load()
HERE = Path(__file__).parent
WEAK = {row["what"] for row in csv.DictReader((HERE / "weak_controls.csv").read_text().splitlines())}
SAMPLED = {key: claim for key, claim in CLAIMS.items() if claim.style != "exact"}
PILOT = 0.3  # core-seconds, for 200 to 20,000 trials; of an attack, a chunk
WORST, ALL = 1e-8, 1e-6  # for one control or cell, and for all of them together


def pilot(claim, setting, factor, size):
    """A decider that has seen `size` trials of the claim at `factor`, from a stream of their own."""
    arguments = dict(setting)
    if factor != 1 and claim.control.of == "trial":
        arguments["factor"] = factor
    if claim.style == "attack":
        arguments |= {"root": TEST_ROOT, "key": claim.key, "stream": "pilot", "index": 0}
    decider = claim.decider(setting, factor)
    rng = generator(TEST_ROOT, claim.key, setting, f"pilot:{factor:g}", 0)
    decider.add(decider.pack(claim.trial(rng, size, **arguments)))
    return decider


def chernoff(logs, weights, trials, size):
    """min over s of exp(s (ln 1e10 + ln J)) (E exp(-s log factor))^N: P(a mixture of J stays below its threshold)."""
    need = LOG_REFUTE + np.log(size)

    def log_bound(s):
        return s * need + trials * np.log(weights @ np.exp(-s * logs))

    return float(np.exp(min(minimize_scalar(log_bound, bounds=(1e-4, 50), method="bounded").fun, 0.0)))


def missed(claim, setting, factor):
    """A bound on the probability that the claim at `factor` is not REFUTED by its cap."""
    chunk = claim.chunk(**setting)
    trials = claim.cap * chunk
    seen = pilot(
        claim, setting, factor, chunk if claim.style == "attack" else int(np.clip(PILOT / claim.cost, 200, 20_000))
    )
    if claim.style == "tail":
        n, k = seen.trials, seen.failures
        low = beta_law.ppf(1e-3, k, n - k + 1) if k else 0.0
        return miss_tail(trials, seen.beta, low, REFUTED)
    if claim.style == "attack":
        counts, size = seen.counts[0] / seen.trials, len(verdict.EPSILONS)
        if claim.attack == "approx":
            low = -np.exp(seen.level)
            gains = STAKES[:, None] / (seen.delta - low) * (np.array([1.0, low, 0.0]) - seen.delta)
            return min(chernoff(np.log1p(gain), counts, trials, len(STAKES)) for gain in gains)
        alternatives = np.maximum(verdict.EPSILONS if claim.attack == "pure" else verdict.MUS, seen.level)
        right, wrong = np.array(log_hit_rates(claim.attack, alternatives)) - np.array(
            log_hit_rates(claim.attack, seen.level)
        ).reshape(2, 1)
        idle = wrong if claim.attack == "gdp" else np.zeros_like(wrong)
        size *= len(TANGENTS) if claim.attack == "gdp" else 1
        return min(chernoff(np.array(logs), counts, trials, size) for logs in zip(right, wrong, idle, strict=True))
    x = seen.values
    gains = STAKES[:, None] / (seen.bound - seen.low) * (x - seen.bound)
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log1p(gains), -700)
    return min(chernoff(row, np.full(len(x), 1 / len(x)), trials, len(STAKES)) for row in logs)


def test_the_arithmetic_of_a_coin():
    """The exact miss of a tail control, against the same by Chernoff's bound, which is larger and of its order."""
    exact = miss_tail(2000, 0.1, 0.2, REFUTED)
    q = 2 * 0.1 / (1 - 0.1 + 2 * 0.1)
    logs = np.log([q / 0.1, (1 - q) / 0.9])
    bound = chernoff(logs, np.array([0.2, 0.8]), 2000, len(verdict.REFUTE_ODDS))
    assert exact < 1e-8 and exact <= bound < 1e-4


def refuted_keys():
    lines = (HERE.parent / "verdicts.csv").read_text().splitlines()
    return {row["key"] for row in csv.DictReader(lines) if row["verdict"] == REFUTED}


def misses():
    """(key, what) -> a bound on its miss, for every sampled control and every sampled claim that is REFUTED."""
    false = refuted_keys()
    for key, claim in SAMPLED.items():
        if claim.control:
            yield f"{key} control", missed(claim, Sabotaged(claim).setting, claim.control.factors[-1])
        if key in false:
            settings = [s for s in claim.quick if not claim.theorem.skipped(s) and not claim.vacuous_at(s)]
            yield f"{key} claim", min(missed(claim, setting, 1) for setting in settings)


@pytest.mark.statistical
def test_no_control_and_no_false_claim_is_missed():
    chances = dict(misses())
    weak = {place for place, miss in chances.items() if miss > WORST}
    assert weak <= WEAK, {place: chances[place] for place in weak - WEAK}
    assert sum(miss for place, miss in chances.items() if place not in WEAK) <= ALL


if __name__ == "__main__":
    print("what,miss")
    for place, miss in misses():
        if miss > WORST:
            print(f"{place},{miss:.1g}", flush=True)
