"""An account is exact, refuses to overspend, and records nothing that it refused."""

import math
from fractions import Fraction

import pytest

from lemmata.mechanisms import accountant
from lemmata.mechanisms.accountant import Accountant, OverBudget
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, compose, gaussian_mu, to_approx


def test_ten_times_a_tenth_is_more_than_one():
    """The float 0.1 is more than a tenth."""
    accountant = Accountant(PureDP(1.0))
    for count in range(9):
        accountant.spend(PureDP(0.1), f"query {count}")
    with pytest.raises(OverBudget, match="more than what PureDP"):
        accountant.spend(PureDP(0.1))
    assert len(accountant.history) == 9 and accountant.history[0] == ("query 0", PureDP(0.1))
    assert Fraction(accountant.left.epsilon) <= 1 - 9 * Fraction(0.1)
    assert accountant.spend(accountant.left).epsilon <= 1 and not accountant.affords(PureDP(1e-15))


def test_eight_eighths_are_one():
    accountant = Accountant(PureDP(1.0))
    for _ in range(8):
        accountant.spend(PureDP(0.125))
    assert accountant.spent == PureDP(1.0) and accountant.left is None


def test_gaussian_budgets_add_squares():
    accountant = Accountant(GaussianDP(5.0))
    accountant.spend(GaussianDP(3.0))
    assert accountant.left == GaussianDP(4.0) and accountant.affords(PureDP(1.0))
    accountant.spend(GaussianDP(4.0))
    assert accountant.spent == GaussianDP(5.0) and accountant.left is None
    assert not accountant.affords(GaussianDP(1e-6)) and not accountant.affords(ApproxDP(0.1, 1e-9))


def test_an_approximate_budget_takes_a_whole_curve():
    """A hundred Gaussian releases cost what their composition costs, not a hundred epsilons."""
    budget = ApproxDP(1.0, 1e-5)
    whole = gaussian_mu(1.0, 1e-5)
    accountant = Accountant(budget)
    for _ in range(100):
        accountant.spend(GaussianDP(whole / 10.0001))
    assert not accountant.affords(GaussianDP(whole / 10))
    assert accountant.spent.epsilon <= 1 and accountant.left.mu < whole / 200
    assert 100 * to_approx(GaussianDP(whole / 10), delta=1e-5 / 100).epsilon > 10


def test_mixed_releases_share_epsilon_and_delta():
    accountant = Accountant(ApproxDP(1.0, 1e-5))
    accountant.spend(ApproxDP(0.25, 5e-6))
    assert accountant.left == ApproxDP(0.75, 5e-6)
    accountant.spend(GaussianDP(0.1))
    spent = compose(ApproxDP(0.25, 5e-6), to_approx(GaussianDP(0.1), delta=5e-6))
    assert accountant.spent.epsilon == pytest.approx(spent.epsilon, rel=1e-12)
    assert isinstance(accountant.left, PureDP) and accountant.affords(PureDP(accountant.left.epsilon * 0.99))
    assert not accountant.affords(ApproxDP(0.0, 1e-5))
    assert not accountant.affords(PureDP(accountant.left.epsilon * 1.01))


def test_many_pure_releases_are_cheaper_as_gaussians():
    """As basic composition 300 times 0.01 is 3; beside a Gaussian release they may join its curve."""
    accountant = Accountant(ApproxDP(1.5, 1e-5))
    accountant.spend(GaussianDP(0.01))
    for _ in range(300):
        accountant.spend(PureDP(0.01))
    assert accountant.spent.epsilon < 1


def test_a_pure_budget_pays_for_no_gaussian():
    with pytest.raises(OverBudget, match="cannot pay for it"):
        Accountant(PureDP(9.0)).spend(GaussianDP(1e-3))


@pytest.mark.parametrize("other", [1e-9, 1 / 3 * 1e-5, 9.9e-6])
def test_what_delta_leaves_is_rounded_down(other, monkeypatch):
    """The delta that a Gaussian release is converted at, and what the others took, are together within the budget."""
    at = []
    monkeypatch.setattr(
        accountant, "to_approx", lambda g, delta: at.append(delta) or ApproxDP(0.1, delta, g.neighbours)
    )
    accountant.curved([GaussianDP(0.1), ApproxDP(0.25, other)], 1e-5, (GaussianDP,))
    (left,) = at
    assert isinstance(left, float) and Fraction(left) + Fraction(other) <= Fraction(1e-5)
    assert Fraction(math.nextafter(left, 1)) + Fraction(other) > Fraction(1e-5)


def test_neighbours_are_converted_or_refused():
    accountant = Accountant(PureDP(1.0))
    assert accountant.spend(PureDP(0.25, "add/remove")) == PureDP(0.5)
    with pytest.raises(ValueError, match="does not follow"):
        accountant.spend(PureDP(0.1, "label"))
    assert len(accountant.history) == 1


def test_it_asks_for_guarantees():
    with pytest.raises(ValueError, match="budget is a float"):
        Accountant(1.0)
    with pytest.raises(ValueError, match="guarantee is a int"):
        Accountant(PureDP(1.0)).spend(1)
