"""A paper's folder is a stranger's: nothing in it makes a page act, and nothing leads out of it."""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from lemmata.bounds.catalogue.paper_file import PaperError, clean_text, read, read_table
from lemmata.experiments.engine.ground.files import read_toml
from lemmata.experiments.engine.ledger.curves import Picture
from lemmata.experiments.figures.claims import plot_picture
from lemmata.experiments.figures.style import svg
from lemmata.experiments.report import formulas
from lemmata.experiments.report.incremental import LIST, SiteFiles
from lemmata.experiments.report.site_copy import ForeignFolderError, copy_site
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests import browser, strangers

HEAD = 'id = "evil"\nauthors = ["Eve Nobody"]\ntitle = "T"\nyear = 2026\n'
CONTENTS = '[contents]\n"lem1" = "Lemma 1"\n'
MARKED = r"""\u001b]0;title\u0007\u202e\u0000"""
ROWS = r'''
from lemmata.paper import inequality_claim, integer, theorem

@theorem("lem1", kind="inequality", says=r"\text{<script>alert(1)</script>} \href{javascript:alert(2)}{n} \le n",
         needs=[integer("n")])
def lem1(*, n: int) -> int:
    """Lemma."""
    return n

@inequality_claim(lem1, note="a note \x1b]0;title\x07 \u202e of Eve")
def check():
    """By numbers."""
    for n in range(1, 5):
        yield {"n": n}, n if n > 1 else 1, lem1(n=n)
'''


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    """A folder whose author asks for all that a page must not do, decided and drawn; what was said meanwhile."""
    folder = tmp_path_factory.mktemp("evil")
    links = 'url = "javascript:alert(3)"\ncontact = "javascript:alert(4)"\n'
    label = f'[contents]\n"lem1" = "Lemma 1{MARKED}"\n'
    (folder / "paper.toml").write_text(f"{HEAD}{links}venue = '<b>{{{{7*7}}}}'\n{label}", encoding="utf-8")
    (folder / "rows.py").write_text(ROWS)
    said = [done("run", folder, "--jobs", "1"), done("report", folder), done("explain", folder, "lem1")]
    return folder, "".join(said)


