"""The proof of Theorem 6.1 of bms22, step by step: the cover, the loss it keeps, its size, the selection.

Classes are small and finite, with values at +-rho/2, +-rho and +-2 rho; every smallest cover is tried.
"""

from fractions import Fraction
from itertools import product
from math import exp, inf, log, nextafter

import numpy as np

from lemmata.bounds.bms22 import label_privacy as bounds, pure_learner
from lemmata.bounds.bms22.exponential_mechanism import two_level_failure
from lemmata.bounds.bms22.margin_deviation import BARTLETT, log_cover, square_of_sum
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import at_least, require
from lemmata.experiments.checks import Control, Link, Step, grid, inequality_claim, run_script, withheld
from lemmata.experiments.instances.classes import label_classes as small

# From the cover to its loss -------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.small_sample,
    control=Control("64 multiplied by {}", (1.1, 2)),
    scope="everywhere: d <= m",
    note="the last term alone is at least 1. For d > 92.4 m the threshold is negative and the step is vacuous",
)
def last_term_is_one(*, factor=1):
    """Just below the threshold 64 M log(2/beta)/epsilon the bound is at least 1."""
    for point in grid(m=[10, 10**4, 10**12], d=[1, 5], beta=[1e-6, 0.5, 0.99]):
        epsilon = factor * bounds.small_sample(epsilon=1.0, **point) / point["m"] * (1 - 1e-9)
        yield point | {"epsilon": epsilon}, 1, bounds.label_bound(epsilon=epsilon, margin_loss=0.0, **point)


def nearest(closed, truncated):
    """(class, largest distance of a function from its nearest member of a smallest cover) for small classes."""
    for points in (1, 2):
        for values in small.small_classes(points, 5, 60):
            clipped = small.truncate(values)
            target = clipped if truncated else values
            for cover in small.smallest_covers(values, closed):
                apart = np.abs(target[:, None] - clipped[list(cover)]).max(axis=2).min(axis=1)
                yield {"class": values, "rho": small.RHO, "cover": cover}, int(apart.max())


@inequality_claim(
    bounds.distance_to_the_cover,
    severity="statement",
    python="""
import numpy as np
from lemmata.bounds.bms22.label_privacy import distance_to_the_cover
from lemmata.mechanisms.learners.covers.label_learner import truncated
h = -8.0  # one hypothesis, and rho = 4; the cover of the truncated class is {-4}
g = truncated(lambda X: np.full((1, len(X)), h), [[0.0]], 4.0)[0, 0]
assert g == -4.0 and abs(g - h) > distance_to_the_cover(rho=4.0)
""",
    note=(
        "a hypothesis h need not be near a cover of truncated functions: these have |g| ≤ ρ, while |h| "
        "may be arbitrarily large. The step holds for the truncated h_ρ, but then the next line needs "
        "strict distances"
    ),
)
def truncated_functions_are_far():
    """The distance of h itself, not of h_rho, from the cover."""
    for setting, apart in nearest(closed=True, truncated=False):
        yield setting, apart, bounds.distance_to_the_cover(rho=small.RHO)


@inequality_claim(
    bounds.distance_to_an_open_cover,
    control=Control("the distance divided by {}", (1.01, 1.2, 2)),
    note=(
        "this is the definition of an open cover. The largest distance below ρ/2 on the check's lattice "
        "is smaller than ρ/2 by a twelfth"
    ),
)
def open_covers_are_near(*, factor=1):
    """Every small class, every smallest open cover: distances, in units of rho/4, are below rho/2."""
    for setting, apart in nearest(closed=False, truncated=True):
        yield setting, nextafter(apart, inf), bounds.distance_to_an_open_cover(rho=small.RHO) / factor
    yield {"h": 0.999, "g": 0.5}, 0.499, bounds.distance_to_an_open_cover(rho=1) / factor


def implications(statement, truncated, closed):
    """(setting, 1{y g <= rho/2}, statement at y h) for all values of g and h in the premise, in units of rho/4."""
    for g, h, y in product(range(-8, 9), range(-8, 9), (-1, 1)):
        near = small.truncate(h) if truncated else h
        if abs(g - near) < 2 or (closed and abs(g - near) == 2):
            yield {"g": g, "h": h, "y": y, "rho": 4}, int(y * g <= 2), statement(margin=y * h, rho=small.RHO)


