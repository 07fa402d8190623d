"""Guarantees: dp-accounting and ball arithmetic as oracles, inverse pairs, conversions both ways, groups."""

import math

import numpy as np
import pytest
from dp_accounting import gaussian_mechanism as oracle
from hypothesis import assume, given, settings, strategies as st

from lemmata.bounds.exact.balls import enclosure
from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.bounds.wzw25.gaussian_privacy import smallest_gdp
from lemmata.mechanisms.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    LabelDP,
    PureDP,
    compose,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
    gaussian_noise_multiplier,
    group,
    share_of_record,
    to_approx,
    to_gaussian,
    to_gaussian_budget,
    to_neighbours,
    to_pure,
)
from tests.mechanisms.numerics.test_arithmetic import curve

exactly = settings(derandomize=True, deadline=None)
MUS = [0.01, 0.1, 0.5, 1.0, 2.5, 10.0, 40.0]
DELTAS = [1e-12, 1e-5, 0.01, 0.5, 0.9]
ROUNDING = 1e-15  # of a logarithm near 0, a last digit of SciPy's that moved between versions


# The curve


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0, 20.0])
def test_delta_agrees_with_dp_accounting(mu, epsilon):
    theirs = oracle._get_log_delta(1 / mu, epsilon)
    assert gaussian_delta(epsilon, mu) == pytest.approx(np.exp(theirs), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("delta", DELTAS)
def test_epsilon_agrees_with_dp_accounting(mu, delta):
    theirs = oracle.get_epsilon_gaussian(1 / mu, delta, tol=1e-15)
    assert gaussian_epsilon(mu, delta) == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_noise_agrees_with_dp_accounting(epsilon, delta):
    theirs = oracle.get_sigma_gaussian(epsilon, delta, tol=1e-15)
    assert gaussian_noise_multiplier(ApproxDP(epsilon, delta)) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.01, 0.5, 0.9])
def test_noise_at_epsilon_zero(delta):
    """delta = erf(mu / sqrt 8) inverted in balls; dp-accounting loses digits to cancellation here."""
    low, high = enclosure(curve(0.0, gaussian_mu(0.0, delta)))
    assert delta * (1 - 1e-12) <= low <= high <= delta


@exactly
@given(mu=st.floats(-8, 2).map(lambda x: 10**x), u=st.floats(-8, 30))
def test_curve_is_enclosed_by_balls(mu, u):
    epsilon = mu * (u + mu / 2)
    low, high = enclosure(curve(epsilon, mu))
    assume(low > 1e-280)
    slack = 1e-14 * (1 + (epsilon / mu) ** 2 + mu**2)  # rounding of u = epsilon / mu - mu / 2, squared in the exponent
    assert low * (1 - slack) <= gaussian_delta(epsilon, mu) <= high * (1 + slack)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (gaussian_delta(0.0, 0.0), 0.0),
        (gaussian_delta(1.0, 0.0), 0.0),
        (gaussian_delta(-1.0, 0.0), pytest.approx(-math.expm1(-1.0), rel=1e-12)),
        (gaussian_delta(math.inf, 1.0), 0.0),
        (gaussian_delta(-math.inf, 1.0), 1.0),
        (gaussian_delta(1.0, math.inf), 1.0),
        (gaussian_delta(math.inf, math.inf), 0.0),
        (gaussian_delta(0.0, 1e-8), pytest.approx(3.989422804014327e-09, rel=1e-12)),
        (gaussian_delta(1000.0, 40.0), pytest.approx(2.536296514956551e-07, rel=1e-12)),
        (gaussian_delta(1e6, 1e-8), 0.0),
        (gaussian_delta(1000.0, 1.0), 0.0),
        (log_gaussian_delta(1000.0, 1.0), pytest.approx(-(999.5**2) / 2, rel=1e-4)),  # the tail, where delta underflows
        (gaussian_epsilon(1.0, 0.0), math.inf),
        (gaussian_epsilon(1.0, 1.0), 0.0),
        (gaussian_epsilon(0.0, 0.1), 0.0),
        (gaussian_epsilon(math.inf, 0.5), math.inf),
        (gaussian_mu(1.0, 0.0), 0.0),
        (gaussian_mu(1.0, 1.0), math.inf),
        (gaussian_mu(math.inf, 0.1), math.inf),
        (gaussian_mu(0.0, math.erf(0.5 / math.sqrt(8))), pytest.approx(0.5)),
    ],
)
def test_the_curve_and_its_inverses_at_their_edges(made, expected):
    assert made == expected


