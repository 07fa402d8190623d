"""DP-ERM for generalized linear losses, Algorithm 5 of bms22 (Algorithm 4 in its appendix's numbering), hinge loss.

    M = log(2/beta) rounds, rounded up: w^t = A_GLL (`phased_sgd`) on m records drawn with replacement
    select one of w^1..w^M with probability proportional to exp(-(epsilon/2) L(w^t) / (2 Delta))

Three calibrations:

    "printed"    epsilon', delta' and the noise of a round as printed, Delta = radius * norm_bound / m as in the proof.
                 This is the margin's sensitivity, not the loss's: below rho = 1 (and a little above) it protects too
                 little, so `privacy` says what is really spent.
    "corrected"  the same rounds, Delta the sensitivity of the hinge: (epsilon, delta)-DP.
    "tight"      Delta as corrected, and the least noise for which the rounds are (epsilon/2, delta)-DP by
                 `bounds.bms22.dp_erm.rounds_delta`: a sixtieth of the printed noise at m = 10^4,
                 epsilon = 1, delta = 1e-5, beta = 0.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log

import numpy as np

from bounds.bms22 import dp_erm as bounds
from bounds.bms22 import dp_erm_proof as steps
from bounds.bms22.phased_sgd import base_step, phase_lengths, rounds_for
from mechanisms import exponential
from mechanisms.law import LinearModel, clip_rows, positive, signs, within_unit
from mechanisms.phased_sgd import bootstrap_runs, one_of
from mechanisms.privacy import ApproxDP, PureDP

CALIBRATIONS = ("tight", "corrected", "printed")
ENTRIES = 2**22  # of the matrix of losses at any one time


def hinge_means(W, Z, rho):
    """mean_i max(0, 1 - <w, z_i>/rho) for every row of W, shape (runs,)."""
    block = max(1, ENTRIES // len(Z))
    parts = [W[start : start + block] @ Z.T for start in range(0, len(W), block)]
    return np.concatenate([np.maximum(0.0, 1 - part / rho).mean(axis=1) for part in parts])


def check_setting(m, epsilon, delta, beta):
    """Raise ValueError unless 0 < delta < 1/m, 0 < epsilon <= log(1/delta) and 0 < beta < 1, as Lemma 3.1 asks."""
    within_unit(beta=beta)
    if not 0 < delta < 1 / m:
        raise ValueError(f"delta = {delta} is outside (0, 1/m) = (0, {1 / m:.6g})")
    top = -log(delta)
    if not 0 < epsilon <= top:
        raise ValueError(f"epsilon = {epsilon} is outside (0, log(1/delta)] = (0, {top:.6g}]")


@dataclass(frozen=True)
class BoostedLaw:
    """The law of the selected vector on one dataset; releases have shape (size, k), norm at most `norm_bound`."""

    Z: np.ndarray = field(repr=False)  # shape (m, k), rows y x with norm <= radius; data never in a repr
    rho: float
    radius: float
    norm_bound: float
    eta: float
    multiplier: float  # sigma_i / (2 L eta_i) of every round
    rounds: int
    sensitivity: float  # Delta, of the scores
    selection: PureDP  # the budget that the selection is run with
    privacy: ApproxDP  # neighbours differ in one replaced record

    @property
    def gradients(self):
        """Gradient computations of one release."""
        return self.rounds * sum(phase_lengths(len(self.Z)))

    @property
    def expected_cost(self):
        """Core-seconds a release, roughly, among many abreast."""
        return self.gradients * (5e-8 + 1e-8 * self.Z.shape[1])

    def candidates(self, rng, size=1):
        """The vectors of all rounds, shape (size, rounds, k)."""
        known = dict(rho=self.rho, lipschitz=self.radius / self.rho, norm_bound=self.norm_bound)
        known |= dict(eta=self.eta, multiplier=self.multiplier)
        W = bootstrap_runs(rng, self.Z, size * self.rounds, len(self.Z), **known)
        return W.reshape(size, self.rounds, -1)

    def select(self, candidates):
        """The law of the selected index among fixed vectors, shape (rounds, k)."""
        scores = -hinge_means(np.asarray(candidates, dtype=float), self.Z, self.rho)
        return exponential.law(scores, sensitivity=self.sensitivity, privacy=self.selection)

    def sample(self, rng, size=1):
        """`size` independent releases, shape (size, k)."""
        W = self.candidates(rng, size)
        losses = hinge_means(W.reshape(-1, W.shape[2]), self.Z, self.rho).reshape(size, -1)
        return W[np.arange(size), self.choose(rng, losses)]

    def choose(self, rng, losses):
        """One selected index for every row of losses, shape (runs, rounds): Gumbel-max."""
        noisy = rng.gumbel(size=losses.shape) - self.selection.epsilon / (2 * self.sensitivity) * losses
        return noisy.argmax(axis=1)


def sample_each(laws, rng):
    """One release of each of several laws that differ in their data alone, abreast; shape (laws, k)."""
    first, count = laws[0], len(laws)
    if any((law.Z.shape, law.eta, law.rounds) != (first.Z.shape, first.eta, first.rounds) for law in laws):
        raise ValueError("laws have different sizes or parameters")
    m, k = first.Z.shape
    rows = np.repeat(np.arange(count * m).reshape(count, m), first.rounds, axis=0)
    known = dict(rho=first.rho, lipschitz=first.radius / first.rho, norm_bound=first.norm_bound)
    known |= dict(eta=first.eta, multiplier=first.multiplier)
    stacked = np.concatenate([law.Z for law in laws])
    W = bootstrap_runs(rng, stacked, len(rows), m, rows=rows, **known).reshape(count, first.rounds, k)
    losses = np.maximum(0.0, 1 - W @ stacked.reshape(count, m, k).swapaxes(1, 2) / first.rho).mean(axis=2)
    return W[np.arange(count), first.choose(rng, losses)]


def sensitivity_for(m, radius, norm_bound, rho, calibration):
    """Delta of the scores: "printed" radius norm_bound / m, else the hinge's."""
    statement = steps.printed_sensitivity if calibration == "printed" else steps.score_sensitivity
    return statement(m=m, radius=radius, norm_bound=norm_bound, rho=rho)


