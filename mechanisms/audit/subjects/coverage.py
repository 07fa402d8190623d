"""The lines that an audited program goes through, from which on: a pair that reaches new ones is worth a closer look.

Fuzzers keep an input that runs through a branch for the first time, and change it further: what lies behind two
conditions is found by a change of one record after another. Lines of numerical libraries and of the auditor do not
count.
"""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from lemmata.mechanisms.audit.subjects.draws import OURS, is_library

STEPS = 20_000  # lines of one run that are followed
PYTHON = os.path.dirname(os.__file__)


class Coverage:
    """The steps from line to line that were seen so far."""

    def __init__(self) -> None:
        self.seen: set[tuple[CodeType, int, int]] = set()
        self.left = 0
        self.at: dict[FrameType, int] = {}

    @contextmanager
    def following(self) -> Iterator[None]:
        """Follow what is run meanwhile, in place of any other trace function.

        Garbage waits: what other programs do when it is collected would be followed, at whatever moment that is.
        """
        before, collects = sys.gettrace(), gc.isenabled()
        self.left = STEPS
        gc.disable()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)
            self.at.clear()
            if collects:
                gc.enable()

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._stepped if _counts(frame.f_code.co_filename) else None

    def _stepped(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            return None
        self.seen.add((frame.f_code, self.at.get(frame, 0), frame.f_lineno))
        self.at[frame] = frame.f_lineno
        return self._stepped


def _counts(file: str) -> bool:
    pythons = file.startswith("<frozen ") or (file.startswith(PYTHON) and "site-packages" not in file)
    return not (pythons or file.startswith(OURS) or is_library(file.lstrip("<")))  # "<stdin>" is a user's
