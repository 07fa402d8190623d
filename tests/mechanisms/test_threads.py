"""One thread within, as many as before without, in any depth and after any error."""

import numpy as np
import pytest
import sklearn.utils._openmp_helpers  # noqa: F401 - loads OpenMP
from threadpoolctl import ThreadpoolController

from lemmata.mechanisms.threads import SMALL, one_thread, threads_for


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
    with one_thread():
        assert set(counts()) == {1}
        with one_thread():
            assert set(counts()) == {1}
        assert set(counts()) == {1}
    assert counts() == before
    assert one_thread()(counts)() == [1] * len(before) and counts() == before


def test_an_error_gives_them_back():
    before = counts()
    with pytest.raises(ZeroDivisionError), one_thread():
        _ = 1 / 0
    assert counts() == before


def test_large_tables_keep_their_threads():
    with threads_for(np.zeros(SMALL // 2), np.zeros(SMALL // 2)):
        assert set(counts()) == {1}
    with threads_for(np.zeros(SMALL), np.zeros(1)):
        assert max(counts()) == 3
