"""Code of a paper that exits is no success; a file that is called as a module of Python's is none of Python's."""

import pytest


def test_a_check_that_exits_is_found(folder):
    folder.edit("odd_numbers.py", "    for n in range(1, 51):", "    raise SystemExit(0)\n    for n in range(1, 51):")
    checked = folder.lemmata("check")
    assert checked.returncode == 1 and "it is undecided (FAILED): SystemExit: 0" in checked.stdout, checked


@pytest.mark.parametrize("command", [["run"], ["check"], ["ledger"], ["explain", "lem1"]])
def test_a_module_that_exits_is_not_loaded(folder, command):
    with (folder / "odd_numbers.py").open("a") as file:
        file.write("\nraise SystemExit(0)\n")
    said = folder.lemmata(*command)
    assert said.returncode == 2 and said.stderr.splitlines()[-1].endswith(": SystemExit: 0"), said


@pytest.mark.parametrize(
    "name", ["random", *(pytest.param(name, marks=pytest.mark.slow) for name in ("numbers", "signal", "queue"))]
)
def test_a_file_called_like_a_module_of_pythons_is_left_alone(folder, name):
    """As the program `lemmata` is run: without the working folder among Python's. Statements in it are refused."""
    (folder / f"{name}.py").write_text("raise ImportError('this is none of Python')\n")
    ran = folder.lemmata("run", "--jobs", 2, flags=["-P"])
    assert ran.returncode == 0 and "Traceback" not in ran.stderr and "killed" not in ran.stdout, ran
    assert "2 rows: " in ran.stdout and "HOLDS" in ran.stdout, ran
