"""The steps to the concentration lemma of abgmu22: those that are printed, and our own.

Laws of n losses 0 and 1 are binomial, and exact.
"""

from fractions import Fraction
from itertools import product
from math import ceil, exp, floor, log, log1p, sqrt

import numpy as np

from lemmata.bounds.abgmu22 import concentration as bounds
from lemmata.bounds.exact.binomials import at_least, at_most
from lemmata.experiments.abgmu22.concentration import HAIR, chance_below, places
from lemmata.experiments.checks import Control, Step, equality, grid, inequality_claim, run_script

# Our derivation -------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.exponential_moment,
    caught=(1.5, 2),
    note=(
        "by Markov's inequality. Since exp(Z²) ≥ 1, 1 + 4/β is enough, so the check detects no factor "
        "closer to 1 than that"
    ),
)
def heavy_vectors():
    """A w that is 0, or with a chance just above beta/4 so long that E exp(Z^2) = 2: the moment it has then."""
    for beta in (Fraction(9, 10), Fraction(1, 20), Fraction(1, 10**6)):
        chance = beta / 4 * Fraction(1_000_001, 1_000_000)
        moment = (2 - (1 - chance)) / chance
        yield {"beta": beta, "chance": chance}, moment, Fraction(bounds.exponential_moment(beta=beta))


@inequality_claim(
    bounds.second_moment,
    given=[bounds.exponential_moment],
    caught=(1.05, 2),
    note="the worst law has two values of |Z|. The ratio tends to 1 as β → 0 at ‖Y‖ = g√(K/2)",
)
def worst_second_moment():
    """For each |Z| the largest loss there is, at all probabilities that E exp(Z^2) <= 8/beta leaves."""
    for n, beta, g in product((1, 100, 10**6), (0.9, 0.05, 1e-300), (1e-3, 1.0, 30.0)):
        K = bounds.logarithm(n=n, beta=beta)
        for Y in (1e-3, 1.0, g * sqrt(K / 2)):
            sizes = {"n": n, "beta": beta, "gamma": g, "smoothness": 1.0, "label_bound": Y}
            for square in (0.0, 1.0, log(bounds.exponential_moment(beta=beta)), K, 2 * K):
                M, room = (Y + g * sqrt(square / 2)) ** 2, log(bounds.exponential_moment(beta=beta))
                most = 1.0 if square <= room else exp(room + log1p(-exp(-room)) - square - log1p(-exp(-square)))
                for share in (1.0, 1e-3):
                    p = most * share
                    yield sizes | {"Z^2": square, "p": p}, p * M**2, bounds.second_moment(population=p * M, **sizes)


@inequality_claim(bounds.largest_mean, given=[bounds.exponential_moment], tightness=equality)
def largest_expected_loss():
    """E l for one |Z| and for two, at the largest E exp(Z^2); equality at n = 1."""
    for n, beta, g, Y in product((1, 100), (0.9, 0.05, 1e-9), (1e-3, 1.0, 30.0), (0.1, 10.0)):
        sizes = {"n": n, "beta": beta, "gamma": g, "smoothness": 1.0, "label_bound": Y}
        for p in (1.0, 0.5, 0.01):
            square = log1p((bounds.exponential_moment(beta=beta) - 1) / p)
            mean = p * (Y + g * sqrt(square / 2)) ** 2 + (1 - p) * Y**2
            yield sizes | {"p": p}, mean, bounds.largest_mean(**sizes)


@inequality_claim(bounds.lower_deviation, control=Control("the deviation divided by {}", (1.2, 2)))
def light_samples(*, factor=1):
    """P(L - L^ >= deviation) for losses 0 and 1, exactly."""
    for n, b, p in product((1, 10, 1000, 10**5), (0.5, 0.05, 1e-6), (0.5, 0.1, 1e-3)):
        level = bounds.lower_deviation(n=n, b=b, second_moment=p) / factor
        yield {"n": n, "b": b, "p": p}, chance_below(n, p, 1.0, level, 1.0), b


