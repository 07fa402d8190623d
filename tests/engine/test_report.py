"""The page: formulas are MathML, nothing comes from elsewhere, figures are drawn from the store."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from bounds.theorem import THEOREMS
from experiments.engine import registry, run
from experiments.engine.ledger import ledger
from experiments.engine.store import Store
from experiments.engine.streams import LEDGER_ROOT
from experiments.report import write
from experiments.report.page import mathml
from experiments.report.summary import summary_lines
from tests.engine import toy

registry.load()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of the toy claims, with the text that is printed beside it."""
    with toy.registered() as claims:
        store = Store()
        run.execute(list(claims.values()), store)
        path, text = write(store, LEDGER_ROOT, tmp_path_factory.mktemp("reports"), publish=True)
        return path.read_text(), text


@pytest.mark.parametrize("key", THEOREMS)
def test_every_statement_becomes_mathml(key):
    assert "<math" in mathml(THEOREMS[key].says)


def test_latex_that_survives_is_an_error():
    with pytest.raises(ValueError, match="not wholly converted"):
        mathml(r"\undefinedmacro{x}")


def test_the_page_loads_nothing(page):
    html, _ = page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)""", html)
    assert "@import" not in html and "url(http" not in html


def test_the_page_is_well_formed(page):
    html, _ = page
    void, open_tags = {"meta", "input", "br", "link", "img"}, []

    class Parser(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag not in void:
                open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

        def handle_startendtag(self, tag, attrs):
            pass

    Parser().feed(html)
    assert not open_tags


def test_what_holds_is_counted_in_four_words(page):
    html, _ = page
    row = {"parent": "", "reading": "printed", "verdict": "HOLDS", "part": "", "reason": "", "cites": []}
    kinds = [("certificate", "everywhere"), ("derivation", "domain: n <= 9"), ("sampled", "settings")]
    rows = [row | {"evidence": evidence, "scope": scope} for evidence, scope in kinds]
    rows.append(rows[1] | {"cites": ["Bartlett 1998"]})
    assert summary_lines(rows)[0] == "printed statements: 1 machine-checked, 1 derived, 1 citing, 1 tested"
    assert "HOLDS · tested" in html


def test_the_page_draws_what_rests_on_what(tmp_path):
    with toy.registered() as claims:
        claims["abgmu22.asm2/printed/rests"] = replace(
            claims["abgmu22.asm2/printed/rests"], given=("abgmu22.asm1/printed/coin",)
        )
        store = Store()
        run.execute(list(claims.values()), store)
        html = write(store, LEDGER_ROOT, tmp_path)[0].read_text()
    rests = html[html.index('id="abgmu22.asm2_printed_rests"') :]
    assert '<dt>rests on</dt><dd><a href="#abgmu22.asm1_printed_coin">' in rests[: rests.index("</details>")]
    coin = html[html.index('id="abgmu22.asm1_printed_coin"') :]
    assert "<dt>falls with it</dt>" in coin[: coin.index("</details>")] and "it stands by itself" in coin


def test_the_summary_names_what_is_refuted(page):
    _, text = page
    assert "refuted as printed" in text and "abgmu22.asm1" in text and "index.html" in text


def page_with_a_corner(corrected_by, folder):
    """Row and page of the false coin, said to be true for beta <= 0, with `corrected_by` as its corrected row."""
    with toy.registered() as claims:
        key = "abgmu22.asm1/printed/false"
        fields = {"corner": "beta <= 0", "used": ("abgmu22.asm2",), "corrected_by": corrected_by}
        claims[key] = replace(claims[key], **fields)
        store = Store()
        run.execute(list(claims.values()), store)
        path, text = write(store, LEDGER_ROOT, folder)
        return next(row for row in ledger(store, LEDGER_ROOT) if row["key"] == key), path.read_text(), text


def test_a_slip_is_listed_with_where_it_is_true(tmp_path):
    row, html, text = page_with_a_corner("abgmu22.asm1/printed/coin", tmp_path)
    assert (row["verdict"], row["severity"], row["corner"]) == ("SLIP", "", "beta <= 0")
    assert "refuted as printed" not in text and "true for beta <= 0" in text
    assert "Refuted as printed" not in html
    slips = html[html.index("Slips: true with") : html.index("The ledger</h2>")]
    assert "beta &lt;= 0" in slips and "abgmu22.asm2" in slips


def test_a_slip_whose_corrected_row_does_not_hold_is_refuted(tmp_path):
    row, html, _ = page_with_a_corner("abgmu22.asm2/printed/toothless", tmp_path)
    assert (row["verdict"], row["severity"], row["corner"]) == ("REFUTED", "constant", "")
    assert "Slips: true with" not in html


def test_figures_come_with_the_verdicts(page):
    html, _ = page
    assert html.count("<svg") >= 3
    assert len(set(re.findall(r'id="([^"]+)"', html))) > 10
