"""Words that papers need: one-sided oracles, existence, nothing finite, and what is quoted otherwise than printed."""

import shutil
from fractions import Fraction
from math import factorial
from types import SimpleNamespace
from unittest import mock

import pytest

from lemmata.experiments.conformance import rows
from lemmata.experiments.engine.front.decision import decide
from lemmata.experiments.engine.ledger.graph import class_of
from lemmata.paper import exists_claim, inequality_claim, theorem, unbounded_claim
from tests import test_fifth_paper

added = test_fifth_paper.added  # the fixture


@pytest.fixture
def statement(added, tmp_path):
    """Records the statement `lem1` of a folder of its own; nothing is left of it."""
    shutil.copy(test_fifth_paper.FOLDER / "paper.toml", tmp_path)
    added(tmp_path)
    return theorem("inv25.lem1", says="x")


def one() -> int:
    """One."""
    return 1


@pytest.mark.parametrize(
    ("oracle", "left", "verdict", "reason"),
    [
        ("below", Fraction(9, 10), "INCONCLUSIVE", "ONE_SIDED_ORACLE"),
        ("below", Fraction(11, 10), "INCONCLUSIVE", "UNCONFIRMED"),  # it may refute, and no program shows it
        ("above", Fraction(9, 10), "HOLDS", ""),
        ("above", Fraction(11, 10), "INCONCLUSIVE", "ONE_SIDED_ORACLE"),
        ("exact", Fraction(9, 10), "HOLDS", ""),
    ],
)
def test_a_left_side_that_errs_on_one_side_decides_one_side_only(statement, oracle, left, verdict, reason):
    @inequality_claim(statement(one), oracle=oracle, caught=(2,), evidence="sampled", scope="settings")
    def check():
        yield {"n": 1}, left, one()

    row = decide("inv25.lem1/printed", root=1)
    assert (row["verdict"], row["reason"]) == (verdict, reason)


def test_an_unknown_side_is_refused(statement):
    with pytest.raises(ValueError, match=r"oracle must be one of exact, below, above, got 'left'"):
        inequality_claim(statement(one), oracle="left")(lambda: iter(()))


@pytest.mark.parametrize(
    ("candidates", "exhaustive", "verdict", "reason"),
    [
        ((3, 2, 1), False, "HOLDS", ""),
        ((3, 2), False, "INCONCLUSIVE", "BUDGET"),
        ((3, 2), True, "INCONCLUSIVE", "UNCONFIRMED"),
    ],
)
def test_there_is_one(statement, candidates, exhaustive, verdict, reason):
    @exists_claim(statement(one), exhaustive=exhaustive, caught=(2,))
    def check():
        for n in candidates:
            yield {"n": n}, n, one()

    row = decide("inv25.lem1/printed", root=1)
    assert (row["verdict"], row["reason"]) == (verdict, reason)
    assert verdict != "HOLDS" or (row["evidence"], row["scope"], row["control"]) == (
        "enumeration",
        "everywhere",
        "REFUTED",
    )


def nothing() -> int:
    """Nothing."""
    return 0


def less() -> int:
    """Less than nothing."""
    return -3


@pytest.mark.parametrize("bound", [nothing, less])
def test_a_bound_that_no_division_makes_smaller_has_a_control(statement, bound):
    @exists_claim(statement(bound))
    def check():
        yield {"n": 1}, bound(), bound()

    row = decide("inv25.lem1/printed", root=1)
    assert (row["verdict"], row["control"]) == ("HOLDS", "REFUTED"), row["note"]


@pytest.mark.parametrize("levels", [(1.5, 1.75), (1, 3), (10.0, 100.0)])
def test_levels_of_ones_own_have_a_control_below_the_largest(statement, levels):
    @unbounded_claim(statement(one), levels=levels, evidence="sampled", scope="settings")
    def check(*, level):
        return {"x": level}, 2 * level * one()

    row = decide("inv25.lem1/printed", root=1)
    assert (row["verdict"], row["control"]) == ("HOLDS", "REFUTED"), row["note"]


def test_a_refuted_row_needs_no_control():
    with mock.patch.dict(rows.CLAIMS, {"a": SimpleNamespace(control=None, corrected_by="")}):
        assert rows.control({"key": "a", "verdict": "REFUTED", "control": ""}) == []
        assert "no control" in rows.control({"key": "a", "verdict": "SLIP", "control": ""})[0]


@pytest.mark.parametrize(
    ("lost", "verdict"),
    [(lambda x: 2 * x, "HOLDS"), (lambda x: float("inf"), "HOLDS"), (lambda x: min(x, 100.0), "INCONCLUSIVE")],
)
def test_nothing_finite_is_enough(statement, lost, verdict):
    @unbounded_claim(statement(one), evidence="sampled", scope="settings")
    def check(*, level):
        return {"x": level}, lost(level) * one()

    row = decide("inv25.lem1/printed", root=1)
    assert (row["verdict"], row["tightness"]) == (verdict, None)  # the levels say nothing about how much more is lost
    assert row["control"] == "REFUTED" if verdict == "HOLDS" else row["reason"] == "UNCONFIRMED"


def test_what_is_quoted_otherwise_changes_no_printed_verdict(statement):
    printed = statement(one)

    @printed.quoted(by="Everybody 2020, Section 1", says="y")
    def quoted() -> int:
        """One half."""
        return Fraction(1, 2)

    @inequality_claim(printed, caught=(2,))
    def holds():
        yield {}, 1, one()

    @inequality_claim(quoted, severity="constant", python="assert 1 > 1 / 2", corrected_by=printed)
    def falls():
        yield {}, 1, quoted()

    rows = {key: decide(key, root=1) for key in ("inv25.lem1/printed", "inv25.lem1/quoted")}
    assert {key: row["verdict"] for key, row in rows.items()} == {
        "inv25.lem1/printed": "HOLDS",
        "inv25.lem1/quoted": "INCONCLUSIVE",
    }
    assert "must call inv25.lem1/quoted" in rows["inv25.lem1/quoted"]["note"]
    assert "quoted in this form by Everybody 2020, Section 1" in rows["inv25.lem1/quoted"]["note"]
    with pytest.raises(ValueError, match="quoted_by is required for a quoted reading"):
        theorem("inv25.lem1", says="x", reading="quoted")


def power(*, n: int) -> int:
    """Ten to the n."""
    return 10**n


def tried():
    """n! for n up to 24; it exceeds 10^n from 25 on."""
    for n in range(1, 25):
        yield {"n": n}, factorial(n), power(n=n)


def test_what_was_tried_is_tested(statement):
    inequality_claim(statement(power))(tried)
    row = decide("inv25.lem1/printed", root=1)
    assert (row["verdict"], row["evidence"], row["scope"]) == ("HOLDS", "tested", "settings")
    assert class_of(row) == "tested"


@pytest.mark.parametrize("fields", [{"evidence": "derivation"}, {"scope": "everywhere"}])
def test_nobody_gets_more_than_he_has_earned(statement, fields):
    with pytest.raises(
        ValueError, match=r"^inv25.lem1/printed: .* a section \"Derivation\" of at least 12 words"
    ) as told:
        inequality_claim(statement(power), **fields)(tried)
    assert "\n" not in str(told.value)
