"""Property-based testing by Hypothesis, with its own strategies for numbers and a budget of evaluations a record.

A setting outside the hypotheses passes. `assume` would have it drawn again: Hypothesis counts only what is allowed as
an example, so that narrow hypotheses cost thousands of evaluations.
"""

import contextlib
import math
from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, Phase, find, settings, strategies as st
from hypothesis.errors import HypothesisException

from lemmata.bounds.proof.box import Side
from lemmata.experiments.benchmark.inequalities import Inequality

EVALUATIONS = 300  # settings of a record, each evaluated once


def numbers(side: Side) -> st.SearchStrategy[Any]:
    """The numbers of a side."""
    low = None if math.isinf(side.low) else side.low
    high = None if math.isinf(side.high) else side.high
    if side.whole:
        return st.integers(low and math.ceil(low), high and math.floor(high))
    ends = {"exclude_min": side.open_low and low is not None, "exclude_max": side.open_high and high is not None}
    low, high = (end if end is None else float(end) for end in (low, high))
    return st.floats(low, high, allow_nan=False, allow_infinity=False, allow_subnormal=False, **ends)


def check_inequality(made: Inequality) -> dict[str, Any]:
    """Whether Hypothesis finds a setting at which balls show the statement to be false."""
    strategy = st.fixed_dictionaries({name: numbers(made.box[name]) for name in made.names})

    def fails(drawn: dict[str, Any]) -> bool:
        setting = {name: str(Fraction(value)) for name, value in drawn.items()}
        return made.fails_at(setting)

    plain = {"derandomize": True, "database": None, "suppress_health_check": list(HealthCheck)}
    options = settings(max_examples=EVALUATIONS, phases=[Phase.generate], **plain)
    with contextlib.suppress(HypothesisException):  # no such example
        drawn = find(strategy, fails, settings=options)
        setting = {name: str(Fraction(value)) for name, value in drawn.items()}
        return {"verdict": "false", "confidence": 1.0, "witness": made.program(setting)}
    return {"verdict": "true", "confidence": 0.8}
