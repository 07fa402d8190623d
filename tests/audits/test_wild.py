"""Audits in the wild: what stands in the tables, without a network and without a foreign library."""

import re
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.experiments.audits import released_libraries as wild
from lemmata.experiments.audits.figures import plot_wild
from lemmata.experiments.engine.ground.files import write_table
from lemmata.experiments.figures.style import svg
from lemmata.experiments.report.layout import render_page
from lemmata.mechanisms.audit.neighbours.queries import stepped
from lemmata.tools.wild import auditorium, run
from lemmata.tools.wild.targets import HONEST, KNOWN, MENDED, honest, known, listed

HERE = Path(run.__file__).parent
LIBRARIES = run.libraries((HERE / "libraries.toml").read_text(encoding="utf-8"))
ROWS = run.table(run.TABLE)


@known("https://github.com/someone/theirs/issues/7", "too little noise", line="theirs.py:12", mended="2.10")
def their_sum():
    return np.sum, np.zeros(3), None


def test_a_bug_is_mended_from_a_version_on():
    assert [their_sum.kind(version) for version in ("2.9", "2.10", "3.0")] == [KNOWN, MENDED, MENDED]
    assert honest()(their_sum.make).kind("1.0") == HONEST


def test_only_the_published_line_is_named():
    assert their_sum.named("suspect: it moves at theirs.py:12, in sum")
    assert not their_sum.named("suspect: it moves at theirs.py:120, in sum")
    assert not honest()(their_sum.make).named("theirs.py:12")


def test_a_target_is_shown_as_it_was_written():
    assert (their_sum.name, their_sum.code) == ("their sum", "return np.sum, np.zeros(3), None")


def test_what_nobody_has_published_stays_out():
    with pytest.raises(ValueError, match="that nobody has published stays out"):
        known("told to us by its author")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[library]]\nname="a"\nversion="1.2"\ntargets="t"\nrequires=["a>=1"]',
            "'a' is not pinned at its version 1.2",
        ),
        ('[[library]]\nname="a"\nversion="1.2"\ntargets="t"\nneeds=["a==1.2"]', "unknown key 'needs'"),
    ],
)
def test_a_library_is_pinned(text, message):
    with pytest.raises(ValueError, match=message):
        run.libraries(text)


def test_every_row_is_of_a_target_that_is_declared():
    """The table may lag behind the targets; it never tells of one that is gone."""
    declared = [run.which(told) for library in LIBRARIES for told in run.declared(library).values()]
    assert len(declared) == len(set(declared)) and ROWS
    for row in ROWS:
        assert (row["library"], row["version"], row["target"]) in declared
        assert row["kind"] == HONEST or row["issue"].startswith(("https://", "arXiv "))


def test_new_rows_replace_old_ones_of_the_same_target():
    order = [("a", "1", "x"), ("a", "1", "y"), ("b", "1", "x")]
    old = [
        dict(zip(("library", "version", "target"), which, strict=True)) for which in (*order[::-1], ("gone", "1", "x"))
    ]
    rows = run.merged(old, [old[1] | {"verdict": "new"}], order)
    assert [tuple(row.values()) for row in rows] == [("a", "1", "x"), ("a", "1", "y", "new"), ("b", "1", "x")]


def test_a_row_is_made_again_when_the_search_or_its_target_changed():
    """A run that was stopped goes on where it was: what has today's digests is not due."""
    library = next(library for library in LIBRARIES if library.name == "pure-LDP")
    told = run.declared(library)
    rows = [row(**facts) for facts in told.values()]
    assert run.due(library, rows) == {} and run.due(library, []) == told
    one, other, *rest = rows
    stale = [one | {"search": "of yesterday"}, other | {"written": "otherwise"}, *rest]
    assert list(run.due(library, stale)) == list(told)[:2]
    assert list(run.due(library, stale, list(told)[1])) == list(told)[1:2]


def test_what_a_target_says_is_what_its_file_shares_and_itself():
    shared = "import numpy as np\nhalf = 0.5\n"
    targets = "".join(f"\n\n@honest()\ndef {name}():\n    return {name} * half\n" for name in "ab")
    texts = listed(shared + targets)
    assert list(texts) == ["a", "b"] and "return a" in texts["a"] and "return b" not in texts["a"]
    assert all("half = 0.5" in text for text in texts.values())
    assert texts["a"] == listed(shared + targets.replace("b * half", "b"))["a"]
    assert texts["a"] != listed((shared + targets).replace("0.5", "0.25"))["a"]


