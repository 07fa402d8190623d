"""LaTeX as MathML, with limits below min and max, and the spaces that bars and slashes want."""

import functools
import html
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from xml.etree import ElementTree

from latex2mathml.converter import convert_to_element

BELOW = ("min", "max", "sup", "inf", "lim")
PLACED = ("mfrac", "msqrt", "mroot", "msup", "msub", "msubsup", "munder", "mover", "munderover")
FUNCTIONS = (
    "log",
    "ln",
    "exp",
    "Pr",
    "max",
    "min",
    "sup",
    "inf",
    "sin",
    "cos",
    "cosh",
    "coth",
    "tanh",
    "arcsin",
    "poly",
)
THIN = ".17em"  # before and after the name of a function, where no operator or bracket stands
OPEN, CLOSED = "([{⟨⌈⌊", ")]}⟩⌉⌋"
SPACES = {"|": "0", "‖": "0", "/": ".05em"}
# All that a formula may be made of. A paper is a stranger's, and its LaTeX can ask for links, styles and classes.
ELEMENTS = frozenset(
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msup msub msubsup munder mover munderover mtable mtr mtd mstyle "
    "mpadded mphantom menclose".split()
)
ATTRIBUTES = frozenset(
    "display mathvariant stretchy symmetric lspace rspace width height depth voffset displaystyle scriptlevel minsize "
    "maxsize linethickness accent accentunder movablelimits largeop separator form columnalign columnlines rowlines "
    "columnspacing rowspacing columnspan notation mathcolor mathbackground".split()
)
LONGEST, DEEPEST = 200, 100  # characters of a formula in a message, and levels of one on a page
PLAIN = re.compile(r"[\w .,%#+-]*")  # what an attribute may say: a number, a length, a colour, a word


@functools.cache
def convert_to_mathml(latex: str) -> str:
    """A display formula as MathML. Raises ValueError if LaTeX survives the conversion."""
    latex = latex.replace(r"\setminus", "∖").replace(":=", "≔").replace(r"\arg", r"\mathrm{arg}")
    try:
        root = convert_to_element(latex, display="block")
    except Exception as error:  # of each kind that the parser raises, all of them about the LaTeX
        raise ValueError(f"says = {latex[:LONGEST]!r} cannot be converted ({type(error).__name__})") from None
    level, depth = [root], 0
    while level:
        level, depth = [inner for element in level for inner in element], depth + 1
    if depth > DEEPEST:
        raise ValueError(f"says = {latex[:LONGEST]!r} is nested more than {DEEPEST} deep")
    for element in root.iter():
        _keep_plain(element)
    if left := re.findall(r"[\\]\w*", "".join(root.itertext())):
        raise ValueError(f"says = {latex[:LONGEST]!r} is not wholly converted: {', '.join(left)}")
    for element in root.iter():
        if element.tag == "msub" and element[0].tag == "mo" and element[0].text in BELOW:
            element.tag = "munder"
        if element.tag == "mo" and element.text in SPACES:
            element.attrib |= dict.fromkeys(("lspace", "rspace"), SPACES[element.text])
        element.attrib.pop("fence", None)  # paints nothing
        if element.tag == "mi" and len(element.text or "") > 1:
            element.attrib.pop("mathvariant", None)  # a name of several letters is upright anyway
    for element in list(root.iter()):
        _set_spacing(element)
    return ElementTree.tostring(root, encoding="unicode")


def _keep_plain(element: ElementTree.Element) -> None:
    """Leave of an element what a formula needs: its text as text, and attributes that only say how it looks."""
    element.tag = element.tag if element.tag in ELEMENTS else "mrow"
    kept = {name: value for name, value in element.items() if name in ATTRIBUTES and PLAIN.fullmatch(value)}
    element.attrib.clear()
    element.attrib.update(kept)
    element.text = html.unescape(element.text or "") or None  # symbols come as references


def _set_spacing(row: ElementTree.Element) -> None:
    """Put thin spaces around the names of functions in a row: d log m, and not dlogm."""
    if row.tag in PLACED:
        return
    for child in list(row):
        if not _is_function_name(child):
            continue
        place = list(row).index(child)
        before, after = row[place - 1] if place else None, row[place + 1] if place + 1 < len(row) else None
        if after is not None and not _is_operator(after):
            row.insert(place + 1, ElementTree.Element("mspace", width=THIN))
        if before is not None and not _is_operator(before, closing=False) and before.tag != "mspace":
            row.insert(place, ElementTree.Element("mspace", width=THIN))


def _is_function_name(element: ElementTree.Element) -> bool:
    """Whether an element is the name of a function, alone or with a script."""
    name = element[0] if element.tag in ("msub", "msup", "munder", "msubsup") and len(element) else element
    return name.tag in ("mi", "mo") and name.text in FUNCTIONS


def _is_operator(element: ElementTree.Element, closing: bool = True) -> bool:
    """Whether what stands there has spaces of its own, or is a bracket; one that closes counts if `closing`."""
    return element.tag == "mo" and (closing or (element.text or "") not in CLOSED)


def mark_differences(printed: str, corrected: str) -> tuple[str, str]:
    """Both as MathML, with class `changed` on every symbol of one that the other does not have in its place.

    Symbols are compared with their places, numerator or denominator, script or base: a fraction turned over differs in
    all of them. Where less than a third is common nothing is marked: then the whole formula is another.
    """
    roots = [ElementTree.fromstring(convert_to_mathml(latex)) for latex in (printed, corrected)]
    leaves = [list(_iterate_leaves(root)) for root in roots]
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
            _balance([element for element, _ in side])
    return ElementTree.tostring(roots[0], encoding="unicode"), ElementTree.tostring(roots[1], encoding="unicode")


def _balance(leaves: list[ElementTree.Element]) -> None:
    """Mark brackets in pairs: both where all that they hold is marked, else neither; a hole of one symbol is filled."""
    marked = ["class" in leaf.attrib for leaf in leaves]
    for i in range(1, len(leaves) - 1):
        marked[i] = marked[i] or (marked[i - 1] and marked[i + 1] and (leaves[i].text or "") not in OPEN + CLOSED)
    stack: list[int] = []
    for i, leaf in enumerate(leaves):
        if leaf.text and leaf.text in OPEN:
            stack.append(i)
        elif leaf.text and leaf.text in CLOSED and stack:
            start = stack.pop()
            if marked[start] != marked[i]:
                marked[start] = marked[i] = all(marked[start + 1 : i])
    for leaf, mark in zip(leaves, marked, strict=True):
        leaf.attrib.pop("class", None)
        if mark:
            leaf.attrib["class"] = "changed"


def _iterate_leaves(
    element: ElementTree.Element, place: str = ""
) -> Iterator[tuple[ElementTree.Element, tuple[str, str]]]:
    """(symbol, (its text, its place in the nearest fraction, root or script)) in reading order."""
    if len(element) == 0 and element.tag != "mspace":
        yield element, (element.text or "", place)
    for i, child in enumerate(element):
        yield from _iterate_leaves(child, f"{element.tag}{i}" if element.tag in PLACED else place)
