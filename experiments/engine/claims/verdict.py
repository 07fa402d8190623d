"""How trials become a verdict: two e-processes, folded chunk by chunk.

A claim says "P(bad) <= beta" or "E X <= B". The hold process is evidence against "the claim is false here" (p >= beta,
E X >= B), the refute process against "the claim is true here". By Ville's inequality the chance that an e-process ever
exceeds 1/alpha under its null is at most alpha, so we may look after every chunk. "Not refuted" is not "proved": a
cell that reaches neither threshold is INCONCLUSIVE, with a reason. The constants have their reasons in
docs/how-a-claim-is-decided.md, "Sampled claims".
"""

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import xlog1py, xlogy

from lemmata.bounds.exact.numbers import halved
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED, VACUOUS
from lemmata.experiments.engine.ground.evidence import EVIDENCE
from lemmata.mechanisms.audit.evidence import stakes

REASONS = (
    "BUDGET",
    "TIGHT",
    "AUDIT_ONLY",
    "NO_POWER",
    "CONTROL_FAILED",
    "NO_CONSTANT",
    "NO_PROOF",
    "CORNER",
    "ONE_SIDED_ORACLE",
    "ASYMPTOTIC",
    "UNCONFIRMED",
    "UNSUPPORTED",
    "FAILED",
)
RENAMED = {"NO_TEETH": "CONTROL_FAILED"}  # reasons in stores, published ledgers and accepted tables of version 0.2
# Alternatives of the two e-processes of a tail. They are spread over the odds, so that for any true rate one of them is
# near enough to gain; a mixture of k alternatives costs at most log k of the best one.
HOLD_ODDS = np.array([0, 0.05, 0.1, 0.25, 0.5, 0.7, 0.85, 0.95])  # alternatives, as multiples of the odds of beta
REFUTE_ODDS = np.array([1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 30])
# Shares of the wealth that a bet on a mean stakes: from careful to nearly all, as the best share depends on the truth.
STAKES = np.geomspace(1e-3, 0.99, 16)
# By Ville's inequality a false HOLDS has probability 1e-6 at most, a false REFUTED 1e-10, for each of about 1,000 rows.
LOG_HOLD, LOG_REFUTE = np.log(1e6), np.log(1e10)
LOG_REPORT = np.log(2000)  # each side of the reported 99.9% confidence sequence
LOG_REACHED = np.log(1e3)  # the one side of an attack's: at least so much leaks, at 99.9%
TIGHT = 1.1  # truth / bound within [1/TIGHT, TIGHT] is called TIGHT


@dataclass(frozen=True)
class Verdict:
    """What came out, for a cell or for a claim, and on what evidence. Plain data: it goes to the store as JSON."""

    outcome: str  # HOLDS | REFUTED | VACUOUS | INCONCLUSIVE | NOT_A_CLAIM | OPEN
    reason: str = ""
    evidence: str = ""  # certificate | enumeration | derivation | composition | tested | sampled
    scope: str = "settings"  # everywhere | domain: ... | settings
    tightness: tuple[float, float] | None = None  # truth / bound
    witness: dict | None = None
    note: str = ""
    series: dict = field(default_factory=dict)  # {name: list of numbers}: what the figure draws
    searched: dict = field(default_factory=dict)  # settings of the engine's own choice: counts, and the worst of them
    shares: dict = field(default_factory=dict)  # of cases and of our last link: {"share": left / right, "at": setting}
    copied: tuple[int, int] = (0, 0)  # sides with the same rounding error, and sides that differ

    def __post_init__(self) -> None:
        if self.evidence not in EVIDENCE:
            raise ValueError(f"evidence must be one of {', '.join(EVIDENCE[:-1])}, got {self.evidence!r}")


def holds(evidence: str, scope: str, **more: Any) -> Verdict:
    """Positive evidence: a certificate, an enumeration or a derivation over the stated scope."""
    return Verdict(HOLDS, evidence=evidence, scope=scope, **more)


def refuted(evidence: str, witness: dict, **more: Any) -> Verdict:
    """A counterexample in hand: `witness` has setting, claimed, found, python and the fields of its kind
    (`checks.witness` has a builder for each)."""
    return Verdict(REFUTED, evidence=evidence, witness=witness, **more)


