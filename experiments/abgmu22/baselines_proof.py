"""The base algorithms of abgmu22: the steps of output perturbation's utility, and descent after a projection."""

import itertools
from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np

from lemmata.bounds.abgmu22 import baselines as bounds
from lemmata.experiments.abgmu22.baselines import ATTACKED, GAUSSIAN, ROUNDING, minimiser, planted
from lemmata.experiments.checks import Control, attack_claim, equality, grid, inequality_claim, mean_claim, run_script
from lemmata.experiments.checks.pair import weaker
from lemmata.experiments.instances.classes.glm_losses import SMOOTH
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.learners.glm import glm_output, glm_projected
from lemmata.mechanisms.learners.glm.glm_losses import records
from lemmata.mechanisms.privacy import GaussianDP

# Output perturbation --------------------------------------------------------------------------------------------------


def finite_population(loss, n, ridge, norm_bound):
    """Means over all samples of n of three records: (empirical cost over w*, generalisation gap), ||w*|| and sizes."""
    X, y = np.array([[1.0, 0.0], [0.6, 0.8], [-0.6, 0.8]]), np.array([1.0, -1.0, 1.0])
    whole = records(X, y, loss=loss, label_bound=1.0)
    best, _ = minimiser(whole, 1e-9, 1e3)
    costs, gaps = [], []
    for chosen in itertools.product(range(3), repeat=n):
        sample = replace(whole, X=whole.X[list(chosen)], y=whole.y[list(chosen)])
        w = minimiser(sample, ridge, norm_bound)[0][None]
        costs.append(sample.mean_losses(w)[0] - whole.mean_losses(best[None])[0])
        gaps.append(whole.mean_losses(w)[0] - sample.mean_losses(w)[0])
    sizes = {"n": n, "gradient_norm": whole.slope_bound(norm_bound), "ridge": ridge}
    return float(np.mean(costs)), float(np.mean(gaps)), float(np.linalg.norm(best)), sizes


@inequality_claim(bounds.ridge_cost, rounding=1e-6, tightness=equality, cost=0.02)
def regularised_losses():
    """A hinge with its kink at 1/s, in fractions; then all samples of a small population."""
    for s, ridge in itertools.product((Fraction(1), Fraction(1, 3)), (Fraction(2, 9), Fraction(2), Fraction(50))):
        shrunk = min(s / ridge, 1 / s)  # argmin of max(0, 1 - s w) + ridge w^2/2, whose loss at 1/s is 0
        yield {"s": s, "ridge": ridge}, 1 - s * shrunk, bounds.ridge_cost(ridge=ridge, norm=1 / s)
    for ridge, n in itertools.product((0.01, 0.3), (1, 2, 3)):
        cost, _, norm, _ = finite_population("half_squared", n, ridge, 3.0)
        yield {"ridge": ridge, "n": n}, cost, bounds.ridge_cost(ridge=ridge, norm=norm)


@inequality_claim(
    bounds.stability_gap,
    given=[bounds.output_sensitivity],
    control=Control("a Lipschitz constant {} times too small", (2.1, 3)),
    rounding=1e-6,
    cost=0.1,
    note=(
        "linear losses reach half of the bound, because two independent records are at most √2 apart in the mean square"
    ),
)
def gaps_of_finite_populations(*, factor=1):
    """Two opposite records under Huber's loss in its linear range, then all samples of a small population."""
    pair = records([[1.0], [-1.0]], [1.0, 1.0], loss="huber")
    for ridge in (2.5, 30.0):
        one = replace(pair, X=pair.X[:1], y=pair.y[:1])
        w = minimiser(one, ridge, 10.0)[0][None]
        moved = bounds.output_sensitivity(n=1, gradient_norm=1.0, ridge=ridge)
        gap = float(pair.mean_losses(w)[0] - one.mean_losses(w)[0])
        yield {"ridge": ridge}, gap, bounds.stability_gap(gradient_norm=1.0 / factor, moved=moved)
    for loss, ridge, n in itertools.product(("half_squared", "huber", "logistic"), (0.3, 3.0), (1, 2, 3)):
        _, gap, _, sizes = finite_population(loss, n, ridge, 2.0)
        moved = bounds.output_sensitivity(**sizes)
        allowed = bounds.stability_gap(gradient_norm=sizes["gradient_norm"] / factor, moved=moved)
        yield sizes | {"loss": loss}, gap, allowed


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


@inequality_claim(bounds.noise_cost, rounding=1e-6, tightness=equality)
def gaussian_noise_in_a_loss():
    """E phi(t + N(0, r^2 sigma^2)) - phi(t) by Gauss quadrature, 80 nodes: exact for squares, which attain it."""
    for loss, (radius, sigma), t in itertools.product(SMOOTH, ((1.0, 0.3), (2.0, 1.5)), (-3.0, 0.0, 0.4, 2.0)):
        data = records([[1.0]], [1.0], loss=loss, label_bound=1.0)
        values = data.link.value(t + radius * sigma * NODES, data.y)
        added = values @ WEIGHTS / WEIGHTS.sum() - data.link.value(np.array([t]), data.y)[0]
        sizes = {"smoothness": data.link.smoothness, "radius": radius, "sigma": sigma}
        yield sizes | {"loss": loss, "t": t}, float(added), bounds.noise_cost(**sizes)


