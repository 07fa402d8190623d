"""Sums, means and moments: values in the clear, sensitivities, scales and laws of noise, and bits."""

from math import inf
from typing import Any

import numpy as np

from lemmata.experiments.audits.corpus.registry import (
    ADDED,
    ONE,
    RECORDS,
    ROWS,
    Rng,
    clipped,
    published,
    rounded,
    tidy,
    two_sided,
)
from lemmata.mechanisms.privacy import ZCDP, GaussianDP, PureDP, RenyiDP

# Values in the clear --------------------------------------------------------------------------------------------------


@published("opendp/smartnoise-sdk#317", "raw value", ONE, RECORDS)
def sum_without_bounds(x: Any, rng: Rng, mended: bool) -> Any:
    """Without bounds no sensitivity is known, and no noise is added. Mended: the bounds are 0 and 1."""
    return rounded(tidy(x).sum() + (rng.laplace() if mended else 0.0))


@published("opendp/opendp#2939", "raw value", ONE, RECORDS)
def count_of_numbers(x: Any, rng: Rng, mended: bool) -> Any:
    """The length is public, so the count of what is not missing is released as it is. Mended: with noise."""
    return int(np.isfinite(np.asarray(x, dtype=float)).sum()) + (two_sided(rng, 1.0) if mended else 0)


@published("google/differential-privacy#405", "raw value", ONE, RECORDS)
def not_a_number(x: Any, rng: Rng, mended: bool) -> Any:
    """NaN passes a clamp made of comparisons. Mended: it counts as 0."""
    return rounded((tidy(x) if mended else np.clip(x, 0.0, 1.0)).sum() + rng.laplace())


@published("opendp/smartnoise-sdk#622", "raw value", ONE, ROWS)
def second_moments(X: Any, rng: Rng, mended: bool) -> Any:
    """What was clipped and filled is not what is multiplied. Mended: it is; three moments in [0, 1] move by 3."""
    a, b = (tidy(X) if mended else np.asarray(X, dtype=float)).T
    return rounded(np.array([a @ a, a @ b, b @ b]) + rng.laplace(scale=3.0, size=3))


@published("google/dpsynth#34", "raw value", ONE, RECORDS)
def public_range(x: Any, rng: Rng, mended: bool) -> Any:
    """The exact ends of the data are released as metadata. Mended: the declared ends are."""
    x = tidy(x)
    ends = [0.0, 1.0] if mended else [x.min(initial=1.0), x.max(initial=0.0)]
    return [*ends, float(rounded(x.sum() + rng.laplace()))]


@published("privcount/privcount#400", "raw value", ONE, RECORDS)
def counter_without_sensitivity(x: Any, rng: Rng, mended: bool) -> Any:
    """A counter of sensitivity 0 makes the noise of all counters 0. Mended: each has its own."""
    sensitivity = np.array([1.0, 0.0])
    scale = sensitivity if mended else sensitivity * sensitivity.min()
    return rounded(np.array([tidy(x).sum(), 5.0]) + scale * rng.laplace(size=2))


@published("arXiv 2602.17454", "raw value", ONE, ROWS)
def network_of_all_columns(X: Any, rng: Rng, mended: bool) -> Any:
    """The scale is 2 (d - K), which is 0 where each of K = d columns is a parent. Mended: 2, as of a replaced cell."""
    a, b = (tidy(X) > 0.5).T
    scale = 2.0 if mended else 2.0 * (np.shape(X)[1] - 2)
    return rounded(np.bincount(2 * a + b, minlength=4) + scale * rng.laplace(size=4))


# Sensitivities --------------------------------------------------------------------------------------------------------


@published("opendp/smartnoise-sdk#201", "sensitivity", ONE, RECORDS)
def expression_after_the_clamp(x: Any, rng: Rng, mended: bool) -> Any:
    """A column is clamped and then multiplied, and its noise is for the clamp. Mended: three times as much."""
    return rounded((3 * tidy(x)).sum() + rng.laplace(scale=3.0 if mended else 1.0))


@published("opendp/smartnoise-core#356", "sensitivity", ADDED, RECORDS)
def mean_over_the_true_count(x: Any, rng: Rng, mended: bool) -> Any:
    """The number of records is private, and divides sum and noise. Mended: sum and count, half of epsilon each."""
    n, noise = len(x), rng.laplace(scale=2.0, size=2)
    return rounded(np.array([tidy(x).sum(), n]) + noise if mended else tidy(x).mean() + noise[:1] / (2 * n))


