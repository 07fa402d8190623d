"""An account is exact, refuses to overspend, and records nothing that it refused."""

import contextlib
import copy
import math
import pickle
import threading
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from lemmata.mechanisms.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    PureDP,
    compose,
    gaussian_epsilon,
    gaussian_mu,
    privacy_filter,
    to_approx,
    to_gaussian,
)
from lemmata.mechanisms.privacy.account_book import Book
from lemmata.mechanisms.privacy.accountant import Accountant, OverBudget


def test_ten_times_a_tenth_is_more_than_one():
    """The float 0.1 is more than a tenth."""
    accountant = Accountant(PureDP(1.0))
    for count in range(9):
        accountant.spend(PureDP(0.1), f"query {count}")
    with pytest.raises(OverBudget, match=r"PureDP\(epsilon=0\.1, neighbours='replace'\) exceeds what is left of"):
        accountant.spend(PureDP(0.1))
    assert len(accountant.history) == 9 and accountant.history[0] == ("query 0", PureDP(0.1))
    assert Fraction(accountant.left.epsilon) <= 1 - 9 * Fraction(0.1)
    assert accountant.spend(accountant.left).epsilon <= 1 and not accountant.affords(PureDP(1e-15))


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
    assert not accountant.affords(ApproxDP(0.0, 1e-9))  # the Gaussian way has all of delta that was left
    left = gaussian_mu(0.75, 5e-6) ** 2 - 0.1**2
    assert accountant.left.mu == pytest.approx(math.sqrt(left), rel=1e-12)
    for share, paid in ((0.99, True), (1.01, False)):
        pure = next(e for e in np.arange(0, 1, 1e-4)[1:] if to_gaussian(PureDP(e)).mu >= share * accountant.left.mu)
        assert accountant.affords(PureDP(pure)) is paid


def test_a_reserve_is_for_what_is_not_gaussian():
    """Whatever the order: what the reserve keeps is there after the first Gaussian release, and is not there for it."""
    accountant = Accountant(ApproxDP(1.0, 1e-5), reserve=ApproxDP(0.5, 5e-6))
    assert accountant.way == "mixed" and accountant.affords(ApproxDP(1.0, 1e-5))
    accountant.spend(PureDP(0.25))
    most = gaussian_mu(0.5, 5e-6)
    assert not accountant.affords(GaussianDP(most * (1 + 1e-9)))
    accountant.spend(GaussianDP(most))
    assert accountant.way == "gaussian" and accountant.left == ApproxDP(0.25, 5e-6)
    assert not accountant.affords(PureDP(0.2500001)) and not accountant.affords(GaussianDP(1e-6))
    accountant.spend(ApproxDP(0.25, 5e-6))
    assert accountant.left is None and accountant.spent.delta == 1e-5 and 1 - 1e-14 < accountant.spent.epsilon <= 1


@pytest.mark.parametrize("reserve", [PureDP(0.5), ApproxDP(0.0, 5e-6), ApproxDP(0.5, 5e-6)])
def test_a_reserve_is_named_whatever_part_is_kept(reserve):
    accountant = Accountant(ApproxDP(1.0, 1e-5), reserve=reserve)
    assert f"reserve ApproxDP(epsilon={reserve.epsilon}, delta={reserve.delta}," in str(accountant)
    assert "reserve" not in str(Accountant(ApproxDP(1.0, 1e-5)))


@pytest.mark.parametrize("between", [PureDP(0.5), ApproxDP(0.0, 5e-6)])
def test_asking_before_spending_changes_nothing(between):
    """What the Gaussian way would have had when it was asked for is not what it has after another release."""
    budget, whole = ApproxDP(1.0, 1e-5), gaussian_mu(1.0, 1e-5)
    accountant = Accountant(budget)
    assert accountant.affords(GaussianDP(whole)) and accountant.way == "mixed" and accountant.left == budget
    accountant.spend(between)
    rest = gaussian_mu(1.0 - between.epsilon, 1e-5 - between.delta)
    assert not accountant.affords(GaussianDP(whole)) and not accountant.affords(GaussianDP(rest * (1 + 1e-9)))
    assert accountant.affords(GaussianDP(rest * (1 - 1e-9)))