def vacuous(note: str, **more: Any) -> Verdict:
    """Decided from the parameters: the statistic's range alone implies the bound."""
    return Verdict(VACUOUS, note=note, **more)


def inconclusive(reason: str, note: str = "", **more: Any) -> Verdict:
    """No verdict, with one of `REASONS`."""
    if reason not in REASONS:
        raise ValueError(f"reason must be one of {', '.join(REASONS)}, got {reason!r}")
    return Verdict(INCONCLUSIVE, reason=reason, note=note, **more)


def current_reason(reason: str) -> str:
    """A reason by its name today, as it was written by this version or an older one."""
    return RENAMED.get(reason, reason)


def log_e_tail(trials: int, failures: int, beta: float, odds: np.ndarray) -> float:
    """Mixture of Bernoulli likelihood ratios q : beta. Null p >= beta for HOLD_ODDS, p <= beta for REFUTE_ODDS.

    Where beta is at least 1 nothing is evidence: every chance is allowed.
    """
    if beta >= 1:
        return 0.0
    q = odds * beta / (1 - beta + odds * beta)
    wins = trials - failures
    ratios = xlogy(failures, q) + xlog1py(wins, -q) - xlogy(failures, beta) - xlog1py(wins, -beta)
    return float(np.logaddexp.reduce(ratios) - np.log(len(odds)))


def mean_sums(x: np.ndarray, bound: float, low: float, high: float) -> np.ndarray:
    """Sums of log(1 + stake * gain) over the trials `x` for the refute and the hold null, shape (2, stakes).

    The refute process (null E X <= bound) needs x >= low only; the hold process (null E X >= bound) needs x <= high.
    """
    if x.size and x.min() < low:
        raise ValueError(f"a trial must be at least low = {low}, got {x.min()}")
    with np.errstate(divide="ignore"):
        refute = np.log1p(STAKES / (bound - low) * (x[:, None] - bound)).sum(0)
        if not np.isfinite(high):
            return np.stack([refute, np.full(len(STAKES), -np.inf)])
        if x.size and x.max() > high:
            raise ValueError(f"a trial must be at most high = {high}, got {x.max()}")
        hold = np.log1p(STAKES / (high - bound) * (bound - x[:, None])).sum(0)
    return np.stack([refute, hold])


def log_e_mean(sums: np.ndarray) -> float:
    """The mixture over stakes."""
    return float(np.logaddexp.reduce(sums) - np.log(len(STAKES)))


def conclude(log_e_hold: float, log_e_refute: float) -> str | None:
    """REFUTED, HOLDS, or None while neither threshold is reached."""
    if log_e_refute >= LOG_REFUTE:
        return REFUTED
    if log_e_hold >= LOG_HOLD:
        return HOLDS
    return None


Ends = tuple[float, float]
Raw = dict[str, Any]  # what the trials of one chunk came to, as each decider says


@dataclass
class TailDecider:
    """P(bad event) <= beta, from independent trials. A chunk is {"trials", "failures"}."""

    beta: float
    trials: int = 0
    failures: int = 0

    def __post_init__(self) -> None:
        if not self.beta > 0:  # that nothing ever happens is beyond any number of trials
            raise ValueError(f"a bound on a probability must be positive, got {self.beta}")

    @staticmethod
    def pack(outcomes: Any) -> Raw:
        outcomes = np.asarray(outcomes)
        if outcomes.dtype != bool or outcomes.ndim != 1:
            raise TypeError("a tail trial must return a one-dimensional boolean array")
        return {"trials": int(outcomes.size), "failures": int(outcomes.sum())}

    def add(self, chunk: Raw) -> None:
        self.trials += chunk["trials"]
        self.failures += chunk["failures"]

    def log_e(self) -> Ends:
        return (
            log_e_tail(self.trials, self.failures, self.beta, HOLD_ODDS),
            log_e_tail(self.trials, self.failures, self.beta, REFUTE_ODDS),
        )

    def interval(self) -> Ends:
        """A 99.9% confidence sequence for p, by inverting both processes in beta."""
        if not self.trials:
            return 0.0, 1.0
        n, k, top = self.trials, self.failures, 1 - 1e-12  # at 1 itself the odds are infinite
        rate, above, below = k / n, 1.0, 0.0
        if k < n and log_e_tail(n, k, top, HOLD_ODDS) >= LOG_REPORT:
            above = halved(lambda b: log_e_tail(n, k, b, HOLD_ODDS) >= LOG_REPORT, rate, top)[1]
        if k:
            below = halved(lambda b: log_e_tail(n, k, b, REFUTE_ODDS) < LOG_REPORT, 0.0, min(rate, top))[0]
        return below, above

    def tightness(self) -> Ends:
        """Truth / bound."""
        low, high = self.interval()
        return low / self.beta, high / self.beta

    def found(self) -> dict[str, Any]:
        """What a REFUTED witness records."""
        return {"trials": self.trials, "failures": self.failures, "log10_e": self.log_e()[1] / np.log(10)}


