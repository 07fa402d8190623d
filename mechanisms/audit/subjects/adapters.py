"""Adapters for mechanisms of any library: how to call them, how to pass the seed, and what they release.

Four shapes are known, by what they have and never by their library:

- an unfitted estimator (`fit`, `get_params`): a copy is fitted on the data, and what is released are the fitted
  attributes, those that end in an underscore, in the order of their names;
- a measurement (`map`, `input_domain`): it is called with the data, and what `map` says is its promise;
- a noise mechanism (`randomise`, `sensitivity`): a number goes in;
- any function of the data; if what it returns has a `sample(rng, size)`, that is a law, and its draws are released.

The seed goes in as `random_state` or `seed` (an integer) or as `rng` (a numpy Generator), whichever the mechanism has.
Besides, numpy's global state and that of `random` are seeded around every call, and put back. A mechanism that takes
its randomness from the system is audited too; only no root repeats it.
"""

import copy
import inspect
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from lemmata.mechanisms import privacy
from lemmata.mechanisms.audit.subjects.release_values import chosen, flat
from lemmata.mechanisms.audit.subjects.samplers import FAILURES, raised

SEEDS = ("random_state", "seed", "rng")
SEED_RANGE = 2**31  # what every library takes
SHARED = 256  # numbers of a release among which noise that is shared is looked for


@dataclass(frozen=True)
class Mechanism:
    """A mechanism under audit.

    call      (data, seed) -> one release; `data` is a tuple of arrays or frames with one record a row
    options   its parameters by name; declared ranges are read from them
    member    whether the mechanism accepts this dataset; a dataset outside its domain is not a neighbour
    law       the law of its releases on a dataset, if a call returns one: many draws cost little more than one
    source    the object that the user passed
    """

    name: str
    call: Callable[[tuple, int], Any] = field(repr=False)
    options: Mapping[str, Any] = field(repr=False, default_factory=dict)
    member: Callable[[tuple], bool] = field(repr=False, default=lambda data: True)
    law: Callable[[tuple], Any] = field(repr=False, default=lambda data: None)
    source: Any = field(repr=False, default=None)
    known: list = field(repr=False, default_factory=list, compare=False)
    shared: dict[int, int] = field(repr=False, default_factory=dict, compare=False)  # see `sharing`

    def release(self, data: tuple, seed: int) -> Any:
        """One release: a vector of numbers, a tuple if it has another shape than the first release, or an exception.

        A warning that it gave is part of it, as everybody sees it.
        """
        copies = tuple(part.copy() if hasattr(part, "copy") else part for part in data)
        try:
            with seeded(seed), warned() as given:
                released = flat(self.call(copies, seed))
            return self._as_outcome(released + [("warning", (), said(one)) for one in given])
        except FAILURES as error:
            return raised(error)

    def sampler(self, data: tuple) -> Callable[[np.random.Generator, int], Any]:
        """The releases on one dataset, in the form that the sequential test draws them."""

        law = self.law(data)
        if law is not None:
            return law.sample

        def sample(rng: np.random.Generator, size: int) -> Any:
            with quiet(), kept():
                found = [self.release(data, int(seed)) for seed in rng.integers(SEED_RANGE, size=size)]
            return np.array(found) if all(isinstance(one, np.ndarray) for one in found) else found

        return sample

    def _as_outcome(self, parts: list[tuple[str, tuple[int, ...], Any]]) -> Any:
        made = tuple((name, shape) for name, shape, value in parts if not isinstance(value, str))
        texts = tuple(f"{name} {value}" for name, _, value in parts if isinstance(value, str))
        numbers = [np.ravel(value) for _, _, value in parts if not isinstance(value, str)]
        vector = np.concatenate(numbers) if numbers else np.zeros(0)
        if not self.known:
            self.known.append((made, texts))
        return self.parted(vector) if (made, texts) == self.known[0] else (repr(made), *texts, *vector.tolist())

    def parted(self, vector: Any) -> Any:
        """The released numbers; numbers that share the noise of another one are replaced by their difference to it."""
        if not self.shared or not isinstance(vector, np.ndarray):
            return vector
        own, other = list(self.shared), list(self.shared.values())
        found = vector.copy()
        found[own] -= vector[other]
        return found

    def column(self, place: int) -> str:
        """The name of the number at one place of a release."""
        for name, shape in self.known[0][0] if self.known else ():
            size = int(np.prod(shape))
            if place < size:
                index = ", ".join(map(str, np.unravel_index(place, shape))) if shape else ""
                return f"{name}[{index}]" if index else name
            place -= size
        return f"number {place}"