@inequality_claim(bounds.implied_loss, evidence="enumeration", note="the premise is |g − h| ≤ ρ/2, for h itself")
def near_functions_keep_the_loss():
    """All lattice values."""
    return implications(bounds.implied_loss, truncated=False, closed=True)


@inequality_claim(bounds.implied_loss_open, evidence="enumeration", given=[bounds.distance_to_an_open_cover])
def open_balls_keep_the_loss():
    """All lattice values; at distance rho/2 exactly it would fail: h = 2 rho, g = rho/2."""
    return implications(bounds.implied_loss_open, truncated=True, closed=False)


def least_losses(statement, level, closed):
    """Cases of the smallest loss over a cover at margin `level` against the statement, in shares of the sample."""
    for points, size, count in ((1, 4, 0), (2, 5, 80), (3, 6, 40)):
        for values, y, cover, least, over in small.losses_of_covers(points, size, count, closed=closed, level=level):
            setting = {"class": values, "y": y, "rho": small.RHO, "cover": cover}
            yield setting, least / points, statement(margin_loss=over / points)


@inequality_claim(
    bounds.least_loss_of_the_cover,
    severity="statement",
    python="""
import numpy as np
from lemmata.bounds.bms22.label_privacy import least_loss_of_the_cover
from lemmata.mechanisms.learners.covers.label_learner import law
from lemmata.mechanisms.privacy import LabelDP
def constants(X): return np.outer([2.0, 0.5, 0.0], np.ones(len(X)))  # rho = 1; truncated: 1, 1/2, 0
released = law([[0.0]], [1.0], privacy=LabelDP(1.0), rho=1.0, hypotheses=constants, balls="closed")
assert released.cover.tolist() == [1]  # 1/2 covers all at distance 1/2, and nothing else does
assert released.errors.min() / 1 > least_loss_of_the_cover(margin_loss=0.0)  # h = 2 has margin above rho
""",
    finding="in a cover by closed balls the nearest g may have margin ρ/2, an error",
    note=(
        "truncation may make y h_ρ(x) exactly ρ. In a cover by closed balls its nearest g may then have y "
        "g(x) = ρ/2, which counts as an error at margin ρ/2. The only smallest cover of {2ρ, ρ/2, 0} is "
        "{ρ/2}"
    ),
)
def closed_covers_lose():
    """Every small class, all labels, every smallest cover with closed balls."""
    return least_losses(bounds.least_loss_of_the_cover, small.RHO / 2, closed=True)


@inequality_claim(
    bounds.least_loss_of_an_open_cover,
    given=[bounds.implied_loss_open, bounds.distance_to_an_open_cover],
    cost=0.15,
    note=(
        "record by record: 1{y g ≤ ρ/2} ≤ 1{y h ≤ ρ}, where h is the best hypothesis and g is the member nearest to h_ρ"
    ),
)
def open_covers_lose_nothing():
    """Every small class, all labels, every smallest cover with open balls."""
    return least_losses(bounds.least_loss_of_an_open_cover, small.RHO / 2, closed=False)


UP_TO_M = {  # d <= m, which the bound of Alon et al. asks for; Theorem 6.1 repeats its M for every d
    "severity": "statement",
    "corner": require("d ≤ m", lambda d, m: d <= m),
    "restated": ("bms22.thm6.1", "bms22.lemA.2"),
}


@inequality_claim(
    bounds.log_cover_size,
    quick=grid(m=[10], d=[1000]),
    full=grid(m=[1000], d=[10**5]),
    **UP_TO_M,
    python="""
from lemmata.bounds.bms22.label_privacy import log_cover_size
# m = 10 points of the sample, all functions to [-1, 1] on 1000 points: d = 1000, and no cover is empty.
assert 0 > log_cover_size(m=10, d=1000), "log N >= 0"
""",
    note=(
        "the bound of Alon et al. needs d ≤ m, as in Lemma A.2. Beyond d = 92.4 m the printed number is "
        "negative. For d ≤ m the step holds, even with the binary logarithm on the left. From d = m to "
        "92.3 m the bound of Theorem 6.1 is above 1"
    ),
)
def large_dimensions_have_no_cover(*, m, d):
    """log N >= 0 for every class."""
    yield {"m": m, "d": d}, 0.0, float(bounds.log_cover_size(m=m, d=d))


