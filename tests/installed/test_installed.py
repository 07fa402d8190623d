"""The installed wheel: what it holds, work beside somebody's own `experiments`, hashes that see edits, the tutorial."""

import shutil
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from email.parser import HeaderParser
from pathlib import Path

import pytest

from lemmata.bounds.library import library
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from tests import pages
from tests.installed.conftest import Installed, backend

pytestmark = pytest.mark.slow
HERE = Path(__file__).resolve().parents[2]

# What it holds --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(distributions):
    with zipfile.ZipFile(distributions[0]) as opened:
        yield opened


def test_the_wheel_brings_one_package_and_six_dependencies(wheel):
    assert {name.partition("/")[0] for name in wheel.namelist()} == {"lemmata", "lemmata-0.2.0.dist-info"}
    about = HeaderParser().parsestr(wheel.read("lemmata-0.2.0.dist-info/METADATA").decode())
    assert len([needed for needed in about.get_all("Requires-Dist") if "extra ==" not in needed]) <= 6


@pytest.mark.parametrize("word", ["sabotage", "/tools/", "/speed/", "/vendor/", "jquery", "tests/"])
def test_the_wheel_leaves_at_home_what_measures_the_repository(wheel, word):
    assert not [name for name in wheel.namelist() if word in name]


def test_the_wheel_holds_papers_record_and_pages_as_real_files(wheel):
    names = set(wheel.namelist())
    for paper in library.house:
        assert {f"lemmata/bounds/{paper.id}/paper.toml", f"lemmata/bounds/{paper.id}/errata.csv"} <= names
    assert "lemmata/published/ledger.csv" in names and "lemmata/experiments/report/templates/index.html.j2" in names
    assert not [entry.filename for entry in wheel.infolist() if (entry.external_attr >> 28) == 0xA]  # symbolic links


def test_the_source_distribution_has_no_links_and_makes_the_same_wheel(distributions, wheel, tmp_path):
    with tarfile.open(distributions[1]) as packed:
        assert all(member.isfile() or member.isdir() for member in packed)
        packed.extractall(tmp_path, filter="data")
    with zipfile.ZipFile(backend("build_wheel", next(tmp_path.iterdir()), tmp_path / "again")) as again:
        assert sorted(again.namelist()) == sorted(wheel.namelist())
        package = [name for name in wheel.namelist() if name.startswith("lemmata/")]
        assert len(package) > 300 and all(again.read(name) == wheel.read(name) for name in package)


