"""The pairs on which private tuning is attacked: how far apart they are exactly, and what their controls can miss."""

import numpy as np
import pytest
from scipy.special import ndtri

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.engine.running.power import bound_miss, run_pilot
from lemmata.experiments.instances.pairs.tuned_pairs import reached, revealing, within_reach
from lemmata.experiments.wzw25.best_of_runs import level
from lemmata.mechanisms.learners.descent import private_tuning
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import gaussian_mu
from tests.claims import CLAIMS

ROW = "wzw25.thmK.3/printed/impl:{}".format
RUN_BY_RUN = {"epsilon": 1.0, "delta": 0.05, "r": 0.01}
SETTINGS = {
    "private_selection": {"epsilon": 1.0, "delta": 0.01, "r": 1e-6},
    "private_tuning": RUN_BY_RUN,
    "private_tuning_index": RUN_BY_RUN,
    "adaptive_margin_tuned": {"epsilon": 1.0, "delta": 0.05, "r": 1 / 87},  # beta / (1 - beta) / |Gamma|
}
SLACK = {  # (row, calibration): what the note says that its own pair, and any pair, reaches of the promise
    ("private_selection", "printed"): (".09", ".36"),
    ("private_selection", "sharp"): (".28", None),
    ("private_tuning", "printed"): (".08", ".25"),
    ("private_tuning", "sharp"): (".40", None),
    ("private_tuning_index", "printed"): (".06", ".25"),
    ("private_tuning_index", "sharp"): (".30", None),
    ("adaptive_margin_tuned", "printed"): (None, ".24"),
}


def shown(x):
    return f"{x:.2f}".removeprefix("0")


@pytest.mark.parametrize(("name", "calibration"), SLACK)
def test_notes_give_the_exact_reach(name, calibration):
    setting = SETTINGS[name] | {"calibration": calibration}
    mu, _ = private_tuning.budget(setting["epsilon"], setting["delta"], r=setting["r"], calibration=calibration)
    allowed, own = level(**setting), reached(mu, setting["r"], None if name == "private_tuning" else 0.5)
    ceiling = within_reach(mu, setting["r"])
    pair, every = SLACK[name, calibration]
    assert own < ceiling and pair in (None, shown(own / allowed))
    assert every is None or shown(ceiling / allowed) == every
    assert all(number in CLAIMS[ROW(name)].note for number in (pair, every) if number)


def test_the_exact_reach_is_that_of_the_law():
    """The selection layer knows its density; the pair that reveals is drawn, at an eighteenfold budget."""
    setting = SETTINGS["private_selection"] | {"calibration": "sharp"}
    mu, _ = private_tuning.budget(1.0, 0.01, r=1e-6, calibration="sharp")
    chosen = private_tuning.selection_law([0.0, 1.0], sensitivity=1.0, **setting)
    better = np.exp(chosen.log_probabilities()[0])
    assert reached(mu, 1e-6, 0.5) == pytest.approx(2 * ndtri(better), rel=1e-6)
    setting = SETTINGS["private_tuning"] | {"calibration": "printed"}
    mu, _ = private_tuning.budget(1.0, 0.05, r=0.01)
    drawn = revealing(0.0, 18, **setting).sample(np.random.default_rng(TEST_ROOT), 20_000)["release"][:, 0]
    assert 2 * ndtri(np.mean(drawn < 0.5)) == pytest.approx(reached(18 * mu, 0.01), abs=0.06)


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["private_selection", "private_tuning", "adaptive_margin_tuned"])
def test_k_charged_once_is_caught_at_its_size(name):
    """What a single run may spend, against what Theorem K.3 allows each of K, is the factor that the control names."""
    claim = CLAIMS[ROW(name)]
    setting = claim.control.setting or claim.quick[0]
    r = setting.get("r") or setting["beta"] / (1 - setting["beta"]) / 3  # |Gamma| = 3 margins at n = 3
    mu, promised = private_tuning.budget(setting["epsilon"], setting["delta"], r=r)
    once = round(gaussian_mu(promised.epsilon, promised.delta) / mu)
    assert f"about {once}: K charged once" in claim.control.text(once) and once == claim.control.factors[-1]
    assert setting in claim.quick + claim.full and setting["calibration"] == "printed"
    assert bound_miss(claim, setting, run_pilot(claim, setting, once, TEST_ROOT), REFUTED) < 1e-8
