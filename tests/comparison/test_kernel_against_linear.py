"""The comparison on real records: the laws are the algorithms', the budget is what the table says."""

import numpy as np
import pandas as pd

from lemmata.experiments.comparison import kernel_against_linear as comparison
from lemmata.experiments.figures.style import svg
from lemmata.mechanisms.learners.erm import efficient_learner, kernel_learner
from lemmata.mechanisms.privacy import ApproxDP

SIZES = {"k": 6, "frequencies": 100}


def drawn(train):
    """The two projections that `learners` draws from a generator with this seed."""
    rng, (m, d) = np.random.default_rng(5), train.shape
    budget = {"epsilon": 1.0, "delta": m**-2.0, "beta": comparison.BETA, "k": 6}
    signs = efficient_learner.draw_projection(m, d, kind="signs", rng=rng, **budget)
    sizes = {"kernel": "gaussian", "bandwidth": comparison.BANDWIDTH, "count": 100}
    return signs, kernel_learner.draw_projection(m, d, **sizes, rng=rng, **budget)


def test_both_learners_are_the_algorithms_and_spend_what_they_say():
    train, test, labels, _ = comparison.split("breast_cancer", 0, 80)
    signs, waves = drawn(train)
    both = list(comparison.learners(train, test, labels, rng=np.random.default_rng(5), **SIZES))
    asked = dict(privacy=ApproxDP(2.0, 1e-4), rho=0.25, beta=0.1)
    twins = (
        efficient_learner.law(train, labels, radius=1.0, norm_bound=1.0, projection=signs, **asked),
        kernel_learner.law(train, labels, norm_bound=1.0, projection=waves, **asked),
    )
    for (learner, images), twin, projection in zip(both, twins, (signs, waves), strict=True):
        law = learner.law(train, labels, **asked)
        np.testing.assert_allclose(law.trained.Z, twin.trained.Z)
        np.testing.assert_allclose(images, projection.apply(test))
        for name in ("eta", "multiplier", "rounds", "sensitivity", "privacy", "norm_bound", "rho"):
            assert getattr(law.trained, name) == getattr(twin.trained, name)
        chosen = learner.chosen(ApproxDP(0.5, 1e-4), {})
        assert chosen.privacy.epsilon <= 1.0 + 1e-12 and chosen.privacy.delta <= 1e-4


def test_a_run_is_tidy(monkeypatch, tmp_path):
    monkeypatch.setattr(comparison, "DATASETS", ("breast_cancer",))
    monkeypatch.setattr(comparison, "EPSILONS", (1.0, 8.0))
    (found,) = comparison.rows(splits=1, releases=2, records=60, **SIZES)
    table = pd.DataFrame(found)
    assert len(table) == 3 + 2 * 2 * 2 * 2 and table.risk.between(0, 1).all()
    assert set(table.learner) == {"majority", "linear SVM", "kernel SVM", "linear", "kernel"}
    assert len(svg(comparison.plot_risks, table)) > 1000
