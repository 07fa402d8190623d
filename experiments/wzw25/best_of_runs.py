"""Private tuning's privacy, decided exactly: Appendix K.2 of wzw25, and three accounts of one mechanism.

A run that releases nothing but a Gaussian score is mu-GDP, and the privacy curve of the best of K such runs is known
exactly: no account may promise less. Above, the derivations in the docstrings of `bounds.wzw25.best_of_runs` carry the
statements to every base mechanism; random orders of finite Gaussian pairs look for one that does worse.

Theorem K.3 of wzw25: the budget of one run of private tuning, decided exactly; and our laws under attack.

An (epsilon, delta)-DP release is told apart from a neighbour's with probability at most 1/2 + [delta + (1 - delta)
tanh(epsilon/2)]/2. The attacks on Algorithms 4 and 6 test that, as the GDP test with the mu of this total variation:
the guesses never abstain. One run, seen completely, is attacked at its own mu.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import log, sqrt, tanh

import numpy as np
from flint import ctx
from scipy.special import ndtr, ndtri

from bounds.exact.balls import enclosure, exact, lower_end, upper_end
from bounds.exact.best_of_runs import best_score_delta, best_score_delta_by_quadrature
from bounds.exact.privacy_curves import closed_form, hockey_stick_of_two
from bounds.exact.tnb import mean
from bounds.wzw25 import best_of_runs as bounds
from experiments.engine.claim import Control, attack_claim, exact_claim, grid
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.wzw25.gaussian_privacy import binned_gaussians
from mechanisms import gaussian, private_tuning
from mechanisms.private_tuning import PrivateTuningLaw

PRECISION = 192  # bits
FINE = 1300  # for links in which delta = 1e-300 stands beside mu = 1e-8
CORNERS = [(m, r, d) for m in (1e-8, 1.0, 40.0) for r in (1e-12, 1 - 1e-9) for d in (1e-300, 0.999)]
SETTINGS = [(0.1, 1 / 495, 1e-5), (0.3, 1e-3, 1e-3), (0.5, 0.01, 1e-6), (1.0, 0.1, 1e-6), (0.0198, 1 / 79_992, 1e-5)]
EXTREMES = [(4.0, 0.5, 0.1), (1e-3, 1e-12, 1e-9), (0.3, 0.999, 0.3), (1e-6, 0.5, 1e-9), (2.0, 1e-9, 1e-30)]


def named(points, **more):
    """Settings of (mu, r, delta)."""
    return tuple({"mu": m, "r": r, "delta": d} | more for m, r, d in points)


# Is a promise kept by the best Gaussian score, and by other orders? -------------------------------------------------


def worst_order(mu, r, eta, epsilon, delta, trials=40):
    """The largest delta / delta allowed over finite mu-GDP runs with arbitrary orders of their outputs, in floats.

    Of a run with probabilities p in order of preference the best of K has the cumulative law `best_at_most`.
    """
    rng = np.random.default_rng(7)
    worst = 0.0
    for trial in range(trials):
        bins = int(rng.integers(2, 12))
        pair = binned_gaussians(rng, mu, bins)
        order = rng.permutation(bins) if trial % 2 else np.arange(bins)[:: 1 if trial % 4 else -1]
        laws = []
        for p in pair:
            cumulative = np.concatenate([[0.0], np.minimum(np.cumsum(p[order]), 1.0)])
            laws.append(np.diff(bounds.best_at_most(eta, r, cumulative)))
        worst = max(worst, float(np.maximum(laws[0] - np.exp(epsilon) * laws[1], 0).sum()) / delta)
    return worst


def excess(setting, promised, mu, r, delta, eta=1.0):
    """REFUTED if the best of K Gaussian scores breaks (promised, delta)-DP, in balls; else None and the delta spent."""
    with ctx.workprec(PRECISION):
        shifts = mu, -mu
        balls = [best_score_delta(eta, r, shift, promised) for shift in shifts]
        worst = max(range(2), key=lambda i: lower_end(balls[i]))
        if not balls[worst] > exact(delta):
            return None, max(upper_end(ball) for ball in balls)
        ways = best_score_delta_by_quadrature(eta, r, shifts[worst], promised)
        if not balls[worst].overlaps(ways):
            return inconclusive("FAILED", "the divergence by distribution functions and by quadrature differ"), 1.0
        code = (
            "from bounds.exact.best_of_runs import best_score_delta\n"
            f"found = best_score_delta({eta!r}, {r!r}, {shifts[worst]!r}, {promised!r})\n"
            f"assert found > {delta!r}, found\n"
        )
        witness = {
            "setting": setting,
            "claimed": f"({promised:.6g}, {delta:.6g})-DP",
            "found": f"delta = {float(balls[worst]):.6g} at epsilon = {promised:.6g}",
            "a": "score N(0, 1)",
            "b": f"score N({shifts[worst]:.6g}, 1)",
            "event": "the best of K scores speaks for a by more than epsilon",
            "point": {"mu": mu, "r": r, "eta": eta},
            "p_a": enclosure(balls[worst]),
            "lhs": enclosure(balls[worst]),
            "rhs": [delta, delta],
            "python": code,
        }
        return refuted("certificate", witness), 1.0


def decide_account(setting, promised, mu, r, delta, *, chain, eta=1.0, note=""):
    """An account of the best of K runs: kept by the exact curve, by random orders, by the links of its derivation."""
    found, largest = excess(setting, promised, mu, r, delta, eta)
    if found:
        return found
    beyond = worst_order(mu, r, eta, promised, delta) if delta > 1e-12 else 0.0  # floats say nothing below
    if beyond > 1 + 1e-9:
        return inconclusive("FAILED", f"some order of outputs reaches {beyond:.4g} of delta")
    with ctx.workprec(FINE):
        if broken := chain():
            return inconclusive("FAILED", broken)
    truth = bounds.score_only_epsilon(mu=mu, r=r, delta=delta, eta=eta)
    return holds(
        "derivation",
        "everywhere",
        tightness=(truth / promised, 1.0),
        note=f"{note}; exact epsilon of Gaussian scores {truth:.4g} of {promised:.4g}; delta spent {largest:.2g}, "
        f"40 other orders at most {beyond * delta:.2g}",
        series=three_accounts(mu, delta, eta),
    )


@functools.cache
def three_accounts(mu, delta, eta=1.0):
    """epsilon of the best of K runs along r by every account, at one mu and delta."""
    rs = [10.0**-k for k in (0.3, 1, 2, 3, 4.5, 6)]
    known = [{"mu": mu, "r": r, "delta": delta} for r in rs]
    rows = {"r": rs}
    if eta == 1:
        t = [bounds.tail_at(r=r, delta=delta) for r in rs]
        rows["bound"] = [bounds.epsilon_at(mu, x, delta) for x in t]
        rows["Corollary K.2"] = [bounds.epsilon_simple_at(mu, x, delta) for x in t]
    rows["profile bound"] = [bounds.profile_epsilon(**k, eta=eta) for k in known]
    rows["sharp profile bound"] = [bounds.sharp_epsilon(**k, eta=eta) for k in known]
    rows["exact"] = [bounds.score_only_epsilon(**k, eta=eta) for k in known]
    return rows


@functools.cache
def step_to_profile(mu, r, delta, factor):
    """Lemma K.1 from the profile bound at e = mu^2/2 + mu t, in balls: the link that breaks, or an empty string."""
    mu, r, delta = exact(mu), exact(r), exact(delta)
    t = (2 * (1 / (r * delta)).log()).sqrt()  # as `tail_at`
    e = mu * mu / 2 + mu * t
    spent = closed_form(e, mu)  # Lemma E.1, half of r delta
    if not spent < r * delta * 0.5000001:
        return f"delta_M(e) exceeds r delta / 2 at mu = {float(mu)}"
    grown = e + (1 + (-e).exp() * (1 - r) / r * spent).log()  # log(exp(e) + (1 - r)/r delta_M(e))
    if not bounds.epsilon_at(mu, t, delta) / exact(factor) > e + 2 * grown:
        return f"the profile bound exceeds Equation 23 at mu = {float(mu)}, r = {float(r)}, delta = {float(delta)}"
    return ""


@exact_claim(
    bounds.selection_epsilon,
    quick=named(SETTINGS[:2]),
    full=named(SETTINGS[2:] + EXTREMES),
    control=Control("epsilon divided by {} (3: one run charged)", (1.5, 4), {"mu": 0.3, "r": 1e-3, "delta": 1e-3}),
    given=("wzw25.lemE.1/printed", "wzw25.lemK.1/explicit/profile"),
    cost=0.14,
    note="the printed + delta is enough only because Lemma E.1 spends half of its delta; delta >= 1 is not meant",
)
def lemma_k1_keeps_its_promise(*, mu, r, delta, factor=1):
    """The exact curve of score-only runs, random orders, and Equation 23 from the profile bound at 12 corners."""
    promised = bounds.selection_epsilon(mu=mu, r=r, delta=delta) / factor

    def chain():
        return next(filter(None, (step_to_profile(*point, factor) for point in [(mu, r, delta), *CORNERS])), "")

    return decide_account({"mu": mu, "r": r, "delta": delta}, promised, mu, r, delta, chain=chain, note="Equation 23")


ETAS = (-0.9, 0.0, 1.0, 3.0)


def tangent(mu, r, growth):
    """An empty string if (r + (1-r) g(x)) / (r + (1-r) x) <= exp(growth) on a grid, g(x) = Phi(Phi^-1(x) + mu) the most
    that 1 - q' can be at x = 1 - q."""
    x = np.concatenate([np.geomspace(1e-300, 0.5, 400), 1 - np.geomspace(1e-16, 0.5, 200)])
    ratio = (r + (1 - r) * ndtr(ndtri(x) + mu)) / (r + (1 - r) * x)
    return "" if np.log(ratio.max()) <= growth * (1 + 1e-9) + 1e-12 else f"the ratio of tails exceeds exp({growth})"


