"""Algorithm 1 of bms22 where it can be decided exactly: small projections, worst neighbours, losses in closed form."""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
from scipy.stats import binom

from lemmata.bounds.bms22 import pure_learner
from lemmata.experiments.instances.datasets.points import points
from lemmata.mechanisms.learners.covers.pure_learner import law
from lemmata.mechanisms.privacy import PureDP

NARROW = {"norm_bound": 1.0, "radius": 1.0, "rho": 1.0}


@dataclass(frozen=True)
class Dense:
    """A projection given by its matrix, shape (k, d): so that all sign matrices can be enumerated."""

    matrix: np.ndarray = field(repr=False)

    @property
    def k(self):
        return len(self.matrix)

    @property
    def d(self):
        return self.matrix.shape[1]

    def apply(self, X):
        return X @ self.matrix.T

    def transpose(self, W):
        return W @ self.matrix


IDENTITY = Dense(np.ones((1, 1)))
ROTATION = Dense(np.array([[1.0, 1.0], [1.0, -1.0]]) / sqrt(2))  # a sign matrix without distortion


def sign_matrices(k, d):
    """All projections whose k x d matrix has entries +-1/sqrt(k)."""
    return [Dense(np.reshape(signs, (k, d)) / sqrt(k)) for signs in product((1.0, -1.0), repeat=k * d)]


def learner(X, y, epsilon, public, **sizes):
    """The law of Algorithm 1 on (X, y)."""
    return law(np.array(X), np.array(y), privacy=PureDP(epsilon), public=public, **(NARROW | sizes))


# Datasets -------------------------------------------------------------------------------------------------------------

RECORDS = [((1.0, 0.0), 1.0), ((1.0, 0.0), -1.0), ((0.6, -0.8), 1.0), ((0.6, -0.8), -1.0), ((0.0, 0.0), 1.0)]
DIRECTIONS = np.array([(1.0, 0.0), (0.6, 0.8), (-0.8, 0.6), (0.0, -1.0), (0.5, 0.0), (0.0, 0.0)])


def records_of(numbers):
    """(X, y) of the dataset with these positions in RECORDS."""
    return [list(RECORDS[i][0]) for i in numbers], [RECORDS[i][1] for i in numbers]


def one_against_all(m):
    """The worst neighbours: m - 1 records (x, +) and one (x, -), which becomes (x, +)."""
    X = [[1.0, 0.0]] * m
    return (X, [1.0] * (m - 1) + [-1.0]), (X, [1.0] * m)


def worst_pair(m, epsilon, public):
    """The laws on these neighbours."""
    return tuple(learner(*data, epsilon, public) for data in one_against_all(m))


def whole_number_samples(k, d):
    """(phi, w, X, y): all k x d sign matrices without their scale, integer weights, samples of five with ties."""
    rng = np.random.default_rng(k + 10 * d)
    samples = [(rng.integers(-1, 3, size=(5, d)), rng.choice([-1, 1], size=5)) for _ in range(20)]
    for signs in product((1, -1), repeat=k * d):
        for w, (X, y) in product(product((-1, 0, 2), repeat=k), samples):
            yield np.array(signs).reshape(k, d), w, X, y


def nearest_candidates(size):
    """(w, rho, distance to the nearest candidate) for random w of the unit disc."""
    rng = np.random.default_rng(4)
    for trial in range(size):
        rho = (0.3, 1.0)[trial % 2]
        released = learner([[1.0, 0.0]], [1.0], 1.0, ROTATION, rho=rho)
        w = rng.normal(size=2)
        w /= max(1.0, np.linalg.norm(w))
        candidates = np.concatenate(list(released.candidates.blocks()))
        yield w, rho, float(np.sqrt(((candidates - w) ** 2).sum(axis=1).min()))


def distorted_margins():
    """(phi, w, x, share of the margin kept) for sign matrices that move a margin <w, x> by at most a third of it.

    Whole-number w and x, up to three rows. Lemma A.3 with gamma = rho/(Lambda r) is that condition.
    """
    vectors = [np.array(v) for v in product((-1, 0, 1, 2), repeat=2) if any(v)]
    for k in (1, 2, 3):
        for signs in product((1, -1), repeat=2 * k):
            phi = np.array(signs).reshape(k, 2)
            for w, x in product(vectors, repeat=2):
                margin, after = int(w @ x), Fraction(int((phi @ w) @ (phi @ x)), k)
                if margin > 0 and 3 * abs(after - margin) <= margin:
                    yield phi, w, x, after / margin


