"""The table of planted mistakes: changes of our own code, and the check that must catch each.

    python -m tests.mutation.planted  # writes planted.csv of the audits

Every row changes a function of the project in a forked child and runs a check there. The same check on the code as it
is must find nothing. This module has the mistakes in statements, in calibrations and in the engine and the auditor.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta as beta_law

from lemmata.bounds.bms22 import sign_projection as projection_bounds
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments import audits
from lemmata.experiments.audits import known_mechanisms
from lemmata.experiments.audits.tables import write_lines
from lemmata.experiments.bms22 import sign_projection as projection_rows
from lemmata.experiments.conformance import edit
from lemmata.experiments.engine.claims import verdict
from lemmata.experiments.instances.datasets import planted as planted_data
from lemmata.mechanisms.audit.play.sequential_test import audit
from lemmata.mechanisms.learners.descent import adaptive_margin
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from lemmata.mechanisms.privacy import ApproxDP, PureDP, gaussian_delta, gaussian_mu
from lemmata.mechanisms.privacy.privacy_filter import Amounts
from tests.engine.claims import test_levels as levels
from tests.mutation.checks import ONE
from tests.mutation.planted_noise import HALVED, OVERSPENT, SHARED
from tests.mutation.planting import (
    DEAR,
    Planted,
    control_survives,
    fails,
    finds,
    replay,
    rewritten,
    rng,
    row_falls,
)

TABLE = Path(audits.__file__).with_name("planted.csv")


def delta_exceeded() -> bool:
    """The exact delta of the Gaussian mechanism at epsilon = 10, against the one it is calibrated to."""
    law = gaussian.law([0.0], sensitivity=1.0, privacy=ApproxDP(10.0, 1e-5))
    return bool(gaussian_delta(10.0, 1 / law.sigma) > 1e-5 * (1 + 1e-9))


def trials_are_one() -> bool:
    """Twelve chunks of 30 trials with a sixth of the rows: in every chunk all of them fail, or none does."""
    k = projection_bounds.sign_projection_rows(m=10, gamma=0.9, beta=0.1) // 6
    chunks = [projection_rows.breaks(rng(f"trials {i}"), 30, k, m=10, d=64, gamma=0.9) for i in range(12)]
    return all(failed.all() or not failed.any() for failed in chunks)


def runs_share_projections() -> bool:
    """Five runs of Algorithm 3 on three records of 3,000 columns: are there fewer than five draws of projections?"""
    drawn = list[tuple]()
    count = lambda draw: lambda *sizes, **how: drawn.append(sizes) or draw(*sizes, **how)  # noqa: E731
    edit.replace_attribute(adaptive_margin, "draw_projections", count)
    planted_data.adaptive_runs(rng("runs"), 5, np.eye(3, 3000), 8.0, 1e-3, steps=1)
    return len(drawn) < 5


def alarms_too_often() -> bool:
    """Honest Laplace noise accused at level 0.05 more than 14 times of 60: by an honest auditor once in 10^6.

    A rule that was learnt from what it judges tells a side from a fresh copy of itself, too; it is accused of that.
    """
    pair = [known_mechanisms.added(x, known_mechanisms.laplace_noise(1)) for x in (0, 1)]
    found = (audit(*pair, ONE, root=LEDGER_ROOT + i, budget=256, level=0.05) for i in range(60))
    return sum(one.verdict == REFUTED or one.reason == "NOT_AUDITED" for one in found) > 14


def hindsight(judge: Any) -> Any:
    """Rules learnt from the very releases that they then judge."""

    def judged(game: Any, fresh: Any, truth: Any, allowed: Any) -> Any:
        past, game.past, game.learnt_at = game.past, [(fresh, truth)], np.zeros_like(game.learnt_at)
        game.learn()
        game.past = past
        return judge(game, fresh, truth, allowed)

    return judged


def peeking(trials: int, failures: int, beta: float, odds: Any) -> float:
    """1 / p of Clopper and Pearson, as if it were looked at once."""
    return -log(max(float(beta_law.sf(1 - beta, trials - failures, failures + 1)), 1e-300))


ACCOUNTS = "mechanisms.privacy.test_account_audit"
TAIL, MEAN = "wzw25.lemA.5/corrected/tail", "wzw25.lemA.5/printed/mean"
TAILS = fails("engine.claims.test_levels.test_tails", Fraction(1, 3))
LEVELS = fails("engine.claims.test_levels.test_a_verdict_is_issued_at_its_level")
STREAMS = fails("engine.running.test_run.test_streams_differ_in_everything_that_names_them")
PAIRS = {type(claim): (claim, vertices) for claim, vertices in reversed(levels.GAMES)}  # the first of each kind
GAME = {kind: fails("engine.claims.test_levels.test_attack_games", *pair) for kind, pair in PAIRS.items()}
TRIALS = """    for trial in range(size):
        T = points(rng, m, d)
        broken[trial] = not bounds.inner_products_preserved(T, projection(k, d, rng=rng).apply(T), gamma)"""
SHARED_TRIALS = """    T, phi = points(rng, m, d), projection(k, d, rng=rng)
    broken[:] = not bounds.inner_products_preserved(T, phi.apply(T), gamma)"""

STATEMENTS = (
    Planted(1, "entries of sign projections 1.5 times too large",
            "mechanisms.features.sign_projection.SignProjection.apply",
            lambda f: lambda phi, X: 1.5 * f(phi, X),
            fails("mechanisms.noise.test_releases.test_a_projection_moves_a_record_differently_each_time")),
    Planted(2, "bound on the mean maximum of Gaussians halved",
            "bounds.wzw25.gaussian_maxima.max_mean",
            rewritten("sigma * sqrt(", "sigma / 2 * sqrt("), row_falls(MEAN)),
    Planted(3, "maximum of n Gaussians without its union bound",
            "bounds.wzw25.gaussian_maxima.max_threshold",
            rewritten("sigma * sqrt(2 * log(2 * n)) +", ""), row_falls(TAIL)),
    Planted(3, "the gap of a support vector machine without its main term",
            "mechanisms.solvers.svm._complementarity",
            rewritten("(box - dual) * np.maximum(under, 0) + ", ""),
            fails("mechanisms.solvers.test_svm_gap.test_the_gap_is_primal_less_dual")),
    Planted(4, "sqrt(log(1/beta)) for sqrt(2 log(1/beta))",
            "bounds.wzw25.gaussian_maxima.max_threshold",
            rewritten("sqrt(2 * log(1 / beta))", "sqrt(log(1 / beta))"), row_falls(TAIL)),
    Planted(5, "mu^2/2 dropped from the conversion to epsilon",
            "bounds.wzw25.gaussian_privacy.approx_epsilon_at",
            rewritten("mu * mu / 2 + mu * t", "mu * t"), row_falls("wzw25.lemE.1/printed")),
    Planted(6, "decimal logarithm for the natural one",
            "bounds.wzw25.gaussian_maxima.max_threshold",
            rewritten("sqrt(2 * log(1 / beta))", "sqrt(2 * log(1 / beta) / log(10))"), row_falls(TAIL)),
    Planted(7, "a tenth of the rows of a sign projection",
            "bounds.bms22.sign_projection.rows_for",
            rewritten("return ceil(", "return ceil(0.1 * "), row_falls("bms22.lemA.3/explicit")),
    Planted(8, "one fixed halfspace in place of all",
            "experiments.instances.classes.hypothesis_classes.Halfplanes.cells",
            lambda f: lambda self, rng, size, m: tuple(part[:, -1:] for part in f(self, rng, size, m)),
            control_survives("bms22.lemA.1/printed/halfspaces")),
    Planted(9, "a bound of 100 on a probability is tested as a claim",
            "experiments.engine.claims.claim.Claim.why_vacuous",
            lambda f: lambda claim, setting: None,
            fails("engine.running.test_cell.test_only_the_claim_itself_is_vacuous")),
    Planted(9, "settings outside the hypotheses are decided",
            "bounds.statement.theorem.Theorem.skipped",
            lambda f: lambda theorem, setting: None,
            fails("engine.running.test_run.test_toy_claims_get_the_verdicts_they_deserve")),
    Planted(10, "noise that grows with the root of n: the loss falls like n^(-1/2), not 1/n",
            "mechanisms.learners.descent.noisy_gd.noise_for",
            lambda f: lambda steps, *sizes: steps**0.25 * f(steps, *sizes), row_falls("wzw25.lemD.1/rate[n]")),
    Planted(10, "as many rows as dimensions: the loss grows with them",
            "experiments.wzw25.one_margin.fast_projection",
            lambda f: lambda k, d, rng: f(d, d, rng=rng), row_falls("wzw25.lemD.1/rate[d]")),
    Planted(13, "an account that goes over to Gaussian releases forgets what was spent",
            "mechanisms.privacy.account_book.largest_m",
            lambda f: lambda budget, sums, reserve: gaussian_mu(budget.epsilon, budget.delta),
            fails(f"{ACCOUNTS}.test_whoever_chooses_afterwards_spends_the_budget_and_no_more",
                  ApproxDP(1.0, 1e-6), 1.0, 1e-6)),
    Planted(13, "an account that goes over to Gaussian releases forgets what is kept in reserve",
            "mechanisms.privacy.account_book.largest_m",
            lambda f: lambda budget, sums, reserve: gaussian_mu(budget.epsilon, budget.delta),
            fails(f"{ACCOUNTS}.test_every_way_to_keep_it_is_a_filter", {"reserve": PureDP(0.4)})),
    Planted(13, "an account keeps the caps of the way that it has left",
            "mechanisms.privacy.account_book.final_caps",
            lambda f: lambda sums, reserve, m: Amounts(Fraction(1.0), Fraction(1e-6), Fraction(m) ** 2),
            fails(f"{ACCOUNTS}.test_whoever_chooses_afterwards_spends_the_budget_and_no_more",
                  ApproxDP(1.0, 1e-6), 1.0, 1e-6)),
    Planted(17, "records clipped by coordinate, not by row",
            "mechanisms.numerics.arguments.clip_rows",
            rewritten(
                "X = read_records(X, keep_sparse=keep_sparse)", "return np.clip(read_records(X), -radius, radius)"
            ),
            replay("noisy gd", 10.0)),
    Planted(20, "randomised response keeps with probability epsilon",
            "experiments.abgmu22.confidence_boosting.releases",
            rewritten("exp(training) / (1 + exp(training))", "min(training, 0.9)"),
            row_falls("abgmu22.thm.boost/explicit/accounting")),
    Planted(20, "failure of randomised response as if it kept with probability beta",
            "bounds.rbht09.lower_bounds.least_failure_corrected",
            rewritten("1 / (1 + exp(beta))", "1 - min(beta, 0.9)"),
            row_falls("rbht09.thm18/corrected/words")),
    Planted(26, "probabilities of K with r for 1 - r",
            "bounds.exact.tnb.log_pmf",
            lambda f: lambda *, eta, r, k: f(eta=eta, r=r, k=k) + eta * log(r / (1 - r)),
            fails("wzw25.test_run_counts.test_far_out_the_weights_are_those_of_the_gamma_functions", 0.5)),
    Planted(27, "the classical deviation of Gaussian noise at epsilon = 10",
            "mechanisms.noise.gaussian.noise_deviation",
            lambda f: lambda sensitivity, privacy: sensitivity * sqrt(2 * log(1.25 / privacy.delta)) / privacy.epsilon,
            finds("exact privacy curve", delta_exceeded)),
    Planted(28, "HOLD and REFUTE alternatives swapped",
            "experiments.engine.claims.verdict.HOLD_ODDS", lambda odds: verdict.REFUTE_ODDS, TAILS),
    Planted(28, "one Clopper-Pearson limit at every look",
            "experiments.engine.claims.verdict.log_e_tail", lambda f: peeking, TAILS),
    Planted(28, "a mixture not divided by its size",
            "experiments.engine.claims.verdict.log_e_tail", rewritten(" - np.log(len(odds))", ""),
            TAILS),
    Planted(28, "a loss of 1 where it is e^epsilon",
            "mechanisms.audit.evidence.stakes.gains",
            rewritten("np.exp(-np.asarray(epsilon, dtype=float))", "np.ones_like(np.asarray(epsilon, dtype=float))"),
            GAME[ApproxDP]),
    Planted(28, "abstentions of an attack are free",
            "mechanisms.audit.evidence.stakes.gains",
            rewritten("np.log1p(-stakes * bound)", "np.zeros_like(stakes * bound)"), GAME[ApproxDP]),
    Planted(28, "a claim holds at 1000, not at its level", "experiments.engine.claims.verdict.LOG_HOLD",
            lambda level: log(1e3), LEVELS),
    Planted(28, "a claim is refuted at 100,000, not at its level", "experiments.engine.claims.verdict.LOG_REFUTE",
            lambda level: log(1e5), LEVELS),
    Planted(29, "the auditor's rules learnt from what they judge",
            "mechanisms.audit.play.game.Game.judge", hindsight,
            finds("false alarms on honest noise", alarms_too_often, DEAR)),
    Planted(30, "one seed for all chunks",
            "mechanisms.numerics.streams.generator",
            rewritten("*stream_words(stream), chunk)", "*stream_words(stream), 0)"), STREAMS),
    Planted(30, "one stream for training and judging",
            "mechanisms.numerics.streams.generator",
            rewritten("*stream_words(stream), ", ""), STREAMS),
    Planted(31, "one sample and one projection for all trials of a chunk",
            "experiments.bms22.sign_projection.breaks",
            rewritten(TRIALS, SHARED_TRIALS), finds("chunks of which all or none fail", trials_are_one)),
    Planted(31, "one projection for all runs of Algorithm 3",
            "experiments.instances.datasets.planted.adaptive_runs",
            rewritten("all(phi is None for phi in first)", "first"),
            finds("projections counted", runs_share_projections)),
)  # fmt: skip
PLANTED = sorted((*STATEMENTS, *HALVED, *OVERSPENT, *SHARED), key=lambda planted: planted.row)


def tabled() -> Iterator[dict]:
    """Every row with what came of it."""
    for planted in PLANTED:
        caught = "yes" if planted.is_caught() else "no"
        yield {"row": planted.row, "mutation": planted.mutation, "check": planted.check.name, "caught": caught}


if __name__ == "__main__":
    write_lines(TABLE, tabled())