def test_a_table_comes_back_as_it_was_written(tmp_path):
    run.write(ROWS, tmp_path / "wild.csv")
    assert run.table(tmp_path / "wild.csv") == ROWS
    (tmp_path / "wild.csv").write_text("library,version\n")
    with pytest.raises(ValueError, match=r"wild\.csv has the columns"):
        run.table(tmp_path / "wild.csv")


def row(**facts):
    return (
        dict.fromkeys(run.COLUMNS, "")
        | {
            "library": "theirs",
            "version": "1",
            "claimed": "1",
            "releases": "9",
            "seconds": "1",
        }
        | facts
    )


def test_the_page_says_what_was_missed_and_what_was_wronged():
    """A known bug that was not found and an honest target that was refuted are named: the page cannot hide them."""
    rows = [
        row(target="found one", kind=KNOWN, verdict="REFUTED", named="yes", bound="2", issue="arXiv 1"),
        row(target="missed one", kind=KNOWN, verdict="INCONCLUSIVE", issue="https://github.com/a/b/issues/3"),
        row(target="wronged one", kind=HONEST, verdict="REFUTED", bound="1.5"),
        row(target="silent one", kind=HONEST, verdict="NOT_AUDITED", claimed=""),
    ]
    page = render_page("wild.html.j2", "wild.html", figure="site/x.svg", **wild.describe_rows(rows))[1]
    for words in (
        "<b>1 of 2</b>",
        "<b>not detected</b>: theirs 1, missed one",
        "<b>1 were refuted</b>: theirs 1, wronged",
    ):
        assert words in page, words
    assert "Nothing was audited for theirs 1, silent one" in page and "a/b 3" in page
    assert svg(plot_wild, rows).startswith("<svg")


def test_the_page_and_the_table_agree():
    """Every row is on the page with its verdict, what the page counts is counted here anew, the drawing is first."""
    text = render_page("wild.html.j2", "wild.html", figure="site/x.svg", **wild.describe_rows(wild.sort_rows(ROWS)))[1]
    assert text.index("<img") < text.index("<table")
    on_page = set()
    for line in re.findall(r"<tr><td>.*?</tr>", text, re.S):
        cells = re.findall(r"<td.*?>(.*?)</td>", line, re.S)
        name = re.search(r"<summary>(.*?)</summary>", cells[1])[1]
        on_page.add((cells[0], name, cells[4].split(";")[0], cells[6].replace(",", "")))
    assert on_page == {
        (f"{row['library']} {row['version']}", row["target"], said(row), row["releases"]) for row in ROWS
    }
    bugs = {(row["library"], row["target"]): row["verdict"] for row in ROWS if row["kind"] == KNOWN}
    found = sum(verdict == "REFUTED" for verdict in bugs.values())
    assert f"<b>{found} of {len(bugs)}</b> publicly known bugs were detected" in text
    kept = [row for row in ROWS if row["kind"] != KNOWN]
    assert f"Of {len(kept)} honest or corrected targets none was refuted" in text
    assert not any(row["verdict"] == "REFUTED" for row in kept)


def said(row):
    """What the page has to begin with of a row."""
    if row["verdict"] == "REFUTED":
        return "refuted"
    if row["verdict"] == "NOT_AUDITED":
        return "nothing was audited"
    return "not found" if row["kind"] == KNOWN else "not refuted"


def test_the_drawing_has_a_dot_for_every_row():
    """Drawn twice over, on the same axes, they are as many dots more."""
    once, twice = (svg(plot_wild, rows).count("<use") for rows in (ROWS, [*ROWS, *ROWS]))
    assert twice - once == len(ROWS)


