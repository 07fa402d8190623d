"""Parts of a budget fit into it in every currency; of disjoint parts of the data, the releases that see a record do."""

import contextlib
import itertools
import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from lemmata import ZCDP, Accountant, ApproxDP, GaussianDP, OverBudget, PureDP, RenyiDP, compose, group
from lemmata.mechanisms.privacy.privacy_filter import Amounts, as_budget, charges

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


@pytest.mark.parametrize(
    ("budget", "part"),
    [pytest.param(*pair, id=name, marks=[pytest.mark.slow] * (name != "pure")) for name, pair in FOUR.items()],
)
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


@pytest.mark.parametrize("shares", [0, -1, 1.5, "3", b"ab", [], [0], [1, -1], [math.nan], ["a"], None, 10**7])
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


def test_shares_are_read_from_arrays():
    assert Accountant(PureDP(1.0)).parts(np.array(3)) == Accountant(PureDP(1.0)).parts(3)


# Disjoint parts of the records ----------------------------------------------------------------------------------------

PLACES = [[], [("h", 1)], [("h", 2)], [("w", "a")], [("w", "b")], [("h", 1), ("w", "a")], [("h", 1), ("w", "b")]]
RECORDS = [  # the places that see it: by h, by w, and by w among those with its h, each maybe without a value
    [[], *([[("h", h)]] if h else []), *([[("w", w)]] if w else []), *([[("h", h), ("w", v)]] if h and v else [])]
    for h, w, v in itertools.product([1, 2, None], ["a", "b", None], ["a", "b", None])
]
CURRENCIES = {  # budget, a release of a random size, and what is charged of it
    "pure": (PureDP(1.0, "add/remove"), lambda x: PureDP(x / 4, "add/remove"), lambda g: (Fraction(g.epsilon), 0)),
    "approximate": (
        ApproxDP(1.0, 1e-5, "add/remove"),
        lambda x: ApproxDP(x / 4, 1e-5 * (1 - x) / 4, "add/remove"),
        lambda g: (Fraction(g.epsilon), Fraction(g.delta)),
    ),
    "zcdp": (ZCDP(1.0, "add/remove"), lambda x: ZCDP(x / 4, "add/remove"), lambda g: (Fraction(g.rho), 0)),
    "gaussian": (
        GaussianDP(1.0, "add/remove"),
        lambda x: GaussianDP(x / 2, "add/remove"),
        lambda g: (Fraction(g.mu) ** 2, 0),
    ),
}


def at(account, place):
    for by, key in place:
        account = account.parallel(by=by)[key]
    return account


@pytest.mark.parametrize(("budget", "release", "size"), CURRENCIES.values(), ids=CURRENCIES)
def test_a_release_is_taken_if_and_only_if_every_record_affords_it(budget, release, size, path):
    """The oracle adds up the releases that see a record, for every record that there may be."""
    kept, rng = {"way": "approximate"} if isinstance(budget, ApproxDP) else {}, random.Random(3)
    limit, spent, answers = size(budget), [(Fraction(0), Fraction(0)) for _ in RECORDS], set()
    with Accountant.open(path, budget, **kept) as account:
        for _ in range(80):
            place, asked = rng.choice(PLACES), release(rng.random())
            grown = [
                tuple(map(sum, zip(sums, size(asked), strict=True))) if place in record else sums
                for sums, record in zip(spent, RECORDS, strict=True)
            ]
            fits = all(one <= most for sums in grown for one, most in zip(sums, limit, strict=True))
            part = at(account, place)
            with contextlib.nullcontext() if fits else pytest.raises(OverBudget):
                part.spend(asked, "a count")
            answers.add((bool(place), fits))
            spent = grown if fits else spent
            assert part.left is None or part.affords(part.left)
        assert len(answers) == 4 and account.verify(account.receipt) == 0
        told = [(at(account, place).spent, at(account, place).left) for place in PLACES]
        count, history = int(account.receipt.split()[0]), account.history
    with Accountant.open(path) as again:
        assert [(at(again, place).spent, at(again, place).left) for place in PLACES] == told
        assert again.history == history and count == len(history)


def test_the_largest_part_is_charged_and_a_switch_holds_for_all():
    """A Gaussian release of one part leaves to all what the Gaussian way has beside the pure releases of any."""
    account = Accountant(ApproxDP(1.0, 1e-5, "add/remove"))
    north, south = (account.parallel(by="hospital")[name] for name in ("north", "south"))
    north.spend(PureDP(0.5, "add/remove"), "a count")
    assert (account.left.epsilon, south.left.epsilon) == (0.5, 1.0)
    south.spend(GaussianDP(0.05, "add/remove"))
    alone = Accountant(ApproxDP(1.0, 1e-5, "add/remove"))
    alone.spend(PureDP(0.5, "add/remove"))
    alone.spend(GaussianDP(0.05, "add/remove"))
    assert account.left == south.left == alone.left and north.left.mu > south.left.mu
    assert [label for label, _ in account.history] == ["hospital = north: a count", "hospital = south"]
    assert north.history == (("a count", PureDP(0.5, "add/remove")),) and "hospital = north" in repr(north)
    for part in south.parts(7):
        south.spend(part)
    assert north.affords(north.left) and not south.affords(GaussianDP(0.01, "add/remove"))


