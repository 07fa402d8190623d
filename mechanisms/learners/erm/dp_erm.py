"""DP-ERM for generalized linear losses, Algorithm 5 of bms22 (Algorithm 4 in its appendix's numbering), hinge loss.

    M = log(2/beta) rounds, rounded up: w^t = A_GLL (`phased_sgd`) on m records drawn with replacement
    select one of w^1..w^M with probability proportional to exp(-(epsilon/2) L(w^t) / (2 Delta))

Three calibrations:

    "printed"    epsilon', delta' and the noise of a round as printed, Delta = radius * norm_bound / m as in the proof.
                 This is the margin's sensitivity, not the loss's: below rho = 1 (and a little above) it protects too
                 little, so `privacy` says what is really spent.
    "corrected"  the same rounds, Delta the sensitivity of the hinge: (epsilon, delta)-DP.
    "tight"      Delta as corrected, and the least noise for which the rounds are (epsilon/2, delta)-DP by
                 `lemmata.bounds.bms22.dp_erm.rounds_delta`: a sixtieth of the printed noise at m = 10^4,
                 epsilon = 1, delta = 1e-5, beta = 0.1.

`noise`: "float" for experiments; "exact", for releases: exact phases
(`lemmata.mechanisms.learners.erm.phased_sgd`) and losses rounded down, record by record, to whole steps of a public
grid, whose sums are exact, for an exact choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil, frexp, log
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from lemmata.bounds.bms22 import dp_erm as bounds, dp_erm_proof as steps
from lemmata.bounds.bms22.phased_sgd import base_step, phase_lengths, rounds_for
from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.mechanisms.law import LinearLaw, check_replacement
from lemmata.mechanisms.learners.erm.phased_sgd import bootstrap_runs, exact_rows
from lemmata.mechanisms.noise.grid_sums import BITS, check_noise, sign_rows
from lemmata.mechanisms.numerics.arguments import (
    check_choice,
    check_integer,
    check_magnitude,
    check_within_unit,
    quiet,
)
from lemmata.mechanisms.numerics.arithmetic import as_real, certified_delta, round_up, sqrt_up
from lemmata.mechanisms.numerics.sparse_rows import Rows, is_on_demand, is_sparse, row_bands
from lemmata.mechanisms.privacy import ApproxDP, PureDP
from lemmata.mechanisms.selection import exponential

CALIBRATIONS = ("tight", "corrected", "printed")
ENTRIES = 2**22  # of the matrix of losses at any one time


def hinge_means(W: np.ndarray, Z: np.ndarray, rho: float) -> np.ndarray:
    """Return mean_i max(0, 1 - <w, z_i>/rho) for every row of W, shape (runs,)."""
    if is_on_demand(Z):  # sums of bands have other last digits, which only rows that are made pay for
        sums = [np.maximum(0.0, 1 - W @ band.T / rho).sum(axis=1) for band in row_bands(Z, len(W))]
        return np.sum(sums, axis=0) / Z.shape[0]
    block = max(1, ENTRIES // Z.shape[0])
    parts = [W[start : start + block] @ Z.T for start in range(0, len(W), block)]
    return np.concatenate([np.maximum(0.0, 1 - part / rho).mean(axis=1) for part in parts])


def hinge_steps(W: np.ndarray, Z: np.ndarray, rho: float, reach: float) -> tuple[np.ndarray, int]:
    """Return sum_i floor(hinge_i / step) for every row of W, whole numbers (runs,), and the most a record moves it.

    Losses are cut to [max(0, 1 - reach), 1 + reach], where those of |<w, z>| <= reach rho lie; a step is a power of
    two, of which the interval has fewer than 2^20, so that sums of up to 2^33 records are exact.
    """
    low, high = max(0.0, 1 - reach), 1 + reach
    step, sums = 2.0 ** (frexp(high - low)[1] - BITS), np.zeros(len(W))
    for band in row_bands(Z, len(W)):
        sums += np.floor((np.clip(1 - W @ band.T / rho, low, high) - low) / step).sum(axis=1)
    return sums, ceil((high - low) / step)


def check_setting(m: int, epsilon: float, delta: float, beta: float) -> None:
    """Raise ValueError unless 0 < delta < 1/m, 0 < epsilon <= log(1/delta) and 0 < beta < 1, as Lemma 3.1 asks."""
    (m,) = check_integer(m=m)
    (beta,) = check_within_unit(beta=beta)
    check_magnitude(beta=beta)
    epsilon, delta = as_real("epsilon", epsilon), as_real("delta", delta)
    if not 0 < delta < 1 / m:
        raise ValueError(f"delta must be in (0, 1/m) = (0, {1 / m:.6g}), got {delta}")
    top = -log(delta)
    if not 0 < epsilon <= top:
        raise ValueError(f"epsilon must be in (0, log(1/delta)] = (0, {top:.6g}], got {epsilon}")


@dataclass(frozen=True)
class BoostedLaw(LinearLaw):
    """The law of the selected vector on one dataset; releases have shape (size, k), norm at most `norm_bound`."""

    Z: Rows = field(repr=False)  # shape (m, k), rows y x with norm <= radius; data never in a repr
    rho: float
    radius: float
    norm_bound: float
    eta: float
    multiplier: float  # sigma_i / (2 L eta_i) of every round
    rounds: int
    sensitivity: float  # Delta, of the scores
    selection: PureDP  # the budget that the selection is run with
    privacy: ApproxDP  # neighbours differ in one replaced record
    noise: str = "float"

    @property
    def gradients(self) -> int:
        """Gradient computations of one release."""
        return self.rounds * sum(phase_lengths(self.Z.shape[0]))

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly, among many abreast."""
        return self.gradients * (5e-8 + 1e-8 * self.Z.shape[1])

    def candidates(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Return the vectors of all rounds, shape (size, rounds, k)."""
        return self.train(rng, self.Z, size * self.rounds, self.Z.shape[0]).reshape(size, self.rounds, -1)

    def train(
        self, rng: np.random.Generator, Z: np.ndarray, runs: int, m: int, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """Run rounds of A_GLL with the parameters of this law, shape (runs, k): see `phased_sgd.bootstrap_runs`."""
        return bootstrap_runs(
            rng,
            Z,
            runs,
            m,
            rho=self.rho,
            lipschitz=self.radius / self.rho,
            norm_bound=self.norm_bound,
            eta=self.eta,
            multiplier=self.multiplier,
            rows=rows,
            noise=self.noise,
        )

    def select(self, candidates: ArrayLike) -> exponential.ExponentialLaw:
        """Return the law of the selected index among fixed vectors, shape (rounds, k)."""
        W = np.asarray(candidates, dtype=float)
        if self.noise == "float":
            return exponential.law(
                -hinge_means(W, self.Z, self.rho), sensitivity=self.sensitivity, privacy=self.selection
            )
        sums, most = hinge_steps(W, self.Z, self.rho, self.norm_bound * self.radius / self.rho)
        needed = sensitivity_for(self.Z.shape[0], self.radius, self.norm_bound, self.rho, "corrected")
        # In whole steps a record moves a sum by `most`; a printed or smaller sensitivity scales that, rounded up.
        moved = round_up(most * Fraction(self.sensitivity) / Fraction(needed))
        return exponential.law(-sums, sensitivity=moved, privacy=self.selection)

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases, shape (size, k)."""
        W = self.candidates(rng, size)
        if self.noise == "exact":
            # One by one: the exact choice draws until it is settled, so releases do not share a matrix of noise.
            return np.array([own[self.select(own).sample(rng)[0]] for own in W])
        losses = hinge_means(W.reshape(-1, W.shape[2]), self.Z, self.rho).reshape(size, -1)
        return W[np.arange(size), self.choose(rng, losses)]

    def choose(self, rng: np.random.Generator, losses: np.ndarray) -> np.ndarray:
        """Draw one selected index for every row of losses, shape (runs, rounds), by Gumbel-max."""
        noisy = rng.gumbel(size=losses.shape) - self.selection.epsilon / (2 * self.sensitivity) * losses
        return noisy.argmax(axis=1)


def sample_each(laws: Sequence[BoostedLaw], rng: np.random.Generator) -> np.ndarray:
    """Draw one release of each of several laws that differ in their data alone, abreast; shape (laws, k)."""
    if not laws:
        raise ValueError("laws must not be empty")
    first, count = laws[0], len(laws)
    if any((law.Z.shape, law.eta, law.rounds) != (first.Z.shape, first.eta, first.rounds) for law in laws):
        raise ValueError("laws must have equal sizes and parameters")
    if first.noise == "exact":
        return np.concatenate([law.sample(rng) for law in laws])
    m, k = first.Z.shape
    rows = np.repeat(np.arange(count * m).reshape(count, m), first.rounds, axis=0)
    stacked = np.concatenate([law.Z for law in laws])
    W = first.train(rng, stacked, len(rows), m, rows).reshape(count, first.rounds, k)
    losses = np.maximum(0.0, 1 - W @ stacked.reshape(count, m, k).swapaxes(1, 2) / first.rho).mean(axis=2)
    return W[np.arange(count), first.choose(rng, losses)]


def sensitivity_for(m: int, radius: float, norm_bound: float, rho: float, calibration: str) -> float:
    """Return the sensitivity Delta of the scores: "printed" radius norm_bound / m, else the hinge's."""
    check_choice(CALIBRATIONS, calibration=calibration)
    (m,) = check_integer(m=m)
    radius, norm_bound, rho = check_magnitude(radius=radius, norm_bound=norm_bound, rho=rho)
    statement = steps.printed_sensitivity if calibration == "printed" else steps.score_sensitivity
    return statement(m=m, radius=radius, norm_bound=norm_bound, rho=rho)


@lru_cache(maxsize=64)
def certified_multiplier(m: int, epsilon: float, delta: float, rounds: int) -> float:
    """Return `lemmata.bounds.bms22.dp_erm.tight_multiplier`, raised until no float is trusted that it is enough.

    The chances of Bin(m, 1/m) are enclosed in balls and rounded up, those beyond the last one are added to delta, and
    so are those of sums that are left out. Sums of chances are of positive floats, so that fewer than 2^12 additions
    and products leave them within 2^-40 of themselves, which is added. The Gaussian curves are certified.

    >>> round(certified_multiplier(10**4, 1.0, 1e-5, 3), 1)
    28.2
    """
    multiplier = bounds.tight_multiplier(m, epsilon, delta, rounds)
    squares, left_out = _copies(m, rounds, min(1e-30, delta * 1e-6))
    while True:
        spent = left_out + sum(
            chance * certified_delta(epsilon / 2, round_up(Fraction(sqrt_up(Fraction(total))) / Fraction(multiplier)))
            for total, chance in squares
            if total  # a record that was never read moves nothing
        )
        if spent * (1 + 2.0**-40) <= delta:
            return multiplier
        multiplier *= 1 + 1e-9


def _copies(m: int, rounds: int, cut: float) -> tuple[list[tuple[int, float]], float]:
    """(values of sum_t J_t^2 with upper bounds of their chances, an upper bound of the chance of any other value)."""
    with ctx.workprec(512):
        share = 1 / exact(m)
        chances: list[float] = []
        chance, beyond = (1 - share) ** m, arb(1)
        while len(chances) <= m and not upper_end(beyond) <= cut:
            chances.append(upper_end(chance))
            beyond, k = beyond - chance, len(chances)
            chance *= exact(m - k + 1) * share / (k * (1 - share))
        left_out = rounds * max(0.0, upper_end(beyond))
    squares = np.ones(1)
    for _ in range(rounds):
        longer = np.zeros(len(squares) + (len(chances) - 1) ** 2)
        for j, each in enumerate(chances):
            longer[j * j : j * j + len(squares)] += each * squares
        squares = longer
    kept = squares > cut * 1e-6
    rest = float(squares[~kept].sum())
    return [(int(total), float(squares[total])) for total in np.flatnonzero(kept)], left_out + rest


def _spent_epsilon(epsilon: float, used: float, needed: float) -> float:
    """What rounds and selection spend: half of epsilon each, a selection more where `used` < `needed`; rounded up.

    >>> _spent_epsilon(1.0, used=0.5, needed=1.0), _spent_epsilon(1.0, used=2.0, needed=1.0)
    (1.5, 1.0)
    """
    excess = max(Fraction(1), Fraction(float(needed)) / Fraction(float(used)))
    return round_up(Fraction(epsilon) / 2 * (1 + excess))


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: ApproxDP,
    rho: float,
    radius: float,
    norm_bound: float,
    beta: float,
    calibration: str = "tight",
    noise: str = "float",
) -> BoostedLaw:
    """Return the law of DP-ERM of bms22, which minimises the mean hinge loss over the ball of radius `norm_bound`.

    Formal guarantee: `privacy`, an (epsilon, delta) under replacement of one record, for every input, if `calibration`
    is "tight" or "corrected"; with "printed" the law's `privacy` is what the selection at that sensitivity spends,
    which may be more. Rows are clipped to `radius` and labels read here; the number of rounds and all sizes depend
    on public numbers only. With `noise` "exact" it holds for the bits released, with "float" over the reals.

    X: (m, k) with m >= 2; y: (m,), each -1 or +1. `beta` is the failure probability. Raises ValueError for anything out
    of range: 0 < delta < 1/m, 0 < epsilon <= log(1/delta), 0 < beta < 1.

    >>> sizes = dict(rho=0.5, radius=1.0, norm_bound=1.0, beta=0.1)
    >>> released = law(np.eye(9), np.ones(9), privacy=ApproxDP(1.0, 1e-5), **sizes)
    >>> released.rounds, released.privacy.epsilon, released.sample(np.random.default_rng(0)).shape
    (3, 1.0, (1, 9))
    """
    rho, radius, norm_bound = check_magnitude(rho=rho, radius=radius, norm_bound=norm_bound)
    check_choice(CALIBRATIONS, calibration=calibration)
    if not isinstance(check_replacement(privacy), ApproxDP):
        raise ValueError(f"privacy must be an ApproxDP, got {type(privacy).__name__}")
    check_noise(noise)
    X = exact_rows(X, radius, noise)
    m, k = X.shape
    if m < 2:
        raise ValueError(f"X must have shape (m, k) with m >= 2, since one record leaves no phase, got {X.shape}")
    epsilon, delta = privacy.epsilon, privacy.delta
    check_setting(m, epsilon, delta, beta)
    Z: Any = sign_rows(X, y, "double", in_place=True)
    if is_on_demand(Z) and not is_sparse(Z.stored):
        Z = Z.hold()  # no larger than what is stored, and read often
    rounds = rounds_for(beta)
    if calibration == "tight":
        multiplier = certified_multiplier(m, epsilon, delta, rounds)
    else:
        multiplier = bounds.round_multiplier(m, epsilon, delta, rounds, calibration)
    eta = base_step(n=m, k=k, multiplier=multiplier, lipschitz=radius / rho, norm_bound=norm_bound)
    used = sensitivity_for(m, radius, norm_bound, rho, calibration)
    spent = _spent_epsilon(epsilon, used, sensitivity_for(m, radius, norm_bound, rho, "corrected"))
    return BoostedLaw(
        Z=Z,
        rho=rho,
        radius=radius,
        norm_bound=norm_bound,
        eta=eta,
        multiplier=multiplier,
        rounds=rounds,
        sensitivity=used,
        selection=PureDP(epsilon / 2, privacy.neighbours),
        privacy=ApproxDP(spent, delta, privacy.neighbours),
        noise=noise,
    )
