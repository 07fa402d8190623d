"""The audit of black boxes: what it must catch, what it must not, and that its stakes are fair."""

import math

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LinearRegression

from lemmata.experiments.audits import known_mechanisms, operating_curves
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.noise.gaussian import law as gaussian
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, LabelDP, PureDP, gaussian_delta

pytestmark = pytest.mark.slow

ONE = PureDP(1.0)
SLOW = (  # these wait for `make soak`
    "Laplace, a histogram",
    "Laplace, prefix sums",
    "RAPPOR",
    "sparse vector (Lyu, Su and Li)",
    "subsampled Laplace",
    "optimised unary encoding",
    "thirty coordinates that sum to zero",
    "report noisy max, Laplace",
    "5-ary randomised response",
    "Laplace, a count, add/remove",
)


def laplace(shift, scale=1.0):
    return lambda rng, n: scale * (shift + rng.laplace(size=(n, 1)))


def normal(shift, scale=1.0):
    return lambda rng, n: shift + rng.normal(scale=scale, size=(n, 1))


def signs(rng, n):
    return rng.choice([-1.0, 1.0], size=(n, 2))


def correlated(rng, n):
    return np.repeat(rng.choice([-1.0, 1.0], size=(n, 1)), 2, axis=1)


def constant(value):
    return lambda rng, n: np.full((n, 1), value) if isinstance(value, float) else [value] * n


def histogram(empty):
    def sample(rng, n):
        counts = rng.laplace(size=(n, 6)) + 5.0
        counts[:, 3] = 0.0 if empty else counts[:, 3] - 5.0
        return counts

    return sample


def noisy_max(counts, scale):
    return lambda rng, n: (np.array(counts) + rng.laplace(scale=scale, size=(n, len(counts)))).argmax(axis=1)


def sometimes(value, share):
    return lambda rng, n: np.where(rng.random((n, 1)) < share, value, rng.normal(size=(n, 1)))


def named(share):
    return lambda rng, n: list(np.where(rng.random(n) < share, "a", "b"))


def mixed(share):
    outcomes = (None, (1, float("nan")), "text")
    return lambda rng, n: [outcomes[0 if u < share else 1 if u < 0.9 else 2] for u in rng.random(n)]


def raises(rng, n):
    raise RuntimeError("no answer")


def beside(word, share):
    return lambda rng, n: [(word if u < share else "b", 1.5) for u in rng.random(n)]


def sometimes_longer(share):
    return lambda rng, n: [(1, 2) if u < share else (1,) for u in rng.random(n)]


def sometimes_raises(share):
    def sample(rng, n):
        if (rng.random(n) < share).any():
            raise RuntimeError
        return np.zeros(n)

    return sample


def keeps(bit, probability):
    return lambda rng, n: np.where(rng.random(n) < probability, bit, 1 - bit)


FAIR = math.e / (1 + math.e)  # randomised response at epsilon = 1

BROKEN = {
    "variance": (normal(0), normal(0, 3.0), ONE),
    "correlation": (signs, correlated, ONE),
    "an atom against Laplace noise": (constant(0.0), laplace(0), ONE),
    "an empty bin without noise": (histogram(True), histogram(False), ONE),
    "noisy max with a fifth of the noise": (noisy_max([5, 4, 0], 0.4), noisy_max([4, 5, 0], 0.4), ONE),
    "tiny Laplace": (laplace(0, 1e-10), laplace(10, 1e-10), ONE),
    "close constants": (constant(0.0), constant(4e-7), ONE),
    "NaN": (sometimes(np.nan, 0.3), sometimes(np.nan, 0.02), ONE),
    "infinity": (sometimes(np.inf, 0.3), sometimes(np.inf, 0.02), ONE),
    "strings": (named(0.9), named(0.1), ONE),
    "None, tuples, strings": (mixed(0.7), mixed(0.1), ONE),
    "exceptions": (sometimes_raises(0.9), sometimes_raises(0.1), ONE),
    "a text beside a number": (beside("a", 0.9), beside("a", 0.1), ONE),
    "imaginary parts": (lambda rng, n: rng.normal(size=n) + 1j, lambda rng, n: rng.normal(size=n) + 0j, ONE),
    "integers beyond floats": (constant(2**70), constant(2**70 + 1), ONE),
    "randomised response kept too often": (keeps(0, 0.9), keeps(1, 0.9), ONE),
    "Laplace with half its noise": (laplace(0), laplace(2), ONE),
    "Gaussian with half its noise": (normal(0), normal(2), GaussianDP(1.0)),
    "Gaussian against (epsilon, delta)": (normal(0), normal(4), ApproxDP(1.0, 1e-5)),
}
HONEST = {
    "Laplace": (laplace(0), laplace(1), ONE),
    "randomised response": (keeps(0, FAIR), keeps(1, FAIR), ONE),
    "Gaussian": (normal(0), normal(1), GaussianDP(1.0)),
    "one law twice": (normal(0), normal(0), ONE),
    "constants": (constant(1.0), constant(1.0), ONE),
    "NaN at equal rates": (sometimes(np.nan, 0.2), sometimes(np.nan, 0.2), ONE),
    "NaN at its allowed ratio": (keeps(np.nan, 0.1), keeps(np.nan, 0.1 * math.e), ONE),
    "a rare shape that its whole batch could give away": (
        sometimes_longer(0.004),
        sometimes_longer(0.004 * math.e),
        ONE,
    ),
    "a rare exception that its whole batch could give away": (
        sometimes_raises(0.004),
        sometimes_raises(0.004 * math.e),
        ONE,
    ),
}


