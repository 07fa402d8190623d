"""Section 5 of bms22: the activation, the privacy of the network learner, and the margin bound of Theorem 5.1."""

from itertools import product
from math import e, log, log2, sqrt

import numpy as np

from lemmata.bounds.bms22 import (
    network,
    network_cover,
    network_embedding,
    network_selection,
    pure_learner,
    pure_learner_proof as linear,
)
from lemmata.bounds.bms22.definitions import smallest_epsilon
from lemmata.bounds.bms22.exponential_mechanism import replace_pairs
from lemmata.bounds.exact.balls import exact
from lemmata.experiments.checks import (
    Control,
    Link,
    attack_claim,
    grid,
    inconclusive,
    inequality_claim,
    order_claim,
    run_script,
    up_to_one,
)
from lemmata.experiments.checks.pair import largest_log_ratio
from lemmata.experiments.instances.classes import linear_learners as small, networks
from lemmata.experiments.instances.datasets.corners import NETWORK

# The activation -------------------------------------------------------------------------------------------------------


def slopes(constant):
    """Cases |psi(a) - psi(b)|/|a - b| <= constant(eta) in balls, psi as printed: near 0, far out, across 0."""
    for eta in (exact(0.01), exact(1), exact(30)):
        for a, b in ((0, 1e-6), (-1e-6, 1e-6), (0, 1), (-2, 3), (5, 5.001), (0, 100)):
            left, right = ((1 - (-eta * x / 2).exp()) / (1 + (-eta * x / 2).exp()) for x in (exact(a), exact(b)))
            quotient = abs(left - right) / abs(exact(a) - exact(b))
            yield {"eta": float(eta), "a": a, "b": b}, quotient, constant(eta=eta)


@inequality_claim(
    network.lipschitz_constant,
    given=[network.slope_at_zero],
    caught=(4.01, 8),
    note=(
        "true, but four times too large: the slope of tanh(ηa/4) is at most η/4, and the proof of Theorem "
        "5.1 needs that from three layers on (cf. bms22.clmD.2.s2)"
    ),
)
def slope_is_below_eta():
    """Difference quotients of the activation as it is printed."""
    return slopes(network.lipschitz_constant)


@inequality_claim(
    network.slope_at_zero, tightness=up_to_one, note="tanh′ = 1 − tanh² ≤ 1, attained at 0, and the mean value theorem"
)
def slope_is_a_quarter():
    """Difference quotients in balls, closest to the slope across 0."""
    return slopes(network.slope_at_zero)


# Theorem 5.1: privacy -------------------------------------------------------------------------------------------------


@inequality_claim(
    network.learner_epsilon,
    quick=({"layers": 2, "m": 2, "epsilon": 1.0},),
    full=(
        {"layers": 1, "m": 2, "epsilon": 0.1},
        {"layers": 1, "m": 1, "epsilon": 20.0},
        {"layers": 3, "m": 1, "epsilon": 2.0},
    ),
    control=Control("sensitivity 1/({} m)", (1.1, 1.5)),
    given=[pure_learner.selection_epsilon],
    tightness=up_to_one,
    cost=0.2,
    note=(
        "Section 5 prints the score R̂_S(h) for −R̂_S(h). It is as private, but it would prefer the "
        "networks that err most"
    ),
)
def every_pair_of_datasets(*, layers, m, epsilon, factor=1):
    """All embeddings, datasets of a few records and networks of a cover; errors move by at most one."""
    spent, bound = factor * epsilon, network.learner_epsilon(epsilon=epsilon)
    datasets, pairs = replace_pairs(small.RECORDS, m)
    a, b = np.array(pairs).T
    sizes = {"rho": 4.0**layers}
    for public in networks.embeddings(layers):
        released = [networks.learner(*small.records_of(n), spent, public, **sizes) for n in datasets]
        errors = np.array([one.errors for one in released])
        yield {"of": "errors"}, np.abs(errors[a] - errors[b]).max(), 1
        chances = np.exp([one.selection.log_probabilities() for one in released])
        ratio = smallest_epsilon(laws=chances, pairs=pairs)
        yield {"layers": layers, "m": m, "epsilon": epsilon, "phi": [p.matrix.tolist() for p in public]}, ratio, bound
    sizes = [1, 2, 5, 10, 20, 50, 100]
    family = [largest_log_ratio(*(one.selection for one in networks.worst_pair(n, spent))) for n in sizes]
    for n, ratio in zip(sizes, family, strict=True):
        yield {"epsilon": epsilon, "one record against": n - 1}, ratio, bound
    return {"series": {"m": sizes, "bound": [bound] * len(sizes), "exact": family}}


@attack_claim(
    network.learner_epsilon,
    law="networks",
    attack="pure",
    bound=lambda epsilon, **_: epsilon,
    quick=grid(epsilon=[1.0], m=[3]),
    full=grid(epsilon=[2.0], m=[2]),
    control=Control("sensitivity 1/({} m)", (1.6, 2)),
    chunk=5000,
    cost=2e-6,
)
def one_label_among_equals(*, epsilon, m, factor=1):
    """m equal records, one label flipped: two layers, one neuron, k = 1, a coarse cover."""
    return networks.worst_pair(m, factor * epsilon)


