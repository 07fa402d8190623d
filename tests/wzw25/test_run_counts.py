"""The truncated negative binomial law against slow twins; the sampler by exact binomial tests.

The sampler tests draw at a fixed seed. At a new one a correct sampler fails any of them with probability at most
FALSE_ALARM in all; a wrong sampler (the controls) must fail.
"""

import math

import numpy as np
import pytest
from flint import ctx
from hypothesis import example, given, settings, strategies as st
from scipy import stats

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.wzw25 import repetitions, run_counts
from lemmata.mechanisms.selection.tnb import law

property_test = settings(derandomize=True, deadline=None, max_examples=60)
ETAS = (-0.999, -0.9, -0.5, -1e-9, 0.0, 1e-9, 0.5, 1.0, 3.0, 20.0)
RS = (0.999, 0.9, 0.1, 1e-3, 1e-12)
SEED = 20251120
DRAWS = 20_000
SCALES = (2, 10, 1000, 10**6, 10**9, 10**12)
FALSE_ALARM = 1e-8
TESTS = 2 * len(ETAS) * len(RS) * (4 + len(SCALES))  # two sides, four bins and all scales at every law
any_eta = st.floats(-0.99, 50)
any_r = st.floats(1e-9, 1 - 1e-9)


# The law --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [*ETAS, 5e-324, -5e-324, 1e-320, 1e-17, -1e-16])
@pytest.mark.parametrize("r", [*RS, 1e-300])
def test_the_weights_are_the_printed_product(eta, r):
    """The slow twin multiplies the printed product up, in balls."""
    with ctx.workprec(tnb.FINE):
        slow = [float(w) for w in tnb.weights(eta, r, 60)]
    np.testing.assert_allclose(run_counts.pmf(eta=eta, r=r, k=np.arange(1, 61)), slow, rtol=2e-12, atol=1e-300)


@pytest.mark.parametrize("eta", [-0.5, 0.5, 3.0])
def test_far_out_the_weights_are_those_of_the_gamma_functions(eta):
    k, r = 10**8, 1e-8
    with ctx.workprec(300):
        ratio = (exact(k) + exact(eta)).lgamma() - exact(k).lgamma() - (1 + exact(eta)).lgamma()
        scale = exact(eta) / (-exact(eta) * exact(r).log()).expm1()
        slow = ratio + k * (1 - exact(r)).log() - exact(k).log() + scale.log()
    assert float(tnb.log_pmf(eta=eta, r=r, k=k)) == pytest.approx(float(slow), abs=1e-9)


@pytest.mark.parametrize("eta", [*ETAS, 5e-324, -5e-324, 1e-320, 1e-17, -1e-16])
@pytest.mark.parametrize("r", [*RS, 1e-300])
def test_mean_and_generating_function_agree_with_the_printed_formulas(eta, r):
    with ctx.workprec(tnb.FINE):
        assert run_counts.mean(eta=eta, r=r) == pytest.approx(float(tnb.mean(eta, r)), rel=1e-12)
        for x in (-1.0, 0.0, 0.5, 0.875, 1.0):
            slow = float(tnb.pgf(eta, r, x))
            assert run_counts.pgf(eta=eta, r=r, x=x) == pytest.approx(slow, rel=1e-9, abs=1e-15)


@given(eta=any_eta, r=any_r, factor=st.floats(1.01, 10))
@property_test
def test_larger_r_and_smaller_eta_mean_fewer_runs(eta, r, factor):
    assert run_counts.mean(eta=eta, r=r) >= run_counts.mean(eta=eta, r=min(1 - 1e-12, factor * r)) * (1 - 1e-12)
    assert run_counts.mean(eta=eta, r=r) <= run_counts.mean(eta=eta + 0.1, r=r) * (1 + 1e-12)


@given(eta=any_eta, r=any_r, q=st.floats(0.001, 0.999))
@example(eta=5e-324, r=0.01, q=0.5)
@example(eta=-5e-324, r=1e-300, q=0.5)
@property_test
def test_the_mixing_quantile_inverts_its_distribution(eta, r, q):
    """To the two floats beside it: near r = 1 there are few, and their orders lie further apart than 1e-9."""
    p = float(run_counts.mixing_quantile(eta=eta, r=r, q=q))
    assert r <= p <= 1
    with ctx.workprec(tnb.FINE):
        r_, eta_ = exact(r), exact(eta)

        def order(p):
            if eta == 0:
                return float(1 - exact(p).log() / r_.log())
            whole = (-eta_ * r_.log()).expm1()
            return float((whole - (-eta_ * exact(p).log()).expm1()) / whole)

        assert order(math.nextafter(p, 0)) - 1e-9 <= q <= order(math.nextafter(p, 2)) + 1e-9