def decide_profile(statement, mu, r, delta, eta, factor, growth):
    """Profile bounds: E K delta_M(epsilon_1) <= delta and the ratio of tails, for the numbers the float code used."""
    promised = statement(mu=mu, r=r, delta=delta, eta=eta) / factor
    first = bounds.first_epsilon(mu, r, delta, eta)

    def chain():
        if not mean(eta, r) * closed_form(first, mu) <= exact(delta) * exact(1 + 1e-9):
            return "E K delta_M(epsilon_1) exceeds delta"
        if promised < (first + (eta + 1) * bounds.sharp_growth(mu, r)) * (1 - 1e-12):
            return "the promise is below epsilon_1 + (eta + 1) e^"
        return tangent(mu, r, growth)

    setting = {"mu": mu, "r": r, "delta": delta, "eta": eta}
    return decide_account(setting, promised, mu, r, delta, chain=chain, eta=eta, note=f"eta = {eta:g}")


PROFILES = {
    "quick": named([(0.3, 1e-3, 1e-3)], eta=1.0) + named([(0.3, 1e-3, 1e-3)], eta=-0.5),
    "full": sum((named([SETTINGS[0], SETTINGS[3], (0.2, 1e-6, 1e-4)], eta=eta) for eta in ETAS), ()),
}


