"""Is confidence boosting as private, and as good, as abgmu22's Appendix E says? All laws of the choice are exact.

The worst neighbours for the choice: the means of the first model and of all others move against each other by as much
as a record can, and the first is far behind; where a delta is to be spent, it is not behind. `Fixed` models ignore
their data, so only the choice can leak.
"""

from dataclasses import dataclass
from itertools import product
from math import ceil, exp, floor, log, nextafter, sqrt

import numpy as np
from scipy.special import logsumexp, ndtr

from lemmata.bounds.abgmu22 import confidence_boosting as bounds
from lemmata.experiments.checks import Control, Link, attack_claim, grid, inequality_claim, run_script, up_to_one
from lemmata.experiments.checks.pair import largest_log_ratio
from lemmata.mechanisms.learners.glm import confidence_boosting
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.selection import report_noisy_max

EXACT = 1e-9  # of the laws, which are integrated numerically

# Report noisy max -----------------------------------------------------------------------------------------------------


def choice(scores, scale):
    """Report noisy max at this scale."""
    return report_noisy_max.law(scores, sensitivity=1.0, scale=scale)


def neighbours(candidates, moved, scale, behind):
    """Two laws of the choice: model 1, `behind` the others, comes up by `moved`, and all others go down by it."""
    others = np.zeros(candidates - 1)
    return choice(np.append(-behind - moved, others), scale), choice(np.append(-behind, others - moved), scale)


@inequality_claim(
    bounds.noisy_max_epsilon,
    control=Control("the noise divided by {}", (1.05, 2)),
    rounding=EXACT,
    tightness=up_to_one,
    cost=0.2,
    note="two candidates 300 noise scales apart spend 0.99 of the bound",
)
def no_choice_tells_more(*, factor=1):
    """Two candidates ever farther apart, and 20 draws of up to seven scores at all corners of their neighbourhood."""
    for scale, moved in ((1.0, 0.05), (1.0, 3.0), (20.0, 0.5)):
        claimed = bounds.noisy_max_epsilon(sensitivity=moved, scale=scale)
        for candidates, behind in product((2, 6), (0.0, 3.0, 300.0)):
            point = {"scale": scale, "sensitivity": moved, "candidates": candidates, "behind": behind}
            yield point, largest_log_ratio(*neighbours(candidates, moved, scale / factor, behind * scale)), claimed
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = rng.exponential(3.0, size=int(rng.integers(2, 8)))
        before, signs = choice(q, 1.0 / factor), rng.choice([-1.0, 1.0], size=(8, q.size))
        largest = max(largest_log_ratio(before, choice(q + 0.4 * s, 1.0 / factor)) for s in signs)
        yield {"scores": q.tolist()}, largest, bounds.noisy_max_epsilon(sensitivity=0.8, scale=1.0) / 2


# The noise of the theorem ---------------------------------------------------------------------------------------------

OURS = {"epsilon": 1.0, "candidates": 5}  # m = log(4/beta) rounded up at beta = 0.05
DELTA = 1e-5

OWN = """
import numpy as np
from lemmata.bounds.abgmu22.confidence_boosting import {name}
from lemmata.mechanisms.selection.report_noisy_max import law
n, m, Delta = {n}, 5, {loss_bound}  # Delta = Y^2 + H gamma^2 X^2; m = log(4/beta), beta = 0.05; chunks of n/6
scale = {name}(n=n, candidates=m, epsilon=1.0, loss_bound=Delta)
a = Delta / (n / 6)  # one record: a loss of Delta for model 1 and 0 for all others becomes 0 and Delta; else a tie
before, after = np.append(-a, np.zeros(4)), np.append(0.0, np.full(4, -a))
p, q = (np.exp(law(scores, sensitivity=a, scale=scale).log_probabilities()[0]) for scores in (before, after))
assert q > np.exp(1.0) * p + {above}  # delta = {above} would be needed
"""


