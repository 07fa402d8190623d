"""What asv measured, on the page, in comparisons and against limits: its own files are read, no timing is asserted."""

import contextlib
import importlib
import io
import json
import re
import shutil
import subprocess
import time
import tomllib
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import asv
import pytest
from asv.commands.compare import Compare
from asv.machine import Machine
from click.testing import CliRunner

from lemmata.command.main import main
from lemmata.experiments.engine.ground import folders
from lemmata.experiments.report.layout import read_static_files
from lemmata.tools.speed import asv_runs, dashboards, limits, questions
from lemmata.tools.speed.measurements import RESULTS, measurements, newest, readable
from lemmata.tools.speed.page import speed_pages
from tests import browser

TIME, REACHED = "b.T.time_x", "b.T.track_reached"
KIND = {"param_names": ["n"], "params": [["10", "20"]], "version": "v"}
BENCHMARKS = {
    TIME: {"name": TIME, "unit": "seconds", **KIND},
    REACHED: {"name": REACHED, "unit": "epsilon, higher is better", "param_names": [], "params": [], "version": "v"},
    "version": 2,
}
COMMITS = [letter * 40 for letter in "abcdef"]
MACHINE = Machine.get_unique_machine_name()
HERE = f"existing-py{asv_runs.sys.executable.replace('/', '_')}"


def store(results, commit, times, reached=1.0, environment=HERE):
    """Leave behind what asv does for a commit: a time at two settings, and a number that it tracks."""
    (results / MACHINE).mkdir(parents=True, exist_ok=True)
    (results / MACHINE / "machine.json").write_text(json.dumps({"machine": MACHINE, "version": 1}))
    (results / "benchmarks.json").write_text(json.dumps(BENCHMARKS))
    now = int(1000 * time.time()) + 1
    run = {
        "commit_hash": commit,
        "env_name": environment,
        "date": 1.7e12 + COMMITS.index(commit) * 8.64e7,
        "params": {"machine": MACHINE, "os": f"Linux {MACHINE}"},
        "python": "3.11",
        "requirements": {},
        "env_vars": {},
        "durations": {},
        "result_columns": ["result", "params", "version", "started_at"],
        "results": {TIME: [times, [["10", "20"]], "v", now], REACHED: [[reached], [], "v", now]},
        "version": 2,
    }
    path = results / MACHINE / f"{commit[:8]}-{environment}.json"
    path.write_text(json.dumps(run))
    return path


@pytest.fixture(autouse=True)
def no_git(monkeypatch):
    """Commits are their own names."""
    monkeypatch.setattr(asv_runs, "full_hash", lambda name: COMMITS[-1] if name == "HEAD" else name)


def read(results):
    return [(m.parameters, m.value, m.commit[0]) for m in measurements(results) if m.benchmark == TIME]


def test_measurements_are_read_in_order_without_failures_and_zeros(tmp_path):
    store(tmp_path, COMMITS[0], [1.0, 2.0])
    store(tmp_path, COMMITS[1], [0.5, None])
    store(tmp_path, COMMITS[2], [float("nan"), 0.0])
    assert read(tmp_path) == [("n = 10", 1.0, "a"), ("n = 10", 0.5, "b"), ("n = 20", 2.0, "a")]


def test_a_benchmark_with_another_text_is_another_benchmark(tmp_path):
    first = store(tmp_path, COMMITS[0], [1.0, 2.0])
    store(tmp_path, COMMITS[1], [0.5, 1.0])
    first.write_text(first.read_text().replace('"v"', '"earlier"'))
    assert {commit for *_, commit in read(tmp_path)} == {"b"}


def test_two_machines_have_two_newest_numbers(tmp_path):
    for commit, machine in zip(COMMITS, ("m0", "m0", "m1"), strict=False):
        path = store(tmp_path, commit, [1.0, 1.0])
        path.write_text(path.read_text().replace(f'"machine": "{MACHINE}"', f'"machine": "{machine}"'))
    last = [(m.machine, m.commit[0]) for m in newest(measurements(tmp_path)) if m.parameters == "n = 10"]
    assert last == [("m0", "b"), ("m1", "c")]


def test_the_page_shows_limits_and_ratios_and_loads_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "load_limits", lambda: [limits.Limit(TIME, "n = 10", 2.0)])
    monkeypatch.setitem(BENCHMARKS[REACHED], "unit", "ratio")
    store(tmp_path / "asv" / "results", COMMITS[0], [1.5, 9.0], 0.123)
    made = dict(speed_pages(tmp_path))
    text, table = made["speed.html"], made["speed.csv"]
    assert "1.5 s" in text and "2 s" in text and "All 1 numbers with a limit are within it" in text
    assert "0.123 ratio" in text and "b.T.time_x,n = 20,9,seconds,aaaaaaaa" in table
    assert not re.search(r"""(src|href)\s*=\s*["'](https?:)?//""", text)
    assert "asv/html" not in text, "nothing was published"
    store(tmp_path / "asv" / "results", COMMITS[1], [2.5, 9.0])
    assert "1 of 1 numbers are above their limits" in speed_pages(tmp_path)[0][1]


