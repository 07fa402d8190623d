"""The privacy of private tuning, Appendix K.2 of Wang, Zhu & Wang (2025): decided exactly, and our laws under attack.

Accounts of the best of K runs are judged by `lemmata.experiments.checks.tuning_account`. In the attacks on Algorithms 4
and 6 an (epsilon, delta)-DP release is distinguished from a neighbour's with probability at most 1/2 + [delta + (1 -
delta) tanh(epsilon/2)]/2; that is tested as GDP with the mu of this total variation, as the guesses never abstain. One
run, seen completely, is attacked at its own mu.
"""

from math import log, sqrt, tanh

import numpy as np
from flint import ctx
from scipy.special import ndtr, ndtri

from lemmata.bounds.exact.balls import exact, lower_end
from lemmata.bounds.exact.best_of_runs import best_score_delta, best_score_delta_by_quadrature
from lemmata.bounds.exact.privacy_curves import closed_form, hockey_stick_of_two
from lemmata.bounds.wzw25 import best_of_runs as bound
from lemmata.bounds.wzw25.gaussian_privacy import composed_gdp
from lemmata.experiments.checks import (
    Control,
    Step,
    attack_claim,
    exact_claim,
    grid,
    holds,
    identity_claim,
    inconclusive,
    inequality_claim,
    refuted,
    run_script,
    spread,
    up_to_one,
    witness,
)
from lemmata.experiments.checks.pair import weaker
from lemmata.experiments.checks.tuning_account import BITS, Runs, account_cases, profile_account, profile_to_printed
from lemmata.experiments.instances.pairs import tuned_pairs as pairs
from lemmata.mechanisms.learners.descent import private_tuning

CORNERS = [(m, r, d) for m in (1e-8, 1.0, 40.0) for r in (1e-12, 1 - 1e-9) for d in (1e-300, 0.999)]
SETTINGS = [(0.1, 1 / 495, 1e-5), (0.3, 1e-3, 1e-3), (0.5, 0.01, 1e-6), (1.0, 0.1, 1e-6), (0.0198, 1 / 79_992, 1e-5)]
EXTREMES = [(4.0, 0.5, 0.1), (1e-3, 1e-12, 1e-9), (0.3, 0.999, 0.3), (1e-6, 0.5, 1e-9), (2.0, 1e-9, 1e-30)]
LARGE_DELTA = {"r": 1e-3, "delta": 1e-3}
ETAS = (-0.9, 0.0, 1.0, 3.0)


def named(points, **more):
    """Settings of (mu, r, delta)."""
    return tuple({"mu": m, "r": r, "delta": d} | more for m, r, d in points)


# Lemma K.1 ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bound.selection_epsilon,
    quick=named(SETTINGS[:2]),
    full=named(SETTINGS[2:] + EXTREMES),
    control=Control("epsilon divided by {} (3: one run charged)", (1.5, 4), {"mu": 0.3, **LARGE_DELTA}),
    given=("wzw25.lemE.1/printed", bound.profile_epsilon),
    cost=0.14,
    bits=BITS,
    note="the printed + δ is enough only because Lemma E.1 spends half of its δ; δ ≥ 1 is not meant",
)
def lemma_k1_keeps_its_promise(*, mu, r, delta, factor=1):
    """The exact curve of score-only runs, random orders, and Equation 23 from the profile bound at 12 corners."""
    promised = bound.selection_epsilon(mu=mu, r=r, delta=delta) / factor
    links = (link for point in [(mu, r, delta), *CORNERS] for link in profile_to_printed(*point, factor))
    return account_cases(Runs(mu, r, delta), promised, links, "Equation 23")


PROFILES = {
    "quick": named([(0.3, 1e-3, 1e-3)], eta=1.0) + named([(0.3, 1e-3, 1e-3)], eta=-0.5),
    "full": sum((named([SETTINGS[0], SETTINGS[3], (0.2, 1e-6, 1e-4)], eta=eta) for eta in ETAS), ()),
    "cost": 0.14,
    "bits": BITS,
}


@inequality_claim(
    bound.profile_epsilon, control=Control("epsilon divided by {} (one run charged)", (1.2, 2.7)), **PROFILES
)
def profile_bound_keeps_its_promise(*, factor=1, **setting):
    """The exact curve, random orders, and the links of the derivation at the numbers used."""
    return profile_account(bound.profile_epsilon, **setting, factor=factor)


