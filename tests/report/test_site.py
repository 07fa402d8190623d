"""The site that is sent on: complete, self-contained, small; what authors replied; how each row is cited."""

import html
import json
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlencode

import pytest
import yaml

from lemmata.bounds.catalogue.paper_file import read_errata
from lemmata.bounds.library import PaperError, Work, library
from lemmata.command.main import main
from lemmata.experiments.conformance import accepted
from lemmata.experiments.engine.claims.claim import SEVERITIES
from lemmata.experiments.engine.ledger import published
from lemmata.experiments.engine.ledger.graph import CLASSES
from lemmata.experiments.report import citations, errata, words, write
from lemmata.experiments.report.errata import CLASS_WORDS, SEVERITY_WORDS
from lemmata.experiments.report.layout import NAV, mark_up_symbols, render_page
from lemmata.experiments.report.nonvacuous import place_statements
from lemmata.experiments.report.replies import read_replies
from lemmata.experiments.report.site import describe_statement, link_statements, list_navigation
from lemmata.experiments.report.site_copy import LARGEST, MARK, ForeignFolderError, copy_site
from lemmata.experiments.report.summary import is_main
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from tests import browser
from tests.engine import toy

ROOT = Path(__file__).parents[2]
OUTWARD = ("https://arxiv.org/abs/", "https://doi.org/")  # where a page may lead, beside what the documents name


class Page(HTMLParser):
    """What a page refers to, its ids, and the elements that it leaves open."""

    VOID = {"meta", "input", "br", "link", "img", "hr"}

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.open = [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.open += [tag] if tag not in self.VOID else []
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs["href"]] if tag == "a" and "href" in attrs else []
        self.loads += [attrs[name] for name in ("src", "href", "action") if name in attrs and tag != "a"]

    def handle_endtag(self, tag):
        assert tag in self.VOID or self.open.pop() == tag


def test_every_link_and_asset_of_the_published_site_is_inside_it(site):
    """Relative, and there: pages, fragments, pictures, stylesheet, script, and what the stylesheet loads."""
    copy = site[0]
    found = {path: Page(path) for path in copy.rglob("*.html")}
    assert len(found) >= 140
    for path, page in found.items():
        assert not page.open, path.name
        assert len(set(page.ids)) == len(page.ids), f"an id twice on {path.relative_to(copy)}"
        inside = [link for link in page.links if not re.match(r"[a-z]+:", link)]
        for link in set(inside + page.loads) - {"data:,"}:
            assert not re.match(r"[a-z]+:|/", link), f"{path.name} loads {link}"
            file, _, fragment = unquote(link).partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.is_file() and target.is_relative_to(copy), f"{path.name} refers to {link}"
            assert not fragment or target not in found or fragment in found[target].ids, f"{path.name} links {link}"
        outward = {link for link in page.links if re.match(r"[a-z]+:", link)}
        assert all(link.startswith(OUTWARD) for link in outward), (path.name, outward)
    style = (copy / "site" / "style.css").read_text(encoding="utf-8")
    assert all(place.startswith("data:") for place in re.findall(r'url\("?([^")]{0,20})', style))


def test_everything_can_be_reached_from_the_front_page(site):
    copy = site[0]
    met, new = set(), {copy / "index.html"}
    while new:
        met |= new
        links = [(path, link) for path in new if path.suffix == ".html" for link in Page(path).links]
        targets = {(p.parent / unquote(link).split("#")[0]).resolve() for p, link in links if ":" not in link}
        new = {target for target in targets if target.is_file()} - met
    assert {path for path in copy.rglob("*.html")} - met == set()
    assert copy / "speed.html" in met


def test_the_copy_is_small_and_holds_nothing_but_the_site(site):
    copy, reports, _ = site
    assert sum(path.stat().st_size for path in copy.rglob("*") if path.is_file()) < LARGEST
    assert not list(copy.rglob("*.sqlite")) and not (copy / "site" / "drawn.json").exists()
    (copy / "stale.html").touch()
    files, _ = copy_site(reports, copy)
    assert not (copy / "stale.html").exists() and files > 140


