"""Does the empirical loss concentrate as abgmu22's Appendix E says? The lemma, decided on exact binomial laws.

Losses take the values 0 and M, M with probability p: n of them add up to M times a binomial count. With w = 0, which is
gamma^2-sub-Gaussian for every gamma, M = Y^2; with a fixed w of length gamma sqrt(log 2), M = (Y + g sqrt(log(2)/2))^2
for the loss (Y + w sqrt(H/2))^2; with random signs for w in d dimensions and the loss H |w|^2 / 2, which is no
generalized linear one, M = 3 g^2 d/16.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, exp, floor, log, log1p, sqrt

import numpy as np

from bounds.abgmu22 import concentration as bounds
from bounds.exact.binomials import at_least, at_most
from experiments.checks import equality, identity_claim, inequality_claim
from experiments.engine.claim import Control, grid, script

HAIR = 1e-12
SHARES = (0.5, 0.05, 1e-3, 1.2e-6)  # p


def largest_loss(world, *, gamma, smoothness, label_bound):
    """M of the three worlds."""
    g = gamma * sqrt(smoothness)
    if world == "w = 0":
        return label_bound**2
    if world == "w fixed":
        return (label_bound + g * sqrt(log(2) / 2)) ** 2
    return 3 * g**2 * world / 16  # random signs in `world` dimensions


def chance_above(n, p, M, level):
    """P(M count/n > level), or a hair more."""
    return at_least(n, p, floor(level * n / M * (1 - HAIR)) + 1)


def chance_below(n, p, M, intercept, slope):
    """P(p M > intercept + slope M count/n), or a hair more."""
    last = floor((p * M * (1 + HAIR) - intercept) * n / (slope * M))
    return at_most(n, p, min(last, n)) if last >= 0 else at_most(n, p, -1)


def worlds(label_bound, dimensions=()):
    """(setting, p, M): n, beta, gamma and H = 1, with losses 0 and M."""
    for n, beta, gamma in product((1000, 1, 20_000), (0.05, 1e-6), (1e-3, 0.1, 1.0, 400.0)):
        sizes = {"gamma": gamma, "smoothness": 1.0, "label_bound": label_bound}
        for world, p in product(("w = 0", "w fixed", *dimensions), SHARES):
            yield {"n": n, "beta": beta} | sizes | {"world": world, "p": p}, p, largest_loss(world, **sizes)


def stated(setting):
    """The arguments of the statement among those of a setting."""
    return {name: x for name, x in setting.items() if name not in ("world", "p")}


ABOVE = """
from bounds.abgmu22.concentration import empirical_level
from bounds.exact.binomials import at_least
n, Y = 1000, 10.0        # w = 0, and l(0) is 0 or Y^2 = 100 with probability 1/2 each
level = empirical_level(n=n, beta=0.05, gamma=1e-3, smoothness=1.0, label_bound=Y, population=Y**2 / 2)
assert level < 50.7 and at_least(n, 0.5, 507) > 0.33   # 507 losses of 100 have the mean 50.7
"""

BELOW = """
from bounds.abgmu22.concentration import population_level
from bounds.exact.binomials import at_most
n, Y = 20_000, 10.0      # w = 0, and l(0) is 0 or Y^2 = 100 with probability 1/2 each: L = 50, Delta = 100
sizes = dict(n=n, beta=0.05, gamma=1e-3, smoothness=1.0, label_bound=Y, loss_bound=Y**2)
assert population_level(empirical=100 * 9962 / n, **sizes) < 50 and at_most(n, 0.5, 9962) > 0.29
"""


@inequality_claim(
    bounds.empirical_level,
    quick=grid(label_bound=[10.0, 1.0, 0.1]),
    severity="statement",
    python=lambda *_: ABOVE,
    cost=0.4,
    note="three errors. Units: ‖Y‖ stands for ‖Y‖², and the lemma fails for large ‖Y‖ as γ → 0 (for sℓ, s large, the "
    "term vanishes beside the others). No term with Δ: ‖Y‖ = 1, γ√H̃ = 400, β = 10⁻⁶, n = 1. "
    "Not only for generalized linear losses: with H̃‖w‖²/2 the loss grows with the dimension and the bound does not "
    "(‖Y‖ = 1, γ√H̃ = 0.1, d = 10⁶, n = 1000, β = 0.05)",
)
def empirical_losses_above(*, label_bound):
    """The exact chance of exceeding the printed level, in all three worlds."""
    for setting, p, M in worlds(label_bound, dimensions=(10**6,)):
        level = bounds.empirical_level(population=p * M, **stated(setting))
        yield setting, chance_above(setting["n"], p, M, level), setting["beta"]


@inequality_claim(
    bounds.population_level,
    quick=grid(label_bound=[10.0, 1.0, 0.1]),
    severity="statement",
    python=lambda *_: BELOW,
    cost=0.4,
    note="the same unit error, ‖Y‖ for ‖Y‖², and the same restriction to generalized linear losses; the term with Δ is "
    "not needed on this side. Δ is the largest loss here, which meets the hypothesis for every β",
)
def expected_losses_above(*, label_bound):
    """The exact chance that the expected loss exceeds the printed level."""
    for setting, p, M in worlds(label_bound, dimensions=(10**6,)):
        levels = [bounds.population_level(empirical=x, loss_bound=M, **stated(setting)) for x in (0.0, 1.0)]
        yield setting, chance_below(setting["n"], p, M, levels[0], levels[1] - levels[0]), setting["beta"]


# What is true: the chain ----------------------------------------------------------------------------------------------

CHAIN = [
    bounds.exponential_moment,
    bounds.second_moment,
    bounds.largest_mean,
    bounds.variance_bound,
    bounds.split_deviation,
]
POINTS = grid(n=[1, 30, 10**4, 10**9], beta=[0.9, 0.05, 1e-9], gamma=[1e-9, 0.1, 1.0, 50.0], smoothness=[4.0])


def places():
    """(sizes, L): sample sizes, scales, units, and expected losses up to the largest there are."""
    for point in POINTS:
        for Y in (0.1, 1.0, 10.0):
            sizes = point | {"label_bound": Y}
            for share in (0.0, 1e-3, 0.3, 1.0):
                yield sizes, share * bounds.largest_mean(**sizes)


@inequality_claim(
    bounds.empirical_level_corrected,
    given=[*CHAIN, bounds.deviation_corrected],
    caught=(1.01, 2),
    rounding=1e-12,
    cost=0.4,
    note="the logarithm is log(8n/β) for log(4/β), which our derivation needs: whether it must contain n is open",
)
def steps_above():
    """The chain from t2 and s3 to the statement, the statement from its steps, and exact laws at its own beta."""
    for sizes, L in places():
        n, K, Y = sizes["n"], bounds.logarithm(n=sizes["n"], beta=sizes["beta"]), sizes["label_bound"]
        T = bounds.true_slope(**sizes)
        for D in (0.0, 7.0 * Y**2):
            claimed = bounds.empirical_level_corrected(population=L, loss_bound=D, **sizes)
            variance = bounds.variance_bound(n=n, second_moment=bounds.second_moment(population=L, **sizes))
            known = {"n": n, "beta": 2 * exp(-K), "loss_bound": D}
            yield sizes | {"L": L, "D": D}, L + bounds.deviation_corrected(variance=variance, **known), claimed
            at_rest = bounds.split_deviation(population=0.0, **sizes) + T * Y**2  # e sqrt L <= T L + T Y^2
            steps = (1 + T) * L + at_rest + bounds.deviation_corrected(variance=0.0, **known)
            yield sizes | {"L": L, "D": D, "of": "steps"}, steps, claimed
            yield sizes | {"L": L, "D": D, "of": "statement"}, claimed, steps
    for label_bound in (0.1, 1.0, 10.0):
        for setting, p, M in worlds(label_bound):
            level = bounds.empirical_level_corrected(population=p * M, loss_bound=M, **stated(setting))
            yield setting, float(chance_above(setting["n"], p, M, level)), setting["beta"]


@inequality_claim(
    bounds.population_level_corrected,
    given=[*CHAIN, bounds.lower_deviation, bounds.solved],
    caught=(1.01, 2),
    rounding=1e-12,
    cost=0.4,
)
def steps_below():
    """The largest L with L <= L^ + its lower deviation, the statement from its steps, and exact laws."""
    for sizes, L in places():
        K, T, Y = bounds.logarithm(n=sizes["n"], beta=sizes["beta"]), bounds.true_slope(**sizes), sizes["label_bound"]
        moment = bounds.second_moment(population=L, **sizes)
        lost = bounds.lower_deviation(n=sizes["n"], b=exp(-K), second_moment=moment)
        if lost <= L:  # L^ = L - lost: the smallest empirical loss that the lower tail leaves
            yield sizes | {"L": L}, L, bounds.population_level_corrected(empirical=L - lost, **sizes)
        rest = bounds.split_deviation(population=0.0, **sizes)
        steps, claimed = (
            bounds.solved(a=L + rest, T=T, label_bound=Y),
            bounds.population_level_corrected(empirical=L, **sizes),
        )
        yield sizes | {"L^": L, "of": "steps"}, steps, claimed
        yield sizes | {"L^": L, "of": "statement"}, claimed, steps
    for label_bound in (0.1, 1.0, 10.0):
        for setting, p, M in worlds(label_bound):
            levels = [bounds.population_level_corrected(empirical=x, **stated(setting)) for x in (0.0, 1.0)]
            chance = chance_below(setting["n"], p, M, levels[0], levels[1] - levels[0])
            yield setting, float(chance), setting["beta"]


@inequality_claim(
    bounds.exponential_moment,
    caught=(2,),
    note="Markov's inequality; exp(Z²) ≥ 1 would give 1 + 4/β, and nothing nearer than that is caught",
)
def heavy_vectors():
    """A w that is 0, or with a chance just above beta/4 so long that E exp(Z^2) = 2: the moment it has then."""
    for beta in (Fraction(9, 10), Fraction(1, 20), Fraction(1, 10**6)):
        chance = beta / 4 * Fraction(1_000_001, 1_000_000)
        yield (
            {"beta": beta, "chance": chance},
            (2 - (1 - chance)) / chance,
            Fraction(bounds.exponential_moment(beta=beta)),
        )


@inequality_claim(
    bounds.second_moment,
    given=[bounds.exponential_moment],
    caught=(1.05, 2),
    note="the worst law has two values of |Z|; the ratio tends to 1 as β → 0 at ‖Y‖ = g√(K/2)",
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


@inequality_claim(bounds.largest_mean, given=[bounds.exponential_moment], rounding=1e-12, tightness=equality)
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


@inequality_claim(bounds.split_deviation, given=[bounds.second_moment, bounds.largest_mean], rounding=1e-12)
def root_of_the_second_moment():
    """sqrt(2 K E l^2 / n) with t2's E l^2; equality at L = Y^2 as gamma tends to 0."""
    for sizes, L in places():
        K, moment = bounds.logarithm(n=sizes["n"], beta=sizes["beta"]), bounds.second_moment(population=L, **sizes)
        yield (
            sizes | {"L": L},
            bounds.lower_deviation(n=sizes["n"], b=exp(-K), second_moment=moment),
            bounds.split_deviation(population=L, **sizes),
        )


