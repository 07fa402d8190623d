"""Deterministic checks of every learner: its program replayed on neighbours, its draws counted, its costs added up.

That a program is the law's own is checked, not believed: from the same random numbers both must release the same, so
noise of another scale, shared or left out is seen without statistics. `python -m lemmata.experiments.audits.replays`
writes replayed.csv.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lemmata.experiments.audits.programs import (
    ball,
    binned,
    boosted,
    choice,
    choices,
    chosen_run,
    counts,
    descent,
    everything,
    lifted,
    looks,
    minimiser,
    moments,
    of_choice,
    of_choices,
    of_grid,
    of_minimiser,
    of_tilt,
    one_run,
    phases,
    projected_ball,
    rounds,
    searched,
    tilt,
    trained,
    under_laplace,
    under_radial,
)
from lemmata.experiments.audits.tables import write_lines
from lemmata.mechanisms.audit.neighbours.extreme_pairs import Data, Pair, worst_pair
from lemmata.mechanisms.audit.subjects import replay
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.features.random_features import fourier_map
from lemmata.mechanisms.learners.covers import label_learner, network_learner, pure_learner
from lemmata.mechanisms.learners.descent import (
    adaptive_margin,
    known_margin,
    noisy_gd,
    private_perceptron,
    private_tuning,
    projected_gd,
)
from lemmata.mechanisms.learners.erm import (
    dp_erm,
    efficient_learner,
    kernel_learner,
    kernel_svm,
    objective_perturbation,
    output_perturbation,
    phased_sgd,
    private_svm,
)
from lemmata.mechanisms.learners.glm import confidence_boosting, glm_gd, glm_output, glm_projected, grid_search
from lemmata.mechanisms.learners.statistics import bounded_mean, histogram, quantile, score_counts, second_moments
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, LabelDP, PureDP, gaussian_delta
from lemmata.mechanisms.selection import majority
from lemmata.mechanisms.tables import column_ranges

TABLE = Path(__file__).with_name("replayed.csv")
ONE, MU, BOTH = PureDP(1.0), GaussianDP(1.0), ApproxDP(1.0, 1e-3)
LOUD = ApproxDP(10.0, 1e-3)
RECORDS, COLUMNS = 6, 2
RELEASES = 40  # that are compared with the program's
SAME = 1e-9  # relative: what the order of additions may change

# Learners -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """A learner: its law on a dataset, its program, and what a release of the law is beside the program's."""

    module: Any
    law: Callable[[Any, Any], Any]
    program: Callable
    promised: Callable[[Any], Any] = lambda law: law.privacy
    release: Callable[[Any, np.random.Generator], Any] = lambda law, rng: law.sample(rng, 1)
    parts: Callable[[list], list[list]] = lambda queries: [queries]  # a record is in the queries of one part alone
    noise: Callable[[Any, np.random.Generator], np.ndarray] | None = None  # of a sampler of our own

    @property
    def name(self) -> str:
        """As its module is called."""
        return str(self.module.__name__.rpartition(".")[2].replace("_", " "))


def sample_choice(law: Any, rng: np.random.Generator) -> np.ndarray:
    """The choice and the weights of a release."""
    released = law.sample(rng, 1)
    return np.append(released["index"], released["weights"])


def split_rows(queries: list) -> list[list]:
    """Every query is asked of records of its own."""
    return [[query] for query in queries]


def split_halves(queries: list) -> list[list]:
    """All but the last are asked of one half, the last of the other."""
    return [queries[:-1], queries[-1:]]


def draw_public(k: int, d: int) -> Any:
    """A projection."""
    return sign_projection.sign_projection(k, d, rng=np.random.default_rng(0))


SIZES: dict[str, Any] = {"rho": 0.5, "radius": 1.0, "norm_bound": 1.0}
LOGISTIC: dict[str, Any] = {"loss": "logistic", "norm_bound": 2.0}


def stumps(X: np.ndarray) -> np.ndarray:
    """Six hypotheses."""
    values = np.sign(X[:, 0] - np.array([[-0.5], [0.0], [0.5]]))
    return np.vstack([values, -values])


def on_public(X: Any, y: Any) -> Any:
    """Labels alone are private: three public points."""
    return label_learner.law(np.linspace(-1, 1, len(y))[:, None], y, privacy=LabelDP(1.0), rho=0.5, hypotheses=stumps)


def chunked(X: Any, y: Any) -> Any:
    """Two chunks and one that chooses."""

    def learner(X: np.ndarray, y: np.ndarray, *, privacy: Any) -> Any:
        return glm_output.law(X, y, privacy=privacy, **LOGISTIC)

    return confidence_boosting.law(X, y, learner=learner, privacy=BOTH, candidates=2, loss="logistic", loss_bound=1.0)