@inequality_claim(bounds.split_deviation, given=[bounds.second_moment, bounds.largest_mean])
def root_of_the_second_moment():
    """sqrt(2 K E l^2 / n) with t2's E l^2; equality at L = Y^2 as gamma tends to 0."""
    for sizes, L in places():
        K, moment = bounds.logarithm(n=sizes["n"], beta=sizes["beta"]), bounds.second_moment(population=L, **sizes)
        deviation = bounds.lower_deviation(n=sizes["n"], b=exp(-K), second_moment=moment)
        yield sizes | {"L": L}, deviation, bounds.split_deviation(population=L, **sizes)


@inequality_claim(bounds.solved, steps=[Step("algebra")], note="equality at a = (1 − T²)‖Y‖²")
def largest_solution():
    """The root of L = a + 2 T Y sqrt L."""
    for a, T, label_bound in product((0.0, 0.19, 100.0), (0.0, 0.1, 0.9, 30.0), (0.1, 1.0, 10.0)):
        largest = (T * label_bound + sqrt(T**2 * label_bound**2 + a)) ** 2
        setting = {"a": a, "T": T, "label_bound": label_bound}
        yield setting, largest, bounds.solved(**setting)


# The printed steps ----------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.all_below,
    severity="constant",
    python="""
from lemmata.bounds.abgmu22.concentration import all_below
n, beta = 20, 0.05       # each loss exceeds Delta with probability beta = 0.05, independently
assert all_below(n=n, beta=beta) > 0.98 and (1 - beta) ** n < 0.36
""",
    note=(
        "the hypothesis bounds the loss of one record by Δ with probability 1 − β, but the step concludes "
        "this for all n records at once. It is true with Δ(γ, β/(4n)) for Δ. The available text does not "
        "define the macro, so we read this Δ as that of the hypothesis. U contains no Δ, V does not need "
        "it, and the theorem on boosting takes Δ(γ, β/2)"
    ),
)
def all_losses_below():
    """(1 - beta)^n against what is claimed."""
    for n, beta in product((20, 1, 1000), (Fraction(1, 20), Fraction(1, 2))):
        yield {"n": n, "beta": beta}, Fraction(bounds.all_below(n=n, beta=beta)), (1 - beta) ** n


@inequality_claim(
    bounds.all_below_corrected,
    control=Control("each loss exceeds with {} times p", (1.01, 2)),
    steps=[Step("Bernoulli's inequality")],
)
def all_losses_below_by_union(*, factor=1):
    """Independent losses."""
    for n, p in product((1, 20, 1000), (1e-6, 1e-3)):
        yield {"n": n, "one_above": p}, bounds.all_below_corrected(n=n, one_above=p), (1 - p * factor) ** n


def two_sided(n, p, t):
    """P(|count/n - p| > t), or a hair less."""
    return at_least(n, p, floor((p + t) * n * (1 + HAIR)) + 1) + at_most(n, p, ceil((p - t) * n * (1 - HAIR)) - 1)


COINS = grid(n=[1, 10, 300, 10_000], p=[0.5, 0.1, 0.01])


@inequality_claim(
    bounds.bernstein_tail,
    severity="constant",
    misprint="read 2 exp for exp, as the next step's log(2/β) does",
    python="""
from math import isclose
from lemmata.bounds.abgmu22.concentration import bernstein_tail
variance = 0.25          # n = 1, l is 0 or 1: |L - L^| = 1/2 surely, E (L - L^)^2 = 1/4
assert bernstein_tail(n=1, variance=variance, loss_bound=1.0, t=0.49) < 1
""",
    note="both tails are bounded, and the factor 2 for them is missing",
)
def both_tails_at_once():
    """Losses 0 and 1, exactly."""
    return bernstein(bounds.bernstein_tail)


def bernstein(statement):
    """(setting, exact two-sided tail, the statement at t), losses 0 and 1."""
    for coin in COINS:
        n, p = coin["n"], coin["p"]
        variance = p * (1 - p) / n
        for t in (0.49 / n, sqrt(variance), 3 * sqrt(variance), 3 / n):
            yield coin | {"t": t}, two_sided(n, p, t), statement(n=n, variance=variance, loss_bound=1.0, t=t)


