"""Every module of claims runs as a script, by one mechanism."""

import runpy
import sys
from pathlib import Path

import pytest

from lemmata.experiments.engine.claims import registry

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")]


def run(module, *arguments, monkeypatch):
    """`python experiments/<paper>/<module>.py <arguments>`, in this process; its exit status."""
    path = ROOT / f"{module.removeprefix('lemmata.').replace('.', '/')}.py"
    monkeypatch.setattr(sys, "argv", [str(path), *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    return ended.value.code


@pytest.mark.parametrize("module", registry.list_modules())
def test_a_module_of_claims_prints_its_verdicts_and_draws_its_figures(module, tmp_path, monkeypatch, capsys):
    assert run(module, "--first", "--out", tmp_path, monkeypatch=monkeypatch) == 0
    printed = capsys.readouterr().out.splitlines()
    (claims,) = registry.load([module]).values()
    assert len(printed) == len(claims) + 1
    assert all(line.split()[1] in ("HOLDS", "REFUTED", "VACUOUS", "INCONCLUSIVE") for line in printed[:-1])
    drawn = len(list(tmp_path.rglob("*.svg")))
    assert str(drawn) in printed[-1] if drawn else "no figures" in printed[-1]


def test_a_script_says_what_it_does(monkeypatch, capsys):
    assert run("lemmata.experiments.wzw25.margin_grid", "--help", monkeypatch=monkeypatch) == 0
    assert "Decide the claims of margin_grid" in capsys.readouterr().out
    assert run("lemmata.experiments.wzw25.margin_grid", "--profile", "slow", monkeypatch=monkeypatch) == 2
