"""Guessing rules: a learned score with a threshold for each dataset."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from lemmata.mechanisms.audit.evidence.outcomes import Outcomes, part
from lemmata.mechanisms.audit.evidence.stakes import CUTS, grown, tally, thresholds

FEW, FOLDS = 2_000, 2  # releases up to which all of them learn and all of them choose, in so many parts
UNSEEN = np.array([0, 1, 0])  # one wrong guess more than seen: few guesses prove little


@dataclass
class Rule:
    """A learned score with two thresholds per tangent: guess the first dataset above, the second below.

    `growth` is what each tangent, side and stake gained on the releases by which the thresholds were chosen.
    """

    score: Callable
    above: np.ndarray
    below: np.ndarray
    growth: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def silent(self) -> bool:
        return bool(np.isinf(self.above).all() and np.isinf(self.below).all())

    def guesses(self, data: Outcomes) -> np.ndarray:
        """The guesses +1, -1 or 0 for each tangent and release, shape (tangents, size)."""
        scores = tidy(self.score(data))
        over = scores >= self.above[:, None]
        under = -scores >= self.below[:, None]
        return np.where(over, 1, 0) - np.where(under & ~over, 1, 0)

    def counts(self, data: Outcomes, truth: np.ndarray) -> np.ndarray:
        """The numbers of right, wrong and missing guesses."""
        return tally(tidy(self.score(data)), truth, self.above, self.below)


@dataclass(frozen=True)
class Lesson:
    """Past releases in random order, split into a part to learn from and a part to choose thresholds by.

    Few releases are used twice: every part of them chooses thresholds for a score learnt from the others.
    """

    data: Outcomes
    truth: np.ndarray
    parts: list[tuple[Outcomes, np.ndarray, Outcomes, np.ndarray]]

    @property
    def few(self) -> bool:
        return len(self.truth) <= FEW


def lesson(data: Outcomes, truth: np.ndarray) -> Lesson:
    """The training data of all attackers."""
    few = len(truth) <= FEW
    chosen = [np.arange(len(truth)) % (FOLDS if few else 2) == fold for fold in range(FOLDS if few else 1)]
    return Lesson(data, truth, [(part(data, ~by), truth[~by], part(data, by), truth[by]) for by in chosen])


def learnt(learn: Callable, taught: Lesson, rungs: np.ndarray) -> Rule | None:
    """A rule whose thresholds are chosen on releases from which its score was not learned.

    Where releases are few, the rule's own score is learnt from all.
    """
    scores, chosen = [], []
    for data, truth, held_out, its_truth in taught.parts:
        score = learn(data, truth) if len(set(truth.tolist())) == 2 else None
        if score is None:
            return None
        scores.append(tidy(score(held_out)))
        chosen.append(its_truth)
    own = learn(taught.data, taught.truth) if taught.few else score
    if own is None:
        return None
    held, was = np.concatenate(scores), np.concatenate(chosen)
    rule = Rule(
        own,
        thresholds(held, was > 0, rungs[::CUTS, 0]),
        thresholds(-held, was < 0, rungs[::CUTS, 1]),
    )
    rule.growth = grown(tally(held, was, rule.above, rule.below) + UNSEEN, rungs[:, :, 0])
    return rule


def tidy(scores: np.ndarray) -> np.ndarray:
    """Scores without their last bits, so that ties stay ties, and without NaN."""
    return np.clip(np.round(np.nan_to_num(scores, nan=0.0, posinf=1e9, neginf=-1e9), 9), -1e9, 1e9)
