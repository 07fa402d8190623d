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
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from lemmata.bounds.theorem import THEOREMS, Hypothesis, Statement, Theorem
from lemmata.experiments.engine.claims.steps import Step, check_steps
from lemmata.experiments.engine.claims.verdict import AttackDecider, MeanDecider, RateDecider, TailDecider
from lemmata.experiments.engine.ground.evidence import find_missing_steps
from lemmata.experiments.engine.ground.profiles import cross_settings
from lemmata.mechanisms.numerics.inherited_docs import share_docs

CONSTANTS = ("bound", "chunk", "low", "high", "python")  # keywords that are functions of the setting, or constants
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
    """One row of the ledger that a check or trials decide. Its keywords are:

    quick           settings that every run tries: grid(n=[10, 100], beta=[0.1])
    full            further settings, which --profile full tries
    control         Control("what {} does", (2, 5)): sabotage by the least factor that the check refutes, else
                    CONTROL_FAILED
    given           rows that have to hold for this one to hold, as functions or keys; the check has to call them
    steps           the derivation, from the left side of the check to that of the statement:
                    [Step("Markov's inequality", lambda *, k, t: 1 / (k * t)), Step("algebra")]
    over            hypotheses on what the check runs over beside the arguments of the statement: [positive("u")]
    cites           results of others that are used without a proof: "Bartlett 1998, Theorem 2"
    evidence, scope of a row that holds. By default it is "tested" at "settings", or a "derivation" "everywhere" if it
                    is `given` rows or its record's docstring has a section "Derivation": whole sentences with a
                    formula and a step that the statement does not say itself. To say "derivation" without either is an
                    error. "composition": the check only repeats what the statement's function puts together.
                    "enumeration", "certificate": all cases are exact, or balls; on floats it comes out as tested
    note            a sentence for the reader
    finding         what is wrong, in a few words: the headline of a row that is refuted; by default a short note
    severity        of a printed row that is refuted: "privacy", "statement" or "constant"
    python          the program that shows that a row is refuted, or a function of the setting. It runs in a process of
                    its own and calls the statement at the setting of the counterexample. If that number is changed, it
                    agrees with the check: it fails where the check no longer refutes, also at infinity, and passes
                    where it does. So of an identity it asserts that the sides differ. Without one the row is
                    INCONCLUSIVE (UNCONFIRMED)
    corrected_by    the row that is true instead, by default the corrected reading
    nonvacuous_from () -> the smallest n at which the bound says anything
    oracle          "exact", "below" or "above": where a left side that is computed lies, compared with the truth
    cost            core-seconds of a trial, or of an exact check (0.05 by default), for the plan of a run
    reach           {"n": 200}: how far a search goes, where the check takes long or leaves the range of floats. By
                    default 4,096 in whole numbers and without a limit in others
    by              the shared check that drives the trial: its code counts as the trial's

    Of trials, numbers or functions of the setting:

    bound           the probability or the mean that is allowed, by default the entry beta
    low, high       the least value of a trial, by default 0, and the largest, which a mean and a rate have to name; of
                    a rate also a pair for the two ends
    chunk, cap      trials of a chunk, and chunks of a cell at most: BUDGET if they do not decide it
    trivial         a sentence where the bound is vacuous although it is not large, else None
    points          of a rate: the parameter at each column, for the figure
    expect          the truth as a multiple of the bound, for the power that tests compute

    A printed row that is false is REFUTED, unless it names one of these:

    corner          the one restriction that it lacks, words and predicate: require("n >= 2", lambda n: n >= 2). It is a
                    SLIP if `corrected_by` HOLDS, a row that calls the printed formula where the predicate is true
    used            {"lem3": grid(n=[2, 100])}: what each place of use sets, all of it inside the corner
    restated        ["thm4"]: places that repeat it with the same flaw, and on which nothing depends
    misprint        "read <= for =": a SLIP too; `corrected_by` has the one symbol replaced and HOLDS
    undecided       next to a corner: what is not known inside it. The row is INCONCLUSIVE (CORNER)
    """

    theorem: Theorem
    style: str  # tail | mean | rate | attack | exact
    trial: Callable[..., Any]
    quick: tuple[Setting, ...] = ({},)
    full: tuple[Setting, ...] = ()  # without the quick ones
    control: Control | None = None
    law: str = ""  # our own mechanism that is under attack; "" where the row is about the statement itself
    bound: Callable[..., float] = lambda **setting: setting["beta"]
    low: Callable[..., float] = lambda **setting: 0.0
    high: Callable[..., Any] = lambda **setting: 1.0
    chunk: Callable[..., int] = lambda **setting: 1000
    cap: int = 20
    cost: float = 1e-5
    trivial: Callable[..., str | None] | None = None
    attack: str = ""  # pure | gdp | approx
    given: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    over: tuple[Hypothesis, ...] = ()
    cites: tuple[str, ...] = ()
    corner: Hypothesis | None = None
    used: Mapping[str, tuple[Setting, ...]] = field(default_factory=dict)
    restated: tuple[str, ...] = ()
    misprint: str = ""
    undecided: str = ""
    finding: str = ""
    severity: str = ""
    corrected_by: str = ""
    points: Callable[..., Any] | None = None
    nonvacuous_from: Callable[[], int] | None = None
    expect: float = 0.0
    python: Callable[..., str] | None = None
    note: str = ""
    oracle: str = ""
    reach: Mapping[str, float] = field(default_factory=dict)
    by: Callable[..., Any] | None = None
    evidence: str = ""  # "" where the verdict of the check says it, and the scope
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
                from lemmata.experiments.engine.claims.attack import guarantee

                return AttackDecider(guarantee(self.attack, bound, setting.get("delta", 0.0)))
        raise ValueError(f"style must be exact, tail, mean, rate or attack, got {self.style!r}")


