"""Theorem 4.1 of Bassily, Mohri & Suresh (2022): random Fourier features on m points.

Truth comes from three places: transforms in ball arithmetic (`lemmata.experiments.instances.laws.kernel_transforms`),
kernels whose features are coins, so that failure probabilities are binomial tails
(`lemmata.experiments.instances.laws.atomic_kernels`), and fresh frequencies of
`lemmata.mechanisms.features.random_features`.
"""

import itertools
import math

import numpy as np
from flint import arb, fmpz_poly

from lemmata.bounds.bms22 import kernel_learner, random_features as bounds
from lemmata.bounds.exact.balls import enclosure, exact
from lemmata.bounds.exact.numbers import sqrt
from lemmata.bounds.theorem import integer
from lemmata.experiments.checks import (
    Control,
    Step,
    exact_claim,
    grid,
    holds,
    identity_claim,
    inconclusive,
    inequality_claim,
    order_claim,
    refuted,
    run_script,
    tail_claim,
    up_to_one,
    witness,
)
from lemmata.experiments.instances.classes.counted_operations import fastfood_operations
from lemmata.experiments.instances.laws import atomic_kernels
from lemmata.experiments.instances.laws.kernel_transforms import compare_pair, density, profile as table_profile
from lemmata.mechanisms.features.random_features import FourierMap, frequencies, gram, profile as kernel_profile

# Theorem 4.1 ----------------------------------------------------------------------------------------------------------


@identity_claim(
    bounds.feature_norm,
    control=Control("features scaled by {}", (1.001, 2)),
    rounding=1e-9,
    note="a polynomial identity. On extreme inputs our map is within 10⁻⁹ of r",
)
def norms_are_r(*, factor=1):
    """Our map on extreme inputs; then cos^2 + sin^2 = 1 in Z[t] with t = tan(angle / 2), all D terms at once."""
    rng = np.random.default_rng(0)
    for count, radius, size in itertools.product((1, 2, 1000), (1e-100, 0.5, 3.0, 1e100), (0.0, 1.0, 1e12)):
        features = FourierMap(rng.standard_cauchy((count, 3)), radius)
        for norm in factor * np.linalg.norm(features(size * rng.normal(size=(5, 3))) / radius, axis=1):
            yield {"D": count, "r": radius, "size": size}, norm, bounds.feature_norm(radius=radius) / radius
    t = fmpz_poly([0, 1])
    if (1 - t**2) ** 2 + (2 * t) ** 2 != (1 + t**2) ** 2:
        return inconclusive("FAILED", "the polynomial identity does not hold")


M = np.array([2, 3, 5, 10, 100, 10**4, 10**6, 10**9])
BETA = np.array([1e-9, 1e-6, 1e-3, 0.05, 0.5, 0.9, 0.999])
COUNT = np.array([1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512, 1024])
CORNERS = ((2, 1e-300, 1), (2, 1 - 2**-53, 7), (3, 0.5, 2), (10**3, 0.999, 5), (10**12, 0.05, 10**6), (99, 1e-9, 100))


