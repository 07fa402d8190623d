"""Whether a statement's LaTeX says the number that its function computes.

The terms of the text are compared with the function at random settings out of the domains of the hypotheses. A letter
stands for the argument of that name, Greek letter or `letters` of paper.toml; other letters stand for the arguments
that are left, in any order that fits. A statement is *compared* if one of its terms is the function. It *differs* if a
term after a relation has just the arguments of the function, all of them by name, and no term is the function. Else it
is *not read*: it is about other things than numbers, an order O(.), or a term that nobody parses.
"""

import contextlib
import functools
import inspect
import itertools
import math
import operator
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lemmata.bounds.library import Paper
from lemmata.bounds.statement.formula import in_symbols
from lemmata.bounds.statement.hypotheses import Domain, in_words
from lemmata.bounds.theorem import THEOREMS, Theorem
from lemmata.experiments.conformance.latex_arithmetic import Term, is_vague, read_terms
from lemmata.experiments.engine.ledger.sentences import find_letters, format_value
from lemmata.experiments.engine.search.domains import meet_intervals
from lemmata.mechanisms.numerics.streams import generator

OTHERS = re.compile("Sequence|ndarray|str|bool|Callable")  # annotations of arguments that are no numbers
COMPARED, DIFFERS, NOT_READ = "compared", "differs", "not read"
SETTINGS, TRIES = 12, 400  # at which a term is compared with the function, and how many are drawn for them
CLOSE, ROUNDING = 1e-9, 1e-14  # relative; and of a number beside 1
MOST = 4  # letters whose meaning is found by trying
LISTED = 20  # keys in a line
CONSTANTS = {"e": math.e, "π": math.pi}


class Point(NamedTuple):
    """The arguments of a function, and what it returns for them: one number, or several."""

    setting: dict[str, float]
    values: tuple[float, ...]


class Comparison(NamedTuple):
    """COMPARED, DIFFERS or NOT_READ, and what differs."""

    state: str
    difference: str = ""


@functools.cache
def compare_formula(theorem: Theorem) -> Comparison:
    """Compare the terms of a statement's LaTeX with its function."""
    points = draw_points(theorem)
    if not points:
        return Comparison(NOT_READ)
    letters = find_letters(theorem.key)
    arguments = {name: {name, in_symbols(name), letters.get(name, name)} for name in points[0].setting}
    terms = read_terms(theorem.says)
    meanings = [(term, meant) for term in terms for meant in list_meanings(term, arguments)]
    places = range(len(points[0].values))
    if all(any(all(is_number(*each, at, place) for at in points) for each in meanings) for place in places):
        return Comparison(COMPARED)
    wanted = [arguments[name] for name in list_needed(theorem)]
    own = [t for t in terms if t.bounds and has_just(t.letters - CONSTANTS.keys(), wanted) and len(wanted) > t.inside]
    if not own or len(places) > 1 or is_vague(theorem.says):
        return Comparison(NOT_READ)
    missed = [at for at in points if not any(is_number(*each, at, 0) for each in meanings)]  # of cases one may be it
    if len(missed) <= len(points) / 2:
        return Comparison(NOT_READ)
    (setting, (value,)), term = missed[0], own[-1]
    meant = next(list_meanings(term, arguments))
    stated = format_value(term.value(CONSTANTS | {letter: setting[name] for letter, name in meant.items()}))
    at, found = in_words(setting), format_value(value)
    return Comparison(DIFFERS, f"its LaTeX and its function must agree; at {at} the text has {stated}, got {found}")


def describe_comparisons(paper: Paper) -> str:
    """How many statements of a paper were compared, and which were not, as one line."""
    states = {key: compare_formula(each).state for key, each in THEOREMS.items() if each.paper == paper.id}
    others = [key for key, state in states.items() if state == NOT_READ]
    said = f"{paper.id}: LaTeX and function were compared for {len(states) - len(others)} of {len(states)} statements"
    return f"{said}; not read: {', '.join(others[:LISTED])}{', ...' * (len(others) > LISTED)}" if others else said


