"""Runs neighbours with the same randomness, and finds where a noisy program depends on a record.

The mechanism runs on the data with a tape (`draws`), and again on the neighbour with the same seed and the same
answers: where noise had been added to a number, the second run gets the first one's outcome. What then differs is read
from the data and not from what was released: which draws are made and where, how many, of which shape, with which
parameters or scale; how far a centre moves, in scales of its noise; and what is released although all answers were
the same. Each is a *lead*, with a file and a line. A lead is no verdict: who added the noise may have paid for it
elsewhere.
"""

import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from math import expm1, inf, log1p
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.subjects.adapters import Mechanism, mechanism, quiet, said, seeded, warned
from lemmata.mechanisms.audit.subjects.choices import has_choices, has_sample, is_blurred, is_hidden, without_choices
from lemmata.mechanisms.audit.subjects.draws import OURS, Draw, Meeting, Place, Tape, recording, taped
from lemmata.mechanisms.audit.subjects.release_values import flat
from lemmata.mechanisms.audit.subjects.samplers import FAILURES, raised
from lemmata.mechanisms.privacy import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP, gaussian_mu

SUSPECT = "suspect"
GAUSSIAN = "normal", "standard_normal", "randn", "gauss", "normalvariate"
SPREAD, ROUGHLY = 8, 1.5  # runs that tell the spread of a sampler, and how much larger than allowed it has to move


@dataclass(frozen=True)
class Lead:
    """A dependence on a record, with its line."""

    kind: str  # seed, draws, shape, parameters, scale, centre, release, raises, warns
    place: Place | None
    words: str

    def __str__(self) -> str:
        return f"{SUSPECT}: {self.words}" + (f" at {self.place}" if self.place else "")


@dataclass(frozen=True)
class Trace:
    """The result of two runs with the same answers.

    Attributes
    ----------
    leads : tuple of Lead
        What depends on a record, and on which line; the most telling first.
    draws : tuple of Draw
        What the first run drew.
    moves : tuple of (Place, float)
        How far every centre of a draw moved, in scales of its noise, if it did.
    hints : tuple of Lead
        What depends on a record as it may in an honest mechanism too: a number of draws that the noise decides,
        what is drawn from, noise that nobody sees. Worth a look where the claim is refuted, and suspect of nothing.
    """

    leads: tuple[Lead, ...]
    draws: tuple[Draw, ...] = field(repr=False)
    moves: tuple[tuple[Place, float], ...] = ()  # how far every centre moved, in scales, if it did
    hints: tuple[Lead, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self.leads)) or f"no lead in {len(self.draws)} draws"