@exact_claim(
    bounds.profile_epsilon,
    control=Control("epsilon divided by {} (one run charged)", (1.2, 2.7)),
    cost=0.14,
    **PROFILES,
)
def profile_bound_keeps_its_promise(*, mu, r, delta, eta, factor=1):
    """The exact curve, random orders, and the two links of the derivation at the numbers used."""
    with ctx.workprec(PRECISION):
        growth = bounds.sharp_growth(mu, r)
        there = exact(growth)
        if not (1 - exact(r)) * closed_form(there, mu) <= exact(r) * there.expm1() * exact(1 + 1e-9):
            return inconclusive("FAILED", "(1 - r) delta_M(e^) exceeds r (exp(e^) - 1)")
    return decide_profile(bounds.profile_epsilon, mu, r, delta, eta, factor, growth)


@exact_claim(
    bounds.sharp_epsilon,
    control=Control("epsilon divided by {} (one run charged)", (1.2, 2.2)),
    cost=0.14,
    **PROFILES,
)
def sharp_bound_keeps_its_promise(*, mu, r, delta, eta, factor=1):
    """The same, and e^ meets its condition in balls."""
    with ctx.workprec(PRECISION):
        growth = bounds.sharp_growth(mu, r)
        there = exact(growth)
        if not (1 - exact(r)) * closed_form(there, mu) <= exact(r) * there.expm1() * exact(1 + 1e-9):
            return inconclusive("FAILED", "(1 - r) delta_M(e^) exceeds r (exp(e^) - 1)")
    return decide_profile(bounds.sharp_epsilon, mu, r, delta, eta, factor, growth)