def test_the_documentation_is_linked_and_carried_where_it_was_built(site, tmp_path):
    copy, reports = tmp_path / "copy", tmp_path / "reports"
    (reports / "docs" / "api").mkdir(parents=True)
    for name in ("index.html", "api/audit.html", ".buildinfo"):
        (reports / "docs" / name).touch()
    assert ("Documentation", "docs/index.html") in list_navigation(NAV, reports)
    assert list_navigation(NAV, site[1]) == NAV
    copy_site(reports, copy)
    assert {str(path.relative_to(copy)) for path in (copy / "docs").rglob("*.*")} == {
        "docs/index.html",
        "docs/api/audit.html",
    }


def test_a_folder_of_somebody_else_is_left_alone(site, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ForeignFolderError, match="must be a new or empty folder"):
        copy_site(site[1], tmp_path)
    with pytest.raises(ForeignFolderError, match="must be a folder"):
        copy_site(site[1], tmp_path / "thesis.tex")
    assert (tmp_path / "thesis.tex").exists() and not (tmp_path / MARK).exists()


def test_raised_characters_are_elements_where_people_read():
    page = '<title>x²</title><p data-text="x²">x² of yⱼ</p><pre>x²</pre><pre class="prose">10⁻⁹</pre><code>a²</code>'
    assert mark_up_symbols(page) == page.replace("x² of yⱼ", "x<sup>2</sup> of y<sub>j</sub>").replace(
        "10⁻⁹", "10<sup>−9</sup>"
    )


# Citing ---------------------------------------------------------------------------------------------------------------


def test_a_citation_has_first_names_number_version_and_permanent_id():
    row = {"id": "wzw25.lem7.2", "paper": "wzw25", "key": "wzw25.lem7.2/corrected", "label": "Lemma 7.2"}
    text = citations.cite_row(row | {"reading": "corrected", "part": "", "verdict": "HOLDS"})
    for wanted in ("Wang, Erchi", "Zhu, Yuqing", "2505.24737", metadata.version("lemmata"), row["key"]):
        assert wanted in text, wanted
    assert text.count("{") == text.count("}")
    assert "lemmata:wzw25:E7" in citations.cite_row(
        row | {"reading": "printed", "part": "", "verdict": "REFUTED"}, "E7"
    )


@pytest.mark.parametrize("paper", library.house, ids=lambda paper: paper.id)
def test_the_papers_are_cited_as_in_the_citation_file(paper, request):
    """Titles and numbers stand in two places, for people and for hosts that read CITATION.cff."""
    text = (request.config.rootpath / "CITATION.cff").read_text(encoding="utf-8")
    assert paper.title.lower() in text.lower() and f"arXiv:{paper.arxiv}" in text
    assert paper.doi and paper.doi in text
    for author in paper.authors:
        given, family = author.rsplit(" ", 1)
        assert f"{{family-names: {family}, given-names: {given}}}" in text


