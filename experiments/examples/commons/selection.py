"""What is chosen: exponential mechanism and kin, the sparse vector in its variants, stability and thresholds."""

from functools import partial
from itertools import product
from math import inf
from typing import Any

import numpy as np
from laws import integrate_pieces

from lemmata.paper import (
    Step,
    at_least,
    between,
    exact,
    exp,
    grid,
    in_unit_interval,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    theorem,
)

PURE = [positive("epsilon")]
ANY = [*PURE, in_unit_interval("delta")]
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


def tail(x: Any) -> Any:
    """The density of standard Laplace noise, and its tail beyond |x|."""
    return np.exp(-abs(x)) / 2


def above(x: Any) -> Any:
    """The chance that standard Laplace noise is above x."""
    return np.where(x > 0, tail(x), 1 - tail(x))


def laplace_wins(scores: tuple, epsilon: float) -> list[float]:
    """The chance of each score to be the largest after Laplace noise of scale 1/epsilon."""

    def best(i: int, x: Any) -> Any:
        rest = [above(epsilon * (s - x)) for j, s in enumerate(scores) if j != i]
        return epsilon * tail(epsilon * (x - scores[i])) * np.prod(rest, axis=0)

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


Block = tuple[float, int, bool]  # a query, how often it is asked, and whether the answers are above


def sparse(blocks: list[Block], threshold: float, noise: float, said: float = inf) -> float:
    """The chance of these answers beside a noisy threshold, with Laplace noise of two scales.

    `said` is a noisy value that is above the threshold too.
    """

    def chance(z: Any) -> Any:
        sides = [above((z - q) / noise if high else (q - z) / noise) ** times for q, times, high in blocks]
        return tail(z / threshold) / threshold * np.prod(sides, axis=0) * (z <= said)

    return integrate_pieces(chance, [0.0, *(q for q, *_ in blocks)] + [said] * (said < inf), 40 * threshold)


def sparse_loss(below: Any, many: int, threshold: float, noise: float) -> float:
    """The largest loss of 20 answers below and then `many` above, at 0, where each of both queries moves by one."""
    laws = [[(below + i, 20, False), (j, many, True)] for i, j in [(0, 0), *product((-1, 1), repeat=2)]]
    here, *moved = (np.log(sparse(law, threshold, noise)) for law in laws)
    return float(max(abs(here - other) for other in moved))


VECTOR = {
    "reach": {"epsilon": 4, "a": 9},
    "over": [between("a", -9, 9)],
    "rounding": 1e-6,
}
VECTOR |= {"quick": grid(epsilon=[1.0], a=[0.0, -3.0]), "caught": (1.5, 2, 4)}


@theorem("dr14.thm3.23", kind="privacy", says=r"\text{AboveThreshold is }\varepsilon\text{-DP}", needs=PURE)
def above_threshold(*, epsilon: Any) -> Any:
    """The sparse vector that stops at its first answer above. Use this for a stream of queries."""
    return epsilon


@theorem("lsl17.thm2", kind="privacy", says=r"\text{Algorithm 1 is }\varepsilon\text{-DP}", needs=PURE)
def sparse_vector(*, epsilon: Any) -> Any:
    """The sparse vector with c answers above, one threshold and noise 4c/epsilon. Use this for several answers."""
    return epsilon


oracle_claim(above_threshold, oracle="exact", **VECTOR)(
    lambda *, epsilon, a: sparse_loss(a, 1, 2 / epsilon, 4 / epsilon)
)
oracle_claim(sparse_vector, oracle="exact", **VECTOR)(lambda *, epsilon, a: sparse_loss(a, 2, 2 / epsilon, 8 / epsilon))

QUOTED = {"kind": "privacy", "reading": "quoted", "needs": PURE}


@theorem(
    "r11.svt",
    says=r"\text{Algorithm 3 of Lyu et al. is }\varepsilon\text{-DP}",
    quoted_by="Lyu, Su & Li 2017, Algorithm 3",
    **QUOTED,
)
def sparse_with_values(*, epsilon: Any) -> Any:
    """A sparse vector that releases the noisy value it has compared. Use fresh noise for the value."""
    return epsilon


