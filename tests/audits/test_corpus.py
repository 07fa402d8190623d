"""The corpus of published mistakes: what a pair is, what its table says, and that no outcome gets worse."""

from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from lemmata.experiments.audits.corpus import table
from lemmata.experiments.audits.corpus.registry import KINDS, ONE, published
from lemmata.experiments.audits.corpus.table import ACCUSED, BUDGET, FOUND, KEPT, LED, MISSED, PAIRS, ROOT
from lemmata.experiments.report.layout import render_page
from lemmata.mechanisms.audit.subjects.adapters import mechanism
from lemmata.tools.wild.run import CHECKOUT

ROWS = {row["pair"]: row for row in table.read_rows(CHECKOUT / "reports")}


@pytest.mark.record
def test_the_table_lists_every_pair_once():
    assert len({pair.name for pair in PAIRS}) == len(PAIRS) == len(ROWS) >= 60
    assert len({pair.source for pair in PAIRS}) >= 25 and {pair.kind for pair in PAIRS} == set(KINDS)
    for pair in PAIRS:
        row = ROWS[pair.name]
        assert (row["source"], row["kind"]) == (pair.source, pair.kind)
        assert (row["root"], row["budget"]) == (f"{ROOT}", f"{BUDGET}")
        assert row["mended"] == KEPT, row


def test_a_pair_says_what_is_wrong_and_runs_in_either_form():
    for pair in PAIRS:
        what, mended, how = pair.mechanism.__doc__.partition("Mended: ")
        assert pair.says == " ".join(what.split()) and mended and how.strip(), pair.name
        data = tuple(part if hasattr(part, "iloc") else np.asarray(part) for part in pair.data)
        for form in (False, True):
            assert "Error" not in repr(mechanism(pair.form(form)).release(data, 0)), pair.name


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_no_outcome_is_worse_than_published(pair):
    """What was found stays found, and a mended form is neither refuted nor accused."""
    row = table.make_row(pair, ROOT, BUDGET)
    assert row["mended"] == KEPT, row
    order = [FOUND, LED, MISSED]
    assert order.index(row["broken"]) <= order.index(ROWS[pair.name]["broken"]), row


# The table ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source, kind", [("a friend", "bits"), ("opendp/opendp#1", "haste")])
def test_a_pair_has_a_public_source_and_a_known_kind(source, kind):
    with pytest.raises(ValueError, match=f"kind known, got {source}, {kind}"):
        published(source, kind, ONE, np.zeros(3))


def audited(verdict, *place):
    return SimpleNamespace(verdict=verdict, place=place, needed=7, pair=SimpleNamespace(words="a record more"))


def test_a_row_says_what_came_of_either_form():
    lead = "suspect: it moves at /home/theirs.py:3, in f"
    forms = {False: audited("REFUTED"), True: audited("INCONCLUSIVE", lead)}
    row = table.make_row(PAIRS[0], 1, 2, lambda pair, mended, root, budget: forms[mended])
    told = (row["broken"], row["needed"], row["neighbours"], row["mended"], row["accusation"])
    assert told == (FOUND, "7", "a record more", ACCUSED, "suspect: it moves")
    forms = {False: audited("INCONCLUSIVE", lead), True: audited("REFUTED", lead)}
    row = table.make_row(PAIRS[0], 1, 2, lambda pair, mended, root, budget: forms[mended])
    assert (row["broken"], row["needed"], row["mended"]) == (LED, "", "REFUTED")
    row = table.make_row(PAIRS[0], 1, 2, lambda *_: audited("INCONCLUSIVE"))
    assert (row["broken"], row["mended"], row["accusation"]) == (MISSED, KEPT, "")


def test_a_run_goes_on_where_it_was_stopped(tmp_path):
    audit = Mock(return_value=audited("INCONCLUSIVE"))
    path, names = tmp_path / "corpus.csv", [pair.name for pair in PAIRS[:3]]
    next(table.make_rows(path, PAIRS[:3], 1, 2, audit))
    assert [row["pair"] for row in table.read_table(path)] == names[:1]
    assert [row["pair"] for row in table.make_rows(path, PAIRS[:3], 1, 2, audit)] == names[1:]
    asked = [(pair.name, root) for (pair, _, root, _), _ in audit.call_args_list]
    assert asked == [(name, 1) for name in names for _ in range(2)]
    assert [row["pair"] for row in table.read_table(path)] == names
    assert not list(table.make_rows(path, PAIRS[:3], 1, 2, audit))
    assert len(list(table.make_rows(path, PAIRS[:3], 2, 2, audit))) == 3  # another root
    assert [row["pair"] for row in table.make_rows(path, PAIRS[1:2], 2, 2, audit)] == []


def test_the_page_names_what_was_missed_and_who_was_wronged():
    outcomes = [(FOUND, KEPT), (LED, ACCUSED), (MISSED, "REFUTED")]
    rows = [
        table.identify(pair, 1, 2) | {"kind": "bits", "needed": "", "neighbours": "", "accusation": ""}
        | {"broken": broken, "mended": mended}
        for pair, (broken, mended) in zip(PAIRS, outcomes, strict=False)
    ]  # fmt: skip
    names = [row["pair"] for row in rows]
    line = next(line for line in table.describe_rows(rows)["lines"] if line["kind"] == "bits")
    wrong = {"led": [names[1]], "missed": [names[2]], "refuted": [names[2]], "accused": [names[1]]}
    assert line == {"kind": "bits", "pairs": 3, "found": 1, **wrong}
    page = show_page(rows)
    for words in (f"<td>1: {names[1]}</td><td>1: {names[2]}</td>", "<b>1 of 3</b>", "1 are refuted and 1 accused"):
        assert words in page, words
    assert "make corpus" in show_page([]) and "earlier version" not in page
    assert "<b>1 of 1 rows</b> were made by an earlier version" in show_page([rows[0] | {"search": "of yesterday"}])


def show_page(rows):
    empty = dict.fromkeys(("rows", "replayed", "canaries", "planted", "peers", "nulls", "operating"), ())
    told = empty | {"figures": {"power": ""}, "corpus": table.describe_rows(rows)}
    return render_page("audits.html.j2", "audits.html", **told)[1]


@pytest.mark.parametrize(
    "source, address",
    [
        ("opendp/opendp#2922", "https://github.com/opendp/opendp/issues/2922"),
        ("arXiv 1603.01699", "https://arxiv.org/abs/1603.01699"),
        ("doi 10.1145/2382196", "https://doi.org/10.1145/2382196"),
        ("https://example.org/a", "https://example.org/a"),
    ],
)
def test_a_source_has_an_address(source, address):
    assert table.find_address(source) == address
