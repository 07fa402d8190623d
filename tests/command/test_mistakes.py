"""Mistakes of users, in what they type and in what surrounds it: one line names what is wrong and what is right."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from lemmata.command import console
from lemmata.command.main import main
from lemmata.experiments.engine.ground import folders
from lemmata.experiments.engine.running import cluster


def refused(*arguments):
    """The one line that a command ends in, with status 2."""
    ran = CliRunner().invoke(main, [str(each) for each in arguments])
    assert ran.exit_code == 2, ran.output
    return ran.stderr.splitlines()[-1]


def ended(*arguments, folder, **variables):
    """(status, stderr) of a command in a process of its own."""
    command = [sys.executable, "-m", "lemmata", *arguments]
    ran = subprocess.run(command, cwd=folder, env=os.environ | variables, capture_output=True, text=True)
    return ran.returncode, ran.stderr


@pytest.mark.parametrize("command", ["run", "ledger", "figure", "check"])
def test_a_seed_is_as_large_as_a_store_takes_it(command, tmp_path):
    line = refused(command, "bms22.lemA.3.s1", "--seed", 2**63, "--out", tmp_path)
    assert f"{2**63} is not in the range 0<=x<={2**63 - 1}" in line


@pytest.mark.parametrize("count", ["²", "٣", "-1", "0"])
def test_processes_of_a_local_cluster_are_a_plain_number(count):
    opening = cluster.connect(f"local:{count}")
    with pytest.raises(cluster.WorkersLost, match=f"local:{count}: local:N starts N >= 1 processes"), opening:
        pass


@pytest.mark.parametrize(
    ("option", "there"), [("--paper", "is none of abgmu22, bms22, "), ("--reading", "'corrected'")]
)
def test_a_filter_that_nothing_can_pass_is_refused_with_what_there_is(option, there):
    line = refused("ledger", option, "nothing")
    assert option in line and "'nothing'" in line and there in line


def test_a_working_folder_that_is_gone_is_said(tmp_path, monkeypatch):
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for command in (["where", "wzw25.lemA.5"], ["ledger", "--out", tmp_path], ["bench", "--pages"]):
        assert refused(*command) == "lemmata: the folder in which this was called is gone: go to one that there is"


@pytest.mark.parametrize(
    ("variable", "command"),
    [
        ("MPLBACKEND", ("figure", "wzw25.lemA.5")),
        ("TQDM_NCOLS", ("run", "bms22.lemA.3.s1", "--jobs", "1")),
        ("LOKY_MAX_CPU_COUNT", ("run", "bms22.lemA.3.s1", "--jobs", "2")),
        ("JOBLIB_START_METHOD", ("run", "bms22.lemA.3.s1", "--jobs", "2")),
    ],
)
def test_a_variable_that_a_library_cannot_read_is_named(variable, command, tmp_path):
    status, said = ended(*command, "--out", str(tmp_path), folder=tmp_path, **{variable: "abc"})
    line = f"lemmata: {variable} = 'abc', in the environment, is not what its library takes"
    assert (status, said.splitlines()[-1]) == (2, line)


def test_an_error_of_our_own_is_no_variable(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert console.find_misread_variable("could not convert string to float: 'abc'") == ""
    assert console.find_misread_variable("Key backend: 'agg' is not a valid value") == "MPLBACKEND = 'agg'"


@pytest.fixture
def loud(tmp_path):
    """A paper whose module prints while it is loaded, and while it is decided."""
    ran = CliRunner().invoke(main, ["new-paper", str(tmp_path / "loud")])
    assert ran.exit_code == 0, ran.output
    module = tmp_path / "loud" / "odd_numbers.py"
    text = module.read_text().replace('    yield {"n": 1}', '    print("decided")\n    yield {"n": 1}')
    module.write_text(text + '\nprint("loaded")\n')
    return module.parent


def test_what_a_module_prints_is_not_in_the_json(loud):
    for command in ("check", "ledger"):
        asked = [sys.executable, "-m", "lemmata", command, str(loud), "--json", "--out", str(loud / "out")]
        ran = subprocess.run(asked, capture_output=True, text=True)
        assert json.loads(ran.stdout) and "loaded" in ran.stderr
        assert command == "ledger" or "decided" in ran.stderr


def test_benchmarks_are_of_the_checkout_wherever_one_is(tmp_path, monkeypatch):
    """asv is run, and git asked, where the commits are; pages go where one said."""
    from lemmata.tools.speed import offline, record

    (root := tmp_path / "checkout").mkdir()
    monkeypatch.setattr(folders, "ROOT", root)
    monkeypatch.chdir(tmp_path)
    seen = []
    monkeypatch.setattr(record, "begin", lambda: seen.append(os.getcwd()))
    monkeypatch.setattr(offline, "publish", lambda: seen.append(os.getcwd()))
    ran = CliRunner().invoke(main, ["bench", "--pages", "--out", "pages"])
    assert ran.exit_code == 0, ran.output
    assert seen == [str(root), str(root)] and os.getcwd() == str(tmp_path)
    assert (tmp_path / "pages" / "speed.html").exists()


def test_benchmarks_are_chosen_by_a_regular_expression():
    assert refused("bench", "--only", "(").startswith("lemmata: --only = '(' is no regular expression: missing )")
