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
        '''The sum itself.

        Derivation. i^2 - (i - 1)^2 = 2i - 1, and the sum over i telescopes to n^2.
        '''
        return n**2

    @inequality_claim(odd_sum_corrected)
    def odd_numbers_add_up_to_squares():
        '''The sums themselves, for n up to 50.'''
        for n in range(1, 50):
            yield {"n": n}, sum(range(1, 2 * n, 2)), odd_sum_corrected(n=n)

A *theorem* computes the number that is promised and never knows whether it is right. A *claim* says how it is decided:
a check yields cases (setting, left, right), or a trial draws one event at a time. `lemmata run`, `explain`, `report`
and `check`, and bare `pytest`, work in the folder.

Statements. `theorem(id, says=LaTeX, needs=[...], part="", kind="inequality", source="")`; kind is definition, tail,
mean, inequality, privacy, rate, construction or identity. Its function makes the other readings: `.corrected`,
`.explicit`, `.rate(along)`, `.quoted(by=...)`. `needs` are `positive`, `at_least`, `between`, `in_unit_interval`,
`integer` or `function` of an argument, and `require(words, predicate)`. In paper.toml an entry of [contents] is a
label, or {label = ..., source = "dg03"} with a table [sources.dg03] of authors, title and year; an id that begins with
a source's name, "dg03.thm2.1", is printed there.

Claims. A check of `inequality_claim`, `identity_claim` or `exists_claim` takes no argument, or the entries of each of
`quick`, and yields cases (setting, left, right) and links of one's own derivation, Link(name, setting, left, right);
that of `unbounded_claim` takes `level`. A case that fails refutes; a link that fails leaves the row INCONCLUSIVE
(FAILED). So does an infinite float on the left; on the right it compares nothing. An infinity that is meant is a ball.
A check calls its own statement, and has a control: else nothing holds (CONTROL_FAILED). A trial of `tail_claim`,
`mean_claim` or `rate_claim` is `trial(rng, size, *, factor=1, **setting)`, where `factor` sabotages what is tried, and
decides P(event) <= `bound(**setting)`, by default the entry `beta`, or E X <= that, for X from `low`, by default 0, to
`high`. All of them can say

KEYWORDS

`oracle_claim(statement, quick=grid(...))(lambda *, n: ...)` is short for a check of one case: the function is its left
side, and the number of the statement its right side. `exp`, `log`, `sqrt` and `Phi`, the normal distribution function,
take floats and balls, and symbols when a step is proved.

A check by cases also takes `caught`, the factors that divide its right side in the control (larger ones for a looser
bound), `rounding`, the relative error of a left side in floats, at most 1e-3, and `figure`, a function of the setting
that returns the curves of its page, {axis: values, line: values, ...}.

`theorem(..., reconstructed=True)` marks a record with symbols that the text at hand does not define; `says` names them.
"""

from lemmata.bounds.exact.balls import PRECISION, Phi, exact
from lemmata.bounds.exact.numbers import exp, log, sqrt
from lemmata.bounds.library import Paper, PaperError, Work, library
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, REFUTED, VACUOUS
from lemmata.bounds.theorem import (
    Hypothesis,
    OutOfReach,
    OutsideHypotheses,
    Statement,
    Theorem,
    at_least,
    between,
    function,
    in_unit_interval,
    integer,
    positive,
    require,
    theorem,
    theorems,
)
from lemmata.command.main import script
from lemmata.experiments.checks import witness
from lemmata.experiments.checks.existence import exists_claim, unbounded_claim
from lemmata.experiments.checks.identity import identity_claim
from lemmata.experiments.checks.inequality import Case, Link, equality, inequality_claim, largest, spread, up_to_one
from lemmata.experiments.checks.oracle import oracle_claim
from lemmata.experiments.engine.claims.claim import (
    Control,
    attack_claim,
    describe_keywords,
    exact_claim,
    grid,
    mean_claim,
    rate_claim,
    tail_claim,
)
from lemmata.experiments.engine.claims.steps import Step
from lemmata.experiments.engine.claims.verdict import Verdict, holds, inconclusive, refuted
from lemmata.experiments.engine.front.decision import decide

__doc__ = (__doc__ or "").replace("KEYWORDS", describe_keywords())

__all__ = [
    "HOLDS",
    "INCONCLUSIVE",
    "PRECISION",
    "REFUTED",
    "VACUOUS",
    "Case",
    "Control",
    "Hypothesis",
    "Link",
    "OutOfReach",
    "OutsideHypotheses",
    "Paper",
    "PaperError",
    "Phi",
    "Statement",
    "Step",
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
    "exp",
    "function",
    "grid",
    "holds",
    "identity_claim",
    "in_unit_interval",
    "inconclusive",
    "inequality_claim",
    "integer",
    "largest",
    "library",
    "log",
    "mean_claim",
    "oracle_claim",
    "positive",
    "rate_claim",
    "refuted",
    "require",
    "script",
    "spread",
    "sqrt",
    "tail_claim",
    "theorem",
    "theorems",
    "unbounded_claim",
    "up_to_one",
    "witness",
]
