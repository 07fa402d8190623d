"""Which checks only put together again what their statement's own function puts together.

A check and a formula that name the same function of bounds/ are looked for by a program; whether the check says more is
for a reader. What was read and found to say more stands in `MORE`, with what that is.
"""

import dis
import inspect
import types

import pytest

from lemmata.experiments.conformance.edit import plain
from tests.claims import CLAIMS

MORE = {
    "bms22.lemA.2/explicit": "the union over exact laws of two samples, and thresholds; the root is shared",
    "bms22.lemA.1.s0/explicit": "sets of errors against signs: only the count of a shattered set is shared",
    "abgmu22.abs.lower-smooth/printed/tight": "another printed rate on the left",
    "abgmu22.abs.lower-smooth/explicit/privacy": "the least cost of the wrong sign; the errors of s1 are shared",
    "abgmu22.abs.lower-smooth/explicit/curvature": "both risks on a grid of w; the errors of s1 are shared",
    "abgmu22.thm.grid.s5/corrected/algorithm": "what s4 leaves of a score, on a grid of risks",
    "abgmu22.thm.grid-output-pert/explicit/boosted": "a copy at its ridge, and the deviations; its mean is shared",
    "abgmu22.thm.boost/explicit/utility": "the root of the quadratic inequality, and exact laws of the choice",
    "abgmu22.thm.boost.t3/explicit": "worst cases of two losses; only a logarithm is shared",
    "abgmu22.lem.conc/corrected/above": "the chain of t2 and s3, and exact laws; logarithm and slope are shared",
    "abgmu22.lem.conc/corrected/below": "the chain of t4 to t6, and exact laws; logarithm and slope are shared",
    "abgmu22.lem.conc.t2/explicit": "the largest losses that a moment allows; only a logarithm is shared",
    "abgmu22.lem.conc.t5/explicit": "the root of the bound before; only a logarithm is shared",
    "bms22.def.losses/explicit/origin": "the minimum over three weights",
    "bms22.thm3.2/explicit/utility": "the tail of the projection at the distortion, and releases",
    "bms22.thm4.2/corrected/utility": "another order on the left, and the chain to it",
    "bms22.thm4.2.s3/explicit": "both losses at the mu that balances them",
    "bms22.rem.poly/corrected/utility": "the largest norm, measured on the map itself",
    "bms22.thm6.1.s4/explicit/selection": "the exact failure of the choice; the size of the cover is shared",
    "bms22.lemA.1.s4/explicit": "the sum against beta, and the swapping tail",
    "bms22.clmD.2/explicit/distance": "the recursion iterated, and random networks",
    "bms22.corF.2/corrected/tail": "the choice at Lemma F.3's sensitivity; the size of the grid is shared",
    "rbht09.thm7/printed": "the privacy loss of the law at the printed scale",
    "rbht09.complexity/corrected/gram": "the products counted",
    "rbht09.thm16/explicit": "Corollary 9's noise, which is the inverse of the level",
    "rbht09.thm20/corrected": "linear programs for small packings; the number of balls is shared",
    "rbht09.thm20/explicit/diameter": "points counted by trying",
    "wzw25.lemH.2.s1/printed": "Lemma F.1's own formula; the size of the grid is shared",
    "wzw25.thm6.5/explicit/off-grid": "Lemma D.1 and the regret of a longer comparator; the size of the grid is shared",
    "wzw25.thm6.5/explicit/tail-off-grid": "the same for the tail; the size of the grid is shared",
    "wzw25.lemH.3/explicit": "Lemma 6.3's tail and Lemma F.2's threshold; the candidate's steps are shared",
    "wzw25.corD.2/explicit": "every outlier set of small data, and m(gamma) found in another way",
    "wzw25.lem6.3.s2/explicit": "the closed form against the sum; the harmonic number is shared",
    "wzw25.lemG.1.s1/printed": "the largest ratio over the grid, which is what the statement is about",
    "wzw25.thm6.7/explicit/population": "Lemma 6.3 at the grid's margin, uniform convergence and Equation 18",
    "wzw25.thm7.1.s2/corrected": "every size of the grid, and Lemma K.6 at the true one; its bound is shared",
    "wzw25.thm7.1/printed/utility": "the explicit bound on the left, a term of the order is shared",
    "wzw25.lemK.6/printed/utility": "the explicit bound on the left, a term of the order is shared",
    "wzw25.sec7.text/corrected/factors": "the quotient of both at all n up to 4096; the size of the grid is shared",
    "wzw25.lemA.7.s3/printed": "another moment of the same law",
    "wzw25.lemC.2/explicit/last": "the links of the supermartingale, summed; the weights of the comparator are shared",
    "wzw25.lemC.2.s4/explicit": "the recursion iterated, and its quadratic inequality; the drift's energy is shared",
    "wzw25.lemC.2.s5/explicit": "the weights of both links in fractions, summed; the drift's energy is shared",
    "wzw25.lemC.2/explicit/dimension": "the tail bound at the printed step size; the number of steps is shared",
    "wzw25.lemC.2/corrected": "every link from the explicit bound to the closed form; the harmonic number is shared",
}


def named(function):
    """{names of the functions of bounds/ that the code of `function` names itself}."""
    found, codes = set(), [function.__code__]
    while codes:
        code = codes.pop()
        codes += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
        steps = list(dis.get_instructions(code))
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            thing = function.__globals__.get(step.argval) if step.opname == "LOAD_GLOBAL" else None
            if isinstance(thing, types.ModuleType) and following is not None:
                thing = getattr(thing, str(following.argval), None)
            if callable(thing) and (getattr(plain(thing), "__module__", None) or "").startswith("lemmata.bounds."):
                found.add(f"{plain(thing).__module__}.{plain(thing).__name__}")
    return {name for name in found if not name.startswith("lemmata.bounds.exact.")}


def shared(claim):
    """What the check and the formula of a claim both name."""
    formula, check = plain(claim.theorem.formula), inspect.unwrap(claim.trial)
    return (named(formula) & named(check)) - {f"{formula.__module__}.{formula.__name__}"}


DERIVED = [key for key, claim in CLAIMS.items() if claim.evidence == "derivation"]


@pytest.mark.parametrize("key", DERIVED)
def test_a_derivation_whose_check_names_what_its_statement_names_was_read(key):
    assert not shared(CLAIMS[key]) or key in MORE, f"{shared(CLAIMS[key])}: a composition, or say what more is checked"


def test_what_was_read_is_there():
    assert set(MORE) <= set(DERIVED)
    assert all(shared(CLAIMS[key]) for key in MORE)


def test_compositions_are_counted_apart():
    composed = [key for key, claim in CLAIMS.items() if claim.evidence == "composition"]
    assert len(composed) >= 10 and all(claim.control for claim in map(CLAIMS.get, composed))
