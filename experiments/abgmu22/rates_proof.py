"""The steps to the rates of abgmu22: how stability is paid in loss, and what a private test must err.

Ridge regression and gradient descent on the line are followed exactly, in fractions, over all samples.
"""

from fractions import Fraction
from itertools import product

from lemmata.bounds.abgmu22 import baselines, rates as bounds
from lemmata.experiments.abgmu22.rates import ROUNDING, TESTS, best_errors
from lemmata.experiments.checks import Control, inequality_claim, run_script

# Upper bounds ---------------------------------------------------------------------------------------------------------


def samples(n, values=(-1, 1, 2)):
    """All samples of n labels at x = 1, equally likely: (labels,), as fractions."""
    return [tuple(map(Fraction, y)) for y in product(values, repeat=n)]


def loss(w, labels):
    """The mean of (w - y)^2/2."""
    return sum((w - y) ** 2 for y in labels) / (2 * len(labels))


@inequality_claim(
    bounds.regularised_risk,
    note=(
        "8u + 16u² ≤ 16u for u = H̃/(λn) ≤ 1/2, with equality at 1/2. Ridge regression on the line stays "
        "below half of it"
    ),
)
def ridge_regression():
    """The chain; and ridge regression on the line, exactly, over all samples."""
    for u in (Fraction(1, 1000), Fraction(1, 4), Fraction(1, 2)):
        stable = 2 * 4 * u + 4 * 4 * u**2  # sqrt(2H a) D and H D^2/2 with D of sqrt(2H) (sqrt a + sqrt b) 2/(lambda n)
        yield {"u": u}, 1 + stable, bounds.regularised_risk(u=u, empirical=Fraction(1))
    for n, u in product((2, 4), (Fraction(1, 10), Fraction(1, 2))):
        ridge, every = 1 / (u * n), samples(n)
        released = [sum(y) / n / (1 + ridge) for y in every]
        empirical = sum(loss(w, y) for w, y in zip(released, every, strict=True)) / len(every)
        population = sum(loss(w, (Fraction(-1), Fraction(1), Fraction(2))) for w in released) / len(every)
        yield {"n": n, "u": u}, population, bounds.regularised_risk(u=u, empirical=empirical)


def descent(labels, stride, steps):
    """(mean empirical loss of the iterates, their average) of gradient descent from 0, without noise."""
    w, total, losses, mean = Fraction(0), Fraction(0), Fraction(0), sum(labels) / len(labels)
    for _ in range(steps):
        total, losses = total + w, losses + loss(w, labels)
        w -= stride * (w - mean)
    return losses / steps, total / steps


@inequality_claim(bounds.descended_risk, note="1 + 4v + 4v² = (1 + 2v)²")
def descent_on_the_line():
    """The chain, with equality; and gradient descent on the line, exactly, over all samples."""
    for v in (Fraction(0), Fraction(1, 7), Fraction(1, 4), Fraction(3)):
        yield {"v": v}, 1 + 2 * 2 * v + 4 * v**2, bounds.descended_risk(v=v, empirical=Fraction(1))
    for n, steps, stride in product((2, 4), (1, 4), (Fraction(1, 8), Fraction(1, 2))):
        every = samples(n)
        runs = [descent(y, stride, steps) for y in every]
        empirical = sum(A for A, _ in runs) / len(every)
        population = sum(loss(w, (Fraction(-1), Fraction(1), Fraction(2))) for _, w in runs) / len(every)
        allowed = bounds.descended_risk(v=stride * steps / n, empirical=empirical)
        yield {"n": n, "steps": steps, "stride": stride}, population, allowed


@inequality_claim(
    bounds.descended_loss,
    given=[baselines.projected_distance],
    rounding=ROUNDING,
    note="equality in the limit, as the least loss dominates the other terms",
)
def noisy_descent_on_the_line():
    """(w - c)^2/2 + least on the line, the noise's variance followed exactly; u = c."""
    for c, least, stride, steps, sigma in product((0.5, 3.0), (0.0, 1e4), (1e-3, 0.5), (1, 50, 2000), (0.0, 1.0, 20.0)):
        off, variance, total = -c, 0.0, 0.0
        for _ in range(steps):
            total += (off**2 + variance) / 2 + least
            off, variance = off * (1 - stride), variance * (1 - stride) ** 2 + (stride * sigma) ** 2
        parts = {"distance": c**2 / (2 * stride * steps), "noise": stride * sigma**2 / 2}
        allowed = bounds.descended_loss(q=stride, best=least, **parts)
        yield {"c": c, "least": least, "stride": stride, "steps": steps, "sigma": sigma}, total / steps, allowed


# Lower bounds ---------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.both_errors,
    control=Control("the bound multiplied by {}", (1.1, 2)),
    rounding=ROUNDING,
    note="randomised response between the two halves is the best test of a pair, with equality where p or ε tends to 0",
)
def best_private_tests(*, factor=1):
    """Against the exact error of the best pure test of a pair, which also learns each record with probability delta."""
    for point, p, delta in product(TESTS, (0.0, 0.01, 0.5, 1.0), (0.0, 1e-3, 0.5)):
        claimed = bounds.both_errors(delta=delta, p=p, **point) * factor
        yield point | {"p": p, "delta": delta}, max(claimed, 0.0), best_errors(p=p, delta=delta, **point)


if __name__ == "__main__":
    run_script(__file__)
