"""The pages: formulas are MathML, nothing is undefined, slips and errata are listed, every page opens."""

import csv
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from lemmata.bounds.library import library
from lemmata.bounds.theorem import THEOREMS, require
from lemmata.experiments.engine.ledger import published
from lemmata.experiments.engine.ledger.curves import choose_pictures
from lemmata.experiments.engine.ledger.graph import CLASSES
from lemmata.experiments.engine.ledger.ledger_rows import ledger, ledger_with_cells
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.report import page_figures, words, write
from lemmata.experiments.report.formulas import break_lines, convert_to_mathml
from lemmata.experiments.report.incremental import SiteFiles
from lemmata.experiments.report.summary import select_headline, summarize
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from tests import browser
from tests.claims import CLAIMS, registry
from tests.engine import toy


@pytest.mark.parametrize("key", THEOREMS)
def test_every_statement_becomes_mathml(key):
    assert "<math" in convert_to_mathml(THEOREMS[key].says)


def test_latex_that_survives_is_an_error():
    with pytest.raises(ValueError, match="not wholly converted"):
        convert_to_mathml(r"\undefinedmacro{x}")


def test_limits_stand_below_and_bars_are_tight():
    assert "<munder>" in convert_to_mathml(r"\min_{w} |w|") and 'lspace="0"' in convert_to_mathml("|w|")


@pytest.mark.parametrize(
    ("latex", "words"), [(r"\mu\mathrm{-GDP}", "-GDP"), (r"x\ \mathrm{w.h.p.}", "w.h.p."), (r"\mathrm{err}", None)]
)
def test_words_have_hyphens_and_full_stops_and_no_minus(latex, words):
    made = convert_to_mathml(latex)
    assert "−" not in made and (f"<mtext>{words}</mtext>" in made) == (words is not None)


def test_a_long_formula_may_end_lines_outside_of_its_brackets():
    """The symbols are those of the formula; a letter stays with what it is equal to; a short formula stays whole."""
    latex = r"\|w-w^*\|^2\le\left[a+b+c=d\right]+\frac{\log m}{n},\quad B=\max(e,f,g,h)+x+y+z+u+v+w"
    whole = convert_to_mathml(latex)
    pieces = [ElementTree.fromstring(piece) for piece in break_lines(whole).split("<wbr>")]
    told = ["".join(piece.itertext()) for piece in pieces]
    assert "".join(told) == "".join(ElementTree.fromstring(whole).itertext())
    assert told[1].startswith("≤[a+b+c=d]+") and told[2].startswith("B=max(e,f,g,h)") and len(told) == 3
    assert break_lines(convert_to_mathml("a=b")) == convert_to_mathml("a=b")


def test_pages_are_small_and_say_nothing_undefined(site):
    assert (site.reports / "index.html").stat().st_size < 200_000
    for path in site.reports.rglob("*.html"):
        text = path.read_text()
        prose = re.sub(r"<pre.*?</pre>|<code.*?</code>", "", text, flags=re.S)
        assert "undefined" not in prose and "\\" not in prose and "{{" not in prose, path.name
        assert len(text) < 150_000 or path.name == "ledger.html", path.name


@pytest.mark.slow
def test_only_figures_that_do_not_stand_as_they_were_drawn_are_drawn(tmp_path):
    claims = registry.load(["bms22/long_minimiser"])["bms22/long_minimiser"]
    store = Store()
    run.execute(claims, store)
    pairs = [(row, choose_pictures(cells)) for row, cells in ledger_with_cells(store, LEDGER_ROOT, claims)]
    _, drawn, paths = page_figures.draw_missing(pairs, SiteFiles(tmp_path))
    new = dict(drawn)
    assert list(new) == paths and all(text.startswith("<svg") for text in new.values())
    assert SiteFiles(tmp_path).replace(new, paths, "") == len(paths)
    _, drawn, same = page_figures.draw_missing(pairs, SiteFiles(tmp_path))
    assert (list(drawn), same) == ([], paths)
    (tmp_path / paths[0]).write_text("<svg>an older one</svg>")
    assert paths[0] in dict(page_figures.draw_missing(pairs, SiteFiles(tmp_path))[1])


