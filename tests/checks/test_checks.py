"""The shared checks, field by field: what a verdict says beside its outcome, and what a claim says by default."""

import math
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, ctx

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED
from lemmata.bounds.theorem import OutsideHypotheses
from lemmata.bounds.wzw25 import gaussian_privacy
from lemmata.experiments.checks import cases as cases_of_checks, inequality, order
from lemmata.experiments.checks.gaussian_means import mean_ratio
from lemmata.experiments.checks.gaussian_tails import whole_above, whole_below
from lemmata.experiments.checks.identity import decide_identity
from lemmata.experiments.checks.pair import largest_log_ratio, weaker
from lemmata.experiments.checks.privacy_conversion import Conversion, decide_conversion, sharpest
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.noise.laplace import FloatLaplace

STATEMENT = SimpleNamespace(theorem=SimpleNamespace(key="", needs=(), formula=lambda: 2, says=""))
OPTIONS = {"factor": 1, "evidence": "derivation", "scope": "everywhere"}
TRUTHS = [({"x": 1}, 1), ({"x": 2}, 1), ({"x": 3}, 1)]


@pytest.fixture
def trials(monkeypatch):
    """A claim by cases is the function that decides its trial."""
    monkeypatch.setattr(inequality, "exact_claim", lambda statement, **_: lambda trial: trial)


@pytest.mark.parametrize(
    ("constant", "truths", "sampled", "truth", "outcome", "tightness"),
    [
        (4.0, TRUTHS, [1, 2], None, HOLDS, (0.5, 1.0)),
        (4.0, TRUTHS, [1, 2], 1, HOLDS, (0.25, 0.5)),
        (4.0, TRUTHS, [5], None, INCONCLUSIVE, None),
        (math.inf, TRUTHS, [1], None, INCONCLUSIVE, None),
        (4.0, [({"x": 1}, 1), ({"x": 2}, 10), ({"x": 3}, 75)], [1], None, REFUTED, None),
    ],
)
def test_an_order_with_a_constant_derived_by_hand(constant, truths, sampled, truth, outcome, tightness):
    verdict = order.within_order(
        lambda x: x, constant, family="x grows", truths=truths, sampled=sampled, truth=truth, scope="everywhere"
    )
    assert (verdict.outcome, verdict.tightness) == (outcome, tightness)


@pytest.mark.parametrize("both", [{}, {"constant": 2.0, "family": "x grows"}])
def test_an_order_claim_has_a_constant_or_a_family(both):
    with pytest.raises(ValueError, match="exactly one of constant and family is required, got "):
        order.order_claim(None, **both)


def test_a_search_is_one_case_of_the_largest_ratio():
    assert list(order.search_worst(lambda a: math.log(a), {"a": (0.5, 2.0)})) == [({"a": 2.0}, pytest.approx(2.0), 1)]


def test_equal_numbers_are_tight_and_zero_has_all_digits():
    verdict = decide_identity([({}, arb(0), arb(0))], rounding=0.0, digits=11, **OPTIONS)
    assert (verdict.outcome, verdict.tightness) == (HOLDS, (1.0, 1.0))


def cases(then):
    """What a check yields and does after its counterexample."""
    yield {}, 1, 0
    yield from then()
    return {"series": {"n": [1], "bound": [2]}}


def goes_wrong():
    yield {}, 1, 1
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("then", "curves"), [(lambda: [({}, 1, 1)] * 9, True), (goes_wrong, False), (lambda: iter(int, 1), False)]
)
def test_the_curves_that_come_after_a_counterexample_are_read_for_a_moment(monkeypatch, then, curves):
    monkeypatch.setattr(cases_of_checks, "REST", 0.05)
    made = cases_of_checks.keep_returned(cases(then), kept := [])
    next(made)
    assert bool(cases_of_checks.read_curves(made, kept)) == curves


def test_a_refuted_row_has_the_curves_that_its_check_returns():
    """Also where the check has come to its end before."""
    registry.load(registry.find_modules("wzw25.corG.2"))
    claim = CLAIMS["wzw25.corG.2/printed"]
    verdict = claim.trial(**claim.quick[0])
    assert verdict.outcome == REFUTED and len(verdict.series) >= 2


HAIR = Fraction(1, 2 * 10**12)


