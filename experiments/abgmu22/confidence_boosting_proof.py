"""What boosting achieves, and its printed bounds: abgmu22's theorem on boosting, its utility.

The printed bound is refuted along families of ever smaller beta: A ignores its data and returns a bad model with a
probability of q = 3 beta, so its mean excess is 3 beta x; the noise hides the difference x, and the bad model is chosen
with a probability above beta. Then the excess is x, 1/(3 beta) times all that is printed: no logarithm.
"""

from itertools import product
from math import ceil, exp, log, log1p, sqrt

import numpy as np
from scipy.stats import binom

from lemmata.bounds.abgmu22 import concentration, confidence_boosting as bounds, confidence_boosting_proof as proof
from lemmata.bounds.theorem import at_least, require
from lemmata.experiments.checks import Control, Link, Step, inequality_claim, order_claim, run_script, up_to_one
from lemmata.mechanisms.selection import report_noisy_max

EXACT = 1e-9  # of the laws, which are integrated numerically


def bad_choice(candidates, q, behind, scale):
    """P(a bad model is chosen), each of m models bad with probability q and `behind` the good ones, exactly."""
    total = q**candidates
    for bad in range(1, candidates):
        scores = np.where(np.arange(candidates) < bad, -behind, 0.0)
        chosen = np.exp(report_noisy_max.law(scores, sensitivity=1.0, scale=scale).log_probabilities()[:bad]).sum()
        total += binom.pmf(bad, candidates, q) * chosen
    return float(total)


# What is printed ------------------------------------------------------------------------------------------------------


def hidden(beta):
    """The literal noise, H = Y = 1, losses w^2/2: x = sigma/2, n epsilon = 10^4/beta^2. (sizes, x, P(bad chosen))."""
    q, N = 3 * beta, 1e4 / beta**2
    x = 1 / sqrt(N)  # about sigma/2, sigma^2 = 4 (1 + gamma^2)/N
    gamma = sqrt(2 * x / log1p(1 / q))  # w = sqrt(2x) with probability q, else 0: E exp(w^2/gamma^2) = 2
    n, m = int(1e12 / beta**4), ceil(log(4 / beta))
    sizes = {"n": n, "candidates": m, "epsilon": N / n, "beta": beta, "gamma": gamma, "smoothness": 1.0}
    sigma = bounds.printed_scale(n=n, candidates=m, epsilon=N / n, loss_bound=1 + gamma**2)
    return sizes | {"label_bound": 1.0, "loss_bound": x, "err": q * x}, x, bad_choice(m, q, x, sigma)


def unbounded(beta):
    """sigma^2 as the scale, Delta = 0: losses w^2/2 on a share beta/2 of the records, else 0; w = 1 is bad."""
    q, x = 3 * beta, beta / 4
    gamma = sqrt(1 / log1p(1 / q))
    n, m = int(1e12 / beta**4), ceil(log(4 / beta))
    N = 2 * (1 + gamma**2) / x  # sigma^2 = 2x
    sizes = {"n": n, "candidates": m, "epsilon": N / n, "beta": beta, "gamma": gamma, "smoothness": 1.0}
    scale = bounds.squared_scale(n=n, candidates=m, epsilon=N / n, loss_bound=1 + gamma**2)
    missed = exp(-n / (m + 1) * beta / 6 * 0.1)  # the last chunk's share of such records is above 1.5 beta/2
    return sizes | {"label_bound": 1.0, "loss_bound": 0.0, "err": q * x}, x, bad_choice(m, q, 1.5 * x, scale) - missed


def grown(statement, family):
    """(point, an excess that is exceeded or met with probability above beta, what is printed)."""
    for beta in (1e-2, 1e-3, 1e-4):
        sizes, x, chance = family(beta)
        yield sizes, x if chance > beta else 0.0, statement(**sizes)