def cases(statement, points, factor=1):
    """(setting, the laws of the choice at the statement's noise) for chunks of n/(m + 1) records."""
    for point in points:
        n, m, D = point["n"], point["candidates"], point["loss_bound"]
        moved, scale = (m + 1) * D / n, statement(**point) / factor
        for share in (0.0, 0.5, 1.0):
            yield point | {"behind": share * D}, neighbours(m, moved, scale, share * (D - moved))


def spent(statement, points, factor=1):
    """(setting, what the choice spends without a delta, epsilon)."""
    for setting, pair in cases(statement, points, factor):
        yield setting, largest_log_ratio(*pair), setting["epsilon"]


def delta_needed(statement, **sizes):
    """(setting, the delta that the choice of model 1 needs at epsilon, a delta there may be)."""
    for setting, pair in cases(statement, grid(**sizes, **{name: [value] for name, value in OURS.items()})):
        p, q = (np.exp(law.log_probabilities()[0]) for law in pair)
        yield setting, max(0.0, float(q - exp(setting["epsilon"]) * p)), DELTA


def own(name):
    """The program of a witness."""
    return lambda setting, needed, _: OWN.format(name=name, above=floor(10 * needed) / 10, **setting)


@inequality_claim(
    bounds.printed_scale,
    finding="as we read it, its selection is not private",
    quick=grid(loss_bound=[1e6, 2.0]),
    severity="privacy",
    python=own("printed_scale"),
    note=(
        "the printed noise scale is about √(Δ/(nε)), which has the unit of the root of a loss. With "
        "Laplace noise of this scale the selection spends (m + 1)√(Δε/n). At ‖Y‖² = H̃γ² = 5·10⁵ and n = "
        "6·10⁶, above n₀, the selection is (1, δ)-DP only for δ ≥ 0.33. The condition n ≥ n₀ does not "
        "help, because n₀ does not depend on the unit of the loss: with Δ = 2 the claim fails at n = 24. "
        "The scale 2(m + 1)Δ/(nε) is enough (corrected)"
    ),
)
def the_root_of_a_loss(*, loss_bound):
    """The printed noise at m = log(4/beta) rounded up, our choice."""
    return delta_needed(bounds.printed_scale, n=[6_000_000, 24], loss_bound=[loss_bound])


@inequality_claim(
    bounds.squared_scale,
    finding="as we read it, its selection is not private",
    severity="privacy",
    python=own("squared_scale"),
    note=(
        "read with σ̃² as Laplace's scale, in the unit of a loss. This scale is enough for a mean over "
        "all n records, but the selection sees n/(m + 1) of them and spends (m + 1)/2 times ε for every "
        "n. At m = log(4/β) and β = 0.05 that is three times ε, and ε = 1 needs δ ≥ 0.43. With n read as "
        "the size of the last chunk the selection spends ε/2"
    ),
)
def noise_for_all_records():
    """The other reading at m = log(4/beta) rounded up, our choice; any m >= 2 fails."""
    return delta_needed(bounds.squared_scale, n=[6_000_000], loss_bound=[2.0])


CHUNKS = [
    {"n": size * (m + 1), "candidates": m, "epsilon": epsilon, "loss_bound": D}
    for size, m, epsilon, D in product((1, 30, 5000), (2, 5, 12), (0.1, 4.0), (2.0,))
]


@inequality_claim(
    bounds.chunk_scale,
    given=[bounds.noisy_max_epsilon, bounds.disjoint_epsilon],
    control=Control("the noise divided by {}", (1.05, 2)),
    rounding=EXACT,
    tightness=up_to_one,
    cost=0.09,
)
def noise_for_a_chunk(*, factor=1):
    """Chunks of 1 to 5000 records, 2 to 12 models; and what s1 says of the noise."""
    for point in CHUNKS:
        moved = (point["candidates"] + 1) * point["loss_bound"] / point["n"]
        scale = bounds.chunk_scale(**point) / factor
        yield Link("s1", point, bounds.noisy_max_epsilon(sensitivity=moved, scale=scale), point["epsilon"])
    yield from spent(bounds.chunk_scale, CHUNKS, factor)


