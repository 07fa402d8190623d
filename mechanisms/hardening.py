"""The defaults of each mechanism, to the last bit: the table behind README and the pages.

"exact": the guarantee holds for the bits released, by the named row, except for the parts in `but`. "float": noise or
choice in float64; the guarantee is over the real numbers, and low bits can distinguish neighbouring datasets. No
mechanism does so by default. `GENERATORS` lists the sources of random bits. No running time is protected.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One line of the table: mechanisms with the same answer."""

    names: tuple[str, ...]  # modules of `lemmata.mechanisms`; learners of `lemmata`
    noise: str  # "exact" or "float": what a fit takes by default
    why: str
    row: str = ""  # of the ledger
    but: str = ""  # what stays a float in an exact release


SUMS, SUMS_ROW = (
    "Exact sums of rows on a public grid, and a Gaussian rounded to that grid.",
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
        "Integer counts of records, and a Gaussian rounded to a public grid.",
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
        SUMS + " Scores are counts, with noise of the same kind; a run releases as its own estimator does.",
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
        "Averages of iterates in float64, whose proved distance from the real averages counts in the sensitivity, and "
        "a Gaussian over the reals, rounded to a public grid.",
        "wzw25.rem2.3.float64/explicit/averages-privacy",
    ),
    Line(
        ("DPERM", "EfficientMargin", "dp_erm", "efficient_learner", "kernel_learner"),
        "exact",
        "Rounds as `PhasedSGD`; losses in integer steps of a public grid, and an exact choice.",
        "wzw25.rem2.3.float64/explicit/averages-privacy",
    ),
    Line(
        ("PrivateSVM", "private_svm", "kernel_svm"),
        "exact",
        "Weights with a proved distance to the minimiser, rounded to a public grid, both counted in the sensitivity, "
        "and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
    ),
    Line(
        ("glm_output",),
        "exact",
        "A point with a proved distance to the minimiser, and a Gaussian over the reals, rounded to a public grid.",
        "wzw25.rem2.3.float64/corrected",
    ),
    Line(
        ("output_perturbation",),
        "exact",
        "A point with a proved distance to the minimiser, and noise over the reals, rounded to a public grid: digits "
        "are drawn until the grid cell is proved.",
        "wzw25.rem2.3.float64/explicit/minimiser",
    ),
    Line(
        ("objective_perturbation",),
        "exact",
        "The minimiser over the reals, rounded to a public grid: digits of the noise are drawn, and a point near the "
        "minimiser is certified, until the grid cell is proved.",
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
        "Integers only, calibrated by a bound on the privacy curve of the discrete Gaussian.",
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
        "An index, chosen by numbers of errors with exact probabilities.",
        "wzw25.rem2.3.float64/explicit/choice",
    ),
    Line(
        ("exponential", "generalized_exponential", "margin_selection", "grid_search"),
        "exact",
        "An index, chosen with exact probabilities; normalised scores are rational numbers on a public grid.",
        "wzw25.rem2.3.float64/explicit/choice",
        "scores that the caller computes and whose sensitivity the caller claims; releases of the caller's learner",
    ),
    Line(
        ("report_noisy_max", "confidence_boosting"),
        "exact",
        "An index: scores in integer steps of a public grid, and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
        "scores that the caller computes and whose sensitivity the caller claims; releases of the caller's learner",
    ),
)
GENERATORS = (
    ("no `rng`, no `random_state`", "all bits come from the operating system's cryptographic generator (`entropy`)"),
    ("a generator or a seed", "usually PCG64: others can repeat it and infer its state; for experiments only"),
    ("projections, frequencies", "public, so drawn from a separate stream of either kind"),
    ("verdicts and audits", "PCG64DXSM streams derived from the name of a chunk, so that every number can be repeated"),
)


def answer(name: str) -> Line:
    """Return the line of a mechanism or estimator. Raises ValueError for an unknown name.

    >>> answer("MarginClassifier").noise, answer("objective_perturbation").noise
    ('exact', 'exact')
    """
    for line in TABLE:
        if name in line.names:
            return line
    raise ValueError(f"name must be in mechanisms.hardening.TABLE, got {name!r}")
