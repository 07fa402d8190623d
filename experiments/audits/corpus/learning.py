"""Training: clipped and noisy gradients, batches and their amplification, teachers, folds, seeds, and places."""

from math import e, expm1, log1p
from typing import Any

import numpy as np

from lemmata.experiments.audits.corpus.registry import (
    ADDED,
    MU,
    ONE,
    RECORDS,
    ROWS,
    Rng,
    clipped,
    published,
    rounded,
    tidy,
)
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_delta

WIDE = np.ones((3, 12)) / 12**0.5
HALF = PureDP(log1p(0.5 * (e - 1)), "add/remove")  # of a Poisson sample of a half: exact for Laplace noise
QUARTER = ApproxDP(
    0.3, 0.25 * float(gaussian_delta(log1p(expm1(0.3) / 0.25), 1.0)), "add/remove"
)  # and for normal noise
TWICE = PureDP(2 * log1p(0.25 * (e**2 - 1)), "add/remove")  # two Poisson samples of a quarter, epsilon = 2 each

# Gradients ------------------------------------------------------------------------------------------------------------


@published("dayu11/Differentially-Private-Deep-Learning#7", "raw value", MU, ROWS)
def mean_beside_the_private_gradient(X: Any, rng: Rng, mended: bool) -> Any:
    """The gradient without clipping and noise is added up in the same place. Mended: it is not."""
    raw = 0.0 if mended else tidy(X, -1e9, 1e9).mean(axis=0)
    return rounded(clipped(X).sum(axis=0) + rng.normal(size=np.shape(X)[1]) + raw)


