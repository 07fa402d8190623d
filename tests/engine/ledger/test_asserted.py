"""Prose is asserted: a row is derived only if a program runs a step, and a row that is given has to be called."""

from types import SimpleNamespace

import pytest

from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE
from lemmata.experiments.engine.claims import fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.front.explanation import EVIDENCE, describe_evidence
from lemmata.experiments.engine.ledger import verdict_steps
from lemmata.experiments.engine.ledger.graph import class_of, format_tally, tally
from lemmata.experiments.engine.ledger.headline import describe_verdict
from lemmata.experiments.engine.ledger.row import open_row

PROSE, CALLED = "bms22.lemF.1.t1/corrected", "bms22.lemF.3d/printed"
UNCALLED = {
    "abgmu22": 55,
    "bms22": 85,
    "rbht09": 16,
    "wzw25": 160,
}  # given and not called: fewer, not more


@pytest.fixture(scope="module", autouse=True)
def claims():
    registry.load()


def held(key, **fields):
    return open_row(CLAIMS[key].theorem) | {"verdict": HOLDS, "scope": "everywhere", "evidence": "derivation"} | fields


def found(key):
    return verdict_steps.Findings(CLAIMS[key], None, [], None, None)


def test_prose_alone_is_asserted_in_these_words():
    row = verdict_steps.limit_by_evidence(held(PROSE), found(PROSE))
    assert row["evidence"] == class_of(row) == "asserted"
    assert describe_evidence(row) == EVIDENCE["asserted"] == "asserted by the author of this row; no step was checked"
    assert format_tally(tally([row])) == "1 asserted"
    assert "true as printed" not in describe_verdict(row)


def test_a_row_that_calls_what_it_is_given_is_derived():
    assert class_of(verdict_steps.limit_by_evidence(held(CALLED), found(CALLED))) == "derived"


def test_what_rests_on_an_assertion_is_asserted():
    links = {key: held(key, evidence="asserted") for key in CLAIMS[CALLED].given}
    row = verdict_steps.limit_by_links(held(CALLED, rests_on=list(links)), CLAIMS[CALLED], links.__getitem__)
    assert class_of(row) == "asserted"


def test_a_stranger_has_to_call_what_she_is_given(monkeypatch):
    key = next(key for key, claim in CLAIMS.items() if fingerprint.find_uncalled_rows(claim))
    assert verdict_steps.require_calls(held(key), found(key))["verdict"] == HOLDS
    monkeypatch.setattr(verdict_steps, "library", SimpleNamespace(paper=lambda key: SimpleNamespace(house=False)))
    row = verdict_steps.require_calls(held(key), found(key))
    assert (row["verdict"], row["reason"]) == (INCONCLUSIVE, "FAILED")
    assert fingerprint.find_uncalled_rows(CLAIMS[key])[0] in row["note"]
    assert verdict_steps.require_calls(held(CALLED), found(CALLED))["verdict"] == HOLDS


@pytest.mark.parametrize("paper", UNCALLED)
def test_no_claim_is_given_more_rows_that_it_does_not_call(paper):
    claims = [claim for claim in CLAIMS.values() if claim.theorem.paper == paper]
    assert sum(len(fingerprint.find_uncalled_rows(claim)) for claim in claims) == UNCALLED[paper]
