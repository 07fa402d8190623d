"""Whether a statement about numbers is true: a proof that the checker accepts, a counterexample in balls, or neither.

Settings are drawn at log-uniform distances from the ends of the box. The share of them at which a statement is false is
its grade: 1 for at least a half, 2 for a tenth, 3 for a hundredth, 4 for a thousandth, 5 for less.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np
from flint import ctx

from lemmata.bounds.proof import checker, prover
from lemmata.bounds.proof.box import Side
from lemmata.bounds.proof.expression import NotGeneric
from lemmata.experiments.benchmark.formulas import compile_text
from lemmata.experiments.benchmark.inequalities import Inequality, Setting, evaluate

STEPS = 40  # of a search for a proof
DRAWN = 20_000  # settings, of which the share is taken
LEAST = 200  # settings that satisfy the hypotheses, else a statement has no grade
NEAR, FAR, REACH = 1e-6, 1e6, 4096  # distances from the ends of an interval, and the largest whole number
ROUNDS, CLIMBERS = 12, 400  # of a search from the settings that are nearest to a failure
GRADES = (0.5, 0.1, 0.01, 0.001)  # the least shares of the grades 1 to 4
DIGITS = (1, 2, 3, 6, 15)  # of a counterexample, the fewest first
TRIED = 12  # settings that are rounded to so many digits


def grade(share: float) -> int:
    """1 to 5, by the share of the domain at which a statement is false.

    >>> [grade(share) for share in (0.7, 0.2, 0.02, 0.002, 0.0)]
    [1, 2, 3, 4, 5]
    """
    return 1 + sum(share < least for least in GRADES)


@dataclass(frozen=True)
class Decision:
    """truth is "true", "false" or "" where neither is shown."""

    truth: str = ""
    pieces: int = 0  # of the proof
    setting: Setting | None = None
    share: float = 0.0
    tried: bool = False  # whether a proof was looked for


class Sampler:
    """Settings of a statement as arrays, and on which side of the truth they lie."""

    def __init__(self, made: Inequality) -> None:
        self.made, self.names = made, made.names
        self.sides = [compile_text(text, made.names) for text in made.texts]
        self.admitted = [compile_text(text, made.names) for text in made.conditions_text]

    def draw(self, rng: np.random.Generator, size: int) -> np.ndarray:
        """Latent coordinates, shape (2, variables, size): which end, and how far from it."""
        return rng.random((2, len(self.names), size))

    def settings(self, latent: np.ndarray) -> dict[str, np.ndarray]:
        """The settings of latent coordinates."""
        return {
            name: place(self.made.box[name], *each)
            for name, each in zip(self.names, latent.transpose(1, 0, 2), strict=True)
        }

    def excess(self, settings: dict[str, np.ndarray]) -> np.ndarray:
        """How far left exceeds right, relatively; -inf outside the conditions, NaN where it is not defined."""
        size = len(next(iter(settings.values()))) if settings else 1
        with np.errstate(all="ignore"):
            left, right = (np.broadcast_to(np.asarray(side(**settings), float), size) for side in self.sides)
            inside = np.ones(size, bool)
            for condition in self.admitted:
                inside &= np.broadcast_to(condition(**settings), size)
            gap = (left - right) / np.maximum(np.maximum(abs(left), abs(right)), 1e-300)
            gap = abs(gap) if self.made.relation == "=" else gap
            return np.where(inside, gap, -inf)


def place(side: Side, which: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Numbers of a side at log-uniform distances from one of its ends, or from 0."""
    low, high = float(side.low), float(side.high)
    if side.whole:
        start = max(low, -REACH)
        return start + np.floor(np.exp(far * np.log(min(high, REACH) - start + 1))) - 1
    width = high - low
    distance = NEAR * (FAR / NEAR) ** far if width == inf else width * (NEAR ** (1 - far))
    if low > -inf and (high == inf or width == inf):
        return low + distance
    if high < inf and low == -inf:
        return high - distance
    ends = (low, high) if width < inf else (0.0, 0.0)
    return np.where(which < 0.5, ends[0] + distance, ends[1] - distance)


