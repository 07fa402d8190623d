"""Private hyper-parameter search: Algorithm 4 of wzw25 over estimators, at the price of the choice.

    search = PrivateSearchCV(NoisyGD(), {"width": [0.01, 0.1, 1.0]}, epsilon=1.0, delta=1e-5)
    print(search.cost((5000, 20)))  # known before any data is seen
    search.fit(X, y).best_params_, search.privacy_

Trying k settings and keeping the best tells something of the data beyond what each fit tells: here the whole search,
the setting chosen and the weights are (epsilon, delta)-DP together. K ~ TNB(1, r) settings are drawn at random and run
once each; the one with the fewest noisy errors on the same records is released
(`lemmata.mechanisms.learners.descent.private_tuning`, with the sharp accounting of Lemma K.1 and the r of Lemma 7.2 as
corrected). There are no folds: a record in several of them would count several times, and errors of a private run on
its own records are nearly those on fresh ones.

Of K > 2 classes a run is one release for each class against the rest, with mu / sqrt(K) of the run's mu each, which add
up to it exactly. Its score is the number of records whose own class has not the largest score alone: one setting is
chosen for all classes, and a record moves that number by at most 1 as with two.

Who sees K, or the running time, which is proportional to it, sees more than is paid for. Only releases that are
Gaussian or pure mechanisms can be candidates, because a run has a budget in mu.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite, nan, sqrt
from typing import Any

import numpy as np
from scipy.special import log_ndtr
from sklearn.model_selection import ParameterGrid

from lemmata.bounds.statement.notebook import card
from lemmata.bounds.wzw25.algorithms import split_budget
from lemmata.mechanisms.estimators.fit_cost import format_bytes, measure_memory
from lemmata.mechanisms.estimators.margin_classifier import NoisyGD
from lemmata.mechanisms.estimators.private_classifier import (
    ApproximateClassifier,
    OneAgainstRest,
    PrivateClassifier,
    blank_left_out,
)
from lemmata.mechanisms.law import LinearModel, check_within_budget
from lemmata.mechanisms.learners.descent import private_tuning
from lemmata.mechanisms.numerics.arguments import check_integer, quiet, spawn_two_streams
from lemmata.mechanisms.numerics.arithmetic import check_in_range, short_repr
from lemmata.mechanisms.numerics.inherited_docs import inherit_docs
from lemmata.mechanisms.numerics.sparse_rows import Rows, equal_rows
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_mu, of_users, to_gaussian
from lemmata.mechanisms.selection.tnb import TruncatedNegativeBinomial
from lemmata.mechanisms.selection.tuning_budget import budget

OURS = {"epsilon", "delta", "classes", "random_state", "noise", "records_per_user"}  # what the search sets itself
ENTRIES = 2**20  # of a matrix of margins at any one time
ABREAST = 5.0  # times that runs side by side are faster than one alone, measured
WIDTHS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


@dataclass(frozen=True)
class SearchCost:
    """The cost of a search over `candidates` settings; it does not depend on the data.

    expected_runs how many runs there are on average; beta: the chance that the best setting is in none of them
    alone         mu of a single fit with the whole (epsilon, delta)
    training      mu of the training of one run here; its score gets as much
    each_once     mu of a training if every setting were run once and the budgets added up, scores included
    seconds       core-seconds expected for a table of a given shape, roughly; None where a setting's law does not know
    bytes         beyond that table, at any one time, roughly
    """

    privacy: ApproxDP
    candidates: int
    beta: float
    expected_runs: float
    alone: float
    training: float
    each_once: float
    seconds: float | None = None
    bytes: int | None = None

    def _repr_html_(self) -> str:
        facts = [
            ("runs", f"{self.expected_runs:.0f} expected; none has the best setting with a chance of {self.beta:g}"),
            ("a run trains with", f"mu = {self.training:.4f}; its score gets as much"),
            ("a single fit, no search", f"mu = {self.alone:.4f}"),
            ("every setting once", f"mu = {self.each_once:.4f}"),
        ]
        return card(f"{self.candidates} settings, searched within {self.privacy}", facts)

    def __str__(self) -> str:
        taken = "" if self.seconds is None else f"  time       about {self.seconds:.2g} core-seconds expected\n"
        taken += "" if self.bytes is None else f"  memory     about {format_bytes(self.bytes)} beside the table\n"
        return (
            f"{self.candidates} settings, searched within {self.privacy}:\n"
            f"  runs       {self.expected_runs:.0f} expected; the best setting is never drawn with probability at most "
            f"{self.beta:g}\n{taken}"
            f"  a run      trains with mu = {self.training:.4f}; a single fit without a search has {self.alone:.4f}, "
            f"so the search multiplies the noise by {self.alone / self.training:.2f}\n"
            f"  otherwise  running every setting once and adding up: mu = {self.each_once:.4f}, the noise multiplied "
            f"by {self.alone / self.each_once:.2f}"
        )


@dataclass(frozen=True)
class BudgetedLaw:
    """A law of weights together with the Gaussian budget that it is within."""

    law: Any = field(repr=False)
    privacy: GaussianDP
    dimension: int  # of a release
    progress: str = ""  # what is said before runs are drawn, on stderr

    @property
    def expected_cost(self) -> float:
        """Core-seconds a release, roughly, one of many abreast; NaN where the law does not know."""
        return float(getattr(self.law, "expected_cost", nan)) / ABREAST

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """`size` independent releases, shape (size, d)."""
        if self.progress:
            print(self.progress, file=sys.stderr, flush=True)
        return np.asarray(self.law.sample(rng, size))


@dataclass(frozen=True)
class ClassesLaw:
    """The law of one release for each class against the rest, beside each other: (size, classes * d).

    A class's law holds a signed copy of all rows, so it is made when it is drawn from, and not kept.
    """

    makers: tuple[Callable[[], Any], ...] = field(repr=False)
    privacy: GaussianDP
    expected_cost: float  # core-seconds a release

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """`size` independent releases, shape (size, classes * d)."""
        return np.hstack([make().sample(rng, size) for make in self.makers])


def find_largest_pure(mu: float) -> PureDP:
    """The largest pure guarantee that implies mu-GDP, rounded down.

    >>> to_gaussian(find_largest_pure(0.5)).mu <= 0.5
    True
    """
    epsilon = float(log_ndtr(mu / 2) - log_ndtr(-mu / 2))
    while to_gaussian(PureDP(epsilon)).mu > mu:
        # The float formula may be off by last bits; a step of 1e-14 is a few of them.
        epsilon *= 1 - 1e-14
    return PureDP(epsilon)


def make_error_counter(tables: list[Rows], sides: np.ndarray) -> Callable[[int, np.ndarray], np.ndarray]:
    """(setting, releases) -> number of misclassified records, ties included: one record moves it by at most 1.

    `sides`: (1, n), the signs of two classes, or (classes, n), 1 in the row of a record's class.
    """
    (classes, n), own = sides.shape, sides.argmax(axis=0)

    def errors(j: int, weights: np.ndarray) -> np.ndarray:
        scores = tables[j] @ weights.reshape(len(weights) * classes, -1).T
        if classes == 1:
            wrong = sides[0][:, None] * scores <= 0
        else:
            scores = scores.reshape(n, len(weights), classes)
            right = np.take_along_axis(scores, own[:, None, None], axis=2)
            wrong = (scores >= right).sum(axis=2) > 1
        return np.asarray(wrong.sum(axis=0))

    def by_blocks(j: int, weights: np.ndarray) -> np.ndarray:
        step = max(1, ENTRIES // (n * classes))
        return np.concatenate([errors(j, weights[start : start + step]) for start in range(0, len(weights), step)])

    return by_blocks


def share_rows(law: Any, laws: list[Any]) -> Any:
    """Return a law with the rows of one of `laws` that has the same, so that they are held once."""
    rows = getattr(law, "Z", None)
    same = (other.Z for other in laws if getattr(other, "Z", None) is not None and equal_rows(rows, other.Z))
    return law if (kept := next(same, None)) is None else replace(law, Z=kept)


def make_run_law(
    candidate: PrivateClassifier, table: Rows, sides: np.ndarray, mu: float, public: np.random.Generator, name: str
) -> Any:
    """Return the law of one run of a candidate, within mu in all: of one predictor, or of one for each class.

    `sides`: (1, n) or (classes, n). ValueError where a law promises more than its share.
    """
    share = GaussianDP(split_budget(mu, len(sides)))
    given = share if candidate.release_kind == "gaussian" else find_largest_pure(share.mu)

    def make(side: np.ndarray, stream: np.random.Generator) -> Any:
        law = candidate._make_law(table, side, given, deepcopy(stream))  # what is public is drawn alike every time
        check_within_budget(getattr(law, "privacy", None), given, name)
        return law

    if len(sides) == 1:
        return make(sides[0], public)
    makers = tuple(partial(make, *each) for each in zip(sides, public.spawn(len(sides)), strict=True))
    # Every class is made once here, so that what is refused is refused before anything is drawn.
    return ClassesLaw(makers, GaussianDP(mu), sum(float(getattr(one(), "expected_cost", nan)) for one in makers))


def check_grid(grid: Any) -> list[Mapping]:
    """Return a grid as `ParameterGrid` takes it. ValueError for what is none, or names no value of a parameter."""
    every = [grid] if isinstance(grid, Mapping) else grid
    if not isinstance(every, list | tuple) or not every or not all(isinstance(one, Mapping) for one in every):
        raise ValueError(f"param_grid must be a dict, or a list of at least one dict, got {short_repr(grid)}")
    for name, values in (entry for one in every for entry in one.items()):
        if not isinstance(name, str):
            raise ValueError(f"param_grid must have strings as keys, got {short_repr(name)}")
        listed = values.ndim == 1 if isinstance(values, np.ndarray) else isinstance(values, Sequence)
        if not listed or isinstance(values, str) or not len(values):
            raise ValueError(
                f"param_grid[{short_repr(name)}] must be a list of at least one value, got {short_repr(values)}"
            )
    return list(every)


@inherit_docs
@dataclass(eq=False, repr=False)
class PrivateSearchCV(ApproximateClassifier):
    """The best of a grid of settings of one private estimator, the search included in the guarantee.

    Of more than two classes every run has one release for each, against the rest, and one setting is chosen for all.

    Formal guarantee: (epsilon, delta)-DP under replacement of one record, for every input, for whoever does not learn
    how many runs there were: of `best_params_` and the weights together. What a setting's law promises is read before a
    run is drawn, and refused if it is more than a run's share. It is believed: whether an estimator of your own keeps
    the promise of its law, and does not read the data elsewhere, cannot be seen here. `lemmata audit` attacks it.

    Parameters
    ----------
    estimator : NoisyGD, ProjectedGD, PhasedSGD, MarginClassifier, PrivateSVM or PureMargin
        `NoisyGD` by default. Its own epsilon, delta, classes, noise and random_state are not used; a MarginClassifier
        needs `ranges=None`, and has no `class_weight` or `probability`: their counts of scores are in no run.
    param_grid : dict or list of dict, optional
        As for scikit-learn's `ParameterGrid`; it may not depend on the data. By default six widths of `NoisyGD`.
    beta : float
        The chance, in (0, k / (1 + k)) for k settings, that the best one is never drawn.
    noise : "exact" or "float"
        Of the scores, and of the runs where they have a choice.
    verbose : bool
        Whether `cost` is printed before fitting, and on stderr every setting whose runs begin, which tells of K.
    classes : sequence of labels, optional
        Two or more: the labels that may occur, which are public, in any order. Where they are left out, those that
        occur in `y` are declared public, with a `PrivacyLeakWarning`.

    Attributes
    ----------
    best_params_ : dict
        The setting that was chosen.
    best_index_ : int
        Its place among `settings()`.
    cv_results_ : dict
        "params", the settings: scores and runs are not released.

    Raises
    ------
    ValueError
        By `fit`, in one line, for what is public and out of range: an estimator that cannot be a candidate, a grid that
        sets what the search sets.

    References
    ----------
    Wang, Zhu & Wang (2025), Algorithm 4, Lemma K.1 and Lemma 7.2 as corrected.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) / 3
    >>> asked = dict(epsilon=4.0, classes=(False, True), random_state=np.random.default_rng(1))
    >>> search = PrivateSearchCV(NoisyGD(steps=20), {"width": [0.1, 1.0]}, beta=0.2, **asked)
    >>> search.cost().candidates, search.fit(X, X[:, 0] > 0).best_params_["width"] in (0.1, 1.0)
    (2, True)
    """

    estimator: Any = None  # NoisyGD()
    param_grid: Any = None  # {"width": WIDTHS}
    beta: float = 0.05
    noise: str = "exact"  # of the scores, and of the runs where they have a choice
    verbose: bool = False  # print `cost` before fitting, and every setting whose runs begin, which tells of K

    def settings(self) -> list[dict[str, Any]]:
        """The settings, in the order of their indices."""
        found = list(ParameterGrid(check_grid({"width": WIDTHS} if self.param_grid is None else self.param_grid)))
        if taken := sorted(OURS & set().union(*found)):
            raise ValueError(f"param_grid must not name parameters of the search, got {', '.join(taken)}")
        return found

    def cost(self, shape: tuple[int, int] | None = None) -> SearchCost:
        """The cost of the search, known before any data is read; print it.

        Parameters
        ----------
        shape : (int, int), optional
            (n, d) of a table, for the time that it takes, which is asked of the laws of a table of zeros, with as many
            classes as `classes` has, or two; and for its memory, that of searches on fewer records.

        Returns
        -------
        SearchCost
        """
        seconds = memory = None
        if shape is not None:
            zeros = np.zeros(check_integer(n=shape[0]) + check_integer(d=shape[1]))
            classes = 2 if self.classes is None else len(self.classes)
            sides = np.ones((classes if classes > 2 else 1, len(zeros)))
            expected = self.law(zeros, sides, np.random.default_rng(0)).expected_cost
            seconds = expected if isfinite(expected) else None
            memory = measure_memory(replace(self, verbose=False), shape)
        k, r = len(self._make_candidates()), self._repetition_rate()
        one = self._for_records()
        mu, promised = budget(one.epsilon, one.delta, r=r, calibration="sharp")
        if self.records_per_user > 1:
            promised = ApproxDP(self.epsilon, self.delta, of_users("replace", self.records_per_user))
        alone = gaussian_mu(one.epsilon, one.delta)
        runs = TruncatedNegativeBinomial(1.0, r).mean
        mean = round(runs, 6)
        each = (split_budget(mu, 2), alone / sqrt(2 * k))
        return SearchCost(promised, k, self.beta, mean, alone, *each, seconds, memory)

    def _repetition_rate(self) -> float:
        """r of K ~ TNB(1, r): the best of k settings is never drawn with probability at most beta (Lemma 7.2)."""
        k = len(self.settings())
        beta = check_in_range("beta", self.beta, 0, k / (1 + k))
        return beta / ((1 - beta) * k)

    def _make_candidates(self) -> list[PrivateClassifier]:
        kind = NoisyGD() if self.estimator is None else self.estimator
        if not isinstance(kind, PrivateClassifier) or not kind.release_kind:
            raise ValueError(f"estimator must release by a Gaussian or pure mechanism, got {type(kind).__name__}")
        if kind.records_per_user != 1:
            raise ValueError(
                f"records_per_user must be given to the search, got {kind.records_per_user} of its estimator"
            )
        if unknown := sorted(set().union(*self.settings()) - kind.get_params().keys()):
            raise ValueError(f"param_grid must name parameters of {type(kind).__name__}, got {unknown[0]!r}")
        ours = {"noise": self.noise} if "noise" in kind.get_params() else {}
        found = [kind._copy_unfitted().set_params(**setting, **ours) for setting in self.settings()]
        if any(one._is_standardising for one in found):
            raise ValueError("estimator must have ranges=None in a search; scale X with a PrivateScaler first")
        if any(one._is_calibrating for one in found):
            raise ValueError("estimator must have class_weight=None and probability=False in a search")
        return found

    @quiet
    def law(self, X: np.ndarray, sides: np.ndarray, rng: np.random.Generator) -> Any:
        """The law of the search on one dataset, for audits.

        Parameters
        ----------
        X : array or csr_array of shape (n, d)
            Finite.
        sides : array of shape (n,) or (classes, n)
            -1 or +1, for each of more than two classes, and 0 for a record that is left out.
        rng : Generator
            Of what is public.

        Returns
        -------
        PrivateTuningLaw
        """
        candidates, sides = self._make_candidates(), np.atleast_2d(sides)
        blanked = blank_left_out(X, sides[0])
        prepared = [candidate._prepare_rows(X) for candidate in candidates]
        tables = [blanked if rows is X else blank_left_out(rows, sides[0]) for rows in prepared]

        def base(mu: float) -> list[BudgetedLaw]:
            each = zip(candidates, tables, rng.spawn(len(candidates)), strict=True)
            laws: list[Any] = []
            for j, (candidate, table, public) in enumerate(each):
                law = make_run_law(candidate, table, sides, mu, public, f"estimator[{j}]")
                laws.append(share_rows(law, laws))
            said = [f"runs of {setting}" if self.verbose else "" for setting in self.settings()]
            widths = [table.shape[1] * len(sides) for table in tables]
            return [BudgetedLaw(law, GaussianDP(mu), *more) for law, *more in zip(laws, widths, said, strict=True)]

        score = make_error_counter(tables, sides)
        asked: Any = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "r": self._repetition_rate(),
            "calibration": "sharp",
        }
        return private_tuning.law(base, score=score, sensitivity=1.0, noise=self.noise, **asked)

    def _release_classes(self, table: Rows, sides: list[np.ndarray], rng: np.random.Generator) -> Any:
        """One search for all classes: the setting is chosen once."""
        return self._release(table, np.stack(sides), rng)

    def _release(self, X: np.ndarray, sides: np.ndarray, rng: np.random.Generator) -> Any:
        if self.verbose:
            print(self.cost(X.shape))
        public, private = spawn_two_streams(rng)
        law = self.law(X, sides, public)
        self._charge_once()
        drawn = law.sample(private)
        self.best_index_ = int(drawn["index"][0])
        self.best_params_ = self.settings()[self.best_index_]
        self.cv_results_ = {"params": self.settings()}  # scores and runs are not released
        rows = self._make_candidates()[self.best_index_]._prepare_rows
        released = drawn["release"][0, : law.base[self.best_index_].dimension].reshape(len(sides), -1)
        models = [LinearModel(weights, law.privacy, rows) for weights in released]
        return models[0] if len(models) == 1 else OneAgainstRest(tuple(models), law.privacy)

    def _unscale_weights(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._make_candidates()[self.best_index_]._unscale_weights(weights)