def test_the_summary_names_what_is_refuted(site):
    assert all(words in site.summary for words in ("  REFUTED      Assumption 1 (accuracy)", "index.html"))


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
    assert words.shorten_finding(row) == (shown or "A first clause that is long enough to say it all (truly)")


def test_what_holds_is_counted_in_five_words():
    row = {"parent": "", "reading": "printed", "verdict": "HOLDS", "part": "", "kind": "", "reason": "", "cites": []}
    row |= {"severity": "", "headline": "", "title": "", "paper": "wzw25", "label": "Lemma 6.4"}
    kinds = [("certificate", "everywhere"), ("derivation", "domain: n <= 9"), ("sampled", "settings")]
    kinds += [("composition", "everywhere"), ("tested", "settings")]
    rows = [row | {"id": str(i), "evidence": evidence, "scope": scope} for i, (evidence, scope) in enumerate(kinds)]
    rows.append(rows[1] | {"id": "cites", "cites": ["Bartlett 1998"]})
    counted = "printed statements: 1 machine-checked, 1 derived, 1 composed, 1 citing, 2 tested"
    assert counted in summarize(rows)
    assert words.count_classes(rows) == {"machine-checked": 1, "derived": 1, "composed": 1, "citing": 1, "tested": 2}


@pytest.mark.slow
def test_a_page_draws_what_rests_on_what(tmp_path, claims):
    key = "abgmu22.asm2/printed/rests"
    claims[key] = replace(claims[key], given=("abgmu22.asm1/printed/coin",))
    folder = write(toy.decided(claims), LEDGER_ROOT, tmp_path)[0].parent / "statements"
    rests = (folder / "abgmu22.asm2.html").read_text().partition("<h2>Depends on</h2>")[2]
    assert 'href="../statements/abgmu22.asm1.html#abgmu22.asm1_printed_coin"' in rests.partition("</section>")[0]
    coin = (folder / "abgmu22.asm1.html").read_text().partition("<h2>Depends on</h2>")[2]
    assert (
        "No other statement." in coin
        and "abgmu22.asm2_printed_rests" in coin.partition("Statements that depend on it")[2]
    )


def page_with_a_corner(corrected_by, folder, **changes):
    """Row and errata of the false coin, said to be true for beta <= 0, and what `corrected_by` is with `changes`."""
    with toy.registered() as claims:
        key = "abgmu22.asm1/printed/false"
        corner = require("beta <= 0", lambda beta: beta <= 0)
        fields = {"corner": corner, "used": {"abgmu22.asm2": [{"beta": 0}]}, "corrected_by": corrected_by}
        claims[key] = replace(claims[key], **fields)
        claims[corrected_by] = replace(claims[corrected_by], **changes)
        store = toy.decided(claims)
        path, text = write(store, LEDGER_ROOT, folder)
        row = next(row for row in ledger(store, LEDGER_ROOT) if row["key"] == key)
        return row, (path.parent / "errata" / "abgmu22.html").read_text(), text


def test_a_slip_is_listed_and_its_page_has_where_it_is_true(tmp_path):
    row, html, text = page_with_a_corner("abgmu22.asm1/printed/coin", tmp_path)
    assert (row["verdict"], row["severity"], row["corner"]) == ("SLIP", "", "beta <= 0")
    assert "  SLIP         Assumption 1" in text
    slips = html[html.index("Slips that change nothing") : html.index("Every statement")]
    assert "β ≤ 0" in slips and "Assumption 2" in slips


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corrected_by", "changes", "verdict", "undecided"),
    [
        (
            "abgmu22.asm2/printed/toothless",  # which decides nothing
            {},
            ("INCONCLUSIVE", "CORNER", "", "beta <= 0"),
            "depends on abgmu22.asm2/printed/toothless, which is INCONCLUSIVE",
        ),
        ("abgmu22.asm1/printed/mean", {"bound": lambda: 0.001}, ("REFUTED", "", "constant", ""), ""),  # falls there too
    ],
)
def test_a_slip_that_is_not_true_in_its_corner_is_none(corrected_by, changes, verdict, undecided, tmp_path):
    row, html, _ = page_with_a_corner(corrected_by, tmp_path, **changes)
    assert (row["verdict"], row["reason"], row["severity"], row["corner"]) == verdict
    assert row["undecided"] == undecided
    assert "Slips that change nothing" not in html


