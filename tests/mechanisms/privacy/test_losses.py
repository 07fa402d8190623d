"""Composition by privacy losses: exact laws in 60 digits as oracle, closed forms, dp-accounting; never below."""

import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting import NeighboringRelation, dp_event, pld
from dp_accounting.pld import common, privacy_loss_distribution
from mpmath import mp, mpf
from scipy import fft

from lemmata.mechanisms.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    PrivacyCurve,
    PureDP,
    RenyiDP,
    compose,
    gaussian_epsilon,
    losses,
    to_approx,
    to_curve,
    to_neighbours,
    to_zcdp,
)
from lemmata.mechanisms.privacy.account_file import guarantee_as_dict, guarantee_from_dict
from lemmata.mechanisms.privacy.divergences import Bound
from lemmata.mechanisms.privacy.loss_atoms import Atoms, _implied, in_blocks
from lemmata.mechanisms.privacy.privacy_curve import privacy_curve

pytestmark = pytest.mark.usefixtures("sixty_digits")


def law_of(parts):
    """All sums of losses of randomised responses with their chances under P; the chance that all is told."""
    law, kept = {mpf(0): mpf(1)}, mpf(1)
    for one, times in parts:
        epsilon, delta = mpf(one.epsilon), mpf(one.delta)
        likely, kept, new = 1 / (1 + mp.exp(-epsilon)), kept * (1 - delta) ** times, {}
        for loss, chance in law.items():
            for i in range(times + 1):
                here = chance * mp.binomial(times, i) * likely**i * (1 - likely) ** (times - i) * (1 - delta) ** times
                there = loss + (2 * i - times) * epsilon
                new[there] = new.get(there, 0) + here
        law = new
    return law, 1 - kept


def gaussian(x, mu):
    u = x / mu - mu / 2
    return mp.erfc(u / mp.sqrt(2)) / 2 - mp.exp(x) * mp.erfc((u + mu) / mp.sqrt(2)) / 2


def delta_of(law, epsilon, mu=0):
    sums, infinite = law
    left = (lambda x: gaussian(x, mpf(mu))) if mu else (lambda x: max(mpf(0), 1 - mp.exp(x)))
    return infinite + mp.fsum(chance * left(mpf(epsilon) - loss) for loss, chance in sums.items())


def drawn(draw):
    """Some pure and approximate guarantees, a few times each."""
    for _ in range(draw.integers(1, 5)):
        epsilon, delta = 10 ** draw.uniform(-2.5, 0.5), draw.choice([0, 10 ** draw.uniform(-12, -4)])
        yield (ApproxDP(epsilon, delta) if delta else PureDP(epsilon)), int(draw.integers(1, 6))


def check_safe_and_tight(parts, mu, draw):
    found, law = losses.Losses((*parts, (GaussianDP(mu), 1)) if mu else parts), law_of(parts)
    for epsilon in draw.uniform(0, 6, 2).tolist():
        truth = delta_of(law, epsilon, mu)
        assert mpf(found.delta_below(epsilon)) <= truth <= mpf(found.delta(epsilon))
    delta = float(10.0 ** draw.uniform(-14, -1))
    if delta > 1.01 * law[1]:
        epsilon = found.epsilon(delta)
        assert delta_of(law, epsilon, mu) <= mpf(delta)
        assert epsilon <= 1e-3 or delta_of(law, epsilon - 1e-3, mu) > mpf(delta)


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(s, marks=pytest.mark.slow) for s in range(100, 400))])
def test_exact_laws_are_never_below_and_hardly_above(rng):
    check_safe_and_tight(tuple(drawn(rng)), 0, rng)
    check_safe_and_tight(tuple(drawn(rng))[:2], float(10 ** rng.uniform(-2, 0.5)), rng)


@pytest.mark.parametrize(("epsilon", "times"), [(0.1, 105), (0.01, 10_000), (1.0, 30), (1e-4, 1000)])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-40])
def test_equal_parts_are_exact_however_small_delta_is(epsilon, times, delta):
    """Kairouz, Oh & Viswanath (2015), Theorem 3.3 at delta = 0, for every epsilon."""
    found = to_approx(compose(*[PureDP(epsilon)] * times), delta=delta)
    truth = delta_of(law_of([(PureDP(epsilon), times)]), found.epsilon)
    assert truth <= delta and found.epsilon <= times * epsilon
    assert truth >= delta * (1 - 1e-5) or found.epsilon >= times * epsilon * (1 - 1e-6)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
