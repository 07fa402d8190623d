"""DP-Auditorium and this package on DP-Auditorium's own mechanisms, side by side.

    PYTHON -m lemmata.tools.wild.auditorium ours|theirs [NAME]

in an environment with this package, what `NEEDS` names, and DP-Auditorium's sources on the path: the folder
python/dp_auditorium of google/differential-privacy at `COMMIT`. Each line of reports/published/auditorium.csv is
written as it comes. Theirs is its own search as it shows it: datasets of numbers in [-1, 1] drawn by its Vizier
generator, one record added or removed, its hockey-stick tester at epsilon = 1, a failure probability of 0.05, 10,000
releases of either dataset a trial and at most ten trials. Ours is `lemmata.audit` with no neighbour given, at the same
0.05 and at 1e-10; it begins with five numbers in [-1, 1].

Either search is random, so that a line tells of `RUNS` runs, of `MANY` where both sides found the violation in all of
`RUNS` and releases are compared: how many of them `found` it, and medians over all of them, where a run that found none
counts with all that it drew; `least` and `most` are of its releases. Ours are at the roots `ROOT`, `ROOT` + 1 and so
on. Theirs are made anew for each run, the mechanism and the tester by its number; the datasets no seed repeats, since
Vizier's random search takes none.
"""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from statistics import median_low
from typing import Any

import numpy as np

from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.experiments.audits.released_libraries import digest_search
from lemmata.experiments.engine.ground.files import write_table
from lemmata.mechanisms.privacy import PureDP
from lemmata.tools.wild.run import CHECKOUT

COMMIT = "07da544"
NEEDS = (
    *("tensorflow-cpu==2.21.0", "tf-keras==2.21.0", "tensorflow-probability==0.25.0", "etils==1.15.0"),
    *("google-vizier[jax]==0.1.24", "jax==0.10.2"),
    "equinox==0.13.8",  # by itself, after the others: vizier asks for one that is older than this jax
)
TABLE = CHECKOUT / "reports/published/auditorium.csv"
COLUMNS = (
    *("mechanism", "says", "by", "level", "runs", "found", "pairs", "releases", "least", "most"),
    *("seconds", "version", "date"),
)
RUNS, TRIALS, SAMPLES, LEVEL, OURS = 5, 10, 10_000, 0.05, (0.05, 1e-10)
MANY, BOTH = 25, ("mean", "SVT5 of records")
ROOT, BUDGET = 20261128, 200_000
OPTIONS = 3  # of the noisy maximum, for which a record in [-1, 1] stands
VARIANTS = {
    "SVT3": "the answer that was compared is released",
    "SVT4": "noise that does not grow with the cut-off",
    "SVT5": "no noise on the answers",
    "SVT6": "no cut-off",
}


@dataclass(frozen=True)
class Law:
    """Its mechanism on one dataset, many releases at once. Its own search tries no NaN, so that none goes in here."""

    mechanism: Callable
    data: np.ndarray

    def sample(self, rng: np.random.Generator, size: int = 1) -> np.ndarray:
        """`size` releases, shape (size, answers)."""
        return numbers(self.mechanism(rng)(np.nan_to_num(self.data), size))


def numbers(releases: np.ndarray) -> np.ndarray:
    """Releases as numbers: its words for "above", "below" and "no response" have values of their own."""
    return np.array([[float(getattr(value, "value", value)) for value in row] for row in np.atleast_2d(releases)])


def mechanisms() -> dict[str, tuple[Callable, str, int]]:
    """Its mechanisms: made with a generator; the mistake; the records that its search takes."""
    config = import_module("dp_auditorium.configs.mechanism_config")
    names = "mean", "sparse_vector_technique", "noisy_max"
    mean, svt, noisy_max = (import_module(f"dp_auditorium.mechanisms.{name}") for name in names)

    def meaning(divisor: bool) -> Callable:
        told = config.MeanMechanismConfig(
            epsilon=1.0,
            delta=0.0,
            use_noised_counts_for_calculating_mean=divisor,
            use_noised_counts_for_calculating_noise_scale=False,
            min_value=0.0,
            max_value=1.0,
        )
        return lambda rng: mean.MeanMechanism(told, rng)

    def choosing(rng: Any) -> Callable:
        most = noisy_max.NoisyMaxMechanism(config.NoisyMaxMechanismConfig(epsilon=1.0, num_elements=OPTIONS), rng)
        return lambda data, size: most(np.clip((data + 1) * OPTIONS / 2, 0, OPTIONS - 1).astype(int), size)[:, None]

    def sparse(name: str, query: Any) -> Callable:
        told = config.SVTMechanismConfig(
            epsilon=1.0,
            max_value=1.0,
            min_value=0.0,
            query_type=query,
            num_queries=10,
            threshold=0.5,
            max_answered_queries=1,
        )
        return lambda rng: getattr(svt, name)(told, rng)

    found = {
        "mean": (meaning(False), "the true count, in the quotient and in the scale", 2),
        "mean over a noisy count": (meaning(True), "the true count in the scale", 2),
        "noisy max": (choosing, "none: it keeps its promise", 3),
    }
    kinds = {"sums": config.QueryType.QUERY_TYPE_SUM, "records": config.QueryType.QUERY_TYPE_REVEAL_RECORDS}
    return found | {
        f"{name} of {kind}": (sparse(name, query), says, 3)
        for name, says in VARIANTS.items()
        for kind, query in kinds.items()
    }


