"""The proof of Claim D.3 of bms22: recursions are iterated, and members of covers are chosen adversarially."""

from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np

from lemmata.bounds.bms22 import network_cover as bounds, network_embedding as embedding
from lemmata.bounds.bms22.matrix_projection import deviations, failure_of_deviations
from lemmata.experiments.checks import Control, Link, Step, inequality_claim, run_script, up_to_one
from lemmata.experiments.instances.classes import covers, networks
from lemmata.mechanisms.learners.covers.network_learner import product_cover
from lemmata.mechanisms.solvers.covers import farthest


@inequality_claim(
    bounds.distance_within_the_cover,
    severity="statement",
    finding="members of a cover are far from each other",
    python="""
import numpy as np
from lemmata.bounds.bms22.network_cover import distance_within_the_cover
from lemmata.mechanisms.learners.covers.network_learner import product_cover
hidden, last = product_cover(1, 1, 2, norm_bound=1.0, resolution=0.1)
points = np.concatenate(list(last.blocks()))
assert np.ptp(points) > distance_within_the_cover(resolution=0.1), "two members of a cover are far apart"
""",
    note=(
        "the paper means that every point W of the product of balls has a member W′ of the cover within "
        "γ. As printed, both W and W′ are members. Nothing in the paper uses the sentence in this form"
    ),
)
def members_are_far_apart():
    """The ends of a cover of an interval."""
    for resolution in (0.1, 1.0):
        made = product_cover(1, 1, 2, norm_bound=1.0, resolution=resolution)
        apart = sqrt(sum(np.ptp(np.concatenate(list(one.blocks()))) ** 2 for one in made))
        yield {"gamma": resolution, "Lambda": 1}, apart, bounds.distance_within_the_cover(resolution=resolution)


@inequality_claim(
    bounds.distance_from_the_cover,
    control=Control("covers {} times as coarse", (1.03, 1.2, 2)),
    tightness=up_to_one,
    note="the squares of the layers' distances add up",
)
def points_are_near(*, factor=1):
    """Points of the balls, their rims included: the square root of the layers' summed squares, against gamma."""
    for k, layers, width, resolution in ((1, 1, 1, 0.1), (1, 2, 1, 0.1), (2, 2, 1, 0.5), (1, 3, 2, 0.5)):
        made = product_cover(k, width, layers, norm_bound=1.0, resolution=factor * resolution)
        apart = sqrt(sum(farthest(one, covers.points_of_the_ball(one.k, 2.0, 400)) ** 2 for one in made))
        sizes = {"k": k, "L": layers, "N": width, "gamma": resolution}
        yield sizes, apart, bounds.distance_from_the_cover(resolution=resolution) * (1 + 1e-6)


@inequality_claim(
    bounds.enlargement,
    severity="statement",
    corrected_by=bounds.cover_failure,
    python="""
import numpy as np
from lemmata.bounds.bms22.network_cover import enlargement
phi = np.random.default_rng(0).choice([-1.0, 1.0], (4, 64)) / 2  # k = 4, N = 64: the embedding of the second layer
direction = np.linalg.svd(phi)[2][0]  # its largest singular value is at least sqrt(64/4)
# v^Phi = 0 (W_1 = 0), and a member of the cover at W_1 + (step in this direction): within gamma, as any other point is.
moved = np.tanh(1e-3 * direction / 4)
assert np.sum((phi @ moved) ** 2) > 15 * np.sum(moved**2)
assert 58100 / 14525 > enlargement(k=14525, width=58100)  # N/k of the construction, in the place of 64/4
""",
    finding="Lemma D.1 is about fixed vectors, and the nearest member may depend on Φ",
    note=(
        "Lemma D.1 is about fixed vectors. In a γ-cover of the product of balls the nearest member may "
        "lie anywhere within γ, so ψ(ṽ) − ψ(v^Φ) may be the direction that Φ stretches most, by N/k > 2. "
        "If each layer is covered for itself and searched layer by layer, no choice depends on a later "
        "embedding, and the step holds"
    ),
)
def aligned_covers_stretch():
    """||Phi||_F^2 = N, so the largest squared singular value of a k x N embedding is at least N/k."""
    for layers, times in ((2, 4), (6, 100)):
        shape = networks.UNIT | {"rho": 0.1, "eta": 1.0, "layers": layers}
        k = embedding.embedding_rows(m=100, beta=0.1, **shape)
        yield shape | {"k": k, "N": times * k}, Fraction(times * k, k), bounds.enlargement(k=k, width=times * k)


