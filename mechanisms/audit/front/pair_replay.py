"""Anybody's code replayed on one pair of datasets: what noise is added to, how far it moves, and what that gives away.

A run is a function of its answers: noisy numbers, coins, choices. The program runs on the data, and on the neighbour
with the same answers. So the laws of each answer on both datasets are known exactly, and so is the privacy loss of all
of them together (`transcript_loss`). Three things are asked of the program with further answers, some of them far away,
before that is held against it:

- do its centres stay where they are? Where they depend on earlier answers, the smallest move of all runs counts;
- does the release show the answers, as they are, or scaled, shifted and clipped? Then the law of the release follows,
  also where the scale or the shift is read from the data;
- do equal answers give an equal release, whatever the seed? If not, something random was not recorded.

Coins and choices alone, up to 1,024 paths, are enumerated: that is the exact law of the release.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, zip_longest
from math import prod
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.evidence.stakes import checked
from lemmata.mechanisms.audit.evidence.transcript_loss import CERTAIN, Loss, composed, finite
from lemmata.mechanisms.audit.play.recorded_answers import NEAR, Answers, Moved, Sides, numbers_of, structure
from lemmata.mechanisms.audit.subjects.adapters import Mechanism, mechanism
from lemmata.mechanisms.audit.subjects.draws import Meeting
from lemmata.mechanisms.audit.subjects.recorder import CHOICE, COIN, Recorder, hooks, run
from lemmata.mechanisms.numerics.arithmetic import short_repr

EXCEEDS, WITHIN, NOT_JUDGED = "EXCEEDS", "WITHIN", "NOT_JUDGED"
FAR = 4  # further runs with answers far away at random
ASIDE = 0.05  # scales: how far aside
FURTHEST = 1000.0  # scales, in two runs in which all answers lie on one side
PATHS = 1024  # of coins and choices that are enumerated
HIDDEN = "what is released is not the noisy numbers themselves"
UNEXPLAINED = "the release is read from the data beside the noisy numbers, in a way that is not known"


@dataclass(frozen=True)
class Replay:
    """The result of `lemmata.replay`; `print` shows it.

    Attributes
    ----------
    verdict : str
        EXCEEDS: the exact law of the recorded draws exceeds the claim at this pair. WITHIN: it does not, which proves
        nothing about other pairs. NOT_JUDGED: `why` says what cannot be replayed.
    why : str
        What exceeds the claim, or what is not known.
    moved : tuple of Moved
        Each line with noise, and how far its centres move.
    loss : Loss or None
        The composed privacy loss: `loss.delta(epsilon)`, a lower bound. None if it is not known.
    claim : Guarantee
        What was claimed.
    runs : int
        How often the program ran.
    """

    verdict: str
    why: str
    moved: tuple[Moved, ...]
    loss: Loss | None = field(repr=False)
    claim: Any
    runs: int

    def __str__(self) -> str:
        head = {
            EXCEEDS: f"{EXCEEDS}: {self.claim} does not hold at this pair: {self.why}",
            WITHIN: f"{WITHIN}: at this pair the recorded draws keep {self.claim}",
            NOT_JUDGED: f"{NOT_JUDGED}: {self.why}",
        }[self.verdict]
        return "\n".join([head, *(f"  {one}" for one in self.moved)])


def replay(
    target: Any, data: Any, neighbour: Any, claim: Any, *, seed: int = 0, sees: str = "release", released: Any = None
) -> Replay:
    """Run a mechanism on two neighbouring datasets with the same answers, and compose what its noise hides.

    The program needs no changes. Recorded are draws of numpy, `random`, `secrets`, torch and jax, and calls of noise
    mechanisms of OpenDP and diffprivlib. The verdict is about the mechanism over the real numbers: how floats leak is
    not seen. It takes about thirty runs of the program.

    Parameters
    ----------
    target : object
        An estimator, a function of the data, a measurement or a noise mechanism, as of `lemmata.audit`.
    data, neighbour : array, frame or tuple of them
        The two datasets, a tuple of parts or one part each.
    claim : Guarantee, list or function
        What is promised for neighbours of this kind.
    seed : int
        Of the draws.
    sees : "release" or "answers"
        Who judges: who sees the release, or who sees all noisy numbers, as theorems on composition assume. With
        "release", answers that the release does not show are never held against the mechanism.
    released : str, sequence of str or function, optional
        As of `lemmata.audit`.

    Returns
    -------
    Replay
        EXCEEDS is a proof for a program that does with all answers what it did with those tried. WITHIN is no proof.

    Raises
    ------
    ValueError
        In one line, for a target that is no mechanism, a claim that is none, or another value of `sees`.

    References
    ----------
    Cebere, Erb, Desfontaines, Bellet & Fitzsimons, Privacy in Theory, Bugs in Practice (arXiv 2602.17454): the
    comparison of declared and measured sensitivity on one pair of runs.

    Examples
    --------
    >>> import numpy as np
    >>> from lemmata.mechanisms.privacy import PureDP
    >>> def mean(x, rng): return np.clip(x, 0, 1).sum() / len(x) + rng.laplace(scale=1 / 6)
    >>> print(replay(mean, np.zeros(3), np.array([0.0, 0.0, 1.0]), PureDP(1.0)).why)
    epsilon is at least 2, and delta(1) = 0.393
    """
    if sees not in ("release", "answers"):
        raise ValueError(f"sees must be 'release' or 'answers', got {short_repr(sees)}")
    claim = checked(claim)
    found = mechanism(target, released)
    sides = [side if isinstance(side, tuple) else (side,) for side in (data, neighbour)]
    with hooks():
        return _Pair(found, sides[0], sides[1], claim, seed, sees == "answers").judged()


class _Pair:
    """Two datasets, and the runs of a mechanism on both."""

    def __init__(self, found: Mechanism, data: tuple, neighbour: tuple, claim: Any, seed: int, answers: bool) -> None:
        self.found, self.sides, self.claim, self.seed, self.answers = found, (data, neighbour), claim, seed, answers
        self.runs = 0
        self.moved: tuple[Moved, ...] = ()

    def run(self, side: int, answers: Sequence[Meeting] = (), later: int = 0) -> Recorder:
        self.runs += 1
        return run(self.found, self.sides[side], self.seed + later, answers)

    def judged(self) -> Replay:
        one = self.run(0)
        other = self.run(1, one.meetings)
        if one.failed and other.failed:
            return self.unknown(f"the program raises on both datasets: {one.release[0][2]}")
        loose = [*one.loose(), *other.loose()]
        if loose:
            draw = loose[0]
            return self.unknown(f"draws of {draw.law} decide what is not known, at {draw.place}")
        if all(m.law in (COIN, CHOICE) for m in (*one.meetings, *other.meetings)) and one.meetings:
            return self.enumerated()
        for side, tape in enumerate((one, other)):
            again = self.run(side, tape.meetings, later=1)
            if not (_aligned(tape, again) and _equal(tape.release, again.release) and _still([tape, again])):
                return self.unknown("equal answers give another release or ask other questions: not all is recorded")
        if not _aligned(one, other):
            return self.forked(one, other)
        return self.composed([(one, other), *self.further(one, other)])

    def unknown(self, why: str, loss: Loss | None = None) -> Replay:
        return Replay(NOT_JUDGED, why, self.moved, loss, self.claim, self.runs)

    def told(self, loss: Loss, most: Loss | None = None, beside: str = UNEXPLAINED) -> Replay:
        """The verdict of a loss that is at least there, and of the most that there may be, if it is known."""
        if excess := loss.excess(self.claim):
            return Replay(EXCEEDS, excess, self.moved, loss, self.claim, self.runs)
        if most is None:
            return self.unknown(beside, loss)
        if excess := most.excess(self.claim):
            return self.unknown(f"all noisy numbers together exceed the claim for some answers: {excess}", loss)
        return Replay(WITHIN, "", self.moved, loss, self.claim, self.runs)

    # Coins and choices ------------------------------------------------------------------------------------------------

    def enumerated(self) -> Replay:
        """The exact law of the release on both datasets, path by path."""
        laws = [self.law(side) for side in (0, 1)]
        if None in laws:
            return self.unknown(f"coins and choices have more than {PATHS} paths, or noise beside them")
        releases = list({**laws[0], **laws[1]})  # type: ignore[dict-item]
        chances = [[law[one] for one in releases] for law in laws]  # type: ignore[index]
        loss = finite(*chances)
        return self.told(loss, loss)

    def law(self, side: int) -> dict[tuple, float] | None:
        """{release: chance}; None for more paths than are followed, or for noise."""
        law: dict[tuple, float] = defaultdict(float)
        paths: list[list[Meeting]] = [[]]
        begun = 0
        while paths:
            prefix = paths.pop()
            tape = self.run(side, prefix)
            if any(m.law not in (COIN, CHOICE) for m in tape.meetings) or begun > PATHS or tape.loose():
                return None
            law[_key(tape.release)] += prod(_chance(m) for m in tape.meetings)
            for at in range(len(prefix), len(tape.meetings)):
                here = tape.meetings[at]
                size = 2**here.outcome.size if here.law == COIN else here.centre.size
                begun += size
                if begun > PATHS:
                    return None
                others = (replace(here, outcome=outcome) for outcome in _outcomes(here))
                paths += [
                    [*tape.meetings[:at], one]
                    for one in others
                    if _chance(one) and not np.array_equal(one.outcome, here.outcome)
                ]
        return law

    # Noise ------------------------------------------------------------------------------------------------------------

    def further(self, one: Recorder, other: Recorder) -> Iterator[Sides]:
        """Runs on both datasets with other answers: nearby, all far on one side, and far away at random."""
        rng = np.random.default_rng(self.seed)
        beside = other.meetings if _aligned(one, other) else one.meetings
        ways = ["near"] * NEAR + ["below", "above"] + ["far"] * FAR
        for number, way in enumerate(ways):
            answers = [
                replace(m, outcome=_other_outcome(m, n, way, rng)) for m, n in zip(one.meetings, beside, strict=True)
            ]
            yield self.run(0, answers, 2 + number), self.run(1, answers, 2 + number)

    def forked(self, one: Recorder, other: Recorder) -> Replay:
        """The datasets lead to other draws although all answers are the same: is that seen, whatever is answered?"""
        shapes: list[set] = []
        for side, tape in enumerate((one, other)):
            found = [tape, *(pair[side] for pair in self.further(tape, tape))]
            shapes.append({structure(each.release) for each in found})
        if all(len(found) == 1 for found in shapes) and shapes[0] != shapes[1]:
            return self.told(CERTAIN)
        told = [[(m.law, m.place, m.outcome.shape) for m in tape.meetings] for tape in (one, other)]
        at = next(a or b for a, b in zip_longest(*told) if a != b)
        return self.unknown(f"the two datasets lead to different draws, from {at[1]} on")

    def composed(self, runs: list[Sides]) -> Replay:
        """The loss of all answers that count, and the verdict."""
        one = runs[0][0]
        flow = [tape for pair in runs for tape in pair if not _aligned(tape, one)]
        if flow:
            return self.unknown("how many draws are made, and where, depends on noisy numbers")
        elements = Answers(runs)
        self.moved = tuple(elements.lines())
        same = all(_equal(a.release, b.release) for a, b in runs)
        least, most = composed(elements.parts(np.min)), composed(elements.parts(np.max))
        if self.answers:
            if any(m.law in (COIN, CHOICE) for m in one.meetings):
                return self.unknown("coins or choices that are not released may hide records", least)
            return self.told(least, most if same else None)
        if same and not most.excess(self.claim):
            return self.told(least, most)
        seen = elements.shown()
        if seen is None:
            excess = least.excess(self.claim)
            return self.unknown(HIDDEN + f", which together exceed the claim: {excess}" * bool(excess), least)
        parts, whole = seen
        return self.told(
            composed(parts(np.min)), composed(parts(np.max)) if whole else None, HIDDEN if same else UNEXPLAINED
        )


# Helpers --------------------------------------------------------------------------------------------------------------


def _aligned(one: Recorder, other: Recorder) -> bool:
    """Do two runs make the same draws at the same places?"""
    told = [[(m.law, m.place, m.outcome.shape) for m in tape.meetings] for tape in (one, other)]
    return told[0] == told[1] and one.failed == other.failed and not (one.loose() or other.loose())


def _still(tapes: list[Recorder]) -> bool:
    """Do centres and scales stay, if the answers do?"""
    one, other = ([np.append(np.ravel(m.centre), np.ravel(m.scale)) for m in tape.meetings] for tape in tapes)
    return all(np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True) for a, b in zip(one, other, strict=True))


def _equal(one: Any, other: Any) -> bool:
    return structure(one) == structure(other) and np.allclose(
        numbers_of(one), numbers_of(other), rtol=1e-7, atol=1e-12, equal_nan=True
    )


def _key(release: Any) -> tuple:
    """A release as a key; numbers to nine digits, so that the order of additions makes no difference."""
    return structure(release), tuple(float(f"{value:.9g}") for value in numbers_of(release))


def _chance(meeting: Meeting) -> float:
    """Of the outcome of coins or of a choice."""
    if meeting.law == CHOICE:
        return float(meeting.centre[int(meeting.outcome)])
    return float(np.where(meeting.outcome > 0.5, meeting.centre, 1 - meeting.centre).prod())


def _outcomes(meeting: Meeting) -> Iterator[np.ndarray]:
    if meeting.law == CHOICE:
        return (np.array(float(place)) for place in range(meeting.centre.size))
    every = product((0.0, 1.0), repeat=meeting.outcome.size)
    return (np.array(each).reshape(meeting.outcome.shape) for each in every)


def _other_outcome(meeting: Meeting, beside: Meeting, way: str, rng: np.random.Generator) -> np.ndarray:
    """Other answers to the same question, which has two centres."""
    shape = meeting.outcome.shape
    if meeting.law == CHOICE:
        return np.array(float(rng.choice(np.flatnonzero(meeting.centre))))
    if meeting.law == COIN:
        chance = {"below": 0.0, "above": 1.0}.get(way, 0.5)
        return (rng.random(shape) < chance).astype(float)
    between = np.nan_to_num((meeting.centre + beside.centre) / 2)
    away = {
        "near": lambda: rng.uniform(-ASIDE, ASIDE, shape),
        "below": lambda: np.full(shape, -FURTHEST),
        "above": lambda: np.full(shape, FURTHEST),
        "far": lambda: rng.choice([-1, 1], shape) * 10 ** rng.uniform(0, 2.5, shape),
    }[way]()
    moved = between + np.abs(meeting.scale) * away
    if meeting.law.startswith("discrete"):
        moved = np.ceil(between) + rng.integers(0, 3, shape) if way == "near" else np.round(moved)
    return np.clip(moved, *meeting.ends)