# Work beside folders of the same names --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """A working folder with `experiments`, `mechanisms` and `bounds` of the user's own."""
    folder = tmp_path_factory.mktemp("user")
    for name in ("experiments", "mechanisms"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("raise ImportError('the user\\'s own')\n")
    (folder / "bounds.py").write_text("raise ImportError('the user\\'s own')\n")
    before = sorted(folder.rglob("*"))
    yield folder
    assert [path for path in sorted(folder.rglob("*")) if path not in before] == []  # nothing is left where one works


WORK = """
import lemmata, numpy as np
assert lemmata.__file__.startswith({site!r}), lemmata.__file__
X = np.random.default_rng(0).normal(size=(300, 3))
y = (X[:, 0] > 0).astype(int)
model = lemmata.MarginClassifier(epsilon=1.0, delta=1e-5, classes=(0, 1), random_state=0).fit(X, y)
assert model.predict(X).shape == (300,)
search = lemmata.PrivateSearchCV(lemmata.NoisyGD(classes=(0, 1)), {{"width": [0.1, 0.3]}}, epsilon=1.0, random_state=0)
assert search.fit(X, y).predict(X).shape == (300,)
law = lambda center: lambda rng, size: rng.laplace(center, 1.0, size)
assert lemmata.audit(law(0.0), law(1.0), lemmata.PureDP(0.3), root=1, budget=20_000).verdict == "REFUTED"
accountant = lemmata.Accountant(lemmata.PureDP(1.0))
accountant.spend(lemmata.PureDP(0.5))
assert lemmata.theorems("wzw25.lemA.5")
try:
    accountant.spend(lemmata.PureDP(0.6))
except lemmata.OverBudget:
    print("works")
"""


def test_learner_search_audit_and_accountant(installed, crowded):
    assert installed.python("-c", WORK.format(site=str(installed.site)), cwd=crowded) == "works\n"


def test_importing_and_helping_load_no_numbers(installed, crowded):
    probe = (
        "import sys; print(sorted({'numpy', 'scipy', 'sklearn', 'pandas', 'joblib', 'matplotlib'} & {*sys.modules}))"
    )
    assert installed.python("-c", f"import lemmata; {probe}", cwd=crowded) == "[]\n"
    helping = "from lemmata.command.main import main; main(['--help'], standalone_mode=False)"
    told = installed.python("-c", f"{helping}; {probe}", cwd=crowded)
    assert "Commands:" in told and told.endswith("[]\n")


def test_the_published_record_is_read(installed, crowded):
    rows = installed.lemmata("ledger", "--severity", "privacy", cwd=crowded).splitlines()
    assert len(rows) >= 5 and any(row.startswith("bms22.lem3.1.s3/printed ") for row in rows)
    assert installed.lemmata("explain", "wzw25 Lemma A.5", cwd=crowded).startswith("Lemma A.5 of Wang, Zhu & Wang 2025")


def test_two_workers_decide_a_lemma_where_they_are_told(installed, crowded, tmp_path):
    out = tmp_path / "X"
    table = installed.lemmata("run", "wzw25.lemA.5", "--jobs", "2", "--out", str(out), cwd=crowded)
    assert verdicts(table) == {
        "wzw25.lemA.5/printed/mean": "HOLDS",
        "wzw25.lemA.5/printed/tail": "REFUTED",
        "wzw25.lemA.5/corrected/tail": "HOLDS",
    }
    assert [path.name for path in out.iterdir()] == ["ledger.sqlite"]


def test_places_exist(installed, crowded):
    lines = installed.lemmata("where", "wzw25.lemA.5", cwd=crowded).splitlines()
    places = {kind: place.rpartition(":") for kind, place in map(str.split, lines)}
    assert {"bound", "claim"} <= set(places)
    for path, _, number in places.values():
        assert path.startswith(str(installed.site)) and int(number) <= Path(path).read_text().count("\n")


# A paper of somebody else's, and hashes -------------------------------------------------------------------------------

PAPER = """id = "own26"
authors = ["Ada Nobody"]
title = "On Levels"
year = 2026

[contents]
"lem1" = "Lemma 1"
"lem2" = "Lemma 2"
"""

CHECK = """from fractions import Fraction

import sums

from lemmata.bounds.bms22.matrix_projection import repaired_deviations
from lemmata.paper import inequality_claim, integer, theorem


@theorem("lem1", says=r"\\sum_i i \\\\le n^2", needs=[integer("n")])
def level(*, n: int) -> int:
    '''The sum of the first n numbers, Lemma 1.'''
    return n**2


@inequality_claim(level)
def they_add_up():
    '''Every n up to 20.'''
    for n in range(1, 21):
        yield {"n": n}, sums.up_to(n), level(n=n)


@theorem("lem2", says=r"16 f(2, k, 1/2) \\\\le 20/\\sqrt{k}", needs=[integer("k")])
def deviation(*, k: int) -> float:
    '''The deviation of a projected norm, Lemma 2.'''
    return 20 / k**0.5


@inequality_claim(deviation)
def norms_stray_little():
    '''A hundred rows.'''
    yield {"k": 100}, repaired_deviations(m=2, k=100, beta=0.5)[0], deviation(k=100)
"""

SUMS = "def up_to(n):\n    return n * (n + 1) // 2\n"


def verdicts(table):
    """{row: verdict} of what `lemmata run` prints."""
    return {words[0]: words[1] for words in map(str.split, table.splitlines()) if "/" in words[0]}


@pytest.fixture
def own(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    for name, text in {"paper.toml": PAPER, "levels.py": CHECK, "sums.py": SUMS}.items():
        (folder / name).write_text(text)
    return folder


def run(wheel, folder):
    """(verdicts, code hashes in the store) of a paper's folder."""
    found = verdicts(wheel.lemmata("run", str(folder), "--jobs", "1", cwd=folder.parent))
    with sqlite3.connect(f"file:{folder / 'reports' / 'ledger.sqlite'}?mode=ro", uri=True) as store:
        hashes = set(store.execute("SELECT DISTINCT key, code FROM results"))
    store.close()
    return found, hashes


def edit(path, before, after):
    text = path.read_text()
    assert text.count(before) == 1, (path, before)
    path.write_text(text.replace(before, after))


def test_a_hash_sees_a_check_a_helper_and_an_installed_module(installed, own, tmp_path):
    site = shutil.copytree(installed.site, tmp_path / "site")
    wheel = Installed(site, tmp_path / "data")
    lem1, lem2 = "own26.lem1/printed", "own26.lem2/printed"
    first, hashes = run(wheel, own)
    assert first == {lem1: "HOLDS", lem2: "HOLDS"}
    assert run(wheel, own) == (first, hashes)  # nothing moved

    edit(own / "levels.py", "sums.up_to(n), level(n=n)", "sums.up_to(n) + n**2, level(n=n)")
    second, seen = run(wheel, own)
    assert second[lem1] != "HOLDS" and second[lem2] == "HOLDS" and {key for key, _ in seen - hashes} == {lem1}
    edit(own / "levels.py", "sums.up_to(n) + n**2", "sums.up_to(n)")
    assert run(wheel, own) == (first, seen)  # what was stored is taken up again

    edit(own / "sums.py", "n * (n + 1) // 2", "n * (n + 1)")
    third, seen_now = run(wheel, own)
    assert third[lem1] != "HOLDS" and third[lem2] == "HOLDS" and {key for key, _ in seen_now - seen} == {lem1}

    edit(own / "sums.py", "n * (n + 1)", "n * (n + 1) // 2")
    with (site / "lemmata" / "bounds" / "bms22" / "matrix_projection.py").open("a") as module:
        module.write("\nREPAIRED = 32\n")
    fourth, seen_last = run(wheel, own)
    assert fourth[lem1] == "HOLDS" and fourth[lem2] != "HOLDS" and {key for key, _ in seen_last - seen_now} == {lem2}


HASHES = """
import sys
from lemmata.experiments.engine.claims import fingerprint, registry
for key in sys.argv[1:]:
    print(key, fingerprint.hash_claim(registry.find(key)))
"""


def test_equal_code_has_equal_hashes_in_wheel_and_checkout(installed, tmp_path):
    registry.load()
    keys = []
    for paper in library.house:
        own = [key for key in CLAIMS if key.startswith(f"{paper.id}.")]
        keys += own[:: len(own) // 10][:10]
    assert len(keys) == 10 * len(library.house)
    there = installed.python("-c", HASHES, *keys, cwd=tmp_path)
    here = subprocess.run([sys.executable, "-c", HASHES, *keys], cwd=HERE, capture_output=True, text=True, check=True)
    assert len(there.splitlines()) == len(keys) and there == here.stdout


@pytest.mark.soak
def test_pages_of_a_folder_are_its_own(installed, own):
    installed.lemmata("run", ".", cwd=own)
    installed.lemmata("report", ".", cwd=own)
    pages = {path.name for path in (own / "reports" / "statements").iterdir()}
    assert pages == {"own26.lem1.html", "own26.lem2.html"}
    assert "On Levels" in (own / "reports" / "index.html").read_text()


# The tutorial: every file and every command of it, in an empty folder -------------------------------------------------

PAGE = HERE / "docs" / "your-own-theorem.md"


@pytest.fixture(scope="module")
def followed(installed, tmp_path_factory):
    """The folder in which the page ends."""
    box = tmp_path_factory.mktemp("tutorial")
    environment, folder = pages.commands(box / "bin", installed.environment, "-S"), box / "work"
    folder.mkdir()
    for block in pages.blocks(PAGE.read_text()):
        folder = pages.follow(block, folder, environment)
    return folder


def test_from_an_empty_folder_to_pages_and_tests(followed):
    paper = followed / "signs"
    assert {path.name for path in paper.glob("*.csv")} == {"accepted.csv", "ledger.csv", "numbers.csv", "errata.csv"}
    assert "On Sums of Signs" in (paper / "reports" / "index.html").read_text()


def test_the_package_that_it_ends_with_is_found_by_its_entry_point(followed, installed, tmp_path):
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index"]
    pip += ["--no-build-isolation", "--target", str(tmp_path / "site"), str(followed)]
    subprocess.run(pip, check=True, capture_output=True)
    brought = replace(installed, more=tmp_path / "site", data=tmp_path / "data")
    assert "signs.lem1/printed   HOLDS, asserted" in brought.lemmata("explain", "signs.lem1", cwd=tmp_path)
    told = brought.lemmata("run", "signs.lem2", "--jobs", "1", cwd=tmp_path)
    assert "signs.lem2/printed    REFUTED" in told and "signs.lem2/corrected  HOLDS" in told
    assert not list((tmp_path / "site" / "signs").glob("reports/*"))
    assert "Lemma 1 held wherever we tried it" in brought.lemmata("explain", "signs", "Lemma 1", cwd=tmp_path)
    own = brought.lemmata("run", "lem1", "--jobs", "1", cwd=followed / "signs")  # whose author has it installed, too
    assert "signs.lem1/printed  HOLDS" in own