@inequality_claim(
    bound.sharp_epsilon,
    control=Control("epsilon divided by {} (one run charged)", (1.2, 2.2)),
    given=[bound.profile_epsilon],
    **PROFILES,
)
def sharp_bound_keeps_its_promise(*, factor=1, **setting):
    """The same for the ratio of the tails taken exactly."""
    return profile_account(bound.sharp_epsilon, **setting, factor=factor)


@exact_claim(
    bound.score_only_delta,
    quick=(
        {"epsilon": 0.4791, "mu": 0.1, "r": 1 / 495, "eta": 1.0},
        {"epsilon": 1.0, "mu": 0.5, "r": 1e-9, "eta": -0.5},
    ),
    full=tuple(
        {"epsilon": e, "mu": m, "r": r, "eta": eta}
        for e, m, r in [(0.0, 0.3, 1e-3), (2.7, 0.5, 0.01), (6.0, 3.0, 0.5), (0.01, 1e-3, 1e-6)]
        for eta in ETAS
    ),
    control=Control("K ~ TNB(eta, {} r)", (1.001, 1.1)),
)
def best_score_has_the_stated_curve(*, epsilon, mu, r, eta, factor=1):
    """Floats against balls by distribution functions, and those against quadrature of the printed density."""
    claimed = bound.score_only_delta(epsilon=epsilon, mu=mu, r=factor * r, eta=eta)
    with ctx.workprec(BITS):
        balls = [best_score_delta(eta, r, shift, epsilon) for shift in (mu, -mu)]
        again = [best_score_delta_by_quadrature(eta, r, shift, epsilon) for shift in (mu, -mu)]
        if not all(a.overlaps(b) for a, b in zip(balls, again, strict=True)):
            return inconclusive("FAILED", "the divergence by distribution functions and by quadrature differ")
        truth = max(balls, key=lower_end)
    if abs(claimed - float(truth)) > 1e-9 * float(truth) + 1e-14:
        setting = {"epsilon": epsilon, "mu": mu, "r": r, "eta": eta}
        return refuted("certificate", witness.inequality(setting, truth, claimed))
    note = f"the smaller of both orders has δ = {min(map(float, balls)):.3g}"
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note=note)


# Corollary K.2 --------------------------------------------------------------------------------------------------------


@inequality_claim(
    bound.relaxed_epsilon,
    steps=[Step("the slack is 3/2 μ (2t - μ)")],
    caught=(1.01, 2),
    tightness=spread,
    note="equality at μ = 2 t, factor 2 as μ → 0",
)
def relaxation_is_a_ray():
    """The two sides, also at the end of the range."""
    for mu, t, delta in ((1.0, 3.0, 0.5), (2.0, 1.0, 1e-5), (80.0, 40.0, 1e-9)):
        setting = {"mu": mu, "t": t, "delta": delta}
        yield setting, bound.epsilon_at(mu, t, delta), bound.relaxed_epsilon(**setting)


@inequality_claim(
    bound.selection_epsilon_simple,
    quick=named(SETTINGS[:2]),
    full=named(SETTINGS[2:]) + named([(4.8, 0.5, 0.1), (1e-3, 1e-12, 1e-9), (0.3, 0.999, 0.3)]),
    control=Control("epsilon divided by {} (8: one run charged)", (2, 8), {"mu": 0.3, **LARGE_DELTA}),
    given=[bound.selection_epsilon, bound.relaxed_epsilon],
    cost=0.14,
    bits=BITS,
)
def corollary_k2_keeps_its_promise(*, factor=1, **setting):
    """Lemma K.1 and the ray of step s1; the exact curve as a check."""
    promised = bound.selection_epsilon_simple(**setting) / factor
    links = [(promised >= bound.selection_epsilon(**setting) * (1 - 1e-15), "Lemma K.1 promises more")]
    return account_cases(Runs(**setting), promised, links, "at most twice Lemma K.1")


# Theorem K.3 ----------------------------------------------------------------------------------------------------------