def describe_keywords() -> str:
    """What each keyword of a claim means: the table in `help(lemmata.paper)`, written once, in the class itself."""
    return textwrap.indent((inspect.getdoc(Claim) or "").partition("\n\n")[2], "    ")


CLAIMS: dict[str, Claim] = {}


def _same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """The same function, or its twin from running the module as a script."""
    homes = {one.__module__, other.__module__}
    return one.__qualname__ == other.__qualname__ and (len(homes) == 1 or "__main__" in homes)


def as_function(value: Any) -> Callable[..., Any]:
    """A function of the setting as it is; a constant as the function that always returns it."""
    return value if callable(value) else lambda **_: value


def key_of(row: Statement[..., Any] | str) -> str:
    """The key of a row: of the statement that a function of bounds/ records, or the key itself."""
    return row.theorem.key if hasattr(row, "theorem") else row


def find_twin(theorem: Theorem) -> str:
    """The key of what is true instead, if the part has it: the corrected reading, or the print of what is quoted."""
    other = {"printed": "corrected", "quoted": "printed"}.get(theorem.reading, "")
    key = replace(theorem, reading=other, quoted_by="").key
    return key if key in THEOREMS else ""


def _check_keywords(theorem: Theorem, style: str, fields: Mapping[str, Any]) -> None:
    """Raise ValueError or TypeError, in one line, for keywords that are unknown, or that do not fit together."""
    for name, words in (("oracle", ORACLES), ("severity", SEVERITIES)):
        if fields.get(name, "") not in ("", *words):
            raise ValueError(f"{name} must be one of {', '.join(words)}, got {fields[name]!r}")
    if not isinstance(fields.get("corner"), Hypothesis | None):
        raise ValueError(f"corner must be a predicate, require(words, lambda n: n >= 2), got {fields['corner']!r}")
    if not isinstance(fields.get("used", {}), Mapping):
        raise ValueError(f"used must be {{place: settings of its use}}, got {fields['used']!r}")
    own = theorem.id.removeprefix(f"{theorem.paper}.")
    for place in (*fields.get("used", ()), *fields.get("restated", ())):  # the statement itself, its parts and steps
        if f"{place}.".removeprefix(f"{theorem.paper}.").replace("/", ".").startswith(f"{own}."):
            raise ValueError(f"{theorem.key}: used and restated must name other statements, got {place}")
    if fields.get("undecided") and not fields.get("corner"):
        raise ValueError(f"undecided requires a corner, got {fields['undecided']!r} without one")
    if lacks := find_missing_steps(
        fields.get("evidence", ""), fields.get("scope", ""), theorem, fields["given"] or fields["steps"]
    ):
        raise ValueError(f"{theorem.key}: {lacks}")
    if style in ("mean", "rate") and "high" not in fields:  # a default would be a hypothesis that no author wrote
        raise ValueError(f"{theorem.key} needs high=, the largest value of a trial (number or function of the setting)")
    known = [field.name for field in dataclasses.fields(Claim)]
    if unknown := [name for name in fields if name not in known]:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        raise TypeError(f"{theorem.key}: {unknown[0]}= is unknown; " + (f"did you mean {near[0]}?" if near else LISTED))
    needed = [p.name for p in inspect.signature(theorem.formula).parameters.values() if p.default is p.empty]
    if style != "exact" and needed and not any((*fields["quick"], *fields["full"])):
        raise ValueError(f"{theorem.key} needs settings: quick=grid({', '.join(f'{name}=[...]' for name in needed)})")


