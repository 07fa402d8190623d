"""The arithmetic of a statement's LaTeX against its function: the four papers, and mistakes that are planted."""

import math
from dataclasses import replace
from unittest import mock

import pytest

from lemmata.bounds.library import library
from lemmata.bounds.statement.hypotheses import in_unit_interval, integer, positive, require
from lemmata.bounds.theorem import THEOREMS, theorem, theorems
from lemmata.experiments.conformance import rows, stated_formulas as stated
from lemmata.experiments.conformance.latex_arithmetic import read_terms
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS

COMPARED = {"wzw25": 148, "bms22": 104, "abgmu22": 78, "rbht09": 84}
N = [integer("n")]
NEEDS = [*N, in_unit_interval("beta"), positive("norm_bound")]


@pytest.mark.record
@pytest.mark.parametrize("paper", COMPARED)
def test_a_paper_says_what_its_functions_compute(paper):
    """A formula that no longer fits is no longer compared, at least: the number of these falls."""
    found = {each.key: stated.compare_formula(each) for each in theorems() if each.key.startswith(f"{paper}.")}
    assert not [key for key, comparison in found.items() if comparison.difference]
    assert [each.state for each in found.values()].count(stated.COMPARED) == COMPARED[paper]


def compare(latex, formula, needs=N):
    with mock.patch.dict(THEOREMS):
        return stated.compare_formula(theorem("bms22.lemA.3", part="said", says=latex, needs=needs)(formula).theorem)


@pytest.mark.parametrize(
    ("latex", "formula"),
    [
        (r"n!\le 2^n", lambda *, n: 2**n),
        (r"\sum_{i\le n}i=\frac{n(n+1)}2", lambda *, n: n * (n + 1) / 2),
        (r"\Pr[X>n]\le e^{-n}", lambda *, n: math.exp(-n)),
        (r"\Pr[X\le n]\ge1-e^{-n}", lambda *, n: math.exp(-n)),
        (r"k=\left\lceil\log_2n\right\rceil", lambda *, n: (n - 1).bit_length()),
        (r"X\le\frac{g}{g+1},\ g=\sqrt{2\log(2n)}", lambda *, n: 1 / (1 + 1 / math.sqrt(2 * math.log(2 * n)))),
        (r"X\le\log^2(n+1)+\log^{1/2}_2(2n)", lambda *, n: math.log(n + 1) ** 2 + math.log2(2 * n) ** 0.5),
        (r"X\le\min\{1,\,n/2\}\cdot n!", lambda *, n: min(1, n / 2) * math.factorial(n)),
        (r"X\le-\binom{2n}{n}", lambda *, n: -math.comb(2 * n, n)),
        (r"X\le1/2n", lambda *, n: 1 / (2 * n)),
        (r"X\le1/2n", lambda *, n: n / 2),  # the text may mean either
        (r"\|x\|\le 2\|w\|", lambda *, n: 2 * n),  # a letter for the one argument that is left
    ],
)
def test_what_fits_is_compared(latex, formula):
    assert compare(latex, formula).state == stated.COMPARED


@pytest.mark.parametrize(
    ("latex", "formula"),
    [
        (r"n!\le 2^n", lambda *, n: n**n),
        (r"\sum_{i\le n}i=\frac{n(n+1)}2", lambda *, n: n * (n + 1) / 2 + 1),
        (r"\log n\le\frac{n}{2}+1", lambda *, n: n / 3 + 1),
        (r"X\le1/2n", lambda *, n: 1 / (3 * n)),
    ],
)
def test_what_does_not_fit_differs(latex, formula):
    assert compare(latex, formula).state == stated.DIFFERS


@pytest.mark.parametrize(
    ("latex", "formula"),
    [
        (r"X=O(2^n)", lambda *, n: 3 * 2**n),  # a constant of an order
        (r"X\le f(n),\quad f(n)=\int_0^nx\,dx", lambda *, n: n**2 / 2),
        (r"X\le n\mathrm{\ times\ as\ much}", lambda *, n: n + 1),
        (r"\Pr[X\le\frac n2]\ge\frac12", lambda *, n: 0.75),  # a condition on one letter
        (r"X=n\ (n\le3),\ 3n\ (n>3)", lambda *, n: 3 * n if n > 8 else n),  # by cases
        (r"X\le 2^n", lambda *, n: [n] * 3),
        (r"X\le 2^n", lambda *, n: "many"),
    ],
)
def test_what_cannot_be_read_is_no_mistake(latex, formula):
    assert compare(latex, formula).state == stated.NOT_READ


def test_letters_of_the_paper_and_pairs_of_arguments():
    """Lambda is `norm_bound` in bms22: by its name, since a wrong exponent is found."""
    right = compare(
        r"X\le\Lambda^2\log\frac n\beta", lambda *, n, beta, norm_bound: norm_bound**2 * math.log(n / beta), NEEDS
    )
    wrong = compare(
        r"X\le\Lambda^2\log\frac n\beta", lambda *, n, beta, norm_bound: norm_bound * math.log(n / beta), NEEDS
    )
    inside = compare(
        r"\Pr[X\ge\Lambda\log\frac n\beta]\le\beta",
        lambda *, n, beta, norm_bound: norm_bound * math.log(beta / n),
        NEEDS,
    )
    assert [each.state for each in (right, wrong, inside)] == [stated.COMPARED, stated.DIFFERS, stated.DIFFERS]


def test_a_function_that_no_setting_reaches_is_not_read():
    needs = [integer("n"), require("never", lambda n: False)]
    assert compare(r"X\le 2^n", lambda *, n: 2**n, needs).state == stated.NOT_READ


def test_the_finding_names_setting_and_both_numbers():
    key = "bms22.lemA.3/printed"
    registry.load(registry.find_modules("bms22.lemA.3"))
    claim = CLAIMS[key]
    wrong = replace(claim.theorem, says=r"n!\le 2^n", needs=(integer("n"),), formula=lambda *, n: n**n)
    with mock.patch.dict(CLAIMS, {key: replace(claim, theorem=wrong)}):
        (said,) = rows.formula({"key": key})
    assert said.startswith("its LaTeX and its function must agree; at n = ") and " the text has " in said
    assert rows.formula({"key": key}) == []


def test_the_line_of_a_paper_counts_what_was_not_read():
    with mock.patch.dict(THEOREMS, clear=True):
        theorem("bms22.lemA.3", part="a", says=r"n!\le 2^n", needs=[integer("n")])(lambda *, n: 2**n)
        theorem("bms22.lemA.3", part="b", says=r"X\le O(n)", needs=[integer("n")])(lambda *, n: 7 * n)
        said = stated.describe_comparisons(library.papers["bms22"])
    assert said == ("bms22: LaTeX and function were compared for 1 of 2 statements; not read: bms22.lemA.3/printed/b")


def test_a_bracket_that_is_not_closed_is_skipped():
    assert [sorted(term.letters) for term in read_terms(r"(n\le 2^m")][-2:] == [["m"], ["m"]]
