"""abgmu22's grid search with output perturbation, copies and guesses compared together: the derivation of the rate."""

from itertools import product
from math import exp, sqrt

from lemmata.bounds.abgmu22 import (
    grid_output as output,
    grid_output_proof as bounds,
    grid_search_proof as search,
    rates,
)
from lemmata.bounds.abgmu22.baselines import output_noise
from lemmata.experiments.checks import Control, Link, grid, inequality_claim, run_script

SMALLER = grid(n=[96, 96 * 10**8, 96 * 10**14], mu=[1e-10, 1e-3, 1.0], guesses=[1, 20], beta=[0.25, 2.0**-22])


def boosted_settings():
    """Sizes, with reaches from far below the labels to far above; 2m is 8 or 48."""
    for point, rho, label in product(SMALLER, (1e-6, 0.3, 1.0, 30.0, 1e5), (0.1, 2.0)):
        yield point | {"reach": rho * label, "label_bound": label}


@inequality_claim(
    bounds.boosted_excess,
    given=[rates.regularised_risk, output_noise, search.deviation_above, search.penalty, output.beyond_the_clip],
    rounding=1e-9,
    control=Control("the bound divided by {}", (1.2, 2)),
)
def copies_among_the_guesses(*, factor=1):
    """The chain of a copy at its ridge, its deviations at exp(-l), and the noise of the scores; in units of Y."""
    for setting in boosted_settings():
        n, mu, guesses, label = (setting[name] for name in ("n", "mu", "guesses", "label_bound"))
        copies, level = bounds.copies_and_level(n, guesses, setting["beta"])
        rho, size = setting["reach"] / label, n / (2 * copies)
        sizes = {"n": n, "mu": mu, "rho": rho, "guesses": guesses, "copies": copies}
        ridge, clip = bounds.copy_ridge(**sizes), 3.5 * level * (1 + rho**2)
        base = rates.perturbation_at(n=size, mu=mu / sqrt(guesses), norm=rho, ridge=ridge)
        if bounds.copy_excess(**sizes) < 1:
            yield Link("copy", setting, base, bounds.copy_excess(**sizes) * (1 + 1e-9))
            noise = float(output_noise(n=size, gradient_norm=sqrt(2) + rho, ridge=ridge, mu=mu / sqrt(guesses)))
            yield Link("noise", setting, noise, 0.82)
            yield Link("clip", setting, (1 + (rho + sqrt(2 * level) * noise) / sqrt(2)) ** 2, clip)
        unit = 2 * clip * level / n
        if unit <= 0.25:
            yield Link("hidden", setting, clip / n, (2 - sqrt(2)) * sqrt(unit))
            above = float(search.deviation_above(loss_bound=clip, risk=1.0, n=n, chance=exp(-level)))
            noise = sqrt(2 * level) * 2 * clip * sqrt(guesses * copies) / (n * mu)
            left = label**2 * min(1.0, 2 * min(base, 1.0) + above + (2 * sqrt(unit) + noise) + noise)
            yield setting, left, bounds.boosted_excess(**setting) / factor


if __name__ == "__main__":
    run_script(__file__)
