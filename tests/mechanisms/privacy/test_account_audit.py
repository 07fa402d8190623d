"""An account under attack: the best choice of up to three releases, each by the outcomes before, against its budget.

The adversary is that of `lemmata.experiments.instances.pairs.adaptive_spending`. The same attack on a rule that is
wrong has to find more than delta; tests/mutation/planted.py has others.
"""

import pytest

from lemmata import Accountant, ApproxDP, GaussianDP, PureDP, gaussian_delta
from lemmata.experiments.instances.pairs.adaptive_spending import BetterOfTwoWays, spent

SLACK = 1e-3  # relative, for trapezoids
BUDGETS = [(1.0, 1e-6), (3.0, 1e-5), (0.5, 1e-4), (0.1, 1e-2), (6.0, 1e-9)]


@pytest.mark.parametrize(
    ("budget", "epsilon", "delta"),
    [
        *((ApproxDP(epsilon, delta), epsilon, delta) for epsilon, delta in BUDGETS),
        *((GaussianDP(0.6), epsilon, float(gaussian_delta(epsilon, 0.6))) for epsilon in (0.5, 1.0, 2.5)),
    ],
)
def test_whoever_chooses_afterwards_spends_the_budget_and_no_more(budget, epsilon, delta):
    """A Gaussian budget is kept along its curve."""
    assert 0.98 * delta <= spent(lambda: Accountant(budget), epsilon, delta) <= (1 + SLACK) * delta


@pytest.mark.parametrize(
    "kept",
    [
        {"reserve": PureDP(0.4)},
        {"reserve": ApproxDP(0.4, 5e-7)},
        {"reserve": ApproxDP(0.0, 5e-7)},
        {"way": "gaussian"},
        {"way": "gaussian", "reserve": ApproxDP(0.5, 1e-7)},
        {"way": "approximate"},
    ],
    ids=str,
)
def test_every_way_to_keep_it_is_a_filter(kept):
    assert spent(lambda: Accountant(ApproxDP(1.0, 1e-6), **kept), 1.0, 1e-6) <= (1 + SLACK) * 1e-6


@pytest.mark.parametrize("epsilon, delta", [(1.0, 1e-6), (3.0, 1e-5), (0.5, 1e-2)])
def test_an_account_kept_by_rho_is_a_filter(epsilon, delta):
    """What a rho implies is never quite reached by releases that have a closed form."""
    found = spent(lambda e=epsilon, d=delta: Accountant(ApproxDP(e, d), way="zcdp"), epsilon, delta, depth=2)
    assert 0.01 * delta < found <= delta


def test_a_pure_budget_leaves_no_delta():
    assert spent(lambda: Accountant(PureDP(1.0)), 1.0, 1e-6) <= 1e-12


# Rules that are wrong -------------------------------------------------------------------------------------------------

TWO_BRANCHES = [  # the first release, and what choosing the second by it was measured to spend, over delta
    ((1.0, 1e-6), GaussianDP(0.18), 1.95),
    ((3.0, 1e-5), GaussianDP(0.4), 1.7),
    ((1.0, 1e-5), GaussianDP(0.1), 1.6),
]


@pytest.mark.parametrize(("budget", "first", "times"), TWO_BRANCHES)
def test_the_better_of_two_ways_after_the_fact_is_caught(budget, first, times):
    """Each branch alone is within the budget; both together are not. On the account of today they are."""
    attack = {"firsts": [first], "depth": 2, "rounds": 14}
    assert spent(lambda: BetterOfTwoWays(ApproxDP(*budget)), *budget, **attack) > times * budget[1]
    assert spent(lambda: Accountant(ApproxDP(*budget)), *budget, **attack) <= (1 + SLACK) * budget[1]
