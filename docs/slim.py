"""Built pages without what nobody sees: themes and highlighters are generous, and a site is sent on as a whole."""

from __future__ import annotations

import re
from pathlib import Path

AUTHORS = "*.map", "webpack-macros.html"  # what only the theme's authors read
FONTS = "fa-brands-400", "fa-regular-400"  # of icons: all of ours are solid
FACE = re.compile(rf"@font-face{{[^}}]*(?:{'|'.join(FONTS)})[^}}]*}}")
VERBATIM = re.compile(r"(<(?:pre|script|textarea)\b.*?</(?:pre|script|textarea)>)", re.DOTALL)
SPACE = re.compile(r"\s*\n\s*")
NOTE = re.compile(r"<!--.*?-->\n?", re.DOTALL)
VERSION = re.compile(r"(\.(?:css|js))\?(?:digest|v)=[0-9a-f]+")  # of a file that stands beside the page
WRAPPED = re.compile(r'<span class="pre">([^<]*)</span>')  # against a line break inside a word of code
SEARCH = re.compile(r'<script src="[./]*(?:_static/(?:searchtools|language_data)|searchindex)\.js"></script>\n?')
BLANK = re.compile(r'<span class="w">([ \n]+)</span>|<span></span>')


def slimmed(folder: Path) -> None:
    """Every page and every file beside them, in place. The index of the search is loaded where one searches."""
    static = folder / "_static"
    for path in [path for name in AUTHORS for path in static.rglob(name)]:
        path.unlink()
    for path in static.rglob("*.css"):
        path.write_text(FACE.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
    for path in folder.rglob("*.html"):
        made = page(path.read_text(encoding="utf-8"))
        path.write_text(made if path.name == "search.html" else SEARCH.sub("", made), encoding="utf-8")
    for path in unused(folder):
        path.unlink()


def page(text: str) -> str:
    """A page without indents, notes and elements around blanks; what is verbatim keeps its lines.

    >>> page('<p>\\n  <!-- of the theme -->\\n  <a href="x.css?v=1f">a</a></p><pre>x\\n<span class="w"> </span>y</pre>')
    '<p>\\n<a href="x.css">a</a></p><pre>x\\n y</pre>'
    """
    parts = VERBATIM.split(text)
    parts[::2] = [SPACE.sub("\n", VERSION.sub(r"\1", NOTE.sub("", part))) for part in parts[::2]]
    made = "".join(VERSION.sub(r"\1", part) if part.startswith("<script") else part for part in parts)
    return BLANK.sub(lambda found: found[1] or "", WRAPPED.sub(r"\1", made))


def unused(folder: Path) -> list[Path]:
    """The files of the theme that no page, style or program names, and no picture or font of theirs."""
    static = [path for path in (folder / "_static").rglob("*") if path.is_file()]
    readers = [path for path in [*folder.rglob("*.html"), *folder.rglob("*.css"), *folder.rglob("*.js")]]
    named = set()
    for path in readers:
        named |= set(re.findall(r"[\w.-]+\.\w+", path.read_text(encoding="utf-8")))
    return [path for path in static if path.name not in named and not path.name.endswith("LICENSE.txt")]
