"""A_LabMarg, Algorithm 4 of Bassily, Mohri & Suresh (2022; 5 in the appendix): private labels, public features.

    cover   a smallest set of truncated hypotheses, one within rho/2 of every other on x_1, ..., x_m
    release g from the cover, with probability proportional to exp(-epsilon #{i : y_i g(x_i) <= rho/2} / 2)

The cover sees the features alone. Its distances are strictly below rho/2 (`closed` = False): with the paper's "at most
rho/2" a member may be rho/2 where the best hypothesis is beyond rho, counts as an error there, and the margin bound
fails (bms22.thm6.1.s2). Privacy holds either way. Notation: `rho` rho, `net` the resolution of the pool.

A release is the number of a hypothesis, and stands for that very hypothesis on other rows too: a class that is the same
for every X is given by its values; a pool that is made from X, such as a grid as fine as the largest record asks for,
by a function of X that returns the pool, which is called once, at fit, and kept:

    def pool(X):
        slopes = np.arange(-3, 3.01, 0.05 / np.abs(X).max())     # X: the features at fit, public
        return lambda Z: Z[:, 0] * slopes[:, None]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.mechanisms.law import SignModel
from lemmata.mechanisms.numerics.arguments import (
    check_callable,
    check_choice,
    check_finite,
    check_magnitude,
    clip_entries,
    quiet,
    read_labels,
    read_records,
)
from lemmata.mechanisms.numerics.arithmetic import check_in_range
from lemmata.mechanisms.privacy import Guarantee, PureDP, to_pure
from lemmata.mechanisms.selection import exponential
from lemmata.mechanisms.solvers.function_covers import smallest_cover

CALIBRATIONS = ("printed",)  # sensitivity 1/m of the empirical margin loss: enough, and nothing to save
BALLS = ("open", "closed")
# X, shape (n, d) -> the values of all hypotheses, shape (hypotheses, n), or a function that gives them for any rows
Pool = Callable[[np.ndarray], Any]


class ErrorCountLaw:
    """What laws that choose among listed candidates by their numbers of `errors` share."""

    errors: np.ndarray
    privacy: PureDP

    @property
    def selection(self) -> exponential.ExponentialLaw:
        """The exponential mechanism over the candidates: scores -errors, whole numbers, of sensitivity 1."""
        return exponential.law(-self.errors.astype(float), privacy=self.privacy, sensitivity=1.0)


@dataclass(frozen=True)
class LabelLaw(ErrorCountLaw):
    """The law of the number of the released hypothesis, on one dataset."""

    cover: np.ndarray  # numbers of the hypotheses that can be released, increasing: public
    errors: np.ndarray = field(repr=False)  # of each of them at margin rho/2; never in a repr
    samples: int
    privacy: PureDP  # neighbours differ in one label
    predictor: Callable[[int], LabelModel] = field(repr=False)  # of the hypothesis with a number

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """Draw `size` independent releases: numbers of hypotheses, shape (size,)."""
        return self.cover[self.selection.sample(rng, size)]

    def model(self, rng: np.random.Generator) -> LabelModel:
        """Draw one release as a predictor."""
        return self.predictor(int(self.sample(rng)[0]))

    def log_density(self, releases: ArrayLike) -> np.ndarray:
        """Return the log-probabilities of released numbers, shape (size,); -inf for what is not in the cover."""
        releases = np.asarray(releases)
        place = np.minimum(np.searchsorted(self.cover, releases), len(self.cover) - 1)
        return np.where(self.cover[place] == releases, self.selection.log_density(place), -np.inf)


@dataclass(frozen=True)
class LabelModel(SignModel):
    """One release, as a predictor x -> sign(h_rho(x)) that remembers its privacy.

    `hypotheses` are those of the fit (`freeze_class`): on rows for which they would be others, ValueError.
    """

    number: int
    rho: float
    hypotheses: Pool = field(repr=False)
    privacy: Guarantee

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return the truncated hypothesis at every row, shape (n,)."""
        return truncated(self.hypotheses, read_records(X), self.rho)[self.number]