@exact_claim(
    bounds.score_only_delta,
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
    cost=0.1,
)
def best_score_has_the_stated_curve(*, epsilon, mu, r, eta, factor=1):
    """Floats against balls by distribution functions, and those against quadrature of the printed density."""
    claimed = bounds.score_only_delta(epsilon=epsilon, mu=mu, r=factor * r, eta=eta)
    with ctx.workprec(PRECISION):
        balls = [best_score_delta(eta, r, shift, epsilon) for shift in (mu, -mu)]
        ways = [best_score_delta_by_quadrature(eta, r, shift, epsilon) for shift in (mu, -mu)]
        if not all(a.overlaps(b) for a, b in zip(balls, ways, strict=True)):
            return inconclusive("FAILED", "the divergence by distribution functions and by quadrature differ")
        found = max(balls, key=lower_end)
    setting = {"epsilon": epsilon, "mu": mu, "r": r, "eta": eta}
    if abs(claimed - float(found)) <= 1e-9 * float(found) + 1e-14:
        note = "the smaller of both orders has delta " + f"{min(map(float, balls)):.3g}"
        return holds("derivation", "everywhere", tightness=(1.0, 1.0), note=note)
    witness = {"setting": setting, "claimed": claimed, "found": float(found), "point": setting}
    return refuted("certificate", witness | {"lhs": enclosure(found), "rhs": [claimed, claimed], "python": ""})


# Corollary K.2 ------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.relaxation_slack,
    quick=({"mu": 1.0, "t": 3.0}, {"mu": 2.0, "t": 1.0}),
    full=({"mu": 1e-9, "t": 40.0}, {"mu": 80.0, "t": 40.0}),
    control=Control("6 / {} mu t for 6 mu t", (1.01, 2), {"mu": 2.0, "t": 1.0}),
    cost=0.001,
)
def relaxation_is_a_ray(*, mu, t, factor=1):
    """The slack is the polynomial 3/2 mu (2 t - mu), read off a 4 x 4 grid of rationals: >= 0 exactly for mu <= 2 t."""

    def slack(m, x):
        return bounds.epsilon_simple_at(m, x, 0) / Fraction(factor) - bounds.epsilon_at(Fraction(m), Fraction(x), 0)

    here = slack(Fraction(mu), Fraction(t))
    if here < 0:
        left = bounds.epsilon_at(Fraction(mu), Fraction(t), 0)
        point = {"mu": mu, "t": t}
        witness = {"setting": point, "claimed": "slack >= 0", "found": float(here), "point": point}
        sides = {"lhs": [float(left)] * 2, "rhs": [float(left + here)] * 2, "python": ""}
        return refuted("enumeration", witness | sides)
    grid = [(Fraction(m), Fraction(x)) for m in range(1, 5) for x in range(1, 5)]
    if any(slack(m, x) != Fraction(3, 2) * m * (2 * x - m) for m, x in grid):
        return inconclusive("FAILED", "the slack is not 3/2 mu (2 t - mu)")
    return holds("derivation", "everywhere", tightness=(0.5, 1.0), note="equality at mu = 2 t, factor 2 as mu -> 0")