@inequality_claim(
    bounds.bernstein_tail_corrected,
    given=["abgmu22.thm.grid.s4/corrected/above"],
    caught=(1.25, 1.5, 2),
    note="the factor 2 as such is loose: at n = 1, t → 1/2 both tails are 1 and the bound is 1.48",
)
def both_tails():
    """The same coins."""
    return bernstein(bounds.bernstein_tail_corrected)


def deviations(statement, coins=COINS, factor=1):
    """(setting, exact chance of a larger deviation, beta)."""
    for coin, beta in product(coins, (0.05, 0.01, 1e-6)):
        n, p = coin["n"], coin["p"]
        t = statement(n=n, beta=beta, variance=p * (1 - p) / n, loss_bound=1.0)
        yield coin | {"beta": beta}, two_sided(n, p, t / factor), beta


@inequality_claim(
    bounds.deviation,
    severity="constant",
    python="""
from math import sqrt
from lemmata.bounds.abgmu22.concentration import deviation
from lemmata.bounds.exact.binomials import at_most
n = 10**6                # fair coins: E (L - L^)^2 = 1/(4n)
t = deviation(n=n, beta=0.05, variance=0.25 / n, loss_bound=1.0)
assert 2 * at_most(n, 0.5, int(n / 2 - n * t) - 1) > 0.05   # as claimed
""",
    finding="the 2 under the root of √(2 E log(2/β)) is missing",
    note="Bernstein's inequality solved for t has √(2 E log(2/β)), so the 2 under the root is missing",
)
def this_gives_too_little():
    """Fair coins, where the first term vanishes."""
    return deviations(bounds.deviation, grid(n=[10**6, 1000], p=[0.5]))


@inequality_claim(bounds.deviation_corrected, given=[bounds.bernstein_tail_corrected])
def this_gives():
    """The root of the corrected tail at beta, with equality at variance 0 and at Delta = 0; and exact deviations."""
    for n, beta in product((1, 100, 10**6), (0.9, 0.05, 1e-9)):
        for variance, D in ((1.0, 0.0), (0.0, 1.0), (0.3, 2.0), (1e-6, 5.0)):
            t = bounds.deviation_corrected(n=n, beta=beta, variance=variance, loss_bound=D)
            tail = bounds.bernstein_tail_corrected.theorem.formula(n=n, variance=variance, loss_bound=D, t=t)
            yield {"n": n, "beta": beta, "variance": variance, "D": D}, -log(beta / 2), -log(tail / 2)
    yield from ((s, float(left), right) for s, left, right in deviations(bounds.deviation_corrected))


LAWS = [  # (values, their chances)
    ((Fraction(0), Fraction(3)), (Fraction(1, 2), Fraction(1, 2))),
    ((Fraction(1), Fraction(2), Fraction(7)), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))),
    ((Fraction(-2), Fraction(2)), (Fraction(1, 2), Fraction(1, 2))),  # of mean 0: equality
]


@inequality_claim(bounds.variance_bound, note="equality for losses of mean 0")
def variance_of_a_mean():
    """E (L - L^)^2 by enumeration of all samples of up to four records."""
    for values, chances in LAWS:
        mean = sum(v * c for v, c in zip(values, chances, strict=True))
        for n in (1, 2, 4):
            total = Fraction(0)
            for sample in product(range(len(values)), repeat=n):
                weight = np.prod([chances[i] for i in sample], dtype=object)
                total += weight * (sum(values[i] for i in sample) / n - mean) ** 2
            moment = sum(v**2 * c for v, c in zip(values, chances, strict=True))
            yield {"values": values, "n": n}, total, bounds.variance_bound(n=n, second_moment=moment)


@inequality_claim(
    bounds.second_moment_split,
    steps=[Step("(a + b)² ≤ 2a² + 2b²")],
    note="(a + b)² ≤ 2a² + 2b², equality at ℓ(w) = 2ℓ(0)",
)
def squares_split():
    """The largest E l(w)^2, by Minkowski's inequality that of l(w) - l(0) in proportion to l(0)."""
    for moved, at_zero in product((0.0, 1.0, 9.0), repeat=2):
        setting = {"moved": moved, "at_zero": at_zero}
        yield setting, (sqrt(moved) + sqrt(at_zero)) ** 2, bounds.second_moment_split(**setting)


if __name__ == "__main__":
    run_script(__file__)
