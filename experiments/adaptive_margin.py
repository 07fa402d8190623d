"""Adapting to the margin, privately: the privacy statements about Algorithms 1, 2 and 3 of Wang, Zhu & Wang (2025)."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import sqrt

import numpy as np
from flint import ctx
from scipy.stats import norm

from bounds import adaptive_margin as numbers
from bounds import adaptive_privacy as bounds
from bounds.certify import enclosure, exact
from bounds.gdp import gaussian_quantile_scale
from bounds.gdp_balls import closed_form
from bounds.hinge_gradient import replacement_sensitivity
from experiments.claim import Sabotage, exact_claim, grid, holds, inconclusive, refuted
from experiments.gdp_conversion import PRECISION, Conversion, decide_conversion, python_at
from experiments.noisy_gd import privacy_witness
from mechanisms import adaptive_margin, jl, jl_gd, noisy_gd

ROUNDING = 1 + Fraction(1, 2**40)
COMPOSITION, GAUSSIAN = "wzw25.rem2.3/printed/composition", "wzw25.rem2.3/printed/gaussian"
REPLACEMENT, SPLIT = "wzw25.lemA.10/printed/replacement", "wzw25.lemE.3/printed/iter"
SCORES, RUN = "wzw25.eq3/printed/sensitivity", "wzw25.lem6.3/printed/privacy"


# Sensitivity: the code against the closed form ----------------------------------------------------------------------


def neighbours(rng, n, d, radius):
    """Two random datasets that differ in one record; norms up to and beyond the radius, opposite records among them."""
    X = rng.normal(size=(n, d)) * radius * rng.choice([0.1, 1.0, 10.0], size=(n, 1))
    y = rng.choice([-1.0, 1.0], size=n)
    X2, y2 = X.copy(), y.copy()
    if rng.random() < 0.5:
        y2[0] = -y[0]
    else:
        X2[0] = rng.normal(size=d) * radius
    return (X, y), (X2, y2)


def searched(rng, projections, radius, pairs=12, n=4, d=9, clip=1.0):
    """The largest change of a run's gradient and of its errors found, as shares of what the noise is made for.

    `clip`: how many times too long the clipped rows are (sabotage).
    """
    largest_gradient = largest_score = 0.0
    for _ in range(pairs):
        width = radius / 3 * 2.0 ** -rng.integers(0, 3)
        for phi in projections:
            a, b = (
                jl_gd.law(X, y, mu=1.0, width=width, projection=phi, radius=radius, steps=2).descent
                for X, y in neighbours(rng, n, d, radius)
            )
            W = rng.normal(size=(a.Z.shape[1], 40)) * 10.0 ** rng.uniform(-3, 1, size=40) / 3
            claimed = a.sigma / sqrt(a.steps)  # mu = 1
            change = np.linalg.norm(a.gradients(W) - b.gradients(W), axis=0).max() * clip
            largest_gradient = max(largest_gradient, change / claimed)
            errors = [(law.Z @ W < 0).sum(axis=0) for law in (a, b)]
            largest_score = max(largest_score, np.abs(errors[0] - errors[1]).max())
    return float(largest_gradient), float(largest_score)


def projections_for(rng, d=9):
    """Projections that stretch: 1 to 4 rows for 9 columns, so that some rows are clipped; and none."""
    return [None, *(jl.sign_projection(k, d, rng=rng) for k in (1, 2, 4))]


# Lemma 6.3: Algorithm 1 ---------------------------------------------------------------------------------------------


@exact_claim(
    bounds.projected_gdp,
    quick=({"n": 10, "steps": 25, "gamma": 0.5, "radius": 1.0},),
    full=grid(n=[1, 3, 1000], steps=[1, 10**6], gamma=[1e-3, 1.0], radius=[0.01, 1.0, 1000.0]),
    control=Sabotage("projected rows clipped at {} times 2 v", (1.05, 2)),
    given=(REPLACEMENT, COMPOSITION, GAUSSIAN, "wzw25.lemC.1/printed/privacy"),
    cost=0.1,
    note="Algorithm 1's input line prints Phi in R^{d x k}; line 2 needs k x d. Sensitivity is the gradient's, not L's",
)
def projected_descent_spends_mu(*, n, steps, gamma, radius, factor=1):
    """A record that Phi makes longer than 2 v is clipped there: opposite labels attain Delta, nothing exceeds it."""
    setting = {"n": n, "steps": steps, "gamma": gamma, "radius": radius}
    mu = bounds.projected_gdp(**setting)
    width = gamma / 3
    claimed = Fraction(replacement_sensitivity(radius=2 * radius, width=width))
    # Phi has one row of 9 signs; x = radius (1, ..., 1) / 3 has ||Phi x|| = 3 radius if all signs agree: clipped.
    length = min(Fraction(3), 2 * Fraction(factor)) * Fraction(radius)
    attained = 2 * length / Fraction(width)
    ours = Fraction(noisy_gd.noise_for(steps, float(claimed), mu))
    spent = max(Fraction(steps) * (attained / sigma) ** 2 for sigma in (n * claimed, ours))
    if spent > Fraction(mu) ** 2 * ROUNDING:
        return refuted("derivation", privacy_witness(setting, mu, sqrt(spent), ""))
    rng = np.random.default_rng(0)
    gradient, score = searched(rng, projections_for(rng), radius, clip=factor)
    if gradient > 1 + 1e-12 or score > 1:
        return inconclusive(
            "FAILED", f"the search found {gradient} times the sensitivity, and errors that change by {score}"
        )
    note = f"attained; a search over records, projections and weights reaches {gradient:.3f} of it"
    return holds(
        "derivation", "everywhere: any fixed Phi, gamma > 0, T = n^2 mu^2 whole", tightness=(1.0, 1.0), note=note
    )


# Lemma E.3: Algorithm 2 ---------------------------------------------------------------------------------------------


@exact_claim(
    bounds.iterated_gdp,
    quick=({"mu": 0.1, "candidates": 14},),
    full=grid(mu=[1e-6, 1.0, 10.0], candidates=[1, 2, 3, 1000]),
    control=Sabotage("each budget mu / (2 |Theta|)^(1/2) multiplied by {}", (1.01,)),
    given=(COMPOSITION, GAUSSIAN),
    cost=0.01,
    note="a noise of its own for every theta (line 5 stands in the loop); Algorithm 3's Theta = {phi} is meant empty",
)
def all_candidates_spend_mu(*, mu, candidates, factor=1):
    """The sum of the squared budgets in fractions: the printed ones, and the rounded ones that our laws use."""
    calls = 2 * candidates
    each = numbers.split_budget(mu, calls)
    sigma = numbers.score_noise(1.0, each)
    printed = calls * Fraction(1, calls)  # in units of mu^2
    ours = (candidates * Fraction(each) ** 2 + candidates / Fraction(sigma) ** 2) / Fraction(mu) ** 2
    if printed * Fraction(factor) ** 2 > 1:
        return refuted("derivation", privacy_witness({"mu": mu, "candidates": candidates}, mu, factor * mu, ""))
    if ours > 1 or bounds.iterated_gdp(mu=mu, candidates=candidates) > mu * (1 + 1e-12):
        return inconclusive("FAILED", "the budgets of our law spend more than mu")
    return holds(
        "derivation", "everywhere", tightness=(1.0, 1.0), note="the squares of 2 |Theta| budgets sum to mu^2 exactly"
    )


# The scores ---------------------------------------------------------------------------------------------------------

RECORDS = [(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 1.0)]


def score_changes(n, beta, k, averaged):
    """The set of |U(w; S) - U(w; S')| over all neighbours of n records in RECORDS and w in {-1, 0, 1}, as fractions.

    A classifier in R^k that looks at one coordinate; the penalty is part of the score.
    """
    changes = set()
    for S in itertools.product(RECORDS, repeat=n):
        for other, w in itertools.product(RECORDS, (-1.0, 0.0, 1.0)):
            scores = []
            for data in (S, (other, *S[1:])):
                errors = Fraction(sum(y * w * x < 0 for x, y in data))
                extra = Fraction(numbers.penalty(len(data), k, beta))
                scores.append((errors + extra) / (n if averaged else 1))
            changes.add(abs(scores[0] - scores[1]))
    return changes


def sensitivity_witness(setting, claimed, found, python):
    """The witness of a sensitivity that is not what is claimed."""
    return {
        "setting": setting,
        "claimed": float(claimed),
        "found": float(found),
        "object": "all neighbouring datasets of records x in {-1, 0, 1}, classifiers w in {-1, 0, 1}",
        "property": "largest change of the score",
        "value": float(found),
        "python": python,
    }


def counted(setting, claimed, changes, scope, note, python=""):
    """Compare the printed sensitivity with the largest change enumerated."""
    largest = max(changes)
    if largest != claimed:
        return refuted("enumeration", sensitivity_witness(setting, claimed, largest, python))
    return holds("enumeration", scope, tightness=(1.0, 1.0), note=note)


@exact_claim(
    bounds.penalised_sensitivity,
    quick=({"n": 2, "k": 3, "beta": 0.25},),
    full=grid(n=[1, 3], k=[1, 50], beta=[0.01, 0.9]),
    control=Sabotage("a sensitivity {} times smaller", (1.01,)),
    cost=0.05,
    note="the penalty is the same for neighbours: n is public, beta and k are parameters; log(beta/4) is negative",
)
def penalised_errors_change_by_one(*, n, k, beta, factor=1):
    """All neighbours of n records, all classifiers that tell them apart; a record is right or wrong, whatever n is."""
    claimed = Fraction(bounds.penalised_sensitivity(n=n, k=k, beta=beta)) / Fraction(factor)
    setting = {"n": n, "k": k, "beta": beta}
    return counted(setting, claimed, score_changes(n, beta, k, averaged=False), "everywhere", "a sum over records")


AVERAGED = """errors = lambda w, S: sum(y * w * x < 0 for x, y in S) / len(S)
from bounds.adaptive_privacy import averaged_sensitivity
pairs = [([(1, y)] + [(1, 1)] * {rest}, [(1, -y)] + [(1, 1)] * {rest}) for y in (-1, 1)]
assert max(abs(errors(1, S) - errors(1, T)) for S, T in pairs) < averaged_sensitivity(n={n})"""


@exact_claim(
    bounds.averaged_sensitivity,
    quick=({"n": 2},),
    full=({"n": 3},),
    severity="constant",
    corrected_by="wzw25.thm6.7.sensitivity/corrected",
    cost=0.05,
    note="as an upper bound it is true, so privacy stands, with n times the noise needed; Eq. 18 counts noise / n",
)
def averaged_errors_do_not_change_by_one(*, n, factor=1):
    """The same enumeration, averaged: the largest change is 1/n."""
    python = AVERAGED.format(n=n, rest=n - 1)
    changes = score_changes(n, 0.25, 3, averaged=True)
    return counted(
        {"n": n}, Fraction(bounds.averaged_sensitivity(n=n)) / Fraction(factor), changes, "settings", "", python
    )


@exact_claim(
    bounds.averaged_sensitivity_corrected,
    quick=({"n": 2},),
    full=({"n": 1}, {"n": 3}),
    control=Sabotage("a sensitivity {} times smaller", (1.01,)),
    cost=0.05,
)
def averaged_errors_change_by_one_nth(*, n, factor=1):
    """The same enumeration, averaged; a record is right or wrong, whatever n is."""
    claimed = Fraction(1, n) / Fraction(factor)
    if abs(bounds.averaged_sensitivity_corrected(n=n) - 1 / n) > 1e-15:
        return inconclusive("FAILED", "the bound is not 1/n")
    return counted({"n": n}, claimed, score_changes(n, 0.25, 3, averaged=True), "everywhere", "a mean over records")


# Algorithm 3 ---------------------------------------------------------------------------------------------------------


def spent_by_law(epsilon, delta, n, radius, score):
    """The squares of all budgets that our law with the printed calibration spends, over mu^2, in fractions."""
    X, y = np.full((n, 2), radius / 2), np.ones(n)
    known = dict(
        radius=radius, score=score, calibration="printed", steps=3, projections=[None] * len(numbers.margin_grid(n))
    )
    law = adaptive_margin.law(X, y, epsilon, delta, **known)
    runs = [c.descent for c in law.candidates]
    needed = [Fraction(replacement_sensitivity(radius=radius, width=run.width)) for run in runs]
    squares = [run.steps * (Delta / Fraction(run.sigma)) ** 2 for run, Delta in zip(runs, needed, strict=True)]
    return (sum(squares) + len(runs) / Fraction(law.sigma) ** 2) / Fraction(law.gdp.mu) ** 2


def decide_privacy(statement, epsilon, delta, n, radius, score, factor):
    """The chain of `bounds.empirical_privacy`: what our law spends, a sensitivity search, and the curve everywhere."""
    setting = {"epsilon": epsilon, "delta": delta, "n": n, "radius": radius}
    spent = spent_by_law(epsilon, delta, n, radius, score)
    rng = np.random.default_rng(n)
    gradient, change = searched(rng, projections_for(rng), radius, pairs=4)
    if spent > ROUNDING or gradient > 1 + 1e-12 or change > 1:
        return inconclusive(
            "FAILED", f"our law spends {float(spent)} mu^2; sensitivities {gradient}, {change} of those claimed"
        )
    # All noise is `factor` times too small: the budget is mu = factor epsilon / (2 t), up to epsilon = 4 t^2.
    rule = Conversion.of(lambda m, t: 2 * m * t / Fraction(factor), slope=Fraction(2) * Fraction(factor))
    mu = factor * numbers.printed_budget(epsilon, delta)
    return decide_conversion(rule, setting, epsilon, mu, delta, python_at(epsilon, mu, delta))


CORNERS = (
    *grid(epsilon=[1e-6, 8.0, 92.1], delta=[1e-5], n=[1, 5], radius=[1.0]),
    *grid(epsilon=[1.0], delta=[1e-300, 0.5], n=[2], radius=[1.0]),
    *grid(epsilon=[7.9e-12], delta=[1 - 1e-12], n=[2], radius=[1.0]),
)
PRIVATE = dict(
    quick=({"epsilon": 1.0, "delta": 1e-5, "n": 5, "radius": 1.0},),
    full=CORNERS,
    control=Sabotage("all noise {} times too small", (1.1, 2)),
    cost=0.15,
)
LINKS = (RUN, SPLIT, "wzw25.lemE.3/printed")
WHOLE = "T = n^2 mu_c^2 is hardly ever whole; sigma = Delta sqrt(T) / mu_c must be computed from the T that is run"


@exact_claim(bounds.empirical_privacy, given=LINKS, note=WHOLE, **PRIVATE)
def empirical_score_is_private(*, epsilon, delta, n, radius, factor=1):
    """Theorem 6.5: the score counts errors."""
    return decide_privacy(bounds.empirical_privacy, epsilon, delta, n, radius, "empirical", factor)


@exact_claim(bounds.penalised_privacy, given=(*LINKS, SCORES), note="Eq. 6.6 is meant to be Equation 3", **PRIVATE)
def penalised_score_is_private(*, epsilon, delta, n, radius, factor=1):
    """Theorem 6.7: the score is Equation 3."""
    return decide_privacy(bounds.penalised_privacy, epsilon, delta, n, radius, "penalised", factor)


@exact_claim(
    bounds.main_privacy,
    given=("wzw25.thm6.5/printed/privacy", "wzw25.thm6.7/printed/privacy"),
    note="Definition 2.1 prints epsilon in (0, 1); the theorem means its inequality for epsilon up to 8 log(1/delta)",
    **PRIVATE,
)
def adaptive_margin_is_private(*, epsilon, delta, n, radius, factor=1):
    """Theorem 4.1: both scores."""
    return decide_privacy(bounds.main_privacy, epsilon, delta, n, radius, "empirical", factor)


# Theorems L.1 and L.2: no range is printed ----------------------------------------------------------------------------

ROWS = 10**6  # k of the projection: the constant of its O(.) and beta are free
BEYOND = """from math import exp
from bounds.adaptive_margin import unlimited_budget
from bounds.adaptive_privacy import single_record_gap
from bounds.gdp import gaussian_delta
epsilon, delta = {epsilon!r}, {delta!r}
apart, log_chance = single_record_gap(unlimited_budget(epsilon, delta), rows={rows})
wrong = (1 + exp(epsilon)) * exp(log_chance)   # the linear range is left
assert gaussian_delta(epsilon=epsilon, mu=apart) - wrong > delta"""


def beyond_the_range(bound, epsilon, delta, radius, factor):
    """One record, the last iterate of the only run: its hockey-stick divergence from below, in balls, against delta."""
    mu = factor * numbers.unlimited_budget(epsilon, delta)
    apart, log_chance = bounds.single_record_gap(mu, ROWS)
    with ctx.workprec(PRECISION):
        given_away = closed_form(epsilon, apart) - (1 + exact(epsilon).exp()) * exact(log_chance).exp()
        beyond = bool(given_away > exact(delta))
    if not beyond:
        return inconclusive(
            "ONE_SIDED_ORACLE", "this pair gives away less than delta; Theorem 6.5's range is the other row"
        )
    middle = epsilon / apart - apart / 2  # the event is s above it, in the units of the derivation
    witness = {
        "setting": {"epsilon": epsilon, "delta": delta, "radius": radius},
        "claimed": delta,
        "found": enclosure(given_away),
        "a": "one record (x, +1) with ||Phi x|| >= 2 b, d >= 4 k, k = 10^6",
        "b": "(x, -1)",
        "event": f"<w, Phi x> of the last iterate above {middle:.4g} standard deviations from the mean under a",
        "p_a": float(norm.sf(middle)),
        "p_b": float(norm.sf(middle + apart)),
        "python": BEYOND.format(epsilon=epsilon, delta=delta, rows=ROWS),
    }
    epsilons = np.linspace(1, 1.5 * epsilon, 40)
    t = gaussian_quantile_scale(delta)
    given = [bound(epsilon=float(e), delta=delta, radius=radius) for e in epsilons]
    apart_at = [float(closed_form(e, e / (2 * t) / sqrt(2))) for e in epsilons]
    series = {"epsilon": epsilons.tolist(), "all of M*": given, "its release": apart_at, "delta": [delta] * len(given)}
    return refuted("certificate", witness, series=series)


OUTSIDE = dict(
    quick=({"epsilon": 30.0, "delta": 0.5, "radius": 1.0},),
    full=({"epsilon": 260.0, "delta": 1e-5, "radius": 1000.0},),
    severity="cosmetic",
    cost=0.1,
    note=(
        "no range is printed for epsilon; true for epsilon < 8 log(1/delta), the range of Theorem 6.5, which is surely "
        "meant; false at epsilon = 30 for delta = 1/2 and at 260 for delta = 1e-5, where that range ends at 5.5 and 92"
    ),
)


@exact_claim(bounds.ball_privacy, corrected_by="wzw25.thmL.1/corrected/privacy", **OUTSIDE)
def any_epsilon_is_not_private(*, epsilon, delta, radius, factor=1):
    """Theorem L.1 beyond epsilon = 8 log(1/delta)."""
    return beyond_the_range(bounds.ball_privacy, epsilon, delta, radius, factor)


@exact_claim(bounds.ball_population_privacy, corrected_by="wzw25.thmL.2/corrected/privacy", **OUTSIDE)
def any_epsilon_is_not_private_either(*, epsilon, delta, radius, factor=1):
    """Theorem L.2 beyond epsilon = 8 log(1/delta)."""
    return beyond_the_range(bounds.ball_population_privacy, epsilon, delta, radius, factor)


BALL = PRIVATE | {
    "quick": ({"epsilon": 1.0, "delta": 1e-5, "n": 5, "radius": 1000.0},),
    "full": grid(epsilon=[1e-6, 92.1], delta=[1e-5], n=[1, 5], radius=[0.001, 1000.0]),
}


@exact_claim(bounds.ball_privacy_in_range, given=LINKS, note=WHOLE, **BALL)
def balls_of_any_radius_are_private(*, epsilon, delta, n, radius, factor=1):
    """Theorem L.1 up to epsilon = 8 log(1/delta)."""
    return decide_privacy(bounds.ball_privacy_in_range, epsilon, delta, n, radius, "empirical", factor)


@exact_claim(bounds.ball_population_privacy_in_range, given=(*LINKS, SCORES), note=WHOLE, **BALL)
def balls_of_any_radius_are_private_too(*, epsilon, delta, n, radius, factor=1):
    """Theorem L.2 up to epsilon = 8 log(1/delta), with the penalised score as well."""
    return decide_privacy(bounds.ball_population_privacy_in_range, epsilon, delta, n, radius, "penalised", factor)


if __name__ == "__main__":
    from experiments.run import script

    script("adaptive_margin")
