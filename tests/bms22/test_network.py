"""Section 5 of bms22: the network law against networks written out, covers, sabotage; Theorem 5.1 and its claims."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import softmax

from lemmata.bounds.bms22 import network, network_cover, network_embedding
from lemmata.experiments.instances.classes import networks
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.law import fit
from lemmata.mechanisms.learners.covers import network_learner, pure_learner
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import ApproxDP, PureDP
from tests.bms22.records import fit_of_errors, sample_of

COARSE = {"privacy": PureDP(0.7), "norm_bound": 1.0, "radius": 1.0, "eta": 2.0}


def drawn(layers, d, width=1, k=1, seed=0):
    rng = np.random.default_rng(seed)
    return [sign_projection(k, d if j == 0 else width, rng=rng) for j in range(layers)]


# The law --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layers", "width", "k", "rho"), [(1, 1, 1, 0.5), (1, 1, 2, 4.0), (2, 1, 1, 8.0), (2, 2, 1, 25.0), (3, 1, 1, 200.0)]
)
def test_the_law_is_the_exponential_mechanism(layers, width, k, rho):
    """A slow twin: every member of the product, every record, the activation as it is printed."""
    X, y = sample_of(6, 3)
    public = drawn(layers, 3, width, k)
    released = network_learner.law(X, y, rho=rho, public=public, **COARSE)
    lists = [np.concatenate(list(one.blocks())) for one in released.covers]

    def network_of(weights, x):
        values = x
        for j, W in enumerate(weights):
            if j:
                values = -np.expm1(-2.0 * values / 2) / (1 + np.exp(-2.0 * values / 2))  # accurate near 0
            values = W.reshape(k, -1).T @ public[j].apply(values)
        return values[0]

    errors = [
        sum(b * network_of(weights, a) <= 0 for a, b in zip(X, y, strict=True)) for weights in itertools.product(*lists)
    ]
    np.testing.assert_array_equal(released.errors, errors)
    logs = released.selection.log_probabilities()
    np.testing.assert_allclose(np.exp(logs), softmax(-0.7 * np.array(errors) / 2), rtol=1e-9)
    numbers = np.arange(0, len(errors), 7)
    np.testing.assert_array_equal(
        released.weights(numbers), [np.hstack(list(itertools.product(*lists))[i]) for i in numbers]
    )
    np.testing.assert_allclose(released.log_density(released.weights(numbers)), logs[numbers])
    assert np.isneginf(released.log_density(released.weights([0]) + 0.3 * released.covers[0].resolution)).all()


@pytest.mark.statistical
def test_releases_follow_the_law():
    """Chi-square of the errors of 20,000 releases at 1e-9."""
    X, y = sample_of(6, 3)
    laws = (network_learner.law(X, y, rho=8.0, public=drawn(2, 3, seed=seed), **COARSE) for seed in range(50))
    released = next(each for each in laws if len(set(each.errors)) > 1)  # embeddings under which the networks differ
    draws = released.sample(np.random.default_rng(TEST_ROOT), 20_000)
    model = [np.tanh(0.5 * draws[:, :1] * released.public[0].apply(X)[:, 0]), released.public[1].apply(np.ones(1))[0]]
    errors = (y * draws[:, 1:] * model[1] * model[0] <= 0).sum(axis=1)
    assert fit_of_errors(released, errors) > 1e-9


def test_one_layer_is_the_linear_learner():
    """L = 1: Algorithm 1 of bms22 with the same cover."""
    X, y = sample_of(9, 4)
    public = drawn(1, 4, k=2)[0]
    sizes = {"norm_bound": 1.0, "radius": 1.0, "rho": 0.9}
    linear = pure_learner.law(X, y, privacy=PureDP(0.7), public=public, **sizes)
    released = network_learner.law(X, y, privacy=PureDP(0.7), public=[public], eta=3.0, **sizes)
    np.testing.assert_array_equal(released.errors, linear.errors)


@pytest.mark.parametrize(
    ("part", "sabotaged"),
    [
        ("activation", lambda values, eta: values**3 - values),
        ("transpose_embeddings", lambda public: [np.array([[3.0], [1.0]])]),
    ],
)
def test_sabotaged_networks_err_otherwise(part, sabotaged, monkeypatch):
    """Negative control of the slow twin: an activation that bends back, an embedding without its signs."""
    X, y = sample_of(8, 3)
    arguments = {"rho": 25.0, "public": drawn(2, 3, 2, seed=3), **COARSE}
    honest = network_learner.law(X, y, **arguments).errors
    monkeypatch.setattr(network_learner, part, sabotaged)
    assert (network_learner.law(X, y, **arguments).errors != honest).any()


def test_ties_are_errors():
    released = network_learner.law(np.zeros((3, 2)), [1, -1, 1], rho=8.0, public=drawn(2, 2), **COARSE)
    assert (released.errors == 3).all()


def test_long_rows_are_clipped():
    """With three neurons a long row saturates the activation, and some networks change sign: not if it is clipped."""
    X, y = sample_of(5, 2)
    errors = [network_learner.law(s * X, y, rho=60.0, public=drawn(2, 2, 3), **COARSE).errors for s in (1.0, 1e6)]
    np.testing.assert_array_equal(*errors)
    unclipped = network_learner.law(
        1e6 * X, y, rho=60.0 * 1e6, public=drawn(2, 2, 3), **(COARSE | {"radius": 1e6})
    ).errors
    assert (unclipped != errors[0]).any()


def test_a_release_is_a_predictor():
    X = np.r_[np.full((60, 1), 0.9), np.full((60, 1), -0.9)]
    y = np.sign(X[:, 0])

    def made(rho, norm_bound, width):
        sizes = {"rho": rho, "norm_bound": norm_bound, "radius": 1.0, "eta": 1.0, "privacy": PureDP(2.0)}
        public = [sign_projection(1, d, rng=np.random.default_rng(d)) for d in (1, width)]
        return fit(network_learner.law(X, y, public=public, **sizes), np.random.default_rng(1))

    model = made(0.5, 2.0, 1)
    assert (model.predict(X) == y).all() and model.privacy == PureDP(2.0)
    deep = made(9.0, 1.0, 2)
    assert [W.shape for W in deep.weights] == [(1, 2), (1, 1)]
    assert deep.decision_function(X).shape == (120,)


def test_covers_have_the_sizes_of_the_text():
    """claims/bms22.md, part 5: 41, 5.2e4 for (L, N, k, rho) = (1, 1, 1, .5), (2, 1, 1, .5)."""
    shape = {"norm_bound": 1.0, "radius": 1.0, "rho": 0.5, "eta": 1.0}
    sizes = []
    for layers in (1, 2):
        resolution = network_cover.printed_resolution(layers=layers, **shape)
        sizes.append(
            math.prod(
                one.size for one in network_learner.product_cover(1, 1, layers, norm_bound=1.0, resolution=resolution)
            )
        )
    assert sizes == [40, 227**2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rho": 0.0}, r"rho must be in \[1e-100, 1e\+100\], got 0\.0"),
        ({"eta": -1.0}, r"eta must be in \[1e-100, 1e\+100\], got -1\.0"),
        ({"privacy": ApproxDP(1.0, 0.1)}, r"privacy must imply a PureDP, got ApproxDP\(epsilon=1\.0, delta=0\.1,"),
        ({"public": []}, "public is a list, not a list of one to 64 projections"),
        ({"public": [*drawn(1, 2), 3]}, "public is a list, not a list of one to 64 projections"),
        ({"public": drawn(2, 3)}, r"public has embeddings R\^3 -> R\^1, R\^1 -> R\^1: not R\^2 -> R\^k, then R\^N"),
        ({"public": drawn(2, 2), "rho": 1e-4}, "public has shapes for .* networks: more than"),
        ({"calibration": "exact"}, "calibration must be one of printed, got 'exact'"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        network_learner.law(np.eye(2), [1, -1], **(COARSE | {"rho": 4.0, "public": drawn(1, 2)} | arguments))


# Theorem 5.1 ----------------------------------------------------------------------------------------------------------


def test_the_activation_is_a_hyperbolic_tangent():
    values = np.linspace(-50, 50, 101)
    for eta in (0.1, 1.0, 8.0):
        printed = (1 - np.exp(-eta * values / 2)) / (1 + np.exp(-eta * values / 2))
        np.testing.assert_allclose(network_learner.activation(values, eta), printed, rtol=1e-12)
        assert network.slope_at_zero(eta=eta) == eta / 4 == network.lipschitz_constant(eta=eta) / 4


@pytest.mark.parametrize("layers", range(1, 11))
def test_recursions_iterated(layers):
    """Delta_L, L = 1..10, in numbers, against the recursion of the proof."""
    sizes = {"norm_bound": 1.0, "radius": 1.0, "eta": 1.0, "layers": layers}
    delta, norm = math.sqrt(2) * 0.1, 2 * math.sqrt(2)
    for _ in range(layers - 1):
        delta, norm = math.sqrt(2) * 0.1 * norm + 2 * math.sqrt(2) * delta, 2 * math.sqrt(2) * norm
    assert network_cover.covered_distance(resolution=0.1, **sizes) == pytest.approx(delta)
    assert network_cover.covered_distance_bound(resolution=0.1, **sizes) >= delta


def test_an_aligned_member_of_a_cover_defeats_the_embedding():
    """The adversarial choice: the difference of two layers lies along Phi's largest singular vector."""
    rng, k, width = np.random.default_rng(0), 8, 256
    phi = networks.sign_matrix(rng, k, width)
    direction = np.linalg.svd(phi)[2][0]
    independent = rng.normal(size=(200, width))
    growth = np.linalg.norm(independent @ phi.T, axis=1) ** 2 / np.linalg.norm(independent, axis=1) ** 2
    assert np.linalg.norm(phi @ direction) ** 2 > width / k > network_cover.enlargement(k=k, width=width)
    assert (growth > 2).mean() < 0.1