@inequality_claim(bounds.solved, rounding=1e-12, note="equality at a = (1 − T²)‖Y‖²")
def largest_solution():
    """The root of L = a + 2 T Y sqrt L."""
    for T, Y in product((0.0, 0.1, 0.5, 1.0, 30.0), (0.1, 1.0, 10.0)):
        for a in (0.0, Y**2 * max(0.0, 1 - T**2), 0.1, 100.0):
            largest = (T * Y + sqrt(T**2 * Y**2 + a)) ** 2
            yield {"a": a, "T": T, "Y": Y}, largest, bounds.solved(a=a, T=T, label_bound=Y)


# The printed steps ----------------------------------------------------------------------------------------------------

ALL = """
from bounds.abgmu22.concentration import all_below
n, beta = 20, 0.05       # each loss exceeds Delta with probability beta = 0.05, independently
assert all_below(n=n, beta=beta) > 0.98 and (1 - beta) ** n < 0.36
"""


@inequality_claim(
    bounds.all_below,
    severity="statement",
    python=lambda *_: ALL,
    note="the hypothesis bounds one loss by Δ, this step all n of them. U has no Δ, V does not need it; the theorem on "
    "boosting takes Δ(γ, β/2)",
)
def all_losses_below():
    """(1 - beta)^n against what is claimed."""
    for n, beta in product((20, 1, 1000), (Fraction(1, 20), Fraction(1, 2))):
        yield {"n": n, "beta": beta}, Fraction(bounds.all_below(n=n, beta=beta)), (1 - beta) ** n