def test_versions_agree(request):
    text = (request.config.rootpath / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (request.config.rootpath / "CHANGELOG.md").read_text(encoding="utf-8")
    declared = re.search(
        r'^version = "([^"]+)"', (request.config.rootpath / "pyproject.toml").read_text(), re.MULTILINE
    )
    released = re.search(r"^date-released: (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert declared and released and f"version: {declared[1]}\n" in text
    assert f"## [{declared[1]}] - {released[1]}\n" in changelog


def test_a_letter_names_each_finding_once_with_what_follows_from_it():
    row = {
        "id": "wzw25.lemA.5",
        "label": "Lemma A.5",
        "name": "risk bound",
        "finding": "It lacks σ",
        "severity": "constant",
        "cause": "",
        "consequences": [],
    }
    again = row | {"id": "wzw25.corA.6", "label": "Corollary A.6", "cause": "wzw25.lemA.5/printed/tail"}
    step = row | {"id": "wzw25.corA.6.s4", "name": "step s4"}
    told = errata.shorten([row | {"consequences": [again, again]}, row, again, step])
    assert told[errata.IN_STATEMENTS] == [
        ("Lemma A.5, risk bound", "It lacks σ", "constant", "Corollary A.6, risk bound")
    ]
    assert told[errata.IN_PROOFS] == [("Lemma A.5, step s4", "It lacks σ", "constant", "")]


@pytest.mark.parametrize("paper", library.house, ids=lambda paper: paper.id)
def test_what_an_erratum_follows_from_is_an_erratum_that_follows_from_none(paper):
    numbered = {line["key"] for line in read_errata(paper.folder) if line["status"] != "withdrawn"}
    causes = {f"{paper.id}.{cause}" for cause in paper.causes.values()}
    assert causes | paper.causes.keys() <= numbered and not causes & paper.causes.keys()


@pytest.mark.parametrize("paper", library.house, ids=lambda paper: paper.id)
def test_each_erratum_is_quoted_at_its_place_with_its_edit(paper, request):
    """The words occur in the paper's text, in one file and in their order, wherever that text is in the checkout."""
    rows = accepted.read(paper)
    false = {line["key"] for line in read_errata(paper.folder) if line["status"] != "withdrawn"}
    false = {key for key in false if rows[key].verdict == "REFUTED"}
    slips = {key for key, row in rows.items() if row.verdict == "SLIP"}
    assert paper.edits.keys() == false and len(false) > 10 and paper.quotes.keys() == false | slips
    assert max(len(words.split()) for words in paper.quotes.values()) <= 30  # a place, and no passage
    texts = [" ".join(path.read_text().split()) for path in (request.config.rootpath / "sources").glob("*.txt")]
    for key, quote in paper.quotes.items():
        found = re.compile(".{0,2500}?".join(re.escape(part.strip()) for part in quote.split("…")))
        assert not texts or any(map(found.search, texts)), key


def test_a_correction_names_the_edit_the_words_and_what_holds():
    """A slip's edit is its misprint or its missing hypothesis; a withdrawn number names nothing."""
    paper = library.papers["wzw25"]
    row = {"paper": "wzw25", "key": "wzw25.corA.6/printed", "corrected_by": "", "verdict": "REFUTED", "latex": ""}
    row |= {"corner": "", "misprint": "", "finding": "It lacks σ", "note": "", "erratum": "E13", "status": "found"}
    row |= {"charity": ""}
    made = errata.add_correction(row, {})
    assert made["edit"].lower() == paper.edits[row["key"]].lower() and made["quote"] == paper.quotes[row["key"]]
    assert made["permanent"] == "lemmata:wzw25:E13" and made["instead_row"] is None
    slip = row | {"key": "wzw25.lemD.1/printed", "misprint": "read b for b²", "status": "withdrawn"}
    made = errata.add_correction(slip, {})
    assert (made["edit"], made["permanent"]) == ("Read b for b²", "lemmata:wzw25.lemD.1/printed")
    for said, uses in (
        (" We list no use of it.", ""),
        (" The paper uses it with this restriction only, in Lemma 1.",) * 2,
    ):
        made = errata.add_correction(
            slip | {"misprint": "", "corner": "n ≥ 2", "charity": f"True for n ≥ 2.{said}"}, {}
        )
        assert (made["edit"], made["uses"]) == ("Add the hypothesis: n ≥ 2", uses)


def test_a_letter_says_which_parts_of_a_main_result_survive():
    """Not "held wherever we tried it" of what has a derivation, and not an error alone of what can be mended."""
    row = {"called": "privacy", "verdict": "HOLDS", "reconstructed": False, "corrected_by": ""}
    false, mended = row | {"called": "utility", "verdict": "REFUTED", "corrected_by": "k"}, row | {"key": "k"}
    statement = {
        "label": "Theorem 1",
        "headline": "Theorem 1 held wherever we tried it",
        "class": "asserted",
        "sub": "",
    }
    words = "Theorem 1 holds by a derivation of ours in words, no step of which a program checked"
    assert errata.describe_main(statement | {"pairs": [(row, [])]}) == f"{words}."
    ours = errata.describe_main(statement | {"pairs": [(row, []), (false | {"reconstructed": True}, [])]})
    assert ours == f"{words}; its utility as we read or reconstruct it."
    wrong = statement | {"headline": "Theorem 1: a root is missing", "class": "refuted"}
    said = errata.describe_main(wrong | {"pairs": [(row, []), (false, [mended])]})
    part = "As printed, the part “privacy” holds"
    assert said == f"Theorem 1: a root is missing. {part}. Corrected as shown below, the rest holds."
    assert errata.describe_main(wrong | {"pairs": [(row, []), (false | {"corrected_by": ""}, [])]}).endswith(f"{part}.")
    open_yet = mended | {"verdict": "INCONCLUSIVE"}
    assert errata.describe_main(wrong | {"pairs": [(row, []), (false, [open_yet])]}).endswith(f"{part}.")
    slip = wrong | {"headline": "Theorem 1 is true but for a misprint", "class": "slip", "pairs": [(row, [])]}
    said = errata.describe_main(slip | {"sub": "A misprint: read b for a. We list no use of it."})
    assert said == "Theorem 1 is true but for a misprint: read b for a."


LONGEST = ["wzw25.thm4.1", "wzw25.lemK.6", "abgmu22.thm.boost", "bms22.thm3.2", "rbht09.thm18"]


@browser.needed
@pytest.mark.parametrize("id", LONGEST)
def test_a_statement_fits_one_printed_side(site, tmp_path, id):
    """Whoever cites a statement prints one side: proofs, programs and dependencies stay on the screen."""
    rows = [row for row in published.read_rows(ROOT / "reports").values() if library.statement_of(row["id"]) == id]
    rows = [words.view_row(row, []) for row in rows]
    replies = errata.annotate(rows, [library.paper(id)])
    shown = describe_statement(id, rows, replies)
    link_statements([shown], rows)
    _, text = render_page("statement.html.j2", shown["url"], s=shown, structured="")
    page = site.copy / f"statements/printed-{id}.html"
    page.write_text(text, encoding="utf-8")
    try:
        assert browser.count_printed_sides(page, tmp_path, tmp_path) == 1
    finally:
        page.unlink()


def test_a_letter_of_rows_that_nobody_ran_is_a_draft(site):
    text = (site.reports / "errata/rbht09-letter.html").read_text(encoding="utf-8")
    assert "This is a draft:" in text and "We found no statement" not in text


def test_a_letter_has_the_day_on_which_it_is_written(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert citations.read_date() == "1970-01-02"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert date.fromisoformat(citations.read_date()) > date(2026, 1, 1)


def test_an_edition_names_the_commit_of_a_checkout_and_of_no_folder_around(tmp_path, monkeypatch):
    found = {}
    for name in (".git", "wheel"):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(citations, "ROOT", tmp_path / "wheel" if name == "wheel" else citations.ROOT)
        found[name] = citations.read_edition.__wrapped__()
    assert found["wheel"] == citations.read_version()
    assert found[".git"] == found["wheel"] or re.fullmatch(r"[\w.]+, commit [0-9a-f]{10,}", found[".git"])


def test_pages_tell_machines_what_they_hold(site):
    """JSON-LD: a statement is a review of a claim, an errata page the paper with its corrections."""
    script = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)
    statement = json.loads(script.search((site[0] / "statements/abgmu22.asm1.html").read_text())[1])
    assert statement["@type"] == "ClaimReview" and statement["itemReviewed"]["appearance"]["name"]
    errata = json.loads(script.search((site[0] / "errata/abgmu22.html").read_text())[1])
    assert errata["@type"] == "ScholarlyArticle" and errata["correction"] and errata["sameAs"]


def test_main_results_are_theorems_of_the_text():
    """Those of an appendix are its tools; one that is stated again there keeps its number."""
    labels = {paper.id: list(map(library.label, paper.contents)) for paper in library.house}
    main = {id: [label for label in given if is_main(label)] for id, given in labels.items()}
    assert main["wzw25"] == ["Theorem 4.1", "Theorem 6.5 (H.1)", "Theorem 6.7 (I.1)", "Theorem 7.1"]
    assert "Theorem, boosting" in main["abgmu22"] and "Corollary F.2" not in main["bms22"] and all(main.values())


def test_text_in_json_cannot_leave_its_element():
    assert "<" not in citations.embed_json({"name": "</script><script>alert(1)"})


def test_links_lead_to_where_a_paper_is_known_to_stand():
    work = Work(("A B",), "T", 2020, doi="10.1/x", arxiv="2001.00001", url="https://example.org/t/")
    assert [words for words, _ in citations.list_links(work)] == ["arXiv:2001.00001", "doi:10.1/x", "example.org/t"]
    assert citations.list_links(Work(("A B",), "T", 2020)) == []


def test_every_severity_and_class_has_its_words():
    assert set(SEVERITY_WORDS) == {*SEVERITIES, "factor"} - {""} and set(CLASS_WORDS) == set(CLASSES)


# Replies --------------------------------------------------------------------------------------------------------------

REPLY = """[[reply]]
about = "{about}"
author = "Ada Nobody"
date = 2026-11-30
status = "{status}"
text = "The next version says so."
"""


@pytest.fixture
def paper(tmp_path):
    (tmp_path / "paper.toml").write_text(
        'id = "replied"\nauthors = ["Ada Nobody"]\ntitle = "T"\nyear = 2026\n'
        'contact = "ada@example.org"\nchecked_by = ["Eve Reader", "Reader, Bob"]\n'
        '[contents]\n"lem1" = "Lemma 1"\n"old.lem2" = "Lemma 2"\n'
        '[sources.old]\nauthors = ["Emile Borel"]\ntitle = "Old"\nyear = 1909\n'
    )
    yield library.add(tmp_path)
    library.forget("replied")


def test_verdicts_on_a_paper_of_others_are_those_of_who_checked_it(paper):
    """And each work has a key of its own, so that one bibliography takes all."""
    row = {"paper": "replied", "reading": "printed", "part": "", "verdict": "REFUTED"}
    for id, begins in {"lem1": "@misc{replied,", "old.lem2": "@misc{replied-old,"}.items():
        cited = citations.cite_row(row | {"id": f"replied.{id}", "key": f"replied.{id}/printed", "label": id})
        assert cited.startswith(begins) and "author = {Reader, Eve and Reader, Bob}" in cited
        assert citations.AUTHORS not in cited and citations.TITLE not in cited
    shown = {"row": row | {"id": "replied.lem1", "key": "replied.lem1/printed"}, "work": paper}
    told = json.loads(citations.describe_statement(shown | dict.fromkeys(("title", "label", "word", "headline"), "")))
    assert [person["name"] for person in told["author"]] == list(paper.checked_by) and "isPartOf" not in told


def test_a_verdict_of_nobody_has_no_author(paper, monkeypatch):
    """Not an empty list of them, nor the authors of the paper, who may not have written the checks."""
    monkeypatch.setitem(library.papers, "replied", replace(paper, checked_by=()))
    row = {"id": "replied.lem1", "key": "replied.lem1/printed", "paper": "replied", "verdict": "REFUTED"}
    shown = {"row": row, "work": paper} | dict.fromkeys(("title", "label", "word", "headline"), "")
    assert "author" not in json.loads(citations.describe_statement(shown))


def test_a_reply_belongs_to_an_erratum_a_row_or_a_statement(paper):
    texts = [REPLY.format(about=about, status="confirmed") for about in ("E1", "replied.lem1")]
    (paper.folder / "replies.toml").write_text("\n".join(texts))
    said = read_replies(paper, {"E1": "replied.lem1/printed"}, {"replied.lem1/printed", "replied.lem1"})
    assert set(said) == {"replied.lem1/printed", "replied.lem1"}
    (reply,) = said["replied.lem1"]
    assert reply["date"] == date(2026, 11, 30).isoformat() and reply["words"] == "The author confirms this"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (REPLY.format(about="E9", status="confirmed"), ".*: reply 1: about must be an erratum, row or.*, got 'E9'"),
        (REPLY.format(about="E1", status="angry"), ".*: reply 1: status must be one of confirmed,.*, got 'angry'"),
        (REPLY.format(about="E1", status="comment").replace("2026-11-30", '"today"'), ".*: reply 1:.*, got 'today'"),
        (REPLY.format(about="E1", status="comment") + 'mood = "fine"\n', "mood is unknown"),
        (REPLY.format(about="E1", status="comment") + 'link = "javascript:x"\n', ".*: reply.*, got 'javascript:x'"),
        ("[reply", "cannot be read"),
    ],
)
def test_a_reply_that_cannot_be_shown_is_refused_in_one_line(paper, text, told):
    (paper.folder / "replies.toml").write_text(text)
    with pytest.raises(PaperError, match=told) as error:
        read_replies(paper, {"E1": "replied.lem1/printed"}, {"replied.lem1/printed"})
    assert "\n" not in str(error.value) and "replies.toml" in str(error.value)


