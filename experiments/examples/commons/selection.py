"""What is chosen: the exponential mechanism, report noisy max and permute and flip."""

from functools import partial
from itertools import product
from typing import Any

import numpy as np
from laws import integrate_pieces, laplace_above, laplace_tail

from lemmata.paper import (
    Step,
    at_least,
    between,
    exp,
    grid,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    theorem,
)

PURE = [positive("epsilon")]
OTHERS = {
    "oracle": "exact",
    "over": [positive("w")],
    "quick": grid(epsilon=[0.5, 2.0], w=[1e9, 1.0]),
    "reach": {"epsilon": 300},
}  # w: the weight of all others
CHOICE = r"\Pr[r]\propto e^{\varepsilon u(r)/2},\ \Delta u=1\Rightarrow\varepsilon\text{-DP}"
WHOLE = r"\Pr[r]\propto e^{\varepsilon u(r)},\ \Delta u=1\Rightarrow"
ALGEBRA = [Step("algebra")]


@theorem("mt07.thm6", kind="privacy", says=WHOLE + r"2\varepsilon\text{-DP}", needs=PURE)
def exponential(*, epsilon: Any) -> Any:
    """The privacy of weights e^(epsilon u), as first printed. Use the form with the 2."""
    return 2 * epsilon


@exponential.quoted(by="our reading without the 2, which no source claims", says=WHOLE + r"\varepsilon\text{-DP}")
def exponential_without(*, epsilon: Any) -> Any:
    """The same weights as epsilon-private. Use epsilon u/2."""
    return epsilon


@exponential.explicit(part="monotone", says=WHOLE + r"\varepsilon\text{-DP if all scores move in one direction}")
def exponential_monotone(*, epsilon: Any) -> Any:
    """The same weights for counts and other monotone scores. Use this for them: it saves the 2."""
    return epsilon


@theorem("dr14.thm3.10", kind="privacy", says=CHOICE, needs=PURE)
def exponential_half(*, epsilon: Any) -> Any:
    """The privacy of weights e^(epsilon u/2). Use this for one choice among few."""
    return epsilon


def both_move(*, epsilon: Any, w: Any) -> Any:
    """The loss where a score falls by one and the others, of weight w beside it, rise by one."""
    return log((1 + w * exp(2 * epsilon)) / (1 + w))


def one_moves(*, epsilon: Any, w: Any) -> Any:
    """The loss where the others rise by one, or both move by half of that."""
    return log((1 + w * exp(epsilon)) / (1 + w))


oracle_claim(exponential, steps=ALGEBRA, **OTHERS)(both_move)
oracle_claim(exponential_monotone, steps=ALGEBRA, **OTHERS)(one_moves)
oracle_claim(exponential_half, steps=ALGEBRA, **OTHERS)(one_moves)
oracle_claim(
    exponential_without,
    severity="privacy",
    corrected_by=exponential,
    note="scores move both ways: the loss is 2ε",
    python="""from selection import both_move, exponential_without
assert both_move(epsilon=0.5, w=1e9) > exponential_without(epsilon=0.5)""",
    **OTHERS,
)(both_move)


@theorem(
    "dr14.thm3.11",
    kind="tail",
    says=r"\Pr\left[u(M)\le\mathrm{OPT}-\frac{2}{\varepsilon}\left(\log\frac{k}{m}+t\right)\right]\le e^{-t}",
    needs=[integer("k"), integer("m"), require("m <= k", lambda m, k: m <= k), positive("t")],
)
def exponential_error(*, k: Any, m: Any, t: Any) -> Any:
    """The chance that none of m best among k candidates is nearly chosen. Use this to size a set of candidates."""
    return exp(-t)


oracle_claim(exponential_error, oracle="exact", quick=grid(k=[1000, 2], m=[1], t=[5.0, 0.1]), steps=ALGEBRA)(
    lambda *, k, m, t: (k - m) * exp(-t) / (k + (k - m) * exp(-t))
)


def laplace_wins(scores: tuple, epsilon: float) -> list[float]:
    """The chance of each score to be the largest after Laplace noise of scale 1/epsilon."""

    def best(i: int, x: Any) -> Any:
        rest = [laplace_above(epsilon * (s - x)) for j, s in enumerate(scores) if j != i]
        return epsilon * laplace_tail(epsilon * (x - scores[i])) * np.prod(rest, axis=0)

    return [integrate_pieces(partial(best, i), list(scores), 40 / epsilon) for i in range(len(scores))]


def largest_loss(law: Any, scores: tuple, moves: Any) -> float:
    """The largest log-ratio of the law of the scores to that of the moved ones."""
    here = np.log(law(scores))
    return max(float(np.max(here - np.log(law(tuple(np.add(scores, move)))))) for move in moves)


