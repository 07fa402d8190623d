"""What `explain` says: two statements whole, against the text that a reader was shown, and every turn of phrase.

After a change that is meant, `python -m tests.engine.front.test_explanation > tests/engine/front/explained.txt`; read
what it says.
"""

import re
from pathlib import Path

import pytest

from lemmata.bounds.statement.formula import in_symbols
from lemmata.experiments.engine.front import explanation
from lemmata.experiments.engine.front.decision import decide
from lemmata.experiments.engine.ledger import graph, sentences
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.engine import toy

SHOWN = Path(__file__).with_name("explained.txt")


def toys():
    """The toy claims' page of two statements, lines of code left out."""
    with toy.registered() as claims:
        rows = ledger(toy.decided(claims, root=TEST_ROOT), TEST_ROOT)
        links = graph.graph_of_claims()
        text = "\n\n\n".join(explanation.explain_statement(id, rows, links) for id in ("abgmu22.asm1", "abgmu22.asm2"))
    return re.sub(r"(\.py):\d+", r"\1", text)


def test_two_statements_as_they_are_shown():
    assert toys() + "\n" == SHOWN.read_text()


ROW = {
    "key": "a/printed",
    "part": "",
    "reading": "printed",
    "verdict": "HOLDS",
    "reason": "",
    "note": "",
    "scope": "everywhere",
    "evidence": "derivation",
    "severity": "",
    "corner": "",
    "used": [],
    "restated": [],
    "misprint": "",
    "undecided": "",
    "witness": None,
    "corrected_by": "",
    "cites": [],
    "rests_on": [],
    "kind": "bound",
    "smallest_caught": "",
    "control": "",
    "literature": [],
}
SLIP = ROW | {"verdict": "SLIP", "corner": "n ≥ 2", "corrected_by": "a/corrected"}
BAD = ROW | {"verdict": "REFUTED", "severity": "privacy", "witness": {"setting": {"n": 1, "beta": 0.123456}}}


WHERE_TRUE = [
    (ROW, "everywhere"),
    (ROW | {"scope": ""}, "–"),
    (BAD, "false at n = 1, β = 0.1235"),
    (BAD | {"witness": None}, "false at its only setting"),
    (SLIP, "True for n ≥ 2. We list no use of it."),
    (
        SLIP | {"used": ["Lemma 1", "Lemma 2"]},
        "True for n ≥ 2. The paper uses it with this restriction only, in Lemma 1, Lemma 2.",
    ),
    (
        SLIP | {"restated": ["Lemma 1"]},
        "True for n ≥ 2. The same flaw is in Lemma 1; no result depends on the false case.",
    ),
    (
        SLIP | {"corner": "", "misprint": "read X for Y"},
        "A misprint: read X for Y. So corrected (a/corrected) it holds.",
    ),
    (
        SLIP | {"corner": "", "misprint": "read X for Y", "scope": "settings"},
        "A misprint: read X for Y. So corrected (a/corrected) it held where we tried it.",
    ),
    (
        SLIP | {"verdict": "INCONCLUSIVE", "reason": "CORNER", "undecided": "n = 2"},
        "False in general; undecided for n ≥ 2: n = 2.",
    ),
]
TO_CITE = [
    (ROW, None, [], "the statement as printed"),
    (ROW | {"reading": "explicit"}, None, [], "a/printed"),
    (ROW | {"verdict": "OPEN"}, None, [], "no version of this statement is proved yet"),
    (ROW | {"verdict": "INCONCLUSIVE"}, ROW | {"key": "a/explicit"}, [], "a/explicit (HOLDS): "),
    (SLIP, None, [], "no corrected reading is known; a/corrected held only where we tried it"),
    (ROW | {"verdict": "NOT_A_CLAIM"}, None, [], "it claims nothing that could be proved"),
    (BAD, None, [], "no corrected reading is known"),
    (BAD, ROW | {"key": "a/corrected"}, [], "a/corrected (HOLDS): "),
    (BAD, ROW | {"key": "a/corrected"}, ["privacy"], "privacy: as printed; the rest: a/corrected (HOLDS): "),
]
VALUES = [
    (0.123456, "0.1235"),
    ([1, 2, 3, 4], "[1, 2, 3, 4]"),
    ([1, 2, 3, 4, 5], "[1, 2, 3, 4, …]"),
    ({"n": 2}, "n = 2"),
    ({}, "its only setting"),
    ("x" * 160, "x" * 160),
    ("x" * 161, "x" * 159 + "…"),
    ("[0.9999998750000078, 0.9999998750000079] against [0.1, 0.2]", "0.999999875 against [0.1, 0.2]"),
]
# (what differs from an undecided printed row, other rows, the key to cite): never what held only where it was tried
UNDECIDED = ROW | {"verdict": "INCONCLUSIVE", "id": "a", "part": "mean", "kind": "mean", "corrected_by": "a/corrected"}
FOUND = [
    ({}, [], None),
    ({}, [ROW | {"key": "a/corrected", "scope": "settings"}], None),
    ({}, [ROW | {"key": "a/corrected"}, ROW | {"key": "a/explicit/mean", "reading": "explicit"}], "a/corrected"),
    ({}, [ROW | {"key": "a/explicit/tail", "reading": "explicit", "part": "tail"}], "a/explicit/tail"),
    ({}, [ROW | {"key": f"a/explicit/{part}", "reading": "explicit", "part": part} for part in ("tail", "mean")],
     "a/explicit/mean"),
    ({"verdict": "NOT_A_CLAIM"}, [ROW | {"key": "a/corrected"}], None),
]  # fmt: skip
CONTROLS = [
    (ROW | {"smallest_caught": "p / 2"}, "the check fails, as it should, with p / 2"),
    (ROW | {"control": "HOLDS"}, "came out HOLDS"),
    (ROW, "–"),
]