def test_a_small_move_makes_a_wide_network_err():
    """The counterexample of Claim D.3: 2 h(1/2) + h(-1) is small, and a move along Phi_1' W_2 lowers one by enough."""
    rng, x, moved = np.random.default_rng(0), np.array([0.5, -1.0]), 0.1
    for k, width, scale in itertools.product((1, 4), (80, 2000), (1.0, 0.3, 1e-3)):
        phi, last, first = networks.sign_matrix(rng, k, width), rng.normal(size=k), rng.normal(size=width)
        weights, s = phi.T @ last, 8 * scale * first / np.linalg.norm(first)
        norm, size = np.linalg.norm(last), np.linalg.norm(weights)
        assert 2 * weights @ np.tanh(s / 2) - weights @ np.tanh(s) <= 16 * norm
        for one in x:
            after = weights @ np.tanh(one * (s * (1 - moved / 8) - np.sign(one) * moved * weights / size))
            before = weights @ np.tanh(one * s * (1 - moved / 8))
            assert after <= before - 0.39 * moved * (size - 64 * norm**2 / size)


def test_the_bound_speaks_from_here():
    """One layer, one neuron: from 65,419 samples; two layers at the same ratio rho/H do not cost much more."""
    sizes = {"epsilon": 1.0, "beta": 0.1, "margin_loss": 0.0, "norm_bound": 1.0, "radius": 1.0, "eta": 1.0, "width": 1}
    one = network.informative_from(layers=1, rho=0.5, **sizes)
    two = network.informative_from(layers=2, rho=0.125, **sizes)
    assert one == 65_419 and two < 15 * one
    assert network.explicit_gap(m=one, layers=1, rho=0.5, **sizes) < 1