@published("tensorflow/privacy#620", "sensitivity", GaussianDP(1.0), RECORDS)
def clipped_microbatches(x: Any, rng: Rng, mended: bool) -> Any:
    """Means of three records are clipped, so that a replaced one moves a mean by 2. Mended: sigma = 2."""
    means = [part.mean() for part in np.array_split(tidy(x, -1e9, 1e9), max(1, len(x) // 3))]
    return rounded(np.clip(means, -1.0, 1.0).sum() + rng.normal(scale=2.0 if mended else 1.0))


@published("raptor7197/caamas#36", "sensitivity", GaussianDP(1.0), ROWS)
def clipped_after_the_average(X: Any, rng: Rng, mended: bool) -> Any:
    """An average is clipped, with the noise of clipped updates. Mended: every update is; the mean moves by 2 / n."""
    n = len(X)
    mean = clipped(X).mean(axis=0) if mended else clipped(tidy(X, -1e9, 1e9).mean(axis=0, keepdims=True))[0]
    return rounded(mean + rng.normal(scale=2.0 / n, size=np.shape(X)[1]))


@published("KanishJebaMathewM/Truxify#3844", "sensitivity", MU, WIDE)
def each_weight_clipped(X: Any, rng: Rng, mended: bool) -> Any:
    """Each of twelve weights is clipped to 1, and sigma is for a norm of 1. Mended: the norm is clipped."""
    updates = clipped(X) if mended else tidy(X, -1.0, 1.0)
    return rounded(updates.sum(axis=0) + rng.normal(size=np.shape(X)[1]))


@published("meta-pytorch/opacus#202", "composition", MU, ROWS)
def noise_for_each_layer(X: Any, rng: Rng, mended: bool) -> Any:
    """Each of two layers is clipped to 1 and has the noise of 1. Mended: noise of their norm, 2^1/2."""
    layers = tidy(X, -1.0, 1.0).sum(axis=0)
    return [float(rounded(layer + rng.normal(scale=2**0.5 if mended else 1.0))) for layer in layers]


@published("google-deepmind/jax_privacy#338", "composition", MU, WIDE)
def clipped_by_layer(X: Any, rng: Rng, mended: bool) -> Any:
    """Four layers are clipped to 1 each, and the sensitivity is said to be 1. Mended: their joint norm is clipped."""
    layers = np.split(clipped(X) if mended else np.hstack([clipped(p) for p in np.hsplit(tidy(X, -1e9, 1e9), 4)]), 4, 1)
    return np.concatenate([rounded(p.sum(axis=0) + rng.normal(size=p.shape[1])) for p in layers])


@published("google-parfait/tensorflow-federated#1080", "composition", MU, RECORDS)
def adaptive_clipping(x: Any, rng: Rng, mended: bool) -> Any:
    """The count that adapts the clipping is not paid for. Mended: the sum and the count have a half of mu^2 each."""
    x = tidy(x)
    return rounded(np.array([x.sum(), (x > 0.5).sum()]) + rng.normal(scale=2**0.5 if mended else 1.0, size=2))


@published("meta-pytorch/opacus#571", "sensitivity", GaussianDP(0.5, "add/remove"), ROWS[:3])
def divided_by_the_number_of_records(X: Any, rng: Rng, mended: bool) -> Any:
    """A noisy sum is divided by the true number of records. Mended: by an expected one."""
    noisy = clipped(X).sum(axis=0) + rng.normal(scale=2.0, size=np.shape(X)[1])
    return rounded(noisy / (3 if mended else max(len(X), 1)))


# Batches --------------------------------------------------------------------------------------------------------------


@published("google-deepmind/jax_privacy#121", "sampling", HALF, RECORDS)
def first_half_as_a_sample(x: Any, rng: Rng, mended: bool) -> Any:
    """The batch is the first half, charged as a Poisson sample. Mended: it is such a sample."""
    batch = tidy(x)[rng.random(len(x)) < 0.5 if mended else slice(len(x) // 2)]
    return rounded(batch.sum() + rng.laplace())


@published("lxuechen/private-transformers#7", "sampling", QUARTER, RECORDS)
def fixed_batch_of_a_step(x: Any, rng: Rng, mended: bool) -> Any:
    """A step of normal noise sees the next quarter of the data, charged as a Poisson sample. Mended: it is one."""
    batch = tidy(x)[rng.random(len(x)) < 0.25 if mended else slice((len(x) + 3) // 4)]
    return rounded(batch.sum() + rng.normal())


@published("google-deepmind/jax_privacy#272", "sampling", TWICE, RECORDS)
def one_sample_for_two_steps(x: Any, rng: Rng, mended: bool) -> Any:
    """Both steps use the sample that was drawn once. Mended: each draws its own."""
    x, chosen = tidy(x), rng.random((2, len(x))) < 0.25
    return [float(rounded(x[chosen[step * mended]].sum() + rng.laplace(scale=0.5))) for step in (0, 1)]


@published("meta-pytorch/opacus#80", "sampling", PureDP(log1p(0.5 * (e - 1))), RECORDS)
def sample_of_fixed_size(x: Any, rng: Rng, mended: bool, bounds: tuple = (-1.0, 1.0)) -> Any:
    """A sample of fixed size is charged as a Poisson one, where a record comes or goes, and here it is replaced.

    Mended: noise for 2, the most that a replaced record moves the sum if it is among the half that is drawn.
    """
    chosen = rng.choice(len(x), len(x) // 2, replace=False)
    return rounded(tidy(x, *bounds)[chosen].sum() + rng.laplace(scale=2.0 if mended else 1.0))


# Places ---------------------------------------------------------------------------------------------------------------


@published("vanderschaarlab/mlforhealthlabpub#29", "position", ONE, RECORDS)
def first_partition_for_all_teachers(x: Any, rng: Rng, mended: bool) -> Any:
    """Each of three teachers is given the first part. Mended: its own, so that a record moves one vote."""
    parts = np.array_split(tidy(x), 3)
    votes = sum(bool(parts[k if mended else 0].sum() > 0.5) for k in range(3))
    return rounded(votes + rng.laplace())


@published("arXiv 2008.07485", "position", ONE, RECORDS)
def prefix_sums(x: Any, rng: Rng, mended: bool) -> Any:
    """The noise of each prefix is that of one, and the first record is in all. Mended: as large as they are many."""
    return rounded(np.cumsum(tidy(x)) + rng.laplace(scale=len(x) if mended else 1.0, size=len(x)))


@published("ftramer/Handcrafted-DP#2", "position", ADDED, RECORDS)
def blocks_of_an_epoch(x: Any, rng: Rng, mended: bool) -> Any:
    """A record more moves all later ones into other blocks. Mended: the value of a record decides its block."""
    x = tidy(x)
    block = (100 * x).astype(int) % 3 if mended else np.arange(len(x)) // 3 % 3
    return rounded(np.bincount(block, weights=x, minlength=3) + rng.laplace(size=3))


@published("opendp/opendp#2950", "position", ADDED, np.repeat([0.0, 1.0, 0.0, 1.0], 2))
def slopes_of_pairs(x: Any, rng: Rng, mended: bool) -> Any:
    """Neighbours in order are paired, and a record more pairs all others anew. Mended: each is compared with 1/2."""
    x = tidy(x)
    slopes = np.abs(x - 0.5) if mended else np.abs(x[1::2] - x[: len(x) // 2 * 2 : 2])
    return rounded(slopes.sum() + rng.laplace())


@published("opendp/opendp#2950", "position", ADDED, np.ones(9))
def last_record_of_an_odd_table(x: Any, rng: Rng, mended: bool) -> Any:
    """The last of an odd number is left out, so that one more moves a sum by 2. Mended: the noise is for 2."""
    x = tidy(x)
    return rounded(x[: len(x) // 2 * 2].sum() + rng.laplace(scale=2.0 if mended else 1.0))


# Seeds ----------------------------------------------------------------------------------------------------------------


@published("alan-turing-institute/tapas#101", "seed", ONE, RECORDS)
def fixed_seed(x: Any, rng: Rng, mended: bool) -> Any:
    """The generator is made with the same seed every time. Mended: with a fresh one."""
    return rounded(tidy(x).sum() + (rng if mended else np.random.default_rng(7)).laplace())


@published("IBM/differential-privacy-library#31", "seed", ONE, RECORDS)
def one_seed_for_two_mechanisms(x: Any, seed: int, mended: bool) -> Any:
    """Two mechanisms are made with the same seed, and their difference has no noise. Mended: with two seeds."""
    x, seeds = tidy(x), np.random.SeedSequence(seed).spawn(2)
    first, second = (np.random.default_rng(seeds[k * mended]) for k in (0, 1))
    return rounded([x.sum() + first.laplace(scale=2.0), (x**2).sum() + second.laplace(scale=2.0)])


@published("jax-ml/jax#3646", "seed", MU, ROWS)
def one_key_for_all_layers(X: Any, rng: Rng, mended: bool) -> Any:
    """One key draws the noise of both layers. Mended: a key for each."""
    layers = clipped(X).sum(axis=0)
    noise = rng.normal(size=2)
    return rounded(layers + (noise if mended else noise[0]))


@published("world-federation-of-advertisers/cross-media-measurement#4387", "seed", ONE, RECORDS)
def seeded_by_the_data(x: Any, rng: Rng, mended: bool) -> Any:
    """The seed is a fingerprint of the data, so that each answer has one value. Mended: it is fresh."""
    x = tidy(x)
    return rounded(x.sum() + (rng if mended else np.random.default_rng(list(x.tobytes()))).laplace())


@published("flwrlabs/flower#7225", "seed", MU, RECORDS)
def seed_of_one_draw_alone(x: Any, rng: Rng, mended: bool) -> Any:
    """A seed that is configured repeats the noise of the count, not that of the sum. Mended: neither is repeated."""
    x, sigma = tidy(x), 2**0.5
    count = (x > 0.5).sum() + (rng if mended else np.random.default_rng(0)).normal(scale=sigma)
    return rounded([x.sum() + rng.normal(scale=sigma), count])
