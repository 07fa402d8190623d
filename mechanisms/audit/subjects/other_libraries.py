"""Noise of other libraries, recorded where it is added: torch, jax, OpenDP and diffprivlib, each if it is loaded.

No library is imported here and none is a dependency. While `hooked()` lasts, functions and methods of theirs stand for
wrappers that record on the running tape. A torch tensor or a jax array of noise remembers its scale until it is added
to a number, as an array of numpy's does (`draws`). Programs that jax compiles run step by step meanwhile. A mechanism
of OpenDP or diffprivlib is recorded as one answer of known law, of the scale that it declares.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial, wraps
from math import exp, log
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.subjects.draws import Noise, running

Patch = tuple[Any, str, Any]  # an object, a name, and what stands for it


@contextmanager
def hooked() -> Iterator[None]:
    """Replace what is known of loaded libraries, and restore it afterwards."""
    changed: list[Patch] = []
    stepwise = sys.modules["jax"].disable_jit() if "jax" in sys.modules else nullcontext()
    for library, patches in (
        ("torch", _torch),
        ("jax", _jax),
        ("opendp.measurements", _opendp),
        ("diffprivlib", _diffprivlib),
    ):
        for owner, name, twin in patches(sys.modules[library]) if library in sys.modules else ():
            changed.append((owner, name, owner.__dict__.get(name)))  # None: inherited
            setattr(owner, name, twin)
    try:
        with stepwise:
            yield
    finally:
        for owner, name, before in reversed(changed):
            delattr(owner, name) if before is None else setattr(owner, name, before)


# torch ----------------------------------------------------------------------------------------------------------------

ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "truediv": np.divide}
SAME_ORDER = "view", "view_as", "reshape", "to", "float", "double", "clone", "detach", "contiguous", "flatten"
GAUSSIAN = "normal", "randn", "randn_like"
NOT_FOLLOWED = "bernoulli", "multinomial", "poisson", "rand", "rand_like", "randint", "randperm"
IN_PLACE = "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "uniform_"


def _torch(torch: Any) -> Iterator[Patch]:
    plain_tensor = torch.Tensor

    class Noisy(plain_tensor):  # type: ignore[misc, valid-type]
        """A tensor of noise: its numbers, and `told`, the same ones as an array that remembers its scale."""

        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), options: Any = None) -> Any:
            told = [getattr(x, "told", None) for x in args]
            plain = [x.as_subclass(plain_tensor) if isinstance(x, cls) else x for x in args]
            before = [x.detach().clone() if isinstance(x, plain_tensor) else x for x in plain[:2]]
            result = function(*plain, **(options or {}))
            name = getattr(function, "__name__", "").strip("_")
            if name in SAME_ORDER and told[0] is not None:
                return cls.of(result, told[0].reshape(tuple(result.shape)))
            kind = name if name in ARITHMETIC else name[1:]
            if kind not in ARITHMETIC or options or len(args) != 2 or all(x is None for x in told):
                return result
            sides = [own if own is not None else np.asarray(x) for own, x in zip(told, before, strict=True)]
            found = ARITHMETIC[kind](*(sides[::-1] if name == f"r{kind}" else sides))
            if isinstance(found, Noise) and found.tape is not None:
                return cls.of(result, found)
            return result.copy_(torch.as_tensor(np.asarray(found), dtype=result.dtype))

        @classmethod
        def of(cls, value: Any, told: Noise) -> Any:
            made = value.as_subclass(cls)
            made.told = told
            return made

    def gaussian(name: str, function: Callable) -> Callable:
        @wraps(function)
        def draw(*arguments: Any, **options: Any) -> Any:
            value = function(*arguments, **options)
            if not running or isinstance(value, Noisy):
                return value
            given = dict(zip(("mean", "std"), arguments, strict=False)) | options if name == "normal" else {}
            mean, std = (np.asarray(given.get(key, default), float) for key, default in (("mean", 0.0), ("std", 1.0)))
            tape: Any = running[-1]
            centre = torch.as_tensor(mean, dtype=value.dtype)
            own = Noisy.of(value - centre, tape.followed("normal", std, value.detach().numpy() - mean))
            return own + centre if isinstance(given.get("mean"), plain_tensor) or mean.any() else own

        return draw

    yield from ((torch, name, gaussian(name, getattr(torch, name))) for name in GAUSSIAN)
    yield from ((torch, name, _loose(name, getattr(torch, name))) for name in NOT_FOLLOWED)
    yield from ((plain_tensor, name, _loose(name, getattr(plain_tensor, name))) for name in IN_PLACE)


def _loose(name: str, function: Callable) -> Callable:
    """A draw that is recorded and not followed, unless it gives a network its first weights or shuffles batches."""

    @wraps(function)
    def draw(*arguments: Any, **options: Any) -> Any:
        initial = sys._getframe(1).f_code.co_filename.endswith(("nn/init.py", "dataloader.py"))
        if running and not initial:
            tape: Any = running[-1]
            tape.unfollowed(name)
        return function(*arguments, **options)

    return draw


# jax ------------------------------------------------------------------------------------------------------------------

STANDARD = "normal", "laplace", "gumbel", "logistic", "cauchy"  # of centre 0 and scale 1
OTHERS = "bernoulli", "bits", "categorical", "choice", "exponential", "gamma", "permutation", "randint", "uniform"


def _jax(jax: Any) -> Iterator[Patch]:
    functions, array = jax.numpy, type(jax.numpy.zeros(()))

    class Noisy:
        """Noise as an array that remembers its scale, `told`; elsewhere than in a sum it is an array of jax's."""

        __array_ufunc__ = None  # numpy leaves sums to it

        def __init__(self, told: Noise) -> None:
            self.told = told

        def __jax_array__(self) -> Any:
            return functions.asarray(np.asarray(self.told))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.__jax_array__(), name)

        def __getitem__(self, place: Any) -> Any:
            return of(self.told[place])

        def __neg__(self) -> Any:
            return of(-self.told)

    def of(told: Any) -> Any:
        return Noisy(told) if isinstance(told, Noise) and told.tape is not None else functions.asarray(told)

    def combined(ufunc: Callable, one: Any, other: Any) -> Any:
        told = (side.told if isinstance(side, Noisy) else np.asarray(functions.asarray(side)) for side in (one, other))
        return of(ufunc(*told))  # in jax's precision

    def unless_noisy(before: Callable, answer: Callable) -> Callable:
        """The operation of jax, but for noise."""
        return lambda one, other: (answer if Noisy in (type(one), type(other)) else before)(one, other)

    def drawn(law: str, function: Callable) -> Callable:
        @wraps(function)
        def draw(*arguments: Any, **options: Any) -> Any:
            value, tape = function(*arguments, **options), running[-1] if running else None
            if not isinstance(value, array):  # of no value yet, under `vmap` or `grad`
                return _loose(law, lambda: value)()
            return value if tape is None else Noisy(tape.followed(law, 1.0, np.asarray(value)))  # type: ignore[attr-defined]

        return draw

    for name in ("add", "sub", "mul", "truediv"):
        own = partial(combined, ARITHMETIC[name])
        setattr(Noisy, f"__{name}__", lambda self, other, own=own: own(self, other))
        setattr(Noisy, f"__r{name}__", lambda self, other, own=own: own(other, self))
        yield array, f"__{name}__", unless_noisy(getattr(array, f"__{name}__"), lambda *_: NotImplemented)
        long = ARITHMETIC[name].__name__
        yield functions, long, unless_noisy(getattr(functions, long), own)
    yield from ((jax.random, name, drawn(name, getattr(jax.random, name))) for name in STANDARD)
    yield from ((jax.random, name, _loose(name, getattr(jax.random, name))) for name in OTHERS)


