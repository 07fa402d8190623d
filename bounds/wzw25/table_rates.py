r"""Rates as sums of monomials, those that Tables 1 and 2 of Wang, Zhu & Wang (2025) print and those they quote.

A rate has a display, and terms: each the exponents of the sample size n, the margin gamma (Table 2: a = C b / gamma),
epsilon <= 1, the ramp loss R of the best classifier (BMS22's margin loss), and the number s of outliers. Square roots
of sums are written as sums of square roots, equal up to sqrt 2. Logarithms of n, 1/beta and 1/delta are left out, as
both tables do; that of 1/gamma in Theorem 3.1 of BMS22 is at most log n wherever its bound is below 1.
"""

from collections.abc import Iterable, Iterator
from math import inf, prod

Term = dict[str, float]


class Rate:
    """A printed rate, in LaTeX, and its monomials: iterating over it yields them."""

    def __init__(self, display: str, *terms: Term) -> None:
        self.display, self.terms = display, terms

    def __iter__(self) -> Iterator[Term]:
        return iter(self.terms)


def term(**powers: float) -> Term:
    """One monomial: the exponents by name."""
    return powers


def value(rate: Iterable[Term], **arguments: float) -> float:
    """The rate at a point: the sum of its monomials; 0 to a negative power is +inf."""
    return sum(prod(_power(arguments[name], power) for name, power in one.items()) for one in rate)


def quotient(one: Iterable[Term], other: Iterable[Term], **arguments: float) -> float:
    """One rate over another at a point."""
    return value(one, **arguments) / value(other, **arguments)


def _power(base: float, exponent: float) -> float:
    return inf if base == 0 and exponent < 0 else base**exponent


# What the sources print, for C = b = 1 and epsilon <= 1 ---------------------------------------------------------------

SEPARABLE = Rate(  # BMS22, Theorem 3.1 at R = 0: Gamma
    r"\frac{1}{n\gamma^2\varepsilon}+\frac{1}{n\gamma^2}+\frac{1}{n}",
    term(n=-1, gamma=-2, epsilon=-1),
    term(n=-1, gamma=-2),
    term(n=-1),
)
ROOT = (term(R=0.5, n=-0.5, gamma=-1), term(R=0.5, n=-0.5))
MARGIN_LOSS = Rate(  # BMS22, Theorem 3.1, excess over the margin loss R of w: Gamma, then the square root
    SEPARABLE.display + r"+\sqrt{\left(\frac{1}{n\gamma^2}+\frac{1}{n}\right)R}", *SEPARABLE, *ROOT
)
HINGE_LOSS = Rate(  # BMS22, Theorem 3.2
    r"\frac{1}{\sqrt{n}}+\frac{1}{\gamma\sqrt{n}}+\frac{1}{\gamma\sqrt{\varepsilon n}}",
    term(n=-0.5),
    term(n=-0.5, gamma=-1),
    term(n=-0.5, gamma=-1, epsilon=-0.5),
)
ADAPTIVE = Rate(  # Theorem 4.1; min{epsilon, 1} = epsilon
    r"\frac{1}{n\gamma^2\min\{\varepsilon,1\}}+\frac{|S_{\mathrm{out}}|}{\gamma n}",
    term(n=-1, gamma=-2, epsilon=-1),
    term(s=1, n=-1, gamma=-1),
)


# The same for ||x|| <= b, ||w|| <= C, a = C b / gamma; in Theorem L.2 a = b / gamma -----------------------------------

