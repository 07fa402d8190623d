"""Algorithm 1 of bms22 where it can be decided exactly: small projections, worst neighbours, losses in closed form."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import sqrt

import numpy as np
from scipy.stats import binom

from bounds.bms22 import pure_learner
from experiments.instances.points import points
from mechanisms.privacy import PureDP
from mechanisms.pure_learner import law

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


# Datasets ------------------------------------------------------------------------------------------------------------

RECORDS = [((1.0, 0.0), 1.0), ((1.0, 0.0), -1.0), ((0.6, -0.8), 1.0), ((0.6, -0.8), -1.0), ((0.0, 0.0), 1.0)]
DIRECTIONS = np.array([(1.0, 0.0), (0.6, 0.8), (-0.8, 0.6), (0.0, -1.0), (0.5, 0.0), (0.0, 0.0)])


def records_of(numbers):
    """(X, y) of the dataset with these positions in RECORDS."""
    return [list(RECORDS[i][0]) for i in numbers], [RECORDS[i][1] for i in numbers]


def one_against_all(m):
    """The worst neighbours: m - 1 records (x, +) and one (x, -), which becomes (x, +)."""
    X = [[1.0, 0.0]] * m
    return (X, [1.0] * (m - 1) + [-1.0]), (X, [1.0] * m)


def largest_ratio(*laws):
    """The largest log-ratio of two laws over the same candidates."""
    a, b = (law.selection.log_probabilities() for law in laws)
    return float(np.abs(a - b).max())


def records_at_margin(rng, m, d, *, norm_bound, radius, rho):
    """(w, X): w of norm Lambda, and m records of norm r with <w, x> = rho."""
    w = points(rng, 1, d)[0]
    w *= norm_bound / np.linalg.norm(w)
    V = rng.normal(size=(m, d))
    V -= np.outer(V @ w, w) / norm_bound**2
    V *= sqrt(max(0.0, radius**2 - (rho / norm_bound) ** 2)) / np.linalg.norm(V, axis=1, keepdims=True)
    return w, rho / norm_bound**2 * w + V


# Losses in closed form -----------------------------------------------------------------------------------------------


def plane_loss(X, y, rho, norm_bound):
    """The least rho-margin loss over ||w|| <= Lambda in the plane, exactly.

    A longer w is no worse, so ||w|| = Lambda. Record i has margin above rho on an open arc of angles around y_i x_i;
    between the ends of these arcs the loss is constant.
    """
    Z = y[:, None] * X
    lengths = norm_bound * np.linalg.norm(Z, axis=1)
    can = lengths > rho
    centre, half = np.arctan2(Z[can, 1], Z[can, 0]), np.arccos(rho / lengths[can])
    if not can.any():
        return 1.0
    ends = np.sort(np.concatenate([centre - half, centre + half]) % (2 * np.pi))
    middles = (ends + np.append(ends[1:], ends[0] + 2 * np.pi)) / 2
    apart = np.abs((middles[:, None] - centre + np.pi) % (2 * np.pi) - np.pi)
    return float(1 - (apart < half).sum(axis=1).max() / len(y))


def line_loss(X, y, rho, norm_bound):
    """The least rho-margin loss over |w| <= Lambda on the line."""
    return min(float((s * norm_bound * y * X[:, 0] <= rho).mean()) for s in (1.0, -1.0))


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
    reached = np.cumsum(chances.ravel()[order])
    quantile = excess[order][np.searchsorted(reached, beta)]
    return float(chances[risks > bound + 1e-12].sum()), float(quantile)
