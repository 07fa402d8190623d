"""Imports flow one way, and nowhere in a circle: the contracts of pyproject.toml, and what they leave to the papers."""

import copy
import graphlib
import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
PACKAGES = ["bounds", "mechanisms", "experiments", "command"]

(
    LAYERS, CIRCLE, BOUNDS, MECHANISMS, LEARNERS, AUDIT, ALONE, AUDITOR, ENGINE, INSTANCES, LABORATORY, COMMONS,
    PRODUCT, COMMAND, CLAIM,
) = (contract["name"] for contract in CONTRACTS)  # fmt: skip  # in the order of pyproject.toml

# importing module, what it must not import, the contract that forbids it
VIOLATIONS = [
    ("bounds.exact.x", "import lemmata.mechanisms.law", LAYERS),
    ("bounds.theorem", "from lemmata.experiments.engine.claims import claim", LAYERS),
    ("mechanisms.law", "import lemmata.experiments.engine.claims.claim", LAYERS),
    ("mechanisms.audit.play.x", "import lemmata.experiments.engine.claims.claim", LAYERS),
    ("experiments.report", "import lemmata.command.x", LAYERS),
    ("command.x", "def f():\n    import lemmata.tools.x", LAYERS),
    ("lab", "from lemmata.bounds import theorem", LAYERS),
    ("stray", "import lemmata.command.x", LAYERS),  # a module that stands on no floor
    ("bounds.exact.x", "import lemmata.bounds.exact.y", CIRCLE),
    ("bounds.exact.x", "def f():\n    from lemmata.bounds.exact import y", CIRCLE),
    ("bounds.paper1.x", "import lemmata.bounds.paper2.x", CIRCLE),
    ("bounds.exact.x", "import lemmata.bounds.theorem", BOUNDS),
    ("bounds.catalogue.x", "import lemmata.bounds.statement.x", BOUNDS),
    ("bounds.statement.x", "def f():\n    import lemmata.bounds.theorem", BOUNDS),
    ("mechanisms.numerics.x", "import lemmata.mechanisms.privacy.x", MECHANISMS),
    ("mechanisms.privacy.x", "import lemmata.mechanisms.law", MECHANISMS),
    ("mechanisms.noise.x", "def f():\n    import lemmata.mechanisms.selection.x", MECHANISMS),
    ("mechanisms.features.x", "import lemmata.mechanisms.noise.x", MECHANISMS),
    ("mechanisms.solvers.x", "import lemmata.mechanisms.noise.x", MECHANISMS),
    ("mechanisms.tables.x", "import lemmata.mechanisms.selection.x", MECHANISMS),
    ("mechanisms.selection.x", "import lemmata.mechanisms.learners.erm.x", MECHANISMS),
    ("mechanisms.learners.erm.x", "import lemmata.mechanisms.estimators.x", MECHANISMS),
    ("mechanisms.stray", "", MECHANISMS),  # a module that is in no room
    ("mechanisms.learners.erm.x", "import lemmata.mechanisms.learners.descent.x", LEARNERS),
    ("mechanisms.learners.covers.x", "def f():\n    import lemmata.mechanisms.learners.glm.x", LEARNERS),
    ("mechanisms.audit.evidence.x", "import lemmata.mechanisms.audit.neighbours.x", AUDIT),
    ("mechanisms.audit.subjects.x", "import lemmata.mechanisms.audit.play.x", AUDIT),
    ("mechanisms.audit.play.x", "def f():\n    import lemmata.mechanisms.audit.front.x", AUDIT),
    ("mechanisms.audit.subjects.x", "import lemmata.mechanisms.law", ALONE),
    ("mechanisms.audit.front.x", "def f():\n    import lemmata.mechanisms.estimators.x", ALONE),
    ("experiments.engine.ground.x", "import lemmata.experiments.engine.claims.claim", ENGINE),
    ("experiments.engine.running.x", "def f():\n    import lemmata.experiments.engine.ledger.x", ENGINE),
    ("experiments.engine.ledger.x", "import lemmata.experiments.engine.front.x", ENGINE),
    ("experiments.instances.laws.x", "import lemmata.experiments.instances.datasets.x", INSTANCES),
    ("experiments.instances.classes.x", "import lemmata.experiments.instances.pairs.x", INSTANCES),
    ("mechanisms.law", "import lemmata.mechanisms.audit.play.x", AUDITOR),
    ("mechanisms.estimators.x", "def f():\n    from lemmata.mechanisms.audit.front.x import g", AUDITOR),
    ("experiments.engine.ground.x", "import lemmata.experiments.checks.x", LABORATORY),
    ("experiments.checks.x", "import lemmata.experiments.instances.laws.x", LABORATORY),
    ("experiments.instances.laws.x", "import lemmata.experiments.comparison", LABORATORY),
    ("experiments.figures", "import lemmata.experiments.report", LABORATORY),
    ("experiments.data", "import lemmata.experiments.report", LABORATORY),
    ("experiments.comparison", "import lemmata.experiments.audits", LABORATORY),
    ("experiments.paper1.x", "import lemmata.experiments.conformance.x", LABORATORY),
    ("experiments.audits", "def f():\n    import lemmata.experiments.report", LABORATORY),
    ("experiments.sample_sizes", "import lemmata.experiments.report", LABORATORY),
    ("experiments.benchmark", "import lemmata.experiments.report", LABORATORY),
    ("experiments.report", "import lemmata.experiments.referee.page", LABORATORY),
    ("bounds.theorem", "import pandas", PRODUCT),
    ("bounds.exact.x", "def f():\n    import statsmodels.api", PRODUCT),
    ("mechanisms.law", "from matplotlib import pyplot", PRODUCT),
    ("mechanisms.law", "from joblib import Parallel", PRODUCT),
    ("mechanisms.audit.play.x", "from tqdm import tqdm", PRODUCT),
    ("experiments.examples.commons.y", "def f():\n    import lemmata.mechanisms.law", COMMONS),
    ("mechanisms.law", "import click", PRODUCT),
    ("command.x", "def f():\n    import tqdm", COMMAND),
    ("experiments.engine.claims.claim", "import pandas", CLAIM),
    ("experiments.checks.x", "import statsmodels.api", CLAIM),
    ("experiments.instances.laws.x", "from lemmata.experiments.engine.claims.claim import x\nimport joblib", CLAIM),
]