def parameter(claim):
    return stakes.parameter(claim)[1]


@pytest.mark.statistical
@pytest.mark.parametrize("name", BROKEN)
def test_broken_mechanisms_are_refuted(name):
    a, b, claim = BROKEN[name]
    answer = audit(a, b, claim, root=TEST_ROOT, budget=5_000)
    assert answer.verdict == "REFUTED", answer
    assert answer.lower > parameter(claim)
    assert audit(b, a, claim, root=TEST_ROOT, budget=2_000, level=1e-3).verdict == "REFUTED"


@pytest.mark.statistical
@pytest.mark.parametrize("name", HONEST)
def test_honest_mechanisms_survive(name):
    a, b, claim = HONEST[name]
    answer = audit(a, b, claim, root=TEST_ROOT, budget=3_000)
    assert answer.verdict == "INCONCLUSIVE", answer
    assert answer.lower <= parameter(claim)


@pytest.mark.statistical
def test_what_nobody_can_see_is_no_survival():
    assert audit(normal(0), normal(0), ONE, root=TEST_ROOT, budget=2_000).reason == "NO_POWER"
    answer = audit(laplace(0), laplace(1), ONE, root=TEST_ROOT, budget=8_000)
    assert answer.reason == "AUDIT_ONLY" and 0.6 < answer.lower <= 1
    assert audit(laplace(0), laplace(answer.smallest_caught), ONE, root=TEST_ROOT, budget=8_000).verdict == "REFUTED"
    assert audit(laplace(0), laplace(1), PureDP(20.0), root=TEST_ROOT, budget=2_000).reason == "BUDGET"


@pytest.mark.parametrize(
    "sides, why",
    [
        (
            (laplace(0), lambda rng, n: 1 / 0),
            "sample_b raised at every release, first ZeroDivisionError: division by zero",
        ),
        ((raises, laplace(0)), "sample_a raised at every release, first RuntimeError: no answer"),
        ((constant(1.0), constant(1.0)), "every release on either side was (1)"),
    ],
)
def test_what_only_raises_or_never_changes_was_not_audited(sides, why):
    """A bug in somebody's sampler is no finding about a mechanism."""
    answer = audit(*sides, ONE, root=TEST_ROOT, budget=1_000)
    assert (answer.verdict, answer.reason, answer.lower) == ("INCONCLUSIVE", "NOT_AUDITED", 0.0)
    assert why in str(answer)


def test_a_root_is_drawn_where_none_is_given_and_makes_the_audit_again():
    drawn = audit(laplace(0), laplace(1), ONE, budget=256)
    assert f"root {drawn.root}" in str(drawn)
    assert audit(laplace(0), laplace(1), ONE, root=drawn.root, budget=256) == drawn
    assert audit(laplace(0), laplace(1), ONE, budget=256).root != drawn.root