@inequality_claim(
    bound.tuning_budget,
    quick=({"epsilon": 1.0, "r": 1 / 495, "delta": 1e-5}, {"epsilon": 1.0, **LARGE_DELTA}),
    full=(
        {"epsilon": 24 * log(2 / 0.1) * (1 - 1e-12), "r": 0.5, "delta": 0.1},
        {"epsilon": 100.0, "r": 1 / 5394, "delta": 1e-5},
        {"epsilon": 1e-6, "r": 1e-9, "delta": 1e-12},
        {"epsilon": 3.0, "r": 0.999, "delta": 0.5},
    ),
    control=Control("a run's budget {} times as large (12: K charged once)", (3, 12), {"epsilon": 1.0, **LARGE_DELTA}),
    given=[bound.selection_epsilon_simple, composed_gdp, bound.score_gdp, bound.run_gdp, bound.budget_spent],
    cost=0.14,
    bits=BITS,
    note="with the noise of Algorithm 4's line 7 (variance 2 Δ²/μ²); K is neither released nor observed",
)
def theorem_k3_keeps_its_promise(*, epsilon, r, delta, factor=1):
    """Score-only runs that spend all of mu, at (epsilon + delta, delta)."""
    mu = bound.tuning_budget(epsilon=epsilon, r=r, delta=delta) * factor
    asked = bound.selection_epsilon_simple.theorem.formula(mu=mu, r=r, delta=delta)
    links = [
        (bound.run_gdp(mu=mu) <= mu * (1 + 1e-15), "a run spends more than mu"),
        (asked <= (epsilon + delta) * (1 + 1e-12), "Corollary K.2 asks for a larger epsilon"),
    ]
    return account_cases(Runs(mu, r, delta), epsilon + delta, links, f"μ = {mu:.4g}")


AT_100 = bound.tuning_budget(epsilon=1.0, r=1 / 79_992, delta=1e-5)  # mu of Algorithm 6 at n = 100
SCORES = ({"mu": AT_100, "sensitivity": 0.01}, {"mu": AT_100, "sensitivity": 1.0})  # averaged and summed scores
WIDE = ({"mu": 2.0, "sensitivity": 1.0}, {"mu": 1e-6, "sensitivity": 1e-9}, {"mu": 30.0, "sensitivity": 7.0})


@exact_claim(
    bound.score_gdp_as_printed,
    quick=SCORES,
    full=WIDE,
    severity="privacy",
    note="an implementation that follows the proof is not private: its fraction is the variance of the noise in "
    "line 7 of Algorithm 4, and not the standard deviation σ. Read as a standard deviation it is enough exactly "
    "where μ ≤ √2 Δ, so never for averaged scores once n μ > √2. Algorithm 4 states the right noise, so the "
    "theorem holds",
)
def proofs_sigma_is_too_small(*, mu, sensitivity, factor=1):
    """sigma = 2 Delta^2 / mu^2 at n = 100, epsilon = 1, both units of the score."""
    setting = {"mu": mu, "sensitivity": sensitivity}
    spent, allowed = bound.score_gdp_as_printed(**setting) * factor, mu / sqrt(2)
    note = f"μ = {mu:.4g}, Δ = {sensitivity:.4g}"
    if spent <= allowed * (1 + 1e-12):
        return holds("derivation", "everywhere", tightness=(spent / allowed, 1.0), note=note)
    python = f"""
from lemmata.bounds.wzw25.best_of_runs import score_gdp_as_printed
from lemmata.bounds.wzw25.gaussian_privacy import gaussian_delta
spent, allowed = score_gdp_as_printed(mu={mu!r}, sensitivity={sensitivity!r}), {mu!r} / 2**0.5
assert gaussian_delta(epsilon=0.0, mu=spent) > gaussian_delta(epsilon=0.0, mu=allowed)"""
    broken = witness.inequality(
        setting,
        spent,
        allowed,
        claimed=f"{allowed:.4g}-GDP",
        found=f"{spent:.4g}-GDP, tightly",
        python=python,
        a="score 0",
        b=f"score {sensitivity:.6g}",
        event="noisy score above the middle",
        p_a=ndtr(spent / 2),
        p_b=ndtr(-spent / 2),
    )
    return refuted("derivation", broken)