def test_every_word_on_a_pill_is_explained(site):
    page = (site.reports / "verdicts.html").read_text()
    for word in (*CLASSES.values(), "survived"):
        assert f"<dt>{word}</dt>" in page, word


def test_a_part_that_falls_heads_its_statement_in_every_count():
    """A green badge over a red sentence, and a list without it, where the statement has a row of its own that holds."""
    head = {"id": "wzw25.lemA.5", "reading": "printed", "parent": "", "part": "", "verdict": "HOLDS", "severity": ""}
    head |= {"kind": "mean", "headline": "Lemma A.5: its edge is false", "title": "Maxima", "key": "a", "reason": ""}
    head |= {"evidence": "tested", "scope": "settings", "cites": [], "paper": "wzw25", "label": "Lemma A.5"}
    edge = head | {"parent": head["id"], "part": "edge", "verdict": "REFUTED", "severity": "statement", "headline": ""}
    (chosen,) = select_headline([head, edge, edge | {"part": "impl:maximum"}, edge | {"id": "wzw25.lemA.5.s1"}])
    assert chosen == edge | {"headline": head["headline"], "title": head["title"]}
    theorem = head | {"id": "wzw25.thm4.1", "headline": "Theorem 4.1 is true as printed", "label": "Theorem 4.1"}
    assert summarize([head, edge, theorem])[:4] == [
        "Wang, Zhu & Wang 2025: main results as printed",
        "  HOLDS        Theorem 4.1 is true as printed",
        "  false as printed: Lemma A.5",
        "printed statements: 1 tested, 1 refuted",
    ]
    assert summarize([head, edge])[1] == "  REFUTED      Lemma A.5: its edge is false"  # where there is no main result
    assert select_headline([head, edge | {"verdict": "HOLDS", "severity": ""}]) == [head]


def test_every_erratum_has_a_number_of_its_own():
    lists = [(paper.folder / "errata.csv").read_text(encoding="utf-8").splitlines() for paper in library.house]
    lines = [line for text in lists for line in csv.DictReader(text)]
    numbers = [(line["key"].split(".")[0], line["number"]) for line in lines]
    assert len(set(numbers)) == len(numbers)
    assert {line["status"] for line in lines} <= {"found", "reported", "confirmed", "disputed", "withdrawn"}
    assert {line["key"] for line in lines if line["status"] != "withdrawn"} <= set(CLAIMS)
    rows = [r for r in published.read_rows("reports").values() if r["paper"] in {p.id for p in library.house}]
    refuted = {r["key"] for r in rows if r["verdict"] == "REFUTED" and r["reading"] == "printed" and r["severity"]}
    single = {r["key"] for r in rows if r["kind"] != "summary"}
    assert refuted & single <= {line["key"] for line in lines}, "a new erratum wants a number in errata.csv"


@browser.needed
@pytest.mark.parametrize("name", ["index.html", "ledger.html", "errata/abgmu22.html", "statements/abgmu22.asm1.html"])
def test_pages_open_without_network_and_fit_a_phone(site, tmp_path, name):
    """400 px without sideways scrolling, no error on the console, and the script finds what is searched."""
    wide = "document.documentElement.dataset.wide = document.documentElement.scrollWidth"
    asked = {"script": wide, "query": "?q=nowhere-to-be-found"}
    seen = browser.look(site.reports / name, tmp_path, "--window-size=500,900", **asked)
    assert int(re.search(r'data-wide="(\d+)"', seen.stdout).group(1)) <= 500
    assert "CONSOLE" not in seen.stderr, seen.stderr
    if name == "ledger.html":
        assert ">nothing found<" in seen.stdout
