"""The assumptions of private grid search decided for its base algorithms: which err and which Delta they have."""

from itertools import product

import numpy as np
from scipy.stats import norm

from lemmata.bounds.abgmu22 import assumptions as bounds, baselines
from lemmata.experiments.checks import Control, Link, equality, grid, inequality_claim, run_script, up_to_one
from lemmata.experiments.instances.classes.glm_losses import largest_losses, smooth_pieces

REACHES = (0.05, 0.3, 0.7071067811865476, 1.0, 3.0, 20.0)
LABELS = (1e-3, 0.5, 1.0, 10.0)

# Assumption 1 ---------------------------------------------------------------------------------------------------------

SIZES = grid(
    n=[100, 10**6], gradient_norm=[0.5, 30.0], ridge=[1e-3, 2.0], smoothness=[0.25, 2.0], radius=[0.1, 3.0],
    sigma=[0.0, 5.0], norm=[0.1, 40.0],
)  # fmt: skip


@inequality_claim(
    bounds.output_err,
    evidence="composition",
    given=[baselines.output_excess],
    tightness=equality,
    note="by Markov's inequality, attained by an excess that is err(B) with probability β/(4K), and 0 otherwise",
)
def markov():
    """err(B) with the chance beta/(4K) makes the mean of abgmu22.base.outpert, and no larger err is needed."""
    for sizes, levels in product(SIZES, grid(beta=[1e-6, 0.1, 0.9], guesses=[1, 20])):
        err = bounds.output_err(**sizes, **levels)
        mean = baselines.output_excess(**sizes)
        chance = levels["beta"] / (4 * levels["guesses"])
        yield sizes | levels, mean, err * chance * (1 + 1e-12)
        yield Link("no larger", sizes | levels, err * chance, mean * (1 + 1e-12))


# Assumption 2 ---------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.ball_loss,
    given=[baselines.slope_bound],
    rounding=1e-9,
    tightness=equality,
    note="attained by both squares. The check also searches functions of random curvature ±H for a counterexample",
)
def losses_over_the_ball():
    """Every smooth loss at the ends of its range, the proof's chain, and random functions of curvature +-H."""
    for label, reach in product(LABELS, REACHES):
        for name, H, largest in largest_losses(label, reach * label):
            sizes = {"label_bound": label, "smoothness": H, "norm_bound": reach * label, "radius": 1.0}
            bound = bounds.ball_loss(**sizes)
            yield sizes | {"loss": name}, largest, bound
            slope = baselines.slope_bound(label_bound=label, smoothness=H, reach=0)
            chain = label**2 + slope * reach * label + H * (reach * label) ** 2 / 2
            yield Link("chain", sizes, chain, bound)
            yield Link("chain, from above", sizes, bound, chain)
    rng = np.random.default_rng(0)
    for _ in range(200):
        H, reach = 10 ** rng.uniform(-2, 2, size=2)
        t, values, _ = smooth_pieces(rng, H, reach)
        middle = len(t) // 2
        sizes = {"label_bound": float(np.sqrt(values[middle])), "smoothness": H, "norm_bound": reach, "radius": 1.0}
        yield sizes | {"of": "random"}, float(max(values[0], values[-1])), bounds.ball_loss(**sizes)


@inequality_claim(
    bounds.output_loss,
    quick=grid(n=[2, 1000]),
    given=[bounds.ball_loss, "abgmu22.lem.stab-outpert.s2/corrected"],
    control=Control("a loss bound whose noise is {} times too small", (1.1, 1.3, 2)),
    rounding=1e-9,
    tightness=up_to_one,
    note=(
        "for orthogonal records. The union bound and the Gaussian tail together exceed the true "
        "probability by a factor of 3 to 20"
    ),
)
def losses_under_noise(*, n, factor=1):
    """Squares at the far end: the noise that reaches Delta, its exact chance for n/2 orthogonal records, the chain."""
    for levels in grid(delta=[1e-9, 1e-3, 0.9], beta=[1e-3, 0.5], guesses=[1, 10]):
        allowed = min(levels["delta"], levels["beta"]) / (4 * levels["guesses"])
        for sizes in grid(label_bound=[0.0, 1.0], smoothness=[2.0], norm_bound=[0.0, 3.0], radius=[0.5], sigma=[2.0]):
            setting = sizes | levels | {"n": n}
            root = np.sqrt(bounds.output_loss(**setting)) - sizes["label_bound"]
            t = (root - sizes["norm_bound"] * sizes["radius"]) / factor  # H = 2: |<b, x>| that reaches Delta
            bad = -np.expm1(n // 2 * np.log1p(-2 * norm.sf(t)))  # deviation ||X|| sigma = 1
            yield setting, bad, allowed
            chain = n / 2 * float(bounds.gaussian_tail(t=t, radius=sizes["radius"], sigma=sizes["sigma"]))
            yield Link("chain", setting, chain, allowed)


if __name__ == "__main__":
    run_script(__file__)