def trace(target: Any, data: Any, neighbour: Any, claim: Any = None, *, seed: int = 0, released: Any = None) -> Trace:
    """Run a mechanism on a dataset and on a neighbour with the same randomness, and name where they diverge.

    Parameters
    ----------
    target : object
        An estimator, a function of the data or a measurement, as of `lemmata.audit`.
    data, neighbour : array, frame or tuple of them
        The two datasets, a tuple of parts or one part each.
    claim : Guarantee, optional
        With it, a centre that moves by more than its noise can hide is a lead; without, moves are listed only.
    seed : int
        Of both runs.
    released : str, sequence of str or function, optional
        As of `lemmata.audit`.

    Returns
    -------
    Trace
        No lead is no proof of privacy, and a lead no verdict.

    Raises
    ------
    ValueError
        In one line, for a target that is no mechanism.

    Examples
    --------
    >>> def mean(x, rng): return x.mean() + rng.normal(scale=x.max() / 10)
    >>> trace(mean, np.array([1.0, 2.0]), np.array([1.0, 9.0])).leads[0].kind in ("scale", "parameters")
    True
    """
    found = mechanism(target, released)
    sides = [side if isinstance(side, tuple) else (side,) for side in (data, neighbour)]
    with taped(), quiet():
        first, one = _run(found, sides[0], seed, ())
        second, other = _run(found, sides[1], seed, tuple(first.meetings))
    moves = tuple(_moves(first.meetings, second.meetings))
    leads = [*_raising(one, other), *_warning(first.warned, second.warned), *_seeds(first.seeds, second.seeds)]
    hints: list[Lead] = []
    draws, allowed = (first.draws, second.draws), _allowed(claim, "laplace") if claim is not None else 0.0
    parted = [lead for lead in _draws(*draws) if lead.kind == "draws"]
    if parted and not any(lead.kind == "draws" for lead in _draws(*map(without_choices, draws))):
        hints += parted  # as many records, as many draws by which each comes into a sample
        draws = without_choices(first.draws), without_choices(second.draws)
    for lead in _draws(*draws):
        random = lead.kind == "draws" and _varies(found, sides[0], seed, first)
        random |= is_blurred(lead.kind, lead.place, draws[0]) or is_hidden(lead.kind, lead.place, *draws, allowed)
        (hints if random else leads).append(lead)
    leads += _scales(first.meetings, second.meetings)
    sampled = has_sample(first, len(sides[0][0]) if np.ndim(sides[0][0]) else 0)
    centres = list(_centres(moves, first.meetings, one, claim, sampled))
    if any(seen for _, seen in centres) and has_choices(first) and _moves_vary(found, sides, seed, moves):
        centres = list(_centres(moves, first.meetings, one, claim, True))
    loose = _random_scales(found, sides[0], seed, first) if any(seen for _, seen in centres) else set()
    for lead, seen in centres:
        (leads if seen and lead.place not in loose else hints).append(lead)
    if not (leads or hints) and claim is not None and first.calls:
        leads += _samplers(first, second, _others(found, sides[0], seed), claim)
    if not (leads or hints) and not first.calls and not any(distance == inf for *_, distance in moves):
        with taped(), quiet():
            again = one if first.draws else _run(found, sides[0], seed + 1, ())[1]  # its noise may be out of sight
        differs = [] if list(_released(found, one, again)) else list(_released(found, one, other))
        # a draw that was added to nothing may decide what is released, as in randomised response
        (leads if len(first.meetings) >= len(first.draws) else hints).extend(differs)
    told = tuple((place, distance) for place, _, distance in moves if distance)
    return Trace(tuple(leads), tuple(first.draws), told, tuple(hints))


def _others(found: Mechanism, data: tuple, seed: int) -> list[Tape]:
    """The tapes of runs on the same data with other seeds."""
    with taped(), quiet():
        return [_run(found, data, seed + 1 + more, ())[0] for more in range(SPREAD)]


def _varies(found: Mechanism, data: tuple, seed: int, first: Tape) -> bool:
    """Do draws on the same data differ from seed to seed, as in a loop that ends when the noise says so?"""
    own = [(draw.law, draw.place) for draw in first.draws]
    return any([(draw.law, draw.place) for draw in tape.draws] != own for tape in _others(found, data, seed))


def _moves_vary(found: Mechanism, sides: list[tuple], seed: int, moves: tuple) -> bool:
    """Do centres move less with other seeds, as where a draw chose the record that differs?"""
    with taped(), quiet():
        for more in range(SPREAD):
            first, _ = _run(found, sides[0], seed + 1 + more, ())
            second, _ = _run(found, sides[1], seed + 1 + more, tuple(first.meetings))
            if sum(by for *_, by in _moves(first.meetings, second.meetings)) < sum(by for *_, by in moves) * (1 - 1e-9):
                return True
    return False


def _random_scales(found: Mechanism, data: tuple, seed: int, first: Tape) -> set[Place | None]:
    """Where a scale is another one with other seeds, as of noise that a draw multiplies: its law is not known."""
    tapes = _others(found, data, seed)
    return {lead.place for tape in tapes for lead in _scales(first.meetings, tape.meetings)}