@inequality_claim(
    bounds.cover_failure,
    given=["bms22.lemD.1/explicit"],
    control=Control("embeddings with 1/{} of the rows", (1.01, 2)),
    note="2m vectors per layer and one side of one norm each. At the explicit rows the norms grow by 1 + τ < 2 at most",
)
def layerwise_vectors_are_kept(*, factor=1):
    """2mL upper tails of norms, against beta/8; and the growth 1 + tau that they allow at the explicit rows."""
    for m, k, layers, beta in product((1, 10**6), (1, 100, 10**5), (1, 6), (1e-9, 0.5)):
        norm, error = deviations(m=2 * m, k=k, beta=beta / (4 * layers))
        tail = failure_of_deviations(m=0, k=k / factor, norm=norm, product=error)
        claimed = bounds.cover_failure(m=m, k=k, layers=layers, beta=beta)
        yield {"m": m, "k": k, "L": layers, "beta": beta}, 2 * m * layers * tail, claimed
    for point in networks.corners():
        k = embedding.embedding_rows(**point)
        norm, _ = deviations(m=2 * point["m"], k=k, beta=point["beta"] / (4 * point["layers"]))
        yield Link("growth", point, 1 + norm, bounds.enlargement(k=k, width=1))


@inequality_claim(bounds.covered_norm, steps=[Step("by induction")], note="with equality")
def covered_norms_are_multiplied():
    """B_1 = 2 sqrt(2) Lambda r, and B_j = 2 sqrt(2) eta Lambda B_{j-1}."""
    for L, r, eta, layers in product((1.0, 3.0), (1.5,), (1.0, 5.0), (2, 9)):
        sizes = {"norm_bound": L, "radius": r, "eta": eta}
        first, here, after = (bounds.covered_norm(layers=n, **sizes) for n in (2, layers, layers + 1))
        yield sizes | {"layers": layers, "of": "the first"}, 2 * sqrt(2) * L * r, first
        yield sizes | {"layers": layers, "of": "one more"}, 2 * sqrt(2) * eta * L * here, after


@inequality_claim(
    bounds.covered_distance, given=[bounds.covered_norm], steps=[Step("by induction")], note="with equality"
)
def covered_distances_are_summed():
    """Delta_1 = sqrt(2) gamma r, and the recursion with B_{j-1} as it is bounded."""
    for L, r, eta, layers, resolution in product((1.0, 3.0), (1.5,), (1.0, 5.0), (1, 9), (1e-3, 0.5)):
        sizes = {"norm_bound": L, "radius": r, "eta": eta}
        point = sizes | {"layers": layers, "resolution": resolution}
        sizes_of = (1, layers, layers + 1)
        first, here, after = (bounds.covered_distance(layers=n, resolution=resolution, **sizes) for n in sizes_of)
        hidden = bounds.covered_norm(layers=layers + 1, **sizes)
        yield point | {"of": "the first"}, 2 * resolution * r / sqrt(2), first
        grown = sqrt(2) * resolution * eta * hidden + 2 * sqrt(2) * eta * L * here
        yield point | {"of": "one more"}, grown, after


@inequality_claim(
    bounds.covered_distance_bound,
    caught=(1.34, 2),
    steps=[Step("L ≤ 2·2⁽ᴸ⁻¹⁾ᐟ²")],
    note="L ≤ 2·2⁽ᴸ⁻¹⁾ᐟ², closest at L = 3, where it says 3 ≤ 4",
)
def layers_are_absorbed():
    """With and without the factor L."""
    for L, r, eta, layers, resolution in product((1.0, 3.0), (1.5,), (1.0, 5.0), (1, 2, 3, 4, 60), (0.1,)):
        point = {"norm_bound": L, "radius": r, "eta": eta, "layers": layers, "resolution": resolution}
        yield point, bounds.covered_distance(**point), bounds.covered_distance_bound(**point)


if __name__ == "__main__":
    run_script(__file__)
