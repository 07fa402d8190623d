"""What an audit suspects: a line that leaks, and nothing that an honest mechanism does as well."""

import numpy as np
import pytest

import lemmata
from lemmata import ZCDP, ApproxDP, GaussianDP, PureDP, audit, trace
from tests.mechanisms.audit.planted_leaks import ONE, through, tidy

x = np.linspace(0.1, 0.9, 12)
moved = np.append(x[:-1], 0.0)
GRID = np.linspace(0, 1, 5)


def shuffled(x, rng):
    own = tidy(x)
    rng.shuffle(own)
    return own.sum() + rng.laplace()


def in_another_order(x, rng):
    return tidy(rng.permutation(x)).sum() + rng.laplace()


def of_a_sample(x, rng):
    return tidy(rng.choice(x, size=len(x), replace=False)).sum() + rng.laplace()


def rejected(x, rng):
    """Draws around the mean until one lies in [0, 1], which costs twice what the centre moves by."""
    while True:
        found = rng.laplace(tidy(x).mean(), 1.0)
        if 0 <= found <= 1:
            return float(found)


def chosen(x, rng):
    """The exponential mechanism, whose utility one record moves by 1."""
    utility = -np.array([abs((tidy(x) < t).sum() - len(x) / 2) for t in GRID])
    shares = np.exp((utility - utility.max()) / 2)
    return float(rng.choice(GRID, p=shares / shares.sum()))


def responded(x, rng):
    truth = float(np.nan_to_num(x)[-1] > 0.5)
    return truth if rng.random() < np.e / (1 + np.e) else 1 - truth


def largest(x, rng):
    """Report noisy max: one record moves every count by 1."""
    counts = np.array([(tidy(x) > t).sum() for t in (0.0, 0.2, 0.4, 0.6, 0.8)])
    return int(np.argmax(counts + rng.laplace(scale=2.0, size=5)))


def above(x, rng):
    """Sparse vector: the first of many counts above a noisy threshold."""
    threshold = 6 + rng.laplace(scale=2.0)
    for place, t in enumerate((0.9, 0.8, 0.7, 0.6, 0.5, 0.4)):
        if (tidy(x) > t).sum() + rng.laplace(scale=4.0) >= threshold:
            return place
    return -1


def centred(x, rng):
    """Noise around a mean that moves within its scale times the budget."""
    return rng.laplace(tidy(x).sum(), 1.0)


def directed(x, rng):
    """Noise of Gamma length in a random direction; of one number that is Laplace noise."""
    way = rng.normal(size=1)
    return tidy(x).sum() + way / np.abs(way) * rng.gamma(1.0)


HONEST = [shuffled, in_another_order, of_a_sample, rejected, chosen, responded, largest, above, centred, directed]


@pytest.mark.parametrize("mechanism", HONEST, ids=lambda one: one.__name__)
@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_suspected_of_an_honest_mechanism(mechanism, seed):
    assert not trace(mechanism, x, moved, ONE, seed=seed).leads


@pytest.mark.parametrize("mechanism", [shuffled, chosen, above], ids=lambda one: one.__name__)
def test_nor_by_an_audit_of_it(mechanism):
    found = audit(mechanism, x, ONE, root=3, budget=4096)
    assert found.verdict != "REFUTED" and not found.place, found


def by_a_far_too_sharp_choice(x, rng):
    shares = np.exp(-20 * abs(GRID - tidy(x)[-1]))
    return float(rng.choice(GRID, p=shares / shares.sum()))


def rows_that_count(x, rng):
    return np.array([(tidy(x) > t).sum() for t in (0.0, 0.2, 0.4, 0.6, 0.8)]) + rng.laplace(scale=2.0, size=5)


@pytest.mark.parametrize("mechanism", [rows_that_count, by_a_far_too_sharp_choice])
def test_what_is_seen_to_leak_is_suspected(mechanism):
    assert trace(mechanism, x, moved, ONE).leads


def test_no_scale_is_infinite_in_words():
    said = str(trace(through, x, np.append(x[:-1], np.nan), ONE))
    assert "inf" not in said and "more than noise of any scale hides" in said


def test_a_generator_that_always_begins_alike_is_told():
    found = audit(lambda x: tidy(x).sum() + np.random.default_rng(7).laplace(), x, ONE, root=3)
    assert found.verdict == "REFUTED" and found.place[0].startswith("every release is the same, whatever the seed")
    assert not any("every release" in lead for lead in audit(through, x, ONE, root=3).place)


def test_one_record_is_one(capsys):
    """And an audit may be given seconds, which are so many releases."""
    found = audit(through, x, ONE, root=3, seconds=0.5)
    assert "1 records" not in str(found) and "0.5 s are budget=" in capsys.readouterr().err
    with pytest.raises(ValueError, match="seconds and budget exclude each other, got seconds = 1"):
        lemmata.audit(through, x, ONE, budget=4096, seconds=1)


