"""Real data with a canary, and power curves: what is committed is what the code says."""

import numpy as np
import pytest

from lemmata.experiments.audits import canaries, figures, power, read_committed

CURVES = read_committed("power")


@pytest.mark.parametrize("dataset", canaries.DATASETS)
def test_a_canary_lies_where_the_records_say_least(dataset):
    (X, y), (Z, z), far = canaries.make_neighbours(dataset)
    assert np.array_equal(X, Z) and (y != z).sum() == 1 and np.linalg.norm(far) == pytest.approx(1)
    least = np.linalg.svd(X[:-1], compute_uv=False)[-1]
    assert np.linalg.norm(X[:-1] @ far) <= least + 1e-9


def test_every_learner_was_audited_and_what_is_not_private_was_caught():
    found = {(row["dataset"], row["learner"]): row for row in read_committed("canaries")}
    assert set(found) == {(data, learner) for data in canaries.DATASETS for learner in canaries.LEARNERS}
    for (_, learner), row in found.items():
        assert row["verdict"] == ("REFUTED" if learner == "logistic without privacy" else "INCONCLUSIVE"), row


@pytest.mark.statistical
@pytest.mark.parametrize("learner", ["Laplace SVM", "logistic without privacy"])
def test_an_audit_with_a_canary(learner):
    found = canaries.audit_learner(learner, "digits:3-8", 2_000)
    assert (found.verdict == "REFUTED") == (learner == "logistic without privacy")


@pytest.mark.parametrize("name", power.NAMES)
def test_power_curves(name):
    """Nothing at the claim itself, all of it where it is said to be caught, the oracle's as computed."""
    lines = [line for line in CURVES if line["mechanism"] == name]
    assert [float(line["ours"]) for line in lines if float(line["leak"]) == 1] == [0.0]
    said = [line for line in lines if line["what"] == "said"]
    assert len(said) == 1 and float(said[0]["ours"]) >= 0.9
    leaks = [float(line["leak"]) for line in lines]
    assert leaks == sorted(leaks) and set(leaks) >= set(power.LEAKS)
    assert all(float(line["ours"]) <= float(line["oracle"]) + 0.1 for line in lines)
    assert power.measure_oracle(name, 1.5) == pytest.approx(float(lines[leaks.index(1.5)]["oracle"]), abs=2e-3)


def test_the_picture_of_power_shows_both_attacks():
    svg = figures.draw_figures(CURVES, [])["power"]
    assert svg.startswith("<svg") or "<svg" in svg[:400]
    assert all(name in svg for name in power.NAMES) and "oracle" in svg
