"""Settings out of the domains of the hypotheses: corners, numbers next to powers, and log-uniform distances to an end.

A coordinate is a number of a `Domain`. A real one is looked at by its distance from an end, in logarithms, since a
statement fails at an end, or by an order of magnitude.
"""

import contextlib
import importlib
import inspect
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.bounds.statement.hypotheses import Domain
from lemmata.experiments.engine.claims.claim import Claim, Setting
from lemmata.experiments.engine.ground.deadline import deadline, memory_limit
from lemmata.experiments.engine.search.arrays import Arrays, draw_arrays, find_arrays
from lemmata.experiments.engine.search.domains import find_domains
from lemmata.experiments.engine.search.loops import cases_at, find_coordinates, is_array, is_number

FAR = 1e6  # how far from a finite end, or from 0, most real numbers are drawn
NEAR = 1e-9  # and how near to an end: nearer, formulas in floats break before statements do
REACH = 4096  # of whole numbers; beyond it one coordinate at a time is doubled
EXTREME = 1e-3  # distance from an end, within which floats are looked at twice
FEW_BITS = 30  # of a difference of floats that are nearly equal
SMOOTH_FROM = 1000  # whole numbers, from which on a formula is looked at as smooth
ALIKE = 60  # steps of these, for formulas and hypotheses that ask for remainders
STEPS = 25  # settings of a window
NAMED = 8  # settings of the author, whose other arguments are kept
FIRST_CASES = 50  # of a check, which show what its loops run over
LARGE = 2**30  # bytes beyond those that are in use, for which an evaluation is given up
SLOW = 0.5  # CPU seconds of an evaluation, after which it is given up
FIRST = 10.0  # of the author's own cases, the first of which may import and compile
CORNERS = 0.3  # of the coordinates that are drawn lie at a corner of their domain

Domains = Mapping[str, Domain]


@dataclass(frozen=True)
class Oracle:
    """A check as a function of coordinates, each of which is a number of its domain, an array or a function."""

    check: Callable[..., Any]
    domains: Domains  # of the coordinates that are numbers
    arrays: Mapping[str, Arrays]  # those of the others, functions among them
    looped: frozenset[str]  # those among them over which loops of the check run; the others are its arguments
    named: tuple[Setting, ...]  # what its author calls it with

    def make_cases(self, /, **setting: Any) -> Any:
        """The cases of the check at a setting of all its coordinates and other arguments."""
        arguments, looped = self.split(setting)
        return cases_at(self.check, arguments, **looped)

    def split(self, setting: Setting) -> tuple[Setting, Setting]:
        """What the check is called with, and what its loops are given."""
        looped = {name: setting[name] for name in self.looped}
        return {name: value for name, value in setting.items() if name not in looped}, looped


def bare_module(claim: Claim, function: Callable[..., Any]) -> str:
    """The module from which the program of a row imports a function: a stranger's modules go by their bare names."""
    # By its name, so that no digest of a search follows it to the papers that this process has loaded.
    paper = importlib.import_module("lemmata.bounds.library").library.paper(claim.key)
    return function.__module__.removeprefix("" if paper.house else f"{paper.packages[0]}.")


@contextlib.contextmanager
def guard_evaluation(seconds: float = SLOW) -> Iterator[None]:
    """A check is evaluated where its author never was: it may take for ever, and all memory, and warn of each step."""
    with memory_limit(LARGE), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with deadline(seconds):  # inside, so that it rings while none of these is put back
            yield


def open_check(claim: Claim) -> Oracle:
    """The check of a claim as a function of what it is called with and of what its loops run over.

    A coordinate is a number whose domain the hypotheses name; all else stays as the author chose it.
    """
    check = inspect.unwrap(claim.trial)
    needs = (*claim.theorem.needs, *claim.over)
    known, named = find_domains(needs), {name for hypothesis in needs for name in hypothesis.names}
    settings = [setting for setting in claim.quick if not claim.theorem.skipped(setting)] or [{}]
    parameters = inspect.signature(check).parameters.values()
    asked = {one.name: 0 for one in parameters if one.default is one.empty and one.kind is one.KEYWORD_ONLY}
    called = {name for name, value in (asked | settings[0]).items() if name in known and is_number(value)}
    looped: dict[str, list[Any]] = {}
    functions = {hypothesis.names[0] for hypothesis in needs if hypothesis.functions}
    try:
        with guard_evaluation(FIRST):
            looped = find_coordinates(check, known, settings[0], FIRST_CASES, named, functions)
    except (Exception, SystemExit):  # the check decides what it is worth where its author tries it
        pass
    examples = {name: values for name, values in looped.items() if values}
    for name in named & asked.keys() & settings[0].keys() - looped.keys():  # what loops run over may be a list of axes
        if is_array(settings[0][name]):
            examples[name] = [setting[name] for setting in settings if is_array(setting[name])]
    domains = {name: known[name] for name in sorted(called | looped.keys()) if name not in examples}
    return Oracle(check, domains, find_arrays(needs, examples), frozenset(looped), tuple(settings[:NAMED]))