def sharing(releases: Sequence) -> dict[int, int]:
    """Which numbers of a release share the noise of an earlier one, and of which: their difference has no noise.

    One draw that is added to all numbers hides each of them, and not by how much they differ.
    """
    if not all(isinstance(one, np.ndarray) and one.shape == releases[0].shape for one in releases):
        return {}
    table, found = np.array(releases), dict[int, int]()
    wide = range(table.shape[1] if table.shape[1] <= SHARED else 0)
    with quiet():
        spread = np.ptp(table, axis=0)
        for place in wide:
            apart = np.ptp(table[:, place : place + 1] - table[:, :place], axis=0)
            near = np.flatnonzero((apart <= 1e-9 * spread[place]) & (spread[:place] > 0) & np.isfinite(apart))
            if spread[place] > 0 and len(near):
                found[place] = int(near[0])
    return found


_keeping: list[bool] = []  # are the global generators kept already, by somebody further out?


@contextmanager
def kept() -> Iterator[None]:
    """Restore the global generators of numpy and `random` afterwards; this costs as much as a small release."""
    if _keeping:
        yield
        return
    state, python = np.random.get_state(), random.getstate()  # noqa: NPY002
    _keeping.append(True)
    try:
        yield
    finally:
        _keeping.pop()
        np.random.set_state(state)  # noqa: NPY002
        random.setstate(python)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed the global generators of numpy and `random`, and restore them afterwards."""
    with kept():
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        yield


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings of audited code, which would repeat for every release."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


UNSEEN = DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning  # Python shows none of them
ARITHMETIC = RuntimeWarning  # numpy's and scipy's; NaN and infinities are outcomes of their own


@contextmanager
def warned() -> Iterator[list[warnings.WarningMessage]]:
    """The warnings that Python shows, in their order."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        for category in (*UNSEEN, ARITHMETIC):
            warnings.simplefilter("ignore", category)
        yield given


def said(warning: warnings.WarningMessage) -> str:
    """The visible part of a warning: its class and the first line of its message."""
    return repr(raised(warning.message) if isinstance(warning.message, Warning) else str(warning.message))


# The four shapes ------------------------------------------------------------------------------------------------------


def is_estimator(thing: Any) -> bool:
    """Whether an object has the interface of a scikit-learn estimator."""
    return hasattr(thing, "fit") and not isinstance(thing, type)


def is_measurement(thing: Any) -> bool:
    """Whether an object has the interface of an OpenDP measurement."""
    return callable(thing) and hasattr(thing, "map") and hasattr(thing, "input_domain")


def is_randomiser(thing: Any) -> bool:
    """Whether an object has the interface of diffprivlib's noise mechanisms."""
    return hasattr(thing, "randomise") and not isinstance(thing, type)


def mechanism(thing: Any, released: Any = None) -> Mechanism:
    """Adapt any supported object to an audit. Raises ValueError for other objects."""
    seen = chosen(released)
    if isinstance(thing, Mechanism):
        return thing
    if is_estimator(thing):
        return _estimator(thing, seen)
    if is_measurement(thing):
        return Mechanism(
            "measurement", lambda data, seed: seen(thing(*plainly(data))), {}, partial(_member, thing), source=thing
        )
    if is_randomiser(thing):
        return Mechanism(type(thing).__name__, partial(_randomised, thing, seen), vars(thing), source=thing)
    if callable(thing) and not isinstance(thing, type):
        return _function(thing, seen)
    raise ValueError(
        "target must be an unfitted estimator, a function of the data, a measurement with map and input_domain, "
        f"or an object with randomise, got {type(thing).__name__}"
    )


