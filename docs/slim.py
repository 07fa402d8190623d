"""Built pages without what nobody sees: themes and highlighters are generous, and a site is sent on as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

AUTHORS = "*.map", "webpack-macros.html"  # what only the theme's authors read
VERBATIM = re.compile(r"(<(?:pre|script|textarea)\b.*?</(?:pre|script|textarea)>)", re.DOTALL)
SPACE = re.compile(r"\s*\n\s*")
NOTE = re.compile(r"<!--.*?-->\n?", re.DOTALL)
VERSION = re.compile(r"(\.(?:css|js))\?(?:digest|v)=[0-9a-f]+")  # of a file that stands beside the page
WRAPPED = re.compile(r'<span class="pre">([^<]*)</span>')  # against a line break inside a word of code
BLANK = re.compile(r'<span class="w">([ \n]+)</span>|<span></span>')
FOR_OTHERS = re.compile(
    r'<link (?:href="[^"]*" )?rel="(?:next|prev|search|preload)"[^>]*>\n?|<meta name="docsearch[^>]*>\n?'
)
SEARCH = re.compile(r'<script src="[./]*(?:_static/(?:searchtools|language_data)|searchindex)\.js"></script>\n?')
GALLERY = re.compile(r'<(?:link rel="stylesheet"[^>]*|script src="[^"]*)/(?:sg_gallery|sg-tags)[^>]*>(?:</script>)?\n?')
ICONS = re.compile(r'<script defer src="[^"]*/fontawesome\.js"></script>\n?')  # draws what the font of icons has too
FACE = re.compile(r"@font-face{[^}]*fa-(?:brands|regular)-400[^}]*}")  # all of our icons are solid
NAME = re.compile(r"[.#]((?:[\w-]|\\.)+)")  # of a class or an id, in a selector
COLOURS = 128  # of a plot


def slimmed(folder: Path) -> None:
    """Every page and every file beside them, in place. The index of the search is loaded where one searches."""
    static = folder / "_static"
    for path in [path for name in AUTHORS for path in static.rglob(name)]:
        path.unlink()
    for path in folder.rglob("*.html"):
        made = page(path.read_text(encoding="utf-8"))
        made = made if path.name == "search.html" else SEARCH.sub("", made)
        styled = "sphx-glr" in made or "dataframe" in made
        path.write_text(made if styled else GALLERY.sub("", made), encoding="utf-8")
    said = {word for path in files(folder, "html", "js") for word in re.findall(r"[\w-]+", path.read_text("utf-8"))}
    for path in static.rglob("*.css"):
        path.write_text(styles(FACE.sub("", path.read_text(encoding="utf-8")), said), encoding="utf-8")
    for path in unused(folder):
        path.unlink()
    for path in (folder / "_images").glob("*.png"):
        with Image.open(path) as picture:
            few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(path, optimize=True)


def files(folder: Path, *endings: str) -> Iterator[Path]:
    """Those below a folder that end so."""
    return (path for ending in endings for path in folder.rglob(f"*.{ending}"))


def page(text: str) -> str:
    """A page without indents, notes and elements around blanks; what is verbatim keeps its lines.

    >>> page('<p>\\n  <!-- of the theme -->\\n  <a href="x.css?v=1f">a</a></p><pre>x\\n<span class="w"> </span>y</pre>')
    '<p>\\n<a href="x.css">a</a></p><pre>x\\n y</pre>'
    """
    parts = VERBATIM.split(text)
    parts[::2] = [SPACE.sub("\n", FOR_OTHERS.sub("", NOTE.sub("", part))) for part in parts[::2]]
    made = BLANK.sub(lambda found: found[1] or "", WRAPPED.sub(r"\1", "".join(parts)))
    made = made.replace("</title>", '</title>\n<link rel="icon" href="data:,">', 1)  # or browsers ask for one
    return ICONS.sub("", VERSION.sub(r"\1", made)).replace('class="docutils literal', 'class="literal')


def styles(css: str, said: set[str]) -> str:
    """A stylesheet without the rules for classes and ids that no page and no program names.

    >>> styles(".a,.b:not(.c){x:1}@media print{.c{y:2}}@charset 'u';p{z:3}", {"a"})
    ".a{x:1}@charset 'u';p{z:3}"
    """
    kept, at = [], 0
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    while found := re.compile(r"[{;]").search(css, at):
        start, end = css[at : found.start()], found.end()
        if found[0] == "{":
            depth = 1
            while depth:
                brace = re.compile(r"[{}]").search(css, end)
                assert brace, f"a stylesheet has no end after {start!r}"
                depth, end = depth + (1 if brace[0] == "{" else -1), brace.end()
        body = css[found.end() : end - 1]
        if found[0] == ";":
            kept.append(css[at:end])
        elif start.lstrip().startswith(("@media", "@supports", "@starting-style")):
            inner = styles(body, said)
            kept += [f"{start}{{{inner}}}"] if inner.strip() else []
        elif start.lstrip().startswith("@"):
            kept.append(css[at:end])
        elif chosen := [one for one in re.split(r",(?![^(]*\))", start) if named(one) <= said]:
            kept.append(f"{','.join(chosen)}{{{body}}}")
        at = end
    return "".join(kept)


def named(selector: str) -> set[str]:
    """The classes and ids that an element must have for a selector to be about it."""
    plain = re.sub(r":(?:not|is|where|has)\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]", "", selector)
    return {re.sub(r"\\(.)", r"\1", name) for name in NAME.findall(plain)}


def unused(folder: Path) -> list[Path]:
    """The files of the theme that no page, style or program names."""
    named = {
        name
        for path in files(folder, "html", "css", "js")
        for name in re.findall(r"[\w.-]+\.\w+", path.read_text("utf-8"))
    }
    static = [path for path in (folder / "_static").rglob("*") if path.is_file()]
    return [path for path in static if path.name not in named and not path.name.endswith("LICENSE.txt")]
