"""The engine's own settings: false statements fall, true ones stand, rounding refutes nothing, and nothing leaks."""

import functools
import math
import time
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from scipy import integrate, special, stats

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED
from lemmata.bounds.theorem import THEOREMS, between, in_unit_interval, integer, positive, require, theorem
from lemmata.experiments.checks.identity import identity_claim
from lemmata.experiments.checks.inequality import inequality_claim
from lemmata.experiments.engine.claims import fingerprint
from lemmata.experiments.engine.claims.claim import CLAIMS, grid
from lemmata.experiments.engine.claims.steps import Step
from lemmata.experiments.engine.search import points, rounding, search as engine
from lemmata.mechanisms.numerics.streams import generator


def make(needs, right, check, claim=inequality_claim, kind="inequality", **fields):
    """A claim of a statement that nobody else sees."""
    with mock.patch.dict(THEOREMS), mock.patch.dict(CLAIMS):
        made = theorem("wzw25.eq2", part="searched", kind=kind, says="x", needs=needs)(right)
        claim(made, **fields)(check(made))
        return CLAIMS[made.theorem.key]


def look(claim, evaluations=1000, root=0):
    return engine.search(claim, generator(root, claim.key, {}, "search", 0), evaluations)


def expect_a_fall(claim, root):
    """A false statement falls, and its counterexample is judged again from lists, as they are stored."""
    verdict = look(claim, root=root)
    assert verdict.outcome == REFUTED
    assert engine.judge_at(claim, verdict.witness["asked"]).outcome == REFUTED


def expect_all_to_hold(claim):
    """A true statement stands at all settings of a search."""
    verdict = look(claim, 400)
    assert verdict.outcome == HOLDS and verdict.searched["decided"] == 400


def factorial_by_powers(bound):
    def check(*, n):
        yield {"n": n}, math.factorial(n), bound(n=n)

    return check


def looped_factorials(bound):
    global looped

    def looped():
        for n in range(1, 25):
            yield {"n": n}, math.factorial(n), factorial_bound(n=n)

    global factorial_bound
    factorial_bound = bound
    return looped


def side(**left):
    """A check whose left side is a function of the setting, by the names of its arguments."""
    (function,) = left.values()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    def check_of(bound):
        source = f"def check(*, {', '.join(names)}):\n    s = dict({', '.join(f'{n}={n}' for n in names)})\n"
        source += "    yield s, function(**s), bound(**s)"
        scope = {"function": function, "bound": bound, "__name__": __name__}
        exec(source, scope)
        return scope["check"]

    return check_of