@exact_claim(
    bounds.selection_epsilon_simple,
    quick=named(SETTINGS[:2]),
    full=named(SETTINGS[2:]) + named([(4.8, 0.5, 0.1), (1e-3, 1e-12, 1e-9), (0.3, 0.999, 0.3)]),
    control=Control("epsilon divided by {} (8: one run charged)", (2, 8), {"mu": 0.3, "r": 1e-3, "delta": 1e-3}),
    given=("wzw25.lemK.1/printed", "wzw25.corK.2.s1/printed"),
    cost=0.14,
)
def corollary_k2_keeps_its_promise(*, mu, r, delta, factor=1):
    """Lemma K.1 and the ray of step s1; the exact curve as a check."""
    promised = bounds.selection_epsilon_simple(mu=mu, r=r, delta=delta) / factor

    def chain():
        longer = bounds.selection_epsilon(mu=mu, r=r, delta=delta)
        return "" if promised >= longer * (1 - 1e-15) else "Lemma K.1 promises more"

    setting = {"mu": mu, "r": r, "delta": delta}
    return decide_account(setting, promised, mu, r, delta, chain=chain, note="at most twice Lemma K.1")


LARGE_DELTA = {"epsilon": 1.0, "r": 1e-3, "delta": 1e-3}


# Theorem K.3 --------------------------------------------------------------------------------------------------------


@exact_claim(
    bounds.tuning_budget,
    quick=({"epsilon": 1.0, "r": 1 / 495, "delta": 1e-5}, {"epsilon": 1.0, "r": 1e-3, "delta": 1e-3}),
    full=(
        {"epsilon": 24 * log(2 / 0.1) * (1 - 1e-12), "r": 0.5, "delta": 0.1},
        {"epsilon": 100.0, "r": 1 / 5394, "delta": 1e-5},
        {"epsilon": 1e-6, "r": 1e-9, "delta": 1e-12},
        {"epsilon": 3.0, "r": 0.999, "delta": 0.5},
    ),
    control=Control("a run's budget {} times as large (12: K charged once)", (3, 12), LARGE_DELTA),
    given=(
        "wzw25.corK.2/printed",
        "wzw25.rem2.3/printed/composition",
        "wzw25.thmK.3.s1/corrected",
        "wzw25.thmK.3.s2/printed",
        "wzw25.thmK.3.s3/printed",
    ),
    cost=0.14,
    note="with the noise of Algorithm 4's line 7 (variance 2 Delta^2/mu^2); K is not released, nor seen",
)
def theorem_k3_keeps_its_promise(*, epsilon, r, delta, factor=1):
    """Score-only runs that spend all of mu, at (epsilon + delta, delta)."""
    mu = bounds.tuning_budget(epsilon=epsilon, r=r, delta=delta) * factor

    def chain():
        if bounds.run_gdp(mu=mu) > mu * (1 + 1e-15):
            return "a run spends more than mu"
        told = bounds.epsilon_simple_at(mu, bounds.tail_at(r=r, delta=delta), delta)
        return "" if told <= (epsilon + delta) * (1 + 1e-12) else "Corollary K.2 asks for a larger epsilon"

    setting = {"epsilon": epsilon, "r": r, "delta": delta}
    return decide_account(setting, epsilon + delta, mu, r, delta, chain=chain, note=f"mu = {mu:.4g}")


def decide_score_release(statement, mu, sensitivity, factor, note):
    """Does the noise printed give the score's release (mu / sqrt 2)-GDP? Exact in rationals: squares are compared."""
    spent, allowed = statement(mu=mu, sensitivity=sensitivity) * factor, mu / sqrt(2)
    setting = {"mu": mu, "sensitivity": sensitivity}
    if spent > allowed * (1 + 1e-12):
        python = (
            "from bounds.wzw25.gaussian_privacy import gaussian_delta\n"
            f"spent, allowed = {spent!r}, {mu!r} / 2**0.5  # Delta / sigma, and what the proof says\n"
            "assert gaussian_delta(epsilon=0.0, mu=spent) > gaussian_delta(epsilon=0.0, mu=allowed)"
        )
        witness = {
            "setting": setting,
            "claimed": f"{allowed:.6g}-GDP",
            "found": f"{spent:.6g}-GDP, tightly",
            "a": "score 0",
            "b": f"score {sensitivity:.6g}",
            "event": "noisy score above the middle",
            "p_a": float(ndtr(spent / 2)),
            "p_b": float(ndtr(-spent / 2)),
            "point": setting,
            "lhs": [spent, spent],
            "rhs": [allowed, allowed],
            "python": python,
        }
        return refuted("derivation", witness, note=note)
    mus = np.geomspace(1e-3, 10, 25)
    spends = [statement(mu=m, sensitivity=sensitivity) for m in mus]
    series = {"mu": mus.tolist(), "bound": (mus / sqrt(2)).tolist(), "exact": spends}
    return holds("derivation", "everywhere", tightness=(spent / allowed, 1.0), note=note, series=series)