@inequality_claim(
    bound.score_gdp,
    quick=SCORES,
    full=WIDE,
    caught=(1.001, 2),
    given=("wzw25.rem2.3/printed/gaussian",),
    tightness=up_to_one,
    note="for every unit of the score",
)
def line_sevens_variance_suffices(**setting):
    """sigma^2 = 2 Delta^2 / mu^2, both units."""
    yield setting, bound.score_gdp(**setting), setting["mu"] / sqrt(2)
    mus = np.geomspace(1e-3, 10, 25)
    spends = [bound.score_gdp(**setting | {"mu": m}) for m in mus]
    return {"series": {"mu": mus.tolist(), "bound": (mus / sqrt(2)).tolist(), "exact": spends}}


@inequality_claim(
    bound.run_gdp,
    quick=({"mu": 0.028},),
    full=({"mu": 1e-9}, {"mu": 1.0}, {"mu": 9.0}),
    control=Control("the score's budget {} times as large", (1.01, 2)),
    given=[composed_gdp],
    bits=BITS,
    rounding=1e-9,
    note="exactly μ, although the score looks at the candidate",
)
def two_halves_make_a_run(*, mu, factor=1):
    """Two Gaussians with shifts mu / sqrt 2 against the curve of mu, at seven orders, in balls."""
    half = exact(mu) / exact(2).sqrt()
    both = (half**2 + (half * exact(factor)) ** 2).sqrt()
    for u in (-3, -1, 0, 0.5, 1, 2, 4):
        epsilon = float(both) * (u + float(both) / 2)
        delta = hockey_stick_of_two(epsilon, half, half * exact(factor))
        yield {"mu": mu, "epsilon": epsilon}, delta, closed_form(epsilon, bound.run_gdp(mu=mu))
        if not delta.overlaps(closed_form(epsilon, both)):
            return inconclusive("FAILED", "the product of two Gaussian pairs is not a Gaussian pair")
    return {"tightness": (bound.run_gdp(mu=mu) / mu,) * 2}


@identity_claim(
    bound.budget_spent,
    quick=({"epsilon": 1.0, "t": 5.0},),
    full=({"epsilon": 300.0, "t": 5.0}, {"epsilon": 1e-9, "t": 0.1}),
    steps=[Step("algebra")],
)
def budget_inverts_the_corollary(*, epsilon, t):
    """Both numbers: the epsilon that is asked for, and mu over the largest one allowed, 1 at epsilon = 12 t^2."""
    point = {"epsilon": epsilon, "t": t}
    spent, share = bound.budget_spent(**point)
    yield point, epsilon, spent
    yield point, epsilon / (12 * t**2), share


# Our code under attack ------------------------------------------------------------------------------------------------


def level(*, epsilon, delta, calibration="printed", **_):
    """The mu whose total variation is the largest that the promised guarantee allows."""
    promised = epsilon + (delta if calibration == "printed" else 0.0)
    return 2 * float(ndtri((1 + delta + (1 - delta) * tanh(promised / 2)) / 2))


ONCE = "a run's budget {{}} times what K allows (about {}: K charged once)"
INDEX = {"epsilon": 1.0, "delta": 0.05, "r": 0.01}
PRINTED, SHARP = {"calibration": "printed"}, {"calibration": "sharp"}


def releases(*, calibration, **_):
    """In a chunk: of the printed budget so little is seen that it takes many to tell it from nothing."""
    return 1_500 if calibration == "sharp" else 5_500


ATTACKED = dict(attack="gdp", bound=level, cap=6)
RUN_BY_RUN = ATTACKED | dict(cap=5, chunk=releases, quick=(INDEX | SHARP,), full=(INDEX | PRINTED,))


@attack_claim(
    bound.tuning_budget,
    law="private_selection",
    quick=grid(epsilon=[1.0], delta=[0.01], r=[1e-6], calibration=["printed", "sharp"]),
    full=grid(epsilon=[1.0], delta=[0.05], r=[1e-9], calibration=["sharp"]),
    control=Control(ONCE.format(20), (14, 20)),
    cost=1e-6,
    chunk=5000,
    note="exact likelihood ratio of the index; two candidates whose scores change places. The slack is in the account: "
    "no pair spends more than 0.36 of the printed budget (by the sharp account of the same runs). This pair spends "
    "exactly 0.09 of it, and 0.28 of the sharp budget",
    **ATTACKED,
)
def selected_index(*, factor=1, **setting):
    """Scores (0, 1) and (1, 0), kappa = 1, E K = 10^6: the selection layer alone."""
    pair = (private_tuning.selection_law(scores, sensitivity=1.0, **setting) for scores in ([0.0, 1.0], [1.0, 0.0]))
    return weaker(pair, factor)