@published(
    "https://github.com/google/differential-privacy/blob/main/python/dp_auditorium/dp_auditorium/mechanisms/mean.py",
    "sensitivity", ADDED, RECORDS,
)  # fmt: skip
def mean_over_a_noisy_count(x: Any, rng: Rng, mended: bool) -> Any:
    """The noise of a quotient has the scale 2 / n, of the true n. Mended: sum and count have noise of their own."""
    total, count = tidy(x).sum(), len(x) + rng.laplace(scale=2.0)
    noise = rng.laplace(scale=2.0)
    return rounded((total + noise) / count if mended else total / count + noise / len(x))


@published("OpenMined/PipelineDP#57", "sensitivity", ADDED, RECORDS)
def squares_around_their_middle(x: Any, rng: Rng, mended: bool, bounds: tuple = (-1.0, 2.0)) -> Any:
    """Squares less their middle, 2.5, move by 1.5 only at an end. Mended: by 2.5, where the record is 0."""
    return rounded((tidy(x, *bounds) ** 2 - 2.5).sum() + rng.laplace(scale=2.5 if mended else 1.5))


@published("IBM/differential-privacy-library#105", "sensitivity", ADDED, RECORDS)
def square_of_the_lower_bound(x: Any, rng: Rng, mended: bool, bounds: tuple = (-1.0, 3.0)) -> Any:
    """The sensitivity of a square is taken at the lower bound twice. Mended: at the larger end, 9."""
    return rounded((tidy(x, *bounds) ** 2).sum() + rng.laplace(scale=bounds[mended] ** 2))


@published("vanderschaarlab/synthcity#278", "sensitivity", ONE, RECORDS)
def scaled_by_its_own_range(x: Any, rng: Rng, mended: bool) -> Any:
    """Columns are scaled by the ends that the data has. Mended: by the declared ones."""
    x = tidy(x)
    low, high = (0.0, 1.0) if mended else (x.min(), x.max())
    return rounded(((x - low) / max(high - low, 1e-9)).sum() + rng.laplace())


@published("google/differential-privacy#464", "sensitivity", RenyiDP((2, 8), (1.0, 4.0)), RECORDS)
def replaced_in_a_clipped_sum(x: Any, rng: Rng, mended: bool, bounds: tuple = (-1.0, 1.0)) -> Any:
    """A replaced record moves a sum clipped to 1 by 2. Mended: sigma = 2, order times 2^2 / (2 sigma^2)."""
    return rounded(tidy(x, *bounds).sum() + rng.normal(scale=2.0 if mended else 1.0))


@published("google/differential-privacy#87", "sensitivity", PureDP(1.0, "replace up to 2"), RECORDS)
def two_records_of_a_user(x: Any, rng: Rng, mended: bool) -> Any:
    """A user has two records, and the noise is for one. Mended: for both."""
    return rounded(tidy(x).sum() + rng.laplace(scale=2.0 if mended else 1.0))


@published("NVIDIA/NVFlare#462", "sensitivity", ONE, RECORDS)
def noise_within_the_clamp(x: Any, rng: Rng, mended: bool) -> Any:
    """Each weight is clamped when it has its noise, and not before. Mended: before too; a weight moves by 2."""
    weights = tidy(x, -1.0, 1.0) if mended else tidy(x, -1e9, 1e9)
    return rounded(np.clip(weights + rng.laplace(scale=2.0, size=len(weights)), -3.0, 3.0))


# Scales and laws of noise ---------------------------------------------------------------------------------------------


@published("opendp/smartnoise-core#316", "noise", GaussianDP(2.0), RECORDS)
def sigma_squared(x: Any, rng: Rng, mended: bool) -> Any:
    """A deviation is squared on its way to the sampler. Mended: sigma = 1/2 as it is."""
    return rounded(tidy(x).sum() + rng.normal(scale=0.5 if mended else 0.5**2))


@published("WICG/attribution-reporting-api#1329", "noise", PureDP(0.5), RECORDS)
def scale_upside_down(x: Any, rng: Rng, mended: bool) -> Any:
    """The scale is epsilon over the sensitivity. Mended: the sensitivity over epsilon."""
    return rounded(tidy(x).sum() + rng.laplace(scale=2.0 if mended else 0.5))


@published("DataResponsibly/DataSynthesizer#34", "noise", ONE, RECORDS)
def noise_of_a_share(x: Any, rng: Rng, mended: bool) -> Any:
    """The noise of shares, 2 / n, is added to counts. Mended: that of counts, two of which move by 1."""
    counts = np.bincount((3.999 * tidy(x)).astype(int), minlength=4)
    return rounded(counts + rng.laplace(scale=2.0 if mended else 2.0 / len(x), size=4))


@published("arXiv 2202.12219", "noise", GaussianDP(1.0), ROWS)
def noise_of_a_mean_twice(X: Any, rng: Rng, mended: bool) -> Any:
    """The sensitivity of a mean is divided by the batch size again. Mended: once; a mean of n moves by 2 / n."""
    n = len(X)
    return rounded(clipped(X).mean(axis=0) + rng.normal(scale=2.0 / n / (1 if mended else n), size=np.shape(X)[1]))


