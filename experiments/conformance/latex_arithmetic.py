"""The arithmetic terms of a formula in LaTeX, as functions of its letters.

latex2mathml reads the LaTeX. What stands between relations and commas, also in brackets, is a term if it consists of
numbers, letters, fractions, powers, roots and elementary functions. Everything else is left out: sums, integrals,
expectations, what an O(.) holds. As a / b c means a / (b c) to some authors and (a / b) c to others, such a term is
read in both ways.
"""

import contextlib
import math
import operator
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, fromstring

from latex2mathml.converter import convert

BOUNDS = "≤≥<>="  # after which a text has its number
RELATIONS = f"{BOUNDS}∝≍∼≠∈⇒→⇔↦∀∃"
SEPARATORS = ",:;\xa0"
PLUS, TIMES, OVER = "+−-", "·⋅×", "/∕"
OPEN = {"(": ")", "[": "]", "{": "}", "⌈": "⌉", "⌊": "⌋", "|": "|", "‖": "‖"}
ORDERS = ("O", "Õ", "Ω", "Ω̃", "Θ", "Θ̃", "o")
FUNCTIONS: dict[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in "log exp sin cos tan sinh cosh tanh".split()},
    **{f"arc{name}": getattr(math, f"a{name}") for name in ("sin", "cos", "tan")},
    **{"ln": math.log, "max": max, "min": min, "coth": lambda x: 1 / math.tanh(x)},
}
BRACKETS: dict[str, Callable[[float], float]] = {  # whole numbers may be computed with a rounding error
    "⌈": lambda x: math.ceil(x - 1e-9),
    "⌊": lambda x: math.floor(x + 1e-9),
}
ORNAMENTS = ("*", "∗", "⋆", "′", "⊤")  # of a letter, where others have an exponent
SAME = str.maketrans({"ϵ": "ε", "ϕ": "φ", "∥": "‖", "∣": "|", "⩽": "≤", "⩾": "≥", "⟹": "⇒", "⟺": "⇔", "∗": "*"})
Value = Callable[[Mapping[str, float]], Any]
Row = Sequence[Element]


class NoArithmetic(ValueError):
    """Something that is no number, letter, operation or elementary function."""


class Term(NamedTuple):
    """A term: its letters, its value at numbers for these, and whether a text may have its number there."""

    letters: frozenset[str]
    value: Value
    bounds: bool
    inside: bool  # of brackets

    def replace(self, letter: str, by: "Term") -> "Term":
        """The term with another one for a letter."""
        value = self.value
        return self._replace(
            letters=self.letters - {letter} | by.letters, value=lambda at: value({**at, letter: by.value(at)})
        )


def apply(function: Callable[..., Any], *values: Value) -> Value:
    """A function of the values."""
    return lambda at: function(*(value(at) for value in values))


def text_of(element: Element) -> str:
    """The symbols of an element, as a name."""
    return unicodedata.normalize("NFC", "".join(element.itertext()).translate(SAME))


def row_of(element: Element) -> list[Element]:
    """What stands side by side in an element, rows in it opened, without small spaces."""
    if element.tag not in ("math", "mrow", "mstyle", "msqrt"):
        return [element]
    parts = (row_of(child) if child.tag in ("mrow", "mstyle") else [child] for child in element)
    return [child for part in parts for child in part if child.tag != "mspace"]


def base_of(element: Element) -> Element:
    """An element without its scripts."""
    return element[0] if element.tag in ("msup", "msub", "msubsup") else element


def find_closing(row: Row, start: int) -> int:
    """The place of the bracket that closes the one at `start`; bars close at the next ones."""
    opened, depth = text_of(row[start]), 0
    for place in range(start + 1, len(row)):
        sign = text_of(base_of(row[place]))
        if sign == OPEN[opened] and depth == 0:
            return place
        depth += (sign == opened) - (sign == OPEN[opened])
    raise NoArithmetic(f"{opened} is not closed")


def split(row: Row, signs: str) -> Iterator[tuple[str, Row]]:
    """(sign before it, part) of a row, at the signs that stand in no bracket."""
    start, place, before = 0, 0, ""
    while place < len(row):
        sign = text_of(row[place])
        if sign in OPEN:
            with contextlib.suppress(NoArithmetic):
                place = find_closing(row, place)
        elif sign and sign in signs:
            yield before, row[start:place]
            start, before = place + 1, sign
        place += 1
    yield before, row[start:]


