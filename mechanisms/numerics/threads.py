"""One thread for small matrices, where waiting for a second one costs more than it does.

A product of a thousand rows takes microseconds; a thread that has lost its core to another process takes milliseconds
to answer. So whatever makes many small products asks for one thread while it runs.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

LOADING = "scipy.linalg", "sklearn.utils._openmp_helpers"  # modules that load libraries with threads of their own
SMALL = 2**22  # numbers of a table, whose product with a vector takes some milliseconds
P = ParamSpec("P")
T = TypeVar("T")


@lru_cache(maxsize=len(LOADING) ** 2)
def _controller(loaded: tuple[bool, ...]) -> ThreadpoolController:
    """The loaded libraries that have threads; to find them takes milliseconds, to limit them microseconds."""
    return ThreadpoolController()


@contextmanager
def limit_to_one_thread() -> Iterator[None]:
    """Let BLAS and OpenMP use one thread within `with one_thread():`, or in a function under `@one_thread()`.

    A library that is first loaded inside the block is limited from the next entry on.
    """
    with _controller(tuple(name in sys.modules for name in LOADING)).limit(limits=1):
        yield


def thread_count_for(numbers: int, columns: int = 1) -> AbstractContextManager[None]:
    """Limit BLAS to one thread if products of a table of `numbers` entries with `columns` columns are short.

    Up to sixteen columns take about as long as one, because most of the time is spent on reading the table.
    """
    return limit_to_one_thread() if numbers * max(1, columns // 16) <= SMALL else nullcontext()


def one_thread_if_small(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function, which runs on one thread where its first argument is a small table."""

    @wraps(function)
    def run(*args: P.args, **named: P.kwargs) -> T:
        table: Any = args[0] if args else next(iter(named.values()))
        with thread_count_for(np.size(table)):
            return function(*args, **named)

    return run
