"""The learners of wzw25 as estimators: noisy gradient descent, projected, and with a margin found privately.

What is public here and what is private stands at the top of `lemmata.mechanisms.estimators.margin_classifier`.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from lemmata.mechanisms.estimators.private_classifier import ExactClassifier
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.law import AdaptiveModel
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd, private_tuning, projected_gd
from lemmata.mechanisms.numerics.arguments import check_choice, check_integer, check_magnitude
from lemmata.mechanisms.numerics.inherited_docs import inherit_docs
from lemmata.mechanisms.privacy import to_gaussian_budget
from lemmata.mechanisms.selection.tuning_budget import theorem_epsilon

STEPS, MORE = 50, 3  # of a run of MarginClassifier, and so many times as many where noise resolves a narrow hinge
SMOOTH = 1 / 150  # sqrt(d) / (n mu), below which it does
NARROWEST = 0.0003  # hinge of MarginClassifier: so many steps do not find their way on a narrower one
WIDEST = 1 / 16  # beyond, real records within the width are most of them, and the descent only averages y x


def choose_width(n: int, d: int, mu: float) -> float:
    """The width of the hinge that mu-GDP noise resolves on n rows in R^d: sqrt(d) / (n mu), in [0.0003, 1/16].

    sqrt(d) / (n mu) is half the length of the noise, per record, that one step with the whole budget would add to a
    gradient of rows of length 1. Measured, not derived; see `MarginClassifier`.
    """
    return min(WIDEST, max(NARROWEST, sqrt(d) / (n * mu)))


def choose_steps(n: int, d: int, mu: float) -> int:
    """Balanced steps (`lemmata.mechanisms.learners.descent.noisy_gd`), at most `STEPS`, and up to `MORE` times that.

    Columns of unequal spread, or that go together, need more steps, whose noise is small where sqrt(d) / (n mu) is.

    >>> choose_steps(10**4, 100, 0.1), choose_steps(10**6, 100, 0.1)
    (50, 150)
    """
    most = round(STEPS * min(MORE, max(1.0, SMOOTH * n * mu / sqrt(d))))
    return min(most, noisy_gd.step_count("balanced", n, mu, d))


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class NoisyGD(ExactClassifier):
    """Noisy gradient descent on the hinge loss: Algorithm 5 of wzw25 (`noisy_gd.law`).

        w_{t+1} = w_t - eta_t (sum_i grad max(0, 1 - y_i <w_t, x_i> / width) + N(0, sigma^2 I)),    w_0 = 0,

    sigma = (2 radius / width) sqrt(steps) / mu. Formal guarantee: (epsilon, delta)-DP under replacement of one record,
    for every input, with the mu of the analytic Gaussian calibration. There is no intercept: add a constant column, or
    put `PrivateScaler(unit_ball=True)` in front.

    Parameters
    ----------
    width : "auto" or float
        Of the hinge, in units of <w, x>: a record pulls with length |x| / width until y <w, x> exceeds it. On a wide
        one a small class is outvoted, on a narrow one noise decides: "auto" is `radius` times `choose_width`, which
        follows from n, d and the budget, and `PrivateSearchCV` chooses privately.
    radius : float
        The l2 norm to which longer rows are scaled down. Public.
    steps : "auto", "balanced", "printed" or int
        T: "balanced" is n^2 mu^2 / d, "printed" n^2 mu^2, "auto" the balanced number, but at most 2,000, and at most 50
        where `width` is "auto" too, which is then what `MarginClassifier` runs on its rows.
    stride : "decaying", "tuned" or "printed"
        The step sizes eta_t, see `noisy_gd.law`.
    output : "last" or "average"
        The last iterate, or the mean of w_0, ..., w_{T-1}.

    Raises
    ------
    ValueError
        In one line, by `fit`, for a parameter out of range.

    Notes
    -----
    Held-out accuracy in % and its standard error over 20 splits behind a `PrivateScaler(unit_ball=True)`, which has
    three tenths of the budget, at epsilon 1 and 3 in all (`python -m lemmata.tools.raw_tables`): breast cancer as it is
    loaded 91.8 +- .7 and 94.8 +- .5, where one label has 61.4; a twentieth of 4,500 records aside 99.8 and 99.9, where
    one label has 94.9.

    References
    ----------
    Wang, Zhu & Wang (2025), Algorithm 5 and Lemma C.2.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) / 3
    >>> model = NoisyGD(classes=(False, True), random_state=np.random.default_rng(1)).fit(X, X[:, 0] > 0)
    >>> bool(model.score(X, X[:, 0] > 0) > 0.9), model.privacy_
    (True, ApproxDP(epsilon=1.0, delta=1e-05, neighbours='replace'))
    """

    release_kind = "gaussian"
    width: str | float = "auto"
    radius: float = 1.0
    steps: str | int = "auto"
    stride: str = "decaying"
    output: str = "last"

    def _descent(self, n: int, d: int, privacy: Any) -> Any:
        """What `noisy_gd.law` and `projected_gd.law` take, for n rows in which d columns have noise."""
        check_choice(("average", "last"), output=self.output)
        width, steps, (radius,) = self.width, self.steps, check_magnitude(radius=self.radius)
        if isinstance(width, str) and width == "auto":
            mu = to_gaussian_budget(privacy).mu
            width = radius * choose_width(n, d, mu)
            steps = choose_steps(n, d, mu) if isinstance(steps, str) and steps == "auto" else steps
        sizes: Any = {"width": width, "radius": self.radius, "noise": self.noise}
        return sizes | {"steps": steps, "stride": self.stride, "output": self.output}

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        n, d = X.shape
        return noisy_gd.law(X, signs, privacy=privacy, **self._descent(n, d, privacy))


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class ProjectedGD(NoisyGD):
    """Noisy gradient descent on rows projected by random signs: Algorithm 1 of wzw25 (`projected_gd.law`).

    x -> Phi x in R^k, clipped to norm 2 radius; `NoisyGD` there; Phi^T w is released. Formal guarantee: as `NoisyGD`,
    for every Phi, which is public. In k < d dimensions there is less noise, of twice the length.

    Parameters
    ----------
    k : int
        Rows of Phi, whose entries are +-1 / sqrt(k). If k >= d nothing is projected.

    Raises
    ------
    ValueError
        By `fit`, in one line, for a parameter out of range.

    References
    ----------
    Wang, Zhu & Wang (2025), Algorithm 1.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 300)) / 20
    >>> model = ProjectedGD(k=20, classes=(False, True), random_state=np.random.default_rng(1)).fit(X, X[:, 0] > 0)
    >>> model.coef_.shape
    (1, 300)
    """

    k: int = 100

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        (k,), (n, d) = check_integer(k=self.k), X.shape
        descent = self._descent(n, min(k, d), privacy)
        phi = sign_projection(k, d, rng=public) if k < d else None
        return projected_gd.law(X, signs, privacy=privacy, projection=phi, **descent)


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class AdaptiveMargin(ExactClassifier):
    """DP Adaptive Margin, Algorithm 3 of wzw25: every margin of the grid 1/n, 2/n, ..., 1 is tried.

    Each margin gamma has one run of Algorithm 1 of width gamma / 3, with mu / sqrt(2 |Gamma|), and a count of its
    errors with noise of as much; the run with the fewest noisy errors is released (`adaptive_margin.law`). Formal
    guarantee: (epsilon, delta)-DP under replacement of one record, for every input, of the weights and the margin.

    Parameters
    ----------
    radius : float
        The l2 norm to which longer rows are scaled down. Public.
    steps : "auto", "balanced", "sampled", "printed" or int
        Of each run, see `adaptive_margin.law`: "auto" is "balanced" where that takes about a second, and beyond
        "sampled", random batches, whose time is linear in n.

    Attributes
    ----------
    model_ : AdaptiveModel
        The release; `model_.margin` is the margin of the run that was chosen.

    Raises
    ------
    ValueError
        By `fit`, in one line: for a parameter out of range, and unless 0 < epsilon < 8 log(1/delta), 0 < delta < 1.

    References
    ----------
    Wang, Zhu & Wang (2025), Algorithms 2 and 3. `lemmata.mechanisms.learners.descent.adaptive_margin` says what differs
    from the print.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) / 3
    >>> model = AdaptiveMargin(classes=(False, True), random_state=np.random.default_rng(1)).fit(X, X[:, 0] > 0)
    >>> bool(model.score(X, X[:, 0] > 0) > 0.9), 1 / 500 <= model.model_.margin <= 1
    (True, True)
    """

    radius: float = 1.0
    steps: str | int = "auto"

    def _run(self, X: np.ndarray, public: np.random.Generator) -> Any:
        """What a run of Algorithm 1 takes here and in `TunedMargin`."""
        phis = adaptive_margin.choose_projections(X, self.radius, None, public)
        return {"radius": self.radius, "ties": "wrong", "output": "last", "stride": "decaying", "projections": phis}

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        asked = self._run(X, public) | {"steps": self.steps, "noise": self.noise}
        return adaptive_margin.law(X, signs, privacy=privacy, **asked)

    def _draw_model(self, law: Any, rng: np.random.Generator) -> AdaptiveModel:
        return law.model(rng)


@inherit_docs
@dataclass(eq=False, repr=False, kw_only=True)
class TunedMargin(AdaptiveMargin):
    """The best of a random number of runs, one margin each: Algorithm 6 of wzw25 (`private_tuning.margin_law`).

    K ~ TNB(1, beta / ((1 - beta) |Gamma|)) runs of Algorithm 1, each for a margin drawn from the grid of
    `AdaptiveMargin`; the one with the fewest noisy errors is released. Formal guarantee: (epsilon, delta)-DP under
    replacement of one record, for every input, for whoever does not learn K: the duration of `fit` tells it.

    Parameters
    ----------
    steps : int, "balanced" or "printed"
        Of each run. With a fixed number time is linear in n. The theorem's bound on the errors needs the balanced one,
        n^2 mu^2 / d, with time of the order n^3 (`lemmata.mechanisms.learners.descent.private_tuning`).
    beta : float
        The chance that the best margin is in none of the runs, in (0, |Gamma| / (1 + |Gamma|)): |Gamma| (1/beta - 1)
        runs are expected.

    Raises
    ------
    ValueError
        By `fit`, in one line, for a parameter out of range, among them beta.

    References
    ----------
    Wang, Zhu & Wang (2025), Algorithms 4 and 6, with the sharp account of Lemma K.1.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2)) / 3
    >>> asked = dict(epsilon=4.0, beta=0.3, classes=(False, True), random_state=np.random.default_rng(1))
    >>> TunedMargin(**asked).fit(X, X[:, 0] > 0).coef_.shape
    (1, 2)
    """

    steps: str | int = STEPS  # and no random batches, which are not for runs of which a random number is drawn
    beta: float = 0.05

    def _make_law(self, X: np.ndarray, signs: np.ndarray, privacy: Any, public: np.random.Generator) -> Any:
        epsilon = theorem_epsilon(self.epsilon, self.delta, "sharp")
        spent: Any = {"epsilon": epsilon, "delta": self.delta, "calibration": "sharp", "beta": self.beta}
        asked = self._run(X, public) | {"steps": self.steps, "noise": self.noise}
        return private_tuning.margin_law(X, signs, **spent, **asked)
