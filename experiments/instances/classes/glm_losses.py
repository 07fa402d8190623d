"""Smooth non-negative losses of generalised linear models, and what they reach: for the claims about abgmu22."""

import numpy as np

from lemmata.mechanisms.learners.glm.glm_losses import LOSSES

SMOOTH = tuple(name for name, loss in LOSSES.items() if loss.smoothness < np.inf)


def largest_losses(label_bound, reach):
    """(loss, H, largest phi_y(t)) over |t| <= reach and labels with phi_y(0) <= label_bound^2, at the ends: convexity.

    Losses with labels -1 or +1 are multiplied by a constant that makes phi_y(0) = label_bound^2.
    """
    for name in SMOOTH:
        loss = LOSSES[name]
        scale = label_bound**2 / loss.at_zero if loss.signs else 1.0
        y = 1.0 if loss.signs else label_bound / np.sqrt(loss.at_zero)
        ends = loss.value(np.array([-reach, reach]), np.array([y, y]))
        yield name, scale * loss.smoothness, scale * float(ends.max())


def smooth_pieces(rng, smoothness, reach):
    """Values and slopes on a grid of [-reach, reach] of a random non-negative H-smooth function, its curvature +-H."""
    t = np.linspace(-reach, reach, 401)
    curvature = smoothness * rng.choice([-1.0, 1.0], size=8).repeat(50)
    step = t[1] - t[0]
    slope = np.concatenate([[0.0], np.cumsum(curvature * step)]) + rng.normal() * smoothness * reach
    value = np.concatenate([[0.0], np.cumsum((slope[1:] + slope[:-1]) / 2 * step)])
    # beyond the ends it curves up: going down at the end it loses slope^2/(2H) more; between grid points H step^2/8
    ends = [v - max(0.0, s) ** 2 / (2 * smoothness) for v, s in ((value[0], slope[0]), (value[-1], -slope[-1]))]
    return t, value - min(value.min() - smoothness * step**2 / 8, *ends), slope
