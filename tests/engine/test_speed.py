"""The speed page is drawn from asv's own files; no timing is asserted."""

import json
import re

import pytest

from experiments.speed.page import measurements, readable, write_page


@pytest.fixture
def results(tmp_path):
    """What asv leaves behind after two commits, one of them with a failed parameter."""
    machine = tmp_path / "machine"
    machine.mkdir()
    (machine / "machine.json").write_text("{}")
    (tmp_path / "benchmarks.json").write_text(
        json.dumps({"b.T.time_x": {"unit": "seconds", "param_names": ["n"]}, "version": 2})
    )
    for day, (commit, values) in enumerate([("a" * 40, [1.0, 2.0]), ("b" * 40, [0.5, None])]):
        run = {
            "commit_hash": commit,
            "date": 1.7e12 + day * 8.64e7,
            "result_columns": ["result", "params", "version"],
            "results": {"b.T.time_x": [values, [["10", "20"]], "v"]},
        }
        (machine / f"{commit[:8]}-env.json").write_text(json.dumps(run))
    return tmp_path


def test_measurements_are_read_in_order(results):
    series = [(m.parameters, m.value, m.commit) for m in measurements(results)]
    assert series == [("n = 10", 1.0, "a" * 8), ("n = 10", 0.5, "b" * 8), ("n = 20", 2.0, "a" * 8)]


def test_the_page_shows_the_newest_and_loads_nothing(results, tmp_path):
    html = write_page(tmp_path / "reports", results).read_text()
    assert "500 ms" in html and "<svg" in html
    assert not re.search(r"""(src|href)\s*=\s*["'](https?:)?//""", html)


def test_no_measurements_yet(tmp_path):
    assert "make bench" in write_page(tmp_path, tmp_path / "nothing").read_text()


@pytest.mark.parametrize(
    ("value", "unit", "text"), [(0.0015, "seconds", "1.5 ms"), (2**21, "bytes", "2 MiB"), (0.5, "unit", "0.5")]
)
def test_numbers_are_readable(value, unit, text):
    assert readable(value, unit) == text
