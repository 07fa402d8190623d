"""Networks of bms22's Section 5: corners of the hypotheses, random and worst embeddings, small learners."""

from functools import cache
from itertools import product
from math import comb, sqrt

import numpy as np

from lemmata.bounds.bms22 import network, network_cover, network_embedding
from lemmata.bounds.bms22.matrix_projection import deviations, failure_of_deviations
from lemmata.experiments.checks import Link
from lemmata.experiments.engine.claims.claim import grid
from lemmata.experiments.instances.classes.learner_bounds import choice_links
from lemmata.experiments.instances.classes.linear_learners import Dense
from lemmata.mechanisms.learners.covers.network_learner import activation, law
from lemmata.mechanisms.privacy import PureDP

UNIT = {"norm_bound": 1.0, "radius": 1.0}
SHAPES = grid(layers=[1, 2, 3, 6], eta=[0.5, 1.0, 4.0], norm_bound=[0.7], radius=[2.0])
SAMPLES = grid(m=[1, 100, 10**9], beta=[1e-9, 0.5])
ENDS = (2.0, 1e4)  # r (eta Lambda)^L/rho


def corners():
    """Shapes and samples at the corners of eta >= 1/2, rho <= r (eta Lambda)^L/2, beta <= 1/2."""
    for shape, sample, end in product(SHAPES, SAMPLES, ENDS):
        top = shape["radius"] * (shape["eta"] * shape["norm_bound"]) ** shape["layers"]
        yield shape | sample | {"rho": top / end * (1 - 1e-12)}


# The order of Theorem 5.1 ---------------------------------------------------------------------------------------------

COMPLEXITY = 318.0  # mA <= 318 N theta r^2 (2 eta Lambda)^{2L}/rho^2


def derived(*, m, epsilon, beta, width, **shape):
    """A bound on explicit where C order < 1, by the derivation of `network.gap_below_the_end`."""
    sizes = {"m": m, "beta": beta} | shape
    logs = network_embedding.printed_logarithm(**shape)
    A = COMPLEXITY * network_embedding.printed_rows.theorem.formula(**sizes) * width * logs / m
    return 1.002 * 2 * A / epsilon + sqrt(2 * A) + 252 * A


ONE_NEURON = {"beta": 0.5, "eta": 0.5, "rho": 0.25, "layers": 1, "width": 1} | UNIT
LARGE = tuple(ONE_NEURON | sample for sample in grid(m=[3 * 10**12, 10**14], epsilon=[7e-8, 2e-6, 1.0]))


def explicit_against_printed():
    """Cases of min(1, explicit) <= C printed, and of mA and L k as the derivation bounds them where C printed < 1.

    At the corners one side or the other is nearly always above 1; `LARGE` has the sample at which a search over all
    arguments finds explicit / g largest.
    """
    reached = 0.0
    for sizes in LARGE:
        explicit, printed = network.explicit_gap(margin_loss=0.0, **sizes), network.gap_below_the_end(**sizes)
        yield sizes | {"of": "large samples"}, min(1.0, explicit), printed
        reached = max(reached, min(1.0, explicit) / printed)
    for point, m, width, epsilon in product(corners(), (1, 100, 10**12, 10**30), (1, 64), (1e-6, 1e6)):
        sizes = point | {"m": m, "width": width, "epsilon": epsilon}
        explicit, order = network.explicit_gap(margin_loss=1.0, **sizes), network.gap_below_the_end(**sizes)
        yield sizes, min(1.0, explicit), order
        if network.ORDER * order < 1:
            yield Link("explicit ≤ 1.002 α + √(2A) + 252 A", sizes, explicit, derived(**sizes))
            yield Link("mA ≤ 318 X", sizes, derived(**sizes), network.ORDER * order)
            printed = network_embedding.rows_below_the_end(**point | {"m": m})
            rows = point["layers"] * network_embedding.embedding_rows(**point | {"m": m})
            yield Link("L k ≤ 59.6 of the printed rows", sizes, rows, 59.6 * printed)
    note = f"explicit ≤ C g with C = {network.ORDER:g}; explicit / g reaches {reached:.3g}, at small ε"
    return {"note": note, "tightness": (reached / network.ORDER, 1.0)}


