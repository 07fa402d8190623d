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
`.explicit`, `.rate(along)`, `.quoted(by=...)`. In paper.toml an entry of [contents] is a label, or {label = ...,
source = "dg03"} with a table [sources.dg03] of authors, title and year; an id that begins with a source's name,
"dg03.thm2.1", is printed there.

Claims. A check of `inequality_claim`, `identity_claim` or `exists_claim` takes no argument, or the entries of each of
`quick`, and yields cases (setting, left, right) and links of one's own derivation, Link(name, setting, left, right);
that of `unbounded_claim` takes `level`. A case that fails refutes; a link that fails leaves the row INCONCLUSIVE
(FAILED). So does an infinite float on the left; on the right it compares nothing. An infinity that is meant is a ball.
A check calls its own statement, and has a control: else nothing holds (NO_TEETH). A trial of `tail_claim`,
`mean_claim` or `rate_claim` is `trial(rng, size, *, factor=1, **setting)`, where `factor` sabotages what is tried, and
decides P(event) <= `bound(**setting)`, by default the entry `beta`, or E X <= that, for X from `low`, by default 0, to
`high`. All of them can say

    quick, full     settings: grid(n=[10, 100], beta=[0.1]); `full` is tried with --profile full
    control         Control("what {} does", (2, 5)): sabotage by the least factor that is caught; NO_TEETH if none is
    caught          of an inequality: the factors that divide its right side, larger ones for a looser bound
    evidence, scope what says nothing is "tested" at "settings". It is a "derivation" "everywhere" if it is `given`
                    rows, or if the record's docstring has a section that begins with "Derivation", whole sentences
                    with a formula and a step that the statement does not say itself; to say "derivation" without
                    either is an error. "composition" where the check only repeats what the statement's function puts
                    together; "enumeration" or "certificate" where all cases are exact, or balls: on floats it comes
                    out tested
    oracle          "exact", "below" or "above": where a left side that is computed stands beside the truth
    rounding        the relative error of a left side in floats, at most 1e-3
    given, cites    rows that it rests on; results of others that are used without a proof
    severity        of a printed row that falls: "privacy", "statement" or "constant"
    python          the program that shows that it falls: it runs in a process of its own, calls the statement, and
                    fails if that says something else, of an identity: it asserts which side is larger; without one the
                    row is INCONCLUSIVE (UNCONFIRMED)
    finding         what is wrong, in a few words: the headline of a statement that falls; by default a short note
    corrected_by    the row that is true instead, by default the corrected reading
    cap, chunk      how many chunks of how many trials at most: BUDGET if they do not decide it
    note            a sentence for the reader

Charity. A printed row that falls is REFUTED, unless it says one of these:

    corner          the one restriction that it lacks, words and predicate: require("n >= 2", lambda n: n >= 2). It is a
                    SLIP if `corrected_by` HOLDS, a row that calls the printed formula where the predicate is true
    used            {"lem3": grid(n=[2, 100])}: what each place of use sets, all of it inside the corner
    restated        ["thm4"]: places that repeat it with the same flaw, and on which nothing depends
    misprint        "read <= for =": a SLIP too; `corrected_by` has the one symbol replaced and HOLDS
    undecided       beside a corner: what nobody has decided inside it. The row is INCONCLUSIVE (CORNER)

`theorem(..., reconstructed=True)` marks a record with symbols that the text at hand does not define; `says` names them.
"""

from lemmata.bounds.exact.balls import PRECISION, exact
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
from lemmata.experiments.engine.claims.claim import (
    Control,
    attack_claim,
    exact_claim,
    grid,
    mean_claim,
    rate_claim,
    tail_claim,
)
from lemmata.experiments.engine.claims.verdict import Verdict, holds, inconclusive, refuted
from lemmata.experiments.engine.front.decision import decide

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
