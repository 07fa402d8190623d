"""The documentation of this repository as pages of the site: what stands in Markdown, with links that stay inside."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lemmata.experiments.report import dress

ROOT = Path(__file__).resolve().parents[1]
NAV = (
    *dress.NAV[:-1],
    ("Documentation", "docs/index.html"),
    ("Speed", "speed.html"),
    ("Scaling", "scaling.html"),
    dress.NAV[-1],
)
DOCS = {  # file -> what its link says
    "README.md": "What there is, and how it is used",
    "docs/your-own-theorem.md": "Your own theorem: from an empty folder to verdicts, pages and tests",
    "docs/cluster.md": "A run on a cluster, and what is looked at before a worker is believed",
    "CONTRIBUTING.md": "Adding a theorem, a law or a learner to this project",
    "docs/releasing.md": "Releasing",
    "docs/licences.md": "What Lemmata stands on, and the licences of it",
    "CHANGELOG.md": "What changed, wrong guarantees first",
}


def docs_pages(page: Callable[..., tuple[str, str]]) -> list[tuple[str, str]]:
    """A contents page and a page a file; `page` renders (template, path, **values)."""
    entries = [(place(file).removeprefix("docs/"), says) for file, says in DOCS.items()]
    made = [page("docs.html.j2", "docs/index.html", title="Documentation", entries=entries, body="")]
    for file, says in DOCS.items():
        body = html((ROOT / file).read_text(encoding="utf-8"), file)
        made.append(page("docs.html.j2", place(file), title=says, entries=[], body=body))
    return made


def place(file: str) -> str:
    """Where a file of `DOCS` stands on the site: `docs/your-own-theorem.html`."""
    return f"docs/{PurePosixPath(file).stem.lower()}.html"


def html(text: str, file: str) -> str:
    """Markdown as HTML: headings have ids, links lead to pages of this site or out, and other links are plain words."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(text)
    taken: set[str] = set()
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _slug(tokens[i + 1].content, taken))
        if token.children:
            token.children = _linked(token.children, file)
    return str(parser.renderer.render(tokens, parser.options, {}))


def _slug(heading: str, taken: set[str]) -> str:
    """The id of a heading, as hosts of Markdown make it: `what-the-verdicts-mean`."""
    slug = first = re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")
    number = 0
    while slug in taken:
        number += 1
        slug = f"{first}-{number}"
    taken.add(slug)
    return slug


def _linked(tokens: list[Token], file: str) -> list[Token]:
    """Inline tokens with links as they are on the site; pictures are left out, for the site has its own."""
    made, dead = [], False
    for token in tokens:
        if token.type == "link_open":
            target = _target(str(token.attrGet("href")), file)
            dead = target is None
            token.attrSet("href", target or "")
        if token.type == "image" or (dead and token.type in ("link_open", "link_close")):
            continue
        made.append(token)
    return made


def _target(link: str, file: str) -> str | None:
    """Where a link of `file` leads on the site; None if what it names is not there."""
    if re.match(r"[a-z]+:", link) or link.startswith("#"):
        return link
    path, _, fragment = link.partition("#")
    named = (ROOT / file).parent.joinpath(path).resolve()
    inside = named.relative_to(ROOT).as_posix() if named.is_relative_to(ROOT) else ""
    if inside in DOCS:
        return place(inside).removeprefix("docs/") + (f"#{fragment}" if fragment else "")
    return f"../{inside.removeprefix('reports/')}" if re.fullmatch(r"reports/\w+\.html", inside) else None