SCORES = (  # (mu, Delta): summed scores Delta = 1, averaged ones Delta = 1/n
    {"mu": bounds.tuning_budget(epsilon=1.0, r=1 / 79_992, delta=1e-5), "sensitivity": 0.01},
    {"mu": bounds.tuning_budget(epsilon=1.0, r=1 / 79_992, delta=1e-5), "sensitivity": 1.0},
)
WIDE = ({"mu": 2.0, "sensitivity": 1.0}, {"mu": 1e-6, "sensitivity": 1e-9}, {"mu": 30.0, "sensitivity": 7.0})


@exact_claim(
    bounds.score_gdp_as_printed,
    quick=SCORES,
    full=WIDE,
    severity="privacy",
    cost=0.001,
    note="read as a standard deviation the fraction has the wrong unit: it is enough exactly where mu <= sqrt(2) "
    "Delta, so never for averaged scores once n mu > sqrt 2; read as a variance it is right",
)
def proofs_sigma_is_too_small(*, mu, sensitivity, factor=1):
    """sigma = 2 Delta^2 / mu^2 at n = 100, epsilon = 1, both units of the score."""
    note = f"mu = {mu:.4g}, Delta = {sensitivity:.4g}"
    return decide_score_release(bounds.score_gdp_as_printed, mu, sensitivity, factor, note)


@exact_claim(
    bounds.score_gdp,
    quick=SCORES,
    full=WIDE,
    control=Control("standard deviation divided by {}", (1.001, 2)),
    given=("wzw25.rem2.3/printed/gaussian",),
    cost=0.001,
)
def line_sevens_variance_suffices(*, mu, sensitivity, factor=1):
    """sigma^2 = 2 Delta^2 / mu^2, both units."""
    return decide_score_release(bounds.score_gdp, mu, sensitivity, factor, "whatever the unit of the score")


@exact_claim(
    bounds.run_gdp,
    quick=({"mu": 0.028},),
    full=({"mu": 1e-9}, {"mu": 1.0}, {"mu": 9.0}),
    control=Control("the score's budget {} times as large", (1.01, 2)),
    given=("wzw25.rem2.3/printed/composition",),
    cost=0.1,
)
def two_halves_make_a_run(*, mu, factor=1):
    """Two Gaussians with shifts mu / sqrt 2 against the curve of mu, at seven orders, in balls."""
    setting = {"mu": mu}
    with ctx.workprec(PRECISION):
        half = exact(mu) / exact(2).sqrt()
        both = (half**2 + (half * exact(factor)) ** 2).sqrt()
        for u in (-3, -1, 0, 0.5, 1, 2, 4):
            epsilon = float(both) * (u + float(both) / 2)
            found, allowed = hockey_stick_of_two(epsilon, half, half * exact(factor)), closed_form(epsilon, mu)
            if found > allowed * exact(1 + 1e-9):
                sides = {"lhs": enclosure(found), "rhs": enclosure(allowed), "python": ""}
                told = {"claimed": f"{mu}-GDP", "found": f"{float(both):.6g}-GDP"}
                return refuted("certificate", {"setting": setting, "point": setting, **told, **sides})
            if not found.overlaps(closed_form(epsilon, both)):
                return inconclusive("FAILED", "the product of two Gaussian pairs is not a Gaussian pair")
    spent = bounds.run_gdp(mu=mu) / mu
    note = "exactly mu, although the score looks at the candidate"
    return holds("derivation", "everywhere", tightness=(spent, spent), note=note)


