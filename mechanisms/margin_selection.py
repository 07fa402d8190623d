"""Private choice among candidates that move by different amounts, and of a margin for a private learner.

`law` is the generalized exponential mechanism (Raskhodnikova & Smith 2016, Algorithm 1): scores to be minimised, each
with a sensitivity of its own. `margin_law` is Algorithm 6 of Bassily, Mohri & Suresh (2022): it chooses a margin from
the grid h_max/2, h_max/4, ... by the bound F(rho, g_rho(S)) and runs the learner at it.

    choice = selection.law(scores, sensitivities, beta=0.05, privacy=PureDP(1.0))
    choice.sample(rng, 100_000)                # indices; the scores are normalised once
    choice.log_density([0, 1])                 # the exact law
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bounds.bms22 import margin_selection_proof as bounds
from mechanisms.adaptive_margin import AdaptiveModel, one_of
from mechanisms.generalized_exponential import CALIBRATIONS, SelectionLaw, law
from mechanisms.law import positive, rows, signs, within_unit
from mechanisms.privacy import ApproxDP, PureDP, compose


@dataclass(frozen=True)
class MarginSelectionLaw:
    """The law of (margin, output of the learner run at it), on one dataset.

    A release is a dict: `index` (size,) into `margins`, `margin` (size,), `model` (size, ...), the learner's release.
    """

    choice: SelectionLaw = field(repr=False)
    learners: tuple[Any, ...] = field(repr=False)  # the learner's law at every margin
    margins: np.ndarray  # the grid, descending, shape (J,)
    privacy: Any

    def sample(self, rng, size=1):
        """`size` independent releases; the learner's runs at one margin are drawn together."""
        index = self.choice.sample(rng, size)
        model = None
        for j in np.unique(index):
            here = index == j
            drawn = np.asarray(self.learners[j].sample(rng, int(here.sum())))
            if model is None:
                model = np.empty((size, *drawn.shape[1:]), dtype=drawn.dtype)
            model[here] = drawn
        return {"index": index, "margin": self.margins[index], "model": model}

    def log_density(self, releases):
        """log-density of (margin, model), shape (size,), where the learner's law knows its own."""
        index = np.asarray(releases["index"])
        found = self.choice.log_density(index)
        for j in np.unique(index):
            here = index == j
            found[here] += self.learners[j].log_density(np.asarray(releases["model"])[here])
        return found


def margin_law(
    X, y, *, learner, bound, best_loss, sensitivity, h_max, privacy, beta, tolerance=0.0, calibration="corrected"
):
    """Algorithm 6: choose rho* from the grid 2^-j h_max by F(rho, g_rho(S)), then run the learner at rho*.

    learner(X, y, rho=, privacy=, beta=)   the law of the learner's releases, arrays of one shape for all margins
    best_loss(X, y, rho)                   g_rho(S), the least margin or hinge loss bound(rho, t)
    F(rho, t) sensitivity(rho)                       Delta_rho(F), at least |F(rho, g_rho(S)) - F(rho, g_rho(S'))| for
    neighbours tolerance                              error of bound(rho, best_loss(...)), added twice to every
    sensitivity

    Formal guarantee: the choice spends `privacy.epsilon`, purely, the learner the `privacy` it is given; together
    (2 epsilon, delta) under replacement of one record (the learner's neighbours), if the sensitivities are right and
    the learner keeps its promise. The grid knows the number of records only.

    `calibration`: "corrected" takes J = max(1, ceil(log2(m)/2)) margins and runs the learner at confidence beta/J, so
    that its promise survives the choice (Lemma F.1, corrected); "printed" takes J = ceil(log(m)/2), natural, and runs
    it at confidence beta. Raises ValueError for anything out of range.
    """
    one_of(CALIBRATIONS, calibration=calibration)
    positive(h_max=h_max)
    within_unit(beta=beta)
    if not isinstance(privacy, PureDP | ApproxDP):
        raise ValueError(f"privacy = {privacy} has no epsilon: PureDP or ApproxDP is needed")
    if not tolerance >= 0:
        raise ValueError(f"tolerance = {tolerance} is outside [0, inf)")
    X = rows(X)
    y = signs(y, len(X))
    grid = bounds.margins(len(X), h_max, *(("e", "ceil") if calibration == "printed" else ("2", "ceil")))
    each = beta if calibration == "printed" else beta / len(grid)
    scores = [bound(rho, best_loss(X, y, rho)) for rho in grid]
    moves = [sensitivity(rho) + 2 * tolerance for rho in grid]
    choice = law(scores, moves, beta=beta, privacy=PureDP(privacy.epsilon, privacy.neighbours))
    learners = tuple(learner(X, y, rho=rho, privacy=privacy, beta=each) for rho in grid)
    promised = {run.privacy for run in learners}
    if len(promised) > 1:
        raise ValueError(f"learner promises {len(promised)} different guarantees for different margins")
    return MarginSelectionLaw(choice, learners, grid, compose(choice.privacy, promised.pop()))


def fit(X, y, *, rng, **parameters):
    """One release of `margin_law` for linear learners: a predictor that remembers its privacy and its margin."""
    chosen = margin_law(X, y, **parameters)
    found = chosen.sample(rng)
    return AdaptiveModel(found["model"][0], chosen.privacy, margin=float(found["margin"][0]))