# Mechanisms as calls --------------------------------------------------------------------------------------------------


def _opendp(measurements: Any) -> Iterator[Patch]:
    measurement = sys.modules["opendp.mod"].Measurement
    before = measurement.__call__

    def call(self: Any, data: Any) -> Any:
        told = getattr(self, "__opendp_dict__", {})
        kind, options = told.get("__function__"), told.get("__kwargs__", {})
        tape: Any = running[-1] if running else None
        if tape is None or tape.busy:
            return before(self, data)
        if kind == "make_chain_mt":
            return call(options["measurement1"], options["transformation0"](data))
        if kind == "make_chain_pm":
            return options["postprocess1"](call(options["measurement0"], data))
        whole = np.asarray(data).dtype.kind in "iu"
        law = {"make_laplace": "laplace", "make_geometric": "laplace", "make_gaussian": "normal"}.get(str(kind))
        if law is None:
            tape.unfollowed(kind or "measurement")
            return before(self, data)
        law, scale = f"discrete {law}" if whole else law, float(options["scale"])
        came = tape.called(law, scale, data, lambda: before(self, data), f"{kind}, scale {scale:g}")
        return came.astype(int if whole else float).tolist()

    yield measurement, "__call__", call
    yield measurement, "invoke", call


def _diffprivlib(library: Any) -> Iterator[Patch]:
    known = library.mechanisms

    def of(kind: Any, answer: Callable) -> Patch:
        before = kind.randomise

        @wraps(before)
        def randomise(self: Any, value: Any = None) -> Any:
            if not running or running[-1].busy:
                return before(self, value)
            self._check_all(value)
            declared = f"{type(self).__name__}, epsilon {self.epsilon:g}"
            if hasattr(self, "sensitivity"):
                declared += f", sensitivity {self.sensitivity:g}"
            return answer(running[-1], self, value, lambda: before(self, value), declared)

        return kind, "randomise", randomise

    yield of(known.Laplace, lambda tape, own, value, draw, said: float(
        tape.called("laplace", own.sensitivity / (own.epsilon - log(1 - own.delta)), value, draw, said)))  # fmt: skip
    yield of(known.Gaussian, lambda tape, own, value, draw, said: float(
        tape.called("normal", own._scale, value, draw, said)))  # fmt: skip
    yield of(known.Geometric, lambda tape, own, value, draw, said: int(
        tape.called("discrete laplace", -1 / own._scale, value, draw, said)))  # fmt: skip
    yield of(known.LaplaceBoundedDomain, lambda tape, own, value, draw, said: float(
        tape.called("bounded laplace", own._scale or own._find_scale(), np.clip(value, own.lower, own.upper), draw,
                    said, ends=(own.lower, own.upper))))  # fmt: skip
    yield of(known.Exponential, lambda tape, own, value, draw, said: tape.chosen(
        said, own.candidates or range(len(own.utility)), np.diff(own._probabilities, prepend=0.0)))  # fmt: skip
    yield of(known.Binary, lambda tape, own, value, draw, said: tape.chosen(
        said, (value, own.value1 if value == own.value0 else own.value0),
        np.array([exp(own.epsilon) + own.delta, 1 - own.delta]) / (1 + exp(own.epsilon))))  # fmt: skip
