"""The null bench: the game itself, against mechanisms that leak exactly as much as is claimed, thousands of times.

`python -m lemmata.experiments.audits.nulls [AUDITS]` brings every null in nulls.csv to so many audits. It may be ended
at any moment and goes on where it was; audits of other code are counted afresh. An audit of a true claim may be REFUTED
with a chance of `LEVEL` at most, and its lower limit at that level may be above the truth with no larger chance. Nobody
knows beforehand that they are: a bet that is not fair, capital that is not divided among the attackers, or a rule that
judges what it was learnt from, shows here.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import e, exp, log, pi
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom, binomtest

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.experiments.audits.known_mechanisms import KEPT, added, geometric_noise, response
from lemmata.experiments.engine.claims.fingerprint import hash_code
from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.audit.evidence.attackers import attackers
from lemmata.mechanisms.audit.evidence.outcomes import Outcomes
from lemmata.mechanisms.audit.evidence.stakes import parameter
from lemmata.mechanisms.audit.play.game import Game
from lemmata.mechanisms.audit.play.sequential_test import play
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP

TABLE = Path(__file__).with_name("nulls.csv")
LEVEL = 0.1
RELEASES = 128  # of one audit: the fewest that are allowed
AUDITS, PIECE = 2_000, 40  # of one null, and between two looks at another one
SURE = 1e-9  # chance at which so many alarms of an honest auditor are a fault


@dataclass(frozen=True)
class Null:
    """Releases on two datasets `records` records apart, and a claim that is true of them.

    `truth` is the parameter with which it would be just true, where the claim is larger than that.
    """

    a: Any
    b: Any
    claim: Any
    truth: float | None = None
    records: int = 1
    releases: int = RELEASES

    @property
    def just(self) -> float:
        """The smallest epsilon or mu with which the claim is true."""
        return parameter(self.claim)[1] if self.truth is None else self.truth


# Laws as far apart as the claim allows --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Noise:
    """`centre` plus Laplace noise of scale 1, or normal noise of deviation 1, in every coordinate, and its density."""

    centre: tuple[float, ...]
    laplace: bool

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Shape (size, d)."""
        shape = size, len(self.centre)
        return np.array(self.centre) + (rng.laplace(size=shape) if self.laplace else rng.normal(size=shape))

    def log_density(self, releases: np.ndarray) -> np.ndarray:
        """The log of the density at every release."""
        off = np.reshape(releases, (len(releases), -1)) - np.array(self.centre)
        logs = -np.abs(off) - log(2) if self.laplace else -(off**2) / 2 - log(2 * pi) / 2
        return np.asarray(logs.sum(axis=1))


def sample_clamped(centre: float) -> Callable:
    """Laplace noise of scale 1, clamped to a public range: two atoms, and values between them."""
    return lambda rng, size: np.clip(centre + rng.laplace(size=(size, 1)), -0.5, 1.5)


def sample_signed(value: int, delta: float) -> Callable:
    """The value in the clear with probability delta (as +-2), else randomised response at epsilon = 1 (as +-1)."""

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        kept = np.where(rng.random(size) < KEPT, value, -value)
        return np.where(rng.random(size) < delta, 2 * value, kept)

    return sample


def sample_one_of(first: Any, other: Any, probability: float) -> Callable:
    """One of two outcomes of any kind, the first with `probability`."""
    return lambda rng, size: [first if u < probability else other for u in rng.random(size)]


def sample_numbers(odd: float, probability: float) -> Callable:
    """Normal noise, or now and then an outcome that is no finite number."""
    return lambda rng, size: np.where(rng.random((size, 1)) < probability, odd, rng.normal(size=(size, 1)))


def sample_raising(probability: float) -> Callable:
    """Zero, or an exception: whoever judges the batch in which it came up first knows too much."""

    def sample(rng: np.random.Generator, size: int) -> np.ndarray:
        if (rng.random(size) < probability).any():
            raise RuntimeError
        return np.zeros(size)

    return sample


ONE, MU = PureDP(1.0), GaussianDP(1.0)
NULLS = {
    "Laplace": Null(Noise((0.0,), True), Noise((1.0,), True), ONE),
    "Laplace, two records": Null(Noise((0.0,), True), Noise((1.0,), True), PureDP(0.5), records=2),
    "Gaussian": Null(Noise((0.0,), False), Noise((1.0,), False), MU),
    "vectors of five normal coordinates": Null(Noise((0.0,) * 5, False), Noise((0.2**0.5,) * 5, False), MU),
    "randomised response": Null(response(0, 2, KEPT), response(1, 2, KEPT), ONE),
    "randomised response, 400 releases": Null(response(0, 2, KEPT), response(1, 2, KEPT), ONE, releases=400),
    "randomised response, claimed 5 % larger": Null(
        response(0, 2, KEPT), response(1, 2, KEPT), PureDP(1.05), truth=1.0
    ),
    "Laplace, claimed 10 % larger": Null(Noise((0.0,), True), Noise((1.0,), True), PureDP(1.1), truth=1.0),
    "atoms: Laplace noise, clamped": Null(sample_clamped(0.0), sample_clamped(1.0), ONE),
    "integers: geometric noise": Null(added(0, geometric_noise(1)), added(1, geometric_noise(1)), ONE),
    "mixture: the record with probability 0.3": Null(sample_signed(1, 0.3), sample_signed(-1, 0.3), ApproxDP(1.0, 0.3)),
    "infinite numbers": Null(sample_numbers(np.inf, 0.1), sample_numbers(np.inf, 0.1 * exp(0.5)), PureDP(0.5)),
    "strings and None": Null(sample_one_of("a", None, 0.2), sample_one_of("a", None, 0.2 * e), ONE),
    "exceptions": Null(sample_raising(0.1), sample_raising(0.1 * e), ONE),
}