def round_settings(settings: dict[str, np.ndarray], chosen: np.ndarray, made: Inequality) -> Iterator[Setting]:
    """Some of the settings, rounded to few digits first."""
    for digits in DIGITS:
        for index in chosen[:TRIED]:
            yield {
                name: int(values[index]) if made.box[name].whole else f"{Fraction(f'{values[index]:.{digits}g}')}"
                for name, values in settings.items()
            }


def find_failure(
    made: Inequality, sampler: Sampler, settings: dict[str, np.ndarray], gap: np.ndarray
) -> Setting | None:
    """A setting at which balls show the failure, near one where floats do."""
    order = np.argsort(-gap, kind="stable")
    found = order[gap[order] > 1e-9]
    chosen = np.concatenate([found[len(found) // 2 :], found[: len(found) // 2]])  # of middling failures the first
    return next((setting for setting in round_settings(settings, chosen, made) if made.fails_at(setting)), None)


def is_defined(made: Inequality, settings: dict[str, np.ndarray], gap: np.ndarray) -> bool:
    """Whether both sides are numbers at the settings where floats give none."""
    with ctx.workprec(2000):
        for index in np.flatnonzero(np.isnan(gap))[:5]:
            at = {name: Fraction(float(values[index])) for name, values in settings.items()}
            if not all(evaluate(side, at).is_finite() for side in (made.left, made.right)):
                return False
    return True


def decide(made: Inequality, rng: np.random.Generator, *, provable: bool = True) -> Decision:
    """The truth of a statement, as far as a search and the prover show it."""
    sampler = Sampler(made)
    latent = sampler.draw(rng, DRAWN)
    settings = sampler.settings(latent)
    gap = sampler.excess(settings)
    admitted = gap != -inf
    count = int(admitted.sum())  # NaN is not -inf
    if count < LEAST or not is_defined(made, settings, gap):
        return Decision("undefined")
    gap = np.nan_to_num(gap, nan=-inf)
    share = float((gap > 1e-9).sum() / count)
    if share and (setting := find_failure(made, sampler, settings, gap)):
        return Decision("false", setting=setting, share=share)
    for _ in range(ROUNDS):  # from the nearest settings, in ever smaller steps
        best = np.argsort(-gap, kind="stable")[:20]
        moved = latent[:, :, best].repeat(CLIMBERS // 20, axis=2)
        moved = np.clip(moved + rng.normal(size=moved.shape) * rng.choice([0.001, 0.01, 0.1], moved.shape[2]), 0, 1)
        others = sampler.settings(moved)
        latent = np.concatenate([latent[:, :, best], moved], axis=2)
        gap = np.concatenate([gap[best], np.nan_to_num(sampler.excess(others), nan=-inf)])
        settings = sampler.settings(latent)
        if gap.max() > 1e-9 and (setting := find_failure(made, sampler, settings, gap)):
            return Decision("false", setting=setting, share=share)
    pieces = prove(made) if provable else 0
    return Decision("true" if pieces else "", pieces, tried=provable)


def prove(made: Inequality) -> int:
    """The pieces of a proof that the checker accepts; 0 where none is found."""
    conditions = tuple(condition.below for condition in made.conditions)
    strict = frozenset(condition.below for condition in made.conditions if condition.strict)
    differences = [made.left - made.right] + [made.right - made.left] * (made.relation == "=")
    try:
        goals = [checker.Goal(below, made.box, conditions, strict).narrowed() for below in differences]
        return sum(checker.check(goal, prover.prove(goal, STEPS)) for goal in goals)
    except (NotGeneric, prover.NotProved, checker.WrongProof, ArithmeticError, RecursionError, ValueError):
        return 0