@pytest.mark.slow
def test_replies_stand_on_the_errata_page_on_the_letter_and_on_the_statement(tmp_path, monkeypatch, claims):
    said = {
        "date": "2026-11-30",
        "author": "Ada",
        "text": "<b>No.</b>",
        "link": "",
        "words": "The author disputes this",
    }
    key = "abgmu22.asm1/printed/false"
    monkeypatch.setattr(errata, "read_replies", lambda paper, *_: {key: [said]} if paper.id == "abgmu22" else {})
    write(toy.decided(claims), LEDGER_ROOT, tmp_path)
    for page in ("errata/abgmu22.html", "errata/abgmu22-letter.html", "statements/abgmu22.asm1.html"):
        text = (tmp_path / page).read_text(encoding="utf-8")
        assert "The author disputes this" in text and "&lt;b&gt;No.&lt;/b&gt;" in text, page
    entries = json.loads((tmp_path / "errata/abgmu22.json").read_text())["errata"]
    assert [e["replies"] for e in entries if e["key"] == key] == [[said]]


def test_an_author_is_told_where_to_reply_only_where_somebody_said_it(paper):
    assert (
        citations.find_contact(paper) == "ada@example.org"
        and citations.make_address(citations.find_contact(paper)) == "mailto:ada@example.org"
    )
    told = dict(line.split(", ", 1) for line in metadata.metadata("lemmata").get_all("Project-URL") or [])
    assert citations.find_contact(library.papers["wzw25"]) == told.get("Contact", "")
    assert citations.make_address("https://example.org/issues") == "https://example.org/issues"


