"""The common part of private classifiers: a table and labels in, one release, a linear predictor out.

`lemmata.mechanisms.estimators.margin_classifier` has the learners, and says what is public and what is private.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from lemmata.bounds.wzw25.algorithms import split_budget
from lemmata.mechanisms.estimators.private_estimator import PrivateEstimator
from lemmata.mechanisms.law import LinearModel, check_within_budget
from lemmata.mechanisms.numerics.arguments import check_integer, clip_entries, quiet, spawn_two_streams
from lemmata.mechanisms.numerics.arithmetic import round_down
from lemmata.mechanisms.numerics.sparse_rows import Rows, entries_of, per_entry, with_entries
from lemmata.mechanisms.numerics.threads import thread_count_for
from lemmata.mechanisms.privacy import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    compose,
    of_users,
    share_of_record,
    to_gaussian_budget,
)
from lemmata.mechanisms.privacy.disclosure import charge_account, check_account, reject_fit_parameters, warn_of_leaks
from lemmata.mechanisms.privacy.guarantees import MOST_RECORDS
from lemmata.mechanisms.tables.inputs import (
    as_label_array,
    as_label_column,
    check_budget,
    check_declared,
    equals_label,
    first_records,
    resolve_random_state,
    type_letter,
)


@dataclass(frozen=True)
class OneAgainstRest:
    """One release for each of several classes, and their joint guarantee."""

    models: tuple[LinearModel, ...]
    privacy: Guarantee

    @property
    def weights(self) -> np.ndarray:
        """Shape (classes, d)."""
        return np.stack([model.weights for model in self.models])

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return <weights of a class, x> for every row, shape (n, classes)."""
        return np.column_stack([model.decision_function(X) for model in self.models])


