"""The learners as scikit-learn estimators: `fit`, `predict`, `decision_function`, and `privacy_`, what the fit spent.

    MarginClassifier(epsilon=1.0, delta=1e-5, classes=("no", "yes")).fit(X, y).predict(X)

What is public here, and what is private. Public: every parameter, the shape (n, d), column names and types, and the
labels that may occur. Private: every record. So no step of `fit` fails, or behaves visibly otherwise, because of what
the records hold: rows of any length, NaN and what is no number (both count as 0), infinities, constant columns, labels
of one kind. Arrays of objects, lists and frames are read entry by entry.

`classes`: the labels, for two of them (negative, positive). The labels that do occur are the data's; whoever leaves
`classes` out declares the set of labels in `y` to be public, and is warned: a single label then makes a classifier that
always says it. With `classes` given, `y` is checked against them by declared types and sets alone: numbers against
text, and the categories of a categorical `y`. A record with any other label is left out: it counts as a row of zeros,
which moves no weights, and nothing is told about it, because that would tell of its record. It is a map of one record,
so records that are replaced stay records that are replaced, and every guarantee is as it was.

Preprocessing is yours to keep private: a `StandardScaler` in front of these releases the data's means for nothing, and
a Pipeline that has one is warned of. `MarginClassifier` finds the ranges of columns itself; in front of the others put
`lemmata.PrivateScaler(unit_ball=True)`, with `bounds` where they are known, or scale by constants.

`fit(X, y, accountant=...)` charges an `Accountant` after all that is public was checked and before anything is drawn
(`AdaptiveMargin` and `TunedMargin`, before they check). A `sample_weight` is refused. More than two classes share one
budget; what fits several times, such as a `GridSearchCV` or a `OneVsRestClassifier`, spends it several times, and is
warned of. No score of the training records is offered, and an audit has no price: neither is for protected records.

`noise`: "exact", so that the guarantee holds for the bits of a release, or "float" for the same law in float64, whose
low bits tell of the data (`lemmata.mechanisms.grid_sums`). Where only one of them exists there is no such parameter:
`lemmata.mechanisms.hardening` has the table.

`random_state`: an int, a generator, or None for the system's entropy. A seed that somebody else knows undoes the
privacy of the release. Sparse rows are accepted and made dense.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

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
    scaling,
)
from lemmata.mechanisms.arithmetic import root_down
from lemmata.mechanisms.law import AdaptiveModel, by_bands, one_of, whole
from lemmata.mechanisms.privacy import GaussianDP, to_gaussian_budget
from lemmata.mechanisms.private_classifier import LARGEST, ApproximateClassifier, PrivateClassifier
from lemmata.mechanisms.scaling import CONSTANT
from lemmata.mechanisms.sign_projection import sign_projection

STEPS = 50  # of a run of MarginClassifier at most: 100 did no better on any of the ten tables below
NARROWEST = 0.003  # hinge of MarginClassifier: so many steps do not find their way on a narrower one
WIDEST = 1 / 16  # beyond, real records within the width are most of them, and the descent only averages y x
SHARE = Fraction(1, 4)  # of mu^2 that the ranges of MarginClassifier may spend: 1/3 did no better


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
    steps: str | int = "auto"  # balanced, but at most 2,000: the time is linear in n
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
    """The support vector machine under exact Laplace noise: PRIVATESVM-FINITE of rbht09 (`private_svm.law`).

    With `loss` "logistic" there is `predict_proba`.
    """

    spends = "pure"
    C: float = 1.0
    kappa: float = 1.0  # longer rows are scaled down to it
    loss: str = "hinge"
    calibration: str = "sharp"

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        several(X)
        asked: Any = {"C": self.C, "kappa": self.kappa, "loss": self.loss, "calibration": self.calibration}
        return private_svm.law(X, signs, privacy=privacy, **asked)

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """What the released logistic model says, shape (n, classes): 1 / (1 + exp(-score)), over their sum if several.

        A function of the release and of one record, so it costs nothing. It is the model's own odds, not calibrated: a
        small C keeps them near 1/2, and noise drives them apart. Calibrating on records would be another release.
        """
        odds = expit(self.decision_function(X))
        if odds.ndim == 1:
            odds = np.column_stack([1 - odds, odds])
            return odds if len(self.classes_) == 2 else np.ones((len(odds), 1))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


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
        self._settle()
        return adaptive_margin.fit(X, signs, **spent, noise=self.noise, rng=rng)


@dataclass(eq=False, repr=False, kw_only=True)
class TunedMargin(AdaptiveMargin):
    """Algorithm 6 of wzw25: the best of a random number of runs (`private_tuning`; its duration tells K)."""

    beta: float = 0.05

    def _release(self, X: np.ndarray, signs: np.ndarray, rng: np.random.Generator) -> AdaptiveModel:
        spent: Any = {"epsilon": self.epsilon, "delta": self.delta, "radius": self.radius, "steps": self.steps}
        self._settle()
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
    """A private linear classifier for a table as it is, with nothing to choose but `epsilon` and `delta`.

    Formal guarantee: (epsilon, delta)-DP under replacement of one record of all that a fit shows, for every input;
    `model_.privacy` is the Gaussian guarantee that implies it. At most a quarter of mu^2 finds a centre and a spread of
    every column (`lemmata.mechanisms.column_ranges`), the rest is for noisy gradient descent, whose width and steps
    follow from n, d and the budget. Columns are standardised and clipped, categories become indicators, rows are
    clipped to length 1 and get a constant beside them, record by record.

    Parameters
    ----------
    epsilon, delta : float
        The budget of a fit, whatever it does.
    classes : sequence of labels
        Two or more; see the top of this file. Of more than two each gets 1 / sqrt(classes) of mu, against the rest.
    ranges : "private" or None
        "private" finds the ranges of all columns that `bounds` leaves out. With None and without `bounds` every row is
        scaled to length 1 by itself: right for columns on one public scale, such as pixels, and for nothing else.
    bounds : pair or mapping, optional
        (low, high) for every column, or for some by name or position. Public, not looked up in the data; costs nothing.
    categories : mapping, optional
        The public list of categories of a column; without one, text is hashed into 8 buckets.
    noise : "exact" or "float"
    random_state : int, Generator or None

    Attributes
    ----------
    privacy_ : ApproxDP
    budget_ : dict
        What the "ranges" and the "learner" spent, as GaussianDP.
    coef_, intercept_ : arrays of shape (1, D) and (1,), or a row a class
        In the columns and units of X: <coef_, x> + intercept_ is the score of a record inside the ranges whose row is
        not clipped (with `ranges` None, of a row of length 1).
    ranges_, model_, classes_, layout_, n_features_in_, feature_names_in_

    Notes
    -----
    Held-out accuracy in % and its standard error over 20 splits, tables as they are loaded, delta = 1e-5:
    `python -m lemmata.tools.raw_tables`. SVM and one label are not private.

        table                 n x d       epsilon 1     epsilon 3     SVM    one label
        breast cancer         426 x 30    94.1 +- .5    95.9 +- .4    97.0   61.4
        digits, 3 or 8        267 x 64    87.2 +- 1.5   95.4 +- .5    99.6   48.2
        digits, odd or even  1347 x 64    87.7 +- .3    89.9 +- .2    91.2   49.3
        wine                  133 x 13    72.9 +- 3.8   89.7 +- 1.3   98.1   59.3
        Fair's survey        4774 x 8     72.2 +- .3    72.2 +- .3    72.3   68.0
        RAND health         15142 x 9     68.8 +- .1    68.8 +- .1    69.5   68.8
        ANES 1996             708 x 10    89.7 +- .3    90.2 +- .3    90.4   59.0
        planted, scales      3000 x 12    92.3 +- .3    92.5 +- .3    93.6   48.9
        planted, offsets     3000 x 12    93.1 +- .1    93.3 +- .1    93.3   48.7
        planted, tails       3000 x 12    88.6 +- .5    89.0 +- .5    49.5   49.1

    What is not reached: RAND health, where the SVM itself is 0.7 points above one label; wine and the 3s and 8s at
    epsilon 1, where a count's noise is more than a quarter of all records, so that few ranges are found.

    Width and steps were chosen on rows with public ranges at 138 settings and tried at 156 others (`lemmata compare`):
    a record pulls until its margin is the width; on a narrow hinge noise drowns the few that are wrong, on a wide one
    all pull for ever. Theory is far from this: at width s Lemma C.1 of wzw25 allows a mean hinge loss of 2 sqrt(2)
    above the least. There is no `predict_proba`: scores of a hinge are no probabilities (`PrivateSVM` has one).

    Examples
    --------
    >>> X = 1e6 + np.random.default_rng(0).normal(size=(2000, 2)) * [1.0, 300.0]
    >>> y = np.where(X[:, 0] > 1e6, "up", "down")
    >>> model = MarginClassifier(classes=("down", "up"), random_state=np.random.default_rng(1)).fit(X, y)
    >>> bool(model.score(X, y) > 0.9), model.privacy_.epsilon
    (True, 1.0)
    """

    spends = "gaussian"
    ranges: str | None = "private"
    bounds: Any = None
    categories: Any = None

    @property
    def _standardises(self) -> bool:
        return self.ranges is not None or self.bounds is not None

    def _table(self, X: Any, reset: bool = True) -> np.ndarray:
        """Numbers and indicators; what is no number stays NaN where the ranges say what stands for it."""
        table = scaling.dense(self, X, reset)
        if self._standardises:
            return table
        return np.nan_to_num(table, nan=0.0, posinf=LARGEST, neginf=-LARGEST).clip(-LARGEST, LARGEST)

    def _rows(self, X: np.ndarray) -> np.ndarray:
        if not hasattr(self, "ranges_"):
            return unit_rows(X)
        return by_bands(lambda band: scaling.ball_rows(self.ranges_.standardised(band), self.length_), X)

    def _columns(self, D: int) -> Any:
        return scaling.columns_of(self, D)

    def _learn(self, table: np.ndarray, sides: list[np.ndarray], rng: np.random.Generator) -> Any:
        """The ranges within `SHARE` of mu^2, then the weights within what they left of it."""
        mu = to_gaussian_budget(self._budget()).mu
        self.__dict__.pop("ranges_", None)  # of a fit before
        if not self._standardises:
            self.budget_ = {"ranges": None, "learner": GaussianDP(mu)}
            return super()._learn(table, sides, rng)
        first, second = rng.spawn(2)
        most = GaussianDP(root_down(SHARE * Fraction(mu) ** 2))
        asked: Any = {"ranges": self.ranges, "bounds": self.bounds, "noise": self.noise, "settle": self._settle}
        self.ranges_ = scaling.find(table, self._columns(table.shape[1]), budget=most, rng=first, **asked)
        spent = self.ranges_.privacy
        left = GaussianDP(root_down(Fraction(mu) ** 2 - (Fraction(spent.mu) ** 2 if spent else 0)))
        self.budget_ = {"ranges": spent, "learner": left}
        (n, D), share = table.shape, left.mu / sqrt(len(sides))
        self.length_ = scaling.row_length(n, D, self._columns(D).size, share)
        one: Any = clone(self).set_params(ranges=None, bounds=None)
        one._allotted, one.__dict__["_due"] = left, self._settle
        model = one._learned(self._rows(table), sides, second)
        return replace(model, privacy=GaussianDP(mu))

    def _law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        return resolved_law(X, signs, privacy=privacy, noise=self.noise)

    def _linear(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of a record inside the ranges, and of a row of length 1 where there are none."""
        weights = weights / sqrt(1 + CONSTANT**2)
        slopes, constant = weights[:, :-1], CONSTANT * weights[:, -1]
        if hasattr(self, "ranges_"):
            slopes = slopes / (self.ranges_.spread * self.length_)
            constant = constant - slopes @ self.ranges_.centre
        return slopes, constant