# Theorem 5.1: the margin bound ----------------------------------------------------------------------------------------


@order_claim(
    network.printed_gap,
    family="one layer, x uniform on d = 10 m orthonormal vectors, Lambda = sqrt(d) rho/r, eta = e/sqrt(d), m -> inf",
    severity="statement",
    corner=NETWORK,
    restated=("bms22.lemF.3e",),
    python="""
from math import e
from lemmata.bounds.bms22.network import printed_gap
# One layer: h(x) = <w, x>, whatever eta is. x is uniform on d = 10 m orthonormal vectors, labels are anything: the sum
# of 1.0001 y_i e_i has margin above rho = 1 everywhere and norm Lambda = 1.0001 sqrt(d). A learner sees m of d labels
# at most, so over random labels its risk is 0.45 or more on average: above 1/4 with probability 0.2 > beta.
ratios = []
for m in (10**4, 10**6, 10**8):
    norm = 1.0001 * (10 * m) ** 0.5
    sizes = dict(norm_bound=norm, radius=1.0, rho=1.0, eta=e / norm, layers=1, width=1)
    ratios.append(0.25 / printed_gap(m=m, epsilon=1.0, beta=0.1, **sizes))
assert ratios[1] > 5 * ratios[0] > 0 and ratios[2] > 5 * ratios[1], "risk / g grows without bound"
""",
    note=(
        "(2ηΛ)ᴸ is printed where the proof has Λ(2ηΛ)ᴸ⁻¹, one factor η too many. As η → 0 no learner, "
        "private or not, attains the printed bound. At η = 1 and one layer the bound still fails for ρ → "
        "r(ηΛ)ᴸ, where θ tends to 0. Beyond, θ is negative and the bound is not defined. It is true for η "
        "≥ 1/2 (η = 1 is the usual choice) and ρ ≤ r(ηΛ)ᴸ/2"
    ),
)
def unlearnable_basis():
    """No free lunch: P(risk > 1/4) >= (1 - m/d)/2 - 1/4 = 0.2 > beta for some labels, and margin loss 0."""
    for m in (10**4, 10**6, 10**8):
        d, beta = 10 * m, 0.1
        norm = 1.0001 * sqrt(d)
        sizes = {"norm_bound": norm, "radius": 1.0, "rho": 1.0, "eta": e / norm, "layers": 1, "width": 1}
        if norm / sqrt(d) > sizes["rho"] and (1 - m / d) / 2 - 0.25 > beta:
            yield {"m": m, "beta": beta} | sizes, 0.25, network.printed_gap(m=m, epsilon=1.0, beta=beta, **sizes)


@order_claim(
    network.gap_below_the_end,
    constant=network.ORDER,
    given=[network.explicit_gap, network_embedding.rows_below_the_end],
    tightness=up_to_one,
    cost=0.3,
    note=(
        "true for every number of layers. The printed size of the cover lacks a factor L, but the "
        "activation is η/4-Lipschitz, which makes up for it. C is the derivation's"
    ),
)
def corrected_order():
    """min(1, explicit) <= 640 printed at the corners."""
    return networks.explicit_against_printed()


@order_claim(
    network.rows_of_the_main_text,
    family="one layer, w = e_1, x_i = e_1/4 + √15/4 e_(i+1), ρ = 0.2499, r = Λ = η = 1, β = 1/2, m → ∞",
    severity="statement",
    finding="a factor log(Lm/β) is missing from k in Section 5",
    corrected_by=network_embedding.rows_below_the_end,
    python="""from math import log, log2
from lemmata.bounds.bms22.network import rows_of_the_main_text
# One layer, w = e_1 and m records x_i = e_1/4 + sqrt(15)/4 e_(i+1), r = Lambda = eta = 1, rho = 0.2499. Given the first
# column of Phi the others are independent; each is its negative with chance 2^-k, and then <Phi w, Phi x_i> < 0.
assert 1 / 4 - 15**0.5 / 4 < 0
sizes = dict(norm_bound=1.0, radius=1.0, rho=0.2499, eta=1.0, layers=1)
# Fewer rows than log2(m / log 2) lose a margin more often than not.
ratios = [log2(m / log(2)) / rows_of_the_main_text(**sizes) for m in (10**3, 10**30, 10**300)]
assert ratios[2] > 9 * ratios[1] > 81 * ratios[0]""",
    note=(
        "the main text's k lacks the factor log(Lm/β) that Appendix D has. So networks built as in "
        "Section 5 do not keep the margin of large samples"
    ),
)
def rows_for_all_records():
    """exp(-m 2^-k) >= (1 - 2^-k)^m >= 1/2 asks for k >= log2(m / log 2); a column with all signs opposed is lost."""
    sizes = {"norm_bound": 1.0, "radius": 1.0, "rho": 0.2499, "eta": 1.0, "layers": 1}
    for m in (10**3, 10**30, 10**300):
        yield sizes | {"m": m}, log2(m / log(2)), network.rows_of_the_main_text(**sizes)