def worst_signs(error, thinned):
    """The largest failure probability / beta of the sign kernel at error(m, beta, D), with D / thinned frequencies.

    Returns (a proved lower bound, setting): floats search, balls prove.
    """
    m, beta, count = np.meshgrid(M, BETA, COUNT, indexing="ij")
    used = np.maximum(1, count // thinned)
    tails = atomic_kernels.signs_tail(used, error(m=m, beta=beta, count=count))
    ratios = atomic_kernels.some_pair(m, tails) / beta
    largest_at = np.unravel_index(np.argmax(ratios), ratios.shape)
    setting = {"m": int(m[largest_at]), "beta": float(beta[largest_at]), "count": int(count[largest_at])}
    t = error(m=setting["m"], beta=exact(setting["beta"]), count=setting["count"])
    one = atomic_kernels.signs_tail_ball(used[largest_at], t)
    return enclosure(atomic_kernels.some_pair(arb(setting["m"]), one) / exact(setting["beta"]))[0], setting


def exponents(error):
    """(D t^2 / 2 at the error r^2 t, r = 3, m, beta) at corners, in balls: Hoeffding's exponent for one pair."""
    balls = [(m, exact(beta), count) for m, beta, count in CORNERS]
    return [(exact(D) * (error(m=m, beta=beta, count=D, radius=3) / 9) ** 2 / 2, m, beta) for m, beta, D in balls]


@inequality_claim(
    bounds.inner_product_error,
    control=Control("D / {} frequencies", (1.25, 2, 3, 5, 10)),
    tightness=up_to_one,
    given=[bounds.mean_inner_product, bounds.one_pair_tail, bounds.all_pairs_tail],
    nonvacuous_from=lambda: math.floor(math.log(2 / 0.05)) + 1,  # D at m = 2, beta = 0.05: the error is < 2 r^2
    note=(
        "a union bound over about m² pairs seems to need 2 log m where the proof has log(m/β). The "
        "constant 2 makes up for it, since D t²/2 = 2 log(m/β). The failure probability is below β² "
        "(m-1)/m for every D, m, β and kernel. For m = 1 there are no pairs"
    ),
)
def all_pairs_are_close(*, factor=1):
    """Union over pairs <= beta from the exponent of the formula; the sign kernel shows how much of beta is used.

    The exponent is 2 log(m/beta) (proved at the corners, and the formula is homogeneous); over `factor` it is
    e log(m/beta) with e = 2/factor. m (m-1) exp(-e log(m/beta)) <= beta for all m and beta exactly if e >= 2.
    """
    largest, setting = worst_signs(bounds.inner_product_error, factor)
    yield setting | {"left": "failure / beta"}, largest, 1
    ratios = [x / (m / beta).log() / exact(factor) for x, m, beta in exponents(bounds.inner_product_error)]
    if not all(ratio.overlaps(arb(2)) and ratio.rad() < 1e-25 for ratio in ratios):
        return inconclusive("BUDGET", f"the proof does not reach, the worst kernel uses {largest:.3g} of beta")
    counts = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
    errors = [bounds.inner_product_error(m=2, beta=0.9, count=c) for c in counts]
    return {
        "series": {
            "D": counts,
            "bound": [float(bounds.all_pairs_tail(m=2, beta=0.9))] * len(counts),
            "exact": [float(x) for x in atomic_kernels.signs_tail(counts, errors)],
        }
    }


@inequality_claim(
    bounds.inner_product_error_sharp,
    control=Control("union over 1/{} of the pairs", (1.25, 2, 5, 10, 30, 100)),
    tightness=up_to_one,
    given=[bounds.mean_inner_product, bounds.one_pair_tail],
    nonvacuous_from=lambda: math.floor(math.log(2 / 0.05) / 2) + 1,  # m = 2, beta = 0.05
)
def all_pairs_are_closer(*, factor=1):
    """m (m-1) exp(-D t^2/2) = beta: the exponent is log(m (m-1)/beta), less log(factor) with pairs forgotten."""

    def error(*, radius=1, **setting):
        t = bounds.inner_product_error_sharp(radius=radius, **setting)
        square = t**2 - 2 * math.log(factor) / setting["count"] * radius**4
        return sqrt(square if isinstance(square, arb) else np.maximum(square, 0))

    largest, setting = worst_signs(error, 1)
    yield setting | {"left": "failure / beta"}, largest, 1
    gaps = [x - (m * (m - 1) / beta).log() for x, m, beta in exponents(error)]
    if not all(gap.contains(0) and gap.rad() < 1e-20 for gap in gaps):
        return inconclusive("BUDGET", f"the proof does not reach, the worst kernel uses {largest:.3g} of beta")


def spread_points(m, d):
    """m fixed points: distances from 0.01 to about 10 in d dimensions, two of them equal."""
    X = np.random.default_rng(m).normal(size=(m, d)) * np.geomspace(0.01, 3, m)[:, None]
    X[-1] = X[0]
    return X


@tail_claim(
    bounds.inner_product_error,
    law="fourier_map",
    quick=(
        {"kernel": "gaussian", "m": 20, "d": 3, "count": 500, "radius": 3.0, "bandwidth": 0.5, "beta": 0.1},
        {"kernel": "laplacian", "m": 20, "d": 3, "count": 50, "radius": 0.1, "bandwidth": 2.0, "beta": 0.9},
    ),
    full=grid(
        kernel=["gaussian", "laplacian", "cauchy"],
        m=[2, 50],
        d=[10],
        count=[50, 500],
        radius=[1.0],
        bandwidth=[1.0],
        beta=[0.05],
    ),
    control=Control("frequencies of a bandwidth {} times too large", (1.5, 2, 4)),
    chunk=100,
    cap=5,
    cost=6e-4,
    expect=2e-4,  # the error is about 5 standard deviations of every pair or more
)
def our_features_are_far(rng, size, *, kernel, m, d, count, radius, bandwidth, beta, factor=1):
    """Fresh frequencies a trial: is any of the pairs further from the kernel than the printed error?"""
    X = spread_points(m, d)
    exact_gram = radius**2 * kernel_profile(kernel, X[:, None] - X[None], bandwidth=bandwidth)
    allowed = bounds.inner_product_error(m=m, beta=beta, count=count, radius=radius)
    failed = np.empty(size, dtype=bool)
    for trial in range(size):
        omega = frequencies(kernel, d, count, rng=rng, bandwidth=bandwidth * factor)
        failed[trial] = np.abs(gram(X, [omega], radius=radius) - exact_gram).max() > allowed
    return failed


# The proof ------------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.mean_inner_product,
    control=Control("frequencies multiplied by {}", (1.01, 2)),
    cites=("Bochner's theorem",),
    cost=0.2,
)
def inner_products_are_unbiased(*, factor=1):
    """All 3^3 draws of a three-atom law through our map; then E cos against the kernel for the three spectral laws."""
    p, atoms, weights = 0.3, np.array([0.0, 1.3, -1.3]), np.array([0.4, 0.3, 0.3])
    X, mean = np.array([[0.0], [0.7], [2.0], [-40.0]]), np.zeros((4, 4))
    for draw in itertools.product(range(3), repeat=3):
        images = FourierMap(factor * atoms[list(draw)][:, None], 2.0)(X)
        mean += weights[list(draw)].prod() * (images @ images.T)
    cosines = 1 - 2 * p + 2 * p * np.cos(1.3 * (X - X.T))
    gap = float(np.abs(mean - bounds.mean_inner_product(mean_cosine=cosines, radius=2.0)).max())
    rows = [
        comparison
        for kernel in ("rbf", "laplacian", "cauchy")
        for comparison in compare_pair(density(kernel, "corrected"), table_profile(kernel, "corrected"), 1, factor)
    ]
    if gap > 1e-9 or any(c.apart for c in rows):
        return refuted("enumeration", witness.inequality({}, gap, 1e-9, claimed="E <psi, psi'> = K"))
    if all(c.equal for c in rows):
        return holds("derivation", "everywhere", tightness=(1.0, 1.0))
    return inconclusive("BUDGET", "balls too wide")


