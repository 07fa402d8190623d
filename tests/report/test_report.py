"""The site: formulas are MathML, nothing comes from elsewhere, every link leads somewhere, every page opens."""

import csv
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from lemmata.bounds.library import library
from lemmata.bounds.theorem import THEOREMS, require
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.ledger.curves import choose_pictures
from lemmata.experiments.engine.ledger.graph import CLASSES
from lemmata.experiments.engine.ledger.ledger_rows import ledger, ledger_with_cells
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.report import figures, words, write
from lemmata.experiments.report.drawn import Drawn
from lemmata.experiments.report.formulas import mathml
from lemmata.experiments.report.summary import summary_lines
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from tests.engine import toy

registry.load()
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The site of the toy claims."""
    with toy.registered() as claims:
        store = Store()
        toy.execute(list(claims.values()), store)
        path, text = write(store, LEDGER_ROOT, tmp_path_factory.mktemp("reports"), record=True)
        (path.parent / "summary.txt").write_text(text)
        return path.parent


def pages_of(reports):
    return sorted(reports.rglob("*.html"))


@pytest.mark.parametrize("key", THEOREMS)
def test_every_statement_becomes_mathml(key):
    assert "<math" in mathml(THEOREMS[key].says)


def test_latex_that_survives_is_an_error():
    with pytest.raises(ValueError, match="not wholly converted"):
        mathml(r"\undefinedmacro{x}")


def test_limits_stand_below_and_bars_are_tight():
    assert "<munder>" in mathml(r"\min_{w} |w|") and 'lspace="0"' in mathml("|w|")


class Page(HTMLParser):
    """The links, ids and open tags of a page."""

    VOID = {"meta", "input", "br", "link", "img", "hr"}

    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links, self.open = path, set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in attrs:
            assert attrs["id"] not in self.ids, f"{attrs['id']} twice on {self.path.name}"
            self.ids.add(attrs["id"])
        self.links += [attrs[name] for name in ("href", "src") if name in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.links += [dict(attrs)[name] for name in ("href", "src") if name in dict(attrs)]


def test_every_link_leads_somewhere_and_every_page_is_well_formed(reports):
    found = {path: Page(path) for path in pages_of(reports)}
    assert len(found) >= 130
    for path, page in found.items():
        assert not page.open
        for link in page.links:
            if link == "data:," or link.startswith(("https://arxiv.org/", "https://doi.org/")):
                continue  # tests/report/test_site.py says which page may lead out, and that nothing is loaded
            assert not re.match(r"[a-z]+:", link), f"{path.name} loads or links {link}"
            file, _, fragment = unquote(link).partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), f"{path.name} links {link}"
            if fragment and target.suffix == ".html":
                assert fragment in found[target].ids, f"{path.name} links {link}"


def test_pages_are_small_and_say_nothing_undefined(reports):
    assert (reports / "index.html").stat().st_size < 200_000
    for path in pages_of(reports):
        text = path.read_text()
        prose = re.sub(r"<pre.*?</pre>|<code.*?</code>", "", text, flags=re.S)
        assert "undefined" not in prose and "\\" not in prose and "{{" not in prose, path.name
        assert len(text) < 150_000 or path.name == "ledger.html", path.name


def test_only_figures_that_do_not_stand_as_they_were_drawn_are_drawn(tmp_path):
    claims = registry.load(["bms22/long_minimiser"])["bms22/long_minimiser"]
    store = Store()
    run.execute(claims, store)
    pairs = [(row, choose_pictures(cells)) for row, cells in ledger_with_cells(store, LEDGER_ROOT, claims)]
    _, drawn, paths = figures.drawn(pairs, Drawn(tmp_path))
    new = dict(drawn)
    assert list(new) == paths and all(text.startswith("<svg") for text in new.values())
    assert Drawn(tmp_path).replace(new, paths, "") == len(paths)
    _, drawn, same = figures.drawn(pairs, Drawn(tmp_path))
    assert (list(drawn), same) == ([], paths)
    (tmp_path / paths[0]).write_text("<svg>an older one</svg>")
    assert paths[0] in dict(figures.drawn(pairs, Drawn(tmp_path))[1])


def test_the_summary_names_what_is_refuted(reports):
    text = (reports / "summary.txt").read_text()
    assert "refuted as printed" in text and "abgmu22.asm1" in text and "index.html" in text


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (
            "Assumption 2 bounds the losses on S₂; a loss that no record has is in L(w; D) all the same. Else true.",
            "Assumption 2 bounds the losses on S₂; a loss that no record has is in L(w; D) all the same",
        ),
        (
            "the sample is drawn from the whole interval [0; 1) and not from half of it. Here n = 2.",
            "The sample is drawn from the whole interval [0; 1) and not from half of it",
        ),
        (
            "for 1) all records with a margin above the least of {ρ; σ; τ} it is false. Here n = 2.",
            "For 1) all records with a margin above the least of {ρ; σ; τ} it is false",
        ),
        ("a first clause that is long enough to say it all (truly); and a second", None),
    ],
)
def test_a_finding_ends_outside_of_brackets(note, shown):
    row = {"finding": "", "note": note, "title": "a title"}
    assert words.finding(row) == (shown or "A first clause that is long enough to say it all (truly)")


def test_what_holds_is_counted_in_five_words():
    row = {"parent": "", "reading": "printed", "verdict": "HOLDS", "part": "", "reason": "", "cites": []}
    kinds = [("certificate", "everywhere"), ("derivation", "domain: n <= 9"), ("sampled", "settings")]
    kinds += [("composition", "everywhere"), ("tested", "settings")]
    rows = [row | {"evidence": evidence, "scope": scope} for evidence, scope in kinds]
    rows.append(rows[1] | {"cites": ["Bartlett 1998"]})
    assert summary_lines(rows)[0] == "printed statements: 1 machine-checked, 1 derived, 1 composed, 1 citing, 2 tested"
    assert words.counted(rows) == {"machine-checked": 1, "derived": 1, "composed": 1, "citing": 1, "tested": 2}


def test_a_page_draws_what_rests_on_what(tmp_path):
    with toy.registered() as claims:
        key = "abgmu22.asm2/printed/rests"
        claims[key] = replace(claims[key], given=("abgmu22.asm1/printed/coin",))
        store = Store()
        toy.execute(list(claims.values()), store)
        folder = write(store, LEDGER_ROOT, tmp_path)[0].parent / "statements"
    rests = (folder / "abgmu22.asm2.html").read_text().partition("<h2>Rests on</h2>")[2]
    assert 'href="../statements/abgmu22.asm1.html#abgmu22.asm1_printed_coin"' in rests.partition("</section>")[0]
    coin = (folder / "abgmu22.asm1.html").read_text().partition("<h2>Rests on</h2>")[2]
    assert "by itself" in coin and "abgmu22.asm2_printed_rests" in coin.partition("What falls if it falls")[2]


def page_with_a_corner(corrected_by, folder, **changes):
    """Row and errata of the false coin, said to be true for beta <= 0, and what `corrected_by` is with `changes`."""
    with toy.registered() as claims:
        key = "abgmu22.asm1/printed/false"
        corner = require("beta <= 0", lambda beta: beta <= 0)
        fields = {"corner": corner, "used": {"abgmu22.asm2": [{"beta": 0}]}, "corrected_by": corrected_by}
        claims[key] = replace(claims[key], **fields)
        claims[corrected_by] = replace(claims[corrected_by], **changes)
        store = Store()
        toy.execute(list(claims.values()), store)
        path, text = write(store, LEDGER_ROOT, folder)
        row = next(row for row in ledger(store, LEDGER_ROOT) if row["key"] == key)
        return row, (path.parent / "errata" / "abgmu22.html").read_text(), text


def test_a_slip_is_listed_with_where_it_is_true(tmp_path):
    row, html, text = page_with_a_corner("abgmu22.asm1/printed/coin", tmp_path)
    assert (row["verdict"], row["severity"], row["corner"]) == ("SLIP", "", "beta <= 0")
    assert "refuted as printed" not in text and "True for beta <= 0" in text
    slips = html[html.index("Slips that change nothing") : html.index("Every statement")]
    assert "β ≤ 0" in slips and "Assumption 2" in slips


@pytest.mark.slow
def test_a_slip_that_nothing_decides_in_its_corner_is_undecided(tmp_path):
    row, html, _ = page_with_a_corner("abgmu22.asm2/printed/toothless", tmp_path)
    assert (row["verdict"], row["reason"], row["corner"]) == ("INCONCLUSIVE", "CORNER", "beta <= 0")
    assert row["undecided"] == "rests on abgmu22.asm2/printed/toothless, which is INCONCLUSIVE"
    assert "Slips that change nothing" not in html


@pytest.mark.slow
def test_a_slip_that_falls_in_its_corner_too_is_refuted(tmp_path):
    row, html, _ = page_with_a_corner("abgmu22.asm1/printed/mean", tmp_path, bound=lambda: 0.001)
    assert (row["verdict"], row["severity"], row["corner"]) == ("REFUTED", "constant", "")
    assert "Slips that change nothing" not in html


def test_every_word_on_a_pill_is_explained(reports):
    page = (reports / "verdicts.html").read_text()
    for word in (*CLASSES.values(), "survived"):
        assert f"<dt>{word}</dt>" in page, word


def test_every_erratum_has_a_number_of_its_own():
    lists = [(paper.folder / "errata.csv").read_text(encoding="utf-8").splitlines() for paper in library.house]
    lines = [line for text in lists for line in csv.DictReader(text)]
    numbers = [(line["key"].split(".")[0], line["number"]) for line in lines]
    assert len(set(numbers)) == len(numbers)
    assert {line["status"] for line in lines} <= {"found", "reported", "confirmed", "disputed", "withdrawn"}
    assert {line["key"] for line in lines if line["status"] != "withdrawn"} <= set(CLAIMS)
    published = Path("reports/published/ledger.csv")
    with open(published, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    refuted = {r["key"] for r in rows if r["verdict"] == "REFUTED" and r["reading"] == "printed" and r["severity"]}
    single = {r["key"] for r in rows if r["kind"] != "summary"}
    assert refuted & single <= {line["key"] for line in lines}, "a new erratum wants a number in errata.csv"


@pytest.mark.skipif(CHROMIUM is None, reason="NO BROWSER HERE: the pages were not opened")
@pytest.mark.parametrize("name", ["index.html", "ledger.html", "errata/abgmu22.html", "statements/abgmu22.asm1.html"])
def test_pages_open_without_network_and_fit_a_phone(reports, tmp_path, name):
    """400 px without sideways scrolling, no error on the console, and the script finds what is searched."""
    probe = "<script>document.documentElement.dataset.wide = document.documentElement.scrollWidth</script></body>"
    page = reports / name
    text = page.read_text()
    opened = page.with_name(f"probe-{page.name}")
    opened.write_text(text.replace("</body>", probe))
    try:
        told = subprocess.run(
            [
                *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--window-size=500,900"),
                *("--no-first-run", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"),
                *("--enable-logging=stderr", f"--user-data-dir={tmp_path}", f"file://{opened}?q=nowhere-to-be-found"),
            ],
            capture_output=True,
            text=True,
            timeout=120,
        )
    finally:
        opened.unlink()
    assert int(re.search(r'data-wide="(\d+)"', told.stdout).group(1)) <= 500
    assert "CONSOLE" not in told.stderr, told.stderr
    if name == "ledger.html":
        assert ">nothing found<" in told.stdout
