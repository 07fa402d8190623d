"""Records that several test modules draw."""

import numpy as np


def cloud(seed, n=12, d=3, shift=2.0):
    """Records with labels; separable for a shift that is large."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], n)
    return (rng.normal(size=(n, d)) + shift * np.eye(d)[0]) * y[:, None], y