@exact_claim(
    bounds.budget_spent,
    quick=({"epsilon": 1.0, "t": 5.0},),
    full=({"epsilon": 300.0, "t": 5.0}, {"epsilon": 1e-9, "t": 0.1}),
    control=Control("epsilon / (6 t / {})", (1.01, 2)),
    cost=0.001,
)
def budget_inverts_the_corollary(*, epsilon, t, factor=1):
    """In rationals: 6 mu t = epsilon, and mu = 2 t exactly at epsilon = 12 t^2."""
    e, x = Fraction(epsilon), Fraction(t)
    mu = bounds.budget_at(e, x) * Fraction(factor)
    edge = bounds.budget_at(12 * x * x, x) * Fraction(factor)
    if bounds.epsilon_simple_at(mu, x, 0) == e and edge == 2 * x:
        return holds("derivation", "everywhere", tightness=(1.0, 1.0))
    point = {"epsilon": epsilon, "t": t}
    found = float(bounds.epsilon_simple_at(mu, x, 0))
    witness = {"setting": point, "claimed": epsilon, "found": found, "point": point}
    return refuted("enumeration", witness | {"lhs": [found] * 2, "rhs": [epsilon] * 2, "python": ""})


# Our code under attack ----------------------------------------------------------------------------------------------


def level(*, epsilon, delta, calibration="printed", **_):
    """The mu whose total variation is the largest that the promised guarantee allows."""
    told = epsilon + (delta if calibration == "printed" else 0.0)
    return 2 * float(ndtri((1 + delta + (1 - delta) * tanh(told / 2)) / 2))


ONCE = "a run's budget {} times what K allows (about 20: K charged once)"
ATTACKED = dict(attack="gdp", bound=level, chunk=lambda **_: 1000, cap=6)


@attack_claim(
    bounds.tuning_budget,
    law="private_selection",
    quick=grid(epsilon=[1.0], delta=[0.01], r=[1e-6], calibration=["printed", "sharp"]),
    full=grid(epsilon=[1.0], delta=[0.05], r=[1e-9], calibration=["sharp"]),
    control=Control(ONCE, (20,)),
    cost=2e-6,
    note="exact likelihood ratio of the index; two candidates whose scores change places",
    **ATTACKED | {"chunk": lambda **_: 5000},
)
def selected_index(*, factor=1, calibration, **setting):
    """Scores (0, 1) and (1, 0), kappa = 1, E K = 10^6: the selection layer alone."""
    known = dict(sensitivity=1.0, calibration=calibration, **setting)
    pair = (private_tuning.selection_law(scores, **known) for scores in ([0.0, 1.0], [1.0, 0.0]))
    return tuple(replace(law, sigma=law.sigma / factor) for law in pair)


class Silent:
    """A candidate that releases nothing about the data."""

    privacy = None

    def sample(self, rng, size=1):
        return np.zeros((size, 1))


class Reused(PrivateTuningLaw):
    """Algorithm 4 sabotaged: one noise for the scores of all runs."""

    def noise(self, rng, count):
        return np.full(count, rng.normal(scale=self.sigma))


@attack_claim(
    bounds.tuning_budget,
    law="private_tuning_index",
    quick=({"epsilon": 1.0, "delta": 0.05, "r": 0.01},),
    control=Control("the noise of one score reused for all runs", (2,)),
    cost=7e-5,
    note="runs are drawn one by one; candidates release nothing, so the index tells all there is",
    **ATTACKED,
)
def index_of_known_scores(*, factor=1, **setting):
    """The same scores, run by run; with one noise for all scores the better candidate wins whenever it is drawn."""

    def law(scores):
        made = private_tuning.law(
            lambda _: [Silent(), Silent()],
            score=lambda j, released: np.full(len(released), scores[j]),
            sensitivity=1.0,
            **setting,
        )
        return Reused(**vars(made)) if factor != 1 else made

    return law((0.0, 1.0)), law((1.0, 0.0))


