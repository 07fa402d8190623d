"""Statements made from those that are proved on their whole domain, by one change each, and decided again.

A twin is true where the prover finds a proof that the checker accepts, false where balls show it at a setting, and is
left out where neither is shown. So the change does not give the truth away.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from lemmata.bounds.proof.expression import NotGeneric, number
from lemmata.experiments.benchmark.deciding import DRAWN, Decision, Sampler, decide, grade
from lemmata.experiments.benchmark.inequalities import Inequality, perturb
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.search import whole_domain

LONGEST = 400  # characters of both sides of a statement that is changed
CANDIDATES, PROOFS = 6, 2  # changes that are decided, and proofs that are tried, of one statement
ZERO = r"(?<![\w.])0\*|\*0(?![\w.])"  # a product that is 0: what is left of a setting that a check fixes
SHARES = (0.03, 0.004, 0.0005)  # of the domain, at which a constant is to make a statement false


@dataclass(frozen=True)
class Base:
    """A step of a derivation that is proved on its whole domain."""

    key: str  # of the row
    reason: str
    made: Inequality
    alone: bool  # whether it is all that the row says


@dataclass(frozen=True)
class Twin:
    """A changed statement, what was changed, and its truth."""

    base: Base
    kind: str
    words: str
    made: Inequality
    decision: Decision


def is_proved(row: Row) -> bool:
    """Whether the prover covers the whole domain of a row that holds."""
    proof = (row["searched"] or {}).get("proof") or {}
    return row["verdict"] == "HOLDS" and row["kind"] != "summary" and "steps" in proof


def list_bases(claims: Iterable[Claim]) -> Iterator[Base]:
    """The steps of the derivations of claims that are proved, each once."""
    seen = set()
    for claim in claims:
        box = whole_domain.make_box(claim)
        stages = list(whole_domain.list_stages(claim))
        for reason, left, right, taken in stages:
            made = Inequality(left, right, box, tuple(taken), claim.trial.relation)  # type: ignore[attr-defined]
            texts = made.texts
            if (
                made.names
                and texts[0] != texts[1]
                and not re.search(ZERO, " ".join(texts))
                and sum(map(len, texts)) <= LONGEST
                and made.words() not in seen
            ):
                seen.add(made.words())
                if decide(made, seed_of(claim.key), provable=False).truth:  # undefined somewhere, or never satisfied
                    continue
                yield Base(claim.key, reason, made, len(stages) == 1)


def scale(made: Inequality, rng: np.random.Generator) -> Iterator[tuple[str, str, Inequality]]:
    """Constants on the right side at which a small share of the domain is a counterexample, and one at which none is.

    They are quantiles of left over right.
    """
    sampler = Sampler(made)
    settings = sampler.settings(sampler.draw(rng, DRAWN))
    with np.errstate(all="ignore"):
        inside = sampler.excess(settings) > -np.inf
        left, right = (np.broadcast_to(np.asarray(side(**settings), float), DRAWN) for side in sampler.sides)
        ratios = (left / right)[inside & (right > 0)]
    ratios = ratios[np.isfinite(ratios)]
    if made.relation == "=" or len(ratios) < DRAWN / 10:
        return
    for share in (*SHARES, 0.0):
        wanted = float(np.quantile(ratios, 1 - share)) * (1.02 if share == 0 else 1)
        factor = Fraction(f"{wanted:.3g}")
        if 0 < factor != 1:
            yield "constant", f"the right side multiplied by {factor}", replace(made, right=number(factor) * made.right)


def seed_of(*parts: str) -> np.random.Generator:
    """A generator that depends on texts alone."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16]))


def make_twins(base: Base, key: str) -> list[Twin]:
    """The twins of one statement: at most two false ones, the hardest of what was tried, and two true ones."""
    rng = seed_of(key, base.key, base.made.words())
    changes = list(perturb(base.made))
    changes = [changes[i] for i in rng.permutation(len(changes))[:CANDIDATES]]
    found: dict[str, list[Twin]] = {"true": [], "false": [], "undefined": [], "": []}
    proofs = 0
    for kind, words, made in [*changes, *scale(base.made, rng)]:
        if not made.names or made.texts[0] == made.texts[1] or sum(map(len, made.texts)) > LONGEST:
            continue
        try:
            decision = decide(made, rng, provable=proofs < PROOFS and len(found["true"]) < 2)
        except (NotGeneric, ArithmeticError, TypeError, ValueError):  # balls of something that is not a number
            continue
        proofs += decision.tried
        found[decision.truth].append(Twin(base, kind, words, made, decision))
    hardest = sorted(found["false"], key=lambda twin: -grade(twin.decision.share))
    rare = [twin for twin in hardest[1:] if twin.kind not in ("constant", "exponent")]
    return [*hardest[:1], *(rare or hardest[1:])[:1], *found["true"][:2]]