@inequality_claim(
    bounds.chunk_scale_squared,
    given=[bounds.chunk_scale],
    control=Control("the noise divided by {}", (1.05, 2)),
    rounding=EXACT,
    tightness=up_to_one,
    cost=0.09,
)
def times_half_of_m_plus_one(*, factor=1):
    """The same laws; and (m + 1)/2 times the printed noise."""
    for point in CHUNKS:
        enough = bounds.chunk_scale_squared(**point) / factor
        yield point | {"of": "m + 1"}, (point["candidates"] + 1) / 2 * bounds.squared_scale(**point), enough
    yield from spent(bounds.chunk_scale_squared, CHUNKS, factor)


# What training and choice spend together ------------------------------------------------------------------------------


def releases(bits, ahead, scale, training):
    """P(released = (i, b)): model i is its chunk's record behind randomised response; model 1 is `ahead` of model 2."""
    keep = exp(training) / (1 + exp(training))
    index = np.exp(choice([ahead, 0.0], scale).log_probabilities())
    return np.array([index[i] * (keep if b == bits[i] else 1 - keep) for i in (0, 1) for b in (0, 1)])


def apart(one, other):
    """The largest log-ratio of two vectors of probabilities."""
    return float(np.abs(np.log(one / other)).max())


def moved_choice(selection, records=60):
    """(ahead before, ahead after, scale): one of `records` records moves both means, the choice spends `selection`."""
    return -1.0, -1.0 + 2 / records, 2 / (records * selection)


BUDGETS = grid(training=[0.2, 1.0, 3.0], selection=[0.2, 1.0, 3.0])


@inequality_claim(
    bounds.disjoint_epsilon,
    given=[bounds.noisy_max_epsilon],
    control=Control("both budgets times {}", (1.05, 2)),
    rounding=EXACT,
    tightness=up_to_one,
    note="no record is in two chunks, so the ε/2 that is printed for training need not be added to the ε of the choice",
)
def budgets_do_not_add_up(*, factor=1):
    """Two models by randomised response on one record each, the choice on a chunk of 60: a neighbour in each chunk."""
    for point in BUDGETS:
        before, after, scale = moved_choice(point["selection"] * factor)
        training, claimed = point["training"] * factor, bounds.disjoint_epsilon(**point)
        law = releases((0, 0), before, scale, training)
        yield point | {"in": "training"}, apart(law, releases((1, 0), before, scale, training)), claimed
        yield point | {"in": "choice"}, apart(law, releases((0, 0), after, scale, training)), claimed


@inequality_claim(
    bounds.overlapping_epsilon,
    given=[bounds.noisy_max_epsilon],
    control=Control("both budgets times {}", (1.05, 2)),
    rounding=EXACT,
    tightness=up_to_one,
    note=(
        "this is not what is printed: there i* ∈ [m], while models are trained for i ∈ [m + 1], so the "
        "model of the last chunk is not used"
    ),
)
def budgets_add_up(*, factor=1):
    """The same, where the record that moves the choice is that of a model, too."""
    for point in BUDGETS:
        before, after, scale = moved_choice(point["selection"] * factor)
        pair = [releases(bits, x, scale, point["training"] * factor) for bits, x in (((0, 0), before), ((1, 0), after))]
        yield point, apart(*pair), bounds.overlapping_epsilon(**point)


# The range of the losses ----------------------------------------------------------------------------------------------


def beyond(level, *, candidates, gamma, smoothness, label_bound):
    """P(a loss (Y + w sqrt(H/2))^2 of m independent Gaussian models exceeds the level), |w| counted."""
    reach = (sqrt(level) - label_bound) / (gamma * sqrt(smoothness / 2))
    return -np.expm1(candidates * np.log1p(-2 * ndtr(-max(reach, 0.0) / sqrt(3 / 8))))