# What builds it -------------------------------------------------------------------------------------------------------


def test_the_workflow_builds_what_it_deploys(request):
    """Its commands are commands, its targets are targets, and the folder that is uploaded is the one that is made."""
    root = request.config.rootpath
    page = yaml.safe_load((root / ".github/workflows/site.yml").read_text(encoding="utf-8"))
    steps = page["jobs"]["site"]["steps"]
    commands = [step["run"].split() for step in steps if "run" in step]
    targets = [words[1] for words in commands if words[0] == "make"]
    assert all(re.search(rf"^{target}:", (root / "Makefile").read_text(), re.MULTILINE) for target in targets)
    ours = [words[1:] for words in commands if words[0].endswith("lemmata")]
    contexts = [main.commands[name].make_context(name, given) for name, *given in ours]
    assert targets == ["verify", "docs"] and commands[-1][1:] == ours[-1]  # the site is drawn of what the others made
    (upload,) = [step["with"]["path"] for step in steps if "upload-pages-artifact" in step.get("uses", "")]
    assert contexts[-1].params["publish"] == upload


# Search ---------------------------------------------------------------------------------------------------------------


@browser.needed
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Lemma 6.4", "wzw25 Lemma 6.4"),
        ("wzw25 lemma 6.4", "wzw25 Lemma 6.4"),
        ("Johnson–Lindenstrauss", "abgmu22 Remark, JL"),
        ("wzw25 E11", "wzw25 Lemma 7.2"),
        ("lemmata:wzw25:E11", "wzw25 Lemma 7.2"),
        ("https://arxiv.org/abs/2505.24737v2", "wzw25 "),
        ("theroem 4.1", "bms22 Theorem 4.1"),
        ("Jonson-Lindenstraus", "abgmu22 Remark, JL"),
    ],
)
def test_the_search_finds_names_and_puts_what_is_called_so_first(site, tmp_path, query, first):
    """In the ledger, as a reader types it, with a misprint too; the first row that is shown begins with `first`."""
    told = (
        "const shown = [...document.querySelectorAll('tr[data-text]:not(.hide)')];"
        "document.documentElement.dataset.first = shown.length + ' ' + shown[0]?.querySelector('a').innerText"
    )
    seen = browser.look(site.copy / "ledger.html", tmp_path, script=told, query=f"?{urlencode({'q': query})}")
    found = re.search(r'data-first="(\d+) ([^"]*)"', seen.stdout)
    assert found and int(found[1]) >= 1 and found[2].startswith(first), found


