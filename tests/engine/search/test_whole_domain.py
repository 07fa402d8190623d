"""Derivations run: steps are tried where a statement is, proved on the whole domain, and named where they fail."""

from dataclasses import replace
from fractions import Fraction

import pytest

from lemmata.bounds.proof.expression import NotGeneric
from lemmata.bounds.proof.prover import NotProved
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED
from lemmata.bounds.theorem import between, positive, require
from lemmata.experiments.checks import Link, Step
from lemmata.experiments.engine.claims import fingerprint
from lemmata.experiments.engine.claims.steps import check_steps
from lemmata.experiments.engine.running.cell import Cell, combine
from lemmata.experiments.engine.search.whole_domain import prove_claim
from tests.engine.search.test_search import look, make


def sum_of_squares(*, x):
    return x**2 + 1


def doubled(bound):
    def check(*, x):
        yield {"x": x}, 2 * x, bound(x=x)

    return check


NEEDS, ALGEBRA = [positive("x")], [Step("algebra")]


def claimed(check=doubled, needs=NEEDS, right=sum_of_squares, steps=ALGEBRA, **fields):
    return make(needs, right, check, steps=steps, quick=[{"x": 0.5}], **fields)


def run(claim):
    """The verdict of a claim at its settings and of its search together."""
    cells = [Cell(claim, {"x": 0.5}), Cell(claim, {}, evaluations=1000)]
    cells[0].verdict, cells[1].verdict = claim.trial(x=0.5), look(claim)
    return combine(cells)


def test_a_row_whose_every_step_is_proved_is_machine_checked():
    verdict = run(claimed())
    assert (verdict.outcome, verdict.evidence, verdict.scope) == (HOLDS, "certificate", "everywhere")
    assert verdict.searched["proof"] == {"steps": 1, "pieces": verdict.searched["proof"]["pieces"]}
    assert run(claimed(scope="domain: hinge losses")).scope == "domain: hinge losses"  # which no argument is about


def test_a_chain_is_proved_step_by_step():
    between_them = [Step("a step of ours", lambda *, x: 2 * x + (x - 1) ** 2 / 2), Step("algebra")]
    assert prove_claim(claimed(steps=between_them))["steps"] == 2


def test_a_step_that_fails_is_named_and_refutes_nothing():
    too_large = [Step("too large a step", lambda *, x: x**3 + 2 * x), Step("algebra")]
    verdict = run(claimed(steps=too_large))
    assert (verdict.outcome, verdict.reason) == (INCONCLUSIVE, "FAILED")
    assert "'algebra'" in verdict.note
    with pytest.raises(NotProved):
        prove_claim(claimed(steps=too_large))


@pytest.mark.parametrize(("at", "noticed"), [(2.0, False), (2.1, True)])
def test_a_formula_that_is_less_than_what_is_measured_is_noticed(at, noticed):
    """The proof is about 2 x, whatever that stands for; what is measured, 2.1 x, is about the thing."""
    claim = claimed(measured=lambda: [({"x": x}, at * x) for x in (0.25, 3.0)])
    assert prove_claim(claim)["steps"] == 1
    verdict = run(claim)
    assert (verdict.outcome, verdict.evidence) == ((INCONCLUSIVE, "") if noticed else (HOLDS, "certificate"))
    assert ("the link 'measured' at {'x': 0.25}" in verdict.note) == noticed


def test_what_is_measured_is_a_case_of_its_own():
    """It is named, may refute, and needs a setting of the check, or both sides."""
    assert run(claimed(measured=lambda: [({"x": 1.0}, 2.5)])).witness["setting"] == {"x": 1.0, "of": "measured"}
    assert run(claimed(measured=lambda: [({"seed": 1}, 3, 2)])).outcome == REFUTED
    with pytest.raises(ValueError, match=r"one of the check's, got \{'y': 1.0\}"):
        run(claimed(measured=lambda: [({"y": 1.0}, 2.5)]))


