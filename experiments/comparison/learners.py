"""The learners of `lemmata compare`, a few lines each. A newcomer is one more: see CONTRIBUTING.md.

    LEARNER = Learner("mine", law, "what it does, in a sentence")

where `law(X, y, *, epsilon, delta, rng)` returns the law of a release on a dataset: weights of shape (size, d), or a
dict that holds them as "weights"; a law that predicts otherwise has a method `decision_values(releases, X)`. `rng`
draws what is public (a projection). Whatever a learner needs beside epsilon and delta is a number in this file or
follows from n, d and the budget; every learner sees the same rows (`problems.unit_rows`).
"""

import importlib
import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from lemmata.experiments.comparison import peer
from lemmata.mechanisms.estimators.margin_classifier import choose_steps, make_classifier_law
from lemmata.mechanisms.learners.descent import adaptive_margin, known_margin, private_perceptron, private_tuning
from lemmata.mechanisms.learners.erm import (
    dp_erm,
    efficient_learner,
    objective_perturbation,
    output_perturbation,
    phased_sgd,
    private_svm,
)
from lemmata.mechanisms.learners.glm import grid_search
from lemmata.mechanisms.privacy import ApproxDP, PureDP, gaussian_mu
from lemmata.mechanisms.selection import majority
from lemmata.mechanisms.selection.tuning_budget import theorem_epsilon

RELEASES = {"cheap": 5, "moderate": 2, "slow": 1}  # of a fit; they are averaged


class UnknownLearner(ValueError):
    """A name, file or module that holds no learner; the message is one line."""


@dataclass(frozen=True)
class Learner:
    """A line of the comparison."""

    name: str
    law: Callable[..., Any]  # (X, y, *, epsilon, delta, rng) -> the law of a release
    about: str
    spends: str = "epsilon, delta"  # or "epsilon", or "nothing is private"
    neighbours: str = "replace"
    cost: str = "cheap"  # "moderate" and "slow" ones make fewer releases of a fit
    largest_d: int = 10**6  # beyond it takes too long
    largest_n: int = 10**6
    knows: tuple[str, ...] = field(default=())  # what it is told of the problem: "margin"

    @property
    def private(self) -> bool:
        """Does it promise anything?"""
        return self.spends.startswith("epsilon")


def scores(law: Any, releases: Any, X: np.ndarray) -> np.ndarray:
    """What every release says of every record, shape (n, size): the label is its sign."""
    if hasattr(law, "decision_values"):
        return law.decision_values(releases, X)
    weights = releases["weights"] if isinstance(releases, dict) else releases
    return X @ np.asarray(weights).T


@dataclass(frozen=True)
class Featured:
    """A law whose weights belong to features of the records."""

    law: Any
    feature_map: Callable[[np.ndarray], np.ndarray] = field(repr=False)

    @property
    def privacy(self) -> Any:
        return self.law.privacy

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        return self.law.sample(rng, size)

    def decision_values(self, releases: np.ndarray, X: np.ndarray) -> np.ndarray:
        return self.feature_map(X) @ releases.T


@dataclass(frozen=True)
class Fitted:
    """Weights that a fit returns, drawn release by release: for whatever is known as an estimator only."""

    fit: Callable[[np.random.Generator], np.ndarray] = field(repr=False)
    privacy: Any = None

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        return np.stack([self.fit(one) for one in rng.spawn(size)])


# Descents -------------------------------------------------------------------------------------------------------------


def descent(X, y, *, epsilon, delta, rng, loss="hinge"):
    """What `MarginClassifier` runs."""
    return make_classifier_law(X, y, privacy=ApproxDP(epsilon, delta), loss=loss)


def logistic_descent(X, y, *, epsilon, delta, rng):
    return descent(X, y, epsilon=epsilon, delta=delta, rng=rng, loss="logistic")


def known(X, y, *, epsilon, delta, rng, margin):
    phi = known_margin.draw_projection(*X.shape, margin=margin, rng=rng)
    k = X.shape[1] if phi is None else phi.k
    steps = choose_steps(len(X), k, gaussian_mu(epsilon, delta))
    return known_margin.law(X, y, privacy=ApproxDP(epsilon, delta), margin=margin, projection=phi, steps=steps)


