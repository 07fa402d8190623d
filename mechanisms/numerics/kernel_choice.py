"""Where there is a compiled kernel and a numpy version: which of the two is called."""

from functools import lru_cache
from typing import Any

WORTH = 2**19  # operations on single numbers, some milliseconds in numpy; loading the kernels takes half a second, once


@lru_cache(maxsize=1)
def _kernels() -> Any:
    """The module of compiled kernels; None without numba (the extra `fast`) or without a directory for its cache."""
    try:
        import numba  # noqa: F401

        from lemmata.mechanisms.numerics import kernels
    except (ImportError, RuntimeError):
        return None
    return kernels


def numba_kernels_if_worthwhile(work: int) -> Any:
    """The compiled kernels if there is enough to do for them and numba is installed, else None.

    >>> numba_kernels_if_worthwhile(10) is None
    True
    """
    return None if work < WORTH else _kernels()