N, X, P = [integer("n")], [positive("x")], [in_unit_interval("x")]
FALSE = {
    "n! <= 10^n": (N, lambda *, n: 10**n, factorial_by_powers),
    "n! <= 10^n, looped": (N, lambda *, n: 10**n, looped_factorials),
    "n <= 100": (N, lambda *, n: 100, side(left=lambda n: n)),
    "1.1 n ln n above n": (N, lambda *, n: 40 + 2 * n, side(left=lambda n: n * math.log(n))),
    "e^x <= 1 + x": (X, lambda *, x: 1 + x, side(left=lambda x: math.exp(min(x, 700)))),
    "e^x <= 2.7 on (0, 1)": (P, lambda *, x: 2.7, side(left=lambda x: math.exp(x))),
    "a chi-square tail with x for 2x": (
        X,
        lambda *, x: math.exp(-x),
        side(left=lambda x: float(stats.chi2.sf(10 + 2 * math.sqrt(10 * x) + x, 10))),
    ),
    "x^2 <= x^1.5 below 2": (X, lambda *, x: max(x**1.5, 1.3), side(left=lambda x: min(x, 2.0) ** 2)),
    "(n + 1)^n <= 2.7 n^n": (N, lambda *, n: Fraction(27, 10) * n**n, side(left=lambda n: (n + 1) ** n)),
    "log(1/x) <= 20": (P, lambda *, x: 20.0, side(left=lambda x: math.log(1 / x))),
    "log(1/x) <= 10, from 1 - x": (P, lambda *, x: 10.0, side(left=lambda x: -math.log1p(-x))),
    "beyond the range of floats": (N, lambda *, n: 10 ** (400 * n), side(left=lambda n: 10 ** (401 * n - 20))),
    "a normal tail, false where both sides are small": (
        X,
        lambda *, x: math.exp(-x * x / 2) / (2.6 * x),
        side(left=lambda x: float(stats.norm.sf(x))),
    ),
    "a Poisson tail with the steps of a ceiling": (
        X,
        lambda *, x: math.exp(-x * x / 200),
        side(left=lambda x: float(stats.poisson.sf(math.ceil(100 + x) - 1, 100))),
    ),
    "a norm of two rows, with kinks": (
        [between("x", -10, 10), between("y", -10, 10)],
        lambda *, x, y: max(abs(x) + 0.1, abs(y) + 0.1),
        side(left=lambda x, y: math.hypot(x, y)),
    ),
    "the logarithm of a tail, both sides negative": (
        X,
        lambda *, x: -x * x / 1.9 - math.log(2),
        side(left=lambda x: float(stats.norm.logsf(x))),
    ),
    "log(1/(1 + x)) <= -x / 2": (X, lambda *, x: -x / 2, side(left=lambda x: -math.log1p(x))),
    "a ceiling that is large late": (N, lambda *, n: 14, side(left=lambda n: float(math.ceil(math.log2(n))))),
    "half of it": (N, lambda *, n: 7, side(left=lambda n: math.ceil(math.log2(n)) / 2)),
    "large late for even numbers": (N, lambda *, n: 50.0, side(left=lambda n: math.sqrt(n) * (n % 2 == 0))),
    "a bound above a small level only": (P, lambda *, x: 10 * x, side(left=lambda x: math.sqrt(x))),
}  # fmt: skip


def remainder_of_stirling(n):
    return math.lgamma(n + 1) - ((n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi))


