"""The sabotage matrix: mutations of our own code, and the check that must catch each (STATISTICS section 9).

Every `Planted` changes a function of the project in memory, and runs a check that says whether anything is wrong. The
same check on the code as it is must find nothing. `python -m lemmata.tools.sabotage.matrix` writes planted.csv of
the audits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from pathlib import Path

import numpy as np
from scipy.stats import norm

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.bounds.wzw25 import algorithms
from lemmata.bounds.wzw25.hinge_gradient import replacement_sensitivity
from lemmata.experiments import audits
from lemmata.experiments.audits import known
from lemmata.experiments.audits.tables import keep
from lemmata.experiments.instances.laws.selections import rare_candidate
from lemmata.experiments.instances.pairs.svm_neighbours import flipped
from lemmata.experiments.instances.pairs.tuned_pairs import silent
from lemmata.mechanisms.audit.play.sequential_test import Game, audit
from lemmata.mechanisms.audit.subjects import replay
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd, private_tuning
from lemmata.mechanisms.learners.erm import dp_erm, private_svm
from lemmata.mechanisms.noise import gaussian, grid_sums, laplace
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP
from lemmata.mechanisms.selection import exponential, tnb
from lemmata.tools.sabotage.exact_noise import EXACT
from lemmata.tools.sabotage.learners import LEARNERS, boosted
from lemmata.tools.sabotage.planting import ONE, Broadcast, Planted, halved, refuted, rng, unclipped
from lemmata.tools.sabotage.programs import PROGRAMS
from lemmata.tools.sabotage.promises import PROMISES
from lemmata.tools.sabotage.statements import STATEMENTS

TABLE = Path(audits.__file__).with_name("planted.csv")

# Pairs that move as far as is allowed ---------------------------------------------------------------------------------


def shifted_values() -> tuple:
    """The Gaussian mechanism, its value moved by the sensitivity."""
    return tuple(gaussian.law([x], sensitivity=1.0, privacy=GaussianDP(1.0)).sample for x in (0.0, 1.0))


def rare_choices() -> tuple:
    """The exponential mechanism, one score up and the others down."""
    return tuple(exponential.law(q, sensitivity=1.0, privacy=ONE).sample for q in rare_candidate(10))


def flipped_label(F: int = 1) -> tuple:
    """The private SVM with F features, the worst label flipped."""
    X, y, z = flipped(F, 10, others=1.0)
    return tuple(private_svm.law(X, t, C=1.0, privacy=ONE, calibration="sharp").sample for t in (y, z))


def descents(length: float = 1.0) -> tuple:
    """Noisy gradient descent on a wide hinge, one label flipped."""
    X = np.tile([[length, 0.0]], (3, 1))
    labels = [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]
    return tuple(
        noisy_gd.law(X, np.array(y), privacy=GaussianDP(1.0), width=200.0, steps=9, output="last") for y in labels
    )


def descending(length: float = 1.0) -> Callable[[], tuple]:
    """The samplers of `descents`."""
    return lambda: tuple(law.sample for law in descents(length))


def boosted_choices() -> tuple:
    """DP-ERM's selection among five candidates, every mean loss moved by the sensitivity."""
    law = boosted()
    moved = law.sensitivity * np.array([1.0, -1.0, -1.0, -1.0, -1.0]) / 2
    return tuple((lambda rng, size, m=m: law.choose(rng, np.tile(m, (size, 1)))) for m in (moved, -moved))


def selection_of_dp_erm() -> bool:
    """Its selection against what the law says that it spends."""
    return refuted(boosted_choices, boosted().selection, 60_000)()


def numbers_of_runs() -> tuple:
    """K as it is drawn, and as its law says."""
    law = tnb.law(eta=1, r=0.25)
    chances = np.exp(law.log_density(np.arange(1, 200)))
    return law.sample, lambda rng, size: 1 + rng.choice(199, size=size, p=chances / chances.sum())


def score_noise_is_wrong() -> bool:
    """The noise of Algorithm 4's scores, jointly."""
    law = silent((0.0, 1.0), epsilon=1.0, delta=1e-5, r=0.25)
    return replay.not_the_law(law.noise(rng("scores"), 2000), norm(scale=law.sigma).cdf) < 1e-10


def steps_are_not_paid() -> bool:
    """Gradient descent draws noise for more steps than its guarantee pays for."""
    law, _ = descents()
    steps = replay.drawn(law.sample, "normal") / 2
    cost = sqrt(steps) * replacement_sensitivity(radius=1.0, width=law.width) / law.sigma
    return bool(cost > law.privacy.mu * (1 + 1e-9))


def broadcast(sample: Callable) -> Callable:
    """The same sampler with one draw for all coordinates."""
    return lambda law, rng, size=1: sample(law, Broadcast(rng), size)


def reseeded(sample: Callable) -> Callable:
    """The same sampler with a generator of its own, the same every time."""
    return lambda law, rng, size=1: np.repeat(sample(law, np.random.default_rng(7), 1), size, axis=0)


def louder(choose: Callable) -> Callable:
    """Scores counted twice before the noise."""
    return lambda law, rng, losses: choose(law, rng, 2 * losses)


def spends_more_than_it_says() -> bool:
    """Algorithm 3's runs and scores, as they are calibrated, added up in squares against its guarantee."""
    law = adaptive_margin.law([[0.6], [-0.6]], [1, -1], privacy=ApproxDP(1.0, 1e-5), steps=3)
    parts = [run.privacy.mu for run in law.candidates] + [1 / law.sigma] * len(law.candidates)
    return bool(np.hypot.reduce(parts) > law.gdp.mu * (1 + 1e-9))


