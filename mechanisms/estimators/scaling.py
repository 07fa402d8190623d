"""Columns on one scale, privately: `PrivateScaler`, and the ranges that `MarginClassifier` estimates.

    z = clip((x - centre) / spread, -reach, reach),    NaN -> 0,    infinite -> +-reach,

with centres and spreads of `bounds`, where they are given, and otherwise found within the budget
(`lemmata.mechanisms.tables.column_ranges`). The reach is 2 where `bounds` are given, and where many records lie far
aside of a column; else it is that of `choose_reach`. Categories become indicators
(`lemmata.mechanisms.tables.table_columns`). A sparse table keeps its zeros, as behind scikit-learn's scalers: its
centres are 0, and its spreads larger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from lemmata.mechanisms.estimators.private_estimator import PrivateEstimator
from lemmata.mechanisms.numerics.arguments import check_choice, check_integer, map_row_blocks, quiet
from lemmata.mechanisms.numerics.arithmetic import short_repr
from lemmata.mechanisms.numerics.sparse_rows import (
    Rows,
    dense_rows,
    entries_of,
    is_sparse,
    per_entry,
    sum_of_squares,
    with_constant,
    with_entries,
)
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, of_users, to_gaussian_budget
from lemmata.mechanisms.privacy.algebra import share_of_record
from lemmata.mechanisms.privacy.disclosure import charge_account, check_account, reject_fit_parameters, warn_of_leaks
from lemmata.mechanisms.privacy.guarantees import MOST_RECORDS
from lemmata.mechanisms.tables import column_ranges
from lemmata.mechanisms.tables.inputs import as_frame, check_budget, first_records, resolve_random_state
from lemmata.mechanisms.tables.table_columns import Column, Layout, match_columns, plan_layout

RANGES = ("private",)
CONSTANT = 0.5  # the entry beside a row of length 1 that stands for the intercept
LAST = CONSTANT / sqrt(1 + CONSTANT**2)  # the same once both are scaled to length 1
NARROWEST = 1e-300  # of `bounds`: a spread is a normal float then, and a coefficient over it no infinity
RESOLVED = 0.01  # sqrt(d) / (n mu) below which rows are scaled down earlier
FINE = 0.007  # the same, below which columns are wider
FURTHEST = 500.0  # times `REACH`, at most


def as_floats(estimator: Any, X: Any, reset: bool) -> Rows:
    """A table as floats by the `layout_` of `estimator`, which `reset` makes: NaN for gaps, infinities as they are."""
    frame = as_frame(X)
    if reset:
        estimator.layout_ = plan_layout(frame, estimator.categories)
        estimator._names = list(frame.columns) if hasattr(frame, "columns") else None
    if estimator.layout_ is None:
        return estimator._as_floats(X, reset)
    if not reset and not (hasattr(frame, "iloc") or getattr(X, "ndim", 0) == 2):
        raise ValueError(f"X must be a frame or an array as in fit, got {type(X).__name__}")
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if not X.shape[0]:
        raise ValueError("X has 0 sample(s), and at least 1 is needed")
    return estimator.layout_.apply(frame)


def find_layout(estimator: Any, D: int) -> Layout:
    """The layout of a fitted table; numeric columns if it had none."""
    if estimator.layout_ is not None:
        return estimator.layout_
    return Layout(tuple(Column(name, True) for name in estimator._names or [f"x{j}" for j in range(D)]))


def read_bounds(bounds: Any, columns: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Centres and spreads of `bounds`, NaN where a column has none, shapes (D,): low and high are 2 spreads away.

    `bounds`: a pair (low, high) for all columns of numbers, or a mapping from columns (`match_columns`) to pairs.
    Raises ValueError for a column that does not exist or is no number, and for what is no pair of finite numbers, low <
    high, `NARROWEST` apart at least: numbers are divided by a spread, and so are coefficients.
    """
    centre, spread = np.where(columns.indicator, 0.0, np.nan), np.where(columns.indicator, 1.0, np.nan)
    if bounds is None:
        return centre, spread
    every = columns.columns
    starts = np.cumsum([0, *(one.number + one.indicators for one in every)])
    if isinstance(bounds, Mapping):
        pairs = match_columns("bounds", bounds, [one.name for one in every])
    else:
        pairs = {j: bounds for j, one in enumerate(every) if one.number}
    for j, pair in pairs.items():
        one = every[j]
        if not one.number:
            raise ValueError(f"bounds must name numeric columns, got {short_repr(one.name)}")
        try:
            low, high = (float(end) for end in pair)
        except (TypeError, ValueError):
            raise ValueError(f"bounds[{short_repr(one.name)}] must be a pair of numbers (low, high)") from None
        if not (isfinite(low) and NARROWEST <= high - low < inf):
            range_ = f"a finite pair with low < high, {NARROWEST} apart at least"
            raise ValueError(f"bounds[{short_repr(one.name)}] must be {range_}, got ({low}, {high})")
        centre[starts[j]], spread[starts[j]] = low / 2 + high / 2, (high / 2 - low / 2) / column_ranges.REACH
    return centre, spread