def in_kernel_space(X: Any, y: Any) -> Any:
    """Fourier features, projected."""
    phi = kernel_learner.kernel_projection("gaussian", COLUMNS, count=20, k=2, rng=np.random.default_rng(0))
    return kernel_learner.law(X, y, privacy=BOTH, rho=0.5, norm_bound=1.0, beta=0.1, projection=phi)


PROGRAMS = (
    Program(noisy_gd, lambda X, y: noisy_gd.law(X, y, privacy=MU, width=0.5, steps=4), descent),
    Program(projected_gd, lambda X, y: projected_gd.law(
                X, y, privacy=MU, width=0.5, projection=draw_public(2, 2), steps=4), lifted),
    Program(known_margin, lambda X, y: known_margin.law(X, y, privacy=BOTH, margin=0.5, projection=None, steps=4),
            lifted),
    Program(adaptive_margin, lambda X, y: adaptive_margin.law(X, y, privacy=BOTH, steps=3), chosen_run,
            lambda law: law.gdp, sample_choice),
    Program(private_tuning, lambda X, y: private_tuning.margin_law(X, y, epsilon=2.0, delta=1e-3, steps=3), one_run,
            lambda law: law.tuning.run,
            lambda law, rng: (lambda drawn: np.append(drawn[2][0], drawn[1]))(law.tuning.run_alone(rng, 1))),
    Program(phased_sgd, lambda X, y: phased_sgd.law(X, y, privacy=MU, **SIZES), phases, parts=split_rows),
    Program(dp_erm, lambda X, y: dp_erm.law(X, y, privacy=BOTH, beta=0.1, **SIZES), rounds,
            lambda law: law.selection),
    Program(efficient_learner, lambda X, y: efficient_learner.law(
                X, y, privacy=BOTH, beta=0.1, projection=draw_public(2, 2), **SIZES), trained,
            lambda law: law.trained.selection),
    Program(kernel_learner, in_kernel_space, trained,
            lambda law: law.trained.selection),
    Program(glm_gd, lambda X, y: glm_gd.law(X, y, privacy=MU, steps=4, **LOGISTIC), ball),
    Program(glm_projected, lambda X, y: glm_projected.law(
                X, y, privacy=MU, steps=4, projection=draw_public(2, 2), **LOGISTIC), projected_ball),
    Program(glm_output, lambda X, y: glm_output.law(X, y, privacy=MU, **LOGISTIC), minimiser),
    Program(grid_search, lambda X, y: grid_search.law(X, y, privacy=LOUD, loss="logistic", guesses=2, base="gd",
                                                      penalty="none", accounting="disjoint", beta=0.9),
            searched, release=sample_choice, parts=split_halves),
    Program(confidence_boosting, chunked, boosted, parts=split_rows),
    Program(majority, lambda X, y: majority.law(X, y, privacy=ONE), under_laplace,
            noise=of_grid),
    Program(private_svm, lambda X, y: private_svm.law(X, y, privacy=ONE, C=1.0, calibration="sharp"), under_laplace,
            noise=of_grid),
    Program(kernel_svm, lambda X, y: kernel_svm.law(X, y, privacy=ONE, C=1.0, calibration="sharp", public=fourier_map(
                "gaussian", COLUMNS, 1, rng=np.random.default_rng(0))), under_laplace,
            noise=of_grid),
    Program(output_perturbation, lambda X, y: output_perturbation.law(X, y, privacy=ONE, C=1.0, loss="huber"),
            under_radial, noise=of_minimiser),
    Program(objective_perturbation, lambda X, y: objective_perturbation.law(X, y, privacy=ONE, C=1.0), tilt,
            noise=of_tilt),
    Program(column_ranges, lambda X, y: column_ranges.law(X + np.array([1e15, 0.0]), privacy=GaussianDP(40.0)), looks,
            release=lambda law, rng: everything(law, lambda counts, sigma: law.noisy(rng, counts, sigma))),
    Program(bounded_mean, lambda X, y: bounded_mean.law(X, privacy=ONE, bounds=(-0.5, 0.5)), under_laplace,
            noise=of_grid),
    Program(histogram, lambda X, y: histogram.law(X, privacy=ONE, edges=[-1.0, 0.0, 1.0]), under_laplace,
            noise=of_grid),
    Program(quantile, lambda X, y: quantile.law(X, privacy=ONE, q=[0.5], bounds=(-1.0, 1.0), cells=4), choices,
            noise=of_choices),
    Program(score_counts, lambda X, y: score_counts.law(
                X, [y, -y], weights=[[1.0, 0.0], [0.0, 1.0]], privacy=MU), binned),
    Program(second_moments, lambda X, y: second_moments.law(X, y, privacy=MU), moments),
    Program(private_perceptron, lambda X, y: private_perceptron.law(X, y, privacy=MU, rounds=3), counts),
    Program(label_learner, on_public, choice,
            release=lambda law, rng: law.selection.sample(rng, 1), noise=of_choice),
    Program(network_learner, lambda X, y: network_learner.law(
                X, y, privacy=ONE, norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, public=[draw_public(1, 2)]), choice,
            release=lambda law, rng: law.selection.sample(rng, 1), noise=of_choice),
    Program(pure_learner, lambda X, y: pure_learner.law(X, y, privacy=ONE, norm_bound=1.0, radius=1.0, rho=0.5,
                                                        public=draw_public(1, 2)), choice,
            release=lambda law, rng: law.selection.sample(rng, 1), noise=of_choice),
)  # fmt: skip


