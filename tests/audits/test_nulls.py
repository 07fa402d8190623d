"""The null bench: its mistakes are seen, its counting resumes, and what it rests on is exact."""

import csv
from math import log

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom

from lemmata.experiments.audits import nulls, read_committed
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.audit.evidence.rules import Rule
from lemmata.mechanisms.audit.play import game, sequential_test
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP
from tests.mutation.planted import hindsight

CLAIMS = [PureDP(1.0), ApproxDP(0.5, 0.1), GaussianDP(1.0)]


def playing(claim, attackers=8):
    """A game of so many attackers before its first release."""
    return game.Game(
        lambda rng, n: rng.random(n), lambda rng, n: rng.random(n), claim, root=1, named=[("", None)] * attackers
    )


# One budget for all ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_capital_of_one_is_divided_among_all(claim):
    """Among attackers, tangents, thresholds, sides and stakes: at the start, and as each has earned."""
    begun = playing(claim)
    assert logsumexp(stakes.START) == pytest.approx(0, abs=1e-12)
    assert stakes.average(begun.counts, begun.table) == pytest.approx(0, abs=1e-12)
    begun.counts[3] = [20, 1, 9]
    alone = stakes.average(begun.counts[3:4], begun.table)
    assert np.exp(stakes.average(begun.counts, begun.table)) == pytest.approx((7 + np.exp(alone)) / 8)
    everywhere = np.zeros(len(begun.table))
    silent = np.full(len(begun.table), np.inf)
    begun.rules = [Rule(None, silent, silent)] * 3 + [Rule(None, everywhere, everywhere, np.zeros(1))] * 5
    shares = begun.earned()
    assert logsumexp(shares) == pytest.approx(0, abs=1e-12)
    assert np.isneginf(shares[:3]).all() and shares[3].max() == shares.max()


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_lower_limit_starts_from_the_claim_if_that_was_paid_for(claim):
    """With no guess at all, what was won against the claim has to be twice what one look at it takes."""
    begun, chance = playing(claim), 0.01
    begun.won = log(1.5 / chance)
    assert begun.log_e() > -log(chance) and begun.lower(chance) == 0
    begun.won = log(2.5 / chance)
    assert begun.lower(chance) == stakes.parameter(claim)[1]


def test_a_lower_limit_climbs_by_what_everybody_bets():
    """Above the claim under audit nothing was won against any other: guesses alone carry it on."""
    begun = playing(PureDP(0.1))
    begun.counts[:] = [290, 10, 0]
    begun.won = log(1e9)
    reached = begun.lower(1e-3)
    assert 1 < reached < log(29)
    points = stakes.tables([(reached * 1.04, 0.0)])
    assert stakes.average(begun.counts, np.repeat(points, stakes.CUTS, axis=0)) < log(1e3)


def test_no_rule_judges_what_it_was_learnt_from(monkeypatch):
    """Every release is another number: those judged were in no attacker's past."""
    drawn, learnt, judged = iter(range(10**6)), set(), []

    def numbered(rng, size):
        return np.array([next(drawn) for _ in range(size)], dtype=float)

    def learn(data, truth):
        learnt.update(data.raw.tolist())
        return lambda fresh: fresh.raw

    begun = game.Game(numbered, numbered, PureDP(1.0), root=1, named=[("", learn)])
    judge = begun.judge

    def noted(fresh, truth, allowed):
        judged.append((set(fresh.raw.tolist()), set(learnt)))
        judge(fresh, truth, allowed)

    monkeypatch.setattr(begun, "judge", noted)
    sequential_test.play(begun, 400, 1e-10)
    assert len(judged) > 5 and all(seen for _, seen in judged)
    assert not any(fresh & seen for fresh, seen in judged)


# The bench ------------------------------------------------------------------------------------------------------------


def test_there_are_a_dozen_nulls_and_eight_attackers_each():
    assert len(nulls.NULLS) >= 12
    lines = nulls.read_lines(nulls.TABLE)
    assert all(line["attackers"] >= 8 for line in lines.values())
    assert [line for line in lines.values() if line["audits"] and not line["truth"] > 0] == []