@inequality_claim(
    bounds.log_cover_size_derived,
    cites=(BARTLETT,),
    scope="everywhere: d <= m",
    control=Control("the logarithm divided by {}", (1.01, 2)),
    note=(
        "the bound is for 2m points instead of m; the two agree as m grows. Small classes have log N ≤ "
        "1.8, where the bound is 40 or more"
    ),
)
def covering_numbers_are_smaller(*, factor=1):
    """Alon et al. on the m points of the sample; exact covers and exact fat-shattering dimensions of small classes."""
    for point in grid(m=[1, 10, 1000, 10**9, 10**300], d=[1, 2, 1000, 10**6]):
        if point["d"] <= point["m"]:
            claimed = bounds.log_cover_size_derived(m=exact(point["m"]), d=exact(point["d"])) / exact(factor)
            yield point, log_cover(exact(point["m"]) / 2, exact(point["d"])), claimed
    for values in small.small_classes(2, 6, 40):
        d = max(1, small.fat_dimension(small.truncate(values), small.RHO / 32))
        size = len(small.smallest_covers(values, closed=False)[0])
        yield {"class": values, "d": d}, log(size), bounds.log_cover_size_derived(m=2, d=d)


@inequality_claim(
    bounds.selection_loss,
    quick=grid(m=[10], d=[990], epsilon=[1.0], beta=[0.1]),
    full=grid(m=[1000], d=[10**5], epsilon=[0.01, 100.0], beta=[1e-9, 0.9]),
    **UP_TO_M,
    python="""
from lemmata.bounds.bms22.label_privacy import selection_loss
# rho = 1; functions to {-1, 1} on 990 points, all of them, that are 0 on the m = 10 points of the sample: d = 990, the
# cover is {0}, and its loss on the sample is 1 at the margins rho/2 and rho. It is selected, with loss 1.
assert 1 > 1 + selection_loss(m=10, d=990, epsilon=1.0, beta=0.1)
""",
    note=(
        "the M of Theorem 6.1 is negative beyond d = 92.4 m, and no selection is better than the best "
        "member. For d ≤ m the step holds, with a factor of at least 11 to spare. The ρ-margin loss that "
        "is printed on the right is 1 for all truncated functions (second line of (28)). The loss at ρ/2 "
        "is meant"
    ),
)
def nothing_is_better_than_the_best(**setting):
    """A class whose members all have loss 1 on the sample: what the selection loses is 0."""
    yield setting, 0.0, float(bounds.selection_loss(**setting))


@inequality_claim(
    bounds.selection_loss_up_to_m,
    given=[bounds.selection_loss_derived],
    caught=(12, 16),
    note=(
        "the printed number is 32 log(2/β) M, and at most 2M is needed. So the check detects no factor "
        "below 11, the least value of 16 log(2/β)"
    ),
)
def printed_loss_is_generous():
    """The loss of the selection with N members, against the printed number, for d <= m."""
    for point in grid(m=[1, 10**3, 10**9, 10**15], d=[1, 1000], epsilon=[1e-3, 1.0, 1e3], beta=[1e-9, 0.5, 1 - 1e-9]):
        if point["d"] <= point["m"]:
            yield point, bounds.selection_loss_derived(**point), bounds.selection_loss_up_to_m(**point)


@inequality_claim(
    bounds.selection_loss_derived,
    given=[pure_learner.selection_excess, bounds.log_cover_size_derived],
    control=Control("the loss divided by {}", (1.1, 2)),
    rounding=1e-9,
    note="the worst scores have two levels",
)
def selection_exceeds_its_loss(*, factor=1):
    """P(excess > loss) for N members at two levels of scores, against beta/2."""
    for point in grid(m=[10, 10**3, 10**5], d=[1], epsilon=[0.01, 1.0, 20.0], beta=[1e-9, 0.1, 0.9]):
        log_size = bounds.log_cover_size_derived(m=point["m"], d=point["d"])
        loss = bounds.selection_loss_derived(**point)
        chance = two_level_failure(exp(log_size), loss / factor, point["epsilon"], 1 / point["m"])
        yield point, float(chance), point["beta"] / 2
        excess = pure_learner.selection_excess.theorem.formula(
            candidates=exp(log_size), epsilon=point["epsilon"], sensitivity=1 / point["m"], beta=point["beta"] / 2
        )
        yield Link("accuracy", point, excess, loss / factor)


