"""Our Algorithms 1, 2 and 3 under attack, seen completely and as users see them.

Neighbours differ in the label of one record. White boxes are judged by their exact likelihood ratio, releases by a
trained attacker. All claims are mu-GDP with the printed calibration at delta = 1e-5, so epsilon = 2 sqrt(2 log 1e5) mu.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import log, pi, sqrt

import numpy as np

from bounds import adaptive_privacy as bounds
from experiments.adaptive_margin import WHOLE
from experiments.claim import Sabotage, attack_claim
from experiments.data import load
from mechanisms import adaptive_margin, jl, jl_gd
from mechanisms.adaptive_margin import WhiteBoxLaw

DELTA = 1e-5
PER_MU = 2 * sqrt(2 * log(1 / DELTA))


def records(n, d):
    """n records along the first axis, labels in turn: sums of gradients cancel, so weights stay in the linear range."""
    X = np.zeros((n, d))
    X[:, 0] = 1.0
    return X, np.where(np.arange(n) % 2, -1.0, 1.0)


def flipped(build, X, y):
    """Two laws on datasets that differ in the label of record 0."""
    other = y.copy()
    other[0] = -other[0]
    return build(X, y), build(X, other)


def weaker(law, factor):
    """The same Algorithm 3 with all noise `factor` times too small; a white box knows its density all the same."""
    runs = tuple(replace(run, descent=replace(run.descent, sigma=run.descent.sigma / factor)) for run in law.candidates)
    return replace(law, candidates=runs, sigma=law.sigma / factor)


def adaptive_pair(build, X, y, factor):
    """Neighbouring laws with weakened noise."""
    return tuple(weaker(law, factor) for law in flipped(build, X, y))


def printed(mu, **parameters):
    """X, y -> Algorithm 3 with budget mu, printed calibration and steps."""
    known = dict(epsilon=mu * PER_MU, delta=DELTA, calibration="printed", steps="printed")
    return partial(adaptive_margin.law, **known, **parameters)


GDP = dict(attack="gdp", chunk=lambda **setting: 2000, cap=10)
LONG = GDP | {"chunk": lambda **setting: 20_000}  # for white boxes of few steps: a million releases a second


# Algorithm 1 --------------------------------------------------------------------------------------------------------


def stretched(seed, k, d):
    """A sign projection, and the unit record that it makes longest: sqrt(d / k) > 2 at least."""
    phi = jl.sign_projection(k, d, rng=np.random.default_rng(seed))
    u = np.linalg.svd(phi.apply(np.eye(d)).T, full_matrices=False)[0][:, 0]
    x = phi.transpose(u)
    return phi, x / np.linalg.norm(x)


def projected_pair(n, steps, output, clip=1.0):
    """Record 0 is longer than 2 v after the projection; `clip`: clipped so many times too late."""
    phi, canary = stretched(seed=0, k=2, d=64)
    X = np.vstack([canary, np.eye(64)[: n - 1]])
    known = dict(mu=sqrt(steps) / n, width=50.0, projection=phi, steps=steps, output=output, radius=clip)

    def build(X, y):
        law = jl_gd.law(X * clip, y, **known)  # clipped at 2 clip, with noise for that; then the noise of 2
        return law.descent if clip == 1 else replace(law.descent, sigma=law.descent.sigma / clip)

    return flipped(build, X, np.ones(n))


CLIPPED = dict(
    quick=({"n": 4, "steps": 9},),
    full=({"n": 1, "steps": 1}, {"n": 3, "steps": 16}),
    bound=lambda *, n, steps, **_: sqrt(steps) / n,
    control=Sabotage("rows clipped at {} times 2 v", (1.5, 2)),
    **GDP,
)


@attack_claim(
    bounds.projected_gdp,
    law="jl_gd_iterates",
    cost=2e-6,
    note="white box, exact likelihood ratio, kappa = 1: a record that Phi stretches fivefold, clipped at 2 v",
    **CLIPPED | LONG,
)
def stretched_record_iterates(*, n, steps, factor=1):
    """All iterates in R^k."""
    return projected_pair(n, steps, "iterates", clip=factor)


@attack_claim(
    bounds.projected_gdp,
    law="jl_gd_last",
    cost=2e-5,
    note="the last iterate, logistic regression; in the linear range it reveals all of mu",
    **CLIPPED,
)
def stretched_record_last(*, n, steps, factor=1):
    """The last iterate in R^k, which tells as much as its lift to R^d."""
    return projected_pair(n, steps, "last", clip=factor)


# Algorithm 2: composition, and noise that is shared -------------------------------------------------------------------


@attack_claim(
    bounds.iterated_gdp,
    law="adaptive_margin_white_box",
    quick=({"n": 2, "d": 2, "mu": 1.0},),
    full=({"n": 1, "d": 1, "mu": 1.0}, {"n": 4, "d": 12, "mu": 1.0}, {"n": 3, "d": 5, "mu": 2.0}),
    bound=lambda *, mu, **_: mu,
    control=Sabotage("all noise {} times too small", (1.1, 1.2)),
    cost=2e-6,
    note="all iterates of all runs, all scores; kappa = 1 at n = 2: one step a run, all records active, a score each",
    **LONG,
)
def everything_is_seen(*, n, d, mu, factor=1):
    """The composition of 2 |Gamma| mechanisms is tight."""
    return adaptive_pair(printed(mu, output="last", white_box=True), *records(n, d), factor)


@attack_claim(
    bounds.iterated_gdp,
    law="adaptive_margin_split",
    quick=({"n": 5, "d": 2, "mu": 1.0},),
    bound=lambda *, mu, **_: mu,
    control=Sabotage("budgets split over one candidate instead of {}", (4,)),
    cost=1e-5,
    note="budget split over the candidates: |Gamma| = 4 at n = 5",
    **GDP,
)
def budget_is_split(*, n, d, mu, factor=1):
    """`factor` candidates as if each had the whole budget: sqrt(factor) times too little noise."""
    return adaptive_pair(printed(mu, output="last", white_box=True), *records(n, d), sqrt(factor))


@dataclass(frozen=True)
class SharedNoise(WhiteBoxLaw):
    """Sabotage: of the scores' noise only the share 1 / `factor` is each one's own."""

    factor: float = 1.0

    def sample(self, rng, size=1):
        """As the honest law, but for the noise."""
        seen = {f"iterates{j}": c.descent.sample(rng, size) for j, c in enumerate(self.candidates)}
        own = rng.normal(size=(size, len(self.margins))) / self.factor
        common = rng.normal(size=(size, 1)) * sqrt(1 - 1 / self.factor**2)
        return seen | {"scores": self.means(seen) + self.sigma * (own + common)}

    def log_density(self, releases):
        """Gaussian steps; scores with covariance sigma^2 (I / factor^2 + (1 - 1 / factor^2) 1 1')."""
        m, own = len(self.margins), 1 / self.factor**2
        covariance = self.sigma**2 * (own * np.eye(m) + (1 - own))
        off = releases["scores"] - self.means(releases)
        scores = -(off * np.linalg.solve(covariance, off.T).T).sum(axis=1) / 2
        scores -= m / 2 * log(2 * pi) + np.linalg.slogdet(covariance)[1] / 2
        steps = [c.descent.log_density(releases[f"iterates{j}"]) for j, c in enumerate(self.candidates)]
        return scores + sum(steps)


@attack_claim(
    bounds.iterated_gdp,
    law="adaptive_margin_own_noise",
    quick=({"n": 5, "d": 2, "mu": 1.0},),
    bound=lambda *, mu, **_: mu,
    control=Sabotage("scores whose noise is common but for a share of 1/{}", (3, 10)),
    cost=1e-5,
    note="each score needs noise of its own: candidates that disagree about the record give it away in a difference",
    **GDP,
)
def every_score_has_noise(*, n, d, mu, factor=1):
    """The white box again; sabotaged, its scores share their noise."""
    pair = flipped(printed(mu, output="last", white_box=True), *records(n, d))
    return tuple(SharedNoise(**vars(law), factor=factor) for law in pair)


# Algorithm 3, as users see it -----------------------------------------------------------------------------------------

SEEN = dict(
    full=({"n": 2, "d": 2, "mu": 1.0}, {"n": 5, "d": 2, "mu": 1.0}),
    bound=lambda *, mu, **_: mu,
    control=Sabotage("all noise {} times too small", (2, 3, 4)),
    **GDP,
)


@attack_claim(
    bounds.empirical_privacy,
    law="adaptive_margin",
    quick=({"n": 1, "d": 2, "mu": 1.0},),
    cost=2e-5,
    note="weights, index and margin as released, last iterate, logistic regression; kappa = 1/sqrt(2) at n = 1: scores "
    f"stay hidden. {WHOLE}",
    **SEEN,
)
def empirical_release(*, n, d, mu, factor=1):
    """What a user sees."""
    return adaptive_pair(printed(mu, output="last"), *records(n, d), factor)


@attack_claim(
    bounds.penalised_privacy,
    law="adaptive_margin_penalised",
    quick=({"n": 2, "d": 2, "mu": 1.0},),
    cost=2e-6,
    **SEEN | LONG | {"full": (), "control": Sabotage("all noise {} times too small", (1.2, 1.5))},
    note="white box with projections of 1 and 2 rows for 2 columns, so the penalties differ",
)
def penalised_white_box(*, n, d, mu, factor=1):
    """Everything is seen; scores carry penalties, one run is projected."""
    projections = [None, jl.sign_projection(1, d, rng=np.random.default_rng(0))]
    build = printed(mu, output="last", score="penalised", projections=projections, white_box=True)
    return adaptive_pair(build, *records(n, d), factor)


@attack_claim(
    bounds.main_privacy,
    law="adaptive_margin_average",
    quick=({"n": 4, "d": 2, "mu": 2.0},),
    full=({"n": 12, "d": 2, "mu": 2.0},),
    bound=lambda *, mu, **_: mu,
    control=Sabotage("all noise {} times too small", (4, 8)),
    cost=2e-5,
    note="the released average, logistic regression on weights, index and margin; the selection hides the scores",
    **GDP,
)
def averaged_release(*, n, d, mu, factor=1):
    """What a user of the averaged iterate sees, both of weights and of the choice."""
    return adaptive_pair(printed(mu, output="average"), *records(n, d), factor)


@attack_claim(
    bounds.ball_privacy_in_range,
    law="adaptive_margin_ball",
    quick=({"n": 2, "d": 2, "mu": 1.0, "radius": 1000.0},),
    full=({"n": 2, "d": 2, "mu": 1.0, "radius": 0.001},),
    bound=lambda *, mu, **_: mu,
    control=Sabotage("records {} times longer than the noise is made for", (1.5, 2)),
    cost=2e-6,
    note="white box; records of norm b, noise for b",
    **LONG,
)
def ball_white_box(*, n, d, mu, radius, factor=1):
    """Records of norm b; sabotaged, the gradients' noise is that of shorter ones (the scores are as they should be)."""
    X, y = records(n, d)
    pair = flipped(printed(mu, output="last", white_box=True, radius=radius), X * radius, y)

    def shorter(run):
        return replace(run, descent=replace(run.descent, sigma=run.descent.sigma / factor))

    return tuple(replace(law, candidates=tuple(map(shorter, law.candidates))) for law in pair)


@attack_claim(
    bounds.main_privacy,
    law="adaptive_margin_randhie",
    quick=({"n": 10, "mu": 1.0},),
    full=({"n": 30, "mu": 1.0},),
    bound=lambda *, mu, **_: mu,
    control=Sabotage("all noise {} times too small", (1.5, 2)),
    cost=2e-5,
    note="white box on people of the RAND health-insurance experiment; one person's outcome is flipped",
    **GDP,
)
def real_records(*, n, mu, factor=1):
    """The n records of largest norm; a record is active under one label at least, so kappa >= 0.79."""
    X, y = load("randhie")
    chosen = np.argsort(-np.linalg.norm(X, axis=1), kind="stable")[:n]
    build = printed(mu, output="last", white_box=True)
    return adaptive_pair(build, X[chosen], y[chosen], factor)


if __name__ == "__main__":
    from experiments.run import script

    script("adaptive_margin_attacks")
