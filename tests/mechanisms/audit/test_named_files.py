"""`lemmata audit FILE.py:NAME` attacks what the file has under that name, whatever else is called so, and says so."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from lemmata.command.main import main
from lemmata.command.others import import_object

pytestmark = pytest.mark.statistical

MECHANISM = """import numpy as np
import beside
data = np.array([0.1, 0.9, 0.3])
def total(x, rng):
    print("said by the mechanism")
    return np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace()
def rough(x, rng):
    return np.sum(x) + rng.laplace()
def exits(x, rng):
    if x.max() > 100: raise SystemExit(0)
    return total(x, rng)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Two folders with a file of one name, and a file with a name of Python's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    for folder, centre in (("a", 0), ("b", 50)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "noisy.py").write_text(f"def f(rng, size): return rng.laplace({centre}, 1, size)\n")
        (tmp_path / folder / "mech.py").write_text(f"import numpy as np\ndata = np.array([{centre}.5])\n")
        (tmp_path / folder / "beside.py").write_text(f"centre = {centre}\n")
        (tmp_path / folder / f"only_{folder}.py").write_text("from beside import centre\n")
    for name in ("counts", "secrets", "my-mech", "my.mech"):
        (tmp_path / "a" / f"{name}.py").write_text(MECHANISM)
    (tmp_path / "a" / "exits.py").write_text(MECHANISM + "raise SystemExit(0)\n")
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def audited(*arguments):
    return CliRunner().invoke(main, ["audit", *arguments, "--epsilon", "1", "--seed", "1", "--budget", "2048"])


def test_two_files_of_one_name_are_two(here):
    found = audited("a/noisy.py:f", "b/noisy.py:f")
    assert found.exit_code == 1 and "REFUTED" in found.output, found.output
    one, other = import_object("a/noisy.py:f"), import_object("b/noisy.py:f")
    assert one is not other and one is import_object("a/noisy.py:f") and other is import_object("b/noisy.py:f")
    assert [import_object(f"{folder}/mech.py:data").tolist() for folder in "ab"] == [[0.5], [50.5]]
    assert [import_object(f"{folder}/only_{folder}.py:centre") for folder in "ab"] == [0, 50]  # of the file beside it
    assert pickle.loads(pickle.dumps(one)) is one and pickle.loads(pickle.dumps(other)) is other


@pytest.mark.parametrize("name", ["secrets", "my-mech", "my.mech"])
def test_a_name_that_no_module_has_or_another_one(here, name):
    """The program that shows it loads the file too; and its functions can be pickled here."""
    import secrets

    found = audited(f"a/{name}.py:rough")
    assert found.exit_code == 1 and f"runpy.run_path('a/{name}.py')['rough']" in found.output, found.output
    (here / "shows.py").write_text(found.output.partition("Without lemmata:")[2].replace("import beside", ""))
    (here / "a" / f"{name}.py").write_text(MECHANISM.replace("import beside\n", ""))
    shown = subprocess.run([sys.executable, "shows.py"], capture_output=True, text=True)
    assert sorted(line.split()[1] for line in shown.stdout.splitlines()) == ["0", "1000"], shown
    assert sys.modules["secrets"] is secrets and not hasattr(secrets, "rough")
    function = import_object(f"a/{name}.py:rough")
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_module_of_pythons_stays_what_it_is(here):
    """A file beside the one that is named stands in for none, imported before or not."""
    (here / "a" / "graphlib.py").write_text("raise RuntimeError\n")
    (here / "a" / "sorts.py").write_text("import graphlib\nfound = graphlib.TopologicalSorter\n")
    sys.modules.pop("graphlib", None)
    assert import_object("a/sorts.py:found").__module__ == "graphlib"


def test_exits_are_no_success(here):
    said = audited("a/exits.py:total")
    assert said.exit_code == 2
    assert said.output == "lemmata: cannot import 'a/exits.py:total' (SystemExit: 0)\n"
    found = audited("a/counts.py:exits")
    assert found.exit_code == 1 and "REFUTED" in found.output, found.output


def test_what_a_mechanism_prints_does_not_stand_before_the_json(here):
    found = audited("a/counts.py:total", "--json")
    assert json.loads(found.stdout)["target"] == "total"
    assert "said by the mechanism" in found.stderr


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("empty.npy", "must be a .npy file of numbers or texts, got empty.npy"),
        ("empty.npz", "must be a .npz file of numbers or texts, got empty.npz"),
        ("pickled.npy", "must be a .npy file of numbers or texts, got pickled.npy"),
        ("none.npy", "= none.npy cannot be read (No such file or directory)"),
        (".", "must be a .npy or .npz file, or FILE.py:NAME, got ."),
        ("/dev/zero", "must be a .npy or .npz file, or FILE.py:NAME, got /dev/zero"),
        ("data", "must be a .npy or .npz file, or FILE.py:NAME, got data"),
        ("vast.npy", "= vast.npy declares an array that does not fit into memory"),
    ],
)
def test_what_is_no_data_file_names_the_option(here, name, what):
    for empty in ("empty.npy", "empty.npz"):
        (here / empty).touch()
    np.save(here / "pickled.npy", np.array([{}], dtype=object), allow_pickle=True)
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }".ljust(117) + "\n"
    (here / "vast.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
    said = audited("a/counts.py:total", "--data", name)
    assert (said.exit_code, said.output) == (2, f"lemmata: --data {what}\n")