def _register(style: str, statement: Statement[..., Any], **fields: Any) -> Callable[[Trial], Trial]:
    """A decorator that makes a claim of a trial and enters it in `CLAIMS`; keywords may be in a paper's short forms."""
    theorem = statement.theorem
    fields["quick"], fields["full"] = tuple(fields.get("quick", ({},))), tuple(fields.get("full", ()))
    fields["steps"] = check_steps(fields.get("steps", ()))
    used = (step.reason for step in fields["steps"] if not isinstance(step.reason, str))
    fields["given"] = tuple(dict.fromkeys(map(key_of, (*fields.get("given", ()), *used))))
    if fields.get("severity") or fields.get("control") is None:
        fields.setdefault("corrected_by", find_twin(theorem))
    fields["corrected_by"] = key_of(fields.get("corrected_by", ""))
    fields |= {name: as_function(fields[name]) for name in CONSTANTS if name in fields}
    _check_keywords(theorem, style, fields)

    def decorate(trial: Trial) -> Trial:
        claim = Claim(theorem, style, trial, **fields)
        if claim.key in CLAIMS and not _same(CLAIMS[claim.key].trial, trial):
            raise ValueError(f"claim {claim.key!r} is registered twice")
        if claim.key in CLAIMS and trial.__module__ == "__main__":
            return trial  # a module that runs as a script is imported too, and workers know that one only
        CLAIMS[claim.key] = claim
        return trial

    return decorate


def tail_claim(statement: Statement[..., Any], **fields: Any) -> Callable[[Trial], Trial]:
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


@share_docs(tail_claim)
def mean_claim(statement: Statement[..., Any], **fields: Any) -> Callable[[Trial], Trial]:
    """E X <= bound(**setting), X in [low, high]. `trial(rng, size, *, factor=1, **setting)` -> (size,) floats.

    `high` has to be said, `low` is 0 by default: numbers, or functions of the setting.
    """
    return _register("mean", statement, **fields)


@share_docs(tail_claim)
def rate_claim(statement: Statement[..., Any], **fields: Any) -> Callable[[Trial], Trial]:
    """E X_last <= bound(**setting) * E X_first, each in [0, high]: a registered exponent. -> (size, points).

    `high` has to be said, a number or a pair for the two ends.
    """
    return _register("rate", statement, **fields)


@share_docs(tail_claim)
def exact_claim(statement: Statement[..., Any], **fields: Any) -> Callable[[Trial], Trial]:
    """Decided without sampling. `check(*, factor=1, **setting)` -> Verdict. `cost` is said where it is above 0.1."""
    fields.setdefault("cost", 0.05)
    return _register("exact", statement, **fields)


@share_docs(tail_claim)
def attack_claim(
    statement: Statement[..., Any], *, law: str, attack: str, bound: Any, **fields: Any
) -> Callable[[Trial], Trial]:
    """An `impl:<law>` row: `pair(*, factor=1, **setting)` -> two laws, or functions (rng, size), of two neighbours.

    `bound(**setting)` is the claimed epsilon ("pure", "approx") or mu ("gdp"); `factor` sabotages the mechanism.

    Parameters
    ----------
    law : str
        What is attacked; it names the row.
    attack : str
        "pure", "approx" or "gdp".
    bound : float or function
        The claimed epsilon or mu, or a function of the setting.
    """
    from lemmata.experiments.engine.claims.attack import attacker

    if attack not in ATTACKS:
        raise ValueError(f"attack must be one of {', '.join(ATTACKS)}, got {attack!r}")

    def decorate(pair: Trial) -> Trial:
        register(attacker(pair, attack, as_function(bound)))
        return pair

    register = _register("attack", statement, law=law, attack=attack, bound=bound, **fields)
    return decorate