def _run(found: Mechanism, data: tuple, seed: int, given: tuple[Meeting, ...]) -> tuple[Tape, Any]:
    """The tape of one run, and what it released or where it raised; noise is told apart from numbers if it can be."""
    for tagged in (True, False):
        tape = Tape(seed, given, tagged)
        copies = tuple(part.copy() if hasattr(part, "copy") else part for part in data)
        try:
            with recording(tape), seeded(seed), warned() as shown:
                released = flat(found.call(copies, seed))
            tape.warned = [(said(one), Place(one.filename, one.lineno, "a warning")) for one in shown]
            return tape, released
        except FAILURES as error:
            failed = tape, (raised(error), _origin(error))
    return failed


def _origin(error: BaseException) -> Place:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(OURS)]
    frame = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    return Place(frame.filename, frame.lineno or 0, frame.name)


def _raising(one: Any, other: Any) -> Iterator[Lead]:
    sides = [side if isinstance(side, tuple) else None for side in (one, other)]
    for side, beside, which in ((sides[0], sides[1], "data"), (sides[1], sides[0], "neighbour")):
        if side and (beside is None or side[0] != beside[0]):
            yield Lead("raises", side[1], f"the {which} raises {side[0]!r}")


def _warning(first: list[tuple[str, Place]], second: list[tuple[str, Place]]) -> Iterator[Lead]:
    for given, beside, which in ((first, second, "data"), (second, first, "neighbour")):
        for text, place in given:
            if text not in {other for other, _ in beside}:
                yield Lead("warns", place, f"the {which} alone warns {text}")


def _seeds(first: list[tuple[str, Place]], second: list[tuple[str, Place]]) -> Iterator[Lead]:
    """A generator that begins with something else on the neighbour: its noise is a function of the record."""
    for (one, place), (other, _) in zip(first, second, strict=False):
        if one != other:
            yield Lead("seed", place, f"a generator is seeded with {one} on the data, {other} on the neighbour,")
            return


def _draws(first: list[Draw], second: list[Draw]) -> Iterator[Lead]:
    """The first draw that only one run makes; before it, shapes and parameters that differ."""
    said: set = set()
    for number, (one, other) in enumerate(zip_longest(first, second)):
        if one is None or other is None:
            more = "the neighbour" if one is None else "the data"
            yield Lead(
                "draws",
                (one or other).place,
                f"{len(first)} draws on the data, {len(second)} on the neighbour; "
                f"draw {number} of {(one or other).law} is made on {more} alone,",
            )
            return
        if (one.law, one.place) != (other.law, other.place):
            yield Lead(
                "draws",
                other.place,
                f"draw {number} is {one.law} on the data (line {one.place.line}) and {other.law} on the neighbour,",
            )
            return
        for kind, a, b in (("shape", one.shape, other.shape), ("parameters", one.parameters, other.parameters)):
            if a != b and (kind, one.place) not in said:
                said.add((kind, one.place))
                yield Lead(
                    kind, one.place, f"the {kind} of {one.law}: {_brief(a)} on the data, {_brief(b)} on the neighbour,"
                )


def _scales(first: list[Meeting], second: list[Meeting]) -> Iterator[Lead]:
    said: set = set()
    for one, other in zip(first, second, strict=False):
        same = np.shape(one.scale) == np.shape(other.scale) and np.allclose(one.scale, other.scale, rtol=1e-9, atol=0)
        if not same and one.place not in said:
            said.add(one.place)
            yield Lead(
                "scale",
                one.place,
                f"{one.law} noise has scale {_brief(one.scale)} on the data and {_brief(other.scale)} on the neighbour",
            )


def _in_scales(one: np.ndarray, other: np.ndarray, scale: Any) -> np.ndarray:
    """How far numbers move, in scales: not at all where they stay, infinitely far where only one of them is finite."""
    with np.errstate(all="ignore"):
        stays = (one == other) | (np.isnan(one) & np.isnan(other))
        return np.where(stays, 0.0, np.nan_to_num(np.abs(one - other) / scale, nan=inf, posinf=inf))


