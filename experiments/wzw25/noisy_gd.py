"""Noisy gradient descent: Lemma C.1 of Wang, Zhu & Wang (2025), and our code under attack."""

from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
from scipy.stats import norm

from lemmata.bounds.theorem import at_least, positive, require
from lemmata.bounds.wzw25 import noisy_gd as bounds
from lemmata.bounds.wzw25.gaussian_privacy import composed_gdp, gaussian_mechanism_gdp
from lemmata.bounds.wzw25.hinge_gradient import hinge_sum, replacement_sensitivity, tangent_value
from lemmata.experiments.checks import (
    Control,
    Step,
    attack_claim,
    grid,
    inequality_claim,
    mean_claim,
    order_claim,
    run_script,
    up_to_one,
)
from lemmata.experiments.checks.pair import weaker
from lemmata.experiments.data import load
from lemmata.experiments.instances.datasets.noisy_descent import ceiling, separable
from lemmata.experiments.wzw25.hinge_gradient import HINGE
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.privacy import GaussianDP

# Lemma C.1: privacy ---------------------------------------------------------------------------------------------------


def privacy_witness(setting, claimed, spent, python):
    """Two datasets of one record, and the test that tells their releases apart too well."""
    return {
        "setting": setting,
        "claimed": f"{claimed:.6g}-GDP",
        "found": f"{spent:.6g}-GDP",
        "a": {"X": [[1.0]], "y": [1]},
        "b": {"X": [[1.0]], "y": [-1]},
        "event": "the sum of the noisy gradients is negative (all records active); right with probability p_a under a",
        "p_a": float(norm.cdf(spent / 2)),
        "p_b": float(norm.cdf(-spent / 2)),
        "allowed": float(norm.cdf(claimed / 2)),
        "python": python,
    }


@inequality_claim(
    bounds.gdp_parameter,
    quick=({"n": 10, "steps": 25}, {"n": 1, "steps": 1}),
    full=grid(n=[1, 3, 1000], steps=[1, 2, 9, 10**6]),
    caught=(1.01,),
    given=[replacement_sensitivity, composed_gdp, gaussian_mechanism_gdp],
    scope=f"{HINGE}, T = n²μ² whole, w_ref and w₀ public",
    rounding=2**-50,  # μ = √T / n is a rounded float
    note="attained by opposite records that stay active (linear range); if n²μ² is not whole see the line that sets σ",
)
def all_steps_spend_mu(*, n, steps):
    """T (Delta / sigma)^2 against mu^2 in fractions: the printed sigma = n Delta, and the sigma our law really uses."""
    mu = bounds.gdp_parameter(n=n, steps=steps)
    sensitivity = replacement_sensitivity(radius=1.0, width=0.3)
    ours = Fraction(noisy_gd.noise_for(steps, sensitivity, mu)) / Fraction(sensitivity)
    for sigma in (Fraction(n), ours):  # in units of Delta
        yield {"n": n, "steps": steps}, steps / sigma**2, Fraction(mu) ** 2


# Lemma C.1: utility ---------------------------------------------------------------------------------------------------


def one_step_average(n, sensitivity, distance):
    """The exact excess of the average at T = 1, which is w_0 = -distance, over w_ref = 0: n equal records 1, d = 1."""
    Z, width = np.ones((n, 1)), 2 / sensitivity
    return float(hinge_sum(np.array([-distance]), Z, width) - hinge_sum(np.zeros(1), Z, width))


ANY_LOSS = dict(
    severity="statement",
    corner=require(
        "convex losses whose gradients have norm at most Δ, as the hinge loss of Section 3 has",
        lambda gradient, sensitivity: gradient <= sensitivity,
    ),
    used={  # a record's hinge gradient is at most the record's norm over the width, half of what a replacement moves
        place: [{"gradient": 1 / width, "sensitivity": 2 / width} for width in (0.01, 1.0)]
        for place in ("wzw25.lemD.1", "wzw25.lem6.3", "wzw25.lemK.5")
    },
)