def perceptron(X, y, *, epsilon, delta, rng):
    return private_perceptron.law(X, y, privacy=ApproxDP(epsilon, delta))


def adaptive(X, y, *, epsilon, delta, rng):
    """Algorithm 3 with its defaults, no run longer than `MarginClassifier`'s: the fewest steps of a margin cap all."""
    phis = adaptive_margin.draw_projections(*X.shape, rng=rng)
    steps = choose_steps(*X.shape, mu=gaussian_mu(epsilon, delta) / sqrt(2 * len(phis)))
    asked = {"projections": phis, "steps": steps, "output": "last", "ties": "wrong", "stride": "decaying"}
    return adaptive_margin.law(X, y, privacy=ApproxDP(epsilon, delta), **asked)


def tuned(X, y, *, epsilon, delta, rng, beta=0.05):
    """Algorithm 6 with the defaults of `TunedMargin`, and the same cap on steps."""
    n, d = X.shape
    phis = adaptive_margin.draw_projections(n, d, rng=rng)
    mu, _ = private_tuning.budget(epsilon, delta, r=beta / ((1 - beta) * len(phis)), calibration="sharp")
    asked = {"projections": phis, "steps": choose_steps(n, d, mu / sqrt(2)), "output": "last", "stride": "decaying"}
    return private_tuning.margin_law(
        X, y, epsilon=epsilon, delta=delta, calibration="sharp", beta=beta, ties="wrong", **asked
    )


PRINTED = {"output": "average", "ties": "right", "stride": "printed", "steps": "balanced", "calibration": "printed"}


def printed_adaptive(X, y, *, epsilon, delta, rng):
    """Algorithm 3 to the letter, but for balanced steps."""
    phis = adaptive_margin.draw_projections(*X.shape, rng=rng)
    return adaptive_margin.law(X, y, privacy=ApproxDP(epsilon, delta), projections=phis, **PRINTED)


def printed_tuned(X, y, *, epsilon, delta, rng, beta=0.05):
    """Algorithm 6 to the letter, but for balanced steps and 1/20 in place of 1/n^2, which asks for a million runs."""
    phis = adaptive_margin.draw_projections(*X.shape, rng=rng)
    asked = theorem_epsilon(epsilon, delta, "printed")
    return private_tuning.margin_law(X, y, epsilon=asked, delta=delta, projections=phis, beta=beta, **PRINTED)


def phased(X, y, *, epsilon, delta, rng, rho=0.1):
    return phased_sgd.law(X, y, privacy=ApproxDP(epsilon, delta), rho=rho, radius=1.0, norm_bound=1.0)


def boosted(X, y, *, epsilon, delta, rng, rho=0.1, beta=0.1):
    sizes = {"rho": rho, "radius": 1.0, "norm_bound": 1.0, "beta": beta}
    return dp_erm.law(X, y, privacy=ApproxDP(epsilon, delta), **sizes)


def projected(X, y, *, epsilon, delta, rng, rho=0.3, beta=0.1, k=25):
    spent = {"epsilon": epsilon, "delta": delta, "beta": beta}
    phi = efficient_learner.draw_projection(*X.shape, **spent, k=min(k, X.shape[1]), rng=rng)
    sizes = {"rho": rho, "radius": 1.0, "norm_bound": 1.0, "beta": beta}
    return efficient_learner.law(X, y, privacy=ApproxDP(epsilon, delta), projection=phi, **sizes)


def grid(X, y, *, epsilon, delta, rng, guesses=5, base="gd"):
    """Algorithm 1 of abgmu22 with five norms, no penalty, and all of epsilon for each half of the records."""
    asked = {"loss": "logistic", "base": base, "penalty": "none", "accounting": "disjoint"}
    return grid_search.law(X, y, privacy=ApproxDP(epsilon, delta), guesses=guesses, **asked)


