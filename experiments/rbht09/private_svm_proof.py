"""Theorem 7 of Rubinstein et al. 2009 in floating point: textbook noise, and noise for which the theorem holds."""

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log

import numpy as np
from flint import arb

from lemmata.bounds.exact.balls import Phi, exact
from lemmata.bounds.rbht09 import private_svm
from lemmata.experiments.checks import (
    Control,
    attack_claim,
    exact_claim,
    grid,
    holds,
    identity_claim,
    inequality_claim,
    refuted,
    run_script,
    witness,
)
from lemmata.experiments.instances.laws import lattice_laws
from lemmata.experiments.instances.pairs.reachable_floats import neighbours, watched
from lemmata.mechanisms.learners.statistics import bounded_mean, histogram, quantile
from lemmata.mechanisms.noise import discrete_gaussian, gaussian, snapping
from lemmata.mechanisms.noise.laplace import FloatLaplace, GridLaplace, grid_for, reachable
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP

# Theorem 7 in floating point ------------------------------------------------------------------------------------------


@exact_claim(
    private_svm.textbook_release,
    quick=({"beta": 1.0},),
    full=({"beta": 0.01},),
    corrected_by=private_svm.grid_scale,
    note="this row is about implementations that add float64 noise, ours with `sampler='float64'` included; the "
    "theorem itself is true",
)
def textbook_sampler(*, beta, factor=1):
    """One double that is noise + 0 for a uniform k / 2^53, and noise + 1 for none.

    The noise is monotone in k, so it is enough that the two uniforms whose sums with 1 enclose y both miss it.
    """
    scale = 1.0 / beta  # centres 0 and 1: sensitivity 1
    for k in range(2**52 + 1, 2**52 + 1000):
        y = -scale * log(2.0 - 2 * (k * 2.0**-53))  # numpy's inversion at the uniform k / 2^53
        if reachable(y, 0.0, scale) and not reachable(y, 1.0, scale, margin=64) and y % 2.0**-53 != 0:
            code = f"""
from math import exp, fmod, log
from lemmata.bounds.rbht09.private_svm import textbook_release
y, scale = {y!r}, {scale!r}
assert y == 0.0 + -scale * log(2.0 - 2 * ({k} * 2.0**-53))  # numpy's Laplace at the uniform {k} / 2^53, centre 0
# From centre 1 noise z is at most -1/2 where |1 + z| < 1/2, so 1 + z is exact: a multiple of 2^-53. y is none.
assert 0 < y < 0.5 and fmod(y, 2.0**-53) != 0
assert 2.0**-53 > exp(textbook_release(beta={beta!r})) * 0.0  # the chances of y, from the one centre and from the other
"""
            pair = {"a": "centre 0", "b": "centre 1", "output": y, "p_a": f">= 2^-53, uniform {k} / 2^53", "p_b": 0.0}
            shown = witness.privacy({"beta": beta}, epsilon=beta, log_ratio="infinite", **pair, python=code)
            return refuted("enumeration", shown)
    return holds("enumeration", "settings")


@inequality_claim(
    private_svm.grid_scale,
    quick=({"sensitivity": 1.0, "beta": 1.0, "F": 1}, {"sensitivity": 0.02, "beta": 0.3, "F": 7}),
    full=({"sensitivity": 5.0, "beta": 20.0, "F": 3},),
    reach={"F": 20},
    control=Control("grid steps of noise / {}", (1.001, 1.01, 1.5)),
    note="The sampler's probabilities are products of whole-number comparisons; its grid is a power of two.",
)
def grid_sampler(*, sensitivity, beta, F, factor=1):
    """Whole-number centres at the largest distance that rounding allows: the exact log-ratio against beta.

    Pairs are pushed to the corners of the rounding: coordinates just either side of a half step. The scale of the law
    and its density have to be what they are said to be, too.
    """
    grid, steps = grid_for(sensitivity, beta, F)
    scale = private_svm.grid_scale(sensitivity=sensitivity, grid=grid, F=F, beta=beta)
    yield {"F": F, "grid": grid}, scale * (1 - 1e-12), steps * grid
    ratios, below = [], (0.5 - 1e-9) * grid
    for split in range(1, F + 1):  # the whole distance in one coordinate, or spread over several
        a, b = np.full(F, below), np.full(F, below)
        b[:split] += sensitivity / split
        b[split:] += 2e-9 * grid  # just past the half step: rounds one further
        laws = [GridLaplace(centre, grid, steps) for centre in (a, b)]
        exact = Fraction(int(np.abs(laws[0].point - laws[1].point).sum()), steps)
        at = laws[0].point * grid
        density = float(laws[0].log_density(at)[0] - laws[1].log_density(at)[0])
        yield {"F": F, "split": split, "log-ratio": exact, "of the density": density}, abs(density - exact), 1e-9
        yield {"sensitivity": sensitivity, "beta": beta, "F": F, "split": split}, exact * Fraction(factor), beta
        ratios.append(float(exact) / beta)
    return {"tightness": (max(ratios), max(ratios))}


