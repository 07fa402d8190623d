"""Property-based testing by Hypothesis, with its own strategies for numbers."""

import contextlib
import math
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, Phase, assume, find, settings, strategies as st
from hypothesis.errors import HypothesisException

from lemmata.bounds.proof.box import Side
from lemmata.experiments.benchmark.records import read_inequality

EXAMPLES = 100


def numbers(side: Side) -> st.SearchStrategy[Any]:
    """The numbers of a side."""
    low = None if math.isinf(side.low) else side.low
    high = None if math.isinf(side.high) else side.high
    if side.whole:
        return st.integers(low and math.ceil(low), high and math.floor(high))
    ends = {"exclude_min": side.open_low and low is not None, "exclude_max": side.open_high and high is not None}
    low, high = (end if end is None else float(end) for end in (low, high))
    return st.floats(low, high, allow_nan=False, allow_infinity=False, allow_subnormal=False, **ends)


def check(question: dict[str, Any]) -> dict[str, Any]:
    """Whether Hypothesis finds a setting at which balls show the statement to be false."""
    if question["inequality"] is None:
        return {"verdict": "", "confidence": 0.5}
    made = read_inequality(question)
    strategy = st.fixed_dictionaries({name: numbers(made.box[name]) for name in made.names})

    def fails(drawn: dict[str, Any]) -> bool:
        setting = {name: str(Fraction(value)) for name, value in drawn.items()}
        assume(made.admits(setting))
        return made.fails_at(setting)

    plain = {"derandomize": True, "database": None, "suppress_health_check": list(HealthCheck)}
    options = settings(max_examples=EXAMPLES, phases=[Phase.generate], **plain)
    with contextlib.suppress(HypothesisException):  # no such example, or hardly a setting that is allowed
        drawn = find(strategy, fails, settings=options)
        setting = {name: str(Fraction(value)) for name, value in drawn.items()}
        return {"verdict": "false", "confidence": 1.0, "witness": made.program(setting)}
    return {"verdict": "true", "confidence": 0.8}
