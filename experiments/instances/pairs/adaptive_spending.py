"""The largest privacy loss of an adversary who spends an account adaptively, release by release.

The adversary's releases are the worst of their kind: a Gaussian, randomised response, and one that reveals the dataset
with probability delta and is randomised response otherwise. Their privacy losses under P are known and add up, so what
the adversary can spend, the largest P(A) - e^epsilon Q(A) over all ways to choose, is a recursion over the loss so far:
a sum over the outcomes of each release, trapezoids for a Gaussian's, and the last release in closed form. Nothing is
sampled. `BetterOfTwoWays` is a rule that is wrong.
"""

from fractions import Fraction
from functools import partial
from math import exp

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

from lemmata.bounds.exact.numbers import halved
from lemmata.mechanisms.numerics.arithmetic import round_down
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, compose, gaussian_mu, to_approx
from lemmata.mechanisms.privacy.accountant import Accountant, OverBudget

Z = np.linspace(-5.0, 8.0, 1301)  # trapezoids: at a kink z standard deviations out they err by at most h^2 z^2 / 8
CHANCES = norm.pdf(Z) * (Z[1] - Z[0])  # what is left out would only add
SHARES = {3: (0.5,), 2: (0.5, 1.0), 1: (1.0,)}  # of the most that is afforded, by how many releases are left


class BetterOfTwoWays:
    """A wrong rule: Gaussian releases together as one curve at the delta that is left, with the pure ones or without,
    whichever comes out smaller after the fact.
    """

    def __init__(self, budget):
        self.budget, self.guarantees = budget, []

    def spend(self, guarantee):
        if not self.affords(guarantee):
            raise OverBudget(f"{guarantee} is too much")
        self.guarantees.append(guarantee)

    def affords(self, guarantee):
        together = [*self.guarantees, guarantee]
        if not any(isinstance(each, GaussianDP) for each in together):
            spent = compose(*together)
            return spent.epsilon <= self.budget.epsilon and spent.delta <= self.budget.delta
        ways = [self.curved(together, kinds) for kinds in (GaussianDP, GaussianDP | PureDP)]
        return min(ways) <= self.budget.epsilon

    def curved(self, together, kinds):
        rest = [each for each in together if not isinstance(each, kinds)]
        remaining = round_down(Fraction(self.budget.delta) - sum(Fraction(each.delta) for each in rest))
        if not 0 < remaining < 1:
            return np.inf
        joined = to_approx(compose(*[each for each in together if isinstance(each, kinds)]), delta=remaining)
        return compose(joined, *rest).epsilon


class LossesAsFilter(BetterOfTwoWays):
    """A wrong rule: a release is accepted if all guarantees so far, as if fixed in advance, keep the budget."""

    def affords(self, guarantee):
        together = compose(*self.guarantees, guarantee)
        try:
            return to_approx(together, epsilon=self.budget.epsilon).delta <= self.budget.delta
        except ValueError:
            return False


def response(epsilon, later):
    """Randomised response at `epsilon`: the largest P(A) - e^later Q(A)."""
    middle = (exp(epsilon) - np.exp(later)) / (1 + exp(epsilon))
    return np.where(later <= -epsilon, -np.expm1(later), np.maximum(middle, 0))


def once(guarantee, later):
    """The largest P(A) - e^later Q(A) of one release."""
    if isinstance(guarantee, GaussianDP):
        u = later / guarantee.mu - guarantee.mu / 2
        return ndtr(-u) - np.exp(later) * ndtr(-u - guarantee.mu)
    return guarantee.delta + (1 - guarantee.delta) * response(guarantee.epsilon, later)


def losses_of(guarantee):
    """The privacy losses of one release and their chances under P, but for a chance delta of an infinite one."""
    if isinstance(guarantee, GaussianDP):
        return guarantee.mu**2 / 2 + guarantee.mu * Z, CHANCES
    likely = 1 / (1 + exp(-guarantee.epsilon))
    return np.array([1, -1]) * guarantee.epsilon, (1 - guarantee.delta) * np.array([likely, 1 - likely])


def largest(account, kind, top, rounds):
    """The largest guarantee of a kind that the account affords, by bisection; None if there is hardly any."""
    low, _ = halved(lambda share: not account.affords(kind(share)), 0.0, top, rounds)
    return low if low > top / 1000 else None


def options(account, epsilon, delta, rounds, shares):
    """Releases of every kind at shares of the most that is afforded."""
    tops = {PureDP: epsilon, GaussianDP: 2 * gaussian_mu(epsilon, delta)}
    if delta > 0:
        tops |= {lambda d: ApproxDP(0.0, d): delta, lambda d: ApproxDP(epsilon / 4, d): delta}
    for kind, top in tops.items():
        most = largest(account, kind, top, rounds)
        yield from (kind(share * most) for share in shares) if most else ()


def spent(made, epsilon, delta, *, top=None, firsts=None, plan=None, depth=3, rounds=20):
    """The largest P(A) - e^epsilon Q(A) of an adversary who chooses up to `depth` releases of a fresh account.

    `top` (default epsilon) and `delta`: no release is worth trying beyond them. With a `plan` all releases are of it.
    """

    def best(history, before, left):
        """The rest of the game, for every loss `before` it; of the shape of `before`."""
        account = made()
        for guarantee in history:
            account.spend(guarantee)
        most = np.maximum(0, -np.expm1(epsilon - before))
        if plan:
            choices = [guarantee for guarantee in plan if account.affords(guarantee)]
        else:
            choices = (
                firsts if not history and firsts else options(account, top or epsilon, delta, rounds, SHARES[left])
            )
        for guarantee in choices:
            if left == 1:
                value = once(guarantee, epsilon - before)
            else:
                losses, chances = losses_of(guarantee)
                later = best([*history, guarantee], before[..., None] + losses, left - 1)
                value = getattr(guarantee, "delta", 0.0) + later @ chances
            most = np.maximum(most, value)
        return most

    return float(best([], np.zeros(1), depth)[0])


def best_choice(budget, t, first, factor, depth, **kept):
    """The most that an adversary spends at t of an account, or with factor 2 of the rule that was wrong, over delta."""
    delta = getattr(budget, "delta", 0.0) or 1e-6
    rule = partial(Accountant, budget, **kept) if factor == 1 else partial(BetterOfTwoWays, budget)
    firsts = [GaussianDP(first)] if depth == 2 and first else None
    return spent(rule, t, delta, top=budget.epsilon, firsts=firsts, depth=depth, rounds=14)


def best_order(budget, plan, factor):
    """The most that an adversary spends who picks from a plan, or with factor 2 guarantees by the wrong rule."""
    if factor == 1:
        rule = partial(Accountant, budget, way="losses", plan=plan)
        return spent(rule, budget.epsilon, budget.delta, plan=set(plan), depth=len(plan))
    rule = partial(LossesAsFilter, budget)
    return spent(rule, budget.epsilon, budget.delta, firsts=plan[:1], depth=2, rounds=14)
