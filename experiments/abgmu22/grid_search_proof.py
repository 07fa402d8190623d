"""The proof of private grid search (abgmu22, Appendix D.2), step by step: binomial tails, selections, arithmetic."""

import itertools
from fractions import Fraction
from math import ceil, log, log2, sqrt

import numpy as np
from scipy.stats import binom

from lemmata.bounds.abgmu22 import grid_search_proof as bounds
from lemmata.bounds.abgmu22.generalized_exponential import selection_penalty
from lemmata.bounds.theorem import require
from lemmata.experiments.checks import Control, Link, Step, equality, grid, inequality_claim, run_script, up_to_one
from lemmata.experiments.instances.laws.grid_oracles import selection_failure, smallest_index, two_point

# Concentration --------------------------------------------------------------------------------------------------------

MOMENT = """from lemmata.bounds.abgmu22.grid_search_proof import {name}
# 1/2 (<w, x> - y)^2 with x = 0 but with probability p; w_j = w* = 0: {text}
{lines}"""


@inequality_claim(
    bounds.second_moment,
    severity="statement",
    python=MOMENT.format(
        name="second_moment",
        text="all losses are ||Y||^2 = 9",
        lines="assert 9**2 > second_moment(label_bound=3)  # 36",
    ),
    note=(
        "the square of a loss is compared with a multiple of ‖Y‖², which has the unit of a loss. This is "
        "false for every ‖Y‖ > 2, already at w = 0. The bound 2Δ(B)‖Y‖² is true"
    ),
)
def squares_of_losses():
    """All labels have phi(0) = ||Y||^2 = 9, and x = 0: the loss is 9 at any w."""
    yield {"label_bound": 3}, 9**2, bounds.second_moment(label_bound=3)


@inequality_claim(
    bounds.second_moment_in_units,
    severity="statement",
    corrected_by=bounds.second_moment_corrected,
    python=MOMENT.format(
        name="second_moment_in_units",
        text="the candidate w = 10 has loss 50 with probability p = 1/50",
        lines="assert 50**2 / 50 > second_moment_in_units(label_bound=1)  # 4, and its mean is 1 = ||Y||^2",
    ),
    finding="read with ‖Y‖⁴ it fails for rare large losses, since Δ(B) grows with B²",
    note=(
        "read with ‖Y‖⁴, so that the units agree. With rare large losses E ℓ² comes close to Δ(B)‖Y‖², "
        "where Δ(B) grows with B² while ‖Y‖⁴ does not"
    ),
)
def rare_large_losses():
    """Losses 0 and 50 with mean ||Y||^2 = 1."""
    yield {"label_bound": 1}, Fraction(50**2, 50), bounds.second_moment_in_units(label_bound=1)


@inequality_claim(bounds.second_moment_corrected, tightness=equality)
def second_moment_of_bounded_losses():
    """Laws on 0, Delta/5 and Delta with mean 2 ||Y||^2 or less, in fractions; losses 0 and Delta attain it."""
    for Delta, share in itertools.product((4, 100), (Fraction(0), Fraction(1, 3), Fraction(1))):
        p = Fraction(18, 9 * Delta)  # ||Y|| = 3, all losses times 9
        second = 81 * (p * (1 - share) * Delta**2 + p * share * Fraction(Delta, 5) ** 2)
        bound = bounds.second_moment_corrected(label_bound=3, loss_bound=9 * Delta)
        yield {"Delta": 9 * Delta, "share": share}, second, bound


