"""The learners of bms22 and rbht09 as estimators: phased SGD and what is built on it, and the pure ones.

What is public here and what is private stands at the top of `lemmata.mechanisms.estimators.margin_classifier`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from lemmata.mechanisms.estimators.private_classifier import ExactClassifier, PrivateClassifier, normalise_odds
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.learners.covers import pure_learner
from lemmata.mechanisms.learners.erm import dp_erm, efficient_learner, phased_sgd, private_svm
from lemmata.mechanisms.numerics.arguments import check_integer, check_magnitude, quiet
from lemmata.mechanisms.numerics.inherited_docs import inherit_docs
from lemmata.mechanisms.numerics.sparse_rows import Rows


def check_two_records(X: Rows) -> None:
    """Raise ValueError for a single record."""
    if X.shape[0] < 2:
        raise ValueError("n_samples=1 is too few: at least 2 records are needed")


def choose_C(n: int, d: int, epsilon: float) -> float:
    """C = n epsilon / (10 sqrt(d)) for rows of length 1, with which the noise of PrivateSVM is the same for all n.

    At most what float64 can solve. The number was chosen on eleven tables: `python -m lemmata.tools.comparison_rules`.

    >>> choose_C(1000, 4, 2.0), choose_C(10**9, 1, 1.0)
    (100.0, 1000000.0)
    """
    return min(private_svm.LARGEST, n * epsilon / (10 * sqrt(d)))


# With a delta ---------------------------------------------------------------------------------------------------------


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class PhasedSGD(ExactClassifier):
    """One pass of phased SGD on the hinge loss: A_GLL of bms22 (`phased_sgd.law`).

    The mean of max(0, 1 - y <w, x> / rho) over a ball is minimised in floor(log2 n) phases, the i-th on n / 2^i fresh
    records; each releases the average of its iterates with Gaussian noise and hands it on. Formal guarantee: (epsilon,
    delta)-DP under replacement of one record, for every input. n >= 2. There is no intercept.

    Parameters
    ----------
    rho : float
        The width of the hinge, in units of <w, x>.
    radius : float
        The l2 norm to which longer rows are scaled down. Public.
    norm_bound : float
        The l2 radius of the ball in which the weights lie.

    Raises
    ------
    ValueError
        By `fit`, in one line: for a parameter out of range, and for one record.

    References
    ----------
    Bassily, Mohri & Suresh (2022), A_GLL, which is Algorithm 2 of Bassily, Guzman & Menart (2021).

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 2)) / 3
    >>> model = PhasedSGD(epsilon=4.0, classes=(False, True), random_state=np.random.default_rng(1))
    >>> model.fit(X, X[:, 0] > 0).coef_.shape
    (1, 2)
    """

    release_kind = "gaussian"
    rho: float = 0.1
    radius: float = 1.0
    norm_bound: float = 1.0

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        check_two_records(X)
        sizes: Any = {"rho": self.rho, "radius": self.radius, "norm_bound": self.norm_bound}
        return phased_sgd.law(X, signs, privacy=privacy, **sizes, noise=self.noise)


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class DPERM(ExactClassifier):
    """Boosted phased SGD, DP-ERM of bms22 (`dp_erm.law`): log(2 / beta) rounds, of which one is chosen privately.

    Each round is `PhasedSGD` on n records drawn with replacement; a round is chosen with probability proportional to
    exp(-epsilon L / (4 Delta)), L its mean hinge loss on all records, Delta the sensitivity of that. Formal guarantee:
    (epsilon, delta)-DP under replacement of one record, for every input. There is no intercept.

    Parameters
    ----------
    rho : float
        The width of the hinge, in units of <w, x>.
    radius : float
        The l2 norm to which longer rows are scaled down. Public.
    norm_bound : float
        The l2 radius of the ball in which the weights lie.
    beta : float
        The chance, in (0, 1), that the loss exceeds the theorem's bound; the number of rounds follows from it.

    Raises
    ------
    ValueError
        By `fit`, in one line: for a parameter out of range, and unless n >= 2, 0 < delta < 1/n and
        0 < epsilon <= log(1/delta).

    References
    ----------
    Bassily, Mohri & Suresh (2022), Algorithm 5 (4 in the appendix), with the least noise that its proof needs.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) / 3
    >>> model = DPERM(epsilon=4.0, classes=(False, True), random_state=np.random.default_rng(1))
    >>> model.fit(X, X[:, 0] > 0).privacy_
    ApproxDP(epsilon=4.0, delta=1e-05, neighbours='replace')
    """

    rho: float = 0.1
    radius: float = 1.0
    norm_bound: float = 1.0
    beta: float = 0.1

    def _sizes(self) -> Any:
        """What `dp_erm.law` and `efficient_learner.law` take."""
        sizes = {"rho": self.rho, "radius": self.radius, "norm_bound": self.norm_bound}
        return sizes | {"beta": self.beta, "noise": self.noise}

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        check_two_records(X)
        return dp_erm.law(X, signs, privacy=privacy, **self._sizes())


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class EfficientMargin(DPERM):
    """DP-ERM on rows projected to R^k: Algorithm 2 of bms22 (`efficient_learner.law`).

    x -> Phi x, clipped to norm 2 radius; `DPERM` over the ball of radius 2 norm_bound; Phi^T w is released. Formal
    guarantee: as `DPERM`, for every Phi, which is public, a fast Johnson-Lindenstrauss projection. Where k >= d nothing
    is projected, and `DPERM` runs in R^d with beta / 3: Theorem 3.2 holds a fortiori (`efficient_learner`).

    Parameters
    ----------
    rho : float
        The width of the hinge, in units of <w, x>, in (0, norm_bound * radius).
    k : int or None
        Rows of Phi; None is the printed number, of the order epsilon n. Memory is n min(k, d).

    Raises
    ------
    ValueError
        By `fit`, in one line, for a parameter out of range: as `DPERM`.

    References
    ----------
    Bassily, Mohri & Suresh (2022), Algorithm 2 and Lemma A.4.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 300)) / 20
    >>> model = EfficientMargin(k=8, epsilon=4.0, classes=(False, True), random_state=np.random.default_rng(1))
    >>> model.fit(X, X[:, 0] > 0).coef_.shape
    (1, 300)
    """

    k: int | None = None

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        check_two_records(X)
        spent: Any = {"epsilon": self.epsilon, "delta": self.delta, "beta": self.beta}
        (n, d), k = X.shape, self.k
        (k,) = (efficient_learner.rows_for(n, **spent),) if k is None else check_integer(k=k)
        phi = efficient_learner.draw_projection(n, d, **spent, k=k, rng=public) if k < d else None
        return efficient_learner.law(X, signs, privacy=privacy, projection=phi, **self._sizes())


# Pure -----------------------------------------------------------------------------------------------------------------


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class PrivateSVM(PrivateClassifier):
    """The support vector machine under exact Laplace noise: PRIVATESVM-FINITE of rbht09 (`private_svm.law`).

        argmin_w  |w|^2 / 2 + (C / n) sum_i loss(y_i <w, x_i>)  +  iid Laplace(0, 2 C kappa sqrt(d) / (n epsilon))

    Formal guarantee: epsilon-DP under replacement of one record, for every input. n >= 2. There is no intercept. With
    `loss` "logistic" there is `predict_proba`.

    Parameters
    ----------
    C : "auto" or float
        The weight of the mean loss. A larger one fits closer and needs more noise. "auto" is `choose_C`, which
        follows from n, d and epsilon.
    kappa : float
        The l2 norm to which longer rows are scaled down. Public.
    loss : "hinge" or "logistic"
        Of the margin y <w, x>.
    calibration : "sharp" or "printed"
        The l1 sensitivity of the minimiser: 2 C kappa sqrt(d) / n, which is attained, or twice that, as Lemma 21 says.

    Raises
    ------
    ValueError
        By `fit`, in one line: for a parameter out of range, and for one record.

    Notes
    -----
    With the default C the noise of every weight has scale 1 / (5 kappa), for all n, d and epsilon. Held-out accuracy in
    % and its standard error over 20 splits behind a `PrivateScaler(unit_ball=True)`, which has three tenths of epsilon,
    at epsilon 1 and 3 in all (`python -m lemmata.tools.raw_tables`): breast cancer as it is loaded 80.6 +- 2.8 and 93.9
    +- .5, where one label has 61.4; a twentieth of 4,500 records aside 97.0 +- .5 and 98.5 +- .4, where one label has
    94.9. What is not reached: on Fair's survey it has 68.7 +- .3 at epsilon 1, where one label has 68.0, a SVM 72.3 and
    `NoisyGD`, which takes a delta, 71.9 +- .3.

    References
    ----------
    Rubinstein, Bartlett, Huang & Taft (2009), Algorithms 1 and 2 and Lemma 21.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 2)) / 3
    >>> model = PrivateSVM(C=10.0, classes=(False, True), random_state=np.random.default_rng(1)).fit(X, X[:, 0] > 0)
    >>> bool(model.score(X, X[:, 0] > 0) > 0.9), model.privacy_
    (True, PureDP(epsilon=1.0, neighbours='replace'))
    """

    release_kind = "pure"
    C: str | float = "auto"
    kappa: float = 1.0
    loss: str = "hinge"
    calibration: str = "sharp"

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        check_two_records(X)
        C, (kappa,), (n, d) = self.C, check_magnitude(kappa=self.kappa), X.shape
        if isinstance(C, str) and C == "auto":
            C = choose_C(n, d, privacy.epsilon) / kappa**2
        asked: Any = {"C": C, "kappa": self.kappa, "loss": self.loss, "calibration": self.calibration}
        return private_svm.law(X, signs, privacy=privacy, **asked)

    @available_if(lambda self: self.loss == "logistic")
    @quiet
    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Return the probabilities of the released logistic model: 1 / (1 + exp(-score)), normalised over classes.

        A function of the release and of one record, so it costs nothing. It is the model's own odds, not calibrated: a
        small C keeps them near 1/2, and noise drives them apart. Calibrating on records would be another release.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, d)

        Returns
        -------
        array of shape (n, classes)
            In the order of `classes_`; rows sum to 1.
        """
        return normalise_odds(self.decision_function(X), len(self.classes_))


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class PureMargin(PrivateClassifier):
    """The exponential mechanism over a cover of a ball in R^k: Algorithm 1 of bms22 (`pure_learner.law`).

    A vector w of a rho / (10 radius)-cover of the ball of radius 2 norm_bound is drawn with probability proportional to
    exp(-epsilon (number of records with y <w, Phi x> <= 0) / 2), and Phi^T w released. Formal guarantee: epsilon-DP
    under replacement of one record, for every input and every Phi, which is public. There is no intercept.

    Parameters
    ----------
    rho : float
        The margin, in (0, norm_bound * radius]: the cover is as fine.
    radius : float
        The l2 norm to which longer rows are scaled down. Public.
    norm_bound : float
        The l2 norm of the vectors that the theorem compares with.
    k : int
        Rows of Phi, 1 to 4: a cover has about (40 norm_bound radius / rho)^k vectors, and all are tried.

    Raises
    ------
    ValueError
        By `fit`, in one line: for a parameter out of range, and for a cover that is too large.

    References
    ----------
    Bassily, Mohri & Suresh (2022), Algorithm 1.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) / 3
    >>> model = PureMargin(classes=(False, True), random_state=np.random.default_rng(1)).fit(X, X[:, 0] > 0)
    >>> model.coef_.shape, model.privacy_
    ((1, 2), PureDP(epsilon=1.0, neighbours='replace'))
    """

    release_kind = "pure"
    rho: float = 0.5
    radius: float = 1.0
    norm_bound: float = 1.0
    k: int = 2

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        phi = sign_projection(self.k, X.shape[1], rng=public)
        sizes: Any = {"rho": self.rho, "radius": self.radius, "norm_bound": self.norm_bound}
        return pure_learner.law(X, signs, privacy=privacy, public=phi, **sizes)
