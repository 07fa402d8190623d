"""Neighbouring samples, and the laws of private choices on them, for the claims on margin selection.

On the line a record (x, y) enters through the signed record z = y x alone, and r = Lambda = h_max = 1.
"""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np

from lemmata.bounds.abgmu22.generalized_exponential import shift
from lemmata.mechanisms.privacy import PureDP
from lemmata.mechanisms.selection import exponential
from lemmata.mechanisms.selection.generalized_exponential import law
from lemmata.mechanisms.selection.margin_selection import margin_law

SIGNED = tuple(Fraction(k, 2) for k in (-2, -1, 0, 1, 2))  # z in [-r, r], r = 1
UNIVERSE = (-1.0, -0.5, 0.5, 1.0)  # y x on the line, r = Lambda = 1
RECORDS = 5  # two margins


def least_margin(z, rho, norm_bound):
    """min over |w| <= Lambda of #{i : w z_i <= rho} / m, for signed records z of the line."""
    return Fraction(min(sum(sign * norm_bound * x <= rho for x in z) for sign in (1, -1)), len(z))


def least_hinge(z, rho, norm_bound):
    """min over |w| <= Lambda of mean (1 - w z_i / rho)_+: convex and piecewise linear, so at a breakpoint or an end."""
    rho, top, z = Fraction(rho), Fraction(norm_bound), [Fraction(x) for x in z]
    tried = {top, -top} | {rho / x for x in z if x and abs(rho / x) <= top}
    return min(sum(max(1 - w * x / rho, 0) for x in z) for w in tried) / len(z)


def neighbours(m):
    """All samples of m signed records as multisets, and the pairs that differ in one."""
    samples = list(combinations_with_replacement(range(len(UNIVERSE)), m))
    counts = np.array([np.bincount(s, minlength=len(UNIVERSE)) for s in samples])
    pairs = [(i, j) for i, j in combinations(range(len(samples)), 2) if abs(counts[i] - counts[j]).sum() == 2]
    return samples, pairs


def learner(X, y, *, rho, privacy, beta):
    """The exponential mechanism between the classifiers +-x, by their errors."""
    z = y * X[:, 0]
    errors = np.array([(sign * z <= 0).mean() for sign in (1, -1)])
    return exponential.law(-errors, sensitivity=1 / len(z), privacy=PureDP(privacy.epsilon))


def joint(chosen):
    """The probabilities of all (margin, classifier), shape (2 J,)."""
    J = len(chosen.margins)
    return np.exp(chosen.log_density({"index": np.repeat(np.arange(J), 2), "model": np.tile([0, 1], J)}))


def selection_laws(epsilon, *, kind):
    """The joint law on every sample of the universe: F = t + 0.1/rho with the least margin or hinge loss."""
    samples, pairs = neighbours(RECORDS)
    losses = {
        "margin": (least_margin, lambda rho: 1 / RECORDS),
        "hinge": (least_hinge, lambda rho: 2 / (RECORDS * rho)),
    }
    least, moves = losses[kind]
    fixed = {"learner": learner, "sensitivity": moves, "h_max": 1.0, "privacy": PureDP(epsilon), "beta": 0.1}

    def best_loss(X, y, rho):
        return float(least(list(X[:, 0]), rho, 1))

    def selection(X):
        return margin_law(X, np.ones(RECORDS), bound=lambda rho, t: t + 0.1 / rho, best_loss=best_loss, **fixed)

    return np.array([joint(selection([[UNIVERSE[i]] for i in sample])) for sample in samples]), pairs


def rare_choice(heavy, *, epsilon, beta, rare=1, reference=1e-6):
    """Neighbours that spend almost all of epsilon: (scores before, scores after, sensitivities).

    A reference that hardly moves, `heavy` candidates level with it, and `rare` ones behind. The heavy ones get worse by
    their sensitivity 1, the rare ones better: normalised scores 0 -> 1 and 1 -> 0.
    """
    gamma = np.array([reference] + [1.0] * (heavy + rare))
    t = shift(candidates=len(gamma), epsilon=epsilon, beta=beta)
    before = np.array([0.0] * (heavy + 1) + [1.0] * rare) - t * gamma
    return before, before + gamma * np.array([-1.0] + [1.0] * heavy + [-1.0] * rare), gamma


def worst_pair(epsilon, delta=0.0, heavy=400, rare=1):
    """Choice and learner both at their worst: two laws over (candidate, output), products of finite ones.

    With probability delta the learner reveals which of the two datasets it has.
    """
    before, after, gamma = rare_choice(heavy, epsilon=epsilon, beta=0.05, rare=rare)
    moved = np.array([1.0] * heavy + [0.0]), np.array([0.0] * heavy + [1.0])
    products = []
    for side, (scores, quality) in enumerate(((before, moved[0]), (after, moved[1]))):
        choice = np.exp(law(scores, gamma, beta=0.05, privacy=PureDP(epsilon)).log_probabilities())
        run = exponential.law(quality, sensitivity=1.0, privacy=PureDP(epsilon)).log_probabilities()
        run = np.append((1 - delta) * np.exp(run), [delta * (side == 0), delta * (side == 1)])
        # outputs alike are merged: one heavy, one rare, the reference
        choice = np.array([choice[0], choice[1 : heavy + 1].sum(), choice[heavy + 1 :].sum()])
        run = np.array([run[:heavy].sum(), *run[heavy:]])
        products.append(np.outer(choice, run).ravel())
    return products