def _estimator(estimator: Any, seen: Callable) -> Mechanism:
    options = estimator.get_params() if hasattr(estimator, "get_params") else vars(estimator)
    places = [name for name in options if name.rsplit("__", 1)[-1] in SEEDS]
    asked = [name for name in parameters(estimator.fit) if name in SEEDS]

    def call(data: tuple, seed: int) -> Any:
        model = fresh(estimator)
        values = {name: _seed(name.rsplit("__", 1)[-1], seed) for name in places}
        if values and hasattr(model, "set_params"):
            model.set_params(**values)
        else:
            vars(model).update(values)
        fitted_model = model.fit(*data, **{name: _seed(name, seed) for name in asked})
        return seen(model if fitted_model is None else fitted_model)

    return Mechanism(type(estimator).__name__, call, options, source=estimator)


def fresh(estimator: Any) -> Any:
    """An unfitted copy of an estimator."""
    if not hasattr(estimator, "get_params"):
        return copy.deepcopy(estimator)
    from sklearn.base import clone

    return clone(estimator)


def _function(function: Callable, seen: Callable) -> Mechanism:
    accepted = parameters(function)
    asked = [name for name in accepted if name in SEEDS]
    given = getattr(function, "keywords", {})
    options = {k: p.default for k, p in accepted.items() if p.default is not p.empty} | given

    def call(data: tuple, seed: int) -> Any:
        result = function(*data, **{name: _seed(name, seed) for name in asked})
        if is_law(result):
            result = result.sample(np.random.default_rng(seed), 1)
            result = {k: v[0] for k, v in result.items()} if isinstance(result, dict) else result[0]
        return seen(result)

    name = getattr(function, "__name__", "") or getattr(getattr(function, "func", None), "__name__", "function")
    return Mechanism(name, call, options, law=partial(_law, function, asked), source=function)


def _law(function: Callable, asked: list[str], data: tuple) -> Any:
    if asked:
        return None
    try:
        with quiet():
            result = function(*data)
    except FAILURES:  # it is asked again, and then that is an outcome
        return None
    return result if is_law(result) else None


def is_law(result: Any) -> bool:
    """Whether an object draws releases. A frame also has a `sample`, of its records, but is data."""
    return callable(getattr(result, "sample", None)) and not hasattr(result, "to_numpy")


def _randomised(randomiser: Any, seen: Callable, data: tuple, seed: int) -> Any:
    own = copy.copy(randomiser)
    if hasattr(own, "_rng"):
        own._rng = np.random.RandomState(seed)
    (value,) = data
    return seen(own.randomise(value.item() if isinstance(value, np.ndarray | np.generic) else value))


def _member(measurement: Any, data: tuple) -> bool:
    try:
        return all(bool(measurement.input_domain.member(part)) for part in plainly(data))
    except FAILURES:  # what the domain cannot even be asked about does not lie in it
        return False


def plainly(data: tuple) -> list:
    """Convert arrays to lists and numbers of Python."""
    return [part.tolist() if isinstance(part, np.ndarray | np.generic) else part for part in data]


METRICS = {"SymmetricDistance": "add/remove", "InsertDeleteDistance": "add/remove"}


def promised(measurement: Any) -> Any:
    """The guarantee of a measurement's `map` at input distance 1. Raises ValueError for an unknown measure."""
    measure, metric = str(measurement.output_measure), str(measurement.input_metric)
    kind = next((kind for name, kind in METRICS.items() if metric.startswith(name)), "replace")
    loss = measurement.map(1)
    if measure.startswith("MaxDivergence"):
        return privacy.PureDP(loss, kind)
    if measure.startswith("Approximate(MaxDivergence"):
        epsilon, delta = loss
        return privacy.ApproxDP(epsilon, delta, kind)
    if measure.startswith("ZeroConcentratedDivergence"):
        return privacy.ZCDP(loss, kind)
    raise ValueError(f"claim is required: the guarantee of a {measure} has no counterpart here")


def parameters(function: Callable) -> Mapping[str, inspect.Parameter]:
    """The parameters of a callable by name; none if they cannot be inspected."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _seed(convention: str, seed: int) -> Any:
    return np.random.default_rng(seed) if convention == "rng" else seed