def one_range(delta, label_bound):
    return {"candidates": 5, "delta": delta, "gamma": 1.0, "smoothness": 1.0, "label_bound": label_bound}


@inequality_claim(
    bounds.true_range,
    caught=(1.05, 2),
    note=(
        "γ̃ is not defined in the available text. For the choice to be private without clipping it must "
        "be at least γ√(½ log(2m/δ)); γ̃ = γ is not enough. The worst model is 0 or one long vector. The "
        "bound E exp(Z²) − 1 ≤ 1 would save the factor 2 in the logarithm"
    ),
)
def losses_within_the_range():
    """The same Gaussian models, and a loss that a vector of two values exceeds with probability just above delta/m."""
    for delta, Y in product((0.5, 1e-5, 1e-12), (0.0, 1.0, 30.0)):
        point = one_range(delta, Y)
        level = bounds.true_range(**point)
        sizes = {k: v for k, v in point.items() if k != "delta"}
        yield point | {"models": "Gaussian"}, float(beyond(level, **sizes)), delta
        long = sqrt(log(1 + point["candidates"] / nextafter(delta, 1)))  # P(|w| = long) = delta/m: E exp(w^2) = 2
        yield point | {"models": "two values"}, (Y + long * sqrt(0.5)) ** 2, level


# Our code under attack ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fixed:
    """A model that ignores its data: the law of a constant."""

    weight: float
    privacy: PureDP

    def sample(self, rng, size=1):
        """`size` times the same weight, shape (size, 1)."""
        return np.full((size, 1), self.weight)


def fixed_models(*weights):
    """A learner that returns one constant after the other, whatever the chunk holds."""
    remaining = iter(weights)
    return lambda X, y, *, privacy: Fixed(next(remaining), PureDP(1e-9))


@dataclass(frozen=True)
class Chosen:
    """Which of the constant models 1, -1, ..., -1 was released, 1 or another, and the exact law of that."""

    boosted: confidence_boosting.BoostedLaw

    def sample(self, rng, size=1):
        """0 for the model 1, else 1; shape (size,)."""
        return (self.boosted.sample(rng, size)[:, 0] < 0).astype(int)

    def log_density(self, releases):
        """The law of the choice, of one model against all others."""
        log_p = self.boosted.select(WEIGHTS[:, None]).log_probabilities()
        return np.array([log_p[0], logsumexp(log_p[1:])])[releases]


WEIGHTS = np.append(1.0, -np.ones(20))


@attack_claim(
    bounds.chunk_scale,
    law="confidence_boosting",
    attack="pure",
    bound=lambda epsilon, **_: epsilon,
    quick=grid(epsilon=[1.0]),
    full=grid(epsilon=[0.5, 2.0]),
    control=Control("noise {} times too small", (1.6, 2)),
    chunk=10_000,
    cap=15,
    cost=3e-6,
)
def constant_models(*, epsilon, factor=1):
    """24 records most of which favour the first of 21 models; one record of the last chunk changes sides."""
    others = 24 * (WEIGHTS.size)
    y = np.concatenate([np.ones(others), np.where(np.arange(24) < 12 + ceil(5 / epsilon / factor), 1.0, -1.0)])
    flipped = np.where(np.arange(y.size) == others, -1.0, y)
    settings = {"candidates": WEIGHTS.size, "loss": "squared", "loss_bound": 4.0, "label_bound": 1.0}
    pair = (
        confidence_boosting.law(
            np.ones((y.size, 1)), labels, learner=fixed_models(*WEIGHTS), privacy=PureDP(factor * epsilon), **settings
        )
        for labels in (flipped, y)
    )
    return tuple(map(Chosen, pair))


if __name__ == "__main__":
    run_script(__file__)