@inequality_claim(
    bounds.printed_bernstein,
    severity="constant",
    python="""from scipy.stats import binom
from lemmata.bounds.abgmu22.grid_search_proof import printed_bernstein
n, t = 1000, 0.25  # losses 0 and 4 with mean 1 = ||Y||^2: E l^2 = 4 = 4 ||Y||^2; S2 has 500 of them
far = binom.cdf(500 * (1 - t) / 4, 500, 0.25) + binom.sf(500 * (1 + t) / 4 - 1, 500, 0.25)
assert far > 10 * printed_bernstein(loss_bound=4.0, label_bound=1.0, n=n, t=t, guesses=1, beta=1e-6)""",
    note=(
        "Bernstein's inequality is applied with n records, but S₂ has n/2. The printed exponent is "
        "t²n/(4‖Y‖²), and t²(n/2)/(2 · 4‖Y‖²) is right. So the printed one is four times too large where "
        "the variance dominates, even for losses that satisfy step s3"
    ),
)
def half_of_the_records():
    """Losses 0 and 4 with mean 1 on n/2 = 500 records, beta = 1e-6: both tails exactly."""
    n, t = 1000, 0.25
    far = binom.cdf(500 * (1 - t) / 4, 500, 0.25) + binom.sf(np.ceil(500 * (1 + t) / 4) - 1, 500, 0.25)
    sizes = {"loss_bound": 4.0, "label_bound": 1.0, "n": n, "t": t, "guesses": 1, "beta": 1e-6}
    yield sizes, float(far), bounds.printed_bernstein(**sizes)


EXPONENT = 1e-9


@inequality_claim(
    bounds.deviation_below,
    given=[bounds.second_moment_corrected],
    control=Control("a deviation {} times smaller", (1.01, 1.5)),
    tightness=up_to_one,
    note=(
        "among laws on [0, Δ] with a given mean the two-point law has the largest exponential moments. "
        "The chain's value is compared in s5 and in the theorem"
    ),
)
def means_from_below(*, factor=1):
    """Binomial lower tails; and the exponent of the proof, -m t^2/(2 Delta risk), against log(1/eta)."""
    yield from two_point(bounds.deviation_below, True, factor)
    for setting in grid(loss_bound=[0.1, 30.0], risk=[0.01, 2.0], n=[2, 1000], chance=[1e-9, 0.5]):
        t = bounds.deviation_below(**setting) / factor
        exponent = setting["n"] / 2 * t**2 / (2 * setting["loss_bound"] * setting["risk"])
        yield Link("exponent", setting, -log(setting["chance"]) * (1 - EXPONENT), exponent)


@inequality_claim(
    bounds.deviation_above,
    given=[bounds.second_moment_corrected],
    control=Control("a deviation {} times smaller", (1.01, 1.5)),
    tightness=up_to_one,
)
def means_from_above(*, factor=1):
    """Binomial upper tails; the conjugate of the exponential moments' bound, and e^x - 1 - x <= x^2/(2 (1 - x/3))."""
    yield from two_point(bounds.deviation_above, False, factor)
    for setting in grid(loss_bound=[0.1, 30.0], risk=[0.01, 2.0], n=[2, 1000], chance=[1e-9, 0.5]):
        t, v = bounds.deviation_above(**setting) / factor, setting["loss_bound"] * setting["risk"]
        c = setting["loss_bound"] / 3  # sup over s < 1/c of s t - v s^2/(2 (1 - c s))
        exponent = setting["n"] / 2 * v / c**2 * (1 + c * t / v - sqrt(1 + 2 * c * t / v))
        yield Link("exponent", setting, -log(setting["chance"]) * (1 - 1e-6), exponent)
    for x in map(Fraction, np.linspace(0.01, 2.9, 60)):
        yield {"x": x}, float(np.expm1(float(x)) - float(x)), float(x**2 / (2 * (1 - x / 3)))


