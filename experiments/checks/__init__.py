"""Checks that decide one kind of statement each and that several papers share, re-exported for the claims."""

from lemmata.experiments.checks import witness
from lemmata.experiments.checks.identity import identity_claim
from lemmata.experiments.checks.inequality import (
    ROUNDING,
    Case,
    Link,
    cases_claim,
    equality,
    inequality_claim,
    spread,
    up_to_one,
)
from lemmata.experiments.checks.order import grows, order_claim, rows_order, searched, within_order

__all__ = [
    "ROUNDING",
    "Case",
    "Link",
    "cases_claim",
    "equality",
    "grows",
    "identity_claim",
    "inequality_claim",
    "order_claim",
    "rows_order",
    "searched",
    "spread",
    "up_to_one",
    "within_order",
    "witness",
]