def clip_domains(claim: Claim, domains: Domains) -> dict[str, Domain]:
    """The part of the domains out of which settings are drawn, as far as the claim says."""

    def clip(name: str, domain: Domain) -> Domain:
        end = REACH if domain.whole else math.inf
        return domain.meet(Domain(-end, claim.reach.get(name, end)))

    return {name: clip(name, domain) for name, domain in domains.items()}


def list_corners(domain: Domain) -> list[float]:
    """The ends of a domain, what is next to an open or an infinite one, and small whole numbers.

    >>> list_corners(Domain(1, 100, whole=True))
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 100, 100]
    """
    low, high = domain.low, domain.high
    if domain.whole:
        start = int(low)
        return [n for n in (*range(start, start + 8), 10, 16, 100, 1000, int(high)) if low <= n <= high]
    width = high - low if math.isfinite(high - low) else math.inf
    ends = [end for end, is_open in ((low, domain.open_low), (high, domain.open_high)) if not is_open]
    ends = [end for end in ends if math.isfinite(end)]
    steps = [step for step in (NEAR, 1e-6, 1e-3, 0.1, 0.5, 1.0, 10.0, 1e3, FAR) if step < width]
    ends += [low + step for step in steps if math.isfinite(low)] + [
        high - step for step in steps if math.isfinite(high)
    ]
    return ends if math.isfinite(low) or math.isfinite(high) else [0.0, *steps, *(-step for step in steps)]


def draw_number(domain: Domain, rng: np.random.Generator) -> float:
    """One coordinate: a corner, or a log-uniform distance from an end of the domain."""
    if rng.random() < CORNERS:
        corners = list_corners(domain)
        return corners[rng.integers(len(corners))]
    if domain.whole:
        low, high = int(domain.low), int(domain.high)
        if rng.random() < 0.3:  # next to a power, where thresholds jump
            base = int(rng.choice([2, 3, 10]))
            near = base ** int(rng.integers(1, max(2, int(math.log(max(high, 2), base)) + 1))) + int(
                rng.integers(-1, 2)
            )
            return min(max(near, low), high)
        return min(low + int(math.exp(rng.uniform(0, math.log(max(high - low, 1) + 1)))) - 1, high)
    ends = [(end, sign) for end, sign in ((domain.low, 1), (domain.high, -1)) if math.isfinite(end)] or [
        (0.0, 1),
        (0.0, -1),
    ]
    end, sign = ends[rng.integers(len(ends))]
    width = domain.high - domain.low
    furthest = min(width, FAR) if math.isfinite(width) else FAR
    return end + sign * math.exp(rng.uniform(math.log(min(NEAR, furthest)), math.log(furthest)))


def draw_setting(domains: Domains, arrays: Mapping[str, Arrays], rng: np.random.Generator) -> Setting:
    """One number or array for every coordinate."""
    return {name: draw_number(domain, rng) for name, domain in domains.items()} | draw_arrays(arrays, rng)


def move(setting: Setting, domains: Domains, arrays: Mapping[str, Arrays], rng: np.random.Generator) -> Setting:
    """A setting near another one: some coordinates are moved, numbers by a factor of their distance from an end."""
    moved, names = dict(setting), [*domains, *arrays]
    for name in rng.permutation(names)[: rng.integers(1, len(names) + 1)]:
        if name in arrays:
            moved[name] = arrays[name].move(setting[name], rng)
            continue
        domain, value, factor = domains[name], setting[name], math.exp(rng.normal() * rng.choice([0.01, 0.1, 1.0]))
        if domain.whole:
            step = round(value * (factor - 1)) or int(rng.choice([-1, 1]))
            moved[name] = int(min(max(value + step, domain.low), domain.high))
        elif math.isfinite(domain.low) and (not math.isfinite(domain.high) or rng.random() < 0.5):
            moved[name] = domain.low + (value - domain.low) * factor
        elif math.isfinite(domain.high):
            moved[name] = domain.high - (domain.high - value) * factor
        else:
            moved[name] = value * factor
    return moved


