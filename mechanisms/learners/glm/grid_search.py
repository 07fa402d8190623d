"""Private grid search over the norm of the solution: Algorithm 1 of abgmu22.

    S1, S2 = the first and the second half of the records
    w_0 = 0 and, for j = 1..K, w_j = A(S1, B_j) with B_j = 2^j
    score j = mean over S2 of min(loss(w_j), Delta_j) + penalty_j,     score 0 = ||Y||^2, which no record moves
    release w_j for the j that the generalized exponential mechanism selects

Losses are clipped at Delta_j, which depends on no data: the paper's privacy rests on A's outputs having small losses,
here nothing does. What may be chosen, the printed word first:

    accounting   "printed"   A gets (epsilon/2K, delta/2K), the selection epsilon/2
                 "disjoint"  A gets 1/sqrt(K) of the Gaussian budget, the selection all of epsilon: a record lies in one
                             half, and a record of S1 never meets the selection's scores but through the w_j.
                             It spends its epsilon by the exact account for K + 1 candidates: at K = 5 and
                             epsilon = 1 a score counts 1.14 times as much as by twice its sensitivity
    sensitivity  "printed"   Delta_j: so large that w_0 is selected whatever the data are (abgmu22.thm.grid)
                 "average"   Delta_j / |S2|, what one record moves a mean by
    penalty      "printed"   Delta_j log(K/beta)/n + sqrt(4 ||Y||^2 log(K/beta)/n), whose units disagree
                 "corrected" what the theorem needs (`lemmata.bounds.abgmu22.grid_search.penalty`)
                 "none"      what a user should take: penalties near ||Y||^2 leave nothing to choose below n = 10^4

`noise`: "float" for experiments; "exact", for releases: exact base algorithms where they are ours (another
is as exact as it is), losses in whole steps of a public grid, and an exact choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.abgmu22 import generalized_exponential, grid_search
from lemmata.bounds.exact.few_candidates import affordable_rate
from lemmata.mechanisms.law import LinearModel, check_within_budget
from lemmata.mechanisms.learners.glm import glm_gd, glm_output
from lemmata.mechanisms.learners.glm.glm_losses import Records, records
from lemmata.mechanisms.noise.gaussian import GaussianLaw
from lemmata.mechanisms.noise.grid_gaussian import GridGaussianLaw
from lemmata.mechanisms.noise.grid_sums import check_noise
from lemmata.mechanisms.numerics.arguments import check_choice, check_integer, check_within_unit, quiet
from lemmata.mechanisms.numerics.arithmetic import round_down, round_up, short_repr
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, compose, to_approx, to_gaussian_budget
from lemmata.mechanisms.selection import generalized_exponential as selections

ACCOUNTING = ("printed", "disjoint")
SENSITIVITIES = ("printed", "average")
PENALTIES = ("printed", "corrected", "none")
BASES: dict[str, Callable[..., Any]] = {"output": glm_output.law, "gd": glm_gd.law}
MOST = 60  # guesses: 2^60
ABREAST = 256  # releases at a time
SUREST = 1e-290  # the smallest chance of failure whose reciprocal, times what there is to choose, is a float


@dataclass(frozen=True)
class GridSearchLaw:
    """The law of the index and the weights on one dataset.

    A release is a dict: `index` (size,), 0 for w_0 = 0, and `weights` (size, d).
    """

    bases: tuple[Any, ...] = field(repr=False)  # the laws of w_1, ..., w_K, each on the first half
    validation: Records = field(repr=False)  # the second half
    caps: np.ndarray  # Delta_1, ..., Delta_K: public
    penalties: np.ndarray  # shape (K,)
    sensitivities: np.ndarray  # of the scores, w_0's 0 first, shape (K + 1,)
    selection: PureDP
    rate: float  # of the selection: index j has probability proportional to exp(-rate s_j)
    beta: float  # the selection's confidence
    privacy: ApproxDP  # neighbours differ in one replaced record
    noise: str = "float"

    @property
    def t(self) -> float:
        """The multiple of its sensitivity by which the selection raises a score."""
        return generalized_exponential.shift(candidates=len(self.sensitivities), epsilon=2 * self.rate, beta=self.beta)

    def candidates(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Return w_0, ..., w_K of `size` runs, shape (size, K + 1, d)."""
        drawn = [base.sample(rng, size) for base in self.bases]
        return np.stack([np.zeros_like(drawn[0]), *drawn], axis=1)

    def scores(self, candidates: np.ndarray) -> np.ndarray:
        """Return what the selection minimises, shape (size, K + 1)."""
        scores = np.full(candidates.shape[:2], self.validation.label_bound**2)
        for j, (cap, penalty) in enumerate(zip(self.caps, self.penalties, strict=True), start=1):
            scores[:, j] = self.validation.mean_losses(candidates[:, j], cap) + penalty
        return scores

    def select(self, candidates: np.ndarray) -> selections.SelectionLaw:
        """Return the exact law of the index among fixed w_0, ..., w_K, shape (K + 1, d).

        Scores and their moves times |S2|.

        A sum of whole steps is exact; adding a penalty rounds it by a relative 2^-53, which is charged.
        """
        half = len(self.validation.X)
        scores, moves = [self.validation.label_bound**2 * half], [0.0]
        given = zip(candidates[1:], self.caps.tolist(), self.penalties.tolist(), self.sensitivities[1:], strict=True)
        for w, cap, penalty, moved in given:
            (total,), step, most = self.validation.loss_steps(w[None], cap)
            # Scores times |S2| are whole steps, exactly; the penalty's product and sum round, which `moves` pays for.
            scores.append(total * step + penalty * half)
            rounding = Fraction(2, 2**53) * (Fraction(most * step) + Fraction(penalty)) * half
            moves.append(round_up(max(Fraction(most * step), Fraction(float(moved)) * half) + rounding))
        calibration = "printed" if self.rate == self.selection.epsilon / 2 else "sharp"
        return selections.law(scores, moves, privacy=self.selection, beta=self.beta, calibration=calibration)

    def log_probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Return the exact law of the index given the scores, shape (size, K + 1), logarithms."""
        s = generalized_exponential.normalised_scores(scores=scores, sensitivities=self.sensitivities, t=self.t)
        logits = -self.rate * s
        return np.asarray(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> dict[str, np.ndarray]:
        """Draw `size` independent releases: fresh candidates and a fresh selection for each."""
        parts = [self._block(rng, min(ABREAST, size - start)) for start in range(0, size, ABREAST)]
        return {name: np.concatenate([part[name] for part in parts]) for name in ("index", "weights")}

    def _block(self, rng: np.random.Generator, size: int) -> dict[str, np.ndarray]:
        W = self.candidates(rng, size)
        if self.noise == "exact":
            index = np.array([self.select(own).sample(rng)[0] for own in W])
        else:
            logits = self.log_probabilities(self.scores(W))
            index = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
        return {"index": index, "weights": W[np.arange(size), index]}

    def model(self, rng: np.random.Generator) -> LinearModel:
        """Draw one release as a predictor."""
        return LinearModel(self.sample(rng)["weights"][0], self.privacy)


def split_shares(privacy: ApproxDP, guesses: int, accounting: str) -> tuple[Any, PureDP, ApproxDP]:
    """Return (the budget of each run of A, the selection's, what all of it spends), in exact arithmetic, rounded up.

    >>> split_shares(ApproxDP(1.0, 1e-6), 4, "printed")[:2]
    (ApproxDP(epsilon=0.125, delta=1.25e-07, neighbours='replace'), PureDP(epsilon=0.5, neighbours='replace'))
    """
    epsilon, delta, neighbours = Fraction(privacy.epsilon), Fraction(privacy.delta), privacy.neighbours
    if accounting == "printed":
        run = ApproxDP(round_down(epsilon / (2 * guesses)), round_down(delta / (2 * guesses)), neighbours)
        selection = PureDP(round_down(epsilon / 2), neighbours)
        spent = to_approx(compose(*[run] * guesses, selection))
        return run, selection, ApproxDP(spent.epsilon, spent.delta, neighbours)
    mu = to_gaussian_budget(privacy).mu
    each = mu / sqrt(guesses)
    # The square root may have rounded up: step down a last bit until K runs fit mu in exact arithmetic.
    while guesses * Fraction(each) ** 2 > Fraction(mu) ** 2:
        each = round_down(Fraction(each) * (1 - Fraction(1, 2**53)))
    return GaussianDP(each, neighbours), PureDP(privacy.epsilon, neighbours), privacy


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: ApproxDP,
    loss: str,
    guesses: int,
    radius: float = 1.0,
    label_bound: float | None = None,
    beta: float = 0.05,
    base: str | Callable[..., Any] = "output",
    sensitivity: str | Callable[[int], float] = "average",
    penalty: str = "corrected",
    accounting: str = "printed",
    noise: str = "float",
) -> GridSearchLaw:
    """Return the law of private grid search: K candidates from one half of the records, a private choice on the other.

    Formal guarantee: `privacy` under replacement of one record, for every input: losses are clipped at Delta_j, so a
    record of S2 moves score j by at most Delta_j / |S2|, whatever weights come. That rests on `base` for the first
    half: "output" (`glm_output.law`), "gd" (`glm_gd.law`), or a function (X, y, *, privacy, loss, norm_bound, radius,
    label_bound) -> law, whose law must promise the privacy that it is given (it is read, and refused if it is more) and
    whose `sigma`, if it is a `GaussianLaw`, must be public. `sensitivity` is "average", "printed", or a
    function of j = 1..K with values of at least Delta_j / |S2|. The halves are the first n // 2 records and the rest: a
    choice that depends on no data.

    Raises ValueError for anything out of range.

    >>> X, y = np.tile([[1.0], [-1.0]], (500, 1)), np.tile([1, -1], 500)
    >>> released = law(X, y, privacy=ApproxDP(1.0, 1e-5), loss="logistic", guesses=2)
    >>> released.sample(np.random.default_rng(0), 3)["weights"].shape
    (3, 1)
    """
    check_choice(PENALTIES, penalty=penalty)
    check_choice(ACCOUNTING, accounting=accounting)
    check_noise(noise)
    (K,), (beta,) = check_integer(guesses=guesses), check_within_unit(beta=beta)
    beta = max(beta, SUREST)
    if K > MOST:
        raise ValueError(f"guesses must be in [1, {MOST}], got {short_repr(guesses)}")
    if not (isinstance(privacy, ApproxDP) and 0 < privacy.delta < 1 and privacy.neighbours in ("replace", "label")):
        raise ValueError(
            f"privacy must be an ApproxDP with delta in (0, 1) for replaced records, got {short_repr(privacy)}"
        )
    data = records(X, y, loss=loss, radius=radius, label_bound=label_bound)
    n, half = len(data.X), len(data.X) // 2
    if n < 2:
        raise ValueError(f"X must have at least 2 rows, got {n}")
    run, selection, spent = split_shares(privacy, K, accounting)
    train = BASES.get(base) if isinstance(base, str) else base
    if not callable(train):
        raise ValueError(f"base must be one of {', '.join(BASES)} or a function, got {short_repr(base)}")
    settings: dict[str, Any] = {"privacy": run, "loss": loss, "radius": radius, "label_bound": data.label_bound}
    settings |= {"noise": noise} if isinstance(base, str) else {}
    norms = grid_search.norm_guesses(guesses=K)
    bases = tuple(train(data.X[:half], data.y[:half], norm_bound=float(B), **settings) for B in norms)
    for j, one in enumerate(bases):
        check_within_budget(getattr(one, "privacy", None), run, f"base[{j}]")
    caps = np.array(
        [data.loss_bound(B + bound_noise_length(one, n, K, beta)) for B, one in zip(norms, bases, strict=True)]
    )
    validation = Records(data.X[half:], data.y[half:], loss, data.radius, data.label_bound)
    gamma = sensitivities(caps, len(validation.X), sensitivity)
    rate = affordable_rate(epsilon=selection.epsilon, candidates=K + 1)
    return GridSearchLaw(
        bases,
        validation,
        caps,
        penalties(data, caps, K, beta, penalty),
        gamma,
        selection,
        rate if accounting == "disjoint" else selection.epsilon / 2,
        beta / 4,
        spent,
        noise,
    )


def bound_noise_length(base: Any, n: int, guesses: int, beta: float) -> float:
    """Return what a Gaussian release may add to |<w, x>| / ||x||, but for a chance of beta/(4K) on n/2 records.

    It is 0 for others.
    """
    if not isinstance(base, GaussianLaw | GridGaussianLaw):
        return 0.0
    return base.sigma * sqrt(2 * log(4 * guesses * max(n, 2) / beta))


def sensitivities(caps: np.ndarray, half: int, sensitivity: str | Callable[[int], float]) -> np.ndarray:
    """Return gamma_0 = 0 and gamma_1..gamma_K.

    Raises ValueError where one is less than what a record moves its score by.
    """
    least = caps / half
    if callable(sensitivity):
        chosen = np.array([float(sensitivity(j)) for j in range(1, len(caps) + 1)])
        if not (np.isfinite(chosen) & (chosen >= least)).all():
            raise ValueError(f"sensitivity must be at least {least.tolist()}, got {chosen.tolist()}")
    else:
        check_choice(SENSITIVITIES, sensitivity=sensitivity)
        chosen = caps if sensitivity == "printed" else least * glm_gd.SAFE
    return np.concatenate([[0.0], chosen])


def penalties(data: Records, caps: np.ndarray, guesses: int, beta: float, penalty: str) -> np.ndarray:
    """Return what is added to the mean losses, shape (K,): a function of public numbers."""
    if penalty == "none":
        return np.zeros(len(caps))
    formula = grid_search.printed_penalty if penalty == "printed" else grid_search.penalty
    sizes: dict[str, Any] = {"label_bound": data.label_bound, "n": len(data.X), "guesses": guesses, "beta": beta}
    return np.array([float(formula(loss_bound=cap, **sizes)) for cap in caps])