# What came out --------------------------------------------------------------------------------------------------------


def find_hardest_pair(learner: Program, tries: int = 0) -> Pair:
    """The pair on which a query moves most of what is declared."""

    def moved(one: Data, other: Data) -> float:
        laws = learner.law(*one), learner.law(*other)
        return replay.kappa(learner.program, *laws, np.random.default_rng(0))

    return worst_pair(moved, n=RECORDS, d=COLUMNS, root=LEDGER_ROOT, tries=tries)


def is_affordable(queries: list[replay.Query], promised: Any) -> bool:
    """Do queries of the same records cost no more than is promised?"""
    epsilon, mu = replay.spent(queries)
    if isinstance(promised, GaussianDP):
        return epsilon == 0 and mu <= promised.mu * (1 + SAME)
    left = promised.epsilon * (1 + SAME) - epsilon
    return left >= 0 and (not mu or float(gaussian_delta(left, mu)) <= promised.delta * (1 + SAME))


def describe_cost(queries: list[replay.Query]) -> str:
    """What they cost, in words."""
    epsilon, mu = replay.spent(queries)
    return " and ".join([f"ε = {epsilon:.4g}"] * bool(epsilon) + [f"μ = {mu:.4g}"] * bool(mu))


def describe_noise(learner: Program, law: Any) -> tuple[str, bool]:
    """Is a release what the program makes of fresh noise, or has the noise of the law's own sampler its law?"""
    if learner.noise:
        p = replay.not_the_law(learner.noise(law, np.random.default_rng(4)), lambda uniform: uniform)
        return f"joint test, p = {p:.2g}", p > 1e-6
    same = True
    for seed in range(RELEASES):
        ours = np.ravel(learner.program(law, replay.Curator(np.random.default_rng(seed))))
        theirs = np.ravel(learner.release(law, np.random.default_rng(seed)))
        same &= ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=SAME, atol=SAME)
    return ("the program's release" if same else "another release than the program's"), same


def check_program(learner: Program, tries: int = 0) -> dict:
    """A line of the table: every check of one learner, on its hardest pair."""
    pair = find_hardest_pair(learner, tries)
    laws = one, other = [learner.law(*data) for data in (pair.one, pair.other)]
    wrong = replay.replayed(learner.program, one, other, np.random.default_rng(1))
    counted = [replay.Counted(3), replay.Counted(3)]
    for law, rng in zip(laws, counted, strict=True):
        learner.release(law, rng)
    draws = [[(draw.kind, draw.value.size) for draw in rng.draws] for rng in counted]
    ask = replay.Curator(np.random.default_rng(2))
    learner.program(laws[0], ask)
    parts = [part for part in learner.parts([q for q in ask.queries if q.sensitivity]) if part]
    paid = all(is_affordable(part, learner.promised(laws[0])) for part in parts)
    noise, right = describe_noise(learner, laws[0])
    return {
        "learner": learner.name,
        "queries": sum(map(len, parts)),
        "kappa": f"{pair.kappa:.4g}",
        "pair": pair.source,
        "replay": "; ".join(wrong) or "no violation",
        "draws": sum(size for _, size in draws[0]),
        "noise": noise,
        "cost": " or ".join(dict.fromkeys(map(describe_cost, parts))),
        "sound": "yes" if not wrong and paid and right and draws[0] == draws[1] else "no",
    }


def make_lines(tries: int = 300) -> Iterator[dict]:
    """A line a learner."""
    return (check_program(learner, tries) for learner in PROGRAMS)


if __name__ == "__main__":
    write_lines(TABLE, make_lines())
