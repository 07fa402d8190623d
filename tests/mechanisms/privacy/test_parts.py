"""Equal parts of an account fit into it, in every currency, and their exact sum is never more than the budget."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from lemmata.mechanisms.privacy import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from lemmata.mechanisms.privacy.accountant import Accountant, OverBudget
from lemmata.mechanisms.privacy.privacy_filter import as_budget

FOUR = {  # budget, and one of k parts as a user divides it in floats
    "pure": (PureDP(1.9), lambda k: PureDP(1.9 / k)),
    "approximate": (ApproxDP(1.0, 1e-5), lambda k: ApproxDP(1.0 / k, 1e-5 / k)),
    "zcdp": (ZCDP(0.7), lambda k: ZCDP(0.7 / k)),
    "gaussian": (GaussianDP(1.3), lambda k: GaussianDP(1.3 / math.sqrt(k))),
}
BUDGETS = [*(budget for budget, _ in FOUR.values()), RenyiDP((2, 8), (0.3, 0.7)), PureDP("1/3")]


def totals(guarantees):
    """The exact sums of what is declared, squares of mu among them."""
    names = {"epsilon", "delta", "rho", "mu"} & set(vars(guarantees[0]))
    numbers = lambda g, name: getattr(g, name) if isinstance(getattr(g, name), tuple) else (getattr(g, name),)  # noqa: E731
    power = lambda name: 2 if name == "mu" else 1  # noqa: E731
    return {
        name: [
            sum(map(Fraction, column))
            for column in zip(
                *([Fraction(x) ** power(name) for x in numbers(g, name)] for g in guarantees), strict=True
            )
        ]
        for name in sorted(names)
    }


def within(guarantees, budget):
    spent, allowed = totals(guarantees), totals([budget])
    return all(s <= a for name in allowed if name in spent for s, a in zip(spent[name], allowed[name], strict=True))


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_all_parts_are_afforded_and_are_together_at_most_the_budget(budget):
    for k in (*range(2, 101), 333, 999, 1000):
        account = Accountant(budget)
        parts = account.parts(k)
        for part in parts:
            account.spend(part)
        assert len(parts) == k and within(parts, as_budget(budget))
        assert account.left is None or not account.affords(parts[0])


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_all_parts_up_to_a_thousand(budget):
    for k in range(101, 1000, 7):
        assert within(Accountant(budget).parts(k), as_budget(budget))


def test_parts_of_what_is_left_in_proportion():
    account = Accountant(PureDP(1.0))
    account.spend(PureDP("1/2"), "a count")
    parts = account.parts(["1/2", Fraction(1, 3), Decimal(1) / 6])
    assert [part.epsilon for part in parts] == pytest.approx([1 / 4, 1 / 6, 1 / 12], rel=1e-12)
    assert within([PureDP(0.5), *parts], PureDP(1.0)) and all(account.spend(part) for part in parts)
    assert [part.mu for part in Accountant(GaussianDP(2.0)).parts([3, 1])] == [math.sqrt(3), 1.0]


def test_a_budget_of_text_is_kept_below_and_a_promise_above():
    assert PureDP("0.1").epsilon == 0.1 > Fraction(1, 10) and ApproxDP("1", Decimal("1e-5")) == ApproxDP(1.0, 1e-5)
    third = Accountant(PureDP("1/3")).budget.epsilon
    assert third < Fraction(1, 3) < math.nextafter(third, 1)


@pytest.mark.parametrize(("budget", "part"), FOUR.values(), ids=FOUR)
def test_declared_slack_takes_parts_that_were_rounded(budget, part):
    """The raised budget is what the account promises, so nothing is spent beyond it."""
    refused = 0
    for k in range(2, 200):
        account, strict = Accountant(budget, slack=4), Accountant(budget)
        for _ in range(k):
            account.spend(part(k))
        refused += sum(strict.affords(part(k)) and bool(strict.spend(part(k))) for _ in range(k)) < k
        assert within([part(k)] * k, account.budget) and account.budget != budget
    assert refused > 20  # without slack


def test_slack_stays_within_the_ranges_of_numbers_and_is_kept_by_a_file(path):
    assert Accountant(ApproxDP(0.0, 1.0), slack=4).budget == ApproxDP(0.0, 1.0)
    with Accountant.open(path, PureDP(1.0), slack=1) as account:
        assert account.budget.epsilon == 1 + 2**-52
    with Accountant.open(path, PureDP(1.0), slack=1), pytest.raises(BlockingIOError):
        Accountant.open(path)
    with pytest.raises(ValueError, match="budget must equal that of"):
        Accountant.open(path, PureDP(1.0))


@pytest.mark.parametrize("shares", [0, -1, 1.5, "3", [], [0], [1, -1], [math.nan], ["a"], None, 10**7])
def test_other_shares_are_refused(shares):
    with pytest.raises(ValueError, match=r"^shares "):
        Accountant(PureDP(1.0)).parts(shares)


@pytest.mark.parametrize("slack", [-1, 1.5, 17])
def test_other_slack_is_refused(slack):
    with pytest.raises(ValueError, match=r"^slack must be "):
        Accountant(PureDP(1.0), slack=slack)


def test_nothing_left_has_no_parts():
    account = Accountant(PureDP(1.0))
    account.spend(PureDP(1.0))
    with pytest.raises(ValueError, match="shares must be of an account with something left, got 2 of"):
        account.parts(2)
    with pytest.raises(OverBudget):
        account.spend(PureDP("1e-300"))


def test_shares_are_read_from_arrays_and_from_no_bytes():
    assert Accountant(PureDP(1.0)).parts(np.array(3)) == Accountant(PureDP(1.0)).parts(3)
    with pytest.raises(ValueError, match="shares"):
        Accountant(PureDP(1.0)).parts(b"ab")