def test_the_published_history_is_shown_where_nothing_was_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "load_limits", lambda: [limits.Limit(TIME, "", 2.0)])
    assert "make bench" in speed_pages(tmp_path)[0][1]
    published = tmp_path / "published" / "asv"
    store(published, COMMITS[0], [0.5, 0.25])
    assert "500 ms" in speed_pages(tmp_path)[0][1]
    results = tmp_path / "asv" / "results"
    (results / MACHINE).mkdir(parents=True)
    (results / MACHINE / "machine.json").write_text("[]")
    asv_runs.restore_history(published, results)
    assert read(results) == read(published) and len(read(results)) == 2
    assert (results / MACHINE / "machine.json").read_text() == "[]", "a file that exists stays"


CLICKS = """
const heads = [...document.querySelectorAll("table.sorted th button")], seen = [];
const read = () => [...document.querySelectorAll("td[data-label=newest]")].map(c => c.textContent).join("|");
for (const head of [heads[1], heads[1]]) { head.click(); seen.push(read()); }
document.title = seen.join(" then ");
"""


@browser.needed
def test_a_heading_sorts_by_number_and_back(tmp_path):
    store(tmp_path / "asv" / "results", COMMITS[0], [0.9, 10.0], 2.0)
    for path, text in [*speed_pages(tmp_path), *read_static_files().items()]:
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(text)
    seen = browser.look(tmp_path / "speed.html", tmp_path / "profile", script=CLICKS).stdout
    assert re.search("<title>(.*?)</title>", seen)[1] == "900 ms|2 epsilon|10 s then 10 s|2 epsilon|900 ms"


QUESTIONS = tomllib.loads(questions.TABLE.read_text(encoding="utf-8"))["question"]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["asked"])
def test_a_question_is_answered_by_benchmarks_of_today(question):
    for name in question["benchmarks"]:
        module, kind, function = name.split(".")
        measured = getattr(importlib.import_module(f"lemmata.tools.speed.benchmarks.{module}"), kind)
        assert callable(getattr(measured, function))
        needed = {question.get("along", "commit"), question.get("lines", "commit")} - {"commit"}
        assert needed <= set(getattr(measured, "param_names", ()))
        if "lines" in question:
            assert set(measured.param_names) == needed, "a point of each line is one setting"


def test_a_line_of_a_drawing_is_of_one_machine(tmp_path):
    asked = {"benchmarks": [TIME], "along": "commit", "axis": "CPU seconds"}
    for commit, machine in zip(COMMITS, ("m0", "m1", "m1"), strict=False):
        path = store(tmp_path, commit, [1.0, 1.0])
        path.write_text(path.read_text().replace(f'"machine": "{MACHINE}"', f'"machine": "{machine}"'))
    drawn = questions.draw_answer(asked, measurements(tmp_path))
    assert [commit[:8] in drawn for commit in COMMITS[:3]] == [False, True, True]


def test_what_became_slower_is_told_by_each_series_of_one_machine(tmp_path):
    store(tmp_path, COMMITS[0], [1.0, 2.0])
    store(tmp_path, COMMITS[1], [3.0, 1.0])
    named = {label.rpartition(", ")[2]: rise for label, rise in questions.list_rises(measurements(tmp_path))}
    assert named == {"n = 10": 3.0, "n = 20": 0.5} and list(named) == ["n = 10", "n = 20"]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0015, "seconds", "1.5 ms"),
        (2**21, "bytes", "2 MiB"),
        (0.5, "unit", "0.5"),
        (0.5, "epsilon, higher is better", "0.5 epsilon"),
    ],
)
def test_numbers_are_readable(value, unit, text):
    assert readable(value, unit) == text


