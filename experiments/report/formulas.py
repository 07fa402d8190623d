"""LaTeX as MathML, with limits below min and max, and the spaces that bars and slashes want."""

from __future__ import annotations

import functools
import re
from xml.etree import ElementTree

from latex2mathml.converter import convert

BELOW = ("min", "max", "sup", "inf", "lim")
SPACES = {"|": "0", "‖": "0", "/": ".05em"}


@functools.cache
def mathml(latex: str) -> str:
    """A display formula as MathML. Raises ValueError if LaTeX survives the conversion."""
    made = convert(latex.replace(r"\setminus", "∖").replace(":=", "≔"), display="block")
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
