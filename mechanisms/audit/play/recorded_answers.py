"""All numbers of the answers of several runs: how far their centres move, and which of them a release shows."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.evidence.transcript_loss import CERTAIN, Loss, gaussian, located
from lemmata.mechanisms.audit.subjects.draws import Meeting, Place
from lemmata.mechanisms.audit.subjects.recorder import CHOICE, COIN, Recorder
from lemmata.mechanisms.audit.subjects.tracing import GAUSSIAN

NEAR = 8  # runs, after the first, with answers between and next to both centres
DIFFERENT = 64  # moves of unequal size that are composed
SLACK = {False: (1e-9, 2.0**-46), True: (1e-5, 2.0**-17)}  # rounding of a move, and of a centre, by precision
Sides = tuple[Recorder, Recorder]


@dataclass(frozen=True)
class Moved:
    """The noise of one line, and what it is added to.

    Attributes
    ----------
    place : Place
        The line.
    law, scale, numbers : str, float, int
        Of the noise; the smallest scale, and how many numbers.
    moves : float
        How far its centres move, in scales: in the l2 norm for Gaussian noise and the l1 norm for all other.
    declared : str
        The mechanism of a library, with the sensitivity that it declares; "" for noise that is drawn.
    """

    place: Place
    law: str
    scale: float
    numbers: int
    moves: float
    declared: str = ""

    def __str__(self) -> str:
        more = f" ({self.declared})" if self.declared else ""
        moved = f"{self.moves * self.scale:.6g}, {self.moves:.6g} scales" if self.scale else f"{self.moves:.6g} scales"
        return f"{self.law} noise of scale {self.scale:.6g}{more}: its centre moves by {moved}, at {self.place}"


class Answers:
    """All numbers of all answers, side by side: one row a run."""

    def __init__(self, runs: list[Sides]) -> None:
        self.meetings = runs[0][0].meetings
        self.laws = np.array([_law(m) for m in self.meetings for _ in range(m.outcome.size)])
        self.of = np.repeat(np.arange(len(self.meetings)), [m.outcome.size for m in self.meetings])
        single = np.array([m.single for m in self.meetings], bool)[self.of]
        self.whole = np.char.startswith(self.laws.astype(str), "discrete")
        self.rounding, self.ulp = (np.where(single, SLACK[True][k], SLACK[False][k]) for k in (0, 1))
        wide = lambda value, m: np.broadcast_to(value, m.outcome.shape).ravel()  # noqa: E731
        table = lambda side, told: np.array(  # noqa: E731
            [np.concatenate([np.zeros(0), *(told(m) for m in pair[side].meetings)]) for pair in runs]
        )
        noisy = lambda m: np.nan if m.law == CHOICE else m.centre  # noqa: E731
        self.centres = [table(side, lambda m: wide(noisy(m), m)) for side in (0, 1)]
        self.scales = [np.abs(table(side, lambda m: wide(m.scale, m))) for side in (0, 1)]
        self.answers = table(0, lambda m: m.outcome.ravel())
        self.ids = np.concatenate([np.zeros(0, int), *(m.ids.ravel() for m in self.meetings)])
        self.runs = runs
        self.steady = [_constant(table, self.ulp) for table in self.centres]

    def moves(self) -> np.ndarray:
        """How far each centre moves, in scales of its noise: the least of all runs, less what rounding may add."""
        one, other = self.centres
        with np.errstate(all="ignore"):
            apart = np.abs(one - other)
            exact = self.whole & (apart == np.round(apart))
            apart = np.where(
                exact,
                apart,
                np.maximum(apart * (1 - self.rounding) - self.ulp * np.maximum(np.abs(one), np.abs(other)), 0),
            )
            scaled = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, apart / self.scales[0])
        return np.where(np.isnan(scaled), inf, scaled)

    def lines(self) -> Iterator[Moved]:
        """The measured moves, line by line."""
        moves = self.moves()[0]
        places: dict[tuple, list[int]] = defaultdict(list)
        for number, meeting in enumerate(self.meetings):
            if meeting.law not in (COIN, CHOICE):
                places[meeting.place, _law(meeting), meeting.declared].append(number)
        for (place, law, declared), numbers in places.items():
            here = np.isin(self.of, numbers)
            if here.any():
                moved = float(np.linalg.norm(moves[here], 2 if law == "normal" else 1))
                yield Moved(place, law, float(self.scales[0][0][here].min()), int(here.sum()), moved, declared)

    def parts(
        self, of: Callable, kept: np.ndarray | None = None, ends: np.ndarray | None = None
    ) -> Iterator[tuple[Loss, int]]:
        """The losses of the answers that are kept, clipped to `ends`, at the least or most (`of`) of their moves."""
        kept = np.ones(len(self.of), bool) if kept is None else kept
        own = np.array([m.ends for m in self.meetings]).reshape(-1, 2)[self.of]
        ends = (
            own if ends is None else np.stack([np.maximum(own[:, 0], ends[:, 0]), np.minimum(own[:, 1], ends[:, 1])], 1)
        )
        moves = self.moves()
        equal = np.isclose(self.scales[0], self.scales[1], rtol=1e-9, atol=0).all(axis=0)
        first = np.unique(self.ids, return_index=True)[1]
        once = np.zeros(len(self.of), bool)
        once[first] = True
        # one number of noise in several places: their moves agree, or the answers lie on another line
        least = of(moves, axis=0)
        for place in np.flatnonzero(kept & ~once):
            before = first[np.searchsorted(self.ids[first], self.ids[place])]
            near = 1e-6 * (1 + least[place]) + 1e3 * self.ulp[place]
            if kept[before] and (np.abs(moves[:, place] - moves[:, before]) > near).all():
                yield CERTAIN, 1
        plain = kept & once & equal & np.isinf(ends).all(axis=1)
        normal = plain & (self.laws == "normal")
        # a rotation of Gaussian noise is Gaussian: the length counts, and the least of all runs is kept by each answer
        lengths = [of(np.linalg.norm(moves[:, normal & (self.of == m)], axis=1)) for m in np.unique(self.of[normal])]
        yield gaussian(float(np.linalg.norm(lengths))), 1
        counts: Counter = Counter()
        for place in np.flatnonzero(kept & once & ~normal & ~np.isin(self.laws, (CHOICE, COIN))):
            moving = not (self.steady[0][place] and self.steady[1][place])
            if (equal[place] and not least[place]) or (moving and of is np.min and np.isfinite(ends[place]).any()):
                continue  # nothing is known of a law that is cut at changing places
            scale, other = self.scales[0][0][place], self.scales[1][0][place]
            steps = least[place] * scale
            if self.whole[place] and not (equal[place] and abs(steps - round(steps)) < 1e-6):
                if of is np.max:  # two lattices, of which no more is known
                    yield CERTAIN, 1
                continue
            if equal[place]:
                if least[place] == inf:
                    yield CERTAIN, 1
                    continue
                unit = 1.0 if self.whole[place] else scale  # noise on the integers stays there
                cut = (ends[place] - self.centres[0][0][place]) / unit
                moved = np.sign(self.centres[1][0][place] - self.centres[0][0][place]) * steps / unit
                moved = round(moved) if self.whole[place] else moved
                one, other = (0.0, scale / unit), (moved, scale / unit)
                counts[self.laws[place], _rounded(one), _rounded(other), _rounded(cut)] += 1
            elif all(self.steady[side][place] for side in (0, 1)) and _constant(self.scales[0][:, [place]], 0).all():
                one = (self.centres[0][0][place], scale)
                two = (self.centres[1][0][place], other)
                counts[self.laws[place], one, two, tuple(ends[place])] += 1
        for (law, one, two, cut), times in counts.most_common(DIFFERENT):
            yield located(law, one, two, cut), times

    def shown(self) -> tuple[Callable, bool] | None:
        """The losses of what is released, and whether that is all of it; None if that cannot be told.

        Numbers of the release that are alpha * answer + beta in all runs, but for clipping, show that answer. Where
        alpha and beta are others on the neighbour, its law is moved and scaled accordingly.
        """
        structures = [{structure(pair[side].release) for pair in self.runs} for side in (0, 1)]
        if any(len(found) > 1 for found in structures):
            return None
        if structures[0] != structures[1]:
            return (lambda of: [(CERTAIN, 1)]), True
        R = [np.array([numbers_of(pair[side].release) for pair in self.runs]) for side in (0, 1)]
        slack = max(self.ulp, default=SLACK[False][1])
        fixed = _constant(R[0], slack) & _constant(R[1], slack)
        large = np.abs(np.nan_to_num(R[0][0], posinf=0, neginf=0)).max(initial=1.0)  # of which a rounding may be left
        near = np.isclose(R[0][0], R[1][0], rtol=slack**0.5, atol=1e-9 * large, equal_nan=True)
        if (fixed & ~near).any():
            return (lambda of: [(CERTAIN, 1)]), True
        i, j = _same_direction(self.answers, R[0])
        O, R0, R1 = self.answers[:, i], R[0][:, j], R[1][:, j]
        size, rough = np.abs(self.scales[0][0][i]) + (self.laws[i] == COIN), np.where(self.ulp[i] > 1e-9, 1e-4, 1e-7)
        fits = [_fit(O, table, size, slack) for table in (R0, R1)]
        (alpha, beta, ends, good), (other, gamma, cut, well) = fits
        with np.errstate(all="ignore"):
            other = np.where(np.abs(other - alpha) <= rough * np.abs(alpha), alpha, other)
            free = (ends[0] < R0) & (ends[1] > R0) & (ends[0] < R1) & (ends[1] > R1)
            apart = np.where(free, R1 - R0, 0.0).sum(axis=0) / np.maximum(free.sum(axis=0), 1)
            still = np.abs(apart) <= 2 * slack * np.abs(R0).max(axis=0, initial=0) + 1e-9 * np.abs(alpha) * size
            gamma = np.where(other == alpha, beta + np.where(still, 0.0, apart), gamma)
            good &= well & np.isclose(ends, cut, rtol=rough, atol=0).all(axis=0) & (self.laws[i] != CHOICE)
        kept, seen = np.zeros(len(self.of), bool), copy(self)
        seen.centres, seen.scales = ([table[0], table[1].copy()] for table in (self.centres, self.scales))
        limits, losses = np.tile([-inf, inf], (len(self.of), 1)), list[tuple[Loss, int]]()
        first: dict[int, int] = {}
        for at in np.flatnonzero(good):
            place = i[at]
            before = first.setdefault(int(place), int(at))
            if before != at:  # a second number of the same noise: their difference has none
                ratios = alpha[at] / alpha[before], other[at] / other[before]
                left = beta[at] - ratios[0] * beta[before], gamma[at] - ratios[1] * gamma[before]
                near = 1e-6 * (1 + size[at]) * abs(alpha[at])
                if abs(ratios[0] - ratios[1]) > 1e-6 * abs(ratios[0]) or abs(left[0] - left[1]) > near:
                    losses.append((CERTAIN, 1))
                continue
            kept[place] = True
            ratio = other[at] / alpha[at]
            seen.centres[1][:, place] = ratio * self.centres[1][:, place] + (gamma[at] - beta[at]) / alpha[at]
            seen.scales[1][:, place] *= abs(ratio)
            limits[place] = np.sort((ends[:, at] - beta[at]) / alpha[at])
        seen.steady = [_constant(table, self.ulp) for table in seen.centres]
        steady = (seen.steady[0] & seen.steady[1])[kept].all()
        if not kept.any() or not (steady or (kept.all() and np.isinf(limits).all())):
            return None
        whole = bool((fixed | np.isin(np.arange(R[0].shape[1]), j[good])).all())
        return (lambda of: [*losses, *seen.parts(of, kept, limits)]), whole


def _same_direction(answers: np.ndarray, released: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (answer, number of the release) that move in proportion in the runs nearby."""
    rng = np.random.default_rng(0)
    along, across = rng.normal(size=(2, NEAR - 1))
    units = []
    for table in (answers, released):
        moved = (table[2 : 1 + NEAR] - table[1]).T
        with np.errstate(all="ignore"):
            unit = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        units.append(unit * np.sign(unit @ across)[:, None])
    keys = [np.nan_to_num(unit @ along, nan=inf) for unit in units]
    order = np.argsort(keys[0])
    j = np.arange(released.shape[1])
    pairs = []
    for off in (-1, 0, 1):
        i = order[np.clip(np.searchsorted(keys[0][order], keys[1]) + off, 0, len(order) - 1)] if len(order) else j[:0]
        if len(i):
            close = np.abs(units[0][i] - units[1]).max(axis=1) < 1e-4
            pairs += list(zip(j[close], i[close], strict=True))
    found = dict(pairs)  # one answer for each number of the release
    return np.array([found[at] for at in sorted(found)], int), np.array(sorted(found), int)