# Perturbations --------------------------------------------------------------------------------------------------------
#
# C grows with n and the budget, so that noise and minimiser keep their proportion. The numbers are those with the least
# mean risk on eleven tables that are not compared here: `lemmata.tools.comparison_rules`.


def strength(scale: float, spent: float, n: int, d: int, power: float) -> float:
    """C = scale n spent / d^power, at most what float64 can solve; `spent` is epsilon, or mu."""
    return min(private_svm.LARGEST, scale * n * spent / d**power)


def objective(X, y, *, epsilon, delta, rng, scale=1.0, power=0.5):
    C = strength(scale, gaussian_mu(epsilon, delta), *X.shape, power)
    return objective_perturbation.law(X, y, privacy=ApproxDP(epsilon, delta), C=C)


def pure_objective(X, y, *, epsilon, delta, rng, scale=0.3, power=0.5):
    return objective_perturbation.law(X, y, privacy=PureDP(epsilon), C=strength(scale, epsilon, *X.shape, power))


def output(X, y, *, epsilon, delta, rng, scale=0.1, power=1.0):
    return output_perturbation.law(X, y, privacy=PureDP(epsilon), C=strength(scale, epsilon, *X.shape, power))


def laplace_svm(X, y, *, epsilon, delta, rng, scale=0.1, power=0.5):
    C = strength(scale, epsilon, *X.shape, power)
    return private_svm.law(X, y, privacy=PureDP(epsilon), C=C, calibration="sharp")


def majority_class(X, y, *, epsilon, delta, rng):
    return Featured(majority.law(X, y, privacy=PureDP(epsilon)), majority.count_ones)


# Without privacy, and other people's ----------------------------------------------------------------------------------


def unprotected(estimator: Any) -> Callable[..., Fitted]:
    """The law, without noise, of a linear estimator of scikit-learn."""

    def law(X, y, *, epsilon, delta, rng):
        from sklearn.base import clone
        from sklearn.exceptions import ConvergenceWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            weights = clone(estimator()).fit(X, y).coef_[0]
        return Fitted(lambda rng: weights)

    return law


def plain_svm():
    from sklearn.svm import LinearSVC

    return LinearSVC(C=10.0, loss="hinge", fit_intercept=False, random_state=0)


def plain_logistic():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=100.0, fit_intercept=False, max_iter=1000)


@dataclass(frozen=True)
class Foreign:
    """Releases of a learner that lives in another Python: the training records go there, weights come back."""

    X: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    privacy: PureDP
    C: float

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        asked = {"epsilon": self.privacy.epsilon, "C": self.C, "seeds": rng.integers(2**31, size=size)}
        return peer.ask_peer(X=self.X, y=self.y, **asked)


def diffprivlib_logistic(X, y, *, epsilon, delta, rng, scale=0.3, power=0.5):
    """IBM's diffprivlib, taken at its word: objective perturbation without a delta. Its C is ours over n."""
    return Foreign(X, y, PureDP(epsilon), strength(scale, epsilon, *X.shape, power) / len(X))


