"""The page of constants quotes the published ledger, and the code's constants, as they are."""

import re
from pathlib import Path

import pytest

from lemmata.bounds.bms22 import network, pure_learner
from lemmata.bounds.wzw25.projected_margins import third_margin_rows
from lemmata.experiments.engine.ledger import published

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "constants.md").read_text(encoding="utf-8")
LINE = re.compile(r"^\| `(\S+)` \| (.+?) \| (attained|slack|tightness) ([\d.]+) \|", re.MULTILINE)
QUOTED = {key: (constant, column, number) for key, constant, column, number in LINE.findall(PAGE)}
LEDGER = published.read_rows(ROOT / "reports")


def test_every_line_of_the_table_quotes_a_row():
    assert len(QUOTED) == PAGE.count("\n| `") == 16


@pytest.mark.parametrize("key", QUOTED)
def test_a_quoted_share_is_the_ledgers(key):
    _, column, number = QUOTED[key]
    stored = LEDGER[key][column]
    shares = [stored["share"]] if isinstance(stored, dict) else stored
    places = len(number.partition(".")[2])
    assert LEDGER[key]["verdict"] == "HOLDS" and float(number) in {round(share, places) for share in shares}


def test_the_constants_are_those_of_the_code():
    rows = [third_margin_rows(n=1000, gamma=gamma, beta=0.05) for gamma in (1 / 2, 1 / 5, 1 / 10)]
    assert "{:,}, {:,} and {:,} rows".format(*rows) in QUOTED["wzw25.lem6.2/explicit"][0]
    assert QUOTED["bms22.thm3.1/corrected/tail"][0] == f"{pure_learner.ORDER:,.0f}"
    assert QUOTED["bms22.thm5.1/corrected/tail"][0] == f"{network.ORDER:,.0f}"
