"""The learners as scikit-learn estimators: `fit`, `predict`, `decision_function` and `privacy_`, the guarantee.

    MarginClassifier(epsilon=1.0, delta=1e-5, classes=("no", "yes")).fit(X, y).predict(X)

What is public here, and what is private. Public: every parameter, the shape (n, d), column names and types, and the
labels that may occur. Private: every record. So no step of `fit` fails, or behaves visibly otherwise, because of what
the records hold: rows of any length, NaN and what is no number (both count as 0), infinities, constant columns, labels
of one kind. Arrays of objects, lists and frames are read entry by entry.

`classes`: the labels, in any order. The labels that do occur are the data's; whoever leaves `classes` out declares
the set of labels in `y` to be public, and is warned: a single label then makes a classifier that always says it. With
`classes` given, `y` is checked against them by declared types and sets alone: numbers against text, and the categories
of a categorical `y`. A record with any other label is left out: it counts as a row of zeros, which moves no weights,
and nothing is told about it, because that would tell of its record. It is a map of one record, so records that are
replaced stay records that are replaced, and every guarantee is as it was.

Preprocessing is yours to keep private: a `StandardScaler` in front of these releases the data's means for nothing, and
a Pipeline that has one is warned of. `MarginClassifier` finds the ranges of columns itself; in front of the others put
`lemmata.PrivateScaler(unit_ball=True)`, with `bounds` where they are known, or scale by constants.

`fit(X, y, accountant=...)` charges an `Accountant` after all that is public was checked and before anything is drawn. A
`sample_weight` is refused. More than two classes share one budget; what fits several times, such as a `GridSearchCV`, a
`OneVsRestClassifier` or `cross_val_score`, spends it several times, and is warned of where it is scikit-learn's. No
score of the training records is offered, and an audit has no price: neither is for protected records.

`noise`: "exact", so that the guarantee holds for the bits of a release, or "float" for the same law in float64, whose
low bits tell of the data (`lemmata.mechanisms.noise.grid_sums`). Where only one of them exists there is no such
parameter: `lemmata.mechanisms.hardening` has the table.

`random_state`: an int, a generator, or None for the system's entropy. A seed that somebody else knows undoes the
privacy of the release: a pickle has None for a generator, a clone a child of it, which draws other noise
(`lemmata.mechanisms.estimators.private_estimator`).

Sparse rows stay sparse, and a fit releases what that of their dense copy does. Only where columns have ranges
(`MarginClassifier`, `PrivateScaler`, `PrivateRidge`) these are around 0 for sparse rows, since centred columns have no
zeros, as with scikit-learn's scalers. How long a fit takes, and its memory, tell how many entries are stored.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from lemmata.mechanisms.estimators import calibration, scaling
from lemmata.mechanisms.estimators.erm_estimators import (
    DPERM as DPERM,
    EfficientMargin as EfficientMargin,
    PhasedSGD as PhasedSGD,
    PrivateSVM as PrivateSVM,
    PureMargin as PureMargin,
)
from lemmata.mechanisms.estimators.gd_estimators import (
    AdaptiveMargin as AdaptiveMargin,
    NoisyGD as NoisyGD,
    ProjectedGD as ProjectedGD,
    TunedMargin as TunedMargin,
    choose_steps as choose_steps,
    choose_width as choose_width,
)
from lemmata.mechanisms.estimators.private_classifier import ExactClassifier, normalise_odds
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.numerics.arguments import check_choice, clip_entries, map_row_blocks, quiet
from lemmata.mechanisms.numerics.arithmetic import sqrt_down
from lemmata.mechanisms.numerics.inherited_docs import inherit_docs
from lemmata.mechanisms.numerics.sparse_rows import (
    Rows,
    entries_of,
    is_sparse,
    largest_entries,
    per_entry,
    with_entries,
)
from lemmata.mechanisms.privacy import GaussianDP, to_gaussian_budget
from lemmata.mechanisms.tables.column_ranges import noise_hides_ranges

CALIBRATION = Fraction(1, 4)  # of what the ranges leave of mu^2, for counts of scores
SHARE = Fraction(1, 4)  # of mu^2 that the ranges of MarginClassifier may spend: 1/3 did no better


def make_classifier_law(
    X: np.ndarray, y: np.ndarray, *, privacy: Any, loss: str = "hinge", noise: str = "exact"
) -> noisy_gd.NoisyGDLaw:
    """The law that `MarginClassifier` runs on its rows: noisy descent with width and steps from n, d and budget."""
    (n, d), mu = X.shape, to_gaussian_budget(privacy).mu
    asked: Any = {"width": choose_width(n, d, mu), "steps": choose_steps(n, d, mu), "loss": loss}
    return noisy_gd.law(X, y, privacy=privacy, stride="decaying", output="last", noise=noise, **asked)


def unit_rows(X: Rows) -> Rows:
    """The rows that `MarginClassifier` sees: each scaled to norm 1, with a constant entry, and to norm 1 again."""
    # Divided by the largest entry first: the squares of entries near 1e200 are no floats.
    largest = per_entry(X, np.where((largest := largest_entries(X)) > 0, largest, 1.0))
    rows = with_entries(X, entries_of(X) / largest)
    return scaling.with_intercept(scaling.shorten_rows(rows))


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class MarginClassifier(ExactClassifier):
    """A private linear classifier for raw tables, with no parameters except `epsilon` and `delta`.

    Formal guarantee: (epsilon, delta)-DP under replacement of one record of all that a fit shows, for every input;
    `model_.privacy` is the Gaussian guarantee that implies it. At most a quarter of mu^2 finds a centre and a spread of
    every column (`lemmata.mechanisms.tables.column_ranges`), the rest is for noisy gradient descent, whose width and
    steps follow from n, d and the budget. Columns are standardised and clipped, categories become indicators, rows get
    a constant beside them and are then scaled down to length 1, which changes no score's sign: all record by record.

    Parameters
    ----------
    classes : sequence of labels, optional
        Two or more; see the top of this file. Of more than two each gets 1 / sqrt(classes) of mu, against the rest.
    ranges : "private" or None
        "private" finds the ranges of all columns that `bounds` leaves out. With None and without `bounds` every row is
        scaled to length 1 by itself: right for columns on one public scale, such as pixels, and for nothing else. So it
        is where "private" could find no range: on more columns than records, if the noise is more than half of these
        (`column_ranges.noise_hides_ranges`); then nothing is spent on ranges, and sparse rows stay sparse.
    bounds : pair or mapping, optional
        (low, high) for every column, or a mapping from some to such pairs: from their names, or from positions where no
        name is a number. Public, not looked up in the data; costs nothing.
    categories : mapping, optional
        The public list of categories of a column, named as in `bounds`; without one, text is hashed into 8 buckets.
    class_weight : None, "balanced" or mapping
        How many errors on a class count as one. Each label is predicted where its log-odds and the logarithm of its
        weight are largest, so that a class with a tenth of the records is answered too. "balanced" takes one over the
        share of a class, found within the budget; of a public prior give {label: 1 / prior}. The order of scores
        (`decision_function`, ROC) is that without weights.
    probability : bool
        Whether there is `predict_proba`. Then the loss is logistic, and, as for `class_weight`, a quarter of what
        the ranges leave of mu^2 is for noisy counts of scores, by which scores become log-odds.

    Attributes
    ----------
    budget_ : dict
        What the "ranges" and the "learner" spent, as GaussianDP, and the "calibration" where there is one.
    coef_ : array of shape (1, D) or (classes, D)
        In the columns and units of X, D of them with indicators: <coef_, x> + intercept_ is the score of a record
        inside the ranges (with `ranges` None, of a row of length 1).
    ranges_ : Ranges
        `centre`, `spread` and `reach` of every column, shape (D,), and the `privacy` that finding them spent.
    length_ : float
        The length of a standardised row from which on it is scaled down
        (`lemmata.mechanisms.estimators.scaling.choose_row_length`).
    layout_ : Layout or None
        What the columns of X become; None where every one is a number.

    Raises
    ------
    ValueError
        By `fit`, in one line, for what is public and out of range: never for what a record holds.

    Notes
    -----
    Held-out accuracy in % and its standard error over 20 splits, tables as they are loaded, delta = 1e-5:
    `python -m lemmata.tools.raw_tables`. SVM and one label are not private.

        table                 n x d       epsilon 1     epsilon 3     SVM    one label
        breast cancer        426 x 30     93.8 +- .5    96.1 +- .4    97.0   61.4
        digits, 3 or 8       267 x 64     87.6 +- .9    95.5 +- .5    99.6   48.2
        digits, odd or even 1347 x 64     87.9 +- .2    90.4 +- .3    91.2   49.3
        wine                 133 x 13     69.9 +- 3.5   90.2 +- 1.0   98.1   59.3
        Fair's survey        4774 x 8     72.1 +- .3    72.0 +- .3    72.3   68.0
        RAND health         15142 x 9     68.8 +- .1    68.8 +- .1    69.5   68.8
        ANES 1996            708 x 10     89.5 +- .4    90.4 +- .3    90.4   59.0
        planted, scales     3000 x 12     93.1 +- .2    93.7 +- .2    93.6   48.9
        planted, offsets    3000 x 12     93.1 +- .1    93.4 +- .2    93.3   48.7
        planted, tails      3000 x 12     86.4 +- .8    85.5 +- .6    49.5   49.0

    What is not reached: RAND health, where the SVM itself is 0.7 points above one label; wine and the 3s and 8s at
    epsilon 1, where a count's noise is more than a quarter of all records, so that few ranges are found. Large tables
    are clipped little, so that labels linear in the columns are learnt. Where a heavy-tailed column only acts by its
    logarithm, a narrow clip does better, and more epsilon does worse (exp(2 N), 20,000 x 8: 81.8 at epsilon 1, 80.2 at
    3, and clipped at two spreads 87.0 and 84.7): take logarithms, or give `bounds`. How accuracy grows from 100 records
    to a million, beside others: `python -m lemmata.experiments.comparison.growth`.

    Width and steps were chosen on rows with public ranges at 138 settings and tried at 156 others (`lemmata compare`):
    a record pulls until its margin is the width; on a narrow hinge noise drowns the few that are wrong, on a wide one
    all pull for ever. Theory is far from this: at width s Lemma C.1 of wzw25 allows a mean hinge loss of 2 sqrt(2)
    above the least. Scores of a hinge are no probabilities, but rank
    records: for a ROC curve `decision_function` is enough, and costs nothing.

    Examples
    --------
    >>> X = 1e6 + np.random.default_rng(0).normal(size=(2000, 2)) * [1.0, 300.0]
    >>> y = np.where(X[:, 0] > 1e6, "up", "down")
    >>> model = MarginClassifier(classes=("down", "up"), random_state=np.random.default_rng(1)).fit(X, y)
    >>> bool(model.score(X, y) > 0.9), model.privacy_.epsilon
    (True, 1.0)
    """

    release_kind = "gaussian"
    ranges: str | None = "private"
    bounds: Any = None
    categories: Any = None
    class_weight: Any = None
    probability: bool = False
    _loss = "hinge"

    @property
    def _is_calibrating(self) -> bool:
        return bool(self.probability) or self.class_weight is not None

    @property
    def _is_standardising(self) -> bool:
        return self.ranges is not None or self.bounds is not None

    def _check_table(self, X: Any, reset: bool = True) -> Rows:
        """Numbers and indicators; what is no number stays NaN: `_prepare_rows` says what stands for it."""
        return scaling.as_floats(self, X, reset)

    def _prepare_rows(self, X: Rows) -> Rows:
        if not hasattr(self, "ranges_"):
            scale = lambda rows: unit_rows(clip_entries(rows, keep_sparse=True))  # noqa: E731
            return scale(X) if is_sparse(X) else map_row_blocks(scale, X)
        return scaling.apply_ranges(self.ranges_, X, lambda Z: scaling.clip_to_ball(Z, self.length_))

    def _score(self, X: Rows) -> np.ndarray:
        return self._score_by(lambda rows: np.asarray(self.model_.decision_function(rows)), X)

    def _score_by(self, scores: Callable[[Rows], np.ndarray], X: Rows) -> np.ndarray:
        """Scores of rows of any length, a band at a time where they are standardised."""
        if not hasattr(self, "ranges_"):
            return scores(self._prepare_rows(X))
        return scaling.apply_ranges(self.ranges_, X, lambda Z: scores(scaling.with_intercept(Z, self.length_)))

    def _find_layout(self, D: int) -> Any:
        return scaling.find_layout(self, D)

    def _release_fit(self, table: Rows, sides: list[np.ndarray], rng: np.random.Generator) -> Any:
        """The ranges within `SHARE` of mu^2, then the weights within what they left of it."""
        mu = to_gaussian_budget(self._budget()).mu
        for name in ("ranges_", "length_"):  # of a fit before
            self.__dict__.pop(name, None)
        calibration.check_weights(self.class_weight, self.classes_)
        (n, D), classes = table.shape, sqrt(len(sides))
        most = GaussianDP(sqrt_down(SHARE * Fraction(mu) ** 2))
        if self.ranges is not None:
            check_choice(scaling.RANGES, ranges=self.ranges)
        is_standardising = self._is_standardising and (self.bounds is not None or not noise_hides_ranges(n, D, most))
        if not is_standardising and not self._is_calibrating:
            self.budget_ = {"ranges": None, "learner": GaussianDP(mu)}
            return super()._release_fit(table, sides, rng)
        first, second = rng.spawn(2)
        asked: Any = {"ranges": self.ranges, "bounds": self.bounds, "noise": self.noise, "settle": self._charge_once}
        asked["reach"] = scaling.choose_reach(n, D, mu / classes)
        spent = None
        if is_standardising:
            self.ranges_ = scaling.find_ranges(table, self._find_layout(D), budget=most, rng=first, **asked)
            spent = self.ranges_.privacy
        # What the ranges did spend, not what they might have: the rest is known from what was released.
        left = Fraction(mu) ** 2 - (Fraction(spent.mu) ** 2 if spent else 0)
        counted = CALIBRATION * left if self._is_calibrating else 0
        learner, counts = GaussianDP(sqrt_down(left - counted)), sqrt_down(Fraction(counted))
        self.budget_ = {"ranges": spent, "learner": learner}
        self.length_ = scaling.choose_row_length(n, D, self._find_layout(D).size, learner.mu / classes)
        one: Any = copy(self)
        one.ranges = one.bounds = one.class_weight = None
        one.probability, one._loss = False, "logistic" if self.probability else "hinge"
        one._budget_share, one.__dict__["_pending_charge"] = learner, self._charge_once
        made = replace(one._release_classes(table, sides, second), privacy=GaussianDP(mu))
        if not self._is_calibrating:
            return made
        self.budget_["calibration"] = GaussianDP(counts)
        told: Any = {"class_weight": self.class_weight, "classes": self.classes_, "noise": self.noise}
        weights = np.atleast_2d(made.weights)
        scores = self._score_by(lambda rows: np.asarray(rows @ weights.T), table)
        told |= {"mu": counts, "constant": scaling.LAST, "rng": rng.spawn(1)[0]}
        weights, self._class_shift = calibration.calibrate(weights, scores, sides, **told)
        return calibration.with_weights(made, weights)

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        return make_classifier_law(X, signs, privacy=privacy, noise=self.noise, loss=self._loss)

    @available_if(lambda self: self.probability)
    @quiet
    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Return calibrated probabilities: 1 / (1 + exp(-log-odds)), those of several classes normalised.

        A function of the release and of one record. `class_weight` moves labels and scores, and no probability.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)

        Returns
        -------
        array of shape (n, classes)
            In the order of `classes_`; rows sum to 1.
        """
        classes = len(self.classes_)
        return normalise_odds(self.decision_function(X) - self._class_shift[: None if classes > 2 else 1], classes)

    def _unscale_weights(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of a record inside the ranges, and of a row of length 1 where there are none."""
        return scaling.unscale_weights(weights, getattr(self, "ranges_", None), getattr(self, "length_", 1.0))
