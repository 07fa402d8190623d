"""A claim: a theorem, the settings it is tried at, one trial, one control.

    @tail_claim(jl.sign_projection_rows, quick=grid(m=[30], gamma=[0.9], beta=[0.05]),
                control=Control("rows / {}", (2, 5)))
    def inner_products_break(rng, size, *, m, gamma, beta, factor=1): ...

A *trial* is one draw of everything that the statement's probability ranges over. What a trial function returns
depends on the claim: booleans, "did the bad event happen" (tail); numbers, such as the share of bad events among
releases that share a draw (mean); curves along a parameter (rate); guesses right, wrong and abstained (attack); a
`Verdict` (exact: no sampling). Every trial takes `factor=1`. The control is the same check at `factor > 1`,
where the mechanism or the formula is mutated by that factor, and must come out REFUTED: the first factor of
the control's list that does is `smallest_caught`.
"""

import dataclasses
import difflib
import inspect
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, TypeVar, Unpack

from lemmata.bounds.theorem import THEOREMS, Hypothesis, Statement, Theorem
from lemmata.experiments.engine.claims.verdict import AttackDecider, MeanDecider, RateDecider, TailDecider
from lemmata.experiments.engine.ground.evidence import find_missing_steps
from lemmata.experiments.engine.ground.profiles import cross_settings
from lemmata.mechanisms.numerics.inherited_docs import like

ORACLES = ("exact", "below", "above")  # where the left side of a check stands beside the truth
LISTED = "help(lemmata.paper) lists what a claim can say"
ATTACKS = ("pure", "approx", "gdp")  # by what is claimed: an epsilon, one beside a delta, a mu
SEVERITIES = ("privacy", "statement", "constant")  # worst first

Setting = dict[str, Any]  # the arguments of a bound and of a trial by name
Trial = TypeVar("Trial", bound=Callable[..., Any])  # a decorator hands back the function that it was given
Decider = TailDecider | MeanDecider | RateDecider | AttackDecider


@dataclass(frozen=True)
class Control:
    """The sabotage that the claim's own check must refute: `factors` are tried in ascending order.

    `says` tells what the factor does, `{}` standing for it, or is a function of the factor. The setting is the claim's
    first by default. `of="bound"` divides the claimed bound by the factor instead of handing it to the trial.

    Parameters
    ----------
    says : str or function
        What is done, `{}` standing for the factor.
    factors : tuple of float
        In ascending order; the least that is caught is reported.
    setting : dict, optional
        The claim's first by default.
    of : str
        "trial" or "bound".
    """

    says: str | Callable[[float], str]
    factors: tuple[float, ...] = (2,)
    setting: Setting | None = None
    of: str = "trial"

    def text(self, factor: float) -> str:
        """What the sabotage at `factor` is, in words."""
        return self.says(factor) if callable(self.says) else self.says.format(f"{factor:g}")


def grid(**axes: Iterable[Any]) -> tuple[Setting, ...]:
    """The settings of a full factorial, first axis slowest.

    Parameters
    ----------
    **axes : sequence
        The values of each argument.

    Returns
    -------
    tuple of dict

    Examples
    --------
    >>> grid(m=[10, 30], beta=[0.1])
    ({'m': 10, 'beta': 0.1}, {'m': 30, 'beta': 0.1})
    """
    return tuple(dict(zip(axes, point, strict=True)) for point in itertools.product(*axes.values()))