@inequality_claim(
    bounds.least_margin_loss_of_the_cover,
    severity="statement",
    python="""
import numpy as np
from lemmata.bounds.bms22.label_privacy import least_margin_loss_of_the_cover
from lemmata.mechanisms.learners.covers.label_learner import truncated
g = truncated(lambda X: np.full((1, len(X)), 2.0), [[0.0]], 1.0)  # rho = 1, y = +1: h = 2 has no margin loss
assert (1.0 * g <= 1.0).mean() > least_margin_loss_of_the_cover(margin_loss=0.0)  # g = rho, and ties are errors
""",
    note=(
        "truncated functions have |g| ≤ ρ, so each of them has ρ-margin loss 1. With ρ/2 for ρ the line "
        "is equation (27) again, which fails for closed balls (s2). So the line needs two changes"
    ),
)
def truncated_functions_have_no_margin():
    """The smallest rho-margin loss over a cover is 1."""
    return least_losses(bounds.least_margin_loss_of_the_cover, small.RHO, closed=False)


@inequality_claim(bounds.least_half_margin_loss, given=[bounds.least_loss_of_an_open_cover], cost=0.15)
def half_margins_are_kept():
    """Equation (27) for open covers, and every small class."""
    for loss in (Fraction(0), Fraction(1, 3), Fraction(1)):
        step = bounds.least_loss_of_an_open_cover(margin_loss=loss)
        yield Link("equation (27)", {"R": loss}, step, bounds.least_half_margin_loss(margin_loss=loss))
    yield from least_losses(bounds.least_half_margin_loss, small.RHO / 2, closed=False)


@inequality_claim(
    bounds.final_line,
    control=Control("2 mu + 2 Delta divided by {}", (1.01, 2)),
    steps=[Step("2 √(Δ μ) ≤ Δ + μ and √(x + y) ≤ √x + √y")],
    note="equality at Δ = M/m and R* = 0",
)
def last_line(*, factor=1):
    """The premise (cf. Lemma A.2) at R* + Delta."""
    for margin_loss, loss, part in product(
        (0.0, 1e-8, 0.01, 0.25, 1.0), (0.0, 1e-8, 1e-4, 0.01, 0.04, 0.25, 1.0), (0.0, 1e-8, 1e-4, 0.01, 0.04, 0.25, 1.0)
    ):
        point = {"margin_loss": margin_loss, "loss": loss, "part": part}
        main = bounds.objective(loss=margin_loss, part=part**0.5)
        claimed = main + (bounds.final_line(**point) - main) / factor
        yield point, square_of_sum(margin_loss + loss, part), claimed


def bounds_of_the_lemma():
    """What is minimised, with the root's M/m squared, is the bound of Lemma A.2 but for a constant."""
    for part, t in product((0.0, 0.01, 5.0), (i / 500 for i in range(501))):
        value = float(bounds.objective(loss=t, part=part))
        yield {"loss": t, "part": part}, abs(value - square_of_sum(t, part**2) + part**2), 1e-11


@inequality_claim(
    bounds.objective,
    measured=bounds_of_the_lemma,
    over=[at_least("more", 0)],
    caught=(1.01,),
    steps=[Step("√ increases")],
    note="√R̂ · M/m is printed for √(R̂ M/m). Both increase with R̂",
    tightness=withheld,
)
def same_minimisers():
    """Where the loss is larger, what is minimised is larger by no less."""
    for loss, part, more in product((0.0, 0.3), (0.0, 0.01, 5.0), (0.0, 1e-3, 1.0)):
        here, there = (bounds.objective(loss=t, part=part) for t in (loss, loss + more))
        yield {"loss": loss, "part": part, "more": more}, here + more, there


if __name__ == "__main__":
    run_script(__file__)
