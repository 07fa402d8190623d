"""What all pages have in common: templates, navigation, stylesheet, and one font for what is raised or lowered."""

import base64
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup, escape

from lemmata.bounds.catalogue.paper_file import clean_text
from lemmata.bounds.library import library
from lemmata.experiments.engine.ledger import graph
from lemmata.experiments.report import citations, outcomes, words

Nav = tuple[tuple[str, str], ...]  # what the head of every page links to: words, page
OWN: Nav = (("Errata", "errata/index.html"), ("Ledger", "ledger.html"), ("How verdicts are made", "verdicts.html"))
NAV: Nav = (
    *OWN[:2],
    ("Nonvacuous bounds", "bounds.html"),
    ("Audits", "audits.html"),
    ("In the wild", "wild.html"),
    ("Learners", "comparison.html"),
    ("Benchmark", "benchmark.html"),
    ("Floating point", "hardened.html"),
    OWN[2],
)
DOCUMENTATION = ("Documentation", "docs/index.html")  # linked where `make docs` has built it
# What a page may load: the files of the site, also from a disk. A browser refuses all else, and scripts inside a page.
POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱᴶᴷᴸᵀⱽᵃᵅᵈᵉᵍᵏᵐᵖᵗˣʸᶻ"
LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₘₙᵣₜ"
MANY = r"(?<![\w.,/#:])(?<!\w-)\d{5,}(?!\w|[.,]\d)"  # digits of a count, and not of a name, a date or a fraction
LETTER, HELD = r"log|fat|[A-Za-zα-ωΑ-Ωℓ]", r"(?P<index>\w{1,3})(?![\w_])|{(?P<held>[^{}<]{1,9})}"
INDEX = rf"(?<![A-Za-zα-ωΑ-Ω_./<-])(?P<letter>{LETTER})_(?:{HELD})"  # h_max, S_out, ρ_opt, F_4, fat_{ρ/32}
ROW = re.compile(f"(?P<sup>[{RAISED}]+)|(?P<sub>[{LOWERED}]+)|(?P<many>{MANY})|(?P<named>{INDEX})")
VERBATIM = re.compile(
    r"<(pre(?! class=\"prose\")|code|title|script|style|option|math|svg)\b.*?</\1>|<[^>]*>", re.DOTALL
)


class FurtherPages(NamedTuple):
    """Pages that a site has beside its own: the whole navigation with them, and what makes them.

    `pages` takes the reports folder and what renders, (template, path, **values) -> (path, page).
    """

    nav: Nav
    pages: Callable[[Path, Callable[..., tuple[str, str]]], list[tuple[str, str]]]


@cache
def load_templates() -> jinja2.Environment:
    """The templates."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("lemmata.experiments.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "page": lambda id: words.find_page(id).removeprefix("statements/"),
        "page_from_root": words.find_page,
        "capitalized": words.capitalize,
        "coded": mark_up_code,
        "promise": outcomes.describe_promise,
        "pair": outcomes.describe_pair,
        "attacked": outcomes.describe_attack,
        "cited": lambda id: f"{library.label(id)} of {library.work(id).cited}",
    }
    made.globals["outcome"] = outcomes.describe_outcome
    return made


def render_page(template: str, path: str, *, nav: Nav = NAV, **values: object) -> tuple[str, str]:
    """(path below reports/, the page)."""
    up = "../" * path.count("/")
    common = {"root_path": up, "here": path, "nav": nav, "classes": graph.CLASSES, "policy": Markup(POLICY)}
    common |= {"version": citations.read_version(), "edition": citations.read_edition(), "date": citations.read_date()}
    values = common | {"structured": "", "contact": "", **values}
    return path, clean_text(mark_up_symbols(load_templates().get_template(template).render(**values)))


def mark_up_symbols(page: str) -> str:
    """A page with its raised and lowered characters as elements, since few fonts have all of them, and browsers mix
    several; so are indices like S_out; and with commas in numbers of five digits and more. What is verbatim stays so.

    >>> mark_up_symbols("<p>10⁻²⁷⁰ of xᵢ in S_out from n = 6000000</p><code>6000000</code>")
    '<p>10<sup>−270</sup> of x<sub>i</sub> in S<sub>out</sub> from n = 6,000,000</p><code>6000000</code>'
    """
    made, last = [], 0
    for kept in VERBATIM.finditer(page):
        made += [ROW.sub(_write_element, page[last : kept.start()]), kept[0]]
        last = kept.end()
    return "".join([*made, ROW.sub(_write_element, page[last:])])


def mark_up_code(text: str) -> Markup:
    """Text with what stands in backquotes as code.

    >>> mark_up_code("`a < b` of 1 < 2")
    Markup('<code>a &lt; b</code> of 1 &lt; 2')
    """
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(text))))


def _write_element(found: re.Match[str]) -> str:
    """A run of raised or lowered characters as an element with plain ones; a number with commas."""
    tag = found.lastgroup
    if tag == "many":
        return f"{int(found[0]):,}"
    if tag == "named":
        return f"{found['letter']}<sub>{found['index'] or found['held']}</sub>"
    plain = unicodedata.normalize("NFKC", found[0]).replace("ɑ", "α")
    return f"<{tag}>{plain}</{tag}>"


def read_static_files() -> dict[str, str]:
    """The stylesheet, with the font inside, and the script."""
    folder = resources.files("lemmata.experiments.report") / "static"
    font = base64.b64encode((folder / "stix-two-math.woff2").read_bytes()).decode()
    style = (folder / "style.css").read_text(encoding="utf-8")
    return {
        "site/style.css": style.replace("FONT", f"data:font/woff2;base64,{font}"),
        "site/script.js": (folder / "script.js").read_text(encoding="utf-8"),
    }