@inequality_claim(
    bounds.output_excess,
    given=[bounds.ridge_cost, bounds.stability_gap, bounds.output_sensitivity, bounds.noise_cost],
    rounding=ROUNDING,
    tightness=equality,
    note="equal to the sum of the three steps",
)
def end_of_the_three_steps():
    """The steps' values, each from the one before, against the statement."""
    for n, G, ridge in itertools.product((1, 10**5), (0.3, 8.0), (1e-3, 4.0)):
        moved = bounds.output_sensitivity(n=n, gradient_norm=G, ridge=ridge)
        for H, radius, sigma, norm in itertools.product((0.25, 2.0), (0.5, 3.0), (0.0, 1.0), (0.2, 20.0)):
            chain = bounds.ridge_cost(ridge=ridge, norm=norm) + bounds.stability_gap(gradient_norm=G, moved=moved)
            noise = {"smoothness": H, "radius": radius, "sigma": sigma}
            setting = {"n": n, "gradient_norm": G, "ridge": ridge, "norm": norm} | noise
            yield setting, chain + bounds.noise_cost(**noise), bounds.output_excess(**setting)


PLANTED = dict(B=1.0, label_bound=1.0, mu=0.268)  # (1, 10^-5)-DP


def output_problem(rng, n, d):
    """Output perturbation on a fresh sample with y = <w*, x>, ||w*|| = .8, x uniform on the sphere."""
    X, y = planted(n, d, 0.8, rng)
    budget = GaussianDP(PLANTED["mu"])
    return glm_output.law(X, y, privacy=budget, loss="half_squared", norm_bound=PLANTED["B"], label_bound=1.0)


def output_bound(*, n, d):
    """The bound at these sizes and the default ridge."""
    G = sqrt(2) + PLANTED["B"]
    ridge = bounds.balanced_ridge(
        n=n, gradient_norm=G, mu=PLANTED["mu"], smoothness=1.0, radius=1.0, norm_bound=PLANTED["B"]
    )
    sigma = float(bounds.output_noise(n=n, gradient_norm=G, ridge=ridge, mu=PLANTED["mu"]))
    sizes = {"gradient_norm": G, "ridge": ridge, "smoothness": 1.0, "radius": 1.0, "norm": 0.8}
    return float(bounds.output_excess(n=n, sigma=1.0001 * sigma, **sizes))


@mean_claim(
    bounds.output_excess,
    law="glm_output_excess",
    quick=grid(n=[300], d=[5]),
    full=grid(n=[500], d=[40]) + grid(n=[2000], d=[5]),
    control=Control("a bound {} times too small", (4, 6, 8), of="bound"),
    bound=output_bound,
    high=1.0,
    chunk=50,
    cap=6,
    cost=1.5e-3,
    expect=0.26,
    note="the noise costs ‖x‖²σ²/2, all that the bound allows for it. Ridge and stability cost much less than allowed",
)
def excess_of_outputs(rng, size, *, n, d, factor=1):
    """A fresh sample and one release each: ||w - w*||^2/(2d), the excess population risk, cut at 1."""
    released = np.array([output_problem(rng, n, d).sample(rng)[0] for _ in range(size)])
    released[:, 0] -= 0.8
    return np.minimum((released**2).sum(axis=1) / (2 * d), 1.0)


# Random projection ----------------------------------------------------------------------------------------------------


def projected_pair(mu, steps, norm_bound, n=1):
    """Neighbours with opposite labels, others at 0: Phi is one row of signs, d = 16, so |Phi x| = 4, clipped to 2."""
    phi, first = sign_projection(1, 16, rng=np.random.default_rng(0)), np.eye(n, 1)
    x = np.sign(phi.transpose(np.ones(1))) / 4
    parameters = dict(loss="half_squared", label_bound=1.0, norm_bound=norm_bound, steps=steps, projection=phi)
    return tuple(
        glm_projected.law(first * x, sign * sqrt(2) * first[:, 0], privacy=GaussianDP(mu), **parameters)
        for sign in (1, -1)
    )


@inequality_claim(
    bounds.projected_noise,
    given=[bounds.ball_noise, bounds.slope_bound, *GAUSSIAN],
    rounding=ROUNDING,
    tightness=equality,
    note="|Φx| = 4‖X‖ before clipping. Two clipped records at the end of the ball of radius 2B spend all of μ",
)
def projected_descent_spends():
    """Gradients of opposite clipped records at the ends of the ball of radius 2B in R^1, over sigma, against mu."""
    for norm_bound, steps, mu in itertools.product((0.1, 3.0), (1, 25), (0.2, 2.0)):
        descent = projected_pair(mu, steps, norm_bound)[0].descent
        sizes = {"n": 1, "steps": steps, "label_bound": 1.0, "smoothness": 1.0, "norm_bound": norm_bound, "radius": 1.0}
        sigma = float(bounds.projected_noise(**sizes, mu=mu))
        longest = np.abs(descent.data.mean_gradients(np.array([[2.0], [-2.0]]) * norm_bound)).max()
        yield sizes | {"mu": mu}, sqrt(steps) * 2 * float(longest) / sigma, mu
        yield sizes | {"mu": mu, "of": "the law's noise"}, sigma, descent.sigma


@attack_claim(
    bounds.projected_noise,
    law="glm_projected",
    quick=grid(mu=[1.0], steps=[9], n=[60]),
    control=Control("noise {} times too small", (1.3, 1.6, 2)),
    note=(
        "the attacker sees the output only. With one coordinate, one record clipped at 2 and the others "
        "at 0, no step is projected even in a small ball: κ = 0.84 for the average of nine iterates"
    ),
    **ATTACKED | {"cost": 6e-6},
)
def lifted_weights(*, mu, steps, n, factor=1):
    """The attacker sees Phi^T w~."""
    pair = projected_pair(mu, steps, 0.005, n)
    return tuple(replace(law, descent=weaker([law.descent], factor)[0]) for law in pair)


if __name__ == "__main__":
    run_script(__file__)
