"""What asv measured, in pages and comparisons: its own files are read, no timing is asserted."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import asv
import pytest
from click.testing import CliRunner

from lemmata.command.main import main
from lemmata.experiments.engine.ground import folders
from lemmata.tools.speed import limits, offline, page, record, scaling
from lemmata.tools.speed.pages import speed_pages
from lemmata.tools.speed.record import NothingMeasured, compared, measurements, readable
from tests.report.test_report import CHROMIUM

BENCHMARKS = {
    "b.T.time_x": {"unit": "seconds", "param_names": ["n"], "version": "v"},
    "b.T.track_reached": {"unit": "epsilon, higher is better", "param_names": [], "version": "v"},
    "version": 2,
}
COMMITS = [letter * 40 for letter in "abcdef"]


def left_behind(folder, times, half=0.01, tracked=1.0):
    """What asv leaves behind: of each commit two times, one of which failed at first, and a number that it tracks."""
    machine = folder / "machine"
    machine.mkdir(parents=True, exist_ok=True)
    (machine / "machine.json").write_text("{}")
    (folder / "benchmarks.json").write_text(json.dumps(BENCHMARKS))
    tracked = tracked if isinstance(tracked, list) else [tracked] * len(times)
    for day, (commit, value, number) in enumerate(zip(COMMITS, times, tracked, strict=False)):
        spread = [[value * (1 - half)] * 2, [value * (1 + half)] * 2] if half else [None, None]
        run = {
            "commit_hash": commit,
            "env_name": "existing-py",
            "date": 1.7e12 + day * 8.64e7,
            "result_columns": ["result", "params", "version", "stats_ci_99_a", "stats_ci_99_b"],
            "results": {
                "b.T.time_x": [[value, None if day else 2.0], [["10", "20"]], "v", *spread],
                "b.T.track_reached": [[number], [], "v"],
            },
        }
        (machine / f"{commit[:8]}-env.json").write_text(json.dumps(run))
    return folder


@pytest.fixture(autouse=True)
def no_git(monkeypatch):
    """Commits are their own names."""
    monkeypatch.setattr(record, "commit_of", lambda name: COMMITS[-1] if name == "HEAD" else name)


def test_measurements_are_read_in_order(tmp_path):
    taken = [m for m in measurements(left_behind(tmp_path, [1.0, 0.5])) if m.unit == "seconds"]
    assert [(m.parameters, m.value, m.commit) for m in taken] == [
        ("n = 10", 1.0, "a" * 8),
        ("n = 10", 0.5, "b" * 8),
        ("n = 20", 2.0, "a" * 8),
    ]
    assert taken[0].sigma == pytest.approx(0.01 / 2.576)


@pytest.mark.parametrize("half", [None, 0.01])
def test_a_slow_drift_is_seen(tmp_path, half, monkeypatch):
    """A tenth a commit over ten commits: no neighbour is a fifth worse, the last is more than twice the best."""
    monkeypatch.setattr("tests.tools.test_speed.COMMITS", [letter * 40 for letter in "abcdefghijk"])
    results = left_behind(tmp_path, [1.1**i for i in range(11)], half)
    _, (worse,) = page.shown(results)
    assert worse["benchmark"] == "b.T.time_x" and worse["step"].factor == pytest.approx(1.1**10)
    assert worse["best_at"] == "a" * 8 and "slower" in page.drawing(results)


def test_a_benchmark_that_measures_something_else_since_is_another_one(tmp_path):
    """Its text is its version: what an earlier one measured is not the best before it."""
    results = left_behind(tmp_path, [0.01, 1.0, 1.0])
    first = results / "machine" / f"{COMMITS[0][:8]}-env.json"
    assert page.shown(results)[1]
    first.write_text(first.read_text().replace('"v"', '"earlier"'))
    assert not page.shown(results)[1] and {m.commit for m in measurements(results)} == {"b" * 8, "c" * 8}


def test_a_rise_long_ago_is_seen_until_it_is_mended(tmp_path):
    rises = left_behind(tmp_path / "a", [0.02, 0.94, 0.94, 0.95])
    assert page.shown(rises)[1][0]["step"].factor == pytest.approx(47.5)
    assert not page.shown(left_behind(tmp_path / "b", [0.02, 0.94, 0.02, 0.02]))[1]


def test_zeros_that_are_stored_measured_nothing(tmp_path):
    results = left_behind(tmp_path, [0.0, 0.0, 1.0], None)
    assert [m.value for m in measurements(results) if m.parameters == "n = 10"] == [1.0]
    assert page.drawing(results) == ""


@pytest.mark.parametrize(
    ("times", "half", "tracked", "regressed"),
    [
        ([1.0, 1.3], 0.01, 1.0, ["b.T.time_x"]),
        ([1.0, 1.15], 0.01, 1.0, []),  # too little
        ([1.0, 1.3], 0.5, 1.0, []),  # too uncertain
        ([1.0, 0.5], 0.01, 1.0, []),  # better
        ([1.0, 1.0], 0.01, [1.0, 0.7], ["b.T.track_reached"]),  # where more is better
        ([1.0, 1.0], 0.01, [1.0, 1.4], []),
        ([1.0, 2.0, 1.0, 2.1, 1.0, 1.6], None, 1.0, []),  # as scattered as ever
        ([1.0, 1.01, 1.0, 1.02, 1.0, 1.3], None, 1.0, ["b.T.time_x"]),
    ],
)
def test_a_regression_is_a_fifth_and_three_sigmas(tmp_path, times, half, tracked, regressed):
    results = left_behind(tmp_path, times, half, tracked)
    _, worse = page.shown(results)
    assert [line["benchmark"] for line in worse] == regressed
    changes = compared(COMMITS[len(times) - 2], COMMITS[len(times) - 1], results)
    assert [c.after.benchmark for c in changes if c.regressed] == regressed


def test_the_page_says_which_direction_is_better_and_loads_nothing(tmp_path):
    left_behind(tmp_path / "asv" / "results", [1.0, 1.3])
    html = dict(speed_pages(tmp_path))
    speed = html["speed.html"]
    assert "1.3 s" in speed and "lower is better" in speed and "higher is better" in speed
    assert "1.3 times worse" in speed and "<svg" in speed and 'href="scaling.html"' in speed
    assert not re.search(r"""(src|href)\s*=\s*["'](https?:)?//""", "".join(html.values()))
    assert "asv/html" not in speed, "nothing was published"