@exactly
@given(mu=st.floats(1e-3, 20), epsilon=st.floats(0, 20))
def test_both_orders_have_the_same_curve(mu, epsilon):
    """delta(-e) = 1 - e^-e + e^-e delta(e)."""
    mirrored = -math.expm1(-epsilon) + math.exp(-epsilon) * gaussian_delta(epsilon, mu)
    assert gaussian_delta(-epsilon, mu) == pytest.approx(mirrored, rel=1e-12)


@exactly
@given(mu=st.floats(1e-3, 20), factor=st.floats(1.001, 3), epsilon=st.floats(-5, 20))
def test_less_noise_is_less_private(mu, factor, epsilon):
    assert log_gaussian_delta(epsilon, mu) <= log_gaussian_delta(epsilon, factor * mu) + ROUNDING
    assert log_gaussian_delta(epsilon, mu) >= log_gaussian_delta(epsilon + 0.1, mu) - ROUNDING


# Its inverses


@exactly
@given(epsilon=st.floats(1e-6, 100), log_delta=st.floats(-300, -0.01))
def test_mu_and_epsilon_invert_each_other(epsilon, log_delta):
    delta = math.exp(log_delta)
    mu = gaussian_mu(epsilon, delta)
    assert gaussian_epsilon(mu, delta) == pytest.approx(epsilon, rel=1e-8, abs=1e-10)
    assert gaussian_delta(epsilon, mu) == pytest.approx(delta, rel=1e-8)


# Conversions, compositions and groups


@exactly
@given(epsilon=st.floats(1e-9, 700))
def test_pure_implies_the_gdp_of_randomised_response(epsilon):
    """Randomised response is epsilon-DP and dominates all of it; its exact GDP comes from its two error rates."""
    keep = 1 / (1 + math.exp(-epsilon))
    flip = math.exp(-epsilon) / (1 + math.exp(-epsilon))
    smallest = smallest_gdp(p=[keep, flip], q=[flip, keep])
    assert to_gaussian(PureDP(epsilon)).mu == pytest.approx(smallest, rel=1e-7, abs=1e-15)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (to_pure(ApproxDP(0.5, 0.0, "label")), PureDP(0.5, "label")),
        (to_approx(ApproxDP(0.5, 1e-6), epsilon=0.6), ApproxDP(0.6, 1e-6)),
        (to_approx(GaussianDP(1.0), epsilon=to_approx(GaussianDP(1.0), delta=1e-5).epsilon).delta, pytest.approx(1e-5)),
        (to_gaussian(GaussianDP(2.0)), GaussianDP(2.0)),
        (to_gaussian_budget(GaussianDP(2.0)), GaussianDP(2.0)),
        (to_gaussian_budget(ApproxDP(1.0, 1e-5, "add/remove")).neighbours, "add/remove"),
        (LabelDP(1.0, 1e-6), ApproxDP(1.0, 1e-6, "label")),
        (to_neighbours(PureDP(1.0), "label"), PureDP(1.0, "label")),
        (to_neighbours(PureDP(1.0, "add/remove"), "replace"), PureDP(2.0, "replace")),
        (to_neighbours(GaussianDP(0.5, "add/remove"), "label"), GaussianDP(1.0, "label")),
        (compose(PureDP(0.25), PureDP(0.5)), PureDP(0.75)),
        (compose(ApproxDP(0.25, 1e-6), ApproxDP(0.5, 2e-6)).delta, pytest.approx(3e-6)),
        (compose(ApproxDP(1.0, 0.7), ApproxDP(1.0, 0.7)).delta, 1.0),
        (compose(*[GaussianDP(0.1)] * 100).mu, pytest.approx(1.0, rel=1e-14)),
        (compose(GaussianDP(1.0), PureDP(1.0)).mu, pytest.approx(math.hypot(1.0, to_gaussian(PureDP(1.0)).mu))),
        (group(PureDP(0.125), 16), PureDP(2.0)),
        (group(GaussianDP(0.5, "label"), 4), GaussianDP(2.0, "label")),
        (group(ApproxDP(700.0, 1e-300), 3).delta, 1.0),
    ],
    ids=str,
)
def test_conversions_compositions_and_groups(made, expected):
    assert made == expected