@pytest.mark.parametrize(("row", "rows", "key"), FOUND)
def test_what_is_cited_for_an_undecided_statement_holds_beyond_the_settings_tried(row, rows, key):
    found = explanation.find_citable(UNDECIDED | row, [{"id": "a", "part": "", "kind": "mean"} | r for r in rows])
    assert (found and found["key"]) == key


@pytest.mark.parametrize("ours", [True, False])
def test_whose_statement_it_is(ours):
    lines = (
        explanation.describe_origin("wzw25.lem6.4", ours=ours),
        explanation.describe_origin("wzw25.lem6.4.s1", ours=ours),
    )
    theirs = ("Lemma 6.4 of ", "Lemma 6.4, step s1 of the proof of ")
    mine = ("Lemma 6.4, our own statement next to ", "Lemma 6.4, our step s1 towards ")
    assert lines == tuple(f"{start}Wang, Zhu & Wang 2025" for start in (mine if ours else theirs))


@pytest.mark.parametrize(
    ("describe", "line"),
    [
        *((explanation.describe_scope, line) for line in WHERE_TRUE),
        *((explanation.describe_citation, line) for line in TO_CITE),
        *((explanation.describe_control, line) for line in CONTROLS),
        *((sentences.format_value, line) for line in VALUES),
    ],
)
def test_every_turn_of_phrase(describe, line):
    *given, words = line
    assert describe(*given) == words


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (ROW, "a proof of which a program runs steps"),
        (ROW | {"evidence": "asserted"}, "asserted by the author of this row; no step was checked"),
        (ROW | {"evidence": "certificate", "scope": "settings"}, "computed at the settings tried"),
        (ROW | {"evidence": "sampled", "scope": "settings"}, "tested at the settings tried"),
        (ROW | {"verdict": "OPEN", "evidence": ""}, "–"),
        (ROW | {"cites": ["Sauer", "Moreau"]}, "found no counterexample; up to the results it cites: Sauer; Moreau"),
    ],
)
def test_how_we_know(row, words):
    assert words in explanation.describe_evidence(row)