def all_iterates() -> tuple:
    """Noisy gradient descent with every iterate released, one label flipped."""
    X = np.tile([[1.0, 0.0]], (3, 1))
    return tuple(
        noisy_gd.law(X, np.array(y), privacy=GaussianDP(1.0), width=200.0, steps=9, output="iterates").sample
        for y in ([1.0, 1.0, 1.0], [1.0, 1.0, -1.0])
    )


def alarms_too_often() -> bool:
    """Honest Laplace noise refuted at level 0.05 more than 14 times of 60: by an honest auditor once in 10^6."""
    pair = [known.added(x, known.laplace_noise(1)) for x in (0, 1)]
    found = (audit(*pair, ONE, root=LEDGER_ROOT + i, budget=256, level=0.05).verdict for i in range(60))
    return sum(verdict == REFUTED for verdict in found) > 14


def hindsight(judge: Callable) -> Callable:
    """Rules learnt from the very releases that they then judge."""

    def judged(game, fresh, truth, allowed):
        past, game.past, game.learnt_at = game.past, [(fresh, truth)], np.zeros_like(game.learnt_at)
        game.learn()
        game.past = past
        judge(game, fresh, truth, allowed)

    return judged


def shares() -> bool:
    """Gradient descent's release has a combination without noise."""
    return replay.shares_noise(descents()[0].sample)


NGD, TUNING = noisy_gd.NoisyGDLaw, private_tuning.PrivateTuningLaw
PLANTED = (
    *STATEMENTS,
    *LEARNERS,
    *PROMISES,
    *PROGRAMS,
    *EXACT,
    Planted(11, "Laplace noise of the private SVM halved", "attack", laplace.GridLaplace, "sample",
            lambda f: lambda law, rng, size=1: law.point * law.grid + (f(law, rng, size) - law.point * law.grid) / 2,
            refuted(flipped_label, ONE)),
    Planted(12, "noise of the Gaussian mechanism halved", "attack", gaussian, "noise_deviation",
            halved, refuted(shifted_values, GaussianDP(1.0))),
    Planted(12, "noise of gradient descent halved", "attack", noisy_gd, "noise_for",
            halved, refuted(descending(), GaussianDP(1.0))),
    Planted(14, "exponential mechanism without the 2 in its exponent", "attack", exponential.ExponentialLaw, "scale",
            lambda f: property(lambda law: 2 * f.fget(law)), refuted(rare_choices, ONE, 60_000)),
    Planted(14, "DP-ERM's selection twice as eager", "attack", dp_erm.BoostedLaw, "choose", louder,
            selection_of_dp_erm),
    Planted(17, "rows of gradient descent not clipped", "attack on a record of norm 10", grid_sums, "clip_rows",
            unclipped, refuted(descending(10.0), GaussianDP(1.0))),
    Planted(18, "one draw for all coordinates of gradient descent", "rank of the noise", NGD, "sample", broadcast,
            shares),
    Planted(18, "one noise for all scores of private tuning", "joint test of the draws", TUNING, "noise",
            lambda f: lambda law, rng, count: np.repeat(f(law, rng, 1), count), score_noise_is_wrong),
    Planted(12, "score noise of private tuning halved", "joint test of the draws", TUNING, "noise",
            lambda f: lambda law, rng, count: f(law, rng, count) / 2, score_noise_is_wrong),
    Planted(19, "gradient descent reseeded inside", "attack", NGD, "sample", reseeded,
            refuted(descending(), GaussianDP(1.0))),
    Planted(24, "gradient descent charged for one step less", "draws counted", noisy_gd, "noise_for",
            lambda f: lambda steps, *a, **k: f(steps - 1, *a, **k), steps_are_not_paid),
    Planted(26, "twice as many runs of private tuning as its law says", "attack on K", tnb.TruncatedNegativeBinomial,
            "sample", lambda f: lambda law, rng, size=1: 2 * f(law, rng, size),
            refuted(numbers_of_runs, PureDP(0.01))),
    Planted(16, "gradient descent calibrated to a record removed where one is replaced", "draws counted", noisy_gd,
            "replacement_sensitivity", lambda f: lambda **sizes: f(**sizes) / 2, steps_are_not_paid),
    Planted(13, "budget split by the fourth root of the number of parts", "budget added up", algorithms, "split_budget",
            lambda f: lambda mu, parts: f(mu, sqrt(parts)), spends_more_than_it_says),
    Planted(15, "L2 sensitivity for the Laplace noise of the private SVM", "attack", private_svm, "grid_for",
            lambda f: lambda sensitivity, epsilon, F: f(sensitivity / sqrt(F), epsilon, F),
            refuted(partial(flipped_label, 10), ONE, 60_000)),
    Planted(21, "Gaussian mechanism clipped to the private value and its noise's deviation", "attack",
            gaussian.GaussianLaw, "sample",
            lambda f: lambda law, rng, size=1: np.clip(f(law, rng, size), law.value - law.sigma, law.value + law.sigma),
            refuted(shifted_values, GaussianDP(1.0))),
    Planted(22, "a step less of gradient descent where a label is negative", "attack on the shape", NGD, "sample",
            lambda f: lambda law, rng, size=1: f(law, rng, size)[:, : law.steps - int(law.Z[-1, 0] < 0)],
            refuted(all_iterates, GaussianDP(1.0))),
    Planted(29, "the auditor's rules learnt from what they judge", "false alarms on honest noise", Game, "judge",
            hindsight, alarms_too_often),
)  # fmt: skip


def matrix() -> Iterator[dict]:
    """Every row with what came of it."""
    for planted in sorted(PLANTED, key=lambda p: p.row):
        yield {
            "row": planted.row,
            "mutation": planted.mutation,
            "check": planted.by,
            "caught": "yes" if planted.caught() else "no",
        }


if __name__ == "__main__":
    keep(TABLE, matrix())