def ours(make: Callable, _: int, level: float, run: int) -> dict[str, Any]:
    """What our search finds at a level."""
    import lemmata

    found = lemmata.audit(
        lambda data: Law(make, np.asarray(data)),
        np.array([-1.0, 0.0, 1.0, 0.5, -0.5]),
        PureDP(1.0, "add/remove"),
        root=ROOT + run,
        budget=BUDGET,
        level=level,
    )
    return {"found": found.verdict == "REFUTED", "pairs": found.pairs, "releases": found.needed}


def theirs(make: Callable, records: int, level: float, run: int) -> dict[str, Any]:
    """What its search finds, and how many releases it drew."""
    import tensorflow as tf
    from dp_auditorium import privacy_test_runner
    from dp_auditorium.configs import (
        dataset_generator_config as of_data,
        privacy_property,
        privacy_test_runner_config as of_runner,
        property_tester_config,
    )
    from dp_auditorium.generators import vizier_dataset_generator
    from dp_auditorium.testers import hockey_stick_tester

    tf.keras.utils.set_random_seed(run)
    tester = hockey_stick_tester.HockeyStickPropertyTester(
        config=property_tester_config.HockeyStickPropertyTesterConfig(
            training_config=hockey_stick_tester.make_default_hs_training_config(),
            approximate_dp=privacy_property.ApproximateDp(epsilon=1.0, delta=0.0),
        ),
        base_model=hockey_stick_tester.make_default_hs_base_model(),
    )
    generator = vizier_dataset_generator.VizierScalarDataAddRemoveGenerator(
        config=of_data.VizierDatasetGeneratorConfig(
            study_name=str(time.time()),
            study_owner="owner",
            num_vizier_parameters=records,
            data_type=of_data.DataType.DATA_TYPE_FLOAT,
            min_value=-1.0,
            max_value=1.0,
            search_algorithm="RANDOM_SEARCH",
            metric_name="divergence",
        )
    )
    squashed = of_runner.PostProcessing.TANH if records == 2 else of_runner.PostProcessing.NONE
    runner = privacy_test_runner.PrivacyTestRunner(
        config=of_runner.PrivacyTestRunnerConfig(
            property_tester=of_runner.PropertyTester.HOCKEY_STICK_TESTER,
            max_num_trials=TRIALS,
            failure_probability=level,
            num_samples=SAMPLES,
            post_processing=squashed,
        ),
        dataset_generator=generator,
        property_tester=tester,
    )
    mechanism, drawn = make(np.random.default_rng(run)), [0]

    def counted(data: np.ndarray, size: int) -> np.ndarray:
        drawn[0] += size
        return numbers(mechanism(data, size))

    came = runner.test_privacy(counted, "mechanism")
    found = came.found_privacy_violation is not None
    return {"found": found, "pairs": came.num_inspected_trials, "releases": drawn[0]}


def timed(run: Callable, *arguments: Any) -> dict[str, Any]:
    """What a run tells, and its CPU seconds."""
    begun = time.process_time()
    return run(*arguments) | {"seconds": time.process_time() - begun}


def summary(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many runs found a violation, and medians over all: one that found none counts with all that it drew."""
    releases = [run["releases"] for run in runs]
    medians = {name: median_low(run[name] for run in runs) for name in runs[0] if name != "found"}
    medians["seconds"] = f"{medians['seconds']:.0f}"
    found = sum(run["found"] for run in runs)
    return medians | {"runs": len(runs), "found": found, "least": min(releases), "most": max(releases)}


SIDES = {"ours": ("lemmata", ours, OURS), "theirs": ("DP-Auditorium", theirs, (LEVEL,))}


def compared(who: str, only: str = "") -> Iterator[dict[str, Any]]:
    """A line a mechanism and level, as it comes."""
    by, search, levels = SIDES[who]
    version = digest_search() if who == "ours" else COMMIT
    for name, (make, says, records) in mechanisms().items():
        for level in levels if only in ("", name) else ():
            numbers = range(MANY if name in BOTH else RUNS)
            runs = [timed(search, make, records, level, number) for number in numbers]
            own = {"mechanism": name, "says": says, "by": by, "level": level, "version": version}
            yield own | summary(runs) | {"date": datetime.date.today().isoformat()}


def main(who: str, only: str = "") -> None:
    """Renew the lines of one side, or one of them."""
    by = [(side, f"{level}") for side, _, levels in SIDES.values() for level in levels]
    order = [(name, *side) for name in mechanisms() for side in by]
    for line in compared(who, only):
        lines = {(row["mechanism"], row["by"], f"{row['level']}"): row for row in (*read_table(TABLE, COLUMNS), line)}
        kept = [lines[which] for which in order if which in lines]
        write_table(TABLE, COLUMNS, ([row[name] for name in COLUMNS] for row in kept))
        print(*(f"{line[name]}" for name in COLUMNS), sep="  ", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
