"""One thread for small matrices, where waiting for a second one costs more than it does.

A product of a thousand rows takes microseconds; a thread that has lost its core to another process takes milliseconds
to answer. So whatever makes many small products asks for one thread while it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

LOADING = "scipy.linalg", "sklearn.utils._openmp_helpers"  # modules that load libraries with threads of their own
SMALL = 2**20  # numbers of a table, whose product with a vector takes a millisecond


@lru_cache(maxsize=len(LOADING) ** 2)
def _controller(loaded: tuple[bool, ...]) -> ThreadpoolController:
    """The loaded libraries that have threads; to find them takes milliseconds, to limit them microseconds."""
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS and OpenMP use one thread within `with one_thread():`, or in a function under `@one_thread()`.

    A library that is loaded within is limited by who enters next.
    """
    with _controller(tuple(name in sys.modules for name in LOADING)).limit(limits=1):
        yield


def threads_for(*tables: Any) -> AbstractContextManager[None]:
    """One thread if all `tables` together are small, else as many as there are."""
    return one_thread() if sum(np.size(table) for table in tables) <= SMALL else nullcontext()