class FrozenClass:
    """The class that `hypotheses` are on the features X of a fit, for other rows Z: what a number chosen there is of.

    Values are asked for Z and X together, and compared on X with what they were at fit.
    """

    def __init__(self, hypotheses: Pool, X: np.ndarray) -> None:
        self.hypotheses, self.X, self.values = hypotheses, X, np.asarray(hypotheses(X))

    def __call__(self, Z: np.ndarray) -> np.ndarray:
        """Return the values of the class at Z, (hypotheses, n). ValueError where it is another class than at fit."""
        values = np.asarray(self.hypotheses(np.vstack([Z, self.X])))
        now = values[:, len(Z) :] if values.ndim == 2 else values
        slack = 1e-12 * np.abs(self.values).max(initial=0.0)
        if now.shape != self.values.shape or not np.allclose(now, self.values, rtol=1e-9, atol=slack):
            raise ValueError("hypotheses must be those of fit on these rows; let them return the pool, a function")
        return values[:, : len(Z)]


def freeze_class(hypotheses: Pool, X: np.ndarray) -> Pool:
    """Return the class of a fit on the features X: a pool that is a function is made here, from X, and kept.

    >>> def made_anew(X): return X[:, 0] * np.arange(0, 1, 0.5 / np.abs(X).max())[:, None]
    >>> freeze_class(made_anew, np.ones((1, 1)))(np.full((1, 1), 4.0))
    Traceback (most recent call last):
    ValueError: hypotheses must be those of fit on these rows; let them return the pool, a function
    """
    made = hypotheses(X)
    return made if callable(made) else FrozenClass(hypotheses, X)


def truncated(hypotheses: Pool, X: ArrayLike, rho: float) -> np.ndarray:
    """Return the values of all hypotheses, clipped to [-rho, rho], shape (hypotheses, n)."""
    check_callable(hypotheses=hypotheses)
    (rho,), X = check_magnitude(rho=rho), clip_entries(X)
    given = hypotheses(X)
    values = check_finite("hypotheses", given(X) if callable(given) else given)
    if values.ndim != 2 or values.shape[1] != len(X) or not len(values):
        raise ValueError(f"hypotheses has values of shape {values.shape}, not (hypotheses, {len(X)})")
    return np.clip(values, -rho, rho)


@quiet
def law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: Guarantee,
    rho: float,
    hypotheses: Pool,
    net: float = 0.0,
    balls: str = "open",
    calibration: str = "printed",
) -> LabelLaw:
    """Return the law of A_LabMarg of bms22.

    A private choice among the members of a cover, by their losses at margin rho/2.

    Formal guarantee: `privacy.epsilon`-DP for datasets that differ in one label, for every X, every y and every pool.
    Features and hypotheses are public: the cover is computed from them, and for datasets that differ in a whole record
    nothing is promised. `hypotheses`(X), shape (hypotheses, m), are the values of a finite class, or of a pool in which
    every hypothesis has a member within `net` on the sample; then distances in the cover are below rho/2 - net. A pool
    that is made from X is a function that returns its class (top of this file). The
    cover is a smallest one for up to 300 different hypotheses, greedy beyond. Labels y are -1 or +1. The sensitivity of
    the loss, 1/m, is exact ("printed" calibration). Raises ValueError for bad input and neighbours other than "label".

    >>> def stumps(X): return np.sign(X[:, 0] - np.array([[-0.5], [0.0], [0.5]]))
    >>> law([[-1.0], [1.0]], [-1, 1], privacy=PureDP(1.0, "label"), rho=0.5, hypotheses=stumps).cover
    array([0])
    """
    (rho,) = check_magnitude(rho=rho)
    net = check_in_range("net", net, 0, rho / 2, closed=True)
    check_choice(BALLS, balls=balls)
    check_choice(CALIBRATIONS, calibration=calibration)
    pure = to_pure(privacy)
    if pure.neighbours != "label":
        raise ValueError(f"privacy = {pure} is not for neighbours that differ in one label")
    if not net < rho / 2:
        raise ValueError(f"net must be in [0, rho/2) = [0, {rho / 2}), got {net}")
    X = read_records(X)
    y = read_labels(y, len(X))
    values = truncated(hypotheses, X, rho)
    cover = smallest_cover(values, radius=rho / 2 - net, closed=balls == "closed")
    errors = (y * values[cover] <= rho / 2).sum(axis=1)

    def predictor(number: int) -> LabelModel:
        return LabelModel(number, float(rho), freeze_class(hypotheses, X), pure)

    return LabelLaw(cover, errors, len(X), pure, predictor)
