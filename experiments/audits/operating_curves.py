"""Operating characteristics of the auditor: power beside the best possible attack, the smallest leak that is caught.

False alarms of the whole game are counted by `nulls`; here those of its stakes alone, with one attacker whose guesses
are fixed. `python -m lemmata.experiments.audits.operating_curves [ROOTS]` writes operating.csv. Each quantity is a
function that the tests call at small size and `make soak` at large size.
"""

import sys
from collections.abc import Iterator
from math import e, exp, log
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.special import logsumexp, ndtr

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.audits.known_mechanisms import added, laplace_noise, response
from lemmata.experiments.audits.tables import write_lines
from lemmata.mechanisms.audit.evidence.stakes import START, average, grown, parameter, tables, tangents
from lemmata.mechanisms.audit.play import game
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.audit.subjects import samplers
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP

TABLE = Path(__file__).with_name("operating.csv")
ONE = PureDP(1.0)
MANY = 10_000  # nulls on the boundary of a claim, judged at once
RATIOS = 1.25, 1.5, 2.0, 4.0, 6.0


# Claims that are just true --------------------------------------------------------------------------------------------

BOUNDARY = {  # P(guess the first dataset | first), (... | second), exactly as far apart as the claim allows
    "randomised response": (e / (1 + e), 1 / (1 + e), ONE),
    "Laplace": (0.5, 0.5 / e, ONE),
    "an event of 1 and e in 1000": (0.001 * e, 0.001, ONE),
    "epsilon = 0.1": (exp(0.1) / (1 + exp(0.1)), 1 / (1 + exp(0.1)), PureDP(0.1)),
    "Gaussian, guessing always": (float(ndtr(0.5)), float(ndtr(-0.5)), GaussianDP(1.0)),
    "Gaussian, guessing seldom": (float(ndtr(-1.0)), float(ndtr(-2.0)), GaussianDP(1.0)),
    "the record with probability delta": (0.05, 0.0, ApproxDP(0.0, 0.05)),
    "epsilon = 1 and delta": (0.02 + 0.1 * e, 0.1, ApproxDP(1.0, 0.02)),
}


def count_boundary_alarms(name: str, *, audits: int, level: float, budget: int = 20_000) -> int:
    """How many of so many audits, judged all at once, refute a claim that is just true by one attacker's guesses.

    Guesses of either dataset are symmetric; chunks, stakes and their division are the game's.
    """
    p, q, claim = BOUNDARY[name]
    rng = generator(0, f"operating.{name}", {}, "main", 0)
    table = tables(tangents(claim))
    counts = np.zeros((audits, 1, len(table), 3, 3), dtype=int)
    won, alarmed, drawn = np.zeros(audits), np.zeros(audits, dtype=bool), samplers.FIRST
    while drawn < budget:
        half = samplers.chunk(drawn, level) // 2
        one, other = (rng.multinomial(half, [*chances, max(0.0, 1 - p - q)], audits) for chances in ((p, q), (q, p)))
        right = np.stack([one[:, 0], other[:, 1], one[:, 0] + other[:, 1]], axis=1)
        wrong = np.stack([other[:, 0], one[:, 1], other[:, 0] + one[:, 1]], axis=1)
        played = np.stack([right, wrong, 2 * half - right - wrong], axis=2)[:, None, None]
        standing = grown(counts, table) + START
        gain = grown(np.broadcast_to(played, counts.shape), table)
        won += logsumexp(standing + gain, axis=(1, 2, 3, 4)) - logsumexp(standing, axis=(1, 2, 3, 4))
        counts += played
        alarmed |= np.logaddexp(average(counts, table) + log(game.SPARE), won + log(1 - game.SPARE)) >= -log(level)
        drawn += 2 * half
    return int(alarmed.sum())


# Power ----------------------------------------------------------------------------------------------------------------


def make_leaking_pair(name: str, ratio: float) -> tuple:
    """A pair whose true epsilon or mu is `ratio`, and the claim 1."""
    if name == "Laplace":
        return *(added(x, laplace_noise(1)) for x in (0, ratio)), ONE
    if name == "Gaussian":
        return *(added(x, lambda rng, shape: rng.normal(size=shape)) for x in (0, ratio)), GaussianDP(1.0)
    keep = exp(ratio) / (1 + exp(ratio))
    return response(0, 2, keep), response(1, 2, keep), ONE


