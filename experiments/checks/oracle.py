"""left <= right, or left = right, where the left side is one function of the setting and the right one the statement.

oracle_claim(bound.tail, quick=grid(t=[1, 2]))(lambda *, t: Phi(-t))
oracle_claim(bound.scale, against="delta", quick=grid(...))(lambda scale, *, epsilon, delta: curve(epsilon, scale))
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from lemmata.bounds.theorem import Statement
from lemmata.experiments.checks.inequality import inequality_claim
from lemmata.experiments.engine.claims.claim import Control
from lemmata.mechanisms.numerics.inherited_docs import share_docs


@share_docs(inequality_claim)
def oracle_claim(
    statement: Statement[..., Any], *, against: str = "", claim: Callable[..., Any] = inequality_claim, **fields: Any
) -> Callable[[Callable], Callable]:
    """A claim whose check is one function of the setting, the oracle, compared with the number of the statement.

    With `against`, an entry of the setting is the right side, and the oracle has the number of the statement for its
    first argument, as a scale of noise whose delta is at most `delta`; the control divides it. Fields are those of
    `inequality_claim`.

    Parameters
    ----------
    against : str
        The entry of the setting that is the right side; by default the number of the statement.
    claim : function
        `inequality_claim` or `identity_claim`.
    """
    fields.setdefault("cost", 0.002)  # of two calls: a search of a quick run has 200 settings, and of a full one 1,000
    own = tuple(inspect.signature(statement.theorem.formula).parameters)
    caught = fields.pop("caught", (1.01, 1.1, 1.5, 2)) if against else ()
    if against and not fields.get("severity"):
        fields["control"] = Control("the number of the statement divided by {}", caught)

    def decorate(left: Callable) -> Callable:
        def check(**setting: Any) -> Iterator[tuple]:
            yield setting, left(**setting), statement(**{name: setting[name] for name in own if name in setting})

        def check_against(*, factor: float = 1, **setting: Any) -> Iterator[tuple]:
            number = statement(**{name: setting[name] for name in own if name in setting}) / factor
            yield setting, left(number, **setting), setting[against]

        made: Any = check_against if against else check
        # The digest of a row follows `left` as a part of its own module, and `lemmata where` shows its line.
        made.__module__, made.__doc__, made.oracle = left.__module__, left.__doc__, left
        claim(statement, **fields)(made)
        return left

    return decorate