def test_links_and_what_stands_behind_them():
    """a rests on b, b on c: b is named with its verdict, c by its statement, summaries are no links."""
    a, b, c = (ROW | {"key": f"wzw25.lem6.{i}/printed"} for i in (1, 2, 4))
    a, b = a | {"rests_on": [b["key"]], "cites": ["Moreau 1965"]}, b | {"rests_on": [c["key"]]}
    summary = ROW | {"key": "bms22.lemA.1/printed", "kind": "summary", "rests_on": [c["key"]]}
    shown = explanation.describe_links([a, summary], [a, b, c, summary])
    assert shown[:3] == [
        "depends on",
        f"  {b['key']}   HOLDS, {graph.CLASSES['derived']}",
        "  Moreau 1965   cited, not proved here",
    ]
    assert "Lemma 6.4" in shown[3] and len(shown) == 4
    assert explanation.describe_links([summary], [summary, c]) == ["depends on no other row"]
    assert explanation.describe_links([a], [a])[1] == f"  {b['key']}   not in this ledger"


def test_a_row_is_shown_with_all_that_can_be_said():
    row = BAD | {"corner": "n ≥ 2", "used": ["Lemma 1"], "note": "n = 1", "tightness": [0.5, None], "trials": 0}
    row |= {
        "nonvacuous_from": {},
        "attained": {"share": 0.25, "at": {"n": 3, "x": 0.5}, "by": "search"},
        "slack": {"share": 0.75, "at": {"n": 4}, "by": "cases"},
        "basis": "largest of the cases",
        "searched": {"decided": 1000, "largest": 0.25, "at": {"n": 3, "x": 0.5}},
        "witness": {"claimed": 1.0, "found": 2.0, "family": "n → ∞", "python": "assert True\n"},
    }
    assert explanation.explain_row(row) == [
        "a/printed   REFUTED, an implementation of the text is not private",
        "  where true       True for n ≥ 2. The paper uses it with this restriction only, in Lemma 1.",
        "  scope            everywhere",
        "  evidence         a counterexample, computed by a stand-alone program",
        "  searched         1,000 settings of the engine's own choice; largest left/right 0.25 at n = 3, x = 0.5",
        "  truth over bound 0.25 at n = 3, x = 0.5, found by a search",
        "  chain over bound 0.75 at n = 4",
        "  stated share     ≥ 0.5 (largest of the cases)",
        "  note             n = 1",
        "  counterexample   the left side is 2; the text claims at most 1.",
        "  family           n → ∞",
        "",
        "assert True",
        "",
    ]


@pytest.mark.parametrize(
    ("kind", "witness", "shown"),
    [
        ("tail", {"claimed": 0.05, "found": 0.5}, "the probability is 0.5; the text claims at most 0.05."),
        ("tail", {"claimed": 0.9, "found": 0.8}, "the probability is 0.8; the text claims at least 0.9."),
        (
            "tail",
            {"claimed": 0.1, "found": {"trials": 5, "failures": 4}},
            "a failure probability of 0.1; 4 of 5 trials failed.",
        ),
        ("inequality", {"claimed": 2, "found": 3}, "the left side is 3; the text claims at most 2."),
        ("identity", {"claimed": 2, "found": 3}, "the left side is 3; the text says 2."),
        (
            "privacy",
            {"claimed": 1, "found": 2.5, "log_ratio": 2.5},
            "some outcome is exp(2.5) times as likely on one of two neighbouring datasets as on the other.",
        ),
        ("rate", {"claimed": "a constant", "found": "none"}, "the text claims a constant; in fact none."),
    ],
)
def test_a_witness_says_what_its_numbers_are(kind, witness, shown):
    sentence = sentences.describe_witness(
        {"key": "a/printed", "kind": kind, "witness": {"setting": {"n": 4}} | witness}
    )
    assert sentence.startswith("at n = 4, ") and sentence.endswith(shown)


