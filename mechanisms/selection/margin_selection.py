"""Private choice of a margin for a private learner: Algorithm 6 of Bassily, Mohri & Suresh (2022).

`margin_law` chooses a margin from the grid h_max/2, h_max/4, ... by the bound F(rho, g_rho(S)), with the generalized
exponential mechanism (`lemmata.mechanisms.selection.generalized_exponential`), and runs the learner at it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lemmata.bounds.bms22 import margin_selection_proof as bounds
from lemmata.mechanisms.law import AdaptiveLaw, Law, check_within_budget
from lemmata.mechanisms.numerics.arguments import (
    check_callable,
    check_choice,
    check_magnitude,
    check_within_unit,
    clip_entries,
    quiet,
    read_labels,
)
from lemmata.mechanisms.numerics.arithmetic import as_real, short_repr
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, compose, to_approx
from lemmata.mechanisms.selection.generalized_exponential import SelectionLaw, law as selection

CALIBRATIONS = ("corrected", "printed")
Learner = Callable[..., Law]  # learner(X, y, rho=, privacy=, beta=)
Function = Callable[..., float]


@dataclass(frozen=True)
class MarginSelectionLaw(AdaptiveLaw):
    """The law of (margin, output of the learner run at it), on one dataset.

    A release is a dict: `index` (size,) into `margins`, `margin` (size,), `model` (size, ...), the learner's release.
    """

    choice: SelectionLaw = field(repr=False)
    learners: tuple[Any, ...] = field(repr=False)  # the learner's law at every margin
    margins: np.ndarray  # the grid, descending, shape (J,)
    privacy: Guarantee
    released = "model"

    @quiet
    def sample(self, rng: np.random.Generator, size: int = 1) -> dict[str, np.ndarray]:
        """Draw `size` independent releases; the learner's runs at one margin are drawn together."""
        index = self.choice.sample(rng, size)
        model: Any = None
        for j in np.unique(index):
            here = index == j
            drawn = np.asarray(self.learners[j].sample(rng, int(here.sum())))
            if model is None:
                model = np.empty((size, *drawn.shape[1:]), dtype=drawn.dtype)
            model[here] = drawn
        return {"index": index, "margin": self.margins[index], "model": model}

    def log_density(self, releases: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the log-density of (margin, model), (size,), where the learner's law knows its own."""
        index = np.asarray(releases["index"])
        total = self.choice.log_density(index)
        for j in np.unique(index):
            here = index == j
            total[here] += self.learners[j].log_density(np.asarray(releases["model"])[here])
        return total


@quiet
def margin_law(
    X: ArrayLike,
    y: ArrayLike,
    *,
    privacy: PureDP | ApproxDP,
    learner: Learner,
    bound: Function,
    best_loss: Function,
    sensitivity: Function,
    h_max: float,
    beta: float,
    tolerance: float = 0.0,
    calibration: str = "corrected",
) -> MarginSelectionLaw:
    """Return the law of Algorithm 6: choose rho* on the grid 2^-j h_max by F(rho, g_rho(S)), run the learner there.

    learner(X, y, rho=, privacy=, beta=)   the law of the learner's releases, arrays of one shape for all margins
    best_loss(X, y, rho)                   g_rho(S), the least margin or hinge loss
    bound(rho, t)                          F(rho, t)
    sensitivity(rho)                       Delta_rho(F), at least |F(rho, g_rho(S)) - F(rho, g_rho(S'))| for neighbours
    tolerance                              error of bound(rho, best_loss(...)), added twice to every sensitivity

    Formal guarantee: the choice spends `privacy.epsilon`, purely, the learner the `privacy` it is given; together
    (2 epsilon, delta) under replacement of one record (the learner's neighbours), if the sensitivities are right and
    the learner keeps its promise, which is read, and refused if it is more than `privacy`. So `privacy` is what each of
    the two may spend: half of a total epsilon, all of its delta. The grid knows the number of records only. Entries
    beyond 1e100 are moved there before the functions see them.

    `calibration`: "corrected" takes J = max(1, ceil(log2(m)/2)) margins and runs the learner at confidence beta/J, so
    that its promise survives the choice (Lemma F.1, corrected); "printed" takes J = ceil(log(m)/2), natural, and runs
    it at confidence beta. Raises ValueError for anything out of range.

    >>> from lemmata.mechanisms.learners.erm import phased_sgd
    >>> def learner(X, y, *, rho, privacy, beta):
    ...     return phased_sgd.law(X, y, rho=rho, radius=1.0, norm_bound=1.0, privacy=privacy)
    >>> parts = dict(learner=learner, bound=lambda rho, t: t / rho, best_loss=lambda X, y, rho: 0.1)
    >>> sizes = dict(sensitivity=lambda rho: 0.1 / rho, h_max=1.0, beta=0.1)
    >>> selection = margin_law(np.eye(4), [1, -1, 1, -1], privacy=ApproxDP(1.0, 1e-5), **parts, **sizes)
    >>> selection.margins.tolist(), selection.privacy.epsilon
    ([0.5], 2.0)
    """
    check_choice(CALIBRATIONS, calibration=calibration)
    (h_max,) = check_magnitude(h_max=h_max)
    (beta,) = check_within_unit(beta=beta)
    if not isinstance(privacy, PureDP | ApproxDP):
        raise ValueError(f"privacy must be a PureDP or an ApproxDP, got {short_repr(privacy)}")
    if not 0 <= as_real("tolerance", tolerance) < np.inf:
        raise ValueError(f"tolerance must be in [0, inf), got {tolerance}")
    check_callable(learner=learner, bound=bound, best_loss=best_loss, sensitivity=sensitivity)
    X = clip_entries(X)
    y = read_labels(y, len(X))
    grid = bounds.margins(len(X), h_max, *(("e", "ceil") if calibration == "printed" else ("2", "ceil")))
    each = beta if calibration == "printed" else beta / len(grid)
    scores = [bound(rho, best_loss(X, y, rho)) for rho in grid]
    moves = [sensitivity(rho) + 2 * tolerance for rho in grid]
    choice = selection(scores, moves, privacy=PureDP(privacy.epsilon, privacy.neighbours), beta=beta)
    learners = tuple(learner(X, y, rho=rho, privacy=privacy, beta=each) for rho in grid)
    promised = {
        check_within_budget(getattr(run, "privacy", None), privacy, f"learner[{j}]") for j, run in enumerate(learners)
    }
    if len(promised) > 1:
        raise ValueError(f"learner must have one guarantee for all margins, got {len(promised)} different ones")
    spent = promised.pop()
    if isinstance(spent, GaussianDP) and privacy.delta > 0:  # basic composition needs an epsilon: the learner's own
        spent = to_approx(spent, epsilon=privacy.epsilon)
    return MarginSelectionLaw(choice, learners, grid, compose(choice.privacy, spent))