def test_a_false_statement_is_not_proved_and_falls():
    def smaller(*, x):
        return x**2 + 0.9

    claim = claimed(right=smaller)
    with pytest.raises(NotProved):
        prove_claim(claim)
    assert run(claim).outcome != HOLDS


def test_without_a_proof_a_row_is_derived():
    def rounded(bound):
        def check(*, x):
            yield {"x": x}, 2 * float(f"{x:.17g}"), bound(x=x)

        return check

    verdict = run(claimed(rounded))
    assert (verdict.outcome, verdict.evidence) == (HOLDS, "derivation")
    assert "none" in verdict.searched["proof"]


def test_every_case_is_at_every_setting():
    def beside(bound):
        def check(*, x):
            yield {"x": x}, 2 * x, bound(x=x)
            yield {"x": 1.0}, 2, bound(x=1.0)

        return check

    def of_one_share(bound):
        def check(*, x):
            for share in (0.5, 1.0):
                yield {"x": x, "share": share}, 2 * x * share, bound(x=x)

        return check

    for check in (beside, of_one_share):
        with pytest.raises(NotGeneric, match="every value of x"):
            prove_claim(claimed(check))
    assert prove_claim(claimed(of_one_share, over=[between("share", 0, 1)]))["steps"] == 1


def test_an_argument_of_the_statement_is_not_narrowed():
    """2 x <= 1 is false from 1/2 on; what the proof runs over is not the statement's own."""

    def below_one(*, x):
        return 1.0

    assert prove_claim(claimed(right=below_one, needs=[positive("x"), between("x", 0, 0.5)]))["steps"] == 1
    for narrowed in (between("x", 0, 0.5), require("x <= 1/2", lambda x: x <= 0.5)):
        with pytest.raises(NotGeneric, match="over= narrows the statement's own x"):
            prove_claim(claimed(right=below_one, over=[narrowed]))


def test_a_side_case_alone_proves_nothing():
    def elsewhere(bound):
        def check(*, x):
            yield {"x": x, "of": "the bound"}, bound(x=x), bound(x=x)

        return check

    with pytest.raises(NotGeneric, match="the same expression"):
        prove_claim(claimed(elsewhere))


def test_hypotheses_on_several_arguments_are_used():
    def larger(*, x, y):
        return y

    def check(bound):
        def check(*, x, y):
            yield {"x": x, "y": y}, x, bound(x=x, y=y)

        return check

    both = [positive("x"), positive("y")]
    related = [*both, require("x <= y", lambda x, y: x <= y)]
    assert prove_claim(make(related, larger, check, steps=ALGEBRA, quick=[{"x": 1.0, "y": 1.0}]))
    with pytest.raises(NotProved):
        prove_claim(make(both, larger, check, steps=ALGEBRA, quick=[{"x": 1.0, "y": 1.0}]))


@pytest.mark.parametrize("steps", [[Step("", None)], [Step("a", None), Step("b", None)], [Step("a", sum_of_squares)]])
def test_steps_have_reasons_and_functions(steps):
    with pytest.raises(ValueError, match="a step must be"):
        check_steps(steps)


def test_a_program_runs_a_step_or_none():
    """Steps, links and rows that are called; a row that is given and not called is none of them, and is named."""

    def linked(bound):
        def check(*, x):
            yield Link("square", {"x": x}, Fraction(0), (x - 1) ** 2)
            yield {"x": x}, 2 * x, bound(x=x)

        return check

    assert fingerprint.runs_steps(claimed())
    assert fingerprint.runs_steps(claimed(linked, steps=(), scope="settings"))
    prose = claimed(steps=(), scope="settings")
    assert not fingerprint.runs_steps(prose)
    given = replace(prose, given=("wzw25.lem6.6.s1/printed",))
    assert fingerprint.find_uncalled_rows(given) == list(given.given)
    assert not fingerprint.runs_steps(given)