# Running asv ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """asv with benchmarks that take no time: `times` and `reached` give their numbers for a commit."""
    results = tmp_path / RESULTS

    def run(times, reached=lambda commit: 1.0):
        def asv_run(command, **options):
            printed = io.StringIO()
            if "run" in command:
                alone = [word.removesuffix("^!") for word in command if word.endswith("^!")]  # in a virtualenv
                commit = alone[0] if alone else command[command.index("--set-commit-hash") + 1]
                store(results, commit, times(commit), reached(commit))
            if "compare" in command:  # what is worse is decided by asv itself
                conf = SimpleNamespace(results_dir=str(results), benchmark_dir="")
                base, factor = command[command.index("compare") + 1], float(command[command.index("--factor") + 1])
                with contextlib.redirect_stdout(printed):
                    Compare.print_table(conf, base, COMMITS[-1], factor, False, machine=MACHINE)
            return subprocess.CompletedProcess(command, 0, printed.getvalue())

        monkeypatch.setattr(asv_runs.subprocess, "run", asv_run)
        monkeypatch.setattr(asv_runs, "checkout_of", contextlib.nullcontext)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(folders, "ROOT", tmp_path)
        monkeypatch.setattr(dashboards, "publish", lambda: None)

    return run


def bench(tmp_path, *options):
    return CliRunner().invoke(main, ["bench", *options, "--out", str(tmp_path / "reports")])


@pytest.mark.parametrize(
    ("times", "reached", "said", "kept"),
    [
        ([float("nan")] * 2, float("nan"), "measured nothing", []),  # every benchmark was skipped
        ([1.0, None], 1.0, r"1 benchmarks failed: b\.T\.time_x", [("n = 10", 1.0, "f")]),
        ([0.0, 1.0], 1.0, r"1 benchmarks came out as zero.*time_x", []),
    ],
)
def test_a_run_that_did_not_measure_everything_is_red_and_keeps_no_zero(ran, tmp_path, times, reached, said, kept):
    ran(lambda commit: times, lambda commit: reached)
    with pytest.raises(asv_runs.NothingMeasured, match=said):
        asv_runs.measure()
    assert read(tmp_path / RESULTS) == kept and (len(measurements(tmp_path / RESULTS)) > len(kept)) == (reached == 1)


def test_what_failed_before_a_run_is_not_its_failure(ran, tmp_path):
    ran(lambda commit: [1.0, 2.0])
    path = store(tmp_path / RESULTS, COMMITS[-1], [1.0, None], environment="another")
    path.write_text(re.sub(r"\d{13}\b(?=\])", "1000", path.read_text()))
    assert asv_runs.measure() == COMMITS[-1]


def test_asv_is_told_how_long_a_sample_is_and_has_one_thread(ran, monkeypatch):
    ran(lambda commit: [1.0, 1.0])
    asked = mock.Mock(wraps=asv_runs.subprocess.run)
    monkeypatch.setattr(asv_runs.subprocess, "run", asked)
    for quick in (True, False):
        asv_runs.measure(quick=quick)
        (command,), options = next(call for call in asked.call_args_list[::-1] if "run" in call.args[0])
        assert "--attribute=sample_time=0.1" in command and options["env"]["OPENBLAS_NUM_THREADS"] == "1"
        assert (asv_runs.QUICK in options["env"]) == quick == ("--show-stderr" not in command)


@pytest.mark.parametrize(
    ("slower", "reached", "worse"),
    [
        (1.3, 1.0, [TIME]),
        (1.05, 1.0, []),  # too little
        (0.7, 1.0, []),  # better
        (1.0, 0.7, [REACHED]),  # where more is better
        (1.0, 1.4, []),
    ],
)
def test_bench_compare_exits_one_on_a_regression(ran, tmp_path, slower, reached, worse):
    new = COMMITS[-1]
    ran(lambda at: [slower if at == new else 1.0, 1.0], lambda at: reached if at == new else 1.0)
    result = bench(tmp_path, "--compare", COMMITS[0])
    assert result.exit_code == bool(worse), result.output
    marked = [line.split()[4] for line in result.stdout.splitlines() if line.startswith("worse ")]
    assert [re.sub(r"\(.*", "", name) for name in marked] == worse
    assert ("no regression" in result.stdout) == (not worse) and re.search(
        "verdict +before +after +ratio", result.stdout
    )
    assert (tmp_path / "reports" / "speed.html").exists()


def test_one_busy_second_is_no_regression(ran, tmp_path):
    times = iter([1.0, 1.3])  # of the commit and of HEAD; all later ones are equal
    ran(lambda at: [next(times, 1.0), 1.0])
    result = bench(tmp_path, "--compare", COMMITS[0])
    assert result.exit_code == 0 and "no regression" in result.stdout and not list(times)


