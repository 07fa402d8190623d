"""Wrappers that do not read the promise of the law that they wrap: what must notice it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from lemmata.mechanisms.estimators import margin_classifier, private_classifier, search
from lemmata.mechanisms.learners.descent import private_tuning
from lemmata.mechanisms.learners.glm import confidence_boosting, glm_output, grid_search
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP
from lemmata.mechanisms.selection import margin_selection
from lemmata.tools.sabotage.planting import Planted

X, Y = np.linspace(-1, 1, 20)[:, None], np.repeat([-1.0, 1.0], 10)
ASKED: dict[str, Any] = {"privacy": ApproxDP(1.0, 1e-5)}


def greedy(X: Any, y: Any, *, privacy: Any, **sizes: Any) -> Any:
    """A law for any wrapper that spends mu = 50, whatever it is handed."""
    return glm_output.law(X, y, privacy=GaussianDP(50.0), loss="logistic", norm_bound=1.0)


class Greedy(margin_classifier.NoisyGD):
    """An estimator that spends mu = 50, whatever it is handed."""

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, *more: Any) -> Any:
        return super()._make_law(X, signs, GaussianDP(50.0), *more)


def searched() -> Any:
    """A grid of one greedy setting."""
    grid = {"width": [0.1]}
    return search.PrivateSearchCV(Greedy(steps=1), grid, beta=0.4).law(X, Y, np.random.default_rng(0))


def tuned() -> Any:
    """One greedy candidate of Algorithm 4."""
    asked: Any = {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0, "r": 0.25}
    return private_tuning.law(lambda mu: [greedy(X, Y, privacy=mu)], score=lambda j, m: m[:, 0], **asked)


def selected() -> Any:
    """A greedy learner whose margin is chosen."""
    functions: Any = {"bound": lambda rho, t: t, "best_loss": lambda X, y, rho: 0.1, "sensitivity": lambda rho: 0.1}
    return margin_selection.margin_law(X, Y, **ASKED, learner=greedy, **functions, h_max=1.0, beta=0.1)


def boosted() -> Any:
    """A greedy learner on two chunks."""
    sizes: Any = {"candidates": 2, "loss": "logistic", "loss_bound": 2.0}
    return confidence_boosting.law(X, Y, **ASKED, learner=greedy, **sizes)


def gridded() -> Any:
    """A greedy base for two norms."""
    return grid_search.law(X, Y, **ASKED, loss="logistic", guesses=2, base=greedy)


def fitted() -> Any:
    """A greedy estimator's own fit."""
    return Greedy(steps=1, classes=(-1, 1)).fit(X, Y)


def believed(wrap: Any) -> bool:
    """A base that spends mu = 50 of (1, 1e-5) is wrapped, and not refused."""
    try:
        wrap()
    except ValueError:
        return False
    return True


PROMISES = tuple(
    Planted(13, f"{called} believes what it wraps", "a base that spends mu = 50", module, "check_within_budget",
            lambda f: lambda promised, allotted, name: promised, partial(believed, wrap))
    for called, module, wrap in (
        ("PrivateSearchCV", search, searched),
        ("Algorithm 4", private_tuning, tuned),
        ("the choice of a margin", margin_selection, selected),
        ("confidence boosting", confidence_boosting, boosted),
        ("grid search", grid_search, gridded),
        ("an estimator's fit", private_classifier, fitted),
    )
)  # fmt: skip