@inequality_claim(
    bounds.unseen_chance,
    severity="statement",
    corrected_by="abgmu22.thm.grid/corrected/utility-average",
    python="""from lemmata.bounds.abgmu22.grid_search_proof import unseen_chance
# X = {e_1, ..., e_N}, Y = {0}, 1/2 <w, x>^2, x uniform; A returns M e_i for a uniform i, whatever S1 is: (0, 0)-DP
n, N, K, delta, beta, M = 1000, 10**12, 10, 1e-6, 0.05, 1e9
hit = (n / 2) / N  # P(a loss on S2 is not 0) at most, for every S2 in (X x Y)^(n/2): Assumption 2, any Delta > 0
assert hit <= min(delta, beta) / (4 * K) and M**2 / (2 * N) > 10**5  # yet L(w; D) = M^2/(2N), L(w; S2) = 0
assert (1 - hit) > unseen_chance(beta=beta)""",
    note=(
        "Assumption 2 bounds the losses on the records of S₂ only, but a loss on records outside S₂ still "
        "counts in L(w; D). The step is true where losses are below Δ(B) on almost all records, as those "
        "of noisy gradient descent are. In the counterexample the records are unit vectors e_1, …, e_N "
        "with label 0"
    ),
)
def losses_that_nobody_sees():
    """X = {e_1, ..., e_N}, Y = {0}; A returns M e_i for a random i: the chance that S2 has no e_i, exactly."""
    n, N, beta, delta, K = 1000, 10**12, 0.05, 1e-6, 10
    hit = Fraction(n // 2, N)
    yield {"of": "Assumption 2"}, hit, Fraction(min(delta, beta) / (4 * K))
    yield {"n": n, "N": N, "beta": beta}, 1 - hit, bounds.unseen_chance(beta=beta)


# Penalties ------------------------------------------------------------------------------------------------------------

PENALISED = grid(loss_bound=[0.5, 40.0], label_bound=[0.1, 1.0, 7.0], n=[2, 10**5], guesses=[1, 30], beta=[1e-6, 0.9])


@inequality_claim(
    bounds.proof_penalty,
    control=Control("a penalty {} times smaller", (1.01, 1.5)),
    tightness=equality,
    rounding=EXPONENT,
    steps=[Step("algebra")],
    note="equality where one term dominates. With n for n/2 and 4‖Y‖² for Δ‖Y‖² it does not prove a bound (s3, s4)",
)
def penalty_of_the_proof(*, factor=1):
    """The exponent at tau_j, where one of its two terms rules and where both matter."""
    for loss_bound, label_bound, n, guesses, beta in itertools.product(
        (1e-9, 0.5, 40.0), (1e-9, 0.1, 7.0), (2, 10**5), (1, 30), (1e-6, 0.9)
    ):
        sizes = {"loss_bound": loss_bound, "label_bound": label_bound, "n": n, "guesses": guesses, "beta": beta}
        t = bounds.proof_penalty(**sizes) / factor
        yield sizes, log(4 * guesses / beta), (t * n) ** 2 / (loss_bound * t * n + 4 * n * label_bound**2)


@inequality_claim(
    bounds.printed_penalty,
    severity="constant",
    python="""from math import log
from lemmata.bounds.abgmu22.grid_search_proof import printed_penalty
t = printed_penalty(loss_bound=1e-9, label_bound=1.0, n=100, guesses=10, beta=0.05)
exponent = (t * 100) ** 2 / (1e-9 * t * 100 + 400)
assert exponent < 0.8 * log(4 * 10 / 0.05)""",
    note=(
        "Algorithm 1 prints log(K/β) where its proof has log(4K/β). Where ‖Y‖ dominates, this makes each "
        "failure four times as likely"
    ),
)
def penalty_of_the_algorithm():
    """The exponent where ||Y|| rules: log(K/beta) of the log(4K/beta) that are needed."""
    sizes = {"loss_bound": 1e-9, "label_bound": 1.0, "n": 100, "guesses": 10, "beta": 0.05}
    t = float(bounds.printed_penalty(**sizes))
    yield sizes, log(4 * 10 / 0.05), (t * 100) ** 2 / (1e-9 * t * 100 + 400)


@inequality_claim(
    bounds.penalty,
    given=[bounds.deviation_below],
    control=Control("a penalty {} times smaller", (1.01, 1.5)),
    tightness=equality,
    note="equality at a risk of 2‖Y‖²",
)
def scores_bound_risks(*, factor=1):
    """The least score that s4 leaves, on a grid of risks, against the risk, or against ||Y||^2 beyond 2 ||Y||^2."""
    for sizes in PENALISED:
        square = sizes["label_bound"] ** 2
        chance = bounds.each_chance(guesses=sizes["guesses"], beta=sizes["beta"])
        raised = float(bounds.penalty(**sizes)) / factor
        for risk in square * np.r_[1e-6, np.linspace(0.1, 2, 20), 2 + 1e-9, np.geomspace(2.01, 1e6, 40)]:
            down = bounds.deviation_below(loss_bound=sizes["loss_bound"], risk=float(risk), n=sizes["n"], chance=chance)
            score = max(0.0, float(risk - down)) + raised
            yield sizes | {"risk": risk}, float(risk if risk <= 2 * square else square) * (1 - EXPONENT), score


# Selection ------------------------------------------------------------------------------------------------------------


SELECTION = {"loss_bound": 2.0, "n": 1000, "guesses": 20, "beta": 0.05, "epsilon": 1.0}
CHOICE = """import numpy as np
from lemmata.bounds.abgmu22.grid_search_proof import {name}
from lemmata.mechanisms.selection.generalized_exponential import law
from lemmata.mechanisms.privacy import PureDP
n, K, beta, Delta = 1000, 20, 0.05, 2.0
loss = {name}(loss_bound=Delta, n=n, guesses=K, beta=beta, epsilon=1.0) * (1 + 1e-9)
scores = np.r_[loss, 0.0, np.full(K - 1, loss)]  # w_0 = ||Y||^2, the best candidate, and all others
gamma = np.r_[0.0, np.full(K, {gamma})]
chances = np.exp(law(scores, gamma, privacy=PureDP(0.5), beta=beta / 4).log_probabilities())
assert 1 - chances[1] > beta"""


@inequality_claim(
    bounds.printed_selection_loss,
    severity="constant",
    python=CHOICE.format(name="printed_selection_loss", gamma="Delta"),
    note=(
        "with the sensitivities Δ(B_j) that Algorithm 1 prints, the selection may lose Δ(B_j)/ε, however "
        "large n is. But the printed loss is divided by n. The proof prints 1 − β for the 1 − β/4 of Algorithm 1"
    ),
)
def loss_with_printed_sensitivities():
    """K candidates and w_0, exactly."""
    chance = selection_failure(bounds.printed_selection_loss, SELECTION["loss_bound"], SELECTION)
    yield SELECTION, chance, SELECTION["beta"]


@inequality_claim(
    bounds.averaged_selection_loss,
    severity="constant",
    python=CHOICE.format(name="averaged_selection_loss", gamma="2 * Delta / n"),
    corrected_by=bounds.selection_loss,
    finding="read with the sensitivity 2Δ/n, it is too small by a factor of 4 and more",
    note=(
        "read with the sensitivity 2Δ/n. Half of ε, K + 1 candidates and confidence β/4 together give 16Δ "
        "log(4(K + 1)/β)/(nε), at least four times the printed loss"
    ),
)
def loss_with_the_sensitivity_of_means():
    """K candidates and w_0, exactly."""
    sensitivity = 2 * SELECTION["loss_bound"] / SELECTION["n"]
    yield SELECTION, selection_failure(bounds.averaged_selection_loss, sensitivity, SELECTION), SELECTION["beta"]


SELECTIONS = grid(loss_bound=[0.1, 50.0], n=[2, 10**6], guesses=[1, 2, 50], beta=[1e-6, 0.5], epsilon=[0.01, 1.0])


def selection_cases(statement, sensitivity, factor):
    """The loss of the generalized exponential mechanism with N = K + 1, epsilon/2 and beta/4; and exact failures."""
    for sizes in SELECTIONS:
        gamma = sensitivity(sizes)
        choice = {"candidates": sizes["guesses"] + 1, "epsilon": sizes["epsilon"] / 2, "beta": sizes["beta"] / 4}
        loss = selection_penalty(sensitivity=gamma, **choice)
        yield sizes, float(loss) * (1 - EXPONENT), float(statement(**sizes)) / factor
        yield sizes | {"of": "chance"}, selection_failure(statement, gamma, sizes, factor), sizes["beta"] / 4


@inequality_claim(
    bounds.selection_loss,
    given=["abgmu22.thm.gem/printed/accuracy"],
    control=Control("a loss {} times smaller", (1.01, 1.5)),
    tightness=equality,
)
def loss_of_the_selection(*, factor=1):
    """Sensitivities 2 Delta/n."""
    yield from selection_cases(bounds.selection_loss, lambda s: 2 * s["loss_bound"] / s["n"], factor)


@inequality_claim(
    bounds.selection_loss_as_printed,
    given=["abgmu22.thm.gem/printed/accuracy"],
    control=Control("a loss {} times smaller", (1.01, 1.5)),
    tightness=equality,
)
def loss_of_the_printed_selection(*, factor=1):
    """Sensitivities Delta: 4 Delta log(N/(beta/4))/(epsilon/2) in our own words, and the exact failures."""
    for sizes in SELECTIONS:
        t = 2 * log(4 * (sizes["guesses"] + 1) / sizes["beta"]) / (sizes["epsilon"] / 2)  # scores rise by t Delta
        own = float(bounds.selection_loss_as_printed(**sizes)) / factor
        yield sizes, 2 * t * sizes["loss_bound"] * (1 - EXPONENT), own
        chance = selection_failure(bounds.selection_loss_as_printed, sizes["loss_bound"], sizes, factor)
        yield sizes | {"of": "chance"}, chance, sizes["beta"] / 4


# The last lines -------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.printed_ball,
    severity="constant",
    python="from lemmata.bounds.abgmu22.grid_search_proof import printed_ball\n"
    "assert 2 > printed_ball(norm=0.25)  # B_1 = 2",
    note="false for ‖w*‖ < 1, because the radii begin at 2. The theorem has 2 max{‖w*‖, 1}; the last line of its proof "
    "has max{2‖w*‖, 1}",
)
def smallest_radius_is_two():
    """||w*|| = 1/4."""
    yield {"norm": Fraction(1, 4)}, smallest_index(Fraction(1, 4)), bounds.printed_ball(norm=Fraction(1, 4))