def find_ranges(
    table: Rows,
    columns: Layout,
    *,
    ranges: Any,
    bounds: Any,
    budget: GaussianDP | ApproxDP,
    reach: float,
    noise: str,
    rng: np.random.Generator,
    settle: Callable[[], None],
) -> column_ranges.Ranges:
    """The ranges of all output columns: `bounds` where given, and one private search for the others, with their reach.

    Those of a sparse table are around 0: `bounds` are taken as (-b, b), b the larger of their sizes, and a spread that
    is found as sqrt(spread^2 + centre^2), the size of an entry. `settle` is called before anything is drawn, and not at
    all if nothing is.
    """
    if ranges is not None:
        check_choice(RANGES, ranges=ranges)
    centre, spread = read_bounds(bounds, columns)
    if is_sparse(table):
        centre, spread = 0.0 * centre, spread + np.abs(centre) / column_ranges.REACH
    open_ = np.flatnonzero(np.isnan(centre))
    if not len(open_):
        return column_ranges.Ranges(centre, spread, None)
    if ranges is None:
        raise ValueError(f"bounds must include {columns.names()[open_[0]]!r}, unless ranges = 'private'")
    made = column_ranges.law(_select_columns(table, open_), privacy=budget, noise=noise)
    settle()
    found = made.model(rng, reach)
    centre[open_], spread[open_] = found.centre, found.spread
    if is_sparse(table):
        centre[open_], spread[open_] = 0.0, np.hypot(found.centre, found.spread)
    reaches = np.full(len(centre), column_ranges.REACH)
    reaches[open_] = found.reach
    return column_ranges.Ranges(centre, spread, found.privacy, reaches)