# a lawful house of two papers: every room, and what it imports
HOUSE = {
    "lab": "",
    "bounds/exact/x": "import numpy",
    "bounds/exact/y": "import lemmata.bounds.exact.x",
    "bounds/catalogue/x": "",
    "bounds/statement/x": "import lemmata.bounds.catalogue.x\nimport lemmata.bounds.exact.y",
    "bounds/library": "import lemmata.bounds.catalogue.x",
    "bounds/theorem": "import lemmata.bounds.statement.x",
    "bounds/paper1/x": "import lemmata.bounds.theorem\nimport lemmata.bounds.exact.y",
    "bounds/paper2/x": "import lemmata.bounds.paper1.x",
    "mechanisms/numerics/x": "import lemmata.bounds.paper2.x",
    "mechanisms/privacy/x": "import lemmata.mechanisms.numerics.x",
    "mechanisms/law": "import lemmata.mechanisms.privacy.x",
    "mechanisms/noise/x": "import lemmata.mechanisms.law",
    "mechanisms/features/x": "import lemmata.mechanisms.law",
    "mechanisms/solvers/x": "import lemmata.mechanisms.law",
    "mechanisms/selection/x": "import lemmata.mechanisms.noise.x",
    "mechanisms/tables/x": "import lemmata.mechanisms.noise.x",
    "mechanisms/learners/descent/x": "import lemmata.mechanisms.selection.x",
    "mechanisms/learners/erm/x": "import lemmata.mechanisms.solvers.x",
    "mechanisms/learners/covers/x": "import lemmata.mechanisms.features.x",
    "mechanisms/learners/statistics/x": "import lemmata.mechanisms.tables.x",
    "mechanisms/learners/glm/x": "import lemmata.mechanisms.learners.descent.x",
    "mechanisms/estimators/x": "import lemmata.mechanisms.learners.glm.x\nimport lemmata.mechanisms.tables.x",
    "mechanisms/hardening": "import lemmata.mechanisms.estimators.x",
    "mechanisms/audit/neighbours/x": "import lemmata.mechanisms.numerics.x",
    "mechanisms/audit/evidence/x": "import lemmata.mechanisms.privacy.x",
    "mechanisms/audit/subjects/x": "import lemmata.mechanisms.audit.evidence.x",
    "mechanisms/audit/play/x": "import lemmata.mechanisms.audit.subjects.x",
    "mechanisms/audit/front/x": "import lemmata.mechanisms.audit.play.x",
    "experiments/engine/ground/x": "",
    "experiments/engine/claims/claim": "import lemmata.experiments.engine.ground.x",
    "experiments/engine/search/x": "import lemmata.experiments.engine.claims.claim",
    "experiments/engine/running/x": "import lemmata.experiments.engine.search.x",
    "experiments/engine/witness/x": "import lemmata.experiments.engine.running.x",
    "experiments/engine/ledger/x": "import lemmata.experiments.engine.witness.x",
    "experiments/engine/front/x": "import lemmata.experiments.engine.ledger.x",
    "experiments/checks/x": "import lemmata.experiments.engine.claims.claim",
    "experiments/instances/laws/x": "import lemmata.experiments.checks.x",
    "experiments/instances/datasets/x": "",
    "experiments/instances/classes/x": "import lemmata.experiments.instances.datasets.x",
    "experiments/instances/pairs/x": "import lemmata.experiments.instances.classes.x",
    "experiments/data": "import pandas",
    "experiments/figures": "import matplotlib",
    "experiments/paper1/x": "import lemmata.experiments.instances.pairs.x",
    "experiments/paper2/x": "import lemmata.experiments.paper1.x",
    "experiments/comparison": "import lemmata.experiments.paper2.x",
    "experiments/audits": "import lemmata.experiments.comparison",
    "experiments/examples/x": "import lemmata.experiments.figures",
    "experiments/examples/commons/x": "import lemmata.paper",
    "experiments/sample_sizes": "import lemmata.experiments.instances.x",
    "experiments/benchmark": "import lemmata.experiments.paper2.x",
    "experiments/report": "import lemmata.experiments.audits\nimport lemmata.experiments.sample_sizes",
    "experiments/conformance/x": "import lemmata.experiments.paper2.x",
    "experiments/referee/x": "import lemmata.experiments.report\nimport lemmata.experiments.conformance.x",
    "command/x": "def f():\n    import lemmata.experiments.referee.x",
    "tools/x": "import lemmata.command.x",
    "__main__": "import lemmata.command.x",
    "paper": "import lemmata.command.x",
    "pytest_plugin": "def f():\n    import lemmata.experiments.conformance.x",
}