@order_claim(
    bounds.boosted_rate,
    family="A's mean excess is 3βx with x = σ̃/2, and the noise hides x: β = 10⁻², 10⁻³, 10⁻⁴, n = 10¹²/β⁴",
    severity="statement",
    python="""
from math import log, log1p, sqrt
import numpy as np
from lemmata.bounds.abgmu22.confidence_boosting import boosted_rate, printed_scale
from lemmata.mechanisms.selection.report_noisy_max import law
beta, n, epsilon = 1e-3, 10**24, 1e-14  # n epsilon = 10^10; losses w^2/2, w = 0 is right
q, x = 3 * beta, 1e-5                   # A returns sqrt(2x) with probability q, whatever the data: err = q x
gamma = sqrt(2 * x / log1p(1 / q))
scale = printed_scale(n=n, candidates=9, epsilon=epsilon, loss_bound=1 + gamma**2)
bad = np.exp(law(np.append(-x, np.zeros(8)), sensitivity=1.0, scale=scale).log_probabilities()[0])
assert 9 * q * (1 - q) ** 8 * bad > beta   # one of nine models is bad, and chosen
sizes = dict(n=n, candidates=9, epsilon=epsilon, beta=beta, gamma=gamma, smoothness=1.0, label_bound=1.0)
assert x > 300 * boosted_rate(loss_bound=x, err=q * x, **sizes)
""",
    cost=0.02,
    note=(
        "noise of scale σ̃ costs about ‖Y‖/√(nε), and for small ε no printed term is as large, so a term "
        "is missing. The excess risk exceeds the expression in the Õ by the factor 1/(3β)"
    ),
)
def noise_that_is_not_in_the_bound():
    """The literal reading of the noise."""
    return grown(bounds.boosted_rate, hidden)


@order_claim(
    bounds.boosted_rate_squared,
    family="Δ = 0, as losses vanish on all but β/2 of the records; the noise hides what they are there",
    severity="statement",
    corner=require(
        "generalized linear losses, and Δ above ‖Y‖² + H̃γ̃²‖X‖² and above all losses of the chunk, with probability "
        "1 − β/4",
        lambda loss_bound, label_bound, smoothness, gamma: loss_bound >= label_bound**2 + smoothness * gamma**2,
    ),
    used={
        "abgmu22.thm.grid-output-pert": [
            {"label_bound": Y, "smoothness": H, "gamma": R, "loss_bound": Y**2 + H * (R + noise) ** 2}
            for Y, H, R, noise in product((0.1, 10.0), (0.5, 2.0), (0.1, 10.0), (0.0, 1.0))
        ]
    },
    python="""
from math import log1p, sqrt
import numpy as np
from lemmata.bounds.abgmu22.confidence_boosting import boosted_rate_squared, squared_scale
from lemmata.mechanisms.selection.report_noisy_max import law
beta, n, x = 1e-3, 10**24, 2.5e-4       # losses w^2/2 on a share beta/2 of the records, 0 elsewhere: Delta = 0
q = 3 * beta                            # A returns 1 with probability q, whatever the data: excess x, err = q x
gamma = sqrt(1 / log1p(1 / q))
epsilon = 2 * (1 + gamma**2) / x / n
scale = squared_scale(n=n, candidates=9, epsilon=epsilon, loss_bound=1 + gamma**2)
bad = np.exp(law(np.append(-1.5 * x, np.zeros(8)), sensitivity=1.0, scale=scale).log_probabilities()[0])
assert 9 * q * (1 - q) ** 8 * bad > beta   # one of nine models is bad, and chosen
sizes = dict(n=n, candidates=9, epsilon=epsilon, beta=beta, gamma=gamma, smoothness=1.0, label_bound=1.0)
assert x > 300 * boosted_rate_squared(loss_bound=0.0, err=q * x, **sizes)
""",
    cost=0.02,
    note=(
        "hypothesis 3 bounds the loss of one record with probability 1 − β, so Δ(γ, β/2) may be 0, while "
        "the noise has the scale of ‖Y‖² + H̃γ̃²‖X‖². The paper's own Δ, which output perturbation uses, "
        "is larger than both"
    ),
)
def losses_above_the_bound():
    """The other reading of the noise."""
    return grown(bounds.boosted_rate_squared, unbounded)


