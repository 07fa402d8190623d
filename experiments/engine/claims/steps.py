"""A derivation that runs: left <= f1 <= f2 <= right, each step with its reason.

    @inequality_claim(bound.tail, steps=[
        Step("Markov's inequality", lambda *, k, t: 1 / (k * t)),
        Step(bound.inverse),
        ])

The first left side is that of the check, and the last right side that of the statement. The functions take arguments of
the setting; they are tried where the check is, and proved on the whole domain where they are elementary.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

STEP_FAILS = "of our derivation fails"  # in the note of a verdict, where a step does and no side is infinite


class Step(NamedTuple):
    """One step of a derivation: a reason, and the function of the setting that it leads to, else the statement."""

    reason: Any  # words, or a statement: the row that it uses
    to: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        """The reason in words, or the key of the row that is used."""
        return self.reason.theorem.key if hasattr(self.reason, "theorem") else self.reason


def check_steps(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps as a tuple; raises ValueError unless each has a reason, and all but the last lead to a function."""
    steps = tuple(steps)
    for step in steps:
        if not step.name or callable(step.to) == (step is steps[-1]):
            raise ValueError(f"a step must be Step(reason, function), the last Step(reason), got {step}")
    return steps


def chain(
    steps: Sequence[Step], setting: Mapping[str, Any], left: Any, right: Any, follow: Callable = lambda to: to
) -> Iterator[tuple[str, Any, Any]]:
    """(reason, left side, right side) of every step at a setting; `follow` makes another function of one."""
    for step in steps:
        value = right
        if step.to is not None:
            value = follow(step.to)(**{name: setting[name] for name in _names(step.to) if name in setting})
        yield step.name, left, value
        left = value


@functools.cache
def _names(function: Callable) -> tuple[str, ...]:
    """The parameters of a function, which `inspect` reads slowly."""
    return tuple(inspect.signature(function).parameters)
