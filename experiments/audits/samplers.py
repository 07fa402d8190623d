"""Where releases come from: a law, a callable, or releases that somebody drew before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Raised:
    """The release of a mechanism that raised: the kind of the exception, not its message."""

    kind: str


class Exhausted(Exception):
    """No recorded release is left."""


def as_sampler(name: str, side: Any) -> Callable:
    """`sample(rng, size)` of a law, a callable, an array of releases or the path of one."""
    if hasattr(side, "sample"):
        return side.sample
    if callable(side):
        return side
    if isinstance(side, str):
        side = np.load(side)
    if isinstance(side, np.ndarray | list) and len(side):
        return Recorded(name, side)
    raise ValueError(f"{name} is a {type(side).__name__}, not a law, a callable (rng, size), an array or a .npy file")


class Recorded:
    """Releases that were drawn before, handed out one after the other, each once."""

    def __init__(self, name: str, releases: Any) -> None:
        self.name, self.releases, self.used = name, releases, 0

    def __call__(self, rng: np.random.Generator, size: int) -> Any:
        if self.used + size > len(self.releases):
            raise Exhausted(f"{self.name} has {len(self.releases)} releases, all used")
        self.used += size
        return self.releases[self.used - size : self.used]


def sampled(sample: Callable, rng: np.random.Generator, size: int) -> object:
    """`size` releases of `sample(rng, size)`; if that raises, one at a time, exceptions being releases too."""
    try:
        return sample(rng, size)
    except Exhausted:
        raise
    except Exception:
        return [_one(sample, rng) for _ in range(size)]


def _one(sample, rng):
    try:
        (release,) = sample(rng, 1)
    except Exception as error:
        return Raised(type(error).__name__)
    return release