def test_two_machines_have_two_histories(tmp_path):
    results = left_behind(tmp_path, [1.0, 1.3])
    for number, path in enumerate(sorted(results.glob("machine/*-env.json"))):
        run = json.loads(path.read_text())
        path.write_text(json.dumps(run | {"params": {"machine": f"m{number}"}}))
    lines, worse = page.shown(results)
    assert not worse and {line["machine"] for line in lines} == {"m0", "m1"}


def test_the_published_history_stands_beside_what_is_measured_here(tmp_path):
    published = left_behind(tmp_path / "published" / "asv", [1.0, 0.5])
    assert "2 commits, from 1 s to 500 ms" in dict(speed_pages(tmp_path))["speed.html"]
    results = tmp_path / "asv" / "results"
    (results / "machine").mkdir(parents=True)
    (results / "machine" / "machine.json").write_text("[]")
    record.begin(published, results)
    assert len(measurements(results)) == len(measurements(published)) == 5
    assert (results / "machine" / "machine.json").read_text() == "[]", "what stood stays"


def test_no_measurements_yet(tmp_path):
    assert "make bench" in dict(speed_pages(tmp_path))["speed.html"]


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
    assert readable(record.Measurement("b", "", "c", None, value, unit)) == text


# Running asv ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """asv as a function that leaves `values` behind, by commit: what `record` then reads."""
    results = tmp_path / record.RESULTS

    def run(values):
        def asv_run(command, **options):
            if "run" in command:
                alone = [word.removesuffix("^!") for word in command if word.endswith("^!")]  # in a virtualenv
                commit = alone[0] if alone else command[command.index("--set-commit-hash") + 1]
                left_behind(results, [])
                entry = {"b.T.time_x": [values(commit), [["10"]], "v", [None], [None]]}
                columns = ["result", "params", "version", "stats_ci_99_a", "stats_ci_99_b"]
                made = {"commit_hash": commit, "env_name": f"existing-py{record.sys.executable.replace('/', '_')}"}
                made |= {"date": 1.7e12 + COMMITS.index(commit) * 8.64e7, "result_columns": columns, "results": entry}
                (results / "machine" / f"{commit[:8]}.json").write_text(json.dumps(made))
            return subprocess.CompletedProcess(command, 0)

        monkeypatch.setattr(record.subprocess, "run", asv_run)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(folders, "ROOT", tmp_path)
        monkeypatch.setattr(offline, "publish", lambda: None)

    return run


