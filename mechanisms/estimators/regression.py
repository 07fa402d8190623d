"""Linear regression for raw tables: `PrivateRidge`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from lemmata.mechanisms.estimators import scaling
from lemmata.mechanisms.estimators.private_estimator import PrivateEstimator
from lemmata.mechanisms.learners.statistics import second_moments
from lemmata.mechanisms.numerics.arguments import quiet
from lemmata.mechanisms.numerics.arithmetic import sqrt_down
from lemmata.mechanisms.numerics.inherited_docs import share_docs
from lemmata.mechanisms.numerics.sparse_rows import Rows
from lemmata.mechanisms.numerics.threads import thread_count_for
from lemmata.mechanisms.privacy import GaussianDP, to_gaussian_budget
from lemmata.mechanisms.privacy.disclosure import charge_account, check_account, reject_fit_parameters
from lemmata.mechanisms.tables.inputs import as_label_column, objects_to_floats, resolve_random_state
from lemmata.mechanisms.tables.table_columns import Column, Layout

SHARE = Fraction(1, 4)  # of mu^2 that the ranges of the columns may spend, and as much those of y
# Spreads from their centres that y and columns are clipped at, at most. The noise of y grows with them. A far record
# has an error that grows as their square and counts little in a fit: with 1 % of codes like -999, R^2 was below -100.
FURTHEST = 6.0
TARGET = Layout((Column("y", True),))


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateRidge(RegressorMixin, PrivateEstimator):
    """A private linear regression for raw tables, with no parameters except `epsilon` and `delta`.

        PrivateRidge(epsilon=1.0, delta=1e-6).fit(X, y).predict(X_new)

    Formal guarantee: (epsilon, delta)-DP under replacement of one record, for every input; `model_.privacy` is the
    Gaussian guarantee that implies it. At most a quarter of mu^2 finds ranges of the columns, and a quarter those of y
    (`lemmata.mechanisms.tables.column_ranges`). The rest is for the second moments of the standardised rows and
    targets, from which a ridge regression follows (`lemmata.mechanisms.learners.statistics.second_moments`): AdaSSP's
    rule adds as much ridge as the noise asks for (`wzw25.rem2.3.float64/explicit/ridge-error`). All sums and all noise
    are exact.

    Parameters
    ----------
    epsilon, delta : float
        What a fit may spend in all, epsilon > 0 and 0 < delta < 1. Choose delta far below 1/n.
    ranges : "private" or None
        None needs `bounds` for every column.
    bounds : pair or mapping, optional
        (low, high) for all columns of numbers, or a mapping from some columns to such pairs, as for `MarginClassifier`.
        Public: they may not be looked up in the data.
    target_bounds : pair, optional
        (low, high) of y, beyond which it is clipped. Public. Without it a range of y is found within the budget.
    categories : mapping, optional
        The public list of categories of a column, named as in `bounds`; without one, text is hashed into 8 buckets.
    random_state : int, Generator or None
        None is the system's entropy. Whoever knows the seed can undo the privacy of the release.
    records_per_user : int
        Records that one user may have: then (epsilon, delta) hold for users, and `fit(groups=...)` leaves out the rest.

    Attributes
    ----------
    privacy_ : ApproxDP
        What the fit promises in all.
    budget_ : dict
        What "ranges", "target" and "learner" spent, as GaussianDP; None for ranges that were given.
    coef_ : array of shape (D,)
        In the columns and units of X, D of them with indicators: <coef_, x> + intercept_ is the prediction for a record
        inside the ranges.
    intercept_ : float
        In the units of y.
    model_ : LinearModel
        The release, with `weights` of the standardised rows.
    ranges_, target_ranges_ : Ranges
        `centre`, `spread` and `reach` of the columns, and of y.
    length_ : float
        The length of a standardised row from which on it counts less: with its target it is scaled down.
    layout_ : Layout or None
        What the columns of X become; None where every one is a number.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : array of shape (d,)
        Their names, where X was a frame whose names are text.

    Raises
    ------
    ValueError
        By `fit`, in one line, for what is public and out of range: never for what a record holds.

    Examples
    --------
    >>> X = 1e3 + np.random.default_rng(0).normal(size=(5000, 2)) * [1.0, 30.0]
    >>> y = 5 * X[:, 0] - X[:, 1] / 6
    >>> model = PrivateRidge(delta=1e-6, random_state=np.random.default_rng(1)).fit(X, y)
    >>> bool(model.score(X, y) > 0.9), model.privacy_.epsilon
    (True, 1.0)
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    ranges: str | None = "private"
    bounds: Any = None
    target_bounds: Any = None
    categories: Any = None
    random_state: Any = None
    records_per_user: int = 1
    is_private_step = True

    @share_docs(scaling.PrivateScaler.fit)
    @quiet
    def fit(self, X: ArrayLike, y: ArrayLike, *, groups: Any = None, accountant: Any = None, **refused: Any) -> Any:
        """Draw one release.

        Parameters
        ----------
        y : array of shape (n,)
            What is no number counts as the centre of the range of y, infinities as its ends.
        accountant : Accountant, optional
            Charged `privacy_` after all that is public was checked and before anything is drawn.

        Raises
        ------
        ValueError
            In one line, for what is public and out of range.
        OverBudget
            Where the account does not pay for it; nothing was drawn.
        """
        reject_fit_parameters(refused)
        check_account(accountant)
        one, promised, budget, (table, targets) = scaling.open_fit(self, X, read_targets(y), groups=groups)
        one.privacy_, mu = promised, to_gaussian_budget(budget).mu
        streams = resolve_random_state(one.random_state).spawn(3)
        (n, D), layout = table.shape, scaling.find_layout(one, table.shape[1])
        second_moments.check_columns(D + 1)
        due = [partial(charge_account, accountant, one.privacy_, type(self).__name__)]
        settle = lambda: due.pop()() if due else None  # noqa: E731  (once, before the first draw)

        def find(rows: Rows, columns: Layout, bounds: Any, ranges: Any, rng: np.random.Generator) -> Any:
            most = GaussianDP(sqrt_down(SHARE * Fraction(mu) ** 2))
            reach = min(scaling.choose_reach(n, D, mu), FURTHEST)
            asked: Any = {"ranges": ranges, "bounds": bounds, "budget": most, "reach": reach, "rng": rng}
            return scaling.find_ranges(rows, columns, **asked, noise="exact", settle=settle)

        one.ranges_ = find(table, layout, one.bounds, one.ranges, streams[0])
        one.target_ranges_ = find(targets[:, None], TARGET, one.target_bounds, "private", streams[1])
        spent = [found.privacy for found in (one.ranges_, one.target_ranges_)]
        left = GaussianDP(sqrt_down(Fraction(mu) ** 2 - sum(Fraction(part.mu) ** 2 for part in spent if part)))
        one.budget_ = dict(zip(("ranges", "target", "learner"), (*spent, left), strict=True))
        one.length_ = sqrt(layout.size / 2)
        with thread_count_for(table.size):
            rows, scale = one._prepare_rows(table), float(one._to_target(1.0, 0.0))
            # A target is scaled down with its row before it is clipped, so that a far record counts less and pulls no
            # slope aside.
            unit = (targets - one.target_ranges_.centre) / scale * scaling.shrinkage(rows)
            law = second_moments.law(rows, unit, privacy=left, noise="exact")
            settle()
            one.model_ = replace(law.model(streams[2]), privacy=GaussianDP(mu))
        slopes, constant = scaling.unscale_weights(one.model_.weights[None], one.ranges_, one.length_)
        one.coef_, one.intercept_ = one._to_target(slopes[0], 0.0), float(one._to_target(constant[0]))
        self.__dict__ = vars(one)
        return self

    def _prepare_rows(self, table: Rows) -> Rows:
        """Standardised rows of length 1 at most, record by record."""
        return scaling.apply_ranges(self.ranges_, table, lambda Z: scaling.clip_to_ball(Z, self.length_))

    def _to_target(self, scores: Any, centre: Any = None) -> Any:
        """Scores in [-1, 1] in the units of y, around the centre of its range, or another one."""
        found = self.target_ranges_
        height = float(found.spread[0] * np.ravel(found.reach)[0])
        return scores * height + (float(found.centre[0]) if centre is None else centre)

    @quiet
    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the predictions, each from its record alone.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        score = lambda Z: self.model_.decision_function(scaling.with_intercept(Z, self.length_))  # noqa: E731
        return np.asarray(self._to_target(scaling.apply_ranges(self.ranges_, self._check_table(X), score)))

    def _check_table(self, X: ArrayLike) -> Rows:
        return scaling.as_floats(self, X, False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # at a small epsilon on few records, and it must be
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


def read_targets(y: Any) -> np.ndarray:
    """Return numbers to be predicted, shape (n,), NaN for what is no number. ValueError for what is no column."""
    if y is None:
        raise ValueError("This PrivateRidge requires y to be passed, but the target y is None")
    found = as_label_column(y)
    return found.astype(float) if found.dtype.kind in "biuf" else objects_to_floats(found)
