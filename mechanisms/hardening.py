"""What each mechanism releases by default, to the last bit: the one table that README and the pages are made from.

"exact": the guarantee holds for the bits released, by the row named, up to what `but` says. "float": noise or choice
in float64; the guarantee is one over the real numbers, and low bits can tell neighbouring datasets apart: nothing
releases so by default. `GENERATORS` says where random bits come from. How long a release takes is hardened nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One line of the table: mechanisms that have the same answer."""

    names: tuple[str, ...]  # modules of `lemmata.mechanisms`; learners of `lemmata`
    noise: str  # "exact" or "float": what a fit takes by default
    why: str
    row: str = ""  # of the ledger
    but: str = ""  # what stays a float in an exact release


SUMS, SUMS_ROW = (
    "Exact sums of rows on a public grid, and a rounded normal on it.",
    "wzw25.rem2.3.float64/explicit/sums",
)
TABLE = (
    Line(
        ("MarginClassifier", "NoisyGD", "ProjectedGD", "noisy_gd", "projected_gd", "known_margin"),
        "exact",
        SUMS,
        SUMS_ROW,
    ),
    Line(
        ("PrivateScaler", "column_ranges"),
        "exact",
        "Counts of records, whole numbers, and a rounded normal on a grid.",
        "wzw25.rem2.3.float64/explicit/counts",
    ),
    Line(
        ("AdaptiveMargin", "adaptive_margin"),
        "exact",
        SUMS + " Scores are counts, with noise of the same kind.",
        SUMS_ROW,
    ),
    Line(
        ("TunedMargin", "PrivateSearchCV", "private_tuning"),
        "exact",
        SUMS + " Scores are counts, with noise of the same kind; of a run the bits are its own estimator's.",
        SUMS_ROW,
    ),
    Line(
        ("private_perceptron", "glm_gd", "glm_projected"),
        "exact",
        SUMS,
        SUMS_ROW,
    ),
    Line(
        ("PhasedSGD", "phased_sgd"),
        "exact",
        "Averages of iterates in float64, whose distance from those over the reals is bounded and charged, and a "
        "Gaussian over the reals, rounded to a public grid.",
        "wzw25.rem2.3.float64/explicit/averages-privacy",
    ),
    Line(
        ("DPERM", "EfficientMargin", "dp_erm", "efficient_learner", "kernel_learner"),
        "exact",
        "Rounds as `PhasedSGD`; losses in whole steps of a public grid, and an exact choice.",
        "wzw25.rem2.3.float64/explicit/averages-privacy",
    ),
    Line(
        ("PrivateSVM", "private_svm", "kernel_svm"),
        "exact",
        "Weights, proved to be as near to the minimiser as is charged, rounded to a public grid, the rounding in the "
        "sensitivity, and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
    ),
    Line(
        ("glm_output",),
        "exact",
        "A minimiser, proved to be as near as is charged, and a Gaussian over the reals, rounded to a public grid.",
        "wzw25.rem2.3.float64/corrected",
    ),
    Line(
        ("output_perturbation",),
        "exact",
        "A minimiser certified to the accuracy that is charged, and noise over the reals, rounded to a public grid: "
        "digits are drawn until the cell is proved.",
        "wzw25.rem2.3.float64/explicit/minimiser",
    ),
    Line(
        ("objective_perturbation",),
        "exact",
        "The minimiser over the reals, rounded to a public grid: digits of the noise are drawn, and a point near the "
        "minimiser is certified, until the cell is proved.",
        "wzw25.rem2.3.float64/explicit/minimiser",
    ),
    Line(
        ("gaussian", "grid_gaussian"),
        "exact",
        "The Gaussian release, rounded to a public grid: post-processing.",
        "wzw25.rem2.3.float64/corrected",
    ),
    Line(
        ("discrete_gaussian",),
        "exact",
        "Whole numbers only, calibrated by a bound on the discrete Gaussian's own curve.",
        "rbht09.thm7.float64/explicit/profile",
    ),
    Line(
        ("majority",),
        "exact",
        "A difference of counts, and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
    ),
    Line(
        ("snapping",),
        "exact",
        "Laplace noise whose law over the doubles is known.",
        "rbht09.thm7.float64/explicit/snapping",
    ),
    Line(
        ("PureMargin", "pure_learner", "network_learner", "label_learner"),
        "exact",
        "An index, chosen by numbers of errors with exact chances.",
        "wzw25.rem2.3.float64/explicit/choice",
    ),
    Line(
        ("exponential", "generalized_exponential", "margin_selection", "grid_search"),
        "exact",
        "An index, chosen with exact chances; normalised scores are rational numbers on a public grid.",
        "wzw25.rem2.3.float64/explicit/choice",
        "scores that a caller computes, whose sensitivity is the caller's promise; what a caller's learner releases",
    ),
    Line(
        ("report_noisy_max", "confidence_boosting"),
        "exact",
        "An index: scores in whole steps of a public grid, and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
        "scores that a caller computes, whose sensitivity is the caller's promise; what a caller's learner releases",
    ),
)
GENERATORS = (
    ("no `rng`, no `random_state`", "every bit is the operating system's, from its cryptographic stream (`entropy`)"),
    ("a generator or a seed", "PCG64 as a rule: it can be repeated, and its state inferred, by others too; for study"),
    ("projections, frequencies", "published, so drawn from a stream of their own, of either kind"),
    ("verdicts and audits", "PCG64DXSM streams derived from what a chunk is, so that every number can be repeated"),
)


def answer(name: str) -> Line:
    """Return the line of a mechanism or estimator. Raises ValueError for a name that the table lacks.

    >>> answer("MarginClassifier").noise, answer("objective_perturbation").noise
    ('exact', 'exact')
    """
    for line in TABLE:
        if name in line.names:
            return line
    raise ValueError(f"name = {name!r} is not in the table of what is exact")