def test_a_run_that_measured_nothing_is_red(ran):
    ran(lambda commit: [float("nan")])  # every benchmark was skipped
    with pytest.raises(NothingMeasured, match="measured nothing"):
        record.record()
    ran(lambda commit: [None])
    with pytest.raises(NothingMeasured, match="1 benchmarks failed"):
        record.record()


def test_no_zero_is_kept(ran, tmp_path):
    ran(lambda commit: [0.0])
    with pytest.raises(NothingMeasured, match=r"1 benchmarks came out as zero.*time_x"):
        record.record()
    (kept,) = (path for path in (tmp_path / record.RESULTS).glob("*/*.json") if path.name != "machine.json")
    assert json.loads(kept.read_text())["results"]["b.T.time_x"][0] == [None]


def test_asv_is_told_how_long_a_sample_is_and_has_one_thread(ran, monkeypatch):
    values = iter([1.0, 2.0])  # what is measured as before counts as not measured
    ran(lambda commit: [next(values)])
    inner, seen = record.subprocess.run, []
    monkeypatch.setattr(record.subprocess, "run", lambda c, **options: seen.append((c, options)) or inner(c, **options))
    for quick in (True, False):
        record.record(quick=quick)
        command, options = next(entry for entry in seen[::-1] if "run" in entry[0])
        assert "--attribute=sample_time=0.1" in command and options["env"]["OPENBLAS_NUM_THREADS"] == "1"
        assert (record.QUICK in options["env"]) == quick


@pytest.mark.parametrize(
    ("before", "after", "regressed"),
    [
        ([79.2, 128, 78.5, 78.5, 134], [99.5, 175, 165, 103, 108], True),  # a third more, on a machine that is busy
        ([2.58, 4.76, 2.41, 4.48, 2.66], [3.18, 3.11, 3.09, 4.59, 4.81], True),
        ([79.2, 128, 78.5, 78.5, 134], [80, 175, 165, 103, 108], False),
        ([79.2, 128, 78.5, 78.5, 134], [110, 175, 165, 203, 148], False),  # too uncertain
    ],
)
def test_the_least_of_several_times_stands(before, after, regressed):
    (old, loose), (new, looser) = (record.settled(times, "seconds") for times in (before, after))
    sides = [record.Measurement("b", "", "c", None, value, "seconds") for value in (old, new)]
    assert record.Change(*sides, (loose**2 + looser**2) ** 0.5).regressed == regressed


