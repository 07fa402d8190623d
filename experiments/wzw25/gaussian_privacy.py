"""Gaussian privacy decided exactly: the curve by integration in balls, composition, Appendix E for all parameters."""

from dataclasses import dataclass
from fractions import Fraction
from math import log, pi, sqrt

import numpy as np
from flint import arb, ctx
from scipy.special import ndtr

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.privacy_curves import closed_form, hockey_stick, hockey_stick_of_two
from lemmata.bounds.wzw25 import algorithms as numbers, gaussian_privacy as bounds
from lemmata.experiments.checks import (
    Control,
    Link,
    attack_claim,
    exact_claim,
    grid,
    identity_claim,
    inconclusive,
    inequality_claim,
    run_script,
)
from lemmata.experiments.checks.gaussian_pairs import binned_gaussians
from lemmata.experiments.checks.privacy_conversion import PRECISION, Conversion, decide_conversion
from lemmata.experiments.instances.laws import float_gaussian
from lemmata.experiments.instances.pairs.adaptive_pairs import GDP, LONG, adaptive_pair, flipped, printed, records
from lemmata.mechanisms.learners.descent.adaptive_margin import WhiteBoxLaw
from lemmata.mechanisms.noise import grid_gaussian
from lemmata.mechanisms.noise.gaussian import law

# Definition 2.2: the curve --------------------------------------------------------------------------------------------

TOLERANCE = 1e-11  # relative error allowed to floats, times 1 + u^2 for the rounding of u = epsilon / mu - mu / 2
US = (-6.0, -3.0, -1.0, -0.1, 0.0, 0.1, 1.0, 3.0, 6.0)  # where a curve is looked at; epsilon = mu (u + mu / 2)


def epsilons(mu):
    """The orders at which a curve is compared: both tails and the middle, negative epsilon included."""
    return [mu * (u + mu / 2) for u in US]


def curves(setting, orders, claimed, balls):
    """The cases of an identity of curves, floats against balls, and its figure."""
    for u, epsilon, value, ball in zip(US, orders, claimed, balls, strict=True):
        yield setting | {"epsilon": epsilon}, value, ball * (1 + arb(0, TOLERANCE * (1 + u**2)))
    return {"series": {"epsilon": orders, "bound": list(map(float, claimed)), "exact": list(map(float, balls))}}


@identity_claim(
    bounds.gaussian_delta,
    quick=grid(mu=[1.0]),
    full=grid(mu=[1e-8, 1e-3, 0.1, 5.0, 40.0]),
    control=Control("the second term divided by {}", (1.0001, 1.1)),
    note="{p > e^ε q} is a half-line; floats agree with balls to 1e-11 (1 + u²), u = ε/μ - μ/2",
)
def curve_is_the_integral(*, mu, factor=1):
    """The float curve against the integral of its definition, negative epsilon included."""
    orders = np.array(epsilons(mu))
    with ctx.workprec(PRECISION):
        balls = [hockey_stick(e, mu) for e in orders]
    curve = bounds.gaussian_delta(epsilon=orders, mu=mu)
    second = ndtr(mu / 2 - orders / mu) - curve  # e^epsilon Phi(-epsilon / mu - mu / 2)
    return (yield from curves({"mu": mu}, orders.tolist(), curve + second * (1 - 1 / factor), balls))


# Remark 2.3 -----------------------------------------------------------------------------------------------------------


def below_the_curve(setting, orders, balls, mu):
    """The cases of "these divergences are at most the curve of mu", up to the rounding of mu, and their figure."""
    with ctx.workprec(PRECISION):
        allowed = [closed_form(e, mu) for e in orders]
    for epsilon, ball, most in zip(orders, balls, allowed, strict=True):
        yield setting | {"epsilon": epsilon}, ball, most * (1 + arb(1e-10))
    series = {"epsilon": orders, "bound": list(map(float, allowed)), "exact": list(map(float, balls))}
    return {"tightness": (1.0, 1.0), "series": series}


def adaptive_composition(rng, mus):
    """A finite adaptive composition: the next binned pair depends on the outcomes released so far."""
    joint = np.ones((2, 1))
    for mu in mus:
        nexts = [binned_gaussians(rng, mu, bins=int(rng.integers(2, 12))) for _ in range(joint.shape[1])]
        joint = np.concatenate([joint[:, [y]] * pair for y, pair in enumerate(nexts)], axis=1)
    return joint