# The explicit bound, link by link -------------------------------------------------------------------------------------

EVENTS = grid(
    m=[1, 10**4, 10**8],
    epsilon=[1e-3, 1e6],
    beta=[1e-12, 1 - 1e-9],
    rho=[3.0, 0.3, 1e-3],
    eta=[0.01, 4.0],
    layers=[1, 4],
    width=[5],
    norm_bound=[1.0],
    radius=[1.0],
    margin_loss=[0.0, 0.5],
)


def shape_of(setting):
    """The arguments that describe the class: Lambda, r, rho, eta, L."""
    return {name: setting[name] for name in ("norm_bound", "radius", "rho", "eta", "layers")}


def iterated_distance(tau, *, norm_bound, radius, slope, layers):
    """Gamma_L by the recursion: Gamma_j = tau r slope^{j-1} Lambda^j + (1 + tau) slope Lambda Gamma_{j-1}."""
    error = tau * norm_bound * radius
    for j in range(2, layers + 1):
        error = tau * radius * slope ** (j - 1) * norm_bound**j + (1 + tau) * slope * norm_bound * error
    return error


def iterated_cover(kappa, resolution, *, norm_bound, radius, slope, layers):
    """(B_{L-1}, Delta_L) by the recursions, every layer within `resolution`: B_0 = r, norms enlarged by `kappa`."""
    norm, hidden, distance = 2 * norm_bound * kappa * radius, radius, resolution * kappa * radius
    for _ in range(2, layers + 1):
        distance = resolution * kappa * slope * norm + 2 * norm_bound * kappa * slope * distance
        hidden, norm = norm, 2 * norm_bound * kappa * slope * norm
    return hidden, distance


def links(*, margin_loss, factor=1, **setting):
    """How much each link of the derivation uses of its allowance, the gap divided by `factor`."""
    m, epsilon, beta, layers = (setting[name] for name in ("m", "epsilon", "beta", "layers"))
    shape, terms = shape_of(setting), network.explicit_terms(**setting)
    gap = network.explicit_gap(margin_loss=margin_loss, **setting) / factor
    norm, tau = deviations(m=2 * m, k=terms.rows, beta=beta / (4 * layers))
    recursion = {name: shape[name] for name in ("norm_bound", "radius", "layers")} | {"slope": shape["eta"] / 4}
    each = network_cover.cover_resolution(**shape) / sqrt(layers)
    rho = min(shape["rho"], network_embedding.largest_output(**{n: shape[n] for n in shape if n != "rho"}))
    failure = layers * failure_of_deviations(m=2 * m, k=terms.rows, norm=norm, product=tau)
    return {
        "embedding": failure / (beta / 4),
        "distance": iterated_distance(tau, **recursion) / (rho / 2),
        "cover": iterated_cover(sqrt(1 + norm), each, **recursion)[1] / (shape["rho"] / 2),
    } | choice_links(terms, m=m, epsilon=epsilon, beta=beta, margin_loss=margin_loss, gap=gap)


def says_nothing(**setting):
    """Why the explicit bound is vacuous, or None."""
    bound = setting["margin_loss"] + network.explicit_gap(**setting)
    return f"the bound is {bound:.3g}, at least the largest risk 1" if bound >= 1 else None


# Networks and embeddings ----------------------------------------------------------------------------------------------


def random_network(rng, d, width, layers, norm_bound):
    """Weights of all layers at the largest norm, shapes (d, N), (N, N), ..., (N, 1)."""
    shapes = [(d if j == 0 else width, 1 if j == layers - 1 else width) for j in range(layers)]
    made = [rng.normal(size=shape) for shape in shapes]
    return [W * (norm_bound / np.linalg.norm(W)) for W in made]


def sign_matrix(rng, k, d):
    """A k x d matrix of entries +-1/sqrt(k)."""
    return rng.choice([-1.0, 1.0], size=(k, d)) / sqrt(k)


def layers_of(weights, X, eta, embeddings=None):
    """Outputs of every layer before activation; with `embeddings`, layer j sees its input through Phi_{j-1}.

    `weights` are then those of the embedded layers, (k, N).
    """
    outputs, inputs = [], X
    for j, W in enumerate(weights):
        seen = inputs if embeddings is None else inputs @ embeddings[j].T
        outputs.append(seen @ W)
        inputs = activation(outputs[-1], eta)
    return outputs