@inequality_claim(
    bounds.smallest_ball,
    tightness=equality,
    steps=[Step("⌈x⌉ < x + 1")],
    note="the supremum is approached from above at ‖w*‖ = 2ʲ, and attained for ‖w*‖ ≤ 1",
)
def radius_of_the_smallest_ball():
    """2^j at the smallest j >= 1 with ||w*|| <= 2^j; just above powers of 2 it is nearly twice ||w*||."""
    for norm in (0.0, 0.3, 1.0, 1.5, 2.0, 2.0 + 1e-12, 3.0, 4.0 + 1e-12, 9.0, 2.0**39 + 1e-4):
        yield {"norm": norm}, 2 ** max(1, ceil(log2(max(norm, 1)))), bounds.smallest_ball(norm=norm)


RISING = (lambda B: B, lambda B: 1 + B + B**2, lambda B: 1)  # what output perturbation promises for norm B grows so


@inequality_claim(
    bounds.outer_err,
    severity="statement",
    corner=require("functions err that do not decrease", lambda err, norm: err(4) <= err(norm)),
    used={"abgmu22.thm.grid-output-pert": [{"err": rising, "norm": 5} for rising in RISING]},
    restated=("abgmu22.thm.grid",),
    python="from lemmata.bounds.abgmu22.grid_search_proof import outer_err\n"
    "err = {4: 1.0, 5: 0.0}.get  # K = 2, err(2^K) = ||Y||^2 = 1\nassert outer_err(err=err, norm=5) < 1",
    note="Assumption 1 allows any function err, but the step needs one that does not decrease",
)
def err_that_falls():
    """err(4) = ||Y||^2 = 1 and err(5) = 0."""
    yield {"K": 2, "norm": 5}, 1, bounds.outer_err(err={4: 1, 5: 0}.get, norm=5)