@pytest.mark.parametrize(("slower", "status"), [(1.3, 1), (1.05, 0), (0.7, 0)])
def test_bench_compare_exits_one_on_a_regression(ran, tmp_path, monkeypatch, slower, status):
    noise = iter([0.99, 1.0, 1.01, 1.02, 0.98] * 20)
    ran(lambda commit: [next(noise) * (slower if commit == COMMITS[-1] else 1.0)])
    command = ["bench", "--compare", COMMITS[0], "--out", str(tmp_path / "reports")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == status, result.output
    assert ("times worse" in result.stdout) == bool(status)
    assert (tmp_path / "reports" / "speed.html").exists()


@pytest.mark.parametrize(
    ("value", "named", "status"), [(2.1, "n = 10", 1), (2.1, "", 1), (2.1, "n = 1", 0), (1.9, "n = 10", 0)]
)
def test_bench_exits_one_above_a_limit_for_these_parameters_and_no_others(
    ran, tmp_path, monkeypatch, value, named, status
):
    monkeypatch.setattr(limits, "limits", lambda: [limits.Limit("b.T.time_x", named, 2.0)])
    values = iter([value, value + 1e-9])  # what is measured as before counts as not measured
    ran(lambda commit: [next(values)])
    result = CliRunner().invoke(main, ["bench", "--out", str(tmp_path / "reports")])
    assert result.exit_code == status, result.output
    said = "t: time of x, n = 10: 2.1 s, where 2 is the most that is allowed"
    assert (said in result.stdout) == bool(status)
    assert ("above 2.0" in (tmp_path / "reports" / "speed.html").read_text()) == bool(status)


def test_one_busy_second_is_not_above_a_limit(ran, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "limits", lambda: [limits.Limit("b.T.time_x", "", 2.0)])
    values = iter([2.1, 1.9])
    ran(lambda commit: [next(values)])
    result = CliRunner().invoke(main, ["bench", "--out", str(tmp_path / "reports")])
    assert result.exit_code == 0 and "allowed" not in result.stdout and not list(values)


def test_a_virtualenv_per_commit_and_pages_without_a_measurement(ran, tmp_path, monkeypatch):
    measured = []
    ran(lambda commit: measured.append(commit) or [1.0])
    monkeypatch.setattr(record, "spaced", lambda count, since: COMMITS[:count])
    reports = ["--out", str(tmp_path / "reports")]
    assert CliRunner().invoke(main, ["bench", "--pages", *reports]).exit_code == 0 and not measured
    assert CliRunner().invoke(main, ["bench", "--virtualenv", "--history", "2", *reports]).exit_code == 0
    assert measured == [*COMMITS[:2], COMMITS[-1]]
    wrong = CliRunner().invoke(main, ["bench", "--virtualenv", "--compare", COMMITS[0]])
    assert wrong.exit_code == 2 and "--compare" in wrong.stderr


def test_what_is_published_names_no_machine_and_lies_as_asv_wants_it(tmp_path):
    """Only of the commits asked for, only of virtualenvs; what no benchmark of today measured goes."""
    results, published = left_behind(tmp_path / "here", [1.0, 2.0, 3.0]), tmp_path / "published"
    for path in (results / "machine").glob("*-env.json"):
        run = json.loads(path.read_text()) | {"env_name": "virtualenv-py3.11"}
        run["params"] = {"machine": "a-name-of-mine", "os": "Linux a-name-of-mine"}
        path.with_name(path.name.replace("-env", "-virtualenv-py3.11")).write_text(json.dumps(run))
    record.publish(COMMITS[:2], results, published)
    (long_ago := published / "reference" / f"{COMMITS[4][:8]}-virtualenv-py3.11.json").write_text(
        (published / "reference" / f"{COMMITS[0][:8]}-virtualenv-py3.11.json").read_text().replace('"v"', '"w"')
    )
    record.publish([COMMITS[2]], results, published)
    assert not long_ago.exists() and "a-name-of-mine" not in "".join(p.read_text() for p in published.rglob("*.json"))
    assert [m.value for m in measurements(published) if m.parameters == "n = 10"] == [1.0, 2.0, 3.0]
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
    text = offline.detached(published).read_text()
    loaded = re.findall(r'<(?:script|link rel="stylesheet")[^>]*(?:src|href)="([^"]*)"', text)
    assert len(loaded) >= 18 and all((published / name).exists() for name in loaded), loaded
    assert not any("//" in name for name in loaded)
    assert "url(" not in re.sub(r"url\(data:", "", (published / "bootstrap.min.css").read_text())


def test_a_script_that_we_do_not_have_is_named(published):
    page = published / "index.html"
    page.write_text(page.read_text().replace("md5.min.js", "sha9.min.js"))
    with pytest.raises(ValueError, match=r"sha9\.min\.js"):
        offline.detached(published)


@pytest.mark.skipif(CHROMIUM is None, reason="NO BROWSER HERE: the dashboards were not opened")
def test_asv_pages_open_from_disk_without_a_network(published, tmp_path):
    opened = offline.detached(published)
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"]
    command += ["--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr"]
    command += [f"--user-data-dir={tmp_path / 'chromium'}", "--virtual-time-budget=5000", f"file://{opened}"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "airspeed velocity of an unladen p" in printed.stdout
    assert "CONSOLE" not in printed.stderr, printed.stderr


# Scaling --------------------------------------------------------------------------------------------------------------


def test_where_a_resource_runs_out():
    assert scaling.exponent([1, 10, 100], [2, 20, 200]) == (1.0, 2.0)
    assert scaling.reach([1, 10, 100], [2, 20, 200], 2000) == pytest.approx(1000)
    assert scaling.reach([1, 10, 100], [2, 2, 2], 2000) == float("inf")


def test_the_scaling_page_covers_every_axis(tmp_path):
    axes = {line["along"] for line in scaling.table()}
    assert axes >= {"n", "d", "k", "runs", "claims"}
    measured = {(line["core"], line["along"]) for line in scaling.table()}
    assert measured == {(name, along) for name, _, _, axes in scaling.CORES for along in axes}
    html = dict(speed_pages(tmp_path))["scaling.html"]
    assert all(name in html for name, *_ in scaling.CORES)
    assert "At 64 workers " in html and all(f">{line}</text>" in html for line in ("with start,", "messages, folds"))


def test_a_cost_is_measured():
    seconds, peak = scaling.cost(lambda: bytearray(10**6), rounds=1)
    assert seconds < 1 and peak >= 10**6
