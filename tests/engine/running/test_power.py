"""Arithmetic that caps and the quick profile rest on: what a run is planned to cost, and that controls have power.

Power is the chance that a sabotage, or a false claim, is not REFUTED at its cap, summed. A control is missed only if
its last factor is. `lemmata pilot KEY` prints the chance of every factor of one claim.
"""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.command.main import main
from lemmata.experiments.audits.tables import write_lines
from lemmata.experiments.conformance import accepted
from lemmata.experiments.engine.claims import verdict
from lemmata.experiments.engine.claims.claim import grid
from lemmata.experiments.engine.ground.profiles import EVALUATIONS
from lemmata.experiments.engine.running import costs, run
from lemmata.experiments.engine.running.cell import ControlRun
from lemmata.experiments.engine.running.power import bound_miss, chernoff, describe_pilot, miss_tail, run_pilot
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.claims import CLAIMS
from tests.engine import toy

SAMPLED = {key: claim for key, claim in CLAIMS.items() if claim.style != "exact"}
WORST, ALL = 1e-8, 1e-6  # for one control or cell, and for all of them together


def test_the_arithmetic_of_a_coin():
    """The exact miss of a tail control, against the same by Chernoff's bound, which is larger and of its order."""
    exact = miss_tail(2000, 0.1, 0.2, REFUTED)
    q = 2 * 0.1 / (1 - 0.1 + 2 * 0.1)
    bound = chernoff(np.log([q / 0.1, (1 - q) / 0.9]), np.array([0.2, 0.8]), 2000, len(verdict.REFUTE_ODDS))
    assert exact < 1e-8 and exact <= bound < 1e-4


WHOLE = {  # controls that count records, outliers, atoms or terms: nothing lies between none and one
    "rbht09.thm14.s2/corrected",
    "wzw25.eq2.s1/printed",
    "wzw25.thm4.1/explicit/simultaneous",
    "wzw25.corD.2/explicit",
}


def test_a_factor_that_is_tried_alone_is_near_or_no_factor():
    """Elsewhere a nearer one is tried first, so that what is published is the nearest at which the row falls."""
    alone = {key: claim.control for key, claim in CLAIMS.items() if claim.control and len(claim.control.factors) == 1}
    far = {key: control.factors[0] for key, control in alone.items() if control.factors[0] > 1.05}
    assert {key for key, factor in far.items() if alone[key].text(factor) != alone[key].text(2 * factor)} == WHOLE


def test_a_control_stands_where_its_claim_is_tried():
    controls = [(key, claim, claim.control.setting) for key, claim in CLAIMS.items() if claim.control]
    assert not [key for key, claim, at in controls if at is not None and at not in claim.settings("full")]


def refuted_at(claim, setting, factor):
    return bound_miss(claim, setting, run_pilot(claim, setting, factor, TEST_ROOT))


def misses():
    """(key, what) -> a bound on its miss, for every sampled control and every sampled claim that is REFUTED."""
    false = {key for key, line in accepted.everything().items() if line.verdict == REFUTED}
    for key, claim in SAMPLED.items():
        if claim.control:
            yield f"{key} control", refuted_at(claim, ControlRun(claim).setting, claim.control.factors[-1])
        if key in false:
            settings = [s for s in claim.quick if not claim.theorem.skipped(s) and not claim.why_vacuous(s)]
            yield f"{key} claim", min(refuted_at(claim, setting, 1) for setting in settings)


@pytest.mark.slow
@pytest.mark.statistical
def test_no_control_and_no_false_claim_is_missed():
    chances = dict(misses())
    assert not {place: miss for place, miss in chances.items() if miss > WORST}
    assert sum(chances.values()) <= ALL


def test_a_pilot_prints_what_a_cap_can_miss():
    shown = CliRunner().invoke(main, ["pilot", "bms22.lemA.1/printed/thresholds"])
    assert shown.exit_code == 0, shown.output
    assert "cap 1000" in shown.stdout and "factor 20" in shown.stdout and "HOLDS missed with" in shown.stdout
    refused = CliRunner().invoke(main, ["pilot", "bms22.lemA.1/printed"])
    assert refused.exit_code == 2 and "KEY must name a row that sampling decides" in refused.stderr
    assert CliRunner().invoke(main, ["pilot", "nonsense"]).exit_code == 2