@order_claim(
    bounds.averaged_rate,
    family="loss a w + hinge of n records z = 1, w_0 = 1, w_ref = 0, T = n²μ² = 1, a → ∞: Δ is the hinge's",
    **ANY_LOSS,
    python="""from lemmata.bounds.wzw25.noisy_gd import averaged_rate, printed_steps
n, mu, D, width, ratios = 16, 1 / 16, 1.0, 2.0, []   # T = n^2 mu^2 = 1: the average is w_0 = D, and w_ref = 0
assert printed_steps(n, mu) == 1
for a in (1e1, 1e3, 1e5):                            # loss a w + hinge of n records z = 1: sensitivity 2 / width
    excess = n * (a * D + max(0, 1 - D / width) - 1)
    ratios.append(excess / averaged_rate(d=1, mu=mu, sensitivity=2 / width, distance=D))
assert ratios[2] > 50 * ratios[1] > 2500 * ratios[0] > 0""",
    note="Algorithm 5 takes any loss, and the lemma restricts none. But a bound on the sensitivity does not bound "
    "a gradient: a slope that all losses share does not change the sensitivity. For hinge losses it holds with the "
    "constant √2 (the proof prints 4)",
)
def any_loss_is_minimised():
    """The exact excess of w_0, which is the average at T = 1, as the gradient that all records share grows."""
    n, distance, width = 16, 1.0, 2.0
    g = bounds.averaged_rate(d=1, mu=1 / n, sensitivity=2 / width, distance=distance)
    hinge = one_step_average(n, 2 / width, -distance)
    for shared in (1e1, 1e3, 1e5):
        yield {"n": n, "mu": 1 / n, "shared": shared}, n * shared * distance + hinge, g


def explicit_over_rate():
    """The explicit bound over g along n mu, for the figure."""
    axis, unit = [float(x) for x in np.geomspace(0.1, 1000, 41)], {"d": 1, "sensitivity": 1.0, "distance": 1.0}
    explicit = [bounds.averaged_excess(n=1, steps=bounds.printed_steps(1, x), mu=x, **unit) for x in axis]
    ratios = [e / bounds.averaged_rate(mu=x, **unit) for e, x in zip(explicit, axis, strict=True)]
    return {"n mu": axis, "explicit / g": ratios, "printed constant 4": [4.0] * len(axis)}


def whole_steps():
    """At T = n^2 mu^2 rounded up, equal at d = 1 where that is whole already."""
    for d, mu, sensitivity, n in product((1, 100), (0.01, 0.5, 2.0), (0.1, 1.0), (1, 2, 3, 7, 10, 100, 10**6)):
        shape = {"d": d, "mu": mu, "sensitivity": sensitivity, "distance": 3.0}
        explicit = bounds.averaged_excess(n=n, steps=bounds.printed_steps(n, mu), **shape)
        yield shape | {"n": n}, explicit, bounds.averaged_bound(**shape)


@inequality_claim(
    bounds.averaged_bound,
    measured=whole_steps,
    figure=explicit_over_rate,
    over=[positive("n"), at_least("more", 0)],
    given=[bounds.averaged_excess],
    steps=[Step("n²/T ≤ 1/μ² and 1 ≤ d")],
    tightness=up_to_one,
    note="T = n²μ² rounded up, at least 1. Where nμ < 1 the average is w_0, and its excess is at most nΔD < ΔD/μ",
)
def average_within_bound():
    """The explicit bound at T = n^2 mu^2 (1 + more)."""
    for d, mu, sensitivity, distance, n, more in product((1, 100), (0.5, 2.0), (0.1, 1.0), (3.0,), (4, 7), (0, 1)):
        setting = {"d": d, "mu": mu, "sensitivity": sensitivity, "distance": distance}
        explicit = bounds.averaged_excess.theorem.formula(n=n, steps=(n * mu) ** 2 * (1 + more), **setting)
        yield setting | {"n": n, "more": more}, explicit, bounds.averaged_bound(**setting)


