"""One thread within, as many as before without, in any depth and after any error."""

import numpy as np
import pytest
import sklearn.utils._openmp_helpers  # noqa: F401 - loads OpenMP
from threadpoolctl import ThreadpoolController

from lemmata.mechanisms.numerics.threads import SMALL, limit_to_one_thread, one_thread_if_small, thread_count_for
from lemmata.mechanisms.solvers import perturbed_risk


def counts():
    """The number of threads of every library."""
    return [library["num_threads"] for library in ThreadpoolController().info()]


@pytest.fixture(autouse=True)
def three():
    """Three threads, whatever the machine and its environment."""
    with ThreadpoolController().limit(limits=3):
        yield


def test_one_within_and_as_before_without():
    before = counts()
    assert max(before) == 3
    with limit_to_one_thread():
        assert set(counts()) == {1}
        with limit_to_one_thread():
            assert set(counts()) == {1}
        assert set(counts()) == {1}
    assert counts() == before
    assert limit_to_one_thread()(counts)() == [1] * len(before) and counts() == before


def test_an_error_gives_them_back():
    before = counts()
    with pytest.raises(ZeroDivisionError), limit_to_one_thread():
        _ = 1 / 0
    assert counts() == before


def test_large_tables_keep_their_threads():
    for numbers, columns, most in ((SMALL, 1, 1), (SMALL + 1, 1, 3), (SMALL // 4, 64, 1), (SMALL // 4, 128, 3)):
        with thread_count_for(numbers, columns):
            assert max(counts()) == most
    found = one_thread_if_small(lambda table: max(counts()))
    assert found(np.zeros(3)) == found(table=[1.0]) == 1 and found(np.zeros(SMALL + 1)) == 3


def test_what_solves_for_a_few_records_runs_on_one_thread(monkeypatch):
    """The threads are there again afterwards."""
    seen = []
    monkeypatch.setattr(perturbed_risk, "_newton", lambda Z, b, *_: seen.append(max(counts())) or (b, b[:, 0]))
    perturbed_risk.minimise(np.eye(2), linear=np.eye(2), ridge=1.0, share=1.0, loss="logistic")
    assert seen == [1] and max(counts()) == 3
