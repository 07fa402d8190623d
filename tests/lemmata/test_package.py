"""`import lemmata`: cheap, complete, and as it says of itself."""

import inspect
import pydoc
import subprocess
import sys

import pytest

import lemmata
from lemmata.tools import public_names


def test_every_name_is_there_and_documented():
    assert set(lemmata.__all__) <= set(dir(lemmata)) and len(set(lemmata.__all__)) == len(lemmata.__all__)
    for name in lemmata.__all__:
        assert inspect.getdoc(getattr(lemmata, name)), name
    assert lemmata.__version__


@pytest.mark.record
def test_type_checkers_see_what_is_there():
    assert public_names.STUB.read_text() == public_names.stub(), "run python -m lemmata.tools.public_names"


def test_importing_it_imports_nothing_heavy():
    probe = "import sys, lemmata; print([m for m in ('numpy', 'sklearn', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_teaches_it():
    text = pydoc.render_doc(lemmata, renderer=pydoc.plaintext)
    assert "MarginClassifier(epsilon=1.0" in text and "rows_needed" in text


def test_an_unknown_name_points_to_the_known_ones():
    with pytest.raises(AttributeError, match=r"dir\(lemmata\)"):
        lemmata.learn  # noqa: B018


def test_theorems_are_found_by_the_beginning_of_their_id():
    everything = lemmata.theorems()
    assert len(everything) > 400 and {t.paper for t in everything} == {"abgmu22", "bms22", "rbht09", "wzw25"}
    assert {t.key for t in lemmata.theorems("wzw25.lemA.5")} >= {"wzw25.lemA.5/printed/tail"}
    assert not any(t.id.startswith("wzw25.lem6.40") for t in lemmata.theorems("wzw25.lem6.4"))
    with pytest.raises(ValueError, match="ID must name a statement, module or paper, got 'wzw26'"):
        lemmata.theorems("wzw26")


def test_a_figure_is_drawn(tmp_path):
    paths = lemmata.figure("wzw25.lemA.5/printed/mean", tmp_path)
    assert [path.name for path in paths] == ["wzw25.lemA.5_printed_mean-0.svg"]
    assert paths[0].read_text().startswith("<svg")
    for kind, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        (path,) = lemmata.figure("wzw25.lemA.5/printed/mean", tmp_path, kind=kind)
        assert path.suffix == f".{kind}" and path.read_bytes().startswith(magic)
    with pytest.raises(ValueError, match="kind must be one of svg, png, pdf, got 'gif'"):
        lemmata.figure("wzw25.lemA.5", kind="gif")


def test_a_checkout_without_symbolic_links_says_so_in_one_line(tmp_path):
    """As a ZIP, or git with core.symlinks = false, leaves it: each link is a file that holds its target as text."""
    (tmp_path / "lemmata").mkdir()
    (tmp_path / "lemmata" / "__init__.py").write_text(inspect.getsource(lemmata))
    (tmp_path / "lemmata" / "bounds").write_text("../bounds")
    program = [sys.executable, "-c", "import lemmata"]
    ran = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})
    assert ran.returncode == 1
    assert "bounds must be a symbolic link, got a text file" in ran.stderr.splitlines()[-1]
    assert "git config core.symlinks true" in ran.stderr.splitlines()[-1]