def blank_left_out(rows: Rows, side: np.ndarray) -> Rows:
    """Return rows with zeros for records whose side is 0: `rows` themselves if there are none, which may be the user's.

    Such a record changes no weights, and counts as an error of every predictor.
    """
    out = side == 0
    return with_entries(rows, np.where(per_entry(rows, out), 0.0, entries_of(rows))) if out.any() else rows


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateClassifier(ClassifierMixin, PrivateEstimator):
    """The base class of the private classifiers.

    Parameters
    ----------
    epsilon : float
        The most that a fit spends, also if it fails after it was charged. Positive.
    classes : sequence of labels, optional
        Two or more: the labels that may occur, which are public, in any order. Where they are left out, those that
        occur in `y` are declared public, with a `PrivacyLeakWarning`.
    records_per_user : int
        The guarantee is for users who have that many records at most: "replace up to 5". Each record then has a share
        of `epsilon`, and of delta. `fit(groups=...)` leaves out what a user has more; without it nobody may have more.
    random_state : int, Generator or None
        None is the system's entropy. Whoever knows the seed can undo the privacy of the release. A pickle has no
        generator, and a clone has a child of it (`lemmata.mechanisms.estimators.private_estimator`).

    Attributes
    ----------
    privacy_ : PureDP or ApproxDP
        What the fit promises in all, under replacement of one record, or of all of a user.
    model_ : LinearModel
        The release as a predictor, with `weights` of the rows that the learner sees.
    coef_ : array of shape (1, d) or (classes, d)
        In the columns and units of X.
    intercept_ : array of shape (1,) or (classes,)
        What is added to <coef_, x> to make a score.
    classes_ : array of shape (classes,)
        The labels, sorted: in the order of the columns of a score; of two, the second has the scores above 0.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : array of shape (d,)
        Their names, where X was a frame whose names are text.
    """

    epsilon: float = 1.0
    classes: Any = None
    records_per_user: int = 1
    random_state: Any = None
    release_kind = ""  # "gaussian" or "pure" where a release is one such mechanism: what `PrivateSearchCV` can pay for
    is_private_step = True  # a Pipeline may have it for a step
    _budget_share = None  # a GaussianDP, of one of several releases

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        """The law of the weights on this dataset, (size, d) a sample, within `privacy`."""
        raise NotImplementedError(f"{type(self).__name__} has no law of its weights")

    def _budget(self) -> Guarantee:
        """What a fit may spend."""
        return PureDP(self.epsilon)

    @property
    def _is_standardising(self) -> bool:
        """Whether a fit finds, or is given, ranges of columns."""
        return False

    @property
    def _is_calibrating(self) -> bool:
        """Whether a fit releases counts of scores after the weights."""
        return False

    def _release(self, X: np.ndarray, signs: np.ndarray, rng: np.random.Generator) -> LinearModel:
        """One release as a predictor."""
        public, private = spawn_two_streams(rng)
        law = self._make_law(X, signs, self._budget_share or self._budget(), public)
        del X  # the law has rows of its own
        self._charge_once()
        return self._draw_model(law, private)

    def _draw_model(self, law: Any, rng: np.random.Generator) -> LinearModel:
        """One release of a law that was paid for."""
        return LinearModel(law.sample(rng)[0], law.privacy)

    def _charge_once(self) -> None:
        """Charge the account of this fit, once: after all public checks, and before anything is drawn."""
        if due := self.__dict__.pop("_pending_charge", None):
            due()

    def _prepare_rows(self, X: Rows) -> Rows:
        """What the learner sees of the rows, record by record."""
        return X

    def _score(self, X: Rows) -> np.ndarray:
        """The scores of the rows of a table, record by record."""
        return np.asarray(self.model_.decision_function(self._prepare_rows(X)))

    def _check_table(self, X: ArrayLike, reset: bool = True) -> Rows:
        """Checked by scikit-learn, and finite: an infinite entry counts as 1e100."""
        return clip_entries(self._as_floats(X, reset), keep_sparse=True)

    def _copy_with_share(self, parts: int) -> Any:
        """An estimator like this one that spends what each of several releases may."""
        one = self._copy_unfitted()
        one.__dict__["_pending_charge"] = self._charge_once
        if self.release_kind == "gaussian":
            mu = to_gaussian_budget(self._budget_share or self._budget()).mu
            one._budget_share = GaussianDP(split_budget(mu, parts))
            return one
        # Rounded down, so that the parts add up to no more than the whole.
        shares = {"epsilon": round_down(Fraction(self.epsilon) / parts)}
        if hasattr(self, "delta"):
            shares["delta"] = round_down(Fraction(self.delta) / parts)
        return one.set_params(**shares)

    def _release_fit(self, table: Rows, sides: list[np.ndarray], rng: np.random.Generator) -> Any:
        """The release of a fit. `sides`: -1 or +1 for every record, and 0 for one whose label is none of `classes_`."""
        return self._release_classes(table, sides, rng)

    def _release_classes(self, table: Rows, sides: list[np.ndarray], rng: np.random.Generator) -> Any:
        """One predictor, or one for every class, each with its share of the budget."""
        if len(sides) == 1:  # no name here holds the rows while they are learnt from
            return self._release(blank_left_out(self._prepare_rows(table), sides[0]), sides[0], rng)
        rows, one = blank_left_out(self._prepare_rows(table), sides[0]), self._copy_with_share(len(sides))
        models = [one._release(rows, *each) for each in zip(sides, rng.spawn(len(sides)), strict=True)]
        return OneAgainstRest(tuple(models), compose(*(model.privacy for model in models)))

    def _check_labels(self, y: Any) -> np.ndarray:
        """The labels, shape (n,); `classes_` is set. What is refused is refused by declared types and sets alone."""
        kind, declared = type_letter(y), getattr(getattr(y, "dtype", None), "categories", None)
        declared = declared if hasattr(declared, "__len__") else None  # polars has one list for all of a process
        if y is None:
            raise ValueError(f"This {type(self).__name__} requires y to be passed, but the target y is None")
        if self.classes is None:
            check_declared("y", y)
            try:
                y = column_or_1d(y, warn=True)
                assert_all_finite(y, input_name="y")
                check_classification_targets(y)
                self.classes_ = np.unique(y)
            except TypeError:
                raise ValueError("y must have labels of one sortable type; pass `classes` otherwise") from None
        else:
            y, self.classes_ = as_label_column(y), as_label_array(self.classes)
            names = self.classes_.tolist()
            if kind != "O" and (kind == "U") != (self.classes_.dtype.kind == "U"):
                raise ValueError(f"classes must have the type of y (kind {kind}), got {tuple(self.classes)}")
            if declared is not None and not set(declared) <= set(names):
                raise ValueError(
                    f"classes must include all {len(declared)} declared categories of y, got {tuple(names)}"
                )
        return y

    def _check_data(self, X: ArrayLike, y: ArrayLike) -> tuple[Rows, list[np.ndarray]]:
        """The table, and a side a class, or one for two: +1, -1, and 0 for a label that is none of `classes_`."""
        table, labels = self._check_table(X), self._check_labels(y)
        check_consistent_length(table, labels)
        which = np.array([equals_label(labels, label) for label in self.classes_])
        known = which.any(axis=0)
        return table, [np.where(one, 1.0, -1.0) * known for one in (which if len(which) > 2 else which[-1:])]

    def _for_records(self) -> Any:
        """The estimator with what each record of a user may spend."""
        one: Any = copy(self)
        (records,) = check_integer(MOST_RECORDS, records_per_user=self.records_per_user)
        if records > 1:
            share = share_of_record(one._budget(), records)
            vars(one).update({name: getattr(share, name) for name in one._spendable()})
        return one

    def _spendable(self) -> dict[str, float]:
        """The parameters that are a budget."""
        return {name: value for name, value in vars(self).items() if name in ("epsilon", "delta")}

    @quiet
    def law_of_fit(self, X: ArrayLike, y: ArrayLike) -> Callable[[np.random.Generator, int], np.ndarray] | None:
        """Return sample(rng, size) of what `size` fits release, coefficients and intercept, shape (size, d + 1).

        For an audit.

        It is the law that one fit samples once, worked out once. None where a fit is more than that: of several
        classes, and where it draws something public, or ranges, on which its law hangs.
        """
        table, sides = self._check_data(X, y)
        public, one = np.random.default_rng(0), self._for_records()
        before, own = public.bit_generator.state, (type(self)._release, type(self)._draw_model)
        if (
            len(sides) > 1
            or own != (PrivateClassifier._release, PrivateClassifier._draw_model)
            or self._is_standardising
            or self._is_calibrating
        ):
            return None
        law = one._make_law(blank_left_out(one._prepare_rows(table), sides[0]), sides[0], one._budget(), public)
        if public.bit_generator.state != before:
            return None
        return lambda rng, size: np.column_stack(self._unscale_weights(np.asarray(law.sample(rng, size))))

    @quiet
    def fit(self, X: ArrayLike, y: ArrayLike, *, groups: Any = None, accountant: Any = None, **refused: Any) -> Any:
        """Draw one release. Of more than two classes each has a share of the budget, one against the rest.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)
            No entry is refused: what is no number counts as 0, or as the ranges of the columns say.
        y : array of shape (n,)
            Labels of any type. A record whose label is none of `classes` is left out: it counts as a row of zeros.
        groups : array of shape (n,), optional
            The user of each record: text or whole numbers, public. Of a user the first `records_per_user` are used.
        accountant : Accountant, optional
            Charged `privacy_` after all that is public was checked and before anything is drawn. So a mistake in a
            parameter leaves it, and the data, untouched, and so does OverBudget; what goes wrong later was paid for.
        **refused
            A `sample_weight`, or anything else that other estimators take.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            In one line, for anything public that is out of range, and for a `sample_weight`.
        OverBudget
            Where the account does not pay for it; nothing was drawn.
        """
        reject_fit_parameters(refused)
        check_account(accountant)
        given: Any = copy(self)  # what is paid for and drawn is not changed by a fit or a set_params of another thread
        check_budget(given)
        one, budget = given._for_records(), given._budget()
        rng = resolve_random_state(one.random_state)
        table, sides = one._check_data(X, y)
        if groups is not None:
            kept = first_records(groups, table.shape[0], one.records_per_user)
            table, sides = table[kept], [side[kept] for side in sides]
        warn_of_leaks(one, table.shape[0])
        # Everything public is checked above; the charge is made by `_charge_once` below, and then noise is drawn.
        one.privacy_ = replace(budget, neighbours=of_users(budget.neighbours, one.records_per_user))
        one._pending_charge = partial(charge_account, accountant, one.privacy_, type(self).__name__)
        with thread_count_for(table.size):
            one.model_ = one._release_fit(table, sides, rng)
        check_within_budget(one.model_.privacy, one.privacy_, "model_")
        one.coef_, one.intercept_ = one._unscale_weights(np.atleast_2d(one.model_.weights))
        vars(one).pop("_pending_charge", None)
        vars(one).update(given._spendable())
        # At once and last: a fit that fails, or another thread's, leaves the estimator as it was.
        self.__dict__ = vars(one)
        return self

    def _unscale_weights(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts in the units of X, from the weights of the rows that the learner sees."""
        return weights, np.zeros(len(weights))

    @quiet
    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return the scores of records: <coef_, x> + intercept_, for the learners with ranges inside these.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)

        Returns
        -------
        array of shape (n,) or (n, classes)
            Positive for the second class; one score a class for more than two.
        """
        check_is_fitted(self)
        return self._score(self._check_table(X, reset=False))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the label of the largest score; a tie is the second class, or the first of several.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)

        Returns
        -------
        array of shape (n,)
            Of the labels in `classes_`.
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]
        return self.classes_[np.where(scores >= 0, len(self.classes_) - 1, 0)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # at a small epsilon on few records, and it must be
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.input_tags.string = True  # in arrays of objects: text that is no number counts as 0
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class ApproximateClassifier(PrivateClassifier):
    """A learner with a delta.

    Parameters
    ----------
    delta : float
        The delta of (epsilon, delta), in (0, 1). Choose it far below 1/n: a mechanism that publishes one random record
        is (0, 1/n)-DP.
    """

    delta: float = 1e-5

    def _budget(self) -> Guarantee:
        return ApproxDP(self.epsilon, self.delta)


def normalise_odds(scores: np.ndarray, classes: int) -> np.ndarray:
    """Return probabilities of shape (n, classes) from log-odds: of the second of two, or of each class, normalised.

    >>> normalise_odds(np.array([0.0]), 2).tolist(), normalise_odds(np.array([5.0]), 1).tolist()
    ([[0.5, 0.5]], [[1.0]])
    """
    if scores.ndim > 1:
        return np.asarray(softmax(log_expit(scores), axis=1))
    odds = expit(scores)
    return np.column_stack([1 - odds, odds]) if classes == 2 else np.ones((len(odds), 1))


@dataclass(eq=False, repr=False, kw_only=True)
class ExactClassifier(ApproximateClassifier):
    """A learner with a delta whose noise is exact unless noise = "float".

    Parameters
    ----------
    noise : "exact" or "float"
        "exact": the guarantee holds for the bits released; "float": the same law in float64, for experiments.
    """

    noise: str = "exact"
