"""Records every draw of numpy's generators, of `random` and of `secrets`, with its line.

Nothing is instrumented: while `taped()` lasts, the names by which loaded modules know numpy's generators, `random` and
`secrets` stand for twins that do the same and write it down on the running `Tape`. Symmetric noise remembers its scale
until it meets a number that is no noise; so the tape knows what noise was added to, and where. A tape that is given the
meetings of an earlier one hands out their outcomes again, as if the answers had been the same.
"""

import random
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

OURS = str(Path(__file__).parents[1])
LIBRARIES = ("/numpy/", "/scipy/", "/pandas/", "/sklearn/", "/joblib/", "/random.py", "/secrets.py", "<")
SCALED = {"normal": 1.0, "laplace": 1.0, "gumbel": 1.0, "logistic": 1.0}  # (centre, scale, size), scale 1 left out
STANDARD = ("standard_normal", "standard_cauchy", "randn")
LAWS = set(
    "beta betavariate binomial bytes chisquare choice choices exponential expovariate gamma gammavariate gauss "
    "geometric getrandbits gumbel hypergeometric integers laplace logistic lognormal lognormvariate logseries "
    "multinomial multivariate_normal normal normalvariate pareto permutation permuted poisson power rand randbelow "
    "randbits randbytes randint randn random random_sample randrange rayleigh sample shuffle standard_cauchy "
    "standard_exponential standard_gamma standard_normal standard_t token_bytes triangular uniform vonmises wald "
    "weibull zipf".split()
)


@dataclass(frozen=True)
class Place:
    """A line of the audited program, and the line of another file that called it."""

    file: str
    line: int
    function: str
    called_from: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}, in {self.function}" + (f", from {self.called_from}" * bool(self.called_from))


@dataclass(frozen=True)
class Draw:
    """A draw: its law, its parameters except a centre, the shape of the result, and its line."""

    law: str
    parameters: tuple
    shape: tuple[int, ...]
    place: Place
    ids: np.ndarray = field(default_factory=lambda: np.zeros(0, int), repr=False, compare=False)  # of what is followed


@dataclass(frozen=True)
class Meeting:
    """A sum of a centre and noise of known law and scale, with its result."""

    law: str
    scale: Any
    centre: np.ndarray
    place: Place
    outcome: np.ndarray = field(repr=False)
    drawn: int = 1  # numbers of noise: one may have been added to all numbers of the centre
    ids: np.ndarray = field(default_factory=lambda: np.zeros(0, int), repr=False)  # which, for each of the outcome
    declared: str = ""  # what a mechanism of a library says of itself
    single: bool = False  # numbers of single precision
    ends: tuple[float, float] = (-np.inf, np.inf)  # between which the outcome lies


@dataclass(frozen=True)
class Call:
    """A call of a function of the program that draws and returns numbers, with its line."""

    function: str
    place: Place
    value: np.ndarray = field(repr=False)


class Tape:
    """The draws and sums of one run; `given` are sums whose results are replayed."""

    def __init__(self, seed: int, given: tuple[Meeting, ...] = (), tagged: bool = True) -> None:
        self.seed, self.given, self.tagged = seed, given, tagged
        self.draws: list[Draw] = []
        self.meetings: list[Meeting] = []
        self.calls: list[Call] = []
        self.warned: list[tuple[str, Place]] = []  # what was warned, and where
        self.seeds: list[tuple[str, Place]] = []  # what generators of numpy's began with, and where
        self.drawing: set[FrameType] = set()  # frames under way that have made a draw
        self.busy = False
        self.numbers = 0  # drawn so far: every number of noise has one of its own

    def draw(self, law: str, function: Callable, arguments: tuple, options: dict) -> Any:
        """Draw once and record it, unless it belongs to another draw."""
        if self.busy:
            return function(*arguments, **options)
        self.busy = True
        try:
            value = function(*arguments, **options)
        finally:
            self.busy = False
        frame = caller()
        self.drawing.add(frame)
        place = place_of(frame)
        offset, scale, rest = told(law, arguments, options)
        tagged = self.tagged and scale is not None and isinstance(value, float | np.ndarray)
        ids = self.numbered(np.size(value)) if tagged else np.zeros(0, int)
        self.draws.append(Draw(law, (_told(scale), *rest), np.shape(value), place, ids))
        if not tagged:
            return value
        if np.any(offset) or isinstance(offset, np.ndarray | np.generic):
            centre = np.broadcast_to(np.asarray(offset, float), np.shape(value))
            came = self.met(law, scale, centre, value, place, ids)
            return float(came) if isinstance(value, float) else came
        return noise(value, law, scale, self, ids)

    def numbered(self, size: int) -> np.ndarray:
        """The numbers by which so many new numbers of noise are followed."""
        self.numbers += size
        return np.arange(self.numbers - size, self.numbers)

    def met(
        self, law: str, scale: Any, offset: Any, outcome: Any, place: Place, ids: np.ndarray, **told: Any
    ) -> np.ndarray:
        """The result of adding noise to a centre, or the result of the run that is replayed."""
        number, came = len(self.meetings), np.array(outcome, dtype=float)
        if number < len(self.given) and np.shape(self.given[number].outcome) == came.shape:
            came = self.given[number].outcome.copy()
        of = ids.reshape(came.shape) if ids.size == came.size else np.broadcast_to(ids, came.shape)
        single = getattr(offset, "dtype", None) in (np.float32, np.float16)
        centre = np.array(offset, dtype=float)
        kept = came.copy()  # the program may go on in place
        self.meetings.append(Meeting(law, scale, centre, place, kept, np.size(ids), of, single=single, **told))
        return came

    def returned(self, frame: FrameType, event: str, value: Any) -> None:
        """Callback of `sys.setprofile`: record the return of a function that has drawn."""
        if event != "return" or frame not in self.drawing:
            return
        self.drawing.discard(frame)
        if frame.f_back is None or not isinstance(value, float | int | np.ndarray | np.number):
            return
        asked = frame.f_back
        while asked.f_back is not None and is_library(asked.f_code.co_filename):
            asked = asked.f_back
        number = np.asarray(value)
        if number.dtype.kind in "biuf" and not asked.f_code.co_filename.startswith(OURS):
            self.calls.append(Call(frame.f_code.co_name, place_of(asked), number.astype(float)))