WIDE = {"largest_d": 20_000}  # beyond it the projections of all margins take minutes
SHORT = {"largest_n": 4000}  # records, beyond which a fit takes seconds to minutes
PRINTED_ONES = {"largest_d": 500, **SHORT}
LISTED = [
    Learner(
        "MarginClassifier", descent, "noisy gradient descent on a hinge as wide as the noise resolves: our default"
    ),
    Learner("logistic descent", logistic_descent, "the same steps on the logistic loss"),
    Learner(
        "known margin", known, "Nguyen, Ullman & Zakynthinou: project, descend; is told the margin", knows=("margin",)
    ),
    Learner("adaptive margin", adaptive, "Algorithm 3 of wzw25: tries every margin of a grid", cost="moderate", **WIDE),
    Learner("private tuning", tuned, "Algorithm 6 of wzw25: the best of a random number of runs", cost="slow", **WIDE),
    Learner("printed adaptive margin", printed_adaptive, "Algorithm 3 of wzw25 to the letter", **PRINTED_ONES),
    Learner("printed private tuning", printed_tuned, "Algorithm 6, 1/20 for 1/n²", cost="slow", **PRINTED_ONES),
    Learner("objective perturbation", objective, "Gaussian noise, tight profile of Redberg et al.", largest_d=500),
    Learner("perceptron", perceptron, "the SuLQ perceptron of Blum et al., with an exact account"),
    Learner("private grid search", grid, "Algorithm 1 of abgmu22: half chooses a norm", cost="moderate", **SHORT),
    Learner("phased SGD", phased, "one pass, A_GLL of bms22, hinge of width 0.1"),
    Learner("boosted DP-ERM", boosted, "the best of several phased runs, bms22", cost="moderate"),
    Learner("projected DP-ERM", projected, "Algorithm 2 of bms22 in 25 dimensions", cost="moderate"),
    Learner("pure objective", pure_objective, "Chaudhuri et al., Algorithm 2", "epsilon", largest_d=500),
    Learner("pure output", output, "Chaudhuri et al., Algorithm 1", "epsilon", largest_d=500),
    Learner("Laplace SVM", laplace_svm, "PrivateSVM-Finite of rbht09, sharp noise", "epsilon", largest_d=1000),
    Learner("majority class", majority_class, "one label for everybody, by a noisy count", "epsilon"),
    Learner("SVM without privacy", unprotected(plain_svm), "scikit-learn's LinearSVC, C = 10", "nothing"),
    Learner("logistic without privacy", unprotected(plain_logistic), "scikit-learn's, C = 100", "nothing"),
]
OPTIONAL = Learner("diffprivlib", diffprivlib_logistic, "IBM's LogisticRegression", "epsilon", largest_d=500)
NOT_INSTALLED = [] if peer.PYTHON else [OPTIONAL.name]
LEARNERS = {one.name: one for one in [*LISTED, *([] if NOT_INSTALLED else [OPTIONAL])]}
QUICK = tuple(
    name for name in LEARNERS if name not in ("phased SGD", "projected DP-ERM", "pure output", "logistic descent")
)  # thirteen private ones, two ceilings


def find(named: str) -> Learner:
    """The learner with this name, or LEARNER of path/to/file.py, or what `path/to/file.py:NAME` or `module:NAME` names.

    A function NAME(X, y, *, epsilon, delta, rng) is a learner that is called so.
    """
    if named in LEARNERS:
        return LEARNERS[named]
    if named == OPTIONAL.name:
        raise UnknownLearner(f"{named!r} is not installed; set LEMMATA_DIFFPRIVLIB to a Python that has it")
    module, colon, name = named.rpartition(":")
    if named.endswith(".py") or module.endswith(".py"):
        path, name = (module, name) if module.endswith(".py") else (named, "LEARNER")
        return checked(named, vars(loaded(Path(path))).get(name))
    if not colon:
        raise UnknownLearner(
            f"must be one of {', '.join(LEARNERS)}, FILE.py, FILE.py:NAME or MODULE:NAME, got {named!r}"
        )
    try:
        return checked(named, getattr(importlib.import_module(module), name, None))
    except (Exception, SystemExit) as error:  # the module is somebody else's and may raise anything
        if isinstance(error, UnknownLearner):
            raise
        raise UnknownLearner(f"{named!r} cannot be imported ({type(error).__name__}: {error})") from None


def loaded(path: Path) -> Any:
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(f"learner_{path.stem}", path)
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UnknownLearner(f"{str(path)!r} cannot be imported ({type(error).__name__}: {error})") from None
    return module


def checked(named: str, learner: Any) -> Learner:
    """`learner`, or one line that says what is wrong with it."""
    if isinstance(learner, FunctionType):
        learner = Learner(learner.__name__, learner, (learner.__doc__ or learner.__name__).strip().splitlines()[0])
    if not isinstance(learner, Learner):
        raise UnknownLearner(
            f"{named!r} must be a comparison.learners.Learner or a function, got {type(learner).__name__}"
        )
    if learner.cost not in RELEASES:
        raise UnknownLearner(f"{named!r}: cost must be one of {', '.join(RELEASES)}, got {learner.cost!r}")
    return learner
