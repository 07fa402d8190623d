"""Sources of releases: a law, a callable, an estimator with data, or recorded releases."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from math import ceil, log
from types import CellType, FunctionType
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.evidence.outcomes import count
from lemmata.mechanisms.audit.subjects.fit_sampler import Fitted

FAILURES = Exception, SystemExit, GeneratorExit  # what mechanisms raise; an interrupt is of whoever runs them
FIRST, SHARE, LARGEST = 48, 0.06, 25_000  # releases of the first chunk and of others at most, share of the past


@dataclass(frozen=True, repr=False)
class Raised:
    """The release of a mechanism that raised: the class of the exception, and the first line of its message."""

    kind: str
    message: str = ""

    def __repr__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


def raised(error: BaseException) -> Raised:
    """The visible part of an exception: its class and the first line of its message."""
    return Raised(type(error).__name__, next(iter(str(error).splitlines()), ""))


class Exhausted(Exception):
    """All recorded releases are used."""


class Source:
    """One side of the pair: draws many releases at once, or one at a time after the first exception.

    An exception is a release too. But a batch that raises does not say which of its releases did: `draw` then hands out
    fresh releases drawn one by one and says so, and whoever judges must not judge these.
    """

    def __init__(self, name: str, side: Any) -> None:
        self.name, self.sample, self.single = name, as_sampler(name, side), False

    @property
    def left(self) -> float:
        """The number of releases left."""
        return self.sample.left if isinstance(self.sample, Recorded) else np.inf

    def draw(self, rng: np.random.Generator, size: int) -> tuple[Any, bool]:
        """`size` releases, and whether they may be judged."""
        if self.single:
            return [self._one(rng) for _ in range(size)], True
        try:
            return self._checked(self.sample(rng, size), size), True
        except (Exhausted, WrongSize):
            raise
        except FAILURES:
            self.single = True
            return [self._one(rng) for _ in range(size)], False

    def _one(self, rng: np.random.Generator) -> Any:
        try:
            drawn = self._checked(self.sample(rng, 1), 1)
        except WrongSize:
            raise
        except FAILURES as error:
            return raised(error)
        if isinstance(drawn, dict):
            return tuple(drawn[field][0] for field in sorted(drawn))
        return drawn[0]

    def _checked(self, releases: Any, size: int) -> Any:
        if hasattr(releases, "__array__") and not isinstance(releases, np.ndarray):
            releases = np.asarray(releases)
        if not (isinstance(releases, dict | list | tuple) or (isinstance(releases, np.ndarray) and releases.ndim)):
            raise WrongSize(
                f"{self.name} must return an array or list of {size} releases, got {type(releases).__name__}"
            )
        if count(releases) != size:
            raise WrongSize(f"{self.name} must return {size} releases, got {count(releases)}")
        return releases


class WrongSize(ValueError):
    """A sampler returned another number of releases than requested."""


def as_sampler(name: str, side: Any) -> Callable:
    """`sample(rng, size)` for a law, a callable, an (estimator, X, y), an array of releases or its path."""
    if hasattr(side, "sample"):
        return side.sample
    if isinstance(side, tuple) and len(side) == 3 and hasattr(side[0], "fit"):
        return Fitted(*side)
    if callable(side):
        return side
    if isinstance(side, str):
        side = loaded(name, side)
    if isinstance(side, np.ndarray | list) and len(side):
        return Recorded(name, side)
    raise ValueError(
        f"{name} must be a law, a callable (rng, size), an (estimator, X, y), "
        f"an array or a .npy file, got {type(side).__name__}"
    )


def is_frozen(side: Any) -> bool:
    """Whether a side is one of our laws, whose fields cannot be set: it remembers nothing."""
    ours = type(side).__module__.startswith("lemmata.")
    return ours and bool(getattr(getattr(side, "__dataclass_params__", None), "frozen", False))


def copy_state(side: Any) -> Any:
    """A copy of a side that shares no state with it; None for recorded releases, a frozen law, and what has no copy."""
    if isinstance(side, str | np.ndarray | list) or is_frozen(side):
        return None
    try:
        if isinstance(side, tuple):
            return deepcopy(side[0]), *side[1:]
        if isinstance(side, FunctionType):  # which `deepcopy` returns as it is, with what it remembers
            cells = tuple(CellType(deepcopy(cell.cell_contents)) for cell in side.__closure__ or ())
            made = FunctionType(side.__code__, side.__globals__, side.__name__, deepcopy(side.__defaults__), cells)
            made.__kwdefaults__ = deepcopy(side.__kwdefaults__)
            return made
        return deepcopy(side)
    except FAILURES:
        return None


def loaded(name: str, path: str) -> Any:
    """The releases in a .npy file. Raises ValueError for other files."""
    try:
        return np.load(path)
    except OSError as error:
        raise ValueError(f"{name} = {path!r} cannot be read: {error.strerror or 'not a .npy file'}") from None
    except (ValueError, EOFError):  # whose messages speak of pickles
        raise ValueError(f"{name} must be a .npy file of numbers or texts, got {path!r}") from None


class Recorded:
    """Recorded releases, each used once, in order."""

    def __init__(self, name: str, releases: Any) -> None:
        self.name, self.releases, self.used = name, releases, 0

    @property
    def left(self) -> int:
        """The number of releases not used yet."""
        return len(self.releases) - self.used

    def __call__(self, rng: np.random.Generator, size: int) -> Any:
        if size > self.left:
            raise Exhausted(f"{self.name} has {len(self.releases)} releases, {self.left} of them unused")
        self.used += size
        return self.releases[self.used - size : self.used]


def chunk(drawn: int, level: float) -> int:
    """The number of releases to judge next: a share of the past, with a minimum.

    16 at level 0.05, 32 at 1e-3 and below: the smaller the level, the less can a few more releases decide.
    """
    smallest = min(32, ceil(-16 * log(level) / 3))
    return int(np.clip(SHARE * drawn, smallest, LARGEST))