@pytest.mark.parametrize("budget", [PureDP(9.0), ApproxDP(1.0, 1e-5)])
def test_what_is_kept_by_epsilon_and_delta_pays_for_no_gaussian(budget):
    accountant = Accountant(budget, way="pure" if isinstance(budget, PureDP) else "approximate")
    with pytest.raises(OverBudget, match=r"GaussianDP\(mu=0\.001, neighbours='replace'\) cannot be charged to"):
        accountant.spend(GaussianDP(1e-3))
    assert accountant.spend(budget) == accountant.spent


@pytest.mark.parametrize(("way", "first"), [("gaussian", PureDP(0.01)), ("mixed", GaussianDP(0.01))])
def test_many_pure_releases_are_cheaper_as_gaussians(way, first):
    """300 times 0.01 is 3 as a sum, and less than 1 as a curve: from the start, or beside a Gaussian release."""
    accountant = Accountant(ApproxDP(1.5, 1e-5), way=way)
    for release in [first, *[PureDP(0.01)] * 299]:
        accountant.spend(release)
    assert accountant.spent.epsilon < 1 and not accountant.affords(ApproxDP(0.01, 1e-12))


@pytest.mark.parametrize("first", [None, PureDP(0.25), ApproxDP(0.0, 5e-6), ApproxDP(0.5, 0.0)])
def test_delta_is_checked_with_epsilon_to_spare(first):
    """Pure and approximate releases only: at delta, just above it, and used up."""
    accountant = Accountant(ApproxDP(1.0, 1e-5))
    if first is not None:
        accountant.spend(first)
    left = accountant.left
    assert left.epsilon >= 0.5 and not accountant.affords(ApproxDP(0.1, 1e-3))
    assert not accountant.affords(ApproxDP(0.1, math.nextafter(left.delta, 1)))
    accountant.spend(ApproxDP(0.1, left.delta))
    assert accountant.spent.delta == 1e-5 and isinstance(accountant.left, PureDP)
    assert not accountant.affords(ApproxDP(0.0, 5e-324)) and accountant.affords(PureDP(0.1))
    with pytest.raises(OverBudget, match=r"ApproxDP\(epsilon=0\.1, delta=1e-06, neighbours='replace'\) exceeds"):
        accountant.spend(ApproxDP(0.1, 1e-6))


@pytest.mark.parametrize("other", [1e-9, 1 / 3 * 1e-5, 9.9e-6])
def test_what_delta_leaves_is_rounded_down(other, monkeypatch):
    """What the Gaussian way is calibrated to, and what the others took, are together within the budget."""
    at = []
    monkeypatch.setattr(privacy_filter, "gaussian_mu", lambda epsilon, delta: at.append((epsilon, delta)) or 0.1)
    accountant = Accountant(ApproxDP(1.0, 1e-5))
    accountant.spend(ApproxDP(0.1, other))
    accountant.spend(GaussianDP(0.05))
    for left, taken, whole in zip(at[0], (0.1, other), (1.0, 1e-5), strict=True):
        assert isinstance(left, float) and Fraction(left) + Fraction(taken) <= Fraction(whole)
        assert Fraction(math.nextafter(left, 1)) + Fraction(taken) > Fraction(whole)


# What is left can be spent, and nothing larger ------------------------------------------------------------------------

EPSILONS = st.floats(1e-9, 4.0) | st.sampled_from([0.1, 1 / 3, 1e-300, 5e-324, 1e300])
DELTAS = st.floats(1e-14, 0.2) | st.sampled_from([5e-324, 1e-300, 1e-5, 0.5, 1.0])
MUS = st.floats(1e-9, 3.0) | st.sampled_from([0.05, 0.1, 1e-160, 5e-324, 1e160])
RELATIONS = st.sampled_from(["replace", "add/remove"])
RELEASES = st.one_of(
    st.builds(PureDP, EPSILONS, RELATIONS),
    st.builds(ApproxDP, st.just(0.0) | EPSILONS, st.just(0.0) | DELTAS, RELATIONS),
    st.builds(GaussianDP, MUS, RELATIONS),
)


