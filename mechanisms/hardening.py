"""The laws and estimators of the package, and the row of the ledger by which each release is exact.

A line holds for every law and estimator in it: the guarantee holds for the bits released, by the named row, except for
the parts in `but`. Noise or choice in float64 is for experiments: the guarantee is then over the real numbers, and low
bits can distinguish neighbouring datasets. `GENERATORS` lists the sources of random bits. No running time is protected.

An estimator is declared here and nowhere else. The names of `lemmata`, its stub for type checkers, the page of what is
hardened, and the estimators that tests, audits and measurements run are generated from this table.
"""

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
    "Exact sums of rows on a public grid, and a Gaussian rounded to that grid.",
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
        ("column_ranges", "score_counts"),
        "Integer counts of records, and a Gaussian rounded to a public grid.",
        "wzw25.rem2.3.float64/explicit/counts",
        estimators=(Estimator("PrivateScaler", "scaling"),),
    ),
    Line(
        ("second_moments",),
        "Exact sums of products of rows on a public grid, and a Gaussian rounded to that grid.",
        "wzw25.rem2.3.float64/explicit/moments",
        estimators=(Estimator("PrivateRidge", "regression"),),
    ),
    Line(
        ("bounded_mean", "histogram"),
        "Sums in whole steps of a public grid, and discrete Laplace noise, or a Gaussian rounded to a public grid.",
        "rbht09.thm7.float64/corrected",
    ),
    Line(
        ("adaptive_margin",),
        SUMS + " Scores are counts, with noise of the same kind.",
        SUMS_ROW,
        estimators=(Estimator("AdaptiveMargin", "gd_estimators"),),
    ),
    Line(
        ("private_tuning",),
        SUMS + " Scores are counts, with noise of the same kind; a run releases as its own estimator does.",
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
        "Averages of iterates in float64, whose proved distance from the real averages counts in the sensitivity, and "
        "a Gaussian over the reals, rounded to a public grid.",
        "wzw25.rem2.3.float64/explicit/averages-privacy",
        estimators=(Estimator("PhasedSGD", "erm_estimators"),),
    ),
    Line(
        ("dp_erm", "efficient_learner", "kernel_learner"),
        "Rounds as `PhasedSGD`; losses in integer steps of a public grid, and an exact choice.",
        "wzw25.rem2.3.float64/explicit/averages-privacy",
        estimators=(
            Estimator("DPERM", "erm_estimators"),
            Estimator("EfficientMargin", "erm_estimators"),
        ),
    ),
    Line(
        ("private_svm", "kernel_svm"),
        "Weights with a proved distance to the minimiser, rounded to a public grid, both counted in the sensitivity, "
        "and discrete Laplace noise.",
        "rbht09.thm7.float64/corrected",
        estimators=(Estimator("PrivateSVM", "erm_estimators"),),
    ),
    Line(
        ("glm_output",),
        "A point with a proved distance to the minimiser, and a Gaussian over the reals, rounded to a public grid.",
        "wzw25.rem2.3.float64/corrected",
    ),
    Line(
        ("output_perturbation",),
        "A point with a proved distance to the minimiser, and noise over the reals, rounded to a public grid: digits "
        "are drawn until the grid cell is proved.",
        "wzw25.rem2.3.float64/explicit/minimiser",
    ),
    Line(
        ("objective_perturbation",),
        "The minimiser over the reals, rounded to a public grid: digits of the noise are drawn, and a point near the "
        "minimiser is certified, until the grid cell is proved.",
        "wzw25.rem2.3.float64/explicit/minimiser",
    ),
    Line(
        ("gaussian", "grid_gaussian"),
        "The Gaussian release, rounded to a public grid: post-processing.",
        "wzw25.rem2.3.float64/corrected",
    ),
    Line(
        ("discrete_gaussian",),
        "Integers only, calibrated by a bound on the privacy curve of the discrete Gaussian.",
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
        ("quantile",),
        "A point of a public grid, chosen by numbers of records with exact probabilities.",
        "wzw25.rem2.3.float64/explicit/choice",
    ),
    Line(
        ("pure_learner", "network_learner", "label_learner"),
        "An index, chosen by numbers of errors with exact probabilities.",
        "wzw25.rem2.3.float64/explicit/choice",
        estimators=(Estimator("PureMargin", "erm_estimators"),),
    ),
    Line(
        ("exponential", "generalized_exponential", "margin_selection", "grid_search"),
        "An index, chosen with exact probabilities; normalised scores are rational numbers on a public grid.",
        "wzw25.rem2.3.float64/explicit/choice",
        "scores that the caller computes and whose sensitivity the caller claims; releases of the caller's learner",
    ),
    Line(
        ("report_noisy_max", "confidence_boosting"),
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


ESTIMATORS = tuple(one for line in TABLE for one in line.estimators)


def find_line(name: str) -> Line:
    """Return the line of a law or estimator. Raises ValueError for a name that the table lacks.

    >>> find_line("MarginClassifier").row == find_line("noisy_gd").row
    True
    """
    for line in TABLE:
        if name in line.names:
            return line
    raise ValueError(f"name must be in mechanisms.hardening.TABLE, got {name!r}")
