"""An SVG of matplotlib without what draws nothing: a third of its size, and the same picture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
INHERITED = re.compile(r"^(fill|stroke|stroke-width|stroke-linejoin|stroke-linecap|font-size|font-family|text-anchor)$")
UNTURNED = re.compile(r"\s*rotate\(-?0(\.0)?( [-\d.]+ [-\d.]+)?\)")
INVISIBLE = "fill:none"
EVERYWHERE = {  # at the root, and nowhere below it
    "font-family": "sans-serif",
    "fill": "currentColor",
    "stroke-linejoin": "round",
    "stroke-linecap": "butt",
}
ALL = re.compile(
    r"<defs>\s*<style[^>]*>\*{[^}]*}</style>\s*</defs>"
)  # of joins and caps: it reaches out of the picture


def compact(svg: str) -> str:
    """The same picture: names that nothing refers to, groups that hold no property, and papers that are not filled go;
    a style that all of a group have stands at the group.
    """
    ElementTree.register_namespace("", SVG.strip("{}"))
    root = ElementTree.fromstring(ALL.sub("", svg))
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    for element in root.iter():
        _tidied(element, used)
    _said_once(root)
    _pruned(root)
    _hoisted(root)
    return re.sub(r">\s+<", "><", ElementTree.tostring(root, encoding="unicode"))


def _tidied(element: ElementTree.Element, used: set[str]) -> None:
    """Without a name that nobody uses, spaces inside a path, and a rotation by nothing."""
    if element.get("id") not in used:
        element.attrib.pop("id", None)
    if LINK in element.attrib:
        element.set("href", element.attrib.pop(LINK))
    if path := element.get("d"):
        element.set("d", re.sub(r"\s*([A-Za-z])\s*", r"\1", path.replace("\n", " ")).strip())
    if turned := element.get("transform"):
        element.set("transform", UNTURNED.sub("", turned).strip())
        if not element.get("transform"):
            del element.attrib["transform"]


def _said_once(root: ElementTree.Element) -> None:
    """Styles without what is inherited anyway: from the root, or by a marker that says it itself."""
    own = {f"#{element.get('id')}": _declared(element) for element in root.iter() if "id" in element.attrib}
    for element in root.iter():
        marker = own.get(element.get("href", ""), {})
        said = {k: v for k, v in _declared(element).items() if k not in marker and EVERYWHERE.get(k) != v}
        style = ";".join(f"{name}:{value}" for name, value in said.items())
        element.attrib.pop("style", None)
        if style:
            element.set("style", style)
    root.set("style", ";".join(f"{name}:{value}" for name, value in EVERYWHERE.items()))


def _declared(element: ElementTree.Element) -> dict[str, str]:
    """{property: value} of an element's style."""
    pairs = (part.split(":", 1) for part in element.get("style", "").split(";") if ":" in part)
    return {name.strip(): value.strip() for name, value in pairs}


def _pruned(parent: ElementTree.Element) -> None:
    """Without what paints nothing and groups that say nothing: their children stand in their place."""
    made: list[ElementTree.Element] = []
    for child in parent:
        _pruned(child)
        if child.tag == f"{SVG}path" and child.get("style") == INVISIBLE and "id" not in child.attrib:
            continue
        if child.tag == f"{SVG}g" and not child.attrib:
            made += child
        elif child.tag not in (f"{SVG}g", f"{SVG}defs") or len(child):
            made.append(child)
    parent[:] = made


def _hoisted(parent: ElementTree.Element) -> None:
    """Move a style that neighbours share, if they would inherit it, to a group around them."""
    for child in parent:
        _hoisted(child)
    made: list[ElementTree.Element] = []
    for style, run in _runs(parent):
        if style and len(run) > 2 and all(INHERITED.match(name) for name in re.findall(r"([\w-]+):", style)):
            group = ElementTree.Element(f"{SVG}g", style=style)
            for child in run:
                del child.attrib["style"]
            group.extend(run)
            made.append(group)
        else:
            made += run
    parent[:] = made


def _runs(parent: ElementTree.Element) -> Iterator[tuple[str, list[ElementTree.Element]]]:
    """(style, neighbours that have it), in order."""
    run: list[ElementTree.Element] = []
    for child in parent:
        if run and child.get("style", "") != run[0].get("style", ""):
            yield run[0].get("style", ""), run
            run = []
        run.append(child)
    if run:
        yield run[0].get("style", ""), run
