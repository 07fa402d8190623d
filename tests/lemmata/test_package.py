"""`import lemmata`: cheap, complete, annotated as `py.typed` promises, and as it says of itself."""

import dataclasses
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import lemmata
from lemmata import paper
from lemmata.experiments.engine.claims.claim import Claim, describe_keywords
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
    assert len(everything) > 400 and {t.paper for t in everything} >= {"abgmu22", "bms22", "rbht09", "wzw25"}
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


def unannotated(function):
    """The parameters without a type, and "return" where the result has none."""
    signature = inspect.signature(function)
    bare = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")]
    return bare + ["return"] * (signature.return_annotation is signature.empty)


def methods(thing):
    """A function itself, or the public methods of a class, our own ones."""
    if inspect.isfunction(thing):
        return {thing.__qualname__: thing}
    found = inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else []
    return {f.__qualname__: f for name, f in found if f.__module__.startswith("lemmata.") and not name.startswith("__")}


@pytest.mark.parametrize("name", sorted(lemmata.__all__))
def test_what_is_handed_out_is_annotated(name):
    assert {at: missing for at, f in methods(getattr(lemmata, name)).items() if (missing := unannotated(f))} == {}


def test_what_is_not_annotated_is_found():
    """Negative control."""

    class Half:
        def typed(self, x: int) -> int:
            return x

        def bare(self, x, y: int = 0) -> int:
            return x

    Half.typed.__module__ = Half.bare.__module__ = "lemmata.half"
    assert [unannotated(f) for f in methods(Half).values()] == [["x"], []]
    assert unannotated(lambda x: x) == ["x", "return"]


def test_one_marker_speaks_for_the_package():
    root = Path(lemmata.__file__).parent
    assert (root / "py.typed").is_file()
    assert not [folder for folder in ("bounds", "mechanisms", "experiments") if (root / folder / "py.typed").exists()]


def test_every_keyword_of_a_claim_is_described():
    said_otherwise = {"theorem", "style", "trial", "law", "attack"}  # in the name of the decorator, or by attack_claim
    heads = [line[4:20] for line in describe_keywords().splitlines() if line[4:5].islower() or line[4:5] == " "]
    described = set(",".join(heads).replace(" ", "").split(",")) - {""}
    assert described == {field.name for field in dataclasses.fields(Claim)} - said_otherwise
    assert describe_keywords() in paper.__doc__