@dataclass
class MeanDecider:
    """E X <= bound for trials in [low, high]. A chunk is {"values"}."""

    bound: float
    low: float = 0.0
    high: float = 1.0
    chunks: list[np.ndarray] = field(default_factory=list)
    sums: np.ndarray = field(default_factory=lambda: np.zeros((2, len(STAKES))))

    def __post_init__(self) -> None:
        if not self.low < self.bound < self.high:
            raise ValueError(f"bound must be in (low, high) = ({self.low}, {self.high}), got {self.bound}")

    @staticmethod
    def pack(outcomes: Any) -> Raw:
        values = np.asarray(outcomes, dtype=float)
        if values.ndim != 1 or not np.isfinite(values).all():
            raise ValueError("a mean trial must return a one-dimensional array of finite numbers")
        return {"values": values}

    @property
    def values(self) -> np.ndarray:
        return np.concatenate(self.chunks) if self.chunks else np.empty(0)

    @property
    def trials(self) -> int:
        return sum(map(len, self.chunks))

    def add(self, chunk: Raw) -> None:
        self.chunks.append(chunk["values"])
        self.sums = self.sums + mean_sums(chunk["values"], self.bound, self.low, self.high)

    def log_e(self) -> Ends:
        return log_e_mean(self.sums[1]), log_e_mean(self.sums[0])

    def interval(self) -> Ends:
        """A 99.9% confidence sequence for E X, by inverting both processes in the bound."""
        from scipy.optimize import brentq  # here and below: half a second, which reading the ledger need not pay

        x = self.values
        if not x.size:
            return self.low, self.high
        mean, inside = float(x.mean()), 1e-12 * (abs(self.low) + abs(self.bound) + 1)

        def evidence(bound: float, side: int) -> float:  # one side's sums: the hold process is the refute process of -x
            one = (x, bound, self.low) if side == 0 else (-x, -bound, -self.high)
            return log_e_mean(mean_sums(*one, np.inf)[0])

        def boundary(side: int, low: float, high: float) -> Ends:
            """What `halved` gives: hold evidence (side 1) grows beyond it, refute evidence (side 0) falls.

            Brent's method says where it lies, so that sums over all trials are taken close to it only.
            """
            near = brentq(lambda b: evidence(b, side) - LOG_REPORT, low, high, xtol=1e-14 * (high - low))
            slack = 1e-12 * (high - low)

            @functools.cache
            def crosses(b: float) -> bool:
                return b > near if abs(b - near) > slack else (evidence(b, side) >= LOG_REPORT) == (side == 1)

            return halved(crosses, low, high)

        top = self.high - inside if np.isfinite(self.high) else np.inf
        above = np.inf
        if np.isfinite(top) and mean < top and evidence(top, 1) >= LOG_REPORT:
            above = boundary(1, mean, top)[1]
        elif np.isfinite(top):
            above = self.high
        below, bottom = self.low, self.low + inside
        if mean > bottom and evidence(bottom, 0) >= LOG_REPORT:
            below = boundary(0, bottom, mean)[0]
        return below, above

    def tightness(self) -> Ends | None:
        """Truth / bound; meaningful for positive bounds only."""
        if self.bound <= 0:
            return None
        low, high = self.interval()
        return low / self.bound, high / self.bound

    def found(self) -> dict[str, Any]:
        x = self.values
        return {
            "trials": self.trials,
            "sum": float(x.sum()),
            "range": [self.low, self.high],
            "log10_e": self.log_e()[1] / np.log(10),
        }


