"""What a run is planned to cost: arithmetic that the quick profile's limit rests on."""

from dataclasses import replace

import pytest

from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS, grid
from lemmata.experiments.engine.running import costs, run
from tests.engine import toy


def test_a_plan_adds_its_cells_and_its_controls():
    with toy.registered() as claims:
        coin, exact = claims["abgmu22.asm1/printed/coin"], claims["abgmu22.asm2/printed/rests"]
        cell = coin.cap * 1000 * coin.cost
        assert costs.plan_cell(coin, {"beta": 0.1}) == pytest.approx(cell)
        # Two admissible settings of three, and the control's setting once for each of its two factors.
        assert run.plan_claims([coin, exact], "quick") == {
            coin.key: (4, pytest.approx(4 * cell)),
            exact.key: (2, pytest.approx(2 * exact.cost)),
        }
        wide = replace(coin, full=grid(beta=[0.3]), control=None)
        assert run.plan_claims([wide], "quick")[coin.key] == (2, pytest.approx(2 * cell))
        assert run.plan_claims([wide], "full")[coin.key] == (3, pytest.approx(3 * cell))
        assert run.plan_claims([wide], "deep")[coin.key] == (3, pytest.approx(30 * cell))
        assert run.plan_claims([exact], "deep") == run.plan_claims([exact], "full")  # one trial is all there is


DEAREST = {  # quick cells planned above half a core-second: their verdicts need no fewer trials, or one dear check
    "abgmu22.thm.boost/corrected/impl:confidence_boosting",
    "abgmu22.thm.gem/printed/privacy",
    "bms22.lemF.1/printed/impl:select_margin",
    "bms22.thm3.2/rate[d]/utility",
    "bms22.thm4.2.s3/printed/impl:fourier_map",
    "wzw25.defN.1/explicit/curve",
    "wzw25.lem6.2/explicit/impl:sign_projection_real_data",
    "wzw25.lemC.1/printed/impl:noisy_gd_randhie",
    "wzw25.lemD.1/rate[d]",
    "wzw25.rem2.3.float64/explicit/impl:column_ranges",
    "wzw25.tab1/explicit/measured",
    "wzw25.tab2/explicit/measured",
    "wzw25.thm4.1/printed/impl:adaptive_margin_randhie",
    "wzw25.thmK.3/printed/impl:adaptive_margin_tuned",
    "wzw25.thmK.3/printed/impl:private_tuning_index",
}


def test_the_quick_profile_fits_its_plan():
    """By arithmetic on what was measured: at most 120 core-seconds, half a core-second a cell, two settings a claim."""
    registry.load()
    assert sum(seconds for _, seconds in run.plan_claims(CLAIMS.values(), "quick").values()) <= 120
    dear = set()
    for key, claim in CLAIMS.items():
        assert len(claim.quick) <= (8 if claim.style == "exact" else 2), key
        most = max((costs.plan_cell(claim, setting) for setting in costs.planned_settings(claim, "quick")), default=0.0)
        assert most <= 2, key
        dear |= {key} if most > 0.5 else set()
    assert dear <= DEAREST, "`python -m lemmata.experiments.engine.running.costs STORE` measures what cells cost"


def test_the_table_names_factors_that_exist():
    registry.load()
    for key, cost in costs.read_costs().items():
        claim = CLAIMS.get(key)
        if claim is None:
            continue  # renamed or gone since
        assert cost.trial >= 0 and cost.factors <= (len(claim.control.factors) if claim.control else 0), key