@theorem(
    "lc14.svt",
    says=r"\text{Algorithm 4 of Lyu et al. is }\varepsilon\text{-DP}",
    quoted_by="Lyu, Su & Li 2017, Algorithm 4",
    **QUOTED,
)
def sparse_without_count(*, epsilon: Any) -> Any:
    """A sparse vector whose noise does not grow with the number c of answers above. Use noise that does."""
    return epsilon


@sparse_without_count.corrected(
    says=r"\text{Algorithm 4 of Lyu et al. is }\tfrac{1+6c}{4}\varepsilon\text{-DP}", needs=[*PURE, integer("c")]
)
def sparse_without_count_true(*, epsilon: Any, c: Any) -> Any:
    """What Algorithm 4 promises for c answers above, after Lyu et al. Use Algorithm 1."""
    return (1 + 6 * c) / 4 * epsilon


@theorem(
    "scm14.svt",
    says=r"\text{Algorithm 5 of Lyu et al. is }\varepsilon\text{-DP}",
    quoted_by="Lyu, Su & Li 2017, Algorithm 5",
    **QUOTED,
)
def sparse_without_noise(*, epsilon: Any) -> Any:
    """A sparse vector with noise on the threshold only, and no limit of answers. Use Algorithm 1."""
    return epsilon


@theorem(
    "cxzx15.svt",
    says=r"\text{Algorithm 6 of Lyu et al. is }\varepsilon\text{-DP}",
    quoted_by="Lyu, Su & Li 2017, Algorithm 6",
    **QUOTED,
)
def sparse_without_end(*, epsilon: Any) -> Any:
    """A sparse vector without a limit of answers above. Use Algorithm 1."""
    return epsilon


def step_loss(*, below: int, above: int, threshold: float, noise: float, said: float = inf) -> float:
    """The loss of `below` answers below, then `above` above, on queries 0 and 1 that become 1 and 0."""
    laws = ([(s, below, False), (1 - s, above, True)] for s in (0, 1))
    here, there = (np.log(sparse(law, threshold, noise, said)) for law in laws)
    return float(here - there)


def loss_without_noise(*, epsilon: float) -> float:
    """The loss of 0 below and 1 above the noisy threshold z, 0 < z <= 1, on queries that become 1 < z <= 0."""
    here, there = (max(np.exp(-low * epsilon / 2) - np.exp(-high * epsilon / 2), 0) for low, high in ((0, 1), (1, 0)))
    return float(np.log(here / there)) if there else inf


BROKEN = {"severity": "privacy", "corrected_by": sparse_vector, "quick": grid(epsilon=[1.0]), "oracle": "exact"}
PROGRAM = """from selection import {name}, step_loss
assert step_loss({setting}) > {name}(epsilon=1.0)"""
oracle_claim(
    sparse_with_values,
    note="the value tells where the threshold is: the loss grows with the answers below",
    python=PROGRAM.format(name="sparse_with_values", setting="below=20, above=0, threshold=2, noise=2, said=0"),
    **BROKEN,
)(lambda *, epsilon: step_loss(below=20, above=0, threshold=2 / epsilon, noise=2 / epsilon, said=0))
oracle_claim(
    sparse_without_count,
    note="the noise of a query is that of one answer: the loss is up to (1 + 6c)/4 times ε",
    python=PROGRAM.format(name="sparse_without_count", setting="below=10, above=5, threshold=4, noise=4 / 3"),
    **BROKEN | {"corrected_by": sparse_without_count_true},
)(lambda *, epsilon: step_loss(below=10, above=5, threshold=4 / epsilon, noise=4 / (3 * epsilon)))
oracle_claim(
    sparse_without_count_true,
    oracle="exact",
    quick=grid(epsilon=[1.0, 0.3], c=[5, 1]),
    reach={"epsilon": 2, "c": 6},
    caught=(1.5, 2, 4),
)(lambda *, epsilon, c: step_loss(below=10, above=c, threshold=4 / epsilon, noise=4 / (3 * epsilon)))
oracle_claim(
    sparse_without_noise,
    note="a query that is no longer below tells the threshold: the loss has no bound",
    python="""from selection import loss_without_noise, sparse_without_noise
assert loss_without_noise(epsilon=1.0) > sparse_without_noise(epsilon=1.0)""",
    **BROKEN,
)(lambda *, epsilon: exact(loss_without_noise(epsilon=epsilon)))
oracle_claim(
    sparse_without_end,
    note="the loss grows with the number of answers",
    python=PROGRAM.format(name="sparse_without_end", setting="below=10, above=10, threshold=2, noise=2"),
    **BROKEN,
)(lambda *, epsilon: step_loss(below=10, above=10, threshold=2 / epsilon, noise=2 / epsilon))