def test_an_interrupt_leaves_what_was_found():
    drawn = iter(range(10**6))

    def interrupted(rng, n):
        if next(drawn) > 20:
            raise KeyboardInterrupt
        return rng.laplace(1.5, size=n)

    answer = audit(laplace(0), interrupted, ONE, root=TEST_ROOT, budget=50_000)
    assert (answer.verdict, answer.reason) == ("INCONCLUSIVE", "INTERRUPTED") and answer.judged > 300


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 20.0])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.3])
def test_every_stake_is_fair(epsilon, delta):
    """The capital is linear in X, positive, and 1 where X is at its bound: so its mean is at most 1."""
    for share, table in zip((0.5, 0.5, 1.0), stakes.tables([(epsilon, delta)])[0], strict=True):
        right, wrong, none = np.exp(table).T
        stake = stakes.STAKES / (math.exp(epsilon) + share * delta)
        np.testing.assert_allclose(right, 1 + stake * (1 - share * delta), rtol=1e-12)
        np.testing.assert_allclose(wrong, 1 - stake * (math.exp(epsilon) + share * delta), rtol=1e-9)
        np.testing.assert_allclose(none, 1 - stake * share * delta, rtol=1e-12)
        assert (wrong > 0).all()


def at_roots(mechanisms):
    """The names of mechanisms, at the test root unless they are slow, and at five other roots."""
    quick = [pytest.param(name, TEST_ROOT, marks=pytest.mark.statistical) for name in mechanisms if name not in SLOW]
    return quick + [pytest.param(name, root, marks=pytest.mark.soak) for name in mechanisms for root in range(1, 6)]


@pytest.mark.parametrize(("name", "root"), at_roots(known_mechanisms.CORRECT))
def test_a_mechanism_survives_at_its_own_epsilon_and_not_below(name, root):
    mechanism = known_mechanisms.CORRECT[name]
    if mechanism.caught:
        less = stakes.with_parameter(mechanism.claim, mechanism.caught * parameter(mechanism.claim))
        assert audit(mechanism.a, mechanism.b, less, root=root, budget=20_000).verdict == "REFUTED"
    answer = audit(mechanism.a, mechanism.b, mechanism.claim, root=root, budget=2_000)
    assert answer.verdict == "INCONCLUSIVE" and answer.lower <= parameter(mechanism.claim)


@pytest.mark.parametrize(("name", "root"), at_roots(known_mechanisms.BROKEN))
def test_a_broken_mechanism_is_refuted(name, root):
    broken = known_mechanisms.BROKEN[name]
    assert audit(broken.a, broken.b, broken.claim, root=root, budget=20_000).verdict == "REFUTED"


@pytest.mark.statistical
def test_claims_of_every_kind():
    """A curve as its points or as a function, groups, labels, and a pure delta."""
    for curve in (
        lambda e: float(gaussian_delta(e, 1.0)),
        [PureDP(9.0), ApproxDP(0.5, float(gaussian_delta(0.5, 1.0)))],
    ):
        assert audit(normal(0), normal(1), curve, root=TEST_ROOT, budget=400).verdict == "INCONCLUSIVE"
        assert audit(normal(0), normal(4), curve, root=TEST_ROOT, budget=5_000).verdict == "REFUTED"
    assert audit(laplace(0), laplace(3), ONE, root=TEST_ROOT, records=3, budget=2_000).verdict == "INCONCLUSIVE"
    assert audit(laplace(0), laplace(3), LabelDP(0.5), root=TEST_ROOT, records=3, budget=5_000).verdict == "REFUTED"
    kept = known_mechanisms.CORRECT["the record with probability delta"]
    answer = audit(kept.a, kept.b, kept.claim, root=TEST_ROOT, budget=10_000)
    assert answer.reason == "AUDIT_ONLY" and 1 < answer.smallest_caught < 3
    assert audit(kept.a, kept.b, ApproxDP(0.0, 0.05 / 3), root=TEST_ROOT, budget=10_000).verdict == "REFUTED"


def test_an_estimator_on_two_datasets():
    """Coefficients without any noise give one record away."""
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 1, 1])
    sides = [(LinearRegression(), X, y), (LinearRegression(), X, 1 - y)]
    assert audit(*sides, ONE, root=TEST_ROOT, budget=256, level=1e-3).verdict == "REFUTED"


@pytest.mark.statistical
def test_power_beside_the_best_attack():
    assert operating_curves.count_oracle_releases("randomised response", 2.0, 1e-10) == pytest.approx(342.9, rel=0.01)
    for name, ratio in (("randomised response", 2.0), ("Laplace", 6.0)):
        best = operating_curves.count_oracle_releases(name, ratio, 1e-10)
        assert operating_curves.count_releases(name, ratio, roots=range(2), level=1e-10, budget=4_000) <= 3 * best


