"""Checkers, scores and the page: what an answer is worth, and what a reader is shown of it."""

import csv
import json

import pytest
from click.testing import CliRunner

from lemmata.command.main import main
from lemmata.experiments.benchmark import checkers, figures, page, score
from lemmata.experiments.benchmark.records import QUESTION
from lemmata.experiments.report.layout import render_page

BLANK = dict.fromkeys((*QUESTION, "row", "program", "reading"), "") | {"steps": [], "area": "noise", "perturbed": None}
BLANK |= {"inequality": None, "source": {"id": "a", "cited": "A", "place": "B"}}
RECORDS = [
    BLANK | {"id": f"w{i}", "truth": truth, "grade": int(truth == "false") or None, "words": f"{truth} {i}"}
    for i, truth in enumerate(["true", "true", "false", "false", "edge"])
]


def judged(checker):
    return score.judge_all(RECORDS, checkers.ask_all(checker, RECORDS, 1), 1)


def test_always_true_has_the_score_of_no_opinion():
    measures = score.score(judged(checkers.load_baseline("always-true")))
    assert measures["recall_true"]["share"] == 1 and measures["recall_false"]["share"] == 0
    assert measures["precision_true"]["share"] == 0.5 and measures["precision_false"]["share"] is None
    assert measures["brier"] == 0.25 and measures["records"] == 4


def test_a_checker_that_knows_has_the_best_score_and_one_that_raises_none():
    truths = {record["id"]: record["truth"] for record in RECORDS}
    knows = score.score(judged(lambda asked: {"verdict": truths[asked["id"]].replace("edge", ""), "confidence": 1}))
    assert knows["brier"] == 0 and knows["recall_false"]["interval"][0] == pytest.approx(
        0.1581, abs=1e-4
    )  # 0.025^(1/2)
    raises = score.score(judged(lambda asked: asked["truth"]))
    assert raises["answered"] == 0 and raises["brier"] == 0.25


def test_a_witness_of_a_row_without_a_check_does_not_count():
    measures = score.score(judged(lambda asked: {"verdict": "false", "confidence": 0.5, "witness": "right = 1"}))
    assert measures["witnesses"] == 4 and measures["valid"]["count"] == 0


@pytest.mark.parametrize("answer", ["true", {"verdict": "maybe"}, {"verdict": "true", "confidence": 2}])
def test_an_answer_is_refused_unless_it_is_one(answer):
    with pytest.raises(ValueError, match="must be"):
        checkers.check_answer(answer)


@pytest.fixture
def exported(tmp_path):
    (tmp_path / "witness.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    return tmp_path


def test_a_command_a_file_and_a_baseline_are_scored_alike(exported):
    jq = 'python3 -c \'import json, sys; json.load(sys.stdin); print(json.dumps({"verdict": "true"}))\''
    options = [str(exported), "--jobs", "1", "--leaderboard", str(exported / "board.csv")]
    first = CliRunner().invoke(main, ["benchmark", "run", jq, *options, "--answers", str(exported / "mine.jsonl")])
    again = CliRunner().invoke(main, ["benchmark", "run", str(exported / "mine.jsonl"), *options])
    last = CliRunner().invoke(main, ["benchmark", "run", "always-true", *options])
    assert (first.exit_code, again.exit_code, last.exit_code) == (0, 0, 0), first.output
    lines = list(csv.DictReader((exported / "board.csv").read_text().splitlines()))
    assert len(lines) == 3 and len({line["recall_true"] for line in lines}) == 1


def test_the_page_shows_the_leaderboard_and_examples(exported):
    empty = render_page("benchmark.html.j2", "benchmark.html", figures={}, docs=False, **page.read_benchmark(exported))
    assert "No leaderboard" in empty[1]
    (exported / "manifest.json").write_text(
        json.dumps({"records": 5, "sources": ["a"], "truths": {}, "canary": "", "sha256": "", "held_out": 1})
    )
    (exported / "held-out.jsonl").write_text('{"id": "w1"}\n')
    page.publish(exported, exported)
    score.add_line(
        exported / "published/leaderboard.csv", "mine", score.score_groups(judged(lambda asked: {"verdict": "false"}))
    )
    shown = page.read_benchmark(exported)
    drawn = figures.draw_figures(shown["lines"])
    made = render_page("benchmark.html.j2", "benchmark.html", figures={"grades": "x.svg"}, docs=False, **shown)[1]
    assert "<svg" in drawn["grades"] and "<b>mine</b>" in made and "1 twins more" in made
    assert (exported / "published/held-out.jsonl").read_text() == '{"id": "w1"}\n'