def _fit(O: np.ndarray, R: np.ndarray, size: np.ndarray, slack: float) -> tuple:
    """alpha and beta of R = alpha O + beta in the runs nearby, the ends to which it is clipped, and whether it fits."""
    with np.errstate(all="ignore"):
        moved, of = (table[2 : 1 + NEAR] - table[1] for table in (R, O))
        alpha = (moved * of).sum(axis=0) / (of**2).sum(axis=0)
        beta = R[1] - alpha * O[1]
        straight = alpha * O + beta
        near = 1e-5 * np.abs(alpha) * size + slack * np.abs(R).max(axis=0, initial=0)
        low, high = R.min(axis=0, initial=inf), R.max(axis=0, initial=-inf)
        below, above = (low + near >= R) & (straight < low - near), (high - near <= R) & (straight > high + near)
        good = ((np.abs(R - straight) <= near) | below | above).all(axis=0) & (alpha != 0)
        ends = np.array([np.where(below.any(axis=0), low, -inf), np.where(above.any(axis=0), high, inf)])
    return alpha, beta, ends, good


def _law(meeting: Meeting) -> str:
    return "normal" if meeting.law in GAUSSIAN else meeting.law.removeprefix("standard_")


def structure(release: Any) -> tuple:
    return tuple((name, shape, value if isinstance(value, str) else "") for name, shape, value in release)


def numbers_of(release: Any) -> np.ndarray:
    parts = [np.ravel(value) for _, _, value in release if not isinstance(value, str)]
    return np.concatenate([np.zeros(0), *parts]).astype(float)


def _rounded(pair: Any) -> tuple[float, float]:
    return tuple(float(f"{x:.12g}") for x in pair)  # type: ignore[return-value]  # far below `SLACK`


def _constant(table: np.ndarray, ulp: Any) -> np.ndarray:
    """Which columns stay the same in all runs."""
    with np.errstate(all="ignore"):
        return np.isnan(table).all(axis=0) | (np.ptp(table, axis=0) <= (1e-9 + ulp) * np.abs(table).max(axis=0))
