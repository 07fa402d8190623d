"""How a kind of statement is decided: checks that several papers share, and the words that most claims use.

Inequalities, identities, orders, certificates for Gaussian maxima and counterexamples belong here. A check that only
one paper needs belongs in that paper's package. This package may import the engine, bounds and mechanisms.
"""

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
    withheld,
)
from lemmata.experiments.checks.order import is_growing, order_claim, rows_order, search_worst, within_order
from lemmata.experiments.engine.claims.claim import (
    Control,
    attack_claim,
    exact_claim,
    grid,
    mean_claim,
    rate_claim,
    tail_claim,
)
from lemmata.experiments.engine.claims.steps import Step
from lemmata.experiments.engine.claims.verdict import holds, inconclusive, refuted, vacuous

__all__ = [
    "ROUNDING",
    "Case",
    "Control",
    "Link",
    "Step",
    "attack_claim",
    "cases_claim",
    "equality",
    "exact_claim",
    "grid",
    "holds",
    "identity_claim",
    "inconclusive",
    "inequality_claim",
    "is_growing",
    "mean_claim",
    "order_claim",
    "rate_claim",
    "refuted",
    "rows_order",
    "run_script",
    "search_worst",
    "spread",
    "tail_claim",
    "up_to_one",
    "vacuous",
    "withheld",
    "within_order",
    "witness",
]


def run_script(file: str) -> None:
    """Decide a module of claims and draw its figures: the last line of every module, see `lemmata.script`."""
    import lemmata  # by its public name: commands stand above this package

    lemmata.script(file)