def test_it_goes_on_where_it_was_and_counts_other_code_afresh(tmp_path, monkeypatch):
    monkeypatch.setattr(nulls, "NULLS", {name: nulls.NULLS[name] for name in ("Laplace", "exceptions")})
    monkeypatch.setattr(nulls, "PIECE", 2)
    asked = []
    monkeypatch.setattr(nulls, "count_alarms", lambda name, roots: asked.append((name, list(roots))) or (1, 0))
    path = tmp_path / "nulls.csv"
    bench = nulls.measure_nulls(path, 5)
    next(bench)
    bench.close()
    assert [line["audits"] for line in nulls.read_lines(path).values()] == [2, 0]
    assert [line["audits"] for line in nulls.measure_nulls(path, 5)] == [2, 4, 4, 5, 5]
    assert asked == [
        ("Laplace", [0, 1]), ("exceptions", [0, 1]), ("Laplace", [2, 3]), ("exceptions", [2, 3]), ("Laplace", [4]),
        ("exceptions", [4]),
    ]  # fmt: skip
    assert [line["alarms"] for line in nulls.read_lines(path).values()] == [3, 3]
    path.write_text(path.read_text().replace(nulls.read_lines(path)["Laplace"]["code"], "other"))
    assert [line["audits"] for line in nulls.read_lines(path).values()] == [0, 5]


def test_what_is_published_could_have_failed_and_did_not():
    """So many audits that a rate twice as large as allowed would be seen nine times of ten; no count is too large."""
    lines = read_committed("nulls")
    assert {line["null"] for line in lines} == set(nulls.NULLS)
    for line in lines:
        audits = int(line["audits"])
        assert audits >= 500 and binom.cdf(nulls.limit_alarms(audits), audits, 2 * nulls.LEVEL) < 0.1
        assert max(int(line["alarms"]), int(line["overclaims"])) <= nulls.limit_alarms(audits), line


def test_a_page_says_which_counts_are_of_other_code():
    lines = [line | {"code": nulls.digest_codes()[line["null"]]} for line in read_committed("nulls")]
    lines[0]["code"] = "other"
    assert [line["current"] for line in nulls.describe_lines(lines)] == [False] + [True] * (len(lines) - 1)


FALLING = {  # target, name, mutation, null, audits
    "no union over attackers, whose evidence is added up": (
        stakes,
        "average",
        lambda average: lambda counts, table: average(counts, table) + log(counts.shape[-4] * counts.shape[-3]),
        "Laplace",
        60,
    ),
    "shares that are not divided: what all have earned, all may bet": (
        game.Game,
        "earned",
        lambda earned: lambda self: None if (shares := earned(self)) is None else shares - shares.max(),
        "randomised response",
        16,
    ),
    "one stream for all chunks": (
        game,
        "generator",
        lambda generator: lambda root, name, setting, stream, index: generator(root, name, setting, stream, 0),
        "Laplace",
        16,
    ),
    "wrong guesses at half the price": (
        stakes,
        "gains",
        lambda gains: lambda epsilon, bound: gains(epsilon, bound) * [1, 0.5, 1],
        "randomised response",
        160,
    ),
    "two records charged as one": (stakes, "group", lambda group: lambda claim, k: claim, "Laplace, two records", 600),
    "rules that judge what they learnt from": (game.Game, "judge", hindsight, "Laplace", 400),
}


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.soak) if FALLING[n][-1] > 100 else n for n in FALLING]
)
def test_a_mistake_in_the_game_is_seen(name, monkeypatch):
    target, attribute, mutated, null, audits = FALLING[name]
    monkeypatch.setattr(target, attribute, mutated(getattr(target, attribute)))
    assert max(nulls.count_alarms(null, range(TEST_ROOT, TEST_ROOT + audits))) > nulls.limit_alarms(audits)


@pytest.mark.soak
@pytest.mark.parametrize("name", nulls.NULLS)
def test_a_true_claim_is_refuted_as_seldom_as_the_level_says(name):
    """At roots that the published table does not use."""
    counts = nulls.count_alarms(name, range(TEST_ROOT, TEST_ROOT + nulls.AUDITS))
    assert max(counts) <= nulls.limit_alarms(nulls.AUDITS)


def test_the_bench_plays_the_game_of_every_audit():
    """Same releases, same evidence, but for the attackers that learn nothing."""
    null = nulls.NULLS["Gaussian"]
    begun = game.Game(null.a, null.b, null.claim, root=7, named=list(nulls.attackers(null.a, null.b, None)))
    course = sequential_test.play(begun, 200, 1e-10)
    assert sequential_test.audit(null.a, null.b, null.claim, root=7, budget=200).course == course
    with nulls.TABLE.open(newline="") as lines:
        assert list(csv.DictReader(lines)) == read_committed("nulls")