def measured_distortion(weights, embeddings, X, eta):
    """(tau, largest |h - h^Phi|): tau is the largest distortion of (19) to (22) on the sample."""
    embedded = [phi @ W for phi, W in zip(embeddings, weights, strict=True)]
    plain, seen = layers_of(weights, X, eta), layers_of(embedded, X, eta, embeddings)
    tau = max((np.linalg.norm(E) / np.linalg.norm(W)) ** 2 - 1 for E, W in zip(embedded, weights, strict=True))
    for j, (W, phi) in enumerate(zip(weights, embeddings, strict=True)):
        inputs = [X] if j == 0 else [activation(plain[j - 1], eta)]
        if j:
            inputs.append(inputs[0] - activation(seen[j - 1], eta))
        for Z in inputs:
            errors = np.linalg.norm(Z @ phi.T @ phi @ W - Z @ W, axis=1)
            tau = max(tau, (errors / (np.linalg.norm(W) * np.maximum(np.linalg.norm(Z, axis=1), 1e-300))).max())
    return float(tau), float(np.abs(plain[-1] - seen[-1]).max())


@cache
def embedded_networks(count, d, width, k, eta, norm_bound, radius):
    """(layers, tau, |h - h^Phi|, weights, embeddings, X) of random networks and embeddings, each time the same."""
    rng, made = np.random.default_rng(5), []
    for trial in range(count):
        layers = 1 + trial % 4
        X = rng.normal(size=(10, d))
        X *= radius / np.linalg.norm(X, axis=1, keepdims=True)
        weights = random_network(rng, d, width, layers, norm_bound)
        embeddings = [sign_matrix(rng, k, d if j == 0 else width) for j in range(layers)]
        made.append((layers, *measured_distortion(weights, embeddings, X, eta), weights, embeddings, X))
    return made


# Worst cases in closed form -------------------------------------------------------------------------------------------


def disagreement(k):
    """(chance, distance): |<Phi w, Phi x> - 1| is at least this distance with this chance, w = x = (1, 1)/sqrt(2)."""
    least = 1 if k % 2 else 2
    chance = 1.0 if k % 2 else 1 - comb(k, k // 2) / 2**k
    return chance, least / k


def lost_margin(k, a):
    """P(<Phi w, Phi x> <= <w, x>/2), w = e_1 and x = (1/a, c): the mean of k signs is at most -1/(2ac)."""
    cross = sqrt(1 - a**-2)
    return sum(comb(k, j) for j in range(k + 1) if (2 * j - k) / k * cross + 1 / a <= 1 / (2 * a)) / 2**k


# Learners that can be listed ------------------------------------------------------------------------------------------


def embeddings(layers, width=1, d=2, k=1):
    """All sign matrices of all layers, as projections."""
    shapes = [(k, d if j == 0 else width) for j in range(layers)]
    choices = [
        [Dense(np.reshape(s, shape) / sqrt(k)) for s in product((1.0, -1.0), repeat=shape[0] * shape[1])]
        for shape in shapes
    ]
    return product(*choices)


def learner(X, y, epsilon, public, **sizes):
    """The law of the network learner on (X, y)."""
    sizes = UNIT | {"rho": 8.0, "eta": 1.0} | sizes
    return law(np.array(X), np.array(y), privacy=PureDP(epsilon), public=list(public), **sizes)


def worst_pair(m, epsilon, layers=2):
    """m equal records, and the same with one label flipped."""
    public = next(iter(embeddings(layers)))
    X = [[1.0, 0.0]] * m
    return tuple(learner(X, y, epsilon, public) for y in ([1.0] * (m - 1) + [-1.0], [1.0] * m))


def chance_of_errors(errors_at_least, y, epsilon, rho):
    """P(the one-layer learner, k = 1, errs on at least that many of the records (1, y_i))."""
    released = learner([[1.0]] * len(y), y, epsilon, [Dense(np.ones((1, 1)))], rho=rho)
    chances = np.exp(released.selection.log_probabilities())
    return float(chances[released.errors >= errors_at_least].sum())