# What is true ---------------------------------------------------------------------------------------------------------

STEPS = [
    proof.no_good_model,
    proof.selection_loss,
    proof.squared_difference,
    proof.split_difference,
    proof.solved_difference,
    concentration.deviation_corrected,
    concentration.exponential_moment,
    "abgmu22.thm.grid.s4/corrected/above",
]


def places():
    """Sizes of the problem: small and large samples, models, and all ratios of the scales."""
    for n, m, beta in product((30, 10**4, 10**9), (4, 12), (0.9, 0.25, 0.01)):
        for gamma, Y, D in product((1e-6, 0.1, 30.0), (0.1, 10.0), (0.0, 3.0)):
            if 2.0**-m <= beta / 4:
                yield {"n": n, "candidates": m, "beta": beta, "gamma": gamma, "smoothness": 4.0, "label_bound": Y}, D


def shared(sizes, *names):
    """Some of the sizes."""
    return {name: sizes[name] for name in names}


def from_the_steps(sizes, D, err, scale):
    """The statement's number, put together from t1 to t5 at L_j = Y^2 + 2 err, with the square root split."""
    n, m, Y = sizes["n"], sizes["candidates"], sizes["label_bound"]
    K = proof.logarithm(**shared(sizes, "n", "candidates", "beta"))
    eta = proof.resolution(**shared(sizes, "n", "candidates", "beta", "gamma", "smoothness"))
    noise = proof.selection_loss(candidates=m, b=sizes["beta"] / 8, scale=scale)
    largest = concentration.deviation_corrected(n=n, beta=2 * exp(-K), variance=0.0, loss_bound=D) * (m + 1)
    at_rest = proof.split_difference(x=0.0, reference=Y**2, eta=eta, label_bound=Y)
    return 2 * err + proof.solved_difference(a=noise + largest + at_rest, eta=eta) + (2 * err + 16 * eta**2)


@inequality_claim(
    proof.boosted_excess,
    given=STEPS,
    control=Control("the bound divided by {}", (1.01, 2)),
    cost=0.4,
    note="n₀ and 16‖Y‖/√n are not needed, because the models are compared on the same records",
)
def chosen_models(*, factor=1):
    """The chain at the largest difference; the statement from its steps; exact laws of the choice."""
    for sizes, D in places():
        n, m, Y = sizes["n"], sizes["candidates"], sizes["label_bound"]
        K = proof.logarithm(**shared(sizes, "n", "candidates", "beta"))
        eta = proof.resolution(**shared(sizes, "n", "candidates", "beta", "gamma", "smoothness"))
        for err, scale in ((0.0, 0.0), (0.2, 0.5)):
            claimed = proof.boosted_excess(loss_bound=D, err=err, scale=scale, **sizes) / factor
            steps = from_the_steps(sizes, D, err, scale)
            yield sizes | {"err": err, "of": "steps"}, steps, claimed
            yield sizes | {"err": err, "of": "statement"}, claimed * factor, steps
            squares = [proof.squared_difference(both=both, **sizes) for both in (0.0, 1.0, 2 * (Y**2 + 2 * err))]
            grows, least = (2 * K * (m + 1) / n * s for s in (squares[1] - squares[0], squares[2]))
            a = proof.selection_loss(candidates=m, b=sizes["beta"] / 8, scale=scale) + 2 * D * K * (m + 1) / (3 * n)
            x = a + grows / 2 + sqrt(grows**2 / 4 + grows * a + least)  # the largest x <= a + sqrt(grows x + least)
            yield sizes | {"err": err, "eta": eta}, x + 2 * err, claimed
    for beta, m, scale in product((0.2, 0.01), (5, 10), (0.01, 1.0)):
        for q, behind in product((0.02, 0.5), (0.1, 1.0, 30.0)):  # constant losses: the noise alone decides
            if 2.0**-m <= beta / 4:
                sizes = {"n": 10**9, "candidates": m, "beta": beta, "gamma": 1e-9, "smoothness": 1.0}
                rest = {"label_bound": 1.0, "loss_bound": 0.0, "err": q * behind, "scale": scale}
                if behind > proof.boosted_excess(**sizes, **rest) / factor:
                    yield sizes | {"q": q, "behind": behind, "scale": scale}, bad_choice(m, q, behind, scale), beta


