"""Evidence is earned: what a claim may say of itself, and what becomes of one that says more."""

from types import SimpleNamespace

import pytest

from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.bounds.theorem import Theorem
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.ground.evidence import (
    EVIDENCE,
    extract_derivation,
    find_missing_steps,
    find_weakest,
    has_derivation,
)
from lemmata.experiments.engine.ledger.verdict_steps import Findings, limit_by_evidence


def silent():
    """The bound."""


def trivial():
    """The bound.

    Derivation. Trivial.
    """


def wordy():
    """The bound.

    Derivation. It is clear from what has been said before that this is so, as every reader sees at once and nobody
    has ever doubted it.
    """


def derives() -> int:
    """The bound.

    Derivation. The left side is a sum of n terms of at most 1/n each, by the choice of the grid, so it is at most
    n (1/n) = 1.

    >>> derives()
    1
    """
    return 1


def again():
    """The bound on the sum.

    Derivation. The sum is at most n^2, since the bound on the sum is n^2: the statement follows from its formula.
    """


def chained():
    """The bound on the sum.

    Derivation. The sum is 1 + 3 + ... + (2n - 1) = n^2 - (n - 1)^2 + ... = n^2.
    """


SAYS = r"\sum_{i=1}^n (2i-1) \le n^2"


def recorded(formula):
    return SimpleNamespace(formula=formula, says=SAYS)


@pytest.mark.parametrize(
    ("formula", "enough"),
    [(silent, False), (trivial, False), (wordy, False), (again, False), (chained, True), (derives, True)],
)
def test_a_derivation_says_something(formula, enough):
    assert has_derivation(formula, SAYS) == enough


def test_a_derivation_ends_where_the_examples_begin():
    assert extract_derivation(derives).startswith("Derivation. The left side") and extract_derivation(derives).endswith(
        "= 1."
    )


@pytest.mark.parametrize("formula", [silent, trivial, wordy])
@pytest.mark.parametrize(
    ("evidence", "scope"),
    [
        ("derivation", "everywhere"),
        ("derivation", "settings"),
        ("composition", "everywhere"),
        ("tested", "everywhere"),
        ("sampled", "everywhere"),
        ("enumeration", "everywhere"),
        ("", "everywhere"),
    ],
)
def test_what_is_not_earned_is_refused(formula, evidence, scope):
    lacks = find_missing_steps(evidence, scope, recorded(formula), ())
    assert lacks and "\n" not in lacks and "given=[rows]" in lacks and formula.__name__ in lacks
    assert not find_missing_steps(evidence, scope, recorded(derives), ()) and not find_missing_steps(
        evidence, scope, recorded(formula), ("a/printed",)
    )


@pytest.mark.parametrize(
    ("evidence", "scope", "formula", "lacks"),
    [
        ("certificate", "everywhere", silent, True),
        ("certificate", "everywhere", derives, False),
        ("certificate", "domain: n <= 9", silent, False),
        ("enumeration", "domain: n <= 9", silent, False),
    ],
)
def test_a_certificate_says_why_it_covers_everything(evidence, scope, formula, lacks):
    """Balls at a few points are a certificate of these points: that they cover all others is a derivation."""
    assert bool(find_missing_steps(evidence, scope, recorded(formula), ())) == lacks


def test_an_unknown_kind_of_evidence_is_refused():
    assert find_missing_steps("proved", "everywhere", recorded(derives), ()).startswith(
        "evidence must be one of asserted"
    )


def test_the_weakest_link_comes_first():
    assert find_weakest(["certificate", "composition", "derivation"]) == "composition"
    assert EVIDENCE.index("sampled") < EVIDENCE.index("composition") < EVIDENCE.index("derivation")
    assert EVIDENCE.index("derivation") < EVIDENCE.index("enumeration") < EVIDENCE.index("certificate")


@pytest.mark.parametrize(
    ("formula", "evidence", "scope"), [(silent, "tested", "settings"), (derives, "asserted", "everywhere")]
)
def test_a_check_that_says_derived_by_itself_is_worth_what_it_has_earned(formula, evidence, scope):
    record = Theorem("inv25.lem1", "", "printed", "inequality", "x", (), "", False, formula)
    claim = Claim(record, "exact", lambda: None, ({},), (), None)
    row = {"verdict": HOLDS, "evidence": "derivation", "scope": "everywhere", "note": ""}
    row = limit_by_evidence(row, Findings(claim, None, [], None, None))
    assert (row["evidence"], row["scope"]) == (evidence, scope)
