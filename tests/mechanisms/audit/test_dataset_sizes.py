"""Leaks that show on datasets of one size or one count alone, and values that are records: found unaided."""

import functools

import numpy as np
import pytest
from click.testing import CliRunner

import lemmata
from lemmata.command.audit import parse_guarantee
from lemmata.command.main import main
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ZCDP, PureDP, RenyiDP
from tests.mechanisms.audit.planted_leaks import ONE, tidy

pytestmark = pytest.mark.statistical

x = np.linspace(0.1, 0.9, 30)


def mean_by_its_own_size(x, rng):
    return tidy(x).mean() + rng.laplace(scale=1 / len(x))


def winner_by_a_margin(votes, rng):
    counts = np.bincount(np.clip(np.nan_to_num(votes), 0, 3).astype(int), minlength=4)
    ahead = np.diff(np.sort(counts))[-1]
    return int(np.argmax(counts if ahead > 2 else counts + rng.gumbel(scale=2, size=4)))


def total_in_eight_bits(x, rng):
    return int(np.clip(np.nan_to_num(x), 0, 100).astype(np.int8).sum(dtype=np.int8)) + rng.laplace(scale=100)


def response(value, rng, kept):
    return value if rng.random() < kept else not value


LEAKS = {  # mechanism, data, claim
    "the noise of a mean, from the true size": (mean_by_its_own_size, x, PureDP(1.0, "add/remove")),
    "no noise for a winner by a margin": (winner_by_a_margin, np.arange(40) % 4, ONE),
    "a sum that overflows": (total_in_eight_bits, np.arange(20, 60), ONE),
    "a truth value, kept too often": (lambda value, rng: response(value, rng, 0.9), True, ONE),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_of_some_datasets_is_found(name):
    mechanism, data, claim = LEAKS[name]
    found = lemmata.audit(mechanism, data, claim, root=TEST_ROOT, budget=20_000)
    assert found.verdict == "REFUTED", found


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

    data = np.linspace(0.1, 0.9, 24).reshape(8, 3)
    found = lemmata.audit(sums, data, ONE, root=TEST_ROOT, budget=16_384)
    assert found.verdict == "INCONCLUSIVE", found
    assert (asked.count(1) > 1) is adapts