@inequality_claim(
    bounds.composed_gdp,
    quick=({"mu": [0.3, 0.4]},),
    full=({"mu": [1e-4, 2.0]}, {"mu": [1.0, 1.0, 1.0]}, {"mu": [0.5, 3.0, 0.01]}, {"mu": [8.0, 6.0]}),
    control=Control("the composed budget divided by {}", (1.001, 1.5)),
    cost=0.2,
    note="'each mechanism being μ_k-GDP' is a slip for μ_i; budgets are fixed in advance, mechanisms may adapt. "
    "Gaussian products attain the budget",
)
def compositions_stay_below_the_curve(*, mu, factor=1):
    """Gaussian products attain the composed curve at every step of the induction; finite ones stay below it."""
    total = bounds.composed_gdp(mu=mu) / factor
    with ctx.workprec(PRECISION):
        first = arb(mu[0])
        for second in map(arb, mu[1:]):
            both = (first**2 + second**2).sqrt()
            orders = epsilons(float(both))
            balls = [hockey_stick_of_two(e, first, second) for e in orders]
            if not all(ball.overlaps(closed_form(e, both)) for e, ball in zip(orders, balls, strict=True)):
                return inconclusive("FAILED", "the product of two Gaussian pairs is not a Gaussian pair")
            first = both
    fields = yield from below_the_curve({"mu": mu}, orders, balls, total)
    rng = np.random.default_rng(len(mu))
    finite = (adaptive_composition(rng, mu[:3]) for _ in range(60))
    largest = max(bounds.smallest_gdp(p=p, q=q) / total for p, q in finite)
    if largest > 1 + TOLERANCE:
        return inconclusive("FAILED", f"a finite adaptive composition reaches {largest} of the budget")
    return fields | {"note": f"60 finite adaptive compositions reach at most {largest:.4f} of it"}


@inequality_claim(
    bounds.gaussian_mechanism_gdp,
    quick=({"sensitivity": 2.0, "sigma": 4.0},),
    full=({"sensitivity": 1e-3, "sigma": 50.0}, {"sensitivity": 7.0, "sigma": 0.5}),
    control=Control("noise of standard deviation σ / {}", (1.001, 2)),
    given=[bounds.gaussian_delta],
    cost=0.2,
)
def every_shift_stays_below_the_curve(*, sensitivity, sigma, factor=1):
    """Shifts of all norms up to Delta, along a coordinate and across two, against the curve of Delta / sigma."""
    mu = bounds.gaussian_mechanism_gdp(sensitivity=sensitivity, sigma=sigma)
    orders, noise = epsilons(mu), sigma / factor
    for share in (0.01, 0.5, 0.9, 0.999, 1.0):
        with ctx.workprec(PRECISION):
            shift = arb(share * sensitivity / noise)
            balls = [hockey_stick(e, shift) for e in orders]
        fields = yield from below_the_curve({"sensitivity": sensitivity, "sigma": sigma}, orders, balls, mu)
    with ctx.workprec(PRECISION):
        across = [hockey_stick_of_two(e, shift * 3 / 5, shift * 4 / 5) for e in orders]
    if not all(one.overlaps(two) for one, two in zip(balls, across, strict=True)):
        return inconclusive("FAILED", "a shift across two coordinates differs from one along a coordinate")
    return fields


@identity_claim(
    bounds.gaussian_mechanism_curve,
    given=["wzw25.def2.2/explicit/curve"],
    quick=({"sensitivity": 2.0, "sigma": 4.0},),
    full=({"sensitivity": 1e-3, "sigma": 50.0}, {"sensitivity": 7.0, "sigma": 0.5}),
    control=Control("the characterization at {} Δ / σ", (1.001, 2)),
    note="attained at every ε; floats agree with balls to 1e-11 (1 + u²), u = ε/μ - μ/2",
)
def the_curve_is_attained(*, sensitivity, sigma, factor=1):
    """Two neighbours at distance Delta: their hockey-stick divergence is the curve, at every order looked at."""
    with ctx.workprec(PRECISION):
        shift = arb(sensitivity) / arb(sigma)
        orders = epsilons(float(shift))
        balls = [hockey_stick(e, shift) for e in orders]
    claimed = bounds.gaussian_mechanism_curve(epsilon=np.array(orders), sensitivity=sensitivity * factor, sigma=sigma)
    return (yield from curves({"sensitivity": sensitivity, "sigma": sigma}, orders, claimed, balls))