@st.composite
def accounts(draw):
    """Every kind of budget, in every way, with and without a reserve."""
    budget = draw(
        st.one_of(
            st.builds(PureDP, EPSILONS),
            st.builds(ApproxDP, st.just(0.0) | st.just(1.7e308) | EPSILONS, DELTAS),
            st.builds(GaussianDP, MUS),
        )
    )
    if not isinstance(budget, ApproxDP):
        return Accountant(budget)
    way = draw(st.sampled_from(["mixed", "approximate", "gaussian"]))
    shares = st.tuples(st.floats(0, 1), st.floats(0, 1))
    if way == "approximate" or (share := draw(st.none() | shares)) is None:
        return Accountant(budget, way=way)
    return Accountant(budget, way=way, reserve=ApproxDP(share[0] * budget.epsilon, share[1] * budget.delta))


def slightly_more(guarantee):
    """The guarantees whose one number is the next float."""
    for name, number in vars(guarantee).items():
        if name != "neighbours" and (more := math.nextafter(number, math.inf)) <= (1 if name == "delta" else 1e308):
            yield replace(guarantee, **{name: more})


@settings(derandomize=True, deadline=None, max_examples=300)
@example(account=Accountant(ApproxDP(1.0, 1e-5)), releases=[GaussianDP(0.05)], fill=True)  # was not affordable once
@given(account=accounts(), releases=st.lists(RELEASES, max_size=5), fill=st.booleans())
def test_what_is_left_is_affordable_and_no_more(account, releases, fill):
    for release in releases:
        if account.affords(release):
            account.spend(release)
    for _ in range(4 if fill else 1):
        if (left := account.left) is None:
            break
        assert account.affords(left)
        assert not any(account.affords(more) for more in slightly_more(left))
        if fill:
            account.spend(left)
    within = account.spent
    if within is not None and isinstance(account.budget, GaussianDP):
        assert within.mu <= account.budget.mu
    elif within is not None:
        assert within.epsilon <= account.budget.epsilon and within.delta <= account.budget.delta


# Rounding, threads, copies --------------------------------------------------------------------------------------------

INEXACT = [Fraction(2, 3), Fraction(1, 3), np.longdouble(1) / 3, np.longdouble(2) / 3, Fraction(1, 10**9)]


@pytest.mark.parametrize("value", [*INEXACT, 2**60 + 1, Fraction(10**30, 7)], ids=str)
def test_a_promise_is_rounded_up_and_a_budget_down(value):
    exact = Fraction(*map(int, value.as_integer_ratio()))
    promise = PureDP(value)
    assert Fraction(promise.epsilon) >= exact and Fraction(GaussianDP(value).mu) >= exact
    assert Fraction(math.nextafter(promise.epsilon, 0)) < exact
    for budget in (PureDP(value), GaussianDP(value), ApproxDP(value, 0.1)):
        allowed = next(iter(vars(Accountant(budget).budget).values()))
        assert Fraction(allowed) <= exact and Fraction(math.nextafter(allowed, math.inf)) > exact
    if Fraction(promise.epsilon) != exact:
        assert not Accountant(promise).affords(promise)


@pytest.mark.parametrize("value", INEXACT)
def test_a_delta_is_rounded_the_same_way(value):
    exact = Fraction(*map(int, value.as_integer_ratio()))
    assert Fraction(ApproxDP(1.0, value).delta) >= exact >= Fraction(Accountant(ApproxDP(1.0, value)).budget.delta)
    assert Fraction(gaussian_epsilon(1.0, value)) >= Fraction(gaussian_epsilon(1.0, math.nextafter(float(value), 1)))
    assert copy.deepcopy(ApproxDP(1.0, value)) == pickle.loads(pickle.dumps(ApproxDP(1.0, value)))
    assert Accountant(pickle.loads(pickle.dumps(PureDP(value)))).budget == Accountant(PureDP(value)).budget