def has_just(letters: Collection[str], wanted: Sequence[Collection[str]]) -> bool:
    """Whether there is one letter for each argument, by one of its names, and no other."""
    return len(letters) == len(wanted) and all(any(letter in names for letter in letters) for names in wanted)


def list_needed(theorem: Theorem) -> list[str]:
    """The arguments of a function that have no preset value."""
    parameters = inspect.signature(theorem.formula).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is parameter.empty]


def draw_points(theorem: Theorem) -> list[Point]:
    """The function of a statement at random settings; nothing where it takes other things than numbers."""
    parameters = inspect.signature(theorem.formula).parameters.values()
    kinds = {p.name: str(p.annotation) for p in parameters}
    numbers = {name: Domain(0, whole="float" not in kind) for name, kind in kinds.items() if not OTHERS.search(kind)}
    domains = numbers | meet_intervals(theorem.needs)
    preset = {p.name: p.default for p in parameters if isinstance(p.default, int | float)}
    needed, found = list_needed(theorem), list[Point]()
    if not needed or not domains.keys() >= set(needed):
        return []
    rng = generator(0, theorem.key, {}, "says", 0)
    for _ in range(TRIES):
        setting = {name: draw_number(domains[name], rng) for name in needed}
        # The function may fail or overflow at numbers that its author did not think of.
        with contextlib.suppress(Exception), np.errstate(all="ignore"):
            if not theorem.skipped(setting | preset):
                values = tuple(as_numbers(theorem.formula(**setting)))
                point = Point(setting | preset, values)
                found += [point] if point not in found and all(map(math.isfinite, values)) else []
        if len(found) == SETTINGS:
            return found
    return []


def draw_number(domain: Domain, rng: np.random.Generator) -> float:
    """A number of moderate size, where two formulas differ by more than their rounding errors."""
    low, high = max(domain.low, -20) if domain.whole else domain.low, domain.high
    if domain.whole:
        return int(min(low + int(math.exp(rng.uniform(0, 3))) - 1, high))
    if math.isfinite(low) and math.isfinite(high):
        return low + (high - low) * float(rng.uniform(0.05, 0.95))
    distance = math.exp(rng.uniform(-2, 2))
    return low + distance if math.isfinite(low) else high - distance if math.isfinite(high) else distance


def as_numbers(value: Any) -> Iterator[float]:
    """The numbers that a function returns."""
    if isinstance(value, tuple | list):
        yield from (number for each in value for number in as_numbers(each))
    elif isinstance(value, bool | str):
        raise TypeError(f"a function must return numbers, got {value!r}")
    else:
        yield float(value)


def list_meanings(term: Term, arguments: Mapping[str, set[str]]) -> Iterator[dict[str, str]]:
    """The ways in which the letters of a term can stand for arguments."""
    known = {letter: name for letter in term.letters for name, signs in arguments.items() if letter in signs}
    free = sorted(term.letters - known.keys() - CONSTANTS.keys())
    left = [name for name in arguments if name not in known.values()]
    alone = bool(free) and isinstance(term.value, operator.itemgetter)  # what the statement is about, say
    if len(free) <= MOST and not alone:
        yield from (known | dict(zip(free, names, strict=True)) for names in itertools.permutations(left, len(free)))


def is_number(term: Term, meant: Mapping[str, str], at: Point, place: int) -> bool:
    """Whether a term, its letters standing for arguments, is the number at a place of what the function returns."""
    with contextlib.suppress(ArithmeticError, ValueError, TypeError):
        number = float(term.value(CONSTANTS | {letter: at.setting[name] for letter, name in meant.items()}))
        value = at.values[place]
        beside = math.isclose(1 - number, value, rel_tol=CLOSE, abs_tol=ROUNDING)  # 1 - e^-n for e^-n
        return beside or any(math.isclose(form, value, rel_tol=CLOSE) for form in list_forms(number))
    return False


def list_forms(number: float) -> Iterator[float]:
    """What a function may return for a number in a text: it, its logarithm, or the power of it."""
    yield number
    if number > 0:
        yield math.log(number)
    if abs(number) < 300:
        yield math.exp(number)