@theorem(
    "ts13.dist",
    part="privacy",
    kind="privacy",
    says=r"\Pr[A_{dist}\ne\bot\mid f\text{ is unstable}]\le\delta",
    needs=ANY,
)
def propose_test_release(*, epsilon: Any, delta: Any) -> Any:
    """The threshold for the noisy distance to instability, log(1/delta)/epsilon. Use this where f rarely changes.

    >>> print(round(propose_test_release(epsilon=0.5, delta=exp(-3.0)), 6))
    6.0
    """
    return log(1 / delta) / epsilon


@theorem(
    "ts13.dist",
    part="utility",
    kind="tail",
    says=r"f\text{ is }\tfrac{\log(1/\delta)+\log(1/\beta)}{\varepsilon}\text{-stable}"
    r"\Rightarrow\Pr[A_{dist}=\bot]\le\beta",
    needs=[*ANY, in_unit_interval("beta")],
)
def stable_enough(*, epsilon: Any, delta: Any, beta: Any) -> Any:
    """The distance to instability at which the value is released. Use log(1/(2 delta)) to save a constant.

    >>> print(round(stable_enough(epsilon=0.5, delta=exp(-3.0), beta=exp(-1.0)), 6))
    8.0
    """
    return (log(1 / delta) + log(1 / beta)) / epsilon


oracle_claim(
    propose_test_release,
    oracle="exact",
    against="delta",
    caught=(1.5, 2),
    quick=grid(epsilon=[1.0, 0.1], delta=[1e-6, 0.5]),
    steps=ALGEBRA,
)(lambda level, *, epsilon, delta: exp(-epsilon * level) / 2)
oracle_claim(
    stable_enough,
    oracle="exact",
    against="beta",
    caught=(1.1, 2),
    quick=grid(epsilon=[1.0], delta=[1e-6], beta=[0.01, 0.5]),
    steps=ALGEBRA,
)(
    lambda distance, *, epsilon, delta, beta: (
        exp(-epsilon * (distance - propose_test_release(epsilon=epsilon, delta=delta))) / 2
    )
)

SMOOTH = [between("v", -1, 1), between("x", -1, 1)]  # how the smooth sensitivity, and the value, move


@theorem(
    "nrs07.cauchy",
    kind="privacy",
    says=r"f+\frac{6}{\varepsilon}S\,\eta,\ S\ \tfrac{\varepsilon}{6}\text{-smooth},\ \eta\ \text{Cauchy}"
    r"\Rightarrow\varepsilon\text{-DP}",
    needs=PURE,
)
def smooth_cauchy(*, epsilon: Any) -> Any:
    """The privacy of Cauchy noise at the smooth sensitivity. Use this for pure privacy."""
    return epsilon


def cauchy_loss(*, epsilon: Any, v: Any, x: Any, z: Any) -> Any:
    """The loss at z where S = 1 becomes e^(v epsilon/6) and the value moves by x, at most the smaller of both."""
    s, t = 6 / epsilon, 6 / epsilon * exp(v * epsilon / 6)
    return log(t / s) + log((1 + ((z - x * min(1, t / s)) / t) ** 2) / (1 + (z / s) ** 2))


oracle_claim(
    smooth_cauchy,
    over=[*SMOOTH, between("z", -1e6, 1e6)],
    caught=(2, 4, 8),
    oracle="exact",
    quick=grid(epsilon=[1.0, 5.0], v=[1.0, -1.0], x=[-1.0, 0.5], z=[0.0, 6.0, -6.0]),
    reach={"epsilon": 50},
)(cauchy_loss)


@theorem(
    "nrs07.laplace",
    kind="privacy",
    reading="quoted",
    quoted_by="us, with the constants of Vadhan 2017; versions of the paper differ",
    says=r"f+\frac2\varepsilon S\,\mathrm{Lap}(1),\ S\ \tfrac{\varepsilon}{2\log(2/\delta)}\text{-smooth}"
    r"\Rightarrow(\varepsilon,\delta)\text{-DP}",
    needs=ANY,
)
def smooth_laplace(*, epsilon: Any, delta: Any) -> Any:
    """The smoothness that Laplace noise of scale 2 S/epsilon needs. Use this for the median."""
    return epsilon / (2 * log(2 / delta))


