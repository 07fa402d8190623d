r"""Translation-invariant kernels and their spectral laws: Rubinstein et al. 2009, Table 1 and Algorithm 3.

A continuous positive definite k(x, y) = g(x - y) with g(0) = 1 is the characteristic function of a probability law p,

    g(Delta) = int e^{j <omega, Delta>} p(omega) d omega,     p(omega) = (2 pi)^-d int e^{-j <omega, x>} g(x) dx,

from which random features draw their frequencies. Profiles g and densities p take a point as the sequence of its d
coordinates: floats, arrays, or balls of `flint` for a rigorous value.
"""

from __future__ import annotations

import numpy as np
from flint import acb, arb

BALLS = (arb, acb)


def exp(x):
    """e^x of a number, an array or a ball."""
    return x.exp() if isinstance(x, BALLS) else np.exp(x)


def log(x):
    """The natural logarithm of a number, an array or a ball."""
    return x.log() if isinstance(x, BALLS) else np.log(x)


def sqrt(x):
    """The square root of a number, an array or a ball."""
    return x.sqrt() if isinstance(x, BALLS) else np.sqrt(x)