# The sampler ----------------------------------------------------------------------------------------------------------


def suspicion(runs, eta, r, rng):
    """The smallest p-value of exact binomial tests of `runs` against TNB(eta, r): bins {K <= k}, and thinning.

    None of m-sided dice thrown K times shows one given face with probability E (1 - 1/m)^K, the generating function:
    an exact Bernoulli probability at every scale m, up to the 1/r where the heavy tail ends.
    """
    values = []
    for k in (1, 2, 10, 300):
        p = min(1.0, float(run_counts.pmf(eta=eta, r=r, k=np.arange(1, k + 1)).sum()))
        values.append((int((runs <= k).sum()), p))
    for scale in SCALES:
        missed = rng.random(runs.size) < np.exp(runs * np.log1p(-1 / scale))
        values.append((int(missed.sum()), min(1.0, repetitions.not_selected(eta=eta, r=r, size=scale))))
    tails = [min(stats.binom.cdf(c, runs.size, p), stats.binom.sf(c - 1, runs.size, p)) for c, p in values]
    return min(tails)


@pytest.mark.statistical
@pytest.mark.parametrize("eta", ETAS)
@pytest.mark.parametrize("r", RS)
def test_the_sampler_has_the_stated_law(eta, r):
    rng = np.random.default_rng([SEED, ETAS.index(eta), RS.index(r)])
    runs = law(eta=eta, r=r).sample(rng, DRAWS)
    assert runs.dtype.kind == "i" and runs.min() >= 1
    assert suspicion(runs, eta, r, rng) >= FALSE_ALARM / TESTS


WRONG = {  # name: (eta, r, draws of a law that is not TNB(eta, r))
    "r off by two thirds": (0.0, 1e-3, lambda rng: law(eta=0.0, r=5e-3 / 3).sample(rng, DRAWS)),
    "eta off by a tenth": (-0.5, 1e-12, lambda rng: law(eta=-0.4, r=1e-12).sample(rng, DRAWS)),
    "the gamma scale doubled": (1.0, 0.9, lambda rng: 1 + rng.poisson(rng.standard_gamma(1, DRAWS) / 9 * 2)),
    "a table cut at 1e6": (0.5, 1e-12, lambda rng: np.minimum(law(eta=0.5, r=1e-12).sample(rng, DRAWS), 10**6)),
    "1e-6 for r = 1e-12": (0.0, 1e-12, lambda rng: rng.logseries(1 - 1e-6, DRAWS)),
    "NB(eta), not NB(1 + eta)": (0.5, 0.1, lambda rng: 1 + rng.negative_binomial(0.5, 0.1, DRAWS)),
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_sampler_is_caught(name):
    """Negative control: the same tests, at the same level."""
    eta, r, draw = WRONG[name]
    rng = np.random.default_rng([SEED, 99])
    assert suspicion(draw(rng), eta, r, rng) < FALSE_ALARM / TESTS


def test_the_sampler_is_a_function_of_its_generator():
    first, again = (law(eta=-0.5, r=1e-9).sample(np.random.default_rng(3), 100) for _ in range(2))
    assert (first == again).all()


def test_a_million_draws_need_no_table():
    runs = law(eta=0.0, r=2.0**-49).sample(np.random.default_rng(SEED), 10**6)
    assert runs.min() == 1 and 2**50 < runs.max() < 2**60


def test_the_density_is_the_law():
    k = np.array([1, 2, 50])
    np.testing.assert_allclose(np.exp(law(eta=0.5, r=0.1).log_density(k)), run_counts.pmf(eta=0.5, r=0.1, k=k))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"eta": -1.0, "r": 0.5}, r"eta must be in \(-1, inf\), got -1.0"),
        ({"eta": math.nan, "r": 0.5}, r"eta must be in \(-1, inf\), got nan"),
        ({"eta": 1.0, "r": 0.0}, r"r must be in \(0, 1\), got 0.0"),
        ({"eta": 1.0, "r": 1.0}, r"r must be in \(0, 1\), got 1.0"),
        ({"eta": 1.0, "r": 1e-17}, r"r must be in \[\(1 \+ \|eta\|\) / 2\^50, 1\), got 1e-17"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        law(**parameters)