def list_events(name: str, ratio: float) -> Iterator[tuple[float, float]]:
    """P(right guess) and P(wrong guess) of the symmetric attacks that may be best."""
    if name == "Laplace":
        yield 0.5, 0.5 * exp(-ratio)
    elif name == "Gaussian":
        for cut in np.linspace(ratio / 2, ratio / 2 + 4, 81):
            yield float(ndtr(ratio - cut)), float(ndtr(-cut))
    else:
        yield exp(ratio) / (1 + exp(ratio)), 1 / (1 + exp(ratio))


def count_oracle_releases(name: str, ratio: float, level: float) -> float:
    """Releases that the best bet on the best event needs in the mean: log(1 / level) / its growth."""
    return log(1 / level) / find_best_bet(name, ratio)[0]


def find_best_bet(name: str, ratio: float) -> tuple[float, np.ndarray, np.ndarray]:
    """What grows fastest: its mean growth, log gains and chances of a right guess, a wrong one and none."""
    stakes, best = np.linspace(0.001, 0.999, 999)[:, None], (-1.0, np.zeros(3), np.zeros(3))
    for right, wrong in list_events(name, ratio):
        chances = np.array([right, wrong, max(0.0, 1 - right - wrong)])
        for epsilon, delta in tangents(make_leaking_pair(name, ratio)[2]):
            stake = stakes / (exp(epsilon) + delta)
            gains = np.hstack([np.log1p(stake * (1 - delta)), np.log1p(-stakes), np.log1p(-stake * delta)])
            growth = gains @ chances
            place = int(np.argmax(growth))
            if growth[place] > best[0]:
                best = float(growth[place]), gains[place], chances
    return best


def count_releases(name: str, ratio: float, *, roots: range, level: float, budget: int = 60_000) -> float:
    """The median number of releases, those for training included, until the claim 1 is REFUTED."""
    a, b, claim = make_leaking_pair(name, ratio)
    results = [audit(a, b, claim, root=root, level=level, budget=budget) for root in roots]
    return median(r.judged + r.trained if r.verdict == REFUTED else float("inf") for r in results)


def check_caught(name: str, *, roots: range, budget: int) -> tuple[float, int]:
    """The smallest leak that an audit of the honest law says it would have caught, and how often it is caught."""
    said = audit(*make_leaking_pair(name, 1.0), root=10_000, budget=budget).smallest_caught or float("inf")
    a, b, claim = make_leaking_pair(name, said)
    return said, sum(audit(a, b, claim, root=root, budget=budget).verdict == REFUTED for root in roots)


# The table ------------------------------------------------------------------------------------------------------------


def make_lines(count: int) -> Iterator[dict]:
    """Everything, with so many roots each."""
    roots = range(count)
    for name in ("Laplace", "randomised response", "Gaussian"):
        for level, ratios, several in ((1e-10, RATIOS, roots), (0.05, (1.5, 2.0), range(7 * count))):
            for ratio in ratios:
                ours = count_releases(name, ratio, roots=several, level=level)
                oracle = count_oracle_releases(name, ratio, level)
                yield make_line(f"releases until REFUTED at {level:g}", name, ratio, ours, f"{oracle:.0f}")
        said, often = check_caught(name, roots=roots, budget=10_000)
        yield make_line("REFUTED at smallest_caught, 10,000 releases", name, round(said, 3), often, f"{count} audits")
    for name, (_, _, claim) in BOUNDARY.items():
        found = count_boundary_alarms(name, audits=MANY, level=0.1)
        yield make_line("false alarms at level 0.1, one attacker", name, parameter(claim)[1], found, f"{MANY} audits")


def make_line(what: str, name: str, parameter: Any, ours: Any, beside: str) -> dict:
    """One line of the table; beside: the best possible attack, or the number of audits."""
    return {"what": what, "mechanism": name, "parameter": parameter, "ours": ours, "beside": beside}


if __name__ == "__main__":
    write_lines(TABLE, make_lines(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
