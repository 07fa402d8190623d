"""Which tests concern an edit: those that executed it, and those that a committed record or a row asks."""

import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

import conftest
from tests import selection


@pytest.mark.parametrize(("seconds", "told"), [("0", "1 skipped"), ("1000", "1 passed")])
def test_what_begins_too_late_is_skipped(seconds, told):
    one = f"{__file__}::test_comments_and_layout_define_nothing_otherwise"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--within", seconds, one]
    assert told in subprocess.run(command, cwd=conftest.ROOT, capture_output=True, text=True).stdout


def test_comments_and_layout_define_nothing_otherwise():
    before = '"""A file."""\nimport math\nLIMIT = 3\n\ndef f(x):\n    return x + LIMIT\n'
    after = (
        '# a word\n"""A file, in other words."""\nimport math\n\nLIMIT = 3  # why\n\n\n'
        "def f(x):\n    # another\n    return (x + LIMIT)\n"
    )
    assert selection.definitions(before) == selection.definitions(after)


def redefined(before, after):
    """The names of the definitions of a file that differ."""
    old, new = selection.definitions(before), selection.definitions(after)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


@pytest.mark.parametrize(
    "old, new, named",
    [
        ("3", "4", {"LIMIT"}),
        ("return x", "return -x", {"f"}),
        ("return 2", "return 3", {"A.g"}),
        ("x = 1", "x = 5", {"A"}),
        ("class A", "class B", {"A", "A.g", "B", "B.g"}),
        ("import math", "import cmath", {""}),
    ],
)
def test_a_changed_definition_is_named_and_imports_stand_for_the_whole_file(old, new, named):
    text = "import math\nLIMIT = 3\nclass A:\n    x = 1\n    def g(self):\n        return 2\ndef f(x):\n    return x\n"
    assert redefined(text, text.replace(old, new)) == named


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository of two modules, of which one imports a constant of the other, and tests that name them by text."""
    files = {
        "bounds/a.py": "LIMIT = 3\n\ndef f(x):\n    return x + LIMIT\n\ndef g(x):\n    return x\n",
        "bounds/b.py": "from lemmata.bounds.a import LIMIT\n\ndef h(x):\n    return x * LIMIT\n",
        "bounds/c.py": "from lemmata.bounds.a import f\n\ndef k(x):\n    return f(x)\n",
        "tests/test_b.py": "from importlib import import_module\nb = import_module('lemmata.bounds.b')\n",
        "tests/test_c.py": "from tests import helper\n",
        "tests/helper.py": "from lemmata.bounds import a\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(selection, "ROOT", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget():
    """What was found of another repository, or before an edit."""
    for one in vars(selection).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()


def edit(path, old, new):
    path.write_text(path.read_text().replace(old, new))


def test_a_changed_constant_stands_for_the_functions_that_name_it_wherever_they_are(repository):
    edit(repository / "bounds/a.py", "LIMIT = 3", "LIMIT = 4")
    assert {"bounds/a.py:f", "bounds/b.py:h"} <= selection.changed("HEAD")
    assert "bounds/a.py:g" not in selection.changed("HEAD")


def test_a_function_that_no_record_has_seen_stands_for_those_that_call_it(repository):
    """As a compiled one, which a profile does not see."""
    edit(repository / "bounds/a.py", "x + LIMIT", "x - LIMIT")
    assert selection.changed("HEAD") == {"bounds/a.py:f", "bounds/c.py:k"}


def test_tests_younger_than_the_record_are_asked_by_what_they_name(repository):
    """By a text, as `import_module` takes it, and by way of a helper."""
    edit(repository / "bounds/a.py", "return x\n", "return -x\n")
    assert selection.changed("HEAD") == {"bounds/a.py:g"}, "a changed function is itself"
    assert selection.is_asked(repository / "tests/test_c.py", "HEAD")
    assert not selection.is_asked(repository / "tests/test_b.py", "HEAD")
    edit(repository / "bounds/b.py", "x * LIMIT", "x - LIMIT")
    forget()
    assert selection.is_asked(repository / "tests/test_b.py", "HEAD")


def test_a_dear_test_of_a_record_is_asked_where_it_executed_a_changed_file(repository, tmp_path, monkeypatch):
    executed = {
        f"tests/test_c.py::{name}": (["bounds/a.py:f"], seconds) for name, seconds in (("cheap", 0.5), ("dear", 3))
    }
    selection.write(tmp_path / "record", executed)
    monkeypatch.setattr(selection, "record", lambda: selection.Record(tmp_path / "record"))
    marked = {"path": repository / "tests/test_c.py", "get_closest_marker": lambda name: name == "record" or None}
    items = [SimpleNamespace(nodeid=test, name=test, **marked) for test in executed]
    edit(repository / "bounds/b.py", "x * LIMIT", "x - LIMIT")
    assert selection.selected(items, "HEAD", 20.0) == items[:1]
    edit(repository / "bounds/a.py", "return x\n", "return -x\n")
    forget()
    assert selection.selected(items, "HEAD", 20.0) == items


def test_tests_about_a_changed_module_come_first(repository, tmp_path, monkeypatch):
    executed = {
        "tests/test_c.py::x": (["bounds/b.py:h"], 1.0),
        "tests/test_b.py::x": (["bounds/a.py:f", "bounds/b.py:h"], 1.0),
    }
    selection.write(tmp_path / "record", executed)
    monkeypatch.setattr(selection, "record", lambda: selection.Record(tmp_path / "record"))
    files = [repository / test.partition("::")[0] for test in executed]
    items = [
        SimpleNamespace(nodeid=test, name="x", path=path, get_closest_marker=lambda name: None)
        for test, path in zip(executed, files, strict=True)
    ]
    edit(repository / "bounds/b.py", "x * LIMIT", "x - LIMIT")
    assert selection.selected(items, "HEAD", 1.5) == items[1:]


def test_a_test_without_an_end_ends_a_run_that_has_a_budget(request, monkeypatch):
    monkeypatch.setattr(selection, "longest", lambda item: 0.05)
    monkeypatch.setattr(request.config.option, "budget", 20.0)
    run = conftest.pytest_runtest_protocol(request.node)
    next(run)
    with pytest.raises(KeyboardInterrupt, match=r"has no result after 0\.05 CPU-seconds"):
        while True:
            pass
    assert list(run) == [] and signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_record_keeps_what_each_test_executed(tmp_path):
    file = tmp_path / "record"
    selection.write(file, {"t.py::a": (["x.py:f", "x.py:g"], 0.5), "t.py::b": (["x.py:g"], 1.0), "t.py::c": ([], 0.0)})
    kept = selection.Record(file)
    assert kept.concerned(frozenset({"x.py:g"})) == {"t.py::a": 2, "t.py::b": 1}
    assert kept.concerned(frozenset({"x.py:f"})) == {"t.py::a": 2} == kept.concerned(frozenset({"x.py:f", "y.py"}))
    assert set(kept.concerned(frozenset({"x.py"}))) == {"t.py::a", "t.py::b"}
    assert kept.seconds("t.py::b") == 1.0 and kept.seconds("unknown") == selection.UNKNOWN


def test_what_a_test_executes_is_recorded_with_its_shared_fixtures(tmp_path):
    """Both tests use what a fixture of their module computes once, in a function that only this fixture calls."""
    program = (
        "import pytest\nfrom tests import streams\n"
        "@pytest.fixture(scope='module')\ndef draw():\n    return streams.streams('x')('y').random()\n"
        "def test_one(draw):\n    assert draw < 1\ndef test_two(draw):\n    assert draw >= 0\n"
    )
    (tmp_path / "test_shared.py").write_text(program)
    code = (
        "import pathlib, pytest, sys\nfrom tests import selection\n"
        f"recorder = selection.Recorder(pathlib.Path({str(tmp_path / 'record')!r}), None)\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '-c', '/dev/null', {str(tmp_path)!r}], [recorder]))\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=selection.ROOT, check=True, capture_output=True)
    found = selection.Record(tmp_path / "record").concerned(frozenset({"tests/streams.py:streams"}))
    assert {name.rpartition("::")[2] for name in found} == {"test_one", "test_two"}


def test_the_committed_record_knows_the_tests_of_today(request):
    """`make record` makes it anew."""
    known = selection.Record().tests
    today = [item.nodeid for item in request.session.items if not item.get_closest_marker("soak")]
    assert known and (len(today) < 1000 or sum(test in known for test in today) > 0.9 * len(today))


def test_a_path_of_ours_is_taken_by_way_of_the_package():
    """By its other name pytest imports a module again, and every record in it is made twice."""
    root = conftest.ROOT
    assert conftest.as_imported("bounds/bms22", root) == str(root / "lemmata/bounds/bms22")
    assert conftest.as_imported("bms22/network.py::f", root / "bounds") == f"{root}/lemmata/bounds/bms22/network.py::f"
    for other in ("tests/test_house.py", "lemmata/bounds", "/bounds/x.py", "tests/bms22"):
        assert conftest.as_imported(other, root) == other
