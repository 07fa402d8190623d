"""The quantities in the proofs of Lemma 3.1 and Theorem 3.2 of bms22, computed: copies, groups, moves, orders, gaps."""

from collections.abc import Callable, Generator, Iterator
from fractions import Fraction
from math import comb, e, exp, floor, inf, log, sqrt

import numpy as np
from flint import arb
from scipy.integrate import quad
from scipy.stats import binom, norm

from lemmata.bounds.bms22 import dp_erm_proof, phased_sgd
from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.bounds.exact.certify import at, over, supremum
from lemmata.bounds.exact.numbers import Array
from lemmata.experiments.checks.inequality import Link
from lemmata.experiments.instances.pairs.flipped_records import one_label_flipped
from lemmata.mechanisms.learners.erm import phased_sgd as laws
from lemmata.mechanisms.privacy import GaussianDP

BUDGETS = [
    (m, delta, M, share)
    for m in (1, 2, 10, 10**5)
    for delta in (0.9, 0.4, 1e-6, 1e-30)
    if delta * m < 1
    for M in (1, 3, 20)
    for share in (1e-6, 0.3, 1.0)
]


def at_least(j: int, m: int) -> Fraction:
    """P(J >= j), J ~ Bin(m, 1/m), in fractions."""
    below = sum(comb(m, i) * (m - 1) ** (m - i) for i in range(min(j, m + 1)))
    return 1 - Fraction(below, m**m)


def round_budgets() -> Iterator[dict]:
    """Settings of one round: BUDGETS, and a delta so near 1 that the last link of the group is nearly tight."""
    for m, delta, M, share in [*BUDGETS, (1, 0.999, 1, 1.0)]:
        yield {"m": m, "delta": delta, "rounds": M, "epsilon": share * -log(delta)}


def against_closed_form(statement: Callable, extra: int) -> Iterator[tuple[dict, arb, float]]:
    """(point, sum of floor(T) + extra terms at the epsilon' of the proof, its closed form as stated)."""
    for point in round_budgets():
        x = exact(dp_erm_proof.round_parameters(**point)[0])
        terms = floor(dp_erm_proof.allowed_copies(point["delta"], point["rounds"])) + extra
        yield point, (terms * x).expm1() / x.expm1(), statement(**point)


