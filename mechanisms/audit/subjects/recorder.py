"""A tape that hands out prescribed answers: of noise, coins, choices, and mechanisms of other libraries.

A run is then a function of its answers. What was drawn and is followed nowhere is listed, so that nothing is said of a
program whose randomness is not known.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.subjects.adapters import Mechanism, quiet, said, seeded, warned
from lemmata.mechanisms.audit.subjects.draws import (
    ORIGINAL_RNG,
    Draw,
    Meeting,
    Noise,
    Place,
    Tape,
    caller,
    noise,
    place_of,
    running,
    taped,
)
from lemmata.mechanisms.audit.subjects.other_libraries import hooked
from lemmata.mechanisms.audit.subjects.release_values import flat
from lemmata.mechanisms.audit.subjects.samplers import FAILURES, raised

COINS = "random", "random_sample", "rand"  # uniform numbers of [0, 1), which others are compared with
LESS, GREATER = (np.less, np.less_equal), (np.greater, np.greater_equal)
COIN, CHOICE = "coin", "choice"  # an answer 1 with chance `centre`; the place i with chance `centre[i]`

Release = list[tuple[str, tuple[int, ...], Any]]


class Uniform(Noise):
    """Uniform numbers, until they are compared with a chance."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(x) if isinstance(x, Uniform) else x for x in inputs]
        result = getattr(ufunc, method)(*plain, **options)
        if (
            self.tape is None
            or ufunc not in (*LESS, *GREATER)
            or len([x for x in inputs if isinstance(x, Uniform)]) > 1
        ):
            return result
        first = isinstance(inputs[0], Uniform)
        share = np.clip(np.asarray(inputs[first], float), 0, 1)
        heads = share if (ufunc in LESS) == first else 1 - share
        heads = np.broadcast_to(heads, np.shape(result))
        came = self.tape.met(COIN, 0.0, heads, result, place_of(caller()), self.ids) > 0.5
        return came if came.shape else np.bool_(came)

    def __getitem__(self, place: Any) -> Any:
        found = np.asarray(self)[place]
        return found if self.tape is None else uniform(found, self.tape, self.ids[place])


def uniform(value: Any, tape: Tape, ids: np.ndarray) -> Uniform:
    """Uniform numbers that are followed."""
    made = np.asarray(value).view(Uniform)
    made.tape, made.ids = tape, ids.reshape(made.shape)
    return made