@pytest.mark.statistical
@pytest.mark.parametrize("name", operating_curves.BOUNDARY)
def test_claims_that_are_just_true_are_refuted_as_seldom_as_the_level_says(name):
    assert operating_curves.count_boundary_alarms(name, audits=300, level=0.05, budget=2_000) <= 30
    assert operating_curves.count_boundary_alarms(name, audits=300, level=1e-4, budget=2_000) == 0


KNOWN = ("Laplace", "randomised response", "Gaussian")  # whose best attack is known


@pytest.mark.soak
@pytest.mark.parametrize("name", operating_curves.BOUNDARY)
def test_ten_thousand_audits_have_as_few_false_alarms_as_the_level_says(name):
    assert operating_curves.count_boundary_alarms(name, audits=10_000, level=0.1) <= binom.isf(1e-9, 10_000, 0.1)


@pytest.mark.soak
@pytest.mark.parametrize("ratio", operating_curves.RATIOS)
@pytest.mark.parametrize("name", KNOWN)
def test_an_audit_takes_at_most_three_times_the_releases_of_the_best_attack(name, ratio):
    ours = operating_curves.count_releases(name, ratio, roots=range(20), level=1e-10)
    assert ours <= 3 * operating_curves.count_oracle_releases(name, ratio, 1e-10)


@pytest.mark.soak
@pytest.mark.parametrize("name", KNOWN)
def test_what_an_audit_says_that_it_would_catch_it_catches(name):
    assert operating_curves.check_caught(name, roots=range(50), budget=10_000)[1] >= 48


def test_laws_with_densities_arrays_and_features(tmp_path, rng):
    laws = [gaussian([0.0], sensitivity=1.0, sigma=1.0), gaussian([3.0], sensitivity=1.0, sigma=1.0)]
    assert audit(*laws, GaussianDP(1.0), root=TEST_ROOT, budget=3_000).verdict == "REFUTED"
    np.save(tmp_path / "b.npy", rng.normal(3.0, size=2000))
    answer = audit(rng.normal(size=2000), str(tmp_path / "b.npy"), ONE, root=TEST_ROOT)
    assert answer.verdict == "REFUTED" and answer.judged < 2000
    few = audit(rng.normal(size=100), rng.normal(size=100), ONE, root=TEST_ROOT)
    assert few.judged <= 200 and few.reason in ("BUDGET", "NO_POWER")
    parity = audit(
        lambda rng, n: 2 * rng.integers(500, size=n),
        lambda rng, n: 2 * rng.integers(500, size=n) + 1,
        ONE,
        root=TEST_ROOT,
        budget=2_000,
        features=lambda releases: np.asarray(releases) % 2,
    )
    assert parity.verdict == "REFUTED" and "features" in parity.event


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 3}, r"budget must be in \[128, inf\), got 3"),
        ({"budget": "x"}, "budget must be a real number, got 'x'"),
        ({"level": 1.0}, r"level must be in \(0, 1\), got 1.0"),
        ({"level": "x"}, "level must be a real number, got 'x'"),
        ({"records": 0}, "records must be an integer >= 1, got 0"),
        ({"features": 3}, "features must be a function of releases, got 3"),
        ({"claim": PureDP}, "claim must be a guarantee with numbers, such as PureDP"),
        ({"sample_a": "no.npy"}, "sample_a = 'no.npy' cannot be read: No such file"),
        ({"claim": 0.5}, "claim must be a guarantee, a list of PureDP"),
        ({"sample_a": 7}, "sample_a must be a law, a callable"),
        ({"sample_a": lambda rng, n: np.zeros(n + 1)}, "sample_a must return 24 releases, got 25"),
        ({"sample_b": lambda rng, n: 0.0}, "sample_b must return an array or list of 24 releases, got float"),
        ({"sample_a": raises, "sample_b": raises}, "raised at every release: RuntimeError: no answer"),
    ],
)
def test_bad_arguments(arguments, message):
    plain = {"sample_a": signs, "sample_b": signs, "claim": ONE, "root": 1}
    with pytest.raises(ValueError, match=message):
        audit(**plain | arguments)
