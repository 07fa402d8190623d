"""The documentation is true: what it shows runs, its page of algorithms leaves none out, and it is built as a whole."""

import csv
import importlib
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest

import lemmata
from lemmata.bounds.library import library
from lemmata.experiments.engine.claims.verdict import REASONS
from lemmata.mechanisms import hardening
from tests.house.test_words import met

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = DOCS / "tutorial" / "tutorial.md"
EXAMPLES = sorted((DOCS / "gallery").glob("plot_*.py"))
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
REASON = re.compile(f"`({'|'.join(REASONS)})`")  # as the ledger stores them
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("tutorial/*.md"), *DOCS.glob("notebooks/*.md")])


def cells(path):
    """The programs of a page or a notebook, in their order; lines for a notebook's own machinery are left out."""
    if path.suffix == ".py":
        return [path.read_text(encoding="utf-8")]
    if path.suffix == ".md":
        return re.findall(r"^```\{code-cell\} python\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
    made = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = [[line for line in cell["source"] if line[:1] != "%"] for cell in made if cell["cell_type"] == "code"]
    return ["".join(each) for each in lines]


def run(path, monkeypatch):
    """Do what a page says in its folder, in one namespace, without a screen; returns the namespace."""
    from matplotlib import pyplot

    pyplot.switch_backend("Agg")
    monkeypatch.chdir(path.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(DOCS.parent), os.environ.get("PYTHONPATH", "")]))
    space = {"__name__": "__main__"}
    for i, cell in enumerate(cells(path)):
        exec(compile(cell, f"{path.name}:{i}", "exec"), space)
    pyplot.close("all")
    return space


@pytest.mark.slow
@pytest.mark.parametrize("path", [*EXAMPLES, *NOTEBOOKS], ids=lambda path: path.stem)
def test_examples_and_notebooks_run(path, monkeypatch):
    run(path, monkeypatch)


@pytest.mark.slow
def test_the_tutorial_ends_where_it_says(monkeypatch, capsys):
    space = run(TUTORIAL, monkeypatch)
    said = capsys.readouterr().out
    assert [label for label, _ in space["again"].history] == ["MarginClassifier", "PrivateScaler", "PrivateSearchCV"]
    assert space["account"].budget == lemmata.ApproxDP(2.0, 1e-5)
    assert said.count("REFUTED") == 1 and "AUDIT_ONLY" in said and f"Lemmata {lemmata.__version__}" in said


def test_the_gallery_is_of_ten_short_examples():
    assert len(EXAMPLES) == 10 and len(NOTEBOOKS) == 2
    for path in EXAMPLES:
        assert path.read_text(encoding="utf-8").count("\n") < 40, path.name
    order = re.search(r'^ORDER = "([^"]*)"', (DOCS / "conf.py").read_text(encoding="utf-8"), re.M)[1].split()
    assert {path.stem.removeprefix("plot_") for path in EXAMPLES} == set(order)


def test_notebooks_are_kept_without_what_they_print():
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert cell["cell_type"] != "code" or (cell["outputs"] == [] and cell["execution_count"] is None)


def test_the_patients_are_those_of_the_program():
    spec = importlib.util.spec_from_file_location("patients", DOCS / "tutorial" / "patients.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    pd.testing.assert_frame_equal(pd.read_csv(made.FILE), made.patients(), check_dtype=False, rtol=1e-12)


def test_the_reference_names_all_that_lemmata_hands_out(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    made = importlib.import_module("generated_pages").reference()
    named = set(re.findall(r"^   (\w+)$", made, re.M)) - {"algorithms", "modules", "statements"}
    assert named == set(lemmata.__all__) - {"bounds", "mechanisms"}


@pytest.mark.parametrize("path", [*PAGES, *EXAMPLES], ids=lambda path: path.stem)
def test_pages_speak_plainly(path):
    assert met(REASON.sub("", path.read_text(encoding="utf-8"))) == []


# Built ---------------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a page loads and where it leads, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = {"", "top"}, set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[name] for name in ("id", "name") if attrs.get(name)}
        self.links |= {attrs["href"]} if tag == "a" and attrs.get("href") else set()
        outer = attrs.get("rel") in ("canonical", "next", "prev")
        self.loads |= {attrs[name] for name in ("src", "href") if attrs.get(name) and tag != "a" and not outer}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The documentation, built anew with every warning an error, into a folder of its own."""
    pytest.importorskip("sphinx_gallery", reason="`make docs` installs what builds the documentation")
    folder = tmp_path_factory.mktemp("reports") / "docs"
    build = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "-d", str(folder.parent / "trees")]
    done = subprocess.run([*build, str(DOCS), str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_what_is_built_is_whole_and_needs_no_network(built):
    """Every link leads to a page and an anchor of it; nothing is loaded from elsewhere; there is room for the site."""
    found = {path: Page(path) for path in built.rglob("*.html") if "_static" not in path.parts}
    assert len(found) > 100
    for path, page in found.items():
        loads = {one for one in page.loads if re.match(r"(https?:)?//", one)}
        assert not loads, (path.name, loads)
        for link in {one for one in page.links | page.loads if not re.match(r"[a-z]+:", one)}:
            file, _, anchor = unquote(link).partition("#")
            target = (path.parent / file.partition("?")[0]).resolve() if file else path
            assert target.is_file(), (path.name, link)
            assert target not in found or anchor in found[target].anchors, (path.name, link)
    assert (
        sum(path.stat().st_size for path in built.rglob("*") if path.is_file()) < 7_500_000
    )  # of the 15 million of the site


with (DOCS / "algorithms.csv").open(newline="", encoding="utf-8") as file:
    LISTED = list(csv.DictReader(file))


@pytest.mark.parametrize("one", LISTED, ids=lambda one: f"{one['paper']} {one['algorithm']}")
def test_an_algorithm_is_a_documented_function_of_a_known_statement(one):
    home, name = f"lemmata.mechanisms.{one['function']}".rsplit(".", 1)
    function = getattr(importlib.import_module(home), name)
    assert inspect.getdoc(function) and function.__module__ == home
    assert f"{one['paper']}.{one['statement']}" in library.ids
    assert not one["estimator"] or inspect.getdoc(getattr(lemmata, one["estimator"]))


def test_what_is_released_is_in_the_table_of_what_is_exact():
    """But for the solver of a support vector machine and the features of a kernel, which release nothing."""
    listed = {
        one["function"].split(".")[-2] for one in LISTED if not one["function"].endswith((".solve", ".projected"))
    }
    assert listed <= {law for line in hardening.TABLE for law in line.laws}
    assert {one["estimator"] for one in LISTED} - {""} <= {one.name for one in hardening.ESTIMATORS}
    assert len(LISTED) == 24


def test_every_numbered_algorithm_is_listed_once():
    """As many as the papers number: 6, 6, 3 and 1."""
    numbers = {"wzw25": 6, "bms22": 6, "rbht09": 3, "abgmu22": 1}
    assert numbers.keys() == {paper.id for paper in library.house}
    for paper, last in numbers.items():
        found = [one["algorithm"].split(" (")[0] for one in LISTED if one["paper"] == paper]
        numbered = [name for name in found if name.startswith("Algorithm ")]
        assert numbered == [f"Algorithm {number}" for number in range(1, last + 1)]


def test_the_page_names_all_of_them(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    page = importlib.import_module("generated_pages").algorithms()
    assert all(f"`{one['function']}`" in page for one in LISTED) and "lemmata.mechanisms.law.fit" in page
