"""What each mechanism releases by default, to the last bit: the one table that README and the pages are made from.

"exact": the guarantee holds for the bits released, by the row named, up to what `but` says. "float": noise or choice
in float64; the guarantee is one over the real numbers, and low bits can tell neighbouring datasets apart. How long a
release takes is hardened nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """Some mechanisms with the same answer."""

    names: tuple[str, ...]  # modules of `lemmata.mechanisms`; classes of `estimators` and `search`
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
        "the chances with which a record enters a random batch, where batches are used (a relative 1e-15)",
    ),
    Line(
        ("TunedMargin", "PrivateSearchCV", "private_tuning"),
        "exact",
        SUMS + " Scores are counts, with noise of the same kind; of a run the bits are its own estimator's.",
        SUMS_ROW,
        "the law of the number of runs, which depends on no data (a relative 1e-15)",
    ),
    Line(
        ("PrivateSVM", "private_svm", "kernel_svm"),
        "exact",
        "Weights rounded to a public grid, the rounding in the sensitivity, and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
    ),
    Line(
        ("grid_gaussian",),
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
        ("snapping",),
        "exact",
        "Laplace noise whose law over the doubles is known.",
        "rbht09.thm7.float64/explicit/snapping",
    ),
    Line(
        ("PhasedSGD", "DPERM", "EfficientMargin", "phased_sgd", "dp_erm", "efficient_learner", "kernel_learner"),
        "float",
        "Averages of iterates, not sums over records: their sensitivity is proved over the reals, step by step.",
        "wzw25.rem2.3.float64/explicit",
    ),
    Line(
        ("gaussian", "glm_gd", "glm_projected", "glm_output", "output_perturbation", "private_perceptron"),
        "float",
        "Float64 noise beside a float64 statistic; `grid_gaussian` and `discrete_gaussian` release one exactly.",
        "wzw25.rem2.3.float64/explicit",
    ),
    Line(
        ("objective_perturbation",),
        "float",
        "The release is a minimiser under noise: exact only for a solver without error.",
    ),
    Line(
        (
            "PureMargin",
            "pure_learner",
            "network_learner",
            "label_learner",
            "exponential",
            "generalized_exponential",
            "report_noisy_max",
            "confidence_boosting",
            "grid_search",
            "margin_selection",
            "majority",
        ),
        "float",
        "An index has no low bits, but the chances with which it is drawn, or the scores' noise, are floats.",
    ),
)


def answer(name: str) -> Line:
    """The line of a mechanism or estimator. Raises ValueError for a name that the table lacks.

    >>> answer("MarginClassifier").noise, answer("PhasedSGD").noise
    ('exact', 'float')
    """
    for line in TABLE:
        if name in line.names:
            return line
    raise ValueError(f"name = {name!r} is not in the table of what is exact")