MARGIN_TERMS = (term(n=-1), term(n=-1, a=2), term(n=-1, a=2, epsilon=-1), term(R=0.5, n=-0.5, a=1), ROOT[1])
HINGE_TERMS = (term(n=-0.5), term(n=-0.5, a=1), term(n=-0.5, a=1, epsilon=-0.5))
MARGIN_LOSS_BALL = Rate(r"\Gamma+\sqrt{R\left(\frac{\Lambda^2r^2}{m\rho^2}+\frac{1}{m}\right)}", *MARGIN_TERMS)
HINGE_LOSS_BALL = Rate(
    r"\frac{1}{\sqrt{m}}+\frac{\Lambda r}{\rho}\left(\frac{1}{\sqrt{m}}+\frac{1}{\sqrt{\varepsilon m}}\right)",
    *HINGE_TERMS,
)
ADAPTIVE_BALL = Rate(
    r"\frac{b^2}{n\gamma^2}\left(1+\frac{1}{\varepsilon}\right)+\frac{b|S_{\mathrm{out}}|}{n\gamma}"
    r"+\frac{1}{n\varepsilon}+\frac{1}{n}",
    term(n=-1, a=2),
    term(n=-1, a=2, epsilon=-1),
    term(s=1, n=-1, a=1),
    term(n=-1, epsilon=-1),
    term(n=-1),
)


# What the tables print ------------------------------------------------------------------------------------------------

TABLE1_REALIZABLE = Rate(r"\frac{1}{n\gamma^2\varepsilon}", term(n=-1, gamma=-2, epsilon=-1))
TABLE1_MARGIN = Rate(
    r"\frac{1}{n\gamma^2\varepsilon}+\sqrt{\left(\frac{1}{n^2\gamma^2}+\frac{1}{n}\right)R}",
    *TABLE1_REALIZABLE,
    term(R=0.5, n=-1, gamma=-1),
    term(R=0.5, n=-0.5),
)
TABLE1_MARGIN_CORRECTED = Rate(  # n for n^2 under the root
    r"\frac{1}{n\gamma^2\varepsilon}+\sqrt{\left(\frac{1}{n\gamma^2}+\frac{1}{n}\right)R}", *TABLE1_REALIZABLE, *ROOT
)
TABLE1_HINGE = Rate(r"\frac{1}{\sqrt{n}\gamma\sqrt{\varepsilon}}", term(n=-0.5, gamma=-1, epsilon=-0.5))
TABLE1_ADAPTIVE = Rate(
    r"\frac{|S_{\mathrm{out}}|}{n\gamma}+\frac{1}{n\gamma^2\varepsilon}",
    term(s=1, n=-1, gamma=-1),
    term(n=-1, gamma=-2, epsilon=-1),
)
TABLE2_MARGIN = Rate(
    r"\frac{1}{n}+\frac{C^2b^2}{\gamma^2n}+\frac{C^2b^2}{\gamma^2n\varepsilon}"
    r"+\sqrt{R\left(\frac{C^2b^2}{n\gamma^2}+\frac{1}{n}\right)}",
    *MARGIN_TERMS,
)
TABLE2_HINGE = Rate(r"\frac{1}{\sqrt{n}}+\frac{Cb}{\gamma\sqrt{n}}+\frac{Cb}{\gamma\sqrt{n\varepsilon}}", *HINGE_TERMS)
TABLE2_ADAPTIVE = Rate(
    r"\frac{b^2}{n\gamma^2\varepsilon}+\frac{b|S_{\mathrm{out}}|}{n\gamma}",
    term(n=-1, a=2, epsilon=-1),
    term(s=1, n=-1, a=1),
)
SECTION_1_2 = Rate(
    r"\frac{1}{\gamma\sqrt{n}}+\frac{1}{\gamma^2n\varepsilon}", term(n=-0.5, gamma=-1), term(n=-1, gamma=-2, epsilon=-1)
)


def at_unit_norms(ball: Rate) -> Rate:
    """A rate of Table 2 at C = b = 1, where a = 1 / gamma."""
    display = ball.display.replace("C^2b^2", "1").replace("Cb", "1").replace("b^2", "1").replace("b|", "|")
    terms = [{("gamma" if n == "a" else n): (-p if n == "a" else p) for n, p in one.items()} for one in ball]
    return Rate(display, *terms)
