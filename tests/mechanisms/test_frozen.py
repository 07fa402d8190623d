"""The same seed gives the same release as before: what every public function of mechanisms/ returned, to seven digits.

`frozen.csv` holds it, as `python -m tests.mechanisms.test_frozen` prints it; with names, the lines of these functions
alone. It changes only with a line in CHANGELOG that says what changed: "Seeds" where random numbers are drawn in
another order, else why the numbers were wrong.
"""

import copy
import csv
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from lemmata.mechanisms.learners.descent import adaptive_margin, known_margin
from lemmata.mechanisms.learners.erm import dp_erm
from lemmata.mechanisms.noise import laplace
from lemmata.mechanisms.numerics import arguments
from tests.mechanisms.estimators.learners import CLASSIFIERS
from tests.mechanisms.test_fuzz import CASES, built, name_of, numbers_in, released
from tests.mechanisms.valid_calls import NAMED, TABLE, X, Y

pytestmark = pytest.mark.usefixtures("same_entropy")
FILE = Path(__file__).with_name("frozen.csv")
CALLS = ("plain", "other")


def margin_data(n):
    records = np.random.default_rng(20251122).normal(size=(n, 2))
    return records / np.linalg.norm(records, axis=1).max(), np.where(records @ [2.0, 1.0] > 0.1, 1.0, -1.0)


MORE, LABELS = margin_data(12)
# Other values for arguments of these names and types: no two the same, and none of them 1, so that each factor counts.
OTHER = dict(X=MORE, y=LABELS, V=MORE, Z=MORE, K=MORE @ MORE.T + np.eye(12), counts=[1, 2] * 6, n=12, m=29, points=17)
OTHER |= dict(epsilon=1.5, delta=2e-3, beta=0.05, mu=0.7, radius=1.25, norm_bound=1.6, label_bound=1.3, kappa=1.45)
OTHER |= dict(C=1.75, sensitivity=0.85, bandwidth=0.65, scale=1.55, width=0.4, rho=0.45, margin=0.3, ridge=0.35, r=0.32)
OTHER |= dict(net=0.15, loss_bound=2.1, constant=0.55, distance=0.8, rate=1.9, resolution=0.42, grid=0.5, error=0.38)
OTHER |= dict(distortion=0.25, diameter=1.15, h_max=1.7, tolerance=0.12, bound=12.0, steps=5, rounds=4)
# What holds no number: streams, truth values, projections that so few records do not need.
SILENT = [
    arguments.resolve_generator,
    arguments.spawn_two_streams,
    arguments.check_callable,
    arguments.check_exactly_one,
    arguments.check_choice,
    laplace.reachable,
    dp_erm.check_setting,
]
SILENT += [known_margin.draw_projection, adaptive_margin.draw_projections]
RETURNING = [*(function for function in CASES if function not in SILENT), *CLASSIFIERS]


def returned(function, call):
    """What a valid call returns, with a law two releases, how probable it calls them and their cost; what an estimator
    learnt."""
    if function in CLASSIFIERS:
        model = function(random_state=7, classes=(-1.0, 1.0)).fit(*((X, Y) if call == "plain" else (MORE, LABELS)))
        return {name: value for name, value in sorted(vars(model).items()) if name.endswith("_")}
    given = built(TABLE[function])
    if call == "other":
        same = [name for name in given if type(given[name]) is type(OTHER.get(name, ...))]
        given |= copy.deepcopy({name: OTHER[name] for name in same})  # a transform works in place
    result = released(function, function(**NAMED.get(function, {}) | given))
    if function.__name__.endswith("law") and isinstance(result, tuple):
        law, releases = result
        more = [law.log_density(releases)] if hasattr(law, "log_density") else []
        cost = [np.log(law.expected_cost)] if hasattr(law, "expected_cost") else []
        return law, releases, *more, *cost
    return result


def summed(result):
    """How many numbers a result holds, the sum of their asinh, and that sum with weights that no two share.

    An infinity counts as 1000, what is no number as -1000.
    """
    parts = [np.zeros(0), *(np.asarray(part, dtype=float).ravel() for part in numbers_in(result))]
    every = np.nan_to_num(np.arcsinh(np.concatenate(parts)), nan=-1000.0, posinf=1000.0, neginf=-1000.0)
    return len(every), every.sum(), every @ np.sqrt(np.arange(1, len(every) + 1))


def frozen():
    """{(function, call): what its result sums to}"""
    with FILE.open(newline="") as lines:
        return {(name, call): list(map(float, sums)) for name, call, *sums in list(csv.reader(lines))[1:]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("function", RETURNING, ids=name_of)
def test_it_returns_what_it_returned(function, call):
    before, found = frozen()[name_of(function), call], summed(returned(function, call))
    assert found[0] == before[0] > 0
    np.testing.assert_allclose(found, before, rtol=1e-7, atol=1e-7 * max(1.0, abs(before[-1])))


def test_a_name_that_the_table_lacks_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["test_frozen", "noisy_gd.law", "noisy_gd.release_twice"])
    with pytest.raises(SystemExit, match=r"got noisy_gd\.release_twice"):
        main()


@pytest.mark.record
def test_the_table_names_no_other():
    assert frozen().keys() == {(name_of(function), call) for function in RETURNING for call in CALLS}


def main() -> None:
    """Print the table, or the lines of the functions that are named."""
    arguments.SystemGenerator = lambda: np.random.default_rng(2**256 // 3)
    writer, names = csv.writer(sys.stdout, lineterminator="\n"), sys.argv[1:]
    if unknown := set(names) - set(map(name_of, RETURNING)):
        sys.exit(f"names must be functions or estimators of the table, as `noisy_gd.law`; got {', '.join(unknown)}")
    if not names:
        writer.writerow(("function", "call", "numbers", "sum", "weighted sum"))
    for function in (function for function in RETURNING if not names or name_of(function) in names):
        for call in CALLS:
            with warnings.catch_warnings(action="ignore"):
                writer.writerow(
                    (name_of(function), call, *(f"{each:.10g}" for each in summed(returned(function, call))))
                )


if __name__ == "__main__":
    main()