@pytest.mark.parametrize(
    ("key", "claimed", "found"),
    [
        ("abgmu22.lem.conc.s1/printed", 0.9875, 0.3585),  # the probability that all losses are small
        ("rbht09.thm20.s1/printed", 5.0, 4.0),  # N > 4
        ("bms22.exH/printed/empirical", 4.0, 1.0),  # an empirical minimiser is longer than m
        ("abgmu22.lem.conc.s2/printed", None, None),  # from above: the truth is the larger number
    ],
)
def test_what_is_claimed_is_the_papers_number_on_either_side(key, claimed, found):
    row = decide(key, root=TEST_ROOT)
    shown = row["witness"]
    if claimed is None:
        assert (shown["claimed"] < shown["found"]) and not sentences.is_from_below(row["key"])
        assert "claims at most" in sentences.describe_witness(row)
        return
    assert (shown["claimed"], shown["found"]) == pytest.approx((claimed, found), rel=1e-3)
    assert sentences.is_from_below(row["key"]) and "claims at least" in sentences.describe_witness(row)
    assert sentences.orient_sides(key, shown) == shown  # said once, it stays
    assert shown["lhs"][0] > shown["rhs"][1]  # what is checked stays as it is


@pytest.mark.parametrize(
    ("ratios", "shown"),
    [
        ([2.5, 25.0, 250.0], "the left side is 2.5, 25, 250 times the printed order: no hidden constant is enough."),
        (["inf", "inf", "inf"], "the printed right side is 0, and the left side is not 0."),
    ],
)
def test_a_family_says_that_no_constant_is_enough(ratios, shown):
    witness = {"setting": {"n": 10**80}, "claimed": "truth <= C g with one C for all", "found": "", "ratios": ratios}
    sentence = sentences.describe_witness({"key": "a/printed", "kind": "rate", "witness": witness})
    assert sentence == f"along a family of settings that goes through n = 1e+80, {shown}"


def test_lines_fit_the_width_and_programs_stay_whole():
    program = "assert " + " + ".join(["bound(n=4)"] * 12)
    ours = ["witness    " + "a word " * 30, "  note             " + "word " * 30, "    | " + "doc " * 30]
    lines = explanation.fit_lines("\n".join([*ours, program]), 50).splitlines()
    assert lines[-1] == program and max(map(len, lines[:-1])) <= 50
    assert lines[1].startswith(" " * 11) and " ".join(lines).count("doc") == 30


if __name__ == "__main__":
    print(toys())


def test_a_sentence_has_no_name_of_ours_and_says_which_side_is_bounded():
    witness = {"setting": {"flaw": "g(0)", "delta": 0.9}, "claimed": 0.9, "found": 0.5}
    row = {"key": "rbht09.thm14/printed/used", "kind": "tail", "witness": witness}
    said = "at δ = 0.9, the probability of success is at most 0.5; the text claims at least 0.9."
    assert in_symbols(sentences.describe_witness(row)) == said


def test_a_review_names_what_is_true_and_the_row_with_all_constants():
    """Of the same part; a row that held only where it was tried is none."""
    slip = SLIP | {"id": "a", "key": "a/printed", "kind": "tail", "part": "risk"}
    true = ROW | {"id": "a", "key": "a/corrected", "reading": "corrected", "kind": "tail", "part": "risk"}
    ours = true | {"key": "a/explicit/risk", "reading": "explicit"}
    other, tried = ours | {"key": "a/explicit/time", "part": "time"}, ours | {"key": "a/x", "scope": "settings"}
    parts = ours | {"key": "a/explicit", "kind": "summary"}  # has no formula
    shown = explanation.select_cited("a", [slip, true, other, tried, parts, ours])
    assert [row["key"] for row in shown] == ["a/printed", "a/corrected", "a/explicit/risk"]
    assert [row["key"] for row in explanation.select_cited("a", [ours])] == ["a/explicit/risk"]