@attack_claim(
    private_svm.grid_scale,
    law="svm.bits",
    attack="pure",
    bound=lambda *, beta, **_: beta,
    quick=({"beta": 0.5, "n": 10, "F": 3, "sensitivity": 0.35, "grid": 2.0**-24},),
    control=Control("the textbook float64 sampler", (2,)),
    chunk=400,
    cap=4,
    cost=1e-4,
    note="bit-level: the attacker knows both centres and the scale, and sees whether a release is possible under each",
)
def bit_level_pair(*, beta, n, F, sensitivity, grid, factor=1):
    """The law we ship under the bit-level attack; the control is the textbook sampler of the same calibration."""
    return watched(neighbours({1: "grid", 2: "float64"}[factor], n, F, beta))


# Snapping, and the discrete Gaussian ----------------------------------------------------------------------------------

CENTRES = np.array([0.0]), np.array([1.0])


@inequality_claim(
    private_svm.snapping_epsilon,
    quick=({"scale": 1.0, "bound": 4.0}, {"scale": 1.3, "bound": 40.0}),
    full=({"scale": 1.999, "bound": 2.0}, {"scale": 1.0, "bound": 1024.0}),
    rounding=1e-15,
    cost=0.2,
    tightness=lambda ratios: (min(1.0, max(ratios)), 1.0),
)
def snapping_law_is_private(*, scale, bound):
    """The derivation's errors at their corners, and the exact law of doubles: every release from pairs of centres."""
    eta, coth = Fraction(1, 2**53), 1 / exact(Fraction(1, 2)).tanh()
    for b, w, lam in ((2 * bound, -bound, bound), (bound + scale, -bound, scale)):  # |b|, w and lambda as extreme
        errors = exact(eta * ((Fraction(abs(b)) + 2 * Fraction(abs(w - b))) / Fraction(lam) + 2))
        slack = private_svm.snapping_epsilon(sensitivity=1e-30, scale=lam, bound=bound, F=1)
        yield {"b": b, "w": w, "lambda": lam}, 2 * coth * errors, slack
    snap = snapping.Snapping(scale, bound)
    pairs = [(0.3 * scale, 1.3 * scale), (-bound, scale - bound), (0.5 * snap.step, 0.5 * snap.step - 2.0**-40)]
    most = 0.0
    for w, v in pairs:
        apart = abs(Fraction(w) - Fraction(v))
        claimed = private_svm.snapping_epsilon(sensitivity=float(apart), scale=scale, bound=bound, F=1)
        for place in snap.places()[:: max(1, len(snap.places()) // 12)]:
            ratio = abs((exact(snap.mass(w, float(place))) / exact(snap.mass(v, float(place)))).log())
            yield {"scale": scale, "bound": bound, "centres": (w, v), "release": float(place)}, ratio, claimed
            most = max(most, float(exact(scale) * ratio - exact(apart)) * 2.0**49 / bound)
    return {"note": f"exact law: at most {max(most, 0.0):.2f} of Mironov's slack 2⁻⁴⁹ B/λ over the real law's ratio"}


@attack_claim(
    private_svm.snapping_epsilon,
    law="snapping",
    attack="pure",
    bound=lambda *, epsilon, **_: epsilon,
    quick=({"epsilon": 1.0, "bound": 4.0},),
    control=Control("noise / {}", (1.41, 2)),
    cap=10,
    cost=4e-5,
    note="the exact law of doubles is the score; centres 0 and 1",
)
def snapping_pair(*, epsilon, bound, factor=1):
    """Two values at the whole sensitivity."""
    return tuple(snapping.law(w, sensitivity=1.0, bound=bound, privacy=PureDP(epsilon * factor)) for w in CENTRES)


@attack_claim(
    private_svm.snapping_epsilon,
    law="snapping.bits",
    attack="pure",
    bound=lambda *, epsilon, **_: epsilon,
    quick=({"epsilon": 0.5, "bound": 16.0},),
    control=Control("the textbook float64 sampler", (2,)),
    chunk=400,
    cap=4,
    cost=1e-4,
    note="bit-level: is a release centre + z for any double z?",
)
def snapping_bits(*, epsilon, bound, factor=1):
    """Centres 0 and 1; the control is numpy's Laplace of the same scale."""
    laws = [snapping.law(w, sensitivity=1.0, bound=bound, privacy=PureDP(epsilon)) for w in CENTRES]
    return watched({1: laws, 2: [FloatLaplace(law.centre, law.scale) for law in laws]}[factor], CENTRES)


@identity_claim(
    private_svm.concentration,
    quick=({"steps": 2, "shift": 1}, {"steps": 3, "shift": 4}),
    full=({"steps": 1, "shift": 1}, {"steps": 8, "shift": 5}),
    rounding=1e-9,
    caught=(1.001, 2),
    note="equality at whole alpha; between, the theta functions' ratio is below 1",
)
def renyi_divergence_of_lattice_laws(*, steps, shift):
    """The exact Renyi divergence of two lattice laws at alpha = 2, 3; sensitivity and grid that make up the shift."""
    p, q = lattice_laws.gaussian(steps, 0, 14 + shift), lattice_laws.gaussian(steps, shift, 14 + shift)
    for alpha in (2, 3):
        moment = sum((a**alpha / b ** (alpha - 1) for a, b in zip(p, q, strict=True)), arb(0))
        divergence = moment.log() / (alpha - 1)
        for root in (1, 3):  # F = root^2 coordinates, all shifted: root * shift steps in L2, root halves rounding
            made = {"sensitivity": root * (shift - 0.5) / 4, "sigma": steps / 4, "grid": 1 / 8, "F": root**2}
            setting = {"steps": steps, "shift": shift, "alpha": alpha, "F": root**2}
            yield setting, root**2 * divergence, alpha * private_svm.concentration(**made)


@inequality_claim(
    private_svm.concentration_epsilon,
    quick=({"steps": 3, "shift": 2}, {"steps": 8, "shift": 3}),
    full=({"steps": 20, "shift": 20},),
    given=[private_svm.concentration],
    note="the exact δ of two lattice laws is below a hundredth of what Chernoff's bound allows",
)
def chernoff_of_the_loss(*, steps, shift):
    """Chernoff's bound at its best alpha, which must not exceed delta, and the exact delta of the pair."""
    rho = private_svm.concentration(sensitivity=float(shift), sigma=float(steps), grid=1e-300, F=1)
    p, q = lattice_laws.gaussian(steps, 0, 14 + shift), lattice_laws.gaussian(steps, shift, 14 + shift)
    for delta in (1e-2, 1e-5, 1e-8):
        e, r = exact(private_svm.concentration_epsilon(rho=rho, delta=delta)), exact(rho)
        alpha = (e + r) / (2 * r)
        yield {"steps": steps, "delta": delta, "by": "Chernoff"}, ((alpha - 1) * (alpha * r - e)).exp(), delta
        yield {"steps": steps, "delta": delta}, lattice_laws.hockey_stick(p, q, e), delta


@inequality_claim(
    private_svm.discrete_gaussian_delta,
    quick=({"steps": 60, "shift": 60}, {"steps": 60, "shift": 15}),
    full=({"steps": 300, "shift": 100},),
    caught=(1.01, 1.2, 2),
    cost=0.02,
    note="the exact curve of two lattice laws in one dimension, and in two along the diagonal",
)
def curve_of_the_discrete_gaussian(*, steps, shift):
    """Both sides in balls or floats: one coordinate that moves, and two that move alike on a coarser lattice."""
    p, q = (lattice_laws.gaussian(steps, place, 14) for place in (0, shift))
    for epsilon in (0.1, 0.5, 1.0):
        claimed = private_svm.discrete_gaussian_delta(epsilon=epsilon, shift=shift, steps=steps, F=1)
        yield {"steps": steps, "epsilon": epsilon}, lattice_laws.hockey_stick(p, q, exact(epsilon)), claimed
    coarse = 4
    p, q = (lattice_laws.gaussian(coarse, place, 9) for place in (0, 3))
    pair = [[a * b for a in law for b in law] for law in (p, q)]
    claimed = private_svm.discrete_gaussian_delta(epsilon=1.0, shift=3 * 2**0.5, steps=coarse, F=2)
    yield {"steps": coarse, "F": 2}, lattice_laws.hockey_stick(*pair, exact(1.0)), claimed


@attack_claim(
    private_svm.concentration_epsilon,
    law="discrete_gaussian.bits",
    attack="approx",
    bound=lambda *, epsilon, **_: epsilon,
    quick=({"epsilon": 1.0, "delta": 1e-5},),
    control=Control("the textbook float64 sampler", (2,)),
    cap=6,
    cost=2e-5,
    note="bit-level: is a release centre + z for any double z? Control: the float64 Gaussian of the same σ",
)
def discrete_gaussian_bits(*, epsilon, delta, factor=1):
    """Centres 0 and 1, sensitivity 1."""
    privacy = ApproxDP(epsilon, delta)
    laws = [discrete_gaussian.law(w, sensitivity=1.0, bound=1.0, privacy=privacy) for w in CENTRES]
    textbook = [gaussian.law(law.centre, sensitivity=1.0, sigma=law.sigma) for law in laws]
    return watched({1: laws, 2: textbook}[factor], CENTRES)


# Errors of private statistics -----------------------------------------------------------------------------------------

LESS = {"control": Control("a budget divided by {}", (1.1, 1.5, 3)), "cost": 0.02}
EITHER = ({"epsilon": 0.05, "mu": 0.0}, {"epsilon": 0.0, "mu": 0.3})


def made_for(epsilon, mu, factor):
    """The guarantee of a release, with a budget divided by `factor`."""
    return PureDP(epsilon / factor) if epsilon else GaussianDP(mu / factor)


def chance_beyond(noise, level):
    """A ball above Pr(|noise| >= level) of one coordinate, by the law that is drawn from; a grid point counts as beyond
    where its cell reaches that far."""
    if hasattr(noise, "steps"):
        ratio = (-1 / exact(noise.steps)).exp()
        return 2 * ratio ** ceil(Fraction(level) / Fraction(noise.grid)) / (1 + ratio)
    return 2 * Phi(-exact((Fraction(level) - Fraction(noise.step) / 2) / Fraction(noise.sigma)))


def centre_of(noise):
    """The sums that noise is added to, as rational numbers."""
    sums = noise.point * noise.grid if hasattr(noise, "steps") else noise.value
    return [Fraction(float(one)) for one in sums]


def hard_columns(n, d, low, high):
    """Entries inside, at, near and far beyond the bounds."""
    draw = np.random.default_rng(n * d)
    X = draw.uniform(low - (high - low) / 4, high + (high - low) / 4, size=(n, d))
    X[:4, 0] = low, high, np.nextafter(high, low), 1e300
    return X


@inequality_claim(
    private_svm.mean_error,
    quick=[one | {"n": 50, "d": d, "low": -2.0, "high": 5.0, "beta": 0.05} for one in EITHER for d in (1, 3)],
    full=[one | {"n": 2000, "d": 8, "low": 1e6, "high": 1e6 + 1, "beta": 1e-3} for one in EITHER],
    reach={"n": 200, "d": 8, "low": 1e6, "high": 1e6},
    given=[private_svm.grid_scale],
    note="Rounding in rationals, on one table; the tail of the law that is drawn from in balls.",
    **LESS,
)
def means_are_near(*, n, d, low, high, beta, epsilon, mu, factor=1):
    """The centre's distance to the mean of clipped entries; then the chance that noise uses up the rest."""
    X = hard_columns(max(n, 4), d, low, high)
    law = bounded_mean.law(X, privacy=made_for(epsilon, mu, factor), bounds=(low, high))
    n, a, b = len(X), Fraction(low), Fraction(high)
    claimed = private_svm.mean_error(n=n, d=d, low=low, high=high, beta=beta, epsilon=epsilon, mu=mu)
    share = (b - a) / 2**21 + max(abs(a), abs(b)) / 2**48
    off = []
    for j, centre in enumerate(centre_of(law.noise)):
        truth = sum(min(max(Fraction(float(x)), a), b) for x in X[:, j]) / n
        off.append(abs(a + centre * (b - a) / n - truth))
        yield {"column": j, "n": n}, off[-1], share
    beyond = chance_beyond(law.noise, (Fraction(claimed) - max(off)) * n / (b - a))
    yield {"d": d, "n": n}, 1 - (1 - beyond) ** d, beta


@inequality_claim(
    private_svm.histogram_error,
    quick=[one | {"n": 50, "d": d, "bins": 4, "beta": 0.05} for one in EITHER for d in (1, 3)],
    full=[one | {"n": 2000, "d": 8, "bins": 50, "beta": 1e-3} for one in EITHER],
    reach={"n": 200, "d": 8, "bins": 20},
    given=[private_svm.grid_scale],
    note="Counts of one table, counted again; the tail of the law that is drawn from in balls.",
    **LESS,
)
def counts_are_near(*, n, d, bins, beta, epsilon, mu, factor=1):
    """The chance that a count, rounded to a whole number, is further off; 1 where what noise is added to is wrong."""
    X, edges = hard_columns(max(n, 4), d, 0.0, 1.0), np.linspace(0, 1, bins + 1)
    law = histogram.law(X, privacy=made_for(epsilon, mu, factor), edges=edges)
    inside = [(low <= X) & ((high > X) | (high == X) & (high == 1)) for low, high in pairwise(edges)]
    right = np.stack([one.sum(axis=0) for one in inside], axis=1).ravel().tolist() == centre_of(law.noise)
    claimed = private_svm.histogram_error(n=len(X), d=d, bins=bins, beta=beta, epsilon=epsilon, mu=mu)
    beyond = chance_beyond(law.noise, floor(claimed) + Fraction(1, 2))  # the least count further off is floor + 1
    yield {"d": d, "bins": bins}, 1 - (1 - beyond) ** (d * bins) if right else arb(1), beta


@inequality_claim(
    private_svm.quantile_error,
    quick=grid(quantiles=[1, 3], cells=[50], beta=[0.05], epsilon=[0.5]),
    full=grid(quantiles=[1, 9], cells=[2000], beta=[1e-3], epsilon=[0.1, 3.0]),
    reach={"quantiles": 9, "cells": 200, "epsilon": 20.0},
    note="Chances of all points in balls. Hardest are records that are all equal: every other point is as bad.",
    **LESS,
)
def quantiles_are_near(*, quantiles, cells, beta, epsilon, factor=1):
    """The chance of a rank beyond the level: all records at one point, just enough of them, and records at random."""
    level = private_svm.quantile_error(quantiles=quantiles, cells=cells, beta=beta, epsilon=epsilon)
    n, draw, q = 2 * (floor(level) + 1), np.random.default_rng(cells), np.full(quantiles, 0.5)
    for name, places in (("equal", np.zeros(n)), ("random", draw.integers(cells + 1, size=n))):
        X = places[:, None].astype(float)
        law = quantile.law(X, privacy=PureDP(epsilon / factor), q=q, bounds=(0.0, float(cells)), cells=cells)
        points, t = np.arange(cells + 1), n // 2
        far = np.maximum(0, np.maximum((points > X).sum(axis=0) - t, t - (points >= X).sum(axis=0)))
        near = arb(1)
        for one in law.selections:
            weights = [
                (int(rank), count * (-exact(one.scale) * int(rank)).exp())
                for rank, count in zip(*np.unique(far, return_counts=True), strict=True)
            ]
            total = sum((weight for _, weight in weights), arb(0))
            near *= 1 - sum((weight for rank, weight in weights if rank > level), arb(0)) / total
        yield {"records": name, "n": n}, 1 - near, beta


if __name__ == "__main__":
    run_script(__file__)