@dataclass(frozen=True)
class Claim:
    """One row of the ledger that something decides."""

    theorem: Theorem
    style: str  # tail | mean | rate | attack | exact
    trial: Callable[..., Any]
    quick: tuple[Setting, ...]
    full: tuple[Setting, ...]  # beside the quick ones
    control: Control | None
    law: str = ""  # our own mechanism that is under attack, where the row is not about the statement itself
    bound: Callable[..., float] = lambda **setting: setting["beta"]
    low: Callable[..., float] = lambda **setting: 0.0
    high: Callable[..., Any] = lambda **setting: 1.0  # a mean and a rate say theirs; of a rate maybe one for each end
    chunk: Callable[..., int] = lambda **setting: 1000  # trials a chunk
    cap: int = 20  # chunks a cell
    cost: float = 1e-5  # core-seconds a trial, committed; an exact check is one trial, of 0.05 by default
    trivial: Callable[..., str | None] | None = None  # setting -> a sentence if the bound is vacuous there, else None
    attack: str = ""  # pure | gdp | approx
    given: tuple[str, ...] = ()  # keys of rows that must hold for this one to hold
    cites: tuple[str, ...] = ()  # results that are used without a proof of ours: "Bartlett 1998, Theorem 2"
    corner: Hypothesis | None = None  # of a printed reading that fails in a corner only: the restriction it lacks
    used: Mapping[str, tuple[Setting, ...]] = field(default_factory=dict)  # place -> what the place sets, inside it
    restated: tuple[str, ...] = ()  # places that repeat it with the same flaw, and on which nothing depends
    misprint: str = ""  # of a printed reading with one wrong symbol: "read X for Y"
    undecided: str = ""  # of a printed reading that is false in a corner: what nobody has decided elsewhere
    finding: str = ""  # what is wrong, in a few words: the headline of a statement that falls
    severity: str = ""
    corrected_by: str = ""  # key of the row that is true where this one is not
    points: Callable[..., Any] | None = None  # setting -> where a rate claim's columns stand, for its figure
    nonvacuous_from: Callable[[], int] | None = None  # () -> the smallest n at which the bound says anything
    expect: float = 0.0  # the truth as a multiple of the bound, for the power arithmetic of the tests
    python: Callable[..., str] | None = None  # setting -> a witness a reader can run, for sampled refutations
    note: str = ""
    oracle: str = ""  # of a left side: "exact", or "below" or "above" the truth where it can only err so
    by: Callable[..., Any] | None = None  # the shared check that drives the trial: its code counts as the trial's
    evidence: str = ""  # of a check by cases that holds, and its scope: "" where the check's verdict says so itself
    scope: str = ""

    @property
    def part(self) -> str:
        """What distinguishes the row from its siblings; `impl:<law>` for a mechanism of ours."""
        return f"impl:{self.law}" if self.law else self.theorem.part

    @property
    def key(self) -> str:
        """`id/reading/part`, the name of the row everywhere."""
        return "/".join(filter(None, (self.theorem.id, self.theorem.reading, self.part)))

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The keys it falls with: of the rows it is given, and of what is true where a slip is true."""
        return tuple(dict.fromkeys((*self.given, *([self.corrected_by] if self.is_slip else []))))

    @property
    def is_slip(self) -> bool:
        """Whether the row is a slip if it falls: one symbol, or one restriction, is all that the print lacks."""
        return not self.undecided and bool(self.corner or self.misprint)

    def settings(self, profile: str) -> tuple[Setting, ...]:
        """All settings of a profile, those of the profile before it first."""
        named = self.quick if profile == "quick" else self.quick + self.full
        return (*named, *cross_settings(named)) if profile == "deep" else named

    def skipped(self, profile: str) -> list[dict[str, Any]]:
        """Settings outside the hypotheses, each with the hypothesis."""
        reasons = ((s, self.theorem.skipped(s)) for s in self.settings(profile))
        return [{"setting": s, "hypothesis": why} for s, why in reasons if why]

    def why_vacuous(self, setting: Setting) -> str | None:
        """Why the bound says nothing at `setting`, or None."""
        if self.trivial and (why := self.trivial(**setting)):
            return why
        if self.style == "tail" and self.bound(**setting) >= 1:
            return "the failure probability allowed is at least 1"
        if self.style == "mean" and self.bound(**setting) >= self.high(**setting):
            return "the bound is at least the largest possible value"
        return None

    def _mutated(self, part: str, factor: float) -> bool:
        """Whether a control at `factor` mutates this `part`: the trial, or the bound."""
        if factor == 1:
            return False
        assert self.control is not None, f"{self.key} has no control, and a factor is one of a control's"
        return self.control.of == part

    def arguments(self, setting: Setting, factor: float, **chunk: Any) -> dict[str, Any]:
        """What the trial is called with beside its generator; an attack also learns which chunk it is."""
        sabotage = {"factor": factor} if self._mutated("trial", factor) else {}
        return setting | sabotage | (chunk | {"key": self.key} if self.style == "attack" else {})

    def decider(self, setting: Setting, factor: float = 1) -> Decider | None:
        """A fresh decider for one cell; None for exact claims."""
        if self.style == "exact":
            return None
        bound = self.bound(**setting)
        if self._mutated("bound", factor):
            bound = bound / factor
        match self.style:
            case "tail":
                return TailDecider(bound)
            case "mean":
                return MeanDecider(bound, self.low(**setting), self.high(**setting))
            case "rate":
                high = self.high(**setting)
                return RateDecider.between(bound, high if isinstance(high, tuple) else (high, high))
            case "attack":
                delta = setting.get("delta", 0.0) if self.attack == "approx" else 0.0
                return AttackDecider(self.attack, bound, delta)
        raise ValueError(f"style = {self.style!r} is not a way to decide")


CLAIMS: dict[str, Claim] = {}


def _same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """The same function, or its twin from running the module as a script."""
    homes = {one.__module__, other.__module__}
    return one.__qualname__ == other.__qualname__ and (len(homes) == 1 or "__main__" in homes)


def _always(value: Any) -> Callable[..., Any]:
    """A number where a function of the setting may stand."""
    return lambda **_: value


def key_of(row: Statement[..., Any] | str) -> str:
    """The key of a row: of the statement that a function of bounds/ records, or the key itself."""
    return row.theorem.key if hasattr(row, "theorem") else row


def find_twin(theorem: Theorem) -> str:
    """The key of what is true instead, if the part has it: the corrected reading, or the print of what is quoted."""
    other = {"printed": "corrected", "quoted": "printed"}.get(theorem.reading, "")
    key = replace(theorem, reading=other, quoted_by="").key
    return key if key in THEOREMS else ""


class Common(TypedDict, total=False):
    """What may be said of every claim: the fields of `Claim`, in the form in which a paper writes them."""

    quick: Iterable[Setting]
    full: Iterable[Setting]
    control: Control | None
    bound: Callable[..., float]
    low: Callable[..., float] | float
    high: Callable[..., Any] | float | tuple[float, float]
    chunk: Callable[..., int] | int
    cap: int
    cost: float
    trivial: Callable[..., str | None] | None
    given: Iterable[Statement[..., Any] | str]
    cites: Collection[str]
    corner: Hypothesis | None
    used: Mapping[str, Collection[Setting]]
    restated: Collection[str]
    misprint: str
    undecided: str
    finding: str
    severity: str
    corrected_by: Statement[..., Any] | str
    points: Callable[..., Any] | None
    nonvacuous_from: Callable[[], int] | None
    expect: float
    python: Callable[..., str] | None
    note: str
    oracle: str
    by: Callable[..., Any] | None
    evidence: str
    scope: str


class Fields(Common, total=False):
    """The same, and the mechanism of ours that the row is about, if any; an attack always names it."""

    law: str


def _register(
    style: str,
    statement: Statement[..., Any],
    *,
    quick: Iterable[Setting] = ({},),
    full: Iterable[Setting] = (),
    control: Control | None = None,
    given: Iterable[Statement[..., Any] | str] = (),
    severity: str = "",
    **fields: Any,
) -> Callable[[Trial], Trial]:
    theorem = statement.theorem
    if fields.get("oracle", "") not in ("", *ORACLES):
        raise ValueError(f"oracle = {fields['oracle']!r} is not one of {', '.join(ORACLES)}")
    if severity and severity not in SEVERITIES:
        raise ValueError(f"severity = {severity!r} is not one of {', '.join(SEVERITIES)}")
    if not isinstance(fields.get("corner"), Hypothesis | None):
        raise ValueError(f"corner = {fields['corner']!r} is no predicate: corner=require(words, lambda n: n >= 2)")
    if not isinstance(fields.get("used", {}), Mapping):
        raise ValueError(f"used = {fields['used']!r} is no {{place: the settings at which it is used there}}")
    if fields.get("undecided") and not fields.get("corner"):
        raise ValueError(f"undecided = {fields['undecided']!r} is said of a row without a corner")
    if severity or control is None:
        fields.setdefault("corrected_by", find_twin(theorem))
    fields["corrected_by"] = key_of(fields.get("corrected_by", ""))
    fields["given"] = tuple(map(key_of, given))
    if lacks := find_missing_steps(fields.get("evidence", ""), fields.get("scope", ""), theorem, fields["given"]):
        raise ValueError(f"{theorem.key}: {lacks}")
    if style in ("mean", "rate") and "high" not in fields:  # a default would be a hypothesis that nobody wrote
        raise ValueError(f"{theorem.key} does not say how large a trial can be: high=3, or a function of the setting")
    for name in ("chunk", "low", "high"):
        if name in fields and not callable(fields[name]):
            fields[name] = _always(fields[name])

    known = [field.name for field in dataclasses.fields(Claim)]
    if unknown := [name for name in fields if name not in known]:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        raise TypeError(f"{theorem.key}: {unknown[0]}= is unknown; " + (f"did you mean {near[0]}?" if near else LISTED))
    quick, full = tuple(quick), tuple(full)
    needed = [p.name for p in inspect.signature(theorem.formula).parameters.values() if p.default is p.empty]
    if style != "exact" and needed and not any((*quick, *full)):
        raise ValueError(f"{theorem.key} has no settings: quick=grid({', '.join(f'{name}=[...]' for name in needed)})")

    def decorate(trial: Trial) -> Trial:
        claim = Claim(theorem, style, trial, tuple(quick), tuple(full), control, severity=severity, **fields)
        if claim.key in CLAIMS and not _same(CLAIMS[claim.key].trial, trial):
            raise ValueError(f"claim = {claim.key!r} is registered twice")
        if claim.key in CLAIMS and trial.__module__ == "__main__":
            return trial  # a module that runs as a script is imported too, and workers know that one only
        CLAIMS[claim.key] = claim
        return trial

    return decorate


def tail_claim(statement: Statement[..., Any], **fields: Unpack[Fields]) -> Callable[[Trial], Trial]:
    """P(bad event) <= bound (default `beta`). `trial(rng, size, *, factor=1, **setting)` -> (size,) bool.

    Parameters
    ----------
    statement : Statement
        A reading of a theorem, as `theorem` or `.corrected` makes it.
    **fields
        See the top of `lemmata.paper`.

    Returns
    -------
    function
        A decorator of the trial, the check or the pair.
    """
    return _register("tail", statement, **fields)


@like(tail_claim)
def mean_claim(statement: Statement[..., Any], **fields: Unpack[Fields]) -> Callable[[Trial], Trial]:
    """E X <= bound(**setting), X in [low, high]. `trial(rng, size, *, factor=1, **setting)` -> (size,) floats.

    `high` has to be said, `low` is 0 by default: numbers, or functions of the setting.
    """
    return _register("mean", statement, **fields)


@like(tail_claim)
def rate_claim(statement: Statement[..., Any], **fields: Unpack[Fields]) -> Callable[[Trial], Trial]:
    """E X_last <= bound(**setting) * E X_first, each in [0, high]: a registered exponent. -> (size, points).

    `high` has to be said, a number or a pair for the two ends.
    """
    return _register("rate", statement, **fields)


@like(tail_claim)
def exact_claim(statement: Statement[..., Any], **fields: Unpack[Fields]) -> Callable[[Trial], Trial]:
    """Decided without sampling. `check(*, factor=1, **setting)` -> Verdict. `cost` is said where it is above 0.1."""
    fields.setdefault("cost", 0.05)
    return _register("exact", statement, **fields)


@like(tail_claim)
def attack_claim(
    statement: Statement[..., Any], *, law: str, attack: str, **fields: Unpack[Common]
) -> Callable[[Trial], Trial]:
    """An `impl:<law>` row: `pair(*, factor=1, **setting)` -> two laws, or functions (rng, size), of two neighbours.

    `bound(**setting)` is the claimed epsilon ("pure", "approx") or mu ("gdp"); `factor` sabotages the mechanism.

    Parameters
    ----------
    law : str
        What is attacked; it names the row.
    attack : str
        "pure", "approx" or "gdp".
    """
    from lemmata.experiments.engine.claims.attack import attacker

    if attack not in ATTACKS:
        raise ValueError(f"attack = {attack!r} is not one of {', '.join(ATTACKS)}")

    def decorate(pair: Trial) -> Trial:
        register(attacker(pair, attack, fields["bound"]))
        return pair

    register = _register("attack", statement, law=law, attack=attack, **fields)
    return decorate