def _moves(first: list[Meeting], second: list[Meeting]) -> Iterator[tuple[Place, str, float]]:
    """How far every centre moves, in scales of its noise: in the norm that its law charges.

    One draw that is added to several numbers hides what moves them all alike, and nothing else.
    """
    for one, other in zip(first, second, strict=False):
        if one.centre.shape != other.centre.shape:
            yield other.place, one.law, inf
            continue
        moved = _in_scales(one.centre, other.centre, one.scale)
        if one.drawn == 1 < moved.size:
            alike = np.ptp(moved) <= 1e-9 * np.abs(moved).max()
            yield other.place, one.law, float(np.abs(moved).max()) if alike else inf
            continue
        yield one.place, one.law, float(np.linalg.norm(moved.ravel(), 2 if one.law in GAUSSIAN else 1))


def _centres(
    moves: tuple, meetings: list[Meeting], released: Any, claim: Any, sampled: bool
) -> Iterator[tuple[Lead, bool]]:
    """Lines whose noise hides less than the claim allows, the worst first; then the lines that do so together.

    And whether that is seen: one number alone moves too far, or all are released. Of many noisy numbers that decide
    which is largest, or which are above a threshold, nobody sees the rest.
    """
    if claim is None:
        return
    spent: dict[tuple[Place, str], float] = {}
    most: dict[tuple[Place, str], float] = {}
    for at, (place, law, distance) in enumerate(moves):
        spent[place, law] = _together(law, [spent.get((place, law), 0.0), distance])
        single = distance if at >= len(meetings) or meetings[at].centre.size < 2 else 0.0
        most[place, law] = max(most.get((place, law), 0.0), single)
    numbers = Counter[tuple[Place, str]]()
    for meeting in meetings:
        numbers[meeting.place, meeting.law] += meeting.centre.size
    values = _numbers(released)
    shown = {
        (place, law): all(_shown(m.outcome, values) for m in meetings if (m.place, m.law) == (place, law))
        for place, law in spent
    }
    for (place, law), distance in sorted(spent.items(), key=lambda item: -item[1]):
        allowed = _allowed(claim, law)
        if distance > allowed * (1 + 1e-9):
            words = f"what {law} noise is added to moves by {distance:.3g} times its scale,"
            words += f" and {claim} allows {allowed:.3g},"
            if distance == inf:
                words = f"what {law} noise is added to moves by more than noise of any scale hides,"
            exact = shown[place, law] and _is_exact(law, claim, distance, numbers[place, law])
            seen = most[place, law] > allowed * (1 + 1e-9) or exact
            yield Lead("centre", place, words), seen and (distance == inf or not sampled)
    moved = {(place, law): distance for (place, law), distance in spent.items() if distance}
    if len(moved) > 1 and all(d <= _allowed(claim, law) for (_, law), d in moved.items()):
        kinds = {law in GAUSSIAN for _, law in moved}
        law = max(moved, key=lambda each: moved[each])[1]
        total = _together(law if len(kinds) == 1 else "", [d / _allowed(claim, own) for (_, own), d in moved.items()])
        if total > 1 + 1e-9:
            (place, _), _ = max(moved.items(), key=lambda item: item[1])
            words = f"{len(moved)} lines together move by {total:.3g} times what {claim} allows, most"
            whole = _together(law, list(moved.values()))
            exact = len(kinds) == 1 and _is_exact(law, claim, whole, sum(numbers.values()))
            yield Lead("centre", place, words), all(shown.values()) and exact and not sampled


def _together(law: str, distances: list[float]) -> float:
    """How far several centres move at once: Gaussian noise is charged by squares, all other by the sum."""
    return float(np.linalg.norm(distances)) if law in GAUSSIAN else sum(distances)


def _is_exact(law: str, claim: Any, distance: float, numbers: int) -> bool:
    """Whether centres that move too far together break the claim: Laplace noise may be paid for by a delta.

    With chance 2^-k all of k numbers lie beyond both of their centres, where the loss is the whole distance.
    """
    if law in GAUSSIAN or not (isinstance(claim, ApproxDP) and claim.delta > 0):
        return True
    return -(2.0**-numbers) * expm1(claim.epsilon - distance) > claim.delta


