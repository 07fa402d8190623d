"""Lemma A.1 on classes whose suprema are computed exactly, sample after sample."""

from __future__ import annotations

from bounds import deviation as bounds
from bounds import deviation_classes as classes
from experiments.claim import Sabotage, grid, tail_claim
from experiments.deviation import smallest_sample
from mechanisms import hypotheses

# Classes, by exact suprema over samples -----------------------------------------------------------------------------


def sampled_class(statement, problem, sizes, factors):
    """Register the tail claim of one class: is the supremum over all hypotheses positive?"""

    def sup_is_positive(rng, size, *, m, noise, beta, factor=1):
        """Fresh samples of m records each; the supremum runs over every pattern of errors."""
        made = problem(noise)
        risk, empirical = made.cells(rng, size, m)
        return (risk > bounds.relative(empirical, bounds.complexity(m, made.vc, beta) / factor)).any(axis=1)

    name = f"{statement.theorem.part}_deviate"
    sup_is_positive.__name__ = sup_is_positive.__qualname__ = name
    return tail_claim(
        statement,
        quick=({"m": sizes[0], "noise": 0.1, "beta": 0.1},),
        full=(*grid(m=sizes[1:], noise=[0.0, 0.1, 0.5], beta=[0.1]), {"m": sizes[1], "noise": 0.05, "beta": 0.01}),
        control=Sabotage("Q divided by {}", factors),
        chunk=lambda *, beta, **setting: int(10 / beta),
        cap=5,
        cost=3e-4,
        expect=0.0,
        nonvacuous_from=lambda: smallest_sample(problem(0.0).vc),
    )(sup_is_positive)


sampled_class(classes.thresholds, hypotheses.Thresholds, (200, 60, 1000), (16, 32))
sampled_class(classes.halfspaces, lambda noise: hypotheses.Halfplanes(1.0, noise), (200, 60, 1000), (32, 64))
sampled_class(classes.stumps, hypotheses.Stumps, (200, 100, 1000), (32, 64))
