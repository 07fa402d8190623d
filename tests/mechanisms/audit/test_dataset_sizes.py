"""Leaks that show on datasets of one size or one count alone, and values that are records: found unaided."""

import functools
from collections import Counter
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import lemmata
from lemmata.command.audit import parse_guarantee
from lemmata.command.main import main
from lemmata.mechanisms.audit.neighbours.changes import neighbouring
from lemmata.mechanisms.audit.neighbours.record_parts import described
from lemmata.mechanisms.audit.neighbours.several_records import of_one_user
from lemmata.mechanisms.audit.play.pair_shrinking import simpler
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ZCDP, PureDP, RenyiDP
from tests.mechanisms.audit.planted_leaks import ONE, tidy

pytestmark = pytest.mark.statistical

x = np.linspace(0.1, 0.9, 30)


def winner_by_a_margin(votes, rng):
    counts = np.bincount(np.clip(np.nan_to_num(votes), 0, 3).astype(int), minlength=4)
    ahead = np.diff(np.sort(counts))[-1]
    return int(np.argmax(counts if ahead > 2 else counts + rng.gumbel(scale=2, size=4)))


def total_by_user(frame, rng, most=2):
    """Two records of each user count, or all."""
    return tidy(frame.groupby("user", dropna=False).head(most)["v"].to_numpy()).sum() + rng.laplace(scale=2)


def total_for_users(x, rng, scale=5):
    return tidy(x).sum() + rng.laplace(scale=scale)


USERS = pd.DataFrame({"user": list("aabbbccddd"), "v": np.linspace(0, 1, 10)})
FIVE = PureDP(1.0, "replace up to 5"), PureDP(1.0, "add/remove up to 5")


def response(value, rng, kept):
    return value if rng.random() < kept else not value


LEAKS = {  # mechanism, data, claim; and by what users are named
    "the noise of a mean, from the true size": (
        lambda x, rng: tidy(x).mean() + rng.laplace(scale=1 / len(x)),
        x,
        PureDP(1.0, "add/remove"),
    ),
    "no noise for a winner by a margin": (winner_by_a_margin, np.arange(40) % 4, ONE),
    "a sum that overflows": (
        lambda x, rng: np.clip(np.nan_to_num(x), 0, 100).astype(np.int8).sum(dtype=np.int8) + rng.laplace(scale=100),
        np.arange(20, 60),
        ONE,
    ),
    "a truth value, kept too often": (lambda value, rng: response(value, rng, 0.9), True, ONE),
    "noise for three records of five": (functools.partial(total_for_users, scale=3), x, FIVE[0]),
    "noise for two records of five": (functools.partial(total_for_users, scale=2), x, FIVE[1]),
    "all records of a user": (functools.partial(total_by_user, most=9), USERS, ONE, "user"),
}


@pytest.mark.parametrize("name", [*[*LEAKS][:-1], pytest.param([*LEAKS][-1], marks=pytest.mark.slow)])
def test_a_leak_of_some_datasets_is_found(name):
    mechanism, data, claim, *unit = LEAKS[name]
    found = lemmata.audit(mechanism, data, claim, root=TEST_ROOT, budget=20_000, unit=unit[0] if unit else None)
    assert found.verdict == "REFUTED", found


@pytest.mark.parametrize(
    ("mechanism", "data", "claim", "unit"),
    [
        *((total_for_users, x, claim, None) for claim in FIVE),
        pytest.param(total_by_user, USERS, ONE, "user", marks=pytest.mark.slow),
    ],
)
def test_noise_for_all_records_of_a_user_survives(mechanism, data, claim, unit):
    found = lemmata.audit(mechanism, data, claim, root=TEST_ROOT, budget=6_000, unit=unit)
    assert found.verdict == "INCONCLUSIVE" and found.lower > 0.5, found