def shifted(centre, scores, factor, **setting):
    """Algorithm 4 with two candidates that release N(centre, sigma^2) and are scored by a statistic of the data."""

    def base(mu):
        one = gaussian.law([centre], sensitivity=1.0, sigma=1 / mu)
        return [replace(one, sigma=one.sigma / factor)] * 2

    def score(j, released):
        return np.full(len(released), scores[j])

    made = private_tuning.law(base, score=score, sensitivity=1.0, **setting)
    return replace(made, sigma=made.sigma / factor)


@attack_claim(
    bounds.tuning_budget,
    law="private_tuning",
    quick=({"epsilon": 1.0, "delta": 0.05, "r": 0.01, "calibration": "printed"},),
    full=({"epsilon": 1.0, "delta": 0.05, "r": 0.01, "calibration": "sharp"},),
    control=Control(ONCE, (25,)),
    cost=8e-5,
    note="index and output, logistic regression; releases move by their sensitivity, scores by theirs",
    **ATTACKED,
)
def index_and_output(*, factor=1, **setting):
    """Scores (0, 1) and (1, 0), and both releases move by one: the winner's output and index are seen."""
    return shifted(0.0, (0.0, 1.0), factor, **setting), shifted(1.0, (1.0, 0.0), factor, **setting)


@dataclass(frozen=True)
class OneRun:
    """One run of Algorithm 4, seen completely: candidate, release and noisy score; with its exact density."""

    tuning: PrivateTuningLaw = field(repr=False)

    def sample(self, rng, size=1):
        drawn, noisy, released = self.tuning.run_alone(rng, size)
        return {"index": drawn, "release": released, "score": noisy}

    def log_density(self, releases):
        total = np.zeros(len(releases["index"]))
        for j, candidate in enumerate(self.tuning.base):
            here = releases["index"] == j
            released = releases["release"][here]
            clean = self.tuning.score(j, released)
            standard = (releases["score"][here] - clean) / self.tuning.sigma
            total[here] = candidate.log_density(released) - standard**2 / 2 - log(self.tuning.sigma)
        return total


@attack_claim(
    bounds.run_gdp,
    law="private_tuning_run",
    attack="gdp",
    bound=lambda *, mu: mu,
    quick=({"mu": 1.0},),
    full=({"mu": 0.5}, {"mu": 3.0}),
    control=Control("noise of release and score {} times too small", (1.2, 1.5)),
    chunk=lambda **_: 10_000,
    cap=10,
    cost=1e-6,
    note="white box: candidate, release and noisy score of one run, exact likelihood ratio, kappa = 1",
)
def one_run(*, mu, factor=1):
    """What the best of K is taken over: one run spends all of mu."""
    r, delta = 0.5, 0.01
    epsilon = mu * 6 * bounds.tail_at(r=r, delta=delta)
    known = dict(epsilon=epsilon, delta=delta, r=r)
    return OneRun(shifted(0.0, (0.0, 0.0), factor, **known)), OneRun(shifted(1.0, (1.0, 1.0), factor, **known))


@attack_claim(
    bounds.tuning_budget,
    law="adaptive_margin_tuned",
    quick=({"epsilon": 1.0, "delta": 0.05},),
    control=Control(ONCE, (40,)),
    cost=2e-4,
    note="Algorithm 6 on three records, one label flipped; index and weights, logistic regression",
    **ATTACKED | {"chunk": lambda **_: 500, "cap": 3},
)
def margin_and_weights(*, factor=1, **setting):
    """E K = 24 runs a tuning, 4 steps each."""
    X, y = np.ones((3, 1)), np.array([1.0, 1.0, -1.0])  # the flip changes the majority

    def law(labels):
        made = private_tuning.margin_law(X, labels, **setting, steps=4)
        tuning = made.tuning
        base = tuple(replace(run, sigma=run.sigma / factor) for run in tuning.base)
        return replace(made, tuning=replace(tuning, base=base, sigma=tuning.sigma / factor))

    return law(y), law(y * [-1, 1, 1])


if __name__ == "__main__":
    from experiments.engine.run import script

    script(__spec__.name)