def law(X, y, *, rho, radius, norm_bound, epsilon, delta, beta, calibration="tight"):
    """Minimise the mean hinge loss max(0, 1 - y <w, x>/rho) over the ball of radius `norm_bound`.

    Formal guarantee: (epsilon, delta)-DP under replacement of one record, for every input, if `calibration` is "tight"
    or "corrected"; with "printed" `privacy` is what the selection at that sensitivity spends, which may be more. Rows
    are clipped to `radius` and labels checked here; the number of rounds and all sizes depend on public numbers only.
    The analysis is over the reals; floating-point noise is not hardened.

    X: (m, k) with m >= 2; y: (m,), each -1 or +1. Raises ValueError for anything out of range: 0 < delta < 1/m,
    0 < epsilon <= log(1/delta), 0 < beta < 1.
    """
    positive(rho=rho, radius=radius, norm_bound=norm_bound)
    one_of(CALIBRATIONS, calibration=calibration)
    X = clip_rows(X, radius)
    m, k = X.shape
    if m < 2:
        raise ValueError(f"X has shape {X.shape}, not (m, k) with m >= 2: one record leaves no phase")
    check_setting(m, epsilon, delta, beta)
    Z = signs(y, m)[:, None] * X
    rounds = rounds_for(beta)
    multiplier = bounds.round_multiplier(m, epsilon, delta, rounds, calibration)
    eta = base_step(n=m, k=k, multiplier=multiplier, lipschitz=radius / rho, norm_bound=norm_bound)
    known = (m, radius, norm_bound, rho)
    used, needed = sensitivity_for(*known, calibration), sensitivity_for(*known, "corrected")
    spent = epsilon / 2 + epsilon / 2 * max(1.0, needed / used)
    told = (Z, rho, radius, norm_bound, eta, multiplier, rounds, used, PureDP(epsilon / 2), ApproxDP(spent, delta))
    return BoostedLaw(*told)


def fit(X, y, *, rng, **parameters):
    """One release, as a predictor x -> sign(<weights, x>) that remembers its privacy."""
    released = law(X, y, **parameters)
    return LinearModel(released.sample(rng)[0], released.privacy)