def orders(statement, noise, factor):
    """(sizes, the explicit bound at this noise, the printed rate with its logarithms)."""
    for (sizes, D), epsilon, err in product(places(), (1e-3, 1.0, 50.0), (0.0, 1.0)):
        scale = noise(**shared(sizes, "n", "candidates"), epsilon=epsilon, loss_bound=D) if D else 0.0
        explicit = proof.boosted_excess(loss_bound=D, err=err, scale=scale, **sizes)
        point = sizes | {"epsilon": epsilon, "loss_bound": D, "err": err}
        yield point, explicit, statement(**point) / factor
    small = {"n": 4, "candidates": 3, "beta": 0.999, "gamma": 1e-9, "smoothness": 1.0, "label_bound": 1e-9}
    point = small | {"epsilon": 1e-9, "loss_bound": 1.0, "err": 0.0}  # the noise alone
    scale = noise(n=4, candidates=3, epsilon=1e-9, loss_bound=1.0)
    yield point, proof.boosted_excess(**small, loss_bound=1.0, err=0.0, scale=scale), statement(**point) / factor


@inequality_claim(
    proof.boosted_rate_corrected,
    given=[proof.boosted_excess, bounds.chunk_scale],
    control=Control("5/8 K² (m + 1) divided by {}", (1.1, 2)),
    tightness=up_to_one,
    cost=0.2,
    note=(
        "explicit ≤ C K² (m + 1) g with C = 5/8, term by term, with 2u ≤ 5K²/8 for the noise. K and m + 1 "
        "are the free logarithms. The term 16‖Y‖/√n may be left out in both"
    ),
)
def printed_up_to_logarithms(*, factor=1):
    """The explicit bound at the least noise that is private, against the printed rate."""
    return orders(proof.boosted_rate_corrected, bounds.chunk_scale, factor)


@inequality_claim(
    proof.boosted_rate_squared_corrected,
    given=[proof.boosted_excess],
    control=Control("3/10 K² (m + 1) divided by {}", (1.1, 2)),
    tightness=up_to_one,
    cost=0.2,
    note=(
        "explicit ≤ C K² (m + 1) g with C = 3/10. The noise costs 4u, which is (m + 1)/2 times less than "
        "at the scale that is private"
    ),
)
def printed_up_to_logarithms_too(*, factor=1):
    """The explicit bound at the noise sigma^2, against the printed rate."""
    return orders(proof.boosted_rate_squared_corrected, bounds.squared_scale, factor)


# Steps ----------------------------------------------------------------------------------------------------------------


@inequality_claim(proof.no_good_model, note="approached by an excess that is just above twice its mean, or 0")
def all_models_bad():
    """P(all m excesses > 2 err) for an excess that is 2 err (1 + h) with probability 1/(2 + 2h), else 0."""
    for m, h in product((1, 4, 20), (1e-9, 0.1, 3.0)):
        yield {"m": m, "h": h}, (1 / (2 + 2 * h)) ** m, proof.no_good_model(candidates=m)


@inequality_claim(
    proof.selection_loss,
    control=Control("the loss allowed divided by {}", (1.01, 1.1, 2)),
    rounding=EXACT,
    cost=0.03,
    tightness=up_to_one,
    note="exact for two candidates; for more, the union over the rivals counts those that another one beats",
)
def noisy_choices(*, factor=1):
    """One best candidate, m - 1 just beyond the loss allowed: P(one of them is chosen), exactly."""
    for m, b in product((2, 10, 40), (0.5, 0.05, 1e-4)):
        lost = proof.selection_loss(candidates=m, b=b, scale=1.0) / factor
        law = report_noisy_max.law(np.append(0.0, np.full(m - 1, -lost)), sensitivity=1.0, scale=1.0)
        yield {"m": m, "b": b}, float(np.exp(law.log_probabilities()[1:]).sum()), b