def lint(tree):
    """Run the contracts over the packages that stand in `tree`."""
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def small_tree(tmp_path):
    """A lawful tree under our contracts: every room, imported in the allowed direction."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module, source in HOUSE.items():
        path = (tmp_path / "lemmata" / module).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source + "\n")
    for folder in [tmp_path / "lemmata", *(f for f in tmp_path.glob("lemmata/**/*") if f.is_dir())]:
        (folder / "__init__.py").touch()
    return tmp_path


def test_our_imports_keep_the_contracts():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_lawful_tree_keeps_the_contracts(small_tree):
    done = lint(small_tree)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("module", "source", "contract"), VIOLATIONS)
def test_a_forbidden_import_is_caught(small_tree, module, source, contract):
    """Negative control: contracts that cannot break guard nothing."""
    (small_tree / "lemmata" / module.replace(".", "/")).with_suffix(".py").write_text(source + "\n")
    done = lint(small_tree)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{contract} BROKEN" in done.stdout


def test_every_contract_is_broken_once():
    assert {contract["name"] for contract in CONTRACTS} == {contract for *_, contract in VIOLATIONS}


def graph_of(package):
    """Who imports whom, in functions too; what only type checkers import does not count."""
    return grimp.build_graph(package, exclude_type_checking_imports=True, cache_dir=None)


def circle(graph):
    """Modules that import each other in a circle, if there is one: the first of them comes again at the end."""
    # A module that imports itself, for its own text, is no circle.
    imports = {module: graph.find_modules_directly_imported_by(module) - {module} for module in graph.modules}
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


@pytest.fixture(scope="module")
def house():
    return graph_of("lemmata")


def test_no_modules_import_each_other(house):
    assert circle(house) == []


def test_a_circle_is_found(tmp_path, monkeypatch):
    """Negative control: three modules, one import in a function, and a package that imports its own module."""
    folder = tmp_path / "roundabout"
    folder.mkdir()
    sources = {
        "__init__": "",
        "a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from roundabout import d\n",
        "b": "from roundabout import a, c",
        "c": "def f():\n    from roundabout.d import g\n",
        "d": "import roundabout.a, roundabout.b",
    }
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    assert {*circle(graph_of("roundabout"))} == {f"roundabout.{x}" for x in "bcd"}  # `a` asks for types only


def floors(container):
    """The rooms of every floor of a package, from the top, as its contract lists them."""
    (contract,) = [c for c in CONTRACTS if c["type"] == "layers" and c["containers"] == [container]]
    return [[room.strip(" ()") for room in re.split("[:|]", floor)] for floor in contract["layers"]]


PAPERS_STAND = "each-paper"


def misplaced(graph):
    """What the contracts on floors cannot say, as sentences: the papers' place among the rooms.

    A paper is a folder below bounds or experiments that is no room. It is imported by papers and from above only, and
    imports from below; what is neither a room nor a paper stands nowhere.
    """
    found = []
    for container in ("lemmata.bounds", "lemmata.experiments"):
        plan = floors(container)
        line = plan.index([PAPERS_STAND])
        floor = {f"{container}.{room}": number for number, rooms in enumerate(plan) for room in rooms}
        children = graph.find_children(container)
        papers = {child for child in children - set(floor) if graph.find_children(child)}
        found += [f"{child} is neither a room nor a paper" for child in children - papers - set(floor)]
        floor |= dict.fromkeys(papers, line)
        for importer in floor.keys() & children:
            for imported in floor.keys() & children:
                if line in (floor[importer], floor[imported]) and floor[importer] > floor[imported]:
                    links = graph.find_shortest_chains(importer, imported, as_packages=True)
                    found += [f"{chain[0]} imports {chain[1]}" for chain in sorted(links)]
    return found


def test_papers_stand_between_the_rooms(house):
    assert misplaced(house) == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("lemmata.experiments.engine.claims.claim", "lemmata.experiments.wzw25.margin_grid"),
        ("lemmata.experiments.instances.datasets.points", "lemmata.experiments.rbht09.hinge_dual"),
        ("lemmata.experiments.checks.order", "lemmata.experiments.abgmu22.rates"),
        ("lemmata.experiments.figures.claims", "lemmata.experiments.abgmu22.rates"),
        ("lemmata.experiments.wzw25.margin_grid", "lemmata.experiments.comparison.table"),
        ("lemmata.experiments.bms22.dp_erm", "lemmata.experiments.report.site"),
        ("lemmata.bounds.exact.balls", "lemmata.bounds.bms22.dp_erm"),
        ("lemmata.bounds.theorem", "lemmata.bounds.wzw25.margins"),
        ("lemmata.bounds.statement.verdicts", "lemmata.bounds.wzw25.margins"),
    ],
)
def test_a_paper_in_the_wrong_place_is_found(house, importer, imported):
    """Negative control."""
    planted = copy.deepcopy(house)
    planted.add_import(importer=importer, imported=imported)
    assert f"{importer} imports {imported}" in misplaced(planted)


def test_a_module_that_stands_nowhere_is_found(house):
    planted = copy.deepcopy(house)
    planted.add_module("lemmata.experiments.attic")
    assert misplaced(planted) == ["lemmata.experiments.attic is neither a room nor a paper"]


def test_a_papers_checks_stand_beside_its_bounds(house):
    """So a room of the laboratory that nobody planned is not taken for a paper."""
    rooms = {f"lemmata.experiments.{room}" for rooms in floors("lemmata.experiments") for room in rooms}
    papers = {child.rpartition(".")[2] for child in house.find_children("lemmata.experiments") - rooms}
    assert papers == {path.parent.name for path in (ROOT / "bounds").glob("*/paper.toml")}


def test_the_linted_packages_are_these_sources():
    """The editable install points here, so what was linted is what is tested."""
    for room in PACKAGES:
        assert Path(importlib.import_module(f"lemmata.{room}").__file__).parents[1] == ROOT / "lemmata"


def test_nothing_imports_by_a_bare_name():
    """`import bounds` would find whatever folder of that name a user works in."""
    bare = re.compile(r"(from|import) (bounds|mechanisms|experiments|tools)(\.[a-z]| import )")  # in witnesses too
    for folder in ("bounds", "mechanisms", "experiments", "tools", "lemmata", "tests"):
        assert not [path for path in (ROOT / folder).rglob("*.py") if bare.search(path.read_text())]