def overspent(budget, release, paid):
    """Does any of some accounts sell more than `paid` of what eight threads ask for at once?"""
    many = [Accountant(budget) for _ in range(5)]
    if budget.neighbours == "add/remove":
        many = [account.parallel(by="hospital")["north"] for account in many]
    for accountant in many:
        together(8, lambda accountant=accountant: accountant.spend(release))
        assert len(accountant.history) >= paid
    return any(len(accountant.history) > paid for accountant in many)


THREADED = [
    (ApproxDP(1.0, 1e-5), GaussianDP(0.2), 1),
    (PureDP(1.0), PureDP(0.25), 4),
    (GaussianDP(1.0), GaussianDP(0.5), 4),
    (ZCDP(1.0, "add/remove"), ZCDP(0.25, "add/remove"), 4),
]


@pytest.mark.parametrize(("budget", "release", "paid"), THREADED)
def test_eight_threads_cannot_overspend(budget, release, paid, monkeypatch):
    """A thread that has been told yes waits before it is recorded: the others have to wait too. Without the lock they
    do not."""
    told = Book.charged

    def waiting(*asked):
        answer = told(*asked)
        time.sleep(0.002)
        return answer

    monkeypatch.setattr(Book, "charged", waiting)
    assert not overspent(budget, release, paid)
    monkeypatch.setattr(threading, "RLock", contextlib.nullcontext)
    assert overspent(budget, release, paid)


def together(count, spend):
    start = threading.Barrier(count)

    def run():
        start.wait()
        with contextlib.suppress(OverBudget):
            spend()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps, lambda a: copy.deepcopy([a])])
def test_a_copy_would_be_a_second_budget(copied):
    with pytest.raises(TypeError, match=r"^an Accountant cannot be copied, pickled or forked, because .* double the"):
        copied(Accountant(PureDP(1.0)))


def test_budget_history_and_guarantees_are_read_only():
    accountant = Accountant(PureDP(1.0))
    accountant.spend(PureDP(0.5), "a count")
    for owner, name in [
        *((accountant, name) for name in ("budget", "history", "spent", "left", "way")),
        (PureDP(1.0), "epsilon"),
    ]:
        with pytest.raises(AttributeError):
            setattr(owner, name, None)
    assert accountant.history == (("a count", PureDP(0.5)),)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Accountant(PureDP(1.0), way="gaussian"), "way = 'gaussian' is not one of pure for"),
        (lambda: Accountant(ApproxDP(1.0, 1e-5), way=["mixed"]), "way = a list is not one of mixed, approximate"),
        (lambda: Accountant(PureDP(1.0), reserve=PureDP(0.5)), "reserve requires an ApproxDP budget with way ="),
        (lambda: Accountant(ApproxDP(1.0, 1e-5), reserve=PureDP(1.5)), "reserve must be at most the budget"),
        (lambda: Accountant(ApproxDP(1.0, 1e-5), reserve=ApproxDP(0.5, 2e-5)), "reserve must be at most the"),
        (lambda: Accountant(ApproxDP(1.0, 1e-5), reserve=GaussianDP(0.1)), "reserve must be a PureDP or ApproxDP"),
        (
            lambda: Accountant(ApproxDP(1.0, 1e-5), reserve=PureDP(0.5, "label")),
            "reserve must be a PureDP .* for 'replace', got",
        ),
        (lambda: Accountant(PureDP(1.0)).spend(PureDP(0.5), label=b"count"), "label must be a string, got a bytes"),
        (lambda: Accountant(1.0), r"budget must be PureDP, .*, got float"),
        (lambda: Accountant(PureDP(1.0)).spend(1), r"guarantee must be PureDP, .*, got int"),
    ],
)
def test_what_is_wrong_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_neighbours_are_converted_or_refused():
    accountant = Accountant(PureDP(1.0))
    assert accountant.spend(PureDP(0.25, "add/remove")) == PureDP(0.5)
    with pytest.raises(ValueError, match="does not follow"):
        accountant.spend(PureDP(0.1, "label"))
    assert len(accountant.history) == 1