@pytest.mark.parametrize(
    "parts", [[PureDP(0.1)] * 105, [ApproxDP(0.02, 1e-9)] * 5000, [PureDP(0.1)] * 30 + [GaussianDP(0.3)] * 4]
)
def test_the_enclosure_of_equal_parts_is_narrow(parts, epsilon):
    low, high = losses.enclosed_delta(compose(*parts), epsilon)
    assert low <= high <= low * (1 + 1e-6) + 1e-15


def test_the_headline():
    """A hundred and eight, as the exact law says; Laplace noise of scale 10 alone would allow three more."""
    fits = [n for n in range(100, 115) if to_approx(compose(*[PureDP(0.1)] * n), delta=1e-6).epsilon <= 5]
    assert fits == list(range(100, 109))
    assert delta_of(law_of([(PureDP(0.1), 109)]), 5.0) > 1e-6


@pytest.mark.parametrize("times", [1, 20, 500])
@pytest.mark.parametrize("mu", [0.05, 1.0])
def test_curves_compose_above_the_gaussian_that_they_tabulate(mu, times):
    curve = to_curve(GaussianDP(mu), np.concatenate([[0.0], mu * np.geomspace(1e-3, 12, 400)]))
    truth = gaussian_epsilon(math.sqrt(times) * mu * (1 - 1e-15), 1e-6)
    found = (
        to_approx(compose(*[curve] * times), delta=1e-6).epsilon
        if times > 1
        else losses.Losses(((curve, 1),)).epsilon(1e-6)
    )
    assert truth <= found <= truth * 1.002


def test_never_above_dp_accounting(rng):
    """Whose bounds are pessimistic too, on a grid of its own."""
    for _ in range(20):
        parts = tuple(drawn(rng))
        made = [
            privacy_loss_distribution.from_privacy_parameters(
                common.DifferentialPrivacyParameters(one.epsilon, one.delta), value_discretization_interval=1e-3
            ).self_compose(times)
            for one, times in parts
        ]
        theirs = made[0]
        for other in made[1:]:
            theirs = theirs.compose(other)
        for epsilon in (0.0, 0.7, 2.0):
            assert losses.Losses(parts).delta(epsilon) <= theirs.get_delta_for_epsilon(epsilon) * (1 + 1e-6) + 1e-12


def test_kinds_are_composed_together():
    mixed = compose(ZCDP(0.05), ApproxDP(0.1, 1e-7), RenyiDP((2, 30), (0.05, 0.8)), GaussianDP(0.2), PureDP(0.3))
    assert isinstance(mixed, PrivacyCurve) and mixed.delta[-1] >= 1e-7
    found = to_approx(mixed, delta=1e-5).epsilon
    alone = to_approx(compose(ZCDP(0.05), RenyiDP((2, 30), (0.05, 0.8)), ZCDP(0.02), to_zcdp(PureDP(0.3))), delta=5e-6)
    assert 1.5 < found < alone.epsilon + 0.1
    assert to_approx(mixed, epsilon=found).delta <= 1e-5 and to_curve(mixed, [found]).delta[0] <= 1e-5


@pytest.mark.parametrize(
    "parts",
    [((PureDP(5.0), 2), (PureDP(1e-4), 401)), ((PureDP(2.0), 1), (ApproxDP(3e-3, 1e-9), 500)), ((PureDP(1e-200), 9),)],
)
def test_many_small_losses_beside_large_ones(parts):
    """Each split to the grid by itself, they would spread by far more than they do."""
    with mp.workdps(450 if parts[0][0].epsilon < 1 else 60):
        found, law = losses.Losses(parts), law_of(parts)
        for delta in (1e-6, 0.1, 1e-201):
            epsilon = found.epsilon(delta)
            truth = delta_of(law, epsilon) if epsilon < 1e300 else mpf(1)
            assert truth <= mpf(delta) or law[1] >= delta
            assert epsilon < 1e-100 or law[1] >= delta or delta_of(law, epsilon * (1 - 2e-4)) > delta