def test_nothing_found_exceeds_what_the_order_says_it_reaches():
    """min(1, explicit)/printed at 4,000 points: the note of Theorem 5.1 (corrected) names the largest ratio found."""
    rng = np.random.default_rng(TEST_ROOT)

    def reached(point):
        explicit = network.explicit_gap(margin_loss=float(rng.random()), **point)
        return min(1.0, explicit) / network.gap_below_the_end(**point)

    largest = max(map(reached, networks.LARGE))
    assert round(largest) == 602
    for _ in range(4000):
        layers, eta, m = int(rng.integers(1, 7)), 0.5 * 10 ** rng.exponential(0.3), int(10 ** rng.uniform(0, 18))
        sizes = {"m": m, "epsilon": 10 ** rng.uniform(-14, 3), "beta": 0.5 ** rng.exponential(1.0) * 0.5}
        shape = {"layers": layers, "width": int(rng.choice([1, 2, 64])), "eta": eta, "norm_bound": 1.0, "radius": 1.0}
        point = sizes | shape | {"rho": eta**layers / 2 * 0.999 ** rng.exponential(50)}
        assert reached(point) <= 1.001 * largest, point


def test_no_member_of_the_class_exceeds_the_largest_output():
    rng = np.random.default_rng(5)
    for layers in (1, 2, 3, 4) * 3:
        X = rng.normal(size=(50, 20))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        outputs = networks.layers_of(networks.random_network(rng, 20, 3, layers, 1.5), X, 2.0)[-1]
        assert np.abs(outputs).max() <= network_embedding.largest_output(
            norm_bound=1.5, radius=1.0, eta=2.0, layers=layers
        )