@order_claim(
    network.resolution_of_the_main_text,
    family="one layer, r = Λ = d = k = 1, ρ = 1/2, h(x) = x, η → 0",
    severity="statement",
    corner=network.WIDE,
    finding="the γ of Section 5 is too large for 4ηΛ < 1",
    python="""from lemmata.bounds.bms22.network import resolution_of_the_main_text
# One layer, r = Lambda = d = k = 1, h(x) = x: {0} is a cover of [-2, 2] at resolution 2 and more, and |0 - h(1)| = 1.
sizes = dict(norm_bound=1.0, radius=1.0, rho=0.5, layers=1)
ratios = [resolution_of_the_main_text(eta=eta, **sizes) / 2 for eta in (1e-2, 1e-4, 1e-6)]
assert ratios[2] > 90 * ratios[1] > 8100 * ratios[0] > 8100  # so every resolution of this order passes 2 as eta -> 0
""",
    note=(
        "the denominator has one factor 4ηΛ more than in Appendix D, whose proof has its own γ (cf. Claim "
        "D.3). For 4ηΛ ≥ 1 that makes the cover finer than needed. As η → 0 it makes γ so large that {0} "
        "is a cover, and every network of it is constant"
    ),
)
def zero_covers_the_ball():
    """The printed order over the resolution 2 = 2 Lambda, which is too coarse: at it {0} is a cover of B(2 Lambda)."""
    sizes = {"norm_bound": 1.0, "radius": 1.0, "rho": 0.5, "layers": 1}
    for eta in (1e-2, 1e-4, 1e-6):
        yield sizes | {"eta": eta}, network.resolution_of_the_main_text(eta=eta, **sizes), 2.0


@order_claim(
    network.resolution_of_wide_layers,
    constant=10,
    control=Control("the constant 10 divided by {}", (1.01, 2)),
    given=[network_cover.distance_to_a_good_cover],
    scope="domain: 4ηΛ ≥ 1; a product of covers of the layers, the nearest point taken layer by layer",
    note="a tenth of the order is enough, with equality at 4ηΛ = 1",
)
def main_text_is_finer():
    """The order of the main text over Appendix D's resolution: 10/(4 eta Lambda)."""
    for layers, width, rho in product((1, 2, 7), (1.0, 1.5, 40.0), (0.1, 3.0)):
        shape = {"norm_bound": width / 2, "radius": 2.0, "rho": rho, "eta": 0.5, "layers": layers}
        yield shape, network.resolution_of_wide_layers(**shape), network_cover.printed_resolution(**shape)


ONE = {"epsilon": 1.0, "beta": 0.1, "rho": 0.5, "eta": 1.0, "layers": 1, "width": 1, "margin_loss": 0.0}


@inequality_claim(
    network.explicit_gap,
    quick=({"m": 10**6} | networks.UNIT | ONE,),
    full=({"m": 10**5, **networks.UNIT, **ONE, "layers": 3}, {"m": 10**9, **networks.UNIT, **ONE, "width": 10}),
    control=Control("the gap divided by {}", (1.05, 2)),
    given=(
        network_embedding.embedding_rows,
        network_embedding.embedding_distance,
        network_cover.cover_resolution,
        network_selection.selection_loss,
        network_selection.log_cover_size,
        linear.one_classifier,
        network.slope_at_zero,
    ),
    trivial=networks.says_nothing,
    nonvacuous_from=lambda: network.informative_from(**networks.UNIT, **ONE),
    cost=0.15,
    note=(
        "the smallest m is at one layer and one neuron, r = Λ = η = 1, ρ = 1/2, ε = 1, β = 0.1 and margin "
        "loss 0. There k is 3,603, too large for enumeration"
    ),
)
def four_events(*, factor=1, **setting):
    """Every link of the derivation at the setting and at corners, rho beyond the largest output included."""
    shares = {}
    for point in (setting, *networks.EVENTS):
        for link, share in networks.links(factor=factor, **point).items():
            shares[link] = max(share, shares.get(link, 0.0))
            yield Link(link, point, share, 1 + 1e-9)
    if min(shares.values()) <= 0:
        return inconclusive("FAILED", "a link of the derivation was never used")
    used = ", ".join(f"the {link} uses {share:.3g}" for link, share in shares.items())
    return {
        "tightness": (0.0, 1.0),
        "note": f"of what the derivation allows, {used}",
        "series": bound_along_samples(**{name: x for name, x in setting.items() if name != "m"}),
    }


def bound_along_samples(**setting):
    """The curve up to where the bound is below 1: margin loss + explicit gap along m, next to 1."""
    sizes = [10**j for j in range(3, 13)]
    bound = [min(2.0, setting["margin_loss"] + network.explicit_gap(m=m, **setting)) for m in sizes]
    return {"m": sizes, "bound": bound, "largest risk": [1.0] * len(sizes)}


if __name__ == "__main__":
    run_script(__file__)
