r"""Expressions as text: Python over any numbers, Python over balls, and LaTeX.

>>> from lemmata.bounds.proof.expression import log, sqrt, variable
>>> n, beta = variable("n"), variable("beta")
>>> PLAIN(sqrt(log(2 / beta) / (3 * n)) - n)
'sqrt(log(2/beta)/(3*n)) - n'
>>> LATEX(sqrt(log(2 / beta) / (3 * n)) - n)
'\\sqrt{\\frac{\\log\\left(\\frac{2}{\\beta}\\right)}{3\\,n}}-n'
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.special
from flint import arb

from lemmata.bounds.proof.expression import Expression, as_expression, number
from lemmata.bounds.statement.formula import GREEK

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4  # how tightly an operation binds
ARRAYS: dict[str, Any] = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "erfc": scipy.special.erfc, "lgamma": scipy.special.gammaln,
    "floor": np.floor, "ceil": np.ceil, "max": np.maximum, "min": np.minimum, "pi": math.pi,
}  # fmt: skip
BALLS: dict[str, Any] = {name: getattr(arb, name) for name in ("exp", "log", "sqrt", "erfc", "lgamma", "floor", "ceil")}
BALLS |= {"arb": arb, "max": arb.max, "min": arb.min, "pi": arb.pi()}
WHOLE = r"(?<![\w.])(?<!\*\*)\d+"  # a number that is not an exponent: over balls nothing is to be rounded


def negate(x: Expression) -> Expression | None:
    """y of an expression that is written -y, else None."""
    if x.is_number and x.parts[0] < 0:
        return number(-x.parts[0])
    if x.kind == "*" and x.parts[0] is number(-1):
        return x.parts[1]
    if x.kind in "*/" and (inner := negate(x.parts[0])) is not None:
        return inner * x.parts[1] if x.kind == "*" else inner / x.parts[1]
    return None


class Writer:
    """Python text of an expression, over numbers of any kind."""

    times, plus, minus, group = "*", " + ", " - ", "({})"

    def __call__(self, x: Any) -> str:
        return self.write(as_expression(x))[0]

    def at_least(self, x: Expression, level: int) -> str:
        """The text, in brackets if it binds less tightly."""
        text, binds = self.write(x)
        return text if binds >= level else self.group.format(text)

    def write(self, x: Expression) -> tuple[str, int]:
        """(text, how tightly it binds)."""
        inner = negate(x)
        if inner is not None and inner.kind in ("max", "floor"):  # a minimum, or rounded up
            parts = [-1 * part if (plain := negate(part)) is None else plain for part in inner.parts]
            return self.call({"max": "min", "floor": "ceil"}[inner.kind], parts), ATOM
        if inner is not None:
            return f"-{self.at_least(inner, PRODUCT)}", SUM
        match x.kind:
            case "number":
                return self.number(x.parts[0])
            case "variable":
                return self.name(x.parts[0]), ATOM
            case "+":
                left, right = x.parts
                less = negate(right)
                if less is None or less.kind in ("max", "floor"):
                    return f"{self.at_least(left, SUM)}{self.plus}{self.at_least(right, SUM)}", SUM
                return f"{self.at_least(left, SUM)}{self.minus}{self.at_least(less, PRODUCT)}", SUM
            case "*":
                return self.times.join(self.at_least(part, PRODUCT) for part in x.parts), PRODUCT
            case "/":
                return self.quotient(*x.parts)
            case "^":
                root = x.parts[1] == Fraction(1, 2)
                return (self.call("sqrt", x.parts[:1]), ATOM) if root else (self.power(*x.parts), POWER)
        return self.call(x.kind, x.parts), ATOM

    def name(self, name: str) -> str:
        return name

    def number(self, value: Fraction) -> tuple[str, int]:
        return str(value), ATOM if value.denominator == 1 else PRODUCT

    def quotient(self, above: Expression, below: Expression) -> tuple[str, int]:
        return f"{self.at_least(above, PRODUCT)}/{self.at_least(below, POWER)}", PRODUCT

    def power(self, base: Expression, exponent: Fraction) -> str:
        plain = exponent.denominator == 1 and exponent > 0
        return f"{self.at_least(base, ATOM)}**{exponent if plain else f'({exponent})'}"

    def call(self, name: str, parts: Any) -> str:
        return f"{name}({', '.join(map(self, parts))})" if parts else name


class LatexWriter(Writer):
    """LaTeX of an expression."""

    times, plus, minus, group = r"\,", "+", "-", r"\left({}\right)"

    def name(self, name: str) -> str:
        stem, _, rest = name.partition("_")
        if stem in GREEK:
            return rf"\{stem}" + (rf"_{{\mathrm{{{rest}}}}}" if rest else "")
        return name if len(name) == 1 else rf"\mathrm{{{name.replace('_', ' ').title().replace(' ', '')}}}"

    def number(self, value: Fraction) -> tuple[str, int]:
        return str(value) if value.denominator == 1 else rf"\frac{{{value.numerator}}}{{{value.denominator}}}", ATOM

    def quotient(self, above: Expression, below: Expression) -> tuple[str, int]:
        return rf"\frac{{{self(above)}}}{{{self(below)}}}", PRODUCT

    def power(self, base: Expression, exponent: Fraction) -> str:
        plain = base.kind == "variable" or (base.is_number and base.parts[0].denominator == 1)
        return f"{self(base) if plain else self.group.format(self(base))}^{{{exponent}}}"  # log(x)^2 is ambiguous

    def call(self, name: str, parts: Any) -> str:
        inner = ",".join(map(self, parts))
        if name in ("floor", "ceil"):
            return rf"\left\l{name} {inner}\right\r{name}"
        if name == "sqrt":
            return rf"\sqrt{{{inner}}}"
        known = {"lgamma": r"\log\Gamma", "erfc": r"\mathrm{erfc}"}.get(name, f"\\{name}")
        return rf"{known}\left({inner}\right)" if parts else known


PLAIN, LATEX = Writer(), LatexWriter()


def over_balls(text: str) -> str:
    """Python of a formula, every number in it a ball.

    >>> over_balls("sqrt(2/beta)*n1**2 + x**(1/3)")
    'sqrt(arb(2)/beta)*n1**2 + x**(arb(1)/arb(3))'
    """
    return re.sub(WHOLE, r"arb(\g<0>)", text)


def compile_text(text: str, names: list[str]) -> Callable[..., Any]:
    """A formula in Python as a function of arrays."""
    return eval(f"lambda {', '.join(names)}: {text}", ARRAYS)