# Bad input, and conversions that do not exist

A_NAME = r"^\w+ .*"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: PureDP(0.0), r"epsilon must be in \(0, inf\), got 0\.0"),
        (lambda: PureDP(math.nan), r"epsilon must be in .*, got nan"),
        (lambda: PureDP(math.inf), r"epsilon must be in .*, got inf"),
        (lambda: PureDP(1.0, "swap"), "neighbours must be one of replace, add/remove, label, got 'swap'"),
        (lambda: ApproxDP(-1.0, 0.1), r"epsilon must be in .*, got -1\.0"),
        (lambda: ApproxDP(1.0, 1.5), r"delta must be in \[0, 1\], got 1\.5"),
        (lambda: GaussianDP(0), r"mu must be in \(0, inf\), got 0"),
        (lambda: gaussian_delta(1.0, -1.0), r"mu must be in .*, got -1\.0"),
        (lambda: gaussian_epsilon(1.0, 2.0), r"delta must be in .*, got 2\.0"),
        (lambda: gaussian_mu(-1.0, 0.1), r"epsilon must be in .*, got -1\.0"),
        (lambda: group(PureDP(1.0), 1.5), r"k must be an integer >= 1, got 1\.5"),
        (lambda: gaussian_noise_multiplier(PureDP(1.0)), r"delta must be in \(0, 1\) to calibrate.*, got 0\.0"),
        (lambda: to_pure(GaussianDP(1.0)), A_NAME),
        (lambda: to_pure(ApproxDP(1.0, 1e-6)), A_NAME),
        (lambda: to_gaussian(ApproxDP(1.0, 1e-6)), A_NAME),
        (lambda: to_gaussian_budget(PureDP(1.0)), A_NAME),
        (lambda: to_gaussian_budget(ApproxDP(1.0, 1.0)), A_NAME),
        (lambda: to_approx(GaussianDP(1.0)), A_NAME),
        (lambda: to_approx(GaussianDP(1.0), delta=0.0), A_NAME),
        (lambda: to_approx(GaussianDP(1.0), delta=0.1, epsilon=1.0), A_NAME),
        (lambda: to_approx(PureDP(1.0), epsilon=0.5), A_NAME),
        (lambda: to_neighbours(PureDP(1.0), "add/remove"), A_NAME),
        (lambda: to_neighbours(PureDP(1.0, "label"), "replace"), A_NAME),
        (lambda: compose(), A_NAME),
        (lambda: compose(PureDP(1.0), PureDP(1.0, "label")), A_NAME),
    ],
)
def test_what_does_not_exist_is_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("k", [1, 2, 7, 1000])
def test_what_single_records_may_promise_is_enough_for_a_user_and_nearly_all_of_it(k):
    for epsilon, delta in (
        (1.0, 1e-6),
        (0.1, 0.3),
        (7.3, 1e-300),
        (0.0, 0.1),
        (1e-9, 1.0),
        (3.0, 1.5e-323),
        (2.0, 0.0),
    ):
        whole = group(share_of_record(ApproxDP(epsilon, delta), k), k)
        assert whole.epsilon <= epsilon and whole.delta <= delta
        assert whole.epsilon >= epsilon * (1 - 1e-12) and (whole.delta >= delta * (1 - 1e-12) or delta < 1e-299)
    large = group(share_of_record(ApproxDP(1000.0, 1e-5), k), k)  # whose exponential is no float
    assert 999 < large.epsilon <= 1000.0 and large.delta <= 1e-5
    for third in (PureDP(1 / 3), GaussianDP(1 / 3), ZCDP(1 / 3)):
        (name, whole), *_ = vars(group(share_of_record(third, k), k)).items()
        assert 1 / 3 * (1 - 1e-15) <= whole <= 1 / 3, name