class Recorder(Tape):
    """A tape of one run that follows coins and choices too, and whose answers may be prescribed."""

    release: Release
    failed: bool = False

    def __init__(self, seed: int, given: tuple[Meeting, ...] = ()) -> None:
        super().__init__(seed, given)
        self.silent: list[np.ndarray] = []  # numbers of noise of scale 0, which is none

    def met(
        self, law: str, scale: Any, offset: Any, outcome: Any, place: Place, ids: np.ndarray, **told: Any
    ) -> np.ndarray:
        if np.any(scale) or law in (COIN, CHOICE):
            return super().met(law, scale, offset, outcome, place, ids, **told)
        self.silent.append(ids)
        return np.array(outcome, dtype=float)

    def draw(self, law: str, function: Callable, arguments: tuple, options: dict) -> Any:
        if self.busy:
            return function(*arguments, **options)
        chances = finite(law, arguments, options)
        if chances is not None:
            return self.chosen(law, *chances)
        value = super().draw(law, function, arguments, options)
        if law not in COINS or not isinstance(value, float | np.ndarray) or "dtype" in options:
            return value
        ids = self.numbered(np.size(value))
        self.draws[-1] = replace(self.draws[-1], ids=ids)
        return uniform(value, self, ids)

    def chosen(self, law: str, values: Sequence, shares: np.ndarray) -> Any:
        """One of finitely many values, which have these chances."""
        place, ids = place_of(caller()), self.numbered(1)
        self.draws.append(Draw(law, (), (), place, ids))
        self.busy = True  # the twin of a generator writes nothing down
        share = ORIGINAL_RNG([self.seed, self.numbers]).random()
        self.busy = False
        index = int(np.searchsorted(np.cumsum(shares), share, side="right"))
        return values[int(self.met(CHOICE, 0.0, shares, min(index, len(shares) - 1), place, ids))]

    def followed(self, law: str, scale: Any, value: np.ndarray) -> Noise:
        """Noise of another library, whose centre is 0."""
        place, ids = place_of(caller()), self.numbered(value.size)
        self.draws.append(Draw(law, (repr(scale),), value.shape, place, ids))
        return noise(value, law, scale, self, ids)

    def unfollowed(self, law: str) -> None:
        """A draw of another library that is recorded alone."""
        self.draws.append(Draw(law, (), (), place_of(caller())))

    def called(self, law: str, scale: Any, centre: Any, function: Callable, declared: str = "", **more: Any) -> Any:
        """The answer of a mechanism of a library whose law is known; what it draws itself is part of it."""
        self.busy = True
        try:
            outcome = np.asarray(function())
        finally:
            self.busy = False
        place, ids = place_of(caller()), self.numbered(outcome.size)
        self.draws.append(Draw(law, (repr(scale),), outcome.shape, place, ids))
        return self.met(law, scale, centre, outcome, place, ids, declared=declared, **more)

    def loose(self) -> list[Draw]:
        """The draws that are followed nowhere, or not all of whose numbers are."""
        ids = [*self.silent, *(meeting.ids for meeting in self.meetings)]
        met = np.concatenate([np.zeros(0, int), *map(np.ravel, ids)])
        unmet = [draw for draw in self.draws if not draw.ids.size or not np.isin(draw.ids, met).all()]
        return [draw for draw in unmet if not draw.place.file.endswith("tempfile.py")]  # names of files


def finite(law: str, arguments: tuple, options: dict) -> tuple[Sequence, np.ndarray] | None:
    """The values of a draw among finitely many, and their chances; None for other draws, and for more than one."""
    if law == "choice" and len(arguments) <= 4:
        given = dict(zip(("a", "size", "replace", "p"), arguments, strict=False)) | options
        values, shares = given.get("a"), given.get("p")
        values = range(values) if isinstance(values, int | np.integer) else values
        if given.get("size") is not None or values is None or (np.ndim(values) > 1 and shares is None):
            return None
    elif law == "choices" and len(arguments) <= 2 and options.get("k", 1) == 1 and "cum_weights" not in options:
        given = dict(zip(("population", "weights"), arguments, strict=False)) | options
        values, shares = [[value] for value in given["population"]], given.get("weights")
    elif law in ("randbelow", "binomial") and not options and len(arguments) <= 2 and np.ndim(arguments[0]) == 0:
        if law == "binomial":
            from scipy.stats import binom

            if len(arguments) < 2 or np.ndim(arguments[1]):
                return None
            values = range(int(arguments[0]) + 1)
            shares = binom.pmf(values, *arguments)
        else:
            values, shares = range(arguments[0]), None
    else:
        return None
    weights = np.ones(len(values)) if shares is None else np.asarray(shares, float)
    return (values, weights / weights.sum()) if len(weights) == len(values) and weights.sum() > 0 else None


def run(found: Mechanism, data: tuple, seed: int, answers: Sequence[Meeting] = ()) -> Recorder:
    """One run with these answers; later ones are drawn."""
    tape = Recorder(seed, tuple(answers))
    copies = tuple(part.copy() if hasattr(part, "copy") else part for part in data)
    running.append(tape)
    try:
        with seeded(seed), warned() as shown:
            tape.release = flat(found.call(copies, seed))
        tape.release += [("warning", (), said(one)) for one in shown]
    except FAILURES as error:
        tape.release, tape.failed = [("raises", (), repr(raised(error)))], True
    finally:
        running.pop()
    return tape


@contextmanager
def hooks() -> Iterator[None]:
    """Record draws of numpy, `random`, `secrets`, and of other libraries that are loaded."""
    with taped(), hooked(), quiet():
        yield