@inequality_claim(bounds.outer_err_monotone, tightness=equality)
def err_that_does_not_fall():
    """Steps and powers with err(2^K) >= ||Y||^2 = 1, at norms from 2^K on."""
    for K, power in itertools.product((1, 4), (0, 1, 2)):
        for norm in (2**K, 2**K + 1, 7 * 2**K):
            err = bounds.outer_err_monotone(err=lambda B, K=K, power=power: Fraction(B, 2**K) ** power, norm=norm)
            yield {"K": K, "power": power, "norm": norm}, 1, err


@inequality_claim(
    bounds.last_line,
    severity="constant",
    python="""from lemmata.bounds.abgmu22.grid_search_proof import last_line, printed_selection_loss, proof_penalty
sizes = dict(loss_bound=5.0, n=1000, guesses=10, beta=0.05)
left = 2 * proof_penalty(label_bound=1.0, **sizes) + printed_selection_loss(epsilon=1.0, **sizes)
assert left > 1.05 * last_line(label_bound=1.0, epsilon=1.0, **sizes)  # .528 and .494""",
    note=(
        "the proof arrives at 2ε + 4, which may be 6, where 5 is printed. So the line is true for ε ≤ "
        "1/2. The factor 4 is read before the root here, as our copy of the text does not show its place. The "
        "reason given, the assumption that ‖w*‖ ≤ ‖𝒴‖², is made nowhere, compares two units, and is not needed"
    ),
)
def five_where_six_are_needed():
    """Delta = 5, ||Y|| = 1, K = 10, beta = .05, n = 1000, epsilon = 1."""
    sizes = {"loss_bound": 5.0, "n": 1000, "guesses": 10, "beta": 0.05}
    left = 2 * bounds.proof_penalty(label_bound=1.0, **sizes) + bounds.printed_selection_loss(epsilon=1.0, **sizes)
    yield sizes, float(left), float(bounds.last_line(label_bound=1.0, epsilon=1.0, **sizes))