def test_a_pilot_tries_what_the_hypotheses_allow_and_the_control():
    """Of the toy coin's three settings one is outside [0, 1], one is said to be empty; its control has two factors."""
    with toy.registered(trivial=lambda *, beta=0.0: "it says nothing" if beta == 0.1 else None) as claims:
        lines = list(describe_pilot(claims["abgmu22.asm1/printed/coin"], TEST_ROOT))
    assert [line.split("factor ")[1].split(",")[0] for line in lines] == ["1", "1.5", "6"]


@pytest.mark.parametrize(("cost", "trials"), [(1e-3, 300), (1.0, 200), (1e-9, 20_000)])
def test_a_pilot_takes_a_third_of_a_second_within_limits(cost, trials):
    with toy.registered(cost=cost) as claims:
        assert run_pilot(claims["abgmu22.asm1/printed/coin"], {"beta": 0.1}, 1, TEST_ROOT).trials == trials


def test_a_table_stays_until_its_first_line_is_there(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text("as it was")
    with pytest.raises(ZeroDivisionError):
        write_lines(path, ({"x": 1 / n} for n in (0, 1)))
    assert path.read_text() == "as it was"
    with pytest.raises(ZeroDivisionError):
        write_lines(path, ({"x": 1 / n, "n": n} for n in (2, 1, 0)))
    assert path.read_text() == "x,n\n0.5,2\n1.0,1\n" and capsys.readouterr().out == "0.5  2\n1.0  1\n"


def test_a_plan_adds_its_cells_and_its_controls(claims):
    coin, exact = claims["abgmu22.asm1/printed/coin"], claims["abgmu22.asm2/printed/rests"]
    cell = coin.cap * 1000 * coin.cost
    assert costs.plan_cell(coin, {"beta": 0.1}) == pytest.approx(cell)
    assert costs.stated_seconds(coin, [{"beta": 0.1}]) == pytest.approx(cell)
    assert costs.stated_seconds(exact, [{}]) == exact.cost
    lines = run.format_plan([coin, exact], "quick").splitlines()
    assert lines[1].startswith("tests/engine/toy ") and lines[-1].endswith("  all")
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
    assert sum(seconds for _, seconds in run.plan_claims(CLAIMS.values(), "quick").values()) <= 120
    dear = set()
    for key, claim in CLAIMS.items():
        assert len(claim.quick) <= (8 if claim.style == "exact" else 2), key
        most = max((costs.plan_cell(claim, setting) for setting in costs.planned_settings(claim, "quick")), default=0.0)
        assert most <= 2, key
        dear |= {key} if most > 0.5 else set()
    assert dear <= DEAREST, "`python -m lemmata.experiments.engine.running.costs STORE` measures what cells cost"


def test_the_table_names_factors_that_exist():
    for key, cost in costs.read_costs().items():
        claim = CLAIMS.get(key)
        if claim is None:
            continue  # renamed or gone since
        assert cost.trial >= 0 and cost.factors <= (len(claim.control.factors) if claim.control else 0), key


def test_a_search_of_a_quick_run_has_its_price():
    searched = [CLAIMS[key] for key in costs.read_costs() if key in CLAIMS]
    prices = {claim.key: costs.read_costs()[claim.key] for claim in searched}
    whole = [claim.key for claim in searched if costs.search_evaluations(claim, "quick") >= EVALUATIONS]
    assert len(whole) > 50 and sum(prices[key].search for key in whole) <= 30
    assert all(prices[key].search <= costs.SEARCH_SECONDS["quick"] for key in whole)


@pytest.mark.parametrize(("trial", "tried"), [(1e-6, EVALUATIONS), (0.005, costs.BESIDE_PROOF), (0.05, 8), (5.0, 1)])
def test_a_row_with_a_proof_is_looked_at_for_copies_where_its_search_costs_too_much(monkeypatch, trial, tried):
    claim = next(claim for claim in CLAIMS.values() if claim.steps and not (claim.severity or claim.is_slip))
    monkeypatch.setattr(costs, "read_costs", lambda: {claim.key: costs.Cost(trial, 0)})
    assert costs.search_evaluations(claim, "quick") == tried


def test_every_search_can_be_planned():
    searched = [claim for claim in CLAIMS.values() if costs.search_evaluations(claim, "full")]
    assert {claim.style for claim in searched} >= {"exact", "tail"}
    assert all(costs.plan_cell(claim, {}) >= 0 for claim in searched)