def done(*arguments, status=0):
    """What a command prints, on both of its streams."""
    program = [sys.executable, "-m", "lemmata", *map(str, arguments)]
    ended = subprocess.run(program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ended.returncode == status, ended.stdout
    return ended.stdout


def pages_of(folder):
    return {path: path.read_text(encoding="utf-8") for path in (folder / "reports").rglob("*.html")}


def test_nothing_that_a_paper_says_acts_on_a_page(evil):
    pages = pages_of(evil[0])
    assert len(pages) >= 8
    for path, page in pages.items():
        assert not re.search(r"""<script(?! src="[./]*site/script\.js"| type="application/ld\+json")""", page), path
        assert not re.search(r'(href|src|xlink:href)="(?!https?:|mailto:|data:,|[\w./#-]*")', page), path
        assert "Content-Security-Policy" in page and not re.search(r"<[^>]*\son\w+=", page), path
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in "".join(pages.values())


def test_what_a_terminal_would_obey_is_a_sign_on_terminals_and_pages(evil):
    folder, said = evil
    assert "a note \N{REPLACEMENT CHARACTER}]0;title" in said
    assert not strangers.CONTROL.search(said)
    for path, page in pages_of(folder).items():
        assert not strangers.CONTROL.search(page), path


@browser.needed
def test_a_browser_runs_the_script_of_the_site_and_no_other(evil, tmp_path):
    page = evil[0] / "reports" / "ledger.html"
    own = page.with_name("own.html")
    try:
        own.write_text(page.read_text().replace("</body>", "<script>document.title = 'moved'</script></body>"))
        seen = browser.look_at(own, tmp_path)
    finally:
        own.unlink()
    assert re.search(r'id="hits"[^>]*>\d+ of \d+<', seen.stdout) and "<title>moved" not in seen.stdout


@pytest.mark.parametrize(
    "latex",
    [r"\text{<b>}", r"\href{javascript:x}{y}", r"\style{color:red}{x}", r"\class{c}{x}", r"\color{red;x:y}{x}", "a<b"],
)
def test_a_formula_is_made_of_allowed_elements_and_attributes(latex):
    root = ElementTree.fromstring(formulas.convert_to_mathml(latex))
    for element in root.iter():
        assert element.tag in formulas.ELEMENTS and set(element.attrib) <= formulas.ATTRIBUTES
        assert all(formulas.PLAIN.fullmatch(value) for value in element.attrib.values())


def test_a_formula_that_cannot_be_shown_is_refused_with_its_row(tmp_path):
    (tmp_path / "paper.toml").write_text(HEAD + CONTENTS)
    (tmp_path / "rows.py").write_text(re.sub(r'says=r".*?",', r'says=r"\\begin{x} n",', ROWS))
    done("run", tmp_path, "--jobs", "1")
    said = done("report", tmp_path, status=2)
    assert re.search(r"lemmata: evil\.lem1/printed: says = .* cannot be converted", said)


def test_a_dollar_in_a_caption_is_a_dollar():
    """And no formula of matplotlib's, which refuses some."""
    picture = Picture({}, {"n": [1, 2, 3], "a": [1, 2, 3]}, None, ("n", "$x_{$ and <b>"))
    assert "$x_{$ and &lt;b&gt;" in svg(plot_picture, picture)


# Links ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("link", ["docs/leak.txt", "docs", "site", "ledger.sqlite", ""])
def test_a_link_below_the_results_is_neither_read_nor_written_through(tmp_path, link):
    paper, victim = tmp_path / "paper", tmp_path / "victim"
    victim.mkdir()
    for name in ("a.svg", "style.css", "leak.txt"):
        (victim / name).write_text("TOP SECRET")
    paper.mkdir()
    (paper / "paper.toml").write_text(HEAD + CONTENTS)
    (paper / "rows.py").write_text(ROWS)
    place = paper / "reports" / link if link else paper / "reports"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(victim / "leak.txt" if "." in link else victim)
    for name in ("run", "report"):
        said = done(name, paper, *(["--publish", tmp_path / "site"] if name == "report" else ()), status=2)
        assert f"{place} is a symbolic link" in said
    assert {path.name: path.read_text() for path in victim.iterdir()} == dict.fromkeys(
        ("a.svg", "style.css", "leak.txt"), "TOP SECRET"
    )
    assert not (tmp_path / "site").exists()


def test_a_page_of_toml_is_not_read_through_a_link_out_of_its_folder(tmp_path):
    (tmp_path / "secret").write_text(HEAD + CONTENTS)
    (tmp_path / "paper").mkdir()
    for name, reader in (("paper.toml", read), ("replies.toml", read_toml)):
        (tmp_path / "paper" / name).symlink_to(tmp_path / "secret")
        with pytest.raises(PaperError, match=rf"{name}: is a symbolic link out of its folder"):
            reader(tmp_path / "paper" / name)


@pytest.mark.parametrize("reader", [read, read_toml, read_table])
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(tmp_path, reader):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PaperError, match="pipe: is not a file"):
        reader(tmp_path / "pipe")


def test_a_list_of_files_that_leads_out_of_the_site_is_not_believed(tmp_path):
    (tmp_path / "site").mkdir()
    for path in ("../secret", "/etc/passwd", "docs/../../secret"):
        (tmp_path / LIST).write_text(f'{{"mark": "m", "files": {{"{path}": "d"}}}}')
        assert SiteFiles(tmp_path).files == {}


# Publishing -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def reports(tmp_path):
    made = tmp_path / "reports"
    SiteFiles(made).replace({"index.html": "front"}, (), "mark")
    return made