TRUE = {
    "n <= n^2": (N, lambda *, n: n * n, side(left=lambda n: n)),
    # From n = 10^5 on the remainder is as small as the rounding of what it is the remainder of.
    "Stirling's remainder": (N, lambda *, n: 1.0001 / (12 * n), side(left=remainder_of_stirling)),
    "its absolute value": (N, lambda *, n: 1.0001 / (12 * n), side(left=lambda n: abs(remainder_of_stirling(n)))),
    "a central binomial coefficient": (
        N,
        lambda *, n: 1 / math.sqrt(math.pi * n),
        side(left=lambda n: math.exp(math.lgamma(2 * n + 1) - 2 * math.lgamma(n + 1) - 2 * n * math.log(2))),
    ),
    "log(1 + 1 / n) <= 1 / n": (N, lambda *, n: 1 / n, side(left=lambda n: math.log(n + 1) - math.log(n))),
    "Stirling from above": (
        N,
        lambda *, n: n * math.log(n) - n + 0.5 * math.log(2 * math.pi * n) + 1 / (12 * n),
        side(left=lambda n: float(special.gammaln(n + 1))),
    ),
    "a normal tail as 1 less the rest": (
        X,
        lambda *, x: math.exp(-x * x / 2) / 2,
        side(left=lambda x: 1 - float(stats.norm.cdf(x))),
    ),
    "a normal tail by quadrature": (
        X,
        lambda *, x: math.exp(-x * x / 2) / 2,
        side(left=lambda x: integrate.quad(lambda u: math.exp(-u * u / 2) / 2.5066282746310002, x, np.inf)[0]),
    ),
    "the logarithm of a tail": (
        X,
        lambda *, x: -x * x / 2 - math.log(2),
        side(left=lambda x: float(stats.norm.logsf(x))),
    ),
    "sin x - x + x^3 / 6 <= x^5 / 120, where sin x is x": (
        X,
        lambda *, x: x**5 / 120,
        side(left=lambda x: math.sin(x) - x + x**3 / 6),
    ),
    "what a descent leaves, a floor of rounding": (
        N,
        lambda *, n: 0.6**n,
        side(left=lambda n: abs(functools.reduce(lambda x, _: x - 0.5 * (x - 0.3), range(n), 1.0) - 0.3)),
    ),
    "e^-x - 1 <= x^2 / 2 - x, by cancelling terms": (
        X,
        lambda *, x: x * x / 2 - x,
        side(left=lambda x: math.exp(-x) - 1),
    ),
    "1 + x <= e^x": (X, lambda *, x: math.exp(min(x, 700)), side(left=lambda x: 1 + min(x, 700))),
    "log(1 + x) <= x": (X, lambda *, x: x, side(left=lambda x: math.log1p(x))),
    "a tail that cancels": (P, lambda *, x: x, side(left=lambda x: 1 - (1 - x))),
    "1 - cos x <= x^2 / 2": (P, lambda *, x: x * x / 2, side(left=lambda x: 1 - math.cos(x))),
    "(1 - cos x) / x^2 <= 1/2": (X, lambda *, x: 0.5, side(left=lambda x: (1 - math.cos(x)) / x**2)),
    "(x - sin x) / x^3 <= 1/6": (X, lambda *, x: 1 / 6, side(left=lambda x: (x - math.sin(x)) / x**3)),
    "(e^x - 1) / x >= 1": (X, lambda *, x: math.expm1(min(x, 700)) / x, side(left=lambda x: 1.0)),
    "(e^x - 1) / x <= e^x": (
        X,
        lambda *, x: math.exp(min(x, 700)),
        side(left=lambda x: (math.exp(min(x, 700)) - 1) / x),
    ),
    "e^x (1 - (1 - e^-x)) <= 1": (X, lambda *, x: 1.0, side(left=lambda x: math.exp(x) * (1 - (1 - math.exp(-x))))),
    "log(1 + x) / x <= 1": (X, lambda *, x: 1.0, side(left=lambda x: math.log(1 + x) / x)),
    "sqrt(1 + x) - 1 <= x / 2": (X, lambda *, x: 0.5, side(left=lambda x: (math.sqrt(1 + x) - 1) / x)),
    "(n + 1)^n <= e n^n": (N, lambda *, n: Fraction(2718281829, 10**9) * n**n, side(left=lambda n: (n + 1) ** n)),
    "x / 2 <= x, by a product that underflows": (
        P,
        lambda *, x: x**200 * (1 / x) ** 199,
        side(left=lambda x: x / 2),
    ),
    "a relation to an argument that has a default": (
        [positive("x"), positive("top"), require("x <= top", lambda x, top: x <= top)],
        lambda *, x, top=1.0: 1.0,
        side(left=lambda x: x),
    ),
    "a normal tail where both sides are small": (
        X,
        lambda *, x: math.exp(-x * x / 2) / (math.sqrt(2 * math.pi) * x),
        side(left=lambda x: float(stats.norm.sf(x))),
    ),
    "a binomial tail by 1 - cdf, with steps": (
        [*N, positive("x")],
        lambda *, n, x: math.exp(-2 * x * x / n),
        side(left=lambda n, x: 1 - float(stats.binom.cdf(math.ceil(n / 2 + x) - 1, n, 0.5))),
    ),
    "two numbers that stay apart": (
        [*N, positive("x"), require("x < n", lambda x, n: x < n)],
        lambda *, n, x: n,
        side(left=lambda n, x: x),
    ),
}


@pytest.mark.parametrize("root", [0, 1])
@pytest.mark.parametrize("case", FALSE.values(), ids=FALSE)
def test_a_false_statement_falls(case, root):
    verdict = look(make(*case), root=root)
    assert verdict.outcome == REFUTED
    assert "cases_at" in verdict.witness["python"]


@pytest.mark.parametrize("root", [0])
@pytest.mark.parametrize("case", TRUE.values(), ids=TRUE)
def test_a_true_statement_stands(case, root):
    verdict = look(make(*case), root=root)
    assert verdict.outcome == HOLDS and verdict.searched["decided"] == 1000


