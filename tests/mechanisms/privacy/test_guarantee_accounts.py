"""Accounts of ZCDP and Renyi divergences: what they afford, also to whoever chooses by what came out before."""

import math

import pytest

from lemmata import ZCDP, Accountant, ApproxDP, GaussianDP, OverBudget, PureDP, RenyiDP, compose, to_renyi


def test_accounts_charge_what_others_imply(tmp_path):
    with Accountant.open(tmp_path / "study", RenyiDP((2, 8), (1.0, 4.0))) as account:
        account.spend(PureDP(0.5), "a count")
        account.spend(GaussianDP(0.5), "a mean")
        spent = account.spent
        with pytest.raises(OverBudget, match=r"^ApproxDP\(epsilon=0\.1, delta=1e-09, .* cannot be charged to"):
            account.spend(ApproxDP(0.1, 1e-9))
        with pytest.raises(OverBudget, match=r"^RenyiDP\(order=2\.0, epsilon=0\.1, .* cannot be charged to"):
            account.spend(RenyiDP(2, 0.1))  # says nothing at order 8
        with pytest.raises(OverBudget, match="exceeds what is left of"):
            account.spend(ZCDP(0.45))
    with Accountant.open(tmp_path / "study") as again:
        assert again.spent == spent == compose(*(to_renyi(g, (2, 8)) for g in (PureDP(0.5), GaussianDP(0.5))))
    account = Accountant(ApproxDP(1.0, 1e-6), way="zcdp")
    account.spend(account.left)
    assert account.left is None and account.spent.epsilon <= 1.0


def adaptive_moment(account, releases, order, depth):
    """The largest E_Q (dP/dQ)^order over all rules that choose up to `depth` of the `releases`, each by those before.

    Releases are randomised responses at some epsilon, so all is enumerated; `account` says what is afforded, and what
    is left of it after either outcome.
    """
    best = 1.0
    for epsilon in releases if depth else ():
        left = account.after(epsilon)
        if left:
            p, q = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
            likely, other = (adaptive_moment(state, releases, order, depth - 1) for state in left)
            best = max(best, p**order * q ** (1 - order) * likely + q**order * p ** (1 - order) * other)
    return best


class Kept:
    """The account of today, after some releases."""

    def __init__(self, budget, history=()):
        self.budget, self.history = budget, history

    def after(self, epsilon):
        account = Accountant(self.budget)
        for before in self.history:
            account.spend(PureDP(before))
        spent = type(self)(self.budget, (*self.history, epsilon))
        return (spent, spent) if account.affords(PureDP(epsilon)) else None


class ByOutcome(Kept):
    """A rule that is wrong: only what an outcome has told is charged, so nothing for the less likely one."""

    def after(self, epsilon):
        left = super().after(epsilon)
        return left and (left[0], self)


RESPONSES = (0.15, 0.3, 0.45, 0.6)


@pytest.mark.parametrize("order", [1.5, 2.0, 6.0])
def test_whoever_chooses_afterwards_keeps_every_order(order):
    """Also by spending much after one outcome and little after the other."""
    budget = RenyiDP((1.5, 2.0, 6.0), [0.06 * a for a in (1.5, 2.0, 6.0)])
    cap = math.exp((order - 1) * dict(budget.points)[order])
    assert 1 < adaptive_moment(Kept(budget), RESPONSES, order, 3) <= cap
    assert 1 < adaptive_moment(Kept(ZCDP(0.06)), RESPONSES, order, 3) <= cap


def test_a_rule_that_charges_by_the_outcome_overspends():
    assert adaptive_moment(ByOutcome(ZCDP(0.1)), RESPONSES, 1.5, 4) > math.exp(0.5 * 1.5 * 0.1)