@inequality_claim(
    proof.squared_difference,
    given=[concentration.exponential_moment],
    control=Control("the bound divided by {}", (1.01, 2)),
    rounding=1e-11,
    note="the worst difference has Z_j = −Z_i and ℓ_j = 0. Then |√ℓ_i − √ℓ_j| is twice what one vector contributes",
)
def worst_differences(*, factor=1):
    """Losses from 0 to the largest at |Z_i| and |Z_j|, at the largest chance that E exp(Z^2) leaves."""
    for n, m, beta, g in product((20, 10**6), (4,), (0.9, 1e-300), (0.01, 1.0, 30.0)):
        K = proof.logarithm(n=n, candidates=m, beta=beta)
        room = log(concentration.exponential_moment(beta=beta)) + log(m)
        for Y in (1e-9, g * sqrt(K)):  # where M > 2K: sup M e^(-M/2) and sup M^2 e^(-M/2), against 8m/beta
            sizes = {"n": n, "candidates": m, "beta": beta, "gamma": g, "smoothness": 1.0, "label_bound": Y}
            rare = 2 * g**2 * (4 * Y**2 * (2 * K) + g**2 * (2 * K) ** 2) * exp(room - K)
            claimed = proof.squared_difference(both=0.0, **sizes)
            yield sizes | {"of": "M > 2K"}, rare, claimed / factor
            yield Link("statement", sizes, claimed, rare)
        for Y, a, c in product((1e-3, 1.0, g * sqrt(2 * K)), (0.0, 1.0, room, K, 2 * K), (0.0, 1.0)):
            z_i, z_j = sqrt(a), sqrt(a) * c
            most = 1.0 if a <= room else exp(room - a)
            root_i = Y + g * z_i / sqrt(2)  # the largest there is, the other as far below as two vectors allow
            root_j = max(0.0, root_i - g * (z_i + z_j) / sqrt(2))
            sizes = {"n": n, "candidates": m, "beta": beta, "gamma": g, "smoothness": 1.0, "label_bound": Y}
            for p in (most, most / 1000):
                right = proof.squared_difference(both=p * (root_i**2 + root_j**2), **sizes) / factor
                yield sizes | {"Z_i^2": a, "Z_j": z_j, "p": p}, p * (root_i**2 - root_j**2) ** 2, right


@inequality_claim(
    proof.split_difference, over=[at_least("K", 2), at_least("chunk", 1)], steps=[Step("roots of sums, n' ≥ 1, K ≥ 2")]
)
def roots_of_sums():
    """g² = eta² n'/K²; equality at x alone as n grows."""
    for x, reference, eta, Y, K, chunk in product((0.0, 3.0), (0, 1), (0.0, 0.3), (0.0, 2.0), (2.0, 50.0), (1, 1e9)):
        sizes = {"x": x, "reference": reference, "eta": eta, "label_bound": Y}
        energy = eta**2 * chunk / K**2
        square = 4 * energy * K * (x + 2 * reference) + 8 * energy * K / chunk * (2 * Y**2 + energy * K)
        yield sizes | {"K": K, "chunk": chunk}, sqrt(2 * K / chunk * square), proof.split_difference(**sizes)


@inequality_claim(proof.solved_difference, steps=[Step("algebra")], note="equality at a = 0")
def largest_difference():
    """The root of x = a + sqrt 8 eta sqrt x."""
    for a, eta in product((0.0, 0.1, 7.0), (0.0, 0.1, 5.0)):
        root = sqrt(2) * eta + sqrt(2 * eta**2 + a)
        yield {"a": a, "eta": eta}, root**2, proof.solved_difference(a=a, eta=eta)


if __name__ == "__main__":
    run_script(__file__)