@attack_claim(
    bounds.gaussian_mechanism_gdp,
    law="gaussian",
    attack="gdp",
    bound=lambda sensitivity, sigma, **_: sensitivity / sigma,
    quick=grid(sensitivity=[1.0], sigma=[1.0], dimension=[1]),
    full=grid(sensitivity=[1.0], sigma=[0.7, 3.73], dimension=[20]),
    control=Control("noise of standard deviation sigma / {}", (1.1, 1.2, 1.5, 2)),
    chunk=10_000,
    cost=2e-7,
)
def opposite_statistics(*, sensitivity, sigma, dimension, factor=1):
    """Statistics at distance Delta: kappa = 1, the score is the exact log-likelihood ratio."""
    values = np.zeros(dimension), np.full(dimension, sensitivity / np.sqrt(dimension))
    return tuple(law(value, sensitivity=sensitivity, sigma=sigma / factor) for value in values)


# Appendix E: from Gaussian to approximate privacy ---------------------------------------------------------------------


@exact_claim(
    bounds.approx_epsilon,
    quick=grid(mu=[1.0], delta=[1e-5, 0.9]),
    full=grid(mu=[1e-8, 0.05, 5.0, 1000.0], delta=[1e-300, 1e-5, 0.5, 1 - 1e-12]),
    control=Control("μ² / 2 divided by {}", (1.1, 2, 10**6)),
    given=[bounds.gaussian_delta],
    note="half of δ is never spent; Definition 2.1 prints ε < 1, which the appendix itself does not respect",
)
def lemma_e1_leaves_half_of_delta(*, mu, delta, factor=1):
    """The exact curve at epsilon = mu^2 / 2 + mu t."""
    saved = 1 - 1 / Fraction(factor)
    rule = Conversion.of(lambda m, t: bounds.approx_epsilon_at(m, t) - m * m / 2 * saved, slope=None)
    epsilon = bounds.approx_epsilon(mu=mu, delta=delta) - mu**2 / 2 * float(saved)
    return decide_conversion(rule, {"mu": mu, "delta": delta}, epsilon, mu, delta)


@exact_claim(
    bounds.approx_epsilon_simple,
    quick=grid(mu=[1.0, 9.59], delta=[1e-5]),  # the second is nearly the largest mu, where E.2 is no looser than E.1
    full=(
        *grid(mu=[1e-8, 0.05, 5.0], delta=[1e-5]),
        *grid(mu=[1e-8, 50.0, 74.0], delta=[1e-300]),
        *grid(mu=[1e-8, 2e-6], delta=[1 - 1e-12]),
        *grid(mu=[1.0, 10.0], delta=[0.5]),
    ),
    control=Control("ε divided by {}", (1.1, 2)),
    given=[bounds.gaussian_delta, bounds.approx_epsilon],
    cost=0.3,
    note="'any fixed δ > 0' looks wrong, but no μ > 0 meets the hypothesis at δ ≥ 1; sharp as δ → 0",
)
def corollary_e2_follows(*, mu, delta, factor=1):
    """The exact curve at epsilon = 2 mu t, up to mu = 2 t."""
    rule = Conversion.of(lambda m, t: bounds.approx_epsilon_simple_at(m, t) / Fraction(factor), slope=Fraction(2))
    epsilon = bounds.approx_epsilon_simple(mu=mu, delta=delta) / factor
    return decide_conversion(rule, {"mu": mu, "delta": delta}, epsilon, mu, delta)