@inequality_claim(bounds.all_below_corrected, control=Control("each loss exceeds with {} times p", (1.01, 2)))
def all_losses_below_by_union(*, factor=1):
    """Independent losses, and losses of which at most one is large, where it is an equality."""
    for n, p in product((1, 20, 1000), (Fraction(1, 10**6), Fraction(1, 5000))):
        claimed = Fraction(bounds.all_below_corrected(n=n, one_above=p)).limit_denominator(10**9)
        yield {"n": n, "p": p}, claimed, (1 - p * Fraction(factor)) ** n
        yield {"n": n, "p": p, "of": "disjoint"}, claimed, 1 - n * p * Fraction(factor)


def two_sided(n, p, t):
    """P(|count/n - p| > t), or a hair less."""
    return at_least(n, p, floor((p + t) * n * (1 + HAIR)) + 1) + at_most(n, p, ceil((p - t) * n * (1 - HAIR)) - 1)


COINS = grid(n=[1, 10, 300, 10_000], p=[0.5, 0.1, 0.01])

TAILS = """
from math import isclose
from bounds.abgmu22.concentration import bernstein_tail
variance = 0.25          # n = 1, l is 0 or 1: |L - L^| = 1/2 surely, E (L - L^)^2 = 1/4
assert bernstein_tail(n=1, variance=variance, loss_bound=1.0, t=0.49) < 0.75
"""


