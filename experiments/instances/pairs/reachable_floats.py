"""Do the low bits of a float64 release tell which database it came from? Theorem 7 of Rubinstein et al., executed.

Two audits: over the reals (`lemmata.experiments.rbht09.private_svm`; releases rounded first) judges the theorem; the
bit-level one here judges the sampler, by asking whether a release can be reached from a centre at all: by numpy's
Laplace sampler (`lemmata.mechanisms.noise.laplace.reachable`), or by any double added to it (`some_double`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import inf, nextafter
from typing import Any

import numpy as np

from lemmata.experiments.instances.pairs.svm_neighbours import flipped
from lemmata.mechanisms.learners.erm import private_svm as mechanism
from lemmata.mechanisms.noise.laplace import reachable
from lemmata.mechanisms.privacy import PureDP


@dataclass(frozen=True)
class Reachability:
    """What the bit-level attacker keeps of a release: how many of its coordinates each of two centres cannot reach."""

    law: Any
    centres: tuple  # of the two databases; the attacker knows both, and the scale
    own: int  # which of them this law has
    reaches: Callable  # (release, centre) of one coordinate -> bool

    def sample(self, rng, size=1):
        """Counts, shape (size, 2)."""
        return np.array(
            [
                [sum(not self.reaches(y, w) for y, w in zip(row, centre, strict=True)) for centre in self.centres]
                for row in self.law.sample(rng, size)
            ]
        )

    def log_density(self, counts):
        """A score: an impossible coordinate counts 50 against its centre."""
        return -50.0 * counts[:, self.own]


def some_double(y: float, centre: float) -> bool:
    """Is y = centre + z in float64 for some double z at all? The bit-level attack on noise of any law.

    >>> some_double(0.1, 0.0), some_double(0.1, 1.0), some_double(0.125, 1.0)
    (True, False, True)
    """
    z = y - centre
    return any(centre + near == y for near in (z, nextafter(z, inf), nextafter(z, -inf)))


def watched(laws, centres=None):
    """Two laws as the bit-level attacker sees them.

    Without `centres` they are SVMs under Laplace noise, and a release is possible if a uniform of numpy's inversion
    leads to it; with them they have any noise, and it is possible if some double does.
    """
    if centres is not None:
        return tuple(Reachability(law, centres, own, some_double) for own, law in enumerate(laws))
    centres = tuple(law.noise.centre for law in laws)
    return tuple(
        Reachability(law, centres, own, lambda y, w, scale=law.scale: reachable(y, w, scale))
        for own, law in enumerate(laws)
    )


@lru_cache(maxsize=8)
def neighbours(sampler, n, F, beta):
    """Our law on the flipped pair, calibrated sharply, with the sampler named."""
    X, y, z = flipped(F, n, others=1.0)
    return tuple(mechanism.law(X, t, C=1.0, privacy=PureDP(beta), calibration="sharp", sampler=sampler) for t in (y, z))