def samples_of_directions(m, size):
    """`size` samples (X, y) of m records from DIRECTIONS."""
    rng = np.random.default_rng(m)
    numbers = [rng.integers(0, 2 * len(DIRECTIONS), size=m) for _ in range(size)]
    return [(DIRECTIONS[i // 2], np.where(i % 2, 1.0, -1.0)) for i in numbers]


def flipped_samples(k, m):
    """(number of flipped labels, X, y): unit records in R^k, k = 1, 2, from no to half of their labels flipped."""
    rng = np.random.default_rng(m)
    for flipped in sorted({*range(0, m // 2 + 1, max(1, m // 12)), *range(max(0, m // 2 - 6), m // 2 + 1)}):
        X = np.ones((m, 1)) if k == 1 else points(rng, m, 2)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = np.where(X[:, 0] >= 0, 1.0, -1.0)
        y[:flipped] *= -1
        yield flipped, X, y


# Losses in closed form ------------------------------------------------------------------------------------------------


def least_loss(X, y, rho, norm_bound):
    """The least rho-margin loss over ||w|| <= Lambda on the line or in the plane, exactly.

    A longer w is no worse, so ||w|| = Lambda. In the plane record i has margin above rho on an open arc of angles
    around y_i x_i; between the ends of these arcs the loss is constant.
    """
    Z = y[:, None] * X
    if Z.shape[1] == 1:
        return min(float((sign * norm_bound * Z <= rho).mean()) for sign in (1.0, -1.0))
    lengths = norm_bound * np.linalg.norm(Z, axis=1)
    can = lengths > rho
    if not can.any():
        return 1.0
    centre, half = np.arctan2(Z[can, 1], Z[can, 0]), np.arccos(rho / lengths[can])
    ends = np.sort(np.concatenate([centre - half, centre + half]) % (2 * np.pi))
    middles = (ends + np.append(ends[1:], ends[0] + 2 * np.pi)) / 2
    apart = np.abs((middles[:, None] - centre + np.pi) % (2 * np.pi) - np.pi)
    return float(1 - (apart < half).sum(axis=1).max() / len(y))


def error_tail(released, level):
    """The probability that a release errs on more than a share `level` of its sample."""
    law = np.exp(released.selection.log_probabilities())
    return float(law[released.errors / released.samples > level + 1e-12].sum())


def coin_risks(rho):
    """(least risk over all candidates, margin loss of the best comparator) for x = e_1, y a fair coin, m = 1."""
    released = learner([[1.0]], [1.0], 1.0, IDENTITY, rho=rho)
    weights = released.projection.transpose(released.candidates.points(np.arange(released.candidates.size)))[:, 0]
    risks = np.mean([y * weights <= 0 for y in (1.0, -1.0)], axis=0)
    return float(risks.min()), float(rho >= 1.0)  # margins y <w, x> <= rho count as losses


def one_direction(m, epsilon, beta, noise, *, factor=1, **sizes):
    """(P(risk > bound), excess exceeded with probability beta) of Algorithm 1 on one direction, x = r e_1.

    Labels are flipped at rate `noise`. Exact at the explicit k, where no cover can be listed: a symmetric cover without
    candidates orthogonal to Phi x has as many right as wrong candidates, so w~ is wrong with probability
    1/(1 + e^{epsilon (m - 2 flips)/2}). The bound has alpha and A divided by `factor`.
    """
    flips = np.arange(m + 1) if m <= 10**5 else np.arange(*binom.ppf([1e-16, 1 - 1e-16], m, noise).astype(int))
    chance = binom.pmf(flips, m, noise)
    wrong = 1 / (1 + np.exp(np.clip(epsilon * (m - 2 * flips) / 2, -700, 700)))
    separable = sizes["rho"] < sizes["norm_bound"] * sizes["radius"]
    loss = np.minimum(flips, m - flips) / m if separable else np.ones(len(flips))
    terms = pure_learner.explicit_terms(m=m, epsilon=epsilon, beta=beta, **sizes)
    bound = loss + pure_learner.excess(loss, terms.alpha / factor, terms.complexity / factor)
    risks = np.array([noise, 1 - noise])[:, None]
    chances = np.array([chance * (1 - wrong), chance * wrong])
    excess = (risks - loss).ravel()
    order = np.argsort(excess)[::-1]
    quantile = excess[order][np.searchsorted(np.cumsum(chances.ravel()[order]), beta)]
    return float(chances[risks > bound + 1e-12].sum()), float(quantile)
