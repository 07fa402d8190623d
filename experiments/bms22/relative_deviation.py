"""Relative deviation, Lemma A.1 of bms22: by derivation, on exact laws, and on classes whose suprema are exact.

The derivation is in `bounds.bms22.relative_deviation`, its steps are decided in `relative_deviation_proof`. Beside it
stand the exact failure probabilities of concrete laws, down to beta = 1e-300, and suprema over whole classes, sample
after sample.
"""

from __future__ import annotations

import itertools

from bounds.bms22 import relative_deviation as bounds
from bounds.bms22 import relative_deviation_proof as proof
from experiments.engine.claim import Control, exact_claim, grid, script, tail_claim
from experiments.instances import hypothesis_classes
from experiments.instances.deviation_laws import decide_uniform, level_of, with_less


def smallest_sample(V=1, beta=0.1, constant=4):
    """The smallest m with constant * Q < 1."""
    return next(m for m in itertools.count(1) if constant * bounds.complexity(m, V, beta) < 1)


# Lemma A.1 ------------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.relative_deviation,
    quick=({"m": 5000, "V": 1, "beta": 1e-300}, {"m": 100, "V": 1, "beta": 0.1}),
    full=(
        *grid(m=[100, 1000], V=[0, 1, 2], beta=[0.999, 1e-3, 1e-8]),
        *grid(m=[100_000], V=[0, 10], beta=[0.5, 1e-300]),
        *grid(m=[1, 6], V=[0, 1], beta=[0.999]),
    ),
    control=Control("Q divided by {}", (4, 8), {"m": 100_000, "V": 0, "beta": 1e-300}),
    given=(proof.ghost_reaches, proof.deviation_of_risk, proof.swapping_tail, proof.union_over_patterns, proof.solved),
    nonvacuous_from=smallest_sample,
    cost=0.35,
    note="V is the VC dimension of the sets of errors; with that of sign(h), and ties counted as errors, the lemma is "
    "false (step s0). (2m)^V does not bound the growth function for V = 1, but the lemma holds there too (step s4)",
)
def relative_deviation_holds(*, m, V, beta, factor=1):
    """The derivation, and the exact failure probabilities of one hypothesis and of all thresholds."""
    setting = {"m": m, "V": V, "beta": beta}
    level = level_of(bounds.relative_deviation, **setting)
    return decide_uniform(setting, m, V, beta, with_less(level, factor))


# Lemma A.1 on whole classes -------------------------------------------------------------------------------------------


def some_hypothesis_fails(problem, rng, size, m, beta, factor):
    """Fresh samples of m records each: is the supremum over all patterns of errors positive? Shape (size,)."""
    risk, empirical = problem.cells(rng, size, m)
    return (risk > bounds.relative(empirical, bounds.complexity(m, problem.vc, beta) / factor)).any(axis=1)


def sampled(vc, factors, **axes):
    """The fields of a sampled claim: `axes` at two sizes and two confidences, Q divided by `factors` as the control."""
    return dict(
        quick=grid(m=[200], beta=[0.1], **{name: values[:1] for name, values in axes.items()}),
        full=grid(m=[100, 1000], beta=[0.1], **axes) + grid(m=[1000], beta=[0.01], **axes),
        control=Control("Q divided by {}", factors),
        chunk=lambda *, beta, **setting: int(10 / beta),
        cap=5,
        cost=1e-4,
        trivial=lambda *, m, beta, **setting: (
            "the bound is at least 1 at empirical risk 0" if 4 * bounds.complexity(m, vc, beta) >= 1 else None
        ),
        nonvacuous_from=lambda: smallest_sample(vc),
    )


@tail_claim(bounds.thresholds, **sampled(1, (16,), noise=[0.1, 0.0, 0.5]))
def thresholds_deviate(rng, size, *, m, noise, beta, factor=1):
    """Thresholds on [0, 1], labels flipped with probability `noise`."""
    return some_hypothesis_fails(hypothesis_classes.Thresholds(noise), rng, size, m, beta, factor)


@tail_claim(bounds.halfspaces, **sampled(2, (32,), noise=[0.1, 0.0, 1.0]))
def halfspaces_deviate(rng, size, *, m, noise, beta, factor=1):
    """Directions within one radian of e_1, a share `noise` of them anywhere on the circle."""
    return some_hypothesis_fails(hypothesis_classes.Halfplanes(1.0, noise), rng, size, m, beta, factor)


@tail_claim(bounds.mixture, **sampled(2, (32,), shift=[1.0, 0.0, 3.0]))
def mixture_deviates(rng, size, *, m, shift, beta, factor=1):
    """Two Gaussians at distance 2 `shift`."""
    return some_hypothesis_fails(hypothesis_classes.Mixture(shift), rng, size, m, beta, factor)


@tail_claim(bounds.stumps, **sampled(3, (32,), noise=[0.1, 0.0, 0.5]))
def stumps_deviate(rng, size, *, m, noise, beta, factor=1):
    """Stumps on the unit square."""
    return some_hypothesis_fails(hypothesis_classes.Stumps(noise), rng, size, m, beta, factor)


if __name__ == "__main__":
    script(__spec__.name)