@inequality_claim(
    bounds.one_pair_tail,
    control=Control("exponent D t^2/2 times {}", (1.1, 1.5, 2, 4)),
    tightness=up_to_one,
    note="by Hoeffding's inequality (1963). The sign kernel is nearly its worst case",
)
def hoeffding_covers_one_pair(*, factor=1):
    """L'' = 4 w (1 - w) <= 1 as 1 - 4 w (1 - w) = (1 - 2w)^2 in Z[w]; then binomial tails at all their atoms."""
    largest = []
    for count, p in itertools.product((1, 2, 3, 7, 20, 100, 1000), (0.5, 0.3, 0.1, 0.01)):
        t = 2 * np.abs(np.arange(count + 1) / count - p)
        tail = atomic_kernels.coin_tail(count, p, t / 2 * (1 - 1e-9))
        t, logs = t[tail > 1e-200], np.log(tail[tail > 1e-200] / 2)
        log_ratios = logs + factor * count * t**2 / 2  # one_pair_tail itself may underflow
        largest.append(log_ratios.max())
        for chosen in (np.argmax(log_ratios), np.argmin(np.abs(logs + 5))):  # the worst level, and a middling one
            truth = atomic_kernels.coin_tail_ball(count, p, 1.0, t[chosen] * (1 - 1e-12))
            allowed = bounds.one_pair_tail(count=count, t=exact(t[chosen] * math.sqrt(factor)))
            yield {"count": count, "p": p, "t": t[chosen]}, truth, allowed
    log_ratio = max(largest)
    w = fmpz_poly([0, 1])
    if 1 - 4 * w * (1 - w) != (1 - 2 * w) ** 2 or log_ratio >= 1e-6:
        return inconclusive("BUDGET", f"the largest log-ratio is {log_ratio}")


