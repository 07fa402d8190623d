"""A cell is one claim at one setting: chunks go in, in index order, until a verdict comes out.

The prefix rule: a verdict reads chunks 0..k and stops at the first crossing; chunks computed ahead are ignored. The
runner and the ledger fold with the same code, so what the ledger shows is what stopped the run.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED, VACUOUS
from lemmata.experiments.engine.claims import fingerprint
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.claims.verdict import (
    LOG_HOLD,
    LOG_REFUTE,
    TIGHT,
    AttackDecider,
    Ends,
    MeanDecider,
    Raw,
    TailDecider,
    Verdict,
    conclude,
    inconclusive,
    vacuous,
)
from lemmata.experiments.engine.ground.evidence import find_weakest
from lemmata.experiments.engine.running.store import Chunk, Where
from lemmata.experiments.engine.search import search
from lemmata.mechanisms.numerics.streams import canonical_json

SEARCH = "search"  # the stream of a search


@functools.cache
def hash_search() -> str:
    """The code hash of the search itself."""
    return fingerprint.hash_code(search.search)


class Decider(Protocol):
    """What folds the chunks of one cell: evidence for either side, and what a verdict says of the truth."""

    @property
    def trials(self) -> int: ...

    def pack(self, outcomes: Any) -> Raw:
        """A chunk from what the trial function returned; raises TypeError or ValueError for anything else."""

    def add(self, chunk: Raw) -> None:
        """Fold one chunk."""

    def log_e(self) -> Ends:
        """The log e-values of the hold and the refute process."""

    def tightness(self) -> Ends | None:
        """Truth / bound."""

    def found(self) -> dict[str, Any]:
        """What a REFUTED witness records."""


@dataclass
class Cell:
    """One claim at one setting and one mutation factor (1: the claim itself)."""

    claim: Claim
    setting: dict
    factor: float = 1
    times: int = 1  # its cap is so many times that of its claim
    evaluations: int = 0  # of a search: it tries so many settings of its own choice, and no `setting`
    folded: int = 0  # chunks read
    seconds: float = 0.0  # by the clock
    cpu_seconds: float = 0.0
    verdict: Verdict | None = None  # once there is one
    failures: list[str] = field(default_factory=list)
    ahead: dict[int, Chunk] = field(default_factory=dict, repr=False)  # in a run: the chunks that are there
    handed: int = 0  # in a run: the first chunk that nobody has been given
    decider: Decider | None = field(init=False, default=None)  # None: decided without folding

    def __post_init__(self) -> None:
        self.exact = self.claim.style == "exact" or bool(self.evaluations)  # decided in one piece
        try:
            why = None if self.factor != 1 or self.evaluations else self.claim.why_vacuous(self.setting)
            if why:
                self.verdict = vacuous(why)
            elif not self.evaluations:
                self.decider = self.claim.decider(self.setting, self.factor)
        except (Exception, SystemExit) as error:  # of the claim's own bound, say: this row is lost, the run is not
            self.verdict = inconclusive("FAILED", f"{type(error).__name__}: {error}")

    @property
    def named(self) -> bool:
        """Whether the claim names this setting, beside which a deep run combines values; or a search chooses it."""
        return bool(self.evaluations) or self.setting in self.claim.quick + self.claim.full

    @property
    def stream(self) -> str:
        if self.evaluations:
            return SEARCH
        return "main" if self.factor == 1 else f"sabotage:{self.factor:g}"

    @property
    def where(self) -> Where:
        """What identifies this cell's chunks beside key, code and root: setting, stream, size and attack level.

        Of a search, the code of the search stands for the level.
        """
        level = hash_search() if self.evaluations else ""
        if self.claim.style == "attack":
            level = repr(float(self.claim.bound(**self.setting)))
        return canonical_json(self.setting), self.stream, self.size, level

    @property
    def cap(self) -> int:
        return 1 if self.exact else self.claim.cap * self.times

    @property
    def size(self) -> int:
        return (self.evaluations or 1) if self.exact else self.claim.chunk(**self.setting)

    @property
    def trials(self) -> int:
        return self.decider.trials if self.decider else 0

    def add(self, chunk: Chunk) -> None:
        """Fold the next chunk; sets `verdict` when it decides the cell."""
        self.folded += 1
        self.seconds += chunk.seconds
        self.cpu_seconds += chunk.seconds if chunk.cpu is None else chunk.cpu
        if isinstance(chunk.payload, Verdict):
            self.verdict = self._with_program(chunk.payload)
        elif self.decider is None:
            raise ValueError(f"a chunk of an exact check must be a Verdict, got {type(chunk.payload).__name__}")
        else:
            self.decider.add(chunk.payload)
            self.verdict = self._conclude(self.decider)

    def _with_program(self, verdict: Verdict) -> Verdict:
        """The verdict of an exact check, with the program of its claim where its own witness has none."""
        if not (self.claim.python and verdict.witness) or verdict.witness.get("python"):
            return verdict
        return replace(verdict, witness=verdict.witness | {"python": self.claim.python(**self.setting)})

    def _conclude(self, decider: Decider) -> Verdict | None:
        """The verdict once the evidence is enough or the cap is reached."""
        outcome = conclude(*decider.log_e())
        if outcome == REFUTED:
            shown = self._witness(decider)
            return Verdict(REFUTED, evidence="sampled", tightness=self._tightness(decider), witness=shown)
        if outcome == HOLDS:
            return Verdict(HOLDS, evidence="sampled", tightness=self._tightness(decider))
        return self._conclude_at_cap(decider) if self.folded == self.cap else None

    def fail(self, message: str, final: bool = False) -> None:
        """A chunk raised; the second time, or where it is `final`, it is given up."""
        self.failures.append(message)
        if final or len(self.failures) >= 2:
            self.verdict = inconclusive("FAILED", message)

    @property
    def left_out(self) -> str:
        """Of a combination that the claim does not name and that cannot be tried: what bound or trial raised there."""
        failed = self.verdict is not None and self.verdict.reason == "FAILED"
        return self.verdict.note if self.verdict and failed and not self.named else ""

    @property
    def silent(self) -> bool:
        """Whether a bad event was waited for and never came: the truth is then known by the number of trials alone."""
        if self.claim.style == "mean" and isinstance(self.decider, MeanDecider):
            return self.trials > 0 and not self.decider.values.any()
        return isinstance(self.decider, TailDecider) and self.trials > 0 and self.decider.failures == 0

    def _tightness(self, decider: Decider) -> Ends | None:
        return None if self.claim.style == "rate" or self.silent else decider.tightness()

    def _conclude_at_cap(self, decider: Decider) -> Verdict:
        tightness = self._tightness(decider)
        if isinstance(decider, AttackDecider):
            if limit := decider.describe_lower_bound():
                return inconclusive("AUDIT_ONLY", f"survived: {limit}", evidence="sampled", tightness=tightness)
            text = "this attack does not distinguish the datasets and has no power below the leak of its control"
            return inconclusive("NO_POWER", text, evidence="sampled", tightness=tightness)
        if tightness and tightness[0] >= 1 / TIGHT and tightness[1] <= TIGHT:
            return inconclusive("TIGHT", evidence="sampled", tightness=tightness)
        hold, refute = decider.log_e()
        fractions = [hold / LOG_HOLD, refute / LOG_REFUTE]
        best = max(fractions)  # log e grows about linearly in the trials, so that trials / best of them would decide
        need = f"about {self.trials / best:.2g} trials" if best > 0.02 else "far more trials than the cap"
        return inconclusive("BUDGET", f"{need} would decide it", evidence="sampled", tightness=tightness)

    def _witness(self, decider: Decider) -> dict:
        claimed = self.claim.bound(**self.setting)
        python = self.claim.python(**self.setting) if self.claim.python else ""
        return {"setting": self.setting, "claimed": claimed, "found": decider.found(), "python": python}


def fold(cell: Cell, chunks: Mapping[int, Chunk]) -> Cell:
    """Fold stored chunks {index: Chunk} into `cell`, in order, while they last and nothing is decided."""
    while cell.verdict is None and cell.folded in chunks:
        try:
            cell.add(chunks[cell.folded])
        except (Exception, SystemExit) as error:  # a value out of its range, say: the cell is lost, the ledger is not
            cell.verdict = inconclusive("FAILED", f"chunk {cell.folded - 1} cannot be folded: {error}")
    return cell


class ControlRun:
    """A claim's control in a run: its factors in ascending order until one is REFUTED."""

    def __init__(self, claim: Claim, times: int = 1) -> None:
        self.claim, self.times = claim, times
        self.tried: list[Cell] = []
        setting = claim.control.setting if claim.control else None
        self.setting = setting if setting is not None else next(iter(self._admissible()), None)

    def _admissible(self) -> Iterator[dict]:
        return (s for s in self.claim.quick + self.claim.full if not self.claim.theorem.skipped(s))

    def next_cell(self) -> Cell | None:
        """The cell to decide next, or None when the control is over."""
        if self.claim.control is None or self.setting is None:
            return None
        if self.tried and (self.tried[-1].verdict is None or self.tried[-1].verdict.outcome == REFUTED):
            return None
        if len(self.tried) == len(self.claim.control.factors):
            return None
        self.tried.append(Cell(self.claim, self.setting, self.claim.control.factors[len(self.tried)], self.times))
        return self.tried[-1]

    @property
    def outcome(self) -> str:
        """REFUTED as it must be, what it was instead, or "" where there is no control or it has not run."""
        last = self.tried[-1].verdict if self.tried else None
        return last.outcome if last else ""

    @property
    def smallest_detected_factor(self) -> str | None:
        """The smallest factor that was REFUTED, with what it means."""
        if self.outcome != REFUTED or self.claim.control is None:
            return None
        return self.claim.control.text(self.tried[-1].factor)


