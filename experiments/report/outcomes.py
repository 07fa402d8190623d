"""What a committed table of audits says, for people: promises in symbols, outcomes and counts in words."""

import ast
import re
from typing import Any

from lemmata.bounds.statement.formula import in_symbols

LETTERS = {"epsilon": "ε", "delta": "δ", "mu": "μ", "rho": "ρ", "order": "order"}
CAME = {
    "AUDIT_ONLY": "survived",
    "NO_POWER": "the datasets were not distinguished",
    "BUDGET": "undecided within its releases",
    "NOT_AUDITED": "nothing was audited",
    "REFUTED": "refuted",
}


def describe_promise(claim: str) -> str:
    """A guarantee as tables keep it, in symbols; anything else as it is.

    >>> describe_promise("GaussianDP(mu=0.924930897666927, neighbours='replace')")
    'μ = 0.925'
    >>> describe_promise("ApproxDP(epsilon=4.0, delta=1e-05, neighbours='add/remove')")
    'ε = 4, δ = 10⁻⁵, add or remove'
    >>> describe_promise("RenyiDP(order=(2.0, 8.0), epsilon=(1.0, 4.0), neighbours='replace')")
    'order = (2, 8), ε = (1, 4)'
    """
    try:
        call: Any = ast.parse(claim, mode="eval").body
        fields = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    except (SyntaxError, ValueError, AttributeError):
        return claim
    numbers = [f"{LETTERS[name]} = {_in_digits(value)}" for name, value in fields.items() if name in LETTERS]
    neighbours = "add or remove" if fields.get("neighbours") == "add/remove" else ""
    return in_symbols(", ".join(filter(None, [*numbers, neighbours]))) if numbers else claim


def _in_digits(value: float | tuple[float, ...]) -> str:
    return f"({', '.join(map(_in_digits, value))})" if isinstance(value, tuple) else f"{value:.3g}"


def describe_outcome(verdict: str, reason: str) -> str:
    """What came out of an audit.

    >>> describe_outcome("INCONCLUSIVE", "AUDIT_ONLY"), describe_outcome("REFUTED", "")
    ('survived', 'refuted')
    """
    return CAME.get(reason or verdict, f"{verdict} {reason}".strip())


def describe_pair(text: str) -> str:
    """How a pair of neighbours is told, with one record in the singular.

    >>> describe_pair("made smaller: 1 records, 1 columns of 11 columns")
    'made smaller: 1 record, 1 column of 11 columns'
    """
    return re.sub(r"(?<![\d.])1 (record|column|draw)s\b", r"1 \1", text)


def describe_attack(note: str) -> str:
    """How a mechanism was attacked: our note without what came out of it."""
    how = re.sub(r"(^|; )(survived: |this attack does not distinguish ).*$", "", note, flags=re.DOTALL | re.IGNORECASE)
    return how.rstrip(".")
