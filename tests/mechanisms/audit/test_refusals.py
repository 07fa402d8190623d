"""What is no mechanism, dataset or number is refused in one line; a mechanism that exits has an outcome like others."""

import sys

import numpy as np
import pytest

import lemmata
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.mechanisms.audit.planted_leaks import ONE, Mean, tidy, times_shown, total, x

pytestmark = pytest.mark.statistical


def exits(x, rng):
    if x.max() > 100:
        sys.exit(0)
    return tidy(x).sum() + rng.laplace()


def always_exits(x, rng):
    sys.exit(0)


def law_exits(x):
    sys.exit(0)


def stops(x, rng):
    if x.max() > 100:
        raise GeneratorExit
    return tidy(x).sum() + rng.laplace()


@pytest.mark.parametrize("function, name", [(exits, "SystemExit"), (stops, "GeneratorExit")])
def test_an_exit_is_an_outcome(function, name):
    """On one record only: the search finds it, the program without lemmata shows it."""
    found = lemmata.audit(function, x, ONE, root=TEST_ROOT, budget=8_192)
    assert found.verdict == "REFUTED" and any(f"raises {name}" in lead for lead in found.place), found


def test_a_program_shows_an_exit():
    program = lemmata.audit(exits, x, ONE, root=TEST_ROOT, budget=8_192).reproducer
    assert sorted(times_shown(program)) == [0, 1000], program


def test_an_exit_fails_a_test():
    with pytest.raises(AssertionError, match="REFUTED"):
        lemmata.assert_private(exits, ONE, data=x, budget=8_192)


def test_exits_of_samplers_laws_and_traces():
    def honest(rng, size):
        return rng.laplace(size=size)

    found = lemmata.audit(honest, lambda rng, size: sys.exit(3), ONE, root=TEST_ROOT, budget=512)
    assert (found.reason, found.event) == ("NOT_AUDITED", "sample_b raised at every release, first SystemExit: 3")
    for function in (always_exits, law_exits):
        with pytest.raises(ValueError, match=f"{function.__name__} raised on every pair of datasets: SystemExit: 0"):
            lemmata.audit(function, x, ONE, root=TEST_ROOT, budget=1_024)
    assert lemmata.trace(exits, x, 1000 * x, ONE).leads[0].words == "the neighbour raises SystemExit: 0"


def test_one_mechanism_has_no_sample_a():
    class Law:
        def sample(self, rng, size):
            return np.zeros(size + (size > 1))

    with pytest.raises(ValueError, match="target on the data must return 24 releases, got 25"):
        lemmata.audit(lambda x: Law(), x, ONE, root=TEST_ROOT, budget=1_024)


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((total, x, ONE), {"budget": "x"}, "budget must be a real number, got 'x'"),
        ((total, x, ONE), {"level": "x"}, "level must be a real number, got 'x'"),
        ((total, x, ONE), {"released": 3}, "released must be an attribute name, a list of names or a.*, got 3"),
        ((total, x, ONE), {"seconds": "3"}, "seconds must be a real number, got '3'"),
        ((total, x, ONE), {"seconds": -1}, r"seconds must be in \[0, inf\), got -1"),
        ((total, {"a": 1}, ONE), {}, "data must be an array or a frame with one row per record, got dict"),
        ((total, None, ONE), {}, "data must be an array or a frame with one row per record, got NoneType"),
        ((total, {"a": 1}, ONE), {"seconds": 1}, "data must be an array or a frame with one row per.*, got dict"),
        ((total, x, lemmata.PureDP), {}, "claim must be a guarantee with numbers, such as.*, got the class PureDP"),
        ((3, x, ONE), {}, "target must be an unfitted estimator, a function of the data, a measurement.*, got int"),
        ((Mean(), ONE), {}, "data is missing"),
        ((total, x, x[:3], ONE), {}, "data must have parts with equal numbers of records, got 12 and 3"),
        ((total, x, ONE), {"unit": "user"}, "unit must be a column of the first part of the data, a frame, got 'user'"),
        ((lambda rng, size: x, lambda rng, size: x, ONE), {"unit": "user"}, "unit requires one mechanism and its data"),
        ((total, x, 1.0), {}, r"claim must be a guarantee, a list of PureDP and ApproxDP, or a function.*, got 1\.0"),
        (("total", x, ONE), {}, "target must be an unfitted estimator, a function of the data, a.*, got str"),
    ],
)
def test_bad_arguments(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        lemmata.audit(*arguments, root=TEST_ROOT, **options)


def test_a_file_of_releases_that_is_none(tmp_path):
    empty = tmp_path / "empty.npy"
    empty.touch()
    with pytest.raises(ValueError, match=f"sample_a must be a .npy file of numbers or texts, got '{empty}'"):
        lemmata.audit(str(empty), np.zeros(9), ONE)
    gone = tmp_path / "no.npy"
    with pytest.raises(ValueError, match=f"sample_a = '{gone}' cannot be read: No"):
        lemmata.audit(str(gone), np.zeros(9), ONE)


def test_a_number_is_priced_as_a_dataset(capsys):
    """One record by itself is a dataset for `assert_private` too, by seconds and by releases."""
    assert lemmata.assert_private(lambda x, rng: rng.laplace(), ONE, data=3.0, seconds=0.01).verdict == "INCONCLUSIVE"
