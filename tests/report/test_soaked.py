"""The table of `make soak`: it is read strictly, written a line a part, and shown."""

import subprocess
import sys

import pytest

from lemmata.bounds.library import PaperError
from lemmata.experiments.engine.ground.files import replace_file
from lemmata.experiments.report import soak_table
from tests import soak

HEAD = ",".join(soak_table.HEAD)
GOOD = "faults,500,0,12,2026-11-25,0123456789ab,0.2.0"


def told(tmp_path, text):
    replace_file(tmp_path / soak_table.TABLE, text)
    return soak_table.describe_soak(tmp_path)


def test_the_page_has_words_for_every_part():
    assert list(soak_table.PARTS) == list(soak.PARTS)


def test_a_line_is_read_and_what_is_missing_is_said(tmp_path):
    assert soak_table.describe_soak(tmp_path) is None
    shown = told(tmp_path, f"{HEAD}\n{GOOD}\n")
    assert [(row["tried"], row["failed"], row["minutes"]) for row in shown["rows"]] == [(500, 0, 12)]
    assert len(shown["missing"]) == len(soak_table.PARTS) - 1


@pytest.mark.parametrize(
    "text, why",
    [
        (f"part,tried\n{GOOD}\n", "line 1 must be part,tried,failed"),
        (f"{HEAD}\n{GOOD},more\n", "record 2 must have fields part,tried,failed,minutes,date,commit,version, got 8"),
        (
            f"{HEAD}\n{GOOD}\n{GOOD}\n",
            "record 3: part must be one of tests, soak, faults, kernels, verdicts, strangers, deep, each once, "
            "got 'faults'",
        ),
        (
            f"{HEAD}\n{GOOD.replace('faults', 'fault')}\n",
            "part must be one of tests, soak, faults, kernels, verdicts, strangers, deep, each once, got 'fault'",
        ),
        (f"{HEAD}\n{GOOD.replace('500', '-500')}\n", "tried must be an integer, got '-500'"),
        (f"{HEAD}\n{GOOD.replace(',12,', ',²,')}\n", "minutes must be an integer, got '²'"),
        (f"{HEAD}\n{GOOD.replace(',0,', ',501,', 1)}\n", "failed must be at most tried = 500, got 501"),
        (f'{HEAD}\n"{GOOD}\n', "cannot be read as a table"),
    ],
)
def test_a_line_that_is_not_as_it_was_written_is_refused(tmp_path, text, why):
    with pytest.raises(PaperError) as refused:
        told(tmp_path, text)
    assert why in str(refused.value) and "\n" not in str(refused.value)


def test_a_part_writes_its_line_whether_it_ended_well_or_badly(tmp_path, monkeypatch):
    """Its minutes are those of all its sessions; one that did not come to its end writes nothing."""
    monkeypatch.setattr(soak, "REPORTS", tmp_path)
    monkeypatch.setattr(soak, "PLACE", tmp_path / "soak")
    ways = iter([(3, None), (1, (10, 2)), (0, (10, 0))])

    def part(place):
        status, count = next(ways)
        replace_file(place / soak.SECONDS, f"{59 * 60}\n")  # as if an hour had gone by
        if count:
            soak.counted(place, *count)
        return status

    monkeypatch.setitem(soak.PARTS, "faults", part)
    found = []
    for status in (3, 1, 0):
        assert soak.main(["faults"]) == status
        found.append([(line["tried"], line["failed"], line["minutes"]) for line in soak_table.read_lines(tmp_path)])
    assert found == [[], [(10, 2, 59)], [(10, 0, 59)]]
    assert soak.main(["faults"]) == 0, "done before: it is not asked again"


def test_the_tests_that_pass_and_fail_are_counted_and_what_passed_is_left_out(tmp_path, monkeypatch):
    """One passes, one fails, one cannot clean up; the second time only the last two are tried."""
    (tmp_path / "test_it.py").write_text(
        "import pytest\n@pytest.fixture\ndef dirty():\n    yield\n    assert False\n"
        "def test_a(): pass\ndef test_b(): assert False\ndef test_c(dirty): pass\n"
    )
    run = subprocess.run

    def here(command, **kinds):
        short = [sys.executable, "-m", "pytest", "-q", "-p", "tests.soak", str(tmp_path), "--rootdir", str(tmp_path)]
        return run([*short, "-o", "addopts="], **kinds, capture_output=True)

    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of whoever runs this test
    monkeypatch.setattr(soak.subprocess, "run", here)
    place = tmp_path / "notes"
    place.mkdir()
    for _ in range(2):
        assert soak.tests("not soak")(place) == 1
        assert (place / soak.COUNT).read_text() == "3 2"
        assert soak.names(place / "failed.txt") == {"test_it.py::test_b", "test_it.py::test_c"}
    assert soak.names(place / "snapshot.txt") == {"test_it.py::test_a"}