@pytest.mark.parametrize(
    ("value", "named", "status"), [(2.1, "n = 10", 1), (2.1, "", 1), (2.1, "n = 1", 0), (1.9, "n = 10", 0)]
)
def test_bench_exits_one_above_a_limit_for_these_parameters_and_no_others(
    ran, tmp_path, monkeypatch, value, named, status
):
    monkeypatch.setattr(limits, "load_limits", lambda: [limits.Limit(TIME, named, 2.0)])
    ran(lambda commit: [value, 1.0])
    result = bench(tmp_path)
    assert result.exit_code == status, result.output
    assert ("t: time of x, n = 10: at most 2 s, measured 2.1 s" in result.stdout) == bool(status)
    assert ("above their limits" in (tmp_path / "reports" / "speed.html").read_text()) == bool(status)


def test_one_busy_second_is_not_above_a_limit(ran, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "load_limits", lambda: [limits.Limit(TIME, "", 2.0)])
    values = iter([2.1, 1.9])
    ran(lambda commit: [next(values), 1.0])
    result = bench(tmp_path)
    assert result.exit_code == 0 and "at most" not in result.stdout and not list(values)


def test_a_virtualenv_per_commit_and_pages_without_a_measurement(ran, tmp_path, monkeypatch):
    measured = []
    ran(lambda commit: measured.append(commit) or [1.0, 1.0])
    monkeypatch.setattr(asv_runs, "spaced_commits", lambda count, since: COMMITS[:count])
    assert bench(tmp_path, "--pages").exit_code == 0 and not measured
    assert bench(tmp_path, "--virtualenv", "--history", "2").exit_code == 0
    assert measured == [*COMMITS[:2], COMMITS[-1]]
    wrong = bench(tmp_path, "--virtualenv", "--compare", COMMITS[0])
    assert wrong.exit_code == 2 and "--compare" in wrong.stderr


def test_what_is_published_names_no_machine_and_lies_as_asv_wants_it(tmp_path):
    """Only of the commits asked for, only of virtualenvs; a file without a benchmark of today is removed."""
    results, published = tmp_path / "here", tmp_path / "published"
    for commit, value in zip(COMMITS, (1.0, 2.0, 3.0), strict=False):
        store(results, commit, [value, 1.0])
        store(results, commit, [value, 1.0], environment="virtualenv-py3.11")
    asv_runs.publish_history(COMMITS[:2], results, published)
    (history,) = (path for path in published.iterdir() if path.is_dir())
    (long_ago := history / f"{COMMITS[4][:8]}-virtualenv-py3.11.json").write_text(
        (history / f"{COMMITS[0][:8]}-virtualenv-py3.11.json").read_text().replace('"v"', '"w"')
    )
    asv_runs.publish_history([COMMITS[2]], results, published)
    assert not long_ago.exists() and MACHINE not in "".join(p.read_text() for p in published.rglob("*.json"))
    assert [value for n, value, _ in read(published) if n == "n = 10"] == [1.0, 2.0, 3.0]
    wrong = CliRunner().invoke(main, ["bench", "--record", "--quick"])
    assert wrong.exit_code == 2 and "--record" in wrong.stderr


@pytest.fixture
def published(tmp_path):
    """asv's page as it is published, with an index that has no benchmark."""
    html = tmp_path / "html"
    shutil.copytree(Path(asv.__file__).parent / "www", html)
    index = {"project": "p", "project_url": "#", "show_commit_url": "#", "hash_length": 8, "pages": [], "machines": {}}
    index |= {key: {} for key in ("revision_to_hash", "revision_to_date", "params", "benchmarks", "tags")}
    (html / "index.json").write_text(json.dumps(index | {"graph_param_list": []}))
    (html / "info.json").write_text('{"timestamp": 1, "asv-version": "0"}')
    return html


def test_asv_pages_load_nothing_from_elsewhere(published):
    text = dashboards.make_self_contained(published).read_text()
    loaded = re.findall(r'<(?:script|link rel="stylesheet")[^>]*(?:src|href)="([^"]*)"', text)
    assert len(loaded) >= 18 and all((published / name).exists() for name in loaded), loaded
    assert not any("//" in name for name in loaded)
    assert "url(" not in re.sub(r"url\(data:", "", (published / "bootstrap.min.css").read_text())


def test_a_script_that_vendor_lacks_is_named(published):
    page = published / "index.html"
    page.write_text(page.read_text().replace("md5.min.js", "sha9.min.js"))
    with pytest.raises(ValueError, match=r"sha9\.min\.js"):
        dashboards.make_self_contained(published)


@browser.needed
def test_asv_pages_open_from_disk_without_a_network(published, tmp_path):
    page = dashboards.make_self_contained(published)
    seen = browser.look(page, tmp_path / "chromium", "--virtual-time-budget=5000")
    assert "airspeed velocity of an unladen p" in seen.stdout
    assert "CONSOLE" not in seen.stderr, seen.stderr