def find_refuted_cell(cells: Iterable[Cell]) -> Cell | None:
    """The cell whose counterexample refutes the claim, if one does: the first."""
    return next((cell for cell in cells if cell.verdict is not None and cell.verdict.outcome == REFUTED), None)


def combine(cells: Sequence[Cell]) -> Verdict | None:
    """The claim's verdict from its cells', but those left out: any REFUTED; all VACUOUS; all others HOLD; else none.

    A search refutes, or it says what it tried, and how close to the bound it came.
    """
    cells = [cell for cell in cells if not cell.left_out]
    decided = [cell.verdict for cell in cells if cell.verdict is not None]
    verdicts = [v for v in decided if not v.searched]
    if not verdicts or len(decided) < len(cells):
        return None
    outcomes = [v.outcome for v in verdicts]
    tight = [v.tightness for v in decided if v.tightness]
    tightness = (max(t[0] for t in tight), max(t[1] for t in tight)) if tight else None
    if REFUTED in outcomes:  # before all else: one counterexample is enough, whatever the other cells say
        chosen = verdicts[outcomes.index(REFUTED)]
        tightness = chosen.tightness
    elif all(o == VACUOUS for o in outcomes):
        chosen = verdicts[0]
    elif INCONCLUSIVE in outcomes:
        chosen = verdicts[outcomes.index(INCONCLUSIVE)]
    else:
        chosen = verdicts[outcomes.index(HOLDS)]
        held = [v for v in verdicts if v.outcome == HOLDS]
        scope = "settings" if any(v.scope == "settings" for v in held) else chosen.scope
        chosen = replace(chosen, evidence=find_weakest([v.evidence for v in held]), scope=scope)
        silent = [cell.trials for cell in cells if cell.silent]
        if silent:
            where = "" if len(silent) == len(held) else f" at {len(silent)} of {len(held)} settings"
            chosen = replace(chosen, note=f"no failure in {sum(silent):,} trials{where}")
    searched = next((v.searched for v in decided if v.searched), {})
    if chosen.outcome == HOLDS and "pieces" in searched.get("proof", {}):
        scope = chosen.scope if ":" in chosen.scope else "everywhere"  # what the claim says of objects, such as losses
        chosen = replace(chosen, evidence="certificate", scope=scope)
    same, different = (sum(counts) for counts in zip(*(v.copied for v in decided), strict=True))
    shares = {
        name: max((v.shares.get(name) or {} for v in verdicts), key=lambda each: each.get("share", 0.0))
        for name in ("case", "link")
    }
    if basis := chosen.shares.get("basis"):
        shares["basis"] = basis
    return replace(chosen, tightness=tightness, searched=searched, copied=(same, different), shares=shares)
