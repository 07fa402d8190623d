"""The one table of what is released: which laws and estimators there are, and by which row a release is exact.

What a line says holds for every law and estimator in it: the guarantee holds for the bits released, by the row named,
up to what `but` says. Noise or choice in float64 is for experiments: the guarantee is then one over the real numbers,
and low bits can tell neighbouring datasets apart. `GENERATORS` says where random bits come from. How long a release
takes is hardened nowhere.

An estimator is declared here and nowhere else. The names of `lemmata`, its stub for type checkers, the page of what is
hardened, and the estimators that tests, audits and measurements ask are made from this table.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Estimator(NamedTuple):
    """An estimator of `lemmata`."""

    name: str
    home: str  # a module of `lemmata.mechanisms.estimators`
    small: dict[str, Any] = {}  # settings with which a test fits a few records quickly


class Line(NamedTuple):
    """One line of the table: laws and estimators whose releases are exact for one reason."""

    laws: tuple[str, ...]  # modules of `lemmata.mechanisms`
    why: str
    row: str  # of the ledger
    but: str = ""  # what stays a float in an exact release
    estimators: tuple[Estimator, ...] = ()
    noise: str = "exact"

    @property
    def names(self) -> tuple[str, ...]:
        """Estimators first, by which users know them."""
        return (*(one.name for one in self.estimators), *self.laws)


SUMS, SUMS_ROW = (
    "Exact sums of rows on a public grid, and a rounded normal on it.",
    "wzw25.rem2.3.float64/explicit/sums",
)
TABLE = (
    Line(
        ("noisy_gd", "projected_gd", "known_margin"),
        SUMS,
        SUMS_ROW,
        estimators=(
            Estimator("MarginClassifier", "margin_classifier"),
            Estimator("NoisyGD", "gd_estimators"),
            Estimator("ProjectedGD", "gd_estimators", {"k": 3}),
        ),
    ),
    Line(
        ("column_ranges",),
        "Counts of records, whole numbers, and a rounded normal on a grid.",
        "wzw25.rem2.3.float64/explicit/counts",
        estimators=(Estimator("PrivateScaler", "scaling"),),
    ),
    Line(
        ("adaptive_margin",),
        SUMS + " Scores are counts, with noise of the same kind.",
        SUMS_ROW,
        estimators=(Estimator("AdaptiveMargin", "gd_estimators"),),
    ),
    Line(
        ("private_tuning",),
        SUMS + " Scores are counts, with noise of the same kind; of a run the bits are its own estimator's.",
        SUMS_ROW,
        estimators=(
            Estimator("TunedMargin", "gd_estimators", {"beta": 0.4}),
            Estimator("PrivateSearchCV", "search", {"beta": 0.4}),
        ),
    ),
    Line(
        ("private_perceptron", "glm_gd", "glm_projected"),
        SUMS,
        SUMS_ROW,
    ),
    Line(
        ("phased_sgd",),
        "Averages of iterates in float64, whose distance from those over the reals is bounded and charged, and a "
        "Gaussian over the reals, rounded to a public grid.",
        "wzw25.rem2.3.float64/explicit/averages-privacy",
        estimators=(Estimator("PhasedSGD", "erm_estimators"),),
    ),
    Line(
        ("dp_erm", "efficient_learner", "kernel_learner"),
        "Rounds as `PhasedSGD`; losses in whole steps of a public grid, and an exact choice.",
        "wzw25.rem2.3.float64/explicit/averages-privacy",
        estimators=(
            Estimator("DPERM", "erm_estimators"),
            Estimator("EfficientMargin", "erm_estimators"),
        ),
    ),
    Line(
        ("private_svm", "kernel_svm"),
        "Weights, proved to be as near to the minimiser as is charged, rounded to a public grid, the rounding in the "
        "sensitivity, and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
        estimators=(Estimator("PrivateSVM", "erm_estimators"),),
    ),
    Line(
        ("glm_output",),
        "A minimiser, proved to be as near as is charged, and a Gaussian over the reals, rounded to a public grid.",
        "wzw25.rem2.3.float64/corrected",
    ),
    Line(
        ("output_perturbation",),
        "A minimiser certified to the accuracy that is charged, and noise over the reals, rounded to a public grid: "
        "digits are drawn until the cell is proved.",
        "wzw25.rem2.3.float64/explicit/minimiser",
    ),
    Line(
        ("objective_perturbation",),
        "The minimiser over the reals, rounded to a public grid: digits of the noise are drawn, and a point near the "
        "minimiser is certified, until the cell is proved.",
        "wzw25.rem2.3.float64/explicit/minimiser",
    ),
    Line(
        ("gaussian", "grid_gaussian"),
        "The Gaussian release, rounded to a public grid: post-processing.",
        "wzw25.rem2.3.float64/corrected",
    ),
    Line(
        ("discrete_gaussian",),
        "Whole numbers only, calibrated by a bound on the discrete Gaussian's own curve.",
        "rbht09.thm7.float64/explicit/profile",
    ),
    Line(
        ("majority",),
        "A difference of counts, and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
    ),
    Line(
        ("snapping",),
        "Laplace noise whose law over the doubles is known.",
        "rbht09.thm7.float64/explicit/snapping",
    ),
    Line(
        ("pure_learner", "network_learner", "label_learner"),
        "An index, chosen by numbers of errors with exact chances.",
        "wzw25.rem2.3.float64/explicit/choice",
        estimators=(Estimator("PureMargin", "erm_estimators"),),
    ),
    Line(
        ("exponential", "generalized_exponential", "margin_selection", "grid_search"),
        "An index, chosen with exact chances; normalised scores are rational numbers on a public grid.",
        "wzw25.rem2.3.float64/explicit/choice",
        "scores that a caller computes, whose sensitivity is the caller's promise; what a caller's learner releases",
    ),
    Line(
        ("report_noisy_max", "confidence_boosting"),
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


ESTIMATORS = tuple(one for line in TABLE for one in line.estimators)


def find_line(name: str) -> Line:
    """Return the line of a law or estimator. Raises ValueError for a name that the table lacks.

    >>> find_line("MarginClassifier").row == find_line("noisy_gd").row
    True
    """
    for line in TABLE:
        if name in line.names:
            return line
    raise ValueError(f"name = {name!r} is not in the table of what is exact")