@pytest.mark.skipif(not rounding.MODES, reason="this processor's modes of rounding are not known")
@pytest.mark.parametrize(
    ("left", "fails"), [(lambda x: 1 + 1e-9 * (x * (1 / x) * 3.0 > 3.0), False), (lambda x: 1 + 1e-9 * (x > 3), True)]
)
def test_a_failure_is_as_large_in_every_mode_of_rounding(left, fails):
    """49 (1 / 49) 3 is above 3 if it is rounded up, and else below."""
    claim = make(X, lambda *, x: 1 - 1e-9 * x, side(left=left))
    seen = engine.Search(claim, generator(0, "x", {}, "search", 0), points.open_check(claim))
    assert seen.judge({"x": 49.0})[0].outcome == REFUTED
    assert seen.fails_rounded({"x": 49.0}) or not fails
    assert 1 / float(3) == 0.3333333333333333 and 2 / float(3) == 0.6666666666666666  # to the nearest again


def integral_by_recurrence(n):
    """The integral of x^n e^(x - 1) over (0, 1), whose rounding error grows by n at each step."""
    value = 1 - 1 / math.e
    for k in range(1, n + 1):
        value = 1 - k * value
    return value


def check_recurrence(*, n):
    yield {"n": n}, integral_by_recurrence(n), UNSTABLE["a recurrence"](n=n)


def check_alternating_sum(*, n):
    total = sum((-1) ** k * math.comb(n, k) / (k + 1) for k in range(n + 1))
    yield {"n": n}, total, UNSTABLE["an alternating sum"](n=n)


def check_inverse(*, n):
    matrix = np.array([[1 / (i + j + 1) for j in range(n)] for i in range(n)])
    yield {"n": n}, math.exp(3.0 * n) / 100, UNSTABLE["an inverse"](n=n, norm=np.linalg.norm(np.linalg.inv(matrix), 2))


UNSTABLE = {
    "a recurrence": lambda *, n: 1 / (n + 1),
    "an alternating sum": lambda *, n: 1 / n,
    "an inverse": lambda *, n, norm: float(norm),
}


@pytest.mark.parametrize(
    ("check", "n", "is_shared"),
    [(check_recurrence, 21, True), (check_alternating_sum, 57, True), (check_inverse, 17, False)],
)
def test_an_unstable_formula_refutes_nothing(check, n, is_shared):
    """Also where a rounding error is the same in all modes; the norm of an inverse stops at 10^18 in all of them."""
    claim = make([*N, positive("norm")], lambda *, n, norm=1.0: 1.0, lambda bound: check)
    seen = engine.Search(claim, generator(0, "x", {}, "search", 0), points.open_check(claim))
    verdict, ratio = seen.judge({"n": n})
    assert verdict.outcome == REFUTED and not seen.confirms({"n": n}, verdict, ratio)
    with mock.patch.object(engine, "DISTURBED", 0):
        assert seen.confirms({"n": n}, verdict, ratio) == is_shared


def test_what_few_bits_say_is_not_disturbed_and_settings_are_not():
    disturb = rounding.Disturbance()._disturb
    assert disturb(0.75) == 0.75 and disturb(7) == 7
    assert 0 < abs(disturb(0.1) - 0.1) < 2e-16 and not (disturb(np.array([0.1, 0.5])) == [0.1, 0.5]).all()
    ((setting, left, _),) = rounding.Disturbance().make_cases(check_tenths, {"x": 0.1}, {})
    assert setting == {"x": 0.1, "y": 0.1 * 0.1} and left != 0.1 * 0.1


def check_tenths(*, x):
    yield {"x": x, "y": x * x}, x * x, 1.0


def tenths_up_to(end):
    for n in range(1, end):
        yield {"n": n}, n / 10, 1.0


def check_by_a_helper():
    yield from tenths_up_to(5)


def test_a_helper_is_disturbed_at_the_value_that_is_given():
    ((setting, left, _),) = rounding.Disturbance().make_cases(check_by_a_helper, {}, {"n": 7})
    assert setting == {"n": 7} and 0 < abs(left - 0.7) < 2e-15