def test_publishing_leaves_its_neighbours_alone(reports, tmp_path):
    for name in (".new.part", ".new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "precious").write_text("mine")
    before = {path.name for path in tmp_path.iterdir()}
    assert copy_site(reports, tmp_path / "new")[0] == 1
    assert copy_site(reports, tmp_path / "new")[0] == 1
    assert {path.name for path in tmp_path.iterdir()} == before | {"new"}
    assert all((tmp_path / name / "precious").read_text() == "mine" for name in (".new.part", ".new"))


def test_publishing_to_a_link_fills_the_folder_that_it_leads_to(reports, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    copy_site(reports, tmp_path / "link")
    assert (tmp_path / "real" / "index.html").read_text() == "front" and (tmp_path / "link").is_symlink()


def test_a_folder_that_cannot_be_published_to_names_the_option(reports, tmp_path):
    (tmp_path / "file").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ForeignFolderError, match=r"^--publish = .*: Not a directory$"):
        copy_site(reports, tmp_path / "file" / "new")
    assert sorted(tmp_path.rglob("*")) == before


# Broken pages ---------------------------------------------------------------------------------------------------------

MANY = "".join(f'"lem{number}" = "L"\n' for number in range(10_001))


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (HEAD.replace("Eve Nobody", "") + CONTENTS, "authors must be names, as in 'Ada Lovelace', got ''"),
        (HEAD.replace("Eve Nobody", " ") + CONTENTS, "authors must be names, as in 'Ada Lovelace', got ' '"),
        (HEAD + 'checked_by = [","]\n' + CONTENTS, "checked_by must be names, as in 'Ada Lovelace', got ','"),
        (f'{HEAD}[contents]\n"{"a" * 5000}" = "L"\n', "an id in [contents] must have at most 80 characters, got 5,000"),
        (HEAD.replace("evil", "e" * 5000) + CONTENTS, "id must have at most 80 characters, got 5,000"),
        (f"{HEAD}venue = {'[' * 100_000}\n", "venue is nested too deeply"),
        (f"{HEAD}venue = {'{a=' * 3000}\n", "venue is nested too deeply"),
        (f"{HEAD}[contents]\n{'a.' * 20_000}b = 1\n", "line 6 must have at most 100 dots, got 20,000"),
        (HEAD.replace("2026", "9" * 5000) + CONTENTS, "year must be a number of at most 1,000 digits"),
        (HEAD.replace("2026", "-3") + CONTENTS, "year must be from 1 to 9999, got -3"),
        (f"{HEAD}[contents]\n{MANY}", "[contents] must list at most 10,000 statements, got 10,001"),
        (f"{HEAD}venue = '{'x' * 1_000_000}'\n", "must have at most 1,000,000 bytes, got 1,000,"),
        (f'{HEAD}{CONTENTS}"LEM1" = "L"\n', "ids in [contents] must differ in more than case, got lem1 and LEM1"),
        (f'{HEAD}"a\\nb\\u001b" = 1\n{CONTENTS}', "a b\N{REPLACEMENT CHARACTER} is unknown"),
    ],
)
def test_a_broken_page_is_refused_in_one_line_that_names_key_and_range(tmp_path, page, said):
    (tmp_path / "paper.toml").write_text(page)
    with pytest.raises(PaperError) as refused:
        read(tmp_path / "paper.toml")
    assert said in str(refused.value) and len(str(refused.value).splitlines()) == 1


def test_text_is_cleaned_where_it_is_read(tmp_path):
    (tmp_path / "paper.toml").write_text(f'{HEAD}venue = "V{MARKED}"\n{CONTENTS}', encoding="utf-8")
    (tmp_path / "replies.toml").write_text(f'text = "{MARKED}"\n', encoding="utf-8")
    (tmp_path / "table.csv").write_text("a,b\n\x1b[31m,\u202e\n", encoding="utf-8")
    sign = "\N{REPLACEMENT CHARACTER}"
    assert read(tmp_path / "paper.toml")["venue"] == f"V{sign}]0;title{sign * 3}"
    assert read_toml(tmp_path / "replies.toml") == {"text": f"{sign}]0;title{sign * 3}"}
    assert read_table(tmp_path / "table.csv") == [{"a": f"{sign}[31m", "b": sign}]
    assert clean_text("lines\r\nand\ttabs\nstay, β ≤ ∞") == "lines\nand\ttabs\nstay, β ≤ ∞"


@pytest.mark.parametrize("address", ["https://example.org/a?b=c", "http://example.org"])
def test_a_web_address_stays_and_every_other_is_no_link(tmp_path, address):
    for url, kept in (
        (address, address),
        ("javascript:alert(1)", None),
        (f"{address} onclick", None),
        ("//e.org", None),
    ):
        (tmp_path / "paper.toml").write_text(f'{HEAD}url = "{url}"\ncontact = "{url}"\n{CONTENTS}')
        page = read(tmp_path / "paper.toml")
        assert (page.get("url"), page["contact"]) == (kept, kept or "")
    (tmp_path / "paper.toml").write_text(f'{HEAD}contact = "eve@example.org"\n{CONTENTS}')
    assert read(tmp_path / "paper.toml")["contact"] == "eve@example.org"


def test_pages_at_random_are_read_or_refused_in_one_line(tmp_path):
    """The first of those of `make soak`, at a root that does not change."""
    for number in range(1_000):
        assert not strangers.try_input(TEST_ROOT, number, tmp_path), number
    assert len({strangers.make_input(TEST_ROOT, number) for number in range(50)}) == 50


def test_a_search_at_random_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        strangers, "try_input", lambda root, number, folder: asked.append((root, number)) or "wrong" * (number == 3)
    )
    notes = tmp_path / "notes"
    assert strangers.main(notes, 500) == 1 and strangers.main(notes, 1_000) == 1
    assert [number for _, number in asked] == list(range(1_000)) and len(set(root for root, _ in asked)) == 1
    assert (notes / "count.txt").read_text() == "1000 1" and "input 3 of root" in (notes / "wrong.txt").read_text()
