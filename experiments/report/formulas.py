"""LaTeX as MathML, with limits below min and max, and the spaces that bars and slashes want."""

import functools
import html
import re
from collections.abc import Iterable, Iterator
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
RELATIONS, SUMS, COMMAS = "=≤≥≔<>≈≠⇒⟹⇔∼", "+−", ",;:"  # where a line may end
SHORT, NAME = 24, 5  # symbols of a formula that stays in one line, and of a left side that stays with its right
WORDS = re.compile(r"\\mathrm\{((?:[A-Za-z0-9.,:;()' -]|\\ )+)\}")
JOINED = re.compile(r"\\mathrm\{([^{}]*\\ [^{}]*)\}-\\mathrm\{([^{}]*)\}")
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
    latex = _set_words(latex)
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


def _set_words(latex: str) -> str:
    r"""Upright words with a hyphen or a full stop as text, in which these are no minus and no product.

    >>> print(_set_words(r"\mu\mathrm{-GDP}\ \mathrm{w.p.}\ \mathrm{part\ tail}-\mathrm{off}"))
    \mu\text{-GDP}\ \text{w.p.}\ \text{part tail-off}
    """
    while (joined := JOINED.sub(r"\\mathrm{\1-\2}", latex)) != latex:
        latex = joined
    return WORDS.sub(lambda found: _as_text(found[1]) if {"-", "."} & {*found[1]} else found[0], latex)


def _as_text(words: str) -> str:
    return rf"\text{{{words.replace(chr(92), '')}}}"


def break_lines(mathml: str) -> str:
    """A long display formula as pieces side by side, between which a line may end.

    A piece begins with a relation, or with the sign of a sum where the piece is long itself; or it ends with a comma or
    a space. Brackets hold together.
    """
    root = ElementTree.fromstring(mathml)
    if len(root) != 1 or root[0].tag != "mrow" or _count(root) <= SHORT:
        return mathml
    pieces = [
        part
        for one in _cut(root[0], RELATIONS)
        for part in (_cut(one, SUMS) if sum(map(_count, one)) > SHORT else [one])
    ]
    made = []
    for piece in pieces:
        part = ElementTree.Element("math", {"display": "block"} if len(pieces) == 1 else {"displaystyle": "true"})
        part.extend(piece)
        made.append(ElementTree.tostring(part, encoding="unicode"))
    return "<wbr>".join(made)


def _count(element: ElementTree.Element) -> int:
    """The symbols of a part of a formula."""
    return sum(len(inner) == 0 for inner in element.iter())


def _cut(row: Iterable[ElementTree.Element], signs: str) -> list[list[ElementTree.Element]]:
    """A row in pieces, cut before each of `signs` and after commas and spaces, outside of brackets."""
    pieces: list[list[ElementTree.Element]] = [[]]
    depth = 0
    for child in row:
        sign = (child.text or " ") if child.tag == "mo" else " "
        depth += (sign in OPEN) - (sign in CLOSED)
        last = pieces[-1][-1] if pieces[-1] and depth == 0 else None
        begins = last is not None and sign in signs and last.tag not in ("mo", "mspace")
        begins = begins and sum(map(_count, pieces[-1])) > NAME  # a letter stays with what it is equal to
        if begins:
            child.attrib["form"] = "infix"  # as where a term stands before it
        if begins or (last is not None and _ends(last) and not _is_space(child)):
            pieces.append([])
        pieces[-1].append(child)
    return pieces


def _ends(element: ElementTree.Element) -> bool:
    """Whether a line may end after an element: a comma, or a space that is no thin one."""
    return _is_space(element) or (element.tag == "mo" and (element.text or " ") in COMMAS)


def _is_space(element: ElementTree.Element) -> bool:
    return (element.text or "").isspace() or (element.tag == "mspace" and element.get("width") != THIN)


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