@inequality_claim(
    bounds.all_pairs_tail,
    over=[integer("count")],
    control=Control("{} times as many pairs", (1.01, 2, 4)),
    steps=[Step("exp(-2 log(m/β)) = (β/m)², and β (m - 1)/m ≤ 1")],
    tightness=up_to_one,
    note="with all m² ordered pairs the sum would exceed β for β > 1/2. But the error is symmetric in the pair",
)
def union_bound_fits(*, factor=1):
    """What one pair's bound at the printed error sums to, and that it is at most beta."""
    for m, beta, count in itertools.product((1, 2, 99), (1e-9, 0.5, 0.999), (1, 10**6)):
        setting = {"m": m, "beta": beta, "count": count}
        claimed = bounds.all_pairs_tail(m=m, beta=beta)
        t = bounds.inner_product_error(m=m, beta=beta, count=count)
        total = factor * m * (m - 1) / 2 * bounds.one_pair_tail(count=count, t=t)
        yield setting, total, claimed
        yield setting | {"of": "no more"}, claimed, beta


# Section 4: Bochner's theorem -----------------------------------------------------------------------------------------


@inequality_claim(
    bounds.doubled_gap,
    quick=grid(whole=[False]),
    severity="statement",
    corner=bounds.WHOLE,
    finding="a kernel on a part of ℝᵈ may have no spectral distribution",
    python="""import numpy as np
from lemmata.bounds.bms22.random_features import doubled_gap
X = (0, 1, 3)  # a shift-invariant kernel on three points: 1 at distances 0 and 1, 0 at distances 2 and 3
K = {0: 1.0, 1: 1.0, 2: 0.0, 3: 0.0}
assert np.linalg.eigvalsh([[K[abs(x - z)] for x in X] for z in X]).min() > -1e-9  # positive-definite: 0, 1, 2
assert 1 - K[2] > doubled_gap(kernel=K[1], whole=False)""",
    note="K̄(1) = 1 makes cos ω = 1 almost surely, and so K̄(2) = 1. Every kernel that the paper names is defined on "
    "all of ℝᵈ; for balls in two and more dimensions it is Rudin's extension problem",
)
def kernel_of_three_points(*, whole):
    """X = {0, 1, 3}, K_bar = 1 at 0 and 1, and 0 at 2 and 3: the Gram matrix has the eigenvalues 0, 1 and 2."""
    gram = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    if sorted(np.linalg.eigvalsh(gram).round(9)) != [0, 1, 2]:
        return inconclusive("FAILED", "the kernel is not positive-definite")
    yield {"X": "0, 1, 3", "z": 1, "whole": whole}, 1, bounds.doubled_gap(kernel=1, whole=whole)


@inequality_claim(bounds.doubled_gap_on_space, scope="everywhere", rounding=1e-12)
def kernels_on_the_line():
    """Gaussian, Laplacian and Cauchy kernels on the line, and two frequencies, at many distances."""
    for z in np.geomspace(1e-3, 30, 200):
        for kernel in (lambda t: np.exp(-(t**2) / 2), lambda t: np.exp(-t), lambda t: 1 / (1 + t**2), np.cos):
            yield {"z": z}, 1 - kernel(2 * z), bounds.doubled_gap_on_space(kernel=kernel(z), whole=True)