BROKEN = r"""
const broken = [], inText = [...document.querySelectorAll("p > a, li > a, td > a")];
for (const cell of document.querySelectorAll("td, th"))
  for (const node of [...cell.childNodes].filter(node => node.nodeType === 3))
    for (const word of node.textContent.matchAll(/[A-Za-z]{2,}/g)) {
      const range = document.createRange();
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) broken.push(word[0]);
    }
const plain = inText.filter(link => !getComputedStyle(link).textDecorationLine.includes("underline"));
document.documentElement.dataset.seen = [broken.length, plain.length, document.body.scrollWidth > innerWidth].join(" ");
"""


@browser.needed
@pytest.mark.parametrize("page", ["hardened.html", "audits.html", "wild.html"])
@pytest.mark.parametrize("width", [1400, 400])
def test_words_are_whole_and_links_are_seen_without_colour(site, tmp_path, page, width):
    """No word of a table ends on another line than it began on, and a link in a text is underlined."""
    seen = browser.look(site.copy / page, tmp_path, f"--window-size={width},1200", script=BROKEN)
    assert 'data-seen="0 0 false"' in seen.stdout, re.findall(r'data-seen="[^"]*"', seen.stdout)


@browser.needed
@pytest.mark.slow
@pytest.mark.parametrize("width", [1400, 500])
def test_pages_can_be_read_without_a_mouse_and_with_little_sight(site, tmp_path, width):
    """Contrast, names, focus, links, headings, landmarks and ids; no formula is wider than its box on a wide screen."""
    script = Path(__file__).with_name("readers.js").read_text(encoding="utf-8")
    pages = [*site.copy.glob("*.html"), *site.copy.glob("errata/*.html"), *sorted(site.copy.glob("statements/*"))[::16]]
    wrong = {}
    for page in pages:
        seen = browser.look(page, tmp_path, f"--window-size={width},1200", "--virtual-time-budget=3000", script=script)
        found = re.search(r'data-wrong="([^"]*)"', seen.stdout)
        if found is None or not found[1].startswith("0\n"):
            wrong[page.name] = found and html.unescape(found[1])
    assert not wrong, "\n".join(f"{name}: {said}" for name, said in wrong.items())


# The picture of when bounds speak -------------------------------------------------------------------------------------


def test_the_picture_has_a_dot_a_bound_that_holds_on_a_logarithmic_axis():
    def row(id, first, verdict="HOLDS", part=""):
        url = f"statements/{id}.html#{id}"
        return {"id": id, "nonvacuous_from": first, "verdict": verdict, "part": part, "reading": "explicit", "url": url}

    rows = [row("wzw25.thm4.1", 10**8), row("wzw25.thm4.1", 10**6, part="tail"), row("wzw25.lemA.5", 1)]
    rows += [row("wzw25.lemF.2", 10, "REFUTED"), row("wzw25.lemC.1", 10, part="impl:x"), row("wzw25.lemH.2", None)]
    picture = place_statements(rows)
    late, early = picture["lines"][1], picture["lines"][0]
    assert (early["label"], early["first"], early["url"]) == ("Wang 2025, Lemma A.5", 0, "statements/wzw25.lemA.5.html")
    assert (late["first"], late["last"]) == (75, 100)
    assert late["dots"][0]["words"] == "explicit tail: from n = 1,000,000"
    assert [tick["place"] for tick in picture["ticks"]] == [0, 25, 50, 75, 100]
    assert place_statements([])["lines"] == []
