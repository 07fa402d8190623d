"""Do the low bits of a float64 release tell which database it came from? Theorem 7 of Rubinstein et al., executed.

Two audits: over the reals (`experiments.rbht09.private_svm`; releases rounded first) judges the theorem; the bit-level
one here judges the sampler, by asking whether a release can be reached from a centre at all
(`mechanisms.laplace.reachable`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from experiments.instances.svm_neighbours import flipped
from mechanisms import private_svm as mechanism
from mechanisms.laplace import reachable
from mechanisms.privacy import PureDP


@dataclass(frozen=True)
class Reachability:
    """What the bit-level attacker keeps of a release: how many of its coordinates each of two centres cannot reach."""

    law: mechanism.SVMLaw
    centres: tuple  # of the two databases; the attacker knows both, and the scale
    own: int  # which of them this law has

    def sample(self, rng, size=1):
        """Counts, shape (size, 2)."""
        scale = self.law.scale
        return np.array(
            [
                [sum(not reachable(y, w, scale) for y, w in zip(row, centre, strict=True)) for centre in self.centres]
                for row in self.law.sample(rng, size)
            ]
        )

    def log_density(self, counts):
        """A score: an impossible coordinate counts 50 against its centre."""
        return -50.0 * counts[:, self.own]


def watched(laws):
    """The two laws as the bit-level attacker sees them."""
    centres = tuple(law.noise.centre for law in laws)
    return tuple(Reachability(law, centres, own) for own, law in enumerate(laws))


@lru_cache(maxsize=8)
def neighbours(sampler, n, F, beta):
    """Our law on the flipped pair, calibrated sharply, with the sampler named."""
    X, y, z = flipped(F, n, others=1.0)
    return tuple(mechanism.law(X, t, C=1.0, privacy=PureDP(beta), calibration="sharp", sampler=sampler) for t in (y, z))
