"""Statements, calibrations and the engine itself changed by a constant: the row or the check that must notice it."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt
from typing import Any

import numpy as np
from scipy.stats import beta as beta_law

from lemmata.bounds.bms22 import sign_projection as projection_bounds
from lemmata.bounds.exact import tnb as tnb_bounds
from lemmata.bounds.rbht09 import lower_bounds
from lemmata.bounds.statement.verdicts import HOLDS, REFUTED, VACUOUS
from lemmata.bounds.theorem import Theorem
from lemmata.bounds.wzw25 import gaussian_maxima, gaussian_privacy
from lemmata.experiments.abgmu22 import confidence_boosting as training
from lemmata.experiments.bms22 import sign_projection as projection_rows
from lemmata.experiments.engine.claims import registry, verdict
from lemmata.experiments.engine.claims.claim import Claim
from lemmata.experiments.engine.claims.verdict import TailDecider, conclude
from lemmata.experiments.instances.classes import hypothesis_classes
from lemmata.experiments.instances.datasets import planted
from lemmata.experiments.instances.pairs.svm_neighbours import flipped
from lemmata.experiments.wzw25 import one_margin
from lemmata.mechanisms import law as laws
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.law import clip_rows
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd
from lemmata.mechanisms.learners.erm import private_svm
from lemmata.mechanisms.noise import gaussian, laplace
from lemmata.mechanisms.numerics import streams
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_delta
from lemmata.tools.sabotage.planting import (
    Planted,
    decided,
    falls,
    halved,
    loses_its_teeth,
    refuted,
    rewritten,
    rng,
)


def flipped_records() -> tuple:
    """The private SVM, the worst label flipped."""
    X, y, z = flipped(1, 10, others=1.0)
    return tuple(private_svm.law(X, t, C=1.0, privacy=PureDP(1.0), calibration="sharp").sample for t in (y, z))


def low_bits() -> bool:
    """A release of the private SVM that is no multiple of its grid."""
    X, y, _ = flipped(1, 10, others=1.0)
    law = private_svm.law(X, y, C=1.0, privacy=PureDP(1.0))
    drawn = law.sample(rng("low bits"), 20) / law.noise.grid
    return bool((drawn != np.rint(drawn)).any())


def delta_exceeded() -> bool:
    """The exact delta of the Gaussian mechanism at epsilon = 10, against the one it is calibrated to."""
    law = gaussian.law([0.0], sensitivity=1.0, privacy=ApproxDP(10.0, 1e-5))
    return bool(gaussian_delta(10.0, 1 / law.sigma) > 1e-5 * (1 + 1e-9))


def longest_image() -> bool:
    """Sign projections keep squared norms in the mean: 200 of them on a unit vector."""
    x = np.full(16, 0.25)
    drawn = [np.sum(sign_projection.sign_projection(8, 16, rng=rng(f"image {i}")).apply(x) ** 2) for i in range(200)]
    return bool(abs(np.mean(drawn) - 1) > 0.2)


def deciders_are_wrong() -> bool:
    """A coin of chance beta / 4 and one of 3 beta, 2,000 tosses each: the first claim holds, the second does not."""
    said = []
    for failures in (50, 600):
        decider = TailDecider(0.1)
        decider.add({"trials": 2000, "failures": failures})
        said.append(conclude(*decider.log_e()))
    return said != [HOLDS, REFUTED]


def null_coins() -> bool:
    """400 coins exactly at beta, looked at after every 50 of 1,000 tosses: more than 12 of them HOLD at 1 in 20."""
    wrong = 0
    for i in range(400):
        decider = TailDecider(0.1)
        for failures in rng(f"coin {i}").binomial(50, 0.1, size=20):
            decider.add({"trials": 50, "failures": int(failures)})
            if decider.log_e()[0] >= log(20):
                wrong += 1
                break
    return wrong > 12


def peeking(trials: int, failures: int, beta: float, odds: Any) -> float:
    """1 / p of Clopper and Pearson, as if it were looked at once."""
    return -log(max(float(beta_law.sf(1 - beta, trials - failures, failures + 1)), 1e-300))


def chunks_repeat() -> bool:
    """Two chunks, or two streams, of one claim begin with the same bytes."""
    seeds = [(stream, chunk) for stream in ("main", "train") for chunk in range(3)]
    digests = {streams.generator(1, "claim", {}, stream, chunk).bytes(16) for stream, chunk in seeds}
    return len(digests) < len(seeds)


def runs_do_not_add_up() -> bool:
    """The probabilities of K = 1, 2, ... do not add up to 1."""
    k = np.arange(1.0, 2000.0)
    return bool(abs(np.exp(tnb_bounds.log_pmf(eta=1.0, r=0.1, k=k)).sum() - 1) > 1e-9)


def rows_too_long() -> bool:
    """A clipped row is longer than its radius."""
    return bool(np.linalg.norm(clip_rows([[3.0, 4.0], [1e8, -1e8]], 1.0), axis=1).max() > 1 + 1e-12)


def budget_exceeded() -> bool:
    """Gaussian noise for mu = 1/2 at sensitivity 3: sensitivity / sigma is more."""
    return 3.0 / gaussian.noise_for(3.0, GaussianDP(0.5)) > 0.5 * (1 + 1e-12)


def says_nothing() -> bool:
    """A tail row whose bound is a thousand times its own does not come out VACUOUS."""
    row = registry.find(PROJECTION)
    with np.errstate(invalid="ignore"):
        return decided(replace(row, bound=lambda **setting: 1000 * setting["beta"], control=None))[0] != VACUOUS


def outside_is_decided() -> bool:
    """A setting outside the hypotheses, gamma = 3/2, is a cell and not skipped with its hypothesis."""
    row = registry.find(PROJECTION)
    outside = replace(row, quick=tuple(setting | {"gamma": 1.5} for setting in row.quick), control=None)
    return [line["setting"] for line in outside.skipped("quick")] != list(outside.quick)


def trials_are_one() -> bool:
    """Twelve chunks of 30 trials with a sixth of the rows: in every chunk all of them fail, or none does."""
    k = projection_bounds.sign_projection_rows(m=10, gamma=0.9, beta=0.1) // 6
    chunks = [projection_rows.breaks(rng(f"trials {i}"), 30, k, m=10, d=64, gamma=0.9) for i in range(12)]
    return all(failed.all() or not failed.any() for failed in chunks)


def runs_share_projections() -> bool:
    """Five runs of Algorithm 3 on three records of 3,000 columns: are there fewer than five draws of projections?"""
    draw, drawn = adaptive_margin.draw_projections, []
    adaptive_margin.draw_projections = lambda *sizes, **options: drawn.append(sizes) or draw(*sizes, **options)
    try:
        planted.adaptive_runs(rng("runs"), 5, np.eye(3, 3000), 8.0, 1e-3, steps=1)
    finally:
        adaptive_margin.draw_projections = draw
    return len(drawn) < 5


CLASS, PROJECTION = "bms22.lemA.1/printed/halfspaces", "bms22.lemA.3/explicit/impl:sign_projection"
TRIALS = """    for trial in range(size):
        T = points(rng, m, d)
        broken[trial] = not bounds.inner_products_preserved(T, projection(k, d, rng=rng).apply(T), gamma)"""
SHARED = """    T, phi = points(rng, m, d), projection(k, d, rng=rng)
    broken[:] = not bounds.inner_products_preserved(T, phi.apply(T), gamma)"""

STATEMENTS = (
    Planted(1, "entries of sign projections 1.5 times too large", "mean of squared norms",
            sign_projection.SignProjection, "apply", lambda f: lambda phi, X: 1.5 * f(phi, X), longest_image),
    Planted(2, "bound on the mean maximum of Gaussians halved", "its row of the ledger",
            gaussian_maxima, "max_mean", rewritten("sigma * sqrt(", "sigma / 2 * sqrt("),
            falls("wzw25.lemA.5/printed/mean")),
    Planted(3, "maximum of n Gaussians without its union bound", "its row of the ledger", gaussian_maxima,
            "max_threshold", rewritten("sigma * sqrt(2 * log(2 * n)) +", ""), falls("wzw25.lemA.5/corrected/tail")),
    Planted(4, "sqrt(log(1/beta)) for sqrt(2 log(1/beta))", "its row of the ledger", gaussian_maxima,
            "max_threshold", rewritten("sqrt(2 * log(1 / beta))", "sqrt(log(1 / beta))"),
            falls("wzw25.lemA.5/corrected/tail")),
    Planted(5, "mu^2/2 dropped from the conversion to epsilon", "its row of the ledger",
            gaussian_privacy, "approx_epsilon_at", rewritten("mu * mu / 2 + mu * t", "mu * t"),
            falls("wzw25.lemE.1/printed")),
    Planted(6, "decimal logarithm for the natural one", "its row of the ledger", gaussian_maxima,
            "max_threshold", rewritten("sqrt(2 * log(1 / beta))", "sqrt(2 * log(1 / beta) / log(10))"),
            falls("wzw25.lemA.5/corrected/tail")),
    Planted(7, "a tenth of the rows of a sign projection", "its row of the ledger", projection_bounds,
            "rows_for", rewritten("return ceil(", "return ceil(0.1 * "),
            falls("bms22.lemA.3/explicit")),
    Planted(8, "one fixed halfspace in place of all", "its control", hypothesis_classes.Halfplanes, "cells",
            lambda f: lambda self, rng, size, m: tuple(part[:, -1:] for part in f(self, rng, size, m)),
            loses_its_teeth(CLASS)),
    Planted(9, "a bound of 100 on a probability is tested as a claim", "a bound a thousand times too large", Claim,
            "why_vacuous", lambda f: lambda claim, setting: None, says_nothing),
    Planted(9, "settings outside the hypotheses are decided", "a setting outside", Theorem, "skipped",
            lambda f: lambda theorem, setting: None, outside_is_decided),
    Planted(10, "noise that grows with the root of n: the loss falls like n^(-1/2), not 1/n", "its row of the ledger",
            noisy_gd, "noise_for", lambda f: lambda steps, *sizes: steps**0.25 * f(steps, *sizes),
            falls("wzw25.lemD.1/rate[n]")),
    Planted(10, "as many rows as dimensions: the loss grows with them", "its row of the ledger", one_margin,
            "fast_projection", lambda f: lambda k, d, rng: f(d, d, rng=rng), falls("wzw25.lemD.1/rate[d]")),
    Planted(12, "deviation of the Gaussian mechanism divided by the square root of 2", "budget",
            gaussian, "noise_for", lambda f: lambda *a: f(*a) / sqrt(2), budget_exceeded),
    Planted(16, "noise of the private SVM for a record left out where one is replaced", "attack", private_svm,
            "l1_sensitivity", halved, refuted(flipped_records, PureDP(1.0))),
    Planted(20, "randomised response keeps with probability epsilon", "its row of the ledger", training, "releases",
            rewritten("exp(training) / (1 + exp(training))", "min(training, 0.9)"),
            falls("abgmu22.thm.boost/explicit/accounting")),
    Planted(20, "failure of randomised response as if it kept with probability beta", "its row of the ledger",
            lower_bounds, "least_failure_corrected",
            rewritten("1 / (1 + exp(beta))", "1 - min(beta, 0.9)"),
            falls("rbht09.thm18/corrected/words")),
    Planted(17, "records clipped by coordinate, not by row", "norm of a clipped row", laws, "clip_rows",
            rewritten("X = table(X)", "return np.clip(table(X), -radius, radius)"), rows_too_long),
    Planted(23, "noise of the private SVM off its grid", "bits of a release", laplace.GridLaplace, "sample",
            lambda f: lambda law, rng, size=1: f(law, rng, size) + law.grid * (rng.random() - 0.5), low_bits),
    Planted(26, "probabilities of K with r for 1 - r", "they add up", tnb_bounds, "log_pmf",
            lambda f: lambda *, eta, r, k: f(eta=eta, r=r, k=k) + eta * log(r / (1 - r)), runs_do_not_add_up),
    Planted(27, "the classical deviation of Gaussian noise at epsilon = 10", "exact privacy curve", gaussian,
            "noise_for",
            lambda f: lambda sensitivity, privacy: sensitivity * sqrt(2 * log(1.25 / privacy.delta)) / privacy.epsilon,
            delta_exceeded),
    Planted(28, "HOLD and REFUTE alternatives swapped", "a true and a false coin", verdict, "HOLD_ODDS",
            lambda odds: verdict.REFUTE_ODDS, deciders_are_wrong),
    Planted(28, "one Clopper-Pearson limit at every look", "coins exactly at the bound", verdict, "log_e_tail",
            lambda f: peeking, null_coins),
    Planted(30, "one seed for all chunks", "digests of chunks", streams, "generator",
            lambda f: lambda root, claim, setting, stream, chunk: f(root, claim, setting, stream, 0), chunks_repeat),
    Planted(30, "one stream for training and judging", "digests of chunks", streams, "generator",
            lambda f: lambda root, claim, setting, stream, chunk: f(root, claim, setting, "main", chunk),
            chunks_repeat),
    Planted(31, "one sample and one projection for all trials of a chunk", "chunks of which all or none fail",
            projection_rows, "breaks", rewritten(TRIALS, SHARED), trials_are_one),
    Planted(31, "one projection for all runs of Algorithm 3", "projections counted", planted, "adaptive_runs",
            rewritten("all(phi is None for phi in first)", "first"), runs_share_projections),
)  # fmt: skip