@identity_claim(
    bounds.mass_on_the_records,
    severity="statement",
    misprint="read ℝᵈ for 𝒳 under the integral, as Bochner's theorem has it",
    python="""from math import erf
from lemmata.bounds.bms22.random_features import mass_on_the_records
share = erf(1 / 2**0.5)  # P is N(0, 1), the law of the Gaussian kernel, and X = [-1, 1]
assert abs(1 - mass_on_the_records(share=share)) > 0.01  # K_bar(0) = 1""",
    note="𝒳 holds the records, and the frequencies are in all of ℝᵈ",
)
def frequencies_beyond_the_records():
    """The Gaussian kernel on [-1, 1]: a third of its frequencies lie outside."""
    yield {"kernel": "Gaussian", "X": "[-1, 1]"}, 1.0, bounds.mass_on_the_records(share=math.erf(1 / 2**0.5))


@identity_claim(bounds.mass_on_space, scope="everywhere", rounding=1e-12)
def all_frequencies():
    """The mass of the normal law on growing balls, up to one that holds all of it."""
    yield {"radius": 10}, math.erf(10 / 2**0.5), bounds.mass_on_space()


# Section 4: Fastfood --------------------------------------------------------------------------------------------------


@order_claim(
    bounds.fastfood_order,
    family="the D = m² log(2m/β) features of Algorithm 3 of one record, d = 1,000, β = 0.1, m → ∞",
    severity="constant",
    finding="its time is that of D features, not of m records",
    python="""from lemmata.bounds.bms22.kernel_learner import printed_frequencies
from lemmata.bounds.bms22.random_features import fastfood_order
# A record has D features, and each of them has to be written: at least D operations, at the D of Algorithm 3.
ratios = [printed_frequencies(m=m, beta=0.1) / fastfood_order(m=m, d=1000) for m in (10**3, 10**6, 10**9)]
assert ratios[2] > 900 * ratios[1] > 810000 * ratios[0] > 810000""",
    note="the method of Le, Sarlós and Smola (2013) takes D log d operations for D features instead of D d. Here m is "
    "the size of the sample, and the number D of features is above m²",
)
def every_feature_is_written():
    """The number of features of Algorithm 3, which is a lower bound of the time, over the printed order."""
    for m in (10**3, 10**6, 10**9):
        features = kernel_learner.printed_frequencies(m=m, beta=0.1)
        yield {"m": m, "d": 1000, "beta": 0.1}, features, bounds.fastfood_order(m=m, d=1000)


@order_claim(
    bounds.fastfood_order_of_features,
    constant=8.2,
    note=(
        "the largest ratio is at d = 17 and one feature. The operations of our code are counted while it "
        "runs, and the formula is checked up to d = 2⁴⁰ and D = 10¹⁵"
    ),
)
def fastfood_counted():
    """The operations of our Fastfood for one record, and the formula of the derivation, which d and D do not end."""
    for d, count in itertools.product((2, 3, 5, 9, 17, 33, 65, 129, 200), (1, 2, 40, 700)):
        operations = fastfood_operations(d, count)
        yield {"d": d, "D": count}, operations, bounds.fastfood_order_of_features(count=count, d=d)
        if operations != blocks_cost(d, count):
            return inconclusive("FAILED", f"{operations} operations are counted at d = {d}, D = {count}")
    for d in (*range(2, 300), *(2**j + i for j in range(9, 41) for i in (-1, 0, 1))):
        for count in (1, d, d + 1, 2 * d, 2 * d + 1, 10**6, 10**15):
            yield {"d": d, "D": count}, blocks_cost(d, count), bounds.fastfood_order_of_features(count=count, d=d)


def blocks_cost(d, count):
    """ceil(D/h) blocks of width h, a power of 2, of 2 h log2 h sums and 3 h products each."""
    bits = max(1, (d - 1).bit_length())
    return -(-count // 2**bits) * 2**bits * (2 * bits + 3)


if __name__ == "__main__":
    run_script(__file__)