def test_neighbours_that_are_rounded_otherwise_are_two():
    claim = make(X, lambda *, x: 1 + x, side(left=lambda x: math.exp(min(x, 700))))
    seen = engine.Search(claim, generator(0, "x", {}, "search", 0), points.open_check(claim))
    verdict, ratio = seen.judge({"x": 1.0})
    with mock.patch.object(seen, "fails_rounded", return_value=True) as asked:
        assert seen.confirms({"x": 1.0}, verdict, ratio) and asked.call_count == 3


def test_a_counterexample_is_made_simple():
    assert look(make(*FALSE["n! <= 10^n"])).witness["setting"] == {"n": 25}
    assert look(make(*FALSE["n <= 100"])).witness["setting"] == {"n": 101}


def test_an_identity_that_is_false_beyond_what_was_listed_falls():
    case = N, lambda *, n: 2**n, side(left=lambda n: 2**n + (n > 12))
    assert look(make(*case, claim=identity_claim)).witness["setting"] == {"n": 13}


def test_an_identity_whose_left_side_is_too_small_falls():
    """In floats, where a refutation has to be far off on a smooth stretch: ratios below 1 count as those above."""
    case = X, lambda *, x: 1 + x, side(left=lambda x: 1 + 0.7 * x)
    assert look(make(*case, claim=identity_claim)).outcome == REFUTED


def test_the_largest_ratio_and_its_place_are_said():
    verdict = look(make(P, lambda *, x: 1.0, side(left=lambda x: x * (1 - x))))
    assert verdict.searched["largest"] == pytest.approx(0.25, rel=1e-3)
    assert verdict.searched["at"]["x"] == pytest.approx(0.5, abs=0.02)
    assert verdict.tightness[1] == verdict.searched["largest"]


def test_the_same_root_gives_the_same_search_and_another_one_another():
    claim = make(P, lambda *, x: 1.0, side(left=lambda x: x * (0.7 - x)))
    assert look(claim).searched == look(claim).searched != look(claim, root=1).searched


def one_x(call):
    """A check of a statement about n and x that says nothing of x, which its author fixed at 1."""

    def check_of(bound):
        def check(*, n):
            yield {"n": n}, n, bound(n=n, x=1.0) if call else 3.0

        return check

    return make([*N, positive("x")], lambda *, n, x: 3 * x, check_of)


def test_what_the_hypotheses_cannot_judge_refutes_nothing():
    verdict = look(one_x(call=False))
    assert verdict.outcome == HOLDS and not verdict.searched["decided"] and verdict.searched["unjudged"]


def test_a_call_of_the_statement_is_judged_by_its_hypotheses():
    assert look(one_x(call=True)).witness["setting"] == {"n": 4}


