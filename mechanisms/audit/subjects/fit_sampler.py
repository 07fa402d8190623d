"""Estimators under audit: releases drawn by repeated fits, or at once from the law of a fit."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Fitted:
    """An estimator with fit(X, y); a release is its coefficients and intercept after a fit with a fresh seed.

    One of ours that samples one law of weights is solved once and sampled many times, which is hundreds of times as
    fast (`PrivateClassifier.law_of_fit`). Others are fitted once a release: those of other people, of several classes,
    and whose law hangs on something that each fit draws afresh, such as a projection, or ranges.
    """

    estimator: Any
    X: Any
    y: Any
    singly: bool = False  # fit once a release, whatever it is

    @cached_property
    def law(self) -> Any:
        """The law of the coefficients and intercept of one fit, or None."""
        from sklearn.base import clone

        ours = hasattr(self.estimator, "law_of_fit") and not self.singly
        return clone(self.estimator).law_of_fit(self.X, self.y) if ours else None

    def __call__(self, rng: np.random.Generator, size: int) -> np.ndarray:
        if self.law is not None:
            return np.asarray(self.law(rng, size))
        from sklearn.base import clone

        fits = []
        for _ in range(size):
            model = clone(self.estimator)
            if "random_state" in model.get_params():
                model.set_params(random_state=int(rng.integers(2**31)))
            model.fit(self.X, self.y)
            fits.append(
                np.concatenate([np.ravel(getattr(model, n)) for n in ("coef_", "intercept_") if hasattr(model, n)])
            )
        return np.array(fits)