@dataclass
class RateDecider(MeanDecider):
    """E X_last <= ratio * E X_first. A chunk is {"values"}, shape (trials, points): X along the parameter.

    D = X_last - ratio * X_first has E D <= 0 under the claim; X_first lies in [0, highs[0]], X_last in [0, highs[1]].
    The columns between the ends decide nothing: they are for the figure.
    """

    ratio: float = 1.0
    curves: list[np.ndarray] = field(default_factory=list)

    @staticmethod
    def between(ratio: float, highs: tuple[float, float]) -> "RateDecider":
        return RateDecider(bound=0.0, low=-ratio * highs[0], high=highs[1], ratio=ratio)

    @staticmethod
    def pack(outcomes: Any) -> Raw:
        values = np.asarray(outcomes, dtype=float)
        if values.ndim != 2 or values.shape[1] < 2 or not np.isfinite(values).all():
            raise ValueError("a rate trial must return finite numbers of shape (size, points)")
        return {"values": values}

    def add(self, chunk: Raw) -> None:
        curve = chunk["values"]
        self.curves.append(curve)
        super().add({"values": curve[:, -1] - self.ratio * curve[:, 0]})


@dataclass
class AttackDecider:
    """Guesses of attackers against a guarantee: PureDP, ApproxDP or GaussianDP.

    A chunk is {"counts": right, wrong and missing guesses}, shape (attackers, tangents, sides, 3), as the auditor's
    stakes take them. Sampling attacks can refute, never hold.
    """

    claim: Any
    counts: np.ndarray | None = None
    _limit: tuple[np.ndarray | None, float] = field(
        default=(None, 0.0), repr=False, compare=False
    )  # (counts, what they reached)

    @property
    def level(self) -> float:
        """The claimed epsilon or mu."""
        return stakes.parameter(self.claim)[1]

    @property
    def trials(self) -> int:
        return 0 if self.counts is None else int(self.counts[0, 0, 0].sum())

    @staticmethod
    def pack(outcomes: Any) -> Raw:
        return {"counts": np.asarray(outcomes, dtype=int).tolist()}

    def add(self, chunk: Raw) -> None:
        counts = np.array(chunk["counts"])
        self.counts = counts if self.counts is None else self.counts + counts

    def log_e(self) -> Ends:
        return -np.inf, 0.0 if self.counts is None else float(stakes.against(self.counts, self.claim, [self.level])[0])

    def reached(self) -> float:
        """The lower limit of epsilon or mu at 99.9%: the largest level refuted together with all smaller ones."""
        counts = self.counts
        if counts is not None and self._limit[0] is not counts:
            levels = np.union1d(stakes.PARAMETERS, self.level)

            def evidence(some: np.ndarray) -> np.ndarray:
                return stakes.against(counts, self.claim, some)

            self._limit = counts, stakes.last_refuted(evidence, levels, LOG_REACHED)
        return self._limit[1]

    def tightness(self) -> Ends:
        return self.reached() / self.level, np.inf

    def describe_lower_bound(self) -> str:
        """The lower limit in words; "" where the attacker does not even tell the two datasets apart."""
        name, limit = stakes.parameter(self.claim)[0], self.reached()
        return f"{name} is at least {limit:.3g}, of {self.level:.3g} promised (99.9%)" if limit else ""

    def guesses(self) -> dict[str, int]:
        """Right, wrong and missing guesses of the attacker, thresholds and side that earned most."""
        best = np.zeros(3, dtype=int)
        if self.counts is not None:
            capital = stakes.log_capital(self.counts, stakes.repeated_tables(self.claim, [self.level])[0, 0])
            best = self.counts[np.unravel_index(capital.argmax(), capital.shape)]
        return dict(zip(("right", "wrong", "abstain"), best.tolist(), strict=True))

    def found(self) -> dict[str, Any]:
        return {
            **self.guesses(),
            "reached": self.reached(),
            "log10_e": self.log_e()[1] / np.log(10),
        }