def smooth_delta(beta: float, *, epsilon: float, delta: float, v: float) -> float:
    """The delta of Laplace noise of scale s at 0 against scale s e^(v beta) at the smaller of 1 and e^(v beta)."""
    s, t, at = 2 / epsilon, 2 / epsilon * np.exp(v * beta), min(1.0, np.exp(v * beta))
    gain = lambda z: np.maximum(tail(z / s) / s - np.exp(epsilon) * tail((z - at) / t) / t, 0)  # noqa: E731
    return integrate_pieces(gain, [0.0, at], 40 * s)


oracle_claim(
    smooth_laplace,
    against="delta",
    oracle="exact",
    over=[between("v", -1, 1)],
    caught=(0.1,),
    quick=grid(epsilon=[1.0], delta=[0.01, 0.1], v=[-1.0, 1.0]),
    reach={"epsilon": 5},
)(smooth_delta)


@theorem(
    "v17.thm3.5",
    kind="privacy",
    says=r"\text{threshold }\frac{2\log(2/\delta)}{\varepsilon n}+\frac1n\Rightarrow(\varepsilon,\delta)\text{-DP}",
    needs=ANY,
)
def stability_histogram(*, epsilon: Any, delta: Any) -> Any:
    """The least noisy count that is released, noise of scale 2/epsilon. Use this where keys are not public.

    >>> print(round(stability_histogram(epsilon=0.5, delta=2 * exp(-3.0)), 6))
    13.0
    """
    return 1 + 2 * log(2 / delta) / epsilon


@theorem(
    "dvg22.laplace",
    kind="privacy",
    says=r"\text{threshold }1-\frac{\log(2\delta)}{\varepsilon}\Rightarrow(\varepsilon,\delta)\text{-DP}",
    needs=[*PURE, between("delta", 0, 0.5), positive("delta")],
)
def laplace_threshold(*, epsilon: Any, delta: Any) -> Any:
    """The same with noise of scale 1/epsilon, one record more, one key each. Use the optimal selection instead."""
    return 1 - log(2 * delta) / epsilon


oracle_claim(
    stability_histogram,
    oracle="exact",
    cites=["Vadhan 2017, Theorem 3.5: only keys of one record cost delta"],
    against="delta",
    caught=(1.5, 2),
    quick=grid(epsilon=[1.0, 0.1], delta=[1e-6, 0.5]),
    steps=ALGEBRA,
)(lambda level, *, epsilon, delta: exp(-epsilon / 2 * (level - 1)) / 2)
oracle_claim(
    laplace_threshold,
    oracle="exact",
    against="delta",
    quick=grid(epsilon=[1.0, 0.1], delta=[1e-6, 0.25]),
    steps=ALGEBRA,
)(lambda level, *, epsilon, delta: exp(-epsilon * (level - 1)) / 2)


@theorem(
    "dvg22.thm1",
    kind="privacy",
    says=r"\pi(n+1)=\min(e^\varepsilon\pi(n)+\delta,1-e^{-\varepsilon}(1-\pi(n)-\delta),1)\text{ is the largest}",
    needs=[integer("n"), *PURE, between("delta", 0, 0.5), positive("delta")],
)
def optimal_selection(*, n: int, epsilon: Any, delta: Any) -> Any:
    """The largest chance to release a key of n records. Use this to choose keys.

    >>> print(round(optimal_selection(n=1, epsilon=1.0, delta=0.25), 6))
    0.25
    """
    kept = 0.0
    for _ in range(n):
        kept = min(np.exp(epsilon) * kept + delta, 1 - np.exp(-epsilon) * (1 - kept - delta), 1)
    return kept


def laplace_kept(*, n: int, epsilon: float, delta: float) -> float:
    """The chance that Laplace noise keeps a key of n records."""
    short = laplace_threshold(epsilon=epsilon, delta=delta) - n
    return np.exp(-epsilon * short) / 2 if short > 0 else 1 - np.exp(epsilon * short) / 2


oracle_claim(
    optimal_selection,
    oracle="exact",
    quick=grid(n=[1, 5, 50], epsilon=[1.0, 0.1], delta=[1e-6, 0.1]),
    reach={"n": 300, "epsilon": 20},
)(laplace_kept)
