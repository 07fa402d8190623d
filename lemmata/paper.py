r"""Everything that a paper of one's own needs: statements, their hypotheses, and the claims that decide them.

A paper is a folder with a `paper.toml` (`lemmata new-paper NAME` writes one) and modules like this one, in which what
is stated and how it is decided may stand together or apart:

    from lemmata.paper import inequality_claim, integer, theorem

    @theorem("lem1", says=r"\sum_{i=1}^n (2i-1) \le n^2 - 1", needs=[integer("n")])
    def odd_sum(*, n: int) -> int:
        '''The bound on the sum of the first n odd numbers as printed, Lemma 1.'''
        return n**2 - 1

    @odd_sum.corrected(says=r"\sum_{i=1}^n (2i-1) = n^2")
    def odd_sum_corrected(*, n: int) -> int:
        '''The sum itself: i^2 - (i-1)^2 = 2i - 1 telescopes.'''
        return n**2

    @inequality_claim(odd_sum_corrected)
    def odd_numbers_add_up_to_squares():
        '''The sums themselves, for n up to 50.'''
        for n in range(1, 50):
            yield {"n": n}, sum(range(1, 2 * n, 2)), odd_sum_corrected(n=n)

A *theorem* computes the number that is promised and never knows whether it is right. A *claim* says how it is decided:
a check yields cases (setting, left, right), or a trial draws one event at a time. `lemmata run`, `explain`, `report`
and `check`, and bare `pytest`, work in the folder.
"""

from lemmata.bounds.exact.balls import PRECISION, exact
from lemmata.bounds.library import Paper, PaperError, Work, library
from lemmata.bounds.theorem import (
    Hypothesis,
    OutOfReach,
    OutsideHypotheses,
    Statement,
    Theorem,
    at_least,
    between,
    in_unit_interval,
    integer,
    positive,
    require,
    theorem,
    theorems,
)
from lemmata.bounds.verdicts import HOLDS, INCONCLUSIVE, REFUTED, VACUOUS
from lemmata.command.main import script
from lemmata.experiments.checks import witness
from lemmata.experiments.checks.existence import exists_claim, unbounded_claim
from lemmata.experiments.checks.identity import identity_claim
from lemmata.experiments.checks.inequality import equality, inequality_claim, largest, spread, up_to_one
from lemmata.experiments.engine.claim import (
    Control,
    attack_claim,
    exact_claim,
    grid,
    mean_claim,
    rate_claim,
    tail_claim,
)
from lemmata.experiments.engine.decide import decide
from lemmata.experiments.engine.verdict import Verdict, holds, inconclusive, refuted

__all__ = [
    "HOLDS",
    "INCONCLUSIVE",
    "PRECISION",
    "REFUTED",
    "VACUOUS",
    "Control",
    "Hypothesis",
    "OutOfReach",
    "OutsideHypotheses",
    "Paper",
    "PaperError",
    "Statement",
    "Theorem",
    "Verdict",
    "Work",
    "at_least",
    "attack_claim",
    "between",
    "decide",
    "equality",
    "exact",
    "exact_claim",
    "exists_claim",
    "grid",
    "holds",
    "identity_claim",
    "in_unit_interval",
    "inconclusive",
    "inequality_claim",
    "integer",
    "largest",
    "library",
    "mean_claim",
    "positive",
    "rate_claim",
    "refuted",
    "require",
    "script",
    "spread",
    "tail_claim",
    "theorem",
    "theorems",
    "unbounded_claim",
    "up_to_one",
    "witness",
]