def told(law: str, arguments: tuple, options: dict) -> tuple[Any, Any, tuple]:
    """Centre and scale of symmetric noise (None for another law), and the other parameters as strings."""
    if law in SCALED:
        names = dict(zip(("loc", "scale", "size"), arguments, strict=False)) | options
        return names.get("loc", 0.0), names.get("scale", 1.0), (repr(names.get("size")),)
    if law in ("gauss", "normalvariate"):
        names = dict(zip(("mu", "sigma"), arguments, strict=False)) | options
        return names.get("mu", 0.0), names.get("sigma", 1.0), ()
    shown = tuple(_told(x)[:200] for x in arguments) + tuple(f"{k}={_told(v)}"[:200] for k, v in options.items())
    return 0.0, (1.0 if law in STANDARD else None), shown


def _told(scale: Any) -> str:
    """A scale as a text, the same one for equal numbers of any type."""
    return repr(float(scale)) if isinstance(scale, int | float | np.number) else repr(scale)


def caller() -> FrameType:
    """The innermost line outside this package and the numerical libraries."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        file = frame.f_code.co_filename
        if not file.startswith(OURS) and not is_library(file):
            break
        frame = frame.f_back
    return frame


def is_library(file: str) -> bool:
    """Whether a file is of a numerical library or of Python."""
    return any(part in file for part in LIBRARIES)


def place_of(frame: FrameType) -> Place:
    """The line of a frame."""
    file, above = frame.f_code.co_filename, frame.f_back
    while above is not None and (above.f_code.co_filename == file or is_library(above.f_code.co_filename)):
        above = above.f_back
    ours = above is None or above.f_code.co_filename.startswith(OURS)
    led = "" if ours or above is None else f"{above.f_code.co_filename}:{above.f_lineno}, in {above.f_code.co_name}"
    return Place(file, frame.f_lineno, frame.f_code.co_name, led)


# Noise that remembers its scale ---------------------------------------------------------------------------------------


class Noise(np.ndarray):
    """Draws of symmetric noise, until they are added to a number."""

    law: str
    scale: Any
    tape: Tape | None
    ids: np.ndarray

    def __array_finalize__(self, made_from: Any) -> None:
        self.tape, self.law, self.scale, self.ids = None, "", None, np.zeros(0, int)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        noises = [x for x in inputs if isinstance(x, Noise) and x.tape is not None]
        plain = [np.asarray(x) if isinstance(x, Noise) else x for x in inputs]
        into = None if out is None else tuple(np.asarray(x) if isinstance(x, Noise) else x for x in out)
        before = [np.array(x) if into and any(x is o for o in into) else x for x in plain]
        result = getattr(ufunc, method)(*plain, **options, **({"out": into} if into else {}))
        if method != "__call__" or len(noises) != 1 or noises[0].tape is None:
            return result
        own, tape = noises[0], noises[0].tape
        other: Any = before[1 - next(at for at, x in enumerate(inputs) if x is own)] if len(inputs) == 2 else None
        if ufunc in (np.add, np.subtract):
            offset = -other if ufunc is np.subtract and inputs[0] is own else other
            centre = np.broadcast_to(offset, np.shape(result))
            came = tape.met(own.law, own.scale, centre, result, place_of(caller()), own.ids)
            if into:
                into[0][...] = came
                return into[0]
            return came if np.ndim(came) else np.float64(came)
        if ufunc is np.negative:
            return noise(result, own.law, own.scale, tape, own.ids)
        if ufunc in (np.multiply, np.divide) and not (ufunc is np.divide and inputs[1] is own):
            factor = np.abs(np.asarray(other, dtype=float))
            scale = own.scale / factor if ufunc is np.divide else own.scale * factor
            return noise(result, own.law, scale, tape, np.broadcast_to(own.ids, np.shape(result)))
        return result

    def __getitem__(self, place: Any) -> Any:
        found = np.asarray(self)[place]
        if self.tape is None:
            return found
        scale = self.scale if np.ndim(self.scale) == 0 else np.broadcast_to(self.scale, self.shape)[place]
        return noise(found, self.law, scale, self.tape, self.ids[place])

    def __round__(self, places: int = 0) -> float:
        return round(float(self), places)


def noise(value: Any, law: str, scale: Any, tape: Tape, ids: np.ndarray) -> Noise:
    """Values as noise of a law and a scale."""
    made = np.asarray(value).view(Noise)
    made.law, made.scale, made.tape, made.ids = law, np.asarray(scale, dtype=float), tape, ids.reshape(made.shape)
    return made


# Twins ----------------------------------------------------------------------------------------------------------------

running: list[Tape] = []  # the tape that draws go to is the last one


class _Taped:
    """What makes a generator write down its draws."""

    def __getattribute__(self, law: str) -> Any:
        found = super().__getattribute__(law)
        if law not in LAWS or not running:
            return found
        return lambda *arguments, **options: running[-1].draw(law, found, arguments, options)


class TapedGenerator(_Taped, np.random.Generator):
    """A numpy Generator that records on the tape."""


class TapedState(_Taped, np.random.RandomState):
    """A numpy RandomState that records on the tape."""


class TapedRandom(_Taped, random.Random):
    """A `random.Random` that records on the tape."""


class TapedSystem(TapedRandom):
    """A replacement of the system's randomness, derived from the tape's seed."""

    def __init__(self, *_: Any) -> None:
        super().__init__(running[-1].seed if running else 0)

    def seed(self, *arguments: Any, **options: Any) -> None:
        super().seed(running[-1].seed if running else 0)


def _default_rng(seed: Any = None) -> np.random.Generator:
    if isinstance(seed, TapedGenerator):
        return seed
    if running and isinstance(seed, int | np.integer) and not sys._getframe(1).f_code.co_filename.startswith(OURS):
        running[-1].seeds.append((repr(int(seed)), place_of(caller())))
    seed = running[-1].seed + len(running[-1].draws) if seed is None and running else seed
    return TapedGenerator(ORIGINAL_RNG(seed).bit_generator)


ORIGINAL_RNG, ORIGINAL_GENERATOR, ORIGINAL_STATE = np.random.default_rng, np.random.Generator, np.random.RandomState


def twins() -> dict[int, tuple[Any, Any]]:
    """{id of an original: (the original, its recording replacement)} while a tape runs."""
    pairs: list[tuple[Any, Any]] = [
        (np.random.default_rng, _default_rng),
        (np.random.Generator, TapedGenerator),
        (np.random.RandomState, TapedState),
        (random.Random, TapedRandom),
        (random.SystemRandom, TapedSystem),
    ]
    for module in (np.random, random):
        pairs += [(f, _wrapped(law, f)) for law in LAWS if callable(f := getattr(module, law, None))]
    system = random.Random(0)
    for law, function in (
        ("randbelow", lambda n: system.randrange(n)),
        ("randbits", system.getrandbits),
        ("token_bytes", lambda n=32: system.randbytes(n)),
    ):
        pairs.append((getattr(secrets, law), _wrapped(law, function)))
    return {id(original): (original, twin) for original, twin in pairs}


def _wrapped(law: str, function: Callable) -> Callable:
    def draw(*arguments: Any, **options: Any) -> Any:
        return running[-1].draw(law, function, arguments, options) if running else function(*arguments, **options)

    return draw


@contextmanager
def taped() -> Iterator[None]:
    """Replace generators in every loaded module except ours, and restore them afterwards."""
    known, changed = twins(), []
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        if getattr(module, "__name__", "") in (__name__, "numpy.random.bit_generator") or not isinstance(names, dict):
            continue
        for name, value in list(names.items()):
            twin = known.get(id(value), (None, None))[1]
            if twin is None and type(value) is ORIGINAL_GENERATOR:
                twin = TapedGenerator(value.bit_generator)
            if twin is None and type(value) is ORIGINAL_STATE:
                twin = TapedState(value._bit_generator)
            if twin is not None:
                changed.append((names, name, value))
                names[name] = twin
    try:
        yield
    finally:
        for names, name, value in changed:
            names[name] = value


@contextmanager
def recording(tape: Tape) -> Iterator[Tape]:
    """Record draws, and the results of functions that draw, on this tape."""
    before = sys.getprofile()
    running.append(tape)
    sys.setprofile(tape.returned)
    try:
        yield tape
    finally:
        sys.setprofile(before)
        running.pop()
