"""The generalized exponential mechanism decided exactly: abgmu22.thm.gem.

Every law is finite and computed, none sampled but under attack. The derivation is exact arithmetic on the normalised
scores (three steps), then the exponential mechanism of sensitivity 1.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from bounds.abgmu22 import generalized_exponential as bounds
from experiments.engine.claim import Control, attack_claim, exact_claim, grid
from experiments.engine.verdict import holds, inconclusive, refuted
from mechanisms.generalized_exponential import law
from mechanisms.privacy import PureDP

ROUNDING = 1e-12  # relative, where floats meet a bound
BEYOND = 1 + 1e-9  # just worse than allowed
STEPS = tuple(f"abgmu22.thm.gem.s{i}/explicit" for i in (1, 2, 3))


# The normalised scores, in fractions --------------------------------------------------------------------------------


def exact_normalised(q, gamma, t, own=1):
    """s_i in exact arithmetic, as printed; `own` != 1 is the sabotage of s2."""
    raised = [a + t * g for a, g in zip(q, gamma, strict=True)]
    return [max((own * raised[i] - raised[j]) / (gamma[i] + gamma[j]) for j in range(len(q))) for i in range(len(q))]


def lattice():
    """Scores, sensitivities and shifts: ties, equal and very unequal sensitivities, no shift."""
    tiny = Fraction(1, 1000)
    for n, levels in ((1, (0, 1)), (2, (0, 1, 5)), (3, (0, 3))):
        for q in itertools.product(map(Fraction, levels), repeat=n):
            for gamma in itertools.product((tiny, Fraction(1), Fraction(3)), repeat=n):
                for t in (Fraction(0), Fraction(1, 2), Fraction(7)):
                    yield q, gamma, t


def unlike(q, gamma, t):
    """Is the float function another than the exact one?"""
    q, gamma, t, right = (np.array(x, dtype=float) for x in (q, gamma, t, exact_normalised(q, gamma, t)))
    return not np.allclose(bounds.normalised_scores(scores=q, sensitivities=gamma, t=t), right, rtol=1e-9, atol=1e-9)


def broken(q, gamma, t, left, right):
    """A step that fails at one point of the lattice."""
    point = {"scores": list(map(float, q)), "sensitivities": list(map(float, gamma)), "t": float(t)}
    found = {"setting": point, "point": point, "claimed": float(right), "found": float(left), "python": ""}
    return refuted("enumeration", found | {"lhs": [float(left)] * 2, "rhs": [float(right)] * 2})


@exact_claim(bounds.normalised_sensitivity, control=Control("scores that move by {} sensitivities", (1.1, 2)), cost=0.1)
def one_at_most(*, factor=1):
    """All corners of the neighbourhood (each term is linear in the scores), on the lattice, in fractions."""
    most, allowed = Fraction(0), bounds.normalised_sensitivity()
    for q, gamma, t in itertools.islice(lattice(), 0, None, 4):
        before = exact_normalised(q, gamma, t)
        for signs in itertools.product((-1, 1), repeat=len(q)):
            moved = [a + s * Fraction(factor) * g for a, s, g in zip(q, signs, gamma, strict=True)]
            apart = max(abs(a - b) for a, b in zip(before, exact_normalised(moved, gamma, t), strict=True))
            if apart > allowed:
                return broken(q, gamma, t, apart, allowed)
            most = max(most, apart)
    return holds("derivation", "everywhere", tightness=(float(most), float(most)))


@exact_claim(bounds.best_normalised, control=Control("the own raised score times {}", (1.1, 2)), cost=0.1)
def best_is_zero(*, factor=1):
    """min_i s_i on the lattice, in fractions."""
    for q, gamma, t in lattice():
        least = min(exact_normalised(q, gamma, t, own=Fraction(factor)))
        if least != bounds.best_normalised():
            return broken(q, gamma, t, least, 0)
        if factor == 1 and unlike(q, gamma, t):
            return inconclusive("FAILED", "the float function is not the one examined")
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(bounds.reached, control=Control("2 t divided by {}", (1.1, 2)), cost=0.1)
def good_scores_are_good(*, factor=1):
    """Every i with s_i <= t on the lattice, in fractions."""
    for q, gamma, t in lattice():
        allowed = bounds.reached(scores=q, sensitivities=gamma, t=t / Fraction(factor))
        for value, s in zip(q, exact_normalised(q, gamma, t), strict=True):
            if s <= t and value > allowed:
                return broken(q, gamma, t, value, allowed)
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note="equality where s_i = t and gamma_i = gamma_j")


# Accuracy -----------------------------------------------------------------------------------------------------------


def allowed_loss(gamma, *, epsilon, beta, divide=1):
    """4 gamma_j log(N/beta) / epsilon for every candidate."""
    known = dict(candidates=len(gamma), epsilon=epsilon, beta=beta)
    return np.array([bounds.selection_penalty(sensitivity=g, **known) for g in gamma]) / divide


def failure(scores, gamma, *, epsilon, beta, divide=1):
    """P(the selected score exceeds min_j score_j + loss_j / divide), exactly."""
    q = np.asarray(scores)
    chosen = np.exp(law(q, gamma, beta=beta, privacy=PureDP(epsilon)).log_probabilities())
    return float(chosen[q > (q + allowed_loss(gamma, epsilon=epsilon, beta=beta, divide=divide)).min()].sum())


def worst_scores(gamma, *, best=0, **known):
    """One candidate at 0, all others just beyond what it allows."""
    scores = np.full(len(gamma), allowed_loss(gamma, **known)[best] * BEYOND)
    scores[best] = 0.0
    return scores


@exact_claim(
    bounds.selection_penalty,
    quick=grid(candidates=[300], epsilon=[1.0], beta=[0.1]),
    full=(
        {"candidates": 1, "epsilon": 1.0, "beta": 0.999},
        {"candidates": 2, "epsilon": 0.01, "beta": 1e-12},
        {"candidates": 1000, "epsilon": 30.0, "beta": 1e-3},
        {"candidates": 10, "epsilon": 1e-6, "beta": 0.5},
    ),
    control=Control("the loss allowed divided by {}", (1.1, 1.5, 2)),
    given=("bms22.thm3.1.em-accuracy/explicit", *STEPS),
    trivial=lambda beta, **_: "beta is at least 1" if beta >= 1 else None,
    cost=0.1,
    note="an existence statement without privacy, true of the argmin; read as the accuracy of Raskhodnikova & Smith's "
    "Algorithm 1. The statement has K scores and N pairs, meant equal; beta >= 1, allowed, says nothing; gamma_j = 0 "
    "is allowed",
)
def score_too_high(*, candidates, epsilon, beta, factor=1):
    """The worst scores at equal sensitivities, and 40 draws of unequal ones with all rivals at the threshold."""
    known = dict(epsilon=epsilon, beta=beta, divide=factor)
    gamma = np.ones(candidates)
    exactly = failure(worst_scores(gamma, **known), gamma, **known)
    rng, searched = np.random.default_rng(candidates), 0.0
    for _ in range(40):
        n = int(rng.integers(1, min(candidates, 12) + 1))
        gamma = 10 ** rng.uniform(-6, 1, size=n) * rng.choice([0.0, 1.0], size=n, p=[0.1, 0.9])
        scores = worst_scores(gamma, best=int(rng.integers(n)), **known)
        searched = max(searched, failure(scores, gamma, **known))
    if max(exactly, searched) > beta:
        code = [
            "import numpy as np",
            "from bounds.abgmu22.generalized_exponential import selection_penalty",
            "from mechanisms.privacy import PureDP",
            "from mechanisms.generalized_exponential import law",
            f"N, epsilon, beta = {candidates!r}, {epsilon!r}, {beta!r}",
            f"loss = selection_penalty(sensitivity=1.0, candidates=N, epsilon=epsilon, beta=beta) / {factor!r}",
            "chosen = law([0.0] + [loss * (1 + 1e-9)] * (N - 1), np.ones(N), beta=beta, privacy=PureDP(epsilon))",
            "assert np.exp(chosen.log_probabilities())[1:].sum() > beta",
        ]
        setting = {"candidates": candidates, "epsilon": epsilon, "beta": beta}
        found = {"setting": setting, "claimed": beta, "found": max(exactly, searched), "python": "\n".join(code)}
        return refuted("enumeration", found)
    betas, fifty = [10.0**-k for k in range(1, 9)], np.ones(50)
    curve = [failure(worst_scores(fifty, epsilon=epsilon, beta=b), fifty, epsilon=epsilon, beta=b) for b in betas]
    ratio = exactly / beta
    note = f"the worst scores fail with {ratio:.3f} beta, random ones with {searched / beta:.3f} beta at most"
    series = {"beta": betas, "bound": betas, "exact, N = 50": curve}
    return holds("derivation", "everywhere", tightness=(ratio, 1.0), note=note, series=series)


# Privacy ------------------------------------------------------------------------------------------------------------


def rare_choice(heavy, *, epsilon, beta, rare=1, reference=1e-6):
    """Neighbours that spend almost all of epsilon: (scores before, scores after, sensitivities).

    A reference that hardly moves, `heavy` candidates level with it, and `rare` ones behind. The heavy ones get worse by
    their sensitivity 1, the rare ones better: normalised scores 0 -> 1 and 1 -> 0.
    """
    gamma = np.array([reference] + [1.0] * (heavy + rare))
    t = bounds.shift(candidates=len(gamma), epsilon=epsilon, beta=beta)
    before = np.array([0.0] * (heavy + 1) + [1.0] * rare) - t * gamma
    return before, before + gamma * np.array([-1.0] + [1.0] * heavy + [-1.0] * rare), gamma


def log_ratio(one, other):
    """The largest log-ratio over all outputs, both orders, of two laws with the same candidates in play.

    From log-probabilities: far candidates have probabilities below the smallest float.
    """
    one, other = one.log_probabilities(), other.log_probabilities()
    seen = np.isfinite(one) | np.isfinite(other)
    return float(np.abs(one[seen] - other[seen]).max())


@exact_claim(
    bounds.generalized_epsilon,
    quick=grid(epsilon=[1.0]),
    full=grid(epsilon=[1e-3, 0.1, 5.0, 20.0]),
    control=Control("a mechanism short by a factor of {}", (1.05, 1.5, 2)),
    given=("bms22.thm3.1.em-privacy/printed", STEPS[0]),
    cost=0.4,
)
def every_corner(*, epsilon, factor=1):
    """Corners q_j +- gamma_j and unmoved scores around random (q, gamma), N <= 4; and the family that spends it all.

    The corners look for a hole in the derivation, the family shows that nothing can be saved.
    """
    bound, beta, spent = bounds.generalized_epsilon(epsilon=epsilon), 0.05, factor * epsilon
    rng, searched = np.random.default_rng(5), 0.0
    for _ in range(40):
        n = int(rng.integers(2, 5))
        gamma, q = 10 ** rng.uniform(-3, 1, size=n), rng.uniform(-5, 5, size=n)
        known = dict(beta=beta, privacy=PureDP(spent))
        middle = law(q, gamma, **known)
        for signs in itertools.product((-1, 0, 1), repeat=n):
            searched = max(searched, log_ratio(middle, law(q + gamma * signs, gamma, **known)))
    sizes = [1, 3, 10, 30, 100, 600]
    family = []
    for heavy in sizes:
        before, after, gamma = rare_choice(heavy, epsilon=spent, beta=beta)
        family.append(log_ratio(*(law(q, gamma, beta=beta, privacy=PureDP(spent)) for q in (before, after))))
    series = {"candidates": [n + 2 for n in sizes], "bound": [bound] * len(sizes), "exact": family}
    worst = max(searched, *family)
    if worst > bound * (1 + ROUNDING):
        return refuted("enumeration", _witness(epsilon, spent, beta, family, sizes), series=series)
    note = f"corners reach {searched / bound:.3f} epsilon, the family {max(family) / bound:.4f} epsilon"
    return holds("derivation", "everywhere", tightness=(worst / bound, 1.0), note=note, series=series)


def _witness(epsilon, spent, beta, family, sizes):
    """A mechanism that spends more than epsilon, on the family."""
    heavy, ratio = next(((n, r) for n, r in zip(sizes, family, strict=True) if r > epsilon), (sizes[-1], family[-1]))
    code = [
        "import numpy as np",
        "from bounds.abgmu22.generalized_exponential import shift",
        "from mechanisms.privacy import PureDP",
        "from mechanisms.generalized_exponential import law",
        f"heavy, spent, beta = {heavy!r}, {spent!r}, {beta!r}",
        "gamma = np.array([1e-6] + [1.0] * (heavy + 1))",
        "a = np.array([0.0] * (heavy + 1) + [1.0]) - shift(candidates=heavy + 2, epsilon=spent, beta=beta) * gamma",
        "b = a + gamma * np.array([-1.0] + [1.0] * heavy + [-1.0])",
        "p, q = (law(x, gamma, beta=beta, privacy=PureDP(spent)).log_probabilities() for x in (a, b))",
        f"assert max(q - p) > {epsilon!r}",
    ]
    return {
        "setting": {"epsilon": epsilon},
        "claimed": epsilon,
        "found": ratio,
        "a": f"scores of {heavy + 2} candidates, see python",
        "b": "every score moved by its sensitivity",
        "output": heavy + 1,
        "log_ratio": ratio,
        "python": "\n".join(code),
    }


@attack_claim(
    bounds.generalized_epsilon,
    law="generalized_exponential",
    attack="pure",
    bound=lambda epsilon, **_: epsilon,
    quick=grid(epsilon=[1.0], heavy=[100], rare=[11]),
    full=grid(epsilon=[0.5, 2.0], heavy=[100], rare=[11]),
    control=Control("a mechanism short by a factor of {}", (1.3, 1.6)),
    chunk=lambda **_: 20_000,
    cap=20,
    cost=4e-7,
)
def rare_neighbours(*, epsilon, heavy, rare, factor=1):
    """The family above with enough rare candidates to be seen: kappa = 0.90 at epsilon = 1."""
    spent = PureDP(factor * epsilon)
    before, after, gamma = rare_choice(heavy, epsilon=spent.epsilon, beta=0.05, rare=rare)
    return tuple(law(q, gamma, beta=0.05, privacy=spent) for q in (after, before))


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