def test_what_is_not_refuted_is_called_nothing_better():
    """INCONCLUSIVE is no word for private: where nobody told the datasets apart, the page says so."""
    told = {
        reason: wild.describe_outcome(row(kind=HONEST, verdict="INCONCLUSIVE", note=reason, caught=caught))
        for reason, caught in (("AUDIT_ONLY", "1.3"), ("NO_POWER", ""), ("BUDGET", ""), ("INTERRUPTED", ""))
    }
    assert all(words.startswith("not refuted; ") for words in told.values()) and len(set(told.values())) == 4
    assert "1.3 times" in told["AUDIT_ONLY"]
    assert "no conclusion" in told["NO_POWER"] and "no conclusion" in told["BUDGET"]


def test_rows_of_an_earlier_search_are_marked():
    rows = [row(target="new", kind=HONEST, search=wild.digest_search()), row(target="old", kind=HONEST, search="0")]
    page = render_page("wild.html.j2", "wild.html", figure="", **wild.describe_rows(rows))[1]
    assert "<b>1 of 2 rows</b>" in page and page.count(", by an earlier search<") == 1
    assert (
        "Every row was made" in render_page("wild.html.j2", "wild.html", figure="", **wild.describe_rows(rows[:1]))[1]
    )


def test_a_run_that_found_nothing_counts_with_all_that_it_drew():
    """Three of five find it; the median of what was drawn is over all five, and none of them is left out."""
    drawn, found = (20_000, 200_000, 60_000, 200_000, 40_000), (True, False, True, False, True)
    runs = [
        {"found": yes, "pairs": size // 20_000, "releases": size, "seconds": size / 10_000}
        for yes, size in zip(found, drawn, strict=True)
    ]
    told = {"runs": 5, "found": 3, "pairs": 3, "releases": 60_000, "least": 20_000, "most": 200_000, "seconds": "6"}
    assert auditorium.summary(runs) == told


def test_every_run_has_a_number_of_its_own_and_its_line_comes_at_once(tmp_path, monkeypatch):
    """Runs of one number would be one run: a line then told of a single draw, whatever it said of RUNS."""
    search = Mock(side_effect=lambda _, records, level, run: {"found": run > 0, "pairs": 1, "releases": 1000 + run})
    monkeypatch.setattr(auditorium, "SIDES", {"theirs": (wild.THEIRS, search, (0.05,))})
    monkeypatch.setattr(auditorium, "TABLE", tmp_path / "auditorium.csv")
    monkeypatch.setattr(auditorium, "mechanisms", lambda: {"a sum": (len, "no noise", 2), "other": (max, "none", 2)})
    assert next(auditorium.compared("theirs"))["found"] == auditorium.RUNS - 1
    assert [asked.args for asked in search.call_args_list] == [(len, 2, 0.05, run) for run in range(auditorium.RUNS)]
    auditorium.main("theirs", "other")
    auditorium.main("theirs", "a sum")
    auditorium.main("theirs", "other")
    written = read_table(auditorium.TABLE, auditorium.COLUMNS)
    assert [line["mechanism"] for line in written] == ["a sum", "other"]
    assert {(line["runs"], line["found"], line["releases"], line["most"]) for line in written} == {
        ("5", "4", "1002", "1004")
    }


def line(by, level, found, releases, least, most, runs=5):
    told = {"mechanism": "a sum", "says": "no noise", "by": by, "level": level, "runs": runs, "found": found}
    told |= {"releases": releases, "least": least, "most": most, "version": wild.digest_search()}
    return {name: f"{told.get(name, 4)}" for name in auditorium.COLUMNS}


def beside(folder, *lines):
    """What the page has of a table of these lines."""
    write_table(folder / "published/auditorium.csv", auditorium.COLUMNS, (told.values() for told in lines))
    return wild.read_auditorium(folder)


def page_of(rows):
    return render_page(
        "wild.html.j2",
        "wild.html",
        figure="",
        **wild.describe_rows([row(kind=HONEST, search=wild.digest_search())], rows),
    )[1]


def test_the_page_says_what_either_search_needed(tmp_path):
    assert beside(tmp_path) == [] and wild.compare_searches([]) == []
    rows = beside(
        tmp_path,
        line(wild.THEIRS, "0.05", 4, 40_000, 20_000, 200_000),
        line(wild.OURS, "0.05", 5, 3000, 2000, 9000),
        line(wild.OURS, "1e-10", 0, 50_000, 50_000, 50_000),
    )
    page = page_of(rows)
    order = [
        "4 of 5: 40,000 (20,000 to 200,000)<",
        "5 of 5: 3,000 (2,000 to 9,000)<",
        "0 of 5: 50,000<",
    ]
    assert [page.index(words) for words in order] == sorted(page.index(words) for words in order)
    assert "at least one tool found a violation in some run for 1 of these 1 mechanisms" in page
    said = "a sum: DP-Auditorium in 4 of 5 runs, ours in 5 of 5; our median is 8% of its median; each of our runs"
    assert said in page and "took fewer releases than any of its" in page
    assert "median of one run" not in page and "an earlier" not in page


@pytest.mark.parametrize(
    ("theirs", "ours", "share", "apart"),
    [
        ((5, 40_000, 20_000, 60_000), (5, 30_000, 3000, 20_000), "75%", False),  # as many as the least of its runs
        ((5, 40_000, 20_000, 60_000), (4, 3000, 2000, 10_000), "8%", False),  # a run of ours found nothing
        ((2, 200_000, 20_000, 200_000), (5, 3000, 2000, 10_000), "", True),  # its median is what it may draw
        ((5, 40_000, 20_000, 60_000), (2, 200_000, 2000, 200_000), "", False),
        ((0, 200_000, 200_000, 200_000), (1, 200_000, 90_000, 200_000), "", False),
        ((0, 200_000, 200_000, 200_000), (5, 3000, 2000, 10_000), "", False),  # fewer than it may draw says nothing
    ],
)
def test_the_page_compares_no_more_than_the_runs_show(tmp_path, theirs, ours, share, apart):
    rows = beside(tmp_path, line(wild.THEIRS, "0.05", *theirs), line(wild.OURS, "0.05", *ours))
    (told,) = wild.compare_searches(rows)
    assert (told["share"], told["apart"]) == (share, apart)
    page = page_of(rows)
    assert f"DP-Auditorium in {theirs[0]} of 5 runs, ours in {ours[0]} of 5" in page
    assert ("of its median" in page) == bool(share) and ("fewer releases than any of its" in page) == apart


def test_what_neither_found_is_compared_with_nothing(tmp_path):
    none = line(wild.THEIRS, "0.05", 0, *[200_000] * 3), line(wild.OURS, "0.05", 0, *[200_000] * 3)
    assert wild.compare_searches(beside(tmp_path, *none)) == [] == wild.compare_searches(beside(tmp_path, none[0]))
    assert "no run of either tool found a violation" in page_of(beside(tmp_path, *none))


def test_one_run_and_an_earlier_search_are_told(tmp_path):
    once = line(wild.OURS, "0.05", 1, *[3000] * 3, runs=1) | {"version": "of yesterday"}
    page = page_of(beside(tmp_path, line(wild.THEIRS, "0.05", 5, 40_000, 20_000, 60_000), once))
    assert "A median of one run is that run." in page
    assert "Some of our runs used an earlier version of the search." in page


def test_every_line_beside_theirs_is_of_one_of_its_mechanisms():
    lines = read_table(auditorium.TABLE, auditorium.COLUMNS)
    assert lines and {line["by"] for line in lines} <= {wild.OURS, wild.THEIRS}
    assert {line["level"] for line in lines} <= set(wild.LEVELS)
    assert len({(line["mechanism"], line["by"], line["level"]) for line in lines}) == len(lines)
    for told in lines:
        assert 0 <= int(told["found"]) <= int(told["runs"])
        assert int(told["least"]) <= int(told["releases"]) <= int(told["most"])


def test_without_a_table_the_page_says_so(tmp_path):
    assert wild.read_rows(tmp_path) == []
    assert "make wild" in render_page("wild.html.j2", "wild.html", figure="", **wild.describe_rows([]))[1]


def test_a_step_beyond_the_largest_integer_is_none():
    """2**31 - 1 and one more are 1 apart, and not 2**32: a library was nearly blamed for our own overflow."""
    steps = list(stepped(np.array([2**31 - 1, 0], np.int32), 1.0, "L1Distance"))
    apart = [np.abs(s.neighbour[0].astype(float) - s.data[0]).sum() for s in steps]
    assert apart and set(apart) == {1.0}