def test_a_record_may_move_to_another_part_unless_keys_are_fixed(path):
    with Accountant.open(path, PureDP(1.0)) as account:
        with pytest.raises(ValueError, match="neighbours must not move a record from one hospital to another"):
            account.parallel(by="hospital")
        with pytest.raises(ValueError, match="fixed_keys must be True or False, got 'no'"):
            account.parallel(by="hospital", fixed_keys="no")
        account.parallel(by="hospital", fixed_keys=True)["north"].spend(PureDP(0.9))
        assert "PureDP(epsilon=1.0, neighbours='replace') (kept as pure, for neighbours of equal hospital)" in repr(
            account
        )
    with Accountant.open(path) as again:
        assert "for neighbours of equal hospital" in repr(again) and not again.affords(PureDP(0.2))
    with pytest.raises(ValueError, match="'add/remove' does not follow from 'replace'"):
        Accountant(PureDP(1.0, "add/remove")).parallel(by="hospital")["north"].spend(PureDP(0.1))


@pytest.mark.parametrize("key", [1.0, True, ("a", "b"), ["a"], slice(0, 3), None, {"a"}, "  north", "NORTH", "ｎorth"])
def test_what_may_not_be_disjoint_is_refused(key):
    hospitals = Accountant(PureDP(1.0, "add/remove")).parallel(by="hospital")
    hospitals["north"].spend(PureDP(0.5, "add/remove"))
    with pytest.raises(ValueError, match=r"^key must "):
        hospitals[key]
    assert hospitals[np.str_("north")].spent == PureDP(0.5, "add/remove")
    with pytest.raises(TypeError):
        list(hospitals)


@pytest.mark.parametrize(
    ("account", "by"),
    [
        (Accountant(ApproxDP(1.0, 1e-5, "add/remove"), way="losses", plan=[PureDP(0.1, "add/remove")]), "hospital"),
        (Accountant(RenyiDP(2, 0.5, "add/remove up to 4")), "hospital"),
        (Accountant(PureDP(1.0, "add/remove")), " "),
        (Accountant(PureDP(1.0, "add/remove")), 3),
    ],
)
def test_other_accounts_have_no_parts(account, by):
    with pytest.raises(ValueError, match=r"^(by|budget) must "):
        account.parallel(by=by)


# Users ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "release", "left"),
    [
        (PureDP(1.0, "replace up to 5"), PureDP(0.125), PureDP(0.375, "replace up to 5")),
        (ZCDP(5.0, "replace up to 4"), ZCDP(0.125), ZCDP(3.0, "replace up to 4")),
        (GaussianDP(5.0, "add/remove up to 3"), GaussianDP(1.0, "add/remove"), GaussianDP(4.0, "add/remove up to 3")),
        (PureDP(1.0, "replace up to 5"), PureDP(0.25, "replace up to 5"), PureDP(0.75, "replace up to 5")),
        (PureDP(1.0, "replace up to 5"), PureDP(0.25, "replace up to 3"), PureDP(0.5, "replace up to 5")),
        (PureDP(1.0), PureDP(0.25, "replace up to 5"), PureDP(0.75)),
    ],
)
def test_a_user_is_charged_as_a_group(budget, release, left):
    account = Accountant(budget)
    account.spend(release)
    assert account.left == left


def test_a_user_may_have_a_record_in_every_part():
    """Each part tells 0.1 of whoever has a record there, so five parts tell 0.5 of a user who has one in each."""
    account = Accountant(PureDP(0.5, "add/remove up to 5"))
    part = account.parallel(by="hospital")["north"]
    assert part.affords(PureDP("1/11", "add/remove")) and not part.affords(PureDP(0.11, "add/remove up to 5"))
    assert part.affords(part.left) and 0.0999 < part.left.epsilon <= 0.1
    assert all(part.spend(each) for each in part.parts(3)) and not part.affords(PureDP(0.001, "add/remove"))
    account = Accountant(PureDP(0.5, "add/remove up to 5"))
    account.spend(PureDP(0.11, "add/remove up to 5"))


@pytest.mark.parametrize("size", [1.3, 0.2, 30.0])
def test_charges_grow_at_least_in_proportion_to_the_records(size):
    """So that the parts among which a user's records are divided cost no more than one part that has them all."""
    kinds = [PureDP(size), ApproxDP(size / 9, 1e-9), ZCDP(size), GaussianDP(size)]
    for guarantee, whole in itertools.product(kinds, [2, 3, 7]):
        for way, budget in (("mixed", ApproxDP(1.0, 0.1)), ("zcdp", ZCDP(1.0))):
            few, many = ([Amounts().plus(c) for c in charges(group(guarantee, k), budget, way)] for k in (1, whole))
            for one, all_of_them in zip(few, many, strict=True):
                one, most = ((*a[:3], *a.divergences) for a in (one, all_of_them))
                assert all(whole * x <= y * (1 + Fraction(1, 10**9)) for x, y in zip(one, most, strict=True))


def test_a_guarantee_that_was_changed_by_hand_is_refused():
    class Cheap(PureDP):
        def __post_init__(self):
            pass

    broken = PureDP(1.0)
    object.__setattr__(broken, "epsilon", -5.0)
    for guarantee in (broken, Cheap(-5.0), Cheap(0.1)):
        for door in (Accountant(PureDP(1.0)).spend, Accountant(PureDP(1.0)).affords, Accountant, compose):
            with pytest.raises(ValueError, match="must be"):
                door(guarantee)