def neighbours(
    setting: Setting, domains: Domains, arrays: Mapping[str, Arrays], rng: np.random.Generator
) -> Iterator[Setting]:
    """Settings so near that a statement about real numbers says the same there, while rounding errors differ."""
    for _ in range(8 if arrays or not all(domain.whole for domain in domains.values()) else 0):
        yield {
            **setting,
            **{name: each.jitter(setting[name], rng) for name, each in arrays.items()},
            **{
                name: setting[name] * (1 + float(rng.uniform(-1, 1)) * 1e-12)
                for name, domain in domains.items()
                if not domain.whole
            },
        }
    for name, domain in domains.items():
        if domain.whole and setting[name] >= SMOOTH_FROM:
            yield from ({**setting, name: int(setting[name]) + step} for step in (-2 * ALIKE, -ALIKE, ALIKE, 2 * ALIKE))


def count_bits(value: float) -> int:
    """The bits of a float between its highest and its lowest one.

    >>> count_bits(2.0**-16), count_bits(0.75), count_bits(1 / 3)
    (1, 2, 53)
    """
    numerator, _ = abs(value).as_integer_ratio()
    return len(f"{numerator:b}".rstrip("0"))


def windows(setting: Setting, domains: Domains, left: float) -> Iterator[tuple[list[Setting], list[Setting]]]:
    """Rows of settings through one, along a real coordinate, and wider ones where it is close to an end or far away.

    Along each of them a formula is smooth, or else what it computes there is mostly rounding: (1 - cos x) / x^2 has
    steps near 0. A formula with a floor has steps as well, but is smooth along the row in steps of 1, which comes with
    each row, and is empty where it would be narrow. Of large whole numbers a row has steps of `ALIKE`. Steps of 1 are
    for a `left` side that is whole, or has the bits of a float: lgamma(n) less its leading terms is 2^-16 at each of
    several n near 4e9.
    """
    for name, domain in domains.items():
        value = setting[name]
        if domain.whole:
            if abs(value) >= SMOOTH_FROM:
                step = ALIKE * max(1, round(0.05 * abs(value) / ALIKE))
                far = range(value - 6 * step, value + 7 * step, step)
                full = math.isfinite(left) and (left == round(left) or count_bits(left) > FEW_BITS)
                near = range(value - 6, value + 7) if full else ()
                yield tuple([{**setting, name: number} for number in row] for row in (far, near))  # type: ignore[misc]
            continue
        ends = [end for end in (domain.low, domain.high) if math.isfinite(end)] or [0.0]
        end = min(ends, key=lambda end: abs(value - end))
        distance = value - end
        for factor in (1.3, 4.0) if abs(distance) < EXTREME or abs(distance) > 1 / EXTREME else (1.3,):
            shares = np.geomspace(1 / factor, factor, STEPS)
            row = [{**setting, name: end + distance * float(share)} for share in shares]
            # Steps of a thousandth or more, of which rounding leaves nothing.
            steps = range(-6, 7) if 10 <= abs(value) <= 1000 else ()
            rows = row, [{**setting, name: value + step} for step in steps]
            inside, stepped = ([point for point in each if domain.low < point[name] < domain.high] for each in rows)
            yield inside, stepped


def simpler(setting: Setting, domains: Domains, arrays: Mapping[str, Arrays]) -> Iterator[Setting]:
    """The setting with one coordinate made simpler, the simplest first; arrays of one shape lose entries together."""
    plain = {name: np.array(setting[name], dtype=float) for name in arrays}
    shortest = min(map(len, plain.values()), default=0)
    for fewer in [slice(shortest // 2), *range(shortest)] if shortest > 1 else []:
        yield setting | {name: each.restore(np.delete(plain[name], fewer, 0)) for name, each in arrays.items()}
    for name, each in arrays.items():
        yield from (setting | {name: array} for array in each.simpler(setting[name]))
    for name, domain in domains.items():
        value = setting[name]
        if domain.whole:
            low = int(max(domain.low, min(value, 0)))
            between = {low + (int(value) - low) * share // 64 for share in (*range(1, 64, 4), 63)}
            candidates = sorted({low, low + 1, *between, int(value) - 1, *(10**k for k in range(1, 10))})
            yield from ({**setting, name: number} for number in candidates if low <= number < value)
        else:
            rounded = [float(f"{value:.{digits}g}") for digits in (1, 2, 3)]
            candidates = [number for number in (1.0, 0.5, 0.1, 2.0, 10.0) if abs(number) != abs(value)]
            simple = len(f"{value:.17g}".strip("0."))
            yield from ({**setting, name: number} for number in candidates + rounded if len(f"{number:g}") < simple)