@inequality_claim(
    bounds.bernstein_tail,
    severity="constant",
    python=lambda *_: TAILS,
    note="two tails and no factor 2; the next step has log(2/β), as if it were there",
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
    cites=("Bernstein's inequality",),
    caught=(2,),
    note="the factor 2 as such is loose: at n = 1, t → 1/2 both tails are 1 and the bound is 1.49",
)
def both_tails():
    """The same coins."""
    return bernstein(bounds.bernstein_tail_corrected)


DEVIATES = """
from math import sqrt
from bounds.abgmu22.concentration import deviation
from bounds.exact.binomials import at_most
n = 10**6                # fair coins: E (L - L^)^2 = 1/(4n)
t = deviation(n=n, beta=0.01, variance=0.25 / n, loss_bound=1.0)
assert 2 * at_most(n, 0.5, int(n / 2 - n * t) - 1) > 0.02   # claimed: 0.01
"""


def deviations(statement, coins=COINS, factor=1):
    """(setting, exact chance of a larger deviation, beta)."""
    for coin, beta in product(coins, (0.05, 0.01, 1e-6)):
        n, p = coin["n"], coin["p"]
        t = statement(n=n, beta=beta, variance=p * (1 - p) / n, loss_bound=1.0)
        yield coin | {"beta": beta}, two_sided(n, p, t / factor), beta


@inequality_claim(
    bounds.deviation,
    severity="constant",
    python=lambda *_: DEVIATES,
    note="Bernstein's inequality solved for t has √(2 E log(2/β)): the 2 under the root is lost",
)
def this_gives_too_little():
    """Fair coins, where the first term vanishes."""
    return deviations(bounds.deviation, grid(n=[10**6, 1000], p=[0.5]))


@inequality_claim(bounds.deviation_corrected, given=[bounds.bernstein_tail_corrected], rounding=1e-12)
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


@inequality_claim(bounds.variance_bound, evidence="derivation", note="equality for losses of mean 0")
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


@inequality_claim(bounds.second_moment_split, note="(a + b)² ≤ 2a² + 2b², equality at ℓ(w) = 2ℓ(0)")
def squares_split():
    """All pairs of small losses."""
    for at_w, at_zero in product(map(Fraction, range(7)), repeat=2):
        split = bounds.second_moment_split(moved=(at_w - at_zero) ** 2, at_zero=at_zero**2)
        yield {"l(w)": at_w, "l(0)": at_zero}, at_w**2, split


@identity_claim(bounds.units, rounding=1e-12)
def losses_in_other_units():
    """The corrected levels of s l, with sqrt(s) Y and s H, are s times those of l."""
    for point, Y, s in product(POINTS, (0.1, 10.0), (1e-4, 9.0, 1e6)):
        sizes, scaled = point | {"label_bound": Y}, point | {"label_bound": Y * sqrt(s)}
        scaled["smoothness"] = point["smoothness"] * s
        above = [
            bounds.empirical_level_corrected(population=x, loss_bound=x, **z)
            for x, z in ((3.0, sizes), (3 * s, scaled))
        ]
        below = [bounds.population_level_corrected(empirical=x, **z) for x, z in ((3.0, sizes), (3 * s, scaled))]
        for level in (above, below):
            yield sizes | {"s": s}, level[1], bounds.units(level=level[0], s=s)


if __name__ == "__main__":
    script(__spec__.name)
