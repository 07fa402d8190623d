"""LaTeX as MathML, with limits below min and max, and the spaces that bars and slashes want."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from xml.etree import ElementTree

from latex2mathml.converter import convert

BELOW = ("min", "max", "sup", "inf", "lim")
PLACED = ("mfrac", "msqrt", "mroot", "msup", "msub", "msubsup", "munder", "mover", "munderover")
SPACES = {"|": "0", "‖": "0", "/": ".05em"}


@functools.cache
def mathml(latex: str) -> str:
    """A display formula as MathML. Raises ValueError if LaTeX survives the conversion."""
    latex = latex.replace(r"\setminus", "∖").replace(":=", "≔").replace(r"\arg", r"\mathrm{arg}")
    made = convert(latex, display="block")
    made = made.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    if "\\" in made:
        left = ", ".join(re.findall(r"[\\]\w*", made))
        raise ValueError(f"says = {latex!r} is not wholly converted: {left}")
    root = ElementTree.fromstring(made)
    for element in root.iter():
        if element.tag == "msub" and element[0].tag == "mo" and element[0].text in BELOW:
            element.tag = "munder"
        if element.tag == "mo" and element.text in SPACES:
            element.attrib |= dict.fromkeys(("lspace", "rspace"), SPACES[element.text])
    return ElementTree.tostring(root, encoding="unicode")


def compared(printed: str, corrected: str) -> tuple[str, str]:
    """Both as MathML, with class `changed` on every symbol of one that the other does not have in its place.

    Symbols are compared with their places, numerator or denominator, script or base: a fraction turned over differs in
    all of them. Where less than a third is common nothing is marked: then the whole formula is another.
    """
    roots = [ElementTree.fromstring(mathml(latex)) for latex in (printed, corrected)]
    leaves = [list(_leaves(root)) for root in roots]
    ours, theirs = ([place for _, place in side] for side in leaves)
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    if matcher.ratio() > 1 / 3:
        kept = [
            {i for block in matcher.get_matching_blocks() for i in range(block[s], block[s] + block.size)}
            for s in (0, 1)
        ]
        for side, same in zip(leaves, kept, strict=True):
            for i, (element, _) in enumerate(side):
                if i not in same:
                    element.attrib["class"] = "changed"
    return ElementTree.tostring(roots[0], encoding="unicode"), ElementTree.tostring(roots[1], encoding="unicode")


def _leaves(element: ElementTree.Element, place: str = "") -> Iterator[tuple[ElementTree.Element, tuple[str, str]]]:
    """(symbol, (its text, its place in the nearest fraction, root or script)) in reading order."""
    if len(element) == 0:
        yield element, (element.text or "", place)
    for i, child in enumerate(element):
        yield from _leaves(child, f"{element.tag}{i}" if element.tag in PLACED else place)
