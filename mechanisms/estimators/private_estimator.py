"""The noise generator of an estimator: copies draw independent noise, and pickles have no key.

Whoever knows a generator's seed computes the noise again, and tells neighbouring datasets apart. So what leaves the
process leaves without it. A whole number stays, because it was given so that a fit can be repeated: a fit warns of it.
"""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from lemmata.mechanisms.estimators.fit_cost import measure_fit
from lemmata.mechanisms.numerics.sparse_rows import Rows, canonical_rows, is_sparse
from lemmata.mechanisms.tables.inputs import as_table

RANDOM_SOURCES = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, np.random.SeedSequence)


def spawn_source(key: Any) -> Any:
    """Return an independent source of noise of the same kind, which no copy of `key` has given before.

    >>> rng = np.random.default_rng(0)
    >>> len({float(spawn_source(rng).random()), float(spawn_source(rng).random()), float(rng.random())})
    3
    """
    if isinstance(key, np.random.RandomState):
        return np.random.RandomState(key.randint(2**32, size=8, dtype=np.uint32))
    return key.spawn(1)[0]


class PrivateEstimator(BaseEstimator):
    """A scikit-learn estimator whose noise cannot be reproduced from its copies or pickles.

    `pickle`, and all that rests on it (joblib, worker processes), has None where a generator was, and so draws from
    the system. `clone` and `copy.deepcopy` have a child of the generator: its fits can be repeated, and draw noise
    independent of the original's and of other copies', as an account that adds them up takes for granted. `copy.copy`
    shares the generator.
    """

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: None if isinstance(value, RANDOM_SOURCES) else value for name, value in state.items()}

    def __copy__(self) -> Any:
        made: Any = type(self).__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        memo[id(self)] = made = copy(self)
        for name, value in vars(self).items():
            setattr(made, name, spawn_source(value) if isinstance(value, RANDOM_SOURCES) else deepcopy(value, memo))
        return made

    def __sklearn_clone__(self) -> Any:
        made: Any = super().__sklearn_clone__()
        for name, value in self.get_params(deep=False).items():
            if isinstance(value, RANDOM_SOURCES):
                setattr(made, name, spawn_source(value))
        return made

    def cost(self, shape: tuple[int, int]) -> Any:
        """The time and the memory of a fit, before any record is read; print it.

        Parameters
        ----------
        shape : (int, int)
            (n, d) of a dense table of numbers, in which a category has a column for each of its values: `bounds` and
            `categories` are left out. Smaller tables of normal entries are fitted, which takes some seconds.

        Returns
        -------
        FitCost
            Its `seconds` and `bytes`.
        """
        return measure_fit(self, shape)

    def _copy_unfitted(self) -> Any:
        """An unfitted estimator with these parameters, of which none is copied: it is never fitted by itself."""
        return type(self)(**self.get_params(deep=False))

    def _as_floats(self, X: ArrayLike, reset: bool) -> Rows:
        """Checked by scikit-learn; not a copy, unless one was needed."""
        asked: Any = {"accept_sparse": ("csr", "csc"), "dtype": np.float64, "ensure_all_finite": False}
        table = validate_data(self, as_table(X), reset=reset, **asked)
        return canonical_rows(table) if is_sparse(table) else np.asarray(table)