def excess_of_one_step():
    """The exact excess where T = 1."""
    for n, d, mu, sensitivity, distance in product((1, 10, 100), (1, 50), (0.1, 2.0), (0.01, 1.0), (0.01, 1.0)):
        sizes = dict(n=n, d=d, steps=1, mu=mu, sensitivity=sensitivity, distance=distance)
        yield sizes, one_step_average(n, sensitivity, distance)


@inequality_claim(
    bounds.averaged_excess,
    measured=excess_of_one_step,
    given=[tangent_value, bounds.one_step, bounds.telescoped_corrected],
    steps=[Step("both terms are equal at the printed η")],
    scope="everywhere: convex, per-record gradients of norm at most Δ, whole T, σ = Δ√T/μ",
)
def average_within_explicit():
    """The telescoped sum at the printed step size."""
    for n, d, steps, mu, sensitivity, distance in SHAPES:
        setting = dict(n=n, d=d, steps=steps, mu=mu, sensitivity=sensitivity, distance=distance)
        yield setting, end_of_the_proof(**setting, gradient=n * sensitivity), bounds.averaged_excess(**setting)


SHAPES = tuple(product((1, 10), (3,), (1, 7), (0.5, 2.0), (0.5, 1.0), (2.0,)))


def end_of_the_proof(*, n, d, steps, mu, sensitivity, distance, gradient):
    """The telescoped sum at the step size that knows ||grad L|| <= gradient."""
    sigma = bounds.noise_std(steps, sensitivity, mu)
    square = bounds.squared_gradient(n=n, d=d, sensitivity=gradient / n, sigma=sigma)
    eta = bounds.stride(steps=steps, gradient_norm=gradient, sigma=sigma, d=d, distance=distance)
    return bounds.telescoped_corrected(distance=distance, eta=eta, steps=steps, second_moment=square, final=0)


def averaged_problem(n, d, steps, mu, gamma=0.5):
    """(law, Z, width, M, tau) for the separable data at width = gamma, where L(e_1) = 0."""
    Z = separable(n, d, gamma)
    law = noisy_gd.law(Z, np.ones(n), privacy=GaussianDP(mu), width=gamma, steps=steps, stride="tuned")
    T = law.steps
    coefficients = law.strides * np.arange(T - 1, -1, -1) / T
    return law, Z, gamma, *ceiling(law, n / gamma, 1.0, coefficients)


def smallest_useful_n():
    """The smallest n at which the bound is below n, the loss of w_0 = 0: d = 5, mu = 1, T = n^2 mu^2, margin 1/2."""
    sizes = dict(d=5, mu=1.0, sensitivity=4.0, distance=1.0)
    return next(n for n in range(1, 10**6) if bounds.averaged_hinge_excess(n=n, steps=n**2, **sizes) < n)


@inequality_claim(
    bounds.averaged_hinge_excess,
    given=[tangent_value, bounds.one_step, bounds.telescoped_corrected],
    steps=[Step("both terms are equal at this η")],
    scope=HINGE,
)
def average_within_hinge_bound():
    """The telescoped sum with ||grad L|| <= n Delta / 2, the hinge's, at the step size that knows it; equality."""
    for n, d, steps, mu, sensitivity, distance in SHAPES:
        setting = dict(n=n, d=d, steps=steps, mu=mu, sensitivity=sensitivity, distance=distance)
        left = end_of_the_proof(**setting, gradient=n * sensitivity / 2)
        yield setting, left, bounds.averaged_hinge_excess(**setting)


@mean_claim(
    bounds.averaged_hinge_excess,
    law="noisy_gd_excess",
    quick=({"n": 20, "d": 5, "steps": 80, "mu": 1.0, "sensitivity": 4.0, "distance": 1.0},),
    full=grid(n=[20], d=[2, 10], steps=[41, 400], mu=[1.0], sensitivity=[4.0], distance=[1.0])
    + grid(n=[100], d=[5], steps=[500], mu=[0.5], sensitivity=[4.0], distance=[1.0]),
    control=Control("a bound {} times too small", (1.5, 2, 4, 8), of="bound"),
    bound=lambda **setting: bounds.averaged_hinge_excess(**setting),
    high=lambda *, n, d, steps, mu, **_: sum(averaged_problem(n, d, steps, mu)[3:]),
    chunk=500,
    cost=2e-5,
    expect=0.6,
    nonvacuous_from=smallest_useful_n,
    note="the sampled variable is X = min(excess, M) + τ in [0, M + τ]; E(excess) ≤ E X, because the part above M "
    "contributes less than τ",
)
def averaged_excess_of_releases(rng, size, *, n, d, steps, mu, sensitivity, distance, factor=1):
    """The excess of `size` averaged releases over w_ref = e_1, where the loss is 0."""
    law, Z, width, M, tau = averaged_problem(n, d, steps, mu)
    return np.minimum(hinge_sum(law.sample(rng, size).T, Z, width), M) + tau


