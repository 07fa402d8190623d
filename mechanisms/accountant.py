"""An accountant: a budget for one dataset, what has been spent of it, and a refusal to overspend.

    accountant = Accountant(ApproxDP(1.0, 1e-5))
    accountant.spend(PureDP(0.25), "histogram")
    accountant.spent, accountant.left
    accountant.spend(PureDP(1.0))          # OverBudget: nothing is recorded

Sums are exact, in fractions (`lemmata.mechanisms.privacy.compose`): ten times 0.1 is more than 1, because the float 0.1
is more than a tenth. Spend *before* a release is drawn. What a release may spend can depend on the releases before it:
a total fixed in advance is a filter for pure and approximate privacy (Rogers, Roth, Ullman & Vadhan 2016) and for
Gaussian privacy (Smith & Thakurta 2022), which are cited and not proved here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from lemmata.mechanisms.arithmetic import down, root_up
from lemmata.mechanisms.privacy import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    check_guarantee,
    compose,
    gaussian_mu,
    to_approx,
    to_gaussian,
    to_neighbours,
    to_pure,
)


class OverBudget(ValueError):
    """A release that the budget does not pay for; nothing was recorded."""


@dataclass
class Accountant:
    """The account of one dataset; `history` lists what was spent, in order, as (label, guarantee).

    >>> accountant = Accountant(GaussianDP(5.0))
    >>> accountant.spend(GaussianDP(3.0), "a mean"), accountant.left
    (GaussianDP(mu=3.0, neighbours='replace'), GaussianDP(mu=4.0, neighbours='replace'))
    >>> accountant.affords(GaussianDP(4.1))
    False
    """

    budget: Guarantee
    history: list[tuple[str, Guarantee]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        check_guarantee("budget", self.budget)

    @property
    def spent(self) -> Guarantee | None:
        """What all releases promise together, in the budget's terms; None at first."""
        guarantees = self._guarantees()
        return total(guarantees, self.budget) if guarantees else None

    @property
    def left(self) -> Guarantee | None:
        """What one more release may spend, None if nothing: in the budget's terms, with two exceptions.

        Of an approximate budget a GaussianDP is left if all releases were Gaussian, since mu^2 adds up, and a PureDP if
        delta is used up.
        """
        guarantees, budget = self._guarantees(), self.budget
        if not guarantees:
            return budget
        spent = total(guarantees, budget)
        if isinstance(budget, ApproxDP) and all(isinstance(g, GaussianDP) for g in guarantees):
            return unspent_mu(gaussian_mu(budget.epsilon, budget.delta), compose(*guarantees), budget.neighbours)
        if isinstance(budget, GaussianDP) or isinstance(spent, GaussianDP):
            return unspent_mu(getattr(budget, "mu", 0.0), spent, budget.neighbours)
        epsilon = down(Fraction(budget.epsilon) - Fraction(spent.epsilon))
        delta = down(Fraction(budget.delta) - Fraction(spent.delta))
        if delta > 0:
            return ApproxDP(epsilon, delta, budget.neighbours)
        return PureDP(epsilon, budget.neighbours) if epsilon > 0 else None

    def affords(self, guarantee: Guarantee) -> bool:
        """Would `spend` accept it?"""
        try:
            self._with(guarantee)
        except OverBudget:
            return False
        return True

    def spend(self, guarantee: Guarantee, label: str = "") -> Guarantee:
        """Record a release and hand back what is spent now. Raises OverBudget, and records nothing, beyond the budget.

        Raises ValueError for a guarantee that says nothing about the budget's neighbours.
        """
        spent = self._with(guarantee)
        self.history.append((label, guarantee))
        return spent

    def _guarantees(self) -> list[Guarantee]:
        return [self._converted(guarantee) for _, guarantee in self.history]

    def _converted(self, guarantee: Any) -> Guarantee:
        return to_neighbours(guarantee, self.budget.neighbours)

    def _with(self, guarantee: Guarantee) -> Guarantee:
        check_guarantee("guarantee", guarantee)
        spent = total([*self._guarantees(), self._converted(guarantee)], self.budget)
        if isinstance(self.budget, GaussianDP) or isinstance(spent, GaussianDP):
            enough = getattr(spent, "mu", 0.0) <= getattr(self.budget, "mu", 0.0)
        else:
            enough = spent.epsilon <= self.budget.epsilon and spent.delta <= self.budget.delta
        if not enough:
            raise OverBudget(f"{guarantee} is more than what {self.budget} has left: {self.left}")
        return spent


def total(guarantees: list[Guarantee], budget: Guarantee) -> Guarantee:
    """The composition of `guarantees`, in the terms of `budget`. Raises OverBudget where it has none."""
    try:
        if isinstance(budget, PureDP):
            return compose(*[to_pure(g) for g in guarantees])
        if isinstance(budget, GaussianDP):
            return compose(*[to_gaussian(g) for g in guarantees])
    except ValueError as error:
        raise OverBudget(f"{budget} cannot pay for it: {error}") from None
    if not any(isinstance(g, GaussianDP) for g in guarantees):
        return compose(*guarantees)
    ways = [curved(guarantees, budget.delta, kinds) for kinds in ((GaussianDP,), (GaussianDP, PureDP))]
    sums = [way for way in ways if way is not None]
    if not sums:
        raise OverBudget(f"{budget} has no delta left for a Gaussian release")
    return min(sums, key=lambda way: way.epsilon)


def curved(guarantees: list[Guarantee], delta: float, kinds: tuple[type, ...]) -> ApproxDP | None:
    """Releases of `kinds` together as one Gaussian, at the delta that the others leave; plus the others."""
    rest = [g for g in guarantees if not isinstance(g, kinds)]
    used = sum((Fraction(g.delta) for g in rest if not isinstance(g, GaussianDP)), Fraction(0))
    if not 0 < (remaining := down(Fraction(delta) - used)) < 1:
        return None
    joined = compose(*[g for g in guarantees if isinstance(g, kinds)])
    added = compose(to_approx(joined, delta=remaining), *rest)
    return (
        ApproxDP(added.epsilon, min(added.delta, delta), added.neighbours)
        if not isinstance(added, GaussianDP)
        else None
    )


def unspent_mu(mu: float, spent: Guarantee, neighbours: str) -> GaussianDP | None:
    """sqrt(mu^2 - spent^2), rounded down; None if nothing is left."""
    square = Fraction(mu) ** 2 - Fraction(getattr(spent, "mu", 0.0)) ** 2
    if square <= 0:
        return None
    root = root_up(square)
    while Fraction(root) ** 2 > square:
        root = down(Fraction(root) * (1 - Fraction(1, 2**53)))
    return GaussianDP(root, neighbours) if root > 0 else None