@exact_claim(
    bounds.budget_each,
    quick=({"epsilon": 1.0, "delta": 1e-5, "m": 10}, {"epsilon": 92.1, "delta": 1e-5, "m": 7}),
    full=(
        *grid(epsilon=[1e-6, 0.1, 8.0], delta=[1e-5], m=[1, 7, 10_000]),
        *grid(epsilon=[1.0, 5526.0], delta=[1e-300], m=[3]),
        *grid(epsilon=[1e-13, 7.9e-12], delta=[1 - 1e-12], m=[2]),
        *grid(epsilon=[5.0, 10.0], delta=[0.5], m=[1]),
    ),
    control=Control("the budget of each mechanism multiplied by {}", (1.1, 2)),
    given=[bounds.composed_gdp, bounds.approx_epsilon_simple],
    cost=0.02,
    note="for every m: the composed budget does not depend on it; ε ≤ 8 log(1/δ) is the hypothesis of Corollary E.2",
)
def lemma_e3_composes(*, epsilon, delta, m, factor=1):
    """m mechanisms with the printed budget, composed by Remark 2.3, against the exact curve at epsilon."""

    def total_at(e, t, root_m):
        return Fraction(factor) * root_m * bounds.budget_each_at(e, t, root_m)

    one = Fraction(1)
    if any(total_at(one, one, Fraction(root)) != total_at(one, one, one) for root in range(1, 8)):
        return inconclusive("FAILED", "the composed budget depends on m")
    # epsilon <= 8 log(1/delta) = 4 t^2 is mu <= slope t.
    rule = Conversion.of(lambda mu, t: mu / total_at(one, t, one), slope=total_at(Fraction(4), one, one))
    total = factor * bounds.composed_gdp(mu=np.full(m, bounds.budget_each(epsilon=epsilon, delta=delta, m=m)))
    return decide_conversion(rule, {"epsilon": epsilon, "delta": delta, "m": m}, epsilon, total, delta)


# Lemma E.3: Algorithm 2 -----------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.iterated_gdp,
    quick=({"mu": 0.1, "candidates": 14},),
    full=grid(mu=[1e-6, 1.0, 10.0], candidates=[1, 2, 3, 1000]),
    caught=(1.01,),
    given=[bounds.composed_gdp, bounds.gaussian_mechanism_gdp],
    note="the squares of 2 |Θ| budgets sum to μ² exactly. Line 5 is inside the loop, so every θ gets fresh noise; "
    "where Algorithm 3 prints Θ = {φ} the empty set is meant",
)
def all_candidates_spend_mu(*, mu, candidates):
    """The sum of the squared budgets over mu^2 in fractions: the printed ones, and the rounded ones of our laws."""
    each = numbers.split_budget(mu, 2 * candidates)
    sigma = numbers.score_noise(1.0, each)
    ours = (candidates * Fraction(each) ** 2 + candidates / Fraction(sigma) ** 2) / Fraction(mu) ** 2
    setting = {"mu": mu, "candidates": candidates}
    yield Link("the budgets of our law", setting, ours, 1)
    yield setting, bounds.iterated_gdp(mu=mu, candidates=candidates) / mu, 1 + 1e-12


@attack_claim(
    bounds.iterated_gdp,
    law="adaptive_margin_white_box",
    quick=({"n": 2, "d": 2, "mu": 1.0},),
    full=({"n": 1, "d": 1, "mu": 1.0}, {"n": 4, "d": 12, "mu": 1.0}, {"n": 3, "d": 5, "mu": 2.0}),
    bound=lambda *, mu, **_: mu,
    control=Control("all noise {} times too small", (1.1, 1.2)),
    cost=2e-6,
    note="all iterates of all runs, all scores; κ = 1 at n = 2: one step a run, all records active, one score each",
    **LONG,
)
def everything_is_seen(*, n, d, mu, factor=1):
    """The composition of 2 |Gamma| mechanisms is tight."""
    return adaptive_pair(printed(mu, output="last", white_box=True), *records(n, d), factor)


@attack_claim(
    bounds.iterated_gdp,
    law="adaptive_margin_split",
    quick=({"n": 5, "d": 2, "mu": 1.0},),
    bound=lambda *, mu, **_: mu,
    control=Control("budgets split over {} times too few candidates", (1.5, 2, 4)),
    note="the budget is split over the candidates: |Γ| = 4 at n = 5",
    **GDP,
)
def budget_is_split(*, n, d, mu, factor=1):
    """`factor` candidates as if each had the whole budget: sqrt(factor) times too little noise."""
    return adaptive_pair(printed(mu, output="last", white_box=True), *records(n, d), sqrt(factor))


