"""Formulas in a terminal: what has to stand in brackets does, and what need not does not."""

import pytest

from experiments.engine.formula import in_unicode


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"\frac{a}{b}", "a/b"),
        (r"\frac{a}{b}x", "(a/b)x"),
        (r"\frac{a+b}{2c}", "(a+b)/(2c)"),
        (r"\sqrt{m}", "√m"),
        (r"\sqrt{2m}", "√(2m)"),
        (r"\sqrt{12}", "√(12)"),
        (r"x^{12}", "x¹²"),
        (r"x^{ab}", "x^ab"),
        (r"x^{a+b}", "x^(a+b)"),
        (r"x_k\le y", "x_k ≤ y"),
        (r"\Gamma\lambda", "Γ λ"),
        (r"\hat{w}", "ŵ"),
        (r"\text{for all }n", "for all n"),
        (r"\left[x\right]", "[x]"),
        (r"\binom{n}{2}", "C(n, 2)"),
        (r"x\text{if}", "x if"),
    ],
)
def test_a_formula_on_one_line(latex, shown):
    assert in_unicode(latex) == shown