@pytest.mark.parametrize("decide", [inequality.decide_inequality, decide_identity])
@pytest.mark.parametrize(
    ("left", "rounding", "outcome"),
    [
        (1 + float(HAIR), None, HOLDS),  # a float stands for a number nearby
        (1 + 1e-11, None, REFUTED),
        (1 + float(HAIR), 0.0, REFUTED),
        (1 + HAIR, None, REFUTED),  # a rational or a ball does not
        (exact(1 + HAIR), None, REFUTED),
        (1 + HAIR, 1e-12, HOLDS),
        (exact(1 + HAIR), 1e-12, HOLDS),
    ],
)
def test_only_floats_are_rounded_unless_a_claim_says_so(decide, left, rounding, outcome):
    assert decide([({}, left, 1)], rounding=rounding, **OPTIONS).outcome == outcome


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("assert True", "assert True"),
        (lambda setting, left, right: f"assert {left} > {right}", "assert 2 > 1"),
        (None, ""),
    ],
)
def test_a_program_is_a_text_or_made_of_what_is_shown(given, made):
    assert inequality.make_program(given, {}, 2, 1) == made


@pytest.mark.parametrize(
    ("fields", "evidence", "scope"),
    [
        ({}, "tested", "settings"),
        ({"given": ["a/printed"]}, "derivation", "everywhere"),
        ({"given": ["a/printed"], "severity": "constant"}, "tested", "settings"),
        ({"given": ["a/printed"], "evidence": "composition"}, "composition", "everywhere"),
        ({"evidence": "certificate", "scope": "domain"}, "certificate", "domain"),
    ],
)
def test_what_a_claim_by_cases_says_by_default(trials, fields, evidence, scope):
    check = inequality.inequality_claim(STATEMENT, **fields)(lambda: [({}, 1, 2)])
    assert (check().evidence, check().scope) == (evidence, scope)


LINK = inequality.Link("the second step", {"x": 1}, 2, 1)
FAILS = inequality.Case({"x": 2}, 2, 1)


@pytest.mark.parametrize("decide", [inequality.decide_inequality, decide_identity])
def test_a_link_that_fails_refutes_nothing_and_is_named(decide):
    verdict = decide(iter([LINK]), rounding=None, **OPTIONS)
    assert (verdict.outcome, verdict.reason) == (INCONCLUSIVE, "FAILED")
    assert "the link 'the second step'" in verdict.note


@pytest.mark.parametrize("decide", [inequality.decide_inequality, decide_identity])
@pytest.mark.parametrize("cases", [[FAILS, LINK], [LINK, FAILS], [LINK, tuple(FAILS)]])
def test_a_case_that_fails_refutes_whatever_the_links_do(decide, cases):
    assert decide(iter(cases), rounding=None, **OPTIONS).outcome == REFUTED


def test_a_control_is_caught_wherever_it_breaks():
    ((name, setting, left, right),) = [LINK]
    cases = inequality.watch_cases(iter([LINK]), inequality.Sides(""), links_too=True)
    assert inequality.decide_inequality(cases, rounding=None, **OPTIONS).outcome == REFUTED
    assert (name, setting, left, right) == LINK


@pytest.mark.parametrize("decide", [inequality.decide_inequality, decide_identity])
@pytest.mark.parametrize(
    "sides",
    [
        *[(math.inf, 1.0), (1.0, -math.inf), (1.0, math.inf), (-math.inf, 1.0)],
        *[(np.float32("inf"), np.float32(1)), (np.float32(1), np.float32("inf"))],
        *[(Decimal("inf"), np.float32(1)), (np.float32(1), Decimal("inf"))],
    ],
)
def test_an_infinite_float_is_no_certificate(decide, sides):
    verdict = decide([({"x": 1}, *sides)], rounding=None, **OPTIONS)
    assert (verdict.outcome, verdict.reason) == (INCONCLUSIVE, "FAILED")


@pytest.mark.parametrize("one", [1.0, np.float32(1), Decimal(1)])
def test_what_somebody_has_rounded_was_tried_and_not_enumerated(one):
    assert inequality.proof_kind(one, Fraction(1)) == inequality.proof_kind(2, one) == "tested"
    assert inequality.proof_kind(np.int64(1), Fraction(1)) == "enumeration"
    assert inequality.allowed_error(one, 1, None) == inequality.ROUNDING


def test_a_float_beside_0_may_be_rounded():
    """sin^2 + cos^2 - 1 is 2e-16 at some x: no statement falls by that; a fraction beside 0 is what it is."""
    verdict = inequality.decide_inequality([({"x": 1}, 2.2e-16, 0.0)], **OPTIONS)
    assert (verdict.outcome, verdict.reason) == (INCONCLUSIVE, "BUDGET") and "rounded 0" in verdict.note