# Our code under attack ------------------------------------------------------------------------------------------------


def flipped(X, y, mu, **parameters):
    """Two laws on datasets that differ in the label of record 0."""
    other = np.array(y, dtype=float)
    other[0] = -other[0]
    return tuple(noisy_gd.law(X, labels, privacy=GaussianDP(mu), **parameters) for labels in (y, other))


def linear_pair(n, steps, output):
    """Neighbours at distance kappa = 1: a canary of norm 1 flipped, a hinge so wide that no record leaves its line."""
    X = np.eye(2)[np.arange(n) % 2]
    return flipped(X, np.where(np.arange(n) % 3, 1.0, -1.0), mu=sqrt(steps) / n, width=50.0, steps=steps, output=output)


ATTACKED = dict(
    attack="gdp",
    quick=({"n": 4, "steps": 36},),
    full=({"n": 3, "steps": 16}, {"n": 1, "steps": 1}),
    bound=lambda *, n, steps, **_: sqrt(steps) / n,
    chunk=2000,
    cap=10,
    cost=1.5e-5,
)


@attack_claim(
    bounds.gdp_parameter,
    law="noisy_gd_iterates",
    control=Control("noise {} times too small", (1.2, 1.5, 2)),
    note="white box, exact likelihood ratio, κ = 1",
    **ATTACKED,
)
def all_iterates(*, n, steps, factor=1):
    """Every iterate is seen: the composition is tight."""
    return weaker(linear_pair(n, steps, "iterates"), factor)


@attack_claim(
    bounds.gdp_parameter,
    law="noisy_gd_last",
    control=Control("noise {} times too small", (1.2, 1.5, 2)),
    note="black box, learnt scores; in the linear range w_T alone reveals all of μ",
    **ATTACKED,
)
def last_iterate(*, n, steps, factor=1):
    """Only w_T is seen."""
    return weaker(linear_pair(n, steps, "last"), factor)


@attack_claim(
    bounds.gdp_parameter,
    law="noisy_gd_average",
    control=Control("noise {} times too small", (1.5, 2, 3)),
    note="black box, learnt scores; κ = √3/2, because averaging dilutes the late steps",
    **ATTACKED | {"full": ({"n": 3, "steps": 16},)},
)
def averaged(*, n, steps, factor=1):
    """Only the average is seen."""
    return weaker(linear_pair(n, steps, "average"), factor)


@attack_claim(
    bounds.gdp_parameter,
    law="noisy_gd_randhie",
    attack="gdp",
    quick=({"n": 24, "rows": "longest first"},),
    full=({"n": 40, "rows": "first"},),
    bound=lambda **setting: 1.0,
    control=Control("noise {} times too small", (1.5, 2, 3)),
    chunk=2000,
    cap=10,
    cost=2e-5,
    note="records of the RAND health-insurance experiment; one person's outcome is flipped; all iterates are seen",
)
def randhie(*, n, rows, factor=1):
    """mu = 1 on n real records, every iterate seen; the label of record 0 is flipped."""
    X, y = load("randhie")
    chosen = np.argsort(-np.linalg.norm(X, axis=1), kind="stable")[:n] if rows == "longest first" else np.arange(n)
    return weaker(flipped(X[chosen], y[chosen], mu=1.0, width=2.0, steps="balanced", output="iterates"), factor)


if __name__ == "__main__":
    run_script(__file__)
