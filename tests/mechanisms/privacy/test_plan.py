"""Accounts of a plan that is announced: tight, spent in any order, kept on disk, and nothing beyond the plan."""

import re
from dataclasses import replace

import pytest

from lemmata.mechanisms.privacy import ZCDP, ApproxDP, GaussianDP, PureDP, account_terms, compose, to_approx, to_curve
from lemmata.mechanisms.privacy.accountant import Accountant, OverBudget

BUDGET = ApproxDP(5.0, 1e-6)
TENTHS = [PureDP(0.1)] * 108
MIXED = [PureDP(0.1), GaussianDP(0.2), PureDP(0.1), to_curve(ZCDP(0.05)), ApproxDP(0.2, 1e-7)]


def planned(plan, budget=BUDGET, **kept):
    return Accountant(budget, way="losses", plan=plan, **kept)


def test_a_plan_fits_as_often_as_its_losses_allow():
    account = planned(TENTHS)
    for release in TENTHS:
        account.spend(release)
    assert account.left is None and not account.affords(PureDP(0.1)) and 4.9 < account.spent.epsilon <= 5
    with pytest.raises(ValueError, match=r"^plan must be within the budget .*, got 109 guarantees that exceed it"):
        planned([*TENTHS, PureDP(0.1)])
    sums = Accountant(BUDGET)
    assert sum(sums.affords(PureDP(0.1)) and bool(sums.spend(PureDP(0.1))) for _ in TENTHS) < 50


def test_any_order_but_each_only_as_often_as_planned():
    account = planned(MIXED)
    for release in reversed(MIXED):
        assert account.affords(account.left)
        account.spend(release, "a release")
    assert account.left is None and len(account.history) == 5
    assert account.spent == to_approx(compose(*MIXED), delta=1e-6)
    with pytest.raises(
        OverBudget, match=r"^GaussianDP\(mu=0\.2, .* is not left in the plan of .*used up; .*: nothing$"
    ):
        account.spend(GaussianDP(0.2))


@pytest.mark.parametrize("other", [PureDP(0.1000001), PureDP(0.05), ApproxDP(0.1, 0.0), GaussianDP(0.1), ZCDP(0.05)])
def test_what_was_not_announced_is_refused_though_it_may_be_cheaper(other):
    account = planned(MIXED)
    assert not account.affords(other) and account.spent is None
    left = "which does not have it; left in any order: 2 of PureDP(epsilon=0.1, neighbours='replace'), 1 of GaussianDP("
    with pytest.raises(OverBudget, match=re.escape(left)):
        account.spend(other)


def test_a_plan_for_other_neighbours_is_converted():
    account = planned([PureDP(0.1, "add/remove")] * 20)
    assert account.left == PureDP(0.2) and account.spend(PureDP(0.1, "add/remove")) == PureDP(0.2)
    assert account.affords(PureDP(0.2))


def test_a_plan_is_kept_by_its_file(path, monkeypatch):
    with Accountant.open(path, BUDGET, way="losses", plan=MIXED) as account:
        account.spend(MIXED[3])
        account.spend(PureDP(0.1))
        spent = account.spent
    with Accountant.open(path) as again:
        assert again.way == "losses" and again.spent == spent and not again.affords(MIXED[3])
        again.spend(PureDP(0.1))
        assert not again.affords(PureDP(0.1))
    Accountant.open(path, BUDGET, way="losses", plan=MIXED).close()
    monkeypatch.setattr(account_terms, "to_approx", lambda *_, **__: ApproxDP(9.0, 1.0))  # another day's rounding
    Accountant.open(path).close()
    monkeypatch.undo()
    with pytest.raises(ValueError, match="budget must equal that of"):
        Accountant.open(path, BUDGET, way="losses", plan=MIXED[1:])


@pytest.mark.parametrize(
    ("budget", "kept", "message"),
    [
        (BUDGET, {"way": "losses"}, "plan must be a sequence of guarantees"),
        (BUDGET, {"way": "losses", "plan": []}, "plan must be a sequence of guarantees"),
        (BUDGET, {"way": "losses", "plan": [1.0]}, "privacy must be "),
        (BUDGET, {"plan": MIXED}, "plan requires way = 'losses', got a plan and way = 'mixed'"),
        (BUDGET, {"way": "losses", "plan": MIXED, "reserve": PureDP(0.1)}, "reserve requires"),
        (PureDP(5.0), {"way": "losses", "plan": MIXED}, "way = 'losses' is not one of pure"),
        (BUDGET, {"way": "losses", "plan": [PureDP(5.1)]}, "plan must be within the budget"),
        (ApproxDP(1.0, 0.0), {"way": "losses", "plan": [GaussianDP(0.1)]}, "plan must be within the budget"),
    ],
)
def test_other_plans_are_refused(budget, kept, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        Accountant(budget, **kept)


def test_a_refused_curve_is_named_by_its_size():
    with pytest.raises(OverBudget) as refused:
        Accountant(BUDGET).spend(to_curve(GaussianDP(0.1)))
    assert "PrivacyCurve(161 points, neighbours='replace')" in str(refused.value) and len(str(refused.value)) < 300


def test_a_planned_composition_is_charged_as_it_is_written():
    """Its parts, which equality does not see, would make it far cheaper than a release of the same words."""
    whole = compose(*[PureDP(0.1)] * 100)
    assert to_approx(whole, epsilon=4.9).delta < 1e-6  # by its parts
    for plan in ([whole], [replace(whole)]):
        with pytest.raises(ValueError, match="plan must be within the budget"):
            Accountant(ApproxDP(4.9, 1e-6), way="losses", plan=plan)
    for plan in ([whole, replace(whole)], [replace(whole), whole]):
        with pytest.raises(ValueError, match="plan must be within the budget"):
            Accountant(ApproxDP(9.9, 1e-6), way="losses", plan=plan)


def test_what_a_plan_has_spent_is_of_what_was_written():
    """The release of a plan that is a composition counts as one release of its epsilon."""
    whole = compose(*[PureDP(0.01)] * 100)
    account = Accountant(ApproxDP(2.0, 1e-6), way="losses", plan=[whole])
    account.spend(whole)
    assert account.spent.epsilon > 0.99