@inequality_claim(bounds.last_line_corrected, steps=[Step("algebra, as ε ≤ 1")], tightness=equality)
def both_roots():
    """2 tau + 4 Delta log(4K/beta)/(n epsilon), as printed; equality at epsilon = 1."""
    for loss_bound, label_bound, n, guesses, beta, epsilon in itertools.product(
        (0.5, 40.0), (0.1, 1.0, 7.0), (2, 10**5), (1, 30), (1e-6, 0.9), (0.1, 1.0)
    ):
        last = {"loss_bound": loss_bound, "n": n, "guesses": guesses, "beta": beta}
        penalty = bounds.proof_penalty(label_bound=label_bound, **last)
        left = 2 * penalty + bounds.printed_selection_loss(epsilon=epsilon, **last)
        sizes = last | {"label_bound": label_bound, "epsilon": epsilon}
        yield sizes, left, bounds.last_line_corrected(**sizes)


@inequality_claim(
    bounds.stated_term,
    severity="constant",
    corrected_by=bounds.last_line_corrected,
    python="""from math import log
from lemmata.bounds.abgmu22.grid_search_proof import stated_term
sizes = dict(loss_bound=5.0, n=1000, guesses=10, beta=0.05, epsilon=1.0)
assert 5 * 5.0 * log(4 * 10 / 0.05) / 1000 > 6 * stated_term(**sizes)""",
    note=(
        "the last term of the proof has the factor log(4K/β) ≥ log 4, which is missing in the theorem. At "
        "K = 10 and β = 0.05 the factor is 6.7"
    ),
)
def logarithm_is_lost():
    """Delta = 5, K = 10, beta = .05, n = 1000, epsilon = 1."""
    sizes = {"loss_bound": 5.0, "n": 1000, "guesses": 10, "beta": 0.05, "epsilon": 1.0}
    yield sizes, 5 * 5.0 * log(4 * 10 / 0.05) / 1000, float(bounds.stated_term(**sizes))


if __name__ == "__main__":
    run_script(__file__)
