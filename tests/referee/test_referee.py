"""The referee: another folder, another process, another seed, and a page that says what each row stands on."""

import html
import json
import re

import pytest

from lemmata.experiments.referee.isolation import hash_files, hash_versions, list_files
from tests.conformance.conftest import Folder, folder  # noqa: F401  one is a fixture

MORE = '''"""More of the example: a number that nothing notices, and what the process inherits."""

import os

from lemmata.paper import inequality_claim, integer, tail_claim, theorem, grid

assert "AUTHORS_OWN" not in os.environ, "the author's shell"


@theorem("lem2", says=r"n \\le 40 n", needs=[integer("n")])
def plenty(*, n: int) -> int:
    """Far more than n."""
    return 40 * n


@inequality_claim(plenty, caught=(1000,), note=f"root {os.getcwd()[:0]}")
def far_below():
    """Two numbers."""
    for n in (1, 2):
        yield {"n": n}, n, plenty(n=n)


@theorem("lem3", says=r"n \\le n", needs=[integer("n")])
def itself(*, n: int) -> int:
    """n itself.

    Derivation. Each n is at most n, since n = n + 0 <= n by the order of the numbers.
    """
    return n


@inequality_claim(itself)
def repeats():
    """Both sides are the statement."""
    for n in range(1, 9):
        yield {"n": n}, itself(n=n), itself(n=n)


@theorem("lem4", says=r"P(U > 1 - beta) \\le 2 beta", needs=[integer("n")])
def level(*, n: int) -> float:
    """The level, of no use but as a level.

    >>> level(n=2)
    0.75
    """
    return 1 - 0.5 / n


@tail_claim(level, quick=grid(n=[2, 3]), bound=0.5)
def exceeds(rng, size, *, n, factor=1):
    """A uniform number exceeds its level."""
    return rng.random(size) > level(n=n) / factor
'''
TOML = {"[contents]": '[contents]\n"lem2" = "Lemma 2"\n"lem3" = "Lemma 3"\n"lem4" = "Lemma 4"'}
REASON = "the lemma is generous"


@pytest.fixture(scope="module")
def refereed(tmp_path_factory):
    """(the folder, what a referee prints, the page)."""
    box = tmp_path_factory.mktemp("refereed")
    made = Folder(box / "odd")
    made.lemmata("new-paper", "odd", cwd=box)
    (made / "more.py").write_text(MORE)
    made.edit("paper.toml", "[contents]", TOML["[contents]"])
    made.edit("paper.toml", "[expected]", f'[expected]\n"lem2/printed:numbers" = "{REASON}"')
    made.edit("paper.toml", 'checked_by = ["First Last"]', 'checked_by = ["Ada Nobody"]')
    assert made.lemmata("accept").returncode == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTHORS_OWN", "1")
        done = made.lemmata("referee", "odd", cwd=box)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    return made, done.stdout, (box / "referee-odd.html").read_text()


def describe(printed, key):
    """{fact: text} of one row of what is printed."""
    block = next(block for block in printed.split("\n\n") if block.startswith(f"{key} "))
    joined = re.sub(r"\n {18}(?=\S)", " ", block)
    return dict(re.findall(r"^  ([a-z ]+?)  +(.*)$", joined, re.M)) | {"": block.splitlines()[0]}


@pytest.mark.slow
def test_a_page_says_what_each_row_stands_on(refereed):
    _, said, page = refereed
    searched = "10,000 settings of the engine's own choice; largest left/right 1 at n = 10"
    expected = {
        ("lem1/printed", ""): "odd.lem1/printed  REFUTED, wrong constant",
        ("lem1/corrected", "oracle"): "the left side is the check's own code",
        ("lem1/corrected", "author listed"): "50 settings: n from 1 to 50",
        ("lem1/corrected", "prose"): "Derivation. 2i - 1 = i² - (i - 1)², and the sum telescopes.",
        ("lem2/printed", "author listed"): "n = 1; n = 2",
        ("lem3/printed", "oracle"): "both sides call the statement",
        ("lem4/printed", "oracle"): "sampled by the check's own trial",
        ("lem4/printed", "engine tried"): "nothing: the row is sampled",
    }
    assert {(key, fact): describe(said, f"odd.{key}")[fact] for key, fact in expected} == expected
    assert describe(said, "odd.lem1/corrected")["engine tried"].startswith(searched[:70])
    assert re.search(f"notices 40 in 40 \\* n, .*{REASON}", describe(said, "odd.lem2/printed")["explained"])
    assert all(text in html.unescape(page) for text in (REASON, searched[:45], *list(expected.values())[1:3]))


@pytest.mark.slow
def test_a_page_is_signed_by_its_files_and_names_their_author(refereed):
    made, said, page = refereed
    code = hash_files(made.path)
    assert f"sha256:{code}" in said and f"sha256:{code}" in page
    assert f"seed      {int(code[:12], 16)}" in said, "no seed of the author's"
    machine = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', page, re.S)[1])
    assert machine["author"] == [{"@type": "Person", "name": "Ada Nobody"}]
    assert "author = {Nobody, Ada}" in page.replace("&#34;", '"') and "The Lemmata authors" not in page
    assert str(made.path.parent) not in page and "lemmata-referee-" not in page
    assert '<link rel="stylesheet"' not in page and "<script src" not in page, "one file, to be sent"
    assert not (made / "reports" / "referee.sqlite").exists() and hash_files(made.path) == code


@pytest.mark.slow
def test_two_runs_make_the_same_page(folder, tmp_path):  # noqa: F811
    """Whatever the number of processes and the place of the folder."""
    assert folder.lemmata("referee", ".", "--out", tmp_path / "a", "--jobs", 2).returncode == 1
    folder.path.rename(tmp_path / "moved")
    other = folder.lemmata("referee", "moved", "--out", tmp_path / "b", "--jobs", 1, cwd=tmp_path)
    one, two = (next((tmp_path / name).iterdir()).read_bytes() for name in "ab")
    assert other.returncode == 1 and one == two


@pytest.mark.slow
def test_a_mistake_is_one_line_with_the_place_in_the_author_s_folder(folder, tmp_path):  # noqa: F811
    done = folder.lemmata("referee", tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        f"lemmata: FOLDER must be a folder with a paper.toml, got {tmp_path}\n",
    )
    with (folder / "odd_numbers.py").open("a") as file:
        file.write("\nSUM = 1 / 0\n")
    done = folder.lemmata("referee", folder.path)
    assert done.returncode == 2 and f"{folder.path}/odd_numbers.py:" in done.stderr.splitlines()[-1]
    folder.edit("paper.toml", "[contents]", 'packages = ["json"]\n[contents]')
    done = folder.lemmata("referee", folder.path)
    assert done.returncode == 2 and "packages in paper.toml must be left out" in done.stderr


def test_what_is_signed_is_every_file_and_nothing_else(tmp_path):
    for name in ("a.py", "b/c.csv", "b/reports/d", ".git/x", "__pycache__/a.pyc", "reports/e", "b/f.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    (tmp_path / "linked").symlink_to(tmp_path / "b")
    assert list_files(tmp_path) == ["a.py", "b/c.csv", "b/reports/d"]
    before = hash_files(tmp_path)
    (tmp_path / "reports" / "e").write_text("another run")
    assert hash_files(tmp_path) == before
    (tmp_path / "a.py").rename(tmp_path / "a2.py")
    renamed = hash_files(tmp_path)
    (tmp_path / "a2.py").write_text("a.pz")
    assert len({before, renamed, hash_files(tmp_path)}) == 3
    assert hash_versions(["a==1", "b==2"]) != hash_versions(["a==1", "b==3"])