def _numbers(released: Any) -> np.ndarray:
    """All numbers of a release, none of one that raised."""
    parts = [] if isinstance(released, tuple) else [value for _, _, value in released if not isinstance(value, str)]
    return np.concatenate([np.zeros(0), *map(np.ravel, parts)])


def _shown(outcome: np.ndarray, values: np.ndarray) -> bool:
    """Are noisy numbers released as they are?"""
    return bool(np.isin(np.round(np.ravel(outcome), 9), np.round(values, 9)).all())


def _allowed(claim: Any, law: str) -> float:
    """By how many scales a centre may move: epsilon for Laplace noise, mu for Gaussian, which is never pure."""
    if isinstance(claim, GaussianDP):
        return claim.mu
    if isinstance(claim, ZCDP) and law in GAUSSIAN:
        return float((2 * claim.rho) ** 0.5)
    if isinstance(claim, RenyiDP) and law in GAUSSIAN:
        return float(min(2 * epsilon / order for order, epsilon in claim.points) ** 0.5)
    if isinstance(claim, PureDP) and law in GAUSSIAN:
        return 0.0
    if isinstance(claim, ApproxDP) and claim.delta > 0 and claim.epsilon > 0 and law != "laplace":
        return float(gaussian_mu(claim.epsilon, claim.delta))
    if isinstance(claim, ApproxDP) and 0 < claim.delta < 1:  # of one number: delta = 1 - exp((epsilon - moved) / 2)
        return claim.epsilon - 2 * log1p(-claim.delta)
    return claim.epsilon if isinstance(claim, PureDP | ApproxDP) else inf


def _samplers(first: Tape, second: Tape, others: list[Tape], claim: Any) -> Iterator[Lead]:
    """What functions with draws of their own return, where that moves by more than their spread can hide."""
    spent: dict[Place, float] = {}
    for number, (one, other) in enumerate(zip(first.calls, second.calls, strict=False)):
        again = [tape.calls[number].value for tape in others if len(tape.calls) == len(first.calls)]
        if one.value.shape != other.value.shape or {v.shape for v in again} != {one.value.shape}:
            continue
        spread = np.std([one.value, *again], axis=0) / 2**0.5  # the scale, if it is Laplace's
        seldom = (spread > 0) | (one.value != np.round(one.value))  # a whole answer may come so often by chance
        moved = np.where(seldom, _in_scales(one.value, other.value, spread), 0.0)
        spent[one.place] = spent.get(one.place, 0.0) + float(moved.sum())
    allowed, total = ROUGHLY * _allowed(claim, "laplace"), sum(spent.values())
    worst = [place for place in spent if spent[place] > allowed] or [
        place for place in spent if total > allowed and spent[place] == max(spent.values())
    ]
    for place in worst:
        others_too = "" if spent[place] > allowed else f", and that of {len(spent)} lines together by {total:.2g},"
        yield Lead("centre", place, f"what is drawn moves by about {spent[place]:.2g} scales of its noise{others_too}")


def _released(found: Mechanism, one: Any, other: Any) -> Iterator[Lead]:
    """What is released although every answer was the same."""
    if isinstance(one, tuple) or isinstance(other, tuple):
        return
    a, b = ({name: (shape, value) for name, shape, value in parts} for parts in (one, other))
    for name in [*a, *(n for n in b if n not in a)]:
        x, y = a.get(name, ((), None)), b.get(name, ((), None))
        same = x[0] == y[0] and (
            x[1] == y[1]
            if isinstance(x[1], str) or x[1] is None or y[1] is None
            else np.allclose(x[1], y[1], rtol=1e-9, atol=1e-12, equal_nan=True)
        )
        if not same:
            yield Lead("release", None, f"{name or 'the release'} differs although all draws and answers were the same")


def _brief(value: Any) -> str:
    text = np.array2string(value, threshold=4) if isinstance(value, np.ndarray) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