@dataclass
class Reader:
    """A row as arithmetic; `tight`: a / b c is a / (b c)."""

    row: Row
    tight: bool
    letters: set[str] = field(default_factory=set)
    place: int = 0

    def peek(self) -> str:
        """The sign or letter that comes next."""
        return text_of(self.row[self.place]) if self.place < len(self.row) else ""

    def take(self, signs: str) -> str:
        """The next sign, if it is one of these."""
        found = self.peek() if self.peek() in signs else ""
        self.place += bool(found)
        return found

    def inner(self, row: Row) -> Value:
        """The value of another row."""
        return Reader(row, self.tight, self.letters).read()

    def read(self) -> Value:
        """The value of the whole row."""
        value = self.read_sum()
        if self.place < len(self.row):
            raise NoArithmetic(f"{self.peek()} is not arithmetic")
        return value

    def read_sum(self) -> Value:
        sign = self.take(PLUS)
        value = self.read_product()
        value = value if sign in ("", "+") else apply(operator.neg, value)
        while sign := self.take(PLUS):
            value = apply(operator.add if sign == "+" else operator.sub, value, self.read_product())
        return value

    def read_product(self) -> Value:
        value = self.read_factors()
        while sign := self.take(TIMES + OVER):
            if sign in TIMES:
                value = apply(operator.mul, value, self.read_factors())
                continue
            value = apply(operator.truediv, value, self.read_factors() if self.tight else self.read_factor())
            if self.begins():
                value = apply(operator.mul, value, self.read_factors())
        return value

    def begins(self) -> bool:
        """Whether a factor begins here."""
        known = self.peek() in OPEN or self.peek() in FUNCTIONS
        return known or (self.place < len(self.row) and self.row[self.place].tag != "mo")

    def read_factors(self) -> Value:
        value = self.read_factor()
        while self.begins() and self.peek() not in "⌉⌋":
            value = apply(operator.mul, value, self.read_factor())
        return value

    def read_factor(self) -> Value:
        name = self.peek()
        if not name:
            raise NoArithmetic("a factor is missing")
        if name in OPEN:
            inside, last = self.read_brackets()
            if name in "|‖":
                value = self.read_letter(name + "".join(map(text_of, inside)) + name)
            else:
                value = apply(BRACKETS.get(name, float), self.inner(inside))
            value = self.raise_value(value, last)
        else:
            self.place += 1
            value = self.read_symbol(self.row[self.place - 1])
        while self.take("!"):
            value = apply(lambda x: math.gamma(x + 1), value)
        return value

    def read_brackets(self) -> tuple[Row, Element]:
        """What stands in the brackets here, and the one that closes them, which may have an exponent."""
        start, end = self.place, find_closing(self.row, self.place)
        self.place = end + 1
        return self.row[start + 1 : end], self.row[end]

    def raise_value(self, value: Value, element: Element) -> Value:
        """A value to the power that stands at a symbol."""
        if element.tag in ("msub", "msubsup"):
            raise NoArithmetic(f"{text_of(element)} has an index")
        return apply(operator.pow, value, self.inner(row_of(element[1]))) if element.tag == "msup" else value

    def read_symbol(self, element: Element) -> Value:
        name = text_of(element)
        if text_of(base_of(element)) in FUNCTIONS:
            return self.read_function(element)
        if element.tag == "mn":
            return lambda at: float(name)
        if element.tag in ("mfrac", "mroot"):
            one, other = (self.inner(row_of(part)) for part in element)
            if element.tag == "mroot":
                return apply(lambda x, degree: x ** (1 / degree), one, other)
            return apply(operator.truediv if element.get("linethickness") != "0" else binomial, one, other)
        if element.tag == "msqrt":
            return apply(math.sqrt, self.inner(row_of(element)))
        if element.tag == "msup" and text_of(element[1]) not in ORNAMENTS:
            return self.raise_value(self.inner(row_of(element[0])), element)
        if element.tag in ("mi", "msub", "msup", "mover"):
            return self.read_letter(name)
        raise NoArithmetic(f"{name} is not arithmetic")

    def read_letter(self, name: str) -> Value:
        self.letters.add(name)
        return operator.itemgetter(name)

    def read_function(self, element: Element) -> Value:
        """A function of what follows: of brackets, of a fraction or a root, or of all factors up to the next sign."""
        name = text_of(base_of(element))
        if self.peek() and self.peek() in "([{":
            inside, last = self.read_brackets()
            value = apply(FUNCTIONS[name], *(self.inner(part) for _, part in split(inside, ",")))
            value = self.raise_value(value, last)
        else:
            short = self.place < len(self.row) and self.row[self.place].tag in ("mfrac", "msqrt")
            value = apply(FUNCTIONS[name], self.read_factor() if short else self.read_factors())
        if element.tag in ("msub", "msubsup"):
            if name != "log":
                raise NoArithmetic(f"{name} has an index")
            value = apply(lambda x, base: x / math.log(base), value, self.inner(row_of(element[1])))
        return apply(operator.pow, value, self.inner(row_of(element[-1]))) if "sup" in element.tag else value


