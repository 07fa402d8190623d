"""Finite pairs of laws that are mu-GDP."""

import numpy as np
from scipy.special import ndtr


def binned_gaussians(rng: np.random.Generator, mu: float, bins: int) -> np.ndarray:
    """A finite mu-GDP pair: N(0, 1) and N(mu, 1), or the two swapped, seen through random cuts."""
    edges = np.concatenate([[-np.inf], np.sort(rng.uniform(-4, 4 + mu, size=bins - 1)), [np.inf]])
    edges = np.array([edges, edges - mu])
    pair = np.where(edges[:, 1:] > 0, -np.diff(ndtr(-edges)), np.diff(ndtr(edges)))  # small also in the upper tail
    return pair if rng.random() < 0.5 else pair[::-1]