def test_blocks_of_small_losses_have_at_least_the_masses_of_their_sum():
    """Some would have less without rounding."""
    masses = np.array([0.7, 0.3])
    blocks = in_blocks(Atoms(np.array([0.01, -0.01]), masses, 0.0, 2501), 0.1)
    assert [(len(found.masses) - 1, found.times) for found in blocks] == [
        (1, 1),
        (4, 1),
        (64, 1),
        (128, 1),
        (256, 1),
        (2048, 1),
    ]
    for losses_, found, *_ in blocks:
        n = len(found) - 1
        for k in range(0, n + 1, 1 + n // 50):
            exact = math.comb(n, k) * Fraction(0.7) ** (n - k) * Fraction(0.3) ** k
            assert exact <= Fraction(float(found[k])) <= exact * (1 + Fraction(1, 10**9)) + Fraction(1, 10**318)
            assert losses_[k] == pytest.approx(0.01 * (n - 2 * k), abs=1e-12)


def directed(p, q):
    """The curve of two laws on a few outcomes, with the delta of both directions at every kink."""
    known = sorted({0.0, *(abs(math.log(a / b)) for a, b in zip(p, q, strict=True))})
    ways = [
        [math.fsum(max(0.0, a - math.exp(e) * b) for a, b in zip(*pair, strict=True)) * (1 + 1e-12) for e in known]
        for pair in ((p, q), (q, p))
    ]
    return PrivacyCurve(known, list(map(max, *ways)), "add/remove", ways)


@pytest.mark.parametrize("times", [2, 6])
@pytest.mark.parametrize("turned", [1, -1])
def test_either_direction_is_composed_by_itself(times, turned):
    """A record that is there seldom makes few outcomes far likelier, and its absence none."""
    p, q = ((0.03, 0.07, 0.9), (0.001, 0.039, 0.96))[::turned]
    other = (0.5, 0.4, 0.1), (0.6, 0.35, 0.05)
    made = compose(*[directed(p, q)] * times, directed(*other))
    blind = compose(
        *[PrivacyCurve(g.epsilon, g.delta, "add/remove") for g in (directed(p, q),)] * times, directed(*other)
    )
    laws = [np.ones(1)] * 2
    for pair in [*[(p, q)] * times, other]:
        laws = [np.outer(law, one).ravel() for law, one in zip(laws, pair, strict=True)]
    for epsilon in (0.0, 0.3, 1.0, 3.0):
        truth = max(np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in (laws, laws[::-1]))
        found = to_approx(made, epsilon=epsilon).delta
        assert truth * (1 - 1e-12) <= found <= truth * 1.001 + 1e-9
        assert to_approx(blind, epsilon=epsilon).delta > 1.01 * found


@pytest.mark.parametrize(
    ("noise", "share", "steps"), [pytest.param(1.0, 0.01, 1000, marks=pytest.mark.slow), (2.0, 0.1, 200)]
)
def test_sampled_steps_cost_what_dp_accounting_says(noise, share, steps):
    """On its distributions of both directions, which round upwards already."""
    event = dp_event.PoissonSampledDpEvent(share, dp_event.GaussianDpEvent(noise))
    theirs = pld.PLDAccountant(NeighboringRelation.ADD_OR_REMOVE_ONE).compose(event, steps).get_epsilon(1e-5)
    curve = privacy_curve(event, neighbours="add/remove")
    assert to_approx(compose(*[curve] * steps), delta=1e-5).epsilon == pytest.approx(theirs, rel=1e-3)
    assert curve.directions[0] != curve.directions[1] and guarantee_from_dict(guarantee_as_dict(curve)) == curve


@pytest.mark.parametrize(
    ("neighbours", "directions"),
    [("replace", [[0.1], [0.1]]), ("add/remove", [[0.1]]), ("add/remove", [[0.1], [0.3]]), ("add/remove", [[0.1], 2])],
)
def test_other_directions_are_refused(neighbours, directions):
    with pytest.raises(ValueError, match=r"^(directions|delta) "):
        PrivacyCurve([1.0], [0.2], neighbours, directions)


# What is rounded up ---------------------------------------------------------------------------------------------------


def test_a_loss_between_two_grid_points_is_split_not_moved(monkeypatch):
    """Moved to the nearest one, losses would be too small, and delta below the truth."""
    parts = ((PureDP(0.7), 1), (PureDP(0.123456), 40))
    truth = delta_of(law_of(parts), 2.0)
    coarse = losses.Losses(parts)
    coarse._place(0.1)
    assert truth < coarse.delta(2.0) < 1.4 * truth
    moved = losses.Losses(parts)
    moved._place(0.1)
    moved.placed = [(np.rint(a.losses / 0.1).astype(int), a.masses, a.times) for a in moved.atoms]
    assert moved.delta(2.0) < 0.9 * truth


def test_the_transform_is_never_below_the_exact_masses():
    """Without the bound on its error half of them would be."""
    parts = ((PureDP(1.0), 40),)
    found = losses.Losses(parts)
    found.delta(4.0)
    reading = found._last[1]
    law, _ = law_of(parts)
    below = bare = 0
    for i, loss in enumerate(reading.losses):
        exactly = law.get(mpf(int(loss)), mpf(0)) * mp.exp(mpf(reading.slope) * int(loss) - mpf(reading.scale))
        below += mp.exp(mpf(float(reading.masses[i]))) < exactly
        bare += mp.exp(mpf(float(reading.masses[i]))) - mpf(reading.wrong) < exactly
    assert below == 0 < bare


@pytest.mark.parametrize("power", [1, 4, 9, 14, 18])
def test_transforms_err_by_far_less_than_is_added(power):
    """In every entry, over the sum of all inputs; extended precision as oracle."""
    size, draw = 1 << power, np.random.default_rng(power)
    allowed = 8 * losses.UNIT * power / 4
    for x in (draw.random(size), draw.random(size) ** 40, np.eye(1, size, size // 3)[0]):
        there, back = np.fft.rfft(x), np.fft.irfft(np.fft.rfft(x), size)
        assert np.abs(there - fft.rfft(x.astype(np.longdouble))).max() <= allowed * x.sum()
        exactly = fft.irfft(there.astype(np.clongdouble), size)
        assert np.abs(back - exactly).max() <= allowed * 2 * np.abs(there).sum() / size


def test_what_is_not_on_the_grid_is_less_from_below(monkeypatch):
    """Rounded up instead, the lower bound would be above the truth."""
    parts = ((PureDP(0.7), 1), (PureDP(0.123456), 40))
    truth, found = delta_of(law_of(parts), 2.0), losses.Losses(parts)
    found._place(0.1)
    assert 0.3 * truth < found.delta_below(2.0) < truth
    monkeypatch.setattr(losses, "int", lambda x: math.ceil(x), raising=False)
    assert found.delta_below(2.0) > truth


def test_sums_beyond_the_circle_count():
    found = losses.Losses(((PureDP(0.1), 1000),))
    found.delta(1.0)
    reading = found._last[1]
    assert len(reading.losses) < 2001 and reading.above < math.log(1e-9)
    for slope, above, below in ((reading.slope, math.log(0.01), -math.inf), (0.0, -math.inf, math.log(0.01))):
        assert losses.Reading(found, slope, 30, 16, above=above, below=below).delta(50.0) >= 0.01


@pytest.mark.parametrize("mu", [1e-6, 0.3, 40.0])
def test_the_gaussian_part_is_above_the_closed_form(mu):
    x = mu * (np.linspace(-8, 25, 200) + mu / 2)
    logs, share = losses._gaussian(x, mu)
    with mp.workdps(120):
        for at, log, part in zip(x.tolist(), logs.tolist(), share.tolist(), strict=True):
            truth = gaussian(mpf(at), mpf(mu))
            assert truth <= mp.exp(mpf(log)) * mpf(part) <= truth * (1 + 1e-4)


# Ends, and what a composed guarantee remembers ------------------------------------------------------------------------


@pytest.mark.parametrize("other", [PureDP(0.1), ApproxDP(1.0, 1e-6), GaussianDP(0.1)])
@pytest.mark.parametrize(
    "one",
    [
        PureDP(1e-300),
        PureDP(1e300),
        ApproxDP(0.0, 0.5),
        GaussianDP(1e-150),
        GaussianDP(1e100),
        ZCDP(1e-200),
        ZCDP(1e200),
        RenyiDP(1.0000001, 1e-9),
        PrivacyCurve((0.0, 1e308), (0.5, 0.0)),
        PrivacyCurve((0.0,), (0.0,)),
        ApproxDP(1.0, 1.0),
    ],
    ids=str,
)
def test_extremes_are_answered(one, other):
    together = compose(one, other, other)
    found = [to_approx(together, epsilon=epsilon).delta for epsilon in (0.0, 1.0, 1e6)]
    alone = to_approx(compose(other, other), epsilon=1.0).delta
    assert 1 >= found[0] >= found[1] >= found[2] * (1 - 1e-6) >= 0 and found[1] >= alone * (1 - 1e-6)


def test_a_composed_guarantee_is_the_one_that_it_says():
    made = compose(*[PureDP(0.25)] * 8)
    assert made == PureDP(2.0) and hash(made) == hash(PureDP(2.0)) and repr(made) == repr(PureDP(2.0))
    tight = to_approx(made, delta=1e-3)
    assert tight.epsilon < 1.9 and to_approx(made) == ApproxDP(2.0, 0.0) and to_approx(made, delta=0.0).epsilon == 2.0
    assert to_approx(PureDP(2.0), delta=1e-3).epsilon == 2.0
    assert to_approx(pickle.loads(pickle.dumps(made)), delta=1e-3) == tight
    assert to_approx(compose(compose(*[PureDP(0.25)] * 3), compose(*[PureDP(0.25)] * 5)), delta=1e-3) == tight
    assert to_approx(replace(made, neighbours="label"), delta=1e-3).epsilon == 2.0
    assert to_approx(to_neighbours(compose(PureDP(1.0), PureDP(0.5)), "label"), delta=0.1) == ApproxDP(
        1.5, 0.1, "label"
    )
    assert compose(made) is made


def test_threads_read_one_composition():
    made = compose(*[PureDP(0.3), ApproxDP(0.7, 1e-9)] * 30)
    epsilons = np.linspace(1, 20, 24).tolist()
    with ThreadPoolExecutor(4) as threads:
        found = dict(zip(epsilons, threads.map(lambda e: to_approx(made, epsilon=e).delta, epsilons), strict=True))
    law = law_of([(PureDP(0.3), 30), (ApproxDP(0.7, 1e-9), 30)])
    assert all(found[epsilon] >= delta_of(law, epsilon) for epsilon in epsilons)


@pytest.mark.parametrize(
    ("n", "epsilon", "at"), [(1060, 0.001, 1.05894), (1050, 1e-5, 0.0104895), (1074, 0.01, 10.72926)]
)
def test_a_delta_below_the_normal_floats_is_enclosed(n, epsilon, at):
    low, high = losses.enclosed_delta(compose(*[PureDP(epsilon)] * n), at)
    assert mpf(low) <= delta_of(law_of([(PureDP(epsilon), n)]), at) <= mpf(high)


def test_an_epsilon_is_found_where_delta_is_hardly_more_than_that_of_infinite_losses():
    assert to_approx(compose(*[ApproxDP(0.1, 1e-7)] * 100), delta=1.01e-5).epsilon < 6
    assert to_approx(compose(GaussianDP(0.1), *[ApproxDP(0.01, 1e-9)] * 300), delta=3.03e-7).epsilon < 1.5
    assert len(compose(GaussianDP(1.0), ApproxDP(0.1, 1e-6)).epsilon) > 9


def test_losses_at_the_ends_of_the_floats_are_composed():
    assert 0 <= to_approx(compose(PureDP(5e-324), PureDP(1e-323)), epsilon=0.0).delta < 1e-300
    for mu in (1e155, 1e300):
        assert to_approx(compose(GaussianDP(mu), ApproxDP(1.0, 1e-5)), epsilon=5.0).delta == 1


def test_the_points_that_a_rho_implies_begin_at_0_and_fall():
    epsilons, deltas = map(np.array, zip(*_implied(Bound(rho=0.1), 0.1), strict=True))
    assert epsilons[0] == 0 and (np.diff(epsilons) > 0).all() and (np.diff(deltas) <= 0).all()