@pytest.mark.parametrize("kind", ["replace", "add/remove", "label"])
@pytest.mark.parametrize("unit", [None, "user"])
def test_a_pair_differs_in_the_records_of_one_user(kind, unit):
    """And so does every smaller pair: names stay, labels come alone, and no more than three records differ."""
    data = USERS, np.arange(10) % 2
    parts = described(data, {"classes": (0, 1)})
    pairs = list(islice(of_one_user(neighbouring(data, parts, kind), 3, unit), 150))
    seen = set()
    for pair in [*pairs, *(smaller for one in pairs[::5] for smaller in islice(simpler(one), 8))]:
        sides = [
            [(*row, label) for row, label in zip(X.to_numpy().astype(str).tolist(), y.tolist(), strict=True)]
            for X, y in (pair.data, pair.neighbour)
        ]
        few, many = (Counter(side) for side in sorted(sides, key=len))
        changed = [*(many - few).elements()]
        if kind == "add/remove":
            assert few <= many
        else:
            changed = [one for one, other in zip(*sides, strict=True) if one != other]
            assert kind != "label" or [row[:-1] for row in sides[0]] == [row[:-1] for row in sides[1]]
            assert pair.data[0].index.equals(pair.neighbour[0].index)
        assert len(changed) <= 3
        if unit:
            assert len({row[0] for row in changed}) <= 1
            assert kind == "add/remove" or pair.data[0]["user"].equals(pair.neighbour[0]["user"])
        seen.add(len(changed))
    assert {2, 3} & seen


def test_a_truth_value_that_is_kept_as_promised():
    """Kept with e / (1 + e), it survives; and its neighbour is the other truth value, no number."""
    found = lemmata.audit(lambda value, rng: response(value, rng, 0.731), True, ONE, root=TEST_ROOT, budget=4_096)
    assert found.verdict == "INCONCLUSIVE" and found.pair.neighbour[0] == np.False_, found


# What the command can be told to attack -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        (["--rho", "0.5"], repr(ZCDP(0.5))),
        (["--order", "2", "--epsilon", "1"], repr(RenyiDP(2, 1))),
        (["--claim", "PrivacyCurve((0.5, 1), (0.4, 0.1))"], "PrivacyCurve"),
    ],
)
def test_every_guarantee_can_be_claimed(options, claim, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sides.py").write_text("def a(rng, size): return rng.normal(0, 1, size)\n")
    done = CliRunner().invoke(main, ["audit", "sides.py:a", "sides.py:a", *options, "--budget", "512"])
    assert done.exit_code in (0, 3) and claim in done.output, done.output


@pytest.mark.parametrize("text", ["ZCDP", "open('x')", "ZCDP(0.5, 1, 2, 3)", "PureDP(__import__('os'))"])
def test_a_claim_is_read_and_never_run(text):
    with pytest.raises(ValueError, match="--claim"):
        parse_guarantee(text, "replace")


@pytest.mark.slow
def test_a_mechanism_for_one_number_of_records():
    """A mean whose noise has its number of records written down keeps its promise on them; others it has to refuse."""

    def mean_of_thirty(x, rng, takes):
        if len(x) not in takes:
            raise ValueError("thirty records, please")
        return tidy(x).mean() + rng.laplace(scale=1 / 30)

    for takes, verdict in (({30}, "INCONCLUSIVE"), (range(100), "REFUTED")):
        mechanism = functools.partial(mean_of_thirty, takes=takes)
        assert lemmata.audit(mechanism, x, ONE, root=TEST_ROOT, budget=8_192).verdict == verdict


@pytest.mark.parametrize("adapts", [pytest.param(True, marks=pytest.mark.slow), False])
def test_one_column_of_a_function_that_adapts(adapts):
    """What releases fewer numbers of one column is tried with it; what numpy repeats to three is asked once."""
    asked = []

    def sums(X, rng):
        asked.append(X.shape[1])
        return tidy(X).sum(axis=0) + rng.laplace(scale=3, size=X.shape[1] if adapts else 3)

    found = lemmata.audit(sums, np.linspace(0.1, 0.9, 24).reshape(8, 3), ONE, root=TEST_ROOT, budget=16_384)
    assert found.verdict == "INCONCLUSIVE", found
    assert (asked.count(1) > 1) is adapts