@pytest.mark.parametrize("said", ["certificate", "enumeration"])
def test_no_machine_has_checked_what_floats_tried(trials, said):
    """n! <= 10^n up to n = 24 in floats is tested, whatever the claim says of itself; exact cases are what it says."""
    for kind, evidence, scope in ((float, "tested", "settings"), (int, said, "domain: n < 25")):
        check = inequality.inequality_claim(STATEMENT, evidence=said, scope="domain: n < 25")(
            lambda kind=kind: [({"n": n}, kind(math.factorial(n)), kind(10**n)) for n in range(1, 25)]
        )
        assert (check().evidence, check().scope) == (evidence, scope)


TAIL = math.exp(-0.1)
DOMAIN = {"evidence": "certificate", "scope": "domain: x in (0, 1)"}


@pytest.mark.parametrize(("side", "expected"), [(Fraction(TAIL), (0, 0)), (TAIL, (1, 0))])
def test_fractions_with_the_digits_of_a_float_show_no_copy(side, expected):
    seen = inequality.Sides("")
    list(inequality.watch_cases(iter([({"x": 0.5}, side, side)]), seen, links_too=False))
    assert seen.compare() == expected


@pytest.mark.parametrize("dressed", [exact, Fraction, lambda x: arb(str(x)), lambda x: exact(x) / 3])
def test_a_quotient_or_the_digits_of_a_float_are_not_machine_checked(trials, dressed):
    check = inequality.inequality_claim(STATEMENT, **DOMAIN)(lambda: [({"x": 0.5}, dressed(TAIL), 1)])
    assert (check().outcome, check().evidence, check().scope) == (HOLDS, "tested", "settings")


@pytest.mark.parametrize("dressed", [exact, Fraction])
def test_a_ball_or_a_fraction_made_of_a_float_has_the_error_of_a_float(trials, dressed):
    check = inequality.inequality_claim(STATEMENT, **DOMAIN)(
        lambda: [({"x": 0.1}, dressed(TAIL), dressed(TAIL * (1 - 1e-14)))]
    )
    assert (check().outcome, check().evidence, check().scope) == (HOLDS, "tested", "settings")


with ctx.workprec(128):  # as in a check
    DRESSED = [
        *[exact(TAIL), exact(TAIL) / 3, exact(TAIL) * exact(2) / 7, Fraction(TAIL) / 3, Fraction(TAIL) / 2**60],
        *[arb(str(TAIL)), Fraction(str(TAIL)), arb(repr(1e-9 / 3)), Fraction(TAIL) * 8 / 11],
    ]
    EXACT = [
        *[arb("0.118"), Fraction("0.118"), exact(2).sqrt(), exact(1) / 3, exact(0.5) / 3, Fraction(50625, 4096)],
        *[arb(0.5, 0.1), arb("inf"), Fraction(10**400, 3), Fraction(2, 3), arb("0.1"), Fraction(1, 10)],
    ]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("side", DRESSED)
def test_a_float_in_another_dress_is_a_float(side, sign):
    with ctx.workprec(128):
        assert inequality.is_made_of_float(sign * side, {"beta": 0.25, "n": 3})


def test_a_number_made_of_those_of_the_setting_is_exact():
    """gamma - e b / 3 at gamma = 0.2, e = 0.5: three times it is a float."""
    with ctx.workprec(128):
        side = exact(0.2) - exact(0.5) / 3
        assert not inequality.is_made_of_float(side, {"gamma": 0.2, "e": 0.5})
        assert inequality.is_made_of_float(side, {"gamma": 0.25})


@pytest.mark.parametrize("side", EXACT)
@pytest.mark.parametrize("beta", [0.1, 0.25])
def test_what_was_never_a_float_stays_exact(side, beta):
    with ctx.workprec(128):
        assert not inequality.is_made_of_float(side, {"beta": beta, "n": 3})


