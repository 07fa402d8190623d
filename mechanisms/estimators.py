"""The learners as scikit-learn estimators: `fit`, `predict`, `decision_function`, and `privacy_`, what the fit spent.

    MarginClassifier(epsilon=1.0, delta=1e-5).fit(X, y).predict(X)

What is public here, and what is private. Public: every parameter, the shape (n, d), column names and types, and the two
labels that may occur. Private: every record. So no step of `fit` fails, or behaves visibly otherwise, because of what
the records hold: rows of any length, NaN and what is no number (both count as 0), infinities, constant columns, labels
of one kind. Arrays of objects, lists and frames are read entry by entry.

`classes`: the two labels, (negative, positive). The labels that do occur are the data's; whoever leaves `classes`
out declares the set of labels in `y` to be public: a single label then makes a classifier that always says it, more
than two an error. With `classes` given a label that is neither counts as the first, and nothing is told about it.

Preprocessing is yours to keep private: a `StandardScaler` in front of these releases the data's means for nothing.
Scale by constants that are known beforehand (`lemmata.experiments.data` has examples), record by record.

`noise`: "exact", so that the guarantee holds for the bits of a release, or "float" for the same law in float64, whose
low bits tell of the data (`lemmata.mechanisms.grid_sums`). Where only one of them exists there is no such parameter:
`lemmata.mechanisms.hardening` has the table.

`random_state`: an int, a generator, or None for the system's entropy. A seed that somebody else knows undoes the
privacy of the release. Sparse rows are accepted and made dense.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lemmata.mechanisms import (
    adaptive_margin,
    dp_erm,
    efficient_learner,
    noisy_gd,
    phased_sgd,
    private_svm,
    private_tuning,
    projected_gd,
    pure_learner,
)
from lemmata.mechanisms.inputs import column, equal, kind_of, seeded, tabular
from lemmata.mechanisms.law import AdaptiveModel, LinearModel, kept, one_of, two_streams, whole
from lemmata.mechanisms.privacy import ApproxDP, Guarantee, PureDP, to_gaussian_budget
from lemmata.mechanisms.sign_projection import sign_projection

LARGEST = 1e100  # what an infinite entry counts as
CONSTANT = 0.5  # the entry beside a row of length 1 that stands for the intercept
STEPS = 100  # of a run of MarginClassifier at most: more did no better on 20,000 records
NARROWEST = 0.003  # hinge of MarginClassifier: so many steps do not find their way on a narrower one
WIDEST = 1 / 16  # beyond, real records within the width are most of them, and the descent only averages y x


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateClassifier(ClassifierMixin, BaseEstimator):
    """What the estimators share: data in, one release, a linear predictor out. `classes`: see the top of this file."""

    epsilon: float = 1.0
    classes: Any = None
    random_state: Any = None
    spends = ""  # "gaussian" or "pure" where a release is one such mechanism: what `PrivateSearchCV` can pay for

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        """The law of the weights on this dataset, (size, d) a sample, within `privacy`."""
        raise NotImplementedError(f"{type(self).__name__} has no law of weights")

    def _budget(self) -> Guarantee:
        """What a fit may spend."""
        return PureDP(self.epsilon)

    def _release(self, X: np.ndarray, signs: np.ndarray, rng: np.random.Generator) -> LinearModel:
        """One release as a predictor."""
        public, private = two_streams(rng)
        law = self._law(X, signs, self._budget(), public)
        return LinearModel(law.sample(private)[0], law.privacy)

    def _rows(self, X: np.ndarray) -> np.ndarray:
        """What the learner sees of the rows, record by record; the same in `fit` and `predict`."""
        return X

    def _table(self, X: ArrayLike, **given: Any) -> Any:
        """Checked by scikit-learn, dense and finite."""
        asked: Any = {"accept_sparse": ("csr", "csc"), "dtype": np.float64, "ensure_all_finite": False}
        X = tabular(X)
        with np.errstate(over="ignore", invalid="ignore"):
            checked = validate_data(self, X, **given, **asked)
        table, y = checked if "y" in given else (checked, None)
        table = table.toarray() if hasattr(table, "toarray") else table
        table = np.nan_to_num(table, nan=0.0, posinf=LARGEST, neginf=-LARGEST).clip(-LARGEST, LARGEST)
        return (table, y) if "y" in given else table

    def fit(self, X: ArrayLike, y: ArrayLike) -> Any:
        """One release. X: (n, d), dense, sparse or a frame; y: (n,), two labels of any type."""
        named, kind = self.classes is not None and y is not None, kind_of(y)
        rng = seeded(self.random_state)
        table, y = (self._table(X), column(y)) if named else self._table(X, y=y)
        check_consistent_length(table, y)
        if self.classes is None:
            try:
                check_classification_targets(y)
                self.classes_ = np.unique(y)
            except TypeError:
                raise ValueError("y has labels of several types, which have no order: give `classes`") from None
            if len(self.classes_) > 2:
                raise ValueError(f"Only binary classification is supported: y has {len(self.classes_)} labels, not 2.")
        else:
            self.classes_ = np.asarray(self.classes)
            pair = self.classes_.tolist() if self.classes_.shape == (2,) else [None]
            if any(label is None or label != label for label in pair) or pair[0] == pair[1]:
                raise ValueError("classes is not a pair of two different labels")
            if kind != "O" and (kind == "U") != (self.classes_.dtype.kind == "U"):
                raise ValueError(f"classes = {tuple(self.classes)} are of another type than y, of kind {kind}")
        signs = np.where(equal(y, self.classes_[-1]), 1.0, -1.0)
        self.model_ = self._release(self._rows(table), signs, rng)
        self.privacy_ = self._budget()
        kept(self.model_.privacy, self.privacy_, "model_")
        self.coef_ = self.model_.weights[None, :]
        return self

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """<weights, x> for every row, shape (n,): positive for the second class."""
        check_is_fitted(self)
        return self.model_.decision_function(self._rows(self._table(X, reset=False)))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Labels, shape (n,); a tie is the second class."""
        positive = self.decision_function(X) >= 0
        return self.classes_[np.where(positive, len(self.classes_) - 1, 0)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # at a small epsilon on few records, and it must be
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.input_tags.string = True  # in arrays of objects: text that is no number counts as 0
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class ApproximateClassifier(PrivateClassifier):
    """A learner with a delta."""

    delta: float = 1e-5

    def _budget(self) -> Guarantee:
        return ApproxDP(self.epsilon, self.delta)


# Learners that are Gaussian mechanisms --------------------------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class ExactClassifier(ApproximateClassifier):
    """A learner with a delta whose noise is exact unless "float" is asked for."""

    noise: str = "exact"


@dataclass(eq=False, repr=False, kw_only=True)
class NoisyGD(ExactClassifier):
    """Noisy gradient descent on the hinge loss of width `width`: Algorithm 5 of wzw25 (`noisy_gd.law`)."""

    spends = "gaussian"
    width: float = 0.1
    radius: float = 1.0  # longer rows are scaled down to it
    steps: str | int = "balanced"
    stride: str = "decaying"
    output: str = "last"

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        one_of(("average", "last"), output=self.output)
        asked: Any = {"steps": self.steps, "stride": self.stride, "output": self.output, "noise": self.noise}
        return noisy_gd.law(X, signs, privacy=privacy, width=self.width, radius=self.radius, **asked)


@dataclass(eq=False, repr=False, kw_only=True)
class ProjectedGD(NoisyGD):
    """The same on rows projected to R^k by random signs, none if k >= d: Algorithm 1 (`projected_gd.law`)."""

    k: int = 100

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        one_of(("average", "last"), output=self.output)
        (k,), d = whole(k=self.k), X.shape[1]
        phi = sign_projection(k, d, rng=public) if k < d else None
        asked: Any = {"steps": self.steps, "stride": self.stride, "output": self.output, "noise": self.noise}
        sizes: Any = {"width": self.width, "radius": self.radius, "projection": phi}
        return projected_gd.law(X, signs, privacy=privacy, **sizes, **asked)


@dataclass(eq=False, repr=False, kw_only=True)
class PhasedSGD(ExactClassifier):
    """One pass of phased SGD on the hinge loss of width `rho`: A_GLL of bms22 (`phased_sgd.law`). n >= 2."""

    spends = "gaussian"
    rho: float = 0.1
    radius: float = 1.0
    norm_bound: float = 1.0

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        several(X)
        sizes: Any = {"rho": self.rho, "radius": self.radius, "norm_bound": self.norm_bound}
        return phased_sgd.law(X, signs, privacy=privacy, **sizes, noise=self.noise)


def several(X: np.ndarray) -> None:
    """Raise ValueError for one record."""
    if len(X) < 2:
        raise ValueError("n_samples=1 is too few: at least 2 records are needed")


# Pure learners --------------------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateSVM(PrivateClassifier):
    """The support vector machine under exact Laplace noise: PRIVATESVM-FINITE of rbht09 (`private_svm.law`)."""

    spends = "pure"
    C: float = 1.0
    kappa: float = 1.0  # longer rows are scaled down to it
    loss: str = "hinge"
    calibration: str = "sharp"

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        several(X)
        asked: Any = {"C": self.C, "kappa": self.kappa, "loss": self.loss, "calibration": self.calibration}
        return private_svm.law(X, signs, privacy=privacy, **asked)


@dataclass(eq=False, repr=False, kw_only=True)
class PureMargin(PrivateClassifier):
    """The exponential mechanism over a cover of R^k: Algorithm 1 of bms22 (`pure_learner`), k <= 4."""

    spends = "pure"
    rho: float = 0.5
    radius: float = 1.0
    norm_bound: float = 1.0
    k: int = 2

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        phi = sign_projection(self.k, X.shape[1], rng=public)
        sizes: Any = {"rho": self.rho, "radius": self.radius, "norm_bound": self.norm_bound}
        return pure_learner.law(X, signs, privacy=privacy, public=phi, **sizes)


# Learners that mix noises ---------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class DPERM(ExactClassifier):
    """Boosted phased SGD: DP-ERM of bms22 (`dp_erm.law`). n >= 2 and delta < 1/n."""

    rho: float = 0.1
    radius: float = 1.0
    norm_bound: float = 1.0
    beta: float = 0.1

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        several(X)
        sizes: Any = {"rho": self.rho, "radius": self.radius, "norm_bound": self.norm_bound, "beta": self.beta}
        return dp_erm.law(X, signs, privacy=privacy, **sizes, noise=self.noise)


@dataclass(eq=False, repr=False, kw_only=True)
class EfficientMargin(DPERM):
    """DP-ERM on rows projected to R^k, k as printed by default: Algorithm 2 of bms22 (`efficient_learner`)."""

    k: int | None = None

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        several(X)
        spent: Any = {"epsilon": self.epsilon, "delta": self.delta, "beta": self.beta}
        phi = efficient_learner.draw_projection(*X.shape, **spent, k=self.k, rng=public)
        sizes: Any = {"rho": self.rho, "radius": self.radius, "norm_bound": self.norm_bound, "beta": self.beta}
        return efficient_learner.law(X, signs, privacy=privacy, projection=phi, **sizes, noise=self.noise)


# Learners that find their margin --------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class AdaptiveMargin(ExactClassifier):
    """DP Adaptive Margin, Algorithm 3 of wzw25: every margin of the grid is tried (`adaptive_margin.law`)."""

    radius: float = 1.0
    steps: str | int = "balanced"

    def _release(self, X: np.ndarray, signs: np.ndarray, rng: np.random.Generator) -> AdaptiveModel:
        spent: Any = {"epsilon": self.epsilon, "delta": self.delta, "radius": self.radius, "steps": self.steps}
        return adaptive_margin.fit(X, signs, **spent, noise=self.noise, rng=rng)


@dataclass(eq=False, repr=False, kw_only=True)
class TunedMargin(AdaptiveMargin):
    """Algorithm 6 of wzw25: the best of a random number of runs (`private_tuning`; its duration tells K)."""

    beta: float = 0.05

    def _release(self, X: np.ndarray, signs: np.ndarray, rng: np.random.Generator) -> AdaptiveModel:
        spent: Any = {"epsilon": self.epsilon, "delta": self.delta, "radius": self.radius, "steps": self.steps}
        return private_tuning.fit(X, signs, **spent, beta=self.beta, noise=self.noise, rng=rng)


def resolved_width(n: int, d: int, mu: float) -> float:
    """The width of the hinge that mu-GDP noise resolves on n rows in R^d: sqrt(d) / (n mu), in [0.003, 1/16].

    sqrt(d) / (n mu) is half the length of the noise, per record, that one step with the whole budget would add to a
    gradient of rows of length 1. Measured, not derived; see `MarginClassifier`.
    """
    return min(WIDEST, max(NARROWEST, sqrt(d) / (n * mu)))


def resolved_steps(n: int, d: int, mu: float) -> int:
    """Balanced steps (`lemmata.mechanisms.noisy_gd`), at most `STEPS`."""
    return min(STEPS, noisy_gd.step_count("balanced", n, mu, d))


def resolved_law(
    X: np.ndarray, y: np.ndarray, *, privacy: Any, loss: str = "hinge", noise: str = "exact"
) -> noisy_gd.NoisyGDLaw:
    """What `MarginClassifier` runs on its rows: noisy descent, its width and steps from n, d and the budget."""
    (n, d), mu = X.shape, to_gaussian_budget(privacy).mu
    asked: Any = {"width": resolved_width(n, d, mu), "steps": resolved_steps(n, d, mu), "loss": loss}
    return noisy_gd.law(X, y, privacy=privacy, stride="decaying", output="last", noise=noise, **asked)


def unit_rows(X: np.ndarray) -> np.ndarray:
    """What `MarginClassifier` sees: each row scaled to length 1 by itself, a constant beside it, length 1 again."""
    largest = np.abs(X).max(axis=1, keepdims=True)
    rows = X / np.where(largest > 0, largest, 1.0)
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    return np.column_stack([unit, np.full(len(X), CONSTANT)]) / sqrt(1 + CONSTANT**2)


@dataclass(eq=False, repr=False, kw_only=True)
class MarginClassifier(ExactClassifier):
    """A private linear classifier with nothing to choose but `epsilon` and `delta`.

        Formal guarantee: (epsilon, delta)-DP under replacement of one record, for every input; `model_.privacy` is the
        Gaussian guarantee that implies it. Every row is scaled to length 1 by itself and gets a constant beside it, so
        there is no norm to choose and the scale of the data does not matter; width and steps of noisy gradient descent
        follow from n, d and the budget, which are public. The number of operations depends on n and d only.

    Why this: held-out accuracy in % at delta = 1e-5, at most 500 training records, the mean of 20 splits
    (`lemmata compare`, whose page has the rest). Both others choose a width privately and pay for it.

        data                n x d      epsilon 0.5, 1, 3: this    TunedMargin     AdaptiveMargin   one label
        digits, 3 or 8      267 x 64     84.5  92.3  95.7       80.7 89.6 95.2    70.4 79.1 90.4     49
        breast cancer       426 x 31     89.2  93.0  94.9       91.5 90.3 94.4    83.9 88.2 91.5     62
        RAND health         500 x 10     65.9  67.0  68.4       66.4 68.1 68.3    66.1 67.3 68.2     69
        Fair's survey       500 x 9      68.3  69.7  71.6       68.3 70.1 70.5    67.1 67.9 69.2     68

    Why this width. A record pulls until its margin is `width`. On a narrow hinge only wrong records pull, and the noise
    drowns them; on a wide one all pull for ever, and the descent ends near the mean of y x, which outliers and rare
    labels spoil. Of a s^p within [low, high], s = sqrt(d) / (n mu), the mean risk at 138 settings (digits 3-8 and 4-9,
    breast cancer, Fair's survey, planted margins; epsilon 0.25 to 8) is least at p = 1, a from 1 to 1.5, high = 0.06;
    a = 1/3 without that high end is 1.2 points worse, width 1/30 everywhere 1.3. At 156 settings that had no part in
    the choice (six other pairs of digits, RAND health, six small tables, three made ones, ten planted families) it is
    decidedly better than a = 1/3 at 40 and worse at one, a planted margin of 0.05; better than width 1/30 at 19 and
    worse at 12, by 0.8 points at most. Steps and their sizes, the logistic loss, the average and a narrowing hinge made
    less of a difference, or did worse.
    Theory is far from this: at width s Lemma C.1 of wzw25 allows a mean hinge loss of 2 sqrt(2) above the least.
    """

    spends = "gaussian"

    def _rows(self, X: np.ndarray) -> np.ndarray:
        return unit_rows(X)

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        return resolved_law(X, signs, privacy=privacy, noise=self.noise)