def _select_columns(table: Rows, chosen: np.ndarray) -> Rows:
    """Some columns, without a copy where they are all."""
    return table if len(chosen) == table.shape[1] else table[:, chosen]


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateScaler(TransformerMixin, PrivateEstimator):
    """Put every column of a table on one scale, privately, before any learner in a Pipeline.

        make_pipeline(PrivateScaler(epsilon=0.3, unit_ball=True), NoisyGD(epsilon=0.7, classes=(0, 1)))

    Formal guarantee: (epsilon, delta)-DP under replacement of one record of `center_` and `scale_`, for every input.
    What a learner behind it promises comes on top: an `accountant` adds it up (`fit(X, accountant=account)`, in a
    Pipeline `fit(X, y, privatescaler__accountant=account, noisygd__accountant=account)`).
    `transform` treats every record by itself, and what it returns is not private.

    Parameters
    ----------
    epsilon, delta : float
        What finding the ranges may spend, epsilon > 0 and 0 < delta < 1. `spent_` is what it did spend.
    ranges : "private" or None
        None needs `bounds` for every column, and spends nothing.
    bounds : pair or mapping, optional
        (low, high) for all columns of numbers, or a mapping from some columns to such pairs: from their names, or
        from positions where no name is a number. Public: they may not be looked up in the data.
    categories : mapping, optional
        For columns of categories, named as in `bounds`, the public list of them; without one a fixed hash into 8
        buckets.
    unit_ball : bool
        Whether rows come out as `MarginClassifier` sees them: over `length_`, with a constant beside them, and scaled
        down to length 1. Right for the learners of this package, which clip rows and have no intercept of their own;
        scikit-learn's want the columns themselves.
    noise : "exact" or "float"
        As for the learners.
    random_state : int, Generator or None
        None is the system's entropy. A seed that somebody else knows undoes the privacy of the release: a pickle has no
        generator, and a clone a child of it (`lemmata.mechanisms.estimators.private_estimator`).
    records_per_user : int
        Records that one user may have: then (epsilon, delta) hold for users, and `fit(groups=...)` leaves out what a
        user has more, as for the learners; a Pipeline has to hand `groups` to each of its private steps.

    Attributes
    ----------
    center_, scale_ : arrays of shape (D,)
        z = (x - center_) / scale_, clipped to [-reach, reach] of `ranges_`: 2 where `bounds` say so, and where codes
        such as -999 lie far aside, else `choose_reach`. Every center_ is 0 after a fit of sparse rows.
    privacy_ : ApproxDP or None
        What a fit may spend; None if all ranges were given.
    spent_ : GaussianDP or None
        What this one did; None if all ranges were given.
    length_ : float
        Of a row that comes out with length 1, by n, D and a learner's budget as large as this one's
        (`choose_row_length`).
    ranges_ : Ranges
        The release: `centre`, `spread` and `privacy`, and the public `reach`.
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
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) * [1e-4, 1e4]
    >>> scaler = PrivateScaler(epsilon=2.0, random_state=np.random.default_rng(1)).fit(X)
    >>> bool((scaler.transform(X).std(axis=0).round() == 1).all()), scaler.privacy_.epsilon
    (True, 2.0)
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    ranges: str | None = "private"
    bounds: Any = None
    categories: Any = None
    unit_ball: bool = False
    noise: str = "exact"
    random_state: Any = None
    records_per_user: int = 1
    is_private_step = True

    @quiet
    def fit(self, X: ArrayLike, y: Any = None, *, groups: Any = None, accountant: Any = None, **refused: Any) -> Any:
        """One release of the ranges.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)
            No entry is refused.
        y : ignored
        groups : array of shape (n,), optional
            The user of each record: text or whole numbers, public. Of a user the first `records_per_user` are used.
        accountant : Accountant, optional
            Charged (epsilon, delta) after all that is public was checked and before anything is drawn, unless `bounds`
            says all.
        **refused
            A `sample_weight`, or anything else that other estimators take.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            In one line, for what is public and out of range.
        OverBudget
            Where the account does not pay for it; nothing was drawn.
        """
        reject_fit_parameters(refused)
        check_account(accountant)
        one, promised, budget, (table,) = open_fit(self, X, groups=groups)
        rng = resolve_random_state(one.random_state)
        (n, D), mu = table.shape, to_gaussian_budget(budget).mu if 0 < budget.delta < 1 else 0.0
        asked: Any = {"ranges": one.ranges, "bounds": one.bounds, "noise": one.noise, "budget": budget, "rng": rng}
        asked |= {"reach": choose_reach(n, D, mu)}
        settle = lambda: charge_account(accountant, promised, type(self).__name__)  # noqa: E731
        one.ranges_ = found = find_ranges(table, find_layout(one, table.shape[1]), **asked, settle=settle)
        one.privacy_, one.spent_ = promised if found.privacy else None, found.privacy
        one.center_, one.scale_ = found.centre, found.spread
        one.length_ = choose_row_length(n, D, find_layout(one, D).size, mu)
        self.__dict__ = vars(one)
        return self

    @quiet
    def transform(self, X: ArrayLike) -> Rows:
        """Scale records, each independently of the others. The result is not private.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)

        Returns
        -------
        array of shape (n, D), or (n, D + 1) with `unit_ball`
            Entries within the reach of `ranges_`; with `unit_ball` rows of l2 norm 1 at most, up to rounding. Sparse
            for a sparse X if every centre is 0, as after a fit of sparse rows.
        """
        check_is_fitted(self)
        clip = (lambda Z: clip_to_ball(Z, self.length_)) if self.unit_ball else (lambda Z: Z)
        return apply_ranges(self.ranges_, as_floats(self, X, False), clip)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the output columns.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        array of text of shape (D,), or (D + 1,) with "constant" at the end
        """
        check_is_fitted(self)
        names = find_layout(self, len(self.center_)).names()
        return np.array(names + ["constant"] * self.unit_ball, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


def choose_reach(n: int, d: int, mu: float) -> float:
    """How many spreads from its centre a column is clipped: 2, and up to 1,000 where noise resolves far more.

    Clipping is a bias that no budget takes away: the sign of <w, x> is another one than that of <w, clipped x>. On few
    records it pays: a far entry is noise, and what is known of a spread is a factor of two. So the reach grows with
    n mu / sqrt(d), from 1 / `FINE` on. Measured, not derived: `MarginClassifier` on raw tables
    (`python -m lemmata.tools.raw_tables`) and `python -m lemmata.experiments.comparison.growth`.

    >>> choose_reach(100, 9, 0.3), choose_reach(40_000, 16, 0.1), choose_reach(10**7, 16, 1.0)
    (2.0, 14.0, 1000.0)
    """
    return column_ranges.REACH * min(FURTHEST, max(1.0, FINE * n * mu / sqrt(d)))


def choose_row_length(n: int, d: int, size: int, mu: float) -> float:
    """From which on a standardised row is scaled down: sqrt(size / 2), and sqrt(size) / 2 where noise resolves more.

    `size`: columns of length 1 or less in a row, of d; mu: what a learner spends on n rows. A row that is scaled down
    counts less, but on the same side. The length is also what a constant beside the row is worth: where noise hides a
    small class, a large one keeps to the larger class, and rows shorter than it are longer beside the noise. Larger
    lengths do no better on 22 tables that are not in `MarginClassifier`'s: `python -m lemmata.tools.row_lengths`.

    >>> choose_row_length(100, 8, 8, 0.25), round(choose_row_length(10**6, 8, 8, 0.25), 2)
    (2.0, 1.41)
    """
    return sqrt(size / 2) / max(1.0, min(sqrt(2), RESOLVED * n * mu / sqrt(d)))


def apply_ranges(ranges: column_ranges.Ranges, X: Rows, then: Callable[[Rows], Rows]) -> Rows:
    """`then` of standardised rows, in bands; sparse rows stay sparse where the ranges keep their zeros."""
    if is_sparse(X) and not ranges.centre.any():
        return then(ranges.standardised(X))
    return map_row_blocks(lambda band: then(ranges.standardised(band)), X)


def open_fit(
    estimator: Any, X: Any, *columns: np.ndarray, groups: Any
) -> tuple[Any, ApproxDP, ApproxDP, tuple[Any, ...]]:
    """What a fit without labels begins with: (a copy, what is promised, what a record may spend, the records used).

    The copy is fitted in place of the estimator, so that what fails leaves the fit before as it was. The records
    are those of the table and the `columns` beside it, the first `records_per_user` of each user in `groups`.
    """
    one: Any = copy(estimator)
    check_budget(one)
    budget = ApproxDP(one.epsilon, one.delta)
    (records,) = check_integer(MOST_RECORDS, records_per_user=one.records_per_user)
    promised = replace(budget, neighbours=of_users(budget.neighbours, records))
    share = share_of_record(budget, records) if records > 1 else budget
    every: tuple[Any, ...] = (as_floats(one, X, True), *columns)
    check_consistent_length(*every)
    if groups is not None:
        kept = first_records(groups, every[0].shape[0], records)
        every = tuple(column[kept] for column in every)
    warn_of_leaks(one, every[0].shape[0], labels=False)
    return one, promised, share, every


def unscale_weights(
    weights: np.ndarray, ranges: column_ranges.Ranges | None, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """Slopes and intercepts in the units of a table, from weights (k, D + 1) of the rows of `clip_to_ball`.

    They are right for a record inside the ranges, and without ranges for a row of length 1.
    """
    weights = weights / sqrt(1 + CONSTANT**2)
    slopes, constant = weights[:, :-1], CONSTANT * weights[:, -1]
    if ranges is None:
        return slopes, constant
    slopes = slopes / (ranges.spread * length)
    return slopes, constant - slopes @ ranges.centre


def with_intercept(Z: Rows, length: float = 1.0) -> Rows:
    """Standardised rows over `length`, `CONSTANT` beside them, over sqrt(1 + CONSTANT^2): what is linear in them."""
    return with_constant(with_entries(Z, entries_of(Z) / (length * sqrt(1 + CONSTANT**2))), LAST)


def clip_to_ball(Z: Rows, length: float = 1.0) -> Rows:
    """Rows `with_intercept`, each scaled to length 1 if it is longer: with its constant, so a score keeps its sign."""
    return shorten_rows(with_intercept(Z, length))


def shorten_rows(rows: Rows) -> Rows:
    """The rows, of which those longer than 1 are scaled to length 1, in place."""
    entries = entries_of(rows)
    entries /= per_entry(rows, np.maximum(np.sqrt(sum_of_squares(rows)), 1.0))
    return rows


def shrinkage(rows: Rows) -> np.ndarray:
    """By what `clip_to_ball` scaled each row down, shape (n,): 1 or less, the constant of the row over its own."""
    return np.ravel(dense_rows(rows[:, [-1]])) / LAST
