"""How a statement is declared and found: the import path that authors of papers use.

The record of a theorem is built in `lemmata.bounds.statement`; this module only gathers its public names.
"""

from lemmata.bounds.statement.functions import BrokenLine, function
from lemmata.bounds.statement.hypotheses import (
    Hypothesis,
    OutsideHypotheses,
    at_least,
    between,
    in_unit_interval,
    integer,
    positive,
    require,
    short,
)
from lemmata.bounds.statement.theorem import THEOREMS, OutOfReach, P, S, Statement, Theorem, theorem, theorems

__all__ = [
    "THEOREMS",
    "BrokenLine",
    "Hypothesis",
    "OutOfReach",
    "OutsideHypotheses",
    "P",
    "S",
    "Statement",
    "Theorem",
    "at_least",
    "between",
    "function",
    "in_unit_interval",
    "integer",
    "positive",
    "require",
    "short",
    "theorem",
    "theorems",
]