def steps(spread, blocks=1):
    """Ten sums with normal noise, or one draw for each block of the columns of a clipped sum."""

    def released(x, rng):
        if blocks == 1:
            return [float(tidy(x).sum() + rng.normal(scale=spread)) for _ in range(10)]
        rows = np.nan_to_num(x)
        total = (rows / np.maximum(1, np.linalg.norm(rows, axis=1))[:, None]).sum(axis=0)
        return [part + rng.normal(scale=spread, size=len(part)) for part in np.split(total, blocks)]

    return released


ROW, NONE = np.vstack([np.zeros((3, 12)), np.full(12, 12**-0.5)]), np.zeros((3, 12))
TEN, FOUR = np.append(np.zeros(3), 1.0), np.zeros(3)
COMPOSED = {  # a release, two datasets, a claim that it just keeps, and one that it just breaks
    "ten steps": (steps(10**0.5), TEN, FOUR, GaussianDP(1.0001), GaussianDP(0.99)),
    "ten steps, zCDP": (steps(10**0.5), TEN, FOUR, ZCDP(0.5001), ZCDP(0.49)),
    "ten steps, delta": (steps(10**0.5), TEN, FOUR, ApproxDP(4.3773, 1e-5), ApproxDP(4.3, 1e-5)),
    "twelve blocks": (steps(1.0, 12), ROW, NONE, GaussianDP(1.0001), GaussianDP(0.99)),
    "one number": (lambda x, rng: tidy(x).sum() + rng.laplace(), TEN, FOUR, ApproxDP(0.9, 0.05), ApproxDP(0.9, 0.04)),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_a_lead_judges_the_whole_release(name):
    """Noise of several draws is charged by its squares, and a delta pays for a little more than its epsilon."""
    released, data, neighbour, kept, broken = COMPOSED[name]
    assert not trace(released, data, neighbour, kept).leads
    assert [lead.kind for lead in trace(released, data, neighbour, broken).leads] == ["centre"]


@pytest.mark.parametrize("seed", range(5))
def test_a_sample_may_pay_for_what_follows(seed):
    """A half of the records costs log(1 + (e - 1) / 2); without the draw that chooses it, it is too far."""
    claim = PureDP(float(np.log1p((np.e - 1) / 2)))
    half = lambda x, rng: float(tidy(x)[rng.random(len(x)) < 0.5].sum() + rng.laplace())  # noqa: E731
    assert not trace(half, TEN, FOUR, claim, seed=seed).leads
    assert trace(lambda x, rng: float(tidy(x).sum() + rng.laplace()), TEN, FOUR, claim, seed=seed).leads


SAMPLED = {
    "in a loop": lambda x, rng: float(sum(value for value in tidy(x) if rng.random() < 0.5) + rng.laplace()),
    "by coins": lambda x, rng: float(rng.binomial(1, 0.5, len(x)) @ tidy(x) + rng.laplace()),
    "half of an order": lambda x, rng: float(tidy(x)[rng.permutation(len(x))[: len(x) // 2]].sum() + rng.laplace()),
    "any of them": lambda x, rng: float(tidy(x)[rng.integers(len(x))] + rng.laplace()),
}


@pytest.mark.parametrize("mechanism", SAMPLED.values(), ids=SAMPLED)
@pytest.mark.parametrize("neighbour", [moved, x[:-1]], ids=["replaced", "removed"])
@pytest.mark.parametrize("seed", range(4))
def test_whatever_draws_the_sample_pays_too(mechanism, neighbour, seed):
    """At half of the records each, of two for one at least where one is removed."""
    assert not trace(mechanism, x, neighbour, PureDP(0.7), seed=seed).leads


def test_a_sample_that_a_record_weighs_in_is_suspected():
    own_coins = lambda x, rng: float(rng.binomial(1, tidy(x).mean()) + rng.laplace(scale=10))  # noqa: E731
    assert [lead.kind for lead in trace(own_coins, x, moved, ONE).leads] == ["parameters"]


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (lambda x, rng: tidy(x)[:4] * 1.0 + rng.laplace(scale=10), ApproxDP(1.0, 1e-6)),
        (lambda x, rng: float(tidy(rng.permutation(x)).sum() + rng.laplace(scale=0.01)), ONE),
        (lambda x, rng: np.repeat(tidy(x).sum(), 10) + rng.laplace(scale=1.2, size=10), ApproxDP(1.0, 1e-9)),
        (lambda x, rng: [float(tidy(x).sum() + rng.laplace()) for _ in range(2)], ApproxDP(1.0, 1e-9)),
    ],
    ids=["one draw for all", "in another order and loud", "ten times", "twice"],
)
def test_neither_an_order_nor_a_small_delta_pays_for_what_is_seen(mechanism, claim):
    assert "centre" in [lead.kind for lead in trace(mechanism, TEN, FOUR, claim).leads]


def test_releases_that_seldom_differ_are_not_called_constant():
    """The first seeds show nothing, and delta allows what later ones show."""

    def seldom(x, rng):
        return tidy(x).tolist() if rng.random() < 0.03 else []

    found = audit(seldom, np.linspace(0, 1, 9), ApproxDP(1.0, 0.03), root=1, budget=1_024)
    assert found.verdict == "INCONCLUSIVE" and not found.place
