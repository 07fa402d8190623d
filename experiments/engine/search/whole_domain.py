"""Proving a claim on its whole domain: its check is followed with variables, and each step of its derivation proved.

The setting of every case has to consist of all arguments of the statement, and of what else the claim runs `over`,
each a variable of its own. Then left <= right is a statement about all settings, which `lemmata.bounds.proof.prover`
tries to prove and `checker` has to accept.
"""

import contextlib
import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from lemmata.bounds.proof import checker, prover
from lemmata.bounds.proof.expression import (
    Condition,
    Expression,
    NotGeneric,
    as_expression,
    explore,
    list_parts,
    log,
    variable,
)
from lemmata.bounds.proof.tracing import compile_tree, compiled, follow, remembered
from lemmata.bounds.statement.hypotheses import Domain
from lemmata.experiments.engine.claims.claim import Claim, grid as plain_grid
from lemmata.experiments.engine.claims.steps import chain
from lemmata.experiments.engine.search.domains import meet_intervals
from lemmata.experiments.engine.search.loops import OPENING, Opening, parse_opened

BUDGETS = (60, 400)  # steps of a search for a proof
Stage = tuple[str, Expression, Expression, list[Condition]]  # reason, left, right, conditions


def try_to_prove(claim: Claim) -> dict[str, Any]:
    """What came out: the numbers of steps and pieces of a proof, or in words why there is none."""
    try:
        return prove_claim(claim)
    except Exception as error:  # of a check that does more than compute two sides, too
        return {"none": f"{type(error).__name__}: {error}"[:300]}


def prove_claim(claim: Claim) -> dict[str, Any]:
    """How many steps and pieces a proof on the whole domain has. Raises NotProved, NotGeneric or WrongProof."""
    box, pieces, reasons = make_box(claim), 0, set()
    relation = claim.trial.relation  # type: ignore[attr-defined]
    for reason, left, right, conditions in list_stages(claim):
        directions = [(left, right)] if relation == "<=" else [(left, right), (right, left)]
        for low, high in directions:
            pieces += prove_at_most(low, high, box, conditions)
        reasons.add(reason)
    if not reasons:
        raise NotGeneric("no case has the arguments of the statement for its setting")
    return {"steps": len(reasons), "pieces": pieces}


def prove_at_most(low: Expression, high: Expression, box: Mapping[str, checker.Side], taken: list[Condition]) -> int:
    """The pieces of a proof that low <= high on a box: as a difference, of squares, or of logarithms.

    The last two where both are at least 0, or positive.
    """
    strict = frozenset(condition.below for condition in taken if condition.strict)
    plain = checker.Goal(low - high, box, tuple(condition.below for condition in taken), strict).narrowed()
    goals, kinks = [plain], any(part.kind == "max" for part in list_parts(plain.below))
    if not kinks and plain.is_at_least_0(low) and plain.is_at_least_0(high):
        goals.append(replace(plain, below=low**2 - high**2))
    if not kinks and plain.is_positive(low) and plain.is_positive(high):
        goals.append(replace(plain, below=log(low) - log(high)))
    for steps, goal in itertools.product(BUDGETS, goals):
        with contextlib.suppress(prover.NotProved):
            return checker.check(goal, prover.prove(goal, steps))
    raise prover.NotProved(plain)


def make_box(claim: Claim) -> dict[str, checker.Side]:
    """The domains of the arguments of a statement, the whole line where no hypothesis names one."""
    own = inspect.signature(claim.theorem.formula).parameters
    for hypothesis in claim.over:  # which is for what the statement does not name
        if own.keys() >= set(hypothesis.names):
            raise NotGeneric(f"over= narrows the statement's own {', '.join(hypothesis.names)}: {hypothesis.range}")
    known = meet_intervals((*claim.theorem.needs, *claim.over))
    box = {}
    for name in arguments(claim):
        domain = known.get(name, Domain())
        low, high = (x if math.isinf(x) else Fraction(str(x)) for x in domain[:2])
        box[name] = checker.Side(low, high, *domain[2:])
    return box


def arguments(claim: Claim) -> list[str]:
    """The numeric arguments of a statement, and what else its check runs over."""
    parameters = inspect.signature(claim.theorem.formula).parameters.values()
    own = [p.name for p in parameters if p.default is p.empty or type(p.default) in (int, float)]
    return list(dict.fromkeys([*own, *(name for hypothesis in claim.over for name in hypothesis.names)]))


def list_stages(claim: Claim) -> Iterator[Stage]:
    """Every step of every case whose setting covers the domain, with the conditions on the way to it."""
    remembered()[id(plain_grid)] = plain_grid, grid
    check, needed = inspect.unwrap(claim.trial), arguments(claim)
    given = {name: variable(name) for name in needed}
    opened = _compile_exactly(check)
    run = opened or compiled(check)
    parameters = inspect.signature(check).parameters.values()
    asked = (
        needed
        if any(p.kind is p.VAR_KEYWORD for p in parameters)
        else [p.name for p in parameters if p.default is p.empty]
    )
    looped = {name: given[name] for name in needed if name not in asked}
    opening = Opening(looped, looped, fixed_too=True, compile_opened=_compile_exactly)
    called = {name: given[name] for name in asked} | ({OPENING: opening} if opened else {})

    def stages() -> list[tuple[str, Any, Any]]:
        if not all(map(bool, followed_hypotheses(claim, given))):
            return []
        found: list[tuple[str, Any, Any]] = []
        for *name, setting, left, right in run(**called):
            numbers = {key: value for key, value in setting.items() if not isinstance(value, str)}
            if numbers.keys() != given.keys() or any(numbers[key] is not given[key] for key in given):
                raise NotGeneric(f"a case is at {setting}, not at every value of {', '.join(given)}")
            found += [] if name else chain(claim.steps, setting, left, right, follow)
        return found

    for taken, found in explore(stages, lambda condition: None):
        for reason, left, right in found:
            left, right = as_expression(left), as_expression(right)
            if left is right and not left.is_number:
                raise NotGeneric(f"{reason}: both sides are the same expression")
            yield reason, left, right, taken


def _compile_exactly(function: Any, outermost: bool = True) -> Callable[..., Any] | None:
    """A function with opened loops and exact numbers; None where its text cannot be read."""
    tree = parse_opened(function)
    return compile_tree(tree, function) if tree else None


def grid(**axes: Any) -> list[dict[str, Any]]:
    """The settings of a grid, where a variable is the only value of its axis."""
    return list(plain_grid(**{name: [x] if isinstance(x, Expression) else x for name, x in axes.items()}))


def followed_hypotheses(claim: Claim, given: dict[str, Expression]) -> Iterator[Any]:
    """What the hypotheses on several arguments say; one that cannot be followed is left out, which proves more."""
    for hypothesis in (*claim.theorem.needs, *claim.over):
        if hypothesis.domain is None and given.keys() >= hypothesis.named:
            with contextlib.suppress(NotGeneric, AttributeError, TypeError, ValueError):
                yield follow(hypothesis.holds)(*(given[name] for name in hypothesis.names))