@dataclass(frozen=True)
class SharedNoise(WhiteBoxLaw):
    """Control: of the scores' noise only the share 1 / `factor` is each one's own."""

    factor: float = 1.0

    def sample(self, rng, size=1):
        """As the honest law, but for the noise."""
        seen = {f"iterates{j}": c.descent.sample(rng, size) for j, c in enumerate(self.candidates)}
        own = rng.normal(size=(size, len(self.margins))) / self.factor
        common = rng.normal(size=(size, 1)) * sqrt(1 - 1 / self.factor**2)
        return seen | {"scores": self.means(seen) + self.sigma * (own + common)}

    def log_density(self, releases):
        """Gaussian steps; scores with covariance sigma^2 (I / factor^2 + (1 - 1 / factor^2) 1 1')."""
        m, own = len(self.margins), 1 / self.factor**2
        covariance = self.sigma**2 * (own * np.eye(m) + (1 - own))
        off = releases["scores"] - self.means(releases)
        scores = -(off * np.linalg.solve(covariance, off.T).T).sum(axis=1) / 2
        scores -= m / 2 * log(2 * pi) + np.linalg.slogdet(covariance)[1] / 2
        return scores + sum(c.descent.log_density(releases[f"iterates{j}"]) for j, c in enumerate(self.candidates))


@attack_claim(
    bounds.iterated_gdp,
    law="adaptive_margin_own_noise",
    quick=({"n": 5, "d": 2, "mu": 1.0},),
    bound=lambda *, mu, **_: mu,
    control=Control("scores whose noise is common but for a share of 1/{}", (3, 10)),
    note="each score needs noise of its own: otherwise the difference of two scores reveals a record on which the "
    "candidates disagree",
    **GDP,
)
def every_score_has_noise(*, n, d, mu, factor=1):
    """The white box again; in the control the scores share their noise."""
    pair = flipped(printed(mu, output="last", white_box=True), *records(n, d))
    return tuple(SharedNoise(**vars(law), factor=factor) for law in pair)


# Remark 2.3 in floating point -----------------------------------------------------------------------------------------


@exact_claim(
    bounds.textbook_release,
    quick=grid(mu=[1.0]),
    corrected_by=bounds.grid_release,
    note="this row is about implementations, including every mechanism of this package that adds float64 Gaussian "
    "noise; the theorem itself is true. An adversary who sees every bit of one release can rule out a neighbouring "
    "dataset",
)
def textbook_sampler(*, mu):
    """One double that is sigma xi + 0 for a draw xi and sigma xi + Delta for none; and how often that happens."""
    return float_gaussian.one_release(mu)


@inequality_claim(
    bounds.grid_release,
    quick=grid(sensitivity=[1.0], sigma=[2.0], step=[0.25]),
    full=grid(sensitivity=[0.3, 4.0], sigma=[1.0, 7.0], step=[2.0**-6, 8.0]),
    control=Control("noise / {}", (1.001, 1.5)),
    rounding=1e-7,
    cost=0.2,
    note="Rounding an exact Gaussian release is post-processing; the sampler's law is compared at every threshold.",
)
def thresholds_tell_neighbours_apart(*, sensitivity, sigma, step, factor=1):
    """Power against level of every test {release >= t}, from the law's own probabilities, with the Gaussian curve.

    Both are read as normal quantiles: the power's may exceed the level's by mu at most. Tails below 1e-9 are left out,
    where the sums of the law's probabilities lose digits.
    """
    mu = bounds.grid_release(sensitivity=sensitivity, sigma=sigma, step=step)
    pair = [
        grid_gaussian.law([value], sensitivity=sensitivity, bound=sensitivity, sigma=sigma / factor, step=step)
        for value in (-sensitivity / 3, sensitivity * 2 / 3)
    ]
    reach = int(np.ceil((10 * sigma + 2 * sensitivity) / step))
    places = step * np.arange(-reach, reach + 1)
    level, power = (np.exp(law.log_density(places[:, None]))[::-1].cumsum()[::-1] for law in pair)
    for place, low, high in zip(places.tolist(), level.tolist(), power.tolist(), strict=True):
        if low > 1e-9 and high < 1 - 1e-9:
            yield (
                {"threshold": place, "level": low, "power": high},
                float_gaussian.quantile(high),
                float_gaussian.quantile(low) + exact(mu),
            )


if __name__ == "__main__":
    run_script(__file__)
