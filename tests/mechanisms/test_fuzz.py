"""Nasty arguments: the answer is finite and of the right type, or one ValueError of one line that names the argument.

Every public function of mechanisms/ stands in a table with a valid call. One or two of its arguments are then replaced
by values that callers do pass by mistake. `test_the_table_is_complete` finds a function that is missing.
"""

import importlib
import inspect
import pkgutil
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from lemmata import mechanisms
from lemmata.mechanisms.learners.covers import label_learner
from lemmata.mechanisms.selection import tnb
from tests.mechanisms.inner_loops import INNER
from tests.mechanisms.nasty import NASTY
from tests.mechanisms.valid_calls import COVER, MATRIX, NAMED, TABLE, rng

pytestmark = pytest.mark.usefixtures("same_entropy")
AUDIT = "lemmata.mechanisms.audit."  # has its own tests: what it is given are other people's functions
PER_FUNCTION = 240  # replaced calls of each function, drawn with a fixed seed
CASES = [function for function, call in TABLE.items() if call is not None]


def name_of(function):
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


def built(call):
    """The arguments of one call; generators and what a call may change are made afresh."""
    made = (rng, COVER, MATRIX)
    return {name: value() if any(value is maker for maker in made) else value for name, value in call.items()}


def numbers_in(result, depth=0):
    """All numbers that a result holds, however deep."""
    if isinstance(result, bool | str | None | np.random.Generator) or depth > 4:
        return
    if isinstance(result, int | float | np.number | np.ndarray):
        yield np.asarray(result)
    elif isinstance(result, dict | list | tuple):
        for part in result.values() if isinstance(result, dict) else result:
            yield from numbers_in(part, depth + 1)
    elif is_dataclass(result):
        for entry in fields(result):
            yield from numbers_in(getattr(result, entry.name), depth + 1)


def released(function, result):
    """A law is asked for one release too; a lazy answer is exhausted."""
    if inspect.isgenerator(result):
        return list(result)
    if function.__name__ in ("law", "margin_law", "selection_law") and function is not tnb.law:
        return result, result.sample(rng(), 2)
    return result


MAY_BE_INFINITE = {"gaussian_epsilon", "gaussian_mu", "subset_margins"}  # their docstrings say when
RECORDS = {"X": 0.5, "y": -1.0, "value": 0.5, "scores": 0.5, "centre": 0.5}  # what is private, and another value of it


@pytest.mark.parametrize("function", CASES, ids=name_of)
def test_the_valid_call_works(function):
    released(function, function(**NAMED.get(function, {}), **built(TABLE[function])))


@pytest.mark.parametrize("function", [one for one in CASES if name_of(one).endswith(("law", "Laplace"))], ids=name_of)
def test_no_law_shows_its_records(function):
    call = built(TABLE[function])
    hidden = {name: by for name, by in RECORDS.items() if name in call}
    if function is label_learner.law:  # its guarantee is for labels: a cover is chosen by the features
        del hidden["X"]
    assert repr(function(**call | {name: by * np.asarray(call[name]) for name, by in hidden.items()})) == repr(
        function(**call)
    )


@pytest.mark.parametrize("function", CASES, ids=name_of)
def test_nasty_arguments_are_answered_or_named(function):
    call = TABLE[function]
    draw = np.random.default_rng(sum(map(ord, name_of(function))))
    trials = [(name, nasty) for name in call for nasty in NASTY]
    pairs = [tuple(draw.choice(len(trials), 2)) for _ in range(40)]
    chosen = [(i,) for i in draw.permutation(len(trials))[: PER_FUNCTION - 40]] + pairs
    for indices in chosen:
        changed = {trials[i][0]: trials[i][1] for i in indices}
        arguments = NAMED.get(function, {}) | built(call) | {name: NASTY[nasty] for name, nasty in changed.items()}
        try:
            result = released(function, function(**arguments))
        except ValueError as error:
            text = str(error)
            assert text and "\n" not in text and "secret" not in text, (changed, text)
            # the message is ours: it begins with a name, not with numpy's "could not broadcast"
            assert text.split()[0].split("[")[0].rstrip(",:").isidentifier(), (changed, text)
        except Exception as error:  # a TypeError from deep inside says nothing about the argument
            raise AssertionError(f"{name_of(function)} with {changed}: {type(error).__name__}: {error}") from error
        else:
            if function.__name__ not in MAY_BE_INFINITE and not function.__module__.endswith(
                ("arithmetic", "arguments", "law")
            ):
                for number in numbers_in(result):
                    assert number.dtype.kind in "biuf" and np.isfinite(number).all(), (changed, result)


@pytest.mark.record
def test_the_table_is_complete():
    missing = []
    for entry in pkgutil.walk_packages(mechanisms.__path__, "lemmata.mechanisms."):
        if entry.name.startswith(AUDIT):
            continue
        module = importlib.import_module(entry.name)
        for name, value in vars(module).items():
            public = inspect.isfunction(value) and value.__module__ == entry.name and not name.startswith("_")
            if public and value not in TABLE and name not in INNER.get(module, "").split():
                missing.append(f"{entry.name}.{name}")
    assert missing == []
