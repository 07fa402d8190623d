"""What an edit concerns: definitions are compared, so a comment concerns no row."""

import subprocess
import sys

import pytest

import conftest


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
    assert conftest.definitions(before) == conftest.definitions(after)


def test_a_changed_definition_is_named_and_imports_stand_for_the_whole_file():
    text = "import math\nLIMIT = 3\nclass A:\n    pass\ndef f(x):\n    return x\n"
    old = conftest.definitions(text)

    def anew(edited):
        new = conftest.definitions(edited)
        return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}

    assert anew(text.replace("3", "4")) == {"LIMIT"}
    assert anew(text.replace("return x", "return -x")) == {"f"}
    assert anew(text.replace("class A", "class B")) == {"A", "B"}
    assert anew(text.replace("import math", "import cmath")) == {""}


def test_a_path_of_ours_is_taken_by_way_of_the_package():
    """By its other name pytest imports a module again, and every record in it is made twice."""
    root = conftest.ROOT
    assert conftest.as_imported("bounds/bms22", root) == str(root / "lemmata/bounds/bms22")
    assert conftest.as_imported("bms22/network.py::f", root / "bounds") == f"{root}/lemmata/bounds/bms22/network.py::f"
    for other in ("tests/test_house.py", "lemmata/bounds", "/bounds/x.py", "tests/bms22"):
        assert conftest.as_imported(other, root) == other
