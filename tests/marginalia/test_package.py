"""`import marginalia`: cheap, complete, and as it says of itself."""

import ast
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import marginalia

SOURCE = Path(marginalia.__file__).read_text()


def test_every_name_is_there_and_documented():
    assert set(marginalia.__all__) <= set(dir(marginalia)) and len(set(marginalia.__all__)) == len(marginalia.__all__)
    for name in marginalia.__all__:
        assert inspect.getdoc(getattr(marginalia, name)), name
    assert marginalia.__version__ and all(f"{name}" in SOURCE for name in marginalia.__all__)


def test_what_is_typed_is_what_is_there():
    """Type checkers read the imports below TYPE_CHECKING; they name the same things from the same homes."""
    (block,) = [node for node in ast.parse(SOURCE).body if isinstance(node, ast.If)]
    typed = {a.asname: n.module for n in block.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert typed == marginalia._HOME


def test_importing_it_imports_nothing_heavy():
    probe = "import sys, marginalia; print([m for m in ('numpy', 'sklearn', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_teaches_it():
    text = pydoc.render_doc(marginalia, renderer=pydoc.plaintext)
    assert "MarginClassifier(epsilon=1.0" in text and "rows_needed" in text


def test_an_unknown_name_points_to_the_known_ones():
    with pytest.raises(AttributeError, match=r"dir\(marginalia\)"):
        marginalia.learn  # noqa: B018


def test_theorems_are_found_by_the_beginning_of_their_id():
    everything = marginalia.theorems()
    assert len(everything) > 400 and {t.paper for t in everything} == {"abgmu22", "bms22", "rbht09", "wzw25"}
    assert {t.key for t in marginalia.theorems("wzw25.lemA.5")} >= {"wzw25.lemA.5/printed/tail"}
    assert not any(t.id.startswith("wzw25.lem6.40") for t in marginalia.theorems("wzw25.lem6.4"))
    with pytest.raises(ValueError, match="begins no id"):
        marginalia.theorems("wzw26")


def test_a_figure_is_drawn(tmp_path):
    paths = marginalia.figure("wzw25.lemA.5/printed/mean", tmp_path)
    assert [path.name for path in paths] == ["wzw25.lemA.5_printed_mean-0.svg"]
    assert paths[0].read_text().startswith("<svg")
    for kind, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        (path,) = marginalia.figure("wzw25.lemA.5/printed/mean", tmp_path, kind=kind)
        assert path.suffix == f".{kind}" and path.read_bytes().startswith(magic)
    with pytest.raises(ValueError, match="kind = 'gif' is not one of svg, png, pdf"):
        marginalia.figure("wzw25.lemA.5", kind="gif")