@attack_claim(
    bound.tuning_budget,
    law="private_tuning_index",
    control=Control("the noise of one score reused for all runs", (2,)),
    cost=2.2e-5,
    note="runs are drawn one by one. Candidates release nothing, so the index carries all information. It spends "
    "exactly 0.06 of the printed budget and 0.30 of the sharp one; no pair spends more than 0.25 of the printed "
    "budget (by the sharp account of the same runs)",
    **RUN_BY_RUN,
)
def index_of_known_scores(*, factor=1, **setting):
    """The same scores, run by run; with one noise for all scores the better candidate wins whenever it is drawn."""
    pair = pairs.silent((0.0, 1.0), **setting), pairs.silent((1.0, 0.0), **setting)
    return tuple({1: private_tuning.PrivateTuningLaw, 2: pairs.Reused}[factor](**vars(law)) for law in pair)


@attack_claim(
    bound.tuning_budget,
    law="private_tuning",
    control=Control(ONCE.format(18), (14, 18), INDEX | PRINTED),
    cost=2.5e-5,
    note="index and output, learnt scores; releases and scores move by their full sensitivities, and the tuning "
    "prefers outputs that the other dataset seldom releases. The slack is in the account: no pair spends more than "
    "0.25 of the printed budget (by the sharp account of the same runs). This pair spends exactly 0.08 of it, and "
    "0.40 of the sharp budget",
    **RUN_BY_RUN,
)
def index_and_output(*, factor=1, **setting):
    """A release is worse by one on the far side of 1/2, which is another side for either dataset."""
    return pairs.revealing(0.0, factor, **setting), pairs.revealing(1.0, factor, **setting)


@attack_claim(
    bound.run_gdp,
    law="private_tuning_run",
    attack="gdp",
    bound=lambda *, mu: mu,
    quick=({"mu": 1.0},),
    full=({"mu": 0.5}, {"mu": 3.0}),
    control=Control("noise of release and score {} times too small", (1.2, 1.5)),
    chunk=10_000,
    cap=10,
    cost=1e-6,
    note="white box: candidate, release and noisy score of one run, exact likelihood ratio, κ = 1",
)
def one_run(*, mu, factor=1):
    """The runs that the best of K is taken over: one run spends all of mu."""
    setting = {"r": 0.5, "delta": 0.01}
    setting["epsilon"] = mu * 6 * bound.tail_at(**setting)
    return tuple(pairs.OneRun(pairs.shifted(x, pairs.fixed_scores((x, x)), factor, **setting)) for x in (0.0, 1.0))


TUNED = {"epsilon": 1.0, "delta": 0.05, "beta": 1 / 30}


@attack_claim(
    bound.tuning_budget,
    law="adaptive_margin_tuned",
    control=Control(ONCE.format(18), (14, 18), TUNED | PRINTED),
    cost=2.5e-5,
    note="Algorithm 6 on three records, one label flipped; index and weights, learnt scores. A run has one "
    "step and releases its iterate, so it spends its whole budget; β = 1/30, which gives 87 runs per tuning. The slack "
    "is in the account: no pair spends more than 0.24 of the printed budget (by the sharp account of the same runs)",
    **RUN_BY_RUN | {"quick": (TUNED | SHARP,), "full": (TUNED | PRINTED,)},
)
def margin_and_weights(*, factor=1, **setting):
    """The flip changes the majority: whichever sign the weight has, it is one error more for either dataset."""
    X, y = np.ones((3, 1)), np.array([1.0, 1.0, -1.0])
    return pairs.tuned_margins(X, y, factor, **setting), pairs.tuned_margins(X, y * [-1, 1, 1], factor, **setting)


if __name__ == "__main__":
    run_script(__file__)
