"""What tests of several rooms of mechanisms/ start from."""

import numpy as np
import pytest
from mpmath import mp


@pytest.fixture
def same_entropy(monkeypatch):
    """`rng=None` asks the system: here it answers the same every time, so that a failure can be looked at again."""
    monkeypatch.setattr(
        "lemmata.mechanisms.numerics.arguments.SystemGenerator", lambda: np.random.default_rng(2**256 // 3)
    )


@pytest.fixture
def sixty_digits():
    with mp.workdps(60):
        yield
