"""What a cap can miss: the chance that a claim, or its control, does not reach an expected verdict by its cap.

The truth is not known. A pilot on a stream of its own tells it: for tails by the 99.9% limit on the far side, for the
others by its outcomes as they are; the binomial law or Chernoff's bound does the rest.
"""

from collections.abc import Iterator

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import beta as beta_law, binom

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.claims.verdict import (
    HOLD_ODDS,
    LOG_HOLD,
    LOG_REFUTE,
    REFUTE_ODDS,
    STAKES,
    AttackDecider,
    MeanDecider,
    TailDecider,
    log_e_tail,
)
from lemmata.experiments.engine.running.cell import ControlRun
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.numerics.streams import canonical_json, generator

Sampled = TailDecider | MeanDecider | AttackDecider
SECONDS = 0.3  # of one core, for 200 to 20,000 trials; an attack's pilot is a chunk


def run_pilot(claim: Claim, setting: dict, factor: float, root: int) -> Sampled:
    """A decider that has seen trials of the claim at `factor`, from the pilot's stream."""
    size = claim.chunk(**setting) if claim.style == "attack" else int(np.clip(SECONDS / claim.cost, 200, 20_000))
    arguments = claim.arguments(setting, factor, root=root, stream="pilot", index=0)
    decider = claim.decider(setting, factor)
    assert decider is not None, f"{claim.key} is exact: nothing is sampled"
    rng = generator(root, claim.key, setting, f"pilot:{factor:g}", 0)
    decider.add(decider.pack(claim.trial(rng, size, **arguments)))
    return decider


def chernoff(logs: np.ndarray, weights: np.ndarray, trials: int, size: float, threshold: float = LOG_REFUTE) -> float:
    """min over s of exp(s (threshold + ln J)) (E exp(-s log factor))^N: P(a mixture of J stays below the threshold)."""
    need = threshold + np.log(size)

    def log_bound(s: float) -> float:
        return s * need + trials * np.log(weights @ np.exp(-s * logs))

    return float(np.exp(min(minimize_scalar(log_bound, bounds=(1e-4, 50), method="bounded").fun, 0.0)))


def miss_tail(trials: int, beta: float, truth: float, verdict: str) -> float:
    """P(`verdict` is not reached by `trials` trials) when the failure rate is `truth`.

    At a fixed number of trials the e-value is monotone in the failures, and stopping early can only help.

    >>> miss_tail(3450, 0.1, 0.05, "HOLDS") < 1e-8
    True
    """
    odds, threshold = (HOLD_ODDS, LOG_HOLD) if verdict == HOLDS else (REFUTE_ODDS, LOG_REFUTE)
    low, high = 0, trials + 1  # HOLDS is decided for counts < high, REFUTED for counts >= low
    while low < high:
        middle = (low + high) // 2
        decided = log_e_tail(trials, min(middle, trials), beta, odds) >= threshold
        above = trials * beta <= middle
        if verdict == HOLDS:
            decided = decided and not above
            low, high = (middle + 1, high) if decided else (low, middle)
        else:
            decided = decided and above
            low, high = (low, middle) if decided else (middle + 1, high)
    return float(binom.sf(low - 1, trials, truth) if verdict == HOLDS else binom.cdf(low - 1, trials, truth))


def bound_miss(claim: Claim, setting: dict, seen: Sampled, expected: str = REFUTED) -> float:
    """A bound on the probability that the claim does not come out as `expected` by its cap, by a pilot's decider."""
    trials = claim.cap * claim.chunk(**setting)
    if isinstance(seen, TailDecider):
        n, k = seen.trials, seen.failures
        if expected == REFUTED:
            return miss_tail(trials, seen.beta, beta_law.ppf(1e-3, k, n - k + 1) if k else 0.0, REFUTED)
        return miss_tail(trials, seen.beta, beta_law.ppf(1 - 1e-3, k + 1, n - k) if k < n else 1.0, HOLDS)
    if isinstance(seen, AttackDecider):
        return _bound_attack_miss(seen, trials)
    x, side = seen.values, 1 if expected == REFUTED else -1
    margin = seen.bound - seen.low if expected == REFUTED else seen.high - seen.bound
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log1p(STAKES[:, None] / margin * side * (x - seen.bound)), -700)
    threshold = LOG_REFUTE if expected == REFUTED else LOG_HOLD
    return min(chernoff(row, np.full(len(x), 1 / len(x)), trials, len(STAKES), threshold) for row in logs)


def _bound_attack_miss(seen: AttackDecider, trials: int) -> float:
    """By the attacker, tangent, side and stake that does best: the mixture earns at least its share of that one."""
    assert seen.counts is not None
    gains = stakes.repeated_tables(seen.claim, [seen.level])[0, 0]
    shares = np.exp(stakes.START) / (seen.counts.shape[0] * len(gains))
    growth = stakes.grown(seen.counts / seen.trials, gains)
    best = np.unravel_index(growth.argmax(), growth.shape)
    weights = seen.counts[best[:-1]] / seen.trials
    return chernoff(gains[best[1:]], weights, trials, 1 / shares[best[2:]])


def describe_pilot(claim: Claim, root: int) -> Iterator[str]:
    """A line for every quick cell and every factor of the control: cap, what the pilot saw, and what the cap misses."""
    control = ControlRun(claim)
    tried: list[tuple[dict, float]] = [
        (s, 1) for s in claim.quick if not claim.theorem.skipped(s) and not claim.why_vacuous(s)
    ]
    if claim.control and control.setting is not None:
        tried += [(control.setting, factor) for factor in claim.control.factors]
    for setting, factor in tried:
        seen = run_pilot(claim, setting, factor, root)
        line = f"cap {claim.cap * claim.chunk(**setting)}, factor {factor:g}, pilot of {seen.trials} trials: "
        if isinstance(seen, AttackDecider):
            line += ", ".join(f"{number} {name}" for name, number in seen.guesses().items())
        else:
            if isinstance(seen, TailDecider):
                rate, bound = seen.failures / seen.trials, seen.beta
            else:
                rate, bound = float(seen.values.mean()), seen.bound
            line += f"{rate:.3g} where {bound:.3g} is allowed"
            if factor == 1:
                line += f", {HOLDS} missed with {bound_miss(claim, setting, seen, HOLDS):.1g}"
        yield f"{line}, {REFUTED} missed with {bound_miss(claim, setting, seen):.1g}; {canonical_json(setting)}"
