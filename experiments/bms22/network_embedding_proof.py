"""The proof of Claim D.2 of bms22: recursions are iterated, and random networks embedded."""

from fractions import Fraction
from functools import partial
from itertools import product
from math import sqrt

import numpy as np

from lemmata.bounds.bms22 import network_embedding as bounds
from lemmata.bounds.bms22.matrix_projection import deviations, failure_of_deviations
from lemmata.experiments.checks import ROUNDING, Control, Step, inequality_claim, run_script, up_to_one
from lemmata.experiments.instances.classes import networks

SIZES = [dict(norm_bound=Fraction(L), radius=Fraction(3, 2), eta=Fraction(e)) for L, e in product((1, 3), (1, 5))]
FLOATS = [{name: float(x) for name, x in sizes.items()} for sizes in SIZES]


@inequality_claim(
    bounds.embedding_failure,
    given=["bms22.lemD.1/explicit"],
    control=Control("embeddings with 1/{} of the rows", (1.01, 2)),
    note="ψ(v^Φ) of layer j − 1 depends on Φ₀, …, Φⱼ₋₂ alone, so a union over layers and records is all that is needed",
)
def union_over_layers(*, factor=1):
    """Chernoff's bounds of Lemma D.1 at beta/(4L), one matrix and 2m vectors a layer, L layers."""
    for m, k, layers, beta in product((1, 10**6), (1, 100, 10**5), (1, 6), (1e-9, 0.5)):
        norm, error = deviations(m=2 * m, k=k, beta=beta / (4 * layers))
        failure = layers * failure_of_deviations(m=2 * m, k=k / factor, norm=norm, product=error)
        allowed = bounds.embedding_failure(m=m, k=k, layers=layers, beta=beta)
        yield {"m": m, "k": k, "L": layers, "beta": beta}, failure, allowed


@inequality_claim(
    bounds.hidden_norm, tightness=up_to_one, note="‖W‖_F bounds the operator norm, ψ is η-Lipschitz, ψ(0) = 0"
)
def norms_are_multiplied():
    """||v_1|| <= Lambda r, ||v_j|| <= eta Lambda ||v_{j-1}|| iterated in fractions for L = 2..10; random networks."""
    for sizes in SIZES:
        norm = sizes["norm_bound"] * sizes["radius"]
        for layers in range(2, 11):
            yield sizes | {"layers": layers}, norm, bounds.hidden_norm(layers=layers, **sizes)
            norm *= sizes["eta"] * sizes["norm_bound"]
    for layers, _, _, weights, _, X in networks.embedded_networks(8, 60, 8, 25, 2.0, 3.0, 1.0):
        if layers >= 2:
            norm = np.linalg.norm(networks.layers_of(weights, X, 2.0)[-2], axis=1).max()
            claimed = bounds.hidden_norm(norm_bound=3.0, radius=1.0, eta=2.0, layers=layers)
            yield {"layers": layers, "of": "random networks"}, norm, claimed * (1 + ROUNDING)


def unrolled(statement):
    """The recursion of the proof with equality everywhere, in fractions, for L = 1..10, against the statement."""
    for sizes, tau in product(SIZES, (Fraction(1, 100), Fraction(1, 2))):
        L, r, eta = sizes["norm_bound"], sizes["radius"], sizes["eta"]
        error = tau * L * r
        for layers in range(1, 11):
            if layers > 1:
                error = tau * r * eta ** (layers - 1) * L**layers + 2 * eta * L * error
            yield sizes | {"layers": layers, "tau": tau}, error, statement(layers=layers, tau=tau, **sizes)


@inequality_claim(
    bounds.unravelled,
    severity="constant",
    python="""
from lemmata.bounds.bms22.network_embedding import unravelled
sizes = dict(norm_bound=1.0, radius=1.5, eta=1.0, tau=0.01)
first = 0.01 * 1.5  # Gamma_1 = tau Lambda r
second = 0.01 * 1.5 + 2 * first  # Gamma_2 = tau r eta Lambda^2 + 2 eta Lambda Gamma_1
assert second > unravelled(layers=2, **sizes)
""",
    note=(
        "the printed sum keeps only the last of L summands. It has 2ᴸ⁻¹ for 2ᴸ − 1, too small by a factor "
        "below 2 from two layers on. With the right sum the k of the proof would leave 0.55ρ at three "
        "layers. The claim is still true, because σ_η is η/4-Lipschitz (step s3)"
    ),
)
def summands_are_lost():
    """Two layers: 3 tau against 2 tau."""
    return unrolled(bounds.unravelled)


@inequality_claim(
    bounds.unravelled_whole,
    measured=partial(unrolled, bounds.unravelled_whole),
    steps=[Step("by induction")],
    note="a geometric sum, with equality",
)
def all_summands():
    """The first layer, and one more."""
    for L, r, eta, layers, tau in product((1.0, 3.0), (1.5,), (1.0, 5.0), (1, 9), (0.01, 0.5)):
        sizes = {"norm_bound": L, "radius": r, "eta": eta, "tau": tau}
        first, here, after = (bounds.unravelled_whole(layers=n, **sizes) for n in (1, layers, layers + 1))
        yield sizes | {"layers": layers, "of": "the first"}, tau * L * r, first
        summand = tau * r * eta**layers * L ** (layers + 1)
        yield sizes | {"layers": layers, "of": "one more"}, summand + 2 * eta * L * here, after


@inequality_claim(
    bounds.distance_at_the_printed_rows,
    given=[bounds.embedding_distance],
    caught=(1.6, 2),
    note=(
        "the distance is ρ/√10 with one layer. With the recursion as printed, η for η/4, it would be 0.55 "
        "ρ at three layers and 0.63 ρ in the limit"
    ),
)
def printed_rows_are_enough():
    """tau = rho/(sqrt(10) r (2 eta Lambda)^{L-1} Lambda) < 1 in the recursion, with the activation's eta/4."""
    for layers, sizes, tau in product(range(1, 11), FLOATS, (1e-9, 0.1, 0.5, 1 - 1e-9)):
        scale = sizes["radius"] * (2 * sizes["eta"] * sizes["norm_bound"]) ** (layers - 1) * sizes["norm_bound"]
        recursion = {"norm_bound": sizes["norm_bound"], "radius": sizes["radius"], "layers": layers}
        distance = networks.iterated_distance(tau, slope=sizes["eta"] / 4, **recursion)
        allowed = bounds.distance_at_the_printed_rows(rho=sqrt(10) * scale * tau, layers=layers, **sizes)
        yield sizes | {"layers": layers, "tau": tau}, distance, allowed


if __name__ == "__main__":
    run_script(__file__)