def test_a_check_that_raises_or_takes_for_ever_is_given_up(monkeypatch):
    monkeypatch.setattr(points, "SLOW", 0.05)

    def check_of(bound):
        def check(*, n):
            while n > 3:
                pass
            yield {"n": n}, n, bound(n=n)

        return check

    assert look(make(N, lambda *, n: n * n, check_of)).searched["decided"] < 1000
    assert look(make(N, lambda *, n: n * n, side(left=lambda n: 1 // 0))).searched["raised"] > 50


def test_arguments_keep_the_order_of_their_author():
    def check_of(bound):
        def check(**setting):
            x, top = setting.values()
            yield setting, x, bound(x=x, top=top)

        return check

    needs = [positive("x"), positive("top"), require("x <= top", lambda x, top: x <= top)]
    claim = make(needs, lambda *, x, top: top, check_of, quick=grid(x=[1.0], top=[2.0]))
    assert look(claim).outcome == HOLDS and look(claim).searched["decided"] == 1000


def test_a_check_that_takes_all_memory_is_given_up(monkeypatch):
    monkeypatch.setattr(points, "LARGE", 2**25)
    greedy = make(N, lambda *, n: n, side(left=lambda n: np.ones(n * 2**17).mean() + (n > 30)))
    verdict = look(greedy)
    assert verdict.outcome == HOLDS and verdict.searched["raised"] > 10


def test_a_reach_is_kept():
    seen = []

    def check_of(bound):
        def check(*, n, x):
            seen.append(n)
            yield {"n": n, "x": x}, n, bound(n=n, x=x)

        return check

    claim = make([*N, *X], lambda *, n, x: n * n, check_of, reach={"n": 40})
    look(claim)
    assert max(seen) == 40
    search = engine.Search(claim, np.random.default_rng(0), points.open_check(claim))
    assert search.admits({"n": 40, "x": 1.0}) and not search.admits({"n": 41, "x": 1.0})
    far = make(X, lambda *, x: 1e3, side(left=lambda x: x), reach={"x": 1e3})
    assert look(far).outcome == HOLDS
    assert look(replace(far, reach={})).outcome == REFUTED


def test_an_oracle_has_domains_for_all_that_it_takes():
    claim = make(N, lambda *, n: n * n, side(left=lambda n: n))
    assert engine.is_searchable(claim)
    assert not engine.is_searchable(make([], lambda *, n: n * n, side(left=lambda n: n)))
    assert not engine.is_searchable(replace(claim, trial=lambda *, n: None))


def test_a_check_that_forgets_its_statement_is_seen():
    def forgets(bound):
        def check(*, n):
            yield {"n": n}, n, n * n

        return check

    assert not fingerprint.calls_statement(make(N, lambda *, n: n * n, forgets))
    assert fingerprint.calls_statement(make(N, lambda *, n: n**n, factorial_by_powers))


def test_warnings_of_an_evaluation_are_not_shown(recwarn):
    look(make(P, lambda *, x: 1.0, side(left=lambda x: float(np.float64(0) * np.log(x - x) * 0))))
    assert not recwarn.list


def test_a_side_beyond_the_range_of_floats_is_no_failing_step():
    """At x = 1e6 both sides are infinite floats: the statement is undecided there, and its derivation not wrong."""
    wide = side(left=lambda x: float(np.exp(np.float64(x))))
    verdict = look(make(X, lambda *, x: float(np.exp(np.float64(x))) + 1, wide, steps=[Step("algebra")]))
    assert verdict.outcome == HOLDS and verdict.searched["undecided"]


def test_a_step_that_fails_where_its_author_did_not_look_is_named():
    steps = [Step("wrong from 3 on", lambda *, n: min(n, 3)), Step("algebra")]
    verdict = look(make(N, lambda *, n: 2 * n, side(left=lambda n: n), steps=steps))
    assert verdict.reason == "FAILED" and "wrong from 3 on" in verdict.note


def test_what_counts_as_equal_is_no_ratio_of_an_identity():
    """Of sides near 0 the quotient is mostly rounding: the next largest ratio is said, and none without another."""
    claim = make(N, lambda *, n: n, side(left=lambda n: n), claim=identity_claim, kind="identity")
    seen = engine.Search(claim, np.random.default_rng(0), points.open_check(claim))
    verdict, _ = seen.judge({"n": 3})
    seen.worst = [(1.5, {"n": 1}, verdict), (0.99, {"n": 2}, verdict)]
    assert engine.conclude(seen, {}).searched["largest"] == 0.99 and engine.conclude(seen, {}).searched["at"] == {
        "n": 2
    }
    seen.worst = seen.worst[:1]
    assert "largest" not in engine.conclude(seen, {}).searched


def test_the_first_look_at_a_check_may_take_longer_than_an_evaluation():
    """It may import and compile: a slow machine would silently search nothing else."""
    waited = []

    def slow_at_first(n):
        while not waited and (began := time.process_time()):
            while time.process_time() < began + 1.2 * points.SLOW:
                pass
            waited.append(n)
        return math.factorial(n)

    global slow_factorial, bound_of_slow
    slow_factorial = slow_at_first

    def slow_check(bound):
        global bound_of_slow, slowly
        bound_of_slow = bound

        def slowly():
            for n in range(1, 25):
                yield {"n": n}, slow_factorial(n), bound_of_slow(n=n)

        return slowly

    assert look(make(N, lambda *, n: 10**n, slow_check)).outcome == REFUTED