@theorem(
    "dr14.claim3.9",
    kind="privacy",
    says=r"\arg\max_i(c_i+\mathrm{Lap}(1/\varepsilon))\text{ is }\varepsilon\text{-DP}",
    needs=PURE,
)
def noisy_max(*, epsilon: Any) -> Any:
    """Report noisy max of counts. Use Gumbel or exponential noise, or permute and flip, which err less."""
    return epsilon


@noisy_max.quoted(
    by="our reading for any queries of sensitivity 1",
    says=r"\arg\max_i(q_i+\mathrm{Lap}(1/\varepsilon))\text{ is }\varepsilon\text{-DP}",
)
def noisy_max_of_any(*, epsilon: Any) -> Any:
    """The same for queries that move both ways. Use Laplace noise of scale 2/epsilon."""
    return epsilon


MAXIMA = {
    "reach": {"epsilon": 3, "a": 8},
    "over": [between("a", -8, 8)],
    "quick": grid(epsilon=[0.5, 2.0], a=[-8.0, 0.5]),
    "rounding": 1e-6,
}
oracle_claim(noisy_max, oracle="exact", **MAXIMA)(
    lambda *, epsilon, a: largest_loss(
        lambda s: laplace_wins(s, epsilon), (a, 0.0, 0.0), [*product((0, 1), repeat=3)][1:]
    )
)
oracle_claim(
    noisy_max_of_any,
    severity="privacy",
    corrected_by=noisy_max,
    note="the gap of two queries moves by 2, and so does the loss",
    python="""from math import exp, log
from selection import noisy_max_of_any
wins = lambda gap: exp(-gap / 2) / 2 * (1 + gap / 4)  # the loser by `gap` wins, epsilon = 1/2
assert log(wins(18) / wins(20)) > noisy_max_of_any(epsilon=0.5)""",
    **MAXIMA | {"quick": grid(epsilon=[0.5], a=[-8.0])},
)(lambda *, epsilon, a: largest_loss(lambda s: laplace_wins(s, epsilon), (a, 0.0), [(-1, 1)]))


def flip(scores: tuple, epsilon: float) -> list[float]:
    """Permute and flip: candidates come at uniform times t and are taken with chance e^(epsilon (score - best)/2)."""
    chances = np.exp(epsilon / 2 * (np.array(scores) - max(scores)))

    def taken(i: int) -> float:
        rest = np.poly1d([1.0])
        for j, p in enumerate(chances):
            rest = rest * np.poly1d([-p, 1.0]) if j != i else rest
        return float(chances[i] * rest.integ()(1.0))

    return [taken(i) for i in range(len(scores))]


@theorem("ms20.thm1", kind="privacy", says=r"M_{PF}\text{ is }\varepsilon\text{-DP}", needs=PURE)
def permute_and_flip(*, epsilon: Any) -> Any:
    """The privacy of permute and flip. Use this in place of the exponential mechanism."""
    return epsilon


@theorem(
    "ms20.thm2",
    kind="mean",
    says=r"E\,\mathrm{err}(M_{PF})\le E\,\mathrm{err}(M_{EM})",
    needs=[*PURE, at_least("a", 0), at_least("b", 0)],
)
def exponential_mean_error(*, epsilon: Any, a: Any, b: Any) -> Any:
    """The mean error of the exponential mechanism, two candidates a and b below the best. Use permute and flip."""
    weights = [np.exp(-epsilon / 2 * gap) for gap in (a, b)]
    return (a * weights[0] + b * weights[1]) / (1 + sum(weights))


FLIPS = {"oracle": "exact", "rounding": 1e-9, "reach": {"epsilon": 20, "a": 30, "b": 30}}
oracle_claim(
    permute_and_flip,
    over=[at_least("a", 0), at_least("b", 0)],
    quick=grid(epsilon=[0.5, 3.0], a=[8.0, 0.5], b=[0.0, 9.0]),
    **FLIPS,
)(lambda *, epsilon, a, b: largest_loss(lambda s: flip(s, epsilon), (0.0, -a, -b), product((-1, 0, 1), repeat=3)))


def errors(**_: Any) -> dict[str, list]:
    """The mean errors with two candidates at one distance below the best, epsilon = 1."""
    gaps = np.linspace(0.1, 20, 40).tolist()
    flipped = [float(np.dot(flip((0.0, -g, -g), 1.0), (0, g, g))) for g in gaps]
    return {
        "a": gaps,
        "exponential": [float(exponential_mean_error(epsilon=1, a=g, b=g)) for g in gaps],
        "flip": flipped,
    }


oracle_claim(
    exponential_mean_error,
    figure=errors,
    quick=grid(epsilon=[0.5, 3.0], a=[0.01, 1.0], b=[0.0, 9.0]),
    caught=(1.5, 2.5),
    **FLIPS,
)(lambda *, epsilon, a, b: float(np.dot(flip((0.0, -a, -b), epsilon), (0, a, b))))