# Attackers that learn nothing, beside those of every audit ------------------------------------------------------------


def fix_score(score: Callable[[np.ndarray], np.ndarray]) -> Callable:
    """An attacker with a score of the values that no release changes; its thresholds are learnt."""
    return lambda data, truth: lambda fresh: score(np.nan_to_num(fresh.values, nan=9.0, posinf=99.0, neginf=-99.0))


def guess_by_order(data: Outcomes, truth: np.ndarray) -> Callable:
    """Guesses by the place of a release in its chunk, which says nothing to an honest game."""
    return lambda fresh: np.cos(np.arange(len(fresh)))


IDLE = [
    ("the first value", fix_score(lambda x: x[:, 0])),
    ("minus the first value", fix_score(lambda x: -x[:, 0])),
    ("the size of the release", fix_score(lambda x: np.abs(x).sum(axis=1))),
    ("the place in the chunk", guess_by_order),
]


def audit_null(null: Null, root: int) -> tuple[bool, bool, int]:
    """Is the true claim REFUTED, is the lower limit above the truth, both at `LEVEL`; and by how many attackers."""
    named = [*attackers(null.a, null.b, None), *IDLE]
    game = Game(null.a, null.b, null.claim, root=root, named=named, records=null.records)
    play(game, null.releases, LEVEL)
    return game.log_e() >= -log(LEVEL), game.lower(LEVEL) > null.just, len(named)


# The table ------------------------------------------------------------------------------------------------------------


def count_alarms(name: str, roots: Sequence[int]) -> tuple[int, int]:
    """(false alarms, lower limits above the truth) in one audit a root."""
    alarms, overclaims, _ = zip(*(audit_null(NULLS[name], root) for root in roots), strict=True)
    return sum(alarms), sum(overclaims)


def limit_alarms(audits: int) -> int:
    """The most alarms in so many audits that an honest auditor exceeds with a chance of at most `SURE`."""
    return int(binom.isf(SURE, audits, LEVEL))


def find_interval(alarms: int, audits: int, chance: float = 0.01) -> tuple[float, float]:
    """Clopper and Pearson's interval for the share of alarms, which fails with at most `chance`.

    >>> low, high = find_interval(0, 12, 0.05)
    >>> low, round(high, 2)
    (0.0, 0.26)
    """
    found = binomtest(alarms, audits).proportion_ci(1 - chance, "exact")
    return float(found.low), float(found.high)


def digest_codes() -> dict[str, str]:
    """What the counts of each null depend on."""
    return {name: hash_code(audit_null, null) for name, null in NULLS.items()}


def describe_lines(lines: list[dict[str, str]]) -> list[dict]:
    """The lines of the table with an interval for either rate, in per cent, and whether this code has made them."""
    rates, now = ("alarms", "overclaims"), digest_codes()
    return [
        line
        | {f"{name}_share": [100 * x for x in find_interval(int(line[name]), int(line["audits"]))] for name in rates}
        | {"current": line["code"] == now.get(line["null"])}
        for line in lines
    ]


def read_lines(table: Path) -> dict[str, dict]:
    """The lines of a table that this code has made, by name; fresh ones for the others."""
    now = digest_codes()
    kept = {line["null"]: line for line in read_table(table) if line["code"] == now.get(line["null"])}
    return {
        name: {
            "null": name,
            "claim": repr(null.claim),
            "truth": null.just,
            "attackers": len([*attackers(null.a, null.b, None), *IDLE]),
            **{count: int(kept.get(name, {}).get(count, 0)) for count in ("audits", "alarms", "overclaims")},
            "code": now[name],
        }
        for name, null in NULLS.items()
    }


def measure_nulls(table: Path, audits: int) -> Iterator[dict]:
    """Piece after piece, the null with the fewest audits first, until all have so many; the table is always whole."""
    lines = read_lines(table)
    while (line := min(lines.values(), key=lambda line: line["audits"]))["audits"] < audits:
        done = line["audits"]
        roots = range(done, min(done + PIECE, audits))
        alarms, overclaims = count_alarms(line["null"], roots)
        line["audits"], line["alarms"], line["overclaims"] = (
            done + len(roots),
            line["alarms"] + alarms,
            line["overclaims"] + overclaims,
        )
        write_table(table, line, (each.values() for each in lines.values()))
        yield line


if __name__ == "__main__":
    from lemmata.experiments.audits import nulls  # not as __main__, whose code would be other code

    for made in nulls.measure_nulls(TABLE, int(sys.argv[1]) if len(sys.argv) > 1 else AUDITS):
        print(*list(made.values())[:-1], sep="  ", flush=True)