def binomial(n: float, k: float) -> float:
    """The number of ways to choose k of n."""
    return math.comb(round(n), round(k))


def find_rows(row: Row, inside: bool = False) -> Iterator[tuple[str, Row, bool]]:
    """(sign before it, what may be a term, whether it stands in brackets), of a row and of its brackets."""
    for sign, part in split(row, RELATIONS + SEPARATORS):
        yield sign, part, inside
    for place, element in enumerate(row):
        if text_of(element) in ("(", "[", "{") and not (place and text_of(row[place - 1]) in ORDERS):
            with contextlib.suppress(NoArithmetic):
                yield from find_rows(row[place + 1 : find_closing(row, place)], True)


def read_terms(latex: str) -> list[Term]:
    """The terms of a formula, and these again with what it says of their letters: g = a / b.

    >>> {letter for term in read_terms(r"n! \\le 2^n") for letter in term.letters}
    {'n'}
    """
    try:
        return _read_terms(latex)
    except (RecursionError, ValueError):  # of a formula that no page can show
        return []


def _read_terms(latex: str) -> list[Term]:
    latex = re.sub(r"\\q?quad|\\mathrm\{-[^}]*\}", r"\\ ", latex.replace(":=", "="))
    try:
        root = fromstring(re.sub(' xmlns="[^"]*"', "", convert(latex.replace(r"\tfrac", r"\frac"))))
    except Exception:  # of each kind that the parsers raise, all about the formula
        return []
    terms: list[Term] = []
    meant: dict[str, Term] = {}
    letter, short = "", False
    for sign, row, inside in find_rows(row_of(root)):
        for tight in (True, False):
            with contextlib.suppress(NoArithmetic):
                reader = Reader(row, tight)
                value = reader.read()
                bounds = sign != "" and sign in BOUNDS and not (sign == "=" and short)
                terms.append(Term(frozenset(reader.letters), value, bounds, inside))
                if sign == "=" and letter and letter not in reader.letters:
                    meant.setdefault(letter, terms[-1])
        name = "".join(map(text_of, row))
        letter = name if terms and terms[-1].letters == {name} else ""
        short = len(row) == 1 or letter != ""  # what it is equal to is its definition
    return terms + [replaced for term in terms if (replaced := replace_letters(term, meant)) is not term]


def replace_letters(term: Term, meant: Mapping[str, Term]) -> Term:
    """A term with what its letters are said to mean, as far as definitions refer to each other."""
    for _ in meant:
        for letter in term.letters & meant.keys():
            term = term.replace(letter, meant[letter])
    return term


def is_vague(latex: str) -> bool:
    """Whether a formula has an order, whose constant it does not say, or words, which may belong to a number."""
    order = r"(?<![A-Za-z\\])(\\tilde\{?\s*)?(O|\\Omega|\\Theta|o)\}?\s*(\\left)?\(|\\propto|\\asymp"
    return re.search(rf"{order}|\\(mathrm|text)\{{[^}}]*\\? ", latex) is not None
