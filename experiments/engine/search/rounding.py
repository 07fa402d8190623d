"""Floats that the processor rounds otherwise: a failure that is a rounding error is none there, or a smaller one."""

import contextlib
import ctypes
import platform
from collections.abc import Iterator

X86, ARM = (0x400, 0x800, 0xC00), (0x800000, 0x400000, 0xC00000)
MODES = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}.get(platform.machine(), ())  # down, up, towards 0
try:
    _set_mode, _get_mode = ctypes.CDLL(None).fesetround, ctypes.CDLL(None).fegetround
except (AttributeError, OSError, TypeError):  # a C library that does not show them
    MODES = ()


@contextlib.contextmanager
def rounded(mode: int) -> Iterator[None]:
    """Round in one of `MODES` in this thread, and in threads that it starts: the arithmetic of Python and numpy.

    Some functions of libraries come to the same in every mode.

    >>> for mode in MODES[:2]:
    ...     with rounded(mode):
    ...         print(f"{1 / float(3):.17f}")
    0.33333333333333331
    0.33333333333333337
    """
    before = _get_mode()
    try:
        _set_mode(mode)
        yield
    finally:
        _set_mode(before)