def farthest(n: int) -> float:
    """The largest move of a phase's average over replaced records, as a share of 2 L eta_i; random starts included."""
    rng, moves = np.random.default_rng(n), []
    phases = np.arange(1, len(phased_sgd.phase_lengths(n)) + 1)
    for seed in (None, 0, 1, 2, 3):
        for rho in (50.0, 0.7, 0.1):
            X, *labels = one_label_flipped(n, 2, 0 if seed is None else int(rng.integers(0, n // 2)), seed)
            law, other = (
                laws.law(X, y, rho=rho, radius=1.0, norm_bound=1.0, privacy=GaussianDP(1.0), output="phases")
                for y in labels
            )
            starts = rng.normal(size=(len(phases), 3, 2)) * (0.0 if seed is None else 0.5)
            moved = np.linalg.norm(law.averages(starts) - other.averages(starts), axis=2)
            sensitivity = 2 * law.lipschitz * law.eta / 4.0**phases
            moves.append((moved / sensitivity[:, None]).max())
    return float(max(moves))


def mixture_delta(m: int, multiplier: float, epsilon: float) -> float:
    """The hockey-stick divergence of one round whose averages move by exactly J/tau noise scales, by integration."""
    top = min(m, 40)
    chances = binom.pmf(np.arange(top + 1), m, 1 / m)
    shifts = np.arange(top + 1) / multiplier

    def excess(t: float) -> float:
        return max(0.0, float(chances @ norm.pdf(t - shifts)) - exp(epsilon) * float(norm.pdf(t)))

    return quad(excess, -8, 8 + shifts[-1], limit=500)[0]


def largest_move(m: int, rho: Fraction) -> Fraction:
    """The largest |L_S(w) - L_S'(w)|, radius = norm_bound = 1, on grids of R that contain the ends, in fractions."""
    ends = [Fraction(i, 4) for i in range(-4, 5)]
    hinges = [[max(Fraction(0), 1 - w * z / rho) for z in ends] for w in [*ends, min(Fraction(1), rho)]]  # z = y x
    return max(max(values) - min(values) for values in hinges) / m


def phase_by_phase(m: int, k: int, multiplier: float, a: float) -> float:
    """The excess that the phases of our law add up to, radius = norm_bound = 1, rho = 1/a: see `round_excess`.

    SGD on n_i fresh records from a start that is d_i away costs d_i^2/(2 eta_i n_i) + eta_i L^2/2: d_1 = Lambda, and
    d_i^2 = k sigma_{i-1}^2 after it. Smoothing costs L^2/(2b), b = 2/eta, the last noise L sqrt(k) sigma_K.
    """
    eta = phased_sgd.base_step(n=m, k=k, multiplier=multiplier, lipschitz=a, norm_bound=1.0)
    total, distance, sigma = a**2 * eta / 4, 1.0, 0.0
    for length, step, sigma in laws.phases(m, eta=eta, lipschitz=a, multiplier=multiplier):
        total += distance / (2 * step * length) + step * a**2 / 2
        distance = k * sigma**2
    return total + a * sqrt(k) * sigma


def noiseless_excess(m: int, k: int, multiplier: float, a: float) -> float:
    """The excess of a run at almost no noise on m equal records of norm 1, radius = norm_bound = 1, rho = 1/a."""
    eta = phased_sgd.base_step(n=m, k=k, multiplier=multiplier, lipschitz=a, norm_bound=1.0)
    sizes = dict(rho=1 / a, lipschitz=a, norm_bound=1.0, eta=eta, multiplier=0.0)
    ((w,),) = laws.bootstrap_runs(np.random.default_rng(0), np.ones((m, k)), 1, m, **sizes)
    return max(0.0, 1 - a * w) - max(0.0, 1 - a)


def round_links(constant: float) -> Generator[tuple, None, list[float]]:
    """Cases of explicit <= simpler <= a (sqrt(10)/sqrt(m) + constant s/(2m)), the order's two terms, s = sqrt(k) tau.

    Returns the ratios explicit / order.
    """
    ratios = []
    for m in [*range(2, 40), *(2**j for j in range(6, 21))]:
        for s in (1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9):
            run = {"m": m, "k": 1, "multiplier": s, "a": 1.0}
            p = {"m": m, "epsilon": 2 / s, "delta": exp(-1), "a": 1.0}
            simpler = dp_erm_proof.round_excess_bound(**run)
            order, first = dp_erm_proof.round_order(k=1, **p), dp_erm_proof.round_order.theorem.formula(k=0, **p)
            ratios.append(dp_erm_proof.round_excess(**run) / order)
            yield Link("lengths of the phases", p, dp_erm_proof.round_excess(**run), simpler)
            yield Link("two terms", p, simpler, sqrt(10) * first + constant * (order - first))
    return ratios


def substitution_links(settings: list[dict]) -> Iterator[tuple]:
    """Cases of "the first terms are equal, the second ones have at most the ratio `substitution_ratio`".

    In addition to `settings`: with M = 2 and log(2/beta) just above 1, where that is an equality; and with hardly any
    noise.
    """
    whole = [p | {"beta": 2 / e * (1 - 1e-12)} for p in settings[:20]]
    silent = {"m": 10**30, "k": 1, "epsilon": 60.0, "delta": 1e-31, "beta": 0.5}
    for p in [*settings, *whole, silent]:
        l, first = -exact(p["delta"]).log(), 1 / sqrt(p["m"])
        most = substitution_ratio(1 / l, arb(2 * phased_sgd.rounds_for(p["beta"])).log() / l)
        second = dp_erm_proof.corrected_substitution(**p) - first
        yield p, phased_sgd.substituted(**p), first + upper_end(most) * second


def substitution_ratio(u: arb, v: arb) -> arb:
    """An upper bound of the quotient of the noise terms of s4, at u = 1/log(1/delta), v = log(2M)/log(1/delta)."""
    inner = 2 + v + u * arb(2).log() + u * (1 + v).log() + entropy(u)
    return 8 * (1 + v) * inner.sqrt()


def entropy(u: arb) -> arb:
    """u log(1/u) of a ball in [0, 1.45], 0 at 0: it increases up to 1/e and decreases after it."""
    low, high = (-x * x.log() if x > 0 else arb(0) for x in (exact(u.lower()), exact(u.upper())))
    top = arb(-1).exp()
    return low.union(high).union(top) if u.contains(top) else low.union(high)


def substitution_constant() -> float:
    """The certified supremum of the quotient on u <= 1/log 2, v <= 3; infinite if none is certified."""
    box = {"u": (0.0, 1.4427), "v": (0.0, 3.0)}
    proof = supremum(over(substitution_ratio), at(substitution_ratio), box, gap=0.01)
    return proof.bound if proof.outcome == "HOLDS" else inf


def one_round_run() -> list[tuple[dict, float]]:
    """(point, left side) along beta -> 1, epsilon = log(1/beta) -> 0: one round is run, whatever log(1/beta) is."""
    points = [{"m": 10**4, "k": 1, "delta": 1e-5, "epsilon": x, "beta": exp(-x)} for x in (1e-2, 1e-5, 1e-8)]
    return [(point, phased_sgd.substituted(**point)) for point in points]


def worst_gap(U: Array, p: Array, w: Array) -> Array:
    """sup over vectors of R - (empirical hinge) on the line, shape (samples,). Features U in units of rho.

    U: the values of y x / rho; p: their probabilities, shape (values,); w: counts / m, shape (samples, values). Vectors
    are t in [-1, 1]: the hinge is piecewise linear in t, so its kinks and ends are enough.
    """
    kinks = np.concatenate([[-1.0, 1.0, 1e-9, -1e-9], *([1 / u, -1 / u] for u in np.abs(U[U != 0]) if 1 / u <= 1)])
    risk = np.array([p[U * t <= 0].sum() for t in kinks])
    loss = w @ np.maximum(0.0, 1 - np.outer(U, kinks))
    return (risk - loss).max(axis=1)


def failing_samples(statement: Callable, radius: float, factor: float) -> Iterator[tuple]:
    """(point, P(a gap above bound / factor), beta/3) for vectors of norm `radius` and two margins, by enumeration."""
    for a in (1.0, 2.0, 10.0):
        for wrong, share in ((-1.0, 0.01), (-1.0, 0.3), (-0.01, 0.5)):
            U, p = 2 * radius * a * np.array([1.0, wrong]), np.array([1 - share, share])
            for m in (1, 2, 30):
                counts = np.arange(m + 1) / m
                gaps = worst_gap(U, p, np.column_stack([1 - counts, counts]))
                chances = np.array([comb(m, i) * share**i * (1 - share) ** (m - i) for i in range(m + 1)])
                for beta in (0.9, 0.1):
                    point = {"a": a, "margins": U.tolist(), "wrong": share, "m": m, "beta": beta}
                    yield point, chances[gaps > statement(m=m, beta=beta, radius=a, rho=1.0) / factor].sum(), beta / 3