@published("statrs-dev/statrs#150", "noise", ONE, RECORDS)
def one_sided_noise(x: Any, rng: Rng, mended: bool) -> Any:
    """The sampler never draws a negative number. Mended: it draws either sign."""
    noise = rng.laplace()
    return rounded(tidy(x).sum() + (noise if mended else abs(noise)))


@published("IBM/differential-privacy-library#23", "noise", ADDED, ROWS)
def wishart_noise(X: Any, rng: Rng, mended: bool) -> Any:
    """Positive definite noise makes smaller sums impossible. Mended: Laplace; a^2 + |ab| + b^2 is at most 1.5."""
    a, b = clipped(X).T
    (g, h), noise = rng.normal(scale=1.5**0.5, size=(2, 3)), rng.laplace(scale=1.5, size=3)
    return rounded(np.array([a @ a, a @ b, b @ b]) + (noise if mended else [g @ g, g @ h, h @ h]))


# Composition ----------------------------------------------------------------------------------------------------------


@published("opendp/opendp#2789", "composition", ZCDP(0.5), RECORDS)
def rho_twice(x: Any, rng: Rng, mended: bool) -> Any:
    """Two answers spend all of rho each. Mended: a half each, of sums that move by 1."""
    x = tidy(x)
    return rounded(np.array([x.sum(), (x**2).sum()]) + rng.normal(scale=2**0.5 if mended else 1.0, size=2))


@published("opendp/smartnoise-sdk#200", "composition", ONE, RECORDS)
def epsilon_for_each_aggregate(x: Any, rng: Rng, mended: bool) -> Any:
    """Every aggregate of a query has the whole epsilon. Mended: a third each."""
    x = tidy(x)
    return rounded(
        np.array([(x > 0.5).sum(), x.sum(), (x**2).sum()]) + rng.laplace(scale=3.0 if mended else 1.0, size=3)
    )


@published("IBM/differential-privacy-library#104", "composition", ONE, ROWS)
def centring_twice(X: Any, rng: Rng, mended: bool) -> Any:
    """Two means and a product have a half of epsilon each. Mended: a third each."""
    a, b = tidy(X).T
    return [float(rounded(total + rng.laplace(scale=3.0 if mended else 2.0))) for total in (a.sum(), b.sum(), a @ b)]


# Bits and types -------------------------------------------------------------------------------------------------------


@published("doi 10.1145/2382196.2382264", "bits", ONE, np.ones(9))
def laplace_noise_in_floats(x: Any, rng: Rng, mended: bool) -> Any:
    """Which floats can come out depends on what noise is added to. Mended: multiples of a coarse public step."""
    total = tidy(x).sum() + rng.laplace()
    return rounded(total) if mended else total


@published("meta-pytorch/opacus#616", "bits", GaussianDP(1.0), np.ones(9))
def normal_noise_in_floats(x: Any, rng: Rng, mended: bool) -> Any:
    """Which floats can come out depends on what normal noise is added to. Mended: multiples of a coarse public step."""
    total = tidy(x).sum() + rng.normal()
    return rounded(total) if mended else total


@published("arXiv 2207.10635", "bits", ONE, RECORDS)
def repeated_rounding(x: Any, rng: Rng, mended: bool, bounds: tuple = (-1.5, 3.0)) -> Any:
    """Half precision rounds at each addition: a first record of 3 keeps all others from being subtracted.

    Mended: double precision errs by less than the step 2^-36; a replaced record moves the sum by 4.5.
    """
    numbers = np.append(4096.0, tidy(x, *bounds))
    total = numbers.sum() if mended else np.cumsum(numbers, dtype=np.float16)[-1]
    return rounded(float(total) + rng.laplace(scale=4.5))


@published("opendp/opendp#2925", "bits", ONE, np.linspace(0.0, 10.0, 20))
def overflow(x: Any, rng: Rng, mended: bool) -> Any:
    """A sum of small integers wraps around. Mended: it has room; a record moves it by 10."""
    total = np.round(tidy(x, 0.0, 10.0)).sum(dtype=np.int64).astype(np.int64 if mended else np.int8)
    return int(total) + int(two_sided(rng, 0.1))


@published("google/differential-privacy#40", "shape or error", ONE, np.linspace(0.0, 10.0, 20))
def error_for_an_overflow(x: Any, rng: Rng, mended: bool) -> Any:
    """A sum above the largest integer raises. Mended: it stays there."""
    total = int(np.round(tidy(x, 0.0, 10.0)).sum())
    if total > (inf if mended else 127):
        raise OverflowError("the sum is too large")
    return min(total, 127) + int(two_sided(rng, 0.1))
