"""Lemma A.1 on classes whose suprema are computed exactly, sample after sample."""

from __future__ import annotations

from bounds import deviation as bounds
from bounds import deviation_classes as classes
from experiments.claim import Sabotage, grid, tail_claim
from experiments.deviation import smallest_sample
from mechanisms import hypotheses


def some_hypothesis_fails(problem, rng, size, m, beta, factor):
    """Fresh samples of m records each: is the supremum over all patterns of errors positive? Shape (size,)."""
    risk, empirical = problem.cells(rng, size, m)
    return (risk > bounds.relative(empirical, bounds.complexity(m, problem.vc, beta) / factor)).any(axis=1)


def sampled(vc, factors, **axes):
    """What the claims share: settings, sizes of chunks and caps, the control."""
    return dict(
        quick=grid(m=[200], beta=[0.1], **{name: values[:1] for name, values in axes.items()}),
        full=grid(m=[100, 1000], beta=[0.1], **axes) + grid(m=[1000], beta=[0.01], **axes),
        control=Sabotage("Q divided by {}", factors),
        chunk=lambda *, beta, **setting: int(10 / beta),
        cap=5,
        cost=1e-4,
        expect=0.0,
        trivial=lambda *, m, beta, **setting: (
            "the bound is at least 1 at empirical risk 0" if 4 * bounds.complexity(m, vc, beta) >= 1 else None
        ),
        nonvacuous_from=lambda: smallest_sample(vc),
    )


@tail_claim(classes.thresholds, **sampled(1, (16,), noise=[0.1, 0.0, 0.5]))
def thresholds_deviate(rng, size, *, m, noise, beta, factor=1):
    """Thresholds on [0, 1], labels flipped with probability `noise`."""
    return some_hypothesis_fails(hypotheses.Thresholds(noise), rng, size, m, beta, factor)


@tail_claim(classes.halfspaces, **sampled(2, (32,), noise=[0.1, 0.0, 1.0]))
def halfspaces_deviate(rng, size, *, m, noise, beta, factor=1):
    """Directions within one radian of e_1, a share `noise` of them anywhere on the circle."""
    return some_hypothesis_fails(hypotheses.Halfplanes(1.0, noise), rng, size, m, beta, factor)


@tail_claim(classes.mixture, **sampled(2, (32,), shift=[1.0, 0.0, 3.0]))
def mixture_deviates(rng, size, *, m, shift, beta, factor=1):
    """Two Gaussians at distance 2 `shift`."""
    return some_hypothesis_fails(hypotheses.Mixture(shift), rng, size, m, beta, factor)


@tail_claim(classes.stumps, **sampled(3, (32,), noise=[0.1, 0.0, 0.5]))
def stumps_deviate(rng, size, *, m, noise, beta, factor=1):
    """Stumps on the unit square."""
    return some_hypothesis_fails(hypotheses.Stumps(noise), rng, size, m, beta, factor)
