"""Formulas in a terminal: what has to stand in brackets does, and what need not does not."""

from xml.etree import ElementTree

import pytest

from lemmata.bounds.statement.formula import in_symbols, in_unicode
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.report.formulas import mark_differences


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
        (r"\log\frac{2}{\delta}", "log(2/δ)"),
        (r"\log_2\frac{a}{b}", "log₂(a/b)"),
        (r"E\left[x\middle|y\right]", "E[x|y]"),
        (r"\ln n\le\chi\tanh x", "ln n ≤ χ tanh x"),
        (r"2\operatorname{diam}M\ne\bot", "2 diam M ≠ ⊥"),
    ],
)
def test_a_formula_on_one_line(latex, shown):
    assert in_unicode(latex) == shown


def test_every_statement_is_shown_without_a_command():
    registry.load()
    assert not {key: shown for key, each in THEOREMS.items() if "\\" in (shown := in_unicode(each.says))}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x_hat <= 2 sqrt(log(1/beta))", "x̂ ≤ 2 √(log(1/β))"),
        ("e^-mu, e^(n-1), e^{-t}", "exp(−μ), e^(n-1), e⁻ᵗ"),
        ("n >= 1e-9, 2e+06 != inf", "n ≥ 10⁻⁹, 2·10⁶ ≠ inf"),
        ("||w||_2^2 and alpha_k -> beta'", "‖w‖₂² and αₖ → β′"),
        ("`beta_hat <= 1` and alphabet, mu_hat", "`beta_hat <= 1` and alphabet, μ̂"),
        (">>> beta_hat <= 1", ">>> beta_hat <= 1"),
        ("at {'epsilon': 1.0, 'chi': 2}", "at {'ε': 1.0, 'χ': 2}"),
        ("sqrt(x) at delta = 1e300, w < inf", "√x at δ = 10³⁰⁰, w < ∞"),
    ],
)
def test_prose_in_symbols(text, shown):
    assert in_symbols(text) == shown


def changed(shown):
    """The marked symbols of a formula."""
    return [e.text for e in ElementTree.fromstring(shown).iter() if e.attrib.get("class") == "changed"]


@pytest.mark.parametrize(
    ("printed", "corrected", "gone", "new"),
    [
        (r"x\le 2y", r"x\le 3y", ["2"], ["3"]),
        (r"x\le y", r"x\le \sigma y", [], ["σ"]),
        (r"x\le\frac{a}{b}+z+1", r"x\le\frac{b}{a}+z+1", ["a", "b"], ["b", "a"]),
        (r"x^2+y\le z", r"x_2+y\le z", ["x", "2"], ["x", "2"]),
        (r"x\le y", r"x\le y", [], []),
        (r"x\le y", r"\log a=b^{c}", [], []),
    ],
)
def test_what_a_correction_changes_is_marked(printed, corrected, gone, new):
    assert tuple(map(changed, mark_differences(printed, corrected))) == (gone, new)