@pytest.mark.parametrize(
    "side", [Fraction(1, 3), Fraction(5, 8), Fraction(0.1) / 2, exact(0.1) * 4, exact(2) ** 80 + 1]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_of_the_setting_and_a_short_or_a_long_one_are_exact(side, sign):
    assert not isinstance(inequality.unmask_float(sign * side, {"beta": 0.1, "n": 3}), float)


@pytest.mark.parametrize(("left", "right"), [(2, 1), (1, 2)], ids=["refutes", "holds"])
def test_a_case_outside_the_hypotheses_decides_nothing(left, right):
    theorem = gaussian_privacy.gaussian_mechanism_gdp.theorem
    name = theorem.needs[0].names[0]
    cases = inequality.watch_cases(iter([({name: -1.0}, left, right)]), inequality.Sides(theorem.key), links_too=False)
    with pytest.raises(OutsideHypotheses, match=f"{name} = -1.0 is outside the hypothesis"):
        inequality.decide_inequality(cases, rounding=None, **OPTIONS)


HELD = (1.0, 2.0)


@pytest.mark.parametrize(
    ("sides", "outcome", "reason"),
    [
        ([(1e-3, 0.0)], REFUTED, ""),
        ([(Fraction(1, 10**20), 0)], REFUTED, ""),
        ([(1.0, math.inf), HELD], HOLDS, ""),  # nothing is compared where everything is allowed
        ([(math.inf, 1.0), HELD], INCONCLUSIVE, "FAILED"),  # a left side that overflows leaves the row undecided
        ([(1.0, arb("inf"))], HOLDS, ""),  # an infinity that is meant is a ball
        ([(arb("inf"), 1.0)], REFUTED, ""),
        ([(arb(1, 0.1), 1)], INCONCLUSIVE, "BUDGET"),  # a ball across the bound
    ],
)
def test_zeros_infinities_and_balls(sides, outcome, reason):
    verdict = inequality.decide_inequality([({"x": 1}, *both) for both in sides], **OPTIONS)
    assert (verdict.outcome, verdict.reason) == (outcome, reason)


@pytest.mark.parametrize(
    ("sides", "evidence"),
    [((2, 1), "enumeration"), ((2.0, 1), "tested"), ((arb(2), 1), "certificate"), ((arb(2), 1.0), "certificate")],
)
def test_what_breaks_says_what_it_was_computed_in(sides, evidence):
    assert inequality.decide_inequality([({"x": 1}, *sides)], **OPTIONS).evidence == evidence


def test_a_family_grows_only_if_its_enclosures_do():
    def family(radius):
        return [({"x": k}, arb(10**k, radius * 10**k), 1) for k in range(4)]

    how = {"family": "x grows", "growth": 5, "rounding": None}
    assert order.decide_growth(family(0.1), **how, **OPTIONS).outcome == REFUTED
    assert order.decide_growth(family(0.5), **how, **OPTIONS).outcome == INCONCLUSIVE
    assert order.decide_growth([*family(0.1), ({"x": 4}, math.inf, 1)], **how, **OPTIONS).reason == "FAILED"


def test_weaker_laws_have_less_of_the_scale_that_is_named():
    pair = [gaussian.law([value], sensitivity=1.0, sigma=3.0) for value in (0.0, 1.0)]
    assert [(law.sigma, law.value[0]) for law in weaker(pair, 2)] == [(1.5, 0.0), (1.5, 1.0)]
    other = [FloatLaplace([value], 2.0) for value in (0.0, 1.0)]
    assert [law.scale for law in weaker(other, 4, "scale")] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ((0.0, 1.0), (0.5, 0.5), math.inf),
        ((0.5, 0.5), (0.0, 1.0), math.inf),
        ((0.0, 0.5, 0.5), (0.0, 0.25, 0.75), pytest.approx(math.log(2))),
    ],
)
def test_an_output_of_one_law_alone_is_an_infinite_ratio(one, other, ratio):
    laws = [SimpleNamespace(log_probabilities=lambda chances=chances: np.log(chances)) for chances in (one, other)]
    with np.errstate(divide="ignore"):
        assert largest_log_ratio(*laws) == ratio


def test_a_mean_over_its_bound_on_a_box():
    """n over n, both ends of the box apart: at most 10/2, at least 10/10."""
    upper, value, _ = mean_ratio(lambda n: arb(n), lambda n: arb(n), lambda n: arb(n))
    assert float(upper((math.log(2), math.log(10)))) >= 5 and float(value(math.log(10))) <= 1


def test_the_sharp_constant_of_a_conversion_is_that_of_its_worked_example():
    """On mu in [.01, 10], t in [0, 8] the ratio is at most 0.4605; everywhere it is at most 1/2."""
    rule = Conversion.of(gaussian_privacy.approx_epsilon_at, slope=None)
    assert sharpest(rule).reached == pytest.approx(0.4605, abs=2e-3)
    epsilon = gaussian_privacy.approx_epsilon(mu=1.0, delta=0.01)
    low, high = decide_conversion(rule, {}, epsilon, 1.0, 0.01).tightness
    assert (low, high) == pytest.approx((0.4605, 0.5), abs=2e-3)


@pytest.mark.parametrize("sides", [(arb(1), arb(4)), (1, 4), (0.25, 1.0)])
def test_a_ratio_is_the_left_side_over_the_right(sides):
    assert inequality.ratio_above(*inequality.scale_sides(*sides, 1)) == 0.25


@pytest.mark.parametrize("n", [2, 10, 10**6])
def test_whole_numbers_around_an_exponential(n):
    assert whole_below(math.log(n)) <= n <= whole_above(math.log(n)) <= n + 1
