"""Relative deviation: Lemma A.1 of bms22, Lemma I.2 and Lemma 6.6 of wzw25.

The lemmas hold by the derivation in `bounds.bms22.relative_deviation`; its steps are decided in
`experiments.bms22.relative_deviation_proof`. The exact failure probabilities of concrete laws stand beside it, down to
beta = 1e-300.

Lemma A.1 on classes whose suprema are computed exactly, sample after sample.
"""

from __future__ import annotations

import itertools

from bounds.bms22 import relative_deviation as bounds
from bounds.exact.balls import exact
from experiments.engine.claim import Control, exact_claim, grid, tail_claim
from experiments.engine.verdict import inconclusive, refuted
from experiments.instances import hypothesis_classes
from experiments.instances.deviation_laws import decide_uniform, level_of, one_hypothesis, tail_witness

LINKS = tuple(f"bms22.lemA.1.{s}" for s in ("s1/printed", "s2/printed", "s3/printed", "s4/corrected", "s5/printed"))


def smallest_sample(V=1, beta=0.1, constant=4):
    """The smallest m with constant * Q < 1."""
    return next(m for m in itertools.count(1) if constant * bounds.complexity(m, V, beta) < 1)


def shrunk(display, m, V, beta, factor):
    """The display with Q / factor in place of Q, in balls."""
    Q = bounds.complexity(exact(m), V, exact(beta)) / factor
    return lambda empirical: display(empirical, Q)


# Lemma A.1 and its citation -----------------------------------------------------------------------------------------


@exact_claim(
    bounds.relative_deviation,
    quick=({"m": 5000, "V": 1, "beta": 1e-300}, {"m": 100, "V": 1, "beta": 0.1}),
    full=(
        *grid(m=[100, 1000], V=[0, 1, 2], beta=[0.999, 1e-3, 1e-8]),
        *grid(m=[100_000], V=[0, 10], beta=[0.5, 1e-300]),
        *grid(m=[1, 6], V=[0, 1], beta=[0.999]),
    ),
    control=Control("Q divided by {}", (4, 8), {"m": 100_000, "V": 0, "beta": 1e-300}),
    given=LINKS,
    nonvacuous_from=smallest_sample,
    cost=0.35,
    note="V is the VC dimension of the sets of errors; with that of sign(h), and ties counted as errors, the lemma is "
    "false (step s0). (2m)^V does not bound the growth function for V = 1, but the lemma holds there too (step s4)",
)
def relative_deviation_holds(*, m, V, beta, factor=1):
    """The derivation, and the exact failure probabilities of one hypothesis and of all thresholds."""
    setting = {"m": m, "V": V, "beta": beta}
    level = level_of(bounds.relative_deviation, **setting)
    if factor > 1:
        level = shrunk(bounds.relative, m, V, beta, factor)
    return decide_uniform(setting, m, V, beta, level)


APPENDIX = """
from bounds.bms22 import relative_deviation
from bounds.exact.binomials import at_most
from bounds.exact.balls import exact
m, V, beta, errors = {m}, {V}, exact({beta!r}), {errors}
level = relative_deviation.relative_deviation_of_the_appendix(m=exact(m), V=V, beta=beta, empirical=exact(errors) / m)
# One hypothesis whose risk is just above the level makes at most so many errors with this probability.
chance = at_most(m, level, errors)
assert chance > beta, (chance, beta)
"""


@exact_claim(
    bounds.relative_deviation_of_the_appendix,
    quick=({"m": 100_000, "V": 1, "beta": 0.1},),
    severity="constant",
    corrected_by="bms22.lemA.1/printed",
    cost=0.4,
    note="the paper's text, which we call printed, has the root over the product; so does the second paper's citation",
)
def root_must_cover_the_product(*, m, V, beta, factor=1):
    """The exact failure probability of one hypothesis at the worst risk."""
    setting = {"m": m, "V": V, "beta": beta}
    level = level_of(bounds.relative_deviation_of_the_appendix, **setting)
    truth, errors = one_hypothesis(m, level)
    if truth > exact(beta):
        python = APPENDIX.format(**setting, errors=errors).strip()
        return refuted("certificate", tail_witness(setting, beta, truth, f"one hypothesis, {errors} errors", python))
    return inconclusive("ONE_SIDED_ORACLE", "one hypothesis does not fail often enough here")


def some_hypothesis_fails(problem, rng, size, m, beta, factor):
    """Fresh samples of m records each: is the supremum over all patterns of errors positive? Shape (size,)."""
    risk, empirical = problem.cells(rng, size, m)
    return (risk > bounds.relative(empirical, bounds.complexity(m, problem.vc, beta) / factor)).any(axis=1)


def sampled(vc, factors, **axes):
    """What the claims share: settings, sizes of chunks and caps, the control."""
    return dict(
        quick=grid(m=[200], beta=[0.1], **{name: values[:1] for name, values in axes.items()}),
        full=grid(m=[100, 1000], beta=[0.1], **axes) + grid(m=[1000], beta=[0.01], **axes),
        control=Control("Q divided by {}", factors),
        chunk=lambda *, beta, **setting: int(10 / beta),
        cap=5,
        cost=1e-4,
        expect=0.0,
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
    from experiments.__main__ import script

    script(__spec__.name)
